/* Plays a recording (recording.h): the same explorer on what was measured elsewhere, on another
 * instruction set perhaps, or on a processor that counts. Nothing is measured, and no feature of
 * this machine is asked for.
 *
 * A recording may hold anything: what cannot be used is left out, counted, and told once
 * (replay_notes()). */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/status.h"
#include "base/text.h"
#include "engine/engine.h"
#include "experiment/advice/explainer.h"
#include "experiment/setting/setting.h"

/* What is held of a recording at most: settings, bytes in memory, bytes of the file. */
enum { REPLAY_SETTINGS = 50000 };
#define REPLAY_MEMORY ((uint64_t)256 << 20)
#define REPLAY_FILE   ((uint64_t)1 << 30)

struct replay;

/* Reads a recording. STATUS_USAGE when there is no such file, when it is none, when it was made by
 * a newer version, or holds no setting that can be shown; STATUS_FAILED when reading fails. */
struct status replay_open(const char *path, struct replay **replay);
/* The same, of one that may hold no setting yet. */
struct status replay_read(const char *path, struct replay **replay);
void replay_free(struct replay *replay); /* NULL: nothing */

/* Where it was made. */
struct replay_place {
	char host[64], program[32],
		time[32]; /* of the first run: the version that wrote it, and when, in UTC */
	uint64_t seed;
	enum uarch_match match;
	bool foreign, nearest; /* the core whose limits it has: as in struct view */
	char note[300];	       /* why it has none */
};

const char *replay_name(
	const struct replay *replay); /* of the file, without its directory, cleaned */
const char *replay_path(const struct replay *replay);
const struct replay_place *replay_place(const struct replay *replay);
const struct machine *replay_machine(const struct replay *replay);
const struct core *replay_core(const struct replay *replay); /* names alone; NULL: none */
const struct event_plan *replay_events(
	const struct replay *replay); /* NULL: nothing was to be counted */

/* Ignored lines and settings with the reasons, a line each; empty: none. */
const char *replay_notes(const struct replay *replay);

/* The settings that it holds, in the order in which they were first recorded. */
int replay_count(const struct replay *replay);
const struct setting *replay_setting(const struct replay *replay, int index);
int replay_find(
	const struct replay *replay, const struct setting *setting); /* -1: it holds none such */
unsigned replay_id(const struct replay *replay, int index);	     /* of its last sample */
unsigned replay_last_id(const struct replay *replay);		     /* the largest of all */
unsigned replay_trials(const struct replay *replay, int index);	     /* that the file has of it */
int replay_counted(const struct replay *replay, int index);	     /* events that were counted */
int replay_limits_known(const struct replay *replay,
	int index); /* known limits of its explanation; -1: none was recorded */
void replay_sample(const struct replay *replay, int index, struct sample *sample);

/* The engine and the explainer that answer from it: one user at a time, no longer than it. */
struct engine replay_engine(struct replay *replay);
struct explainer replay_explainer(struct replay *replay);

/* ---- moving among settings (replay_engine.c) ---- */

/* The first setting of a kernel; false: it holds none. */
bool replay_first(
	const struct replay *replay, const struct kernel *kernel, struct setting *setting);

/* The values of one knob that are held beside the other knobs' present ones, ascending: at most
 * `room`, which then leave some out, though never the present one. Returns how many. */
int replay_values(const struct replay *replay, const struct setting *setting, int knob,
	int64_t *values, int room);

/* Moves a knob by steps (not 0) to the next value that is held: beside the others' present values
 * if there is one, else with the fewest of them moved. Returns whether anything changed. */
bool replay_step(const struct replay *replay, struct setting *setting, int knob, int steps);

/* The setting held that is nearest to this one: knobs of `asked` (a bit each) first of all, then
 * those that are not, then as near as can be. False where the kernel has none, or none with the
 * choices that were asked for. */
bool replay_nearest(const struct replay *replay, struct setting *setting, unsigned asked);

/* "4k, 8k, 16k … 64m": the values of a knob that are held at all, for messages; and "4k…64m" (NULL:
 * not wanted). */
void replay_range(const struct replay *replay, const struct setting *setting, int knob, char *all,
	size_t size, char *ends, size_t ends_size);
