/* Panels in front and panes under the arrows, as the session knows them: rows with the name of a
 * panel. Shared by explorer/ alone. */
#ifndef SLX_EXPLORER_PANES_H
#define SLX_EXPLORER_PANES_H

#include "explorer/state.h"

/* A panel that can come to the front. To add one: its row in panes.c. */
struct front {
	const char *name;			      /* the panel's, and the argument of `view` */
	bool (*there)(const struct session *session); /* it has something to show; NULL: always */
	bool pictured; /* `picture` can draw it: chart_view.c has a row, too */
	bool walked;   /* the arrows act on it as soon as it is in front */
};

/* A panel that the arrows can act on. To add one: its row in panes.c. */
struct pane {
	const char *name;			      /* the panel's, and the argument of `focus` */
	bool (*there)(const struct session *session); /* Tab stops there; NULL: always */
	bool (*move_works)(const struct session *session, int dx, int dy);
	struct status (*move)(struct session *session, int dx, int dy, double now);
	bool refused; /* `focus NAME` is an error where it is not there */
};

void panes_begin(struct session *session);
void panes_bring(struct session *session, const char *name);
bool panes_in_front(const struct session *session, const char *name);
void panes_focus(struct session *session, const char *name);
bool panes_focused(const struct session *session, const char *name);

struct status action_view(struct session *session, const char *arguments, double now);
bool action_view_works(const struct session *session, const char *arguments);
struct status action_view_next(struct session *session, const char *arguments, double now);
bool action_view_next_works(const struct session *session, const char *arguments);
struct status action_focus(struct session *session, const char *arguments, double now);
bool action_focus_works(const struct session *session, const char *arguments);
struct status action_focus_by(struct session *session, int direction);
struct status action_code(struct session *session, const char *arguments, double now);
bool action_code_works(const struct session *session, const char *arguments);
struct status action_counters(struct session *session, const char *arguments, double now);
bool action_counters_works(const struct session *session, const char *arguments);
struct status action_counters_by(struct session *session, const char *arguments, double now);
bool action_counters_by_works(const struct session *session, const char *arguments);

/* The arrow keys: dx and dy of -1, 0 or +1, down positive. */
struct status action_move(struct session *session, int dx, int dy, double now);
bool action_move_works(const struct session *session, int dx, int dy);

#endif
