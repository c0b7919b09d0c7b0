#!/bin/sh
# Reads the machine code of the other kernels' loops: no more in them than their source says.
#
# Environment: as combine.sh.
set -eu
src=${top_srcdir:-.}
objects=${KERNEL_OBJECTS:-${top_builddir:-.}/kernels}
objdump=${OBJDUMP:-objdump}
awk=${AWK:-awk}
bad=0

# expect OBJECT FUNCTION OPERATIONS LOADS REGISTERS INSTRUCTIONS-AT-MOST
expect() {
	line=$("$objdump" -d --no-show-raw-insn "$objects/$1.o" | "$awk" -f "$src/kernels/loops.awk" | grep "^$2 ") || {
		echo "$1.o has no loop in $2"
		bad=1
		return
	}
	if echo "$line" | "$awk" -v want="operations=$3 loads=$4 stack=0 registers=$5" -v most="$6" '
		{ split($2, n, "="); exit index($0, want) == 0 || n[2] > most }'; then
		echo "$line"
	else
		echo "expected operations=$3 loads=$4 stack=0 registers=$5, at most $6 instructions: $line"
		bad=1
	fi
}

# AArch64 loads before it adds, and compares apart from the branch.
if "$objdump" -f "$objects/mountain.o" | grep -q aarch64; then
	expect mountain mountain_read 4 4 4 12
	expect list-length list_length 0 1 0 4
else
	expect mountain mountain_read 4 4 4 7
	expect list-length list_length 0 1 0 4
fi
exit $bad
