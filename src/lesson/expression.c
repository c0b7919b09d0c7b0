#include "lesson/expression.h"

#include <ctype.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/rows.h"
#include "base/units.h"
#include "lesson/expression_names.h"

/* ---- the reader ---- */

/* The deepest nesting of parentheses in an expression of a lesson. */
enum { DEEPEST = 24, NAME_ROOM = 40 };

struct reader {
	const char *text, *at, *end;
	const struct lesson_values *values;
	struct expression *into;
	int depth;
};

static struct expression_value unknown(void)
{
	return (struct expression_value){ .kind = VALUE_UNKNOWN };
}

static struct expression_value number_of(double number, enum value_unit unit)
{
	return isfinite(number) ? (struct expression_value){ .kind = VALUE_NUMBER,
		.number = number,
		.unit = unit }
				: unknown();
}

/* Keeps the first mistake of an expression. */
static void __attribute__((format(printf, 3, 4)))
fail(struct reader *reader, const char *at, const char *format, ...)
{
	va_list arguments;

	reader->at = reader->end;
	if (!reader->into->ok)
		return;
	reader->into->ok = false;
	reader->into->offset = (size_t)(at - reader->text);
	va_start(arguments, format);
	vsnprintf(reader->into->words, sizeof(reader->into->words), format, arguments);
	va_end(arguments);
	text_cut_clean(reader->into->words, sizeof(reader->into->words));
}

static void skip_blanks(struct reader *reader)
{
	while (reader->at < reader->end && (*reader->at == ' ' || *reader->at == '\t'))
		reader->at++;
}

static bool is_name(char c)
{
	return isalnum((unsigned char)c) || c == '.' || c == '_';
}

/* Returns the length in bytes of the word or number that begins at reader->at. A dash between two
 * letters is part of the word. */
static size_t word_length(const struct reader *reader)
{
	const char *at = reader->at;

	while (at < reader->end &&
		(is_name(*at) ||
			(*at == '-' && at > reader->at && at + 1 < reader->end &&
				isalpha((unsigned char)at[1]) && isalnum((unsigned char)at[-1]))))
		at++;
	return (size_t)(at - reader->at);
}

/* If the expression continues with this operator or keyword, skips it and returns true. */
static bool take(struct reader *reader, const char *token)
{
	size_t length = strlen(token);

	skip_blanks(reader);
	if ((size_t)(reader->end - reader->at) < length || memcmp(reader->at, token, length) != 0 ||
		(isalpha((unsigned char)*token) && word_length(reader) != length))
		return false;
	reader->at += length;
	return true;
}

static struct expression_value value_of_limit(
	const struct expression_side *side, enum limit_kind kind)
{
	for (int i = 0; side->limits && i < side->limits->limit_count; i++)
		if (side->limits->limit[i].kind == kind && side->limits->limit[i].known)
			return number_of(side->limits->limit[i].cpe, UNIT_NONE);
	return unknown();
}

/* Returns the measured value with this name, such as "cpe"; reports a mistake if no value has the
 * name. */
static struct expression_value named(struct reader *reader, const char *name, const char *at)
{
	const struct lesson_values *values = reader->values;
	bool of_a = strncmp(name, "A.", 2) == 0;
	const char *plain = of_a ? name + 2 : name, *all[EXPRESSION_NAMES_MOST];
	struct expression_side side = { 0 };
	struct expression_value value;

	if (values)
		side = of_a ? (struct expression_side){ values->a, values->a_limits }
			    : (struct expression_side){ values->now, values->limits };
	for (int i = 0; i < expression_name_count; i++)
		all[i] = expression_names[i].name;
	all[expression_name_count] = "limit.latency";
	for (int i = 0; i < expression_name_count; i++) {
		const struct expression_name *row = &expression_names[i];

		if (strcmp(row->name, plain) != 0 || (of_a && !row->of_side))
			continue;
		reader->into->hidden |= row->hidden;
		if (of_a && row->hidden & HIDDEN_CPE)
			reader->into->hidden ^= HIDDEN_CPE | HIDDEN_A;
		reader->into->uses_a |= of_a || row->of_a;
		reader->into->uses_now |= row->of_side && !of_a;
		reader->into->uses_knee |= row->knee;
		if (!values)
			return (struct expression_value){ .kind = VALUE_UNKNOWN,
				.word = row->word ? "" : NULL };
		value = number_of(
			row->of_side ? row->of_side(&side) : row->of_all(values), row->unit);
		value.measured = row->hidden & HIDDEN_CPE && !row->knee;
		if (row->knee && values->curve_bytes)
			value.unit = UNIT_BYTES;
		if (row->word)
			value.word = "";
		if (row->word && value.kind == VALUE_NUMBER) {
			value.kind = VALUE_WORD;
			value.word = limit_rows[side.limits->limit[side.limits->binding].kind].name;
		}
		return value;
	}
	if (strncmp(plain, "limit.", 6) == 0 && limit_find(plain + 6) != LIMIT_COUNT) {
		reader->into->uses_a |= of_a;
		reader->into->uses_now |= !of_a;
		reader->into->hidden |= HIDDEN_LIMITS;
		return value_of_limit(&side, limit_find(plain + 6));
	}
	if (limit_find(name) != LIMIT_COUNT)
		return (struct expression_value){ VALUE_WORD, 0, UNIT_NONE,
			limit_rows[limit_find(name)].name };
	fail(reader, at, "%s",
		status_unknown("unknown value", name, all, expression_name_count + 1, NULL).text);
	return unknown();
}

static struct expression_value read_number(struct reader *reader, const char *word, size_t length)
{
	static const char suffixes[] = "bkmg";
	const char *suffix = strchr(suffixes, tolower((unsigned char)word[length - 1]));
	double number, factor = 1;

	for (const char *s = suffixes; suffix && s < suffix; s++)
		factor *= 1024;
	if (rows_decimal(word, length - (suffix != NULL), &number))
		return number_of(number * factor, suffix ? UNIT_BYTES : UNIT_NONE);
	fail(reader, word, "\"%.*s\" is no number: write one such as 2, 0.5 or 48k", (int)length,
		word);
	return unknown();
}

static struct expression_value read_or(struct reader *reader);

static struct expression_value read_factor(struct reader *reader)
{
	struct expression_value value;
	const char *at;
	size_t length;
	char name[NAME_ROOM];

	skip_blanks(reader);
	at = reader->at;
	if (take(reader, "(")) {
		if (++reader->depth > DEEPEST) {
			fail(reader, at, "more than %d brackets inside each other", DEEPEST);
			return unknown();
		}
		value = read_or(reader);
		reader->depth--;
		if (reader->into->ok && !take(reader, ")"))
			fail(reader, reader->at, "expected \")\" for the \"(\" before");
		return value;
	}
	length = word_length(reader);
	if (length == 0 || length >= sizeof(name)) {
		fail(reader, at,
			length ? "\"%.*s…\" is too long for a name"
			       : "expected a value such as cpe, A.cpe, limit or 2%.*s",
			length ? 20 : 0, at);
		return unknown();
	}
	reader->at += length;
	if (isdigit((unsigned char)*at))
		return read_number(reader, at, length);
	memcpy(name, at, length);
	name[length] = '\0';
	return named(reader, name, at);
}

/* Only numbers can be added, multiplied or ordered; a value that is a word, such as "ports", can
 * only be equal or not. */
static bool numbers_only(struct reader *reader, const char *at, const char *op,
	const struct expression_value *left, const struct expression_value *right)
{
	if (left->word || right->word)
		fail(reader, at, "\"%s\" needs numbers: only = and != compare words", op);
	return left->kind == VALUE_NUMBER && right->kind == VALUE_NUMBER;
}

static enum value_unit unit_of(
	char op, const struct expression_value *left, const struct expression_value *right)
{
	if (left->unit == right->unit)
		return op == '/' || op == '*' ? UNIT_NONE : left->unit;
	if (right->unit == UNIT_NONE)
		return left->unit;
	return op == '*' && left->unit == UNIT_NONE ? right->unit : UNIT_NONE;
}

static double result_of(char op, double left, double right)
{
	switch (op) {
	case '*': return left * right;
	case '/': return left / right;
	case '+': return left + right;
	default: return left - right;
	}
}

/* Reads values with one of two operators between them. */
static struct expression_value read_chain(struct reader *reader, const char *first,
	const char *second, struct expression_value (*read_next)(struct reader *reader))
{
	struct expression_value left = read_next(reader);

	while (reader->into->ok) {
		const char *at = reader->at, *op = take(reader, first)	  ? first
						   : take(reader, second) ? second
									  : NULL;
		struct expression_value right;
		bool measured = left.measured;

		if (!op)
			break;
		right = read_next(reader);
		measured |= right.measured;
		left = numbers_only(reader, at, op, &left, &right)
			       ? number_of(result_of(*op, left.number, right.number),
					 unit_of(*op, &left, &right))
			       : unknown();
		left.measured = measured;
	}
	return left;
}

static struct expression_value read_product(struct reader *reader)
{
	return read_chain(reader, "*", "/", read_factor);
}

static struct expression_value read_sum(struct reader *reader)
{
	return read_chain(reader, "+", "-", read_product);
}

static bool compare(const char *op, double left, double right)
{
	if (strcmp(op, "about") == 0)
		return fabs(left - right) <= ABOUT * fabs(right);
	switch (*op) {
	case '<': return op[1] ? left <= right : left < right;
	case '>': return op[1] ? left >= right : left > right;
	case '!': return left != right;
	default: return left == right;
	}
}

static struct expression_value read_comparison(struct reader *reader)
{
	static const char *const operators[] = { "<=", ">=", "!=", "<", ">", "=", "about" };
	struct expression_value left = read_sum(reader), right;
	const char *at = reader->at, *op = NULL;
	bool same;

	for (size_t i = 0; !op && reader->into->ok && i < sizeof(operators) / sizeof(*operators);
		i++)
		if (take(reader, operators[i]))
			op = operators[i];
	if (!op)
		return left;
	right = read_sum(reader);
	reader->into->condition = true;
	if ((left.word || right.word) && (*op == '=' || *op == '!')) {
		if (!left.word || !right.word)
			fail(reader, at, "a number and a word cannot be equal");
		if (left.kind != VALUE_WORD || right.kind != VALUE_WORD)
			return unknown();
		same = strcmp(left.word, right.word) == 0;
		return number_of(same == (*op == '='), UNIT_NONE);
	}
	if (!numbers_only(reader, at, op, &left, &right))
		return unknown();
	return number_of(compare(op, left.number, right.number), UNIT_NONE);
}

static struct expression_value read_and(struct reader *reader)
{
	struct expression_value left = read_comparison(reader);

	while (reader->into->ok && take(reader, "and")) {
		struct expression_value right = read_comparison(reader);

		left = left.kind == VALUE_NUMBER && right.kind == VALUE_NUMBER
			       ? number_of(left.number != 0 && right.number != 0, UNIT_NONE)
			       : unknown();
	}
	return left;
}

static struct expression_value read_or(struct reader *reader)
{
	struct expression_value left = read_and(reader);

	while (reader->into->ok && take(reader, "or")) {
		struct expression_value right = read_and(reader);

		left = left.kind == VALUE_NUMBER && right.kind == VALUE_NUMBER
			       ? number_of(left.number != 0 || right.number != 0, UNIT_NONE)
			       : unknown();
	}
	return left;
}

struct expression expression_read(
	const char *text, size_t length, const struct lesson_values *values)
{
	struct expression expression = { .ok = true };
	struct reader reader = { .text = text,
		.at = text,
		.end = text + length,
		.values = values,
		.into = &expression };

	expression.value = read_or(&reader);
	skip_blanks(&reader);
	if (expression.ok && reader.at < reader.end)
		fail(&reader, reader.at,
			"expected an operator such as / or <, or the end, not \"%.*s\"",
			(int)(reader.end - reader.at < 20 ? reader.end - reader.at : 20),
			reader.at);
	if (!expression.ok)
		expression.value = unknown();
	return expression;
}

/* ---- words ---- */

/* Writes a number with three significant digits: 3.01, 12.4, 163, 0.752. An exact whole number has
 * no decimals: 6. */
static struct words three_digits(double value, bool measured)
{
	double size = fabs(value);

	if (!measured && size < 1e6 && value == floor(value))
		return words_of("%.0f", value);
	if (size >= 0.0995)
		return words_of("%.*f",
			size >= 99.95	 ? 0
			: size >= 9.995	 ? 1
			: size >= 0.9995 ? 2
					 : 3,
			value);
	return words_of("%s", units_cycles(value).text);
}

struct words expression_words(const struct expression_value *value)
{
	if (value->kind == VALUE_UNKNOWN)
		return words_of("?");
	if (value->kind == VALUE_WORD)
		return words_of("%s", value->word);
	switch (value->unit) {
	case UNIT_BYTES:
		if (value->number >= 1024 && value->number < 1e15) {
			double unit = value->number >= 1 << 30	 ? 1 << 30
				      : value->number >= 1 << 20 ? 1 << 20
								 : 1 << 10;
			double whole = round(value->number / unit * 10) / 10;

			return words_of("%.*f %s", whole != floor(whole), whole,
				unit > 1 << 20	 ? "GiB"
				: unit > 1 << 10 ? "MiB"
						 : "KiB");
		}
		return words_of("%.0f bytes", value->number);
	case UNIT_GHZ: return words_of("%.2f GHz", value->number);
	case UNIT_NS: return words_of("%s ns", three_digits(value->number, value->measured).text);
	case UNIT_GBPS:
		return words_of("%s GB/s", three_digits(value->number, value->measured).text);
	default: return three_digits(value->number, value->measured);
	}
}
