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
	int unit[SHOWN_MOST]; /* index of each shown unit: a host or a file */
	int left_out;	      /* number of machines without a place in a picture */
};

/* Chooses the units (hosts or files) to show: all units with kept records, at most SHOWN_MOST.
 * `first` lists `count` units that come first, such as hosts that differ; it may be NULL. The
 * result borrows `compared` and `kept`. */
struct shown shown_all(
	const struct compared *compared, const struct kept *kept, const int *first, int count);

/* Returns the name of a shown machine: its host, or its file if all files have one host. */
const char *shown_name(const struct shown *shown, int index);

/* Return the next and the last record of a kind of a shown machine: see kept_next() and
 * kept_last(). */
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

/* One machine: the time of a cache line from one processor to another, for each pair of processors.
 * The processors are in the order of the machine's tree. */
struct chart *shown_transfer(const struct shown *shown);

/* The memory mountain (samples of the kernel mountain) of one machine. */
struct chart *shown_mountain(const struct shown *shown, int index);
/* Two mountains: the throughput of the machine `b` divided by that of the machine `a`. */
struct chart *shown_mountain_ratio(const struct shown *shown, int a, int b);
