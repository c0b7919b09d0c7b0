/* Probes each unit of the machine in turn: each core, socket or memory node. The output names units
 * that differ from the others, such as a slow core. probe_at_once measures L2 domains, which are
 * units too. */
#pragma once

#include <stdbool.h>
#include <stdio.h>

#include "cli/cli.h"
#include "engine/machine/machine.h"
#include "experiment/probe/probe.h"

enum unit_kind { UNITS_NONE, UNITS_NUMA, UNITS_SOCKET, UNITS_CORE, UNITS_L2, UNIT_KINDS };

/* The words of --per, in the order of enum unit_kind; the first is empty, the last is NULL. */
extern const char *const unit_words[];

/* The measured values by which units are compared. */
enum unit_value {
	UNIT_CLOCK,	  /* GHz */
	UNIT_L1,	  /* latency, cycles */
	UNIT_L2,	  /* latency, cycles */
	UNIT_L3,	  /* latency, ns */
	UNIT_MEMORY,	  /* latency, ns */
	UNIT_READ_L1,	  /* bandwidth, bytes per cycle */
	UNIT_READ_L2,	  /* bandwidth, bytes per cycle */
	UNIT_READ_MEMORY, /* bandwidth, GB/s */
	UNIT_VALUES
};

struct unit {
	int number, cpu; /* the unit's number in the machine, and the system's number of its
			    measured processor */
	double value[UNIT_VALUES]; /* NAN: not measured */
	double usual[UNIT_VALUES]; /* median of this value over all units; NAN: too few units */
	unsigned odd;		   /* bit k: value[k] differs from the median by more than chance */
	unsigned contended;	   /* bit k: other programs disturbed the measurement of value[k] */
};

/* Lists the units of a kind, each with its first processor. Returns the number of units. The array
 * `units` must have an element for each processor. */
int units_find(const struct machine *machine, enum unit_kind kind, struct unit *units);

/* Lists the units of this machine, with the same values as units_find(). The caller frees *units,
 * also after an error. */
struct status units_list(struct cli *cli, enum unit_kind kind, struct unit **units, int *count);

/* Sets `usual` and `odd` of all units. A quantity is judged if at least three units have a value
 * that is not contended. A contended value is never odd. */
void units_judge(struct unit *units, int count);

/* Prints a table of the units, and a sentence for each value that differs. */
void units_print(FILE *out, const struct unit *units, int count, enum unit_kind kind);

/* Adds the name of a unit to the report's host. */
struct report;
void units_name(struct report *report, enum unit_kind kind, int number);

/* Probes each unit of the machine. Without parts, measures latency and bandwidth; without a size,
 * up to 64 MiB. The time of `options` is for all units together. Returns the exit status. */
struct subject;
int units_probe(struct cli *cli, enum unit_kind kind, const struct probe_options *options,
	const struct subject *subject);
