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

# exactly OBJECT FUNCTION INSTRUCTIONS LOADS: loops written in assembly have no more and no fewer.
exactly() {
	line=$("$objdump" -d --no-show-raw-insn "$objects/$1.o" | "$awk" -f "$src/kernels/loops.awk" | grep "^$2 ") || {
		echo "$1.o has no loop in $2"
		bad=1
		return
	}
	echo "$line"
	case $line in
	"$2 instructions=$3 "*" loads=$4 stack=0 "*) ;;
	*)
		echo "expected $3 instructions, $4 of them loads, none on the stack"
		bad=1 ;;
	esac
}

# AArch64 loads before it adds, and compares apart from the branch.
if "$objdump" -f "$objects/mountain.o" | grep -q aarch64; then
	expect mountain mountain_read 4 4 4 12
	expect list-length list_length 0 1 0 4
	for unroll in 1 2 3 4 5 6 7 8; do
		exactly sum-halves copies_$unroll $((6 * unroll + 3)) $unroll
		exactly sum-halves lean_$unroll $((5 * unroll + 3)) $unroll
		exactly sum-halves folded_$unroll $((4 * unroll + 3)) $((2 * unroll))
		exactly sum-halves vector128_$unroll $((5 * unroll + 3)) $unroll
		exactly mul-chain chain_$unroll $((2 * unroll + 3)) $unroll
	done
	exactly mul-by mul_plain 10 1
	exactly mul-by mul_hoisted 9 1
	exactly mul-by mul_squares 9 1
	exactly indirect indirect_four 8 4
	exactly indirect indirect_wide 10 3
	exactly indirect indirect_wide_lean 9 3
	exactly gather scalar_4 27 16
	exactly gather scalar_8 27 16
	for width in 2 4 8 16; do
		exactly split-loads fixed_$width 63 60
	done
else
	expect mountain mountain_read 4 4 4 7
	expect list-length list_length 0 1 0 4
	# The compare and the branch at the end fuse: one slot fewer than instructions.
	for unroll in 1 2 3 4 5 6 7 8; do
		exactly sum-halves copies_$unroll $((6 * unroll + 3)) $unroll
		exactly sum-halves lean_$unroll $((5 * unroll + 3)) $unroll
		exactly sum-halves folded_$unroll $((4 * unroll + 3)) $((2 * unroll))
		exactly sum-halves vector128_$unroll $((6 * unroll + 3)) $unroll
		exactly sum-halves vector256_$unroll $((5 * unroll + 3)) $unroll
		exactly mul-chain chain_$unroll $((unroll + 3)) $unroll
	done
	exactly mul-by mul_plain 11 1
	exactly mul-by mul_hoisted 10 1
	exactly mul-by mul_squares 10 1
	exactly indirect indirect_four 6 4
	exactly indirect indirect_wide 8 3
	exactly indirect indirect_wide_lean 7 3
	exactly indirect indirect_gather 7 2
	exactly gather scalar_4 19 16
	exactly gather scalar_8 19 16
	for values in 4 8; do
		exactly gather gather128_$values 8 2
		exactly gather gather256_$values 8 2
		exactly gather gather512_$values 8 2
	done
	for width in 2 4 8 16 32 64; do
		exactly split-loads fixed_$width 63 60
		exactly split-loads random_$width 259 256
	done
fi
for unroll in 1 2 3 4 5 6 7 8; do
	exactly k-loads one_$unroll $((unroll + 3)) $unroll
	exactly k-loads two_$unroll $((2 * unroll + 3)) $((2 * unroll))
	exactly k-loads three_$unroll $((3 * unroll + 3)) $((3 * unroll))
	exactly k-loads four_$unroll $((4 * unroll + 3)) $((4 * unroll))
done
exit $bad
