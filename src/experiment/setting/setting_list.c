/* The lists of values that a sweep takes. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/units.h"
#include "experiment/setting/setting.h"

/* A sweep of more values than this along one knob is a slip of the finger. */
enum { LIST_LONGEST = 100000, ITEM_LONGEST = 63 };

struct list {
	const struct knob *knob;
	const char *whole; /* as typed, for messages */
	struct memory_limits memory_limits;
	int64_t *values;
	size_t count, capacity;
};

static struct status list_add(struct list *list, int64_t value)
{
	if (list->count == LIST_LONGEST)
		return status_make(STATUS_USAGE,
			"%s=%.60s: more than 100,000 values; take a larger step (:N) or a factor "
			"(*N)",
			list->knob->name, list->whole);
	if (list->count == list->capacity) {
		list->capacity = list->capacity ? 2 * list->capacity : 16;
		list->values = memory_resize(list->values, list->capacity, sizeof(*list->values));
	}
	list->values[list->count++] = value;
	return status_ok();
}

/* Range-checks a value that was computed, not typed. */
static struct status list_add_checked(struct list *list, int64_t value)
{
	struct status status;
	char typed[32];
	int64_t parsed;

	setting_format_value(list->knob, value, typed, sizeof(typed));
	status = setting_parse_value(list->knob, typed, list->memory_limits, &parsed);
	return status_is_ok(&status) ? list_add(list, value) : status;
}

static struct status not_a_range(const struct list *list, const char *item)
{
	return status_make(STATUS_USAGE,
		"%s=%.60s: a range is LOW..HIGH, LOW..HIGH:STEP or LOW..HIGH*FACTOR",
		list->knob->name, item);
}

/* "LOW..HIGH", "LOW..HIGH:STEP", "LOW..HIGH*FACTOR"; item is cut up in place, shown is its copy. */
static struct status list_range(struct list *list, char *item, const char *shown)
{
	const struct knob *knob = list->knob;
	char *high_text = strstr(item, ".."), *by;
	int64_t low, high, step = knob->multiple > 1 ? knob->multiple : 1;
	bool times = false;
	struct status status;

	if (knob->kind == KNOB_CHOICE)
		return status_make(STATUS_USAGE,
			"%s=%.60s: choices have no range; name them, or write * for all",
			knob->name, shown);
	*high_text = '\0';
	high_text += 2;
	by = strpbrk(high_text, ":*");
	if (by) {
		times = *by == '*';
		*by++ = '\0';
		if (!units_parse(by, setting_takes_suffix(knob) && !times, &step))
			return not_a_range(list, shown);
		if (times ? step < 2 : step < 1)
			return status_make(STATUS_USAGE, "%s=%.60s: %s", knob->name, shown,
				times ? "a factor is a whole number from 2 up"
				      : "a step is at least 1");
	}
	if (!*item || !*high_text)
		return not_a_range(list, shown);
	status = setting_parse_value(knob, item, list->memory_limits, &low);
	if (!status_is_ok(&status))
		return status;
	/* The end only bounds the values: it need not be one of them. */
	if (!units_parse(high_text, setting_takes_suffix(knob), &high) ||
		high > setting_max(knob, list->memory_limits)) {
		status = setting_parse_value(knob, high_text, list->memory_limits, &high);
		if (!status_is_ok(&status))
			return status;
	}
	if (low > high)
		return status_make(
			STATUS_USAGE, "%s=%.60s: write the smaller end first", knob->name, shown);
	if (times && low == 0)
		return status_make(
			STATUS_USAGE, "%s=%.60s: a factor leads nowhere from 0", knob->name, shown);
	for (int64_t value = low;;) {
		status = list_add_checked(list, value);
		if (!status_is_ok(&status))
			return status;
		if (times ? value > high / step : value > high - step)
			return status_ok();
		value = times ? value * step : value + step;
	}
}

static struct status list_item(struct list *list, const char *start, size_t length)
{
	char item[ITEM_LONGEST + 1], shown[ITEM_LONGEST + 1];
	struct status status = status_ok();
	int64_t value;

	if (length == 0)
		return status_make(STATUS_USAGE,
			"%s=%.60s: an empty place in the list; write 1,2,4 or 1..16 or 1..16:3 or "
			"4k..64m*2",
			list->knob->name, list->whole);
	if (length > ITEM_LONGEST)
		return status_make(STATUS_USAGE, "%s=%.40s: neither a value nor a range",
			list->knob->name, start);
	memcpy(item, start, length);
	item[length] = '\0';
	memcpy(shown, item, length + 1);
	if (list->knob->kind == KNOB_CHOICE && strcmp(item, "*") == 0) {
		for (int i = 0; list->knob->choices[i] && status_is_ok(&status); i++)
			status = list_add(list, i);
		return status;
	}
	if (strcmp(item, "*") == 0) {
		const struct memory_limits two = { .processors = 2 };
		char low[48], high[48], range[100] = "4k..64m*2";

		setting_format_value(list->knob, list->knob->min, low, sizeof(low));
		setting_format_value(list->knob, setting_max(list->knob, two), high, sizeof(high));
		if (list->knob->kind != KNOB_BYTES)
			snprintf(range, sizeof(range), "%s..%s", low, high);
		return status_make(STATUS_USAGE, "%s=*: * is for choices; write a range: %s=%s",
			list->knob->name, list->knob->name, range);
	}
	if (strstr(item, ".."))
		return list_range(list, item, shown);
	status = setting_parse_value(list->knob, item, list->memory_limits, &value);
	return status_is_ok(&status) ? list_add(list, value) : status;
}

struct status setting_parse_list(const struct knob *knob, const char *text,
	struct memory_limits memory_limits, int64_t **values, size_t *count)
{
	struct list list = { .knob = knob, .whole = text, .memory_limits = memory_limits };
	const char *at = text;

	*values = NULL;
	*count = 0;
	for (;;) {
		size_t length = strcspn(at, ",");
		struct status status = list_item(&list, at, length);

		if (!status_is_ok(&status)) {
			free(list.values);
			return status;
		}
		if (!at[length])
			break;
		at += length + 1;
	}
	*values = list.values;
	*count = list.count;
	return status_ok();
}
