#include "base/carried.h"

#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <unistd.h>

static bool carried;

static bool is_memory_file(int file)
{
	static const char start[] = "/memfd:";
	char path[40], target[sizeof(start)] = "";

	snprintf(path, sizeof(path), "/proc/self/fd/%d", file);
	return readlink(path, target, sizeof(target) - 1) > 0 &&
	       strncmp(target, start, sizeof(start) - 1) == 0;
}

/* Reads the descriptors of the carried files. Returns false if there are none. */
static bool read_range(int *first, int *last)
{
	const char *range = getenv(CARRIED_VARIABLE);

	return range && sscanf(range, "%d-%d", first, last) == 2;
}

void carried_characters(void)
{
	const char *base = getenv("TMPDIR");
	char folder[512], inner[540], link[560], target[40];
	int first, last;

	if (!read_range(&first, &last) || !is_memory_file(last))
		return;
	/* The C library reads a locale only from a folder: for a moment there is one. */
	snprintf(folder, sizeof(folder), "%s/slexplore-XXXXXX", base && *base ? base : "/tmp");
	if (!mkdtemp(folder))
		return;
	snprintf(inner, sizeof(inner), "%s/C.utf8", folder);
	snprintf(link, sizeof(link), "%s/LC_CTYPE", inner);
	snprintf(target, sizeof(target), "/proc/self/fd/%d", last);
	if (mkdir(inner, 0700) == 0 && symlink(target, link) == 0 &&
		setenv("LOCPATH", folder, 1) == 0) {
		setlocale(LC_CTYPE, "C.UTF-8");
		unsetenv("LOCPATH");
	}
	unlink(link);
	rmdir(inner);
	rmdir(folder);
}

void carried_begin(void)
{
	int first, last;

	carried = read_range(&first, &last);
	for (int file = first; carried && file <= last; file++)
		if (is_memory_file(file))
			close(file);
	if (!carried)
		return;
	unsetenv(CARRIED_VARIABLE);
	/* Otherwise the process has the name of the loader. */
	prctl(PR_SET_NAME, "slexplore");
}

bool carried_libraries(void)
{
	return carried;
}
