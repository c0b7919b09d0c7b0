#include "model/code/loop.h"

#include <stdlib.h>
#include <string.h>

#include "base/text.h"

void loop_init(struct loop *loop, int insns, int path)
{
	*loop = (struct loop){ 0 };
	loop_reserve(loop, insns, path);
	loop_clear(loop);
}

void loop_clear(struct loop *loop)
{
	*loop = (struct loop){ .insn = loop->insn,
		.path = loop->path,
		.insn_room = loop->insn_room,
		.path_room = loop->path_room,
		.turns = 1,
		.fresh = -1,
		.learnt = -1,
		.elements = 1 };
}

void loop_free(struct loop *loop)
{
	free(loop->insn);
	free(loop->path);
	*loop = (struct loop){ 0 };
}

void loop_reserve(struct loop *loop, int insns, int path)
{
	if (insns > loop->insn_room) {
		loop->insn = memory_resize(loop->insn, (size_t)insns, sizeof(*loop->insn));
		loop->insn_room = insns;
	}
	if (path > loop->path_room) {
		loop->path = memory_resize(loop->path, (size_t)path, sizeof(*loop->path));
		loop->path_room = path;
	}
}

void loop_copy(struct loop *to, const struct loop *from)
{
	struct loop copy = *from;

	loop_reserve(to, from->insn_count, from->path_count);
	copy.insn = to->insn;
	copy.path = to->path;
	copy.insn_room = to->insn_room;
	copy.path_room = to->path_room;
	if (from->insn_count > 0)
		memcpy(to->insn, from->insn, (size_t)from->insn_count * sizeof(*to->insn));
	if (from->path_count > 0)
		memcpy(to->path, from->path, (size_t)from->path_count * sizeof(*to->path));
	*to = copy;
}

static int by_address(const void *a, const void *b)
{
	const struct insn *left = *(const struct insn *const *)a,
			  *right = *(const struct insn *const *)b;

	return left->address < right->address ? -1 : left->address > right->address;
}

void loop_fill(struct loop *loop, const struct insn *insns, int insn_count,
	const struct loop_step *steps, int step_count)
{
	const struct insn **used = memory_new((size_t)insn_count + 1, sizeof(*used));
	uint16_t *place = memory_new((size_t)insn_count + 1,
		sizeof(*place)); /* for each instruction: first 1 if the instruction ran, later its
				    index in the loop */
	int count = 0;

	for (int i = 0; i < step_count; i++)
		place[steps[i].insn] = 1;
	for (int i = 0; i < insn_count; i++)
		if (place[i])
			used[count++] = &insns[i];
	qsort(used, (size_t)count, sizeof(*used), by_address);
	loop_reserve(loop, count, step_count);
	for (int i = 0; i < count; i++) {
		place[used[i] - insns] = (uint16_t)i;
		loop->insn[i] = *used[i];
		loop->unknown += !used[i]->known;
	}
	for (int i = 0; i < step_count; i++) {
		loop->path[i] = steps[i];
		loop->path[i].insn = place[steps[i].insn];
	}
	loop->insn_count = count;
	loop->path_count = step_count;
	free(used);
	free(place);
}

void loop_insn_text(const struct loop *loop, const struct insn *insn, struct text *text)
{
	const struct insn *end = &loop->insn[loop->insn_count > 0 ? loop->insn_count - 1 : 0];
	/* `calls` is true if the instruction calls a function whose code belongs to the loop. For a
	 * call out of the loop, the text of the instruction shows the target's address. */
	bool calls = insn->flow == FLOW_CALL && insn->target >= loop->insn[0].address &&
		     insn->target <= end->address;
	bool jumps = insn->flow == FLOW_BRANCH || insn->flow == FLOW_JUMP || calls;
	int64_t apart = (int64_t)(insn->target - loop->insn[0].address);
	const char *last = strrchr(insn->text, ' ');

	/* Replace only the last word of the text, which is the target. On AArch64, other operands
	 * come before the target. */
	if (!jumps || !insn->target || !last)
		text_add(text, insn->text);
	else
		text_addf(text, "%.*s %s0x%llx", (int)(last - insn->text), insn->text,
			apart < 0 ? "-" : "", (unsigned long long)(apart < 0 ? -apart : apart));
}
