/* Finds the function that a user means. */
#include <ctype.h>
#include <inttypes.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "model/program/demangle.h"
#include "model/program/program_inside.h"

/* How many functions a message names, and after how many bytes a list of names ends. */
enum { SHOWN = 8, LIST_BYTES = 150 };

/* The functions that fit the name or address that a user gave. */
struct matches {
	const struct program_function *function[SHOWN];
	const struct program_function *last;
	size_t count;	    /* number of all matches; the array has only the first matches */
	const char *symbol; /* the name of the function that was matched last; NULL: none */
};

static void add_match(struct matches *matches, const struct program_function *function)
{
	const size_t most = sizeof(matches->function) / sizeof(*matches->function);

	if (!function || function == matches->last)
		return;
	matches->last = function;
	for (size_t i = 0; i < matches->count && i < most; i++)
		if (matches->function[i] == function)
			return;
	if (matches->count < most)
		matches->function[matches->count] = function;
	matches->count++;
}

static struct status several(const char *given, const struct matches *matches)
{
	struct text list = { 0 };
	struct status status;

	for (size_t i = 0; i < matches->count && i < SHOWN; i++) {
		struct text name = { 0 };

		program_add_name(matches->function[i], &name);
		text_addf(&list, "%s0x%" PRIx64, i ? ", " : "", matches->function[i]->address);
		if (matches->function[i]->symbol && strcmp(text_string(&name), given) != 0)
			text_addf(&list, " (%.28s%s)", text_string(&name),
				name.length > 28 ? "..." : "");
		text_free(&name);
	}
	status = status_usage("%zu functions fit the name \"%.60s\"; use the address of one: %s%s",
		matches->count, given, text_string(&list), matches->count > SHOWN ? ", ..." : "");
	text_free(&list);
	return status;
}

/* A resolver chooses a version of its function when the program starts. The message names the
 * versions. */
static struct status versions(
	struct program *program, const char *given, const struct program_function *resolver)
{
	struct text list = { 0 };
	struct status status;
	uint64_t address[SHOWN];
	size_t count = program_versions(program, resolver, address, SHOWN), i;

	for (i = 0; i < count && list.length < LIST_BYTES; i++) {
		const struct program_function *function = program_function_at(program, address[i]);
		struct text name = { 0 };

		program_add_name(function, &name);
		text_add(&list, i ? ", " : "; use the address or name of one: ");
		if (function->address == address[i] && strcmp(text_string(&name), given) != 0)
			text_add(&list, text_string(&name));
		else
			text_addf(&list, "0x%" PRIx64, address[i]);
		text_free(&name);
	}
	status =
		status_usage("when a program starts, \"%.60s\" chooses one of its versions for the "
			     "processor%s%s",
			given, text_string(&list), i < count || count == SHOWN ? ", ..." : "");
	text_free(&list);
	return status;
}

/* The last part of a name, which a mangled name contains too: "push" of "stack::push(int)". */
static void last_part(const char *given, char *part, size_t size)
{
	size_t end = strcspn(given, "(<"), begin = end;

	while (begin > 0 && (isalnum((unsigned char)given[begin - 1]) || given[begin - 1] == '_'))
		begin--;
	snprintf(part, size, "%.*s", (int)(end - begin), given + begin);
}

/* Whether a compiler derived the symbol from the name: "sum.part.0", "sum.constprop.0". */
static bool is_clone(const char *symbol, const char *given)
{
	size_t length = strlen(given);

	return strncmp(symbol, given, length) == 0 && symbol[length] == '.';
}

/* The ways in which a symbol may fit a name, from the closest to the loosest. */
enum { FITS_SYMBOL, FITS_DEMANGLED, FITS_CLONE, FITS_LAST_PART, FITS };

static bool symbol_fits(const char *symbol, const char *given, const char *part, int way)
{
	size_t length = strlen(given);
	struct text name = { 0 };
	bool fits;

	if (way == FITS_SYMBOL)
		return strncmp(symbol, given, length) == 0 &&
		       (!symbol[length] || symbol[length] == '@');
	if (way == FITS_CLONE)
		return is_clone(symbol, given);
	if (strncmp(symbol, "_Z", 2) != 0 || !strstr(symbol, part))
		return false;
	demangle(symbol, &name);
	fits = way == FITS_DEMANGLED ? demangled_is(text_string(&name), given)
				     : demangled_ends(text_string(&name), given);
	text_free(&name);
	return fits;
}

static void match_names(const struct program *program, const char *given, struct matches *matches)
{
	char part[256];

	last_part(given, part, sizeof(part));
	for (int way = 0; way < FITS && matches->count == 0; way++) {
		for (size_t i = 0; i < program->symbol_count; i++) {
			const char *symbol = program->symbol[i].function.symbol;

			if (!symbol || !symbol_fits(symbol, given, part, way))
				continue;
			matches->symbol = symbol;
			add_match(matches,
				program_function_at(program, program->symbol[i].function.address));
		}
	}
}

static struct status find_name(
	struct program *program, const char *given, struct program_place *place)
{
	struct matches matches = { 0 };
	const char **names;
	size_t count = 0;
	struct status status;

	match_names(program, given, &matches);
	if (matches.count > 0 && matches.function[0]->chooses)
		return versions(program, given, matches.function[0]);
	if (matches.count == 1) {
		place->function = *matches.function[0];
		place->function.symbol = matches.symbol;
		return status_ok();
	}
	if (matches.count > 1)
		return several(given, &matches);
	names = memory_new(program->function_count + 1, sizeof(*names));
	for (size_t i = 0; i < program->function_count && count < 20000; i++)
		if (program->function[i].symbol && strlen(program->function[i].symbol) < 64)
			names[count++] = program->function[i].symbol;
	status = status_unknown("unknown function", given, names, count,
		"without --function, explain lists the functions that contain loops");
	free(names);
	return status;
}

static struct status find_address(
	struct program *program, const char *given, struct program_place *place)
{
	char *end;
	uint64_t address = strtoull(given, &end, 16);
	const struct program_function *function = program_function_at(program, address);

	if (*end)
		return status_usage("\"%.60s\" is no address: use hexadecimal digits after 0x, as "
				    "objdump -d shows them",
			given);
	if (!function)
		return status_usage("no function contains the address %.60s", given);
	place->function = *function;
	if (address != function->address)
		place->address[place->address_count++] = address;
	return status_ok();
}

/* Lists the addresses of a source line, from the program or its file with debug information. */
static size_t line_addresses(
	struct program *program, const char *file, int line, uint64_t *addresses, size_t most)
{
	size_t count = lines_addresses(&program->elf, file, line, addresses, most);

	if (count == 0 && program->debug.fd >= 0)
		count = lines_addresses(&program->debug, file, line, addresses, most);
	return count;
}

/* Returns the nearest source line that has code, as lines_nearest() does, from the program or its
 * file with debug information. */
static int nearest_line(struct program *program, const char *file, int line)
{
	int nearest = lines_nearest(&program->elf, file, line);

	return nearest || program->debug.fd < 0 ? nearest
						: lines_nearest(&program->debug, file, line);
}

/* The message about a source line without machine code. */
static struct status no_line(struct program *program, const char *given, const char *file, int line)
{
	const char *slash = strrchr(file, '/');
	int nearest;

	if (!elf_find(&program->elf, ".debug_line") && program->debug.fd < 0)
		return status_usage("the program has no line tables, so \"%.60s\" is not found: "
				    "compile the program with -g, or give a function or an address",
			given);
	nearest = nearest_line(program, file, line);
	if (nearest == 0 && slash)
		nearest = nearest_line(program, slash + 1, line);
	if (nearest == 0)
		return status_usage(
			"the program's line tables have no code of a file \"%.60s\"", file);
	return status_usage("no machine code of the program begins at source line \"%.60s\"; the "
			    "nearest line with code is %d",
		given, nearest);
}

static struct status find_line(
	struct program *program, const char *given, const char *colon, struct program_place *place)
{
	enum { MOST = 4096 };
	const size_t room = sizeof(place->address) / sizeof(*place->address);
	uint64_t *addresses = memory_new(MOST, sizeof(*addresses));
	struct words file = words_of("%.*s", (int)(colon - given), given);
	struct matches matches = { 0 };
	struct status status = status_ok();
	const char *slash = strrchr(file.text, '/');
	long number = strtol(colon + 1, NULL, 10);
	int line = number < INT_MAX ? (int)number : INT_MAX;
	size_t count = line_addresses(program, file.text, line, addresses, MOST);

	/* Line tables may lack the directory that the user named. */
	if (count == 0 && slash)
		count = line_addresses(program, slash + 1, line, addresses, MOST);
	for (size_t i = 0; i < count; i++) {
		const struct program_function *function =
			program_function_at(program, addresses[i]);

		if (!function)
			continue;
		add_match(&matches, function);
		if (place->address_count < room)
			place->address[place->address_count++] = addresses[i];
	}
	free(addresses);
	if (matches.count > 1)
		status = several(given, &matches);
	else if (matches.count == 1)
		place->function = *matches.function[0];
	else
		status = no_line(program, given, file.text, line);
	return status;
}

struct status program_find(struct program *program, const char *given, struct program_place *place)
{
	const char *colon = strrchr(given, ':');

	*place = (struct program_place){ .address_count = 0 };
	if (strncmp(given, "0x", 2) == 0)
		return find_address(program, given, place);
	if (colon && colon > given && colon[-1] != ':' && colon[1] &&
		colon[1 + strspn(colon + 1, "0123456789")] == '\0')
		return find_line(program, given, colon, place);
	return find_name(program, given, place);
}
