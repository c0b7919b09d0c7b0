/* Runs the program again and again; in each trial one call fails (shim.c). A trial passes if the
 * program ends by itself within ten seconds, with status 0 and a result, or with status 1 and
 * a message. The program must leave no process, no temporary file and no half-written file, and
 * must restore the terminal.
 *
 *   faults SHIM PROGRAM SOURCES WORK [OPTION…] [SCENARIO[:KIND[:CALL[+]]]…]
 *
 * Options: -trials=N, -seed=N, -jobs=N; -cheap: only scenarios that need little processor time;
 * -part=I/N: only every N-th trial, from the I-th on. All N parts together have all trials.
 * WORK is an existing folder for the files of the trials. "+" makes all later calls fail too. */
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "trial.h"

static const char *const kinds[FAULT_KINDS] = { "malloc", "mmap", "open", "read", "write", "thread",
	"fork", "clock" };

/* CALLS: the last call of a kind that may fail. JOBS: largest number of jobs. */
enum { CALLS = 300, JOBS = 16 };

static struct {
	long trials, seed, part, parts;
	int jobs;
	bool cheap;
} options = { .trials = 10000, .seed = 1, .part = 1, .parts = 1, .jobs = 2 };

/* Numbers that the jobs share. */
static struct {
	atomic_long next, passed, failed;
} * shared;

/* Two drivers in one folder would empty each other's files: a second driver is refused. The jobs
 * inherit the lock, which ends with the last of them. */
static void lock_work(void)
{
	int folder = open(trial_options.work, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	if (folder < 0 || flock(folder, LOCK_EX | LOCK_NB) != 0)
		trial_stop(trial_options.work);
}

/* ---- the plan */

struct plan {
	struct trial *trial;
	long count, room;
};

static void plan_add(struct plan *plan, const struct trial *trial)
{
	if (plan->count == plan->room) {
		plan->room = plan->room ? 2 * plan->room : 256;
		plan->trial = realloc(plan->trial, (size_t)plan->room * sizeof(*plan->trial));
		if (!plan->trial)
			trial_stop("memory");
	}
	plan->trial[plan->count++] = *trial;
}

/* Adds at most `share` trials of a scenario with one kind of fault. Without a fault, the scenario
 * makes `calls` calls of this kind. */
static void plan_kind(struct plan *plan, const struct trial *like, long calls, long share)
{
	struct trial trial = *like;
	long most = calls < CALLS ? calls : CALLS, count = most < share ? most : share;

	for (long i = 0; i < count; i++) {
		long first = i * most / count, room = (i + 1) * most / count - first;

		trial.call = 1 + first + (i * 7919 + options.seed) % room;
		plan_add(plan, &trial);
	}
}

/* Runs the scenario without a fault, and counts the calls of each kind. Returns false if this run
 * fails. */
static bool count_calls(
	const struct fault_scenario *scenario, const struct place *place, long calls[FAULT_KINDS])
{
	const struct trial trial = { .scenario = scenario };
	struct end end;
	const char *why;

	trial_run(&trial, place, &end);
	why = trial_judge(&trial, place, &end);
	if (why || (WEXITSTATUS(end.how) != 0 && !scenario->may_fail)) {
		char err[600];

		place_read(place->top, "err", err, sizeof(err));
		printf("%s fails without a fault: %s\n", scenario->name, why ? why : err);
		return false;
	}
	for (int kind = 0; kind < FAULT_KINDS; kind++)
		calls[kind] = atomic_load(&place->fault->calls[kind]);
	return true;
}

static int kind_find(const char *name, size_t length)
{
	for (int kind = 0; kind < FAULT_KINDS; kind++)
		if (strlen(kinds[kind]) == length && strncmp(kinds[kind], name, length) == 0)
			return kind;
	fprintf(stderr, "unknown kind of fault: %s\n", name);
	exit(2);
}

/* Adds the trials of a scenario. `wish`: KIND[:CALL[+]]; NULL or empty: all kinds. Returns false if
 * the scenario fails without a fault. */
static bool plan_scenario(struct plan *plan, const struct fault_scenario *scenario,
	const char *wish, const struct place *place, long share)
{
	struct trial trial = { .scenario = scenario };
	long calls[FAULT_KINDS];
	const char *call = wish ? strchr(wish, ':') : NULL;
	int only = -1;

	if (wish && *wish) {
		only = kind_find(wish, strcspn(wish, ":"));
		if (call) {
			trial.kind = (enum fault_kind)only;
			trial.call = atol(call + 1);
			trial.forever = strchr(call, '+');
			plan_add(plan, &trial);
			return true;
		}
	}
	if (!count_calls(scenario, place, calls))
		return false;
	/* A run of many seconds gets fewer trials. */
	if (scenario->patience)
		share = share / 10 + 1;
	for (int kind = 0; kind < FAULT_KINDS; kind++)
		for (int forever = 0; forever < 2; forever++) {
			if (only >= 0 && kind != only)
				continue;
			trial.kind = (enum fault_kind)kind;
			trial.forever = forever;
			plan_kind(plan, &trial, calls[kind], share);
		}
	return true;
}

/* Keeps the trials of this part. */
static void plan_part(struct plan *plan)
{
	long kept = 0;

	for (long i = options.part - 1; i < plan->count; i += options.parts)
		plan->trial[kept++] = plan->trial[i];
	plan->count = kept;
}

static bool plan_all(struct plan *plan, char **wishes, const struct place *place)
{
	long share, combinations = 0;
	bool good = true;

	for (const struct fault_scenario *scenario = fault_scenarios; scenario->name; scenario++)
		combinations += !scenario->named && (scenario->cheap || !options.cheap);
	for (char **at = wishes; *at; at++)
		combinations = at == wishes ? 1 : combinations + 1;
	/* Most of the 16 combinations of a scenario (8 kinds, once or from then on) have fewer
	 * calls than an equal share of the trials. So each combination gets a larger share. */
	share = options.trials / (combinations * 3) + 1;
	for (const struct fault_scenario *scenario = fault_scenarios; scenario->name; scenario++) {
		size_t length = strlen(scenario->name);
		bool chosen = !*wishes && !scenario->named && (scenario->cheap || !options.cheap);
		const char *wish = NULL;

		for (char **at = wishes; *at; at++)
			if (strncmp(*at, scenario->name, length) == 0 &&
				((*at)[length] == ':' || !(*at)[length])) {
				chosen = true;
				wish = *at + length + ((*at)[length] == ':');
			}
		if (chosen)
			good &= plan_scenario(plan, scenario, wish, place, share);
	}
	/* If there are more trials than asked for, keep evenly spaced trials. */
	if (plan->count > options.trials) {
		for (long i = 0; i < options.trials; i++)
			plan->trial[i] = plan->trial[i * plan->count / options.trials];
		plan->count = options.trials;
	}
	plan_part(plan);
	return good;
}

/* ---- jobs */

static void job_main(const struct plan *plan, int job)
{
	struct place place;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	place_make(&place, job);
	prctl(PR_SET_CHILD_SUBREAPER, 1);
	for (long i; (i = atomic_fetch_add(&shared->next, 1)) < plan->count;) {
		const struct trial *trial = &plan->trial[i];
		struct end end;
		const char *why;

		trial_run(trial, &place, &end);
		why = trial_judge(trial, &place, &end);
		atomic_fetch_add(why ? &shared->failed : &shared->passed, 1);
		if (!why)
			continue;
		printf("%s:%s:%ld%s: %s%s", trial->scenario->name, kinds[trial->kind], trial->call,
			trial->forever ? "+" : "", why, why[strlen(why) - 1] == '\n' ? "" : "\n");
		fflush(stdout);
	}
	exit(0);
}

static bool option(const char *argument)
{
	if (sscanf(argument, "-trials=%ld", &options.trials) == 1 ||
		sscanf(argument, "-seed=%ld", &options.seed) == 1 ||
		sscanf(argument, "-jobs=%d", &options.jobs) == 1 ||
		(sscanf(argument, "-part=%ld/%ld", &options.part, &options.parts) == 2 &&
			options.part >= 1 && options.part <= options.parts))
		return true;
	options.cheap |= strcmp(argument, "-cheap") == 0;
	return argument[0] == '-';
}

int main(int argc, char **argv)
{
	struct plan plan = { 0 };
	struct place place;
	char **wishes = argv + 5;
	bool good;

	if (argc < 5)
		return 2;
	trial_options.shim = argv[1];
	trial_options.program = argv[2];
	trial_options.sources = argv[3];
	trial_options.work = argv[4];
	while (*wishes && option(*wishes))
		wishes++;
	lock_work();
	signal(SIGPIPE, SIG_IGN);
	prctl(PR_SET_CHILD_SUBREAPER, 1);
	shared = mmap(
		NULL, sizeof(*shared), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (shared == MAP_FAILED)
		trial_stop("mmap");
	place_make(&place, 0);
	good = plan_all(&plan, wishes, &place);
	fflush(stdout);
	for (int job = 0; job < options.jobs && job < JOBS; job++)
		if (fork() == 0)
			job_main(&plan, job);
	while (wait(NULL) > 0)
		;
	printf("%ld trials: %ld passed, %ld failed\n", plan.count, atomic_load(&shared->passed),
		atomic_load(&shared->failed));
	free(plan.trial);
	return good && plan.count > 0 && atomic_load(&shared->passed) == plan.count ? 0 : 1;
}
