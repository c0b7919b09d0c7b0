#!/bin/sh
# The explorer as a terminal program: see bench/terminal.c, which make bench compiles.
exec "${top_builddir:-build}/bench/terminal" "$@"
