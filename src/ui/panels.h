/* The table of panels, and a whole frame. */
#ifndef SLX_UI_PANELS_H
#define SLX_UI_PANELS_H

#include "session/command.h"
#include "ui/canvas.h"
#include "ui/keys.h"
#include "ui/layout.h"
#include "ui/panel.h"

/* Draws the frame for a view. works holds for each row of keys whether its command could do anything now. */
void panels_draw(struct canvas *canvas, const struct view *view, const struct keys *keys, const bool *works);

/* Whether the overlay, if there is one that scrolls, shows its last line already. */
bool panels_scrolled_out(struct canvas *canvas, const struct view *view, const struct keys *keys);
/* Lines that a page of an overlay moves by. */
int panels_page(const struct canvas *canvas);

/* The overlays, drawn over everything by panels_draw(). */
extern const struct panel panel_help, panel_find, panel_text;

/* Shared words: a figure as panels write it ("0.752", "-" when unavailable), and what stands for a source
 * ("R reference clock"). */
void panels_figure(double value, char *buffer, size_t size);
const char *panels_source(enum source source);

/* What the session says of a sample beside its figure: "", "provisional", "contended", "two modes". */
const char *panels_state(const struct view *view);

#endif
