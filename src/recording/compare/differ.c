/* Reduces measured values and facts (microcode, load) of machines, and finds possible causes of
 * differences. See differ.h. */
#include "recording/compare/differ.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/stats.h"
#include "base/text.h"

const char *const differ_cause_names[DIFFER_CAUSES] = {
	[CAUSE_CLOCK] = "clock",
	[CAUSE_PAGES] = "pages",
	[CAUSE_NEIGHBOUR] = "neighbour",
	[CAUSE_PREEMPTED] = "preempted",
	[CAUSE_BUSY] = "busy",
	[CAUSE_L3] = "l3",
	[CAUSE_MICROCODE] = "microcode",
	[CAUSE_PROCESSOR] = "processor",
	[CAUSE_BEYOND] = "beyond",
	[CAUSE_DISTURBED] = "disturbed",
	[CAUSE_ONCE] = "once",
};

/* With fewer runs than this, the range of a value contains all runs; with more, it goes from
 * quartile to quartile. */
enum { QUARTILE_RUNS = 5 };

struct differ_value differ_reduce(const struct compared_value **values, size_t count)
{
	struct differ_value all = { .runs = (int)count,
		.lo = INFINITY,
		.hi = -INFINITY,
		.least = INFINITY,
		.most = -INFINITY };
	double *sorted = memory_new(count ? count : 1, sizeof(*sorted));
	size_t contended = 0;

	for (size_t i = 0; i < count; i++) {
		const struct compared_value *value = values[i];

		sorted[i] = value->value;
		contended += value->contended;
		all.least = fmin(all.least, value->value);
		all.most = fmax(all.most, value->value);
		all.lo = fmin(all.lo, isnan(value->lo) ? value->value : value->lo);
		all.hi = fmax(all.hi, isnan(value->hi) ? value->value : value->hi);
	}
	all.value = stats_median(sorted, count);
	if (count >= QUARTILE_RUNS) {
		all.lo = stats_quantile(sorted, count, 0.25);
		all.hi = stats_quantile(sorted, count, 0.75);
	}
	all.contended = 2 * contended >= count;
	free(sorted);
	return all;
}

void differ_facts_add(struct differ_facts *facts, const struct compared *compared, int source)
{
	const struct compared_source *from = &compared->source[source];

	facts->runs += from->runs;
	facts->probes += from->probes;
	facts->samples += from->samples;
	facts->huge += from->huge;
	facts->contended += from->contended;
	facts->quiet += from->quiet;
	facts->watched += from->watched;
	facts->small += from->small;
	facts->load = fmax(facts->load, from->load);
	facts->shares += from->shares;
	facts->on_cpu += from->off_cpu;
	facts->busy += from->runnable;
	facts->drop = fmax(facts->drop, from->drop);
	if (!facts->model && from->model >= 0)
		facts->model = compared->models.string[from->model];
	if (!facts->uarch || !*facts->uarch)
		facts->uarch = from->uarch;
	if (!facts->microcode || !*facts->microcode)
		facts->microcode = from->microcode;
	if (from->l3_bytes)
		facts->l3_bytes = (double)from->l3_bytes;
}

void differ_facts_mean(struct differ_facts *facts)
{
	facts->contended = facts->samples ? facts->contended / facts->samples : 0;
	facts->quiet = facts->watched ? facts->quiet / facts->watched : 1;
	facts->on_cpu = facts->shares ? facts->shares / facts->on_cpu : 1;
	facts->busy = facts->shares ? compared_busy(facts->on_cpu, facts->busy / facts->shares) : 1;
	facts->small = facts->huge ? facts->small / facts->huge : 0;
}

/* Returns whether both words, such as two microcode versions, are known and differ. */
static bool words_differ(const char *one, const char *other)
{
	return one && other && *one && *other && strcmp(one, other) != 0;
}

/* The least difference that can explain different values: between shares, such as that of contended
 * samples; between load averages; and between numbers of busy processors, as a share of the usual
 * number, because a large number of threads varies by more. */
static const double share_least = 0.3, load_least = 1, busy_least = 0.5;

double differ_condition(const struct compared_quantity *quantity, double usual)
{
	if (strcmp(quantity->field, "quiet") == 0 || strcmp(quantity->field, "on_cpu") == 0)
		return share_least;
	return strcmp(quantity->field, "busy") == 0 ? busy_least * usual : 0;
}

unsigned differ_causes(const struct differ_facts *facts, const struct differ_facts *usual)
{
	/* Without both shares, the load average shows other programs, but not where they ran. */
	bool shares = facts->shares && usual->shares;
	unsigned causes = 0;

	if (facts->huge && usual->huge && facts->small - usual->small > share_least)
		causes |= 1u << CAUSE_PAGES;
	if (facts->contended - usual->contended > share_least ||
		usual->quiet - facts->quiet > share_least ||
		(!shares && facts->load - usual->load > load_least &&
			facts->contended >= usual->contended))
		causes |= 1u << CAUSE_NEIGHBOUR;
	if (shares && usual->on_cpu - facts->on_cpu > share_least)
		causes |= 1u << CAUSE_PREEMPTED;
	if (shares && facts->busy - usual->busy > busy_least * usual->busy)
		causes |= 1u << CAUSE_BUSY;
	if (facts->l3_bytes > 0 && facts->l3_bytes < 0.9 * usual->l3_bytes)
		causes |= 1u << CAUSE_L3;
	if (words_differ(facts->microcode, usual->microcode))
		causes |= 1u << CAUSE_MICROCODE;
	if (words_differ(facts->uarch, usual->uarch) || words_differ(facts->model, usual->model))
		causes |= 1u << CAUSE_PROCESSOR;
	return causes;
}

unsigned differ_cause_of(const struct compared_quantity *quantity, double ratio)
{
	const char *subject = quantity->subject;
	bool is_size = strcmp(quantity->field, "bytes") == 0 ||
		       strcmp(quantity->field, "entries") == 0 ||
		       strcmp(quantity->field, "knee") == 0;

	if (strcmp(quantity->field, "ghz") == 0)
		return ratio < 1 ? 1u << CAUSE_CLOCK : 0;
	if (strcmp(quantity->field, "quiet") == 0)
		return ratio < 1 - share_least ? 1u << CAUSE_NEIGHBOUR : 0;
	if (strcmp(quantity->field, "on_cpu") == 0)
		return ratio < 1 - share_least ? 1u << CAUSE_PREEMPTED : 0;
	if (strcmp(quantity->field, "busy") == 0)
		return ratio > 1 ? 1u << CAUSE_BUSY : 0;
	if (strcmp(quantity->field, "huge") == 0)
		return ratio < 1 ? 1u << CAUSE_PAGES : 0;
	if (is_size && strcmp(subject, "level L3") == 0)
		return ratio < 1 ? 1u << CAUSE_L3 : 0;
	/* The sizes of buffers, TLBs and the core's own caches are fixed, so a different size means
	 * another processor. */
	if (is_size && !quantity->shared)
		return 1u << CAUSE_PROCESSOR;
	return 0;
}

bool differ_is_slower(const struct compared_quantity *quantity, double ratio)
{
	bool is_time = strcmp(quantity->field, "cpe") == 0 || strcmp(quantity->field, "ns") == 0 ||
		       strcmp(quantity->field, "cycles") == 0;

	return is_time ? ratio > 1 : ratio < 1;
}
