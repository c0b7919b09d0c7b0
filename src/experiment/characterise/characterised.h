/* The result of measuring a core as text, for the command line and the explorer. */
#pragma once

#include <stdbool.h>
#include <stdio.h>

#include "base/text.h"
#include "experiment/characterise/characterise.h"
#include "model/core/uarch.h"

/* The model of the measured core, and the shipped core model with which it is compared. */
struct characterised {
	const struct characterise_report *report;
	/* The measured core model and the model that the program ships; NULL: there is no such
	 * model. */
	const struct uarch *measured, *shipped;
	struct model_difference *difference; /* owned; NULL: no comparison */
	int difference_count;
	bool agreements;	/* also show the values in which both models agree */
	bool differences_first; /* print the differences before the classes of instructions */
};

/* Fills the differences between the measured and the shipped core model. The caller frees the
 * differences. */
void characterised_compare(struct characterised *characterised);

/* Prints the classes of instructions, the other values, and what differs from the shipped core
 * model. */
void characterised_print(FILE *out, const struct characterised *characterised);
/* Adds to the text the ports of one class of instructions: "p0,p1". If the ports are not known,
 * nothing is added. */
void characterised_ports(const struct measured_ports *ports, int op, struct text *text);
