/* Core models: the facts of one microarchitecture, from data/uarch/NAME.uarch (format:
 * data/uarch/README.md). To add a core: write its file, nothing else. */
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
	UARCH_WIDTHS = 8 /* none, 8, 16, 32, 64, 128, 256, 512 bits */
};

/* The value of an unknown number: test with uarch_known(). */
#define UARCH_UNKNOWN (-1.0)
static inline bool uarch_known(double value)
{
	return value >= 0;
}

/* Micro-ops of an instruction: `count` of them, each on one of `ports` for `cycles`. */
struct uarch_term {
	uint32_t ports; /* a bit for each port or unit; 0: none (eliminated at rename) */
	float count;
	float cycles;
};

/* A class of instructions that execute alike. */
struct uarch_class {
	char name[24];	   /* "fadd", "fadd.512" */
	double latency;	   /* cycles, from register operand to result; UARCH_UNKNOWN */
	double accumulate; /* from the addend of a multiply-add to the result of the same class;
			      UARCH_UNKNOWN: as latency */
	bool accumulate_unknown; /* the addend may be read later than the factors, by an unknown
				    time: no bound */
	double each; /* measured reciprocal throughput, cycles an instruction; limits use the ports
			instead; UARCH_UNKNOWN */
	double latency_spread, accumulate_spread, each_spread; /* ±; 0: not stated */
	double slots; /* of the rename width, without memory operands (> 0) */
	int term_count;
	struct uarch_term term[UARCH_TERMS];
	bool executes; /* false: `ports unknown`: it adds no pressure */
	uint32_t tags; /* sources: bits of struct uarch_sources */
};

/* The facts of uarch_facts.h. Sizes come first, so that an array of SIZE_COUNT has one element for
 * each size. */
enum uarch_fact {
#define FACT(identifier, words) identifier,
#include "model/core/uarch_facts.h"
#undef FACT
	UARCH_FACTS,
	SIZE_COUNT = CAP_LOADS
};

struct uarch_cache {
	int level;
	double bytes, latency; /* load to use, cycles */
	double lines;	       /* a cycle, to the level above; UARCH_UNKNOWN */
	double bytes_spread, latency_spread, lines_spread; /* ±; 0: not stated */
};

/* The file "sources": the meaning of tags. */
struct uarch_sources {
	int count;
	char tag[UARCH_SOURCES][12];
	char text[UARCH_SOURCES][152];
};

/* A core model. It is constant once loaded. */
struct uarch {
	char name[UARCH_NAME]; /* "zen3" */
	char title[64];	       /* "AMD Zen 3" */
	char isa[16];	       /* "x86_64" */
	double width;	       /* rename slots a cycle; UARCH_UNKNOWN */
	int port_count;	       /* without units */
	int unit_count; /* units follow after the ports, for example a divider: they need no slot */
	char port[UARCH_PORTS][12];
	double fact[UARCH_FACTS];
	double width_spread, fact_spread[UARCH_FACTS]; /* ±; 0: not stated */
	char pmu[UARCH_PMU]; /* libpfm's name of its counters' PMU; "": none */
	int event_count;
	struct uarch_event *event; /* in the order of the file */

	/* For the files of this folder only. */
	int class_count, chain_count, fusion_count, id_count, cache_count;
	struct uarch_class *class; /* sorted by name */
	struct uarch_chain *chain;
	struct uarch_fusion *fusion;
	struct uarch_id *id;
	struct uarch_cache cache[UARCH_CACHES];
	enum { LAMINATE_UNKNOWN, LAMINATE_NEVER, LAMINATE_INDEXED } laminate;
	bool laminate_two_operand, laminate_stores; /* exceptions from LAMINATE_INDEXED */
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

/* The names of all core models of an instruction set ("x86_64", "aarch64"; NULL: any), ended by
 * NULL. The user's own files come first, as they were at the first call. Static. */
const char *const *uarch_names(const char *isa);

/* Loads a core model by name, or by path if the name has a slash. STATUS_USAGE for an unknown name,
 * with the nearest names, and for a core of another instruction set than `isa` (NULL: any);
 * STATUS_FAILED with file, line and reason for a malformed file. The caller frees. */
struct status uarch_load(const char *name, const char *isa, struct uarch **uarch);

/* Parses the text of a core file; parents are loaded by name. origin names the text in messages. An
 * unknown word, a number without a source, or an unknown port is an error. */
struct status uarch_parse(const char *text, const char *origin, struct uarch **uarch);
void uarch_free(struct uarch *uarch);

/* How sure a match is. */
enum uarch_match { UARCH_NONE, UARCH_NEAREST, UARCH_EXACT };

/* The core model of this machine's processor. UARCH_NEAREST: no file matches, and name is the
 * nearest model. `why` gives the reason. A malformed file counts by its readable
 * match lines; if nothing matches, a file with an unreadable match line is the result, so that
 * uarch_load() reports the mistake. */
enum uarch_match uarch_recognise(const struct machine *machine, char name[24], char why[160]);

/* Whether one of its match lines fits this machine's processor. */
bool uarch_fits(const struct uarch *uarch, const struct machine *machine);

/* ---- Choosing a core model */

struct uarch_choice {
	struct uarch *uarch; /* NULL: not recognised, and no name given */
	bool foreign;	     /* not the core of this machine */
	char how[160];	     /* how it was recognised, or why another is in use */
	char nearest[24];    /* not recognised: the nearest model; empty: none */
};

/* Chooses a core model by name or path, or for NULL the one of this machine. An unrecognised
 * processor is no error: uarch is NULL, and how and nearest say more. STATUS_USAGE for an unknown
 * name or another instruction set; STATUS_FAILED for a malformed file. */
struct status uarch_choose(
	const char *name, const struct machine *machine, struct uarch_choice *core);
void uarch_choice_free(struct uarch_choice *core);

/* ---- Facts */
/* The words of a fact in core files, "size rob", and back; UARCH_FACTS for unknown words. */
const char *uarch_fact_name(enum uarch_fact fact);
enum uarch_fact uarch_fact_find(const char *words);
/* The values that a core file may state for the fact. */
void uarch_fact_range(enum uarch_fact fact, double *least, double *most);
const struct uarch_cache *uarch_cache(
	const struct uarch *uarch, int level); /* 1, 2; NULL: unknown */

/* The latency from a result of class `producer` to an operand of class `consumer`, if it differs
 * from the producer's latency; else UARCH_UNKNOWN. */
double uarch_chain(const struct uarch *uarch, const struct uarch_class *producer,
	const struct uarch_class *consumer);

/* How one instruction executes here. */
struct uarch_insn {
	bool known; /* false: no table has the instruction, or its class has no numbers */
	const struct uarch_class *op;	/* its operation; NULL: none (a plain load, store or nop) */
	const struct uarch_class *load; /* each load of its memory operands; NULL: none */
	const struct uarch_class *store; /* each store; NULL: none */
	const struct uarch_class *taken; /* a conditional branch: its operation in place of op when
					    it jumps; else NULL */
	const struct uarch_class
		*base; /* the update of the base register of a pre- or post-indexed access, with the
			  latency from old to new base; NULL: no cost, as x86's stack engine */
	double slots;  /* rename slots, memory operands included, before macro-fusion; 0: unknown */
	double unlaminated; /* how many slots come from un-lamination */
	bool eliminated;    /* eliminated at rename: latency 0, no port */
	bool joined;	    /* set by callers: a load that shares one slot with the next instruction
			       (uarch_fuses_behind()) */
};

void uarch_insn(const struct uarch *uarch, const struct insn *insn, struct uarch_insn *facts);

/* The class of a name and a width in bits (0: none), or of the name alone; NULL: unknown. */
const struct uarch_class *uarch_find(const struct uarch *uarch, const char *name, unsigned bits);

/* Whether two adjacent instructions become one micro-op. */
bool uarch_fuses(const struct uarch *uarch, const struct insn *first, const struct insn *branch);

/* Whether a copy or a plain load, and the next operation on its result, share one slot. */
bool uarch_fuses_behind(
	const struct uarch *uarch, const struct insn *first, const struct insn *operation);

/* ---- Counter events of a core */

/* What an event counts: a row for each role, with its name in files, its title for people, whether
 * every program raises it, and whether a core may have several. To add a role: its row, and, where
 * the model predicts its count, its line in events_modelled(). */
#define EVENT_ROLES(ROW)                                                                      \
	ROW(ROLE_CYCLES, "cycles", "cycles", true, false)                                     \
	/* retired */                                                                         \
	ROW(ROLE_INSTRUCTIONS, "instructions", "instructions", true, false)                   \
	/* fused micro-ops, slots at rename */                                                \
	ROW(ROLE_UOPS, "uops", "micro-ops", true, false)                                      \
	ROW(ROLE_UOPS_RETIRED, "uops-retired", "micro-ops retired", true, false)              \
	/* started on ports */                                                                \
	ROW(ROLE_UOPS_EXECUTED, "uops-executed", "micro-ops executed", true, false)           \
	/* "ports P…": micro-ops started on one port, or on any of a group */               \
	ROW(ROLE_PORTS, "ports", "ports", false, true)                                        \
	/* "dispatched WORDS", for cores without port events: "fp", "integer", "loads" … */ \
	ROW(ROLE_DISPATCHED, "dispatched", "dispatched", false, true)                         \
	ROW(ROLE_LOADS, "loads", "loads", false, false)                                       \
	ROW(ROLE_STORES, "stores", "stores", false, false)                                    \
	ROW(ROLE_BRANCHES, "branches", "branches", false, false)                              \
	ROW(ROLE_MISPREDICTIONS, "mispredictions", "mispredictions", false, false)            \
	/* of data */                                                                         \
	ROW(ROLE_L1_MISSES, "l1-misses", "L1 misses", false, false)                           \
	ROW(ROLE_L2_MISSES, "l2-misses", "L2 misses", false, false)                           \
	ROW(ROLE_L3_MISSES, "l3-misses", "L3 misses", false, false)                           \
	/* of the first level */                                                              \
	ROW(ROLE_DTLB_MISSES, "dtlb-misses", "TLB misses", false, false)                      \
	/* of the last level */                                                               \
	ROW(ROLE_DTLB_WALKS, "dtlb-walks", "page walks", false, false)                        \
	/* "stalled WORDS": cycles without progress, and the reason: "back end" … */        \
	ROW(ROLE_STALLED, "stalled", "stalled", false, true)                                  \
	/* named by the user; in no file */                                                   \
	ROW(ROLE_EXTRA, "extra", "extra", false, true)

#define ROLE_IDENTIFIER(identifier, name, title, must, many) identifier,
enum event_role { EVENT_ROLES(ROLE_IDENTIFIER) ROLE_COUNT };
#undef ROLE_IDENTIFIER

extern const struct event_role_facts {
	const char *name, *title; /* "l1-misses", "L1 misses" */
	bool must;		  /* every program raises it */
	bool many;		  /* a core may have several */
} event_roles[ROLE_COUNT];
enum event_role role_find(const char *name); /* ROLE_COUNT: none */

enum { EVENT_WORDS = 40, EVENT_TITLE = 64 };

/* One event of a core file. */
struct uarch_event {
	enum event_role role;
	uint32_t ports;		 /* ROLE_PORTS: a bit for each of the core's ports */
	char words[EVENT_WORDS]; /* ROLE_DISPATCHED, ROLE_STALLED: the kind; else "" */
	char core[24]; /* the core whose file has it; ports are bits of that core; "": none */
	char name[COUNTER_NAME]; /* with its PMU */
	char title[EVENT_TITLE]; /* for people: "L1 misses", "p2 p3", "stalled: back end"; an extra
				    event: its name, cut */
	uint32_t tags;		 /* sources, as in struct uarch_class */
};

/* The title of an event; composed if it has none. uarch names ports; may be NULL. */
struct event_title {
	char text[EVENT_TITLE];
};
struct event_title events_title(const struct uarch_event *meaning, const struct uarch *uarch);

/* Reads at most `most` lines `event ROLE … = NAME [TAG]`, as in data/events. STATUS_FAILED with
 * origin, line and reason for any other line. */
struct status events_parse(
	const char *text, const char *origin, struct uarch_event *event, int most, int *count);

/* The sources of a class (its tags), or of the whole file (0), as lines "[U] uops.info …". */
void uarch_sources(const struct uarch *uarch, uint32_t tags, struct text *text);
