/* matmul: whatever the form, the order of loops and the stretches that it is walked in, what comes
 * out is the product. */
#include "laid.h"

#include "base/random.h"
#include "kernels/matmul.h"

static void initial(int64_t *v)
{
	laid_initial(kernel_find("matmul"), v);
}

static double at(const struct kernel_run *run, int matrix, int64_t i, int64_t j)
{
	int64_t place = (matrix * run->v[MATMUL_N] + i) * matmul_row(run->v) + j;

	return run->v[MATMUL_TYPE] == TYPE_F32 ? (double)((float *)(void *)run->memory)[place]
					       : ((double *)(void *)run->memory)[place];
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
					laid_at(kernel_find("matmul"), v, &run);
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
			laid_at(kernel_find("matmul"), v, &run);
			clear(&run);
			run.kernel->call(&run, run.ring);
			check_product(&run, 1);
		}
}

/* Each multiply-add of the product has one place, in the order of the loops. */
TEST(places_follow_the_loops)
{
	static const struct {
		const char *setting;
		uint64_t position;
		int64_t i, j, k;
	} rows[] = {
		{ "matmul n=8", 0, 0, 0, 0 },
		/* naive: j, k, i. */
		{ "matmul n=8", 1 + 8 * (2 + 8 * 3), 1, 3, 2 },
		{ "matmul n=8 form=reordered order=kij", 1 + 8 * (2 + 8 * 3), 2, 1, 3 },
		/* Blocks of 5 of 8: the second block of products, of the first columns, has three
		 * products. */
		{ "matmul n=8 form=blocked block=5", 8 * 5 * 5 + 3 * 5 + 4, 1, 1, 5 + 1 },
	};

	for (size_t r = 0; r < sizeof(rows) / sizeof(*rows); r++) {
		struct setting setting = laid_setting(rows[r].setting);
		int64_t index[LOOPS];

		matmul_place(setting.v, rows[r].position, index);
		assert_int_equal(index[LOOP_I], rows[r].i);
		assert_int_equal(index[LOOP_J], rows[r].j);
		assert_int_equal(index[LOOP_K], rows[r].k);
	}
}

TEST(a_wrong_sum_is_noticed)
{
	struct kernel_run run = laid("matmul n=40");

	check_ok(kernel_verify(&run));
	/* Another loop than that of the setting: products of rows with rows. */
	run.code.start = (const void *)matmul_f64.rows[0].loop;
	assert_int_equal(kernel_verify(&run).code, STATUS_FAILED);
}

static void add(int64_t type, uint64_t place, int change)
{
	if (type == TYPE_F32)
		((float *)(void *)memory)[place] += (float)change;
	else
		((double *)(void *)memory)[place] += change;
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
			laid_at(kernel_find("matmul"), v, &run);
			assert_true(run.complete);
			/* Twice: each begins with nothing. */
			run.kernel->call(&run, run.ring);
			run.kernel->call(&run, run.ring);
			check_ok(run.kernel->proof(&run));
			check_product(&run, 1);
			for (int round = 0; round < 20; round++) {
				uint64_t place = 2 * 60 * 60 + random_below(&random, 60 * 60);

				add(v[MATMUL_TYPE], place, 1);
				assert_int_equal(run.kernel->proof(&run).code, STATUS_FAILED);
				add(v[MATMUL_TYPE], place, -1);
			}
		}
}

/* A call of the whole ring ends soon when it is cancelled; one of a stretch is finished. */
TEST(a_whole_product_can_be_cancelled)
{
	static const atomic_bool cancelled = true;
	struct kernel_run run = laid("matmul n=150 whole=1");

	run.work.cancel = &cancelled;
	run.kernel->call(&run, run.ring);
	assert_true(run.position > 0);
	run = laid("matmul n=150");
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
	static const struct {
		const char *setting;
		uint64_t period, iteration;
	} rows[] = {
		{ "matmul n=100", 16 * 100, 1 },
		{ "matmul n=100 type=f32", 32 * 100, 1 },
		{ "matmul n=100 form=transposed", 100, 1 },
		{ "matmul n=100 form=blocked-transposed block=48", 48 * 48, 1 },
		/* A block that holds the whole product cuts nothing. */
		{ "matmul n=100 form=blocked-transposed block=2000", 100, 1 },
		{ "matmul n=20 form=blocked-transposed block=48", 20 * 20 * 20, 1 },
		{ "matmul n=20 form=blocked-transposed block=48 acc=4", 20 * 20 * 20, 4 },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		struct kernel_run run = laid(rows[i].setting);

		assert_int_equal(run.period, rows[i].period);
		assert_int_equal(run.iteration, rows[i].iteration);
	}
}

TEST(senseless_combinations_are_refused)
{
	struct setting setting;

	laid_refuses("matmul block=32", "block=32");
	assert_int_equal(laid_fitted("matmul block=32", "block").v[MATMUL_FORM], FORM_BLOCKED);
	laid_refuses("matmul acc=4", "acc=4");
	assert_int_equal(laid_fitted("matmul acc=4", "acc").v[MATMUL_FORM], FORM_REORDERED);
	laid_refuses("matmul form=reordered acc=4 order=ikj", "acc=4 ikj");
	laid_refuses("matmul form=transposed order=ikj", "form=transposed");
	setting = laid_fitted("matmul form=transposed order=ikj", "order");
	assert_int_equal(setting.v[MATMUL_ORDER], ORDER_IKJ);
	assert_int_equal(setting.v[MATMUL_FORM], FORM_REORDERED);
}

TEST(rows_of_whole_pages_are_remarked_on)
{
	static const struct {
		const char *setting;
		bool pages;
	} rows[] = {
		{ "matmul n=1024", true },
		{ "matmul n=1024 pad=1", false },
		{ "matmul n=1024 form=transposed", false },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		struct setting setting = laid_setting(rows[i].setting);
		const char *remark = setting.kernel->remark(setting.v);

		assert_int_equal(remark && strstr(remark, "4,096"), rows[i].pages);
	}
}

RUN_TESTS(.set_up = laid_begin, .tear_down = laid_end)
