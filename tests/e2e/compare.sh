#!/bin/sh
# Comparing files and streams: differences, odd hosts, unusable lines, exit statuses.
. "$(dirname "$0")/lib.sh"

# sample HOST ID CPE: the line of a sample, as `slexplore run --format json` prints it.
sample() {
	printf '{"v":1,"record":"sample","id":%d,"host":"%s","machine":"P","kernel":"mul-chain","knobs":{"acc":%d},' "$2" "$1" "$2"
	printf '"cpe":%s,"trials":100,"quiet":1.0,"ghz":3.7,"pages":"huge"}\n' "$3"
}

# Two files of one host.
{ sample n1 1 1.0 && sample n1 2 4.0; } >a.jsonl
{ sample n1 1 1.001 && sample n1 2 5.0; } >b.jsonl
expect 0 compare a.jsonl b.jsonl
says out '+25.0%'
says err '4 with measured values'
expect 3 compare a.jsonl b.jsonl --fail-over 5%
expect 0 compare a.jsonl b.jsonl --fail-over 30%
expect 3 compare a.jsonl b.jsonl --fail-over 5
expect 3 compare --baseline a.jsonl b.jsonl --fail-over 5%
expect 0 compare a.jsonl vs a.jsonl --fail-over 5%
expect 0 compare a.jsonl b.jsonl --format json
[ "$(grep -c '"verdict":"differs"' out)" = 1 ] || fail "not one difference"
grep -q '"record":"comparison".*"lines":4.*"used":4' out || fail "the lines are not counted"
expect 0 compare a.jsonl b.jsonl --format csv
[ "$(grep -c ',differs$' out)" = 1 ] || fail "not one difference in CSV"

# Each quantity has the letters of its sources, if the records state them.
for clock in reference counter; do
	sed "s/\"cpe\"/\"cycles_from\":\"$clock\",&/" b.jsonl >"$clock.jsonl"
done
run 0 compare a.jsonl reference.jsonl
says out 'cycles/element R '
run 0 compare counter.jsonl reference.jsonl --format json
grep -q '"sources":"CR"' out || fail "the sources of both sides are not named"

# A stream of hosts, one of them slow, with text of other programs, cut and repeated lines.
for host in n1 n2 n3 n4 n5 n6 n7 n8; do
	sample "$host" 1 1.0
	sample "$host" 2 "$([ "$host" = n5 ] && echo 4.4 || echo 4.0)"
done >fleet.jsonl
{
	cat fleet.jsonl
	head -n 1 fleet.jsonl
	echo 'srun: error: n9: task 9: Exited with exit code 1'
	head -n 1 fleet.jsonl | cut -c1-40
} >noisy.jsonl
run 0 compare - --format json <noisy.jsonl
[ "$(grep -c '"record":"odd"' out)" = 1 ] || fail "not one odd host"
grep -q '"record":"odd".*"host":"n5"' out || fail "n5 is not odd"
grep -q '"record":"comparison".*"lines":19.*"other":1,"cut":1.*"repeated":1.*"used":16' out || fail "the lines are not counted"
says err '1 repeated'
says err '1 without a record'
run 3 compare - --fail-over 5% <noisy.jsonl
run 3 compare --fail-over 5% <noisy.jsonl
says out 'n5'
run 0 compare - --fail-over 20% <noisy.jsonl

# A host with another processor differs by more than any percentage.
for host in 1 2 3 4 5 6 7 8 9 10; do sample n$host 1 1.0; done >same.jsonl
sample other 1 1.0 | sed 's/"machine":"P"/"machine":"Q"/' >>same.jsonl
run 3 compare --fail-over 900% <same.jsonl
says out 'other: another processor'

# Pictures of machines.
expect 1 compare fleet.jsonl --picture none.gp
says err 'no picture'
expect 2 compare fleet.jsonl --picture a.gp --show flower
probe() {
	printf '{"v":1,"record":"probe","id":1,"host":"%s","machine":"P"}\n' "$1"
	for x in 4096 8192 16384; do
		printf '{"v":1,"record":"sample","id":%d,"host":"%s","part":"latency","x":%d,"kernel":"latency",' $x "$1" $x
		printf '"knobs":{"size":%d,"pages":"4k"},"cpe":%s,"ns":%s,"cpe_lo":3,"cpe_hi":9}\n' $x "$2" "$2"
	done
}
{ probe n1 4.5 && probe n2 5.5; } >two.jsonl
expect 0 compare two.jsonl --picture two.gp --show latency
grep -q n2 two.gp two.dat || fail "the picture lacks n2"

# The mountain of B divided by that of A, from output of sweep (with a throughput) and from recordings (where a record "facts" has the
# bytes of an element, once).
mountain() {
	for size in 16384 32768; do
		for stride in 1 2; do
			printf '{"v":1,"record":"sample","id":%d,"host":"%s","machine":"P","kernel":"mountain","knobs":' "$size$stride" "$1"
			printf '{"size":%d,"stride":%d,"op":"rd","pages":"auto"},"cpe":%s,"ghz":4,%s}\n' "$size" "$stride" "$2" "$3"
		done
	done
}
facts='{"v":1,"record":"facts","id":7,"host":"%s","bytes":8}\n'
{ mountain n1 1 '"gbps":32' && mountain n2 0.8 '"gbps":40'; } >mountains.jsonl
# shellcheck disable=SC2059 # the format is a line of a record
{ printf "$facts" n1 && mountain n1 1 '"facts":7' && printf "$facts" n2 && mountain n2 0.8 '"facts":7'; } >recorded.jsonl
for file in mountains recorded; do
	expect 0 compare $file.jsonl --gnuplot $file --show mountain
	[ "$(grep -c '1\.25' $file.dat)" -ge 2 ] || fail "$file: the ratio of two mountains is not 1.25: $(cat $file.dat)"
done

# The share of quiet trials is no point of a probe's curve.
sed 's/"quiet":1.0/"quiet":0.01/' a.jsonl >busy.jsonl
expect 0 compare a.jsonl busy.jsonl
says out 'quiet trials'
if grep -q curves out; then fail "a share of trials is called a point of a curve"; fi

# It is a circumstance, which is listed apart, and not counted as a quantity without a difference.
sed 's/"quiet":1.0/"quiet":0.8/' a.jsonl >less.jsonl
run 0 compare a.jsonl less.jsonl
says out '4 quantities do not differ'
run 0 compare a.jsonl less.jsonl --all
sed -n '/^circumstances/,$p' out >apart
grep -q '^quiet trials, share *1.000 *0.800$' apart || fail "the quiet trials are not apart: $(cat apart)"
says apart '4 quantities do not differ'
if grep -q -- '-20.0%' out; then fail "a circumstance is listed with the quantities that do not differ"; fi

# Words state only what the records state, and name values as the table does.
for id in 1 2 3 4 5; do sample n1 $id 1.0; done >quiet.jsonl
sed 's/"quiet":1.0/"quiet":0.3/' quiet.jsonl >half.jsonl
for file in quiet half; do
	for run in 1 2 3 4 5 6; do sed "s/\"quiet\"/\"seed\":$run,&/" $file.jsonl; done >$file-6.jsonl
done
expect 0 compare quiet-6.jsonl half-6.jsonl
says out '30 % of the trials quiet'
if grep -q -e 'load average' -e contended out; then fail "values are shown that no record has"; fi
expect 0 compare quiet.jsonl half.jsonl
says out 'quiet trials,'

# A file without a record is no machine.
echo 'srun: error: n2: task 1: Exited with exit code 1' >none.txt
expect 0 compare none.txt a.jsonl b.jsonl
says out '+25.0%'
says err '1 file without a record: none.txt'
expect 2 compare none.txt a.jsonl

# A line with thousands of cut records is not searched to its end: 90 s of processor time.
awk 'BEGIN { for (i = 0; i < 3000; i++) line = line "{\"v\":"; for (i = 0; i < 60; i++) print line }' >nested
timeout 30 "$SLEXPLORE" compare nested a.jsonl b.jsonl >out 2>err || fail "lines of cut records: $(head -c 700 err)"
says out '+25.0%'
says err '60 cut'
# Long records without their other lines are searched for a short time only: 40 s of processor time.
awk 'BEGIN { for (i = 0; i < 60000; i++) printf "{\"v\":1,\"record\":\"explain\",\"id\":%d,\"host\":\"n1\",\"more\":2}\n", i
	for (i = 0; i < 60000; i++) printf "{\"v\":1,\"record\":\"more\",\"of\":\"explain\",\"id\":%d,\"host\":\"n1\"}\n", i + 60000 }' >long
timeout 30 "$SLEXPLORE" compare long a.jsonl b.jsonl >out 2>err || fail "long records that do not end: $(head -c 700 err)"
says err '120000 of long records without their other lines'

# What cannot be compared.
expect 2 compare
expect 2 compare none.jsonl
expect 2 compare a.jsonl
says err 'one host'
expect 2 compare a.jsonl a.jsonl
says err 'same lines'
expect 2 compare a.jsonl b.jsonl --fail-over much
echo 'no record' >other
expect 2 compare other
says err 'none of 1 lines'

# As many processor models as hosts.
"${AWK:-awk}" 'BEGIN { for (i = 0; i < 30000; i++)
	printf "{\"v\":1,\"record\":\"sample\",\"id\":2,\"host\":\"h%d\",\"machine\":\"CPU %d\",\"kernel\":\"mul-by\",\"setting\":\"size=16k\",\"cpe\":4.0,\"trials\":40}\n", i, i }' >many.jsonl
(ulimit -t 20 && "$SLEXPLORE" compare many.jsonl >out 2>err) || fail "many processor models: $(tail -n 3 err)"
says out '30000 processor models'

# A device has no end.
timeout 30 "$SLEXPLORE" compare /dev/zero /dev/zero >out 2>err
[ $? = 2 ] || fail "a device is read"
timeout 30 "$SLEXPLORE" lesson --class /dev/zero >out 2>err
[ $? = 2 ] || fail "a device has answers"
for words in "compare" "compare -" "report page.html -" "lesson --class -"; do
	# shellcheck disable=SC2086 # the words are separate
	timeout 30 "$SLEXPLORE" $words </dev/zero >out 2>err
	[ $? = 2 ] || fail "$words reads a device: $(head -c 700 err)"
	says err 'standard input: a device'
done

done_with "compare: two files, many hosts, unusable lines"
