# machines: bare
# Without a PMU the reference clock serves all measurements. Events are unavailable, with a reason, never 0.
. /counted/lib.sh

slexplore run combine op=add type=i64 --event perf::PERF_COUNT_HW_INSTRUCTIONS --format json >run || fail "run ends well"
shown
sample=$(record sample run)
check "cycles are from the reference chain" test "$(echo "$sample" | field cycles_from)" = reference
check "no figure of a counter stands in the sample" sh -c "! grep -qE '\"(ipc|check)\"|\"instructions_from\":\"counter' <<-END
$sample
END"
check "instructions are those of the code" test "$(echo "$sample" | field instructions_from)" = model
counters=$(record counters run)
if [ -n "$(events run)" ]; then
	check "no event is known" sh -c '! cut -d, -f6 | grep -q -e known -e scaled' <<-END
	$(events run)
	END
else
	check "why no event is counted" test -n "$(echo "$counters" | field why)"
fi
slexplore doctor --quiet >doctor
cat doctor
check "doctor names the counters, and what to do" sh -c 'grep -A 3 "counters" doctor | grep -qi "virtual\|hypervisor\|PMU"'
slexplore sweep combine op=add,mul acc=1,2 --format csv --quiet >sweep || fail "sweep ends well"
check "a sweep has every cell" test "$(wc -l <sweep)" = 5
