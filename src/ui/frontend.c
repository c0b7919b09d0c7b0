/* Maps keys to commands, and draws the state on a canvas. */
#include "ui/frontend.h"

#include <stdlib.h>
#include <string.h>

#include "base/data.h"
#include "base/text.h"
#include "ui/mountain_relief.h"
#include "ui/panels.h"
#include "ui/screenshot.h"
#include "ui/theme.h"

static void override_keys(struct frontend *front)
{
	struct status status = keys_override(
		&front->keys, session_saved(front->session, "key"), "settings", command_rows());

	/* If the screen already shows an earlier error in the file "settings", the error in the
	 * keys of this file is not shown. */
	if (!status_is_ok(&status) && !session_screen(front->session)->notice_bad)
		session_say(front->session, status.text);
}

struct status frontend_init(
	struct frontend *front, struct session *session, int width, int height, bool ascii)
{
	char origin[256], *text;
	struct status status;

	memset(front, 0, sizeof(*front));
	front->session = session;
	status = data_load("keys", &text, origin);
	if (!status_is_ok(&status))
		return status;
	status = keys_parse(&front->keys, text, origin, command_rows());
	free(text);
	if (!status_is_ok(&status))
		return status;
	override_keys(front);
	canvas_init(&front->canvas, width, height, ascii);
	return status;
}

void frontend_free(struct frontend *front)
{
	canvas_free(&front->canvas);
}

void frontend_draw(struct frontend *front, double now)
{
	enum context context;
	bool fits;

	session_view(front->session, now, &front->view);
	steady_hold(&front->steady, &front->view);
	front->canvas.mouse = strcmp(session_saved(front->session, "mouse"), "on") == 0;
	context = keys_context(&front->view.screen);
	/* Whether the text of an overlay is on the screen as a whole. */
	fits = front->view.screen.scroll == 0 &&
	       panels_scrolled_out(&front->canvas, &front->view, &front->keys);
	for (int i = 0; i < front->keys.count; i++) {
		const struct key_row *row = &front->keys.row[i];

		/* Only keys with a word in the key bar are checked for an effect, because the check
		 * takes time. */
		front->works[i] = row->context == context && row->word[0] &&
				  !(fits && strcmp(row->command, "move down") == 0) &&
				  (strncmp(row->command, "page ", 5) == 0 ||
					  session_command_works(front->session, row->command));
	}
	panels_draw(&front->canvas, &front->view, &front->keys, front->works, &front->pressed);
}

/* Scrolls an overlay by a line or a page, at most to the overlay's last line. */
static void scroll(struct frontend *front, const char *command, bool page, double now)
{
	bool down = strcmp(command, "move down") == 0;

	for (int i = 0;; i++) {
		bool end;

		session_view(front->session, now, &front->view);
		if (i == (page ? panels_page(&front->canvas, &front->view) : 1))
			return;
		end = down ? panels_scrolled_out(&front->canvas, &front->view, &front->keys)
			   : front->view.screen.scroll == 0;
		if (end && i == 0)
			session_say(front->session,
				down ? "this is the last line" : "this is the first line");
		if (end)
			return;
		session_command(front->session, command, now);
	}
}

/* If a command scrolled a panel beyond its last line, scrolls the panel back. `first` is the
 * panel's first visible line before the command. */
static void scroll_back(struct frontend *front, const struct panel *scrolled, int first, double now)
{
	char back[32];

	session_view(front->session, now, &front->view);
	if (!panels_scroll_back(&front->canvas, &front->view, scrolled, back, sizeof(back)))
		return;
	session_command(front->session, back, now);
	session_view(front->session, now, &front->view);
	if (scrolled->first(&front->view) == first)
		session_say(front->session, "this is the last line");
}

/* Runs the command of an arrow key in a diagram. If a move of the arrow keys in a diagram leaves
 * the screen unchanged, the move is undone: only the panel knows the diagram's width. */
static void slide(struct frontend *front, const char *command, double now)
{
	size_t size = sizeof(front->canvas.cells[0]) * (size_t)front->canvas.width *
		      (size_t)front->canvas.height;
	struct canvas_cell *before = memory_new(1, size + 1);

	frontend_draw(front, now);
	memcpy(before, front->canvas.cells, size);
	session_press(front->session, command, now);
	frontend_draw(front, now);
	if (memcmp(before, front->canvas.cells, size) == 0) {
		if (strcmp(command, "move right") == 0)
			session_command(front->session, "move left", now);
		session_say(front->session, "nothing further that way");
	}
	free(before);
}

/* Shows a message for a key that has no command in the present state of the screen. */
static void refuse_key(struct frontend *front, enum context context, int code)
{
	static const char *const others[] = {
		[CONTEXT_MAIN] = "? lists every key",
		[CONTEXT_ENTRY] = "Enter sets the typed value, Esc keeps the old value",
		[CONTEXT_GUESS] = "Enter answers, Esc closes the answer",
		[CONTEXT_FIND] = "Enter chooses the marked line, Esc closes the search",
		[CONTEXT_HELP] = "Esc closes the help",
		[CONTEXT_TEXT] = "Esc closes this text",
		[CONTEXT_PAGE] = "Esc closes this result",
		[CONTEXT_ANSWERS] = "Esc goes back to the lesson",
	};
	_Static_assert(sizeof(others) / sizeof(others[0]) == CONTEXT_COUNT,
		"every context names other keys");
	struct words name = keys_name(code);

	session_say(front->session, words_of("%s does nothing here: %s",
					    name.text[0] ? name.text : "this key", others[context])
					    .text);
}

struct status frontend_shoot(struct frontend *front, double now)
{
	struct canvas *canvas = &front->canvas;
	const struct theme_wanted wanted = { .theme = session_theme(front->session),
		.present = session_screen(front->session)->present };
	char path[VIEW_SHOT];
	struct text svg = { 0 };
	bool solid = canvas->solid;
	struct status status;

	if (!session_shot(front->session, path, sizeof(path)))
		return status_ok();
	/* A saved picture always uses 256 colours, however few colours the terminal has. */
	canvas->solid = true;
	frontend_draw(front, now);
	canvas->solid = solid;
	screenshot_draw(canvas, theme_named(&wanted, &front->ground),
		words_of("The screen of slexplore with the kernel %s, as text",
			front->view.setting.kernel->name)
			.text,
		&svg);
	status = screenshot_save(&svg, path, sizeof(path));
	session_say(front->session,
		status_is_ok(&status) ? words_of("screenshot: %s", path).text : status.text);
	text_free(&svg);
	return status;
}

/* Runs a command of a key. If it brings a panel to the front that has no room next to the text of a
 * lesson, the text makes room. */
static void press_command(struct frontend *front, const char *command, double now)
{
	const struct screen *screen = session_screen(front->session);
	const struct view_lesson *lesson = &front->view.lesson;
	const char *before = screen->front;
	struct box at;

	session_press(front->session, command, now);
	if (!lesson->title || screen->front == before || screen->by_itself ||
		screen->overlay != OVERLAY_NONE)
		return;
	session_view(front->session, now, &front->view);
	if (lesson->title && !lesson->aside &&
		!panels_find(&front->canvas, &front->view, screen->front, &at))
		session_command(front->session, "lesson aside", now);
}

/* Returns the command of a key. If the text of a lesson does not fit on the screen, the keys that
 * scroll the code scroll the lesson, unless the arrow keys act on the code or a diagram. */
static struct words key_command(struct frontend *front, const char *command, double now)
{
	const struct screen *screen = session_screen(front->session);
	int page;

	if (strncmp(command, "code ", 5) != 0 || strcmp(screen->focus, "code") == 0 ||
		strcmp(screen->focus, "timeline") == 0 || strcmp(screen->focus, "graph") == 0)
		return words_of("%s", command);
	session_view(front->session, now, &front->view);
	page = panels_lesson_page(&front->canvas, &front->view);
	return page ? words_of("lesson scroll %c%d", command[5], page) : words_of("%s", command);
}

/* There are fewer panes than this. */
enum { PANES_MOST = 24 };

/* Gives the arrow keys to the next pane that is on screen. `before` is the pane that had them. */
static void focus_shown(struct frontend *front, const char *command, const char *before, double now)
{
	for (int i = 0; i < PANES_MOST; i++) {
		session_view(front->session, now, &front->view);
		if (panels_focus_shown(&front->canvas, &front->view))
			break;
		session_command(front->session, command, now);
	}
	if (strcmp(session_screen(front->session)->focus, before) == 0)
		session_say(front->session, "no other panel is on this screen");
}

/* Scrolls the text of a lesson to its end, where the hint is, if the text does not fit. */
static void show_hint(struct frontend *front, double now)
{
	const struct panel *lesson =
		panels_scrolled(session_screen(front->session), "lesson scroll +1");
	char back[32];

	session_view(front->session, now, &front->view);
	if (!panels_lesson_page(&front->canvas, &front->view))
		return;
	session_command(front->session, "lesson scroll +400", now);
	session_view(front->session, now, &front->view);
	if (panels_scroll_back(&front->canvas, &front->view, lesson, back, sizeof(back)))
		session_command(front->session, back, now);
}

/* The relief was turned on or off: says so if the panel is not on the screen, or has too few rows
 * for it. */
static void show_relief(struct frontend *front, double now)
{
	struct box at;
	int other;

	session_view(front->session, now, &front->view);
	if (!panels_find(&front->canvas, &front->view, "mountain", &at)) {
		const char *how = front->view.grid.relief ? "as a relief" : "as shaded cells";

		if (front->canvas.width < LAYOUT_MIN_WIDTH ||
			front->canvas.height < LAYOUT_MIN_HEIGHT)
			session_say(front->session,
				words_of("the mountain, now %s, needs a screen of %dx%d", how,
					LAYOUT_MIN_WIDTH, LAYOUT_MIN_HEIGHT)
					.text);
		else
			session_say(front->session,
				words_of(session_command_works(front->session, "mountain")
						 ? "the key m shows the mountain, %s"
						 : "mountains are shown %s from now on; this "
						   "kernel has none",
					how)
					.text);
		return;
	}
	/* The rows of the title and of the legend. */
	other = 1 + front->canvas.solid;
	if (!mountain_relief_fits(box_part(at, 0, other, at.width, at.height - other)))
		session_say(front->session,
			front->view.grid.relief
				? "this panel is too small for the relief: the key m shows it on "
				  "the whole screen"
				: "the mountain is shown as shaded cells again");
}

/* Runs a command of a key or of the mouse. The user interface itself runs "redraw" and "page". */
static void perform(struct frontend *front, const char *given, double now)
{
	const struct screen *screen = session_screen(front->session);
	enum context context = keys_context(screen);
	struct words words = key_command(front, given, now);
	const char *command = words.text;
	struct words focus = words_of("%s", screen->focus);
	const struct panel *scrolled;
	struct box at;
	int first = 0;

	scrolled = panels_scrolled(screen, command);
	if (scrolled) {
		session_view(front->session, now, &front->view);
		first = scrolled->first(&front->view);
	}
	if (scrolled && !panels_find(&front->canvas, &front->view, scrolled->name, &at)) {
		/* If the panel that the key scrolls is not on screen, the key brings the panel to
		 * the front, but not in place of a lesson whose text ends here. */
		if (front->view.lesson.title &&
			panels_find(&front->canvas, &front->view, "lesson", &at))
			session_say(front->session, "the text of the lesson ends here");
		else if (strcmp(screen->front, scrolled->name) == 0)
			session_say(front->session,
				words_of("nothing to scroll: the panel %s is not on this screen",
					scrolled->name)
					.text);
		else
			press_command(front, words_of("view %s", scrolled->name).text, now);
		return;
	}
	if (strcmp(command, "redraw") == 0) {
		front->repaint = true;
		session_say(front->session, "the whole screen was drawn again");
	} else if (strcmp(command, "page down") == 0) {
		scroll(front, "move down", true, now);
	} else if (strcmp(command, "page up") == 0) {
		scroll(front, "move up", true, now);
	} else if ((context == CONTEXT_HELP || context == CONTEXT_PAGE ||
			   context == CONTEXT_ANSWERS) &&
		   strncmp(command, "move ", 5) == 0) {
		scroll(front, command, false, now);
	} else if (strcmp(command, "move right") == 0 && context == CONTEXT_MAIN &&
		   (strcmp(screen->focus, "timeline") == 0 ||
			   strcmp(screen->focus, "graph") == 0)) {
		slide(front, command, now);
	} else {
		press_command(front, command, now);
	}
	if (strcmp(command, "focus next") == 0 || strcmp(command, "focus previous") == 0)
		focus_shown(front, command, focus.text, now);
	if (scrolled)
		scroll_back(front, scrolled, first, now);
	if (strcmp(command, "lesson hint") == 0)
		show_hint(front, now);
	if (strcmp(command, "relief") == 0)
		show_relief(front, now);
}

/* Remembers the last key that the user pressed and its meaning, which presenter mode shows: for a
 * key with several words, the word that says what the key does now. */
static void press(struct frontend *front, const struct key_row *row, int code)
{
	int named = keys_code(row->key);
	bool several = strchr(row->word, '/') != NULL;

	snprintf(front->pressed.note, sizeof(front->pressed.note), "%.150s",
		several ? panels_key_word(row, &front->view).text : row->note);
	if (named == KEYCODE_DIGIT || named == KEYCODE_CHAR)
		snprintf(front->pressed.key, sizeof(front->pressed.key), "%lc", (wint_t)code);
	else
		snprintf(front->pressed.key, sizeof(front->pressed.key), "%.15s", row->key);
}

/* While a question of a lesson is on the screen, the letter or number of an answer, and a digit
 * of a number, begin the student's answer. Returns whether the key was such a key. */
static bool answer(struct frontend *front, int code, double now)
{
	const struct view_lesson *lesson = &front->view.lesson;
	bool letter = code >= 'a' && code <= 'z', digit = code >= '0' && code <= '9';
	struct box at;

	/* In presenter mode, the key . blanks the screen, so it does not begin a number. */
	digit |= code == '.' && !session_screen(front->session)->present;
	if (!lesson->title || (!letter && !digit))
		return false;
	session_view(front->session, now, &front->view);
	if (!lesson->asks || lesson->away ||
		!panels_find(&front->canvas, &front->view, "lesson", &at))
		return false;
	/* A number that is no choice is an answer all the same, and no value of a knob. */
	if (code >= '0' && code <= '9' && lesson->answer_count > 0 &&
		(code == '0' || code > '0' + lesson->answer_count)) {
		session_say(front->session,
			words_of("the answer is a letter from a to %c, or a digit from 1 to %d",
				'a' + lesson->answer_count - 1, lesson->answer_count)
				.text);
		return true;
	}
	if (!((digit && lesson->number) || (letter && code < 'a' + lesson->answer_count) ||
		    (code > '0' && code <= '0' + lesson->answer_count)))
		return false;
	front->pressed = (struct pressed){ .key = { (char)code }, .note = "the answer" };
	/* The key Enter ends each answer. If a letter were a complete answer, Enter after it would
	 * leave the step before the judgement is read. */
	session_press(front->session, "guess", now);
	session_press(front->session, words_of("guess type %c", code).text, now);
	return true;
}

static void key(struct frontend *front, int code, double now)
{
	const struct screen *screen = session_screen(front->session);
	enum context context = keys_context(screen);
	const struct key_row *row = keys_find(&front->keys, context, code);
	char command[128];

	if (context == CONTEXT_MAIN && answer(front, code, now))
		return;
	if (!row) {
		refuse_key(front, context, code);
		return;
	}
	press(front, row, code);
	keys_expand(row, code, screen->find, command, sizeof(command));
	perform(front, command, now);
}

/* Runs the command of the region under the mouse pointer, as recorded when the last frame was
 * drawn. */
static void point(struct frontend *front, const struct input *input, double now)
{
	const struct region *region = canvas_region_at(&front->canvas, input->x, input->y);
	enum overlay overlay = session_screen(front->session)->overlay;
	/* The help and the results are long, so one notch of the wheel scrolls several lines. */
	int times =
		input->code != KEYCODE_CLICK && (overlay == OVERLAY_HELP || overlay == OVERLAY_PAGE)
			? 3
			: 1;
	struct words command;

	if (!region)
		return;
	command = words_of("%s", input->code == KEYCODE_CLICK	   ? region->click
				 : input->code == KEYCODE_WHEEL_UP ? region->up
								   : region->down);
	for (int i = 0; command.text[0] && i < times; i++)
		perform(front, command.text, now);
}

/* The most characters of a text that the user may paste into a field. */
enum { PASTE_FITS = 80 };

/* Returns the pasted text as one line: a line break or another control character becomes a blank.
 */
static struct words pasted_line(const char *pasted)
{
	struct words line = words_of("%s", pasted + strspn(pasted, " \t\r\n"));
	size_t length = strlen(line.text);

	for (char *c = line.text; *c; c++)
		if ((unsigned char)*c < ' ' || *c == 0x7f)
			*c = ' ';
	while (length > 0 && line.text[length - 1] == ' ')
		line.text[--length] = '\0';
	return line;
}

/* Types the characters of a pasted text. The first refused character ends the paste, and its
 * message stays on the screen. */
static void paste_characters(
	struct frontend *front, const char *command, const char *pasted, double now)
{
	while (*pasted) {
		size_t bytes = text_character(pasted);
		struct words line = words_of("%s %.*s", command, bytes ? (int)bytes : 1, pasted);

		if (session_command(front->session, line.text, now).code != STATUS_OK)
			return;
		pasted += bytes ? bytes : 1;
	}
}

static void paste(struct frontend *front, const char *pasted, double now)
{
	const struct screen *screen = session_screen(front->session);
	enum context context = keys_context(screen);
	struct words line = pasted_line(pasted);
	size_t most = context == CONTEXT_GUESS ? LESSON_GUESS - 1 : PASTE_FITS;

	if (context != CONTEXT_FIND && context != CONTEXT_ENTRY && context != CONTEXT_GUESS)
		session_say(front->session,
			"pasted text is ignored: no field is open (the key / opens the find line)");
	else if (strlen(line.text) > most)
		session_say(front->session,
			words_of("pasted text is ignored: it has more than %zu bytes", most).text);
	else if (context == CONTEXT_FIND)
		session_command(
			front->session, words_of("find %s%s", screen->find, line.text).text, now);
	else
		paste_characters(
			front, context == CONTEXT_GUESS ? "guess type" : "digit", line.text, now);
}

/* On a blank screen, a key or a click only shows the screen again, unless the key quits. */
static void unblank(struct frontend *front, const struct input *input, double now)
{
	const struct key_row *row = keys_find(&front->keys, CONTEXT_MAIN, input->code);
	bool quits = row && strcmp(row->command, "quit") == 0;

	session_command(front->session, quits ? "quit" : "blank", now);
}

void frontend_input(struct frontend *front, const struct input *input, double now)
{
	const struct screen *screen = session_screen(front->session);
	bool before = screen->overlay == OVERLAY_TEXT;

	if (screen->blank) {
		unblank(front, input, now);
		return;
	}
	switch (input->code) {
	case KEYCODE_CLICK:
	case KEYCODE_WHEEL_UP:
	case KEYCODE_WHEEL_DOWN: point(front, input, now); break;
	case KEYCODE_PASTE: paste(front, input->pasted, now); break;
	default: key(front, input->code, now); break;
	}
	frontend_shoot(front, now);
	front->copied |= !before && screen->overlay == OVERLAY_TEXT && !screen->text_title[0];
}
