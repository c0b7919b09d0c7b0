/* Explains the loops of a program: an executable, a shared library or a relocatable object. */
#pragma once

#include "cli/cli.h"

struct model;
struct program;
struct program_place;
struct report;
struct subject;

/* What to show of a program. */
struct program_request {
	const char *path;
	const char *function; /* the function: its name, an address or FILE:LINE; NULL: list the
				 functions that contain loops */
	const struct subject *diagram; /* a diagram that is printed for each loop in place of its
					  limits; NULL: no diagram */
	bool export;		       /* write only the loops of the program, as assembly */
	/* Draws the explanation of a report if the user requested a picture. Returns the exit
	 * status. */
	int (*draw)(struct cli *cli, const struct model *model, const struct report *report,
		const struct setting *setting);
};

/* Carries out the request. Returns the exit status; a failure is printed. */
int explain_program(struct cli *cli, const struct program_request *request);

/* ---- For explain_program.c and explain_loops.c */

/* The name of a program without its directories. */
const char *program_file(const char *path);

/* Explains the innermost loops of the function at a place. Returns the exit status; a failure is
 * printed. */
int explain_function(struct cli *cli, const struct program_request *request, struct model *model,
	struct program *program, const struct program_place *place);
