/* matmul: multiply two square matrices, with the loops in any order, the second matrix transposed,
 * in blocks that a cache holds, and with several independent sums. The loops are in
 * matmul_loops.h, the way through them in matmul_walk.c. */
#include "kernels/matmul.h"
#include "kernels/knob_rows.h"

#include <string.h>

#include "base/random.h"

static const char *const form_names[] = { "naive", "reordered", "transposed", "blocked",
	"blocked-transposed", NULL };
static const char *const order_names[] = { "auto", "ijk", "ikj", "jik", "jki", "kij", "kji", NULL };
static const char *const acc_names[] = { "1", "2", "4", "8", NULL };
static const char *const type_names[] = { "f64", "f32", NULL };

enum { BLOCK_INITIAL = 64 };

/* Bytes, for what the walk asks of memory. */
enum { LINE = 64, PAGE = 4096 };

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

/* ---- Which values go together */

static bool sums(const int64_t *v)
{
	return matmul_order(v)[2] == LOOP_K;
}

/* Matrices that the innermost loop goes down the columns of. */
static int columns_of(const int64_t *v)
{
	enum matmul_loop inner = matmul_order(v)[2];

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

/* ---- Memory: a, b and c one after another. Transposed or not, the same numbers are taken for b.
 */

static uint64_t matmul_footprint(const int64_t *v)
{
	return (uint64_t)(3 * v[MATMUL_N] * matmul_row(v) * matmul_bytes(v));
}

static uint64_t matmul_layout(const int64_t *v)
{
	return (uint64_t)v[MATMUL_N] << 16 | (uint64_t)v[MATMUL_PAD] << 1 |
	       (uint64_t)v[MATMUL_TYPE];
}

/* From -8 to 8, but not 0: four random bits each. */
static int value_of(uint64_t seed, uint64_t index)
{
	struct random random = { seed + index / 16 };
	int value = (int)(random_next(&random) >> index % 16 * 4 & 15) - 8;

	return value < 0 ? value : value + 1;
}

static struct status fill(struct kernel_run *run)
{
	uint64_t bytes = (uint64_t)matmul_bytes(run->v), count = matmul_footprint(run->v) / bytes,
		 done = run->layout.prepared / bytes;
	uint64_t sums = count / 3 * 2;

	for (uint64_t i = done; i < count; i++) {
		int value = i < sums ? value_of(run->seed, i) : 0;

		if (i % 65536 == 0 && !kernel_goes_on(run, i, count)) {
			run->layout.laid_out = i * bytes;
			return status_make(
				STATUS_CANCELLED, "stopped while the matrices were filled");
		}
		if (bytes == 4)
			((float *)(void *)run->memory)[i] = (float)value;
		else
			((double *)(void *)run->memory)[i] = value;
	}
	run->layout.laid_out = count * bytes;
	return status_ok();
}

static const struct matmul_choice {
	const char *naive[LOOPS], *temporary[LOOPS], *columns[ACC_CHOICES], *rows[ACC_CHOICES];
} names = {
	.naive = { [LOOP_I] = "naive_i", [LOOP_J] = "naive_j", [LOOP_K] = "naive_k" },
	.temporary = { [LOOP_I] = "temporary_i", [LOOP_J] = "temporary_j", [LOOP_K] = "columns_1" },
	.columns = { "columns_1", "columns_2", "columns_4", "columns_8" },
	.rows = { "rows_1", "rows_2", "rows_4", "rows_8" },
};

/* What follows from the setting alone. Down columns each element is in a line of its own; the lines
 * are met again with the next column. Around that, each iteration of the outer loop goes once
 * through a whole matrix, or the part of it that is in a block: through b, through a where columns
 * are the outer loop, or through c where products are. Along rows, that is all there is. */
static void matmul_describe(const int64_t *v, struct kernel_walk *walk)
{
	int64_t n = v[MATMUL_N],
		block = matmul_blocked(v) && v[MATMUL_BLOCK] < n ? v[MATMUL_BLOCK] : n;
	int columns = columns_of(v);

	walk->far_lines = walk->lines = (double)matmul_bytes(v) / LINE;
	walk->far_range = walk->range = (double)(matmul_bytes(v) * block * block);
	if (columns > 0) {
		walk->lines = columns;
		walk->range = (double)(columns * block * LINE);
		walk->apart = matmul_row(v) * matmul_bytes(v) >= PAGE;
	}
	/* Each line of products is a sum of its own. */
	walk->restart = sums(v) ? (double)block : 0;
}

/* Matrices of which a block has as many rows as it is wide: those whose rows the outer loop does
 * not step over. With j outside, they are all: a and c are gone down while b is. */
static int rowed_of(const int64_t *v)
{
	enum matmul_loop outer = matmul_order(v)[0],
			 second = matmul_transposed(v) ? LOOP_J : LOOP_K;

	return (outer == LOOP_I ? 0 : 2) + (outer != second);
}

static bool matmul_block(const int64_t *v, struct kernel_block *block)
{
	double row = (double)(matmul_row(v) * matmul_bytes(v)) / PAGE;

	*block = (struct kernel_block){ .knob = MATMUL_BLOCK,
		.blocks = 3,
		.bytes = (int)matmul_bytes(v),
		.most = v[MATMUL_N],
		.pages = rowed_of(v) * (row < 1 ? row : 1),
		.down = columns_of(v) > 0,
		.meet = columns_of(v) == 0 && matmul_row(v) * matmul_bytes(v) % PAGE == 0,
		.sums = sums(v) };
	return matmul_blocked(v);
}

static struct status matmul_prepare(struct kernel_run *run)
{
	const int64_t *v = run->v;
	const struct matmul_loops *loops = v[MATMUL_TYPE] == TYPE_F32 ? &matmul_f32 : &matmul_f64;
	enum matmul_loop inner = matmul_order(v)[2];
	uint64_t n = (uint64_t)v[MATMUL_N], bytes = (uint64_t)matmul_bytes(v);
	struct status status = fill(run);

	run->ring = n * n * n;
	run->granule = 1;
	run->iteration = inner == LOOP_K ? (uint64_t)1 << v[MATMUL_ACC] : 1;
	run->period = matmul_period(v);
	run->complete = v[MATMUL_WHOLE];
	run->position = 0;
	if (v[MATMUL_FORM] == FORM_NAIVE) {
		run->code.start = (const void *)loops->naive[inner];
		run->code.name = names.naive[inner];
		run->bytes = 4 * bytes;
	} else if (inner != LOOP_K) {
		run->code.start = (const void *)loops->temporary[inner];
		run->code.name = names.temporary[inner];
		run->bytes = 3 * bytes;
	} else if (matmul_transposed(v)) {
		run->code.start = (const void *)loops->rows[v[MATMUL_ACC]];
		run->code.name = names.rows[v[MATMUL_ACC]];
		run->bytes = 2 * bytes;
	} else {
		run->code.start = (const void *)loops->columns[v[MATMUL_ACC]];
		run->code.name = names.columns[v[MATMUL_ACC]];
		run->bytes = 2 * bytes;
	}
	return status;
}

/* The same code on matrices that are laid out at once. */
static void matmul_shrink(int64_t *v)
{
	v[MATMUL_N] = 16;
	v[MATMUL_PAD] = 0;
	v[MATMUL_WHOLE] = 0;
	if (matmul_blocked(v))
		v[MATMUL_BLOCK] = 8;
}

/* A whole product begins with nothing; otherwise sums go on growing, far from where adding to them
 * takes longer. */
static void matmul_call(struct kernel_run *run, uint64_t elements)
{
	uint64_t matrix = matmul_footprint(run->v) / 3;

	if (run->complete && run->position == 0 && elements > 0)
		memset(run->memory + 2 * matrix, 0, matrix);
	matmul_walk(run, elements);
	run->result = run->position;
}

static void matmul_begin_at(struct kernel_run *run, double share)
{
	uint64_t unit = run->period < run->ring ? run->period : 1,
		 at = (uint64_t)((double)(run->ring / unit) * share) * unit;

	run->position = at < run->ring ? at : 0;
}

static const char *matmul_remark(const int64_t *v)
{
	if (columns_of(v) > 0 && matmul_row(v) * matmul_bytes(v) % 4096 == 0)
		return "A row is a multiple of 4,096 bytes, so the elements of a column share few "
		       "sets of each cache: pad=1 spreads them.";
	if (v[MATMUL_FORM] == FORM_NAIVE && v[MATMUL_ORDER] == ORDER_AUTO)
		return "Loops j, k, i as in the case study: the innermost walks down two columns "
		       "and touches another line each time.";
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
	.element = "multiply-add",
	.hint = "Right to form, then +: the same product, faster",
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
