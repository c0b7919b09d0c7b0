/* The sections of a report. Each section has a row in the table `sections`. */
#include "cli/report_inside.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "base/units.h"
#include "config.h"

/* ---- Quality */

/* The quality of a measurement, computed from its samples. */
struct quality {
	unsigned samples, contended;
	double quiet, load, ghz; /* mean share of quiet trials; highest load average; mean clock in
				    GHz; NAN: unknown */
	double ghz_lo, ghz_hi;	 /* lowest and highest clock of a sample; NAN: unknown */
};

static struct quality quality_of(const struct shown *shown, int index)
{
	struct quality quality = { .load = NAN, .ghz_lo = NAN, .ghz_hi = NAN };
	const struct json_t *sample;
	unsigned clocks = 0, watched = 0;

	for (size_t at = 0; (sample = shown_next(shown, index, "sample", &at));) {
		double quiet = kept_number(sample, "quiet"), ghz = kept_number(sample, "ghz");

		quality.samples++;
		quality.contended += kept_flag(sample, "contended");
		if (isfinite(quiet)) {
			quality.quiet += quiet;
			watched++;
		}
		quality.load = fmax(quality.load, kept_number(sample, "load_average"));
		if (isfinite(ghz)) {
			quality.ghz += ghz;
			quality.ghz_lo = fmin(quality.ghz_lo, ghz);
			quality.ghz_hi = fmax(quality.ghz_hi, ghz);
			clocks++;
		}
	}
	quality.quiet = watched ? quality.quiet / watched : NAN;
	quality.ghz = clocks ? quality.ghz / clocks : NAN;
	return quality;
}

/* ---- The head */

static void add_card(
	struct page_parts *page, const char *label, struct words value, struct words detail)
{
	if (value.text[0] && strcmp(value.text, "-") != 0)
		document_card(page->document, label, value.text, detail.text);
}

static void add_level_cards(struct page_parts *page)
{
	const struct json_t *level;
	const char *letter = report_probe_letter(page->shown);

	for (size_t at = 0; (level = shown_next(page->shown, 0, "level", &at));) {
		struct kept_word name = kept_word(level, "name"), kind = kept_word(level, "kind");

		if (strcmp(kind.text, "cache") == 0)
			add_card(page, name.text,
				words_of("%s%s", kept_flag(level, "unstable") ? "≈ " : "",
					report_size(level, "bytes").text),
				words_of("%s cycles %s (%s to %s)",
					units_value(kept_number(level, "cycles")).text, letter,
					units_value(kept_number(level, "cycles_lo")).text,
					units_value(kept_number(level, "cycles_hi")).text));
		else if (strcmp(kind.text, "memory") == 0)
			add_card(page, "Memory latency",
				words_of("%s ns", units_value(kept_number(level, "ns")).text),
				words_of("T, %s cycles (%s to %s)",
					units_value(kept_number(level, "cycles")).text,
					units_value(kept_number(level, "cycles_lo")).text,
					units_value(kept_number(level, "cycles_hi")).text));
	}
}

/* Returns the words after a value, which the card states itself. */
static struct words after_value(struct words words)
{
	const char *blank = strchr(words.text, ' ');

	return words_of("%s", blank ? blank + 1 : "");
}

static void add_cards(struct page_parts *page)
{
	const struct shown *shown = page->shown;
	const struct quality quality = quality_of(shown, 0);
	const struct json_t *band, *window, *core = shown_last(shown, 0, "core");
	const char *letter = report_probe_letter(shown);

	document_cards(page->document);
	add_card(page, "Core clock",
		isfinite(quality.ghz) ? words_of("%.2f GHz", quality.ghz) : words_of("-"),
		isfinite(quality.ghz)
			? words_of("%s%smean of %u sample%s (%.2f to %.2f)", letter,
				  *letter ? ", " : "", quality.samples,
				  quality.samples == 1 ? "" : "s", quality.ghz_lo, quality.ghz_hi)
			: words_of("no sample states it"));
	add_level_cards(page);
	for (size_t at = 0; (band = shown_next(shown, 0, "band", &at));)
		if (strcmp(kept_word(band, "level").text, "memory") == 0 &&
			strcmp(kept_word(band, "op").text, "read") == 0)
			add_card(page, "Memory read, one core",
				words_of("%s GB/s", units_value(kept_number(band, "gbps")).text),
				words_of("%s; %s bytes per cycle",
					after_value(report_band(shown, band, "gbps")).text,
					units_value(kept_number(band, "bytes_per_cycle")).text));
	if (core && isfinite(kept_number(core, "width")))
		add_card(page, "Width",
			words_of("%.0f slots per cycle", round(kept_number(core, "width"))),
			words_of("measured: %s",
				report_range(core, "width", report_letter(core)).text));
	for (size_t at = 0; (window = shown_next(shown, 0, "window", &at));)
		if (strcmp(kept_word(window, "buffer").text, "rob") == 0 &&
			kept_number(window, "knee") > 0) {
			add_card(page, "Looks ahead",
				words_of("%.0f instructions", kept_number(window, "knee")),
				words_of("%s (%.0f to %.0f)%s", report_letter(window),
					kept_number(window, "knee_lo"),
					kept_number(window, "knee_hi"),
					kept_flag(window, "contended")
						? "; contended, so it may be wrong"
						: ""));
			break;
		}
	document_cards_end(page->document);
}

/* Whether the shown machine has records of a kind, or samples of the kernel mountain. */
static bool has(const struct page_parts *page, const char *kind)
{
	const struct json_t *sample;

	for (size_t at = 0; (sample = shown_next(page->shown, 0, "sample", &at));)
		if (strcmp(kind, kept_word(sample, "kernel").text) == 0)
			return true;
	return shown_last(page->shown, 0, kind);
}

/* ---- Sections of every page */

static void section_quality(struct page_parts *page)
{
	static const char *const columns[] = { "machine", ">samples", ">quiet trials",
		">contended samples", ">load average", NULL };

	document_table(page->document, columns);
	for (int i = 0; i < page->shown->count; i++) {
		const struct quality quality = quality_of(page->shown, i);

		document_row(page->document,
			(const char *const[]){ shown_name(page->shown, i),
				words_of("%u", quality.samples).text,
				isfinite(quality.quiet)
					? words_of("%.0f %%", 100 * quality.quiet).text
					: "-",
				words_of("%u", quality.contended).text,
				isfinite(quality.load) ? words_of("%.1f", quality.load).text : "-",
				NULL },
			NULL);
	}
	document_table_end(page->document);
	document_paragraph(page->document,
		"A trial is quiet if a watch chain saw no other activity on its core. A sample is "
		"contended if too few of its trials were quiet; its value is then uncertain.");
	document_paragraph(page->document,
		"The letter after a value is its source. C: cycles that the processor counted. R: "
		"cycles by the reference clock. T: wall time. S: what the system states. M: the "
		"shipped core model. Numbers in brackets are quartiles, or the range of a knee.");
}

static void section_repeat(struct page_parts *page)
{
	const struct report_origin *origin = page->origin;

	document_commands(page->document, origin->commands);
	if (*origin->failed) {
		document_paragraph(page->document,
			"These commands could not measure, so their sections are missing. Each "
			"states the reason when it runs alone.");
		document_commands(page->document, origin->failed);
	}
	document_paragraph(page->document,
		origin->seconds > 0
			? words_of("Measured in %.0f s and written at %s by slexplore %s.",
				  origin->seconds, origin->made, PACKAGE_VERSION)
				  .text
			: words_of("Written at %s by slexplore %s from existing records.",
				  origin->made, PACKAGE_VERSION)
				  .text);
}

static void section_machines(struct page_parts *page)
{
	const struct shown *shown = page->shown;

	report_compared(page->document, page->comparison);
	document_pictures(page->document);
	report_chart(page, shown_latency(shown), "");
	report_chart(page, shown_bandwidth(shown), "");
	report_chart(page, shown_tlb(shown), "");
	report_chart(page, shown_parallel(shown), "");
	report_chart(page, shown_windows(shown), "");
	for (int i = 0; i < shown->count && shown->count <= 4; i++)
		report_chart(page, shown_mountain(shown, i), "");
	if (shown->count == 2)
		report_chart(page, shown_mountain_ratio(shown, 0, 1), "");
	document_pictures_end(page->document);
	if (shown->left_out)
		document_paragraph(page->document,
			words_of("The pictures show %d machines; %d more have no place.",
				shown->count, shown->left_out)
				.text);
}

/* The sections in the order of the page. A section that needs records is on the page if one of them
 * exists. */
static const struct section {
	const char *id, *title;
	const char *kind; /* kind of record, or kernel of samples, that the section needs; NULL:
			     none */
	enum { ALONE, SEVERAL, ALWAYS } on;
	void (*add)(struct page_parts *page);
} sections[] = {
	{ "compared", "Comparison", NULL, SEVERAL, section_machines },
	{ "memory", "Caches, TLBs and memory", "level", ALONE, section_memory },
	{ "bandwidth", "Bandwidth and parallel misses", "band", ALONE, section_bandwidth },
	{ "mountain", "Memory mountain", "mountain", ALONE, section_mountain },
	{ "cores", "From core to core", "pair", ALONE, section_cores },
	{ "windows", "Buffers of the core", "window", ALONE, section_windows },
	{ "core", "The core, measured", "class", ALONE, section_core },
	{ "allows", "What this machine allows", "check", ALONE, section_allows },
	{ "quality", "Quality of the measurement", NULL, ALWAYS, section_quality },
	{ "repeat", "How to repeat", NULL, ALWAYS, section_repeat },
};

/* Returns the processor's name from the records of a shown machine; "" if the records do not state
 * it. */
static struct kept_word processor_of(const struct shown *shown, int index)
{
	static const char *const kinds[] = { "probe", "sample", "check", "core", "windows",
		"machine" };

	for (size_t i = 0; i < sizeof(kinds) / sizeof(*kinds); i++) {
		struct kept_word name = kept_word(shown_last(shown, index, kinds[i]), "machine");

		if (*name.text)
			return name;
	}
	return (struct kept_word){ "" };
}

static void add_head(struct page_parts *page, struct words *title)
{
	const struct shown *shown = page->shown;
	const struct quality quality = quality_of(shown, 0);
	struct kept_word name = processor_of(shown, 0);
	struct kept_word microcode = kept_word(shown_last(shown, 0, "probe"), "microcode");
	bool one = !page->comparison;
	const char *host = shown->compared->hosts.count == 1 ? shown->compared->hosts.string[0]
							     : shown_name(shown, 0);

	*title = one ? words_of("%s", *name.text ? name.text : shown_name(shown, 0))
		     : words_of("%d %s compared", shown->count + shown->left_out,
			       shown->kept->by_file ? "files" : "machines");
	document_heading(page->document, 1, title->text);
	document_paragraph(page->document,
		one ? words_of("%s%s%s; measured by slexplore, %s%s", host,
			      *microcode.text ? ", microcode " : "", microcode.text,
			      page->origin->seconds > 0 ? "" : "page written at ",
			      page->origin->made)
				.text
		    : words_of("compared by slexplore, %s", page->origin->made).text);
	if (one && quality.samples && 4 * quality.contended > quality.samples)
		document_fact(page->document, "Busy machine",
			words_of("%u of %u samples were contended: other work shared the core, so "
				 "values may be too high and caches too small.",
				quality.contended, quality.samples)
				.text);
	if (one)
		add_cards(page);
}

void report_page(struct document *document, const struct shown *shown,
	const struct comparison *comparison, const struct report_origin *origin,
	struct words *title)
{
	struct page_parts page = {
		.document = document, .shown = shown, .comparison = comparison, .origin = origin
	};

	add_head(&page, title);
	for (size_t i = 0; i < sizeof(sections) / sizeof(*sections); i++) {
		const struct section *section = &sections[i];

		if ((section->on == ALONE && comparison) ||
			(section->on == SEVERAL && !comparison) ||
			(section->kind && !has(&page, section->kind)))
			continue;
		document_section(document, section->id, section->title);
		section->add(&page);
		document_section_end(document);
	}
	web_colours_rules(&page.colours, PICTURE_LIGHT, &document->light);
	web_colours_rules(&page.colours, PICTURE_DARK, &document->dark);
	web_colours_free(&page.colours);
}
