/* The core models that are shipped. test_uarch_parse.c has what is refused, and how. */
#include "check.h"
#include "table.h"

#include "base/data.h"
#include "model/core/uarch.h"
#include "model/core/uarch_inside.h"

static struct uarch *load(const char *name)
{
	struct uarch *uarch;

	check_ok(uarch_load(name, NULL, &uarch));
	return uarch;
}

static bool is_shipped(const char *name)
{
	for (const char *const *names = uarch_names(NULL); *names; names++)
		if (strcmp(*names, name) == 0)
			return true;
	return false;
}

TEST(every_core_parses)
{
	const char *const *names = uarch_names(NULL);
	int cores = 0;

	for (; *names; names++, cores++) {
		struct uarch *uarch = load(*names);

		assert_string_equal(uarch->name, *names);
		assert_true(uarch_port_count(uarch) > 0);
		/* Every core is one that can be met. */
		if (uarch->id_count == 0)
			fail_msg("%s has no line \"match\"", *names);
		uarch_free(uarch);
	}
	assert_true(cores >= 7);
}

TEST(every_data_file_of_a_core_is_listed)
{
	int files = 0, listed = 0;

	for (const struct data_file *file = data_files; file->name; file++)
		files += strlen(file->name) > 6 &&
			 strcmp(file->name + strlen(file->name) - 6, ".uarch") == 0;
	for (const char *const *names = uarch_names(NULL); *names; names++)
		listed++;
	assert_int_equal(files, listed);
}

TEST(every_source_is_in_the_legend_and_used)
{
	struct uarch_sources sources;
	uint32_t used = 0;

	check_ok(sources_load(&sources));
	for (const char *const *names = uarch_names(NULL); *names; names++) {
		struct uarch *uarch = load(*names);
		struct text text = { 0 };
		int lines = 0;

		uarch_sources(uarch, 0, &text);
		for (const char *at = text_string(&text); *at; at++)
			lines += *at == '\n';
		assert_int_equal(lines, __builtin_popcount(uarch->tags));
		assert_true(lines > 0);
		used |= uarch->tags;
		text_free(&text);
		uarch_free(uarch);
	}
	for (int i = 0; i < sources.count; i++)
		if (!(used >> i & 1))
			print_message("no core uses the source [%s]\n", sources.tag[i]);
}

/* Which classes of the table of instructions a core says nothing of. */
static int count_missing(const struct uarch *uarch, char *list, size_t size)
{
	int missing = 0;

	list[0] = '\0';
	for (int i = 0; i < uarch->ops->class_count; i++) {
		bool found = false;
		size_t used = strlen(list);

		for (int width = 0; width < UARCH_WIDTHS; width++)
			found = found || uarch->resolved[i * UARCH_WIDTHS + width];
		if (found)
			continue;
		missing++;
		snprintf(list + used, size - used, " %s", uarch->ops->classes[i]->name);
	}
	return missing;
}

TEST(classes_of_the_tables_are_known)
{
	/* Those that must know nearly all (of x86-64's, cores with AVX-512). */
	static const char *const whole[] = { "zen5", "zen4", "redwood-cove", "golden-cove",
		"skylake-sp", "neoverse-n1", "neoverse-v2" };

	for (const char *const *names = uarch_names(NULL); *names; names++) {
		struct uarch *uarch = load(*names);
		int classes = uarch->ops->class_count, missing;
		char list[1200];

		missing = count_missing(uarch, list, sizeof(list));
		if (missing > 0)
			print_message("%s: %d of %d classes are unknown:%s\n", *names, missing,
				classes, list);
		for (size_t i = 0; i < sizeof(whole) / sizeof(whole[0]); i++)
			if (strcmp(whole[i], *names) == 0 && missing * 20 > classes)
				fail_msg("%s: %d of %d classes are unknown:%s", *names, missing,
					classes, list);
		uarch_free(uarch);
	}
}

TEST(what_every_loop_needs_is_known_everywhere)
{
	static const char *const classes[] = { "branch", "load", "vload", "store", "vstore" };

	for (const char *const *names = uarch_names(NULL); *names; names++) {
		struct uarch *uarch = load(*names);
		bool arm = strcmp(uarch->isa, "aarch64") == 0;

		for (size_t i = 0; i < sizeof(classes) / sizeof(classes[0]); i++)
			if (!uarch_find(uarch, classes[i], 0))
				fail_msg("%s has no class \"%s\"", *names, classes[i]);
		assert_true(uarch_find(uarch, "load", 0)->latency > 0);
		assert_int_equal(uarch_find(uarch, "writeback", 0) != NULL, arm);
		uarch_free(uarch);
	}
}

/* A latency that is more than what it should be by a slipped point, or ports that no micro-op uses,
 * show here. */
TEST(numbers_are_plausible)
{
	for (const char *const *names = uarch_names(NULL); *names; names++) {
		struct uarch *uarch = load(*names);
		uint32_t used = 0;

		for (int i = 0; i < uarch->class_count; i++) {
			const struct uarch_class *class = &uarch->class[i];

			if (class->latency > 150 || class->slots > 100)
				fail_msg("%s: class %s: latency %g, slots %g", *names, class->name,
					class->latency, class->slots);
			if (class->latency > 0 && uarch_known(class->accumulate) &&
				class->accumulate > class->latency)
				fail_msg("%s: class %s accumulates in more than its latency",
					*names, class->name);
			for (int k = 0; k < class->term_count; k++)
				used |= class->term[k].ports;
		}
		for (int i = 0; i < uarch_port_count(uarch); i++)
			if (!(used >> i & 1))
				fail_msg("%s: nothing uses \"%s\"", *names, uarch->port[i]);
		uarch_free(uarch);
	}
}

TEST(known_processors_are_recognised)
{
	struct table table;
	int asked = 0;

	table_open(&table, "uarch", "processors");
	while (table_next(&table, 4)) {
		bool arm = !*table.field[0], shipped = false, good = false;
		struct machine machine = { .arch = "x86_64" };
		char name[24], why[160], *rest = table.field[3];
		enum uarch_match match;
		double number[3];

		table_numbers(&table, 1, number, 3);
		if (arm)
			set_words(machine.arch, "aarch64");
		set_words(machine.processor.vendor, table.field[0]);
		snprintf(machine.processor.features, sizeof(machine.processor.features), " %s ",
			table.field[2]);
		machine.processor.family = (unsigned)number[0];
		machine.processor.model = (unsigned)number[1];
		machine.processor.stepping = (unsigned)number[2];
		if (arm) {
			machine.processor.implementer = (unsigned)number[0];
			machine.processor.part = (unsigned)number[1];
		}
		match = uarch_recognise(&machine, name, why);
		for (char *one; (one = strtok_r(rest, " ", &rest)) != NULL;) {
			shipped = shipped || is_shipped(one);
			good = good || (match == UARCH_EXACT && strcmp(one, name) == 0);
		}
		if (shipped && !good)
			table_fail(&table, "this is taken for \"%s\" (%s)", name, why);
		/* The words of match lines are not for users. */
		if (strstr(why, "hybrid-e") || strstr(why, "l1i-"))
			table_fail(&table, "the reason has words of core files: %s", why);
		asked += shipped;
	}
	assert_true(asked >= 10);
}

/* Efficiency cores have the numbers of the performance cores beside them, and nothing else of
 * theirs: neither limits nor events. */
TEST(efficiency_cores_are_no_performance_cores)
{
	static const unsigned models[] = { 0x97, 0x9a, 0xb7, 0xba, 0xbf };

	for (size_t i = 0; i < sizeof(models) / sizeof(models[0]); i++) {
		struct machine machine = { .arch = "x86_64",
			.processor = { .vendor = "GenuineIntel",
				.family = 6,
				.model = models[i],
				.stepping = 2,
				.features = " avx2 avx-vnni " } };
		char name[24], why[160];

		assert_int_equal(uarch_recognise(&machine, name, why), UARCH_EXACT);
		processor_add(&machine.processor, "hybrid-e");
		if (uarch_recognise(&machine, name, why) == UARCH_EXACT)
			fail_msg("an efficiency core of model %x is taken for %s", models[i], name);
	}
}

TEST(this_machine_is_recognised_or_says_why_not)
{
	struct machine machine = { 0 };
	char name[24], why[160];
	enum uarch_match match;

	machine_identify(&machine);
	match = uarch_recognise(&machine, name, why);
	assert_true(why[0]);
	print_message("%s: %s (%s)\n", machine.name, match == UARCH_NONE ? "unknown" : name, why);
	if (match == UARCH_NONE) {
		assert_string_equal(name, "");
		return;
	}
	assert_true(is_shipped(name));
}

/* The article "Performance speed limits" measures these on Skylake. */
TEST(skylake_is_the_articles)
{
	struct uarch *uarch = load("skylake");
	const struct uarch_class *imul = uarch_find(uarch, "imul", 64);
	static const struct insn indexed = { .known = true,
		.mnemonic = "mov",
		.shape = "m,r",
		.width = 32,
		.memory_count = 1,
		.memory = { { .store = true, .base = 1, .index = 2, .accesses = 1, .size = 4 } } };
	struct uarch_insn facts;

	check_near(uarch->width, 4, 0);
	assert_non_null(imul);
	check_near(imul->latency, 3, 0);
	assert_int_equal(imul->term_count, 1);
	assert_int_equal(imul->term[0].ports, 1 << 1);
	check_near(uarch->fact[CAP_LOADS], 2, 0);
	check_near(uarch->fact[CAP_STORES], 1, 0);
	check_near(uarch->fact[SIZE_ROB], 224, 0);
	check_near(uarch->fact[SIZE_LOAD_QUEUE], 72, 0);
	/* An indexed store takes a load's port: port 7 knows base + displacement alone. */
	uarch_insn(uarch, &indexed, &facts);
	assert_true(facts.known);
	assert_int_equal(facts.store->term[0].ports, 1 << 2 | 1 << 3);
	uarch_free(uarch);
}

/* Redwood Cove makes one slot of a copy, or a load, and the operation on what it wrote. */
TEST(operations_fuse_behind_copies)
{
	static const struct insn copy = { .known = true,
		.mnemonic = "mov",
		.shape = "r,r",
		.move = true,
		.width = 64,
		.read_count = 1,
		.reads = { 2 },
		.write_count = 1,
		.writes = { 1 } };
	static const struct insn from = { .known = true,
		.mnemonic = "mov",
		.shape = "r,m",
		.width = 64,
		.write_count = 1,
		.writes = { 1 },
		.memory_count = 1,
		.memory = { { .load = true, .base = 5, .accesses = 1, .size = 8 } } };
	struct insn add = { .known = true,
		.mnemonic = "add",
		.shape = "r,r",
		.width = 64,
		.read_count = 2,
		.reads = { 1, 3 },
		.write_count = 3,
		.writes = { 1, REG_CARRY, REG_FLAGS } };
	struct insn indexed = from;
	struct uarch *uarch = load("redwood-cove"), *other = load("golden-cove");

	assert_true(uarch_fuses_behind(uarch, &copy, &add));
	assert_true(uarch_fuses_behind(uarch, &from, &add));
	assert_false(uarch_fuses_behind(other, &copy, &add));
	indexed.memory[0].index = 6;
	assert_false(uarch_fuses_behind(uarch, &indexed, &add));
	add.immediate = true;
	assert_true(uarch_fuses_behind(uarch, &copy, &add));
	assert_false(uarch_fuses_behind(uarch, &from, &add));
	add.width = 32;
	assert_false(uarch_fuses_behind(uarch, &copy, &add));
	add.width = 64;
	add.writes[0] = add.reads[0] = 4;
	assert_false(uarch_fuses_behind(uarch, &copy, &add));
	add.writes[0] = add.reads[0] = 1;
	strcpy(add.mnemonic, "imul");
	assert_false(uarch_fuses_behind(uarch, &copy, &add));
	uarch_free(uarch);
	uarch_free(other);
}

/* A hard limit takes the least that was measured of any pattern: 16 bytes at every place of a
 * line, 2.85. */
TEST(split_loads_count_as_the_least_measured)
{
	struct uarch *uarch = load("redwood-cove");

	assert_true(uarch->fact[EXTRA_SPLIT_LOAD] > 2 && uarch->fact[EXTRA_SPLIT_LOAD] <= 2.85);
	uarch_free(uarch);
}

TEST(instructions_have_their_classes)
{
	static const char *const cores[] = { "neoverse-n1", "golden-cove" };

	for (size_t i = 0; i < sizeof(cores) / sizeof(*cores); i++) {
		struct uarch *uarch = load(cores[i]);
		struct table table;

		table_open(&table, "uarch", words_of("classes of %s", cores[i]).text);
		while (table_next(&table, 4)) {
			struct insn insn = { .known = true,
				.width = (uint16_t)table_number(&table, 2) };
			struct uarch_insn facts;

			set_words(insn.mnemonic, table.field[0]);
			set_words(insn.shape, table.field[1]);
			uarch_insn(uarch, &insn, &facts);
			table_expect(&table, facts.known && facts.op ? facts.op->name : "unknown",
				table.field[3]);
		}
		uarch_free(uarch);
	}
}

/* The core files have the numbers that "Performance speed limits" lists. */
TEST(core_files_have_the_numbers_of_the_article)
{
	struct table table;

	table_open(&table, "uarch", "article");
	while (table_next(&table, 3)) {
		struct uarch *uarch = load(table.field[0]);
		enum uarch_fact fact = uarch_fact_find(table.field[1]);

		if (strcmp(table.field[1], "L2 lines") == 0)
			check_near(uarch_cache(uarch, 2)->lines, table_number(&table, 2), 0);
		else if (fact == UARCH_FACTS)
			table_fail(&table, "no such fact");
		else
			check_near(uarch->fact[fact], table_number(&table, 2), 0);
		uarch_free(uarch);
	}
}

RUN_TESTS()
