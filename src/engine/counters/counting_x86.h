/* Counting's machine part on x86-64. */
#ifndef SLX_ENGINE_COUNTERS_COUNTING_X86_H
#define SLX_ENGINE_COUNTERS_COUNTING_X86_H

#include <stdint.h>

/* Reads the counter of that index: what the kernel's page says, less one. */
static inline uint64_t counting_counter(uint32_t index)
{
	uint32_t low, high;

	__asm__ volatile("rdpmc" : "=a"(low), "=d"(high) : "c"(index));
	return (uint64_t)high << 32 | low;
}

/* Puts a line out of all caches; counting_flushed() waits until those asked for before are out. */
static inline void counting_flush(const void *line)
{
	__asm__ volatile("clflush %0" ::"m"(*(const volatile char *)line) : "memory");
}

static inline void counting_flushed(void)
{
	__asm__ volatile("mfence" ::: "memory");
}

#endif
