#include "recording/tour.h"

#include <string.h>

#include "experiment/setting/setting.h"

/* Bytes of the largest working set of a tour, which is a list of settings to record. Larger working
 * sets than the tour's take long to lay out, and show no additional effect. */
enum { SIZE_MOST = 64 << 20 };
/* The tour does not vary a knob that is a count with a maximum above COUNT_MOST, because such a
 * count does not change the form of the loop. */
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
	/* On a machine with one memory node, the knob for the node has only one value. */
	if ((knob->asks == ASKS_NODE && memory_limits.node_end == 1) ||
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

/* Adds the settings that have the listed values of one knob, and otherwise the values of `base`. */
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
	/* If the kernel has no other knobs than size and stride, the tour has all combinations of
	 * size and stride. */
	count = values_of(kernel, size, last_cache, memory_limits, values);
	for (int i = 0; i < count; i++) {
		setting.v[size] = values[i];
		add_values(settings, &setting, stride, strides,
			axis_grid_strides(
				&kernel->knobs[stride], memory_limits, strides, VALUES_MOST),
			memory_limits);
	}
}
