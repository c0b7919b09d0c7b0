#!/bin/sh
# The probe, RUNS times (5): the time of the whole probe and of its latency curve; the sizes and latencies of each run, and the
# CV of each point of the curve over the runs. Beside it lmbench's latency program where LAT_MEM_RD names it, LMBENCH_RUNS times (3), as
# quick as it can be made (ENOUGH=5000 and no measuring of its overheads).
set -eu
slexplore=${SLEXPLORE:-build/slexplore}
runs=${RUNS:-5}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

now() {
	date +%s%N
}

# seconds NAME COMMAND...: runs the command and appends its time to $work/NAME.
seconds() {
	name=$1
	shift
	begin=$(now)
	"$@"
	end=$(now)
	awk -v ns=$((end - begin)) 'BEGIN { printf "%.2f\n", ns / 1e9 }' >>"$work/$name"
}

# Median, least and most of a file of numbers.
spread() {
	sort -n "$1" | awk '{ v[++n] = $1 } END { printf "median %s, %s to %s", v[int((n + 1) / 2)], v[1], v[n] }'
}

# cv FILE...: of "SIZE FIGURE" lines, the CV of each size over all files; median, and that of up to 1 MiB and beyond.
cv() {
	cat "$@" | awk '{ n[$1]++; sum[$1] += $2; square[$1] += $2 * $2 }
		END { for (key in n) if (n[key] > 1) { m = sum[key] / n[key]; v = square[key] / n[key] - m * m; if (v < 0) v = 0
			print sqrt(v * n[key] / (n[key] - 1)) / m * 100, key } }' | sort -n |
		awk '{ all[++n] = $1; if ($2 <= 1048576) small[++s] = $1; else large[++l] = $1 }
			END { printf "median %.2f %% of %d sizes; up to 1 MiB %.2f %%, beyond %.2f %%\n", all[int((n + 1) / 2)], n,
				small[int((s + 1) / 2)], large[int((l + 1) / 2)] }'
}

i=0
while [ $i -lt "$runs" ]; do
	i=$((i + 1))
	seconds whole "$slexplore" probe --format json --quiet >"$work/whole.$i"
	seconds curve "$slexplore" probe latency --pages huge --format csv --quiet >"$work/curve.$i"
	# What it found, a line a run.
	awk -v run=$i 'function get(key,  at) {
			at = index($0, "\"" key "\":")
			if (!at) return ""
			at = substr($0, at + length(key) + 3)
			sub(/^"/, "", at)
			sub(/[",}].*/, "", at)
			return at
		}
		/"record":"probe"/ { line = get("line") }
		/"record":"level"/ {
			size = get("entries") != "" ? get("entries") " entries" : get("bytes") != "" ? get("bytes") / 1024 "k" : ""
			said = said sprintf("; %s %s %.1f cycles%s", get("name"), size, get("cycles"), /"unstable":true/ ? " (unstable)" : "")
		}
		END { printf "run %2d: line %s%s\n", run, line, said }' "$work/whole.$i"
	sed 's/"[^"]*"/quoted/g' "$work/curve.$i" | awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) column[$i] = i; next }
		$column["part"] == "latency" { print $column["x"], $column["ns"] }' >"$work/ns.$i"
done
echo "the whole probe: $(spread "$work/whole") s"
echo "the latency curve alone, huge pages: $(spread "$work/curve") s"
# Closer points stand elsewhere in each run: those that most runs have.
echo "CV of its ns over $runs runs: $(cv "$work"/ns.*)"

[ -n "${LAT_MEM_RD:-}" ] || exit 0
i=0
while [ $i -lt "${LMBENCH_RUNS:-3}" ]; do
	i=$((i + 1))
	seconds lmbench env ENOUGH=5000 TIMING_OVERHEAD=0 LOOP_OVERHEAD=0 "$LAT_MEM_RD" -t -N 1 -W 0 -P 1 256 64 2>"$work/lmbench.$i" \
		>>"$work/lmbench.$i"
	awk 'NF == 2 && $1 + 0 > 0 { print int($1 * 1048576 + 0.5), $2 }' "$work/lmbench.$i" >"$work/other.$i"
done
echo "lmbench: $(spread "$work/lmbench") s"
echo "CV of its ns over ${LMBENCH_RUNS:-3} runs: $(cv "$work"/other.*)"
