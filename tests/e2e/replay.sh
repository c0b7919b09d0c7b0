#!/bin/sh
# Recording on this machine and replaying it: the same figures, and every kind of file that is no recording.
# Wants SLEXPLORE, the program; top_srcdir, the sources.
set -u

program=${SLEXPLORE:?the program to test}
data=${top_srcdir:?the sources}/tests/data
directory=$(mktemp -d) || exit 1
trap 'rm -rf "$directory"' EXIT
export LC_ALL=C.UTF-8
cd "$directory" || exit 1

fail() { echo "FAILED: $*"; tail -n 30 out err; exit 1; }

# run STATUS ARGUMENTS...: runs the program.
run() {
	expected=$1
	shift
	timeout 60 "$program" "$@" >out 2>err </dev/null
	status=$?
	[ $status = "$expected" ] || fail "$*: exit status $status, not $expected"
	! grep -q "$(printf '\033')" out err || fail "$*: escape bytes"
}
says() { grep -q -F -e "$1" err || fail "no word of: $1"; }
shows() { grep -q -F -e "$1" out || fail "not on the screen: $1"; }
# field NAME LINE: a number of a JSON record.
field() { printf '%s\n' "$2" | sed -n "s/.*\"$1\":\([0-9.]*\).*/\1/p"; }

# A short recording of one kernel, and its figures on the screen.
run 0 record one.jsonl mul-chain acc=1,2,4 --time-budget 0.5
says '3 settings'
says 'slexplore replay one.jsonl'
! awk 'length($0) + 1 > 1000 { found = 1 } END { exit !found }' one.jsonl || fail "a line of over 1,000 bytes"
[ "$(tail -c 1 one.jsonl | od -An -c | tr -d ' ')" = '\n' ] || fail "the last line has no end"
[ "$(grep -c '"record":"sample"' one.jsonl)" = 3 ] || fail "not a sample each"
[ "$(head -n 1 one.jsonl | grep -c '"record":"recording".*"format":1')" = 1 ] || fail "no header"
cat >walk.script <<'END'
knob acc
resize 120x40
dump
knob +1
dump
knob +1
dump
END
run 0 replay one.jsonl --script walk.script
shows ' REPLAY one.jsonl '
[ "$(grep -c '^=== ' out)" = 3 ] || fail "not three screens"
grep '"record":"sample"' one.jsonl | while read -r line; do
	field cpe_lo "$line"
done >quartiles
sed -n 's/.*quartiles \([0-9.]*\) .*/\1/p' out >shown
while read -r low; do
	# As near as the screen writes figures: the record's six digits may lie between two of its own.
	awk -v low="$low" '{ d = $1 - low; if (d < 0) d = -d; found += d < (low < 10 ? 0.00051 : 0.0051) } END { exit !found }' shown ||
		fail "no quartile $low on any screen"
done <quartiles
[ -s quartiles ] || fail "no figures"

# A recording of a processor that counts is the same screens on this machine as on any. UPDATE=1 writes them.
run 0 replay "$data/neoverse-n1.jsonl" --script "$data/neoverse-n1.script"
[ ! -s err ] || fail "something was left out"
if [ -n "${UPDATE:-}" ]; then
	cp out "$data/neoverse-n1.txt"
elif ! cmp -s out "$data/neoverse-n1.txt"; then
	diff "$data/neoverse-n1.txt" out | head -n 20
	fail "other screens than $data/neoverse-n1.txt; UPDATE=1 writes these"
fi

# From the command line: at the nearest setting; what is not there.
printf 'dump\n' >dump.script
run 0 replay one.jsonl mul-chain acc=3 --script dump.script
says 'acc=3 was not recorded'
run 2 replay one.jsonl combine --script dump.script
says 'one.jsonl has no setting of combine'
run 2 replay one.jsonl ./mine.c --script dump.script
says './mine.c: own loops are in no recording; slexplore ./mine.c measures it'
run 2 replay one.jsonl mul-chain axx=3 --script dump.script
says 'no knob "axx"'
printf 'again\n' >again.script
run 2 replay one.jsonl --script again.script
says 'nothing is measured in a replay: the figures are those of one.jsonl'

# Going on, with another kernel; what is recorded is left alone.
run 0 record one.jsonl k-loads k=1 --time-budget 0.1
says 'holds 3 settings already'
says '1 setting,'
run 0 record one.jsonl mul-chain acc=1,2,4 --time-budget 0.1
says '0 settings, '
says ' more; 4 in all: slexplore replay one.jsonl'
printf 'kernel k-loads\ndump\n' >other.script
run 0 replay one.jsonl --script other.script
shows '▸ k-loads'
run 2 record one.jsonl k-loads k=1 --seed 5
says '--seed 1'

# Cut off in the middle of a line, damaged, of the future, none at all.
size=$(wc -c <one.jsonl)
head -c $((size - 40)) one.jsonl >cut.jsonl
run 0 replay cut.jsonl --script dump.script
sed '20s/.*/{"v":1,"record":"trials","id":1,"trials":[[NaN]]}/' one.jsonl >damaged.jsonl
run 0 replay damaged.jsonl --script dump.script
says 'damaged.jsonl:20: '
grep -q -F 'damaged line is left out' out || fail "the screen does not say so"
sed '1s/"format":1/"format":2/' one.jsonl >future.jsonl
run 2 replay future.jsonl --script dump.script
says 'format 2: this one reads formats up to 1'
run 2 replay no-such-file --script dump.script
says 'no-such-file: No such file or directory'
: >empty.jsonl
run 2 replay empty.jsonl --script dump.script
says 'empty.jsonl is empty'
run 2 replay "$program" --script dump.script
says 'not a recording of slexplore'
run 2 replay /dev/zero --script dump.script
says 'not a recording of slexplore'
run 1 replay . --script dump.script
says 'Is a directory'
run 2 replay --script dump.script
says 'replay wants a recording'
run 2 replay one.jsonl
says 'terminal'

# What cannot be recorded, or not there.
run 2 record
says 'record wants the name of the file'
run 2 record mul-chain
says 'record wants a file first'
run 2 record x.jsonl ./mine.c
says 'own loops are not recorded'
run 2 record x.jsonl mul-chain acc=99
says 'acc=99'
[ ! -e x.jsonl ] || fail "a file was made although the words were wrong"
echo 'a letter' >letter
run 2 record letter k-loads
says 'a recording is not written over it'
[ "$(cat letter)" = 'a letter' ] || fail "another file was changed"
run 1 record /dev/full k-loads k=1 --time-budget 0.1
says 'No space left on device'
(
	ulimit -f 4
	run 1 record limited.jsonl k-loads k=1 --time-budget 0.1
	says 'File too large'
) || exit 1
run 1 record no-such-directory/x.jsonl k-loads
says 'No such file or directory'

# The explorer records, too: by its option, and by a command.
printf 'set acc=2\nlive\nrecord\ndump\nrecord to two.jsonl\nlive\nset acc=1\nlive\nquit\n' >record.script
run 0 mul-chain --record explorer.jsonl --script record.script
shows 'recorded: '
shows 'slexplore replay explorer.jsonl'
says 'slexplore replay two.jsonl'
run 0 replay explorer.jsonl mul-chain acc=2 --script dump.script
shows ' REPLAY explorer.jsonl '
run 0 replay two.jsonl mul-chain acc=1 --script dump.script

# Ended by a signal: what was measured is there.
timeout 60 "$program" record ended.jsonl --time-budget 30 >out 2>err &
recorder=$!
for _ in $(seq 200); do
	[ "$(grep -c '"record":"sample"' ended.jsonl 2>/dev/null || echo 0)" -ge 3 ] 2>/dev/null && break
	sleep 0.05
done
# The program itself: timeout passes it on.
kill -TERM $recorder
wait $recorder
[ "$(tail -c 1 ended.jsonl | od -An -c | tr -d ' ')" = '\n' ] || fail "ended in the middle of a line"
run 0 replay ended.jsonl --script dump.script
exit 0
