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

bool lesson_exists(const char *name)
{
	char **names = data_names("lessons", "lesson");
	bool found = false;

	for (size_t i = 0; names[i]; i++)
		found |= strcmp(names[i], name) == 0;
	data_names_free(names);
	return found;
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

/* A lesson that comes after another one: their places in a list of lessons. */
struct succession {
	int later, earlier;
};

/* The lessons of the list that other lessons of the list name in their statements `after`. */
static struct succession *successions(struct lesson **lessons, int count, size_t *found)
{
	struct succession *list = NULL;

	*found = 0;
	for (int at = 0; at < count; at++)
		for (int i = 0; i < lessons[at]->after_count; i++)
			for (int before = 0; before < count; before++) {
				const char *name = lessons[at]->after[i].words;

				if (strcmp(lessons[before]->name, name) != 0)
					continue;
				list = memory_grow(list, *found, sizeof(*list));
				list[(*found)++] = (struct succession){ at, before };
				break;
			}
	return list;
}

/* Puts each lesson after the lessons that its statement `after` names. Lessons that name each other
 * in a circle come last. */
static void order(struct lesson **lessons, int count)
{
	struct lesson **left = memory_new((size_t)count + 1, sizeof(struct lesson *));
	int *waits = memory_new((size_t)count + 1, sizeof(*waits));
	size_t pairs;
	struct succession *pair = successions(lessons, count, &pairs);

	memcpy(left, lessons, (size_t)count * sizeof(struct lesson *));
	for (size_t i = 0; i < pairs; i++)
		waits[pair[i].later]++;
	for (int placed = 0, at, first; placed < count; placed++) {
		for (at = 0; at < count && (!left[at] || waits[at] > 0); at++)
			;
		for (first = 0; !left[first]; first++)
			;
		at = at < count ? at : first;
		lessons[placed] = left[at];
		left[at] = NULL;
		for (size_t i = 0; i < pairs; i++)
			waits[pair[i].later] -= pair[i].earlier == at;
	}
	free(left);
	free(waits);
	free(pair);
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

char **lessons_names(void)
{
	int count;
	struct lesson **lessons = lessons_all(&count);
	char **names = memory_new((size_t)count + 1, sizeof(*names));

	for (int i = 0; i < count; i++) {
		names[i] = memory_string(lessons[i]->name);
		lesson_free(lessons[i]);
	}
	free(lessons);
	return names;
}
