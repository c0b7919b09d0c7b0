/* The portable program (`make portable`) carries its libraries in its file, and gets them as open
 * memory files: see src/portable/launch.c. */
#pragma once

#include <stdbool.h>

/* A variable of the environment: the descriptors of the carried files, FIRST-LAST. The last is the
 * file LC_CTYPE of the locale C.UTF-8. */
#define CARRIED_VARIABLE "SLEXPLORE_CARRIED"

/* Closes the carried files, which are loaded by now. Call once, before other threads start. */
void carried_begin(void);

/* Chooses the carried characters (UTF-8) for the locale category LC_CTYPE, if this program carries
 * them. Call before carried_begin(). */
void carried_characters(void);

/* Whether the C library and all other libraries are those that the program carries. Code that the
 * machine's compiler makes must then be linked with no library of the machine. */
bool carried_libraries(void);
