/* Any bytes as the file of saved settings: what is read of it is allowed, and a change of one
 * setting keeps all other lines. */
#include "fuzz.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "explorer/state.h"

static const char first[] = "# Settings\nmouse on\ntheme light\nlast mul-chain acc=2\n"
			    "key x next-panel\nkey F5 measure-memory\n";
static const char second[] = "mouse maybe\ntheme\nlast a\nlast b\nkey\nother 3\n\tmouse off  \n";

const struct fuzz_seed fuzz_seeds[] = { FUZZ_TEXT(first), FUZZ_TEXT(second), { NULL, 0 } };
const uint64_t fuzz_runs = 500;

static char folder[] = "/tmp/slexplore-fuzz-XXXXXX", path[96];
static struct session session;

static void demand(bool good)
{
	if (!good)
		abort();
}

static void clean_up(void)
{
	char inner[64];

	unlink(path);
	snprintf(inner, sizeof(inner), "%s/slexplore", folder);
	rmdir(inner);
	rmdir(folder);
}

static void begin(void)
{
	demand(mkdtemp(folder) != NULL);
	snprintf(path, sizeof(path), "%s/slexplore", folder);
	demand(mkdir(path, 0700) == 0);
	snprintf(path, sizeof(path), "%s/slexplore/settings", folder);
	setenv("XDG_CONFIG_HOME", folder, 1);
	unsetenv("SLEXPLORE_DATA");
	atexit(clean_up);
}

static void put(const uint8_t *data, size_t size)
{
	FILE *file = fopen(path, "wb");

	demand(file && fwrite(data, 1, size, file) == size);
	fclose(file);
}

/* Reads the file into the session. */
static void open_saved(void)
{
	memset(&session.saved, 0, sizeof(session.saved));
	saved_begin(&session, true);
	for (int i = 0; i < SAVED_MOST; i++)
		for (const char *c = session.saved.value[i]; c && *c; c++)
			demand(*c == '\n' || *c == '\t' || (unsigned char)*c >= ' ');
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct status status;
	char last[SAVED_SIZE];

	if (!path[0])
		begin();
	put(data, size);
	open_saved();
	snprintf(last, sizeof(last), "%s", session_saved(&session, "last"));
	saved_set(&session, "mouse", "on");
	status = saved_write(&session);
	saved_end(&session);
	/* A file with NUL bytes cannot be written again. */
	if (!status_is_ok(&status))
		return 0;
	open_saved();
	demand(strcmp(session_saved(&session, "mouse"), "on") == 0);
	demand(strcmp(session_saved(&session, "last"), last) == 0);
	saved_end(&session);
	return 0;
}
