#include "engine/memory/working_sets.h"

#include <string.h>

#include "base/units.h"
#include "kernels/knob_rows.h"

/* A slot (memory of one kind) that holds more than `spare` unneeded bytes for `spare_seconds` is
 * trimmed. Other programs may need the unneeded memory. Trimming later avoids that the same pages
 * must soon be touched again. */
static const uint64_t spare = 256 << 20;
static const double spare_seconds = 10;

/* Only working sets of at most `move_most` bytes change their position within the laid-out data. In
 * a larger working set, the effects of its many pages on the time average out. A working set moves
 * in steps of `move_step` bytes, the size of a huge page. */
static const uint64_t move_most = 16 << 20, move_step = 2 << 20;

uint64_t working_sets_held(const struct working_sets *sets)
{
	uint64_t held = 0;

	for (int i = 0; i < WORKING_SETS_MAX; i++)
		held += sets->slot[i].arena.touched;
	return held;
}

static void slot_free(struct slot *slot)
{
	arena_free(&slot->arena);
	*slot = (struct slot){ 0 };
}

/* Frees the pages of a slot (memory for a working set) beyond `bytes`. The data in the freed pages
 * are lost. */
static void slot_trim(struct slot *slot, uint64_t bytes)
{
	arena_trim(&slot->arena, bytes);
	if (slot->offset + slot->prepared > slot->arena.touched)
		slot->prepared = slot->kernel->layout_nests && slot->arena.touched > slot->offset
					 ? slot->arena.touched - slot->offset
					 : 0;
}

/* Returns the least recently used slot (memory for a working set) other than `keep`; NULL: all
 * slots other than `keep` are empty. */
static struct slot *oldest(struct working_sets *sets, const struct slot *keep)
{
	struct slot *found = NULL;

	for (int i = 0; i < WORKING_SETS_MAX; i++) {
		struct slot *slot = &sets->slot[i];

		if (slot != keep && slot->turn > 0 && (!found || slot->turn < found->turn))
			found = slot;
	}
	return found;
}

/* Returns the slot (memory for a working set) with the kind of memory that `place` gives: page size
 * and node. If no slot has this kind of memory, the result is an empty slot; if no slot is empty,
 * the oldest slot is emptied. */
static struct slot *find(
	struct working_sets *sets, const struct arena_place *place, bool background)
{
	struct slot *empty = NULL;

	for (int i = 0; i < WORKING_SETS_MAX; i++) {
		struct slot *slot = &sets->slot[i];

		if (slot->turn == 0)
			empty = empty ? empty : slot;
		else if (slot->background == background && slot->place.small == place->small &&
			 slot->place.node == place->node)
			return slot;
	}
	if (!empty) {
		empty = oldest(sets, NULL);
		slot_free(empty);
	}
	empty->place = *place;
	empty->background = background;
	return empty;
}

/* Frees the least recently used slots other than `keep`, until all slots hold at most `limit`
 * bytes.
 */
static void free_others(struct working_sets *sets, const struct slot *keep, uint64_t limit)
{
	struct slot *slot;

	while (working_sets_held(sets) > limit && (slot = oldest(sets, keep)) != NULL)
		slot_free(slot);
}

/* Makes room for the bytes that a slot (memory for a working set) needs. To make room, frees the
 * slot's own pages beyond the need first, then other slots. */
static void make_room(struct working_sets *sets, struct slot *slot, uint64_t need, uint64_t limit)
{
	uint64_t more = need > slot->arena.touched ? need - slot->arena.touched : 0;

	if (slot->arena.touched > need && working_sets_held(sets) > limit)
		slot_trim(slot, need);
	free_others(sets, slot, limit > more ? limit - more : 0);
}

void working_sets_shrink(struct working_sets *sets, uint64_t limit)
{
	free_others(sets, NULL, limit);
}

/* Frees unneeded memory of slots that have held much of it for a while. */
static void give_back(struct working_sets *sets, const struct slot *slot, uint64_t need, double now)
{
	for (int i = 0; i < WORKING_SETS_MAX; i++) {
		struct slot *other = &sets->slot[i];
		uint64_t wanted = other == slot ? need : 0;

		if (other->arena.touched <= wanted + spare)
			other->filled = other == slot ? now : other->filled;
		else if (now - other->filled > spare_seconds)
			slot_trim(other, wanted);
	}
}

/* Returns the bytes of address space that a slot (memory for a working set) may reserve for growth.
 * If the process has an address space limit, all slots together reserve at most `limit` bytes. */
static uint64_t address_limit(
	struct working_sets *sets, const struct slot *slot, uint64_t need, uint64_t limit)
{
	if (need <= slot->arena.reserved || !arena_addresses_limited())
		return limit;
	for (int i = 0; i < WORKING_SETS_MAX; i++) {
		struct arena *arena = &sets->slot[i].arena;

		if (arena == &slot->arena)
			continue;
		arena_tighten(arena);
		limit -= arena->reserved < limit ? arena->reserved : limit;
	}
	return limit;
}

static struct status get_memory(struct working_sets *sets, struct slot *slot,
	const struct working_set_request *request, uint64_t need, const atomic_bool *cancel)
{
	struct slot *other;
	struct status status;
	bool kept;

	for (;;) {
		slot->arena.progress = request->progress ? &request->progress->share : NULL;
		status = arena_need(&slot->arena, need,
			address_limit(sets, slot, need, request->limit), &slot->place, cancel,
			&kept);
		if (!kept)
			slot->prepared = 0;
		/* The system refused memory that our limit allows. Free the memory of the least
		 * recently used other slot and try again. */
		if (status.code != STATUS_FAILED || !(other = oldest(sets, slot)))
			return status;
		slot_free(other);
	}
}

unsigned placements_of(uint64_t footprint, uint64_t near)
{
	return footprint <= near || footprint > move_most ? 1 : PLACEMENTS_MAX;
}

uint64_t placement_shift(uint64_t footprint, unsigned place)
{
	return place * round_up(footprint, ARENA_PIECE);
}

/* Moves a laid-out run to the position that its request asks for. */
static void move(
	const struct working_set_request *request, struct kernel_run *run, const struct slot *slot)
{
	uint64_t bytes = kernel_footprint(run->kernel, run->v), steps;

	if (!run->kernel->movable || bytes <= request->near || bytes > move_most ||
		slot->prepared < bytes + move_step)
		return;
	steps = (slot->prepared - bytes) / move_step;
	run->layout.base =
		(uint64_t)(request->place * (double)(steps + 1)) % (steps + 1) * move_step;
	run->memory += run->layout.base;
}

struct status working_sets_lay(struct working_sets *sets, const struct working_set_request *request,
	const atomic_bool *cancel, struct kernel_run *run, struct slot **used)
{
	const struct kernel *kernel = request->kernel;
	int64_t node = kernel_asked(kernel, request->v, ASKS_NODE);
	uint64_t need = round_up(kernel_footprint(kernel, request->v), ARENA_PIECE),
		 layout = kernel_layout(kernel, request->v);
	struct arena_place place = { .topology = sets->topology,
		.small = kernel_asked(kernel, request->v, ASKS_PAGES) == PAGES_4K };
	uint64_t offset;
	struct status status = status_ok();
	struct slot *slot;

	if (node > 0)
		status = topology_check_node(sets->topology, (int)node - 1);
	if (!status_is_ok(&status))
		return status;
	place.node = node > 0 ? (int)node - 1 : topology_node_of(sets->topology, sets->cpu);
	offset = need + request->shift > request->limit ? 0 : request->shift;
	need += offset;
	slot = find(sets, &place, request->background && !kernel->layout_nests);
	slot->turn = ++sets->turn;
	*used = slot;
	for (int i = 0; request->alone && i < WORKING_SETS_MAX; i++)
		if (&sets->slot[i] != slot)
			slot_free(&sets->slot[i]);
	give_back(sets, slot, need, request->now);
	make_room(sets, slot, need, request->limit);
	progress_begin(request->progress, STAGE_MEMORY, 0, 0);
	status = get_memory(sets, slot, request, need, cancel);
	if (!status_is_ok(&status))
		return status;

	if (slot->kernel != kernel || slot->layout != layout || slot->seed != request->seed ||
		slot->offset != offset)
		slot->prepared = 0;
	slot->offset = offset;
	slot->kernel = kernel;
	slot->layout = layout;
	slot->seed = request->seed;
	*run = (struct kernel_run){
		.kernel = kernel,
		.memory = slot->arena.memory + offset,
		.layout.prepared = slot->prepared,
		.seed = request->seed,
		.work.cancel = cancel,
		.work.progress = request->progress ? &request->progress->share : NULL,
	};
	memcpy(run->v, request->v, sizeof(run->v));
	progress_begin(request->progress, STAGE_LAYING, 0, 0);
	status = code_buffer_prepare(&sets->room, run);
	/* If laying out data failed, keep only the data that the kernel reports as laid out. */
	if (run->layout.laid_out > 0 || !status_is_ok(&status))
		slot->prepared = run->layout.laid_out;
	if (status_is_ok(&status))
		move(request, run, slot);
	if (status_is_ok(&status))
		status = kernel_verify(run);
	return status;
}

void working_sets_free(struct working_sets *sets)
{
	for (int i = 0; i < WORKING_SETS_MAX; i++)
		slot_free(&sets->slot[i]);
	code_buffer_free(&sets->room);
	sets->turn = 0;
}
