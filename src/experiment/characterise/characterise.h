/* Measures the core of this machine without counters: width, latencies, throughputs, slots, ports,
 * store forwarding, caches and windows; then writes its core model. data/characterise.x86_64 and
 * data/characterise.aarch64 list the loops. No core file is read. characterise_measure() measures;
 * views read struct characterise_report. */
#pragma once

#include <stdbool.h>

#include "base/text.h"
#include "experiment/campaign.h"
#include "model/core/uarch.h"
#include "model/measured/measured.h"

struct characterise_options {
	const char *const *classes; /* names, ended by NULL ("fadd" includes "fadd.512"): only
				       these, without facts, ports and caches; NULL: all */
	bool quick;		    /* one visit for each loop, no ports */
	double seconds;		    /* time limit; 0: default */
	uint64_t seed;
};

/* The stages of the measurement. */
enum characterise_stage {
	CHARACTERISE_CLASSES, /* latencies, throughputs, facts */
	CHARACTERISE_SLOTS,   /* rename slots of each class */
	CHARACTERISE_CACHES,
	CHARACTERISE_WINDOWS,
	CHARACTERISE_PORTS, /* ports, from mixes of classes */
	CHARACTERISE_STAGES
};

struct characterise_report {
	const struct machine *machine;
	struct measured measured;    /* so far */
	struct measured_ports ports; /* when finished; all zero before */
	bool ported;		     /* ports are known */
	char name[24];		     /* of the core model */
	enum source cycles_from;     /* of the last visit */
	int cpu;		     /* its core */
	double done;		     /* 0…1 */
	double seconds;		     /* since the first request */
	bool complete;
	unsigned visits;
	int loops, unmeasured; /* loops of finished stages; loops without a value because the core
				  was never quiet */
	enum characterise_stage stage;
	char doing[64]; /* "latency of fadd.512"; empty: idle */
	struct notes notes;
};

struct characterise;

/* machine must outlive the result. NULL with STATUS_USAGE: unknown class, or no class can run here;
 * with STATUS_FAILED: the data file is malformed. */
struct characterise *characterise_new(const struct machine *machine,
	const struct characterise_options *options, struct status *status);
void characterise_free(struct characterise *characterise);

/* Measures until all is known, the time is over or the measurer stops. */
void characterise_measure(struct characterise *characterise, const struct measurer *measurer);

/* The report so far; owned by `characterise`. */
const struct characterise_report *characterise_report(const struct characterise *characterise);

/* Writes the measured core model as the text of a core file, and (if uarch is not NULL) reads it.
 */
struct status characterise_model(
	const struct characterise_report *report, struct text *text, struct uarch **uarch);
