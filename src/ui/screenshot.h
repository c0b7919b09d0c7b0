/* A screenshot: the screen as an SVG picture. Text stays text; blocks, lines and arrows become
 * shapes, so that the picture looks the same with every font. */
#pragma once

#include <stddef.h>

#include "base/status.h"
#include "base/text.h"
#include "ui/canvas.h"
#include "ui/theme.h"

/* Appends the picture of a canvas in a dark or light theme (256 colours). title: a line that names
 * the picture for people who cannot see it. */
void screenshot_draw(
	const struct canvas *canvas, enum theme theme, const char *title, struct text *svg);

/* Saves a picture completely or not at all. If path is empty, a new file in the current directory
 * gets the next free number: slexplore-screen-1.svg; path receives this name. STATUS_USAGE: the
 * name does not end in .svg. STATUS_FAILED: the picture's file cannot be written. */
struct status screenshot_save(const struct text *svg, char *path, size_t size);
