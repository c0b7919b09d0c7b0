/* What the parts of matmul share: its knobs' values, boxes of the product, and where the walk
 * through it is. */
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
enum { ACC_CHOICES = 4 }; /* 1, 2, 4, 8 */
enum { MATMUL_N_MOST = 2000 };

/* Rows, columns, and the products that are added up: c[i][j] += a[i][k] * b[k][j]. */
enum matmul_loop { LOOP_I, LOOP_J, LOOP_K, LOOPS };

/* Some lines of the product: innermost loops of equal length. `middle` of them follow each other by
 * the steps [1], then the outer loop goes on by the steps [0], which are reckoned from the last
 * line of the one before. All steps are in elements. */
struct matmul_box {
	const void *a, *b; /* the first line's first elements */
	void *c;
	int64_t lines;	/* to do */
	int64_t middle; /* lines before the outer loop goes on */
	int64_t left;	/* of these, before it does so for the first time */
	int64_t inner;	/* elements of a line */
	int64_t row;	/* from one row of a matrix to the next */
	int64_t a_step[2], b_step[2], c_step[2];
};

typedef void matmul_function(const struct matmul_box *box);

/* The loops of one type: matmul_loops.h. */
struct matmul_loops {
	matmul_function *naive[LOOPS],
		*temporary[LOOPS]; /* by the innermost loop; [LOOP_K] of the latter is columns[0] */
	matmul_function *columns[ACC_CHOICES],
		*rows[ACC_CHOICES]; /* dot products, b down a column or along a row */
};

extern const struct matmul_loops matmul_f32, matmul_f64;

/* The order of the loops, outermost first, of a setting. */
const enum matmul_loop *matmul_order(const int64_t *v);

bool matmul_blocked(const int64_t *v);
bool matmul_transposed(const int64_t *v); /* the second matrix is there transposed */

/* Bytes of an element; elements from one row to the next. */
int64_t matmul_bytes(const int64_t *v);
int64_t matmul_row(const int64_t *v);

/* Walks `elements` of the product from run->position on, which moves along; a whole product that is
 * cancelled ends early. */
void matmul_walk(struct kernel_run *run, uint64_t elements);

/* Which multiply-add has that place in the product's order. */
void matmul_place(const int64_t *v, uint64_t position, int64_t index[LOOPS]);

/* Elements after which what the walk asks of memory repeats itself: whole lines, and as many as
 * share cache lines. */
uint64_t matmul_period(const int64_t *v);

/* Whether a stretch from the ring's beginning adds what it should to c; whether c is the product of
 * a and b. */
struct status matmul_verify(struct kernel_run *run);
struct status matmul_proof(struct kernel_run *run);
