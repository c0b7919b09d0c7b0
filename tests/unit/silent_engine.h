/* A session with an engine that takes requests and never answers: for tests that measure nothing.
 * Static functions, because tests are one file each. */
#pragma once

#include "check.h"

#include "engine/engine.h"
#include "explorer/session.h"

/* No request is for a function of an opened program: such a kernel cannot be measured. */
static void submit(void *context, const struct request *request)
{
	(void)context;
	assert_true(request->kernel && !request->kernel->function);
}

static void cancel(void *context)
{
	(void)context;
}

static bool take(void *context, struct result *result)
{
	(void)context;
	(void)result;
	return false;
}

static struct progress_seen progress(void *context)
{
	(void)context;
	return (struct progress_seen){ .stage = STAGE_NONE };
}

/* Returns a new session with the kernel combine, on a core whose model is known. */
static struct session *silent_session(void)
{
#ifdef __aarch64__
	static struct machine machine = { .arch = "aarch64" };
	const char *const core = "neoverse-n1";
#else
	static struct machine machine = { .arch = "x86_64" };
	const char *const core = "zen4";
#endif
	const struct engine engine = { .submit = submit,
		.cancel = cancel,
		.take = take,
		.descriptor = -1,
		.machine = &machine,
		.progress = progress };
	struct session_options options = {
		.seed = 1, .explainer = &explainer_model, .uarch = core
	};

	atomic_store(&machine.known, true);
	setting_init(&options.setting, kernel_find("combine"));
	return session_new(&engine, &options);
}
