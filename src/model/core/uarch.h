/* Core models: facts about a microarchitecture, from data/uarch/NAME.uarch (format:
 * data/uarch/README.md). To add a core, write a new core file; no code has to change. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "base/status.h"
#include "base/text.h"
#include "engine/clock/clock.h"
#include "engine/counters/counters.h"
#include "engine/machine/machine.h"
#include "model/code/insn.h"

enum {
	UARCH_PORTS = 24,
	UARCH_TERMS = 6,
	UARCH_CACHES = 4,
	UARCH_NAME = 24,
	UARCH_PMU = 32,
	UARCH_SOURCES = 32,
	UARCH_WIDTHS = 8 /* number of widths that a class can have: no width, 8, 16, 32, 64, 128,
			    256, 512 bits */
};

/* UARCH_UNKNOWN marks a number that the core file does not state. uarch_known() tests for it. */
#define UARCH_UNKNOWN (-1.0)
static inline bool uarch_known(double value)
{
	return value >= 0;
}

/* One kind of micro-ops of a class: each of `count` micro-ops occupies one of `ports` for `cycles`
 * cycles. */
struct uarch_term {
	uint32_t ports; /* a bit for each port or unit that can execute the micro-op; 0: no port,
			   because rename eliminates the micro-op */
	float count;
	float cycles;
};

/* A class of instructions that execute in the same way. */
struct uarch_class {
	char name[24];	/* name of the class, and its width in bits if the class has one: "fadd",
			   "fadd.512" */
	double latency; /* cycles from a register operand to the result; UARCH_UNKNOWN: not stated
			 */
	double accumulate; /* cycles from a multiply-add's addend, or from the target that a gather,
			      compression or expansion keeps in part, to the result, if an
			      instruction of the same class produces that register; UARCH_UNKNOWN:
			      as many as `latency`, and a target that is replaced is not read */
	double late; /* cycles from an operand other than flags to the result, if these operands are
			read later than the flags; 0: as many as `latency` */
	bool accumulate_unknown; /* true: a multiply-add may read its addend later than its factors,
				    and the core file does not state how much later */
	double each; /* measured reciprocal throughput in cycles per instruction; UARCH_UNKNOWN: not
			stated. The speed limits are computed from the ports, without the measured
			throughput */
	double latency_spread, accumulate_spread,
		each_spread; /* measurement spread (±) of each value in the core file; 0: the file
				states none */
	double slots; /* rename slots that one instruction occupies, without the slots of its memory
			 operands (> 0) */
	int term_count;
	struct uarch_term term[UARCH_TERMS];
	bool crosses_from, crosses_to; /* an operation of a class that `crosses_to` takes longer on
					  some ports if an operand is the result of a class that
					  `crosses_from`: see crossing_ports in struct uarch */
	bool executes;	/* false: the core file says `ports unknown`, so the class adds no port
			   pressure */
	uint32_t tags;	/* published or measured sources of the class's numbers: bit i stands for
			   entry i of struct uarch_sources */
	char where[48]; /* file and line of the class: "zen4.uarch:12"; a long path is cut at its
			   start */
};

/* The facts that uarch_facts.h lists. The sizes of buffers and queues are the first facts, so
 * SIZE_COUNT is the number of sizes and can be the length of an array. */
enum uarch_fact {
#define FACT(identifier, words) identifier,
#include "model/core/uarch_facts.h"
#undef FACT
	UARCH_FACTS,
	SIZE_COUNT = CAP_LOADS
};

struct uarch_cache {
	int level;
	double bytes, latency; /* capacity in bytes; load-to-use latency in cycles */
	double lines; /* cache lines per cycle that this level sends to the level nearer to the
			 core; UARCH_UNKNOWN: not stated */
	double bytes_spread, latency_spread,
		lines_spread; /* measurement spread (±) of each value in the core file; 0: the file
				 states none */
};

/* The content of data/uarch/sources: each tag that core files use, and the source that the tag
 * stands for. */
struct uarch_sources {
	int count;
	char tag[UARCH_SOURCES][12];
	char text[UARCH_SOURCES][152];
};

/* A core model, which does not change after loading. */
struct uarch {
	char name[UARCH_NAME]; /* name of the core in commands: "zen3" */
	char title[64];	       /* name of the core in texts: "AMD Zen 3" */
	char isa[16];	       /* name of the instruction set: "x86_64" or "aarch64" */
	double width;	       /* rename slots per cycle; UARCH_UNKNOWN: not stated */
	int port_count;	       /* number of ports, without units */
	int unit_count; /* number of units, for example a divider. A micro-op that uses a unit, such
			   as the divider, needs no additional rename slot for the unit. In `port`,
			   the units follow the ports */
	char port[UARCH_PORTS][12];
	double fact[UARCH_FACTS];
	double width_spread, fact_spread[UARCH_FACTS]; /* measurement spread (±) of each value in
							  the core file; 0: the file states none */
	uint32_t crossing_ports; /* ports on which a result comes `crossing` cycles later if it
				    crosses between two groups of units: see struct uarch_class */
	double crossing;
	char pmu[UARCH_PMU]; /* libpfm's name of the PMU that counts this core's events; "": no PMU
			      */
	int event_count;
	struct uarch_event *event; /* counter events, in the order of the core file */

	/* Only the source files in the folder model/core use the following fields. */
	int class_count, chain_count, fusion_count, id_count, cache_count;
	struct uarch_class *class; /* classes, sorted by name */
	struct uarch_chain *chain;
	char *crossing_from, *crossing_to; /* the names of classes, each with a blank before and
					      after it; NULL: not stated */
	struct uarch_fusion *fusion;
	struct uarch_id *id;
	struct uarch_cache cache[UARCH_CACHES];
	/* LAMINATE_INDEXED: rename splits indexed memory operands; LAMINATE_DECODED: the decoders
	 * split them, so that the op cache holds both parts. */
	enum uarch_lamination {
		LAMINATE_UNKNOWN,
		LAMINATE_NEVER,
		LAMINATE_INDEXED,
		LAMINATE_DECODED
	} laminate;
	/* Instructions that keep an indexed memory operand fused under the other two. */
	enum uarch_laminated {
		LAMINATED_TWO_OPERAND = 1,
		LAMINATED_STORES = 2,
		LAMINATED_VECTORS = 4, /* all that use vector registers */
		LAMINATED_MODIFY = 8   /* operations on memory, whose store has a slot anyway */
	} laminated;		       /* bits */
	struct uarch_sources sources;
	uint32_t tags; /* published or measured sources of all numbers in the core file, one bit for
			  each */

	/* The following fields are tables from which uarch_insn() finds the class of an
	 * instruction. */
	const struct uarch_ops *ops;
	const struct uarch_class **resolved; /* this core's class for each class number of the
						instruction table `ops` and each width */
	const struct uarch_class *(
		*reserved)[UARCH_WIDTHS]; /* this core's class for each value of enum reserved
					     (classes found by an instruction's effect) and each
					     width */
};

/* The register of the stack pointer: the fifth general register on x86, the last on AArch64. */
static inline int uarch_stack_register(const struct uarch *uarch)
{
	return strcmp(uarch->isa, "x86_64") == 0 ? REG_GENERAL + 4 : REG_GENERAL + 31;
}

/* The number of ports and units together. */
static inline int uarch_port_count(const struct uarch *uarch)
{
	return uarch->port_count + uarch->unit_count;
}

/* The names of all core models for an instruction set ("x86_64", "aarch64"; NULL: any), ended by
 * NULL. Names of the user's own core files come first. The list of core names is static and does
 * not change after the first call. */
const char *const *uarch_names(const char *isa);

/* Loads a core model by name, or by path if the name contains a slash. The caller frees the core
 * model. STATUS_USAGE: the name is unknown (the text lists the nearest names), or the core's
 * instruction set is not `isa` (isa NULL: any is accepted). STATUS_FAILED: the core file is
 * malformed (the status text has file, line and reason). */
struct status uarch_load(const char *name, const char *isa, struct uarch **uarch);

/* Parses the text of a core file. If the core inherits from other cores, uarch_parse() loads them
 * by name. Messages call the text `origin`. STATUS_FAILED: the text is malformed, for example an
 * unknown word, a number without a source, or an unknown port. */
struct status uarch_parse(const char *text, const char *origin, struct uarch **uarch);
void uarch_free(struct uarch *uarch);

/* How certainly a core model fits this machine's processor: no model, the nearest model, an exact
 * match. */
enum uarch_match { UARCH_NONE, UARCH_NEAREST, UARCH_EXACT };

/* Finds the core model of this machine's processor, and writes the reason for the choice to `why`.
 * UARCH_NEAREST: no core file matches, and `name` is the nearest model. A malformed core file can
 * still match by its readable match lines. If no core file matches, a core with an unreadable match
 * line is returned as UARCH_EXACT. uarch_load() then reports the error in that core's file. */
enum uarch_match uarch_recognise(const struct machine *machine, char name[24], char why[160]);

/* Whether a match line of the core model fits this machine's processor. */
bool uarch_fits(const struct uarch *uarch, const struct machine *machine);

/* ---- Choosing a core model */

struct uarch_choice {
	struct uarch *uarch; /* the core model to use; NULL: the processor was not recognised, and
				the user gave no name */
	bool foreign;	     /* true: the model is for another core than this machine's */
	bool fits; /* true: the user chose another model than uarch_recognise(), whose match line
		      fits this machine's processor */
	char how[160];	  /* how the core model was recognised, or why a model of another core is in
			     use */
	char nearest[24]; /* the nearest core model if the processor was not recognised; "": no near
			     model */
};

/* Chooses a core model by name or path; name NULL: the model of this machine. An unrecognised
 * processor is no error: `uarch` is then NULL, `how` is the reason, and `nearest` is the nearest
 * model. STATUS_USAGE: the name is unknown, or the core has another instruction set than the
 * machine. STATUS_FAILED: the core file is malformed. */
struct status uarch_choose(
	const char *name, const struct machine *machine, struct uarch_choice *core);
void uarch_choice_free(struct uarch_choice *core);

/* Returns what the model of this machine's core says of a core that one thread uses alone. An
 * iteration of the clock's watch loops (which show a busy hyper-thread) takes one taken branch a
 * cycle, and as many nops a cycle as the core has rename slots: 1.646 on a core of 6 slots;
 * measured on Zen 4: 1.644 to 1.654. All 0: the machine's core has no model. */
struct clock_alone uarch_alone(const struct machine *machine);

/* ---- Facts */
/* The words that name each fact in core files ("size rob"). uarch_fact_find() returns UARCH_FACTS
 * for unknown words. */
extern const char *const uarch_fact_words[UARCH_FACTS];
enum uarch_fact uarch_fact_find(const char *words);
/* The range of values that a core file may state for the fact. */
void uarch_fact_range(enum uarch_fact fact, double *least, double *most);
const struct uarch_cache *uarch_cache(const struct uarch *uarch,
	int level); /* Finds the cache of a level (1, 2, …). Returns NULL if the core model states
		       no cache of this level. */

/* The latency from a result of class `producer` to an operand of class `consumer`, if a `chain` row
 * states it; otherwise UARCH_UNKNOWN. *slows receives the cycles by which such an operand makes the
 * consumer take longer from its other operands. */
double uarch_chain(const struct uarch *uarch, const struct uarch_class *producer,
	const struct uarch_class *consumer, double *slows);

/* How one instruction executes on this core. */
struct uarch_insn {
	bool known; /* false: the instruction table has no rule for the instruction, or the core
		       model lacks its class */
	const struct uarch_class *op;	 /* class of the operation; NULL: the instruction is a plain
					    load, store or nop */
	const struct uarch_class *load;	 /* class of each load of a memory operand; NULL: the
					    instruction does not load */
	const struct uarch_class *store; /* class of each store of a memory operand; NULL: the
					    instruction does not store */
	const struct uarch_class *taken; /* class of the instruction if it is a conditional branch
					    that is taken, in place of `op`; NULL: no replacement */
	const struct uarch_class
		*base; /* class of the update of the base register by a pre- or post-indexed access;
			  its latency is from the old to the new base. NULL: the update of the base
			  register costs nothing, as with x86's stack engine */
	double slots;  /* rename slots of the instruction, with its memory operands, before
			  macro-fusion; 0: unknown */
	double unlaminated; /* number of rename slots that un-lamination adds; `slots` includes them
			     */
	bool eliminated; /* true: rename eliminates the instruction, so it has latency 0 and needs
			    no port */
	bool joined; /* true: the load shares one rename slot with the next instruction; the caller
			of uarch_insn() sets this field from uarch_fuses_behind() */
};

void uarch_insn(const struct uarch *uarch, const struct insn *insn, struct uarch_insn *facts);

/* Finds a class by name and width in bits (0: no width). If no class has the name with this width,
 * uarch_find() returns the class with the name alone. The result is NULL if no instruction class
 * has this name. */
const struct uarch_class *uarch_find(const struct uarch *uarch, const char *name, unsigned bits);

/* Whether an instruction and the branch after it become one micro-op (macro-fusion). */
bool uarch_fuses(const struct uarch *uarch, const struct insn *first, const struct insn *branch);

/* Whether a register copy or plain load shares one rename slot with the next operation, which uses
 * the copied or loaded value. On some cores, any instruction shares its slot with a nop after it.
 */
bool uarch_fuses_behind(
	const struct uarch *uarch, const struct insn *first, const struct insn *operation);

/* ---- Counter events of a core */

/* The roles of counter events: a role says what an event counts. Each row of the table of event
 * roles has the role's identifier, its name in files, and its title for the user. Two flags of a
 * role say whether its events occur in every program, and whether a core may have several events of
 * the role. To add a role of counter events, add a row to the table. If the model predicts the
 * count of the new role, also add a line to events_modelled(). */
#define EVENT_ROLES(ROW)                                                                        \
	ROW(ROLE_CYCLES, "cycles", "cycles", true, false)                                       \
	/* counts retired instructions */                                                       \
	ROW(ROLE_INSTRUCTIONS, "instructions", "instructions", true, false)                     \
	/* counts fused micro-ops, that is, used rename slots */                                \
	ROW(ROLE_UOPS, "uops", "micro-ops", true, false)                                        \
	ROW(ROLE_UOPS_RETIRED, "uops-retired", "micro-ops retired", true, false)                \
	/* counts micro-ops that started on a port */                                           \
	ROW(ROLE_UOPS_EXECUTED, "uops-executed", "micro-ops executed", true, false)             \
	/* "ports P…" counts micro-ops that started on one port or a group of ports */        \
	ROW(ROLE_PORTS, "ports", "ports", false, true)                                          \
	/* "dispatched fp" … counts micro-ops by kind of unit, if there are no port events */ \
	ROW(ROLE_DISPATCHED, "dispatched", "dispatched", false, true)                           \
	ROW(ROLE_LOADS, "loads", "loads", false, false)                                         \
	ROW(ROLE_STORES, "stores", "stores", false, false)                                      \
	ROW(ROLE_BRANCHES, "branches", "branches", false, false)                                \
	ROW(ROLE_MISPREDICTIONS, "mispredictions", "mispredictions", false, false)              \
	/* the three roles of events for cache misses count misses of data accesses */          \
	ROW(ROLE_L1_MISSES, "l1-misses", "L1 misses", false, false)                             \
	ROW(ROLE_L2_MISSES, "l2-misses", "L2 misses", false, false)                             \
	ROW(ROLE_L3_MISSES, "l3-misses", "L3 misses", false, false)                             \
	/* counts misses in the first-level data TLB */                                         \
	ROW(ROLE_DTLB_MISSES, "dtlb-misses", "TLB misses", false, false)                        \
	/* counts misses in the last-level TLB */                                               \
	ROW(ROLE_DTLB_WALKS, "dtlb-walks", "page walks", false, false)                          \
	/* "stalled back end" …: counts cycles without progress for one reason */             \
	ROW(ROLE_STALLED, "stalled", "stalled", false, true)                                    \
	/* an event that the user names; core files never state this role */                    \
	ROW(ROLE_EXTRA, "extra", "extra", false, true)

#define ROLE_IDENTIFIER(identifier, name, title, must, many) identifier,
enum event_role { EVENT_ROLES(ROLE_IDENTIFIER) ROLE_COUNT };
#undef ROLE_IDENTIFIER

extern const struct event_role_facts {
	const char *name,
		*title; /* name in files, and title for the user: "l1-misses", "L1 misses" */
	bool must;	/* true: the event occurs in every program */
	bool many;	/* true: a core may have several events of the role */
} event_roles[ROLE_COUNT];
enum event_role role_find(const char *name); /* Finds a role of counter events by its name in files.
						Returns ROLE_COUNT if the name is unknown. */

enum { EVENT_WORDS = 40, EVENT_TITLE = 64 };

/* One counter event that a core file states. */
struct uarch_event {
	enum event_role role;
	uint32_t ports; /* for ROLE_PORTS: a bit for each port whose micro-ops the event counts */
	char words[EVENT_WORDS]; /* for ROLE_DISPATCHED and ROLE_STALLED: the words after the role
				    in the core file; otherwise "" */
	char core[24]; /* name of the core whose file states the event; `ports` are ports of this
			  core. "": no core */
	char name[COUNTER_NAME]; /* libpfm's name of the event, after the name of its PMU */
	char title[EVENT_TITLE]; /* title for the user: "L1 misses", "p2 p3", "stalled: back end";
				    for an extra event, its shortened name */
	uint32_t tags; /* published or measured sources of the event, as bits like the tags of
			  struct uarch_class */
};

/* The title of an event. If a counter event has no title, events_title() composes one from the
 * event's role and the words after the role. `uarch` gives the names of ports; `uarch` may be NULL.
 */
struct event_title {
	char text[EVENT_TITLE];
};
struct event_title events_title(const struct uarch_event *meaning, const struct uarch *uarch);

/* Reads at most `most` lines of the form `event ROLE … = NAME [TAG]`, as in data/events.
 * STATUS_FAILED: a line has another form (the status text has origin, line and reason). */
struct status events_parse(
	const char *text, const char *origin, struct uarch_event *event, int most, int *count);

/* Adds the sources of a core model's numbers to `text`, as lines "[U] uops.info …". `tags` selects
 * the sources, for example those of a class; 0 selects all sources of the core file. */
void uarch_sources(const struct uarch *uarch, uint32_t tags, struct text *text);
