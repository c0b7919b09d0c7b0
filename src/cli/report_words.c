/* Values and pictures of a report. See report_inside.h. */
#include <math.h>
#include <string.h>

#include "base/units.h"
#include "cli/report_inside.h"

struct words report_spread(double value, const char *source, double lo, double hi)
{
	if (!isfinite(value))
		return words_of("-");
	if (!isfinite(lo) || !isfinite(hi))
		return words_of("%s %s", units_value(value).text, source);
	return words_of("%s %s (%s to %s)", units_value(value).text, source, units_value(lo).text,
		units_value(hi).text);
}

struct words report_range(const struct json_t *object, const char *key, const char *source)
{
	return report_spread(kept_number(object, key), source,
		kept_number(object, words_of("%s_lo", key).text),
		kept_number(object, words_of("%s_hi", key).text));
}

struct words report_size(const struct json_t *object, const char *key)
{
	double bytes = kept_number(object, key);

	return bytes > 0 && bytes < 1e18
		       ? words_of("%s", units_size_long((int64_t)llround(bytes)).text)
		       : words_of("-");
}

const char *report_letter(const struct json_t *object)
{
	struct kept_word from = kept_word(object, "cycles_from");

	return strcmp(from.text, "counter") == 0     ? "C"
	       : strcmp(from.text, "reference") == 0 ? "R"
						     : "";
}

const char *report_probe_letter(const struct shown *shown)
{
	return report_letter(shown_last(shown, 0, "sample"));
}

void report_chart(struct page_parts *page, struct chart *chart, const char *caption)
{
	struct text svg = { 0 };

	if (!chart)
		return;
	chart->compact = true;
	picture_web(chart, &page->colours, &svg);
	document_picture(
		page->document, text_string(&svg), words_of("%s\n%s", chart->title, caption).text);
	text_free(&svg);
	chart_free(chart);
}
