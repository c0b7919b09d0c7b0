#!/bin/sh
# Keeps the layers apart: base <- kernels <- engine <- model <- experiment <- { recording, picture } <- lesson <- explorer <- ui,
# and cli next to explorer and ui. Prints each include that breaks this, and each header without a guard.
#
#   layers.sh [DIRECTORY]      the tree to look at; by default the one that this script belongs to
set -eu

# Exceptions to the rule "from a lower layer or one's own": the file that starts the screen, and the file that checks the terminal.
beside='src/cli/screens.h:ui/ui.h src/cli/check.h:ui/terminal.h'

# Every include line of the .c and .h files below src/ and kernels/, as FILE:LINE:TEXT, paths from the top.
includes() {
	(cd "$1" && find src kernels \( -name '*.[ch]' -o -name '*.awk' \) -type f -exec \
		grep -Hn '#[[:space:]]*include' {} +) | LC_ALL=C sort
}

check() {
	includes "$1" | awk -v beside=" $beside " '
	BEGIN {
		level["base"] = 1; level["kernels"] = 2; level["engine"] = 3; level["model"] = 4
		level["experiment"] = 5; level["recording"] = 6; level["picture"] = 6
		level["lesson"] = 7; level["explorer"] = 8; level["ui"] = 9; level["cli"] = 9
		level["portable"] = 10           # the start of the portable program: nobody includes it
	}
	function layer(path, part) {
		sub(/^src\//, "", path)
		if (!index(path, "/"))
			return ""
		split(path, part, "/")
		return part[1]
	}
	function bad(why) {
		print $0 "\n\t" why
		found = 1
	}
	# A library that only some files may include.
	function only(pattern, name, where) {
		if ($0 ~ "include[[:space:]]*[<\"]" pattern && file !~ where)
			bad(name " is for " readable(where) " alone")
	}
	function readable(where) {
		gsub(/[\^$\\()]/, "", where)
		return where
	}
	{
		file = $0
		sub(/:.*/, "", file)
		only("hwloc", "hwloc", "^src/engine/machine/topology\\.c$")
		only("(ncursesw?/|ncurses|curses|term\\.h)", "curses", "^src/ui/")
		only("perfmon/", "libpfm", "^src/engine/counters/counters\\.c$")
		only("(Zydis|Zycore)", "Zydis", "^src/model/code/(decode|redirect)_x86\\.c$|^kernels/assemble_x86\\.c$")
		only("capstone", "Capstone", "^src/model/code/decode_arm64\\.c$")
		only("sys/ptrace", "ptrace", "^src/model/code/step\\.c$")
		only("(sys/user|sys/uio|asm/ptrace|linux/ptrace)", "the stepper", "^src/model/code/step\\.c$")
		only("cairo", "cairo", "^src/picture/picture_cairo\\.c$")
		only("zlib", "zlib", "^src/base/gzip\\.c$|^src/model/program/(elf|program)\\.c$|^src/portable/launch\\.c$")
		only("jansson", "jansson", "^src/recording/(compare/)?[a-z_]*\\.c$|^src/cli/format\\.c$")
		if ($0 !~ /include[[:space:]]*"/)
			next
		header = $0
		sub(/^[^"]*"/, "", header)
		sub(/".*/, "", header)
		if (header == "config.h")
			next
		from = layer(file)
		to = layer(header)
		if (!(to in level)) {
			bad("an include is written from the top, beginning with its layer")
			next
		}
		if (from == "")                  # src/main.c sees everything
			next
		if (!(from in level))
			bad("src/" from "/ is no layer")
		else if (level[to] > level[from])
			bad(from " is below " to)
		else if (from == "cli" && to == "explorer")
			bad("the command line does not know the explorer")
		else if (level[to] == level[from] && to != from && !index(beside, " " file ":" header " "))
			bad(from " and " to " stand side by side")
	}
	END { exit found }' || return 1
}

# Everything that the program prints goes through the streams of base/output.h, which clean it. ncurses and the messages of the program's
# end write to the descriptors of the terminal themselves.
prints() {
	(cd "$1" && find src kernels -name '*.[ch]' -type f ! -path src/base/output.c ! -path 'src/portable/*' -exec \
		grep -HnE '(^|[^a-z_"])(printf|puts|putchar|vprintf|perror|psignal)\([^)]|[^A-Z_a-z"](stdout|stderr)[^a-z_"]|write\(STD(OUT|ERR)_FILENO' {} +) |
		LC_ALL=C sort | {
		status=0
		while IFS= read -r line; do
			case $line in
			src/base/fatal.c:*'write(STDERR_FILENO'* | src/ui/screen.c:*'write(STDOUT_FILENO'*) continue ;;
			esac
			printf '%s\n\toutput goes through base/output.h\n' "$line"
			status=1
		done
		exit $status
	}
}

guards() {
	(cd "$1" && find src kernels -name '*.h' -type f | LC_ALL=C sort) | {
		status=0
		while read -r header; do
			grep -q '^#pragma once$' "$1/$header" && continue
			case $header in src/model/limits/limit_rows.h | src/model/core/uarch_facts.h) continue ;; esac # read several times
			echo "$header: no #pragma once"
			status=1
		done
		exit $status
	}
}

# The check has to be able to fail: each of these lines must be found in a tree that holds it alone.
must_fail() {
	mkdir -p "$bad/src/base" "$bad/kernels" "$bad/${1%/*}"
	echo "$2" >"$bad/$1"
	if check "$bad" >"$bad/found" && guards "$bad" >>"$bad/found" && prints "$bad" >>"$bad/found"; then
		echo "layers.sh: does not notice \"$2\" in $1"
		exit 1
	fi
	rm "$bad/$1"
}

must_pass() {
	mkdir -p "$bad/${1%/*}"
	echo "$2" >"$bad/$1"
	if ! check "$bad" >"$bad/found"; then
		echo "layers.sh: objects to \"$2\" in $1:"
		cat "$bad/found"
		exit 1
	fi
	rm "$bad/$1"
}

bad=$(mktemp -d)
trap 'rm -rf "$bad"' EXIT
must_fail src/base/a.c '#include "engine/engine.h"'
must_fail kernels/a.c '#include "explorer/session.h"'
must_fail src/explorer/a.c '#include "ui/canvas.h"'
must_fail src/ui/a.c '#include "cli/cli.h"'
must_fail src/cli/a.c '#include "ui/ui.h"'
must_fail src/cli/screens.h '#include "ui/canvas.h"'
must_fail src/cli/a.c '#include "local.h"'
must_fail src/explorer/a.c '#include <hwloc.h>'
must_fail src/engine/a.c '#include <hwloc/glibc-sched.h>'
must_fail src/cli/a.c '#include <curses.h>'
must_fail src/cli/a.c '# include <ncursesw/curses.h>'
must_fail src/cli/a.c '#include <term.h>'
must_fail src/engine/a.c '#include <perfmon/pfmlib.h>'
must_fail src/engine/a.c '#include <Zydis/Zydis.h>'
must_fail src/model/code/decode_arm64.c '#include <Zydis/Zydis.h>'
must_fail kernels/assemble.c '#include <Zydis/Zydis.h>'
must_fail src/model/code/decode.c '#include <Zycore/Types.h>'
must_fail src/model/limits/limits.c '#include <capstone/capstone.h>'
must_fail src/model/code/decode_x86.c '#include <capstone/capstone.h>'
must_fail src/model/limits/explain.c '#include <sys/ptrace.h>'
must_fail src/engine/worker/isolate.c '#include <sys/ptrace.h>'
must_fail src/model/code/step_own.c '#include <sys/user.h>'
must_fail src/cli/command_run.c '#include <jansson.h>'
must_fail src/model/program/lines.c '#include <zlib.h>'
must_fail src/engine/a.c '#include "model/core/uarch.h"'
must_fail kernels/a.c '#include "model/code/decode.h"'
must_fail src/model/a.c '#include "experiment/setting/setting.h"'
must_fail src/cli/a.c '#include "explorer/command.h"'
must_fail src/experiment/a.c '#include "recording/records.h"'
must_fail src/recording/a.c '#include "picture/picture.h"'
must_fail src/cli/a.c '#include "portable/decoder.h"'
must_fail src/picture/pen.c '#include <cairo.h>'
must_fail src/cli/command_run.c '#include <cairo-svg.h>'
must_fail src/picture/a.c '#include "ui/canvas.h"'
must_fail src/recording/a.c '#include "lesson/lesson.h"'
must_fail src/lesson/a.c '#include "explorer/view.h"'
must_fail src/base/a.h '#define NO_GUARD'
must_fail src/cli/a.c '	printf("%s", name);'
must_fail src/cli/a.c '	fputs(name, stdout);'
must_fail src/engine/a.c '	fprintf(stderr, "%s", name);'
must_fail src/ui/a.c '	write(STDOUT_FILENO, name, length);'
must_pass src/cli/screens.h '#include "ui/ui.h"'
must_pass src/main.c '#include "cli/cli.h"'
must_pass src/explorer/a.c '#include "kernels/kernel.h"'
must_pass src/engine/machine/topology.c '#include <hwloc.h>'
must_pass src/model/code/decode_x86.c '#include <Zydis/Zydis.h>'
must_pass src/model/code/redirect_x86.c '#include <Zydis/Zydis.h>'
must_pass kernels/assemble_x86.c '#include <Zydis/Zydis.h>'
must_pass src/model/code/decode_arm64.c '#include <capstone/capstone.h>'
must_pass src/model/code/step.c '#include <sys/ptrace.h>'
must_pass src/model/code/step.c '#include <sys/user.h>'
must_pass src/model/limits/explain.c '#include "engine/machine/machine.h"'
must_pass src/explorer/a.c '#include "model/limits/explain.h"'
must_pass src/cli/a.c '#include "model/core/choice.h"'
must_pass src/picture/picture_cairo.c '#include <cairo.h>'
must_pass src/picture/a.c '#include "experiment/sweep/sweep.h"'
must_pass src/explorer/a.c '#include "picture/picture.h"'
must_pass src/lesson/a.c '#include "recording/record.h"'
must_pass src/explorer/a.c '#include "lesson/lesson.h"'
must_pass src/cli/a.c '#include "lesson/lesson.h"'
must_pass src/ui/a.c '#include "explorer/view.h"'

top=${1:-${top_srcdir:-$(dirname "$0")/..}}
status=0
check "$top" || status=1
guards "$top" || status=1
prints "$top" || status=1
exit $status
