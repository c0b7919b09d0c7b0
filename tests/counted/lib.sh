# What the scenarios of tests/counted/ share; busybox sh, in the machine. A scenario tells each thing that it finds with pass or
# fail, and goes on; what it prints besides is shown only when something failed.

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
