/* See assemble.h: labels, jumps and room; what an instruction looks like is its set's business. */
#include "kernels/assemble.h"

#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

static bool goes_on(const struct assembly *as)
{
	return status_is_ok(&as->status);
}

static void fail(struct assembly *as, struct status status)
{
	if (goes_on(as))
		as->status = status;
}

void assemble_begin(struct assembly *as, unsigned char *room, size_t bytes)
{
	as->begin = as->at = room;
	as->end = room + bytes;
	as->status = status_ok();
	as->label_count = as->pending_count = 0;
}

/* Whether so many bytes more fit. */
static bool fits(struct assembly *as, size_t bytes)
{
	size_t left = (size_t)(as->end - as->at);

	if (bytes <= left)
		return true;
	fail(as, status_failed("machine code of over %zu bytes: there is room for no more",
			 (size_t)(as->end - as->begin)));
	return false;
}

/* Where what was just encoded stands now; NULL: nowhere. */
static unsigned char *put(
	struct assembly *as, struct status status, const unsigned char *bytes, size_t length)
{
	unsigned char *at = as->at;

	if (!status_is_ok(&status)) {
		fail(as, status);
		return NULL;
	}
	if (!fits(as, length))
		return NULL;
	memcpy(at, bytes, length);
	as->at += length;
	return at;
}

void assemble(struct assembly *as, const char *format, ...)
{
	unsigned char bytes[ASSEMBLE_LONGEST];
	char line[160];
	size_t length = 0;
	struct status status;
	va_list args;
	int wanted;

	if (!goes_on(as))
		return;
	va_start(args, format);
	wanted = vsnprintf(line, sizeof(line), format, args);
	va_end(args);
	if (wanted < 0 || (size_t)wanted >= sizeof(line)) {
		fail(as, status_failed("a line of assembly of over %zu characters: \"%s\"",
				 sizeof(line) - 1, line));
		return;
	}
	status = encode_line(line, bytes, &length);
	put(as, status, bytes, length);
}

void assemble_again(struct assembly *as, const unsigned char *from, unsigned times)
{
	size_t length, left;

	if (!goes_on(as))
		return;
	length = (size_t)(as->at - from);
	left = (size_t)(as->end - as->at);
	if (length && times > left / length) {
		fits(as, left + 1);
		return;
	}
	for (unsigned i = 0; i < times; i++) {
		memcpy(as->at, from, length);
		as->at += length;
	}
}

int assemble_label(struct assembly *as)
{
	if (!goes_on(as))
		return 0;
	if (as->label_count == ASSEMBLE_LABELS) {
		fail(as, status_failed("over %d labels in machine code made at run time",
				 ASSEMBLE_LABELS));
		return 0;
	}
	as->label[as->label_count] = NULL;
	return as->label_count++;
}

int assemble_here(struct assembly *as)
{
	int label = assemble_label(as);

	assemble_bind(as, label);
	return label;
}

static void reach(struct assembly *as, unsigned char *at, const unsigned char *target)
{
	if (!encode_distance(at, target))
		fail(as, status_failed("a jump over %lld bytes of machine code is too far",
				 (long long)(target - at)));
}

static bool is_label(struct assembly *as, int label)
{
	if (goes_on(as) && (label < 0 || label >= as->label_count))
		fail(as, status_failed("no label %d: there are %d", label, as->label_count));
	return goes_on(as);
}

void assemble_bind(struct assembly *as, int label)
{
	if (!is_label(as, label))
		return;
	if (as->label[label]) {
		fail(as, status_failed("label %d is bound twice", label));
		return;
	}
	as->label[label] = as->at;
	for (int i = 0; i < as->pending_count;)
		if (as->pending[i].label == label) {
			reach(as, as->pending[i].at, as->at);
			as->pending[i] = as->pending[--as->pending_count];
		} else {
			i++;
		}
}

void assemble_forget(struct assembly *as, int label)
{
	if (!is_label(as, label))
		return;
	for (int i = label; i < as->label_count; i++)
		if (!as->label[i]) {
			fail(as, status_failed("label %d is forgotten before it is bound", i));
			return;
		}
	as->label_count = label;
}

/* An instruction that leads to a label: now, or once that is bound. */
static void lead(struct assembly *as, unsigned char *at, int label)
{
	if (!at)
		return;
	if (as->label[label]) {
		reach(as, at, as->label[label]);
	} else if (as->pending_count == ASSEMBLE_LABELS) {
		fail(as, status_failed("over %d jumps to places not known yet", ASSEMBLE_LABELS));
	} else {
		as->pending[as->pending_count].at = at;
		as->pending[as->pending_count++].label = label;
	}
}

void assemble_jump(struct assembly *as, const char *mnemonic, int label)
{
	unsigned char bytes[ASSEMBLE_LONGEST];
	size_t length = 0;
	struct status status;

	if (!is_label(as, label))
		return;
	status = encode_jump(mnemonic, bytes, &length);
	lead(as, put(as, status, bytes, length), label);
}

void assemble_address(struct assembly *as, const char *reg, int label)
{
	unsigned char bytes[ASSEMBLE_LONGEST];
	size_t length = 0;
	struct status status;

	if (!is_label(as, label))
		return;
	status = encode_address(reg, bytes, &length);
	lead(as, put(as, status, bytes, length), label);
}

void assemble_align(struct assembly *as, size_t bytes)
{
	size_t fill;

	if (!goes_on(as))
		return;
	fill = (size_t)(-(uintptr_t)as->at & (bytes - 1));
	if (!fits(as, fill))
		return;
	if (!encode_nops(as->at, fill)) {
		fail(as, status_failed("no nops fill %zu bytes", fill));
		return;
	}
	as->at += fill;
}

struct status assemble_end(struct assembly *as)
{
	if (as->pending_count)
		fail(as, status_failed("a jump to label %d, which is bound nowhere",
				 as->pending[0].label));
	return as->status;
}
