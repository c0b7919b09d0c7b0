# What tests/arm64.sh and tests/counted.sh share: Debian's arm64 packages, unpacked without touching the system's own,
# and a cross-build of the tree with them. Read with `.`; bash.
#
#   me                   who speaks ("check-arm64")
#   cross_begin SOURCE WORK     sets source, work, sysroot, build, triplet; one at a time in WORK from here on
#   cross_need TOOL PACKAGE …   ends the script with a line when a tool is missing
#   cross_sysroot               sysroot holds the libraries that the programs link with
#   cross_unpack NAME PACKAGE … WORK/NAME holds those packages; status 77 ends the script when they cannot be had
#   cross_configure             build is configured
#   cross_make TARGET …
#   cross_end                   another may now use WORK's build

triplet=aarch64-linux-gnu

# Libraries of the programs, and the packages that these need to run.
sysroot_packages="libc6 libc6-dev linux-libc-dev libgcc-s1 libcrypt1 libcrypt-dev
	libhwloc15 libhwloc-dev libudev1 libltdl7
	libncursesw6 libncurses-dev libtinfo6 ncurses-base
	libjansson4 libjansson-dev libpfm4 libpfm4-dev zlib1g zlib1g-dev
	libcapstone4 libcapstone-dev libcmocka0 libcmocka-dev"

say() { echo "$me: $*"; }

cross_begin() {
	source=$(cd "$1" && pwd)
	mkdir -p "$2"
	work=$(cd "$2" && pwd)
	sysroot=$work/sysroot
	build=$work/build
	export PKG_CONFIG_SYSROOT_DIR=$sysroot
	export PKG_CONFIG_LIBDIR=$sysroot/usr/lib/$triplet/pkgconfig:$sysroot/usr/share/pkgconfig
	exec {cross_lock}>"$work/lock"
	flock "$cross_lock"
	# What a run that was cut off left is not to be relied on.
	rm -rf "$work/apt"
}

cross_end() {
	rm -rf "$work/apt"
	exec {cross_lock}>&-
}

cross_need() {
	local missing=""
	while [ $# -gt 0 ]; do
		command -v "$1" >/dev/null || missing="$missing $2"
		shift 2
	done
	[ -n "$missing" ] || return 0
	say "missing; on Debian, as root: apt-get install --no-install-recommends$missing" >&2
	exit 1
}

# A private apt whose only architecture is arm64, with the Debian mirrors that this machine uses itself. Made, and its lists
# fetched, once a run: cross_end removes it.
private_apt() {
	local apt=$work/apt
	export APT_CONFIG=$apt/apt.conf
	[ ! -e "$apt/.ready" ] || return 0
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
	apt-get -qq update && touch "$apt/.ready"
}

# The real package of a name that always means the newest: linux-image-cloud-arm64, for example. Other names are real packages.
real_package() {
	case $1 in
	linux-image-*) apt-cache depends "$1" | sed -n 's/^ *Depends: \(linux-image-[^ ]*\)$/\1/p' | head -n 1 | grep . ;;
	*) echo "$1" ;;
	esac
}

# Into the current directory.
download() {
	local name real names=""
	private_apt || return 1
	for name; do
		real=$(real_package "$name") || { echo "no package behind $name"; return 1; }
		names="$names $real"
	done
	# shellcheck disable=SC2086
	apt-get -qq download $names
}

# Absolute links would leave the directory, and the linker would take the host's library in silence.
keep_links_inside() {
	local link target
	find "$1" -lname '/*' | while read -r link; do
		target=$(readlink "$link")
		[ ! -e "$1$target" ] || ln -sfnr "$1$target" "$link"
	done
}

cross_unpack() {
	local place=$work/$1 name=$1 deb
	shift
	[ "$(cat "$place/.packages" 2>/dev/null)" != "$*" ] || return 0
	say "fetching Debian's arm64 packages into $place"
	rm -rf "$place" "$work/debs"
	mkdir -p "$place" "$work/debs"
	if ! (cd "$work/debs" && download "$@") >"$work/fetch.log" 2>&1; then
		tail -n 5 "$work/fetch.log"
		say "skipped: the packages for $name cannot be fetched; see $work/fetch.log"
		exit 77
	fi
	for deb in "$work"/debs/*.deb; do
		dpkg -x "$deb" "$place"
	done
	keep_links_inside "$place"
	rm -rf "$work/debs"
	printf '%s' "$*" >"$place/.packages"
}

cross_sysroot() {
	# shellcheck disable=SC2086
	cross_unpack sysroot $sysroot_packages
}

cross_configure() {
	mkdir -p "$build"
	[ "$build/config.status" -nt "$source/configure" ] && [ "$build/config.status" -nt "$sysroot/.packages" ] && return
	say "configuring in $build"
	# gold links a hundred test programs in less processor time. Not every distribution has it.
	local gold=-fuse-ld=gold
	command -v $triplet-ld.gold >/dev/null || gold=
	if ! (cd "$build" && "$source/configure" -q --host=$triplet --enable-werror CFLAGS=-O1 LDFLAGS="$gold" \
		CC="$triplet-gcc --sysroot=$sysroot") >"$build/configure.log" 2>&1; then
		rm -f "$build/config.status"
		tail -n 5 "$build/configure.log"
		say "configure failed; see $build/config.log"
		exit 1
	fi
}

# MAKEFLAGS hands -j down.
cross_make() { make -C "$build" -s "$@"; }
