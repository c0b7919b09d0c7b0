#!/bin/sh
# The model against measurements: every kernel at three settings, the limit, the prediction, the measured value, and what
# llvm-mca says of the same instructions where it is installed.
#
# Environment: SLEXPLORE, the program; MCA, the llvm-mca to run (default: the one on PATH); BESIDE, a second core model, by name or path: its
# predictions are listed next to the first. Example: a model that `slexplore characterise --output FILE` measured here.
set -eu
slexplore=${SLEXPLORE:-./slexplore}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

mca=${MCA:-}
beside=${BESIDE:-}
case $beside in '' | */*) ;; *.uarch) beside=./$beside ;; esac
for tool in llvm-mca-21 llvm-mca-20 llvm-mca-19 llvm-mca-18 llvm-mca-17 llvm-mca-16 llvm-mca-15 llvm-mca; do
	[ -n "$mca" ] || mca=$(command -v "$tool" || true)
done

# The processor that llvm-mca has for a core model, empty: none that is near.
mca_processor() {
	case $1 in
	zen5 | zen4) echo znver4 ;;
	zen3) echo znver3 ;;
	zen2) echo znver2 ;;
	skylake) echo skylake ;;
	skylake-sp | cascade-lake) echo skylake-avx512 ;;
	icelake*) echo icelake-server ;;
	rocket-lake) echo icelake-client ;;
	golden-cove | redwood-cove) echo sapphirerapids ;;
	raptor-lake) echo raptorlake ;;
	cortex-a72) echo cortex-a72 ;;
	neoverse-*) echo "$1" ;;
	esac
}

# field NAME FILE: a number or a string of the first record of a JSON Lines file that has it.
field() {
	sed -n "s/.*\"$1\":\"\{0,1\}\([^,\"}]*\).*/\1/p" "$2" | head -n 1
}

# The instructions of an explanation as llvm-mca reads them: wherever branches lead, it takes them for not taken until the last.
code() {
	case $(uname -m) in x86_64) echo ".intel_syntax noprefix" ;; esac
	echo "top:"
	sed -n 's/.*"record":"insn".*"text":"\([^"]*\)".*/\1/p' "$1" | sed -E \
		-e 's/^(j[a-z]+|b|b\.[a-z]+) +#?0x[0-9a-f]+$/\1 top/' -e 's/^(cbn?z|tbn?z) (.*), *#?0x[0-9a-f]+$/\1 \2, top/' \
		-e '/^vp?(gather|scatter)/s/[dq]word ptr //'
}

# Cycles an element by llvm-mca, or "-".
mca_says() {
	processor=$(mca_processor "$(field uarch "$1")")
	elements=$(field elements "$1")
	if [ -z "$mca" ] || [ -z "$processor" ] || ! code "$1" >"$work/code.s" ||
		! "$mca" -mcpu="$processor" -iterations=1000 "$work/code.s" >"$work/mca" 2>/dev/null; then
		echo -
		return
	fi
	awk -v elements="$elements" '/^Total Cycles:/ { printf "%.3f\n", $3 / 1000 / elements; exit }' "$work/mca"
}

# Three decimals, or "-".
figure() {
	case $1 in
	[0-9]*) printf '%.3f' "$1" ;;
	*) printf '-' ;;
	esac
}

row() {
	if ! "$slexplore" explain --format json "$@" >"$work/explain" 2>"$work/why" ||
		! "$slexplore" run --quiet --format json --time-budget 0.4 "$@" >"$work/run" 2>"$work/why"; then
		printf '%-48s %s\n' "$*" "$(head -n 1 "$work/why")"
		return
	fi
	grep -q '"contended":true' "$work/run" && contended=' (contended)' || contended=
	measured=$(field cpe "$work/run") limit=$(field limit "$work/run") predicted=$(field predicted "$work/run")
	mca_cpe=$(mca_says "$work/explain")
	second=-
	[ -z "$beside" ] || ! "$slexplore" explain --format json --uarch "$beside" "$@" >"$work/beside" 2>"$work/why" ||
		second=$(field predicted "$work/beside")
	by_second=
	[ -z "$beside" ] || by_second=$(printf '%9s' "$(figure "$second")")
	off=$(awk -v m="$measured" -v p="$predicted" 'BEGIN { if (m > 0 && p > 0) printf "%+.0f %%", 100 * (p / m - 1); else printf "-" }')
	printf '%-48s %8s %8s %9s %7s %8s%s  %s%s\n' "$*" "$(figure "$measured")" "$(figure "$limit")" \
		"$(figure "$predicted")" "$off" "$mca_cpe" "$by_second" "$(field binding "$work/run")" "$contended"
	echo "$measured ${limit:--} ${predicted:--} $mca_cpe ${second:--}" >>"$work/rows"
}

# A kernel at its defaults, and at two further settings.
echo "model: cycles an element, measured against the model; llvm-mca: ${mca:-not installed}"
printf '%-48s %8s %8s %9s %7s %8s%s  %s\n' setting measured limit predicted off mca "${beside:+   beside}" binding
[ -z "$beside" ] || echo "beside: predicted by $beside"
for setting in \
	"combine" "combine unroll=8 acc=8" "combine op=add type=i64 unroll=8 acc=4" \
	"list-length" "list-length spacing=64" "list-length size=256k spacing=64 order=random" \
	"mountain" "mountain stride=8" "mountain size=256k" \
	"sum-halves" "sum-halves form=folded" "sum-halves form=vector256" \
	"mul-by" "mul-by form=hoisted" "mul-by form=squares" \
	"mul-chain" "mul-chain acc=4" "mul-chain restart=1024" \
	"k-loads" "k-loads k=1" "k-loads k=4" \
	"indirect" "indirect form=wide" "indirect form=gather" \
	"split-loads" "split-loads offset=0" "split-loads order=random width=32" \
	"gather" "gather form=gather256" "gather size=256k" \
	"stores" "stores width=32" "stores offset=62" \
	"scatter-stores" "scatter-stores size=8k" "scatter-stores size=256k" \
	"radix-sort" "radix-sort bits=11" "radix-sort step=count" \
	"sum-arrays" "sum-arrays form=relative" "sum-arrays form=pointers" \
	"branches" "branches count=8" "branches way=untaken" \
	"alignment" "alignment count=64" "alignment offset=60" \
	"mispredict" "mispredict random=10" "mispredict form=cmov" "mispredict form=jump" \
	"simd" "simd width=128" "simd width=256 acc=4"; do
	# shellcheck disable=SC2086
	row $setting
done
[ -s "$work/rows" ] || exit 0
awk '
	function middle(a, n) { return n % 2 ? a[(n + 1) / 2] : (a[n / 2] + a[n / 2 + 1]) / 2 }
	function off(x, y) { x = x / y - 1; return x < 0 ? -x : x }
	function sorted(a, n,    i, j, t) {
		for (i = 2; i <= n; i++)
			for (j = i; j > 1 && a[j - 1] > a[j]; j--) { t = a[j]; a[j] = a[j - 1]; a[j - 1] = t }
	}
	$3 ~ /^[0-9]/ { e[++n] = off($3, $1); sum += e[n]; if ($2 > $1 * 1.03) above++ }
	# It knows loops, and neither caches nor mispredictions: all are counted nevertheless.
	$4 ~ /^[0-9]/ { m[++k] = off($4, $1); total += m[k] }
	$5 ~ /^[0-9]/ { b[++j] = off($5, $1); second += b[j]; if ($3 ~ /^[0-9]/ && off($5, $3) <= 0.03) same++ }
	END {
		sorted(e, n); sorted(m, k); sorted(b, j)
		if (n)
			printf "predicted: mean error %.1f %%, median %.1f %% of %d; hard limits more than 3 %% above what was measured: %d\n",
				100 * sum / n, 100 * middle(e, n), n, above
		if (j)
			printf "beside:    mean error %.1f %%, median %.1f %% of %d; within 3 %% of the first: %d\n", 100 * second / j, 100 * middle(b, j), j, same
		if (k)
			printf "llvm-mca:  mean error %.1f %%, median %.1f %% of %d\n", 100 * total / k, 100 * middle(m, k), k
	}' "$work/rows"
