/* slexplore complete: prints the words that may stand in the place of the last word of a command
 * line. The completion of shells (data/completion) calls it. All words come from the program's own
 * tables. */
#include <stdlib.h>
#include <string.h>

#include "base/data.h"
#include "base/text.h"
#include "cli/cli.h"
#include "experiment/sweep/sweep.h"
#include "experiment/windows/windows.h"

/* A command line to complete. */
struct line {
	FILE *out;
	const struct cli_command *command; /* the subcommand on the line, or the default one */
	const char *const *words;	   /* the words before the last one */
	int count;
	const char *last;
};

/* Prints BEFORE, WORD and AFTER as one word, if it begins with the last word of the line. */
static void offer(const struct line *line, const char *before, const char *word, const char *after)
{
	struct words all = words_of("%s%s%s", before, word, after);

	if (strncmp(all.text, line->last, strlen(line->last)) == 0)
		fprintf(line->out, "%s\n", all.text);
}

/* ---- words of each kind ---- */

/* Returns the kernel that the words of the line name, or NULL. */
static const struct kernel *kernel_of(const struct line *line)
{
	const struct kernel *kernel = NULL;

	for (int i = 0; i < line->count; i++)
		kernel = kernel_find(line->words[i]) ? kernel_find(line->words[i]) : kernel;
	return !kernel && strcmp(line->command->name, "windows") == 0 ? kernel_find(WINDOWS_KERNEL)
								      : kernel;
}

static void offer_kernels(const struct line *line)
{
	bool again = line->count && strcmp(line->words[line->count - 1], "vs") == 0;

	for (int i = 0; (again || !kernel_of(line)) && kernel_registry[i]; i++)
		offer(line, "", kernel_registry[i]->name, "");
}

static void offer_sweeps(const struct line *line)
{
	struct sweeps sweeps;
	struct status status = sweeps_load(&sweeps);

	for (int i = 0; status_is_ok(&status) && i < sweeps.count; i++)
		offer(line, "", sweeps.sweep[i].name, "");
	sweeps_free(&sweeps);
}

static void offer_lessons(const struct line *line)
{
	char **names = data_names("lessons", "lesson");

	for (char **name = names; *name; name++)
		offer(line, "", *name, "");
	data_names_free(names);
}

static void offer_fillers(const struct line *line)
{
	const struct kernel *kernel = kernel_find(WINDOWS_KERNEL);
	int knob = kernel ? kernel_knob(kernel, "filler") : -1;

	for (int i = 0; knob >= 0 && kernel->knobs[knob].choices[i]; i++)
		offer(line, "", kernel->knobs[knob].choices[i], "");
}

/* Offers "KNOB=" for each knob of the kernel that the line names, or "KNOB=VALUE" if the last word
 * has a
 * "=". */
static void offer_knobs(const struct line *line)
{
	enum { ROOM = 32, SIZE_FIRST = 1 << 10, SIZE_LAST = 1 << 30 };
	const struct kernel *kernel = kernel_of(line);
	const char *equals = strchr(line->last, '=');
	const struct memory_limits limits = { .memory = SIZE_LAST, .processors = 16 };
	int64_t values[ROOM];

	for (int i = 0; kernel && i < kernel->knob_count; i++) {
		const struct knob *knob = &kernel->knobs[i];
		struct words name = words_of("%s=", knob->name);
		int count;

		if (!equals) {
			offer(line, "", name.text, "");
			continue;
		}
		if (strncmp(line->last, name.text, strlen(name.text)) != 0)
			continue;
		count = knob->kind == KNOB_BYTES ? 0 : axis_few(knob, limits, values, ROOM);
		if (knob->kind == KNOB_BYTES)
			for (int64_t size = SIZE_FIRST; size <= SIZE_LAST; size *= 4)
				values[count++] = size;
		for (int k = 0; k < count; k++)
			offer(line, name.text, setting_value(knob, values[k]).text, "");
	}
}

/* The placeholders in a subcommand's synopsis (struct cli_command), such as KERNEL, for which
 * completion offers real names. */
static const struct {
	const char *word;
	void (*offer)(const struct line *line);
} kinds[] = {
	{ "KERNEL", offer_kernels },
	{ "SWEEP", offer_sweeps },
	{ "LESSON", offer_lessons },
	{ "FILLER", offer_fillers },
	{ "knob=value", offer_knobs },
	{ "knob=values", offer_knobs },
};

/* ---- the line ---- */

/* Offers the words that may follow the subcommand, according to its synopsis. In a synopsis, a word
 * in lower case is typed as it is; a word in upper case, such as KERNEL, is a placeholder. */
static void offer_synopsis(const struct line *line)
{
	char *synopsis = memory_string(line->command->arguments), *rest = synopsis, *word;
	unsigned offered = 0; /* one bit for each placeholder in `kinds` whose words were offered: a
				 synopsis may name KERNEL twice */

	while ((word = strsep(&rest, " []|"))) {
		size_t i = 0;

		while (i < sizeof(kinds) / sizeof(kinds[0]) && strcmp(kinds[i].word, word) != 0)
			i++;
		if (i < sizeof(kinds) / sizeof(kinds[0]) && !(offered >> i & 1))
			kinds[i].offer(line);
		else if (i == sizeof(kinds) / sizeof(kinds[0]) && *word >= 'a' && *word <= 'z')
			offer(line, "", word, "");
		offered |= 1u << i;
	}
	free(synopsis);
}

/* Whether an option of the subcommand replaces the common one of this name. */
static bool is_replaced(const struct line *line, const char *name)
{
	for (const struct cli_option *own = line->command->options; own && own->name; own++)
		if (strcmp(own->name, name) == 0)
			return true;
	return false;
}

static void offer_options(const struct line *line, const struct cli_option *options, bool common)
{
	for (; options && options->name; options++)
		if (options->help && (!common || (cli_takes(line->command, options->name) &&
							 !is_replaced(line, options->name))))
			offer(line, "--", options->name, options->argument ? "=" : "");
}

/* Finds the option with an argument that a word names: "--format" or "--format=j". */
static const struct cli_option *with_argument(const struct line *line, const char *word)
{
	/* A subcommand's own option replaces the common one of the same name. */
	const struct cli_option *const tables[] = { line->command->options, cli_common_options };
	size_t length = strcspn(word, "=");

	for (size_t i = 0; i < 2 && strncmp(word, "--", 2) == 0; i++)
		for (const struct cli_option *option = tables[i]; option && option->name; option++)
			if (option->argument && strlen(option->name) == length - 2 &&
				memcmp(option->name, word + 2, length - 2) == 0)
				return option;
	return NULL;
}

/* Offers the values of an option; `before` stands before each value: "--format=" or nothing. */
static void offer_values(
	const struct line *line, const struct cli_option *option, const char *before)
{
	char *values = memory_string(option->argument), *rest = values, *value;
	char **cores = strcmp(option->name, "uarch") == 0 ? data_names("uarch", "uarch") : NULL;

	for (char **name = cores; name && *name; name++)
		offer(line, before, *name, "");
	if (cores)
		data_names_free(cores);
	while (strchr(option->argument, '|') && (value = strsep(&rest, "|")))
		offer(line, before, value, "");
	free(values);
}

static void offer_all(const struct line *line)
{
	const struct cli_option *before = line->count ? with_argument(
								line, line->words[line->count - 1])
						      : NULL,
				*here = with_argument(line, line->last);

	if (before && !strchr(line->words[line->count - 1], '=')) {
		offer_values(line, before, "");
	} else if (here && strchr(line->last, '=')) {
		offer_values(line, here, words_of("--%s=", here->name).text);
	} else if (line->last[0] == '-') {
		offer_options(line, line->command->options, false);
		offer_options(line, cli_common_options, true);
	} else {
		if (line->count == 0)
			for (int i = 0; cli_commands[i]; i++)
				offer(line, "", cli_commands[i]->name, "");
		offer_synopsis(line);
	}
}

static int complete_run(struct cli *cli)
{
	struct line line = { .out = cli->out,
		.command = cli_commands[0],
		.words = (const char *const *)cli->words,
		.count = cli->word_count - 1,
		.last = cli->word_count ? cli->words[cli->word_count - 1] : "" };

	if (cli->word_count == 0)
		return cli_fail(
			cli, status_usage("complete needs the words of a command line, after --"));
	for (int i = 0; line.count > 0 && cli_commands[i]; i++)
		if (strcmp(cli_commands[i]->name, line.words[0]) == 0)
			line.command = cli_commands[i];
	offer_all(&line);
	return CLI_DONE;
}

const struct cli_command command_complete = {
	.name = "complete",
	.help = "print the words that may follow in a command line, for the completion of shells",
	.arguments = "-- WORD...",
	.run = complete_run,
};
