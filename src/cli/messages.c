#include "cli/messages.h"

#include <errno.h>
#include <poll.h>
#include <stdarg.h>
#include <string.h>

#include "cli/cli.h"

int cli_fail(const struct cli *cli, const struct status *status)
{
	fprintf(cli->err, "slexplore: %s\n", status->text);
	return status->code == STATUS_USAGE ? CLI_USAGE : CLI_UNMEASURED;
}

void cli_note(const struct cli *cli, const char *format, ...)
{
	va_list arguments;

	if (cli->quiet)
		return;
	fputs("slexplore: note: ", cli->err);
	va_start(arguments, format);
	vfprintf(cli->err, format, arguments);
	va_end(arguments);
	fputc('\n', cli->err);
}

/* Whether nobody can read any more: poll(2) tells it of pipes and sockets. */
static bool reader_left(FILE *out)
{
	struct pollfd pipe = { .fd = fileno(out), .events = POLLOUT };

	return pipe.fd >= 0 && poll(&pipe, 1, 0) > 0 && (pipe.revents & POLLERR);
}

int cli_finish(const struct cli *cli, int exit_status)
{
	errno = 0;
	if (fflush(cli->out) == 0 && !ferror(cli->out))
		return exit_status;
	/* After an earlier failure the flush may succeed, and errno is gone. A reader that had
	 * enough (head) is told nothing; only the exit status says so. */
	if (errno != EPIPE && !reader_left(cli->out))
		fprintf(cli->err, "slexplore: standard output: %s\n",
			errno ? strerror(errno) : "not everything could be written");
	return exit_status == CLI_DONE ? CLI_UNMEASURED : exit_status;
}
