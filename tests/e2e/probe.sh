#!/bin/sh
# The probe from outside: its words, its formats, what it does with little memory, little time, and a signal. Wants SLEXPLORE, the
# program. What the figures are is not looked at: any machine may run this.
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
	if command -v python3 >/dev/null; then
		python3 -c 'import json, sys
for line in sys.stdin: json.loads(line)' <"$work/out" || fail "invalid JSON: $(head -c 600 "$work/out")"
	fi
}

# Wrong usage, in one line that helps.
expect 2 probe latancy
says err 'did you mean latency?'
expect 2 probe --max-size 4k
says err '64k to 16t'
expect 2 probe --max-size lots
says err '--max-size lots'
expect 2 probe --pages 2m
says err 'both, 4k, huge or auto'
[ ! -s "$work/out" ] || fail "output beside an error"

# Small ones, in each format. Nothing on standard error but notes. They take the time they need: on a busy machine a budget leaves parts out.
small="--max-size 256k"
# shellcheck disable=SC2086
expect 0 probe latency tlb line $small
says out 'cycles'
awk 'length($0) > 80 { exit 1 }' "$work/out" || fail "a line of more than 80 columns: $(head -c 600 "$work/out")"
# shellcheck disable=SC2086
expect 0 probe latency --pages auto --points $small
says out '64k'
# shellcheck disable=SC2086
expect 0 probe latency tlb $small --format json
json_lines
says out '"record":"probe"'
says out '"part":"latency"'
says out '"part":"tlb"'
says out '"max_size":262144'
# shellcheck disable=SC2086
expect 0 probe latency $small --format csv
says out ',part,level,x,setting,'
awk -F, 'NR == 1 { fields = NF } NF != fields && !/"/ { exit 1 } END { exit NR < 10 }' "$work/out" || fail "CSV: $(head -c 600 "$work/out")"

# Of memory that is not to be had it says so, and goes on with what there is.
# shellcheck disable=SC3045      # where there is none, or the program cannot start in so little (sanitisers reserve terabytes), it is left out
if (ulimit -v 400000 && exec "$SLEXPLORE" --version) >/dev/null 2>&1; then
	# shellcheck disable=SC3045
	(ulimit -v 400000 && exec "$SLEXPLORE" probe latency --pages 4k --max-size 1g --time-budget 8) >"$work/out" 2>"$work/err" </dev/null
	status=$?
	[ "$status" -eq 0 ] || fail "with little memory: exit status $status: $(cat "$work/err")"
	says out 'note: '
fi

# probe_on: a long one under way, with $pid, that has used some time of a processor: it has measured something.
probe_on() {
	"$@" "$SLEXPLORE" probe --format json --time-budget 60 </dev/null >"$work/out" 2>"$work/err" &
	pid=$!
	while used=$(cut -d ' ' -f 14 "/proc/$pid/stat" 2>/dev/null) && [ "${used:-0}" -lt 40 ]; do
		:
	done
}

interrupted() {
	kill -s "$1" "$pid"
	wait "$pid"
	status=$?
	[ "$status" -eq "$2" ] || fail "SIG$1: exit status $status, not $2: $(cat "$work/err")"
	says err "interrupted"
	json_lines
	says out '"complete":false'
	says out '"record":"sample"'
}

if [ -r /proc/self/stat ]; then
	probe_on
	interrupted TERM 143
	probe_on
	interrupted HUP 129
	# A shell starts background jobs with SIGINT ignored: undone by env, where it can.
	if env --default-signal=INT true 2>/dev/null; then
		probe_on env --default-signal=INT
		interrupted INT 130
	fi
fi

# What cannot be written is noticed.
if [ -w /dev/full ]; then
	# shellcheck disable=SC2086
	"$SLEXPLORE" probe latency $small >/dev/full 2>"$work/err"
	status=$?
	[ "$status" -eq 1 ] || fail "slexplore probe >/dev/full: exit status $status"
	says err "standard output"
fi

[ "$failures" -eq 0 ] || exit 1
echo "the probe does from outside what it should"
