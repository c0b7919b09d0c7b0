#include "explorer/opened_program.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/job.h"
#include "base/text.h"
#include "explorer/state.h"

/* Seconds between two checks of the background thread. */
static const double LOOK_PERIOD = 0.02;

static const char *name_of_file(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash && slash[1] ? slash + 1 : path;
}

/* ---- In a background thread */

static void read_program(void *context)
{
	struct program_reading *reading = context;
	struct opened_program *file = reading->file;

	reading->status = program_open(file->path, &file->program);
	if (status_is_ok(&reading->status))
		function_list_find(file->program, &file->list, &reading->progress);
}

static void read_function(void *context)
{
	struct program_reading *reading = context;
	struct opened_program *file = reading->file;
	struct program_place place;

	reading->status = program_find(file->program, reading->function, &place);
	if (!status_is_ok(&reading->status))
		return;
	reading->status = function_loops_open(
		file->program, &place.function, name_of_file(file->path), &reading->found);
	if (status_is_ok(&reading->status) && place.address_count > 0)
		reading->loop = program_loop_at(&reading->found->loops, place.address[0]) + 1;
}

/* ---- Files */

static void file_free(struct opened_program *file)
{
	for (size_t i = 0; i < file->shown_count; i++)
		function_loops_free(file->shown[i]);
	free(file->shown);
	function_list_free(&file->list);
	program_close(file->program);
	free(file->path);
	free(file);
}

const struct opened_program *program_opened(const struct session *session)
{
	return session->programs.file;
}

bool program_reads(const struct session *session)
{
	return session->programs.reading.job;
}

static void begin(struct session *session, struct opened_program *file, const char *function)
{
	struct program_reading *reading = &session->programs.reading;

	*reading = (struct program_reading){ .file = file,
		.function = function ? memory_string(function) : NULL,
		.look = session->now + LOOK_PERIOD };
	reading->job = job_begin(function ? read_function : read_program, reading);
}

struct status program_ask(struct session *session, const char *path)
{
	struct opened_program *file;

	if (program_reads(session))
		return status_usage("%.100s is still being read",
			name_of_file(session->programs.reading.file->path));
	file = memory_new(1, sizeof(*file));
	file->path = memory_string(path);
	begin(session, file, NULL);
	session_notice(session, false, "%.120s: reading", name_of_file(path));
	return status_ok();
}

/* Makes a function of the open program the present setting. `loop` is the number of the loop to
 * show; 0: the loop that was shown last, or the first one. */
static void show(struct session *session, const struct kernel *kernel, int loop)
{
	struct remembered *entry = &session->kernels[session->kernel_count + 1];
	struct setting setting =
		session->setting.kernel == kernel ? session->setting : entry->setting;

	if (setting.kernel != kernel)
		setting_init(&setting, kernel);
	if (loop > 0)
		setting.v[0] = loop;
	if (session->screen.overlay == OVERLAY_FIND)
		overlay_open(session, OVERLAY_NONE);
	if (!session->setting.kernel->function && session->programs.file->list.count > 1)
		session_notice(session, false, "%zu functions with loops: ) next, ( previous",
			session->programs.file->list.count);
	session_go(session, &setting);
	*entry = (struct remembered){ .setting = setting };
}

/* Returns the function that begins at an address if it was shown before. */
static const struct function_loops *shown_at(const struct opened_program *file, uint64_t address)
{
	for (size_t i = 0; i < file->shown_count; i++)
		if (file->shown[i]->function.address == address)
			return file->shown[i];
	return NULL;
}

struct status function_ask(struct session *session, const char *given)
{
	struct opened_programs *programs = &session->programs;
	const struct function_loops *before = NULL;

	if (!programs->file)
		return status_usage("no program is open: open ./program opens one");
	if (program_reads(session)) {
		free(programs->next);
		programs->next = memory_string(given);
		return status_ok();
	}
	if (strncmp(given, "0x", 2) == 0)
		before = shown_at(programs->file, strtoull(given, NULL, 16));
	if (before)
		show(session, &before->kernel, 0);
	else
		begin(session, programs->file, given);
	return status_ok();
}

/* ---- Taking what was read */

static void end_reading(struct session *session)
{
	struct program_reading *reading = &session->programs.reading;

	job_end(reading->job);
	reading->job = NULL;
	free(reading->function);
	reading->function = NULL;
}

static void take_program(struct session *session)
{
	struct opened_programs *programs = &session->programs;
	struct opened_program *file = programs->reading.file, *before = programs->file;
	const char *name = name_of_file(file->path);

	if (atomic_load(&programs->reading.progress.cancel))
		session_notice(session, false, "%.120s was not read to its end", name);
	else if (!status_is_ok(&programs->reading.status))
		session_notice(session, true, "%s", programs->reading.status.text);
	else if (file->list.all == 0)
		session_notice(session, true, "%.120s has no functions that can be read", name);
	else if (file->list.count == 0)
		session_notice(session, true, "%.120s: none of its %zu function%s has a loop", name,
			file->list.all, file->list.all == 1 ? "" : "s");
	if (file->list.count == 0 || atomic_load(&programs->reading.progress.cancel)) {
		file_free(file);
		return;
	}
	/* Functions of the file before may still be shown. */
	if (before && before->shown_count == 0) {
		file->older = before->older;
		file_free(before);
	} else {
		file->older = before;
	}
	programs->file = file;
	programs->offer = true;
	session_notice(session, false, "%.40s: %zu functions, %zu with loops", name, file->list.all,
		file->list.count);
}

static void take_function(struct session *session)
{
	struct program_reading *reading = &session->programs.reading;
	struct opened_program *file = reading->file;
	const struct choices before = undo_look(session);
	const struct function_loops *shown;

	if (!status_is_ok(&reading->status)) {
		session_notice(session, true, "%s", reading->status.text);
		return;
	}
	shown = shown_at(file, reading->found->function.address);
	if (shown) {
		function_loops_free(reading->found);
	} else {
		file->shown = memory_grow(file->shown, file->shown_count, sizeof(*file->shown));
		file->shown[file->shown_count++] = reading->found;
		shown = reading->found;
	}
	reading->found = NULL;
	show(session, &shown->kernel, reading->loop);
	undo_note(session, &before);
}

bool program_advance(struct session *session)
{
	struct opened_programs *programs = &session->programs;
	struct program_reading *reading = &programs->reading;
	size_t all, done;

	if (!reading->job || session->now < reading->look)
		return false;
	reading->look = session->now + LOOK_PERIOD;
	if (!job_over(reading->job)) {
		all = atomic_load(&reading->progress.all);
		done = atomic_load(&reading->progress.done);
		if (reading->function || all == 0)
			return false;
		session_notice(session, false,
			"%.100s: reading, %zu %% of %zu functions; Esc ends it",
			name_of_file(reading->file->path), 100 * done / all, all);
		return true;
	}
	if (reading->function)
		take_function(session);
	else
		take_program(session);
	end_reading(session);
	if (programs->next) {
		char *next = programs->next;

		programs->next = NULL;
		function_ask(session, next);
		free(next);
	}
	return true;
}

double program_next(const struct session *session)
{
	return program_reads(session) ? session->programs.reading.look : INFINITY;
}

bool program_offers(struct session *session)
{
	bool offers = session->programs.offer;

	session->programs.offer = false;
	return offers;
}

void program_stop(struct session *session)
{
	atomic_store(&session->programs.reading.progress.cancel, true);
}

void programs_end(struct session *session)
{
	struct opened_programs *programs = &session->programs;
	struct program_reading *reading = &programs->reading;

	if (reading->job) {
		bool opens = !reading->function;

		program_stop(session);
		end_reading(session);
		function_loops_free(reading->found);
		if (opens)
			file_free(reading->file);
	}
	for (struct opened_program *file = programs->file, *older; file; file = older) {
		older = file->older;
		file_free(file);
	}
	free(programs->next);
}

/* ---- The function on screen */

int program_present(const struct session *session)
{
	const struct opened_programs *programs = &session->programs;
	const struct function_loops *found = session->setting.kernel->function;
	const char *asked = programs->next ? programs->next : programs->reading.function;

	if (!programs->file)
		return -1;
	if (program_reads(session) && asked && strncmp(asked, "0x", 2) == 0)
		return function_list_index(&programs->file->list, strtoull(asked, NULL, 16));
	if (!found)
		found = session->kernels[session->kernel_count + 1].setting.kernel
				? session->kernels[session->kernel_count + 1]
					  .setting.kernel->function
				: NULL;
	return found ? function_list_index(&programs->file->list, found->function.address) : -1;
}

const char *program_path_of(const struct session *session, const struct function_loops *found)
{
	for (const struct opened_program *file = session->programs.file; file; file = file->older)
		for (size_t i = 0; i < file->shown_count; i++)
			if (file->shown[i] == found)
				return file->path;
	return "";
}

void program_add_function(
	const struct session *session, const struct function_loops *found, struct text *text)
{
	const struct opened_program *file = session->programs.file;
	int same = 0;

	for (size_t i = 0; file && i < file->list.count; i++)
		same += strcmp(file->list.function[i].name, text_string(&found->name)) == 0;
	if (same == 1 && found->function.symbol)
		text_add(text, text_string(&found->name));
	else
		text_addf(text, "0x%" PRIx64, found->function.address);
}
