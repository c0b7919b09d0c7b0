#include "base/carried.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
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

void carried_begin(void)
{
	const char *range = getenv(CARRIED_VARIABLE);
	int first, last;

	if (!range)
		return;
	carried = sscanf(range, "%d-%d", &first, &last) == 2;
	for (int file = first; carried && file <= last; file++)
		if (is_memory_file(file))
			close(file);
	unsetenv(CARRIED_VARIABLE);
	/* Otherwise the process has the name of the loader. */
	prctl(PR_SET_NAME, "slexplore");
}

bool carried_libraries(void)
{
	return carried;
}
