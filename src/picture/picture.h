/* Picture files. The extension chooses cairo (svg, png, pdf) or gnuplot (gp, plus a data file). */
#pragma once

#include <stddef.h>

#include "base/status.h"
#include "base/text.h"
#include "picture/chart.h"
#include "picture/palette.h"

/* STATUS_USAGE: the extension of the name is none of these. */
struct status picture_named(const char *path);

/* Whether a picture can be saved there: check before measuring anything for it. Like
 * picture_named(); STATUS_FAILED if cairo is missing (names the package to install) or the file
 * cannot be written. Leaves no file. */
struct status picture_check(const char *path);

/* Draws and saves the whole picture or nothing. Replaces an existing file. */
struct status picture_save(const struct chart *chart, enum picture_theme theme, const char *path);

/* The same under a new name in the current directory: slexplore-WHAT-1.svg, or the next free
 * number. Replaces nothing. Writes the name into `path`. */
struct status picture_save_new(const struct chart *chart, enum picture_theme theme,
	const char *what, char *path, size_t size);

/* The theme of that name; STATUS_USAGE: unknown name. */
struct status picture_find_theme(const char *name, enum picture_theme *theme);

/* ---- as bytes, appended to `out` ---- */

/* Whether cairo can be loaded: STATUS_FAILED says what to install. It is loaded when the first
 * picture needs it, so the program starts as fast without it. */
struct status picture_cairo_ready(void);

/* The formats of files; gnuplot's needs two files, so picture_draw() does not draw it. */
enum picture_format { PICTURE_SVG, PICTURE_PNG, PICTURE_PDF, PICTURE_GNUPLOT };

struct status picture_draw(enum picture_format format, const struct chart *chart,
	enum picture_theme theme, struct text *out);

/* A gnuplot script and its data, for people to change. `name` is the two files' name without
 * directory and extension: the script finds NAME.dat in its own directory, and writes NAME.svg
 * there. */
void picture_gnuplot(const struct chart *chart, enum picture_theme theme, const char *name,
	struct text *script, struct text *data);
