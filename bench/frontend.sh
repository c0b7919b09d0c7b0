#!/bin/sh
# The front end: loops of nops of 1 to 15 bytes, at 8 offsets in a line of code, with three densities of branches, predicted and measured. A
# last row has loops beyond the first instruction cache.
#
# All settings are measured in several rounds, because a busy hyper-thread halves the rate of the front end for seconds, and a process that
# begins next to one does not notice. The lower quartile of the quiet samples counts.
#
# Environment: SLEXPLORE, the program; ROUNDS (default 12); BUDGET, seconds of a setting and round (default 0.3).
set -eu
slexplore=${SLEXPLORE:-./slexplore}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

case $(uname -m) in
x86_64) lengths=1..15 ;;
*) lengths=4 ;;
esac

# classes FUNCTION: calls the function for each class, with its title and knobs.
classes() {
	for count in 32 128; do
		for branches in none untaken16 jump16; do
			"$1" "$count nops, branches=$branches" count=$count branches=$branches length=$lengths offset=0..56:8
		done
	done
	"$1" "beyond the instruction cache" count=16384 length=$lengths
}

measure() {
	title=$1
	shift
	"$slexplore" sweep --quiet --format json --time-budget "${BUDGET:-0.3}" alignment "$@" |
		grep '"record":"sample"' >>"$work/$title"
}

report() {
	awk -v title="$1" -v rows="$work/rows" '
		# The value of a field of a JSON record; empty: there is none.
		function field(name,    text) {
			if (!match($0, "\"" name "\":\"?[^,\"}]*"))
				return ""
			text = substr($0, RSTART, RLENGTH)
			sub(/^"[a-z_]*":"?/, "", text)
			return text
		}
		# The lower quartile of numbers in a string.
		function quartile(numbers,    a, n, i, j, t) {
			n = split(numbers, a, " ")
			for (i = 2; i <= n; i++)
				for (j = i; j > 1 && a[j - 1] + 0 > a[j] + 0; j--) {
					t = a[j]
					a[j] = a[j - 1]
					a[j - 1] = t
				}
			return a[1 + int((n - 1) / 4)]
		}
		{
			setting = "offset=" field("offset") " length=" field("length") " count=" field("count") " branches=" field("branches")
			all[setting] = 1
			if (field("quiet") < 0.5 || /"contended":true/ || field("cpe") <= 0)
				next
			quiet[setting] = quiet[setting] " " field("cpe")
			predicted[setting] = field("predicted")
		}
		END {
			for (s in all) {
				if (!(s in quiet)) {
					never++
					continue
				}
				measured = quartile(quiet[s])
				size = measured / predicted[s] - 1
				size = size < 0 ? -size : size
				n++
				near += size <= 0.1
				sum += size
				print size >>rows
				if (size >= most) {
					most = size
					worst = sprintf("%s: %.3f measured, %.3f predicted", s, measured, predicted[s])
				}
			}
			printf "%-30s %4d %4d %6.1f %% %5.1f %%  %s%s\n", title, n, near, n ? 100 * near / n : 0, n ? 100 * sum / n : 0, worst,
				never ? " (" never " settings never quiet)" : ""
		}' "$work/$1"
}

: >"$work/rows"
for round in $(seq "${ROUNDS:-12}"); do
	classes measure
done
echo "front end: settings, those within 10 %, the mean distance, and the farthest"
printf '%-30s %4s %4s %8s %7s  %s\n' class all near share mean farthest
classes report
awk '{ near += $1 <= 0.1 } END { printf "%d of %d settings within 10 %%: %.1f %%\n", near, NR, NR ? 100 * near / NR : 0 }' "$work/rows"
