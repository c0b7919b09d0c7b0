#include "check.h"

#include <sys/stat.h>
#include <unistd.h>

#include "base/data.h"
#include "base/text.h"

const struct data_file data_files[] = {
	{ "keys", "built in\n" },
	{ "cores/a.core", "" },
	{ "cores/b.core", "" },
	{ "coresx/c.core", "" },
	{ "cores/d.other", "" },
	{ NULL, NULL },
};

static char directory[] = "/tmp/slexplore-data-XXXXXX";

static void write_file(const char *name, const char *bytes, size_t length)
{
	char path[128];
	FILE *file;

	snprintf(path, sizeof(path), "%s/%s", directory, name);
	file = fopen(path, "w");
	assert_non_null(file);
	assert_int_equal(fwrite(bytes, 1, length, file), length);
	assert_int_equal(fclose(file), 0);
}

static void remove_file(const char *name)
{
	char path[128];

	snprintf(path, sizeof(path), "%s/%s", directory, name);
	assert_int_equal(remove(path), 0);
}

/* Loads "keys" or another file: its text, and the end of its origin. */
static void check_loaded(const char *name, const char *expected, const char *end)
{
	char *text, origin[256];

	check_ok(data_load(name, &text, origin));
	assert_string_equal(text, expected);
	assert_true(strlen(origin) >= strlen(end));
	assert_string_equal(origin + strlen(origin) - strlen(end), end);
	free(text);
}

static void check_fails(const char *name, const char *part)
{
	char *text;
	struct status status = data_load(name, &text, NULL);

	assert_int_equal(status.code, STATUS_FAILED);
	check_contains(status.text, part);
	assert_null(text);
}

static void check_names(const char *from, const char *const *expected)
{
	char **names = data_names(from, "core");
	int i = 0;

	for (; expected[i]; i++)
		assert_string_equal(names[i], expected[i]);
	assert_null(names[i]);
	data_names_free(names);
}

static int setup(void **state)
{
	char path[128];

	if (!mkdtemp(directory))
		return 1;
	snprintf(path, sizeof(path), "%s/slexplore", directory);
	if (mkdir(path, 0700))
		return 1;
	setenv("XDG_CONFIG_HOME", directory, 1);
	setenv("HOME", "/nonexistent", 1);
	unsetenv("SLEXPLORE_DATA");
	return 0;
}

static int teardown(void **state)
{
	remove_file("slexplore");
	return rmdir(directory);
}

/* Files of the user override from now on. */
static int own_files(void **state)
{
	return setenv("SLEXPLORE_DATA", directory, 1);
}

static int no_own_files(void **state)
{
	return unsetenv("SLEXPLORE_DATA");
}

TEST(the_default_is_built_in)
{
	char *text;

	check_loaded("keys", "built in\n", "built-in keys");
	check_ok(data_load("keys", &text, NULL));
	free(text);
}

TEST(files_override_the_nearest_first)
{
	write_file("slexplore/keys", "from config\n", 12);
	check_loaded("keys", "from config\n", "/slexplore/keys");
	write_file("keys", "from here\n", 10);
	own_files(NULL);
	check_loaded("keys", "from here\n", "/keys");
	remove_file("keys");
	/* A directory without the file is no obstacle. */
	check_loaded("keys", "from config\n", "/slexplore/keys");
	no_own_files(NULL);
	remove_file("slexplore/keys");
}

TEST_WITH(bad_overrides_are_reported, own_files, no_own_files)
{
	char path[128];

	write_file("keys", "a\0b", 3);
	check_fails("keys", "a byte 0");
	remove_file("keys");
	snprintf(path, sizeof(path), "%s/keys", directory);
	assert_int_equal(mkdir(path, 0700), 0);
	check_fails("keys", path);
	remove_file("keys");
	check_fails("nothing", "nothing");
}

TEST_WITH(an_empty_file_is_an_empty_string, own_files, no_own_files)
{
	write_file("keys", "", 0);
	check_loaded("keys", "", "/keys");
	remove_file("keys");
}

TEST_WITH(names_are_listed_once_the_users_own_first, own_files, no_own_files)
{
	static const char *const files[] = { "cores/z.core", "cores/a.core", "cores/.core",
		"cores/core", "cores/x.cores" };
	char path[128];

	check_names("cores", (const char *const[]){ "a", "b", NULL });
	snprintf(path, sizeof(path), "%s/cores", directory);
	assert_int_equal(mkdir(path, 0700), 0);
	for (size_t i = 0; i < sizeof(files) / sizeof(*files); i++)
		write_file(files[i], "", 0);
	check_names("cores", (const char *const[]){ "a", "z", "b", NULL });
	check_names("none", (const char *const[]){ NULL });
	for (size_t i = 0; i < sizeof(files) / sizeof(*files); i++)
		remove_file(files[i]);
	remove_file("cores");
}

TEST_WITH(what_is_saved_is_found_and_what_was_there_is_put_aside, own_files, no_own_files)
{
	struct text path = { 0 };
	bool backup;

	check_ok(data_own_save("new/a.core", "one", &path, &backup));
	assert_false(backup);
	check_ok(data_own_save("new/a.core", "two", &path, &backup));
	assert_true(backup);
	check_loaded("new/a.core", "two", "/new/a.core");
	check_loaded("new/a.core~", "one", "/new/a.core~");
	text_free(&path);
	remove_file("new/a.core");
	remove_file("new/a.core~");
	remove_file("new");
}

/* A folder that cannot be entered is no error, because the compiled-in files do as well. Its path
 * is a chain of symbolic links without an end, which even root cannot follow. */
TEST_WITH(a_folder_that_cannot_be_entered_is_named, own_files, no_own_files)
{
	char *before = memory_string(getenv("SLEXPLORE_DATA"));
	struct words path = words_of("%s/circle", directory);
	struct status status;

	check_ok(data_reachable());
	assert_int_equal(symlink("circle", path.text), 0);
	setenv("SLEXPLORE_DATA", path.text, 1);
	status = data_reachable();
	assert_int_equal(status.code, STATUS_FAILED);
	check_parts(status.text, path.text,
		": Too many levels of symbolic links: the files in this folder are not used");
	check_loaded("keys", "built in\n", "built-in keys");
	setenv("SLEXPLORE_DATA", before, 1);
	remove_file("circle");
	free(before);
}

RUN_TESTS(.set_up = setup, .tear_down = teardown)
