/* From steps to the walk of a loop: made-up traces whose lines, order and chains are known. */
#include "check.h"

#include "model/code/step_walk.h"

enum { MOST = 20000, INDEX = REG_GENERAL + 1, POINTER = REG_GENERAL + 2, SUM = REG_GENERAL + 3 };

static const uint64_t base = 1 << 30, apart = 1 << 28;

static struct insn insn[16];
static struct loop_step seen[MOST];
static bool misses[MOST];
static int insn_count, seen_count;
static struct walk_array array[4];
static struct kernel_walk walk;

static void begin(void)
{
	memset(insn, 0, sizeof(insn));
	insn_count = seen_count = 0;
	memset(misses, 0, sizeof(misses));
}

/* Adds a load to the program: of `to`, from an address that depends on `from`. */
static int load(uint8_t to, uint8_t from)
{
	insn[insn_count] = (struct insn){ .address = 0x1000 + 4 * (uint64_t)insn_count,
		.length = 4,
		.known = true,
		.memory_count = 1,
		.memory[0] = { .load = true, .base = from, .size = 8, .accesses = 1 },
		.write_count = 1,
		.writes = { to } };
	return insn_count++;
}

static int store(void)
{
	int index = load(REG_NONE, INDEX);

	insn[index].memory[0].load = false;
	insn[index].memory[0].store = true;
	insn[index].write_count = 0;
	return index;
}

/* Adds an instruction that changes the index by a constant. */
static int count(void)
{
	int index = load(INDEX, REG_NONE);

	insn[index].memory_count = 0;
	insn[index].read_count = 1;
	insn[index].reads[0] = INDEX;
	return index;
}

static void ran(int index, uint64_t address)
{
	assert_true(seen_count < MOST);
	seen[seen_count++] = (struct loop_step){ .insn = (uint16_t)index, .address = { address } };
}

/* Derives the walk; the arrays have `bytes` each, and a call has `elements`. */
static void find(int mark, double each, int arrays, uint64_t bytes, double elements)
{
	const struct walk_question question = { .trace = { insn, insn_count, seen, seen_count },
		.array = array,
		.arrays = arrays,
		.mark = mark,
		.each = each,
		.elements = elements,
		.misses = misses };

	for (int i = 0; i < arrays; i++)
		array[i] = (struct walk_array){
			.at = base + (uint64_t)i * apart, .bytes = bytes, .whole = (double)bytes
		};
	assert_true(walk_find(&question, &walk));
}

/* A pseudo-random number below `below`, by a generator of Knuth's constants. */
static uint64_t random_below(uint64_t below)
{
	static uint64_t state = 1;

	state = state * 6364136223846793005u + 1442695040888963407u;
	return (state >> 33) % below;
}

TEST(test_stream)
{
	int sum, mark;

	begin();
	sum = load(SUM, INDEX);
	mark = count();
	for (uint64_t i = 0; i < 500; i++) {
		ran(sum, base + 8 * i);
		ran(mark, 0);
	}
	find(mark, 1, 1, 8 << 20, 1 << 20);
	check_near(walk.lines, 0.125, 1e-3);
	check_near(walk.step, 8, 1e-9);
	assert_false(walk.scattered);
	assert_int_equal(walk.reaches, 0);
}

/* A loop unrolled four times reads 32 bytes with each of four loads: two lines an iteration. */
TEST(the_step_of_an_unrolled_loop_is_a_line)
{
	int part[4], mark;

	begin();
	for (int k = 0; k < 4; k++)
		part[k] = load(SUM, INDEX);
	mark = count();
	for (uint64_t i = 0; i < 500; i++) {
		for (uint64_t k = 0; k < 4; k++)
			ran(part[k], base + 128 * i + 32 * k);
		ran(mark, 0);
	}
	find(mark, 128, 1, 8 << 20, 8 << 20);
	check_near(walk.lines, 1.0 / 64, 1e-4);
	check_near(walk.step, 64, 1e-9);
}

/* Stores past the caches bring no lines. */
TEST(stores_past_the_caches_bring_no_lines)
{
	int sum, past, mark;

	begin();
	sum = load(SUM, INDEX);
	past = store();
	set_words(insn[past].mnemonic, "movntdq");
	mark = count();
	for (uint64_t i = 0; i < 500; i++) {
		ran(sum, base + 8 * i);
		ran(past, base + apart + 8 * i);
		ran(mark, 0);
	}
	find(mark, 1, 2, 8 << 20, 1 << 20);
	check_near(walk.lines, 0.125, 1e-3);
	/* A loop without other accesses is known to bring none. */
	begin();
	past = store();
	set_words(insn[past].mnemonic, "movntdq");
	mark = count();
	for (uint64_t i = 0; i < 500; i++) {
		ran(past, base + 8 * i);
		ran(mark, 0);
	}
	find(mark, 1, 1, 8 << 20, 1 << 20);
	check_near(walk.lines, 0, 0);
	assert_false(walk.scattered);
}

TEST(test_unrolled_loads_share_lines)
{
	int sum[4], mark;

	begin();
	for (int k = 0; k < 4; k++)
		sum[k] = load(SUM, INDEX);
	mark = count();
	for (uint64_t i = 0; i < 500; i++) {
		for (uint64_t k = 0; k < 4; k++)
			ran(sum[k], base + 32 * i + 8 * k);
		ran(mark, 0);
	}
	find(mark, 4, 1, 8 << 20, 1 << 20);
	check_near(walk.lines, 0.125, 1e-3);
}

TEST(test_stride)
{
	int sum, mark;

	begin();
	sum = load(SUM, INDEX);
	mark = count();
	for (uint64_t i = 0; i < 500; i++) {
		ran(sum, base + 256 * i);
		ran(mark, 0);
	}
	find(mark, 1, 1, 64 << 20, 1 << 18);
	check_near(walk.lines, 1, 1e-3);
	check_near(walk.step, 256, 1e-9);
}

/* The columns of 4,096 rows of 1,024 numbers: 8 columns use the same lines. */
TEST(test_columns)
{
	int sum, mark;

	begin();
	sum = load(SUM, INDEX);
	mark = count();
	for (uint64_t i = 0; i < 500; i++) {
		ran(sum, base + 8192 * i);
		ran(mark, 0);
	}
	find(mark, 1, 1, 32 << 20, 1 << 22);
	check_near(walk.lines, 1, 1e-3);
	check_near(walk.range, 4096 * 64, 1);
	check_near(walk.far_lines, 0.125, 1e-3);
	check_near(walk.spacing, 8192, 1e-9);
	assert_true(walk.apart);
}

/* Stores down a column: to lines that the loop loads too, and without loading them. */
TEST(stores_down_columns_are_told_from_changes)
{
	for (int loads = 0; loads < 2; loads++) {
		int sum, put, mark;

		begin();
		sum = load(SUM, INDEX);
		put = store();
		mark = count();
		for (uint64_t i = 0; i < 500; i++) {
			if (loads)
				ran(sum, base + 8192 * i);
			ran(put, base + 8192 * i);
			ran(mark, 0);
		}
		find(mark, 1, 1, 32 << 20, 1 << 22);
		check_near(walk.spacing, 8192, 1e-9);
		check_near(walk.changed, loads, 1e-3);
		check_near(walk.overwritten, !loads, 1e-3);
	}
}

TEST(test_list)
{
	int next, mark;

	begin();
	next = load(POINTER, POINTER);
	mark = count();
	for (int i = 0; i < 500; i++) {
		ran(next, base + 64 * random_below(1 << 20));
		ran(mark, 0);
	}
	find(mark, 1, 1, 64 << 20, 1 << 20);
	assert_true(walk.scattered);
	check_near(walk.lines, 1, 0.01);
	check_near(walk.range, 64 << 20, 1 << 20);
	check_near(walk.chains, 1, 1e-9);
	check_near(walk.restart, 0, 1e-9);
	check_near(walk.visits, 1, 0);
	/* Sixteen nodes in each line: a line is visited again before the pass ends. */
	find(mark, 1, 1, 64 << 20, 1 << 24);
	check_near(walk.visits, 0, 0);
}

/* The value of a node is read before the next pointer, so the load of the pointer finds its line on
 * the way. */
TEST(test_list_of_values)
{
	int value, next, mark;

	begin();
	value = load(SUM, POINTER);
	next = load(POINTER, POINTER);
	mark = count();
	for (int i = 0; i < 500; i++) {
		uint64_t at = base + 64 * random_below(1 << 20);

		ran(value, at + 8);
		ran(next, at);
		ran(mark, 0);
	}
	find(mark, 1, 1, 64 << 20, 1 << 20);
	check_near(walk.lines, 1, 0.01);
	check_near(walk.chains, 1, 1e-9);
	check_near(walk.visits, 1, 0);
}

TEST(test_nodes_are_spaced)
{
	int next, mark;

	begin();
	next = load(POINTER, POINTER);
	mark = count();
	for (int i = 0; i < 500; i++) {
		ran(next, base + 256 * random_below(1 << 18));
		ran(mark, 0);
	}
	find(mark, 1, 1, 64 << 20, 1 << 18);
	check_near(walk.range, 16 << 20, 1 << 18);
	check_near(walk.spacing, 256, 1e-9);
}

TEST(test_two_lists)
{
	int next[2], mark;

	begin();
	next[0] = load(POINTER, POINTER);
	next[1] = load(SUM, SUM);
	mark = count();
	for (int i = 0; i < 500; i++) {
		ran(next[0], base + 64 * random_below(1 << 20));
		ran(next[1], base + apart + 64 * random_below(1 << 20));
		ran(mark, 0);
	}
	find(mark, 1, 2, 64 << 20, 1 << 20);
	check_near(walk.chains, 2, 1e-9);
	check_near(walk.lines, 2, 0.02);
}

/* x[i[k]]: the index is in order, the loads do not wait for each other. */
TEST(test_gather)
{
	int index, value, mark, ordered = 0, free = 0;

	begin();
	index = load(POINTER, INDEX);
	value = load(SUM, POINTER);
	mark = count();
	for (uint64_t i = 0; i < 500; i++) {
		ran(index, base + 4 * i);
		ran(value, base + apart + 8 * random_below(1 << 23));
		ran(mark, 0);
	}
	find(mark, 1, 2, 64 << 20, 1 << 24);
	assert_true(walk.scattered);
	for (int i = 0; i < walk.reaches; i++) {
		ordered += walk.reach[i].way == REACH_ORDERED;
		free += walk.reach[i].way == REACH_FREE;
	}
	assert_int_equal(ordered, 1);
	assert_int_equal(free, 1);
	check_near(walk.lines, 1 + 4.0 / 64, 0.01);
	/* Steps of an element: the index, the value, the count. */
	for (int i = 3; i < 900; i++)
		assert_int_equal(misses[i], i % 3 == 1);
}

/* A search without branches: level k reads one of 2^k lines, and its address comes from the level
 * before. */
TEST(test_levels)
{
	enum { LEVELS = 14 };
	int level, mark;
	double before = 0;

	begin();
	mark = count();
	insn[mark].read_count = 0;
	level = load(INDEX, INDEX);
	for (int i = 0; i < 200; i++) {
		ran(mark, 0);
		for (int k = 0; k < LEVELS; k++)
			ran(level, base + ((1 << 20) >> k) / 2 * 64 +
					   ((uint64_t)(1 << 20) >> k) * 64 *
						   random_below((uint64_t)1 << k));
	}
	find(mark, 1, 1, 64 << 20, 1 << 20);
	check_near(walk.restart, 1, 1e-9);
	check_near(walk.chains, 1, 1e-9);
	assert_true(walk.reaches >= 8);
	for (int i = 0; i < walk.reaches; i++) {
		assert_int_equal(walk.reach[i].way, REACH_CHAINED);
		assert_true(walk.reach[i].range > before);
		before = walk.reach[i].range;
	}
	/* All levels but the first ones have 2^14 lines together. */
	assert_true(before < 2.5 * 64 * (1 << LEVELS) && before > 0.5 * 64 * (1 << LEVELS));
}

/* A sort by digits stores in order at each of 64 places. */
TEST(test_places)
{
	uint64_t at[64];
	int put, mark;

	begin();
	put = store();
	mark = count();
	for (uint64_t i = 0; i < 64; i++)
		at[i] = base + i * 70000 * 8;
	for (int i = 0; i < 2000; i++) {
		uint64_t place = random_below(64);

		ran(put, at[place]);
		at[place] += 8;
		ran(mark, 0);
	}
	find(mark, 1, 1, 64 << 20, 1 << 23);
	check_near(walk.places, 64, 1);
	check_near(walk.lines, 0.125, 1e-3);
	check_near(walk.stored, 0.125, 1e-3);
	assert_false(walk.scattered);
}

/* A small table stays in the first-level cache: only the stream brings lines. */
TEST(test_small_table)
{
	int value, entry, mark;

	begin();
	value = load(POINTER, INDEX);
	entry = load(SUM, POINTER);
	mark = count();
	for (uint64_t i = 0; i < 500; i++) {
		ran(value, base + 8 * i);
		ran(entry, base + apart + 8 * random_below(64));
		ran(mark, 0);
	}
	find(mark, 1, 2, 64 << 20, 1 << 23);
	assert_false(walk.scattered);
	check_near(walk.lines, 0.125, 1e-3);
	for (int i = 0; i < seen_count; i++)
		assert_false(misses[i]);
}

TEST(test_marks)
{
	/* Instructions: before the loop; an iteration of 4 elements; an iteration of a search whose
	 * depth grows with n; one element; a remainder. */
	const int shorter[] = { 1, 16, 64 * 6, 64, 3 }, longer[] = { 1, 32, 128 * 7, 128, 1 };
	const uint64_t from[] = { 64, 128 };
	double each;

	assert_int_equal(walk_mark(shorter, longer, 5, from, &each), 3);
	check_near(each, 1, 1e-9);
	assert_int_equal(walk_mark(shorter, longer, 3, from, &each), 1);
	check_near(each, 4, 1e-9);
	assert_int_equal(walk_mark(shorter, longer, 1, from, &each), -1);
}

RUN_TESTS()
