#include "cli/words.h"

#include <string.h>

#include "base/text.h"

struct status words_kernel(const struct cli *cli, const struct kernel **kernel)
{
	struct text names = { 0 };
	struct status status;

	if (cli->word_count)
		return setting_find_kernel(cli->words[0], kernel);
	for (int i = 0; kernel_registry[i]; i++)
		text_addf(&names, "%s%s", i ? ", " : "", kernel_registry[i]->name);
	status = status_make(STATUS_USAGE, "%s wants a kernel: one of %s", cli->command->name,
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
		struct status status = setting_assign(setting, word, 0);

		if (!status_is_ok(&status))
			return status;
		for (int j = 1; j < i; j++)
			if (strncmp(cli->words[j], word, name) == 0)
				return status_make(STATUS_USAGE, "%.*s is given twice: %.60s and %.60s",
					(int)name - 1, word, cli->words[j], word);
	}
	return setting_check(setting, 0);
}
