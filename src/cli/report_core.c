/* The section of a report about the measured core: instructions, next to the shipped core model. */
#include <math.h>
#include <string.h>

#include "base/units.h"
#include "cli/report_inside.h"

/* The classes of instructions that a report lists, if they were measured. `slexplore characterise`
 * prints all classes. */
static const char *const listed[] = { "move", "alu", "lea", "shift", "rotate", "imul",
	"multiply-wide", "div.32", "div.64", "popcnt", "crc32", "cmov", "branch", "jump", "load",
	"vload", "vload.512", "store", "vstore", "gather", "fadd", "fadd.512", "fmul", "fmul.512",
	"fma", "fma.512", "fdiv32", "fdiv64", "fdiv64.512", "fsqrt64", "vlogic", "vadd", "vadd.512",
	"vmul32", "vmul64", "shuffle", "permute", "permute.512", "convert", "aes", "clmul" };

/* Largest number of differences from the shipped core model that a report lists. */
enum { DIFFERENCES_LISTED = 12 };

/* Returns the shipped model's value of a quantity: "latency of fadd"; "-": unknown. */
static struct words shipped_words(const struct page_parts *page, const char *what)
{
	const struct json_t *difference;

	for (size_t at = 0; (difference = shown_next(page->shown, 0, "difference", &at));)
		if (strcmp(kept_word(difference, "what").text, what) == 0)
			return words_of("%s", units_value(kept_number(difference, "shipped")).text);
	return words_of("-");
}

static const struct json_t *class_named(const struct page_parts *page, const char *name)
{
	const struct json_t *class;

	for (size_t at = 0; (class = shown_next(page->shown, 0, "class", &at));)
		if (strcmp(kept_word(class, "name").text, name) == 0)
			return class;
	return NULL;
}

static bool has_value(const struct json_t *class)
{
	return isfinite(kept_number(class, "latency")) || isfinite(kept_number(class, "each"));
}

static void add_classes(struct page_parts *page)
{
	bool any = false;
	const struct json_t *core = shown_last(page->shown, 0, "core");
	const char *letter = report_letter(core);
	/* If the records name no ports, the table has no column for ports. */
	bool ported = kept_number(core, "ports") > 0;
	const char *const columns[] = { "class of instructions", ">latency, cycles", ">shipped (M)",
		">reciprocal throughput, cycles", ">shipped (M)", ported ? "ports" : NULL, NULL };

	document_heading(page->document, 3, "Instructions");
	for (size_t i = 0; i < sizeof(listed) / sizeof(*listed); i++)
		any = any || has_value(class_named(page, listed[i]));
	if (!any) {
		document_paragraph(page->document,
			"The core was too busy: no instruction of this table has a value.");
		return;
	}
	document_table(page->document, columns);
	for (size_t i = 0; i < sizeof(listed) / sizeof(*listed); i++) {
		const struct json_t *class = class_named(page, listed[i]);
		struct words latency = report_range(class, "latency", letter),
			     each = report_range(class, "each", letter);

		if (!has_value(class))
			continue;
		document_row(page->document,
			(const char *const[]){ listed[i], latency.text,
				shipped_words(page, words_of("latency of %s", listed[i]).text).text,
				each.text,
				shipped_words(page,
					words_of("reciprocal throughput of %s", listed[i]).text)
					.text,
				ported ? kept_word(class, "ports").text : NULL, NULL },
			NULL);
	}
	document_table_end(page->document);
}

static void add_difference(struct page_parts *page, const struct json_t *difference)
{
	double measured = kept_number(difference, "measured"),
	       shipped = kept_number(difference, "shipped");

	document_row(page->document,
		(const char *const[]){ kept_word(difference, "what").text,
			units_value(measured).text, units_value(shipped).text,
			words_of("%+.0f %%", 100 * (measured / shipped - 1)).text, NULL },
		NULL);
}

/* Adds the differences between the measured core and the shipped core model, the largest first. */
static void add_differences(struct page_parts *page)
{
	static const char *const columns[] = { "what differs most", ">measured", ">shipped (M)",
		">difference", NULL };
	const struct json_t *difference, *largest[DIFFERENCES_LISTED];
	double effect[DIFFERENCES_LISTED];
	int agree = 0, differ = 0, count = 0;

	for (size_t at = 0; (difference = shown_next(page->shown, 0, "difference", &at));) {
		double size = fabs(log(
			kept_number(difference, "measured") / kept_number(difference, "shipped")));
		int place = count;

		if (!isfinite(size) || kept_flag(difference, "agrees")) {
			agree += kept_flag(difference, "agrees");
			continue;
		}
		differ++;
		if (count == DIFFERENCES_LISTED && size <= effect[count - 1])
			continue;
		if (count < DIFFERENCES_LISTED)
			count++;
		else
			place = count - 1;
		for (; place > 0 && effect[place - 1] < size; place--) {
			effect[place] = effect[place - 1];
			largest[place] = largest[place - 1];
		}
		effect[place] = size;
		largest[place] = difference;
	}
	if (!(agree + differ))
		return;
	document_paragraph(page->document,
		words_of("%d of %d measured values agree with the shipped model. `slexplore "
			 "characterise` measures longer, and lists all values.",
			agree, agree + differ)
			.text);
	if (!count)
		return;
	document_table(page->document, columns);
	for (int i = 0; i < count; i++)
		add_difference(page, largest[i]);
	document_table_end(page->document);
}

void section_core(struct page_parts *page)
{
	const struct json_t *core = shown_last(page->shown, 0, "core");
	struct kept_word shipped = kept_word(core, "shipped");

	document_paragraph(page->document,
		words_of("Measured without hardware counters in %.1f s%s%s.",
			kept_number(core, "seconds"),
			*shipped.text ? ", next to the shipped core model " : "", shipped.text)
			.text);
	add_classes(page);
	add_differences(page);
}
