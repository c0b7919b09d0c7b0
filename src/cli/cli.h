/* The command line: its parsed options and words, and the subcommands.
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

/* The seed of random layouts without --seed. */
enum { CLI_SEED = 1 };

/* Exit statuses. After a signal, the exit status is 128 + the signal's number: 130 for an
 * interrupt. */
enum { CLI_DONE = 0, CLI_UNMEASURED = 1, CLI_USAGE = 2 };

/* One parsed invocation. */
struct cli {
	const struct cli_command *command;
	char **words; /* the words after the subcommand; borrowed from argv */
	int word_count;
	const struct format *format;
	int cpu; /* -1: the worker chooses */
	uint64_t seed;
	double time_budget; /* seconds; 0: the subcommand's default */
	bool quiet;
	bool help, version;
	const char *uarch; /* name of the core to predict for; NULL: the running core */
	const char *events[COUNTERS_MAX]; /* libpfm names of additional events to count; borrowed
					     from argv */
	int event_count;
	struct misses_whatif whatif; /* other caches to predict misses for */
	bool ascii;		     /* explore, replay */
	const char *script;	     /* explore, replay: path of a script; NULL: no script */
	bool points;		     /* probe, windows: print every point */
	const char *picture;	     /* file for a picture; NULL: no file */
	char *gnuplot; /* file PREFIX.gp for gnuplot; NULL: no file. Allocated: free it */
	enum picture_theme theme;
	void *own; /* values of the subcommand's own options, own_size bytes; NULL: no own options.
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
	/* Where the value is stored. An option without an argument is a bool, an option with an
	 * argument is a const char *. */
	bool own; /* stored in cli->own; false: in struct cli */
	size_t offset;
};

#define OPTION_IN_CLI(member)	    .offset = offsetof(struct cli, member)
#define OPTION_IN_OWN(type, member) .own = true, .offset = offsetof(type, member)

struct cli_command {
	const char *name;
	const char *help;		  /* one line; data/help has the other lines of --help */
	const char *arguments;		  /* synopsis of the words after the subcommand */
	const struct cli_option *options; /* the subcommand's own options, or NULL */
	size_t own_size;		  /* size of the struct that stores the own options */
	const char *common[14]; /* names of the shared options that the subcommand accepts; --help
				   and --version always work */
	int (*run)(struct cli *cli); /* returns the exit status */
};

/* All subcommands, ended by NULL. The first is the default. */
extern const struct cli_command *const cli_commands[];

/* The options that several subcommands share. Each subcommand lists the names of its shared
 * options. */
extern const struct cli_option cli_common_options[];

/* Whether a subcommand accepts the shared option of this name. */
bool cli_takes(const struct cli_command *command, const char *name);

/* Parses argv into cli; the streams of cli do not change. If the first word is a kernel or the path
 * of an own loop, the default subcommand opens it. If the first word is "help", the help is
 * printed. STATUS_USAGE: an unknown subcommand or option (the message has the nearest names), an
 * option that the subcommand does not accept, or a bad value. cli->words, cli->own and
 * cli->gnuplot are allocated: free them. */
struct status cli_parse(struct cli *cli, int argc, char **argv);

/* Prints the help of the program. of_command: prints the help of cli->command. */
void cli_help(const struct cli *cli, bool of_command);

/* Returns STATUS_USAGE if the explorer has neither a terminal nor a script. */
struct status cli_screen(const struct cli *cli);

/* Runs one invocation; returns the exit status. */
int cli_main(int argc, char **argv, FILE *out, FILE *err);

struct cli;

/* Prints the status' message on cli->err. Returns the exit status for the status' code. */
int cli_fail(const struct cli *cli, struct status status);

/* Prints "note: …" on cli->err, unless --quiet. */
void cli_note(const struct cli *cli, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Flushes the results. Returns exit_status. If the results could not be written and exit_status is
 * CLI_DONE, it returns CLI_UNMEASURED, and prints a message unless the reader closed the pipe. */
int cli_finish(const struct cli *cli, int exit_status);

/* Finds the kernel that the first word names. If the word is the path of an own loop, compiles the
 * loop and prints the compiler's messages on cli->err. The word cflags=… has compiler flags; it is
 * removed from the words. STATUS_USAGE: there is no word; the message lists the kernels. */
struct status words_kernel(struct cli *cli, const struct kernel **kernel);

/* Finds the kernel with words_kernel(). Sets its knobs to their defaults, then applies the other
 * words. STATUS_USAGE: a bad word, a combination that the kernel excludes, or a knob given twice.
 * The memory limits are not checked. */
struct status words_setting(struct cli *cli, struct setting *setting);
