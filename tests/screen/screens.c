/* Runs screen scripts with the canned engine and compares what they dump with the file of the same
 * name that ends in .txt.
 *
 *   screens SCRIPT...          UPDATE=1 in the environment writes the files instead
 *
 * A script may begin with lines that say how to start: "#: ascii", "#: machine unknown", "#:
 * machine limited", "#: core near",
 * "#: core unknown", "#: uarch skylake", "#: kernel NAME", "#: counters none", "#: counters ports",
 * "#: counters clock", "#: decoded",
 * "#: counters dispatched", "#: probe PERCENT", "#: characterise PERCENT", "#: window", "#: replay
 * FILE" (a recording, named from the script's directory, in place of the canned
 * engine).
 *
 * "#: press COMMAND" runs a command after the script, such as "view code", and then presses every
 * key (pressed.h). */
#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/data.h"
#include "base/text.h"
#include "canned.h"
#include "pressed.h"
#include "recording/replay.h"
#include "ui/script.h"

struct start {
	int ascii, machine_unknown, machine_limited, skylake;
	int match;    /* enum uarch_match */
	int counters; /* enum canned_counters */
	int decoded;  /* combine has decoded instructions */
	int probe;    /* percent of a probe that are done; 0: there is none */
	int core;     /* likewise of the core's measuring itself */
	const struct kernel *kernel;
	char replay[256], lesson[256]; /* empty: none */
};

/* Reads what follows "#: ". False: it means nothing. */
static bool read_words(const char *words, const char *path, struct start *start)
{
	const struct {
		const char *words;
		int *to, value;
	} rows[] = {
		{ "ascii", &start->ascii, 1 },
		{ "machine unknown", &start->machine_unknown, 1 },
		{ "machine limited", &start->machine_limited, 1 },
		{ "core near", &start->match, UARCH_NEAREST },
		{ "core unknown", &start->match, UARCH_NONE },
		{ "counters none", &start->counters, CANNED_REFUSED },
		{ "counters ports", &start->counters, CANNED_PORTS },
		{ "counters clock", &start->counters, CANNED_CLOCK },
		{ "counters dispatched", &start->counters, CANNED_DISPATCHED },
		{ "uarch skylake", &start->skylake, 1 },
		{ "decoded", &start->decoded, 1 },
	};
	const char *name = strrchr(path, '/');

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		if (strcmp(words, rows[i].words) == 0) {
			*rows[i].to = rows[i].value;
			return true;
		}
	if (sscanf(words, "probe %d", &start->probe) == 1)
		return start->probe > 0 && start->probe <= 100;
	if (sscanf(words, "characterise %d", &start->core) == 1)
		return start->core > 0 && start->core <= 100;
	if (strncmp(words, "press ", 6) == 0)
		return true;
	if (strncmp(words, "replay ", 7) == 0)
		snprintf(start->replay, sizeof(start->replay), "%.*s%.100s",
			name ? (int)(name - path + 1) : 0, path, words + 7);
	else if (strncmp(words, "lesson ", 7) == 0)
		snprintf(start->lesson, sizeof(start->lesson), "lesson %.*s%.100s",
			name ? (int)(name - path + 1) : 0, path, words + 7);
	else if (strcmp(words, "window") == 0)
		start->kernel = &canned_window;
	else
		return strncmp(words, "kernel ", 7) == 0 &&
		       (start->kernel = kernel_find(words + 7)) != NULL;
	return true;
}

static bool read_start(const char *path, struct start *start)
{
	char *script, *rest;
	bool good = data_read(path, &script).code == STATUS_OK;

	*start = (struct start){ .match = UARCH_EXACT, .kernel = kernel_registry[0] };
	rest = script;
	for (char *line; good && (line = strsep(&rest, "\n"));)
		good = strncmp(line, "#: ", 3) != 0 || read_words(line + 3, path, start);
	if (!good)
		fprintf(stderr, "%s: cannot be read, or has a \"#:\" line that means nothing\n",
			path);
	free(script);
	return good;
}

/* Presses keys on the screens that the script names. */
static void press_keys(struct frontend *front, const char *path, double now, FILE *out)
{
	char *script, *rest;

	data_read(path, &script);
	rest = script;
	for (char *line; (line = strsep(&rest, "\n"));) {
		const char *command = line + 9;
		struct status status;

		if (strncmp(line, "#: press ", 9) != 0)
			continue;
		status = session_command(front->session, command, now);
		if (!status_is_ok(&status))
			fprintf(out, "%s: %s\n", command, status.text);
		else
			fprintf(out, "%s: %d keys act unseen\n", command,
				pressed(front, command, now, out));
		session_command(front->session, "close", now);
	}
	free(script);
}

/* Runs a script; what it dumped is in output, which the caller frees. */
static bool run_script(const char *path, char **output)
{
	struct canned canned;
	struct engine engine = canned_engine(&canned);
	struct explainer explainer;
	const struct script_clock clock = { &canned, canned_now, canned_pass };
	struct session_options options = { .seed = 1, .invocation = "", .explainer = &explainer };
	struct replay *replay = NULL;
	struct session *session;
	struct frontend front;
	struct start start;
	struct status status;
	size_t size;
	FILE *out;

	if (!read_start(path, &start))
		return false;
	canned_init(&canned, !start.machine_unknown);
	if (start.machine_limited)
		canned_limit(&canned);
	canned.match = (enum uarch_match)start.match;
	canned_counters(&canned, (enum canned_counters)start.counters);
	explainer = canned_explainer(&canned);
	options.uarch = start.skylake ? "skylake" : NULL;
	setting_init(&options.setting, start.kernel);
	if (start.kernel == &canned_window)
		canned_entries(&canned);
	if (start.decoded)
		canned_decode(&canned);
	if (start.replay[0]) {
		status = replay_open(start.replay, &replay);
		if (!status_is_ok(&status)) {
			fprintf(stderr, "%s\n", status.text);
			return false;
		}
		engine = replay_engine(replay);
		explainer = replay_explainer(replay);
		options.replay = replay;
		options.setting = *replay_entry(replay, 0).setting;
	}
	session = session_new(&engine, &options);
	if (start.probe)
		canned_probe(&canned, session, start.probe);
	if (start.core)
		canned_core(&canned, session, start.core);
	if (start.lesson[0])
		session_command(session, start.lesson, canned.now);
	status = frontend_init(&front, session, 80, 24, start.ascii);
	if (status_is_ok(&status)) {
		out = open_memstream(output, &size);
		status = script_run(&front, &engine, path, &clock, out);
		press_keys(&front, path, canned.now, out);
		fclose(out);
		frontend_free(&front);
	}
	session_free(session);
	uarch_free(canned.uarch);
	replay_free(replay);
	if (!status_is_ok(&status))
		fprintf(stderr, "%s\n", status.text);
	return status_is_ok(&status);
}

/* Names the first line that differs. */
static void report(const char *path, const char *expected, const char *got)
{
	int line = 1;

	while (*expected && *expected == *got) {
		line += *expected == '\n';
		expected++;
		got++;
	}
	while (got[-1] != '\n' && expected[-1] != '\n' && line > 1) {
		expected--;
		got--;
	}
	fprintf(stderr, "%s:%d: expected \"%.*s\"\n%s:%d: got      \"%.*s\"\n", path, line,
		(int)strcspn(expected, "\n"), expected, path, line, (int)strcspn(got, "\n"), got);
}

static bool compare(const char *script, const char *output)
{
	const char *update = getenv("UPDATE"), *end = strrchr(script, '.');
	struct text path = { 0 };
	char *expected;
	bool same = false;
	FILE *file;

	text_addn(&path, script, end ? (size_t)(end - script) : strlen(script));
	text_add(&path, ".txt");
	if (update && *update) {
		file = fopen(text_string(&path), "w");
		same = file && fputs(output, file) >= 0;
		if (file && fclose(file))
			same = false;
	} else {
		data_read(text_string(&path), &expected);
		same = expected && strcmp(expected, output) == 0;
		if (!expected)
			fprintf(stderr, "%s: there is no such file; UPDATE=1 makes it\n",
				text_string(&path));
		else if (!same)
			report(text_string(&path), expected, output);
		free(expected);
	}
	text_free(&path);
	return same;
}

int main(int argc, char **argv)
{
	int failed = 0;

	if (!setlocale(LC_CTYPE, "C.UTF-8") && !setlocale(LC_CTYPE, "en_US.UTF-8")) {
		fprintf(stderr, "no UTF-8 locale here\n");
		return 77;
	}
	for (int i = 1; i < argc; i++) {
		char *output = NULL;
		bool good = run_script(argv[i], &output) && compare(argv[i], output);

		failed += !good;
		free(output);
	}
	printf("%d screen scripts, %d failed\n", argc - 1, failed);
	return failed || argc < 2;
}
