#!/bin/sh
# The explorer on a real terminal (tmux): it starts, follows keys, survives resizes and stops. However it ends, it restores the
# terminal. The script polls the screen with a deadline, and never sleeps for a fixed time.
leaks=1
. "$(dirname "$0")/lib.sh"

command -v tmux >/dev/null 2>&1 || { echo "no tmux here"; exit 77; }
socket=$work/socket
unset TMUX

tm() { tmux -S "$socket" -f /dev/null "$@"; }
screen() { tm capture-pane -p -t test; }
trap 'tm kill-server 2>/dev/null; rm -rf "$place"' EXIT

# Later checks would fail for the same reason.
stuck() { fail "$*"; screen; exit 1; }

has() { screen | grep -q -e "$1"; }
has_not() { ! has "$1"; }
shows() { until_true has "$1" || stuck "never showed: $1"; }
lacks() { until_true has_not "$1" || stuck "went on showing: $1"; }
keys() { tm send-keys -t test "$@"; }
restored() { [ "$(tm display-message -p -t test '#{alternate_on} #{cursor_flag}')" = "0 1" ]; }
# pressed KEY COMMAND...: presses the key, and waits half a second at most until the command succeeds.
pressed() {
	keys "$1"
	shift
	for try in 1 2 3 4 5; do
		"$@" && return
		sleep 0.1
	done
	return 1
}
gone() { ! kill -0 "$1" 2>/dev/null; }
pid_of() { until_true test -s pid || stuck "no process"; cat pid; }

# A shell whose prompt shows the last exit status, and "sane" if the terminal echoes and has canonical input. It runs in $work, so that typed
# lines are short and do not wrap into the answer.
tm new-session -d -x 80 -y 24 -s test "sh" || { echo "tmux does not start"; exit 77; }
keys "PS1='ready> '; stty -a > before; clear" Enter
shows '^ready>'

start() {
	rm -f pid
	keys "clear; sh -c 'echo \$\$ > pid; exec \"$SLEXPLORE\" $*'; echo ended \$?" Enter
}
ended() {
	shows "^ended $1"
	lacks 'cycles per '
	keys "stty -a | cmp -s - before && echo same || echo differs" Enter
	shows '^same'
	until_true restored || stuck "not restored"
	keys "clear" Enter
	lacks '^ended'
}

# Starts, follows keys, quits.
start
shows 'cycles per '
shows 'quartiles'
shows 'q quit'
keys Down Down Right
shows '▸ unroll'
# A terminal's late answer about its cursor (Esc [ 41 ; 10 R), and an unknown key (Esc [ 15 ; 5 ~), must not be taken for typed text.
keys -H 1b 5b 34 31 3b 31 30 52
keys -H 1b 5b 31 35 3b 35 7e
# While the terminal has not answered the question for its background, "]" is a key again some time after an Esc.
keys Escape
until_true pressed ']' has_not '▸ combine' || stuck "] does nothing"
until_true pressed '[' has '▸ combine' || stuck "[ does nothing"
# The answer about the terminal's background, late and in parts: a white background, so the theme has dark text.
looks() { tm capture-pane -e -p -t test | grep -q -e "$1"; }
for part in 1b 5d '31 31 3b 72 67 62 3a 66 66' '2f 66 66 2f' '66 66 1b' 5c; do
	# shellcheck disable=SC2086 # the bytes are separate words
	keys -H $part
done
until_true looks '38;5;235' || stuck "no light theme on a white background"
has '\] does nothing here' && stuck "an answer of the terminal was typed"
# Pasted text, a key with Alt and the key F13 type nothing where no field is open.
tm set-buffer 64k
tm paste-buffer -p -t test
shows 'pasted text is ignored'
keys M-5
shows 'this key does nothing here'
keys -H 1b 5b 32 35 7e
has_not '5_' || stuck "an unknown key was typed"
# Ctrl-S does not stop the terminal: the next screens are shown.
keys C-s
# In the find line, pasted text is text.
keys /
tm paste-buffer -p -t test
shows '/ 64k_'
keys Escape
lacks '╭─ find'
# The end of a pasted text was lost: Esc ends it, and keys are keys again.
keys /
keys -H 1b 5b 32 30 30 7e
keys 12q Escape
shows '/ 12q_'
keys 3
shows '/ 12q3_'
keys Escape
lacks '╭─ find'
keys '?'
shows '╭─ help'
keys Escape
lacks '╭─ help'
keys /
keys list Enter
shows '▸ list-length'
keys y
shows 'slexplore explore list-length'
keys q
lacks 'command line ─'
# A terminal may say that it has any size; ncurses counts rows in 16 bits.
tty=$(tm display-message -p -t test '#{pane_tty}')
for rows in 40000 32768 24; do
	stty -F "$tty" rows $rows
	keys Space
	shows 'frozen'
	keys Space
	lacks 'frozen'
done
keys Space
shows 'frozen'
keys q
ended 0

# A compiler that does not end, before the screen opens.
echo '/* slexplore: a=f64[n] */' >mine.c
echo 'exec sleep 60' >slow-cc
keys "export CC='sh slow-cc'; clear" Enter
start ./mine.c
shows 'compiling; q quits'
keys x q
ended 1
keys "unset CC; clear" Enter
lacks '^ended'

# Signals that end it.
for signal in TERM:143 HUP:129 INT:130 QUIT:131 USR1:138 USR2:140 ALRM:142 XCPU:152 VTALRM:154 PROF:155 IO:157 PWR:158; do
	start
	shows 'cycles per '
	pid=$(pid_of)
	kill -"${signal%:*}" "$pid"
	until_true gone "$pid" || stuck "$signal did not end it"
	ended "${signal#*:}"
done

# A processor that does not exist: the same line as from run, and a restored terminal.
start --cpu 99999
shows '--cpu 99999: this process may use only processors'
ended 2
# The same when the worker finds out after the first frame: on a simulated machine with one processor.
keys "clear; HWLOC_SYNTHETIC='core:1 pu:1' \"$SLEXPLORE\" --cpu 1; echo ended \$?" Enter
shows '--cpu 1: this process may use only processors'
ended 2

# When stopped, it restores the terminal; when continued, it draws everything again.
keys "\"$SLEXPLORE\"" Enter
shows 'cycles per '
keys C-z
shows '^ready>'
lacks 'cycles per '
until_true restored || stuck "not restored when stopped"
keys fg Enter
shows 'cycles per '
# A stopped program gets a terminal with more rows than ncurses can count. ncurses must not read that size.
keys C-z
shows '^ready>'
stty -F "$tty" rows 32768
keys fg Enter
shows 'cycles per '
stty -F "$tty" rows 24
keys Down
shows '▸ '
keys q
shows '^ready>'
lacks 'cycles per '

# A terminal that takes no output does not keep the program from ending: tmux reads nothing while it is stopped. Each SIGWINCH draws the
# whole screen, until the terminal's buffers are full and the program waits for the terminal.
start
shows 'cycles per '
shows 'quartiles'
pid=$(pid_of) server=$(tm display-message -p '#{pid}')
waits() { kill -s WINCH "$pid"; grep -q wait_woken "/proc/$pid/wchan"; }
case $(cat "/proc/$pid/wchan") in
0 | '') echo "left out: this kernel does not say what a process waits for"; kill -s TERM "$pid" ;;
*)
	kill -s STOP "$server"
	until_true waits || fail "the terminal's buffers were never full"
	kill -s TERM "$pid"
	until_true gone "$pid" || fail "SIGTERM did not end the program, whose terminal takes no output"
	kill -s CONT "$server"
	;;
esac
ended 143

# It ends while it records: the message about the file stays readable.
start mul-chain --record quit.jsonl
shows '● recording'
shows 'quartiles'
keys q
shows '^slexplore: recorded: [1-9n][0-9o]* setting'
ended 0

# A recording is opened in the explorer, and left again. What was recorded above may lack a finished measurement on a busy machine.
cp "$top_srcdir/tests/data/canned.jsonl" .
start
shows 'cycles per '
keys / 'open canned.jsonl' Enter
shows 'REPLAY canned.jsonl'
shows 'cycles per '
# Two recordings, A and B, change places.
cp canned.jsonl other.jsonl
keys / 'beside other.jsonl' Enter
shows 'A is now other.jsonl'
keys s
shows 'REPLAY other.jsonl'
shows 'A is now canned.jsonl'
keys / live Enter
lacks 'REPLAY'
shows 'quartiles'
keys q
ended 0

start
shows 'cycles per '

# Many resizes, down to a tiny screen.
for size in 120x40 59x15 200x50 3x2 61x17 20x5 80x24 3x2; do
	tm resize-window -t test -x "${size%x*}" -y "${size#*x}"
done
until_true has '^q' || stuck "3x2"
tm resize-window -t test -x 40 -y 10
shows '^limit '
shows 'q quit'
tm resize-window -t test -x 80 -y 24
shows 'cycles per '
keys F10
ended 0

# Without memory for a larger screen, a message ends it. A sanitized program does not start with so little memory.
if (ulimit -d 300000 && "$SLEXPLORE" --version >out 2>&1); then
	keys "clear; (ulimit -d 300000; exec '$SLEXPLORE'); echo ended \$?" Enter
	shows 'cycles per '
	stty -F "$(tm display-message -p -t test '#{pane_tty}')" rows 5000 cols 5000
	shows '^slexplore: out of memory: ncurses has none for a screen of 2000 columns'
	stty -F "$(tm display-message -p -t test '#{pane_tty}')" rows 24 cols 80
	ended 1
fi

# The terminal is gone, but no signal arrives, because the shell that leads the session ignores SIGHUP.
rm -f pid
tm new-session -d -x 80 -y 24 -s gone "sh -c 'trap \"\" HUP; sh -c \"echo \\\$\\\$ > pid; exec \\\"$SLEXPLORE\\\"\"; true'"
until_true eval 'tm capture-pane -p -t gone | grep -q "cycles per "' || stuck "no second explorer"
pid=$(pid_of)
tm kill-session -t gone
until_true gone "$pid" || { kill -KILL "$pid"; stuck "it went on without a terminal"; }

# Ctrl-S before the start stops nothing, and flow control is on again afterwards.
tm respawn-window -k -t test "sh"
keys "PS1='ready> '; stty ixon; stty -a > before; clear" Enter
shows '^ready>'
keys "clear; until [ -e go ]; do sleep 0.01; done; '$SLEXPLORE'; echo ended \$?" Enter
lacks '^ready>'
keys C-s
touch go
shows 'cycles per '
keys q
ended 0

# No usable terminal: one line, exit status 2, and no escape byte.
for term in dumb unknown no-such-terminal ''; do
	tm respawn-window -k -t test "TERM='$term' '$SLEXPLORE' > out 2> err; echo \$? > status; sh"
	until_true test -s status || stuck "TERM=$term"
	# Standard output is a file here; then once more with the terminal.
	[ "$(cat status)" = 2 ] || stuck "TERM=$term: exit status"
	rm -f status
	tm respawn-window -k -t test "TERM='$term' '$SLEXPLORE' 2> err; echo \$? > status; sh"
	until_true test -s status || stuck "TERM=$term"
	[ "$(cat status)" = 2 ] || stuck "TERM=$term: exit status on a terminal"
	grep -q 'TERM' err || stuck "TERM=$term: no reason"
	! grep -q "$(printf '\033')" err out || stuck "TERM=$term: escape bytes"
	rm -f status
done

# Absurd numbers of lines and columns are not used.
for size in 0:0 -1:x 99999999:99999999; do
	tm respawn-window -k -t test "LINES='${size%:*}' COLUMNS='${size#*:}' '$SLEXPLORE' mul-by 2>err; echo \$? > status; sh"
	shows 'cycles per '
	keys q
	until_true test -s status || stuck "LINES and COLUMNS $size"
	[ "$(cat status)" = 0 ] || stuck "LINES and COLUMNS $size: exit status"
	rm -f status
done

# A function of a program, which is predicted and not measured.
if [ "$(uname -m)" = x86_64 ]; then known=zen4; else known=neoverse-n1; fi
tm respawn-window -k -t test "'$SLEXPLORE' '$SLEXPLORE' --function stats_trimmed_mean --uarch $known --no-settings 2>err; echo \$? > status; sh"
shows 'predicted, not measured'
keys q
until_true test -s status || stuck "q does not end the explorer of a program"

# ASCII if the locale requires it.
tm respawn-window -k -t test "LC_ALL=C '$SLEXPLORE'"
shows 'cycles per '
has '─' && stuck "beyond ASCII in the C locale"
shows '> combine'
keys q

done_with "the terminal is as before, however the explorer ended"
