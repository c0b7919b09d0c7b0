/* Core models: facts about a microarchitecture, from data/uarch/NAME.uarch (format:
 * data/uarch/README.md). To add a core, write its file. No code has to change. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/status.h"
#include "base/text.h"
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
	UARCH_WIDTHS = 8 /* no width, 8, 16, 32, 64, 128, 256, 512 bits */
};

/* The value of an unknown number. Test it with uarch_known(). */
#define UARCH_UNKNOWN (-1.0)
static inline bool uarch_known(double value)
{
	return value >= 0;
}

/* Micro-ops of one kind: `count` micro-ops; each occupies one of `ports` for `cycles`. */
struct uarch_term {
	uint32_t ports; /* a bit for each port or unit; 0: no port (eliminated at rename) */
	float count;
	float cycles;
};

/* A class of instructions that execute in the same way. */
struct uarch_class {
	char name[24];	   /* "fadd", "fadd.512" */
	double latency;	   /* cycles from a register operand to the result; UARCH_UNKNOWN */
	double accumulate; /* cycles from a multiply-add's addend to its result, if the producer has
			      the same class; UARCH_UNKNOWN: the same as latency */
	bool accumulate_unknown; /* the addend may be read later than the factors, by an unknown
				    time: the chain has no lower bound */
	double each; /* measured reciprocal throughput in cycles per instruction; UARCH_UNKNOWN.
			Limits are computed from the ports instead */
	double latency_spread, accumulate_spread, each_spread; /* ± of the value; 0: not stated */
	double slots; /* slots of the rename width, without memory operands (> 0) */
	int term_count;
	struct uarch_term term[UARCH_TERMS];
	bool executes; /* false for `ports unknown`: the class adds no port pressure */
	uint32_t tags; /* its sources: bits in the order of struct uarch_sources */
};

/* The facts of uarch_facts.h. Sizes come first. So SIZE_COUNT is the number of sizes and can be an
 * array length. */
enum uarch_fact {
#define FACT(identifier, words) identifier,
#include "model/core/uarch_facts.h"
#undef FACT
	UARCH_FACTS,
	SIZE_COUNT = CAP_LOADS
};

struct uarch_cache {
	int level;
	double bytes, latency; /* bytes; load-to-use latency in cycles */
	double lines;	       /* lines per cycle to the next higher level; UARCH_UNKNOWN */
	double bytes_spread, latency_spread, lines_spread; /* ± of the value; 0: not stated */
};

/* The file "sources": the meaning of the tags in core files. */
struct uarch_sources {
	int count;
	char tag[UARCH_SOURCES][12];
	char text[UARCH_SOURCES][152];
};

/* A core model. It does not change after loading. */
struct uarch {
	char name[UARCH_NAME]; /* "zen3" */
	char title[64];	       /* "AMD Zen 3" */
	char isa[16];	       /* "x86_64" */
	double width;	       /* rename slots per cycle; UARCH_UNKNOWN */
	int port_count;	       /* number of ports, without units */
	int unit_count; /* number of units, for example a divider; a unit needs no slot. Units
			   follow the ports in `port` */
	char port[UARCH_PORTS][12];
	double fact[UARCH_FACTS];
	double width_spread, fact_spread[UARCH_FACTS]; /* ± of the value; 0: not stated */
	char pmu[UARCH_PMU]; /* the PMU of its counters, by libpfm's name; "": none */
	int event_count;
	struct uarch_event *event; /* in the order of the file */

	/* The rest is only for the files of this folder. */
	int class_count, chain_count, fusion_count, id_count, cache_count;
	struct uarch_class *class; /* sorted by name */
	struct uarch_chain *chain;
	struct uarch_fusion *fusion;
	struct uarch_id *id;
	struct uarch_cache cache[UARCH_CACHES];
	enum { LAMINATE_UNKNOWN, LAMINATE_NEVER, LAMINATE_INDEXED } laminate;
	bool laminate_two_operand, laminate_stores; /* exceptions to LAMINATE_INDEXED */
	struct uarch_sources sources;
	uint32_t tags; /* all sources of the file */

	/* Tables for uarch_insn(). */
	struct uarch_ops *ops;
	const struct uarch_class **resolved;		     /* [class number of ops][width] */
	const struct uarch_class *(*reserved)[UARCH_WIDTHS]; /* [enum reserved] */
};

static inline int uarch_port_count(const struct uarch *uarch) /* ports and units */
{
	return uarch->port_count + uarch->unit_count;
}

/* The names of all core models for an instruction set ("x86_64", "aarch64"; NULL: any), ended by
 * NULL. The user's own files come first. The list is static: it does not change after the first
 * call. */
const char *const *uarch_names(const char *isa);

/* Loads a core model by name, or by path if the name contains a slash. The caller frees it.
 * STATUS_USAGE: the name is unknown (the text lists the nearest names), or the core has another
 * instruction set than `isa` (NULL: any). STATUS_FAILED: the file is malformed (the text has file,
 * line and reason). */
struct status uarch_load(const char *name, const char *isa, struct uarch **uarch);

/* Parses the text of a core file. Loads the cores that it inherits from by name. origin names the
 * text in messages. STATUS_FAILED: for example an unknown word, a number without a source, or an
 * unknown port. */
struct status uarch_parse(const char *text, const char *origin, struct uarch **uarch);
void uarch_free(struct uarch *uarch);

/* How certain a match is. */
enum uarch_match { UARCH_NONE, UARCH_NEAREST, UARCH_EXACT };

/* Finds the core model of this machine's processor. UARCH_NEAREST: no file matches, and name is the
 * nearest model. `why` is the reason. A malformed file can still match by its readable match lines.
 * If no file matches, a file with an unreadable match line is returned as UARCH_EXACT. So
 * uarch_load() then reports its error. */
enum uarch_match uarch_recognise(const struct machine *machine, char name[24], char why[160]);

/* Whether a match line of this core fits this machine's processor. */
bool uarch_fits(const struct uarch *uarch, const struct machine *machine);

/* ---- Choosing a core model */

struct uarch_choice {
	struct uarch *uarch; /* NULL: the processor was not recognised, and no name was given */
	bool foreign;	     /* the model is for another core than this machine's */
	char how[160];	     /* how the model was recognised, or why another model is in use */
	char nearest[24];    /* the nearest model if the processor was not recognised; "": none */
};

/* Chooses a core model by name or path; name NULL: the model of this machine. An unrecognised
 * processor is no error: then uarch is NULL, and `how` and `nearest` explain. STATUS_USAGE: the
 * name is unknown, or the core has another instruction set. STATUS_FAILED: the file is malformed.
 */
struct status uarch_choose(
	const char *name, const struct machine *machine, struct uarch_choice *core);
void uarch_choice_free(struct uarch_choice *core);

/* ---- Facts */
/* The words of each fact in core files ("size rob"). Unknown words give UARCH_FACTS. */
extern const char *const uarch_fact_words[UARCH_FACTS];
enum uarch_fact uarch_fact_find(const char *words);
/* The range of values that a core file may state for the fact. */
void uarch_fact_range(enum uarch_fact fact, double *least, double *most);
const struct uarch_cache *uarch_cache(
	const struct uarch *uarch, int level); /* level: 1, 2, …; returns NULL if unknown */

/* The latency from a result of class `producer` to an operand of class `consumer`, if a `chain` row
 * states it; otherwise UARCH_UNKNOWN. */
double uarch_chain(const struct uarch *uarch, const struct uarch_class *producer,
	const struct uarch_class *consumer);

/* How one instruction executes on this core. */
struct uarch_insn {
	bool known; /* false: no table has the instruction, or its class has no numbers */
	const struct uarch_class *op; /* the class of its operation; NULL: no operation (a plain
					 load, store or nop) */
	const struct uarch_class
		*load; /* the class of each load of a memory operand; NULL: no load */
	const struct uarch_class *store; /* the class of each store; NULL: no store */
	const struct uarch_class *taken; /* for a conditional branch: the class that replaces op if
					    the branch is taken; else NULL */
	const struct uarch_class
		*base; /* the class that updates the base register of a pre- or post-indexed access;
			  its latency is from the old to the new base. NULL: no cost, for example
			  x86's stack engine */
	double slots; /* rename slots, including memory operands, before macro-fusion; 0: unknown */
	double unlaminated; /* the part of the slots that un-lamination adds */
	bool eliminated;    /* eliminated at rename: latency 0, no port */
	bool joined; /* set by callers: a load that shares one slot with the next instruction, see
			uarch_fuses_behind() */
};

void uarch_insn(const struct uarch *uarch, const struct insn *insn, struct uarch_insn *facts);

/* The class with this name and width in bits (0: no width). Without such a class: the class with
 * the name alone. NULL: unknown. */
const struct uarch_class *uarch_find(const struct uarch *uarch, const char *name, unsigned bits);

/* Whether an instruction and the branch after it become one micro-op (macro-fusion). */
bool uarch_fuses(const struct uarch *uarch, const struct insn *first, const struct insn *branch);

/* Whether a register copy or plain load shares one slot with the next operation, which uses its
 * result. */
bool uarch_fuses_behind(
	const struct uarch *uarch, const struct insn *first, const struct insn *operation);

/* ---- Counter events of a core */

/* What an event counts. Each row is a role. It has an identifier, its name in files, and its title
 * for the user. Two flags follow: every program raises the event; a core may have several such
 * events. To add a role, add a row. If the model predicts its count, also add a line in
 * events_modelled(). */
#define EVENT_ROLES(ROW)                                                                      \
	ROW(ROLE_CYCLES, "cycles", "cycles", true, false)                                     \
	/* retired instructions */                                                            \
	ROW(ROLE_INSTRUCTIONS, "instructions", "instructions", true, false)                   \
	/* fused micro-ops: slots at rename */                                                \
	ROW(ROLE_UOPS, "uops", "micro-ops", true, false)                                      \
	ROW(ROLE_UOPS_RETIRED, "uops-retired", "micro-ops retired", true, false)              \
	/* micro-ops that started on ports */                                                 \
	ROW(ROLE_UOPS_EXECUTED, "uops-executed", "micro-ops executed", true, false)           \
	/* "ports P…": micro-ops that started on one port, or on a group of ports */        \
	ROW(ROLE_PORTS, "ports", "ports", false, true)                                        \
	/* "dispatched WORDS", for cores without port events: "fp", "integer", "loads" … */ \
	ROW(ROLE_DISPATCHED, "dispatched", "dispatched", false, true)                         \
	ROW(ROLE_LOADS, "loads", "loads", false, false)                                       \
	ROW(ROLE_STORES, "stores", "stores", false, false)                                    \
	ROW(ROLE_BRANCHES, "branches", "branches", false, false)                              \
	ROW(ROLE_MISPREDICTIONS, "mispredictions", "mispredictions", false, false)            \
	/* cache misses of data accesses */                                                   \
	ROW(ROLE_L1_MISSES, "l1-misses", "L1 misses", false, false)                           \
	ROW(ROLE_L2_MISSES, "l2-misses", "L2 misses", false, false)                           \
	ROW(ROLE_L3_MISSES, "l3-misses", "L3 misses", false, false)                           \
	/* misses in the first-level TLB */                                                   \
	ROW(ROLE_DTLB_MISSES, "dtlb-misses", "TLB misses", false, false)                      \
	/* misses in the last-level TLB */                                                    \
	ROW(ROLE_DTLB_WALKS, "dtlb-walks", "page walks", false, false)                        \
	/* "stalled WORDS": cycles without progress, by reason: "back end" … */             \
	ROW(ROLE_STALLED, "stalled", "stalled", false, true)                                  \
	/* named by the user; never in a file */                                              \
	ROW(ROLE_EXTRA, "extra", "extra", false, true)

#define ROLE_IDENTIFIER(identifier, name, title, must, many) identifier,
enum event_role { EVENT_ROLES(ROLE_IDENTIFIER) ROLE_COUNT };
#undef ROLE_IDENTIFIER

extern const struct event_role_facts {
	const char *name, *title; /* "l1-misses", "L1 misses" */
	bool must;		  /* every program raises it */
	bool many;		  /* a core may have several */
} event_roles[ROLE_COUNT];
enum event_role role_find(const char *name); /* ROLE_COUNT: unknown name */

enum { EVENT_WORDS = 40, EVENT_TITLE = 64 };

/* One event of a core file. */
struct uarch_event {
	enum event_role role;
	uint32_t ports;		 /* ROLE_PORTS: a bit for each of the core's ports */
	char words[EVENT_WORDS]; /* ROLE_DISPATCHED, ROLE_STALLED: the words after the role; else ""
				  */
	char core[24]; /* the core that `ports` belongs to: its file states the event; "": no core
			*/
	char name[COUNTER_NAME]; /* with the name of the PMU */
	char title[EVENT_TITLE]; /* for the user: "L1 misses", "p2 p3", "stalled: back end"; an
				    extra event: its name, shortened */
	uint32_t tags;		 /* sources, as in struct uarch_class */
};

/* The title of an event, composed from its role and words if it has none. uarch gives the names of
 * ports; it may be NULL. */
struct event_title {
	char text[EVENT_TITLE];
};
struct event_title events_title(const struct uarch_event *meaning, const struct uarch *uarch);

/* Reads at most `most` lines of the form `event ROLE … = NAME [TAG]`, as in data/events.
 * STATUS_FAILED: a line has another form (the text has origin, line and reason). */
struct status events_parse(
	const char *text, const char *origin, struct uarch_event *event, int most, int *count);

/* Adds the sources as lines "[U] uops.info …": the sources of a class (its tags), or of the whole
 * file (0). */
void uarch_sources(const struct uarch *uarch, uint32_t tags, struct text *text);
