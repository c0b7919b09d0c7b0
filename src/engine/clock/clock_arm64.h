/* The clock's machine part on AArch64. */
#pragma once

#include <stdint.h>

enum { CLOCK_CHAIN_UNIT = 64 };

/* A register add takes one cycle on every core of interest; multiplies differ. There is no second
 * chain that a busy neighbour would slow apart from the first, so nothing is watched. */
#define CLOCK_LINK_CYCLES 1
#define CLOCK_CHAIN_NAME  "add chain, 1 cycle a link"
#define CLOCK_HAS_WATCH	  false

static inline uint64_t clock_ticks(void)
{
	uint64_t ticks;

	__asm__ volatile("dsb nsh\n\tisb\n\tmrs %0, cntvct_el0\n\tisb" : "=r"(ticks)::"memory");
	return ticks;
}

static inline void clock_fence(void)
{
	__asm__ volatile("dsb nsh\n\tisb" ::: "memory");
}

static inline void clock_clean_vectors(void)
{
}
