/* The probe measures a machine's memory hierarchy in a few seconds, in many short measurements
 * (visits). The probe measures latency over working-set size with both kinds of pages, and latency
 * with one line per page. The probe also measures the line size, the bandwidth of each level, and
 * parallel chains.
 *
 * All output of the probe (text, JSON, CSV, the explorer's panel, pictures) reads only struct
 * probe_report, which grows with each measurement. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "experiment/campaign.h"
#include "experiment/cores/core_map.h"
#include "experiment/setting/setting.h"
#include "model/memory/hierarchy.h"
#include "model/windows/buffers.h"

/* The parts of the probe that a user can select. */
enum probe_part {
	PROBE_LATENCY,	 /* "latency": latency over the size of the working set */
	PROBE_TLB,	 /* "tlb": latency with one line per page */
	PROBE_LINE,	 /* "line": size of a cache line */
	PROBE_BANDWIDTH, /* "bandwidth": bandwidth of each level of the memory hierarchy */
	PROBE_PARALLEL,	 /* "parallel": latency of several independent chains at the same time */
	PROBE_CORES,	 /* "cores": bandwidth and loaded latency with several cores */
	PROBE_TRANSFER,	 /* "core-to-core": the time of a cache line from core to core */
	PROBE_PARTS
};

extern const char *const probe_part_names[]; /* the names of the probe's parts, such as "latency"
						and "tlb", ended by NULL */

struct probe_options {
	unsigned parts;		/* a bit for each part of the probe to measure; 0: all parts except
				   PROBE_CORES and PROBE_TRANSFER */
	uint64_t max_size;	/* bytes of the largest working set; 0: PROBE_SIZE bytes */
	bool pages[PAGE_KINDS]; /* kinds of pages to measure; all false: PAGES_4K and PAGES_HUGE. If
				   only PAGES_AUTO is true, the probe measures one curve, with the
				   pages that the system chooses */
	uint64_t seed;
	double seconds; /* time limit of the probe; 0: the probe decides */
	/* Times one pair of processors; NULL: core_pair_visit() times it. */
	struct status (*visit)(const struct topology *topology, int a, int b, unsigned visit,
		double seconds, struct pair_trials *trials);
};

/* PROBE_SMALLEST: bytes of the smallest working set. PROBE_SIZE: default value of max_size.
 * PROBE_LEAST: smallest allowed value of max_size. */
#define PROBE_SMALLEST (UINT64_C(4) << 10)
#define PROBE_SIZE     (UINT64_C(256) << 20)
#define PROBE_LEAST    (UINT64_C(64) << 10)

enum { PROBE_POINTS = 256, PROBE_BANDS = 8 };

/* One measured point of a curve or of a level's bandwidth (band). */
struct probe_point {
	struct setting
		setting; /* the complete setting, so that a user can repeat the measurement */
	double x; /* position of the point on the curve's x axis: bytes of the working set, bytes
		     between two accesses, number of chains, or number of cores */
	struct sample sample; /* the sample of the point; its member `valid` is false if the point
				 could not be measured */
	struct run_facts facts;
	bool fine; /* true: a later round of measurements added the point, to refine the curve */
};

struct probe_curve {
	int count; /* number of points measured so far; the points are in ascending order of x */
	struct probe_point point[PROBE_POINTS];
};

/* Operations of a bandwidth measurement: the probe reads, writes and copies a working set that fits
 * one level of the memory hierarchy. */
enum { PROBE_READ, PROBE_WRITE, PROBE_COPY, PROBE_OPERATIONS };

struct probe_band {
	char level[16]; /* name of the level: "L1d", "L2", "L3" or "memory" */
	uint64_t size;	/* bytes of the working set */
	struct probe_point point[PROBE_OPERATIONS];
	double lines[PROBE_OPERATIONS]; /* cache lines per cycle that the code's accesses move
					   between the level and the core; NAN: unknown */
};

/* The part of the shared last cache that this process gets. To measure its share of the last cache,
 * the probe walks working sets of a few sizes several times, until their latency is steady. */
enum { PROBE_SHARES = 8 };

struct probe_share {
	int count;
	double bytes[PROBE_SHARES]; /* size of the working set at which the latency is half of
				       memory's latency; the cache then holds about half of the
				       lines */
	double at[PROBE_SHARES];    /* time of each measurement of the share of the last cache, in
				       seconds since the probe's first request */
};

struct probe_report {
	const struct machine *machine;
	struct probe_options options; /* the options that the probe uses; max_size is reduced to the
					 memory limits */
	bool huge_refused;   /* true: huge pages were requested, but this system has none */
	uint64_t asked_size; /* value of max_size, the largest working set in bytes, that the user
				set */
	struct probe_curve lines[PAGE_KINDS]; /* latency of a walk in random order over the lines of
						 a working set */
	struct probe_curve pages[PAGE_KINDS]; /* latency of loads that read one line per page */
	struct probe_share share;
	struct probe_curve pairs;
	struct probe_curve parallel; /* latency of loads over x, the number of independent chains of
					loads at the same time; the working set lies in memory */
	struct probe_curve cores;  /* total bandwidth (member gbps) while x cores read memory at the
				      same time */
	struct probe_curve loaded; /* latency of memory while x other cores read memory */
	struct core_map *transfer; /* core-to-core latencies; NULL: not requested */
	int band_count;
	struct probe_band band[PROBE_BANDS];
	struct literature
		published; /* published bandwidths, for comparison with the measured bandwidths */
	struct hierarchy hierarchy; /* memory hierarchy computed from the points measured so far */
	double done;		    /* progress of the probe, from 0 to 1 */
	double seconds;		    /* seconds since the first request */
	bool complete;		    /* true if all points are measured */
	enum probe_part part; /* the part of the memory hierarchy, such as "bandwidth", that the
				 probe measures now */
	char doing[64]; /* the current measurement, such as "latency, 4k pages, 2.8m"; empty: the
			   probe measures nothing */
	struct notes notes; /* notes about omitted parts of the probe, kinds of pages and memory
			       sizes, each with the reason */
};

struct probe;

/* Returns the part of the probe with the given name, or PROBE_PARTS if no part has it. */
enum probe_part probe_part_find(const char *name);

/* Sets the bits of the part with the given name in *parts. "cores" also means core-to-core. Returns
 * false if no part has the name. */
bool probe_part_add(const char *name, unsigned *parts);

/* The struct machine given must describe this machine and outlive the probe. Returns NULL with
 * STATUS_USAGE if max_size is below PROBE_LEAST, and with STATUS_FAILED if the memory limit is
 * below PROBE_LEAST. */
struct probe *probe_new(
	const struct machine *machine, const struct probe_options *options, struct status *status);
void probe_free(struct probe *probe);

/* Runs the probe until all points are known, the time limit is reached, or the measurer stops. */
void probe_measure(struct probe *probe, const struct measurer *measurer);

/* Returns the probe's report. The returned report is never NULL, and belongs to the probe. */
const struct probe_report *probe_report(const struct probe *probe);

/* The median clock of the core during the probe's points, in GHz; NAN without a usable point. */
double probe_ghz(const struct probe_report *report);

/* Returns whether the loads of `many` appear to be faster together than their number allows. N
 * loads at once are at most N times as fast as one load, so other activity slowed down the single
 * load of `one`. */
bool probe_beyond(const struct probe_point *one, const struct probe_point *many);

/* Writes the highest speedup of several loads at once over one load. Returns false if the curve has
 * none. */
bool probe_parallel_words(const struct probe_curve *curve, char *words, size_t size);
