/* Writes the `fuse` lines of a core file from measured slots of adjacent instructions. Writes the
 * `unlaminate` line from measured slots of instructions with an index in their address. */
#include "model/measured/measured.h"

#include <stdio.h>
#include <string.h>

#include "model/core/uarch_inside.h"

enum { MNEMONICS = 64 };

/* Measured macro-fusion of one mnemonic with a following branch. If the measurement of a pair
 * failed, the pair counts as fused. If fusion is assumed, a speed limit is too low rather than too
 * high, so the limit stays a lower bound. */
struct fusion {
	char mnemonic[20];
	unsigned fuses; /* set of conditions with which the instruction fuses: one bit for each pair
			   of a condition and its inverse. A condition and its inverse read the same
			   flags, so one measurement holds for both */
	unsigned unless; /* set of exceptions in which the instruction does not fuse, one bit for
			    each entry of uarch_exceptions */
	bool written;
};

bool measured_is_rule(const char *word)
{
	return strncmp(word, "fuse ", 5) == 0 || strncmp(word, "unlaminate ", 11) == 0;
}

/* Returns the bit for the pair of a condition and its inverse. Returns 0 if the word is no branch
 * condition with an inverse. */
static unsigned pair_bit(const char *const *names, const char *word)
{
	for (int i = 0; names[i] && names[i | 1]; i++)
		if (strcmp(names[i], word) == 0)
			return 1u << i / 2;
	return 0;
}

static bool one_slot(const struct figure *figure)
{
	return !figure->known || figure->value < 1.5;
}

/* Splits "fuse cmp e" into "cmp" and "e". Returns false if the measured fact's word does not begin
 * with "fuse". */
static bool split(const struct measured_fact *fact, char mnemonic[20], char rest[24])
{
	return strncmp(fact->word, "fuse ", 5) == 0 &&
	       sscanf(fact->word + 5, "%19s %23[^\n]", mnemonic, rest) == 2;
}

static int gather(const struct measured *m, struct fusion fusion[MNEMONICS])
{
	int count = 0;

	for (int i = 0; i < m->fact_count; i++) {
		const struct figure *figure = &m->fact[i].figure;
		char mnemonic[20], rest[24];
		int k = 0;

		if (!split(&m->fact[i], mnemonic, rest) || strncmp(rest, "after ", 6) == 0)
			continue;
		while (k < count && strcmp(fusion[k].mnemonic, mnemonic) != 0)
			k++;
		if (k == MNEMONICS)
			continue;
		if (k == count)
			strcpy(fusion[count++].mnemonic, mnemonic);
		if (one_slot(figure))
			fusion[k].fuses |= pair_bit(uarch_conditions(m->isa), rest);
		/* An instruction that writes memory needs two rename slots without the branch. */
		for (int e = 0; e < EXCEPTIONS; e++)
			if (strcmp(rest, uarch_exceptions[e]) == 0 && figure->known &&
				figure->value >= (1u << e == FUSE_STORE ? 2.5 : 1.5))
				fusion[k].unless |= 1u << e;
	}
	return count;
}

static void write_fusion(
	const struct measured *m, struct fusion *fusion, int count, int first, struct text *text)
{
	const char *const *names = uarch_conditions(m->isa);
	unsigned every = 0, fuses = fusion[first].fuses, unless = fusion[first].unless;

	text_add(text, "fuse");
	for (int i = first; i < count; i++)
		if (fusion[i].fuses == fuses && fusion[i].unless == unless && !fusion[i].written) {
			text_addf(text, " %s", fusion[i].mnemonic);
			fusion[i].written = true;
		}
	for (int i = 0; names[i] && names[i + 1]; i += 2)
		every |= 1u << i / 2;
	text_add(text, fuses == every ? " with all" : " with");
	for (int i = 0; fuses != every && every >> i; i++)
		if (fuses >> i & 1)
			text_addf(text, " %s %s", names[2 * i], names[2 * i + 1]);
	text_add(text, unless ? " unless" : "");
	for (int e = 0; e < EXCEPTIONS; e++)
		if (unless >> e & 1)
			text_addf(text, " %s", uarch_exceptions[e]);
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

/* Whether an instruction form with an index in its address needs one slot. If a form was not
 * measured, it counts as fused, so that no limit is too high. */
static bool stays_fused(const struct measured *m, const char *form)
{
	const struct figure *slots = measured_fact(m, form);

	return !slots || one_slot(slots);
}

static void write_lamination(const struct measured *m, struct text *text)
{
	bool two = stays_fused(m, "unlaminate two-operand"),
	     stores = stays_fused(m, "unlaminate stores");

	if (!measured_fact(m, "unlaminate three-operand"))
		return;
	if (!stays_fused(m, "unlaminate three-operand"))
		text_addf(text, "unlaminate indexed%s%s%s [measured]\n",
			two || stores ? " unless" : "", two ? " two-operand" : "",
			stores ? " stores" : "");
	else if (two &&
		 stores) /* "unlaminate never" is correct only if all measured forms stay fused */
		text_add(text, "unlaminate never [measured]\n");
	else /* The measured operation of three operands is one of vectors. */
		text_addf(text, "unlaminate indexed unless vectors%s%s [measured]\n",
			two ? " two-operand" : "", stores ? " stores" : "");
}

void measured_write_rules(const struct measured *measured, struct text *text)
{
	struct fusion fusion[MNEMONICS] = { 0 };
	int count = gather(measured, fusion), failed = 0;

	for (int i = 0; i < measured->fact_count; i++)
		failed += strncmp(measured->fact[i].word, "fuse ", 5) == 0 &&
			  !measured->fact[i].figure.known;
	if (failed > 0)
		text_addf(text,
			"# %d pair%s could not be measured: assumed to fuse, so that no limit is "
			"too high.\n",
			failed, failed == 1 ? "" : "s");
	for (int i = 0; i < count; i++)
		if (fusion[i].fuses && !fusion[i].written)
			write_fusion(measured, fusion, count, i, text);
	write_behind(measured, "copy", text);
	write_behind(measured, "load", text);
	if (measured->nops_share)
		text_add(text, "fuse nop after any [measured]\n");
	write_lamination(measured, text);
}
