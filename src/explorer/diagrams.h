/* The timeline and the dependence graph of the present setting. The diagrams are computed only
 * while their panel is in front. Only diagrams.c writes a `struct diagrams`. */
#pragma once

#include <stdbool.h>

#include "explorer/view.h"

struct session;
struct diagrams_made;

struct diagrams {
	/* The timeline and the graph, each with the number of the explanation (analysis of the
	 * setting's code) that it shows. diagrams_view() fills them for a new explanation. */
	struct diagrams_made *made;
	int row;   /* the chosen row */
	int shift; /* number of columns by which the diagram is scrolled to the right */
};

void diagrams_start(struct session *session);
void diagrams_end(struct session *session);

/* Whether a diagram of this name is in front: "timeline" or "graph". */
bool diagrams_in_front(const struct session *session, const char *name);
/* Whether the present setting has decoded code for a diagram. */
bool diagrams_there(const struct session *session);

/* Chooses the first row of the diagram, and scrolls the diagram to its first column. */
void diagrams_begin(struct session *session);
/* The functions diagrams_move() and diagrams_slide() choose a row and scroll to a column.
 * diagrams_rows() returns the number of rows of the diagram in front. */
void diagrams_move(struct session *session, int row);
void diagrams_slide(struct session *session, int shift);
int diagrams_rows(const struct session *session);

void diagrams_view(const struct session *session, struct view *view);
