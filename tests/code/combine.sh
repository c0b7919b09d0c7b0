#!/bin/sh
# Reads the machine code of combine's loops: each has exactly the operations, loads and accumulators that its name
# says, in every combination of operation, type, unrolling, accumulators, shape and stride.
#
# Environment: top_srcdir, top_builddir, OBJDUMP, AWK (defaults: here, here, objdump, awk). KERNEL_OBJECTS: where the
# objects lie, when not in the build tree.
set -eu
src=${top_srcdir:-.}
objects=${KERNEL_OBJECTS:-${top_builddir:-.}/kernels}
objdump=${OBJDUMP:-objdump}
awk=${AWK:-awk}
bad=0

# Checks one type's lines; prints each error and fails.
cat >"${TMPDIR:-/tmp}/combine-check.$$" <<'END'
function value(key,    i, pair) {
	for (i = 2; i <= NF; i++) {
		split($i, pair, "=")
		if (pair[1] == key)
			return pair[2]
	}
	return -1
}
function wrong(what) {
	print what ": " $0
	failed = 1
}
/^combine_(add|mul)_/ {
	loops++
	split($1, part, "_")
	unroll = substr(part[4], 2) + 0
	acc = part[5] == "r" ? 2 : substr(part[5], 2) + 0
	if (value("loads") != unroll)
		wrong("one load an element expected")
	# AArch64 adds an address now and then where the addressing mode does not: never fewer operations, though.
	if (arm ? value("operations") < unroll || value("operations") > unroll + 4 : value("operations") != unroll)
		wrong("one operation an element expected")
	# With the stack in play an accumulator may pass through several registers; with three operands a chain may move.
	if (value("stack") == 0 && (arm ? value("registers") < acc : value("registers") != acc))
		wrong("accumulators merged or split")
	# The rest: loop control, pointer steps of a general stride, separate loads where there are no memory operands,
	# what spilling costs.
	extra = 3 + (part[6] == "sn" ? unroll / 4 + 2 : 0) + (arm ? 2 * unroll + 3 : 0) + 3 * value("stack") + (part[5] == "r")
	if (value("instructions") > unroll + extra)
		wrong("more instructions than the loop needs")
}
END {
	if (loops != 604) {
		print "604 loops expected, " loops + 0 " found"
		failed = 1
	}
	exit failed
}
END
trap 'rm -f "${TMPDIR:-/tmp}/combine-check.$$" "${TMPDIR:-/tmp}/combine-lines.$$"' EXIT

for type in i32 i64 f32 f64; do
	object=$objects/combine_$type.o
	arm=0
	"$objdump" -f "$object" | grep -q aarch64 && arm=1
	"$objdump" -d --no-show-raw-insn "$object" | "$awk" -f "$src/kernels/loops.awk" >"${TMPDIR:-/tmp}/combine-lines.$$"
	if "$awk" -v arm=$arm -f "${TMPDIR:-/tmp}/combine-check.$$" "${TMPDIR:-/tmp}/combine-lines.$$"; then
		echo "$type: 604 loops as named"
	else
		bad=1
	fi
	# The check can fail: a loop that claims one accumulator more must be refused.
	if sed 's/_u8_a4_/_u8_a5_/' "${TMPDIR:-/tmp}/combine-lines.$$" |
		"$awk" -v arm=$arm -f "${TMPDIR:-/tmp}/combine-check.$$" >/dev/null && [ $arm = 0 ]; then
		echo "$type: a wrong number of accumulators was not noticed"
		bad=1
	fi
done
exit $bad
