#include "recording/replay.h"

#include <errno.h>
#include <jansson.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "base/file.h"
#include "base/text.h"
#include "recording/records.h"
#include "recording/replay_records.h"

/* ---- Records and the functions that read them ---- */

/* Largest number of lines after the first that a long record in a recording may have. No record in
 * a recording needs so many further lines. */
enum { MORE_LINES = 64 };

/* The kinds of records in a recording that belong to a setting. */
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
	{ "slack", reading_slack },
	{ "resource", reading_resource },
	{ "costs", reading_costs },
	{ "cost", reading_cost },
	{ "gap", reading_gap },
	{ "cause", reading_cause },
};

/* Returns the reason why the recording's record cannot be used, or NULL if the record was used. */
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
	if (reading_is_shared(reading, name))
		return record_integer(object, "id", 1, INT32_MAX, &id)
			       ? reading_share(reading, object, (unsigned)id)
			       : "a record without its id";
	for (size_t i = 0; i < sizeof(records) / sizeof(*records); i++) {
		if (strcmp(records[i].name, name) != 0)
			continue;
		if (!record_integer(object, "id", 1, INT32_MAX, &id))
			return "a record without its id";
		return records[i].read(reading, object, (unsigned)id);
	}
	/* An unknown kind of record in a recording is ignored, because a later slexplore may write
	 * new kinds of records in the same format. */
	return NULL;
}

/* Handles one complete record. */
static struct status take_record(struct reading *reading, const json_t *object)
{
	const char *name = json_string_value(json_object_get(object, "record")), *why = NULL;

	if (name && strcmp(name, "recording") == 0)
		return reading_header(reading, object);
	if (!reading->begun)
		return status_usage("not a recording of slexplore: line 1 is not the first record "
				    "of a recording");
	why = name ? read_record(reading, object, name) : "no record's name";
	if (why)
		reading_leave_out(reading, LEFT_OUT_DAMAGED, "%s", why);
	return status_ok();
}

/* Returns whether the line of the recording continues the incomplete record. */
static bool continues(const struct reading *reading, const json_t *object)
{
	const json_t *whole = reading->unfinished;
	const char *name = json_string_value(json_object_get(object, "record"));

	return whole && name && strcmp(name, "more") == 0 &&
	       json_equal(json_object_get(whole, "record"), json_object_get(object, "of")) &&
	       json_equal(json_object_get(whole, "id"), json_object_get(object, "id"));
}

static struct status reading_line(struct reading *reading, const char *line, size_t length)
{
	json_error_t error;
	json_t *object = json_loadb(line, length, JSON_REJECT_DUPLICATES, &error);
	struct status status = status_ok();
	int64_t more;

	if (!object && reading->begun) {
		char why[sizeof(error.text)];

		text_copy_clean(why, sizeof(why), error.text);
		reading_leave_out(reading, LEFT_OUT_DAMAGED, "%s", why);
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
		if (reading->unfinished)
			reading_leave_out(
				reading, LEFT_OUT_DAMAGED, "the previous record is not complete");
		json_decref(reading->unfinished);
		reading->unfinished = NULL;
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

/* ---- reading the file ---- */

/* Reads lines from a stream. Each line of a recording has at most RECORD_MOST bytes, including its
 * newline. */
struct lines {
	FILE *file;
	uint64_t bytes;
	char line[RECORD_MOST + 1];
	size_t length;
	bool whole;    /* true if the line of the recording ended with a newline */
	bool long_one; /* true if the line was too long, and was skipped */
	bool begun;    /* true after the first line of the recording was read */
};

/* Reads the next line. Returns false at the end of the recording's file or pipe. */
static bool next_line(struct lines *lines)
{
	int c;

	lines->length = 0;
	lines->whole = lines->long_one = false;
	while (lines->bytes < REPLAY_FILE && (c = getc_unlocked(lines->file)) != EOF) {
		lines->bytes++;
		if (c == '\n') {
			lines->whole = true;
			return true;
		}
		if (lines->length < RECORD_MOST - 1)
			lines->line[lines->length++] = (char)c;
		else
			lines->long_one = true;
		/* A file whose first line is too long is not a recording. */
		if (lines->long_one && !lines->begun)
			return true;
	}
	return lines->length > 0;
}

static struct status read_lines(struct replay *replay, struct reading *reading, struct lines *lines)
{
	while (!reading->over && next_line(lines)) {
		struct status status = status_ok();

		reading->line++;
		lines->begun = reading->line > 1 || !lines->long_one;
		if (lines->long_one && !reading->begun)
			return status_usage("%.120s: not a recording of slexplore", replay->name);
		if (lines->long_one)
			reading_leave_out(
				reading, LEFT_OUT_DAMAGED, "longer than %d bytes", RECORD_MOST);
		else
			status = reading_line(reading, lines->line, lines->length);
		if (!status_is_ok(&status))
			return status_make(
				status.code, "%.100s: %.140s", replay->name, status.text);
	}
	if (ferror(lines->file))
		return file_unread(replay->name);
	if (reading->line == 0)
		return status_usage("%.120s is empty: no recording", replay->name);
	if (lines->bytes >= REPLAY_FILE)
		text_addf(&replay->notes, "%s: only the first %llu MiB were read\n", replay->name,
			(unsigned long long)(REPLAY_FILE >> 20));
	return status_ok();
}

static void take_notes(struct replay *replay, const struct reading *reading)
{
	static const struct {
		const char *one, *many;
	} words[LEFT_OUT_KINDS] = {
		[LEFT_OUT_DAMAGED] = { "damaged line", "damaged lines" },
		[LEFT_OUT_ABSENT] = { "setting", "settings that this slexplore does not have" },
		[LEFT_OUT_BARE] = { "setting", "settings without trials" },
		[LEFT_OUT_BEYOND] = { "setting", "settings" },
	};

	for (int i = 0; i < LEFT_OUT_KINDS; i++) {
		const struct left_out *left_out = &reading->left_out[i];

		if (left_out->count == 0)
			continue;
		text_addf(
			&replay->notes, "%s:%u: %s; ", replay->name, left_out->line, left_out->why);
		if (left_out->count == 1)
			text_addf(&replay->notes, "this %s is left out\n", words[i].one);
		else
			text_addf(&replay->notes, "this and %u more %s are ignored\n",
				left_out->count - 1, words[i].many);
	}
}

static struct status read_file(struct replay *replay)
{
	struct lines lines = { .file = NULL };
	struct reading *reading;
	struct status status = file_open(replay->path, &lines.file);

	if (!status_is_ok(&status))
		return status;
	reading = memory_new(1, sizeof(*reading));
	reading->replay = replay;
	reading_forget(reading);
	status = read_lines(replay, reading, &lines);
	fclose(lines.file);
	take_notes(replay, reading);
	free(reading->explained.run);
	reading_end_run(reading);
	free(reading->shared);
	free(reading->sampled);
	json_decref(reading->unfinished);
	free(reading);
	return status;
}

struct status replay_read(const char *path, struct replay **replay)
{
	struct replay *new = memory_new(1, sizeof(*new));
	const char *slash = strrchr(path, '/');
	struct status status;

	*replay = NULL;
	new->path = memory_string(path);
	new->event = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	text_copy_clean(new->name, sizeof(new->name), slash && slash[1] ? slash + 1 : path);
	if (new->event < 0)
		status = status_failed("%.120s: %s", new->name, strerror(errno));
	else
		status = read_file(new);
	if (!status_is_ok(&status)) {
		replay_free(new);
		return status;
	}
	*replay = new;
	return status;
}

struct status replay_open(const char *path, struct replay **replay)
{
	struct status status = replay_read(path, replay);
	const char *notes;

	if (!status_is_ok(&status) || (*replay)->settings.count > 0)
		return status;
	/* The first note begins with the name, and ends its line. */
	notes = replay_summary(*replay).notes;
	if (*notes)
		notes += strlen((*replay)->name) + 1;
	status = status_usage("%.100s: none of the recorded settings can be shown%s%.*s",
		(*replay)->name, *notes ? ": line " : "", (int)strcspn(notes, "\n"), notes);
	replay_free(*replay);
	*replay = NULL;
	return status;
}
