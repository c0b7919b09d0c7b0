/* Reads from the processor which instructions it supports: see features.h. */
#include "kernels/features.h"

#include <string.h>

#if defined(__x86_64__)
#include <cpuid.h>
#elif defined(__aarch64__)
#include <sys/auxv.h>
#endif

static const char *const names[] = {
	[FEATURE_X86_64] = "x86-64",
	[FEATURE_SSE4] = "SSE4.1",
	[FEATURE_AVX] = "AVX",
	[FEATURE_AVX2] = "AVX2",
	[FEATURE_FMA] = "FMA",
	[FEATURE_BMI2] = "BMI2",
	[FEATURE_AVX512] = "AVX-512",
	[FEATURE_NEON] = "NEON",
};
_Static_assert(sizeof(names) / sizeof(*names) == FEATURE_COUNT, "every feature has a name");

bool features_have(enum feature feature)
{
#if defined(__x86_64__)
	switch (feature) {
	case FEATURE_X86_64: return true;
	case FEATURE_SSE4:
		return __builtin_cpu_supports("ssse3") && __builtin_cpu_supports("sse4.1");
	case FEATURE_AVX: return __builtin_cpu_supports("avx");
	case FEATURE_AVX2: return __builtin_cpu_supports("avx2");
	case FEATURE_FMA: return __builtin_cpu_supports("fma");
	case FEATURE_BMI2: return __builtin_cpu_supports("bmi2");
	case FEATURE_AVX512:
		return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
		       __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl");
	default: return false;
	}
#else
	return feature == FEATURE_NEON;
#endif
}

struct status features_need(enum feature feature, const char *what)
{
	if (features_have(feature))
		return status_ok();
	return status_failed("%s needs %s, which this processor lacks", what, names[feature]);
}

struct status features_need_width(uint64_t bytes)
{
	return bytes == 64   ? features_need(FEATURE_AVX512, "width=64")
	       : bytes == 32 ? features_need(FEATURE_AVX, "width=32")
			     : status_ok();
}

/* ---- Names of features in data/characterise.* */

struct word {
	const char *word;
	enum feature with; /* another required feature, which shows that the operating system saves
			      the registers */
	unsigned leaf;	   /* leaf of CPUID with the bit of the feature; 0: CPUID has no bit for the
			      feature */
	char reg;
	unsigned bit;
	unsigned subleaf;
};

#if defined(__x86_64__)
#define X86_64(...) { __VA_ARGS__ },
#define AARCH64(...)
#else
#define X86_64(...)
#define AARCH64(...) { __VA_ARGS__ },
#endif

/* The table of feature names. The file kernels/features.words has the rows of this table of
 * features. */
static const struct word words[] = {
#include "kernels/features_words.inc"
};

static bool has_bit(const struct word *word)
{
#if defined(__x86_64__)
	unsigned regs[4];

	return !word->leaf || (__get_cpuid_count(word->leaf, word->subleaf, &regs[0], &regs[1],
				       &regs[2], &regs[3]) &&
				      regs[word->reg - 'a'] >> word->bit & 1);
#else
	return getauxval(AT_HWCAP) >> word->bit & 1;
#endif
}

bool features_word(const char *word, bool *known)
{
	size_t i = 0;

	while (i < sizeof(words) / sizeof(*words) && strcmp(words[i].word, word) != 0)
		i++;
	*known = i < sizeof(words) / sizeof(*words);
	return *known && features_have(words[i].with) && has_bit(&words[i]);
}
