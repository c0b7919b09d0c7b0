#!/bin/sh
# Makes the portable program: START, then a program, the dynamic loader and all libraries, each compressed, then their table
# (launch.c reads it).
#
#   bundle.sh START PROGRAM OUTPUT [LIBRARY...]
#
# LIBRARY: a library that the program loads itself. In the environment: CC, OBJDUMP, STRIP; LEVEL: how well gzip compresses (-9).
set -eu

start=$1 program=$2 output=$3
shift 3
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

needed() { ${OBJDUMP:-objdump} -p "$1" | sed -n 's/^ *NEEDED *//p'; }

# place NAME: the path of a library, as the compiler finds it.
place() {
	path=$(${CC:-cc} -print-file-name="$1")
	[ "$path" != "$1" ] || for folder in $(${CC:-cc} -print-search-dirs | sed -n 's/^libraries: =//p' | tr : ' '); do
		[ ! -e "$folder/$1" ] || { path=$folder/$1; break; }
	done
	[ -e "$path" ] || { echo "bundle.sh: no library $1" >&2; exit 1; }
	echo "$path"
}

# The libraries that a library needs follow it.
wanted="$(needed "$program") $*"
names=
while [ -n "${wanted## }" ]; do
	next=
	for name in $wanted; do
		case " $names " in *" $name "*) continue ;; esac
		names="$names $name"
		next="$next $(needed "$(place "$name")" | tr '\n' ' ')"
	done
	wanted=$(echo $next)
done
loader=
for name in $names; do
	case $name in ld-*) loader=$name ;; esac
done
[ -n "$loader" ] || { echo "bundle.sh: $program has no dynamic loader" >&2; exit 1; }

cp "$start" "$work/output"
offset=$(wc -c <"$work/output")
# add NAME FILE
add() {
	cp -L "$2" "$work/file"
	chmod u+w "$work/file"
	case $1 in terminal:* | LC_CTYPE) ;; *) ${STRIP:-strip} --strip-unneeded "$work/file" ;; esac
	gzip "${LEVEL:--9}" -nc "$work/file" >"$work/packed"
	length=$(wc -c <"$work/packed")
	cat "$work/packed" >>"$work/output"
	echo "$offset $length $1" >>"$work/table"
	offset=$((offset + length))
}
add "$loader" "$(place "$loader")"
add slexplore "$program"
for name in $names; do
	[ "$name" = "$loader" ] || add "$name" "$(place "$name")"
done
for folder in /usr/lib/locale/C.utf8 /usr/lib/locale/C.UTF-8; do
	[ ! -e "$folder/LC_CTYPE" ] || { add LC_CTYPE "$folder/LC_CTYPE"; break; }
done
for term in xterm xterm-256color screen screen-256color tmux tmux-256color linux vt100 rxvt-unicode rxvt-unicode-256color; do
	for folder in /etc/terminfo /lib/terminfo /usr/share/terminfo; do
		[ -e "$folder/${term%"${term#?}"}/$term" ] || continue
		add "terminal:$term" "$folder/${term%"${term#?}"}/$term"
		break
	done
done
cat "$work/table" >>"$work/output"
printf 'table of slexplore %-12d\n' "$offset" >>"$work/output"
chmod 755 "$work/output"
mv "$work/output" "$output"
echo "$output: $(wc -c <"$output") bytes, $(wc -l <"$work/table") files"
