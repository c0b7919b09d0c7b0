/* Writes the text about a memory hierarchy: a sentence for each level, and the findings. */
#include "model/memory/hierarchy.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "base/units.h"

/* If the ratio of the quartiles of a latency is above the factor `wide`, the text shows the
 * quartiles. */
static const double wide = 1.05;

static struct units_text size_words(double bytes)
{
	return units_size_long((int64_t)llround(bytes));
}

/* Formats cycles with only the digits that are certain: 4.9, 15.7, 142. */
static struct units_text cycle_words(double cycles)
{
	struct units_text words;

	snprintf(words.text, sizeof(words.text), "%.*f", cycles < 99.95 ? 1 : 0, cycles);
	return words;
}

__attribute__((format(printf, 3, 4))) static void find(
	struct hierarchy *hierarchy, enum finding_kind kind, const char *format, ...)
{
	struct finding *finding;
	va_list list;

	if (hierarchy->finding_count == FINDINGS_MAX)
		return;
	finding = &hierarchy->finding[hierarchy->finding_count++];
	finding->kind = kind;
	finding->disagreement = kind <= FINDING_LINE_SIZE;
	va_start(list, format);
	vsnprintf(finding->text, sizeof(finding->text), format, list);
	va_end(list);
}

__attribute__((format(printf, 2, 3))) static void say(
	struct hierarchy_level *level, const char *format, ...)
{
	va_list list;

	va_start(list, format);
	vsnprintf(level->words, sizeof(level->words), format, list);
	va_end(list);
}

/* Whether the latency of a cache level or memory varies widely. If a level has two modes, but one
 * mode is rare, the range of the latency is still narrow. */
static bool is_wide(const struct hierarchy_level *level)
{
	return level->unstable && level->hi > wide * level->lo;
}

bool hierarchy_is_about(const struct hierarchy_level *level)
{
	if (level->kind == LEVEL_TLB)
		return is_wide(level) || level->entries > 1.02 * level->entries_lo ||
		       level->entries_hi > 1.05 * level->entries;
	return level->kind == LEVEL_CACHE && (level->unstable || level->number > 2);
}

static void say_cache(struct hierarchy_level *level, struct hierarchy *hierarchy)
{
	struct units_text cycles = cycle_words(level->cycles), size = size_words(level->bytes),
			  lo = size_words(level->bytes_lo), hi = size_words(level->bytes_hi),
			  stated = size_words((double)level->stated);
	bool exact = strcmp(lo.text, hi.text) == 0;

	if (!hierarchy_disagrees(level)) {
		if (hierarchy_is_about(level))
			say(level, "%s: %s cycles up to about %s (%s to %s)%s", level->name,
				cycles.text, size.text, lo.text, hi.text,
				level->unstable ? ", unstable" : "");
		else
			say(level, "%s: %s cycles up to %s", level->name, cycles.text, size.text);
		return;
	}
	/* No process gets more of a cache than there is. */
	say(level,
		level->bytes > 1.25 * (double)level->stated
			? "%s: %s cycles; the system says %s, but the curve ends at about %s%s"
			: "%s: %s cycles; the system says %s, this process gets about %s%s",
		level->name, cycles.text, stated.text, size.text,
		level->unstable ? ", unstable" : "");
	if (level->looks > 1)
		find(hierarchy, FINDING_CACHE_SIZE,
			"The system says that %s has %s. This process had %s to %s of it, in %d "
			"measurements over %.1f s: other cores share it.",
			level->name, stated.text, lo.text, hi.text, level->looks, level->seconds);
	else
		find(hierarchy, FINDING_CACHE_SIZE,
			"The system says that %s has %s. The curve shows its end %s %s%s%s%s.",
			level->name, stated.text, exact ? "at about" : "between", lo.text,
			exact ? "" : " and ", exact ? "" : hi.text,
			level->unstable ? " in this run, and it varies" : "");
}

/* Writes the sentence about a TLB or about memory. */
static void say_other(struct hierarchy_level *level)
{
	struct units_text cycles = cycle_words(level->cycles);
	char about[64] = "", range[96] = "", ns[24] = "";

	if (level->kind == LEVEL_TLB ? is_wide(level) : level->unstable)
		snprintf(range, sizeof(range), ", unstable: %s to %s", cycle_words(level->lo).text,
			cycle_words(level->hi).text);
	if (hierarchy_is_about(level))
		snprintf(about, sizeof(about), " (%.0f to %.0f)", level->entries_lo,
			level->entries_hi);
	if (isfinite(level->ns))
		snprintf(ns, sizeof(ns), " (%.0f ns)", level->ns);
	if (level->kind == LEVEL_TLB && level->number == 0)
		say(level,
			"step: at %s%.0f pages%s, %s; beyond, %s cycles more%s; its cause is "
			"not known",
			*about ? "about " : "", level->entries, about,
			size_words(level->bytes).text, cycles.text, range);
	else if (level->kind == LEVEL_TLB)
		say(level, "%s: %s%.0f entries%s, pages for %s; beyond, %s cycles more%s",
			level->name, *about ? "about " : "", level->entries, about,
			size_words(level->bytes).text, cycles.text, range);
	else
		say(level, "memory: %s%s cycles%s%s", level->unstable ? "about " : "", cycles.text,
			ns, range);
}

/* ---- Findings */

static void find_missing(const struct hierarchy_input *input, struct hierarchy *hierarchy)
{
	/* If the latency curve does not reach memory, the curve has not passed every cache, so a
	 * missing cache proves nothing. */
	if (!input->machine || !hierarchy_level(hierarchy, LEVEL_MEMORY, 0))
		return;
	for (int i = 0; i < input->machine->cache_count; i++) {
		const struct machine_cache *cache = &input->machine->cache[i];

		if (!hierarchy_level(hierarchy, LEVEL_CACHE, cache->level))
			find(hierarchy, FINDING_CACHE_MISSING,
				"The system says that there is an L%d of %s. The curve has no "
				"separate plateau for it.",
				cache->level, size_words((double)cache->bytes).text);
	}
	for (int i = 0; i < hierarchy->level_count; i++)
		if (hierarchy->level[i].kind == LEVEL_CACHE && hierarchy->level[i].stated == 0 &&
			input->machine->cache_count > 0)
			find(hierarchy, FINDING_CACHE_UNSTATED,
				"The curve shows a plateau of %s, which the system does not state.",
				hierarchy->level[i].name);
}

/* Lists the steps of TLBs that disappear with huge pages (if `gone` is true) or remain: "96 pages
 * (384 KiB) and 2048 pages (8 MiB)". */
static void find_steps(const struct hierarchy_input *input, struct hierarchy *hierarchy, bool gone)
{
	struct text steps = { 0 };
	int count = 0;

	for (int i = 0; i < hierarchy->level_count; i++) {
		const struct hierarchy_level *tlb = &hierarchy->level[i];
		bool huge = tlb->kinds & 1u << PAGES_HUGE;

		if (tlb->kind == LEVEL_TLB && tlb->number > 0 &&
			(gone ? !huge && tlb->kinds & 1u << PAGES_4K &&
						hierarchy_is_gone(&input->pages[PAGES_HUGE], tlb)
			      : huge))
			text_addf(&steps, "%s%.0f pages (%s)", count++ ? " and " : "", tlb->entries,
				size_words(tlb->bytes).text);
	}
	if (count > 0 && gone)
		find(hierarchy, FINDING_STEPS_GONE, "With huge pages the step%s at %s %s gone: %s.",
			count > 1 ? "s" : "", steps.bytes, count > 1 ? "are" : "is",
			count > 1 ? "they were the TLBs'" : "it was the TLB's");
	else if (count > 0)
		find(hierarchy, FINDING_STEPS_STAY,
			"Huge pages were granted, yet the step%s at %s stay%s: %s.",
			count > 1 ? "s" : "", steps.bytes, count > 1 ? "" : "s",
			input->machine && input->machine->virtualised
				? "the host maps small pages"
				: "the TLB splits them into small pages");
	text_free(&steps);
}

static void find_pages(const struct hierarchy_input *input, struct hierarchy *hierarchy)
{
	static const char *const asked[PAGE_KINDS] = { [PAGES_4K] = "4k", [PAGES_HUGE] = "huge" };

	for (int kind = 0; kind < PAGE_KINDS; kind++)
		if (asked[kind] && input->got[kind] && strcmp(input->got[kind], asked[kind]) != 0)
			find(hierarchy, FINDING_PAGES,
				"Pages requested: %s; granted: %s. The curve shows the granted "
				"pages.",
				asked[kind], input->got[kind]);
}

static void find_line_differs(const struct machine *machine, struct hierarchy *hierarchy)
{
	unsigned stated = hierarchy_stated_line(machine);

	if (hierarchy->line > 0 && stated && hierarchy->line != stated)
		find(hierarchy, FINDING_LINE_SIZE,
			"The system says that lines have %u bytes. Two accesses share a line only "
			"while they are less than %.0f bytes apart.",
			stated, hierarchy->line);
}

/* No load is faster than a hit in the first-level cache. If one of two modes is faster, its trials
 * partly ran on another core, so the point does not count. */
static const double fastest_share = 0.9;

static void find_two_modes(const struct hierarchy_input *input, struct hierarchy *hierarchy)
{
	static const char *const pages[PAGE_KINDS] = { "", " with 4k pages", " with huge pages" };

	for (int kind = 0; kind < PAGE_KINDS; kind++) {
		const struct hierarchy_curve *curve = &input->lines[kind];
		const struct curve_point *widest = NULL;
		int count = 0;

		for (int i = 0; i < curve->count; i++) {
			const struct curve_point *point = &curve->points[i];

			if (!point->two_modes ||
				!(point->mode_low >
					fastest_share * hierarchy->lines[kind].plateau[0].cycles))
				continue;
			count++;
			if (!widest || point->mode_high / point->mode_low >
					       widest->mode_high / widest->mode_low)
				widest = point;
		}
		if (count > 0)
			find(hierarchy, FINDING_TWO_MODES,
				"%d point%s%s ha%s two modes%s at %s%s %s cycles in %.0f %% of the "
				"trials and %s in the others.",
				count, count == 1 ? "" : "s", pages[kind], count == 1 ? "s" : "ve",
				count == 1 ? ":" : ", the farthest apart",
				size_words(widest->bytes).text, count == 1 ? "," : ":",
				cycle_words(widest->mode_low).text, 100 * widest->share_low,
				cycle_words(widest->mode_high).text);
	}
}

void hierarchy_say(const struct hierarchy_input *input, struct hierarchy *hierarchy)
{
	for (int i = 0; i < hierarchy->level_count; i++) {
		struct hierarchy_level *level = &hierarchy->level[i];

		if (level->kind == LEVEL_CACHE)
			say_cache(level, hierarchy);
		else
			say_other(level);
	}
	find_missing(input, hierarchy);
	find_line_differs(input->machine, hierarchy);
	if (input->got[PAGES_HUGE] && strcmp(input->got[PAGES_HUGE], "huge") == 0) {
		find_steps(input, hierarchy, false);
		find_steps(input, hierarchy, true);
	}
	find_pages(input, hierarchy);
	find_two_modes(input, hierarchy);
}
