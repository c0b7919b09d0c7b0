#include "kernels/kernel.h"
extern const struct kernel kernel_combine;
extern const struct kernel kernel_list_length;
extern const struct kernel kernel_mountain;
extern const struct kernel kernel_sum_halves;
extern const struct kernel kernel_mul_by;
extern const struct kernel kernel_mul_chain;
extern const struct kernel kernel_k_loads;
extern const struct kernel kernel_indirect;
extern const struct kernel kernel_split_loads;
extern const struct kernel kernel_gather;
extern const struct kernel kernel_stores;
extern const struct kernel kernel_scatter_stores;
extern const struct kernel kernel_sum_arrays;
extern const struct kernel kernel_branches;
extern const struct kernel kernel_alignment;
extern const struct kernel kernel_mispredict;
extern const struct kernel kernel_simd;
extern const struct kernel kernel_latency;
extern const struct kernel kernel_bandwidth;
extern const struct kernel kernel_matmul;
extern const struct kernel kernel_window;
extern const struct kernel kernel_chains;
extern const struct kernel kernel_list_lookup;
extern const struct kernel kernel_tree_lookup;
extern const struct kernel kernel_hash_lookup;
const struct kernel *const kernel_registry[] = {
	&kernel_combine,
	&kernel_list_length,
	&kernel_mountain,
	&kernel_sum_halves,
	&kernel_mul_by,
	&kernel_mul_chain,
	&kernel_k_loads,
	&kernel_indirect,
	&kernel_split_loads,
	&kernel_gather,
	&kernel_stores,
	&kernel_scatter_stores,
	&kernel_sum_arrays,
	&kernel_branches,
	&kernel_alignment,
	&kernel_mispredict,
	&kernel_simd,
	&kernel_latency,
	&kernel_bandwidth,
	&kernel_matmul,
	&kernel_window,
	&kernel_chains,
	&kernel_list_lookup,
	&kernel_tree_lookup,
	&kernel_hash_lookup,
	NULL,
};
