/* Inside replay_*.c: what each record of a recording says. Nothing is believed: every number has
 * its bounds, every string is cleaned. jansson's own type, named here so that no header includes
 * jansson. */
#ifndef SLX_RECORDING_REPLAY_READ_H
#define SLX_RECORDING_REPLAY_READ_H

#include "recording/record.h"
#include "recording/replay_state.h"

struct json_t;

/* Beyond these nothing was ever measured. */
#define MOST_CYCLES 1e12
#define MOST_BYTES  ((int64_t)1 << 46)
#define MOST_GBPS   1e9

/* ---- records: each returns why it cannot be used, or NULL ---- */

/* replay_place.c. The header may also say that this is nothing to play. */
struct status reading_header(struct reading *reading, const struct json_t *object);
void reading_machine(struct reading *reading, const struct json_t *object);
const char *reading_core(struct reading *reading, const struct json_t *object);
void reading_events(struct reading *reading, const struct json_t *object);
const char *reading_event(struct reading *reading, const struct json_t *object);
int reading_find_event(const struct event_plan *plan, const char *name);

/* replay_setting.c */
const char *reading_trials(struct reading *reading, const struct json_t *object, unsigned id);
const char *reading_facts(struct reading *reading, const struct json_t *object, unsigned id);
const char *reading_counters(struct reading *reading, const struct json_t *object, unsigned id);
const char *reading_sample(struct reading *reading, const struct json_t *object, unsigned id);
/* The setting that a record is of; false: it cannot be had here, which is noted where that is asked
 * for. */
bool reading_setting(
	struct reading *reading, const struct json_t *object, bool note, struct setting *setting);

/* replay_explained.c */
const char *reading_limit(struct reading *reading, const struct json_t *object, unsigned id);
const char *reading_ports(struct reading *reading, const struct json_t *object, unsigned id);
const char *reading_insn(struct reading *reading, const struct json_t *object, unsigned id);
const char *reading_modelled(struct reading *reading, const struct json_t *object, unsigned id);
const char *reading_explain(struct reading *reading, const struct json_t *object, unsigned id);
void reading_forget(struct reading *reading);

/* Counts a line, a setting or a sample that is left out, and keeps the first one's line and reason.
 */
void reading_leave_out(struct reading *reading, struct left_out *left_out, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

#endif
