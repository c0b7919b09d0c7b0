/* The session while a recording is played: it goes only where the recording has been. */
#include <stdio.h>
#include <string.h>

#include "explorer/state.h"

struct status playback_allows(const struct session *session, const struct setting *setting)
{
	if (!session->replay)
		return setting_check(setting, session->memory_limits);
	return replay_find(session->replay, setting) >= 0
		       ? status_ok()
		       : status_usage("this setting was not recorded");
}

struct status playback_refuse(const struct session *session)
{
	return status_usage("nothing is measured in a replay: the samples are those of %.100s",
		replay_name(session->replay));
}

bool playback_kernel(const struct session *session, const struct kernel *kernel)
{
	struct setting setting;

	return !session->replay || replay_first(session->replay, kernel, &setting);
}

struct status playback_none(const struct session *session, const struct kernel *kernel)
{
	struct text names = { 0 };
	struct status status;

	for (int i = 0; kernel_registry[i]; i++)
		if (playback_kernel(session, kernel_registry[i]))
			text_addf(
				&names, "%s%s", names.length ? ", " : "", kernel_registry[i]->name);
	status = status_usage("no setting of %s was recorded; there are some of %s", kernel->name,
		text_string(&names));
	text_free(&names);
	return status;
}

void playback_renew(struct session *session)
{
	const struct kernel *kernel = session->setting.kernel;

	if (!session->replay || session->playback.kernel == kernel)
		return;
	session->playback.kernel = kernel;
	for (int i = 0; i < kernel->knob_count; i++)
		replay_range(session->replay, &session->setting, i, session->playback.knob[i].all,
			sizeof(session->playback.knob[i].all), session->playback.knob[i].ends,
			sizeof(session->playback.knob[i].ends));
}

void playback_cell(const struct session *session, struct cell *cell)
{
	if (cell->settled)
		return;
	replay_sample(session->replay, replay_find(session->replay, &cell->setting), &cell->sample);
	cell->settled = true;
}

/* "size was recorded at 4k, 8k, 16k". */
static void range_of(const struct session *session, int knob, char *buffer, size_t size)
{
	char range[160];

	replay_range(session->replay, &session->setting, knob, range, sizeof(range), NULL, 0);
	snprintf(buffer, size, "%s was recorded at %s", session->setting.kernel->knobs[knob].name,
		range);
}

struct status playback_end(const struct session *session, int knob)
{
	char words[200];

	range_of(session, knob, words, sizeof(words));
	return status_usage("no further: %s", words);
}

void playback_say_range(struct session *session, int knob)
{
	char words[200];

	range_of(session, knob, words, sizeof(words));
	session_notice(session, false, "%s", words);
}

struct status playback_fit(const struct session *session, struct setting *setting, unsigned asked)
{
	struct setting wanted = *setting;
	char value[64], words[200];

	if (replay_find(session->replay, setting) >= 0 ||
		replay_nearest(session->replay, setting, asked))
		return status_ok();
	for (int i = 0; i < wanted.kernel->knob_count; i++) {
		const struct knob *knob = &wanted.kernel->knobs[i];

		/* Of several choices that were not recorded, the first is reported. */
		if (!(asked >> i & 1) || knob->kind != KNOB_CHOICE)
			continue;
		setting_show_value(knob, wanted.v[i], value, sizeof(value));
		range_of(session, i, words, sizeof(words));
		return status_usage("%s=%s was not recorded: %s", knob->name, value, words);
	}
	return status_usage("no setting of %s was recorded", wanted.kernel->name);
}

void playback_tell(struct session *session, const struct setting *wanted, unsigned asked)
{
	const struct setting *present = &session->setting;

	for (int i = 0; session->replay && i < present->kernel->knob_count; i++) {
		const struct knob *knob = &present->kernel->knobs[i];
		char from[64], to[64];

		if (!(asked >> i & 1) || present->v[i] == wanted->v[i])
			continue;
		setting_show_value(knob, wanted->v[i], from, sizeof(from));
		setting_show_value(knob, present->v[i], to, sizeof(to));
		session_notice(session, false, "%s=%s was not recorded: %s is the nearest that was",
			knob->name, from, to);
		return;
	}
}
