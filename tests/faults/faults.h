/* The runs of the program in which calls fail. */
#pragma once

#include <stdbool.h>

enum { FAULT_ARGUMENTS = 12 };

#define FAULTS_RESIZE '\001'

struct fault_scenario {
	const char *name;
	const char *arguments[FAULT_ARGUMENTS]; /* "CANNED", "OTHER": the recordings of the tests */
	const char *file, *text;		/* a file in the working directory; NULL: none */
	const char *keys; /* keys for the explorer on a terminal; NULL: no terminal. FAULTS_RESIZE
			     gives the terminal another size */
	int patience;	  /* seconds after which a run hangs; 0: PATIENCE */
	bool cheap;	  /* a run takes little processor time */
	bool silent;	  /* a run writes nothing to standard output */
	bool named;	  /* runs only if the command line names the scenario */
	bool may_fail; /* a run may end with status 1 without a fault, because time was too short */
};

/* The last row has no name. */
extern const struct fault_scenario fault_scenarios[];
