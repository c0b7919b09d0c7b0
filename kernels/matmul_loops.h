/* The loops of the kernel matmul, for elements of type REAL. kernels/matmul_f32.c and
 * kernels/matmul_f64.c define REAL as float and as double, and include this file.
 *
 * Each order of the three loops has one of three innermost loops. The loop over k computes a dot
 * product, the loop over j moves along rows, and the loop over i moves down columns. The two outer
 * loops have the same code for all orders. A line is one run of the innermost loop. A struct
 * matmul_box (kernels/matmul.h) describes the two outer loops by the distances from one line to the
 * next. */
#pragma once

#include "kernels/matmul.h"

/* Pins a value to a register at this point of the code. The compiler then neither vectorises the
 * loop nor reorders the additions. */
#define KEEP(x) KERNEL_KEEP_FLOAT(x)

/* In each matrix, the address of the first element of a line, which is one run of the innermost
 * loop. */
struct at {
	const REAL *a, *b;
	REAL *c;
	int64_t left;
};

KERNEL_BODY struct at first_line(const struct matmul_box *box)
{
	return (struct at){ box->a, box->b, box->c, box->left };
}

KERNEL_BODY void next_line(struct at *at, const struct matmul_box *box)
{
	int outer = --at->left > 0;

	at->a += box->a_step[outer];
	at->b += box->b_step[outer];
	at->c += box->c_step[outer];
	if (!outer)
		at->left = box->middle;
}

/* Computes the sum over the last elements of a dot product, if these elements do not fill an
 * iteration. */
static __attribute__((noinline, KERNEL_UNWATCHED)) REAL rest(
	const REAL *a, const REAL *b, int64_t down, int64_t count)
{
	REAL sum = 0;

	for (int64_t k = 0; k < count; k++)
		sum += a[k] * b[k * down];
	return sum;
}

/* ---- The naive loops. A naive loop loads all values from memory and stores all sums to memory,
 * because the compiler must assume that the pointers may alias. */

KERNEL_LOOP static void naive_k(const struct matmul_box *box)
{
	struct at at = first_line(box);

	for (int64_t line = 0; line < box->lines; line++, next_line(&at, box)) {
		const REAL *a = at.a, *b = at.b, *end = a + box->inner;
		REAL *c = at.c;

		for (; a < end; a++, b += box->row) {
			*c += *a * *b;
			KERNEL_KEEP(c);
		}
	}
}

/* The loops over j and i. naive: the loop loads all values from memory. If `naive` is false, a
 * register holds the value that is constant along a line. In the loop over k, the constant value is
 * the sum: columns_1 is this loop. */

KERNEL_BODY void along_rows(const struct matmul_box *box, const bool naive)
{
	struct at at = first_line(box);

	for (int64_t line = 0; line < box->lines; line++, next_line(&at, box)) {
		const REAL *a = at.a, *b = at.b;
		REAL *c = at.c, value = *a;
		int64_t n = box->inner;

		for (int64_t j = 0; j < n; j++) {
			REAL product = (naive ? *a : value) * b[j];

			if (!naive)
				KEEP(product);
			c[j] += product;
			if (naive)
				KERNEL_KEEP(a);
		}
	}
}

KERNEL_BODY void down_columns(const struct matmul_box *box, const bool naive)
{
	struct at at = first_line(box);
	int64_t row = box->row;

	for (int64_t line = 0; line < box->lines; line++, next_line(&at, box)) {
		const REAL *a = at.a, *b = at.b;
		REAL *c = at.c, value = *b;

		for (int64_t i = box->inner; i > 0; i--, a += row, c += row) {
			REAL product = *a * (naive ? *b : value);

			if (!naive)
				KEEP(product);
			*c += product;
			if (naive)
				KERNEL_KEEP(b);
		}
	}
}

KERNEL_CALLS(naive_j, const struct matmul_box, along_rows(walk, true))
KERNEL_CALLS(naive_i, const struct matmul_box, down_columns(walk, true))
KERNEL_CALLS(temporary_j, const struct matmul_box, along_rows(walk, false))
KERNEL_CALLS(temporary_i, const struct matmul_box, down_columns(walk, false))

/* ---- Dot products of a row of a and a column of b, with 1, 2, 4 or 8 independent sums */

KERNEL_BODY REAL total(const REAL *sum, const int sums)
{
	REAL four = sums < 4 ? sum[0] + sum[1] : (sum[0] + sum[1]) + (sum[2] + sum[3]);

	if (sums == 1)
		return sum[0];
	return sums < 8 ? four : four + ((sum[4] + sum[5]) + (sum[6] + sum[7]));
}

KERNEL_BODY void columns(const struct matmul_box *box, const int sums)
{
	struct at at = first_line(box);
	int64_t down = box->row, over = box->inner % sums;

	for (int64_t line = 0; line < box->lines; line++, next_line(&at, box)) {
		const REAL *a = at.a, *b = at.b, *end = a + box->inner - over;
		REAL sum[8] = { *at.c };

		for (; a < end; a += sums) {
			KERNEL_UNROLL
			for (int i = 0; i < sums; i++) {
				sum[i] += a[i] * b[i % 4 * down];
				KEEP(sum[i]);
				if (i == 3 && sums > 4) {
					b += 4 * down;
					KERNEL_KEEP(b);
				}
			}
			b += (sums < 4 ? sums : 4) * down;
		}
		*at.c = total(sum, sums);
		if (over)
			*at.c += rest(a, b, down, over);
	}
}

/* Computes dot products if the second matrix is transposed. If b is transposed, both operands lie
 * along rows. */
KERNEL_BODY void rows(const struct matmul_box *box, const int sums)
{
	struct at at = first_line(box);
	int64_t over = box->inner % sums, n = box->inner - over;

	for (int64_t line = 0; line < box->lines; line++, next_line(&at, box)) {
		const REAL *a = at.a, *b = at.b;
		REAL sum[8] = { *at.c };

		for (int64_t k = 0; k < n; k += sums) {
			KERNEL_UNROLL
			for (int i = 0; i < sums; i++) {
				sum[i] += a[k + i] * b[k + i];
				KEEP(sum[i]);
			}
		}
		*at.c = total(sum, sums);
		if (over)
			*at.c += rest(a + n, b + n, 1, over);
	}
}

#define DOT_PRODUCTS(sums)                                                         \
	KERNEL_CALLS(columns_##sums, const struct matmul_box, columns(walk, sums)) \
	KERNEL_CALLS(rows_##sums, const struct matmul_box, rows(walk, sums))
DOT_PRODUCTS(1)
DOT_PRODUCTS(2)
DOT_PRODUCTS(4)
DOT_PRODUCTS(8)

const struct matmul_loops LOOPS_OF_TYPE = {
	.naive = { [LOOP_I] = { naive_i, "down_columns" },
		[LOOP_J] = { naive_j, "along_rows" },
		[LOOP_K] = { naive_k, "naive_k" } },
	.temporary = { [LOOP_I] = { temporary_i, "down_columns" },
		[LOOP_J] = { temporary_j, "along_rows" } },
	.columns = { { columns_1, "columns" }, { columns_2, "columns" }, { columns_4, "columns" },
		{ columns_8, "columns" } },
	.rows = { { rows_1, "rows" }, { rows_2, "rows" }, { rows_4, "rows" }, { rows_8, "rows" } },
};
