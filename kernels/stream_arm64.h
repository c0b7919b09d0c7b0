/* The accesses of stream.h, for AArch64: text of assembly in which %c[width], %c[strided] and
 * %c[bypass] are constants. */
#ifndef SLX_KERNELS_STREAM_ARM64_H
#define SLX_KERNELS_STREAM_ARM64_H

/* each(k, its register's number, the number of the one before, its place in a and in b when
 * strided). */
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

#define STREAM_TEXT(name, r, place)                           \
	".if %c[width] == 8\n	" name " x" r ", " place "\n" \
	".else\n	" name " q" r ", " place "\n"         \
	".endif\n"

/* By its place where strided, else by its number. */
#define STREAM_ACCESS(name, k, r, base, place)                                 \
	".if %c[strided]\n" STREAM_TEXT(name, r, place) ".else\n" STREAM_TEXT( \
		name, r, "[%[" base "], #" #k "*%c[width]]") ".endif\n"

/* Past the caches go pairs alone: every second one takes the one before along. */
#define STREAM_PUT(k, r, before, base, place)                                                  \
	".if %c[bypass] == 0\n" STREAM_ACCESS("str", k, r, base,                               \
		place) ".elseif " #k " & 1 && %c[width] == 8\n	stnp x" before ", x" r         \
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

/* What is written is there before the loop; what the last loads found is kept behind it. */
#define STREAM_VALUE(g)			STREAM_TEXT("ldr", "8", "[%[walk], #%c[value]]")
#define STREAM_KEEP(k, r, before, a, b) STREAM_TEXT("str", r, "[%[walk], #%c[found]+" #k "*64]")

#define STREAM_BEGIN   \
	".p2align 6\n" \
	"1:\n"
/* On to the next iteration's places, or back to the first: no branch, which would be mispredicted
 * once a pass. */
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
