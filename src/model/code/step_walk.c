#include "model/code/walk_inside.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"

/* Number of executions of an instruction between two marks of the trace that are told apart, such
 * as the levels of a search. */
enum { POSITIONS = 40 };

/* Largest part of an array that stays in the first-level cache between two uses, bytes. */
#define STAYS 16384.0

/* If the loop goes over its array more often than PASSES times during one call, parts of the array
 * are used again. */
#define PASSES 1.5

/* A chain of dependent loads touches each cache line once in a call if the number of loads differs
 * from the number of cache lines by at most this share. */
#define ONCE 0.1

/* ---- The accesses of a trace */

static bool stream_stores(const struct finder *finder, const struct stream *stream)
{
	return insn_stores(&finder->question->trace.insn[stream->insn], stream->operand);
}

static int array_of(const struct walk_question *question, uint64_t address)
{
	for (int i = 0; i < question->arrays; i++)
		if (address - question->array[i].at < question->array[i].bytes)
			return i;
	return -1;
}

/* Returns the stream (list of accesses) of one memory operand in one array; a new stream at the
 * first access. */
static int stream_of(struct finder *finder, int insn, int operand, int array)
{
	int i = 0;

	while (i < finder->stream_count &&
		(finder->stream[i].insn != insn || finder->stream[i].operand != operand ||
			finder->stream[i].array != array))
		i++;
	if (i < finder->stream_count)
		return i;
	finder->stream =
		memory_grow(finder->stream, (size_t)finder->stream_count, sizeof(*finder->stream));
	finder->stream[finder->stream_count] =
		(struct stream){ .insn = insn, .operand = operand, .array = array };
	return finder->stream_count++;
}

static void add_access(struct finder *finder, int step, int operand, int position)
{
	const struct loop_step *seen = &finder->question->trace.seen[step];
	uint64_t address = seen->address[operand];
	int array = array_of(finder->question, address), stream;

	if (array < 0)
		return;
	stream = stream_of(finder, seen->insn, operand, array);
	if (finder->stream[stream].count++ == 0)
		finder->stream[stream].first = address;
	finder->access =
		memory_grow(finder->access, (size_t)finder->access_count, sizeof(*finder->access));
	finder->access[finder->access_count++] =
		(struct access){ stream, position, step, operand, address, false, false };
}

/* Finds the executions of the marked instruction, and all accesses to arrays between them. */
static bool collect(struct finder *finder)
{
	const struct walk_question *question = finder->question;
	const struct step_trace *trace = &question->trace;
	int rounds = -1, *times = memory_new((size_t)trace->insn_count + 1, sizeof(*times));

	for (int i = 0; i < trace->seen_count; i++)
		if (trace->seen[i].insn == question->mark) {
			if (rounds++ < 0)
				finder->from = i;
			finder->to = i;
		}
	finder->elements = rounds * question->each;
	for (int i = finder->from; rounds > 0 && i < finder->to; i++) {
		const struct insn *insn = insn_of(finder, i);
		int index = trace->seen[i].insn;

		if (index == question->mark)
			memset(times, 0, (size_t)trace->insn_count * sizeof(*times));
		for (int k = 0; k < insn->memory_count; k++) {
			if (!insn_loads(insn, k) && !insn_stores(insn, k))
				continue;
			/* Such stores bring no lines, so that another limit has them. */
			if (insn_stores_past(insn, k)) {
				finder->past = true;
				continue;
			}
			if (insn->memory[k].vector_index)
				finder->gathered += insn->memory[k].accesses;
			add_access(finder, i, k, times[index]);
		}
		times[index] += times[index] < POSITIONS - 1;
	}
	free(times);
	return finder->access_count > 0 || finder->gathered > 0 || finder->past;
}

/* ---- The description */

/* Returns the bytes of an array between the lowest and the highest address that one instruction
 * accesses in one call. */
static double span_of(const struct finder *finder, const struct stream *stream)
{
	double whole = finder->question->array[stream->array].whole;

	return stream->places > 0
		       ? whole
		       : fmin(whole, stream_rate(finder, stream) * finder->question->elements *
					     fabs(stream->step));
}

/* Returns how often one instruction goes over its part of the array during one call of the loop. */
static double passes_of(const struct finder *finder, const struct stream *stream)
{
	return stream_rate(finder, stream) * finder->question->elements * fabs(stream->step) /
	       span_of(finder, stream);
}

/* Counts the lines of columns to which the loop stores, after it has loaded them or without. */
static void describe_stores(struct finder *finder, const struct stream *column)
{
	double stored = 0;
	bool loaded = false;

	for (int i = 0; i < finder->stream_count; i++) {
		const struct stream *stream = &finder->stream[i];
		const struct insn *insn = &finder->question->trace.insn[stream->insn];

		if (stream->order != ORDERED || stream->array != column->array ||
			fabs(fabs(stream->step) - fabs(column->step)) >= 0.5)
			continue;
		loaded |= insn_loads(insn, stream->operand);
		stored += stream_writes(finder, stream) ? stream_lines(finder, stream) : 0;
	}
	*(loaded ? &finder->walk->changed : &finder->walk->overwritten) =
		fmin(stored, finder->walk->lines);
}

/* Describes a loop that goes down the columns of a matrix: each access of a column lies on another
 * line, and the next columns use the same lines again. */
static void describe_columns(struct finder *finder, const struct stream *stream)
{
	struct kernel_walk *walk = finder->walk;
	double passes = passes_of(finder, stream);

	walk->range = span_of(finder, stream) / fabs(stream->step) * LINE;
	walk->far_range = fmin(walk->range * passes, finder->question->array[stream->array].whole);
	walk->far_lines = walk->lines * walk->far_range / (walk->range * passes);
	walk->spacing = fabs(stream->step);
	walk->apart = walk->spacing >= PAGE;
	walk->step = 0;
	describe_stores(finder, stream);
}

/* Whether the cache lines that an instruction accesses are new to the first-level cache. */
static bool brings_lines(const struct stream *stream)
{
	return stream->order == ORDERED && !(stream->repeats && stream->distance < STAYS);
}

/* Returns the bytes from one line that the instructions bring to the next. An unrolled loop may
 * have several instructions that access lines of the same array in turn. */
static double step_between(const struct finder *finder, const struct stream *main)
{
	int count = 0;

	for (int i = 0; i < finder->stream_count; i++)
		count += brings_lines(&finder->stream[i]) && finder->stream[i].array == main->array;
	return fabs(main->step) > LINE ? fmax(fabs(main->step) / count, LINE) : fabs(main->step);
}

/* Describes a loop whose accesses are all in order. Returns false if parts of the data are used
 * again during one call. */
static bool describe_ordered(struct finder *finder)
{
	struct kernel_walk *walk = finder->walk;
	const struct stream *main = NULL;
	bool once = true, alike = true;

	for (int i = 0; i < finder->stream_count; i++) {
		const struct stream *stream = &finder->stream[i];

		if (!brings_lines(stream))
			continue;
		once &= !stream->repeats && passes_of(finder, stream) < PASSES;
		alike &= !main || fabs(fabs(stream->step) - fabs(main->step)) < 0.5;
		if (!main || stream_lines(finder, stream) > stream_lines(finder, main))
			main = stream;
	}
	if (main && alike && !main->repeats)
		walk->step = step_between(finder, main);
	if (!main || once)
		return true;
	if (fabs(main->step) <= LINE || main->repeats ||
		stream_lines(finder, main) < 0.8 * walk->lines)
		return false;
	describe_columns(finder, main);
	return true;
}

/* Adds the cache lines that instructions access in order to the list of the parts of the data. */
static void add_ordered(struct finder *finder)
{
	for (int i = 0; i < finder->stream_count; i++) {
		const struct stream *stream = &finder->stream[i];
		double bytes = stream->repeats ? stream->distance
					       : span_of(finder, stream) *
							 fmin(LINE / fabs(stream->step), 1);

		if (brings_lines(stream))
			populations_add(finder, stream_lines(finder, stream), bytes, REACH_ORDERED,
				stream_writes(finder, stream));
	}
}

/* Describes the dependence chains of loads in random order. */
static void describe_chains(struct finder *finder)
{
	struct kernel_walk *walk = finder->walk;
	double lines = 0, each = finder->question->each;

	for (int i = 0; i < finder->population_count; i++)
		if (finder->population[i].way == REACH_CHAINED)
			lines += finder->population[i].lines;
	if (!(lines > 0))
		return;
	walk->waits = "a load's address comes from the load before it";
	if (finder->growth > 0.05 * lines) {
		walk->chains = fmax(round(lines / finder->growth), 1);
	} else {
		walk->chains = fmax(round(lines * each / fmax(finder->depth, 1)), 1);
		walk->restart = fmax(each, 1);
	}
}

/* Describes a loop with random accesses, which touch `lines` cache lines per element. `grid` is the
 * smallest distance between two lines, bytes. */
static void describe_scattered(struct finder *finder, double lines, double grid)
{
	struct kernel_walk *walk = finder->walk;
	double ordered = walk->lines;
	const struct population *only = finder->population;

	walk->scattered = true;
	describe_chains(finder);
	if (finder->wrong > 0.01)
		walk->mispredicts = finder->wrong;
	if (finder->population_count == 1 && ordered < 0.05 * lines && only->way != REACH_GUESSED &&
		walk->restart <= 0) {
		walk->lines = only->lines;
		walk->range = only->bytes;
		walk->spacing = grid;
		/* A chain of loads that touches as many cache lines as the data have touches each
		 * line once. */
		walk->visits = finder->growth > 0.05 * lines &&
			       fabs(only->lines * finder->question->elements * LINE / only->bytes -
				       1) < ONCE;
		return;
	}
	add_ordered(finder);
	populations_describe(finder);
}

bool walk_find(const struct walk_question *question, struct kernel_walk *walk)
{
	struct finder finder = { .question = question, .walk = walk };
	double scattered = 0, grid = 0;
	bool found;

	*walk = (struct kernel_walk){ .mispredicts = -1 };
	found = collect(&finder);
	if (found && finder.access_count == 0 && finder.gathered <= 0)
		return true; /* all stores go past the caches */
	if (found) {
		streams_judge(&finder);
		chains_find(&finder);
	}
	for (int i = 0; i < finder.stream_count && found; i++) {
		const struct stream *stream = &finder.stream[i];

		walk->places = fmax(walk->places, stream->places);
		if (stream->places > 0 && stream_stores(&finder, stream))
			walk->stored += stream_lines(&finder, stream);
		if (stream->order == SCATTERED)
			populations_add_scattered(&finder, i, &grid);
		else if (brings_lines(stream))
			walk->lines += stream_lines(&finder, stream);
	}
	for (int i = 0; i < finder.access_count; i++)
		question->misses[finder.access[i].step] |=
			finder.access[i].late && finder.stream[finder.access[i].stream].far;
	if (finder.gathered > 0)
		populations_add_gathered(&finder);
	for (int i = 0; i < finder.population_count; i++)
		scattered += finder.population[i].lines;
	if (found && scattered >= NEGLIGIBLE * (walk->lines + scattered)) {
		describe_scattered(&finder, scattered, grid);
	} else if (found && !describe_ordered(&finder)) {
		finder.population_count = 0;
		add_ordered(&finder);
		populations_describe(&finder);
	}
	free(finder.stream);
	free(finder.access);
	return found;
}

int walk_mark(
	const int *shorter, const int *longer, int insns, const uint64_t from[2], double *each)
{
	double best = 0;
	int mark = -1;

	for (int i = 0; i < insns; i++) {
		double rate = (longer[i] - shorter[i]) / (double)(from[1] - from[0]),
		       off = fabs(longer[i] - rate * (double)from[1]);
		bool better = rate < 1.001 ? best > 1.001 || rate > best : best > rate || mark < 0;

		if (rate > 0 && off <= fmax(2, 0.02 * longer[i]) && better) {
			best = rate;
			mark = i;
		}
	}
	*each = mark < 0 ? 0 : 1 / best;
	return mark;
}
