/* Holds the contents of a recording in memory, answers as an engine, and moves between the recorded
 * settings. */
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/text.h"
#include "recording/replay_records.h"

/* ---- Reading and freeing */

void reading_leave_out(struct reading *reading, enum left_out_kind kind, const char *format, ...)
{
	struct left_out *left_out = &reading->left_out[kind];
	va_list arguments;

	if (left_out->count++ > 0)
		return;
	left_out->line = reading->line;
	va_start(arguments, format);
	vsnprintf(left_out->why, sizeof(left_out->why), format, arguments);
	va_end(arguments);
}

void explained_free(struct explained *explained)
{
	if (!explained || --explained->users > 0)
		return;
	free(explained->run);
	free(explained);
}

void replay_free(struct replay *replay)
{
	if (!replay)
		return;
	for (int i = 0; i < replay->settings.count; i++) {
		free(replay->played[i].trial);
		free(replay->played[i].counts);
		explained_free(replay->played[i].explained);
		free(replay->played[i].slack);
		free(replay->played[i].cost);
		free(replay->played[i].why);
	}
	free(replay->played);
	setting_index_free(&replay->settings);
	text_free(&replay->notes);
	if (replay->event >= 0)
		close(replay->event);
	free(replay->path);
	free(replay);
}

/* ---- contents ---- */

struct replay_summary replay_summary(const struct replay *replay)
{
	return (struct replay_summary){
		.name = replay->name,
		.path = replay->path,
		.place = &replay->place,
		.machine = &replay->machine,
		.core = replay->has_core ? &replay->core : NULL,
		.events = replay->has_events ? &replay->events : NULL,
		.notes = text_string(&replay->notes),
		.count = replay->settings.count,
		.last_id = replay->last_id,
	};
}

struct replay_entry replay_entry(const struct replay *replay, int index)
{
	const struct played *played = &replay->played[index];
	const struct explained *explained = played->explained;
	struct replay_entry entry = {
		.setting = &replay->settings.setting[index],
		.id = played->id,
		.trials = played->in_file,
		.limits_known = explained ? 0 : -1,
	};

	for (int i = 0; played->counts && i < played->counts->count; i++)
		entry.counted += count_known(&played->counts->event[i]);
	for (int i = 0; explained && i < explained->whole.limits.limit_count; i++)
		entry.limits_known += explained->whole.limits.limit[i].known;
	return entry;
}

int replay_find(const struct replay *replay, const struct setting *setting)
{
	return setting_index_find(&replay->settings, setting);
}

static void copy_trials(const struct played *played, struct trials *trials)
{
	trials->count = played->count;
	memcpy(trials->forgotten, played->forgotten, sizeof(trials->forgotten));
	memcpy(trials->trial, played->trial, played->count * sizeof(trials->trial[0]));
}

const struct cost_report *replay_cost(const struct replay *replay, int index)
{
	return index >= 0 ? replay->played[index].cost : NULL;
}

const struct slack_report *replay_slack(const struct replay *replay, int index)
{
	return index >= 0 ? replay->played[index].slack : NULL;
}

const struct why_report *replay_why(const struct replay *replay, int index)
{
	return index >= 0 ? replay->played[index].why : NULL;
}

void replay_sample(const struct replay *replay, int index, struct sample *sample)
{
	struct trials trials;

	copy_trials(&replay->played[index], &trials);
	sample_summarise(&trials, &replay->played[index].facts, sample);
}

/* ---- engine ---- */

static struct setting setting_of(const struct kernel *kernel, const int64_t *v)
{
	struct setting setting = { .kernel = kernel };

	memcpy(setting.v, v, sizeof(setting.v));
	return setting;
}

static void submit(void *context, const struct request *request)
{
	struct replay *replay = context;

	replay->request = *request;
	replay->pending = true;
	/* Makes the descriptor readable. If write() to the eventfd of answers fails, the descriptor
	 * is already readable. */
	(void)!write(replay->event, &(uint64_t){ 1 }, sizeof(uint64_t));
}

static void cancel(void *context)
{
	struct replay *replay = context;
	uint64_t count;

	replay->pending = false;
	(void)!read(replay->event, &count, sizeof(count));
}

static bool take(void *context, struct result *result)
{
	struct replay *replay = context;
	const struct request *request = &replay->request;
	struct setting setting;
	int index;

	if (!replay->pending)
		return false;
	cancel(replay);
	setting = setting_of(request->kernel, request->v);
	index = replay_find(replay, &setting);
	memset(result, 0, sizeof(*result));
	result->generation = request->generation;
	result->tag = request->tag;
	result->kernel = request->kernel;
	memcpy(result->v, request->v, sizeof(result->v));
	result->final = true;
	if (index < 0) {
		result->status = status_failed("this setting was not recorded");
	} else {
		const struct played *played = &replay->played[index];

		copy_trials(played, &result->trials);
		result->facts = played->facts;
		/* The plan of events in the request has the recorded events in the same order. */
		if (request->plan.id && played->counts) {
			result->counts = *played->counts;
			result->counts.id = request->plan.id;
			if (result->counts.count > request->plan.count)
				result->counts.count = request->plan.count;
		}
	}
	return true;
}

static bool holds(void *context, const struct kernel *kernel, const int64_t *v)
{
	struct setting setting = setting_of(kernel, v);

	return replay_find(context, &setting) >= 0;
}

struct engine replay_engine(struct replay *replay)
{
	return (struct engine){ .context = replay,
		.submit = submit,
		.cancel = cancel,
		.take = take,
		.descriptor = replay->event,
		.machine = &replay->machine,
		.holds = holds };
}

/* The functions below move between the settings of a recording. Functions that move between
 * settings have no side effects. */

/* Whether a setting has recorded limits. In the recording of a session, points of its curves have
 * none. */
static bool is_explained(const struct replay *replay, int index)
{
	return replay_entry(replay, index).limits_known >= 0;
}

bool replay_first(const struct replay *replay, const struct kernel *kernel, struct setting *setting)
{
	struct setting initial;
	int index;

	setting_init(&initial, kernel);
	index = replay_find(replay, &initial);
	for (int bare = 0; bare < 2 && index < 0; bare++)
		for (int i = 0; i < replay->settings.count && index < 0; i++)
			if (replay->settings.setting[i].kernel == kernel &&
				(bare || is_explained(replay, i)))
				index = i;
	if (index >= 0)
		*setting = replay->settings.setting[index];
	return index >= 0;
}

/* Whether the values of a setting are lower than those of another setting of the kernel. */
static bool is_lower(const struct setting *setting, const struct setting *other)
{
	int knob = 0;

	while (knob < setting->kernel->knob_count && setting->v[knob] == other->v[knob])
		knob++;
	return knob < setting->kernel->knob_count && setting->v[knob] < other->v[knob];
}

struct setting replay_begin(const struct replay *replay)
{
	struct setting initial, lowest = replay->settings.setting[0];
	bool explained = is_explained(replay, 0);

	if (replay->format == 1)
		return lowest;
	if (replay->place.visited) {
		int first = 0;

		while (first < replay->settings.count && !is_explained(replay, first))
			first++;
		return replay->settings.setting[first < replay->settings.count ? first : 0];
	}
	setting_init(&initial, lowest.kernel);
	if (replay_find(replay, &initial) >= 0)
		return initial;
	/* A sweep measures its settings in random order. */
	for (int i = 0; i < replay->settings.count; i++) {
		const struct setting *setting = &replay->settings.setting[i];
		bool better = is_explained(replay, i) && !explained;

		if (setting->kernel != lowest.kernel || (explained && !is_explained(replay, i)) ||
			(!better && !is_lower(setting, &lowest)))
			continue;
		lowest = *setting;
		explained |= better;
	}
	return lowest;
}

static int ascending(const void *a, const void *b)
{
	int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;

	return (x > y) - (x < y);
}

/* Returns the recorded values of a knob in ascending order, each value once. Unless `any` is true,
 * only recorded settings are used in which the other knobs have their present values. The caller
 * frees the values. */
static int64_t *list_values(
	const struct replay *replay, const struct setting *setting, int knob, bool any, int *count)
{
	int64_t *values = memory_new((size_t)replay->settings.count + 1, sizeof(*values));
	int all = 0;

	*count = 0;
	for (int i = 0; i < replay->settings.count; i++) {
		const struct setting *other = &replay->settings.setting[i];
		struct setting same = *setting;

		same.v[knob] = other->v[knob];
		if (any ? other->kernel == setting->kernel : setting_equal(other, &same))
			values[all++] = other->v[knob];
	}
	qsort(values, (size_t)all, sizeof(*values), ascending);
	for (int i = 0; i < all; i++)
		if (*count == 0 || values[i] != values[*count - 1])
			values[(*count)++] = values[i];
	return values;
}

int replay_values(const struct replay *replay, const struct setting *setting, int knob,
	int64_t *values, int room)
{
	int count, taken = 0;
	int64_t *all = list_values(replay, setting, knob, false, &count);

	if (room > count)
		room = count;
	/* The listed values of the knob are spread evenly from the first to the last recorded
	 * value. If the knob's present value was recorded, but is missing in the list, it replaces
	 * the nearest smaller value. */
	for (int i = 0; i < room; i++)
		values[taken++] = all[room > 1 ? (int)((int64_t)i * (count - 1) / (room - 1)) : 0];
	if (taken < count && taken > 0 &&
		bsearch(&setting->v[knob], all, (size_t)count, sizeof(*all), ascending)) {
		int near = taken - 1;

		while (near > 0 && values[near] > setting->v[knob])
			near--;
		values[near] = setting->v[knob];
	}
	free(all);
	return taken;
}

/* Returns how far two values of a knob are apart. For knobs with numbers, the distance of two
 * values is counted in doublings; for named values (choices), it is a constant. */
static double distance(const struct knob *knob, int64_t a, int64_t b)
{
	if (a == b)
		return 0;
	if (knob->kind == KNOB_CHOICE)
		return 4;
	return 0.01 + fabs(log2((double)(a > 0 ? a : 0) + 1) - log2((double)(b > 0 ? b : 0) + 1));
}

/* A function that returns the cost of a move from one setting of a kernel to another setting.
 * INFINITY: the move from one recorded setting to the other is not allowed. */
typedef double move_cost(const struct setting *from, const struct setting *to, unsigned knobs);

/* Moves to the recorded setting of the kernel with the smallest cost. Returns false if no move to
 * another recorded setting is allowed. */
static bool move_cheaply(
	const struct replay *replay, struct setting *setting, move_cost *cost_of, unsigned knobs)
{
	const struct setting *best = NULL;
	double least = INFINITY;

	for (int i = 0; i < replay->settings.count; i++) {
		const struct setting *other = &replay->settings.setting[i];
		double cost = other->kernel == setting->kernel ? cost_of(setting, other, knobs)
							       : INFINITY;

		if (cost >= least)
			continue;
		best = other;
		least = cost;
	}
	if (best)
		*setting = *best;
	return best;
}

/* Returns the cost of a step from one value of a knob to another. `fixed` has a bit for each knob
 * that must not change. The cost of a move between recorded settings is lowest if few other knobs
 * change, and if their values change little. */
static double step_cost(const struct setting *from, const struct setting *to, unsigned fixed)
{
	double cost = 0;

	for (int k = 0; k < from->kernel->knob_count; k++) {
		double apart = distance(&from->kernel->knobs[k], to->v[k], from->v[k]);

		if (apart > 0)
			cost += fixed >> k & 1 ? INFINITY : 1000 + apart;
	}
	return cost;
}

/* Returns the cost of a move to a nearby setting. `asked` has a bit for each knob that counts more
 * than the other knobs. A named value (choice) of a knob in `asked` must not change. */
static double nearest_cost(const struct setting *from, const struct setting *to, unsigned asked)
{
	double cost = 0;

	for (int k = 0; k < from->kernel->knob_count; k++) {
		const struct knob *knob = &from->kernel->knobs[k];
		double apart = distance(knob, to->v[k], from->v[k]);

		if (asked >> k & 1)
			apart *= knob->kind == KNOB_CHOICE && apart > 0 ? INFINITY : 1000;
		cost += apart;
	}
	return cost;
}

/* Moves a knob's value `steps` further in its list of recorded values, or to the last value in this
 * direction. Returns false if the list of recorded values has no further value in this direction.
 */
static bool step_in(const int64_t *values, int count, int64_t *value, int steps)
{
	int ahead = 0, first = 0;

	for (int i = 0; i < count; i++) {
		ahead += steps > 0 ? values[i] > *value : values[i] < *value;
		first += values[i] <= *value;
	}
	if (ahead == 0)
		return false;
	*value = values[steps > 0 ? first + (steps < ahead ? steps : ahead) - 1
				  : ahead - (-steps < ahead ? -steps : ahead)];
	return true;
}

bool replay_step(const struct replay *replay, struct setting *setting, int knob, int steps)
{
	for (int any = 0; any < 2; any++) {
		int count;
		int64_t *values = list_values(replay, setting, knob, any, &count);
		bool there = step_in(values, count, &setting->v[knob], steps);

		free(values);
		if (there)
			return move_cheaply(replay, setting, step_cost, 1u << knob);
	}
	return false;
}

bool replay_nearest(const struct replay *replay, struct setting *setting, unsigned asked)
{
	return move_cheaply(replay, setting, nearest_cost, asked);
}

void replay_range(const struct replay *replay, const struct setting *setting, int knob, char *all,
	size_t size, char *ends, size_t ends_size)
{
	/* Largest number of recorded knob values that fit in a line of a message. */
	enum { SHOWN = 12 };
	int count;
	int64_t *values = list_values(replay, setting, knob, true, &count);
	const struct knob *shown = &setting->kernel->knobs[knob];
	struct text text = { 0 };

	for (int i = 0; i < count; i++) {
		bool skips = count > SHOWN && i == SHOWN - 2;

		if (skips)
			i = count - 1;
		text_addf(&text, "%s%s",
			i == 0	? ""
			: skips ? " … "
				: ", ",
			setting_shown(shown, values[i]).text);
	}
	snprintf(all, size, "%s", text_string(&text));
	text_cut_clean(all, size);
	text_free(&text);
	if (ends && count > 0) {
		snprintf(ends, ends_size, "%s%s%s", setting_shown(shown, values[0]).text,
			count > 1 ? "…" : "",
			count > 1 ? setting_shown(shown, values[count - 1]).text : "");
		text_cut_clean(ends, ends_size);
	}
	free(values);
}
