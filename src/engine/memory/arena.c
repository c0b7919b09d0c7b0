#include "engine/memory/arena.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include "base/units.h"

#ifndef MADV_POPULATE_WRITE
#define MADV_POPULATE_WRITE 23
#endif

static const uint64_t piece = ARENA_PIECE;

unsigned char *arena_reserve(uint64_t bytes)
{
	uint64_t space = bytes + piece;
	unsigned char *memory, *begin;

	memory = mmap(NULL, space, PROT_READ | PROT_WRITE,
		MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (memory == MAP_FAILED)
		return NULL;
	begin = (unsigned char *)round_up((uint64_t)memory, piece);
	if (begin > memory)
		munmap(memory, (size_t)(begin - memory));
	if (memory + space > begin + bytes)
		munmap(begin + bytes, (size_t)(memory + space - begin - bytes));
	return begin;
}

static struct status refused(uint64_t need, int error)
{
	return status_failed(
		"%s of memory refused: %s", units_size_long((int64_t)need).text, strerror(error));
}

/* Reserves address space for `limit` bytes. Each time the system refuses the address space, the
 * requested size is halved, down to `need`. */
static struct status begin_anew(struct arena *arena, uint64_t need, uint64_t limit, bool small)
{
	uint64_t space = round_up(limit, piece);
	int error;

	if (space < need)
		space = need;
	for (;;) {
		arena->memory = arena_reserve(space);
		error = errno;
		if (arena->memory || space == need)
			break;
		space = space / 2 > need ? round_up(space / 2, piece) : need;
	}
	if (!arena->memory)
		return refused(need, error);
	arena->reserved = space;
	arena->order = calloc(space / piece, 1);
	if (!arena->order) {
		arena_free(arena);
		return refused(need, ENOMEM);
	}
	(void)madvise(arena->memory, space, small ? MADV_NOHUGEPAGE : MADV_HUGEPAGE);
	/* Child processes (isolate.c, model/code/step.c) do not need the arena's memory. If a child
	 * process does not inherit the arena (memory for working sets), fork() copies no page
	 * tables of it, and pages under measurement do not fault after fork(). */
	(void)madvise(arena->memory, space, MADV_DONTFORK);
	return status_ok();
}

/* Touches each page of a piece, which is 2 MiB of memory. Code that touches pages is not
 * instrumented, because page faults of a sanitiser would be counted too. */
static KERNEL_LOOP void touch(unsigned char *memory, uint64_t page)
{
	volatile unsigned char *at = memory;

	for (uint64_t i = 0; i < piece; i += page)
		at[i] = 0;
}

static long faults(void)
{
	struct rusage usage;

	return getrusage(RUSAGE_THREAD, &usage) == 0 ? usage.ru_minflt : 0;
}

/* Returns log2 of a piece's page size, from the number of page faults in the piece: 1 for a huge
 * page, 512 for pages of 4 KiB. The file /proc/self/smaps is not used: reading it needs
 * milliseconds, and it does not report parts of a mapping. */
static unsigned char order_of(long asked, uint64_t page)
{
	unsigned char order = ARENA_ORDER_HUGE;

	/* A 2 MiB piece without a page fault is part of a larger page, which the fault of an
	 * earlier piece brought in. */
	while (asked > 1 && (piece >> order) < (uint64_t)asked && (UINT64_C(1) << order) > page)
		order--;
	return order;
}

/* Gives one more 2 MiB piece of the working sets' memory its pages. If memory runs out,
 * MADV_POPULATE_WRITE returns an error, but touching a page would end the process. Linux kernels
 * before 5.14 lack MADV_POPULATE_WRITE. The pages are touched in any case: a guest's kernel that
 * knows that a free page is zero does not write it, so the host gives the page its memory only at
 * the first access, which took 10 us in a virtual machine of Firecracker. */
static struct status get_piece(struct arena *arena, uint64_t need, uint64_t page)
{
	unsigned char *memory = arena->memory + arena->touched;
	long before = faults(), asked;

	if (madvise(memory, piece, MADV_POPULATE_WRITE) != 0 &&
		(errno == ENOMEM || errno == EHWPOISON || errno == EFAULT))
		return refused(need, errno == EHWPOISON ? errno : ENOMEM);
	touch(memory, page);
	asked = faults() - before;
	/* If even the first piece shows no page fault, the system does not count page faults: the
	 * page size is unknown. */
	if (asked == 0 && (arena->touched == 0 || arena->order[arena->touched / piece - 1] == 0))
		arena->order[arena->touched / piece] = 0;
	else
		arena->order[arena->touched / piece] = order_of(asked, page);
	arena->touched += piece;
	return status_ok();
}

struct status arena_need(struct arena *arena, uint64_t bytes, uint64_t limit,
	const struct arena_place *place, const atomic_bool *cancel, bool *kept)
{
	uint64_t need = round_up(bytes, piece), page = (uint64_t)sysconf(_SC_PAGESIZE);
	atomic_uint *progress = arena->progress;
	struct status status = status_ok();

	*kept = true;
	if (need > arena->reserved) {
		*kept = arena->touched == 0;
		arena_free(arena);
		status = begin_anew(arena, need, limit, place->small);
		arena->progress = progress;
		if (!status_is_ok(&status))
			return status;
	}
	if (need <= arena->touched)
		return status;
	arena->bound = topology_bind_memory(place->topology, place->node,
		arena->memory + arena->touched, need - arena->touched);
	while (arena->touched < need && status_is_ok(&status)) {
		if (atomic_load(cancel))
			return status_make(
				STATUS_CANCELLED, "stopped while memory was being allocated");
		status = get_piece(arena, need, page);
		if (progress)
			atomic_store_explicit(progress, (unsigned)(arena->touched * 1000 / need),
				memory_order_relaxed);
	}
	return status;
}

void arena_trim(struct arena *arena, uint64_t bytes)
{
	uint64_t keep = round_up(bytes, piece);

	if (arena->touched <= keep)
		return;
	(void)madvise(arena->memory + keep, arena->touched - keep, MADV_DONTNEED);
	arena->touched = keep;
}

void arena_tighten(struct arena *arena)
{
	if (arena->touched == 0) {
		arena_free(arena);
		return;
	}
	if (arena->touched < arena->reserved)
		munmap(arena->memory + arena->touched, arena->reserved - arena->touched);
	arena->reserved = arena->touched;
}

static bool is_limited(int resource)
{
	struct rlimit limit;

	return getrlimit(resource, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY;
}

bool arena_addresses_limited(void)
{
	return is_limited(RLIMIT_AS) || is_limited(RLIMIT_DATA);
}

/* Returns the page size of a range of memory in words: "unknown", "huge", "mixed", or a size such
 * as "4k". */
static const char *name_pages(
	const unsigned char *orders, uint64_t pieces, uint64_t huge, struct units_text *small)
{
	unsigned least = 255, most = 0;

	for (uint64_t i = 0; i < pieces; i++) {
		least = orders[i] < least ? orders[i] : least;
		most = orders[i] > most ? orders[i] : most;
	}
	if (pieces == 0 || least == 0)
		return "unknown";
	if (huge * 10 >= pieces * 9)
		return "huge";
	*small = units_size((int64_t)1 << most);
	return least == most ? small->text : "mixed";
}

static void describe_pages(const struct arena *arena, uint64_t from, uint64_t bytes,
	enum page_kind asked, const char *huge_note, struct run_facts *facts)
{
	const unsigned char *orders = arena->order + from / piece;
	uint64_t pieces = round_up(from + bytes, piece) / piece - from / piece, huge = 0;
	int64_t page = sysconf(_SC_PAGESIZE);
	char *note = facts->pages_note;
	const size_t size = sizeof(facts->pages_note);
	struct units_text small, got, wanted;

	for (uint64_t i = 0; i < pieces; i++)
		huge += orders[i] == ARENA_ORDER_HUGE;
	got = units_size_long((int64_t)(huge * piece));
	wanted = units_size_long((int64_t)(pieces * piece));
	snprintf(facts->pages, sizeof(facts->pages), "%.15s",
		name_pages(orders, pieces, huge, &small));
	note[0] = '\0';
	if (asked == PAGES_4K && page != 4096)
		snprintf(note, size, "the smallest pages of this system are %s",
			units_size_long(page).text);
	else if (asked != PAGES_HUGE || (huge == pieces && pieces > 0))
		return;
	else if (*huge_note)
		snprintf(note, size, "%s", huge_note);
	else if (strcmp(facts->pages, "unknown") == 0)
		snprintf(note, size, "the system does not report page sizes");
	else if (huge == 0)
		snprintf(note, size, "the system granted none of %s", wanted.text);
	else
		snprintf(note, size, "the system granted only %s of %s", got.text, wanted.text);
}

void arena_tell(const struct arena *arena, uint64_t from, uint64_t bytes,
	const struct arena_place *place, enum page_kind asked, const char *huge_note,
	struct run_facts *facts)
{
	int node = topology_memory_node(place->topology, arena->memory + from, bytes);
	char *note = facts->node_note;
	const size_t size = sizeof(facts->node_note);

	describe_pages(arena, from, bytes, asked, huge_note, facts);
	facts->nodes = topology_nodes(place->topology);
	facts->node = node == NODE_SEVERAL ? -1 : node;
	note[0] = '\0';
	if (!status_is_ok(&arena->bound))
		snprintf(note, size, "%.90s", arena->bound.text);
	else if (node == NODE_SEVERAL)
		snprintf(note, size, "node %d has too little free memory: it is on several nodes",
			place->node);
	else if (place->node >= 0 && node >= 0 && node != place->node)
		snprintf(note, size, "node %d has too little free memory: it is on node %d",
			place->node, node);
}

void arena_free(struct arena *arena)
{
	if (arena->memory)
		munmap(arena->memory, arena->reserved);
	free(arena->order);
	*arena = (struct arena){ 0 };
}
