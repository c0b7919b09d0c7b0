#!/bin/sh
# In each of 300 trials, one call of a subcommand that measures nothing fails. `make check-faults` runs more trials, of all subcommands.
. "$(dirname "$0")/lib.sh"

faults=$top_builddir/tests/faults
# The shim and a sanitizer exclude each other: each must be the first library that is loaded.
LD_PRELOAD=$faults/shim.so "$SLEXPLORE" --version >out 2>&1 && ! grep -q -e ASan -e ld.so out ||
	{ echo "the shim cannot be loaded before this program's libraries"; exit 77; }
mkdir trials
"$faults/faults" "$faults/shim.so" "$SLEXPLORE" "$top_srcdir" "$work/trials" -cheap -trials=300 >out ||
	fail "$(head -c 2000 out)"
trials=$(tail -n 1 out)
# Without memory, the library that finds fonts crashes, or tries again for ever.
for call in 1500 6000; do
	"$faults/faults" "$faults/shim.so" "$SLEXPLORE" "$top_srcdir" "$work/trials" "picture:malloc:$call+" >out || fail "$(head -c 2000 out)"
done
# Parts of `make check-faults` that run at the same time must not remove each other's folder.
removed() { "${MAKE:-make}" -n -C "$top_builddir" check-faults "PART=$1" 2>err | sed -n 's/^rm -rf \(faults[^ ]*\).*/\1/p' | sort -u; }
first=$(removed 1/3)
[ -n "$first" ] || fail "make check-faults uses no folder: $(tail -n 3 err)"
[ "$first" != "$(removed 2/3)" ] || fail "parts 1/3 and 2/3 use one folder, $first"
# The file of a program may change while it is read.
for call in 1 2 3 4 5; do
	"$faults/faults" "$faults/shim.so" "$SLEXPLORE" "$top_srcdir" "$work/trials" "program:open:$call" >out
	! grep 'names nothing' out || fail "$(head -c 2000 out)"
done
# One of these calls keeps the first byte of a file; without the byte, the first record of the recording was lost.
call=29
while [ $((call += 1)) -le 50 ]; do
	"$faults/faults" "$faults/shim.so" "$SLEXPLORE" "$top_srcdir" "$work/trials" "compare:malloc:$call" >out || fail "$(head -c 700 out)"
done
# `make check-sandbox` must fail if the program crashes.
printf '#!/bin/sh\nexit 139\n' >crashing && chmod +x crashing
! "$top_srcdir/tests/sandbox.sh" "$work/crashing" "one processor" >out 2>&1 || fail "sandbox.sh accepts crashes"
grep -q WRONG out || fail "sandbox.sh tries nothing: $(cat out)"
# The size of the threads' stacks does not depend on the limit of the main thread's stack.
(ulimit -s 256 && "$SLEXPLORE" run mul-chain --time-budget 0.02 --quiet >out 2>err)
[ $? -le 1 ] || fail "a small stack: $(head -c 700 err)"
(ulimit -S -s 96 && "$SLEXPLORE" sweep mul-chain acc=1,2 --time-budget 0.02 --quiet >out 2>err)
[ $? -le 1 ] || fail "a very small stack: $(head -c 700 err)"
# The message about a stack of 16 KiB fits this stack. Its address is random, so the program starts often. The environment is on the stack, too.
start=0
while [ $((start += 1)) -le 60 ]; do
	env -i sh -c 'ulimit -s 16 && exec "$1" --version' sh "$SLEXPLORE" >out 2>err
	[ $? -le 1 ] || fail "a stack of 16 KiB, start $start: $(head -c 700 err)"
done
done_with "$trials"
