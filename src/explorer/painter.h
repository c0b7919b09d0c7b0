/* Who draws what is on screen into a file: an interface, since the session itself draws nothing.
 * src/picture has one. */
#ifndef SLX_EXPLORER_PAINTER_H
#define SLX_EXPLORER_PAINTER_H

#include <stddef.h>

#include "base/status.h"
#include "explorer/view.h"

struct painter {
	void *context;
	/* What the command `picture` asks for: arguments is "[light|dark] [FILE]"; without a file a
	 * new one is made in the current directory. `said` gets what to tell when it worked. */
	struct status (*paint)(void *context, const struct view *view, const char *arguments,
		char *said, size_t size);
};

#endif
