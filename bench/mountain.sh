#!/bin/sh
# The mountain of 210 cells (16 KiB to 128 MiB, strides 1 to 15), five times: the time of a run, and over the runs each
# cell's CV of bytes per cycle: median over all cells, and over those up to 512 KiB.
set -eu
slexplore=${SLEXPLORE:-build/slexplore}
runs=${RUNS:-5}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# A quoted field may hold a comma.
plain() {
	sed 's/"[^"]*"/quoted/g'
}

i=0
while [ $i -lt "$runs" ]; do
	i=$((i + 1))
	begin=$(date +%s%N)
	"$slexplore" sweep mountain --format csv --quiet 2>/dev/null | plain >"$work/$i.csv"
	end=$(date +%s%N)
	awk -v ms=$(((end - begin) / 1000000)) 'END { printf "run: %d cells in %.2f s\n", NR - 1, ms / 1000 }' "$work/$i.csv"
done
cat "$work"/*.csv | awk -F, '
	/(^|,)cpe(,|$)/ { for (i = 1; i <= NF; i++) column[$i] = i; next }
	{ key = $column["size"] " " $column["stride"]; size[key] = $column["size"]
	  x = 8 / $column["cpe"]; n[key]++; sum[key] += x; square[key] += x * x }
	END { for (key in n) { m = sum[key] / n[key]; v = square[key] / n[key] - m * m; if (v < 0) v = 0
		print (n[key] > 1 ? sqrt(v * n[key] / (n[key] - 1)) / m * 100 : 0), size[key] } }' | sort -n >"$work/cv"
awk '{ all[++n] = $1; if ($2 <= 524288) small[++s] = $1 }
	END { printf "CV of bytes per cycle over cells: median %.2f %%, p90 %.2f %%, max %.1f %%; up to 512 KiB: median %.2f %%, p90 %.2f %%\n",
		all[int((n + 1) / 2)], all[int(n * 0.9)], all[n], small[int((s + 1) / 2)], small[int(s * 0.9)] }' "$work/cv"
