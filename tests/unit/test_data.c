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

static int setup(void **state)
{
	char path[128];

	(void)state;
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
	(void)state;
	remove_file("slexplore");
	return rmdir(directory);
}

TEST(the_default_is_built_in)
{
	char *text, origin[256];

	check_ok(data_load("keys", &text, origin));
	assert_string_equal(text, "built in\n");
	assert_string_equal(origin, "built-in keys");
	free(text);
	check_ok(data_load("keys", &text, NULL));
	free(text);
}

TEST(files_override_the_nearest_first)
{
	char *text, origin[256];

	write_file("slexplore/keys", "from config\n", 12);
	check_ok(data_load("keys", &text, origin));
	assert_string_equal(text, "from config\n");
	check_contains(origin, "/slexplore/keys");
	free(text);

	write_file("keys", "from here\n", 10);
	setenv("SLEXPLORE_DATA", directory, 1);
	check_ok(data_load("keys", &text, origin));
	assert_string_equal(text, "from here\n");
	free(text);
	remove_file("keys");
	/* A directory without the file is no obstacle. */
	check_ok(data_load("keys", &text, origin));
	assert_string_equal(text, "from config\n");
	free(text);
	unsetenv("SLEXPLORE_DATA");
	remove_file("slexplore/keys");
}

TEST(bad_overrides_are_reported)
{
	struct status status;
	char *text, path[128];

	setenv("SLEXPLORE_DATA", directory, 1);
	write_file("keys", "a\0b", 3);
	status = data_load("keys", &text, NULL);
	assert_int_equal(status.code, STATUS_FAILED);
	check_contains(status.text, "NUL byte");
	assert_null(text);
	remove_file("keys");

	snprintf(path, sizeof(path), "%s/keys", directory);
	assert_int_equal(mkdir(path, 0700), 0);
	status = data_load("keys", &text, NULL);
	assert_int_equal(status.code, STATUS_FAILED);
	check_contains(status.text, path);
	remove_file("keys");
	unsetenv("SLEXPLORE_DATA");

	status = data_load("nothing", &text, NULL);
	assert_int_equal(status.code, STATUS_FAILED);
	check_contains(status.text, "nothing");
	assert_null(text);
}

TEST(an_empty_file_is_an_empty_string)
{
	char *text;

	setenv("SLEXPLORE_DATA", directory, 1);
	write_file("keys", "", 0);
	check_ok(data_load("keys", &text, NULL));
	assert_string_equal(text, "");
	free(text);
	remove_file("keys");
	unsetenv("SLEXPLORE_DATA");
}

TEST(names_are_listed_once_the_users_own_first)
{
	static const char *const expected[] = { "a", "z", "b", NULL };
	char **names = data_names("cores", "core");
	char path[128];

	assert_string_equal(names[0], "a");
	assert_string_equal(names[1], "b");
	assert_null(names[2]);
	data_names_free(names);
	snprintf(path, sizeof(path), "%s/cores", directory);
	assert_int_equal(mkdir(path, 0700), 0);
	setenv("SLEXPLORE_DATA", directory, 1);
	write_file("cores/z.core", "", 0);
	write_file("cores/a.core", "", 0);
	write_file("cores/.core", "", 0);
	write_file("cores/core", "", 0);
	write_file("cores/x.cores", "", 0);
	names = data_names("cores", "core");
	for (int i = 0; expected[i]; i++)
		assert_string_equal(names[i], expected[i]);
	assert_null(names[3]);
	data_names_free(names);
	names = data_names("none", "core");
	assert_null(names[0]);
	data_names_free(names);
	unsetenv("SLEXPLORE_DATA");
	remove_file("cores/z.core");
	remove_file("cores/a.core");
	remove_file("cores/.core");
	remove_file("cores/core");
	remove_file("cores/x.cores");
	remove_file("cores");
}

TEST(what_is_saved_is_found_and_what_was_there_is_put_aside)
{
	struct text path = { 0 };
	char *text, origin[256];
	bool backup;

	setenv("SLEXPLORE_DATA", directory, 1);
	check_ok(data_own_save("new/a.core", "one", &path, &backup));
	assert_false(backup);
	check_ok(data_own_save("new/a.core", "two", &path, &backup));
	assert_true(backup);
	check_ok(data_load("new/a.core", &text, origin));
	assert_string_equal(text, "two");
	free(text);
	check_ok(data_load("new/a.core~", &text, origin));
	assert_string_equal(text, "one");
	free(text);
	assert_string_equal(origin + strlen(origin) - strlen("new/a.core~"), "new/a.core~");
	text_free(&path);
	unsetenv("SLEXPLORE_DATA");
	remove_file("new/a.core");
	remove_file("new/a.core~");
	remove_file("new");
}

RUN_TESTS(.set_up = setup, .tear_down = teardown)
