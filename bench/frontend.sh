#!/bin/sh
# The front end: loops of nops of 1 to 15 bytes, at 8 offsets in a line of code, with three densities of branches, predicted and measured.
# Each setting is measured in several rounds, because a busy hyper-thread halves the rate of the front end, and a process that begins next
# to one does not notice. The fastest quiet sample counts. A last row has loops beyond the first instruction cache.
#
# Environment: SLEXPLORE, the program; ROUNDS (default 8); BUDGET, seconds of a setting and round (default 0.3).
set -eu
slexplore=${SLEXPLORE:-./slexplore}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

case $(uname -m) in
x86_64) lengths=1..15 ;;
*) lengths=4 ;;
esac

# class TITLE KNOBS…: measures the settings in rounds, and prints a row.
class() {
	title=$1
	shift
	: >"$work/samples"
	for round in $(seq "${ROUNDS:-8}"); do
		"$slexplore" sweep --quiet --format json --time-budget "${BUDGET:-0.3}" alignment "$@" |
			grep '"record":"sample"' >>"$work/samples"
	done
	awk -v title="$title" -v rows="$work/rows" '
		# The value of a field of a JSON record; empty: there is none.
		function field(name,    text) {
			if (!match($0, "\"" name "\":\"?[^,\"}]*"))
				return ""
			text = substr($0, RSTART, RLENGTH)
			sub(/^"[a-z_]*":"?/, "", text)
			return text
		}
		{
			setting = "offset=" field("offset") " length=" field("length") " count=" field("count") " branches=" field("branches")
			all[setting] = 1
			cpe = field("cpe") + 0
			if (field("quiet") < 0.5 || /"contended":true/ || cpe <= 0)
				next
			if (!(setting in measured) || cpe < measured[setting])
				measured[setting] = cpe
			predicted[setting] = field("predicted")
		}
		END {
			for (s in all) {
				if (!(s in measured)) {
					never++
					continue
				}
				off = measured[s] / predicted[s] - 1
				size = off < 0 ? -off : off
				n++
				near += size <= 0.1
				sum += size
				print size >>rows
				if (size >= most) {
					most = size
					worst = sprintf("%s: %.3f measured, %.3f predicted", s, measured[s], predicted[s])
				}
			}
			printf "%-30s %4d %4d %6.1f %% %5.1f %%  %s%s\n", title, n, near, n ? 100 * near / n : 0, n ? 100 * sum / n : 0, worst,
				never ? " (" never " settings never quiet)" : ""
		}' "$work/samples"
}

: >"$work/rows"
echo "front end: settings, those within 10 %, the mean distance, and the farthest"
printf '%-30s %4s %4s %8s %7s  %s\n' class all near share mean farthest
for count in 32 128; do
	for branches in none untaken16 jump16; do
		class "$count nops, branches=$branches" count=$count branches=$branches length=$lengths offset=0..56:8
	done
done
class "beyond the instruction cache" count=16384 length=$lengths
awk '{ near += $1 <= 0.1 } END { printf "%d of %d settings within 10 %%: %.1f %%\n", near, NR, NR ? 100 * near / NR : 0 }' "$work/rows"
