/* Results from files for the find overlay: own loops, programs and their functions, recordings. */
#include <dirent.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/file.h"
#include "base/text.h"
#include "engine/own/own.h"
#include "explorer/find_results.h"
#include "model/program/elf.h"
#include "recording/recording.h"

/* ---- programs ---- */

/* Returns the last part of a C++ or Rust name without parameters: "push" of
 * "stack<int>::push(int)".
 */
static struct words last_name(const char *name)
{
	const char *begin = name;
	int nested = 0;

	for (const char *c = name; *c && *c != '('; c++) {
		nested += (*c == '<') - (*c == '>');
		if (nested == 0 && c[0] == ':' && c[1] == ':')
			begin = c + 2;
	}
	return words_of("%.*s", (int)strcspn(begin, "("), begin);
}

static enum rank rank_of(const char *text, const char *name)
{
	enum rank rank = find_rank(text, name), last;

	if (!*text || rank <= RANK_BEGINS)
		return rank;
	last = find_rank(text, last_name(name).text);
	return last < rank ? last : rank;
}

static void add_function(
	struct search *search, enum rank rank, const struct listed_function *function)
{
	const struct source_line *line = &function->line;
	struct words place = { "" };

	if (line->file)
		place = words_of(", %s:%d", line->file, line->line);
	find_append(search, rank, words_of("function %s", function->name).text,
		words_of(
			"%d loop%s%s", function->loops, function->loops == 1 ? "" : "s", place.text)
			.text,
		words_of("function %#" PRIx64, function->function.address).text, "");
}

/* A program may have many functions, so only the best ones that the overlay can list become
 * results; the others are counted. */
void find_offer_functions(struct search *search)
{
	const struct opened_program *file = program_opened(search->session);
	uint8_t *ranks;
	int listed = 0;

	if (!file)
		return;
	ranks = memory_new(file->list.count + 1, 1);
	for (size_t i = 0; i < file->list.count; i++)
		ranks[i] = (uint8_t)rank_of(search->text, file->list.function[i].name);
	for (int rank = 0; rank < RANK_NONE; rank++)
		for (size_t i = 0; i < file->list.count; i++)
			if (ranks[i] == rank && listed++ < VIEW_FOUND)
				add_function(search, (enum rank)rank, &file->list.function[i]);
	free(ranks);
	search->more = listed > VIEW_FOUND ? listed - VIEW_FOUND : 0;
}

/* Whether a typed text is the path of a program. */
static bool is_program(const char *text)
{
	return strchr(text, '/') && elf_is_file(text);
}

/* Adds a typed path, and the programs in the present folder. */
void find_offer_programs(struct search *search)
{
	DIR *folder = search->session->replay ? NULL : opendir(".");

	for (struct dirent *entry; folder && (entry = readdir(folder));) {
		struct words path = words_of("./%.200s", entry->d_name),
			     name = words_of("program %.200s", entry->d_name);
		enum rank rank = find_rank(search->text, name.text);

		if (rank != RANK_NONE && is_program(path.text))
			find_add(search, rank == RANK_BEGINS ? RANK_SYNONYM : rank, name.text,
				"find its functions, and the limits of their loops",
				words_of("open %s", path.text).text, "");
	}
	if (folder)
		closedir(folder);
	if (!search->session->replay && is_program(search->text))
		find_add(search, RANK_LINE, search->text,
			"find its functions, and the limits of their loops",
			words_of("open %s", search->text).text, "");
}

/* ---- own loops ---- */

/* The beginning of a file. */
struct head {
	char bytes[2048]; /* ends with '\0' */
	size_t length;	  /* 0: the file is empty or cannot be read */
};

/* Opening a pipe would wait for its writer. */
static struct head read_head(const char *path)
{
	struct head head = { "", 0 };
	struct stat about;
	struct status status;
	FILE *file;

	if (stat(path, &about) != 0 || !S_ISREG(about.st_mode))
		return head;
	status = file_open(path, &file);
	if (status_is_ok(&status)) {
		head.length = fread(head.bytes, 1, sizeof(head.bytes) - 1, file);
		fclose(file);
	}
	return head;
}

/* Whether a file has the comment that describes the data of an own loop. */
static bool is_own_loop(const char *path)
{
	struct head head = read_head(path);

	return memmem(head.bytes, head.length, "slexplore:", 10) != NULL;
}

/* Adds the own loops in the present folder, and a typed path. */
void find_offer_own(struct search *search)
{
	DIR *folder = opendir(".");

	for (struct dirent *entry; folder && (entry = readdir(folder));) {
		struct words path = words_of("./%.200s", entry->d_name),
			     name = words_of("own loop %.200s", entry->d_name);
		enum rank rank = find_rank(search->text, name.text);

		if (rank == RANK_NONE || !own_is_path(entry->d_name) || !is_own_loop(path.text))
			continue;
		find_add(search, rank == RANK_BEGINS ? RANK_SYNONYM : rank, name.text,
			"compile and measure this loop of yours",
			words_of("kernel %s", path.text).text,
			find_absence(search->session, words_of("kernel %s", path.text).text).text);
	}
	if (folder)
		closedir(folder);
	if (own_is_path(search->text) && !is_program(search->text))
		find_add(search, RANK_LINE, search->text, "compile and measure this loop of yours",
			words_of("kernel %s", search->text).text, "");
}

/* ---- recordings ---- */

/* Whether a file begins with the record "recording". Other files of records, such as the answers to
 * a lesson, begin with other records. */
static bool is_recording(const char *path)
{
	struct head head = read_head(path);
	const char *name = head.bytes[0] == '{' ? strstr(head.bytes, "\"record\"") : NULL;

	name += name ? strlen("\"record\"") : 0;
	return name && strncmp(name + strspn(name, " :"), "\"recording\"", 11) == 0;
}

/* Adds the recordings in the present folder, to open and to compare with. */
void find_offer_recordings(struct search *search)
{
	static const struct {
		const char *command, *names[3], *help;
	} ways[] = {
		{ "open", { "open", "replay", "recording" }, "open this recording" },
		{ "beside", { "beside", "compare", "recording" },
			"compare each setting with this recording (A)" },
	};
	DIR *folder = opendir(".");

	if (search->session->replay)
		find_offer(search, "live", "open",
			"leave the recording, and measure this machine again", "measure", "open");
	for (struct dirent *entry; folder && (entry = readdir(folder));) {
		if (!recording_is_name(entry->d_name) || !is_recording(entry->d_name))
			continue;
		for (size_t i = 0; i < sizeof(ways) / sizeof(ways[0]); i++) {
			struct words command =
				words_of("%s %.200s", ways[i].command, entry->d_name);
			enum rank best = RANK_NONE, rank;

			for (size_t k = 0; k < sizeof(ways[i].names) / sizeof(char *); k++) {
				rank = find_rank(search->text,
					words_of("%s %.200s", ways[i].names[k], entry->d_name)
						.text);
				best = rank < best ? rank : best;
			}
			if (best != RANK_NONE)
				find_add(search, best == RANK_BEGINS ? RANK_SYNONYM : best,
					command.text, ways[i].help, command.text,
					find_absence(search->session, command.text).text);
		}
	}
	if (folder)
		closedir(folder);
}
