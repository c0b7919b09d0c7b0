/* Runs a fuzz target without libFuzzer: on files, or on the files of tests/fuzz/corpus/NAME and on
 * inputs made by random changes from its seeds and from these files. Nothing is learnt from one
 * input for the next; the same seed makes the same inputs everywhere. The corpus has inputs that
 * once failed, and files as other programs write them.
 *
 *   TARGET [-runs=N] [-seed=N] [-timeout=S]
 *       N inputs (the target's fuzz_runs, else 3,000; emulated 700) from the seed (1), each of at
 *       most S seconds of processor time (default: no such bound)
 *   TARGET FILE…
 *       these files, once each
 *
 * An input on which the target crashes or hangs (60 s) is written to crash-TARGET in the working
 * directory. */
#include "fuzz.h"

#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

#include "base/random.h"

enum { LONGEST = 1024, PATIENCE = 60 };

static uint8_t *input;
static size_t input_size;
static char crash_file[256];

/* Processor time in seconds: the longest that an input may take (0: no bound), and that one took.
 */
static long timeout;
static double longest_run;

/* Of AddressSanitizer, which ends a program without a signal. */
void __sanitizer_set_death_callback(void (*callback)(void)) __attribute__((weak));

/* Keeps the input. Only what a signal handler may call. */
static void keep_input(void)
{
	int file = open(crash_file, O_WRONLY | O_CREAT | O_TRUNC, 0644);

	if (file >= 0 && write(file, input, input_size) == (ssize_t)input_size &&
		write(2, crash_file, strlen(crash_file)) > 0)
		(void)!write(2, ": the input\n", 12);
}

static void on_signal(int number)
{
	keep_input();
	signal(number, SIG_DFL);
	raise(number);
}

static void watch(const char *program)
{
	static const int signals[] = { SIGABRT, SIGBUS, SIGFPE, SIGILL, SIGSEGV, SIGALRM, SIGPROF };
	const char *name = strrchr(program, '/');
	char *directory = getcwd(NULL, 0);

	/* A target may leave the working directory. */
	snprintf(crash_file, sizeof(crash_file), "%s/crash-%s", directory ? directory : ".",
		name ? name + 1 : program);
	free(directory);
	/* Where a sanitiser reports crashes, its report comes first. */
	if (__sanitizer_set_death_callback)
		__sanitizer_set_death_callback(keep_input);
	for (size_t i = 0; i < sizeof(signals) / sizeof(signals[0]); i++)
		if (!__sanitizer_set_death_callback || signals[i] == SIGABRT ||
			signals[i] == SIGALRM || signals[i] == SIGPROF)
			signal(signals[i], on_signal);
}

static double processor_seconds(void)
{
	struct timespec now;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
	return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static void set_timeout(long seconds)
{
	const struct itimerval timer = { .it_value.tv_sec = seconds };

	setitimer(ITIMER_PROF, &timer, NULL);
}

/* In memory of its own, without a byte to spare. */
static void run(const uint8_t *bytes, size_t size)
{
	double begin = processor_seconds(), took;

	input = malloc(size ? size : 1);
	if (!input)
		exit(1);
	memcpy(input, bytes, size);
	input_size = size;
	alarm(PATIENCE);
	set_timeout(timeout);
	LLVMFuzzerTestOneInput(input, size);
	set_timeout(0);
	alarm(0);
	took = processor_seconds() - begin;
	if (took > longest_run)
		longest_run = took;
	free(input);
	input = NULL;
}

static uint8_t *read_file(const char *name, size_t *size)
{
	FILE *file = fopen(name, "rb");
	uint8_t *bytes = NULL;
	size_t room = 0, got;

	*size = 0;
	if (!file) {
		perror(name);
		return NULL;
	}
	do {
		if (*size == room) {
			room = room ? 2 * room : 4096;
			bytes = realloc(bytes, room);
			if (!bytes)
				exit(1);
		}
		got = fread(bytes + *size, 1, room - *size, file);
		*size += got;
	} while (got > 0);
	fclose(file);
	return bytes;
}

static int run_file(const char *name)
{
	size_t size;
	uint8_t *bytes = read_file(name, &size);

	if (!bytes)
		return 1;
	run(bytes, size);
	free(bytes);
	printf("%s: %zu bytes\n", name, size);
	return 0;
}

/* ---- Making inputs */

enum { SEEDS = 64 };

struct making {
	struct random random;
	uint8_t *bytes;
	size_t size, longest;
	struct fuzz_seed seed[SEEDS]; /* the target's seeds, then the files of its corpus */
	int seeds, files;	      /* all seeds, and how many of them are files */
};

static size_t below(struct making *making, size_t bound)
{
	return bound ? (size_t)random_below(&making->random, bound) : 0;
}

static void insert(struct making *making, size_t at, const void *bytes, size_t size)
{
	if (size > making->longest - making->size)
		size = making->longest - making->size;
	memmove(making->bytes + at + size, making->bytes + at, making->size - at);
	memcpy(making->bytes + at, bytes, size);
	making->size += size;
}

static void take_out(struct making *making, size_t at, size_t size)
{
	if (size > making->size - at)
		size = making->size - at;
	memmove(making->bytes + at, making->bytes + at + size, making->size - at - size);
	making->size -= size;
}

/* One change. Nothing is wrong in particular with these bytes but that code often thinks so. */
static void change(struct making *making)
{
	static const uint8_t odd[] = { 0, 1, 0x7f, 0x80, 0xff, '\n', ' ', '0', '9', '-', '.', '=',
		',', '#', '[', ']' };
	size_t at = below(making, making->size);
	uint8_t piece[64];

	switch (below(making, 8)) {
	case 0:
		if (making->size)
			making->bytes[at] ^= (uint8_t)(1u << below(making, 8));
		break;
	case 1:
		if (making->size)
			making->bytes[at] = (uint8_t)random_next(&making->random);
		break;
	case 2:
		if (making->size)
			making->bytes[at] = odd[below(making, sizeof(odd))];
		break;
	case 3: take_out(making, at, 1 + below(making, 16)); break;
	case 4: /* random bytes */
		for (size_t i = 0; i < sizeof(piece); i++)
			piece[i] = (uint8_t)random_next(&making->random);
		insert(making, at, piece, 1 + below(making, 16));
		break;
	case 5: { /* a piece of itself again */
		size_t size = 1 + below(making, sizeof(piece)), from = below(making, making->size);

		if (size > making->size - from)
			size = making->size - from;
		memcpy(piece, making->bytes + from, size);
		insert(making, at, piece, size);
		break;
	}
	case 6: /* a piece of a seed */
		if (making->seeds) {
			const struct fuzz_seed *seed =
				&making->seed[below(making, (size_t)making->seeds)];
			size_t from = below(making, seed->size);

			insert(making, at, (const uint8_t *)seed->bytes + from,
				1 + below(making, seed->size - from));
		}
		break;
	default: /* the end missing */
		if (below(making, 8) == 0)
			making->size = at;
		break;
	}
}

static void make(struct making *making)
{
	making->size = 0;
	if (making->seeds && below(making, 8)) {
		const struct fuzz_seed *seed = &making->seed[below(making, (size_t)making->seeds)];

		insert(making, 0, seed->bytes, seed->size);
	} else {
		size_t size = 1 + below(making, 1 + below(making, making->longest));

		while (making->size < size)
			making->bytes[making->size++] = (uint8_t)random_next(&making->random);
	}
	for (size_t changes = below(making, 9); changes > 0; changes--)
		change(making);
}

static int is_shown(const struct dirent *entry)
{
	return entry->d_name[0] != '.';
}

/* Adds the files in the target's folder of the corpus, in the order of their names. */
static void add_corpus(struct making *making, const char *program)
{
	const char *top = getenv("top_srcdir"), *name = strrchr(program, '/');
	char folder[1024], file[2048];
	struct dirent **files;
	int count;

	name = name ? name + 1 : program;
	snprintf(folder, sizeof(folder), "%s/tests/fuzz/corpus/%.*s", top ? top : ".",
		(int)strcspn(name, "."), name);
	count = scandir(folder, &files, is_shown, alphasort);
	for (int i = 0; i < count; i++) {
		struct fuzz_seed seed = { NULL, 0 };

		snprintf(file, sizeof(file), "%s/%s", folder, files[i]->d_name);
		free(files[i]);
		if (making->seeds < SEEDS)
			seed.bytes = read_file(file, &seed.size);
		if (!seed.bytes)
			continue;
		making->seed[making->seeds++] = seed;
		making->files++;
	}
	if (count >= 0)
		free(files);
}

static int make_inputs(const char *program, uint64_t runs, uint64_t seed)
{
	struct making making = { .random = { seed },
		.longest = &fuzz_longest ? fuzz_longest : LONGEST };

	making.bytes = malloc(making.longest);
	if (!making.bytes)
		return 1;
	run(making.bytes, 0);
	if (fuzz_seeds)
		for (; fuzz_seeds[making.seeds].bytes; making.seeds++)
			making.seed[making.seeds] = fuzz_seeds[making.seeds];
	add_corpus(&making, program);
	for (int i = 0; i < making.seeds; i++)
		run(making.seed[i].bytes, making.seed[i].size);
	for (uint64_t i = 0; i < runs; i++) {
		make(&making);
		run(making.bytes, making.size);
	}
	for (int i = making.seeds - making.files; i < making.seeds; i++)
		free((void *)(uintptr_t)making.seed[i].bytes);
	free(making.bytes);
	printf("%llu inputs, seed %llu, %d files", (unsigned long long)runs,
		(unsigned long long)seed, making.files);
	if (timeout > 0)
		printf(", at most %.0f ms of processor time", longest_run * 1000);
	putchar('\n');
	return 0;
}

#ifdef __x86_64__
enum { RUNS = 3000 };
#else
enum { RUNS = 700 };
#endif

int main(int argc, char **argv)
{
	unsigned long long runs = &fuzz_runs ? fuzz_runs : RUNS, seed = 1;
	bool files = false;
	int failed = 0;

	watch(argv[0]);
	for (int i = 1; i < argc; i++) {
		if (sscanf(argv[i], "-runs=%llu", &runs) == 1 ||
			sscanf(argv[i], "-seed=%llu", &seed) == 1 ||
			sscanf(argv[i], "-timeout=%ld", &timeout) == 1)
			continue;
		files = true;
		failed |= run_file(argv[i]);
	}
	return files ? failed : make_inputs(argv[0], runs, seed);
}
