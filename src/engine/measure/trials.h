/* Trials, and the sample that they are reduced to. Pure: no clock, no thread, no I/O. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "kernels/kernel.h"

enum { TRIALS_MAX = 600 };

/* Why a trial does not count. Its own CPE is never a reason. */
enum trial_fate {
	TRIAL_QUIET = 0, /* the watch distinguishes quiet trials from contended ones */
	TRIAL_CONTENDED, /* another thread used the core: the watch chain or loop was slow, or the
			    reference chain was slow against them */
	TRIAL_SWITCHED,	 /* an involuntary context switch happened in it */
	TRIAL_MOVED,	 /* it ran on more than one processor */
	TRIAL_DRIFTED, /* the reference chain before and after differ by over 2 %, or 6 % where the
			  trial itself lasts long */
	TRIAL_BROKEN,  /* a slope was not positive: the clock stepped, or an interrupt hit the
			  shorter region */
	TRIAL_FATES
};

/* One timed comparison of kernel against reference chain. */
struct trial {
	double cpe;  /* core clock cycles per element, by the clock that facts.cycles_from names */
	double ghz;  /* core clock during the trial, by the same */
	float check; /* cycles by the reference chain ÷ cycles counted; NAN: no counter */
	float watch; /* watch chain ÷ its documented time by the reference chain; the inverse where
			the reference chain itself was slow. 1 on an undisturbed core; NAN: none */
	float turns; /* cycles of a turn of the watch loop, the higher of before and after; 1 on an
			undisturbed core; NAN: none */
	float at;    /* seconds since the request began */
	uint8_t fate;	/* enum trial_fate */
	bool unsettled; /* the walk was not in steady state: the caches still held earlier data */
	uint8_t place;	/* placement of the working set in memory, in 2 MiB from the first */
};

struct trials {
	unsigned count;
	/* Trials removed when the set was full, by fate: in a contended spell those that the sample
	 * does not use are removed first. */
	unsigned forgotten[TRIAL_FATES];
	struct trial trial[TRIALS_MAX]; /* in the order they were made */
};

/* The source of a number. */
enum source {
	SOURCE_NONE = 0,
	SOURCE_COUNTER = 'C',
	SOURCE_REFERENCE = 'R',
	SOURCE_STEPPED = 'S',
	SOURCE_TIME = 'T',
	SOURCE_MODEL = 'M',
};

/* The word for a source in files: "counter", "reference", … */
const char *source_name(enum source source);

/* The conditions of the trials. */
struct run_facts {
	int cpu;    /* the core that was measured */
	bool bound; /* whether the worker could be bound to it */
	enum source cycles_from;
	uint64_t ring, granule; /* elements */
	uint64_t bytes;		/* per element, read and written by the code itself */
	uint64_t footprint;	/* working set, bytes */
	uint64_t call;		/* elements in the longer of the two timed calls */
	unsigned calls;		/* calls in each timed region */
	bool watched;		/* whether a watch chain shows contention here */
	bool far;	/* the working set is larger than the core's own caches: its value is a mean
			   (struct sample) */
	char pages[16]; /* pages received: "4k" (or the smallest here: "16k", "64k"), "huge",
			   "mixed", "unknown" */
	enum page_kind asked; /* pages asked for */
	char pages_note[96];  /* why they differ from the request; empty: they do not */
	int nodes;	      /* memory nodes; 0 or 1: nothing to choose */
	int node;	      /* the node of the memory; -1 unknown, or several */
	char node_note[96];   /* why it differs from the request; empty: it does not */
	int cores; /* cores that ran the kernel at once, the measured one included; 0 or 1: it alone
		    */
	int streams;	    /* other cores that streamed through memory */
	double others_gbps; /* 10^9 bytes a second that these others read and wrote in that time,
			       all together; 0: there were none; NAN not known (yet) */
	double load; /* processes that ran or waited on this machine, mean of the last minute; NAN:
			unknown */
};

/* The summary of trials at one setting. Its value is the median of the trials used; beyond the
 * core's own caches it is their mean without the lowest and the highest 2 %. There each trial meets
 * other lines and other moments of its neighbours: what a long loop takes is the mean, which lay up
 * to 10 % from the median (reads of memory next to busy cores). */
struct sample {
	bool valid; /* false: nothing could be measured; the rest is 0 */
	double cpe, cpe_lo,
		cpe_hi;		  /* median (or mean, see above) and quartiles of the trials used */
	unsigned trials, dropped; /* used, and not used */
	double quiet; /* share of quiet trials among quiet and contended ones, 0…1; NAN unknown */
	bool contended;	  /* too few quiet trials for a sure value */
	bool mixed;	  /* so few that contended trials are used too */
	bool provisional; /* few and short trials */
	double seconds;	  /* that the trials used lasted, about */
	double ghz;	  /* median core clock of the trials used */
	double ns;	  /* nanoseconds per element */
	double gbps;	  /* 10^9 bytes per second read and written by the code; NAN: moves none */
	double bytes_per_cycle; /* likewise */
	double total_gbps;	/* gbps and the bytes of others; NAN: it ran alone, or that is
				   not known (yet) */
	enum source cycles_from;
	double check; /* median of the trials' check; NAN: there is no counter to compare with */
	int modes;    /* 1, or 2 when the trials fall into two separate groups */
	double mode_low, mode_high, mode_share_low; /* of two modes */
	bool unsettled;	 /* the trials still drifted at the end: the value may differ from that of
			    endless walking */
	unsigned places; /* placements in memory with enough trials; 0 or 1: one */
	double place_lo, place_hi; /* of several: the lowest and the highest median of one
				      placement, cycles per element */
};

/* The fewest quiet trials of a quiet sample; of a value without contended trials; the fewest trials
 * of a value that is more than provisional. */
enum { QUIET_ENOUGH = 25, QUIET_USABLE = 10, TRIALS_SETTLED = 25 };

/* Of long trials (a whole matrix product each) fewer are enough: this many seconds of them. */
#define SECONDS_SETTLED 0.05

struct clock;

/* The value of a trial's watch chain of so many links (struct trial) from its ticks, and those of a
 * cycle by the reference chain. */
enum { TRIAL_WATCH_LINKS = 12288 };
float trial_watch(const struct clock *clock, double ticks, double cycle);

/* Distinguishes quiet trials from contended ones by the watch chain, smoothed over five: spells of
 * contention last much longer than a trial, and one reading is good to about 1 % only. */
void trials_classify(struct trials *trials);

/* What the watch loops took at their best in these trials, for clock_learn(), and the median core
 * clock; NAN when there are too few. */
double trials_best_turns(const struct trials *trials, double *ghz);

/* Reduces trials to a sample. facts give bytes, source and whether there is a watch chain. */
void sample_summarise(
	const struct trials *trials, const struct run_facts *facts, struct sample *sample);

/* Why a sample's value is not sure: "contended", "not settled", "provisional"; NULL: it is sure.
 * Only sure values may be inputs to limits, plateaus and comparisons. Static text. */
const char *sample_doubt(const struct sample *sample);

/* Replaces the facts by those of a newer visit to the same setting, after `visits` earlier ones.
 * others_gbps becomes the mean of the visits in which it is known. */
void facts_renew(struct run_facts *facts, const struct run_facts *newer, unsigned visits);

/* Converts a trial by counted cycles to the reference chain; other trials do not change. */
void trial_uncount(struct trial *trial);

/* Appends `from` to `into`; makes room first when it is full. */
void trials_append(struct trials *into, const struct trials *from);

/* Quiet trials in steady state. */
unsigned trials_quiet(const struct trials *trials);

/* How far, relatively, half of all repetitions would find the median from its true place. For
 * normally spread trials the median's standard error is sqrt(pi / 2) sigma / sqrt(n), the quartile
 * range is 1.349 sigma, and quartiles lie 0.6745 standard errors out: 0.627 * quartile range /
 * sqrt(n). */
double sample_precision(const struct sample *sample);

/* Makes room in a full set: removes every trial that is not quiet, or the older half when most are
 * quiet; keeps the newest quarter. At least a quarter of the set is free afterwards. */
void trials_make_room(struct trials *trials);
