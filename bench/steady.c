/* What a walk through memory costs in steady state, measured in the plainest way: whole laps over
 * the same bytes, each timed alone, and the median of the laps after a warm-up. It shares no code
 * with src/ and kernels/, so that it can judge them (bench/steady.sh).
 *
 * - steady latency SIZE: one chain of loads through all lines, random order: ns a load
 * - steady read|write|copy SIZE: the widest vectors, ordinary stores: GB/s read and written
 * - steady mountain SIZE STRIDE: 8-byte elements, one in STRIDE, into four sums: GB/s read
 *
 * SIZE is the size of all arrays together, in bytes or with k, m or g (2^10, 2^20, 2^30); it is
 * rounded down to whole KiB. GB is 10^9 bytes, and counts the bytes that the code reads or writes.
 *
 * - --cpu N: the processor; default: the last one that this process may use
 * - --pages auto|4k|huge: auto and huge ask for huge pages, 4k forbids them
 * - --laps N: at least N laps after the warm-up
 * - --seconds S: at least S seconds of them; without either: 5 laps and 0.5 s
 *
 * The warm-up lasts 2 laps and 0.15 s, whichever is longer. A lap is one pass over the data, or
 * as many as take 2 ms. Its time is processor time of this thread: time in which another program
 * has the processor does not count. That program leaves its data in the caches, so a lap in which
 * it ran, and the lap after, are marked and do not count either, unless fewer than 5 laps remain.
 *
 * Prints each lap's value, then the median, lowest and highest of those that count. */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <errno.h>
#include <getopt.h>
#include <sched.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <time.h>

enum { LINE = 64, KIB = 1024, HUGE_PAGE = 2 << 20, UNROLL = 8, WARM_UP_LAPS = 2, LAPS = 5 };
static const double WARM_UP_SECONDS = 0.15, SECONDS = 0.5, LAP_SECONDS = 0.002;

static double clock_seconds(clockid_t clock)
{
	struct timespec time;

	clock_gettime(clock, &time);
	return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

static double now(void)
{
	return clock_seconds(CLOCK_MONOTONIC);
}

static double worked(void)
{
	return clock_seconds(CLOCK_THREAD_CPUTIME_ID);
}

static void fail(const char *what, const char *why)
{
	fprintf(stderr, "steady: %s: %s\n", what, why);
	exit(1);
}

static void usage(void)
{
	fprintf(stderr, "usage: steady latency|read|write|copy SIZE [OPTION...]\n"
			"       steady mountain SIZE STRIDE [OPTION...]\n"
			"options: --cpu N, --pages auto|4k|huge, --laps N, --seconds S\n");
	exit(2);
}

/* ---- Vectors ---- */

/* One set of loops for each width. The compiler must not merge, drop or replace any: KEEP uses a
 * loaded value without an instruction, BARRIER keeps loops from becoming calls of the library. */
#if defined(__x86_64__)
#define KEEP(value) __asm__ volatile("" : : "v"(value))
#else
#define KEEP(value) __asm__ volatile("" : : "w"(value))
#endif
#define BARRIER	       __asm__ volatile("" : : : "memory")
#define EIGHT(each)    each(0) each(1) each(2) each(3) each(4) each(5) each(6) each(7)
#define READ_PLACE(k)  KEEP(from[k]);
#define WRITE_PLACE(k) to[k] = all;
#define COPY_PLACE(k)  to[k] = from[k];
#define VECTOR(width)  __attribute__((vector_size(width), may_alias))
#define LOOPS(width, attribute)                                                            \
	typedef uint64_t vector_##width VECTOR(width);                                     \
	attribute static void read_##width(const void *data, size_t bytes)                 \
	{                                                                                  \
		const vector_##width *from = data, *end = from + bytes / width;            \
                                                                                           \
		for (; from < end; from += UNROLL) {                                       \
			EIGHT(READ_PLACE)                                                  \
			BARRIER;                                                           \
		}                                                                          \
	}                                                                                  \
	attribute static void write_##width(void *data, size_t bytes, uint64_t value)      \
	{                                                                                  \
		vector_##width *to = data, *end = to + bytes / width;                      \
		vector_##width all = (vector_##width){ 0 } + value;                        \
                                                                                           \
		for (; to < end; to += UNROLL) {                                           \
			EIGHT(WRITE_PLACE)                                                 \
			BARRIER;                                                           \
		}                                                                          \
	}                                                                                  \
	attribute static void copy_##width(void *target, const void *source, size_t bytes) \
	{                                                                                  \
		const vector_##width *from = source, *end = from + bytes / width;          \
		vector_##width *to = target;                                               \
                                                                                           \
		for (; from < end; from += UNROLL, to += UNROLL) {                         \
			EIGHT(COPY_PLACE)                                                  \
			BARRIER;                                                           \
		}                                                                          \
	}

struct loops {
	int width; /* bytes of an access */
	void (*read)(const void *data, size_t bytes);
	void (*write)(void *data, size_t bytes, uint64_t value);
	void (*copy)(void *target, const void *source, size_t bytes);
};

#define LOOPS_ROW(width)                                         \
	{                                                        \
		width, read_##width, write_##width, copy_##width \
	}

LOOPS(16, )
#if defined(__x86_64__)
LOOPS(32, __attribute__((target("avx2"))))
LOOPS(64, __attribute__((target("avx512f"))))
#endif

static struct loops widest_loops(void)
{
#if defined(__x86_64__)
	if (__builtin_cpu_supports("avx512f"))
		return (struct loops)LOOPS_ROW(64);
	if (__builtin_cpu_supports("avx2"))
		return (struct loops)LOOPS_ROW(32);
#endif
	return (struct loops)LOOPS_ROW(16);
}

/* ---- Walks ---- */

enum what { LATENCY, READ, WRITE, COPY, MOUNTAIN, WHATS };

static const char *const what_names[WHATS] = { "latency", "read", "write", "copy", "mountain" };

struct walk {
	enum what what;
	size_t bytes, stride; /* stride: elements, of the mountain */
	unsigned char *data;
	void **node;	 /* of the latency: the next one to load */
	uint64_t passes; /* so far */
	struct loops loops;
};

static void *chase(void **node, size_t count)
{
	for (size_t i = 0; i < count; i += UNROLL) {
		node = *node;
		node = *node;
		node = *node;
		node = *node;
		node = *node;
		node = *node;
		node = *node;
		node = *node;
	}
	return node;
}

/* Returns the number of elements that were read. */
static size_t climb(const uint64_t *data, size_t elements, size_t stride)
{
	uint64_t a = 0, b = 0, c = 0, d = 0;
	size_t turns = elements / stride / 4;

	for (size_t turn = 0; turn < turns; turn++, data += 4 * stride) {
		a += data[0];
		b += data[stride];
		c += data[2 * stride];
		d += data[3 * stride];
		/* No vectors: they would read several elements at once. */
		__asm__ volatile("" : "+r"(a), "+r"(b), "+r"(c), "+r"(d));
	}
	return 4 * turns;
}

/* Returns the loads of the pass, or the bytes that it read and wrote. */
static double pass(struct walk *walk)
{
	const struct loops *loops = &walk->loops;
	size_t half = walk->bytes / 2;

	walk->passes++;
	switch (walk->what) {
	case LATENCY:
		walk->node = chase(walk->node, walk->bytes / LINE);
		return (double)(walk->bytes / LINE);
	case READ: loops->read(walk->data, walk->bytes); return (double)walk->bytes;
	case WRITE: loops->write(walk->data, walk->bytes, walk->passes); return (double)walk->bytes;
	case COPY: loops->copy(walk->data + half, walk->data, half); return (double)walk->bytes;
	default: return 8.0 * (double)climb((uint64_t *)walk->data, walk->bytes / 8, walk->stride);
	}
}

/* ---- Memory ---- */

static unsigned char *memory_map(size_t bytes, bool huge)
{
	size_t whole = (bytes + HUGE_PAGE - 1) / HUGE_PAGE * HUGE_PAGE;
	unsigned char *memory = mmap(NULL, whole + HUGE_PAGE, PROT_READ | PROT_WRITE,
		MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (memory == MAP_FAILED)
		fail("memory", strerror(errno));
	memory += (HUGE_PAGE - (uintptr_t)memory % HUGE_PAGE) % HUGE_PAGE;
	/* Where the kernel has no huge pages, both fail and change nothing. */
	madvise(memory, whole, huge ? MADV_HUGEPAGE : MADV_NOHUGEPAGE);
	return memory;
}

/* How much of the memory is in huge pages, 0 to 1. */
static double huge_share(const unsigned char *memory, size_t bytes)
{
	uintptr_t from = (uintptr_t)memory, to = from + bytes;
	unsigned long begin, end, kib, sum = 0;
	bool ours = false;
	char line[512];
	FILE *file = fopen("/proc/self/smaps", "r");

	while (file && fgets(line, sizeof(line), file))
		if (sscanf(line, "%lx-%lx ", &begin, &end) == 2)
			ours = begin < to && end > from;
		else if (ours && sscanf(line, "AnonHugePages: %lu kB", &kib) == 1)
			sum += kib;
	if (file)
		fclose(file);
	return sum * (double)KIB > (double)bytes ? 1 : sum * (double)KIB / (double)bytes;
}

/* One cycle through all lines, every cycle equally likely. */
static void link_lines(struct walk *walk)
{
	size_t count = walk->bytes / LINE;
	uint32_t *order = malloc(count * sizeof(*order));
	uint64_t random = 88172645463325252u;

	if (!order)
		fail("memory", strerror(errno));
	for (size_t i = 0; i < count; i++)
		order[i] = (uint32_t)i;
	for (size_t i = count - 1; i > 0; i--) {
		size_t j;
		uint32_t line = order[i];

		random ^= random << 13;
		random ^= random >> 7;
		random ^= random << 17;
		j = random % (i + 1);
		order[i] = order[j];
		order[j] = line;
	}
	for (size_t i = 0; i < count; i++)
		*(void **)(walk->data + (size_t)order[i] * LINE) =
			walk->data + (size_t)order[(i + 1) % count] * LINE;
	walk->node = (void **)(walk->data + (size_t)order[0] * LINE);
	free(order);
}

static void lay_out(struct walk *walk, bool huge)
{
	walk->data = memory_map(walk->bytes, huge);
	/* Every page is there before the first lap, and none is the page of zeros. */
	memset(walk->data, 1, walk->bytes);
	if (walk->what == LATENCY)
		link_lines(walk);
}

/* ---- Laps ---- */

struct lap {
	double value;
	bool preempted; /* in it or in the lap before, another program had the processor */
};

struct laps {
	struct lap *lap;
	size_t count, room;
};

static void laps_add(struct laps *laps, double value, bool preempted)
{
	if (laps->count == laps->room) {
		laps->room = laps->room ? 2 * laps->room : 64;
		laps->lap = realloc(laps->lap, laps->room * sizeof(*laps->lap));
		if (!laps->lap)
			fail("memory", strerror(errno));
	}
	laps->lap[laps->count++] = (struct lap){ value, preempted };
}

/* As many passes as take a lap's time. */
static size_t passes_of_lap(struct walk *walk)
{
	for (size_t passes = 1;; passes *= 2) {
		double begin = worked();

		for (size_t i = 0; i < passes; i++)
			pass(walk);
		if (worked() - begin >= LAP_SECONDS)
			return passes;
	}
}

/* How often another program has taken the processor from this thread. */
static long preemptions(void)
{
	struct rusage usage;

	return getrusage(RUSAGE_THREAD, &usage) == 0 ? usage.ru_nivcsw : 0;
}

/* Makes at least so many laps, for at least so many seconds. */
static void make_laps(
	struct walk *walk, struct laps *laps, size_t passes, size_t least, double seconds)
{
	double until = now() + seconds;
	long last_start = preemptions();

	do {
		long at_start = preemptions(), at_end;
		double amount = 0, begin = worked(), end;

		for (size_t i = 0; i < passes; i++)
			amount += pass(walk);
		end = worked();
		at_end = preemptions();
		laps_add(laps,
			walk->what == LATENCY ? 1e9 * (end - begin) / amount
					      : 1e-9 * amount / (end - begin),
			at_end > last_start);
		last_start = at_start;
	} while (laps->count < least || now() < until);
}

static int compare(const void *left, const void *right)
{
	double a = *(const double *)left, b = *(const double *)right;

	return (a > b) - (a < b);
}

static void print_laps(const struct laps *laps, const char *name)
{
	for (size_t i = 0; i < laps->count; i++)
		printf("%s %zu %.4g%s\n", name, i + 1, laps->lap[i].value,
			laps->lap[i].preempted ? " preempted" : "");
}

static void print_median(const struct laps *laps, const char *unit)
{
	double *value = malloc(laps->count * sizeof(*value));
	size_t quiet = 0, count = 0;

	if (!value)
		fail("memory", strerror(errno));
	for (size_t i = 0; i < laps->count; i++)
		quiet += !laps->lap[i].preempted;
	for (size_t i = 0; i < laps->count; i++)
		if (!laps->lap[i].preempted || quiet < LAPS)
			value[count++] = laps->lap[i].value;
	qsort(value, count, sizeof(*value), compare);
	printf("median %.5g %s, %.5g to %.5g in %zu of %zu laps\n",
		(value[(count - 1) / 2] + value[count / 2]) / 2, unit, value[0], value[count - 1],
		count, laps->count);
	free(value);
}

static void measure(struct walk *walk, size_t least, double seconds)
{
	struct laps warm_up = { 0 }, laps = { 0 };
	size_t passes = passes_of_lap(walk);

	make_laps(walk, &warm_up, passes, WARM_UP_LAPS, WARM_UP_SECONDS);
	make_laps(walk, &laps, passes, least, seconds);
	print_laps(&warm_up, "warm-up");
	print_laps(&laps, "lap");
	print_median(&laps, walk->what == LATENCY ? "ns" : "GB/s");
	free(warm_up.lap);
	free(laps.lap);
}

/* ---- The command line ---- */

static double number(const char *word, double least, double most)
{
	char *end;
	double value = strtod(word, &end);

	if (end == word || *end || !(value >= least && value <= most))
		usage();
	return value;
}

static size_t size_of(const char *word)
{
	static const char units[] = "kmg";
	char *end;
	unsigned long long value = strtoull(word, &end, 10);
	const char *unit = *end ? strchr(units, *end | 32) : NULL;
	int shift = unit ? 10 * (int)(unit - units + 1) : 0;

	if (end == word || (*end && (!unit || end[1])) || value > SIZE_MAX >> 1 >> shift)
		usage();
	return (size_t)value << shift;
}

/* Binds this process to a processor, -1: the last one that it may use. Returns which. */
static int bind_to(int cpu)
{
	cpu_set_t set;

	if (cpu < 0 && sched_getaffinity(0, sizeof(set), &set) == 0)
		for (int i = 0; i < CPU_SETSIZE; i++)
			cpu = CPU_ISSET(i, &set) ? i : cpu;
	CPU_ZERO(&set);
	if (cpu >= 0 && cpu < CPU_SETSIZE)
		CPU_SET(cpu, &set);
	if (sched_setaffinity(0, sizeof(set), &set) != 0)
		fail("--cpu", strerror(errno));
	return cpu;
}

int main(int argc, char **argv)
{
	static const struct option options[] = { { "cpu", required_argument, NULL, 'c' },
		{ "pages", required_argument, NULL, 'p' }, { "laps", required_argument, NULL, 'l' },
		{ "seconds", required_argument, NULL, 's' }, { 0 } };
	struct walk walk = { .what = WHATS, .stride = 1, .loops = widest_loops() };
	const char *pages = "auto";
	double laps = 0, seconds = 0;
	int option, cpu = -1;

	while ((option = getopt_long(argc, argv, "", options, NULL)) >= 0) {
		switch (option) {
		case 'c': cpu = (int)number(optarg, 0, CPU_SETSIZE - 1); break;
		case 'p': pages = optarg; break;
		case 'l': laps = number(optarg, 1, 1e9); break;
		case 's': seconds = number(optarg, 0, 86400); break;
		default: usage();
		}
	}
	argv += optind;
	argc -= optind;
	for (int i = 0; argc > 0 && i < WHATS; i++)
		if (strcmp(argv[0], what_names[i]) == 0)
			walk.what = (enum what)i;
	if (walk.what == WHATS || argc != (walk.what == MOUNTAIN ? 3 : 2) ||
		(strcmp(pages, "auto") != 0 && strcmp(pages, "4k") != 0 &&
			strcmp(pages, "huge") != 0))
		usage();
	walk.bytes = size_of(argv[1]) / KIB * KIB;
	if (walk.what == MOUNTAIN)
		walk.stride = (size_t)number(argv[2], 1, 1e6);
	if (walk.bytes < KIB || walk.bytes / 8 < 4 * walk.stride)
		fail(argv[1], "too small");
	if (laps == 0 && seconds == 0) {
		laps = LAPS;
		seconds = SECONDS;
	}
	cpu = bind_to(cpu);
	lay_out(&walk, strcmp(pages, "4k") != 0);
	printf("%s: %zu KiB, cpu %d, %.0f %% in huge pages", argv[0], walk.bytes / KIB, cpu,
		100 * huge_share(walk.data, walk.bytes));
	if (walk.what == READ || walk.what == WRITE || walk.what == COPY)
		printf(", accesses of %d bytes", walk.loops.width);
	printf("\n");
	measure(&walk, (size_t)laps, seconds);
	return 0;
}
