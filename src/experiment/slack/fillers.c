/* Fillers: instructions to add to a loop. Only one resource of the core executes a filler, and a
 * filler needs no result of the loop. The results of fillers go to registers that the loop never
 * names, or to separate memory. Registers that other code needs are saved before the loop, and
 * restored after the loop. */
#include "experiment/slack/slack.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "experiment/slack/spare.h"
#include "kernels/features.h"
#include "kernels/nops.h"
#include "model/code/rewrite.h"
#include "model/limits/ports.h"

enum filler_use {
	FILLS_WIDTH,
	FILLS_PORTS,
	FILLS_LOADS,
	FILLS_VECTOR_LOADS,
	FILLS_STORES,
	FILLS_VECTOR_STORES,
	FILLS_TAKEN
};
static const char *const names[] = { "width", "", "loads", "v-loads", "stores", "v-stores",
	"taken" };

/* A filler (an instruction to add) as a line of assembly. %r and %e stand for a general register of
 * 64 or 32 bits that the filler writes, %p and %q for one that it only reads. %n stands for a
 * vector register that the filler writes, %m for a vector register with normal floating-point
 * numbers, %j and %k for general registers that keep a value until the end of the filler, and %l
 * and %s for memory to load from or to store to. The lines "nop" and "jmp" stand for a nop of 8
 * bytes and a jump to the next instruction.
 *
 * If several fillers use the same ports, the first of them is tried first. Fillers that do not
 * change flags come first. */
static const struct filler {
	enum filler_use use;
	const char *line, *needs; /* needs: a processor feature that the instruction needs, by its
				     word for features_word(); NULL: none */
	/* Further instructions before and after the line, separated by ";". The instructions before
	 * and after a filler's line set its operands, and save the registers that the line changes.
	 */
	const char *before, *after;
} fillers[] = {
#if defined(__x86_64__)
	{ FILLS_WIDTH, "nop", NULL, NULL, NULL },
	{ FILLS_WIDTH, "mov %r, %p", NULL, NULL, NULL },
	{ FILLS_LOADS, "mov %r, [%l]", NULL, NULL, NULL },
	{ FILLS_VECTOR_LOADS, "vmovsd xmm%n, [%l]", "avx", NULL, NULL },
	{ FILLS_STORES, "mov [%s], %p", NULL, NULL, NULL },
	{ FILLS_VECTOR_STORES, "vmovsd [%s], xmm%m", "avx", NULL, NULL },
	{ FILLS_TAKEN, "jmp", NULL, NULL, NULL },
	{ FILLS_PORTS, "movsxd %r, %q", NULL, NULL, NULL },
	{ FILLS_PORTS, "lea %r, [%p+1]", NULL, NULL, NULL },
	{ FILLS_PORTS, "rorx %r, %p, 5", "bmi2", NULL, NULL },
	{ FILLS_PORTS, "sarx %r, %p, %p", "bmi2", NULL, NULL },
	{ FILLS_PORTS, "pdep %r, %p, %p", "bmi2", NULL, NULL },
	{ FILLS_PORTS, "imul %r, %p, 3", NULL, NULL, NULL },
	{ FILLS_PORTS, "popcnt %r, %p", "sse4", NULL, NULL },
	{ FILLS_PORTS, "lzcnt %r, %p", "lzcnt", NULL, NULL },
	{ FILLS_PORTS, "andn %r, %p, %p", "bmi2", NULL, NULL },
	{ FILLS_PORTS, "bzhi %r, %p, %p", "bmi2", NULL, NULL },
	{ FILLS_PORTS, "shl %r, 3", NULL, NULL, NULL },
	{ FILLS_PORTS, "vpaddd xmm%n, xmm%m, xmm%m", "avx", NULL, NULL },
	{ FILLS_PORTS, "vaddpd xmm%n, xmm%m, xmm%m", "avx", NULL, NULL },
	{ FILLS_PORTS, "vmulpd xmm%n, xmm%m, xmm%m", "avx", NULL, NULL },
	{ FILLS_PORTS, "vpslld xmm%n, xmm%m, 3", "avx", NULL, NULL },
	{ FILLS_PORTS, "vpshufb xmm%n, xmm%m, xmm%m", "avx", NULL, NULL },
	{ FILLS_PORTS, "vpmullw xmm%n, xmm%m, xmm%m", "avx", NULL, NULL },
	{ FILLS_PORTS, "vpabsd xmm%n, xmm%m", "avx", NULL, NULL },
	{ FILLS_PORTS, "vpavgb xmm%n, xmm%m, xmm%m", "avx", NULL, NULL },
	{ FILLS_PORTS, "vextracti128 xmm%n, ymm%m, 1", "avx2", NULL, NULL },
	{ FILLS_PORTS, "vucomisd xmm%m, xmm%m", "avx", NULL, NULL },
	{ FILLS_PORTS, "vdivpd xmm%n, xmm%m, xmm%m", "avx", NULL, NULL },
	{ FILLS_PORTS, "div eax", NULL, "mov %j, rax;mov %k, rdx;mov eax, 3;xor edx, edx",
		"mov rax, %j;mov rdx, %k" },
#else
	/* rewrite_function() can add instructions only to code of x86-64. The row for other
	   instruction sets exists only because a table must not be empty. */
	{ FILLS_WIDTH, "nop", "rewrite", NULL, NULL },
#endif
};

enum { FILLERS = sizeof(fillers) / sizeof(*fillers) };

/* ---- One filler as machine code */

/* TURNS: number of copies of a filler instruction, with different registers and addresses, that are
 * used in turn. GENERAL: number of general registers for a filler instruction that also reads its
 * result register. KEPT: number of general registers in which a filler (added instruction) saves
 * the values of other registers. */
enum { TURNS = 8, GENERAL = 4, KEPT = 2 };

/* Offsets in the data memory of the added instructions: LOADED, cache lines to load from; STORED, a
 * line to store to; NUMBERS, normal numbers for a vector register; SAVED, saved registers. */
enum { LINE = 64, LOADED = 0, LOADED_LINES = 4, STORED = 1024, NUMBERS = 2048, SAVED = 3072 };

/* The registers and the memory that the added instructions use. */
struct places {
	int general[GENERAL], general_count; /* numbers of the general registers that the added
						instructions write */
	int source;	     /* number of the general register that the added instructions read */
	int vector, numbers; /* numbers of the vector register that the added instructions write,
				and of the one that they read */
	uint64_t data;	     /* address of the data memory for the added instructions */
};

/* Assembles one instruction of a filler, with the registers and addresses of copy number `turn`. */
static struct status assemble_insn(
	const char *insn, int length, const struct places *places, int turn, struct code_line *line)
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
			text_add(&text, "rip+0");
			target = places->data + LOADED + (uint64_t)(turn % LOADED_LINES * LINE) +
				 (uint64_t)(turn * 8);
			break;
		case 's':
			text_add(&text, "rip+0");
			target = places->data + STORED + (uint64_t)(turn * 8);
			break;
		}
	}
	status = spare_assemble(text_string(&text), target, line);
	text_free(&text);
	return status;
}

/* Assembles the instructions before or after the line of a filler, and adds them to *line. */
static struct status assemble_more(
	const char *insns, const struct places *places, struct code_line *line)
{
	struct status status = status_ok();

	while (insns && *insns && status_is_ok(&status)) {
		int length = (int)strcspn(insns, ";");
		struct code_line more = { 0 };

		status = assemble_insn(insns, length, places, 0, &more);
		memcpy(line->bytes + line->length, more.bytes, more.length);
		line->length += more.length;
		insns += length + (insns[length] == ';');
	}
	return status;
}

/* Assembles copy number `turn` of a filler (added instruction), with the registers and addresses of
 * this copy. */
static struct status assemble_filler(
	unsigned number, const struct places *places, int turn, struct code_line *line)
{
	const struct filler *filler = &fillers[number];
	struct code_line own = { 0 };
	struct status status;

	*line = own;
	if (strcmp(filler->line, "nop") == 0) {
		line->length = (uint8_t)(write_nop(line->bytes, NOP_LONGEST < 8 ? NOP_LONGEST : 8) -
					 line->bytes);
		return status_ok();
	}
	if (filler->use == FILLS_TAKEN) {
		*line = (struct code_line){ .bytes = { 0xeb, 0 }, .length = 2, .skips = true };
		return status_ok();
	}
	status = assemble_insn(filler->line, (int)strlen(filler->line), places, turn, &own);
	if (!filler->before) {
		*line = own;
		return status;
	}
	/* An instruction before or after the line of a filler has no memory operand. */
	if (status_is_ok(&status))
		status = assemble_more(filler->before, places, line);
	memcpy(line->bytes + line->length, own.bytes, own.length);
	line->length += own.length;
	if (status_is_ok(&status))
		status = assemble_more(filler->after, places, line);
	return status;
}

/* Assembles and decodes a filler with arbitrary registers, to find its class and the registers and
 * flags that it needs. */
static bool decode_filler(unsigned number, struct insn *insn)
{
	const struct places some = {
		.general = { 11 }, .general_count = 1, .source = 10, .vector = 15, .numbers = 14
	};
	const char *text = fillers[number].line;
	struct code_line line;
	struct status status = fillers[number].before
				       ? assemble_insn(text, (int)strlen(text), &some, 0, &line)
				       : assemble_filler(number, &some, 0, &line);

	if (!status_is_ok(&status))
		return false;
	decode_insn(line.bytes, line.length, 0, insn);
	return insn->known;
}

/* ---- The change of the code */

static bool reads(const struct insn *insn, int reg)
{
	return memchr(insn->reads, reg, insn->read_count) != NULL ||
	       (insn->memory_count > 0 && insn->memory[0].base == reg);
}

static bool writes(const struct insn *insn, int reg)
{
	return memchr(insn->writes, reg, insn->write_count) != NULL;
}

/* Chooses the general registers for a filler (added instruction), and adds code to save them.
 * `keeps`: the filler only keeps values of other registers in them. */
static struct status choose_general(const struct spare_usage *usage, const struct insn *insn,
	bool keeps, struct places *places, struct spare_frame *frame)
{
	int wanted = 0, found[SPARE_MOST] = { 0 };
	struct status status;

	for (int reg = REG_GENERAL; reg < REG_GENERAL + SPARE_GENERALS && !keeps; reg++)
		if (reads(insn, reg) || writes(insn, reg))
			wanted += reads(insn, reg) && writes(insn, reg) ? GENERAL : 1;
	wanted = keeps ? KEPT : wanted;
	status = spare_general(usage, wanted, places->data + SAVED, found, frame);
	places->source = found[0];
	places->general_count = keeps ? KEPT : wanted > 1 ? wanted - 1 : 1;
	memcpy(places->general, wanted > 1 && !keeps ? found + 1 : found,
		(size_t)places->general_count * sizeof(*found));
	return status;
}

/* Chooses two vector registers for a filler (added instruction), and loads normal numbers into one
 * of them. */
static struct status choose_vectors(
	const struct spare_usage *usage, struct places *places, struct spare_frame *frame)
{
	int found[SPARE_MOST] = { 0 };
	char text[40];
	struct status status =
		spare_vectors(usage, 2, places->data + SAVED + SPARE_SAVED, found, frame);

	places->vector = found[0];
	places->numbers = found[1];
	if (!status_is_ok(&status))
		return status;
	snprintf(text, sizeof(text), "vmovupd xmm%d, [rip+0]", places->numbers);
	return spare_assemble(text, places->data + NUMBERS, &frame->before[frame->before_count++]);
}

static struct status write_change(
	const struct code_change *change, const struct code_place *place, const void **start)
{
	struct decoded_function function;
	struct places places = { .data = (uint64_t)(uintptr_t)place->data };
	struct spare_frame frame = { .before_count = 0 };
	struct spare_usage usage;
	struct code_line line[TURNS];
	struct rewrite rewrite = {
		.filler = line, .filler_count = TURNS, .inserted = (int)change->count
	};
	struct insn insn;
	const double number = 1.3;
	struct status status;

	if (!decode_filler(change->what, &insn))
		return status_failed(
			"this processor lacks the instruction \"%s\" that was to be added",
			fillers[change->what].line);
	status = decode_function(place->code,
		place->size < DECODE_FUNCTION ? place->size : DECODE_FUNCTION, &function);
	for (int i = 0; i < 4; i++)
		memcpy(place->data + NUMBERS + i * 8, &number, sizeof(number));
	if (status_is_ok(&status))
		spare_usage(&function, &usage);
	if (status_is_ok(&status))
		status = choose_general(
			&usage, &insn, fillers[change->what].before != NULL, &places, &frame);
	if (status_is_ok(&status) && insn.vector)
		status = choose_vectors(&usage, &places, &frame);
	for (int i = 0; i < TURNS && status_is_ok(&status); i++)
		status = assemble_filler(change->what, &places, i, &line[i]);
	if (status_is_ok(&status)) {
		rewrite.flags = writes(&insn, REG_FLAGS) || writes(&insn, REG_CARRY);
		spare_frame_add(&frame, &rewrite);
		status = rewrite_function(&function, &rewrite, place->to, place->bytes, start);
	}
	decode_function_free(&function);
	return status;
}

struct code_change fillers_change(unsigned filler, unsigned count)
{
	return (struct code_change){
		.bytes = 64 << 10, .write = write_change, .what = filler, .count = count
	};
}

/* ---- The resources of a core */

double fillers_model(const struct slack_report *report, uint32_t ports)
{
	double cycles = 0;

	for (int i = 0; i < report->class_count; i++)
		for (int t = 0; t < report->class[i].terms; t++) {
			const struct uarch_term *term = &report->class[i].term[t];

			if (term->ports && !(term->ports & ~ports))
				cycles += report->class[i].count * (double)term->count *
					  (double)term->cycles;
		}
	return ports ? cycles / ports_count(ports) : 0;
}

static const struct slack_class *class_of(
	const struct slack_report *report, const struct slack_filler *filler)
{
	for (int i = 0; i < report->class_count; i++)
		if (strcmp(report->class[i].name, filler->class) == 0)
			return &report->class[i];
	return NULL;
}

double fillers_each(
	const struct slack_report *report, const struct slack_filler *filler, uint32_t ports)
{
	const struct slack_class *class = class_of(report, filler);
	double cycles = 0;

	for (int t = 0; class && t < class->terms; t++)
		if (class->term[t].ports && !(class->term[t].ports & ~ports))
			cycles += (double)class->term[t].count * (double)class->term[t].cycles;
	return ports ? cycles / ports_count(ports) : 0;
}

uint32_t fillers_term(
	const struct slack_report *report, const struct slack_filler *filler, int term)
{
	const struct slack_class *class = class_of(report, filler);

	return class && term < class->terms ? class->term[term].ports : 0;
}

static void add_class(struct slack_report *report, const struct uarch_class *class, double count)
{
	struct slack_class *row = report->class;

	if (!class || !class->executes)
		return;
	while (row < report->class + report->class_count && strcmp(row->name, class->name) != 0)
		row++;
	if (row == report->class + SLACK_CLASSES)
		return;
	if (row == report->class + report->class_count) {
		report->class_count++;
		snprintf(row->name, sizeof(row->name), "%s", class->name);
		snprintf(row->where, sizeof(row->where), "%s", class->where);
		row->terms = class->term_count;
		memcpy(row->term, class->term, sizeof(row->term));
	}
	row->count += count;
}

/* Finds, among the micro-ops of a class, the kind (term) that keeps its ports busy for longest per
 * instruction. Returns NULL if two kinds of micro-ops keep their ports busy equally long. */
static const struct uarch_term *longest(const struct uarch_class *class, double *each)
{
	const struct uarch_term *found = NULL;
	bool equal = false;

	*each = 0;
	for (int t = 0; class->executes && t < class->term_count; t++) {
		const struct uarch_term *term = &class->term[t];
		double cycles = term->ports ? (double)term->count * (double)term->cycles /
						      ports_count(term->ports)
					    : 0;

		equal = cycles == *each ? true : cycles > *each ? false : equal;
		if (cycles > *each)
			found = term;
		*each = cycles > *each ? cycles : *each;
	}
	return equal ? NULL : found;
}

/* Fills in the resource that a filler (added instruction) keeps busy, with the filler as its first
 * option. Returns false if the filler does not keep a single resource busy. */
static bool describe(const struct uarch *uarch, const struct limits_work *work, unsigned number,
	struct slack_resource *resource)
{
	const struct filler *filler = &fillers[number];
	struct slack_filler *option = &resource->option[0];
	const struct uarch_class *class;
	const struct uarch_term *term = NULL;
	struct uarch_insn facts;
	struct insn insn, before;
	double rate = UARCH_UNKNOWN, count = 0;

	*resource = (struct slack_resource){ .option_count = 1,
		.took = NAN,
		.pressure = NAN,
		.pressure_lo = NAN,
		.pressure_hi = NAN,
		.slack = NAN,
		.slack_lo = NAN,
		.slack_hi = NAN };
	if (!decode_filler(number, &insn))
		return false;
	uarch_insn(uarch, &insn, &facts);
	if (!facts.known || (facts.slots != 1 && !filler->before))
		return false;
	class = facts.load ? facts.load : facts.store ? facts.store : facts.op;
	option->number = number;
	snprintf(option->line, sizeof(option->line), "%s", filler->line);
	snprintf(option->class, sizeof(option->class), "%s", class ? class->name : "");
	switch (filler->use) {
	case FILLS_WIDTH:
		/* If a nop shares the rename slot of the instruction before it, nops cannot fill
		 * the rename width. */
		decode_insn((const uint8_t[]){ 0x48, 0x89, 0xe0 }, 3, 0, &before);
		if ((!facts.eliminated && class && longest(class, &rate)) ||
			uarch_fuses_behind(uarch, &before, &insn))
			return false;
		rate = uarch->width;
		count = work->slots;
		break;
	case FILLS_PORTS:
		term = class && !facts.eliminated ? longest(class, &option->each) : NULL;
		break;
	case FILLS_LOADS:
		rate = uarch->fact[CAP_LOADS];
		count = work->loads;
		break;
	case FILLS_VECTOR_LOADS:
		rate = uarch->fact[CAP_LOADS_VECTOR];
		count = work->vector_loads;
		break;
	case FILLS_STORES:
		rate = uarch->fact[CAP_STORES];
		count = work->stores;
		break;
	case FILLS_VECTOR_STORES:
		rate = uarch->fact[CAP_STORES_VECTOR];
		count = work->vector_stores;
		break;
	case FILLS_TAKEN:
		rate = uarch_known(uarch->fact[CAP_TAKEN_SEVERAL]) ? uarch->fact[CAP_TAKEN_SEVERAL]
								   : uarch->fact[CAP_TAKEN];
		count = work->taken;
		break;
	}
	if (filler->use == FILLS_PORTS) {
		if (!term)
			return false;
		resource->ports = term->ports;
		limits_name_ports(uarch, term->ports, resource->name, sizeof(resource->name));
		return true;
	}
	option->each = 1 / rate;
	resource->model = count / rate;
	strcpy(resource->name, names[filler->use]);
	return rate > 0;
}

/* Returns the resource in the report that has the same ports or name as `resource`; NULL: the
 * report lacks the resource. */
static struct slack_resource *listed(
	struct slack_report *report, const struct slack_resource *resource)
{
	for (int i = 0; i < report->count; i++)
		if (report->resource[i].ports == resource->ports &&
			(resource->ports || strcmp(report->resource[i].name, resource->name) == 0))
			return &report->resource[i];
	return NULL;
}

static bool is_possible(const struct filler *filler)
{
	bool known;

	return !filler->needs || features_word(filler->needs, &known);
}

/* Moves fillers of a class that also occurs in the loop to the end of the list. If the core model
 * has wrong ports for a class, a filler of the loop's own class would show the same wrong ports,
 * and hide the error. */
static void order_options(const struct slack_report *report, struct slack_resource *resource)
{
	struct slack_filler ordered[SLACK_OPTIONS];
	int count = 0;

	for (int contained = 0; contained < 2; contained++)
		for (int i = 0; i < resource->option_count; i++) {
			const struct slack_class *class = class_of(report, &resource->option[i]);

			if ((class && class->count > 0) == contained)
				ordered[count++] = resource->option[i];
		}
	memcpy(resource->option, ordered, (size_t)count * sizeof(*ordered));
}

void fillers_find(
	struct slack_report *report, const struct uarch *uarch, const struct limits_work *work)
{
	report->slots = work->slots;
	report->width = uarch->width;
	report->port_count = uarch_port_count(uarch);
	memcpy(report->port, uarch->port, sizeof(report->port));
	for (int i = 0; i < work->use_count; i++)
		add_class(report, work->use[i].class, work->use[i].count);
	for (unsigned i = 0; i < FILLERS; i++) {
		struct slack_resource resource, *same;
		const struct uarch_class *class;
		double each;

		if (!is_possible(&fillers[i]) || !describe(uarch, work, i, &resource))
			continue;
		class = uarch_find(uarch, resource.option[0].class, 0);
		add_class(report, class, 0);
		same = listed(report, &resource);
		if (same && same->option_count < SLACK_OPTIONS)
			same->option[same->option_count++] = resource.option[0];
		if (same || report->count == SLACK_RESOURCES)
			continue;
		if (resource.ports)
			resource.model = fillers_model(report, resource.ports);
		/* Loads and stores may share the ports that compute addresses, so these ports may
		 * limit their rate. */
		else if (class && longest(class, &each) && each >= resource.option[0].each - 1e-9)
			resource.model = fmax(resource.model,
				fillers_model(report, longest(class, &each)->ports));
		report->resource[report->count++] = resource;
	}
	for (int i = 0; i < report->count; i++)
		order_options(report, &report->resource[i]);
	if (report->count == 0)
		report->status = status_failed("this program knows no instruction that keeps a "
					       "single resource of %s busy",
			uarch->title);
}
