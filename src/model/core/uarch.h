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

enum { UARCH_PORTS = 24, UARCH_TERMS = 6, UARCH_CACHES = 4 };

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

struct uarch;

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
const char *uarch_name(const struct uarch *uarch);  /* "zen3" */
const char *uarch_title(const struct uarch *uarch); /* "AMD Zen 3" */
const char *uarch_isa(const struct uarch *uarch);
double uarch_width(const struct uarch *uarch);	 /* rename slots a cycle; UARCH_UNKNOWN */
int uarch_port_count(const struct uarch *uarch); /* ports and units */
const char *uarch_port(const struct uarch *uarch, int port);
bool uarch_port_is_unit(
	const struct uarch *uarch, int port); /* for example a divider: needs no slot */
double uarch_fact(const struct uarch *uarch, enum uarch_fact fact);
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

/* What an event counts. To add a role: its row in uarch_events.c, and, where the model predicts its
 * count, its line in events_modelled(). */
enum event_role {
	ROLE_CYCLES,	     /* "cycles" */
	ROLE_INSTRUCTIONS,   /* "instructions": retired */
	ROLE_UOPS,	     /* "uops": fused micro-ops, slots at rename */
	ROLE_UOPS_RETIRED,   /* "uops-retired" */
	ROLE_UOPS_EXECUTED,  /* "uops-executed": started on ports */
	ROLE_PORTS,	     /* "ports P…": micro-ops started on one port, or on any of a group */
	ROLE_DISPATCHED,     /* "dispatched WORDS": for cores without port events: "fp", "integer",
				"loads" … */
	ROLE_LOADS,	     /* "loads" */
	ROLE_STORES,	     /* "stores" */
	ROLE_BRANCHES,	     /* "branches" */
	ROLE_MISPREDICTIONS, /* "mispredictions" */
	ROLE_L1_MISSES,	     /* "l1-misses": of data */
	ROLE_L2_MISSES,	     /* "l2-misses" */
	ROLE_L3_MISSES,	     /* "l3-misses" */
	ROLE_DTLB_MISSES,    /* "dtlb-misses": of the first level */
	ROLE_DTLB_WALKS,     /* "dtlb-walks": of the last level */
	ROLE_STALLED, /* "stalled WORDS": cycles without progress, and the reason: "back end", "load
			 queue full" */
	ROLE_EXTRA,   /* named by the user; in no file */
	ROLE_COUNT
};

const char *role_name(enum event_role role);  /* "l1-misses" */
const char *role_title(enum event_role role); /* "L1 misses": for people */
enum event_role role_find(const char *name);  /* ROLE_COUNT: none */
bool role_must(enum event_role role);	      /* every program raises it */
/* Whether a core has at most one event of the role: all but ports, dispatched, stalled and extra.
 */
bool role_single(enum event_role role);

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

/* The events of a core, in the order of its file. */
int uarch_event_count(const struct uarch *uarch);
const struct uarch_event *uarch_event(const struct uarch *uarch, int index);
const char *uarch_pmu(const struct uarch *uarch); /* libpfm's name of its counters' PMU; "": none */

/* The title of an event; composed if it has none. uarch names ports; may be NULL. */
void events_title(
	const struct uarch_event *meaning, const struct uarch *uarch, char *buffer, size_t size);

/* Reads at most `most` lines `event ROLE … = NAME [TAG]`, as in data/events. STATUS_FAILED with
 * origin, line and reason for any other line. */
struct status events_parse(
	const char *text, const char *origin, struct uarch_event *event, int most, int *count);

/* The sources of a class (its tags), or of the whole file (0), as lines "[U] uops.info …". */
void uarch_sources(const struct uarch *uarch, uint32_t tags, struct text *text);
