# machines: shared bare
# Unit tests that are whole only where there are counters, and true where there are none.
. /counted/lib.sh

for test in /counted/unit/*; do
	# The worker without counters is tested under user-mode emulation (make check-arm64), which is faster.
	case $machine/${test##*/} in bare/test_worker) continue ;; esac
	LC_ALL=C top_srcdir=/counted "$test"
	status=$?
	case $status in
	0) pass "${test##*/}" ;;
	77) skip "${test##*/}" ;;
	*) fail "${test##*/}: status $status" ;;
	esac
done
