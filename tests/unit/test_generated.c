/* Loops made at run time: what they consist of, that they can be read, and that they run: every
 * line of data/characterise.* for this machine's instruction set. */
#include "check.h"

#include "engine/memory/code_buffer.h"
#include "experiment/characterise/recipes.h"
#include "kernels/generated.h"
#include "model/code/decode.h"

#if defined(__x86_64__)
#define ADD   "add %r, rcx"
#define MUL   "imul %r, rcx"
#define NOP   "nop"
#define CHAIN "add rax, rcx"
#else
#define ADD   "add x%g, x%g, x10"
#define MUL   "mul x%g, x%g, x10"
#define NOP   "nop"
#define CHAIN "add x9, x9, x10"
#endif

enum { MEMORY = 16 << 10 };

/* A kernel laid out, as the engine does it. */
struct laid {
	struct kernel_run run;
	struct code_buffer room;
	atomic_bool cancel;
	void *memory;
};

static struct status lay(struct laid *laid, const struct kernel *kernel)
{
	*laid = (struct laid){ .memory = aligned_alloc(2 << 20, 2 << 20) };
	laid->run = (struct kernel_run){
		.kernel = kernel, .memory = laid->memory, .work.cancel = &laid->cancel
	};
	assert_true(kernel_footprint(kernel, laid->run.v) <= MEMORY);
	return code_buffer_prepare(&laid->room, &laid->run);
}

static void clear(struct laid *laid)
{
	code_buffer_free(&laid->room);
	free(laid->memory);
}

/* Lays a kernel out and decodes its loop. */
static void read_loop(const struct kernel *kernel, struct laid *laid, struct loop *loop)
{
	const void *start;

	check_ok(lay(laid, kernel));
	start = laid->run.code.start;
	loop_init(loop, 512, 512);
	check_ok(decode_loop(
		start, code_buffer_left(&laid->room, start), (double)laid->run.granule, loop));
}

static struct generated_loop two_parts(void)
{
	return (struct generated_loop){ .part_count = 2,
		.part = { { ADD, 0, 3, 4 }, { MUL, 0, 1, 2 } } };
}

TEST(the_same_loop_is_the_same_kernel)
{
	struct generated_loop a = two_parts(), b = two_parts(), c = two_parts();

	c.part[1].times = 2;
	assert_ptr_equal(generated_kernel(&a), generated_kernel(&b));
	assert_ptr_not_equal(generated_kernel(&a), generated_kernel(&c));
	assert_int_equal(generated_loop_of(generated_kernel(&c))->part[1].times, 2);
	assert_null(generated_loop_of(kernel_registry[0]));
	assert_null(kernel_find("made"));
}

/* Nothing of it is left out. */
TEST(a_line_that_is_too_long_is_refused)
{
	struct generated_loop made = two_parts();
	char *lines = made.part[0].lines;
	struct laid laid;
	size_t used = strlen(lines);

	/* The longest that goes: what an assembler skips. */
	memset(lines + used, ' ', 159 - used - 4);
	check_ok(lay(&laid, generated_kernel(&made)));
	clear(&laid);
	memset(lines, 0, sizeof(made.part[0].lines));
	strcpy(lines, ADD);
	memset(lines + used, ' ', 180 - used);
	check_contains(lay(&laid, generated_kernel(&made)).text,
		"a line of assembly of over 159 characters");
	clear(&laid);
	/* All that it may be, all of it to be replaced. */
	for (size_t i = 0; i + 2 < sizeof(made.part[0].lines); i += 2)
		memcpy(lines + i, "%e", 3);
	assert_int_equal(lay(&laid, generated_kernel(&made)).code, STATUS_FAILED);
	clear(&laid);
}

TEST(parts_are_mixed_as_often_as_asked_for)
{
	struct generated_loop made = two_parts();
	struct laid laid;
	struct loop loop;
	int adds = 0, muls = 0, row = 0, longest = 0;

	read_loop(generated_kernel(&made), &laid, &loop);
	for (int i = 0; i < loop.insn_count; i++) {
		bool mul = strstr(loop.insn[i].text, "mul") != NULL,
		     add = !strncmp(loop.insn[i].text, "add", 3);

		muls += mul;
		adds += add;
		row = mul ? 0 : row + add;
		longest = row > longest ? row : longest;
	}
	assert_int_equal(muls, laid.run.granule);
	assert_int_equal(adds, 3 * muls);
	assert_int_equal(loop.insn_count, adds + muls + 2);
	assert_true(loop.insn_count > 300);
	assert_true(longest <= 4);
	loop_free(&loop);
	clear(&laid);
}

/* Registers that the adds of a loop write, among its first `most` instructions. */
static int registers_written(const struct generated_loop *made, const char *mnemonic, int most)
{
	struct laid laid;
	struct loop loop;
	char seen[64][32];
	int count = 0;

	read_loop(generated_kernel(made), &laid, &loop);
	for (int i = 0; i < loop.insn_count && i < most; i++) {
		char *blank = strchr(loop.insn[i].text, ' ');
		size_t length = blank ? strcspn(blank + 1, ",") : 0;
		bool again = false;

		if (strncmp(loop.insn[i].text, mnemonic, strlen(mnemonic)) != 0 || length >= 32)
			continue;
		for (int k = 0; k < count; k++)
			again = again ||
				(strlen(seen[k]) == length && !strncmp(seen[k], blank + 1, length));
		if (!again)
			snprintf(seen[count++], 32, "%.*s", (int)length, blank + 1);
	}
	loop_free(&loop);
	clear(&laid);
	return count;
}

TEST(instances_take_turns_at_registers)
{
	struct generated_loop made = two_parts();

	assert_int_equal(registers_written(&made, "add", 60), 4);
	made.part_count = 1;
	made.part[0].registers = 1;
	assert_int_equal(registers_written(&made, "add", 60), 1);
	made.part[0].registers = 0;
	assert_int_equal(registers_written(&made, "add", 60), (int)generated_registers(0));
}

TEST(what_cannot_be_assembled_says_so)
{
	struct generated_loop made = { .part_count = 1, .part = { { "nonsense 1", 0, 1, 1 } } };
	struct laid laid;
	struct status status;

	status = lay(&laid, generated_kernel(&made));
	assert_int_equal(status.code, STATUS_FAILED);
	check_contains(status.text, "nonsense");
	clear(&laid);
}

/* ---- the data files */

struct walk {
	const struct recipes *recipes;
	int count, failures;
};

/* Assembles and runs; reads all but what jumps inside, whose innermost loop is another. */
static void run_it(void *context, enum item_kind kind, int of, const struct kernel *kernel)
{
	struct walk *walk = context;
	const struct item_words words = recipes_words(walk->recipes, kind, of);
	struct laid laid;
	struct status status;

	if (!kernel)
		return;
	status = lay(&laid, kernel);
	if (!status_is_ok(&status)) {
		print_error("%s: %s\n", words.text, status.text);
		walk->failures++;
	} else {
		kernel->call(&laid.run, laid.run.granule);
		kernel->call(&laid.run, 2 * laid.run.granule);
		kernel_rewind(&laid.run);
		if (laid.run.granule < 2) {
			print_error("%s: only %d elements an iteration\n", words.text,
				(int)laid.run.granule);
			walk->failures++;
		}
	}
	clear(&laid);
	walk->count++;
}

TEST(every_line_assembles_and_runs)
{
	struct recipes recipes;
	struct walk walk = { .recipes = &recipes };

	check_ok(recipes_load(NULL, &recipes));
	recipes_each(&recipes, run_it, &walk);
	assert_int_equal(walk.failures, 0);
	assert_true(walk.count > 100);
	recipes_free(&recipes);
}

TEST(slots_have_nops_beside_them)
{
	struct generated_loop made = { .part_count = 1, .part = { { CHAIN, 0, 1, 1 } } };
	const struct kernel *kernel = loop_with_nops(generated_kernel(&made), NOP, 7);
	struct laid laid;
	struct loop loop;
	int nops = 0;

	read_loop(kernel, &laid, &loop);
	for (int i = 0; i < loop.insn_count; i++)
		nops += !strncmp(loop.insn[i].text, "nop", 3);
	assert_int_equal(nops, 7 * (int)laid.run.granule);
	loop_free(&loop);
	clear(&laid);
}

/* ---- the reader */

static struct status read_text(
	const char *text, const char *const *classes, struct recipes *recipes)
{
	return recipes_read(text, "a file", classes, recipes);
}

TEST(widths_have_names_of_their_own)
{
	struct recipes recipes;

	check_ok(read_text("width | nop\nclass vadd 256,128 | a V0 | b V%n\nclass imul | c | d | "
			   "minus vadd links 2\nclass only 128 | e |\n",
		NULL, &recipes));
	assert_int_equal(recipes.class_count, 4);
	assert_string_equal(recipes.classes[0].word, "vadd");
	assert_int_equal(recipes.classes[0].bits, 256);
	assert_string_equal(recipes.classes[1].word, "vadd.128");
	assert_string_equal(recipes.classes[2].minus[0], "vadd");
	assert_int_equal(recipes.classes[2].links, 2);
	assert_string_equal(recipes.classes[3].word, "only");
	recipes_free(&recipes);
}

TEST(a_class_asked_for_brings_what_its_chain_runs_through)
{
	static const char *const asked[] = { "a", NULL };
	struct recipes recipes;

	check_ok(read_text("width | nop\nclass a | x | y | minus b\nclass b | x | y | minus "
			   "c\nclass c | x | y\nclass d | x | y\n"
			   "fact cap loads | x | rate 1\n",
		asked, &recipes));
	assert_int_equal(recipes.class_count, 3);
	assert_int_equal(recipes.fact_count, 0);
	recipes_free(&recipes);
}

TEST(facts_say_how_they_come_about)
{
	struct recipes recipes;

	check_ok(read_text("width | nop\nfact cap loads | l | rate 2\nfact extra sign | l | less m "
			   "n | half 4 setup s; t\nfuse cmp a,b | cmp x | f32\n",
		NULL, &recipes));
	assert_int_equal(recipes.fact_count, 4);
	check_near(recipes.facts[0].rate, 2, 0);
	assert_int_equal(recipes.facts[1].how, HOW_LESS);
	assert_string_equal(recipes.facts[1].lines[LOOP_OTHER], "m n");
	assert_string_equal(recipes.facts[1].setup, "s; t");
	assert_int_equal(recipes.facts[1].half, 4);
	assert_string_equal(recipes.facts[3].word, "fuse cmp b");
	recipes_free(&recipes);
}

TEST(mistakes_are_named_with_their_line)
{
	static const struct {
		const char *text;
		int line;
		const char *names;
	} mistakes[] = {
		{ "width | nop\nklass a | b | c", 2, "klass" },
		{ "width | nop\nclass a | b | c | whatever 3", 2, "whatever" },
		{ "width | nop\nclass a | b | c | needs teleport", 2, "teleport" },
		{ "width | nop\nclass a | |", 2, "\"a\"" },
		{ "width | nop\nclass a | b | c | d | e", 2, "four fields" },
		{ "width | nop\nclass a | b | c\nclass a | b | c", 3, "\"a\"" },
		{ "width | nop\nfact cap loads | l | guess", 2, "guess" },
		{ "width | nop\nclass a | b | c | minus", 2, "minus" },
		{ "width | nop\nclass a | b | c | links 0", 2, "links 0" },
		{ "width | nop\nclass a | b | c | short 4000000000", 2, "short 4000000000" },
		{ "width | nop\nfact cap loads | b | rate 1 | short two", 2, "short two" },
		{ "width | nop\nclass a | b | c | beside -1", 2, "beside -1" },
		{ "width | nop\nclass a | b | c | bits 99999999999999999999", 2,
			"bits 99999999999999999999" },
		{ "class a | b | c", 1, "width" },
	};
	struct recipes recipes;

	for (size_t i = 0; i < sizeof(mistakes) / sizeof(*mistakes); i++) {
		struct status status = read_text(mistakes[i].text, NULL, &recipes);
		char place[24];

		assert_int_equal(status.code, STATUS_FAILED);
		snprintf(place, sizeof(place), "a file:%d: ", mistakes[i].line);
		check_parts(status.text, place, mistakes[i].names);
	}
}

RUN_TESTS()
