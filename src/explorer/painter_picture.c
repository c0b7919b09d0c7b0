#include "explorer/painter_picture.h"

#include <stdio.h>
#include <string.h>

#include "base/file.h"
#include "explorer/chart_view.h"
#include "picture/picture.h"
#include "recording/replay.h"

/* "light FILE", "dark", "FILE": takes the theme off the front. */
static enum picture_theme take_theme(const char **arguments)
{
	for (int i = 0; picture_theme_names[i]; i++) {
		size_t length = strlen(picture_theme_names[i]);

		if (strncmp(*arguments, picture_theme_names[i], length) != 0 ||
			((*arguments)[length] && (*arguments)[length] != ' '))
			continue;
		*arguments += length;
		*arguments += strspn(*arguments, " ");
		return (enum picture_theme)i;
	}
	return PICTURE_LIGHT;
}

static struct status paint(
	void *context, const struct view *view, const char *arguments, char *said, size_t size)
{
	enum picture_theme theme = take_theme(&arguments);
	struct chart_origin origin = { .machine = view->machine,
		.now = time(NULL),
		.core = view->core && !view->foreign ? view->core->title : NULL };
	const char *what = "", *place = arguments;
	char path[FILE_PATH];
	struct chart *chart;
	struct status status = status_ok();

	(void)context;
	if (view->place) {
		origin.when = view->place->time;
		origin.program = view->place->program;
	}
	if (*arguments)
		status = picture_check(arguments);
	if (status_is_ok(&status))
		status = chart_view(view, &origin, &chart, &what);
	if (!status_is_ok(&status))
		return status;
	if (*arguments) {
		status = picture_save(chart, theme, arguments);
	} else {
		status = picture_save_new(chart, theme, what, path, sizeof(path));
		place = path;
	}
	chart_free(chart);
	if (status_is_ok(&status))
		snprintf(said, size, "picture: %.180s", place);
	return status;
}

const struct painter painter_pictures = { .paint = paint };
