/* Parses the JSON records in the lines of many machines. Used by compared_read.c. */
#pragma once

#include <stddef.h>

struct json_t;

/* Parses the JSON object at the beginning of `bytes`; other text may follow it. Returns a new
 * reference, and sets *used to the bytes of the object. Returns NULL if no complete object begins
 * there. The result is that of json_loadb() with JSON_DISABLE_EOF_CHECK, which takes three times
 * the time. */
struct json_t *compared_parse(const char *bytes, size_t length, size_t *used);
