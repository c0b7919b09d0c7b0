#include "model/code/rewrite.h"

#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "kernels/nops.h"
#include "model/code/relocate.h"

/* The first instruction of a loop keeps its offset within a line of LINE bytes, because front ends
 * fetch code line by line. */
enum { LINE = 64 };

/* Where one instruction of the function lies in the changed code. */
struct moved {
	int place;   /* number of fillers (added instructions) before the instruction */
	bool longer; /* the instruction becomes its longer form, whose target can be farther away
		      */
	int label; /* index of the instruction to which the jump goes; -1: the target is not in the
		      function */
	size_t enter; /* offset of the added code that runs before the loop: the target of jumps
			 from outside the loop */
	size_t from;  /* offset of the fillers added before the instruction: the target of jumps
			 inside the loop */
	size_t at;    /* offset of the instruction itself */
};

struct writing {
	const struct decoded_function *function;
	const struct rewrite *change;
	struct moved *moved;
	uint8_t *to;
	size_t bytes, size;
};

static const struct insn *insn_at(const struct writing *writing, int i)
{
	return &writing->function->insn[i];
}

static bool is_jump(const struct insn *insn)
{
	return insn->flow == FLOW_BRANCH || insn->flow == FLOW_JUMP;
}

/* ---- The places of the fillers */

static bool lists(const uint8_t *list, int count, int reg)
{
	return memchr(list, reg, (size_t)count) != NULL;
}

bool rewrite_needs(const struct decoded_function *function, int from, int reg)
{
	int count = function->last - function->first + 1;

	for (int i = 0; i < count; i++) {
		const struct insn *insn =
			&function->insn[function->first + (from - function->first + i) % count];

		if (lists(insn->reads, insn->read_count, reg))
			return true;
		if (lists(insn->writes, insn->write_count, reg))
			return false;
	}
	return false;
}

/* Returns the index of the last instruction of the loop that runs exactly once per iteration, with
 * all instructions before it: the first jump, or the instruction before the first target of a jump.
 */
static int once_until(const struct writing *writing)
{
	const struct decoded_function *function = writing->function;
	int until = function->last;

	for (int i = function->last; i >= function->first; i--)
		if (insn_at(writing, i)->flow != FLOW_NONE)
			until = i;
	for (int i = 0; i < function->count; i++) {
		int label = writing->moved[i].label;

		if (label > function->first && label <= until)
			until = label - 1;
	}
	return until;
}

/* Chooses the number of fillers (added instructions) before each instruction of the loop. No filler
 * is added before a conditional branch, because the branch may fuse with the instruction before it.
 */
static struct status choose_places(struct writing *writing)
{
	const struct decoded_function *function = writing->function;
	int until = once_until(writing), count = 0;
	int *place;

	if (writing->change->together) {
		const struct rewrite *change = writing->change;

		writing->moved[change->place].place = change->inserted - change->after_place;
		writing->moved[change->place + 1].place = change->after_place;
		return status_ok();
	}
	place = memory_new((size_t)function->count + 1, sizeof(*place));
	for (int i = function->first; i <= until; i++)
		if (insn_at(writing, i)->flow != FLOW_BRANCH &&
			!(writing->change->flags && (rewrite_needs(function, i, REG_FLAGS) ||
							    rewrite_needs(function, i, REG_CARRY))))
			place[count++] = i;
	for (int i = 0; i < writing->change->inserted && count > 0; i++)
		writing->moved[place[(2 * (int64_t)i + 1) * count /
				       (2 * (int64_t)writing->change->inserted)]]
			.place++;
	free(place);
	if (writing->change->inserted > 0 && count == 0)
		return status_failed("the loop has no place where an instruction%s can be added",
			writing->change->flags ? " that changes flags" : "");
	return status_ok();
}

/* ---- Which code can be changed */

/* Returns the index of the instruction at an address; -1: the function has no instruction there. */
static int find(const struct decoded_function *function, uint64_t address)
{
	int low = 0, high = function->count;

	while (low < high) {
		int middle = (low + high) / 2;

		if (function->insn[middle].address < address)
			low = middle + 1;
		else
			high = middle;
	}
	return low < function->count && function->insn[low].address == address ? low : -1;
}

static bool is_inside(const struct decoded_function *function, int i)
{
	return i >= function->first && i <= function->last;
}

static bool continues(const struct insn *insn)
{
	return insn->flow == FLOW_NONE || insn->flow == FLOW_BRANCH || insn->flow == FLOW_CALL;
}

static struct status check(struct writing *writing, int i)
{
	const struct decoded_function *function = writing->function;
	const struct insn *insn = insn_at(writing, i);
	struct moved *moved = &writing->moved[i];
	uint64_t end = insn->address + insn->length;
	bool inside = is_inside(function, i);

	moved->label = is_jump(insn) ? find(function, insn->target) : -1;
	if (!insn->known)
		return status_failed("the function has bytes that are not an instruction");
	if (insn->flow == FLOW_INDIRECT)
		return status_failed(
			"the target of the jump \"%s\" is known only at run time", insn->text);
	if (inside && insn->flow == FLOW_CALL)
		return status_failed("the loop calls a function");
	if (is_jump(insn) && writing->change->after_count > 0 &&
		(inside ? i != function->last &&
					(moved->label < 0 || !is_inside(function, moved->label))
			: moved->label > function->first && moved->label <= function->last))
		return status_failed("execution enters or leaves the loop at several places");
	if (i == function->last && insn->flow == FLOW_JUMP && writing->change->after_count > 0)
		return status_failed("execution does not leave the loop at its end");
	if (i + 1 < function->count &&
		(insn[1].address < end || (continues(insn) && insn[1].address != end)))
		return status_failed("the instructions of the function overlap");
	if (i + 1 == function->count && continues(insn))
		return status_failed("execution passes the end of the function");
	if (!relocate_possible(insn))
		return status_failed(
			"the instruction \"%s\" cannot run at another address", insn->text);
	return status_ok();
}

/* ---- The layout */

static size_t length_of(const struct code_line *line, int lines)
{
	size_t length = 0;

	for (int i = 0; i < lines; i++)
		length += line[i].length;
	return length;
}

static size_t insn_length(const struct writing *writing, int i)
{
	return relocate_length(insn_at(writing, i), writing->moved[i].longer);
}

/* Returns the bytes after an instruction of the loop that never run: the distances of branches
 * decide how a core predicts them, so the copy has the same. */
static size_t gap_after(const struct writing *writing, int i)
{
	const struct decoded_function *function = writing->function;
	const struct insn *insn = insn_at(writing, i);

	return i >= function->first && i < function->last
		       ? insn[1].address - insn->address - insn->length
		       : 0;
}

/* Returns the bytes that a filler (added instruction) takes at an offset of the changed code,
 * including bytes that it jumps over. The loop's first instruction keeps its offset within its
 * 64-byte line, so the line of every other instruction is known. */
static size_t filler_length(const struct writing *writing, int filler, size_t at)
{
	const struct code_line *line =
		&writing->change->filler[filler % writing->change->filler_count];
	const struct decoded_function *function = writing->function;
	size_t place = function->insn[function->first].address + writing->change->shift + at -
		       writing->moved[function->first].from + line->length;

	return line->length + (line->skips ? (LINE - place % LINE) % LINE : 0);
}

static void lay_out(struct writing *writing)
{
	const struct decoded_function *function = writing->function;
	const struct rewrite *change = writing->change;
	size_t at = 0;
	int next = 0;

	for (int i = 0; i < function->count; i++) {
		struct moved *moved = &writing->moved[i];

		moved->enter = at;
		if (i == function->first)
			at += length_of(change->before, change->before_count);
		moved->from = at;
		for (int k = 0; k < moved->place; k++)
			at += filler_length(writing, next++, at);
		moved->at = at;
		at += insn_length(writing, i) + gap_after(writing, i);
		if (i == function->last)
			at += length_of(change->after, change->after_count);
	}
	writing->size = at;
}

/* Returns the offset in the changed code to which a jump of the function goes. */
static size_t target_of(const struct writing *writing, int i)
{
	const struct moved *target = &writing->moved[writing->moved[i].label];

	return is_inside(writing->function, i) ? target->from : target->enter;
}

/* Lengthens jumps that do not reach their targets in this layout. Returns whether a jump was
 * lengthened, which changes the layout. */
static bool lengthen(struct writing *writing, struct status *status)
{
	bool changed = false;

	for (int i = 0; i < writing->function->count; i++) {
		const struct insn *insn = insn_at(writing, i);
		struct moved *moved = &writing->moved[i];

		/* Other functions are far from a copy of this function, so jumps to them need the
		 * longer form. */
		if (!is_jump(insn) || moved->longer ||
			relocate_reaches(insn, moved->at,
				moved->label < 0 ? moved->at + INT32_MAX : target_of(writing, i)))
			continue;
		if (relocate_length(insn, true) == 0) {
			*status = status_failed(
				"the jump \"%s\" cannot reach a more distant target", insn->text);
			return false;
		}
		moved->longer = true;
		changed = true;
	}
	return changed;
}

/* ---- Writing */

static bool write_lines(uint8_t **to, const struct code_line *line, int lines)
{
	bool reached = true;

	for (int i = 0; i < lines; i++) {
		reached &= relocate_line(&line[i], *to);
		*to += line[i].length;
	}
	return reached;
}

static bool write_filler(
	const struct writing *writing, int filler, const uint8_t *base, uint8_t **to)
{
	const struct code_line *line =
		&writing->change->filler[filler % writing->change->filler_count];
	uint8_t *begin = *to;
	size_t length = filler_length(writing, filler, (size_t)(begin - base));
	bool reached = write_lines(to, line, 1);

	if (line->skips) {
		relocate_skip(begin, line->length, length - line->length);
		*to = begin + length;
	}
	return reached;
}

/* Writes nops of `length` bytes, as few as possible. */
static void write_nops(uint8_t *to, size_t length)
{
	while (length > 0) {
		size_t next = length < NOP_LONGEST ? length : NOP_LONGEST;

		to = write_nop(to, next);
		length -= next;
	}
}

static bool write_insn(struct writing *writing, int i, uint8_t *base)
{
	const struct insn *insn = insn_at(writing, i);
	const struct moved *moved = &writing->moved[i];
	uint8_t *to = base + moved->at;
	uint64_t target = insn->target;

	if (writing->change->removes && i == writing->change->removed) {
		write_nops(to, insn_length(writing, i));
		return true;
	}
	for (int k = 0; k < insn->memory_count; k++)
		if (insn->memory[k].relative)
			target = (uint64_t)insn->memory[k].disp;
	if (moved->label >= 0)
		target = (uint64_t)(uintptr_t)(base + target_of(writing, i));
	return relocate_insn(insn, moved->longer, to, target);
}

static bool write_all(struct writing *writing, uint8_t *base)
{
	const struct decoded_function *function = writing->function;
	const struct rewrite *change = writing->change;
	bool reached = true;
	int next = 0;

	for (int i = 0; i < function->count; i++) {
		const struct moved *moved = &writing->moved[i];
		uint8_t *to = base + moved->enter;

		if (i == function->first)
			reached &= write_lines(&to, change->before, change->before_count);
		for (int k = 0; k < moved->place; k++)
			reached &= write_filler(writing, next++, base, &to);
		reached &= write_insn(writing, i, base);
		to = base + moved->at + insn_length(writing, i);
		write_nops(to, gap_after(writing, i));
		if (i == function->last)
			reached &= write_lines(&to, change->after, change->after_count);
	}
	return reached;
}

struct status rewrite_function(const struct decoded_function *function,
	const struct rewrite *change, uint8_t *to, size_t bytes, const void **start)
{
	struct writing writing = { .function = function,
		.change = change,
		.moved = memory_new((size_t)function->count + 1, sizeof(*writing.moved)) };
	struct status status = status_ok();
	size_t offset;

	for (int i = 0; i < function->count && status_is_ok(&status); i++)
		status = check(&writing, i);
	if (status_is_ok(&status))
		status = choose_places(&writing);
	if (status_is_ok(&status))
		do
			lay_out(&writing);
		while (lengthen(&writing, &status));
	if (status_is_ok(&status)) {
		offset = (function->insn[function->first].address + change->shift -
				 (uint64_t)(uintptr_t)(to + writing.moved[function->first].from)) %
			 LINE;
		if (offset + writing.size > bytes)
			status = status_failed("the loop with %d more instructions needs more than "
					       "%zu bytes",
				change->inserted, bytes);
		else if (!write_all(&writing, to + offset))
			status = status_failed(
				"the code refers to an address that is too far from its copy");
		*start = to + offset;
	}
	free(writing.moved);
	return status;
}

void rewrite_used(
	const struct decoded_function *function, int first, int last, bool used[REG_COUNT])
{
	memset(used, 0, REG_COUNT * sizeof(*used));
	for (int i = first; i <= last; i++) {
		const struct insn *insn = &function->insn[i];

		for (int k = 0; k < insn->read_count; k++)
			used[insn->reads[k]] = true;
		for (int k = 0; k < insn->write_count; k++)
			used[insn->writes[k]] = true;
		for (int k = 0; k < insn->memory_count; k++)
			used[insn->memory[k].base] = used[insn->memory[k].index] = true;
	}
}
