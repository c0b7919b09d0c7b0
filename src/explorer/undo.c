#include "explorer/undo.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "explorer/state.h"

/* The largest number of the user's changes that can be undone. A key that the user holds down makes
 * about 30 changes a second. */
enum { UNDO_MOST = 200 };

enum { PART_SETTING = 1, PART_CORE = 2, PART_PINNED = 4, PART_BESIDE = 8 };

struct choices undo_look(const struct session *session)
{
	struct choices choices = { .setting = session->setting,
		.knob = session->knob,
		.core = insight_choice(session),
		.pinned = session->pinned };

	if (session->beside.replay)
		snprintf(choices.beside, sizeof(choices.beside), "%s",
			replay_summary(session->beside.replay).path);
	return choices;
}

static bool same_core(const struct core_choice *one, const struct core_choice *other)
{
	return one->nearest == other->nearest && one->adopted == other->adopted &&
	       strcmp(one->wanted, other->wanted) == 0;
}

static bool same_pinned(const struct pinned *one, const struct pinned *other)
{
	if (!one->there || !other->there)
		return one->there == other->there;
	return setting_equal(&one->setting, &other->setting) &&
	       one->sample.cpe == other->sample.cpe && one->sample.trials == other->sample.trials;
}

/* Compares two sets of the user's choices; returns one bit for each part that differs: setting,
 * core model, A, or recording. */
static unsigned differences(const struct choices *one, const struct choices *other)
{
	return (setting_equal(&one->setting, &other->setting) ? 0 : PART_SETTING) |
	       (same_core(&one->core, &other->core) ? 0 : PART_CORE) |
	       (same_pinned(&one->pinned, &other->pinned) ? 0 : PART_PINNED) |
	       (strcmp(one->beside, other->beside) == 0 ? 0 : PART_BESIDE);
}

void undo_note(struct session *session, const struct choices *before)
{
	struct undo *undo = &session->undo;
	struct choices after = undo_look(session);
	unsigned parts = differences(before, &after);

	/* One command of the user may run another command, which has then already added its change
	 * to the undo stack. */
	if (!parts || (undo->count && !differences(&undo->step[undo->count - 1].before, before)))
		return;
	if (!undo->step)
		undo->step = memory_new(UNDO_MOST, sizeof(*undo->step));
	if (undo->count == UNDO_MOST)
		memmove(undo->step, undo->step + 1, (size_t)--undo->count * sizeof(*undo->step));
	undo->step[undo->count++] = (struct undo_step){ *before, parts };
}

/* Adds the present setting to a message: "size=32k acc=2", or the kernel's name after another
 * kernel. `was` is the setting before undo. */
static void add_setting(
	const struct session *session, const struct setting *was, struct text *words)
{
	const struct setting *now = &session->setting;

	if (was->kernel != now->kernel) {
		text_addf(words, "%s", now->kernel->name);
		return;
	}
	for (int i = 0; i < now->kernel->knob_count; i++)
		if (now->v[i] != was->v[i])
			text_addf(words, "%s%s=%s", words->length ? " " : "",
				now->kernel->knobs[i].name,
				setting_shown(&now->kernel->knobs[i], now->v[i]).text);
}

void undo_back(struct session *session)
{
	struct undo *undo = &session->undo;
	const struct undo_step step = undo->step[--undo->count];
	const struct setting was = session->setting;
	struct text words = { 0 };

	if (step.parts & PART_PINNED)
		session_repin(session, &step.before.pinned);
	if (step.parts & PART_BESIDE)
		beside_open(session, step.before.beside);
	if (step.parts & PART_CORE) {
		insight_choose(session, &step.before.core);
		curves_renew(session);
	}
	if (step.parts & PART_SETTING) {
		session_go(session, &step.before.setting);
		session_choose_knob(session, step.before.knob);
		add_setting(session, &was, &words);
	}
	if (step.parts & PART_CORE)
		text_addf(&words, "%slimits of %s", words.length ? ", " : "",
			session->insight.loaded ? session->insight.core.title : "no core");
	if (step.parts & (PART_PINNED | PART_BESIDE))
		text_addf(&words, "%s%s", words.length ? ", " : "",
			session->pinned.there || session->beside.replay ? "the previous A"
									: "no A");
	session_notice(session, false, "back to %s%s", text_string(&words),
		undo->count ? "" : ": there is no earlier change");
	text_free(&words);
}

bool undo_there(const struct session *session)
{
	return session->undo.count > 0;
}

bool undo_only_a(const struct session *session)
{
	const struct undo *undo = &session->undo;

	return undo->count == 1 && undo->step->parts == PART_BESIDE &&
	       !undo->step->before.beside[0] && session->beside.replay;
}

static bool refers_to(const struct choices *choices, const struct kernel *kernel)
{
	return choices->setting.kernel == kernel ||
	       (choices->pinned.there && choices->pinned.setting.kernel == kernel);
}

void undo_forget(struct session *session, const struct kernel *kernel)
{
	struct undo *undo = &session->undo;
	int kept = 0;

	for (int i = 0; i < undo->count; i++)
		if (!refers_to(&undo->step[i].before, kernel))
			undo->step[kept++] = undo->step[i];
	undo->count = kept;
}

void undo_end(struct session *session)
{
	free(session->undo.step);
}
