#include "explorer/answering.h"

#include <errno.h>
#include <string.h>
#include <sys/random.h>

#include "base/text.h"
#include "explorer/on_screen.h"
#include "explorer/state.h"
#include "lesson/lesson_class.h"

struct status answering_begin(struct session *change, const char *path)
{
	struct answering *answering = change ? &change->answering : NULL;
	unsigned long long word = 0;
	FILE *file;

	if (!*path)
		return status_usage("missing file name: lesson record FILE");
	if (!change)
		return status_ok();
	file = fopen(path, "a");
	if (!file)
		return status_unopened(path, errno);
	if (getrandom(&word, sizeof(word), 0) != sizeof(word))
		word = (unsigned long long)(change->now * 1e9);
	answering_end(change);
	answering->file = file;
	snprintf(answering->student.who, sizeof(answering->student.who), "%016llx", word);
	return status_ok();
}

void answering_end(struct session *session)
{
	if (session->answering.file)
		fclose(session->answering.file);
	session->answering.file = NULL;
}

void answering_name(struct session *session, const char *name)
{
	text_copy_clean(
		session->answering.student.name, sizeof(session->answering.student.name), name);
}

void answering_add(struct session *session)
{
	const struct classroom *classroom = &session->classroom;
	const struct step_taken *taken = &classroom->taken[classroom->step];
	struct answer answer = session->answering.student;

	if (!session->answering.file)
		return;
	class_answer(classroom->lesson, classroom->step, &taken->guess, &taken->judgement,
		session_machine(session)->name, &answer);
	if (answers_write(session->answering.file, &answer))
		return;
	session_notice(
		session, true, "the answers cannot be written any more: the file is full or gone");
	answering_end(session);
}
