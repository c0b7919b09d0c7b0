/* The changes of a loop's machine code for one instruction: a copy whose result is discarded, a
 * result that comes a cycle later, or nops in place of the instruction. */
#include "experiment/cost/cost.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "experiment/slack/spare.h"
#include "kernels/features.h"
#include "kernels/nops.h"
#include "model/code/reach.h"
#include "model/code/redirect.h"

/* LINES: largest number of instructions that are added to the loop. BYTES: largest number of bytes
 * of a changed function.
 */
enum { LINES = COST_DELAYS, BYTES = 64 << 10 };

/* ---- Which instructions can be changed */

static bool is_flag(int reg)
{
	return reg == REG_FLAGS || reg == REG_CARRY;
}

int cost_target(const struct insn *insn)
{
	int found = REG_NONE;

	for (int i = 0; i < insn->write_count; i++)
		if (!is_flag(insn->writes[i])) {
			if (found != REG_NONE)
				return -1;
			found = insn->writes[i];
		}
	return found;
}

static bool reads(const struct insn *insn, int reg)
{
	return memchr(insn->reads, reg, insn->read_count) != NULL;
}

static bool stores(const struct insn *insn)
{
	for (int i = 0; i < insn->memory_count; i++)
		if (insn_stores(insn, i))
			return true;
	return false;
}

/* Returns the reason why an instruction is never copied, delayed or removed; NULL: it may be
 * changed. */
static const char *refuse_all(const struct insn *insn)
{
	if (!insn->known)
		return "the decoder does not know the instruction";
	if (insn->flow != FLOW_NONE)
		return COST_JUMPS;
	if (insn->writeback)
		return "the instruction moves a pointer, such as the stack pointer";
	if (cost_target(insn) < 0)
		return "the instruction writes several registers";
	return NULL;
}

static const char *refuse_twice(const struct insn *insn)
{
	for (int i = 0; i < insn->memory_count; i++)
		if (insn_stores(insn, i) && insn->memory[i].load)
			return "a second execution would change memory again";
	for (int reg = REG_CARRY; reg <= REG_FLAGS; reg++)
		if (reads(insn, reg) &&
			(insn_writes(insn, REG_FLAGS) || insn_writes(insn, REG_CARRY)))
			return "the instruction reads and changes flags";
	if (cost_target(insn) == REG_NONE && !insn_writes(insn, REG_FLAGS) && !stores(insn) &&
		strcmp(insn->mnemonic, "nop") != 0 && strncmp(insn->mnemonic, "prefetch", 8) != 0)
		return "the result is in no register that the decoder lists";
	return NULL;
}

static const char *refuse_later(const struct insn *insn)
{
	int target = cost_target(insn);

	if (stores(insn))
		return "the result is in memory";
	if (target == REG_NONE)
		return "the instruction writes no register";
	return target >= REG_MASK || target == REG_GENERAL + 4
		       ? "a result in a mask register or in rsp cannot be delayed"
		       : NULL;
}

static const char *refuse_without(const struct insn *insn)
{
	if (stores(insn))
		return "memory would hold other values";
	return insn->write_count == 0 ? "the result is in no register that the decoder lists"
				      : NULL;
}

void cost_refuse(const struct insn *insn, struct cost_insn *row)
{
	const char *all = refuse_all(insn), *twice = all ? all : refuse_twice(insn),
		   *later = all ? all : refuse_later(insn),
		   *without = all ? all : refuse_without(insn);

	snprintf(row->why_twice, sizeof(row->why_twice), "%s", twice ? twice : "");
	snprintf(row->why_later, sizeof(row->why_later), "%s", later ? later : "");
	snprintf(row->why_saved, sizeof(row->why_saved), "%s", without ? without : "");
	row->moves = !twice && cost_target(insn) > 0 && reads(insn, cost_target(insn));
}

/* ---- One change as machine code */

struct writing {
	const struct decoded_function *function;
	int index; /* index of the changed instruction in the function */
	const struct insn *insn;
	/* Numbers as in insn.h: the register that the instruction writes, a register that the loop
	 * leaves free, and a second free one, or the target if there is none. */
	int target, spare, steady;
	struct code_line line[LINES];
	int lines;
	int after; /* number of instructions that are added after the changed instruction; they are
		      the last ones of `line` */
};

/* "rax", "xmm7", "zmm31", "k1": the name of a whole register for an instruction of this width. */
static struct words name_of(const struct insn *insn, int reg)
{
	if (reg >= REG_MASK)
		return words_of("k%d", reg - REG_MASK);
	if (reg < REG_VECTOR)
		return words_of("%s", spare_general_names[reg - REG_GENERAL][0]);
	return words_of("%cmm%d",
		insn->width > 256   ? 'z'
		: insn->width > 128 ? 'y'
				    : 'x',
		reg - REG_VECTOR);
}

static struct status add_line(struct writing *writing, struct words line)
{
	return spare_assemble(line.text, 0, &writing->line[writing->lines++]);
}

/* Adds a move of the target register to the spare register. */
static struct status add_move(struct writing *writing)
{
	const char *move = writing->target >= REG_MASK	       ? "kmovq"
			   : writing->target < REG_VECTOR      ? "mov"
			   : writing->insn->mnemonic[0] == 'v' ? "vmovaps"
							       : "movaps";

	return add_line(
		writing, words_of("%s %s, %s", move, name_of(writing->insn, writing->spare).text,
				 name_of(writing->insn, writing->target).text));
}

const char *cost_or(const struct insn *insn)
{
	const char *name = insn->mnemonic + (insn->mnemonic[0] == 'v');

	/* There is no vpor of 512 bits. */
	return insn->width <= 256 && (name[0] == 'p' || strncmp(name, "movdq", 5) == 0 ||
					     strcmp(name, "movd") == 0 || strcmp(name, "movq") == 0)
		       ? "por"
		       : "orps";
}

/* Adds an instruction that copies the result to itself, which delays it, or, if `held`, one free
 * register to the other. The instruction has the same length and ports for each register. Copies of
 * the free register wait for nothing: a chain of them through all iterations could take longer than
 * the loop, and copies that wait for the result take its ports when it is needed. Only without AVX,
 * two-operand copies of vectors are such a chain. */
static struct status add_delay(struct writing *writing, bool held)
{
	struct words name = name_of(writing->insn, held ? writing->spare : writing->target),
		     from = name_of(writing->insn, held ? writing->steady : writing->target);
	bool known;

	writing->after++;
	if (writing->target < REG_VECTOR)
		return add_line(writing, features_word("bmi2", &known)
						 ? words_of("rorx %s, %s, 0", name.text, from.text)
						 : words_of("lea %s, [%s]", name.text, from.text));
	return add_line(writing,
		features_word("avx", &known)
			? words_of("v%s %s, %s, %s", cost_or(writing->insn), name.text, from.text,
				  from.text)
			: words_of("%s %s, %s", cost_or(writing->insn), name.text, name.text));
}

/* Whether the copy of an instruction can be placed after the original. A copy after the original is
 * younger, so it does not delay the original at their common port. A copy after the original needs
 * addresses and flags that the original leaves unchanged. */
static bool can_follow(const struct writing *writing)
{
	const struct insn *insn = writing->insn;

	for (int i = 0; i < insn->memory_count; i++)
		if (writing->target != REG_NONE &&
			(insn->memory[i].base == writing->target ||
				insn->memory[i].index == writing->target))
			return false;
	for (int flag = REG_CARRY; flag <= REG_FLAGS; flag++)
		if (insn_writes(insn, flag) &&
			rewrite_needs(writing->function, writing->index + 1, flag))
			return false;
	return true;
}

/* Adds nops of `bytes` bytes together. */
static void add_nops(struct writing *writing, int count, int bytes)
{
	count = count < 1 ? 1 : count < bytes ? count : bytes;
	for (int i = 0; i < count; i++) {
		struct code_line *line = &writing->line[writing->lines++];
		int length = bytes / count + (i < bytes % count);

		line->length = (uint8_t)(length < NOP_LONGEST ? length : NOP_LONGEST);
		write_nop(line->bytes, line->length);
	}
}

/* Adds the copy of the instruction, and before the instruction the move that the copy needs. If
 * `nops` is not 0, as many nops take the place of the copy. */
static struct status add_copy(struct writing *writing, int nops)
{
	const struct insn *insn = writing->insn;
	const uint8_t *bytes = (const uint8_t *)(uintptr_t)insn->address;
	struct code_line copy = { .length = insn->length };
	struct status status = status_ok();
	struct insn decoded;

	memcpy(copy.bytes, bytes, insn->length);
	if (writing->target != REG_NONE)
		copy.length = (uint8_t)redirect_insn(
			bytes, insn->length, writing->target, writing->spare, copy.bytes);
	if (copy.length == 0)
		return status_failed("the instruction can write its result only to one register");
	decode_insn(copy.bytes, copy.length, insn->address, &decoded);
	for (int i = 0; i < insn->memory_count; i++)
		if (insn->memory[i].relative) {
			copy.distance_at = decoded.distance_at;
			copy.target = (uint64_t)insn->memory[i].disp;
		}
	if (writing->target != REG_NONE && reads(&decoded, writing->spare))
		status = add_move(writing);
	if (status_is_ok(&status)) {
		int before = writing->lines;

		if (nops)
			add_nops(writing, nops, copy.length);
		else
			writing->line[writing->lines++] = copy;
		writing->after = can_follow(writing) ? writing->lines - before : 0;
	}
	return status;
}

/* Finds a register for the result of the copy, or `wanted` registers for the control of the delay.
 */
static struct status find_spare(
	struct writing *writing, int wanted, uint64_t saved, struct spare_frame *frame)
{
	bool vector = writing->target >= REG_VECTOR;
	struct spare_usage usage;
	struct status status;
	int found[SPARE_MOST] = { 0 };

	spare_usage(writing->function, &usage);
	if (writing->target >= REG_MASK) {
		for (int reg = REG_MASK + 1; reg < REG_MASK + 8; reg++)
			if (!usage.function[reg] && !usage.calls)
				writing->spare = reg;
		return writing->spare ? status_ok()
				      : status_failed("the loop leaves no mask register free for a "
						      "copy of the instruction");
	}
	status = (vector ? spare_vectors : spare_general)(&usage, wanted, saved, found, frame);
	writing->spare = (vector ? REG_VECTOR : REG_GENERAL) + found[0];
	writing->steady =
		wanted > 1 ? (vector ? REG_VECTOR : REG_GENERAL) + found[1] : writing->target;
	return status;
}

static struct status refuse_reach(enum reach reach)
{
	static const char *const why[] = { [REACH_ADDRESS] =
						   "the loop would access other addresses",
		[REACH_CONTROL] = "other instructions would run",
		[REACH_MEMORY] = "memory would hold other values",
		[REACH_DIVISION] = "a divisor could become 0" };

	return reach == REACH_NOTHING ? status_ok() : status_failed("%s", why[reach]);
}

/* Prepares the added instructions. */
static struct status prepare(struct writing *writing, enum cost_change change, int delay,
	uint64_t saved, struct spare_frame *frame)
{
	bool copies = change == COST_SLOTS || change == COST_TWICE;
	struct status status = status_ok();

	writing->target = cost_target(writing->insn);
	if (change == COST_WITHOUT)
		return refuse_reach(reach_find(writing->function, writing->index));
	if (change != COST_PLAIN && writing->target != REG_NONE)
		status = find_spare(writing, copies ? 1 : 2, saved, frame);
	if (!status_is_ok(&status) && !copies)
		status = find_spare(writing, 1, saved, frame);
	if (!status_is_ok(&status))
		return status;
	switch (change) {
	case COST_SLOTS: return add_copy(writing, delay);
	case COST_TWICE: return add_copy(writing, 0);
	case COST_PLAIN: return status;
	default: break;
	}
	for (int i = 0; i < delay && status_is_ok(&status); i++)
		status = add_delay(writing, change == COST_HELD || change == COST_HELD_LONG);
	return status;
}

/* ---- The change for the engine */

/* The number `what` of a code change has the kind of change in its lowest byte, and above it a hash
 * of the instruction's mnemonic. The number `count` of a code change has the instruction's offset
 * in the loop in its low PLACE_BITS bits, and above the number of nops in place of the copy, or of
 * instructions that delay the result. For COST_NOPS, `count` is the number of nops.
 */
enum { PLACE_BITS = 20 };

static unsigned number_of(enum cost_change change, const char *mnemonic)
{
	unsigned number = 0;

	while (*mnemonic)
		number = number * 31 + (unsigned char)*mnemonic++;
	return (number << 8) | (unsigned)change;
}

static int find(const struct decoded_function *function, const struct code_change *change)
{
	uint64_t from_top;
	int delay;
	enum cost_change kind = cost_change_of(change, &from_top, &delay);

	for (int i = function->first; i <= function->last; i++)
		if (function->insn[i].address - function->insn[function->first].address ==
				from_top &&
			number_of(kind, function->insn[i].mnemonic) == change->what)
			return i;
	return -1;
}

/* Writes the loop with nops that are spread evenly. */
static struct status write_nops(const struct decoded_function *function, int count,
	const struct code_place *place, const void **start)
{
	struct code_line nop = { .length = (int)COST_NOP < (int)NOP_LONGEST ? COST_NOP
									    : NOP_LONGEST };
	const struct rewrite rewrite = { .filler = &nop, .filler_count = 1, .inserted = count };

	write_nop(nop.bytes, nop.length);
	return rewrite_function(function, &rewrite, place->to, place->bytes, start);
}

static struct status write_change(
	const struct code_change *change, const struct code_place *place, const void **start)
{
	uint64_t from_top;
	int delay;
	enum cost_change kind = cost_change_of(change, &from_top, &delay);
	struct decoded_function function;
	struct spare_frame frame = { .before_count = 0 };
	struct writing writing = { .function = &function };
	struct rewrite rewrite = { .filler = writing.line, .together = true };
	struct status status = decode_function(place->code,
		place->size < DECODE_FUNCTION ? place->size : DECODE_FUNCTION, &function);

	if (status_is_ok(&status) && kind == COST_NOPS) {
		status = write_nops(&function, (int)from_top, place, start);
		decode_function_free(&function);
		return status;
	}
	if (status_is_ok(&status)) {
		writing.index = kind == COST_PLAIN ? function.first : find(&function, change);
		if (writing.index < 0)
			status =
				status_failed("the machine code that runs has no such instruction");
	}
	if (status_is_ok(&status)) {
		writing.insn = &function.insn[writing.index];
		status = prepare(&writing, kind, delay, (uint64_t)(uintptr_t)place->data, &frame);
	}
	if (status_is_ok(&status)) {
		rewrite.filler_count = rewrite.inserted = writing.lines;
		rewrite.place = writing.index;
		rewrite.after_place = writing.after;
		rewrite.removes = kind == COST_WITHOUT;
		rewrite.removed = writing.index;
		spare_frame_add(&frame, &rewrite);
		status = rewrite_function(&function, &rewrite, place->to, place->bytes, start);
	}
	decode_function_free(&function);
	return status;
}

int cost_delays(const struct cost_insn *insn)
{
	double count = floor(insn->latency / insn->delay + 1e-6);

	return (int)fmin(fmax(count, 1), COST_DELAYS);
}

/* Returns the number of nops in place of the copy, or of instructions that delay the result. */
static int added_by(enum cost_change change, const struct cost_insn *insn)
{
	switch (change) {
	case COST_SLOTS:
		return insn->slots < 1 ? 1 : insn->slots < LINES / 2 ? insn->slots : LINES / 2;
	case COST_HELD_LONG:
	case COST_LATER_LONG: return cost_delays(insn);
	default: return 1;
	}
}

struct code_change cost_nops(int count)
{
	return (struct code_change){
		.bytes = BYTES, .write = write_change, .what = COST_NOPS, .count = (unsigned)count
	};
}

struct code_change cost_change(enum cost_change change, const struct cost_insn *insn)
{
	bool plain = change == COST_PLAIN;
	int delay = added_by(change, insn);

	return (struct code_change){ .bytes = BYTES,
		.write = write_change,
		.what = plain ? COST_PLAIN : number_of(change, insn->mnemonic),
		.count = plain ? 0 : (unsigned)insn->from_top | (unsigned)delay << PLACE_BITS,
		.computes_other = change == COST_WITHOUT };
}

enum cost_change cost_change_of(const struct code_change *change, uint64_t *from_top, int *added)
{
	*from_top = change->count & ((1u << PLACE_BITS) - 1);
	*added = (int)(change->count >> PLACE_BITS);
	return (enum cost_change)(change->what & 0xff);
}
