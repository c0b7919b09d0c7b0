/* Reads lines with JSON records into measured values. See compared.h. */
#include <errno.h>
#include <inttypes.h>
#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "base/text.h"
#include "base/units.h"
#include "engine/measure/trials.h"
#include "kernels/kernel.h"
#include "recording/compare/compared_parse.h"
#include "recording/compare/compared_records.h"
#include "recording/compare/kept.h"
#include "recording/record.h"

/* LINE_MOST: bytes of the longest line that is searched for records; two records may be in one line
 * after a cut. CUT_MOST: after this number of cut records, the rest of a line is not searched,
 * because each search may read the line to its end. MORE_MOST: the largest number of lines "more"
 * that continue a long record. UNFINISHED_MOST: the largest number of long records at the same
 * time, whose lines other records may separate. */
enum { LINE_MOST = 16384, CUT_MOST = 16, MORE_MOST = 64, UNFINISHED_MOST = 512 };

/* A long record that is split over several lines, not all of which are read yet. */
struct unfinished {
	json_t *whole;
	int source;
	int64_t id, awaited;
	unsigned lines;
	struct unfinished *next;
};

struct reader {
	struct compared *compared;
	int file, side;
	uint64_t line;
	char host[64]; /* host of the recording that is being read; "": no recording */
	struct unfinished *unfinished;
	int unfinished_count;
};

/* ---- Lines */

/* Adds a line "more" to the long record that the line continues. Sets *whole to the long record if
 * all its lines are read, else to NULL. */
static bool continue_record(
	struct reader *reader, int source, const json_t *object, struct unfinished **whole)
{
	int64_t id = json_integer_value(json_object_get(object, "id"));
	struct unfinished **at = &reader->unfinished;

	*whole = NULL;
	while (*at && ((*at)->source != source || (*at)->id != id ||
			      strcmp(compared_word((*at)->whole, "record"),
				      compared_word(object, "of")) != 0))
		at = &(*at)->next;
	if (!*at)
		return false;
	record_join((*at)->whole, object);
	(*at)->lines++;
	if (--(*at)->awaited == 0) {
		*whole = *at;
		*at = (*whole)->next;
		reader->unfinished_count--;
	}
	return true;
}

/* Returns whether two runs on one machine may write two equal lines of this kind, such as a fact of
 * the core. */
static bool may_repeat(const json_t *object, const char *kind)
{
	return strcmp(kind, "sample") != 0 && strcmp(kind, "trials") != 0 &&
	       !compared_begins(object, kind);
}

/* Returns the index of the source (host in a file) of a record; -1: the record names no host, and
 * belongs to no recording. */
static int source_of(struct reader *reader, const json_t *object, const char *kind)
{
	char host[sizeof(reader->host)];

	text_copy_clean(host, sizeof(host), compared_word(object, "host"));
	if (strcmp(kind, "recording") == 0)
		snprintf(reader->host, sizeof(reader->host), "%s", *host ? host : "unknown");
	if (!*host)
		snprintf(host, sizeof(host), "%s", reader->host);
	return *host ? compared_source(reader->compared, reader->file, reader->side, host) : -1;
}

/* Takes the values of a complete record, and keeps the record if the caller asked for records. */
static enum line_group take_record(
	struct compared *compared, int source, json_t *object, const char *kind)
{
	if (compared->kept)
		kept_add(compared->kept, compared, source, object, kind);
	return compared_take(compared, source, object, kind);
}

static enum line_group take_object(
	struct reader *reader, json_t *object, const char *bytes, size_t length)
{
	struct compared *compared = reader->compared;
	const char *kind = compared_word(object, "record");
	enum line_group group;
	struct compared_source *from;
	uint64_t seed, hash;
	int64_t more;
	int source;

	if (!*kind)
		return LINES_OTHER;
	if (!compared_knows(kind)) {
		char clean[40];

		text_copy_clean(clean, sizeof(clean), kind);
		intern_add(&compared->kinds, clean);
		return LINES_UNKNOWN;
	}
	source = source_of(reader, object, kind);
	if (source < 0)
		return LINES_HOMELESS;
	from = &compared->source[source];
	seed = (uint64_t)source + 1;
	hash = intern_hash(may_repeat(object, kind) ? seed ^ from->report : seed, bytes, length);
	if (compared_begins(object, kind))
		from->report = hash;
	if (!intern_add_hash(&compared->seen, hash))
		return LINES_REPEATED;
	if (strcmp(kind, "more") == 0) {
		struct unfinished *whole;

		if (!continue_record(reader, source, object, &whole))
			return LINES_UNFINISHED;
		if (!whole)
			return LINE_GROUPS;
		group = take_record(
			compared, source, whole->whole, compared_word(whole->whole, "record"));
		compared->group[group] += whole->lines - 1;
		json_decref(whole->whole);
		free(whole);
		return group;
	}
	if (record_integer(object, "more", 1, MORE_MOST, &more)) {
		struct unfinished *new;

		if (reader->unfinished_count == UNFINISHED_MOST)
			return LINES_UNFINISHED;
		new = memory_new(1, sizeof(*new));
		*new = (struct unfinished){ .whole = json_incref(object),
			.source = source,
			.id = json_integer_value(json_object_get(object, "id")),
			.awaited = more,
			.lines = 1,
			.next = reader->unfinished };
		reader->unfinished = new;
		reader->unfinished_count++;
		return LINE_GROUPS;
	}
	return take_record(compared, source, object, kind);
}

/* Finds the records in a line. Other programs may write text before or after a record, and a cut
 * may join two records in one line. Returns the group in which the line is counted; LINE_GROUPS:
 * the line belongs to a long record, and is counted with it later. */
static enum line_group take_line(struct reader *reader, const char *line, size_t length)
{
	static const char beginning[] = "{\"v\":";
	enum line_group best = LINES_OTHER;
	const char *end = line + length, *next = line;
	uint64_t cut = 0;
	bool beside = false, begun = false;

	for (const char *at = line; at < end && cut < CUT_MOST; at = next) {
		const char *found = memmem(at, (size_t)(end - at), beginning, strlen(beginning));
		enum line_group group;
		json_t *object;
		size_t used;

		beside |= found != at;
		if (!found)
			break;
		object = compared_parse(found, (size_t)(end - found), &used);
		if (!object) {
			cut++;
			next = found + 1;
			continue;
		}
		next = found + used;
		group = take_object(reader, object, found, (size_t)(next - found));
		if (!begun || group > best)
			best = group;
		begun = true;
		json_decref(object);
	}
	reader->compared->cut += cut;
	reader->compared->beside += begun && beside;
	return begun ? best : cut ? LINES_CUT : LINES_OTHER;
}

static void count_line(struct reader *reader, enum line_group group)
{
	struct compared *compared = reader->compared;

	if (group == LINE_GROUPS)
		return;
	compared->group[group]++;
	if (group <= LINES_HOMELESS && !compared->first_line) {
		compared->first_file = reader->file;
		compared->first_line = reader->line;
		compared->first_group = group;
	}
}

/* A line that is being read. */
struct line {
	char bytes[LINE_MOST];
	size_t length, size; /* stored bytes; all bytes */
	bool begun;
};

/* Adds bytes to a line. A line that is longer than the buffer is searched up to the end of the
 * buffer, and counts as a cut record. */
static void extend_line(struct line *line, const char *bytes, size_t count)
{
	size_t room = sizeof(line->bytes) - line->length, stored = count < room ? count : room;

	memcpy(line->bytes + line->length, bytes, stored);
	line->length += stored;
	line->size += count;
	line->begun |= count > 0;
}

static void end_line(struct reader *reader, struct line *line)
{
	size_t length = line->length;

	reader->line++;
	reader->compared->lines++;
	reader->compared->cut += line->size > length;
	while (length && line->bytes[length - 1] == '\r')
		length--;
	count_line(reader, take_line(reader, line->bytes, length));
	line->length = line->size = 0;
	line->begun = false;
}

static void read_lines(struct reader *reader, FILE *file)
{
	char block[1 << 16];
	struct line line;
	size_t count;

	line.length = line.size = 0;
	line.begun = false;
	while ((count = fread(block, 1, sizeof(block), file)) > 0) {
		const char *at = block, *end = block + count, *newline;

		while ((newline = memchr(at, '\n', (size_t)(end - at)))) {
			extend_line(&line, at, (size_t)(newline - at));
			end_line(reader, &line);
			at = newline + 1;
		}
		extend_line(&line, at, (size_t)(end - at));
	}
	if (line.begun)
		end_line(reader, &line);
}

struct status compared_read_stream(
	struct compared *compared, const char *name, FILE *file, int side)
{
	struct reader reader = { .compared = compared, .side = side };

	reader.file = intern_add(&compared->files, name);
	errno = 0;
	read_lines(&reader, file);
	while (reader.unfinished) {
		struct unfinished *first = reader.unfinished;

		compared->group[LINES_UNFINISHED] += first->lines;
		reader.unfinished = first->next;
		json_decref(first->whole);
		free(first);
	}
	return ferror(file) ? file_unread(name) : status_ok();
}

struct status compared_read(struct compared *compared, const char *path, int side)
{
	struct status status;
	FILE *file;

	if (strcmp(path, "-") == 0) {
		status = file_check_input();
		return status_is_ok(&status)
			       ? compared_read_stream(compared, "standard input", stdin, side)
			       : status;
	}
	status = file_open(path, &file);
	if (!status_is_ok(&status))
		return status;
	status = compared_read_stream(compared, path, file, side);
	fclose(file);
	return status;
}
