#!/bin/sh
# A setting's value in a sweep against the value of the same setting measured alone, at 20 settings
# beyond the second cache. ROUNDS (5) rounds; in each, each of five sweeps is followed by a run of
# each of its cells. Prints both medians over the rounds with the lowest and the highest, in ns per
# element, and the ratio sweep to run. Two medians agree when they differ by at most 5 %, or by no
# more than either value differs between rounds. "*": in some round the program said that its value
# was not settled.
#
# Environment: SLEXPLORE, ROUNDS; CPU, the processor (default: the program's choice).
set -eu
slexplore=${SLEXPLORE:-build/slexplore}
rounds=${ROUNDS:-5}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

for width in 64 32 16; do
	! "$slexplore" run bandwidth width=$width --time-budget 0.01 >"$work/out" 2>&1 || break
done

# measure run|sweep WORDS: CSV in $work/csv.
measure() {
	"$slexplore" "$@" ${CPU:+--cpu "$CPU"} --format csv --quiet >"$work/csv" 2>"$work/err" ||
		cat "$work/err"
}

# rows WHO: of each row in $work/csv, WHO, ns, mark and the setting's words.
rows() {
	sed 's/"[^"]*"/quoted/g' "$work/csv" | awk -F, -v who="$1" '
		NR == 1 {
			for (i = 1; i <= NF; i++) { at[$i] = i; name[i] = $i }
			next
		}
		{
			words = $at["kernel"]
			for (i = at["kernel"] + 1; i < at["cpe"]; i++)
				words = words " " name[i] "=" $i
			mark = ("settled" in at) && $at["settled"] == "false" ? "*" : "-"
			print who, $at["ns"], mark, words
		}'
}

round=0
while [ $round -lt "$rounds" ]; do
	round=$((round + 1))
	while read -r sweep; do
		# shellcheck disable=SC2086      # several words
		measure sweep $sweep
		rows sweep >"$work/cells"
		cat "$work/cells" >>"$work/values"
		while read -r _ _ _ words; do
			# shellcheck disable=SC2086
			measure run $words
			rows run >>"$work/values"
		done <"$work/cells"
	done <<-END
		latency size=8m,32m,128m stride=64,256
		bandwidth op=frd,fwr,fcp size=8m,64m width=$width
		mountain size=16m,64m stride=2,8
		list-length size=8m,64m order=random
		hash-lookup size=12m,96m
	END
done

LC_ALL=C sort -k4 -k1,1 -k2,2g "$work/values" >"$work/sorted"
# First the settings in the order of the sweeps, then their values.
awk -v rounds="$rounds" '
	function close_group() {
		if (n) {
			median[last] = (value[int((n + 1) / 2)] + value[int(n / 2) + 1]) / 2
			low[last] = value[1]; high[last] = value[n]
		}
		n = 0
	}
	# The words of a setting without those that all cells of its sweep share.
	function title(words,  word, count, i, text) {
		count = split(words, word, " ")
		text = word[1]
		for (i = 2; i <= count; i++) {
			if (cells[word[1], word[i]] == cells[word[1]]) continue
			if (word[i] ~ /^size=/) word[i] = "size=" substr(word[i], 6) / 1048576 "m"
			text = text " " word[i]
		}
		return text
	}
	function column(key) {
		printf "  %8.4g%-1s %8.4g,%8.4g", median[key], mark[key], low[key], high[key]
		return high[key] - low[key]
	}
	{
		words = $0; sub(/^[^ ]* [^ ]* [^ ]* /, "", words)
		key = $1 " " words
	}
	NR == FNR {
		if (words in seen) next
		seen[words]; setting[++settings] = words
		count = split(words, word, " ")
		cells[word[1]]++
		for (i = 2; i <= count; i++) cells[word[1], word[i]]++
		next
	}
	{
		if (key != last) close_group()
		last = key; value[++n] = $2
		if ($3 == "*") { mark[key] = "*"; marks++ }
	}
	END {
		close_group()
		printf "ns per element, %d rounds\n%-28s", rounds, "setting"
		printf "  %8s  %17s", "sweep", "lowest, highest"
		printf "  %8s  %17s   ratio\n", "run", "lowest, highest"
		for (i = 1; i <= settings; i++) {
			sweep = "sweep " setting[i]; run = "run " setting[i]
			if (!(median[sweep] > 0 && median[run] > 0)) continue
			name = title(setting[i])
			printf "%-28s", name
			spread = column(sweep); other = column(run)
			if (other > spread) spread = other
			ratio = median[sweep] / median[run]
			apart = median[sweep] - median[run]
			near = ratio >= 0.95 && ratio <= 1.05
			inside = (apart < 0 ? -apart : apart) <= spread
			printf "  %6.3f%s\n", ratio, near ? "" : inside ? " in spread" : " differs"
			agree += near; within += near || inside; compared++
			far = ratio < 1 ? 1 / ratio : ratio
			if (far > worst) {
				worst = far; worst_at = sprintf("%.3f at %s", ratio, name)
			}
		}
		if (marks) print "* not settled in some round"
		printf "%d of %d agree within 5 %%, %d within 5 %% or the spread; worst: %s\n",
			agree, compared, within, worst_at
	}' "$work/values" "$work/sorted"
