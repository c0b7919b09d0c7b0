#!/bin/sh
# Writes a C file to standard output: data_files[] of base/data.h with the bytes of every given file.
#
#   embed.sh DIRECTORY FILE...      FILE: embeds DIRECTORY/FILE under the name FILE
#                                   NAME=PATH: embeds the file at PATH under the name NAME
#
# od converts the bytes, so a text of any kind and length stays unchanged. The result is the same on
# every machine. Compilers read strings ten times as fast as lists of numbers.
set -eu

directory=$1
shift
echo '#include "base/data.h"'
echo '#include <stddef.h>'
number=0
for file; do
	name=${file%%=*}
	path=$directory/$name
	[ "$name" = "$file" ] || path=${file#*=}
	printf '\nstatic const char data_%d[] = ""	/* %s */\n' "$number" "$name"
	[ -r "$path" ] || { echo "embed.sh: $path: cannot be read" >&2; exit 1; }
	od -An -v -tx1 "$path" | sed 's/ *\([0-9a-f][0-9a-f]\)/\\x\1/g; s/.*/"&"/'
	echo ";"
	number=$((number + 1))
done
printf '\nconst struct data_file data_files[] = {\n'
number=0
for file; do
	printf '\t{ "%s", data_%d },\n' "${file%%=*}" "$number"
	number=$((number + 1))
done
printf '\t{ NULL, NULL },\n};\n'
