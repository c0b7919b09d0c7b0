#!/bin/sh
# slexplore characterise from outside: messages, the file that it writes, and a signal. The test checks no measured
# value, so any machine can run it.
. "$(dirname "$0")/lib.sh"

expect 2 characterise aluu
says err 'did you mean alu?'
expect 2 characterise alu --install
says err '--output'
expect 1 characterise alu --output /nowhere/core.uarch
says err '/nowhere'

# The file of a single class is short, and the program can read it.
if quiet_enough characterise alu --output core.uarch --quiet; then
	grep -q '^class alu .*\[measured\]' core.uarch || fail "no class alu in: $(cat core.uarch)"
	! grep -q ' 0 mixes' core.uarch || fail "ports of nothing: $(cat core.uarch)"
	expect 0 explain mul-chain --uarch ./core.uarch
	says out 'measured'
fi

# An interrupted measurement is not installed as this core's model.
mkdir own
SLEXPLORE_DATA=$work/own
ended_by TERM 143 12 characterise --install
[ -z "$(find own -name '*.uarch')" ] || fail "a part of a model was installed"

# The code of the user's own recipes may crash or never end: then the other recipes are measured. lea writes the counter of the loop.
if [ "$(uname -m)" = x86_64 ]; then
	cat >own/characterise.x86_64 <<-'END'
		width | nop
		class imul | imul rax, rcx | imul %r, rcx
		class alu | add rax, rcx | add %r, rcx
		class shift | mov rsp, rcx; push rax | shl %r, 3
		class rotate | rol rax, 5 | xor edx, edx; div r11
		class lea | mov r15, 5; lea rax, [rax+rcx] | lea %r, [rcx+r11]
	END
	expect 0 characterise imul alu shift rotate lea --time-budget 8 --quiet
	says out 'latency of shift: not measured: its code accessed memory that does not exist (SIGSEGV)'
	says out 'throughput of rotate: not measured: its code divided by zero, or overflowed in a division (SIGFPE)'
	says out 'latency of lea: not measured: its code did not return within 2 s'
fi

done_with "a core measures itself from outside as it should"
