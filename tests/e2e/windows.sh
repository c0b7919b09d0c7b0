#!/bin/sh
# slexplore windows from outside: arguments, formats, and a signal. The test checks no measured value, so any machine can run it.
. "$(dirname "$0")/lib.sh"

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
[ ! -s out ] || fail "output beside an error"

# Small measurements in each format.
expect 0 windows nop filler=store size=4m
says out 'reorder buffer'
says out 'elsewhere: '
narrow
expect 0 windows load size=4m --curve
says out 'quartiles'
expect 0 windows nop load size=4m --format json
json_numbered
says out '"record":"windows"'
says out '"filler":"load"'
expect 0 windows nop size=4m --curve --format csv
says out ',filler,buffer,fillers,cycles,'
# With little time it prints a part, or says that it has nothing.
"$SLEXPLORE" windows nop remedy=prefetch size=4m --time-budget 0.01 </dev/null >out 2>err
case $? in
0) says out 'Not complete: ' && says out 'the time of 0.01 s was too short' ;;
1) says err 'nothing could be measured: the time of 0.01 s was too short' ;;
*) fail "in little time: $(head -c 700 err)" ;;
esac

if interrupted TERM 143 12 windows --format json size=8m; then
	json_numbered
fi
full windows nop size=4m

done_with "the windows do from outside what they should"
