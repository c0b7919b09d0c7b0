#!/bin/sh
# Causes of a gap: settings with a planted cause, which `run --why` must name first, and settings without a gap, in which it must name nothing.
#
# Environment: SLEXPLORE, the program; REPEATS, how often each setting is measured (default: 1).
set -eu
slexplore=${SLEXPLORE:-./slexplore}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# own NAME: the file of an own loop, in C. Its text is the standard input.
own() {
	cat >"$work/$1"
	echo "$work/$1"
}

# CAUSE | SETTING
planted() {
	echo "page size|latency size=20m stride=4160 pages=4k"
	echo "cache sets|matmul n=1024"
	echo "cache sets|matmul n=256"
	echo "cache sets|latency size=64k stride=4096"
	echo "data alignment|stores width=8 offset=3"
	echo "code alignment|alignment offset=60"
	echo "unlearnt branches|mispredict size=4k"
	echo "order of access|list-lookup misplaced=50"
	echo "values of data|$(own denormal.c <<'END'
/* slexplore: elements=n a=f64[n]:1e-310 */
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
	)"
	echo "data alignment|$(own split.c <<'END'
/* slexplore: elements=n a=f64[9*n] n=256 */
long loop(long n, char *a, void *b, void *c, void *d)
{
	for (long i = 0; i < n; i++)
		*(volatile long *)(a + 64 * i + 60) = i;
	return 0;
}
END
	)"
	echo "unlearnt branches|$(own branches.c <<'END'
/* slexplore: elements=n n=65536 a=i32[n]:random(100) */
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
	)"
	echo "order of access|$(own order.c <<'END'
/* slexplore: elements=n n=32768 a=i64[n]:permutation */
long loop(long n, long *a, void *b, void *c, void *d)
{
	long at = 0;
	for (long i = 0; i < n; i++)
		at = a[at];
	return at;
}
END
	)"
	[ "$(uname -m)" = x86_64 ] || return 0
	echo "code alignment|$(own code.S <<'END'
/* slexplore: elements=n */
.section .note.GNU-stack,"",@progbits
.text
.p2align 12
.globl loop
.type loop,@function
loop:	xor %r11d, %r11d
	.p2align 6
	.skip 57, 0x90
1:	lea 1(%r11), %rax
	lea 2(%r11), %rcx
	lea 3(%r11), %rdx
	add $1, %r11
	cmp %rdi, %r11
	jne 1b
	xor %eax, %eax
	ret
.size loop, .-loop
END
	)"
}

without() {
	cat <<'END'
|combine
|combine op=add type=f64
|combine op=add type=i64 unroll=8 acc=8
|combine op=mul type=f64 unroll=8 acc=8
|combine op=add type=f32 unroll=4 acc=4
|list-length
|list-length order=random
|mul-by
|mul-chain
|mul-chain acc=4
|k-loads
|k-loads k=3
|mountain size=8k
|stores
|simd
|simd width=256 acc=8
|latency
|latency order=backward
|branches
|mispredict
|mispredict random=0
|bandwidth
|chains chain=sum
|alignment
END
}

# judge NAME FILE: measures the settings of a file, and counts those in which the first named cause is the expected one.
judge() {
	good=0
	all=0
	while IFS='|' read -r cause setting; do
		for _ in $(seq "${REPEATS:-1}"); do
			begin=$(date +%s%N)
			# shellcheck disable=SC2086
			"$slexplore" run $setting --why --format json --quiet >"$work/json" </dev/null || true
			seconds=$(awk -v begin="$begin" -v end="$(date +%s%N)" 'BEGIN { printf "%.2f", (end - begin) / 1e9 }')
			first=$(sed -n 's/.*"cause":"\([^"]*\)","kind":"cause".*/\1/p' "$work/json" | head -n 1)
			share=$(sed -n 's/.*"kind":"cause".*"share":\([0-9.]*\),.*/\1/p' "$work/json" | head -n 1)
			all=$((all + 1))
			[ "$first" = "$cause" ] && good=$((good + 1))
			printf '%-8s %-52s %-18s %6s %6s s\n' "$([ "$first" = "$cause" ] && echo right || echo WRONG)" \
				"$(echo "$setting" | sed "s:$work/::")" "${first:-nothing}" "$share" "$seconds"
		done
	done <"$2"
	printf '%s: %d of %d right\n\n' "$1" "$good" "$all"
}

planted >"$work/planted"
without >"$work/without"
judge "planted causes" "$work/planted"
judge "without a gap" "$work/without"
