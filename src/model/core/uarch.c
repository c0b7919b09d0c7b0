/* The list of core models, and the facts of one. */
#include "model/core/uarch_inside.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/data.h"
#include "base/text.h"

/* ---- names */

enum { MOST_CORES = 128 };

static char every_name[MOST_CORES][UARCH_NAME];
static const char *names_all[MOST_CORES + 1], *names_x86[MOST_CORES + 1],
	*names_arm64[MOST_CORES + 1];
static pthread_once_t names_once = PTHREAD_ONCE_INIT;

/* The instruction sets that a core file may be for: both, if it does not say, so that its mistake
 * is reported. */
static void find_isa(const char *name, bool *x86, bool *arm64)
{
	char file[48], *text = NULL;
	const char *isa;
	struct status status;

	snprintf(file, sizeof(file), "uarch/%s.uarch", name);
	status = data_load(file, &text, NULL);
	isa = status_is_ok(&status) ? strstr(text, "\nisa ") : NULL;
	*x86 = !isa || strncmp(isa + 5, "aarch64", 7) != 0;
	*arm64 = !isa || strncmp(isa + 5, "x86_64", 6) != 0;
	free(text);
}

static void list_names(void)
{
	static const char allowed[] =
		"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-";
	char **names = data_names("uarch", "uarch");
	int all = 0, x86 = 0, arm64 = 0;

	for (char **name = names; *name && all < MOST_CORES; name++) {
		bool for_x86, for_arm64;

		if (strlen(*name) >= UARCH_NAME || (*name)[strspn(*name, allowed)])
			continue;
		strcpy(every_name[all], *name);
		find_isa(*name, &for_x86, &for_arm64);
		if (for_x86)
			names_x86[x86++] = every_name[all];
		if (for_arm64)
			names_arm64[arm64++] = every_name[all];
		names_all[all] = every_name[all];
		all++;
	}
	data_names_free(names);
}

const char *const *uarch_names(const char *isa)
{
	static const char *const none[] = { NULL };

	pthread_once(&names_once, list_names);
	return !isa			     ? names_all
	       : strcmp(isa, "x86_64") == 0  ? names_x86
	       : strcmp(isa, "aarch64") == 0 ? names_arm64
					     : none;
}

void uarch_free(struct uarch *uarch)
{
	if (!uarch)
		return;
	ops_free(uarch->ops);
	free(uarch->resolved);
	free(uarch->reserved);
	free(uarch->class);
	free(uarch->chain);
	free(uarch->fusion);
	free(uarch->id);
	free(uarch->event);
	free(uarch);
}

/* ---- facts with a name */

static const char *const fact_words[UARCH_FACTS] = {
	[SIZE_ROB] = "size rob",
	[SIZE_SCHEDULER] = "size scheduler",
	[SIZE_LOAD_QUEUE] = "size load-queue",
	[SIZE_STORE_QUEUE] = "size store-queue",
	[SIZE_REGISTERS] = "size registers",
	[SIZE_VECTORS] = "size vectors",
	[SIZE_BRANCHES] = "size branches",
	[SIZE_OPCACHE] = "size opcache",
	[SIZE_TLB1] = "size tlb1",
	[SIZE_TLB2] = "size tlb2",
	[SIZE_CALLS] = "size calls",
	[SIZE_LOAD_SCHEDULER] = "size load-scheduler",
	[SIZE_VECTOR_SCHEDULER] = "size vector-scheduler",
	[CAP_LOADS] = "cap loads",
	[CAP_LOADS_VECTOR] = "cap loads-vector",
	[CAP_LOADS_512] = "cap loads-512",
	[CAP_STORES] = "cap stores",
	[CAP_STORES_VECTOR] = "cap stores-vector",
	[CAP_STORES_512] = "cap stores-512",
	[CAP_MEMORY] = "cap memory",
	[CAP_COMPLEX] = "cap complex",
	[CAP_TAKEN] = "cap taken",
	[CAP_LOADS_BANK] = "cap loads-bank",
	[CAP_STORE_LINES] = "cap store-lines",
	[EXTRA_SCALED_INDEX] = "extra scaled-index",
	[EXTRA_INDEX] = "extra index",
	[EXTRA_SIGN] = "extra sign",
	[EXTRA_FORWARD] = "extra forward",
	[EXTRA_FORWARD_RENAMED] = "extra forward-renamed",
	[EXTRA_FORWARD_VECTOR] = "extra forward-vector",
	[EXTRA_FORWARD_512] = "extra forward-512",
	[EXTRA_FORWARD_FAILS] = "extra forward-fails",
	[EXTRA_MISPREDICT] = "extra mispredict",
	[EXTRA_TLB2] = "extra tlb2",
	[EXTRA_ALU_SATURATION] = "extra alu-saturation",
	[EXTRA_FETCH_BYTES] = "extra fetch-bytes",
	[EXTRA_DECODE] = "extra decode",
	[EXTRA_MATERIALISES] = "extra materialises",
	[EXTRA_BINDS_PORTS] = "extra binds-ports",
	[EXTRA_OPCACHE_OPS] = "extra opcache-ops",
	[EXTRA_LINE_OPS] = "extra line-ops",
	[EXTRA_MISSES] = "extra misses",
	[EXTRA_SPLIT_LOAD] = "extra split-load",
	[EXTRA_SPLIT_STORE] = "extra split-store",
};
_Static_assert(EXTRA_SPLIT_STORE == UARCH_FACTS - 1, "a fact without words");

const char *uarch_fact_name(enum uarch_fact fact)
{
	return fact_words[fact];
}

enum uarch_fact uarch_fact_find(const char *words)
{
	int fact = 0;

	while (fact < UARCH_FACTS && strcmp(fact_words[fact], words) != 0)
		fact++;
	return (enum uarch_fact)fact;
}

void uarch_fact_range(enum uarch_fact fact, double *least, double *most)
{
	*least = fact < SIZE_COUNT ? 1 : fact < EXTRA_SCALED_INDEX ? 0.01 : 0;
	*most = fact < SIZE_COUNT ? 1000000 : fact < EXTRA_SCALED_INDEX ? 64 : 1000;
}

/* ---- facts */

const char *uarch_name(const struct uarch *uarch)
{
	return uarch->name;
}
const char *uarch_title(const struct uarch *uarch)
{
	return uarch->title;
}
const char *uarch_isa(const struct uarch *uarch)
{
	return uarch->isa;
}
double uarch_width(const struct uarch *uarch)
{
	return uarch->width;
}
int uarch_port_count(const struct uarch *uarch)
{
	return uarch->port_count + uarch->unit_count;
}
const char *uarch_port(const struct uarch *uarch, int port)
{
	return uarch->port[port];
}
bool uarch_port_is_unit(const struct uarch *uarch, int port)
{
	return port >= uarch->port_count;
}
double uarch_fact(const struct uarch *uarch, enum uarch_fact fact)
{
	return uarch->fact[fact];
}

const struct uarch_cache *uarch_cache(const struct uarch *uarch, int level)
{
	for (int i = 0; i < uarch->cache_count; i++)
		if (uarch->cache[i].level == level)
			return &uarch->cache[i];
	return NULL;
}

/* Whether a name in a chain is this class: 2 by the whole name, 1 by the name without the width. */
static int chain_word_fits(const char *word, const struct uarch_class *class)
{
	size_t length = strlen(word);

	if (strncmp(word, class->name, length) != 0)
		return 0;
	return class->name[length] == '\0' ? 2 : class->name[length] == '.';
}

double uarch_chain(const struct uarch *uarch, const struct uarch_class *producer,
	const struct uarch_class *consumer)
{
	double latency = UARCH_UNKNOWN;
	int best = 0;

	for (int i = 0; producer && consumer && i < uarch->chain_count; i++) {
		int p = chain_word_fits(uarch->chain[i].producer, producer),
		    c = chain_word_fits(uarch->chain[i].consumer, consumer);

		if (p && c && p + c > best) {
			best = p + c;
			latency = uarch->chain[i].latency;
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
