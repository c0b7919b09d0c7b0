#!/bin/sh
# The pages of `slexplore report`: the names of their files. A page is complete, or does not exist.
. "$(dirname "$0")/lib.sh"

for name in page.txt page.pdf none.jsonl; do
	expect 2 report "$name"
	grep -q "$name does not exist.*FILE.html or FILE.md" err || fail "report $name: $(cat err)"
done
expect 2 report page.txt page.html
expect 2 report page.html none.jsonl
echo 'no record' >other
expect 2 report page.html other
[ ! -e page.html ] || fail "a page without records"
[ ! -e slexplore-report.html ] || fail "a page without records"

# Three machines are too few to say that none differs. The fences of commands have lines of their own.
for host in n1 n2 n3; do
	printf '{"v":1,"record":"sample","id":1,"host":"%s","machine":"P","kernel":"combine","knobs":{"acc":2},"cpe":1.0,"ghz":4}\n' $host
	printf '{"v":1,"record":"windows","id":2,"host":"w","machine":"P"}\n'
done >three.jsonl
expect 0 report three.md three.jsonl --quiet
grep -q 'too few' three.md || fail "three machines are enough: $(cat three.md)"
grep -q 'all equal' three.md || fail "equal values are not called so: $(cat three.md)"
[ "$(grep -c '^```$' three.md)" = 2 ] || fail "the fence of the commands: $(grep '```' three.md)"
grep -q '^| n1 | 1 | .*| - |$' three.md || fail "a load average that no record has: $(grep '^| n1' three.md)"
! grep -q 'nan' three.md || fail "a machine without samples: $(grep nan three.md)"

# Every value of a level or a bandwidth has its source and its spread. A page from a file states when it was written, not that this was
# the time of the measurement.
{
	printf '{"v":1,"record":"probe","id":1,"host":"n1","machine":"P"}\n'
	printf '{"v":1,"record":"sample","id":2,"host":"n1","part":"bandwidth","cycles_from":"reference","cpe":0.5,"cpe_lo":0.4,"cpe_hi":1.0,"ghz":4}\n'
	printf '{"v":1,"record":"band","id":3,"host":"n1","level":"memory","op":"read","size":8192,"bytes_per_cycle":16,"lines_per_cycle":0.25,"gbps":64,"sample":2}\n'
	printf '{"v":1,"record":"level","id":4,"host":"n1","name":"L3","kind":"cache","cycles":40,"cycles_lo":36,"cycles_hi":48,"ns":10,"bytes":8192}\n'
} >one.jsonl
expect 0 report one.md one.jsonl --quiet
grep -qF '| 40.00 R (36.00 to 48.00) | 10.00 T (9.000 to 12.00) |' one.md || fail "no spread of a latency: $(grep L3 one.md)"
grep -qF '| 16.00 R (8.000 to 20.00) | 0.250 R (0.125 to 0.312) | 64.00 T (32.00 to 80.00) |' one.md || fail "no spread of a bandwidth: $(grep read one.md)"
grep -qF '64.00 GB/s, T (32.00 to 80.00); 16.00 bytes per cycle' one.md || fail "no spread at the head: $(head -n 20 one.md)"
# A contended bandwidth is marked.
! grep -q '?' one.md || fail "a doubt about a quiet value: $(grep '?' one.md)"
sed 's/"part":"bandwidth"/&,"contended":true/' one.jsonl >doubt.jsonl
expect 0 report doubt.md doubt.jsonl --quiet
grep -qF '| 16.00 R (8.000 to 20.00) ? |' doubt.md || fail "a contended bandwidth has no mark: $(grep read doubt.md)"
grep -q '^?: contended' doubt.md || fail "the mark is not explained: $(grep '?' doubt.md)"
grep -q 'page written at' one.md || fail "the time of the page is that of the measurement"

# A page names the commands that could not measure.
mkdir data
for isa in x86_64 aarch64; do echo 'no recipe' >data/characterise.$isa; done
SLEXPLORE_DATA=$PWD/data "$SLEXPLORE" report some.md --time-budget 1 --quiet >out 2>err || fail "no page: $(tail -n 3 err)"
sed -n '/could not measure/,$p' some.md | grep -q '^slexplore characterise' || fail "a missing section is not named: $(tail -n 20 some.md)"

# A short time is divided among the commands: each gets a time that it accepts.
SLEXPLORE_DATA=$PWD/data expect 0 report short.md --time-budget 0.01
says err 'probe --time-budget 0.003'
! grep -q 'expected seconds' err || fail "a command refuses its share of the time: $(cat err)"

# An interrupted report leaves no file. The messages of the report before must not look like its own: a signal to a shell that has not
# yet become the program is lost.
rm -f err
"$SLEXPLORE" report page.html >out 2>err </dev/null &
process=$!
until_true grep -qs '1 of ' err || fail "no first step: $(head -c 300 err)"
kill -TERM "$process"
wait "$process"
status=$?
[ "$status" = 143 ] || fail "interrupted: exit status $status: $(head -c 300 err)"
[ "$(echo page*)" = 'page*' ] || fail "an interrupted report leaves $(echo page*)"

done_with "reports: names, interruption"
