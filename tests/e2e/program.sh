#!/bin/sh
# slexplore explain with programs: compiled files, their functions, loops and source lines, and damaged files.
. "$(dirname "$0")/lib.sh"

cc=${CC:-cc}
command -v "$cc" >/dev/null || { echo "no compiler: skipped"; exit 77; }
case $(uname -m) in
x86_64) known=skylake magic=x86-64 ;;
*) known=neoverse-n1 magic=AArch64 ;;
esac

cat >loops.c <<'END'
extern int area(int *a, int n) __asm__("_ZN5shape4areaEPii");
static inline int twice(int x)
{
	return 2 * x + 1;
}
int area(int *a, int n)
{
	int s = 0;
	for (int i = 0; i < n; i++)
		s += a[i] * twice(a[i]);
	return s;
}
void transpose(int *to, const int *from, int n)
{
	for (int i = 0; i < n; i++)
		for (int k = 0; k < n; k++)
			to[k * n + i] = from[i * n + k];
}
__attribute__((noinline)) static long same(long n)
{
	return n ? n * 3 : 1;
}
long call_same(long n)
{
	return same(n);
}
/* A switch is a jump through a table. */
int run(const char *code)
{
	int s = 1;
	for (; *code; code++)
		switch (*code) {
		case 'a': s += 3; break;
		case 'b': s *= 7; break;
		case 'c': s -= 9; break;
		case 'd': s ^= 5; break;
		case 'e': s <<= 1; break;
		case 'f': s = ~s; break;
		default: s = -s;
		}
	return s;
}
/* The loop branch has a line of a library; the body has a line of this file. */
long total(const long *a, long n)
{
	long s = 0, i = 0;
# 7 "/usr/include/made.h"
	for (; i < n; i++)
# 90 "loops.c"
		s += a[i] ^ n;
	return s;
}
END
cat >more.c <<'END'
__attribute__((noinline)) static long same(long n)
{
	return n ? n * 5 : 1;
}
long call_more(long n)
{
	return same(n);
}
int main(void)
{
	return 0;
}
END
flags="-g -O1 -fno-tree-vectorize"
# shellcheck disable=SC2086
"$cc" $flags -fPIC -c loops.c && "$cc" $flags -fPIC -c more.c && "$cc" -shared -o loops.so loops.o more.o &&
	"$cc" -o loops loops.o more.o || fail "$cc does not compile"

# Each kind of file has the same loops.
for file in loops.o loops.so ./loops; do
	expect 0 explain "$file" --format csv
	grep -q '^function,file,address,bytes,loops,source$' out || fail "$file: the first line: $(head -n 1 out)"
	grep -q '^transpose,loops[.os]*,0x[0-9a-f]*,[0-9]*,1,loops.c:1[34]$' out || fail "$file: no transpose: $(cat out)"
	grep -q '^run,loops[.os]*,0x[0-9a-f]*,[0-9]*,1,' out || fail "$file: not one loop in run: $(cat out)"
	! grep -q '^call_same' out || fail "$file: a function without a loop is listed"
	expect 0 explain "$file" --function transpose --uarch "$known"
	says out "1 innermost loop"
	says out "inside 1 loop"
	grep -q '^ *loops\.c$' out && grep -q '^[c ].[0-9a-f ]\{8\}     1[67]  ' out || fail "$file: no source lines: $(cat out)"
	says out "limits, cycles per iteration"
	says out "memory    "
	expect 0 explain "$file" --function loops.c:17 --uarch "$known" --format json
	LC_ALL=C awk 'NR == 1 && !/"record":"explain".*"kernel":"transpose".*"loop":1,"loops":1,"depth":2/ { exit 1 }
		/"record":"insn"/ && /"source":"loops.c:1[67]"/ { lines++ } END { exit lines < 2 }' out ||
		fail "$file: $(cat out)"
done
expect 0 explain ./loops.so --function transpose --uarch "$known" --export mca
says out "LLVM-MCA-BEGIN"
expect 0 explain ./loops.so --function transpose --uarch "$known" --timeline
says out "cycles an iteration"

# An inlined function: its line stands at its instructions, in the function that contains them.
expect 0 explain loops.o --function loops.c:4 --uarch "$known"
grep -q '^[c ].[0-9a-f ]\{8\}      4  ' out || fail "no line of the inlined function: $(cat out)"
# The name of a C++ function, where the C++ library is installed.
if "$SLEXPLORE" explain loops.o </dev/null | grep -q 'shape::area(int\*, int)'; then
	expect 0 explain loops.o --function shape::area --uarch "$known"
	expect 0 explain loops.o --function 'shape::area(int*, int)' --uarch "$known"
	expect 0 explain loops.o --function area --uarch "$known"
fi
expect 0 explain loops.o --function _ZN5shape4areaEPii --uarch "$known"
says out "an iteration reads 4 bytes in order"
says out "cycles a byte, "

# Lines of libraries give way to lines of the program; a line without code names the nearest one.
expect 0 explain loops.o --function total --uarch "$known"
says out ", loops.c:90"
refuse 2 "nearest line with code is 4" explain loops.o --function loops.c:3
refuse 2 'no code of a file "more.h"' explain loops.o --function more.h:3

# Two functions of one name: a message lists their addresses, and either address is taken.
refuse 2 "2 functions" explain ./loops --function same
address=$(sed -n 's/.*one: \(0x[0-9a-f]*\).*/\1/p' err)
refuse 1 "has no loop" explain ./loops --function "$address" --uarch "$known"
refuse 2 "did you mean transpose" explain ./loops --function transpos
refuse 2 "unexpected word" explain ./loops transpose
refuse 2 "shows its loops" run ./loops
refuse 2 "--function names" explain combine --function transpose

# A resolver chooses a version of its function when the program starts. The message names the versions.
cat >versions.c <<'END'
__attribute__((noinline)) static long plain(const long *a, long n) { long s = 0; while (n--) s += *a++; return s; }
__attribute__((noinline)) static long other(const long *a, long n) { long s = 1; while (n--) s ^= *a++; return s; }
extern int which;
static long (*choose(void))(const long *, long) { return which ? plain : other; }
long sum(const long *a, long n) __attribute__((ifunc("choose")));
END
# shellcheck disable=SC2086
if "$cc" $flags -fPIC -shared -o versions.so versions.c 2>/dev/null; then
	refuse 2 "chooses one of its versions for the processor" explain versions.so --function sum
	grep -q ': plain, other$\|: other, plain$' err || fail "versions: $(cat err)"
	expect 0 explain versions.so --function plain --uarch "$known"
fi

# Without symbols, functions have addresses; with a file of debug information, names and lines again.
if command -v objcopy >/dev/null; then
	objcopy --only-keep-debug loops.so loops.debug && objcopy --strip-all --add-gnu-debuglink=loops.debug loops.so bare.so
	expect 0 explain ./bare.so --format csv
	grep -q '^transpose,bare.so,.*,loops.c:1[34]$' out || fail "the debug file is not used: $(cat out)"
	address=$(sed -n 's/^transpose,bare.so,\([^,]*\),.*/\1/p' out)
	rm loops.debug
	expect 0 explain ./bare.so --function "$address" --uarch "$known"
	says out "1 innermost loop"
	refuse 2 "compile the program with -g" explain ./bare.so --function loops.c:17
	objcopy --compress-debug-sections=zlib loops.so packed.so
	expect 0 explain packed.so --function loops.c:17 --uarch "$known"
	says out "loops.c:16-17"
fi

# The explorer opens a program at a loop, and prints the command line that does so again.
printf 'wait\nview code\npanel header figure code\nyank\npanel text\n' >script
expect 0 ./loops.so --function transpose --uarch "$known" --script script --no-settings
says out "predicted, not measured"
says out "line instruction"
grep -Eq ' 1[67] +[a-z]' out || fail "no source line in the code panel: $(cat out)"
says out "explore ./loops.so --function transpose"
refuse 2 "unexpected word" explore ./loops.so n=4
refuse 2 "--function names" explore combine --function transpose

# Damaged and other files: one line, and status 1.
head -c 1000 loops.so >cut.so
refuse 1 "cut.so is damaged or cut off" explain cut.so
head -c 20 loops.so >cut.so
refuse 1 "cut.so is cut off" explain cut.so --function transpose
{ head -c 18 loops.so && printf '\003' && tail -c +20 loops.so; } >other.so
refuse 1 "this program decodes $magic code" explain other.so
printf '!<arch>\n' >made.a
refuse 2 "ar x" explain ./made.a

done_with "programs: functions, loops and lines of compiled files"
