# machines: shared
# Unit tests that are whole only where there are counters. `make check` and `make check-arm64` run them without.
. /counted/lib.sh

for test in /counted/unit/*; do
	LC_ALL=C top_srcdir=/counted "$test"
	status=$?
	case $status in
	0) pass "${test##*/}" ;;
	77) skip "${test##*/}" ;;
	*) fail "${test##*/}: status $status" ;;
	esac
done
