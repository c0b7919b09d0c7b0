/* A recording in memory: answers what it holds, frees it, and counts what its readers ignore. */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/text.h"
#include "recording/replay_records.h"

void reading_leave_out(struct reading *reading, struct left_out *left_out, const char *format, ...)
{
	va_list arguments;

	if (left_out->count++ > 0)
		return;
	left_out->line = reading->line;
	va_start(arguments, format);
	vsnprintf(left_out->why, sizeof(left_out->why), format, arguments);
	va_end(arguments);
}

void explained_free(struct explained *explained)
{
	if (!explained)
		return;
	free(explained->limit);
	free(explained->run);
}

void replay_free(struct replay *replay)
{
	if (!replay)
		return;
	for (int i = 0; i < replay->settings.count; i++) {
		free(replay->played[i].trial);
		free(replay->played[i].counts);
		explained_free(replay->played[i].explained);
		free(replay->played[i].explained);
	}
	free(replay->played);
	setting_index_free(&replay->settings);
	text_free(&replay->notes);
	if (replay->event >= 0)
		close(replay->event);
	free(replay->path);
	free(replay);
}

/* ---- what it holds ---- */

const char *replay_name(const struct replay *replay)
{
	return replay->name;
}
const char *replay_path(const struct replay *replay)
{
	return replay->path;
}
const struct replay_place *replay_place(const struct replay *replay)
{
	return &replay->place;
}
const struct machine *replay_machine(const struct replay *replay)
{
	return &replay->machine;
}
const struct core *replay_core(const struct replay *replay)
{
	return replay->has_core ? &replay->core : NULL;
}
const struct event_plan *replay_events(const struct replay *replay)
{
	return replay->has_events ? &replay->events : NULL;
}
const char *replay_notes(const struct replay *replay)
{
	return text_string(&replay->notes);
}
int replay_count(const struct replay *replay)
{
	return replay->settings.count;
}
const struct setting *replay_setting(const struct replay *replay, int index)
{
	return &replay->settings.setting[index];
}
unsigned replay_id(const struct replay *replay, int index)
{
	return replay->played[index].id;
}
unsigned replay_last_id(const struct replay *replay)
{
	return replay->last_id;
}
unsigned replay_trials(const struct replay *replay, int index)
{
	return replay->played[index].in_file;
}

int replay_find(const struct replay *replay, const struct setting *setting)
{
	return setting_index_find(&replay->settings, setting);
}

int replay_counted(const struct replay *replay, int index)
{
	const struct counts *counts = replay->played[index].counts;
	int known = 0;

	for (int i = 0; counts && i < counts->count; i++)
		known += count_known(&counts->event[i]);
	return known;
}

int replay_limits_known(const struct replay *replay, int index)
{
	const struct explained *explained = replay->played[index].explained;
	int known = 0;

	if (!explained)
		return -1;
	for (int i = 0; i < explained->limit_count; i++)
		known += explained->limit[i].known;
	return known;
}

void replay_sample(const struct replay *replay, int index, struct sample *sample)
{
	const struct played *played = &replay->played[index];
	struct trials trials = { .count = played->count };

	memcpy(trials.forgotten, played->forgotten, sizeof(trials.forgotten));
	memcpy(trials.trial, played->trial, played->count * sizeof(trials.trial[0]));
	sample_summarise(&trials, &played->facts, sample);
}
