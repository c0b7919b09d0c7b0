/* See stimulus.h. */
#include "engine/stimulus.h"

#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>

#if defined(__x86_64__)
#include "engine/counting_x86.h"
#else
#include "engine/counting_arm64.h"
#endif

/* Pages are given back and touched anew at each run: a page that was not there is in no TLB, however large it is, with much less memory
 * than the last TLB spans. */
enum { PAGE = 4096, PAGES = 384, LINE = 64, LINES = 2048, BRANCHES = 6000 };

struct stimulus {
	unsigned char *memory;
	uint64_t state;            /* of the random numbers: never the same twice, or predictors would learn them */
	volatile uint64_t result;
	volatile double real;
};

struct stimulus *stimulus_new(void)
{
	struct stimulus *stimulus = calloc(1, sizeof(*stimulus));

	if (!stimulus)
		return NULL;
	stimulus->state = 88172645463325252u;
	stimulus->memory = mmap(NULL, (size_t)PAGES * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
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
			memory[i * PAGE] = (unsigned char)i;      /* a store finds it missing … */
		else
			(void)memory[i * PAGE];      /* … and a load */
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

static void guess_wrong(struct stimulus *stimulus)
{
	uint64_t odd = 0, even = 0;

	for (int i = 0; i < BRANCHES; i++) {
		/* Without the barriers a compiler would select instead of branching. */
		if (next(stimulus) >> 33 & 1) {
			odd++;
			__asm__ volatile("" : "+r"(odd) :: "memory");
		} else {
			even += 3;
			__asm__ volatile("" : "+r"(even) :: "memory");
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

void stimulus_run(struct stimulus *stimulus)
{
	touch_pages(stimulus);
	miss_lines(stimulus);
	guess_wrong(stimulus);
	compute(stimulus);
}
