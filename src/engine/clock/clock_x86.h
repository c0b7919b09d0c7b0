/* The clock's machine part on x86-64. */
#pragma once

#include <stdint.h>

enum { CLOCK_CHAIN_UNIT = 64 };

/* 32-bit imul takes 3 cycles on every Intel core since Nehalem and every AMD core since Zen; unlike
 * an add chain it keeps its pace while a hyper-thread sibling is busy: measured on Zen 5 beside an
 * add chain that then took 2.5 to 3.5 % longer. */
#define CLOCK_LINK_CYCLES 3
#define CLOCK_CHAIN_NAME  "imul chain, 3 cycles a link"
#define CLOCK_HAS_WATCH	  true

/* lfence on both sides: nothing before still runs when the counter is read, nothing after has
 * begun. */
static inline uint64_t clock_ticks(void)
{
	uint32_t low, high;

	__asm__ volatile("lfence\n\trdtsc\n\tlfence" : "=a"(low), "=d"(high)::"memory");
	return (uint64_t)high << 32 | low;
}

/* Waits until all before it has been done. */
static inline void clock_fence(void)
{
	__asm__ volatile("lfence" ::: "memory");
}

/* Cleans the upper vector halves, which slow scalar code down on some cores. */
void clock_clean_vectors(void);
