#!/bin/sh
# Probed pressure against the core model: kernels and own loops whose cycles the model predicts within 2 %. For each resource of the core, the
# pressure that the added instructions showed, and that of the model. Both agree if they differ by at most 0.15 cycles an iteration or 10 %.
#
# Environment: SLEXPLORE, the program; REPEATS, how often each setting is measured (default: 1).
set -eu
slexplore=${SLEXPLORE:-./slexplore}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# own NAME LINES: an own loop of these lines of assembly, which counts to n.
own() {
	{
		cat <<'BEGIN'
/* slexplore: elements=n a=f64[n]:1.0 */
.section .note.GNU-stack,"",@progbits
.text
.globl loop
.type loop,@function
loop:	mov $1, %r9
	mov $3, %r10
	xor %r11d, %r11d
	.p2align 6
1:
BEGIN
		printf '%b\n' "$2"
		printf '\tadd $1, %%r11\n\tcmp %%rdi, %%r11\n\tjne 1b\n\txor %%eax, %%eax\n\tret\n.size loop, .-loop\n'
	} >"$work/$1.S"
	echo "$work/$1.S"
}

settings() {
	cat <<'END'
mul-by
mul-by form=squares
sum-halves
sum-halves unroll=1
sum-halves unroll=4
sum-halves form=lean
k-loads
k-loads k=3
k-loads k=4 unroll=4
combine op=add type=i64 unroll=1 acc=1
combine op=add type=i64 unroll=8 acc=8
combine op=add type=f64 unroll=1 acc=1
combine op=add type=f64 unroll=8 acc=4
combine op=add type=f64 unroll=8 acc=8
combine op=add type=f32 unroll=4 acc=4
combine op=mul type=f64 unroll=1 acc=1
combine op=mul type=f64 unroll=4 acc=1
combine op=mul type=f64 unroll=4 acc=4
combine op=mul type=f64 unroll=8 acc=8
combine op=mul type=f32 unroll=8 acc=4
mul-chain
mul-chain acc=2
list-length
indirect
indirect form=wide
simd
simd width=128 acc=4
simd width=256 acc=4
simd width=256 acc=8
simd op=dot width=256 acc=4
simd op=dot width=128
mountain
mountain size=8k
stores
gather
latency size=16k
radix-sort
END
	[ "$(uname -m)" = x86_64 ] || return 0
	own add4 '\tadd %r10, %rax\n\tadd %r10, %rcx\n\tadd %r10, %rdx\n\tadd %r10, %r8'
	own add8 '\tlea 1(%r9), %rax\n\tlea 2(%r9), %rcx\n\tlea 3(%r9), %rdx\n\tlea 4(%r9), %r8\n\tlea 5(%r9), %rax\n\tlea 6(%r9), %rcx'
	own shift3 '\tshl $3, %rax\n\tshl $3, %rcx\n\tshl $3, %rdx'
	own shift6 '\trorx $3, %r9, %rax\n\trorx $3, %r9, %rcx\n\trorx $3, %r9, %rdx\n\trorx $5, %r9, %r8\n\trorx $7, %r9, %rax\n\trorx $9, %r9, %rcx'
	own load3 '\tmov (%rsi), %rax\n\tmov 8(%rsi), %rcx\n\tmov 16(%rsi), %rdx'
	own load6 '\tmov (%rsi), %rax\n\tmov 8(%rsi), %rcx\n\tmov 16(%rsi), %rdx\n\tmov 24(%rsi), %rax\n\tmov 32(%rsi), %rcx\n\tmov 40(%rsi), %rdx'
	own fadd2 '\tvaddsd %xmm0, %xmm1, %xmm2\n\tvaddsd %xmm0, %xmm1, %xmm3'
	own fadd6 '\tvaddsd %xmm0, %xmm1, %xmm2\n\tvaddsd %xmm0, %xmm1, %xmm3\n\tvaddsd %xmm0, %xmm1, %xmm4\n\tvaddsd %xmm0, %xmm1, %xmm2\n\tvaddsd %xmm0, %xmm1, %xmm3\n\tvaddsd %xmm0, %xmm1, %xmm4'
	own fmul4 '\tvmulpd %ymm0, %ymm1, %ymm2\n\tvmulpd %ymm0, %ymm1, %ymm3\n\tvmulpd %ymm0, %ymm1, %ymm4\n\tvmulpd %ymm0, %ymm1, %ymm5'
	own fma3 '\tvfmadd231pd %ymm0, %ymm1, %ymm2\n\tvfmadd231pd %ymm0, %ymm1, %ymm3\n\tvfmadd231pd %ymm0, %ymm1, %ymm4'
	own fadd-fmul '\tvaddpd %xmm0, %xmm1, %xmm2\n\tvmulpd %xmm0, %xmm1, %xmm3\n\tvaddpd %xmm0, %xmm1, %xmm4\n\tvmulpd %xmm0, %xmm1, %xmm5'
	own chain-add '\tvaddsd %xmm0, %xmm1, %xmm1'
	own chain-mul '\tvmulsd %xmm0, %xmm1, %xmm1\n\tmov (%rsi), %rax'
	own chain-load '\tmov (%rsi), %rax\n\tand $0, %rax\n\tadd %rax, %rsi'
	own vector-add '\tvpaddd %xmm0, %xmm1, %xmm2\n\tvpaddd %xmm0, %xmm1, %xmm3\n\tvpaddd %xmm0, %xmm1, %xmm4\n\tvpaddd %xmm0, %xmm1, %xmm5'
	own vector-shift '\tvpslld $3, %xmm1, %xmm2\n\tvpslld $3, %xmm1, %xmm3\n\tvpaddd %xmm0, %xmm1, %xmm4'
	own shuffle '\tvpshufb %xmm0, %xmm1, %xmm2\n\tvpshufb %xmm0, %xmm1, %xmm3\n\tvpaddd %xmm0, %xmm1, %xmm4'
	own divide '\tvdivsd %xmm0, %xmm0, %xmm2'
	own load-add '\taddsd (%rsi), %xmm1\n\taddsd 8(%rsi), %xmm2\n\tlea 1(%r9), %rax'
	own mix '\tmov (%rsi), %rax\n\tlea 1(%r9), %rcx\n\trorx $3, %r9, %rdx\n\tvmulsd %xmm0, %xmm1, %xmm2\n\tvaddsd %xmm0, %xmm1, %xmm3'
}

# field NAME FILE: a number or a string of the first record of a JSON Lines file that has it.
field() {
	sed -n "s/.*\"$1\":\"\{0,1\}\([^,\"}]*\).*/\1/p" "$2" | head -n 1
}

settings >"$work/settings"
: >"$work/rows"
while read -r setting; do
	name=$(echo "$setting" | sed "s:$work/::")
	for _ in $(seq "${REPEATS:-1}"); do
		# shellcheck disable=SC2086
		if ! "$slexplore" run $setting --slack --format json >"$work/slack" 2>"$work/why" </dev/null ||
			! "$slexplore" explain $setting --format json >"$work/explain" 2>>"$work/why" </dev/null; then
			echo "$name: $(head -n 1 "$work/why")"
			continue
		fi
		cycles=$(field cycles "$work/slack")
		predicted=$(awk -v cpe="$(field predicted "$work/explain")" -v elements="$(field elements "$work/slack")" \
			'BEGIN { print cpe * elements }')
		sed -n 's/.*"record":"resource".*"resource":"\([^"]*\)","kind":"\([^"]*\)",\(.*\)/\1|\2|\3/p' "$work/slack" |
			sed -n 's/"pressure":\([^,]*\),.*"model":\([^,]*\),.*/\1|\2/p' |
			awk -F'|' -v name="$name" -v cycles="$cycles" -v predicted="$predicted" -v OFS='|' \
				'{ print name, cycles, predicted, $1, $2, $3, $4 }' >>"$work/rows"
	done
done <"$work/settings"

awk -F'|' '
function size(x) { return x < 0 ? -x : x }
{
	if (!($1 in seen)) {
		seen[$1] = 1
		settings++
	}
	if (size($2 - $3) > 0.02 * $2) {
		if (!($1 in skipped))
			printf "%-40s %.2f cycles, %.2f predicted: not compared\n", $1, $2, $3
		skipped[$1] = 1
		next
	}
	compared[$1] = 1
	apart = size($6 - $7)
	agrees = apart <= 0.15 || apart <= 0.1 * $7
	all++
	good += agrees
	if ($5 == "exact") {
		exact++
		exact_good += agrees
		if (apart > 0.5) {
			far++
			agrees = 0
		}
	}
	if (!agrees)
		printf "%-40s %-8s %-10s probed %6.2f, model %6.2f\n", $1, $4, $5, $6, $7
}
END {
	for (name in compared)
		loops++
	if (!all)
		exit 1
	printf "\n%d of %d loops are predicted within 2 %%. Of %d resources, %d agree (%.0f %%).\n", loops, settings, all, good, 100 * good / all
	printf "Of %d exact values, %d agree (%.0f %%); %d are off by more than 0.5 cycles.\n", exact, exact_good, 100 * exact_good / exact, far
}' "$work/rows"
