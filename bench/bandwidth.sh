#!/bin/sh
# Bandwidth measured here and by other programs, in one run. ROUNDS rounds; in each, every program
# measures each working set in turn. All values are 10^9 bytes a second that the code itself loads
# and stores. Ours is the median over the rounds, with the lowest and the highest. Of the others it
# is the best round, because interference only slows them. The ratio divides our best round by
# theirs: shared memory can differ by half from one minute to the next, so a median against a best
# round would show a difference that is not there.
#
#   likwid-bench  where it is installed
#   BW_MEM        lmbench's program of that name. It credits each operation with the bytes of one
#                 array. The strided operations access 4 of every 16 bytes: rd and wr access a
#                 quarter of the credited bytes; rdwr and cp read a quarter and write a quarter.
#                 fcp and bcopy read one array and write the other: twice the credited bytes.
#                 Our strided operations access 8 of every 32 bytes: as many bytes of each line,
#                 with half as many accesses. Its fwr is compared with our widest stores, because
#                 compilers merge its stores.
#   STREAM        STREAM's program: its copy, for working sets in memory (64 MiB and more)
#
# Environment: SLEXPLORE; SIZES, ROUNDS; CPU, the processor for all (likwid-bench takes the first of
# its socket, usually 0); PAGES, the pages of our arrays. The default is what the other programs get, because
# huge pages make memory a fifth to a half faster.
set -eu
slexplore=${SLEXPLORE:-build/slexplore}
sizes=${SIZES:-16k 512k 8m 256m}
rounds=${ROUNDS:-5}
cpu=${CPU:-0}
pages=${PAGES:-$(grep -qs '\[always\]' /sys/kernel/mm/transparent_hugepage/enabled && echo auto || echo 4k)}
bw_mem=${BW_MEM:-}
stream=${STREAM:-}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

likwid=likwid-bench
command -v $likwid >"$work/where" || { echo "likwid-bench is not installed: left out"; likwid=; }
[ -x "$bw_mem" ] || { echo "BW_MEM names no program of lmbench: left out"; bw_mem=; }
[ -x "$stream" ] || { echo "STREAM names no program of STREAM: left out"; stream=; }

# The widest access that this processor has, and likwid-bench's word for it.
for width in 64 32 16; do
	! "$slexplore" run bandwidth width=$width --time-budget 0.01 --quiet >"$work/out" 2>&1 || break
done
tests=$([ -z "$likwid" ] || $likwid -a | sed 's/ .*//')
simd=
for word in avx512 avx sse; do
	case $width-$word in 64-avx512 | 32-avx | 16-sse) ;; *) continue ;; esac
	! echo "$tests" | grep -qx "load_$word" || simd=_$word
done

bytes_of() {
	echo "$1" | awk '{ n = $1 + 0; if (/k/) n *= 1024; if (/m/) n *= 1048576; if (/g/) n *= 1073741824; printf "%.0f", n }'
}

# note SIZE OPERATION WHO GBPS
note() {
	echo "$1 $2 $3 $4" >>"$work/figures"
}

# ours SIZE STORES OPERATIONS: by 8 bytes and by the widest access.
ours() {
	"$slexplore" sweep bandwidth "size=$1" "op=$3" "width=8,$width" "stores=$2" "pages=$pages" --cpu "$cpu" --format csv --quiet 2>"$work/err" |
		sed 's/"[^"]*"/quoted/g' | awk -F, -v size="$1" -v widest="$width" '
			BEGIN {
				name["frd"] = "read"; name["fwr"] = "write"; name["fcp"] = "copy"; name["rd"] = "read-strided"; name["wr"] = "write-strided"
				name["rdwr"] = "update-strided"; name["cp"] = "copy-strided"; name["bzero"] = "fill"; name["bcopy"] = "copy-library"
			}
			/(^|,)cpe(,|$)/ { for (i = 1; i <= NF; i++) column[$i] = i; next }
			{
				op = $column["op"]; width = $column["width"]; stores = $column["stores"]
				if (op ~ /^f/)
					what = name[op] (stores == "bypass" ? "-bypass" : "") (width == widest ? "" : "-" width)
				else if (width == 8)
					what = name[op]
				else
					next
				print size, what, "ours", $column["gbps"]
			}' >>"$work/figures"
}

# others SIZE NAME TEST: likwid-bench; some 10 GB of the small sets, some 2 GB of the large.
others() {
	[ -n "$likwid" ] && echo "$tests" | grep -qx "$3" || return 0
	others_bytes=$(bytes_of "$1")
	others_turns=$(awk -v n="$others_bytes" 'BEGIN { t = (n > 4194304 ? 2e9 : 1e10) / n; printf "%d", t < 10 ? 10 : t }')
	$likwid -t "$3" -i "$others_turns" -w "S0:$((others_bytes / 1024))kB:1" 2>"$work/err" |
		sed -n 's/^MByte\/s:[^0-9]*\([0-9.]*\).*/\1/p' >"$work/mbps"
	note "$1" "$2" likwid "$(awk '{ print $1 / 1000 }' "$work/mbps")"
}

# lmbench SIZE NAME OPERATION FACTOR ARRAYS: FACTOR makes real bytes of those credited; each of so many arrays is that part of SIZE.
lmbench() {
	[ -n "$bw_mem" ] || return 0
	ENOUGH=20000 TIMING_O=0 LOOP_O=0 taskset -c "$cpu" "$bw_mem" -N 3 $(($(bytes_of "$1") / $5)) "$3" 2>&1 |
		awk -v factor="$4" '{ print $2 * factor / 1000 }' >"$work/gbps"
	note "$1" "$2" lmbench "$(cat "$work/gbps")"
}

round=0
while [ $round -lt "$rounds" ]; do
	round=$((round + 1))
	for size in $sizes; do
		# Separate: non-temporal stores leave no data in the caches for the next programs.
		ours "$size" plain '*'
		ours "$size" bypass fwr,fcp
		others "$size" read "load$simd"
		others "$size" read-8 load
		others "$size" write "store$simd"
		others "$size" write-8 store
		others "$size" write-bypass "store_mem$simd"
		others "$size" copy "copy$simd"
		others "$size" copy-8 copy
		others "$size" copy-bypass "copy_mem$simd"
		others "$size" copy-bypass-8 copy_mem
		lmbench "$size" read-8 frd 1 1
		lmbench "$size" write fwr 1 1
		lmbench "$size" copy-8 fcp 2 2
		lmbench "$size" read-strided rd 0.25 1
		lmbench "$size" write-strided wr 0.25 1
		lmbench "$size" update-strided rdwr 0.5 1
		lmbench "$size" copy-strided cp 0.5 2
		lmbench "$size" fill bzero 1 1
		lmbench "$size" copy-library bcopy 2 2
		if [ -n "$stream" ] && [ "$(bytes_of "$size")" -ge 67108864 ]; then
			taskset -c "$cpu" "$stream" | awk '/^Copy:/ { print $2 / 1000 }' >"$work/gbps"
			for name in copy copy-bypass copy-library; do
				note "$size" $name STREAM "$(cat "$work/gbps")"
			done
		fi
	done
done

sort -k1,1 -k2,2 -k3,3 -k4,4g "$work/figures" | awk -v sizes="$sizes" -v pages="$pages" '
	function close_group() {
		if (n) {
			figure[last] = last ~ / ours$/ ? value[int((n + 1) / 2)] : value[n]
			low[last] = value[1]; high[last] = value[n]
		}
		n = 0
	}
	{ key = $1 " " $2 " " $3; if (key != last) close_group(); last = key; value[++n] = $4
	  if (!($2 in seen)) { seen[$2]; names[++count] = $2 } }
	END {
		close_group()
		who[1] = "likwid"; who[2] = "lmbench"; who[3] = "STREAM"
		printf "pages=%s\n%-6s %-15s %18s", pages, "size", "operation", "GB/s here"
		for (k = 1; k <= 3; k++) printf "  %9s %6s", who[k], "times"
		print ""
		m = split(sizes, size, " ")
		for (i = 1; i <= m; i++)
			for (j = 1; j <= count; j++) {
				at = size[i] " " names[j] " "
				here = figure[at "ours"]
				if (here == "") continue
				printf "%-6s %-15s %7.1f %5.1f-%5.1f", size[i], names[j], here, low[at "ours"], high[at "ours"]
				for (k = 1; k <= 3; k++)
					if (figure[at who[k]] > 0) {
						printf "  %9.1f %6.2f", figure[at who[k]], high[at "ours"] / figure[at who[k]]
						compared[k]++
						least[k] += high[at "ours"] >= 0.98 * figure[at who[k]]
					} else
						printf "  %9s %6s", "-", "-"
				print ""
			}
		for (k = 1; k <= 3; k++)
			if (compared[k]) printf "%s: equal (within 2 %%) or higher in %d of %d\n", who[k], least[k], compared[k]
	}'
