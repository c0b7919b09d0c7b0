#!/bin/sh
# Costs of instructions: in ten loops that the rename width limits, the costs of all instructions add up to the cycles of the loop within
# 5 %. In ten loops that a chain limits, only the instructions of the chain cost anything: each of them at least 10 % of the cycles, and each
# other instruction at most 5 %.
#
# A loop that other programs disturbed is measured again, up to REPEATS times (default: 3).
#
# Environment: SLEXPLORE, the program; SECONDS_EACH, time limit for repeated measurements of a loop (default: 20); REPEATS; ONLY, a pattern
# of the loops' names (default: all).
set -eu
slexplore=${SLEXPLORE:-./slexplore}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

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
				if (kind == "chain" && (member ? cost[i] < 0.1 * cpe : cost[i] > 0.05 * cpe))
					wrong = wrong sprintf(" [%s: %.2f]", text[i], cost[i])
			}
			if (kind == "width" && (sum > 1.05 * cpe || sum < 0.95 * cpe))
				wrong = sprintf(" [%+.1f %%]", 100 * (sum / cpe - 1))
			printf "%-6s %-34s %2d instructions %7.3f cycles, sum of costs %7.3f (%5.1f %%) %s%s%s\n", kind, name, NR - 1,
				cpe, sum, 100 * sum / cpe, wrong ? "WRONG" : "ok", wrong, contended ? " contended" : ""
		}' "$work/csv" | tee -a "$work/results"
}

a='\tlea 1(%r9), %rax\n' b='\tmov (%rsi), %rcx\n' c='\tvpaddd %xmm0, %xmm1, %xmm2\n' d='\tmov %r9, %rdx\n' e='\tvmulsd %xmm0, %xmm1, %xmm3\n'
f='\tmov 8(%rsi), %r8\n' g='\tvaddsd %xmm0, %xmm1, %xmm4\n' h='\tadd %r9, %rcx\n' s='\tmov %r9, 16(%rsi)\n' x='\txor %edx, %edx\n'
check width "$(own width-mixed "$(repeat 4 "$a$b$c$d$e$f")")" ""
check width "$(own width-long "$(repeat 7 "$a$b$c$d$e$f")")" ""
check width "$(own width-moves "$(repeat 6 "$a$d$d$c")")" ""
check width "$(own width-loads "$(repeat 5 "$b$d$a$f$c")")" ""
check width "$(own width-fp "$(repeat 5 "$e$g$d$a$b$d")")" ""
check width "$(own width-stores "$(repeat 3 "$a$s$c$d$b$e$d$a")")" ""
check width "$(own width-zeroing "$(repeat 5 "$x$a$c$b$d$x")")" ""
check width "$(own width-destructive "$(repeat 5 "$d$d$b$h$c")")" ""
check width "$(own width-legacy "$(repeat 4 "$a$b"'\tpshufd $0, %xmm0, %xmm5\n'"$d"'\tpaddd %xmm0, %xmm5\n'"$d")")" ""
check width "$(own width-compare "$(repeat 4 "$a"'\tcmp %r9, %r10\n'"$c$b$d$e"'\tlea (%r9,%r10,2), %r8\n'"$f$d")")" ""

check chain "combine op=add type=f64 unroll=1 acc=1" "1"
check chain "combine op=mul type=f64 unroll=4 acc=1" "1 3 4 5"
check chain "combine op=mul type=i64 unroll=1 acc=1" "1"
check chain "list-length" "2"
check chain "simd width=256" "1"
check chain "$(own chain-add '\tvaddsd (%rsi), %xmm1, %xmm1\n\tmov 8(%rsi), %rcx\n\tlea 1(%rcx), %rdx')" "1"
check chain "$(own chain-two '\tvmulsd %xmm0, %xmm1, %xmm1\n\tvaddsd (%rsi), %xmm1, %xmm1\n\tvaddsd %xmm0, %xmm2, %xmm3')" "1 2"
check chain "$(own chain-imul '\timul %r9, %rax\n\tadd %r10, %rax\n\tmov (%rsi), %rcx\n\tadd %rcx, %r8')" "1 2"
check chain "$(own chain-load '\tmov (%rdx,%rax), %rax\n\tand $0, %rax\n\tmov 8(%rsi), %rcx\n\tadd %rcx, %r8')" "1 2"
check chain "$(own chain-fma '\tvfmadd231pd %ymm0, %ymm1, %ymm2\n\tvmulpd (%rsi), %ymm0, %ymm3\n\tvaddpd %ymm3, %ymm0, %ymm4')" "1"

printf '%s of %s loops as expected\n' "$(grep -c ' ok' "$work/results" || true)" "$(wc -l <"$work/results")"
