/* Instruction sets that some forms of a kernel need, and some processors lack. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/status.h"

enum feature {
	FEATURE_X86_64, /* features of all x86-64 processors, including SSE2 */
	FEATURE_SSE4,	/* SSSE3 and SSE4.1 */
	FEATURE_AVX,
	FEATURE_AVX2,
	FEATURE_FMA,
	FEATURE_BMI2,
	FEATURE_AVX512, /* AVX512F, BW, DQ and VL */
	FEATURE_NEON,	/* features of all supported AArch64 processors */
	FEATURE_COUNT
};

/* Whether this processor and the operating system support the instructions. */
bool features_have(enum feature feature);

/* For check(): success, or STATUS_FAILED with "form=gather needs AVX2, which this processor
 * lacks", where `what` is "form=gather". */
struct status features_need(enum feature feature, const char *what);

/* features_need() for accesses of that many bytes: AVX for 32, AVX-512 for 64. */
struct status features_need_width(uint64_t bytes);

/* Whether this processor has the feature of a word in data/characterise.*. The word is one of the
 * features above in small letters ("avx512" for all four), or a feature of single instructions
 * ("aes", "vbmi", "crc32"). *known: whether the word exists for this instruction set. */
bool features_word(const char *word, bool *known);
