/* slexplore: see src/cli/cli.h for what happens next. */
#include <fcntl.h>
#include <locale.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "base/carried.h"
#include "base/fatal.h"
#include "base/output.h"
#include "base/text.h"
#include "cli/cli.h"

/* A closed standard stream gets a descriptor on which reading or writing fails. Otherwise a file
 * that is opened later would get the stream's number, and messages would be written into the file.
 */
static void fill_streams(void)
{
	for (int stream = STDIN_FILENO; stream <= STDERR_FILENO; stream++)
		if (fcntl(stream, F_GETFD) < 0)
			(void)open("/dev/null", stream == STDIN_FILENO ? O_WRONLY : O_RDONLY);
}

/* Removes each variable with which hwloc would read another machine, or load other code
 * (HWLOC_XMLFILE, HWLOC_FSROOT, HWLOC_COMPONENTS and others). HWLOC_SYNTHETIC remains, because it
 * simulates a machine openly. */
static void clean_environment(void)
{
	char **kept = environ;

	for (char **variable = environ; variable && *variable; variable++)
		if (strncmp(*variable, "HWLOC_", 6) != 0 ||
			!strncmp(*variable, "HWLOC_SYNTHETIC=", 16))
			*kept++ = *variable;
	if (kept)
		*kept = NULL;
	/* hwloc's own messages would disturb the screen. */
	setenv("HWLOC_HIDE_ERRORS", "2", 1);
	/* hwloc's plugins find devices (graphics, OpenCL, PCI) and read XML, which slexplore does
	 * not need, and their libraries take time and memory: the plugin for XML alone maps 36 MB.
	 * Carried libraries do not fit this machine's plugins. */
	setenv("HWLOC_PLUGINS_PATH", "/dev/null", 1);
}

/* The characters of the user's terminal. The data of the user's language may be missing, or belong
 * to another C library: then its characters still are UTF-8. */
static void choose_characters(void)
{
	static const char *const names[] = { "LC_ALL", "LC_CTYPE", "LANG" };
	const char *language = NULL;

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]) && (!language || !*language); i++)
		language = getenv(names[i]);
	if (setlocale(LC_CTYPE, "") || !language ||
		(!strcasestr(language, "UTF-8") && !strcasestr(language, "utf8")))
		return;
	if (!setlocale(LC_CTYPE, "C.UTF-8"))
		carried_characters();
}

/* Raises a small limit on the main thread's stack (ulimit -s), which grows when it is used. Returns
 * whether the stack is large enough. */
static bool has_stack(void)
{
	const rlim_t least = 512 << 10;
	struct rlimit limit;

	if (getrlimit(RLIMIT_STACK, &limit) != 0 || limit.rlim_cur >= least)
		return true;
	limit.rlim_cur = least;
	limit.rlim_max = limit.rlim_max > least ? limit.rlim_max : least;
	return setrlimit(RLIMIT_STACK, &limit) == 0;
}

int main(int argc, char **argv)
{
	if (!has_stack()) {
		output_plain("slexplore: the stack is too small: use ulimit -s 512 or more\n");
		return 1;
	}
	/* Numbers stay as every program reads them, with a point. */
	choose_characters();
	memory_keep_together();
	fatal_catch();
	carried_begin();
	fill_streams();
	clean_environment();
	/* A reader that went away is noticed as a write error, so that the worker ends in order. */
	signal(SIGPIPE, SIG_IGN);
	/* Nor is a file that may not grow any more: the write says so. */
	signal(SIGXFSZ, SIG_IGN);
	return cli_main(argc, argv, output_stream(OUTPUT_RESULTS), output_stream(OUTPUT_MESSAGES));
}
