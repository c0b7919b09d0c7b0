#include "experiment/characterise/recipes.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/data.h"
#include "base/rows.h"
#include "base/text.h"
#include "kernels/features.h"

enum { FIELDS = 4, WIDTHS = 3, CLASSES_MOST = MEASURED_OPS, FACTS_MOST = MEASURED_FACTS };

struct reader {
	struct rows rows;
	struct recipes *recipes;
	const char *const *classes; /* as recipes_read() */
};

/* Fails, and names the word unless it is empty. */
static void wrong(struct reader *reader, const char *what, const char *word)
{
	rows_fail(&reader->rows, "%s%s%.60s%s", what, *word ? " \"" : "", word, *word ? "\"" : "");
}

static bool good(const struct reader *reader)
{
	return status_is_ok(&reader->rows.status);
}

/* Removes blanks at both ends. */
static char *trim(char *text)
{
	size_t length;

	text += strspn(text, " \t\r");
	length = strlen(text);
	while (length && strchr(" \t\r", text[length - 1]))
		text[--length] = '\0';
	return text;
}

/* Copies a text that may be empty. */
static void copy(struct reader *reader, char *to, size_t size, const char *from)
{
	*to = '\0';
	if (*from)
		rows_copy(&reader->rows, "the text", from, to, size);
}

/* Splits "A,B" into names. */
static void split_names(struct reader *reader, const char *list, char names[TAKEN_OFF][24])
{
	for (int i = 0; *list; i++) {
		size_t length = strcspn(list, ",");

		if (i == TAKEN_OFF || length == 0 || length >= 24) {
			wrong(reader, "expected names of classes, joined by commas:", list);
			return;
		}
		memcpy(names[i], list, length);
		list += length;
		list += *list == ',';
	}
}

/* ---- options */

struct options {
	bool can; /* this processor has the needed features */
	char minus[TAKEN_OFF][24];
	unsigned links, beside, bits, bodies;
	unsigned half, accesses;
	bool f32, clean;
	char load[24], store[24], adds[GENERATED_LINES], setup[GENERATED_LINES];
};

static void read_needs(struct reader *reader, char *list, struct options *options)
{
	char *rest, *word;

	for (word = strtok_r(list, ",", &rest); word; word = strtok_r(NULL, ",", &rest)) {
		bool known;

		if (!features_word(word, &known))
			options->can = false;
		if (!known)
			wrong(reader, "unknown feature", word);
	}
}

/* A whole number from `least` to MOST, the most instances that a loop holds. */
enum { MOST = 1024 };

static unsigned number(
	struct reader *reader, const char *word, const char *value, unsigned long least)
{
	char *end;
	unsigned long number = strtoul(value, &end, 10);

	if (*value >= '0' && *value <= '9' && !*end && number >= least && number <= MOST)
		return (unsigned)number;
	rows_fail(&reader->rows, "\"%s %.20s\": expected a whole number from %lu to %d", word,
		value, least, MOST);
	return 0;
}

/* "vload", or "8*vload". */
static void read_access(
	struct reader *reader, const char *word, char *value, char to[24], struct options *options)
{
	char *times = strchr(value, '*') ? strsep(&value, "*") : NULL;

	if (times)
		options->accesses = number(reader, word, times, 1);
	copy(reader, to, 24, value);
}

/* Copies the rest of the field. */
static void read_rest(struct reader *reader, char **rest, char *to)
{
	copy(reader, to, GENERATED_LINES, trim(*rest));
	*rest = NULL;
}

static void read_number(
	struct reader *reader, const char *word, const char *value, struct options *options)
{
	static const char *const names[] = { "links", "short", "half", "bits", "beside", "minus",
		"load", "store", "needs", "adds", "setup", "f32", "clean" };
	unsigned *const to[] = { &options->links, &options->bodies, &options->half, &options->bits,
		&options->beside };
	int option = rows_choice(&reader->rows, "option", word, names, 13);

	if (option >= 0 && option < 5)
		*to[option] = number(reader, word, value, option < 4);
}

static void read_options(struct reader *reader, char *text, struct options *options)
{
	char *rest = text;

	*options = (struct options){ .can = true, .links = 1 };
	while (rest && *(rest = trim(rest)) && good(reader)) {
		char *word = strsep(&rest, " "), *value = NULL;

		if (strcmp(word, "f32") == 0) {
			options->f32 = true;
			continue;
		}
		if (strcmp(word, "clean") == 0) {
			options->clean = true;
			continue;
		}
		if (!rest) {
			wrong(reader, "missing value after", word);
			return;
		}
		if (strcmp(word, "adds") == 0) {
			read_rest(reader, &rest, options->adds);
			continue;
		}
		if (strcmp(word, "setup") == 0) {
			read_rest(reader, &rest, options->setup);
			continue;
		}
		value = strsep(&rest, " ");
		if (strcmp(word, "minus") == 0)
			split_names(reader, value, options->minus);
		else if (strcmp(word, "load") == 0)
			read_access(reader, word, value, options->load, options);
		else if (strcmp(word, "store") == 0)
			read_access(reader, word, value, options->store, options);
		else if (strcmp(word, "needs") == 0)
			read_needs(reader, value, options);
		else
			read_number(reader, word, value, options);
	}
}

/* The widest vector register that the lines name. */
static unsigned bits_of(const char *lines)
{
	return strstr(lines, "zmm")			     ? 512
	       : strstr(lines, "ymm")			     ? 256
	       : strstr(lines, "xmm") || strstr(lines, "%n") ? 128
							     : 0;
}

/* ---- lines */

/* Whether the caller named a class, or the class without its width. */
static bool wanted(const struct reader *reader, const char *name)
{
	size_t stem = strcspn(name, ".");

	for (int i = 0; reader->classes && reader->classes[i]; i++)
		if (strcmp(reader->classes[i], name) == 0 ||
			(strlen(reader->classes[i]) == stem &&
				strncmp(reader->classes[i], name, stem) == 0))
			return true;
	return !reader->classes;
}

/* "NAME 128,256,512" */
static void read_class(struct reader *reader, char *field[FIELDS])
{
	char *name = strtok(field[0], " "), *list = strtok(NULL, " ");
	unsigned widths[WIDTHS] = { 0 };
	int count = 0;
	struct options options;

	read_options(reader, field[3], &options);
	if (!name || (!*field[1] && !*field[2]))
		wrong(reader, "expected a class with a name, and a chain or free instances:",
			name ? name : "");
	for (; list && *list && count < WIDTHS; count++) {
		widths[count] = (unsigned)strtoul(list, &list, 10);
		list += *list == ',';
	}
	for (int i = 0; i < (count ? count : 1) && good(reader); i++) {
		struct class_recipe *recipe =
			&reader->recipes->classes[reader->recipes->class_count];

		if (!options.can || (widths[i] == 512 && !features_have(FEATURE_AVX512)))
			continue;
		*recipe = (struct class_recipe){ .links = options.links,
			.beside = options.beside,
			.bodies = options.bodies,
			.clean = options.clean,
			.values = options.f32 ? GENERATED_F32 : GENERATED_F64 };
		recipe->bits = widths[i]      ? widths[i]
			       : options.bits ? options.bits
					      : bits_of(*field[2] ? field[2] : field[1]);
		if (snprintf(recipe->name, sizeof(recipe->name), i > 0 ? "%s.%u" : "%s", name,
			    widths[i]) >= (int)sizeof(recipe->name))
			wrong(reader, "the name is too long:", name);
		copy(reader, recipe->chain, GENERATED_LINES, field[1]);
		copy(reader, recipe->free, GENERATED_LINES, field[2]);
		memcpy(recipe->adds, options.adds, GENERATED_LINES);
		memcpy(recipe->setup, options.setup, GENERATED_LINES);
		memcpy(recipe->minus, options.minus, sizeof(recipe->minus));
		memcpy(recipe->load, options.load, sizeof(recipe->load));
		recipe->accesses = options.accesses;
		memcpy(recipe->store, options.store, sizeof(recipe->store));
		for (int k = 0; k < reader->recipes->class_count; k++)
			if (strcmp(reader->recipes->classes[k].name, recipe->name) == 0)
				wrong(reader, "a class is listed twice:", recipe->name);
		if (++reader->recipes->class_count == CLASSES_MOST)
			wrong(reader, "too many classes", "");
	}
}

static struct fact_recipe *add_fact(
	struct reader *reader, const struct options *options, const char *loop)
{
	struct recipes *recipes = reader->recipes;
	struct fact_recipe *fact = &recipes->facts[recipes->fact_count];

	if (recipes->fact_count == FACTS_MOST - 1) {
		wrong(reader, "too many facts", "");
		return fact;
	}
	*fact = (struct fact_recipe){ .bits = options->bits ? options->bits : bits_of(loop),
		.values = options->f32 ? GENERATED_F32 : GENERATED_F64,
		.bodies = options->bodies,
		.clean = options->clean,
		.half = options->half };
	memcpy(fact->setup, options->setup, GENERATED_LINES);
	copy(reader, fact->loop, GENERATED_LINES, loop);
	recipes->fact_count++;
	return fact;
}

static void read_fact(struct reader *reader, char *field[FIELDS])
{
	char *rest = field[2], *how = strsep(&rest, " ");
	struct options options;
	struct fact_recipe *fact;

	read_options(reader, field[3], &options);
	rest = rest ? trim(rest) : how + strlen(how);
	if (!*field[1] || !*how)
		wrong(reader, "expected a fact with a loop and a rule:", field[0]);
	if (!options.can || !good(reader))
		return;
	fact = add_fact(reader, &options, field[1]);
	copy(reader, fact->word, sizeof(fact->word), field[0]);
	if (strcmp(how, "cycles") == 0) {
		fact->how = HOW_CYCLES;
	} else if (strcmp(how, "slots") == 0) {
		fact->how = HOW_SLOTS;
	} else if (strcmp(how, "rate") == 0) {
		fact->how = HOW_RATE;
		fact->rate = strtod(rest, NULL);
	} else if (strcmp(how, "minus") == 0) {
		fact->how = HOW_MINUS;
		split_names(reader, rest, fact->minus);
	} else if (strcmp(how, "less") == 0 || strcmp(how, "over") == 0) {
		fact->how = *how == 'l' ? HOW_LESS : HOW_OVER;
		copy(reader, fact->other, GENERATED_LINES, rest);
	} else {
		wrong(reader, "unknown rule for a fact:", how);
	}
}

/* "MNEMONIC CONDITIONS": a fact for each condition. */
static void read_fuse(struct reader *reader, char *field[FIELDS], const char *jump)
{
	char *name = strtok(field[0], " "), *list = strtok(NULL, " "), *rest, *condition;
	struct options options;

	read_options(reader, field[2], &options);
	if (!name || !list)
		wrong(reader, "expected an instruction and conditions:", name ? name : "");
	if (!options.can || !good(reader))
		return;
	for (condition = strtok_r(list, ",", &rest); condition;
		condition = strtok_r(NULL, ",", &rest)) {
		char loop[GENERATED_LINES];
		struct fact_recipe *fact;

		snprintf(loop, sizeof(loop), "%.200s; %s%.8s >", field[1], jump, condition);
		fact = add_fact(reader, &options, loop);
		snprintf(fact->word, sizeof(fact->word), "fuse %.16s %.8s", name, condition);
		fact->how = HOW_SLOTS;
	}
}

static void read_line(struct reader *reader)
{
	static const char *const kinds[] = { "class", "fact", "fuse", "width" };
	struct recipes *recipes = reader->recipes;
	int kind = rows_choice(&reader->rows, "line", rows_word(&reader->rows), kinds, 4);
	char *field[FIELDS];

	if (rows_fields(&reader->rows, field, FIELDS) > FIELDS)
		wrong(reader, "more than four fields:", field[0]);
	if (!good(reader))
		return;
	switch (kind) {
	case 0: read_class(reader, field); break;
	case 1: read_fact(reader, field); break;
	case 2: read_fuse(reader, field, features_have(FEATURE_X86_64) ? "j" : "b."); break;
	default:
		if (recipes->width_count == WIDTH_LINES)
			wrong(reader, "too many lines \"width\"", "");
		else
			copy(reader, recipes->width[recipes->width_count++], GENERATED_LINES,
				field[1]);
	}
}

/* Removes the classes that the caller did not name, unless a named class needs their latency. */
static void choose(struct reader *reader)
{
	struct recipes *recipes = reader->recipes;
	bool keep[CLASSES_MOST] = { false }, more = true;
	int kept = 0;

	for (int i = 0; i < recipes->class_count; i++)
		keep[i] = wanted(reader, recipes->classes[i].name);
	while (more) {
		more = false;
		for (int i = 0; i < recipes->class_count; i++)
			for (int n = 0; keep[i] && n < TAKEN_OFF; n++)
				for (int k = 0; k < recipes->class_count; k++)
					if (!keep[k] && strcmp(recipes->classes[k].name,
								recipes->classes[i].minus[n]) == 0)
						keep[k] = more = true;
	}
	for (int i = 0; i < recipes->class_count; i++)
		if (keep[i])
			recipes->classes[kept++] = recipes->classes[i];
	recipes->class_count = kept;
	if (reader->classes)
		recipes->fact_count = 0;
}

struct status recipes_read(
	const char *text, const char *origin, const char *const *classes, struct recipes *recipes)
{
	struct reader reader = { .recipes = recipes, .classes = classes };
	struct status status;

	*recipes = (struct recipes){ .classes = memory_new(
					     CLASSES_MOST + 1, sizeof(*recipes->classes)),
		.facts = memory_new(FACTS_MOST, sizeof(*recipes->facts)) };
	rows_begin(&reader.rows, text, origin);
	while (rows_next(&reader.rows))
		read_line(&reader);
	if (good(&reader))
		choose(&reader);
	if (good(&reader) && recipes->width_count == 0)
		wrong(&reader, "no line \"width\"", "");
	status = rows_end(&reader.rows);
	if (!status_is_ok(&status))
		recipes_free(recipes);
	return status;
}

struct status recipes_load(const char *const *classes, struct recipes *recipes)
{
	char origin[256], *text;
	struct status status = data_load(
		features_have(FEATURE_X86_64) ? "characterise.x86_64" : "characterise.aarch64",
		&text, origin);

	*recipes = (struct recipes){ 0 };
	if (!status_is_ok(&status))
		return status;
	status = recipes_read(text, origin, classes, recipes);
	free(text);
	return status;
}

void recipes_free(struct recipes *recipes)
{
	free(recipes->classes);
	free(recipes->facts);
	*recipes = (struct recipes){ 0 };
}

/* ---- loops */

static void lines_of(char *to, const char *from)
{
	snprintf(to, GENERATED_LINES, "%s", from);
}

/* A loop of one kind of instances. */
static const struct kernel *one_part(
	struct generated_loop loop, const char *lines, unsigned bits, unsigned registers)
{
	if (!*lines)
		return NULL;
	loop.part_count = 1;
	lines_of(loop.part[0].lines, lines);
	loop.part[0].bits = bits;
	loop.part[0].times = 1;
	loop.part[0].registers = registers;
	return generated_kernel(&loop);
}

const struct kernel *loop_of_width(const struct recipes *recipes, int line)
{
	return one_part((struct generated_loop){ .part_count = 0 }, recipes->width[line], 0, 0);
}

const struct kernel *loop_of_chain(const struct class_recipe *recipe, bool adds)
{
	struct generated_loop loop = { .values = recipe->values, .clean = recipe->clean };

	lines_of(loop.setup, recipe->setup);
	return one_part(loop, adds ? recipe->adds : recipe->chain, recipe->bits, 1);
}

const struct kernel *loop_of_each(const struct class_recipe *recipe)
{
	return one_part((struct generated_loop){ .values = recipe->values,
				.clean = recipe->clean,
				.bodies = recipe->bodies },
		recipe->free, recipe->bits, 0);
}

const struct kernel *loop_of_fact(const struct fact_recipe *recipe, bool other)
{
	struct generated_loop loop = {
		.values = recipe->values, .clean = recipe->clean, .bodies = recipe->bodies
	};

	lines_of(loop.setup, recipe->setup);
	return one_part(loop, other ? recipe->other : recipe->loop, recipe->bits, 0);
}

const struct kernel *loop_with_nops(const struct kernel *kernel, const char *nop, unsigned nops)
{
	struct generated_loop loop = *generated_loop_of(kernel);

	loop.bodies = 0;
	lines_of(loop.part[loop.part_count].lines, nop);
	loop.part[loop.part_count].times = nops;
	loop.part_count++;
	return generated_kernel(&loop);
}

/* Enough registers to hide the latency, and one more, because some cores wait for the register that
 * they overwrite. */
static unsigned registers_of(const struct measured_op *op)
{
	double latency = op->latency.known ? op->latency.value : 0;

	if (op->accumulate.known && op->accumulate.value > latency)
		latency = op->accumulate.value;
	if (latency <= 0 || !op->each.known || op->each.value <= 0)
		return 2;
	return (unsigned)ceil(latency / op->each.value) + 1;
}

const struct kernel *loop_of_mix(const struct recipes *recipes, const struct measured *measured,
	const struct measured_mix *mix)
{
	struct generated_loop loop = { .part_count = mix->count };
	bool clean = false, wide = false;

	if (mix->count < 1 || mix->count > GENERATED_PARTS)
		return NULL;
	for (int i = 0; i < mix->count; i++) {
		const struct class_recipe *recipe = NULL;
		struct generated_part *part = &loop.part[i];

		for (int k = 0; k < recipes->class_count; k++)
			if (recipes->classes[k].op == mix->op[i])
				recipe = &recipes->classes[k];
		/* A class that needs a short loop cannot be part of a mix. */
		if (!recipe || !*recipe->free || recipe->bodies || mix->times[i] < 0.5)
			return NULL;
		clean = clean || recipe->clean;
		wide = wide || (recipe->bits && !recipe->clean);
		if (recipe->values == GENERATED_F32)
			loop.values = GENERATED_F32;
		lines_of(part->lines, recipe->free);
		part->bits = recipe->bits;
		part->times = (unsigned)lround(mix->times[i]);
		part->registers = registers_of(&measured->op[mix->op[i]]);
	}
	/* Legacy SSE code keeps the upper halves of vectors, and waits for itself after other code
	 * has written them. */
	if (clean && wide)
		return NULL;
	loop.clean = clean;
	return generated_kernel(&loop);
}

void recipes_each(const struct recipes *recipes,
	void (*each)(void *context, enum item_kind kind, int of, const struct kernel *kernel),
	void *context)
{
	for (int i = 0; i < recipes->width_count; i++)
		each(context, ITEM_WIDTH, i, loop_of_width(recipes, i));
	for (int i = 0; i < recipes->class_count; i++) {
		each(context, ITEM_LATENCY, i, loop_of_chain(&recipes->classes[i], false));
		each(context, ITEM_ADDS, i, loop_of_chain(&recipes->classes[i], true));
		each(context, ITEM_EACH, i, loop_of_each(&recipes->classes[i]));
	}
	for (int i = 0; i < recipes->fact_count; i++) {
		each(context, ITEM_FACT, i, loop_of_fact(&recipes->facts[i], false));
		each(context, ITEM_FACT_OTHER, i, loop_of_fact(&recipes->facts[i], true));
	}
}

void recipes_words(
	const struct recipes *recipes, enum item_kind kind, int of, char *words, size_t size)
{
	const char *what = kind == ITEM_LATENCY || kind == ITEM_ADDS ? "latency"
			   : kind == ITEM_EACH			     ? "throughput"
								     : "slots";

	if (kind == ITEM_WIDTH)
		snprintf(words, size, "width");
	else if (kind == ITEM_FACT || kind == ITEM_FACT_OTHER || kind == ITEM_FACT_SLOTS)
		snprintf(words, size, "%s", recipes->facts[of].word);
	else
		snprintf(words, size, "%s of %s", what, recipes->classes[of].name);
}
