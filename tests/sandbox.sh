#!/bin/sh
# Runs slexplore in sandboxes, and prints what works in each: `run` of a kernel, `explain` of an own loop (which is single-stepped),
# and the explorer with a script. A row has "yes", or the message. No run may crash, hang, or leave a file.
#
#   sandbox.sh PROGRAM [NAME]       make check-sandbox; NAME: only the sandbox with this name
set -u

program=$1 only=${2-}
place=$(mktemp -d) || exit 2
trap 'rm -rf "$place"' EXIT
mkdir "$place/tmp" "$place/work"
cd "$place/work" || exit 2
chmod -R a+rwX "$place"

# Something is wrong: the script fails at its end. The commands run in subshells, so a file holds it.
wrong() { : >"$place/wrong"; }

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

# cell COMMAND...: prints "yes", or the reason why the command fails. A crash or a hang is wrong. Two minutes are enough on a busy machine.
cell() {
	TMPDIR=$place/tmp timeout 120 "$@" >out 2>err </dev/null
	status=$?
	case $status in
	0) printf 'yes' ;;
	1 | 2) printf 'no: %s' "$(grep -v note: err | sed -n 's/^slexplore: //p' | tail -n 1 | cut -c1-90)"
		[ -s err ] || { printf ' (no message)'; wrong; } ;;
	*) printf 'WRONG (status %s): %s' "$status" "$(tail -n 1 err | cut -c1-90)"; wrong ;;
	esac
}

# sandbox NAME COMMAND...: the command starts a program, which follows it, in the sandbox.
sandbox() {
	name=$1
	shift
	[ -z "$only" ] || [ "$only" = "$name" ] || return
	"$@" true 2>/dev/null || { echo "$name: cannot be tried here"; return; }
	echo "$name"
	printf '  run       %s\n' "$(cell "$@" "$program" run mul-chain --time-budget 0.2 --quiet)"
	printf '  own loop  %s\n' "$(cell "$@" "$program" explain ./mine.c n=1000)"
	printf '  explorer  %s\n' "$(cell "$@" "$program" explore mul-chain --script script --no-settings)"
	left=$(ls "$place/tmp")
	[ -z "$left" ] || { echo "  left behind: $left"; wrong; rm -rf "${place:?}"/tmp/*; }
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
sandbox "one processor" taskset -c 0

# Limits of each kind, one at a time. The number of processes is not limited for root: another user runs the program.
for limit in --as=1073741824 --as=268435456 --core=0 --cpu=20 --data=268435456 --fsize=1048576 --fsize=4096 --locks=0 --memlock=0 --msgqueue=0 \
	--nice=0 --nofile=32 --nofile=8 --rss=1048576 --rtprio=0 --rttime=1000000 --sigpending=0 --stack=1048576 --stack=262144; do
	sandbox "prlimit $limit" prlimit "$limit"
done
for limit in --nproc=64 --nproc=2; do
	sandbox "prlimit $limit, another user" setpriv --reuid 65534 --regid 65534 --clear-groups prlimit "$limit"
done

# The memory of a group of processes, by cgroup v2 or v1.
memory_group() {
	if [ -w /sys/fs/cgroup/cgroup.subtree_control ] && grep -qw memory /sys/fs/cgroup/cgroup.subtree_control; then
		group=/sys/fs/cgroup/slexplore-$$ file=memory.max
	elif [ -w /sys/fs/cgroup/memory/memory.limit_in_bytes ]; then
		group=/sys/fs/cgroup/memory/slexplore-$$ file=memory.limit_in_bytes
	else
		return 1
	fi
	mkdir "$group" && echo "$1" >"$group/$file"
}
for mebibytes in 512 128 32; do
	name="memory of the cgroup: $mebibytes MiB"
	memory_group $((mebibytes << 20)) 2>/dev/null || { echo "$name: cannot be tried here: no memory controller can be written"; continue; }
	sandbox "$name, $file" sh -c 'echo $$ >"$1/cgroup.procs"; shift; exec "$@"' sh "$group"
	rmdir "$group"
done
[ ! -e "$place/wrong" ]
