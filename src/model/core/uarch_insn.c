/* How one instruction executes on a core: its classes, slots, fusion and un-lamination. */
#include "model/core/uarch_inside.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"

/* ---- reserved classes */

/* Classes that uarch_insn() finds by the effect of an instruction, not by its mnemonic. Each row
 * names an instruction class by identifier and name, and gives its fallback class. The fallback
 * replaces the class on a core without the class; RESERVED_COUNT: no fallback. If an effect has a
 * class for vector registers, the row of that class follows the row of the class for general
 * registers. */
#define RESERVED_ROWS(ROW)                                     \
	ROW(ZERO, "zero", RESERVED_COUNT)                      \
	ROW(MOVE, "move", RESERVED_COUNT)                      \
	ROW(VMOVE, "vmove", RESERVED_COUNT)                    \
	ROW(BRANCH, "branch", RESERVED_COUNT)                  \
	ROW(TAKEN, "taken", RESERVED_BRANCH)                   \
	ROW(BRANCH_RESULT, "branch-result", RESERVED_COUNT)    \
	ROW(JUMP, "jump", RESERVED_TAKEN)                      \
	ROW(INDIRECT, "indirect", RESERVED_JUMP)               \
	ROW(CALL, "call", RESERVED_JUMP)                       \
	ROW(RETURN, "return", RESERVED_INDIRECT)               \
	ROW(LOAD, "load", RESERVED_COUNT)                      \
	ROW(VLOAD, "vload", RESERVED_COUNT)                    \
	ROW(STORE, "store", RESERVED_COUNT)                    \
	ROW(VSTORE, "vstore", RESERVED_COUNT)                  \
	ROW(STORE_COMPLEX, "store-complex", RESERVED_STORE)    \
	ROW(VSTORE_COMPLEX, "vstore-complex", RESERVED_VSTORE) \
	ROW(STORE_BACK, "store-back", RESERVED_COUNT)          \
	ROW(LOAD_PAIR, "load-pair", RESERVED_LOAD)             \
	ROW(VLOAD_PAIR, "vload-pair", RESERVED_VLOAD)          \
	ROW(STORE_PAIR, "store-pair", RESERVED_STORE)          \
	ROW(VSTORE_PAIR, "vstore-pair", RESERVED_VSTORE)       \
	ROW(GATHER, "gather-load", RESERVED_VLOAD)             \
	ROW(SCATTER, "scatter-store", RESERVED_VSTORE)         \
	ROW(WRITEBACK, "writeback", RESERVED_COUNT)            \
	ROW(MODIFY, "modify", RESERVED_COUNT)

enum reserved {
#define ROW(identifier, name, fallback) RESERVED_##identifier,
	RESERVED_ROWS(ROW)
#undef ROW
		RESERVED_COUNT
};

static const struct {
	const char *name;
	enum reserved fallback;
} reserved[] = {
#define ROW(identifier, name, fallback) { name, fallback },
	RESERVED_ROWS(ROW)
#undef ROW
};

bool uarch_class_is_memory(const char *name)
{
	size_t length = strcspn(name, ".");

	for (int i = RESERVED_LOAD; i <= RESERVED_SCATTER; i++)
		if (strncmp(reserved[i].name, name, length) == 0 && !reserved[i].name[length])
			return true;
	return false;
}

/* ---- Finding classes by name */

const char *const uarch_width_suffix[UARCH_WIDTHS] = { "", ".8", ".16", ".32", ".64", ".128",
	".256", ".512" };

static int width_index(unsigned bits)
{
	return bits >= 8 && bits <= 512 && (bits & (bits - 1)) == 0 ? __builtin_ctz(bits) - 2 : 0;
}

static int compare_name(const void *key, const void *class)
{
	return strcmp(key, ((const struct uarch_class *)class)->name);
}

static const struct uarch_class *find_exact(const struct uarch *uarch, const char *name)
{
	return uarch->class_count ? bsearch(name, uarch->class, (size_t)uarch->class_count,
					    sizeof(*uarch->class), compare_name)
				  : NULL;
}

/* Finds a class by name and width; `width` is an index into uarch_width_suffix. */
static const struct uarch_class *find_class(const struct uarch *uarch, const char *name, int width)
{
	char full[UARCH_NAME + 8];
	const struct uarch_class *class = NULL;

	if (width > 0) {
		snprintf(full, sizeof(full), "%s%s", name, uarch_width_suffix[width]);
		class = find_exact(uarch, full);
	}
	return class ? class : find_exact(uarch, name);
}

const struct uarch_class *uarch_find(const struct uarch *uarch, const char *name, unsigned bits)
{
	return find_class(uarch, name, width_index(bits));
}

/* Finds the core's class for every class of the instruction table and every width. The core's class
 * is the first class that exists among NAME.WIDTH, NAME, and the fallbacks of NAME. */
static void resolve_classes(struct uarch *uarch)
{
	int classes = uarch->ops->class_count;
	const struct uarch_class **own = memory_new((size_t)classes * UARCH_WIDTHS, sizeof(*own));

	uarch->resolved = memory_new((size_t)classes * UARCH_WIDTHS, sizeof(*uarch->resolved));
	for (int i = 0; i < uarch->class_count; i++) {
		const char *name = uarch->class[i].name, *dot = strchr(name, '.');
		int number = ops_class_find(uarch->ops, name),
		    width = dot ? width_index((unsigned)atoi(dot + 1)) : 0;

		if (number >= 0)
			own[number * UARCH_WIDTHS + width] = &uarch->class[i];
	}
	for (int i = 0; i < classes; i++)
		for (int width = 0; width < UARCH_WIDTHS; width++)
			for (int at = i; at >= 0 && !uarch->resolved[i * UARCH_WIDTHS + width];
				at = uarch->ops->classes[at]->fallback) {
				const struct uarch_class **row = own + at * UARCH_WIDTHS;

				uarch->resolved[i * UARCH_WIDTHS + width] =
					row[width] ? row[width] : row[0];
			}
	free(own);
}

/* Whether a list of names, each with a blank before and after it, has the name of a class without
 * its width. */
static bool names_class(const char *names, const struct uarch_class *class)
{
	char name[UARCH_NAME + 2];

	snprintf(name, sizeof(name), " %.*s ", (int)strcspn(class->name, "."), class->name);
	return names && strstr(names, name);
}

/* Whether an instruction can have a class: a rule of the instruction table names it, or its effect
 * does. */
static bool is_used(const struct uarch_ops *ops, const char *name)
{
	size_t length = strcspn(name, ".");

	for (int i = 0; i < RESERVED_COUNT; i++)
		if (strncmp(reserved[i].name, name, length) == 0 && !reserved[i].name[length])
			return true;
	return ops_class_find(ops, name) >= 0;
}

/* A class that no instruction has is misspelt. */
static struct status check_classes(const struct uarch *uarch)
{
	const struct uarch_ops *ops = uarch->ops;
	const char **names;
	struct status status = status_ok();

	for (int i = 0; i < uarch->class_count && status_is_ok(&status); i++) {
		const struct uarch_class *class = &uarch->class[i];

		if (is_used(ops, class->name))
			continue;
		names = memory_new((size_t)ops->class_count + RESERVED_COUNT, sizeof(*names));
		for (int k = 0; k < ops->class_count; k++)
			names[k] = ops->classes[k]->name;
		for (int k = 0; k < RESERVED_COUNT; k++)
			names[ops->class_count + k] = reserved[k].name;
		status = status_unknown(
			words_of("%s: no instruction has the class", class->where).text,
			class->name, names, (size_t)ops->class_count + RESERVED_COUNT,
			"see the tables of instructions, data/uarch/*.ops");
		status.code = STATUS_FAILED;
		free(names);
	}
	return status;
}

struct status uarch_bind(struct uarch *uarch)
{
	struct status status = ops_load(uarch->isa, &uarch->ops);

	if (status_is_ok(&status))
		status = check_classes(uarch);
	if (!status_is_ok(&status))
		return status;
	for (int i = 0; i < uarch->class_count; i++) {
		struct uarch_class *class = &uarch->class[i];

		class->crosses_from = names_class(uarch->crossing_from, class);
		class->crosses_to = names_class(uarch->crossing_to, class);
	}
	resolve_classes(uarch);
	uarch->reserved = memory_new(RESERVED_COUNT, sizeof(*uarch->reserved));
	for (int width = 0; width < UARCH_WIDTHS; width++)
		for (int i = 0; i < RESERVED_COUNT; i++)
			for (int at = i; at < RESERVED_COUNT && !uarch->reserved[i][width];
				at = reserved[at].fallback)
				uarch->reserved[i][width] =
					find_class(uarch, reserved[at].name, width);
	return status;
}

/* ---- How one instruction executes */

/* The index of the width (8, 16, … 512 bits) of a memory access with vector registers. The width
 * index is 0 for accesses of up to 8 bytes (scalars). */
static int access_width(const struct insn_memory *memory)
{
	unsigned size = memory->accesses > 1 ? memory->size / memory->accesses : memory->size;

	return size > 32   ? width_index(512)
	       : size > 16 ? width_index(256)
	       : size > 8  ? width_index(128)
			   : 0;
}

/* Whether an address is complex: not base + 0…2047. Skylake's port 7 cannot compute complex store
 * addresses. Core files without a class `store-complex` make no difference between simple and
 * complex addresses. */
static bool is_complex(const struct insn_memory *memory)
{
	return memory->relative || memory->base == REG_NONE || memory->index != REG_NONE ||
	       memory->disp < 0 || memory->disp > 2047;
}

static const struct uarch_class *memory_class(const struct uarch *uarch, const struct insn *insn,
	const struct insn_memory *memory, bool store)
{
	int width = insn->vector ? access_width(memory) : 0, which;

	if (memory->vector_index)
		which = store ? RESERVED_SCATTER : RESERVED_GATHER;
	else if (memory->accesses == 2)
		which = (store ? RESERVED_STORE_PAIR : RESERVED_LOAD_PAIR) + insn->vector;
	else if (store && is_complex(memory))
		which = RESERVED_STORE_COMPLEX + insn->vector;
	else
		which = (store ? RESERVED_STORE : RESERVED_LOAD) + insn->vector;
	return uarch->reserved[which][width];
}

/* The class of an instruction's operation, without its memory accesses. NULL: the instruction has
 * no operation, or *known is false. */
static const struct uarch_class *operation(
	const struct uarch *uarch, const struct insn *insn, bool *known)
{
	static const enum reserved flows[] = { [FLOW_BRANCH] = RESERVED_BRANCH,
		[FLOW_JUMP] = RESERVED_JUMP,
		[FLOW_INDIRECT] = RESERVED_INDIRECT,
		[FLOW_CALL] = RESERVED_CALL,
		[FLOW_RETURN] = RESERVED_RETURN };
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
	else if (insn->flow != FLOW_NONE && insn->flow != FLOW_OTHER)
		class = uarch->reserved[flows[insn->flow]][width];
	*known = class != NULL;
	return class;
}

/* Whether the instruction has two explicit operands, reads and writes the first, and reads no
 * flags. Haswell to Skylake keep a two-operand instruction fused with a load from an indexed
 * address. */
static bool is_two_operand(const struct insn *insn)
{
	const char *comma = strchr(insn->shape, ',');
	bool both = false;

	if (!comma || strchr(comma + 1, ',') || !strchr("rv", insn->shape[0]))
		return false;
	for (int i = 0; i < insn->read_count; i++) {
		if (insn->reads[i] >= REG_CARRY)
			return false;
		both |= memchr(insn->writes, insn->reads[i], insn->write_count) != NULL;
	}
	return both;
}

static double unlaminated(const struct uarch *uarch, const struct insn *insn, bool has_op)
{
	bool loads = has_op && !(uarch->laminated & LAMINATED_TWO_OPERAND && is_two_operand(insn));
	double slots = 0;

	if (uarch->laminate < LAMINATE_INDEXED ||
		(uarch->laminated & LAMINATED_VECTORS && insn->vector))
		return 0;
	for (int i = 0; i < insn->memory_count; i++) {
		const struct insn_memory *memory = &insn->memory[i];

		if (memory->index != REG_NONE && !memory->vector_index &&
			!(uarch->laminated & LAMINATED_MODIFY && memory->load && memory->store))
			slots += (memory->load && loads) +
				 (memory->store && !(uarch->laminated & LAMINATED_STORES));
	}
	return slots;
}

/* Returns the class of a store. If the instruction has loaded the operand before, the core may have
 * the address already. */
static const struct uarch_class *store_class(
	const struct uarch *uarch, const struct insn *insn, const struct insn_memory *memory)
{
	const struct uarch_class *back = uarch->reserved[RESERVED_STORE_BACK][0];

	return memory->load && !insn->vector && back ? back
						     : memory_class(uarch, insn, memory, true);
}

void uarch_insn(const struct uarch *uarch, const struct insn *insn, struct uarch_insn *facts)
{
	const struct uarch_class *modify = uarch->reserved[RESERVED_MODIFY][0], *added;
	int width = width_index(insn->width);
	double slots = 0;
	bool stores = false, plain;

	memset(facts, 0, sizeof(*facts));
	if (!insn->known)
		return;
	facts->op = operation(uarch, insn, &facts->known);
	plain = !facts->op;
	for (int i = 0; i < insn->memory_count; i++) {
		const struct insn_memory *memory = &insn->memory[i];
		const struct uarch_class *access;
		double accesses =
			memory->accesses > 1 && !memory->vector_index ? memory->accesses : 1;

		if (memory->load)
			facts->load = memory_class(uarch, insn, memory, false);
		if (memory->store)
			facts->store = store_class(uarch, insn, memory);
		facts->known &= (!memory->load || facts->load) && (!memory->store || facts->store);
		access = memory->store ? facts->store : memory->load ? facts->load : NULL;
		if (access && plain)
			slots += access->slots * accesses;
		stores |= memory->store;
	}
	/* An operation that stores its result needs additional slots: those of the class `modify`,
	 * or of a store if the core has no class `modify`. */
	added = !stores || plain ? NULL : modify ? modify : facts->store;
	if (insn->writeback)
		facts->base = uarch->reserved[RESERVED_WRITEBACK][0];
	slots += (plain ? 0 : facts->op->slots) + (added ? added->slots : 0) +
		 (facts->base ? facts->base->slots : 0);
	facts->known &= facts->op || facts->load || facts->store;
	if (!facts->known)
		return;
	if (insn->flow == FLOW_BRANCH && facts->op == uarch->reserved[RESERVED_BRANCH][width])
		facts->taken = uarch->reserved[RESERVED_TAKEN][width];
	facts->unlaminated = unlaminated(uarch, insn, !plain);
	facts->slots = slots + facts->unlaminated;
	facts->eliminated = facts->op && !facts->load && !facts->store && facts->op->executes &&
			    facts->op->term_count == 0 && facts->op->latency <= 0;
}

/* ---- fusion and un-lamination */

const char *const uarch_exceptions[EXCEPTIONS] = { "memory", "memory-immediate", "relative",
	"store", "immediate" };

const char *const *uarch_conditions(const char *isa)
{
	static const char *const x86[] = { "o", "no", "b", "ae", "e", "ne", "be", "a", "s", "ns",
		"p", "np", "l", "ge", "le", "g", NULL };
	static const char *const arm64[] = { "eq", "ne", "hs", "lo", "mi", "pl", "vs", "vc", "hi",
		"ls", "ge", "lt", "gt", "le", "al", NULL };

	return strcmp(isa, "x86_64") == 0 ? x86 : arm64;
}

bool uarch_fuses(const struct uarch *uarch, const struct insn *first, const struct insn *branch)
{
	const struct insn_memory *memory = first->memory;
	const char *const *names = uarch_conditions(uarch->isa);
	unsigned has = first->immediate ? FUSE_IMMEDIATE : 0;

	if (branch->flow != FLOW_BRANCH || !branch->condition[0] || first->flow != FLOW_NONE ||
		!first->known)
		return false;
	if (first->memory_count > 0)
		has |= FUSE_MEMORY | (memory->store ? FUSE_STORE : 0) |
		       (first->immediate ? FUSE_MEMORY_IMMEDIATE : 0) |
		       (first->immediate && memory->relative ? FUSE_RELATIVE : 0);
	for (int i = 0; i < uarch->fusion_count; i++) {
		const struct uarch_fusion *fusion = &uarch->fusion[i];

		if (fusion->kind != FUSION_BRANCH || strcmp(fusion->mnemonic, first->mnemonic) != 0)
			continue;
		if (fusion->unless & has)
			return false;
		for (int k = 0; names[k]; k++)
			if (strcmp(names[k], branch->condition) == 0)
				return fusion->conditions >> k & 1;
		return fusion->conditions == ~0u;
	}
	return false;
}

/* Whether an instruction reads and writes the register `reg`, and writes no other register except
 * the flags. */
static bool changes(const struct insn *operation, uint8_t reg)
{
	for (int i = 0; i < operation->write_count; i++)
		if (operation->writes[i] < REG_CARRY && operation->writes[i] != reg)
			return false;
	return memchr(operation->reads, reg, operation->read_count) &&
	       memchr(operation->writes, reg, operation->write_count);
}

static bool has_fusion(
	const struct uarch *uarch, enum fusion_kind kind, const struct insn *operation)
{
	for (int i = 0; i < uarch->fusion_count; i++)
		if (uarch->fusion[i].kind == kind &&
			strcmp(uarch->fusion[i].mnemonic, operation->mnemonic) == 0)
			return true;
	return false;
}

/* Largest length in bytes of two instructions that share a slot under `fuse … after any` (measured
 * on Zen 4). */
enum { PAIR_BYTES = 15 };

bool uarch_fuses_behind(
	const struct uarch *uarch, const struct insn *first, const struct insn *operation)
{
	bool load = !first->move && first->memory_count == 1 && first->memory[0].load &&
		    !first->memory[0].store && first->memory[0].index == REG_NONE &&
		    !first->vector && strcmp(first->mnemonic, "mov") == 0;
	enum fusion_kind kind = load ? FUSION_LOAD : FUSION_COPY;

	if (first->known && operation->known && first->flow == FLOW_NONE &&
		first->length + operation->length <= PAIR_BYTES &&
		has_fusion(uarch, FUSION_ANY, operation))
		return true;
	if (!first->known || !operation->known || (!load && !first->move) ||
		first->write_count < 1 || operation->memory_count > 0 ||
		operation->width != first->width || operation->vector != first->vector ||
		strchr(operation->shape, 'c') || !changes(operation, first->writes[0]) ||
		(load && operation->immediate))
		return false;
	return has_fusion(uarch, kind, operation);
}
