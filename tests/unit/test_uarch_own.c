/* Core models of the user's own, in $SLEXPLORE_DATA/uarch: listed, recognised, and reported when
 * they are malformed. */
#include "check.h"

#include <sys/stat.h>
#include <unistd.h>

#include "base/data.h"
#include "model/core/uarch.h"

static const char base_text[] = "uarch base A base\n"
				"isa x86_64\n"
				"match vendor GenuineIntel family 6 model 10-1f [M]\n"
				"width 4 [M]\n"
				"ports p0 p1 [M]\n"
				"class alu latency 1 ports p0,p1 [M]\n";
static const char narrow_text[] = "uarch narrow N\nisa x86_64\nfrom base\n"
				  "match vendor GenuineIntel family 6 model 15 with avx2 [M]\n";

const struct data_file data_files[] = {
	{ "uarch/base.uarch", base_text },
	{ "uarch/narrow.uarch", narrow_text },
	{ "uarch/sources", "M measured\n" },
	{ "uarch/x86_64.ops", "add * alu\n" },
	{ "uarch/aarch64.ops", "add * alu\n" },
	{ NULL, NULL },
};

static char directory[64] = "/tmp/slexplore-uarch-XXXXXX";
static const char *const files[] = { "mine", "base", "other", NULL };

static void write_core(const char *name, const char *text)
{
	char path[128];
	FILE *file;

	snprintf(path, sizeof(path), "%s/uarch/%s.uarch", directory, name);
	file = fopen(path, "w");
	assert_non_null(file);
	fputs(text, file);
	assert_int_equal(fclose(file), 0);
}

static void remove_core(const char *name)
{
	char path[128];

	snprintf(path, sizeof(path), "%s/uarch/%s.uarch", directory, name);
	remove(path);
}

static int set_up(void **state)
{
	char path[128];

	if (!mkdtemp(directory))
		return 1;
	snprintf(path, sizeof(path), "%s/uarch", directory);
	if (mkdir(path, 0700))
		return 1;
	setenv("SLEXPLORE_DATA", directory, 1);
	setenv("XDG_CONFIG_HOME", "/nonexistent", 1);
	/* Names are listed once in a process. */
	write_core("mine", "uarch mine M\nisa x86_64\n");
	write_core("not a name", "uarch x X\nisa x86_64\n");
	write_core("other", "uarch other O\nisa aarch64\n");
	assert_string_equal(uarch_names("x86_64")[0], "mine");
	remove_core("not a name");
	return 0;
}

static int tear_down(void **state)
{
	char path[128];

	for (const char *const *name = files; *name; name++)
		remove_core(*name);
	snprintf(path, sizeof(path), "%s/uarch", directory);
	return rmdir(path) || rmdir(directory);
}

/* Every test begins with the one file that is listed, which matches nothing. */
static int start_afresh(void **state)
{
	for (const char *const *name = files; *name; name++)
		remove_core(*name);
	write_core("mine", "uarch mine Mine\nisa x86_64\nfrom base\n");
	return 0;
}

static struct machine intel(unsigned model, const char *features)
{
	struct machine machine = { .arch = "x86_64",
		.processor = { .vendor = "GenuineIntel", .family = 6, .model = model } };

	snprintf(machine.processor.features, sizeof(machine.processor.features), "%s", features);
	return machine;
}

/* Which core that processor is taken for. */
static void is_taken_for(unsigned model, const char *features, const char *title)
{
	const struct machine machine = intel(model, features);
	struct uarch_choice core;

	check_ok(uarch_choose(NULL, &machine, &core));
	assert_non_null(core.uarch);
	assert_string_equal(core.uarch->title, title);
	assert_false(core.foreign);
	uarch_choice_free(&core);
}

/* Its model is malformed, and that is said. */
static void is_refused(unsigned model, const char *features, const char *part)
{
	const struct machine machine = intel(model, features);
	struct uarch_choice core;
	struct status status = uarch_choose(NULL, &machine, &core);

	assert_int_equal(status.code, STATUS_FAILED);
	assert_null(core.uarch);
	check_parts(status.text, directory, part);
}

TEST(own_files_are_listed_first)
{
	const char *const *all = uarch_names(NULL);
	struct uarch *uarch;
	struct status status;

	assert_string_equal(all[0], "mine");
	assert_string_equal(all[1], "other");
	assert_string_equal(all[2], "base");
	assert_string_equal(all[3], "narrow");
	assert_null(all[4]);
	assert_string_equal(uarch_names("aarch64")[0], "other");
	assert_null(uarch_names("aarch64")[1]);
	status = uarch_load("mind", "x86_64", &uarch);
	assert_int_equal(status.code, STATUS_USAGE);
	check_contains(status.text, "mine");
}

TEST(an_own_file_is_recognised)
{
	is_taken_for(0x15, "", "A base");
	is_taken_for(0x15, " avx2 ", "N");
	write_core("mine", "uarch mine Mine\nisa x86_64\nfrom base\nmatch vendor GenuineIntel "
			   "family 6 model 15 [M]\n");
	/* Of equals the user's own; of others the one that says more. */
	is_taken_for(0x15, "", "Mine");
	is_taken_for(0x15, " avx2 ", "N");
	is_taken_for(0x16, "", "A base");
	/* One of the same name stands in for the built-in one. */
	write_core("base", "uarch base Better\nisa x86_64\nmatch vendor GenuineIntel family 6 "
			   "model 16 [M]\nwidth 6 [M]\n"
			   "ports p0 [M]\n");
	is_taken_for(0x16, "", "Better");
}

TEST(a_malformed_file_is_reported_where_it_matches)
{
	write_core("mine", "uarch mine Mine\nisa x86_64\nfrom base\nmatch vendor GenuineIntel "
			   "family 6 model 15 [M]\n"
			   "size rob many [M]\n");
	is_refused(0x15, "", "/uarch/mine.uarch:5: ");
	/* Not where another one matches better, or where it does not match. */
	is_taken_for(0x15, " avx2 ", "N");
	is_taken_for(0x16, "", "A base");
	/* What it inherits may be what is wrong. */
	write_core("mine", "uarch mine Mine\nisa x86_64\nfrom base\nmatch vendor GenuineIntel "
			   "family 6 model 15 [M]\n");
	write_core("base", "uarch base Base\nisa x86_64\nwidth 0 [M]\nports p0 [M]\n");
	is_refused(0x15, "", "/uarch/base.uarch:3: ");
	/* Or the first lines. */
	remove_core("base");
	write_core("mine", "uarc mine Mine\nmatch vendor GenuineIntel family 6 model 15 [M]\n");
	is_refused(0x15, "", "/uarch/mine.uarch:1: ");
	write_core("mine", "uarch yours Mine\nisa x86_64\nfrom base\nmatch vendor GenuineIntel "
			   "family 6 model 15 [M]\n");
	is_refused(0x15, "", "this file is the core \"yours\", not \"mine\"");
}

TEST(a_malformed_match_line_is_reported_where_nothing_matches)
{
	const struct machine machine = intel(0x90, "");
	struct uarch_choice core;

	check_ok(uarch_choose(NULL, &machine, &core));
	assert_null(core.uarch);
	assert_string_equal(core.nearest, "base");
	write_core("mine", "uarch mine Mine\nisa x86_64\nfrom base\nmatch vendor GenuineIntel "
			   "familie 6 model 90 [M]\n");
	is_refused(0x90, "", "/uarch/mine.uarch:4: ");
	is_taken_for(0x15, "", "A base");
	/* A malformed file without such a line is nobody's. */
	write_core("mine", "uarch mine Mine\nisa x86_64\nfrom base\nsize rob many [M]\n");
	check_ok(uarch_choose(NULL, &machine, &core));
	assert_null(core.uarch);
	assert_string_equal(core.nearest, "base");
}

TEST(a_path_is_taken_at_its_word)
{
	const struct machine machine = intel(0x15, "");
	struct uarch_choice core;
	char path[128];

	snprintf(path, sizeof(path), "%s/uarch/mine.uarch", directory);
	/* Whatever it calls itself; it is this core if it says so. */
	write_core("mine", "uarch yours Yours\nisa x86_64\nfrom base\nmatch vendor GenuineIntel "
			   "family 6 model 15 [M]\n");
	check_ok(uarch_choose(path, &machine, &core));
	assert_string_equal(core.uarch->title, "Yours");
	assert_false(core.foreign);
	uarch_choice_free(&core);
	write_core("mine", "uarch yours A title that fills the sixty-three bytes which a title may "
			   "have\nisa x86_64\nfrom base\n");
	check_ok(uarch_choose(path, &machine, &core));
	assert_true(core.foreign);
	check_contains(core.how, core.uarch->title);
	uarch_choice_free(&core);
	remove_core("mine");
	check_contains(uarch_choose(path, &machine, &core).text, "mine.uarch: No such file");
	assert_null(core.uarch);
}

RUN_TESTS(.set_up = set_up, .tear_down = tear_down, .each_set_up = start_afresh)
