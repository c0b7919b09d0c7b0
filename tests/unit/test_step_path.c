/* From steps to a loop: made-up traces of known shape. */
#include "check.h"

#include "model/code/step_path.h"

enum { MOST = 20000 };

/* A program as one writes it down: instruction i stands at 0x1000 + 4 i; a negative entry of the
 * script jumps nowhere. */
struct generated {
	struct insn insn[64];
	struct loop_step seen[MOST];
	int insn_count, seen_count;
};

static struct generated made;
static int before[64]; /* how often each instruction ran in a run of half the length */

static void make(int insns)
{
	memset(&made, 0, sizeof(made));
	memset(before, 0, sizeof(before));
	made.insn_count = insns;
	for (int i = 0; i < insns; i++)
		made.insn[i] = (struct insn){
			.address = 0x1000 + 4 * (uint64_t)i, .length = 4, .known = true
		};
}

static void ran(int insn)
{
	assert_true(made.seen_count < MOST);
	made.seen[made.seen_count++] = (struct loop_step){ .insn = (uint16_t)insn,
		.address = { (uint64_t)made.seen_count } };
}

static void ran_all(int from, int to)
{
	for (int i = from; i <= to; i++)
		ran(i);
}

static struct status path(double insns_per_element, struct loop *loop)
{
	struct step_trace trace = { made.insn, made.insn_count, made.seen, made.seen_count,
		before };

	return step_path(&trace, insns_per_element, loop);
}

static struct loop loop;

static int setup(void **state)
{
	loop_init(&loop, 32, 1024);
	return 0;
}

static int teardown(void **state)
{
	loop_free(&loop);
	return 0;
}

TEST(test_simple)
{
	make(8);
	made.insn[5].flow = FLOW_BRANCH;
	ran_all(0, 1);
	for (int i = 0; i < 500; i++)
		ran_all(2, 5);
	ran_all(6, 7);
	check_ok(path(4, &loop));
	assert_int_equal(loop.insn_count, 4);
	assert_int_equal(loop.insn[0].address, 0x1008);
	/* 1,024 steps are room for 256 turns of 4. */
	assert_int_equal(loop.turns, 256);
	assert_int_equal(loop.path_count, 1024);
	assert_true(loop.stepped);
	assert_false(loop.varies);
	check_near(loop.elements, 256, 1e-9);
	check_near(loop.insns_per_element, 4, 0);
	assert_int_equal(loop.path[0].insn, 0);
	assert_int_equal(loop.path[1023].insn, 3);
	assert_true(loop.path[3].taken);
	assert_false(loop.path[2].taken);
	/* From the middle: as much before as after. */
	assert_in_range(loop.path[0].address[0], 2 + 4 * 120, 2 + 4 * 124 + 1);
}

/* A loop over a small table runs more often than two passes over the elements, but not more often
 * for more elements. Of two passes over the same elements, the one with more code counts. */
TEST(test_passes)
{
	make(14);
	made.insn[2].flow = made.insn[6].flow = made.insn[12].flow = FLOW_BRANCH;
	for (int i = 0; i < 300; i++)
		ran_all(1, 2);
	for (int i = 0; i < 128; i++)
		ran_all(5, 6);
	for (int i = 0; i < 128; i++)
		ran_all(10, 12);
	ran(13);
	check_ok(path(5, &loop));
	assert_int_equal(loop.insn[0].address, 0x1004);
	before[1] = before[2] = 300;
	for (int i = 5; i <= 12; i++)
		before[i] = 64;
	check_ok(path(5, &loop));
	assert_int_equal(loop.insn[0].address, 0x1028);
}

/* A branch within the loop that is taken every third turn. */
TEST(test_branches)
{
	int taken = 0;

	make(8);
	made.insn[2].flow = FLOW_BRANCH;
	made.insn[6].flow = FLOW_BRANCH;
	for (int i = 0; i < 300; i++) {
		ran_all(1, 2);
		if (i % 3)
			ran_all(3, 4);
		ran_all(5, 6);
	}
	ran(7);
	check_ok(path(5.3333333, &loop));
	assert_int_equal(loop.insn_count, 6);
	for (int i = 0; i < loop.path_count; i++)
		taken += loop.path[i].insn == 1 && loop.path[i].taken;
	assert_in_range(taken, loop.turns / 3 - 1, loop.turns / 3 + 1);
	check_near(loop.elements, loop.turns, 1);
	assert_true(loop.varies);
}

/* Inner turns are few: the outer loop's whole turns are taken. */
TEST(test_nest)
{
	make(10);
	made.insn[5].flow = FLOW_BRANCH; /* back to 3 */
	made.insn[7].flow = FLOW_BRANCH; /* back to 1 */
	for (int i = 0; i < 100; i++) {
		ran_all(1, 2);
		for (int k = 0; k < 4; k++)
			ran_all(3, 5);
		ran_all(6, 7);
	}
	ran(8);
	check_ok(path(4, &loop));
	assert_int_equal(loop.insn[0].address, 0x1004);
	assert_int_equal(loop.insn_count, 7);
	assert_int_equal(loop.path_count % 16, 0);
	assert_int_equal(loop.turns, loop.path_count / 16);

	/* Many inner turns: the inner loop alone. */
	make(10);
	made.insn[5].flow = FLOW_BRANCH;
	made.insn[7].flow = FLOW_BRANCH;
	for (int i = 0; i < 4; i++) {
		ran_all(1, 2);
		for (int k = 0; k < 300; k++)
			ran_all(3, 5);
		ran_all(6, 7);
	}
	ran(8);
	check_ok(path(4, &loop));
	assert_int_equal(loop.insn[0].address, 0x1004);
	assert_int_equal(loop.turns, 256);
}

/* The path of an inner loop has all iterations between two entries, or several times so many. */
TEST(test_visits)
{
	int ends = 0;

	make(10);
	made.insn[5].flow = FLOW_BRANCH; /* back to 3 */
	made.insn[7].flow = FLOW_BRANCH; /* back to 1 */
	for (int i = 0; i < 40; i++) {
		ran_all(1, 2);
		for (int k = 0; k < 24; k++)
			ran_all(3, 5);
		ran_all(6, 7);
	}
	ran(8);
	check_ok(path(76, &loop));
	for (int i = 0; i < loop.path_count; i++)
		ends += loop.insn[loop.path[i].insn].address == made.insn[7].address;
	assert_true(ends > 5);
	assert_int_equal(loop.turns, 24 * ends);
	check_near(loop.elements, ends, 1e-9);
}

/* A function called from the loop belongs to its turn. */
TEST(test_call)
{
	make(12);
	made.insn[3].flow = FLOW_CALL; /* to 8 */
	made.insn[5].flow = FLOW_BRANCH;
	made.insn[9].flow = FLOW_RETURN;
	for (int i = 0; i < 50; i++) {
		ran_all(2, 3);
		ran_all(8, 9);
		ran_all(4, 5);
	}
	ran(6);
	check_ok(path(6, &loop));
	assert_int_equal(loop.insn_count, 6);
	assert_int_equal(loop.turns, 49);
	assert_int_equal(loop.path_count, 49 * 6);
}

/* A function that ends in a jump to another function, at a lower address, closes no loop. */
TEST(a_jump_to_a_function_is_no_loop)
{
	make(20);
	made.insn[1].flow = FLOW_RETURN;
	made.insn[3].flow = FLOW_JUMP;	    /* forward to 6 */
	made.insn[5].flow = FLOW_CALL;	    /* to 16 */
	made.insn[7].flow = FLOW_BRANCH;    /* back to 6 or 2 */
	made.insn[11].flow = FLOW_CALL;	    /* to 16 */
	made.insn[17].flow = FLOW_INDIRECT; /* to 0 */
	for (int around = 0; around < 3; around++) {
		ran(5);
		ran_all(16, 17);
		ran_all(0, 1);
		for (int i = 0; i < 50; i++) {
			ran_all(6, 7);
			ran_all(6, 7);
			ran_all(2, 3);
		}
		ran_all(6, 7);
		ran_all(10, 11);
		ran_all(16, 17);
		ran_all(0, 1);
		ran(12);
	}
	check_ok(path(3, &loop));
	assert_int_equal(loop.insn[loop.path[0].insn].address, made.insn[2].address);
	assert_true(loop.turns > 50);
}

TEST(test_none)
{
	struct status status;

	make(12);
	ran_all(0, 11);
	status = path(1, &loop);
	assert_int_equal(status.code, STATUS_FAILED);
	assert_int_equal(status.reason, STEP_NO_REPEAT);

	/* The only jump back is a call: the loop makes one iteration, so nothing repeats. */
	make(12);
	made.insn[6].flow = FLOW_CALL; /* to 0 */
	made.insn[1].flow = FLOW_RETURN;
	ran_all(4, 6);
	ran_all(0, 1);
	ran_all(7, 11);
	status = path(1, &loop);
	assert_int_equal(status.code, STATUS_FAILED);
	assert_int_equal(status.reason, STEP_NO_REPEAT);

	/* One turn is longer than the room. */
	make(60);
	made.insn[59].flow = FLOW_BRANCH;
	for (int i = 0; i < 20; i++)
		ran_all(0, 59);
	status = path(1, &loop);
	assert_int_equal(status.code, STATUS_FAILED);
	check_contains(status.text, "32 instructions");
}

RUN_TESTS(.each_set_up = setup, .each_tear_down = teardown)
