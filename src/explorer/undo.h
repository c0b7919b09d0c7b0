/* The stack of the user's last changes, so that the command `undo` goes back one change at a time.
 * Only undo.c writes a `struct undo`. */
#pragma once

#include <stdbool.h>

#include "experiment/setting/setting.h"
#include "explorer/insight.h"

struct session;

/* A: the setting and sample that the user compares other settings with. */
struct pinned {
	bool there;
	bool awaited;  /* the user named the setting of A, and its measurement is not complete */
	bool outdated; /* the file of A's own loop was saved since, but cannot be measured */
	struct setting setting;
	struct sample sample;
	enum limit_kind limit; /* binding limit of A; LIMIT_COUNT: the limit is unknown */
};

/* The user's choices that undo restores: kernel and knobs, the core model, and A. */
struct choices {
	struct setting setting;
	int knob;
	struct core_choice core;
	struct pinned pinned;
	char beside[256]; /* path of the recording that is A; empty: no recording is A */
};

/* An entry of the undo stack: the user's choices before a change, and one bit for each part that
 * changed. */
struct undo_step {
	struct choices before;
	unsigned parts;
};

struct undo {
	struct undo_step *step; /* the changes, oldest first; owned; NULL: no change yet */
	int count;
};

/* Returns the present choices, to pass to undo_note() after a possible change. */
struct choices undo_look(const struct session *session);
/* Adds a change to the stack if the present choices differ from `before`. If the undo stack is
 * full, its oldest change is removed. If the last entry of the undo stack already contains the
 * choices `before`, the change is not added again. */
void undo_note(struct session *session, const struct choices *before);
/* Restores the choices before the last change, and shows a message that names them. Call
 * undo_back() only if undo_there(). */
void undo_back(struct session *session);
bool undo_there(const struct session *session);
/* Whether the only change on the stack is the first choice of a recording as A. */
bool undo_only_a(const struct session *session);
/* Removes all changes that refer to a kernel, before an own loop overwrites that kernel. */
void undo_forget(struct session *session, const struct kernel *kernel);
void undo_end(struct session *session);
