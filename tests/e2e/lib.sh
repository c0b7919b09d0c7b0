# shellcheck shell=sh
# Shared by the scripts of this directory, which begin with
#
#	. "$(dirname "$0")/lib.sh"
#
# and end with `done_with WORDS`. They require SLEXPLORE, the program; some require top_srcdir, the source directory. A script runs in an
# empty directory, $work, which is removed at its end. A script must not assume that the machine is quiet or fast: it polls for each result.
set -u

: "${SLEXPLORE:?the path of the program}"
case $SLEXPLORE in /*) ;; *) SLEXPLORE=$PWD/$SLEXPLORE ;; esac
case ${top_srcdir:=/} in /*) ;; *) top_srcdir=$PWD/$top_srcdir ;; esac
place=$(mktemp -d) || exit 1
trap 'rm -rf "$place"' EXIT
# After a signal, the trap for EXIT runs too.
trap 'exit 1' HUP INT TERM
work=$place/work
mkdir "$work" && cd "$work" || exit 1
export LC_ALL=C.UTF-8
# The user's files and the outer terminal must not change the program's behaviour.
SLEXPLORE_DATA='' XDG_CONFIG_HOME=$place/none
export SLEXPLORE_DATA XDG_CONFIG_HOME
unset NO_COLOR SLEXPLORE_THEME
# Leaks matter in the explorer, which runs for hours: its scripts set leaks=1. Other subcommands run for seconds, and the search for
# leaks at the end takes a third of the processor time of a short one.
ASAN_OPTIONS=${ASAN_OPTIONS:+$ASAN_OPTIONS:}detect_leaks=${leaks:-0}
export ASAN_OPTIONS

# Failures are counted in a file, because the caller may be part of a pipeline.
fail() {
	echo "FAIL: $*" >&2
	echo "$*" >>"$place/failures"
}

# done_with WORDS: ends the script; exit status 0 if nothing failed.
done_with() {
	[ ! -e "$place/failures" ] || exit 1
	echo "$*"
	exit 0
}

# ---- the program

# run STATUS ARGUMENT...: runs the program with the caller's standard input; its output is in the files out and err.
run() {
	expected=$1
	shift
	"$SLEXPLORE" "$@" >out 2>err
	status=$?
	[ "$status" -eq "$expected" ] || fail "slexplore $*: exit status $status, not $expected: $(head -c 700 err)"
	! LC_ALL=C grep -q "$(printf '\033')" out err || fail "slexplore $*: an escape byte"
}

# expect STATUS ARGUMENT...: like run, without standard input.
expect() {
	run "$@" </dev/null
}

# quiet_enough ARGUMENT...: runs a measurement that requires a quiet core. False if the program says that the core was not quiet.
quiet_enough() {
	"$SLEXPLORE" "$@" </dev/null >out 2>err
	status=$?
	if grep -q -e 'core [0-9]* was never quiet in [0-9]* s: ' -e '[0-9]* of [0-9]* loops never ran on a quiet core' out err; then
		[ "$status" -le 1 ] || fail "slexplore $*: exit status $status"
		echo "left out, since the core was not quiet: slexplore $*"
		return 1
	fi
	[ "$status" -eq 0 ] || fail "slexplore $*: exit status $status, not 0: $(head -c 700 err)"
}

# says FILE WORDS
says() {
	grep -qF -- "$2" "$1" || fail "no \"$2\" in $1: $(head -c 700 "$1")"
}

# refuse STATUS WORDS ARGUMENT...: the program refuses, with one line that contains these words and no standard output.
refuse() {
	refused=$1 part=$2
	shift 2
	expect "$refused" "$@"
	says err "$part"
	[ "$(wc -l <err)" -eq 1 ] || fail "slexplore $*: not one line: $(cat err)"
	[ ! -s out ] || fail "slexplore $*: output beside an error"
}

# narrow: no line of out is wider than 80 columns.
narrow() {
	awk 'length($0) > 80 { exit 1 }' out || fail "a line of more than 80 columns: $(head -c 700 out)"
}

# ---- output

# Every line of out is a JSON object of at most 1,000 bytes with the host inside.
json_lines() {
	[ -s out ] || fail "no JSON at all"
	LC_ALL=C awk 'length($0) + 1 > 1000 || !/^[{]"v":1,"record":"[a-z]+",.*"host":".*[}]$/ { exit 1 }' out ||
		fail "a line is too long or no record: $(head -c 700 out)"
	command -v python3 >/dev/null || return 0
	python3 -c 'import json, sys
for line in sys.stdin: json.loads(line)' <out || fail "invalid JSON: $(head -c 700 out)"
}

# Like json, and the ids count up from 1.
json_numbered() {
	json_lines
	awk '!/^[{]"v":1,"record":"[a-z]+","id":[0-9]+,"host":/ { exit 1 }
		{ sub(/.*"id":/, ""); sub(/,.*/, ""); if ($0 + 0 != NR) exit 1 }' out || fail "records out of order: $(head -c 700 out)"
}

# full WORDS ARGUMENT...: an error of writing is reported.
full() {
	[ -w /dev/full ] || return 0
	"$SLEXPLORE" "$@" </dev/null >/dev/full 2>err
	status=$?
	[ "$status" -eq 1 ] || fail "slexplore $* >/dev/full: exit status $status"
	says err "standard output"
}

# ---- waiting, and signals

# until_true COMMAND...: repeats the command until it succeeds, for a minute at least.
until_true() {
	waited=0
	until "$@"; do
		waited=$((waited + 1))
		[ $waited -lt 600 ] || return 1
		sleep 0.1
	done
}

# with_signal NAME: sets $prefix, which starts a program that receives this signal. A shell starts background jobs with SIGINT
# ignored, and nohup ignores SIGHUP. No shell can undo that, but a recent env can.
with_signal() {
	prefix="env --default-signal=$1"
	$prefix true 2>/dev/null && return
	prefix=
	sh -c 'kill -s "$1" $$; exit 3' sh "$1" >/dev/null 2>&1 &
	wait $!
	[ $? -ne 3 ] && return
	echo "left out: SIG$1 is ignored here, and env does not undo it"
	return 1
}

# Waits until the background job $pid has used that many hundredths of a second of processor time, or has ended.
until_used() {
	while read -r stat 2>/dev/null <"/proc/$pid/stat"; do
		# shellcheck disable=SC2086
		set -- "$1" $stat
		[ "$4" != Z ] && [ "${15}" -lt "$1" ] || return 0
		sleep 0.02
	done
}

# ended_by SIGNAL STATUS HUNDREDTHS ARGUMENT...: ends the program by a signal after that much processor time. False where this
# cannot be tried.
ended_by() {
	[ -r /proc/self/stat ] && with_signal "$1" || return 1
	signal=$1 expected=$2 hundredths=$3
	shift 3
	$prefix "$SLEXPLORE" "$@" </dev/null >out 2>err &
	pid=$!
	until_used "$hundredths"
	kill -s "$signal" "$pid"
	wait "$pid"
	status=$?
	[ "$status" -eq "$expected" ] || fail "SIG$signal: exit status $status, not $expected: $(head -c 700 err)"
}

# interrupted SIGNAL STATUS HUNDREDTHS ARGUMENT...: like ended_by, for a program that then says so and writes its results. If it was
# still starting, or has no results yet, it is started again with twice the time.
interrupted() {
	while ended_by "$@"; do
		if { [ -s out ] && grep -q interrupted err; } || [ "$3" -ge 3000 ]; then
			says err "interrupted"
			return 0
		fi
		signal=$1 expected=$2 hundredths=$((2 * $3))
		shift 3
		set -- "$signal" "$expected" "$hundredths" "$@"
	done
	return 1
}
