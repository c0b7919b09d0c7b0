/* The core model as batch commands use it: chosen once, asked about one setting after another. */
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
	struct memory_probe memory;
	struct event_plan events; /* to count: the running core's, and those asked for; its id is 0
				     where there are none */
};

/* Chooses the core by cli->uarch, or the running one, and what to count. An unrecognised core is no
 * error: nothing is predicted then, and a note says so. machine must outlive the model. */
struct status model_open(struct model *model, const struct cli *cli, const struct machine *machine);
void model_close(struct model *model);

struct bench;

/* Measures L3 and memory for the model once, when a working set reaches there. Nothing happens for
 * a core of which there is no model, nor after a signal. */
void model_measure(struct model *model, struct bench *bench, const struct setting *setting);

/* Whether model_measure() would submit a request for this setting. */
bool model_measures(const struct model *model, const struct setting *setting);

/* The best size of the setting's blocks, from the measurements so far; false: it has no blocks, or
 * nothing is known. */
bool model_blocks(struct model *model, const struct setting *setting, struct blocks *blocks);

/* Notes why events that the user named have no counts. counts: what came
 * first of them all. */
void model_notes(const struct model *model, const struct cli *cli, const struct counts *counts);

/* The limits of the setting, valid until the next call. NULL without a core model. Its
 * own status says whether the code could be read. */
const struct explanation *model_explain(struct model *model, const struct setting *setting);
