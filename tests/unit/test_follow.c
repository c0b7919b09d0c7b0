/* The way through code that calls and jumps by registers; and where it is lost. */
#include "check.h"

#include "kernels/assemble.h"
#include "model/code/decode.h"

static unsigned char room[4096] __attribute__((aligned(64)));
static struct assembly as;
static struct loop loop;
static const unsigned char *top;

#if defined(__x86_64__)
static const char jump[] = "jmp", turn[] = "jnz", call[] = "call", into[] = "r8",
		  through[] = "jmp r8", spoil[] = "add r8, rax", other[] = "jmp r9",
		  work[] = "add rax, 1", leave[] = "ret", trap[] = "ud2", system_call[] = "syscall";
static const unsigned char nothing[] = { 0x06, 0x06, 0x06, 0x06 };
#else
static const char jump[] = "b", turn[] = "b.ne", call[] = "bl", into[] = "x8", through[] = "br x8",
		  spoil[] = "add x8, x8, x0", other[] = "br x9", work[] = "add x0, x0, #1",
		  leave[] = "ret", trap[] = "br x30";
static const unsigned char nothing[] = { 0xff, 0xff, 0xff, 0xff };
#endif

static int begin(void)
{
	assemble_begin(&as, room, sizeof(room));
	top = room;
	return assemble_here(&as);
}

static struct status follow(void)
{
	check_ok(assemble_end(&as));
	return follow_loop(room, (size_t)(as.at - room), top, 2, &loop);
}

TEST(calls_return_and_registers_lead)
{
	int callee, first, next, over;

	begin();
	callee = assemble_here(&as);
	assemble(&as, work);
	assemble(&as, leave);
	first = assemble_here(&as);
	top = as.at;
	assemble_jump(&as, call, callee);
	next = assemble_label(&as);
	assemble_address(&as, into, next);
	assemble(&as, work);
	assemble(&as, through);
	assemble(&as, trap);
	assemble_bind(&as, next);
	over = assemble_label(&as);
	assemble_jump(&as, turn, over); /* not taken: it does not close the loop */
	assemble_jump(&as, call, callee);
	assemble_bind(&as, over);
	assemble_jump(&as, turn, first);
	check_ok(follow());
	/* call, work, return; address, work, jump; branch; call, work, return; branch. */
	assert_int_equal(loop.path_count, 11);
	assert_int_equal(loop.insn_count, 9);
	check_near(loop.insns_per_element, 5.5, 0);
	assert_int_equal(loop.path[0].insn, 2);
	assert_int_equal(loop.path[1].insn, 0);
	assert_true(loop.path[5].taken && !loop.path[6].taken && loop.path[10].taken);
	for (int i = 1; i < loop.insn_count; i++)
		assert_true(loop.insn[i].address > loop.insn[i - 1].address);
}

TEST(lost_ways_are_said)
{
	int first, label;

	first = begin();
	assemble(&as, other);
	assemble_jump(&as, turn, first);
	assert_int_equal(follow().code, STATUS_FAILED);

	first = begin();
	label = assemble_label(&as);
	assemble_address(&as, into, label);
	assemble(&as, spoil);
	assemble(&as, through);
	assemble_bind(&as, label);
	assemble_jump(&as, turn, first);
	assert_int_equal(follow().code, STATUS_FAILED);

	first = begin();
	assemble(&as, leave);
	assemble_jump(&as, turn, first);
	assert_int_equal(follow().code, STATUS_FAILED);

	begin();
	assemble_jump(&as, call, 0);
	check_ok(follow()); /* a loop of one call */
	begin();
	assemble(&as, work);
	label = assemble_here(&as);
	assemble_jump(&as, call, label);
	assert_int_equal(follow().code, STATUS_FAILED); /* deeper and deeper */

	begin();
	assemble(&as, work);
	assert_int_equal(follow().code, STATUS_FAILED);

	begin();
	assemble(&as, work);
	label = assemble_here(&as);
	assemble_jump(&as, jump, label);
	check_contains(follow().text, "more than 32768 instructions");
	assert_int_equal(loop.insn_count, 0);
}

/* What is no code of the loop's, and what leaves it otherwise. */
TEST(what_is_no_code_is_not_followed)
{
	int label, before;

	/* Backwards, out of what may be followed. */
	before = begin();
	assemble(&as, work);
	top = as.at;
	label = assemble_here(&as);
	assemble_jump(&as, call, before);
	assemble_jump(&as, turn, label);
	check_ok(assemble_end(&as));
	assert_int_equal(
		follow_loop(top, (size_t)(as.at - top), top, 2, &loop).code, STATUS_FAILED);

	label = begin();
	assemble(&as, work);
	memcpy(as.at, nothing, sizeof(nothing));
	as.at += sizeof(nothing);
	assemble_jump(&as, turn, label);
	assert_int_equal(follow().code, STATUS_FAILED);
#if defined(__x86_64__)
	label = begin();
	assemble(&as, system_call);
	assemble_jump(&as, turn, label);
	assert_int_equal(follow().code, STATUS_FAILED);

	/* Where the address is in memory nobody knows it, though the register is known. */
	begin();
	before = assemble_label(&as);
	assemble_address(&as, into, before);
	assemble(&as, "jmp [r8]");
	assemble_bind(&as, before);
	assemble_jump(&as, turn, 0);
	assert_int_equal(follow().code, STATUS_FAILED);
#endif
}

static int setup(void **state)
{
	loop_init(&loop, LOOP_INSNS, LOOP_PATH);
	return 0;
}

static int teardown(void **state)
{
	loop_free(&loop);
	return 0;
}

RUN_TESTS(.set_up = setup, .tear_down = teardown)
