/* The explorer's pictures: what the session asks for when the command `picture` is given. */
#ifndef SLX_PICTURE_PAINTER_H
#define SLX_PICTURE_PAINTER_H

#include "session/painter.h"

/* Draws with chart_view() and saves with picture_save(). */
extern const struct painter painter_pictures;

#endif
