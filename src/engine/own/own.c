#include "engine/own/own.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/data.h"
#include "base/file.h"
#include "base/job.h"
#include "base/text.h"
#include "base/units.h"
#include "engine/own/compiler.h"
#include "engine/own/own_builds.h"
#include "engine/own/own_comment.h"
#include "engine/own/own_inside.h"
#include "kernels/knob_rows.h"

/* Most bytes of all arrays together at the initial n. Single-stepping does not take longer for
 * these data than for fewer. */
enum { OWN_BYTES_MOST = 32 << 10 };

enum { OWN_KERNEL_KNOBS = 1 + OWN_KNOBS + 3 };
_Static_assert(
	(int)OWN_KERNEL_KNOBS <= (int)KNOBS_MAX, "n, the user's knobs, cflags, pages and data");

static struct {
	struct slot {
		struct own own;
		struct kernel kernel;
		struct knob knob[OWN_KERNEL_KNOBS];
		const char *choice[OWN_KERNEL_KNOBS][OWN_VALUES + 1];
		char help[OWN_KERNEL_KNOBS][80];
		char look_for[400];
		bool kept; /* own_keep() */
	} slot[OWN_SLOTS];
	int turn; /* the slot for the next own loop, unless its loop is kept */
} all;

bool own_is_path(const char *word)
{
	return word[0] == '/' || strncmp(word, "./", 2) == 0 || strncmp(word, "../", 3) == 0 ||
	       language_is_source(word);
}

static bool same_file(const struct stat *a, const struct stat *b)
{
	return a->st_ino == b->st_ino && a->st_dev == b->st_dev && a->st_size == b->st_size &&
	       a->st_mtim.tv_sec == b->st_mtim.tv_sec && a->st_mtim.tv_nsec == b->st_mtim.tv_nsec;
}

bool own_changed(const struct own *own)
{
	struct stat now;

	return stat(own->path, &now) == 0 && S_ISREG(now.st_mode) && now.st_size > 0 &&
	       !same_file(&now, &own->file);
}

static struct slot *slot_of(const struct own *own)
{
	return &all.slot[(const struct slot *)(const void *)own - all.slot];
}

void own_seen(const struct own *own)
{
	(void)stat(own->path, &slot_of(own)->own.file);
}

void own_keep(const struct own *own, bool kept)
{
	slot_of(own)->kept = kept;
}

/* ---- builds ---- */

/* Why a file is no source file: it cannot be opened, or has another name. */
static struct status no_source(const char *path)
{
	FILE *opened;
	struct status status = file_open(path, &opened);

	if (!status_is_ok(&status))
		return status;
	fclose(opened);
	return status_usage("%.160s is no source file: the name of one ends with .c, .cc, .cpp, "
			    ".cxx, .c++, .C, .rs, .S or .s",
		path);
}

static struct status read_source(const char *path, char **text, struct stat *file)
{
	*text = NULL;
	if (stat(path, file) != 0)
		return status_unopened(path, errno);
	if (!S_ISREG(file->st_mode))
		return status_usage("%.160s is no file", path);
	if (!language_is_source(path))
		return no_source(path);
	return data_read(path, text);
}

static void own_free(struct own *own)
{
	own_builds_free(own->builds);
	free(own->path);
	free(own->cflags);
	*own = (struct own){ 0 };
}

/* ---- the loop's kernel ---- */

#define SLOT(index)                                                                        \
	static uint64_t footprint_##index(const int64_t *v)                                \
	{                                                                                  \
		return own_bytes(&all.slot[index].own.description, v[0]);                  \
	}                                                                                  \
	static struct status check_##index(const int64_t *v)                               \
	{                                                                                  \
		return own_description_check(                                              \
			&all.slot[index].own.description, all.slot[index].own.path, v[0]); \
	}

SLOT(0)
SLOT(1)
SLOT(2)
SLOT(3)
SLOT(4)

static const struct {
	uint64_t (*footprint)(const int64_t *v);
	struct status (*check)(const int64_t *v);
} callbacks[] = { { footprint_0, check_0 }, { footprint_1, check_1 }, { footprint_2, check_2 },
	{ footprint_3, check_3 }, { footprint_4, check_4 } };
_Static_assert(sizeof(callbacks) / sizeof(callbacks[0]) == OWN_SLOTS, "callbacks for each slot");

/* Fills knob `at` of the kernel: one of the user's knobs, or cflags. */
static void make_knob(struct slot *slot, int at, const struct own_knob *from, int64_t initial)
{
	const char *value = from->words;
	int count = 0;

	slot->knob[at] = (struct knob){ .name = from->name,
		.help = slot->help[at],
		.kind = from->words[0] ? KNOB_CHOICE : KNOB_COUNT,
		.min = from->low,
		.max = from->high,
		.initial = initial,
		.choices = slot->choice[at],
		.role = KNOB_FORM };
	for (; *value; value += strlen(value) + 1)
		slot->choice[at][count++] = value;
	slot->choice[at][count] = NULL;
}

/* Values of the knob data. */
static const char *const knob_data[] = { "repeated", "fresh", NULL };

static void make_knobs(struct slot *slot)
{
	const struct own_description *description = &slot->own.description;
	int64_t multiple = description->multiple * 2;

	slot->knob[0] = (struct knob){
		.name = "n",
		.help = "the arguments of loop()",
		.kind = KNOB_COUNT,
		.min = (int64_t)round_up(OWN_N_MIN, (uint64_t)multiple),
		.max = OWN_N_MAX / multiple * multiple,
		.initial = description->n,
		.multiple = multiple,
		.factor = 2,
	};
	slot->kernel.knob_count = 1;
	for (int i = 0; i < description->knobs; i++) {
		const struct own_knob *knob = &description->knob[i];
		int at = slot->kernel.knob_count++;

		make_knob(slot, at, knob, knob->low);
		snprintf(slot->help[at], sizeof(slot->help[at]), "the macro %s of the source file",
			own_macro_of(&slot->own, knob).name);
	}
	if (description->cflags.words[0]) {
		int at = slot->kernel.knob_count++;

		make_knob(slot, at, &description->cflags, slot->own.flags_first);
		snprintf(slot->help[at], sizeof(slot->help[at]), "flags of the compiler");
	}
	slot->knob[slot->kernel.knob_count++] = (struct knob)KNOB_ROW_PAGES;
	if (own_data_draws(description))
		slot->knob[slot->kernel.knob_count++] = (struct knob)KNOB_ROW_CHOICE("data",
			"each call gets the same data again, or fresh random data", knob_data,
			.role = KNOB_DATA, .asks = ASKS_FRESH);
}

static void make_kernel(struct slot *slot, int index)
{
	const struct own *own = &slot->own;

	snprintf(slot->look_for, sizeof(slot->look_for),
		"loop() of %.200s. When you save the file again, it is measured again, and the "
		"previous version becomes A.",
		own->path);
	slot->kernel = (struct kernel){
		.name = own->path,
		.title = "your own loop",
		.look_for = slot->look_for,
		.document = "your own loop",
		.element = "element",
		.knobs = slot->knob,
		.check = callbacks[index].check,
		.footprint = callbacks[index].footprint,
		.halved = true,
		.prepare = own_call_prepare,
		.call = own_call,
		.stepped = true,
		.isolated = true,
		.own = own,
		.file = own->path,
	};
	make_knobs(slot);
}

/* ---- opening ---- */

struct own_opening {
	struct own own;
	int64_t initial[OWN_KERNEL_KNOBS]; /* the initial values of the kernel's knobs */
	struct job *job;
	atomic_bool cancel;
	struct text said;
	struct status status;
};

static void opening_free(struct own_opening *opening)
{
	own_free(&opening->own);
	text_free(&opening->said);
	free(opening);
}

static void compile(void *context)
{
	struct own_opening *opening = context;

	opening->status =
		own_build(&opening->own, opening->initial, &opening->cancel, &opening->said);
}

/* Chooses the values of the knob cflags, and its initial value: the first set of flags that the
 * user gives. Sets of compiler flags that the file's comment does not list are added to the
 * comment's sets. */
static struct status choose_flags(struct own *own)
{
	struct own_knob *cflags = &own->description.cflags, given;
	const char *usual = language_of(own->path)->flags;
	struct status status = status_ok();

	if (!cflags->words[0] && usual)
		status = own_read_flags(usual, cflags);
	if (!status_is_ok(&status) || !own->cflags || strcmp(own->cflags, "*") == 0)
		return status;
	status = own_read_flags(own->cflags, &given);
	if (status_is_ok(&status))
		status = own_add_flags(&given, cflags);
	while (status_is_ok(&status) &&
		strcmp(own_value_of(cflags, own->flags_first), given.words) != 0)
		own->flags_first++;
	return status;
}

/* Returns the bytes of all arrays together at the initial n: two thirds of the first-level cache,
 * in whole powers of two. Vector loops over less data make too few iterations. */
static uint64_t initial_bytes(void)
{
	long cache = sysconf(_SC_LEVEL1_DCACHE_SIZE);
	uint64_t bytes = OWN_BYTES_USUAL;

	while (cache > 0 && bytes * 3 <= (uint64_t)cache && bytes < OWN_BYTES_MOST)
		bytes *= 2;
	return bytes;
}

/* Reads the file's description. */
static struct status prepare(struct own *own)
{
	const char *path = own->path;
	struct status status = status_ok();
	char *source = NULL;

	status = read_source(path, &source, &own->file);
	if (status_is_ok(&status))
		status = own_describe(source, path, &own->description);
	if (status_is_ok(&status)) {
		own_choose_n(&own->description, initial_bytes());
		status = own_description_check(&own->description, path, own->description.n);
	}
	if (status_is_ok(&status))
		status = choose_flags(own);
	free(source);
	return status;
}

struct status own_open_begin(const char *path, const char *cflags, struct own_opening **opening)
{
	struct own_opening *made = memory_new(1, sizeof(*made));
	struct status status;

	made->own.path = memory_string(path);
	made->own.cflags = cflags ? memory_string(cflags) : NULL;
	made->own.builds = own_builds_new();
	atomic_init(&made->cancel, false);
	status = prepare(&made->own);
	*opening = made;
	if (status_is_ok(&status)) {
		const struct own_description *description = &made->own.description;

		for (int i = 0; i < description->knobs; i++)
			made->initial[1 + i] = description->knob[i].low;
		made->initial[1 + description->knobs] = made->own.flags_first;
		made->job = job_begin(compile, made);
	} else {
		opening_free(made);
		*opening = NULL;
	}
	return status;
}

bool own_open_over(const struct own_opening *opening)
{
	return job_over(opening->job);
}

struct status own_open_end(
	struct own_opening *opening, struct text *said, const struct kernel **kernel)
{
	struct slot *slot;
	struct status status;

	job_end(opening->job);
	status = opening->status;
	if (said && opening->said.length)
		text_addn(said, opening->said.bytes, opening->said.length);
	if (status_is_ok(&status)) {
		while (all.slot[all.turn].kept)
			all.turn = (all.turn + 1) % OWN_SLOTS;
		slot = &all.slot[all.turn];
		own_free(&slot->own);
		slot->own = opening->own;
		opening->own = (struct own){ 0 };
		make_kernel(slot, all.turn);
		all.turn = (all.turn + 1) % OWN_SLOTS;
		*kernel = &slot->kernel;
	}
	opening_free(opening);
	return status;
}

void own_open_stop(struct own_opening *opening)
{
	if (!opening)
		return;
	atomic_store(&opening->cancel, true);
	job_end(opening->job);
	opening_free(opening);
}

struct status own_open(
	const char *path, const char *cflags, struct text *said, const struct kernel **kernel)
{
	struct own_opening *opening;
	struct status status = own_open_begin(path, cflags, &opening);

	return status_is_ok(&status) ? own_open_end(opening, said, kernel) : status;
}
