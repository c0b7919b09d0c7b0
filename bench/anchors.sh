#!/bin/sh
# Chains of instructions whose latency the core model knows, RUNS (20) runs each of the whole
# program: the median's error against the model, the worst run that was not contended, how many runs
# were contended, and the wall time of a run. Where no core model fits the running core, there is no
# judgement: the measured values are printed alone.
set -eu
slexplore=${SLEXPLORE:-build/slexplore}
runs=${RUNS:-20}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# Cycles per element of the setting, by the model of the running core; "-": unknown.
expected() {
	"$slexplore" explain "$@" --format json --quiet >"$work/explain" \
		2>"$work/err" || : >"$work/explain"
	grep '"record":"explain"' "$work/explain" | grep '"binding":"latency"' |
		grep -v '"foreign":true' |
		sed -n 's/.*"limit":\([0-9.eE+-]*\).*/\1/p' | grep . || echo -
}

# A line a run: cycles per element, 1 if contended, milliseconds.
measure() {
	i=0
	while [ $i -lt "$runs" ]; do
		begin=$(date +%s%N)
		line=$("$slexplore" run "$@" --format json --quiet)
		end=$(date +%s%N)
		echo "$line" | sed -n 's/.*"cpe":[ ]*\([0-9.eE+-]*\).*/\1/p' | tr '\n' ' '
		case $line in *'"contended":true'*) printf '1 ' ;; *) printf '0 ' ;; esac
		echo $(((end - begin) / 1000)) | awk '{ print $1 / 1000 }'
		i=$((i + 1))
	done
}

printf '%-24s %7s  %7s  %7s  %15s  %9s  %s\n' anchor model median error \
	"worst quiet run" contended "wall ms (median, max)"
while read -r name arguments; do
	# shellcheck disable=SC2086      # several words
	model=$(expected $arguments)
	# shellcheck disable=SC2086
	measure $arguments | sort -n | awk -v model="$model" -v name="$name" '
		function percent(value) { return sprintf("%+.2f%%", value * 100) }
		{ cpe[NR] = $1; wall[NR] = $3; contended += $2 }
		!$2 && model != "-" {
			e = $1 / model - 1; e = e < 0 ? -e : e
			worst = e > worst ? e : worst; quiet++
		}
		END {
			n = NR; m = n % 2 ? cpe[(n + 1) / 2] : (cpe[n / 2] + cpe[n / 2 + 1]) / 2
			for (i = 2; i <= n; i++) for (j = i; j > 1 && wall[j - 1] > wall[j]; j--) {
				t = wall[j]; wall[j] = wall[j - 1]; wall[j - 1] = t }
			printf "%-24s %7s  %7.4f  %7s  %15s  %3d of %2d  %.0f, %.0f\n", name,
				model == "-" ? "-" : sprintf("%.3f", model), m,
				model == "-" ? "-" : percent(m / model - 1),
				quiet ? sprintf("%.2f%%", worst * 100) : "-",
				contended, n, wall[int((n + 1) / 2)], wall[n] }'
done <<END
i64-add,1-accumulator combine op=add type=i64 acc=1
i64-mul,1-accumulator combine op=mul type=i64 acc=1
f64-mul,1-accumulator combine op=mul type=f64 acc=1
f64-add,1-accumulator combine op=add type=f64 acc=1
list-in-L1 list-length
END
sed -n '1s/^slexplore: //p' "$work/err"
