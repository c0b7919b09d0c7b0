#include <dirent.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>

#include "trial.h"

/* ---- what a trial left */

void place_read(const char *folder, const char *name, char *bytes, size_t size)
{
	char path[600];
	FILE *file;
	size_t length;

	place_path(path, sizeof(path), folder, name);
	file = fopen(path, "r");
	length = file ? fread(bytes, 1, size - 1, file) : 0;
	bytes[length] = '\0';
	if (file)
		fclose(file);
}

/* Returns whether the lines of a compressed recording are whole. The file itself may lack its end.
 */
static bool is_packed_whole(const char *path)
{
	char command[700], bytes[4096], last[2] = "";
	FILE *lines;
	size_t count;

	snprintf(command, sizeof(command), "gzip -dc '%s' 2>/dev/null", path);
	lines = popen(command, "r");
	if (!lines)
		return false;
	while ((count = fread(bytes, 1, sizeof(bytes), lines)) > 0) {
		if (count > 1)
			last[0] = bytes[count - 2];
		else
			last[0] = last[1];
		last[1] = bytes[count - 1];
	}
	pclose(lines);
	return !last[1] || (last[0] == '}' && last[1] == '\n');
}

/* Returns whether a file ends as a complete file of its kind. */
static bool is_whole(const char *folder, const char *name)
{
	static const struct {
		const char *kind, *end;
	} ends[] = { { ".jsonl", "}\n" }, { ".svg", "</svg>\n" }, { ".gp", "\n" },
		{ ".uarch", "\n" }, { ".csv", "\n" } };
	const char *dot = strrchr(name, '.');
	char path[600], last[16] = "";
	FILE *file;

	place_path(path, sizeof(path), folder, name);
	file = fopen(path, "r");
	if (!file)
		return true;
	if (fseek(file, 0, SEEK_END) == 0 && ftell(file) == 0) {
		fclose(file);
		return true; /* a recording without a record */
	}
	if (dot && strcmp(dot, ".gz") == 0) {
		fclose(file);
		return is_packed_whole(path);
	}
	for (size_t i = 0; dot && i < sizeof(ends) / sizeof(ends[0]); i++) {
		size_t length = strlen(ends[i].end);

		if (strcmp(dot, ends[i].kind) != 0)
			continue;
		if (fseek(file, -(long)length, SEEK_END) != 0 ||
			fread(last, 1, length, file) != length || strcmp(last, ends[i].end) != 0) {
			fclose(file);
			return false;
		}
	}
	fclose(file);
	return true;
}

/* Finds a temporary or half-written file in a folder and its subfolders, or any file if `anything`
 * is true. */
static bool left_over(const char *folder, bool anything, char *name, size_t size)
{
	DIR *list = opendir(folder);
	bool found = false;

	for (struct dirent *entry; list && !found && (entry = readdir(list));) {
		if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0)
			continue;
		if (entry->d_type == DT_DIR && !anything) {
			char path[600];

			place_path(path, sizeof(path), folder, entry->d_name);
			found = left_over(path, false, name, size);
			continue;
		}
		found = anything || strstr(entry->d_name, ".tmp") ||
			!is_whole(folder, entry->d_name);
		if (found)
			snprintf(name, size, "%s", entry->d_name);
	}
	if (list)
		closedir(list);
	return found;
}

/* Returns why the trial failed, or NULL. */
const char *trial_judge(const struct trial *trial, const struct place *place, const struct end *end)
{
	static char why[1200];
	char err[600], out[64], name[256];
	int status = WIFEXITED(end->how) ? WEXITSTATUS(end->how) : -1;
	bool terminal = trial->scenario->keys;

	place_read(place->top, "err", err, sizeof(err));
	place_read(place->top, "out", out, sizeof(out));
	if (end->late)
		snprintf(why, sizeof(why), "did not end within %d s: %s", trial_patience(trial),
			err);
	else if (WIFSIGNALED(end->how))
		snprintf(why, sizeof(why), "ended by signal %d: %s", WTERMSIG(end->how), err);
	else if (status != 0 && status != 1 && status != 2)
		snprintf(why, sizeof(why), "status %d: %s", status, err);
	else if (status == 0 && !terminal && !*out && !trial->scenario->silent)
		snprintf(why, sizeof(why), "status 0 without a result: %s", err);
	else if (strstr(err, "(null)"))
		snprintf(why, sizeof(why), "names nothing: %s", err);
	else if (status != 0 && !*err)
		snprintf(why, sizeof(why), "status %d without a message", status);
	else if (status == 2 && trial->call)
		snprintf(why, sizeof(why), "status 2, as if the command line were wrong: %s", err);
	else if (end->orphan)
		snprintf(why, sizeof(why), "left a process: %s", end->orphan_name);
	else if (end->raw)
		snprintf(why, sizeof(why), "terminal not restored: %s", err);
	else if (end->screen_left && trial->kind != FAULT_WRITE)
		snprintf(why, sizeof(why), "left the terminal on the alternate screen: %s", err);
	else if (left_over(place->temporary, true, name, sizeof(name)) ||
		 left_over(place->here, false, name, sizeof(name)) ||
		 left_over(place->home, false, name, sizeof(name)))
		snprintf(why, sizeof(why), "left a file: %s", name);
	else
		return NULL;
	return why;
}
