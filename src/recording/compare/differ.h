/* The differences between measured values: of two sides, A and B, or among many hosts. Pure: reads
 * struct compared (compared.h), measures nothing, prints nothing. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "base/differences.h"
#include "recording/compare/compared.h"

/* One quantity measured on one side (A or B) or on one host: the median of its runs, with
 * quartiles. With fewer than five runs, lo is the lowest quartile of any run, and hi the highest.
 */
struct differ_value {
	int runs; /* number of values; 0: the quantity was not measured */
	double value, lo, hi;
	double least, most; /* the lowest and the highest value of all runs */
	bool contended;	    /* at least half of the runs were contended */
};

/* The conditions of measurement, such as load and microcode: of side A or B, of a host, or of the
 * typical host of a processor model. */
struct differ_facts {
	unsigned runs, probes, samples;
	unsigned huge;		       /* number of samples that asked for huge pages */
	const char *model;	       /* name of the processor; NULL: unknown */
	const char *uarch, *microcode; /* "": unknown */
	/* Shares from 0 to 1: contended samples; quiet trials; samples that asked for huge pages
	 * and got smaller ones. */
	double contended, quiet, small;
	unsigned watched; /* number of samples that state the share of quiet trials */
	double load;	  /* highest load average */
	unsigned shares;  /* number of samples that state on_cpu and busy */
	double on_cpu;	  /* share of the elapsed time on the processor; 1: unknown */
	double busy;	  /* mean number of busy processors, with the measured one; 1: unknown */
	double drop;	  /* largest factor by which latency falls along a probe's curve; see struct
			     compared_source */
	double l3_bytes;  /* size of L3 that the machine states (not a measured size); 0: unknown */
};

/* The possible causes of a difference, one bit each. */
enum differ_cause {
	CAUSE_CLOCK,	 /* the core clock is lower */
	CAUSE_PAGES,	 /* huge pages are not available */
	CAUSE_NEIGHBOUR, /* another program or hyper-thread uses the core */
	CAUSE_PREEMPTED, /* another process runs on the same processor, in turn */
	CAUSE_BUSY,	 /* other processors are busy, and share L3 and memory */
	CAUSE_L3,	 /* a smaller share of L3 */
	CAUSE_MICROCODE,
	CAUSE_PROCESSOR, /* the processors, or their core models, are different */
	CAUSE_BEYOND,	 /* only values of L3, memory and the clock differ */
	CAUSE_DISTURBED, /* other programs disturbed the measurement itself */
	CAUSE_ONCE,	 /* chance, because each run measures the values only once */
	DIFFER_CAUSES
};

/* The causes that come from other programs, and end with them. */
#define CAUSES_OF_OTHERS (1u << CAUSE_NEIGHBOUR | 1u << CAUSE_PREEMPTED | 1u << CAUSE_BUSY)

/* The name of each cause of a difference in JSON records, such as "clock". */
extern const char *const differ_cause_names[DIFFER_CAUSES];

/* ---- Two sides */

enum differ_verdict { DIFFER_EQUAL, DIFFER_DIFFERS, DIFFER_UNSURE, DIFFER_ONLY_A, DIFFER_ONLY_B };

extern const char *const differ_verdict_names[]; /* "equal", "differs" … */

struct differ_row {
	int quantity;
	struct differ_value a, b;
	double ratio;  /* B divided by A; NAN: only one side measured the quantity */
	double room;   /* largest change (a share of A's value) that the ranges of A and B explain;
			  NAN: only one side measured the quantity, or it is a condition */
	double chance; /* corrected probability that chance explains the difference; NAN: too few
			  runs and trials for a test */
	enum differ_verdict verdict;
};

/* A comparison of two sides, or of one host on two sides. */
struct differ_pair {
	int host; /* index of the compared host; -1: all hosts of A are compared with all hosts of B
		   */
	struct differ_facts a, b;
	unsigned a_causes, b_causes; /* possible causes (bits of enum differ_cause): why A is
					slower, and why B is */
	struct differ_row *row;	     /* rows that differ come first, the largest effect on top */
	int count, verdicts[DIFFER_ONLY_B + 1];
	int equal_conditions; /* number of conditions (differ_condition()) with the verdict
				 DIFFER_EQUAL */
};

struct differ_pairs {
	struct differ_pair *pair;
	int count;
};

/* Compares the measured values of side 0 (A) with those of side 1 (B). If both sides have hosts in
 * common, each common host is compared with itself; other hosts are left out, and their number goes
 * to *left_out. Otherwise all hosts of a side are compared together. */
struct differ_pairs differ_pairs(const struct compared *compared, int *left_out);
void differ_pairs_free(struct differ_pairs *pairs);

/* ---- Many hosts */

/* An unusual value: a unit (a host, or a file if all files have one host) differs in one quantity
 * from its processor model. */
struct differ_odd {
	int unit, model, quantity;
	struct differ_value value;
	double median, ratio; /* median: of the values of all units with this processor model;
				 ratio: the unit's value divided by the median */
	double deviations; /* distance of the unit's value from the median, in units of the median
			      absolute deviation */
};

/* The distribution of one quantity over all units (hosts or files) with one processor model. */
struct differ_spread {
	int model, quantity;
	int units;
	double median, lo, hi, least, most;
	int least_unit, most_unit, odd;
};

struct differ_unit {
	int model;
	int next; /* the next unit of the same processor model; -1: none */
	struct differ_facts facts;
	unsigned causes; /* bits of enum differ_cause */
	bool rare;	 /* true: at most one other unit (host or file) has this processor */
	/* Other programs disturbed the few measurements of this unit, or each run measured a value
	 * only once; this explains all its unusual values. Another measurement decides whether the
	 * unit differs. */
	bool disturbed;
	int odd_first, odd_count; /* place in differ_fleet.odd */
};

struct differ_fleet {
	bool by_file; /* units are files, not hosts */
	int unit_count, model_count;
	int measured;		      /* number of units with records; a file may have none */
	struct differ_unit *unit;     /* one entry for each host or file */
	struct differ_facts *usual;   /* the typical conditions of each processor model */
	int *units_of;		      /* number of units (hosts or files) of each processor model */
	int *first_of;		      /* the first unit of each processor model; -1: none */
	struct differ_spread *spread; /* sorted by processor model, then by the order in which the
					 quantities were first read */
	int spread_count;
	struct differ_odd *odd; /* unusual values, sorted by unit (host or file), then by effect,
				   largest first */
	int odd_count;
	/* Indices of the units (hosts or files) with unusual values: first `order_count` units that
	 * differ from their model, then `disturbed_count` units to measure again. In both groups,
	 * the largest effect comes first. */
	int *order;
	int order_count, disturbed_count;
};

/* Groups the units by processor model and finds those that differ from their model. The comparison
 * needs at least DIFFER_LEAST units (hosts or files) of a processor model. */
enum { DIFFER_LEAST = 5 };
struct differ_fleet differ_fleet(const struct compared *compared, bool by_file);
void differ_fleet_free(struct differ_fleet *fleet);

/* Whether a processor model has enough units to find one that differs. */
bool differ_fleet_judged(const struct differ_fleet *fleet);

/* Whether only one of several units with the same processor model has the quantity. */
bool differ_spread_alone(const struct differ_fleet *fleet, const struct differ_spread *spread);

/* Returns the largest relative difference, |ratio - 1|, of all quantities that differ; 0: no
 * quantity differs. Hosts to measure again do not count. INFINITY: a host has another processor. */
double differ_pairs_most(const struct differ_pairs *pairs);
double differ_fleet_most(const struct differ_fleet *fleet);

/* ---- Shared by the files differ*.c */

/* Reduces one quantity's values from several runs to their median and range. Changes the order of
 * `values`. */
struct differ_value differ_reduce(const struct compared_value **values, size_t count);

/* Adds the facts (load, microcode, contended samples) of a source to sums, which
 * differ_facts_mean() then divides. */
void differ_facts_add(struct differ_facts *facts, const struct compared *compared, int source);
void differ_facts_mean(struct differ_facts *facts);

/* Returns the least difference between two values of a condition of the measurement, such as the
 * share of quiet trials, where `usual` is the usual value; 0: the quantity is a measured value. */
double differ_condition(const struct compared_quantity *quantity, double usual);

/* Returns the possible causes why a machine is slower than the usual machine, from the facts of
 * both, such as their load. */
unsigned differ_causes(const struct differ_facts *facts, const struct differ_facts *usual);

/* Returns the possible causes of a difference that one differing quantity shows, such as a lower
 * clock. `ratio` is the value divided by the usual value. */
unsigned differ_cause_of(const struct compared_quantity *quantity, double ratio);

/* Returns whether a machine with `ratio` times the usual value is slower than usual: a longer time,
 * more busy processors, a lower rate, or a smaller cache. */
bool differ_is_slower(const struct compared_quantity *quantity, double ratio);
