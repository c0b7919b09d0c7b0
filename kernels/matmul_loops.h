/* The loops of matmul, for elements of type REAL: kernels/matmul_f32.c and kernels/matmul_f64.c are
 * this file, each with its own.
 *
 * Every order of the three loops has one of three innermost ones: over k a dot product, over j
 * along rows, over i down columns. The two loops around it are the same for all, and are in the
 * box (kernels/matmul.h) as steps from line to line. */
#pragma once

#include "kernels/matmul.h"

/* A value that is in a register at this point, computed as written: neither vectors nor other
 * orders of adding. */
#define KEEP(x) KERNEL_KEEP_FLOAT(x)

/* Where a line begins. */
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

/* The end of a dot product that is no whole number of turns. */
static __attribute__((noinline, KERNEL_UNWATCHED)) REAL rest(
	const REAL *a, const REAL *b, int64_t down, int64_t count)
{
	REAL sum = 0;

	for (int64_t k = 0; k < count; k++)
		sum += a[k] * b[k * down];
	return sum;
}

/* ---- As written: every value from memory, every sum back into it. The pointers may lead to the
 * same elements, as far as a compiler knows. */

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

KERNEL_LOOP static void naive_j(const struct matmul_box *box)
{
	struct at at = first_line(box);

	for (int64_t line = 0; line < box->lines; line++, next_line(&at, box)) {
		const REAL *a = at.a, *b = at.b;
		REAL *c = at.c;
		int64_t n = box->inner;

		for (int64_t j = 0; j < n; j++) {
			c[j] += *a * b[j];
			KERNEL_KEEP(a);
		}
	}
}

KERNEL_LOOP static void naive_i(const struct matmul_box *box)
{
	struct at at = first_line(box);
	int64_t row = box->row;

	for (int64_t line = 0; line < box->lines; line++, next_line(&at, box)) {
		const REAL *a = at.a, *b = at.b;
		REAL *c = at.c;

		for (int64_t i = box->inner; i > 0; i--, a += row, c += row) {
			*c += *a * *b;
			KERNEL_KEEP(b);
		}
	}
}

/* ---- What stays the same along a line is in a register. Over k that is the sum: columns_1. */

KERNEL_LOOP static void temporary_j(const struct matmul_box *box)
{
	struct at at = first_line(box);

	for (int64_t line = 0; line < box->lines; line++, next_line(&at, box)) {
		const REAL *b = at.b;
		REAL *c = at.c, a = *at.a;
		int64_t n = box->inner;

		for (int64_t j = 0; j < n; j++) {
			REAL product = a * b[j];

			KEEP(product);
			c[j] += product;
		}
	}
}

KERNEL_LOOP static void temporary_i(const struct matmul_box *box)
{
	struct at at = first_line(box);
	int64_t row = box->row;

	for (int64_t line = 0; line < box->lines; line++, next_line(&at, box)) {
		const REAL *a = at.a;
		REAL *c = at.c, b = *at.b;

		for (int64_t i = box->inner; i > 0; i--, a += row, c += row) {
			REAL product = b * *a;

			KEEP(product);
			*c += product;
		}
	}
}

/* ---- Dot products of a row of a and a column of b, with 1, 2, 4 or 8 sums side by side */

KERNEL_LOOP static void columns_1(const struct matmul_box *box)
{
	struct at at = first_line(box);
	int64_t down = box->row;

	for (int64_t line = 0; line < box->lines; line++, next_line(&at, box)) {
		const REAL *a = at.a, *b = at.b, *end = a + box->inner;
		REAL sum = *at.c;

		for (; a < end; a++, b += down) {
			sum += *a * *b;
			KEEP(sum);
		}
		*at.c = sum;
	}
}

KERNEL_LOOP static void columns_2(const struct matmul_box *box)
{
	struct at at = first_line(box);
	int64_t down = box->row, over = box->inner % 2;

	for (int64_t line = 0; line < box->lines; line++, next_line(&at, box)) {
		const REAL *a = at.a, *b = at.b, *end = a + box->inner - over;
		REAL sum0 = *at.c, sum1 = 0;

		for (; a < end; a += 2, b += 2 * down) {
			sum0 += a[0] * b[0];
			KEEP(sum0);
			sum1 += a[1] * b[down];
			KEEP(sum1);
		}
		*at.c = sum0 + sum1;
		if (over)
			*at.c += rest(a, b, down, over);
	}
}

KERNEL_LOOP static void columns_4(const struct matmul_box *box)
{
	struct at at = first_line(box);
	int64_t down = box->row, over = box->inner % 4;

	for (int64_t line = 0; line < box->lines; line++, next_line(&at, box)) {
		const REAL *a = at.a, *b = at.b, *end = a + box->inner - over;
		REAL sum0 = *at.c, sum1 = 0, sum2 = 0, sum3 = 0;

		for (; a < end; a += 4, b += 4 * down) {
			sum0 += a[0] * b[0];
			KEEP(sum0);
			sum1 += a[1] * b[down];
			KEEP(sum1);
			sum2 += a[2] * b[2 * down];
			KEEP(sum2);
			sum3 += a[3] * b[3 * down];
			KEEP(sum3);
		}
		*at.c = (sum0 + sum1) + (sum2 + sum3);
		if (over)
			*at.c += rest(a, b, down, over);
	}
}

KERNEL_LOOP static void columns_8(const struct matmul_box *box)
{
	struct at at = first_line(box);
	int64_t down = box->row, over = box->inner % 8;

	for (int64_t line = 0; line < box->lines; line++, next_line(&at, box)) {
		const REAL *a = at.a, *b = at.b, *end = a + box->inner - over;
		REAL sum0 = *at.c, sum1 = 0, sum2 = 0, sum3 = 0, sum4 = 0, sum5 = 0, sum6 = 0,
		     sum7 = 0;

		for (; a < end; a += 8) {
			sum0 += a[0] * b[0];
			KEEP(sum0);
			sum1 += a[1] * b[down];
			KEEP(sum1);
			sum2 += a[2] * b[2 * down];
			KEEP(sum2);
			sum3 += a[3] * b[3 * down];
			KEEP(sum3);
			b += 4 * down;
			KERNEL_KEEP(b);
			sum4 += a[4] * b[0];
			KEEP(sum4);
			sum5 += a[5] * b[down];
			KEEP(sum5);
			sum6 += a[6] * b[2 * down];
			KEEP(sum6);
			sum7 += a[7] * b[3 * down];
			KEEP(sum7);
			b += 4 * down;
		}
		*at.c = ((sum0 + sum1) + (sum2 + sum3)) + ((sum4 + sum5) + (sum6 + sum7));
		if (over)
			*at.c += rest(a, b, down, over);
	}
}

/* ---- The same where the second matrix is transposed: both along rows */

KERNEL_LOOP static void rows_1(const struct matmul_box *box)
{
	struct at at = first_line(box);

	for (int64_t line = 0; line < box->lines; line++, next_line(&at, box)) {
		const REAL *a = at.a, *b = at.b;
		REAL sum = *at.c;
		int64_t n = box->inner;

		for (int64_t k = 0; k < n; k++) {
			sum += a[k] * b[k];
			KEEP(sum);
		}
		*at.c = sum;
	}
}

KERNEL_LOOP static void rows_2(const struct matmul_box *box)
{
	struct at at = first_line(box);
	int64_t over = box->inner % 2, n = box->inner - over;

	for (int64_t line = 0; line < box->lines; line++, next_line(&at, box)) {
		const REAL *a = at.a, *b = at.b;
		REAL sum0 = *at.c, sum1 = 0;

		for (int64_t k = 0; k < n; k += 2) {
			sum0 += a[k] * b[k];
			KEEP(sum0);
			sum1 += a[k + 1] * b[k + 1];
			KEEP(sum1);
		}
		*at.c = sum0 + sum1;
		if (over)
			*at.c += rest(a + n, b + n, 1, over);
	}
}

KERNEL_LOOP static void rows_4(const struct matmul_box *box)
{
	struct at at = first_line(box);
	int64_t over = box->inner % 4, n = box->inner - over;

	for (int64_t line = 0; line < box->lines; line++, next_line(&at, box)) {
		const REAL *a = at.a, *b = at.b;
		REAL sum0 = *at.c, sum1 = 0, sum2 = 0, sum3 = 0;

		for (int64_t k = 0; k < n; k += 4) {
			sum0 += a[k] * b[k];
			KEEP(sum0);
			sum1 += a[k + 1] * b[k + 1];
			KEEP(sum1);
			sum2 += a[k + 2] * b[k + 2];
			KEEP(sum2);
			sum3 += a[k + 3] * b[k + 3];
			KEEP(sum3);
		}
		*at.c = (sum0 + sum1) + (sum2 + sum3);
		if (over)
			*at.c += rest(a + n, b + n, 1, over);
	}
}

KERNEL_LOOP static void rows_8(const struct matmul_box *box)
{
	struct at at = first_line(box);
	int64_t over = box->inner % 8, n = box->inner - over;

	for (int64_t line = 0; line < box->lines; line++, next_line(&at, box)) {
		const REAL *a = at.a, *b = at.b;
		REAL sum0 = *at.c, sum1 = 0, sum2 = 0, sum3 = 0, sum4 = 0, sum5 = 0, sum6 = 0,
		     sum7 = 0;

		for (int64_t k = 0; k < n; k += 8) {
			sum0 += a[k] * b[k];
			KEEP(sum0);
			sum1 += a[k + 1] * b[k + 1];
			KEEP(sum1);
			sum2 += a[k + 2] * b[k + 2];
			KEEP(sum2);
			sum3 += a[k + 3] * b[k + 3];
			KEEP(sum3);
			sum4 += a[k + 4] * b[k + 4];
			KEEP(sum4);
			sum5 += a[k + 5] * b[k + 5];
			KEEP(sum5);
			sum6 += a[k + 6] * b[k + 6];
			KEEP(sum6);
			sum7 += a[k + 7] * b[k + 7];
			KEEP(sum7);
		}
		*at.c = ((sum0 + sum1) + (sum2 + sum3)) + ((sum4 + sum5) + (sum6 + sum7));
		if (over)
			*at.c += rest(a + n, b + n, 1, over);
	}
}

const struct matmul_loops LOOPS_OF_TYPE = {
	.naive = { [LOOP_I] = naive_i, [LOOP_J] = naive_j, [LOOP_K] = naive_k },
	.temporary = { [LOOP_I] = temporary_i, [LOOP_J] = temporary_j, [LOOP_K] = columns_1 },
	.columns = { columns_1, columns_2, columns_4, columns_8 },
	.rows = { rows_1, rows_2, rows_4, rows_8 },
};
