#!/bin/sh
# The textbook's table of unrolling x accumulators, four types, two operations, swept twice: the time of a sweep, and
# the share of cells that agree to 1 % between the two.
set -eu
slexplore=${SLEXPLORE:-build/slexplore}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# A quoted field may hold a comma.
plain() {
	sed 's/"[^"]*"/quoted/g'
}

for run in 1 2; do
	begin=$(date +%s%N)
	"$slexplore" sweep combine 'op=*' 'type=*' unroll=1..16 acc=1..16 --format csv --quiet 2>/dev/null | plain >"$work/$run.csv"
	end=$(date +%s%N)
	awk -F, -v ms=$(((end - begin) / 1000000)) 'END { printf "sweep: %d cells in %.1f s\n", NR - 1, ms / 1000 }' \
		"$work/$run.csv"
done
awk -F, '
	FNR == 1 { for (i = 1; i <= NF; i++) column[$i] = i; next }
	{ key = $column["op"] " " $column["type"] " " $column["unroll"] " " $column["acc"] }
	NR == FNR { first[key] = $column["cpe"]; next }
	key in first { n++; r = $column["cpe"] / first[key] - 1; if (r < 0) r = -r; if (r <= 0.01) good++; else far[key] = r
		contended += $column["contended"] == "true" || $column["contended"] == 1 }
	END { printf "%d of %d cells within 1 %% between the two (%.1f %%); contended in the second: %d\n", good, n,
		100 * good / n, contended }' "$work/1.csv" "$work/2.csv"
