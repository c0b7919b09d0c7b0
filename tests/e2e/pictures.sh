#!/bin/sh
# Pictures from outside: each kind in each format, from short sweeps, a probe, limits and the explorer; errors; interruption.
# The test does not check what the pictures look like.
. "$(dirname "$0")/lib.sh"

# Like expect, for measurements: on a busy machine some cells find no undisturbed trial, and are gaps in the picture.
measured() {
	"$SLEXPLORE" "$@" </dev/null >out 2>err
	status=$?
	[ "$status" -eq 0 ] || { [ "$status" -eq 1 ] && grep -q undisturbed err; } ||
		fail "slexplore $*: exit status $status: $(head -c 700 err)"
}

# untouched STATUS WORDS ARGUMENT...: the program refuses before it measures or writes anything.
untouched() {
	ls -A >before
	refuse "$@"
	shift 2
	ls -A >after
	cmp -s before after || fail "slexplore $*: leaves $(diff before after)"
}

# has PICTURE WORD...: the picture is complete and contains these words, as far as installed tools can check.
has() {
	picture=$1
	shift
	[ -s "$picture" ] || { fail "no $picture"; return; }
	case $picture in
	*.svg)
		[ "$(tail -c 7 "$picture")" = "</svg>" ] || fail "$picture does not end"
		for word; do says "$picture" "$word"; done
		if command -v xmllint >/dev/null; then
			xmllint --noout "$picture" 2>lint || fail "$picture: $(head -n 3 lint)"
		fi
		if command -v rsvg-convert >/dev/null; then
			rsvg-convert "$picture" >drawn.png 2>lint || fail "$picture: $(cat lint)"
		fi
		;;
	*.png)
		[ "$(od -An -tx1 -N8 "$picture" | tr -d ' \n')" = 89504e470d0a1a0a ] || fail "$picture is no PNG"
		tail -c 12 "$picture" | grep -q IEND || fail "$picture does not end"
		;;
	*.pdf)
		[ "$(head -c 5 "$picture")" = "%PDF-" ] || fail "$picture is no PDF"
		tail -c 6 "$picture" | grep -q '%%EOF' || fail "$picture does not end"
		if command -v pdftotext >/dev/null; then
			pdftotext -layout "$picture" text 2>lint || fail "$picture: $(cat lint)"
			for word; do says text "$word"; done
		fi
		;;
	esac
}

# Script and data exist. If gnuplot is installed, it draws them from any directory.
plots() {
	[ -s "$1.gp" ] && [ -s "$1.dat" ] || { fail "no $1.gp with $1.dat"; return; }
	command -v gnuplot >/dev/null || return 0
	(cd / && gnuplot "$work/$1.gp") >lint 2>&1 || fail "gnuplot $1.gp: $(cat lint)"
	[ ! -s lint ] || fail "gnuplot $1.gp says $(cat lint)"
	[ -s "$1.svg" ] || fail "gnuplot $1.gp has drawn nothing"
}

# ---- Errors before the measurement

: >out
: >err
: >before
: >after

untouched 2 ".svg, .png or .pdf" sweep combine acc=1,2 --picture a.jpg
untouched 2 ".svg, .png or .pdf" run combine --picture a
untouched 2 ".svg, .png or .pdf" windows nop --picture a.jpg
untouched 2 "light or dark" explain combine --picture a.svg --theme grey
untouched 2 "auto, lines, heat or relief" sweep combine acc=1,2 --chart cake
untouched 2 "--gnuplot some/" sweep combine acc=1,2 --gnuplot some/
untouched 2 "several values" sweep combine acc=2 unroll=2 --gnuplot a
untouched 2 "too many for a picture" sweep combine acc=1..8 unroll=8..16 stride=1..4 --gnuplot a
untouched 2 "--chart relief needs two knobs" sweep combine acc=1,2 --gnuplot a --chart relief
untouched 2 "--chart is an option of sweep" run combine --chart heat
untouched 1 "nowhere/a.gp cannot be written" sweep combine acc=1,2 --gnuplot nowhere/a
mkdir taken.dat
untouched 1 "taken.dat cannot be written: it is a directory" sweep combine acc=1,2 --gnuplot taken
rmdir taken.dat

# A core model of this instruction set.
core=$("$SLEXPLORE" explain combine --uarch nothing 2>&1 | sed -n 's/.*one of \([a-z0-9-]*\),.*/\1/p')
[ -n "$core" ] || fail "no core model"

# ---- gnuplot requires no library

measured sweep combine acc=1,2,4,8 unroll=8 type=f64,i64 --time-budget 0.2 --gnuplot lines
plots lines
says lines.gp "combine: reduce an array"
says lines.gp "'f64'"
measured sweep mountain size=16k,64k,256k,1m stride=1,2,4,8 --time-budget 0.2 --gnuplot relief --theme dark
plots relief
says relief.gp "splot"
measured sweep mountain size=16k,64k stride=1,2 --time-budget 0.2 --chart heat --gnuplot heat
plots heat
says heat.dat '"64 KiB"'
measured sweep sum-halves 'form=*' --time-budget 0.2 --gnuplot forms.gp
plots forms
measured probe latency --max-size 256k --gnuplot probe
plots probe
# Without an undisturbed trial there is nothing to draw.
measured windows nop load --gnuplot windows
[ "$status" -ne 0 ] || plots windows
expect 0 explain combine --uarch "$core" --gnuplot limits
plots limits
expect 0 explain combine --uarch "$core" --timeline --gnuplot timeline
plots timeline

# ---- cairo: if it is missing, the message says so and names the package

if ! "$SLEXPLORE" explain combine --uarch "$core" --picture limits.svg >out 2>err; then
	says err "install libcairo2"
	says err "--gnuplot"
	untouched 1 "install libcairo2" sweep combine acc=1,2 --picture a.svg
	done_with "pictures for gnuplot; without cairo no others"
fi
# A library that cannot be loaded counts as missing.
mkdir empty
: >empty/libcairo.so.2
LD_LIBRARY_PATH=$work/empty
export LD_LIBRARY_PATH
untouched 1 "install libcairo2" sweep combine acc=1,2 --picture a.svg
unset LD_LIBRARY_PATH

# Every format of one picture, and then every kind of picture in one format.
for extension in svg png pdf; do
	expect 0 explain combine --uarch "$core" --picture "limits.$extension"
	has "limits.$extension" "combine: what limits it" "cycles per array element read" "slexplore 0"
	measured sweep mountain size=16k,64k,256k,1m stride=1,2,4,8 --time-budget 0.2 --picture "relief.$extension"
	has "relief.$extension" "mountain: read" "GB/s" "bytes of the array"
done
expect 0 explain combine --uarch "$core" --timeline --picture timeline.svg
has timeline.svg "combine: timeline on" "cycles an iteration"
expect 0 explain combine --uarch "$core" --graph --picture graph.svg --theme dark
has graph.svg "combine: dependence graph of two iterations" "the slowest carried chain"
measured run combine --uarch "$core" --picture run.svg --theme dark
has run.svg "measured" "quartiles"
measured sweep combine acc=1,2,4,8 unroll=8 type=f64,i64 --time-budget 0.2 --picture lines.svg
has lines.svg "combine: reduce an array" "f64" "i64" "quartiles" "cycles per array element read"
measured sweep mountain size=16k,64k stride=1,2 --time-budget 0.2 --chart heat --picture heat.svg --theme dark
has heat.svg "GB/s"
measured probe latency --max-size 256k --picture probe.svg
has probe.svg "Load latency" "cycles per load" "working set"
measured windows nop --picture windows.svg
[ "$status" -ne 0 ] || has windows.svg "Reorder buffer" "cycles per iteration" "nops between the two misses"
[ ! -e a.svg ] || fail "a picture that was refused"

# An existing file is replaced as a whole; no other file is left.
echo "not a picture" >limits.svg
expect 0 explain combine --uarch "$core" --picture limits.svg
has limits.svg "what limits it"
! ls -A | grep -q tmp || fail "left behind: $(ls -A | grep tmp)"

# ---- an interrupted sweep is drawn as far as it was measured

if interrupted INT 130 12 sweep combine 'op=*' 'type=*' unroll=16 acc=1..16 --format json --time-budget 3600 --picture half.svg --gnuplot half; then
	has half.svg "combine: reduce an array"
	[ -s half.gp ] && [ -s half.dat ] || fail "interrupted: no script for gnuplot"
	! ls -A | grep -q tmp || fail "left behind: $(ls -A | grep tmp)"
fi

# ---- the explorer

cat >script <<'END'
kernel mountain
figure
pass 1
view curves
picture
view mountain
picture dark
picture dark peak.png
view limits
picture limits of mine.pdf
key i
END
expect 0 explore --script script
has slexplore-slice-1.svg "mountain: read"
has slexplore-mountain-1.svg "GB/s"
has peak.png
if [ -e slexplore-limits-1.svg ]; then
	has slexplore-limits-1.svg "mountain: what limits it"
	has "limits of mine.pdf" "mountain: what limits it"
fi
cp slexplore-mountain-1.svg kept
printf 'kernel mountain\nfigure\npass 1\nview mountain\npicture\n' >script
expect 0 explore --script script
has slexplore-mountain-2.svg "GB/s"
cmp -s kept slexplore-mountain-1.svg || fail "a picture was replaced"
printf 'view trials\npicture\n' >script
expect 0 explore --script script
has slexplore-screen-1.svg "older"
printf 'figure\npicture a.bmp\n' >script
expect 2 explore --script script
says err "a.bmp"

# The name of a file is no command of gnuplot, and can have any bytes.
if command -v "${CC:-cc}" >/dev/null; then
	own='/* slexplore: a=f64[n] */ double s; long loop(long n, double *a) { for (long i = 0; i < n; i++) s += a[i]; return 0; }'
	odd=$(printf 'odd\n!touch commanded\033\377.c')
	printf '%s\n' "$own" >"$odd"
	measured run "./$odd" --gnuplot odd --time-budget 0.05 --quiet
	! grep -q '^!' odd.gp odd.dat || fail "the name of a file is a command: $(grep '^!' odd.gp odd.dat)"
	! LC_ALL=C grep -q "$(printf '[\033\377]')" odd.gp odd.dat || fail "bytes of a name in a script"
	measured run "./$odd" --picture odd.svg --time-budget 0.05 --quiet
	has odd.svg
fi

# Warnings about the machine's font files are not printed.
FONTCONFIG_FILE=$work/no-such-file expect 0 explain combine --picture fonts.svg --quiet
[ ! -s err ] || fail "warnings about fonts: $(cat err)"

done_with "pictures are whole, and have their words"
