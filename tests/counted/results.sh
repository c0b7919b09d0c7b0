# Runs the scenarios of tests/counted/ and adds up their findings. Read with `.`; bash.

# The machines: name, shift, processor. The first line of each script in scenarios/ says in which it runs.
machines="exact:0:neoverse-n1 slow:2:neoverse-n1 bare:0:neoverse-n1,pmu=off"

passed=0 failed=0 skipped=0

tell() {
	echo "$1: $2"
	case $1 in
	PASS) passed=$((passed + 1)) ;;
	SKIP) skipped=$((skipped + 1)) ;;
	*) failed=$((failed + 1)) ;;
	esac
}

# The findings of a scenario; fails if it ended with an error or without findings. results_of MACHINE NAME
results_of() {
	local out=$place/$1/out bad=$failed line status
	while read -r line; do
		tell "${line%% *}" "$1/$2: ${line#* }"
	done < <(cat "$out/$2.results" 2>/dev/null)
	status=$(cat "$out/$2.status" 2>/dev/null || echo "none: it never came so far")
	[ -s "$out/$2.results" ] && [ "$status" = 0 ] || tell FAIL "$1/$2: ended with status $status"
	[ $failed = "$bad" ] || {
		echo "==== $1/$2"
		cat "$out/$2.log" 2>/dev/null || tail -n 40 "$place/$1/qemu.log" "$place/$1/console"
	} >>"$report"
}

results_machine() {
	local script
	machine_wait "$1" || {
		tell FAIL "$1: the machine did not come to its end"
		tail -n 40 "$place/$1/qemu.log" "$place/$1/console" >>"$report"
	}
	for script in "$root/counted/$1"/*.sh; do
		script=${script##*/}
		results_of "$1" "${script%.sh}"
	done
}

# Puts the scenarios that were asked for (all, when none is) into the root file system. results_choose MACHINE|SCENARIO|MACHINE/SCENARIO...
results_choose() {
	local script name machine known=0
	for script in "$tests"/counted/scenarios/*.sh; do
		name=${script##*/}
		name=${name%.sh}
		for machine in $(sed -n '1s/^# machines: //p' "$script"); do
			[ $# = 0 ] || case " $* " in
			*" $machine "*|*" $name "*|*" $machine/$name "*) ;;
			*) continue ;;
			esac
			mkdir -p "$root/counted/$machine"
			cp "$script" "$root/counted/$machine/"
			known=1
		done
	done
	[ $known = 1 ] || [[ " $* " == *" terminal "* ]] || { say "no such machine or scenario: $*" >&2; exit 2; }
	machine_pack
}

results_all() {
	local machine name rest running=""
	report=$place/test-suite.log
	: >"$report"
	results_choose "$@"
	for machine in $machines; do
		name=${machine%%:*} rest=${machine#*:}
		[ -d "$root/counted/$name" ] || continue
		machine_boot "$name" "${rest%%:*}" "${rest#*:}" "$name"
		running="$running $name"
	done
	if [ $# = 0 ] || [[ " $* " == *" terminal "* ]]; then
		terminal_begin
		terminal_run
		results_of terminal explorer
	fi
	for name in $running; do
		results_machine "$name"
	done
	[ ! -e "$root/counted/exact/recording.sh" ] || replay_run
	results_sum
}

# As automake's own harness sums up.
results_sum() {
	echo "# TOTAL: $((passed + failed + skipped))"
	echo "# PASS:  $passed"
	echo "# SKIP:  $skipped"
	echo "# XFAIL: 0"
	echo "# FAIL:  $failed"
	echo "# XPASS: 0"
	echo "# ERROR: 0"
	if [ $failed != 0 ]; then
		echo "See $report"
		return 1
	fi
}
