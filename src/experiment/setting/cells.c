#include "experiment/setting/cells.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "model/counts/counts.h"

/* Open addressing, at most half full; cells are allocated one by one, so that their addresses stay.
 */
struct cells {
	struct cell **slots;
	size_t slot_count; /* a power of two */
	size_t count;
};

enum { SLOTS_INITIAL = 256 };

struct cells *cells_new(void)
{
	struct cells *cells = memory_new(1, sizeof(*cells));

	cells->slot_count = SLOTS_INITIAL;
	cells->slots = memory_new(cells->slot_count, sizeof(*cells->slots));
	return cells;
}

void cells_clear(struct cells *cells)
{
	for (size_t i = 0; i < cells->slot_count; i++) {
		if (!cells->slots[i])
			continue;
		free(cells->slots[i]->trials);
		free(cells->slots[i]->counts);
		free(cells->slots[i]);
		cells->slots[i] = NULL;
	}
	cells->count = 0;
}

void cells_free(struct cells *cells)
{
	if (!cells)
		return;
	cells_clear(cells);
	free(cells->slots);
	free(cells);
}

size_t cells_count(const struct cells *cells)
{
	return cells->count;
}

/* FNV-1a over the kernel and its values, word by word, with a final mix for the low bits. */
static size_t setting_hash(const struct setting *setting)
{
	uint64_t hash = 0xcbf29ce484222325u ^ (uint64_t)(uintptr_t)setting->kernel;

	for (int i = 0; i < setting->kernel->knob_count; i++)
		hash = (hash ^ (uint64_t)setting->v[i]) * 0x100000001b3u;
	hash ^= hash >> 32;
	hash *= 0x9e3779b97f4a7c15u;
	return (size_t)(hash ^ (hash >> 29));
}

/* The slot that holds the setting, or the free one where it belongs. */
static struct cell **find_slot(
	struct cell **slots, size_t slot_count, const struct setting *setting)
{
	size_t at = setting_hash(setting) & (slot_count - 1);

	while (slots[at] && !setting_equal(&slots[at]->setting, setting))
		at = (at + 1) & (slot_count - 1);
	return &slots[at];
}

static void cells_grow(struct cells *cells)
{
	size_t wider = cells->slot_count * 2;
	struct cell **slots = memory_new(wider, sizeof(*slots));

	for (size_t i = 0; i < cells->slot_count; i++)
		if (cells->slots[i])
			*find_slot(slots, wider, &cells->slots[i]->setting) = cells->slots[i];
	free(cells->slots);
	cells->slots = slots;
	cells->slot_count = wider;
}

struct cell *cells_get(struct cells *cells, const struct setting *setting, bool make)
{
	struct cell **slot = find_slot(cells->slots, cells->slot_count, setting);

	if (*slot || !make)
		return *slot;
	if (2 * (cells->count + 1) > cells->slot_count) {
		cells_grow(cells);
		slot = find_slot(cells->slots, cells->slot_count, setting);
	}
	*slot = memory_new(1, sizeof(**slot));
	(*slot)->setting = *setting;
	cells->count++;
	return *slot;
}

/* Of trials that last long themselves no more than so many seconds are worth their time. */
#define SECONDS_MOST 2.0

/* A precision at which fewer trials do. */
#define PRECISE 0.001

static bool is_precise(const struct cell *cell, unsigned quiet_wanted, double precision)
{
	double reached = sample_precision(&cell->sample);

	return (cell->sample.trials >= QUIET_ENOUGH && reached <= PRECISE) ||
	       (trials_quiet(cell->trials) >= quiet_wanted && reached <= precision);
}

void cell_visit(struct cell *cell, const struct result *result, unsigned quiet_wanted,
	double precision, unsigned max_visits)
{
	if (!result->final)
		return;
	if (result->status.code != STATUS_OK && result->status.code != STATUS_CANCELLED) {
		cell->failure = result->status;
		cell->settled = true;
		return;
	}
	cell_count(cell, result);
	if (result->trials.count) {
		if (!cell->trials)
			cell->trials = memory_new(1, sizeof(*cell->trials));
		/* Cycles of one clock are not mixed with another's. */
		if (cell->facts.cycles_from != result->facts.cycles_from)
			cell->trials->count = 0;
		trials_append(cell->trials, &result->trials);
		facts_renew(&cell->facts, &result->facts, cell->visits);
		sample_summarise(cell->trials, &cell->facts, &cell->sample);
	}
	if (cell->sample.valid && !cell->sample.contended && !cell->sample.unsettled &&
		cell->trials && is_precise(cell, quiet_wanted, precision))
		cell->settled = true;
	if (cell->sample.valid && cell->sample.seconds >= SECONDS_MOST)
		cell->settled = true;
	if (result->status.code == STATUS_CANCELLED)
		return;
	cell->visits++;
	if (cell->visits < max_visits || cell->settled)
		return;
	cell->settled = true;
	if (!cell->sample.valid)
		cell->failure = status_make(
			STATUS_FAILED, "no undisturbed trial in %u visits", cell->visits);
}

void cell_count(struct cell *cell, const struct result *result)
{
	if (!result->final || result->status.code != STATUS_OK || result->counts.count == 0)
		return;
	if (!cell->counts)
		cell->counts = memory_new(1, sizeof(*cell->counts));
	counts_renew(cell->counts, &result->counts);
}

void cell_compact(struct cell *cell)
{
	if (!cell->settled)
		return;
	free(cell->trials);
	cell->trials = NULL;
}
