/* Reads the records of a recording that describe its place (header, machine, core, events) and its
 * samples. */
#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "model/counts/counts.h"
#include "recording/fields.h"
#include "recording/records.h"
#include "recording/replay_records.h"
#include "recording/trial_records.h"

struct status reading_header(struct reading *reading, const json_t *object)
{
	struct replay *replay = reading->replay;
	struct machine *machine = &replay->machine;
	struct replay_place *place = &replay->place;
	const struct {
		const char *key;
		char *value;
		size_t size;
	} names[] = { { "host", machine->host, sizeof(machine->host) },
		{ "machine", machine->name, sizeof(machine->name) },
		{ "arch", machine->arch, sizeof(machine->arch) } };
	char program[32], name[128];
	int64_t format;

	record_string(object, "program", program, sizeof(program));
	if (!record_integer(object, "format", 1, INT32_MAX, &format))
		return status_usage(
			"not a recording of slexplore: the first record has no format number");
	if (format > RECORDING_VERSION && !reading->begun)
		return status_usage(
			"made by slexplore %s in format %d: this slexplore reads formats up to %d",
			*program ? program : "?", (int)format, RECORDING_VERSION);
	/* An id is valid only within one run of the recording, so a new header resets the ids. */
	reading->id = reading->explained_id = 0;
	reading->format = (int)format;
	reading_end_run(reading);
	for (int i = 0; i < COUNTERS_MAX; i++)
		reading->event[i] = -1;
	if (reading->begun) {
		/* Records from a later run of the recording program are ignored unless it ran on
		 * the same machine. */
		reading->over = format > RECORDING_VERSION;
		for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
			record_string(object, names[i].key, name, names[i].size);
			reading->over |= strcmp(name, names[i].value) != 0;
		}
		record_string(object, "host", name, sizeof(name));
		if (reading->over)
			text_addf(&replay->notes,
				"%s:%u: from here on the recording is of another machine (%s) or "
				"version, and is ignored\n",
				replay->name, reading->line, name);
		return status_ok();
	}
	reading->begun = true;
	replay->format = (int)format;
	memcpy(place->program, program, sizeof(program));
	record_string(object, "time", place->time, sizeof(place->time));
	place->seed = (uint64_t)record_count(object, "seed", INT64_MAX);
	place->visited = record_flag(object, "visited");
	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
		record_string(object, names[i].key, names[i].value, names[i].size);
	machine->cpu = -1;
	machine->bound = true;
	atomic_store(&machine->known, true);
	return status_ok();
}

void reading_machine(struct reading *reading, const json_t *object)
{
	struct machine *machine = &reading->replay->machine;
	const json_t *caches = json_object_get(object, "caches"), *cache;
	size_t i;

	fields_read(object, machine_fields, machine);
	machine->cache_count = 0;
	json_array_foreach(caches, i, cache)
	{
		double level, bytes, line;

		if (machine->cache_count == MACHINE_CACHES ||
			!record_bounded(json_array_get(cache, 0), 1, 9, &level) ||
			!record_bounded(json_array_get(cache, 1), 1, (double)MOST_BYTES, &bytes) ||
			!record_bounded(json_array_get(cache, 2), 0, 65536, &line))
			break;
		machine->cache[machine->cache_count++] =
			(struct machine_cache){ (int)level, (uint64_t)bytes, (unsigned)line, 0 };
	}
}

const char *reading_core(struct reading *reading, const json_t *object)
{
	struct replay *replay = reading->replay;
	const json_t *ports = json_object_get(object, "ports"), *port;
	int match = record_word(object, "match", recording_matches);
	uint32_t units = record_bits(object, "units", UARCH_PORTS);
	struct core *core = &replay->core;
	size_t i;

	if (replay->has_core)
		return NULL; /* the core model of the first run in the recording is kept, because
				later runs have the same core */
	replay->place.match = match < 0 ? UARCH_NONE : (enum uarch_match)match;
	replay->place.foreign = record_flag(object, "foreign");
	replay->place.nearest = record_flag(object, "nearest");
	record_string(object, "note", replay->place.note, sizeof(replay->place.note));
	if (!record_string(object, "name", core->name, sizeof(core->name)))
		return NULL;
	record_string(object, "title", core->title, sizeof(core->title));
	if (json_array_size(ports) > UARCH_PORTS)
		return "too many ports: a core has at most 24";
	core->port_count = 0;
	json_array_foreach(ports, i, port)
	{
		text_copy_clean(core->port[i], sizeof(core->port[i]),
			json_is_string(port) ? json_string_value(port) : "?");
		core->unit[i] = units >> i & 1;
		core->port_count++;
	}
	replay->has_core = core->name[0];
	return NULL;
}

void reading_events(struct reading *reading, const json_t *object)
{
	struct event_plan *plan = &reading->replay->events;

	for (int i = 0; i < COUNTERS_MAX; i++)
		reading->event[i] = -1;
	/* The events of a later event plan in the recording are added to the first plan. */
	if (reading->replay->has_events)
		return;
	reading->replay->has_events = true;
	plan->counters.cycles = -1;
	plan->generic = record_flag(object, "generic");
	plan->left_out = (int)record_count(object, "left_out", INT32_MAX);
	record_string(object, "why", plan->why, sizeof(plan->why));
}

static int find_event(const struct event_plan *plan, const char *name)
{
	for (int i = 0; i < plan->counters.count; i++)
		if (strcmp(plan->counters.event[i].name, name) == 0)
			return i;
	return -1;
}

const char *reading_event(struct reading *reading, const json_t *object)
{
	struct event_plan *plan = &reading->replay->events;
	struct uarch_event event = { .role = ROLE_EXTRA };
	char role[32];
	int64_t index;
	int at;

	if (!reading->replay->has_events)
		return "an event before the record of the counters";
	if (!record_integer(object, "index", 0, COUNTERS_MAX - 1, &index))
		return "an event without a number";
	if (reading->event[index] >= 0)
		return "the event occurs twice";
	if (!record_string(object, "name", event.name, sizeof(event.name)) || !event.name[0])
		return "an event without a name";
	record_string(object, "role", role, sizeof(role));
	event.role = role_find(role);
	if (event.role == ROLE_COUNT)
		event.role = ROLE_EXTRA; /* the event's role is unknown; perhaps a later slexplore
					    wrote the event */
	event.ports = record_bits(object, "ports", UARCH_PORTS);
	record_string(object, "words", event.words, sizeof(event.words));
	record_string(object, "title", event.title, sizeof(event.title));
	record_string(object, "core", event.core, sizeof(event.core));
	at = find_event(plan, event.name);
	if (at < 0 && plan->counters.count < COUNTERS_MAX) {
		at = plan->counters.count++;
		memcpy(plan->counters.event[at].name, event.name, sizeof(event.name));
		plan->counters.event[at].must = record_flag(object, "must");
		plan->meaning[at] = event;
		if (event.role == ROLE_CYCLES && plan->counters.cycles < 0)
			plan->counters.cycles = at;
	}
	reading->event[index] = at;
	return NULL;
}

/* ---- Samples */

#define MOST_COUNT 1e15

static void begin_setting(struct reading *reading, unsigned id)
{
	if (reading->id == id)
		return;
	reading->id = id;
	reading->has_facts = reading->has_counts = false;
	reading->trials.count = 0;
	memset(reading->trials.forgotten, 0, sizeof(reading->trials.forgotten));
	memset(&reading->counts, 0, sizeof(reading->counts));
}

const char *reading_trials(struct reading *reading, const json_t *object, unsigned id)
{
	begin_setting(reading, id);
	return trials_get(object, &reading->trials);
}

static const char *read_facts(
	struct reading *reading, const json_t *object, const json_t *forgotten)
{
	struct run_facts *facts = &reading->facts;

	memset(facts, 0, sizeof(*facts));
	fields_read(object, sample_fields, facts);
	if (facts->cycles_from != SOURCE_COUNTER && facts->cycles_from != SOURCE_REFERENCE)
		return "cycles: expected counter or reference clock as their source";
	for (int i = 0; i < TRIAL_FATES; i++)
		reading->trials.forgotten[i] =
			(unsigned)record_count(forgotten, recording_fates[i], 1 << 24);
	reading->has_facts = true;
	return NULL;
}

const char *reading_facts(struct reading *reading, const json_t *object, unsigned id)
{
	begin_setting(reading, id);
	return read_facts(reading, object, json_object_get(object, "forgotten"));
}

/* Returns the index of a count's event in the plan of the replay; -1: the plan had no room for the
 * event; -2: there is no such event. The count names its event, or has the event's index in the
 * run's plan. */
static int event_of(const struct reading *reading, const json_t *event)
{
	json_int_t index = json_is_integer(event) ? json_integer_value(event) : -1;

	if (json_is_string(event))
		return find_event(&reading->replay->events, json_string_value(event));
	return index >= 0 && index < COUNTERS_MAX ? reading->event[index] : -2;
}

/* Reads the count of an event: [NAME, ROLE, VALUE, LO, HI, STATE, …], or, in format 2, [INDEX,
 * VALUE, LO, HI, STATE, …] without the state of a known count. */
static const char *read_count(struct reading *reading, const json_t *list)
{
	bool named = json_is_string(json_array_get(list, 0));
	size_t first = named ? 2 : 1, state = first + 3, last = named ? 7 : state + 1;
	const char *word = json_string_value(json_array_get(list, state));
	struct count count = { .state = COUNT_KNOWN };
	double *const figures[] = { &count.value, &count.lo, &count.hi };
	double share, error;
	int index = event_of(reading, json_array_get(list, 0));

	if (index < -1 || (word ? !counts_state_find(word, &count.state) : named))
		return "a count: expected a list of name, role, three numbers and state";
	if (index < 0)
		return NULL;
	for (size_t i = 0; i < 3 && count_known(&count); i++)
		if (!record_bounded(
			    json_array_get(list, first + i), -MOST_COUNT, MOST_COUNT, figures[i]))
			return "a count without its figures";
	/* An event count is a difference of two measurements, and may be slightly negative because
	 * of noise. The upper bound `hi` of a negative event count must not be negative. */
	if (count_known(&count) && count.value < 0 && count.hi < 0)
		return "a count is not negative";
	if (count.state == COUNT_SCALED &&
		record_bounded(json_array_get(list, state + 1), 0, 1, &share))
		count.share = (float)share;
	if (count.state == COUNT_REFUSED &&
		record_bounded(json_array_get(list, last), 0, 4095, &error))
		count.error = (int)error;
	if (count.state == COUNT_KNOWN)
		count.share = 1;
	reading->counts.event[index] = count;
	if (reading->counts.count <= index)
		reading->counts.count = index + 1;
	return NULL;
}

static const char *read_counters(struct reading *reading, const json_t *object)
{
	const json_t *list = json_object_get(object, "events"), *value;
	size_t i;

	reading->has_counts = true;
	record_string(object, "why", reading->counts.why, sizeof(reading->counts.why));
	record_string(object, "pmu", reading->counts.pmu, sizeof(reading->counts.pmu));
	reading->counts.groups = (int)record_count(object, "passes", COUNTERS_MAX);
	reading->counts.direct = record_flag(object, "direct");
	json_array_foreach(list, i, value)
	{
		const char *why = read_count(reading, value);

		if (why)
			return why;
	}
	return NULL;
}

const char *reading_counters(struct reading *reading, const json_t *object, unsigned id)
{
	begin_setting(reading, id);
	return read_counters(reading, object);
}

/* Reads the shared records that a sample of format 2 names. The facts that the sample has itself
 * replace those of the shared record. */
static const char *read_named(struct reading *reading, const json_t *sample, unsigned id)
{
	const json_t *number = json_object_get(sample, "facts");
	const json_t *facts = reading_shared(reading, number, "facts");
	const json_t *counters =
		reading_shared(reading, json_object_get(sample, "counters"), "counters");
	const char *why = NULL;
	json_t *all;

	if (!number)
		return NULL;
	begin_setting(reading, id);
	if (!facts || (!counters && json_object_get(sample, "counters")))
		return "the sample names a record that is missing";
	all = json_copy((json_t *)(uintptr_t)facts);
	json_object_update(all, (json_t *)(uintptr_t)sample);
	why = read_facts(reading, all, json_object_get(sample, "forgotten"));
	json_decref(all);
	return why || !counters ? why : read_counters(reading, counters);
}

/* Reads the value of a knob; a choice is written by its name. Returns false if the knob does not
 * have the recorded value. */
static bool read_knob(const struct knob *knob, const json_t *from, int64_t *value)
{
	const char *word = json_string_value(from);

	if (knob->kind != KNOB_CHOICE) {
		*value = json_integer_value(from);
		return json_is_integer(from) && *value <= MOST_BYTES;
	}
	for (int i = 0; word && knob->choices[i]; i++) {
		if (strcmp(knob->choices[i], word) != 0)
			continue;
		*value = i;
		return true;
	}
	return false;
}

bool reading_setting(const json_t *object, struct setting *setting, char why[READING_WHY])
{
	const json_t *knobs = json_object_get(object, "knobs");
	const char *key;
	char clean[48];
	struct status status;
	json_t *value;

	record_string(object, "kernel", clean, sizeof(clean));
	setting->kernel = kernel_find(clean);
	if (!setting->kernel) {
		snprintf(why, READING_WHY, "there is no kernel \"%s\"", clean);
		return false;
	}
	setting_init(setting, setting->kernel);
	for (int i = 0; i < setting->kernel->knob_count; i++) {
		const struct knob *knob = &setting->kernel->knobs[i];

		if (read_knob(knob, json_object_get(knobs, knob->name), &setting->v[i]))
			continue;
		record_string(knobs, knob->name, clean, sizeof(clean));
		snprintf(why, READING_WHY, "%s has no such %s%s%s", setting->kernel->name,
			knob->name, *clean ? "=" : "", clean);
		return false;
	}
	json_object_foreach((json_t *)(uintptr_t)knobs, key, value)
	{
		if (kernel_knob(setting->kernel, key) >= 0)
			continue;
		snprintf(why, READING_WHY,
			"the recorded %s has a knob that this slexplore's does not",
			setting->kernel->name);
		return false;
	}
	/* The check of a recorded setting ignores missing processor features and too little memory,
	 * because a replay runs nothing. */
	status = setting_check(setting, MEMORY_LIMITS_UNKNOWN);
	snprintf(why, READING_WHY, "%s: %.140s", setting->kernel->name, status.text);
	return status.code != STATUS_USAGE;
}

/* Puts the trials of the setting's earlier sample before the trials of this one, if this sample
 * continues the earlier one. */
static void join_trials(
	struct reading *reading, const struct setting *setting, const json_t *sample)
{
	int index = replay_find(reading->replay, setting);
	const struct played *played = index < 0 ? NULL : &reading->replay->played[index];
	struct trials *trials = &reading->trials;
	unsigned room = TRIALS_MAX - trials->count, count;

	if (!played || played->run != reading->run ||
		record_count(sample, "replaces", INT32_MAX) != played->id)
		return;
	count = played->count < room ? played->count : room;
	memmove(trials->trial + count, trials->trial, trials->count * sizeof(trials->trial[0]));
	memcpy(trials->trial, played->trial + played->count - count,
		count * sizeof(trials->trial[0]));
	trials->count += count;
	reading->joined = count;
}

static void take_setting(struct reading *reading, const struct setting *setting)
{
	struct replay *replay = reading->replay;
	int before = replay->settings.count, index = setting_index_add(&replay->settings, setting);
	struct played *played;

	if (index == before) {
		replay->played =
			memory_grow(replay->played, (size_t)index, sizeof(*replay->played));
		replay->played[index] = (struct played){ 0 };
	}
	played = &replay->played[index];
	replay->memory -= played->count * sizeof(*played->trial);
	free(played->trial);
	played->id = reading->id;
	played->run = reading->run;
	played->in_file += reading->trials.count - reading->joined;
	reading_note_id(reading, played->id, index);
	played->count = reading->trials.count;
	played->trial = memory_new(played->count, sizeof(*played->trial));
	memcpy(played->trial, reading->trials.trial, played->count * sizeof(*played->trial));
	memcpy(played->forgotten, reading->trials.forgotten, sizeof(played->forgotten));
	played->facts = reading->facts;
	replay->memory += played->count * sizeof(*played->trial) + sizeof(*played);
	if (!reading->has_counts)
		return;
	if (!played->counts) {
		played->counts = memory_new(1, sizeof(*played->counts));
		replay->memory += sizeof(*played->counts);
	}
	*played->counts = reading->counts;
}

const char *reading_sample(struct reading *reading, const json_t *object, unsigned id)
{
	struct replay *replay = reading->replay;
	struct setting setting;
	struct sample sample;
	char why[READING_WHY];
	const char *missing = read_named(reading, object, id);
	bool mine = reading->id == id && reading->has_facts;

	if (id > replay->last_id)
		replay->last_id = id;
	if (missing) {
		begin_setting(reading, 0);
		return missing;
	}
	if (!reading_setting(object, &setting, why)) {
		reading_leave_out(reading, LEFT_OUT_ABSENT, "%s", why);
		begin_setting(reading, 0);
		return NULL;
	}
	reading->joined = 0;
	if (mine && json_object_get(object, "replaces"))
		join_trials(reading, &setting, object);
	if (mine)
		sample_summarise(&reading->trials, &reading->facts, &sample);
	if (!mine || !sample.valid)
		reading_leave_out(reading, LEFT_OUT_BARE, "%s: none of its trials can be used",
			setting.kernel->name);
	else if (replay->memory > REPLAY_MEMORY ||
		 (replay->settings.count >= REPLAY_SETTINGS && replay_find(replay, &setting) < 0))
		reading_leave_out(reading, LEFT_OUT_BEYOND,
			"it has more than %d settings, or more than %d MiB of trials",
			REPLAY_SETTINGS, (int)(REPLAY_MEMORY >> 20));
	else
		take_setting(reading, &setting);
	begin_setting(reading, 0);
	return NULL;
}
