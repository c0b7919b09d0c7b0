#include "fakes.h"
#include "table.h"

#include <signal.h>
#include <unistd.h>

#include "cli/cli.h"
#include "cli/format.h"

/* One invocation and what it wrote. */
struct invocation {
	int exit_status;
	char *out, *err;
};

enum { ARGUMENTS = 16 };

/* Splits a command line at blanks. */
static int split(char *line, char *argv[ARGUMENTS + 1])
{
	int argc = 0;

	for (char *word = strtok(line, " "); word; word = strtok(NULL, " ")) {
		assert_true(argc < ARGUMENTS);
		argv[argc++] = word;
	}
	argv[argc] = NULL;
	return argc;
}

static struct invocation invoke(const char *arguments)
{
	struct invocation invocation;
	char line[256], *argv[ARGUMENTS + 1];
	size_t out_size, err_size;
	FILE *out = open_memstream(&invocation.out, &out_size);
	FILE *err = open_memstream(&invocation.err, &err_size);
	int argc;

	snprintf(line, sizeof(line), "slexplore %s", arguments);
	argc = split(line, argv);
	invocation.exit_status = cli_main(argc, argv, out, err);
	fclose(out);
	fclose(err);
	return invocation;
}

static void invocation_free(struct invocation *invocation)
{
	free(invocation->out);
	free(invocation->err);
}

/* The command line is refused, with one line on standard error that contains a part. */
static void refused(const char *arguments, const char *part)
{
	struct invocation invocation = invoke(arguments);

	assert_int_equal(invocation.exit_status, CLI_USAGE);
	assert_string_equal(invocation.out, "");
	check_contains(invocation.err, part);
	assert_memory_equal(invocation.err, "slexplore: ", 11);
	assert_ptr_equal(strchr(invocation.err, '\n'), invocation.err + strlen(invocation.err) - 1);
	invocation_free(&invocation);
}

static struct status parse(struct cli *cli, const char *arguments)
{
	static char line[256], *argv[ARGUMENTS + 1];
	int argc;

	snprintf(line, sizeof(line), "slexplore %s", arguments);
	argc = split(line, argv);
	free(cli->words);
	free(cli->own);
	memset(cli, 0, sizeof(*cli));
	return cli_parse(cli, argc, argv);
}

TEST(options_stand_anywhere)
{
	static const char *const lines[] = {
		"--format json --cpu 3 --seed 9 --time-budget 2.5 --quiet run fold op=mul",
		"run fold op=mul --format=json --cpu=3 --seed=9 --time-budget=2.5 --quiet",
		"run --quiet fold --format json op=mul --cpu 3 --seed 9 --time-budget 2.5",
		"--cpu 3 run --seed 9 --time-budget 2.5 --quiet --format json -- fold op=mul",
	};
	struct cli cli = { 0 };

	/* Which must not depend on this: */
	setenv("POSIXLY_CORRECT", "1", 1);
	for (size_t i = 0; i < sizeof(lines) / sizeof(*lines); i++) {
		check_ok(parse(&cli, lines[i]));
		assert_string_equal(cli.command->name, "run");
		assert_int_equal(cli.word_count, 2);
		assert_string_equal(cli.words[0], "fold");
		assert_string_equal(cli.words[1], "op=mul");
		assert_string_equal(cli.format->name, "json");
		assert_int_equal(cli.cpu, 3);
		assert_int_equal(cli.seed, 9);
		check_near(cli.time_budget, 2.5, 1e-9);
		assert_true(cli.quiet);
	}
	unsetenv("POSIXLY_CORRECT");
	free(cli.words);
	free(cli.own);
}

TEST(defaults)
{
	struct cli cli = { 0 };

	check_ok(parse(&cli, ""));
	assert_null(cli.command);
	assert_int_equal(cli.word_count, 0);
	assert_string_equal(cli.format->name, "text");
	assert_int_equal(cli.cpu, -1);
	assert_int_equal(cli.seed, CLI_SEED);
	check_near(cli.time_budget, 0, 0);
	assert_false(cli.quiet || cli.help || cli.version || cli.ascii || cli.script);
	check_ok(parse(&cli, "--ascii --script x"));
	assert_true(cli.ascii);
	assert_string_equal(cli.script, "x");
	free(cli.words);
	free(cli.own);
}

TEST(wrong_usage_is_named)
{
	struct table table;

	table_open(&table, "cli-options", "refused");
	while (table_next(&table, 2))
		refused(table.field[0], table_unescape(table.field[1]));
}

TEST(events_add_up)
{
	struct cli cli = { 0 };
	char line[4096] = "slexplore run fold", *argv[2 * COUNTERS_MAX + 8];
	int argc = 0;

	check_ok(parse(&cli, "run fold --event perf::PAGE-FAULTS --event=perf::CPU-MIGRATIONS"));
	assert_int_equal(cli.event_count, 2);
	assert_string_equal(cli.events[0], "perf::PAGE-FAULTS");
	assert_string_equal(cli.events[1], "perf::CPU-MIGRATIONS");
	check_ok(parse(&cli, "run fold"));
	assert_int_equal(cli.event_count, 0);
	/* A long way to say the same. */
	snprintf(line + strlen(line), sizeof(line) - strlen(line), " --event perf::PAGE-FAULTS");
	while (strlen(line) < COUNTER_NAME + 40)
		snprintf(line + strlen(line), sizeof(line) - strlen(line), ":u");
	argc = 0;
	for (char *word = strtok(line, " "); word; word = strtok(NULL, " "))
		argv[argc++] = word;
	argv[argc] = NULL;
	free(cli.words);
	free(cli.own);
	memset(&cli, 0, sizeof(cli));
	check_contains(cli_parse(&cli, argc, argv).text, "at most 159 characters");
	/* More than can be counted. */
	set_words(line, "slexplore run fold");
	argc = 0;
	for (int i = 0; i <= COUNTERS_MAX; i++)
		snprintf(line + strlen(line), sizeof(line) - strlen(line),
			" --event perf::PAGE-FAULTS");
	for (char *word = strtok(line, " "); word; word = strtok(NULL, " "))
		argv[argc++] = word;
	argv[argc] = NULL;
	free(cli.words);
	free(cli.own);
	memset(&cli, 0, sizeof(cli));
	check_usage(cli_parse(&cli, argc, argv),
		"--event perf::PAGE-FAULTS: at most 40 events can be added");
	free(cli.words);
	free(cli.own);
}

TEST(help_comes_from_the_tables)
{
	struct invocation invocation = invoke("--help");

	assert_int_equal(invocation.exit_status, CLI_DONE);
	assert_string_equal(invocation.err, "");
	for (const struct cli_command *const *command = cli_commands; *command; command++) {
		struct invocation own;
		char line[64];

		check_contains(invocation.out, (*command)->help);
		snprintf(line, sizeof(line), "%s --help", (*command)->name);
		own = invoke(line);
		assert_int_equal(own.exit_status, CLI_DONE);
		check_contains(own.out, (*command)->help);
		for (const struct cli_option *option = (*command)->options; option && option->name;
			option++)
			if (option->help)
				check_contains(own.out, option->help);
		for (const struct cli_option *option = cli_common_options; option->name; option++) {
			bool replaced = false;

			for (const struct cli_option *o = (*command)->options; o && o->name; o++)
				replaced |= strcmp(o->name, option->name) == 0;
			assert_true((cli_takes(*command, option->name) && !replaced) ==
				    (strstr(own.out, option->help) != NULL));
		}
		invocation_free(&own);
	}
	for (const struct cli_option *option = cli_common_options; option->name; option++)
		check_contains(invocation.out, option->name);
	assert_null(strstr(invocation.out, "--dump"));
	invocation_free(&invocation);
	invocation = invoke("list --dump limits");
	assert_int_equal(invocation.exit_status, CLI_DONE);
	check_contains(invocation.out, "ports\n");
	invocation_free(&invocation);
	invocation = invoke("list --dump nothing");
	assert_int_equal(invocation.exit_status, CLI_USAGE);
	invocation_free(&invocation);
	invocation = invoke("--version");
	assert_int_equal(invocation.exit_status, CLI_DONE);
	assert_memory_equal(invocation.out, "slexplore ", 10);
	invocation_free(&invocation);
}

/* Every name in a subcommand's list is that of an option: a slip there would take the option away.
 */
TEST(commands_take_options_that_exist)
{
	for (const struct cli_command *const *command = cli_commands; *command; command++) {
		for (int i = 0; (*command)->common[i]; i++) {
			const struct cli_option *option = cli_common_options;

			while (option->name && strcmp(option->name, (*command)->common[i]) != 0)
				option++;
			assert_non_null(option->name);
		}
		assert_true(cli_takes(*command, "help"));
		assert_false(cli_takes(*command, "no-such-option"));
	}
}

TEST(help_is_a_word_too)
{
	static const char *const pairs[][2] = { { "help", "--help" }, { "help run", "run --help" },
		{ "help explore", "explore --help" } };

	for (size_t i = 0; i < sizeof(pairs) / sizeof(*pairs); i++) {
		struct invocation word = invoke(pairs[i][0]), option = invoke(pairs[i][1]);

		assert_int_equal(word.exit_status, CLI_DONE);
		assert_string_equal(word.out, option.out);
		assert_string_equal(word.err, "");
		invocation_free(&word);
		invocation_free(&option);
	}
}

TEST(a_kernel_opens_the_explorer_on_it)
{
	struct cli cli = { 0 };

	check_ok(parse(&cli, "fold acc=4 --ascii"));
	assert_string_equal(cli.command->name, "explore");
	assert_int_equal(cli.word_count, 2);
	assert_string_equal(cli.words[0], "fold");
	assert_string_equal(cli.words[1], "acc=4");
	free(cli.words);
	free(cli.own);
}

TEST(lists_every_knob_of_every_kernel)
{
	for (const struct format *const *format = formats; *format; format++) {
		struct invocation invocation;
		char line[64];

		snprintf(line, sizeof(line), "list --format %s", (*format)->name);
		invocation = invoke(line);
		assert_int_equal(invocation.exit_status, CLI_DONE);
		for (int i = 0; kernel_registry[i]; i++) {
			check_contains(invocation.out, kernel_registry[i]->name);
			for (int j = 0; j < kernel_registry[i]->knob_count; j++)
				check_contains(invocation.out, kernel_registry[i]->knobs[j].help);
		}
		check_contains(invocation.out, "sequential, random or reverse");
		invocation_free(&invocation);
	}
}

TEST(lists_the_kernels_named)
{
	struct invocation invocation = invoke("list odd");

	assert_int_equal(invocation.exit_status, CLI_DONE);
	check_contains(invocation.out, "odd: odd counts");
	assert_null(strstr(invocation.out, "fold"));
	invocation_free(&invocation);
}

TEST(a_full_disk_is_noticed)
{
	char line[] = "slexplore list", *argv[ARGUMENTS + 1], *text;
	size_t size;
	FILE *out = fopen("/dev/full", "w"), *err = open_memstream(&text, &size);
	int argc = split(line, argv);

	assert_non_null(out);
	assert_int_equal(cli_main(argc, argv, out, err), CLI_UNMEASURED);
	fclose(out);
	fclose(err);
	check_contains(text, "slexplore: standard output: ");
	free(text);
}

TEST(a_reader_that_left_is_told_nothing)
{
	char line[] = "slexplore list", *argv[ARGUMENTS + 1], *text;
	int argc = split(line, argv), ends[2];
	FILE *out, *err;
	size_t size;

	signal(SIGPIPE, SIG_IGN);
	assert_int_equal(pipe(ends), 0);
	close(ends[0]);
	out = fdopen(ends[1], "w");
	/* Each piece is written, and fails, at once: the last flush finds nothing to do. */
	setvbuf(out, NULL, _IONBF, 0);
	err = open_memstream(&text, &size);
	assert_int_equal(cli_main(argc, argv, out, err), CLI_UNMEASURED);
	fclose(out);
	fclose(err);
	assert_string_equal(text, "");
	free(text);
}

RUN_TESTS()
