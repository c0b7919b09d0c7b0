/* Code that is stepped through is read in a thread of its own: it takes some 10 ms, and under a
 * hypervisor that looks at each step 50 to 200. One setting at a time; keys and frames go on
 * meanwhile. */
#include <string.h>

#include "base/job.h"
#include "explorer/state.h"

bool background_explain_possible(const struct insight *insight, const struct kernel *kernel)
{
	/* An own loop may be compiled anew at any time. */
	return insight->explainer->background_explain && kernel->stepped && !kernel->own;
}

static void read_it(void *context)
{
	struct background_explain *background_explain = context;

	background_explain->explainer->explain(background_explain->explainer->context,
		&background_explain->question, background_explain->explanation);
}

void background_explain_begin(struct insight *insight, const struct explain_question *question,
	const struct setting *setting)
{
	struct background_explain *background_explain = &insight->background_explain;

	if (!background_explain->explanation)
		background_explain->explanation = explanation_new();
	background_explain->explainer = insight->explainer;
	background_explain->setting = *setting;
	background_explain->question = *question;
	background_explain->question.kernel = background_explain->setting.kernel;
	background_explain->question.v = background_explain->setting.v;
	background_explain->stale = false;
	background_explain->job = job_begin(read_it, background_explain);
}

bool background_explain_runs(const struct insight *insight)
{
	return insight->background_explain.job != NULL;
}

bool background_explain_take(struct insight *insight)
{
	struct background_explain *background_explain = &insight->background_explain;

	if (!background_explain->job || !job_over(background_explain->job))
		return false;
	job_end(background_explain->job);
	background_explain->job = NULL;
	return !background_explain->stale;
}

void background_explain_forget(struct insight *insight)
{
	insight->background_explain.stale = true;
}

void background_explain_wait(struct insight *insight)
{
	job_end(insight->background_explain.job);
	insight->background_explain.job = NULL;
}

void background_explain_end(struct insight *insight)
{
	background_explain_wait(insight);
	explanation_free(insight->background_explain.explanation);
	memset(&insight->background_explain, 0, sizeof(insight->background_explain));
}
