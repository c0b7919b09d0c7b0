#!/bin/bash
# A processor that counts: cross-builds for AArch64, boots a Debian kernel in an emulator whose Neoverse N1 has working
# counters, and runs slexplore there, through the real perf_event_open and the real libpfm4. What is counted there is
# exact: an instruction is one instruction, and takes 2^SHIFT cycles.
#
#   counted.sh [OPTION...]                         every scenario (run by `make check-counted`)
#   counted.sh [OPTION...] check NAME...           some of them: a machine (exact), a scenario (basics), or both (exact/basics)
#   counted.sh [OPTION...] shell                   a shell there on this terminal; `exit` ends the machine
#   counted.sh [OPTION...] run FILE [ARG...]       one program there (built for arm64), or one shell script; its exit status
#
#   -w WORK     keeps packages and the cross-build there; the same as arm64.sh's (default: arm64)
#   -i SHIFT    of shell and run: an instruction takes 2^SHIFT cycles of a nanosecond (default 0)
#   -c CPU      of shell and run: qemu's -cpu (default neoverse-n1; neoverse-n1,pmu=off has no counters)
#   -u UNIT     also builds that unit test, and puts it there as /counted/unit/UNIT (may be repeated)
#
# Exit status 77 when packages are needed and cannot be had.
set -euo pipefail

me=check-counted
tests=$(cd "${0%/*}" && pwd)
. "$tests/cross.sh"
. "$tests/counted/machine.sh"
. "$tests/counted/replay.sh"
. "$tests/counted/terminal.sh"
. "$tests/counted/results.sh"

# Unit tests that are not whole without counters.
units="test_clock test_counting_trials test_environment test_fillers test_pmu test_step_own test_worker"
directory=arm64 shift_=0 cpu=neoverse-n1
terminal_socket='' boots='' place=''

usage() { sed -n '2,20s/^# \{0,1\}//p' "$0" >&2; exit 2; }

prepare() {
	cross_need qemu-system-aarch64 qemu-system-arm $triplet-gcc gcc-$triplet cpio cpio tmux tmux \
		apt-get apt dpkg dpkg flock util-linux
	cross_begin "$tests/.." "$directory"
	place=$work/counted
	[ "$verb" = check ] || place=$(mktemp -d "$work/counted-XXXXXX")
	mkdir -p "$place"
	cross_sysroot
	cross_unpack kernel linux-image-cloud-arm64
	cross_unpack tools busybox-static libc-bin
	cross_configure
	# shellcheck disable=SC2046,SC2086
	cross_make slexplore tests/counted/probe $(printf 'tests/unit/%s.test ' $units)
	machine_root
	cross_end
}

while getopts w:i:c:u: option; do
	case $option in
	w) directory=$OPTARG ;;
	i) shift_=$OPTARG ;;
	c) cpu=$OPTARG ;;
	u) units="$units $OPTARG" ;;
	*) usage ;;
	esac
done
shift $((OPTIND - 1))
verb=${1:-check}
[ $# = 0 ] || shift

finish() {
	machine_stop
	rm -rf "${terminal_socket%/*}"
	[ "$verb" = check ] || rm -rf "$place"
}
trap finish EXIT
trap 'exit 129' HUP
trap 'exit 130' INT
trap 'exit 143' TERM

case $verb in
check)
	prepare
	results_all "$@"
	;;
shell)
	prepare >&2
	machine_shell
	;;
run)
	[ $# -gt 0 ] || usage
	prepare >&2
	machine_run "$@"
	;;
*) usage ;;
esac
