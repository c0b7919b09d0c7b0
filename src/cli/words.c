#include "cli/words.h"

#include <string.h>

#include "base/text.h"
#include "engine/own/own.h"

/* An own loop takes flags for its compiler among the words; the others are its knobs. Takes the
 * word out; NULL: there is none. */
static struct status take_cflags(struct cli *cli, const char **cflags)
{
	int kept = 1;

	*cflags = NULL;
	for (int i = 1; i < cli->word_count; i++) {
		if (strncmp(cli->words[i], "cflags=", 7) != 0) {
			cli->words[kept++] = cli->words[i];
			continue;
		}
		if (*cflags)
			return status_usage("cflags is given twice: cflags=%.60s and %.60s",
				*cflags, cli->words[i]);
		*cflags = cli->words[i] + 7;
	}
	cli->word_count = kept;
	return status_ok();
}

static struct status open_own(struct cli *cli, const struct kernel **kernel)
{
	const char *cflags;
	struct text said = { 0 };
	struct status status = take_cflags(cli, &cflags);

	if (status_is_ok(&status))
		status = own_open(cli->words[0], cflags, &said, kernel);
	/* What the compiler says is shown as it is. */
	if (!status_is_ok(&status) || !cli->quiet)
		fputs(text_string(&said), cli->err);
	text_free(&said);
	return status;
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

struct status words_setting(const struct cli *cli, struct setting *setting)
{
	setting_init(setting, setting->kernel);
	for (int i = 1; i < cli->word_count; i++) {
		const char *word = cli->words[i];
		size_t name = strcspn(word, "=") + 1;
		struct status status = setting_assign(setting, word, MEMORY_LIMITS_UNKNOWN);

		if (!status_is_ok(&status))
			return status;
		for (int j = 1; j < i; j++)
			if (strncmp(cli->words[j], word, name) == 0)
				return status_usage("%.*s is given twice: %.60s and %.60s",
					(int)name - 1, word, cli->words[j], word);
	}
	return setting_check(setting, MEMORY_LIMITS_UNKNOWN);
}
