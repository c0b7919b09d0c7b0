/* Instruction sets that some forms of a kernel need, and not every processor has. */
#pragma once

#include <stdbool.h>

#include "base/status.h"

enum feature {
	FEATURE_X86_64, /* what every processor of that set has, SSE2 among it */
	FEATURE_SSE4,	/* SSSE3 and SSE4.1 */
	FEATURE_AVX,
	FEATURE_AVX2,
	FEATURE_FMA,
	FEATURE_BMI2,
	FEATURE_AVX512, /* AVX512F, BW, DQ and VL */
	FEATURE_NEON,	/* every AArch64 processor of interest */
	FEATURE_COUNT
};

/* Whether this processor, and the operating system with it, can run the instructions. */
bool features_have(enum feature feature);

/* For check(): fine, or STATUS_FAILED with "form=gather needs AVX2, which this processor lacks",
 * where `what` is "form=gather". */
struct status features_need(enum feature feature, const char *what);

/* Whether this processor has what a word of data/characterise.* stands for: one of the above in
 * small letters ("avx512" for all four), or what only single instructions need ("aes", "vbmi",
 * "crc32"). *known: whether this instruction set has the word. */
bool features_word(const char *word, bool *known);
