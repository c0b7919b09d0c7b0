/* The command line consists of a subcommand, its options and its words.
 *
 * To add a subcommand: write src/cli/NAME.c that ends in one `const struct cli_command
 * command_NAME`, and add its row to the table in cli.c. The help, the suggestions and the checks of
 * options read the table of subcommands. */
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

/* The seed of random layouts if the user gives no --seed. */
enum { CLI_SEED = 1 };

/* The exit statuses of the program. After a signal, the exit status is 128 plus the signal's
 * number; for example, it is 130 after SIGINT. */
enum { CLI_DONE = 0, CLI_UNMEASURED = 1, CLI_USAGE = 2, CLI_DIFFERS = 3 };

/* The parsed command line of one invocation. */
struct cli {
	const struct cli_command *command;
	char **words; /* the words after the subcommand; borrowed from argv */
	int word_count;
	const struct format *format;
	int cpu; /* number of the core to measure; -1: the worker chooses a core */
	uint64_t seed;
	double time_budget; /* time limit from --time-budget in seconds; 0: the subcommand's default
			     */
	bool quiet;
	bool help, version;
	const char *uarch; /* name of the core to predict for; NULL: the running core */
	/* libpfm names of the additional events to count. The strings are borrowed from argv. */
	const char *events[COUNTERS_MAX];
	int event_count;
	struct misses_whatif whatif; /* caches, given by the user, to predict misses for */
	bool ascii;		     /* explore, replay: the screen uses only ASCII characters */
	bool mouse, no_settings;  /* explore and replay: use the mouse (--mouse); ignore the saved
				     settings (--no-settings) */
	const char *commands[16]; /* explore and replay: commands of the explorer to run at its
				     start (--do); borrowed strings */
	int command_count;
	const char *script; /* path of the script for explore and replay; NULL: no script is run */
	bool slack;  /* run and sweep measure the pressure of the loop on each port, in place of
			cycles per element */
	bool cost;   /* run and sweep measure the cost of each instruction, in place of cycles per
			element */
	bool why;    /* the subcommand run measures pairs (the loop with and without a change) that
			explain the gap to its limit, in place of cycles per element */
	bool points; /* probe and windows print every measured point */
	const char *picture; /* path of the file for a picture; NULL: no picture is written */
	/* The file PREFIX.gp for gnuplot; NULL: no file is written. The string in cli.gnuplot is
	 * allocated: free it. */
	char *gnuplot;
	enum picture_theme theme;
	const char *screen_theme; /* name of the explorer's theme, unchecked; NULL: not given */
	/* The values of the subcommand's own options, cli_command.own_size bytes; NULL: the
	 * subcommand has no own options. The memory at cli.own is allocated: free it. */
	void *own;
	FILE *out; /* stream for results */
	FILE *err; /* stream for messages, notes and progress */
};

/* The shortest and the longest --time-budget, in seconds. A longer time is a mistake, because no
 * sweep takes so long. */
#define CLI_SECONDS_LEAST 0.001
#define CLI_SECONDS_MOST  86400

/* One option of the command line. The last element of an array of options has a NULL name. */
struct cli_option {
	const char *name; /* name of the option, without the dashes */
	/* The name of the option's argument in the help; NULL: the option has no argument. */
	const char *argument;
	const char *help; /* the option's description; NULL: the help does not list the option */
	/* Checks and stores the value; NULL: the value is stored unchecked. */
	struct status (*apply)(struct cli *cli, const char *value);
	/* `own` and `offset` say where the value of the option is stored. An option without an
	 * argument is stored as a bool, an option with an argument as a const char *. */
	bool own; /* true: the value is stored in cli->own; false: in struct cli */
	size_t offset;
};

#define OPTION_IN_CLI(member)	    .offset = offsetof(struct cli, member)
#define OPTION_IN_OWN(type, member) .own = true, .offset = offsetof(type, member)

struct cli_command {
	const char *name;
	/* One line of help. data/help has the other lines that --help prints. */
	const char *help;
	/* Synopsis of the words that follow the subcommand. */
	const char *arguments;
	/* The subcommand's own options; NULL: the subcommand has no own options. */
	const struct cli_option *options;
	size_t own_size; /* size of the struct that stores the own options, in bytes */
	/* Names of the shared options that the subcommand accepts. Every subcommand accepts --help
	 * and --version. */
	const char *common[16];
	int (*run)(struct cli *cli); /* runs the subcommand; returns the exit status */
};

/* All subcommands; the last element is NULL. The first element is the default subcommand. */
extern const struct cli_command *const cli_commands[];

/* The options that several subcommands share. Each subcommand lists the names of its shared
 * options. */
extern const struct cli_option cli_common_options[];

/* Whether a subcommand accepts the shared option of this name. */
bool cli_takes(const struct cli_command *command, const char *name);

/* Parses argv into `cli`. cli_parse() does not change the output streams in `cli`. If the first
 * word is a kernel or the path of an own loop, the default subcommand opens it. If the first word
 * is "help", the help is printed. Returns STATUS_USAGE for an unknown subcommand or option, for an
 * option that the subcommand does not accept, and for a bad value. The message about an unknown
 * name lists the nearest names. cli_parse() allocates cli->words, cli->own and cli->gnuplot; the
 * caller frees them. */
struct status cli_parse(struct cli *cli, int argc, char **argv);

/* Prints the help of the program, or, if `of_command` is true, the help of cli->command. */
void cli_help(const struct cli *cli, bool of_command);

/* Whether a subcommand opens the screen: it accepts the option --script. */
bool cli_opens_screen(const struct cli_command *command);

/* Returns STATUS_USAGE if the explorer can use neither a terminal nor a script. */
struct status cli_screen(const struct cli *cli);

/* Runs the program with the arguments `argv`. Returns the exit status. */
int cli_main(int argc, char **argv, FILE *out, FILE *err);

struct cli;

/* Prints the message of `status` on cli->err. Returns the exit status for the code of `status`. */
int cli_fail(const struct cli *cli, struct status status);

/* Prints "note: …" on cli->err, unless --quiet was given. */
void cli_note(const struct cli *cli, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Flushes the results, and returns `exit_status`. If the results could not be written and
 * `exit_status` is CLI_DONE, returns CLI_UNMEASURED. A message then reports the error, unless the
 * reader closed the pipe. */
int cli_finish(const struct cli *cli, int exit_status);

/* Finds the kernel that the first word names. If the word is the path of an own loop, compiles the
 * loop and prints the compiler's messages on cli->err. The word cflags=… gives the values of the
 * loop's knob cflags. Returns STATUS_USAGE if there is no word; the message then lists the
 * kernels. */
struct status words_kernel(struct cli *cli, const struct kernel **kernel);

/* Finds the kernel with words_kernel(). Sets the kernel's knobs to their defaults, then sets the
 * knobs that the words knob=value name. Returns STATUS_USAGE for a bad word, for a combination that
 * the kernel excludes, and for a knob given twice. words_setting() does not check the memory
 * limits. */
struct status words_setting(struct cli *cli, struct setting *setting);

/* The words of two settings A and B, with the word "vs" between them. If B lacks a kernel, it has
 * that of A. After the words of B follow the words of A. */
struct words_of_two {
	bool both; /* false: there is no word "vs", and `first` has all words */
	struct cli first, second;
	int own;     /* number of words knob=value of B itself */
	char **list; /* the words of `second`, which the caller frees; NULL: A or B is missing */
};

/* The program that the first word names; NULL: the word names a kernel or a source file. A program
 * is recognised by the first bytes of its file. */
const char *words_program(const struct cli *cli);

void words_split(const struct cli *cli, struct words_of_two *two);
/* Returns STATUS_USAGE if A or B is missing. */
struct status words_of_two_check(const struct cli *cli, const struct words_of_two *two);

/* Reads one setting, or two settings A and B with the word "vs" between them: "./a.c n=4k vs
 * ./b.c", "combine acc=1 vs acc=4". If the setting B lacks a kernel or a knob's value, it has those
 * of the setting A. *count: the number of settings. */
struct status words_settings(struct cli *cli, struct setting *settings, int *count);
