#include "cli/event_text.h"

#include "engine/counters.h"
#include "model/choice.h"

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
		fprintf(report->out, "counters  %s\n", survey->tried ? "tried on this machine" :
			report->core->foreign ? "not tried: another core's" : "not tried");
	fprintf(report->out, "lacking   ");
	for (int i = 0; i < survey->lacking_count; i++)
		fprintf(report->out, "%s%s", i ? ", " : "", role_title(survey->lacking[i]));
	fprintf(report->out, "%s\n\n", survey->lacking_count ? "" : "nothing");
}

void event_text(struct report *report, const struct event_line *event)
{
	if (report->survey->words) {
		fprintf(report->out, "%s\n", event->name);
		if (*event->help)
			fprintf(report->out, "    %s\n", event->help);
	} else {
		fprintf(report->out, "  %-34s %s\n", event->title, event->name);
		if (*event->note)
			fprintf(report->out, "  %-34s %s\n", "", event->note);
	}
	report->records++;
}

void event_text_end(struct report *report)
{
	if (report->survey->words)
		fprintf(report->out, "%u event%s\n", report->records, report->records == 1 ? "" : "s");
}
