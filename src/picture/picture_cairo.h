/* Pictures by cairo: SVG, PNG, PDF. The library is loaded when the first picture is asked for:
 * neither the start of the program nor a machine without it is burdened. */
#ifndef SLX_PICTURE_PICTURE_CAIRO_H
#define SLX_PICTURE_PICTURE_CAIRO_H

#include "base/status.h"
#include "base/text.h"
#include "picture/chart.h"
#include "picture/palette.h"

/* Whether it can draw: STATUS_FAILED with what to install. */
struct status picture_cairo_ready(void);

/* The whole file as bytes, appended to `out`. */
struct status picture_svg(const struct chart *chart, enum picture_theme theme, struct text *out);
struct status picture_png(const struct chart *chart, enum picture_theme theme, struct text *out);
struct status picture_pdf(const struct chart *chart, enum picture_theme theme, struct text *out);

#endif
