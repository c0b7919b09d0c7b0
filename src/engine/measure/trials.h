/* Trials, and samples: a sample is the summary of the trials of a setting. The functions are pure:
 * they use no clock, no thread and no I/O. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "kernels/kernel.h"

enum { TRIALS_MAX = 600 };

/* Reasons for discarding a trial. A trial is never discarded because of its own cycles per element.
 */
enum trial_fate {
	TRIAL_QUIET = 0, /* the trial is not contended, as far as the watch chain and the watch
			    loops show */
	TRIAL_CONTENDED, /* another thread used the core: the watch chain or a watch loop was slow,
			    or the reference chain was slow compared with the watch chain and loops
			  */
	TRIAL_SWITCHED,	 /* an involuntary context switch happened during the trial */
	TRIAL_MOVED,	 /* the measuring thread moved to another processor during the trial */
	TRIAL_DRIFTED,	 /* the times of the reference chain of dependent instructions before and
			    after the trial differ by over 2 %, or by over 6 % for a long trial */
	TRIAL_BROKEN,	 /* the time for an element was not positive: the clock stepped, or an
			    interrupt hit the shorter timed region */
	TRIAL_FATES
};

/* One trial: one timing of the kernel, compared with the reference chain of known latency. */
struct trial {
	double cpe;  /* core cycles per element in the trial, by the clock in facts.cycles_from */
	double ghz;  /* core clock frequency during the trial, by the clock in facts.cycles_from */
	float check; /* cycles by the reference chain of dependent instructions ÷ cycles by the
			counter; NAN: no counter */
	float watch; /* time of the watch chain (which shows a busy hyper-thread) in the trial ÷ its
			documented time; the inverse if the reference chain itself was slow. The
			ratio for the watch chain is 1 on an undisturbed core; NAN: no watch chain
		      */
	float turns;	/* time of an iteration of the watch loops, or of the window loop if that is
			   slower, divided by its time on an undisturbed core: the higher of the
			   values before and after the trial. NAN: no watch loops */
	float at;	/* seconds since the request began */
	uint8_t fate;	/* the value of an enum trial_fate */
	bool unsettled; /* true: the caches were not in steady state in this trial, so they held
			   other lines than in an endless walk over the data */
	uint8_t place;	/* position of the working set in memory: its offset in units of 2 MiB */
};

struct trials {
	unsigned count;
	/* Numbers of trials removed from a full set, by fate: quiet, or the reason to discard
	 * (trials_make_room()). */
	unsigned forgotten[TRIAL_FATES];
	struct trial trial[TRIALS_MAX]; /* the trials in the order of measurement */
};

/* The source of a value: a clock, a counter or the core model. */
enum source {
	SOURCE_NONE = 0,
	SOURCE_COUNTER = 'C',
	SOURCE_REFERENCE = 'R',
	SOURCE_STEPPED = 'S',
	SOURCE_TIME = 'T',
	SOURCE_MODEL = 'M',
};

/* The name, in files, of the source of a measured value: "counter", "reference", … */
const char *source_name(enum source source);
/* Returns the clock that counted a measurement's cycles, in words: "counted" (by hardware),
 * "reference clock" or "no clock". */
const char *source_of_cycles(enum source source);

/* The conditions (facts) under which the trials were made. */
struct run_facts {
	int cpu;    /* the measured core */
	bool bound; /* true: the worker, the measuring thread, is bound to the measured core */
	enum source cycles_from;
	uint64_t ring, granule; /* number of elements of the kernel's ring of data, and of a
				   granule, the number processed at a time */
	uint64_t bytes;		/* bytes per element that the code itself reads and writes */
	uint64_t footprint;	/* size of the working set, bytes */
	uint64_t call;		/* number of elements in the longer of the two timed calls */
	unsigned calls;		/* number of calls in each timed region */
	bool watched; /* true: a watch chain (a second chain of instructions) detects contention */
	double bend;  /* cycles per element of shorter calls, divided by those of longer calls; 1:
			 the time is on a straight line; 0: not tested */
	/* Cycles per element on the other data of an own loop with random data (knob data), which
	 * are measured next to the trials; 0: not measured. Calls on fresh data get new random
	 * values each time. Calls on repeated data get the same values, whose branches the core's
	 * predictor learns. */
	double cpe_fresh, cpe_repeated;
	bool far; /* true: the working set is larger than the core's own caches, so the sample's
		     value is a mean (struct sample) */
	char pages[16];	      /* page size received: "4k" (or this system's smallest: "16k", "64k"),
				 "huge", "mixed", "unknown" */
	enum page_kind asked; /* page size that the request asked for */
	char pages_note[96];  /* reason why the pages differ from the request; empty: the pages are
				 as requested */
	int nodes;	      /* number of memory nodes; 0 or 1: there is no choice of nodes */
	int node;	    /* the memory node of the working set; -1: unknown, or several nodes */
	char node_note[96]; /* reason why the node differs from the request; empty: the node is as
			       requested */
	int cores; /* number of cores that ran the kernel at once, including the measured core; 0 or
		      1: only the measured core */
	int streams;	    /* number of other cores that streamed through memory */
	double others_gbps; /* 10^9 bytes a second that all load threads together read and wrote; 0:
			       no load threads, or they write to one line with the measured core;
			       NAN: not known (yet) */
	double load; /* processes running or waiting on this machine, mean of the last minute; NAN:
			unknown */
	/* on_cpu: share of the trials' time in which this thread ran on its processor; in the rest,
	 * other threads of the processor, or other guests of the host, ran. With several cores, the
	 * smallest such share of the other cores' threads. NAN: unknown. runnable: number of
	 * threads on this machine that ran or were ready to run right after the trials, with this
	 * thread. NAN: unknown, or other cores ran the kernel too. */
	double on_cpu, runnable;
};

/* The summary of the trials at one setting. The value of a sample is the median of the trials used.
 * If the working set is larger than the core's own caches, the value is the mean without the lowest
 * and highest 2 %. Each trial of a large working set uses other cache lines and meets other
 * interference, and a long loop takes the mean time. For memory reads next to busy cores, the mean
 * differed from the median by up to 10 %. */
struct sample {
	bool valid; /* false: there were no usable trials, and all other fields are 0 */
	double cpe, cpe_lo,
		cpe_hi; /* cycles per element: median (or mean) and quartiles of the trials used */
	unsigned trials, dropped; /* number of trials used, and of trials discarded */
	/* The discarded trials by their reason: contention, a changed core clock, an interruption.
	 * The caches of the other discarded trials were not in steady state. */
	unsigned off_contended, off_clock, off_interrupted;
	double quiet; /* share of quiet trials among quiet and contended trials, 0…1; NAN: unknown
		       */
	bool contended;	  /* true: there are too few quiet trials for a reliable value */
	bool others_away; /* true: the sample is contended, because other threads used the
			     processors of the other cores that took part */
	bool mixed; /* true: contended trials are used too, because there are very few quiet trials
		     */
	bool provisional; /* true: the sample is provisional, because its trials are few and short
			   */
	double seconds;	  /* approximate total time of the trials used */
	double ghz;	  /* median core clock of the trials used */
	double ns;	  /* nanoseconds per element */
	double gbps; /* 10^9 bytes per second read and written by the code; NAN: the code moves no
			bytes */
	double bytes_per_cycle; /* bytes per cycle read and written by the code; NAN: the code moves
				   no bytes */
	double total_gbps;	/* gbps plus the rate of the load threads; NAN: there are no load
				   threads, or their rate is not known yet */
	enum source cycles_from;
	double check; /* median of the field `check` of the trials; NAN: no counter for comparison
		       */
	int modes;    /* number of modes of the trials' values: 2 if they form two separate groups,
			 else 1 */
	double mode_low, mode_high, mode_share_low; /* for two modes: the modes' values, and the
						       share of trials in the lower mode */
	bool unsettled;	 /* true: the times of the trials still drifted at the end, so the value may
			    differ from the value of an endless walk */
	double bend;	 /* see struct run_facts; the sample is not reliable if the time is not on a
			    straight line */
	bool varies;	 /* true: the loop has no one speed: the quartiles are more than
			    SAMPLE_VARIES apart, although nothing disturbed the trials */
	bool bent;	 /* true: the time is not on a straight line, so the value is no time per
			    element of a long loop */
	unsigned places; /* number of positions of the working set in memory with enough trials; 0
			    or 1: one position */
	double place_lo, place_hi; /* for several positions in memory: lowest and highest median,
				      cycles per element */
};

/* QUIET_ENOUGH: a sample with at least this many quiet trials is quiet. QUIET_USABLE: a sample with
 * fewer quiet trials than this uses contended trials too. TRIALS_SETTLED: a sample with fewer
 * trials than this is provisional. */
enum { QUIET_ENOUGH = 25, QUIET_USABLE = 10, TRIALS_SETTLED = 25 };

/* A sample of long trials, such as whole matrix products, is not provisional if its trials last
 * this many seconds together. */
#define SECONDS_SETTLED 0.05

/* A sample varies if its quartiles differ by more than this share of the value. Of 568 quiet
 * samples of 128 own loops on Golden Cove, 2 % are such; the value of most of these differs between
 * two measurements by as much. Samples of working sets beyond the core's own caches are means, and
 * never vary. */
#define SAMPLE_VARIES 0.1

struct clock;

/* The `watch` value (struct trial) of a watch chain of TRIAL_WATCH_LINKS dependent instructions.
 * The parameter `ticks` is the measured time of the watch chain (which shows a busy hyper-thread).
 * The parameter `cycle` is the time of a core cycle by the reference chain of dependent
 * instructions, ticks. */
enum { TRIAL_WATCH_LINKS = 12288 };
float trial_watch(const struct clock *clock, double ticks, double cycle);

/* Separates quiet trials from contended trials. Trials are separated by the median watch value of
 * five trials: contention lasts much longer than a trial, and one reading has an error of about 1
 * %. */
void trials_classify(struct trials *trials);

/* Returns the `turns` value (time of the watch loops, which show a busy hyper-thread) of the
 * fastest trials for clock_learn(), and sets *ghz to the core clock (0.9 quantile). NAN: too few
 * trials. */
double trials_best_turns(const struct trials *trials, double *ghz);

/* Reduces trials to a sample. The struct of facts about the run supplies the bytes, the clock
 * source, and whether there is a watch chain (which shows a busy hyper-thread). */
void sample_summarise(
	const struct trials *trials, const struct run_facts *facts, struct sample *sample);

/* If an own loop takes more than this share longer on fresh data than on repeated data, the branch
 * predictor has learnt the repeated data. */
#define SAMPLE_LEARNT 0.05

/* The same share if other threads used the core: then each of the two values may be twice too
 * large. */
#define SAMPLE_SHARED 1.0

/* Whether the branch predictor has learnt the repeated data of an own loop. If the predictor has
 * learnt the data, *repeated and *fresh receive the cycles per element on repeated and on fresh
 * data. */
bool sample_learnt(const struct sample *sample, const struct run_facts *facts, double *repeated,
	double *fresh);

/* Returns why a sample's value is not reliable: "contended", "not settled", "not linear", "varies",
 * "provisional"; NULL: it is reliable. Only reliable values may be inputs to limits, plateaus and
 * comparisons. Static text.
 */
const char *sample_doubt(const struct sample *sample);

/* Whether the work of an own loop may grow faster than n: of calls of a quarter, half and all of
 * the elements, each takes much longer for an element than the one before. Then a larger n is no
 * remedy. Calls whose data leave a cache look alike. */
bool sample_grows(const struct sample *sample);

/* Returns whether the values of two samples differ by less than their spread: their quartiles
 * overlap. */
bool sample_overlap(const struct sample *a, const struct sample *b);

/* Two samples whose quartiles overlap are called equal up to this difference. The quartiles of
 * contended values can be so wide that values overlap that differ by far. */
#define SAMPLE_EQUAL_WITHIN 0.1

/* Replaces the facts about a run by those of a newer measurement of the same setting. The parameter
 * `visits` is the number of earlier measurements of the setting. The fact others_gbps becomes the
 * mean over the measurements with a known value; cpe_fresh and cpe_repeated become the lowest. */
void facts_renew(struct run_facts *facts, const struct run_facts *newer, unsigned visits);

/* Converts a trial from cycles of the hardware counter to cycles of the reference chain of
 * dependent instructions. A trial without counted cycles is not converted. */
void trial_uncount(struct trial *trial);

/* Appends `from` to `into`. trials_append() removes older trials first if `into` is full. */
void trials_append(struct trials *into, const struct trials *from);

/* The number of quiet (undisturbed) trials in steady state. */
unsigned trials_quiet(const struct trials *trials);

/* The probable relative error of the median: half of all repetitions would have a smaller error.
 * For normally distributed trials, the standard error of the median is sqrt(pi / 2) sigma /
 * sqrt(n). The quartile range of a normal distribution is 1.349 sigma. Half of all normally
 * distributed errors are smaller than 0.6745 standard errors. The probable error of the median is
 * 0.627 * quartile range / sqrt(n). */
double sample_precision(const struct sample *sample);

/* Makes room in a full set of trials by removing some. To make room, removes every trial that is
 * not quiet, or the older half of the trials if most trials are quiet. Always keeps the newest
 * quarter. After trials are removed, at least a quarter of the set is free. */
void trials_make_room(struct trials *trials);
