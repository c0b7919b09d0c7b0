/* The chains of dependent instructions that serve as reference clock on x86-64. */
#include "engine/clock/clock.h"

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

/* The watch chain adds a register to itself: Golden Cove and later cores eliminate an add of an
 * immediate at rename. */
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

/* The nops have eight bytes. On Zen 4, two shorter nops take one slot, so that a loop of short nops
 * leaves the front end idle, and hardly slows down next to a busy sibling. */
void clock_turn(uint64_t turns)
{
	uint64_t wide = turns / CLOCK_TURN_SHARE;

	__asm__ volatile(".p2align 6\n"
			 "1:\n\t"
			 "decq %0\n\t"
			 "jnz 1b\n\t"
			 ".p2align 6\n"
			 "2:\n\t"
			 ".rept %c2\n\t"
			 ".byte 0x0f, 0x1f, 0x84, 0, 0, 0, 0, 0\n\t"
			 ".endr\n\t"
			 "decq %1\n\t"
			 "jnz 2b"
			 : "+r"(turns), "+r"(wide)
			 : "i"(CLOCK_TURN_NOPS)
			 : "cc");
}

void clock_clean_vectors(void)
{
	if (__builtin_cpu_supports("avx"))
		__asm__ volatile("vzeroupper" ::: "memory");
}
