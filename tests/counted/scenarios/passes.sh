# machines: exact
# More events than counters are counted in several passes, each complete; events that stay at zero are reported as silent.
. /counted/lib.sh

# One event by many names: each takes a counter of its own.
many=''
for name in arm_n1::INST_RETIRED:u arm_n1::INST_RETIRED:u=1 arm_n1::INST_RETIRED:u:k=0 arm_n1::INST_RETIRED:k=0:u=1 \
	perf::PERF_COUNT_HW_INSTRUCTIONS perf::PERF_COUNT_HW_INSTRUCTIONS:u perf_raw::r8 perf_raw::r0008; do
	many="$many --event $name"
done
# shellcheck disable=SC2086
slexplore run k-loads $many --format json >run || fail "run ends well"
shown
slexplore explain k-loads --format json >explain
code=$(record explain explain | field instructions)
passes=$(record counters run | field passes)
check "it takes several passes: $passes" test "${passes:-0}" -gt 1
for name in $many; do
	[ "$name" != --event ] || continue
	if [ "$(state "$name" run)" = known ] && near "$(value "$name" run)" "$code" 0.0001; then
		pass "$name is counted whole"
	else
		fail "$name: $(value "$name" run) $(state "$name" run), where the code has $code"
	fi
done

# This processor counts instructions and cycles only.
slexplore run combine op=add type=i64 --event arm_n1::BR_RETIRED --event arm_n1::MEM_ACCESS_RD --event arm_n1::L1D_CACHE_REFILL \
	--format json >run
shown
check "an event that must rise and does not is told" test "$(state arm_n1::BR_RETIRED run)" = silent
check "no event at zero counts as known" sh -c '! awk -F, "\$6 == \"known\" && \$3 == 0" | grep -q .' <<-END
$(events run)
END
slexplore events --quiet >list
cat list
check "events tells which are counted" grep -q 'INST_RETIRED  *counted' list
check "and which stay at zero" grep -q 'BR_RETIRED  *stays at zero' list
