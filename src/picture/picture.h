/* Picture files. The extension chooses cairo (svg, png, pdf) or gnuplot (gp, plus a data file). */
#pragma once

#include <stddef.h>

#include "base/status.h"
#include "base/text.h"
#include "picture/chart.h"
#include "picture/palette.h"

/* Checks the extension of the path. STATUS_USAGE: unknown extension. */
struct status picture_named(const char *path);

/* Checks that a picture can be saved at `path`. Call picture_check() before long measurements.
 * STATUS_USAGE: unknown extension. STATUS_FAILED: cairo is missing (the message names the package
 * to install), or the file cannot be written. The check leaves no file. */
struct status picture_check(const char *path);

/* Draws and saves the picture. Replaces an existing file. Each file of the picture is saved
 * completely or not at all. */
struct status picture_save(const struct chart *chart, enum picture_theme theme, const char *path);

/* Saves the picture under a new name in the current directory: slexplore-WHAT-1.svg, or with the
 * next free number. Replaces no file. Writes the name into `path`. */
struct status picture_save_new(const struct chart *chart, enum picture_theme theme,
	const char *what, char *path, size_t size);

/* Finds the theme with this name; STATUS_USAGE: the name is unknown. */
struct status picture_find_theme(const char *name, enum picture_theme *theme);

/* ---- pictures as bytes, appended to `out` ---- */

/* Checks that cairo can be loaded. STATUS_FAILED: cairo is missing, and the message names the
 * package to install. The program loads cairo only for the first picture, so that the program
 * starts fast. */
struct status picture_cairo_ready(void);

/* The file formats. picture_draw() does not draw PICTURE_GNUPLOT, which needs two files. */
enum picture_format { PICTURE_SVG, PICTURE_PNG, PICTURE_PDF, PICTURE_GNUPLOT };

struct status picture_draw(enum picture_format format, const struct chart *chart,
	enum picture_theme theme, struct text *out);

/* Writes a gnuplot script and its data, which people may edit. Parameter `name`: the name of both
 * files, without directory and extension. The script reads NAME.dat from its own directory, and
 * writes NAME.svg there. */
void picture_gnuplot(const struct chart *chart, enum picture_theme theme, const char *name,
	struct text *script, struct text *data);
