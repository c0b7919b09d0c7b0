#!/bin/sh
# slexplore explain from outside: every kernel on every core model, the values of "Performance speed limits", own loops, and errors.
# Requires top_srcdir, the source directory.
. "$(dirname "$0")/lib.sh"

: "${top_srcdir:?the sources}"

case $(uname -m) in
x86_64) isa=x86_64 known=skylake other=neoverse-n1 near=skylak ;;
*) isa=aarch64 known=neoverse-n1 other=skylake near=neoverse-n ;;
esac
sanitized=0
! grep -q __asan_init "$SLEXPLORE" || sanitized=1
others=$(cd "$top_srcdir/data/uarch" && grep -L "^isa $isa\$" -- *.uarch | sed 's/\.uarch$//')
kernels=$("$SLEXPLORE" list --format json | sed -n 's/.*"record":"kernel".*"kernel":"\([^"]*\)".*/\1/p')
[ "$(echo "$kernels" | wc -l)" -ge 10 ] || fail "too few kernels: $kernels"

# Every kernel at its defaults (tests/unit/test_explain.c has all cores).
may_step=1
for kernel in $kernels; do
	"$SLEXPLORE" explain "$kernel" --uarch "$known" --format csv </dev/null >out 2>err
	status=$?
	if [ $status -eq 1 ] && grep -q 'stepping is not ' err; then
		may_step=0
		continue
	fi
	if [ $status -eq 1 ] && grep -q 'which this processor lacks' err; then
		continue
	fi
	[ $status -eq 0 ] || fail "explain $kernel: exit status $status: $(cat err)"
	[ ! -s err ] || fail "explain $kernel: $(cat err)"
	awk -F, -v core="$known" 'NR == 1 { next }
		$2 != core || $4 !~ /^(binding|hard|soft|unknown)$/ || ($4 != "unknown" && !($5 > 0 && $6 > 0)) { exit 1 }
		$4 == "binding" { bound = $5; found++ } $4 == "hard" && $5 > bound && found { exit 1 }
		END { exit found != 1 }' out || fail "explain $kernel: $(cat out)"
done
# Every field of the records is in the lists of fields.
"$SLEXPLORE" list --dump fields >fields
"$SLEXPLORE" list --dump records >records
cat >known.py <<'END'
import json, sys
listed = {"v", "record", "id", "host"} | {line.split("\t")[0] for line in open("fields")}
fields = {row[1]: set(row[2].split()) for row in (line.rstrip("\n").split("\t") for line in open("records"))}
for line in sys.stdin:
    record = json.loads(line)
    unlisted = set(record) - listed - fields[record["record"]]
    if unlisted:
        sys.exit(f"unlisted fields: {unlisted}")
END
for kernel in $kernels; do
	case $kernel in branches | mispredict | stores) [ $may_step = 1 ] || continue ;; esac
	# A sanitized program is slow, and tests/unit/test_explain.c runs all kernels in it.
	case $kernel in combine | list-length | matmul | mispredict) ;; *) [ $sanitized = 0 ] || continue ;; esac
	expect 0 explain "$kernel" --uarch "$known"
	for part in "core      " "loop      " "limit     " "predicted " "remedy    " "limits, cycles" "ports, micro-ops" "code: "; do
		says out "$part"
	done
	! grep -q '^unknown ' out || fail "$kernel: $(cat out)"
	expect 0 explain "$kernel" --uarch "$known" --format json
	"$SLEXPLORE" explain "$kernel" --uarch "$known" --export mca </dev/null >loop.s 2>err || fail "explain $kernel --export: $(cat err)"
	grep -q 'LLVM-MCA-BEGIN' loop.s || fail "no marker in the export of $kernel"
	! command -v as >/dev/null || as -o loop.o loop.s 2>err || fail "the export of $kernel does not assemble: $(head -n 2 err)"
	LC_ALL=C awk 'length($0) + 1 > 1000 || !/^[{]"v":1,"record":"(explain|limits|ports|insn)","id":1,"host":".*[}]$/ { exit 1 }
		NR == 1 && !/"record":"explain"/ { exit 1 } /"record":"insn"/ { insn++ } /"record":"limits"/ { limits++ }
		/"binding":true/ { binding++ } END { exit insn < 1 || limits < 2 || binding != 1 }' out ||
		fail "explain $kernel --format json: $(cat out)"
	cat out >>records.jsonl
	# The diagrams of one kernel of each kind of code; tests/unit/test_timeline.c has all kernels.
	case $kernel in combine | list-length | matmul | mispredict) ;; *) continue ;; esac
	# Every instruction of the loop, which is dispatched, begins, is done and retires in this order.
	expect 0 explain "$kernel" --uarch "$known" --timeline
	says out "timeline  "
	says out "cycles an iteration"
	expect 0 explain "$kernel" --uarch "$known" --timeline --format csv
	LC_ALL=C awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) column[$i] = i; next }
		{ gsub(/"[^"]*"/, "text"); $0 = $0 } { rows++ }
		$column["dispatched"] != "" && ($column["done"] < $column["dispatched"] + 0 || $column["retired"] < $column["done"] + 0) { exit 1 }
		END { exit rows < 2 }' out || fail "explain $kernel --timeline: $(head -n 4 out)"
	expect 0 explain "$kernel" --uarch "$known" --graph
	says out "graph     "
done
! command -v python3 >/dev/null || python3 known.py <records.jsonl || fail "invalid JSON, or unlisted fields"
refuse 2 "use one of them" explain combine --timeline --graph

# The running core, or the message that it is unknown.
"$SLEXPLORE" explain combine </dev/null >out 2>err
case $? in
0) says out "core      " ;;
1) says err "--uarch" ;;
*) fail "explain combine: $(cat err)" ;;
esac

# The textbook's question.
expect 0 explain mountain size=32m stride=4 --uarch "$known" --whatif 'L1 64m'
says out ': one read in 2 is a miss: 0.5 lines for each'
says out 'what if L1 64 MiB: no miss after the first pass: all 32 MiB stay'

# Errors.
for core in $others; do
	refuse 2 "$core is a core for " explain combine --uarch "$core"
done
refuse 2 "$known" explain combine --uarch "$near"
refuse 2 'no core model "xyzzy"' explain combine --uarch xyzzy
refuse 2 '../keys: No such file or directory' explain combine --uarch ../keys
refuse 2 'did you mean combine?' explain combin
# The case study's rule, for its machine: three blocks of 64 x 64 fit a second cache of 96 KiB.
expect 0 explain matmul form=blocked-transposed --uarch "$known" --whatif 'L2 96k'
says out 'what if L2 of 96 KiB: block='
says out 'three blocks of 64 x 64 8-byte elements fit L2 (96 KiB)'
refuse 2 'what if "3": a factor (2x, 0.5x)' explain combine --whatif 3
refuse 2 'did you mean unroll?' explain combine unrol=2
refuse 2 'unroll=17' explain combine unroll=17
refuse 2 'unroll=1..2' explain combine unroll=1..2
refuse 2 'acc=9 needs' explain combine acc=9 unroll=4
refuse 2 'kernel name for explain' explain
refuse 2 'is an option of' explain combine --time-budget 1
refuse 2 "$other" run combine --uarch "$other"
refuse 2 "$other" sweep combine --uarch "$other"
expect 0 explain --help
says out 'slexplore explain KERNEL'

# The user's own core model, correct and wrong.
mkdir -p data/uarch
SLEXPLORE_DATA=$work/data
printf 'uarch mine My core\nisa %s\nfrom %s\nwidth 1 [M]\n' $isa $known >data/uarch/mine.uarch
expect 0 explain combine --uarch mine
says out "predicted for My core, which is not this core"
says out "micro-ops, 1 a cycle"
printf 'uarch mine My core\nisa %s\nfrom %s\nwidth 1\n' $isa $known >data/uarch/mine.uarch
refuse 1 "$work/data/uarch/mine.uarch:4: " explain combine --uarch mine
# A malformed model of the running core is reported by every command that would use it.
if [ $isa = x86_64 ]; then
	vendor=$(sed -n 's/^vendor_id[^:]*: //p;T;q' /proc/cpuinfo)
	family=$(printf '%x' "$(sed -n 's/^cpu family[^:]*: //p;T;q' /proc/cpuinfo)")
	model=$(printf '%x' "$(sed -n 's/^model[[:blank:]]*: //p;T;q' /proc/cpuinfo)")
	flags=$(sed -n 's/^flags[^:]*: //p;T;q' /proc/cpuinfo | tr ' ' '\n' | sed -n 's/^avx2$/with avx2/p;s/^avx512f$/with avx512f/p' | tr '\n' ' ')
	printf 'uarch mine My core\nisa %s\nfrom %s\nmatch vendor %s family %s model %s stepping 0-f %s[M]\nwidth 1\n' $isa $known \
		"$vendor" "$family" "$model" "$flags" >data/uarch/mine.uarch
	refuse 1 "$work/data/uarch/mine.uarch:5: " explain combine
	sed -i 's/^width 1$/width 1 [M]/' data/uarch/mine.uarch
	expect 0 explain combine
	says out "core      My core: "
	# A file that matches this processor is of this core, and its recording too.
	cp data/uarch/mine.uarch ./mine.uarch
	SLEXPLORE_DATA=''
	expect 0 explain combine --uarch ./mine.uarch
	says out "core      My core: ./mine.uarch: its file matches this core"
	"$SLEXPLORE" record own.jsonl combine --uarch ./mine.uarch >out 2>err
	says err "limits are of My core (./mine.uarch: its file matches this core)"
	grep -q '"uarch": *"mine"' own.jsonl || fail "not a recording of limits of My core: $(cat err)"
fi
SLEXPLORE_DATA=''

# bound NAME CYCLES KERNEL KNOB...: which limit binds on Skylake, and its cycles an iteration.
bound() {
	limit=$1 cycles=$2
	shift 2
	expect 0 explain "$@" --uarch skylake --format csv
	awk -F, -v limit="$limit" -v cycles="$cycles" '$4 == "binding" && $3 == limit && $6 - cycles < 0.001 && cycles - $6 < 0.001 {
		found = 1 } END { exit !found }' out || fail "$*: not $limit $cycles: $(cat out)"
}

if [ $isa = x86_64 ]; then
	bound width 3.5 sum-halves
	bound ports 4 mul-by
	bound latency 3 mul-chain
	bound ports 4 mul-chain acc=4
	bound loads 2 indirect
	bound width 1.75 indirect form=wide
	expect 0 explain indirect form=wide-lean --uarch skylake --format csv
	grep -q ',binding,0.75,1.5,' out || fail "indirect form=wide-lean: $(cat out)"
	bound complex-addressing 1.5 sum-arrays
	bound width 1.25 sum-arrays form=relative
	bound width 1.75 sum-arrays form=pointers
	# A loop that only its counter limits is to be unrolled; one that adds up elements needs accumulators, although its counter takes as long.
	expect 0 explain sum-arrays --uarch zen5
	says out "remedy    Unroll: "
	expect 0 explain combine op=add type=i64 unroll=1 acc=1 --uarch zen5
	says out "remedy    Break the chain: use more accumulators"
	# Where other limits equal the chain, breaking it alone gains nothing.
	expect 0 explain combine unroll=6 acc=6 --uarch zen4
	says out "remedy    Equal limits: latency, vector-loads, ports. "
	# Ports of mul-by: the multiplications, then the rest of the additions, the move and the branch.
	expect 0 explain mul-by --uarch skylake --format json
	grep '"record":"ports"' out | sed 's/,"naive".*//' | grep -o '"p[0-7]":[0-9.]*' | tr -d '"p' | awk -F: '
		{ p[$1] = $2 } END { rest = p[0] + p[5] + p[6]
		exit !(NR == 8 && p[1] == 4 && p[2] == 0.5 && p[3] == 0.5 && p[4] == 0 && p[7] == 0 && rest >= 3 && rest <= 5) }' ||
		fail "ports of mul-by: $(grep '"record":"ports"' out)"
fi

# Own loops: the same limits, from single-stepping.
if [ $may_step = 1 ] && command -v "${CC:-cc}" >/dev/null; then
	printf '%s\n' '/* slexplore: elements=n a=f64[n]:1.0 */' 'double sum;' \
		'long loop(long n, double *a, void *b, void *c, void *d)' \
		'{ double s = 0; for (long i = 0; i < n; i++) s += a[i]; sum = s; return b || c || d; }' >./mine.c
	expect 0 explain ./mine.c --uarch "$known"
	says out "(S)"
	says out "cycles per element: latency (latency bound)"
	says out "floating-point addition" # of one element, or of two if the compiler unrolls the loop
	expect 0 explain ./mine.c n=1k cflags=-O1 --uarch "$known" --format json
	says out '"instructions_from":"stepped"'
	says out '"n":1024'
	refuse 2 'no knob "m"' explain ./mine.c m=1
	printf '%s\n' '/* slexplore: a=i32[n] */' 'long loop(long n, volatile int *a, volatile int *b) { return a[0] + b[n]; }' \
		>./segv.c
	refuse 1 SIGSEGV explain ./segv.c --uarch "$known"
	refuse 2 "No such file" explain ./none.c --uarch "$known"

	# explain measures nothing, so it creates no thread, except to compile an own loop. This is only checked where a library
	# can be preloaded.
	printf '%s\n' '#include <unistd.h>' 'int pthread_create(void *a, void *b, void *c, void *d)' \
		'{ (void)a, (void)b, (void)c, (void)d; _exit(99); }' >threads.c
	if ${CC:-cc} -shared -fPIC -o threads.so threads.c 2>/dev/null &&
		{ LD_PRELOAD=$work/threads.so "$SLEXPLORE" run combine >/dev/null 2>&1; [ $? -eq 99 ]; }; then
		for kernel in combine list-length matmul mispredict; do
			LD_PRELOAD=$work/threads.so "$SLEXPLORE" explain "$kernel" --uarch "$known" >/dev/null 2>err
			[ $? -ne 99 ] || fail "explain $kernel makes a thread"
		done
	fi
fi

done_with "limits are explained as they should be"
