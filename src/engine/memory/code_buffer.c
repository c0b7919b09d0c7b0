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

/* ---- Changed code */

/* NEAR: largest distance of changed code from the original code, which 32-bit distances reach with
 * much to spare. STEP: distance between two addresses to try. */
#define NEAR ((uintptr_t)1 << 30)
#define STEP ((uintptr_t)32 << 20)

static bool is_near(const struct code_buffer *room, const void *code)
{
	uintptr_t a = (uintptr_t)room->memory, b = (uintptr_t)code;

	return room->memory && (a > b ? a - b : b - a) < NEAR;
}

/* Maps memory near the code, first below it: the memory above a program's code is its heap. */
static void *map_near(const void *code, size_t bytes)
{
	uintptr_t base = (uintptr_t)code / STEP * STEP;

	for (uintptr_t away = STEP; away < NEAR; away += STEP)
		for (int above = 0; above < 2; above++) {
			uintptr_t address = above ? base + away : base - away;
			void *memory;

			if (!above && away >= base)
				continue;
			memory = mmap((void *)address, bytes, PROT_READ | PROT_WRITE,
				MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);
			if (memory == (void *)address)
				return memory;
			if (memory != MAP_FAILED)
				munmap(memory, bytes);
		}
	return MAP_FAILED;
}

static struct status open_near(struct code_buffer *room, const void *code, size_t bytes)
{
	void *memory;

	if (is_near(room, code) && room->bytes >= bytes)
		return open_for_writing(room, bytes);
	code_buffer_free(room);
	bytes = round_up(bytes, (uint64_t)sysconf(_SC_PAGESIZE));
	memory = map_near(code, bytes + CODE_DATA);
	if (memory == MAP_FAILED)
		return refused("for");
	*room = (struct code_buffer){ .memory = memory, .bytes = bytes, .data = CODE_DATA };
	return status_ok();
}

struct status code_buffer_change(struct code_buffer *room, const struct code_buffer *made,
	const struct code_change *change, struct kernel_run *run)
{
	size_t left = code_buffer_left(made, run->code.start);
	struct code_place place = { .code = run->code.start, .size = left ? left : SIZE_MAX };
	struct status status;

	if (run->code.unread)
		return status_failed("%s", run->code.unread);
	if (run->code.entry)
		return status_failed("the loop calls or jumps through registers");
	status = open_near(room, place.code, change->bytes);
	if (!status_is_ok(&status))
		return status;
	place.to = room->memory;
	place.bytes = room->bytes;
	place.data = room->memory + room->bytes;
	status = change->write(change, &place, &run->code.start);
	if (status_is_ok(&status))
		status = seal(room);
	return status_is_ok(&status) && !run->kernel->isolated && !change->computes_other
		       ? kernel_verify(run)
		       : status;
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
		munmap(room->memory, room->bytes + room->data);
	*room = (struct code_buffer){ 0 };
}
