#include "ui/script.h"

#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/monotonic.h"
#include "base/text.h"
#include "ui/panels.h"

/* A replay that has been idle in this number of checks has no further sample. */
enum { REPLAY_IDLE = 3 };
/* Maximum seconds that the script lines `wait` and `live` wait: far more than measuring a complete
 * screen needs. */
static const double WAIT_MOST = 120, LIVE_MOST = 20;
/* While a script waits, seconds between two checks whether the wait is over; each message of the
 * engine also causes a check. */
static const double LOOK = 0.05;
/* The explorer works in small steps (session_advance()), and each step can make another step
 * necessary at once. Maximum number of steps of the explorer in a row; more steps would be an
 * endless loop. */
enum { DUE_MOST = 200 };
/* Maximum bytes of a line, including the NUL. A file without ends of lines, such as /dev/zero, is
 * no script. */
enum { LINE_MOST = 8192 };

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
	return view->failure[0] || view->frozen || view->measured;
}

static bool figure_settled(const struct script *script)
{
	const struct view *view = &script->front->view;

	return figure_there(script) && (view->failure[0] || view->frozen || view->measured_well);
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
	int idle = 0; /* checks in a row in which a replay was idle */

	for (;;) {
		double now = now_of(script), next;

		advance(session, now);
		if (done(script))
			return status_ok();
		idle = script->front->view.replay && session_idle(session) ? idle + 1 : 0;
		if (now > end || idle > REPLAY_IDLE)
			return wrong(script, STATUS_FAILED, "timeout: no new sample");
		next = session_next(session, now);
		if (next < 0 || next > LOOK)
			next = LOOK;
		if (next > 0)
			pass(script, next);
	}
}

static bool compiled(const struct script *script)
{
	return !session_reads(script->front->session);
}

/* Waits until the file of an own loop is compiled, or until a program is read. */
static struct status wait_for_compiler(struct script *script)
{
	const struct screen *screen = session_screen(script->front->session);
	struct status status = wait_for(script, compiled, WAIT_MOST);

	return status_is_ok(&status) && screen->notice_bad ? status_failed("%s", screen->notice)
							   : status;
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
	while (*arguments) {
		wchar_t character = L'?';
		int bytes = mbtowc(&character, arguments, strlen(arguments));

		frontend_input(script->front, &(struct input){ (int)character }, now_of(script));
		arguments += bytes > 0 ? bytes : 1;
	}
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
	bool printed = !*arguments || strcmp(arguments, "-") == 0, failed;
	FILE *file = printed ? script->out : fopen(arguments, "w");

	if (!file)
		return wrong(script, STATUS_FAILED, "%.80s: %s", arguments, strerror(errno));
	draw_now(script);
	if (printed)
		fprintf(file, "=== %dx%d\n", canvas->width, canvas->height);
	canvas_print(canvas, file);
	if (printed)
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

static struct status run_help(struct script *script, const char *arguments);

/* Commands that exist only in scripts, and help, which a script prints. A command without run()
 * waits until done() returns true, at most `most` seconds. */
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
	{ "help", run_help },
};

/* Shows the help on the screen, and prints the commands: those of scripts by name, those of the
 * explorer as the help shows them. */
static struct status run_help(struct script *script, const char *arguments)
{
	struct status status = session_command(
		script->front->session, words_of("help %s", arguments).text, now_of(script));

	if (!status_is_ok(&status))
		return wrong_line(script, status.code, status.text);
	fputs("only in scripts:", script->out);
	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		if (words[i].run != run_help)
			fprintf(script->out, " %s", words[i].name);
	fputs("\nin scripts and the find line:\n", script->out);
	for (const struct command_row *row = command_rows(); row->name; row++)
		text_print(script->out, TEXT_COLUMNS,
			words_of("%s%s%s: ", row->name, *row->arguments ? " " : "", row->arguments)
				.text,
			4, row->help);
	return status_ok();
}

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
	if (status_is_ok(&status) && !session_quit(script->front->session) &&
		session_reads(script->front->session))
		status = wait_for_compiler(script);
	if (status_is_ok(&status))
		status = frontend_shoot(script->front, now_of(script));
	return status_is_ok(&status) ? status : wrong_line(script, status.code, status.text);
}

/* Reads a line without the end of the line. Sets *is_end if the file has no further line. */
static struct status read_line(
	const struct script *script, FILE *file, char line[LINE_MOST], bool *is_end)
{
	size_t length = 0;
	int byte;

	while ((byte = getc(file)) != EOF && byte != '\n') {
		if (byte == '\0')
			return wrong_line(script, STATUS_USAGE, "the line has a zero byte");
		if (length == LINE_MOST - 1)
			return wrong(script, STATUS_USAGE, "the line is longer than %d bytes",
				LINE_MOST - 1);
		line[length++] = (char)byte;
	}
	line[length] = '\0';
	*is_end = byte == EOF && length == 0;
	return status_ok();
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
	FILE *file = stdin;
	struct status status = from_input ? status_ok() : file_open(path, &file);
	char line[LINE_MOST];
	bool is_end = false;

	if (!status_is_ok(&status))
		return status;
	advance(front->session, now_of(&script));
	while (status_is_ok(&status) && !session_quit(front->session)) {
		script.line++;
		status = read_line(&script, file, line, &is_end);
		if (is_end)
			break;
		if (status_is_ok(&status))
			status = run_line(&script, line);
	}
	if (status_is_ok(&status) && ferror(file))
		status = file_unread(path);
	if (!from_input)
		fclose(file);
	fflush(out);
	return status;
}
