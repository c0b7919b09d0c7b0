#!/bin/sh
# Causes of a gap: settings with a planted cause, which `run --why` must name first, and settings without a gap, in which it must name nothing.
#
# Not every core has every gap. So each setting with a planted cause has a twin without the cause. A planted cause counts only if the setting
# takes at least 10 % longer than its twin, and if the twin lacks at least half of the cycles by which the setting exceeds its binding limit:
# else another cause is the main one. (If a virtual machine's host has small pages, huge pages save few page walks, for example.) A cause
# about data or order counts only if the core model does not predict the measured cycles: for a gap that the prediction explains, the program
# compares no other data, or says that the prediction has the cause (L3 is measured, and its part for this process changes within seconds).
#
# Environment: SLEXPLORE, the program; REPEATS, how often each setting is measured (default: 1); GROUPS_WANTED (default: "planted without");
# ONLY, a pattern of the settings (default: all).
set -eu
slexplore=${SLEXPLORE:-./slexplore}
command -v "$slexplore" >/dev/null || { echo "$0: no program $slexplore; SLEXPLORE names it" >&2; exit 2; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# own NAME: the file of an own loop. Its text is the standard input.
own() {
	cat >"$work/$1"
}

# own_at NAME SKIP LINES: an own loop of these lines of assembly, whose code begins SKIP bytes after the end of a line.
own_at() {
	own "$1" <<END
/* slexplore: elements=n */
.section .note.GNU-stack,"",@progbits
.text
.p2align 12
.globl loop
.type loop,@function
loop:	xor %r11d, %r11d
	.p2align 6
	.skip $2, 0x90
1:
$(printf '%b' "$3")
	add \$1, %r11
	cmp %rdi, %r11
	jne 1b
	xor %eax, %eax
	ret
.size loop, .-loop
END
}

own_loops() {
	for value in 1e-310 1.0; do
		own "values-$value.c" <<END
/* slexplore: elements=n a=f64[n]:$value */
double sum;
long loop(long n, double *a, void *b, void *c, void *d)
{
	double s = 0;
	for (long i = 0; i < n; i++)
		s = s * 0.5 + a[i];
	sum = s;
	return 0;
}
END
	done
	for begin in 60 56; do
		own "begin-$begin.c" <<END
/* slexplore: elements=n a=f64[9*n] n=256 */
long loop(long n, char *a, void *b, void *c, void *d)
{
	for (long i = 0; i < n; i++)
		*(volatile long *)(a + 64 * i + $begin) = i;
	return 0;
}
END
	done
	for order in random 'random,sorted'; do
		own "branches-$order.c" <<END
/* slexplore: elements=n n=65536 a=i32[n]:$(echo "$order" | sed 's/random/random(100)/') */
long loop(long n, int *a, void *b, void *c, void *d)
{
	long s = 0;
	for (long i = 0; i < n; i++)
		if (a[i] < 50) {
			__asm__ volatile("");
			s += a[i];
		} else {
			__asm__ volatile("" : "+r"(s));
			s ^= a[i];
		}
	return s;
}
END
	done
	for order in permutation 'random(n),sorted'; do
		own "order-$(echo "$order" | cut -c 1-6).c" <<END
/* slexplore: elements=n n=32768 a=i64[n]:$order */
long loop(long n, long *a, void *b, void *c, void *d)
{
	long at = 0;
	for (long i = 0; i < n; i++)
		at = a[at];
	return at;
}
END
	done
	for spacing in 4096 4160; do
		own "list-$spacing.c" <<END
/* slexplore: elements=n n=64 a=list(n,$spacing) */
long loop(long n, void **a, void *b, void *c, void *d)
{
	void **at = a;
	for (long i = 0; i < n; i++)
		at = *at;
	return at != 0;
}
END
	done
	[ "$(uname -m)" = x86_64 ] || return 0
	for skip in 0 32 57; do
		own_at "nops-$skip.S" $skip '\t.rept 16\n\t.byte 0x0f, 0x1f, 0x40, 0x00\n\t.endr'
		own_at "code-$skip.S" $skip '\tlea 1(%r11), %rax\n\tlea 2(%r11), %rcx\n\tlea 3(%r11), %rdx'
	done
}

# CAUSE | about places in memory, or about data and order | SETTING | twin without the cause
planted() {
	cat <<'END'
page size|place|latency size=40m stride=4160 pages=4k|latency size=40m stride=4160 pages=huge
page size|place|latency size=320m stride=4160 pages=4k|latency size=320m stride=4160 pages=huge
cache sets|place|matmul n=1024|matmul n=1024 pad=8
cache sets|place|matmul n=256|matmul n=256 pad=8
cache sets|place|latency size=64k stride=4096|latency size=64k stride=4160
cache sets|place|mountain size=64k stride=64|mountain size=64k stride=63
cache sets|place|OWN/list-4096.c|OWN/list-4160.c
4 KiB aliasing|place|sum-arrays alias=4|sum-arrays alias=2052
data alignment|place|stores width=8 offset=3|stores width=8
data alignment|place|split-loads offset=60|split-loads offset=0
data alignment|place|OWN/begin-60.c|OWN/begin-56.c
code alignment|place|alignment offset=60|alignment
code alignment|place|alignment|alignment offset=32
code alignment|place|OWN/code-57.S|OWN/code-0.S
code alignment|place|OWN/nops-57.S|OWN/nops-0.S
code alignment|place|OWN/nops-0.S|OWN/nops-32.S
shared line|place|atomic lines=one cores=2|atomic lines=own cores=2
unlearnt branches|data|mispredict size=4k|mispredict size=4k random=0
unlearnt branches|data|mispredict size=64k|mispredict size=64k random=0
unlearnt branches|data|stores form=checked changed=50|stores form=checked changed=0
unlearnt branches|data|OWN/branches-random.c|OWN/branches-random,sorted.c
order of access|data|list-lookup misplaced=50|list-lookup misplaced=0
order of access|data|OWN/order-permut.c|OWN/order-random.c
values of data|data|OWN/values-1e-310.c|OWN/values-1.0.c
END
}

without() {
	cat <<'END'
combine
combine op=add type=f64
combine op=add type=i64 unroll=8 acc=8
combine op=mul type=f64 unroll=8 acc=8
combine op=add type=f32 unroll=4 acc=4
list-length
list-length order=random
mul-by
mul-chain
mul-chain acc=4
k-loads
k-loads k=3
k-loads k=4 unroll=4
mountain size=8k
stores
simd
simd width=256 acc=8
latency
latency order=backward
branches
mispredict
mispredict random=0
bandwidth
chains chain=sum
END
}

# measure SETTING: prints the cycles per element, the core model's prediction and the binding limit; 0: unknown.
measure() {
	# shellcheck disable=SC2086 # a setting is several words
	"$slexplore" run $1 --format json --quiet --time-budget 0.4 2>/dev/null </dev/null |
		sed -n '/"record":"sample"/{
			s/.*"cpe":\([0-9.]*\).*"limit":\([0-9.]*\).*"predicted":\([0-9.]*\).*/\1 \3 \2/
			s/.*"cpe":\([0-9.]*\).*/\1 0 0/
			p
		}' | head -n 1
}

# ask SETTING: measures the causes of a gap. Sets `first` and `share` to the first named cause, and `seconds`.
ask() {
	begin=$(date +%s%N)
	# shellcheck disable=SC2086
	"$slexplore" run $1 --why --format json --quiet >"$work/json" </dev/null || true
	seconds=$(awk -v begin="$begin" -v end="$(date +%s%N)" 'BEGIN { printf "%.2f", (end - begin) / 1e9 }')
	first=$(sed -n 's/.*"cause":"\([^"]*\)","kind":"cause".*/\1/p' "$work/json" | head -n 1)
	share=$(sed -n 's/.*"kind":"cause".*"share":\([0-9.]*\),.*/\1/p' "$work/json" | head -n 1)
	longest=$(echo "$seconds ${longest:-0}" | awk '{ print ($1 > $2 ? $1 : $2) }')
}

# judge CAUSE SETTING: prints whether the first named cause is the expected one.
judge() {
	for _ in $(seq "${REPEATS:-1}"); do
		ask "$(echo "$2" | sed "s:OWN/:$work/:")"
		if [ "$1" ] && grep -q "\"cause\":\"$1\",\"kind\":\"counted\"" "$work/json"; then
			printf '%-8s %-40s in the prediction: %s\n' "" "$2" "$1"
			continue
		fi
		all=$((all + 1))
		word=WRONG
		if [ "$first" = "$1" ]; then
			word=right
			good=$((good + 1))
		fi
		printf '%-8s %-40s %-18s %5s %6s s\n' "$word" "$2" "${first:-nothing}" "$(echo "$share" | cut -c 1-5)" "$seconds"
	done
}

# exists KIND SETTING TWIN: whether the setting has a gap on this core. If not, prints why.
exists() {
	planted_cycles=$(measure "$(echo "$2" | sed "s:OWN/:$work/:")")
	twin_cycles=$(measure "$(echo "$3" | sed "s:OWN/:$work/:")")
	echo "$planted_cycles $twin_cycles" | awk -v kind="$1" -v setting="$2" '
		NF < 6 { printf "%-8s %-40s cannot be measured here\n", "", setting; exit 1 }
		$1 < 1.1 * $4 { printf "%-8s %-40s no gap on this core: %.3g cycles, %.3g without the cause\n", "", setting, $1, $4; exit 1 }
		$1 < 1.05 * $3 { printf "%-8s %-40s at its limit: %.3g cycles, limit %.3g\n", "", setting, $1, $3; exit 1 }
		$1 - $4 < ($1 - $3) / 2 {
			printf "%-8s %-40s not the main cause on this core: %.3g cycles, %.3g without the cause, limit %.3g\n", "", setting, $1, $4, $3
			exit 1
		}
		kind == "data" && $2 > 0 && $1 < 1.05 * $2 { printf "%-8s %-40s predicted: %.3g cycles, %.3g predicted\n", "", setting, $1, $2; exit 1 }'
}

judge_planted() {
	planted | grep -e "${ONLY:-}" >"$work/planted"
	while IFS='|' read -r cause kind setting twin; do
		if exists "$kind" "$setting" "$twin"; then
			judge "$cause" "$setting"
		fi
	done <"$work/planted"
	printf 'planted causes: %d of %d right, at most %s s\n\n' "$good" "$all" "$longest"
}

judge_without() {
	without | grep -e "${ONLY:-}" >"$work/without"
	while read -r setting; do
		judge "" "$setting"
	done <"$work/without"
	printf 'without a gap: %d of %d right, at most %s s\n\n' "$good" "$all" "$longest"
}

own_loops
for group in ${GROUPS_WANTED:-planted without}; do
	good=0 all=0 longest=0
	"judge_$group"
done
