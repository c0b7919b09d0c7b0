#include "model/code/step_walk.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/stats.h"
#include "base/text.h"

/* Bytes of a cache line and of a page, as kernels assume. */
enum { LINE = 64, PAGE = 4096 };

/* Number of cache lines touched last that count as still in the first-level cache. */
enum { RECENT = 48 };

/* Number of executions of an instruction between two marks of the trace that are told apart, such
 * as the levels of a search. */
enum { POSITIONS = 40 };

/* Number of latest stores whose dependence on loads is remembered, for later loads of the stored
 * values. */
enum { STORED = 256 };

/* The number of cache lines among which random accesses choose is estimated only from at least this
 * many accesses. */
enum { SAMPLES_LEAST = 12 };

/* The accesses of an instruction (a stream) are in order if this share of the distances between
 * consecutive addresses is alike. */
#define ALIKE 0.7

/* A group of cache lines is left out if it is less than this share of all lines that an element
 * touches. */
#define NEGLIGIBLE 0.02

/* Largest part of an array that stays in the first-level cache between two uses, bytes. */
#define STAYS 16384.0

/* If the loop goes over its array more often than PASSES times during one call, parts of the array
 * are used again. */
#define PASSES 1.5

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
};

struct access {
	int stream, position;
	uint64_t address;
	bool fresh; /* the cache line of a random access is not among the lines touched last */
};

/* Cache lines of one array that are equally likely to be used next. */
struct population {
	double lines; /* accesses per element of the loop that touch another cache line */
	double bytes; /* size in bytes of all these cache lines with the user's n */
	enum reach_way way;
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
	double gathered; /* number of elements that gather and scatter instructions access, whose
			    addresses are not known */
	double wrong;	 /* branches per element of the loop that wait for random loads and have no
			    fixed direction */
};

/* ---- The accesses of a trace */

static const struct insn *insn_of(const struct finder *finder, int step)
{
	const struct step_trace *trace = &finder->question->trace;

	return &trace->insn[trace->seen[step].insn];
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
		(struct access){ .stream = stream, .position = position, .address = address };
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
			if (insn->memory[k].vector_index)
				finder->gathered += insn->memory[k].accesses;
			add_access(finder, i, k, times[index]);
		}
		times[index] += times[index] < POSITIONS - 1;
	}
	free(times);
	return finder->access_count > 0 || finder->gathered > 0;
}

/* ---- The order of each stream */

static int compare(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

/* Returns how often the most frequent of `count` sorted values occurs, and sets *value to it. */
static int most_frequent(const double *sorted, int count, double *value)
{
	int most = 0;

	for (int i = 0, from = 0; i < count; i++) {
		if (sorted[i] > sorted[from])
			from = i;
		if (i - from + 1 > most) {
			most = i - from + 1;
			*value = sorted[i];
		}
	}
	return most;
}

/* Whether accesses continue in turn at several places in memory, as the stores of a radix sort do.
 * Each address is used once. Returns the number of places at which the accesses continue, or 0. */
static double places_of(const double *address, int count, double size)
{
	int follows = 0, again = 0, judged = 0;

	for (int i = count / 2; i < count; i++) {
		bool followed = false, repeated = false;

		for (int k = 0; k < i; k++) {
			followed |= fabs(address[i] - address[k] - size) < 0.5;
			repeated |= fabs(address[i] - address[k]) < 0.5;
		}
		follows += followed;
		again += repeated;
		judged++;
	}
	if (judged < SAMPLES_LEAST || again > judged / 20 || follows < judged / 2)
		return 0;
	/* The places in memory at which accesses continue lie apart from each other. */
	judged = 0;
	for (int i = 0; i < count; i++) {
		bool last = true;

		for (int k = i + 1; k < count && last; k++)
			last = fabs(address[k] - address[i] - size) > 0.5;
		judged += last;
	}
	return judged;
}

static void judge_order(struct finder *finder, int index)
{
	struct stream *stream = &finder->stream[index];
	const struct insn *insn = &finder->question->trace.insn[stream->insn];
	double *address = memory_new((size_t)stream->count + 1, sizeof(*address)),
	       *delta = memory_new((size_t)stream->count + 1, sizeof(*delta)), mode = 0, sum = 0,
	       way = 0;
	int count = 0, near = 0, same;

	for (int i = 0; i < finder->access_count; i++)
		if (finder->access[i].stream == index)
			address[count++] = (double)finder->access[i].address;
	for (int i = 0; i + 1 < count; i++) {
		delta[i] = address[i + 1] - address[i];
		if (fabs(delta[i]) > 2 * LINE)
			continue;
		near++;
		sum += delta[i];
		way += fabs(delta[i]);
	}
	qsort(delta, (size_t)(count > 0 ? count - 1 : 0), sizeof(*delta), compare);
	same = most_frequent(delta, count - 1, &mode);
	stream->order = SCATTERED;
	if (count < 2) {
		stream->order = FIXED;
	} else if (near >= ALIKE * (count - 1) && fabs(sum) >= 0.9 * way) {
		stream->step = sum / near;
		stream->order = stream->step < 0 || stream->step > 0 ? ORDERED : FIXED;
	} else if (same >= ALIKE * (count - 1)) {
		stream->step = mode;
		stream->order = mode < 0 || mode > 0 ? ORDERED : FIXED;
	} else {
		stream->places = places_of(address, count, insn->memory[stream->operand].size);
		if (stream->places > 0) {
			stream->order = ORDERED;
			stream->step = insn->memory[stream->operand].size;
		}
	}
	free(address);
	free(delta);
}

/* ---- Streams in order */

/* Returns the number of accesses of one instruction (a stream) per element of the loop. */
static double rate_of(const struct finder *finder, const struct stream *stream)
{
	return stream->count / finder->elements;
}

static double ordered_lines(const struct finder *finder, const struct stream *stream)
{
	return rate_of(finder, stream) * fmin(fabs(stream->step) / LINE, 1);
}

/* Finds streams that repeat the lines of an earlier stream of the same array: an unrolled loop
 * reads several values of a line, and a stencil reads a row again that was the next row before. */
static void find_repeats(struct finder *finder)
{
	for (int i = 0; i < finder->stream_count; i++)
		for (int k = 0; k < finder->stream_count; k++) {
			struct stream *stream = &finder->stream[i];
			const struct stream *other = &finder->stream[k];
			double step = fabs(stream->step), apart, off;

			if (i == k || stream->order != ORDERED || other->order != ORDERED ||
				other->repeats || stream->array != other->array ||
				stream->places > 0 || other->places > 0 ||
				fabs(stream->step - other->step) > 0.05 * step)
				continue;
			apart = (double)other->first - (double)stream->first;
			off = fmod(fabs(apart), step);
			if (step > LINE && fmin(off, step - off) >= LINE)
				continue;
			/* Of two instructions that access an array in order, the one that is ahead
			 * touches a cache line first. */
			if (stream->step < 0)
				apart = -apart;
			if (apart < 0 || (apart <= 0 && k > i))
				continue;
			if (!stream->repeats || apart < stream->distance)
				stream->distance = apart;
			stream->repeats = true;
		}
}

/* ---- Scattered accesses: dependences between loads */

/* The loads on which the value of a register depends. */
struct taint {
	double depth; /* longest chain of scattered loads */
	int stream; /* stream (memory operand) of the last load of the dependence chain; -1: none */
	bool loaded; /* the value of the register depends on some load of an array */
};

struct flow {
	struct taint reg[REG_COUNT];
	struct {
		uint64_t address;
		struct taint value;
	} stored[STORED];
	uint64_t recent[RECENT];
	int next;	/* index of the entry of `recent` (lines touched last) to replace next */
	double deepest; /* longest chain so far */
};

static void join(struct taint *into, const struct taint *from)
{
	if (from->depth > into->depth) {
		into->depth = from->depth;
		into->stream = from->stream;
	}
	into->loaded |= from->loaded;
}

/* Notes that a cache line was touched. Returns whether the cache line was not among the lines
 * touched last. */
static bool touch(struct flow *flow, uint64_t address)
{
	for (int i = 0; i < RECENT; i++)
		if (flow->recent[i] == address / LINE)
			return false;
	flow->recent[flow->next] = address / LINE;
	flow->next = (flow->next + 1) % RECENT;
	return true;
}

/* Returns the loads on which a loaded value depends (its taint); `address` is the taint of its
 * address. */
static struct taint load(struct finder *finder, struct flow *flow, const struct access *access,
	uint64_t at, struct taint address)
{
	struct stream *stream = access ? &finder->stream[access->stream] : NULL;

	if (flow->stored[at / 8 % STORED].address == at && at)
		join(&address, &flow->stored[at / 8 % STORED].value);
	if (!stream)
		return address;
	if (stream->order == SCATTERED) {
		stream->loaded |= address.loaded;
		if (address.depth > 0 && address.stream >= 0) {
			stream->chained = true;
			finder->stream[address.stream].chained = true;
		}
	}
	address.loaded = true;
	if (access->fresh) {
		address.depth++;
		address.stream = access->stream;
	}
	return address;
}

/* Follows the dependences of values through one executed instruction. `next` is the index of its
 * first access to an array. */
static void follow(struct finder *finder, struct flow *flow, int step, int *next, double *branch)
{
	const struct insn *insn = insn_of(finder, step);
	const struct loop_step *seen = &finder->question->trace.seen[step];
	struct taint result = { .stream = -1 };

	for (int i = 0; i < insn->read_count; i++)
		join(&result, &flow->reg[insn->reads[i]]);
	for (int k = 0; k < insn->memory_count; k++) {
		bool loads = insn_loads(insn, k), stores = insn_stores(insn, k);
		struct taint address = flow->reg[insn->memory[k].base];
		struct access *access = NULL;

		join(&address, &flow->reg[insn->memory[k].index]);
		if ((loads || stores) && *next < finder->access_count &&
			array_of(finder->question, seen->address[k]) >= 0)
			access = &finder->access[(*next)++];
		if (access) {
			bool fresh = touch(flow, access->address);

			access->fresh = fresh && finder->stream[access->stream].order == SCATTERED;
		}
		if (loads)
			address = load(finder, flow, access, seen->address[k], address);
		if (loads || insn->address_only)
			join(&result, &address);
	}
	for (int k = 0; k < insn->memory_count; k++)
		if (insn_stores(insn, k) && seen->address[k]) {
			flow->stored[seen->address[k] / 8 % STORED].address = seen->address[k];
			flow->stored[seen->address[k] / 8 % STORED].value = result;
		}
	if (insn->zeroing)
		result = (struct taint){ .stream = -1 };
	for (int i = 0; i < insn->write_count; i++)
		if (insn->writes[i] != REG_NONE)
			flow->reg[insn->writes[i]] = result;
	flow->deepest = fmax(flow->deepest, result.depth);
	if (insn->flow == FLOW_BRANCH)
		branch[seen->insn] += result.depth > 0;
}

/* Returns the branches per element that depend on loads in random order and go both ways without a
 * pattern. No branch predictor can learn such branches if the data are large. */
static double irregular(const struct finder *finder, const double *branch)
{
	const struct step_trace *trace = &finder->question->trace;
	double wrong = 0;

	for (int i = 0; i < trace->insn_count; i++) {
		double times = 0, taken = 0, changes = 0;
		int last = -1;

		if (!(branch[i] > 0))
			continue;
		for (int k = finder->from; k < finder->to; k++) {
			bool goes = insn_of(finder, k + 1)->address !=
				    trace->insn[i].address + trace->insn[i].length;

			if (trace->seen[k].insn != i)
				continue;
			times++;
			taken += goes;
			changes += last >= 0 && last != goes;
			last = goes;
		}
		if (times >= 16 && changes > times / 8 && changes < times * 7 / 8)
			wrong += fmin(taken, times - taken);
	}
	return wrong / finder->elements;
}

/* Finds which loads in random order wait for each other. */
static void find_chains(struct finder *finder)
{
	struct flow *flow = memory_new(1, sizeof(*flow));
	int insns = finder->question->trace.insn_count, next = 0,
	    half = finder->from + (finder->to - finder->from) / 2, rounds = 0;
	double *branch = memory_new((size_t)insns + 1, sizeof(*branch)), middle = 0;

	for (int i = 0; i < REG_COUNT; i++)
		flow->reg[i].stream = -1;
	for (int i = finder->from; i < finder->to; i++) {
		if (i <= half && finder->question->trace.seen[i].insn == finder->question->mark)
			rounds++;
		if (i == half)
			middle = flow->deepest;
		follow(finder, flow, i, &next, branch);
	}
	finder->growth =
		(flow->deepest - middle) /
		fmax(finder->elements - rounds * finder->question->each, finder->question->each);
	finder->depth = flow->deepest;
	finder->wrong = irregular(finder, branch);
	free(branch);
	free(flow);
}

/* ---- Scattered accesses: how many lines they choose from */

static double greatest_common(double a, double b)
{
	return b < 0.5 ? a : greatest_common(b, fmod(a, b));
}

/* Estimates from a sample of random accesses how many cache lines the accesses choose from. Many
 * repeated cache lines in the sample mean that the accesses choose from few lines. If all lines lie
 * multiples of a distance apart (a grid), as on one level of a binary search, *grid receives the
 * distance. *sure is set if the estimated number is far below the number of lines in the whole
 * range. */
static double estimate(const double *line, int count, double *grid, bool *sure)
{
	double extent = line[count - 1] - line[0] + 1, common = 0, least = extent, low, high;
	int different = 1;

	for (int i = 1; i < count; i++) {
		double gap = line[i] - line[i - 1];

		if (gap < 0.5)
			continue;
		different++;
		common = greatest_common(gap, common);
		least = fmin(least, gap);
	}
	*sure = true;
	*grid = fmax(common, 1);
	/* n random accesses to P equally likely cache lines touch P (1 - exp(-n/P)) different lines
	 * on average. */
	if (different < 0.9 * count) {
		low = different;
		high = extent;
		for (int i = 0; i < 50; i++) {
			double middle = (low + high) / 2;

			*(middle * -expm1(-count / middle) < different ? &low : &high) = middle;
		}
		return low;
	}
	/* The smallest gap between n random lines is about extent/n², so only a larger gap means
	 * that the lines lie on a grid. */
	if (extent / least < 0.25 * count * count)
		return extent / least + 1;
	*sure = false;
	return extent / *grid;
}

static void add_population(struct finder *finder, double lines, double bytes, enum reach_way way)
{
	struct population *found = finder->population;
	int i = 0;

	if (!(lines > 0) || !(bytes > 0))
		return;
	while (i < finder->population_count &&
		!(found[i].way == way && fabs(found[i].bytes - bytes) <= 0.02 * bytes))
		i++;
	if (i == finder->population_count) {
		if (i == 2 * KERNEL_REACHES)
			return;
		found[finder->population_count++] = (struct population){ 0, bytes, way };
	}
	found[i].lines += lines;
}

static enum reach_way way_of(const struct finder *finder, const struct stream *stream)
{
	return stream->chained				? REACH_CHAINED
	       : !stream->loaded && finder->wrong > 0.1 ? REACH_GUESSED
							: REACH_FREE;
}

/* Adds the cache lines of a random load, separately for each of its executions per element: deeper
 * levels of a search choose from more lines. Levels of a search with too few accesses in the trace
 * are assumed to grow like the levels before. */
static void add_scattered(struct finder *finder, int index, double *grid)
{
	const struct stream *stream = &finder->stream[index];
	const struct walk_array *array = &finder->question->array[stream->array];
	double *line = memory_new((size_t)stream->count + 1, sizeof(*line)),
	       scale = array->whole / (double)array->bytes, before = 0, growth = 0;
	int positions = 0;

	for (int i = 0; i < finder->access_count; i++)
		if (finder->access[i].stream == index && finder->access[i].position >= positions)
			positions = finder->access[i].position + 1;
	for (int position = 0; position < positions; position++) {
		int count = 0, fresh = 0;
		double lines = (double)array->bytes / LINE, every = 1;
		bool sure = false;

		for (int i = 0; i < finder->access_count; i++) {
			const struct access *access = &finder->access[i];

			if (access->stream != index || access->position != position)
				continue;
			line[count++] = floor((double)access->address / LINE);
			fresh += access->fresh;
		}
		if (fresh == 0)
			continue;
		qsort(line, (size_t)count, sizeof(*line), compare);
		if (count >= SAMPLES_LEAST)
			lines = estimate(line, count, &every, &sure);
		/* A small table is in the first-level cache after its first use. */
		if (sure && positions == 1 && lines <= RECENT)
			break;
		if (sure && before > 0 && lines > 1.3 * before)
			growth = lines / before;
		if (!sure && growth > 1 && before > 0 && before * growth < lines) {
			lines = before * growth;
			sure = true;
		}
		before = sure ? lines : 0;
		*grid = *grid > 0 ? fmin(*grid, every * LINE) : every * LINE;
		add_population(finder, fresh / finder->elements,
			lines * LINE * (sure && lines < 0.5 * array->bytes / LINE ? 1 : scale),
			way_of(finder, stream));
	}
	free(line);
}

/* Gathers have no known addresses. Gather instructions are assumed to read the largest array that
 * no other load reads. */
static void add_gathered(struct finder *finder)
{
	double whole = 0, bytes = 0;

	for (int i = 0; i < finder->question->arrays; i++) {
		bool used = false;

		whole = fmax(whole, finder->question->array[i].whole);
		for (int k = 0; k < finder->stream_count; k++)
			used |= finder->stream[k].array == i;
		if (!used)
			bytes = fmax(bytes, finder->question->array[i].whole);
	}
	add_population(
		finder, finder->gathered / finder->elements, bytes > 0 ? bytes : whole, REACH_FREE);
}

/* ---- The description */

/* Returns the bytes of an array between the lowest and the highest address that one instruction
 * accesses in one call. */
static double span_of(const struct finder *finder, const struct stream *stream)
{
	double whole = finder->question->array[stream->array].whole;

	return stream->places > 0
		       ? whole
		       : fmin(whole, rate_of(finder, stream) * finder->question->elements *
					     fabs(stream->step));
}

/* Returns how often one instruction goes over its part of the array during one call of the loop. */
static double passes_of(const struct finder *finder, const struct stream *stream)
{
	return rate_of(finder, stream) * finder->question->elements * fabs(stream->step) /
	       span_of(finder, stream);
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
}

/* Whether the cache lines that an instruction accesses are new to the first-level cache. */
static bool brings_lines(const struct stream *stream)
{
	return stream->order == ORDERED && !(stream->repeats && stream->distance < STAYS);
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
		if (!main || ordered_lines(finder, stream) > ordered_lines(finder, main))
			main = stream;
	}
	if (main && alike && !main->repeats)
		walk->step = fabs(main->step);
	if (!main || once)
		return true;
	if (fabs(main->step) <= LINE || main->repeats ||
		ordered_lines(finder, main) < 0.8 * walk->lines)
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
			add_population(finder, ordered_lines(finder, stream), bytes, REACH_ORDERED);
	}
}

static int compare_density(const void *a, const void *b)
{
	const struct population *x = a, *y = b;
	double left = x->lines / x->bytes, right = y->lines / y->bytes;

	return (left < right) - (left > right);
}

/* Writes groups of equally likely cache lines as parts of the data, the most used part first. The
 * size of a part includes all parts that are used at least as often. */
static void describe_parts(struct finder *finder)
{
	struct kernel_walk *walk = finder->walk;
	double bytes = 0, lines = 0;

	qsort(finder->population, (size_t)finder->population_count, sizeof(*finder->population),
		compare_density);
	for (int i = 0; i < finder->population_count; i++)
		lines += finder->population[i].lines;
	walk->lines = lines;
	for (int i = 0; i < finder->population_count && walk->reaches < KERNEL_REACHES; i++) {
		const struct population *part = &finder->population[i];

		bytes += part->bytes;
		if (part->lines >= NEGLIGIBLE * NEGLIGIBLE * lines)
			walk->reach[walk->reaches++] = (struct kernel_reach){
				.lines = part->lines, .range = bytes, .way = part->way
			};
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
		return;
	}
	add_ordered(finder);
	describe_parts(finder);
}

bool walk_find(const struct walk_question *question, struct kernel_walk *walk)
{
	struct finder finder = { .question = question, .walk = walk };
	double scattered = 0, grid = 0;
	bool found;

	*walk = (struct kernel_walk){ .mispredicts = -1 };
	found = collect(&finder);
	for (int i = 0; i < finder.stream_count && found; i++)
		judge_order(&finder, i);
	if (found) {
		find_repeats(&finder);
		find_chains(&finder);
	}
	for (int i = 0; i < finder.stream_count && found; i++) {
		const struct stream *stream = &finder.stream[i];

		walk->places = fmax(walk->places, stream->places);
		if (stream->order == SCATTERED)
			add_scattered(&finder, i, &grid);
		else if (brings_lines(stream))
			walk->lines += ordered_lines(&finder, stream);
	}
	if (finder.gathered > 0)
		add_gathered(&finder);
	for (int i = 0; i < finder.population_count; i++)
		scattered += finder.population[i].lines;
	if (found && scattered >= NEGLIGIBLE * (walk->lines + scattered)) {
		describe_scattered(&finder, scattered, grid);
	} else if (found && !describe_ordered(&finder)) {
		finder.population_count = 0;
		add_ordered(&finder);
		describe_parts(&finder);
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
