/* Lines of records, written by the test and read as a file of measured values.
 *
 * The fixtures are begin() and end(). */
#pragma once

#include "check.h"

#include "base/random.h"
#include "base/text.h"
#include "recording/compare/differ.h"

static struct text lines;
static struct compared compared;

static inline int begin(void **state)
{
	text_clear(&lines);
	compared = (struct compared){ 0 };
	return 0;
}

static inline int end(void **state)
{
	text_free(&lines);
	compared_free(&compared);
	return 0;
}

/* Reads the lines as one file, and empties them. */
static inline void read_as(const char *name, int side)
{
	FILE *file = fmemopen(lines.bytes, lines.length, "r");
	struct status status;

	assert_non_null(file);
	status = compared_read_stream(&compared, name, file, side);
	assert_true(status_is_ok(&status));
	fclose(file);
	text_clear(&lines);
}

/* Adds the line of a sample of `run combine acc=ACC`, with quartiles 0.1 % beside the value. */
static inline void add_sample(const char *host, const char *machine, int id, int acc, double cpe)
{
	text_addf(&lines,
		"{\"v\":1,\"record\":\"sample\",\"id\":%d,\"host\":\"%s\",\"machine\":\"%s\","
		"\"kernel\":\"combine\",\"knobs\":{\"op\":\"mul\",\"type\":\"f64\",\"unroll\":4,"
		"\"acc\":%d,\"size\":16384,\"pages\":\"auto\"},\"cpe\":%.6f,\"cpe_lo\":%.6f,"
		"\"cpe_hi\":%.6f,\"quiet\":1.0,\"ghz\":3.7,\"pages\":\"huge\"}\n",
		id, host, machine, acc, cpe, 0.999 * cpe, 1.001 * cpe);
}
