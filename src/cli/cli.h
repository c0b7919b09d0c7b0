/* The command line: what was asked for, and the subcommands that answer it.
 *
 * To add a subcommand: write src/cli/NAME.c that ends in one `const struct cli_command
 * command_NAME`, and add its row to the table in cli.c. Help, suggestions and option checks
 * walk that table. */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "base/status.h"
#include "engine/counters/counters.h"
#include "experiment/setting/setting.h"
#include "model/limits/misses.h"
#include "picture/palette.h"

struct format;

/* Where random layouts begin unless --seed says otherwise. */
enum { CLI_SEED = 1 };

/* Exit statuses. Ended by a signal, it is 128 + its number: 130 for an interrupt. */
enum { CLI_DONE = 0, CLI_UNMEASURED = 1, CLI_USAGE = 2 };

/* One invocation, parsed. */
struct cli {
	const struct cli_command *command;
	char **words; /* the words after the subcommand; borrowed from argv */
	int word_count;
	const struct format *format;
	int cpu; /* -1: the worker chooses */
	uint64_t seed;
	double time_budget; /* seconds; 0: the subcommand's own */
	bool quiet;
	bool help, version;
	const char *uarch;		  /* the core asked about; NULL: the running one */
	const char *events[COUNTERS_MAX]; /* to count besides, as libpfm spells them; borrowed from
					     argv */
	int event_count;
	struct misses_whatif whatif;   /* other caches to ask about */
	bool ascii;		       /* explore, replay */
	const char *script;	       /* explore, replay; NULL: none */
	bool points;		       /* probe, windows: every point */
	const char *picture, *gnuplot; /* files to draw into; NULL: none */
	enum picture_theme theme;
	void *own; /* values of the subcommand's own options, own_size bytes; NULL: it has none.
			Allocated: free it */
	FILE *out; /* results */
	FILE *err; /* messages, notes and progress */
};

/* One option; an array ends with a NULL name. */
struct cli_option {
	const char *name;     /* without the dashes */
	const char *argument; /* the name of its argument in the help; NULL: it has no argument */
	const char *help;     /* NULL: not in the help */
	struct status (*apply)(struct cli *cli, const char *value); /* NULL: stores it */
	/* Where it is stored: a bool without an argument, a const char * with one. */
	bool own; /* in cli->own; else in struct cli */
	size_t offset;
};

#define OPTION_IN_CLI(member)	    .offset = offsetof(struct cli, member)
#define OPTION_IN_OWN(type, member) .own = true, .offset = offsetof(type, member)

struct cli_command {
	const char *name;
	const char *help;		  /* one line */
	const char *arguments;		  /* synopsis of the words that follow */
	const char *more;		  /* further lines for its own --help, or NULL */
	const struct cli_option *options; /* of its own, or NULL */
	size_t own_size;		  /* of the struct that they are stored in */
	const char *common[14];	     /* names of the shared ones that it takes; --help and --version
					always work */
	int (*run)(struct cli *cli); /* returns the exit status */
};

/* Every subcommand, the default one first, ended by NULL. */
extern const struct cli_command *const cli_commands[];

/* The options that several subcommands share: each one names those that it takes. */
extern const struct cli_option cli_common_options[];

/* Whether an option, by its name, means something to a subcommand. */
bool cli_takes(const struct cli_command *command, const char *name);

/* Reads argv into cli, whose streams stay as they are. A kernel, or the path of an own loop, in
 * place of the subcommand opens the first subcommand on it; "help" in its place asks for help.
 * STATUS_USAGE for an unknown subcommand or option, with the nearest names, for one that the
 * subcommand does not take, or a bad value. cli->words and cli->own are allocated: free them. */
struct status cli_parse(struct cli *cli, int argc, char **argv);

/* The help of the program, or of cli->command when one was named. */
void cli_help(const struct cli *cli, bool of_command);

/* STATUS_USAGE where there is neither a terminal nor a script to open the screen for. */
struct status cli_screen(const struct cli *cli);

/* Runs one invocation; returns the exit status. */
int cli_main(int argc, char **argv, FILE *out, FILE *err);

struct cli;

/* Prints one message line on cli->err; returns the exit status that belongs to the status' code. */
int cli_fail(const struct cli *cli, struct status status);

/* Prints "note: …" on cli->err, unless --quiet. */
void cli_note(const struct cli *cli, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Flushes the results. Returns exit_status, or CLI_UNMEASURED when they could not all be written
 * and exit_status was CLI_DONE: with a message, unless the reader of a pipe left. */
int cli_finish(const struct cli *cli, int exit_status);

/* The kernel that the first word names, or the own loop that it is the path of: then compiled here,
 * with the word cflags=… if there is one, which is removed; the compiler's messages are printed on
 * cli->err. STATUS_USAGE with the kernels' names when there is no word. */
struct status words_kernel(struct cli *cli, const struct kernel **kernel);

/* setting->kernel at its defaults, then as the further words say. STATUS_USAGE also for a
 * combination that the kernel excludes and a knob given twice; memory is not looked at. */
struct status words_setting(const struct cli *cli, struct setting *setting);
