#include "trial.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <termios.h>
#include <time.h>
#include <unistd.h>

/* Seconds after which a run hangs. */
enum { PATIENCE = 10 };

struct trial_options trial_options;

static double now(void)
{
	struct timespec time;

	clock_gettime(CLOCK_MONOTONIC, &time);
	return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

_Noreturn void trial_stop(const char *what)
{
	perror(what);
	exit(2);
}

/* ---- the folders of a job */

void place_path(char *path, size_t size, const char *folder, const char *name)
{
	if (snprintf(path, size, "%s/%s", folder, name) >= (int)size)
		exit(2);
}

static void make_folder(char *path, size_t size, const char *folder, const char *name)
{
	place_path(path, size, folder, name);
	if (mkdir(path, 0700) != 0 && errno != EEXIST)
		trial_stop(path);
}

/* Removes all files and folders in a folder. */
static void empty(const char *folder)
{
	DIR *list = opendir(folder);

	for (struct dirent *entry; list && (entry = readdir(list));) {
		char path[600];

		if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0)
			continue;
		place_path(path, sizeof(path), folder, entry->d_name);
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

void place_make(struct place *place, int job)
{
	char name[32], path[600];
	int file;

	snprintf(name, sizeof(name), "job%d", job);
	make_folder(place->top, sizeof(place->top), trial_options.work, name);
	make_folder(place->here, sizeof(place->here), place->top, "here");
	make_folder(place->temporary, sizeof(place->temporary), place->top, "tmp");
	make_folder(place->home, sizeof(place->home), place->top, "home");
	place_path(path, sizeof(path), place->top, "fault");
	file = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
	if (file < 0 || ftruncate(file, sizeof(*place->fault)) != 0)
		trial_stop(path);
	place->fault =
		mmap(NULL, sizeof(*place->fault), PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
	close(file);
	if (place->fault == MAP_FAILED)
		trial_stop("mmap");
}

static void write_file(const char *folder, const char *name, const char *text)
{
	char path[600];
	FILE *file;

	place_path(path, sizeof(path), folder, name);
	file = fopen(path, "w");
	if (!file || fputs(text, file) == EOF || fclose(file) != 0)
		trial_stop(path);
}

/* ---- a trial */

static _Noreturn void become_program(
	const struct trial *trial, const struct place *place, int terminal)
{
	const char *arguments[FAULT_ARGUMENTS + 2] = { trial_options.program };
	char fault[300], canned[600], other[600], path[600];
	int null = open("/dev/null", O_RDONLY), out, err;

	for (int i = 0; i < FAULT_ARGUMENTS && trial->scenario->arguments[i]; i++)
		arguments[i + 1] = trial->scenario->arguments[i];
	setsid();
	place_path(path, sizeof(path), place->top, "out");
	out = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600);
	place_path(path, sizeof(path), place->top, "err");
	err = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600);
	if (terminal >= 0) {
		ioctl(terminal, TIOCSCTTY, 0);
		out = null = terminal;
	}
	dup2(null, STDIN_FILENO);
	dup2(out, STDOUT_FILENO);
	dup2(err, STDERR_FILENO);
	place_path(fault, sizeof(fault), place->top, "fault");
	place_path(canned, sizeof(canned), trial_options.sources, "tests/data/canned.jsonl");
	place_path(other, sizeof(other), trial_options.sources, "tests/data/neoverse-n1.jsonl");
	for (int i = 1; arguments[i]; i++) {
		if (strcmp(arguments[i], "CANNED") == 0)
			arguments[i] = canned;
		if (strcmp(arguments[i], "OTHER") == 0)
			arguments[i] = other;
	}
	setenv("SLEXPLORE_FAULT", fault, 1);
	setenv("LD_PRELOAD", trial_options.shim, 1);
	setenv("TMPDIR", place->temporary, 1);
	setenv("HOME", place->home, 1);
	setenv("XDG_CONFIG_HOME", place->home, 1);
	setenv("TERM", "xterm-256color", 1);
	if (chdir(place->here) == 0)
		execv(trial_options.program, (char **)arguments);
	_exit(126);
}

static int open_terminal(int *slave)
{
	const struct winsize size = { .ws_row = 24, .ws_col = 80 };
	int master = posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC | O_NONBLOCK);

	if (master < 0 || grantpt(master) != 0 || unlockpt(master) != 0)
		trial_stop("posix_openpt");
	*slave = open(ptsname(master), O_RDWR | O_NOCTTY | O_CLOEXEC);
	if (*slave < 0)
		trial_stop("pty");
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

int trial_patience(const struct trial *trial)
{
	return trial->scenario->patience ? trial->scenario->patience : PATIENCE;
}

/* Types the first of the keys that are left, or gives the terminal another size; q: none is left. A
 * trial has the same sizes in every run. */
static void press(int master, const char *key)
{
	static const struct winsize sizes[] = { { .ws_row = 60, .ws_col = 300 },
		{ .ws_row = 10, .ws_col = 40 }, { .ws_row = 300, .ws_col = 90 } };

	/* Ignore errors, because the program may already have ended. */
	if (*key == FAULTS_RESIZE)
		(void)ioctl(master, TIOCSWINSZ, &sizes[strlen(key) % 3]);
	else
		(void)!write(master, *key ? key : "q", 1);
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

		if (time - begun > trial_patience(trial)) {
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
				press(master, key);
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

void trial_run(const struct trial *trial, const struct place *place, struct end *end)
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
		trial_stop("fork");
	wait_for(trial, child, master, end);
	reap(end);
	if (master >= 0) {
		end->raw = tcgetattr(slave, &after) != 0 || before.c_lflag != after.c_lflag ||
			   before.c_iflag != after.c_iflag || before.c_oflag != after.c_oflag;
		close(master);
		close(slave);
	}
}
