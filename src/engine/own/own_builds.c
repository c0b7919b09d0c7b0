#include "engine/own/own_builds.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "engine/own/compiler.h"
#include "engine/own/own_folder.h"

struct own_builds {
	pthread_mutex_t compiling; /* held while a thread compiles a build */
	struct own_build *_Atomic first;
};

struct own_builds *own_builds_new(void)
{
	struct own_builds *builds = memory_new(1, sizeof(*builds));

	pthread_mutex_init(&builds->compiling, NULL);
	return builds;
}

static void build_free(struct own_build *build)
{
	if (build->folder)
		own_folder_remove(build->folder);
	free(build->flags);
	free(build->library);
	free(build);
}

void own_builds_free(struct own_builds *builds)
{
	struct own_build *next;

	if (!builds)
		return;
	for (struct own_build *build = atomic_load(&builds->first); build; build = next) {
		next = atomic_load(&build->next);
		build_free(build);
	}
	pthread_mutex_destroy(&builds->compiling);
	free(builds);
}

static struct status make_folder(struct own_build *build)
{
	struct status status = own_folder_make(&build->folder);
	struct text library = { 0 };

	if (!status_is_ok(&status))
		return status;
	text_addf(&library, "%s/" OWN_LIBRARY, build->folder);
	build->library = library.bytes; /* build_free() frees this string */
	return status;
}

const struct own_build *own_builds_find(const struct own_builds *builds, const char *flags)
{
	const struct own_build *build = atomic_load(&builds->first);

	while (build && strcmp(build->flags, flags) != 0)
		build = atomic_load(&build->next);
	return build;
}

/* Adds the compiler's first error to a failure: "…: mine.c:3: error: …". */
static void add_first_error(struct status *status, const struct text *said)
{
	const char *text = said->bytes ? said->bytes : "", *error = strstr(text, "error"), *line;
	struct status short_one = *status;

	if (status->code != STATUS_FAILED || !error)
		return;
	for (line = error; line > text && line[-1] != '\n';)
		line--;
	*status = status_failed("%.140s: %.*s", short_one.text, (int)strcspn(line, "\r\n"), line);
}

/* Compiles the source file with these compiler flags. */
static struct own_build *build_new(
	const char *path, const char *flags, const atomic_bool *cancel, struct text *said)
{
	struct own_build *build = memory_new(1, sizeof(*build));
	struct text unread = { 0 };

	build->flags = memory_string(flags);
	build->status = make_folder(build);
	if (status_is_ok(&build->status))
		build->status = compiler_run(&(struct compilation){ .path = path,
						     .flags = flags,
						     .folder = build->folder,
						     .library = build->library,
						     .seconds = COMPILER_SECONDS,
						     .cancel = cancel },
			said ? said : &unread);
	add_first_error(&build->status, &unread);
	text_free(&unread);
	return build;
}

struct status own_builds_make(struct own_builds *builds, const char *path, const char *flags,
	const atomic_bool *cancel, struct text *said)
{
	const struct own_build *made = own_builds_find(builds, flags);
	struct own_build *_Atomic *last = &builds->first;
	struct own_build *build;
	struct status status;

	if (made)
		return made->status;
	pthread_mutex_lock(&builds->compiling);
	made = own_builds_find(builds, flags); /* another thread may have compiled the file */
	if (made) {
		pthread_mutex_unlock(&builds->compiling);
		return made->status;
	}
	build = build_new(path, flags, cancel, said);
	status = build->status;
	while (atomic_load(last))
		last = &atomic_load(last)->next;
	/* A cancelled compilation can be repeated. */
	if (status.code == STATUS_CANCELLED)
		build_free(build);
	else
		atomic_store(last, build);
	pthread_mutex_unlock(&builds->compiling);
	return status;
}
