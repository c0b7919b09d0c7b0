/* The path in windows of code; which of them the decoders supply in place of the micro-op cache,
 * and in how many cycles. Pure. */
#include "model/limits/front_end_inside.h"

#include <math.h>

/* ERRATUM_BLOCK: bytes of the code blocks whose ends the JCC erratum (Intel, Skylake) concerns.
 * CODE_LINE: bytes of a line of the instruction cache. */
enum { ERRATUM_BLOCK = 32, CODE_LINE = 64 };

const struct insn *front_end_insn(const struct front_end *front, int step)
{
	const struct loop *loop = front->tally->loop;

	return &loop->insn[loop->path[step].insn];
}

double front_end_ops(const struct tally *tally, int insn)
{
	const struct insn_tally *counts = &tally->insn[insn];
	const struct uarch_insn *facts = &tally->facts[insn];

	if (counts->fuses || counts->joins)
		return 0;
	return facts->slots - (tally->uarch->laminate == LAMINATE_DECODED ? 0 : facts->unlaminated);
}

bool front_end_leaves(const struct front_end *front, int step)
{
	const struct loop *loop = front->tally->loop;
	const struct insn *insn = front_end_insn(front, step);

	if (step + 1 == loop->path_count)
		return true;
	return (insn->flow != FLOW_NONE && (loop->path[step].taken || insn->flow != FLOW_BRANCH)) ||
	       front_end_insn(front, step + 1)->address != insn->address + insn->length;
}

uint64_t front_end_block(const struct front_end *front, int step, double bytes)
{
	const struct insn *insn = front_end_insn(front, step);
	uint64_t last = front_end_leaves(front, step) && insn->length > 0 ? insn->length - 1u : 0;

	return (insn->address + last) / (uint64_t)bytes;
}

void front_end_find_windows(struct front_end *front)
{
	const struct loop *loop = front->tally->loop;
	double bytes = front->fact[EXTRA_LINE_BYTES];
	bool starts = true;

	front->window = memory_new((size_t)loop->path_count + 1, sizeof(*front->window));
	for (int s = 0; s < loop->path_count; s++) {
		if (starts || (bytes > 0 && front_end_block(front, s, bytes) !=
						    front_end_block(front, s - 1, bytes)))
			front->window[front->windows++] = (struct code_window){ .first = s };
		front->window[front->windows - 1].end = s + 1;
		front->window[front->windows - 1].ops +=
			front_end_ops(front->tally, loop->path[s].insn);
		starts = front_end_leaves(front, s);
	}
}

/* Whether a jump, with the instruction that is fused with it, crosses or ends at a 32-byte
 * boundary. */
static bool is_affected(const struct front_end *front, int step)
{
	const struct loop *loop = front->tally->loop;
	int number = loop->path[step].insn;
	const struct insn *insn = &loop->insn[number];
	uint64_t begin = insn->address;

	if (!(front->fact[EXTRA_JCC_ERRATUM] > 0) || insn->flow == FLOW_NONE ||
		insn->flow == FLOW_OTHER)
		return false;
	if (front->tally->insn[number].fuses)
		begin = loop->insn[number - 1].address;
	return begin / ERRATUM_BLOCK != (insn->address + insn->length) / ERRATUM_BLOCK;
}

void front_end_find_decoded(struct front_end *front)
{
	const struct loop *loop = front->tally->loop;
	double holds = front->fact[SIZE_OPCACHE], each = front->fact[EXTRA_LINE_OPS],
	       bytes = front->fact[EXTRA_LINE_BYTES], most = front->fact[EXTRA_LINE_ENTRIES],
	       code = front->fact[SIZE_CODE], ops = 0, entries = 0, all = 0, length = 0;

	for (int i = 0; i < loop->insn_count; i++) {
		bool ends = i + 1 == loop->insn_count ||
			    (bytes > 0 && loop->insn[i + 1].address / (uint64_t)bytes !=
						  loop->insn[i].address / (uint64_t)bytes);

		if (front->tally->insn[i].times > 0) {
			ops += front_end_ops(front->tally, i);
			length += loop->insn[i].length;
		}
		if (!ends)
			continue;
		entries += each > 0 ? fmax(1, ceil(ops / each - 1e-9)) : 0;
		all += ops;
		ops = 0;
	}
	front->far = code > 0 && length > code + CODE_LINE;
	if (front->far)
		front->over = "beyond the first instruction cache: ";
	else if (each > 0 && bytes > 0 ? entries * each > holds : all > holds)
		front->over = "beyond the op cache: ";
	for (int w = 0; w < front->windows; w++) {
		struct code_window *window = &front->window[w];
		bool crowded = most > 0 && each > 0 && window->ops > most * each + 1e-9;

		front->crowded |= crowded;
		window->decoded = crowded || front->over;
		for (int s = window->first; s < window->end; s++)
			window->decoded |= is_affected(front, s);
	}
}

/* Returns the cycles in which the predecoder finds the ends of instructions: a limited number per
 * cycle, in one aligned block of code at a time. An instruction that lies in two blocks counts in
 * both. */
static double predecode_cycles(const struct front_end *front, int first, int end)
{
	double bytes = front->fact[EXTRA_FETCH_BYTES], each = front->fact[EXTRA_PREDECODE],
	       cycles = 0, insns = 0;
	uint64_t block = 0;

	if (bytes <= 0 || each <= 0)
		return 0;
	for (int s = first; s < end; s++) {
		const struct insn *insn = front_end_insn(front, s);
		uint64_t begins = insn->address / (uint64_t)bytes,
			 ends = (insn->address + insn->length - 1) / (uint64_t)bytes;

		for (uint64_t at = begins; at <= ends; at++) {
			if (insns > 0 &&
				(at != block || (at == begins && front_end_leaves(front, s - 1)))) {
				cycles += ceil(insns / each - 1e-9);
				insns = 0;
			}
			block = at;
			insns++;
		}
	}
	return cycles + ceil(insns / each - 1e-9);
}

/* Returns the cycles in which the decoders receive the bytes of successive instructions. */
static double fetch_cycles(const struct front_end *front, int first, int end)
{
	double bytes = front->fact[EXTRA_FETCH_BYTES], sum = 0;

	if (bytes <= 0)
		return 0;
	if (front->far && front->fact[EXTRA_CODE_RATE] > 0)
		bytes = fmin(bytes, front->fact[EXTRA_CODE_RATE]);
	for (int s = first; s < end; s++)
		sum += front_end_insn(front, s)->length;
	return sum / bytes;
}

/* Whether only the first decoder can decode an instruction: a long instruction, or one with many
 * micro-ops. */
static bool needs_first(const struct front_end *front, int step)
{
	double longest = front->fact[EXTRA_DECODE_LONG], simple = front->fact[EXTRA_DECODE_SIMPLE];
	int number = front->tally->loop->path[step].insn;

	return (longest > 0 && front_end_insn(front, step)->length > longest) ||
	       (simple > 0 && front->tally->facts[number].slots > simple);
}

/* Cycles of the decoders themselves. */
static double decode_cycles(const struct front_end *front, int first, int end)
{
	double each = front->fact[EXTRA_DECODE], cycles = 0, used = INFINITY, insns = 0;
	bool groups = front->fact[EXTRA_DECODE_LONG] > 0 || front->fact[EXTRA_DECODE_SIMPLE] > 0;

	if (each <= 0)
		return 0;
	for (int s = first; s < end; s++) {
		int number = front->tally->loop->path[s].insn;
		bool alone = needs_first(front, s);

		if (front->tally->insn[number].fuses)
			continue;
		insns++;
		if (used + 1 > each || alone) {
			cycles++;
			used = 0;
		}
		used++;
		/* The target of a taken branch begins a new block of code. */
		if (front_end_leaves(front, s) && s + 1 < end)
			used = INFINITY;
	}
	return groups ? fmax(cycles, insns / each) : insns / each;
}

/* Whether a step of the path counts as an instruction: the second instruction of a macro-fused pair
 * does not count. */
static bool counts(const struct front_end *front, int step)
{
	return !front->tally->insn[front->tally->loop->path[step].insn].fuses;
}

struct code_supply front_end_supply(const struct front_end *front)
{
	struct code_supply supply = { 0 };
	double fetched = 0, predecoded = 0, taken = 0;

	for (int w = 0, next; w < front->windows; w = next) {
		int first = front->window[w].first, end;

		for (next = w; next < front->windows &&
			       front->window[next].decoded == front->window[w].decoded;
			next++)
			if (!front->window[next].decoded) {
				supply.cached++;
				supply.ops += front->window[next].ops;
			}
		if (!front->window[w].decoded)
			continue;
		supply.decodes = true;
		end = front->window[next - 1].end;
		for (int s = first; s < end; s++) {
			supply.bytes += front_end_insn(front, s)->length;
			supply.decoded_insns += counts(front, s);
			supply.alone += counts(front, s) && needs_first(front, s);
		}
		fetched += fetch_cycles(front, first, end);
		predecoded += predecode_cycles(front, first, end);
		taken += decode_cycles(front, first, end);
	}
	supply.decoded = fmax(fetched, fmax(predecoded, taken));
	supply.by = supply.decoded == taken	? BY_DECODERS
		    : supply.decoded == fetched ? BY_BYTES
						: BY_ENDS;
	return supply;
}
