/* Cores and tables of instructions made for tests, in place of those that are shipped: include it
 * in one file of a program. */
#pragma once

#include "check.h"

#include "base/data.h"
#include "model/core/uarch.h"
#include "model/core/uarch_inside.h"

/* Nothing is compiled in: see uarch_fakes_setup(). */
const struct data_file data_files[] = { { NULL, NULL } };

static struct uarch *load(const char *name)
{
	struct uarch *uarch;

	check_ok(uarch_load(name, NULL, &uarch));
	return uarch;
}

/* The cores of tests/data/cores as the user's own files. */
static int uarch_fakes_setup(void **state)
{
	const char *tree = getenv("top_srcdir");
	char path[300];

	unsetenv("SLEXPLORE_DATA");
	snprintf(path, sizeof(path), "%s/tests/data/cores", tree ? tree : ".");
	setenv("XDG_CONFIG_HOME", path, 1);
	return 0;
}
