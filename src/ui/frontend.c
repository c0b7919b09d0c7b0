/* Maps keys to commands, draws the state on a canvas, and runs scripts. */
#include "ui/frontend.h"

#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>

#include "base/data.h"
#include "base/monotonic.h"
#include "ui/panels.h"
#include "ui/screenshot.h"
#include "ui/theme.h"

static void override_keys(struct frontend *front)
{
	struct status status = keys_override(
		&front->keys, session_saved(front->session, "key"), "settings", command_rows());

	if (!status_is_ok(&status))
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

	session_view(front->session, now, &front->view);
	steady_hold(&front->steady, &front->view);
	front->canvas.mouse = strcmp(session_saved(front->session, "mouse"), "on") == 0;
	context = keys_context(&front->view.screen);
	for (int i = 0; i < front->keys.count; i++) {
		const struct key_row *row = &front->keys.row[i];

		/* Only for keys that the key bar shows, check whether the key's command would do
		 * anything now.
		 */
		front->works[i] = row->context == context && row->word[0] &&
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

/* Runs the command of an arrow key in a diagram. Only the diagram's panel knows how wide the
 * diagram is, so a move that leaves the screen as it was is undone. */
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
		[CONTEXT_FIND] = "Enter chooses the marked line, Esc closes the search",
		[CONTEXT_HELP] = "Esc closes the help",
		[CONTEXT_TEXT] = "Esc closes this text",
		[CONTEXT_PAGE] = "Esc closes this result",
	};
	_Static_assert(sizeof(others) / sizeof(others[0]) == CONTEXT_COUNT,
		"every context names other keys");
	struct words name = keys_name(code);

	session_say(front->session, words_of("%s does nothing here: %s",
					    name.text[0] ? name.text : "this key", others[context])
					    .text);
}

/* Saves the screenshot that the last command asked for, if any. */
static struct status shoot(struct frontend *front, double now)
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
	/* A picture has 256 colours, whatever the terminal has. */
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

/* Runs a command of a key or of the mouse. The user interface itself runs "redraw" and "page". */
static void perform(struct frontend *front, const char *command, double now)
{
	const struct screen *screen = session_screen(front->session);
	enum context context = keys_context(screen);
	const struct panel *scrolled;
	struct box at;
	int first = 0;

	scrolled = panels_scrolled(screen, command);
	if (scrolled) {
		session_view(front->session, now, &front->view);
		first = scrolled->first(&front->view);
	}
	if (scrolled && !panels_find(&front->canvas, &front->view, scrolled->name, &at)) {
		/* The panel to scroll is not on screen, so the key brings it to the front. */
		session_press(front->session, words_of("view %s", scrolled->name).text, now);
		return;
	}
	if (strcmp(command, "redraw") == 0) {
		front->repaint = true;
		session_say(front->session, "the whole screen was drawn again");
	} else if (strcmp(command, "page down") == 0) {
		scroll(front, "move down", true, now);
	} else if (strcmp(command, "page up") == 0) {
		scroll(front, "move up", true, now);
	} else if ((context == CONTEXT_HELP || context == CONTEXT_PAGE) &&
		   strncmp(command, "move ", 5) == 0) {
		scroll(front, command, false, now);
	} else if (strcmp(command, "move right") == 0 && context == CONTEXT_MAIN &&
		   (strcmp(screen->focus, "timeline") == 0 ||
			   strcmp(screen->focus, "graph") == 0)) {
		slide(front, command, now);
	} else {
		session_press(front->session, command, now);
	}
	if (scrolled)
		scroll_back(front, scrolled, first, now);
}

/* Remembers the last key and its meaning, for presenter mode. */
static void press(struct frontend *front, const struct key_row *row, int code)
{
	int named = keys_code(row->key);

	front->pressed.note = row->note;
	if (named == KEYCODE_DIGIT || named == KEYCODE_CHAR)
		snprintf(front->pressed.key, sizeof(front->pressed.key), "%lc", (wint_t)code);
	else
		snprintf(front->pressed.key, sizeof(front->pressed.key), "%.15s", row->key);
}

static void key(struct frontend *front, int code, double now)
{
	const struct screen *screen = session_screen(front->session);
	enum context context = keys_context(screen);
	const struct key_row *row = keys_find(&front->keys, context, code);
	char command[128];

	if (!row) {
		refuse_key(front, context, code);
		return;
	}
	press(front, row, code);
	keys_expand(row, code, screen->find, command, sizeof(command));
	perform(front, command, now);
}

/* Runs the command of the region under the pointer, as the last frame recorded it. */
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

static void paste(struct frontend *front, const char *pasted, double now)
{
	const struct screen *screen = session_screen(front->session);
	enum context context = keys_context(screen);
	struct words line = pasted_line(pasted);

	if (context != CONTEXT_FIND && context != CONTEXT_ENTRY)
		session_say(front->session,
			"pasted text is ignored: no field is open (the key / opens the find line)");
	else if (strlen(line.text) > PASTE_FITS)
		session_say(front->session,
			words_of("pasted text is ignored: it has more than %d bytes", PASTE_FITS)
				.text);
	else if (context == CONTEXT_FIND)
		session_command(
			front->session, words_of("find %s%s", screen->find, line.text).text, now);
	else
		/* Each character is checked as if the user typed it; the first refused character
		 * ends the paste, and its message stays. */
		for (const char *c = line.text; *c; c++)
			if (session_command(front->session, words_of("digit %c", *c).text, now)
					.code != STATUS_OK)
				break;
}

void frontend_input(struct frontend *front, const struct input *input, double now)
{
	const struct screen *screen = session_screen(front->session);
	bool before = screen->overlay == OVERLAY_TEXT;

	switch (input->code) {
	case KEYCODE_CLICK:
	case KEYCODE_WHEEL_UP:
	case KEYCODE_WHEEL_DOWN: point(front, input, now); break;
	case KEYCODE_PASTE: paste(front, input->pasted, now); break;
	default: key(front, input->code, now); break;
	}
	shoot(front, now);
	front->copied |= !before && screen->overlay == OVERLAY_TEXT && !screen->text_title[0];
}

/* ---- scripts ---- */

/* Maximum seconds that the script lines `wait` and `live` wait: far more than measuring a complete
 * screen needs. */
static const double WAIT_MOST = 120, LIVE_MOST = 20;
/* While a script waits, seconds between two checks whether the wait is over; each message of the
 * engine also causes a check. */
static const double LOOK = 0.05;
/* The explorer works in small steps (session_advance()), each of which can make the next step due.
 * Maximum number of these steps in a row; more would be an endless loop. */
enum { DUE_MOST = 200 };

struct script {
	struct frontend *front;
	const struct engine *engine;
	const struct script_clock *clock; /* NULL: the steady clock */
	const char *name;		  /* name of the script file */
	int line;
	FILE *out;
};

static double now_of(const struct script *script)
{
	return script->clock ? script->clock->now(script->clock->context) : monotonic_seconds();
}

/* Waits until `seconds` have passed or the engine has a message. */
static void pass(const struct script *script, double seconds)
{
	int descriptor = script->engine->descriptor;
	struct pollfd wait = { .fd = descriptor, .events = POLLIN };

	if (script->clock)
		script->clock->pass(script->clock->context, seconds, descriptor);
	else
		poll(&wait, 1, (int)(seconds * 1000) + 1);
}

static struct status wrong_line(
	const struct script *script, enum status_code code, const char *reason)
{
	return status_make(code, "%s:%d: %.180s", script->name, script->line, reason);
}

/* The same with a format. */
#define wrong(script, code, ...) wrong_line(script, code, words_of(__VA_ARGS__).text)

static bool everything_measured(const struct script *script)
{
	return session_idle(script->front->session);
}

static bool figure_there(const struct script *script)
{
	struct view *view = &script->front->view;

	session_view(script->front->session, now_of(script), view);
	return view->failure[0] || view->frozen || view->sample.valid;
}

static bool figure_settled(const struct script *script)
{
	const struct view *view = &script->front->view;

	return figure_there(script) &&
	       (view->failure[0] || view->frozen || !view->sample.provisional);
}

/* Lets the explorer do all its work that is due now, as the event loop does before each key. */
static void advance(struct session *session, double now)
{
	session_advance(session, now);
	for (int i = 0; i < DUE_MOST && session_next(session, now) == 0; i++)
		session_advance(session, now);
}

static struct status wait_for(
	struct script *script, bool (*done)(const struct script *script), double most)
{
	struct session *session = script->front->session;
	double end = now_of(script) + most;

	for (;;) {
		double now = now_of(script), next;

		advance(session, now);
		if (done(script))
			return status_ok();
		if (now > end)
			return wrong(script, STATUS_FAILED, "timeout: no new sample");
		next = session_next(session, now);
		if (next < 0 || next > LOOK)
			next = LOOK;
		if (next > 0)
			pass(script, next);
	}
}

static struct status run_pass(struct script *script, const char *arguments)
{
	double seconds, end;
	char rest;

	if (sscanf(arguments, "%lf%c", &seconds, &rest) != 1 || !(seconds > 0) ||
		seconds > LIVE_MOST)
		return wrong(script, STATUS_USAGE, "pass \"%.40s\": expected seconds, up to %.0f",
			arguments, LIVE_MOST);
	end = now_of(script) + seconds;
	while (now_of(script) < end) {
		pass(script, end - now_of(script));
		advance(script->front->session, now_of(script));
	}
	return status_ok();
}

static struct status run_key(struct script *script, const char *arguments)
{
	int code = keys_code(arguments);

	if (code == KEYCODE_NONE || code == KEYCODE_DIGIT || code == KEYCODE_CHAR)
		return wrong(script, STATUS_USAGE,
			"unknown key \"%.40s\": use one character or a name such as F1, Tab, C-l",
			arguments);
	frontend_input(script->front, &(struct input){ code }, now_of(script));
	return status_ok();
}

static struct status run_type(struct script *script, const char *arguments)
{
	if (!*arguments)
		return wrong(script, STATUS_USAGE, "type needs the characters to type");
	for (; *arguments; arguments++)
		frontend_input(script->front, &(struct input){ (unsigned char)*arguments },
			now_of(script));
	return status_ok();
}

static struct status run_paste(struct script *script, const char *arguments)
{
	struct text text = { 0 };

	for (; *arguments; arguments += 1 + (strncmp(arguments, "\\n", 2) == 0))
		text_addn(&text, strncmp(arguments, "\\n", 2) == 0 ? "\n" : arguments, 1);
	frontend_input(script->front,
		&(struct input){ .code = KEYCODE_PASTE, .pasted = text_string(&text) },
		now_of(script));
	text_free(&text);
	return status_ok();
}

static struct status run_resize(struct script *script, const char *arguments)
{
	int width, height;
	char rest;

	if (sscanf(arguments, "%dx%d%c", &width, &height, &rest) != 2 || width < 1 || height < 1 ||
		width > 1000 || height > 1000)
		return wrong(script, STATUS_USAGE,
			"resize \"%.40s\": expected WIDTHxHEIGHT, each 1 to 1000", arguments);
	canvas_resize(&script->front->canvas, width, height);
	return status_ok();
}

/* Lets the explorer do all its work that is due now, then draws a frame, as on a terminal. */
static void draw_now(struct script *script)
{
	advance(script->front->session, now_of(script));
	frontend_draw(script->front, now_of(script));
}

/* Sends the mouse to a cell of the screen, as the user sees it. */
static struct status mouse_at(struct script *script, int code, const char *arguments)
{
	struct input input = { .code = code };
	char rest;

	if (sscanf(arguments, "%d %d%c", &input.x, &input.y, &rest) != 2)
		return wrong(script, STATUS_USAGE,
			"\"%.40s\": expected the column and the row of a cell, from 0", arguments);
	draw_now(script);
	frontend_input(script->front, &input, now_of(script));
	return status_ok();
}

static struct status run_click(struct script *script, const char *arguments)
{
	return mouse_at(script, KEYCODE_CLICK, arguments);
}

static struct status run_wheel(struct script *script, const char *arguments)
{
	bool up = strncmp(arguments, "up ", 3) == 0;

	if (!up && strncmp(arguments, "down ", 5) != 0)
		return wrong(script, STATUS_USAGE,
			"wheel \"%.40s\": expected up or down, and a cell", arguments);
	return mouse_at(
		script, up ? KEYCODE_WHEEL_UP : KEYCODE_WHEEL_DOWN, arguments + (up ? 3 : 5));
}

static struct status run_dump(struct script *script, const char *arguments)
{
	struct canvas *canvas = &script->front->canvas;
	FILE *file = *arguments ? fopen(arguments, "w") : script->out;
	bool failed;

	if (!file)
		return wrong(script, STATUS_FAILED, "%.80s: %s", arguments, strerror(errno));
	draw_now(script);
	if (!*arguments)
		fprintf(file, "=== %dx%d\n", canvas->width, canvas->height);
	canvas_print(canvas, file);
	if (!*arguments)
		return status_ok();
	failed = ferror(file);
	if (fclose(file) || failed)
		return wrong(script, STATUS_FAILED, "%.80s could not be written", arguments);
	return status_ok();
}

static struct status run_panel(struct script *script, const char *arguments)
{
	struct frontend *front = script->front;

	draw_now(script);
	for (size_t length; *arguments; arguments += length + strspn(arguments + length, " ")) {
		struct words name =
			words_of("%.*s", (int)(length = strcspn(arguments, " ")), arguments);
		struct box at;

		if (!panels_find(&front->canvas, &front->view, name.text, &at))
			return wrong(script, STATUS_USAGE, "panel %.100s is not on this screen",
				name.text);
		fprintf(script->out, "=== %s, %dx%d\n", name.text, front->canvas.width,
			front->canvas.height);
		canvas_print_part(at, script->out);
	}
	return status_ok();
}

/* Commands that exist only in scripts. A command without run() waits until done() returns true, at
 * most `most` seconds. */
static const struct {
	const char *name;
	struct status (*run)(struct script *script, const char *arguments);
	bool (*done)(const struct script *script);
	double most;
} words[] = {
	{ "key", run_key },
	{ "type", run_type },
	{ "paste", run_paste },
	{ "click", run_click },
	{ "wheel", run_wheel },
	{ "resize", run_resize },
	{ "wait", .done = everything_measured, .most = WAIT_MOST },
	{ "live", .done = figure_settled, .most = LIVE_MOST },
	{ "figure", .done = figure_there, .most = LIVE_MOST },
	{ "pass", run_pass },
	{ "dump", run_dump },
	{ "panel", run_panel },
};

static struct status run_line(struct script *script, char *line)
{
	size_t length = strlen(line);
	struct status status;

	while (length > 0 && strchr(" \t\r\n", line[length - 1]))
		line[--length] = '\0';
	line += strspn(line, " \t");
	if (!*line || *line == '#')
		return status_ok();
	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
		size_t name = strlen(words[i].name);

		if (strncmp(line, words[i].name, name) != 0 || (line[name] && line[name] != ' '))
			continue;
		if (words[i].done)
			return wait_for(script, words[i].done, words[i].most);
		return words[i].run(script, line + name + strspn(line + name, " "));
	}
	status = session_command(script->front->session, line, now_of(script));
	if (status_is_ok(&status))
		status = shoot(script->front, now_of(script));
	return status_is_ok(&status) ? status : wrong_line(script, status.code, status.text);
}

struct status script_run(struct frontend *front, const struct engine *engine, const char *path,
	const struct script_clock *clock, FILE *out)
{
	bool from_input = strcmp(path, "-") == 0;
	struct script script = { .front = front,
		.engine = engine,
		.clock = clock,
		.out = out,
		.name = from_input ? "standard input" : path };
	FILE *file = from_input ? stdin : fopen(path, "r");
	struct status status = status_ok();
	char *line = NULL;
	size_t capacity = 0;

	if (!file)
		return status_usage("script %.120s: %s", path, strerror(errno));
	advance(front->session, now_of(&script));
	while (status_is_ok(&status) && !session_quit(front->session) &&
		getline(&line, &capacity, file) >= 0) {
		script.line++;
		status = run_line(&script, line);
	}
	if (status_is_ok(&status) && ferror(file))
		status = status_failed("script %.120s: %s", path, strerror(errno));
	free(line);
	if (!from_input)
		fclose(file);
	fflush(out);
	return status;
}
