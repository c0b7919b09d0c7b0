/* One of three values, by a comparison and conditional moves: no compiler makes a branch of it. */
#ifndef SLX_KERNELS_CHOOSE_H
#define SLX_KERNELS_CHOOSE_H

#include <stdint.h>

#include "kernels/kernel.h"

/* key < here ? below : key > here ? above : equal */
KERNEL_BODY uint64_t choose(
	uint64_t key, uint64_t here, uint64_t below, uint64_t equal, uint64_t above)
{
#if defined(__x86_64__)
	__asm__("cmpq %[here], %[key]\n\tcmovaq %[above], %[below]\n\tcmoveq %[equal], %[below]"
		: [below] "+r"(below)
		: [key] "r"(key), [here] "r"(here), [equal] "r"(equal), [above] "r"(above)
		: "cc");
#else
	__asm__("cmp %[key], %[here]\n\tcsel %[below], %[above], %[below], hi\n\tcsel %[below], "
		"%[equal], %[below], eq"
		: [below] "+r"(below)
		: [key] "r"(key), [here] "r"(here), [equal] "r"(equal), [above] "r"(above)
		: "cc");
#endif
	return below;
}

/* which ? yes : no */
KERNEL_BODY uint64_t choose_if(uint64_t which, uint64_t yes, uint64_t no)
{
#if defined(__x86_64__)
	__asm__("testq %[which], %[which]\n\tcmovneq %[yes], %[no]"
		: [no] "+r"(no)
		: [which] "r"(which), [yes] "r"(yes)
		: "cc");
#else
	__asm__("cmp %[which], #0\n\tcsel %[no], %[yes], %[no], ne"
		: [no] "+r"(no)
		: [which] "r"(which), [yes] "r"(yes)
		: "cc");
#endif
	return no;
}

#endif
