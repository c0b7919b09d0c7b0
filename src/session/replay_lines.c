/* What each record of a recording says. Nothing is believed: every number has its bounds, every string is cleaned. */
#include <jansson.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "model/counts.h"
#include "session/recording_lines.h"
#include "session/replay_state.h"

/* Beyond these nothing was ever measured. */
#define MOST_CYCLES 1e12
#define MOST_GHZ 1e3
#define MOST_COUNT 1e15
enum { MOST_TURNS = 1 << 20 };
static const int64_t most_bytes = (int64_t)1 << 46;

/* ---- fields ---- */

/* A string, cleaned and cut. Returns whether there is one; else it is empty. */
static bool get_string(const json_t *object, const char *key, char *buffer, size_t size)
{
	const json_t *value = json_object_get(object, key);
	struct text text = { 0 };

	buffer[0] = '\0';
	if (!json_is_string(value))
		return false;
	text_add_clean(&text, json_string_value(value), size - 1);
	snprintf(buffer, size, "%s", text_string(&text));
	text_free(&text);
	return true;
}

static bool number_of(const json_t *value, double low, double high, double *number)
{
	*number = json_is_number(value) ? json_number_value(value) : (double)NAN;
	return *number >= low && *number <= high;
}

/* A number between bounds. */
static bool get_number(const json_t *object, const char *key, double low, double high, double *number)
{
	return number_of(json_object_get(object, key), low, high, number);
}

static bool get_integer(const json_t *object, const char *key, int64_t low, int64_t high, int64_t *number)
{
	const json_t *value = json_object_get(object, key);

	*number = json_is_integer(value) ? json_integer_value(value) : 0;
	return json_is_integer(value) && *number >= low && *number <= high;
}

/* What is missing, or out of bounds, reads as 0. */
static int64_t integer_or_0(const json_t *object, const char *key, int64_t high)
{
	int64_t number;

	return get_integer(object, key, 0, high, &number) ? number : 0;
}

static bool is_true(const json_t *object, const char *key)
{
	return json_is_true(json_object_get(object, key));
}

/* ---- what is left out ---- */

static void leave_out(const struct reading *reading, struct left_out *left_out, const char *format, va_list arguments)
{
	if (left_out->count++ > 0)
		return;
	left_out->line = reading->line;
	vsnprintf(left_out->why, sizeof(left_out->why), format, arguments);
}

void reading_damaged(struct reading *reading, const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	leave_out(reading, &reading->damaged, format, arguments);
	va_end(arguments);
}

static void absent(struct reading *reading, const char *format, ...) __attribute__((format(printf, 2, 3)));

static void absent(struct reading *reading, const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	leave_out(reading, &reading->absent, format, arguments);
	va_end(arguments);
}

static void bare(struct reading *reading, const char *format, ...) __attribute__((format(printf, 2, 3)));

static void bare(struct reading *reading, const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	leave_out(reading, &reading->bare, format, arguments);
	va_end(arguments);
}

static void beyond(struct reading *reading, const char *format, ...) __attribute__((format(printf, 2, 3)));

static void beyond(struct reading *reading, const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	leave_out(reading, &reading->beyond, format, arguments);
	va_end(arguments);
}

/* ---- the place ---- */

static struct status read_header(struct reading *reading, const json_t *object)
{
	struct replay *replay = reading->replay;
	char program[32], host[64], name[96], arch[16];
	int64_t format;

	get_string(object, "program", program, sizeof(program));
	get_string(object, "host", host, sizeof(host));
	get_string(object, "machine", name, sizeof(name));
	get_string(object, "arch", arch, sizeof(arch));
	if (!get_integer(object, "format", 1, INT32_MAX, &format))
		return status_make(STATUS_USAGE, "not a recording of slexplore: it has no format's number");
	if (format > RECORDING_VERSION && !reading->begun)
		return status_make(STATUS_USAGE, "made by slexplore %s, format %d: this one reads formats up to %d", *program ? program : "?",
			(int)format, RECORDING_VERSION);
	/* Everything that has an id belongs to its own run. */
	reading->id = reading->explained_id = 0;
	for (int i = 0; i < COUNTERS_MAX; i++)
		reading->event[i] = -1;
	if (reading->begun) {
		/* A later run: only of the same machine. */
		reading->over = format > RECORDING_VERSION || strcmp(host, replay->machine.host) != 0 ||
			strcmp(name, replay->machine.name) != 0 || strcmp(arch, replay->machine.arch) != 0;
		if (reading->over)
			text_addf(&replay->notes, "%s: line %u: from here on it is of another machine (%s) or version: left out\n",
				replay->name, reading->line, host);
		return status_ok();
	}
	reading->begun = true;
	memcpy(replay->place.program, program, sizeof(program));
	memcpy(replay->place.host, host, sizeof(host));
	get_string(object, "time", replay->place.time, sizeof(replay->place.time));
	replay->place.seed = (uint64_t)integer_or_0(object, "seed", INT64_MAX);
	memcpy(replay->machine.host, host, sizeof(host));
	memcpy(replay->machine.name, name, sizeof(name));
	memcpy(replay->machine.arch, arch, sizeof(arch));
	replay->machine.cpu = -1;
	replay->machine.bound = true;
	atomic_store(&replay->machine.known, true);
	return status_ok();
}

static void read_machine(struct reading *reading, const json_t *object)
{
	struct machine *machine = &reading->replay->machine;
	struct processor *processor = &machine->processor;
	const json_t *caches = json_object_get(object, "caches"), *cache;
	int64_t cpu;
	size_t i;

	machine->cpu = get_integer(object, "cpu", 0, INT32_MAX, &cpu) ? (int)cpu : -1;
	machine->processors = (int)integer_or_0(object, "processors", INT32_MAX);
	machine->bound = is_true(object, "bound");
	machine->apart = is_true(object, "apart");
	machine->virtualised = is_true(object, "virtualised");
	machine->watched = is_true(object, "watched");
	machine->huge_pages = is_true(object, "huge_pages");
	machine->memory_limit = (uint64_t)integer_or_0(object, "memory_limit", most_bytes);
	if (!get_number(object, "tick_hz", 0, 1e12, &machine->tick_hz))
		machine->tick_hz = 0;
	if (!get_number(object, "tick_step", 0, 1e12, &machine->tick_step))
		machine->tick_step = 0;
	get_string(object, "bind_note", machine->bind_note, sizeof(machine->bind_note));
	get_string(object, "huge_note", machine->huge_note, sizeof(machine->huge_note));
	get_string(object, "clock", machine->clock_name, sizeof(machine->clock_name));
	machine->cache_count = 0;
	json_array_foreach(caches, i, cache) {
		double level, bytes, line;

		if (machine->cache_count == MACHINE_CACHES || !number_of(json_array_get(cache, 0), 1, 9, &level) ||
			!number_of(json_array_get(cache, 1), 1, (double)most_bytes, &bytes) ||
			!number_of(json_array_get(cache, 2), 0, 65536, &line))
			break;
		machine->cache[machine->cache_count++] =
			(struct machine_cache){ (int)level, (uint64_t)bytes, (unsigned)line };
	}
	get_string(object, "vendor", processor->vendor, sizeof(processor->vendor));
	get_string(object, "features", processor->features, sizeof(processor->features));
	processor->family = (unsigned)integer_or_0(object, "family", INT32_MAX);
	processor->model = (unsigned)integer_or_0(object, "model", INT32_MAX);
	processor->stepping = (unsigned)integer_or_0(object, "stepping", INT32_MAX);
	processor->implementer = (unsigned)integer_or_0(object, "implementer", INT32_MAX);
	processor->part = (unsigned)integer_or_0(object, "part", INT32_MAX);
	processor->l1i_bytes = (uint64_t)integer_or_0(object, "l1i", most_bytes);
}

static int word_index(const json_t *object, const char *key, const char *const *words)
{
	const char *word = json_string_value(json_object_get(object, key));

	for (int i = 0; word && words[i]; i++)
		if (strcmp(words[i], word) == 0)
			return i;
	return -1;
}

/* The bits that a list of small numbers names. */
static uint32_t get_bits(const json_t *object, const char *key)
{
	const json_t *list = json_object_get(object, key), *value;
	uint32_t bits = 0;
	size_t i;

	json_array_foreach(list, i, value)
		if (json_is_integer(value) && json_integer_value(value) >= 0 && json_integer_value(value) < UARCH_PORTS)
			bits |= (uint32_t)1 << json_integer_value(value);
	return bits;
}

static const char *read_core(struct reading *reading, const json_t *object)
{
	struct replay *replay = reading->replay;
	const json_t *ports = json_object_get(object, "ports"), *port;
	int match = word_index(object, "match", recording_matches);
	uint32_t units = get_bits(object, "units");
	struct core *core = &replay->core;
	size_t i;

	if (replay->has_core)
		return NULL;      /* that of the first run; recordings go on for the same core alone */
	replay->place.match = match < 0 ? UARCH_NONE : (enum uarch_match)match;
	replay->place.foreign = is_true(object, "foreign");
	replay->place.nearest = is_true(object, "nearest");
	get_string(object, "note", replay->place.note, sizeof(replay->place.note));
	if (!get_string(object, "name", core->name, sizeof(core->name)))
		return NULL;
	get_string(object, "title", core->title, sizeof(core->title));
	if (json_array_size(ports) > UARCH_PORTS)
		return "a core has at most 24 ports";
	core->port_count = 0;
	json_array_foreach(ports, i, port) {
		struct text text = { 0 };

		text_add_clean(&text, json_is_string(port) ? json_string_value(port) : "?", sizeof(core->port[i]) - 1);
		snprintf(core->port[i], sizeof(core->port[i]), "%s", text_string(&text));
		text_free(&text);
		core->unit[i] = units >> i & 1;
		core->port_count++;
	}
	replay->has_core = core->name[0];
	return NULL;
}

static void read_events(struct reading *reading, const json_t *object)
{
	struct event_plan *plan = &reading->replay->events;

	for (int i = 0; i < COUNTERS_MAX; i++)
		reading->event[i] = -1;
	/* Events of a later plan are added to those of the first. */
	if (reading->replay->has_events)
		return;
	reading->replay->has_events = true;
	plan->counters.cycles = -1;
	plan->generic = is_true(object, "generic");
	plan->left_out = (int)integer_or_0(object, "left_out", INT32_MAX);
	get_string(object, "why", plan->why, sizeof(plan->why));
}

static int event_find(const struct event_plan *plan, const char *name)
{
	for (int i = 0; i < plan->counters.count; i++)
		if (strcmp(plan->counters.event[i].name, name) == 0)
			return i;
	return -1;
}

static const char *read_event(struct reading *reading, const json_t *object)
{
	struct event_plan *plan = &reading->replay->events;
	struct uarch_event event = { .role = ROLE_EXTRA };
	char role[32];
	int64_t index;
	int at;

	if (!reading->replay->has_events)
		return "an event before its plan";
	if (!get_integer(object, "index", 0, COUNTERS_MAX - 1, &index))
		return "an event without its number";
	if (reading->event[index] >= 0)
		return "an event that was there already";
	if (!get_string(object, "name", event.name, sizeof(event.name)) || !event.name[0])
		return "an event without a name";
	get_string(object, "role", role, sizeof(role));
	event.role = role_find(role);
	if (event.role == ROLE_COUNT)
		event.role = ROLE_EXTRA;      /* one that a later slexplore knows */
	event.ports = get_bits(object, "ports");
	get_string(object, "words", event.words, sizeof(event.words));
	get_string(object, "title", event.title, sizeof(event.title));
	get_string(object, "core", event.core, sizeof(event.core));
	at = event_find(plan, event.name);
	if (at < 0 && plan->counters.count < COUNTERS_MAX) {
		at = plan->counters.count++;
		memcpy(plan->counters.event[at].name, event.name, sizeof(event.name));
		plan->counters.event[at].must = is_true(object, "must");
		plan->meaning[at] = event;
		if (event.role == ROLE_CYCLES && plan->counters.cycles < 0)
			plan->counters.cycles = at;
	}
	reading->event[index] = at;
	return NULL;
}

/* ---- a setting ---- */

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

static float float_of(const json_t *value)
{
	double number;

	return number_of(value, -MOST_CYCLES, MOST_CYCLES, &number) ? (float)number : NAN;
}

static const char *read_trial(const json_t *list, struct trial *trial)
{
	double fate;

	if (!json_is_array(list) || json_array_size(list) < 6)
		return "a trial is a list of six numbers or seven";
	if (!number_of(json_array_get(list, 5), 0, TRIAL_FATES - 1, &fate) || fate != floor(fate))
		return "a trial without a fate";
	trial->fate = (uint8_t)fate;
	/* Only a broken one may have no cycles to speak of. */
	if (!number_of(json_array_get(list, 0), fate == TRIAL_BROKEN ? -MOST_CYCLES : 1e-9, MOST_CYCLES, &trial->cpe) &&
		fate != TRIAL_BROKEN)
		return "a trial's cycles are no positive number";
	if (!number_of(json_array_get(list, 1), 1e-6, MOST_GHZ, &trial->ghz) && fate != TRIAL_BROKEN)
		return "a trial's clock is no frequency in GHz";
	trial->watch = float_of(json_array_get(list, 2));
	trial->turns = float_of(json_array_get(list, 3));
	trial->at = float_of(json_array_get(list, 4));
	trial->check = float_of(json_array_get(list, 6));
	return NULL;
}

static const char *read_trials(struct reading *reading, const json_t *object, unsigned id)
{
	const json_t *list = json_object_get(object, "trials"), *value;
	struct trials *trials = &reading->trials;
	size_t i;

	begin_setting(reading, id);
	if (!json_is_array(list))
		return "trials without a list";
	json_array_foreach(list, i, value) {
		struct trial trial;
		const char *why = read_trial(value, &trial);

		if (why)
			return why;
		if (trials->count == TRIALS_MAX)
			return "more trials than one sample has";
		trials->trial[trials->count++] = trial;
	}
	return NULL;
}

static const char *read_facts(struct reading *reading, const json_t *object, unsigned id)
{
	static const enum source sources[] = { SOURCE_NONE, SOURCE_COUNTER, SOURCE_REFERENCE, SOURCE_STEPPED, SOURCE_TIME,
		SOURCE_MODEL };
	const char *from = json_string_value(json_object_get(object, "cycles_from"));
	const json_t *forgotten = json_object_get(object, "forgotten");
	struct run_facts *facts = &reading->facts;
	int64_t cpu;

	begin_setting(reading, id);
	memset(facts, 0, sizeof(*facts));
	facts->cpu = get_integer(object, "cpu", 0, INT32_MAX, &cpu) ? (int)cpu : -1;
	facts->bound = is_true(object, "bound");
	facts->watched = is_true(object, "watched");
	for (size_t i = 0; from && i < sizeof(sources) / sizeof(*sources); i++)
		if (strcmp(source_name(sources[i]), from) == 0)
			facts->cycles_from = sources[i];
	if (facts->cycles_from != SOURCE_COUNTER && facts->cycles_from != SOURCE_REFERENCE)
		return "cycles come from a counter or the reference clock";
	facts->ring = (uint64_t)integer_or_0(object, "ring", most_bytes);
	facts->granule = (uint64_t)integer_or_0(object, "granule", most_bytes);
	facts->bytes = (uint64_t)integer_or_0(object, "bytes", most_bytes);
	facts->footprint = (uint64_t)integer_or_0(object, "footprint", most_bytes);
	facts->call = (uint64_t)integer_or_0(object, "call", INT64_MAX);
	facts->calls = (unsigned)integer_or_0(object, "calls", INT32_MAX);
	get_string(object, "pages", facts->pages, sizeof(facts->pages));
	for (int i = 0; i < TRIAL_FATES; i++)
		reading->trials.forgotten[i] = (unsigned)integer_or_0(forgotten, recording_fates[i], 1 << 24);
	reading->has_facts = true;
	return NULL;
}

/* [NAME, ROLE, VALUE, LO, HI, STATE, …] */
static const char *read_count(struct reading *reading, const json_t *list)
{
	const char *name = json_string_value(json_array_get(list, 0)), *word = json_string_value(json_array_get(list, 5));
	struct count count = { 0 };
	double share, error;
	int index;

	if (!name || !word || !counts_state_find(word, &count.state))
		return "a count is a list of a name, a role, three figures and a state";
	index = event_find(&reading->replay->events, name);
	if (index < 0)
		return NULL;      /* of an event that found no room */
	if (count_known(&count) && (!number_of(json_array_get(list, 2), -MOST_COUNT, MOST_COUNT, &count.value) ||
		!number_of(json_array_get(list, 3), -MOST_COUNT, MOST_COUNT, &count.lo) ||
		!number_of(json_array_get(list, 4), -MOST_COUNT, MOST_COUNT, &count.hi)))
		return "a count without its figures";
	/* Noise may make a difference of counts a little less than nothing, as the quartiles may show. */
	if (count_known(&count) && count.value < 0 && count.hi < 0)
		return "a count is not negative";
	if (count.state == COUNT_SCALED && number_of(json_array_get(list, 6), 0, 1, &share))
		count.share = (float)share;
	if (count.state == COUNT_REFUSED && number_of(json_array_get(list, 7), 0, 4095, &error))
		count.error = (int)error;
	if (count.state == COUNT_KNOWN)
		count.share = 1;
	reading->counts.event[index] = count;
	if (reading->counts.count <= index)
		reading->counts.count = index + 1;
	return NULL;
}

static const char *read_counters(struct reading *reading, const json_t *object, unsigned id)
{
	const json_t *list = json_object_get(object, "events"), *value;
	size_t i;

	begin_setting(reading, id);
	reading->has_counts = true;
	get_string(object, "why", reading->counts.why, sizeof(reading->counts.why));
	get_string(object, "pmu", reading->counts.pmu, sizeof(reading->counts.pmu));
	reading->counts.groups = (int)integer_or_0(object, "passes", COUNTERS_MAX);
	reading->counts.direct = is_true(object, "direct");
	json_array_foreach(list, i, value) {
		const char *why = read_count(reading, value);

		if (why)
			return why;
	}
	return NULL;
}

/* The setting that a record is of; false: it cannot be had here, which is noted. */
static bool read_setting(struct reading *reading, const json_t *object, bool note, struct setting *setting)
{
	const json_t *knobs = json_object_get(object, "knobs");
	const char *name = json_string_value(json_object_get(object, "kernel")), *key;
	char clean[48];
	struct status status;
	json_t *value;

	get_string(object, "kernel", clean, sizeof(clean));
	setting->kernel = name ? kernel_find(name) : NULL;
	if (!setting->kernel) {
		if (note)
			absent(reading, "there is no kernel \"%s\"", clean);
		return false;
	}
	setting_init(setting, setting->kernel);
	for (int i = 0; i < setting->kernel->knob_count; i++) {
		const struct knob *knob = &setting->kernel->knobs[i];
		const json_t *at = json_object_get(knobs, knob->name);
		const char *word = json_string_value(at);
		bool known = false;

		for (int k = 0; knob->kind == KNOB_CHOICE && word && knob->choices[k]; k++) {
			if (strcmp(knob->choices[k], word) != 0)
				continue;
			setting->v[i] = k;
			known = true;
		}
		if (knob->kind != KNOB_CHOICE && json_is_integer(at) && json_integer_value(at) <= most_bytes) {
			setting->v[i] = json_integer_value(at);
			known = true;
		}
		if (known)
			continue;
		get_string(knobs, knob->name, clean, sizeof(clean));
		if (note)
			absent(reading, "%s has no such %s%s%s", setting->kernel->name, knob->name, *clean ? "=" : "", clean);
		return false;
	}
	json_object_foreach((json_t *)(uintptr_t)knobs, key, value) {
		if (kernel_knob(setting->kernel, key) >= 0)
			continue;
		get_string(knobs, key, clean, sizeof(clean));
		if (note)
			absent(reading, "%s has a knob that it has not here", setting->kernel->name);
		return false;
	}
	/* What this processor lacks, or this machine's memory, is no obstacle: nothing is run. */
	status = setting_check(setting, 0);
	if (status.code == STATUS_USAGE && note)
		absent(reading, "%s: %.140s", setting->kernel->name, status.text);
	return status.code != STATUS_USAGE;
}

static void take_setting(struct reading *reading, const struct setting *setting)
{
	struct replay *replay = reading->replay;
	int before = replay->settings.count, index = setting_index_add(&replay->settings, setting);
	struct played *played;

	if (index >= replay->played_room) {
		int room = replay->played_room ? 2 * replay->played_room : 64;

		replay->played = memory_resize(replay->played, (size_t)room, sizeof(*replay->played));
		replay->played_room = room;
	}
	played = &replay->played[index];
	if (index == before)
		memset(played, 0, sizeof(*played));
	replay->memory -= played->count * sizeof(*played->trial);
	free(played->trial);
	played->id = reading->id;
	played->in_file += reading->trials.count;
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

static const char *read_sample(struct reading *reading, const json_t *object, unsigned id)
{
	struct replay *replay = reading->replay;
	struct setting setting;
	struct sample sample;
	bool mine = reading->id == id && reading->has_facts;

	if (id > replay->last_id)
		replay->last_id = id;
	if (!read_setting(reading, object, true, &setting)) {
		begin_setting(reading, 0);
		return NULL;
	}
	if (mine)
		sample_summarise(&reading->trials, &reading->facts, &sample);
	if (!mine || !sample.valid)
		bare(reading, "%s: none of its trials can be used", setting.kernel->name);
	else if (replay->memory > REPLAY_MEMORY || (replay->settings.count >= REPLAY_SETTINGS && replay_find(replay, &setting) < 0))
		beyond(reading, "more than %d settings, or %d MiB of trials", REPLAY_SETTINGS, (int)(REPLAY_MEMORY >> 20));
	else
		take_setting(reading, &setting);
	begin_setting(reading, 0);
	return NULL;
}

/* ---- an explanation ---- */

static void forget_explanation(struct reading *reading)
{
	struct explained *explained = &reading->explained;
	struct limit *limit = explained->limit;
	struct played_insn *run = explained->run;

	*explained = (struct explained){ .binding = -1, .limit = limit, .run = run, .turns = 1 };
	for (int i = 0; i < COUNTERS_MAX; i++)
		explained->modelled[i] = NAN;
}

static void begin_explanation(struct reading *reading, unsigned id)
{
	if (reading->explained_id == id)
		return;
	reading->explained_id = id;
	forget_explanation(reading);
}

static const char *read_limit(struct reading *reading, const json_t *object, unsigned id)
{
	struct explained *explained = &reading->explained;
	struct limit limit = { 0 };
	char name[32];

	begin_explanation(reading, id);
	get_string(object, "name", name, sizeof(name));
	limit.kind = limit_find(name);
	if (limit.kind == LIMIT_COUNT)
		return NULL;      /* one that a later slexplore knows */
	for (int i = 0; i < explained->limit_count; i++)
		if (explained->limit[i].kind == limit.kind)
			return "a limit that was there already";
	limit.hard = is_true(object, "hard");
	limit.known = get_number(object, "cpe", 0, MOST_CYCLES, &limit.cpe) &&
		get_number(object, "cycles", 0, MOST_CYCLES, &limit.cycles);
	if (!limit.known)
		limit.cpe = limit.cycles = 0;
	get_string(object, "cause", limit.cause, sizeof(limit.cause));
	if (explained->limit_count == reading->limit_room) {
		reading->limit_room = LIMIT_COUNT;
		explained->limit = memory_resize(explained->limit, LIMIT_COUNT, sizeof(*explained->limit));
	}
	explained->limit[explained->limit_count++] = limit;
	return NULL;
}

/* The pressure on each port, by its name. */
static const char *read_ports(struct reading *reading, const json_t *object, unsigned id)
{
	const json_t *pressure = json_object_get(object, "pressure"), *naive = json_object_get(object, "naive");
	const struct core *core = &reading->replay->core;
	struct explained *explained = &reading->explained;

	begin_explanation(reading, id);
	for (int i = 0; i < core->port_count; i++) {
		if (!get_number(pressure, core->port[i], 0, MOST_CYCLES, &explained->pressure[i]))
			return "a port without its pressure";
		/* Left out where a line would have been too long. */
		if (!get_number(naive, core->port[i], 0, MOST_CYCLES, &explained->naive[i]))
			explained->naive[i] = explained->pressure[i];
	}
	explained->port_count = core->port_count;
	return NULL;
}

static const char *read_insn(struct reading *reading, const json_t *object, unsigned id)
{
	struct explained *explained = &reading->explained;
	struct played_insn run = { .times = 1 };
	int64_t offset, bytes, times;

	begin_explanation(reading, id);
	if (!get_integer(object, "offset", 0, 1 << 24, &offset) || !get_string(object, "text", run.text, sizeof(run.text)))
		return "an instruction without its place or text";
	run.offset = (uint64_t)offset;
	run.bytes = get_integer(object, "bytes", 1, 255, &bytes) ? (uint8_t)bytes : 1;
	if (get_integer(object, "times", 1, LOOP_MOST, &times))
		run.times = (int)times;
	if (explained->insn_count + run.times > LOOP_MOST)
		return "more instructions than a loop has";
	/* In the order of their addresses, as panels rely on. */
	if (explained->run_count && run.offset < explained->run[explained->run_count - 1].offset)
		return "an instruction out of turn";
	run.jumps = is_true(object, "jumps");
	run.writes = is_true(object, "writes");
	run.no_instruction = is_true(object, "no_instruction");
	run.facts.known = is_true(object, "known");
	run.facts.fused = is_true(object, "fused");
	run.facts.eliminated = is_true(object, "eliminated");
	run.facts.carried = is_true(object, "carried");
	if (!get_number(object, "slots", 0, 1e6, &run.facts.slots))
		run.facts.slots = 0;
	if (!get_number(object, "latency", 0, 1e6, &run.facts.latency))
		run.facts.latency = UARCH_UNKNOWN;
	if (!get_number(object, "count", 0, 1e9, &run.facts.count))
		run.facts.count = 1;
	get_string(object, "ports", run.facts.ports, sizeof(run.facts.ports));
	if (explained->run_count == reading->run_room) {
		reading->run_room = reading->run_room ? 2 * reading->run_room : 32;
		explained->run = memory_resize(explained->run, (size_t)reading->run_room, sizeof(*explained->run));
	}
	explained->run[explained->run_count++] = run;
	explained->insn_count += run.times;
	return NULL;
}

static const char *read_modelled(struct reading *reading, const json_t *object, unsigned id)
{
	const json_t *list = json_object_get(object, "events"), *value;
	size_t i;

	begin_explanation(reading, id);
	json_array_foreach(list, i, value) {
		double number;

		if (i >= COUNTERS_MAX)
			return "more figures than events";
		if (reading->event[i] >= 0 && number_of(value, 0, MOST_COUNT, &number))
			reading->explained.modelled[reading->event[i]] = number;
	}
	return NULL;
}

/* The highest first, unknown ones last; equal ones stay as they were. The highest hard one binds. */
static void order_limits(struct explained *explained)
{
	for (int i = 1; i < explained->limit_count; i++) {
		struct limit moved = explained->limit[i];
		int at = i;

		for (; at > 0 && moved.known && (!explained->limit[at - 1].known || explained->limit[at - 1].cpe < moved.cpe); at--)
			explained->limit[at] = explained->limit[at - 1];
		explained->limit[at] = moved;
	}
	explained->binding = -1;
	for (int i = explained->limit_count - 1; i >= 0; i--)
		if (explained->limit[i].known && explained->limit[i].hard)
			explained->binding = i;
}

/* Keeps what has come of an explanation with its setting. */
static void take_explanation(struct reading *reading, int index)
{
	struct replay *replay = reading->replay;
	struct played *played = &replay->played[index];
	const struct explained *from = &reading->explained;
	struct explained *to = played->explained;
	size_t limits = (size_t)from->limit_count * sizeof(*from->limit), runs = (size_t)from->run_count * sizeof(*from->run);

	if (to)
		explained_free(to);
	else
		to = played->explained = memory_new(1, sizeof(*to));
	*to = *from;
	/* One byte more than nothing: an allocation of none may fail. */
	to->limit = memory_new(limits + 1, 1);
	to->run = memory_new(runs + 1, 1);
	if (limits)
		memcpy(to->limit, from->limit, limits);
	if (runs)
		memcpy(to->run, from->run, runs);
	replay->memory += sizeof(*to) + limits + runs;
}

static const char *read_explain(struct reading *reading, const json_t *object, unsigned id)
{
	struct explained *explained = &reading->explained;
	const char *from = json_string_value(json_object_get(object, "instructions_from"));
	struct setting setting;
	int64_t turns;
	int index;

	begin_explanation(reading, id);
	if (!read_setting(reading, object, false, &setting))
		return NULL;
	index = replay_find(reading->replay, &setting);
	/* Of one whose trials could not be used, say. */
	if (index < 0 || reading->replay->memory > REPLAY_MEMORY)
		return NULL;
	get_string(object, "why", explained->why, sizeof(explained->why));
	if (!explained->why[0]) {
		if (!get_number(object, "elements", 1e-9, 1e9, &explained->elements) ||
			!get_integer(object, "turns", 1, MOST_TURNS, &turns))
			return "an explanation without its elements or turns";
		explained->turns = (int)turns;
		if (!get_number(object, "slots", 0, 1e9, &explained->slots))
			explained->slots = 0;
		if (!get_number(object, "instructions", 0, 1e9, &explained->insns_per_element))
			explained->insns_per_element = 0;
		if (!get_number(object, "chain", 0, MOST_CYCLES, &explained->chain))
			explained->chain = 0;
		explained->stepped = from && strcmp(from, source_name(SOURCE_STEPPED)) == 0;
		explained->varies = is_true(object, "varies");
		explained->foreign = is_true(object, "foreign");
		explained->through_memory = is_true(object, "through_memory");
		explained->fullest = get_bits(object, "fullest");
		explained->unknown = (int)integer_or_0(object, "unknown", LOOP_MOST);
		get_string(object, "unknown_names", explained->unknown_names, sizeof(explained->unknown_names));
		get_string(object, "function", explained->function, sizeof(explained->function));
	}
	order_limits(explained);
	take_explanation(reading, index);
	begin_explanation(reading, 0);
	return NULL;
}

/* ---- lines ---- */

/* Records that belong to a setting, by their names. */
static const struct {
	const char *name;
	const char *(*read)(struct reading *reading, const json_t *object, unsigned id);
} records[] = {
	{ "trials", read_trials }, { "facts", read_facts }, { "counters", read_counters }, { "sample", read_sample },
	{ "limits", read_limit }, { "ports", read_ports }, { "insn", read_insn }, { "modelled", read_modelled },
	{ "explain", read_explain },
};

/* Returns why the record cannot be used, or NULL. */
static const char *read_record(struct reading *reading, const json_t *object, const char *name)
{
	int64_t id;

	if (strcmp(name, "machine") == 0)
		read_machine(reading, object);
	if (strcmp(name, "events") == 0)
		read_events(reading, object);
	if (strcmp(name, "core") == 0)
		return read_core(reading, object);
	if (strcmp(name, "event") == 0)
		return read_event(reading, object);
	for (size_t i = 0; i < sizeof(records) / sizeof(*records); i++) {
		if (strcmp(records[i].name, name) != 0)
			continue;
		if (!get_integer(object, "id", 1, INT32_MAX, &id))
			return "a record without its id";
		return records[i].read(reading, object, (unsigned)id);
	}
	/* One that a later slexplore of the same format writes. */
	return NULL;
}

void reading_init(struct reading *reading, struct replay *replay)
{
	*reading = (struct reading){ .replay = replay };
	forget_explanation(reading);
}

void reading_free(struct reading *reading)
{
	explained_free(&reading->explained);
}

struct status reading_line(struct reading *reading, const char *line, size_t length)
{
	json_error_t error;
	json_t *object = json_loadb(line, length, JSON_REJECT_DUPLICATES, &error);
	const char *name = json_string_value(json_object_get(object, "record")), *why = NULL;
	struct status status = status_ok();
	struct text words = { 0 };

	if (!object)
		text_add_clean(&words, error.text, sizeof(reading->damaged.why) - 1);
	if (name && strcmp(name, "recording") == 0)
		status = read_header(reading, object);
	else if (!reading->begun)
		status = status_make(STATUS_USAGE, "not a recording of slexplore: line 1 does not begin one");
	else if (!object)
		reading_damaged(reading, "%s", text_string(&words));
	else if (!name)
		reading_damaged(reading, "no record's name");
	else
		why = read_record(reading, object, name);
	if (why)
		reading_damaged(reading, "%s", why);
	text_free(&words);
	json_decref(object);
	return status;
}
