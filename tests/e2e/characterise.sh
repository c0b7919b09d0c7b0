#!/bin/sh
# The core that measures itself, from outside: words, the file it writes, and a signal. Wants SLEXPLORE, the program. What the figures are is not
# looked at: any machine may run this.
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

expect 2 characterise aluu
says err 'did you mean alu?'
expect 2 characterise alu --install
says err '--output'
expect 1 characterise alu --output /nowhere/core.uarch
says err '/nowhere'

# Of one class the file is short, and the program reads it.
expect 0 characterise alu --output "$work/core.uarch" --quiet
grep -q '^class alu .*\[measured\]' "$work/core.uarch" || fail "no class alu in: $(cat "$work/core.uarch")"
! grep -q ' 0 mixes' "$work/core.uarch" || fail "ports of nothing: $(cat "$work/core.uarch")"
expect 0 explain mul-chain --uarch "$work/core.uarch"
says out 'measured'

# Interrupted before it is through, it does not become this core's model.
if [ -r /proc/self/stat ]; then
	mkdir "$work/own"
	SLEXPLORE_DATA=$work/own "$SLEXPLORE" characterise --install </dev/null >"$work/out" 2>"$work/err" &
	pid=$!
	while used=$(cut -d ' ' -f 14 "/proc/$pid/stat" 2>/dev/null) && [ "${used:-0}" -lt 12 ]; do
		:
	done
	kill -s TERM "$pid"
	wait "$pid"
	status=$?
	[ "$status" -eq 143 ] || fail "SIGTERM: exit status $status, not 143: $(cat "$work/err")"
	[ -z "$(find "$work/own" -name '*.uarch')" ] || fail "a part of a model was installed"
fi

[ "$failures" -eq 0 ] || exit 1
echo "a core measures itself from outside as it should"
