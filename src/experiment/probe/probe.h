/* The probe measures a machine's memory hierarchy in seconds, in many small visits: latency over
 * working-set size with both kinds of pages, one line a page, pairs for the line size, bandwidth of
 * each level, chains at once.
 *
 * Everything that shows a probe (text, JSON, CSV, the explorer's panel, pictures) reads struct
 * probe_report alone, which grows with each visit. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "experiment/campaign.h"
#include "experiment/setting/setting.h"
#include "model/memory/hierarchy.h"
#include "model/windows/buffers.h"

/* The parts that a user can select. */
enum probe_part {
	PROBE_LATENCY,	 /* "latency" */
	PROBE_TLB,	 /* "tlb" */
	PROBE_LINE,	 /* "line" */
	PROBE_BANDWIDTH, /* "bandwidth" */
	PROBE_PARALLEL,	 /* "parallel": chains at once */
	PROBE_CORES,	 /* "cores": bandwidth and loaded latency with several cores */
	PROBE_PARTS
};

extern const char *const probe_part_names[]; /* ended by NULL */

struct probe_options {
	unsigned parts;		/* a bit each; 0: all but PROBE_CORES */
	uint64_t max_size;	/* bytes of the largest working set; 0: PROBE_SIZE */
	bool pages[PAGE_KINDS]; /* which kinds to measure; none: PAGES_4K and PAGES_HUGE. PAGES_AUTO
				   alone: one curve, as the system gives them */
	uint64_t seed;
	double seconds; /* time limit; 0: the probe decides */
};

/* The smallest working set, the default of the largest, and the least value of the largest. */
#define PROBE_SMALLEST (UINT64_C(4) << 10)
#define PROBE_SIZE     (UINT64_C(256) << 20)
#define PROBE_LEAST    (UINT64_C(64) << 10)

enum { PROBE_POINTS = 256, PROBE_BANDS = 8 };

/* One measured setting. */
struct probe_point {
	struct setting setting; /* complete, so that a user can repeat it */
	double x; /* the curve's axis: bytes of the working set, bytes between a pair, chains or
		     cores */
	struct sample sample; /* valid false: could not be measured */
	struct run_facts facts;
	bool fine; /* added by a later round */
};

struct probe_curve {
	int count; /* measured so far, in ascending order of x */
	struct probe_point point[PROBE_POINTS];
};

/* Bandwidth of one level: read, write and copy of a working set that fits it. */
enum { PROBE_READ, PROBE_WRITE, PROBE_COPY, PROBE_OPERATIONS };

struct probe_band {
	char level[16]; /* "L1d", "L2", "L3", "memory" */
	uint64_t size;	/* bytes of the working set */
	struct probe_point point[PROBE_OPERATIONS];
	double lines[PROBE_OPERATIONS]; /* cache lines that move between level and core per cycle,
					   by the code's own accesses; NAN */
};

/* This process's share of the last cache, which cores share: steady laps of a few sizes, repeated
 * during the probe. */
enum { PROBE_SHARES = 8 };

struct probe_share {
	int count;
	double bytes[PROBE_SHARES]; /* a lap over so many bytes takes half of memory's latency,
				       because the cache holds about half of its lines */
	double at[PROBE_SHARES];    /* seconds since the first request */
	int censored[PROBE_SHARES]; /* -1: an upper bound, because even the smallest size was
				       slower; 1: a lower bound */
};

struct probe_report {
	const struct machine *machine;
	struct probe_options options; /* as carried out: max_size within the memory limits */
	uint64_t asked_size;	      /* max_size as the user set it */
	struct probe_curve lines[PAGE_KINDS]; /* random order */
	struct probe_curve pages[PAGE_KINDS]; /* one line a page */
	struct probe_share share;
	struct probe_curve pairs;
	struct probe_curve parallel; /* x: chains at once, in memory */
	struct probe_curve cores;    /* x: cores that read memory at once: gbps of all */
	struct probe_curve loaded;   /* x: other cores that stream: latency of memory */
	int band_count;
	struct probe_band band[PROBE_BANDS];
	struct literature published; /* values that others measured, to compare */
	struct hierarchy hierarchy;  /* of the points so far */
	double done;		     /* 0…1 */
	double seconds;		     /* since the first request */
	bool complete;		     /* nothing is missing */
	enum probe_part part;	     /* under way */
	char doing[64];		     /* "latency, 4k pages, 2.8m"; empty: nothing */
	struct notes notes; /* parts, pages and memory that are not measured, with the reason */
};

struct probe;

/* The part with that name, or PROBE_PARTS. */
enum probe_part probe_part_find(const char *name);

/* machine must be known, and is borrowed. Returns NULL with STATUS_USAGE for a largest size below
 * PROBE_LEAST, with STATUS_FAILED when this machine has not even that much memory. */
struct probe *probe_new(
	const struct machine *machine, const struct probe_options *options, struct status *status);
void probe_free(struct probe *probe);

/* Measures until all points are known, the time is up or the measurer stops. */
void probe_measure(struct probe *probe, const struct measurer *measurer);

/* Never NULL; owned by the probe. */
const struct probe_report *probe_report(const struct probe *probe);
