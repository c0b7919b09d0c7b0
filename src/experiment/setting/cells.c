#include "experiment/setting/cells.h"

#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "base/units.h"
#include "kernels/knob_rows.h"
#include "model/counts/counts.h"

/* ---- the index ---- */

/* The index that finds a setting is a hash table with open addressing, at most half full. */
enum { SLOTS_INITIAL = 64 };

static uint64_t hash(const struct setting *setting)
{
	uint64_t hash = (uint64_t)(uintptr_t)setting->kernel;

	for (int i = 0; i < setting->kernel->knob_count; i++) {
		hash = (hash ^ (uint64_t)setting->v[i]) * 0x9e3779b97f4a7c15u;
		hash ^= hash >> 29;
	}
	return hash;
}

static int *find_slot(const struct setting_index *index, const struct setting *setting)
{
	uint64_t at = hash(setting);

	for (;; at++) {
		int *slot = &index->slot[at & (uint64_t)(index->slot_count - 1)];

		if (!*slot || setting_equal(&index->setting[*slot - 1], setting))
			return slot;
	}
}

int setting_index_find(const struct setting_index *index, const struct setting *setting)
{
	return index->slot_count ? *find_slot(index, setting) - 1 : -1;
}

static void grow(struct setting_index *index)
{
	free(index->slot);
	index->slot_count = index->slot_count ? 2 * index->slot_count : SLOTS_INITIAL;
	index->slot = memory_new((size_t)index->slot_count, sizeof(*index->slot));
	for (int i = 0; i < index->count; i++)
		*find_slot(index, &index->setting[i]) = i + 1;
}

int setting_index_add(struct setting_index *index, const struct setting *setting)
{
	int found = setting_index_find(index, setting);

	if (found >= 0)
		return found;
	if (2 * (index->count + 1) > index->slot_count)
		grow(index);
	index->setting = memory_grow(index->setting, (size_t)index->count, sizeof(*index->setting));
	index->setting[index->count] = *setting;
	*find_slot(index, setting) = index->count + 1;
	return index->count++;
}

void setting_index_free(struct setting_index *index)
{
	free(index->setting);
	free(index->slot);
	memset(index, 0, sizeof(*index));
}

/* ---- the table ---- */

/* Each cell (a setting with its trials) is allocated separately, so that its address does not
 * change when the table grows. */
struct cells {
	struct setting_index index;
	struct cell **cell; /* the cells (measured settings), in the order of the index */
};

struct cells *cells_new(void)
{
	return memory_new(1, sizeof(struct cells));
}

void cells_clear(struct cells *cells)
{
	for (int i = 0; i < cells->index.count; i++) {
		free(cells->cell[i]->trials);
		free(cells->cell[i]->counts);
		free(cells->cell[i]);
	}
	setting_index_free(&cells->index);
}

void cells_free(struct cells *cells)
{
	if (!cells)
		return;
	cells_clear(cells);
	free(cells->cell);
	free(cells);
}

size_t cells_count(const struct cells *cells)
{
	return (size_t)cells->index.count;
}

struct cell *cells_get(struct cells *cells, const struct setting *setting, bool make)
{
	int number = setting_index_find(&cells->index, setting);

	if (number >= 0 || !make)
		return number >= 0 ? cells->cell[number] : NULL;
	number = setting_index_add(&cells->index, setting);
	cells->cell = memory_grow(cells->cell, (size_t)number, sizeof(struct cell *));
	cells->cell[number] = memory_new(1, sizeof(struct cell));
	cells->cell[number]->setting = *setting;
	return cells->cell[number];
}

/* ---- one cell ---- */

/* A cell (a measured setting) needs no more trials after trials of SECONDS_MOST seconds. Without
 * this limit, slow kernels, such as a complete matrix product, would need too much time. */
#define SECONDS_MOST 2.0

/* A cell (a measured setting) needs no more trials after QUIET_ENOUGH quiet trials, if its relative
 * precision is PRECISE. */
#define PRECISE 0.001

/* Bytes of a set of trials with `count` trials. A full set takes 24 KB, most cells need a quarter.
 */
static size_t bytes_of(unsigned count)
{
	return offsetof(struct trials, trial) + count * sizeof(struct trial);
}

/* Adds trials to a set that has memory only for its own trials; `kept` may be NULL. Returns the
 * set, at a new address. */
static struct trials *add_trials(struct trials *kept, const struct trials *more)
{
	struct trials all;

	if (kept)
		memcpy(&all, kept, bytes_of(kept->count));
	else
		memset(&all, 0, bytes_of(0));
	trials_append(&all, more);
	free(kept);
	kept = memory_new(1, bytes_of(all.count));
	memcpy(kept, &all, bytes_of(all.count));
	return kept;
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
		/* A cell (a measured setting) does not mix trials whose cycles come from different
		 * sources (counter or clock). */
		if (cell->trials && cell->facts.cycles_from != result->facts.cycles_from)
			cell->trials->count = 0;
		cell->trials = add_trials(cell->trials, &result->trials);
		facts_renew(&cell->facts, &result->facts, cell->visits);
		sample_summarise(cell->trials, &cell->facts, &cell->sample);
	}
	if (cell->sample.valid && !cell->sample.contended && !cell->sample.unsettled &&
		cell->trials) {
		double reached = sample_precision(&cell->sample);

		cell->settled |= cell->sample.trials >= QUIET_ENOUGH && reached <= PRECISE;
		cell->settled |= trials_quiet(cell->trials) >= quiet_wanted && reached <= precision;
	}
	if (cell->sample.valid && cell->sample.seconds >= SECONDS_MOST)
		cell->settled = true;
	if (result->status.code == STATUS_CANCELLED)
		return;
	cell->visits++;
	if (cell->visits < max_visits || cell->settled)
		return;
	cell->settled = true;
	if (!cell->sample.valid)
		cell->failure =
			status_failed("every trial in %u measurements was disturbed", cell->visits);
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

/* ---- words ---- */

static void others_words(
	const struct run_facts *facts, const struct sample *sample, struct text *words)
{
	if (facts->cores > 1 && facts->streams == 0 && sample->total_gbps > 0) {
		text_addf(words, "all %d cores %s GB/s", facts->cores,
			units_value(sample->total_gbps).text);
		return;
	}
	if (facts->cores > 1)
		text_addf(words, "%d cores%s", facts->cores,
			facts->streams > 0 ? ", "
			: isnan(facts->others_gbps)
				? ": the bandwidth of all cores is unavailable, because some did "
				  "not run during the trial"
				: "");
	if (facts->streams > 0)
		text_addf(words, "%d stream%s", facts->streams, facts->streams == 1 ? "" : "s");
	/* If several cores run the kernel and further cores stream, a single bandwidth is shown for
	 * all cores but the measured one. */
	if (facts->streams > 0 && facts->others_gbps > 0 && isfinite(facts->others_gbps))
		text_addf(words, "%s %s GB/s", facts->cores > 1 ? ": the others" : "",
			units_value(facts->others_gbps).text);
}

struct placed placed_words(const struct run_facts *facts, const struct sample *sample)
{
	struct placed placed = { .others = "" };
	struct text others = { 0 };

	others_words(facts, sample, &others);
	snprintf(placed.others, sizeof(placed.others), "%s", text_string(&others));
	text_free(&others);
	if (facts->pages_note[0] && facts->asked > PAGES_AUTO && facts->asked < PAGE_KINDS)
		snprintf(placed.pages, sizeof(placed.pages), "%s asked, %s got: %s",
			knob_pages[facts->asked], facts->pages, facts->pages_note);
	if (facts->node_note[0])
		memcpy(placed.node, facts->node_note, sizeof(placed.node));
	else if (facts->nodes > 1 && facts->node >= 0)
		snprintf(placed.node, sizeof(placed.node), "node %d", facts->node);
	return placed;
}
