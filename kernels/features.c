/* Instruction sets: see features.h. */
#include "kernels/features.h"

static const char *const names[] = {
	[FEATURE_X86_64] = "x86-64", [FEATURE_SSE4] = "SSE4.1", [FEATURE_AVX] = "AVX", [FEATURE_AVX2] = "AVX2",
	[FEATURE_FMA] = "FMA", [FEATURE_BMI2] = "BMI2", [FEATURE_AVX512] = "AVX-512", [FEATURE_NEON] = "NEON",
};
_Static_assert(sizeof(names) / sizeof(*names) == FEATURE_COUNT, "every feature has a name");

bool features_have(enum feature feature)
{
#if defined(__x86_64__)
	switch (feature) {
	case FEATURE_X86_64:
		return true;
	case FEATURE_SSE4:
		return __builtin_cpu_supports("ssse3") && __builtin_cpu_supports("sse4.1");
	case FEATURE_AVX:
		return __builtin_cpu_supports("avx");
	case FEATURE_AVX2:
		return __builtin_cpu_supports("avx2");
	case FEATURE_FMA:
		return __builtin_cpu_supports("fma");
	case FEATURE_BMI2:
		return __builtin_cpu_supports("bmi2");
	case FEATURE_AVX512:
		return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
			__builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl");
	case FEATURE_NEON:
	case FEATURE_COUNT:
		break;
	}
	return false;
#else
	return feature == FEATURE_NEON;
#endif
}

const char *features_name(enum feature feature)
{
	return names[feature];
}

struct status features_need(enum feature feature, const char *what)
{
	if (features_have(feature))
		return status_ok();
	return status_make(STATUS_FAILED, "%s needs %s, which this processor lacks", what, names[feature]);
}
