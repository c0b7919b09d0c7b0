#!/bin/sh
# The core that measures itself, from outside: words, the file it writes, and a signal. What the figures are is not
# looked at: any machine may run this.
. "$(dirname "$0")/lib.sh"

expect 2 characterise aluu
says err 'did you mean alu?'
expect 2 characterise alu --install
says err '--output'
expect 1 characterise alu --output /nowhere/core.uarch
says err '/nowhere'

# Of one class the file is short, and the program reads it.
if quiet_enough characterise alu --output core.uarch --quiet; then
	grep -q '^class alu .*\[measured\]' core.uarch || fail "no class alu in: $(cat core.uarch)"
	! grep -q ' 0 mixes' core.uarch || fail "ports of nothing: $(cat core.uarch)"
	expect 0 explain mul-chain --uarch ./core.uarch
	says out 'measured'
fi

# Interrupted before it is through, it does not become this core's model.
mkdir own
SLEXPLORE_DATA=$work/own
ended_by TERM 143 12 characterise --install
[ -z "$(find own -name '*.uarch')" ] || fail "a part of a model was installed"

done_with "a core measures itself from outside as it should"
