/* The chain of dependent instructions that serves as reference clock on AArch64. */
#include "engine/clock/clock.h"

void clock_chain(uint64_t links)
{
	uint64_t rounds = links / CLOCK_CHAIN_UNIT, x = 1;

	__asm__ volatile(".p2align 6\n"
			 "1:\n\t"
			 ".rept 64\n\t"
			 "add %0, %0, %0\n\t"
			 ".endr\n\t"
			 "subs %1, %1, #1\n\t"
			 "b.ne 1b"
			 : "+r"(x), "+r"(rounds)
			 :
			 : "cc");
}

void clock_watch(uint64_t links)
{
	(void)links;
}

void clock_turn(uint64_t turns)
{
	(void)turns;
}

void clock_window(const struct clock_window *window, uint64_t passes)
{
	(void)window;
	(void)passes;
}

void clock_clean_vectors(void)
{
}
