/* Finds kernels by name, and implements the defaults of callbacks that a kernel leaves NULL. */
#include "kernels/kernel.h"
#include "kernels/knob_rows.h"

#include <string.h>

#include "base/text.h"
#include "base/units.h"

const struct kernel *kernel_find(const char *name)
{
	for (int i = 0; kernel_registry[i]; i++)
		if (strcmp(kernel_registry[i]->name, name) == 0)
			return kernel_registry[i];
	return NULL;
}

int kernel_knob(const struct kernel *kernel, const char *name)
{
	for (int i = 0; i < kernel->knob_count; i++)
		if (strcmp(kernel->knobs[i].name, name) == 0)
			return i;
	return -1;
}

int kernel_axis(const struct kernel *kernel, enum knob_axis axis)
{
	for (int i = 0; i < kernel->knob_count; i++)
		if (kernel->knobs[i].axis == axis)
			return i;
	return -1;
}

int kernel_asking(const struct kernel *kernel, enum knob_asks asks)
{
	for (int i = 0; i < kernel->knob_count; i++)
		if (kernel->knobs[i].asks == asks)
			return i;
	return -1;
}

int64_t kernel_asked(const struct kernel *kernel, const int64_t *v, enum knob_asks asks)
{
	int knob = kernel_asking(kernel, asks);

	return knob < 0 ? 0 : v[knob];
}

static bool is_broken(const struct knob_rule *rule, const int64_t *v)
{
	int64_t where = v[rule->where.knob], needs = v[rule->needs.knob];

	return where >= rule->where.from && where <= rule->where.to &&
	       (needs < rule->needs.from || needs > rule->needs.to);
}

static const char *assignment(const struct knob *knob, int64_t value, struct text *text)
{
	text_addf(text, "%s=", knob->name);
	if (knob->kind == KNOB_CHOICE)
		text_add(text, knob->choices[value]);
	else
		text_addf(text, "%lld", (long long)value);
	return text_string(text);
}

static struct status broken_rule(
	const struct kernel *kernel, const struct knob_rule *rule, const int64_t *v)
{
	int where = rule->where.knob, needs = rule->needs.knob;
	struct text a = { 0 }, b = { 0 };
	struct status status = status_usage("%s does not go with %s: %s",
		assignment(&kernel->knobs[where], v[where], &a),
		assignment(&kernel->knobs[needs], v[needs], &b), rule->why);

	text_free(&a);
	text_free(&b);
	return status;
}

struct status kernel_off_multiple(const struct knob *knob, int64_t value)
{
	const bool bytes = knob->kind == KNOB_BYTES;
	const int64_t less = value / knob->multiple * knob->multiple, numbers[] = { knob->multiple,
		knob->min, knob->max, less, less + knob->multiple };
	struct units_text shown[5];

	for (int i = 0; i < 5; i++)
		shown[i] =
			bytes ? units_size(numbers[i]) : units_text("%lld", (long long)numbers[i]);
	if (less >= knob->min && less <= knob->max - knob->multiple)
		return status_usage("%s=%lld is no multiple of %s: use %s or %s", knob->name,
			(long long)value, shown[0].text, shown[3].text, shown[4].text);
	return status_usage("%s=%lld: use %sa multiple of %s from %s%s%s", knob->name,
		(long long)value, bytes ? "a size such as 32k, " : "", shown[0].text, shown[1].text,
		knob->max < KNOB_MAX_CORES ? " to " : " and up",
		knob->max < KNOB_MAX_CORES ? shown[2].text : "");
}

struct status kernel_check(const struct kernel *kernel, const int64_t *v)
{
	for (int i = 0; i < kernel->knob_count; i++)
		if (kernel->knobs[i].kind != KNOB_CHOICE && kernel->knobs[i].multiple > 1 &&
			v[i] % kernel->knobs[i].multiple)
			return kernel_off_multiple(&kernel->knobs[i], v[i]);
	for (int i = 0; i < kernel->rule_count; i++)
		if (is_broken(&kernel->rules[i], v))
			return broken_rule(kernel, &kernel->rules[i], v);
	return kernel->check ? kernel->check(v) : status_ok();
}

/* A change of a knob for one rule may break another rule, so the loop makes several passes over the
 * rules. */
void kernel_fit(const struct kernel *kernel, int64_t *v, int changed)
{
	for (int i = 0; i < kernel->rule_count * kernel->rule_count; i++) {
		const struct knob_rule *rule = &kernel->rules[i % kernel->rule_count];

		if (!is_broken(rule, v))
			continue;
		if (changed == rule->where.knob)
			v[rule->needs.knob] = rule->needs_becomes;
		else
			v[rule->where.knob] = rule->where_becomes;
	}
	if (kernel->fit)
		kernel->fit(v, changed);
}

uint64_t kernel_footprint(const struct kernel *kernel, const int64_t *v)
{
	int size = kernel_axis(kernel, AXIS_SIZE);

	if (kernel->footprint)
		return kernel->footprint(v);
	return size < 0 ? 64 : (uint64_t)v[size];
}

uint64_t kernel_reach(const struct kernel *kernel, const int64_t *v)
{
	return kernel->reach ? kernel->reach(v) : kernel_footprint(kernel, v);
}

uint64_t kernel_layout(const struct kernel *kernel, const int64_t *v)
{
	if (kernel->layout)
		return kernel->layout(v);
	return kernel->layout_nests ? 0 : kernel_footprint(kernel, v);
}

bool kernel_describe(const struct kernel *kernel, const int64_t *v, struct kernel_walk *walk)
{
	if (!kernel->describe)
		return false;
	*walk = (struct kernel_walk){ 0 };
	kernel->describe(v, walk);
	return true;
}

struct status kernel_prepare(struct kernel_run *run)
{
	struct status status;

	kernel_describe(run->kernel, run->v, &run->walk);
	status = run->kernel->prepare(run);
	if (status_is_ok(&status))
		kernel_rewind(run);
	return status;
}

void kernel_rewind(struct kernel_run *run)
{
	if (run->kernel->rewind)
		run->kernel->rewind(run);
	else if (run->kernel->begin_at)
		run->kernel->begin_at(run, 0);
	else
		run->position = 0;
}

/* Compares the result of one call with expected(). The compared call passes one and a half times
 * over the data if there are few elements, or over a part of the data if there are many. */
struct status kernel_compare(struct kernel_run *run)
{
	uint64_t count = run->ring < 4096 ? run->ring + run->ring / 2 : 6144, right;

	count = count < run->granule ? run->granule : count / run->granule * run->granule;
	run->result = UINT64_MAX;
	run->kernel->call(run, count);
	right = run->kernel->expected(run, count);
	if (run->result == right)
		return status_ok();
	return status_failed("%s computed %#llx, not %#llx", run->kernel->name,
		(unsigned long long)run->result, (unsigned long long)right);
}

struct status kernel_verify(struct kernel_run *run)
{
	struct status status = status_ok();

	kernel_rewind(run);
	if (run->kernel->verify)
		status = run->kernel->verify(run);
	else if (run->kernel->expected)
		status = kernel_compare(run);
	kernel_rewind(run);
	return status;
}

void countdown_call(struct kernel_run *run, uint64_t elements)
{
	run->result = ((kernel_countdown *)run->code.start)(elements / run->granule);
}

uint64_t countdown_expected(const struct kernel_run *run, uint64_t elements)
{
	(void)run, (void)elements;
	return 0;
}

const char *const knob_pages[] = { "auto", "4k", "huge", NULL };

const char *const knob_nodes[] = { "local", "0", "1", "2", "3", "4", "5", "6", "7", "8", "9", "10",
	"11", "12", "13", "14", "15", NULL };

static int within_int(int64_t value, int least)
{
	return value < least ? least : value > INT32_MAX / 4 ? INT32_MAX / 4 : (int)value;
}

struct kernel_need kernel_need(const struct kernel *kernel, const int64_t *v)
{
	uint64_t set = kernel_footprint(kernel, v);
	struct kernel_need need = {
		.cores = within_int(kernel_asked(kernel, v, ASKS_CORES), 1),
		.streams = within_int(kernel_asked(kernel, v, ASKS_STREAMS), 0),
	};

	need.processors = need.cores + need.streams;
	if (__builtin_mul_overflow(set, (uint64_t)need.cores, &need.memory) ||
		__builtin_add_overflow(
			need.memory, (uint64_t)need.streams * STREAM_BYTES, &need.memory))
		need.memory = UINT64_MAX;
	return need;
}

/* Appends a noun's letters, and its plural ending. */
static void add_plural(struct text *text, const char *noun, size_t length)
{
	const char *end = noun + length;
	bool hisses = length > 2 &&
		      (strncmp(end - 2, "ss", 2) == 0 || strncmp(end - 2, "ch", 2) == 0),
	     y = length > 1 && end[-1] == 'y' && !strchr("aeiou", end[-2]);

	text_addf(text, "%.*s%s", (int)(length - y), noun, y ? "ies" : hisses ? "es" : "s");
}

/* Returns the number of letters up to the end of the noun: "element of k loads", "value fetched",
 * "array element read". */
static size_t noun_length(const char *words)
{
	const char *of = strstr(words, " of "), *last = strrchr(words, ' ');
	size_t length = strlen(words);

	if (of)
		return (size_t)(of - words);
	return last && (strcmp(words + length - 2, "ed") == 0 || strcmp(last, " read") == 0)
		       ? (size_t)(last - words)
		       : length;
}

struct words kernel_elements(const struct kernel *kernel)
{
	const char *words = kernel->element, * or = strstr(words, " or ");
	struct text text = { 0 };
	struct words result;
	size_t noun;

	if (or) {
		add_plural(&text, words, (size_t)(or -words));
		text_add(&text, " or ");
		words = or +strlen(" or ");
	}
	noun = noun_length(words);
	add_plural(&text, words, noun);
	text_add(&text, words + noun);
	result = words_of("%s", text_string(&text));
	text_free(&text);
	return result;
}
