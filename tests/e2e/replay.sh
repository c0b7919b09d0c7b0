#!/bin/sh
# Recording and replay on this machine: the same values; and every kind of file that is no recording.
# Requires top_srcdir, the source directory.
. "$(dirname "$0")/lib.sh"

data=$top_srcdir/tests/data

# field NAME LINE: a number of a JSON record.
field() { printf '%s\n' "$2" | sed -n "s/.*\"$1\":\([0-9.]*\).*/\1/p"; }

# A short recording of one kernel, and its values on the screen.
expect 0 record one.jsonl mul-chain acc=1,2,4 --time-budget 0.5
says err '3 settings'
says err 'slexplore replay one.jsonl'
! awk 'length($0) + 1 > 1000 { found = 1 } END { exit !found }' one.jsonl || fail "a line of over 1,000 bytes"
[ "$(tail -c 1 one.jsonl | od -An -c | tr -d ' ')" = '\n' ] || fail "the last line has no end"
# A setting that was measured several times has several samples. Only the last one has quartiles.
[ "$(grep -c '"record":"sample".*"cpe_lo"' one.jsonl)" = 3 ] || fail "not a sample each"
[ "$(grep -c '"record":"explain"' one.jsonl)" = 3 ] || fail "not an explanation each"
[ "$(head -n 1 one.jsonl | grep -c '"record":"recording".*"format":2')" = 1 ] || fail "no header"
cat >walk.script <<'END'
knob acc
resize 120x40
dump
knob +1
dump
knob +1
dump
END
expect 0 replay one.jsonl --script walk.script
says out ' REPLAY one.jsonl '
[ "$(grep -c '^=== ' out)" = 3 ] || fail "not three screens"
grep '"record":"sample".*"cpe_lo"' one.jsonl | while read -r line; do
	field cpe_lo "$line"
done >quartiles
# After slow trials the value is a mean above both quartiles: then the screen shows the lower one only.
sed -n 's/.*quartiles \([0-9.]*\) .*/\1/p; s/.*a quarter of the trials: under \([0-9.]*\).*/\1/p
	s/.*a quarter is under \([0-9.]*\).*/\1/p' out >shown
while read -r low; do
	# The screen shows fewer digits than the record.
	awk -v low="$low" '{ d = $1 - low; if (d < 0) d = -d; found += d < (low < 10 ? 0.00051 : 0.0051) } END { exit !found }' shown ||
		grep -q 'no quartiles from [0-9]* trial' out || fail "no quartile $low on any screen"
done <quartiles
[ -s quartiles ] || fail "no figures"

# The recording of a processor with counters gives the same screens on every machine. UPDATE=1 writes them.
expect 0 replay "$data/neoverse-n1.jsonl" --script "$data/neoverse-n1.script"
[ ! -s err ] || fail "something was left out"
if [ -n "${UPDATE:-}" ]; then
	cp out "$data/neoverse-n1.txt"
elif ! cmp -s out "$data/neoverse-n1.txt"; then
	diff "$data/neoverse-n1.txt" out | head -n 20
	fail "other screens than $data/neoverse-n1.txt; UPDATE=1 writes these"
fi

# A recording whose end is missing, with few trials of its setting: nothing can be waited for.
head -c 6025 "$data/probed.jsonl" >bare.jsonl
printf 'live\n' >live.script
timeout 15 "$SLEXPLORE" replay bare.jsonl --script live.script >out 2>err
[ $? = 124 ] && fail "a script waits for a recording"

# From the command line: the nearest setting; settings that were not recorded.
printf 'dump\n' >dump.script
expect 0 replay one.jsonl mul-chain acc=3 --script dump.script
says err 'acc=3 was not recorded'
expect 2 replay one.jsonl combine --script dump.script
says err 'one.jsonl has no setting of combine'
expect 2 replay one.jsonl ./mine.c --script dump.script
says err './mine.c: recordings have no own loops; slexplore ./mine.c measures this loop'
# A second recording is A.
cp one.jsonl two.jsonl
printf 'resize 120x40\ndump\n' >wide.script
expect 0 replay one.jsonl two.jsonl mul-chain acc=2 --script wide.script
cp out both
expect 0 replay one.jsonl vs two.jsonl mul-chain acc=2 --script wide.script
cmp -s out both || fail "vs before the other recording changes the screen"
says out 'two.jsonl'
says out 'B/A  1.000'
expect 2 replay one.jsonl none.jsonl --script dump.script
says err 'none.jsonl: No such file'
expect 2 replay one.jsonl mul-chain axx=3 --script dump.script
says err 'no knob "axx"'
printf 'again\n' >again.script
expect 2 replay one.jsonl --script again.script
says err 'a replay measures nothing: its samples are those of one.jsonl'

# A tour without time for all settings ends with a message.
expect 0 record tour.jsonl --time-budget 0.01
says err 'the time was too short to measure '
says err ': run the same command again to record the other settings'

# Append another kernel; existing samples are kept.
expect 0 record one.jsonl k-loads k=1 --time-budget 0.1
says err '3 settings'
says err '1 setting,'
expect 0 record one.jsonl mul-chain acc=1,2,4 --time-budget 0.1
says err 'no new setting; 4 in all: slexplore replay one.jsonl'
printf 'kernel k-loads\ndump\n' >other.script
expect 0 replay one.jsonl --script other.script
says out '▸ k-loads'
expect 2 record one.jsonl k-loads k=1 --seed 5
says err '--seed 1'

# A file that is cut off in a line, damaged, of a future format, or no recording.
size=$(wc -c <one.jsonl)
head -c $((size - 40)) one.jsonl >cut.jsonl
expect 0 replay cut.jsonl --script dump.script
line=$(grep -n '"record":"trials"' one.jsonl | sed 's/:.*//;q')
sed "$line"'s/.*/{"v":1,"record":"trials","id":1,"trials":[[NaN]]}/' one.jsonl >damaged.jsonl
expect 0 replay damaged.jsonl --script dump.script
says err "damaged.jsonl:$line: "
grep -q -F 'damaged line is left out' out || fail "the screen does not say so"
sed '1s/"format":2/"format":3/' one.jsonl >future.jsonl
expect 2 replay future.jsonl --script dump.script
says err 'format 3: this slexplore reads formats up to 2'
expect 2 replay no-such-file --script dump.script
says err 'no-such-file: No such file or directory'
: >empty.jsonl
expect 2 replay empty.jsonl --script dump.script
says err 'empty.jsonl is empty'
expect 2 replay "$SLEXPLORE" --script dump.script
says err 'not a recording of slexplore'
expect 2 replay /dev/zero --script dump.script
says err '/dev/zero: a device, not a file'
mkfifo pipe.jsonl
expect 2 replay pipe.jsonl --script dump.script
says err 'pipe.jsonl: no program opened this pipe'
cat "$top_srcdir/tests/data/canned.jsonl" >pipe.jsonl &
expect 0 replay pipe.jsonl --script dump.script
expect 2 replay . --script dump.script
says err 'Is a directory'
expect 2 replay --script dump.script
says err 'slexplore replay FILE'
expect 2 replay one.jsonl
says err 'terminal'

# Errors of recording.
expect 2 record
says err 'slexplore record FILE'
expect 2 record mul-chain
says err 'slexplore record FILE '
expect 2 record x.jsonl ./mine.c
says err 'own loops cannot be recorded'
expect 2 record x.jsonl mul-chain acc=99
says err 'acc=99'
[ ! -e x.jsonl ] || fail "a file was made although the words were wrong"
echo 'a letter' >letter
expect 2 record letter k-loads
says err 'does not overwrite this file with a recording'
[ "$(cat letter)" = 'a letter' ] || fail "another file was changed"
expect 1 record /dev/full k-loads k=1 --time-budget 0.1
says err 'No space left on device'
(
	ulimit -f 1
	expect 1 record limited.jsonl k-loads k=1 --time-budget 0.1
	says err 'File too large'
	[ -z "$(tail -c 1 limited.jsonl)" ] || fail "a recording ends with a part of a line"
)
expect 1 record no-such-directory/x.jsonl k-loads
says err 'No such file or directory'

# The explorer records by an option and by a command.
printf 'set acc=2\nlive\nrecord\ndump\nrecord to two.jsonl\nlive\nset acc=1\nlive\nquit\n' >record.script
expect 0 mul-chain --record explorer.jsonl --script record.script
says out 'recorded: '
says out 'slexplore replay explorer.jsonl'
says err 'slexplore replay two.jsonl'
expect 0 replay explorer.jsonl mul-chain acc=2 --script dump.script
says out ' REPLAY explorer.jsonl '
expect 0 replay two.jsonl mul-chain acc=1 --script dump.script

# After a signal, all measured samples are in the file, also those of a core that is always busy.
# In a compressed file too; gzip says of a killed recording that its end is missing.
lines_of() { case $1 in *.gz) gzip -dc "$1" 2>gzip.err ;; *) cat "$1" ;; esac; }
sampled() { [ "$(lines_of "$recorded" 2>/dev/null | grep -c '"record":"sample"')" -ge "$1" ] 2>/dev/null; }
for signal in TERM:143:ended.jsonl KILL:137:ended.jsonl TERM:143:ended.jsonl.gz KILL:137:ended.jsonl.gz; do
	recorded=${signal##*:} signal=${signal%:*}
	with_signal "${signal%:*}" || continue
	rm -f "$recorded"
	$prefix "$SLEXPLORE" record "$recorded" --time-budget 3600 </dev/null >out 2>err &
	recorder=$!
	until_true sampled 3
	kill -s "${signal%:*}" $recorder
	wait $recorder
	status=$?
	[ $status = "${signal#*:}" ] || fail "SIG${signal%:*}: exit status $status"
	sampled 3 || fail "nothing was recorded: $(cat err)"
	[ "$(lines_of "$recorded" | tail -c 1 | od -An -c | tr -d ' ')" = '\n' ] || fail "ended in the middle of a line"
	expect 0 replay "$recorded" --script dump.script
done
settings=$(lines_of ended.jsonl.gz | grep -c '"record":"sample"')
expect 0 record ended.jsonl.gz sharing --time-budget 0.1
[ "$(lines_of ended.jsonl.gz | grep -c '"record":"sample"')" -gt "$settings" ] || fail "a killed recording does not go on: $(cat err)"
[ ! -s gzip.err ] || fail "gzip cannot read the recording: $(cat gzip.err)"

# All that reads recordings reads compressed ones.
gzip -k two.jsonl
expect 0 replay two.jsonl.gz explorer.jsonl mul-chain acc=1 --script dump.script
expect 0 replay explorer.jsonl two.jsonl.gz mul-chain acc=2 --script dump.script
expect 0 compare two.jsonl.gz explorer.jsonl
expect 0 report compressed.html two.jsonl.gz

done_with "recordings are replayed as they were measured"
