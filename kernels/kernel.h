/* The interface of a kernel: a short measured loop, its knobs, and the data that it walks.
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

/* The effect of a knob. Advice on faster settings tries KNOB_FORM first. */
enum knob_role {
	KNOB_WORK, /* the computation or the amount of data */
	KNOB_FORM, /* the form of the code for the same work: unroll, acc, width, addressing */
};

/* What a knob requests from the engine. kernels/knob_rows.h has the table rows. */
enum knob_asks {
	ASKS_NOTHING,
	ASKS_PAGES, /* the page kind of the working set: enum page_kind */
	ASKS_NODE,  /* the memory node: 0 for the node of the measured core, else node value - 1 */
	ASKS_CORES, /* cores that run the kernel at once, each on its own working set */
	ASKS_STREAMS, /* other cores that stream through memory at the same time */
};

enum page_kind { PAGES_AUTO, PAGES_4K, PAGES_HUGE, PAGE_KINDS };

/* Maxima that depend on the machine. Memory: half of the free memory. ASKS_CORES: the cores that
 * this process may use. ASKS_STREAMS: one fewer. */
#define KNOB_MAX_MEMORY INT64_MAX
#define KNOB_MAX_CORES	(INT64_MAX - 1)

struct knob {
	const char *name; /* the key on the command line */
	const char *help; /* one line, no full stop */
	enum knob_kind kind;
	enum knob_axis axis;
	int64_t min, max; /* inclusive; ignored for choices */
	int64_t initial;
	int64_t multiple; /* values must be a multiple of this; 0 or 1: no restriction */
	int64_t factor; /* the step of + and -. 0: adds `multiple` (or 1); else: multiplies by this
			 */
	const char *const *choices; /* KNOB_CHOICE: names, ended by NULL */
	enum knob_role role;
	enum knob_asks asks;
};

/* Two knobs that do not go together: where a knob is within `where`, the other knob must be within
 * `needs`. */
struct knob_rule {
	struct {
		int knob;
		int64_t from, to; /* inclusive */
	} where, needs;
	int64_t needs_becomes; /* the value of needs.knob, after the user changed where.knob */
	int64_t where_becomes; /* the value of where.knob, after the user changed another knob */
	const char *why;       /* the reason, and the valid values */
};

/* How the address of a load becomes known. */
enum reach_way {
	REACH_CHAINED, /* from the previous load */
	REACH_GUESSED, /* from a predicted branch: the load waits only after a misprediction */
	REACH_FREE,    /* from no load, but in an order that no prefetcher follows */
	REACH_ORDERED, /* in address order: prefetchers fetch the line in time */
};

/* The loads of one part of a walk. A tree search, for example, visits small and large parts of its
 * data in turn. */
struct kernel_reach {
	double lines; /* cache lines touched per element */
	double range; /* bytes over which these lines are scattered, including all parts that are
			 visited at least equally often */
	enum reach_way way;
	double least; /* bytes of these lines alone, where each pass touches the same lines: a cache
			 may keep them in preference to prefetched lines; 0: same as range */
};

/* The data in memory, including data from an earlier prepare(). */
struct kernel_layout {
	uint64_t base; /* bytes of the same layout before run->memory; 0 unless kernel->movable */
	uint64_t prepared; /* bytes that an earlier prepare() with the same layout() and seed laid
			      out; 0: no bytes. May be more or less than this setting needs */
	uint64_t sample; /* elements that will be walked from the start: prepare() may lay out only
			    their data; 0: all. Only for a `deep` kernel */
	uint64_t laid_out; /* filled by prepare(): bytes laid out now */
};

/* For long work: prepare(), and calls of a complete run. Both use kernel_goes_on(). */
struct kernel_work {
	const atomic_bool *cancel; /* never NULL */
	atomic_uint *progress;	   /* progress in thousandths; NULL: no reader */
};

/* The machine code of the loop. */
struct kernel_code {
	unsigned char *buffer; /* kernel->code_bytes() bytes for code that prepare() generates:
				  writable during prepare(), executable afterwards; NULL: none */
	size_t buffer_bytes;

	/* Filled by prepare(). */
	const void *start;  /* the function with the hot loop: the model reads its innermost loop */
	const void *entry;  /* first instruction of the loop, in generated code that calls or jumps
			       by registers: the model then follows its path (model/code/follow.h);
			       NULL: the model reads the innermost loop */
	const char *name;   /* the function in the kernel's source file; static; NULL: unknown */
	const char *unread; /* why the code that runs is not the loop at `start` ("the C library's
			       own code does the work"); static; NULL: the loop runs */
};

/* How the walk uses memory and branches, per element. The machine code does not show these facts. 0
 * where a fact does not apply. */
struct kernel_walk {
	double lines; /* cache lines touched for the first time in a pass: a larger cache or memory
			 must supply them. Scattered walks: each access that moves to another line
			 counts */
	double step;  /* bytes from one access to the next, if the distance is constant */
	const char *access; /* the access in a word: "read"; static; NULL: an element */
	bool scattered;	    /* the order is one that no prefetcher follows */
	double range;	    /* range of the scattered lines in bytes; 0: the working set */
	double chains;	  /* chains of loads that share the lines evenly; 0: one chain loads all */
	double far_lines; /* for a walk that repeats a small part of its data many times before it
			     moves to the next part: of `lines`, the lines that come from the whole
			     data; 0: no such parts */
	double far_range; /* range of the whole data in bytes */
	bool apart;	  /* each access is pages away from the next */
	int reaches; /* entries of `reach`, in the order of the chain; they replace lines, range and
			scattered where these differ along the chain */
	struct kernel_reach reach[KERNEL_REACHES];
	const char *waits;  /* the reason why the address of the next load that can miss is late, a
			       clause: "the next node's address is in this node"; static; NULL: not
			       stated */
	double splits;	    /* loads and stores that cross a cache line */
	double mispredicts; /* mispredictions that no branch predictor can avoid */
	double restart; /* elements after which loop-carried chains start again, so that the next
			   chains overlap with the last; 0: never */
};

/* A kernel at one setting, laid out in memory and ready to be called. The engine owns and zeroes
 * it, and fills the first group. Only one thread may use it at a time. */
struct kernel_run {
	const struct kernel *kernel;
	int64_t v[KNOBS_MAX]; /* the value of each knob, in the kernel's order */
	uint64_t seed;
	unsigned char *memory; /* footprint() bytes or more, aligned to 2 MiB, already touched */
	struct kernel_layout layout;
	struct kernel_work work;
	struct kernel_code code;
	struct kernel_walk walk; /* filled by describe(), or by prepare() if that is NULL */

	/* Filled by prepare(). */
	uint64_t ring;	    /* elements in one pass over the working set: > 0, whole granules */
	uint64_t granule;   /* elements in one iteration of the loop: each call processes a multiple
			       of it */
	uint64_t iteration; /* elements in one iteration, if a call may end inside a granule; 0:
			       granule */
	uint64_t period; /* elements after which the walk's demands on memory repeat: both lengths
			    of a trial are multiples of it; 0: any length is allowed */
	bool passes; /* in the first-level cache, both lengths of a trial are whole passes from the
			start of the ring, because parts of a pass differ in cost */
	bool complete;	/* a trial compares one call of the whole ring with an empty call; the call
			   returns early once *work.cancel is set */
	uint64_t bytes; /* bytes that the code reads and writes per element */

	/* The position of the kernel in its walk. */
	uint64_t position; /* elements into the ring, 0…ring-1 */
	uint64_t result;
	const void *cursor;
	const void *loop;
	const void *chain[KERNEL_CHAINS]; /* position of each of several parallel walks */
	uint64_t kept[KERNEL_KEPT]; /* a private struct that prepare() fills for calls, copied in
				       and out */
};

/* The blocks of a blocked algorithm, for advice on the block size. */
struct kernel_block {
	int knob;     /* the knob with the value N */
	int blocks;   /* number of N x N blocks in use at a time */
	int bytes;    /* bytes of an element */
	int64_t most; /* at this N or more, one block covers all data */
	double pages; /* pages per row of a block, summed over the matrices that have N rows in a
			 block */
	bool down;    /* the innermost loop moves down a column */
	bool meet;    /* the innermost loop moves along rows that compete for few sets of a cache */
	bool sums;    /* the innermost loop sums a line of N elements */
};

/* Required: the first group, knobs, prepare, call, and either expected or verify. For a callback
 * that is NULL, the default in its comment applies. */
struct kernel {
	const char *name;     /* as typed: "list-length" */
	const char *title;    /* a few words */
	const char *look_for; /* two or three sentences: what to change, what to observe */
	const char *document; /* the cited source */
	const char *element;  /* what CPE counts: "array element read" */
	const char *limit; /* the limit that the document names for the initial setting, by its name
			      in model/limits/limits.h ("latency"); NULL: none */
	const char *hint;  /* the first keys to press, in a few words; NULL: none */
	const struct knob *knobs;
	int knob_count;
	const struct knob_rule *rules; /* pairs of knobs that check() and fit() need not handle */
	int rule_count;

	/* ---- Settings */

	/* Checks values that are each within range, but may not fit together. The message names the
	 * knobs and valid values. NULL: every combination is allowed. */
	struct status (*check)(const int64_t *v);

	/* After the user changed knob `changed`: changes as few other knobs as possible, so that
	 * check() passes again. NULL: changes no knob. */
	void (*fit)(int64_t *v, int changed);

	/* Bytes of memory that the setting needs. NULL: the value of the knob on AXIS_SIZE, or one
	 * cache line without such a knob. */
	uint64_t (*footprint)(const int64_t *v);

	/* Settings with equal layout() can share data (layout.prepared). NULL: with layout_nests,
	 * all settings share data; otherwise, settings with equal footprint share data. */
	uint64_t (*layout)(const int64_t *v);

	/* A remark on this setting, as static text; NULL: no remark. A NULL callback: no setting
	 * has a remark. */
	const char *(*remark)(const int64_t *v);

	/* Fills *block with the blocks of this setting; false: the setting has no blocks. NULL: no
	 * setting has blocks. */
	bool (*block)(const int64_t *v, struct kernel_block *block);

	/* Describes the walk over the data at this setting, without memory: fills a zeroed *walk.
	 * NULL: prepare() fills run->walk. */
	void (*describe)(const int64_t *v, struct kernel_walk *walk);

	/* ---- The run */

	/* Lays out the data, generates code where the kernel does, and fills the run. Returns
	 * STATUS_CANCELLED once *work.cancel is set. Afterwards kernel_prepare() rewinds the run.
	 */
	struct status (*prepare)(struct kernel_run *run);

	/* The maximum number of bytes of code that prepare() generates (kernels/assemble.h). NULL:
	 * prepare() generates no code. */
	size_t (*code_bytes)(const int64_t *v);

	/* Walks `elements` (a positive multiple of granule; 0 in a complete run is an empty call).
	 * Starts where the last call stopped, and wraps at the end of the ring. This call is timed.
	 */
	void (*call)(struct kernel_run *run, uint64_t elements);

	/* Back to the start of the ring. NULL: begin_at(run, 0), else position = 0. */
	void (*rewind)(struct kernel_run *run);

	/* Moves to a share (0…1) of the ring, or of the memory if the order is random, so that
	 * short visits to a large ring reach different parts. NULL: visits begin at the start. */
	void (*begin_at)(struct kernel_run *run, double share);

	/* Computes the expected result of a call of `elements` from the start of the ring, in plain
	 * C. The default verify() compares with it. */
	uint64_t (*expected)(const struct kernel_run *run, uint64_t elements);

	/* Checks that the code computes correctly. Runs before each measurement, untimed. It must
	 * be quick: a few thousand elements. It starts at the start of the ring, and may end
	 * anywhere: kernel_verify() rewinds. NULL: compares a call with expected(). */
	struct status (*verify)(struct kernel_run *run);

	/* Checks the result of the last trial of a complete run; untimed. NULL: no check. */
	struct status (*proof)(struct kernel_run *run);

	/* ---- How the model reads the code */

	/* Reduces v to the smallest amount of work with the same code. NULL: reduces only the knob
	 * on AXIS_SIZE. */
	void (*shrink)(int64_t *v);

	/* Elements to step through (> 2), for kernels with many instructions per element. NULL: a
	 * few hundred. */
	unsigned (*few)(const int64_t *v);

	/* The model steps through multiples of this many elements (a power of two), because fewer
	 * elements would run other code; 0: the granule. */
	unsigned batch;

	/* The source file of the function in code.name; NULL: kernels/NAME.c. */
	const char *file;

	/* The path through the loop depends on data or calls functions: the model steps through a
	 * small run instead of reading the innermost loop. */
	bool stepped;

	/* The path depends on the amount of data, as in a tree: the model uses the full size, and
	 * lays out only a sample (layout.sample). */
	bool deep;

	/* ---- How the engine measures */

	bool layout_nests; /* a longer layout starts with each shorter layout: settings of different
			      sizes share memory */
	bool movable;  /* a working set may begin at any multiple of 2 MiB in a longer layout. The
			  engine measures several places, so that the physical pages of one place
			  matter less. It moves run->memory and sets layout.base */
	bool seamless; /* the walk wraps at no cost: a call may have any length */
	bool halved;   /* a call that ends before the end of the ring must end at half of it */
	bool cold;     /* cache misses are intended: the engine does not warm the caches */
	bool isolated; /* the user's own code: only a child process loads, prepares, calls and steps
			  it. `own` (engine/own/own.h) is its source */
	const struct own *own;
	bool plot_cpe; /* plots show cycles per element on a logarithmic axis: for latencies */
};

/* All kernels, in the order of the make list; the last entry is NULL. Generated. */
extern const struct kernel *const kernel_registry[];

/* The kernel with that name, or NULL. */
const struct kernel *kernel_find(const char *name);

/* The index of the knob with that name, and of the first knob on that axis; -1: no such knob. */
int kernel_knob(const struct kernel *kernel, const char *name);
int kernel_axis(const struct kernel *kernel, enum knob_axis axis);

/* The index of the first knob with that `asks`, or -1; and the value of that knob in v, or 0. */
int kernel_asking(const struct kernel *kernel, enum knob_asks asks);
int64_t kernel_asked(const struct kernel *kernel, const int64_t *v, enum knob_asks asks);

/* The fewest bytes that a stream walks: more than the last-level cache of most cores. */
#define STREAM_BYTES ((uint64_t)64 << 20)

/* The resources that one setting needs. */
struct kernel_need {
	int cores;	 /* number of cores that run the kernel at once, from 1 */
	int streams;	 /* number of other cores that stream */
	int processors;	 /* cores + streams */
	uint64_t memory; /* bytes of all working sets; UINT64_MAX: 64 bits are too few */
};

struct kernel_need kernel_need(const struct kernel *kernel, const int64_t *v);

/* Call the callbacks of the same name, or apply their defaults. */
struct status kernel_check(const struct kernel *kernel, const int64_t *v);
void kernel_fit(const struct kernel *kernel, int64_t *v, int changed);
uint64_t kernel_footprint(const struct kernel *kernel, const int64_t *v);
uint64_t kernel_layout(const struct kernel *kernel, const int64_t *v);
void kernel_rewind(struct kernel_run *run);
struct status kernel_verify(struct kernel_run *run);

/* The default of verify(). */
struct status kernel_compare(struct kernel_run *run);

/* Fills *walk for any amount of data, without memory; false: only prepare() can fill it. */
bool kernel_describe(const struct kernel *kernel, const int64_t *v, struct kernel_walk *walk);

/* Prepares the run: describe(), prepare(), rewind. Kernels that generate code need a code buffer:
 * engine/memory/code_buffer.h. */
struct status kernel_prepare(struct kernel_run *run);

/* Callbacks of kernels with a loop that only counts its turns down, and returns 0. */
typedef uint64_t kernel_countdown(uint64_t turns);
void countdown_call(struct kernel_run *run, uint64_t elements);
uint64_t countdown_expected(const struct kernel_run *run, uint64_t elements);

/* Long work calls this every few thousand items, to report that `done` of `of` items are done.
 * false: stop with STATUS_CANCELLED. */
static inline bool kernel_goes_on(struct kernel_run *run, uint64_t done, uint64_t of)
{
	if (run->work.progress)
		atomic_store_explicit(run->work.progress, (unsigned)(done * 1000 / (of ? of : 1)),
			memory_order_relaxed);
	return !atomic_load_explicit(run->work.cancel, memory_order_relaxed);
}

/* For hot loops. Never inlined: the model can find and read the code. Never instrumented: a
 * sanitised build times the same loop. */
#if defined(__clang__)
#define KERNEL_UNWATCHED no_sanitize("address", "undefined", "thread", "memory")
#else
#define KERNEL_UNWATCHED no_sanitize("address", "undefined", "thread")
#endif
#define KERNEL_LOOP __attribute__((noinline, KERNEL_UNWATCHED))

/* For a loop that is written once, with parameters that must be compile-time constants (`const int
 * unroll`, an "i" operand of its assembly). KERNEL_LOOP functions that only call it supply the
 * constants. code.name names this function, because users read it. */
#define KERNEL_BODY static inline __attribute__((always_inline, KERNEL_UNWATCHED))

/* Unrolls the following loop completely: its bounds are constants up to 16. */
#if defined(__clang__)
#define KERNEL_UNROLL _Pragma("clang loop unroll(full)")
#else
#define KERNEL_UNROLL _Pragma("GCC unroll 16")
#endif

/* Defines a KERNEL_LOOP function of one walk, which calls a body with constants. */
#define KERNEL_CALLS(name, walk_type, ...)            \
	KERNEL_LOOP static void name(walk_type *walk) \
	{                                             \
		__VA_ARGS__;                          \
	}

/* KERNEL_UNROLLED() defines NAME_1 … NAME_8, which call body(walk, 1) … body(walk, 8).
 * KERNEL_UNROLLED_NAMES() lists their names, for a table. */
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
 * across this point. The loop then keeps its written form. */
#define KERNEL_KEEP(x) __asm__("" : "+r"(x))
#if defined(__x86_64__)
#define KERNEL_KEEP_FLOAT(x) __asm__("" : "+x"(x))
#elif defined(__aarch64__)
#define KERNEL_KEEP_FLOAT(x) __asm__("" : "+w"(x))
#endif
