#include "picture/picture_web.h"

#include <math.h>
#include <stdlib.h>

#include "picture/pen.h"

/* A chart is drawn twice, with light and with dark colours, in the same order. The first drawing
 * only collects the light colours; the second drawing writes each shape with the class of its pair
 * of colours. */
struct web {
	struct text *out; /* NULL in the first drawing, which writes nothing */
	struct web_colours *colours;
	unsigned *light;
	size_t light_count, next;
};

static unsigned rgb_of(const struct colour *colour)
{
	return (unsigned)lround(colour->red * 255) << 16 |
	       (unsigned)lround(colour->green * 255) << 8 | (unsigned)lround(colour->blue * 255);
}

static int class_of(struct web_colours *colours, unsigned light, unsigned dark)
{
	for (int i = 0; i < colours->count; i++)
		if (colours->pair[i].colour[PICTURE_LIGHT] == light &&
			colours->pair[i].colour[PICTURE_DARK] == dark)
			return i;
	colours->pair = memory_grow(colours->pair, (size_t)colours->count, sizeof(*colours->pair));
	colours->pair[colours->count].colour[PICTURE_LIGHT] = light;
	colours->pair[colours->count].colour[PICTURE_DARK] = dark;
	return colours->count++;
}

/* Returns the class of the next colour of the second drawing. In the first drawing, keeps the light
 * colour, and returns 0. */
static int use(struct web *web, const struct pen_paint *paint)
{
	unsigned rgb = rgb_of(&paint->colour);

	if (web->out)
		return class_of(web->colours, web->light[web->next++], rgb);
	web->light = memory_grow(web->light, web->light_count, sizeof(*web->light));
	web->light[web->light_count++] = rgb;
	return 0;
}

/* Writes the attributes of a shape, and ends its tag. */
static void finish_shape(
	struct web *web, const struct pen_stroke *stroke, const struct pen_paint *fill)
{
	static const char *const dashes[DASH_COUNT] = { [DASH_LONG] = "11 5",
		[DASH_SHORT] = "5 4",
		[DASH_DOTS] = "1.6 3.6",
		[DASH_MIXED] = "11 4 2 4" };
	int filled = fill ? use(web, fill) : 0, stroked = stroke ? use(web, &stroke->paint) : 0;

	if (!web->out)
		return;
	text_add(web->out, " class=\"");
	if (fill)
		text_addf(web->out, "f%d", filled);
	else
		text_add(web->out, "n");
	if (stroke)
		text_addf(web->out, " s%d", stroked);
	text_add(web->out, "\"");
	if (fill && fill->opacity < 1)
		text_addf(web->out, " fill-opacity=\"%.2g\"", fill->opacity);
	if (stroke) {
		text_addf(web->out, " stroke-width=\"%.2g\"", stroke->width);
		if (stroke->paint.opacity < 1)
			text_addf(web->out, " stroke-opacity=\"%.2g\"", stroke->paint.opacity);
		if (dashes[stroke->dash])
			text_addf(web->out, " stroke-dasharray=\"%s\"", dashes[stroke->dash]);
	}
	text_add(web->out, "/>\n");
}

static void web_text(void *context, double x, double y, enum layout_anchor anchor, double size,
	bool bold, const struct pen_paint *paint, const char *text)
{
	static const char *const anchors[] = { "", " text-anchor=\"middle\"",
		" text-anchor=\"end\"" };
	struct web *web = context;
	int filled = use(web, paint);

	if (!web->out)
		return;
	text_addf(web->out, "<text x=\"%.1f\" y=\"%.1f\" font-size=\"%.3g\" class=\"f%d\"%s%s>", x,
		y, size, filled, anchors[anchor], bold ? " font-weight=\"bold\"" : "");
	text_add_xml(web->out, text);
	text_add(web->out, "</text>\n");
}

static void web_path(void *context, const struct pen_point *points, int count, bool closed,
	const struct pen_stroke *stroke, const struct pen_paint *fill)
{
	struct web *web = context;

	if (web->out) {
		text_add(web->out, "<path d=\"");
		for (int i = 0; i < count; i++)
			text_addf(web->out, "%s%.1f %.1f", i ? "L" : "M", points[i].x, points[i].y);
		text_add(web->out, closed ? "Z\"" : "\"");
	}
	finish_shape(web, stroke, fill);
}

static void web_disc(void *context, double x, double y, double radius,
	const struct pen_stroke *stroke, const struct pen_paint *fill)
{
	struct web *web = context;

	if (web->out)
		text_addf(web->out, "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"%.1f\"", x, y, radius);
	finish_shape(web, stroke, fill);
}

void picture_web(const struct chart *chart, struct web_colours *colours, struct text *out)
{
	struct web web = { .colours = colours };
	const struct pen pen = { .context = &web,
		.metrics = metrics_plain,
		.text = web_text,
		.path = web_path,
		.disc = web_disc };
	/* The page of a compact chart has more margin than a document needs. */
	double cut = chart->compact ? PAGE_SIDE - 8 : 0;

	pen_draw(&pen, chart, PICTURE_LIGHT);
	web.out = out;
	text_addf(out, "<svg viewBox=\"%.0f 0 %.0f %.0f\" role=\"img\" aria-label=\"", cut,
		(chart->compact ? COMPACT_WIDTH : LAYOUT_WIDTH) - 2 * cut,
		chart->compact ? COMPACT_HEIGHT : LAYOUT_HEIGHT);
	text_add_xml(out, chart->title);
	text_add(out, "\">\n");
	pen_draw(&pen, chart, PICTURE_DARK);
	text_add(out, "</svg>\n");
	free(web.light);
}

void web_colours_rules(
	const struct web_colours *colours, enum picture_theme theme, struct text *out)
{
	for (int i = 0; i < colours->count; i++)
		text_addf(out, ".f%d{fill:#%06x}.s%d{stroke:#%06x}\n", i,
			colours->pair[i].colour[theme], i, colours->pair[i].colour[theme]);
}

void web_colours_free(struct web_colours *colours)
{
	free(colours->pair);
	*colours = (struct web_colours){ 0 };
}
