/* A core that measures itself, made up: so many percent of the way, or at its end. */
#include "canned.h"

#include <stdio.h>

#include "experiment/characterise/characterise.h"
#include "explorer/state.h"

/* The number of classes: each processor has more, as many as its instruction sets have. */
enum { CLASSES = 3 };

/* It is over as soon as it begins. */
static void measure_nothing(void *self, const struct measurer *measurer)
{
}

void canned_core(struct canned *canned, struct session *session, int percent)
{
	static struct campaign_kind kind;
	static struct campaign_row row;
	struct characterise_options options = { .seed = 1 };
	struct status status;
	struct characterise *machine = characterise_new(&canned->machine, &options, &status);
	struct characterise_report *report;

	if (!machine)
		return;
	report = (struct characterise_report *)characterise_report(machine); /* made up, in place */
	report->done = percent / 100.0;
	report->seconds = 0.18 * percent;
	report->measured.width = (struct figure){ true, 8, 7.99, 8.01 };
	report->measured.op_count = CLASSES;
	report->measured.op[2].latency = (struct figure){ true, 1, 1, 1 };
	report->complete = percent == 100;
	snprintf(report->doing, sizeof(report->doing), "latency of fadd.512");
	kind = campaign_characterise;
	kind.measure = measure_nothing;
	row = campaign_row_core;
	row.kind = &kind;
	campaign_begin(session, CAMPAIGN_CORE, &row, machine);
	/* The key that begins it takes the last message away. */
	session->screen.notice[0] = '\0';
	/* Nothing goes on by itself. */
	session->frozen = !report->complete;
}
