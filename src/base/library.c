#include "base/library.h"

#include <dlfcn.h>
#include <stdio.h>

bool library_load(const char *file, const struct library_function *functions, size_t count,
	char why[LIBRARY_WHY])
{
	void *library = dlopen(file, RTLD_NOW | RTLD_LOCAL);

	if (!library) {
		snprintf(why, LIBRARY_WHY, "%s", dlerror());
		return false;
	}
	for (size_t i = 0; i < count; i++) {
		*functions[i].place = dlsym(library, functions[i].name);
		if (!*functions[i].place) {
			snprintf(why, LIBRARY_WHY, "%s has no %s", file, functions[i].name);
			return false;
		}
	}
	return true;
}
