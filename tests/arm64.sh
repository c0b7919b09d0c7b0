#!/bin/bash
# Cross-builds for AArch64 and runs the unit tests and the machine-code tests there, the programs under user-mode
# emulation. Nothing is timed.
#
#   arm64.sh SOURCE-DIRECTORY WORK-DIRECTORY      (what `make check-arm64` runs)
#
# Libraries come from Debian's arm64 packages, unpacked into WORK-DIRECTORY/sysroot and kept for the next time;
# the system's own packages are neither read nor changed. Exit status 77 when the packages cannot be had.
set -euo pipefail

source=$(cd "$1" && pwd)
mkdir -p "$2"
work=$(cd "$2" && pwd)
sysroot=$work/sysroot
build=$work/build
triplet=aarch64-linux-gnu

# What the programs link with, and what that needs to run.
packages="libc6 libc6-dev linux-libc-dev libgcc-s1 libcrypt1 libcrypt-dev
	libhwloc15 libhwloc-dev libudev1 libltdl7
	libncursesw6 libncurses-dev libtinfo6 ncurses-base
	libjansson4 libjansson-dev libcapstone4 libcapstone-dev libcmocka0 libcmocka-dev
	libpfm4 libpfm4-dev"

say() { echo "check-arm64: $*"; }

emulator=
find_tools() {
	local missing="" tool
	command -v $triplet-gcc >/dev/null || missing="$missing gcc-$triplet"
	for tool in qemu-aarch64-static qemu-aarch64; do
		[ -n "$emulator" ] || emulator=$(command -v $tool || true)
	done
	[ -n "$emulator" ] || missing="$missing qemu-user-static"
	for tool in apt-get dpkg; do
		command -v $tool >/dev/null || missing="$missing $tool"
	done
	if [ -n "$missing" ]; then
		say "missing:$missing; on Debian, as root: apt-get install gcc-$triplet qemu-user-static" >&2
		exit 1
	fi
}

# A private apt whose only architecture is arm64, with the Debian mirrors that this machine uses itself.
private_apt() {
	local apt=$work/apt
	rm -rf "$apt"
	mkdir -p "$apt/state/lists/partial" "$apt/cache/archives/partial" "$apt/sources" "$apt/none"
	: >"$apt/state/status"
	if [ -e /etc/apt/sources.list.d/debian.sources ]; then
		cp /etc/apt/sources.list.d/debian.sources "$apt/sources/"
	else
		grep -h '^deb ' /etc/apt/sources.list | sed 's/\[[^]]*\]//' >"$apt/sources/debian.list"
	fi
	cat >"$apt/apt.conf" <<-END
		Dir::State "$apt/state";
		Dir::State::status "$apt/state/status";
		Dir::Cache "$apt/cache";
		Dir::Etc::sourcelist "-";
		Dir::Etc::sourceparts "$apt/sources";
		Dir::Etc::preferences "-";
		Dir::Etc::preferencesparts "$apt/none";
		APT::Architecture "arm64";
		APT::Architectures "arm64";
		APT::Sandbox::User "";
		Acquire::Languages "none";
	END
	export APT_CONFIG=$apt/apt.conf
}

# Absolute links would leave the sysroot, and the linker would take the host's library in silence.
keep_links_inside() {
	local link target
	find "$sysroot" -lname '/*' | while read -r link; do
		target=$(readlink "$link")
		[ ! -e "$sysroot$target" ] || ln -sfnr "$sysroot$target" "$link"
	done
}

make_sysroot() {
	local deb
	[ "$(cat "$sysroot/.packages" 2>/dev/null)" != "$packages" ] || return 0
	say "fetching Debian's arm64 libraries into $work"
	rm -rf "$sysroot" "$work/debs"
	mkdir -p "$sysroot" "$work/debs"
	# shellcheck disable=SC2086
	if ! (private_apt && apt-get -qq update && cd "$work/debs" && apt-get -qq download $packages) \
		>"$work/fetch.log" 2>&1; then
		tail -5 "$work/fetch.log"
		say "skipped: the packages cannot be fetched; see $work/fetch.log"
		exit 77
	fi
	for deb in "$work"/debs/*.deb; do
		dpkg -x "$deb" "$sysroot"
	done
	keep_links_inside
	rm -rf "$work/debs" "$work/apt"
	printf '%s' "$packages" >"$sysroot/.packages"
}

configure() {
	mkdir -p "$build"
	[ ! -e "$build/config.status" ] || return 0
	say "configuring in $build"
	if ! (cd "$build" && PKG_CONFIG_SYSROOT_DIR=$sysroot \
		PKG_CONFIG_LIBDIR=$sysroot/usr/lib/$triplet/pkgconfig:$sysroot/usr/share/pkgconfig \
		"$source/configure" -q --host=$triplet --enable-werror \
		CC="$triplet-gcc --sysroot=$sysroot") >"$build/configure.log" 2>&1; then
		rm -f "$build/config.status"
		tail -5 "$build/configure.log"
		say "configure failed; see $build/config.log"
		exit 1
	fi
}

find_tools
make_sysroot
configure
# MAKEFLAGS hands -j down. LOG_COMPILER is what automake's harness puts before each compiled test.
make -C "$build" -s all
make -C "$build" check-portable-code LOG_COMPILER="$emulator -L $sysroot"
