/* The windows of the core made up, played through. */
#pragma once

#include "windows_fakes.h"

#include "fakes.h"

#include "experiment/windows/windows.h"
#include "explorer/turns.h"

/* Of so many requests at most, beside that core model of x86-64 (NULL: none). The caller frees
 * them. */
static inline struct windows *windows_played(const struct machine *machine,
	struct windows_options options, const char *core, unsigned most)
{
	struct uarch *uarch = NULL;
	struct windows *windows;
	struct turns *turns;
	struct request request;
	struct status status;
	double now = 0;

	if (core)
		check_ok(uarch_load(core, "x86_64", &uarch));
	options.uarch = uarch;
	windows = windows_new(machine, &options, &status);
	check_ok(status);
	turns = turns_new(&(struct campaign){ &campaign_windows, windows });
	for (unsigned i = 0; i < most && turns_next(turns, now, &request); i++) {
		struct result result = fake_result(&request, 9, window_cycles(request.v));

		now += 0.002;
		turns_accept(turns, now, &result);
	}
	turns_free(turns);
	uarch_free(uarch);
	return windows;
}
