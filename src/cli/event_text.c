#include "cli/event_text.h"

#include <string.h>

#include "engine/counters/counters.h"
#include "model/core/uarch.h"

/* Columns of titles and of names; longer ones have lines of their own. */
enum { TITLE = 30, NAME = 38 };

static void tell_core(const struct report *report)
{
	const struct event_survey *survey = report->survey;
	const struct uarch *uarch = report->core->uarch;

	fprintf(report->out, "core      %s\n", uarch ? uarch_title(uarch) : "not recognised");
	if (survey->generic)
		fprintf(report->out, "events    those that the kernel names for every processor\n");
	else
		fprintf(report->out, "events    as libpfm %s spells them%s%s\n", counters_version(),
			*survey->pmu ? ", PMU " : "", survey->pmu);
	if (*survey->doubt)
		fprintf(report->out, "          %s\n", survey->doubt);
}

void event_text_begin(struct report *report)
{
	const struct event_survey *survey = report->survey;

	if (survey->words)
		return;
	tell_core(report);
	if (*survey->why)
		fprintf(report->out, "counters  none here: %s\n", survey->why);
	else
		fprintf(report->out, "counters  %s\n",
			survey->tried		? "tried on this machine"
			: report->core->foreign ? "not tried: another core's"
						: "not tried");
	fprintf(report->out, "lacking   ");
	for (int i = 0; i < survey->lacking_count; i++)
		fprintf(report->out, "%s%s", i ? ", " : "", role_title(survey->lacking[i]));
	fprintf(report->out, "%s\n\n", survey->lacking_count ? "" : "nothing");
}

/* What stands behind an event's name: beside it where there is room, else below. */
static void tell_event(FILE *out, const struct event_line *event)
{
	const char *outcome = *event->note			   ? event->note
			      : strcmp(event->state, "known") == 0 ? "counted"
								   : "";

	if (strlen(event->title) > TITLE)
		fprintf(out, "  %s\n  %-*s ", event->title, TITLE, "");
	else
		fprintf(out, "  %-*s ", TITLE, event->title);
	if (!*outcome)
		fprintf(out, "%s\n", event->name);
	else if (strlen(event->name) <= NAME)
		fprintf(out, "%-*s %s\n", NAME, event->name, outcome);
	else
		fprintf(out, "%s\n  %-*s %-*s %s\n", event->name, TITLE, "", NAME, "", outcome);
}

void event_text(struct report *report, const struct event_line *event)
{
	if (!report->survey->words)
		tell_event(report->out, event);
	else
		fprintf(report->out, "%s\n%s%s%s", event->name, *event->help ? "    " : "",
			event->help, *event->help ? "\n" : "");
	report->records++;
}

void event_text_end(struct report *report)
{
	if (report->survey->words)
		fprintf(report->out, "%u event%s\n", report->records,
			report->records == 1 ? "" : "s");
}
