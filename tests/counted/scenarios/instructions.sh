# machines: exact slow
# Instructions per element as counted are those of the code, as decoded or stepped, to 0.01 %; and the cycles are as many, times
# what an instruction takes here.
. /counted/lib.sh

case $machine in
exact) cycles=1 some='' ;;
slow) cycles=4 some='combine|k-loads|stores' ;;
esac

while read -r setting; do
	echo "$setting" | grep -qE "^($some)" || continue
	# shellcheck disable=SC2086
	measure $setting || { fail "$setting: measured and explained"; continue; }
	code=$(record explain explain | field instructions)
	counted=$(value instructions run)
	if ! near "$counted" "$code" 0.0001; then
		fail "$setting: $counted instructions per element counted, $code in the code"
		shown
		continue
	fi
	wanted=$(awk -v i="$counted" -v c=$cycles 'BEGIN { printf "%.6g", i * c }')
	if ! near "$(value cycles run)" "$wanted" 0.0001; then
		fail "$setting: $(value cycles run) cycles per element counted, and $counted instructions make $wanted"
		shown
		continue
	fi
	pass "$setting: $counted instructions and $(value cycles run) cycles per element"
done <<END
combine op=add type=i64 unroll=1 acc=1
combine op=mul type=f64 unroll=4 acc=4
combine op=add type=f32 unroll=16 acc=8
combine op=mul type=i32 unroll=5 acc=1 shape=reassociated size=1m
mul-chain acc=1
mul-chain acc=4
list-length
sum-halves
k-loads
mul-by
sum-arrays size=64k
simd
alignment
stores
branches
mispredict random=0
END
