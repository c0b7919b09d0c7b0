#include "ui/terminal.h"

#include <errno.h>
#include <fcntl.h>
#include <langinfo.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "base/fatal.h"
#include "ui/theme.h"

/* term.h defines macros with plain names (lines, columns), so no other header may follow term.h. */
#include <curses.h>
#include <term.h>

bool terminal_is_utf8(void)
{
	const char *charset = nl_langinfo(CODESET);

	return strcasecmp(charset, "UTF-8") == 0 || strcasecmp(charset, "utf8") == 0;
}

int terminal_refused(void)
{
	char *memory = malloc(1);
	int zero = open("/dev/zero", O_RDONLY | O_CLOEXEC), error = 0;
	char byte;

	if (!memory || zero < 0 || read(zero, &byte, 1) != 1)
		error = errno;
	if (zero >= 0)
		close(zero);
	free(memory);
	return error;
}

void terminal_read(struct terminal_facts *facts)
{
	const char *term = getenv("TERM");
	struct winsize size;
	int error, outcome;

	*facts = (struct terminal_facts){ .database = true,
		.input = isatty(STDIN_FILENO),
		.output = isatty(STDOUT_FILENO),
		.no_colour = theme_no_color() };
	snprintf(facts->charset, sizeof(facts->charset), "%s", nl_langinfo(CODESET));
	facts->utf8 = terminal_is_utf8();
	if (facts->output && ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0) {
		facts->width = size.ws_col;
		facts->height = size.ws_row;
	}
	if (!term || !*term)
		return;
	snprintf(facts->term, sizeof(facts->term), "%s", term);
	/* setupterm() only reads the terminal's description, and writes nothing to the terminal. */
	/* Try twice, because the system may refuse a file or memory only once. */
	fatal_guard("ncurses, which draws on the terminal,");
	outcome = setupterm(term, STDOUT_FILENO, &error);
	if (outcome != OK)
		outcome = setupterm(term, STDOUT_FILENO, &error);
	if (outcome != OK) {
		fatal_guard(NULL);
		facts->error = terminal_refused();
		facts->database = error >= 0;
		return;
	}
	facts->described = true;
	facts->addressable = tigetstr("cup") != NULL && tigetstr("cup") != (char *)-1;
	facts->colours = tigetnum("colors") > 0 ? tigetnum("colors") : 0;
	del_curterm(cur_term);
	fatal_guard(NULL);
}

struct status terminal_usable(const struct terminal_facts *facts)
{
	static const char others[] = "run, sweep, list and doctor work without one";

	if (!facts->input || !facts->output)
		return status_usage("the explorer needs a terminal, and standard %s is not one; %s",
			facts->input ? "output" : "input", others);
	if (!*facts->term)
		return status_usage(
			"the explorer needs a known terminal, but TERM is not set; %s", others);
	if (facts->error)
		return status_failed("the description of the terminal TERM=%s cannot be read: %s",
			facts->term, strerror(facts->error));
	if (!facts->database)
		return status_usage("no terminal description for TERM=%s here (install "
				    "ncurses-base, or set TERMINFO)",
			facts->term);
	if (!facts->described)
		return status_usage("no terminal description for TERM=%s here (try "
				    "TERM=xterm-256color, or install ncurses-term)",
			facts->term);
	if (!facts->addressable)
		return status_usage("the explorer needs a terminal with a movable cursor, which "
				    "TERM=%s is not; %s",
			facts->term, others);
	return status_ok();
}
