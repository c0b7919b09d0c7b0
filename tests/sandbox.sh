#!/bin/sh
# Runs slexplore in sandboxes, and prints what works in each: `run` of a kernel, `explain` of an own loop (which is single-stepped),
# and the explorer with a script. A row has "yes", or the message. No run may crash, hang, or leave a file.
#
#   sandbox.sh PROGRAM        make check-sandbox
set -u

program=$1
place=$(mktemp -d) || exit 2
trap 'rm -rf "$place"' EXIT
mkdir "$place/tmp" "$place/work"
cd "$place/work" || exit 2
chmod -R a+rwX "$place"
bad=0

cat >mine.c <<'END'
/* slexplore: elements=n a=f64[n]:1.0 */
double sum;
long loop(long n, double *a)
{
	double s = 0;

	for (long i = 0; i < n; i++)
		s += a[i];
	sum = s;
	return 0;
}
END
printf 'wait\npanel figure\n' >script

# filter NUMBER...: writes a seccomp filter, which refuses (EPERM) these system calls of x86-64, to the file "filter".
filter() {
	printf '\040\000\000\000\000\000\000\000' >filter
	for number; do
		printf "\\025\\000\\000\\001\\$(printf %03o $((number % 256)))\\$(printf %03o $((number / 256)))\\000\\000" >>filter
		printf '\006\000\000\000\001\000\005\000' >>filter
	done
	printf '\006\000\000\000\000\000\377\177' >>filter
}

# cell COMMAND...: prints "yes", or the reason why the command fails. Sets `bad` after a crash or a hang.
cell() {
	TMPDIR=$place/tmp timeout 30 "$@" >out 2>err </dev/null
	status=$?
	case $status in
	0) printf 'yes' ;;
	1 | 2) printf 'no: %s' "$(grep -v note: err | sed -n 's/^slexplore: //p' | tail -n 1 | cut -c1-90)"
		[ -s err ] || { printf ' (no message)'; bad=1; } ;;
	*) printf 'WRONG (status %s): %s' "$status" "$(tail -n 1 err | cut -c1-90)"; bad=1 ;;
	esac
}

# sandbox NAME COMMAND...: the command starts a program, which follows it, in the sandbox.
sandbox() {
	name=$1
	shift
	"$@" true 2>/dev/null || { echo "$name: cannot be tried here"; return; }
	echo "$name"
	printf '  run       %s\n' "$(cell "$@" "$program" run mul-chain --time-budget 0.2 --quiet)"
	printf '  own loop  %s\n' "$(cell "$@" "$program" explain ./mine.c n=1000)"
	printf '  explorer  %s\n' "$(cell "$@" "$program" explore mul-chain --script script --no-settings)"
	left=$(ls "$place/tmp")
	[ -z "$left" ] || { echo "  left behind: $left"; bad=1; rm -rf "${place:?}"/tmp/*; }
}

box() { name=$1; shift; sandbox "$name" bwrap --die-with-parent "$@"; }
all="--bind / / --dev-bind /dev /dev"

# shellcheck disable=SC2086 # the options are separate words
if command -v bwrap >/dev/null; then
	box "read-only root" --ro-bind / / --dev /dev --proc /proc --bind "$place" "$place"
	box "no /proc" $all --tmpfs /proc
	box "no /sys" $all --tmpfs /sys
	box "no /proc and no /sys" $all --tmpfs /proc --tmpfs /sys
	box "no /dev/shm" --bind / / --dev /dev --tmpfs /dev/shm --remount-ro /dev/shm
	box "no network, own processes" $all --unshare-net --unshare-pid --proc /proc
	box "another user" $all --unshare-user --uid 65534 --gid 65534
	if [ "$(uname -m)" = x86_64 ]; then
		for refused in "no ptrace:101" "no perf_event_open:298" "no seccomp:317" \
			"Docker's default (ptrace, perf_event_open, keyctl, mbind, set_mempolicy):101 298 250 237 238"; do
			filter ${refused#*:}
			sandbox "${refused%%:*}" sh -c 'exec bwrap --bind / / --dev-bind /dev /dev --seccomp 9 "$@" 9<filter' sh
		done
	fi
fi
limited() { sandbox "ulimit $1" sh -c "ulimit $1; shift; exec \"\$@\"" sh x; }
sandbox "one processor" taskset -c 0
for limit in "-c 0" "-f 8" "-n 32" "-n 8" "-u 64" "-l 0" "-s 256" "-t 20" "-v 1048576" "-v 262144" "-i 0" "-q 0"; do limited "$limit"; done
exit $bad
