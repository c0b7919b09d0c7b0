/* Inside what writes and reads JSON records: a record in the making. jansson's own type, named here
 * so that no header includes jansson. */
#ifndef SLX_RECORDING_RECORDS_JSON_H
#define SLX_RECORDING_RECORDS_JSON_H

#include <stddef.h>

#include "experiment/setting/setting.h"
#include "recording/records.h"

struct json_t;
struct explanation;

/* A record of that name: its version, the id it carries, and the host where records have one.
 * record_write() takes it. */
struct json_t *record_new(const struct records *records, const char *name, unsigned id);

/* Cleans the string, and cuts it to `most` bytes. */
void record_set_string(struct json_t *object, const char *key, const char *value, size_t most);

/* A figure that is not finite is left out: unavailable is never 0. */
void record_set_real(struct json_t *object, const char *key, double value);

/* A knob's value: of a choice its name. The knobs of a setting as an object. */
struct json_t *record_knob_value(const struct knob *knob, int64_t value);
struct json_t *record_knobs(const struct setting *setting);

/* Expected misses of L1 … L3, and those in other caches (NULL: not asked). Nothing where they are
 * not known. */
void record_set_misses(
	struct json_t *object, const struct misses *misses, const struct misses *then);

/* What binds, for whom, and what is predicted: left out where it is unknown. uarch: the core's
 * name; may be NULL. */
void record_set_limits(
	struct json_t *object, const char *uarch, const struct explanation *explanation);

/* The record that tells an explanation's figures (machine and uarch: names, NULL: not said), and
 * that of an instruction. */
struct json_t *record_explain(const struct records *records, const struct setting *setting,
	const struct explanation *explanation, const char *machine, const char *uarch, unsigned id);
struct json_t *record_insn(const struct records *records, const struct explanation *explanation,
	int index, unsigned id);

/* Bytes that it takes in a line. */
size_t record_bytes(const struct json_t *value);

/* Writes it as one line of at most RECORD_MOST bytes: what can be done without goes first, then
 * strings are cut. Frees it. */
void record_write(const struct records *records, struct json_t *object);

#endif
