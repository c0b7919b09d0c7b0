/* See arena.h. */
#include "engine/arena.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/units.h"

static const uint64_t huge_page = 2 << 20;

/* More than this held beyond a need is given back. */
static const uint64_t trim_above = 256 << 20;

static uint64_t round_up(uint64_t value, uint64_t unit)
{
	return (value + unit - 1) / unit * unit;
}

/* Reserves address space, aligned to a huge page; NULL when refused. */
static unsigned char *reserve(uint64_t bytes)
{
	uint64_t space = bytes + huge_page;
	unsigned char *memory, *begin;

	memory = mmap(NULL, space, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (memory == MAP_FAILED)
		return NULL;
	begin = (unsigned char *)round_up((uint64_t)memory, huge_page);
	if (begin > memory)
		munmap(memory, (size_t)(begin - memory));
	if (memory + space > begin + bytes)
		munmap(begin + bytes, (size_t)(memory + space - begin - bytes));
	return begin;
}

/* What pages stand behind the arena, from the kernel's account of the mapping. */
static void read_pages(struct arena *arena)
{
	FILE *file = fopen("/proc/self/smaps", "re");
	unsigned long begin, end, huge = 0, resident = 0, kib;
	char line[256];
	bool ours = false;

	snprintf(arena->pages, sizeof(arena->pages), "unknown");
	if (!file)
		return;
	while (fgets(line, sizeof(line), file)) {
		if (sscanf(line, "%lx-%lx ", &begin, &end) == 2)
			ours = begin < (unsigned long)(arena->memory + arena->reserved) && end > (unsigned long)arena->memory;
		else if (ours && sscanf(line, "Rss: %lu", &kib) == 1)
			resident += kib;
		else if (ours && sscanf(line, "AnonHugePages: %lu", &kib) == 1)
			huge += kib;
	}
	fclose(file);
	if (resident > 0)
		snprintf(arena->pages, sizeof(arena->pages), "%s", huge == 0 ? "4k" :
			huge * 10 >= resident * 9 ? "huge" : "mixed");
}

struct status arena_need(struct arena *arena, uint64_t bytes, uint64_t limit, const struct topology *topology, int cpu,
	const atomic_bool *cancel, bool *kept)
{
	uint64_t need = round_up(bytes, huge_page), page = (uint64_t)sysconf(_SC_PAGESIZE);

	*kept = true;
	if (need > arena->reserved) {
		uint64_t space = round_up(limit, huge_page);

		*kept = arena->touched == 0;
		arena_free(arena);
		if (space < need)
			space = need;
		arena->memory = reserve(space);
		if (!arena->memory) {
			space = need;
			arena->memory = reserve(space);
		}
		if (!arena->memory) {
			int error = errno;
			char wanted[32];

			units_bytes_long((int64_t)need, wanted, sizeof(wanted));
			return status_make(STATUS_FAILED, "%s of memory refused: %s", wanted, strerror(error));
		}
		arena->reserved = space;
		(void)madvise(arena->memory, space, MADV_HUGEPAGE);
		/* Children (isolate.c, model/step.c) have no use for it: forking neither copies its page tables nor makes pages that
		 * are being measured fault. */
		(void)madvise(arena->memory, space, MADV_DONTFORK);
	}
	if (need <= arena->touched)
		return status_ok();
	topology_bind_memory(topology, cpu, arena->memory + arena->touched, need - arena->touched);
	while (arena->touched < need) {
		volatile unsigned char *piece = arena->memory + arena->touched;

		if (atomic_load(cancel))
			return status_make(STATUS_CANCELLED, "stopped while memory was touched");
		for (uint64_t i = 0; i < huge_page; i += page)
			piece[i] = 0;
		arena->touched += huge_page;
	}
	read_pages(arena);
	return status_ok();
}

bool arena_trim(struct arena *arena, uint64_t bytes)
{
	uint64_t keep = round_up(bytes, huge_page);

	if (arena->touched < keep + trim_above)
		return false;
	(void)madvise(arena->memory + keep, arena->touched - keep, MADV_DONTNEED);
	arena->touched = keep;
	return true;
}

void arena_free(struct arena *arena)
{
	if (arena->memory)
		munmap(arena->memory, arena->reserved);
	*arena = (struct arena){ 0 };
}
