/* Own loops in the explorer. A command opens an own loop: a function in the user's file. When the
 * user saves the file of the own loop on screen, the session compiles the file again, and the
 * previous version becomes A, the setting compared with. If A is an own loop of another file, that
 * file is watched, too, and its new version takes the place of A. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "engine/own/own.h"
#include "explorer/state.h"

/* Seconds between two checks whether the file of a watched own loop was saved. Each check calls
 * stat(2) once for each watched own loop. */
static const double LOOK_PERIOD = 0.25;
/* Seconds between two checks whether the compilation of the user's file is complete. */
static const double COMPILE_PERIOD = 0.02;
/* Seconds to wait after the own loop's file was saved, because the file may not be complete yet. */
static const double SETTLE = 0.05;

static struct setting *newest(struct session *session)
{
	return &session->kernels[session->kernel_count].setting;
}

void session_own_adopt(struct session *session, const struct setting *setting)
{
	*newest(session) = *setting;
	session->own.open = true;
}

/* Shows the compiler's messages about the own loop's file in an overlay. */
static void show_errors(struct session *session, const char *path, const struct text *said)
{
	char title[80];

	snprintf(title, sizeof(title), "%.60s does not compile", path);
	overlay_text(session, title, text_string(said));
}

/* Gives the knobs of a new version of an own loop the values that knobs of the same names have in
 * the present setting, as far as the new version allows these values. */
static void keep_values(
	const struct setting *present, struct setting *setting, struct memory_limits memory_limits)
{
	struct setting kept = *setting;
	struct status status;

	for (int i = 0; i < kept.kernel->knob_count; i++) {
		const struct knob *knob = &kept.kernel->knobs[i];
		int before = kernel_knob(present->kernel, knob->name);

		if (before < 0)
			continue;
		status = setting_parse_value(knob,
			setting_value(&present->kernel->knobs[before], present->v[before]).text,
			memory_limits, &kept.v[i]);
		if (!status_is_ok(&status))
			kept.v[i] = setting->v[i];
	}
	status = setting_check(&kept, memory_limits);
	if (status_is_ok(&status))
		*setting = kept;
}

/* Whether the result A belongs to another own loop: the user compares two source files. */
static bool other_is_pinned(const struct session *session, const struct kernel *kernel)
{
	const struct kernel *pinned = session->pinned.there ? session->pinned.setting.kernel : NULL;

	return pinned && pinned->own && strcmp(pinned->file, kernel->file) != 0;
}

static bool same_file(const struct kernel *one, const struct kernel *other)
{
	return one && other && one->own && other->own && strcmp(one->file, other->file) == 0;
}

/* Whether A is an own loop of this file, and the present setting is not. */
static bool is_file_of_a(const struct session *session, const char *path)
{
	const struct kernel *present = session->setting.kernel, *a = session->pinned.setting.kernel;

	return session->pinned.there && a->own && strcmp(a->file, path) == 0 &&
	       !same_file(present, a);
}

/* ---- the watched own loops ---- */

/* Most own loops that are watched at the same time. */
enum { WATCHED = 3 };

/* Returns one of the watched own loops: the one opened last, the one on screen, and A. Returns
 * NULL if it is no own loop. */
static const struct kernel *watched(const struct session *session, int which)
{
	const struct kernel *const kernels[WATCHED] = {
		session->own.open ? session->kernels[session->kernel_count].setting.kernel : NULL,
		session->setting.kernel,
		session->pinned.there ? session->pinned.setting.kernel : NULL,
	};

	return kernels[which] && kernels[which]->own ? kernels[which] : NULL;
}

/* Returns a watched own loop whose file was saved; NULL: there is none. */
static const struct kernel *saved_loop(const struct session *session)
{
	for (int i = 0; i < WATCHED; i++)
		if (watched(session, i) && own_changed(watched(session, i)->own))
			return watched(session, i);
	return NULL;
}

/* Keeps the watched own loops in memory while another own loop is opened, or ends that. */
static void keep_watched(const struct session *session, bool kept)
{
	for (int i = 0; i < WATCHED; i++)
		if (watched(session, i))
			own_keep(watched(session, i)->own, kept);
}

/* ---- new versions ---- */

/* Makes the new version of A's own loop the setting compared with. */
static void take_a(struct session *session, const struct kernel *kernel)
{
	struct setting setting;

	setting_init(&setting, kernel);
	keep_values(&session->pinned.setting, &setting, session->memory_limits);
	undo_forget(session, kernel);
	if (session->own.open && same_file(newest(session)->kernel, kernel))
		*newest(session) = setting;
	insight_refresh(session);
	session_forget_cells(session);
	session_pin_setting(session, &setting);
}

/* Makes a compiled kernel the own loop (the function in the user's file) of the session. The own
 * loop becomes the present setting, unless it is a new version of a loop that is not on screen. The
 * sample of the own loop's previous version becomes A, the setting compared with. Returns whether
 * it became A. */
static bool take(struct session *session, const struct kernel *kernel, bool go)
{
	const struct setting *present = &session->setting;
	bool version = same_file(present->kernel, kernel);
	bool pins = version && session->live.sample.valid && !other_is_pinned(session, kernel);
	struct setting setting, first;

	setting_init(&first, kernel);
	setting = first;
	if (version)
		keep_values(present, &setting, session->memory_limits);
	/* Flags that the user asks for are not replaced by those of the version before. */
	if (version && go && own_cflags(kernel->own))
		setting.v[kernel_knob(kernel, "cflags")] = first.v[kernel_knob(kernel, "cflags")];
	if (pins)
		session_pin(session);
	insight_forget(session);
	undo_forget(session, kernel);
	session->own.open = true;
	*newest(session) = setting;
	if (go || version)
		session_go(session, &setting);
	/* All existing samples are discarded, because they belong to the previous version of the
	 * own loop. */
	session_forget(session);
	return pins;
}

void session_own_stop(struct session *session)
{
	own_open_stop(session->own.opening);
	free(session->own.path);
	session->own.opening = NULL;
	session->own.path = NULL;
}

bool session_compiles(const struct session *session)
{
	return session->own.opening != NULL;
}

/* Starts a thread that compiles the file of an own loop. Keys keep working while it compiles. */
static struct status compile(struct session *session, const char *path, const char *cflags, bool go)
{
	struct own_loop *own = &session->own;
	struct own_opening *opening;
	struct status status = own_open_begin(path, cflags, &opening);

	if (!status_is_ok(&status))
		return status;
	session_own_stop(session);
	own->opening = opening;
	own->path = memory_string(path);
	own->go = go;
	own->look = session->now + COMPILE_PERIOD;
	session_notice(session, false, "%.120s: compiling", path);
	return status;
}

struct status session_own_open(struct session *session, const char *path, const char *cflags)
{
	return compile(session, path, cflags, true);
}

struct status session_own_flags(struct session *session, const char *flags)
{
	const struct kernel *kernel = session->setting.kernel;
	const char *given = own_cflags(kernel->own);
	struct text sets = { 0 };
	struct status status;

	text_addf(&sets, "%s%s%s", flags, given ? "," : "", given ? given : "");
	status = session_own_open(session, kernel->file, text_string(&sets));
	text_free(&sets);
	return status;
}

/* Says that the file of an own loop was saved, but has no new version that can be measured. */
static void fail(struct session *session, const char *path, const struct status *status)
{
	session_notice(session, true, "%s", status->text);
	if (is_file_of_a(session, path))
		session_pin_outdate(session);
}

/* Makes the compiled file the own loop, or shows the reason why the file could not be compiled. */
static void finish(struct session *session)
{
	struct own_loop *own = &session->own;
	const struct choices before = undo_look(session);
	const struct kernel *kernel;
	struct text said = { 0 };
	struct status status;
	bool pinned = false, of_a = !own->go && is_file_of_a(session, own->path);

	insight_spare_own(&session->insight, newest(session)->kernel);
	keep_watched(session, true);
	status = own_open_end(own->opening, &said, &kernel);
	keep_watched(session, false);
	own->opening = NULL;
	own->look = session->now + LOOK_PERIOD;
	if (status_is_ok(&status) && session->screen.overlay == OVERLAY_TEXT &&
		session->screen.text_title[0])
		overlay_open(session, OVERLAY_NONE);
	if (status_is_ok(&status) && of_a)
		take_a(session, kernel);
	else if (status_is_ok(&status))
		pinned = take(session, kernel, own->go);
	else if (said.length)
		show_errors(session, own->path, &said);
	if (!status_is_ok(&status) && own->go)
		session_notice(session, true, "%s", status.text);
	else if (!status_is_ok(&status))
		fail(session, own->path, &status);
	else if (own->go)
		notice_clear(session);
	else
		session_notice(session, false, "%.120s was read again%s", own->path,
			pinned			? "; A is the version before"
			: of_a			? "; A is measured again"
			: session->pinned.there ? "; A did not change"
						: "");
	if (status_is_ok(&status) && !own->go)
		notice_limit_to(session, 5);
	if (own->go)
		undo_note(session, &before);
	session_own_stop(session);
	text_free(&said);
}

static void reload(struct session *session)
{
	const struct kernel *saved = session->own.saved;
	struct status status;

	session->own.saved = NULL;
	for (int i = 0; i < WATCHED; i++)
		if (same_file(watched(session, i), saved))
			own_seen(watched(session, i)->own);
	status = compile(session, saved->file, own_cflags(saved->own), false);
	if (!status_is_ok(&status))
		fail(session, saved->file, &status);
}

bool session_own_advance(struct session *session)
{
	struct own_loop *own = &session->own;

	if (session->now < session_own_next(session))
		return false;
	if (own->opening && !own_open_over(own->opening)) {
		own->look = session->now + COMPILE_PERIOD;
		return false;
	}
	if (own->opening) {
		finish(session);
		return true;
	}
	own->look = session->now + LOOK_PERIOD;
	/* The saved own loop may have left the screen since. */
	for (int i = 0; own->saved && i < WATCHED; i++) {
		if (watched(session, i) == own->saved) {
			reload(session);
			return true;
		}
	}
	own->saved = saved_loop(session);
	if (!own->saved)
		return false;
	/* The next call compiles the own loop's file, so the screen can show the message first. */
	own->look = session->now + SETTLE;
	session_notice(session, false, "%.120s was saved: compiling", own->saved->name);
	return true;
}

double session_own_next(const struct session *session)
{
	bool watches = session->own.opening;

	for (int i = 0; i < WATCHED; i++)
		watches |= watched(session, i) != NULL;
	return watches ? session->own.look : INFINITY;
}
