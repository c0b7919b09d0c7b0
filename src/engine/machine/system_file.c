/* See system_file.h. */
#include "engine/machine/system_file.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

FILE *system_open(const char *root, const char *path)
{
	char whole[SYSTEM_PATH];

	if (snprintf(whole, sizeof(whole), "%s%s", root, path) >= (int)sizeof(whole))
		return NULL;
	return fopen(whole, "re");
}

bool system_line(const char *root, const char *path, char *buffer, size_t size)
{
	FILE *file = system_open(root, path);
	char line[256] = "";

	buffer[0] = '\0';
	if (!file)
		return false;
	if (!fgets(line, sizeof(line), file))
		line[0] = '\0';
	fclose(file);
	line[strcspn(line, "\n")] = '\0';
	/* Some firmware pads its strings. */
	for (size_t length = strlen(line); length && line[length - 1] == ' ';)
		line[--length] = '\0';
	snprintf(buffer, size, "%.*s", (int)size - 1, line);
	return line[0] != '\0';
}

bool system_number(const char *root, const char *path, int64_t *value)
{
	char line[32], *end;

	if (!system_line(root, path, line, sizeof(line)))
		return false;
	errno = 0;
	*value = strtoll(line, &end, 10);
	return end != line && *end == '\0' && errno == 0;
}

bool system_has(const char *root, const char *path)
{
	char whole[SYSTEM_PATH];

	return snprintf(whole, sizeof(whole), "%s%s", root, path) < (int)sizeof(whole) &&
	       access(whole, F_OK) == 0;
}
