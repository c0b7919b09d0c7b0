#include "engine/own/own_inside.h"

#include <alloca.h>
#include <dlfcn.h>
#include <errno.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "base/carried.h"
#include "base/text.h"
#include "base/units.h"
#include "engine/clock/clock.h"
#include "engine/memory/arena.h"
#include "engine/own/own_child.h"

/* The user's function. Arguments that the function does not have are ignored: the calling
 * convention passes the first ones in registers, and the caller removes the others. */
typedef long own_loop(long n, void *a, void *b, void *c, void *d);
typedef long own_long_loop(long n, void *a, void *b, void *c, void *d, void *e, void *f, void *g,
	void *h, void *i, void *j, void *k, void *l, void *m, void *o, void *p, void *q, void *r,
	void *s, void *t, void *u, void *v, void *w, void *x, void *y, void *z);

/* Copies of the data: for the three runs of the single-stepper (own_steps_run()). */
enum { COPIES = 3 };

static struct {
	own_loop *loop;
	own_loop *setup; /* the user's function that runs before each call of loop(); may be NULL */
	bool many;	 /* the user's function loop() has more parameters than the type own_loop */
	struct own_description description; /* the description of the user's data, with a change
					       such as ordered values or shifted arrays */
	struct random random;		    /* source of the values for calls on fresh data */
	struct own_data data[COPIES];
	int copy; /* index of the copy of the data that the next call of loop() uses */
	int64_t n[1 + OWN_CUTS]; /* the parameter n of loop() for a whole pass, then n for shorter
				    passes, in descending order; 0: there are no more */
	uint64_t elements[1 + OWN_CUTS]; /* number of elements that one call of loop() processes
					    with n[] */
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
	const struct own_build *build = own_build_of(own, v);
	void *library;

	*loop = *setup = NULL;
	if (!build || !status_is_ok(&build->status))
		return build ? build->status
			     : status_failed("%.80s is not compiled for these values of its knobs",
				       own->path);
	/* The user's code puts temporary files into the build's folder, which is removed with them.
	 */
	setenv("TMPDIR", build->folder, 1);
	library = dlopen(build->library, RTLD_NOW | RTLD_LOCAL);
	if (!library) {
		const char *why = dlerror();

		/* Shorten "…/own-3.so: undefined symbol: f" to the part after the path. */
		if (why && strncmp(why, build->library, strlen(build->library)) == 0 &&
			strstr(why, ": "))
			why = strstr(why, ": ") + 2;
		return status_failed("%.80s cannot be loaded: %.120s%s", own->path,
			why ? why : "the reason is unknown",
			why && strstr(why, "undefined symbol") && carried_libraries()
				? "; the portable program carries another C library than this "
				  "machine has: build slexplore here"
				: "");
	}
	*loop = find(library, "loop");
	*setup = find(library, "setup");
	if (!*loop)
		return status_failed("%.80s has no function loop(): write %s", own->path,
			language_of(own->path)->form);
	return status_ok();
}

/* Loads the user's loop, and lays out its data for two lengths. */
static struct status child_load(const struct own *own, const int64_t *v,
	const struct own_change *change, int64_t n, int64_t shorter, uint64_t seed, void *memory)
{
	struct status status = own_load(own, v, &child.loop, &child.setup);

	if (!status_is_ok(&status))
		return status;
	child.description = own_change_apply(&own->description, change);
	child.random = (struct random){ ~seed };
	child.n[0] = n;
	child.n[1] = shorter;
	for (int i = 0; i < 2; i++)
		child.elements[i] = own_elements(own, child.n[i]);
	for (int i = 4; i < OWN_ARGUMENTS; i++)
		child.many |= own->description.argument[i].content != OWN_NOTHING;
	own_data_make(&child.data[0], &child.description, n, shorter, seed, memory);
	return status;
}

/* The parameter n of the calls of a measurement, in eighths of n. Data of more than BYTES_CUT bytes
 * get only two lengths. */
static const int eighths[1 + OWN_CUTS] = { 8, 7, 6, 5, 4, 2 };
enum { HALF = 4, BYTES_CUT = 1 << 20 };
_Static_assert((int)OWN_CUTS == RUN_SHORTER + 1, "half of n and the shorter calls of a run");

struct status own_call_prepare(struct kernel_run *run)
{
	int64_t n = run->v[0], multiple = run->kernel->own->description.multiple;
	struct status status =
		child_load(run->kernel->own, run->v, run->own_change, n, 0, run->seed, run->memory);
	/* Larger data are timed over whole passes. */
	bool many = own_bytes(&run->kernel->own->description, n) <= BYTES_CUT;

	for (int i = 1; i <= OWN_CUTS; i++) {
		child.n[i] = i == HALF	? n / 2
			     : many	? n * eighths[i] / 8 / multiple * multiple
			     : i < HALF ? n
					: 0;
		child.elements[i] = own_elements(run->kernel->own, child.n[i]);
		own_data_cut(&child.data[0], &run->kernel->own->description, n, i, child.n[i]);
	}
	run->ring = run->granule = child.elements[0];
	for (int i = OWN_CUTS, k = 0; i > 0; i--)
		if (i != HALF)
			run->shorter[k++] = child.elements[i];
	run->draws = own_data_draws(&child.description);
	run->fresh = run->draws && kernel_asked(run->kernel, run->v, ASKS_FRESH);
	run->sets_up = child.setup != NULL || run->fresh;
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

/* Prepares a call of loop(): draws new data if the call gets fresh data, and calls the user's
 * setup() if there is one. Returns the clock ticks that this preparation of the call takes. New
 * data of the loop go to the same addresses, so their preparation leaves the caches as a pass over
 * the data does. Fence instructions end the preparation of the data before the user's loop begins.
 */
static uint64_t prepare_call(bool fresh, int64_t n, struct own_data *data)
{
	uint64_t begin = clock_ticks();

	if (fresh)
		own_data_draw(data, &child.description, child.n[0], &child.random);
	if (child.setup)
		call(child.setup, n, data->argument);
	atomic_thread_fence(memory_order_seq_cst);
	clock_fence();
	return clock_ticks() - begin;
}

/* Bytes of a page, within which the stack of each call begins at the same place. */
enum { PAGE = 4096 };

/* The field run->code.start has the address of the loop to call, because the engine may have
 * changed the loop's machine code (engine/memory/code_buffer.h). If `run` is NULL, the function of
 * the user's library is called, on data that have been set up. */
void own_call(struct kernel_run *run, uint64_t elements)
{
	own_loop *loop = run ? (own_loop *)run->code.start : child.loop;
	struct own_data *data = &child.data[child.copy];
	/* Calls for half and for whole passes of the user's loop run the same instructions and
	 * branches in this function. The difference of the times of half and whole passes is then
	 * due to the user's loop only. */
	char here;
	volatile char *gap;
	int length = 0;
	uint64_t passes;
	int64_t n;

	for (int i = 0; i < OWN_CUTS; i++)
		length += elements < child.elements[i];
	passes = elements / child.elements[0] + (length > 0);
	n = child.n[length];
	own_data_shorten(data, length);
	/* The stack of loop() begins at the same place in a page in each process, so that the
	 * stepped and the measured loop access the same parts of cache lines. */
	gap = alloca((uintptr_t)&here % PAGE + 1);
	*gap = here = 0;
	do {
		if (run && (run->fresh || child.setup))
			run->excluded += prepare_call(run->fresh, n, data);
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

	own_child_begin(-1, -1);
	/* The memory is aligned as that of a measurement, so each access has the same place in its
	 * cache line and page. */
	memory = arena_reserve(COPIES * bytes + 1);
	if (memory && bytes >= ARENA_PIECE)
		(void)madvise(memory, bytes, MADV_HUGEPAGE);
	own_child_limit_memory(NULL);
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
	own_call(NULL, elements);
}

int own_steps_renew(void *steps)
{
	(void)steps;
	(void)prepare_call(true, child.n[0], &child.data[0]);
	return 0;
}
