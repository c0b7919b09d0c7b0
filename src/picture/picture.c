#include "picture/picture.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "base/file.h"
#include "base/text.h"

static const char *const extensions[] = { [PICTURE_SVG] = "svg", "png", "pdf", "gp", NULL };

/* Returns the picture format of a path's extension (upper or lower case); -1: unknown extension. */
static int format_of(const char *path)
{
	const char *dot = strrchr(basename(path), '.');

	for (int i = 0; dot && extensions[i]; i++)
		if (strcasecmp(dot + 1, extensions[i]) == 0)
			return i;
	return -1;
}

struct status picture_named(const char *path)
{
	if (strlen(path) >= FILE_PATH - 8)
		return status_usage("%.60s...: the picture's file name is too long", path);
	if (format_of(path) < 0)
		return status_usage("%.140s: a picture's file name ends in .svg, .png or .pdf, or "
				    "in .gp for gnuplot",
			path);
	/* The script contains the names of its files, and gnuplot strings have no escapes. */
	for (const char *c = basename(path); format_of(path) == PICTURE_GNUPLOT && *c;) {
		size_t length = text_character(c);

		if (length == 0)
			return status_usage("%.140s: the name of a gnuplot script must have no "
					    "control characters",
				path);
		c += length;
	}
	return status_ok();
}

/* Writes the path of the data file into the buffer: NAME.dat for NAME.gp. */
static void data_path(const char *path, char *buffer, size_t size)
{
	snprintf(buffer, size, "%.*s.dat", (int)(strlen(path) - 3), path);
}

struct status picture_check(const char *path)
{
	struct status status = picture_named(path);
	bool gnuplot = format_of(path) == PICTURE_GNUPLOT;
	char data[FILE_PATH];

	if (status_is_ok(&status) && !gnuplot)
		status = picture_cairo_ready();
	if (status_is_ok(&status))
		status = file_check(path);
	if (!status_is_ok(&status) || !gnuplot)
		return status;
	data_path(path, data, sizeof(data));
	return file_check(data);
}

/* Saves the gnuplot data file, then the gnuplot script. */
static struct status save_gnuplot(
	const struct chart *chart, enum picture_theme theme, const char *path, bool fresh)
{
	const char *name = basename(path);
	struct text script = { 0 }, data = { 0 };
	char beside[FILE_PATH], bare[FILE_PATH];
	struct status status;

	data_path(path, beside, sizeof(beside));
	snprintf(bare, sizeof(bare), "%.*s", (int)(strlen(name) - 3), name);
	picture_gnuplot(chart, theme, bare, &script, &data);
	status = file_save(beside, &data, fresh);
	if (status_is_ok(&status))
		status = file_save(path, &script, fresh);
	text_free(&script);
	text_free(&data);
	return status;
}

static struct status save(
	const struct chart *chart, enum picture_theme theme, const char *path, bool fresh)
{
	int format = format_of(path);
	struct text bytes = { 0 };
	struct status status = picture_named(path);

	if (!status_is_ok(&status))
		return status;
	if (format == PICTURE_GNUPLOT)
		return save_gnuplot(chart, theme, path, fresh);
	status = picture_draw((enum picture_format)format, chart, theme, &bytes);
	if (status_is_ok(&status))
		status = file_save(path, &bytes, fresh);
	text_free(&bytes);
	return status;
}

struct status picture_save(const struct chart *chart, enum picture_theme theme, const char *path)
{
	return save(chart, theme, path, false);
}

struct status picture_save_new(const struct chart *chart, enum picture_theme theme,
	const char *what, char *path, size_t size)
{
	struct status status = picture_cairo_ready();

	if (!status_is_ok(&status))
		return status;
	for (int number = 1; number < 10000; number++) {
		snprintf(path, size, "slexplore-%s-%d.svg", what, number);
		if (file_exists(path))
			continue;
		status = save(chart, theme, path, true);
		if (status_is_ok(&status) || !file_exists(path))
			return status;
		/* Another process has just created a file with this number, so try the next number.
		 */
	}
	return status_failed("this folder already has 10,000 pictures slexplore-%s-*.svg", what);
}

struct status picture_find_theme(const char *name, enum picture_theme *theme)
{
	for (int i = 0; picture_theme_names[i]; i++) {
		if (strcmp(picture_theme_names[i], name) != 0)
			continue;
		*theme = (enum picture_theme)i;
		return status_ok();
	}
	return status_usage("unknown picture theme \"%.40s\": use light or dark", name);
}
