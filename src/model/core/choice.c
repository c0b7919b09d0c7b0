#include "model/core/choice.h"

#include <stdio.h>
#include <string.h>

struct status uarch_choose(
	const char *name, const struct machine *machine, struct uarch_choice *core)
{
	char own[24] = "", why[160] = "";
	enum uarch_match match = uarch_recognise(machine, own, why);
	struct status status;

	*core = (struct uarch_choice){ 0 };
	if (!name && match != UARCH_EXACT) {
		if (match == UARCH_NEAREST)
			snprintf(core->nearest, sizeof(core->nearest), "%s", own);
		snprintf(core->how, sizeof(core->how), "%s", why);
		return status_ok();
	}
	status = uarch_load(name ? name : own, machine->arch, &core->uarch);
	if (!status_is_ok(&status))
		return status;
	if (!name || (match == UARCH_EXACT && strcmp(name, own) == 0)) {
		snprintf(core->how, sizeof(core->how), "%s", why);
	} else if (match == UARCH_NEAREST && strcmp(name, own) == 0) {
		/* The stand-in that was offered, taken at the user's word. */
		snprintf(core->how, sizeof(core->how),
			"%.48s, standing in for a core of which nothing is known",
			uarch_title(core->uarch));
	} else if (uarch_fits(core->uarch, machine)) {
		snprintf(core->how, sizeof(core->how),
			"%.60s: what it says of itself fits this core", name);
	} else {
		core->foreign = true;
		snprintf(core->how, sizeof(core->how),
			"predicted for %.48s, which is not this core", uarch_title(core->uarch));
	}
	return status;
}

void uarch_choice_free(struct uarch_choice *core)
{
	if (core->uarch)
		uarch_free(core->uarch);
	core->uarch = NULL;
}
