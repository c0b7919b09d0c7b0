/* Compares two core models number by number. The ports of the models are compared by the cycles of
 * pairs of classes. */
#include "model/measured/measured.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "model/core/uarch_inside.h"
#include "model/measured/infer.h"

enum { NAMES = 1024 };

struct compare {
	const struct uarch *a, *b;
	struct model_difference *to;
	int most, count; /* most: room in the list `to`, in differences; count: number of
			    differences found between the two models, possibly more than `most` */
	int name_count;
	char name[NAMES][UARCH_NAME]; /* names of the classes that at least one model has, sorted */
};

/* A number of one model. If the core model does not state the number, value is UARCH_UNKNOWN. */
struct number {
	double value, spread;
};
#define NUMBER(of, field) ((struct number){ (of)->field, (of)->field##_spread })

/* Whether two numbers agree within their spreads and the error of a clock that uses no hardware
 * counters. */
static bool agrees(struct number a, struct number b, double least, double share)
{
	return fabs(a.value - b.value) <=
	       least + share * fmax(a.value, b.value) + 2 * (a.spread + b.spread);
}

__attribute__((format(printf, 6, 7))) static void add(struct compare *c, struct number a,
	struct number b, double least, double share, const char *format, ...)
{
	bool a_known = uarch_known(a.value), b_known = uarch_known(b.value);
	struct model_difference *to;
	va_list list;

	if ((!a_known && !b_known) || c->count++ >= c->most)
		return;
	to = &c->to[c->count - 1];
	*to = (struct model_difference){ .a = a_known ? a.value : NAN,
		.b = b_known ? b.value : NAN,
		.a_spread = a.spread,
		.b_spread = b.spread,
		.agrees = a_known && b_known && agrees(a, b, least, share) };
	va_start(list, format);
	vsnprintf(to->what, sizeof(to->what), format, list);
	va_end(list);
}

static int by_name(const void *a, const void *b)
{
	return strcmp(a, b);
}

static void list_names(struct compare *c)
{
	const struct uarch *const of[] = { c->a, c->b };
	int kept = 0;

	for (int k = 0; k < 2; k++)
		for (int i = 0; i < of[k]->class_count && c->name_count < NAMES; i++)
			memcpy(c->name[c->name_count++], of[k]->class[i].name, UARCH_NAME);
	qsort(c->name, (size_t)c->name_count, UARCH_NAME, by_name);
	for (int i = 0; i < c->name_count; i++)
		if (kept == 0 || strcmp(c->name[i], c->name[kept - 1]) != 0)
			memmove(c->name[kept++], c->name[i], UARCH_NAME);
	c->name_count = kept;
}

/* Stands for an instruction class that one of the compared core models lacks. */
static const struct uarch_class unlisted = {
	.latency = UARCH_UNKNOWN, .accumulate = UARCH_UNKNOWN, .each = UARCH_UNKNOWN
};

/* Returns the class called `name`. If `uarch` is model b, the second of the compared core models,
 * and lacks the class, returns its fallback class. For model a, the first of the compared core
 * models, no fallback class is used, because a fallback says nothing about the class itself. */
static const struct uarch_class *find(
	const struct compare *c, const struct uarch *uarch, const char *name)
{
	const struct uarch_class *class = uarch_find(uarch, name, 0);
	const char *dot = strchr(name, '.');
	unsigned bits = dot ? (unsigned)atoi(dot + 1) : 0;
	char base[UARCH_NAME];
	int number = ops_class_find(uarch->ops, name);

	if (uarch == c->a)
		return class ? class : &unlisted;
	snprintf(base, sizeof(base), "%.*s", (int)strcspn(name, "."), name);
	class = uarch_find(uarch, base, bits);
	for (; !class && number >= 0; number = uarch->ops->classes[number]->fallback)
		class = uarch_find(uarch, uarch->ops->classes[number]->name, bits);
	return class ? class : &unlisted;
}

/* Returns the number of caps (largest numbers of operations per cycle) that count a memory access
 * of the class called `name`. A cap, a largest number of operations per cycle, may count all
 * accesses, accesses of vectors, or accesses of 512 bits. */
static int access_caps(const char *name)
{
	return name[0] != 'v' ? 1 : strstr(name, ".512") ? 3 : 2;
}

/* Returns the cycles of times[i] instructions of each class, run together, without the memory
 * accesses that they make in addition. Returns UARCH_UNKNOWN if the micro-ops of an instruction
 * class are unknown. */
static double cycles_of(const struct uarch *uarch, const struct uarch_class *const *classes,
	const double *times, int count)
{
	struct port_load load[4 * UARCH_TERMS];
	double slots = 0, uses[UARCH_FACTS] = { 0 },
	       most; /* uses: number of accesses that count towards each cap, a largest number per
			cycle */
	int loads = 0;

	for (int i = 0; i < count; i++) {
		const struct uarch_class *one = classes[i];

		if (!one->executes)
			return UARCH_UNKNOWN;
		slots += times[i] * one->slots;
		for (int t = 0; t < one->term_count; t++)
			if (one->term[t].ports)
				load[loads++] = (struct port_load){ one->term[t].ports,
					times[i] * (double)one->term[t].count *
						(double)one->term[t].cycles };
		if (strcmp(one->name, "taken") == 0 || strcmp(one->name, "jump") == 0)
			uses[CAP_TAKEN] += times[i];
		if (!infer_is_memory(one->name))
			continue;
		for (int k = 0; k < access_caps(one->name); k++)
			uses[(strstr(one->name, "store") ? CAP_STORES : CAP_LOADS) + k] += times[i];
		uses[CAP_MEMORY] += times[i];
	}
	most = infer_bound(load, loads);
	if (uarch_known(uarch->width))
		most = fmax(most, slots / uarch->width);
	for (int fact = 0; fact < UARCH_FACTS; fact++)
		if (uses[fact] > 0 && uarch_known(uarch->fact[fact]))
			most = fmax(most, uses[fact] / uarch->fact[fact]);
	return most > 0 ? most : UARCH_UNKNOWN;
}

/* Returns the reciprocal throughput of a class: the value in the core file, or a value computed
 * from the ports. */
static struct number each_of(const struct uarch *uarch, const struct uarch_class *class)
{
	const double once = 1;

	if (uarch_known(class->each))
		return NUMBER(class, each);
	return (struct number){ cycles_of(uarch, &class, &once, 1), 0 };
}

static bool has_access(const char *name)
{
	size_t length = strcspn(name, ".");

	return (length > 5 && memcmp(name + length - 5, "-load", 5) == 0) ||
	       (length > 6 && memcmp(name + length - 6, "-store", 6) == 0) ||
	       strncmp(name, "modify", 6) == 0 || strncmp(name, "gather", 6) == 0 ||
	       strncmp(name, "scatter", 7) == 0;
}

/* Returns the latency from the operand through which the chain of the other core's class was
 * measured, if the latencies from two operands differ: the one nearer to the other core's. */
static struct number latency_of(const struct uarch_class *class, double other)
{
	return class->late > 0 && fabs(class->late - other) < fabs(class->latency - other)
		       ? (struct number){ class->late, 0 }
		       : NUMBER(class, latency);
}

static void compare_class(struct compare *c, const char *name)
{
	const struct uarch_class *a = find(c, c->a, name), *b = find(c, c->b, name);

	add(c, latency_of(a, b->latency), latency_of(b, a->latency), 0.05, 0.01, "latency of %s",
		name);
	add(c, NUMBER(a, accumulate), NUMBER(b, accumulate), 0.05, 0.01, "accumulate of %s", name);
	if (!has_access(name))
		add(c, each_of(c->a, a), each_of(c->b, b), 0, 0.03, "reciprocal throughput of %s",
			name);
}

static void compare_cache(struct compare *c, int level)
{
	static const struct uarch_cache none = {
		.bytes = UARCH_UNKNOWN, .latency = UARCH_UNKNOWN, .lines = UARCH_UNKNOWN
	};
	const struct uarch_cache *a = uarch_cache(c->a, level), *b = uarch_cache(c->b, level);

	a = a ? a : &none;
	b = b ? b : &none;
	add(c, NUMBER(a, bytes), NUMBER(b, bytes), 0, 0.05, "cache %d bytes", level);
	add(c, NUMBER(a, latency), NUMBER(b, latency), 0.05, 0.02, "cache %d latency", level);
	add(c, NUMBER(a, lines), NUMBER(b, lines), 0, 0.05, "cache %d lines", level);
}

static void compare_numbers(struct compare *c)
{
	for (int i = 0; i < UARCH_FACTS; i++) {
		bool size = i < SIZE_COUNT;
		double least = size ? 1 : i >= EXTRA_SCALED_INDEX ? 0.1 : 0;

		add(c, (struct number){ c->a->fact[i], c->a->fact_spread[i] },
			(struct number){ c->b->fact[i], c->b->fact_spread[i] }, least,
			size ? 0.01 : 0.03, "%s", uarch_fact_words[i]);
	}
	for (int level = 1; level <= 2; level++)
		compare_cache(c, level);
}

static struct number chain_of(const struct uarch *uarch, const struct uarch_chain *chain)
{
	for (int i = 0; i < uarch->chain_count; i++)
		if (strcmp(uarch->chain[i].producer, chain->producer) == 0 &&
			strcmp(uarch->chain[i].consumer, chain->consumer) == 0)
			return (struct number){ uarch->chain[i].latency, uarch->chain[i].spread };
	return (struct number){ UARCH_UNKNOWN, 0 };
}

/* Compares the `chain` rows (latencies between two classes) of the first core model, or those rows
 * that only the second core model has. */
static void compare_chains(struct compare *c, const struct uarch *of)
{
	for (int i = 0; i < of->chain_count; i++) {
		const struct uarch_chain *chain = &of->chain[i];
		struct number a = chain_of(c->a, chain);

		if (of == c->a || !uarch_known(a.value))
			add(c, a, chain_of(c->b, chain), 0.05, 0.01, "chain %.23s %.23s",
				chain->producer, chain->consumer);
	}
}

/* ---- Comparison of pairs of classes */

/* A mix of two classes in which each class needs about the same time, and the cycles of the mix in
 * both models. */
struct pair {
	double times[2], cycles[2];
	double apart; /* absolute logarithm of the ratio of the cycles in both models; 0: a model
			 does not know the cycles */
};

static struct pair pair_of(const struct compare *c, const char *first, const char *second)
{
	const struct uarch_class *a[] = { find(c, c->a, first), find(c, c->a, second) },
				 *b[] = { find(c, c->b, first), find(c, c->b, second) };
	double one = each_of(c->a, a[0]).value, two = each_of(c->a, a[1]).value;
	struct pair pair = { .times = { fmax(1, round(fmax(two, 1) / one)),
				     fmax(1, round(fmax(one, 1) / two)) } };

	if (has_access(first) || has_access(second) || one <= 0 || two <= 0)
		return pair;
	pair.cycles[0] = cycles_of(c->a, a, pair.times, 2);
	pair.cycles[1] = cycles_of(c->b, b, pair.times, 2);
	if (uarch_known(pair.cycles[0]) && uarch_known(pair.cycles[1]))
		pair.apart = fabs(log(pair.cycles[0] / pair.cycles[1]));
	return pair;
}

/* Whether both models agree about an instruction class alone. If the models disagree, the
 * difference is already reported, so pairs of the class are not compared. */
static bool alone_agrees(const struct compare *c, const char *name)
{
	struct number a = each_of(c->a, find(c, c->a, name));
	struct number b = each_of(c->b, find(c, c->b, name));

	return uarch_known(a.value) && uarch_known(b.value) && agrees(a, b, 0, 0.05);
}

static int worse_first(const void *a, const void *b)
{
	const struct model_difference *x = a, *y = b;
	double left = fabs(log(x->a / x->b)), right = fabs(log(y->a / y->b));

	return left > right ? -1 : left < right;
}

/* Finds pairs of classes for which the models agree on each class alone, but differ on the cycles
 * of both classes together. The caller frees the returned table of pairs of classes. */
static bool *different_pairs(const struct compare *c)
{
	int n = c->name_count;
	bool *differs = memory_new((size_t)n * (size_t)n, sizeof(*differs)),
	     *good = memory_new((size_t)n, sizeof(*good));

	for (int i = 0; i < n; i++) {
		good[i] = alone_agrees(c, c->name[i]);
		for (int k = 0; k < i && good[i]; k++)
			differs[i * n + k] = differs[k * n + i] =
				good[k] && pair_of(c, c->name[k], c->name[i]).apart > log(1 / 0.95);
	}
	free(good);
	return differs;
}

/* If a class has different ports in both models, its pairs with many other classes differ.
 * compare_pairs() reports each class with different ports once, with the pair that differs most. */
static void compare_pairs(struct compare *c)
{
	int n = c->name_count, first = c->count, written;
	bool *differs = different_pairs(c);

	for (;;) {
		int worst = -1, most = 0, other = 0;
		struct pair widest = { .apart = 0 };

		for (int i = 0; i < n; i++) {
			int count = 0;

			for (int k = 0; k < n; k++)
				count += differs[i * n + k];
			if (count > most) {
				most = count;
				worst = i;
			}
		}
		if (worst < 0)
			break;
		for (int k = 0; k < n; k++) {
			struct pair pair;

			if (!differs[worst * n + k])
				continue;
			differs[worst * n + k] = differs[k * n + worst] = false;
			pair = pair_of(c, c->name[worst], c->name[k]);
			if (pair.apart > widest.apart) {
				other = k;
				widest = pair;
			}
		}
		if (widest.apart > 0)
			add(c, (struct number){ widest.cycles[0], 0 },
				(struct number){ widest.cycles[1], 0 }, 0, 0.05, "%g %s and %g %s",
				widest.times[0], c->name[worst], widest.times[1], c->name[other]);
	}
	written = c->count < c->most ? c->count : c->most;
	if (first < written)
		qsort(c->to + first, (size_t)(written - first), sizeof(*c->to), worse_first);
	free(differs);
}

int model_differences(
	const struct uarch *a, const struct uarch *b, struct model_difference *difference, int most)
{
	struct compare *c = memory_new(1, sizeof(*c));
	int count;

	*c = (struct compare){ .a = a, .b = b, .to = difference, .most = most };
	list_names(c);
	add(c, NUMBER(a, width), NUMBER(b, width), 0, 0.03, "width");
	for (int i = 0; i < c->name_count; i++)
		compare_class(c, c->name[i]);
	compare_chains(c, a);
	compare_chains(c, b);
	compare_numbers(c);
	compare_pairs(c);
	count = c->count;
	free(c);
	return count;
}
