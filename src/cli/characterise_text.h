/* What was characterised, in words. */
#ifndef SLX_CLI_CHARACTERISE_TEXT_H
#define SLX_CLI_CHARACTERISE_TEXT_H

#include "cli/format.h"
#include "experiment/characterise/characterise.h"

/* What a subcommand hands to a format. */
struct characterised {
	const struct characterise_report *report;
	const struct uarch *measured, *shipped; /* NULL: there is none */
	const struct model_difference *difference;
	int difference_count;
	bool agreements; /* those that agree are wanted, too */
};

void characterise_text(struct report *report, const struct characterised *characterised);

/* The ports of a class by what was measured: "p0,p1 + 2*p3"; "none"; empty: not known. */
void characterise_ports(const struct measured_ports *ports, int op, struct text *text);

#endif
