# The machine of tests/counted.sh: its root file system, and how it is booted. Read with `.`; bash.
#
# There is one root file system, in memory, for all boots; the kernel's command line names the task (init).
# What comes out is written by init, as a tar archive, to the one disk there is: a file here.

# boots, of counted.sh, has the process ids of those that run now.

# Copies a library, and the libraries that it needs. machine_library NAME USER
machine_library() {
	local library
	[ ! -e "$root/lib/$1" ] || return 0
	for library in "$sysroot"/{,usr/}lib/$triplet/"$1" none; do
		[ ! -e "$library" ] || break
	done
	[ "$library" != none ] || { say "$2 needs $1, which no package of the list in cross.sh has"; exit 1; }
	cp -L "$library" "$root/lib/$1"
	machine_needs "$library"
}

machine_needs() {
	local name
	for name in $($triplet-readelf -d "$1" 2>/dev/null | sed -n 's/.*(NEEDED).*\[\(.*\)\]/\1/p'); do
		machine_library "$name" "$1"
	done
}

# Copies a program and the libraries that it needs. machine_install PROGRAM DESTINATION
machine_install() {
	$triplet-strip -o "$root/$2" "$1" 2>/dev/null || cp "$1" "$root/$2"
	chmod 755 "$root/$2"
	machine_needs "$1"
}

machine_root() {
	local unit
	root=$place/root
	rm -rf "$root"
	mkdir -p "$root"/{bin,dev,etc,lib,out,proc,sys,tmp,counted/unit,usr/lib/locale}
	cp "$work/tools/bin/busybox" "$root/bin/"
	ln -s busybox "$root/bin/sh"
	cp -L "$sysroot/lib/ld-linux-aarch64.so.1" "$root/lib/"
	cp -RL "$sysroot/lib/terminfo" "$root/lib/"
	cp -R "$work/tools/usr/lib/locale/C.utf8" "$root/usr/lib/locale/"
	printf '%s\n' 'root::0:0::/tmp:/bin/sh' 'student::1000:1000::/tmp:/bin/sh' >"$root/etc/passwd"
	printf '%s\n' 'root::0:' 'student::1000:' >"$root/etc/group"
	cp "$tests/counted/init" "$root/init"
	chmod 755 "$root/init"
	cp "$tests/counted"/{lib.sh,own.S,own-cc} "$root/counted/"
	chmod 755 "$root/counted/own-cc"
	$triplet-gcc -shared -nostdlib -o "$root/counted/own.so" "$tests/counted/own.S"
	machine_install "$build/slexplore" bin/slexplore
	machine_library libpfm.so.4 slexplore
	machine_install "$build/tests/counted/probe" counted/probe
	mkdir -p "$root/counted/tests"
	cp -R "$tests/data" "$root/counted/tests/"
	for unit in $units; do
		machine_install "$build/tests/unit/$unit.test" "counted/unit/$unit"
	done
}

machine_pack() {
	(cd "$root" && find . | LC_ALL=C sort | cpio --quiet -o -H newc -R 0:0) >"$place/root.cpio"
}

# The words that start a machine. machine_words SHIFT CPU TASK. Where nobody waits at a terminal, its clock leaps over idle
# time (sleep=off).
machine_words() {
	local idle=off
	[ "$3" != shell ] || idle=on
	words=(qemu-system-aarch64 -M virt -cpu "$2" -accel tcg -icount "shift=$1,sleep=$idle" -smp 1 -m 256
		-nodefaults -nographic -monitor none -no-reboot
		-kernel "$(echo "$work"/kernel/boot/vmlinuz-*)" -initrd "$place/root.cpio"
		-append "console=ttyAMA0 quiet panic=-1 counted=$3")
}

# Starts a machine and its task in the background. It ends by itself, after half an hour, or with this script, however that
# ends. machine_boot NAME SHIFT CPU TASK
machine_boot() {
	local here=$place/$1
	rm -rf "$here"
	mkdir -p "$here/out"
	truncate -s 64M "$here/disk"
	machine_words "$2" "$3" "$4"
	setpriv --pdeathsig TERM timeout -k 5 1800 "${words[@]}" -serial "file:$here/console" \
		-drive "if=none,id=out,format=raw,file=$here/disk" -device nvme,drive=out,serial=out \
		</dev/null >"$here/qemu.log" 2>&1 &
	boots="$boots $!"
	eval "boot_$1=$!"
}

# Waits for the machine, and unpacks its files into its out/. machine_wait NAME
machine_wait() {
	local here=$place/$1 pid=boot_$1 status=0
	pid=${!pid}
	wait "$pid" || status=$?
	boots=$(printf ' %s ' "$boots" | sed "s/ $pid / /")
	[ $status = 0 ] || echo "qemu ended with status $status" >>"$here/qemu.log"
	tar -C "$here/out" -xf "$here/disk" 2>/dev/null || return 1
	rm -f "$here/disk"
	[ -e "$here/out/.done" ]
}

machine_stop() {
	local pid
	for pid in $boots; do
		kill "$pid" 2>/dev/null || true
	done
}

# Keys go to the machine, so that Ctrl-C ends the program there; the shell gets this terminal's size.
machine_shell() {
	local size status=0 saved
	machine_pack
	size=$(stty size 2>/dev/null || echo 24 80)
	machine_words "$shift_" "$cpu" shell
	words[-1]="${words[-1]} rows=${size% *} columns=${size#* } term=${TERM:-vt100}"
	saved=$(stty -g 2>/dev/null || true)
	"${words[@]}" -chardev stdio,id=line,signal=off -serial chardev:line || status=$?
	[ -z "$saved" ] || stty "$saved"
	return $status
}

machine_run() {
	local program=$1 word
	shift
	mkdir -p "$root/counted/run"
	machine_install "$program" counted/run/program
	{
		printf 'exec /counted/run/program'
		for word; do
			printf " '%s'" "$(printf %s "$word" | sed "s/'/'\\\\''/g")"
		done
		echo
	} >"$root/counted/run/task.sh"
	machine_pack
	machine_boot run "$shift_" "$cpu" run
	if ! machine_wait run; then
		cat "$place/run/qemu.log" "$place/run/console" >&2
		say "the machine gave no result; see $place/run" >&2
		return 1
	fi
	cat "$place/run/out/task.log"
	return "$(cat "$place/run/out/task.status")"
}
