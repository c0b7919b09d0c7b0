#include "cli/finding.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/text.h"

const char *check_state_name(enum check_state state)
{
	static const char *const names[] = {
		[CHECK_OK] = "ok", [CHECK_NOTE] = "note", [CHECK_BAD] = "bad"
	};

	return names[state];
}

void check_found(struct check *check, enum check_state state, const char *format, ...)
{
	va_list arguments;

	check->state = state;
	va_start(arguments, format);
	vsnprintf(check->finding, sizeof(check->finding), format, arguments);
	va_end(arguments);
}

void check_add(struct check *check, const char *format, ...)
{
	size_t used = strlen(check->finding);
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(check->finding + used, sizeof(check->finding) - used, format, arguments);
	va_end(arguments);
	text_cut_clean(check->finding, sizeof(check->finding));
}

void check_advise(struct check *check, const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(check->advice, sizeof(check->advice), format, arguments);
	va_end(arguments);
}

void check_figure(struct check *check, double value, const char *unit)
{
	check->value = value;
	snprintf(check->unit, sizeof(check->unit), "%s", unit);
}
