/* Code that is stepped through is read in a thread of its own: it takes some 10 ms, and under a
 * hypervisor that looks at each step 50 to 200. One setting at a time; keys and frames go on
 * meanwhile. */
#include <string.h>

#include "base/job.h"
#include "explorer/state.h"

bool aside_possible(const struct insight *insight, const struct kernel *kernel)
{
	/* An own loop may be compiled anew at any time. */
	return insight->explainer->aside && kernel->stepped && !kernel->own;
}

static void read_it(void *context)
{
	struct aside *aside = context;

	aside->explainer->explain(aside->explainer->context, &aside->question, aside->explanation);
}

void aside_begin(struct insight *insight, const struct explain_question *question,
	const struct setting *setting)
{
	struct aside *aside = &insight->aside;

	if (!aside->explanation)
		aside->explanation = explanation_new();
	aside->explainer = insight->explainer;
	aside->setting = *setting;
	aside->question = *question;
	aside->question.kernel = aside->setting.kernel;
	aside->question.v = aside->setting.v;
	aside->stale = false;
	aside->job = job_begin(read_it, aside);
}

bool aside_runs(const struct insight *insight)
{
	return insight->aside.job != NULL;
}

bool aside_take(struct insight *insight)
{
	struct aside *aside = &insight->aside;

	if (!aside->job || !job_over(aside->job))
		return false;
	job_end(aside->job);
	aside->job = NULL;
	return !aside->stale;
}

void aside_forget(struct insight *insight)
{
	insight->aside.stale = true;
}

void aside_wait(struct insight *insight)
{
	job_end(insight->aside.job);
	insight->aside.job = NULL;
}

void aside_end(struct insight *insight)
{
	aside_wait(insight);
	explanation_free(insight->aside.explanation);
	memset(&insight->aside, 0, sizeof(insight->aside));
}
