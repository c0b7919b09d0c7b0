/* slexplore: see src/cli/cli.h for what happens next. */
#include <locale.h>
#include <signal.h>
#include <stdio.h>

#include "cli/cli.h"

int main(int argc, char **argv)
{
	/* Characters as the user's terminal has them; numbers stay as every program reads them,
	 * with a point. */
	setlocale(LC_CTYPE, "");
	/* A reader that went away is noticed as a write error, so that the worker ends in order. */
	signal(SIGPIPE, SIG_IGN);
	/* Nor is a file that may not grow any more: the write says so. */
	signal(SIGXFSZ, SIG_IGN);
	return cli_main(argc, argv, stdout, stderr);
}
