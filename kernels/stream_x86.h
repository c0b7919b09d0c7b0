/* The accesses of stream.h, for x86-64: text of assembly in which %c[width], %c[strided] and
 * %c[bypass] are constants. */
#ifndef SLX_KERNELS_STREAM_X86_H
#define SLX_KERNELS_STREAM_X86_H

/* each(k, its general register, its vector register, its place in a and in b when strided). There
 * are not enough general registers for each to have one: four take turns. */
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
	".if %c[width] == 8\n	" scalar " " place ", %%" g "\n"           \
	".elseif %c[width] == 16\n	" xmm " " place ", %%xmm" v "\n"   \
	".elseif %c[width] == 32\n	" wider " " place ", %%ymm" v "\n" \
	".else\n	" wider " " place ", %%zmm" v "\n"                 \
	".endif\n"
#define STREAM_TO(scalar, xmm, wider, place, g, v)                         \
	".if %c[width] == 8\n	" scalar " %%" g ", " place "\n"           \
	".elseif %c[width] == 16\n	" xmm " %%xmm" v ", " place "\n"   \
	".elseif %c[width] == 32\n	" wider " %%ymm" v ", " place "\n" \
	".else\n	" wider " %%zmm" v ", " place "\n"                 \
	".endif\n"

/* By its place where strided, else by its number. */
#define STREAM_ACCESS(X, scalar, xmm, wider, k, g, v, base, place)          \
	".if %c[strided]\n" X(scalar, xmm, wider, place, g, v) ".else\n" X( \
		scalar, xmm, wider, #k "*%c[width](%[" base "])", g, v) ".endif\n"
#define STREAM_PUT(k, g, v, base, place)                                                           \
	".if %c[bypass]\n" STREAM_ACCESS(STREAM_TO, "movnti", "movntps", "vmovntps", k, g, v,      \
		base, place) ".else\n" STREAM_ACCESS(STREAM_TO, "movq", "movups", "vmovups", k, g, \
		v, base, place) ".endif\n"

#define STREAM_LOAD(k, g, v, a, b) \
	STREAM_ACCESS(STREAM_FROM, "movq", "movups", "vmovups", k, g, v, "a", a)
#define STREAM_STORE(k, g, v, a, b)  STREAM_PUT(k, g, v, "a", a)
#define STREAM_UPDATE(k, g, v, a, b) STREAM_LOAD(k, g, v, a, b) STREAM_PUT(k, "r12", "8", "a", a)
#define STREAM_COPY(k, g, v, a, b)   STREAM_LOAD(k, g, v, a, b) STREAM_PUT(k, g, v, "b", b)

/* What is written is there before the loop; what the last loads found is kept behind it. */
#define STREAM_VALUE(g) STREAM_FROM("movq", "movups", "vmovups", "%c[value](%[walk])", g, "8")
#define STREAM_KEEP(k, g, v, a, b) \
	STREAM_TO("movq", "movups", "vmovups", "%c[found]+" #k "*64(%[walk])", g, v)

#define STREAM_BEGIN   \
	".p2align 6\n" \
	"1:\n"
/* On to the next iteration's places, or back to the first: no branch, which would be mispredicted
 * once a pass. */
#define STREAM_NEXT "	cmpq %[last], %[a]\n"
#define STREAM_MOVE(p, by)                              \
	".if %c[strided]\n"                             \
	"	leaq " by ", %[" p "]\n"                \
	".else\n"                                       \
	"	leaq 8*%c[width](%[" p "]), %[" p "]\n" \
	".endif\n"                                      \
	"	cmoveq %[first_" p "], %[" p "]\n"
/* A scale makes it a cycle slower, which only reads would feel. */
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

#endif
