/* The cores of the tests of limits: shipped ones, and a core with every number, all different. */
#pragma once

#include "table_limits.h"

static char *head, *rest; /* the texts of tests/data/limits */
enum core { SKYLAKE, ZEN2, ZEN3, ZEN4, ZEN5, GOLDEN_COVE, ODD, BANKED, FETCHING, MERGING, CORES };
static struct uarch *cores[CORES];
static const char *const core_names[CORES] = { "skylake", "zen2", "zen3", "zen4", "zen5",
	"golden-cove", "odd", "banked", "fetching", "merging" };
static struct uarch *const *const odd = &cores[ODD];

static inline struct uarch *parse(const char *first, const char *second, const char *third)
{
	struct uarch *uarch;
	char *text;

	assert_true(asprintf(&text, "%s%s%s", first, second, third) > 0);
	check_ok(uarch_parse(text, "core", &uarch));
	free(text);
	return uarch;
}

static inline int set_up(void **state)
{
	head = table_text("limits", "head", NULL);
	rest = table_text("limits", "rest", NULL);
	check_ok(uarch_load("skylake", "x86_64", &cores[SKYLAKE]));
	check_ok(uarch_load("zen2", "x86_64", &cores[ZEN2]));
	check_ok(uarch_load("zen3", "x86_64", &cores[ZEN3]));
	check_ok(uarch_load("zen4", "x86_64", &cores[ZEN4]));
	check_ok(uarch_load("zen5", "x86_64", &cores[ZEN5]));
	check_ok(uarch_load("golden-cove", "x86_64", &cores[GOLDEN_COVE]));
	cores[ODD] = parse(head, rest, "");
	cores[BANKED] = parse(head, rest, "cap loads-bank 1 [M]\ncap store-lines 0.5 [M]\n");
	cores[MERGING] = parse(head, rest,
		"cap store-lines 0.25 [M]\nextra store-merge 2 [M]\nextra skipped-lines 3 [M]\n"
		"extra sustained-line 2.5 [M]\n");
	cores[FETCHING] = parse(head, "extra fetch-bytes 5 [M]\nextra decode 2 [M]\n", "");
	*state = cores[SKYLAKE];
	return 0;
}

static inline int tear_down(void **state)
{
	for (int i = 0; i < CORES; i++)
		uarch_free(cores[i]);
	free(head);
	free(rest);
	return 0;
}

/* Addresses of steps. */
static inline uint64_t unaligned(int turn, int insn, int operand)
{
	return 0x1000 + 60 + 16 * (uint64_t)turn;
}

static inline uint64_t far_apart(int turn, int insn, int operand)
{
	return 0x1000 + 60 + 128 * (uint64_t)turn;
}

static inline uint64_t page_apart(int turn, int insn, int operand)
{
	return (insn == 0 ? 0x10000 : 0x20000) + 8 * (uint64_t)turn;
}

static inline uint64_t two_lines(int turn, int insn, int operand)
{
	return 0x1000 + 8 * (uint64_t)turn + (insn == 1 ? 0x800 : 0);
}
