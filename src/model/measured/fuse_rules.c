/* Writes the `fuse` lines from slots of adjacent instructions. Writes the `unlaminate` line from
 * slots of operations with an index. */
#include "model/measured/measured.h"

#include <stdio.h>
#include <string.h>

enum { MNEMONICS = 64, FLAGS = 8 };

/* Pairs of a condition and its inverse: they read the same flags, so a measurement of the first
 * holds for both. */
static const char *const flags_x86[FLAGS][2] = { { "o", "no" }, { "b", "ae" }, { "e", "ne" },
	{ "be", "a" }, { "s", "ns" }, { "p", "np" }, { "l", "ge" }, { "le", "g" } };
static const char *const flags_arm64[FLAGS][2] = { { "eq", "ne" }, { "hs", "lo" }, { "mi", "pl" },
	{ "vs", "vc" }, { "hi", "ls" }, { "ge", "lt" }, { "gt", "le" }, { NULL, NULL } };
static const char *const exceptions[] = { "memory", "memory-immediate", "relative", "store",
	"immediate" };

enum { EXCEPTIONS = sizeof(exceptions) / sizeof(exceptions[0]) };

/* The results for one mnemonic before branches. A pair whose measurement failed counts as fused.
 * The limit is then too low rather than too high, so it stays a lower bound. */
struct fusion {
	char mnemonic[20];
	unsigned asked, fuses; /* one bit for each pair of conditions */
	unsigned unless;       /* one bit for each exception */
	bool written;
};

bool measured_is_rule(const char *word)
{
	return strncmp(word, "fuse ", 5) == 0 || strncmp(word, "unlaminate ", 11) == 0;
}

static int find_flags(const struct measured *m, const char *word)
{
	const char *const(*flags)[2] = strcmp(m->isa, "x86_64") == 0 ? flags_x86 : flags_arm64;

	for (int i = 0; i < FLAGS; i++)
		for (int k = 0; k < 2; k++)
			if (flags[i][k] && strcmp(flags[i][k], word) == 0)
				return i;
	return -1;
}

static bool one_slot(const struct figure *figure)
{
	return !figure->known || figure->value < 1.5;
}

/* Splits "fuse cmp e" into "cmp" and "e". Returns false if the fact is no fuse fact. */
static bool split(const struct measured_fact *fact, char mnemonic[20], char rest[24])
{
	return strncmp(fact->word, "fuse ", 5) == 0 &&
	       sscanf(fact->word + 5, "%19s %23[^\n]", mnemonic, rest) == 2;
}

static int gather(const struct measured *m, struct fusion *fusion)
{
	int count = 0;

	for (int i = 0; i < m->fact_count; i++) {
		char mnemonic[20], rest[24];
		int k = 0, flags;

		if (!split(&m->fact[i], mnemonic, rest) || strncmp(rest, "after ", 6) == 0)
			continue;
		while (k < count && strcmp(fusion[k].mnemonic, mnemonic) != 0)
			k++;
		if (k == MNEMONICS)
			continue;
		if (k == count) {
			fusion[count] = (struct fusion){ 0 };
			memcpy(fusion[count++].mnemonic, mnemonic, sizeof(mnemonic));
		}
		flags = find_flags(m, rest);
		if (flags >= 0) {
			fusion[k].asked |= 1u << flags;
			fusion[k].fuses |= one_slot(&m->fact[i].figure) ? 1u << flags : 0;
		}
		/* An operation that writes memory itself needs two slots. */
		for (int e = 0; e < EXCEPTIONS; e++)
			if (strcmp(rest, exceptions[e]) == 0 && m->fact[i].figure.known &&
				m->fact[i].figure.value >= (strcmp(rest, "store") == 0 ? 2.5 : 1.5))
				fusion[k].unless |= 1u << e;
	}
	return count;
}

static void write_fusion(
	const struct measured *m, struct fusion *fusion, int count, int first, struct text *text)
{
	const char *const(*flags)[2] = strcmp(m->isa, "x86_64") == 0 ? flags_x86 : flags_arm64;
	unsigned every = flags[FLAGS - 1][0] ? (1u << FLAGS) - 1 : (1u << (FLAGS - 1)) - 1,
		 fuses = fusion[first].fuses, unless = fusion[first].unless;

	text_add(text, "fuse");
	for (int i = first; i < count; i++)
		if (fusion[i].fuses == fuses && fusion[i].unless == unless && !fusion[i].written) {
			text_addf(text, " %s", fusion[i].mnemonic);
			fusion[i].written = true;
		}
	text_add(text, fuses == every ? " with all" : " with");
	for (int i = 0; i < FLAGS && fuses != every; i++)
		if (fuses >> i & 1)
			text_addf(text, " %s %s", flags[i][0], flags[i][1]);
	text_add(text, unless ? " unless" : "");
	for (int e = 0; e < EXCEPTIONS; e++)
		if (unless >> e & 1)
			text_addf(text, " %s", exceptions[e]);
	text_add(text, " [measured]\n");
}

static void write_behind(const struct measured *m, const char *what, struct text *text)
{
	bool any = false;

	for (int i = 0; i < m->fact_count; i++) {
		char mnemonic[20], rest[24];

		if (!split(&m->fact[i], mnemonic, rest) || strncmp(rest, "after ", 6) != 0 ||
			strcmp(rest + 6, what) != 0 || !one_slot(&m->fact[i].figure))
			continue;
		text_addf(text, "%s %s", any ? "" : "fuse", mnemonic);
		any = true;
	}
	if (any)
		text_addf(text, " after %s [measured]\n", what);
}

/* Slots of an instruction form. Negative: not measured. */
static double slots_of(const struct measured *m, const char *form)
{
	for (int i = 0; i < m->fact_count; i++)
		if (strncmp(m->fact[i].word, "unlaminate ", 11) == 0 &&
			strcmp(m->fact[i].word + 11, form) == 0 && m->fact[i].figure.known)
			return m->fact[i].figure.value;
	return -1;
}

static void write_lamination(const struct measured *m, struct text *text)
{
	double two = slots_of(m, "two-operand"), three = slots_of(m, "three-operand"),
	       stores = slots_of(m, "stores");

	if (three < 0)
		return;
	if (three < 1.5) {
		/* "never" is only correct if the other forms stay fused, too. */
		if (two < 1.5 && stores < 1.5)
			text_add(text, "unlaminate never [measured]\n");
		return;
	}
	text_add(text, "unlaminate indexed");
	/* A form that was not measured counts as fused: this is the safer assumption. */
	if (two < 1.5 || stores < 1.5)
		text_addf(text, " unless%s%s", two < 1.5 ? " two-operand" : "",
			stores < 1.5 ? " stores" : "");
	text_add(text, " [measured]\n");
}

static void write_unmeasured(const struct measured *m, struct text *text)
{
	int count = 0;

	for (int i = 0; i < m->fact_count; i++)
		count += strncmp(m->fact[i].word, "fuse ", 5) == 0 && !m->fact[i].figure.known;
	if (count > 0)
		text_addf(text,
			"# %d pair%s could not be measured: assumed to fuse, so that no limit is "
			"too high.\n",
			count, count == 1 ? "" : "s");
}

void measured_write_rules(const struct measured *measured, struct text *text)
{
	struct fusion fusion[MNEMONICS];
	int count = gather(measured, fusion);

	write_unmeasured(measured, text);
	for (int i = 0; i < count; i++)
		if (fusion[i].fuses && !fusion[i].written)
			write_fusion(measured, fusion, count, i, text);
	write_behind(measured, "copy", text);
	write_behind(measured, "load", text);
	write_lamination(measured, text);
}
