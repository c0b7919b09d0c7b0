#include "model/loop.h"

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
	struct loop kept = { .insn = loop->insn, .path = loop->path, .insn_room = loop->insn_room,
		.path_room = loop->path_room, .turns = 1, .elements = 1 };

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
