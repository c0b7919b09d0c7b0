/* Names of C++ and Rust functions as their programmers write them. */
#pragma once

#include "base/text.h"

/* Adds a symbol's name to `text`: demangled if the C++ library is installed here and knows the
 * name, otherwise unchanged. slexplore loads the C++ library only if there is a mangled name. */
void demangle(const char *symbol, struct text *text);

/* Whether a name that a user gave means the demangled name: "ns::f(int)", or "ns::f" without the
 * parameters. */
bool demangled_is(const char *demangled, const char *given);

/* Whether a name that a user gave is the last part of the demangled name, with or without template
 * arguments: "total" or "S::total" for "ns::S::total() const", "best" for "int best<int>(int)". */
bool demangled_ends(const char *demangled, const char *given);
