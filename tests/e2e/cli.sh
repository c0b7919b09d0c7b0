#!/bin/sh
# The command line from outside: exit statuses, messages, formats, interruption.
. "$(dirname "$0")/lib.sh"

# Without a terminal, the explorer says so and names the alternatives.
refuse 2 "list, run, sweep, explain, probe, windows, characterise, record, compare, report, events, doctor" explore
refuse 2 "terminal" 
refuse 2 "terminal" explore mountain stride=2
refuse 2 "terminal" mountain stride=2
TERM=xterm refuse 2 "terminal" --ascii

# No variable of hwloc turns this machine into another one, except the one that simulates a machine openly.
printf '%s\n' '#!/bin/sh' "env >'$PWD/seen'" 'exit 1' >showing-cc
chmod +x showing-cc
echo '/* slexplore: a=f64[n] */ long loop(long n, double *a) { return n; }' >own.c
HWLOC_XMLFILE=none HWLOC_OTHER=1 HWLOC_SYNTHETIC='core:1 pu:1' CC=$PWD/showing-cc "$SLEXPLORE" run ./own.c >out 2>err </dev/null || :
grep -q '^HWLOC_SYNTHETIC=' seen || fail "the compiler did not run: $(cat err)"
! grep -E '^HWLOC_(XMLFILE|OTHER)=' seen || fail "variables of hwloc remain"

# A signal ends the program while hwloc still builds a topology.
HWLOC_SYNTHETIC='core:9999 pu:1' "$SLEXPLORE" run combine >out 2>err </dev/null &
slow=$!
has_worker() { [ "$(ls "/proc/$slow/task" 2>/dev/null | wc -l)" -gt 1 ]; }
until_true has_worker
kill -s TERM $slow
wait $slow
status=$?
[ $status -eq 143 ] || fail "SIGTERM while the topology is read: exit status $status: $(cat err)"

# Wrong usage.
refuse 2 'did you mean run?' rnu
refuse 2 'combine' run
refuse 2 'did you mean combine?' run combin
refuse 2 'did you mean unroll?' run combine unrol=2
refuse 2 'acc=9 needs' run combine acc=9 unroll=4
refuse 2 'free memory' run combine size=4096t
refuse 2 'size=99999999999999999999' run combine size=99999999999999999999
refuse 2 "size=100 is no multiple of 8: use 96 or 104" run combine size=100
refuse 2 'unroll=17' sweep combine unroll=1..17
refuse 2 'no combination of knob values is left' sweep combine acc=3 unroll=1,2
refuse 2 '--cpu' run combine --cpu 99999
refuse 2 '--why exclude each other' run combine --slack --why
refuse 2 '--why draws no picture' run combine --why --picture x.svg
refuse 2 '--cost draws a picture of one setting' sweep combine unroll=4,8 --cost --picture x.svg
refuse 2 'one value' sweep combine unroll=4,8 acc=1,2 --slack --picture x.svg
refuse 2 'did you mean --format?' list --formt json
refuse 2 'nonesuch' explore --uarch nonesuch --script /dev/null
refuse 2 'nope' explore combine --do nope --script /dev/null
refuse 2 '--format is an option of' explore --format json
refuse 2 'unroll=1..16' sweep combine 'unroll=*'
refuse 2 'list shows all' run zzzzzzzz
for command in explore run sweep; do
	refuse 2 "--event 'nonsense': " $command combine --event nonsense
	refuse 2 "PERF_COUNT_SW_PAGE_FAULTS" $command combine --event perf::PERF_COUNT_SW_PAGE_FALTS
done
refuse 2 '--event is an option of' explain combine --event perf::PERF_COUNT_SW_PAGE_FAULTS
expect 0 help
expect 0 help run
says out 'slexplore run KERNEL'
expect 0 --help
expect 0 run --help
expect 0 --version
# The program names no folder of its build, so that two builds in two folders are identical.
folder=$(cd "$top_builddir" && pwd)
! grep -qF "$folder" "$SLEXPLORE" || fail "the program contains the path $folder"

# A file that does not exist, is a folder, or is of another kind is a wrong command line, for each subcommand.
mkdir folder
echo nonsense >nonsense
for file in nowhere folder nonsense; do
	refuse 2 "$file" explain "./$file"
	refuse 2 "$file" explore "./$file" --script /dev/null
	refuse 2 "$file" replay "$file" --script /dev/null
	refuse 2 "$file" --script "$file"
	refuse 2 "$file" lesson --check ports --replay "$file"
done
for file in nowhere folder; do
	refuse 2 "$file" run "./$file"
	refuse 2 "$file" explain combine --uarch "./$file"
	refuse 2 "$file" compare "$file"
	refuse 2 "$file" report out.html "$file"
	refuse 2 "$file" lesson "./$file" --script /dev/null
	refuse 2 "$file" lesson --check "./$file"
	refuse 2 "$file" present lesson "./$file" --script /dev/null
done
refuse 2 nowhere lesson --class nowhere
refuse 2 'no lesson "nowhere"' lesson --check nowhere

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
[ "$(grep -vc '"record":"counters"' out)" -eq 1 ] || fail "not one record of a sample"
expect 0 run list-length --quiet
[ ! -s err ] || fail "--quiet is not: $(cat err)"
says out "cycles per list node"
expect 0 run mountain --format csv
[ "$(awk -F'"' '{ gsub(/,/, ",", $1); print }' out | wc -l)" -eq 2 ] || fail "not a header and a line"

# Events of the kernel are counted on every machine. An event that this machine cannot count is reported, without a value.
expect 0 run combine --event perf::PERF_COUNT_SW_PAGE_FAULTS --format json
json_lines
if ! grep -q '"why":' out; then
	says out '["perf::PERF_COUNT_SW_PAGE_FAULTS","extra",0.0,0.0,0.0,"known"]'
	expect 0 run combine --event perf::PERF_COUNT_SW_PAGE_FAULTS
	grep -q '^  perf::PERF_COUNT_SW_PAGE_FAULTS  *0\.000 C$' out || fail "no page faults in: $(cat out)"
	expect 0 sweep combine acc=1,2 unroll=2 --event perf::PERF_COUNT_SW_PAGE_FAULTS --format csv
	[ "$(sed -n '1p' out | grep -c ',c_perf::PERF_COUNT_SW_PAGE_FAULTS$')" -eq 1 ] || fail "no column of page faults"
	[ "$(sed 1d out | grep -c ',0$')" -eq 2 ] || fail "no page faults in: $(cat out)"
fi
expect 0 run combine --event perf_raw::r0000
grep -qE 'perf_raw::r0000 is unavailable: .|nothing could be counted: .' err || fail "nobody says why: $(cat err)"
! grep -q '^  perf_raw::r0000 .* C' out || fail "a figure of nothing in: $(cat out)"

# A named sweep: its words can be replaced; the output has its baseline and the published values.
expect 0 list
says out 'matmul-n: Matrix multiply'
expect 0 list matmul-block --format json
json_lines
says out '"x":"block","lines":["n"],"y":"seconds"'
refuse 2 'did you mean' sweep matmul-m
refuse 2 'matmul-speedup' sweep
refuse 2 'n=7: use a whole number from 8 to 2000' sweep matmul-n n=7
refuse 2 'n is given twice' sweep matmul-n n=8 n=9
refuse 2 'matmul has no knob "size"' sweep matmul-n size=32k
expect 0 sweep matmul-n n=16,24 form=reordered,naive --time-budget 0.1
says out 'matmul-n: Matrix multiply: seconds of a whole product over n'
says out 'speedup'
says out 'published n=1000 form=naive: seconds 145.0 (Itanium, 800 MHz)'
# The baseline comes first, whatever the order on the command line.
sed -n 4p out | grep -q '^ *naive *16 .* 1\.000\( [cm]*\)*$' || fail "no baseline first: $(cat out)"
expect 0 sweep matmul-n n=16,24 form=reordered,naive --time-budget 0.1 --format json
json_lines
[ "$(grep -c '"sweep":"matmul-n".*"speedup":[0-9]' out)" -eq 4 ] || fail "no speedups: $(cat out)"
# A published value is next to the measured one, and in the records.
expect 0 sweep combine-chains op=add type=i64 size=1k --time-budget 0.1
says out 'unroll acc     CPE published     lo'
[ "$(grep -cE '^ +10 +10 .* 0\.550 ' out)" -eq 1 ] || fail "no published value: $(cat out)"
[ "$(grep -cE '^ +10 +2 +[0-9.]+ +- ' out)" -eq 1 ] || fail "a published value without a document: $(cat out)"
expect 0 sweep combine-chains op=add type=i64 size=1k --time-budget 0.1 --format json
[ "$(grep -c '"published":0.55' out)" -eq 1 ] || fail "no published value: $(cat out)"
expect 0 sweep matmul-n n=16 form=reordered --time-budget 0.1 --format csv
says err 'no speedups: their baseline form=naive'
[ "$(sed -n '1s/.*predicted,.*,sweep,seconds,speedup,published.*/yes/p' out)" = yes ] || fail "no columns: $(head -1 out)"
expect 0 sweep matmul-block n=100 block=16,32 --time-budget 0.1 --quiet
# The machine decides which of the two is the best.
grep -qE 'advised(, and the|;) best of 2 measured' out || fail "no advice: $(cat out)"
# A sweep judges the claims of its document; a run says which of two published values is right.
expect 0 sweep products --time-budget 0.2 --quiet
says out ' here: four products side by side are three times as fast: '
says out 'published acc=1: cpe 2.980; here '
if "$SLEXPLORE" explain mul-by --uarch skylake >out 2>err; then
	expect 0 run mul-by --uarch skylake --quiet
	says out 'published 4.01 cycles an iteration on skylake (Downs, Performance Speed Limits)'
	says out 'p6: published 1.81, model 1.00'
fi

# The user's file replaces the named sweeps. An error in it is reported with its line.
mkdir data
printf 'sweep mine\ntitle Mine\nkernel mountain size=4k,8k\nx size\n' >data/sweeps
SLEXPLORE_DATA=$work/data expect 0 sweep mine --time-budget 0.1 --quiet
SLEXPLORE_DATA=$work/data refuse 2 'matmul-n' sweep matmul-n
printf 'sweep mine\ntitle Mine\nkernel hill size=4k\n' >data/sweeps
SLEXPLORE_DATA=$work/data expect 1 sweep mine
says err 'sweeps:3: unknown kernel "hill"'

# Each trial computes and checks a whole product.
expect 0 run matmul n=60 whole=1 --quiet
expect 0 explain matmul form=blocked type=f32
says out 'block='

# A sweep: rows in the order typed; excluded combinations are counted on standard error.
expect 0 sweep combine unroll=2,1 acc=1..2 --format csv
[ "$(wc -l <out)" -eq 4 ] || fail "not three cells: $(cat out)"
says err "1 of 4 combinations of knob values are skipped"
sed 1d out | grep -o 'combine,[a-z]*,[a-z0-9]*,[0-9]*,[0-9]*' | cut -d, -f4- | tr '\n' ' ' >order
[ "$(cat order)" = "2,1 2,2 1,1 " ] || fail "order of cells: $(cat order)"
expect 0 sweep combine unroll=1,2 --format json
json_lines
expect 0 sweep combine unroll=1,2
says out "unroll"

# Findings do not change the exit status.
expect 0 doctor
for check in clock counters huge-pages frequency smt virtual cores steal; do says out "$check"; done
! grep -q '.\{81\}' out || fail "doctor writes lines of more than 80 columns"
expect 0 doctor --format json
json_lines
expect 0 doctor --format csv

# The list of events: it works without counters, and only for cores of this instruction set.
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
refuse 2 "$wrong is a core for" events --uarch $wrong
refuse 2 "not of events" events --ascii
expect 0 events cpu cycles
says out "perf::PERF_COUNT_HW_CPU_CYCLES"
expect 0 events cpu cycles --format json
json_lines
expect 1 events xyzzy plugh
says err 'has no event for this machine with "xyzzy plugh"'
# The program loads libpfm at its first use. A file that is not a library counts as missing. Commands without events still run.
mkdir broken
: >broken/libpfm.so.4
LD_LIBRARY_PATH=$work/broken
export LD_LIBRARY_PATH
expect 1 events cpu cycles
says err 'libpfm, which knows the names of events, cannot be used'
says err 'install libpfm4'
expect 2 run mul-chain --event perf::CPU-CYCLES --time-budget 0.02
says err "event 'perf::CPU-CYCLES': libpfm"
expect 0 run mul-chain --time-budget 0.02
unset LD_LIBRARY_PATH

# The words that may follow, from the tables of the program. bash gets only what follows "=".
completes() {
	wanted=$1
	shift
	expect 0 complete -- "$@"
	[ "$(tr '\n' ' ' <out)" = "$wanted " ] || fail "complete $*: $(head -c 300 out)"
}
completes 'run record replay report radix-sort' r
completes 'type=' run combine ty
completes 'type=f32 type=f64' run combine type=f
completes '--format=csv' sweep combine --format=c
completes 'zen1 zen2 zen3 zen4 zen5' explain mul-chain --uarch zen
completes 'latency line' probe l
completes '--format=text --format=csv' lesson --format=
refuse 2 "needs the words of a command line" complete
if command -v bash >/dev/null; then
	bash -c '. "$1/data/completion/bash/slexplore"; COMP_LINE="$2 run combine type=f" COMP_POINT=${#COMP_LINE}; _slexplore
		echo "${COMPREPLY[*]}"' bash "$top_srcdir" "$SLEXPLORE" >out
	[ "$(cat out)" = 'f32 f64' ] || fail "the completion of bash: $(cat out)"
fi

# Write errors are reported.
for command in list "run combine" doctor "sweep combine unroll=1,2" --help; do
	# shellcheck disable=SC2086
	full $command
done

# An interrupted sweep writes its results so far. The whole sweep would have 69,632 cells.
for signal in TERM:143 INT:130; do
	if interrupted "${signal%:*}" "${signal#*:}" 12 sweep combine 'op=*' 'type=*' unroll=1..16 acc=1..16 stride=1..64 --format json \
		--time-budget 3600; then
		json_lines
		[ "$(grep -c '"record":"sample"' out)" -lt 20000 ] || fail "SIG${signal%:*}: it went on"
	fi
done

# When the reader of a pipe ends, the program ends. The output is larger than a pipe, so the program cannot end earlier.
mkfifo pipe
"$SLEXPLORE" sweep combine 'op=*' unroll=1..16 acc=1..16 --format json --time-budget 0.6 </dev/null >pipe 2>err &
pid=$!
exec 3<pipe
read -r _ <&3
exec 3<&-
wait "$pid"
status=$?
[ "$status" -eq 1 ] || fail "broken pipe: exit status $status"
# Messages about disturbed cells may come first.
! grep -qv -e "combinations of knob values are skipped" -e "no undisturbed trial" err || fail "broken pipe: $(cat err)"

# If a standard stream is closed, no other file gets its descriptor.
"$SLEXPLORE" list >&- 2>err </dev/null
[ $? -eq 1 ] || fail "closed standard output: exit status"
says err 'standard output'
# If the file of a core model is a pipe, the program does not wait for a writer.
mkfifo core.uarch
refuse 2 'core.uarch' explain combine --uarch ./core.uarch

# Neither control characters of two bytes nor another direction of writing reach the terminal in a message.
expect 2 run "$(printf 'a\302\233b\342\200\256c\377d')" --quiet
says err 'a??b???c?d'

# Nor do names of files, in messages, in results, and in files for people.
strange=$(printf 'a\033]0;x\007b\302\233c\342\200\256d\377')
cp "$top_srcdir/tests/data/canned.jsonl" "$strange.jsonl"
expect 0 compare "./$strange.jsonl" "$top_srcdir/tests/data/probed.jsonl" --all
says out 'a?]0;x?b??c???d?.jsonl'
for page in page.html page.md; do
	expect 0 report $page "./$strange.jsonl"
	grep -qF 'a?]0;x?b??c???d?.jsonl' $page || grep -qF 'a?\]0;x?b??c???d?.jsonl' $page || fail "$page does not name the recording"
	! LC_ALL=C grep -q "$(printf '[\001-\010\013-\037\177]\|\302\233\|\342\200\256\|\377')" $page || fail "$page: control characters"
done
refuse 2 'must have no control characters' explain combine --gnuplot "$strange"
printf '/* slexplore: a=f64[n]:1.0 */\ndouble kept;\nlong loop(long n, double *a) { double s = 0; for (long i = 0; i < n; i++) s += a[i]; kept = s; return 0; }\n' \
	>"$strange.c"
if command -v "${CC:-cc}" >/dev/null; then
	for format in text csv json; do
		expect 0 run "./$strange.c" n=4k --time-budget 0.05 --format $format
		! LC_ALL=C grep -q "$(printf '[\001-\010\013-\037\177]\|\302\233\|\342\200\256\|\377')" out err || fail "$format: control characters"
	done
fi

done_with "the command line does from outside what it should"
