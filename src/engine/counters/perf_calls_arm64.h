/* Instructions of AArch64 for perf_calls.c. */
#pragma once

#include <stdint.h>

#define CASE(n) \
	case n: __asm__ volatile("mrs %0, pmevcntr" #n "_el0" : "=r"(value)); break;

/* Reads the counter of that index (the page's index less one); 31 is the cycle counter. The
 * register is part of the instruction, so there is one instruction for each. */
static inline uint64_t processor_counter(uint32_t index)
{
	uint64_t value = 0;

	__asm__ volatile("isb" ::: "memory");
	switch (index) {
	case 31:
		__asm__ volatile("mrs %0, pmccntr_el0" : "=r"(value));
		break;
		CASE(0)
		CASE(1)
		CASE(2)
		CASE(3)
		CASE(4)
		CASE(5)
		CASE(6)
		CASE(7)
		CASE(8)
		CASE(9)
		CASE(10)
		CASE(11)
		CASE(12)
		CASE(13)
		CASE(14)
		CASE(15)
		CASE(16)
		CASE(17)
		CASE(18)
		CASE(19)
		CASE(20)
		CASE(21)
		CASE(22)
		CASE(23)
		CASE(24)
		CASE(25)
		CASE(26)
		CASE(27)
		CASE(28)
		CASE(29)
		CASE(30)
	default: break;
	}
	return value;
}

#undef CASE

/* Evicts a line from all caches, which Linux allows in user space; processor_flushed() waits for
 * earlier evictions. */
static inline void processor_flush(const void *line)
{
	__asm__ volatile("dc civac, %0" ::"r"(line) : "memory");
}

static inline void processor_flushed(void)
{
	__asm__ volatile("dsb sy" ::: "memory");
}
