#!/bin/bash
# Cross-builds for AArch64 and runs the unit tests and the machine-code tests there, the programs under user-mode
# emulation. Nothing is timed.
#
#   arm64.sh SOURCE-DIRECTORY WORK-DIRECTORY      (run by `make check-arm64`)
#
# Libraries come from Debian's arm64 packages, unpacked into WORK-DIRECTORY/sysroot and kept for the next time;
# the system's own packages are neither read nor changed. Exit status 77 when the packages cannot be had.
set -euo pipefail

me=check-arm64
. "${0%/*}/cross.sh"

emulator=$(command -v qemu-aarch64-static || command -v qemu-aarch64 || true)

cross_need $triplet-gcc "gcc-$triplet" "${emulator:-qemu-aarch64-static}" qemu-user-static \
	apt-get apt dpkg dpkg flock util-linux
cross_begin "$1" "$2"
cross_sysroot
cross_configure
cross_make all
# automake's harness puts TEST_LOG_COMPILER before each compiled test.
cross_make check-portable-code TEST_LOG_COMPILER="$emulator -L $sysroot"
cross_end
