/* The kernel matmul multiplies two square matrices. The three loops can have any order. The second
 * matrix can be transposed. The loops can use blocks that fit in a cache, and several independent
 * sums. matmul_loops.h has the innermost loops; this file calls them for all parts of the product.
 */
#include "kernels/matmul.h"

#include <string.h>

#include "kernels/ring.h"

static const char *const form_names[] = { "naive", "reordered", "transposed", "blocked",
	"blocked-transposed", NULL };
static const char *const order_names[] = { "auto", "ijk", "ikj", "jik", "jki", "kij", "kji", NULL };
static const char *const acc_names[] = { "1", "2", "4", "8", NULL };
static const char *const type_names[] = { "f64", "f32", NULL };

enum { BLOCK_INITIAL = 64 };

/* Bytes of a cache line, of a pair of lines, and of a page. Many caches fetch lines in pairs. */
enum { LINE = 64, PAIR = 128, PAGE = 4096 };

/* Maximum number of elements per call of a loop, which then takes about a millisecond. A run with
 * whole=1 can be cancelled between two calls. */
enum { AT_ONCE = 1 << 20 };

/* Number of instructions between two lines (matmul_loops.h, next_line()), and the number of them
 * that compute one after the other the address of the next line: subtract, compare, set, add. */
enum { BETWEEN = 22, BETWEEN_STEPS = 4 };

/* Largest number of rows at which a trial measures whole products, of about 100 microseconds each.
 */
enum { SMALL = 64 };

static const struct knob knobs[] = {
	[MATMUL_N] = KNOB_ROW_COUNT(
		"n", "rows and columns of each matrix", 8, MATMUL_N_MOST, 1000, .factor = 2),
	[MATMUL_FORM] = KNOB_ROW_CHOICE(
		"form", "how the product is computed", form_names, .role = KNOB_FORM),
	[MATMUL_ORDER] = KNOB_ROW_CHOICE("order",
		"order of the loops, outermost first; auto: the case study's", order_names,
		.role = KNOB_FORM),
	[MATMUL_BLOCK] = KNOB_ROW_COUNT("block", "rows and columns of a block, in blocked forms", 4,
		MATMUL_N_MOST, BLOCK_INITIAL, .factor = 2, .role = KNOB_FORM),
	[MATMUL_ACC] =
		KNOB_ROW_CHOICE("acc", "independent sums, where the loop over k is innermost",
			acc_names, .role = KNOB_FORM),
	[MATMUL_TYPE] = KNOB_ROW_CHOICE("type", "the type of the elements", type_names),
	[MATMUL_PAD] = KNOB_ROW_COUNT(
		"pad", "elements between the end of a row and the next row", 0, 64, 0),
	[MATMUL_WHOLE] = KNOB_ROW_COUNT(
		"whole", "1: each trial is a whole product, which is checked", 0, 1, 0),
	[MATMUL_PAGES] = KNOB_ROW_PAGES,
};

static int64_t least(int64_t a, int64_t b)
{
	return a < b ? a : b;
}

static int64_t element_bytes(const int64_t *v)
{
	return v[MATMUL_TYPE] == TYPE_F32 ? 4 : 8;
}

/* Returns the order of the three loops of a setting, outermost loop first. */
static const enum matmul_loop *order_of(const int64_t *v)
{
	static const enum matmul_loop orders[ORDERS][LOOPS] = {
		[ORDER_IJK] = { LOOP_I, LOOP_J, LOOP_K },
		[ORDER_IKJ] = { LOOP_I, LOOP_K, LOOP_J },
		[ORDER_JIK] = { LOOP_J, LOOP_I, LOOP_K },
		[ORDER_JKI] = { LOOP_J, LOOP_K, LOOP_I },
		[ORDER_KIJ] = { LOOP_K, LOOP_I, LOOP_J },
		[ORDER_KJI] = { LOOP_K, LOOP_J, LOOP_I },
	};

	/* order=auto is the order of the cited case study: j, k, i for form=naive, and i, j, k for
	 * all other forms. */
	if (v[MATMUL_ORDER] == ORDER_AUTO)
		return orders[v[MATMUL_FORM] == FORM_NAIVE ? ORDER_JKI : ORDER_IJK];
	return orders[v[MATMUL_ORDER]];
}

/* ---- Valid combinations of values */

static bool sums(const int64_t *v)
{
	return order_of(v)[2] == LOOP_K;
}

/* Returns the number of matrices in which the innermost loop moves down a column. */
static int columns_of(const int64_t *v)
{
	enum matmul_loop inner = order_of(v)[2];

	return inner == LOOP_I ? 2 : inner == LOOP_K && !matmul_transposed(v) ? 1 : 0;
}

static struct status matmul_check(const int64_t *v)
{
	const char *form = form_names[v[MATMUL_FORM]], *order = order_names[v[MATMUL_ORDER]],
		   *acc = acc_names[v[MATMUL_ACC]];

	if (v[MATMUL_BLOCK] != BLOCK_INITIAL && !matmul_blocked(v))
		return status_usage(
			"block=%lld needs form=blocked or blocked-transposed: form=%s has no "
			"blocks",
			(long long)v[MATMUL_BLOCK], form);
	if (matmul_transposed(v) && !sums(v))
		return status_usage(
			"form=%s walks the rows of both matrices: order=ijk or jik, not %s", form,
			order);
	if (v[MATMUL_ACC] > 0 && v[MATMUL_FORM] == FORM_NAIVE)
		return status_usage(
			"acc=%s needs another form than form=naive, which adds in memory: "
			"form=reordered",
			acc);
	if (v[MATMUL_ACC] > 0 && !sums(v))
		return status_usage(
			"acc=%s needs the loop over k innermost: order=ijk or jik, not %s", acc,
			order);
	return status_ok();
}

static void matmul_fit(int64_t *v, int changed)
{
	if (changed == MATMUL_BLOCK && v[MATMUL_BLOCK] != BLOCK_INITIAL && !matmul_blocked(v))
		v[MATMUL_FORM] = matmul_transposed(v) ? FORM_BLOCKED_TRANSPOSED : FORM_BLOCKED;
	if (changed == MATMUL_ACC && v[MATMUL_ACC] > 0 && v[MATMUL_FORM] == FORM_NAIVE)
		v[MATMUL_FORM] = FORM_REORDERED;
	if (changed == MATMUL_ORDER && matmul_transposed(v) && !sums(v))
		v[MATMUL_FORM] = matmul_blocked(v) ? FORM_BLOCKED : FORM_REORDERED;
	if (!matmul_blocked(v))
		v[MATMUL_BLOCK] = BLOCK_INITIAL;
	if (matmul_transposed(v) && !sums(v))
		v[MATMUL_ORDER] = ORDER_AUTO;
	if (v[MATMUL_ACC] > 0 && changed == MATMUL_ACC && !sums(v))
		v[MATMUL_ORDER] = ORDER_AUTO;
	if (v[MATMUL_FORM] == FORM_NAIVE || !sums(v))
		v[MATMUL_ACC] = 0;
}

/* ---- Memory: the matrices a, b and c, one after another. A transposed b holds the same numbers */

static uint64_t matmul_footprint(const int64_t *v)
{
	return (uint64_t)(3 * v[MATMUL_N] * matmul_row(v) * element_bytes(v));
}

static uint64_t matmul_layout(const int64_t *v)
{
	return (uint64_t)v[MATMUL_N] << 16 | (uint64_t)v[MATMUL_PAD] << 1 |
	       (uint64_t)v[MATMUL_TYPE];
}

/* Returns the value of an element: a whole number from -8 to 8, but not 0, made of four random
 * bits. */
static int value_of(uint64_t seed, uint64_t index)
{
	struct random random = { seed + index / 16 };
	int value = (int)(random_next(&random) >> index % 16 * 4 & 15) - 8;

	return value < 0 ? value : value + 1;
}

static void set_element(struct kernel_run *run, uint64_t index, double value)
{
	if (run->v[MATMUL_TYPE] == TYPE_F32)
		((float *)(void *)run->memory)[index] = (float)value;
	else
		((double *)(void *)run->memory)[index] = value;
}

/* Writes an element of one of the matrices a, b and c. The elements of the product matrix c start
 * at 0. */
static void put(struct kernel_run *run, uint64_t index)
{
	uint64_t matrix = (uint64_t)(run->v[MATMUL_N] * matmul_row(run->v));

	set_element(run, index, index < 2 * matrix ? value_of(run->seed, index) : 0);
}

/* Describes the memory accesses of the loops at a setting, for the model. If the innermost loop
 * moves down a column, each element of the column is in a separate cache line. In the next column,
 * the loops use the cache lines of the previous column again. In addition, each iteration of the
 * outer loop reads once a whole matrix or its block. If the outer loop is i, j or k, each of its
 * iterations reads the matrix b, a or c, respectively. If the innermost loop moves along rows, only
 * the accesses of the outer loop count. */
static void matmul_describe(const int64_t *v, struct kernel_walk *walk)
{
	int64_t n = v[MATMUL_N],
		block = matmul_blocked(v) && v[MATMUL_BLOCK] < n ? v[MATMUL_BLOCK] : n;
	int columns = columns_of(v);

	walk->far_lines = walk->lines = (double)element_bytes(v) / LINE;
	/* In an iteration of the outer loop, the loops also use a row of the two other matrices. */
	walk->far_range = walk->range = (double)(element_bytes(v) * block * (block + 2));
	if (columns > 0) {
		walk->lines = columns;
		walk->changed = columns == 2; /* a column of b, or those of a and c */
		walk->range = (double)(columns * block * LINE);
		walk->spacing = (double)(matmul_row(v) * element_bytes(v));
		walk->apart = walk->spacing >= PAGE;
	}
	/* Each complete loop over k computes its own sum, so the chain of additions starts
	 * again. */
	walk->restart = sums(v) ? (double)block : 0;
	if (sums(v)) {
		walk->between.instructions = BETWEEN;
		walk->between.steps = BETWEEN_STEPS;
	}
}

/* Returns the number of matrices of which `block` rows are in use at the same time. If the outer
 * loop steps over the rows of a matrix, only one row of that matrix is in use at a time. With j as
 * the outer loop, all three matrices have a block of rows. */
static int rowed_of(const int64_t *v)
{
	enum matmul_loop outer = order_of(v)[0], second = matmul_transposed(v) ? LOOP_J : LOOP_K;

	return (outer == LOOP_I ? 0 : 2) + (outer != second);
}

static bool matmul_block(const int64_t *v, struct kernel_block *block)
{
	double row = (double)(matmul_row(v) * element_bytes(v)) / PAGE;

	*block = (struct kernel_block){ .knob = MATMUL_BLOCK,
		.blocks = 3,
		.bytes = (int)element_bytes(v),
		.most = v[MATMUL_N],
		.pages = rowed_of(v) * (row < 1 ? row : 1),
		.down = columns_of(v) > 0,
		.meet = columns_of(v) == 0 && matmul_row(v) * element_bytes(v) % PAGE == 0,
		.sums = sums(v) };
	return matmul_blocked(v);
}

/* A position in the computation of the product: where each of the three loops is. Each of the two
 * inner loops may cover only a block of the matrix. */
struct walk {
	const enum matmul_loop *order; /* the order of the loops, outermost loop first */
	int64_t from[LOOPS];	       /* the first index of the block, for each loop depth */
	int64_t size[LOOPS];	       /* number of iterations in the block, for each loop depth */
	int64_t at[LOOPS];	       /* number of finished iterations, for each loop depth */
};

/* Returns where each of the three loops is after `position` multiply-adds. The middle loop of the
 * three loops is divided into blocks. For each block of the middle loop, the innermost loop is also
 * divided into blocks. The outermost loop of the product is never divided into blocks. */
static struct walk walk_at(const int64_t *v, uint64_t position)
{
	int64_t n = v[MATMUL_N], block = matmul_blocked(v) ? least(v[MATMUL_BLOCK], n) : n,
		rest = (int64_t)position, each;
	struct walk walk = { .order = order_of(v), .size = { n } };

	walk.from[1] = rest / (n * block * n) * block;
	walk.size[1] = least(block, n - walk.from[1]);
	rest -= walk.from[1] * n * n;
	each = n * walk.size[1];
	walk.from[2] = rest / (each * block) * block;
	walk.size[2] = least(block, n - walk.from[2]);
	rest -= walk.from[2] * each;
	each = walk.size[1] * walk.size[2];
	walk.at[0] = rest / each;
	rest -= walk.at[0] * each;
	walk.at[1] = rest / walk.size[2];
	walk.at[2] = rest - walk.at[1] * walk.size[2];
	return walk;
}

void matmul_place(const int64_t *v, uint64_t position, int64_t index[LOOPS])
{
	struct walk walk = walk_at(v, position);

	for (int depth = 0; depth < LOOPS; depth++)
		index[walk.order[depth]] = walk.from[depth] + walk.at[depth];
}

/* A line is one run of the innermost loop. Returns the index of the first element that a line uses
 * in one matrix. step: the distance in the matrix, in elements, per iteration of each loop.
 * steps[1]: the distance from one line to the next. steps[0]: the distance from the last line of an
 * iteration of the outer loop to the first line of its next iteration. */
static int64_t lay(const struct walk *walk, const int64_t step[LOOPS], int64_t steps[2])
{
	int64_t first = 0;

	for (int depth = 0; depth < LOOPS; depth++)
		first += (walk->from[depth] + walk->at[depth]) * step[walk->order[depth]];
	steps[1] = step[walk->order[1]];
	steps[0] = step[walk->order[0]] - (walk->size[1] - 1) * steps[1];
	return first;
}

/* A box is a part of the product that one call of a loop function computes. Returns the largest box
 * that has at most `most` multiply-adds and starts at run->position. */
static struct matmul_box box_at(const struct kernel_run *run, int64_t most)
{
	const int64_t *v = run->v;
	struct walk walk = walk_at(v, run->position);
	int64_t bytes = element_bytes(v), row = matmul_row(v), matrix = v[MATMUL_N] * row * bytes;
	int64_t inner = walk.size[2] - walk.at[2], middle = walk.size[1];
	bool turned = matmul_transposed(v);
	const int64_t a[LOOPS] = { [LOOP_I] = row, [LOOP_K] = 1 },
		      b[LOOPS] = { [LOOP_K] = turned ? 1 : row, [LOOP_J] = turned ? row : 1 },
		      c[LOOPS] = { [LOOP_I] = row, [LOOP_J] = 1 };
	struct matmul_box box = { .lines = 1,
		.middle = middle,
		.left = middle - walk.at[1],
		.inner = least(inner, most),
		.row = row };

	if (walk.at[2] == 0 && most >= inner)
		box.lines = least(most / inner, (walk.size[0] - walk.at[0]) * middle - walk.at[1]);
	box.a = run->memory + lay(&walk, a, box.a_step) * bytes;
	box.b = run->memory + matrix + lay(&walk, b, box.b_step) * bytes;
	box.c = run->memory + 2 * matrix + lay(&walk, c, box.c_step) * bytes;
	return box;
}

static void walk_on(struct kernel_run *run, uint64_t elements)
{
	while (elements > 0) {
		struct matmul_box box =
			box_at(run, elements < AT_ONCE ? (int64_t)elements : AT_ONCE);
		uint64_t done = (uint64_t)(box.lines * box.inner);

		((matmul_function *)run->code.start)(&box);
		elements -= done;
		run->position += done;
		if (run->position == run->ring)
			run->position = 0;
		if (run->complete && elements > 0 && !kernel_goes_on(run, run->position, run->ring))
			return;
	}
}

/* Returns the number of multiply-adds after which the pattern of memory accesses repeats. If the
 * innermost loop moves along rows, each run of the innermost loop has the same pattern. If the
 * innermost loop moves down columns, adjacent columns share cache lines, so the period covers all
 * columns of a pair of cache lines. In blocked forms, the period is one iteration of the outer
 * loop, which uses a whole block. */
static uint64_t period_of(const int64_t *v)
{
	const enum matmul_loop *order = order_of(v);
	int64_t n = v[MATMUL_N], block = least(v[MATMUL_BLOCK], n);
	bool down = order[2] == LOOP_I ||
		    (order[2] == LOOP_K && !matmul_transposed(v) && order[1] == LOOP_J);

	/* For small matrices, a trial measures whole products. */
	if (n <= SMALL)
		return (uint64_t)(n * n * n);
	/* A block as large as the matrix has no effect. */
	if (matmul_blocked(v) && block < n)
		return (uint64_t)(block * block);
	return (uint64_t)(down ? n * PAIR / element_bytes(v) : n);
}

static struct status matmul_prepare(struct kernel_run *run)
{
	const int64_t *v = run->v;
	const struct matmul_loops *loops = v[MATMUL_TYPE] == TYPE_F32 ? &matmul_f32 : &matmul_f64;
	bool naive = v[MATMUL_FORM] == FORM_NAIVE;
	uint64_t n = (uint64_t)v[MATMUL_N], bytes = (uint64_t)element_bytes(v);
	const struct matmul_loop_row *row = naive      ? &loops->naive[order_of(v)[2]]
					    : !sums(v) ? &loops->temporary[order_of(v)[2]]
					    : matmul_transposed(v) ? &loops->rows[v[MATMUL_ACC]]
								   : &loops->columns[v[MATMUL_ACC]];

	run->ring = n * n * n;
	run->granule = 1;
	run->iteration = sums(v) ? (uint64_t)1 << v[MATMUL_ACC] : 1;
	run->period = period_of(v);
	run->complete = v[MATMUL_WHOLE];
	run->bytes = (naive ? 4 : sums(v) ? 2 : 3) * bytes;
	run->code.start = (const void *)row->loop;
	run->code.name = row->name;
	return ring_lay_out(run, matmul_footprint(v) / bytes, bytes, put);
}

/* Reduces the matrices to a size that is quick to prepare, for single-stepping. The setting with
 * small matrices executes the same code. */
static void matmul_shrink(int64_t *v)
{
	v[MATMUL_N] = 16;
	v[MATMUL_PAD] = 0;
	v[MATMUL_WHOLE] = 0;
	if (matmul_blocked(v))
		v[MATMUL_BLOCK] = 8;
}

/* With whole=1, each product starts with c = 0. Otherwise the sums in c grow from call to call, but
 * stay too small to slow down the additions. */
static void matmul_call(struct kernel_run *run, uint64_t elements)
{
	uint64_t matrix = matmul_footprint(run->v) / 3;

	if (run->complete && run->position == 0 && elements > 0)
		memset(run->memory + 2 * matrix, 0, matrix);
	walk_on(run, elements);
	run->result = run->position;
}

static void matmul_begin_at(struct kernel_run *run, double share)
{
	uint64_t unit = run->period < run->ring ? run->period : 1,
		 at = (uint64_t)((double)(run->ring / unit) * share) * unit;

	run->position = at < run->ring ? at : 0;
}

/* ---- Checks. Elements are small whole numbers, so every sum is exact in every type and in every
 * order */

static uint64_t index_of(const struct kernel_run *run, int matrix, int64_t i, int64_t j)
{
	return (uint64_t)((matrix * run->v[MATMUL_N] + i) * matmul_row(run->v) + j);
}

static double element(const struct kernel_run *run, int matrix, int64_t i, int64_t j)
{
	uint64_t at = index_of(run, matrix, i, j);

	if (run->v[MATMUL_TYPE] == TYPE_F32)
		return (double)((const float *)(const void *)run->memory)[at];
	return ((const double *)(const void *)run->memory)[at];
}

static double second(const struct kernel_run *run, int64_t k, int64_t j)
{
	return matmul_transposed(run->v) ? element(run, 1, j, k) : element(run, 1, k, j);
}

static struct status matmul_verify(struct kernel_run *run)
{
	/* Number of multiply-adds that the check makes: one and a half products of small matrices,
	 * but only some lines of large matrices. */
	uint64_t count = run->ring < 2048 ? run->ring + run->ring / 2 : 3000;

	/* Pass 0 clears the sums in c; then the loops under test add their products. Pass 1 of the
	 * check subtracts the same products in plain C. Pass 2 of the check tests that all elements
	 * of c are 0. */
	for (int pass = 0; pass < 3; pass++) {
		for (uint64_t p = 0; p < count; p++) {
			int64_t at[LOOPS], i, j, k;
			double sum;

			matmul_place(run->v, p % run->ring, at);
			i = at[LOOP_I], j = at[LOOP_J], k = at[LOOP_K];
			sum = pass ? element(run, 2, i, j) : 0;
			if (pass == 2 && sum != 0)
				return status_failed("matmul computed an element of the product "
						     "wrong by %g: row %lld, column %lld",
					sum, (long long)i, (long long)j);
			if (pass == 1)
				sum -= element(run, 0, i, k) * second(run, k, j);
			set_element(run, index_of(run, 2, i, j), sum);
		}
		if (pass > 0)
			continue;
		walk_on(run, count / 3);
		walk_on(run, count - count / 3);
		if (atomic_load_explicit(run->work.cancel, memory_order_relaxed))
			return status_make(
				STATUS_CANCELLED, "stopped while the product was checked");
	}
	return status_ok();
}

/* Checks the whole product by Freivalds' method: if c = a b, then c x = a (b x) for any vector x.
 * If the product c is wrong, c x = a (b x) rarely holds for a random vector x. The check needs n²
 * operations instead of n³, and its sums are exact, too. */
static struct status matmul_proof(struct kernel_run *run)
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

static const char *matmul_remark(const int64_t *v)
{
	if (columns_of(v) > 0 && matmul_row(v) * element_bytes(v) % 4096 == 0)
		return "Rows are a multiple of 4,096 bytes: a column uses few cache sets. Use "
		       "pad=1.";
	if (v[MATMUL_FORM] == FORM_NAIVE && v[MATMUL_ORDER] == ORDER_AUTO)
		return "Loops j, k, i: the inner loop walks down two columns, a new line each "
		       "time.";
	return NULL;
}

const struct kernel kernel_matmul = {
	.name = "matmul",
	.title = "multiply matrices",
	.look_for = "The same n * n * n multiply-adds take several times as long down columns as "
		    "along rows once the lines of a column no longer fit a cache. Change order, "
		    "then form: blocked forms reuse data before they leave the cache, and acc "
		    "shortens the chain of sums. n=1024 is slower than n=1025: change pad.",
	.document =
		"Maxwell & Cameron, Optimizing Application Performance: A Case Study Using LMBench",
	.answer = "curves",
	.element = "multiply-add",
	.hint = "Down to form, then +: the same product, faster",
	KERNEL_KNOBS(knobs),
	.check = matmul_check,
	.fit = matmul_fit,
	.footprint = matmul_footprint,
	.layout = matmul_layout,
	.prepare = matmul_prepare,
	.describe = matmul_describe,
	.shrink = matmul_shrink,
	.call = matmul_call,
	.begin_at = matmul_begin_at,
	.verify = matmul_verify,
	.proof = matmul_proof,
	.file = "kernels/matmul_loops.h",
	.plot_cpe = true,
	.block = matmul_block,
	.remark = matmul_remark,
};
