/* The chains of the reference clock on x86-64. */
#include "engine/clock/clock.h"

#include <cpuid.h>
#include <stdbool.h>

void clock_chain(uint64_t links)
{
	uint64_t rounds = links / CLOCK_CHAIN_UNIT;
	uint32_t x = 1;

	__asm__ volatile(".p2align 6\n"
			 "1:\n\t"
			 ".rept 64\n\t"
			 "imull %0, %0\n\t"
			 ".endr\n\t"
			 "decq %1\n\t"
			 "jnz 1b"
			 : "+r"(x), "+r"(rounds)
			 :
			 : "cc");
}

/* Adds a register to itself: Golden Cove and later cores eliminate an add of an immediate at
 * rename. */
void clock_watch(uint64_t links)
{
	uint64_t rounds = links / CLOCK_CHAIN_UNIT, x = 1;

	__asm__ volatile(".p2align 6\n"
			 "1:\n\t"
			 ".rept 64\n\t"
			 "addq %0, %0\n\t"
			 ".endr\n\t"
			 "decq %1\n\t"
			 "jnz 1b"
			 : "+r"(x), "+r"(rounds)
			 :
			 : "cc");
}

void clock_turn(uint64_t turns)
{
	uint64_t wide = turns / 8;

	__asm__ volatile(".p2align 6\n"
			 "1:\n\t"
			 "decq %0\n\t"
			 "jnz 1b\n\t"
			 ".p2align 6\n"
			 "2:\n\t"
			 ".rept 30\n\t"
			 "nop\n\t"
			 ".endr\n\t"
			 "decq %1\n\t"
			 "jnz 2b"
			 : "+r"(turns), "+r"(wide)
			 :
			 : "cc");
}

static bool have_avx(void)
{
	static int known = -1; /* a race of two threads is harmless: both write the same value */
	unsigned a, b, c, d, low, high;

	if (known < 0) {
		known = 0;
		if (__get_cpuid(1, &a, &b, &c, &d) && (c & bit_AVX) && (c & bit_OSXSAVE)) {
			__asm__ volatile("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
			known = (low & 6) == 6;
		}
	}
	return known == 1;
}

void clock_clean_vectors(void)
{
	if (have_avx())
		__asm__ volatile("vzeroupper" ::: "memory");
}
