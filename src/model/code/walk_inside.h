/* The inside of step_walk: the accesses of a trace, in one stream for each memory operand, and
 * groups of cache lines. Private to step_walk.c and walk_*.c. */
#pragma once

#include "model/code/step_walk.h"

/* Bytes of a cache line and of a page, as kernels assume. */
enum { LINE = 64, PAGE = 4096 };

/* Number of cache lines touched last that count as still in the first-level cache. */
enum { RECENT = 48 };

/* The number of cache lines among which random accesses choose is estimated only from at least this
 * many accesses. */
enum { SAMPLES_LEAST = 12 };

/* A group of cache lines is left out if it is less than this share of all lines that an element
 * touches. */
#define NEGLIGIBLE 0.02

/* FIXED: one address. ORDERED: addresses with a constant or nearly constant step. SCATTERED: other
 * addresses. */
enum order { FIXED, ORDERED, SCATTERED };

/* All accesses by one memory operand of one instruction. */
struct stream {
	int insn, operand, array;
	int count;	/* accesses in the trace */
	uint64_t first; /* address of the first access */
	enum order order;
	double step;	 /* ORDERED: mean bytes from one access to the next, positive or negative */
	bool repeats;	 /* ORDERED: another instruction touched the same cache lines before */
	double distance; /* if `repeats` is true: the loop touches so many bytes until it uses the
			    lines again */
	double places;	 /* ORDERED: number of places in memory at which the accesses continue in
			    turn; 0: one */
	bool chained;	 /* SCATTERED: an address depends on a load in random order, or the loaded
			    value is an address of such a load */
	bool loaded;	 /* SCATTERED: some address depends on a loaded value */
	bool far;	 /* SCATTERED: the cache lines do not all stay in the first-level cache */
};

struct access {
	int stream, position;
	int step, operand; /* index of the executed instruction in the trace, and index of its
			      memory operand */
	uint64_t address;
	bool fresh; /* the cache line of a random access is not among the lines touched last */
	bool late;  /* a load in random order touches the cache line first, or while the line is on
		       the way to the first-level cache */
};

/* Cache lines of one array that are equally likely to be used next. */
struct population {
	double lines; /* accesses per element of the loop that touch another cache line */
	double bytes; /* size in bytes of all these cache lines with the user's n */
	enum reach_way way;
	bool written;
};

struct finder {
	const struct walk_question *question;
	struct kernel_walk *walk;
	int from, to;	 /* first and last execution of the marked instruction in the trace */
	double elements; /* number of elements between them */
	int stream_count, access_count, population_count;
	struct stream *stream;
	struct access *access;
	struct population population[2 * KERNEL_REACHES];
	double growth;	 /* random loads per loop element in an endless dependence chain */
	double depth;	 /* largest number of dependent random loads between two executions of the
			    marked instruction */
	bool past;	 /* at least one store goes past the caches */
	double gathered; /* number of elements that gather and scatter instructions access, whose
			    addresses are not known */
	double wrong;	 /* branches per element of the loop that wait for random loads and have no
			    fixed direction */
};

static inline const struct insn *insn_of(const struct finder *finder, int step)
{
	const struct step_trace *trace = &finder->question->trace;

	return &trace->insn[trace->seen[step].insn];
}

/* Finds the order of the accesses of each stream (memory operand), and the streams that repeat the
 * cache lines of an earlier stream (walk_streams.c). */
void streams_judge(struct finder *finder);

/* Returns the number of accesses of one instruction (a stream) per element of the loop. */
double stream_rate(const struct finder *finder, const struct stream *stream);

/* Returns the cache lines per element that a stream in order touches for the first time. */
double stream_lines(const struct finder *finder, const struct stream *stream);

/* Finds which loads in random order wait for each other, and which branches wait for them
 * (walk_chains.c). */
void chains_find(struct finder *finder);

/* Adds a group of cache lines, of `bytes` together; `lines` of them are touched per element.
 * `written`: the loop writes them (walk_populations.c). */
void populations_add(
	struct finder *finder, double lines, double bytes, enum reach_way way, bool written);

/* Whether the instruction of a stream writes memory. */
static inline bool stream_writes(const struct finder *finder, const struct stream *stream)
{
	return insn_stores(&finder->question->trace.insn[stream->insn], stream->operand);
}

/* Adds the cache lines of a random load, separately for each of its executions per element: deeper
 * levels of a search choose from more lines. Levels of a search with too few accesses in the trace
 * are assumed to grow like the levels before. Reduces *grid to the smallest distance in bytes
 * between two accessed cache lines; 0: no distance is known yet. */
void populations_add_scattered(struct finder *finder, int index, double *grid);

/* Adds the cache lines that gather and scatter instructions access to the groups of cache lines. */
void populations_add_gathered(struct finder *finder);

/* Writes groups of equally likely cache lines as parts of the data, the most used part first. The
 * size of a part includes all parts that are used at least as often. */
void populations_describe(struct finder *finder);
