#include "model/code/loop.h"

#include <stdlib.h>
#include <string.h>

#include "base/text.h"

void loop_init(struct loop *loop, int insns, int path)
{
	memset(loop, 0, sizeof(*loop));
	loop->insn = memory_new((size_t)insns, sizeof(*loop->insn));
	loop->path = memory_new((size_t)path, sizeof(*loop->path));
	loop->insn_room = insns;
	loop->path_room = path;
	loop_clear(loop);
}

void loop_clear(struct loop *loop)
{
	struct loop kept = { .insn = loop->insn,
		.path = loop->path,
		.insn_room = loop->insn_room,
		.path_room = loop->path_room,
		.turns = 1,
		.elements = 1 };

	*loop = kept;
}

void loop_free(struct loop *loop)
{
	free(loop->insn);
	free(loop->path);
	memset(loop, 0, sizeof(*loop));
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

void loop_insn_text(const struct loop *loop, const struct insn *insn, struct text *text)
{
	const struct insn *end = &loop->insn[loop->insn_count > 0 ? loop->insn_count - 1 : 0];
	/* A call into the loop's own code. Other calls show their address. */
	bool calls = insn->flow == FLOW_CALL && insn->target >= loop->insn[0].address &&
		     insn->target <= end->address;
	bool jumps = insn->flow == FLOW_BRANCH || insn->flow == FLOW_JUMP || calls;
	int64_t apart = (int64_t)(insn->target - loop->insn[0].address);
	const char *last = strrchr(insn->text, ' ');

	/* AArch64's have further operands before the target. */
	if (!jumps || !insn->target || !last)
		text_add(text, insn->text);
	else
		text_addf(text, "%.*s %s0x%llx", (int)(last - insn->text), insn->text,
			apart < 0 ? "-" : "", (unsigned long long)(apart < 0 ? -apart : apart));
}
