# machines: exact bare
# The machine is as it should be, and slexplore explains and measures there.
. /counted/lib.sh

if [ "$machine" = bare ]; then
	check "the kernel finds no PMU" sh -c '! dmesg | grep -q "enabled with armv8_pmuv3"'
else
	check "the kernel drives the PMU" sh -c 'dmesg | grep -q "enabled with armv8_pmuv3"'
fi
slexplore explain combine --format json >explain
cat explain
check "the core is recognised" test "$(record explain explain | field uarch)" = neoverse-n1
check "combine is explained" test -n "$(record explain explain | field limit)"
slexplore run combine --format json >run
cat run
check "combine is measured" test -n "$(record sample run | field cpe)"
