/* Measures the core of this machine without counters, and writes its core model. It measures width,
 * latencies, throughputs, slots, ports, store forwarding, caches and windows.
 * data/characterise.x86_64 and data/characterise.aarch64 list the loops. It reads no core file.
 * characterise_measure() measures; views read struct characterise_report. */
#pragma once

#include <stdbool.h>

#include "base/text.h"
#include "experiment/campaign.h"
#include "model/core/uarch.h"
#include "model/measured/measured.h"

struct characterise_options {
	const char *const *classes; /* names of the classes to measure, ended by NULL; "fadd"
				       includes "fadd.512". Facts, ports and caches are then
				       omitted. NULL: measure everything */
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
	struct measured measured;    /* values measured so far */
	struct measured_ports ports; /* set at the end; zero before */
	bool ported;		     /* ports are known */
	char name[24];		     /* of the core model */
	enum source cycles_from;     /* of the last visit */
	int cpu;		     /* the processor of the last visit */
	double done;		     /* 0…1 */
	double seconds;		     /* since the first request */
	bool complete;
	unsigned visits;
	int loops, unmeasured; /* number of loops in finished stages, and loops without a value
				  because the core was never quiet */
	enum characterise_stage stage;
	char doing[64]; /* "latency of fadd.512"; empty: idle */
	struct notes notes;
};

struct characterise;

/* machine must outlive the result. Returns NULL with STATUS_USAGE if a class is unknown or cannot
 * run on this machine. Returns NULL with STATUS_FAILED if the data file is malformed. */
struct characterise *characterise_new(const struct machine *machine,
	const struct characterise_options *options, struct status *status);
void characterise_free(struct characterise *characterise);

/* Measures until all values are known, the time is over, or the measurer stops. */
void characterise_measure(struct characterise *characterise, const struct measurer *measurer);

/* The report so far; owned by `characterise`. */
const struct characterise_report *characterise_report(const struct characterise *characterise);

/* Writes the measured core model as the text of a core file. If uarch is not NULL, it also loads
 * that model. */
struct status characterise_model(
	const struct characterise_report *report, struct text *text, struct uarch **uarch);
