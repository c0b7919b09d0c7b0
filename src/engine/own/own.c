#include "engine/own/own.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/data.h"
#include "base/units.h"

extern char **environ;

/* SAID_MOST: maximum bytes of compiler messages that are kept. FLAGS_MOST: maximum number of words
 * in the compiler flags. */
enum { SAID_MOST = 64 << 10, FLAGS_MOST = 64 };

struct own {
	char *path, *cflags, *library;
	struct own_description description;
	struct stat file; /* metadata of the user's source file when the file was read */
};

/* The user's function. */
typedef long own_loop(long n, void *a, void *b, void *c, void *d);

static struct {
	struct slot {
		struct own own;
		struct kernel kernel;
		struct knob knob;
		char look_for[400];
	} slot[OWN_SLOTS];
	unsigned opened; /* number of the user's source files opened so far: selects the next slot
			    and names the library */
	char directory[256]; /* directory for compiled libraries; empty: the directory is not
				created yet */
	pid_t owner; /* process that created the directory: a child process that calls exit() must
			not remove the directory */
} all;

bool own_is_path(const char *word)
{
	size_t length = strlen(word);

	return word[0] == '/' || strncmp(word, "./", 2) == 0 || strncmp(word, "../", 3) == 0 ||
	       (length > 2 && (strcmp(word + length - 2, ".c") == 0 ||
				      strcmp(word + length - 2, ".S") == 0));
}

const char *own_cflags(const struct own *own)
{
	return own->cflags;
}

const struct own_description *own_description(const struct own *own)
{
	return &own->description;
}

uint64_t own_elements(const struct own *own, int64_t n)
{
	return (uint64_t)own_count(&own->description.elements, n);
}

static bool same_file(const struct stat *a, const struct stat *b)
{
	return a->st_ino == b->st_ino && a->st_dev == b->st_dev && a->st_size == b->st_size &&
	       a->st_mtim.tv_sec == b->st_mtim.tv_sec && a->st_mtim.tv_nsec == b->st_mtim.tv_nsec;
}

bool own_changed(const struct own *own)
{
	struct stat now;

	return stat(own->path, &now) == 0 && S_ISREG(now.st_mode) && now.st_size > 0 &&
	       !same_file(&now, &own->file);
}

void own_seen(const struct own *own)
{
	struct slot *slot = &all.slot[(const struct slot *)(const void *)own - all.slot];

	(void)stat(own->path, &slot->own.file);
}

/* ---- the directory for libraries ---- */

static void remove_directory(void)
{
	if (!all.directory[0] || getpid() != all.owner)
		return;
	for (int i = 0; i < OWN_SLOTS; i++)
		if (all.slot[i].own.library)
			unlink(all.slot[i].own.library);
	rmdir(all.directory);
}

static struct status make_directory(void)
{
	const char *base = getenv("TMPDIR");

	if (all.directory[0])
		return status_ok();
	if (!base || !*base)
		base = "/tmp";
	if (snprintf(all.directory, sizeof(all.directory), "%s/slexplore-XXXXXX", base) >=
			(int)sizeof(all.directory) ||
		!mkdtemp(all.directory)) {
		all.directory[0] = '\0';
		return status_failed(
			"no directory for compiled loops in %.120s: %s", base, strerror(errno));
	}
	all.owner = getpid();
	atexit(remove_directory);
	return status_ok();
}

static struct status read_source(const char *path, char **text, struct stat *file)
{
	*text = NULL;
	if (stat(path, file) != 0)
		return status_failed("%.160s: %s", path, strerror(errno));
	if (!S_ISREG(file->st_mode))
		return status_failed("%.160s is no file", path);
	return data_read(path, text);
}

/* ---- compiling ---- */

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

/* Runs a program and collects its output. Returns the program's wait status (see waitpid()), or -1
 * and errno if the program cannot start. */
static int run(char **words, struct text *said)
{
	posix_spawn_file_actions_t actions;
	posix_spawnattr_t attributes;
	sigset_t none, usual;
	int ends[2], how = -1, error;
	pid_t child;
	char piece[4096];
	ssize_t got;

	if (pipe2(ends, O_CLOEXEC) != 0)
		return -1;
	posix_spawn_file_actions_init(&actions);
	posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
	posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO);
	posix_spawn_file_actions_adddup2(&actions, ends[1], STDERR_FILENO);
	posix_spawnattr_init(&attributes);
	sigemptyset(&none);
	sigemptyset(&usual);
	sigaddset(&usual, SIGPIPE);
	sigaddset(&usual, SIGXFSZ);
	posix_spawnattr_setsigmask(&attributes, &none);
	posix_spawnattr_setsigdefault(&attributes, &usual);
	posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
	error = posix_spawnp(&child, words[0], &actions, &attributes, words, environ);
	posix_spawnattr_destroy(&attributes);
	posix_spawn_file_actions_destroy(&actions);
	close(ends[1]);
	while (!error && (got = TEMP_FAILURE_RETRY(read(ends[0], piece, sizeof(piece)))) > 0)
		if (said && said->length < SAID_MOST)
			text_addn(said, piece, (size_t)got);
	close(ends[0]);
	if (error) {
		errno = error;
		return -1;
	}
	(void)TEMP_FAILURE_RETRY(waitpid(child, &how, 0));
	return how;
}

static const char *flags_of(const struct own *own)
{
	return own->cflags		     ? own->cflags
	       : own->description.has_cflags ? own->description.cflags
					     : "-O2";
}

static struct status compile(const struct own *own, struct text *said)
{
	const char *compiler = getenv("CC"), *flags = flags_of(own);
	char *words[FLAGS_MOST + 16];
	struct text line = { 0 }, path = { 0 };
	struct status status = status_ok();
	int count, how;

	if (!compiler || !*compiler)
		compiler = "cc";
	text_addf(&line, "%s -g0 -fPIC -shared %s -o", compiler, flags);
	/* "./" before a file name keeps the compiler from reading a name that begins with a dash as
	 * an option. */
	text_addf(&path, "%s%s", own->path[0] == '-' ? "./" : "", own->path);
	count = split(line.bytes, words, FLAGS_MOST + 12);
	words[count++] = own->library;
	words[count++] = path.bytes;
	words[count++] = (char *)"-lm";
	words[count] = NULL;
	how = run(words, said);
	if (how < 0)
		status = status_failed(
			"%.80s: no compiler: \"%.60s\": %s; install one, or name one in CC",
			own->path, words[0], strerror(errno));
	else if (how != 0)
		status = status_failed(
			"%.120s does not compile (%.40s %.60s)", own->path, compiler, flags);
	text_free(&line);
	text_free(&path);
	return status;
}

static void own_free(struct own *own)
{
	if (own->library)
		unlink(own->library);
	free(own->library);
	free(own->path);
	free(own->cflags);
	*own = (struct own){ 0 };
}

/* ---- only in a child process ---- */

static struct {
	own_loop *loop;
	struct own_data data;
	int64_t n[2]; /* the parameter n of loop() for a whole pass, then n for a shorter pass */
	uint64_t elements; /* elements of one call with n[0] */
	_Atomic uint64_t *calls;
} child;

void own_child_plain(void)
{
	const struct rlimit no_core = { 0 };
	sigset_t none;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	for (int number = 1; number < 32; number++)
		signal(number, SIG_DFL);
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	setrlimit(RLIMIT_CORE, &no_core);
}

void own_child_begin(void)
{
	int nowhere = open("/dev/null", O_RDWR | O_CLOEXEC);

	own_child_plain();
	/* The explorer, not the child process that runs the user's loop, handles the terminal's
	 * keys (Ctrl-C, Ctrl-Z). */
	signal(SIGINT, SIG_IGN);
	signal(SIGQUIT, SIG_IGN);
	signal(SIGTSTP, SIG_IGN);
	signal(SIGHUP, SIG_IGN);
	for (int stream = STDIN_FILENO; nowhere >= 0 && stream <= STDERR_FILENO; stream++)
		dup2(nowhere, stream);
}

void own_child_count(_Atomic uint64_t *calls)
{
	child.calls = calls;
}

/* Loads the compiled library and finds its function loop(). */
static struct status own_load(const struct own *own, own_loop **loop)
{
	void *library = dlopen(own->library, RTLD_NOW | RTLD_LOCAL), *symbol;

	*loop = NULL;
	if (!library) {
		const char *why = dlerror();

		/* Shorten "…/own-3.so: undefined symbol: f" to the part after the path. */
		if (why && strncmp(why, own->library, strlen(own->library)) == 0 &&
			strstr(why, ": "))
			why = strstr(why, ": ") + 2;
		return status_failed("%.80s cannot be loaded: %.120s", own->path,
			why ? why : "the reason is unknown");
	}
	symbol = dlsym(library, "loop");
	if (!symbol)
		return status_failed("%.80s has no function loop(): write  long loop(long n, "
				     "void *a, void *b, void *c, void *d)",
			own->path);
	memcpy(loop, &symbol, sizeof(symbol));
	return status_ok();
}

/* Loads the user's loop, and lays out its data for two lengths. */
static struct status child_load(
	const struct own *own, int64_t n, int64_t shorter, uint64_t seed, void *memory)
{
	struct status status = own_load(own, &child.loop);

	if (!status_is_ok(&status))
		return status;
	child.n[0] = n;
	child.n[1] = shorter;
	child.elements = own_elements(own, n);
	own_data_make(&child.data, &own->description, n, shorter, seed, memory);
	return status;
}

/* Loads the library and lays out the data. run->memory must have own_data_bytes() zeroed bytes. */
static struct status own_child_prepare(struct kernel_run *run)
{
	int64_t n = run->v[0];
	struct status status = child_load(run->kernel->own, n, n / 2, run->seed, run->memory);

	run->ring = run->granule = child.elements;
	run->code.start = (const void *)child.loop;
	run->code.name = "loop";
	return status;
}

/* The field run->code.start has the address of the loop to call, because the engine may have
 * changed the loop's machine code (engine/memory/code_buffer.h). If `run` is NULL, the function of
 * the user's library is called. */
static void own_child_call(struct kernel_run *run, uint64_t elements)
{
	own_loop *loop = run ? (own_loop *)run->code.start : child.loop;
	void *const *argument = child.data.argument;
	bool half = elements < child.elements;
	/* Calls for half and for whole passes of the user's loop run the same instructions and
	 * branches in this function. The difference of the times of half and whole passes is then
	 * due to the user's loop only. */
	uint64_t passes = elements / child.elements + half;

	own_data_shorten(&child.data, half);
	do {
		loop(child.n[half], argument[0], argument[1], argument[2], argument[3]);
		if (child.calls)
			atomic_fetch_add_explicit(child.calls, 1, memory_order_relaxed);
	} while (--passes > 0);
}

int own_steps_prepare(void *context)
{
	struct own_steps *steps = context;
	size_t bytes = own_data_bytes(&steps->own->description, steps->n[0]);
	void *memory;

	own_child_begin();
	memory = mmap(NULL, bytes ? bytes : 1, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS,
		-1, 0);
	*steps->failure = memory == MAP_FAILED ? status_failed("%.80s: memory refused: %s",
							 steps->own->path, strerror(errno))
					       : child_load(steps->own, steps->n[0], steps->n[1],
							 steps->seed, memory);
	return !status_is_ok(steps->failure);
}

void own_steps_run(void *steps, uint64_t elements)
{
	(void)steps;
	own_child_call(NULL, elements);
}

struct own_ending own_ended_by(int signal)
{
	static const char *const words[32] = {
		[SIGSEGV] = "accessed memory that does not exist (SIGSEGV)",
		[SIGBUS] = "accessed memory that has no page (SIGBUS)",
		[SIGFPE] = "divided by zero, or overflowed in a division (SIGFPE)",
		[SIGILL] = "ran ran an instruction that this processor does not have (SIGILL)",
		[SIGABRT] = "aborted (SIGABRT)",
		[SIGSYS] = "made made a system call that is not allowed (SIGSYS)",
		[SIGTRAP] = "ran into a breakpoint (SIGTRAP)",
		[SIGKILL] = "was killed (SIGKILL), perhaps because memory ran out",
	};
	struct own_ending ending;

	if (signal > 0 && signal < 32 && words[signal])
		snprintf(ending.text, sizeof(ending.text), "%s", words[signal]);
	else
		snprintf(ending.text, sizeof(ending.text), "was ended by signal %d", signal);
	return ending;
}

/* ---- the loop's kernel ---- */

#define SLOT(index)                                                                        \
	static uint64_t footprint_##index(const int64_t *v)                                \
	{                                                                                  \
		return own_bytes(&all.slot[index].own.description, v[0]);                  \
	}                                                                                  \
	static struct status check_##index(const int64_t *v)                               \
	{                                                                                  \
		return own_description_check(                                              \
			&all.slot[index].own.description, all.slot[index].own.path, v[0]); \
	}

SLOT(0)
SLOT(1)
SLOT(2)
SLOT(3)

static const struct {
	uint64_t (*footprint)(const int64_t *v);
	struct status (*check)(const int64_t *v);
} callbacks[] = { { footprint_0, check_0 }, { footprint_1, check_1 }, { footprint_2, check_2 },
	{ footprint_3, check_3 } };
_Static_assert(sizeof(callbacks) / sizeof(callbacks[0]) == OWN_SLOTS, "callbacks for each slot");

static void make_kernel(struct slot *slot, int index)
{
	const struct own *own = &slot->own;
	int64_t multiple = own->description.multiple * 2;

	slot->knob = (struct knob){
		.name = "n",
		.help = "the arguments of loop()",
		.kind = KNOB_COUNT,
		.min = (int64_t)round_up(OWN_N_MIN, (uint64_t)multiple),
		.max = OWN_N_MAX / multiple * multiple,
		.initial = own->description.n,
		.multiple = multiple,
		.factor = 2,
	};
	snprintf(slot->look_for, sizeof(slot->look_for),
		"loop() of %.120s, %.100s. When you save the file again, it is measured again, and "
		"the previous version becomes A.",
		own->path, flags_of(own));
	slot->kernel = (struct kernel){
		.name = own->path,
		.title = "your own loop",
		.look_for = slot->look_for,
		.document = "your own loop",
		.element = "element",
		.knobs = &slot->knob,
		.knob_count = 1,
		.check = callbacks[index].check,
		.footprint = callbacks[index].footprint,
		.halved = true,
		.prepare = own_child_prepare,
		.call = own_child_call,
		.stepped = true,
		.isolated = true,
		.own = own,
		.file = own->path,
	};
}

/* ---- opening ---- */

struct status own_open(
	const char *path, const char *cflags, struct text *said, const struct kernel **kernel)
{
	struct own own = { .path = memory_string(path),
		.cflags = cflags ? memory_string(cflags) : NULL };
	int index = (int)(all.opened % OWN_SLOTS);
	struct slot *slot = &all.slot[index];
	struct status status = status_ok();
	struct text library = { 0 };
	char *source = NULL;

	/* In a statically linked program, dlopen() fails, because the program has no loader. */
	if (!dlopen(NULL, RTLD_NOW))
		status = status_failed("%.80s: own loops need a dynamically linked slexplore: this "
				       "one cannot load code",
			path);
	if (status_is_ok(&status))
		status = read_source(path, &source, &own.file);
	if (status_is_ok(&status))
		status = own_describe(source, path, &own.description);
	if (status_is_ok(&status))
		status = own_description_check(&own.description, path, own.description.n);
	if (status_is_ok(&status))
		status = make_directory();
	if (status_is_ok(&status)) {
		text_addf(&library, "%s/own-%u.so", all.directory, all.opened);
		own.library = library.bytes; /* own_free() frees it */
		status = compile(&own, said);
	}
	free(source);
	if (!status_is_ok(&status)) {
		own_free(&own);
		return status;
	}
	own_free(&slot->own);
	slot->own = own;
	all.opened++;
	make_kernel(slot, index);
	*kernel = &slot->kernel;
	return status;
}
