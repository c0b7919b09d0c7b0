/* Presses every key on one screen after another, each in a process of its own that starts from the
 * same state, and compares the screens before and after. */
#include "pressed.h"

#include <locale.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/text.h"
#include "canned.h"

/* The screen as text, which the caller frees. */
static char *screen_text(struct frontend *front, double now)
{
	char *text;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	frontend_draw(front, now);
	canvas_print(&front->canvas, out);
	fclose(out);
	return text;
}

/* Whether a key changes the screen, or ends the program. */
static bool acts_seen(struct frontend *front, int code, const char *before, double now)
{
	const char *notice = session_screen(front->session)->notice;
	struct words message = words_of("%s", notice);
	int status;
	pid_t child;

	fflush(NULL);
	child = fork();
	if (child == 0) {
		/* No key may write a file: a file cannot be made in this directory. */
		if (chdir("/proc"))
			_exit(2);
		frontend_input(front, &(struct input){ code }, now);
		/* Drawing takes most of the time, and a new message is always drawn. */
		if (notice[0] && strcmp(notice, message.text) != 0)
			_exit(0);
		_exit(strcmp(before, screen_text(front, now)) == 0 &&
			!session_quit(front->session));
	}
	return child > 0 && waitpid(child, &status, 0) == child && WIFEXITED(status) &&
	       WEXITSTATUS(status) == 0;
}

/* Whether a key has a row of its own in this state of the screen, and is the first with its
 * command. */
static bool has_row(const struct keys *keys, enum context context, int code)
{
	const struct key_row *row = keys_find(keys, context, code), *first = keys->row;

	if (!row || row->code != code)
		return false;
	while (first->context != context || strcmp(first->command, row->command) != 0)
		first++;
	return first == row;
}

/* Whether a key stands for many keys without a row. */
static bool stands_for_others(int code)
{
	return code == '6' || code == '~' || code == KEYCODE_HOME || code == KEYCODE_F12 ||
	       code == KEYCODE_CONTROL_A;
}

int pressed(struct frontend *front, const char *name, bool all, double now, FILE *out)
{
	enum context context = keys_context(session_screen(front->session));
	char *before = screen_text(front, now);
	int unseen = 0;

	for (int code = ' '; code <= KEYCODE_CONTROL_Z; code++) {
		if (code == 0x7f)
			code = KEYCODE_ENTER;
		if ((!all && !has_row(&front->keys, context, code) && !stands_for_others(code)) ||
			acts_seen(front, code, before, now))
			continue;
		fprintf(out, "%s: the key %s acts unseen\n", name, keys_name(code).text);
		unseen++;
	}
	free(before);
	return unseen;
}
