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

/* Jumps into both rows of instructions, so that only the wanted number of them runs. The nops have
 * eight bytes, as above; a multiplication has three. */
void clock_window(const struct clock_window *window, uint64_t passes)
{
	uint64_t links, nops;
	uint32_t x;

	__asm__ volatile("leaq 3f(%%rip), %0\n\t"
			 "subq %4, %0\n\t"
			 "leaq 4f(%%rip), %1\n\t"
			 "subq %5, %1\n\t"
			 ".p2align 6\n"
			 "2:\n\t"
			 "xorl %2, %2\n\t"
			 "jmpq *%0\n\t"
			 ".rept %c6\n\t"
			 "imull %2, %2\n\t"
			 ".endr\n"
			 "3:\n\t"
			 "jmpq *%1\n\t"
			 ".rept %c7\n\t"
			 ".byte 0x0f, 0x1f, 0x84, 0, 0, 0, 0, 0\n\t"
			 ".endr\n"
			 "4:\n\t"
			 "decq %3\n\t"
			 "jnz 2b"
			 : "=&r"(links), "=&r"(nops), "=&a"(x), "+r"(passes)
			 : "r"((uint64_t)window->links * 3), "r"((uint64_t)window->nops * 8),
			 "i"(CLOCK_WINDOW_LINKS), "i"(CLOCK_WINDOW_NOPS)
			 : "cc");
}

void clock_clean_vectors(void)
{
	if (__builtin_cpu_supports("avx"))
		__asm__ volatile("vzeroupper" ::: "memory");
}
