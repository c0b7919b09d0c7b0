#include "engine/own/own.h"

#include <alloca.h>
#include <ctype.h>
#include <dlfcn.h>
#include <errno.h>
#include <inttypes.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/data.h"
#include "base/job.h"
#include "base/units.h"
#include "engine/clock/clock.h"
#include "engine/memory/arena.h"
#include "engine/own/compiler.h"
#include "engine/own/own_builds.h"
#include "engine/own/own_child.h"
#include "engine/own/own_comment.h"
#include "kernels/knob_rows.h"

struct own {
	char *path, *cflags;
	struct own_description description;
	int64_t flags_first; /* index of the set of compiler flags that is chosen first */
	struct own_builds *builds;
	struct stat file; /* metadata of the user's source file when the file was read */
};

/* The user's function. Arguments that the function does not have are ignored: the calling
 * convention passes the first ones in registers, and the caller removes the others. */
typedef long own_loop(long n, void *a, void *b, void *c, void *d);
typedef long own_long_loop(long n, void *a, void *b, void *c, void *d, void *e, void *f, void *g,
	void *h, void *i, void *j, void *k, void *l, void *m, void *o, void *p, void *q, void *r,
	void *s, void *t, void *u, void *v, void *w, void *x, void *y, void *z);

enum { OWN_KERNEL_KNOBS = 1 + OWN_KNOBS + 2 };
_Static_assert((int)OWN_KERNEL_KNOBS <= (int)KNOBS_MAX, "n, the user's knobs, cflags and pages");

static struct {
	struct slot {
		struct own own;
		struct kernel kernel;
		struct knob knob[OWN_KERNEL_KNOBS];
		const char *choice[OWN_KERNEL_KNOBS][OWN_VALUES + 1];
		char help[OWN_KERNEL_KNOBS][80];
		char look_for[400];
	} slot[OWN_SLOTS];
	unsigned
		opened; /* number of the user's source files opened so far: selects the next slot */
	pid_t owner; /* process that opened the source files: a child process that calls exit() must
			not remove the folders of compiled loops */
} all;

bool own_is_path(const char *word)
{
	return word[0] == '/' || strncmp(word, "./", 2) == 0 || strncmp(word, "../", 3) == 0 ||
	       language_is_source(word);
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

/* ---- builds ---- */

static void remove_folders(void)
{
	if (getpid() == all.owner)
		for (int i = 0; i < OWN_SLOTS; i++)
			own_builds_remove_folders(all.slot[i].own.builds);
}

/* Returns the value at this index in a list of values. */
static const char *value_of(const struct own_knob *knob, int64_t index)
{
	const char *at = knob->words;

	while (index-- > 0 && *at)
		at += strlen(at) + 1;
	return at;
}

/* The name of a knob for the compiler: UNROLL for the knob unroll of a C file. */
struct macro {
	char name[OWN_NAME];
};

static struct macro macro_of(const struct own *own, const struct own_knob *knob)
{
	struct macro macro;

	snprintf(macro.name, sizeof(macro.name), "%s", knob->name);
	for (char *c = macro.name; *c && language_of(own->path)->capitals; c++)
		*c = (char)toupper((unsigned char)*c);
	return macro;
}

/* Adds one of the user's knobs to the compiler flags: " -DUNROLL=4". */
static void add_macro(
	const struct own *own, struct text *flags, const struct own_knob *knob, int64_t v)
{
	struct text option = { 0 };
	const char *format = language_of(own->path)->macro, *name = strstr(format, "%s"),
		   *value = strstr(name + 2, "%s");

	text_addf(&option, "%.*s%s%.*s", (int)(name - format), format, macro_of(own, knob).name,
		(int)(value - name - 2), name + 2);
	if (knob->words[0])
		text_add(&option, value_of(knob, v));
	else
		text_addf(&option, "%" PRId64, v);
	text_addf(flags, "%s%s", option.bytes, value + 2);
	text_free(&option);
}

/* Returns the compiler flags for the values of the kernel's knobs. The caller frees the string. */
static char *flags_of(const struct own *own, const int64_t *v)
{
	const struct own_description *description = &own->description;
	struct text flags = { 0 };

	text_add(&flags, value_of(&description->cflags, v[1 + description->knobs]));
	for (int i = 0; i < description->knobs; i++)
		add_macro(own, &flags, &description->knob[i], v[1 + i]);
	return flags.bytes ? flags.bytes : memory_string("");
}

/* Returns the build for the values of the kernel's knobs, or NULL. */
static const struct own_build *build_of(const struct own *own, const int64_t *v)
{
	char *flags = flags_of(own, v);
	const struct own_build *build = own_builds_find(own->builds, flags);

	free(flags);
	return build;
}

bool own_is_built(const struct own *own, const int64_t *v)
{
	return build_of(own, v) != NULL;
}

struct status own_build(
	const struct own *own, const int64_t *v, const atomic_bool *cancel, struct text *said)
{
	char *flags = flags_of(own, v);
	struct status status = own_builds_make(own->builds, own->path, flags, cancel, said);

	free(flags);
	return status;
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

static void own_free(struct own *own)
{
	own_builds_free(own->builds);
	free(own->path);
	free(own->cflags);
	*own = (struct own){ 0 };
}

/* ---- only in a child process ---- */

/* Copies of the data: for the three runs of the single-stepper (own_steps_run()). */
enum { COPIES = 3 };

static struct {
	own_loop *loop;
	own_loop *setup; /* the user's function that runs before each call of loop(); may be NULL */
	bool many;	 /* the user's function loop() has more parameters than the type own_loop */
	struct own_data data[COPIES];
	int copy;     /* index of the copy of the data that the next call of loop() uses */
	int64_t n[3]; /* the parameter n of loop() for a whole pass, then n for two shorter passes;
			 0: there is no second shorter pass */
	uint64_t elements[3]; /* number of elements that one call of loop() processes with n[] */
	_Atomic uint64_t *calls;
} child;

void own_child_count(_Atomic uint64_t *calls)
{
	child.calls = calls;
}

/* An address in the dynamic section of a library, which some loaders do not relocate. */
static const void *relocated(const struct link_map *map, ElfW(Addr) address)
{
	return (const void *)(address < map->l_addr ? address + map->l_addr : address);
}

/* Finds a function of a C++ file by the beginning of its mangled name: "_Z4loop" for loop().
 * Returns NULL if there is none. */
static void *find_mangled(void *library, const char *name)
{
	const ElfW(Sym) *symbols = NULL;
	const ElfW(Word) *hash = NULL;
	const char *strings = NULL;
	struct link_map *map;
	struct words mangled = words_of("_Z%d%s", (int)strlen(name), name);

	if (dlinfo(library, RTLD_DI_LINKMAP, &map) != 0)
		return NULL;
	for (const ElfW(Dyn) *entry = map->l_ld; entry->d_tag != DT_NULL; entry++) {
		if (entry->d_tag == DT_SYMTAB)
			symbols = relocated(map, entry->d_un.d_ptr);
		else if (entry->d_tag == DT_STRTAB)
			strings = relocated(map, entry->d_un.d_ptr);
		else if (entry->d_tag == DT_HASH)
			hash = relocated(map, entry->d_un.d_ptr);
	}
	/* The element hash[1] of the library's hash table is the number of symbols. */
	for (ElfW(Word) i = 0; symbols && strings && hash && i < hash[1]; i++)
		if (symbols[i].st_shndx != SHN_UNDEF &&
			strncmp(strings + symbols[i].st_name, mangled.text, strlen(mangled.text)) ==
				0)
			return dlsym(library, strings + symbols[i].st_name);
	return NULL;
}

/* Finds a function of the library, or returns NULL. */
static own_loop *find(void *library, const char *name)
{
	void *symbol = dlsym(library, name);
	own_loop *function;

	if (!symbol)
		symbol = find_mangled(library, name);

	memcpy(&function, &symbol, sizeof(symbol));
	return function;
}

/* Loads the library that was compiled for these values of the knobs, and finds its functions loop()
 * and setup(). */
static struct status own_load(
	const struct own *own, const int64_t *v, own_loop **loop, own_loop **setup)
{
	const struct own_build *build = build_of(own, v);
	void *library;

	*loop = *setup = NULL;
	if (!build || !status_is_ok(&build->status))
		return build ? build->status
			     : status_failed("%.80s is not compiled for these values of its knobs",
				       own->path);
	library = dlopen(build->library, RTLD_NOW | RTLD_LOCAL);
	if (!library) {
		const char *why = dlerror();

		/* Shorten "…/own-3.so: undefined symbol: f" to the part after the path. */
		if (why && strncmp(why, build->library, strlen(build->library)) == 0 &&
			strstr(why, ": "))
			why = strstr(why, ": ") + 2;
		return status_failed("%.80s cannot be loaded: %.120s", own->path,
			why ? why : "the reason is unknown");
	}
	*loop = find(library, "loop");
	*setup = find(library, "setup");
	if (!*loop)
		return status_failed("%.80s has no function loop(): write  %s", own->path,
			language_of(own->path)->form);
	return status_ok();
}

/* Loads the user's loop, and lays out its data for two lengths. */
static struct status child_load(const struct own *own, const int64_t *v,
	const struct own_change *change, int64_t n, int64_t shorter, uint64_t seed, void *memory)
{
	struct own_description description = own_change_apply(&own->description, change);
	struct status status = own_load(own, v, &child.loop, &child.setup);

	if (!status_is_ok(&status))
		return status;
	child.n[0] = n;
	child.n[1] = shorter;
	for (int i = 0; i < 3; i++)
		child.elements[i] = own_elements(own, child.n[i]);
	for (int i = 4; i < OWN_ARGUMENTS; i++)
		child.many |= own->description.argument[i].content != OWN_NOTHING;
	own_data_make(&child.data[0], &description, n, shorter, seed, memory);
	return status;
}

/* Loads the library and lays out the data. run->memory must have own_data_bytes() zeroed bytes. */
static struct status own_child_prepare(struct kernel_run *run)
{
	int64_t n = run->v[0], multiple = run->kernel->own->description.multiple;
	struct status status = child_load(
		run->kernel->own, run->v, run->own_change, n, n / 2, run->seed, run->memory);

	child.n[2] = n / 4 / multiple * multiple;
	child.elements[2] = own_elements(run->kernel->own, child.n[2]);
	own_data_cut_again(&child.data[0], &run->kernel->own->description, n, child.n[2]);
	run->ring = run->granule = child.elements[0];
	run->quarter = child.elements[2];
	run->sets_up = child.setup != NULL;
	run->code.start = (const void *)child.loop;
	run->code.name = "loop";
	return status;
}

/* Calls a loop with all arguments of struct own_data. */
static __attribute__((noinline)) void call_many(own_loop *loop, int64_t n, void *const *a)
{
	((own_long_loop *)(void *)loop)(n, a[0], a[1], a[2], a[3], a[4], a[5], a[6], a[7], a[8],
		a[9], a[10], a[11], a[12], a[13], a[14], a[15], a[16], a[17], a[18], a[19], a[20],
		a[21], a[22], a[23], a[24]);
}

static inline void call(own_loop *loop, int64_t n, void *const *argument)
{
	if (child.many)
		call_many(loop, n, argument);
	else
		loop(n, argument[0], argument[1], argument[2], argument[3]);
}

/* Prepares a call of loop(): calls the user's setup() if there is one. Returns the clock ticks that
 * setup() takes. */
static uint64_t set_up(int64_t n, void *const *argument)
{
	uint64_t begin = clock_ticks();

	call(child.setup, n, argument);
	clock_fence();
	return clock_ticks() - begin;
}

/* Bytes of a page, within which the stack of each call begins at the same place. */
enum { PAGE = 4096 };

/* The field run->code.start has the address of the loop to call, because the engine may have
 * changed the loop's machine code (engine/memory/code_buffer.h). If `run` is NULL, the function of
 * the user's library is called, on data that have been set up. */
static void own_child_call(struct kernel_run *run, uint64_t elements)
{
	own_loop *loop = run ? (own_loop *)run->code.start : child.loop;
	struct own_data *data = &child.data[child.copy];
	/* Calls for half and for whole passes of the user's loop run the same instructions and
	 * branches in this function. The difference of the times of half and whole passes is then
	 * due to the user's loop only. */
	char here;
	volatile char *gap;
	int length = (elements < child.elements[0]) + (elements < child.elements[1]);
	uint64_t passes = elements / child.elements[0] + (length > 0);
	int64_t n = child.n[length];

	own_data_shorten(data, length);
	/* The stack of loop() begins at the same place in a page in each process, so that the
	 * stepped and the measured loop access the same parts of cache lines. */
	gap = alloca((uintptr_t)&here % PAGE + 1);
	*gap = here = 0;
	do {
		if (run && child.setup)
			run->excluded += set_up(n, data->argument);
		call(loop, n, data->argument);
		/* Wait until the stores of the call have left the store queue. A queue that takes
		 * all stores of a short call would hide their time. */
		atomic_thread_fence(memory_order_seq_cst);
		if (child.calls)
			atomic_fetch_add_explicit(child.calls, 1, memory_order_relaxed);
	} while (--passes > 0);
}

/* Returns the index of the copy of the data for the longer run. Without setup(), all runs use the
 * first copy of the data; if a part of a large call is stepped, there is a single run. */
static int last_copy(void)
{
	return child.setup && child.n[1] ? COPIES - 1 : 0;
}

/* Lays out the data of the three runs of the single-stepper, and calls setup() for each: setup()
 * itself is not single-stepped. The three runs of loop() are the shorter run at full speed, the
 * shorter run in single steps, and the longer run. */
static void set_up_copies(const struct own_steps *steps, unsigned char *memory, size_t bytes)
{
	for (int i = 0; i <= last_copy(); i++) {
		struct own_data *data = &child.data[i];
		bool shorter = i < last_copy();

		own_data_make(data, &steps->own->description, steps->n[0], steps->n[1], steps->seed,
			memory + (size_t)i * bytes);
		own_data_shorten(data, shorter);
		call(child.setup, child.n[shorter], data->argument);
	}
}

int own_steps_prepare(void *context)
{
	struct own_steps *steps = context;
	size_t bytes = round_up(own_data_bytes(&steps->own->description, steps->n[0]), 4096);
	unsigned char *memory;

	own_child_begin(-1);
	/* The memory is aligned as that of a measurement, so each access has the same place in its
	 * cache line and page. */
	memory = arena_reserve(COPIES * bytes + 1);
	if (memory && bytes >= ARENA_PIECE)
		(void)madvise(memory, bytes, MADV_HUGEPAGE);
	*steps->failure = memory ? child_load(steps->own, steps->v, NULL, steps->n[0], steps->n[1],
					   steps->seed, memory)
				 : status_failed("%.80s: memory refused: %s", steps->own->path,
					   strerror(errno));
	if (status_is_ok(steps->failure) && child.setup)
		set_up_copies(steps, memory, bytes);
	child.copy = -1;
	*steps->laid = (struct own_laid){ .loop = (uint64_t)(uintptr_t)child.loop };
	for (int i = 0; i < OWN_ARGUMENTS; i++)
		steps->laid->at[i] = (uint64_t)(uintptr_t)child.data[last_copy()].argument[i];
	return !status_is_ok(steps->failure);
}

void own_steps_run(void *steps, uint64_t elements)
{
	(void)steps;
	child.copy += child.copy < last_copy();
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
			macro_of(&slot->own, knob).name);
	}
	if (description->cflags.words[0]) {
		int at = slot->kernel.knob_count++;

		make_knob(slot, at, &description->cflags, slot->own.flags_first);
		snprintf(slot->help[at], sizeof(slot->help[at]), "flags of the compiler");
	}
	slot->knob[slot->kernel.knob_count++] = (struct knob)KNOB_ROW_PAGES;
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
		.prepare = own_child_prepare,
		.call = own_child_call,
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
		strcmp(value_of(cflags, own->flags_first), given.words) != 0)
		own->flags_first++;
	return status;
}

/* Reads the file's description. */
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
