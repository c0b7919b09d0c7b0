/* Sentences in 80 columns. */
#ifndef SLX_CLI_WRAPPED_H
#define SLX_CLI_WRAPPED_H

#include <stdio.h>

/* Behind `first`, broken at blanks; further lines after so many blanks. */
void put_wrapped(FILE *out, const char *first, int indent, const char *words);

#endif
