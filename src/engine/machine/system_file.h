/* Facts that the system keeps in small files below /proc and /sys. Each reader takes the root below
 * which those lie: "" for the real ones, a tree of their own in tests. */
#ifndef SLX_ENGINE_MACHINE_SYSTEM_FILE_H
#define SLX_ENGINE_MACHINE_SYSTEM_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

enum { SYSTEM_PATH = 512 };

/* Opened for reading, closed on exec; NULL: there is none, or the path is too long. */
FILE *system_open(const char *root, const char *path);

/* The first line without its end and the blanks before that, cut to size. Returns false and an
 * empty string when there is none. */
bool system_line(const char *root, const char *path, char *buffer, size_t size);

/* A decimal number that is all of the first line. */
bool system_number(const char *root, const char *path, int64_t *value);

bool system_has(const char *root, const char *path);

#endif
