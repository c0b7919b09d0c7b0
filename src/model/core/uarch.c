/* Core models by name, their facts, and how one instruction executes. */
#include "model/core/uarch_read.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/data.h"

const char *const uarch_reserved_name[RESERVED_COUNT] = {
	[RESERVED_ZERO] = "zero",
	[RESERVED_MOVE] = "move",
	[RESERVED_VMOVE] = "vmove",
	[RESERVED_BRANCH] = "branch",
	[RESERVED_TAKEN] = "taken",
	[RESERVED_JUMP] = "jump",
	[RESERVED_INDIRECT] = "indirect",
	[RESERVED_CALL] = "call",
	[RESERVED_RETURN] = "return",
	[RESERVED_LOAD] = "load",
	[RESERVED_VLOAD] = "vload",
	[RESERVED_STORE] = "store",
	[RESERVED_VSTORE] = "vstore",
	[RESERVED_STORE_COMPLEX] = "store-complex",
	[RESERVED_VSTORE_COMPLEX] = "vstore-complex",
	[RESERVED_LOAD_PAIR] = "load-pair",
	[RESERVED_VLOAD_PAIR] = "vload-pair",
	[RESERVED_STORE_PAIR] = "store-pair",
	[RESERVED_VSTORE_PAIR] = "vstore-pair",
	[RESERVED_GATHER] = "gather-load",
	[RESERVED_SCATTER] = "scatter-store",
	[RESERVED_WRITEBACK] = "writeback",
	[RESERVED_MODIFY] = "modify",
};
_Static_assert(RESERVED_MODIFY == RESERVED_COUNT - 1, "a reserved class without a name");

/* What stands in for a reserved class that a core does not name: the same thing, less closely told.
 */
static const int reserved_fallback[RESERVED_COUNT] = {
	[RESERVED_ZERO] = -1,
	[RESERVED_MOVE] = -1,
	[RESERVED_VMOVE] = -1,
	[RESERVED_BRANCH] = -1,
	[RESERVED_TAKEN] = RESERVED_BRANCH,
	[RESERVED_JUMP] = RESERVED_TAKEN,
	[RESERVED_INDIRECT] = RESERVED_JUMP,
	[RESERVED_CALL] = RESERVED_JUMP,
	[RESERVED_RETURN] = RESERVED_INDIRECT,
	[RESERVED_LOAD] = -1,
	[RESERVED_VLOAD] = -1,
	[RESERVED_STORE] = -1,
	[RESERVED_VSTORE] = -1,
	[RESERVED_STORE_COMPLEX] = RESERVED_STORE,
	[RESERVED_VSTORE_COMPLEX] = RESERVED_VSTORE,
	[RESERVED_LOAD_PAIR] = RESERVED_LOAD,
	[RESERVED_VLOAD_PAIR] = RESERVED_VLOAD,
	[RESERVED_STORE_PAIR] = RESERVED_STORE,
	[RESERVED_VSTORE_PAIR] = RESERVED_VSTORE,
	[RESERVED_GATHER] = RESERVED_VLOAD,
	[RESERVED_SCATTER] = RESERVED_VSTORE,
	[RESERVED_WRITEBACK] = -1,
	[RESERVED_MODIFY] = -1,
};

bool uarch_reserved_is_memory(const char *name)
{
	size_t length = strcspn(name, ".");

	for (int i = RESERVED_LOAD; i <= RESERVED_SCATTER; i++)
		if (strlen(uarch_reserved_name[i]) == length &&
			memcmp(uarch_reserved_name[i], name, length) == 0)
			return true;
	return false;
}

/* ---- names */

enum { MOST_CORES = 128 };

static char every_name[MOST_CORES][UARCH_NAME];
static const char *names_all[MOST_CORES + 1], *names_x86[MOST_CORES + 1],
	*names_arm64[MOST_CORES + 1];
static pthread_once_t names_once = PTHREAD_ONCE_INIT;

/* Which instruction sets a core model may be for: a file that does not say is listed with each, so
 * that its mistake is met. */
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

/* ---- loading */

static bool is_listed(const char *name)
{
	const char *const *names = uarch_names(NULL);

	for (; *names; names++)
		if (strcmp(*names, name) == 0)
			return true;
	return false;
}

static struct status unknown_name(const char *name, const char *isa)
{
	const char *const *names = uarch_names(isa);
	char near[184]; /* room for all names; with the rest it fits a status */
	size_t count = 0;

	while (names[count])
		count++;
	lines_names(name, names, count, near, sizeof(near));
	return status_make(
		STATUS_USAGE, "no core model \"%.40s\"%s%s", name, *near ? "; " : "", near);
}

struct status uarch_load(const char *name, const char *isa, struct uarch **uarch)
{
	char file[48], origin[256], *text;
	bool path = strchr(name, '/') != NULL;
	struct status status;

	*uarch = NULL;
	snprintf(origin, sizeof(origin), "%s", name);
	if (path) {
		status = data_read(name, &text);
		if (!status_is_ok(&status))
			return status;
	} else {
		if (strlen(name) == 0 || strlen(name) >= UARCH_NAME)
			return unknown_name(name, isa);
		snprintf(file, sizeof(file), "uarch/%s.uarch", name);
		status = data_load(file, &text, origin);
		if (!status_is_ok(&status))
			return is_listed(name) ? status : unknown_name(name, isa);
	}
	status = uarch_parse(text, origin, uarch);
	free(text);
	if (!status_is_ok(&status))
		return status;
	if (!path && strcmp((*uarch)->name, name) != 0)
		status = lines_status(origin, 1, "this file is the core \"%s\", not \"%s\"",
			(*uarch)->name, name);
	else if (isa && strcmp((*uarch)->isa, isa) != 0)
		status = status_make(STATUS_USAGE, "%.100s is a core for %s; this machine is %s",
			name, (*uarch)->isa, isa);
	if (!status_is_ok(&status)) {
		uarch_free(*uarch);
		*uarch = NULL;
	}
	return status;
}

struct status uarch_parse(const char *text, const char *origin, struct uarch **uarch)
{
	struct status status = uarch_read(text, origin, uarch);

	if (status_is_ok(&status))
		status = uarch_bind(*uarch);
	if (!status_is_ok(&status)) {
		uarch_free(*uarch);
		*uarch = NULL;
	}
	return status;
}

void uarch_free(struct uarch *uarch)
{
	if (!uarch)
		return;
	ops_free(uarch->ops);
	free(uarch->resolved);
	free(uarch->class);
	free(uarch->chain);
	free(uarch->fusion);
	free(uarch->id);
	free(uarch->event);
	free(uarch);
}

/* ---- classes by name */

static const char *const width_suffix[UARCH_WIDTHS] = { "", ".8", ".16", ".32", ".64", ".128",
	".256", ".512" };

static int width_index(unsigned bits)
{
	switch (bits) {
	case 8:
		return 1;
	case 16:
		return 2;
	case 32:
		return 3;
	case 64:
		return 4;
	case 128:
		return 5;
	case 256:
		return 6;
	case 512:
		return 7;
	default:
		return 0;
	}
}

static int compare_name(const void *key, const void *class)
{
	return strcmp(key, ((const struct uarch_class *)class)->name);
}

/* width: index of width_suffix. */
static const struct uarch_class *find_class(const struct uarch *uarch, const char *name, int width)
{
	char full[UARCH_NAME + 8];
	const struct uarch_class *class = NULL;

	if (width > 0 && width < UARCH_WIDTHS) {
		snprintf(full, sizeof(full), "%s%s", name, width_suffix[width]);
		class = bsearch(full, uarch->class, (size_t)uarch->class_count, sizeof(*class),
			compare_name);
	}
	if (!class)
		class = bsearch(name, uarch->class, (size_t)uarch->class_count, sizeof(*class),
			compare_name);
	return class;
}

const struct uarch_class *uarch_find(const struct uarch *uarch, const char *name, unsigned bits)
{
	return find_class(uarch, name, width_index(bits));
}

/* The number of a class in the table of instructions by its name without the width; -1 when no rule
 * names it. */
static int class_number(const struct uarch_ops *ops, const int *sorted, const char *name)
{
	size_t length = strcspn(name, ".");
	int low = 0, high = ops_class_count(ops);

	while (low < high) {
		int middle = (low + high) / 2;
		const char *other = ops_class(ops, sorted[middle]);
		int order = strncmp(name, other, length);

		if (order == 0 && !other[length])
			return sorted[middle];
		if (order > 0)
			low = middle + 1;
		else
			high = middle;
	}
	return -1;
}

static int by_class_name(const void *a, const void *b, void *ops)
{
	return strcmp(ops_class(ops, *(const int *)a), ops_class(ops, *(const int *)b));
}

/* Every class by number and width, looked up once: NAME.WIDTH, NAME, then those of the fallback. */
static void resolve_classes(struct uarch *uarch)
{
	int classes = ops_class_count(uarch->ops),
	    *sorted = memory_new((size_t)classes, sizeof(*sorted));
	const struct uarch_class **own = memory_new((size_t)classes * UARCH_WIDTHS, sizeof(*own));

	uarch->resolved = memory_new((size_t)classes * UARCH_WIDTHS, sizeof(*uarch->resolved));
	for (int i = 0; i < classes; i++)
		sorted[i] = i;
	qsort_r(sorted, (size_t)classes, sizeof(*sorted), by_class_name, uarch->ops);
	for (int i = 0; i < uarch->class_count; i++) {
		const char *name = uarch->class[i].name, *dot = strchr(name, '.');
		int number = class_number(uarch->ops, sorted, name);

		if (number >= 0)
			own[number * UARCH_WIDTHS + (dot ? width_index((unsigned)atoi(dot + 1))
							 : 0)] = &uarch->class[i];
	}
	for (int i = 0; i < classes; i++)
		for (int width = 0; width < UARCH_WIDTHS; width++)
			for (int at = i; at >= 0 && !uarch->resolved[i * UARCH_WIDTHS + width];
				at = ops_fallback(uarch->ops, at)) {
				const struct uarch_class **row = own + at * UARCH_WIDTHS;

				uarch->resolved[i * UARCH_WIDTHS + width] =
					row[width] ? row[width] : row[0];
			}
	free(own);
	free(sorted);
}

struct status uarch_bind(struct uarch *uarch)
{
	struct status status = ops_load(uarch->isa, &uarch->ops);

	if (!status_is_ok(&status))
		return status;
	resolve_classes(uarch);
	for (int width = 0; width < UARCH_WIDTHS; width++)
		for (int i = 0; i < RESERVED_COUNT; i++)
			for (int at = i; at >= 0 && !uarch->reserved[i][width];
				at = reserved_fallback[at])
				uarch->reserved[i][width] =
					find_class(uarch, uarch_reserved_name[at], width);
	return status;
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

/* Whether a chain's word means this class: by its whole name (2), or by the name without the width
 * (1). */
static int memory_limits(const char *word, const struct uarch_class *class)
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
		int p = memory_limits(uarch->chain[i].producer, producer),
		    c = memory_limits(uarch->chain[i].consumer, consumer);

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

/* ---- one instruction */

/* Widths of memory accesses in vector registers: up to 8 bytes are nobody's (scalars). */
static int access_width(const struct insn_memory *memory)
{
	unsigned size = memory->accesses > 1 ? memory->size / memory->accesses : memory->size;

	return size > 32   ? width_index(512)
	       : size > 16 ? width_index(256)
	       : size > 8  ? width_index(128)
			   : 0;
}

/* Skylake's store AGU on port 7 takes base + 0…2047 alone; where that makes no difference no file
 * has the class. */
static bool is_complex(const struct insn_memory *memory)
{
	return memory->relative || memory->base == REG_NONE || memory->index != REG_NONE ||
	       memory->disp < 0 || memory->disp > 2047;
}

static const struct uarch_class *memory_class(const struct uarch *uarch, const struct insn *insn,
	const struct insn_memory *memory, bool store)
{
	int width = insn->vector ? access_width(memory) : 0, which;
	bool pair = memory->accesses == 2 && !memory->vector_index;

	if (memory->vector_index)
		which = store ? RESERVED_SCATTER : RESERVED_GATHER;
	else if (pair)
		which = store	       ? insn->vector ? RESERVED_VSTORE_PAIR : RESERVED_STORE_PAIR
			: insn->vector ? RESERVED_VLOAD_PAIR
				       : RESERVED_LOAD_PAIR;
	else if (store && is_complex(memory))
		which = insn->vector ? RESERVED_VSTORE_COMPLEX : RESERVED_STORE_COMPLEX;
	else if (store)
		which = insn->vector ? RESERVED_VSTORE : RESERVED_STORE;
	else
		which = insn->vector ? RESERVED_VLOAD : RESERVED_LOAD;
	return uarch->reserved[which][width];
}

/* The class of what the instruction does besides memory; NULL and *known unset: nobody can say. */
static const struct uarch_class *operation(
	const struct uarch *uarch, const struct insn *insn, bool *known)
{
	int width = width_index(insn->width), number;
	const struct uarch_class *class = NULL;

	*known = true;
	if (insn->zeroing)
		class = uarch->reserved[RESERVED_ZERO][width];
	else if (insn->move)
		class = uarch->reserved[insn->vector ? RESERVED_VMOVE : RESERVED_MOVE][width];
	if (class)
		return class;
	number = ops_find(uarch->ops, insn);
	if (number == OPS_MEMORY_ONLY)
		return NULL;
	if (number >= 0)
		class = uarch->resolved[number * UARCH_WIDTHS + width];
	else
		switch (insn->flow) {
		case FLOW_BRANCH:
			class = uarch->reserved[RESERVED_BRANCH][width];
			break;
		case FLOW_JUMP:
			class = uarch->reserved[RESERVED_JUMP][width];
			break;
		case FLOW_INDIRECT:
			class = uarch->reserved[RESERVED_INDIRECT][width];
			break;
		case FLOW_CALL:
			class = uarch->reserved[RESERVED_CALL][width];
			break;
		case FLOW_RETURN:
			class = uarch->reserved[RESERVED_RETURN][width];
			break;
		default:
			break;
		}
	*known = class != NULL;
	return class;
}

/* Two explicit operands, the first a register that is read and written, and no flags read: what
 * Haswell to Skylake keep fused with an indexed address. */
static bool is_two_operand(const struct insn *insn)
{
	const char *comma = strchr(insn->shape, ',');
	bool both = false;

	if (!comma || strchr(comma + 1, ',') || (insn->shape[0] != 'r' && insn->shape[0] != 'v'))
		return false;
	for (int i = 0; i < insn->read_count && i < INSN_READS; i++) {
		if (insn->reads[i] >= REG_CARRY)
			return false;
		for (int k = 0; k < insn->write_count && k < INSN_WRITES; k++)
			both = both || insn->reads[i] == insn->writes[k];
	}
	return both;
}

static double unlaminated(const struct uarch *uarch, const struct insn *insn, bool has_op)
{
	double slots = 0;

	if (uarch->laminate != LAMINATE_INDEXED)
		return 0;
	for (int i = 0; i < insn->memory_count && i < INSN_MEMORY; i++) {
		const struct insn_memory *memory = &insn->memory[i];

		if (memory->index == REG_NONE || memory->vector_index)
			continue;
		if (memory->load && has_op &&
			!(uarch->laminate_two_operand && is_two_operand(insn)))
			slots++;
		if (memory->store && !uarch->laminate_stores)
			slots++;
	}
	return slots;
}

void uarch_insn(const struct uarch *uarch, const struct insn *insn, struct uarch_insn *facts)
{
	double slots = 0;
	bool stores = false, plain;

	memset(facts, 0, sizeof(*facts));
	if (!insn->known)
		return;
	facts->op = operation(uarch, insn, &facts->known);
	plain = !facts->op;
	if (facts->op)
		slots = facts->op->slots;
	if (insn->flow == FLOW_BRANCH && facts->op &&
		facts->op == uarch->reserved[RESERVED_BRANCH][width_index(insn->width)])
		facts->taken = uarch->reserved[RESERVED_TAKEN][width_index(insn->width)];
	for (int i = 0; i < insn->memory_count && i < INSN_MEMORY; i++) {
		const struct insn_memory *memory = &insn->memory[i];
		double accesses =
			memory->accesses > 1 && !memory->vector_index ? memory->accesses : 1;

		if (memory->load) {
			facts->load = memory_class(uarch, insn, memory, false);
			facts->known = facts->known && facts->load;
			if (facts->load && plain && !memory->store)
				slots += facts->load->slots * accesses;
		}
		if (memory->store) {
			facts->store = memory_class(uarch, insn, memory, true);
			facts->known = facts->known && facts->store;
			if (facts->store && plain)
				slots += facts->store->slots * accesses;
			stores = true;
		}
	}
	/* What an operation leaves in memory: one more, unless the core says otherwise. */
	if (stores && !plain)
		slots += uarch->reserved[RESERVED_MODIFY][0]
				 ? uarch->reserved[RESERVED_MODIFY][0]->slots
			 : facts->store ? facts->store->slots
					: 0;
	if (insn->writeback && uarch->reserved[RESERVED_WRITEBACK][0]) {
		facts->base = uarch->reserved[RESERVED_WRITEBACK][0];
		slots += facts->base->slots;
	}
	if (plain && !facts->load && !facts->store)
		facts->known = false;
	if (!facts->known) {
		facts->taken = NULL;
		return;
	}
	facts->unlaminated = unlaminated(uarch, insn, !plain);
	facts->slots = slots + facts->unlaminated;
	facts->eliminated = facts->op && !facts->load && !facts->store && facts->op->executes &&
			    facts->op->term_count == 0 && facts->op->latency <= 0;
}
