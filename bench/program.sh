#!/bin/sh
# Loops of programs: how long explain takes for the libraries of this machine, and whether it finds the loops that
# dominators find in objdump's disassembly. Needs SLEXPLORE; python3 and objdump for the comparison.
#
#   program.sh [FILE...]      these files; by default libraries of Debian
#
# A function differs where a set of jumps has two entries: dominators do not see such a loop, and explain does.
set -u
: "${SLEXPLORE:=build/slexplore}"
directory=/usr/lib/$(uname -m)-linux-gnu
[ $# -gt 0 ] || set -- "$directory"/libz.so.1 "$directory"/libpng16.so.16 "$directory"/libxxhash.so.0 \
	"$directory"/libcrypto.so.3 "$directory"/libc.so.6

now() { date +%s%N; }

for file; do
	[ -e "$file" ] || continue
	begin=$(now)
	"$SLEXPLORE" explain "$file" --format csv >/dev/null || continue
	listed=$(now)
	address=$("$SLEXPLORE" explain "$file" --format json | sed -n 's/.*"address":"\(0x[0-9a-f]*\)".*/\1/p' | tail -n 1)
	before=$(now)
	"$SLEXPLORE" explain "$file" --function "$address" >/dev/null
	echo "$file: $(wc -c <"$file") bytes, list $(((listed - begin) / 1000000)) ms, function $((($(now) - before) / 1000000)) ms"
done
command -v python3 >/dev/null && command -v "${OBJDUMP:-objdump}" >/dev/null && [ "$(uname -m)" = x86_64 ] || exit 0

exec python3 - "$SLEXPLORE" "${OBJDUMP:-objdump}" "$@" <<'END'
import json, random, re, struct, subprocess, sys

SLEXPLORE, OBJDUMP, MOST = sys.argv[1], sys.argv[2], 60
NEVER = re.compile(r"<(__stack_chk_fail|abort|_?exit|__fortify_fail|__chk_fail|__assert_fail|png_\w*error|_?longjmp|"
                   r"__longjmp_chk|png_longjmp|OPENSSL_die|_Unwind_Resume|_ZSt\d+__throw\w*|__cxa_\w*throw\w*)(@[\w@.]*)?>")

def run(*words):
    return subprocess.run(words, capture_output=True, text=True).stdout

def records(*words):
    return [json.loads(line) for line in run(SLEXPLORE, "explain", *words, "--format", "json").splitlines()]

def table(target, places, sections, data):
    """The targets in a table of distances, as compilers write for a switch."""
    found = []
    for address, size, offset in sections:
        at = offset + target - address
        while address <= target < address + size and at + 4 <= len(data):
            place = target + struct.unpack_from("<i", data, at)[0]
            if place not in places:
                break
            found.append(places[place])
            at += 4
    return found if len(found) > 1 else []

def successors(lines, sections, data):
    places = {address: i for i, (address, _) in enumerate(lines)}
    after = []
    for i, (_, text) in enumerate(lines):
        text = re.sub(r"^((notrack|bnd|lock|rep\w*|data16|cs|ds) )+", "", text)
        op, _, rest = text.partition(" ")
        following = [i + 1] if i + 1 < len(lines) else []
        target = re.match(r"\s*([0-9a-f]+)", rest)
        target = [places[int(target[1], 16)]] if target and int(target[1], 16) in places else []
        if op.startswith("ret") or op in ("ud2", "hlt", "int3", "(bad)") or op == "call" and NEVER.search(text):
            after.append([])
        elif op == "jmp" and "*" in rest:
            named = [re.search(r"lea .*# ([0-9a-f]+)", line) for _, line in lines[i::-1]] if "(%rip)" not in rest else []
            after.append(next(filter(None, (table(int(m[1], 16), places, sections, data) for m in named if m)), []))
        elif op.startswith("j") or op.startswith("loop"):
            after.append(target + ([] if op == "jmp" else following))
        else:
            after.append(following)
    return after

def innermost(after):
    """The headers of innermost natural loops, and whether a cycle has two entries."""
    order, seen, stack = [], {0}, [(0, iter(after[0]))]
    while stack:
        node, rest = stack[-1]
        for to in rest:
            if to not in seen:
                seen.add(to)
                stack.append((to, iter(after[to])))
                break
        else:
            order.append(node)
            stack.pop()
    order.reverse()
    number = {node: i for i, node in enumerate(order)}
    before = {node: [] for node in order}
    for node in order:
        for to in after[node]:
            before[to].append(node)
    dominator, changed = {0: 0}, True
    while changed:
        changed = False
        for node in order[1:]:
            new = None
            for other in before[node]:
                if other in dominator:
                    while new is not None and new != other:
                        if number[new] > number[other]:
                            new = dominator[new]
                        else:
                            other = dominator[other]
                    new = other
            changed |= dominator.get(node) != new
            dominator[node] = new
    loops, entries = {}, False
    for node in order:
        for to in after[node]:
            if number[to] > number[node]:
                continue
            above = node
            while number[above] > number[to]:
                above = dominator[above]
            if above != to:
                entries = True
                continue
            body, work = loops.setdefault(to, {to}), [node]
            while work:
                one = work.pop()
                if one not in body:
                    body.add(one)
                    work += before[one]
    return {head for head in loops if not any(loops[other] < loops[head] for other in loops)}, entries

for name in sys.argv[3:]:
    try:
        data = open(name, "rb").read()
    except OSError:
        continue
    sections = [(int(m[3], 16), int(m[2], 16), int(m[4], 16)) for m in re.finditer(
        r"^ *\d+ (\S+) +([0-9a-f]+) +([0-9a-f]+) +[0-9a-f]+ +([0-9a-f]+)", run(OBJDUMP, "-hw", name), re.M)]
    functions = records(name)
    functions = random.Random(1).sample(functions, min(MOST, len(functions)))
    same = loops = 0
    differ = []
    for function in functions:
        begin = int(function["address"], 16)
        text = run(OBJDUMP, "-d", "--no-show-raw-insn", f"--start-address={begin}",
                   f"--stop-address={begin + function['bytes']}", name)
        lines = [(int(m[1], 16), m[2]) for m in re.finditer(r"^ +([0-9a-f]+):\t(.*?) *$", text, re.M)]
        heads, entries = innermost(successors(lines, sections, data))
        ours = {int(r["header"], 16) for r in records(name, "--function", function["address"]) if r["record"] == "explain"}
        loops += len(ours)
        if ours == {lines[head][0] for head in heads}:
            same += 1
        else:
            differ.append(function["function"] + ("" if entries else " (DOUBT)"))
    print(f"{name}: {same} of {len(functions)} functions have the loops of dominators, {loops} loops"
          + ("; others: " + ", ".join(differ) if differ else ""))
END
