/* What single kernels compute: sums, lists, sorts, products, and what they refuse. */
#include "laid.h"

#include "kernels/features.h"

/* Four operations of bandwidth have a stride. The others say so once it is changed. */
TEST(bandwidth_says_where_stride_has_no_effect)
{
	static const char *const strided[] = { "rd", "wr", "rdwr", "cp" }, *const dense[] = { "frd",
		"fwr", "fcp", "bzero", "bcopy" };

	for (size_t i = 0; i < sizeof(strided) / sizeof(*strided); i++) {
		struct setting setting =
			laid_setting(words_of("bandwidth op=%s stride=8", strided[i]).text);

		assert_null(strstr(setting.kernel->remark(setting.v), "no effect"));
	}
	for (size_t i = 0; i < sizeof(dense) / sizeof(*dense); i++) {
		struct setting setting =
			laid_setting(words_of("bandwidth op=%s stride=8", dense[i]).text);

		check_contains(setting.kernel->remark(setting.v), "stride has no effect");
	}
}
TEST(unknown_names_are_not_found)
{
	assert_null(kernel_find("no such kernel"));
	assert_int_equal(kernel_knob(kernel_registry[0], "no such knob"), -1);
}

TEST(every_combine_loop_computes_right)
{
	enum { OP, TYPE, UNROLL, ACC, SHAPE, SIZE, STRIDE };
	struct setting setting = laid_setting("combine size=6000");
	int64_t *v = setting.v;
	int loops = 0;

	for (v[TYPE] = 0; v[TYPE] < 4; v[TYPE]++)
		for (v[OP] = 0; v[OP] < 2; v[OP]++)
			for (v[STRIDE] = 1; v[STRIDE] <= 7; v[STRIDE] += 3)
				for (v[UNROLL] = 1; v[UNROLL] <= 16; v[UNROLL]++)
					for (v[ACC] = 1; v[ACC] <= v[UNROLL]; v[ACC]++)
						for (v[SHAPE] = 0; v[SHAPE] < (v[ACC] == 1 ? 2 : 1);
							v[SHAPE]++) {
							struct kernel_run run;

							laid_over(setting.kernel, v, 0, &run);
							check_ok(kernel_verify(&run));
							loops++;
						}
	assert_int_equal(loops, 4 * 2 * 3 * (136 + 16));
}

TEST(calls_continue_where_the_last_one_stopped)
{
	struct kernel_run run = laid("list-length");
	const struct kernel *list = run.kernel;
	uint64_t half = run.ring / 2;

	list->call(&run, half);
	assert_int_equal(run.position, half);
	list->call(&run, run.ring - half);
	assert_int_equal(run.position, 0);
	list->call(&run, run.ring * 3 + half);
	assert_int_equal(run.position, half);
	assert_int_equal(run.result, run.ring * 3 + half);
	kernel_rewind(&run);
	assert_int_equal(run.position, 0);
}

/* A call cuts the list, and joins it again: from any node on, the list is as it was laid out, every
 * node is on it once, and the last one ends it. */
static void check_list(const char *text)
{
	struct setting setting = laid_setting(text);
	int64_t *size = &setting.v[kernel_knob(setting.kernel, "size")],
		spacing = setting.v[kernel_knob(setting.kernel, "spacing")];
	struct kernel_run run = { 0 };
	uint64_t layout = 0;

	for (*size = 64 * spacing; *size >= 16 * spacing;
		*size = *size * 2 / 3 / spacing * spacing) {
		uint64_t nodes = 0, first = 0;

		laid_over(setting.kernel, setting.v,
			layout == kernel_layout(setting.kernel, setting.v) ? run.layout.laid_out
									   : 0,
			&run);
		layout = kernel_layout(setting.kernel, setting.v);
		check_ok(kernel_verify(&run));
		setting.kernel->begin_at(&run, 0.5);
		assert_int_equal(run.position, run.ring / 2);
		for (uint64_t i = 0; i < run.ring; i++) {
			setting.kernel->begin_at(&run, 0);
			setting.kernel->call(&run, i + 1);
			assert_int_equal(run.result, i + 1);
		}
		/* The first node is the one that no node points to. */
		for (uint64_t i = 0; i < run.ring; i++)
			first ^= i;
		for (uint64_t i = 0; i < run.ring; i++) {
			unsigned char *next = *(unsigned char **)(void *)(memory + i * spacing);

			first ^= next ? (uint64_t)(next - memory) / spacing : 0;
			nodes += next == NULL;
		}
		assert_int_equal(nodes, 1);
		nodes = 0;
		for (unsigned char *node = memory + first * spacing; node && nodes <= run.ring;
			node = *(unsigned char **)(void *)node)
			nodes++;
		assert_int_equal(nodes, run.ring);
	}
}

TEST(lists_end)
{
	check_list("list-length");
	check_list("list-length spacing=64 order=random");
	check_list("list-length spacing=256 order=random");
}

/* All passes move the same numbers, wherever a call ends; a partial pass leaves them for the next
 * sort. */
TEST(sorts_of_any_digits_sort)
{
	static const char *const settings[] = { "radix-sort size=4k bits=1", "radix-sort size=4k",
		"radix-sort size=12k bits=11", "radix-sort size=4k bits=16", "radix-sort size=256k",
		"radix-sort size=12k step=count", "radix-sort size=64k step=count" };

	for (int i = 0; i < 7; i++) {
		struct kernel_run run = laid(settings[i]);

		/* A part of a sort takes another time than the rest, so trials make whole sorts. */
		assert_int_equal(run.period, run.ring);
		for (uint64_t part = 1; part < run.ring; part = part * 3 + 1) {
			run.kernel->call(&run, part);
			kernel_rewind(&run);
			run.kernel->call(&run, run.ring + part);
			assert_int_equal(run.position, part % run.ring);
			kernel_rewind(&run);
			check_ok(kernel_verify(&run));
		}
	}
}

/* Counted one by one: a load crosses when its last byte lies in another line than its first. */
TEST(splits_are_those_of_the_layout)
{
	const struct kernel *loads = kernel_find("split-loads");
	int width = kernel_knob(loads, "width"), order = kernel_knob(loads, "order"),
	    offset = kernel_knob(loads, "offset");
	struct kernel_run run;
	int64_t v[KNOBS_MAX];

	laid_initial(loads, v);
	for (v[width] = 0; v[width] < 6; v[width]++) {
		int64_t bytes = 2 << v[width];
		int crossing = 0;
		struct status status;

		v[order] = 0;
		v[offset] = 0;
		status = kernel_check(loads, v);
		if (!status_is_ok(&status)) /* wider than the registers of this processor */
			continue;
		for (; v[offset] < 64; v[offset]++) {
			bool crosses = (v[offset] + bytes - 1) / 64 > 0;

			crossing += crosses;
			laid_over(loads, v, 0, &run);
			check_near(run.walk.splits, crosses, 0);
		}
		v[order] = 1;
		v[offset] = 0;
		laid_over(loads, v, 0, &run);
		check_near(run.walk.splits, crossing / 64.0, 1e-12);
	}
}

/* Half a pass over few places may take longer than a whole one: trials are of whole passes there. A
 * long pass would take a trial too long. */
TEST(small_scattered_stores_are_timed_by_passes)
{
	struct kernel_run run = laid("scatter-stores");

	assert_true(run.ring > 0 && run.period == run.ring && run.passes);
	run = laid("scatter-stores size=1m");
	assert_int_equal(run.period, 0);
}

/* A call's products are of so many elements each: longer ones than the call's make no difference to
 * what it computes. */
TEST(products_begin_anew)
{
	static const struct {
		const char *setting;
		double restart;
		bool same;
	} rows[] = {
		{ "mul-chain", 0, true }, { "mul-chain restart=65", 65, true },
		{ "mul-chain restart=32", 32, false },
		{ "mul-chain restart=32 acc=3", 33, false }, /* whole iterations */
	};
	uint64_t one = 0;

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		struct kernel_run run = laid(rows[i].setting);

		check_near(run.walk.restart, rows[i].restart, 0);
		run.kernel->call(&run, 63 / run.granule * run.granule + run.granule);
		one = i == 0 ? run.result : one;
		assert_int_equal(run.result == one, rows[i].same);
	}
}

TEST(missing_instructions_are_named)
{
	bool x86 = features_have(FEATURE_X86_64);
	struct status status = features_need(x86 ? FEATURE_NEON : FEATURE_AVX2, "form=some");

	assert_true(x86 != features_have(FEATURE_NEON));
	assert_int_equal(status.code, STATUS_FAILED);
	check_parts(status.text, "form=some", x86 ? "NEON" : "AVX2");
	check_ok(features_need(x86 ? FEATURE_X86_64 : FEATURE_NEON, "form=some"));
}

TEST(combine_refuses_what_cannot_be)
{
	laid_refuses("combine unroll=2 acc=3", "acc=3 unroll=3");
	laid_refuses("combine unroll=4 acc=3 shape=reassociated", "shape=reassociated");
	laid_refuses("combine unroll=4 size=64 stride=8", "256");
}

static const struct kernel_run *walked_run;
static int walks_outside;

/* A list's loop that counts nothing, as after a change that measures costs. */
static uint64_t counts_nothing(const unsigned char *node)
{
	walks_outside +=
		node < walked_run->memory ||
		node >= walked_run->memory + kernel_footprint(walked_run->kernel, walked_run->v);
	return 0;
}

TEST(a_list_is_walked_from_its_nodes_whatever_its_loop_returns)
{
	struct kernel_run run;
	struct setting setting;

	assert_true(setting_read(&setting, "list-length size=4k spacing=256"));
	laid_at(setting.kernel, setting.v, &run);
	walked_run = &run;
	walks_outside = 0;
	run.code.start = (const void *)counts_nothing;
	setting.kernel->call(&run, 4 * run.ring);
	assert_int_equal(walks_outside, 0);
}

RUN_TESTS(.set_up = laid_begin, .tear_down = laid_end)
