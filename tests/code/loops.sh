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

lines=$(mktemp -d)
trap 'rm -rf "$lines"' EXIT

# loop OBJECT FUNCTION: prints what loops.awk found in the loop of the function. Each object is disassembled once.
loop() {
	[ -e "$lines/$1" ] || "$objdump" -d --no-show-raw-insn "$objects/$1.o" | "$awk" -f "$src/kernels/loops.awk" >"$lines/$1"
	grep "^$2 " "$lines/$1"
}

# expect OBJECT FUNCTION OPERATIONS LOADS REGISTERS INSTRUCTIONS-AT-MOST
expect() {
	line=$(loop "$1" "$2") || {
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
	line=$(loop "$1" "$2") || {
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

# counts OBJECT FUNCTION INSTRUCTIONS INSTRUCTIONS-ON-AARCH64: exactly so many in the innermost loop; - where there is none.
counts() {
	want=$3
	[ -z "$arm" ] || want=$4
	[ "$want" != - ] || return 0
	line=$(loop "$1" "$2") || line="no loop"
	case $line in
	"$2 instructions=$want "*) echo "$line" ;;
	*)
		echo "$1.o: expected $want instructions in $2: $line"
		bad=1
		;;
	esac
}

# at_most OBJECT FUNCTION INSTRUCTIONS INSTRUCTIONS-ON-AARCH64: the loop has no more instructions, and none uses the stack.
at_most() {
	most=$3
	[ -z "$arm" ] || most=$4
	line=$(loop "$1" "$2") || line="no loop"
	if echo "$line" | "$awk" -v most="$most" '{ split($2, n, "="); exit !(n[2] > 0 && n[2] <= most && / stack=0 /) }'; then
		echo "$line"
	else
		echo "$1.o: expected at most $most instructions in $2, none on the stack: $line"
		bad=1
	fi
}

# chooses OBJECT FUNCTION yes|no: whether values are chosen by conditional moves anywhere in it, or by branches alone.
chooses() {
	found=$("$objdump" -d --no-show-raw-insn "$objects/$1.o" | "$awk" -v name="<$2>:" '
		$2 == name { inside = 1; next }
		/^$/ { inside = 0 }
		inside && $2 ~ /^(cmov|csel|csinc|cset|cinc|sbb|adc)/ { found = 1 }
		inside { seen = 1 }
		END { print !seen ? "no such function" : found ? "yes" : "no" }')
	if [ "$found" = "$3" ]; then
		echo "$2 has conditional moves: $3"
	else
		echo "$1.o: $2: conditional moves: $found, expected $3"
		bad=1
	fi
}

# starts OBJECT FUNCTION BYTES: how far past a line the innermost loop starts, which is the last that is branched back to.
starts() {
	at=$("$objdump" -d --no-show-raw-insn "$objects/$1.o" | "$awk" -v name="<$2>:" '
		$2 == name { inside = 1; next }
		/^$/ { inside = 0 }
		inside && $2 ~ /^(jne|b\.ne)$/ {
			if (length($3) > length(target) || (length($3) == length(target) && $3 > target))
				target = $3
		}
		END { print target }')
	if [ $((0x${at:-1} % 64)) = "$3" ]; then
		echo "$2 starts $3 bytes past a line"
	else
		echo "$1.o: $2 starts at 0x$at, not $3 bytes past a line"
		bad=1
	fi
}

arm=
! "$objdump" -f "$objects/mountain.o" | grep -q aarch64 || arm=yes

# AArch64 loads before it adds, and compares apart from the branch.
if [ -n "$arm" ]; then
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
	exactly mountain mountain_write 13 8
	exactly mountain mountain_update 21 16
	exactly mountain mountain_copy 23 16
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

# Of chains that have registers nothing but loads; the others' pointers come from memory and go back.
exactly latency chase_1 18 16
exactly latency chase_8 18 16
exactly latency chase_12 26 24
counts latency chase_13 36 28
counts latency chase_32 150 98
counts latency mix_0 22 22
counts latency mix_1 24 25
counts latency mix_10 42 62
for op in rd wr frd fwr; do
	counts bandwidth ${op}_4 13 13
	counts bandwidth ${op}_8 13 13
	counts bandwidth ${op}_16 13 13
	counts bandwidth ${op}_64 13 -
done
counts bandwidth rdwr_8 21 21
counts bandwidth cp_16 23 23
counts bandwidth fcp_64 23 -
counts bandwidth fwr_bypass_4 13 9
counts bandwidth fwr_bypass_8 13 9
counts bandwidth fcp_bypass_16 23 19

counts stores stores_plain_4 7 7
counts stores stores_plain_16 7 7
counts stores stores_plain_64 7 -
counts stores stores_copied_8 11 12
counts stores stores_checked_4 15 20
counts scatter-stores scatter_scalar 11 11
counts scatter-stores scatter_vector 6 -
at_most radix-sort radix_move 12 12
at_most radix-sort radix_count 7 10
counts sum-arrays sum_indexed_1 6 7
counts sum-arrays sum_indexed_4 15 22
counts sum-arrays sum_relative_1 6 6
counts sum-arrays sum_relative_4 15 18
counts sum-arrays sum_pointers_1 8 9
counts sum-arrays sum_pointers_4 17 21
# Of nops between jumps AArch64 needs none at the smallest distance.
counts branches branches_jump_1_2 2 2
counts branches branches_jump_8_2 16 9
counts branches branches_taken_8_2 16 9
counts branches branches_untaken_8_2 16 9
counts branches branches_mixed_8_2 16 9
counts mispredict mispredict_branch 28 19
counts mispredict mispredict_cmov 36 27
counts mispredict mispredict_jump 189 271
counts simd sum_f32_scalar_4 7 11
counts simd sum_i32_128_8 11 19
counts simd dot_f32_128_4 12 16
counts simd dot_f64_512_1 6 -
counts simd merge_shuffle_256_2 16 -
counts simd merge_blend_512_2 16 -
counts simd broadcast_register_128_4 15 15
counts simd broadcast_memory_128_4 11 10
counts chains none_0 29 37
at_most list-lookup lookup_simple 5 6
at_most list-lookup lookup_array 7 9
at_most list-lookup lookup_index_array 6 7
at_most list-lookup lookup_interleaved 5 6
at_most list-lookup lookup_vector 8 8
at_most list-lookup lookup_any_of 6 7
at_most list-lookup unrolled_4 12 17
counts chains sum_0_4 11 19
counts chains sum_1_8 11 19
counts chains load_1 18 26
counts sharing sharing_plain 6 14
counts sharing sharing_atomic 10 -
counts sharing sharing_local 6 6
counts atomic atomic_add 4 -
counts atomic atomic_cas 6 -
counts atomic atomic_exchange_words 3 -

# What the compiler made of C: no more than the loops need, and nothing on the stack.
for type in f32 f64; do
	at_most matmul_$type naive_k 8 9
	at_most matmul_$type naive_j 7 9
	at_most matmul_$type naive_i 8 9
	at_most matmul_$type temporary_j 7 8
	at_most matmul_$type temporary_i 8 8
	at_most matmul_$type columns_1 7 7
	at_most matmul_$type columns_4 16 19
	at_most matmul_$type columns_8 29 34
	at_most matmul_$type rows_1 6 7
	at_most matmul_$type rows_4 16 18
	at_most matmul_$type rows_8 29 30
done

# Searches with branches have no other choice, and those without have no branch for a comparison.
for loop in pointer level_3 level_1 sorted_3 sorted_1 many_7 level_of_7; do
	for form in branching branching_interleaved; do
		chooses tree-lookup ${loop}_$form no
	done
	for form in branch_free branch_free_interleaved; do
		chooses tree-lookup ${loop}_$form yes
	done
done
for loop in chained chained_interleaved; do
	chooses hash-lookup hash_$loop no
done
at_most tree-lookup pointer_branch_free 10 9
at_most tree-lookup level_3_branch_free 13 13
at_most tree-lookup sorted_1_branch_free 11 12

starts sum-arrays sum_indexed_1 0
starts mispredict mispredict_branch 0
exit $bad
