/* What is to be said of the setting under the cursor, where the mountain has the screen: the
 * figure, what binds it, what it misses. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/units.h"
#include "ui/mountain.h"
#include "ui/panels.h"

enum { WORDS = 640 };

struct page {
	struct canvas *canvas;
	struct rectangle at;
	bool draw;
	int y;
};

/* A line, wrapped: counted, and drawn as far as it has room. */
static void put(struct page *page, enum style style, const char *text)
{
	if (page->draw && page->y < page->at.height)
		canvas_wrap(page->canvas, page->at, page->y, style, text);
	page->y += canvas_wrap_rows(page->canvas, page->at.width, text);
}

static void figure_words(const struct view *view, char *buffer, size_t size)
{
	const struct sample *sample = &view->sample;
	char gbps[24], bytes[24], cpe[24], low[24], high[24];
	const char *state = panels_state(view);

	if (!sample->valid) {
		snprintf(buffer, size, "%s",
			view->failure[0] ? view->failure
			: view->frozen	 ? "no figure: frozen"
					 : "measuring …");
		return;
	}
	panels_figure(sample->gbps, gbps, sizeof(gbps));
	panels_figure(sample->bytes_per_cycle, bytes, sizeof(bytes));
	panels_figure(sample->cpe, cpe, sizeof(cpe));
	panels_figure(sample->cpe_lo, low, sizeof(low));
	panels_figure(sample->cpe_hi, high, sizeof(high));
	snprintf(buffer, size, "%s GB/s T, %s bytes a cycle; CPE %s (%s to %s), %s%s%s", gbps,
		bytes, cpe, low, high, panels_source(sample->cycles_from), *state ? "; " : "",
		state);
}

/* The limit that binds, or why none is known. Empty: nobody says. */
static void limit_words(const struct view *view, char *buffer, size_t size)
{
	const struct explanation *explanation = view->explanation;
	const struct limits *limits = explanation ? &explanation->limits : NULL;
	char bound[24];

	if (!limits || !status_is_ok(&explanation->status) || limits->binding < 0) {
		snprintf(buffer, size, "%s", view->limits_note);
		return;
	}
	panels_figure(limits->bound, bound, sizeof(bound));
	snprintf(buffer, size, "limit CPE %s, %s: %s", bound,
		limit_title(limits->limit[limits->binding].kind),
		limits->limit[limits->binding].cause);
}

/* "L1 48 KiB: every read is a miss: 1 line for each (counted 0.98 C); in 96 KiB: none". Returns
 * false where there is no such cache. */
static bool misses_words_of(const struct view *view, int level, char *buffer, size_t size)
{
	const struct view_misses *misses = &view->misses;
	char bytes[32], words[160], note[120], figure[24], counted[40] = "", other[240] = "";

	if (!(misses->now.level[level].bytes > 0))
		return false;
	units_bytes_long((int64_t)misses->now.level[level].bytes, bytes, sizeof(bytes));
	misses_words(&misses->now, level, words, sizeof(words));
	misses_note(&misses->now, level, note, sizeof(note));
	if (isfinite(misses->counted[level])) {
		panels_figure(misses->counted[level], figure, sizeof(figure));
		snprintf(counted, sizeof(counted), "; counted %s C", figure);
	}
	if (misses->whatif.asked &&
		misses->then.level[level].bytes != misses->now.level[level].bytes) {
		char larger[32], then[160];

		units_bytes_long((int64_t)misses->then.level[level].bytes, larger, sizeof(larger));
		misses_words(&misses->then, level, then, sizeof(then));
		snprintf(other, sizeof(other), "; if %s: %.150s", larger,
			strcmp(then, words) == 0 ? "the same" : then);
	}
	snprintf(buffer, size, "L%d %s: %s%s%s%s%s", level + 1, bytes, words, counted, other,
		*note ? "; " : "", note);
	return true;
}

/* "ridges as probed: L1 47 KiB, L2 2 MiB": where they are not as the lines about misses have them.
 */
static void ridge_words(const struct view_grid *grid, char *buffer, size_t size)
{
	size_t used = (size_t)snprintf(buffer, size, "ridges as the probe found them:");

	for (int i = 0; i < MISSES_LEVELS && used < size; i++) {
		char bytes[32];

		if (!(grid->cache[i] > 0))
			continue;
		units_bytes_short((int64_t)grid->cache[i], bytes, sizeof(bytes));
		used += (size_t)snprintf(buffer + used, size - used, " L%d %s", i + 1, bytes);
	}
}

int walked_draw(struct canvas *canvas, struct rectangle at, const struct view *view, bool draw)
{
	struct page page = { canvas, at, draw, 0 };
	char words[WORDS];

	/* The title of the panel has the setting too. */
	if (!draw || at.height > 2) {
		panels_setting(&view->setting, NULL, words, sizeof(words));
		put(&page, STYLE_FIGURE, words);
	}
	figure_words(view, words, sizeof(words));
	put(&page, view->sample.contended ? STYLE_WARN : STYLE_TEXT, words);
	limit_words(view, words, sizeof(words));
	if (*words)
		put(&page, STYLE_TEXT, words);
	if (!view->misses.now.known) {
		snprintf(words, sizeof(words), "misses: unavailable; %s", view->misses.now.why);
		put(&page, STYLE_DIM, words);
	}
	for (int i = 0; view->misses.now.known && i < MISSES_LEVELS; i++)
		if (misses_words_of(view, i, words, sizeof(words)))
			put(&page, view->misses.now.level[i].fits ? STYLE_DIM : STYLE_TEXT, words);
	if (view->grid.probed) {
		ridge_words(&view->grid, words, sizeof(words));
		put(&page, STYLE_DIM, words);
	}
	return page.y;
}
