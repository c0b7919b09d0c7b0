#include "model/program/demangle.h"

#include <ctype.h>
#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
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

/* Whether `name` ends with the hash that Rust adds: "::h" and 16 hexadecimal digits. */
static bool has_hash(const char *name)
{
	size_t length = strlen(name);

	if (length < 20 || strncmp(name + length - 19, "::h", 3) != 0)
		return false;
	for (const char *digit = name + length - 16; *digit; digit++)
		if (!isxdigit((unsigned char)*digit))
			return false;
	return true;
}

/* Reads an escape sequence of a Rust name: $LT$ means "<", and $u7b$ the character of the code 7b.
 * Returns its length; 0: there is none at `at`. Source: rustc, legacy symbol mangling. */
static size_t take_escape(const char *at, char *meant)
{
	static const struct {
		const char *escape;
		char meant;
	} escapes[] = { { "$SP$", '@' }, { "$BP$", '*' }, { "$RF$", '&' }, { "$LT$", '<' },
		{ "$GT$", '>' }, { "$LP$", '(' }, { "$RP$", ')' }, { "$C$", ',' } };
	unsigned code = 0;
	int length = 0;

	for (size_t i = 0; i < sizeof(escapes) / sizeof(*escapes); i++) {
		if (strncmp(at, escapes[i].escape, strlen(escapes[i].escape)) != 0)
			continue;
		*meant = escapes[i].meant;
		return strlen(escapes[i].escape);
	}
	if (sscanf(at, "$u%2x$%n", &code, &length) != 1 || length == 0 || code < ' ' || code > '~')
		return 0;
	*meant = (char)code;
	return (size_t)length;
}

/* Adds a name of Rust without its hash and its escape sequences. A part of a name that would begin
 * with an escape sequence begins with "_". The text ".." means "::". */
static void add_rust(const char *name, struct text *text)
{
	const char *end = name + strlen(name) - 19;

	for (const char *at = name; at < end;) {
		char meant = *at;
		size_t length;

		if (at[0] == '_' && at[1] == '$' && (at == name || at[-1] == ':'))
			at++;
		length = take_escape(at, &meant);
		if (length == 0 && strncmp(at, "..", 2) == 0) {
			text_add(text, "::");
			at += 2;
		} else {
			text_addn(text, length ? &meant : at, 1);
			at += length ? length : 1;
		}
	}
}

/* Returns the length of a symbol without the suffix ".llvm." and digits, which compilers add to the
 * mangled names of some local functions. */
static size_t mangled_length(const char *symbol)
{
	const char *suffix = strstr(symbol, ".llvm.");

	return suffix ? (size_t)(suffix - symbol) : strlen(symbol);
}

void demangle(const char *symbol, struct text *text)
{
	size_t length = mangled_length(symbol);
	char *name = NULL;
	int status = -1;

	if (strncmp(symbol, "_Z", 2) == 0 && length <= LONGEST_NAME) {
		pthread_once(&loaded, load);
		if (library) {
			char mangled[LONGEST_NAME + 1];

			memcpy(mangled, symbol, length);
			mangled[length] = '\0';
			name = library(mangled, NULL, NULL, &status);
		}
	}
	if (name && status == 0 && has_hash(name))
		add_rust(name, text);
	else
		text_add(text, name && status == 0 ? name : symbol);
	free(name);
}

bool demangled_is(const char *demangled, const char *given)
{
	size_t length = strlen(given);

	return strncmp(demangled, given, length) == 0 &&
	       (demangled[length] == '\0' || demangled[length] == '(' || demangled[length] == '[');
}

/* Returns the end of the template arguments that begin at `at`, or `at` if there are none. */
static const char *behind_arguments(const char *at)
{
	int depth = 0;

	if (*at != '<')
		return at;
	for (; *at; at++) {
		depth += (*at == '<') - (*at == '>' && at[-1] != '-');
		if (depth == 0)
			return at + 1;
	}
	return at;
}

static bool ends_name(const char *at)
{
	return *at == '\0' || *at == '(' || *at == '[';
}

bool demangled_ends(const char *demangled, const char *given)
{
	size_t length = strlen(given);
	int depth = 0;

	for (const char *at = demangled; *at; at++) {
		bool begins = at == demangled || at[-1] == ':' || at[-1] == ' ';

		if (depth == 0 && begins && strncmp(at, given, length) == 0 &&
			(ends_name(at + length) || ends_name(behind_arguments(at + length))))
			return true;
		depth += (*at == '<' || *at == '(') - (*at == '>' || *at == ')');
	}
	return false;
}
