/* The files of lessons: one lesson by its name or path, and all lessons in their order. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/data.h"
#include "base/text.h"
#include "lesson/lesson.h"

static struct status unknown_lesson(const char *word)
{
	char **names = data_names("lessons", "lesson");
	size_t count = 0;
	struct status status;

	while (names[count])
		count++;
	status = status_unknown(
		"no lesson", word, (const char *const *)names, count, "slexplore lesson lists all");
	data_names_free(names);
	return status;
}

/* The name of the lesson in a file: "dir/ports.lesson" has the name "ports". */
static char *name_of_path(const char *path)
{
	const char *slash = strrchr(path, '/');
	char *name = memory_string(slash ? slash + 1 : path), *end = strstr(name, ".lesson");

	if (end && end != name)
		*end = '\0';
	return name;
}

struct status lesson_open(
	const char *word, struct lesson **lesson, struct lesson_mistakes *mistakes)
{
	const char *ending = strstr(word, ".lesson");
	bool path = strchr(word, '/') || (ending && ending != word);
	char *text, *name = path ? name_of_path(word) : memory_string(word), origin[256] = "";
	struct status status;

	*lesson = NULL;
	if (path) {
		snprintf(origin, sizeof(origin), "%s", word);
		status = data_read(word, &text);
	} else {
		status = data_load(words_of("lessons/%.100s.lesson", word).text, &text, origin);
		if (!status_is_ok(&status) && !origin[0] && !strchr(status.text, ':'))
			status = unknown_lesson(word);
	}
	if (status_is_ok(&status))
		*lesson = lesson_read(text, name, origin, mistakes);
	free(text);
	free(name);
	return status;
}

/* Moves each lesson after the lessons that its statement `after` names. */
static void order(struct lesson **lessons, int count)
{
	for (int moves = 0, at = 0; at < count && moves < count * count; at++)
		for (int i = 0; i < lessons[at]->after_count; i++) {
			const char *name = lessons[at]->after[i].words;
			int before = at + 1;
			struct lesson *lesson = lessons[at];

			while (before < count && strcmp(lessons[before]->name, name) != 0)
				before++;
			if (before >= count)
				continue;
			memmove(&lessons[at], &lessons[at + 1],
				(size_t)(before - at) * sizeof(*lessons));
			lessons[before] = lesson;
			at--;
			moves++;
			break;
		}
}

struct lesson **lessons_all(int *count)
{
	char **names = data_names("lessons", "lesson");
	struct lesson **lessons = NULL, *lesson;

	*count = 0;
	for (char **name = names; *name; name++) {
		struct lesson_mistakes mistakes = { 0 };
		struct status status = lesson_open(*name, &lesson, &mistakes);

		if (status_is_ok(&status)) {
			lessons = memory_grow(lessons, (size_t)*count, sizeof(struct lesson *));
			lessons[(*count)++] = lesson;
		}
		lesson_mistakes_free(&mistakes);
	}
	data_names_free(names);
	order(lessons, *count);
	return lessons;
}
