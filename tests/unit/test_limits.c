/* The limits of loops of assembly: rows of a loop and its limits. */
#include "tried_cores.h"

/* The options of a loop's row: a row each, and where its value belongs. */
static struct limits_place row_place;
static double elements, turns, predicted, scattered;
static const struct {
	const char *name;
	double *value;
} options[] = {
	{ "elements", &elements },
	{ "turns", &turns },
	{ "predicted", &predicted },
	{ "scattered", &scattered },
	{ "lines", &row_place.walk.lines },
	{ "restart", &row_place.walk.restart },
	{ "range", &row_place.walk.range },
	{ "step", &row_place.walk.step },
	{ "aliases", &row_place.walk.aliases },
	{ "places", &row_place.walk.places },
	{ "splits", &row_place.walk.splits },
	{ "mispredicts", &row_place.walk.mispredicts },
	{ "working-set", &row_place.working_set },
	{ "page", &row_place.page },
	{ "cores", &row_place.cores },
	{ "call", &row_place.call },
	{ "L1-bytes", &row_place.caches.level[0].bytes },
	{ "L2-bytes", &row_place.caches.level[1].bytes },
	{ "L3-bytes", &row_place.caches.level[2].bytes },
	{ "L3-latency", &row_place.measured.l3.latency },
	{ "L3-lines", &row_place.measured.l3.lines },
	{ "memory-latency", &row_place.measured.memory.latency },
	{ "memory-lines", &row_place.measured.memory.lines },
};

/* Each fourth access of a line's size begins at a line. */
static uint64_t by_quarters(int turn, int insn, int operand)
{
	return insn == 0 ? 64 + 16 * (uint64_t)turn : 0;
}

typedef uint64_t address_of_step(int turn, int insn, int operand);

static address_of_step *steps_named(const char *name)
{
	return strcmp(name, "unaligned") == 0	  ? unaligned
	       : strcmp(name, "by-quarters") == 0 ? by_quarters
	       : strcmp(name, "far-apart") == 0	  ? far_apart
	       : strcmp(name, "page-apart") == 0  ? page_apart
	       : strcmp(name, "two-lines") == 0	  ? two_lines
						  : NULL;
}

static struct uarch *core_named(const char *name)
{
	for (int i = 0; i < CORES; i++)
		if (strcmp(name, core_names[i]) == 0)
			return cores[i];
	return NULL;
}

/* Computes the limits of a row's loop. */
static void compute_row(struct table *table, const char *source, char *words)
{
	address_of_step *address = NULL;
	struct uarch *core = NULL;
	struct loop loop;

	row_place = (struct limits_place){ 0 };
	turns = predicted = scattered = 0;
	elements = 1;
	for (char *word, *value; (word = strtok_r(words, " ", &words));) {
		bool known = false;

		value = strtok_r(words, " ", &words);
		if (strcmp(word, "loop") == 0)
			known = (core = core_named(value)) != NULL;
		else if (strcmp(word, "steps") == 0)
			known = (address = steps_named(value)) != NULL;
		for (size_t i = 0; i < sizeof(options) / sizeof(options[0]); i++)
			if (strcmp(word, options[i].name) == 0)
				known = rows_decimal(value, strlen(value), options[i].value);
		if (!known)
			table_fail(table, "unknown %s %s", word, value);
	}
	row_place.walk.scattered = scattered > 0;
	row_place.measured.l3.known = row_place.measured.l3.latency > 0;
	row_place.measured.memory.known = row_place.measured.memory.latency > 0;
	assembly_loop(source, &loop);
	loop.elements = elements;
	if (address)
		assembly_step(&loop, (int)turns, address);
	caches_of_core(core, &row_place);
	limits_compute(&loop, core, &row_place, &limits);
	loop_free(&loop);
	assert_true(limits.predicted >= limits.bound);
	if (predicted > 0)
		check_near(limits.predicted * limits.elements, predicted, 1e-9);
}

TEST(loops_have_the_limits_of_their_rows)
{
	struct table table;
	char *source = NULL;

	table_open(&table, "limits", "loops");
	while (table_next(&table, 2)) {
		char *words = table.field[0];

		if (strncmp(words, "loop ", 5) == 0) {
			if (*table.field[1]) {
				free(source);
				source = strdup(table.field[1]);
			}
			compute_row(&table, source, words);
		} else if (strncmp(words, "binds ", 6) == 0) {
			const struct limit *limit = &limits.limit[limits.binding];

			table_expect(&table, limit_rows[limit->kind].name, words + 6);
			check_near(limits.bound, limit->cpe, 0);
		} else {
			check_row_limit(&table, words, table.field[1]);
		}
	}
	free(source);
}

/* Columns of 2,048 bytes of lines, gone down again and again, in a matrix of 16 KiB: a cache that
 * holds the columns still gets a line of the matrix with every eighth element. */
TEST(a_walk_within_a_walk_asks_for_both)
{
	struct limits_place place = { .working_set = 48 * 1024,
		.walk.lines = 2,
		.walk.range = 2048,
		.walk.far_lines = 0.125,
		.walk.far_range = 16384,
		.walk.apart = true,
		.page = 4096,
		.measured.l3 = { .known = true, .latency = 50, .lines = 0.25 },
		.caches.level[2].bytes = 65536 };
	const double far = 0.0625 * (1 - 5120.0 / 16384);

	limits_of_place(*odd, "mov rax,[rsi]; add rsi,rdx; cmp rsi,rcx; jne top", 1, &place);
	check_near(cycles_of(LIMIT_MEMORY_LINES), 2 * ((0.5 - far) / 0.5 + far / 0.25), 1e-9);
	/* In the first cache no line of a column stays; the second keeps the columns, but not the
	 * matrix. */
	check_near(limits.beyond[0], 2, 1e-9);
	check_near(limits.beyond[1], 0.125, 1e-9);
	/* All columns fit the first cache: the matrix does not. */
	place.walk.range = 512;
	limits_of_place(*odd, "mov rax,[rsi]; add rsi,rdx; cmp rsi,rcx; jne top", 1, &place);
	check_near(limits.beyond[0], 0.125, 1e-9);
	/* And then both do. */
	place.walk.far_range = 1024;
	limits_of_place(*odd, "mov rax,[rsi]; add rsi,rdx; cmp rsi,rcx; jne top", 1, &place);
	check_near(limits.beyond[0], 0, 0);
	assert_null(find(LIMIT_MEMORY_LINES));
}

RUN_TESTS(.set_up = set_up, .tear_down = tear_down)
