/* Lists: permutations that are computed, and the kernels that walk lists, beyond what test_kernels.c asks of every kernel. */
#include "check.h"

#include "kernels/kernel.h"
#include "kernels/shuffle.h"

enum { MEMORY = 4 << 20 };

static unsigned char *memory;
static atomic_bool never;

/* Lays the kernel's setting out anew. */
static void lay_out(const struct kernel *kernel, const int64_t *v, struct kernel_run *run)
{
	*run = (struct kernel_run){ .kernel = kernel, .memory = memory, .seed = 7, .cancel = &never };
	memcpy(run->v, v, sizeof(run->v));
	assert_true(kernel->footprint(v) <= MEMORY);
	if (kernel->check)
		check_ok(kernel->check(v));
	check_ok(kernel->prepare(run));
}

static void initial(const struct kernel *kernel, int64_t *v)
{
	memset(v, 0, KNOBS_MAX * sizeof(*v));
	for (int i = 0; i < kernel->knob_count; i++)
		v[i] = kernel->knobs[i].initial;
}

static void set(const struct kernel *kernel, int64_t *v, const char *knob, int64_t value)
{
	int index = kernel_knob(kernel, knob);

	assert_true(index >= 0);
	v[index] = value;
}

/* ---- Permutations */

static void shuffles_are_permutations(void **state)
{
	static const uint64_t counts[] = { 1, 2, 3, 4, 5, 7, 8, 9, 63, 64, 65, 1000, 4096, 100003 };
	unsigned char *seen = test_malloc(100003);

	(void)state;
	for (size_t k = 0; k < sizeof(counts) / sizeof(*counts); k++)
		for (uint64_t seed = 1; seed <= 3; seed++) {
			struct shuffle shuffle = shuffle_make(counts[k], seed);

			memset(seen, 0, counts[k]);
			for (uint64_t i = 0; i < counts[k]; i++) {
				uint64_t to = shuffle_to(&shuffle, i);

				assert_true(to < counts[k]);
				assert_int_equal(seen[to], 0);
				seen[to] = 1;
				assert_int_equal(shuffle_from(&shuffle, to), i);
			}
		}
	test_free(seen);
}

/* Neighbours land anywhere: of a random permutation, one pair in 500 stays within 65 places, half of them rise, and one number stays where it is. */
static void shuffles_scatter(void **state)
{
	const uint64_t count = 1 << 16;
	struct shuffle shuffle = shuffle_make(count, 9), other = shuffle_make(count, 10);
	int near = 0, rising = 0, alike = 0;

	(void)state;
	for (uint64_t i = 0; i + 1 < count; i++) {
		int64_t step = (int64_t)shuffle_to(&shuffle, i + 1) - (int64_t)shuffle_to(&shuffle, i);

		near += step >= -65 && step <= 65;
		rising += step > 0;
		alike += shuffle_to(&shuffle, i) == shuffle_to(&other, i);
	}
	assert_in_range(near, 65, 260);
	assert_in_range(rising, 32000, 33500);
	assert_in_range(alike, 0, 12);
}

/* ---- chains */

/* A pass in pieces adds up to what a plain loop over the memory does. */
static void chains_add_up_all(void **state)
{
	const struct kernel *chains = kernel_find("chains");
	int64_t v[KNOBS_MAX];

	(void)state;
	initial(chains, v);
	for (int64_t chain = 1; chain <= 2; chain++)
		for (int64_t order = 0; order < chain; order++)
			for (int64_t acc = 0; acc < (chain == 1 ? 4 : 1); acc++) {
				struct kernel_run run;
				uint64_t sum = 0, pieces = 0, stride = chain == 1 ? 1 : 2;

				set(chains, v, "chain", chain);
				set(chains, v, "order", order);
				set(chains, v, "acc", acc);
				lay_out(chains, v, &run);
				for (uint64_t i = 0; i < run.ring; i++)
					sum += ((uint64_t *)(void *)memory)[i * stride + stride - 1];
				for (uint64_t i = 0; i < run.ring; i += 64) {
					chains->call(&run, run.ring - i < 64 ? run.ring - i : 64);
					pieces += run.result;
				}
				assert_int_equal(pieces, sum);
				chains->call(&run, run.ring * 2);
				assert_int_equal(run.result, 2 * sum);
			}
}

static void chains_refuses_what_cannot_be(void **state)
{
	const struct kernel *chains = kernel_find("chains");
	int64_t v[KNOBS_MAX];

	(void)state;
	initial(chains, v);
	set(chains, v, "acc", 2);
	check_contains(chains->check(v).text, "acc=4: chain=none has no chain through a sum to break; chain=sum has");
	chains->fit(v, kernel_knob(chains, "acc"));
	check_ok(chains->check(v));
	assert_int_equal(v[kernel_knob(chains, "chain")], 1);
	set(chains, v, "order", 1);
	check_contains(chains->check(v).text, "order=random: chain=sum goes through arrays; chain=load has a list");
}

static int begin(void **state)
{
	(void)state;
	memory = aligned_alloc(2 << 20, MEMORY);
	return memory ? 0 : -1;
}

static int end(void **state)
{
	(void)state;
	free(memory);
	return 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(shuffles_are_permutations),
		cmocka_unit_test(shuffles_scatter),
		cmocka_unit_test(chains_add_up_all),
		cmocka_unit_test(chains_refuses_what_cannot_be),
	};

	return cmocka_run_group_tests(tests, begin, end);
}
