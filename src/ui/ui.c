/* The event loop: reads keys, signals and the engine's results. Draws at most ten frames a second,
 * but draws a frame at once after each key. */
#include "ui/ui.h"

#include <errno.h>
#include <math.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/fatal.h"
#include "base/monotonic.h"
#include "base/output.h"
#include "base/text.h"
#include "engine/machine/topology.h"
#include "engine/worker/worker.h"
#include "model/core/uarch.h"
#include "recording/replay.h"
#include "ui/frontend.h"
#include "ui/panels.h"
#include "ui/screen.h"
#include "ui/script.h"
#include "ui/signals.h"
#include "ui/terminal.h"

/* ---- the event loop ---- */

/* FRAME: minimum seconds between frames if the user presses no key. RESIZE_FRAME: minimum seconds
 * between frames while the user resizes the terminal. */
static const double FRAME = 0.1, RESIZE_FRAME = 0.02;
/* Minimum seconds between two frames while the value is provisional. */
static const double SETTLING_FRAME = 0.03;

enum { SCRIPT_WIDTH = 80, SCRIPT_HEIGHT = 24 };

struct event_loop {
	struct frontend front;
	const struct engine *engine;
	struct worker *worker;
	bool started;	       /* the worker is ready: the worker has its core and clock */
	struct status failure; /* the worker's error if it could not start, else OK */
	double drawn;	       /* time of the last frame */
	double frame_due; /* time of the next frame; INFINITY: no frame is needed, because nothing
			     changed */
	bool resized;
	int ended_by;
	bool input_ended;
};

/* Requests that the screen be drawn, at least `pause` seconds after the last frame. */
static void want_frame(struct event_loop *loop, double pause)
{
	double due = loop->drawn + pause;

	if (due < loop->frame_due)
		loop->frame_due = due;
}

static void draw(struct event_loop *loop, double now)
{
	const struct view *view = &loop->front.view;
	int width, height;

	if (loop->resized) {
		screen_size(&width, &height);
		screen_resize(width, height);
		canvas_resize(&loop->front.canvas, width, height);
		loop->resized = false;
	}
	if (loop->front.repaint) {
		screen_forget();
		loop->front.repaint = false;
	}
	loop->front.canvas.solid = screen_style(
		session_theme(loop->front.session), session_screen(loop->front.session)->present);
	loop->front.ground = screen_ground();
	frontend_draw(&loop->front, now);
	screen_show(&loop->front.canvas);
	screen_mouse(loop->front.canvas.mouse);
	loop->drawn = now;
	/* If the terminal has not answered the query for its background by that time, the colours
	 * are chosen without its answer. */
	loop->frame_due = now + screen_awaits();
	/* While the first value of a setting is awaited, the screen shows the waiting time. The
	 * waiting time is the only part of the screen that changes without a key or a result.
	 */
	if (view->sample.valid || view->failure[0] || view->frozen)
		return;
	if (view->waiting <= PANELS_PREPARING)
		loop->frame_due =
			fmin(loop->frame_due, now + PANELS_PREPARING - view->waiting + 0.005);
	else if (view->measuring)
		loop->frame_due = fmin(loop->frame_due, now + FRAME);
}

static void handle_signal(struct event_loop *loop, int number)
{
	switch (number) {
	case SIGWINCH:
		loop->resized = true;
		want_frame(loop, RESIZE_FRAME);
		break;
	case SIGTSTP:
		screen_suspend();
		signals_stop();
		/* fall through */
	case SIGCONT:
		screen_resume();
		loop->resized = true;
		want_frame(loop, 0);
		break;
	default: loop->ended_by = number; break;
	}
}

static void read_keys(struct event_loop *loop)
{
	struct input input;
	bool any = false;

	while (!session_quit(loop->front.session) &&
		(input = screen_input()).code != KEYCODE_NONE) {
		/* Before a click is handled, the frame after earlier keys is drawn, because a click
		 * acts on what the user sees. */
		if (any && input.code >= KEYCODE_CLICK)
			frontend_draw(&loop->front, monotonic_seconds());
		frontend_input(&loop->front, &input, monotonic_seconds());
		any = true;
	}
	if (loop->front.copied)
		screen_copy(session_screen(loop->front.session)->text);
	loop->front.copied = false;
	if (any || screen_answered())
		loop->frame_due = -INFINITY;
	else if (screen_input_ended())
		loop->input_ended = true;
}

/* Returns how many milliseconds to sleep until the screen must be drawn or the explorer has work to
 * do; -1: sleep until an event. */
static int sleep_time(const struct event_loop *loop, double now)
{
	double seconds = fmin(loop->frame_due, screen_input_due()) - now,
	       next = session_next(loop->front.session, now);

	if (next >= 0 && next < seconds)
		seconds = next;
	if (seconds == INFINITY)
		return -1;
	return seconds <= 0 ? 0 : (int)ceil(seconds * 1000);
}

/* Returns how many seconds a new result may wait until the screen is drawn again; 0: the result may
 * be the first value of a setting. */
static double result_pause(const struct view *view)
{
	if (!view->sample.valid && !view->failure[0])
		return 0;
	return view->sample.provisional ? SETTLING_FRAME : FRAME;
}

/* Returns false if the worker could not start; the worker has then reported this failure. */
static bool worker_started(struct event_loop *loop)
{
	if (!loop->worker)
		return true; /* a recording is ready */
	if (!loop->started) {
		loop->failure = worker_wait_ready(loop->worker);
		loop->started = status_is_ok(&loop->failure);
	}
	return loop->started;
}

static void run(struct event_loop *loop)
{
	struct session *session = loop->front.session;

	while (!session_quit(session) && !loop->ended_by && !loop->input_ended) {
		struct pollfd wait[] = {
			{ .fd = STDIN_FILENO, .events = POLLIN },
			{ .fd = signals_descriptor(), .events = POLLIN },
			{ .fd = loop->engine->descriptor, .events = POLLIN },
		};
		double now = monotonic_seconds();

		if (now >= loop->frame_due)
			draw(loop, now);
		if (poll(wait, 3, sleep_time(loop, monotonic_seconds())) < 0 && errno != EINTR)
			break;
		for (int number; (number = signals_take()) != 0;)
			handle_signal(loop, number);
		if (loop->ended_by)
			break;
		if ((wait[0].revents & POLLIN) || screen_input_due() <= monotonic_seconds())
			read_keys(loop);
		else if (wait[0].revents & (POLLHUP | POLLERR | POLLNVAL))
			loop->input_ended = true;
		/* If nothing can be measured, exit, so that the error message stays visible. */
		if ((wait[2].revents & POLLIN) && !worker_started(loop))
			break;
		if (session_advance(session, monotonic_seconds()))
			want_frame(loop, result_pause(&loop->front.view));
	}
}

static FILE *output_of(const struct ui_options *options)
{
	return options->out ? options->out : output_stream(OUTPUT_RESULTS);
}

static struct status run_script(struct session *session, struct worker *worker,
	const struct engine *engine, const struct ui_options *options)
{
	/* Wait for the worker, so that an unavailable core is reported at once. A script does not
	 * need a first frame before the machine is known. */
	struct status status = worker ? worker_wait_ready(worker) : status_ok();
	struct frontend front;

	if (status_is_ok(&status))
		status = frontend_init(&front, session, SCRIPT_WIDTH, SCRIPT_HEIGHT,
			options->ascii || !terminal_is_utf8());
	if (!status_is_ok(&status))
		return status;
	status = script_run(&front, engine, options->script, NULL, output_of(options));
	frontend_free(&front);
	return status;
}

static struct status run_screen(struct session *session, struct worker *worker,
	const struct engine *engine, const struct ui_options *options, int *exit_status)
{
	struct event_loop loop = { .engine = engine,
		.worker = worker,
		.resized = true,
		.frame_due = -INFINITY,
		.drawn = -INFINITY };
	struct status status =
		frontend_init(&loop.front, session, 1, 1, options->ascii || !terminal_is_utf8());

	if (!status_is_ok(&status))
		return status;
	/* Catch signals before ncurses starts, because ncurses would install its own handlers. */
	status = signals_catch(screen_emergency);
	if (status_is_ok(&status))
		status = screen_open();
	if (status_is_ok(&status)) {
		/* During a replay, recorded values are available at once, so the first frame shows
		 * these values. A worker first examines the machine; the first frame does not wait
		 * for the worker. */
		if (!worker)
			session_advance(session, monotonic_seconds());
		run(&loop);
		screen_close();
		status = loop.failure;
	}
	signals_release();
	frontend_free(&loop.front);
	if (loop.ended_by)
		*exit_status = 128 + loop.ended_by;
	return status;
}

/* Shows a message of one line about skipped parts of the recording. */
static void say_notes(struct session *session, const struct replay *replay)
{
	const char *notes = replay ? replay_summary(replay).notes : "";
	char line[240];

	snprintf(line, sizeof(line), "%.*s", (int)strcspn(notes, "\n"), notes);
	text_cut_clean(line, sizeof(line));
	if (*line)
		session_say(session, line);
}

/* Chooses the theme of this session. An unknown theme in the environment variable SLEXPLORE_THEME
 * is only reported, because the explorer works without it. */
static void choose_theme(struct session *session, const char *option)
{
	const char *name = option ? option : getenv("SLEXPLORE_THEME");
	enum theme theme;
	struct status status = name && *name ? theme_find(name, &theme) : status_ok();

	if (!status_is_ok(&status))
		session_say(session, words_of("SLEXPLORE_THEME: %s", status.text).text);
	else if (name && *name)
		session_choose(session, "theme", theme_names[theme]);
}

struct status ui_run(const struct ui_options *options, int *exit_status)
{
	const struct worker_options worker_options = {
		.cpu = options->cpu, .alone = uarch_alone, .bind_caller = true
	};
	const struct explainer explainer =
		options->replay ? replay_explainer(options->replay) : explainer_model;
	const struct session_options session_options = {
		.setting = options->setting,
		.compared = options->compared,
		.seed = options->seed,
		.invocation = options->invocation,
		.explainer = &explainer,
		.uarch = options->uarch,
		.replay = options->replay,
		.record = options->record,
		.events = options->events,
		.event_count = options->event_count,
		.commands = options->commands,
		.command_count = options->command_count,
		.offer = options->offer,
		.saved = options->saved && !options->script,
		.opens = options->next && !options->script,
		.swapped = options->swapped,
	};
	struct session *session;
	struct worker *worker = NULL;
	struct engine engine;
	struct text line = { 0 };
	enum theme theme;
	struct status status = options->theme ? theme_find(options->theme, &theme) : status_ok();

	*exit_status = 0;
	/* Report an unknown command of --do before the screen opens. */
	for (int i = 0; i < options->command_count && status_is_ok(&status); i++)
		status = session_command_exists(options->commands[i]);
	if (!status_is_ok(&status))
		return status;
	if (!options->script) {
		/* Check that the terminal can show the explorer before the worker's thread starts.
		 */
		status = screen_check();
		if (status_is_ok(&status) && !options->replay)
			status = topology_check(options->cpu);
		if (!status_is_ok(&status))
			return status;
	}
	/* The worker's thread may fail while this thread opens the screen. */
	if (!options->script)
		fatal_rescue(screen_emergency);
	if (!options->replay) {
		worker = worker_start(&worker_options, &status);
		if (!worker)
			return status;
	}
	engine = worker ? worker_engine(worker) : replay_engine(options->replay);
	session = session_new(&engine, &session_options);
	choose_theme(session, options->theme);
	say_notes(session, options->replay);
	if (options->mouse)
		session_choose(session, "mouse", "on");
	status = options->script ? run_script(session, worker, &engine, options)
				 : run_screen(session, worker, &engine, options, exit_status);
	session_remember(session);
	if (session_printed(session, &line))
		fprintf(output_of(options), "%s\n", text_string(&line));
	text_free(&line);
	if (options->next) {
		options->next->asked =
			session_opened(session, &options->next->replay, &options->next->setting);
		options->next->commands = session_opening(session);
		options->next->swapped = session_swaps(session);
	}
	if (options->recorded)
		session_recorded(session, options->recorded, 200);
	session_free(session);
	/* A worker whose kernel does not return is left: the screen is closed, and all samples are
	 * recorded. */
	if (worker)
		(void)worker_stop(worker);
	return status;
}
