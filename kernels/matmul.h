/* Shared by the loops of matmul and the kernel: the values of its knobs, and boxes of the product.
 */
#pragma once

#include <stdint.h>

#include "kernels/kernel.h"

/* The knobs, in the kernel's order, and the values of its choices. */
enum {
	MATMUL_N,
	MATMUL_FORM,
	MATMUL_ORDER,
	MATMUL_BLOCK,
	MATMUL_ACC,
	MATMUL_TYPE,
	MATMUL_PAD,
	MATMUL_WHOLE,
	MATMUL_PAGES
};
enum { FORM_NAIVE, FORM_REORDERED, FORM_TRANSPOSED, FORM_BLOCKED, FORM_BLOCKED_TRANSPOSED, FORMS };
enum { ORDER_AUTO, ORDER_IJK, ORDER_IKJ, ORDER_JIK, ORDER_JKI, ORDER_KIJ, ORDER_KJI, ORDERS };
enum { TYPE_F64, TYPE_F32, TYPES };
enum { ACC_CHOICES = 4 }; /* 1, 2, 4 or 8 sums */
enum { MATMUL_N_MOST = 2000 };

/* Loops over rows (i), columns (j) and summands (k): c[i][j] += a[i][k] * b[k][j]. */
enum matmul_loop { LOOP_I, LOOP_J, LOOP_K, LOOPS };

/* Some lines of the product. A line is one run of the innermost loop; all lines have equal length.
 * From line to line, pointers move by the steps [1]. After `middle` lines, the outer loop
 * advances, and pointers move by the steps [0]. All steps are in elements. */
struct matmul_box {
	const void *a, *b; /* the first elements of the first line */
	void *c;
	int64_t lines;	/* number of lines */
	int64_t middle; /* lines per iteration of the outer loop */
	int64_t left;	/* lines before the outer loop first advances */
	int64_t inner;	/* elements of a line */
	int64_t row;	/* from one row of a matrix to the next */
	int64_t a_step[2], b_step[2], c_step[2];
};

typedef void matmul_function(const struct matmul_box *box);

/* A loop function, and its name in the source. */
struct matmul_loop_row {
	matmul_function *loop;
	const char *name;
};

/* The loops of one type: matmul_loops.h. */
struct matmul_loops {
	struct matmul_loop_row naive[LOOPS], temporary[LOOPS]; /* by the innermost loop */
	struct matmul_loop_row columns[ACC_CHOICES],
		rows[ACC_CHOICES]; /* dot products, with b down a column or along a row */
};

extern const struct matmul_loops matmul_f32, matmul_f64;

static inline bool matmul_blocked(const int64_t *v)
{
	return v[MATMUL_FORM] == FORM_BLOCKED || v[MATMUL_FORM] == FORM_BLOCKED_TRANSPOSED;
}

/* The second matrix is laid out transposed. */
static inline bool matmul_transposed(const int64_t *v)
{
	return v[MATMUL_FORM] == FORM_TRANSPOSED || v[MATMUL_FORM] == FORM_BLOCKED_TRANSPOSED;
}

/* Elements from one row to the next. */
static inline int64_t matmul_row(const int64_t *v)
{
	return v[MATMUL_N] + v[MATMUL_PAD];
}

/* The loop indices of the multiply-add at that position of the product. */
void matmul_place(const int64_t *v, uint64_t position, int64_t index[LOOPS]);
