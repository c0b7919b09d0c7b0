#!/bin/sh
# No circle between source files: a file never calls a function of a file that calls, directly or through others, one of its own.
# Tables of constants do not count: a registry lists what its users define. Reads the symbols of the objects below top_builddir whose
# sources are below top_srcdir (default for both: the current directory); NM names the tool. Also: no two files have the same name.
set -u

build=${top_builddir:-.} source=${top_srcdir:-.}
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT

# "FILE FILE" lines: the first calls a function that the second defines. Objects are named on standard input.
calls() {
	xargs "${NM:-nm}" -A -g -P | sed 's/\.o: / /' | awk '
	$3 == "U" { use[++n] = $1 " " $2 }
	$3 == "T" { of[$2] = $1 }
	END {
		for (i = 1; i <= n; i++) {
			split(use[i], at, " ")
			if (at[2] in of && of[at[2]] != at[1])
				print at[1], of[at[2]]
		}
	}' | sort -u
}

# circles <EDGES: prints the files of each circle; false when there is none.
circles() {
	tsort 2>&1 >/dev/null | sed 's/^tsort: //; s/^-: input contains a loop:/a circle:/' | grep .
}

(cd "$source" && find src kernels -name '*.c' ! -path 'src/portable/*' ! -name main.c) | sed 's/c$/o/' >"$work/all"
(cd "$build" && while IFS= read -r object; do
	[ ! -e "$object" ] || echo "$object"
done <"$work/all" >"$work/objects" && calls <"$work/objects" >"$work/edges")
[ "$(wc -l <"$work/edges")" -gt 300 ] || { echo "circles.sh: only $(wc -l <"$work/edges") calls were found"; exit 1; }

sed 's,.*/,,' "$work/all" | sort | uniq -d >"$work/twice"
if [ -s "$work/twice" ]; then
	echo "several files have the name of" $(sed 's/o$/c/' "$work/twice")
	exit 1
fi

# The check has to be able to fail.
printf 'a b\nb c\nc a\n' | circles >"$work/out" || { echo "circles.sh: does not see a circle of three"; exit 1; }

if circles <"$work/edges" >"$work/out"; then
	cat "$work/out"
	exit 1
fi
echo "no circle in $(wc -l <"$work/edges") calls between files"
