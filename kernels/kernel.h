/* The interface of a kernel. A kernel is a short measured loop, with its knobs and its data in
 * memory.
 *
 * To add a kernel: write kernels/NAME.c that ends in `const struct kernel kernel_NAME`, and add
 * NAME to KERNELS in Makefile.am. Dashes of the kernel's name become underscores in the identifier.
 * The command line, the explorer, CSV columns, range checks and help all read the table of the
 * kernel.
 *
 * A kernel accesses memory only through its struct kernel_run. A kernel makes no system call,
 * starts no thread and prints nothing. The function call() of a kernel is timed, so call() must not
 * allocate, lock or log. */
#pragma once

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/status.h"
#include "kernels/knob.h"
#include "kernels/walk.h"

enum { KERNEL_CHAINS = 32, KERNEL_KEPT = 32 };

/* Bytes of kernel_run.shared for each core, if several cores run a kernel at the same time. */
enum { KERNEL_SHARED_EACH = 256 };

/* The data that are laid out in memory, including data that an earlier call of prepare() laid
 * out. */
struct kernel_layout {
	uint64_t base; /* number of bytes of the laid-out data that lie before run->memory; 0 unless
			* kernel->movable
			*/
	uint64_t prepared; /* Bytes that an earlier prepare() with the same layout() and seed laid
			      out. 0: no bytes. `prepared` may be larger or smaller than this
			      setting needs. */
	uint64_t sample; /* Number of elements that the loop will visit from the start of the data.
			    prepare() may lay out only the data of the first `sample` elements. 0:
			    the loop visits all elements. The model's small run alone sets `sample`,
			    for kernels that are `deep` or say how `few` elements it steps. */
	uint64_t laid_out; /* bytes of data that are laid out; filled by prepare() */
};

/* The cancel flag and the progress of long work: of prepare(), and of a call in a run whose trials
 * process all data (whole=1). prepare() and call() report their progress through
 * kernel_goes_on(). */
struct kernel_work {
	const atomic_bool *cancel; /* a flag that cancels the work once it is set; never NULL */
	atomic_uint *progress;	   /* progress of the work in thousandths; NULL: nothing reads the
				      progress */
};

/* The machine code of the loop. */
struct kernel_code {
	unsigned char *buffer; /* A buffer of kernel->code_bytes() bytes for the code that prepare()
				  generates. The buffer is writable during prepare(), and executable
				  afterwards. NULL: prepare() generates no code. */
	size_t buffer_bytes;

	/* prepare() fills the following fields. */
	const void *start; /* Address of the function with the hot loop. The model reads the
			      innermost loop of the function. */
	const void
		*entry; /* Address of the first instruction of the loop, if generated code calls or
			   jumps through registers. The model then follows the path of execution
			   (model/code/follow.h). NULL: the model reads the innermost loop. */
	const char *name; /* name of the function with the hot loop in the kernel's source file, as
			     static text; NULL: unknown */
	const char *unread; /* The reason why other code than the loop at `start` runs, as static
			       text: "the C library's own code does the work". NULL: the loop at
			       `start` is the code that runs. */
};

struct own_change;
struct function_loops;

/* Number of additional calls of a run. */
enum { RUN_SHORTER = 4 };

/* A kernel at one setting, laid out in memory and ready to be called. The engine owns the run, sets
 * it to zero, and fills the first group of fields. Only one thread may use a run at a time. */
struct kernel_run {
	const struct kernel *kernel;
	int64_t v[KNOBS_MAX]; /* the value of each knob, in the order of kernel->knobs */
	uint64_t seed;
	unsigned char *memory; /* A working set of at least footprint() bytes, aligned to 2 MiB. The
				  engine has already touched all pages of the working set. */
	/* Memory that a request's cores share: KERNEL_SHARED_EACH bytes for each core; NULL: one
	 * core runs. The engine owns the memory (aligned to 4 KiB), and sets it after prepare(). */
	unsigned char *shared;
	unsigned member; /* number of this core among the cores of the request; 0: the measured one
			  */
	struct kernel_layout layout;
	struct kernel_work work;
	struct kernel_code code;
	const struct own_change *own_change; /* a change of an own loop's data
						(engine/own/own_data.h); NULL: none */
	struct kernel_walk walk; /* the loop's memory accesses and branches; filled by describe(),
				    or by prepare() if describe is NULL */

	/* prepare() fills the following fields. */
	uint64_t ring;	  /* number of elements in one pass over the working set: > 0, a multiple of
			     the field granule */
	uint64_t granule; /* Number of elements in one iteration of the loop. Each call processes a
			     multiple of `granule`. */
	uint64_t iteration; /* number of elements in one iteration of the loop, if it is smaller
			       than `granule`; 0: equal to `granule` */
	uint64_t period; /* Number of elements after which the pattern of memory accesses repeats. A
			    trial times two calls of different length; both lengths are multiples of
			    `period`. 0: any length is allowed. */
	/* Numbers of elements of additional calls, whose times show whether the time is
	 * proportional to the elements: about 1/4, 5/8, 6/8 and 7/8 of the ring; 0: no additional
	 * call. */
	uint64_t shorter[RUN_SHORTER];
	bool passes;	/* A trial times two calls of different length. If `passes` is true and the
			   data fit the first-level cache, both calls make whole passes over the data,
			   because parts of a pass differ in cost. */
	bool complete;	/* A trial compares one call for all data (whole=1) with an empty call. The
			   call returns early once *work.cancel is set. */
	uint64_t bytes; /* number of bytes that the code reads and writes per element */
	bool sets_up;	/* true: each call also does work that is not measured, and adds the ticks
			   of this work to the field `excluded` */
	uint64_t excluded;
	bool draws; /* true: the loop's data are random, so each call can get new random data */
	bool fresh; /* true: each call gets new random data, which it draws before its time counts.
		       The engine may change the field `fresh` between two calls */

	/* The fields that say where the next call continues in the data. */
	uint64_t position; /* number of elements from the start of the data to the next element to
			      process, 0…ring-1 */
	uint64_t result;
	const void *cursor;
	const void *loop;
	const void *chain[KERNEL_CHAINS]; /* the present node of each chain of loads, if the kernel
					     follows several chains in parallel */
	uint64_t kept[KERNEL_KEPT]; /* Space for a private struct of the kernel. prepare() fills the
				       struct for later calls. */
};

/* The blocks of a blocked algorithm. The advice on the block size reads this struct. */
struct kernel_block {
	int knob;     /* index of the knob that sets the block size N */
	int blocks;   /* number of blocks of N x N elements in use at a time */
	int bytes;    /* number of bytes of an element of the blocks */
	int64_t most; /* the smallest block size N at which one block covers all data */
	double pages; /* number of pages per row of a block, summed over the matrices that have N
			 rows in a block */
	bool down;    /* The innermost loop moves down a column of a block. */
	bool meet; /* The innermost loop moves along rows that compete for few sets of a cache. */
	bool sums; /* The innermost loop sums a line of N elements. */
};

/* A kernel. A kernel must set the first group of fields, knobs, prepare, call, and either expected
 * or verify. The comment of each callback states the default if the callback is NULL. */
struct kernel {
	const char *name;     /* the name that users type: "list-length" */
	const char *title;    /* the title of the kernel, in a few words */
	const char *look_for; /* two or three sentences that say which knobs to change and which
				 effect to observe */
	const char *document; /* the cited source of the kernel: an article or a book */
	const char *element;  /* the words for an element in "cycles per element": "array element
				 read" */
	const char *limit; /* The limit that the cited source names for the initial setting, by its
			      name in model/limits/limits.h ("latency"). NULL: the cited source
			      names no limit. */
	const char *hint; /* a hint of a few words on the first keys to press in the explorer; NULL:
			     no hint */
	const char *answer; /* name of the explorer's panel that shows the kernel's effect, as in
			       the command view NAME; NULL: the panel of the binding limit */
	const struct knob *knobs;
	int knob_count;
	const struct knob_rule *
		rules; /* rules for pairs of knobs; check() and fit() need not handle these pairs */
	int rule_count;

	/* ---- Settings */

	/* Checks that the values of the knobs fit together. The caller has checked that each value
	 * alone is within its range. The error message names the knobs and the valid values. If
	 * `check` is NULL, every combination is allowed. */
	struct status (*check)(const int64_t *v);

	/* After the user changed the knob with index `changed`, makes the combination of knob
	 * values valid again. fit() changes as few other knobs as possible until check() passes
	 * again. If `fit` is NULL, no other knob is changed. */
	void (*fit)(int64_t *v, int changed);

	/* Returns the bytes of memory that the setting needs. If `footprint` is NULL, the bytes are
	 * the value of the knob on AXIS_SIZE. A kernel without a size knob needs one cache line. */
	uint64_t (*footprint)(const int64_t *v);

	/* Size in bytes of a working set whose lines come from the same caches and memory as the
	 * lines of this setting; or KERNEL_REACH_…, if memory serves data of any size. If `reach`
	 * is NULL, it is the footprint. */
	uint64_t (*reach)(const int64_t *v);

	/* Returns a number that identifies the layout of the data in memory. Settings with equal
	 * layout numbers can share data (layout.prepared). If `layout` is NULL, all settings share
	 * data (with layout_nests), or all settings with equal footprint. */
	uint64_t (*layout)(const int64_t *v);

	/* Returns whether several cores write to one cache line at this setting. If `shares_line`
	 * is NULL, no setting does. */
	bool (*shares_line)(const int64_t *v);

	/* Returns a remark on this setting as static text, or NULL for no remark. If `remark` is
	 * NULL, no setting has a remark. */
	const char *(*remark)(const int64_t *v);

	/* Fills *block with the blocks into which the algorithm divides its data at this setting.
	 * Returns false if the setting uses no blocks. If `block` is NULL, no setting uses blocks.
	 */
	bool (*block)(const int64_t *v, struct kernel_block *block);

	/* Describes how the loop goes through its data at this setting (struct kernel_walk),
	 * without laid-out data. The caller passes a zeroed *walk. If `describe` is NULL, prepare()
	 * fills run->walk. */
	void (*describe)(const int64_t *v, struct kernel_walk *walk);

	/* ---- The run */

	/* Lays out the data, generates code if the kernel has generated code, and fills the struct
	 * kernel_run. Returns STATUS_CANCELLED once *work.cancel is set. After prepare(),
	 * kernel_prepare() rewinds the run. */
	struct status (*prepare)(struct kernel_run *run);

	/* Returns the maximum number of bytes of code that prepare() generates
	 * (kernels/assemble.h). If `code_bytes` is NULL, prepare() generates no code. */
	size_t (*code_bytes)(const int64_t *v);

	/* Processes `elements` elements, a positive multiple of granule. If run->complete is set, a
	 * call of 0 elements makes an empty call. Each call starts at the element where the last
	 * call stopped, and continues at the start of the data after their end. The engine times
	 * call(). */
	void (*call)(struct kernel_run *run, uint64_t elements);

	/* Makes the next call begin at the start of the data. If `rewind` is NULL, kernel_rewind()
	 * calls begin_at(run, 0), or sets the position to 0 if begin_at is NULL. */
	void (*rewind)(struct kernel_run *run);

	/* Makes the next call begin at a share (0…1) of the data: of their elements, or of the
	 * memory if the order is random. Short calls can thereby reach different parts of large
	 * data. If `begin_at` is NULL, measurements begin at the start of the data. */
	void (*begin_at)(struct kernel_run *run, double share);

	/* Computes in plain C the result that a call of `elements` elements from the start of the
	 * data must have. The default verify() compares the result of the call with expected(). */
	uint64_t (*expected)(const struct kernel_run *run, uint64_t elements);

	/* Checks that the code computes correctly. The engine calls verify() before each
	 * measurement and does not time verify(). verify() must be quick: it checks a few thousand
	 * elements. When verify() is called, the next call of the kernel begins at the start of the
	 * data. verify() may leave any other position, because kernel_verify() rewinds afterwards.
	 * If `verify` is NULL, kernel_verify() compares the result of a call with expected(). */
	struct status (*verify)(struct kernel_run *run);

	/* Checks the result of the last trial of a run whose trials process all data (whole=1). The
	 * engine does not time proof(). If `proof` is NULL, the result is not checked. */
	struct status (*proof)(struct kernel_run *run);

	/* ---- How the model reads the code */

	/* For single-stepping, reduces the knob values v to the smallest amount of work that
	 * executes the same code. If `shrink` is NULL, only the knob on AXIS_SIZE is reduced. */
	void (*shrink)(int64_t *v);

	/* Returns the number of elements that the model single-steps (> 2), for kernels with many
	 * instructions per element. If `few` is NULL, the model single-steps a few hundred
	 * elements. */
	unsigned (*few)(const int64_t *v);

	/* The model single-steps a multiple of `batch` elements, because fewer elements would run
	 * other code. `batch` is a power of two. 0: the model uses the granule. */
	unsigned batch;

	/* Path of the source file that has the function code.name. NULL: the path is
	 * kernels/NAME.c. */
	const char *file;

	/* True if the executed path through the loop depends on data or calls functions. The model
	 * then single-steps some elements of a small setting instead of reading the innermost
	 * loop. */
	bool stepped;

	/* True if the executed path depends on the amount of data, as in a tree search. The model
	 * then uses the full size, and lays out only the data of a few elements (layout.sample). */
	bool deep;

	/* ---- How the engine measures */

	bool layout_nests; /* true: the data of a larger setting begin with the data of a smaller
			      setting, so settings of different sizes share memory. */
	bool movable;	   /* true: the working set may begin at any multiple of 2 MiB within the
			      laid-out data of a larger setting. The engine measures several positions of
			      the working set in memory, because the physical pages of one position can
			      distort the result. For each position in memory, the engine changes
			      run->memory and sets layout.base. */
	bool seamless; /* true: going from the end of the data back to their start costs nothing, so
			  a call may process any number of elements. */
	bool halved;   /* true: if the data fit the first-level cache, the two calls of a trial
			  process half of the data and all data, however few they are. A call of the
			  user's own loop can end only at these two positions in the data, and after
			  run->shorter[] elements. */
	bool cold;     /* Cache misses are intended, so the engine does not warm the caches. */
	bool isolated; /* The kernel is the user's own code: only a child process calls it. */
	/* The source of an own loop (engine/own/own.h). Only a child process loads, prepares and
	 * steps own loops. NULL: the kernel is no own loop. */
	const struct own *own;
	/* The function of a program whose loops the kernel is (model/program/function_loops.h).
	 * Such a kernel is never prepared, called or measured. NULL: no function of a program. */
	const struct function_loops *function;
	bool plot_cpe; /* Plots show cycles per element on a logarithmic axis. Kernels that measure
			  latencies set the field plot_cpe. */
};

/* All kernels, in the order of KERNELS in Makefile.am; the last entry is NULL. The build generates
 * this table. */
extern const struct kernel *const kernel_registry[];

/* Returns the kernel with the name `name`, or NULL. */
const struct kernel *kernel_find(const char *name);

/* kernel_knob() returns the index of the knob with the name `name`. kernel_axis() returns the index
 * of the first knob on the axis `axis`. Both functions return -1 if no knob matches. */
int kernel_knob(const struct kernel *kernel, const char *name);
int kernel_axis(const struct kernel *kernel, enum knob_axis axis);

/* kernel_asking() returns the index of the first knob that requests the resource `asks`, such as
 * huge pages, or -1. kernel_asked() returns the value of the first knob that requests the resource,
 * or 0 if no knob requests it. */
int kernel_asking(const struct kernel *kernel, enum knob_asks asks);
int64_t kernel_asked(const struct kernel *kernel, const int64_t *v, enum knob_asks asks);

/* The minimum working set of a streaming core: 64 MiB, which is more than the last-level cache of
 * most cores. */
#define STREAM_BYTES ((uint64_t)64 << 20)

/* The resources that one setting needs. */
struct kernel_need {
	int cores;	/* number of cores that run the kernel at once, from 1 */
	int streams;	/* number of other cores that stream through memory */
	int processors; /* total number of cores: cores + streams */
	uint64_t
		memory; /* total bytes of all working sets; UINT64_MAX: the sum overflows 64 bits */
};

struct kernel_need kernel_need(const struct kernel *kernel, const int64_t *v);

/* Returns the words for several elements of a kernel: "values fetched" for "value fetched". */
struct words kernel_elements(const struct kernel *kernel);

/* Each function kernel_NAME() calls the kernel's callback NAME(), or does what is documented for a
 * NULL callback. kernel_check() also refuses a value that is not a multiple of its knob's unit. */
struct status kernel_check(const struct kernel *kernel, const int64_t *v);
/* Refuses a value that is not a multiple of its knob's unit, with the nearest two that are. */
struct status kernel_off_multiple(const struct knob *knob, int64_t value);
void kernel_fit(const struct kernel *kernel, int64_t *v, int changed);
uint64_t kernel_footprint(const struct kernel *kernel, const int64_t *v);
#define KERNEL_REACH_FLUSHED UINT64_MAX	      /* the data are flushed from all caches */
#define KERNEL_REACH_PAST    (UINT64_MAX - 1) /* stores bypass the caches */
uint64_t kernel_reach(const struct kernel *kernel, const int64_t *v);
uint64_t kernel_layout(const struct kernel *kernel, const int64_t *v);
void kernel_rewind(struct kernel_run *run);
struct status kernel_verify(struct kernel_run *run);

/* Compares the result of a call with the result of the callback expected(). The engine checks the
 * results of kernels without the callback verify() with kernel_compare(). */
struct status kernel_compare(struct kernel_run *run);

/* Fills *walk for any amount of data, without laid-out data. kernel_describe() returns false if the
 * memory accesses are known only after prepare(). */
bool kernel_describe(const struct kernel *kernel, const int64_t *v, struct kernel_walk *walk);

/* Prepares the run: calls describe(), prepare() and kernel_rewind(). Kernels that generate code
 * need a code buffer (engine/memory/code_buffer.h). */
struct status kernel_prepare(struct kernel_run *run);

/* The callbacks call() and expected() of kernels with a loop that only counts down its iterations
 * and returns 0. */
typedef uint64_t kernel_countdown(uint64_t turns);
void countdown_call(struct kernel_run *run, uint64_t elements);
uint64_t countdown_expected(const struct kernel_run *run, uint64_t elements);

/* Long work calls kernel_goes_on() every few thousand items, to report that `done` of `of` items
 * are finished. If kernel_goes_on() returns false, the caller must stop with STATUS_CANCELLED. */
static inline bool kernel_goes_on(struct kernel_run *run, uint64_t done, uint64_t of)
{
	if (run->work.progress)
		atomic_store_explicit(run->work.progress, (unsigned)(done * 1000 / (of ? of : 1)),
			memory_order_relaxed);
	return !atomic_load_explicit(run->work.cancel, memory_order_relaxed);
}

/* Returns the share of mispredictions of a branch that is taken at random with the probability
 * `taken`: that of a two-bit saturating counter, the textbook predictor. Measured on Zen 5 with the
 * kernel mispredict and 10 %, 20 %, 25 %, 30 %, 40 % and 50 %: 0.113, 0.244, 0.303, 0.364, 0.458
 * and 0.50; computed 0.110, 0.235, 0.30, 0.362, 0.462 and 0.50. Source: Hennessy & Patterson,
 * Computer Architecture, section "Reducing Branch Costs with Advanced Branch Prediction". */
static inline double kernel_mispredicted(double taken)
{
	double other = 1 - taken, rare = taken < other ? taken : other;

	return rare + (1 - 2 * rare) * rare * rare / (rare * rare + (1 - rare) * (1 - rare));
}

/* Attributes of functions with a hot loop. The compiler never inlines the function, so the model
 * can find and read its code. Sanitizers do not instrument the function, so a sanitised build times
 * the same loop. */
#if defined(__clang__)
#define KERNEL_UNWATCHED no_sanitize("address", "undefined", "thread", "memory")
#else
#define KERNEL_UNWATCHED no_sanitize("address", "undefined", "thread")
#endif
#define KERNEL_LOOP __attribute__((noinline, KERNEL_UNWATCHED))

/* Attributes of a loop function that is written once, with compile-time constants as parameters
 * (`const int unroll`). KERNEL_LOOP functions call the KERNEL_BODY function and supply the
 * constants. code.name names the KERNEL_BODY function, because users read its source. */
#define KERNEL_BODY static inline __attribute__((always_inline, KERNEL_UNWATCHED))

/* Unrolls the following loop completely. The unrolled loop must have a constant number of
 * iterations, at most 16. */
#if defined(__clang__)
#define KERNEL_UNROLL _Pragma("clang loop unroll(full)")
#else
#define KERNEL_UNROLL _Pragma("GCC unroll 16")
#endif

/* Defines a KERNEL_LOOP function with one parameter, `walk`, that calls a KERNEL_BODY function with
 * constants. */
#define KERNEL_CALLS(name, walk_type, ...)            \
	KERNEL_LOOP static void name(walk_type *walk) \
	{                                             \
		__VA_ARGS__;                          \
	}

/* KERNEL_UNROLLED() defines NAME_1 … NAME_8, which call body(walk, 1) … body(walk, 8).
 * KERNEL_UNROLLED_NAMES() lists the names NAME_1 … NAME_8, for a table. */
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

/* Expands the macro `each` eight times: each(1) … each(8). */
#define KERNEL_EIGHT(each) each(1) each(2) each(3) each(4) each(5) each(6) each(7) each(8)

/* Pins a value to a register at this point of the code. The compiler then neither merges chains nor
 * moves operations across this point, so the loop keeps its written form. */
#define KERNEL_KEEP(x) __asm__("" : "+r"(x))
#if defined(__x86_64__)
#define KERNEL_KEEP_FLOAT(x) __asm__("" : "+x"(x))
#elif defined(__aarch64__)
#define KERNEL_KEEP_FLOAT(x) __asm__("" : "+w"(x))
#endif
