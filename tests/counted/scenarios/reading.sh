# machines: exact
# Where user space may read counters, a reading costs under 100 instructions and no system call; and no system call lies inside a
# timed region.
. /counted/lib.sh

figure() { awk -v name="$1" '$1 == name { print $2 }' figures; }

echo 1 >/proc/sys/kernel/perf_user_access
/counted/probe reading >figures || fail "the probe reads the clock: status $?"
cat figures
check "a direct reading is under 100 instructions: $(figure user)" \
	sh -c "awk '\$1 == \"user\" { exit !(\$2 > 0 && \$2 < 100) }' figures"
check "and none of them the kernel's" near "$(figure kernel)" 0 0

kernels='combine list-length mountain sum-halves mul-chain k-loads stores'
# shellcheck disable=SC2086
/counted/probe regions $kernels >figures || fail "the probe looks into regions: status $?"
cat figures
for kernel in $kernels; do
	check "$kernel: no instruction of the kernel in a timed region" test "$(figure "$kernel")" = 0
	check "$kernel: nor where its clock is read directly" test "$(figure "$kernel+clock")" = 0
done

echo 0 >/proc/sys/kernel/perf_user_access
/counted/probe reading >figures || fail "the probe reads the clock by system calls: status $?"
cat figures
check "by system calls a reading takes the kernel's instructions: $(figure kernel)" \
	sh -c "awk '\$1 == \"kernel\" { exit !(\$2 > 100) }' figures"
