/* Finds the class of an instruction in the tables NAME.ops (format: data/uarch/README.md). The
 * explorer looks up the class of every instruction of the loop each time it draws the screen. For
 * fast access, the rules that give a class to each instruction are in a hash table by mnemonic;
 * rules with the same hash keep the order of the file. Rules whose mnemonic ends in * are in a
 * separate list. */
#include "model/core/uarch_inside.h"

#include <pthread.h>
#include <search.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/data.h"

enum { SHAPE = 24, MNEMONIC = 25, MOST_RULES = 16384, MOST_CLASSES = 2048 };

struct ops_rule {
	char mnemonic[MNEMONIC]; /* mnemonic of the rule, without the * at its end */
	char shape[SHAPE];
	int class;
	int line;
	int next; /* index of the next rule with the same hash, or of the next rule with a *; -1: no
		     further rule */
};

static unsigned hash(const char *name)
{
	unsigned h = 2166136261u;

	for (; *name; name++)
		h = (h ^ (unsigned char)*name) * 16777619u;
	return h ^ h >> 15;
}

/* ---- Finding the rule for an instruction */

/* Whether an operand of an instruction fits one word of a rule's operand pattern, such as "r" or
 * "i8". `rule_length` and `length` are the bytes of the word and of the operand. */
static bool operand_fits(const char *rule, size_t rule_length, const char *operand, size_t length,
	const struct insn *insn)
{
	if (rule_length == 1 && *rule == '*')
		return true;
	if (*rule == 'i' && rule_length > 1) {
		/* A rule's word "i8" means that the immediate value fits in 8 signed bits; "i=1"
		 * means that the value is 1. */
		int64_t value = insn->value;
		long number = strtol(rule + (rule[1] == '=' ? 2 : 1), NULL, 10);

		if (length != 1 || *operand != 'i' || !insn->immediate)
			return false;
		if (rule[1] == '=')
			return value == number;
		return number >= 64 || (value >= -(INT64_C(1) << (number - 1)) &&
					       value < INT64_C(1) << (number - 1));
	}
	return rule_length == length && memcmp(rule, operand, length) == 0;
}

static bool shape_fits(const char *rule, const struct insn *insn)
{
	const char *operand = insn->shape;

	if (rule[0] == '*' && !rule[1])
		return true;
	if (rule[0] == '-')
		return !*operand;
	for (;;) {
		size_t rule_length = strcspn(rule, ","), length = strcspn(operand, ",");

		if (length == 0 || !operand_fits(rule, rule_length, operand, length, insn))
			return false;
		rule += rule_length;
		operand += length;
		if (!*rule || !*operand)
			return *rule == *operand;
		rule++;
		operand++;
	}
}

int ops_find(const struct uarch_ops *ops, const struct insn *insn)
{
	int exact = ops->bucket[hash(insn->mnemonic) & (ops->buckets - 1)],
	    starred = ops->bucket[ops->buckets];

	while (exact >= 0 && (strcmp(ops->rule[exact].mnemonic, insn->mnemonic) != 0 ||
				     !shape_fits(ops->rule[exact].shape, insn)))
		exact = ops->rule[exact].next;
	/* A rule for mnemonics with a * at the end applies only if it is before the rule for the
	 * exact mnemonic in the file. */
	for (; starred >= 0 && (exact < 0 || starred < exact); starred = ops->rule[starred].next) {
		const struct ops_rule *rule = &ops->rule[starred];

		if (strncmp(rule->mnemonic, insn->mnemonic, strlen(rule->mnemonic)) == 0 &&
			shape_fits(rule->shape, insn))
			return rule->class;
	}
	return exact >= 0 ? ops->rule[exact].class : OPS_NONE;
}

/* Compares two names of classes. A struct ops_class begins with its name, so a pointer to it can be
 * used as a string. */
static int by_name(const void *a, const void *b)
{
	return strcmp(a, b);
}

int ops_class_find(const struct uarch_ops *ops, const char *name)
{
	char base[UARCH_NAME] = "";
	struct ops_class *const *found;
	size_t length = strcspn(name, ".");

	if (length >= sizeof(base))
		return -1;
	memcpy(base, name, length);
	found = tfind(base, (void *const *)&ops->by_name, by_name);
	return found ? (*found)->number : -1;
}

/* ---- Reading the rules */

static int add_class(struct rows *rows, struct uarch_ops *ops, const char *word)
{
	char name[UARCH_NAME];
	struct ops_class *class;
	int number;

	if (!rows_name(rows, "class", word, "-", name, sizeof(name)))
		return -1;
	number = ops_class_find(ops, name);
	if (number >= 0)
		return number;
	if (ops->class_count == MOST_CLASSES) {
		rows_fail(rows, "more than %d classes", MOST_CLASSES);
		return -1;
	}
	class = memory_new(1, sizeof(*class));
	*class = (struct ops_class){ .number = ops->class_count, .fallback = -1 };
	memcpy(class->name, name, sizeof(name));
	tsearch(class, &ops->by_name, by_name);
	ops->classes = memory_grow(ops->classes, (size_t)ops->class_count, sizeof(*ops->classes));
	ops->classes[ops->class_count] = class;
	return ops->class_count++;
}

static bool read_fallback(struct rows *rows, char *const word[3], struct uarch_ops *ops)
{
	int number = add_class(rows, ops, word[1]),
	    to = number < 0 ? -1 : add_class(rows, ops, word[2]);
	struct ops_class *from;

	if (to < 0)
		return false;
	from = ops->classes[number];
	if (from->fallback >= 0)
		return rows_fail(rows, "class \"%s\" has a fallback in line %d already", from->name,
			from->line);
	for (int at = to; at >= 0; at = ops->classes[at]->fallback)
		if (at == number)
			return rows_fail(rows, "fallback %s %s: a class cannot fall back to itself",
				word[1], word[2]);
	from->fallback = to;
	from->line = rows->line;
	return true;
}

static bool shape_operand_good(const char *at, size_t length)
{
	const char *inside = at + 1;
	size_t digits;

	if (length == 1)
		return strchr("*rvkimct=hwb", *at);
	if (length == 3 && (memcmp(at, "r<s", 3) == 0 || memcmp(at, "r<l", 3) == 0))
		return true;
	if (*at == '[') {
		/* The brackets of a memory operand in a rule may have a base, an index, a scaled
		 * index and a displacement: each at most once, in this order. */
		for (const char *order = "bisd"; *order; order++)
			inside += *inside == *order;
		return length >= 3 && *inside == ']' && inside + 1 == at + length;
	}
	if (*at != 'i')
		return false;
	inside += *inside == '=';
	digits = strspn(inside, "0123456789");
	return digits > 0 && digits <= 6 && inside + digits == at + length && at[1] != '0';
}

static bool check_shape(struct rows *rows, const char *shape)
{
	if (strlen(shape) >= SHAPE)
		return rows_fail(rows, "shape \"%.40s\" is longer than %d bytes", shape, SHAPE - 1);
	if (strcmp(shape, "-") == 0)
		return true;
	for (const char *at = shape;;) {
		size_t length = strcspn(at, ",");

		if (!shape_operand_good(at, length))
			return rows_fail(rows,
				"shape \"%s\": \"%.*s\" is not an operand: expected r v k i m c t, "
				"[bisd] or *",
				shape, (int)length, at);
		if (!at[length])
			return true;
		at += length + 1;
	}
}

static bool add_rule(struct rows *rows, struct uarch_ops *ops, const char *before,
	const char *mnemonic, const char *shape, int class)
{
	struct ops_rule *rule;
	size_t start = strlen(before), length = start + strlen(mnemonic), good;

	if (!*mnemonic || length >= MNEMONIC)
		return rows_fail(rows, "mnemonic \"%s%.40s\" has %zu bytes: expected 1 to %d",
			before, mnemonic, length, MNEMONIC - 1);
	if (ops->rule_count == MOST_RULES)
		return rows_fail(rows, "more than %d rules", MOST_RULES);
	ops->rule = memory_grow(ops->rule, (size_t)ops->rule_count, sizeof(*ops->rule));
	rule = &ops->rule[ops->rule_count++];
	*rule = (struct ops_rule){ .class = class, .line = rows->line, .next = -1 };
	memcpy(rule->mnemonic, before, start);
	memcpy(rule->mnemonic + start, mnemonic, length - start);
	strcpy(rule->shape, shape); /* check_shape() has checked its length */
	good = strspn(rule->mnemonic, "abcdefghijklmnopqrstuvwxyz0123456789._");
	return good == length || (good + 1 == length && rule->mnemonic[good] == '*') ||
	       rows_fail(rows,
		       "mnemonic \"%s\": expected small letters, digits, . and _, and * only at "
		       "the end",
		       rule->mnemonic);
}

static bool read_rule(struct rows *rows, char *const word[3], struct uarch_ops *ops)
{
	int class = OPS_MEMORY_ONLY;

	if (!check_shape(rows, word[1]))
		return false;
	if (strcmp(word[2], "-") != 0) {
		class = add_class(rows, ops, word[2]);
		if (class < 0)
			return false;
	}
	for (char *rest = word[0], *name; (name = strsep(&rest, ","));) {
		bool both = *name == '~';

		name += both;
		if (!add_rule(rows, ops, "", name, word[1], class) ||
			(both && !add_rule(rows, ops, "v", name, word[1], class)))
			return false;
	}
	return true;
}

/* Adds all rules to the hash table, in the order of the file. A rule that can never apply, because
 * an earlier rule hides it, is an error. */
static bool index_rules(struct rows *rows, struct uarch_ops *ops)
{
	for (ops->buckets = 64; ops->buckets < (unsigned)ops->rule_count * 2;)
		ops->buckets *= 2;
	ops->bucket = memory_new(ops->buckets + 1, sizeof(*ops->bucket));
	memset(ops->bucket, -1, (ops->buckets + 1) * sizeof(*ops->bucket));
	for (int i = 0; i < ops->rule_count; i++) {
		struct ops_rule *rule = &ops->rule[i];
		char *star = strchr(rule->mnemonic, '*');
		int *last = &ops->bucket[star ? ops->buckets
					      : hash(rule->mnemonic) & (ops->buckets - 1)];

		if (star)
			*star = '\0';
		for (; *last >= 0; last = &ops->rule[*last].next) {
			const struct ops_rule *earlier = &ops->rule[*last];

			if (strcmp(earlier->mnemonic, rule->mnemonic) != 0 ||
				(strcmp(earlier->shape, rule->shape) != 0 &&
					strcmp(earlier->shape, "*") != 0))
				continue;
			rows->line = rule->line;
			return rows_fail(rows,
				"%s %s: never used, because the rule in line %d matches first",
				rule->mnemonic, rule->shape, earlier->line);
		}
		*last = i;
	}
	return true;
}

struct status ops_parse(const char *text, const char *origin, struct uarch_ops **out)
{
	struct uarch_ops *ops = memory_new(1, sizeof(*ops));
	struct rows rows;
	struct status status;

	*out = NULL;
	rows_begin(&rows, text, origin);
	rows.inline_comments = true;
	while (rows_next(&rows)) {
		char *word[3];
		int words = rows_words(&rows, word, 3);
		bool fallback = strcmp(word[0], "fallback") == 0;

		if (words != 3)
			rows_fail(&rows, "expected three words: %s",
				fallback ? "fallback CLASS CLASS" : "MNEMONICS SHAPE CLASS");
		else
			(fallback ? read_fallback : read_rule)(&rows, word, ops);
	}
	if (status_is_ok(&rows.status))
		index_rules(&rows, ops);
	status = rows_end(&rows);
	if (status_is_ok(&status))
		*out = ops;
	else
		ops_free(ops);
	return status;
}

static struct status load(const char *isa, struct uarch_ops **ops)
{
	char name[48], origin[256], *text;
	struct status status;

	snprintf(name, sizeof(name), "uarch/%s.ops", isa);
	status = data_load(name, &text, origin);
	if (!status_is_ok(&status))
		return status;
	status = ops_parse(text, origin, ops);
	free(text);
	return status;
}

struct status ops_load(const char *isa, const struct uarch_ops **ops)
{
	static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
	static struct {
		char isa[16];
		struct uarch_ops *ops;
	} loaded[2]; /* x86_64 and aarch64, in the order of their first use */
	struct status status = status_ok();
	size_t i = 0;

	pthread_mutex_lock(&lock);
	while (i < 1 && loaded[i].ops && strcmp(loaded[i].isa, isa) != 0)
		i++;
	if (!loaded[i].ops) {
		snprintf(loaded[i].isa, sizeof(loaded[i].isa), "%s", isa);
		status = load(isa, &loaded[i].ops);
	}
	*ops = loaded[i].ops;
	pthread_mutex_unlock(&lock);
	return status;
}

void ops_free(struct uarch_ops *ops)
{
	if (!ops)
		return;
	free(ops->rule);
	tdestroy(ops->by_name, free);
	free(ops->classes);
	free(ops->bucket);
	free(ops);
}
