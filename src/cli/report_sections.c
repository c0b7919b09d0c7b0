/* Sections of a report about one machine: memory, bandwidth, mountain, buffers, doctor. */
#include <math.h>
#include <string.h>

#include "base/units.h"
#include "cli/report_inside.h"

/* The latency of a level in ns. Its quartiles are those of the cycles, of the same samples. */
static struct words level_ns(const struct json_t *level)
{
	double ns = kept_number(level, "ns"), cycles = kept_number(level, "cycles");

	return report_spread(ns, "T", ns * kept_number(level, "cycles_lo") / cycles,
		ns * kept_number(level, "cycles_hi") / cycles);
}

static void add_levels(struct page_parts *page)
{
	static const char *const columns[] = { "level", ">size found (R)", ">range",
		">size stated (S)", ">cycles", ">ns", NULL };
	const char *letter = report_probe_letter(page->shown);
	const struct json_t *level;

	document_table(page->document, columns);
	for (size_t at = 0; (level = shown_next(page->shown, 0, "level", &at));) {
		struct kept_word name = kept_word(level, "name");
		struct words size = report_size(level, "bytes"),
			     stated = report_size(level, "stated"),
			     cycles = report_range(level, "cycles", letter), ns = level_ns(level),
			     range = kept_flag(level, "unstable") && kept_number(level, "bytes") > 0
					     ? words_of("%s to %s",
						       report_size(level, "bytes_lo").text,
						       report_size(level, "bytes_hi").text)
					     : words_of("-");

		if (strcmp(kept_word(level, "kind").text, "tlb") == 0) {
			size = words_of("%.0f %s", kept_number(level, "entries"),
				kept_number(level, "number") == 0 ? "pages" : "entries");
			range = words_of("%.0f to %.0f", kept_number(level, "entries_lo"),
				kept_number(level, "entries_hi"));
			cycles = words_of("+%s", cycles.text);
		}
		document_row(page->document,
			(const char *const[]){ name.text, size.text, range.text, stated.text,
				cycles.text, ns.text, NULL },
			NULL);
	}
	document_table_end(page->document);
}

void section_memory(struct page_parts *page)
{
	const struct json_t *probe = shown_last(page->shown, 0, "probe"), *finding;

	add_levels(page);
	if (kept_number(probe, "line") > 0)
		document_paragraph(page->document,
			words_of("A cache line has %.0f bytes. Sizes are the knees of latency "
				 "curves; a TLB's cycles are those of a miss.",
				kept_number(probe, "line"))
				.text);
	for (size_t at = 0; (finding = shown_next(page->shown, 0, "finding", &at));)
		document_remark(page->document, kept_word(finding, "text").text);
	document_pictures(page->document);
	report_chart(page, shown_latency(page->shown),
		"Each load waits for the previous one, in random order. Bands: quartiles.");
	report_chart(
		page, shown_tlb(page->shown), "A step is named if it has the size of a known TLB.");
	document_pictures_end(page->document);
}

/* Follows a contended value. */
static const char report_doubtful[] = " ?";

static void explain_doubt(struct page_parts *page, bool any)
{
	if (any)
		document_paragraph(page->document, "?: contended, so the value may be wrong.");
}

struct words report_band(const struct shown *shown, const struct json_t *band, const char *key)
{
	double value = kept_number(band, key), low = NAN, high = NAN;
	bool timed = strcmp(key, "gbps") == 0, contended = false;
	const char *letter = report_probe_letter(shown);
	const struct json_t *sample;

	for (size_t next = 0; (sample = shown_next(shown, 0, "sample", &next));)
		if (kept_number(sample, "id") == kept_number(band, "sample") &&
			*kept_word(sample, "part").text) {
			double cpe = kept_number(sample, "cpe");

			letter = report_letter(sample);
			contended = kept_flag(sample, "contended");
			low = value * cpe / kept_number(sample, "cpe_hi");
			high = value * cpe / kept_number(sample, "cpe_lo");
		}
	return words_of("%s%s", report_spread(value, timed ? "T" : letter, low, high).text,
		contended ? report_doubtful : "");
}

void section_bandwidth(struct page_parts *page)
{
	static const char *const columns[] = { "level", "operation", ">working set",
		">bytes per cycle", ">lines per cycle", ">GB/s", NULL };
	const struct json_t *band;
	bool doubtful = false;

	document_table(page->document, columns);
	for (size_t at = 0; (band = shown_next(page->shown, 0, "band", &at));) {
		static const char *const keys[] = { "bytes_per_cycle", "lines_per_cycle", "gbps" };
		struct words values[3];

		for (int i = 0; i < 3; i++)
			values[i] = report_band(page->shown, band, keys[i]);
		doubtful |= strstr(values[0].text, report_doubtful) != NULL;
		document_row(page->document,
			(const char *const[]){ kept_word(band, "level").text,
				kept_word(band, "op").text, report_size(band, "size").text,
				values[0].text, values[1].text, values[2].text, NULL },
			NULL);
	}
	document_table_end(page->document);
	explain_doubt(page, doubtful);
	document_pictures(page->document);
	report_chart(
		page, shown_bandwidth(page->shown), "Bytes that the code itself reads and writes.");
	report_chart(page, shown_parallel(page->shown),
		"Independent chains of loads overlap their misses.");
	document_pictures_end(page->document);
}

/* Most strides that a table of a mountain has. */
enum { STRIDES_LISTED = 16 };

/* Adds the mountain as a table, because Markdown has no pictures. */
static void add_mountain_table(struct page_parts *page, const struct chart *mountain)
{
	int every = (mountain->x.count + STRIDES_LISTED - 1) / STRIDES_LISTED;
	struct words cells[STRIDES_LISTED + 1];
	const char *row[STRIDES_LISTED + 2];
	bool doubtful = false;

	document_paragraph(page->document,
		"Read throughput in GB/s (T) for each size of the working set (rows) and each "
		"stride in elements of 8 bytes (columns).");
	for (int y = -1; y < mountain->y.count; y++) {
		int count = 0;

		row[count++] = y < 0 ? "size" : mountain->y.name[y];
		for (int x = 0; x < mountain->x.count; x += every) {
			int cell = y * mountain->x.count + x;

			cells[count] =
				y < 0 ? words_of(">%s", mountain->x.name[x])
				: !isfinite(mountain->grid[cell])
					? words_of("-")
					: words_of("%s%s", units_value(mountain->grid[cell]).text,
						  mountain->doubtful[cell] ? report_doubtful : "");
			doubtful |= y >= 0 && mountain->doubtful[cell];
			row[count] = cells[count].text;
			count++;
		}
		row[count] = NULL;
		if (y < 0)
			document_table(page->document, row);
		else
			document_row(page->document, row, NULL);
	}
	document_table_end(page->document);
	explain_doubt(page, doubtful);
}

void section_mountain(struct page_parts *page)
{
	struct chart *mountain = shown_mountain(page->shown, 0);

	if (mountain && !page->document->html)
		add_mountain_table(page, mountain);
	report_chart(page, mountain,
		"Read throughput over size and stride (T). A cut corner: contended.");
}

void section_cores(struct page_parts *page)
{
	static const char *const columns[] = { "pairs of processors", ">ns, one way",
		">shortest trials, ns", ">pairs", NULL };
	const struct json_t *group;

	document_table(page->document, columns);
	for (size_t at = 0; (group = shown_next(page->shown, 0, "cores", &at));)
		document_row(page->document,
			(const char *const[]){ kept_word(group, "name").text,
				report_range(group, "ns", "T").text,
				report_range(group, "least", "T").text,
				words_of("%.0f", kept_number(group, "pairs")).text, NULL },
			NULL);
	document_table_end(page->document);
	report_chart(page, shown_transfer(page->shown),
		"The time of a cache line from one processor to another (T), one way.");
}

void section_windows(struct page_parts *page)
{
	static const char *const columns[] = { "filler", "fills", ">fillers at the knee",
		"kind of knee", ">core model (M)", "words", NULL };
	const struct json_t *window;

	document_paragraph(page->document,
		"Two cache misses overlap if the core's buffers have room for the instructions "
		"between them. The number of instructions at which the misses stop overlapping is "
		"the size of a buffer.");
	document_pictures(page->document);
	report_chart(page, shown_windows(page->shown),
		"Where a curve rises, a buffer is full. Bands: quartiles.");
	report_chart(page, shown_knees(page->shown),
		"Instructions between two misses at which each buffer is full.");
	document_pictures_end(page->document);
	document_table(page->document, columns);
	for (size_t at = 0; (window = shown_next(page->shown, 0, "window", &at));) {
		double knee = kept_number(window, "knee"), entries = kept_number(window, "entries");
		struct words size = knee > 0 ? words_of("%.0f %s (%.0f to %.0f)", knee,
						       report_letter(window),
						       kept_number(window, "knee_lo"),
						       kept_number(window, "knee_hi"))
					     : words_of("-"),
			     model = entries > 0 ? words_of("%.0f", entries) : words_of("-");

		document_row(page->document,
			(const char *const[]){ kept_word(window, "filler").text,
				kept_word(window, "title").text, size.text,
				kept_word(window, "kind").text, model.text,
				kept_word(window, "words").text, NULL },
			NULL);
	}
	document_table_end(page->document);
}

void section_allows(struct page_parts *page)
{
	static const char *const columns[] = { "check", "", "finding", "advice", NULL };
	const struct json_t *check;

	document_table(page->document, columns);
	for (size_t at = 0; (check = shown_next(page->shown, 0, "check", &at));) {
		struct kept_word name = kept_word(check, "name"), state = kept_word(check, "state");

		/* The check of the terminal is omitted, because it does not concern the machine. */
		if (strcmp(name.text, "terminal") != 0)
			document_row(page->document,
				(const char *const[]){ name.text, state.text,
					kept_word(check, "finding").text,
					kept_word(check, "advice").text, NULL },
				state.text);
	}
	document_table_end(page->document);
}
