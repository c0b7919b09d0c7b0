/* The parent process and its supervisor share one memory mapping, struct outcome. The supervisor
 * writes the compiler's messages and its end to the mapping, and the parent reads them after the
 * supervisor has ended. */
#include "engine/own/compiler.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <poll.h>
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/carried.h"
#include "engine/own/own_child.h"
#include "engine/own/own_folder.h"

/* SAID_MOST: maximum bytes of compiler messages that are kept. OUTPUT_MOST: bytes of messages at
 * which the compiler is ended. FILE_MOST: maximum bytes of each file that the compiler writes.
 * FLAGS_MOST: maximum number of words in the compiler flags. LOOK_MS: interval between two checks
 * of *cancel, milliseconds. */
enum {
	SAID_MOST = 64 << 10,
	OUTPUT_MOST = 16 << 20,
	FILE_MOST = 256 << 20,
	FLAGS_MOST = 64,
	LOOK_MS = 10
};
/* Maximum bytes of memory that each process of the compiler may map. */
#define MEMORY_MOST (UINT64_C(2) << 30)

/* Reasons for which the supervisor ends the compiler. */
enum ending { ENDING_NONE, ENDING_LATE, ENDING_OUTPUT, ENDING_STOPPED };

struct outcome {
	enum ending ending;
	int error; /* errno if the compiler could not be started, otherwise 0 */
	int how;   /* wait status of the compiler, see waitpid() */
	size_t said_length;
	char said[SAID_MOST];
};

/* ---- languages ---- */

#define C_FORM "long loop(long n, void *a, void *b, void *c, void *d)"

static const struct language languages[] = {
	{ ".c", "CC", "cc", "-g0 -fPIC -shared", "-lm", "-O2,-O3,-O3 -march=native", " -D%s=%s",
		true, C_FORM },
	/* The table DT_HASH tells how many symbols there are (find_mangled() in own.c). */
	{ ".cc .cpp .cxx .c++ .C", "CXX", "c++", "-g0 -fPIC -shared -Wl,--hash-style=both", "-lm",
		"-O2,-O3,-O3 -march=native", " -D%s=%s", true, C_FORM },
	{ ".S .s", "CC", "cc", "-g0 -fPIC -shared", "-lm", NULL, " -D%s=%s", true,
		"the global symbol loop" },
	{ ".rs", "RUSTC", "rustc", "--crate-type cdylib -C panic=abort", "",
		"-C opt-level=2,-C opt-level=3,-C opt-level=3 -C target-cpu=native",
		" --cfg '%s=\"%s\"'", false,
		"#[no_mangle] pub extern \"C\" fn r#loop(n: i64, a: *mut f64) -> i64" },
};

enum { LANGUAGES = sizeof(languages) / sizeof(languages[0]) };

/* Whether one of the endings, which blanks separate, is that of the path. */
static bool ends(const char *path, const char *endings)
{
	const char *dot = strrchr(path, '.');

	for (; dot && dot > path && *endings; endings += strspn(endings, " ")) {
		size_t length = strcspn(endings, " ");

		if (strlen(dot) == length && strncmp(dot, endings, length) == 0)
			return true;
		endings += length;
	}
	return false;
}

const struct language *language_of(const char *path)
{
	for (int i = 0; i < LANGUAGES; i++)
		if (ends(path, languages[i].endings))
			return &languages[i];
	return &languages[0];
}

bool language_is_source(const char *path)
{
	return ends(path, language_of(path)->endings);
}

/* ---- the compiler's process ---- */

static _Noreturn void become_compiler(
	const struct compilation *compilation, char **words, int output, struct outcome *outcome)
{
	int nowhere = open("/dev/null", O_RDONLY | O_CLOEXEC);

	setsid();
	own_child_plain();
	dup2(nowhere, STDIN_FILENO);
	dup2(output, STDOUT_FILENO);
	dup2(output, STDERR_FILENO);
	own_child_close(-1);
	setenv("TMPDIR", compilation->folder, 1);
	own_child_limit(RLIMIT_FSIZE, FILE_MOST);
	own_child_limit(RLIMIT_AS, MEMORY_MOST);
	execvp(words[0], words);
	outcome->error = errno;
	_exit(127);
}

/* ---- the supervisor ---- */

/* Returns the seconds of the monotonic clock, or `otherwise` if the clock cannot be read: this
 * failure must not end the supervisor before its compiler. */
static double seconds_or(double otherwise)
{
	struct timespec time;

	if (clock_gettime(CLOCK_MONOTONIC, &time) != 0)
		return otherwise;
	return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

/* Blocks all signals. Returns a descriptor that becomes readable when the compiler has ended
 * (SIGCHLD) or must end (SIGTERM, and SIGCONT at the end of this program); -1: there is no
 * descriptor. */
static int supervise_signals(void)
{
	sigset_t signals;

	sigfillset(&signals);
	sigprocmask(SIG_SETMASK, &signals, NULL);
	signal(SIGCHLD, SIG_DFL); /* a parent that ignores SIGCHLD never learns how a child ended */
	sigemptyset(&signals);
	sigaddset(&signals, SIGTERM);
	sigaddset(&signals, SIGCONT);
	sigaddset(&signals, SIGCHLD);
	return signalfd(-1, &signals, SFD_CLOEXEC | SFD_NONBLOCK);
}

/* Takes the signals that have arrived. Returns whether the compiler must end. */
static bool asked_to_stop(int signals, pid_t parent)
{
	struct signalfd_siginfo about;
	bool stop = getppid() != parent;

	while (TEMP_FAILURE_RETRY(read(signals, &about, sizeof(about))) == sizeof(about))
		stop |= about.ssi_signo == SIGTERM;
	return stop;
}

/* Reads messages of the compiler until the pipe is empty. Returns false at the end of the pipe. */
static bool take_messages(int input, struct outcome *outcome, size_t *read_bytes)
{
	char piece[4096];
	ssize_t got;

	while ((got = TEMP_FAILURE_RETRY(read(input, piece, sizeof(piece)))) > 0) {
		size_t room = SAID_MOST - outcome->said_length;
		size_t more = (size_t)got < room ? (size_t)got : room;

		memcpy(outcome->said + outcome->said_length, piece, more);
		outcome->said_length += more;
		*read_bytes += (size_t)got;
		if (*read_bytes > OUTPUT_MOST)
			return true;
	}
	return got < 0;
}

/* Waits until the compiler's first process has ended, or there is a reason to end it. */
static enum ending await_compiler(
	pid_t child, int input, int signals, pid_t parent, double deadline, struct outcome *outcome)
{
	struct pollfd wait[] = { { .fd = input, .events = POLLIN },
		{ .fd = signals, .events = POLLIN } };
	size_t read_bytes = 0;

	for (;;) {
		double left = deadline - seconds_or(INFINITY);

		if (asked_to_stop(signals, parent))
			return ENDING_STOPPED;
		if (own_child_over(child)) {
			take_messages(input, outcome, &read_bytes);
			return ENDING_NONE;
		}
		if (left <= 0)
			return ENDING_LATE;
		if (read_bytes > OUTPUT_MOST)
			return ENDING_OUTPUT;
		poll(wait, 2, (int)(left * 1000) + 1);
		if (wait[0].revents && !take_messages(input, outcome, &read_bytes))
			wait[0].fd = -1;
	}
}

static _Noreturn void supervise(
	const struct compilation *compilation, char **words, struct outcome *outcome, pid_t parent)
{
	double deadline = seconds_or(0) + compilation->seconds;
	int signals = supervise_signals(), ends[2];
	pid_t child = -1;

	/* Signals to this program's group do not reach the supervisor, which must remove the
	 * folder. */
	setsid();
	own_child_adopt();
	/* The end of this program wakes the supervisor, also if the compiler has stopped it. */
	prctl(PR_SET_PDEATHSIG, SIGCONT);
	if (signals >= 0 && pipe2(ends, O_CLOEXEC) == 0 && (child = own_child_fork()) == 0)
		become_compiler(compilation, words, ends[1], outcome);
	if (child < 0) {
		outcome->error = errno;
	} else {
		close(ends[1]);
		fcntl(ends[0], F_SETFL, O_NONBLOCK);
		outcome->ending =
			await_compiler(child, ends[0], signals, parent, deadline, outcome);
		outcome->how = own_child_end(child, outcome->ending != ENDING_NONE);
		own_child_end_adopted();
	}
	if (outcome->error || outcome->ending != ENDING_NONE || outcome->how != 0)
		own_folder_remove(compilation->folder);
	own_folder_finished(compilation->folder);
	_exit(0);
}

/* ---- this program ---- */

/* Splits flags at blanks into `words`, and ends the list with NULL. Quotes ("..." or '...') keep
 * blanks in one word. Splitting the flags changes the buffer `flags`. */
static int split(char *flags, char **words, int room)
{
	int count = 0;
	char *to = flags;

	for (char *at = flags; *at && count < room - 1;) {
		char quote = '\0';

		while (*at == ' ' || *at == '\t')
			at++;
		if (!*at)
			break;
		words[count++] = to;
		for (; *at && (quote || (*at != ' ' && *at != '\t')); at++) {
			if (quote ? *at == quote : *at == '"' || *at == '\'')
				quote = quote ? '\0' : *at;
			else
				*to++ = *at;
		}
		if (*at)
			at++;
		*to++ = '\0';
	}
	words[count] = NULL;
	return count;
}

/* Runs the supervisor and waits for its end. Returns 0, or an errno. */
static int run(const struct compilation *compilation, char **words, struct outcome *outcome)
{
	const pid_t parent = getpid();
	bool stopping = false;
	int over[2]; /* the supervisor's end closes this pipe, which wakes the parent */
	int error = 0, how;
	pid_t supervisor;

	if (pipe2(over, O_CLOEXEC) != 0)
		return errno;
	supervisor = fork();
	if (supervisor == 0)
		supervise(compilation, words, outcome, parent);
	if (supervisor < 0)
		error = errno;
	else
		own_folder_used(compilation->folder, supervisor);
	close(over[1]);
	for (pid_t seen;
		supervisor > 0 && (seen = waitpid(supervisor, &how, WNOHANG | WUNTRACED)) >= 0;) {
		struct pollfd wait = { .fd = over[0] };

		/* A compiler that stops its supervisor must not stop its clock. */
		if (seen > 0 && WIFSTOPPED(how))
			kill(supervisor, SIGCONT);
		else if (seen > 0)
			break;
		poll(&wait, 1, LOOK_MS);
		if (!stopping && compilation->cancel && atomic_load(compilation->cancel)) {
			stopping = true;
			kill(supervisor, SIGTERM);
		}
	}
	own_folder_used(compilation->folder, 0);
	close(over[0]);
	return error;
}

/* The result of a compilation as a status. `start` is the first word of the command. */
static struct status judge(const struct compilation *compilation, const char *compiler,
	const char *start, const struct outcome *outcome)
{
	const char *path = compilation->path;

	if (outcome->error)
		return status_failed("%.80s: no compiler: \"%.60s\" does not start: %s; install "
				     "one, or name one in %s",
			path, start, strerror(outcome->error), language_of(path)->variable);
	switch (outcome->ending) {
	case ENDING_LATE:
		return status_failed("%.120s: the compiler (%.40s) did not end within %.3g s", path,
			compiler, compilation->seconds);
	case ENDING_OUTPUT:
		return status_failed(
			"%.120s: the compiler (%.40s) wrote more than %d MiB of messages", path,
			compiler, OUTPUT_MOST >> 20);
	case ENDING_STOPPED:
		return status_make(STATUS_CANCELLED, "%.120s: compiling was stopped", path);
	default: break;
	}
	if (outcome->how != 0)
		return status_failed("%.120s does not compile (%.40s %.60s)", path, compiler,
			compilation->flags);
	return status_ok();
}

/* Adds the compiler's messages, made safe for a terminal. */
static void say_clean(const struct outcome *outcome, struct text *said)
{
	struct text words = { 0 };

	text_addn(&words, outcome->said, outcome->said_length);
	text_add_clean_lines(said, text_string(&words));
	text_free(&words);
}

struct status compiler_run(const struct compilation *compilation, struct text *said)
{
	struct outcome *outcome = mmap(
		NULL, sizeof(*outcome), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	const struct language *language = language_of(compilation->path);
	const char *compiler = getenv(language->variable), *path = compilation->path;
	char *words[FLAGS_MOST + 16];
	struct text line = { 0 }, source = { 0 };
	struct status status;
	int count, error;
	bool alone;

	if (outcome == MAP_FAILED) {
		status =
			status_failed("%.120s: no memory for compiling: %s", path, strerror(errno));
		own_folder_remove(compilation->folder);
		return status;
	}
	if (!compiler || !compiler[strspn(compiler, " \t")])
		compiler = language->compiler;
	/* The portable program has other libraries than the machine. So the compiler adds none; the
	 * loader finds the functions in the carried libraries. */
	alone = *language->libraries && carried_libraries();
	text_addf(&line, "%s %s %s%s -o", compiler, language->options,
		alone ? "-nodefaultlibs " : "", compilation->flags);
	/* "./" before a file name keeps the compiler from reading a name that begins with a dash as
	 * an option. */
	text_addf(&source, "%s%s", path[0] == '-' ? "./" : "", path);
	count = split(line.bytes, words, FLAGS_MOST + 12);
	words[count++] = (char *)compilation->library;
	words[count++] = source.bytes;
	if (*language->libraries)
		words[count++] = alone ? (char *)"-lgcc" : (char *)language->libraries;
	words[count] = NULL;
	error = run(compilation, words, outcome);
	if (said)
		say_clean(outcome, said);
	status =
		error ? status_failed("%.120s: no process for compiling: %s", path, strerror(error))
		      : judge(compilation, compiler, words[0], outcome);
	if (!status_is_ok(&status))
		own_folder_remove(compilation->folder);
	munmap(outcome, sizeof(*outcome));
	text_free(&line);
	text_free(&source);
	return status;
}
