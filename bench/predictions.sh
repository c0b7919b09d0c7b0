#!/bin/sh
# The model against measurements of every kernel, in each cache and in memory: see bench/predictions.c. Two minutes on a quiet core.
# FILE keeps the measurements, so that a changed model can predict them again: bench/predictions predict FILE
set -eu
predictions=${top_builddir:-build}/bench/predictions
file=${FILE:-$(mktemp)}
[ -s "$file" ] || "$predictions" measure "$file"
"$predictions" predict "$file" "${WORST:-10}"
[ -n "${FILE:-}" ] || rm -f "$file"
"$predictions" advise
