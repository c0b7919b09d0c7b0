#!/bin/sh
# The program's values against a plain walk in steady state (bench/steady.c, which make bench
# compiles), at 12 settings beyond the second cache: latency, bandwidth with the widest vectors, and
# two slopes of the mountain. ROUNDS (5) rounds; in each, all programs measure each setting in turn:
#
#   steady    bench/steady, the referee
#   run       slexplore run, this setting alone
#   sweep     the setting's row in a sweep over sizes, operations or strides around it
#   live      the explorer, read 2 s after its first final value. It runs a script, without a
#             terminal: the same session and the same measuring thread as on a screen, which also
#             measure the cells around the setting in between. The screen shows four digits.
#   likwid    likwid-bench, where it is installed: load, store and copy with the widest vectors
#   bw_mem    BW_MEM names lmbench's program: frd, fwr and fcp, with the vectors that its compiler chose
#   lat_mem   LAT_MEM_RD names lmbench's program: -t, which visits another page with each load
#   uarch     UARCH_BENCH names uarch-bench: memory/load-serial, which asks for huge pages
#
# lat_mem and uarch take minutes, so only the first SLOW_ROUNDS (1) rounds have them. likwid, bw_mem
# and lat_mem have the pages that the system gives unasked.
#
# Prints of each program the median over the rounds, the lowest and the highest, and the median
# divided by that of steady. "*": in some round the program said that its value was not settled.
# slexplore discards trials that a busy hyper-thread disturbs; the others cannot, and are slower on
# a busy machine: compare there with the highest values of steady, or of latency with the lowest.
#
# Environment: SLEXPLORE, STEADY (the two programs); ROUNDS, SLOW_ROUNDS; CPU, the processor for all
# (0, which likwid-bench takes); PAGES, auto (huge pages are asked for) or 4k, not for the mountain.
set -eu
slexplore=${SLEXPLORE:-build/slexplore}
steady=${STEADY:-${top_builddir:-build}/bench/steady}
rounds=${ROUNDS:-5}
slow_rounds=${SLOW_ROUNDS:-1}
cpu=${CPU:-0}
pages=${PAGES:-auto}
bw_mem=${BW_MEM:-}
lat_mem_rd=${LAT_MEM_RD:-}
uarch_bench=${UARCH_BENCH:-}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

likwid=$(command -v likwid-bench || true)
[ -n "$likwid" ] || echo "likwid-bench is not installed: left out"
[ -x "$bw_mem" ] || { echo "BW_MEM names no program of lmbench: left out"; bw_mem=; }
[ -x "$lat_mem_rd" ] || { echo "LAT_MEM_RD names no program of lmbench: left out"; lat_mem_rd=; }
[ -x "$uarch_bench" ] || { echo "UARCH_BENCH names no program: left out"; uarch_bench=; }

# The widest access of this processor, and likwid-bench's word for it.
for width in 64 32 16; do
	! "$slexplore" run bandwidth width=$width --time-budget 0.01 >"$work/out" 2>&1 || break
done
likwid_tests=$([ -z "$likwid" ] || "$likwid" -a | sed 's/ .*//')
simd=
for word in avx512 avx sse; do
	case $width-$word in 64-avx512 | 32-avx | 16-sse) ;; *) continue ;; esac
	! echo "$likwid_tests" | grep -qx "load_$word" || simd=_$word
done

# note SETTING WHO VALUE [MARK]
note() {
	[ -z "$3" ] || echo "$1 $2 $3 ${4:-}" >>"$work/values"
}

# csv WHO: notes the rows of the CSV that the program prints. The table leaves out other settings.
csv() {
	sed 's/"[^"]*"/quoted/g' | awk -F, -v who="$1" '
		BEGIN { name["frd"] = "read"; name["fwr"] = "write"; name["fcp"] = "copy" }
		/(^|,)cpe(,|$)/ { split("", at); for (i = 1; i <= NF; i++) at[$i] = i; next }
		{
			kernel = $at["kernel"]; size = $at["size"] / 1048576 "m"
			if (kernel == "latency") setting = "latency-" size
			else if (kernel == "mountain") setting = "mountain-" size "-" $at["stride"]
			else setting = name[$at["op"]] "-" size
			mark = ("settled" in at) && $at["settled"] == "false" ? "*" : ""
			print setting, who, kernel == "latency" ? $at["ns"] : $at["gbps"], mark
		}' >>"$work/values"
}

by_run() {
	"$slexplore" run "$@" --cpu "$cpu" --format csv --quiet 2>"$work/err" | csv run
}

by_sweep() {
	"$slexplore" sweep "$@" --cpu "$cpu" --format csv --quiet 2>"$work/err" | csv sweep
}

# by_live SETTING WORDS: "151.9 ns  T   0.053 GB/s    T" on the screen.
by_live() {
	live_setting=$1
	shift
	printf 'resize 120x40\nlive\npass 2\ndump\nquit\n' |
		"$slexplore" explore "$@" --cpu "$cpu" --script - >"$work/screen" 2>"$work/err" ||
		return 0
	grep -q -e 'not settled' -e provisional "$work/screen" && live_mark='*' || live_mark=
	note "$live_setting" live "$(awk -v setting="$live_setting" '
		match($0, /[0-9.]+ ns +T +[0-9.]+ GB\/s/) {
			split(substr($0, RSTART, RLENGTH), word, " ")
			print setting ~ /^latency/ ? word[1] : word[4]
			exit
		}' "$work/screen")" "$live_mark"
}

# by_steady SETTING WORDS
by_steady() {
	steady_setting=$1
	shift
	"$steady" "$@" --cpu "$cpu" >"$work/laps"
	note "$steady_setting" steady "$(awk '$1 == "median" { print $2 }' "$work/laps")"
}

# by_others SETTING WHAT MIB: bandwidth by likwid-bench and lmbench.
by_others() {
	case $2 in
	read) test=load operation=frd arrays=1 ;;
	write) test=store operation=fwr arrays=1 ;;
	copy) test=copy operation=fcp arrays=2 ;;
	*) return 0 ;;
	esac
	if [ -n "$likwid" ] && echo "$likwid_tests" | grep -qx "$test$simd"; then
		turns=$((2000 / $3 + 10))
		"$likwid" -t "$test$simd" -i $turns -w "S0:$(($3 * 1024))kB:1" >"$work/out" \
			2>"$work/err"
		note "$1" likwid "$(awk '$1 == "MByte/s:" { print $2 / 1000 }' "$work/out")"
	fi
	if [ -n "$bw_mem" ]; then
		# It credits the bytes of one array: of a copy, half of those read and written.
		note "$1" bw_mem "$(ENOUGH=20000 TIMING_O=0 LOOP_O=0 taskset -c "$cpu" \
			"$bw_mem" -N 3 $(($3 / arrays))m "$operation" 2>&1 |
			awk -v arrays="$arrays" '{ print $2 * arrays / 1000 }')"
	fi
}

# All sizes in one run, which walks every size up to the largest.
by_lat_mem() {
	[ -n "$lat_mem_rd" ] || return 0
	ENOUGH=5000 TIMING_OVERHEAD=0 LOOP_OVERHEAD=0 taskset -c "$cpu" \
		"$lat_mem_rd" -t -N 1 -W 0 -P 1 128 64 2>&1 |
		awk '$1 ~ /^(16|32|64|128)\.0*$/ { print "latency-" $1 + 0 "m lat_mem " $2 }' \
			>>"$work/values"
}

# by_uarch SETTING MIB
by_uarch() {
	[ -n "$uarch_bench" ] || return 0
	"$uarch_bench" --timer=clock --pinned-cpu="$cpu" \
		--test-name="memory/load-serial/serial-loads-$(($2 * 1024))" >"$work/out" \
		2>"$work/err" || return 0
	# The description has blanks: columns are counted from the end.
	note "$1" uarch "$(awk '
		/Nanos/ { for (i = 1; i <= NF; i++) if ($i == "Nanos") from_end = NF - i }
		/-KiB/ { print $(NF - from_end); exit }' "$work/out")"
}

# measure SETTING STEADY-WORDS -- WORDS
measure() {
	measure_setting=$1 measure_what=$2 measure_size=${3%m}
	shift
	measure_words=
	while [ "$1" != -- ]; do
		measure_words="$measure_words $1"
		shift
	done
	shift
	# shellcheck disable=SC2086      # several words
	by_steady "$measure_setting" $measure_words
	by_run "$@"
	by_live "$measure_setting" "$@"
	by_others "$measure_setting" "$measure_what" "$measure_size"
	if [ "$measure_what" = latency ] && [ $round -le "$slow_rounds" ]; then
		by_uarch "$measure_setting" "$measure_size"
	fi
}

round=0
while [ $round -lt "$rounds" ]; do
	round=$((round + 1))
	by_sweep latency 'size=8m..128m*2' "pages=$pages"
	for size in 16m 32m 64m 128m; do
		measure latency-$size latency $size --pages "$pages" -- \
			latency size=$size "pages=$pages"
	done
	[ $round -gt "$slow_rounds" ] || by_lat_mem
	by_sweep bandwidth op=frd,fwr,fcp size=4m,8m,128m,256m "width=$width" "pages=$pages"
	for size in 8m 256m; do
		for pair in read:frd write:fwr copy:fcp; do
			measure ${pair%:*}-$size ${pair%:*} $size --pages "$pages" -- \
				bandwidth op=${pair#*:} size=$size "width=$width" "pages=$pages"
		done
	done
	by_sweep mountain size=64m,128m stride=1..8
	for stride in 1 8; do
		measure mountain-128m-$stride mountain 128m $stride -- \
			mountain size=128m stride=$stride
	done
done

LC_ALL=C sort -k1,1 -k2,2 -k3,3g "$work/values" >"$work/sorted"
awk -v cpu="$cpu" -v pages="$pages" -v rounds="$rounds" '
	function close_group() {
		if (n) {
			median[last] = (value[int((n + 1) / 2)] + value[int(n / 2) + 1]) / 2
			low[last] = value[1]; high[last] = value[n]
		}
		n = 0
	}
	# Prints how far program k is from the referee at a setting, and remembers it.
	function compare(k, ratio, where,  far) {
		printf "  %9.3f", ratio
		compared[k]++
		agree[k] += ratio >= 0.95 && ratio <= 1.05
		far = ratio < 1 ? 1 / ratio : ratio
		if (far > worst[k]) {
			worst[k] = far
			worst_at[k] = sprintf("%.3f at %s", ratio, where)
		}
	}
	{
		key = $1 " " $2
		if (key != last) close_group()
		last = key; value[++n] = $3
		if ($4 == "*") mark[key] = "*"
	}
	END {
		close_group()
		settings = split("latency-16m latency-32m latency-64m latency-128m " \
			"read-8m write-8m copy-8m read-256m write-256m copy-256m " \
			"mountain-128m-1 mountain-128m-8", setting, " ")
		programs = split("steady run sweep live likwid bw_mem lat_mem uarch", who, " ")
		printf "steady state: cpu %s, pages=%s, %d rounds\n", cpu, pages, rounds
		printf "%-16s %-5s %-8s %9s  %20s  %9s\n", "setting", "unit", "program", "median",
			"lowest, highest", "to steady"
		for (i = 1; i <= settings; i++) {
			judge = setting[i] " steady"
			if (!(median[judge] > 0)) continue
			printf "%-16s %-5s ", setting[i], setting[i] ~ /^latency/ ? "ns" : "GB/s"
			for (k = 1; k <= programs; k++) {
				key = setting[i] " " who[k]
				if (!(key in median)) continue
				if (k > 1) printf "%-16s %-5s ", "", ""
				printf "%-8s %9.4g%-1s %9.4g, %9.4g", who[k], median[key],
					mark[key], low[key], high[key]
				if (k > 1) compare(k, median[key] / median[judge], setting[i])
				print ""
			}
		}
		for (key in mark) if (mark[key] != "") marks++
		if (marks) print "* not settled in some round"
		for (k = 2; k <= programs; k++)
			if (compared[k])
				printf "%s: within 5 %% of steady at %d of %d; worst: %s\n",
					who[k], agree[k], compared[k], worst_at[k]
	}' "$work/sorted"
