#include "picture/chart_sweep.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "picture/chart_sweep_state.h"

const char *const chart_look_names[] = { "auto", "lines", "heat", "relief", NULL };
_Static_assert(
	sizeof(chart_look_names) / sizeof(chart_look_names[0]) == LOOKS + 1, "a name for each");

/* A grid has at least so many values either way, a landscape by itself so many. */
enum { GRID_LEAST = 2, RELIEF_LEAST = 4, GRID_MOST = 64, VALUES_MOST = 4096 };

static int by_value(const void *a, const void *b)
{
	int64_t one = *(const int64_t *)a, other = *(const int64_t *)b;

	return one < other ? -1 : one > other;
}

static void copy_axis(const struct sweep_axis *from, struct chart_sweep_axis *axis)
{
	axis->knob = from->knob;
	axis->values = memory_new(from->count, sizeof(*axis->values));
	memcpy(axis->values, from->values, from->count * sizeof(*axis->values));
	qsort(axis->values, from->count, sizeof(*axis->values), by_value);
	axis->count = 0;
	for (size_t i = 0; i < from->count; i++)
		if (axis->count == 0 || axis->values[axis->count - 1] != axis->values[i])
			axis->values[axis->count++] = axis->values[i];
}

const struct knob *chart_sweep_knob(const struct chart_sweep *gathered, int axis)
{
	return &gathered->setting.kernel->knobs[gathered->axis[axis].knob];
}

/* Whether an axis is a better x than another: more values; of numbers rather than choices; sizes
 * before strides before others. */
static bool better(const struct chart_sweep *gathered, int a, int b)
{
	static const int rank[] = { [AXIS_NONE] = 0, [AXIS_SIZE] = 2, [AXIS_STRIDE] = 1 };
	const struct knob *one = chart_sweep_knob(gathered, a),
			  *other = chart_sweep_knob(gathered, b);

	if ((one->kind == KNOB_CHOICE) != (other->kind == KNOB_CHOICE))
		return other->kind == KNOB_CHOICE;
	if (gathered->axis[a].count != gathered->axis[b].count)
		return gathered->axis[a].count > gathered->axis[b].count;
	return rank[one->axis] > rank[other->axis];
}

/* The axis along x: the one that the sweep's name says, or the best. */
static int choose_x(const struct chart_sweep *gathered)
{
	int best = 0;

	for (int i = 0; i < gathered->axis_count; i++)
		if (gathered->axis[i].knob == gathered->named.x)
			return i;
	for (int i = 1; i < gathered->axis_count; i++)
		if (better(gathered, i, best))
			best = i;
	return best;
}

/* Makes an axis the first; the others keep their order. */
static void bring(struct chart_sweep *gathered, int index)
{
	struct chart_sweep_axis kept = gathered->axis[index];

	for (; index > 0; index--)
		gathered->axis[index] = gathered->axis[index - 1];
	gathered->axis[0] = kept;
}

/* The mountain's two knobs, enough of each, and nothing else varies. */
static bool is_mountain(const struct chart_sweep *gathered)
{
	const struct kernel *kernel = gathered->setting.kernel;

	return gathered->axis_count == 2 && !kernel->plot_cpe &&
	       chart_sweep_knob(gathered, 0)->axis != chart_sweep_knob(gathered, 1)->axis &&
	       chart_sweep_knob(gathered, 0)->axis != AXIS_NONE &&
	       chart_sweep_knob(gathered, 1)->axis != AXIS_NONE &&
	       gathered->axis[0].count >= RELIEF_LEAST && gathered->axis[1].count >= RELIEF_LEAST &&
	       gathered->axis[0].count <= GRID_MOST && gathered->axis[1].count <= GRID_MOST;
}

int chart_sweep_lines(const struct chart_sweep *gathered)
{
	int count = 1;

	for (int i = 1; i < gathered->axis_count && count <= VALUES_MOST; i++)
		count *= gathered->axis[i].count;
	return count;
}

static struct status check_look(const struct chart_sweep *gathered)
{
	const struct chart_sweep_axis *axis = gathered->axis;

	if (gathered->look == LOOK_LINES && chart_sweep_lines(gathered) > CHART_SERIES)
		return status_make(STATUS_USAGE,
			"%d lines over %s are too many for a picture, which has %d at most: give "
			"the other knobs "
			"fewer values%s",
			chart_sweep_lines(gathered), chart_sweep_knob(gathered, 0)->name,
			CHART_SERIES, gathered->axis_count == 2 ? ", or take --chart heat" : "");
	if (gathered->look == LOOK_LINES)
		return status_ok();
	if (gathered->axis_count != 2 || axis[0].count < GRID_LEAST || axis[1].count < GRID_LEAST)
		return status_make(STATUS_USAGE,
			"--chart %s wants two knobs with several values each",
			chart_look_names[gathered->look]);
	if (axis[0].count > GRID_MOST || axis[1].count > GRID_MOST)
		return status_make(STATUS_USAGE,
			"--chart %s: %d by %d cells are too many for a picture, which has %d "
			"either way at most",
			chart_look_names[gathered->look], axis[0].count, axis[1].count, GRID_MOST);
	return status_ok();
}

struct status chart_sweep_new(const struct setting *setting, const struct sweep_axis *axes,
	size_t axis_count, const struct named_sweep *named, enum chart_look look,
	struct chart_sweep **result)
{
	struct chart_sweep *gathered = memory_new(1, sizeof(*gathered));
	struct status status;

	gathered->setting = *setting;
	gathered->cells = cells_new();
	gathered->named = (struct named_sweep){ .kernel = setting->kernel, .x = -1, .base = -1 };
	if (named)
		gathered->named = *named;
	for (size_t i = 0; i < axis_count; i++)
		if (axes[i].count > 1 || axis_count == 1)
			copy_axis(&axes[i], &gathered->axis[gathered->axis_count++]);
	*result = NULL;
	if (gathered->axis_count == 0) {
		chart_sweep_free(gathered);
		return status_make(STATUS_USAGE,
			"a picture of a sweep wants a knob with several values, such as %s=*",
			setting->kernel->knob_count ? setting->kernel->knobs[0].name : "");
	}
	bring(gathered, choose_x(gathered));
	gathered->look = look != LOOK_AUTO	 ? look
			 : is_mountain(gathered) ? LOOK_RELIEF
						 : LOOK_LINES;
	/* Sizes go down a grid, strides across, as the explorer has them. */
	if (gathered->look != LOOK_LINES && gathered->axis_count == 2 &&
		(chart_sweep_knob(gathered, 0)->axis == AXIS_SIZE ||
			chart_sweep_knob(gathered, 1)->axis == AXIS_STRIDE))
		bring(gathered, 1);
	status = check_look(gathered);
	if (!status_is_ok(&status)) {
		chart_sweep_free(gathered);
		return status;
	}
	*result = gathered;
	return status;
}

void chart_sweep_free(struct chart_sweep *gathered)
{
	if (!gathered)
		return;
	for (int i = 0; i < gathered->axis_count; i++)
		free(gathered->axis[i].values);
	cells_free(gathered->cells);
	free(gathered);
}

void chart_sweep_add(struct chart_sweep *gathered, const struct cell *cell,
	const struct sample_ratios *sample_ratios)
{
	struct cell *kept;

	if (!status_is_ok(&cell->failure) || !cell->sample.valid)
		return;
	kept = cells_get(gathered->cells, &cell->setting, true);
	kept->sample = cell->sample;
	kept->facts = cell->facts;
	if (sample_ratios)
		kept->sample_ratios = *sample_ratios;
	chart_note(&gathered->source, &cell->sample);
	gathered->moves |= isfinite(cell->sample.gbps);
}

int chart_sweep_count(const struct chart_sweep *gathered)
{
	return (int)cells_count(gathered->cells);
}
