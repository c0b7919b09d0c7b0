#!/bin/sh
# How long the model takes: see bench/explain.c, which make bench compiles.
exec "${top_builddir:-build}/bench/explain" "$@"
