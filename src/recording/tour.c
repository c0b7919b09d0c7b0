#include "recording/tour.h"

#include <string.h>

#include "experiment/setting/setting.h"

/* Bytes. Larger working sets need much time for their layout, and show no additional effect. */
enum { SIZE_MOST = 64 << 20 };
/* A count with a larger maximum does not change the shape of the loop: the tour keeps its default.
 */
enum { COUNT_MOST = 4096 };
enum { VALUES_MOST = 48 };

static int values_of(const struct kernel *kernel, int index, uint64_t last_cache,
	struct memory_limits memory_limits, int64_t *values)
{
	const struct knob *knob = &kernel->knobs[index];
	int count;

	if (knob->axis == AXIS_SIZE) {
		count = axis_sizes(
			kernel, index, true, last_cache, memory_limits, values, VALUES_MOST);
		while (count > 0 && values[count - 1] > SIZE_MOST)
			count--;
		return count;
	}
	/* With one node, all memory is on the core's node: there is nothing to vary. */
	if ((knob->asks == ASKS_NODE && memory_limits.nodes == 1) ||
		setting_max(knob, memory_limits) > COUNT_MOST)
		return 0;
	return axis_few(knob, memory_limits, values, VALUES_MOST);
}

static void add(struct setting_index *settings, const struct setting *setting,
	struct memory_limits memory_limits)
{
	struct status status = setting_check(setting, memory_limits);

	if (status_is_ok(&status))
		setting_index_add(settings, setting);
}

/* Adds the settings with these values of a knob, and the other values of `base`. */
static void add_values(struct setting_index *settings, const struct setting *base, int knob,
	const int64_t *values, int count, struct memory_limits memory_limits)
{
	for (int i = 0; i < count; i++) {
		struct setting setting = *base;

		setting.v[knob] = values[i];
		kernel_fit(setting.kernel, setting.v, knob);
		if (setting.v[knob] == values[i])
			add(settings, &setting, memory_limits);
	}
}

void tour_add(struct setting_index *settings, const struct kernel *kernel, uint64_t last_cache,
	struct memory_limits memory_limits)
{
	int size = kernel_axis(kernel, AXIS_SIZE), stride = kernel_axis(kernel, AXIS_STRIDE), count;
	int64_t values[VALUES_MOST], strides[VALUES_MOST];
	struct setting setting;

	setting_init(&setting, kernel);
	add(settings, &setting, memory_limits);
	for (int i = 0; i < kernel->knob_count; i++) {
		count = values_of(kernel, i, last_cache, memory_limits, values);
		add_values(settings, &setting, i, values, count, memory_limits);
	}
	if (size < 0 || stride < 0 || kernel->knob_count != 2)
		return;
	/* A complete mountain, if the kernel has no other knobs than size and stride. */
	count = values_of(kernel, size, last_cache, memory_limits, values);
	for (int i = 0; i < count; i++) {
		setting.v[size] = values[i];
		add_values(settings, &setting, stride, strides,
			axis_grid_strides(
				&kernel->knobs[stride], memory_limits, strides, VALUES_MOST),
			memory_limits);
	}
}
