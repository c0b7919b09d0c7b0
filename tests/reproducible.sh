#!/bin/sh
# Builds slexplore twice, from copies of the sources in two folders, at other times, in other locales and time zones, and compares what
# was made, byte for byte: the program, its archive, and the portable program.
#
#   reproducible.sh BUILD        make check-reproducible; BUILD: a build directory, whose options of configure are used
set -eu

top=$(cd "$(dirname "$0")/.." && pwd)
options=$("$1/config.status" --config)
place=$(mktemp -d)
trap 'rm -rf "$place"' EXIT
version=$("$top/version.sh")

# build FOLDER OPTIONS_OF_MAKE
build() {
	mkdir -p "$place/$1/sources" "$place/$1/build"
	# Also from an unpacked archive without git. Build directories are left out.
	(cd "$top" && find . -name config.status -path './*/*' -printf '%h\n' -prune) >"$place/built"
	(cd "$top" && tar cf - --exclude-vcs --exclude-from="$place/built" .) | (cd "$place/$1/sources" && tar xf -)
	printf '%s' "$version" >"$place/$1/sources/.tarball-version"
	find "$place/$1/sources" -exec touch -d "$3" {} +
	cd "$place/$1/build"
	eval "set -- \"\$2\" $options"
	make_options=$1
	shift
	"../sources/configure" -q "$@" >log 2>&1 && make -s "$make_options" slexplore portable >>log 2>&1 || {
		tail -n 20 log >&2
		exit 1
	}
	cd "$place"
}

(umask 077 && LC_ALL=C TZ=UTC build first -j2 '2001-02-03') || exit 1
(umask 022 && LC_ALL=C.UTF-8 TZ=Asia/Kolkata build a/second/folder/with/a/longer/name -j3 '2011-12-13') || exit 1
differ=0
for made in slexplore libslexplore.a src/portable/launch slexplore-portable; do
	[ -e "$place/first/build/$made" ] || { echo "$made was not made" >&2; exit 1; }
	if cmp "$place/first/build/$made" "$place/a/second/folder/with/a/longer/name/build/$made"; then
		echo "$(sha256sum <"$place/first/build/$made" | cut -c 1-64)  $made"
	else
		differ=1
	fi
done
[ "$differ" -eq 0 ] || { echo "two builds differ" >&2; exit 1; }
echo "two builds in two folders are identical"
