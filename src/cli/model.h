/* The core model for subcommands without a screen: the core is chosen once, then limits are
 * computed for one setting after another. */
#pragma once

#include "cli/cli.h"
#include "experiment/memory.h"
#include "experiment/setting/setting.h"
#include "experiment/sweep/blocks.h"
#include "model/core/uarch.h"
#include "model/counts/events.h"
#include "model/limits/explain.h"

struct model {
	struct uarch_choice core;
	const struct machine *machine;
	uint64_t seed;
	struct explanation *explanation;
	struct setting explained; /* the setting that `explanation` explains; its kernel is NULL if
				     no setting was explained yet */
	struct memory_probe memory;
	double memory_at; /* time of the last measurement of L3 or memory (base/monotonic.h) */
	/* The events to count: the running core's events and the events that the user requested.
	 * events.id is 0 if no events are counted. */
	struct event_plan events;
};

/* Chooses the core (cli->uarch, or the running core) and the events to count. An unrecognised core
 * is no error: the model then predicts nothing, and a note reports the unrecognised core. `machine`
 * must stay valid until model_close(). */
struct status model_open(struct model *model, const struct cli *cli, const struct machine *machine);
void model_close(struct model *model);

/* Returns the failure of a subcommand that needs a core model, if there is none. */
struct status model_missing(const struct model *model);

struct bench;

/* Measures the latency of the L3 cache and of memory when a setting's working set first reaches
 * that level. Does nothing without a core model or after a signal. */
void model_measure(struct model *model, struct bench *bench, const struct setting *setting);

/* Whether model_measure() would submit a request for this setting. */
bool model_measures(const struct model *model, const struct setting *setting);

/* Whether the measured speed of a setting differs from its prediction, and the prediction uses
 * values of L3 or memory that are at least `seconds` old. model_renew() measures the values of L3
 * and memory again; afterwards, model_explain() computes the limits again. */
bool model_drifted(struct model *model, const struct setting *setting, const struct sample *sample,
	double seconds);
void model_renew(struct model *model, struct bench *bench, const struct setting *setting);

/* Returns the sizes of the caches for which the limits are computed. */
struct cache_sizes model_caches(const struct model *model);

/* Finds the best block size of the setting from the measurements so far, for the caches of `whatif`
 * if it is not NULL. Returns false if the setting has no blocks, or the best size is unknown. */
bool model_blocks(struct model *model, const struct setting *setting,
	const struct misses_whatif *whatif, struct blocks *blocks);

/* For each requested event that was not counted, prints a note with the reason. `counts` are the
 * event counts of the first sample. */
void model_notes(const struct model *model, const struct cli *cli, const struct counts *counts);

/* Returns the limits of the setting, valid until a call for another setting. Returns NULL if there
 * is no core model. If the kernel's code could not be decoded, the status in the explanation is an
 * error. A setting is explained once: a second explanation of a user's own loop may fail. */
const struct explanation *model_explain(struct model *model, const struct setting *setting);
