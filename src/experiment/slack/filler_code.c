/* Adds fillers to a loop: assembles them with registers and memory that the loop leaves free, and
 * writes the changed code. */
#include "experiment/slack/fillers.h"

#include <stdio.h>
#include <string.h>

#include "kernels/features.h"
#include "kernels/nops.h"
#include "model/code/rewrite.h"

/* Largest size of a function with added instructions, in bytes. */
enum { BYTES = 64 << 10 };

/* ---- One filler as machine code */

/* Assembles `length` characters of a filler's line, with the registers and addresses of copy number
 * `turn`. */
static struct status assemble_insn(const char *insn, int length, const struct filler_places *places,
	int turn, struct code_line *line)
{
	struct text text = { 0 };
	struct status status;
	uint64_t target = 0;

	for (const char *at = insn; at < insn + length; at++) {
		if (*at != '%') {
			text_addn(&text, at, 1);
			continue;
		}
		switch (*++at) {
		case 'r':
		case 'e':
			text_add(&text,
				spare_general_names[places->general[turn % places->general_count]]
						   [*at == 'e']);
			break;
		case 'p':
		case 'q': text_add(&text, spare_general_names[places->source][*at == 'q']); break;
		case 'j':
		case 'k':
			text_add(&text, spare_general_names[places->general[*at - 'j']][0]);
			break;
		case 'n': text_addf(&text, "%d", places->vector); break;
		case 'm': text_addf(&text, "%d", places->numbers); break;
		case 'l':
			filler_address(places,
				FILLER_LOADED + turn % FILLER_LOADED_LINES * FILLER_LINE + turn * 8,
				&text, &target);
			break;
		case 's': filler_address(places, FILLER_STORED + turn * 8, &text, &target); break;
		case 'v': filler_address(places, FILLER_NUMBERS, &text, &target); break;
		}
	}
	status = spare_assemble(text_string(&text), target, line);
	text_free(&text);
	return status;
}

/* Assembles the one instruction that fills the resource. */
static struct status assemble_line(
	const char *text, const struct filler_places *places, int turn, struct code_line *line)
{
	*line = (struct code_line){ .length = 0 };
	if (strcmp(text, "nop") == 0)
		line->length = (uint8_t)(write_nop(line->bytes, NOP_LONGEST < 8 ? NOP_LONGEST : 8) -
					 line->bytes);
	else if (strcmp(text, "jump") == 0)
		filler_jump(line);
	else if (strcmp(text, "pass") == 0)
		filler_pass(line);
	else
		return assemble_insn(text, (int)strlen(text), places, turn, line);
	return status_ok();
}

static void append(struct code_line *line, const struct code_line *more)
{
	memcpy(line->bytes + line->length, more->bytes, more->length);
	line->length += more->length;
}

/* Assembles the instructions before or after the line of a filler, and adds them to *line. An
 * instruction before or after the line of a filler has no memory operand. */
static struct status assemble_more(
	const char *insns, const struct filler_places *places, struct code_line *line)
{
	struct status status = status_ok();

	while (insns && *insns && status_is_ok(&status)) {
		int length = (int)strcspn(insns, ";");
		struct code_line more = { .length = 0 };

		status = assemble_insn(insns, length, places, 0, &more);
		append(line, &more);
		insns += length + (insns[length] == ';');
	}
	return status;
}

/* Assembles copy number `turn` of a filler (added instruction), with the registers and addresses of
 * this copy. */
static struct status assemble_filler(
	unsigned number, const struct filler_places *places, int turn, struct code_line *line)
{
	const struct filler *filler = &fillers[number];
	struct code_line own;
	struct status status = assemble_line(filler->line, places, turn, &own);

	if (!filler->before) {
		*line = own;
		return status;
	}
	*line = (struct code_line){ .length = 0 };
	if (status_is_ok(&status))
		status = assemble_more(filler->before, places, line);
	append(line, &own);
	if (status_is_ok(&status))
		status = assemble_more(filler->after, places, line);
	return status;
}

bool filler_decode(unsigned number, struct insn *insn)
{
	const struct filler_places some = { .general = { 11 },
		.general_count = 1,
		.source = 10,
		.vector = 15,
		.numbers = 14,
		.base = 9 };
	struct code_line line;
	struct status status = assemble_line(fillers[number].line, &some, 0, &line);

	if (!status_is_ok(&status))
		return false;
	decode_insn(line.bytes, line.length, 0, insn);
	return insn->known;
}

bool filler_is_possible(unsigned number)
{
	bool known;

	return !fillers[number].needs || features_word(fillers[number].needs, &known);
}

/* ---- The change of the code */

static bool reads(const struct insn *insn, int reg)
{
	return memchr(insn->reads, reg, insn->read_count) != NULL ||
	       (insn->memory_count > 0 && insn->memory[0].base == reg);
}

bool filler_mixes(unsigned number)
{
	struct insn insn;

	if (fillers[number].after || !filler_decode(number, &insn))
		return false;
	for (int i = 0; i < insn.write_count; i++)
		if (insn.writes[i] < REG_CARRY && reads(&insn, insn.writes[i]))
			return false;
	return true;
}

/* Whether a filler changes flags. A filler that reads flags counts, because instructions before its
 * line set them. */
static bool changes_flags(const struct insn *insn)
{
	return insn_writes(insn, REG_FLAGS) || insn_writes(insn, REG_CARRY) ||
	       reads(insn, REG_FLAGS) || reads(insn, REG_CARRY);
}

/* Whether an instruction of an assembled filler, which may be one before its line, changes flags.
 */
static bool line_changes_flags(const struct code_line *line)
{
	struct insn insn;

	for (size_t at = 0; at < line->length; at += insn.length) {
		decode_insn(line->bytes + at, line->length - at, 0, &insn);
		if (!insn.known || changes_flags(&insn))
			return true;
	}
	return false;
}

/* The one or two fillers of a change: of each FILLER_TURNS fillers, `share` are the second one. */
struct mix {
	unsigned number[2], share;
	int count;
	struct insn insn[2];
};

/* Chooses the general registers for fillers (added instructions), and adds code to save them. */
static struct status choose_general(const struct spare_usage *usage, const struct mix *mix,
	struct filler_places *places, struct spare_frame *frame)
{
	/* If instructions follow a filler's line, its general registers only keep the values of
	 * other registers. */
	bool keeps = fillers[mix->number[0]].after != NULL;
	struct spare_usage used = *usage;
	int wanted = 0, found[SPARE_MOST] = { 0 };
	struct status status;

	for (int reg = REG_GENERAL; reg < REG_GENERAL + SPARE_GENERALS && !keeps; reg++) {
		bool read = false, written = false, both = false;

		for (int i = 0; i < mix->count; i++) {
			read |= reads(&mix->insn[i], reg);
			written |= insn_writes(&mix->insn[i], reg);
			both |= reads(&mix->insn[i], reg) && insn_writes(&mix->insn[i], reg);
		}
		wanted += both ? FILLER_GENERAL : read || written;
	}
	if (fillers[mix->number[0]].before && wanted == 0)
		wanted = FILLER_KEPT;
	/* The line must not change the registers that keep values: a division changes rdx. */
	for (int reg = REG_GENERAL; reg < REG_GENERAL + SPARE_GENERALS && keeps; reg++)
		used.loop[reg] |= reads(&mix->insn[0], reg) || insn_writes(&mix->insn[0], reg);
	status = spare_general(&used, wanted, places->data + FILLER_SAVED, found, frame);
	places->source = found[0];
	places->general_count = keeps ? FILLER_KEPT : wanted > 1 ? wanted - 1 : 1;
	memcpy(places->general, wanted > 1 && !keeps ? found + 1 : found,
		(size_t)places->general_count * sizeof(*found));
	return status;
}

/* Chooses two vector registers for fillers (added instructions), and loads normal numbers into one
 * of them. */
static struct status choose_vectors(
	const struct spare_usage *usage, struct filler_places *places, struct spare_frame *frame)
{
	int found[SPARE_MOST] = { 0 };
	struct status status =
		spare_vectors(usage, 2, places->data + FILLER_SAVED + SPARE_SAVED, found, frame);

	places->vector = found[0];
	places->numbers = found[1];
	return status_is_ok(&status)
		       ? assemble_insn(filler_load_numbers, (int)strlen(filler_load_numbers),
				 places, 0, &frame->before[frame->before_count++])
		       : status;
}

static struct status choose_places(const struct decoded_function *function, const struct mix *mix,
	struct filler_places *places, struct spare_frame *frame)
{
	struct spare_usage usage;
	struct status status;
	bool vector = false, memory = false;

	for (int i = 0; i < mix->count; i++) {
		vector |= mix->insn[i].vector;
		memory |= mix->insn[i].memory_count > 0;
	}
	spare_usage(function, &usage);
	status = vector || memory ? filler_find_data(&usage, places, frame) : status_ok();
	if (status_is_ok(&status))
		status = choose_general(&usage, mix, places, frame);
	return status_is_ok(&status) && vector ? choose_vectors(&usage, places, frame) : status;
}

/* The two lowest bytes of a mixture's number are the numbers of its fillers. The share of the
 * second filler lies above them. */
enum { NO_FILLER = 0xff };

unsigned filler_mix(unsigned filler, unsigned second, unsigned share)
{
	return filler | second << 8 | share << 16;
}

unsigned filler_only(unsigned filler)
{
	return filler_mix(filler, NO_FILLER, 0);
}

int filler_numbers(unsigned number, unsigned filler[2])
{
	filler[0] = number & 0xff;
	filler[1] = number >> 8 & 0xff;
	return filler[1] == NO_FILLER ? 1 : 2;
}

static struct status mix_of(const struct code_change *change, struct mix *mix)
{
	*mix = (struct mix){ .share = change->what >> 16 };
	mix->count = filler_numbers(change->what, mix->number);
	for (int i = 0; i < mix->count; i++)
		if (!filler_decode(mix->number[i], &mix->insn[i]))
			return status_failed("the instruction to add, \"%s\", cannot be assembled",
				fillers[mix->number[i]].line);
	return status_ok();
}

static struct status write_change(
	const struct code_change *change, const struct code_place *place, const void **start)
{
	struct decoded_function function = { .count = 0 };
	struct filler_places places = { .data = (uint64_t)(uintptr_t)place->data };
	struct spare_frame frame = { .before_count = 0 };
	struct code_line line[FILLER_TURNS];
	struct rewrite rewrite = {
		.filler = line, .filler_count = FILLER_TURNS, .inserted = (int)change->count
	};
	struct mix mix;
	const double number = 1.3;
	struct status status = mix_of(change, &mix);

	if (status_is_ok(&status))
		status = decode_function(place->code,
			place->size < DECODE_FUNCTION ? place->size : DECODE_FUNCTION, &function);
	for (int i = 0; i < 4; i++)
		memcpy(place->data + FILLER_NUMBERS + i * 8, &number, sizeof(number));
	if (status_is_ok(&status))
		status = choose_places(&function, &mix, &places, &frame);
	for (unsigned i = 0; i < FILLER_TURNS && status_is_ok(&status); i++) {
		bool second = (i + 1) * mix.share / FILLER_TURNS > i * mix.share / FILLER_TURNS;

		status = assemble_filler(mix.number[second], &places, (int)i, &line[i]);
		rewrite.flags |= status_is_ok(&status) && line_changes_flags(&line[i]);
	}
	/* Jumps and the code between them begin at starts of lines. A loop that begins elsewhere in
	 * a line may reach the next line before the first jump, and so waste the rate of jumps. */
	if (status_is_ok(&status) && line[0].skips)
		rewrite.shift = -function.insn[function.first].address % FILLER_LINE;
	if (status_is_ok(&status)) {
		spare_frame_add(&frame, &rewrite);
		status = rewrite_function(&function, &rewrite, place->to, place->bytes, start);
	}
	decode_function_free(&function);
	return status;
}

struct code_change fillers_change(unsigned filler, unsigned count)
{
	return (struct code_change){
		.bytes = BYTES, .write = write_change, .what = filler, .count = count
	};
}
