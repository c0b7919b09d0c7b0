# The explorer in the machine, over its serial line: drawn in tmux here, driven by keys. Waits for text on the screen, with a
# deadline, never for a time. Read with `.`; bash. Reports findings as scenarios do, in terminal/out/.

terminal_begin() {
	local here=$place/terminal
	rm -rf "$here"
	mkdir -p "$here/out"
	terminal_results=$here/out/explorer.results terminal_log=$here/out/explorer.log
	# A socket's path must be short.
	terminal_socket=$(mktemp -d)/tmux
	machine_words 0 neoverse-n1 shell
	words[-1]="${words[-1]} rows=24 columns=80 term=screen"
	# Not a daemon: it and its programs end with this script, however the script ends.
	setpriv --pdeathsig TERM timeout -k 5 1800 tmux -D -S "$terminal_socket" -f /dev/null >"$here/qemu.log" 2>&1 &
	terminal_server=$!
	boots="$boots $terminal_server"
	until_true tm set-option -g default-terminal screen 2>/dev/null || { say "tmux does not start" >&2; return 1; }
	tm new-session -d -x 80 -y 24 -s test "${words[*]@Q} -chardev stdio,id=line,signal=off -serial chardev:line"
}

tm() { tmux -S "$terminal_socket" "$@"; }
screen() { tm capture-pane -p -t test 2>&1; }
keys() { tm send-keys -t test "$@"; }

# Two minutes is long for anything here, on a slow host too.
until_true() {
	local tries=0
	until "$@"; do
		tries=$((tries + 1))
		[ $tries -lt 1200 ] || return 1
		sleep 0.1
	done
}
# All of it is read: tmux must not find its reader gone.
has() { screen | grep -e "$1" >/dev/null; }
has_not() { ! has "$1"; }

found() {
	echo "PASS $1" >>"$terminal_results"
}
missed() {
	echo "FAIL $1" >>"$terminal_results"
	{ echo "---- $1; the screen was:"; screen; } >>"$terminal_log"
	return 1
}
# shows WORDS PATTERN, lacks WORDS PATTERN: the screen does so in the end, or this part of the scenario is over.
shows() { until_true has "$2" && found "$1" || missed "$1"; }
lacks() { until_true has_not "$2" && found "$1" || missed "$1"; }
quietly_shows() { until_true has "$2" || missed "$1"; }

# At 80x24: starts, follows keys, quits; the terminal is as before.
terminal_small() {
	keys 'stty -a >/tmp/before; clear' Enter
	quietly_shows "the line is ready" '^counted#' || return
	keys 'slexplore; echo ended $?' Enter
	shows "the explorer draws at 80x24" 'cycles per' || return
	shows "and measures there by the counter" 'C counter' || return
	keys c
	shows "counters come to the front" 'counters per .*: C' || return
	shows "with what is unavailable, and why" "unavailable.*stays at z" || return
	keys c
	lacks "and go again" 'counters per .*: C' || return
	keys Down Down Right
	shows "a key goes to the next knob" '▸ unroll *5' || return
	keys '?'
	shows "help opens" '╭─ help' || return
	keys Escape
	lacks "help closes" '╭─ help' || return
	terminal_quit
}

# Wider, with more panes: ports, code, and counters with C beside M.
terminal_large() {
	tm resize-window -t test -x 130 -y 40
	keys 'stty rows 40 columns 130; stty -a >/tmp/before; clear' Enter
	quietly_shows "the line is ready" '^counted#' || return
	keys 'slexplore k-loads; echo ended $?' Enter
	shows "the explorer draws at 130x40" 'cycles per' || return
	shows "cycles are the counter's, and the reference chain's doubt is told" 'C counter; R says 0.97 of it' || return
	shows "instructions a cycle" '1.000 instructions a cycle C' || return
	shows "the code pane is there" 'ldr' || return
	shows "the ports say that none of theirs can be counted" 'C unavailable: stays at zero' || return
	keys c
	shows "instructions counted stand beside those of the code" 'instructions *2.375 *2.375 *=' || return
	shows "the screen reports that the two clocks disagree" 'two clocks is wrong' || return
	keys /
	quietly_shows "the finder opens" '─ find' || return
	keys perf_count_hw_instr
	shows "events are found by words" 'PERF_COUNT_HW_INSTRUCTIONS' || return
	keys Enter
	shows "and counted when chosen" 'PERF_COUNT_HW_INSTRUCTIONS *2.375' || return
	terminal_quit
}

terminal_quit() {
	keys q
	shows "q ends it" '^ended 0' || return
	lacks "the screen is given back" 'cycles per' || return
	keys 'clear; stty -a | cmp -s - /tmp/before && echo same || echo differs' Enter
	shows "the line is as before" '^same' || return
	[ "$(tm display-message -p -t test '#{alternate_on} #{cursor_flag}')" = "0 1" ] &&
		found "the terminal is as before" || missed "the terminal is as before"
	keys clear Enter
	until_true has_not '^same'
}

terminal_run() {
	if quietly_shows "the shell in the machine" '^counted#' && terminal_small && terminal_large; then
		keys exit Enter
		until_true terminal_over && found "the machine switches itself off" || missed "the machine switches itself off" || true
	fi
	tm kill-server 2>/dev/null || true
	wait "$terminal_server" || true
	rm -rf "${terminal_socket%/*}"
	echo 0 >"$place/terminal/out/explorer.status"
}

# The machine has switched itself off, and its window is gone.
terminal_over() { ! tm has-session -t test 2>/dev/null; }
