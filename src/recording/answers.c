#include "recording/answers.h"

#include <dirent.h>
#include <errno.h>
#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/file.h"
#include "base/text.h"
#include "recording/record.h"

/* LINE_MOST: largest length in bytes of a line in a file of answers. ANSWERS_MOST: largest number
 * of answers that are read. CHOICES_MOST: largest number of choices, because each choice has a
 * letter. */
enum { LINE_MOST = 4000, ANSWERS_MOST = 200000, CHOICES_MOST = 26 };
/* A student's later answer to the same question replaces the earlier one only if it is among the
 * last REPLACES answers. */
enum { REPLACES = 2000 };

static void write_line(void *context, const char *line, size_t length)
{
	fwrite(line, 1, length, context);
}

bool answers_write(FILE *file, const struct answer *answer)
{
	const struct records records = { .context = file, .line = write_line };
	struct json_t *object = record_new(&records, "answer", 1);

	record_set_string(object, "who", answer->who);
	record_set_words(object, "name", answer->name);
	record_set_string(object, "lesson", answer->lesson);
	record_set_integer(object, "step", answer->step);
	record_set_string(object, "title", answer->title);
	record_set_string(object, "ask", answer->ask);
	record_set_words(object, "guess", answer->guess);
	if (answer->choice)
		record_set_integer(object, "choice", answer->choice);
	record_set_real(object, "number", answer->number);
	record_set_string(object, "verdict", answer->verdict);
	record_set_words(object, "truth", answer->truth);
	record_set_range(object, "measured", answer->measured, answer->lo, answer->hi);
	record_set_words(object, "doubt", answer->doubt);
	record_set_string(object, "machine", answer->machine);
	record_set_string(object, "time", answer->time);
	record_write(&records, object);
	return fflush(file) == 0 && !ferror(file);
}

/* Reads a line. Returns whether the line is a valid answer of a student. */
static bool read_answer(const char *line, size_t length, struct answer *answer)
{
	static const char *const names[] = { "answer", NULL };
	static const char *const verdicts[] = { "undecided", "right", "wrong", "skipped", "kept",
		NULL };
	json_error_t error;
	json_t *object = json_loadb(line, length, JSON_REJECT_DUPLICATES, &error);
	int64_t step = 0;
	bool good;

	memset(answer, 0, sizeof(*answer));
	good = json_is_object(object) && record_word(object, "record", names) == 0 &&
	       record_word(object, "verdict", verdicts) >= 0 &&
	       record_string(object, "lesson", answer->lesson, sizeof(answer->lesson)) &&
	       record_string(object, "who", answer->who, sizeof(answer->who)) &&
	       record_integer(object, "step", 1, 1000, &step) && step >= 1;
	if (good) {
		answer->step = (int)step;
		answer->choice = (int)record_count(object, "choice", CHOICES_MOST);
		record_string(object, "name", answer->name, sizeof(answer->name));
		record_string(object, "title", answer->title, sizeof(answer->title));
		record_string(object, "ask", answer->ask, sizeof(answer->ask));
		record_string(object, "guess", answer->guess, sizeof(answer->guess));
		record_string(object, "verdict", answer->verdict, sizeof(answer->verdict));
		record_string(object, "truth", answer->truth, sizeof(answer->truth));
		record_string(object, "doubt", answer->doubt, sizeof(answer->doubt));
		record_string(object, "machine", answer->machine, sizeof(answer->machine));
		record_string(object, "time", answer->time, sizeof(answer->time));
		record_number(object, "number", 0, 1e15, &answer->number);
		record_number(object, "measured", 0, 1e15, &answer->measured);
		record_number(object, "measured_lo", 0, 1e15, &answer->lo);
		record_number(object, "measured_hi", 0, 1e15, &answer->hi);
	}
	json_decref(object);
	return good;
}

/* Whether two answers of one file are of the same student, who may have started the program again
 * under the same name. */
static bool same_student(const struct answer *a, const struct answer *b)
{
	return strcmp(a->who, b->who) == 0 || (a->name[0] && strcmp(a->name, b->name) == 0);
}

/* Adds an answer. A later answer of the same student to the same question replaces it. */
static void add(struct answers *answers, int from, const struct answer *answer)
{
	if (from < answers->count - REPLACES)
		from = answers->count - REPLACES;
	for (int i = from; i < answers->count; i++) {
		struct answer *old = &answers->answer[i];

		if (old->step == answer->step && same_student(old, answer) &&
			strcmp(old->lesson, answer->lesson) == 0) {
			*old = *answer;
			return;
		}
	}
	if (answers->count >= ANSWERS_MOST)
		return;
	answers->answer =
		memory_grow(answers->answer, (size_t)answers->count, sizeof(*answers->answer));
	answers->answer[answers->count++] = *answer;
}

void answers_take(struct answers *answers, FILE *file)
{
	char line[LINE_MOST];
	bool inside = false; /* true: the buffer has a further part of a long line, not the line's
				beginning */
	int from = answers->count;

	while (fgets(line, sizeof(line), file)) {
		size_t length = strlen(line);
		bool whole = length > 0 && line[length - 1] == '\n';
		struct answer answer;

		/* A last line without a line feed is still being written, and is not counted as a
		 * bad line. */
		if (!inside && (whole || !feof(file)) && length > 1) {
			if (whole && read_answer(line, length, &answer))
				add(answers, from, &answer);
			else
				answers->refused++;
		}
		inside = !whole;
	}
	answers->files++;
}

static struct status read_file(struct answers *answers, const char *path)
{
	FILE *file = stdin;
	struct status status = strcmp(path, "-") == 0 ? file_check_input() : file_open(path, &file);

	if (!status_is_ok(&status))
		return status;
	answers_take(answers, file);
	if (ferror(file))
		status = file_unread(path);
	if (file != stdin)
		fclose(file);
	return status;
}

bool answers_is_name(const char *name)
{
	const char *ending = strrchr(name, '.');

	return ending && strcmp(ending, ".jsonl") == 0;
}

struct status answers_read(struct answers *answers, const char *path)
{
	struct dirent **entry;
	struct status status = status_ok();
	struct stat about;
	int count;

	if (strcmp(path, "-") == 0 || stat(path, &about) != 0 || !S_ISDIR(about.st_mode))
		return read_file(answers, path);
	count = scandir(path, &entry, NULL, alphasort);
	if (count < 0)
		return status_unopened(path, errno);
	for (int i = 0; i < count; i++) {
		if (status_is_ok(&status) && answers_is_name(entry[i]->d_name))
			status = read_file(
				answers, words_of("%.300s/%.255s", path, entry[i]->d_name).text);
		free(entry[i]);
	}
	free(entry);
	return status;
}

void answers_free(struct answers *answers)
{
	free(answers->answer);
	*answers = (struct answers){ 0 };
}
