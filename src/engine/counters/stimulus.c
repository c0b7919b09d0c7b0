/* See stimulus.h. */
#include "engine/counters/stimulus.h"

#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>

#if defined(__x86_64__)
#include "engine/counters/counting_x86.h"
#else
#include "engine/counters/counting_arm64.h"
#endif

/* Pages are given back and touched anew at each run: a page that was not there is in no TLB,
 * however large it is, with much less memory than the last TLB spans. */
enum { PAGE = 4096, PAGES = 384, LINE = 64, LINES = 2048, BURST = 1024, BRANCHES = 6000 };

struct stimulus {
	unsigned char *memory;
	uint64_t state; /* of the random numbers: never the same twice, or predictors would learn
			   them */
	volatile uint64_t result;
	volatile double real;
};

struct stimulus *stimulus_new(void)
{
	struct stimulus *stimulus = calloc(1, sizeof(*stimulus));

	if (!stimulus)
		return NULL;
	stimulus->state = 88172645463325252u;
	stimulus->memory = mmap(NULL, (size_t)PAGES * PAGE, PROT_READ | PROT_WRITE,
		MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (stimulus->memory == MAP_FAILED) {
		free(stimulus);
		return NULL;
	}
	/* Small ones: each has its place in a TLB. */
	madvise(stimulus->memory, (size_t)PAGES * PAGE, MADV_NOHUGEPAGE);
	return stimulus;
}

void stimulus_free(struct stimulus *stimulus)
{
	if (!stimulus)
		return;
	munmap(stimulus->memory, (size_t)PAGES * PAGE);
	free(stimulus);
}

static uint64_t next(struct stimulus *stimulus)
{
	uint64_t x = stimulus->state;

	x ^= x << 13;
	x ^= x >> 7;
	x ^= x << 17;
	return stimulus->state = x;
}

static void touch_pages(struct stimulus *stimulus)
{
	volatile unsigned char *memory = stimulus->memory;

	madvise(stimulus->memory, (size_t)PAGES * PAGE, MADV_DONTNEED);
	for (size_t i = 0; i < PAGES; i++) {
		if (i % 2)
			memory[i * PAGE] = (unsigned char)i; /* a store finds it missing … */
		else
			(void)memory[i * PAGE]; /* … and a load */
	}
}

static void miss_lines(struct stimulus *stimulus)
{
	volatile unsigned char *memory = stimulus->memory;

	for (size_t i = 0; i < LINES; i++)
		counting_flush(stimulus->memory + i * LINE);
	counting_flushed();
	for (size_t i = 0; i < LINES; i++) {
		/* In no order that a prefetcher follows: 1,021 is prime, and so odd. */
		size_t at = i * 1021 % LINES * LINE;

		if (i % 4 == 0)
			memory[at] = (unsigned char)i;
		else
			stimulus->result += memory[at];
	}
}

/* Nothing but loads, then nothing but stores, of lines far away: more than the queues hold. */
static void fill_queues(struct stimulus *stimulus)
{
	volatile unsigned char *memory = stimulus->memory;

	for (int store = 0; store < 2; store++) {
		for (size_t i = 0; i < BURST; i++)
			counting_flush(stimulus->memory + i * LINE);
		counting_flushed();
		for (size_t at = 0; at < (size_t)BURST * LINE; at += 8 * (size_t)LINE) {
			for (size_t k = 0; !store && k < 8; k++)
				(void)memory[at + k * LINE];
			for (size_t k = 0; store && k < 8; k++)
				memory[at + k * LINE] = 1;
		}
	}
}

static void guess_wrong(struct stimulus *stimulus)
{
	uint64_t odd = 0, even = 0;

	for (int i = 0; i < BRANCHES; i++) {
		/* Without the barriers a compiler would select instead of branching. */
		if (next(stimulus) >> 33 & 1) {
			odd++;
			__asm__ volatile("" : "+r"(odd)::"memory");
		} else {
			even += 3;
			__asm__ volatile("" : "+r"(even)::"memory");
		}
	}
	stimulus->result += odd + even;
}

static void compute(struct stimulus *stimulus)
{
	uint64_t a = next(stimulus) | 1, b = 3, sum = 0;
	double x = 1.5, y = 0;
	float f = 1.25f;

	for (int i = 1; i < 2000; i++) {
		a *= 6364136223846793005u;
		b += a >> 60;
		sum += a / (b | 1);
		x = x * 1.0000001 + 1e-9;
		y += 1 / x;
		f = f * 0.999f + 0.5f;
	}
	stimulus->result += sum;
	stimulus->real += x + y + (double)f;
}

typedef float floats __attribute__((vector_size(16)));
typedef int32_t integers __attribute__((vector_size(16)));

/* On vectors: what is scalar is another event on some cores. */
static void compute_wide(struct stimulus *stimulus)
{
	floats x = { 1.5f, 2.5f, 3.5f, 4.5f };
	integers a = { 1, 2, 3, 4 };

	for (int i = 0; i < 500; i++) {
		x = x * 0.999f + 0.5f;
		a = (a + i) ^ (a << 1);
		/* Or a compiler might find the sum without the loop. */
		__asm__ volatile("" : "+m"(x), "+m"(a));
	}
	stimulus->real += (double)x[0];
	stimulus->result += (uint64_t)(uint32_t)a[0];
}

void stimulus_run(struct stimulus *stimulus)
{
	touch_pages(stimulus);
	miss_lines(stimulus);
	fill_queues(stimulus);
	guess_wrong(stimulus);
	compute(stimulus);
	compute_wide(stimulus);
}
