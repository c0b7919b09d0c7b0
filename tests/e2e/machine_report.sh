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

# A page names the commands that could not measure.
mkdir data
for isa in x86_64 aarch64; do echo 'no recipe' >data/characterise.$isa; done
SLEXPLORE_DATA=$PWD/data "$SLEXPLORE" report some.md --time-budget 1 --quiet >out 2>err || fail "no page: $(tail -n 3 err)"
sed -n '/could not measure/,$p' some.md | grep -q '^slexplore characterise' || fail "a missing section is not named: $(tail -n 20 some.md)"

# An interrupted report leaves no file.
"$SLEXPLORE" report page.html >out 2>err </dev/null &
process=$!
tries=0
while ! grep -q '1 of ' err && [ "$tries" -lt 600 ]; do
	tries=$((tries + 1))
	sleep 0.05
done
kill -TERM "$process"
wait "$process"
status=$?
[ "$status" = 143 ] || fail "interrupted: exit status $status: $(head -c 300 err)"
[ "$(echo page*)" = 'page*' ] || fail "an interrupted report leaves $(echo page*)"

done_with "reports: names, interruption"
