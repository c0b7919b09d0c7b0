/* Charts as SVG inside HTML. Text stays text, and every colour is a class, so that the same chart
 * has light and dark colours. Needs no library. */
#pragma once

#include "base/text.h"
#include "picture/chart.h"
#include "picture/palette.h"

/* The colours of all charts of one HTML page: each class has a light and a dark colour. Begins
 * zeroed; ends with web_colours_free(). */
struct web_colours {
	int count;
	struct web_colour {
		unsigned colour[PICTURE_THEMES]; /* 0xRRGGBB */
	} * pair;
};

/* Appends the chart as an element svg, and adds its colours to `colours`. */
void picture_web(const struct chart *chart, struct web_colours *colours, struct text *out);

/* Appends the style rules of the classes for one theme. */
void web_colours_rules(
	const struct web_colours *colours, enum picture_theme theme, struct text *out);
void web_colours_free(struct web_colours *colours);
