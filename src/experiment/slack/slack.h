/* Measures for how many cycles of an iteration the loop keeps each resource of a core busy, without
 * hardware counters. A resource is a set of execution ports, a unit such as the divider, the rename
 * width, or the rate of loads, stores or taken branches.
 *
 * The program adds instructions to the loop, the fillers, whose micro-ops only one resource
 * executes. With enough added fillers, the resource limits the loop. The cycles of an iteration are
 * then the pressure of the loop plus the time of the fillers. The pressure is the number of cycles
 * per iteration for which the loop itself keeps the resource busy. The slack is the largest number
 * of fillers (added instructions) per iteration that does not make the loop slower. */
#pragma once

#include <stdbool.h>

#include "experiment/campaign.h"
#include "experiment/setting/setting.h"
#include "model/limits/explain.h"

/* SLACK_RESOURCES: largest number of resources of a core. SLACK_CLASSES: largest number of classes
 * of instructions in a loop and its added instructions. SLACK_OPTIONS: largest number of kinds of
 * added instructions to try for one resource. SLACK_PAIRS: largest number of measurements of two
 * kinds of added instructions together. */
enum { SLACK_RESOURCES = 28, SLACK_CLASSES = 96, SLACK_OPTIONS = 3, SLACK_PAIRS = 6 };

/* How certain the measured pressure and slack of a resource are. */
enum slack_kind {
	SLACK_WAITS,	 /* the pressure on the resource is not measured yet */
	SLACK_EXACT,	 /* each added instruction took the time that the core model states */
	SLACK_AT_LEAST,	 /* the loop did not become slower, so the slack is at least this number of
			    added instructions */
	SLACK_AMBIGUOUS, /* the added instructions took another time, so the core model may have
			    wrong ports */
	SLACK_FAILED, /* the pressure on the resource cannot be measured (the field `why` gives the
			 reason) */
};
extern const char *const slack_kinds[]; /* the last word is NULL */

/* Returns the name of a resource as it is shown. Recordings of earlier versions have "v-loads" for
 * "vector-loads". */
const char *slack_shown(const char *name);

/* A filler: an instruction that keeps one resource busy. */
struct slack_filler {
	unsigned number; /* which fillers (added instructions): see fillers_only() and
			    fillers_mix() */
	char line[64];	 /* the filler as a line of assembly, without the registers' numbers */
	char class[24];	 /* class of the filler's instruction in the core model; "": it has none */
	char second[24]; /* class of the second filler of a mixture; "": there is only one filler */
	double share;	 /* share of the second filler in a mixture, 0 to 1 */
	bool mixes;	 /* the filler can be mixed with another */
	double each; /* cycles for which the filler keeps the resource busy, by the core model */
};

struct slack_resource {
	char name[40];	/* name of the resource: its ports, "alu1 alu2", or "width", "loads",
			   "stores" or "taken" */
	uint32_t ports; /* the ports or units of the resource, a bit for each; 0: the resource is
			   not a set of ports */
	/* Fillers (instructions to add) that keep the resource busy, in the order in which they are
	 * tried. */
	int option_count;
	struct slack_filler option[SLACK_OPTIONS];
	/* The filler (added instruction) with which the values below were measured: its index in
	 * `option`, and its line and cycles. */
	int used;
	char line[64];
	double each;
	double model; /* cycles per iteration for which the loop keeps the resource busy, by the
			 core model */
	/* A mixture of the first option and of fillers for a part of the resource's ports. Some
	 * cores distribute the work of the mixture better over the ports. mixture.share is 0 if the
	 * resource has no mixture. */
	struct slack_filler mixture;
	double count; /* operations per iteration of the loop that need the resource, if the
			 resource is a rate (ports is 0) */
	enum slack_kind kind;
	char why[STATUS_TEXT];
	bool contended; /* true: another process or hyper-thread disturbed most trials, so the
			   values may be wrong */
	double took;	/* measured cycles that one added instruction takes; NAN: unknown */
	double pressure, pressure_lo, pressure_hi; /* measured, cycles per iteration */
	double slack, slack_lo, slack_hi;	   /* number of fillers */
};

/* The micro-ops of one class of instructions, with which judge.c searches for a wrong line of the
 * core model. */
struct slack_class {
	char name[24], where[48]; /* where: file and line of the class in the core model,
				     "zen4.uarch:12" */
	double count;		  /* instructions of the class per iteration of the loop */
	int terms;
	struct uarch_term term[UARCH_TERMS];
};

/* Two fillers (added instructions) of two classes, in equal numbers. Fillers of classes that share
 * ports take longer together than fillers of classes with separate ports. */
struct slack_pair {
	struct slack_filler filler[2];
	double took; /* measured cycles of one filler of the mixture; NAN: not measured */
	double each; /* cycles of one filler of the mixture by the core model; NAN: unknown */
};

struct slack_report {
	struct setting setting;
	uint64_t seed;
	char uarch[UARCH_NAME], title[64]; /* the core model; "": none */
	struct status status;		   /* why nothing can be measured */
	double elements;		   /* number of data elements per iteration */
	double predicted;    /* cycles of an iteration by the core model; 0: unknown */
	double slots, width; /* number of rename slots that an iteration needs, and number of slots
				per cycle */
	double cycles, cycles_lo, cycles_hi; /* cycles of an iteration of the loop without added
						instructions: median and quartiles */
	enum source cycles_from;
	int count;
	struct slack_resource resource[SLACK_RESOURCES];
	int class_count;
	struct slack_class class[SLACK_CLASSES];
	int port_count;
	char port[UARCH_PORTS][12]; /* names of ports and units */
	/* Measurements of two fillers together, with which judge.c decides between lines of the
	 * core model that may be wrong. */
	int pair_count;
	struct slack_pair pair[SLACK_PAIRS];
	/* Text that names the line of the core model that the measured pressure contradicts; "":
	 * none is found. */
	char contradiction[300];
	bool complete, contended;
	double seconds;
	char doing[64]; /* the current measurement */
};

/* ---- Fillers (resources.c, filler_code.c) */

/* Lists the resources of the core that an added instruction can keep busy, with the pressure on
 * each by the core model. If no resource can be measured, report->status gives the reason. */
void fillers_find(
	struct slack_report *report, const struct uarch *uarch, const struct limits_work *work);

/* Returns the pressure on a set of ports by the core model, in cycles per iteration: the work of
 * the loop that only these ports can do. */
double fillers_model(const struct slack_report *report, uint32_t ports);

/* Returns the cycles for which one filler (added instruction) keeps a set of ports busy, and the
 * ports of entry `term` in the micro-ops of its class, by the core model. 0: none. */
double fillers_each(
	const struct slack_report *report, const struct slack_filler *filler, uint32_t ports);
uint32_t fillers_term(
	const struct slack_report *report, const struct slack_filler *filler, int term);

/* Returns a mixture of two fillers of the report. Of each 8 fillers, `share` are the second one. */
struct slack_filler fillers_mixture(
	const struct slack_filler *filler, const struct slack_filler *second, unsigned share);

/* Returns the change of the machine code that adds `count` fillers to each iteration. */
struct code_change fillers_change(unsigned filler, unsigned count);

/* ---- From measurements to values (estimate.c) */

/* A pressure below SLACK_NONE cycles is zero within the measurement error. Two values of a pressure
 * that differ by less than SLACK_NONE are equal within the measurement error. */
#define SLACK_NONE 0.1

/* The added instructions must keep the measured resource busy for longer than they and the loop
 * keep any other resource busy, by this factor. */
#define SLACK_BEYOND 1.15

/* Measured cycles of an iteration with `fillers` added instructions; lo and hi are quartiles. */
struct slack_point {
	double fillers, cycles, lo, hi;
};

/* Computes the certainty, the pressure and the slack of a resource from measurements in which added
 * instructions make the resource the limit. The points are in ascending order of the number of
 * added instructions. Pure. */
void slack_estimate(struct slack_resource *resource, const struct slack_report *report,
	const struct slack_point *point, int count);

/* Sets the slack: the number of added instructions that fit in the cycles for which the loop leaves
 * the resource free. */
void slack_set(struct slack_resource *resource, const struct slack_report *report);

/* Compares the measured pressures on all resources with each other and with the cycles of an
 * iteration. Finds the resources whose measured pressure may be too high, for example because the
 * loop also has operations that only a part of the resource executes. For a resource whose pressure
 * may be too high, the kind becomes SLACK_AT_LEAST, and pressure_lo becomes the pressure that its
 * parts certainly cause. Pure. */
void slack_bound(struct slack_report *report);

/* Finds the line of the core model (a class with its ports) that the measured pressure contradicts
 * (judge.c). A line is found only if other ports for exactly one class of instructions make the
 * model agree with all exact measurements. Pure. */
void slack_judge(struct slack_report *report);

/* Finds the two fillers (added instructions) whose time together decides between several lines of
 * the core model that may be wrong. First, each filler of such a line that was not added alone is
 * paired with itself. If no line seems wrong, finds two fillers that test the line of a class of
 * the loop. Returns false if one line seems wrong, or if no pair decides. Pure. */
bool slack_find_pair(const struct slack_report *report, struct slack_pair *pair);

/* Whether the measured pressure on a resource differs from the pressure by the core model by more
 * than the measurement error. */
bool slack_differs(const struct slack_resource *resource, double model);

/* ---- Measuring (slack.c) */

struct slack;

/* Prepares the measurement of the pressure on each resource, for the setting of the explanation.
 * The explanation and its core model are not used after the call. `seconds` is the time limit: no
 * resource begins after it; 0: each resource is measured once, and measurements that other
 * processes disturbed are repeated for some seconds. */
struct slack *slack_new(const struct setting *setting, const struct explanation *explanation,
	uint64_t seed, double seconds);
/* If the report is complete already, measures only those resources again whose values other
 * processes disturbed, or that differ from the core model. */
void slack_measure(struct slack *slack, const struct measurer *measurer);
const struct slack_report *slack_report(const struct slack *slack);
void slack_free(struct slack *slack);
