#include "engine/memory/code_buffer.h"

#include <errno.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/units.h"

static struct status refused(const char *what)
{
	return status_failed(
		"no memory %s code that is made at run time: %s", what, strerror(errno));
}

/* Makes a code buffer of at least `bytes` bytes writable. The content of the buffer may be lost. */
static struct status open_for_writing(struct code_buffer *room, size_t bytes)
{
	void *memory;

	if (room->bytes >= bytes) {
		if (mprotect(room->memory, room->bytes, PROT_READ | PROT_WRITE) != 0)
			return refused("to write");
		return status_ok();
	}
	code_buffer_free(room);
	bytes = round_up(bytes, (uint64_t)sysconf(_SC_PAGESIZE));
	memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (memory == MAP_FAILED)
		return refused("for");
	*room = (struct code_buffer){ .memory = memory, .bytes = bytes };
	return status_ok();
}

static struct status seal(struct code_buffer *room)
{
	if (mprotect(room->memory, room->bytes, PROT_READ | PROT_EXEC) != 0)
		return refused("to execute");
	__builtin___clear_cache((char *)room->memory, (char *)room->memory + room->bytes);
	return status_ok();
}

struct status code_buffer_prepare(struct code_buffer *room, struct kernel_run *run)
{
	size_t bytes = run->kernel->code_bytes ? run->kernel->code_bytes(run->v) : 0;
	struct status status;

	if (bytes == 0)
		return kernel_prepare(run);
	status = open_for_writing(room, bytes);
	if (!status_is_ok(&status))
		return status;
	run->code.buffer = room->memory;
	run->code.buffer_bytes = room->bytes;
	status = kernel_prepare(run);
	return status_is_ok(&status) ? seal(room) : status;
}

size_t code_buffer_left(const struct code_buffer *room, const void *code)
{
	const unsigned char *at = code;

	return room->memory && at >= room->memory && at < room->memory + room->bytes
		       ? (size_t)(room->memory + room->bytes - at)
		       : 0;
}

void code_buffer_free(struct code_buffer *room)
{
	if (room->memory)
		munmap(room->memory, room->bytes);
	*room = (struct code_buffer){ 0 };
}
