# The recording that was made in the machine (scenarios/recording.sh), played by the program of this machine, which may have no
# counters at all: its counters are on screen. Read with `.`; bash. Reports findings as scenarios do, in replay/out/.

replay_screen() { sed 's/  */ /g' "$place/replay/out/screen"; }
replay_shows() {
	if replay_screen | grep -e "$2" >/dev/null; then
		echo "PASS $1"
	else
		echo "FAIL $1"
		echo "---- $1: no $2" >&2
	fi
}

# From knob to knob, and the screen at each stop.
replay_script() {
	cat <<-'END'
	resize 120x40
	wait
	view counters
	dump
	set k=3
	wait
	dump
	kernel mul-chain
	view counters
	set acc=4
	wait
	dump
	quit
	END
}

replay_told() {
	local status=0
	LC_ALL=C.UTF-8 timeout 120 "$program" replay "$1" k-loads k=2 --script - >"$place/replay/out/screen" < <(replay_script) ||
		status=$?
	cat "$place/replay/out/screen" >&2
	if [ $status != 0 ]; then
		echo "FAIL the recording plays: status $status"
		return
	fi
	replay_shows "it says that it is a replay" REPLAY
	replay_shows "of the machine that it was made on" 'Neoverse N1'
	replay_shows "cycles are the counter's" 'C counter'
	replay_shows "the counter panel has instructions counted beside those of the code" 'instructions 2.375 2.375 ='
	replay_shows "another setting has its own" 'instructions 3.375 3.375 ='
	replay_shows "another kernel too" 'instructions 2.750 2.750 ='
	replay_shows "what could not be counted there says why" 'unavailable (stays at zero'
}

# Where there is no program for this machine, that is skipped.
replay_run() {
	local out=$place/replay/out
	program=${SLEXPLORE:-}
	rm -rf "${out%/*}"
	mkdir -p "$out"
	if [ -z "$program" ]; then
		echo "SKIP SLEXPLORE in the environment names no program of this machine" >"$out/recording.results"
	else
		replay_told "$place/exact/out/counted.jsonl" >"$out/recording.results" 2>"$out/recording.log"
	fi
	echo 0 >"$out/recording.status"
	results_of replay recording
}
