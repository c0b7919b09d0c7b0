/* The probe measures a machine's memory hierarchy in a few seconds, in many short visits. It
 * measures latency over working-set size with both kinds of pages, and latency with one line per
 * page. It also measures the line size, the bandwidth of each level, and parallel chains.
 *
 * All output (text, JSON, CSV, the explorer's panel, pictures) reads only struct probe_report,
 * which grows with each visit. */
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
	PROBE_PARALLEL,	 /* "parallel": several chains at a time */
	PROBE_CORES,	 /* "cores": bandwidth and loaded latency with several cores */
	PROBE_PARTS
};

extern const char *const probe_part_names[]; /* ended by NULL */

struct probe_options {
	unsigned parts;		/* a bit each; 0: all but PROBE_CORES */
	uint64_t max_size;	/* bytes of the largest working set; 0: PROBE_SIZE */
	bool pages[PAGE_KINDS]; /* kinds to measure; all false: PAGES_4K and PAGES_HUGE. Only
				   PAGES_AUTO: one curve, with the pages that the system chooses */
	uint64_t seed;
	double seconds; /* time limit; 0: the probe decides */
};

/* Bytes of the smallest working set; the default of max_size; the least value of max_size. */
#define PROBE_SMALLEST (UINT64_C(4) << 10)
#define PROBE_SIZE     (UINT64_C(256) << 20)
#define PROBE_LEAST    (UINT64_C(64) << 10)

enum { PROBE_POINTS = 256, PROBE_BANDS = 8 };

/* One measured point. */
struct probe_point {
	struct setting setting; /* complete, so that a user can repeat it */
	double x; /* the curve's axis: bytes of the working set, bytes between a pair, chains or
		     cores */
	struct sample sample; /* valid false: could not be measured */
	struct run_facts facts;
	bool fine; /* added by a later round */
};

struct probe_curve {
	int count; /* points measured so far, in ascending order of x */
	struct probe_point point[PROBE_POINTS];
};

/* Bandwidth of one level: read, write and copy of a working set that fits it. */
enum { PROBE_READ, PROBE_WRITE, PROBE_COPY, PROBE_OPERATIONS };

struct probe_band {
	char level[16]; /* "L1d", "L2", "L3", "memory" */
	uint64_t size;	/* bytes of the working set */
	struct probe_point point[PROBE_OPERATIONS];
	double lines[PROBE_OPERATIONS]; /* cache lines per cycle that the code's accesses move
					   between level and core; NAN: unknown */
};

/* The part of the shared last cache that this process gets. The probe walks a few sizes in steady
 * laps, several times. */
enum { PROBE_SHARES = 8 };

struct probe_share {
	int count;
	double bytes[PROBE_SHARES]; /* the size at which a lap's latency is half of memory's
				       latency: the cache then holds about half of the lines */
	double at[PROBE_SHARES];    /* seconds since the first request */
};

struct probe_report {
	const struct machine *machine;
	struct probe_options options; /* the options in use: max_size is within the memory limits */
	uint64_t asked_size;	      /* max_size as the user set it */
	struct probe_curve lines[PAGE_KINDS]; /* random order */
	struct probe_curve pages[PAGE_KINDS]; /* one line per page */
	struct probe_share share;
	struct probe_curve pairs;
	struct probe_curve parallel; /* x: parallel chains, in memory */
	struct probe_curve cores;    /* x: cores that read memory at the same time; gbps of all */
	struct probe_curve loaded;   /* x: other cores that stream; latency of memory */
	int band_count;
	struct probe_band band[PROBE_BANDS];
	struct literature published; /* published values, for comparison */
	struct hierarchy hierarchy;  /* computed from the points so far */
	double done;		     /* 0…1 */
	double seconds;		     /* since the first request */
	bool complete;		     /* all points are measured */
	enum probe_part part;	     /* the current part */
	char doing[64];		     /* "latency, 4k pages, 2.8m"; empty: nothing */
	struct notes notes;	     /* omitted parts, pages and memory sizes, with the reason */
};

struct probe;

/* The part with that name, or PROBE_PARTS. */
enum probe_part probe_part_find(const char *name);

/* machine must be known, and is borrowed. Returns NULL with STATUS_USAGE if max_size is below
 * PROBE_LEAST, and with STATUS_FAILED if the memory limit is below PROBE_LEAST. */
struct probe *probe_new(
	const struct machine *machine, const struct probe_options *options, struct status *status);
void probe_free(struct probe *probe);

/* Measures until all points are known, the time limit is reached, or the measurer stops. */
void probe_measure(struct probe *probe, const struct measurer *measurer);

/* Never NULL; owned by the probe. */
const struct probe_report *probe_report(const struct probe *probe);
