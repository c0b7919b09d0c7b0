#include "curves.h"
#include "table.h"

#include "model/memory/hierarchy.h"

enum { SEEDS = CHECK_REPEATS(200, 10) };

/* A machine with its curves: what hierarchy_find() is given. */
struct world {
	struct machine machine;
	struct made_curve lines[PAGE_KINDS], pages[PAGE_KINDS], pairs;
	struct hierarchy_input input;
	struct hierarchy hierarchy;
};

/* As a desktop core has them: the L1 DTLB's 96 entries reach 384 KiB, inside L2. */
static const struct generated desktop = {
	.level = { { 4, 48 * KIB, 0 }, { 14, 1 * MIB, 8 }, { 55, 16 * MIB, 16 }, { 400, 0, 0 } },
	.levels = 4,
	.tlb_bytes = 384 * KIB,
	.tlb_cycles = 7,
	.noise = 0.004,
	.beginning = 4 * KIB,
	.end = 256 * MIB,
	.octave = 4,
};

/* One line a page: so many lines of caches, and TLBs that miss at once where they are full. */
static void fill_pages(const struct generated *made, uint64_t seed, double second_entries,
	double second_cycles, struct made_curve *curve)
{
	struct random random = { seed };

	curve->count = 0;
	for (double pages = 8; pages <= 16384;
		pages = pages >= 40 && pages < 112 ? floor(pages / 2) * 2 + 2 : pages * 1.19) {
		double count = floor(pages), bytes = count * 4096, cycles;
		struct generated lines = *made;

		lines.tlb_bytes = 0;
		cycles = made_cycles(&lines, count * 64);
		if (made->tlb_bytes > 0 && bytes > made->tlb_bytes)
			cycles += made->tlb_cycles * fmin(1, (bytes / made->tlb_bytes - 1) * 5);
		if (second_entries > 0 && count > second_entries)
			cycles += second_cycles * fmin(1, (count / second_entries - 1) * 5);
		if (curve->count && curve->point[curve->count - 1].bytes >= bytes)
			continue;
		cycles *= exp(made->noise * made_normal(&random));
		curve->point[curve->count++] = (struct curve_point){
			.bytes = bytes, .cycles = cycles, .lo = 0.998 * cycles, .hi = 1.002 * cycles
		};
	}
}

static void use(struct hierarchy_curve *curve, const struct made_curve *made)
{
	*curve = (struct hierarchy_curve){ made->point, made->count };
}

static struct world shared, *const world = &shared;

static void begin(const struct generated *made, uint64_t seed)
{
	static const double distances[] = { 8, 16, 32, 48, 64, 96, 128, 256 };
	double knee = made->level[1].bytes;

	*world = (struct world){ 0 };
	world->machine.cache_count = made->levels - 1;
	for (int i = 0; i + 1 < made->levels; i++)
		world->machine.cache[i] =
			(struct machine_cache){ i + 1, (uint64_t)made->level[i].bytes, 64, 8 };
	for (int kind = PAGES_4K; kind <= PAGES_HUGE; kind++) {
		made_fill(made, seed * 31 + (uint64_t)kind, knee * 0.7, knee * 1.6,
			&world->lines[kind]);
		fill_pages(made, seed * 17 + (uint64_t)kind, 0, 0, &world->pages[kind]);
		use(&world->input.lines[kind], &world->lines[kind]);
		use(&world->input.pages[kind], &world->pages[kind]);
	}
	for (int i = 0; i < 8; i++)
		world->pairs.point[world->pairs.count++] =
			(struct curve_point){ .bytes = distances[i],
				.cycles = distances[i] < 64 ? 9 : 14 };
	use(&world->input.pairs, &world->pairs);
	world->input.machine = &world->machine;
	world->input.ghz = 4;
	world->input.tlb_stated[0] = made->tlb_bytes / 4096;
	world->input.tlb_stated[1] = 2048;
	world->input.got[PAGES_4K] = "4k";
	world->input.got[PAGES_HUGE] = "huge";
}

static void find(void)
{
	hierarchy_find(&world->input, &world->hierarchy);
	hierarchy_say(&world->input, &world->hierarchy);
}

/* The step of the curve of pages that no known TLB explains; NULL: there is none. */
static const struct hierarchy_level *unknown_step(void)
{
	return hierarchy_level(&world->hierarchy, LEVEL_TLB, 0);
}

/* Whether there is a finding of the kind that names `part`. */
static bool has_finding(enum finding_kind kind, const char *part)
{
	for (int i = 0; i < world->hierarchy.finding_count; i++)
		if (world->hierarchy.finding[i].kind == kind &&
			strstr(world->hierarchy.finding[i].text, part))
			return true;
	return false;
}

TEST(levels_are_named_and_explained)
{
	const struct hierarchy *hierarchy = &world->hierarchy;

	begin(&desktop, 1);
	find();
	assert_int_equal(hierarchy->level_count, 5);
	assert_string_equal(hierarchy->level[0].words, "L1d: 4.0 cycles up to 48 KiB");
	assert_string_equal(hierarchy->level[1].words, "L2: 14.0 cycles up to 1 MiB");
	assert_string_equal(hierarchy->level[2].name, "L3");
	assert_int_equal(hierarchy->level[3].kind, LEVEL_TLB);
	assert_string_equal(hierarchy->level[3].words,
		"L1 DTLB: 96 entries, pages for 384 KiB; beyond, 7.0 cycles more");
	assert_int_equal(hierarchy->level[4].kind, LEVEL_MEMORY);
	check_near(hierarchy->level[4].ns, 100, 3);
	assert_ptr_equal(hierarchy_level(hierarchy, LEVEL_CACHE, 2), &hierarchy->level[1]);
	assert_ptr_equal(hierarchy_level(hierarchy, LEVEL_TLB, 1), &hierarchy->level[3]);
	assert_ptr_equal(hierarchy_level(hierarchy, LEVEL_MEMORY, 0), &hierarchy->level[4]);
	assert_null(hierarchy_level(hierarchy, LEVEL_CACHE, 4));
	check_near(hierarchy->line, 64, 0);
	for (int i = 0; i < hierarchy->level_count; i++)
		assert_true(hierarchy->level[i].confidence > 0.7);
	for (int i = 0; i < hierarchy->finding_count; i++)
		assert_false(hierarchy->finding[i].disagreement);
}

/* What has to be right every time: sizes of the core's own caches and of its first TLB. */
static void check_sizes(const struct generated *made, int least)
{
	int right = 0;

	for (uint64_t seed = 1; seed <= SEEDS; seed++) {
		const struct hierarchy_level *first, *second, *tlb;

		begin(made, seed);
		find();
		first = hierarchy_level(&world->hierarchy, LEVEL_CACHE, 1);
		second = hierarchy_level(&world->hierarchy, LEVEL_CACHE, 2);
		tlb = hierarchy_level(&world->hierarchy, LEVEL_TLB, 1);
		right += first && first->bytes == made->level[0].bytes && second &&
			 second->bytes == made->level[1].bytes && tlb &&
			 fabs(tlb->entries - made->tlb_bytes / 4096) <= 2 &&
			 world->hierarchy.line == 64;
	}
	if (right < least)
		fail_msg("right in %d of %d, not in %d", right, SEEDS, least);
}

TEST(sizes_come_out_right)
{
	struct generated made = desktop;

	check_sizes(&made, SEEDS);
	made.noise = 0.015;
	check_sizes(&made, SEEDS * 98 / 100);
	made.noise = 0.004;
	made.spikes = 0.03;
	check_sizes(&made, SEEDS * 95 / 100);
	/* A server's: 2 MiB, and memory far off. */
	made = desktop;
	made.level[1] = (struct made_level){ 16, 2 * MIB, 16 };
	made.level[2] = (struct made_level){ 75, 32 * MIB, 16 };
	made.level[3].cycles = 500;
	check_sizes(&made, SEEDS * 99 / 100);
	/* A smaller core's. */
	made = desktop;
	made.level[0] = (struct made_level){ 4, 32 * KIB, 0 };
	made.level[1] = (struct made_level){ 11, 512 * KIB, 8 };
	made.tlb_bytes = 64 * 4096;
	check_sizes(&made, SEEDS * 99 / 100);
	made.level[0].bytes = 64 * KIB;
	made.level[1] = (struct made_level){ 13, 1280 * KIB, 20 };
	made.tlb_bytes = 96 * 4096;
	check_sizes(&made, SEEDS * 95 / 100);
}

TEST(a_tlb_step_is_no_cache)
{
	begin(&desktop, 5);
	world->machine.virtualised = true;
	find();
	assert_true(has_finding(FINDING_STEPS_STAY, "96 pages (384 KiB)"));
	/* With pages that are large all the way the step is gone, and said to have been a TLB's. */
	for (int i = 0; i < world->pages[PAGES_HUGE].count; i++)
		world->pages[PAGES_HUGE].point[i].cycles =
			world->pages[PAGES_HUGE].point[i].bytes / 64 <= 48 * KIB ? 4 : 14;
	find();
	assert_true(has_finding(FINDING_STEPS_GONE, "96 pages (384 KiB)"));
	assert_false(has_finding(FINDING_STEPS_STAY, ""));
}

TEST(a_second_tlb_is_found_beside_the_lines_of_caches)
{
	const struct hierarchy_level *tlb;

	begin(&desktop, 6);
	for (int kind = PAGES_4K; kind <= PAGES_HUGE; kind++) {
		fill_pages(&desktop, 60 + (uint64_t)kind, 2048, 40, &world->pages[kind]);
		use(&world->input.pages[kind], &world->pages[kind]);
	}
	find();
	/* 768 lines are L1d, 96 and 2,048 pages are TLBs. */
	assert_null(unknown_step());
	tlb = hierarchy_level(&world->hierarchy, LEVEL_TLB, 2);
	assert_non_null(tlb);
	assert_true(tlb->entries_lo <= 2048 && 2048 <= tlb->entries_hi);
	check_near(tlb->cycles, 40, 2);
	/* A page walk costs more than a lookup in the second TLB. */
	for (int kind = PAGES_4K; kind <= PAGES_HUGE; kind++) {
		fill_pages(&desktop, 60 + (uint64_t)kind, 1564, 3.4, &world->pages[kind]);
		use(&world->input.pages[kind], &world->pages[kind]);
	}
	find();
	assert_non_null(hierarchy_level(&world->hierarchy, LEVEL_TLB, 1));
	assert_null(hierarchy_level(&world->hierarchy, LEVEL_TLB, 2));
	assert_null(unknown_step());
}

/* Lines have a power of two of bytes: a curve of pairs that rises elsewhere says nothing. */
TEST(a_line_of_48_bytes_is_noise)
{
	begin(&desktop, 3);
	for (int i = 0; i < world->pairs.count; i++)
		world->pairs.point[i].cycles = world->pairs.point[i].bytes < 48 ? 9 : 14;
	find();
	assert_true(isnan(world->hierarchy.line));
	assert_false(has_finding(FINDING_LINE_SIZE, ""));
}

TEST(lines_of_the_first_cache_are_no_tlb_without_line_curves)
{
	struct generated made = desktop;

	for (uint64_t seed = 1; seed <= 20; seed++) {
		begin(&made, seed);
		world->input.lines[PAGES_4K] = world->input.lines[PAGES_HUGE] =
			(struct hierarchy_curve){ 0 };
		find();
		assert_non_null(hierarchy_level(&world->hierarchy, LEVEL_TLB, 1));
		check_near(hierarchy_level(&world->hierarchy, LEVEL_TLB, 1)->entries, 96, 2);
		assert_null(hierarchy_level(&world->hierarchy, LEVEL_TLB, 2));
		assert_null(unknown_step());
		/* Of a cache of another size those lines say nothing. */
		world->machine.cache[0].bytes = 192 * KIB;
		find();
		assert_non_null(unknown_step());
	}
}

/* The processor or its core model states TLBs of 96 and 2,048 entries: a step at 1,200 pages is
 * neither of them, and no step is a third TLB. */
TEST(a_step_without_a_known_tlb_has_no_name)
{
	begin(&desktop, 6);
	for (int kind = PAGES_4K; kind <= PAGES_HUGE; kind++)
		fill_pages(&desktop, 60 + (uint64_t)kind, 1200, 40, &world->pages[kind]);
	for (int kind = PAGES_4K; kind <= PAGES_HUGE; kind++)
		use(&world->input.pages[kind], &world->pages[kind]);
	find();
	assert_non_null(hierarchy_level(&world->hierarchy, LEVEL_TLB, 1));
	assert_null(hierarchy_level(&world->hierarchy, LEVEL_TLB, 2));
	assert_non_null(unknown_step());
	assert_string_equal(unknown_step()->name, "step");
	check_contains(unknown_step()->words, "its cause is not known");
	assert_false(has_finding(FINDING_STEPS_STAY, " and "));
	world->input.tlb_stated[1] = 1200;
	find();
	assert_null(unknown_step());
	assert_string_equal(hierarchy_level(&world->hierarchy, LEVEL_TLB, 2)->name, "L2 DTLB");
}

/* Where nobody states the size of a TLB, a step is a TLB's if it disappears with huge pages. */
TEST(a_tlb_that_nobody_states_shows_itself_with_huge_pages)
{
	begin(&desktop, 5);
	world->input.tlb_stated[0] = world->input.tlb_stated[1] = 0;
	find();
	assert_null(hierarchy_level(&world->hierarchy, LEVEL_TLB, 1));
	assert_non_null(unknown_step());
	for (int i = 0; i < world->pages[PAGES_HUGE].count; i++)
		world->pages[PAGES_HUGE].point[i].cycles =
			world->pages[PAGES_HUGE].point[i].bytes / 64 <= 48 * KIB ? 4 : 14;
	find();
	assert_non_null(hierarchy_level(&world->hierarchy, LEVEL_TLB, 1));
	assert_null(unknown_step());
}

TEST(what_the_system_says_otherwise_is_a_finding)
{
	int disagreements = 0;

	begin(&desktop, 7);
	world->machine.cache[2].bytes = 480ull << 20;
	find();
	for (int i = 0; i < world->hierarchy.finding_count; i++)
		disagreements += world->hierarchy.finding[i].disagreement;
	assert_int_equal(disagreements, 1);
	assert_true(has_finding(FINDING_CACHE_SIZE, "L3 has 480 MiB"));
	check_contains(hierarchy_level(&world->hierarchy, LEVEL_CACHE, 3)->words,
		"the system says 480 MiB, this process gets about 1");
	assert_true(hierarchy_level(&world->hierarchy, LEVEL_CACHE, 3)->stated == 480ull << 20);
	world->machine.cache[2].bytes = 16ull << 20;
	world->machine.cache[0].line = 128;
	find();
	assert_true(has_finding(FINDING_LINE_SIZE, "128 bytes"));
}

/* Interference may move the end of a core's own cache, so an unexpected size is not called sure. */
TEST(an_own_cache_with_contended_points_at_its_end_has_an_uncertain_size)
{
	const struct hierarchy_level *level = &world->hierarchy.level[1];

	begin(&desktop, 1);
	world->machine.cache[1].bytes = 512 * KIB;
	find();
	assert_int_equal(level->number, 2);
	assert_false(level->unstable);
	for (int i = 0; i < world->lines[PAGES_4K].count; i++)
		world->lines[PAGES_4K].point[i].doubtful =
			world->lines[PAGES_4K].point[i].bytes > 900 * KIB;
	find();
	assert_true(level->unstable);
	world->machine.cache[1].bytes = 1 * MIB;
	find();
	assert_false(level->unstable);
}

TEST(a_level_that_is_stated_and_missing_is_a_finding)
{
	struct generated made = { .level = { { 4, 32 * KIB, 0 }, { 14, 1 * MIB, 8 },
					  { 400, 0, 0 } },
		.levels = 3,
		.noise = 0.004,
		.beginning = 4 * KIB,
		.end = 256 * MIB };
	begin(&made, 8);
	world->machine.cache[2] = (struct machine_cache){ 3, 32 << 20, 64, 8 };
	world->machine.cache_count = 3;
	find();
	assert_true(has_finding(FINDING_CACHE_MISSING, "L3 of 32 MiB"));
	assert_non_null(hierarchy_level(&world->hierarchy, LEVEL_MEMORY, 0));
}

TEST(pages_that_were_refused_are_named)
{
	begin(&desktop, 9);
	world->input.got[PAGES_HUGE] = "4k";
	find();
	assert_true(has_finding(FINDING_PAGES, "huge"));
	assert_false(has_finding(FINDING_STEPS_STAY, "") || has_finding(FINDING_STEPS_GONE, ""));
}

TEST(points_of_two_modes_are_named)
{
	struct curve_point *point;

	begin(&desktop, 10);
	point = &world->lines[PAGES_4K].point[world->lines[PAGES_4K].count - 3];
	point->two_modes = true;
	point->mode_low = 150;
	point->mode_high = 420;
	point->share_low = 0.4;
	find();
	assert_true(has_finding(FINDING_TWO_MODES, "at 173.3 MiB, 150 cycles in 40 %"));
	/* Half of the first cache's latency is none that a load can have. */
	point->mode_low = 1.9;
	point->mode_high = 4;
	find();
	assert_false(has_finding(FINDING_TWO_MODES, ""));
}

/* The first page beyond a TLB of six ways brings seven of 97 accesses to miss, or, as measured
 * beside others, half of them: 5.23 cycles are not 5 any more. */
TEST(the_first_page_beyond_a_tlb_is_seen)
{
	static const double beyond[] = { 5.23, 5.96, 6.21, 6.69, 7.16, 7.63, 8.06, 8.5, 8.94, 9.3,
		9.7, 10.19 };
	struct made_curve *curve = &world->pages[PAGES_4K];

	begin(&desktop, 14);
	curve->count = 0;
	for (double pages = 8; pages < 600;
		pages = pages >= 88 && pages < 112 ? pages + 1 : floor(pages * 1.19)) {
		double cycles = pages <= 96 ? 4.98 : pages < 109 ? beyond[(int)pages - 97] : 12;

		curve->point[curve->count++] = (struct curve_point){ .bytes = 4096 * pages,
			.cycles = cycles,
			.lo = 0.998 * cycles,
			.hi = 1.002 * cycles };
	}
	use(&world->input.pages[PAGES_4K], curve);
	world->input.pages[PAGES_HUGE].count = 0;
	find();
	assert_non_null(hierarchy_level(&world->hierarchy, LEVEL_TLB, 1));
	check_near(hierarchy_level(&world->hierarchy, LEVEL_TLB, 1)->entries, 96, 0);
}

/* What varies is said to do so wherever its figures stand. */
TEST(what_varies_is_said_to)
{
	begin(&desktop, 12);
	world->machine.cache[2].bytes = 480ull << 20;
	for (int kind = PAGES_4K; kind <= PAGES_HUGE; kind++) {
		for (int i = 0; i < world->lines[kind].count; i++)
			world->lines[kind].point[i].two_modes =
				world->lines[kind].point[i].bytes > 2 * MIB &&
				world->lines[kind].point[i].bytes < 16 * MIB;
		for (int i = 0; i < world->pages[kind].count; i++)
			world->pages[kind].point[i].two_modes =
				world->pages[kind].point[i].bytes > 512 * KIB;
	}
	find();
	assert_true(hierarchy_level(&world->hierarchy, LEVEL_TLB, 1)->unstable);
	assert_null(strstr(hierarchy_level(&world->hierarchy, LEVEL_TLB, 1)->words,
		"unstable")); /* from 7.0 to 7.0 */
	assert_true(hierarchy_level(&world->hierarchy, LEVEL_CACHE, 3)->unstable);
	assert_true(has_finding(FINDING_CACHE_SIZE, "L3"));
	for (int kind = PAGES_4K; kind <= PAGES_HUGE; kind++)
		for (int i = 0; i < world->pages[kind].count; i++)
			world->pages[kind].point[i].cycles *=
				world->pages[kind].point[i].bytes > 512 * KIB && i % 2 ? 1.1 : 1;
	find();
	assert_true(hierarchy_level(&world->hierarchy, LEVEL_TLB, 1)->unstable);
	check_contains(hierarchy_level(&world->hierarchy, LEVEL_TLB, 1)->words, "L1 DTLB: about ");
	check_contains(
		hierarchy_level(&world->hierarchy, LEVEL_TLB, 1)->words, "cycles more, unstable: ");
}

/* Entries are those that the kinds of pages show that shows more of them; what a miss costs is of
 * small pages, whichever that was. */
TEST(a_miss_costs_what_small_pages_show)
{
	begin(&desktop, 5);
	fill_pages(&desktop, 7, 1500, 40, &world->pages[PAGES_4K]);
	fill_pages(&desktop, 8, 1800, 20, &world->pages[PAGES_HUGE]);
	use(&world->input.pages[PAGES_4K], &world->pages[PAGES_4K]);
	use(&world->input.pages[PAGES_HUGE], &world->pages[PAGES_HUGE]);
	find();
	assert_non_null(hierarchy_level(&world->hierarchy, LEVEL_TLB, 2));
	assert_true(hierarchy_level(&world->hierarchy, LEVEL_TLB, 2)->entries_hi >= 1800);
	check_near(hierarchy_level(&world->hierarchy, LEVEL_TLB, 2)->cycles, 40, 3);
}

/* A curve over pages as measured beside heavy load: where its second TLB (2,048 entries) begins to
 * miss is not where it ends. Entries are sure only where all pages miss soon after. */
TEST(a_tlb_that_fades_has_a_range)
{
	struct table table;
	struct made_curve *curve = &world->pages[PAGES_4K];
	const struct hierarchy_level *second;

	begin(&desktop, 3);
	curve->count = 0;
	table_open(&table, "hierarchy", "fading tlb");
	while (table_next(&table, 1)) {
		double value[2];

		table_numbers(&table, 0, value, 2);
		curve->point[curve->count++] = (struct curve_point){ .bytes = 4096 * value[0],
			.cycles = value[1],
			.lo = 0.99 * value[1],
			.hi = 1.01 * value[1] };
	}
	use(&world->input.pages[PAGES_4K], curve);
	world->input.pages[PAGES_HUGE].count = 0;
	find();
	assert_non_null(hierarchy_level(&world->hierarchy, LEVEL_TLB, 1));
	assert_string_equal(hierarchy_level(&world->hierarchy, LEVEL_TLB, 1)->words,
		"L1 DTLB: 96 entries, pages for 384 KiB; beyond, 7.0 cycles more");
	second = hierarchy_level(&world->hierarchy, LEVEL_TLB, 2);
	assert_non_null(second);
	assert_true(hierarchy_is_about(second));
	assert_true(second->entries_lo <= 2048 && second->entries_hi >= 2048);
	check_contains(second->words, "L2 DTLB: about ");
}

TEST(memory_that_grows_is_one_memory)
{
	struct generated made = desktop;

	made.memory_growth = 0.12;
	begin(&made, 11);
	find();
	assert_null(hierarchy_level(&world->hierarchy, LEVEL_CACHE, 4));
	assert_non_null(hierarchy_level(&world->hierarchy, LEVEL_MEMORY, 0));
}

/* While the probe runs: what is claimed of a part is claimed of the whole too, but for memory's
 * latency. */
TEST(nothing_is_claimed_too_early)
{
	begin(&desktop, 12);
	for (int count = 0; count <= world->lines[PAGES_4K].count; count++) {
		double reached = count ? world->lines[PAGES_4K].point[count - 1].bytes : 0;

		memset(&world->input.pages, 0, sizeof(world->input.pages));
		world->input.lines[PAGES_HUGE].count = 0;
		world->input.lines[PAGES_4K].count = count;
		find();
		if (reached < 64 * KIB)
			assert_int_equal(world->hierarchy.level_count, 0);
		if (reached < 1.2 * MIB)
			assert_null(hierarchy_level(&world->hierarchy, LEVEL_CACHE, 3));
		if (reached < 16 * MIB)
			assert_null(hierarchy_level(&world->hierarchy, LEVEL_MEMORY, 0));
		if (reached > 256 * KIB) {
			assert_non_null(hierarchy_level(&world->hierarchy, LEVEL_CACHE, 1));
			check_near(hierarchy_level(&world->hierarchy, LEVEL_CACHE, 1)->bytes / KIB,
				48, 0);
		}
	}
}

/* The step at 384 KiB is small, and where no cache is stated. */
/* On a system whose smallest pages are of 64 KiB the same curve is of fewer entries, and of as many
 * bytes. */
TEST(entries_are_of_the_pages_that_there_are)
{
	const struct hierarchy_level *tlb;

	begin(&desktop, 5);
	world->input.tlb_stated[0] = 6;
	world->input.got[PAGES_4K] = "64k";
	find();
	tlb = hierarchy_level(&world->hierarchy, LEVEL_TLB, 1);
	assert_non_null(tlb);
	check_near(tlb->bytes / KIB, 384, 8);
	check_near(tlb->entries, 6, 0);
}

TEST(a_tlb_step_is_passed_over_without_page_curves)
{
	begin(&desktop, 13);
	memset(&world->input.pages, 0, sizeof(world->input.pages));
	find();
	assert_non_null(hierarchy_level(&world->hierarchy, LEVEL_CACHE, 3));
	check_near(hierarchy_level(&world->hierarchy, LEVEL_CACHE, 2)->bytes / MIB, 1, 0);
	assert_null(hierarchy_level(&world->hierarchy, LEVEL_TLB, 1));
}

TEST(nothing_measured_is_nothing_found)
{
	struct hierarchy_input input = { .ghz = NAN };
	struct hierarchy hierarchy;

	hierarchy_find(&input, &hierarchy);
	hierarchy_say(&input, &hierarchy);
	assert_int_equal(hierarchy.level_count, 0);
	assert_int_equal(hierarchy.finding_count, 0);
	assert_true(isnan(hierarchy.line));
	assert_null(hierarchy_level(&hierarchy, LEVEL_CACHE, 1));
	assert_null(hierarchy_level(&hierarchy, LEVEL_MEMORY, 0));
}

RUN_TESTS()
