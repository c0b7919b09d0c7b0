# machines: exact slow
# Instructions per element as counted are those of the code, as decoded or stepped, to 0.01 %: of every kernel there is (but matmul, where
# loops stand round the innermost: 0.5 %, and searches that go by the keys), and of some of their variants. And the cycles are as many, times what an
# instruction takes here.
. /counted/lib.sh

variants='combine op=add type=i64 unroll=1
combine op=add type=f32 unroll=16 acc=8
combine op=mul type=i32 unroll=5 shape=reassociated size=1m
mul-chain acc=4
tree-lookup form=branch-free
tree-lookup form=branch-free found=0 lookups=4
hash-lookup load=5
hash-lookup load=5 found=0'

case $machine in
exact)
	cycles=1
	# What mispredict runs depends on its data, unless they are all alike.
	settings="$(slexplore list --format csv | sed '1d; s/,.*//; s/^mispredict$/& random=0/' | uniq)
$variants"
	check "every kernel is here" test "$(echo "$settings" | wc -l)" -gt 15
	;;
slow)
	cycles=4
	settings="k-loads
stores
$variants"
	;;
esac

echo "$settings" | while read -r setting; do
	# shellcheck disable=SC2086
	measure $setting || { fail "$setting: measured and explained"; continue; }
	code=$(record explain explain | field instructions)
	counted=$(value instructions run)
	# The code is that of the innermost loop: in matmul, the loops around it take 24 instructions per thousand iterations.
	case $setting in
	matmul*) apart=0.005 ;;
	# Each pass sets the places of its digits, for some 100 instructions in 18,000.
	radix-sort*) apart=0.01 ;;
	# Keys are made 256 at a time, for some 90 instructions that are in no search; of the elements that a trial's longer region has more than its
	# shorter one, 150 at least, as many as there are or 256 more have theirs made: less than one instruction each. Without branches a search goes
	# down to the end whatever its key, and in a table that is nearly empty it ends at the first step.
	tree-lookup*form=branch-free* | hash-lookup*load=5*) apart=$(awk -v code="$code" 'BEGIN { print 1 / code }') ;;
	# How long others take goes by the key, too: the code is stepped over a dozen, and many more are counted.
	tree-lookup*) apart=0.1 ;;
	hash-lookup*) apart=0.05 ;;
	*) apart=0.0001 ;;
	esac
	if ! near "$counted" "$code" $apart; then
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
done
