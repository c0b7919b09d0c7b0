#include "recording/recording.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/file.h"
#include "base/gzip.h"
#include "base/text.h"
#include "experiment/cost/cost.h"
#include "experiment/setting/cells.h"
#include "experiment/slack/slack.h"
#include "experiment/why/why.h"
#include "recording/records.h"
#include "recording/replay.h"
#include "recording/shared_records.h"

/* The facts that the recording contains about a setting. */
struct known {
	unsigned id;	 /* id of the record with the setting's last sample */
	unsigned trials; /* number of the setting's trials in the recording's file */
	unsigned made;	 /* number of trials that were made for the setting's last entry, with the
			    forgotten ones; 0: an earlier run of the program recorded the setting */
	bool good;	 /* true if at least one sample of the setting was reliable */
	int counted;	 /* number of counted events of the setting */
	bool first;	 /* the last sample is to be replaced */
	bool costs;	 /* the recording has the costs of the setting's instructions */
	bool probed;	 /* the recording has the probed pressure of the setting */
	int limits; /* number of known limits in the recorded explanation of the setting; -1: no
		       explanation was recorded */
};

struct recording {
	char *path;
	int file;
	struct gzip *gzip; /* compresses the blocks; NULL: the file is not compressed */
	struct recording_state state;
	struct core core; /* copy of the core model; only the names in the copy are valid */
	bool has_core;
	uint64_t seed;
	struct setting_index settings;
	struct known *known; /* what the recording contains about each setting, with one entry per
				setting */
	uint32_t plan;	     /* id of the last written event plan; 0: no plan was written */
	unsigned next_id;
	struct shared_records shared;
	struct text block;    /* the lines of the recording that flush() writes together */
	struct trials trials; /* buffer for choose_trials() */
};

/* Milliseconds for which a write waits for a slow reader of a pipe. */
enum { WRITE_PATIENCE = 1000 };

static void add_line(void *context, const char *line, size_t length)
{
	struct recording *recording = context;

	text_addn(&recording->block, line, length);
}

static struct records records_of(struct recording *recording)
{
	return (struct records){ .context = recording, .line = add_line };
}

/* Writes the bytes of `block` together, so that the file contains all or none of them, if possible.
 * After a write error, nothing more is written to the recording's file. */
static void write_block(struct recording *recording)
{
	struct stat facts;
	size_t done = 0;

	while (status_is_ok(&recording->state.status) && done < recording->block.length) {
		ssize_t written = write(recording->file, recording->block.bytes + done,
			recording->block.length - done);
		struct pollfd room = { .fd = recording->file, .events = POLLOUT };

		if (written > 0)
			done += (size_t)written;
		else if (written < 0 && errno != EINTR &&
			 !(errno == EAGAIN && poll(&room, 1, WRITE_PATIENCE) > 0))
			recording->state.status =
				recording->state.settings
					? status_failed("recording stopped: %.120s: %s; %d "
							"setting%s added",
						  recording->path, strerror(errno),
						  recording->state.settings,
						  recording->state.settings == 1 ? "" : "s")
					: status_failed("%.120s: %s; nothing was recorded",
						  recording->path, strerror(errno));
	}
	/* On a full disk, a part of the lines may be there. */
	if (done < recording->block.length && fstat(recording->file, &facts) == 0 &&
		S_ISREG(facts.st_mode) && facts.st_size >= (off_t)done &&
		ftruncate(recording->file, facts.st_size - (off_t)done) == 0)
		done = 0;
	recording->state.bytes += done;
	text_clear(&recording->block);
}

/* Writes the lines of `block`. */
static void flush(struct recording *recording)
{
	if (recording->gzip && recording->block.length &&
		!gzip_pack(recording->gzip, &recording->block, false))
		recording->state.status = status_failed("%.120s: out of memory", recording->path);
	write_block(recording);
}

/* ---- opening ---- */

/* Compares the place (machine, core and events) of an existing recording with that of the new
 * recording. Returns an error that names the first difference between the places (machine, core,
 * events) of two recordings. */
static struct status same_place(
	const char *path, const struct replay *there, const struct recording_place *here)
{
	const struct replay_summary summary = replay_summary(there);
	const struct machine *machine = summary.machine;
	const struct core *core = summary.core;

	if (strcmp(machine->host, here->machine->host) != 0 ||
		strcmp(machine->name, here->machine->name) != 0)
		return status_usage(
			"%.100s is a recording of %s (%.60s), not of this machine: choose another "
			"file",
			path, machine->host, *machine->name ? machine->name : "unknown");
	if (summary.place->seed != here->seed)
		return status_usage(
			"%.120s was recorded with --seed %llu: choose another file, or that seed",
			path, (unsigned long long)summary.place->seed);
	if ((core != NULL) != (here->core != NULL) ||
		(core && strcmp(core->name, here->core->name) != 0))
		return status_usage("the recording %.120s has limits for core model %s, not for "
				    "%s: choose another file",
			path, core ? core->name : "none", here->core ? here->core->name : "none");
	return status_ok();
}

static struct known *known_of(struct recording *recording, const struct setting *setting)
{
	int before = recording->settings.count,
	    index = setting_index_add(&recording->settings, setting);

	if (index == before) {
		recording->known =
			memory_grow(recording->known, (size_t)index, sizeof(*recording->known));
		recording->known[index] = (struct known){ .limits = -1 };
	}
	return &recording->known[index];
}

static bool is_good(const struct sample *sample)
{
	return sample->valid && !sample->contended && !sample->unsettled && !sample->provisional;
}

/* Reads the settings of an existing recording, so that the recording can be continued. */
static void go_on(struct recording *recording, const struct replay *replay)
{
	struct replay_summary summary = replay_summary(replay);

	for (int i = 0; i < summary.count; i++) {
		struct replay_entry entry = replay_entry(replay, i);
		struct known *known = known_of(recording, entry.setting);
		struct sample sample;

		replay_sample(replay, i, &sample);
		*known = (struct known){ .id = entry.id,
			.trials = entry.trials,
			.good = is_good(&sample),
			.counted = entry.counted,
			.limits = entry.limits_known };
	}
	recording->state.held = summary.count;
	recording->next_id = summary.last_id + 1;
}

/* Removes an incomplete last line from the file, because an incomplete line cannot be read. */
static struct status trim(struct recording *recording, off_t size)
{
	char byte;

	while (size > 0 && pread(recording->file, &byte, 1, size - 1) == 1 && byte != '\n')
		size--;
	if (ftruncate(recording->file, size) < 0)
		return status_failed("%.120s: %s", recording->path, strerror(errno));
	return status_ok();
}

/* Prepares an existing recording for further lines. */
static struct status continue_file(struct recording *recording, off_t size)
{
	bool newline;

	if (!recording->gzip)
		return trim(recording, size);
	if (!gzip_mend(recording->file, &newline))
		return file_unread(recording->path);
	/* The incomplete last line of a compressed file stays, as a damaged line. */
	if (!newline)
		text_add(&recording->block, "\n");
	return status_ok();
}

/* Checks that a file which is not empty is a recording of this place: the same machine, core and
 * seed. */
static struct status look_inside(
	struct recording *recording, const struct recording_place *place, off_t size)
{
	struct replay *replay;
	struct status status = replay_read(recording->path, &replay);

	if (!status_is_ok(&status))
		return status_usage(
			"%.200s; slexplore does not overwrite this file with a recording",
			status.text);
	status = same_place(recording->path, replay, place);
	if (status_is_ok(&status)) {
		go_on(recording, replay);
		status = continue_file(recording, size);
	}
	replay_free(replay);
	return status;
}

static struct status open_file(
	struct recording *recording, const struct recording_place *place, bool *goes_on)
{
	struct stat facts;
	/* A pipe is opened only for writing. If the pipe were also opened for reading, writing
	 * would not fail after the reader has left. */
	int how = stat(recording->path, &facts) == 0 && !S_ISREG(facts.st_mode) ? O_WRONLY
										: O_RDWR | O_CREAT;

	/* With O_NONBLOCK, open() does not wait, for example for the reader of a pipe. */
	recording->file =
		open(recording->path, how | O_APPEND | O_CLOEXEC | O_NONBLOCK | O_NOCTTY, 0666);
	if (recording->file < 0)
		return status_failed("%.120s: %s", recording->path,
			errno == ENXIO ? "no program reads from this pipe" : strerror(errno));
	if (fstat(recording->file, &facts) < 0 || !S_ISREG(facts.st_mode))
		return status_ok();
	if (flock(recording->file, LOCK_EX | LOCK_NB) < 0 && errno == EWOULDBLOCK)
		return status_usage(
			"%.120s: another slexplore is recording to this file", recording->path);
	*goes_on = facts.st_size > 0;
	return *goes_on ? look_inside(recording, place, facts.st_size) : status_ok();
}

/* Writes an event plan (the events to count), unless the same plan was written last. Event counts
 * and modelled values that follow in the file belong to the events of the last plan. */
static void write_plan(struct recording *recording, const struct event_plan *plan)
{
	struct records records = records_of(recording);

	if (!plan || plan->counters.id == recording->plan)
		return;
	lines_events(&records, plan);
	recording->plan = plan->counters.id;
}

struct status recording_open(const char *path, const struct recording_place *place,
	struct recording **recording, bool *goes_on)
{
	struct recording *new = memory_new(1, sizeof(*new));
	struct records records = records_of(new);
	struct status status;

	*recording = NULL;
	*goes_on = false;
	new->state.path = new->path = memory_string(path);
	new->next_id = 1;
	new->file = -1;
	new->seed = place->seed;
	new->has_core = place->core;
	if (place->core)
		new->core = *place->core;
	if (gzip_is_name(path) && !(new->gzip = gzip_new()))
		status = status_failed("%.120s: out of memory", path);
	else
		status = open_file(new, place, goes_on);
	if (status_is_ok(&status)) {
		lines_place(&records, place);
		write_plan(new, place->events);
		flush(new);
		status = new->state.status;
	}
	if (!status_is_ok(&status)) {
		recording_close(new);
		return status;
	}
	*recording = new;
	return status;
}

void recording_close(struct recording *recording)
{
	if (!recording)
		return;
	if (recording->gzip && recording->state.bytes && status_is_ok(&recording->state.status) &&
		gzip_pack(recording->gzip, &recording->block, true))
		write_block(recording);
	gzip_free(recording->gzip);
	if (recording->file >= 0)
		close(recording->file);
	setting_index_free(&recording->settings);
	shared_free(&recording->shared);
	text_free(&recording->block);
	free(recording->known);
	free(recording->path);
	free(recording);
}

/* ---- adding ---- */

static struct known *find_known(const struct recording *recording, const struct setting *setting)
{
	int index = setting_index_find(&recording->settings, setting);

	return index < 0 ? NULL : &recording->known[index];
}

static int known_counts(const struct counts *counts)
{
	int known = 0;

	for (int i = 0; counts && i < counts->count; i++)
		known += count_known(&counts->event[i]);
	return known;
}

/* Returns whether the event counts belong to the plan of events that the recording has. Event
 * counts that belong to another plan of events are not recorded. */
static bool are_of(const struct counts *counts, const struct event_plan *plan)
{
	return counts && plan && counts->id == plan->counters.id &&
	       (counts->count > 0 || counts->why[0]);
}

bool recording_wants(const struct recording *recording, const struct setting *setting,
	const struct sample *sample, const struct counts *counts)
{
	const struct known *known = find_known(recording, setting);

	if (setting->kernel->own || !sample->valid || !status_is_ok(&recording->state.status))
		return false;
	if (!known)
		return true;
	return known->trials + TRIALS_SETTLED <= TRIALS_MAX &&
	       ((!known->good && is_good(sample)) || known_counts(counts) > known->counted);
}

static unsigned made_of(const struct trials *trials)
{
	unsigned made = trials->count;

	for (int i = 0; i < TRIAL_FATES; i++)
		made += trials->forgotten[i];
	return made;
}

/* Returns how many of the entry's trials are in the recording already. */
static unsigned trials_there(const struct known *known, const struct recording_entry *entry)
{
	unsigned there = known && entry->continued ? known->made : 0, made = made_of(entry->trials);

	if (there >= made)
		return entry->trials->count;
	/* A full set of trials has lost some of those that were recorded. */
	return made == entry->trials->count ? there : 0;
}

/* Copies the newest trials, at most `room` trials, and not the first `there` trials. Trials that
 * are too old to be copied are only counted as forgotten. */
static void choose_trials(
	struct trials *chosen, const struct trials *from, unsigned there, unsigned room)
{
	unsigned first = from->count > room ? from->count - room : 0;

	memcpy(chosen->forgotten, from->forgotten, sizeof(chosen->forgotten));
	for (unsigned i = there; i < first; i++)
		chosen->forgotten[from->trial[i].fate]++;
	if (first < there)
		first = there;
	chosen->count = from->count - first;
	memcpy(chosen->trial, from->trial + first, chosen->count * sizeof(chosen->trial[0]));
}

bool recording_add(struct recording *recording, const struct recording_entry *entry)
{
	const struct known *before = find_known(recording, entry->setting);
	struct records records = records_of(recording);
	/* A sample that is to be replaced leaves room for the trials of the last one. */
	unsigned most = entry->first ? TRIALS_MAX / 2 : TRIALS_MAX;
	unsigned used = before ? before->trials : 0, id = recording->next_id,
		 there = trials_there(before, entry), replaces = there ? before->id : 0;
	struct record_sample what = {
		.id = id, .setting = entry->setting, .facts = entry->facts, .seed = recording->seed
	};
	struct sample sample;
	struct known *known;

	if (entry->setting->kernel->own || !status_is_ok(&recording->state.status) ||
		(there == entry->trials->count ? !before || !before->first || entry->first
					       : used >= most))
		return false;
	choose_trials(&recording->trials, entry->trials, there, most - used);
	sample_summarise(there ? entry->trials : &recording->trials, entry->facts, &sample);
	/* Further trials of a setting are not added to the sample of an earlier run, unless they
	 * are better. */
	if (!sample.valid || (entry->continued && before && !before->made &&
				     (before->good || !is_good(&sample))))
		return false;
	what.sample = &sample;
	what.events = entry->events;
	what.counts = are_of(entry->counts, entry->events) ? entry->counts : NULL;
	write_plan(recording, entry->events);
	shared_sample(
		&recording->shared, &records, &what, &recording->trials, replaces, entry->first);
	flush(recording);
	if (!status_is_ok(&recording->state.status))
		return false;
	recording->next_id++;
	recording->state.settings += !before;
	known = known_of(recording, entry->setting);
	known->id = id;
	known->trials = used + recording->trials.count;
	known->made = made_of(entry->trials);
	known->first = entry->first;
	known->good |= is_good(&sample);
	if (known_counts(what.counts) > known->counted)
		known->counted = known_counts(what.counts);
	return true;
}

/* ---- explaining ---- */

bool recording_lacks_limits(const struct recording *recording, const struct setting *setting)
{
	const struct known *known = find_known(recording, setting);

	return known && known->limits < 0 && recording->has_core &&
	       status_is_ok(&recording->state.status);
}

void recording_explain(struct recording *recording, const struct setting *setting,
	const struct explanation *explanation, const struct event_plan *events,
	const double *modelled)
{
	struct known *known = find_known(recording, setting);
	int limits = 0;
	struct records records = records_of(recording);

	if (!known || !recording->has_core || !status_is_ok(&recording->state.status))
		return;
	for (int i = 0; status_is_ok(&explanation->status) && i < explanation->limits.limit_count;
		i++)
		limits += explanation->limits.limit[i].known;
	if (limits <= known->limits)
		return;
	known->limits = limits;
	write_plan(recording, events);
	shared_explanation(&recording->shared, &records, explanation, &recording->core, events,
		modelled, known->id);
	flush(recording);
}

void recording_slack(struct recording *recording, const struct slack_report *slack)
{
	struct known *known = find_known(recording, &slack->setting);
	struct records records = records_of(recording);

	if (!known || known->probed || !status_is_ok(&recording->state.status))
		return;
	known->probed = true;
	records_slack(&records, slack, NULL, known->id);
	flush(recording);
}

void recording_why(struct recording *recording, const struct why_report *why)
{
	struct known *known = find_known(recording, &why->setting);
	struct records records = records_of(recording);

	if (!known || !status_is_ok(&recording->state.status))
		return;
	records_why(&records, why, NULL, known->id);
	flush(recording);
}

void recording_cost(struct recording *recording, const struct cost_report *cost)
{
	struct known *known = find_known(recording, &cost->setting);
	struct records records = records_of(recording);

	if (!known || known->costs || !status_is_ok(&recording->state.status))
		return;
	known->costs = true;
	records_cost(&records, cost, NULL, known->id);
	flush(recording);
}

/* ---- state and name ---- */

bool recording_is_of(const struct recording *recording, const char *core)
{
	return recording->has_core && strcmp(recording->core.name, core) == 0;
}

struct recording_state recording_state(const struct recording *recording)
{
	return recording->state;
}

bool recording_is_name(const char *path)
{
	size_t length = strlen(path) - (gzip_is_name(path) ? 3 : 0);

	return length > 6 && strncmp(path + length - 6, ".jsonl", 6) == 0;
}

void recording_name(const struct machine *machine, char *buffer, size_t size)
{
	char when[32] = "", host[65];
	time_t now = time(NULL);
	struct tm parts;

	snprintf(host, sizeof(host), "%s", *machine->host ? machine->host : "machine");
	/* A host name may contain any character, so unusual characters are replaced by "-". */
	for (char *c = host; *c; c++)
		if (!strchr("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_.",
			    *c))
			*c = '-';
	if (localtime_r(&now, &parts))
		strftime(when, sizeof(when), "%Y%m%dT%H%M%S", &parts);
	snprintf(buffer, size, "slexplore-%s-%s.jsonl", host, when);
}
