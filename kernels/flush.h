/* Lines out of all caches, for walks that are to miss however large the last cache is. */
#ifndef SLX_KERNELS_FLUSH_H
#define SLX_KERNELS_FLUSH_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>

#if defined(__x86_64__)
#include <cpuid.h>

/* clflushopt goes on before its line is out: ten times as fast as clflush, which every processor of
 * the set has. */
static inline bool flush_overlaps(void)
{
	static atomic_int known; /* asking takes microseconds in a virtual machine */
	unsigned a, b, c, d;

	if (!atomic_load_explicit(&known, memory_order_relaxed))
		atomic_store_explicit(&known,
			__get_cpuid_count(7, 0, &a, &b, &c, &d) && (b >> 23 & 1) ? 1 : -1,
			memory_order_relaxed);
	return atomic_load_explicit(&known, memory_order_relaxed) > 0;
}
#endif

/* One line in every `step` bytes from `at` up to `end`; done when it returns. */
static inline void flush_lines(const unsigned char *at, const unsigned char *end, size_t step)
{
#if defined(__x86_64__)
	if (flush_overlaps())
		for (; at < end; at += step)
			__asm__ volatile("clflushopt %0" : : "m"(*at) : "memory");
	else
		for (; at < end; at += step)
			__asm__ volatile("clflush %0" : : "m"(*at) : "memory");
	__asm__ volatile("mfence" : : : "memory");
#else
	for (; at < end; at += step)
		__asm__ volatile("dc civac, %0" : : "r"(at) : "memory");
	__asm__ volatile("dsb ish" : : : "memory");
#endif
}

#endif
