/* Characterising: the running core's width, latencies, throughputs, what executes beside what,
 * forwarding, caches and windows, measured without counters through ordinary requests, and the core
 * model that follows. What is measured is data: data/characterise.x86_64,
 * data/characterise.aarch64. Nothing comes from a core's file.
 *
 * characterise_measure() measures, and whoever shows it reads struct characterise_report alone. */
#ifndef SLX_EXPERIMENT_CHARACTERISE_CHARACTERISE_H
#define SLX_EXPERIMENT_CHARACTERISE_CHARACTERISE_H

#include <stdbool.h>

#include "base/text.h"
#include "experiment/measurer.h"
#include "model/core/uarch.h"
#include "model/measured/measured.h"

struct characterise_options {
	const char *const
		*classes; /* names, ended by NULL: these alone ("fadd" stands for "fadd.512" too),
			     without facts, ports and caches; NULL: all */
	bool quick;	  /* one visit each, and no ports */
	double seconds;	  /* time to keep to; 0: its own */
	uint64_t seed;
};

enum { CHARACTERISE_NOTES = 16 };

/* What is under way. */
enum characterise_stage {
	CHARACTERISE_CLASSES, /* latencies, throughputs, facts */
	CHARACTERISE_SLOTS,   /* what each takes of the width */
	CHARACTERISE_CACHES,
	CHARACTERISE_WINDOWS,
	CHARACTERISE_PORTS, /* what executes beside what */
	CHARACTERISE_STAGES
};

extern const char *const characterise_stage_names[]; /* ended by NULL */

struct characterise_report {
	const struct machine *machine;
	struct measured measured;    /* so far */
	struct measured_ports ports; /* of the finished one; all zero before */
	bool ported;		     /* ports are there */
	char name[24];		     /* of the core model */
	enum source cycles_from;     /* of the last visit, and */
	int cpu;		     /* its core */
	double done;		     /* 0…1 */
	double seconds;		     /* since the first request */
	bool complete;
	unsigned visits;
	int loops, unmeasured; /* that finished stages wanted; of them, those in which the core was
				  never quiet */
	enum characterise_stage stage;
	char doing[64]; /* "latency of fadd.512"; empty: nothing */
	int note_count;
	char note[CHARACTERISE_NOTES][200];
};

struct characterise;

/* machine must be known, and is borrowed. STATUS_USAGE: no class of such a name, or none of them
 * can run here; STATUS_FAILED: the data file is malformed. NULL then. */
struct characterise *characterise_new(const struct machine *machine,
	const struct characterise_options *options, struct status *status);
void characterise_free(struct characterise *characterise);

/* Measures, until everything is there, the time is up or the measurer stops. */
void characterise_measure(struct characterise *characterise, const struct measurer *measurer);

/* Always there, as far as measured; owned by the machine. */
const struct characterise_report *characterise_report(const struct characterise *characterise);

/* The core model of what was measured: the text of its file, and (uarch may be NULL) what reading
 * that gives. */
struct status characterise_model(
	const struct characterise_report *report, struct text *text, struct uarch **uarch);

#endif
