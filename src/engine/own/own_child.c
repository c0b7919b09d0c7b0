/* See own_child.h. One loop for each process. */
#include "engine/own/own_child.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <unistd.h>

static struct {
	own_loop *loop;
	struct own_data data;
	int64_t n[2];	   /* a whole pass, and half of one */
	uint64_t elements; /* of a call with n */
	_Atomic uint64_t *calls;
} child;

void own_child_begin(void)
{
	const struct rlimit no_core = { 0 };
	sigset_t none;
	int nowhere = open("/dev/null", O_RDWR | O_CLOEXEC);

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	for (int number = 1; number < 32; number++)
		signal(number, SIG_DFL);
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	/* The terminal's keys are for the explorer. */
	signal(SIGINT, SIG_IGN);
	signal(SIGQUIT, SIG_IGN);
	signal(SIGTSTP, SIG_IGN);
	signal(SIGHUP, SIG_IGN);
	setrlimit(RLIMIT_CORE, &no_core);
	for (int stream = STDIN_FILENO; nowhere >= 0 && stream <= STDERR_FILENO; stream++)
		dup2(nowhere, stream);
}

void own_child_count(_Atomic uint64_t *calls)
{
	child.calls = calls;
}

struct status own_child_prepare(struct kernel_run *run)
{
	const struct own *own = run->kernel->own;
	const struct own_description *description = own_description(own);
	int64_t n = run->v[0];
	struct status status = own_load(own, &child.loop);

	if (!status_is_ok(&status))
		return status;
	child.n[0] = n;
	child.n[1] = n / 2;
	child.elements = own_elements(own, n);
	own_data_make(&child.data, description, n, n / 2, run->seed, run->memory);
	run->ring = child.elements;
	run->granule = run->ring;
	run->code.start = (const void *)child.loop;
	run->code.name = "loop";
	return status_ok();
}

void own_child_call(struct kernel_run *run, uint64_t elements)
{
	void *const *argument = child.data.argument;
	bool half = elements < child.elements;
	/* The same instructions and branches for a half as for a whole pass: their difference is to
	 * be the loop's alone. */
	uint64_t passes = elements / child.elements + half;

	(void)run;
	own_data_shorten(&child.data, half);
	do {
		child.loop(child.n[half], argument[0], argument[1], argument[2], argument[3]);
		if (child.calls)
			atomic_fetch_add_explicit(child.calls, 1, memory_order_relaxed);
	} while (--passes > 0);
}

void own_child_rewind(struct kernel_run *run)
{
	(void)run;
}

int own_steps_prepare(void *context)
{
	struct own_steps *steps = context;
	const struct own_description *description = own_description(steps->own);
	size_t bytes = own_data_bytes(description, steps->n[0]);

	own_child_begin();
	/* Stopped by its tracer alone. */
	steps->memory = mmap(NULL, bytes ? bytes : 1, PROT_READ | PROT_WRITE,
		MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (steps->memory == MAP_FAILED) {
		*steps->failure = status_make(STATUS_FAILED, "%.80s: memory refused: %s",
			own_path(steps->own), strerror(errno));
		return 1;
	}
	*steps->failure = own_load(steps->own, &steps->loop);
	if (!status_is_ok(steps->failure))
		return 1;
	own_data_make(
		&steps->data, description, steps->n[0], steps->n[1], steps->seed, steps->memory);
	return 0;
}

void own_steps_run(void *context, uint64_t elements)
{
	struct own_steps *steps = context;
	bool shorter = elements == own_elements(steps->own, steps->n[1]);
	void *const *argument = steps->data.argument;

	own_data_shorten(&steps->data, shorter);
	steps->loop(steps->n[shorter], argument[0], argument[1], argument[2], argument[3]);
}
