#include "engine/own/own_inside.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"

const char *own_cflags(const struct own *own)
{
	return own->cflags;
}

const struct own_description *own_description(const struct own *own)
{
	return &own->description;
}

uint64_t own_elements(const struct own *own, int64_t n)
{
	return (uint64_t)own_count(&own->description.elements, n);
}

const char *own_value_of(const struct own_knob *knob, int64_t index)
{
	const char *at = knob->words;

	while (index-- > 0 && *at)
		at += strlen(at) + 1;
	return at;
}

struct own_macro own_macro_of(const struct own *own, const struct own_knob *knob)
{
	struct own_macro macro;

	snprintf(macro.name, sizeof(macro.name), "%s", knob->name);
	for (char *c = macro.name; *c && language_of(own->path)->capitals; c++)
		*c = (char)toupper((unsigned char)*c);
	return macro;
}

/* Adds one of the user's knobs to the compiler flags: " -DUNROLL=4". */
static void add_macro(
	const struct own *own, struct text *flags, const struct own_knob *knob, int64_t v)
{
	struct text option = { 0 };
	const char *format = language_of(own->path)->macro, *name = strstr(format, "%s"),
		   *value = strstr(name + 2, "%s");

	text_addf(&option, "%.*s%s%.*s", (int)(name - format), format, own_macro_of(own, knob).name,
		(int)(value - name - 2), name + 2);
	if (knob->words[0])
		text_add(&option, own_value_of(knob, v));
	else
		text_addf(&option, "%" PRId64, v);
	text_addf(flags, "%s%s", option.bytes, value + 2);
	text_free(&option);
}

/* Returns the compiler flags for the values of the kernel's knobs. The caller frees the string. */
static char *flags_of(const struct own *own, const int64_t *v)
{
	const struct own_description *description = &own->description;
	struct text flags = { 0 };

	text_add(&flags, own_value_of(&description->cflags, v[1 + description->knobs]));
	for (int i = 0; i < description->knobs; i++)
		add_macro(own, &flags, &description->knob[i], v[1 + i]);
	return flags.bytes ? flags.bytes : memory_string("");
}

const struct own_build *own_build_of(const struct own *own, const int64_t *v)
{
	char *flags = flags_of(own, v);
	const struct own_build *build = own_builds_find(own->builds, flags);

	free(flags);
	return build;
}

bool own_is_built(const struct own *own, const int64_t *v)
{
	return own_build_of(own, v) != NULL;
}

struct status own_build(
	const struct own *own, const int64_t *v, const atomic_bool *cancel, struct text *said)
{
	char *flags = flags_of(own, v);
	struct status status = own_builds_make(own->builds, own->path, flags, cancel, said);

	free(flags);
	return status;
}
