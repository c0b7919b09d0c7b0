#include "explorer/on_screen.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "explorer/state.h"

/* ---- panels ---- */

void screen_end(struct session *session)
{
	free(session->screen.page);
}

void screen_begin(struct session *session)
{
	session->screen.front = session->screen.before = "curves";
	session->screen.focus = "knobs";
	session->screen.preset = "";
}

void screen_bring(struct session *session, const char *front)
{
	struct screen *screen = &session->screen;

	if (strcmp(screen->front, "counters") != 0)
		screen->before = screen->front;
	screen->front = front;
	screen->answered = session->setting.kernel;
	screen->by_itself = false;
	/* The panels of the kernels and of the knobs, which arrow keys can act on, are always on
	 * screen. */
	if (strcmp(screen->focus, "kernels") != 0 && strcmp(screen->focus, front) != 0)
		screen->focus = "knobs";
}

void screen_cover(struct session *session)
{
	struct screen *screen = &session->screen;

	screen->under = screen->chosen ? screen->front : NULL;
}

void screen_chosen(struct session *session, const char *front)
{
	const char **own = session->screen.own;
	int from = 0;

	session->screen.chosen = true;
	while (from < SCREEN_ORDER - 1 && own[from] && strcmp(own[from], front) != 0)
		from++;
	memmove(own + 1, own, (size_t)from * sizeof(own[0]));
	own[0] = front;
}

void screen_keep(struct session *session)
{
	session->screen.chosen = session->screen.kept = true;
	session->screen.by_itself = false;
}

void screen_order(struct session *session, const char *preset, const char *const *panels)
{
	struct screen *screen = &session->screen;

	screen->preset = preset;
	screen->chosen = panels;
	screen->kept = false;
	screen->answered = session->setting.kernel;
	for (int i = 0; i < SCREEN_ORDER; i++)
		screen->order[i] = panels ? panels[i] : NULL;
}

void screen_answer(struct session *session, const struct kernel *kernel)
{
	session->screen.answered = kernel;
	session->screen.by_itself = true;
	session->screen.chosen = session->screen.order[0];
}

bool screen_in_front(const struct session *session, const char *front)
{
	return strcmp(session->screen.front, front) == 0;
}

void screen_present(struct session *session, bool present)
{
	session->screen.present = present;
}

void screen_focus(struct session *session, const char *pane)
{
	session->screen.focus = pane;
}

bool screen_focused(const struct session *session, const char *pane)
{
	return strcmp(session->screen.focus, pane) == 0;
}

/* ---- the typed value ---- */

void entry_drop(struct session *session)
{
	session->screen.entry[0] = '\0';
	session->screen.entry_refused = false;
}

void entry_add(struct session *session, char character)
{
	struct screen *screen = &session->screen;
	size_t length;

	if (screen->entry_refused)
		entry_drop(session);
	length = strlen(screen->entry);
	screen->entry[length] = character;
	screen->entry[length + 1] = '\0';
}

void entry_erase(struct session *session)
{
	struct screen *screen = &session->screen;
	size_t length = strlen(screen->entry);

	if (length)
		screen->entry[length - 1] = '\0';
	screen->entry_refused = false;
}

void entry_refuse(struct session *session)
{
	session->screen.entry_refused = true;
}

/* ---- the guess ---- */

void guess_open(struct session *session, const char *text)
{
	struct screen *screen = &session->screen;

	snprintf(screen->guess, sizeof(screen->guess), "%s", text);
	text_cut_clean(screen->guess, sizeof(screen->guess));
	screen->guessing = true;
	entry_drop(session);
}

void guess_add(struct session *session, const char *character)
{
	struct screen *screen = &session->screen;
	size_t length = strlen(screen->guess);

	if (length + strlen(character) < sizeof(screen->guess))
		strcpy(screen->guess + length, character);
}

void guess_erase(struct session *session)
{
	struct screen *screen = &session->screen;
	size_t length = strlen(screen->guess);

	while (length > 0 && ((unsigned char)screen->guess[--length] & 0xc0) == 0x80)
		;
	screen->guess[length] = '\0';
}

void guess_drop(struct session *session)
{
	session->screen.guess[0] = '\0';
	session->screen.guessing = false;
}

/* ---- the presenter's mark ---- */

void screen_mark(struct session *session, int by, int rows)
{
	struct screen *screen = &session->screen;
	int to = screen->mark ? screen->mark + by : by < 0 ? rows : 2;

	screen->mark = !by ? 0 : to < 1 ? 1 : to > rows ? rows : to;
}

void screen_blank(struct session *session, bool blank)
{
	session->screen.blank = blank;
}

/* ---- overlays ---- */

void overlay_open(struct session *session, enum overlay overlay)
{
	session->screen.overlay = overlay;
	session->screen.scroll = 0;
}

void overlay_move(struct session *session, int lines)
{
	struct screen *screen = &session->screen;

	*(screen->overlay == OVERLAY_FIND ? &screen->found_selected : &screen->scroll) += lines;
}

void overlay_text(struct session *session, const char *title, const char *text)
{
	struct screen *screen = &session->screen;

	snprintf(screen->text, sizeof(screen->text), "%s", text);
	text_cut_clean(screen->text, sizeof(screen->text));
	snprintf(screen->text_title, sizeof(screen->text_title), "%s", title);
	overlay_open(session, OVERLAY_TEXT);
}

void overlay_page(struct session *session, const char *command, const char *title, char *page)
{
	struct screen *screen = &session->screen;

	free(screen->page);
	screen->page = page;
	screen->page_command = command;
	screen->page_answers = strcmp(command, "lesson") == 0;
	snprintf(screen->page_title, sizeof(screen->page_title), "%s", title);
	overlay_open(session, OVERLAY_PAGE);
}

bool overlay_shows_page(const struct session *session, const char *command)
{
	return session->screen.overlay == OVERLAY_PAGE &&
	       strcmp(session->screen.page_command, command) == 0;
}

void screen_want_shot(struct session *session, bool wanted, const char *name)
{
	session->screen.shot_wanted = wanted;
	snprintf(session->screen.shot, sizeof(session->screen.shot), "%s", name);
}

void find_open(struct session *session, const char *text, const struct view_found *found, int count,
	int more)
{
	struct screen *screen = &session->screen;

	snprintf(screen->find, sizeof(screen->find), "%s", text);
	text_cut_clean(screen->find, sizeof(screen->find));
	memcpy(screen->found, found, (size_t)count * sizeof(found[0]));
	screen->found_count = count;
	screen->found_more = more;
	screen->found_selected = 0;
	overlay_open(session, OVERLAY_FIND);
}

const char *find_command(const struct session *session)
{
	const struct screen *screen = &session->screen;

	return screen->overlay == OVERLAY_FIND && screen->found_selected < screen->found_count
		       ? screen->found[screen->found_selected].command
		       : "";
}

/* ---- the notice ---- */

void session_notice(struct session *session, bool bad, const char *format, ...)
{
	struct screen *screen = &session->screen;
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(screen->notice, sizeof(screen->notice), format, arguments);
	va_end(arguments);
	screen->notice_bad = bad;
	screen->notice_until = INFINITY;
}

void notice_clear(struct session *session)
{
	session->screen.notice[0] = '\0';
	session->screen.notice_bad = false;
}

void notice_limit_to(struct session *session, double seconds)
{
	session->screen.notice_until = session->now + seconds;
}

/* A user needs a second to read 15 characters. An error about a value or a search text stays on
 * screen as long as the user types that text. */
void notice_limit(struct session *session)
{
	const struct screen *screen = &session->screen;

	if (screen->notice[0] && !screen->entry[0] &&
		!(screen->notice_bad && screen->overlay == OVERLAY_FIND))
		notice_limit_to(session, 3 + (double)strlen(session->screen.notice) / 15);
}

bool notice_expire(struct session *session)
{
	if (!session->screen.notice[0] || session->now < session->screen.notice_until)
		return false;
	notice_clear(session);
	return true;
}
