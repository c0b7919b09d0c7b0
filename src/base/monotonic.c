#include "base/monotonic.h"

#include <errno.h>
#include <string.h>

#include "base/fatal.h"

double clock_read(clockid_t clock)
{
	struct timespec time;

	if (clock_gettime(clock, &time) != 0)
		fatal("the clock of the system cannot be read: %s", strerror(errno));
	return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}
