/* Compares two core models, number by number, and their ports by the time that pairs of classes
 * take. */
#include "model/measured/measured.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "model/core/uarch_inside.h"
#include "model/measured/infer.h"

enum { NAMES = 1024 };

struct compare {
	const struct uarch *a, *b;
	struct model_difference *to;
	int most, count; /* room in `to`; differences found, which can be more */
	int name_count;
	char name[NAMES][UARCH_NAME]; /* classes of both models, sorted */
};

/* A number of one model; value UARCH_UNKNOWN: the model does not know it. */
struct number {
	double value, spread;
};

/* Whether two numbers agree within their spreads and the error of a clock without counters. */
static bool agrees(struct number a, struct number b, double least, double share)
{
	return fabs(a.value - b.value) <=
	       least + share * fmax(a.value, b.value) + 2 * (a.spread + b.spread);
}

static void add(struct compare *c, const char *what, struct number a, struct number b, double least,
	double share)
{
	bool a_known = uarch_known(a.value), b_known = uarch_known(b.value);

	if ((!a_known && !b_known) || c->count++ >= c->most)
		return;
	c->to[c->count - 1] = (struct model_difference){ .a = a_known ? a.value : NAN,
		.b = b_known ? b.value : NAN,
		.a_spread = a.spread,
		.b_spread = b.spread,
		.agrees = a_known && b_known && agrees(a, b, least, share) };
	snprintf(c->to[c->count - 1].what, sizeof(c->to->what), "%s", what);
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

/* Whether model a has its own line for a class. A stand-in says nothing about the class. */
static bool is_listed(const struct compare *c, const char *name)
{
	const struct uarch_class *class = uarch_find(c->a, name, 0);

	return class && strcmp(class->name, name) == 0;
}

/* The class of a name, or its stand-in; for model a only its own. */
static const struct uarch_class *find(
	const struct compare *c, const struct uarch *uarch, const char *name)
{
	const char *dot = strchr(name, '.');
	unsigned bits = dot ? (unsigned)atoi(dot + 1) : 0;
	char base[UARCH_NAME];

	if (!is_listed(c, name) && uarch == c->a)
		return NULL;
	snprintf(base, sizeof(base), "%.*s", (int)(dot ? dot - name : (long)strlen(name)), name);
	for (int number = ops_class_find(uarch->ops, base);;
		number = ops_fallback(uarch->ops, number)) {
		const struct uarch_class *class =
			uarch_find(uarch, number < 0 ? base : ops_class(uarch->ops, number), bits);

		if (class || number < 0)
			return class;
	}
}

static int access_kind(const char *name)
{
	size_t length = strlen(name);

	return name[0] != 'v' ? 0 : length > 4 && strcmp(name + length - 4, ".512") == 0 ? 2 : 1;
}

/* Cycles of `times` instructions of each class together, without the accesses of operations;
 * UARCH_UNKNOWN. */
static double cycles_of(const struct uarch *uarch, const struct uarch_class *const *classes,
	const double *times, int count)
{
	static const enum uarch_fact load_cap[] = { CAP_LOADS, CAP_LOADS_VECTOR, CAP_LOADS_512 },
				     store_cap[] = { CAP_STORES, CAP_STORES_VECTOR,
					     CAP_STORES_512 };
	struct port_load load[4 * UARCH_TERMS];
	double slots = 0, accesses[2][3] = { 0 }, memory = 0, taken = 0, most;
	int loads = 0;

	for (int i = 0; i < count; i++) {
		const struct uarch_class *one = classes[i];
		bool store;

		if (!one || !one->executes)
			return UARCH_UNKNOWN;
		slots += times[i] * one->slots;
		for (int t = 0; t < one->term_count; t++)
			if (one->term[t].ports)
				load[loads++] = (struct port_load){ one->term[t].ports,
					times[i] * (double)one->term[t].count *
						(double)one->term[t].cycles };
		if (strcmp(one->name, "taken") == 0 || strcmp(one->name, "jump") == 0)
			taken += times[i];
		if (!infer_is_memory(one->name))
			continue;
		store = strncmp(one->name, "store", 5) == 0 || strncmp(one->name, "vstore", 6) == 0;
		for (int kind = 0; kind <= access_kind(one->name); kind++)
			accesses[store][kind] += times[i];
		memory += times[i];
	}
	most = infer_bound(load, loads);
	if (uarch_known(uarch->width))
		most = fmax(most, slots / uarch->width);
	for (int kind = 0; kind < 3; kind++) {
		if (uarch_known(uarch->fact[load_cap[kind]]))
			most = fmax(most, accesses[0][kind] / uarch->fact[load_cap[kind]]);
		if (uarch_known(uarch->fact[store_cap[kind]]))
			most = fmax(most, accesses[1][kind] / uarch->fact[store_cap[kind]]);
	}
	if (uarch_known(uarch->fact[CAP_MEMORY]))
		most = fmax(most, memory / uarch->fact[CAP_MEMORY]);
	if (uarch_known(uarch->fact[CAP_TAKEN]))
		most = fmax(most, taken / uarch->fact[CAP_TAKEN]);
	return most > 0 ? most : UARCH_UNKNOWN;
}

/* The reciprocal throughput that the file states, or that follows from the ports. For a class with
 * memory accesses only the stated one is comparable. */
static struct number each_of(const struct uarch *uarch, const struct uarch_class *class)
{
	const double once = 1;

	if (!class)
		return (struct number){ UARCH_UNKNOWN, 0 };
	if (uarch_known(class->each))
		return (struct number){ class->each, class->each_spread };
	return (struct number){ cycles_of(uarch, &class, &once, 1), 0 };
}

static struct number latency_of(const struct uarch_class *class)
{
	return class ? (struct number){ class->latency, class->latency_spread }
		     : (struct number){ UARCH_UNKNOWN, 0 };
}

static struct number accumulate_of(const struct uarch_class *class)
{
	return class ? (struct number){ class->accumulate, class->accumulate_spread }
		     : (struct number){ UARCH_UNKNOWN, 0 };
}

static bool has_access(const char *name)
{
	size_t length = strcspn(name, ".");

	return (length > 5 && memcmp(name + length - 5, "-load", 5) == 0) ||
	       (length > 6 && memcmp(name + length - 6, "-store", 6) == 0) ||
	       strncmp(name, "modify", 6) == 0;
}

static void compare_class(struct compare *c, const char *name)
{
	const struct uarch_class *a = find(c, c->a, name), *b = find(c, c->b, name);
	char what[64];

	snprintf(what, sizeof(what), "latency of %s", name);
	add(c, what, latency_of(a), latency_of(b), 0.05, 0.01);
	snprintf(what, sizeof(what), "accumulate of %s", name);
	add(c, what, accumulate_of(a), accumulate_of(b), 0.05, 0.01);
	snprintf(what, sizeof(what), "each %s", name);
	if (!has_access(name))
		add(c, what, each_of(c->a, a), each_of(c->b, b), 0, 0.03);
}

static void compare_caches(struct compare *c, int level)
{
	static const struct uarch_cache none = {
		.bytes = UARCH_UNKNOWN, .latency = UARCH_UNKNOWN, .lines = UARCH_UNKNOWN
	};
	const struct uarch_cache *a = uarch_cache(c->a, level), *b = uarch_cache(c->b, level);
	char what[64];

	a = a ? a : &none;
	b = b ? b : &none;
	snprintf(what, sizeof(what), "cache %d bytes", level);
	add(c, what, (struct number){ a->bytes, a->bytes_spread },
		(struct number){ b->bytes, b->bytes_spread }, 0, 0.05);
	snprintf(what, sizeof(what), "cache %d latency", level);
	add(c, what, (struct number){ a->latency, a->latency_spread },
		(struct number){ b->latency, b->latency_spread }, 0.05, 0.02);
	snprintf(what, sizeof(what), "cache %d lines", level);
	add(c, what, (struct number){ a->lines, a->lines_spread },
		(struct number){ b->lines, b->lines_spread }, 0, 0.05);
}

static void compare_numbers(struct compare *c)
{
	for (int i = 0; i < UARCH_FACTS; i++) {
		bool size = i < SIZE_COUNT;

		add(c, uarch_fact_name((enum uarch_fact)i),
			(struct number){ c->a->fact[i], c->a->fact_spread[i] },
			(struct number){ c->b->fact[i], c->b->fact_spread[i] },
			size			  ? 1
			: i >= EXTRA_SCALED_INDEX ? 0.1
						  : 0,
			size ? 0.01 : 0.03);
	}
	compare_caches(c, 1);
	compare_caches(c, 2);
}

static struct number chain_of(const struct uarch *uarch, const struct uarch_chain *chain)
{
	for (int i = 0; i < uarch->chain_count; i++)
		if (strcmp(uarch->chain[i].producer, chain->producer) == 0 &&
			strcmp(uarch->chain[i].consumer, chain->consumer) == 0)
			return (struct number){ uarch->chain[i].latency, uarch->chain[i].spread };
	return (struct number){ UARCH_UNKNOWN, 0 };
}

static void compare_chains(struct compare *c)
{
	for (int k = 0; k < 2; k++) {
		const struct uarch *of = k ? c->b : c->a;

		for (int i = 0; i < of->chain_count; i++) {
			const struct uarch_chain *chain = &of->chain[i];
			struct number a = chain_of(c->a, chain);
			char what[64];

			if (k && uarch_known(a.value))
				continue;
			snprintf(what, sizeof(what), "chain %.23s %.23s", chain->producer,
				chain->consumer);
			add(c, what, a, chain_of(c->b, chain), 0.05, 0.01);
		}
	}
}

/* ---- pairs */

/* Cycles of two classes in numbers that take about as long each, by both models; false: one model
 * does not know. */
static bool pair_of(const struct compare *c, const char *first, const char *second, double times[2],
	double cycles[2])
{
	const struct uarch_class *a[] = { find(c, c->a, first), find(c, c->a, second) },
				 *b[] = { find(c, c->b, first), find(c, c->b, second) };
	double each[2];

	if (has_access(first) || has_access(second))
		return false;
	for (int i = 0; i < 2; i++) {
		each[i] = each_of(c->a, a[i]).value;
		if (!uarch_known(each[i]) || each[i] <= 0)
			return false;
	}
	times[0] = fmax(1, round(fmax(each[1], 1) / each[0]));
	times[1] = fmax(1, round(fmax(each[0], 1) / each[1]));
	cycles[0] = cycles_of(c->a, a, times, 2);
	cycles[1] = cycles_of(c->b, b, times, 2);
	return uarch_known(cycles[0]) && uarch_known(cycles[1]);
}

/* Whether both models agree about the class alone. A disagreement is already reported, so its pairs
 * are not compared. */
static bool alone_agrees(const struct compare *c, const char *name)
{
	struct number a = each_of(c->a, find(c, c->a, name)),
		      b = each_of(c->b, find(c, c->b, name));

	return uarch_known(a.value) && uarch_known(b.value) && agrees(a, b, 0, 0.05);
}

/* Whether two times of a pair agree. */
static bool cycles_agree(const double cycles[2])
{
	return agrees((struct number){ cycles[0], 0 }, (struct number){ cycles[1], 0 }, 0, 0.05);
}

static int worse_first(const void *a, const void *b)
{
	const struct model_difference *x = a, *y = b;
	double left = fabs(log(x->a / x->b)), right = fabs(log(y->a / y->b));

	return left > right ? -1 : left < right;
}

/* For each pair of classes that agree alone: 0 not compared, 1 agrees, 2 differs. */
static unsigned char *judge_pairs(struct compare *c, struct model_pairs *pairs)
{
	int n = c->name_count;
	unsigned char *judged = memory_new((size_t)n * (size_t)n + 1, 1);
	bool *good = memory_new((size_t)n + 1, sizeof(*good));

	for (int i = 0; i < n; i++) {
		good[i] = find(c, c->a, c->name[i]) && find(c, c->b, c->name[i]) &&
			  alone_agrees(c, c->name[i]);
		for (int k = 0; k < i && good[i]; k++) {
			double times[2], cycles[2];

			if (!good[k] || !pair_of(c, c->name[k], c->name[i], times, cycles))
				continue;
			judged[i * n + k] = judged[k * n + i] = cycles_agree(cycles) ? 1 : 2;
			pairs->pairs++;
			pairs->agree += judged[i * n + k] == 1;
		}
	}
	free(good);
	return judged;
}

/* A class with different ports differs next to many others. Reports it once, with the pair that
 * differs most. */
static void compare_pairs(struct compare *c, struct model_pairs *pairs)
{
	int n = c->name_count, first = c->count;
	unsigned char *judged = judge_pairs(c, pairs);

	for (;;) {
		int worst = -1, most = 0, other = -1;
		double off = 0, times[2], cycles[2];
		char what[80];

		for (int i = 0; i < n; i++) {
			int count = 0;

			for (int k = 0; k < n; k++)
				count += judged[i * n + k] == 2;
			if (count > most) {
				most = count;
				worst = i;
			}
		}
		if (worst < 0)
			break;
		for (int k = 0; k < n; k++) {
			if (judged[worst * n + k] == 2 &&
				pair_of(c, c->name[worst], c->name[k], times, cycles) &&
				fabs(log(cycles[0] / cycles[1])) > off) {
				off = fabs(log(cycles[0] / cycles[1]));
				other = k;
			}
			judged[worst * n + k] = judged[k * n + worst] = 0;
		}
		if (other < 0 || !pair_of(c, c->name[worst], c->name[other], times, cycles))
			continue;
		snprintf(what, sizeof(what), "%g %s and %g %s", times[0], c->name[worst], times[1],
			c->name[other]);
		add(c, what, (struct number){ cycles[0], 0 }, (struct number){ cycles[1], 0 }, 0,
			0.05);
	}
	if (first < c->most)
		qsort(c->to + first, (size_t)((c->count < c->most ? c->count : c->most) - first),
			sizeof(*c->to), worse_first);
	free(judged);
}

int model_differences(
	const struct uarch *a, const struct uarch *b, struct model_difference *difference, int most)
{
	struct compare *c = memory_new(1, sizeof(*c));
	struct model_pairs pairs = { 0 };
	int count;

	*c = (struct compare){ .a = a, .b = b, .to = difference, .most = most };
	list_names(c);
	add(c, "width", (struct number){ a->width, a->width_spread },
		(struct number){ b->width, b->width_spread }, 0, 0.03);
	for (int i = 0; i < c->name_count; i++)
		compare_class(c, c->name[i]);
	compare_chains(c);
	compare_numbers(c);
	compare_pairs(c, &pairs);
	count = c->count;
	free(c);
	return count;
}

void model_compare_pairs(const struct uarch *a, const struct uarch *b, struct model_pairs *pairs)
{
	struct compare *c = memory_new(1, sizeof(*c));

	*pairs = (struct model_pairs){ 0 };
	*c = (struct compare){ .a = a, .b = b };
	list_names(c);
	compare_pairs(c, pairs);
	free(c);
}
