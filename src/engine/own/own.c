#include "engine/own/own.h"

#include <dlfcn.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/data.h"
#include "base/job.h"
#include "base/units.h"
#include "engine/own/compiler.h"
#include "engine/own/own_child.h"
#include "kernels/knob_rows.h"

struct own {
	char *path, *cflags;
	char *folder; /* folder that holds only the compiled `library`; removed with the own loop */
	char *library; /* the compiled file */
	struct own_description description;
	struct stat file; /* metadata of the user's source file when the file was read */
};

/* The user's function. */
typedef long own_loop(long n, void *a, void *b, void *c, void *d);

static struct {
	struct slot {
		struct own own;
		struct kernel kernel;
		struct knob knob[2]; /* n, and the page size of the data */
		char look_for[400];
	} slot[OWN_SLOTS];
	unsigned
		opened; /* number of the user's source files opened so far: selects the next slot */
	pid_t owner; /* process that opened the source files: a child process that calls exit() must
			not remove the folders of compiled loops */
} all;

bool own_is_path(const char *word)
{
	size_t length = strlen(word);

	return word[0] == '/' || strncmp(word, "./", 2) == 0 || strncmp(word, "../", 3) == 0 ||
	       (length > 2 && (strcmp(word + length - 2, ".c") == 0 ||
				      strcmp(word + length - 2, ".S") == 0));
}

const char *own_cflags(const struct own *own)
{
	return own->cflags;
}

const struct own_description *own_description(const struct own *own)
{
	return &own->description;
}

uint64_t own_elements(const struct own *own, int64_t n)
{
	return (uint64_t)own_count(&own->description.elements, n);
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

void own_seen(const struct own *own)
{
	struct slot *slot = &all.slot[(const struct slot *)(const void *)own - all.slot];

	(void)stat(own->path, &slot->own.file);
}

/* ---- the folder of a compiled loop ---- */

static void remove_folders(void)
{
	if (getpid() != all.owner)
		return;
	for (int i = 0; i < OWN_SLOTS; i++)
		if (all.slot[i].own.folder)
			compiler_remove(all.slot[i].own.folder);
}

static struct status make_folder(struct own *own)
{
	const char *base = getenv("TMPDIR");
	struct text folder = { 0 }, library = { 0 };

	if (!base || !*base)
		base = "/tmp";
	text_addf(&folder, "%s/slexplore-XXXXXX", base);
	if (!mkdtemp(folder.bytes)) {
		struct status status = status_failed(
			"no folder for a compiled loop in %.120s: %s", base, strerror(errno));

		text_free(&folder);
		return status;
	}
	text_addf(&library, "%s/own.so", folder.bytes);
	own->folder = folder.bytes; /* own_free() frees these two strings */
	own->library = library.bytes;
	return status_ok();
}

static struct status read_source(const char *path, char **text, struct stat *file)
{
	*text = NULL;
	if (stat(path, file) != 0)
		return status_failed("%.160s: %s", path, strerror(errno));
	if (!S_ISREG(file->st_mode))
		return status_failed("%.160s is no file", path);
	return data_read(path, text);
}

static const char *flags_of(const struct own *own)
{
	return own->cflags		     ? own->cflags
	       : own->description.has_cflags ? own->description.cflags
					     : "-O2";
}

static void own_free(struct own *own)
{
	if (own->folder)
		compiler_remove(own->folder);
	free(own->folder);
	free(own->library);
	free(own->path);
	free(own->cflags);
	*own = (struct own){ 0 };
}

/* ---- only in a child process ---- */

static struct {
	own_loop *loop;
	struct own_data data;
	int64_t n[2]; /* the parameter n of loop() for a whole pass, then n for a shorter pass */
	uint64_t elements; /* number of elements that one call of loop() with n[0] processes */
	_Atomic uint64_t *calls;
} child;

void own_child_count(_Atomic uint64_t *calls)
{
	child.calls = calls;
}

/* Loads the compiled library and finds its function loop(). */
static struct status own_load(const struct own *own, own_loop **loop)
{
	void *library = dlopen(own->library, RTLD_NOW | RTLD_LOCAL), *symbol;

	*loop = NULL;
	if (!library) {
		const char *why = dlerror();

		/* Shorten "…/own-3.so: undefined symbol: f" to the part after the path. */
		if (why && strncmp(why, own->library, strlen(own->library)) == 0 &&
			strstr(why, ": "))
			why = strstr(why, ": ") + 2;
		return status_failed("%.80s cannot be loaded: %.120s", own->path,
			why ? why : "the reason is unknown");
	}
	symbol = dlsym(library, "loop");
	if (!symbol)
		return status_failed("%.80s has no function loop(): write  long loop(long n, "
				     "void *a, void *b, void *c, void *d)",
			own->path);
	memcpy(loop, &symbol, sizeof(symbol));
	return status_ok();
}

/* Loads the user's loop, and lays out its data for two lengths. */
static struct status child_load(const struct own *own, const struct own_change *change, int64_t n,
	int64_t shorter, uint64_t seed, void *memory)
{
	struct own_description description = own_change_apply(&own->description, change);
	struct status status = own_load(own, &child.loop);

	if (!status_is_ok(&status))
		return status;
	child.n[0] = n;
	child.n[1] = shorter;
	child.elements = own_elements(own, n);
	own_data_make(&child.data, &description, n, shorter, seed, memory);
	return status;
}

/* Loads the library and lays out the data. run->memory must have own_data_bytes() zeroed bytes. */
static struct status own_child_prepare(struct kernel_run *run)
{
	int64_t n = run->v[0];
	struct status status =
		child_load(run->kernel->own, run->own_change, n, n / 2, run->seed, run->memory);

	run->ring = run->granule = child.elements;
	run->code.start = (const void *)child.loop;
	run->code.name = "loop";
	return status;
}

/* The field run->code.start has the address of the loop to call, because the engine may have
 * changed the loop's machine code (engine/memory/code_buffer.h). If `run` is NULL, the function of
 * the user's library is called. */
static void own_child_call(struct kernel_run *run, uint64_t elements)
{
	own_loop *loop = run ? (own_loop *)run->code.start : child.loop;
	void *const *argument = child.data.argument;
	bool half = elements < child.elements;
	/* Calls for half and for whole passes of the user's loop run the same instructions and
	 * branches in this function. The difference of the times of half and whole passes is then
	 * due to the user's loop only. */
	uint64_t passes = elements / child.elements + half;

	own_data_shorten(&child.data, half);
	do {
		loop(child.n[half], argument[0], argument[1], argument[2], argument[3]);
		if (child.calls)
			atomic_fetch_add_explicit(child.calls, 1, memory_order_relaxed);
	} while (--passes > 0);
}

int own_steps_prepare(void *context)
{
	struct own_steps *steps = context;
	size_t bytes = own_data_bytes(&steps->own->description, steps->n[0]);
	void *memory;

	own_child_begin(-1);
	memory = mmap(NULL, bytes ? bytes : 1, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS,
		-1, 0);
	*steps->failure = memory == MAP_FAILED ? status_failed("%.80s: memory refused: %s",
							 steps->own->path, strerror(errno))
					       : child_load(steps->own, NULL, steps->n[0],
							 steps->n[1], steps->seed, memory);
	return !status_is_ok(steps->failure);
}

void own_steps_run(void *steps, uint64_t elements)
{
	(void)steps;
	own_child_call(NULL, elements);
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

static const struct {
	uint64_t (*footprint)(const int64_t *v);
	struct status (*check)(const int64_t *v);
} callbacks[] = { { footprint_0, check_0 }, { footprint_1, check_1 }, { footprint_2, check_2 },
	{ footprint_3, check_3 } };
_Static_assert(sizeof(callbacks) / sizeof(callbacks[0]) == OWN_SLOTS, "callbacks for each slot");

static void make_kernel(struct slot *slot, int index)
{
	const struct own *own = &slot->own;
	int64_t multiple = own->description.multiple * 2;

	slot->knob[1] = (struct knob)KNOB_ROW_PAGES;
	slot->knob[0] = (struct knob){
		.name = "n",
		.help = "the arguments of loop()",
		.kind = KNOB_COUNT,
		.min = (int64_t)round_up(OWN_N_MIN, (uint64_t)multiple),
		.max = OWN_N_MAX / multiple * multiple,
		.initial = own->description.n,
		.multiple = multiple,
		.factor = 2,
	};
	snprintf(slot->look_for, sizeof(slot->look_for),
		"loop() of %.120s, %.100s. When you save the file again, it is measured again, and "
		"the previous version becomes A.",
		own->path, flags_of(own));
	slot->kernel = (struct kernel){
		.name = own->path,
		.title = "your own loop",
		.look_for = slot->look_for,
		.document = "your own loop",
		.element = "element",
		KERNEL_KNOBS(slot->knob),
		.check = callbacks[index].check,
		.footprint = callbacks[index].footprint,
		.halved = true,
		.prepare = own_child_prepare,
		.call = own_child_call,
		.stepped = true,
		.isolated = true,
		.own = own,
		.file = own->path,
	};
}

/* ---- opening ---- */

struct own_opening {
	struct own own;
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
	const struct own *own = &opening->own;

	opening->status = compiler_run(&(struct compilation){ .path = own->path,
					       .flags = flags_of(own),
					       .folder = own->folder,
					       .library = own->library,
					       .seconds = COMPILER_SECONDS,
					       .cancel = &opening->cancel },
		&opening->said);
}

/* Reads the file's description, and makes the folder for the compiled file. */
static struct status prepare(struct own *own)
{
	const char *path = own->path;
	struct status status = status_ok();
	char *source = NULL;

	/* In a statically linked program, dlopen() fails, because the program has no loader. */
	if (!dlopen(NULL, RTLD_NOW))
		status = status_failed("%.80s: own loops need a dynamically linked slexplore: this "
				       "one cannot load code",
			path);
	if (status_is_ok(&status))
		status = read_source(path, &source, &own->file);
	if (status_is_ok(&status))
		status = own_describe(source, path, &own->description);
	if (status_is_ok(&status))
		status = own_description_check(&own->description, path, own->description.n);
	if (status_is_ok(&status))
		status = make_folder(own);
	free(source);
	return status;
}

struct status own_open_begin(const char *path, const char *cflags, struct own_opening **opening)
{
	struct own_opening *made = memory_new(1, sizeof(*made));
	struct status status;

	made->own.path = memory_string(path);
	made->own.cflags = cflags ? memory_string(cflags) : NULL;
	atomic_init(&made->cancel, false);
	status = prepare(&made->own);
	*opening = made;
	if (status_is_ok(&status)) {
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
	struct slot *slot = &all.slot[all.opened % OWN_SLOTS];
	struct status status;

	job_end(opening->job);
	status = opening->status;
	if (said && opening->said.length)
		text_addn(said, opening->said.bytes, opening->said.length);
	if (status_is_ok(&status)) {
		if (all.owner != getpid())
			atexit(remove_folders);
		all.owner = getpid();
		own_free(&slot->own);
		slot->own = opening->own;
		opening->own = (struct own){ 0 };
		make_kernel(slot, (int)(all.opened++ % OWN_SLOTS));
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
