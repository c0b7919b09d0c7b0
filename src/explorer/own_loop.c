/* Own loops in the explorer. A command opens an own loop: a function in the user's file. When the
 * user saves the own loop's file, the session compiles the file again, and the previous version
 * becomes A, the setting compared with. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "engine/own/own.h"
#include "explorer/state.h"

/* Seconds between two checks whether the own loop's file was saved. Each check calls stat(2)
 * once. */
static const double LOOK_PERIOD = 0.25;
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

/* Makes a compiled kernel the own loop of the session. The own loop becomes the present setting,
 * unless it is a new version of a loop that is not on screen. The sample of the own loop's previous
 * version becomes A, the setting compared with. */
static void take(struct session *session, const struct kernel *kernel, bool go)
{
	const struct setting *present = &session->setting;
	bool version = session->own.open && present->kernel->own &&
		       strcmp(present->kernel->file, kernel->file) == 0;
	struct setting setting, kept;

	setting_init(&setting, kernel);
	kept = setting;
	if (version) {
		struct status status;

		memcpy(kept.v, present->v, sizeof(kept.v));
		status = setting_check(&kept, session->memory_limits);
		if (status_is_ok(&status))
			setting = kept;
		if (session->live.sample.valid)
			session_pin(session);
	}
	insight_forget(session);
	/* A, the pinned setting for comparison, is removed if it belongs to an older version of the
	 * own loop. The new version of the own loop has overwritten the kernel of that older
	 * version. */
	if (session->pinned.setting.kernel == kernel)
		session_unpin(session);
	undo_forget(session, kernel);
	session->own.open = true;
	session->own.stale = false;
	*newest(session) = setting;
	if (session->screen.overlay == OVERLAY_TEXT && session->screen.text_title[0])
		overlay_open(session, OVERLAY_NONE);
	if (go || version)
		session_go(session, &setting);
	/* All existing samples are discarded, because they belong to the previous version of the
	 * own loop. */
	session_forget(session);
}

static struct status compile(struct session *session, const char *path, const char *cflags, bool go)
{
	const struct kernel *kernel;
	struct text said = { 0 };
	struct status status = own_open(path, cflags, &said, &kernel);

	if (status_is_ok(&status))
		take(session, kernel, go);
	else if (said.length)
		show_errors(session, path, &said);
	text_free(&said);
	return status;
}

struct status session_own_open(struct session *session, const char *path, const char *cflags)
{
	return compile(session, path, cflags, true);
}

static bool reload(struct session *session)
{
	const struct own *own = newest(session)->kernel->own;
	const char *cflags = own_cflags(own);
	char path[4096], flags[1024];
	struct status status;

	/* The names in the kernel are copied, because the new version of the own loop may overwrite
	 * the kernel that holds them. */
	snprintf(path, sizeof(path), "%s", newest(session)->kernel->file);
	snprintf(flags, sizeof(flags), "%s", cflags ? cflags : "");
	session->own.stale = false;
	own_seen(own);
	status = compile(session, path, cflags ? flags : NULL, false);
	if (!status_is_ok(&status))
		session_notice(session, true, "%s", status.text);
	else
		session_notice(session, false, "%.120s was read again%s", path,
			session->pinned.there ? "; A did not change" : "");
	if (status_is_ok(&status))
		notice_limit_to(session, 5);
	return true;
}

bool session_own_advance(struct session *session)
{
	if (!session->own.open || session->now < session->own.look)
		return false;
	if (session->own.stale)
		return reload(session);
	session->own.look = session->now + LOOK_PERIOD;
	if (!own_changed(newest(session)->kernel->own))
		return false;
	/* The next call compiles the own loop's file, so the screen can show the message first. */
	session->own.stale = true;
	session->own.look = session->now + SETTLE;
	session_notice(
		session, false, "%.120s was saved: compiling", newest(session)->kernel->name);
	return true;
}

double session_own_next(const struct session *session)
{
	return session->own.open ? session->own.look : INFINITY;
}
