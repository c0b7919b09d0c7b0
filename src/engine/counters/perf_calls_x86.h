/* Instructions of x86-64 for perf_calls.c. */
#pragma once

#include <stdint.h>

/* Reads the counter of that index (the page's index less one). */
static inline uint64_t processor_counter(uint32_t index)
{
	uint32_t low, high;

	__asm__ volatile("rdpmc" : "=a"(low), "=d"(high) : "c"(index));
	return (uint64_t)high << 32 | low;
}

/* Evicts a line from all caches; processor_flushed() waits for earlier evictions. */
static inline void processor_flush(const void *line)
{
	__asm__ volatile("clflush %0" ::"m"(*(const volatile char *)line) : "memory");
}

static inline void processor_flushed(void)
{
	__asm__ volatile("mfence" ::: "memory");
}
