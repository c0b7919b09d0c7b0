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

/* Returns whether this processor and the operating system support the instructions of a feature. */
bool features_have(enum feature feature);

/* The callbacks check() of kernels call features_need(). Returns success, or STATUS_FAILED with a
 * message such as "form=gather needs AVX2, which this processor lacks", if `what` is "form=gather".
 */
struct status features_need(enum feature feature, const char *what);

/* Calls features_need() for accesses of `bytes` bytes: AVX for 32 bytes, AVX-512 for 64 bytes. */
struct status features_need_width(uint64_t bytes);

/* Returns whether this processor has the feature that a word in data/characterise.* names. The word
 * is a name of enum feature in small letters ("avx512" for F, BW, DQ and VL), or a feature of
 * single instructions ("aes", "vbmi", "crc32"). *known: whether this instruction set has a feature
 * with this name. */
bool features_word(const char *word, bool *known);
