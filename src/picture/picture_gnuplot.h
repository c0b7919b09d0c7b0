/* Pictures by gnuplot: a script, and the data that it reads, for people to change. Nothing is
 * needed to write them. */
#ifndef SLX_PICTURE_PICTURE_GNUPLOT_H
#define SLX_PICTURE_PICTURE_GNUPLOT_H

#include "base/text.h"
#include "picture/chart.h"
#include "picture/palette.h"

/* Appends the script and its data. `name` is that of the two files without directory and extension:
 * the script finds NAME.dat beside itself, and writes NAME.svg there. */
void picture_gnuplot(const struct chart *chart, enum picture_theme theme, const char *name,
	struct text *script, struct text *data);

#endif
