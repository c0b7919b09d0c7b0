/* The kernel radix-sort sorts 32-bit numbers by their digits, the lowest digit first. A digit has
 * `bits` bits. One pass per digit moves all numbers from one array to the other, each to the next
 * place of its digit. After the last pass the numbers are sorted. The next sort begins with the
 * sorted numbers, whose lower digits are still in random order.
 *
 * Before a sort can move numbers, it counts how often each digit occurs. step=count does this work.
 * step=move uses counts that prepare() made, so a complete sort takes the cycles of both steps.
 *
 * Memory holds the two arrays, the places or counts of a pass, and the first places of each pass.
 */
#include <string.h>

#include "kernels/ring.h"

enum { SIZE, BITS, STEP, PAGES };
enum { STEP_MOVE, STEP_COUNT };
/* WHOLE: largest number of numbers for which verify() sorts all numbers. STEPPED: numbers moved or
 * counted while the model steps through the code. SHRUNK: bytes of both arrays while the model
 * steps through the code; all STEPPED numbers then belong to one pass. */
enum { WHOLE = 8192, STEPPED = 192, SHRUNK = 16384 };
/* Largest count of numbers for which both lengths of a trial are whole sorts. */
enum { WHOLE_SORTS = 32768 };

static const char *const step_names[] = { "move", "count", NULL };

static const struct knob knobs[] = {
	[SIZE] = KNOB_ROW_SIZE("bytes of the numbers and of the array to which they move", 16384),
	[BITS] = KNOB_ROW_COUNT("bits", "bits of a digit: 32 / bits passes, rounded up", 1, 16, 8,
		.role = KNOB_FORM),
	[STEP] = KNOB_ROW_CHOICE("step", "move the numbers by their digits, or count their digits",
		step_names, .role = KNOB_DATA),
	[PAGES] = KNOB_ROW_PAGES,
};

static uint64_t count_of(const int64_t *v)
{
	return (uint64_t)v[SIZE] / 128 * 16;
}

static uint64_t passes_of(const int64_t *v)
{
	return (uint64_t)((32 + v[BITS] - 1) / v[BITS]);
}

static uint64_t digits_of(const int64_t *v)
{
	return (uint64_t)1 << v[BITS];
}

static uint64_t radix_footprint(const int64_t *v)
{
	return 4 * (2 * count_of(v) + (passes_of(v) + 1) * digits_of(v));
}

/* Moves each number to the next place of its digit. */
KERNEL_LOOP static void radix_move(const uint32_t *from, const uint32_t *end, uint32_t *to,
	uint32_t *place, unsigned shift, uint32_t mask)
{
	for (; from != end; from++) {
		uint32_t number = *from;

		to[place[number >> shift & mask]++] = number;
	}
}

KERNEL_LOOP static void radix_count(
	const uint32_t *from, const uint32_t *end, uint32_t *count, unsigned shift, uint32_t mask)
{
	for (; from != end; from++)
		count[*from >> shift & mask]++;
}

typedef void radix_mover(const uint32_t *from, const uint32_t *end, uint32_t *to, uint32_t *place,
	unsigned shift, uint32_t mask);
typedef void radix_counter(
	const uint32_t *from, const uint32_t *end, uint32_t *count, unsigned shift, uint32_t mask);

/* The memory of a run. The array `from` holds the numbers; a pass that moves all numbers swaps the
 * two arrays. */
struct parts {
	uint32_t *from, *to;
	uint32_t *place; /* for each value of a digit: the place of its next number in this pass, or
			    its count */
	uint32_t *first; /* for each pass and each value of a digit: its first place in the array */
};

static struct parts parts_of(const struct kernel_run *run)
{
	uint64_t count = count_of(run->v);
	uint32_t *memory = (uint32_t *)(void *)run->memory, *second = memory + count,
		 *place = memory + 2 * count;

	return (struct parts){ run->kept[0] ? second : memory, run->kept[0] ? memory : second,
		place, place + digits_of(run->v) };
}

static unsigned digit_of(const int64_t *v, uint64_t pass, uint32_t number)
{
	return number >> (pass * (uint64_t)v[BITS]) & (uint32_t)(digits_of(v) - 1);
}

/* Each pass reads, for each number, the place to which the number goes next; with step=move it also
 * stores the number there. The places to which a pass stores lie in as many cache lines as a digit
 * has values. A pass reads the numbers in address order, and stores the numbers with the same digit
 * in address order. */
static void radix_describe(const int64_t *v, struct kernel_walk *walk)
{
	double passes = (double)passes_of(v), numbers = (double)count_of(v) * 4,
	       places = (double)digits_of(v) * 4, lines = (double)digits_of(v) * 64;
	bool moves = v[STEP] == STEP_MOVE;

	walk->access = "number";
	walk->places = moves ? (double)digits_of(v) : 0;
	walk->stored = moves ? passes * 4 / 64 : 0;
	walk->reach[walk->reaches++] =
		(struct kernel_reach){ passes, places, REACH_FREE, .written = true };
	if (moves)
		walk->reach[walk->reaches++] = (struct kernel_reach){ passes,
			places + (lines < numbers ? lines : numbers), REACH_FREE, .written = true };
	walk->reach[walk->reaches++] = (struct kernel_reach){ passes * (moves ? 8 : 4) / 64,
		places + numbers * (moves ? 2 : 1), REACH_ORDERED, 0 };
	/* Before each pass, the places or counts of all digits get their initial values. */
	walk->reach[walk->reaches++] = (struct kernel_reach){ passes * places / 64 /
								      (double)count_of(v),
		places + numbers * (moves ? 2 : 1), REACH_ORDERED, places, .written = true };
	if (moves)
		walk->reach[walk->reaches++] =
			(struct kernel_reach){ passes * places / 64 / (double)count_of(v),
				places * (passes + 1) + 2 * numbers, REACH_ORDERED, 0 };
}

/* Sets the place (or the count) of each value of a digit to its initial value, at the start of a
 * pass. */
static void begin_pass(struct kernel_run *run, uint64_t pass)
{
	uint64_t digits = digits_of(run->v);
	struct parts parts = parts_of(run);

	if (run->v[STEP] == STEP_MOVE)
		memcpy(parts.place, parts.first + pass * digits, 4 * digits);
	else
		memset(parts.place, 0, 4 * digits);
}

static struct status radix_prepare(struct kernel_run *run)
{
	const int64_t *v = run->v;
	uint64_t count = count_of(v), passes = passes_of(v), digits = digits_of(v);
	struct parts parts = parts_of(run);

	run->kept[0] = 0;
	run->position = 0;
	memset(parts.first, 0, 4 * passes * digits);
	for (uint64_t i = 0; i < count; i++) {
		if (i % 65536 == 0 && !kernel_goes_on(run, i, count))
			return status_make(STATUS_CANCELLED, "stopped during the layout of data");
		ring_put_word(run, i);
		for (uint64_t pass = 0; pass < passes; pass++)
			parts.first[pass * digits + digit_of(v, pass, ring_word(run->seed, i))]++;
	}
	for (uint64_t pass = 0; pass < passes; pass++)
		for (uint32_t *first = parts.first + pass * digits, *end = first + digits, next = 0;
			first != end; first++) {
			uint32_t here = next;

			next += *first;
			*first = here;
		}
	begin_pass(run, 0);
	run->layout.laid_out = radix_footprint(v);
	run->granule = 1;
	run->ring = count;
	/* Between two passes, all places get their initial values. In a part of a sort, the number
	 * of such times is no multiple of its numbers. */
	run->period = count <= WHOLE_SORTS ? count : 0;
	run->bytes = passes * (v[STEP] == STEP_MOVE ? 16 : 12);
	run->code.start =
		v[STEP] == STEP_MOVE ? (const void *)radix_move : (const void *)radix_count;
	run->code.name = v[STEP] == STEP_MOVE ? "radix_move" : "radix_count";
	return status_ok();
}

/* If only a part of the first pass was made, takes back only the moves or counts of that part. The
 * model single-steps radix_rewind(), too, and resetting all values of large digits would take too
 * many steps. */
static void radix_rewind(struct kernel_run *run)
{
	uint64_t done = run->position * passes_of(run->v);
	struct parts parts = parts_of(run);

	run->position = 0;
	if (done >= run->ring)
		begin_pass(run, 0);
	else
		for (uint64_t i = 0; i < done; i++)
			parts.place[digit_of(run->v, 0, parts.from[i])]--;
}

/* An element is one number in all passes, so a call for n elements makes passes × n steps, which
 * may all belong to one pass. */
static void radix_call(struct kernel_run *run, uint64_t elements)
{
	uint64_t count = run->ring, passes = passes_of(run->v);
	uint64_t at = run->position * passes, left = elements * passes;
	uint32_t mask = (uint32_t)(digits_of(run->v) - 1);

	while (left > 0) {
		uint64_t pass = at / count, room = count - at % count,
			 piece = left < room ? left : room;
		unsigned shift = (unsigned)pass * (unsigned)run->v[BITS];
		struct parts parts = parts_of(run);
		const uint32_t *from = parts.from + at % count, *end = from + piece;

		if (run->v[STEP] == STEP_MOVE)
			((radix_mover *)run->code.start)(
				from, end, parts.to, parts.place, shift, mask);
		else
			((radix_counter *)run->code.start)(from, end, parts.place, shift, mask);
		at = (at + piece) % (count * passes);
		left -= piece;
		if (piece < room)
			continue;
		run->kept[0] ^= run->v[STEP] == STEP_MOVE;
		begin_pass(run, at / count);
	}
	run->position = at / passes;
}

static uint64_t sum_of(const uint32_t *numbers, uint64_t count)
{
	uint64_t sum = 0;

	for (uint64_t i = 0; i < count; i++)
		sum += (uint64_t)numbers[i] * numbers[i];
	return sum;
}

/* Sorts all numbers. Before and after the sort, the numbers must be those that prepare() laid out.
 */
static struct status verify_sort(struct kernel_run *run)
{
	uint64_t count = run->ring, sum = 0;
	const uint32_t *sorted;

	for (uint64_t i = 0; i < count; i++)
		sum += (uint64_t)ring_word(run->seed, i) * ring_word(run->seed, i);
	if (sum_of(parts_of(run).from, count) != sum)
		return status_failed("radix-sort: after the sort, the array does not have the same "
				     "numbers as before");
	radix_call(run, count);
	sorted = parts_of(run).from;
	for (uint64_t i = 1; i < count; i++)
		if (sorted[i - 1] > sorted[i])
			return status_failed(
				"radix-sort left number %llu smaller than the one before",
				(unsigned long long)i);
	if (sum_of(sorted, count) != sum)
		return status_failed("radix-sort lost a number");
	return status_ok();
}

/* Makes a part of the first pass, then takes back each move or count, the last one first. */
static struct status verify_part(struct kernel_run *run)
{
	uint64_t passes = passes_of(run->v), digits = digits_of(run->v),
		 most = run->ring > WHOLE ? WHOLE : run->ring - 1;
	bool moves = run->v[STEP] == STEP_MOVE;
	struct parts parts = parts_of(run);

	radix_call(run, most / passes);
	for (uint64_t i = most / passes * passes; i-- > 0;) {
		uint32_t place = --parts.place[digit_of(run->v, 0, parts.from[i])];

		if (moves && (place >= run->ring || parts.to[place] != parts.from[i]))
			return status_failed("radix-sort moved number %llu to a wrong place",
				(unsigned long long)i);
	}
	for (uint64_t digit = 0; digit < digits; digit++)
		if (parts.place[digit] != (moves ? parts.first[digit] : 0))
			return status_failed(
				"radix-sort counted digit %llu wrongly", (unsigned long long)digit);
	run->position = 0;
	return status_ok();
}

static struct status radix_verify(struct kernel_run *run)
{
	return run->v[STEP] == STEP_MOVE && run->ring <= WHOLE ? verify_sort(run)
							       : verify_part(run);
}

/* The sort executes the same code for any amount of data, so single-stepping uses a small working
 * set. */
static void radix_shrink(int64_t *v)
{
	v[SIZE] = SHRUNK;
}

static unsigned radix_few(const int64_t *v)
{
	return STEPPED / (unsigned)passes_of(v);
}

const struct kernel kernel_radix_sort = {
	.name = "radix-sort",
	.title = "sort numbers by their digits",
	.look_for =
		"Each pass stores a number and the next place of its digit: two stores per pass, "
		"so "
		"four passes take at least eight cycles where a core stores once per cycle. Raise "
		"bits: fewer passes, until the places of a digit no longer fit the first cache or "
		"its TLB. step=count is the other part of a sort.",
	.document = "Downs, Performance Speed Limits, Stores (radix sort)",
	.element = "number sorted",
	.hint = "+ on bits to 11; then grow size",
	KERNEL_KNOBS(knobs),
	.footprint = radix_footprint,
	.shrink = radix_shrink,
	.few = radix_few,
	.stepped = true,
	.prepare = radix_prepare,
	.describe = radix_describe,
	.call = radix_call,
	.rewind = radix_rewind,
	.verify = radix_verify,
};
