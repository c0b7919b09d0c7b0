/* matmul's way through the product: from anywhere to anywhere in it, in any order of loops, in
 * blocks or not; and whether what comes out is right. */
#include "kernels/matmul.h"

#include "base/random.h"

/* What is done at once at most, so that a whole product can be cancelled: about a millisecond. */
enum { AT_ONCE = 1 << 20 };

/* Of up to so many rows a trial takes whole products: some 100 microseconds. */
enum { SMALL = 64 };

/* Bytes: many caches fetch lines by twos. */
enum { PAIR = 128 };

static int64_t least(int64_t a, int64_t b)
{
	return a < b ? a : b;
}

const enum matmul_loop *matmul_order(const int64_t *v)
{
	static const enum matmul_loop orders[ORDERS][LOOPS] = {
		[ORDER_IJK] = { LOOP_I, LOOP_J, LOOP_K },
		[ORDER_IKJ] = { LOOP_I, LOOP_K, LOOP_J },
		[ORDER_JIK] = { LOOP_J, LOOP_I, LOOP_K },
		[ORDER_JKI] = { LOOP_J, LOOP_K, LOOP_I },
		[ORDER_KIJ] = { LOOP_K, LOOP_I, LOOP_J },
		[ORDER_KJI] = { LOOP_K, LOOP_J, LOOP_I },
	};

	/* The case study's: its naive loops are j, l, i, all its others i, j, l. */
	if (v[MATMUL_ORDER] == ORDER_AUTO)
		return orders[v[MATMUL_FORM] == FORM_NAIVE ? ORDER_JKI : ORDER_IJK];
	return orders[v[MATMUL_ORDER]];
}

bool matmul_blocked(const int64_t *v)
{
	return v[MATMUL_FORM] == FORM_BLOCKED || v[MATMUL_FORM] == FORM_BLOCKED_TRANSPOSED;
}

bool matmul_transposed(const int64_t *v)
{
	return v[MATMUL_FORM] == FORM_TRANSPOSED || v[MATMUL_FORM] == FORM_BLOCKED_TRANSPOSED;
}

int64_t matmul_bytes(const int64_t *v)
{
	return v[MATMUL_TYPE] == TYPE_F32 ? 4 : 8;
}

int64_t matmul_row(const int64_t *v)
{
	return v[MATMUL_N] + v[MATMUL_PAD];
}

/* A walk: three loops, and where there are blocks, the two inner ones go over a block of theirs
 * each time. */
struct walk {
	enum matmul_loop order[LOOPS]; /* outermost first */
	int64_t from[LOOPS];	       /* where the block begins, by depth */
	int64_t size[LOOPS];	       /* iterations in it, by depth */
	int64_t at[LOOPS];	       /* iterations done, by depth */
};

/* Blocks go over the middle loop, and for each of them over the innermost one; the outer loop is
 * never cut. */
static void walk_find(const int64_t *v, uint64_t position, struct walk *walk)
{
	int64_t n = v[MATMUL_N], block = matmul_blocked(v) ? least(v[MATMUL_BLOCK], n) : n,
		rest = (int64_t)position, each;

	for (int depth = 0; depth < LOOPS; depth++)
		walk->order[depth] = matmul_order(v)[depth];
	walk->from[0] = 0;
	walk->size[0] = n;
	walk->from[1] = rest / (n * block * n) * block;
	walk->size[1] = least(block, n - walk->from[1]);
	rest -= walk->from[1] * n * n;
	each = n * walk->size[1];
	walk->from[2] = rest / (each * block) * block;
	walk->size[2] = least(block, n - walk->from[2]);
	rest -= walk->from[2] * each;
	each = walk->size[1] * walk->size[2];
	walk->at[0] = rest / each;
	rest -= walk->at[0] * each;
	walk->at[1] = rest / walk->size[2];
	walk->at[2] = rest - walk->at[1] * walk->size[2];
}

void matmul_place(const int64_t *v, uint64_t position, int64_t index[LOOPS])
{
	struct walk walk;

	walk_find(v, position, &walk);
	for (int depth = 0; depth < LOOPS; depth++)
		index[walk.order[depth]] = walk.from[depth] + walk.at[depth];
}

/* From one iteration of a loop to the next, in elements of each matrix. */
struct steps {
	int64_t a[LOOPS], b[LOOPS], c[LOOPS];
};

static struct steps steps_of(const int64_t *v)
{
	int64_t row = matmul_row(v);
	bool turned = matmul_transposed(v);

	return (struct steps){
		.a = { [LOOP_I] = row, [LOOP_K] = 1 },
		.b = { [LOOP_K] = turned ? 1 : row, [LOOP_J] = turned ? row : 1 },
		.c = { [LOOP_I] = row, [LOOP_J] = 1 },
	};
}

/* The first element of a line, and how the steps lead from the last line of one outer iteration to
 * the first of the next. */
static void lay(
	const struct walk *walk, const int64_t step[LOOPS], int64_t *first, int64_t steps[2])
{
	enum matmul_loop outer = walk->order[0], middle = walk->order[1];

	*first = 0;
	for (int depth = 0; depth < LOOPS; depth++)
		*first += (walk->from[depth] + walk->at[depth]) * step[walk->order[depth]];
	steps[1] = step[middle];
	steps[0] = step[outer] - (walk->size[1] - 1) * step[middle];
}

/* The largest box from the position of the walk, of at most so many elements. */
static int64_t walk_box(const struct walk *walk, const int64_t *v, unsigned char *memory,
	int64_t most, struct matmul_box *box)
{
	int64_t bytes = matmul_bytes(v), row = matmul_row(v), matrix = v[MATMUL_N] * row * bytes, a,
		b, c;
	int64_t inner = walk->size[2] - walk->at[2], middle = walk->size[1];
	struct steps steps = steps_of(v);

	*box = (struct matmul_box){ .lines = 1,
		.middle = middle,
		.left = middle - walk->at[1],
		.inner = least(inner, most),
		.row = row };
	if (walk->at[2] == 0 && most >= inner)
		box->lines =
			least(most / inner, (walk->size[0] - walk->at[0]) * middle - walk->at[1]);
	lay(walk, steps.a, &a, box->a_step);
	lay(walk, steps.b, &b, box->b_step);
	lay(walk, steps.c, &c, box->c_step);
	box->a = memory + a * bytes;
	box->b = memory + matrix + b * bytes;
	box->c = memory + 2 * matrix + c * bytes;
	return box->lines * box->inner;
}

void matmul_walk(struct kernel_run *run, uint64_t elements)
{
	matmul_function *loop = (matmul_function *)run->code.start;
	struct matmul_box box;
	struct walk walk;

	while (elements > 0) {
		int64_t most = elements < AT_ONCE ? (int64_t)elements : AT_ONCE, done;

		walk_find(run->v, run->position, &walk);
		done = walk_box(&walk, run->v, run->memory, most, &box);
		loop(&box);
		elements -= (uint64_t)done;
		run->position += (uint64_t)done;
		if (run->position == run->ring)
			run->position = 0;
		if (run->complete && elements > 0 && !kernel_goes_on(run, run->position, run->ring))
			return;
	}
}

/* Along a row what follows is alike; down columns, as many lines as there are elements in a pair of
 * the cache's go down the same ones of it. Of blocks a whole one is gone through in each iteration
 * of the outer loop. */
uint64_t matmul_period(const int64_t *v)
{
	const enum matmul_loop *order = matmul_order(v);
	int64_t n = v[MATMUL_N], block = least(v[MATMUL_BLOCK], n);
	bool down = order[2] == LOOP_I ||
		    (order[2] == LOOP_K && !matmul_transposed(v) && order[1] == LOOP_J);

	/* Small products are over before a trial is. */
	if (n <= SMALL)
		return (uint64_t)(n * n * n);
	/* A block that holds all of it is none. */
	if (matmul_blocked(v) && block < n)
		return (uint64_t)(block * block);
	return (uint64_t)(down ? n * PAIR / matmul_bytes(v) : n);
}

/* ---- Whether it is right. Elements are small whole numbers: every sum is exact in every type, and
 * in whatever order. */

static double element(const struct kernel_run *run, int matrix, int64_t i, int64_t j)
{
	int64_t at = (matrix * run->v[MATMUL_N] + i) * matmul_row(run->v) + j;

	if (run->v[MATMUL_TYPE] == TYPE_F32)
		return (double)((const float *)(const void *)run->memory)[at];
	return ((const double *)(const void *)run->memory)[at];
}

static void set_sum(struct kernel_run *run, int64_t i, int64_t j, double value)
{
	int64_t at = (2 * run->v[MATMUL_N] + i) * matmul_row(run->v) + j;

	if (run->v[MATMUL_TYPE] == TYPE_F32)
		((float *)(void *)run->memory)[at] = (float)value;
	else
		((double *)(void *)run->memory)[at] = value;
}

static double second(const struct kernel_run *run, int64_t k, int64_t j)
{
	return matmul_transposed(run->v) ? element(run, 1, j, k) : element(run, 1, k, j);
}

struct status matmul_verify(struct kernel_run *run)
{
	/* One product and a half of small matrices; of large ones some lines. */
	uint64_t count = run->ring < 2048 ? run->ring + run->ring / 2 : 3000;
	int64_t at[LOOPS];

	for (uint64_t p = 0; p < count; p++) {
		matmul_place(run->v, p % run->ring, at);
		set_sum(run, at[LOOP_I], at[LOOP_J], 0);
	}
	run->position = 0;
	matmul_walk(run, count / 3);
	matmul_walk(run, count - count / 3);
	run->position = 0;
	if (atomic_load_explicit(run->work.cancel, memory_order_relaxed))
		return status_make(STATUS_CANCELLED, "stopped while the product was checked");
	/* Taking off what should have been added leaves nothing. */
	for (uint64_t p = 0; p < count; p++) {
		matmul_place(run->v, p % run->ring, at);
		set_sum(run, at[LOOP_I], at[LOOP_J],
			element(run, 2, at[LOOP_I], at[LOOP_J]) -
				element(run, 0, at[LOOP_I], at[LOOP_K]) *
					second(run, at[LOOP_K], at[LOOP_J]));
	}
	for (uint64_t p = 0; p < count; p++) {
		matmul_place(run->v, p % run->ring, at);
		if (element(run, 2, at[LOOP_I], at[LOOP_J]) != 0)
			return status_failed(
				"matmul computed an element of the product wrong by %g: row %lld, "
				"column %lld",
				element(run, 2, at[LOOP_I], at[LOOP_J]), (long long)at[LOOP_I],
				(long long)at[LOOP_J]);
	}
	return status_ok();
}

/* Freivalds: where c = a b, c x = a (b x) for any vector x; where not, hardly ever for one of
 * random numbers. n² operations instead of n³, exact as well. */
struct status matmul_proof(struct kernel_run *run)
{
	int64_t n = run->v[MATMUL_N];
	struct random random = { run->seed ^ 0x5bd1e995 };
	double x[MATMUL_N_MOST], y[MATMUL_N_MOST];

	for (int64_t j = 0; j < n; j++)
		x[j] = (double)(random_next(&random) >> 48);
	for (int64_t k = 0; k < n; k++)
		y[k] = 0;
	for (int64_t j = 0; j < n; j++)
		for (int64_t k = 0; k < n; k++)
			if (matmul_transposed(run->v))
				y[k] += element(run, 1, j, k) * x[j];
			else
				y[j] += element(run, 1, j, k) * x[k];
	for (int64_t i = 0; i < n; i++) {
		double left = 0, right = 0;

		for (int64_t j = 0; j < n; j++) {
			left += element(run, 2, i, j) * x[j];
			right += element(run, 0, i, j) * y[j];
		}
		if (left != right)
			return status_failed(
				"matmul computed a wrong product: row %lld of %lld, times a random "
				"vector, is %g instead of %g",
				(long long)i, (long long)n, left, right);
	}
	return status_ok();
}
