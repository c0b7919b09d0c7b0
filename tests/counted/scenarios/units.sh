# machines: exact
# Unit tests that are whole only where there are counters. `make check` and `make check-arm64` run them without.
. /counted/lib.sh

for test in /counted/unit/*; do
	# One test of the worker needs counters; all its tests take long in an emulator.
	case $test in *_worker) only='a_plan_is_counted*' ;; *) only='*' ;; esac
	LC_ALL=C top_srcdir=/counted TESTS_ONLY=$only "$test"
	status=$?
	case $status in
	0) pass "${test##*/}" ;;
	77) skip "${test##*/}" ;;
	*) fail "${test##*/}: status $status" ;;
	esac
done
