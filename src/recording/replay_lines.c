/* The lines of a recording, each to whom it concerns. */
#include <jansson.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "recording/replay_read.h"

static void leave_out(const struct reading *reading, struct left_out *left_out, const char *format,
	va_list arguments)
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

void reading_leave_out(struct reading *reading, struct left_out *left_out, const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	leave_out(reading, left_out, format, arguments);
	va_end(arguments);
}

/* More lines than any record has. */
enum { MORE_LINES = 64 };

/* Records that belong to a setting, by their names. */
static const struct {
	const char *name;
	const char *(*read)(struct reading *reading, const json_t *object, unsigned id);
} records[] = {
	{ "trials", reading_trials },
	{ "facts", reading_facts },
	{ "counters", reading_counters },
	{ "sample", reading_sample },
	{ "limits", reading_limit },
	{ "ports", reading_ports },
	{ "insn", reading_insn },
	{ "modelled", reading_modelled },
	{ "explain", reading_explain },
};

/* Returns why the record cannot be used, or NULL. */
static const char *read_record(struct reading *reading, const json_t *object, const char *name)
{
	int64_t id;

	if (strcmp(name, "machine") == 0)
		reading_machine(reading, object);
	if (strcmp(name, "events") == 0)
		reading_events(reading, object);
	if (strcmp(name, "core") == 0)
		return reading_core(reading, object);
	if (strcmp(name, "event") == 0)
		return reading_event(reading, object);
	for (size_t i = 0; i < sizeof(records) / sizeof(*records); i++) {
		if (strcmp(records[i].name, name) != 0)
			continue;
		if (!record_integer(object, "id", 1, INT32_MAX, &id))
			return "a record without its id";
		return records[i].read(reading, object, (unsigned)id);
	}
	/* One that a later slexplore of the same format writes. */
	return NULL;
}

void reading_init(struct reading *reading, struct replay *replay)
{
	*reading = (struct reading){ .replay = replay };
	reading_forget(reading);
}

void reading_free(struct reading *reading)
{
	explained_free(&reading->explained);
	json_decref(reading->unfinished);
}

/* One whole record. */
static struct status take_record(struct reading *reading, const json_t *object)
{
	const char *name = json_string_value(json_object_get(object, "record")), *why = NULL;

	if (name && strcmp(name, "recording") == 0)
		return reading_header(reading, object);
	if (!reading->begun)
		return status_make(
			STATUS_USAGE, "not a recording of slexplore: line 1 does not begin one");
	why = name ? read_record(reading, object, name) : "no record's name";
	if (why)
		reading_damaged(reading, "%s", why);
	return status_ok();
}

/* Whether the line continues the record that is not whole yet. */
static bool continues(const struct reading *reading, const json_t *object)
{
	const json_t *whole = reading->unfinished;
	const char *name = json_string_value(json_object_get(object, "record"));

	return whole && name && strcmp(name, "more") == 0 &&
	       json_equal(json_object_get(whole, "record"), json_object_get(object, "of")) &&
	       json_equal(json_object_get(whole, "id"), json_object_get(object, "id"));
}

static void forget_unfinished(struct reading *reading)
{
	if (!reading->unfinished)
		return;
	reading_damaged(reading, "the record before it is not whole");
	json_decref(reading->unfinished);
	reading->unfinished = NULL;
}

struct status reading_line(struct reading *reading, const char *line, size_t length)
{
	json_error_t error;
	json_t *object = json_loadb(line, length, JSON_REJECT_DUPLICATES, &error);
	struct status status = status_ok();
	int64_t more;

	if (!object && reading->begun) {
		struct text words = { 0 };

		text_add_clean(&words, error.text, sizeof(reading->damaged.why) - 1);
		reading_damaged(reading, "%s", text_string(&words));
		text_free(&words);
		return status;
	}
	if (continues(reading, object)) {
		record_join(reading->unfinished, object);
		if (--reading->awaited == 0) {
			status = take_record(reading, reading->unfinished);
			json_decref(reading->unfinished);
			reading->unfinished = NULL;
		}
	} else {
		forget_unfinished(reading);
		if (reading->begun && record_integer(object, "more", 1, MORE_LINES, &more)) {
			reading->unfinished = json_incref(object);
			reading->awaited = (unsigned)more;
		} else {
			status = take_record(reading, object);
		}
	}
	json_decref(object);
	return status;
}
