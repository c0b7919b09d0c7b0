#include "model/limits/predictor.h"

#include <math.h>
#include <stdlib.h>

#include "base/random.h"
#include "base/text.h"
#include "kernels/kernel.h"

/* BASE: number of direction counters that the branch's address alone selects. TABLES, ENTRIES:
 * number of tagged tables of TAGE, and of their entries. The first SHORT_TABLES tables of the
 * branch predictor have tags of SHORT_TAG bits, the other tables of LONG_TAG bits. LENGTH_MIN and
 * LENGTH_MAX: lengths of the shortest and the longest history, branches. */
enum {
	BASE = 8192,
	TABLES = 15,
	ENTRIES = 2048,
	SHORT_TABLES = 5,
	SHORT_TAG = 8,
	LONG_TAG = 12,
	LENGTH_MIN = 6,
	LENGTH_MAX = 3000,
	/* RING: number of bits of the branch history, a ring buffer of the latest branch
	   directions. */
	RING = 4096
};

/* Numbers of tables and entries, bits of tags, and lengths of histories of the predictor of
 * indirect jumps. */
enum {
	JUMP_TABLES = 6,
	JUMP_ENTRIES = 512,
	JUMP_TAG = 11,
	JUMP_LENGTH_MIN = 8,
	JUMP_LENGTH_MAX = 600,
	/* Number of bits of a jump's target that the history receives. */
	JUMP_BITS = 3
};

/* Ranges of the branch predictor's counters: directions from -4 to 3, confidence in a jump's
 * target, and usefulness of an entry. */
enum { DIRECTION_MIN = -4, DIRECTION_MAX = 3, SURE_MAX = 3, USEFUL_MAX = 1 };
/* A newly allocated table entry is less reliable than the entry with the next shorter branch
 * history as long as this counter, from -8 to 7, is not negative. */
enum { ALTERNATE_MIN = -8, ALTERNATE_MAX = 7 };
/* If TICKS more allocations of table entries fail than succeed, all entries are marked as not
 * useful. */
enum { TICKS = 1024 };

/* A history of many branch directions, folded to few bits by XOR. */
struct folded {
	uint32_t bits;
	int width, out; /* number of bits of the folded history, and the position of the oldest
			   branch's bit, which is removed */
};

struct entry {
	int8_t direction; /* >= 0: taken */
	uint8_t useful;
	uint16_t tag;
};

struct jump_entry {
	uint64_t target;
	uint8_t sure, useful;
	uint16_t tag;
};

struct predictor {
	int8_t base[BASE];
	struct entry entry[TABLES][ENTRIES];
	struct jump_entry jump[JUMP_TABLES][JUMP_ENTRIES], last[JUMP_ENTRIES];
	int length[TABLES + JUMP_TABLES];
	struct folded index[TABLES + JUMP_TABLES], tag[TABLES + JUMP_TABLES],
		tag2[TABLES + JUMP_TABLES];
	uint8_t ring[RING];
	unsigned at; /* number of bits that the branch history has received */
	int alternate, ticks;
	struct random random;
};

static int width_of(int entries)
{
	int width = 0;

	while (1 << width < entries)
		width++;
	return width;
}

static int tag_bits(int table)
{
	return table >= TABLES ? JUMP_TAG : table < SHORT_TABLES ? SHORT_TAG : LONG_TAG;
}

/* Returns the length in branches of history number `i` of `count` histories, whose lengths grow
 * geometrically from `least` to `most`. */
static int length_of(int i, int count, double least, double most)
{
	return (int)(least * pow(most / least, (double)i / (count - 1)) + 0.5);
}

struct predictor *predictor_new(void)
{
	struct predictor *predictor = memory_new(1, sizeof(*predictor));

	for (int i = 0; i < TABLES + JUMP_TABLES; i++) {
		int length = i < TABLES ? length_of(i, TABLES, LENGTH_MIN, LENGTH_MAX)
					: length_of(i - TABLES, JUMP_TABLES, JUMP_LENGTH_MIN,
						  JUMP_LENGTH_MAX),
		    width = width_of(i < TABLES ? ENTRIES : JUMP_ENTRIES);

		predictor->length[i] = length;
		predictor->index[i] = (struct folded){ 0, width, length % width };
		predictor->tag[i] = (struct folded){ 0, tag_bits(i), length % tag_bits(i) };
		predictor->tag2[i] =
			(struct folded){ 0, tag_bits(i) - 1, length % (tag_bits(i) - 1) };
	}
	return predictor;
}

void predictor_free(struct predictor *predictor)
{
	free(predictor);
}

static void fold(struct folded *folded, unsigned in, unsigned out)
{
	folded->bits = folded->bits << 1 | in;
	folded->bits ^= out << folded->out;
	folded->bits ^= folded->bits >> folded->width;
	folded->bits &= (1u << folded->width) - 1;
}

/* Adds one bit to the histories of all tables. */
static void remember(struct predictor *predictor, unsigned bit)
{
	predictor->ring[predictor->at % RING] = (uint8_t)bit;
	for (int i = 0; i < TABLES + JUMP_TABLES; i++) {
		unsigned out =
			predictor->ring[(predictor->at + RING - (unsigned)predictor->length[i]) %
					RING];

		fold(&predictor->index[i], bit, out);
		fold(&predictor->tag[i], bit, out);
		fold(&predictor->tag2[i], bit, out);
	}
	predictor->at++;
}

/* Mixes the bits of an address, so that near branches use different entries. */
static uint32_t mix(uint64_t address)
{
	return (uint32_t)(address * 0x9e3779b97f4a7c15u >> 40);
}

static unsigned place(const struct predictor *predictor, int table, uint64_t address)
{
	unsigned width = (unsigned)predictor->index[table].width;

	return (mix(address) ^ mix(address) >> width ^ predictor->index[table].bits) &
	       ((1u << width) - 1);
}

static uint16_t tag_of(const struct predictor *predictor, int table, uint64_t address)
{
	return (uint16_t)((mix(address) >> 3 ^ predictor->tag[table].bits ^
				  predictor->tag2[table].bits << 1) &
			  ((1u << tag_bits(table)) - 1));
}

static void count(int8_t *counter, bool up, int min, int max)
{
	if (up && *counter < max)
		++*counter;
	if (!up && *counter > min)
		--*counter;
}

/* Indices of the two tables with the longest histories that have an entry for a branch. -1: no
 * table, so the counter selected by the address predicts. */
struct matches {
	int longest, next;
};

/* Marks all table entries as not useful if too few allocations of entries succeed. */
static void tick(struct predictor *predictor, bool failed)
{
	predictor->ticks += failed ? 1 : -1;
	if (predictor->ticks < 0)
		predictor->ticks = 0;
	if (predictor->ticks < TICKS)
		return;
	predictor->ticks = 0;
	for (int i = 0; i < TABLES; i++)
		for (int k = 0; k < ENTRIES; k++)
			predictor->entry[i][k].useful = 0;
	for (int i = 0; i < JUMP_TABLES; i++)
		for (int k = 0; k < JUMP_ENTRIES; k++)
			predictor->jump[i][k].useful = 0;
}

/* Returns the first table in which to try to allocate an entry for a mispredicted branch: the table
 * after `longest`, or by chance the table after that. */
static int first_table(struct predictor *predictor, int longest, int tables)
{
	int first = longest + 1;

	return first + 1 < tables && random_next(&predictor->random) >> 62 == 0 ? first + 1 : first;
}

/* Allocates an entry for a mispredicted branch in a table with a longer branch history. */
static void allocate(struct predictor *predictor, const unsigned *at, const uint16_t *tag,
	int longest, bool taken)
{
	for (int i = first_table(predictor, longest, TABLES); i < TABLES; i++) {
		struct entry *entry = &predictor->entry[i][at[i]];

		if (entry->useful == 0) {
			*entry = (struct entry){ .direction = taken ? 0 : -1, .tag = tag[i] };
			tick(predictor, false);
			return;
		}
		tick(predictor, true);
	}
}

bool predictor_branch(struct predictor *predictor, uint64_t address, bool taken)
{
	int8_t *base = &predictor->base[mix(address) % BASE];
	struct matches match = { -1, -1 };
	unsigned at[TABLES];
	uint16_t tag[TABLES];
	bool guess, alternate, fresh = false, predicted;

	for (int i = 0; i < TABLES; i++) {
		at[i] = place(predictor, i, address);
		tag[i] = tag_of(predictor, i, address);
		if (predictor->entry[i][at[i]].tag != tag[i])
			continue;
		match.next = match.longest;
		match.longest = i;
	}
	alternate = match.next < 0 ? *base >= 0
				   : predictor->entry[match.next][at[match.next]].direction >= 0;
	guess = alternate;
	if (match.longest >= 0) {
		struct entry *entry = &predictor->entry[match.longest][at[match.longest]];

		guess = entry->direction >= 0;
		fresh = entry->useful == 0 && (entry->direction == 0 || entry->direction == -1);
	}
	predicted = fresh && predictor->alternate >= 0 ? alternate : guess;

	if (match.longest >= 0) {
		struct entry *entry = &predictor->entry[match.longest][at[match.longest]];

		if (fresh && guess != alternate) {
			predictor->alternate += alternate == taken ? 1 : -1;
			predictor->alternate = predictor->alternate > ALTERNATE_MAX ? ALTERNATE_MAX
					       : predictor->alternate < ALTERNATE_MIN
						       ? ALTERNATE_MIN
						       : predictor->alternate;
		}
		if (guess != alternate)
			entry->useful = guess == taken ? USEFUL_MAX : 0;
		if (fresh && match.next >= 0)
			count(&predictor->entry[match.next][at[match.next]].direction, taken,
				DIRECTION_MIN, DIRECTION_MAX);
		else if (fresh)
			count(base, taken, -2, 1);
		count(&entry->direction, taken, DIRECTION_MIN, DIRECTION_MAX);
	} else {
		count(base, taken, -2, 1);
	}
	if (predicted != taken && match.longest < TABLES - 1 && (guess != taken || !fresh))
		allocate(predictor, at, tag, match.longest, taken);
	remember(predictor, taken ^ (unsigned)(address >> 2 & 1));
	return predicted != taken;
}

static void learn_target(struct jump_entry *entry, uint64_t target)
{
	if (entry->target == target && entry->sure < SURE_MAX)
		entry->sure++;
	else if (entry->target != target && entry->sure > 0)
		entry->sure--;
	else if (entry->target != target)
		entry->target = target;
}

bool predictor_jump(struct predictor *predictor, uint64_t address, uint64_t target)
{
	struct jump_entry *best = &predictor->last[mix(address) % JUMP_ENTRIES], *next = best;
	unsigned at[JUMP_TABLES];
	uint16_t tag[JUMP_TABLES];
	int longest = -1;
	uint64_t predicted;

	for (int i = 0; i < JUMP_TABLES; i++) {
		at[i] = place(predictor, TABLES + i, address);
		tag[i] = tag_of(predictor, TABLES + i, address);
		if (predictor->jump[i][at[i]].tag != tag[i])
			continue;
		next = best;
		best = &predictor->jump[i][at[i]];
		longest = i;
	}
	predicted = best->sure == 0 && best->useful == 0 ? next->target : best->target;
	if (best != next && best->target != next->target)
		best->useful = best->target == target ? USEFUL_MAX : 0;
	if (best->sure == 0 && best != next)
		learn_target(next, target);
	learn_target(best, target);
	for (int i = first_table(predictor, longest, JUMP_TABLES);
		predicted != target && i < JUMP_TABLES; i++) {
		struct jump_entry *entry = &predictor->jump[i][at[i]];

		tick(predictor, entry->useful > 0);
		if (entry->useful == 0) {
			*entry = (struct jump_entry){ .target = target, .tag = tag[i] };
			break;
		}
	}
	for (unsigned bit = 0; bit < JUMP_BITS; bit++)
		remember(predictor, mix(target) >> bit & 1);
	return predicted != target;
}

static bool predict(struct predictor *predictor, const struct loop_branch *branch)
{
	return branch->indirect ? predictor_jump(predictor, branch->address, branch->target)
				: predictor_branch(predictor, branch->address, branch->taken);
}

/* Shares of mispredictions that remain after many repetitions of random branches: numbers of
 * mispredictions in the first repetition, and the share. For the shares in this table, the
 * simulated branch predictor was run 64 times over each sequence of branches. */
static const struct remains {
	double mispredictions, share;
} remains[2][8] = {
	{ { 2048, 0 }, { 4096, 0.02 }, { 8192, 0.06 }, { 16384, 0.07 }, { 32768, 0.2 },
		{ 65536, 0.63 }, { 131072, 0.86 }, { 262144, 1 } },
	{ { 448, 0 }, { 896, 0 }, { 1792, 0.12 }, { 3584, 0.41 }, { 7168, 0.73 }, { 14336, 0.88 },
		{ 28672, 1 }, { 57344, 1 } },
};

/* How fast the share of remaining mispredictions rises with their number, if half of them remain of
 * a known number: the share is 1 / (1 + (half / number)^STEEPNESS). Measured on Zen 5 with the
 * kernel mispredict: 0, 0 to 0.5, 0.64 to 0.82 and 0.96 at 0.3, 0.6, 1.2 and 2.4 times the number.
 */
#define STEEPNESS 5

/* The number of which half remain differs from loop to loop by this factor, up or down: quartiles
 * of own loops on Zen 5. */
#define HALF_SPREAD 1.3

double predictor_forgets(double mispredictions, bool indirect, double half)
{
	const struct remains *row = remains[indirect];
	int last = (int)(sizeof(remains[0]) / sizeof(remains[0][0])) - 1;

	if (half > 0)
		return mispredictions > 0 ? 1 / (1 + pow(half / mispredictions, STEEPNESS)) : 0;
	if (mispredictions <= row[0].mispredictions)
		return row[0].share;
	for (int i = 0; i < last; i++)
		if (mispredictions < row[i + 1].mispredictions)
			return row[i].share + (row[i + 1].share - row[i].share) *
						      log2(mispredictions / row[i].mispredictions);
	return row[last].share;
}

double predictor_forgets_spread(double mispredictions, bool indirect, double half)
{
	return (predictor_forgets(mispredictions * HALF_SPREAD, indirect, half) -
		       predictor_forgets(mispredictions / HALF_SPREAD, indirect, half)) /
	       2;
}

/* The first 1/TRAINING of the executed branches only trains the simulated branch predictor. The
 * branches of one call of the loop are repeated until REPEATED branches or REPETITIONS repetitions
 * have trained the predictor. */
enum { TRAINING = 4, REPEATED = 60000, REPETITIONS = 24 };

/* Executions and mispredictions of one branch of the loop, in one direction. */
struct rate {
	double times, wrong, due;
};

static int insn_at(const struct loop *loop, uint64_t address)
{
	int low = 0, high = loop->insn_count;

	while (low < high) {
		int middle = (low + high) / 2;

		if (loop->insn[middle].address < address)
			low = middle + 1;
		else
			high = middle;
	}
	return low < loop->insn_count && loop->insn[low].address == address ? low : -1;
}

/* Marks instructions of the loop's path as mispredicted, with the same share as each branch is
 * mispredicted in each direction. */
static void mark(struct loop *loop, struct rate (*rate)[2])
{
	for (int i = 0; i < loop->path_count; i++) {
		struct loop_step *step = &loop->path[i];
		struct rate *of = &rate[step->insn][step->taken];

		if (of->times > 0)
			of->due += of->wrong / of->times;
		step->wrong = of->due >= 0.5;
		of->due -= step->wrong;
	}
}

/* Corrects the mispredictions of branches that have no pattern: cores mispredict such a branch no
 * more often than a two-bit counter does (kernel_mispredicted()). Returns the number of
 * mispredictions of all branches. */
static double correct(struct rate (*rate)[2], const struct loop *loop)
{
	double all = 0;

	for (int i = 0; i < loop->insn_count; i++) {
		struct rate *to = rate[i];
		double wrong = to[0].wrong + to[1].wrong, times = to[0].times + to[1].times,
		       most = times > 0 ? times * kernel_mispredicted(to[0].times / times) : 0;

		if (loop->insn[i].flow == FLOW_BRANCH && wrong > most) {
			to[0].wrong *= most / wrong;
			to[1].wrong *= most / wrong;
			wrong = most;
		}
		all += wrong;
	}
	return all;
}

/* Computes the mispredictions that remain if the same data come again and again. `wrong` has the
 * mispredictions on fresh data among the branches of `seen` elements. */
static void learn(const double wrong[2], double seen, double elements, const double half[2],
	struct loop *loop)
{
	double spread = 0;

	loop->learnt = 0;
	for (int k = 0; k < 2; k++) {
		double each = wrong[k] / seen, count = each * elements, middle = half ? half[k] : 0;

		loop->learnt += each * predictor_forgets(count, k, middle);
		spread += each * predictor_forgets_spread(count, k, middle);
	}
	if (loop->fresh > 0)
		loop->learnt_spread =
			hypot(spread, loop->fresh_spread * loop->learnt / loop->fresh);
}

void predictor_count(const struct loop_branches *branches, double elements, const double half[2],
	struct loop *loop)
{
	struct rate(*rate)[2] = memory_new((size_t)loop->insn_count + 1, sizeof(*rate));
	struct predictor *predictor = predictor_new();
	int from = branches->count / TRAINING, jumps = 0, last = 0, repetitions;
	double wrong[2];
	bool known;
	double seen = branches->elements * (branches->count - from) / branches->count;

	for (int i = 0; i < branches->count; i++) {
		const struct loop_branch *branch = &branches->branch[i];
		bool miss = predict(predictor, branch);
		int insn = insn_at(loop, branch->address);

		if (i < from || insn < 0)
			continue;
		rate[insn][branch->taken].times++;
		rate[insn][branch->taken].wrong += miss;
		jumps += branch->indirect && miss;
	}
	wrong[0] = correct(rate, loop) - jumps;
	wrong[1] = jumps;
	loop->fresh = (wrong[0] + wrong[1]) / seen;
	/* Quartiles of a count of rare events are 0.67 standard deviations from their mean. */
	loop->fresh_spread = 0.67 * sqrt(wrong[0] + wrong[1]) / seen;
	loop->learnt_spread = 0;
	loop->branches = branches->count / branches->elements * elements;
	mark(loop, rate);
	free(rate);
	predictor_free(predictor);
	known = (!(wrong[0] > 0) || (half && half[0] > 0)) &&
		(!(wrong[1] > 0) || (half && half[1] > 0));
	if (branches->first == 0 || known) {
		learn(wrong, seen, elements, half, loop);
		return;
	}
	predictor = predictor_new();
	repetitions = REPEATED / branches->first;
	repetitions = repetitions < 2 ? 2 : repetitions < REPETITIONS ? repetitions : REPETITIONS;
	for (int r = 0; r < repetitions; r++) {
		last = 0;
		for (int i = 0; i < branches->first; i++)
			last += predict(predictor, &branches->branch[i]);
	}
	predictor_free(predictor);
	loop->learnt = fmin(last / elements, loop->fresh);
}
