#include "model/program/demangle.h"

#include <ctype.h>
#include <dlfcn.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

/* Longer names are not demangled: the time of the C++ library grows faster than the name. */
enum { LONGEST_NAME = 2000 };

/* __cxa_demangle() of the C++ ABI. Source: Itanium C++ ABI, section 3.4. */
typedef char *demangler(const char *symbol, char *buffer, size_t *length, int *status);

static demangler *library;
static pthread_once_t loaded = PTHREAD_ONCE_INIT;

static void load(void)
{
	void *handle = dlopen("libstdc++.so.6", RTLD_NOW | RTLD_LOCAL);

	if (!handle)
		handle = dlopen("libc++abi.so.1", RTLD_NOW | RTLD_LOCAL);
	if (handle)
		*(void **)&library = dlsym(handle, "__cxa_demangle");
}

/* The length of a name without the hash that Rust adds: "::h" and 16 hexadecimal digits. */
static size_t without_hash(const char *name)
{
	size_t length = strlen(name);

	if (length < 20 || strncmp(name + length - 19, "::h", 3) != 0)
		return length;
	for (const char *digit = name + length - 16; *digit; digit++)
		if (!isxdigit((unsigned char)*digit))
			return length;
	return length - 19;
}

void demangle(const char *symbol, struct text *text)
{
	char *name = NULL;
	int status = -1;

	if (strncmp(symbol, "_Z", 2) == 0 && strlen(symbol) <= LONGEST_NAME) {
		pthread_once(&loaded, load);
		if (library)
			name = library(symbol, NULL, NULL, &status);
	}
	if (name && status == 0)
		text_addn(text, name, without_hash(name));
	else
		text_add(text, symbol);
	free(name);
}

bool demangled_is(const char *demangled, const char *given)
{
	size_t length = strlen(given);

	return strncmp(demangled, given, length) == 0 &&
	       (demangled[length] == '\0' || demangled[length] == '(' || demangled[length] == '[');
}
