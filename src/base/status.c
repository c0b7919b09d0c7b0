#include "base/status.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/text.h"

struct status status_ok(void)
{
	struct status status;

	/* The rest of the message buffer stays unset, which saves time: one screen may check
	 * thousands of settings. */
	status.code = STATUS_OK;
	status.text[0] = '\0';
	return status;
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
	/* Replace control characters, also those of two bytes, and invalid UTF-8: a line break, an
	 * escape sequence or another direction of writing must not reach the terminal. */
	for (char *c = status.text; *c;) {
		size_t bytes = text_character(c);

		if (bytes == 0)
			*c = '?';
		c += bytes ? bytes : 1;
	}
	return status;
}

struct status status_unknown(const char *what, const char *word, const char *const *names,
	size_t count, const char *remedy)
{
	struct near_names near = nearest_names(word, names, count);
	char all[204] = "one of ";

	if (near.text[0])
		return status_usage("%s \"%.60s\"; did you mean %s?", what, word, near.text);
	for (size_t i = 0, used = 7; i < count && used + strlen(names[i]) + 3 < sizeof(all); i++)
		used += (size_t)sprintf(all + used, "%s%s", i ? ", " : "", names[i]);
	return status_usage("%s \"%.60s\"; %s", what, word, remedy ? remedy : all);
}

struct status status_unopened(const char *path, int error)
{
	bool refused = error == EMFILE || error == ENFILE || error == ENOMEM || error == EIO ||
		       error == ENOSPC || error == EAGAIN;

	return status_make(
		refused ? STATUS_FAILED : STATUS_USAGE, "%.200s: %s", path, strerror(error));
}
