#!/bin/sh
# Chains of known latency, 20 runs each of the whole program: the median's error against the documented latency, the
# worst run, how many runs called themselves contended, and the wall time of a run.
#
#   bench/anchors.sh [LATENCY-OF-f64-add]      3 on Zen 2 to 4, 2 on Zen 5, 4 on Skylake; default by CPU family
set -eu
slexplore=${SLEXPLORE:-build/slexplore}
runs=${RUNS:-20}
fadd=${1:-$(awk -F: '/cpu family/ { f = $2 + 0 } /vendor_id/ { v = $2 } END { print v ~ /AMD/ ? (f >= 26 ? 2 : 3) : 4 }' /proc/cpuinfo)}

echo "anchor                          nominal  median   error  worst quiet run  contended  wall ms (median, max)"
while read -r nominal name arguments; do
	i=0
	while [ $i -lt "$runs" ]; do
		begin=$(date +%s%N)
		# shellcheck disable=SC2086
		line=$("$slexplore" run $arguments --format json)
		end=$(date +%s%N)
		echo "$line" | sed -n 's/.*"cpe":[ ]*\([0-9.eE+-]*\).*/\1/p' | tr '\n' ' '
		case $line in *'"contended":true'* | *'"contended": true'*) printf '1 ' ;; *) printf '0 ' ;; esac
		echo $(((end - begin) / 1000)) | awk '{ print $1 / 1000 }'
		i=$((i + 1))
	done | sort -n | awk -v nominal="$nominal" -v name="$name" '
		{ cpe[NR] = $1; wall[NR] = $3; contended += $2
		  e = ($1 / nominal - 1) * 100; if (e < 0) e = -e; if (!$2 && e > worst) worst = e }
		END {
			n = NR; m = n % 2 ? cpe[(n + 1) / 2] : (cpe[n / 2] + cpe[n / 2 + 1]) / 2
			for (i = 2; i <= n; i++) for (j = i; j > 1 && wall[j - 1] > wall[j]; j--) {
				t = wall[j]; wall[j] = wall[j - 1]; wall[j - 1] = t }
			printf "%-32s%6.2f  %7.4f  %+5.2f%%  %13.2f%%  %4d of %2d  %.0f, %.0f\n", name, nominal, m,
				(m / nominal - 1) * 100, worst, contended, n, wall[int((n + 1) / 2)], wall[n] }'
done <<END
1 i64-add,1-accumulator combine op=add type=i64 acc=1
3 i64-mul,1-accumulator combine op=mul type=i64 acc=1
3 f64-mul,1-accumulator combine op=mul type=f64 acc=1
$fadd f64-add,1-accumulator combine op=add type=f64 acc=1
4 list-in-L1 list-length
END
