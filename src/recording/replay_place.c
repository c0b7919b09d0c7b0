/* Where a recording was made: its header, machine, core and events. */
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "recording/recording_lines.h"
#include "recording/replay_read.h"

struct status reading_header(struct reading *reading, const json_t *object)
{
	struct replay *replay = reading->replay;
	char program[32], host[64], name[96], arch[16];
	int64_t format;

	record_string(object, "program", program, sizeof(program));
	record_string(object, "host", host, sizeof(host));
	record_string(object, "machine", name, sizeof(name));
	record_string(object, "arch", arch, sizeof(arch));
	if (!record_integer(object, "format", 1, INT32_MAX, &format))
		return status_make(
			STATUS_USAGE, "not a recording of slexplore: it has no format's number");
	if (format > RECORDING_VERSION && !reading->begun)
		return status_make(STATUS_USAGE,
			"made by slexplore %s, format %d: this one reads formats up to %d",
			*program ? program : "?", (int)format, RECORDING_VERSION);
	/* Everything that has an id belongs to its own run. */
	reading->id = reading->explained_id = 0;
	for (int i = 0; i < COUNTERS_MAX; i++)
		reading->event[i] = -1;
	if (reading->begun) {
		/* A later run: only of the same machine. */
		reading->over = format > RECORDING_VERSION ||
				strcmp(host, replay->machine.host) != 0 ||
				strcmp(name, replay->machine.name) != 0 ||
				strcmp(arch, replay->machine.arch) != 0;
		if (reading->over)
			text_addf(&replay->notes,
				"%s:%u: from here on it is of another machine (%s) or version, and "
				"left out\n",
				replay->name, reading->line, host);
		return status_ok();
	}
	reading->begun = true;
	memcpy(replay->place.program, program, sizeof(program));
	memcpy(replay->place.host, host, sizeof(host));
	record_string(object, "time", replay->place.time, sizeof(replay->place.time));
	replay->place.seed = (uint64_t)record_count(object, "seed", INT64_MAX);
	memcpy(replay->machine.host, host, sizeof(host));
	memcpy(replay->machine.name, name, sizeof(name));
	memcpy(replay->machine.arch, arch, sizeof(arch));
	replay->machine.cpu = -1;
	replay->machine.bound = true;
	atomic_store(&replay->machine.known, true);
	return status_ok();
}

void reading_machine(struct reading *reading, const json_t *object)
{
	struct machine *machine = &reading->replay->machine;
	struct processor *processor = &machine->processor;
	const json_t *caches = json_object_get(object, "caches"), *cache;
	int64_t cpu;
	size_t i;

	machine->cpu = record_integer(object, "cpu", 0, INT32_MAX, &cpu) ? (int)cpu : -1;
	machine->processors = (int)record_count(object, "processors", INT32_MAX);
	machine->bound = record_flag(object, "bound");
	machine->apart = record_flag(object, "apart");
	machine->virtualised = record_flag(object, "virtualised");
	machine->watched = record_flag(object, "watched");
	machine->huge_pages = record_flag(object, "huge_pages");
	machine->memory_limit = (uint64_t)record_count(object, "memory_limit", MOST_BYTES);
	if (!record_number(object, "tick_hz", 0, 1e12, &machine->tick_hz))
		machine->tick_hz = 0;
	if (!record_number(object, "tick_step", 0, 1e12, &machine->tick_step))
		machine->tick_step = 0;
	record_string(object, "bind_note", machine->bind_note, sizeof(machine->bind_note));
	record_string(object, "memory_note", machine->memory_note, sizeof(machine->memory_note));
	record_string(object, "huge_note", machine->huge_note, sizeof(machine->huge_note));
	record_string(object, "clock", machine->clock_name, sizeof(machine->clock_name));
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
			(struct machine_cache){ (int)level, (uint64_t)bytes, (unsigned)line };
	}
	record_string(object, "vendor", processor->vendor, sizeof(processor->vendor));
	record_string(object, "features", processor->features, sizeof(processor->features));
	processor->family = (unsigned)record_count(object, "family", INT32_MAX);
	processor->model = (unsigned)record_count(object, "model", INT32_MAX);
	processor->stepping = (unsigned)record_count(object, "stepping", INT32_MAX);
	processor->implementer = (unsigned)record_count(object, "implementer", INT32_MAX);
	processor->part = (unsigned)record_count(object, "part", INT32_MAX);
	processor->l1i_bytes = (uint64_t)record_count(object, "l1i", MOST_BYTES);
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
		return NULL; /* that of the first run; recordings go on for the same core alone */
	replay->place.match = match < 0 ? UARCH_NONE : (enum uarch_match)match;
	replay->place.foreign = record_flag(object, "foreign");
	replay->place.nearest = record_flag(object, "nearest");
	record_string(object, "note", replay->place.note, sizeof(replay->place.note));
	if (!record_string(object, "name", core->name, sizeof(core->name)))
		return NULL;
	record_string(object, "title", core->title, sizeof(core->title));
	if (json_array_size(ports) > UARCH_PORTS)
		return "a core has at most 24 ports";
	core->port_count = 0;
	json_array_foreach(ports, i, port)
	{
		struct text text = { 0 };

		text_add_clean(&text, json_is_string(port) ? json_string_value(port) : "?",
			sizeof(core->port[i]) - 1);
		snprintf(core->port[i], sizeof(core->port[i]), "%s", text_string(&text));
		text_free(&text);
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
	/* Events of a later plan are added to those of the first. */
	if (reading->replay->has_events)
		return;
	reading->replay->has_events = true;
	plan->counters.cycles = -1;
	plan->generic = record_flag(object, "generic");
	plan->left_out = (int)record_count(object, "left_out", INT32_MAX);
	record_string(object, "why", plan->why, sizeof(plan->why));
}

int reading_find_event(const struct event_plan *plan, const char *name)
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
		return "an event before its plan";
	if (!record_integer(object, "index", 0, COUNTERS_MAX - 1, &index))
		return "an event without its number";
	if (reading->event[index] >= 0)
		return "an event that was there already";
	if (!record_string(object, "name", event.name, sizeof(event.name)) || !event.name[0])
		return "an event without a name";
	record_string(object, "role", role, sizeof(role));
	event.role = role_find(role);
	if (event.role == ROLE_COUNT)
		event.role = ROLE_EXTRA; /* one that a later slexplore knows */
	event.ports = record_bits(object, "ports", UARCH_PORTS);
	record_string(object, "words", event.words, sizeof(event.words));
	record_string(object, "title", event.title, sizeof(event.title));
	record_string(object, "core", event.core, sizeof(event.core));
	at = reading_find_event(plan, event.name);
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
