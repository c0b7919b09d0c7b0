# machines: exact
# The system's settings decide what an unprivileged user may count, and how counters are read.
. /counted/lib.sh

chmod 777 /tmp
as_student() { su student -s /bin/sh -c "cd /tmp && $1"; }
allow() {
	echo "$2" >"/proc/sys/kernel/$1" || fail "$1=$2 can be set"
}
run='slexplore run k-loads --format json --quiet'
slexplore explain k-loads --format json >explain
code=$(record explain explain | field instructions)

for paranoid in 2 1; do
	for direct in 0 1; do
		allow perf_event_paranoid $paranoid
		allow perf_user_access $direct
		as_student "$run" >run || fail "run ends well for a user at $paranoid"
		shown
		check "a user counts exactly at perf_event_paranoid=$paranoid, perf_user_access=$direct" \
			near "$(value instructions run)" "$code" 0.0001
		case $direct in
		0) check "by system calls" test "$(record counters run | field direct)" = false ;;
		1) check "directly" test "$(record counters run | field direct)" = true ;;
		esac
	done
done

allow perf_event_paranoid 3
as_student "$run --event perf::PERF_COUNT_HW_INSTRUCTIONS" >run || fail "run ends well for a user at 3"
shown
check "at 3 a user measures by the reference chain" test "$(record sample run | field cycles_from)" = reference
check "and is told why" grep -q paranoid run
as_student 'slexplore doctor --quiet' >doctor
cat doctor
check "doctor says what to change" grep -q 'perf_event_paranoid=[012]' doctor
slexplore run k-loads --format json --quiet >run
check "root counts even so" near "$(value instructions run)" "$code" 0.0001
allow perf_event_paranoid 2
allow perf_user_access 0
