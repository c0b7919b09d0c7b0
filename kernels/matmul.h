/* Declarations shared by the kernel matmul and its loops: the values of the knobs, and boxes of the
 * product. */
#pragma once

#include <stdint.h>

#include "kernels/kernel.h"

/* The indices of the kernel's knobs in their order, and the values of the knobs that are choices.
 */
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
enum { ACC_CHOICES = 4 }; /* number of choices of the knob `acc`: 1, 2, 4 or 8 sums */
enum { MATMUL_N_MOST = 2000 };

/* The three loops of the product: over rows (i), columns (j) and summands (k), with c[i][j] +=
 * a[i][k] * b[k][j]. */
enum matmul_loop { LOOP_I, LOOP_J, LOOP_K, LOOPS };

/* A box: the part of the product that one call of a loop function computes. A box consists of
 * lines. A line is one run of the innermost loop; all lines have equal length. From one line to the
 * next, the pointers a, b and c move by a_step[1], b_step[1] and c_step[1]. After `middle` lines,
 * the outer loop advances, and the pointers move by a_step[0], b_step[0] and c_step[0]. All steps
 * are in elements. */
struct matmul_box {
	const void *a, *b; /* addresses of the first elements of a and b in the first line */
	void *c;
	int64_t lines;	/* number of lines (runs of the innermost loop) in the box */
	int64_t middle; /* number of lines (runs of the innermost loop) per iteration of the outer
			   loop */
	int64_t left;	/* number of lines (runs of the innermost loop) before the outer loop first
			   advances */
	int64_t inner;	/* number of elements in a line (one run of the innermost loop) */
	int64_t row;	/* number of elements from one row of a matrix to the next row */
	int64_t a_step[2], b_step[2], c_step[2];
};

typedef void matmul_function(const struct matmul_box *box);

/* A loop function, and its name in the source. */
struct matmul_loop_row {
	matmul_function *loop;
	const char *name;
};

/* The loops for one type of elements (matmul_loops.h). */
struct matmul_loops {
	struct matmul_loop_row naive[LOOPS], temporary[LOOPS]; /* indexed by the innermost loop */
	struct matmul_loop_row columns[ACC_CHOICES],
		rows[ACC_CHOICES]; /* Loops over k, which compute dot products. columns: the loop
				      moves down a column of b. rows: the loop moves along a row of
				      the transposed b. */
};

extern const struct matmul_loops matmul_f32, matmul_f64;

static inline bool matmul_blocked(const int64_t *v)
{
	return v[MATMUL_FORM] == FORM_BLOCKED || v[MATMUL_FORM] == FORM_BLOCKED_TRANSPOSED;
}

/* Returns whether the second matrix is laid out transposed. */
static inline bool matmul_transposed(const int64_t *v)
{
	return v[MATMUL_FORM] == FORM_TRANSPOSED || v[MATMUL_FORM] == FORM_BLOCKED_TRANSPOSED;
}

/* Returns the number of elements from one row of a matrix to the next row. */
static inline int64_t matmul_row(const int64_t *v)
{
	return v[MATMUL_N] + v[MATMUL_PAD];
}

/* Stores the loop indices i, j and k of the multiply-add at position `position` of the product in
 * index[]. */
void matmul_place(const int64_t *v, uint64_t position, int64_t index[LOOPS]);
