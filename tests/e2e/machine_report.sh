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
