/* The words of the command line that name a kernel and the values of its knobs. */
#include "cli/cli.h"

#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <termios.h>
#include <unistd.h>

#include "base/fatal.h"
#include "base/monotonic.h"
#include "base/text.h"
#include "engine/own/own.h"
#include "model/program/elf.h"

/* Seconds after which a compilation is slow, and between two checks whether it is over. */
static const double COMPILE_SLOW = 1;
enum { COMPILE_LOOK_MS = 20 };

/* The terminal's modes before the wait for a slow compiler. */
static struct termios modes;

static void restore_modes(void)
{
	tcsetattr(STDIN_FILENO, TCSANOW, &modes);
}

/* Whether the user has typed q. Waits COMPILE_LOOK_MS; ignores other keys. */
static bool typed_quit(void)
{
	struct pollfd wait = { .fd = STDIN_FILENO, .events = POLLIN };
	char keys[64];
	ssize_t got;

	if (poll(&wait, 1, COMPILE_LOOK_MS) <= 0)
		return false;
	got = read(STDIN_FILENO, keys, sizeof(keys));
	return got <= 0 || memchr(keys, 'q', (size_t)got);
}

/* Waits for a compiler before the explorer opens its screen. The key q, which would end the
 * explorer, ends a slow compiler. */
static struct status compile_on_terminal(
	const struct cli *cli, const char *cflags, struct text *said, const struct kernel **kernel)
{
	const char *path = cli->words[0];
	double slow = monotonic_seconds() + COMPILE_SLOW;
	struct own_opening *opening;
	struct status status = own_open_begin(path, cflags, &opening);
	struct termios typed;
	bool quit = false;

	while (status_is_ok(&status) && !own_open_over(opening) && monotonic_seconds() < slow)
		poll(NULL, 0, 1);
	if (!status_is_ok(&status) || own_open_over(opening) ||
		tcgetattr(STDIN_FILENO, &modes) != 0)
		return status_is_ok(&status) ? own_open_end(opening, said, kernel) : status;
	fatal_rescue(restore_modes);
	typed = modes;
	typed.c_lflag &= ~(tcflag_t)(ICANON | ECHO);
	/* Without flow control, because after Ctrl-S the note would wait for Ctrl-Q. */
	typed.c_iflag &= ~(tcflag_t)IXON;
	tcsetattr(STDIN_FILENO, TCSANOW, &typed);
	cli_note(cli, "%.120s: compiling; q quits", path);
	while (!quit && !own_open_over(opening))
		quit = typed_quit();
	restore_modes();
	fatal_rescue(NULL);
	if (!quit)
		return own_open_end(opening, said, kernel);
	own_open_stop(opening);
	return status_make(STATUS_CANCELLED, "%.120s: compiling was stopped", path);
}

static struct status open_own(struct cli *cli, const struct kernel **kernel)
{
	struct text said = { 0 }, cflags = { 0 };
	struct status status = status_ok();

	for (int i = 1; i < cli->word_count; i++)
		if (strncmp(cli->words[i], "cflags=", 7) == 0 &&
			strcmp(cli->words[i] + 7, text_string(&cflags)) != 0)
			text_addf(&cflags, "%s%s", cflags.length ? "," : "", cli->words[i] + 7);
	if (elf_is_file(cli->words[0]))
		status = status_usage("%.100s is a program, not a source file: slexplore explain "
				      "%.100s shows its loops",
			cli->words[0], cli->words[0]);
	else if (elf_is_archive(cli->words[0]))
		status = status_usage(
			"%.100s is a static library: extract its objects with ar x, and "
			"explain one of them",
			cli->words[0]);
	if (status_is_ok(&status) && cli_opens_screen(cli->command) && !cli->script &&
		isatty(STDIN_FILENO) && isatty(STDOUT_FILENO))
		status = compile_on_terminal(cli, cflags.bytes, &said, kernel);
	else if (status_is_ok(&status))
		status = own_open(cli->words[0], cflags.bytes, &said, kernel);
	if (!status_is_ok(&status) || !cli->quiet)
		fputs(text_string(&said), cli->err);
	text_free(&said);
	text_free(&cflags);
	return status;
}

const char *words_program(const struct cli *cli)
{
	const char *word = cli->word_count ? cli->words[0] : NULL;

	return word && !kernel_find(word) && elf_is_file(word) ? word : NULL;
}

struct status words_kernel(struct cli *cli, const struct kernel **kernel)
{
	struct text names = { 0 };
	struct status status;

	if (cli->word_count && own_is_path(cli->words[0]))
		return open_own(cli, kernel);
	if (cli->word_count)
		return setting_find_kernel(cli->words[0], kernel);
	for (int i = 0; kernel_registry[i]; i++)
		text_addf(&names, "%s%s", i ? ", " : "", kernel_registry[i]->name);
	status = status_usage("missing kernel name for %s: use one of %s", cli->command->name,
		text_string(&names));
	text_free(&names);
	return status;
}

/* Sets the kernel's knobs to their defaults, then assigns the words knob=value. The first `own`
 * words (knob=value) must name knobs of the kernel. The words after the first `own` are used only
 * if the kernel has their knob, and no earlier word sets the knob. */
static struct status assign(struct setting *setting, const struct kernel *kernel,
	char *const *words, int own, int count)
{
	int cflags = kernel->own ? kernel_knob(kernel, "cflags") : -1;

	setting_init(setting, kernel);
	/* The initial set of flags may be that of the other setting. */
	if (cflags >= 0)
		setting->v[cflags] = 0;
	for (int i = 0; i < count; i++) {
		size_t name = strcspn(words[i], "=") + 1;
		int earlier = 0, knob;
		const char *values;
		struct status status = setting_split(kernel, words[i], &knob, &values);

		while (earlier < i && strncmp(words[earlier], words[i], name) != 0)
			earlier++;
		if (i >= own && (earlier < i || !status_is_ok(&status)))
			continue;
		if (status_is_ok(&status))
			status = setting_assign(setting, words[i], MEMORY_LIMITS_UNKNOWN);
		if (!status_is_ok(&status))
			return status;
		if (earlier < i)
			return status_usage("%.*s is given twice: %.60s and %.60s", (int)name - 1,
				words[i], words[earlier], words[i]);
	}
	return setting_check(setting, MEMORY_LIMITS_UNKNOWN);
}

struct status words_setting(struct cli *cli, struct setting *setting)
{
	const struct kernel *kernel;
	struct status status = words_kernel(cli, &kernel);

	return status_is_ok(&status) ? assign(setting, kernel, cli->words + 1, cli->word_count - 1,
					       cli->word_count - 1)
				     : status;
}

void words_split(const struct cli *cli, struct words_of_two *two)
{
	int vs = 0, all = 0;
	bool named;

	*two = (struct words_of_two){ .first = *cli, .second = *cli };
	while (vs < cli->word_count && strcmp(cli->words[vs], "vs") != 0)
		vs++;
	two->first.word_count = vs;
	two->both = vs < cli->word_count;
	if (!two->both || vs == 0 || vs + 1 == cli->word_count)
		return;
	named = !strchr(cli->words[vs + 1], '=');
	two->list = memory_new((size_t)cli->word_count + 1, sizeof(*two->list));
	two->list[all++] = cli->words[named ? vs + 1 : 0];
	for (int i = vs + 1 + named; i < cli->word_count; i++)
		two->list[all++] = cli->words[i];
	two->own = all - 1;
	for (int i = 1; i < vs; i++)
		two->list[all++] = cli->words[i];
	two->second.words = two->list;
	two->second.word_count = all;
}

struct status words_of_two_check(const struct cli *cli, const struct words_of_two *two)
{
	if (two->both && !two->list)
		return status_usage("write vs between two settings: slexplore %s ./a.c n=4k vs "
				    "./b.c, or combine acc=1 vs acc=4",
			cli->command->name);
	for (int i = two->first.word_count + 1; two->both && i < cli->word_count; i++)
		if (strcmp(cli->words[i], "vs") == 0)
			return status_usage("write vs only once, between two settings; slexplore "
					    "sweep measures several: sweep combine unroll=4 "
					    "acc=1,2,4");
	return status_ok();
}

struct status words_settings(struct cli *cli, struct setting *settings, int *count)
{
	const struct kernel *kernel;
	struct words_of_two two;
	struct status status;
	bool same;

	words_split(cli, &two);
	*count = 1 + two.both;
	status = words_of_two_check(cli, &two);
	if (!two.both || !status_is_ok(&status))
		return status_is_ok(&status) ? words_setting(cli, settings) : status;
	same = strcmp(two.second.words[0], cli->words[0]) == 0;
	/* If the settings A and B use one own loop, its knob cflags has the compiler flags of both.
	 */
	status = words_kernel(same ? &two.second : &two.first, &kernel);
	if (status_is_ok(&status))
		status = assign(&settings[0], kernel, cli->words + 1, two.first.word_count - 1,
			two.first.word_count - 1);
	if (status_is_ok(&status) && !same)
		status = words_kernel(&two.second, &kernel);
	if (status_is_ok(&status))
		status = assign(&settings[1], kernel, two.second.words + 1, two.own,
			two.second.word_count - 1);
	free(two.list);
	return status;
}
