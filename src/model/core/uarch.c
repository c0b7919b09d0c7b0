/* Lists the core models, and finds facts in a core model. */
#include "model/core/uarch_inside.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/data.h"
#include "base/text.h"

/* ---- names */

enum { MOST_CORES = 128, LISTS = 3 };

/* There is one list of core names for all instruction sets together, and one list for each
 * instruction set. The last of these lists of core names is for an unknown instruction set and is
 * always empty. */
static const char *const list_isa[LISTS] = { "", "x86_64", "aarch64" };
static char every_name[MOST_CORES][UARCH_NAME];
static const char *list[LISTS + 1][MOST_CORES + 1];
static pthread_once_t names_once = PTHREAD_ONCE_INIT;

/* The number of the list of names to which a core belongs, from the line `isa` of its file. 0: the
 * file states no known instruction set. */
static int list_of(const char *text)
{
	const char *said = text ? strstr(text, "\nisa ") : NULL;
	int i = said ? LISTS - 1 : 0;

	while (i > 0 && strncmp(said + 5, list_isa[i], strlen(list_isa[i])) != 0)
		i--;
	return i;
}

struct status uarch_text(const char *name, char **text, char origin[256])
{
	char file[48];

	*text = NULL;
	if (!*name || strlen(name) >= UARCH_NAME)
		return status_usage("no core model can have the name \"%.40s\"", name);
	snprintf(file, sizeof(file), "uarch/%s.uarch", name);
	return data_load(file, text, origin);
}

static void list_names(void)
{
	static const char allowed[] =
		"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-";
	char **names = data_names("uarch", "uarch");
	int all = 0, count[LISTS] = { 0 };

	for (char **name = names; *name && all < MOST_CORES; name++) {
		char *text;
		int isa;

		if (strlen(*name) >= UARCH_NAME || (*name)[strspn(*name, allowed)])
			continue;
		strcpy(every_name[all], *name);
		uarch_text(*name, &text, NULL);
		isa = list_of(text);
		/* A core file without a line for the instruction set is in each list of names, so
		 * that its error is reported. */
		for (int i = 0; i < LISTS; i++)
			if (i == 0 || isa == 0 || isa == i)
				list[i][count[i]++] = every_name[all];
		free(text);
		all++;
	}
	data_names_free(names);
}

const char *const *uarch_names(const char *isa)
{
	int i = 0;

	pthread_once(&names_once, list_names);
	while (i < LISTS && strcmp(isa ? isa : "", list_isa[i]) != 0)
		i++;
	return list[i];
}

void uarch_free(struct uarch *uarch)
{
	if (!uarch)
		return;
	free(uarch->resolved);
	free(uarch->reserved);
	free(uarch->class);
	free(uarch->chain);
	free(uarch->crossing_from);
	free(uarch->crossing_to);
	free(uarch->fusion);
	free(uarch->id);
	free(uarch->event);
	free(uarch);
}

/* ---- names of facts */

const char *const uarch_fact_words[UARCH_FACTS] = {
#define FACT(identifier, words) words,
#include "model/core/uarch_facts.h"
#undef FACT
};

enum uarch_fact uarch_fact_find(const char *words)
{
	int fact = 0;

	while (fact < UARCH_FACTS && strcmp(uarch_fact_words[fact], words) != 0)
		fact++;
	return (enum uarch_fact)fact;
}

void uarch_fact_range(enum uarch_fact fact, double *least, double *most)
{
	*least = fact < SIZE_COUNT ? 1 : fact < EXTRA_SCALED_INDEX ? 0.01 : 0;
	*most = fact < SIZE_COUNT ? 1000000 : fact < EXTRA_SCALED_INDEX ? 64 : 1000;
}

/* ---- Caches, chains and sources of a core model */

const struct uarch_cache *uarch_cache(const struct uarch *uarch, int level)
{
	for (int i = 0; i < uarch->cache_count; i++)
		if (uarch->cache[i].level == level)
			return &uarch->cache[i];
	return NULL;
}

/* How well a name in a `chain` row fits a class: 2: equal with the width; 1: equal without the
 * width; 0: not equal. */
static int chain_word_fits(const char *word, const struct uarch_class *class)
{
	size_t length = strlen(word);

	if (strncmp(word, class->name, length) != 0)
		return 0;
	return class->name[length] == '\0' ? 2 : class->name[length] == '.';
}

double uarch_chain(const struct uarch *uarch, const struct uarch_class *producer,
	const struct uarch_class *consumer, double *slows)
{
	double latency = UARCH_UNKNOWN;
	int best = 0;

	*slows = 0;

	for (int i = 0; producer && consumer && i < uarch->chain_count; i++) {
		int p = chain_word_fits(uarch->chain[i].producer, producer),
		    c = chain_word_fits(uarch->chain[i].consumer, consumer);

		if (p && c && p + c > best) {
			best = p + c;
			latency = uarch->chain[i].latency;
			*slows = uarch->chain[i].slows;
		}
	}
	return latency;
}

void uarch_sources(const struct uarch *uarch, uint32_t tags, struct text *text)
{
	if (!tags)
		tags = uarch->tags;
	for (int i = 0; i < uarch->sources.count; i++)
		if (tags >> i & 1)
			text_addf(text, "[%s] %s\n", uarch->sources.tag[i], uarch->sources.text[i]);
}
