#include "experiment/setting/setting.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "base/units.h"
#include "kernels/knob_rows.h"

/* The largest number of steps in a search for the next allowed value of a knob. */
enum { STEPS_TRIED = 4096 };

void setting_init(struct setting *setting, const struct kernel *kernel)
{
	memset(setting, 0, sizeof(*setting));
	setting->kernel = kernel;
	for (int i = 0; i < kernel->knob_count; i++)
		setting->v[i] = kernel->knobs[i].initial;
}

struct status setting_find_kernel(const char *name, const struct kernel **kernel)
{
	const char *names[256];
	size_t count = 0;

	*kernel = kernel_find(name);
	if (*kernel)
		return status_ok();
	for (; count < sizeof(names) / sizeof(*names) && kernel_registry[count]; count++)
		names[count] = kernel_registry[count]->name;
	return status_unknown("no kernel", name, names, count, "slexplore list shows all");
}

int64_t setting_unit(const struct knob *knob)
{
	return knob->kind != KNOB_CHOICE && knob->multiple > 1 ? knob->multiple : 1;
}

bool setting_takes_suffix(const struct knob *knob)
{
	return knob->kind == KNOB_BYTES ||
	       (knob->kind == KNOB_COUNT && knob->max >= 1 << 20 && knob->max != KNOB_MAX_CORES);
}

bool setting_takes_flags(const struct knob *knob)
{
	return knob->kind == KNOB_CHOICE && knob->choices[0][0] == '-';
}

static int choice_count(const struct knob *knob)
{
	int count = 0;

	while (knob->choices[count])
		count++;
	return count;
}

int64_t setting_min(const struct knob *knob)
{
	return knob->kind == KNOB_CHOICE ? 0 : knob->min;
}

/* Returns whether the memory of the machine bounds the knob: a knob without a maximum, or a size
 * whose maximum is more than the machine has. */
static bool bounded_by_memory(const struct knob *knob, struct memory_limits limits)
{
	return limits.memory && limits.memory < (uint64_t)INT64_MAX &&
	       (knob->max == KNOB_MAX_MEMORY ||
		       (knob->axis == AXIS_SIZE && knob->kind == KNOB_BYTES &&
			       knob->max > (int64_t)limits.memory));
}

int64_t setting_max(const struct knob *knob, struct memory_limits limits)
{
	int64_t max = knob->max;

	/* The choice 0 is the node of the measured core, and the choice n is the node n - 1. */
	if (knob->asks == ASKS_NODE && limits.node_end > 0)
		return limits.node_end < choice_count(knob) ? limits.node_end
							    : choice_count(knob) - 1;
	if (knob->kind == KNOB_CHOICE)
		return choice_count(knob) - 1;
	if (bounded_by_memory(knob, limits))
		max = (int64_t)limits.memory;
	if (max == KNOB_MAX_CORES && limits.processors > 0)
		max = knob->asks == ASKS_STREAMS ? limits.processors - 1 : limits.processors;
	max -= max % setting_unit(knob);
	return max < knob->min ? knob->min : max;
}

struct words setting_value(const struct knob *knob, int64_t value)
{
	if (knob->kind == KNOB_CHOICE && value >= 0 && value < choice_count(knob))
		return words_of("%s", knob->choices[value]);
	return knob->kind == KNOB_BYTES ? words_of("%s", units_size(value).text)
					: words_of("%" PRId64, value);
}

struct words setting_shown(const struct knob *knob, int64_t value)
{
	/* Counts of a million or more are written as users may type them, if that is shorter: "1g"
	 */
	bool short_count = setting_takes_suffix(knob) && value >= 1 << 20 && value % 1024 == 0;

	return knob->kind == KNOB_BYTES ? words_of("%s", units_size_short(value).text)
	       : short_count		? words_of("%s", units_size(value).text)
					: setting_value(knob, value);
}

/* Adds the allowed range of a knob in words: "add or mul", "1 to 16", "4k to 11.5g (half of the
 * free memory)", "64 and up". */
static void add_span(const struct knob *knob, struct memory_limits limits, struct text *text)
{
	int64_t max = setting_max(knob, limits);

	if (knob->kind == KNOB_CHOICE) {
		for (int i = 0; i <= max; i++)
			text_addf(text, "%s%s",
				i == 0	   ? ""
				: i == max ? " or "
					   : ", ",
				knob->choices[i]);
		return;
	}
	text_add(text, setting_value(knob, knob->min).text);
	if (knob->max == KNOB_MAX_CORES && limits.processors <= 0)
		text_addf(text, " to all%s", knob->asks == ASKS_STREAMS ? " but one" : "");
	else if (bounded_by_memory(knob, limits))
		text_addf(text, " to %s (%s)", setting_shown(knob, max).text,
			limits.bound == MEMORY_LIMITS_FREE ? "half of the free memory"
							   : memory_limits_half(limits.bound));
	else if (knob->max != KNOB_MAX_MEMORY)
		text_addf(text, " to %s", setting_value(knob, max).text);
	else
		text_add(text, " and up");
}

struct words setting_range(const struct knob *knob, struct memory_limits limits)
{
	struct text text = { 0 };
	struct words range;

	add_span(knob, limits, &text);
	if (setting_unit(knob) > 1)
		text_addf(&text, ", in steps of %s", setting_value(knob, setting_unit(knob)).text);
	range = words_of("%s", text_string(&text));
	text_free(&text);
	return range;
}

/* Returns the error message for a knob's value `typed`, with the allowed values. */
static struct status value_refused(
	const struct knob *knob, const char *typed, struct memory_limits limits)
{
	struct text wanted = { 0 };
	struct status status;

	if (knob->kind == KNOB_BYTES)
		text_add(&wanted, "a size such as 32k, ");
	if (setting_unit(knob) > 1)
		text_addf(&wanted, "a multiple of %s from ",
			setting_value(knob, setting_unit(knob)).text);
	else if (knob->kind != KNOB_CHOICE)
		text_add(&wanted, knob->kind == KNOB_BYTES ? "from " : "a whole number from ");
	add_span(knob, limits, &wanted);
	status = status_usage("%s=%.40s: use %s", knob->name, typed, text_string(&wanted));
	text_free(&wanted);
	return status;
}

static const char *plural(int64_t count)
{
	return count == 1 ? "" : "s";
}

static struct status value_beyond_machine(
	const struct knob *knob, const char *typed, struct memory_limits limits)
{
	if (knob->max == KNOB_MAX_CORES)
		return status_usage("%s=%.40s: this process may use only %d processor%s%s",
			knob->name, typed, limits.processors, plural(limits.processors),
			knob->asks == ASKS_STREAMS ? ", which includes the measured one" : "");
	if (knob->asks == ASKS_NODE)
		return status_usage(
			"%s=%.40s: the last memory node that this process may use is %d",
			knob->name, typed, limits.node_end - 1);
	return status_usage("%s=%.40s is beyond %s (%s)", knob->name, typed,
		memory_limits_half(limits.bound), units_size_long((int64_t)limits.memory).text);
}

static bool value_allowed(const struct knob *knob, int64_t value, struct memory_limits limits)
{
	return value >= setting_min(knob) && value <= setting_max(knob, limits) &&
	       value % setting_unit(knob) == 0;
}

/* Returns the error for a number outside the knob's range. The message shows the value as
 * `typed`. */
static struct status value_error(
	const struct knob *knob, int64_t value, const char *typed, struct memory_limits limits)
{
	/* `limited` is true if the machine limits the knob's value, and the machine's limit is
	 * known. */
	bool limited =
		knob->asks == ASKS_NODE
			? limits.node_end > 0 && value < choice_count(knob)
			: knob->kind != KNOB_CHOICE &&
				  (bounded_by_memory(knob, limits) ||
					  (knob->max == KNOB_MAX_CORES && limits.processors > 0));
	int64_t unit = setting_unit(knob), off = value % unit;

	if (limited && value > setting_max(knob, limits))
		return value_beyond_machine(knob, typed, limits);
	if (off && value - off >= setting_min(knob) &&
		value - off <= setting_max(knob, limits) - unit)
		return kernel_off_multiple(knob, value);
	return value_refused(knob, typed, limits);
}

/* Returns whether the text consists of digits with an optional suffix. The number may be too large
 * for int64_t. */
static bool looks_like_size(const char *text)
{
	size_t digits = strspn(text, "0123456789");

	return digits > 0 && (text[digits] == '\0' || (strchr("kmgtKMGT", text[digits]) &&
							      text[digits + 1] == '\0'));
}

struct status setting_parse_value(
	const struct knob *knob, const char *text, struct memory_limits limits, int64_t *value)
{
	int64_t number;

	if (knob->kind == KNOB_CHOICE) {
		for (number = 0; knob->choices[number]; number++)
			if (strcmp(knob->choices[number], text) == 0)
				break;
	} else if (!units_parse(text, setting_takes_suffix(knob), &number)) {
		/* A number that is too large for int64_t is replaced by INT64_MAX. */
		number = knob->max == KNOB_MAX_MEMORY && limits.memory && looks_like_size(text)
				 ? INT64_MAX
				 : INT64_MIN;
	}
	if (!value_allowed(knob, number, limits))
		return value_error(knob, number, text, limits);
	*value = number;
	return status_ok();
}

struct status setting_find_knob(const struct kernel *kernel, const char *name, int *knob)
{
	const char *names[KNOBS_MAX];
	char what[64];

	*knob = kernel_knob(kernel, name);
	if (*knob >= 0)
		return status_ok();
	for (int i = 0; i < kernel->knob_count; i++)
		names[i] = kernel->knobs[i].name;
	snprintf(what, sizeof(what), "%s has no knob", kernel->name);
	return status_unknown(what, name, names, (size_t)kernel->knob_count, NULL);
}

struct status setting_split(
	const struct kernel *kernel, const char *assignment, int *knob, const char **values)
{
	const char *equals = strchr(assignment, '=');
	char name[64];

	*knob = -1;
	if (!equals || equals == assignment)
		return status_usage("\"%.60s\": write KNOB=VALUE, as in %s=%s", assignment,
			kernel->knob_count ? kernel->knobs[0].name : "size",
			kernel->knob_count
				? setting_value(&kernel->knobs[0], kernel->knobs[0].initial).text
				: "32k");
	*values = equals + 1;
	snprintf(name, sizeof(name), "%.*s", (int)(equals - assignment), assignment);
	return setting_find_knob(kernel, name, knob);
}

struct status setting_twice(const struct knob *knob)
{
	return status_usage(
		"%s is given twice; write %s=A,B for several values", knob->name, knob->name);
}

struct status setting_assign(
	struct setting *setting, const char *assignment, struct memory_limits limits)
{
	const char *value;
	int knob;
	struct status status = setting_split(setting->kernel, assignment, &knob, &value);

	return status_is_ok(&status) ? setting_parse_value(&setting->kernel->knobs[knob], value,
					       limits, &setting->v[knob])
				     : status;
}

bool setting_read(struct setting *setting, const char *words)
{
	char copy[256], *rest, *word;

	snprintf(copy, sizeof(copy), "%s", words);
	word = strtok_r(copy, " ", &rest);
	setting->kernel = kernel_find(word);
	if (!setting->kernel)
		return false;
	setting_init(setting, setting->kernel);
	while ((word = strtok_r(NULL, " ", &rest)))
		if (setting_assign(setting, word, MEMORY_LIMITS_UNKNOWN).code != STATUS_OK)
			return false;
	return kernel_check(setting->kernel, setting->v).code == STATUS_OK;
}

void setting_widen(struct setting *setting)
{
	const struct kernel *kernel = setting->kernel;
	int knob = kernel_knob(kernel, "width"), width = 0;

	while (knob >= 0 && kernel->knobs[knob].choices[width])
		width++;
	while (width-- > 0) {
		setting->v[knob] = width;
		if (kernel_check(kernel, setting->v).code == STATUS_OK)
			return;
	}
}

/* Checks that the machine has the processors and the memory that the setting needs for all cores
 * together. */
static struct status within_means(const struct setting *setting, struct memory_limits limits)
{
	const struct kernel *kernel = setting->kernel;
	struct kernel_need need = kernel_need(kernel, setting->v);

	if (limits.processors > 0 && need.processors > limits.processors)
		return status_usage("cores=%d and streams=%d: this process may use %d processor%s",
			need.cores, need.streams, limits.processors, plural(limits.processors));
	if (limits.memory == 0 || need.memory <= limits.memory)
		return status_ok();
	return status_usage("%s needs %s here%s, beyond %s (%s)", kernel->name,
		units_size_long(need.memory > INT64_MAX ? INT64_MAX : (int64_t)need.memory).text,
		need.processors > 1 ? ", for all cores together" : "",
		memory_limits_half(limits.bound), units_size_long((int64_t)limits.memory).text);
}

struct status setting_check(const struct setting *setting, struct memory_limits limits)
{
	const struct kernel *kernel = setting->kernel;
	struct status status;

	for (int i = 0; i < kernel->knob_count; i++) {
		const struct knob *knob = &kernel->knobs[i];

		if (!value_allowed(knob, setting->v[i], limits))
			return value_error(knob, setting->v[i],
				setting_value(knob, setting->v[i]).text, limits);
	}
	status = kernel_check(kernel, setting->v);
	return status_is_ok(&status) ? within_means(setting, limits) : status;
}

/* Returns the next larger or smaller value of initial × factor^i, clamped to the knob's range. The
 * upper end of the range (half of the memory) may be an odd number; the next step down is then a
 * round number again. */
static int64_t ladder_step(const struct knob *knob, int64_t value, bool up, int64_t max)
{
	int64_t unit = setting_unit(knob), rung = knob->initial > 0 ? knob->initial : unit;

	while (rung < value && rung <= INT64_MAX / knob->factor)
		rung *= knob->factor;
	while (rung >= value && rung > 0)
		rung /= knob->factor;
	if (!up) {
		rung -= rung % unit;
		return rung < knob->min ? knob->min : rung;
	}
	/* For a value below all steps of a knob's values, the next value is the lowest step: 7 for
	 * 7, 70, 700, … */
	if (rung == 0)
		for (rung = knob->initial > 0 ? knob->initial : 1; rung >= knob->factor;)
			rung /= knob->factor;
	while (rung - rung % unit <= value) {
		if (rung > max / knob->factor)
			return max;
		rung *= knob->factor;
	}
	rung -= rung % unit;
	return rung > max ? max : rung;
}

/* Returns a knob's value after `steps` steps, clamped to the knob's range. */
static int64_t value_step(
	const struct knob *knob, int64_t value, int steps, struct memory_limits limits)
{
	int64_t min = setting_min(knob), max = setting_max(knob, limits), unit = setting_unit(knob);

	if (knob->kind != KNOB_CHOICE && knob->factor > 1) {
		for (int i = 0; i != steps; i += steps > 0 ? 1 : -1) {
			int64_t next = ladder_step(knob, value, steps > 0, max);

			if (next == value)
				break;
			value = next;
		}
		return value;
	}
	if (steps > 0)
		return steps > (max - value) / unit ? max : value + steps * unit;
	return -(int64_t)steps > (value - min) / unit ? min : value + steps * unit;
}

bool setting_step(struct setting *setting, int knob, int steps, struct memory_limits limits)
{
	const struct kernel *kernel = setting->kernel;
	const struct setting old = *setting;
	int64_t value = old.v[knob];

	for (int tried = 0; steps != 0 && tried < STEPS_TRIED; tried++) {
		int64_t next = value_step(&kernel->knobs[knob], value, steps, limits);

		if (next == value)
			break;
		value = next;
		*setting = old;
		setting->v[knob] = value;
		kernel_fit(kernel, setting->v, knob);
		if (kernel_check(kernel, setting->v).code == STATUS_OK)
			return !setting_equal(setting, &old);
		/* The kernel allows no combination with this value, so the loop tries the next
		 * value. */
		steps = steps > 0 ? 1 : -1;
	}
	*setting = old;
	return false;
}

/* Adds a knob's value to a command line, in quotation marks if a shell requires them. */
static void add_value(struct text *text, const struct knob *knob, int64_t value)
{
	const struct words shown = setting_value(knob, value);

	text_addf(text, strpbrk(shown.text, " \t\"$&();<>|*?[]#~\\`!{}") ? " %s='%s'" : " %s=%s",
		knob->name, shown.text);
}

void setting_format(const struct setting *setting, struct text *text)
{
	text_add(text, setting->kernel->name);
	for (int i = 0; i < setting->kernel->knob_count; i++)
		add_value(text, &setting->kernel->knobs[i], setting->v[i]);
}

struct words setting_incomparable(const struct setting *a, const struct setting *b)
{
	const char *one = a->kernel->element, *other = b->kernel->element;

	return strcmp(one, other) == 0 ? words_of("%s", "")
				       : words_of("none: A is per %s, B per %s", one, other);
}

bool setting_equal(const struct setting *a, const struct setting *b)
{
	if (a->kernel != b->kernel)
		return false;
	for (int i = 0; i < a->kernel->knob_count; i++)
		if (a->v[i] != b->v[i])
			return false;
	return true;
}
