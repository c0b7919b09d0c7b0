/* See step_own.h. */
#include "model/code/step_own.h"

#include <errno.h>
#include <string.h>
#include <sys/mman.h>

#include "engine/own/own.h"

/* n grows until the loop turns this often or the path is this long; a turn of a vectorised loop
 * takes dozens of elements. Powers of two, and twice as many in the longer run: the remainder of a
 * vectorised loop then runs in neither. */
enum {
	N_FIRST = 128,
	N_TIMES = 8,
	N_MOST = 8192,
	TURNS_ENOUGH = 24,
	PATH_ENOUGH = 400,
	STEPS_MOST = 60000
};

/* A step takes 3 µs, or 20 under a hypervisor. */
static const double SECONDS = 2.0;

static void failure(void *context, int number, char *text)
{
	const struct own_steps *steps = context;

	(void)number;
	memcpy(text, steps->failure->text, 199);
	text[199] = '\0';
}

struct status step_own(const struct own *own, uint64_t seed, struct loop *loop)
{
	int64_t multiple = own_description(own)->multiple * 2;
	struct status *shared = mmap(
		NULL, sizeof(*shared), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	struct status status;

	if (shared == MAP_FAILED)
		return status_failed("no memory for stepping: %s", strerror(errno));
	for (int64_t n = N_FIRST;; n *= N_TIMES) {
		struct own_steps steps = { .own = own, .seed = seed, .failure = shared };
		struct step_plan plan = { .run = own_steps_run,
			.context = &steps,
			.most_steps = STEPS_MOST,
			.seconds = SECONDS,
			.prepare = own_steps_prepare,
			.failure = failure };

		steps.n[0] = (n + multiple - 1) / multiple * multiple;
		steps.n[1] = steps.n[0] / 2;
		plan.longer = own_elements(own, steps.n[0]);
		plan.shorter = own_elements(own, steps.n[1]);
		*shared = status_ok();
		status = step_loop(&plan, loop);
		if (n >= N_MOST ||
			(status_is_ok(&status) &&
				(loop->turns >= TURNS_ENOUGH || loop->path_count >= PATH_ENOUGH)))
			break;
		/* Few elements may not even reach the loop: another try helps there, and nowhere
		 * else. */
		if (!status_is_ok(&status) && !strstr(status.text, "no instruction repeats") &&
			!strstr(status.text, "as many instructions"))
			break;
	}
	munmap(shared, sizeof(*shared));
	return status;
}
