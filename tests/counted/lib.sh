# Shared by the scenarios of tests/counted/; busybox sh, in the machine. A scenario reports each finding with pass or
# fail, and goes on; other output is shown only if something failed.

pass() { echo "PASS $*" | tee -a "$results"; }
fail() { echo "FAIL $*" | tee -a "$results"; }
skip() { echo "SKIP $*" | tee -a "$results"; }

# check WORDS COMMAND...: pass when the command succeeds.
check() {
	check_words=$1
	shift
	if "$@"; then pass "$check_words"; else fail "$check_words"; fi
}

# The first record of that name in a file of JSON Lines. record NAME FILE
record() { grep -m 1 "\"record\": *\"$1\"" "$2"; }

# A figure or word of one record on standard input; nothing when there is none. field NAME
field() { sed -n "s/.*\"$1\": *\"\{0,1\}\([^\",}]*\).*/\1/p"; }

# Whether two figures differ by at most a share of the second. near A B SHARE
near() {
	awk -v a="$1" -v b="$2" -v share="$3" 'BEGIN {
		if (a !~ /^[-+0-9.e]+$/ || b !~ /^[-+0-9.e]+$/) exit 1
		d = a - b; if (d < 0) d = -d
		m = b < 0 ? -b : b
		exit !(d <= share * m)
	}'
}

# The counted events in a file of JSON Lines, a line each: NAME,ROLE,VALUE,LO,HI,STATE and more words. events FILE
events() {
	grep '"record": *"counters"' "$1" | grep '"events":' |
		sed 's/.*"events": *\[\[//; s/\], *\[/\n/g' | sed 's/\]\].*//' | tr -d '"'
}

# The value, or the state, of the event of that name or role. value WHICH FILE, state WHICH FILE
value() { events "$2" | awk -F, -v which="$1" '$1 == which || $2 == which { print $3; exit }'; }
state() { events "$2" | awk -F, -v which="$1" '$1 == which || $2 == which { print $6; exit }'; }

# Measures a setting into the file `run`, and explains it into `explain`. measure SETTING... [OPTION...]
# Counts are exact here, so few trials are enough.
measure() {
	slexplore run "$@" --time-budget 0.005 --format json --quiet >run && slexplore explain "$@" --format json --quiet >explain && return
	echo "slexplore run or explain $* ended with status $?"
	return 1
}

# For the log, when something was not as it should be.
shown() { grep -e '"record": *"sample"' -e '"record": *"counters"' run; }
