/* Measures the core of this machine without hardware counters, and writes a core model. The
 * measurement covers width, latencies, throughputs, rename slots, ports, store forwarding, caches
 * and windows (buffer sizes). data/characterise.x86_64 and data/characterise.aarch64 list the
 * measured loops. The measurement reads no core file. characterise_measure() measures; views read
 * struct characterise_report. */
#pragma once

#include <stdbool.h>

#include "base/text.h"
#include "experiment/campaign.h"
#include "model/core/uarch.h"
#include "model/measured/measured.h"

struct characterise_options {
	const char *const
		*classes; /* names of the instruction classes to measure, ended by NULL;
			     "fadd" includes "fadd.512". If class names are given, facts about the
			     core, ports and caches are not measured. NULL: measure everything */
	bool quick;	  /* true: measure each loop only once, and do not measure ports */
	double seconds;	  /* time limit in seconds; 0: the default time */
	uint64_t seed;
};

/* The stages of the measurement. */
enum characterise_stage {
	CHARACTERISE_CLASSES, /* stage of the measurement: latencies and throughputs of instruction
				 classes, and facts about the core */
	CHARACTERISE_SLOTS,   /* stage of the measurement: rename slots of each instruction class */
	CHARACTERISE_CACHES,
	CHARACTERISE_WINDOWS,
	CHARACTERISE_PORTS, /* stage of the measurement: ports, measured with loops that mix
			       instruction classes */
	CHARACTERISE_STAGES
};

struct characterise_report {
	const struct machine *machine;
	struct measured measured;    /* values of the core measured so far */
	struct measured_ports ports; /* ports of the classes, set at the end of the measurement */
	bool ported;		     /* true if the core's ports are known */
	bool all_mixes; /* true if no further mix of classes tells more about the ports; false: the
			   ports are a guess */
	char name[24];	/* name of the measured core model */
	enum source cycles_from; /* source of the cycles (counter or clock) in the last measurement
				    of a loop */
	int cpu;	/* number of the processor that ran the last measurement of a loop */
	double done;	/* progress, from 0 to 1 */
	double seconds; /* seconds since the first request */
	bool complete;
	unsigned visits;
	int loops, unmeasured; /* number of loops in finished stages, and number of loops without a
				  value because the core was never quiet */
	enum characterise_stage stage;
	char doing[64]; /* the current measurement, such as "latency of fadd.512"; empty: nothing is
			   measured */
	struct notes notes;
};

struct characterise;

/* The struct machine given must outlive the result. Returns NULL with STATUS_USAGE if an
 * instruction class is unknown or cannot run on this machine. Returns NULL with STATUS_FAILED if
 * the data file with the loops to measure is malformed. */
struct characterise *characterise_new(const struct machine *machine,
	const struct characterise_options *options, struct status *status);
/* Returns a new measurement of a core's properties, which takes over the trials of an ended
 * measurement of the same core. The new measurement of a core measures only loops that have no
 * precise value yet. After characterise_go_on(), the caller may only free the ended measurement. */
struct characterise *characterise_go_on(struct characterise *before);
void characterise_free(struct characterise *characterise);

/* Measures until all values are known, the time is over, or the measurer stops. */
void characterise_measure(struct characterise *characterise, const struct measurer *measurer);

/* Returns the report so far, which belongs to `characterise`. */
const struct characterise_report *characterise_report(const struct characterise *characterise);

/* Writes the measured core model as the text of a core file. If `uarch` is not NULL,
 * characterise_model() also loads the model into *uarch. */
struct status characterise_model(
	const struct characterise_report *report, struct text *text, struct uarch **uarch);
