/* An own loop as a kernel. prepare(), call() and rewind() run in a child process only. */
#include <stdio.h>

#include "engine/own/own.h"
#include "engine/own/own_child.h"

/* What the callbacks that see values alone look at. */
static const struct own *slots[OWN_SLOTS];
static struct knob knobs[OWN_SLOTS];
static char look_for[OWN_SLOTS][400];

#define SLOT(index)                                                                   \
	static uint64_t footprint_##index(const int64_t *v)                           \
	{                                                                             \
		return own_bytes(own_description(slots[index]), v[0]);                \
	}                                                                             \
	static struct status check_##index(const int64_t *v)                          \
	{                                                                             \
		return own_description_check(                                         \
			own_description(slots[index]), own_path(slots[index]), v[0]); \
	}

SLOT(0)
SLOT(1)
SLOT(2)
SLOT(3)

static const struct {
	uint64_t (*footprint)(const int64_t *v);
	struct status (*check)(const int64_t *v);
} callbacks[] = {
	{ footprint_0, check_0 },
	{ footprint_1, check_1 },
	{ footprint_2, check_2 },
	{ footprint_3, check_3 },
};
_Static_assert(sizeof(callbacks) / sizeof(callbacks[0]) == OWN_SLOTS, "callbacks for each slot");

/* Values that another n allows are taken as they are: there is one knob. */
static void fit(int64_t *v, int changed)
{
	(void)v, (void)changed;
}

static uint64_t layout(const int64_t *v)
{
	return (uint64_t)v[0];
}

void own_kernel_make(struct kernel *kernel, const struct own *own, int slot)
{
	const struct own_description *description = own_description(own);
	int64_t multiple = description->multiple * 2;

	slots[slot] = own;
	knobs[slot] = (struct knob){
		.name = "n",
		.help = "what loop() is called with",
		.kind = KNOB_COUNT,
		.min = (OWN_N_MIN + multiple - 1) / multiple * multiple,
		.max = OWN_N_MAX / multiple * multiple,
		.initial = description->n,
		.multiple = multiple,
		.factor = 2,
	};
	snprintf(look_for[slot], sizeof(look_for[slot]),
		"loop() of %.120s, %.100s. Save the file again and it is read again; the version "
		"before becomes A.",
		own_path(own),
		own_cflags(own)		  ? own_cflags(own)
		: description->has_cflags ? description->cflags
					  : "-O2");
	*kernel = (struct kernel){
		.name = own_path(own),
		.title = "your own loop",
		.look_for = look_for[slot],
		.document = "your own loop",
		.element = "element",
		.knobs = &knobs[slot],
		.knob_count = 1,
		.check = callbacks[slot].check,
		.fit = fit,
		.footprint = callbacks[slot].footprint,
		.layout = layout,
		.halved = true,
		.prepare = own_child_prepare,
		.call = own_child_call,
		.rewind = own_child_rewind,
		.stepped = true,
		.isolated = true,
		.own = own,
		.file = own_path(own),
	};
}
