/* Functions for the names of limits, the words for their causes (classes of operations, sets of
 * ports, numbers), and the list of limits. */
#include "model/limits/tally.h"

#include <math.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/rows.h"
#include "base/text.h"
#include "base/units.h"

#define HARD true
#define SOFT false
#define LIMIT(id, hard, resource, rank, name) \
	[LIMIT_##id] = { name, RESOURCE_##resource, rank, hard },
const struct limit_row limit_rows[LIMIT_COUNT] = {
#include "model/limits/limit_rows.h"
};

struct words limit_latency(const struct limit_insn *insn)
{
	if (!uarch_known(insn->latency))
		return (struct words){ "" };
	return insn->loading > 0
		       ? words_of("%.4g + %.4g", insn->loading, insn->latency - insn->loading)
		       : words_of("%.4g", insn->latency);
}

struct words limit_sooner(const struct limits *limits, const struct loop *loop)
{
	for (int i = 0; i < limits->chain.link_count; i++) {
		const struct chain_link *link = &limits->chain.link[i];
		int index = loop->path[link->step].insn;
		const struct limit_insn *facts = &limits->insn[index];
		double whole = facts->latency - facts->loading;

		/* A dependence through the index of an address takes longer on some cores. */
		if (link->load && !link->alu && !link->store && facts->known &&
			facts->loading <= 0 && uarch_known(facts->latency) &&
			loop->insn[index].memory_count == 1 &&
			loop->insn[index].memory[0].index != REG_NONE &&
			(double)link->cycles > facts->latency + 0.01 &&
			(double)link->cycles < facts->latency + 2.01)
			return words_of("%s takes %.4g cycles from the base of its address, but "
					"%.4g from the index",
				loop->insn[index].mnemonic, facts->latency, (double)link->cycles);
		if (link->alu && !link->load && !link->store && facts->known &&
			uarch_known(facts->latency) && link->cycles > 0 &&
			(double)link->cycles < whole - 0.01)
			return words_of("%s takes %.4g cycles, but %.4g to the next operation of "
					"the chain",
				loop->insn[index].mnemonic, whole, (double)link->cycles);
	}
	return (struct words){ "" };
}

enum limit_kind limit_find(const char *name)
{
	int kind = 0;

	while (kind < LIMIT_COUNT && strcmp(limit_rows[kind].name, name) != 0)
		kind++;
	return (enum limit_kind)kind;
}

void uses_add(struct class_uses *uses, const struct uarch_class *class, double count)
{
	int i = 0;

	if (!class || count <= 0)
		return;
	while (i < uses->count && uses->use[i].class != class)
		i++;
	if (i == uses->count) {
		uses->use = memory_grow(uses->use, (size_t)i, sizeof(*uses->use));
		uses->use[uses->count++] = (struct class_use){ .class = class };
	}
	uses->use[i].count += count;
}

/* ---- Words from the file data/limits */

enum { WORD_ROWS = 192 };

/* A row of the file data/limits: "limit NAME | EASES | REMEDY" or "class BEGIN | ONE | MANY". */
static struct word_row {
	bool limit;
	char key[24], first[48], second[160];
} word_row[WORD_ROWS];
static int word_rows;

/* Reads the rows of data/limits and stops at a malformed row. A test checks that the shipped file
 * has no malformed row. */
static void load_words(void)
{
	struct rows rows;

	rows_load(&rows, "limits");
	while (word_rows < WORD_ROWS && rows_next(&rows)) {
		struct word_row *row = &word_row[word_rows];
		char *field[3];

		row->limit = strcmp(rows_word(&rows), "limit") == 0;
		word_rows +=
			rows_fields(&rows, field, 3) == 3 &&
			rows_copy(&rows, "the name", field[0], row->key, sizeof(row->key)) &&
			rows_copy(&rows, "the text", field[1], row->first, sizeof(row->first)) &&
			rows_copy(&rows, "the text", field[2], row->second, sizeof(row->second));
	}
	rows_end(&rows);
}

/* Returns the row of the limit called `name`, or the first class row whose key is a prefix of
 * `name`. If data/limits has no such row, the texts of the result are empty. */
static const struct word_row *word_row_find(bool limit, const char *name)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;
	static const struct word_row none;

	pthread_once(&once, load_words);
	for (const struct word_row *row = word_row; row < word_row + word_rows; row++)
		if (row->limit == limit && (limit ? strcmp(name, row->key)
						  : strncmp(name, row->key, strlen(row->key))) == 0)
			return row;
	return &none;
}

const char *limit_eases(enum limit_kind kind)
{
	return word_row_find(true, limit_rows[kind].name)->first;
}

const char *limit_remedy(enum limit_kind kind)
{
	return word_row_find(true, limit_rows[kind].name)->second;
}

const char *limit_bound(enum limit_kind kind)
{
	const struct limit_row *row = &limit_rows[kind];

	if (!row->hard || row->resource == RESOURCE_MEMORY)
		return "";
	return row->resource == RESOURCE_CHAIN ? "latency bound" : "throughput bound";
}

/* Returns the noun for a class of instructions: "multiplication" if count is 1, otherwise
 * "multiplications". A class without a row in data/limits keeps its own name. */
static const char *words_class(const struct uarch_class *class, double count)
{
	const struct word_row *row = word_row_find(false, class->name);

	if (!*row->key)
		return class->name;
	return fabs(count - 1) < 1e-6 ? row->first : row->second;
}

struct limit_words words_number(double number)
{
	struct limit_words words;
	char *end = words.text +
		    snprintf(words.text, sizeof(words.text), "%.*f", number < 1 ? 3 : 2, number);

	while (strchr(words.text, '.') && (end[-1] == '0' || end[-1] == '.'))
		*--end = '\0';
	if (number > 0 && strcmp(words.text, "0") == 0)
		words_add(&words, ".001 or less");
	return words;
}

void words_add(struct limit_words *words, const char *format, ...)
{
	size_t length = strlen(words->text);
	va_list list;

	va_start(list, format);
	vsnprintf(words->text + length, sizeof(words->text) - length, format, list);
	va_end(list);
}

/* Ports whose names begin with the same word form one group: "p0156". Three or more ports with
 * consecutive numbers are written as a range: "alu0-3". Port numbers of two digits are separated by
 * commas: "p2,3,11". */
struct limit_words words_ports(const struct uarch *uarch, uint32_t ports)
{
	static const char digits[] = "0123456789";
	struct limit_words words = { "" };

	while (ports) {
		const char *word = uarch->port[__builtin_ctz(ports)];
		size_t length = strcspn(word, digits);
		int number[UARCH_PORTS], count = 0;
		bool row = true, short_ones = true;

		for (uint32_t left = ports; left; left &= left - 1) {
			const char *other = uarch->port[__builtin_ctz(left)];

			if (strcspn(other, digits) != length || strncmp(word, other, length) != 0)
				continue;
			ports &= ~(left & -left);
			number[count] = atoi(other + length);
			row &= number[count] == number[0] + count;
			short_ones &= number[count++] < 10;
		}
		words_add(&words, "%s%.*s", *words.text ? "," : "", (int)length, word);
		if (row && count >= 3)
			words_add(&words, "%d-%d", number[0], number[count - 1]);
		else
			for (int i = 0; i < count && word[length]; i++)
				words_add(
					&words, "%s%d", i == 0 || short_ones ? "" : ",", number[i]);
	}
	return words;
}

void limits_name_ports(const struct uarch *uarch, uint32_t ports, char *name, size_t size)
{
	snprintf(name, size, "%s", words_ports(uarch, ports).text);
}

struct limit_words words_uses(const struct class_uses *uses, double divide, int most)
{
	enum { KINDS = 24 };
	struct class_use kind[KINDS];
	struct limit_words words = { "" };
	int kinds = 0;

	for (int i = 0; i < uses->count; i++) {
		const struct class_use *use = &uses->use[i];
		int k = 0;

		while (k < kinds &&
			strcmp(words_class(kind[k].class, 2), words_class(use->class, 2)) != 0)
			k++;
		if (k == KINDS)
			continue;
		if (k == kinds)
			kind[kinds++] = (struct class_use){ .class = use->class };
		kind[k].count += use->count / divide;
	}
	for (int named = 0; named < kinds; named++) {
		struct class_use *best = &kind[named], use;

		if (named == most) {
			words_add(&words, " and others");
			break;
		}
		for (int k = named; k < kinds; k++)
			if (kind[k].count > best->count + 1e-9)
				best = &kind[k];
		use = *best;
		*best = kind[named];
		words_add(&words, "%s%s %s", named ? ", " : "", words_number(use.count).text,
			words_class(use.class, use.count));
	}
	return words;
}

/* ---- The list of limits */

/* Adds a limit to the list. If the list already has a limit of the same kind, a known limit
 * replaces an unknown limit, and a higher limit replaces a lower limit. */
__attribute__((format(printf, 5, 0))) static void add_limit(struct tally *tally,
	enum limit_kind kind, bool known, double cycles, const char *format, va_list list)
{
	struct limits *limits = tally->limits;
	struct limit *limit = limits->limit;

	while (limit < limits->limit + limits->limit_count && limit->kind != kind)
		limit++;
	if (limit == limits->limit + limits->limit_count)
		limits->limit_count++;
	else if (limit->known && (!known || limit->cycles >= cycles))
		return;
	*limit = (struct limit){ .kind = kind,
		.known = known,
		.hard = limit_rows[kind].hard && !tally->sampled,
		.adds = tally->adds,
		.cycles = cycles,
		.cpe = cycles / tally->elements };
	vsnprintf(limit->cause, sizeof(limit->cause), format, list);
	text_cut_clean(limit->cause, sizeof(limit->cause));
}

void limits_add(struct tally *tally, enum limit_kind kind, double cycles, const char *format, ...)
{
	va_list list;

	va_start(list, format);
	if (isfinite(cycles) && cycles > 0)
		add_limit(tally, kind, true, cycles, format, list);
	va_end(list);
}

/* Returns the limit of this kind whose cycles are known, or unknown; NULL: there is none. */
static struct limit *limit_of(const struct tally *tally, enum limit_kind kind, bool known)
{
	struct limits *limits = tally->limits;

	for (int i = 0; i < limits->limit_count; i++)
		if (limits->limit[i].kind == kind && limits->limit[i].known == known)
			return &limits->limit[i];
	return NULL;
}

void limits_set_spread(struct tally *tally, enum limit_kind kind, double cycles)
{
	struct limit *limit = limit_of(tally, kind, true);

	if (limit)
		limit->spread = cycles / tally->elements;
}

void limits_set_most(struct tally *tally, enum limit_kind kind, double cycles)
{
	struct limit *limit = limit_of(tally, kind, false);

	if (limit)
		limit->most = cycles / tally->elements;
}

void limits_set_early(struct tally *tally, enum limit_kind kind, double cycles)
{
	struct limit *limit = limit_of(tally, kind, true);

	if (limit)
		limit->early = cycles / tally->elements;
}

bool limits_uncertain(double cpe, double spread)
{
	return spread > cpe / 2;
}

bool limit_lacks_cost(const struct limit *limit)
{
	return !limit->known &&
	       (limit->kind == LIMIT_MISPREDICTION || limit->kind == LIMIT_UNKNOWN_LATENCY);
}

const char *limits_at_least(const struct limits *limits)
{
	for (int i = 0; i < limits->limit_count; i++)
		if (limit_lacks_cost(&limits->limit[i]))
			return "at least ";
	return "";
}

struct words limits_predicted(const struct limits *limits)
{
	double spread = limits->predicted_by >= 0 ? limits->limit[limits->predicted_by].spread : 0;
	struct units_text predicted = units_cycles(limits->predicted);

	if (*limits_at_least(limits))
		return words_of("%s%s", limits_at_least(limits), predicted.text);
	if (limits_uncertain(limits->predicted, spread))
		return words_of("%s, uncertain (± %s)", predicted.text, units_cycles(spread).text);
	return spread > limits->predicted / 1000
		       ? words_of("%s ± %s", predicted.text, units_cycles(spread).text)
		       : words_of("%s", predicted.text);
}

/* Returns the index of the limit that causes most of the predicted cycles above `above`. */
static int main_above(const struct limits *limits, double above)
{
	int main = limits->predicted_by;

	while (main >= 0 && limits->limit[main].adds && main + 1 < limits->limit_count &&
		limits->limit[main + 1].known &&
		2 * (limits->limit[main + 1].cpe - above) > limits->limit[main].cpe - above)
		main++;
	return main;
}

int limits_main(const struct limits *limits)
{
	return main_above(limits, 0);
}

struct words limits_predicted_by(const struct limits *limits, double above)
{
	int main = main_above(limits, above);
	const struct limit *first, *top;

	if (main < 0)
		return words_of("%s", "");
	first = &limits->limit[main];
	top = &limits->limit[limits->predicted_by];
	/* The number is that of `top`: `first` alone is not the cause if its number reads
	 * otherwise.
	 */
	if (strcmp(units_cycles(top->cpe).text, units_cycles(first->cpe).text) != 0)
		return words_of(
			"%s and %s", limit_rows[first->kind].name, limit_rows[top->kind].name);
	return words_of("%s", limit_rows[first->kind].name);
}

void limits_add_unknown(struct tally *tally, enum limit_kind kind, const char *format, ...)
{
	va_list list;

	va_start(list, format);
	add_limit(tally, kind, false, 0, format, list);
	va_end(list);
}

double limits_highest(const struct limits *limits)
{
	double most = 0;

	for (int i = 0; i < limits->limit_count; i++)
		most = fmax(most, limits->limit[i].known ? limits->limit[i].cycles : 0);
	return most;
}
