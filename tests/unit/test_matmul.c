/* matmul: whatever the form, the order of loops and the stretches that it is walked in, what comes
 * out is the product. */
#include "laid.h"

#include "base/random.h"
#include "kernels/matmul.h"

static void initial(int64_t *v)
{
	laid_initial(kernel_find("matmul"), v);
}

static void run_at(const int64_t *v, struct kernel_run *run)
{
	laid_at(kernel_find("matmul"), v, run);
}

static double at(const struct kernel_run *run, int matrix, int64_t i, int64_t j)
{
	int64_t place = (matrix * run->v[MATMUL_N] + i) * matmul_row(run->v) + j;

	return run->v[MATMUL_TYPE] == TYPE_F32
		       ? (double)((const float *)(const void *)run->memory)[place]
		       : ((const double *)(const void *)run->memory)[place];
}

static void clear(struct kernel_run *run)
{
	size_t matrix = (size_t)kernel_footprint(run->kernel, run->v) / 3;

	memset(run->memory + 2 * matrix, 0, matrix);
}

/* The product by its definition; and nothing was written between the rows. */
static void check_product(const struct kernel_run *run, double times)
{
	int64_t n = run->v[MATMUL_N];

	for (int64_t i = 0; i < n; i++) {
		for (int64_t j = 0; j < n; j++) {
			double sum = 0;

			for (int64_t k = 0; k < n; k++)
				sum += at(run, 0, i, k) * (matmul_transposed(run->v)
									  ? at(run, 1, j, k)
									  : at(run, 1, k, j));
			if (at(run, 2, i, j) != times * sum)
				fail_msg("form %d order %d acc %d: row %d, column %d is %g, not %g",
					(int)run->v[MATMUL_FORM], (int)run->v[MATMUL_ORDER],
					(int)run->v[MATMUL_ACC], (int)i, (int)j, at(run, 2, i, j),
					times * sum);
		}
		for (int64_t j = n; j < matmul_row(run->v); j++)
			assert_true(at(run, 2, i, j) == 0);
	}
}

/* Every loop there is, on a size that no block and no number of sums divides; at once, and in
 * stretches of any length. */
TEST(every_way_gives_the_product)
{
	const struct kernel *kernel = kernel_find("matmul");
	struct random random = { 5 };
	struct kernel_run run;
	int64_t v[KNOBS_MAX];
	int ways = 0;

	initial(v);
	v[MATMUL_N] = 29;
	v[MATMUL_PAD] = 2;
	for (v[MATMUL_TYPE] = 0; v[MATMUL_TYPE] < TYPES; v[MATMUL_TYPE]++)
		for (v[MATMUL_FORM] = 0; v[MATMUL_FORM] < FORMS; v[MATMUL_FORM]++)
			for (v[MATMUL_ORDER] = 0; v[MATMUL_ORDER] < ORDERS; v[MATMUL_ORDER]++)
				for (v[MATMUL_ACC] = 0; v[MATMUL_ACC] < ACC_CHOICES;
					v[MATMUL_ACC]++) {
					v[MATMUL_BLOCK] = matmul_blocked(v) ? 11 : 64;
					if (kernel_check(kernel, v).code != STATUS_OK)
						continue;
					ways++;
					run_at(v, &run);
					assert_int_equal(run.ring, 29 * 29 * 29);
					clear(&run);
					kernel->call(&run, run.ring);
					assert_int_equal(run.position, 0);
					check_product(&run, 1);
					/* Once more, to the second product's half and then its end.
					 */
					clear(&run);
					for (uint64_t left = 2 * run.ring, piece; left > 0;
						left -= piece) {
						piece = 1 + random_below(&random, 900);
						if (piece > left)
							piece = left;
						kernel->call(&run, piece);
					}
					assert_int_equal(run.position, 0);
					check_product(&run, 2);
				}
	/* naive 7; reordered 4 orders of three and 3 of sums with 4; transposed 3 of 4; blocked as
	 * reordered, transposed likewise. */
	assert_int_equal(ways, 2 * (7 + (4 + 3 * 4) + 3 * 4 + (4 + 3 * 4) + 3 * 4));
}

/* Blocks as large as the matrix, larger, and the smallest. */
TEST(blocks_of_any_size_give_the_product)
{
	static const int64_t sizes[] = { 4, 5, 24, 25, 26, 2000 };
	struct kernel_run run;
	int64_t v[KNOBS_MAX];

	initial(v);
	v[MATMUL_N] = 25;
	for (size_t i = 0; i < sizeof(sizes) / sizeof(*sizes); i++)
		for (v[MATMUL_FORM] = FORM_BLOCKED; v[MATMUL_FORM] <= FORM_BLOCKED_TRANSPOSED;
			v[MATMUL_FORM]++) {
			v[MATMUL_BLOCK] = sizes[i];
			run_at(v, &run);
			clear(&run);
			run.kernel->call(&run, run.ring);
			check_product(&run, 1);
		}
}

/* Each multiply-add of the product has one place, in the order of the loops. */
TEST(places_follow_the_loops)
{
	int64_t v[KNOBS_MAX], index[LOOPS];

	initial(v);
	v[MATMUL_N] = 8;
	matmul_place(v, 0, index);
	assert_int_equal(index[LOOP_I] + index[LOOP_J] + index[LOOP_K], 0);
	/* naive: j, k, i. */
	matmul_place(v, 1 + 8 * (2 + 8 * 3), index);
	assert_int_equal(index[LOOP_I], 1);
	assert_int_equal(index[LOOP_K], 2);
	assert_int_equal(index[LOOP_J], 3);
	v[MATMUL_FORM] = FORM_REORDERED;
	v[MATMUL_ORDER] = ORDER_KIJ;
	matmul_place(v, 1 + 8 * (2 + 8 * 3), index);
	assert_int_equal(index[LOOP_J], 1);
	assert_int_equal(index[LOOP_I], 2);
	assert_int_equal(index[LOOP_K], 3);
	/* Blocks of 5 of 8: the second one of products, of the first columns, has three products.
	 */
	v[MATMUL_FORM] = FORM_BLOCKED;
	v[MATMUL_ORDER] = ORDER_AUTO;
	v[MATMUL_BLOCK] = 5;
	matmul_place(v, 8 * 5 * 5 + 3 * 5 + 4, index);
	assert_int_equal(index[LOOP_I], 1);
	assert_int_equal(index[LOOP_J], 1);
	assert_int_equal(index[LOOP_K], 5 + 1);
}

TEST(a_wrong_sum_is_noticed)
{
	struct kernel_run run;
	int64_t v[KNOBS_MAX];

	initial(v);
	v[MATMUL_N] = 40;
	run_at(v, &run);
	check_ok(kernel_verify(&run));
	/* Another loop than that of the setting: products of rows with rows. */
	run.code.start = (const void *)matmul_f64.rows[0].loop;
	check_contains(kernel_verify(&run).text, "wrong by");
}

/* A whole product is checked by what it leaves: any one element that is off is noticed. */
TEST(a_wrong_product_is_noticed)
{
	struct random random = { 11 };
	struct kernel_run run;
	int64_t v[KNOBS_MAX];

	initial(v);
	v[MATMUL_N] = 60;
	v[MATMUL_WHOLE] = 1;
	for (v[MATMUL_TYPE] = 0; v[MATMUL_TYPE] < TYPES; v[MATMUL_TYPE]++)
		for (v[MATMUL_FORM] = 0; v[MATMUL_FORM] < FORMS; v[MATMUL_FORM]++) {
			run_at(v, &run);
			assert_true(run.complete);
			/* Twice: each begins with nothing. */
			run.kernel->call(&run, run.ring);
			run.kernel->call(&run, run.ring);
			check_ok(run.kernel->proof(&run));
			check_product(&run, 1);
			for (int round = 0; round < 20; round++) {
				uint64_t place = 2 * 60 * 60 + random_below(&random, 60 * 60);
				struct status status;

				if (v[MATMUL_TYPE] == TYPE_F32)
					((float *)(void *)memory)[place] += 1;
				else
					((double *)(void *)memory)[place] += 1;
				status = run.kernel->proof(&run);
				assert_int_equal(status.code, STATUS_FAILED);
				check_contains(status.text, "wrong product");
				if (v[MATMUL_TYPE] == TYPE_F32)
					((float *)(void *)memory)[place] -= 1;
				else
					((double *)(void *)memory)[place] -= 1;
			}
		}
}

/* A call of the whole ring ends soon when it is cancelled; one of a stretch is finished. */
TEST(a_whole_product_can_be_cancelled)
{
	static const atomic_bool cancelled = true;
	struct kernel_run run;
	int64_t v[KNOBS_MAX];

	initial(v);
	v[MATMUL_N] = 150;
	v[MATMUL_WHOLE] = 1;
	run_at(v, &run);
	run.work.cancel = &cancelled;
	run.kernel->call(&run, run.ring);
	assert_true(run.position > 0);
	v[MATMUL_WHOLE] = 0;
	run_at(v, &run);
	run.work.cancel = &cancelled;
	run.kernel->call(&run, run.ring);
	assert_int_equal(run.position, 0);
	/* Nothing to do takes nothing. */
	run.kernel->call(&run, 0);
	assert_int_equal(run.position, 0);
}

/* A stretch of a period is whole lines, and down columns as many as share cache lines. */
TEST(periods_stand_for_the_rest)
{
	struct kernel_run run;
	int64_t v[KNOBS_MAX];

	initial(v);
	v[MATMUL_N] = 100;
	run_at(v, &run);
	assert_int_equal(run.period, 16 * 100);
	v[MATMUL_TYPE] = TYPE_F32;
	run_at(v, &run);
	assert_int_equal(run.period, 32 * 100);
	v[MATMUL_TYPE] = TYPE_F64;
	v[MATMUL_FORM] = FORM_TRANSPOSED;
	run_at(v, &run);
	assert_int_equal(run.period, 100);
	v[MATMUL_FORM] = FORM_BLOCKED_TRANSPOSED;
	v[MATMUL_BLOCK] = 48;
	run_at(v, &run);
	assert_int_equal(run.period, 48 * 48);
	/* One that holds the whole product cuts nothing. */
	v[MATMUL_BLOCK] = 2000;
	run_at(v, &run);
	assert_int_equal(run.period, 100);
	v[MATMUL_BLOCK] = 48;
	v[MATMUL_N] = 20;
	run_at(v, &run);
	assert_int_equal(run.period, run.ring);
	assert_int_equal(run.iteration, 1);
	v[MATMUL_ACC] = 2;
	run_at(v, &run);
	assert_int_equal(run.iteration, 4);
}

TEST(senseless_combinations_are_refused)
{
	const struct kernel *kernel = kernel_find("matmul");
	int64_t v[KNOBS_MAX];

	initial(v);
	v[MATMUL_BLOCK] = 32;
	laid_refuses(kernel, v, "block=32");
	kernel_fit(kernel, v, MATMUL_BLOCK);
	assert_int_equal(v[MATMUL_FORM], FORM_BLOCKED);
	initial(v);
	v[MATMUL_ACC] = 2;
	laid_refuses(kernel, v, "acc=4");
	kernel_fit(kernel, v, MATMUL_ACC);
	assert_int_equal(v[MATMUL_FORM], FORM_REORDERED);
	v[MATMUL_ORDER] = ORDER_IKJ;
	laid_refuses(kernel, v, "acc=4");
	laid_refuses(kernel, v, "not ikj");
	v[MATMUL_ACC] = 0;
	v[MATMUL_FORM] = FORM_TRANSPOSED;
	laid_refuses(kernel, v, "form=transposed");
	kernel_fit(kernel, v, MATMUL_ORDER);
	assert_int_equal(v[MATMUL_ORDER], ORDER_IKJ);
	assert_int_equal(v[MATMUL_FORM], FORM_REORDERED);
}

TEST(rows_of_whole_pages_are_remarked_on)
{
	const struct kernel *kernel = kernel_find("matmul");
	int64_t v[KNOBS_MAX];

	initial(v);
	v[MATMUL_N] = 1024;
	check_contains(kernel->remark(v), "multiple of 4,096 bytes");
	v[MATMUL_PAD] = 1;
	assert_null(strstr(kernel->remark(v), "4,096"));
	v[MATMUL_PAD] = 0;
	v[MATMUL_FORM] = FORM_TRANSPOSED;
	assert_null(kernel->remark(v));
}

RUN_TESTS(.set_up = laid_begin, .tear_down = laid_end)
