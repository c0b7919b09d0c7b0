/* Loops that read, write, update or copy an array: the whole array, or places at a constant stride.
 * Kernels that measure throughput share these loops. The loops compute nothing, so the memory
 * accesses are the binding limit.
 *
 * A kernel that uses these loops supplies the constants in its own functions. The kernel reports
 * the name of the loop body, because users read that name:
 *
 *     KERNEL_LOOP static void write_strided(struct stream_walk *walk)
 *     {
 *             stream_write(walk, 8, true, false);
 *     }
 *     …
 *     run->code.start = (const void *)write_strided;
 *     run->code.name = "stream_write";
 *
 * width: bytes of an access: 4, 8 or 16; on x86-64 also 32 (AVX2) and 64 (AVX-512). strided: places
 * are walk->stride bytes apart; otherwise, places are adjacent. bypass: stores bypass the caches;
 * requires strided = false. An iteration of a loop accesses STREAM_UNROLL places. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "kernels/kernel.h"

/* The memory accesses as assembly text. %c[width], %c[strided] and %c[bypass] are constants in the
 * text. */
#if defined(__x86_64__)

/* Expands the macro `each` for each access k. The arguments of `each`: k, the general register, the
 * vector register, and the addresses in the arrays a and b if strided. x86-64 has too few general
 * registers, so the accesses share four general registers. */
#define STREAM_LIST(each, g0, g1, g2, g3, g4, g5, g6, g7, v0, v1, v2, v3, v4, v5, v6, v7)         \
	each(0, g0, v0, "(%[a])", "(%[b])") each(1, g1, v1, "(%[a],%[s])", "(%[b],%[s])")         \
		each(2, g2, v2, "(%[a],%[s],2)", "(%[b],%[s],2)") each(3, g3, v3, "(%[a],%[s3])", \
			"(%[b],%[s3])") each(4, g4, v4, "(%[a],%[s],4)", "(%[b],%[s],4)")         \
			each(5, g5, v5, "(%[a],%[s5])", "(%[b],%[s5])")                           \
				each(6, g6, v6, "(%[a],%[s3],2)", "(%[b],%[s3],2)")               \
					each(7, g7, v7, "(%[a],%[s7])", "(%[b],%[s7])")
#define STREAM_EACH(each)                                                                         \
	STREAM_LIST(each, "r8", "r9", "r10", "r11", "r8", "r9", "r10", "r11", "0", "1", "2", "3", \
		"4", "5", "6", "7")
#define STREAM_ONE(each)                                                                           \
	STREAM_LIST(each, "r8", "r8", "r8", "r8", "r8", "r8", "r8", "r8", "8", "8", "8", "8", "8", \
		"8", "8", "8")
#define STREAM_CLOBBERS                                                                           \
	"cc", "memory", "r8", "r9", "r10", "r11", "xmm0", "xmm1", "xmm2", "xmm3", "xmm4", "xmm5", \
		"xmm6", "xmm7", "xmm8"
#define STREAM_SPARE "r12"

#define STREAM_FROM(scalar, xmm, wider, place, g, v)                       \
	".if %c[width] == 4\n	" scalar " " place ", %%" g "d\n"          \
	".elseif %c[width] == 8\n	" scalar " " place ", %%" g "\n"   \
	".elseif %c[width] == 16\n	" xmm " " place ", %%xmm" v "\n"   \
	".elseif %c[width] == 32\n	" wider " " place ", %%ymm" v "\n" \
	".else\n	" wider " " place ", %%zmm" v "\n"                 \
	".endif\n"
#define STREAM_TO(scalar, xmm, wider, place, g, v)                         \
	".if %c[width] == 4\n	" scalar " %%" g "d, " place "\n"          \
	".elseif %c[width] == 8\n	" scalar " %%" g ", " place "\n"   \
	".elseif %c[width] == 16\n	" xmm " %%xmm" v ", " place "\n"   \
	".elseif %c[width] == 32\n	" wider " %%ymm" v ", " place "\n" \
	".else\n	" wider " %%zmm" v ", " place "\n"                 \
	".endif\n"

/* STREAM_ACCESS() makes access number k. If strided, the argument `place` is the address of the
 * access. Otherwise the address is k * width bytes after `base`. */
#define STREAM_ACCESS(X, scalar, xmm, wider, k, g, v, base, place)          \
	".if %c[strided]\n" X(scalar, xmm, wider, place, g, v) ".else\n" X( \
		scalar, xmm, wider, #k "*%c[width](%[" base "])", g, v) ".endif\n"
#define STREAM_PUT(k, g, v, base, place)                                                          \
	".if %c[bypass]\n" STREAM_ACCESS(STREAM_TO, "movnti", "movntps", "vmovntps", k, g, v,     \
		base, place) ".else\n" STREAM_ACCESS(STREAM_TO, "mov", "movups", "vmovups", k, g, \
		v, base, place) ".endif\n"

#define STREAM_LOAD(k, g, v, a, b) \
	STREAM_ACCESS(STREAM_FROM, "mov", "movups", "vmovups", k, g, v, "a", a)
#define STREAM_STORE(k, g, v, a, b)  STREAM_PUT(k, g, v, "a", a)
#define STREAM_UPDATE(k, g, v, a, b) STREAM_LOAD(k, g, v, a, b) STREAM_PUT(k, "r12", "8", "a", a)
#define STREAM_COPY(k, g, v, a, b)   STREAM_LOAD(k, g, v, a, b) STREAM_PUT(k, g, v, "b", b)

/* STREAM_VALUE() runs before the loop and loads the value to write. STREAM_KEEP() runs after the
 * loop and stores the last loaded values. */
#define STREAM_VALUE(g) STREAM_FROM("mov", "movups", "vmovups", "%c[value](%[walk])", g, "8")
#define STREAM_KEEP(k, g, v, a, b) \
	STREAM_TO("mov", "movups", "vmovups", "%c[found]+" #k "*64(%[walk])", g, v)

#define STREAM_BEGIN   \
	".p2align 6\n" \
	"1:\n"
/* STREAM_NEXT and STREAM_MOVE() move a pointer to the places of the next iteration, or back to the
 * first places. The code has no branch, because a branch would be mispredicted once per pass. */
#define STREAM_NEXT "	cmpq %[last], %[a]\n"
#define STREAM_MOVE(p, by)                              \
	".if %c[strided]\n"                             \
	"	leaq " by ", %[" p "]\n"                \
	".else\n"                                       \
	"	leaq 8*%c[width](%[" p "]), %[" p "]\n" \
	".endif\n"                                      \
	"	cmoveq %[first_" p "], %[" p "]\n"
/* STREAM_MOVE_FAST() uses an unscaled index, because a scaled index makes leaq one cycle slower.
 * The slower leaq would slow down only loops that read. */
#define STREAM_MOVE_FAST(p) STREAM_MOVE(p, "(%[" p "],%[s8])")
#define STREAM_MOVE_FIT(p)  STREAM_MOVE(p, "(%[" p "],%[s],8)")
#define STREAM_AGAIN       \
	"	decq %[turns]\n" \
	"	jnz 1b\n"
#define STREAM_END             \
	".if %c[width] > 16\n" \
	"	vzeroupper\n"        \
	".endif\n"             \
	".if %c[bypass]\n"     \
	"	sfence\n"            \
	".endif\n"

#define STREAM_STRIDES [s] "r"(s), [s3] "r"(3 * s), [s5] "r"(5 * s), [s7] "r"(7 * s)
#define STREAM_FAST    , [s8] "r"(8 * s)

#else

/* Expands the macro `each` for each access k. The arguments of `each`: k, the number of the
 * register, the number of the previous register, and the addresses in the arrays a and b if
 * strided. */
#define STREAM_LIST(each, r0, r1, r2, r3, r4, r5, r6, r7)                                          \
	each(0, r0, r7, "[%[a]]", "[%[b]]") each(1, r1, r0, "[%[a], %[s]]", "[%[b], %[s]]")        \
		each(2, r2, r1, "[%[a], %[s2]]", "[%[b], %[s2]]") each(3, r3, r2, "[%[a], %[s3]]", \
			"[%[b], %[s3]]") each(4, r4, r3, "[%[a], %[s4]]", "[%[b], %[s4]]")         \
			each(5, r5, r4, "[%[a], %[s5]]", "[%[b], %[s5]]")                          \
				each(6, r6, r5, "[%[a], %[s6]]", "[%[b], %[s6]]")                  \
					each(7, r7, r6, "[%[a], %[s7]]", "[%[b], %[s7]]")
#define STREAM_EACH(each) STREAM_LIST(each, "0", "1", "2", "3", "4", "5", "6", "7")
#define STREAM_ONE(each)  STREAM_LIST(each, "8", "8", "8", "8", "8", "8", "8", "8")
#define STREAM_CLOBBERS                                                                         \
	"cc", "memory", "x0", "x1", "x2", "x3", "x4", "x5", "x6", "x7", "x8", "v0", "v1", "v2", \
		"v3", "v4", "v5", "v6", "v7", "v8"
#define STREAM_SPARE "x8"

#define STREAM_TEXT(name, r, place)                                   \
	".if %c[width] == 4\n	" name " w" r ", " place "\n"         \
	".elseif %c[width] == 8\n	" name " x" r ", " place "\n" \
	".else\n	" name " q" r ", " place "\n"                 \
	".endif\n"

/* STREAM_ACCESS() makes access number k. If strided, the argument `place` is the address of the
 * access. Otherwise the address is k * width bytes after `base`. */
#define STREAM_ACCESS(name, k, r, base, place)                                 \
	".if %c[strided]\n" STREAM_TEXT(name, r, place) ".else\n" STREAM_TEXT( \
		name, r, "[%[" base "], #" #k "*%c[width]]") ".endif\n"

/* On AArch64, only stores of two registers can bypass the caches. Every second store therefore also
 * writes the previous register. */
#define STREAM_PUT(k, r, before, base, place)                                                  \
	".if %c[bypass] == 0\n" STREAM_ACCESS("str", k, r, base,                               \
		place) ".elseif " #k " & 1 && %c[width] == 4\n	stnp w" before ", w" r         \
		       ", [%[" base "], #(" #k "-1)*4]\n"                                      \
		       ".elseif " #k " & 1 && %c[width] == 8\n	stnp x" before ", x" r         \
		       ", [%[" base "], #(" #k "-1)*8]\n"                                      \
		       ".elseif " #k " & 1\n	stnp q" before ", q" r ", [%[" base "], #(" #k \
		       "-1)*16]\n"                                                             \
		       ".endif\n"

#define STREAM_LOAD(k, r, before, a, b)	 STREAM_ACCESS("ldr", k, r, "a", a)
#define STREAM_STORE(k, r, before, a, b) STREAM_PUT(k, r, before, "a", a)
#define STREAM_UPDATE(k, r, before, a, b) \
	STREAM_LOAD(k, r, before, a, b) STREAM_PUT(k, "8", "8", "a", a)
#define STREAM_COPY(k, r, before, a, b) \
	STREAM_LOAD(k, r, before, a, b) STREAM_PUT(k, r, before, "b", b)

/* STREAM_VALUE() runs before the loop and loads the value to write. STREAM_KEEP() runs after the
 * loop and stores the last loaded values. */
#define STREAM_VALUE(g)			STREAM_TEXT("ldr", "8", "[%[walk], #%c[value]]")
#define STREAM_KEEP(k, r, before, a, b) STREAM_TEXT("str", r, "[%[walk], #%c[found]+" #k "*64]")

#define STREAM_BEGIN   \
	".p2align 6\n" \
	"1:\n"
/* STREAM_NEXT and STREAM_MOVE() move a pointer to the places of the next iteration, or back to the
 * first places. The code has no branch, because a branch would be mispredicted once per pass. */
#define STREAM_NEXT "	cmp %[a], %[last]\n"
#define STREAM_MOVE(p)                                  \
	".if %c[strided]\n"                             \
	"	add %[" p "], %[" p "], %[s8]\n"        \
	".else\n"                                       \
	"	add %[" p "], %[" p "], #8*%c[width]\n" \
	".endif\n"                                      \
	"	csel %[" p "], %[first_" p "], %[" p "], eq\n"
#define STREAM_MOVE_FAST(p) STREAM_MOVE(p)
#define STREAM_MOVE_FIT(p)  STREAM_MOVE(p)
#define STREAM_AGAIN                    \
	"	sub %[turns], %[turns], #1\n" \
	"	cbnz %[turns], 1b\n"
#define STREAM_END         \
	".if %c[bypass]\n" \
	"	dmb ishst\n"     \
	".endif\n"

#define STREAM_STRIDES                                                                  \
	[s] "r"(s), [s2] "r"(2 * s), [s3] "r"(3 * s), [s4] "r"(4 * s), [s5] "r"(5 * s), \
		[s6] "r"(6 * s), [s7] "r"(7 * s), [s8] "r"(8 * s)
#define STREAM_FAST

#endif

enum { STREAM_UNROLL = 8, STREAM_WIDEST = 64 };

/* The state of one call of a loop over an array. A call may reach the end of the array and start
 * again several times. */
struct stream_walk {
	/* Values that the loads of the last iteration returned. With accesses of 8 bytes or less,
	 * only the second half of found[] is valid. */
	_Alignas(STREAM_WIDEST) unsigned char found[STREAM_UNROLL][STREAM_WIDEST];
	unsigned char value[STREAM_WIDEST]; /* the value that the loop writes */
	/* a: the array that the loop reads or writes; b: the destination of a copy */
	unsigned char *a, *b;
	uint64_t stride; /* bytes from one accessed place to the next, if the loop is strided */
	uint64_t turns;	 /* number of iterations of the call (> 0) */
	uint64_t at,
		last; /* Byte offsets into a and b. at: where the first iteration of the call
			 accesses the arrays; the loop updates `at` for the next call. last: where
			 the last iteration before the end of the arrays accesses them. */
};

typedef void stream_loop(struct stream_walk *walk);

/* The memory places that a loop accesses at the present knob values, and what the loop does with
 * them. All numbers are in bytes. */
struct stream_plan {
	uint64_t width, distance; /* width: bytes of an access; distance: bytes from one place to
				     the next */
	uint64_t turn;		  /* bytes from one iteration to the next */
	uint64_t part;		  /* bytes of one array */
	uint64_t gap;		  /* bytes between the two arrays of a copy */
	bool reads, writes, copies;
	bool library; /* An iteration is one block that the C library's code accesses. */
} __attribute__((may_alias));

/* The word at an index of an array that the loop only reads. All words are different. */
static inline uint64_t stream_word(uint64_t seed, uint64_t index)
{
	return (index + 1) * (2 * seed + 0x9e3779b97f4a7c15u);
}

_Static_assert(sizeof(struct stream_plan) <= sizeof(((struct kernel_run *)0)->kept),
	"a run has room for the plan");

/* Returns the struct stream_plan that prepare() stored in run->kept for the callbacks. */
static inline struct stream_plan *stream_plan(struct kernel_run *run)
{
	return (struct stream_plan *)(void *)run->kept;
}

/* The callbacks call(), begin_at() and verify() of kernels with these loops. run->position counts
 * bytes. If the loop only reads, the array must hold the values of stream_word(). If the loop
 * writes, stream_verify() overwrites the data. */
void stream_call(struct kernel_run *run, uint64_t elements);
void stream_begin_at(struct kernel_run *run, double share);
struct status stream_verify(struct kernel_run *run);

#define STREAM_CONSTANTS(width_is, strided_is, bypass_is)                           \
	[width] "i"(width_is), [strided] "i"(strided_is), [bypass] "i"(bypass_is),  \
		[walk] "r"(walk), [value] "i"(offsetof(struct stream_walk, value)), \
		[found] "i"(offsetof(struct stream_walk, found))

/* for (; turns--; a = a == last ? first : a + 8 * s)
 *     x0 = a[0], x1 = a[s], … x7 = a[7 * s]; */
KERNEL_BODY void stream_read(struct stream_walk *walk, const int width, const bool strided)
{
	uint64_t s = walk->stride, turns = walk->turns;
	unsigned char *first = walk->a, *last = first + walk->last, *a = first + walk->at;

	__asm__ volatile(STREAM_BEGIN STREAM_EACH(STREAM_LOAD) STREAM_NEXT STREAM_MOVE_FAST("a")
				 STREAM_AGAIN STREAM_EACH(STREAM_KEEP) STREAM_END
			 : [a] "+r"(a), [turns] "+r"(turns)
			 : [first_a] "r"(first), [last] "r"(last), STREAM_STRIDES STREAM_FAST,
			 STREAM_CONSTANTS(width, strided, 0)
			 : STREAM_CLOBBERS);
	walk->at = (uint64_t)(a - first);
}

/* for (; turns--; a = a == last ? first : a + 8 * s)
 *     a[0] = value, a[s] = value, … a[7 * s] = value; */
KERNEL_BODY void stream_write(
	struct stream_walk *walk, const int width, const bool strided, const bool bypass)
{
	uint64_t s = walk->stride, turns = walk->turns;
	unsigned char *first = walk->a, *last = first + walk->last, *a = first + walk->at;

	__asm__ volatile(STREAM_VALUE("r8") STREAM_BEGIN STREAM_ONE(STREAM_STORE)
				 STREAM_NEXT STREAM_MOVE_FIT("a") STREAM_AGAIN STREAM_END
			 : [a] "+r"(a), [turns] "+r"(turns)
			 : [first_a] "r"(first), [last] "r"(last), STREAM_STRIDES,
			 STREAM_CONSTANTS(width, strided, bypass)
			 : STREAM_CLOBBERS);
	walk->at = (uint64_t)(a - first);
}

/* for (; turns--; a = a == last ? first : a + 8 * s)
 *     x0 = a[0], a[0] = value, x1 = a[s], a[s] = value, … x7 = a[7 * s], a[7 * s] = value; */
KERNEL_BODY void stream_update(struct stream_walk *walk, const int width, const bool strided)
{
	uint64_t s = walk->stride, turns = walk->turns;
	unsigned char *first = walk->a, *last = first + walk->last, *a = first + walk->at;

	__asm__ volatile(STREAM_VALUE("r12") STREAM_BEGIN STREAM_EACH(STREAM_UPDATE)
				 STREAM_NEXT STREAM_MOVE_FIT("a")
					 STREAM_AGAIN STREAM_EACH(STREAM_KEEP) STREAM_END
			 : [a] "+r"(a), [turns] "+r"(turns)
			 : [first_a] "r"(first), [last] "r"(last), STREAM_STRIDES,
			 STREAM_CONSTANTS(width, strided, 0)
			 : STREAM_CLOBBERS, STREAM_SPARE);
	walk->at = (uint64_t)(a - first);
}

/* for (; turns--; a = a == last ? first : a + 8 * s, and b likewise)
 *     b[0] = a[0], b[s] = a[s], … b[7 * s] = a[7 * s]; */
KERNEL_BODY void stream_copy(
	struct stream_walk *walk, const int width, const bool strided, const bool bypass)
{
	uint64_t s = walk->stride, turns = walk->turns;
	unsigned char *first = walk->a, *last = first + walk->last, *a = first + walk->at,
		      *b = walk->b + walk->at;

	__asm__ volatile(
		STREAM_BEGIN STREAM_EACH(STREAM_COPY) STREAM_NEXT STREAM_MOVE_FIT("a")
			STREAM_MOVE_FIT("b") STREAM_AGAIN STREAM_END
		: [a] "+r"(a), [b] "+r"(b), [turns] "+r"(turns)
		: [first_a] "r"(first), [first_b] "r"(walk->b), [last] "r"(last),
		STREAM_STRIDES, [width] "i"(width), [strided] "i"(strided), [bypass] "i"(bypass)
		: STREAM_CLOBBERS);
	walk->at = (uint64_t)(a - first);
}
