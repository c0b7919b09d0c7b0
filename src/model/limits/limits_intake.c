/* The rate at which the schedulers of integer operations and addresses receive micro-ops. On some
 * cores each port has a scheduler of its own, which receives one micro-op per cycle, in program
 * order: if the schedulers of the next micro-op have received one in this cycle, rename waits.
 *
 * Measured on Zen 3: two shifts or two multiplications per cycle, two conditional moves, four
 * additions, three loads or stores. 16 shifts and 16 conditional moves take 15 cycles; in turn,
 * they take 8.5. 16 additions and 48 nops take 11.8 cycles. 79 loops of random integer operations,
 * to which nothing was fitted: 8.1 % mean error, and 9.4 % without this limit. Loops of few
 * operations can be faster than this soft limit: six additions and a multiplication take 2.0
 * cycles, not 3.0.
 *
 * Rename binds each micro-op to the port whose scheduler receives it: the ports take turns, however
 * many micro-ops they hold. So additions also go to the port of multiplications: three
 * multiplications and 12 additions take 6.0 cycles, where the best distribution takes 4.0. */
#include <math.h>
#include <strings.h>

#include "model/limits/tally.h"

/* STEPS: about the number of simulated steps, in TURNS_LEAST to TURNS_MOST passes over the path;
 * the first third is not counted. MOST: the most micro-ops that schedulers receive in a cycle. */
enum { STEPS = 3000, TURNS_LEAST = 6, TURNS_MOST = 48, MOST = 32 };

/* The limit is listed if the loop becomes slower by this factor. */
#define INTAKE_COST 1.005

struct intake {
	const struct tally *tally;
	uint32_t ports, shifts, integer; /* ports that have a scheduler; those of shifts; of
					    integer operations */
	int turn;			 /* the integer port that receives first in this cycle */
	double slots;			 /* free rename slots in this cycle */
	double cycles;			 /* cycles so far */
	double load[UARCH_PORTS];	 /* micro-ops that each port has received */
	/* The micro-ops of this cycle, by the port that receives them. */
	int count, receiver[UARCH_PORTS]; /* receiver: number of a micro-op; -1: none */
	struct {
		uint32_t through, ports; /* the ports that can receive it; that can execute it */
	} op[MOST];
};

static uint32_t ports_of(const struct uarch *uarch, const char *name)
{
	const struct uarch_class *class = uarch_find(uarch, name, 0);
	uint32_t ports = 0;

	for (int i = 0; class && i < class->term_count; i++)
		ports |= class->term[i].ports;
	return ports;
}

/* Finds a port that receives micro-op `number`, and moves others if that is necessary. `seen` are
 * the ports that were tried. */
static bool place(struct intake *intake, int number, uint32_t *seen)
{
	int count = uarch_port_count(intake->tally->uarch);

	for (int moves = 0; moves < 2; moves++)
		for (int i = 0; i < count; i++) {
			int p = (i + intake->turn) % count;

			if (!(intake->op[number].through >> p & 1) || *seen >> p & 1 ||
				(intake->receiver[p] >= 0 && !moves))
				continue;
			*seen |= UINT32_C(1) << p;
			if (intake->receiver[p] < 0 || place(intake, intake->receiver[p], seen)) {
				intake->receiver[p] = number;
				return true;
			}
		}
	return false;
}

/* Whether the schedulers receive one more micro-op in this cycle. */
static bool receive(struct intake *intake, uint32_t ports)
{
	uint32_t through = ports & ~intake->shifts ? ports : intake->shifts, seen = 0;

	if (!ports || ports & ~intake->ports)
		return true;
	if (intake->count == MOST)
		return false;
	intake->op[intake->count].through = through;
	intake->op[intake->count].ports = ports;
	if (!place(intake, intake->count, &seen))
		return false;
	intake->count++;
	return true;
}

static bool receive_class(struct intake *intake, const struct uarch_class *class)
{
	for (int i = 0; class && class->executes && i < class->term_count; i++)
		for (int k = 0; k < lrint(class->term[i].count); k++)
			if (!receive(intake, class->term[i].ports))
				return false;
	return true;
}

/* Whether the schedulers receive all micro-ops of a step of the path in this cycle. */
static bool receive_step(struct intake *intake, const struct loop_step *step)
{
	const struct insn *insn = &intake->tally->loop->insn[step->insn];
	const struct uarch_insn *facts = &intake->tally->facts[step->insn];
	const struct insn_tally *times = &intake->tally->insn[step->insn];
	const struct uarch_class *operation =
		facts->taken && times->taken > times->times / 2 ? facts->taken : facts->op;

	if (times->first <= 0 && !facts->eliminated && !receive_class(intake, operation))
		return false;
	for (int k = 0; k < INSN_MEMORY; k++) {
		/* A gather is microcode: its accesses do not go through rename at once. */
		if (insn->memory[k].accesses > 2)
			continue;
		if ((insn_loads(insn, k) && !receive_class(intake, facts->load)) ||
			(insn_stores(insn, k) && !receive_class(intake, facts->store)))
			return false;
	}
	return true;
}

static void begin_cycle(struct intake *intake)
{
	int integer = 0, count = __builtin_popcount(intake->integer);

	for (int p = 0; p < UARCH_PORTS; p++) {
		int number = intake->receiver[p];

		intake->receiver[p] = -1;
		if (number < 0)
			continue;
		integer += intake->integer >> p & 1;
		/* Micro-ops of one port, such as multiplications, all wait for this port. */
		intake->load[intake->op[number].ports >> p & 1
				     ? p
				     : ffs((int)intake->op[number].ports) - 1]++;
	}
	intake->turn = count > 0 ? (intake->turn + integer) % count : 0;
	intake->slots = fmin(intake->slots, 0) + intake->tally->uarch->width;
	intake->count = 0;
	intake->cycles++;
}

static void rename_step(struct intake *intake, const struct loop_step *step)
{
	const struct insn_tally *times = &intake->tally->insn[step->insn];
	double slots =
		times->second > 0 || times->joins ? 0 : intake->tally->facts[step->insn].slots;

	while (intake->slots < fmin(slots, 1))
		begin_cycle(intake);
	for (int tries = 0; tries < 2; tries++) {
		struct intake before = *intake;

		if (receive_step(intake, step))
			break;
		/* An instruction of more micro-ops than a cycle receives takes what remains. */
		if (tries == 0)
			*intake = before;
		begin_cycle(intake);
	}
	intake->slots -= slots;
}

/* Returns the most micro-ops that an integer port has received since `before`. */
static double most_loaded(const struct intake *intake, const double *before)
{
	double most = 0;

	for (int p = 0; p < UARCH_PORTS; p++)
		if (intake->integer >> p & 1)
			most = fmax(most, intake->load[p] - before[p]);
	return most;
}

void limits_intake(struct tally *tally)
{
	struct intake intake = { .tally = tally,
		.integer = ports_of(tally->uarch, "alu"),
		.shifts = ports_of(tally->uarch, "shift") };
	double from = 0, load[UARCH_PORTS] = { 0 }, received, bound;
	int turns =
		(int)fmin(fmax(STEPS / fmax(tally->loop->path_count, 1), TURNS_LEAST), TURNS_MOST);

	if (!(tally->uarch->fact[EXTRA_SCHEDULER_INTAKE] > 0) || !(tally->uarch->width > 0))
		return;
	intake.ports =
		intake.integer | ports_of(tally->uarch, "branch") | ports_of(tally->uarch, "load");
	intake.slots = tally->uarch->width;
	for (int p = 0; p < UARCH_PORTS; p++)
		intake.receiver[p] = -1;
	for (int t = 0; t < turns; t++) {
		if (t == turns / 3) {
			from = intake.cycles;
			for (int p = 0; p < UARCH_PORTS; p++)
				load[p] = intake.load[p];
		}
		for (int s = 0; s < tally->loop->path_count; s++)
			rename_step(&intake, &tally->loop->path[s]);
	}
	received = (intake.cycles - from) / (turns - turns / 3);
	bound = most_loaded(&intake, load) / (turns - turns / 3);
	if (fmax(received, bound) > tally->bound * INTAKE_COST)
		limits_add(tally, LIMIT_SCHEDULING, fmax(received, bound),
			received >= bound
				? "micro-ops for the same ports follow one another, and "
				  "each port receives one per cycle: %s cycles"
				: "ports chosen at rename in turn, however many operations "
				  "wait for them: %s cycles",
			words_turn(tally, fmax(received, bound)).text);
}
