#include "cli/probe_at_once.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/interrupt.h"
#include "base/monotonic.h"
#include "base/text.h"
#include "cli/bench.h"
#include "cli/format.h"
#include "cli/probe_units.h"
#include "experiment/setting/cells.h"

/* Seconds of all measurements without --time-budget, and of one visit of a setting. The settings
 * take turns, so that the core works all the time, as on a loaded machine. */
static const double seconds_default = 1, visit_seconds = 0.03;

/* The settings that each process measures. The working set is half of L1d or a quarter of L2. All
 * processes use 4 KiB pages: a process that gets huge pages would measure another latency. A
 * quarter of L2 fits in the cache although its pages are scattered in memory. */
static const struct task {
	const char *words;
	int level, part; /* the working set is the size of the level, divided by `part` */
	enum unit_value value;
} tasks[] = {
	{ "latency order=random pages=4k", 1, 2, UNIT_L1 },
	{ "latency order=random pages=4k", 2, 4, UNIT_L2 },
	{ "bandwidth op=frd pages=4k", 1, 2, UNIT_READ_L1 },
	{ "bandwidth op=frd pages=4k", 2, 4, UNIT_READ_L2 },
};
enum { TASKS = sizeof(tasks) / sizeof(*tasks) };

static void at_once_data(struct report *report, const struct records *records, const void *item)
{
	const struct record_sample *what = item;

	records_sample(records, what);
	report->records = what->id;
}

/* The output has samples of several kernels. */
static const struct subject subject_at_once = { "sample", "id,host,+head,+place,setting,+value",
	NULL, NULL, at_once_data, NULL };

/* ---- the process of one unit ---- */

/* Makes the cells of the tasks. Returns false if the system does not report the size of L1d or L2.
 */
static bool make_cells(const struct machine *machine, struct cells *cells, struct cell **cell)
{
	for (int i = 0; i < TASKS; i++) {
		uint64_t bytes = machine_cache(machine, tasks[i].level);
		struct setting setting;

		if (!bytes || !setting_read(&setting, words_of("%s size=%" PRIu64, tasks[i].words,
							      bytes / (uint64_t)tasks[i].part)
							      .text))
			return false;
		setting_widen(&setting);
		cell[i] = cells_get(cells, &setting, true);
	}
	return true;
}

static void measure(const struct cli *cli, struct bench *bench, struct cell **cell)
{
	struct result *result = memory_new(1, sizeof(*result));
	double until =
		monotonic_seconds() + (cli->time_budget > 0 ? cli->time_budget : seconds_default);

	for (int i = 0; !interrupt_signal() && (i < TASKS || monotonic_seconds() < until); i++) {
		struct cell *at = cell[i % TASKS];
		struct request request =
			bench_request(cli, &at->setting, visit_seconds, TRIALS_MAX);

		request.budget.seconds = visit_seconds;
		if (bench_measure(bench, &request, result))
			cell_visit(at, result, UINT32_MAX, 0, UINT32_MAX);
	}
	free(result);
}

static void take_value(struct unit *unit, const struct task *task, const struct sample *sample)
{
	bool is_latency = task->value == UNIT_L1 || task->value == UNIT_L2;

	unit->value[task->value] = is_latency ? sample->cpe : sample->bytes_per_cycle;
	unit->contended |= (unsigned)sample->contended << task->value;
	if (task->value == UNIT_L1) {
		unit->value[UNIT_CLOCK] = sample->ghz;
		unit->contended |= (unsigned)sample->contended << UNIT_CLOCK;
	}
}

/* Measures one unit, and writes its samples. Returns the exit status. */
static int measure_unit(struct cli *cli, struct report *report, struct unit *unit)
{
	struct cells *cells = cells_new();
	struct cell *cell[TASKS];
	struct bench bench;
	struct status status;
	int measured = 0, exit_status = CLI_DONE;

	cli->cpu = unit->cpu;
	status = bench_open(&bench, cli);
	if (!status_is_ok(&status))
		return cli_fail(cli, status);
	if (!make_cells(bench.machine, cells, cell)) {
		bench_close(&bench);
		return cli_fail(cli, status_failed("--per l2: the system does not report the "
						   "sizes of L1d and L2"));
	}
	measure(cli, &bench, cell);
	report->machine = bench.machine;
	units_name(report, UNITS_L2, unit->number);
	for (int i = 0; i < TASKS; i++) {
		struct report_row row;

		if (!cell[i]->sample.valid)
			continue;
		measured++;
		take_value(unit, &tasks[i], &cell[i]->sample);
		report_row(report, &cell[i]->setting, &cell[i]->sample, &cell[i]->facts, &row);
		if (cli->format != formats[0])
			report_write(report, report->subject, &row.what);
	}
	fflush(report->out);
	if (interrupt_signal())
		exit_status = 128 + interrupt_signal();
	else if (!measured)
		exit_status = cli_fail(
			cli, status_failed("processor %d: no undisturbed trial", unit->cpu));
	bench_close(&bench);
	cells_free(cells);
	return exit_status;
}

/* ---- all processes ---- */

/* Starts the process of a unit. Returns its process id; -1: no process could start, see errno. */
static pid_t start(struct cli *cli, const struct report *report, FILE *out, struct unit *unit)
{
	pid_t pid, parent = getpid();

	fflush(NULL);
	pid = fork();
	if (pid == 0) {
		struct report mine = *report;

		/* The process ends with the program. */
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		if (getppid() != parent)
			_exit(CLI_UNMEASURED);
		mine.out = out;
		cli->quiet = true;
		_exit(measure_unit(cli, &mine, unit));
	}
	return pid;
}

/* Waits for all processes, and passes a signal on to them. Returns the largest exit status. */
static int await(struct cli *cli, pid_t *pid, int count)
{
	double begin = monotonic_seconds(),
	       seconds = cli->time_budget > 0 ? cli->time_budget : seconds_default;
	struct bench no_bench = { .ended = false };
	struct progress_line line;
	int worst = CLI_DONE, running = count;
	bool passed = false;

	progress_line_begin(&line, cli, &no_bench);
	while (running > 0) {
		running = 0;
		for (int i = 0; i < count; i++) {
			int status;

			if (pid[i] < 0)
				continue;
			if (interrupt_signal() && !passed)
				kill(pid[i], interrupt_signal());
			if (waitpid(pid[i], &status, WNOHANG) == 0) {
				running++;
				continue;
			}
			pid[i] = -1;
			status = WIFEXITED(status) ? WEXITSTATUS(status) : CLI_UNMEASURED;
			worst = status > worst ? status : worst;
		}
		passed |= interrupt_signal() != 0;
		if (progress_line_due(&line))
			progress_line_show(&line, "%-66s%3.0f %% ",
				words_of("%d L2 domains at once", count).text,
				floor(100 * fmin(1, (monotonic_seconds() - begin) / seconds)));
		if (running)
			nanosleep(&(struct timespec){ .tv_nsec = 50 * 1000 * 1000 }, NULL);
	}
	progress_line_clear(&line);
	return worst;
}

static void copy(FILE *from, FILE *to)
{
	char bytes[4096];
	size_t count;

	rewind(from);
	while ((count = fread(bytes, 1, sizeof(bytes), from)) > 0)
		fwrite(bytes, 1, count, to);
}

/* Measures all units. Each unit receives its values. Returns the exit status. */
static int measure_all(struct cli *cli, struct report *report, struct unit *units, int count)
{
	size_t size = (size_t)count * sizeof(*units);
	struct unit *shared =
		mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	pid_t *pid = memory_new((size_t)count, sizeof(*pid));
	FILE **out = memory_new((size_t)count, sizeof(*out));
	int started = 0, error = shared == MAP_FAILED ? errno : 0, exit_status;

	if (!error)
		memcpy(shared, units, size);
	for (; started < count && !error; started += !error) {
		out[started] = tmpfile();
		pid[started] =
			out[started] ? start(cli, report, out[started], &shared[started]) : -1;
		error = pid[started] < 0 ? errno : 0;
	}
	for (int i = 0; i < started && error; i++)
		kill(pid[i], SIGKILL);
	exit_status = await(cli, pid, started);
	if (error)
		exit_status = cli_fail(cli,
			status_failed("--per l2: no process for each L2: %s", strerror(error)));
	else
		memcpy(units, shared, size);
	for (int i = 0; i < count && out[i]; i++) {
		if (!error)
			copy(out[i], report->out);
		fclose(out[i]);
	}
	if (shared != MAP_FAILED)
		munmap(shared, size);
	free(pid);
	free(out);
	return exit_status;
}

int probe_at_once(struct cli *cli)
{
	struct report report;
	struct unit *units;
	int count, measured = 0, exit_status;
	struct status status = units_list(cli, UNITS_L2, &units, &count);

	if (!status_is_ok(&status)) {
		free(units);
		return cli_fail(cli, status);
	}
	report_init(&report, cli, &subject_at_once, NULL);
	report_begin(&report);
	exit_status = measure_all(cli, &report, units, count);
	for (int i = 0; i < count; i++)
		measured += isfinite(units[i].value[UNIT_CLOCK]) != 0;
	if (cli->format == formats[0] && measured) {
		units_judge(units, count);
		units_print(cli->out, units, count, UNITS_L2);
	}
	report_end(&report);
	free(units);
	return exit_status;
}
