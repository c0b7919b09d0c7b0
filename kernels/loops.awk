# Reads the output of `objdump -d --no-show-raw-insn` (x86-64 in AT&T syntax, or AArch64) and prints a line for each
# function that holds a loop, about its innermost loop:
#
#   name instructions=N operations=N loads=N stack=N registers=N
#
# operations: add and multiply instructions except address arithmetic; loads: reads of memory other than the stack
# (a pair counts as two); stack: instructions that touch the stack; registers: distinct targets of operations.

# The script tracks whether a register holds a value (loaded from memory, or computed from values) or an address.
# Additions to addresses are address arithmetic, not operations.
function finish(    i, begin, last, m, o, k, n, part, dest, loads, stack, ops, regs, seen, value, round, is) {
	begin = -1
	for (i = 0; i < count; i++) {
		if (!(i in target) || !(target[i] in where) || where[target[i]] > i)
			continue
		if (begin < 0 || i - where[target[i]] < last - begin) {
			begin = where[target[i]]
			last = i
		}
	}
	if (begin < 0)
		return
	split("", value)
	for (round = 0; round < 2; round++) {      # the first round finds registers with values, the second counts
		split("", seen)
		loads = stack = ops = regs = 0
		for (i = begin; i <= last; i++) {
			m = mnemonic[i]
			o = operands[i]
			if (m ~ /^(nop|data16|cs|cmp|test|j|b|cb|tb)/) {
				if (o ~ /%rsp|\[sp/)
					stack++
				continue
			}
			# Registers in the order of the text, without memory operands.
			is = o ~ /%rsp|\[sp/ ? "stack" : o ~ /[(\[]/ && m !~ /^lea/ ? "memory" : ""
			if (m ~ /^lea/)
				is = ""
			gsub(/[-0-9a-fx]*\([^)]*\)|\[[^]]*\]!?/, "", o)
			n = split(o, part, /[, ]+/)
			dest = arm ? part[1] : part[n]
			if (is == "stack") {
				stack++
				if (arm ? m ~ /^ld/ : o ~ /,%/ && m ~ /^mov/)
					delete value[dest]
				continue
			}
			if (arm) {
				if (m ~ /^ldp/) {
					loads += 2
					value[part[1]] = value[part[2]] = 1
					continue
				}
				if (m ~ /^ldu?r/) {
					loads++
					value[dest] = 1
					continue
				}
				if (m ~ /^f?mov/) {
					if (part[2] in value)
						value[dest] = 1
					else
						delete value[dest]
					continue
				}
				if (m ~ /^(add|mul|fadd|fmul)$/ && o !~ /#/ && (part[2] in value || part[3] in value)) {
					ops++
					if (!(dest in seen))
						regs++
					seen[dest] = value[dest] = 1
					continue
				}
			} else {
				if (is == "memory")
					loads++
				if (m ~ /^mov/) {
					if (is == "memory" || part[1] in value)
						value[dest] = 1
					else
						delete value[dest]
					continue
				}
				if (m ~ /^(addl?|addq|imull?|imulq|addss|addsd|mulss|mulsd)$/ && o !~ /^\$/ &&
				    (is == "memory" || part[1] in value || dest in value)) {
					ops++
					if (!(dest in seen))
						regs++
					seen[dest] = value[dest] = 1
					continue
				}
			}
			delete value[dest]
		}
	}
	printf "%s instructions=%d operations=%d loads=%d stack=%d registers=%d\n", name, last - begin + 1, ops, \
		loads, stack, regs
}

/file format/ { arm = $0 ~ /aarch64/ }

/^[0-9a-f]+ <.*>:$/ {
	if (name != "")
		finish()
	name = $2
	gsub(/[<>:]/, "", name)
	count = 0
	split("", where); split("", target); split("", mnemonic); split("", operands)
}

/^ +[0-9a-f]+:/ {
	address = $1
	sub(/:/, "", address)
	where[address] = count
	mnemonic[count] = $2
	text = $0
	sub(/^ +[0-9a-f]+:[ \t]+[^ \t]+[ \t]*/, "", text)
	if ($2 ~ /^(j[a-z]+|b\.[a-z]+|cbn?z|tbn?z)$/ && $2 != "jmp" && match(text, /[0-9a-f]+ </))
		target[count] = substr(text, RSTART, RLENGTH - 2)
	sub(/[ \t]*(\/\/|#[^0-9x-]).*$/, "", text)
	operands[count] = text
	count++
}

END { if (name != "") finish() }
