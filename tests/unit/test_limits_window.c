/* How many misses stand in a core's window at once, and which buffer is full: loops and cores made
 * up, so that entries can be counted by hand. */
#include "loop_limits.h"

#define PLENTY "size rob 400 [M]\nsize load-queue 400 [M]\nsize store-queue 400 [M]\n"

static struct uarch *core;

/* What its buffers hold, as lines of a core's file. */
static void make_core(const char *sizes, const char *more)
{
	char text[2048];

	uarch_free(core);
	snprintf(text, sizeof(text),
		"uarch odd A core for tests\nisa x86_64\nwidth 4 [M]\nports a0 a1 l0 l1 [M]\nclass "
		"alu latency 1 ports a0,a1 [M]\n"
		"class branch ports a1 [M]\nclass taken ports a1 [M]\nclass load latency 4 ports "
		"l0,l1 [M]\nclass lea latency 1 ports a0,a1 [M]\n"
		"cache 1 bytes 1024 latency 4 [M]\ncache 2 bytes 4096 latency 14 lines 0.5 "
		"[M]\nfuse cmp with all [M]\n%s%s",
		sizes, more);
	check_ok(uarch_parse(text, "core", &core));
}

/* Misses that lead to the next of their chain, `count` of each filler behind each. */
static void ask(int misses, const char *filler, int count)
{
	static const char *const miss[] = { "mov rax,[rax]", "mov rbx,[rbx]", "mov r8,[r8]" };
	struct limits_place place = { .working_set = 1 << 20,
		.walk.lines = misses,
		.walk.scattered = true,
		.measured.l3 = { .known = true, .latency = 50, .lines = 0.25 },
		.caches.level[2].bytes = 1 << 24 };
	struct text text = { 0 };

	for (int i = 0; i < misses; i++) {
		text_addf(&text, "%s; ", miss[i]);
		for (int k = 0; k < count; k++)
			text_addf(&text, "%s; ", filler);
	}
	text_add(&text, "cmp rsi,rdi; jne top");
	limits_of_place(core, text_string(&text), 1, &place);
	text_free(&text);
}

/* Cycles of one miss. */
static double each(void)
{
	const double all = 1 << 20;

	return (14 * 4096 + 50 * (all - 5120)) / all;
}

static void check_misses(double misses, double together)
{
	const struct limit *limit = find(LIMIT_MISSES);

	if (!limit)
		fail_msg("no limit by misses");
	check_near(limit->cycles, misses * each() / together, 1e-9);
	assert_false(limit->hard);
}

/* Twelve entries: a miss, ten others and the next miss. A branch takes the one of the comparison
 * that it is fused with. */
TEST(the_reorder_buffer_has_room_for_what_lies_between)
{
	static const char *const fillers[] = { "add rcx,rdx", "cmp rcx,rdx; jne top" };

	for (size_t i = 0; i < sizeof(fillers) / sizeof(*fillers); i++) {
		make_core("size rob 12 [M]\n", "");
		ask(2, fillers[i], 10);
		check_misses(2, 2);
		ask(2, fillers[i], 11);
		check_misses(2, 1);
		assert_null(find(LIMIT_WINDOW));
	}
}

/* Four registers: those of both misses, and of two additions. What is done at rename, as zeroing
 * is, takes none. */
TEST(the_buffer_that_is_full_is_named)
{
	make_core(PLENTY, "size scheduler 400 [M]\nsize registers 4 [M]\n");
	ask(2, "add rcx,rdx", 2);
	assert_null(find(LIMIT_WINDOW));
	check_misses(2, 2);
	ask(2, "add rcx,rdx", 3);
	assert_non_null(find(LIMIT_WINDOW));
	assert_false(find(LIMIT_WINDOW)->hard);
	check_near(find(LIMIT_WINDOW)->cycles, 2 * each(), 1e-9);
	check_contains(cause_of(LIMIT_WINDOW), "1 at a time: the 4 entries of integer registers");
	ask(2, "xor ecx,ecx", 3);
	assert_null(find(LIMIT_WINDOW));
	/* Of three misses two are in flight. */
	ask(3, "add rcx,rdx", 1);
	check_near(find(LIMIT_WINDOW)->cycles, 3 * each() / 2, 1e-9);
	check_misses(3, 3);
}

/* The flags of a core can have registers of their own: an addition takes one of them, too. */
TEST(the_registers_of_flags_are_a_buffer)
{
	make_core(PLENTY, "size registers 400 [M]\nsize flags 2 [M]\n");
	ask(2, "add rcx,rdx", 2);
	assert_null(find(LIMIT_WINDOW));
	ask(2, "add rcx,rdx", 3);
	check_contains(
		cause_of(LIMIT_WINDOW), "1 at a time: the 2 entries of the flags' registers");
	ask(2, "lea rcx,[rdx+8]", 3);
	assert_null(find(LIMIT_WINDOW));
	ask(2, "xor ecx,ecx", 3);
	assert_null(find(LIMIT_WINDOW));
}

/* What waits for a miss stands in the scheduler, and what waits for that; others have left. */
TEST(what_waits_is_in_the_scheduler)
{
	make_core(PLENTY, "size registers 400 [M]\nsize scheduler 4 [M]\n");
	ask(2, "add rcx,rdx", 50);
	assert_null(find(LIMIT_WINDOW));
	ask(2, "lea rcx,[rax+8]", 3);
	assert_null(find(LIMIT_WINDOW));
	/* Those behind the second miss do not wait for it, so there is room between it and the
	 * first. */
	ask(2, "lea rcx,[rax+8]; lea rdx,[rbx+8]; add rcx,rdx", 4);
	check_contains(cause_of(LIMIT_WINDOW), "the 4 entries of the scheduler");
}

/* A buffer whose size nobody knows is not called full, nor one that leaves as many misses in flight
 * as there can be anyway. */
TEST(nothing_is_called_full_that_does_not_matter)
{
	make_core("size rob 400 [M]\n", "");
	ask(2, "add rcx,rdx", 50);
	check_misses(2, 2);
	assert_null(find(LIMIT_WINDOW));
	make_core(PLENTY, "size registers 4 [M]\nextra misses 1 [M]\n");
	ask(2, "add rcx,rdx", 50);
	check_misses(2, 1);
	assert_null(find(LIMIT_WINDOW));
}

static int tear_down(void **state)
{
	uarch_free(core);
	limits_free(&limits);
	return 0;
}

RUN_TESTS(.tear_down = tear_down)
