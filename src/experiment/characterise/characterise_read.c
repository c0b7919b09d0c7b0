/* Reading data/characterise.*: the head of that file says what there is. */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/data.h"
#include "experiment/characterise/characterise_state.h"
#include "kernels/features.h"

enum { FIELDS = 4, WIDTHS = 3, CLASSES_MOST = MEASURED_OPS, FACTS_MOST = MEASURED_FACTS };

/* Where the reader stands. */
struct reader {
	const char *origin;
	unsigned line;
	struct status status;
	struct recipes *recipes;
	const char *const *classes;
};

static void wrong(struct reader *reader, const char *what, const char *word)
{
	if (status_is_ok(&reader->status))
		reader->status =
			status_make(STATUS_FAILED, "%.80s, line %u: %s%s%.60s%s", reader->origin,
				reader->line, what, *word ? " \"" : "", word, *word ? "\"" : "");
}

/* Takes blanks off both ends. */
static char *trim(char *text)
{
	size_t length;

	while (isspace((unsigned char)*text))
		text++;
	length = strlen(text);
	while (length && isspace((unsigned char)text[length - 1]))
		text[--length] = '\0';
	return text;
}

static void copy(struct reader *reader, char *to, size_t size, const char *from)
{
	if (strlen(from) >= size)
		wrong(reader, "this is too long:", from);
	else
		memcpy(to, from, strlen(from) + 1);
}

/* "A,B" into names. */
static void split_names(struct reader *reader, const char *list, char names[TAKEN_OFF][24])
{
	for (int i = 0; *list; i++) {
		size_t length = strcspn(list, ",");

		if (i == TAKEN_OFF || length == 0 || length >= 24) {
			wrong(reader, "these are no names of classes:", list);
			return;
		}
		memcpy(names[i], list, length);
		list += length;
		list += *list == ',';
	}
}

/* ---- options: what of them a line makes use of is up to it */

struct options {
	bool can; /* this processor has what is needed */
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
			wrong(reader, "no feature is called", word);
	}
}

/* A number from `least` on. No option means more than MOST: a loop holds no more instances. */
enum { MOST = 1024 };

static unsigned number(
	struct reader *reader, const char *word, const char *value, unsigned long least)
{
	char *end;
	unsigned long number = strtoul(value, &end, 10);

	if (isdigit((unsigned char)*value) && !*end && number >= least && number <= MOST)
		return (unsigned)number;
	if (status_is_ok(&reader->status))
		reader->status = status_make(STATUS_FAILED,
			"%.80s, line %u: \"%s %.20s\": a whole number from %lu to %d is wanted",
			reader->origin, reader->line, word, value, least, MOST);
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

/* The rest of the field. */
static void read_rest(struct reader *reader, char **rest, char *to)
{
	copy(reader, to, GENERATED_LINES, trim(*rest));
	*rest = NULL;
}

static void read_options(struct reader *reader, char *text, struct options *options)
{
	char *rest = text;

	*options = (struct options){ .can = true, .links = 1 };
	while (rest && *(rest = trim(rest)) && status_is_ok(&reader->status)) {
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
			wrong(reader, "something has to follow", word);
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
		else if (strcmp(word, "links") == 0)
			options->links = number(reader, word, value, 1);
		else if (strcmp(word, "beside") == 0)
			options->beside = number(reader, word, value, 0);
		else if (strcmp(word, "short") == 0)
			options->bodies = number(reader, word, value, 1);
		else if (strcmp(word, "half") == 0)
			options->half = number(reader, word, value, 1);
		else if (strcmp(word, "bits") == 0)
			options->bits = number(reader, word, value, 1);
		else if (strcmp(word, "load") == 0)
			read_access(reader, word, value, options->load, options);
		else if (strcmp(word, "store") == 0)
			read_access(reader, word, value, options->store, options);
		else if (strcmp(word, "needs") == 0)
			read_needs(reader, value, options);
		else
			wrong(reader, "no option is called", word);
	}
}

/* Of lines that name their vectors themselves: the widest. */
static unsigned bits_of(const char *lines)
{
	return strstr(lines, "zmm")			     ? 512
	       : strstr(lines, "ymm")			     ? 256
	       : strstr(lines, "xmm") || strstr(lines, "%n") ? 128
							     : 0;
}

/* ---- lines */

/* Whether a class was asked for: itself, or the one that it is a width of. */
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
		wrong(reader, "a class has a name, and a chain or free instances",
			name ? name : "");
	for (; list && *list && count < WIDTHS; count++) {
		widths[count] = (unsigned)strtoul(list, &list, 10);
		list += *list == ',';
	}
	for (int i = 0; i < (count ? count : 1) && status_is_ok(&reader->status); i++) {
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
			wrong(reader, "this name is too long:", name);
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
				wrong(reader, "there are two classes", recipe->name);
		if (++reader->recipes->class_count == CLASSES_MOST)
			wrong(reader, "more classes than there is room for", "");
	}
}

static struct fact_recipe *add_fact(
	struct reader *reader, const struct options *options, const char *loop)
{
	struct recipes *recipes = reader->recipes;
	struct fact_recipe *fact = &recipes->facts[recipes->fact_count];

	if (recipes->fact_count == FACTS_MOST - 1) {
		wrong(reader, "more facts than there is room for", "");
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
		wrong(reader, "a fact has a loop, and how it comes of it", field[0]);
	if (!options.can || !status_is_ok(&reader->status))
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
		wrong(reader, "cycles become nothing by", how);
	}
}

/* "MNEMONIC CONDITIONS": a fact for each condition. */
static void read_fuse(struct reader *reader, char *field[FIELDS], const char *jump)
{
	char *name = strtok(field[0], " "), *list = strtok(NULL, " "), *rest, *condition;
	struct options options;

	read_options(reader, field[2], &options);
	if (!name || !list)
		wrong(reader, "an instruction is fused under conditions:", name ? name : "");
	if (!options.can || !status_is_ok(&reader->status))
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

static void read_line(struct reader *reader, char *line)
{
	char *field[FIELDS], *rest = line, *kind;

	for (int i = 0; i < FIELDS; i++)
		field[i] = rest ? trim(strsep(&rest, "|")) : line + strlen(line);
	if (rest)
		wrong(reader, "there are more fields than four:", field[0]);
	rest = field[0];
	kind = strsep(&rest, " ");
	field[0] = rest ? trim(rest) : line + strlen(line);
	if (strcmp(kind, "class") == 0)
		read_class(reader, field);
	else if (strcmp(kind, "fact") == 0)
		read_fact(reader, field);
	else if (strcmp(kind, "fuse") == 0)
		read_fuse(reader, field, features_have(FEATURE_X86_64) ? "j" : "b.");
	else if (strcmp(kind, "width") == 0 && reader->recipes->width_count < WIDTH_LINES)
		copy(reader, reader->recipes->width[reader->recipes->width_count++],
			GENERATED_LINES, field[1]);
	else
		wrong(reader, "no line begins with", kind);
}

/* What was not asked for goes, unless what was asked for needs its latency. */
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
	struct reader reader = {
		.origin = origin, .status = status_ok(), .recipes = recipes, .classes = classes
	};
	char *all = memory_string(text), *rest = all, *line;

	*recipes = (struct recipes){ .classes = memory_new(
					     CLASSES_MOST + 1, sizeof(*recipes->classes)),
		.facts = memory_new(FACTS_MOST, sizeof(*recipes->facts)) };
	while ((line = strsep(&rest, "\n")) && status_is_ok(&reader.status)) {
		reader.line++;
		line = trim(line);
		if (*line && *line != '#')
			read_line(&reader, line);
	}
	free(all);
	if (status_is_ok(&reader.status))
		choose(&reader);
	if (status_is_ok(&reader.status) && recipes->width_count == 0)
		wrong(&reader, "no line says what shows the width", "");
	if (!status_is_ok(&reader.status))
		recipes_free(recipes);
	return reader.status;
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
