#include "experiment/advice/explainer.h"

#include <stdio.h>
#include <string.h>

static enum uarch_match recognise(
	void *context, const struct machine *machine, char name[CORE_NAME], char why[160])
{
	(void)context;
	return uarch_recognise(machine, name, why);
}

/* What panels say of a model that is loaded. */
static void name_core(struct core *core)
{
	snprintf(core->name, sizeof(core->name), "%s", uarch_name(core->uarch));
	snprintf(core->title, sizeof(core->title), "%s", uarch_title(core->uarch));
	core->port_count = uarch_port_count(core->uarch);
	for (int i = 0; i < core->port_count && i < UARCH_PORTS; i++) {
		snprintf(core->port[i], sizeof(core->port[i]), "%s", uarch_port(core->uarch, i));
		core->unit[i] = uarch_port_is_unit(core->uarch, i);
	}
}

static struct status load(void *context, const char *name, const char *isa, struct core *core)
{
	struct status status;

	(void)context;
	memset(core, 0, sizeof(*core));
	status = uarch_load(name, isa, &core->uarch);
	if (status_is_ok(&status))
		name_core(core);
	return status;
}

static struct status read_text(void *context, const char *text, struct core *core)
{
	struct status status;

	(void)context;
	memset(core, 0, sizeof(*core));
	status = uarch_parse(text, "what was measured", &core->uarch);
	if (status_is_ok(&status))
		name_core(core);
	return status;
}

static void unload(void *context, struct core *core)
{
	(void)context;
	uarch_free(core->uarch);
	memset(core, 0, sizeof(*core));
}

static void ask(
	void *context, const struct explain_question *question, struct explanation *explanation)
{
	(void)context;
	explain(question, explanation);
}

static void events(void *context, const struct machine *machine, const char *const *extra,
	int extra_count, struct event_plan *plan)
{
	(void)context;
	events_plan_here(machine, extra, extra_count, plan);
}

static double modelled(
	void *context, const struct uarch_event *meaning, const struct explanation *explanation)
{
	(void)context;
	return events_modelled(meaning, explanation);
}

const struct explainer explainer_model = { NULL, recognise, load, unload, ask, events, modelled,
	read_text, true };
