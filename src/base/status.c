#include "base/status.h"

#include <stdarg.h>
#include <stdio.h>

#include "base/text.h"

struct status status_ok(void)
{
	return (struct status){ .code = STATUS_OK };
}

struct status status_make(enum status_code code, const char *format, ...)
{
	struct status status = { .code = code };
	va_list arguments;
	int length;

	va_start(arguments, format);
	length = vsnprintf(status.text, sizeof(status.text), format, arguments);
	va_end(arguments);
	if (length < 0)
		status.text[0] = '\0';
	text_cut_clean(status.text, sizeof(status.text));
	/* Replace control characters: a line break or an escape sequence must not reach the
	 * terminal. */
	for (char *c = status.text; *c; c++)
		if ((unsigned char)*c < 0x20 || *c == 0x7f)
			*c = '?';
	return status;
}
