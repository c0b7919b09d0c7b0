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

done_with "a core measures itself from outside as it should"
