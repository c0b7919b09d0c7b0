/* Measures the pressure on the resources of a core without counters. A resource is a set of
 * execution ports, a unit, the rename width, or the rate of loads, stores or taken branches.
 *
 * The program adds micro-ops that only one resource executes, the fillers, to the loop. With enough
 * fillers, the resource limits the loop, and the cycles of an iteration are the pressure of the
 * loop plus the time of the fillers. The pressure is the time for which the loop itself keeps the
 * resource busy. The slack is the number of fillers at which an iteration begins to take longer. */
#pragma once

#include <stdbool.h>

#include "experiment/campaign.h"
#include "experiment/setting/setting.h"
#include "model/limits/explain.h"

/* SLACK_RESOURCES: largest number of resources of a core. SLACK_CLASSES: largest number of classes
 * of instructions in a loop and its fillers. SLACK_OPTIONS: largest number of fillers to try for
 * one resource. */
enum { SLACK_RESOURCES = 28, SLACK_CLASSES = 96, SLACK_OPTIONS = 3 };

/* How well a value of a resource is known. */
enum slack_kind {
	SLACK_WAITS,	 /* the resource is not measured yet */
	SLACK_EXACT,	 /* each filler took the time that the core model states */
	SLACK_AT_LEAST,	 /* the loop did not become slower, so the slack is at least this large */
	SLACK_AMBIGUOUS, /* the fillers took another time, so the resource may have other ports */
	SLACK_FAILED,	 /* the resource cannot be measured (the field `why` gives the reason) */
};
extern const char *const slack_kinds[]; /* the last word is NULL */

/* A filler of one resource. */
struct slack_filler {
	unsigned number; /* its number in the table of fillers */
	char line[32];	 /* its line of assembly, without the registers' numbers */
	char class[24];	 /* its class in the core model; "": it has none */
	double each;	 /* cycles for which it occupies the resource, by the core model */
};

struct slack_resource {
	char name[40];	/* the ports, "alu1 alu2", or one of "width", "loads", "stores", "taken" */
	uint32_t ports; /* the ports or units, a bit for each; 0: the resource is not a set of ports
			 */
	/* Fillers that occupy the resource, in the order in which they are tried. */
	int option_count;
	struct slack_filler option[SLACK_OPTIONS];
	/* The filler that gave the values below: its index in `option`, and its line and cycles. */
	int used;
	char line[32];
	double each;
	double model; /* cycles per iteration for which the loop occupies the resource, by the core
			 model */
	enum slack_kind kind;
	char why[STATUS_TEXT];
	bool contended; /* too few trials were quiet, so the values may be wrong */
	double took;	/* measured cycles of one filler; NAN: unknown */
	double pressure, pressure_lo, pressure_hi; /* measured, cycles per iteration */
	double slack, slack_lo, slack_hi;	   /* number of fillers */
};

/* Work of one class of instructions, for the search for a wrong line of the core model. */
struct slack_class {
	char name[24], where[48]; /* where: file and line of the class, "zen4.uarch:12" */
	double count;		  /* instructions of the class per iteration of the loop */
	int terms;
	struct uarch_term term[UARCH_TERMS];
};

struct slack_report {
	struct setting setting;
	uint64_t seed;
	char uarch[UARCH_NAME], title[64];   /* the core model; "": none */
	struct status status;		     /* why nothing can be measured */
	double elements;		     /* number of data elements per iteration */
	double slots, width;		     /* rename slots of an iteration, and per cycle */
	double cycles, cycles_lo, cycles_hi; /* of an iteration of the loop without fillers */
	enum source cycles_from;
	int count;
	struct slack_resource resource[SLACK_RESOURCES];
	int class_count;
	struct slack_class class[SLACK_CLASSES];
	int port_count;
	char port[UARCH_PORTS][12]; /* names of ports and units */
	/* The line of the core model that the measured pressure contradicts; "": none is found. */
	char contradiction[300];
	bool complete, contended;
	double seconds;
	char doing[64]; /* the current measurement */
};

/* ---- Fillers (fillers.c) */

/* Fills in the resources of the core for which a filler exists, with the pressure by the core
 * model. report->status says why there are none. */
void fillers_find(
	struct slack_report *report, const struct uarch *uarch, const struct limits_work *work);

/* The pressure of a resource by the core model, in cycles per iteration: the work that only its
 * ports can do. */
double fillers_model(const struct slack_report *report, uint32_t ports);

/* The cycles for which one filler occupies a set of ports, and the ports of term number `term` of
 * its class, by the core model. 0: none. */
double fillers_each(
	const struct slack_report *report, const struct slack_filler *filler, uint32_t ports);
uint32_t fillers_term(
	const struct slack_report *report, const struct slack_filler *filler, int term);

/* Returns the change of the machine code that adds `count` fillers to each iteration. */
struct code_change fillers_change(unsigned filler, unsigned count);

/* ---- Measuring (slack.c) */

/* Cycles of an iteration with `fillers` fillers; lo and hi are quartiles. */
struct slack_point {
	double fillers, cycles, lo, hi;
};

/* Computes the kind, the pressure and the slack of a resource from points with so many fillers that
 * the resource limits the loop, in ascending order. Pure. */
void slack_estimate(struct slack_resource *resource, const struct slack_report *report,
	const struct slack_point *point, int count);

/* Finds the line of the core model that the measured pressure contradicts (judge.c). The line is
 * that of the only class of instructions whose ports could differ so that all exact values agree.
 * Pure. */
void slack_judge(struct slack_report *report);

/* Whether a measured pressure differs from that of the core model by more than its own error. */
bool slack_differs(const struct slack_resource *resource, double model);

struct slack;

/* Begins the measurement for the setting of the explanation. The explanation and its core model are
 * not used after the call. `seconds` is the time limit for measuring contended resources again; 0:
 * the default of some seconds. */
struct slack *slack_new(const struct setting *setting, const struct explanation *explanation,
	uint64_t seed, double seconds);
void slack_measure(struct slack *slack, const struct measurer *measurer);
const struct slack_report *slack_report(const struct slack *slack);
void slack_free(struct slack *slack);
