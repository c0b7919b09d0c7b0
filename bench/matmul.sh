#!/bin/sh
# Multiplying matrices of n = 1,000: each step's speedup over the naive loops next to the case study's, live and by whole products; the advised
# block size next to the best of a sweep, for each variant; n = 1,024 against 1,025.
#
#   N=500 WHOLE=no matmul.sh      another n; no whole products, which take some seconds each
set -eu
slexplore=${SLEXPLORE:-build/slexplore}
n=${N:-1000}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# A quoted field may hold a comma.
plain() {
	sed 's/"[^"]*"/quoted/g'
}

# measure KNOB=VALUE...: CPE, seconds of the product, share of quiet trials.
measure() {
	"$slexplore" run matmul n="$n" "$@" --format csv --quiet --time-budget "${BUDGET:-1}" 2>/dev/null | plain | awk -F, -v n="$n" '
		NR == 1 { for (i = 1; i <= NF; i++) column[$i] = i; next }
		{ for (i = 1; i <= NF; i++) if (i == column["n"] && $i != n) n = $i
		  printf "%s %.4f %s\n", $column["cpe"], $column["ns"] * 1e-9 * n * n * n, $column["quiet"] }'
}

steps() {
	printf '%s\n' "$1"
	base=
	while read -r words; do
		# shellcheck disable=SC2086      # several words
		figures=$(measure $words $2)
		[ -n "$base" ] || base=${figures%% *}
		echo "$figures" | awk -v base="$base" -v words="$words" '{ printf "  %-40s %7.3f cycles %8.3f s   %6.2f times\n", words, $1, $2, base / $1 }'
	done <<-END
		form=naive
		form=reordered
		form=transposed
		form=blocked block=64
		form=blocked-transposed block=64
		form=blocked-transposed block=64 acc=4
		form=blocked-transposed block=64 acc=8
		form=naive order=ikj
	END
}

echo "published for n = 1,000 (Itanium, 800 MHz): 145 s naive, 30 s blocked and transposed: 4.83 times; over 2 by reordering from 800 on"
steps "n = $n, live" ""
[ "${WHOLE:-yes}" = no ] || steps "n = $n, whole products" whole=1

echo "the advised size of blocks beside the best of a sweep (n = $n)"
for words in "form=blocked-transposed" "form=blocked-transposed acc=4" "form=blocked-transposed acc=8" "form=blocked" "form=blocked acc=4" \
	"form=blocked order=ikj" "form=blocked order=jik acc=4" "form=blocked order=jki" "form=blocked-transposed order=jik acc=4" \
	"form=blocked-transposed acc=4 type=f32"; do
	# shellcheck disable=SC2086
	"$slexplore" sweep matmul-block n="$n" $words --quiet --time-budget "${SWEEP:-4}" 2>/dev/null >"$work/sweep"
	sed -n "s/^n=$n: //p; s/^\(block=[0-9]* advised\)/\1/p" "$work/sweep" | sed 's/: three blocks.*//' | head -1 | sed "s/^/  $words: /"
done

echo "a power of two (naive loops, live)"
for words in "n=1000" "n=1024" "n=1024 pad=1" "n=1024 pad=8" "n=1025"; do
	# shellcheck disable=SC2086
	"$slexplore" run matmul $words --format csv --quiet --time-budget 0.5 2>/dev/null | plain | awk -F, -v words="$words" '
		NR == 1 { for (i = 1; i <= NF; i++) column[$i] = i; next }
		{ printf "  %-14s %7.3f cycles\n", words, $column["cpe"] }'
done
