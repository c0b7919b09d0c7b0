#include "cli/model.h"

#include <stdlib.h>
#include <strings.h>

#include "base/interrupt.h"
#include "base/monotonic.h"
#include "base/text.h"
#include "cli/bench.h"
#include "cli/cli.h"
#include "experiment/advice/gap.h"

/* Plans the events to count. The events are always events of the running core, even if limits are
 * computed for another core. */
static void plan_events(struct model *model, const struct cli *cli)
{
	struct event_plan *plan = &model->events;

	/* A subcommand without the option --event measures nothing and needs no events. */
	if (cli->command && !cli_takes(cli->command, "event"))
		return;
	if (model->core.foreign)
		events_plan_here(model->machine, cli->events, cli->event_count, plan);
	else
		events_plan(model->core.uarch, cli->events, cli->event_count, plan);
	plan->counters.id = plan->counters.count > 0;
}

struct status model_open(struct model *model, const struct cli *cli, const struct machine *machine)
{
	struct status status;

	*model = (struct model){ .machine = machine, .seed = cli->seed };
	memory_probe_init(&model->memory);
	status = uarch_choose(cli->uarch, machine, &model->core);
	if (!status_is_ok(&status))
		return status;
	if (!model->core.uarch && *model->core.nearest)
		cli_note(cli, "no limits: %s; --uarch %s uses that core model", model->core.how,
			model->core.nearest);
	else if (!model->core.uarch)
		cli_note(cli, "no limits: %s", model->core.how);
	else if (model->core.foreign)
		cli_note(cli, "limits are %s", model->core.how);
	else if (model->core.fits)
		cli_note(cli, "limits are of %s (%s)", model->core.uarch->title, model->core.how);
	if (model->core.uarch)
		model->explanation = explanation_new();
	plan_events(model, cli);
	return status;
}

struct status model_missing(const struct model *model)
{
	return *model->core.nearest
		       ? status_failed("%s; --uarch %s explains the loop for that core",
				 model->core.how, model->core.nearest)
		       : status_failed("%s; --uarch NAME chooses a core model", model->core.how);
}

void model_close(struct model *model)
{
	explanation_free(model->explanation);
	uarch_choice_free(&model->core);
	model->explanation = NULL;
}

/* Whether the limits of the setting need one more measured latency of L3 or memory. If a
 * measurement is needed, fills *request. */
static bool next_request(struct memory_probe *memory, const struct model *model,
	const struct setting *setting, struct request *request)
{
	uint64_t bytes = kernel_reach(setting->kernel, setting->v);

	return model->core.uarch && !model->core.foreign &&
	       memory_probe_next(memory, model->machine, bytes, model->seed, request);
}

bool model_measures(const struct model *model, const struct setting *setting)
{
	struct memory_probe memory = model->memory;
	struct request request;

	return !interrupt_signal() && next_request(&memory, model, setting, &request);
}

void model_measure(struct model *model, struct bench *bench, const struct setting *setting)
{
	const struct uarch_cache *second =
		model->core.uarch ? uarch_cache(model->core.uarch, 2) : NULL;
	struct result *result;
	struct request request;

	if (!model->core.uarch)
		return;
	result = memory_new(1, sizeof(*result));
	while (!interrupt_signal() && next_request(&model->memory, model, setting, &request)) {
		if (!bench_measure(bench, &request, result))
			break;
		model->explained.kernel = NULL;
		memory_probe_accept(
			&model->memory, model->machine, second ? second->latency : 0, result);
	}
	free(result);
	model->memory_at = monotonic_seconds();
}

bool model_drifted(struct model *model, const struct setting *setting, const struct sample *sample,
	double seconds)
{
	const struct explanation *explanation = model_explain(model, setting);

	return explanation && !model->core.foreign && !setting->kernel->own &&
	       monotonic_seconds() - model->memory_at >= seconds &&
	       memory_probe_drifted(&explanation->limits, sample, GAP_PREDICTED);
}

void model_renew(struct model *model, struct bench *bench, const struct setting *setting)
{
	memory_probe_renew(&model->memory);
	model_measure(model, bench, setting);
}

/* Whether the user requested this event by name (--event). The user can also request an event that
 * the core's file lists. */
static bool asked_for(const struct cli *cli, const char *name)
{
	for (int i = 0; i < cli->event_count; i++)
		if (strcasecmp(cli->events[i], name) == 0)
			return true;
	return false;
}

void model_notes(const struct model *model, const struct cli *cli, const struct counts *counts)
{
	const struct event_plan *plan = &model->events;

	if (cli->event_count == 0)
		return;
	if (plan->left_out)
		cli_note(cli,
			"%d requested events are not counted: slexplore counts at most %d events",
			plan->left_out, COUNTERS_MAX);
	if (counts->count == 0) {
		cli_note(
			cli, "nothing could be counted%s%s", *counts->why ? ": " : "", counts->why);
		return;
	}
	for (int i = 0; i < counts->count && i < plan->counters.count; i++) {
		char words[160];

		if (!asked_for(cli, plan->counters.event[i].name) || count_known(&counts->event[i]))
			continue;
		count_words(&counts->event[i], words, sizeof(words));
		cli_note(cli, "%s is unavailable: %s", plan->counters.event[i].name, words);
	}
}

const struct explanation *model_explain(struct model *model, const struct setting *setting)
{
	struct explain_question question = {
		.kernel = setting->kernel,
		.v = setting->v,
		.seed = model->seed,
		.uarch = model->core.uarch,
		.foreign = model->core.foreign,
		.machine = model->machine,
		.measured = model->memory.facts,
	};

	if (!model->core.uarch)
		return NULL;
	if (!model->explained.kernel || !setting_equal(&model->explained, setting))
		explain(&question, model->explanation);
	model->explained = *setting;
	return model->explanation;
}

struct cache_sizes model_caches(const struct model *model)
{
	return cache_sizes(
		model->machine, model->core.uarch, model->core.foreign, &model->memory.facts);
}

bool model_blocks(struct model *model, const struct setting *setting,
	const struct misses_whatif *whatif, struct blocks *blocks)
{
	struct blocks_question question = { .setting = setting,
		.caches = model_caches(model),
		.explanation = model_explain(model, setting),
		.measured = &model->memory.facts };

	if (whatif)
		question.caches = misses_whatif_caches(whatif, &question.caches);
	return blocks_find(&question, blocks);
}
