/* Presses every key on one screen after another, each in a process of its own that starts from the
 * same state, and compares the screens before and after. */
#include "pressed.h"

#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/text.h"
#include "canned.h"

/* With the address sanitizer, a fork takes milliseconds. So each screen gets only every fourth key
 * then, and not every screen gets the same keys. Without it, each screen gets each key. */
#ifdef __SANITIZE_ADDRESS__
enum { KEYS_EACH = 4 };
#else
enum { KEYS_EACH = 1 };
#endif

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

/* Whether a key is the first with its command: a few keys stand for the keys of a class,
 * such as the digits. */
static bool is_first(const struct keys *keys, enum context context, int code)
{
	const struct key_row *row = keys_find(keys, context, code), *first = keys->row;

	if (row->code != code)
		return code == 'a' || code == '1' || code == '6';
	while (first->context != context || strcmp(first->command, row->command) != 0)
		first++;
	return first == row;
}

/* Whether a key without a row shows a message that names it. Such a key changes nothing else, so it
 * needs no process of its own. */
static bool is_refused(struct frontend *front, int code, double now)
{
	const char *notice = session_screen(front->session)->notice;

	frontend_input(front, &(struct input){ code }, now);
	return strstr(notice, keys_name(code).text) && strstr(notice, "does nothing here");
}

int pressed(struct frontend *front, const char *name, double now, FILE *out)
{
	enum context context = keys_context(session_screen(front->session));
	char *before = screen_text(front, now);
	int unseen = 0, name_length = (int)strlen(name);

	/* The messages of refused keys stay, so these keys come last. */
	for (int refused = 0; refused < 2; refused++)
		for (int code = ' '; code <= KEYCODE_CONTROL_Z; code++) {
			bool row;

			if (code >= 0x7f && code < KEYCODE_ENTER)
				code = KEYCODE_ENTER;
			if ((code + name_length) % KEYS_EACH)
				continue;
			row = keys_find(&front->keys, context, code) != NULL;
			if (row == refused || (row && !is_first(&front->keys, context, code)) ||
				(refused ? is_refused(front, code, now)
					 : acts_seen(front, code, before, now)))
				continue;
			fprintf(out, "%s: the key %s acts unseen\n", name, keys_name(code).text);
			unseen++;
		}
	free(before);
	return unseen;
}
