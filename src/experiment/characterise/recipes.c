#include "experiment/characterise/recipes.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/data.h"
#include "base/rows.h"
#include "base/text.h"
#include "kernels/features.h"

enum {
	FIELDS = 4,
	WIDTHS = 3,
	CLASS_NAME = 24,
	CHAINS_DEEP = 8,
	CLASSES_MOST = MEASURED_OPS,
	FACTS_MOST = MEASURED_FACTS
};

struct reader {
	struct rows rows;
	struct recipes *recipes;
	const char *const *classes; /* names of the instruction classes whose recipes are read, as
				       for recipes_read() */
};

/* Sets an error message. The error message contains `word`, unless `word` is empty. */
static void wrong(struct reader *reader, const char *what, const char *word)
{
	rows_fail(&reader->rows, "%s%s%.60s%s", what, *word ? " \"" : "", word, *word ? "\"" : "");
}

static bool good(const struct reader *reader)
{
	return status_is_ok(&reader->rows.status);
}

/* Returns the text without its leading blanks; the text, a field of a line, has no blanks at its
 * end. */
static char *skip_blanks(char *text)
{
	return text + strspn(text, " \t");
}

/* Copies a text, unless the text is empty, because rows_copy() does not allow an empty text. */
static void copy(struct reader *reader, char *to, size_t size, const char *from)
{
	if (*from)
		rows_copy(&reader->rows, "the text", from, to, size);
}

/* Splits a list "A,B" into names of classes. */
static void split_names(struct reader *reader, char *list, char names[TAKEN_OFF][24])
{
	for (int i = 0; list; i++) {
		const char *name = strsep(&list, ",");

		if (i >= TAKEN_OFF)
			wrong(reader, "too many names of classes:", name);
		else
			rows_copy(&reader->rows, "the class", name, names[i], sizeof(names[i]));
	}
}

/* ---- options */

/* Returns whether this processor has all features of a list ("A,B"). */
static bool has_features(struct reader *reader, char *list)
{
	bool all = true;

	for (char *word; (word = strsep(&list, ","));) {
		bool known;

		all &= features_word(word, &known);
		if (!known)
			wrong(reader, "unknown feature", word);
	}
	return all;
}

/* Reads a whole number from `least` to MOST. A loop has at most MOST instances of an
 * instruction. */
enum { MOST = 32768 };

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

enum option {
	OPTION_LINKS,
	OPTION_SHORT,
	OPTION_LONG,
	OPTION_HALF,
	OPTION_BITS,
	OPTION_BESIDE,
	OPTION_MINUS,
	OPTION_LOAD,
	OPTION_STORE,
	OPTION_NEEDS,
	OPTION_ADDS,
	OPTION_SETUP,
	OPTION_F32,
	OPTION_CLEAN,
	OPTION_LOW,
	OPTION_HIGH,
	OPTIONS
};

/* Reads the options of a line of the data file into `recipe`. Returns whether this processor can
 * run the loops of the recipe, which measure one class or fact. */
static bool read_options(struct reader *reader, char *rest, struct recipe *recipe)
{
	static const char *const names[OPTIONS] = { "links", "short", "long", "half", "bits",
		"beside", "minus", "load", "store", "needs", "adds", "setup", "f32", "clean", "low",
		"high" };
	unsigned *const numbers[] = { &recipe->links, &recipe->bodies, &recipe->bodies,
		&recipe->half, &recipe->bits, &recipe->beside };
	bool can = true;

	*recipe = (struct recipe){ .links = 1, .values = GENERATED_F64 };
	while (rest && *(rest = skip_blanks(rest)) && good(reader)) {
		char *word = strsep(&rest, " "), *value = rest, *access;
		int option = rows_choice(&reader->rows, "option", word, names, OPTIONS);

		if (option < OPTION_F32 && !rest)
			wrong(reader, "missing value after", word);
		if (!good(reader))
			break;
		if (option < OPTION_ADDS)
			strsep(&rest, " ");
		switch (option) {
		case OPTION_MINUS: split_names(reader, value, recipe->minus); break;
		case OPTION_LOAD:
		case OPTION_STORE:
			/* The option of a recipe's line names a class, such as "vload", or a number
			 * and a class, such as "8*vload". */
			access = strchr(value, '*') ? strsep(&value, "*") : NULL;
			if (access)
				recipe->accesses = number(reader, word, access, 1);
			copy(reader, option == OPTION_LOAD ? recipe->load : recipe->store,
				sizeof(recipe->load), value);
			break;
		case OPTION_NEEDS: can &= has_features(reader, value); break;
		case OPTION_ADDS:
		case OPTION_SETUP:
			copy(reader,
				option == OPTION_ADDS ? recipe->lines[LOOP_ADDS] : recipe->setup,
				GENERATED_LINES, skip_blanks(rest));
			return can;
		case OPTION_F32: recipe->values = GENERATED_F32; break;
		case OPTION_CLEAN: recipe->clean = true; break;
		case OPTION_LOW: recipe->part = PART_LOW; break;
		case OPTION_HIGH: recipe->part = PART_HIGH; break;
		default: *numbers[option] = number(reader, word, value, option < OPTION_BESIDE);
		}
	}
	return can;
}

/* Returns the bits of the widest vector register in the lines of a loop; 0: no vector register. */
static unsigned bits_of(const char *lines)
{
	return strstr(lines, "zmm")			     ? 512
	       : strstr(lines, "ymm")			     ? 256
	       : strstr(lines, "xmm") || strstr(lines, "%n") ? 128
							     : 0;
}

/* ---- lines */

/* Returns whether the words are the name of an instruction class, with or without the vector width.
 */
static bool names_class(const char *words, const char *name)
{
	size_t length = strlen(words);

	return strncmp(words, name, length) == 0 && (!name[length] || name[length] == '.');
}

static bool wanted(const struct reader *reader, const char *name)
{
	for (int i = 0; reader->classes && reader->classes[i]; i++)
		if (names_class(reader->classes[i], name))
			return true;
	return !reader->classes;
}

/* Reads a line `class`. In the data file with loops to measure, the first field of a line `class`
 * is "NAME 128,256,512". */
static void read_class(struct reader *reader, char *field[FIELDS])
{
	char *name = strtok(field[0], " "), *list = strtok(NULL, " ");
	unsigned widths[WIDTHS] = { 0 };
	int count = 0;
	struct recipe options;
	bool can = read_options(reader, field[3], &options);

	if (!name || (!*field[1] && !*field[2]))
		wrong(reader,
			"expected a class of instructions with a name, and a loop for latency or "
			"throughput:",
			name ? name : "");
	copy(reader, options.lines[LOOP_CHAIN], GENERATED_LINES, field[1]);
	copy(reader, options.lines[LOOP_FREE], GENERATED_LINES, field[2]);
	if (!options.bits)
		options.bits = bits_of(*field[2] ? field[2] : field[1]);
	for (; list && *list && count < WIDTHS; count++) {
		widths[count] = (unsigned)strtoul(list, &list, 10);
		list += *list == ',';
	}
	for (int i = 0; i < (count ? count : 1) && good(reader) && can; i++) {
		struct recipe *recipe = &reader->recipes->classes[reader->recipes->class_count];

		if (widths[i] == 512 && !features_have(FEATURE_AVX512))
			continue;
		*recipe = options;
		if (widths[i])
			recipe->bits = widths[i];
		if (snprintf(recipe->word, CLASS_NAME, i > 0 ? "%s.%u" : "%s", name, widths[i]) >=
			CLASS_NAME)
			wrong(reader, "the name is too long:", name);
		if (recipes_class(reader->recipes, recipe->word))
			wrong(reader, "a class is listed twice:", recipe->word);
		if (++reader->recipes->class_count == CLASSES_MOST)
			wrong(reader, "too many classes", "");
	}
}

static struct recipe *add_fact(
	struct reader *reader, const struct recipe *options, const char *loop)
{
	struct recipes *recipes = reader->recipes;
	struct recipe *fact = &recipes->facts[recipes->fact_count];

	if (recipes->fact_count == FACTS_MOST - 1) {
		wrong(reader, "too many facts", "");
		return fact;
	}
	*fact = *options;
	fact->how = HOW_SLOTS;
	if (!fact->bits)
		fact->bits = bits_of(loop);
	copy(reader, fact->lines[LOOP_FACT], GENERATED_LINES, loop);
	recipes->fact_count++;
	return fact;
}

static void read_fact(struct reader *reader, char *field[FIELDS])
{
	static const char *const hows[] = { "cycles", "rate", "slots", "minus", "less", "over",
		"fits", "steps" };
	char *rest = field[2], *how = strsep(&rest, " ");
	struct recipe options, *fact;
	bool can = read_options(reader, field[3], &options);

	rest = rest ? skip_blanks(rest) : how + strlen(how);
	if (!*field[1] || !*how)
		wrong(reader,
			"expected a fact about the core, with its loop and its rule:", field[0]);
	if (!can || !good(reader))
		return;
	fact = add_fact(reader, &options, field[1]);
	copy(reader, fact->word, sizeof(fact->word), field[0]);
	fact->how = (enum fact_how)rows_choice(&reader->rows, "rule for a fact:", how, hows, 8);
	if (fact->how == HOW_RATE || fact->how == HOW_FITS || fact->how == HOW_STEPS)
		fact->rate = strtod(rest, &rest);
	if (fact->how == HOW_FITS || fact->how == HOW_STEPS)
		copy(reader, fact->lines[LOOP_OTHER], GENERATED_LINES, skip_blanks(rest));
	if (fact->how == HOW_MINUS)
		split_names(reader, rest, fact->minus);
	else if (fact->how == HOW_LESS || fact->how == HOW_OVER)
		copy(reader, fact->lines[LOOP_OTHER], GENERATED_LINES, rest);
}

/* Reads a line `fuse`, "MNEMONIC CONDITIONS", and adds a fact for each condition. */
static void read_fuse(struct reader *reader, char *field[FIELDS])
{
	const char *jump = features_have(FEATURE_X86_64) ? "j" : "b.";
	char *name = strtok(field[0], " "), *list = strtok(NULL, " ");
	struct recipe options;
	bool can = read_options(reader, field[2], &options);

	if (!name || !list)
		wrong(reader, "expected an instruction and branch conditions:", name ? name : "");
	if (!can || !good(reader))
		return;
	for (char *condition; (condition = strsep(&list, ","));) {
		char loop[GENERATED_LINES];

		snprintf(loop, sizeof(loop), "%.200s; %s%.8s >", field[1], jump, condition);
		snprintf(add_fact(reader, &options, loop)->word, sizeof(options.word),
			"fuse %.16s %.8s", name, condition);
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
	if (kind == 0)
		read_class(reader, field);
	else if (kind == 1)
		read_fact(reader, field);
	else if (kind == 2)
		read_fuse(reader, field);
	else if (recipes->width_count == WIDTH_LINES)
		wrong(reader, "too many lines \"width\"", "");
	else
		copy(reader, recipes->width[recipes->width_count++], GENERATED_LINES, field[1]);
}

/* Returns whether the caller named the class, or a named class needs the latency of this class.
 * `depth` limits the recursion. */
static bool is_needed(const struct reader *reader, const char *name, int depth)
{
	const struct recipes *recipes = reader->recipes;

	if (wanted(reader, name))
		return true;
	for (int i = 0; i < recipes->class_count && depth > 0; i++)
		for (int n = 0; n < TAKEN_OFF; n++)
			if (strcmp(recipes->classes[i].minus[n], name) == 0 &&
				is_needed(reader, recipes->classes[i].word, depth - 1))
				return true;
	return false;
}

/* Whether the name is that of a fact about the core, such as "forward-renamed" or "extra
 * forward-renamed". */
static bool names_fact(const struct recipes *recipes, const char *name)
{
	for (int i = 0; i < recipes->fact_count; i++) {
		const char *word = recipes->facts[i].word, *blank = strchr(word, ' ');

		if (strcmp(word, name) == 0 || (blank && strcmp(blank + 1, name) == 0))
			return true;
	}
	return false;
}

/* Sets an error message if no instruction class has this name. */
static void check_name(struct reader *reader, const char *name)
{
	const struct recipes *recipes = reader->recipes;
	const char *names[CLASSES_MOST + 1];

	for (int i = 0; i < recipes->class_count; i++) {
		names[i] = recipes->classes[i].word;
		if (names_class(name, names[i]))
			return;
	}
	reader->rows.status =
		names_fact(recipes, name)
			? status_usage(
				  "\"%.60s\" is no class of instructions, but a fact about the "
				  "core: \"slexplore characterise\" without a class measures it",
				  name)
			: status_unknown("this machine cannot measure the class", name, names,
				  (size_t)recipes->class_count,
				  "\"slexplore characterise\" without a class measures all, such "
				  "as alu, imul and fadd");
}

/* Removes the recipes of the classes that the user's measurement does not need. */
static void choose(struct reader *reader)
{
	struct recipes *recipes = reader->recipes;
	bool keep[CLASSES_MOST];
	int kept = 0;

	for (int i = 0; reader->classes && reader->classes[i] && good(reader); i++)
		check_name(reader, reader->classes[i]);
	for (int i = 0; i < recipes->class_count; i++)
		keep[i] = is_needed(reader, recipes->classes[i].word, CHAINS_DEEP);
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
	const char *name =
		features_have(FEATURE_X86_64) ? "characterise.x86_64" : "characterise.aarch64";
	char origin[256], *text;
	struct status status = data_load(name, &text, origin);

	*recipes = (struct recipes){ 0 };
	if (!status_is_ok(&status))
		return status;
	status = recipes_read(text, origin, classes, recipes);
	recipes->own = strcmp(text, data_built_in(name)) != 0;
	for (int i = 0; i < recipes->class_count; i++)
		recipes->classes[i].own = recipes->own;
	for (int i = 0; i < recipes->fact_count; i++)
		recipes->facts[i].own = recipes->own;
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

const struct recipe *recipes_class(const struct recipes *recipes, const char *name)
{
	for (int i = 0; i < recipes->class_count; i++)
		if (strcmp(recipes->classes[i].word, name) == 0)
			return &recipes->classes[i];
	return NULL;
}

const struct kernel *recipe_kernel(const struct recipe *recipe, enum recipe_loop kind)
{
	bool chain = kind == LOOP_CHAIN || kind == LOOP_ADDS;
	struct generated_loop loop = { .values = recipe->values,
		.clean = recipe->clean,
		.isolated = recipe->own,
		.bodies = chain || (kind == LOOP_OTHER && recipe->how == HOW_FITS) ? 0
										   : recipe->bodies,
		.part_count = 1,
		.part = { { .bits = recipe->bits, .times = 1, .registers = chain } } };

	if (!*recipe->lines[kind])
		return NULL;
	if (kind != LOOP_FREE)
		memcpy(loop.setup, recipe->setup, GENERATED_LINES);
	memcpy(loop.part[0].lines, recipe->lines[kind], GENERATED_LINES);
	return generated_kernel(&loop);
}

const struct kernel *loop_of_width(const struct recipes *recipes, int line)
{
	struct generated_loop loop = {
		.isolated = recipes->own, .part_count = 1, .part = { { .times = 1 } }
	};

	memcpy(loop.part[0].lines, recipes->width[line], GENERATED_LINES);
	return generated_kernel(&loop);
}

const struct kernel *loop_with_nops(const struct kernel *kernel, const char *nop, unsigned nops)
{
	struct generated_loop loop = *generated_loop_of(kernel);

	loop.bodies = 0;
	snprintf(loop.part[loop.part_count].lines, GENERATED_LINES, "%s", nop);
	loop.part[loop.part_count].times = nops;
	loop.part_count++;
	return generated_kernel(&loop);
}

/* Returns the number of registers that lets instructions overlap fully, plus one, because some
 * cores wait for the register that an instruction overwrites. */
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
	struct generated_loop loop = { .isolated = recipes->own, .part_count = mix->count };
	bool clean = false, wide = false;

	if (mix->count < 1 || mix->count > GENERATED_PARTS)
		return NULL;
	for (int i = 0; i < mix->count; i++) {
		const struct recipe *recipe =
			mix->op[i] < recipes->class_count ? &recipes->classes[mix->op[i]] : NULL;
		struct generated_part *part = &loop.part[i];

		/* An instruction class that needs a short loop cannot be part of a loop that mixes
		 * classes. */
		if (!recipe || !*recipe->lines[LOOP_FREE] || recipe->bodies || mix->times[i] < 0.5)
			return NULL;
		clean = clean || recipe->clean;
		wide = wide || (recipe->bits && !recipe->clean);
		if (recipe->values == GENERATED_F32)
			loop.values = GENERATED_F32;
		memcpy(part->lines, recipe->lines[LOOP_FREE], GENERATED_LINES);
		part->bits = recipe->bits;
		part->times = (unsigned)lround(mix->times[i]);
		part->registers = registers_of(&measured->op[mix->op[i]]);
	}
	/* Legacy SSE code preserves the upper halves of vector registers. After other vector code
	 * has written the upper halves, legacy SSE code has false dependencies. A measured loop
	 * therefore cannot contain both legacy SSE code and other vector code. */
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
	for (int i = 0; i < recipes->class_count; i++)
		for (int loop = LOOP_CHAIN; loop <= LOOP_FREE; loop++)
			each(context, (enum item_kind)loop, i,
				recipe_kernel(&recipes->classes[i], (enum recipe_loop)loop));
	for (int i = 0; i < recipes->fact_count; i++)
		for (int loop = LOOP_FACT; loop <= LOOP_OTHER; loop++)
			each(context, (enum item_kind)loop, i,
				recipe_kernel(&recipes->facts[i], (enum recipe_loop)loop));
}

struct item_words recipes_words(const struct recipes *recipes, enum item_kind kind, int of)
{
	static const char *const whats[] = { [ITEM_LATENCY] = "latency",
		[ITEM_ADDS] = "latency",
		[ITEM_EACH] = "throughput",
		[ITEM_SLOTS] = "slots" };
	/* The property of the core that a line of the data file measures, by the first word of the
	 * line. */
	static const struct {
		const char *word, *words;
	} facts[] = { { "cap ", "rate of " }, { "chain ", "latency of " }, { "extra ", "" },
		{ "fuse ", "fusion of " }, { "size ", "size of " },
		{ "unlaminate ", "splitting of " } };
	struct item_words words = { "width" };

	if (kind == ITEM_FACT || kind == ITEM_FACT_OTHER || kind == ITEM_FACT_SLOTS) {
		const char *word = recipes->facts[of].word;

		snprintf(words.text, sizeof(words.text), "%s", word);
		for (size_t i = 0; i < sizeof(facts) / sizeof(facts[0]); i++)
			if (strncmp(word, facts[i].word, strlen(facts[i].word)) == 0)
				snprintf(words.text, sizeof(words.text), "%s%s", facts[i].words,
					word + strlen(facts[i].word));
	} else if (kind != ITEM_WIDTH) {
		snprintf(words.text, sizeof(words.text), "%s of %s", whats[kind],
			recipes->classes[of].word);
	}
	return words;
}
