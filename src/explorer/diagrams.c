#include "explorer/diagrams.h"

#include <stdlib.h>

#include "base/text.h"
#include "explorer/state.h"

/* The diagrams that were computed last. `timeline_of` and `graph_of` are the numbers of their
 * explanations (insight.h); 0: none. */
struct diagrams_made {
	struct timeline timeline;
	struct dataflow dataflow;
	unsigned timeline_of, graph_of;
};

void diagrams_start(struct session *session)
{
	session->diagrams.made = memory_new(1, sizeof(*session->diagrams.made));
}

void diagrams_end(struct session *session)
{
	timeline_free(&session->diagrams.made->timeline);
	dataflow_free(&session->diagrams.made->dataflow);
	free(session->diagrams.made);
}

bool diagrams_in_front(const struct session *session, const char *name)
{
	return screen_in_front(session, name) && diagrams_there(session);
}

bool diagrams_there(const struct session *session)
{
	const struct insight *insight = &session->insight;

	/* A replay has the text of the code, but no core model. */
	return insight->reading || (insight_ready(session) && insight->explanation->limits.uarch &&
					   insight->explanation->loop.path_count > 0);
}

void diagrams_begin(struct session *session)
{
	session->diagrams.row = session->diagrams.shift = 0;
}

void diagrams_move(struct session *session, int row)
{
	session->diagrams.row = row;
}

void diagrams_slide(struct session *session, int shift)
{
	session->diagrams.shift = shift;
}

int diagrams_rows(const struct session *session)
{
	const struct diagrams_made *made = session->diagrams.made;

	if (insight_shown(session) && made->timeline_of == session->insight.number &&
		screen_in_front(session, "timeline"))
		return made->timeline.row_count;
	if (insight_shown(session) && made->graph_of == session->insight.number &&
		screen_in_front(session, "graph"))
		return made->dataflow.row_count;
	return 0;
}

void diagrams_view(const struct session *session, struct view *view)
{
	struct diagrams_made *made = session->diagrams.made;
	unsigned number = session->insight.number;

	view->diagram_row = session->diagrams.row;
	view->diagram_shift = session->diagrams.shift;
	if (!view->explanation)
		return;
	if (diagrams_in_front(session, "timeline")) {
		if (made->timeline_of != number)
			timeline_make(view->explanation, &made->timeline);
		made->timeline_of = number;
		view->timeline = &made->timeline;
	}
	if (diagrams_in_front(session, "graph")) {
		if (made->graph_of != number)
			dataflow_make(view->explanation, &made->dataflow);
		made->graph_of = number;
		view->dataflow = &made->dataflow;
	}
}
