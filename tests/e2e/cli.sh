#!/bin/sh
# The command line from outside: exit statuses, messages, formats, interruption. Wants SLEXPLORE, the program.
set -u

: "${SLEXPLORE:?the path of the program}"
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
failures=0

fail() {
	echo "FAIL: $*" >&2
	failures=$((failures + 1))
}

# expect STATUS ARGUMENT...: runs without a terminal; output in $work/out and $work/err.
expect() {
	expected=$1
	shift
	"$SLEXPLORE" "$@" </dev/null >"$work/out" 2>"$work/err"
	status=$?
	[ "$status" -eq "$expected" ] || fail "slexplore $*: exit status $status, not $expected: $(cat "$work/err")"
	if LC_ALL=C grep -q "$(printf '\033')" "$work/out" "$work/err"; then
		fail "slexplore $*: an escape byte"
	fi
}

says() {
	grep -qF -- "$2" "$work/$1" || fail "no \"$2\" in: $(cat "$work/$1")"
}

# refuse PART ARGUMENT...: wrong usage, told in one line that has this part; nothing on standard output.
refuse() {
	part=$1
	shift
	expect 2 "$@"
	says err "$part"
	[ "$(wc -l <"$work/err")" -eq 1 ] || fail "slexplore $*: not one line: $(cat "$work/err")"
	[ ! -s "$work/out" ] || fail "slexplore $*: output beside an error"
}

# Every line of $work/out is a JSON object of at most 1,000 bytes with the host inside.
json_lines() {
	[ -s "$work/out" ] || fail "no JSON at all"
	LC_ALL=C awk 'length($0) + 1 > 1000 || !/^[{]"v":1,"record":"[a-z]+",.*"host":".*[}]$/ { exit 1 }' "$work/out" ||
		fail "a line is too long or no record: $(cat "$work/out")"
	if command -v python3 >/dev/null; then
		python3 -c 'import json, sys
for line in sys.stdin: json.loads(line)' <"$work/out" || fail "invalid JSON: $(cat "$work/out")"
	fi
}

# Without a terminal the explorer says so, and what to use.
refuse "list, run, sweep, explain, probe, windows, characterise, record, events, doctor" explore
refuse "terminal" 
refuse "terminal" explore mountain stride=2
refuse "terminal" mountain stride=2
TERM=xterm refuse "terminal" --ascii

# Wrong usage.
refuse 'did you mean run?' rnu
refuse 'combine' run
refuse 'did you mean combine?' run combin
refuse 'did you mean unroll?' run combine unrol=2
refuse 'acc=9 needs' run combine acc=9 unroll=4
refuse 'free memory' run combine size=4096t
refuse 'size=99999999999999999999' run combine size=99999999999999999999
refuse 'unroll=17' sweep combine unroll=1..17
refuse 'no combination is left' sweep combine acc=3 unroll=1,2
refuse '--cpu' run combine --cpu 99999
refuse 'did you mean --format?' list --formt json
refuse 'nonesuch' explore --uarch nonesuch --script /dev/null
refuse '--format is an option of' explore --format json
refuse 'unroll=1..16' sweep combine 'unroll=*'
refuse 'list shows all' run zzzzzzzz
for command in explore run sweep; do
	refuse "--event 'nonsense': " $command combine --event nonsense
	refuse "PERF_COUNT_SW_PAGE_FAULTS" $command combine --event perf::PERF_COUNT_SW_PAGE_FALTS
done
refuse '--event is an option of' explain combine --event perf::PERF_COUNT_SW_PAGE_FAULTS
expect 0 help
expect 0 help run
says out 'slexplore run KERNEL'
expect 0 --help
expect 0 run --help
expect 0 --version

# Lists.
expect 0 list
for kernel in combine list-length mountain; do says out "$kernel"; done
expect 0 list --format json
json_lines
expect 0 list --format csv

# One sample.
expect 0 run combine op=mul type=i64 --format json
json_lines
for key in '"record":"sample"' '"kernel":"combine"' '"op":"mul"' '"cpe":' '"cpe_lo":' '"cpe_hi":' '"trials":' \
	'"dropped":' '"cycles_from":"' '"ghz":' '"ns":' '"gbps":' '"seed":1'; do
	says out "$key"
done
[ "$(grep -vc '"record":"counters"' "$work/out")" -eq 1 ] || fail "not one record of a sample"
expect 0 run list-length --quiet
[ ! -s "$work/err" ] || fail "--quiet is not: $(cat "$work/err")"
says out "cycles per list node"
expect 0 run mountain --format csv
[ "$(awk -F'"' '{ gsub(/,/, ",", $1); print }' "$work/out" | wc -l)" -eq 2 ] || fail "not a header and a line"

# What the kernel counts itself is counted everywhere; what this machine does not count is told, and has no figure.
expect 0 run combine --event perf::PERF_COUNT_SW_PAGE_FAULTS --format json
json_lines
if ! grep -q '"why":' "$work/out"; then
	says out '["perf::PERF_COUNT_SW_PAGE_FAULTS","extra",0.0,0.0,0.0,"known"]'
	expect 0 run combine --event perf::PERF_COUNT_SW_PAGE_FAULTS
	grep -q '^  perf::PERF_COUNT_SW_PAGE_FAULTS  *0\.000 C$' "$work/out" || fail "no page faults in: $(cat "$work/out")"
	expect 0 sweep combine acc=1,2 unroll=2 --event perf::PERF_COUNT_SW_PAGE_FAULTS --format csv
	[ "$(sed -n '1p' "$work/out" | grep -c ',c_perf::PERF_COUNT_SW_PAGE_FAULTS$')" -eq 1 ] || fail "no column of page faults"
	[ "$(sed 1d "$work/out" | grep -c ',0$')" -eq 2 ] || fail "no page faults in: $(cat "$work/out")"
fi
expect 0 run combine --event perf_raw::r0000
grep -qE 'perf_raw::r0000 is unavailable: .|nothing could be counted: .' "$work/err" || fail "nobody says why: $(cat "$work/err")"
! grep -q '^  perf_raw::r0000 .* C' "$work/out" || fail "a figure of nothing in: $(cat "$work/out")"

# A sweep that has a name: found by it, its words replaced, beside its baseline and what was published.
expect 0 list
says out 'matmul-n: Matrix multiply'
expect 0 list matmul-block --format json
json_lines
says out '"x":"block","lines":["n"],"y":"seconds"'
refuse 'did you mean' sweep matmul-m
refuse 'matmul-speedup' sweep
refuse 'n=7: a whole number from 8 to 2000' sweep matmul-n n=7
refuse 'n is given twice' sweep matmul-n n=8 n=9
refuse 'matmul has no knob "size"' sweep matmul-n size=32k
expect 0 sweep matmul-n n=16,24 form=reordered,naive --time-budget 0.1
says out 'matmul-n: Matrix multiply: seconds of a whole product over n'
says out 'speedup'
says out 'published n=1000 form=naive: seconds 145.0 (Itanium, 800 MHz)'
# What it is relative to comes first, however it was typed.
sed -n 4p "$work/out" | grep -q '^ *naive *16 .* 1\.000\( [cm]*\)*$' || fail "no baseline first: $(cat "$work/out")"
expect 0 sweep matmul-n n=16,24 form=reordered,naive --time-budget 0.1 --format json
json_lines
[ "$(grep -c '"sweep":"matmul-n".*"speedup":[0-9]' "$work/out")" -eq 4 ] || fail "no speedups: $(cat "$work/out")"
expect 0 sweep matmul-n n=16 form=reordered --time-budget 0.1 --format csv
says err 'no speedups: form=naive'
[ "$(sed -n '1s/.*predicted,.*,sweep,seconds,speedup.*/yes/p' "$work/out")" = yes ] || fail "no columns: $(head -1 "$work/out")"
expect 0 sweep matmul-block n=100 block=16,32 --time-budget 0.1 --quiet
says out 'advised; best of 2 measured'
# A file of one's own replaces them; a mistake in it is told with its line.
mkdir "$work/data"
printf 'sweep mine\ntitle Mine\nkernel mountain size=4k,8k\nx size\n' >"$work/data/sweeps"
SLEXPLORE_DATA=$work/data expect 0 sweep mine --time-budget 0.1 --quiet
SLEXPLORE_DATA=$work/data refuse 'matmul-n' sweep matmul-n
printf 'sweep mine\ntitle Mine\nkernel hill size=4k\n' >"$work/data/sweeps"
SLEXPLORE_DATA=$work/data expect 1 sweep mine
says err 'sweeps:3: no kernel "hill"'

# A whole product a trial, checked.
expect 0 run matmul n=60 whole=1 --quiet
expect 0 explain matmul form=blocked type=f32
says out 'block='

# A sweep: in the order typed, what is excluded counted on standard error.
expect 0 sweep combine unroll=2,1 acc=1..2 --format csv
[ "$(wc -l <"$work/out")" -eq 4 ] || fail "not three cells: $(cat "$work/out")"
says err "1 of 4 combinations skipped"
sed 1d "$work/out" | grep -o 'combine,[a-z]*,[a-z0-9]*,[0-9]*,[0-9]*' | cut -d, -f4- | tr '\n' ' ' >"$work/order"
[ "$(cat "$work/order")" = "2,1 2,2 1,1 " ] || fail "order of cells: $(cat "$work/order")"
expect 0 sweep combine unroll=1,2 --format json
json_lines
expect 0 sweep combine unroll=1,2
says out "unroll"

# Findings are no failures.
expect 0 doctor
for check in clock counters huge-pages frequency smt virtual cores steal; do says out "$check"; done
expect 0 doctor --format json
json_lines
expect 0 doctor --format csv

# What the counters can count: with no counters too, and of cores of this instruction set alone.
case $(uname -m) in
x86_64) core=zen3 event=amd64_fam19h_zen3::RETIRED_OPS wrong=neoverse-v1 ;;
*) core=neoverse-v1 event=arm_v1::OP_RETIRED wrong=zen3 ;;
esac
expect 0 events
says out "counters  "
says out "lacking   "
expect 0 events --format json
json_lines
says out '"record":"events"'
expect 0 events --uarch $core
says out "micro-ops retired              $event"
says out "lacking   micro-ops executed"
expect 0 events --uarch $core --format csv
says out "$core,uops-retired,$event,"
refuse "$wrong is a core for" events --uarch $wrong
refuse "not of events" events --ascii
expect 0 events cpu cycles
says out "perf::PERF_COUNT_HW_CPU_CYCLES"
expect 0 events cpu cycles --format json
json_lines
expect 1 events xyzzy plugh
says err 'has no event for this machine with "xyzzy plugh"'

# What cannot be written is noticed.
if [ -w /dev/full ]; then
	for command in list "run combine" doctor "sweep combine unroll=1,2" --help; do
		# shellcheck disable=SC2086
		"$SLEXPLORE" $command >/dev/full 2>"$work/err"
		status=$?
		[ "$status" -eq 1 ] || fail "slexplore $command >/dev/full: exit status $status"
		says err "standard output"
	done
fi

# long_sweep [BUDGET [PREFIX...]]: 272 cells that go to a pipe, whose first line has been read when this returns, with
# $pid under way. The output is larger than a pipe, so that the program cannot end before the rest is read.
long_sweep() {
	budget=${1:-0.6}
	[ $# -eq 0 ] || shift
	rm -f "$work/pipe"
	mkfifo "$work/pipe"
	"$@" "$SLEXPLORE" sweep combine 'op=*' unroll=1..16 acc=1..16 --format json --time-budget "$budget" \
		>"$work/pipe" 2>"$work/err" &
	pid=$!
	exec 3<"$work/pipe"
	read -r _ <&3
}

# Interrupted, it writes what it has.
interrupted() {
	kill -s "$1" "$pid"
	cat <&3 >"$work/out"
	exec 3<&-
	wait "$pid"
	status=$?
	[ "$status" -eq "$2" ] || fail "SIG$1: exit status $status, not $2"
	says err "interrupted"
	json_lines
	[ "$(wc -l <"$work/out")" -lt 272 ] || fail "SIG$1: more cells than there are"
}
long_sweep
interrupted TERM 143
# A shell starts background jobs with SIGINT ignored: undone by env, where it can.
if env --default-signal=INT true 2>/dev/null; then
	long_sweep 2 env --default-signal=INT
	interrupted INT 130
fi

# A reader that leaves ends it.
long_sweep
exec 3<&-
wait "$pid"
status=$?
[ "$status" -eq 1 ] || fail "broken pipe: exit status $status"
# Cells that something else disturbed may be told of before.
! grep -qv -e "combinations skipped" -e "no undisturbed trial" "$work/err" || fail "broken pipe: $(cat "$work/err")"

[ "$failures" -eq 0 ] || exit 1
