/* The core that is asked about: the running one, recognised, or another by name. */
#ifndef SLX_MODEL_CORE_CHOICE_H
#define SLX_MODEL_CORE_CHOICE_H

#include <stdbool.h>

#include "base/status.h"
#include "engine/machine/machine.h"
#include "model/core/uarch.h"

struct uarch_choice {
	struct uarch *uarch; /* NULL: not recognised, and none was named */
	bool foreign;	     /* it is not the core that measures */
	char how[160];	     /* how it was recognised, or what was taken in its place */
	char nearest[24];    /* not recognised: the model to offer; empty: none */
};

/* Chooses by name or path, or the running core for NULL. An unrecognised core is no error: uarch is
 * NULL then, and how and nearest say what to do. STATUS_USAGE for a name that does not exist or is
 * of another instruction set; STATUS_FAILED for a malformed file. */
struct status uarch_choose(
	const char *name, const struct machine *machine, struct uarch_choice *core);
void uarch_choice_free(struct uarch_choice *core);

#endif
