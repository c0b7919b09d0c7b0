/* The tour: settings that show what there is to see. */
#include "check.h"

#include "recording/tour.h"

/* Half a gigabyte of memory, and two processors. */
static struct memory_limits memory_limits_of(int node_end)
{
	return (struct memory_limits){
		.memory = UINT64_C(1) << 29, .processors = 2, .node_end = node_end
	};
}

static bool is_initial(const struct setting *setting)
{
	struct setting initial;

	setting_init(&initial, setting->kernel);
	return setting_equal(&initial, setting);
}

TEST(every_kernel_is_there_as_it_begins)
{
	for (int i = 0; kernel_registry[i]; i++) {
		struct setting_index settings = { 0 };
		struct setting initial;
		struct status status;
		int initials = 0;

		setting_init(&initial, kernel_registry[i]);
		tour_add(&settings, kernel_registry[i], 32 << 20, memory_limits_of(1));
		for (int k = 0; k < settings.count; k++) {
			initials += is_initial(&settings.setting[k]);
			check_ok(setting_check(&settings.setting[k], memory_limits_of(1)));
		}
		/* Left out where this machine cannot run it. */
		status = setting_check(&initial, memory_limits_of(1));
		if (initials != status_is_ok(&status))
			fail_msg("%s: %d times as it begins", kernel_registry[i]->name, initials);
		setting_index_free(&settings);
	}
}

/* How many settings want memory of a certain node. */
static int of_nodes(const struct kernel *kernel, int nodes)
{
	struct setting_index settings = { 0 };
	int count = 0;

	tour_add(&settings, kernel, 32 << 20, memory_limits_of(nodes));
	for (int i = 0; i < settings.count; i++)
		count += kernel_asked(kernel, settings.setting[i].v, ASKS_NODE) > 0;
	setting_index_free(&settings);
	return count;
}

TEST(the_only_node_is_not_asked_for)
{
	int several = 0;

	for (int i = 0; kernel_registry[i]; i++) {
		assert_int_equal(of_nodes(kernel_registry[i], 1), 0);
		several += of_nodes(kernel_registry[i], 2);
	}
	assert_true(several > 0);
}

RUN_TESTS()
