/* The interface of a kernel: a short loop under measurement, its knobs, and the data that it walks.
 *
 * To add a kernel: write kernels/NAME.c that ends in `const struct kernel kernel_NAME` (dashes of
 * the name become underscores), and add NAME to KERNELS in Makefile.am. The command line, the
 * explorer, CSV columns, range checks and help all read these tables.
 *
 * A kernel sees memory only through its run. It makes no system call, starts no thread and prints
 * nothing. Its call() is timed: it must not allocate, lock or log. */
#pragma once

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/status.h"

enum { KNOBS_MAX = 12, KERNEL_CHAINS = 32, KERNEL_REACHES = 32, KERNEL_KEPT = 32 };

enum knob_kind {
	KNOB_COUNT,  /* a whole number */
	KNOB_BYTES,  /* a size in bytes, typed with k, m, g, t */
	KNOB_CHOICE, /* one of named choices; the value is the index */
};

/* The axis of the memory mountain that a knob moves along. */
enum knob_axis { AXIS_NONE, AXIS_SIZE, AXIS_STRIDE };

/* What a knob changes. Advice on how to go faster tries KNOB_FORM first. */
enum knob_role {
	KNOB_WORK, /* what is computed, on how much data */
	KNOB_FORM, /* how the same work is written: unroll, acc, width, addressing */
};

/* What a knob asks of the engine. Rows for kernels' tables: kernels/knob_rows.h. */
enum knob_asks {
	ASKS_NOTHING,
	ASKS_PAGES,   /* the pages of the working set: enum page_kind */
	ASKS_NODE,    /* its memory node: 0 that of the measured core, else node value - 1 */
	ASKS_CORES,   /* cores that run the kernel at once, each on its own working set */
	ASKS_STREAMS, /* other cores that stream through memory at the same time */
};

enum page_kind { PAGES_AUTO, PAGES_4K, PAGES_HUGE, PAGE_KINDS };

/* Upper ends that the machine sets: half of its free memory; the cores that this process may use
 * (ASKS_CORES), or one less (ASKS_STREAMS). */
#define KNOB_MAX_MEMORY INT64_MAX
#define KNOB_MAX_CORES	(INT64_MAX - 1)

struct knob {
	const char *name; /* the key on the command line */
	const char *help; /* one line, no full stop */
	enum knob_kind kind;
	enum knob_axis axis;
	int64_t min, max; /* inclusive; ignored for choices */
	int64_t initial;
	int64_t multiple;	    /* values must be a multiple of this; 0 or 1: any */
	int64_t factor;		    /* how + and - step: 0 by `multiple` (or 1), else times this */
	const char *const *choices; /* KNOB_CHOICE: names, ended by NULL */
	enum knob_role role;
	enum knob_asks asks;
};

/* How a load gets its address. */
enum reach_way {
	REACH_CHAINED, /* from the load before it */
	REACH_GUESSED, /* by a predicted branch: the load waits only after a misprediction */
	REACH_FREE,    /* without waiting for a load, in an order that no prefetcher follows */
	REACH_ORDERED, /* in address order: prefetchers fetch the line in time */
};

/* Loads of a walk that meets small and large parts of its data in turn, as a search in a tree does:
 * the loads of one such part. */
struct kernel_reach {
	double lines; /* cache lines touched per element */
	double range; /* bytes over which they are scattered, together with all parts that are met
			 as often or more often */
	enum reach_way way;
	double least; /* bytes of these lines alone, where each pass touches the same lines: a cache
			 may keep them in preference to prefetched lines; 0: range */
};

/* Data in memory, and how much of it an earlier prepare() left there. */
struct kernel_layout {
	uint64_t base; /* bytes of the same layout before run->memory; 0 unless kernel->movable */
	uint64_t prepared; /* bytes that an earlier prepare() with the same layout() and seed laid
			      out; 0: none. May be more or less than this setting needs */
	uint64_t sample; /* elements from the start that will be walked: prepare() may lay out only
			    what these touch; 0: all. Only where the kernel is `deep` */
	uint64_t laid_out; /* filled by prepare(): bytes laid out now */
};

/* Long work: prepare(), and calls of a complete run. Both use kernel_goes_on(). */
struct kernel_work {
	const atomic_bool *cancel; /* never NULL */
	atomic_uint *progress;	   /* thousandths done; NULL: nobody reads them */
};

/* The machine code of the loop. */
struct kernel_code {
	unsigned char *buffer; /* kernel->code_bytes() bytes for code that prepare() generates:
				  writable during prepare(), executable afterwards; NULL: none */
	size_t buffer_bytes;

	/* Filled by prepare(). */
	const void *start;  /* the function that holds the hot loop: its innermost loop is read */
	const void *entry;  /* first instruction of the loop, in generated code that calls or jumps
			       by registers: the model then follows its path
			       (model/code/follow.h); NULL: the innermost loop is read */
	const char *name;   /* the function in the kernel's source file; static; NULL: unknown */
	const char *unread; /* why the loop at `start` is not the code that runs ("the C library's
			       own code does the work"); static; NULL: it is */
};

/* How the walk meets memory and branches, per element: facts that the machine code does not show.
 * 0 where a fact does not apply. */
struct kernel_walk {
	double lines; /* cache lines touched for the first time in a pass: lines that a larger cache
			 or memory must supply. Scattered: each access that begins another line
			 counts */
	double step;  /* bytes from one access to the next, where all are equally far apart */
	const char *access; /* what touches a line, in a word: "read"; static; NULL: an element */
	bool scattered;	    /* in an order that no prefetcher follows */
	double range;	    /* bytes over which the scattered lines range; 0: the working set */
	double chains;	  /* chains of loads that share the lines evenly; 0: one chain takes all */
	double far_lines; /* of a walk that goes round a small part of its data many times before
			     it moves on: lines, of `lines`, that the whole brings; 0: one walk */
	double far_range; /* bytes over which the whole ranges */
	bool apart;	  /* each access is pages away from the next */
	int reaches; /* entries of `reach`, in the order of the chain; they replace lines, range and
			scattered where these differ along the chain */
	struct kernel_reach reach[KERNEL_REACHES];
	const char *waits;  /* what the address of the next load that can miss waits for, a clause:
			       "the next node's address is in this node"; static; NULL: not stated */
	double splits;	    /* loads and stores that cross a cache line */
	double mispredicts; /* mispredictions that no branch predictor can avoid */
	double restart; /* elements after which loop-carried chains begin again, so that the next
			   ones overlap with the last; 0: they never do */
};

/* A kernel at one setting, laid out in memory and ready to be called. The engine owns it, zeroes
 * it, and fills the first group. One thread at a time uses it. */
struct kernel_run {
	const struct kernel *kernel;
	int64_t v[KNOBS_MAX]; /* the value of each knob, in the kernel's order */
	uint64_t seed;
	unsigned char *memory; /* footprint() bytes or more, aligned to 2 MiB, already touched */
	struct kernel_layout layout;
	struct kernel_work work;
	struct kernel_code code;
	struct kernel_walk walk; /* filled by describe(), or else by prepare() */

	/* Filled by prepare(). */
	uint64_t ring;	    /* elements in one pass over the working set: > 0, whole granules */
	uint64_t granule;   /* elements in one iteration of the loop: calls take multiples of it */
	uint64_t iteration; /* elements in one iteration where a call may end inside one; 0: granule
			     */
	uint64_t period; /* elements after which the walk's demands on memory repeat: both lengths
			    of a trial are multiples of it; 0: any length will do */
	bool passes;	 /* in the first cache, both lengths of a trial are whole passes from the
			    start of the ring: parts of a pass differ in cost */
	bool complete;	 /* a trial is one call of the whole ring next to an empty call; the call
			    returns early once *work.cancel is set */
	uint64_t bytes;	 /* bytes that the code reads and writes per element */

	/* The state of the kernel's own walk. */
	uint64_t position; /* elements into the ring, 0…ring-1 */
	uint64_t result;
	const void *cursor;
	const void *loop;
	const void *chain[KERNEL_CHAINS]; /* position of each of several parallel walks */
	uint64_t kept[KERNEL_KEPT]; /* a private struct that prepare() fills for calls; copied in
				       and out */
};

/* The blocks of blocked code, for advice on their size. */
struct kernel_block {
	int knob;     /* the knob whose value is N */
	int blocks;   /* N x N blocks in use at a time */
	int bytes;    /* of an element */
	int64_t most; /* from this N on, one block covers all data */
	double pages; /* pages per row of a block, summed over the matrices whose blocks have N rows
		       */
	bool down;    /* the innermost loop goes down rows */
	bool meet;    /* it goes along rows that share few sets of a cache */
	bool sums;    /* it adds up along a line of N elements */
};

/* Only the first group, knobs, prepare, call and one of expected and verify are required. A
 * callback that is NULL means the default in its comment. */
struct kernel {
	const char *name;     /* as typed: "list-length" */
	const char *title;    /* a few words */
	const char *look_for; /* two or three sentences: what to change, what to see */
	const char *document; /* its source, as cited */
	const char *element;  /* what CPE counts: "array element read" */
	const char *limit; /* the limit that the document names for the initial setting, by its name
			      in model/limits/limits.h ("latency"); NULL: none */
	const char *hint;  /* the first keys to press, in a few words; NULL: none */
	const struct knob *knobs;
	int knob_count;

	/* ---- Settings */

	/* Whether values go together, each within its own range; the text names the knobs and the
	 * values that would be right. NULL: every combination is allowed. */
	struct status (*check)(const int64_t *v);

	/* After the user changed knob `changed`: changes others so that check() passes again, as
	 * few as possible. NULL: changes none. */
	void (*fit)(int64_t *v, int changed);

	/* Bytes of memory that the setting needs. NULL: the value of the knob on AXIS_SIZE,
	 * or a line without one. */
	uint64_t (*footprint)(const int64_t *v);

	/* Settings with equal layout() can use each other's data (layout.prepared). NULL: all
	 * settings where layout_nests is set, else those with equal footprint. */
	uint64_t (*layout)(const int64_t *v);

	/* A remark on this setting, or NULL; static text. NULL: no setting has one. */
	const char *(*remark)(const int64_t *v);

	/* The blocks of this setting; false: it has none. NULL: no setting has blocks. */
	bool (*block)(const int64_t *v, struct kernel_block *block);

	/* Describes the walk over the data at this setting, without memory: fills a zeroed *walk.
	 * NULL: prepare() fills run->walk. */
	void (*describe)(const int64_t *v, struct kernel_walk *walk);

	/* ---- The run */

	/* Lays out the data, generates code where the kernel does, and fills the run. Returns
	 * STATUS_CANCELLED once *work.cancel is set. Afterwards kernel_prepare() rewinds the run.
	 */
	struct status (*prepare)(struct kernel_run *run);

	/* At most so many bytes of code are generated by prepare() (kernels/assemble.h). NULL:
	 * none, the code is compiled. */
	size_t (*code_bytes)(const int64_t *v);

	/* Walks `elements` (a positive multiple of granule; 0 where the run is complete) from where
	 * the last call stopped, and wraps at the end of the ring. This is timed. */
	void (*call)(struct kernel_run *run, uint64_t elements);

	/* Back to the start of the ring. NULL: begin_at(run, 0), else position = 0. */
	void (*rewind)(struct kernel_run *run);

	/* Moves to a share (0…1) of the ring, or of the memory where the order is random, so that
	 * short visits to a large ring meet different parts. NULL: visits begin at the start. */
	void (*begin_at)(struct kernel_run *run, double share);

	/* The result of a call of `elements` from the start of the ring, by a plain computation.
	 * The default verify() compares with it. */
	uint64_t (*expected)(const struct kernel_run *run, uint64_t elements);

	/* Whether the code computes correctly. Runs before each measurement, untimed, so it must be
	 * quick: some thousand elements. NULL: compares a call with expected(). */
	struct status (*verify)(struct kernel_run *run);

	/* Whether the last trial of a complete run left the right result; untimed. NULL: no check.
	 */
	struct status (*proof)(struct kernel_run *run);

	/* ---- How the model reads the code */

	/* Reduces v to the least work with the same code. NULL: only the knob on AXIS_SIZE is
	 * reduced. */
	void (*shrink)(int64_t *v);

	/* Elements to step through (> 2), where each takes many instructions. NULL: a few hundred.
	 */
	unsigned (*few)(const int64_t *v);

	/* Multiples of so many elements (a power of two) are stepped, where fewer would run other
	 * code; 0: the granule. */
	unsigned batch;

	/* The source file of the function; NULL: kernels/NAME.c. */
	const char *file;

	/* The path through the loop depends on data or calls functions: it is found by stepping
	 * through a small run, not by reading the innermost loop. */
	bool stepped;

	/* The path depends on the amount of data, as in a tree: the code is read at the size asked
	 * about, with only a sample laid out (layout.sample). */
	bool deep;

	/* ---- How the engine measures */

	bool layout_nests; /* a longer layout begins with each shorter one: settings of any size
			      share memory */
	bool movable;  /* a working set may begin at any multiple of 2 MiB in a longer layout: the
			  engine measures several places, so that the physical pages of one place
			  matter less. The engine moves run->memory and sets layout.base */
	bool seamless; /* passing the end of the ring costs nothing: a call may have any length */
	bool halved;   /* a call may end at half the ring, and nowhere else before its end */
	bool cold;     /* the walk is meant to miss: the engine does not warm the caches */
	bool isolated; /* the user's own code: loaded, prepared, called and stepped only in a child
			  process. `own` (engine/own/own.h) is its source */
	const struct own *own;
	bool plot_cpe; /* plots show cycles per element on a logarithmic axis: for latencies */
};

/* Every kernel, in the order of the make list, ended by NULL. Generated. */
extern const struct kernel *const kernel_registry[];

/* The kernel with that name, or NULL. */
const struct kernel *kernel_find(const char *name);

/* The index of the knob with that name, or -1; of the first knob on that axis, or -1. */
int kernel_knob(const struct kernel *kernel, const char *name);
int kernel_axis(const struct kernel *kernel, enum knob_axis axis);

/* The first knob that asks this of the engine, or -1; and its value in v, or 0 without one. */
int kernel_asking(const struct kernel *kernel, enum knob_asks asks);
int64_t kernel_asked(const struct kernel *kernel, const int64_t *v, enum knob_asks asks);

/* The least number of bytes that a stream walks: more than the last cache of most cores. */
#define STREAM_BYTES ((uint64_t)64 << 20)

/* What one setting takes of the machine. */
struct kernel_need {
	int cores;	 /* that run the kernel at once, from 1 */
	int streams;	 /* others that stream */
	int processors;	 /* both together */
	uint64_t memory; /* bytes of all working sets; UINT64_MAX: too many for 64 bits */
};

struct kernel_need kernel_need(const struct kernel *kernel, const int64_t *v);

/* The callbacks of the same name, or their defaults. */
struct status kernel_check(const struct kernel *kernel, const int64_t *v);
void kernel_fit(const struct kernel *kernel, int64_t *v, int changed);
uint64_t kernel_footprint(const struct kernel *kernel, const int64_t *v);
uint64_t kernel_layout(const struct kernel *kernel, const int64_t *v);
void kernel_rewind(struct kernel_run *run);
struct status kernel_verify(struct kernel_run *run);

/* Fills *walk for any amount of data, without memory; false: only prepare() can. */
bool kernel_describe(const struct kernel *kernel, const int64_t *v, struct kernel_walk *walk);

/* Prepares the run: describe(), prepare(), rewind. Kernels that generate code need a code buffer:
 * engine/memory/code_buffer.h. */
struct status kernel_prepare(struct kernel_run *run);

/* Reports that `done` of `of` items are done, every few thousand items of long work; false: stop
 * with STATUS_CANCELLED. */
static inline bool kernel_goes_on(struct kernel_run *run, uint64_t done, uint64_t of)
{
	if (run->work.progress)
		atomic_store_explicit(run->work.progress, (unsigned)(done * 1000 / (of ? of : 1)),
			memory_order_relaxed);
	return !atomic_load_explicit(run->work.cancel, memory_order_relaxed);
}

/* For hot loops: never inlined, so that the model can find and read the code; never instrumented,
 * so that a sanitised build times the same loop. */
#if defined(__clang__)
#define KERNEL_UNWATCHED no_sanitize("address", "undefined", "thread", "memory")
#else
#define KERNEL_UNWATCHED no_sanitize("address", "undefined", "thread")
#endif
#define KERNEL_LOOP __attribute__((noinline, KERNEL_UNWATCHED))

/* For a loop written once with open constants (`const int unroll`, an "i" operand of its assembly):
 * KERNEL_LOOP functions that only call it supply the constants. code.name names this function: it
 * is what people read. */
#define KERNEL_BODY static inline __attribute__((always_inline, KERNEL_UNWATCHED))

/* The loop after it is unrolled completely: its bounds are constants up to 16. */
#if defined(__clang__)
#define KERNEL_UNROLL _Pragma("clang loop unroll(full)")
#else
#define KERNEL_UNROLL _Pragma("GCC unroll 16")
#endif

/* A KERNEL_LOOP function of one walk that calls a body with its constants. */
#define KERNEL_CALLS(name, walk_type, ...)            \
	KERNEL_LOOP static void name(walk_type *walk) \
	{                                             \
		__VA_ARGS__;                          \
	}

/* The functions NAME_1 … NAME_8 that call body(walk, 1) … body(walk, 8); their names in a table. */
#define KERNEL_UNROLLED(name, walk_type, body) KERNEL_UNROLLED_AS(, name, walk_type, body)
#define KERNEL_UNROLLED_AS(attribute, name, walk_type, body)                               \
	attribute KERNEL_CALLS(name##_1, walk_type, body(walk, 1)) attribute KERNEL_CALLS( \
		name##_2, walk_type, body(walk, 2)) attribute                              \
	KERNEL_CALLS(name##_3, walk_type, body(walk, 3)) attribute                         \
	KERNEL_CALLS(name##_4, walk_type, body(walk, 4)) attribute                         \
	KERNEL_CALLS(name##_5, walk_type, body(walk, 5)) attribute                         \
	KERNEL_CALLS(name##_6, walk_type, body(walk, 6)) attribute                         \
	KERNEL_CALLS(name##_7, walk_type, body(walk, 7)) attribute                         \
	KERNEL_CALLS(name##_8, walk_type, body(walk, 8))
#define KERNEL_UNROLLED_NAMES(name) \
	name##_1, name##_2, name##_3, name##_4, name##_5, name##_6, name##_7, name##_8

/* each(1) … each(8). */
#define KERNEL_EIGHT(each) each(1) each(2) each(3) each(4) each(5) each(6) each(7) each(8)

/* Pins a value to a register here, so that the compiler neither merges chains nor moves operations
 * across: the loop keeps the shape that is written. */
#define KERNEL_KEEP(x) __asm__("" : "+r"(x))
#if defined(__x86_64__)
#define KERNEL_KEEP_FLOAT(x) __asm__("" : "+x"(x))
#elif defined(__aarch64__)
#define KERNEL_KEEP_FLOAT(x) __asm__("" : "+w"(x))
#endif
