#!/bin/sh
# Costs of instructions: in loops that the rename width limits, the costs of all instructions add up to the cycles of the loop within 5 %. In
# loops that a chain limits, only the instructions of the chain cost anything: each of them at least 10 % of the cycles, and each other
# instruction at most 5 % (a store at the end of a chain through memory: 10 %). A loop counts only if a measurement confirms that the width or
# the chain limits it on this core.
#
# A loop that other programs disturbed is measured again, up to REPEATS times (default: 3).
#
# Environment: SLEXPLORE, the program; SECONDS_EACH, time limit for repeated measurements of a loop (default: 20); REPEATS; ONLY, a pattern
# of the loops' names (default: all).
set -eu
slexplore=${SLEXPLORE:-./slexplore}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
: >"$work/results"

# own NAME LINES: an own loop of these lines of assembly, which counts to n.
own() {
	{
		cat <<'BEGIN'
/* slexplore: elements=n a=f64[n]:1.0 b=i64[n]:1 */
.section .note.GNU-stack,"",@progbits
.text
.globl loop
.type loop,@function
loop:	mov $1, %r9
	mov $3, %r10
	xor %eax, %eax
	xor %ecx, %ecx
	xor %r11d, %r11d
	.p2align 6
1:
BEGIN
		printf '%b\n' "$2"
		printf '\tadd $1, %%r11\n\tcmp %%rdi, %%r11\n\tjne 1b\n\txor %%eax, %%eax\n\tret\n.size loop, .-loop\n'
	} >"$work/$1.S"
	echo "$work/$1.S"
}

repeat() {
	i=0
	while [ $i -lt "$1" ]; do
		printf '%s' "$2"
		i=$((i + 1))
	done
}

# check KIND SETTING CHAIN: measures the costs and judges them. CHAIN: for a chain, the rows of its instructions, from 1.
check() {
	name=$(basename "$2")
	case $name in *${ONLY:-}*) ;; *) return 0 ;; esac
	tries=0
	while [ $tries -lt "${REPEATS:-3}" ]; do
		# shellcheck disable=SC2086 # a setting is several words
		"$slexplore" run $2 --cost --format csv --quiet --time-budget "${SECONDS_EACH:-20}" >"$work/csv" || return 0
		grep -q ',true,' "$work/csv" || break
		tries=$((tries + 1))
	done
	awk -v kind="$1" -v name="$name" -v chain=" $3 " '
		function field(column,    i) {
			for (i = 1; i <= columns; i++)
				if (head[i] == column)
					return value[i]
			return ""
		}
		# Splits a line of CSV: commas inside quotes separate no values.
		function split_csv(line, to,    count, quoted, i, c) {
			count = 1
			to[1] = ""
			for (i = 1; i <= length(line); i++) {
				c = substr(line, i, 1)
				if (c == "\"")
					quoted = !quoted
				else if (c == "," && !quoted)
					to[++count] = ""
				else
					to[count] = to[count] c
			}
			return count
		}
		NR == 1 { columns = split_csv($0, head); next }
		{
			split_csv($0, value)
			cpe = field("cpe") + 0
			cost[NR - 1] = field("cost") == "" ? 0 : field("cost") + 0
			text[NR - 1] = field("text")
			sum += field("cost")
			contended += field("contended") == "true"
		}
		END {
			for (i = 1; i < NR; i++) {
				member = index(chain, " " i " ")
				most = text[i] ~ /^v?movs[sd] \[/ ? 0.1 : 0.05
				if (kind == "chain" && (member ? cost[i] < 0.1 * cpe : cost[i] > most * cpe))
					wrong = wrong sprintf(" [%s: %.2f]", text[i], cost[i])
			}
			if (kind == "width" && (sum > 1.05 * cpe || sum < 0.95 * cpe))
				wrong = sprintf(" [%+.1f %%]", 100 * (sum / cpe - 1))
			printf "%-6s %-34s %2d instructions %7.3f cycles, sum of costs %7.3f (%5.1f %%) %s%s%s\n", kind, name, NR - 1,
				cpe, sum, 100 * sum / cpe, wrong ? "WRONG" : "ok", wrong, contended ? " contended" : ""
		}' "$work/csv" | tee -a "$work/results"
}

# number NAME FILE: the number of this name in the first record of a file of JSON Lines that has it.
number() {
	sed -n "s/.*\"$1\":\([0-9.]*\).*/\1/p" "$2" | head -n 1
}

# is_bound LIMIT SETTING: whether the loop takes the cycles of this limit of the core model, within 2 %, and every other limit is at least 10 %
# below.
is_bound() {
	# shellcheck disable=SC2086 # a setting is several words
	"$slexplore" explain $2 --format json >"$work/explain" 2>/dev/null &&
		"$slexplore" run $2 --format json --quiet --time-budget 0.3 >"$work/run" 2>/dev/null || return 1
	sed -n 's/.*"record":"limits".*"name":"\([a-z-]*\)".*"cpe":\([0-9.]*\).*/\1 \2/p' "$work/explain" |
		awk -v name="$1" -v cpe="$(number cpe "$work/run")" '
			$1 == name { limit = $2 }
			$1 != name && $2 > other { other = $2 }
			END { exit !(limit > 0 && other <= 0.9 * limit && cpe < 1.02 * limit && cpe > 0.98 * limit) }'
}

not_judged() {
	printf '%-6s %-34s not judged: something else limits it on this core\n' "$1" "$2"
}

# width NAME UNIT: a loop of this unit of work, repeated until only the width of this core limits it. The width must be confirmed by a
# measurement: other loops are not judged.
width() {
	case width-$1 in *${ONLY:-}*) ;; *) return 0 ;; esac
	for times in 2 3 4 5 6 7; do
		file=$(own "width-$1" "$(repeat $times "$2")")
		if is_bound width "$file"; then
			check width "$file" ""
			return
		fi
	done
	not_judged width "width-$1"
}

# Long instructions: the front end of no core limits them. The units of work use few ports each, so that no port limits the loop.
a='\t{disp32} lea 1(%r9), %rax\n' b='\t{disp32} mov (%rsi), %rcx\n' c='\tvpaddd %xmm0, %xmm1, %xmm2\n' d='\t{disp32} lea 2(%r9), %rdx\n'
e='\tvmulsd %xmm0, %xmm1, %xmm3\n' f='\t{disp32} mov 8(%rsi), %r8\n' g='\tvaddsd %xmm0, %xmm1, %xmm4\n' h='\tadd $1000, %rcx\n'
m='\tmov %r9, %rdx\n' n='\t{disp32} nopl 8(%rax)\n' s='\t{disp32} mov %r9, 16(%rsi)\n' x='\txor %edx, %edx\n'
width mixed "$a$b$c$d$e$f"
width long "$a$b$c$d$e$f$a$n$g$b$c$n"
width moves "$a$n$m$c$n$b$m$n"
width loads "$b$n$a$f$c$n$e$n"
width fp "$e$g$n$d$a$b$n$c"
width stores "$a$n$s$n$c$n$b$e$n$d$n$g$n$n$n$n"
width zeroing "$x$n$a$c$b$n$x$n$f$n"
width destructive "$n$d$b$h$c$n$e$f"
width legacy "$a$b"'\tpshufd $0, %xmm0, %xmm5\n'"$n$d"'\tpaddd %xmm0, %xmm5\n'"$n$n"
width compare "$a"'\tcmp $1000, %r10\n'"$c$b$n$e$f$n"
width nops "$n$n$n$a"
width vectors "$c$g$n$b$e$n$f$n"

# chain SETTING ROWS: a loop that a chain limits. The rows are those of the chain's instructions, from 1. A measurement must confirm the limit.
chain() {
	name=$(basename "$1")
	case $name in *${ONLY:-}*) ;; *) return 0 ;; esac
	if is_bound latency "$1"; then
		check chain "$1" "$2"
	else
		not_judged chain "$name"
	fi
}

chain "combine op=add type=f64 unroll=1 acc=1" "1"
chain "combine op=mul type=f64 unroll=4 acc=1" "1 3 4 5"
chain "combine op=mul type=i64 unroll=1 acc=1" "1"
chain "list-length" "2"
chain "simd width=256" "1"
chain "$(own chain-add '\tvaddsd (%rsi), %xmm1, %xmm1\n\tmov 8(%rsi), %rcx\n\tlea 1(%rcx), %rdx')" "1"
chain "$(own chain-two '\tvmulsd %xmm0, %xmm1, %xmm1\n\tvaddsd (%rsi), %xmm1, %xmm1\n\tvaddsd %xmm0, %xmm2, %xmm3')" "1 2"
chain "$(own chain-imul '\timul %r9, %rax\n\tadd %r10, %rax\n\tmov (%rsi), %rcx\n\tadd %rcx, %r8')" "1 2"
chain "$(own chain-load '\tmov (%rdx,%rax), %rax\n\tand $0, %rax\n\tmov 8(%rsi), %rcx\n\tadd %rcx, %r8')" "1 2"
chain "$(own chain-fma '\tvfmadd231pd %ymm0, %ymm1, %ymm2\n\tvmulpd (%rsi), %ymm0, %ymm3\n\tmov 8(%rsi), %rcx')" "1"
chain "$(own chain-fma-add '\tvfmadd231pd %ymm0, %ymm1, %ymm2\n\tvmulpd (%rsi), %ymm0, %ymm3\n\tvaddpd %ymm3, %ymm0, %ymm4')" "1"
chain "$(own chain-three-adds '\tadd %r10, %rax\n\txor %r9, %rax\n\tsub %r10, %rax\n\tmov (%rsi), %rcx')" "1 2 3"
chain "$(own chain-rotate '\trol $5, %rax\n\tbswap %rax\n\tadd %r9, %rax\n\tmov (%rsi), %rcx')" "1 2 3"
chain "$(own chain-shift '\tshl $3, %rax\n\txor %r10, %rax\n\timul %r9, %rax\n\tmov 8(%rsi), %r8')" "1 2 3"
chain "$(own chain-mul-vector '\tvmulpd %ymm0, %ymm1, %ymm1\n\tvaddpd (%rsi), %ymm0, %ymm2\n\tmov 8(%rsi), %rcx')" "1"
chain "$(own chain-integer-vector '\tvpmulld %xmm0, %xmm1, %xmm1\n\tvpaddd (%rsi), %xmm0, %xmm2\n\tlea 1(%r9), %rdx')" "1"
chain "$(own chain-root '\tvsqrtsd %xmm1, %xmm1, %xmm1\n\tvaddsd (%rsi), %xmm1, %xmm1\n\tlea 1(%r9), %rdx')" "1 2"
chain "$(own chain-shuffle '\tvpshufd $0x4e, %xmm1, %xmm1\n\tvpaddq (%rsi), %xmm1, %xmm1\n\tlea 1(%r9), %rdx')" "1 2"
chain "$(own chain-divide '\tvdivsd %xmm0, %xmm1, %xmm1\n\tmov (%rsi), %rcx\n\tlea 1(%rcx), %rdx')" "1"
# Two and four sums in memory in turn: the latency of the load is longer than an iteration.
chain "$(own chain-memory-2 '\tmov %r11, %rcx\n\tand $1, %ecx\n\tvmovsd (%rdx,%rcx,8), %xmm1\n\tvaddsd (%rsi), %xmm1, %xmm1\n\tvmovsd %xmm1, (%rdx,%rcx,8)')" "3 4"
chain "$(own chain-memory-4 '\tmov %r11, %rcx\n\tand $3, %ecx\n\tvmovsd (%rdx,%rcx,8), %xmm1\n\tvaddsd (%rsi), %xmm1, %xmm1\n\tvmovsd %xmm1, (%rdx,%rcx,8)')" "3 4"

printf '%s of %s loops as expected\n' "$(grep -c ' ok' "$work/results" || true)" "$(wc -l <"$work/results")"
