/* What a kernel is: a small piece of code under measurement, its knobs, and the data it walks.
 *
 * To add one: write kernels/NAME.c that ends in one `const struct kernel kernel_NAME` (dashes of
 * the name become underscores), and add NAME to KERNELS in Makefile.am. Nothing else changes: the
 * command line, the explorer, CSV columns, range checks and help all walk the tables given here.
 *
 * A kernel sees memory through its run alone, makes no system call, starts no thread and prints
 * nothing. Its call() is what is timed: it must not allocate, lock or log. */
#ifndef SLX_KERNELS_KERNEL_H
#define SLX_KERNELS_KERNEL_H

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

/* What turning a knob changes. Advice on how to go faster looks at KNOB_FORM first: the same work,
 * written otherwise. */
enum knob_role {
	KNOB_WORK, /* what is computed, on how much data */
	KNOB_FORM, /* how the same work is written: unroll, acc, width, addressing */
};

/* What a knob asks of the engine, rather than of the kernel's own code. kernels/place.h has the
 * rows. */
enum knob_asks {
	ASKS_NOTHING,
	ASKS_PAGES, /* the pages behind the working set: enum page_kind */
	ASKS_NODE,  /* the memory node that it is on: 0 the measured core's own, else node value - 1
		     */
	ASKS_CORES, /* how many cores do the same at once, the measured one among them, each on a
		       working set of its own */
	ASKS_STREAMS, /* how many other cores stream through memory meanwhile */
};

enum page_kind { PAGES_AUTO, PAGES_4K, PAGES_HUGE, PAGE_KINDS };

/* A knob whose upper end is set by the machine: half of its free memory. */
#define KNOB_MAX_MEMORY INT64_MAX

/* Likewise: the cores that this process may use (ASKS_CORES), or one less (ASKS_STREAMS). */
#define KNOB_MAX_CORES (INT64_MAX - 1)

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

/* How loads come by their addresses. */
enum reach_way {
	REACH_CHAINED, /* a load has its address from the one before it */
	REACH_GUESSED, /* or by a branch that is predicted: it waits where the guess was wrong */
	REACH_FREE, /* addresses wait for no load, but no prefetcher knows them: as many are under
		       way as the core has room for */
	REACH_ORDERED, /* they are walked in order, and prefetchers bring them in time */
};

/* Where lines of a walk come from that meets small and large parts of its data by turns: a search
 * goes down a tree, whose upper levels are small. */
struct kernel_reach {
	double lines; /* touched per element there */
	double range; /* bytes that they are scattered over, with all that is met as often or more
			 often */
	enum reach_way way;
	double least; /* bytes of those lines alone, where the same come again in each pass: a cache
			 may keep them before others that are met as often, as those that a
			 prefetcher brought; 0: range */
};

/* A kernel at one setting, laid out in memory and ready to be called. The engine owns it, zeroes
 * it, and fills the first group; prepare() fills the rest. One thread at a time uses it. */
struct kernel_run {
	const struct kernel *kernel;
	int64_t v[KNOBS_MAX];  /* the value of each knob, in the kernel's order */
	unsigned char *memory; /* footprint() bytes or more, aligned to 2 MiB, already touched */
	uint64_t base; /* bytes of the same layout that lie before `memory`, after prepare(): 0
			  unless kernel->movable */
	/* How many bytes an earlier prepare() with the same layout() and seed laid out here; 0 when
	 * the memory holds nothing of use. May be more or less than this setting needs. */
	uint64_t prepared;
	uint64_t seed;
	const atomic_bool *cancel; /* long preparations look at it now and then; never NULL */
	uint64_t sample; /* so many elements from the start will be walked, and no more: prepare()
			    may leave out what they do not meet; 0: all is wanted. Only where the
			    kernel says `deep` */
	atomic_uint
		*progress;   /* long preparations, and calls of a complete run, leave there how far
				they are, in thousandths (kernel_goes_on()); NULL: nobody asks */
	unsigned char *room; /* kernel->room() bytes for code that prepare() makes: writable while
				it does, executable and no more writable afterwards; NULL where the
				kernel makes none */
	size_t room_bytes;

	/* Filled by prepare(). */
	uint64_t ring; /* elements in one pass over the working set (> 0, a multiple of granule) */
	uint64_t granule;   /* elements in one iteration of the loop: calls take multiples of it */
	uint64_t iteration; /* elements in one iteration where calls may end within one; 0: granule
			     */
	uint64_t period; /* elements after which what the walk asks of memory repeats itself: both
			    lengths of a trial are multiples of it, so that each stretch stands for
			    the rest; 0: any stretch does */
	bool passes;	/* where all fits the first cache, both lengths of a trial are whole passes,
			   each from the ring's beginning: part of a pass may take longer than its
			   share, by what lies how far from what */
	bool complete;	/* a trial is one call of the whole ring, beside an empty one; such a call
			   ends early once *cancel is set */
	uint64_t bytes; /* bytes the code itself reads and writes per element */
	uint64_t laid_out; /* bytes of memory now laid out: becomes `prepared` of the next one */
	const void
		*code; /* the function that holds the hot loop: its innermost loop is the kernel */
	const void *top; /* the first instruction of its loop, of code made at run time that calls,
			    or jumps by registers: its way is then followed (model/code/follow.h);
			    NULL: the innermost loop is read */
	const char *function; /* that function's name in the kernel's source file or in a header
				 that several share; static text; NULL: unknown */
	const char
		*unread; /* why code's loop is not what runs ("the C library's own code does the
			    work"), so that nothing can be said of it; static text; NULL: it is */

	/* What the machine code does not tell, per element; 0 where it does not happen. */
	double lines; /* cache lines that the walk touches anew in a pass: what must come from
			 beyond a cache that the working set does not fit. Scattered: each access
			 counts that begins another line, as its neighbours come at other times */
	double step;  /* bytes from one access to the next, where all are as far apart: over a line,
			 and lines between are left out;  0: none is left out */
	const char *access; /* what a line is touched by, in a word: "read"; static text; NULL: an
			       element */
	bool scattered;	    /* they come in an order that no prefetcher follows */
	double range;  /* bytes of the working set that the scattered ones range over; 0: all of it
			*/
	double chains; /* chains of loads that take turns at them, and take as many each; 0: one
			  chain may take all */
	double far_lines; /* of a walk that goes round a small part of its data again and again, and
			     each time a little further on: lines that the rest brings, no more than
			     `lines`, which are of the small part; 0: there is no such two */
	double far_range; /* bytes that the rest ranges over */
	bool apart;	  /* one access lies pages away from the next */
	int reaches; /* of the loads of an element, in the order of the chain: in place of lines,
			range and scattered, where these differ along the chain; 0: they do not. All
			chains share them evenly */
	struct kernel_reach reach[KERNEL_REACHES];
	const char *waits;  /* what the address of the next load that can miss waits for, a clause:
			       "the next node's address is in this node";  static text; NULL: nothing
			       is to be said */
	double splits;	    /* loads and stores that cross a cache line */
	double mispredicts; /* branches that no predictor can do better on than this */
	double restart; /* elements after which chains from one iteration to the next begin anew:
			   what follows then overlaps with what came before, as far as the core's
			   window reaches; 0: they never do */

	/* The kernel's own: where the walk stands, and what it computed. */
	uint64_t position; /* elements into the ring, 0…ring-1 */
	uint64_t result;
	const void *cursor;
	const void *loop;
	const void *chain[KERNEL_CHAINS]; /* where each of several walks at once stands */
	uint64_t kept[KERNEL_KEPT]; /* what prepare() worked out and calls need: of a type that the
				       kernel has, copied in and out */
};

/* The blocks of blocked code, for advice on their size. */
struct kernel_block {
	int knob;     /* whose value is N */
	int blocks;   /* N x N blocks in use at a time */
	int bytes;    /* of an element */
	int64_t most; /* of that N on, one block is all there is */
	double pages; /* that a row of each block takes together, of the matrices whose blocks have
			 N rows */
	bool down;    /* the innermost loop goes down rows */
	bool meet;    /* it goes along rows that meet in few sets of a cache */
	bool sums;    /* it adds up along a line of N elements */
};

struct kernel {
	const char *name;     /* as typed: "list-length" */
	const char *title;    /* a few words */
	const char *look_for; /* two or three sentences: what to turn, what to see */
	const char *document; /* where it comes from, as cited */
	const char *element;  /* what CPE counts: "array element read" */
	const struct knob *knobs;
	int knob_count;

	/* Whether the values, each within its own range, go together; the text names the knobs and
	 * what would be right. NULL: every combination is allowed. */
	struct status (*check)(const int64_t *v);

	/* After the user moved knob `changed` (an index), move others so that check() passes again,
	 * as little as possible. NULL where check is. */
	void (*fit)(int64_t *v, int changed);

	/* Bytes of memory that the setting needs: its working set. */
	uint64_t (*footprint)(const int64_t *v);

	/* Settings with equal layout() find each other's data usable (see run->prepared). */
	uint64_t (*layout)(const int64_t *v);

	/* Set when a longer layout holds a shorter one as its beginning, so that settings of any
	 * size can share memory; otherwise a shorter one has to be laid out again. */
	bool layout_nests;

	/* Set when a working set may begin anywhere in a longer layout, at a multiple of 2 MiB:
	 * measured at several places it says less of the physical pages that one of them happens to
	 * have. The engine moves `memory` after prepare(), and says by how much in `base`. */
	bool movable;

	/* Set when passing the end of the ring costs nothing, as in a linked ring, so that a call
	 * may be of any length; otherwise calls are chosen such that both of a trial's sides pass
	 * it alike. */
	bool seamless;

	/* Set when a call may end at half the ring, and nowhere else before its end: trials on what
	 * fits the first cache then compare half a pass with a whole one, however short it is. */
	bool halved;

	/* Set when its walk is to miss: the working set is then not brought into the caches before
	 * trials begin. */
	bool cold;

	/* Bytes of code that prepare() makes for the setting (kernels/assemble.h), at most. NULL:
	 * it makes none, the code is compiled. */
	size_t (*room)(const int64_t *v);

	/* Lays out the data, makes code where the kernel does that, and fills the run. Returns
	 * STATUS_CANCELLED when run->cancel is set on the way. */
	struct status (*prepare)(struct kernel_run *run);

	/* Fills what the machine code does not tell (lines … restart) of run->v alone, without
	 * memory: of the size asked about, while the code is read from a small copy. prepare() then
	 * leaves that to it. NULL: prepare() fills them, whatever the size. */
	void (*figures)(struct kernel_run *run);

	/* Makes v the least work with the same code, for reading and stepping it, where there is
	 * more to it than the knob on the size's axis. NULL: there is not. */
	void (*shrink)(int64_t *v);

	/* Set when the way through the code goes by how much data there are, as a tree's depth
	 * does: it is then read at the size that is asked about, over few elements, for which alone
	 * data are laid out (run->sample). */
	bool deep;

	/* How many elements (> 2) are stepped over, where each takes many instructions. NULL: some
	 * hundred. */
	unsigned (*few)(const int64_t *v);

	/* Stepped over are multiples of so many elements (a power of two), where fewer would take
	 * other code than calls usually do; 0: the granule. */
	unsigned batch;

	/* Walks `elements` (a positive multiple of granule; 0 where the run is complete) from where
	 * the last call stopped, wrapping at the end of the ring. This is what is timed. */
	void (*call)(struct kernel_run *run, uint64_t elements);

	/* Back to the start of the ring. */
	void (*rewind)(struct kernel_run *run);

	/* Likewise, and then that share of the ring (0…1) on, or, where the order is random, of the
	 * memory: what is too long to be walked in one visit is met elsewhere in each. NULL: visits
	 * begin at the start. */
	void (*begin_at)(struct kernel_run *run, double share);

	/* Whether the code computes what it should: makes calls of its own and compares with a
	 * plain computation. Runs before each measurement, outside timing, so it must be quick:
	 * some thousand elements. NULL when there is nothing to compare. */
	struct status (*verify)(struct kernel_run *run);

	/* Whether what the trials of a complete run left is right: after the last of them, untimed.
	 * NULL: there is nothing to look at. */
	struct status (*proof)(struct kernel_run *run);

	/* The limit that its document says binds at the initial setting, by its name in
	 * model/limits/limits.h ("latency"). NULL: it names none. */
	const char *limit;

	/* Set when the way through the loop depends on the data, or leads through several
	 * functions: the path is then found by stepping through one small run instead of by reading
	 * the innermost loop of run->code. */
	bool stepped;

	/* Set when its code is not ours: it is loaded, called and stepped in a child process only,
	 * and so are prepare(), call() and rewind(). `own` (engine/own/own.h) is then what it was
	 * made from. */
	bool isolated;
	const struct own *own;

	/* The source file that holds the function, by its name in the tree; NULL: kernels/NAME.c.
	 */
	const char *file;

	/* Set when plots show cycles per element, on a logarithmic axis, instead of throughput: for
	 * latencies. */
	bool plot_cpe;

	/* The blocks of this very setting; false: it has none. NULL: no setting has. */
	bool (*block)(const int64_t *v, struct kernel_block *block);

	/* What to press first, from the initial setting, to see something: a few words. NULL: none.
	 */
	const char *hint;

	/* A remark on this very setting ("14 accumulators and 13 registers: two are kept on the
	 * stack"), or NULL. Points to static text. May be NULL. */
	const char *(*remark)(const int64_t *v);
};

/* Every kernel, in the order of the make list, ended by NULL. Generated from it. */
extern const struct kernel *const kernel_registry[];

/* The kernel of that name, or NULL. */
const struct kernel *kernel_find(const char *name);

/* The index of the knob of that name, or -1; of the first knob on that axis, or -1. */
int kernel_knob(const struct kernel *kernel, const char *name);
int kernel_axis(const struct kernel *kernel, enum knob_axis axis);

/* The first knob that asks that of the engine, or -1; and its value in v, or 0 where there is none.
 */
int kernel_asking(const struct kernel *kernel, enum knob_asks asks);
int64_t kernel_asked(const struct kernel *kernel, const int64_t *v, enum knob_asks asks);

/* For long preparations, and in calls of a complete run where they look at *cancel, every some
 * thousand items: leaves how many of how many are done for whoever watches; false: to be given up
 * (STATUS_CANCELLED). */
static inline bool kernel_goes_on(struct kernel_run *run, uint64_t done, uint64_t of)
{
	if (run->progress)
		atomic_store_explicit(run->progress, (unsigned)(done * 1000 / (of ? of : 1)),
			memory_order_relaxed);
	return !atomic_load_explicit(run->cancel, memory_order_relaxed);
}

/* For hot loops: never inlined, so that its code can be found and read, and never instrumented, so
 * that a sanitised build still times the same loop. */
#if defined(__clang__)
#define KERNEL_UNWATCHED no_sanitize("address", "undefined", "thread", "memory")
#else
#define KERNEL_UNWATCHED no_sanitize("address", "undefined", "thread")
#endif
#define KERNEL_LOOP __attribute__((noinline, KERNEL_UNWATCHED))

/* For a loop that is written once, with constants left open (`const int unroll`, as "i" operands of
 * its assembly): KERNEL_LOOP functions that do nothing but call it fill them in. run->function
 * names this one: it is what people read. */
#define KERNEL_BODY static inline __attribute__((always_inline, KERNEL_UNWATCHED))

/* each(1) … each(8): the functions of a loop unrolled so many times, or the names in their table.
 */
#define KERNEL_EIGHT(each) each(1) each(2) each(3) each(4) each(5) each(6) each(7) each(8)

/* Pins a value to a register at this point, so that the compiler neither merges chains nor moves
 * operations across: the loop keeps exactly the shape that is written. */
#define KERNEL_KEEP(x) __asm__("" : "+r"(x))
#if defined(__x86_64__)
#define KERNEL_KEEP_FLOAT(x) __asm__("" : "+x"(x))
#elif defined(__aarch64__)
#define KERNEL_KEEP_FLOAT(x) __asm__("" : "+w"(x))
#endif

#endif
