/* Machines that a page or a picture shows, by their kept records (recording/compare/kept.h), and
 * charts of them. The caller owns each chart. */
#pragma once

#include "picture/chart.h"
#include "recording/compare/compared.h"
#include "recording/compare/kept.h"

enum { SHOWN_MOST = CHART_SERIES };

struct shown {
	const struct compared *compared;
	const struct kept *kept;
	int count;
	int unit[SHOWN_MOST]; /* hosts or files */
	int left_out;	      /* number of machines without a place in a picture */
};

/* Shows all units (hosts or files) that have kept records, at most SHOWN_MOST. `first` are `count`
 * units that come first, such as hosts that differ; it may be NULL. */
struct shown shown_all(
	const struct compared *compared, const struct kept *kept, const int *first, int count);

/* Returns the name of a shown machine: its host, or its file if all files have one host. */
const char *shown_name(const struct shown *shown, int index);

/* The next record of a kind of a shown machine, and the last one; see kept.h. */
const struct json_t *shown_next(const struct shown *shown, int index, const char *kind, size_t *at);
const struct json_t *shown_last(const struct shown *shown, int index, const char *kind);

/* ---- Charts. NULL: no machine has records for the chart. One machine is shown with its page sizes
 * and levels, several machines with a line each. */

struct chart *shown_latency(const struct shown *shown);
struct chart *shown_tlb(const struct shown *shown);
struct chart *shown_bandwidth(const struct shown *shown);
struct chart *shown_parallel(const struct shown *shown);
struct chart *shown_windows(const struct shown *shown);
/* One machine: the knee of each filler as a bar, next to the core model. */
struct chart *shown_knees(const struct shown *shown);

/* One machine: the time of a cache line between each two processors, in the order of the machine's
 * tree. */
struct chart *shown_transfer(const struct shown *shown);

/* The memory mountain (samples of the kernel mountain) of one machine. */
struct chart *shown_mountain(const struct shown *shown, int index);
/* Two mountains: the throughput of the machine `b` divided by that of the machine `a`. */
struct chart *shown_mountain_ratio(const struct shown *shown, int a, int b);
