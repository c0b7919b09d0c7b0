/* Handles labels, jumps and alignment of generated code, for both instruction sets: see assemble.h.
 */
#include "kernels/assemble.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* Stores the first failure in as->status. Returns true if there was no failure so far. */
static bool goes_on(struct assembly *as, struct status status)
{
	if (status_is_ok(&as->status))
		as->status = status;
	return status_is_ok(&as->status);
}

void assemble_begin(struct assembly *as, unsigned char *room, size_t bytes)
{
	as->begin = as->at = room;
	as->end = room + bytes;
	as->status = status_ok();
	as->label_count = as->pending_count = 0;
}

/* Returns whether `bytes` more bytes fit into the code buffer. */
static bool fits(struct assembly *as, size_t bytes)
{
	if (bytes <= (size_t)(as->end - as->at))
		return true;
	return goes_on(
		as, status_failed("the machine code is longer than %zu bytes, the most that fits",
			    (size_t)(as->end - as->begin)));
}

/* Writes an instruction to the code buffer. Returns the address of the instruction, or NULL after a
 * failure. */
static unsigned char *put(struct assembly *as, struct status status,
	const unsigned char bytes[ASSEMBLE_LONGEST], size_t length)
{
	unsigned char *at = as->at;

	if (!goes_on(as, status) || !fits(as, length))
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
	struct status status = as->status;
	va_list args;
	int wanted;

	if (!status_is_ok(&status))
		return;
	va_start(args, format);
	wanted = vsnprintf(line, sizeof(line), format, args);
	va_end(args);
	if (wanted < 0 || (size_t)wanted >= sizeof(line))
		status = status_failed("a line of assembly of over %zu characters: \"%s\"",
			sizeof(line) - 1, line);
	else
		status = encode_line(line, bytes, &length);
	put(as, status, bytes, length);
}

void assemble_again(struct assembly *as, const unsigned char *from, unsigned times)
{
	size_t length = (size_t)(as->at - from), left = (size_t)(as->end - as->at);

	if (!goes_on(as, status_ok()))
		return;
	if (length && times > left / length) {
		fits(as, left + 1);
		return;
	}
	for (unsigned i = 0; i < times; i++, as->at += length)
		memcpy(as->at, from, length);
}

int assemble_label(struct assembly *as)
{
	if (as->label_count == ASSEMBLE_LABELS)
		goes_on(as, status_failed("over %d labels in machine code made at run time",
				    ASSEMBLE_LABELS));
	if (!goes_on(as, status_ok()))
		return 0;
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
		goes_on(as, status_failed("a jump over %lld bytes of machine code is too far",
				    (long long)(target - at)));
}

static bool is_label(struct assembly *as, int label)
{
	return goes_on(as, label >= 0 && label < as->label_count
				   ? status_ok()
				   : status_failed("no label %d: the generated code has %d labels",
					     label, as->label_count));
}

void assemble_bind(struct assembly *as, int label)
{
	if (!is_label(as, label))
		return;
	if (as->label[label]) {
		goes_on(as, status_failed("label %d gets an address twice", label));
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
			goes_on(as, status_failed("label %d is freed before it has an address", i));
			return;
		}
	as->label_count = label;
}

/* Writes an instruction that refers to a label. If the label is bound, lead() fills in the distance
 * of the instruction. If the label is not bound, assemble_end() fills in the distance later. */
static void lead(struct assembly *as,
	struct status (*encode)(
		const char *text, unsigned char bytes[ASSEMBLE_LONGEST], size_t *length),
	const char *text, int label)
{
	unsigned char bytes[ASSEMBLE_LONGEST], *at;
	size_t length = 0;
	struct status status;

	if (!is_label(as, label))
		return;
	status = encode(text, bytes, &length);
	at = put(as, status, bytes, length);
	if (!at)
		return;
	if (as->label[label]) {
		reach(as, at, as->label[label]);
	} else if (as->pending_count == ASSEMBLE_LABELS) {
		goes_on(as, status_failed("over %d jumps to labels that have no address yet",
				    ASSEMBLE_LABELS));
	} else {
		as->pending[as->pending_count].at = at;
		as->pending[as->pending_count++].label = label;
	}
}

void assemble_jump(struct assembly *as, const char *mnemonic, int label)
{
	lead(as, encode_jump, mnemonic, label);
}

void assemble_address(struct assembly *as, const char *reg, int label)
{
	lead(as, encode_address, reg, label);
}

void assemble_align(struct assembly *as, size_t bytes)
{
	size_t fill = (size_t)(-(uintptr_t)as->at & (bytes - 1));

	if (!goes_on(as, status_ok()) || !fits(as, fill))
		return;
	if (encode_nops(as->at, fill))
		as->at += fill;
	else
		goes_on(as, status_failed("no nops fill %zu bytes", fill));
}

struct status assemble_end(struct assembly *as)
{
	if (as->pending_count)
		goes_on(as, status_failed("a jump to label %d, which has no address",
				    as->pending[0].label));
	return as->status;
}
