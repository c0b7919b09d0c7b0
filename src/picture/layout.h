/* Where everything of a chart stands on its page: the frame of the data, and each word and rule
 * outside the data. Pure: who draws it only draws. In points, from the upper left corner. */
#ifndef SLX_PICTURE_LAYOUT_H
#define SLX_PICTURE_LAYOUT_H

#include "picture/chart.h"
#include "picture/metrics.h"
#include "picture/place.h"

/* A slide of 16:9 in the usual size, 13 1/3 by 7 1/2 inches: what is read in the last row has 15
 * points and more. */
#define LAYOUT_WIDTH  960.0
#define LAYOUT_HEIGHT 540.0

enum ink {
	INK_PAGE,
	INK_TEXT,
	INK_DIM,
	INK_FAINT,
	INK_GRID,
	INK_STATED,
	INK_FOUND,
	INK_HARD,
	INK_BINDING,
	INK_SOFT,
	INK_MEASURED,
	INK_ON_LIGHT,
	INK_ON_DARK, /* on light and on dark colours of the ramp */
	INK_COUNT,
	INK_SERIES = 100, /* and the number of the series */
};

enum layout_anchor { ANCHOR_LEFT, ANCHOR_MIDDLE, ANCHOR_RIGHT };

/* What words are: who draws axes of his own leaves those of ticks to them. */
enum layout_role {
	ROLE_HEAD,
	ROLE_FOOT,
	ROLE_AXIS,
	ROLE_TICK,
	ROLE_SERIES,
	ROLE_MARK,
	ROLE_FLAT,
	ROLE_CALL,
	ROLE_CELL
};

struct layout_text {
	enum layout_role role;
	double x, y; /* y: of the line that letters stand on */
	double size;
	enum layout_anchor anchor;
	bool bold;
	int ink; /* enum ink */
	struct box box;
	char text[CHART_TEXT];
};

enum layout_dash { DASH_SOLID, DASH_LONG, DASH_SHORT, DASH_DOTS, DASH_MIXED, DASH_COUNT };

struct layout_rule {
	enum layout_role role; /* ROLE_TICK also for the lines of the grid */
	double x0, y0, x1, y1;
	double width;
	int ink;
	enum layout_dash dash;
};

/* A filled rectangle: the range of a mark, a bar, a part of the scale of colours. */
struct layout_area {
	enum layout_role role;
	struct box box;
	int ink;
	bool outlined; /* hatched rather than filled */
	double share;  /* not below 0: a colour of the ramp instead, 0…1 */
};

struct layout {
	struct box plot; /* where the data are drawn */
	int text_count, text_room;
	struct layout_text *text;
	int rule_count, rule_room;
	struct layout_rule *rule;
	int area_count, area_room;
	struct layout_area *area;
};

struct layout *layout_new(const struct chart *chart, const struct metrics *metrics);
void layout_free(struct layout *layout);

/* A point of the data on the page. */
double layout_x(const struct layout *layout, const struct chart *chart, double x);
double layout_y(const struct layout *layout, const struct chart *chart, double y);

/* A value's place on the ramp of colours, 0…1; NAN: none. */
double layout_shade(const struct chart *chart, double value);

/* Beyond it the ramp is light: letters on it are dark. */
#define LAYOUT_LIGHT 0.46

/* Many series stand close: thin lines without bands, and one kind of mark. */
bool layout_crowded(const struct chart *chart);

/* How a series is told apart besides its colour: the line's dashes and the mark of its points. */
enum layout_mark {
	MARK_DISC,
	MARK_SQUARE,
	MARK_DIAMOND,
	MARK_UP,
	MARK_DOWN,
	MARK_CROSS,
	MARK_COUNT
};
enum layout_dash layout_dash(int series);
enum layout_mark layout_mark(const struct chart *chart, int series);
int layout_ink(const struct chart *chart, int series);

#endif
