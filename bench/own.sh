#!/bin/sh
# Own loops against their predictions, in three groups of bench/own: memory-* at 256 KiB, 4 MiB and 64 MiB; branch-*, whose branches depend
# on data, on repeated and on fresh data; nested-*. Loops that were written for this bench: the model was not fitted to them.
#
#   own.sh [GROUP...]      memory, branch, nested; default: all
#
# Environment: SLEXPLORE, the program; BUDGET, seconds of trials for each setting (default: 0.4). Samples with too few quiet trials count
# apart.
set -eu
slexplore=${SLEXPLORE:-./slexplore}
budget=${BUDGET:-0.4}
loops=$(dirname "$0")/own
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
[ $# -gt 0 ] || set -- memory branch nested

# field NAME FILE: a number of the first record that has it; empty: none has.
field() {
	sed -n "s/.*\"$1\":\"\{0,1\}\([^,\"}]*\).*/\1/p" "$2" | head -n 1
}

# row GROUP FILE knob=value...
row() {
	kind=$1
	shift
	name=$(basename "$1" .c)
	if ! "$slexplore" run "$@" --quiet --format json --time-budget "$budget" >"$work/run" 2>"$work/why"; then
		printf '%-34s %s\n' "$name ${2:-}" "$(head -n 1 "$work/why" | sed 's/.*: //')"
		return
	fi
	noisy=
	grep -q '"contended":true' "$work/run" && noisy=contended
	measured=$(field cpe "$work/run") predicted=$(field predicted "$work/run") limit=$(field limit "$work/run")
	echo "$kind${noisy:+-$noisy} ${measured:--} ${predicted:--} ${limit:--}" >>"$work/rows"
	shift
	printf '%s %s\t%s\t%s\t%s\t%s\t%s\n' "$name" "$*" "${measured:--}" "${limit:--}" "${predicted:--}" "$(field binding "$work/run")" "$noisy" |
		awk -F '\t' '{ printf "%-34s %10.3f %10s %10s %8s  %s %s\n", $1, $2, $3 + 0 ? sprintf("%.3f", $3) : "-",
			$4 + 0 ? sprintf("%.3f", $4) : "-", $4 + 0 && $2 + 0 ? sprintf("%+.0f %%", 100 * ($4 / $2 - 1)) : "-", $5, $6 }'
}

printf '%-34s %10s %10s %10s %8s  %s\n' setting measured limit predicted off binding
for group; do
	for file in "$loops/$group"-*.c; do
		case $group in
		memory)
			n=$(sed -n 's/.*slexplore:.* n=\([0-9]*\).*/\1/p' "$file")
			for factor in 1 16 256; do row memory "$file" n=$((n * factor)); done ;;
		branch)
			row repeated "$file"
			grep -q 'random\|%\|zipf\|strings' "$file" && row fresh "$file" data=fresh ;;
		*)
			if grep -q 'knob trips' "$file"; then
				for trips in 6 12 24 48 96; do row "$group" "$file" trips=$trips; done
			else
				row "$group" "$file"
			fi ;;
		esac
	done
done
[ -s "$work/rows" ] || exit 0
awk '
	function off(x, y) { x = x / y - 1; return x < 0 ? -x : x }
	$2 ~ /^[0-9]/ && $3 ~ /^[0-9]/ { e[$1, ++n[$1]] = off($3, $2); sum[$1] += off($3, $2); near[$1] += off($3, $2) <= 0.25 }
	$2 ~ /^[0-9]/ && $4 ~ /^[0-9]/ { above[$1] += $4 > $2 * 1.03 }
	$3 !~ /^[0-9]/ { none[$1]++ }
	END {
		for (g in n) {
			for (i = 2; i <= n[g]; i++)
				for (k = i; k > 1 && e[g, k - 1] > e[g, k]; k--) { t = e[g, k]; e[g, k] = e[g, k - 1]; e[g, k - 1] = t }
			half = int(n[g] / 2)
			printf "%s: %d, mean error %.1f %%, median %.1f %%, p90 %.1f %%, within 25 %% %d; limit above the measured value by 3 %%: %d; no prediction: %d\n",
				g, n[g], 100 * sum[g] / n[g], 100 * (n[g] % 2 ? e[g, half + 1] : (e[g, half] + e[g, half + 1]) / 2),
				100 * e[g, int(0.9 * (n[g] - 1)) + 1], near[g], above[g] + 0, none[g] + 0
		}
	}' "$work/rows"
