#!/bin/sh
# slexplore probe from outside: arguments, formats, little memory, little time, and a signal. The test checks no measured value, so
# any machine can run it.
. "$(dirname "$0")/lib.sh"

# Wrong usage, in one line that helps.
expect 2 probe latancy
says err 'did you mean latency?'
expect 2 probe --max-size 4k
says err '64k to 16t'
expect 2 probe --max-size lots
says err '--max-size lots'
expect 2 probe --pages 2m
says err 'both, 4k, huge or auto'
expect 2 probe --per die
says err 'numa, socket, core or l2'
expect 2 probe cores --per core
expect 2 probe --per core --cpu 0
expect 2 probe latency --per l2
expect 2 probe --per l2 --max-size 1m
[ ! -s out ] || fail "output beside an error"

# Small probes in each format, with only notes on standard error. They have no time budget, because on a busy machine it would leave parts out.
small="--max-size 256k"
# shellcheck disable=SC2086
expect 0 probe latency tlb line $small
says out 'cycles'
narrow
# shellcheck disable=SC2086
expect 0 probe latency --pages auto --points $small
says out '64k'
# shellcheck disable=SC2086
expect 0 probe latency tlb $small --format json
json_numbered
says out '"record":"probe"'
says out '"part":"latency"'
says out '"part":"tlb"'
says out '"max_size":262144'
# shellcheck disable=SC2086
expect 0 probe latency $small --format csv
says out ',part,level,x,setting,'
awk -F, 'NR == 1 { fields = NF } NF != fields && !/"/ { exit 1 } END { exit NR < 10 }' out || fail "CSV: $(head -c 600 out)"

# If memory is short, a note says so, and the probe continues with less.
# shellcheck disable=SC3045      # skipped where the shell lacks ulimit, or the program cannot start (sanitisers reserve terabytes)
if (ulimit -v 400000 && exec "$SLEXPLORE" --version) >/dev/null 2>&1; then
	# shellcheck disable=SC3045
	(ulimit -v 400000 && exec "$SLEXPLORE" probe latency --pages 4k --max-size 1g --time-budget 8) >out 2>err </dev/null
	status=$?
	[ "$status" -eq 0 ] || fail "with little memory: exit status $status: $(cat err)"
	says out 'note: '
fi

# In the records, each unit has its own host name.
expect 0 probe latency --per numa --max-size 64k --pages auto --time-budget 0.1 --format json
says out ':numa0"'
json_numbered

# A machine without a stated L2 has no L2 domains.
if "$SLEXPLORE" probe --per l2 --time-budget 0.1 --format json >out 2>err </dev/null; then
	says out ':l2-0"'
	[ "$(grep -c '"record":"sample"' out)" = $(($(grep -o ':l2-[0-9]*' out | sort -u | wc -l) * 4)) ] || fail "samples of L2 domains: $(cat out)"
else
	says err 'L2'
fi

# After a signal, the probe prints its results so far.
if interrupted HUP 129 40 probe --format json --time-budget 60; then
	json_numbered
	says out '"complete":false'
	says out '"record":"sample"'
fi

# shellcheck disable=SC2086
full probe latency $small

done_with "the probe does from outside what it should"
