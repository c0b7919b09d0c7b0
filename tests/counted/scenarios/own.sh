# machines: exact slow bare
# A loop of one's own runs in a process of its own, and is counted there.
. /counted/lib.sh

case $machine in
exact) cycles=4 ;;
slow) cycles=16 ;;
esac
export CC=/counted/own-cc
cp /counted/own.S mine.S

own="slexplore run ./mine.S n=4k --event perf::PERF_COUNT_HW_INSTRUCTIONS --format json --quiet"

$own >run || fail "it runs"
shown
check "it is measured" test -n "$(record sample run | field cpe)"
if [ "$machine" = bare ]; then
	check "cycles are from the reference chain" test "$(record sample run | field cycles_from)" = reference
	check "and why no event is counted is told" sh -c "grep '\"counters\"' run | grep -q '\"why\"'"
	exit
fi
check "cycles are from the counter" test "$(record sample run | field cycles_from)" = counter
check "four instructions an element" near "$(value instructions run)" 4 0.0001
check "$cycles cycles an element" near "$(value cycles run)" $cycles 0.0001
slexplore explain ./mine.S n=4k --format json --quiet >explain || fail "it is explained"
check "as many as were stepped" near "$(record explain explain | field instructions)" 4 0.0001

echo 1 >/proc/sys/kernel/perf_user_access
$own >run || fail "it runs with counters read directly"
shown
echo 0 >/proc/sys/kernel/perf_user_access
check "its own process reads counters directly" test "$(record counters run | field direct)" = true
check "and counts as exactly" near "$(value instructions run)" 4 0.0001
