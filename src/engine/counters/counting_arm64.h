/* Counting's machine part on AArch64. */
#ifndef SLX_ENGINE_COUNTERS_COUNTING_ARM64_H
#define SLX_ENGINE_COUNTERS_COUNTING_ARM64_H

#include <stdint.h>

#define COUNTING_CASE(n)                                                      \
	case n:                                                               \
		__asm__ volatile("mrs %0, pmevcntr" #n "_el0" : "=r"(value)); \
		break;

/* Reads the counter of that index: what the kernel's page says, less one. 31 is the cycle counter.
 * Which register is read stands in the instruction, so there is one for each. */
static inline uint64_t counting_counter(uint32_t index)
{
	uint64_t value = 0;

	__asm__ volatile("isb" ::: "memory");
	switch (index) {
	case 31:
		__asm__ volatile("mrs %0, pmccntr_el0" : "=r"(value));
		break;
		COUNTING_CASE(0)
		COUNTING_CASE(1)
		COUNTING_CASE(2)
		COUNTING_CASE(3)
		COUNTING_CASE(4)
		COUNTING_CASE(5)
		COUNTING_CASE(6)
		COUNTING_CASE(7)
		COUNTING_CASE(8)
		COUNTING_CASE(9)
		COUNTING_CASE(10)
		COUNTING_CASE(11)
		COUNTING_CASE(12)
		COUNTING_CASE(13)
		COUNTING_CASE(14)
		COUNTING_CASE(15)
		COUNTING_CASE(16)
		COUNTING_CASE(17)
		COUNTING_CASE(18)
		COUNTING_CASE(19)
		COUNTING_CASE(20)
		COUNTING_CASE(21)
		COUNTING_CASE(22)
		COUNTING_CASE(23)
		COUNTING_CASE(24)
		COUNTING_CASE(25)
		COUNTING_CASE(26)
		COUNTING_CASE(27)
		COUNTING_CASE(28)
		COUNTING_CASE(29)
		COUNTING_CASE(30)
	default:
		break;
	}
	return value;
}

#undef COUNTING_CASE

/* Puts a line out of all caches, which Linux allows in user space; counting_flushed() waits until
 * those asked for before are out. */
static inline void counting_flush(const void *line)
{
	__asm__ volatile("dc civac, %0" ::"r"(line) : "memory");
}

static inline void counting_flushed(void)
{
	__asm__ volatile("dsb sy" ::: "memory");
}

#endif
