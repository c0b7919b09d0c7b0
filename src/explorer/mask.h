/* Removes numbers from the view while the question of a lesson asks for them. */
#pragma once

struct limits;
struct view;

/* Removes all limits and port pressures. The instructions and their number stay visible, because
 * they do not give away the limits. */
void mask_limits(struct limits *limits);

/* Removes every number of the groups in view->hidden (enum lesson_hidden), every number that
 * follows from them, and the kernel's remark on the setting. Screen, pictures and texts come from
 * the view, so none of them can show a hidden number. */
void mask_view(struct view *view);
