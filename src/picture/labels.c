#include "picture/labels.h"

#include <math.h>
#include <stdlib.h>

#include "base/text.h"

bool box_overlaps(const struct box *a, const struct box *b)
{
	return a->x < b->x + b->width && b->x < a->x + a->width && a->y < b->y + b->height &&
	       b->y < a->y + a->height;
}

bool box_within(const struct box *inner, const struct box *outer)
{
	const double slack = 1e-6;

	return inner->x >= outer->x - slack && inner->y >= outer->y - slack &&
	       inner->x + inner->width <= outer->x + outer->width + slack &&
	       inner->y + inner->height <= outer->y + outer->height + slack;
}

/* Clips a line to the part whose coordinate (x or y) is within a range. Sets *in and *out to the
 * start and end of the line's remaining part, as shares of the line's length. */
static bool clip(double from, double step, double low, double high, double *in, double *out)
{
	double first, last;

	if (step == 0)
		return from > low && from < high;
	first = (low - from) / step;
	last = (high - from) / step;
	*in = fmax(*in, fmin(first, last));
	*out = fmin(*out, fmax(first, last));
	return *in < *out;
}

double box_crossed(const struct box *box, double x0, double y0, double x1, double y1)
{
	double in = 0, out = 1;

	if (!clip(x0, x1 - x0, box->x, box->x + box->width, &in, &out) ||
		!clip(y0, y1 - y0, box->y, box->y + box->height, &in, &out))
		return 0;
	return (out - in) * hypot(x1 - x0, y1 - y0);
}

/* ---- in a row ---- */

/* A run: neighbouring labels that touch each other and move together. */
struct run {
	int first, count;
	double size; /* sum of the items' sizes */
	double wish; /* sum of the positions at which the labels of the run would each make the run
			start */
	double start;
};

static double start_of(const struct run *run, double low, double high)
{
	double start = run->wish / run->count;

	if (start + run->size > high)
		start = high - run->size;
	return start < low ? low : start;
}

void labels_spread(struct labels_item *items, int count, double low, double high)
{
	struct run *runs = memory_new((size_t)count + 1, sizeof(*runs));
	int used = 0;

	for (int i = 0; i < count; i++) {
		struct run *run = &runs[used++];

		*run = (struct run){ i, 1, items[i].size, items[i].wanted - items[i].size / 2, 0 };
		run->start = start_of(run, low, high);
		while (used > 1 &&
			runs[used - 2].start + runs[used - 2].size > runs[used - 1].start) {
			struct run *before = &runs[used - 2], *last = &runs[used - 1];

			/* When two runs of labels join, add the wanted starts of the later labels,
			 * relative to the start of the joined run. */
			before->wish += last->wish - last->count * before->size;
			before->count += last->count;
			before->size += last->size;
			before->start = start_of(before, low, high);
			used--;
		}
	}
	for (int r = 0; r < used; r++) {
		double at = runs[r].start;

		for (int i = runs[r].first; i < runs[r].first + runs[r].count; i++) {
			items[i].at = at + items[i].size / 2;
			at += items[i].size;
		}
	}
	free(runs);
}

/* ---- next to lines ---- */

void labels_free(struct labels_field *field)
{
	free(field->line);
	free(field->box);
	*field = (struct labels_field){ 0 };
}

void labels_add_line(struct labels_field *field, double x0, double y0, double x1, double y1)
{
	field->line = memory_grow(field->line, (size_t)field->line_count, sizeof(*field->line));
	field->line[field->line_count++] = (struct labels_line){ x0, y0, x1, y1 };
}

void labels_add_box(struct labels_field *field, const struct box *box)
{
	field->box = memory_grow(field->box, (size_t)field->box_count, sizeof(*field->box));
	field->box[field->box_count++] = *box;
}

/* Returns the cost of a place for a label; INFINITY: the place is not allowed. */
static double cost_of(const struct labels_field *field, const struct box *box)
{
	double cost = 0;

	if (!box_within(box, &field->bounds))
		return INFINITY;
	for (int i = 0; i < field->box_count; i++)
		if (box_overlaps(box, &field->box[i]))
			return INFINITY;
	for (int i = 0; i < field->line_count; i++) {
		const struct labels_line *line = &field->line[i];

		cost += box_crossed(box, line->x0, line->y0, line->x1, line->y1);
	}
	return cost;
}

bool labels_beside(struct labels_field *field, double x0, double x1, double y, double width,
	double height, struct box *found)
{
	/* Candidate places for a label. Values of `along` are positions along the labelled stretch
	 * of a curve, as shares of the stretch's length. Values of `away` are distances above or
	 * below the curve, in heights of the label. */
	static const double along[] = { 0.5, 0.35, 0.65, 0.2, 0.8, 0, 1 },
			    away[] = { 0.3, 0.7, 1.2, 2, 3, 4.5 };
	double best = INFINITY, missing = width - (x1 - x0);

	/* If the label is longer than the labelled stretch of the curve, extend the stretch to the
	 * label's length. */
	if (missing > 0) {
		x0 -= missing / 2;
		x1 += missing / 2;
	}
	for (int below = 0; below < 2; below++)
		for (size_t i = 0; i < sizeof(along) / sizeof(along[0]); i++)
			for (size_t k = 0; k < sizeof(away) / sizeof(away[0]); k++) {
				struct box box = { x0 + along[i] * (x1 - x0) - width / 2, 0, width,
					height };
				double cost;

				if (box.x + width > field->bounds.x + field->bounds.width)
					box.x = field->bounds.x + field->bounds.width - width;
				box.x = fmax(box.x, field->bounds.x);
				box.y = below ? y + away[k] * height : y - (1 + away[k]) * height;
				/* A label farther from its curve has a lower cost than a label that
				 * covers a line. */
				cost = 3 * cost_of(field, &box) + 12 * away[k] + 8 * below +
				       10 * fabs(along[i] - 0.5);
				if (cost < best) {
					best = cost;
					*found = box;
				}
			}
	if (best == INFINITY)
		return false;
	labels_add_box(field, found);
	return true;
}
