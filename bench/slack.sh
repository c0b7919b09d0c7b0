#!/bin/sh
# Probed pressure against the core model: kernels and own loops whose cycles the model predicts within 2 %. For each resource of the core, the
# pressure that the added instructions showed, and that of the model. Both agree if they differ by at most 0.15 cycles an iteration or 10 %.
# The group `random` has loops of random instructions; SEED chooses others.
# Then wrong lines are planted in the core model (of Zen 3, 4 or 5, or Golden Cove), one at a time: the program should name the file, the
# line and the class.
# The group `drawn` plants DRAWN lines with random ports (default: 10); SEED chooses others.
#
# Environment: SLEXPLORE, the program; REPEATS, how often each setting is measured (default: 1); GROUPS_WANTED
# (default: "known more random planted drawn"); SEED and LOOPS, for the random loops (default: 1 and 40); ONLY, a pattern of the settings
# (default: all).
set -eu
slexplore=${SLEXPLORE:-./slexplore}
models=$(dirname "$0")/../data/uarch
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# own NAME LINES: an own loop of these lines of assembly, which counts to n. Its numbers are set by moves of 32 bits: after a move of 64 bits,
# shifts by or of the number take longer on Golden Cove.
own() {
	{
		cat <<'BEGIN'
/* slexplore: elements=n a=f64[n]:1.0 */
.section .note.GNU-stack,"",@progbits
.text
.globl loop
.type loop,@function
loop:	mov $1, %r9d
	mov $3, %r10d
	xor %r11d, %r11d
	.p2align 6
1:
BEGIN
		printf '%b\n' "$2"
		printf '\tadd $1, %%r11\n\tcmp %%rdi, %%r11\n\tjne 1b\n\txor %%eax, %%eax\n\tret\n.size loop, .-loop\n'
	} >"$work/$1.S"
	echo "$work/$1.S"
}

known() {
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

more() {
	cat <<'END'
mul-by m=3
mul-chain acc=4
mul-chain acc=3
combine op=mul type=i64 unroll=2 acc=2
combine op=mul type=i32 unroll=4 acc=2
combine op=add type=i32 unroll=2 acc=2
combine op=add type=f32 unroll=8 acc=8
combine op=mul type=f64 unroll=2 acc=2
combine op=add type=f64 unroll=16 acc=16
combine op=mul type=f32 unroll=16 acc=8
chains
k-loads k=2
simd width=128 acc=8
simd width=512 acc=4
simd op=dot width=512 acc=2
sum-halves unroll=8
branches
split-loads
list-lookup size=16k
sum-arrays
bandwidth op=rd size=16k
tree-lookup size=16k
END
	[ "$(uname -m)" = x86_64 ] || return 0
	own imul-lea '\timul $3, %r9, %rax\n\tlea 1(%r9), %rcx\n\tlea 2(%r9), %rdx\n\tlea 3(%r9), %r8'
	own imul3 '\timul $3, %r9, %rax\n\timul $5, %r9, %rcx\n\timul $7, %r9, %rdx\n\tlea 1(%r9), %r8'
	own pdep2 '\tpdep %r10, %r9, %rax\n\tpdep %r10, %r9, %rcx\n\tadd %r10, %rdx'
	own shift-lea '\trorx $3, %r9, %rax\n\trorx $5, %r9, %rcx\n\tlea 2(%r9), %rdx\n\tlea 3(%r9), %r8\n\tlea 4(%r9), %rax\n\tlea 5(%r9), %rcx'
	own bzhi-chain '\tbzhi %r10, %rax, %rax\n\tbzhi %r10, %rax, %rax\n\tlea 1(%r9), %rcx'
	own cmov '\tcmovb %r9, %rax\n\tcmovb %r9, %rcx\n\tcmovb %r9, %rdx'
	own chain-imul-shift '\timul %r10, %rax\n\trorx $3, %rax, %rax'
	own fma-add '\tvfmadd231pd %ymm0, %ymm1, %ymm2\n\tvaddpd %ymm0, %ymm1, %ymm3\n\tvaddpd %ymm0, %ymm1, %ymm4\n\tlea 1(%r9), %rax'
	own fmul6-load '\tvmulpd (%rsi), %xmm1, %xmm2\n\tvmulpd %xmm0, %xmm1, %xmm3\n\tvmulpd %xmm0, %xmm1, %xmm4\n\tvmulpd %xmm0, %xmm1, %xmm5'
	own vpadd-shuffle '\tvpaddd %ymm0, %ymm1, %ymm2\n\tvpshufb %ymm0, %ymm1, %ymm3\n\tvpshufb %ymm0, %ymm1, %ymm4\n\tvpaddd %ymm0, %ymm1, %ymm5\n\tvpaddd %ymm0, %ymm1, %ymm2'
	own vmul-shift '\tvpmullw %xmm0, %xmm1, %xmm2\n\tvpslld $3, %xmm1, %xmm3\n\tvpmullw %xmm0, %xmm1, %xmm4\n\tvpslld $5, %xmm1, %xmm5'
	own store2 '\tmov %r9, (%rsi)\n\tmov %r10, 8(%rsi)\n\tlea 1(%r9), %rax'
	own store-load '\tmov (%rsi), %rax\n\tmov 8(%rsi), %rcx\n\tmov %r9, 64(%rsi)\n\tlea 1(%r9), %rdx'
	own vload4 '\tvmovupd (%rsi), %ymm0\n\tvmovupd 32(%rsi), %ymm1\n\tvmovupd 64(%rsi), %ymm2\n\tmov 96(%rsi), %rax'
	own vload-mul '\tvmulpd (%rsi), %ymm1, %ymm2\n\tvmulpd 32(%rsi), %ymm1, %ymm3\n\timul $3, %r9, %rax'
	own vload2-load4 '\tvmovups (%rsi), %ymm2\n\tvmovups 32(%rsi), %ymm3\n\tmov (%rsi), %rax\n\tmov 8(%rsi), %rcx\n\tmov 16(%rsi), %rdx\n\tmov 24(%rsi), %r8'
	own vload3-load3 '\tvmovups (%rsi), %ymm2\n\tmov (%rsi), %rax\n\tvmovups 32(%rsi), %ymm3\n\tmov 8(%rsi), %rcx\n\tvmovups 64(%rsi), %ymm4\n\tmov 16(%rsi), %rdx'
	own vload1-load3 '\tvaddpd (%rsi), %ymm1, %ymm2\n\tadd (%rsi), %rax\n\tadd 8(%rsi), %rcx\n\tadd 16(%rsi), %rdx'
	own vload4-load1 '\tvmovsd (%rsi), %xmm2\n\tvmovsd 8(%rsi), %xmm3\n\tmov (%rsi), %rax\n\tvmovsd 16(%rsi), %xmm4\n\tvmovsd 24(%rsi), %xmm5'
	own vload2-load1 '\tvmulpd (%rsi), %ymm1, %ymm2\n\tvmulpd 32(%rsi), %ymm1, %ymm3\n\tmov (%rsi), %rax\n\tvaddpd %ymm0, %ymm1, %ymm4'
	own nops '\tnop\n\tnopw 0(%rax)\n\tlea 1(%r9), %rax\n\tnopl 0(%rax)\n\tlea 2(%r9), %rcx'
	own popcnt4 '\tpopcnt %r9, %rax\n\tpopcnt %r9, %rcx\n\tlzcnt %r9, %rdx\n\tpopcnt %r9, %r8'
	own chain-load '\tmov (%rsi), %rax\n\tand $0, %rax\n\tadd %rax, %rsi\n\timul $3, %r9, %rcx\n\trorx $3, %r9, %rdx'
	own divide-mul '\tvdivpd %xmm0, %xmm1, %xmm2\n\tvmulpd %xmm0, %xmm1, %xmm3\n\tvaddpd %xmm0, %xmm1, %xmm4'
	own mixed '\tvpaddd %xmm0, %xmm1, %xmm2\n\tadd %r10, %rax\n\tadd %r10, %rcx\n\trorx $3, %r9, %rdx\n\tvmulpd %xmm0, %xmm1, %xmm3\n\tmov (%rsi), %r8\n\tmov %r9, 64(%rsi)'
}

# Loops of 2 to 9 random instructions, which depend on nothing of the loop but the counter.
random() {
	for i in $(seq "${LOOPS:-40}"); do
		own "random-${SEED:-1}-$i" "$(awk -v seed="$((1000 * ${SEED:-1} + i))" '
			function pick(list,   n, part) { n = split(list, part, ","); return part[1 + int(n * rand())] }
			BEGIN {
				srand(seed)
				count = 2 + int(8 * rand())
				for (k = 0; k < count; k++) {
					to = pick("rax,rcx,rdx,r8")
					vector = "xmm" 2 + int(6 * rand())
					line[1] = "lea 1(%r9), %" to
					line[2] = "add %r10, %" to
					line[3] = "imul $3, %r9, %" to
					line[4] = "rorx $3, %r9, %" to
					line[5] = "shl $3, %" to
					line[6] = "popcnt %r9, %" to
					line[7] = "mov " 8 * k "(%rsi), %" to
					line[8] = "add " 8 * k "(%rsi), %" to
					line[9] = "mov %r9, " 64 + 8 * k "(%rsi)"
					line[10] = "vaddpd %xmm0, %xmm1, %" vector
					line[11] = "vmulpd %xmm0, %xmm1, %" vector
					line[12] = "vpaddd %xmm0, %xmm1, %" vector
					line[13] = "vpshufb %xmm0, %xmm1, %" vector
					line[14] = "vpslld $3, %xmm1, %" vector
					line[15] = "vpmullw %xmm0, %xmm1, %" vector
					line[16] = "vmulsd " 8 * k "(%rsi), %xmm1, %" vector
					line[17] = "vmovsd " 8 * k "(%rsi), %" vector
					line[18] = "pdep %r10, %r9, %" to
					printf "%s\\t%s", k ? "\\n" : "", line[1 + int(18 * rand())]
				}
			}')"
	done
}

# SETTING | class and wrong ports, Zen 3 and Zen 4 | class and wrong ports, Zen 5. An empty last column: as for Zen 4.
planted() {
	if [ "$core" = golden-cove ]; then
		cat <<END
mul-by|imul p5
mul-by|imul p1,p5
mul-by|imul p0,p6,p11
combine op=mul type=f64 unroll=8 acc=4|fmul p0,p5
combine op=mul type=f64 unroll=8 acc=4|fmul p0
combine op=add type=f64 unroll=8 acc=4|fadd p0,p1
combine op=add type=f32 unroll=8 acc=8|fadd p5
sum-halves unroll=4|shift alu
sum-halves unroll=4|shift p0,p5
sum-halves unroll=4|shift p6
$work/vector-shift.S|vshift p1,p5
$work/vector-add.S|vadd p0,p1
$work/shuffle.S|shuffle p0,p1
$work/shift6.S|shift p5,p6
$work/fma3.S|fma p1,p5
$work/fmul4.S|fmul p1
$work/add8.S|lea p1,p5
mul-chain acc=2|imul p5
combine op=add type=i64 unroll=8 acc=8|alu p0,p6
$work/fadd-fmul.S|fmul p1,p5
END
		return
	fi
	cat <<END
mul-by|imul alu2|imul alu1
mul-by|imul alu1,alu2|imul alu
mul-by|imul alu0|imul alu3,alu4,alu5
combine op=mul type=f64 unroll=8 acc=4|fmul fp2,fp3|
combine op=mul type=f64 unroll=8 acc=4|fmul fp|
combine op=add type=f64 unroll=8 acc=4|fadd fp0,fp1|
combine op=add type=f32 unroll=8 acc=8|fadd fp2|
sum-halves unroll=4|shift alu|
sum-halves unroll=4|shift alu0,alu3|shift alu0,alu4
sum-halves unroll=4|shift alu1|
$work/vector-shift.S|vshift fmul|
$work/vector-add.S|vadd fp0,fp1|
$work/shuffle.S|shuffle-bytes fadd|
$work/shift6.S|shift alu0,alu3|shift alu0,alu4
$work/fma3.S|fma fadd|
$work/fmul4.S|fmul fp0|
$work/add8.S|lea alu1,alu2|
mul-chain acc=2|imul alu2|
combine op=add type=i64 unroll=8 acc=8|alu alu0,alu3|
$work/fadd-fmul.S|fmul fadd|
END
}

# Planted lines as above, drawn at random: a setting, a class of its loop, and some ports of the same kind, but not the real ones.
drawn() {
	# The vector ports; the class of a shuffle of bytes.
	fp=fp shuffle=shuffle-bytes
	[ "$core" = golden-cove ] && fp=vec shuffle=shuffle
	cat <<END |
mul-by|imul|alu
mul-chain acc=2|imul|alu
combine op=mul type=f64 unroll=8 acc=4|fmul|$fp
combine op=mul type=f64 unroll=8 acc=8|fmul|$fp
combine op=add type=f64 unroll=8 acc=4|fadd|$fp
combine op=add type=f32 unroll=8 acc=8|fadd|$fp
combine op=add type=i64 unroll=8 acc=8|alu|alu
sum-halves unroll=4|shift|alu
$work/vector-shift.S|vshift|$fp
$work/vector-add.S|vadd|$fp
$work/shuffle.S|$shuffle|$fp
$work/shift6.S|shift|alu
$work/fma3.S|fma|$fp
$work/fmul4.S|fmul|$fp
$work/add8.S|lea|alu
$work/fadd-fmul.S|fmul|$fp
$work/fadd-fmul.S|fadd|$fp
END
	awk -v seed="${SEED:-1}" -v count="${DRAWN:-10}" '
		function list(name) { return name in set ? set[name] : name }
		FILENAME != "-" && $1 == "set" { for (i = 3; i <= NF; i++) set[$2] = set[$2] (i > 3 ? "," : "") $i }
		FILENAME != "-" && $1 == "class" { for (i = 3; i < NF; i++) if ($i == "ports") real[$2] = $(i + 1) }
		FILENAME == "-" { row[rows++] = $0 }
		END {
			srand(seed)
			while (done < count) {
				split(row[int(rows * rand())], part, "|")
				ports = split(list(part[3]), port, ",")
				wrong = ""
				left = wanted = 1 + int(ports * rand())
				for (i = 1; i <= ports; i++)
					if (rand() * (ports - i + 1) < left) {
						wrong = wrong (wrong ? "," : "") port[i]
						left--
					}
				line = part[1] "|" part[2] " " wrong "|"
				if (wrong == list(real[part[2]]) || line in drawn)
					continue
				drawn[line]
				done++
				print line
			}
		}' "$models/$core.uarch" -
}

# field NAME FILE: a number or a string of the first record of a JSON Lines file that has it.
field() {
	sed -n "s/.*\"$1\":\"\{0,1\}\([^,\"}]*\).*/\1/p" "$2" | head -n 1
}

# measure GROUP: measures the settings of a group, and compares them with the model.
measure() {
"$1" >"$work/all"
grep -e "${ONLY:-}" "$work/all" >"$work/settings"
: >"$work/rows"
printf '\n%s settings\n' "$1"
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
	kinds[$5]++
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
	printf "%.0f %% are exact, %d at least, %d ambiguous.\n", 100 * exact / all, kinds["at least"], kinds["ambiguous"]
}' "$work/rows"
}

# misfits: the number of resources in $work/slack whose measured pressure differs from the core model's.
misfits() {
	sed -n 's/.*"record":"resource".*"pressure":\([^,]*\),.*"model":\([^,]*\),.*/\1 \2/p' "$work/slack" |
		awk '{ apart = $1 < $2 ? $2 - $1 : $1 - $2; count += apart > 0.15 && apart > 0.1 * $2 } END { print count + 0 }'
}

# is_ambiguous SETTING: whether the measurements in $work/slack, for the model with the wrong line, fit it as well as they fit the real model.
is_ambiguous() {
	wrong=$(misfits)
	# shellcheck disable=SC2086
	"$slexplore" run $1 --slack --format json >"$work/slack" 2>"$work/why" </dev/null || return 1
	right=$(misfits)
	[ "$wrong" -le "$right" ]
}

# plant SETTING CLASS PORTS: measures a setting with a core model in which a class has these ports. Prints what the program says of it. A line
# that the program does not name is ambiguous, and does not count, if the program names it and one other line, or if it names no line and the
# measurements fit the line as well as the real one: no measurement of this program decides between them.
plant() {
	rm -rf "$work/data"
	mkdir -p "$work/data/uarch"
	# A core model takes the classes that it does not have from another file.
	file=$core
	until [ -z "$file" ] || grep -q "^class $2 " "$models/$file.uarch"; do
		file=$(sed -n 's/^from //p' "$models/$file.uarch")
	done
	if [ -z "$file" ]; then
		echo "no line of the class $2 was found for $core"
		return
	fi
	awk -v class="$2" -v ports="$3" '
		$1 == "class" && $2 == class { sub(/ ports .*/, " ports " ports " [M]") }
		{ print }' "$models/$file.uarch" >"$work/data/uarch/$file.uarch"
	number=$(grep -n "^class $2 " "$work/data/uarch/$file.uarch" | cut -d : -f 1)
	# shellcheck disable=SC2086
	SLEXPLORE_DATA=$work/data "$slexplore" run $1 --slack --format json >"$work/slack" 2>"$work/why" </dev/null || cat "$work/why"
	says=$(sed -n 's/.*"contradiction":"\([^"]*\)".*/\1/p' "$work/slack")
	case $says in
	*"$file.uarch:$number: class $2 "*) named=$((named + 1)) ;;
	*"$file.uarch:$number (class $2)"*)
		ambiguous=$((ambiguous + 1))
		printf '%s, class %s ports %s: one of two lines: "%s"\n' "$(basename "$1")" "$2" "$3" "$says"
		return
		;;
	*)
		if [ -z "$says" ] && is_ambiguous "$1"; then
			ambiguous=$((ambiguous + 1))
			printf '%s, class %s ports %s: ambiguous: %s resources misfit, %s with the real line\n' "$(basename "$1")" "$2" "$3" \
				"$wrong" "$right"
			return
		fi
		printf '%s, class %s ports %s: "%s"\n' "$(basename "$1")" "$2" "$3" "$says"
		;;
	esac
	count=$((count + 1))
}

# plant_all GROUP: plants the lines of a group, one at a time.
plant_all() {
	count=0 named=0 ambiguous=0
	known >/dev/null
	"$slexplore" explain mul-by --format json >"$work/explain"
	core=$(field uarch "$work/explain")
	case $core in
	zen3 | zen4 | zen5 | golden-cove) ;;
	*)
		echo "no wrong lines are known for the core model of this core ($core)"
		return
		;;
	esac
	"$1" | grep -e "${ONLY:-}" >"$work/planted"
	while IFS='|' read -r setting zen4 zen5; do
		[ "$core" = zen5 ] && [ "$zen5" ] && zen4=$zen5
		plant "$setting" "${zen4% *}" "${zen4#* }"
	done <"$work/planted"
	printf '\n%d of %d planted lines are named, and %d are ambiguous.\n' "$named" "$count" "$ambiguous"
}

for group in ${GROUPS_WANTED:-known more random planted drawn}; do
	case $group in
	planted | drawn) plant_all "$group" ;;
	*) measure "$group" ;;
	esac
done
