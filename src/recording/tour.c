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

/* Adds a complete mountain, if the kernel has no other knobs than size and stride. */
static void add_grid(struct setting_index *settings, const struct kernel *kernel,
	uint64_t last_cache, struct memory_limits memory_limits)
{
	int size = kernel_axis(kernel, AXIS_SIZE), stride = kernel_axis(kernel, AXIS_STRIDE);
	int64_t sizes[VALUES_MOST], strides[VALUES_MOST];
	struct setting setting;
	int nx, ny;

	if (size < 0 || stride < 0 || kernel->knob_count != 2)
		return;
	ny = values_of(kernel, size, last_cache, memory_limits, sizes);
	nx = axis_grid_strides(&kernel->knobs[stride], memory_limits, strides, VALUES_MOST);
	setting_init(&setting, kernel);
	for (int y = 0; y < ny; y++) {
		for (int x = 0; x < nx; x++) {
			setting.v[size] = sizes[y];
			setting.v[stride] = strides[x];
			add(settings, &setting, memory_limits);
		}
	}
}

void tour_add(struct setting_index *settings, const struct kernel *kernel, uint64_t last_cache,
	struct memory_limits memory_limits)
{
	struct setting initial;

	setting_init(&initial, kernel);
	add(settings, &initial, memory_limits);
	for (int i = 0; i < kernel->knob_count; i++) {
		int64_t values[VALUES_MOST];
		int count = values_of(kernel, i, last_cache, memory_limits, values);

		for (int k = 0; k < count; k++) {
			struct setting setting = initial;

			setting.v[i] = values[k];
			kernel_fit(kernel, setting.v, i);
			if (setting.v[i] == values[k])
				add(settings, &setting, memory_limits);
		}
	}
	add_grid(settings, kernel, last_cache, memory_limits);
}
