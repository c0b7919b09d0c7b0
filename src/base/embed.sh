#!/bin/sh
# Writes data_files[] of base/data.h to standard output, a C file that holds every given file's bytes.
#
#   embed.sh DIRECTORY FILE...      each FILE is DIRECTORY/FILE, and FILE is its name in the program; NAME=PATH
#                                   embeds the file at PATH under that name
#
# Bytes go through od, so any text of any length survives, and the result does not depend on the machine
# that makes it.
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
	printf '\nstatic const char data_%d[] = {	/* %s */\n' "$number" "$name"
	[ -r "$path" ] || { echo "embed.sh: $path: cannot be read" >&2; exit 1; }
	od -An -v -tx1 "$path" | sed "s/ *\([0-9a-f][0-9a-f]\)/'\\\\x\1',/g"
	echo "0 };"
	number=$((number + 1))
done
printf '\nconst struct data_file data_files[] = {\n'
number=0
for file; do
	printf '\t{ "%s", data_%d },\n' "${file%%=*}" "$number"
	number=$((number + 1))
done
printf '\t{ NULL, NULL },\n};\n'
