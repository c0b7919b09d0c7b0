#!/bin/sh
# Runs the explorer on a terminal for hours. In each round, the script types keys: kernels, knobs, probes, own loops, sweeps, resizes.
# After each round, the script shows the same setting, and prints resident memory, the resident memory without working sets (their cache has
# a limit of its own), descriptors, threads, temporary files and CPE. After the first rounds, in which caches fill, and at the end, the
# script freezes the screen for a minute and prints the memory that is left.
#
#   soak.sh PROGRAM HOURS        make soak HOURS=1
#
# Fails if the explorer ends, if memory without working sets grows by more than 1 MB, if the frozen explorer keeps more than 60 MB or grows by more than 1 MB, if
# descriptors or threads grow, if a temporary file stays behind, or if the CPE drifts by more than 0.2 %. Growth and drift compare the medians,
# and of descriptors, threads and files the least numbers, of the first and the last quarter of the rounds after the first ones.
set -u

program=$1 hours=${2:-1}
command -v tmux >/dev/null || { echo "soak: tmux is missing" >&2; exit 77; }
place=$(mktemp -d) || exit 2
trap 'tmux -S "$place/socket" kill-server 2>/dev/null; rm -rf "$place"' EXIT
mkdir "$place/tmp" "$place/home"
unset TMUX

cat >"$place/mine.c" <<'END'
/* slexplore: elements=n a=f64[n]:1.0 knob acc=1..4 */
double sum;
long loop(long n, double *a)
{
	double s[ACC] = { 0 };

	for (long i = 0; i < n; i++)
		s[i % ACC] += a[i];
	for (int k = 0; k < ACC; k++)
		sum += s[k];
	return 0;
}
END

tm() { tmux -S "$place/socket" -f /dev/null "$@"; }
keys() { for key in "$@"; do tm send-keys -t soak "$key" 2>/dev/null; sleep 0.15; done; }
command_line() { tm send-keys -t soak / 2>/dev/null; tm send-keys -t soak -l "$1" 2>/dev/null; tm send-keys -t soak Enter 2>/dev/null; sleep "${2:-1}"; }
shown() { tm capture-pane -p -t soak 2>/dev/null; }

tm new-session -d -x 80 -y 24 -s soak \
	"cd $place && TMPDIR=$place/tmp XDG_CONFIG_HOME=$place/home exec '$program' mul-chain --no-settings 2>$place/err" || exit 77
sleep 2
pid=$(tm display-message -p -t soak '#{pane_pid}')
[ -r "/proc/$pid/status" ] || { echo "soak: the explorer did not start: $(cat "$place/err")"; exit 1; }

fact() { sed -n "s/^$1:[^0-9]*\([0-9][0-9]*\).*/\1/p" "/proc/$pid/status" 2>/dev/null; }

# Prints the resident memory in kB without working sets, which child processes do not inherit (flag dc).
own_memory() {
	awk '/^Rss:/ { rss = $2 } /^VmFlags:/ { if ($0 !~ / dc( |$)/) sum += rss } END { print sum + 0 }' "/proc/$pid/smaps" 2>/dev/null
}

# Prints the CPE of the setting on the screen when it has settled: equal in three readings.
figure() {
	before= same=0 now=
	for try in 1 2 3 4 5 6 7 8 9 10 11 12; do
		now=$(shown | sed -n 's/^measured .* \([0-9][0-9.]*\) R.*/\1/p' | head -n 1)
		[ "$now" != "$before" ] || same=$((same + 1))
		[ $same -lt 2 ] || break
		before=$now
		sleep 0.5
	done
	shown | grep -q '▸ mul-chain' || now=
	[ -n "$now" ] || { now=nan && shown >>"$place/no-figure"; }
	echo "$now"
}

round() {
	command_line list-length
	keys Down Right + + - v V v
	command_line combine
	keys + + r p + t g Escape
	tm resize-window -t soak -x 120 -y 40; sleep 0.3
	command_line latency 2
	keys v v b b
	tm resize-window -t soak -x 61 -y 17; sleep 0.3
	keys '?' Escape
	[ $(($1 % 5)) != 1 ] || { keys P; sleep 5; keys Escape; }
	command_line ./mine.c 3
	keys Down + + - G
	sleep 2
	keys Escape
	tm resize-window -t soak -x 80 -y 24; sleep 0.3
	# Each round measures the same setting. The keys may have changed it.
	command_line mul-chain 1
	command_line 'set size=16k'
	command_line 'set acc=1' 2
	command_line 'view limits' 1
}

# Freezes the screen for a minute, and prints the resident memory of the idle explorer in kB.
frozen() {
	command_line freeze
	sleep 63
	fact VmRSS
	command_line freeze
}

WARM=8 # rounds until every cache has been filled
FIRST=$((2 * WARM)) # a frozen screen empties the caches again
idle=

seconds=$(awk -v hours="$hours" 'BEGIN { print int(3600 * hours) }')
begun=$(date +%s)
count=0
printf 'round\tseconds\trss_kb\town_kb\tfds\tthreads\ttemporary\tcpe\n'
while [ $(($(date +%s) - begun)) -lt "$seconds" ]; do
	count=$((count + 1))
	round $count
	[ -d "/proc/$pid" ] || { echo "soak: the explorer ended in round $count: $(cat "$place/err")"; exit 1; }
	printf '%d\t%d\t%s\t%s\t%s\t%s\t%s\t%s\n' $count $(($(date +%s) - begun)) "$(fact VmRSS)" "$(own_memory)" "$(ls "/proc/$pid/fd" | wc -l)" \
		"$(fact Threads)" "$(ls "$place/tmp" | wc -l)" "$(figure)" | tee -a "$place/rows"
	[ $count -ne $WARM ] || { idle=$(frozen); echo "frozen: $idle kB"; }
done
[ $count -lt $WARM ] || last=$(frozen)
shown >"$place/last"
tm send-keys -t soak q
for try in 1 2 3 4 5 6 7 8 9 10; do [ -d "/proc/$pid" ] || break; sleep 0.5; done
[ ! -d "/proc/$pid" ] || { echo "soak: the explorer did not end"; exit 1; }

left=$(ls "$place/tmp")
[ -z "$left" ] || { echo "soak: left behind: $left"; exit 1; }

# median COLUMN FIRST LAST
median() {
	awk -v c="$1" -v a="$2" -v b="$3" 'NR >= a && NR <= b && $c + 0 == $c { print $c }' "$place/rows" | sort -n |
		awk '{ v[NR] = $1 } END { print NR ? (v[int((NR + 1) / 2)] + v[int(NR / 2) + 1]) / 2 : "nan" }'
}
# least COLUMN FIRST LAST: a descriptor or thread that is never given back raises the least number; work in the background raises others.
least() {
	awk -v c="$1" -v a="$2" -v b="$3" 'NR >= a && NR <= b && $c + 0 == $c && (n == "" || $c < n) { n = $c } END { print n == "" ? "nan" : n }' \
		"$place/rows"
}
[ $count -ge $((FIRST + 8)) ] || { echo "soak: $count rounds, too few to compare"; exit 0; }
echo "frozen: $idle kB at first, $last kB at last"
awk -v a="$idle" -v b="$last" 'BEGIN { printf "growth when frozen: %.2f MB\n", (b - a) / 1024; exit !(a > 0 && b > 0 && b < 61440 && b - a <= 1024) }' || bad=1
quarter=$(((count - FIRST) / 4))
for column in 3 4 5 6 7 8; do
	name=$(echo 'rss_kb own_kb fds threads temporary cpe' | cut -d' ' -f$((column - 2)))
	of=median
	case $name in fds | threads | temporary) of=least ;; esac
	first=$($of $column $((FIRST + 1)) $((FIRST + quarter))) last=$($of $column $((count - quarter + 1)) $count)
	echo "$name: $first at first, $last at last"
	case $name in
	own_kb) awk -v a="$first" -v b="$last" 'BEGIN { printf "growth: %.2f MB\n", (b - a) / 1024; exit b - a > 1024 }' || bad=1 ;;
	fds | threads | temporary) awk -v a="$first" -v b="$last" 'BEGIN { exit b > a }' || bad=1 ;;
	cpe) awk -v a="$first" -v b="$last" 'BEGIN { d = a > 0 ? 100 * (b - a) / a : 100; printf "drift: %.3f %%\n", d; exit !(d <= 0.2 && d >= -0.2) }' || bad=1 ;;
	esac
done
[ ! -s "$place/no-figure" ] || { echo "screens without a CPE:" && cat "$place/no-figure"; }
[ -z "${bad:-}" ] || { echo "soak: the explorer grows or drifts"; exit 1; }
