#include "base/fatal.h"
#include "base/library.h"
#include "picture/picture.h"

#include "config.h"

#ifdef HAVE_CAIRO

#include <cairo-pdf.h>
#include <cairo-svg.h>
#include <cairo.h>
#include <fcntl.h>
#include <math.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "picture/pen.h"

/* Pixels per point of the page, so that a PNG image has 1920 × 1080 pixels. */
static const double PNG_SCALE = 2;

/* The functions of cairo that are loaded at run time. The program is not linked with cairo, and the
 * headers of cairo supply only the types of the functions. */
/* clang-format off */
#define FUNCTIONS(each) \
	each(cairo_create) each(cairo_destroy) each(cairo_status) each(cairo_status_to_string) \
	each(cairo_scale) each(cairo_new_path) each(cairo_move_to) each(cairo_line_to) each(cairo_arc) \
	each(cairo_close_path) each(cairo_fill_preserve) each(cairo_stroke_preserve) \
	each(cairo_set_source_rgba) each(cairo_set_line_width) each(cairo_set_line_cap) \
	each(cairo_set_line_join) each(cairo_set_dash) each(cairo_select_font_face) \
	each(cairo_set_font_size) each(cairo_set_font_options) each(cairo_text_extents) \
	each(cairo_show_text) each(cairo_font_options_create) each(cairo_font_options_destroy) \
	each(cairo_font_options_set_hint_metrics) each(cairo_font_options_set_hint_style) \
	each(cairo_surface_finish) each(cairo_surface_destroy) each(cairo_surface_status) \
	each(cairo_image_surface_create) each(cairo_surface_write_to_png_stream) \
	each(cairo_svg_surface_create_for_stream) each(cairo_pdf_surface_create_for_stream) \
	each(cairo_pdf_surface_set_metadata)
/* clang-format on */

#define DECLARE(name) __typeof__(&name) name;
#define PLACE(name)   { #name, (void **)&api.name },

/* The loaded functions, written once by the only thread that draws. */
static struct {
	FUNCTIONS(DECLARE)
} api;
static bool loaded;

/* Without memory, cairo and the libraries that it loads access address 0, or read the settings of
 * fonts for ever. A first drawing may read all fonts of the machine, which takes DRAWING_SECONDS at
 * most. */
static const char guarded[] = "cairo, which draws pictures,";
static const double DRAWING_SECONDS = 5;

struct status picture_cairo_ready(void)
{
	static const struct library_function places[] = { FUNCTIONS(PLACE) };
	char why[LIBRARY_WHY];

	if (loaded)
		return status_ok();
	fatal_guard(guarded);
	loaded = library_load("libcairo.so.2", places, sizeof(places) / sizeof(places[0]), why);
	fatal_guard(NULL);
	if (!loaded)
		return status_failed(
			"cairo, which draws pictures, cannot be loaded (%.90s): install libcairo2 "
			"1.16 or later, or use gnuplot (--gnuplot, or a name in .gp)",
			why);
	return status_ok();
}

/* ---- the pen ---- */

static void use_font(cairo_t *cairo, double size, bool bold)
{
	api.cairo_select_font_face(cairo, "sans-serif", CAIRO_FONT_SLANT_NORMAL,
		bold ? CAIRO_FONT_WEIGHT_BOLD : CAIRO_FONT_WEIGHT_NORMAL);
	api.cairo_set_font_size(cairo, size);
}

static double pen_width(void *context, const char *text, double size, bool bold)
{
	cairo_text_extents_t extents = { 0 };

	use_font(context, size, bold);
	api.cairo_text_extents(context, text, &extents);
	return extents.x_advance;
}

/* At the first text, the library of fonts reads the machine's font files, and writes warnings about
 * them to standard error. They would disturb the screen, and say nothing about the picture. */
static void load_fonts(cairo_t *cairo)
{
	static atomic_flag are_read = ATOMIC_FLAG_INIT;
	int kept, nowhere;

	if (atomic_flag_test_and_set(&are_read))
		return;
	kept = fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
	nowhere = kept < 0 ? -1 : open("/dev/null", O_WRONLY | O_CLOEXEC);
	if (nowhere >= 0) {
		fatal_messages(kept);
		dup2(nowhere, STDERR_FILENO);
	}
	pen_width(cairo, "x", 12, false);
	pen_width(cairo, "x", 12, true);
	if (nowhere >= 0) {
		dup2(kept, STDERR_FILENO);
		fatal_messages(STDERR_FILENO);
		close(nowhere);
	}
	if (kept >= 0)
		close(kept);
}

static void use_paint(cairo_t *cairo, const struct pen_paint *paint)
{
	api.cairo_set_source_rgba(
		cairo, paint->colour.red, paint->colour.green, paint->colour.blue, paint->opacity);
}

static void pen_text(void *context, double x, double y, enum layout_anchor anchor, double size,
	bool bold, const struct pen_paint *paint, const char *text)
{
	double width = pen_width(context, text, size, bold);

	use_paint(context, paint);
	api.cairo_move_to(context, x - width * anchor / 2, y);
	api.cairo_show_text(context, text);
	api.cairo_new_path(context);
}

static void use_stroke(cairo_t *cairo, const struct pen_stroke *stroke)
{
	static const struct {
		int count;
		double part[4];
	} dashes[DASH_COUNT] = {
		[DASH_LONG] = { 2, { 11, 5 } },
		[DASH_SHORT] = { 2, { 5, 4 } },
		[DASH_DOTS] = { 2, { 1.6, 3.6 } },
		[DASH_MIXED] = { 4, { 11, 4, 2, 4 } },
	};

	use_paint(cairo, &stroke->paint);
	api.cairo_set_line_width(cairo, stroke->width);
	api.cairo_set_dash(cairo, dashes[stroke->dash].part, dashes[stroke->dash].count, 0);
	/* Round ends would close the gaps of dashes. */
	api.cairo_set_line_cap(
		cairo, stroke->dash == DASH_SOLID ? CAIRO_LINE_CAP_ROUND : CAIRO_LINE_CAP_BUTT);
	api.cairo_set_line_join(cairo, CAIRO_LINE_JOIN_ROUND);
}

/* Fills and strokes cairo's current path, and clears the path. */
static void finish_path(
	cairo_t *cairo, const struct pen_stroke *stroke, const struct pen_paint *fill)
{
	if (fill) {
		use_paint(cairo, fill);
		api.cairo_fill_preserve(cairo);
	}
	if (stroke) {
		use_stroke(cairo, stroke);
		api.cairo_stroke_preserve(cairo);
	}
	api.cairo_new_path(cairo);
}

static void pen_path(void *context, const struct pen_point *points, int count, bool closed,
	const struct pen_stroke *stroke, const struct pen_paint *fill)
{
	for (int i = 0; i < count; i++)
		(i ? api.cairo_line_to : api.cairo_move_to)(context, points[i].x, points[i].y);
	if (closed)
		api.cairo_close_path(context);
	finish_path(context, stroke, fill);
}

static void pen_disc(void *context, double x, double y, double radius,
	const struct pen_stroke *stroke, const struct pen_paint *fill)
{
	api.cairo_arc(context, x, y, radius, 0, 2 * M_PI);
	api.cairo_close_path(context);
	finish_path(context, stroke, fill);
}

/* ---- files ---- */

static cairo_status_t append(void *closure, const unsigned char *bytes, unsigned int length)
{
	text_addn(closure, (const char *)bytes, length);
	return CAIRO_STATUS_SUCCESS;
}

static struct status outcome(cairo_status_t status)
{
	if (status == CAIRO_STATUS_SUCCESS)
		return status_ok();
	return status_failed(
		"cairo could not draw the picture: %s", api.cairo_status_to_string(status));
}

/* Draws a chart on a surface and finishes the surface. The caller destroys the surface. */
static struct status draw_on(
	cairo_surface_t *surface, const struct chart *chart, enum picture_theme theme, double scale)
{
	cairo_t *cairo = api.cairo_create(surface);
	cairo_font_options_t *options = api.cairo_font_options_create();
	const struct pen pen = { .context = cairo,
		.metrics = { cairo, pen_width },
		.text = pen_text,
		.path = pen_path,
		.disc = pen_disc };
	struct status status;

	/* Without hinting of metrics, the width of text is proportional to its size on every
	 * surface, so the drawing matches the layout. */
	api.cairo_font_options_set_hint_metrics(options, CAIRO_HINT_METRICS_OFF);
	api.cairo_font_options_set_hint_style(options, CAIRO_HINT_STYLE_NONE);
	api.cairo_set_font_options(cairo, options);
	api.cairo_font_options_destroy(options);
	api.cairo_scale(cairo, scale, scale);
	load_fonts(cairo);
	pen_draw(&pen, chart, theme);
	status = outcome(api.cairo_status(cairo));
	api.cairo_destroy(cairo);
	return status;
}

/* Collects the text of the chart as a description for screen readers, searches and tests, because
 * cairo draws letters only as shapes. */
static void describe(const struct chart *chart, struct text *text)
{
	struct layout *layout = layout_new(chart, &metrics_plain);

	text_add(text, "<title>");
	text_add_xml(text, chart->title);
	text_add(text, "</title>\n<desc>");
	for (int i = 0; i < layout->text_count; i++) {
		if (layout->text[i].role == ROLE_TICK && chart->kind != CHART_BARS)
			continue;
		text_add_xml(text, layout->text[i].text);
		text_add(text, "\n");
	}
	text_add(text, "</desc>\n");
	layout_free(layout);
}

/* Inserts the description into the SVG after the tag of the root element. */
static void add_described(const struct chart *chart, const struct text *drawn, struct text *out)
{
	const char *root = strstr(text_string(drawn), "<svg");
	const char *inside = root ? strchr(root, '>') : NULL;

	if (!inside)
		return;
	text_addn(out, text_string(drawn), (size_t)(inside + 1 - text_string(drawn)));
	text_add(out, "\n");
	describe(chart, out);
	text_add(out, inside + 1);
}

struct status picture_draw(enum picture_format format, const struct chart *chart,
	enum picture_theme theme, struct text *out)
{
	struct status status = picture_cairo_ready();
	struct text drawn = { 0 };
	double scale = format == PICTURE_PNG ? PNG_SCALE : 1;
	cairo_surface_t *surface;

	if (!status_is_ok(&status))
		return status;
	fatal_guard_for(guarded, DRAWING_SECONDS);
	surface = format == PICTURE_PNG
			  ? api.cairo_image_surface_create(CAIRO_FORMAT_RGB24,
				    (int)(LAYOUT_WIDTH * scale), (int)(LAYOUT_HEIGHT * scale))
			  : (format == PICTURE_PDF ? api.cairo_pdf_surface_create_for_stream
						   : api.cairo_svg_surface_create_for_stream)(
				    append, &drawn, LAYOUT_WIDTH, LAYOUT_HEIGHT);
	if (format == PICTURE_PDF) {
		api.cairo_pdf_surface_set_metadata(surface, CAIRO_PDF_METADATA_TITLE, chart->title);
		api.cairo_pdf_surface_set_metadata(
			surface, CAIRO_PDF_METADATA_SUBJECT, chart->subtitle);
		api.cairo_pdf_surface_set_metadata(
			surface, CAIRO_PDF_METADATA_CREATOR, PACKAGE_STRING);
	}
	status = draw_on(surface, chart, theme, scale);
	if (format == PICTURE_PNG && status_is_ok(&status))
		status = outcome(api.cairo_surface_write_to_png_stream(surface, append, &drawn));
	api.cairo_surface_finish(surface);
	if (status_is_ok(&status))
		status = outcome(api.cairo_surface_status(surface));
	api.cairo_surface_destroy(surface);
	fatal_guard(NULL);
	if (status_is_ok(&status) && format == PICTURE_SVG)
		add_described(chart, &drawn, out);
	else if (status_is_ok(&status))
		text_addn(out, text_string(&drawn), drawn.length);
	text_free(&drawn);
	return status;
}

#else

struct status picture_cairo_ready(void)
{
	return status_failed(
		"this slexplore was built without cairo, which draws pictures: install "
		"libcairo2-dev and build it again, or use gnuplot (--gnuplot, or a name in .gp)");
}

struct status picture_draw(enum picture_format format, const struct chart *chart,
	enum picture_theme theme, struct text *out)
{
	(void)format, (void)chart, (void)theme, (void)out;
	return picture_cairo_ready();
}

#endif
