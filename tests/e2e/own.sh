#!/bin/sh
# Own loops from outside: real files, the system's compiler, errors and their messages, a file that is saved again.
. "$(dirname "$0")/lib.sh"

command -v "${CC:-cc}" >/dev/null || { echo "no compiler: skipped"; exit 77; }
mkdir "$place/tmp"
TMPDIR=$place/tmp
export TMPDIR

# The program leaves no temporary files.
leaves_nothing() {
	[ -z "$(ls "$TMPDIR")" ] || fail "$1: leaves $(ls "$TMPDIR")"
}

# source NAME LINE...: a file.
source_file() {
	name=$1
	shift
	printf '%s\n' "$@" >"$name"
}

# wrong STATUS NAME WORDS: the program refuses to run it.
wrong() {
	refuse "$1" "$3" run "./$2" --quiet
	leaves_nothing "$2"
}

array='/* slexplore: a=i32[n] */'

# Correct loops.
source_file sum.c '/* slexplore: elements=n a=f64[n]:1.0 b=i32[n]:random(n) c=list(n,64) */' \
	'double kept;' \
	'long loop(long n, void *a, void *b, void *c, void *d)' \
	'{ double *x = a, s = d ? 1 : 0; for (long i = 0; i < n; i++) s += x[i]; kept = s; return b && c; }'
expect 0 run ./sum.c --quiet --format csv
awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) if ($i == "cpe") at = i } NR == 2 { exit !(at && $at > 0) } END { exit NR < 2 }' \
	out || fail "no CPE: $(cat out)"
# The accumulators of the README's loop stay in registers, so that more of them help.
awk '/^```c$/ { on = 1; next } /^```/ { on = 0 } on' "$top_srcdir/README.md" >mine.c
expect 0 explain ./mine.c acc=4
says out 'acc=4'
! grep -q 'through memory' out || fail "the README's accumulators are in memory: $(cat out)"
expect 0 run sum.c n=1k cflags='-O1 -DX="1 2"' --quiet
says out "n=1024 cflags='-O1 -DX=\"1 2\"'"
expect 0 run sum.c pages=4k --quiet --format json --time-budget 0.2
says out '"pages":"4k"'

# Knobs of the file reach the compiler, in each combination with two sets of flags.
source_file knobs.c '/* slexplore: a=f64[n] knob unroll=1..8 knob type=float,double */' 'double kept;' \
	'long loop(long n, double *a) { TYPE s[UNROLL] = { 0 }; for (long i = 0; i + UNROLL <= n; i += UNROLL)' \
	'for (int k = 0; k < UNROLL; k++) s[k] += a[i + k];' 'for (int k = 0; k < UNROLL; k++) kept += s[k]; return 0; }'
expect 0 sweep ./knobs.c unroll=1..8 cflags=-O2,-O3 n=512 --quiet --time-budget 0.05 --format csv
[ "$(grep -c ',[1-8],float,-O[23],' out)" = 16 ] || fail "not 16 combinations: $(cat out)"

# Random data come again, or are drawn for each call.
source_file draws.c '/* slexplore: a=u8[n]:random(2) n=512 cflags=-O1 */' \
	'long loop(long n, unsigned char *a) { long k = 0; for (long i = 0; i < n; i++) if (a[i]) { k++; __asm__ volatile(""); } return k; }'
expect 0 sweep ./draws.c data=repeated,fresh --quiet --time-budget 0.05 --format csv
awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) if ($i == "cpe") at = i } NR > 1 && $at > 0 { rows++ } END { exit rows != 2 }' \
	out || fail "a sample each on repeated and on fresh data: $(cat out)"
expect 0 explain ./draws.c data=fresh
says out 'mispredictions'

# A stepped call that does not end shows the directions of its branches until then.
source_file stays.c '/* slexplore: a=u8[n]:random(2) n=16k cflags=-O1 */' '#include <unistd.h>' 'int calls;' \
	'long loop(long n, unsigned char *a) { long k = 0; calls += n == 16384; for (long i = 0; i < n; i++) {' \
	'if (a[i]) { k++; __asm__ volatile(""); } if (calls > 1 && i == 1000) pause(); } return k; }'
expect 0 explain ./stays.c data=fresh
says out 'mispredictions of '

# Each call gets data that setup() made for it: a partition in place mispredicts. A transposition's rows lie as far apart as n says.
source_file parts.c '/* slexplore: a=i32[n]:random b=i32[n] n=4096 cflags=-O1 */' '#include <string.h>' \
	'void setup(long n, int *a, int *b) { memcpy(b, a, n * sizeof *b); }' \
	'long loop(long n, int *a, int *b) { long i = -1, j = n; for (;;) { do i++; while (i < n && b[i] < 0);' \
	'do j--; while (j >= 0 && b[j] > 0); if (i >= j) return j; int t = b[i]; b[i] = b[j]; b[j] = t; } }'
expect 0 explain ./parts.c data=fresh
says out 'mispredictions of '
source_file turned.c '/* slexplore: a=f32[n]:1.0 b=f32[n] n=4096 multiple=128 cflags=-O1 */' 'long loop(long n, float *a, float *b)' \
	'{ long m = n / 32; for (long i = 0; i < m; i++) for (long j = 0; j < 32; j++) b[j * m + i] = a[i * 32 + j]; return 0; }'
if [ "$(uname -m)" = x86_64 ]; then
	expect 0 explain ./turned.c --uarch zen5
	says out '1 line a cycle: few neighbouring stores share a line'
fi

# On a knob of flags, a minus sign begins flags, which are compiled.
printf 'live\nknob cflags\ntype -O3\nentry accept\nlive\npanel knobs\nquit\n' >script.flags
expect 0 ./draws.c --script script.flags
grep -q 'cflags *-O3 ' out || fail "flags typed after a minus sign: $(cat out)"

# Two files as A and B; B is C++ without extern "C". The time of setup() does not count: it would be 40 cycles an element.
source_file sum.cpp '// slexplore: a=f64[n]:1.0' '// slexplore: b=i32[n]:random(-9..9),sorted' \
	'template <typename T> static T sum(const T *x, long n) { T s = 0; for (long i = 0; i < n; i++) s += x[i]; return s; }' \
	'double kept; void setup(long n, double *a, int *b) { for (volatile long i = 0; i < n * 8; i++); a[0] = b[0] > 9; }' \
	'void loop(long n, double *a, int *b) { kept = sum(a, n) + sum(b, n); }'
if command -v "${CXX:-c++}" >/dev/null; then
	expect 0 run ./knobs.c n=512 type=double vs ./sum.cpp cflags=-O1 --quiet --time-budget 0.1
	says out "./knobs.c n=512 unroll=1 type=double cflags=-O2"
	says out "./sum.cpp n=512 cflags=-O1"
	says out "B/A "
	awk '/^CPE/ && !($2 > 0 && $2 < 20) { exit 1 }' out || fail "setup() is counted: $(cat out)"
fi
refuse 2 "write vs between two settings" run ./knobs.c vs
refuse 2 "write vs only once" run ./knobs.c vs cflags=-O1 vs cflags=-O3
printf 'live\ndump %s\nquit\n' "$work/both" >script.two
expect 0 ./knobs.c n=512 vs cflags=-O1 --script script.two
says both "A  "
# Swapping A and B moves the mark of the present loop, too.
printf 'live\npin swap\nlive\ndump %s\nquit\n' "$work/swapped" >script.swap
sed 's/kept/left/' knobs.c >other.c
expect 0 ./knobs.c n=512 vs ./other.c --script script.swap
says swapped "▸ knobs.c"
# A recording without settings says why.
printf 'live\nrecord to own.jsonl\nlive\nrecord\ndump %s\nquit\n' "$work/unrecorded" >script.record
expect 0 ./knobs.c n=512 --script script.record
says unrecorded "because own loops are not recorded"

# Two sweeps, and two explanations.
expect 0 sweep ./knobs.c n=512,1k vs ./other.c cflags=-O1 --quiet --time-budget 0.05
[ "$(grep -c '^ *n=\(512\|1024\) .* [0-9.]* *[0-9.]* *[0-9.]*' out)" -ge 2 ] || fail "two settings of A and B: $(cat out)"
expect 0 explain ./knobs.c n=512 vs cflags=-O1
says out "B  ./knobs.c n=512 unroll=1 type=float cflags=-O1"
says out "B/A "
# The cycles of different elements have no ratio.
expect 0 run branches vs combine --quiet --time-budget 0.05
says out 'B/A      none: A is per branch, B per array element'
expect 0 sweep branches count=8,16 vs combine acc=1 --quiet --time-budget 0.05
says out 'B/A none: A is per branch, B per array element'
expect 0 explain branches vs combine
says out 'B/A       none: A is per branch, B per array element'
refuse 2 "write vs between two settings" sweep ./knobs.c vs

# Rust.
source_file sum.rs '// slexplore: a=f64[n]:1.0 knob four=no,yes' '#[no_mangle]' \
	'pub extern "C" fn r#loop(n: i64, a: *const f64) -> i64 { let x = unsafe { std::slice::from_raw_parts(a, n as usize) };' \
	'let mut s = [0.0; 4]; for i in 0..x.len() { s[if cfg!(four = "yes") { i % 4 } else { 0 }] += x[i]; } s[0] as i64 }'
command -v "${RUSTC:-rustc}" >/dev/null && { expect 0 run ./sum.rs --quiet --time-budget 0.1; says out "four=no cflags='-C opt-level=2'"; }

source_file half.c '/* slexplore: a=f64[n] knob half=1,2 */' '#if HALF == 2' '#error no two' '#endif' \
	'double kept;' 'long loop(long n, double *a) { for (long i = 0; i < n; i++) kept += a[i]; return 0; }'
refuse 1 "(cc -O2 -DHALF=2): ./half.c:3:2: error: #error no two" run ./half.c half=2 --quiet
case $(uname -m) in
x86_64) source_file sum.S '# slexplore: a=i64[n]' '	.globl loop' 'loop:' '	xor %eax, %eax' '1:	add (%rsi), %rax' '	add $8, %rsi' \
	'	dec %rdi' '	jne 1b' '	ret' '	.section .note.GNU-stack,"",@progbits' ;;
*) source_file sum.S '// slexplore: a=i64[n]' '	.globl loop' 'loop:' '	mov x3, #0' '1:	ldr x4, [x1], #8' '	add x3, x3, x4' \
	'	subs x0, x0, #1' '	b.ne 1b' '	mov x0, x3' '	ret' '	.section .note.GNU-stack,"",%progbits' ;;
esac
expect 0 run ./sum.S --quiet
says out CPE

# Events are also counted in the child, where the system allows counting.
clock=perf::PERF_COUNT_SW_TASK_CLOCK
known="\"$clock\",\"extra\",[0-9.e+-]*,[0-9.e+-]*,[0-9.e+-]*,\"known\""
expect 0 run combine --event $clock --format json --quiet
if grep -q "$known" out; then
	expect 0 run ./sum.c --event $clock --format json --quiet
	grep -q "$known" out || fail "an own loop is not counted: $(cat out)"
fi

# Errors in the file.
wrong 2 missing.c "./missing.c: No such file"
source_file plain.c 'long loop(long n) { return n; }'
wrong 2 plain.c "./plain.c: no comment says which data loop() uses; write, for example,  /* slexplore: "
source_file plain.asm "$array"
wrong 2 plain.asm "./plain.asm is no source file"
source_file words.c 'int x;' '/* slexplore: a=f65[n] */'
wrong 2 words.c './words.c:2:17: "a=f65[n]": '
source_file named.c "$array" 'long lop(long n) { return n; }'
wrong 1 named.c "./named.c has no function loop()"
source_file syntax.c "$array" 'long loop(long n) { retrun n; }'
expect 1 run ./syntax.c --quiet
says err "retrun"
says err "./syntax.c does not compile"
# No message of the compiler sends control characters to the terminal.
source_file escape.c "#error $(printf '\033]0;title\007')" "$array" 'long loop(long n) { return n; }'
expect 1 run ./escape.c
says err "error"
CC="$work/no-such-compiler" expect 1 run ./sum.c --quiet
says err "no compiler: "
# A blank CC names no compiler: the usual one compiles.
for blank in '' ' ' "$(printf '\t ')"; do
	CC=$blank expect 0 run ./sum.c n=1k --quiet --time-budget 0.05
done
expect 2 run ./sum.c m=4 --quiet
says err "no knob \"m\""

# Errors in the loop: each costs one sample.
source_file segv.c '/* slexplore: a=i32[n] c=i32[n] */' \
	'long loop(long n, volatile int *a, volatile int *b) { return a[0] + b[n]; }'
wrong 1 segv.c "(SIGSEGV) in loop(): its comment has the word c=, but not b=; "
expect 1 explain ./segv.c
says err ": its comment has the word c=, but not b=; the arguments after n are a=, b=, c= and so on in order, so b is NULL"
source_file swapped.c '/* slexplore: a=i32[n] */' 'int kept;' \
	'long loop(const int *a, long n) { for (long i = 0; i < n; i++) kept += a[i]; return kept; }'
wrong 1 swapped.c "(SIGSEGV) in loop(), which is called as loop(n, a)"
source_file fpe.c "$array" 'long loop(long n, volatile int *a) { volatile int zero = a[0]; __asm__("" : "+m"(zero));' \
	'#ifdef __x86_64__' 'return n / zero;' '#else' '__builtin_trap();' '#endif' '}'
[ "$(uname -m)" != x86_64 ] || wrong 1 fpe.c "divided by zero"
source_file ill.c "$array" 'long loop(long n) {' '#ifdef __x86_64__' '__asm__ volatile("ud2");' '#else' \
	'__asm__ volatile("udf #0");' '#endif' 'return n; }'
wrong 1 ill.c "SIGILL"
source_file abort.c '#include <stdlib.h>' '#include <unistd.h>' "$array" \
	'long loop(long n) { if (write(2, "two\n lines\33\nof three\n", 21) == 21) abort(); return 0; }'
wrong 1 abort.c "(SIGABRT) in loop(): two lines?"
source_file exit.c '#include <stdlib.h>' "$array" 'long loop(long n) { exit(3); }'
wrong 1 exit.c "loop() ended the process: exit("
source_file endless.c "$array" 'long loop(long n, volatile int *a) { for (;;) a[0]++; }'
wrong 1 endless.c "loop() did not return within 2"
# All calls together have a deadline, and so has single-stepping. The deadline is longer on a busy machine.
source_file sleepy.c '#include <unistd.h>' "$array" 'void setup(long n, int *a) { usleep(400000); }' \
	'long loop(long n, volatile int *a) { for (long i = 0; i < n; i++) a[0]++; return 0; }'
wrong 1 sleepy.c "calls of loop(), with setup() if the file has it, took"
source_file greedy.c '#include <sys/mman.h>' "$array" 'void setup(long n, int *a) { for (int i = 0; i < 64; i++)' \
	'*(volatile char *)mmap(0, 64 << 20, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) = 1; }' \
	'long loop(long n, volatile int *a) { for (long i = 0; i < n; i++) a[0]++; return 0; }'
wrong 1 greedy.c "allocated more than 1 GiB beside its data"
source_file loading.c "$array" 'static __attribute__((constructor)) void early(void) { __builtin_trap(); }' \
	'long loop(long n) { return n; }'
wrong 1 loading.c "while it was loaded"
source_file constant.c "$array" 'long loop(long n, volatile int *a) { for (int i = 0; i < 2000; i++) (void)a[0]; return 0; }'
wrong 1 constant.c "does it process n elements"
wrong 1 constant.c "A compiler removes a loop whose results are not used"
# A slow first call does not decide that single calls are compared: here every second call is longer, for any n.
source_file first.c '#include <time.h>' "$array" 'static int calls; long loop(long n, volatile int *a) {' \
	'if (!calls++) { struct timespec pause = { 0, 20000000 }; nanosleep(&pause, 0); }' \
	'for (int i = 0; i < (calls & 1 ? 1000 : 2000); i++) (void)a[0]; return 0; }'
wrong 1 first.c "does it process n elements"

# The loop has its own session, no descriptor but its pipe, and leaves no process: it starts threads, but no process that asks for a session
# of its own (where Linux has seccomp). The constructor also runs when the loop is single-stepped.
source_file alone.c '#define _GNU_SOURCE' '#include <fcntl.h>' '#include <pthread.h>' '#include <signal.h>' '#include <string.h>' '#include <sys/ptrace.h>' '#include <stdio.h>' '#include <stdlib.h>' '#include <unistd.h>' \
	'/* slexplore: a=f64[n]:1.0 */' 'static void *end(void *unused) { return unused; }' \
	'#include <linux/perf_event.h>' '#include <linux/sockios.h>' '#include <sys/ioctl.h>' '#include <sys/resource.h>' '#include <sys/syscall.h>' \
	'static void attack(pid_t parent) { siginfo_t about = { .si_code = -1 }; int ends[2]; struct f_owner_ex owner = { F_OWNER_PID, parent };' \
	'struct rlimit none = { 0, 0 }; syscall(SYS_tkill, parent, SIGTERM); syscall(SYS_rt_tgsigqueueinfo, parent, parent, SIGTERM, &about);' \
	'syscall(SYS_rt_sigqueueinfo, parent, SIGTERM, &about); syscall(SYS_pidfd_send_signal, syscall(SYS_pidfd_open, parent, 0), SIGTERM, 0, 0);' \
	'for (int way = 0; way < 3; way++) { if (pipe(ends)) continue; fcntl(ends[0], F_SETSIG, SIGTERM); if (way == 0) fcntl(ends[0], F_SETOWN, parent);' \
	'if (way == 1) fcntl(ends[0], F_SETOWN_EX, &owner); if (way == 2) ioctl(ends[0], FIOSETOWN, &parent);' \
	'if (!fcntl(ends[0], F_SETFL, O_ASYNC) || !ioctl(ends[0], FIOASYNC, &ends[0]) || fcntl(ends[0], F_SETFL, O_NONBLOCK)) abort();' \
	'(void)!write(ends[1], "!", 1); close(ends[0]); close(ends[1]); } prlimit(parent, RLIMIT_CPU, &none, 0);' \
	'struct perf_event_attr event = { .type = PERF_TYPE_SOFTWARE, .size = sizeof(event), .config = PERF_COUNT_SW_TASK_CLOCK };' \
	'event.sample_period = 1000; event.sigtrap = event.remove_on_exec = event.exclude_kernel = 1;' \
	'syscall(SYS_perf_event_open, &event, parent, -1, -1, 0); }' \
	'static __attribute__((constructor)) void look(void) {' 'int open_ones = 0; pid_t left; FILE *file = 0; pthread_t thread;' \
	'if (pthread_create(&thread, 0, end, 0) || pthread_join(thread, 0)) abort();' 'for (int i = 3; i < 64; i++) open_ones += fcntl(i, F_GETFD) >= 0;' \
	'if (open_ones > 1 || getsid(0) != getpid()) abort();' \
	'for (int i = 3; i < 64; i++) { (void)!write(i, "!", 1); close(i); }' \
	'for (char line[99]; (file = file ? file : fopen("/proc/self/status", "r")) && fgets(line, 99, file);)' \
	'if (!strncmp(line, "Seccomp:\t2", 10)) { kill(getppid(), SIGTERM); ptrace(PTRACE_ATTACH, getppid(), 0, 0); attack(getppid()); }' \
	'if ((file = freopen("/proc/self/oom_score_adj", "r", file)) && (fscanf(file, "%d", &open_ones) != 1 || open_ones != 1000)) abort();' \
	'if ((left = fork()) == 0) { setsid(); setpgid(0, 0); alarm(300); for (;;) pause(); }' \
	'if ((file = fopen(LEFT, "a"))) { fprintf(file, "%d\n", (int)left); fclose(file); } }' \
	'double kept;' 'long loop(long n, double *a) { double s = 0; for (long i = 0; i < n; i++) s += a[i]; kept = s; return 0; }'
expect 0 run ./alone.c "cflags=-O2 '-DLEFT=\"$work/left\"'" --quiet
no_process() {
	case $(cut -d' ' -f3 "/proc/$1/stat" 2>/dev/null) in Z | '') ;; *) return 1 ;; esac
}
[ -s left ] || fail "the loop did not begin"
while read -r process; do
	until_true no_process "$process" || { fail "a process of the loop is left"; kill -s KILL "$process"; }
done <left

# A loop that can run only once is explained once.
source_file once.c '#include <unistd.h>' '/* slexplore: a=f64[n]:1.0 */' 'double kept; static __attribute__((constructor)) void once(void)' \
	'{ if (unlink(ONCE)) __builtin_trap(); }' \
	'long loop(long n, double *a) { double s = 0; for (long i = 0; i < n; i++) s += a[i]; kept = s; return 0; }'
: >once
"$SLEXPLORE" explain ./once.c "cflags=-O2 '-DONCE=\"$work/once\"'" >out 2>err </dev/null
[ $? -le 1 ] || fail "a loop that runs once: $(cat out err)"

leaves_nothing "what was measured and refused"

# A signal that ends the program ends the compiler before its folder is removed: gcc would write to /tmp.
source_file busy-cc ': >began' 'while [ -d "$TMPDIR" ]; do :; done' ': >outlived'
for signal in ALRM TERM HUP; do
	rm -f began
	CC="sh $work/busy-cc" "$SLEXPLORE" run ./sum.c --quiet >out 2>err &
	until_true test -e began || fail "the compiler did not start: $(head -c 300 err)"
	kill -s $signal $!
	wait $! 2>/dev/null
	[ ! -e outlived ] || fail "SIG$signal: the folder of the compiler is removed before its end"
done
leaves_nothing "an ended compiler"

# A signal that ends the program ends the processes of the loop, too, even a loop that asks to outlive its parent (PR_SET_PDEATHSIG; where
# Linux has seccomp). No file is left; after SIGKILL, the next own loop removes the folder.
source_file ended.c '#include <stdio.h>' '#include <sys/prctl.h>' '#include <unistd.h>' '/* slexplore: a=f64[n]:1.0 */' \
	'static __attribute__((constructor)) void start(void) { FILE *file; pid_t left = fork();' \
	'if (left == 0) { alarm(300); for (;;) pause(); }' 'prctl(PR_SET_PDEATHSIG, 0);' \
	'if ((file = fopen(LEFT, "w"))) { fprintf(file, "%d\n%d\n", (int)getpid(), (int)left); fclose(file); } alarm(300); for (;;) pause(); }' \
	'long loop(long n, double *a) { return n + (long)a[0]; }'
for signal in KILL USR2; do
	rm -f ended
	"$SLEXPLORE" run ./ended.c "cflags=-O0 '-DLEFT=\"$work/ended\"'" --quiet >out 2>err &
	until_true test -s ended || fail "the loop did not start: $(head -c 300 err)"
	[ $signal != KILL ] || grep -q '^Seccomp:.*2' "/proc/$(head -n 1 ended)/status" || kill -s USR2 $!
	kill -s $signal $! 2>/dev/null
	wait $! 2>/dev/null
	while read -r process; do
		until_true no_process "$process" || { fail "a process of the ended program is left"; kill -s KILL "$process"; }
	done <ended
done
leaves_nothing "an ended program"

# In the explorer: after a save, the version before becomes A. Compiler errors are shown, and the version before stays.
# While a file "slow" exists, the compiler never ends.
source_file slow-cc '[ ! -e slow ] || exec sleep 60' "exec ${CC:-cc} \"\$@\""
mkfifo script
CC="sh $work/slow-cc" "$SLEXPLORE" ./sum.c n=512 --script - <script >screens 2>err &
explorer=$!
exec 3>script
# Writing fails after it has ended.
trap '' PIPE

# Dumps the screen until it shows the words, or the explorer has ended. A busy machine may need many seconds.
until_shown() {
	tries=0
	while [ $tries -lt 600 ]; do
		printf 'live\ndump %s\n' "$work/screen" >&3 2>/dev/null || break
		tries=$((tries + 1))
		until_true test -s screen
		grep -qF -- "$1" screen && return
		rm -f screen
		sleep 0.1
	done
	fail "the explorer never shows \"$1\": $(cat err)"
}

until_shown "sum.c"
sed 's/s += x\[i\]/s += x[i] * 3/' sum.c >next && mv next sum.c
rm -f screen
until_shown "B/A"
grep -q 'A did not change' screen && fail "the notice denies the new A: $(cat screen)"
grep -q 512 screen || fail "n is not kept: $(cat screen)"
# No command line can open the version before.
echo "key y" >&3
rm -f screen
until_shown "A is missing from the command line"
echo "key Esc" >&3
echo 'long loop(' >sum.c
echo '/* slexplore: */ retrun' >>sum.c
rm -f screen
until_shown "does not compile"
# A compiler that never ends stops neither the screen nor the end of the program.
: >slow
echo '/* */' >>sum.c
rm -f screen
until_shown "sum.c: compiling"
echo quit >&3
exec 3>&-
wait $explorer || fail "the explorer ended with $?: $(cat err)"
leaves_nothing "the explorer"

# Both files of A and B are watched, also after a swap; the new version takes the place of A, however often the files are saved.
source_file one.c '/* slexplore: a=f64[n]:1.0 */' 'double kept;' \
	'long loop(long n, double *a) { for (long i = 0; i < n; i++) kept += a[i]; return 0; }'
sed 's/+=/-=/' one.c >two.c
mkfifo script.ab
"$SLEXPLORE" ./one.c n=512 vs ./two.c n=512 --script - <script.ab >screens 2>err &
explorer=$!
exec 3>script.ab
rm -f screen
until_shown "B/A"
for i in 1 2 3 4 5; do
	echo "/* $i */" >>two.c
	rm -f screen
	until_shown "two.c was read again; A did not change"
done
echo '/* again */' >>one.c
rm -f screen
until_shown "one.c was read again; A is measured again"
rm -f screen
until_shown "B/A"
grep -q '▸ two.c' screen || fail "the present loop left the screen: $(cat screen)"
cp one.c whole.c
echo 'long loop(' >>one.c
rm -f screen
until_shown "one.c does not compile"
echo close >&3
rm -f screen
until_shown "old version: one.c"
cp whole.c one.c
rm -f screen
until_shown "one.c was read again; A is measured again"
grep -q 'old version' screen && fail "the new version is called old: $(cat screen)"
rm -f screen
until_shown "B/A"
echo 'pin swap' >&3
rm -f screen
until_shown "▸ one.c"
echo '/* once more */' >>two.c
rm -f screen
until_shown "two.c was read again; A is measured again"
echo '/* once more */' >>one.c
rm -f screen
until_shown "one.c was read again; A did not change"
echo quit >&3
exec 3>&-
wait $explorer || fail "the explorer with two files ended with $?: $(cat err)"

done_with "loops of one's own are measured as they should be"
