/* The explorer's pictures: what the session asks for when the command `picture` is given. */
#ifndef SLX_EXPLORER_PAINTER_PICTURE_H
#define SLX_EXPLORER_PAINTER_PICTURE_H

#include "explorer/painter.h"

/* Draws with chart_view() and saves with picture_save(). */
extern const struct painter painter_pictures;

#endif
