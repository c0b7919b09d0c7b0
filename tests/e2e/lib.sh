# shellcheck shell=sh
# What the scripts beside this one share, which begin with
#
#	. "$(dirname "$0")/lib.sh"
#
# Wants SLEXPLORE, the program; some want top_srcdir, the sources. The script then stands in an empty directory, $work, which goes when it ends, and ends with `done_with WORDS`.
# Nothing here may take for granted that the machine is quiet, or how fast it is: what has to be waited for is looked at again and again.
set -u

: "${SLEXPLORE:?the path of the program}"
case $SLEXPLORE in /*) ;; *) SLEXPLORE=$PWD/$SLEXPLORE ;; esac
case ${top_srcdir:=/} in /*) ;; *) top_srcdir=$PWD/$top_srcdir ;; esac
place=$(mktemp -d) || exit 1
trap 'rm -rf "$place"' EXIT
# A signal ends the script by way of that, too.
trap 'exit 1' HUP INT TERM
work=$place/work
mkdir "$work" && cd "$work" || exit 1
export LC_ALL=C.UTF-8
# Neither files of one's own nor words of the terminal outside make the program another.
SLEXPLORE_DATA='' XDG_CONFIG_HOME=$place/none
export SLEXPLORE_DATA XDG_CONFIG_HOME
unset NO_COLOR SLEXPLORE_THEME

# Through a file: what fails behind a pipe counts, too.
fail() {
	echo "FAIL: $*" >&2
	echo "$*" >>"$place/failures"
}

# done_with WORDS: ends the script, well if nothing failed.
done_with() {
	[ ! -e "$place/failures" ] || exit 1
	echo "$*"
	exit 0
}

# ---- the program

# run STATUS ARGUMENT...: with the caller's standard input; what it writes is in out and err.
run() {
	expected=$1
	shift
	"$SLEXPLORE" "$@" >out 2>err
	status=$?
	[ "$status" -eq "$expected" ] || fail "slexplore $*: exit status $status, not $expected: $(head -c 700 err)"
	! LC_ALL=C grep -q "$(printf '\033')" out err || fail "slexplore $*: an escape byte"
}

# expect STATUS ARGUMENT...: the same, without a standard input.
expect() {
	run "$@" </dev/null
}

# quiet_enough ARGUMENT...: measures what wants a quiet core. False where it was not: the program then says so, and what came of it is not looked at.
quiet_enough() {
	"$SLEXPLORE" "$@" </dev/null >out 2>err
	status=$?
	if grep -q -e 'core [0-9]* was never quiet in [0-9]* s: ' -e '[0-9]* of [0-9]* loops did not find the core quiet often enough' out err; then
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

# refuse STATUS WORDS ARGUMENT...: refused in one line that has these words; nothing on standard output.
refuse() {
	refused=$1 part=$2
	shift 2
	expect "$refused" "$@"
	says err "$part"
	[ "$(wc -l <err)" -eq 1 ] || fail "slexplore $*: not one line: $(cat err)"
	[ ! -s out ] || fail "slexplore $*: output beside an error"
}

# narrow: no line of out is wider than a terminal usually is.
narrow() {
	awk 'length($0) > 80 { exit 1 }' out || fail "a line of more than 80 columns: $(head -c 700 out)"
}

# ---- what it wrote

# Every line of out is a JSON object of at most 1,000 bytes with the host inside.
json_lines() {
	[ -s out ] || fail "no JSON at all"
	LC_ALL=C awk 'length($0) + 1 > 1000 || !/^[{]"v":1,"record":"[a-z]+",.*"host":".*[}]$/ { exit 1 }' out ||
		fail "a line is too long or no record: $(head -c 700 out)"
	command -v python3 >/dev/null || return 0
	python3 -c 'import json, sys
for line in sys.stdin: json.loads(line)' <out || fail "invalid JSON: $(head -c 700 out)"
}

# The same, and ids count up from 1.
json_numbered() {
	json_lines
	awk '!/^[{]"v":1,"record":"[a-z]+","id":[0-9]+,"host":/ { exit 1 }
		{ sub(/.*"id":/, ""); sub(/,.*/, ""); if ($0 + 0 != NR) exit 1 }' out || fail "records out of order: $(head -c 700 out)"
}

# full WORDS ARGUMENT...: what cannot be written is noticed.
full() {
	[ -w /dev/full ] || return 0
	"$SLEXPLORE" "$@" </dev/null >/dev/full 2>err
	status=$?
	[ "$status" -eq 1 ] || fail "slexplore $* >/dev/full: exit status $status"
	says err "standard output"
}

# ---- waiting, and signals

# until_true COMMAND...: again and again, for a minute at least.
until_true() {
	waited=0
	until "$@"; do
		waited=$((waited + 1))
		[ $waited -lt 600 ] || return 1
		sleep 0.1
	done
}

# with_signal NAME: $prefix starts a program that this signal reaches. A shell starts background jobs with SIGINT ignored, nohup starts all with
# SIGHUP ignored, and no shell undoes that: env can, where it is new enough.
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

# Until $pid, in the background, has used so many hundredths of a second of a processor, or has ended.
until_used() {
	while read -r stat 2>/dev/null <"/proc/$pid/stat"; do
		# shellcheck disable=SC2086
		set -- "$1" $stat
		[ "$4" != Z ] && [ "${15}" -lt "$1" ] || return 0
		sleep 0.02
	done
}

# ended_by SIGNAL STATUS HUNDREDTHS ARGUMENT...: the program, ended by a signal when it has used so much of a processor. Fails where this cannot be
# tried.
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
	says err "interrupted"
}

# interrupted SIGNAL STATUS HUNDREDTHS ARGUMENT...: the same of one that writes what it has: where that is nothing yet, it is once more given twice
# as long.
interrupted() {
	while ended_by "$@"; do
		[ ! -s out ] && [ "$3" -lt 3000 ] || return 0
		signal=$1 expected=$2 hundredths=$((2 * $3))
		shift 3
		set -- "$signal" "$expected" "$hundredths" "$@"
	done
	return 1
}
