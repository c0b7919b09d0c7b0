/* Pictures in files: names, what is refused and when, that they are whole; what is drawn, and what
 * is written for gnuplot. */
#include "check.h"

#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "base/text.h"
#include "picture/pen.h"
#include "picture/picture.h"

/* The outcome is an error of that kind, and its text contains the part. */
static void check_error(struct status outcome, int code, const char *part)
{
	assert_int_equal(outcome.code, code);
	check_contains(outcome.text, part);
}

static char directory[64];

static int enter_directory(void **state)
{
	snprintf(directory, sizeof(directory), "/tmp/slexplore-picture-XXXXXX");
	return mkdtemp(directory) && chdir(directory) == 0 ? 0 : -1;
}

static int leave_directory(void **state)
{
	char command[100];

	snprintf(command, sizeof(command), "rm -rf '%s'", directory);
	return chdir("/") == 0 ? system(command) : -1;
}

/* The whole of a file, until the next one is read. */
static const char *read_file(const char *path, size_t *length)
{
	static char bytes[1 << 22];
	FILE *file = fopen(path, "rb");

	assert_non_null(file);
	*length = fread(bytes, 1, sizeof(bytes) - 1, file);
	bytes[*length] = '\0';
	fclose(file);
	return bytes;
}

/* The file contains exactly these bytes. */
static void check_file(const char *path, const void *content, size_t size)
{
	size_t length;
	const char *bytes = read_file(path, &length);

	assert_int_equal(length, size);
	assert_memory_equal(bytes, content, size);
}

static int files_here(void)
{
	FILE *list = popen("ls -A | wc -l", "r");
	int count = -1;

	assert_int_equal(fscanf(list, "%d", &count), 1);
	pclose(list);
	return count;
}

static struct chart *curve(void)
{
	struct chart *chart = chart_new(CHART_LINES);
	struct chart_series *series = chart_add_series(chart, "it's <one> & two");
	struct chart_mark mark = { .at = 49152, .lo = 40000, .hi = 60000 };

	chart_print(chart->title, "a curve's title");
	chart_print(chart->y.title, "cycles per load");
	chart_print(mark.text, "L1d 48 KiB");
	chart_add_mark(chart, &mark);
	chart->joined = true;
	for (int i = 0; i < 12; i++) {
		struct chart_point point = { 4096 << i,
			i == 6	? NAN
			: i < 4 ? 5
				: 16,
			4.9, 16.5, i == 8 ? 15 : NAN, i == 8 ? 30 : NAN, i == 9 };

		chart_add_point(series, &point);
	}
	chart_add_flat(chart, 4096, 32768, 5, "5.0 cycles");
	chart_fit(chart, SCALE_BYTES, SCALE_LOG);
	return chart;
}

static struct chart *grid(enum chart_kind kind)
{
	static const char *const names[] = { "1", "2", "3" };
	struct chart *chart = chart_new(kind);

	chart_name_axis(&chart->x, names, 3);
	chart_name_axis(&chart->y, names, 3);
	chart_make_grid(chart);
	for (int i = 0; i < 8; i++)
		chart->grid[i] = 10 + i;
	chart->doubtful[4] = true;
	chart_print(chart->z.title, "GB/s");
	chart_grid_scale(chart, 10, 17);
	return chart;
}

static struct chart *bars(void)
{
	static const struct chart_bar rows[] = {
		{ BAR_BINDING, "latency", "a chain", "3.000 binds", 3, NAN, NAN },
		{ BAR_SOFT, "decode", "", "1.000", 1, NAN, NAN },
		{ BAR_UNKNOWN, "divider", "unknown: nobody says", "", NAN, NAN, NAN },
		{ BAR_MEASURED, "measured", "quartiles", "3.010", 3.01, 2.9, 3.2 },
	};
	struct chart *chart = chart_new(CHART_BARS);

	memcpy(chart->bar, rows, sizeof(rows));
	chart->bar_count = sizeof(rows) / sizeof(rows[0]);
	chart->x.scale = scale_fit(SCALE_LINEAR, 0, 3.2);
	return chart;
}

static struct chart *spans(void)
{
	static const char *const names[] = { "load", "add" };
	struct chart *chart = chart_new(CHART_SPANS);

	chart_name_axis(&chart->y, names, 2);
	chart_add_span(chart, &(struct chart_span){ 0, SPAN_WORKS, 1, 5, "2" });
	chart_add_span(chart, &(struct chart_span){ 1, SPAN_WAITS, 0, 5, "" });
	chart_add_span(chart, &(struct chart_span){ 1, SPAN_CHAIN, 5, 6.5, "0" });
	chart_add_link(chart, &(struct chart_link){ 0, 1, 5, 5, true, false });
	chart->x.scale = scale_fit(SCALE_LINEAR, 0, 6.5);
	return chart;
}

/* ---- names and files ---- */

TEST(the_extension_chooses_the_format)
{
	check_ok(picture_named("a.svg"));
	check_ok(picture_named("some/where/A.PNG"));
	check_ok(picture_named("a.pdf"));
	check_ok(picture_named("a.gp"));
	check_error(picture_named("a.jpg"), STATUS_USAGE, ".svg, .png or .pdf");
	check_error(picture_named("svg"), STATUS_USAGE, ".svg");
	check_error(picture_named("a.svg/b"), STATUS_USAGE, ".svg");
	check_error(picture_named(""), STATUS_USAGE, ".svg");
}

TEST(themes_go_by_name)
{
	enum picture_theme theme = PICTURE_LIGHT;

	check_ok(picture_find_theme("dark", &theme));
	assert_int_equal(theme, PICTURE_DARK);
	check_error(picture_find_theme("grey", &theme), STATUS_USAGE, "light or dark");
}

TEST(a_place_is_looked_at_without_a_trace)
{
	int before = files_here();

	check_ok(file_check("new.svg"));
	assert_int_equal(files_here(), before);
	check_error(file_check("nowhere/new.svg"), STATUS_FAILED,
		"nowhere/new.svg cannot be written: No such file");
	assert_int_equal(mkdir("taken.svg", 0755), 0);
	check_error(file_check("taken.svg"), STATUS_FAILED, "directory");
	assert_int_equal(rmdir("taken.svg"), 0);
	assert_int_equal(symlink("/dev/null", "null.svg"), 0);
	check_error(file_check("null.svg"), STATUS_FAILED, "not a regular file");
	assert_int_equal(unlink("null.svg"), 0);
	assert_int_equal(files_here(), before);
}

TEST(a_file_is_replaced_only_where_that_is_wanted)
{
	struct text one = { 0 }, two = { 0 };

	text_add(&one, "one");
	text_addn(&two, "t\0o", 3);
	check_ok(file_save("file.svg", &one, true));
	assert_int_equal(file_save("file.svg", &two, true).code, STATUS_FAILED);
	check_file("file.svg", "one", 3);
	check_ok(file_save("file.svg", &two, false));
	check_file("file.svg", "t\0o", 3);
	/* What a link leads to is replaced, not the link. */
	assert_int_equal(symlink("file.svg", "link.svg"), 0);
	check_ok(file_save("link.svg", &one, false));
	check_file("file.svg", "one", 3);
	unlink("link.svg");
	unlink("file.svg");
	assert_int_equal(files_here(), 0);
	text_free(&one);
	text_free(&two);
}

/* ---- gnuplot ---- */

TEST(gnuplot_gets_script_and_data)
{
	struct chart *chart = curve();
	const char *script, *data;
	size_t length;

	check_ok(picture_check("curve.gp"));
	check_ok(picture_save(chart, PICTURE_LIGHT, "curve.gp"));
	script = read_file("curve.gp", &length);
	check_parts(script, "data = here.'curve'.'.dat'", "set label 'it''s <one> & two'",
		"set label 'a curve''s title'", "set logscale x 2", "'64 KiB' 65536",
		"set label '5.0 cycles'", "plot data index 0");
	data = read_file("curve.dat", &length);
	check_parts(data, "\n8192 5 4.9 16.5 NaN NaN 0\n", "\n262144 NaN ",
		"\n1048576 16 4.9 16.5 15 30 2\n", "\n2097152 16 4.9 16.5 NaN NaN 1\n");
	chart_free(chart);
	unlink("curve.gp");
	unlink("curve.dat");
}

TEST(every_kind_is_written_for_gnuplot)
{
	struct chart *charts[] = { grid(CHART_HEAT), grid(CHART_RELIEF), bars(), spans() };
	static const char *const plots[] = { "with image", "splot data", "with boxxyerror",
		"using 1:3:1:2:3:4:5 with boxxyerror" };
	static const char *const rows[] = { "\n1 1 14 1 ", "\n1 1 14 1 ", "\n3.01 2.9 3.2 ",
		"\n5 6.5 " };

	for (int i = 0; i < 4; i++) {
		struct text script = { 0 }, data = { 0 };

		picture_gnuplot(charts[i], PICTURE_DARK, "name", &script, &data);
		check_contains(text_string(&script), plots[i]);
		check_contains(text_string(&data), rows[i]);
		text_free(&script);
		text_free(&data);
		chart_free(charts[i]);
	}
}

/* ---- cairo ---- */

/* Whether this machine draws; a build without cairo says what to install instead. */
static bool draws(void)
{
	struct status status = picture_cairo_ready();

	if (status_is_ok(&status))
		return true;
	check_parts(status.text, "install libcairo2", "--gnuplot");
	return false;
}

TEST(every_kind_is_drawn_whole)
{
	struct chart *charts[] = { curve(), grid(CHART_HEAT), grid(CHART_RELIEF), bars(), spans() };

	for (int i = 0; i < 5 && draws(); i++) {
		size_t length;
		const char *bytes;

		check_ok(picture_save(charts[i], i % 2 ? PICTURE_DARK : PICTURE_LIGHT, "p.svg"));
		bytes = read_file("p.svg", &length);
		check_parts(bytes, "<svg ", "</desc>");
		assert_memory_equal(bytes + length - 7, "</svg>\n", 7);
		if (i == 0) {
			check_parts(bytes, "<title>a curve's title</title>",
				"it's &lt;one&gt; &amp; two", "L1d 48 KiB", "5.0 cycles");
		}
		check_ok(picture_save(charts[i], PICTURE_LIGHT, "p.png"));
		bytes = read_file("p.png", &length);
		assert_memory_equal(bytes, "\x89PNG\r\n\x1a\n", 8);
		/* 1920 by 1080, and the last chunk. */
		assert_memory_equal(bytes + 16, "\0\0\x07\x80\0\0\x04\x38", 8);
		assert_memory_equal(bytes + length - 8, "IEND", 4);
		check_ok(picture_save(charts[i], PICTURE_LIGHT, "p.pdf"));
		bytes = read_file("p.pdf", &length);
		assert_memory_equal(bytes, "%PDF-", 5);
		assert_memory_equal(bytes + length - 6, "%%EOF\n", 6);
	}
	for (int i = 0; i < 5; i++)
		chart_free(charts[i]);
	unlink("p.svg");
	unlink("p.png");
	unlink("p.pdf");
	assert_int_equal(files_here(), 0);
}

TEST(new_names_are_free_ones)
{
	struct chart *chart = bars();
	struct text other = { 0 };
	char path[FILE_PATH];

	if (draws()) {
		text_add(&other, "not a picture");
		check_ok(file_save("slexplore-limits-2.svg", &other, true));
		check_ok(picture_save_new(chart, PICTURE_LIGHT, "limits", path, sizeof(path)));
		assert_string_equal(path, "slexplore-limits-1.svg");
		check_ok(picture_save_new(chart, PICTURE_LIGHT, "limits", path, sizeof(path)));
		assert_string_equal(path, "slexplore-limits-3.svg");
		check_file("slexplore-limits-2.svg", "not a picture", 13);
	}
	chart_free(chart);
	text_free(&other);
}

/* ---- what is drawn ---- */

struct drawn {
	int texts, discs, paths, filled, dashed;
	double least_size;
};

static double drawn_width(void *context, const char *text, double size, bool bold)
{
	return metrics_plain.width(NULL, text, size, bold);
}

static void drawn_text(void *context, double x, double y, enum layout_anchor anchor, double size,
	bool bold, const struct pen_paint *paint, const char *text)
{
	struct drawn *drawn = context;

	drawn->texts++;
	drawn->least_size = fmin(drawn->least_size, size);
}

static void drawn_path(void *context, const struct pen_point *points, int count, bool closed,
	const struct pen_stroke *stroke, const struct pen_paint *fill)
{
	struct drawn *drawn = context;

	drawn->paths++;
	drawn->filled += fill != NULL;
	drawn->dashed += stroke && stroke->dash != DASH_SOLID;
	for (int i = 0; i < count; i++)
		assert_true(isfinite(points[i].x) && isfinite(points[i].y));
}

static void drawn_disc(void *context, double x, double y, double radius,
	const struct pen_stroke *stroke, const struct pen_paint *fill)
{
	struct drawn *drawn = context;

	drawn->discs++;
	assert_true(isfinite(x) && isfinite(y));
}

static struct drawn draw(const struct chart *chart)
{
	struct drawn drawn = { .least_size = INFINITY };
	const struct pen pen = { &drawn, { &drawn, drawn_width }, drawn_text, drawn_path,
		drawn_disc };

	pen_draw(&pen, chart, PICTURE_LIGHT);
	return drawn;
}

/* Twelve points: one is missing, one has two modes. */
TEST(points_and_modes_have_marks)
{
	struct chart *chart = curve();
	struct drawn drawn = draw(chart);

	assert_int_equal(drawn.discs, 12);
	assert_true(drawn.least_size >= 9);
	chart_free(chart);
}

TEST(what_is_not_measured_is_no_cell)
{
	struct chart *heat = grid(CHART_HEAT), *relief = grid(CHART_RELIEF);
	struct drawn full, missing;

	full = draw(relief);
	relief->grid[4] = NAN;
	missing = draw(relief);
	/* The middle one of nine is a corner of all four facets; the missing one had taken one
	 * away. */
	assert_int_equal(full.filled - missing.filled, 3);
	assert_true(draw(heat).filled >= 9);
	chart_free(heat);
	chart_free(relief);
}

/* A relief marks a doubtful value by a dot in the colour of the page. */
TEST(a_doubtful_value_of_a_relief_has_a_dot)
{
	struct chart *relief = grid(CHART_RELIEF);
	int before = draw(relief).discs;

	relief->doubtful[0] = true;
	assert_true(draw(relief).discs > before);
	chart_free(relief);
}

RUN_TESTS(.set_up = enter_directory, .tear_down = leave_directory)
