/* The command `picture`: what is in front, into a file, by whoever draws. */
#include <stdlib.h>

#include "base/text.h"
#include "explorer/painter.h"
#include "explorer/panes.h"

struct status action_picture(struct session *session, const char *arguments, double now)
{
	struct view *view;
	struct status status;
	char said[200] = "";

	if (!session->painter)
		return status_make(STATUS_USAGE, "nobody draws pictures here");
	view = memory_new(1, sizeof(*view));
	session_view(session, now, view);
	status = session->painter->paint(
		session->painter->context, view, arguments, said, sizeof(said));
	free(view);
	if (status_is_ok(&status))
		session_notice(session, false, "%s", said);
	return status;
}

/* What a key bar offers: where what is in front is, or will be, something to draw. */
bool action_picture_works(const struct session *session, const char *arguments)
{
	(void)arguments;
	return session->painter && session->front->pictured;
}
