/* A probe's report as text, for the command line and the explorer. */
#pragma once

#include <stdbool.h>
#include <stdio.h>

#include "experiment/probe/probe.h"

/* Prints a probe's report in 80 columns of ASCII. `points`: print every point of each curve, in
 * place of a plot. */
void probe_print(FILE *out, const struct probe_report *probe, bool points);
