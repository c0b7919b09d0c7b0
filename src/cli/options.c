/* Parses options and prints help. The parser and the help use the table of common options in this
 * file and the table of each subcommand. */
#include <getopt.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/rows.h"
#include "base/text.h"
#include "base/units.h"
#include "cli/cli.h"
#include "cli/format.h"
#include "engine/own/own.h"
#include "kernels/kernel.h"
#include "lesson/lesson.h"
#include "model/program/elf.h"
#include "picture/picture.h"

enum { OPTIONS_MAX = 64, COMMAND_NAMES_MAX = 256 };

static struct status apply_format(struct cli *cli, const char *value)
{
	cli->format = format_find(value);
	return cli->format ? status_ok()
			   : status_usage("unknown --format %s: use text, csv or json", value);
}

static struct status apply_cpu(struct cli *cli, const char *value)
{
	int64_t number;

	/* The number of the core must fit in an int. The worker checks later that the core
	 * exists. */
	if (!units_parse(value, false, &number) || number > 1 << 20)
		return status_usage(
			"--cpu %s: expected a processor number, 0 or more, as in /proc/cpuinfo",
			value);
	cli->cpu = (int)number;
	return status_ok();
}

static struct status apply_seed(struct cli *cli, const char *value)
{
	int64_t number;

	if (!units_parse(value, false, &number))
		return status_usage("--seed %s: expected a whole number from 0 to 2^63-1", value);
	cli->seed = (uint64_t)number;
	return status_ok();
}

static struct status apply_time_budget(struct cli *cli, const char *value)
{
	char *end;
	double seconds = strtod(value, &end);

	if (end == value || *end || !(seconds >= CLI_SECONDS_LEAST && seconds <= CLI_SECONDS_MOST))
		return status_usage("--time-budget %s: expected seconds from %g to %d", value,
			CLI_SECONDS_LEAST, CLI_SECONDS_MOST);
	cli->time_budget = seconds;
	return status_ok();
}

/* Checks that libpfm knows the event. The program finds out later, when it opens the event, whether
 * this machine can count the event. */
static struct status apply_event(struct cli *cli, const char *value)
{
	struct counter_code code;
	struct status status;

	if (strlen(value) >= COUNTER_NAME)
		return status_usage(
			"--event %.60s...: the name of an event has at most %d characters", value,
			COUNTER_NAME - 1);
	status = counters_encode(value, &code);
	if (!status_is_ok(&status))
		return status_usage("--%s",
			status.text); /* the text of the status begins with "event 'NAME': …" */
	if (cli->event_count == COUNTERS_MAX)
		return status_usage(
			"--event %s: at most %d events can be added", value, COUNTERS_MAX);
	cli->events[cli->event_count++] = value;
	return status;
}

static struct status apply_do(struct cli *cli, const char *value)
{
	const int most = sizeof(cli->commands) / sizeof(cli->commands[0]);

	if (cli->command_count == most)
		return status_usage(
			"--do %.60s: the option --do may be given at most %d times", value, most);
	cli->commands[cli->command_count++] = value;
	return status_ok();
}

static struct status apply_whatif(struct cli *cli, const char *value)
{
	return misses_whatif_parse(value, &cli->whatif);
}

static struct status apply_picture(struct cli *cli, const char *value)
{
	cli->picture = value;
	return picture_named(value);
}

static struct status apply_gnuplot(struct cli *cli, const char *value)
{
	size_t length = strlen(value);
	struct text path = { 0 };

	if (!*value || value[length - 1] == '/')
		return status_usage("--gnuplot %.100s: expected the beginning of file names, for "
				    "example --gnuplot curve",
			value);
	text_add(&path, value);
	if (length < 4 || strcmp(value + length - 3, ".gp") != 0)
		text_add(&path, ".gp");
	free(cli->gnuplot);
	cli->gnuplot = path.bytes;
	return status_ok();
}

/* A command with a screen and pictures takes the themes of both; its part that draws a picture
 * checks the name again. */
static struct status apply_theme(struct cli *cli, const char *value)
{
	struct status status;

	cli->screen_theme = value;
	if (!cli->command || !cli_takes(cli->command, "picture"))
		return status_ok();
	status = picture_find_theme(value, &cli->theme);
	return cli_takes(cli->command, "script") ? status_ok() : status;
}

const struct cli_option cli_common_options[] = {
	{ "format", "text|csv|json", "format of the results; json writes one object a line",
		apply_format },
	{ "cpu", "N", "the core to measure; default: the program chooses one", apply_cpu },
	{ "seed", "N", "where random layouts begin (1)", apply_seed },
	{ "time-budget", "SECONDS",
		"at most so many seconds of measuring, not counting the preparation of data",
		apply_time_budget },
	{ "uarch", "NAME",
		"predict for this core model, by name or path of its file, instead of the running "
		"core; a wrong name lists all",
		OPTION_IN_CLI(uarch) },
	{ "event", "NAME", "also count this event (libpfm's name); may be given several times",
		apply_event },
	{ "whatif", "CACHE",
		"also predict misses in other caches: 2x, 64k, 'L2 4m'; may be given several times",
		apply_whatif },
	{ "picture", "FILE", "draw the results to FILE.svg, FILE.png or FILE.pdf", apply_picture },
	{ "gnuplot", "PREFIX", "write PREFIX.gp and PREFIX.dat, for gnuplot to draw the same",
		apply_gnuplot },
	{ "theme", "NAME",
		"the colours: of the picture, light or dark (light); of the explorer, auto, dark, "
		"light, presenter or high-contrast (auto)",
		apply_theme },
	{ "ascii", NULL, "draw with ASCII characters only", OPTION_IN_CLI(ascii) },
	{ "script", "FILE", "read commands from a file, without a terminal; -: standard input",
		OPTION_IN_CLI(script) },
	{ "do", "COMMAND", "run a command of the explorer at its start; may be given several times",
		apply_do },
	{ "mouse", NULL, "use the mouse: a click chooses, the wheel turns a knob or scrolls",
		OPTION_IN_CLI(mouse) },
	{ "no-settings", NULL, "neither read nor write the file of saved settings",
		OPTION_IN_CLI(no_settings) },
	{ "slack", NULL, "measure the pressure on each port, with added instructions",
		OPTION_IN_CLI(slack) },
	{ "cost", NULL, "measure what each instruction of the loop costs, with changed code",
		OPTION_IN_CLI(cost) },
	{ "why", NULL, "measure why the loop is slower than its limit", OPTION_IN_CLI(why) },
	{ "quiet", NULL, "write no notes and no progress to standard error", OPTION_IN_CLI(quiet) },
	{ "help", NULL, "show this help, or that of a subcommand", OPTION_IN_CLI(help) },
	{ "version", NULL, "the version", OPTION_IN_CLI(version) },
	{ .name = NULL },
};

/* One option on the command line, and its value. */
struct given {
	const struct cli_option *option;
	const char *value;
};

/* Fills `all` with the shared options and the options of each subcommand. Returns the number of
 * options. */
static size_t all_options(const struct cli_option *all[OPTIONS_MAX])
{
	size_t count = 0;

	for (const struct cli_option *option = cli_common_options; option->name; option++)
		all[count++] = option;
	for (const struct cli_command *const *command = cli_commands; *command; command++)
		for (const struct cli_option *option = (*command)->options;
			option && option->name && count < OPTIONS_MAX; option++)
			all[count++] = option;
	return count;
}

static struct status unknown_option(
	const char *typed, const struct cli_option *const *all, size_t count)
{
	const char *names[OPTIONS_MAX];
	char dashed[OPTIONS_MAX][32], bare[64];
	size_t different = 0;

	if (typed[0] != '-' || typed[1] != '-')
		return status_usage("unknown option \"%s\"; see slexplore --help", typed);
	snprintf(bare, sizeof(bare), "%.*s", (int)strcspn(typed, "="), typed);
	/* Several subcommands may have an option of the same name. */
	for (size_t i = 0; i < count; i++) {
		size_t other = 0;

		while (strcmp(all[other]->name, all[i]->name) != 0)
			other++;
		snprintf(dashed[i], sizeof(dashed[i]), "--%s", all[i]->name);
		if (other == i)
			names[different++] = dashed[i];
	}
	return status_unknown("unknown option", bare, names, different, "see slexplore --help");
}

static struct status unknown_command(const char *typed)
{
	const char *names[COMMAND_NAMES_MAX];
	size_t count = 0;

	if (lesson_exists(typed))
		return status_usage("unknown subcommand \"%1$.60s\", but a lesson has that name: "
				    "slexplore lesson %1$.60s",
			typed);
	for (size_t i = 0; cli_commands[i] && count < COMMAND_NAMES_MAX; i++)
		names[count++] = cli_commands[i]->name;
	for (size_t i = 0; kernel_registry[i] && count < COMMAND_NAMES_MAX; i++)
		names[count++] = kernel_registry[i]->name;
	return status_unknown("unknown subcommand", typed, names, count,
		"no kernel has that name either; see slexplore --help");
}

static const struct cli_command *command_find(const char *name)
{
	for (const struct cli_command *const *command = cli_commands; *command; command++)
		if (strcmp((*command)->name, name) == 0)
			return *command;
	return NULL;
}

static bool is_own(const struct cli_command *command, const char *name)
{
	for (const struct cli_option *own = command->options; own && own->name; own++)
		if (strcmp(own->name, name) == 0)
			return true;
	return false;
}

bool cli_takes(const struct cli_command *command, const char *name)
{
	if (strcmp(name, "help") == 0 || strcmp(name, "version") == 0 || is_own(command, name))
		return true;
	for (size_t i = 0;
		i < sizeof(command->common) / sizeof(*command->common) && command->common[i]; i++)
		if (strcmp(command->common[i], name) == 0)
			return true;
	return false;
}

/* Returns the error for an option that the subcommand does not accept: "--format is an option of
 * list, run and sweep, not of explore". */
static struct status not_taken(const struct cli_command *command, const char *name)
{
	const char *takers[COMMAND_NAMES_MAX];
	struct text list = { 0 };
	struct status status;
	size_t count = 0;

	for (size_t i = 0; cli_commands[i] && count < COMMAND_NAMES_MAX; i++)
		if (cli_takes(cli_commands[i], name))
			takers[count++] = cli_commands[i]->name;
	for (size_t i = 0; i < count; i++)
		text_addf(&list, "%s%s", i == 0 ? "" : i + 1 == count ? " and " : ", ", takers[i]);
	status = status_usage(
		"--%s is an option of %s, not of %s", name, text_string(&list), command->name);
	text_free(&list);
	return status;
}

/* Splits argv into options and words. The words keep their order. Options can be anywhere before
 * the argument "--". */
static struct status split(
	struct cli *cli, int argc, char **argv, struct given *given, size_t *given_count)
{
	const struct cli_option *all[OPTIONS_MAX];
	struct option table[OPTIONS_MAX + 1] = { 0 };
	size_t count = all_options(all);
	int found;

	for (size_t i = 0; i < count; i++)
		table[i] = (struct option){ .name = all[i]->name,
			.has_arg = all[i]->argument ? required_argument : no_argument,
			.val = 256 + (int)i };
	/* Setting optind to 0, not 1, resets getopt after an earlier parse. The dash in the option
	 * string makes getopt return words in order, even if POSIXLY_CORRECT is set. The colon lets
	 * getopt distinguish a missing argument from an unknown option. */
	optind = 0;
	opterr = 0;
	while ((found = getopt_long(argc, argv, "-:h", table, NULL)) != -1) {
		if (found == 1) {
			cli->words[cli->word_count++] = optarg;
		} else if (found == 'h') {
			cli->help = true;
		} else if (found == ':') {
			const char *typed = argv[optind - 1];
			const struct cli_option *option = optopt >= 256 ? all[optopt - 256] : NULL;

			return status_usage("%s needs an argument: %s", typed,
				option ? option->argument : "a value");
		} else if (found == '?') {
			/* optopt is 256 or more if the user gave an argument to an option that
			 * takes no argument. optopt is 0 for an unknown or ambiguous option, and
			 * otherwise an unknown letter. */
			if (optopt >= 256)
				return status_usage(
					"--%s takes no argument", all[optopt - 256]->name);
			if (optopt)
				return status_usage(
					"unknown option \"-%c\"; see slexplore --help", optopt);
			return unknown_option(argv[optind - 1], all, count);
		} else {
			given[(*given_count)++] = (struct given){ all[found - 256], optarg };
		}
	}
	while (optind < argc)
		cli->words[cli->word_count++] = argv[optind++];
	return status_ok();
}

/* Removes the first word from cli->words. The array cli->words still ends with NULL. */
static void shift(struct cli *cli)
{
	memmove(cli->words, cli->words + 1, (size_t)cli->word_count * sizeof(*cli->words));
	cli->word_count--;
}

/* Finds the subcommand that the first word names. */
static struct status choose_command(struct cli *cli)
{
	if (strcmp(cli->words[0], "help") == 0) {
		cli->help = true;
		shift(cli);
		if (!cli->word_count)
			return status_ok();
	}
	cli->command = command_find(cli->words[0]);
	if (cli->command)
		shift(cli);
	else if (kernel_find(cli->words[0]) || own_is_path(cli->words[0]))
		cli->command = cli_commands[0];
	else
		return unknown_command(cli->words[0]);
	return status_ok();
}

/* Two subcommands may each have an option of the same name. Returns the option of that name that
 * belongs to this subcommand. */
static const struct cli_option *of_command(
	const struct cli_command *command, const struct cli_option *option)
{
	for (const struct cli_option *own = command->options; own && own->name; own++)
		if (strcmp(own->name, option->name) == 0)
			return own;
	return option;
}

static struct status apply(struct cli *cli, const struct cli_option *option, const char *value)
{
	char *member = (option->own ? (char *)cli->own : (char *)cli) + option->offset;

	if (option->apply)
		return option->apply(cli, value);
	if (option->argument)
		*(const char **)(void *)member = value;
	else
		*(bool *)(void *)member = true;
	return status_ok();
}

struct status cli_parse(struct cli *cli, int argc, char **argv)
{
	struct given *given = memory_new((size_t)argc + 1, sizeof(*given));
	size_t given_count = 0;
	const struct cli_command *command;
	struct status status;

	cli->own = NULL;
	cli->words = memory_new((size_t)argc + 1, sizeof(*cli->words));
	cli->word_count = 0;
	cli->format = formats[0];
	cli->cpu = -1;
	cli->seed = CLI_SEED;
	cli->command = NULL;
	status = split(cli, argc, argv, given, &given_count);
	if (status_is_ok(&status) && cli->word_count)
		status = choose_command(cli);
	command = cli->command ? cli->command : cli_commands[0];
	if (command->own_size)
		cli->own = memory_new(1, command->own_size);
	for (size_t i = 0; status_is_ok(&status) && i < given_count; i++) {
		const struct cli_option *option = of_command(command, given[i].option);

		status = cli_takes(command, option->name) ? apply(cli, option, given[i].value)
							  : not_taken(command, option->name);
	}
	free(given);
	return status;
}

/* Prints those options of the table that the subcommand accepts. If `command` is NULL, prints all
 * options of the table. */
static void print_options(
	FILE *out, const struct cli_option *options, const struct cli_command *command)
{
	const struct cli_option *table = options;

	for (; options && options->name; options++) {
		char left[48];

		/* A subcommand's own option replaces the common one of the same name. */
		if (!options->help || (command && !cli_takes(command, options->name)) ||
			(command && table == cli_common_options && is_own(command, options->name)))
			continue;
		snprintf(left, sizeof(left), "--%s%s%s", options->name,
			options->argument ? " " : "", options->argument ? options->argument : "");
		fprintf(out, "  %-24s %s\n", left, options->help);
	}
}

/* Prints the section about a subcommand in data/help. */
static void print_more(FILE *out, const char *name)
{
	const char *before = "\n";
	char section[32] = "";
	struct rows rows;

	rows_load(&rows, "help");
	while (rows_next(&rows)) {
		if (rows_section(&rows, section, sizeof(section)) || strcmp(section, name) != 0)
			continue;
		fprintf(out, "%s%s\n", before, rows_rest(&rows));
		before = "";
	}
	rows_end(&rows);
}

void cli_help(const struct cli *cli, bool of_command)
{
	if (of_command) {
		const struct cli_command *command = cli->command;

		fprintf(cli->out, "slexplore %s%s%s [options]\n\n%s\n", command->name,
			*command->arguments ? " " : "", command->arguments, command->help);
		print_more(cli->out, command->name);
		fprintf(cli->out, "\nOptions:\n");
		print_options(cli->out, command->options, command);
		print_options(cli->out, cli_common_options, command);
		return;
	}
	fprintf(cli->out, "slexplore: explore the speed limits of a processor\n"
			  "\n");
	for (const struct cli_command *const *command = cli_commands; *command; command++)
		fprintf(cli->out, "  slexplore %s%s%s\n      %s\n", (*command)->name,
			*(*command)->arguments ? " " : "", (*command)->arguments, (*command)->help);
	fprintf(cli->out,
		"\nWithout a subcommand: %s. slexplore SUBCOMMAND --help shows more, and which of "
		"these\n"
		"options it takes:\n\n",
		cli_commands[0]->name);
	print_options(cli->out, cli_common_options, NULL);
	fprintf(cli->out, "\nExit status: 0 done, 1 could not measure, 2 wrong usage, 3 differs "
			  "(compare --fail-over),\n"
			  "130 interrupted; "
			  "1 without a word when the reader of a pipe left early.\n");
}
