/* The answers of a class: reports, pictures and the live screen. */
#pragma once

#include "cli/cli.h"

struct class_wanted {
	bool live;	     /* follow the files on the screen */
	const char *report;  /* the page to write; NULL: none */
	const char *picture; /* the name of the pictures, one for each question; NULL: none */
};

/* Reads the files and folders of answers that the command line names, and reports them. Returns the
 * exit status. */
int class_run(struct cli *cli, const struct class_wanted *wanted);
