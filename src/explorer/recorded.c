/* Writes and replays the recordings of a session. A replay allows only recorded settings. While
 * recording, the session writes its samples to a file. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "base/units.h"
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
	return status_usage("a replay measures nothing: its samples are those of %.100s",
		replay_summary(session->replay).name);
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
	status = status_usage("no setting of %s was recorded; there are recorded settings of %s",
		kernel->name, text_string(&names));
	text_free(&names);
	return status;
}

/* Whether the replay has another kernel than the present one. */
static bool others_recorded(const struct session *session)
{
	for (int i = 0; kernel_registry[i]; i++)
		if (kernel_registry[i] != session->playback.kernel &&
			playback_kernel(session, kernel_registry[i]))
			return true;
	return false;
}

static bool is_turnable(const struct session *session, int knob)
{
	return strchr(session->playback.knob[knob].all, ',');
}

/* Names the knobs that can be turned in the replay. The hint of the kernel's author may name a knob
 * that the recording has with only one value. */
static void write_hint(struct session *session)
{
	struct playback *playback = &session->playback;
	struct text words = { 0 };

	for (int i = 0; i < playback->kernel->knob_count; i++)
		if (is_turnable(session, i))
			text_addf(&words, "%s%s", words.length ? ", " : "Turn ",
				playback->kernel->knobs[i].name);
	text_add(&words, words.length		    ? ": recorded with several values"
			 : others_recorded(session) ? "[ and ]: the other recorded kernels"
						    : "v: this is the only recorded setting");
	snprintf(playback->hint, sizeof(playback->hint), "%s", text_string(&words));
	text_free(&words);
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
	write_hint(session);
}

int playback_knob(struct session *session)
{
	int count = session->setting.kernel->knob_count;

	playback_renew(session);
	for (int i = 0; session->replay && i < count; i++) {
		int knob = (session->knob + i) % count;

		if (is_turnable(session, knob))
			return knob;
	}
	return session->knob;
}

void playback_cell(const struct session *session, struct cell *cell)
{
	if (cell->settled)
		return;
	replay_sample(session->replay, replay_find(session->replay, &cell->setting), &cell->sample);
	cell->settled = true;
}

struct words playback_range(const struct session *session, int knob)
{
	char range[160];

	replay_range(session->replay, &session->setting, knob, range, sizeof(range), NULL, 0);
	return words_of("%s was recorded at %s", session->setting.kernel->knobs[knob].name, range);
}

struct status playback_fit(const struct session *session, struct setting *setting, unsigned asked)
{
	struct setting wanted = *setting;

	if (replay_find(session->replay, setting) >= 0 ||
		replay_nearest(session->replay, setting, asked))
		return status_ok();
	for (int i = 0; i < wanted.kernel->knob_count; i++) {
		const struct knob *knob = &wanted.kernel->knobs[i];

		/* The error message of a replay names the first knob whose requested value was not
		 * recorded. */
		if (!(asked >> i & 1) || knob->kind != KNOB_CHOICE)
			continue;
		return status_usage("%s=%s was not recorded: %s", knob->name,
			setting_shown(knob, wanted.v[i]).text, playback_range(session, i).text);
	}
	return status_usage("no setting of %s was recorded", wanted.kernel->name);
}

void playback_tell(struct session *session, const struct setting *wanted, unsigned asked)
{
	const struct setting *present = &session->setting;

	for (int i = 0; session->replay && i < present->kernel->knob_count; i++) {
		const struct knob *knob = &present->kernel->knobs[i];

		if (!(asked >> i & 1) || present->v[i] == wanted->v[i])
			continue;
		session_notice(session, false,
			"%s=%s was not recorded: the nearest recorded value is %s", knob->name,
			setting_shown(knob, wanted->v[i]).text,
			setting_shown(knob, present->v[i]).text);
		return;
	}
}

/* ---- a recording as A ---- */

void beside_close(struct session *session)
{
	replay_free(session->beside.replay);
	cells_free(session->beside.cells);
	session->beside = (struct beside){ .replay = NULL };
}

struct status beside_open(struct session *session, const char *path)
{
	struct replay *replay = NULL;
	struct replay_summary summary;
	struct status status = *path ? replay_open(path, &replay) : status_ok();

	if (!status_is_ok(&status))
		return status;
	beside_close(session);
	if (!replay)
		return status;
	session->beside = (struct beside){ replay, cells_new() };
	summary = replay_summary(replay);
	session_notice(session, false, "A is now %.80s: %d setting%s from %.80s; d drops it",
		summary.name, summary.count, summary.count == 1 ? "" : "s", summary.machine->name);
	return status;
}

const struct sample *beside_sample(const struct session *session, const struct setting *setting)
{
	const struct beside *beside = &session->beside;
	int index = beside->replay ? replay_find(beside->replay, setting) : -1;
	struct cell *cell;

	if (index < 0)
		return NULL;
	cell = cells_get(beside->cells, setting, true);
	if (!cell->settled)
		replay_sample(beside->replay, index, &cell->sample);
	cell->settled = true;
	return &cell->sample;
}

/* ---- another session ---- */

void open_allow(struct session *session, bool allowed, bool swapped)
{
	session->opened.allowed = allowed;
	session->opened.swapped = swapped;
}

struct status open_ask(const struct session *session, struct session *change, const char *path)
{
	struct replay *replay = NULL;
	struct status status = status_ok();

	if (!session->opened.allowed)
		return status_usage("open: only the explorer on a terminal can open a recording");
	if (!*path && !session->replay)
		return status_usage("open needs the file of a recording; this session measures "
				    "this machine already");
	if (!change)
		return status;
	if (*path)
		status = replay_open(path, &replay);
	if (!status_is_ok(&status))
		return status;
	change->opened.asked = true;
	change->opened.replay = replay;
	return status;
}

void open_drop(struct session *session)
{
	replay_free(session->opened.replay);
	session->opened.replay = NULL;
	text_free(&session->opened.commands);
}

struct text session_opening(struct session *session)
{
	struct text commands = session->opened.commands;

	session->opened.commands = (struct text){ 0 };
	return commands;
}

bool session_swaps(const struct session *session)
{
	return session->opened.swaps;
}

bool session_opened(struct session *session, struct replay **replay, struct setting *setting)
{
	*replay = session->opened.replay;
	session->opened.replay = NULL;
	*setting = session->setting;
	if (setting->kernel->own || setting->kernel->function)
		setting->kernel = NULL;
	return session->opened.asked;
}

/* ---- writing ---- */

/* Writes the sample on screen to the recording, even a sample that was measured as a point of a
 * curve. */
static void record_shown(struct session *session)
{
	const struct cell *cell = cells_get(session->cells, &session->setting, false);

	record_present(session);
	if (cell)
		record_cell(session, cell, false);
}

struct status record_open(struct session *session, const char *path)
{
	const struct insight *insight = &session->insight;
	struct recording_place place = {
		.machine = session_machine(session),
		.seed = session->seed,
		.core = insight->loaded ? &insight->core : NULL,
		.match = insight->match,
		.foreign = insight_foreign(session),
		.nearest = insight->nearest && !insight->wanted[0],
		.note = insight->note,
		.events = session->counted.plan,
		.visited = true,
	};
	struct recording *new;
	char words[96] = "";
	bool goes_on;
	int held;
	struct status status = recording_open(path, &place, &new, &goes_on);

	if (!status_is_ok(&status))
		return status;
	recording_close(session->recording);
	session->recording = new;
	held = recording_state(new).held;
	if (goes_on && held)
		snprintf(words, sizeof(words), ", after the %d setting%s that it holds", held,
			held == 1 ? "" : "s");
	session_notice(session, false, "recording to %.140s%s%s", path, words,
		session->setting.kernel->own
			? ", but not this own loop: a replay would not have its code"
			: "");
	record_shown(session);
	return status;
}

void session_recorded(struct session *session, char *buffer, size_t size)
{
	struct recording_state state;

	buffer[0] = '\0';
	record_shown(session);
	if (!session->recording)
		return;
	state = recording_state(session->recording);
	if (state.settings == 0 && state.held == 0) {
		snprintf(buffer, size, "recorded: no setting in %.100s, because %s", state.path,
			session->setting.kernel->own
				? "own loops are not recorded: a replay would not have their code"
				: "no measurement was finished");
		return;
	}
	snprintf(buffer, size, "recorded: %d setting%s, %s: slexplore replay %.100s",
		state.settings, state.settings == 1 ? "" : "s",
		units_size_long(
			(int64_t)(state.bytes < 1024 ? state.bytes : state.bytes / 1024 * 1024))
			.text,
		state.path);
}

void record_end(struct session *session)
{
	char words[200];

	session_recorded(session, words, sizeof(words));
	session_notice(session, false, "%s", words);
	recording_close(session->recording);
	session->recording = NULL;
}

bool record_begin(struct session *session)
{
	struct status status;

	if (!session->record_path)
		return false;
	status = record_open(session, session->record_path);
	if (!status_is_ok(&status))
		session_notice(session, true, "not recording: %s", status.text);
	return status_is_ok(&status);
}

/* After a write error, ends the recording and shows a message on screen. */
static void check(struct session *session)
{
	struct status status = recording_state(session->recording).status;

	if (status_is_ok(&status))
		return;
	session_notice(session, true, "%s", status.text);
	recording_close(session->recording);
	session->recording = NULL;
}

/* Whether the present core model is still the model with which the recording began. */
static bool same_core(const struct session *session)
{
	return session->insight.loaded &&
	       recording_is_of(session->recording, session->insight.core.name);
}

/* Writes the limits of a setting to the recording. */
static void write_limits(struct session *session, const struct setting *setting,
	const struct explanation *explanation)
{
	double modelled[COUNTERS_MAX];

	counted_model(session, status_is_ok(&explanation->status) ? explanation : NULL, modelled);
	recording_explain(
		session->recording, setting, explanation, session->counted.plan, modelled);
}

void record_present(struct session *session)
{
	const struct live *live = &session->live;
	const struct insight *insight = &session->insight;
	const struct counted *counted = &session->counted;
	struct recording *recording = session->recording;
	struct recording_entry entry = { &session->setting, &live->pool, &live->facts,
		counted->plan, &counted->counts };

	if (!recording || session->setting.kernel->function)
		return;
	if (live->answered && live->sample.valid && !live->sample.provisional &&
		recording_wants(recording, &session->setting, &live->sample, &counted->counts))
		recording_add(recording, &entry);
	if (insight->setting.kernel && !insight->reading && same_core(session))
		write_limits(session, &session->setting, insight->explanation);
	check(session);
}

void record_cell(struct session *session, const struct cell *cell, bool point)
{
	struct recording *recording = session->recording;
	struct recording_entry entry = { &cell->setting, cell->trials, &cell->facts,
		session->counted.plan, cell->counts };
	const struct explanation *explanation = NULL;

	if (!recording || !cell->trials || !cell->sample.valid)
		return;
	if (!point && (!cell->settled || cell->sample.provisional))
		return;
	if (point || recording_wants(recording, &cell->setting, &cell->sample, cell->counts))
		recording_add(recording, &entry);
	if (!point && recording_lacks_limits(recording, &cell->setting) && same_core(session))
		explanation = insight_of(session, &cell->setting);
	if (explanation)
		write_limits(session, &cell->setting, explanation);
	check(session);
}
