/* Shows the list of kernels, and the knobs of the chosen kernel with names, values and allowed
 * values. The chosen knob is marked, and shows the value that the user is typing. The chosen knob's
 * help, and the kernel's remark on the setting, are below the knobs. */
#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "ui/panels.h"

/* Whether a choice of a knob has several words, such as "-O3 -march=native": only with their digit
 * keys, a list of the choices says where each begins. */
static bool has_phrases(const struct knob *knob)
{
	for (int i = 0; knob->kind == KNOB_CHOICE && knob->choices[i]; i++)
		if (strchr(knob->choices[i], ' '))
			return true;
	return false;
}

/* Returns the choices of a knob: "add mul". If `numbered` is true, each choice of a knob follows
 * the digit key that selects it: "1 add  2 mul", or "1: 4  2: 8". */
static struct words choices(const struct view *view, const struct knob *knob, bool numbered)
{
	struct words words = words_of("%s", "");
	char *end = words.text, *limit = words.text + sizeof(words.text);

	for (int i = 0; i <= setting_max(knob, view->memory_limits) && end < limit; i++)
		end += numbered ? snprintf(end, (size_t)(limit - end),
					  isdigit((unsigned char)knob->choices[i][0]) ? "%s%d: %s"
										      : "%s%d %s",
					  i ? "  " : "", i + 1, knob->choices[i])
				: snprintf(end, (size_t)(limit - end), "%s%s", i ? " " : "",
					  knob->choices[i]);
	return words;
}

/* Returns the allowed values: "1…16", "16…256 by 16", "add mul"; brief: "16…256", "i32…f64". In a
 * replay, hint_of() returns the recorded values: "4k, 32k, 512k"; brief: "4k…512k". */
static struct words hint_of(const struct view *view, int index, bool brief)
{
	const struct knob *knob = &view->setting.kernel->knobs[index];
	int64_t max = setting_max(knob, view->memory_limits);
	bool bounded = max < KNOB_MAX_MEMORY / 2;

	if (view->replay)
		return words_of(
			"%s", brief ? view->recorded[index].ends : view->recorded[index].all);
	if (knob->kind == KNOB_CHOICE && brief)
		return words_of("%s…%s", knob->choices[0], knob->choices[max]);
	if (knob->kind == KNOB_CHOICE)
		return choices(view, knob, has_phrases(knob));
	if (!bounded)
		return words_of("from %s", setting_shown(knob, knob->min).text);
	if (knob->kind == KNOB_COUNT && knob->multiple > 1 && !brief)
		return words_of("%s…%s by %lld", setting_shown(knob, knob->min).text,
			setting_shown(knob, max).text, (long long)knob->multiple);
	return words_of(
		"%s…%s", setting_shown(knob, knob->min).text, setting_shown(knob, max).text);
}

/* The columns of a row. */
struct columns {
	int name, value, hint; /* name, value: widths of the columns of names and values; hint:
				  first column of the allowed values */
	bool alone;	       /* the row has one knob: brackets separate its allowed values */
};

/* Returns the text of a knob's value. If the user types a value that is too long, only the end of
 * the value is visible. */
static struct words value_of(const struct view *view, int index, int room)
{
	int length = (int)strlen(view->screen.entry),
	    hidden = int_most(length - int_most(room - 2, 0), 0);
	const struct knob *knob = &view->setting.kernel->knobs[index];
	bool whole = length + 1 <= room;

	if (index != view->knob || !view->screen.entry[0])
		return words_of("%s", setting_shown(knob, view->setting.v[index]).text);
	return words_of("%s%s%c", whole ? "" : "…", view->screen.entry + (whole ? 0 : hidden),
		view->screen.entry_refused ? '!' : '_');
}

/* Returns the longest form of the list of allowed values that fits after a knob's value. */
static struct words fit_hint(struct box at, const struct view *view, int index, int room)
{
	for (int brief = 0; brief < 2; brief++) {
		struct words hint = hint_of(view, index, brief);

		if (canvas_fits(at, hint.text, room))
			return hint;
	}
	return (struct words){ "" };
}

/* Returns the width of a knob's value: a value that is wider than its column moves the allowed
 * values of its row only. */
static int value_columns(
	struct box at, const struct view *view, int index, const struct columns *columns)
{
	int own = canvas_columns(at, value_of(view, index, at.width).text);

	return int_least(
		int_most(columns->value, own), int_most(at.width - columns->name, columns->value));
}

static void draw_knob(
	struct box at, int row, int index, const struct columns *columns, const struct view *view)
{
	const struct knob *knob = &view->setting.kernel->knobs[index];
	bool chosen = index == view->knob, focused = panels_named(view->screen.focus, "knobs");
	enum style style = chosen && focused ? STYLE_FOCUS : STYLE_FIGURE;
	struct words hint;
	int value = value_columns(at, view, index, columns),
	    after = columns->hint + value - columns->value;

	if (chosen && view->screen.entry[0])
		style = view->screen.entry_refused ? STYLE_BAD : STYLE_SELECTED;
	if (at.canvas->mouse)
		canvas_region(box_part(at, 0, row, at.width, 1),
			words_of("knob %s", knob->name).text,
			words_of("knob %s +1", knob->name).text,
			words_of("knob %s -1", knob->name).text);
	if (chosen)
		canvas_glyph(at, 0, row, focused ? STYLE_FOCUS : STYLE_DIM, GLYPH_POINTER);
	canvas_put(box_part(at, 0, 0, columns->name - 1, at.height), 2, row,
		chosen ? STYLE_FIGURE : STYLE_TEXT, knob->name);
	canvas_put_right(box_part(at, columns->name, 0, value, at.height), value, row, style,
		value_of(view, index, value).text);
	hint = fit_hint(at, view, index, at.width - after - 2 * columns->alone);
	canvas_put(at, after, row, STYLE_DIM,
		words_of(columns->alone && hint.text[0] ? "(%s)" : "%s", hint.text).text);
}

/* Whether a list of the knob's allowed values fits if the value's column has this width. */
static bool has_hint(struct box at, const struct view *view, int index, int name, int value)
{
	return fit_hint(at, view, index, at.width - name - value - 2).text[0];
}

/* Returns the largest width of the column of values with which no knob loses its list of allowed
 * values because another knob has a wider value. */
static int value_width(struct box at, const struct view *view, int name)
{
	int count = view->setting.kernel->knob_count, best = 4;

	for (int i = 0; i < count; i++) {
		int width = canvas_columns(at, value_of(view, i, at.width).text);
		bool kept = true;

		for (int k = 0; k < count && kept; k++) {
			int own = int_most(canvas_columns(at, value_of(view, k, at.width).text), 4);

			kept = own >= width || !has_hint(at, view, k, name, own) ||
			       has_hint(at, view, k, name, width);
		}
		best = kept ? int_most(best, width) : best;
	}
	return best;
}

/* Finds the widest name of the knobs, and the width of their values, so that columns align. Names
 * are never shortened; a value that the user is typing may be shortened. */
static struct columns measure(struct box at, const struct view *view)
{
	const struct kernel *kernel = view->setting.kernel;
	struct columns columns = { .name = 4, .value = 4 };

	for (int i = 0; i < kernel->knob_count; i++)
		columns.name = int_most(columns.name, canvas_columns(at, kernel->knobs[i].name));
	columns.name += 3;
	columns.value = value_width(at, view, columns.name);
	columns.value = int_least(columns.value, at.width - columns.name);
	columns.hint = columns.name + columns.value + 2;
	return columns;
}

void panels_knob(struct box at, const struct view *view)
{
	const struct knob *knob = &view->setting.kernel->knobs[view->knob];
	struct columns columns = { .name = canvas_columns(at, knob->name) + 3, .alone = true };

	columns.value = int_least(canvas_columns(at, value_of(view, view->knob, at.width).text),
		at.width - columns.name);
	columns.hint = columns.name + columns.value + 2;
	draw_knob(at, 0, view->knob, &columns, view);
	/* If the kernel and the chosen knob share a row, only the one that the arrow keys change
	 * has a pointer. */
	if (panels_named(view->screen.focus, "kernels"))
		canvas_put(at, 0, 0, STYLE_TEXT, " ");
}

int panels_knob_width(struct box at, const struct view *view)
{
	const struct knob *knob = &view->setting.kernel->knobs[view->knob];

	return canvas_columns(at, knob->name) + 3 +
	       canvas_columns(at, value_of(view, view->knob, at.width).text);
}

/* Returns all choices of the chosen knob, with their digits if the list then still has one row; or
 * the knob's range, with its name if both fit in a row. */
static struct words range_of(struct box at, const struct view *view)
{
	const struct knob *knob = &view->setting.kernel->knobs[view->knob];
	bool choice = knob->kind == KNOB_CHOICE;
	struct words range = hint_of(view, view->knob, false),
		     longer = !choice	     ? words_of("%s: %s", knob->name, range.text)
			      : view->replay ? range
					     : choices(view, knob, true);

	if (canvas_fits(at, longer.text, at.width) ||
		(!choice && !canvas_fits(at, range.text, at.width)))
		range = longer;
	return range;
}

/* The largest number of rows for the allowed values of the chosen knob. */
enum { RANGE_MOST = 4 };

/* How many rows each part of the panel gets, from the top: knobs, the chosen knob's help, the
 * kernel's remark, and the chosen knob's allowed values. */
struct parts {
	struct columns columns;
	struct box words; /* the columns for the text below the knobs */
	struct words range;
	bool listed;   /* the knob's row lists all its allowed values */
	int rows;      /* number of visible knobs */
	int values;    /* rows of allowed values */
	int remark;    /* rows of the remark */
	bool complete; /* the whole remark fits */
};

/* Divides the rows of the panel among knobs, help, remark and allowed values. The chosen knob's
 * allowed values have priority over other knobs, which then scroll; the remark has priority over
 * the help. */
static struct parts divide(struct box at, const struct view *view)
{
	int count = view->setting.kernel->knob_count, left, need = 0;
	struct parts parts = { .columns = measure(at, view),
		.words = box_part(at, 2, 0, at.width - 2, at.height) };

	parts.listed = canvas_fits(at, hint_of(view, view->knob, false).text,
		at.width - parts.columns.hint + parts.columns.value -
			value_columns(at, view, view->knob, &parts.columns));
	parts.range = range_of(parts.words, view);
	if (!parts.listed)
		parts.values = int_least(canvas_rows(parts.words, parts.range.text), RANGE_MOST);
	/* One row is always free for the allowed values of the chosen knob. */
	parts.rows = int_least(count, at.height - int_most(parts.values, count >= at.height));
	left = at.height - parts.rows - parts.values;
	if (view->remark)
		need = canvas_rows(parts.words, view->remark);
	/* If a whole remark about the setting does not fit, the notice row shows its first clauses,
	 * and the knob's help has its rows. */
	parts.complete = need <= left;
	parts.remark = parts.complete ? need : 0;
	return parts;
}

bool panels_remark_cut(struct box at, const struct view *view)
{
	return view->remark && view->setting.kernel->knob_count > 0 && !divide(at, view).complete;
}

/* Returns a knob's help for `room` rows. If the whole help does not fit, only its parts before a
 * semicolon; if they do not fit either, an empty text. */
static struct words fit_help(struct box at, const struct knob *knob, int room)
{
	struct words help = words_of("%s", knob->help);

	while (help.text[0] && canvas_rows(at, help.text) > room) {
		char *end = strrchr(help.text, ';');

		*(end ? end : help.text) = '\0';
	}
	return help;
}

/* Draws the values of the knobs without a row in row y: "also stride=1". `first`: the first knob
 * with a row. */
static void draw_hidden(
	struct box at, int y, const struct parts *parts, int first, const struct view *view)
{
	const struct kernel *kernel = view->setting.kernel;
	struct words hidden = { "" };

	for (int i = 0; i < kernel->knob_count; i++)
		if (i < first || i >= first + parts->rows)
			hidden = words_of("%s %s=%s", hidden.text[0] ? hidden.text : "also",
				kernel->knobs[i].name,
				setting_shown(&kernel->knobs[i], view->setting.v[i]).text);
	panels_cut(at, 1, hidden.text, sizeof(hidden.text));
	canvas_put(at, 0, y, STYLE_DIM, hidden.text);
}

/* Draws the text below the knobs (help, remark, allowed values), from the last row up. If no text
 * needs the row that is kept for allowed values, it has the knobs without a row. */
static void draw_below(struct box at, const struct parts *parts, int first, const struct view *view)
{
	const struct knob *knob = &view->setting.kernel->knobs[view->knob];
	int end = at.height - parts->values, need;
	struct words help;

	if (!parts->listed)
		canvas_wrap(box_part(parts->words, 0, end, parts->words.width, parts->values), 0,
			STYLE_DIM, parts->range.text);
	end -= parts->remark;
	if (parts->remark > 0)
		canvas_wrap(box_part(parts->words, 0, end, parts->words.width, parts->remark), 0,
			STYLE_WARN, view->remark);
	/* The knob's help comes after a blank row. */
	help = fit_help(parts->words, knob, end - parts->rows - 1);
	if (!help.text[0] && end > parts->rows)
		draw_hidden(parts->words, parts->rows, parts, first, view);
	if (!help.text[0])
		return;
	need = canvas_rows(parts->words, help.text);
	end -= need;
	canvas_wrap(
		box_part(parts->words, 0, end, parts->words.width, need), 0, STYLE_DIM, help.text);
	/* If a row is free, show which digit key selects each named value (choice) of the knob. */
	if (parts->listed && knob->kind == KNOB_CHOICE && end - 1 > parts->rows)
		canvas_put(parts->words, 0, end - 1, STYLE_DIM, parts->range.text);
}

static void draw(struct box at, const struct scene *scene)
{
	const struct view *view = scene->view;
	struct parts parts;
	int first, count = view->setting.kernel->knob_count;

	if (count == 0)
		return;
	parts = divide(at, view);
	first = panels_first(count, parts.rows, view->knob);
	for (int i = 0; i < parts.rows; i++)
		draw_knob(at, i, first + i, &parts.columns, view);
	panels_arrows(box_part(at, 0, 0, at.width, parts.rows), 0, STYLE_DIM, first > 0,
		first + parts.rows < count);
	draw_below(at, &parts, first, view);
}

const struct panel panel_knobs = {
	.name = "knobs", .title = "knobs", .draw = draw, .focus = "knobs"
};

/* ---- the list of kernels ---- */

/* Returns the name of an entry after the kernels: 0 is the own loop, 1 the function of a program.
 * NULL: there is none. */
static const char *added_name(const struct view *view, int entry)
{
	if (entry == 1)
		return view->function;
	return view->own ? basename(view->own) : NULL;
}

/* Draws the list of kernels. The chosen kernel is marked and always visible. */
static void draw_kernels(struct box at, const struct scene *scene)
{
	const struct view *view = scene->view;
	int count = 0, kernels = 0, first, chosen_row = 0, index[VIEW_KERNELS + 2];

	while (kernel_registry[kernels])
		kernels++;
	/* The user's own loop is listed after the kernels, and then the function of a program. */
	for (int i = 0; i < kernels + 2; i++) {
		if (i < kernels ? i >= VIEW_KERNELS || view->kernel_absent[i]
				: !added_name(view, i - kernels))
			continue;
		if (i == view->kernel_index)
			chosen_row = count;
		index[count++] = i;
	}
	first = panels_first(count, at.height, chosen_row);
	for (int row = 0; row < at.height && first + row < count; row++) {
		int kernel = index[first + row];
		bool chosen = kernel == view->kernel_index;

		if (at.canvas->mouse)
			canvas_region(box_part(at, 0, row, at.width, 1),
				kernel > kernels
					? "function"
					: words_of("kernel %s",
						  kernel < kernels ? kernel_registry[kernel]->name
								   : view->own)
						  .text,
				"kernel previous", "kernel next");
		if (chosen)
			canvas_glyph(at, 0, row,
				panels_named(view->screen.focus, "kernels") ? STYLE_FOCUS
									    : STYLE_DIM,
				GLYPH_POINTER);
		canvas_put(at, 2, row, chosen ? STYLE_FIGURE : STYLE_TEXT,
			kernel < kernels ? kernel_registry[kernel]->name
					 : added_name(view, kernel - kernels));
	}
	/* The arrows are in the gap next to the list, so that they hide no letter of a name. The
	 * ASCII arrow is the letter v, so it is in the pointer's column, before a name. In a list
	 * of 3 or more rows, the chosen kernel's row has no arrow. */
	at.width = at.canvas->ascii && at.height > 2 ? 1 : at.width + 1;
	panels_arrows(at, 0, STYLE_DIM, first > 0, first + at.height < count);
}

const struct panel panel_kernels = {
	.name = "kernels",
	.title = "kernels",
	.draw = draw_kernels,
	.focus = "kernels",
};

/* ---- the chosen kernel: its title, hints for the user, and its source in the literature ---- */

static struct words about_title(const struct scene *scene)
{
	return words_of("%s", scene->view->setting.kernel->name);
}

static void draw_about(struct box at, const struct scene *scene)
{
	const struct kernel *kernel = scene->view->setting.kernel;
	int need, row = 0;

	/* The text is wrapped after 84 columns, because longer lines are hard to read. */
	at.width = int_least(at.width, 84);
	need = canvas_rows(at, kernel->title) + canvas_rows(at, kernel->look_for);
	if (need <= at.height)
		row = canvas_wrap(at, 0, STYLE_FIGURE, kernel->title);
	row += canvas_wrap(at, row, STYLE_TEXT, kernel->look_for);
	/* An own loop has no source in the literature. */
	need = canvas_rows(at, kernel->document);
	if (!kernel->own && row + need <= at.height)
		canvas_wrap(at, row + (row + need < at.height), STYLE_DIM, kernel->document);
}

const struct panel panel_about = { .name = "about", .title_of = about_title, .draw = draw_about };
