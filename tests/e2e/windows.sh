#!/bin/sh
# The windows from outside: words, formats, and a signal. Wants SLEXPLORE, the program. What the figures are is not looked at: any machine may run
# this.
set -u

: "${SLEXPLORE:?the path of the program}"
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
failures=0

fail() {
	echo "FAIL: $*" >&2
	failures=$((failures + 1))
}

# expect STATUS ARGUMENT...: output in $work/out and $work/err.
expect() {
	expected=$1
	shift
	"$SLEXPLORE" "$@" </dev/null >"$work/out" 2>"$work/err"
	status=$?
	[ "$status" -eq "$expected" ] || fail "slexplore $*: exit status $status, not $expected: $(cat "$work/err")"
}

says() {
	grep -qF -- "$2" "$work/$1" || fail "no \"$2\" in: $(head -c 600 "$work/$1")"
}

# Every line of $work/out is a JSON object of at most 1,000 bytes with the host inside, and ids count up from 1.
json_lines() {
	[ -s "$work/out" ] || fail "no JSON at all"
	LC_ALL=C awk 'length($0) + 1 > 1000 || !/^[{]"v":1,"record":"[a-z]+","id":[0-9]+,"host":".*[}]$/ { exit 1 }
		{ sub(/.*"id":/, ""); sub(/,.*/, ""); if ($0 + 0 != NR) exit 1 }' "$work/out" ||
		fail "a line is too long, or no record, or out of order: $(head -c 600 "$work/out")"
}

# Wrong usage, in one line that helps.
expect 2 windows noop
says err 'did you mean nop?'
expect 2 windows nop fillers=7
says err 'slexplore run window'
expect 2 windows nop remedy=sugar
says err 'prefetch'
expect 2 windows nop sizes=4m
says err 'size'
expect 2 windows --max-size 4m
says err '--max-size'
[ ! -s "$work/out" ] || fail "output beside an error"

# Small ones, in each format.
expect 0 windows nop filler=store size=4m
says out 'reorder buffer'
says out 'elsewhere: '
awk 'length($0) > 80 { exit 1 }' "$work/out" || fail "a line of more than 80 columns: $(head -c 600 "$work/out")"
expect 0 windows load size=4m --curve
says out 'quartiles'
expect 0 windows nop load size=4m --format json
json_lines
says out '"record":"windows"'
says out '"filler":"load"'
expect 0 windows nop size=4m --curve --format csv
says out ',filler,buffer,fillers,cycles,'
expect 0 windows nop remedy=prefetch size=4m --time-budget 0.01
says out 'Not complete'

# Under way for a while, and then a signal: it has more than it can do in that time.
windows_on() {
	"$SLEXPLORE" windows --format json size=8m </dev/null >"$work/out" 2>"$work/err" &
	pid=$!
	while used=$(cut -d ' ' -f 14 "/proc/$pid/stat" 2>/dev/null) && [ "${used:-0}" -lt 12 ]; do
		:
	done
}

if [ -r /proc/self/stat ]; then
	windows_on
	kill -s TERM "$pid"
	wait "$pid"
	status=$?
	[ "$status" -eq 143 ] || fail "SIGTERM: exit status $status, not 143: $(cat "$work/err")"
	says err "interrupted"
	[ ! -s "$work/out" ] || json_lines
fi

# What cannot be written is noticed.
if [ -w /dev/full ]; then
	"$SLEXPLORE" windows nop size=4m >/dev/full 2>"$work/err"
	status=$?
	[ "$status" -eq 1 ] || fail "slexplore windows >/dev/full: exit status $status"
	says err "standard output"
fi

[ "$failures" -eq 0 ] || exit 1
echo "the windows do from outside what they should"
