/* Runs the program again and again; in each trial one call fails (shim.c). A trial passes if the
 * program ends by itself within PATIENCE seconds, with status 0 and a result, or with status 1 and
 * a message. The program must leave no process, no temporary file and no half-written file, and
 * must restore the terminal.
 *
 *   faults SHIM PROGRAM SOURCES WORK [OPTION…] [SCENARIO[:KIND[:CALL[+]]]…]
 *
 * Options: -trials=N, -seed=N, -jobs=N; -cheap: only scenarios that need little processor time.
 * WORK is an existing folder for the files of the trials. "+" makes all later calls fail too. */
#include "fault.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <termios.h>
#include <time.h>
#include <unistd.h>

#include "faults.h"

static const char *const kinds[FAULT_KINDS] = { "malloc", "mmap", "open", "read", "write", "thread",
	"fork", "clock" };

/* PATIENCE: seconds after which a run hangs. CALLS: the last call of a kind that may fail. JOBS:
 * largest number of jobs. */
enum { PATIENCE = 10, CALLS = 300, JOBS = 16 };

static struct {
	const char *shim, *program, *sources, *work;
	long trials, seed;
	int jobs;
	bool cheap;
} options = { .trials = 10000, .seed = 1, .jobs = 2 };

/* Numbers that the jobs share. */
static struct {
	atomic_long next, passed, failed;
} * shared;

struct trial {
	const struct fault_scenario *scenario;
	enum fault_kind kind;
	long call; /* 0: no call fails */
	bool forever;
};

struct place {
	char top[256], here[300], temporary[300], home[300];
	struct fault *fault;
};

static double now(void)
{
	struct timespec time;

	clock_gettime(CLOCK_MONOTONIC, &time);
	return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

static _Noreturn void stop(const char *what)
{
	perror(what);
	exit(2);
}

/* ---- the folders of a job */

static void path_in(char *path, size_t size, const char *folder, const char *name)
{
	if (snprintf(path, size, "%s/%s", folder, name) >= (int)size)
		exit(2);
}

static void make_folder(char *path, size_t size, const char *folder, const char *name)
{
	path_in(path, size, folder, name);
	if (mkdir(path, 0700) != 0 && errno != EEXIST)
		stop(path);
}

/* Removes all files and folders in a folder. */
static void empty(const char *folder)
{
	DIR *list = opendir(folder);

	for (struct dirent *entry; list && (entry = readdir(list));) {
		char path[600];

		if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0)
			continue;
		path_in(path, sizeof(path), folder, entry->d_name);
		if (entry->d_type == DT_DIR) {
			empty(path);
			rmdir(path);
		} else {
			unlink(path);
		}
	}
	if (list)
		closedir(list);
}

/* Two drivers in one folder would empty each other's files: a second driver is refused. The jobs
 * inherit the lock, which ends with the last of them. */
static void lock_work(void)
{
	int folder = open(options.work, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	if (folder < 0 || flock(folder, LOCK_EX | LOCK_NB) != 0)
		stop(options.work);
}

static void place_make(struct place *place, int job)
{
	char name[32], path[600];
	int file;

	snprintf(name, sizeof(name), "job%d", job);
	make_folder(place->top, sizeof(place->top), options.work, name);
	make_folder(place->here, sizeof(place->here), place->top, "here");
	make_folder(place->temporary, sizeof(place->temporary), place->top, "tmp");
	make_folder(place->home, sizeof(place->home), place->top, "home");
	path_in(path, sizeof(path), place->top, "fault");
	file = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
	if (file < 0 || ftruncate(file, sizeof(*place->fault)) != 0)
		stop(path);
	place->fault =
		mmap(NULL, sizeof(*place->fault), PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
	close(file);
	if (place->fault == MAP_FAILED)
		stop("mmap");
}

static void write_file(const char *folder, const char *name, const char *text)
{
	char path[600];
	FILE *file;

	path_in(path, sizeof(path), folder, name);
	file = fopen(path, "w");
	if (!file || fputs(text, file) == EOF || fclose(file) != 0)
		stop(path);
}

/* ---- a trial */

/* How a trial ended. */
struct end {
	int how; /* the status from waitpid() */
	bool late, orphan, raw, screen_left;
	char orphan_name[32];
};

static _Noreturn void become_program(
	const struct trial *trial, const struct place *place, int terminal)
{
	const char *arguments[FAULT_ARGUMENTS + 2] = { options.program };
	char fault[300], canned[600], other[600], path[600];
	int null = open("/dev/null", O_RDONLY), out, err;

	for (int i = 0; i < FAULT_ARGUMENTS && trial->scenario->arguments[i]; i++)
		arguments[i + 1] = trial->scenario->arguments[i];
	setsid();
	path_in(path, sizeof(path), place->top, "out");
	out = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600);
	path_in(path, sizeof(path), place->top, "err");
	err = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600);
	if (terminal >= 0) {
		ioctl(terminal, TIOCSCTTY, 0);
		out = null = terminal;
	}
	dup2(null, STDIN_FILENO);
	dup2(out, STDOUT_FILENO);
	dup2(err, STDERR_FILENO);
	path_in(fault, sizeof(fault), place->top, "fault");
	path_in(canned, sizeof(canned), options.sources, "tests/data/canned.jsonl");
	path_in(other, sizeof(other), options.sources, "tests/data/neoverse-n1.jsonl");
	for (int i = 1; arguments[i]; i++) {
		if (strcmp(arguments[i], "CANNED") == 0)
			arguments[i] = canned;
		if (strcmp(arguments[i], "OTHER") == 0)
			arguments[i] = other;
	}
	setenv("SLEXPLORE_FAULT", fault, 1);
	setenv("LD_PRELOAD", options.shim, 1);
	setenv("TMPDIR", place->temporary, 1);
	setenv("HOME", place->home, 1);
	setenv("XDG_CONFIG_HOME", place->home, 1);
	setenv("TERM", "xterm-256color", 1);
	if (chdir(place->here) == 0)
		execv(options.program, (char **)arguments);
	_exit(126);
}

static int open_terminal(int *slave)
{
	const struct winsize size = { .ws_row = 24, .ws_col = 80 };
	int master = posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC | O_NONBLOCK);

	if (master < 0 || grantpt(master) != 0 || unlockpt(master) != 0)
		stop("posix_openpt");
	*slave = open(ptsname(master), O_RDWR | O_NOCTTY | O_CLOEXEC);
	if (*slave < 0)
		stop("pty");
	ioctl(master, TIOCSWINSZ, &size);
	return master;
}

/* The output of the program to the terminal: its last bytes, and whether the alternate screen is
 * on. */
struct screen {
	char tail[16];
	size_t length;
	bool alternate;
	bool begun; /* the program has written to the terminal */
};

static void take_output(int master, struct screen *screen)
{
	char bytes[8192 + 16];
	ssize_t got;

	for (;;) {
		memcpy(bytes, screen->tail, screen->length);
		got = read(master, bytes + screen->length, 8192);
		if (got <= 0)
			return;
		screen->begun = true;
		got += (ssize_t)screen->length;
		for (ssize_t i = 0; i + 8 <= got; i++) {
			if (memcmp(bytes + i, "\033[?1049h", 8) == 0)
				screen->alternate = true;
			if (memcmp(bytes + i, "\033[?1049l", 8) == 0)
				screen->alternate = false;
		}
		screen->length = got < 7 ? (size_t)got : 7;
		memcpy(screen->tail, bytes + got - screen->length, screen->length);
	}
}

static int patience_of(const struct trial *trial)
{
	return trial->scenario->patience ? trial->scenario->patience : PATIENCE;
}

/* Waits for the end of the program. On a terminal, types the scenario's keys, then q until the
 * program ends. */
static void wait_for(const struct trial *trial, pid_t child, int master, struct end *end)
{
	const char *key = trial->scenario->keys;
	double begun = now(), typed = begun;
	struct screen screen = { 0 };
	double pause = master < 0 ? 5e-4 : 0.01;

	while (waitpid(child, &end->how, WNOHANG) == 0) {
		double time = now();

		if (time - begun > patience_of(trial)) {
			end->late = true;
			kill(child, SIGKILL);
			waitpid(child, &end->how, 0);
			break;
		}
		if (master >= 0) {
			struct pollfd wait = { .fd = master, .events = POLLIN };

			poll(&wait, 1, (int)(pause * 1e3));
			take_output(master, &screen);
			if ((screen.begun || time - begun > 1) && time - typed > 0.04) {
				/* Ignore errors of write(), because the program may have ended
				 * meanwhile. */
				(void)!write(master, *key ? key : "q", 1);
				key += *key != '\0';
				typed = time;
			}
		} else {
			nanosleep(&(struct timespec){ .tv_nsec = (long)(pause * 1e9) }, NULL);
			pause = pause < 0.01 ? pause * 1.5 : pause;
		}
	}
	if (master >= 0)
		take_output(master, &screen);
	end->screen_left = screen.alternate;
}

static void name_of(pid_t process, char *name, size_t size)
{
	char path[64];
	FILE *file;

	snprintf(path, sizeof(path), "/proc/%d/comm", (int)process);
	file = fopen(path, "r");
	snprintf(name, size, "?");
	if (file && fgets(name, (int)size, file))
		name[strcspn(name, "\n")] = '\0';
	if (file)
		fclose(file);
}

/* Returns the id of a child process; 0: none. Processes that the program leaves become children of
 * this process. */
static pid_t a_child(void)
{
	FILE *file = fopen("/proc/thread-self/children", "r");
	int child = 0;

	if (file && fscanf(file, "%d", &child) != 1)
		child = 0;
	if (file)
		fclose(file);
	return child;
}

/* Waits for the processes that the program left. A process that still runs after half a second is
 * an orphan, and is killed. */
static void reap(struct end *end)
{
	double begun = now();
	pid_t child;

	while (waitpid(-1, NULL, WNOHANG) >= 0) {
		child = a_child();
		if (now() - begun > 0.5 && child > 0) {
			end->orphan = true;
			name_of(child, end->orphan_name, sizeof(end->orphan_name));
			kill(child, SIGKILL);
		}
		nanosleep(&(struct timespec){ .tv_nsec = 1000000 }, NULL);
	}
}

static void run(const struct trial *trial, const struct place *place, struct end *end)
{
	struct termios before, after;
	int master = -1, slave = -1;
	pid_t child;

	*end = (struct end){ 0 };
	empty(place->here);
	empty(place->temporary);
	empty(place->home);
	if (trial->scenario->file)
		write_file(place->here, trial->scenario->file, trial->scenario->text);
	*place->fault = (struct fault){ trial->kind, trial->call, trial->forever, { 0 } };
	if (trial->scenario->keys) {
		master = open_terminal(&slave);
		tcgetattr(slave, &before);
	}
	child = fork();
	if (child == 0)
		become_program(trial, place, slave);
	if (child < 0)
		stop("fork");
	wait_for(trial, child, master, end);
	reap(end);
	if (master >= 0) {
		end->raw = tcgetattr(slave, &after) != 0 || before.c_lflag != after.c_lflag ||
			   before.c_iflag != after.c_iflag || before.c_oflag != after.c_oflag;
		close(master);
		close(slave);
	}
}

/* ---- what a trial left */

static void read_file(const char *folder, const char *name, char *bytes, size_t size)
{
	char path[600];
	FILE *file;
	size_t length;

	path_in(path, sizeof(path), folder, name);
	file = fopen(path, "r");
	length = file ? fread(bytes, 1, size - 1, file) : 0;
	bytes[length] = '\0';
	if (file)
		fclose(file);
}

/* Returns whether a file ends as a complete file of its kind. */
static bool is_whole(const char *folder, const char *name)
{
	static const struct {
		const char *kind, *end;
	} ends[] = { { ".jsonl", "}\n" }, { ".svg", "</svg>\n" }, { ".gp", "\n" },
		{ ".uarch", "\n" }, { ".csv", "\n" } };
	const char *dot = strrchr(name, '.');
	char path[600], last[16] = "";
	FILE *file;

	path_in(path, sizeof(path), folder, name);
	file = fopen(path, "r");
	if (!file)
		return true;
	if (fseek(file, 0, SEEK_END) == 0 && ftell(file) == 0) {
		fclose(file);
		return true; /* a recording without a record */
	}
	for (size_t i = 0; dot && i < sizeof(ends) / sizeof(ends[0]); i++) {
		size_t length = strlen(ends[i].end);

		if (strcmp(dot, ends[i].kind) != 0)
			continue;
		if (fseek(file, -(long)length, SEEK_END) != 0 ||
			fread(last, 1, length, file) != length || strcmp(last, ends[i].end) != 0) {
			fclose(file);
			return false;
		}
	}
	fclose(file);
	return true;
}

/* Finds a temporary or half-written file in a folder and its subfolders, or any file if `anything`
 * is true. */
static bool left_over(const char *folder, bool anything, char *name, size_t size)
{
	DIR *list = opendir(folder);
	bool found = false;

	for (struct dirent *entry; list && !found && (entry = readdir(list));) {
		if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0)
			continue;
		if (entry->d_type == DT_DIR && !anything) {
			char path[600];

			path_in(path, sizeof(path), folder, entry->d_name);
			found = left_over(path, false, name, size);
			continue;
		}
		found = anything || strstr(entry->d_name, ".tmp") ||
			!is_whole(folder, entry->d_name);
		if (found)
			snprintf(name, size, "%s", entry->d_name);
	}
	if (list)
		closedir(list);
	return found;
}

/* Returns why the trial failed, or NULL. */
static const char *judge(
	const struct trial *trial, const struct place *place, const struct end *end)
{
	static char why[1200];
	char err[600], out[64], name[256];
	int status = WIFEXITED(end->how) ? WEXITSTATUS(end->how) : -1;
	bool terminal = trial->scenario->keys;

	read_file(place->top, "err", err, sizeof(err));
	read_file(place->top, "out", out, sizeof(out));
	if (end->late)
		snprintf(why, sizeof(why), "did not end within %d s: %s", patience_of(trial), err);
	else if (WIFSIGNALED(end->how))
		snprintf(why, sizeof(why), "ended by signal %d: %s", WTERMSIG(end->how), err);
	else if (status != 0 && status != 1 && status != 2)
		snprintf(why, sizeof(why), "status %d: %s", status, err);
	else if (status == 0 && !terminal && !*out && !trial->scenario->silent)
		snprintf(why, sizeof(why), "status 0 without a result: %s", err);
	else if (status != 0 && !*err)
		snprintf(why, sizeof(why), "status %d without a message", status);
	else if (status == 2 && trial->call)
		snprintf(why, sizeof(why), "status 2, as if the command line were wrong: %s", err);
	else if (end->orphan)
		snprintf(why, sizeof(why), "left a process: %s", end->orphan_name);
	else if (end->raw)
		snprintf(why, sizeof(why), "terminal not restored: %s", err);
	else if (end->screen_left && trial->kind != FAULT_WRITE)
		snprintf(why, sizeof(why), "left the terminal on the alternate screen: %s", err);
	else if (left_over(place->temporary, true, name, sizeof(name)) ||
		 left_over(place->here, false, name, sizeof(name)) ||
		 left_over(place->home, false, name, sizeof(name)))
		snprintf(why, sizeof(why), "left a file: %s", name);
	else
		return NULL;
	return why;
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
			stop("memory");
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

	run(&trial, place, &end);
	why = judge(&trial, place, &end);
	if (why || (WEXITSTATUS(end.how) != 0 && !scenario->may_fail)) {
		char err[600];

		read_file(place->top, "err", err, sizeof(err));
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

static bool plan_all(struct plan *plan, char **wishes, const struct place *place)
{
	long share, combinations = 0;
	bool good = true;

	for (const struct fault_scenario *scenario = fault_scenarios; scenario->name; scenario++)
		combinations += scenario->cheap || !options.cheap;
	for (char **at = wishes; *at; at++)
		combinations = at == wishes ? 1 : combinations + 1;
	/* Most of the 16 combinations of a scenario (8 kinds, once or from then on) have fewer
	 * calls than an equal share of the trials. So each combination gets a larger share. */
	share = options.trials / (combinations * 3) + 1;
	for (const struct fault_scenario *scenario = fault_scenarios; scenario->name; scenario++) {
		size_t length = strlen(scenario->name);
		bool chosen = !*wishes && (scenario->cheap || !options.cheap);
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

		run(trial, &place, &end);
		why = judge(trial, &place, &end);
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
		sscanf(argument, "-jobs=%d", &options.jobs) == 1)
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
	options.shim = argv[1];
	options.program = argv[2];
	options.sources = argv[3];
	options.work = argv[4];
	while (*wishes && option(*wishes))
		wishes++;
	lock_work();
	signal(SIGPIPE, SIG_IGN);
	prctl(PR_SET_CHILD_SUBREAPER, 1);
	shared = mmap(
		NULL, sizeof(*shared), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (shared == MAP_FAILED)
		stop("mmap");
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
