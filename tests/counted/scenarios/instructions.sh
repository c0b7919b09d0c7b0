# machines: exact slow
# Instructions per element as counted are those of the code, as decoded or stepped, to 0.01 %: of every kernel there is (but matmul, where
# loops stand round the innermost: 0.5 %, and searches that go by the keys), and of some of their variants. And the cycles are as many, times what an
# instruction takes here.
. /counted/lib.sh

variants='combine op=add type=i64 unroll=1
combine op=add type=f32 unroll=16 acc=8
combine op=mul type=i32 unroll=5 shape=reassociated size=1m
mul-chain acc=4
tree-lookup size=48k form=branch-free
tree-lookup size=48k form=branch-free found=0 lookups=4
hash-lookup size=48k load=5
hash-lookup size=48k load=5 found=0'

case $machine in
exact)
	cycles=1
	# Data that are laid out before the loop runs take most of the time; small ones have the same code. What mispredict runs
	# depends on its data, unless they are all alike. The instructions of atomic are chosen when the program runs, so
	# that its code has no explanation.
	settings="$(slexplore list --format csv | sed '1d; s/,.*//; /^atomic$/d
		s/^mispredict$/& random=0 size=4k/; s/^\(tree\|hash\)-lookup$/& size=48k/; s/^window$/& size=1m/' | uniq)
$variants"
	check "every kernel is here" test "$(echo "$settings" | wc -l)" -gt 15
	;;
slow)
	cycles=4
	settings="k-loads
stores
combine op=add type=i64 unroll=1
mul-chain acc=4"
	;;
esac

echo "$settings" | while read -r setting; do
	# shellcheck disable=SC2086
	measure $setting || { fail "$setting: measured and explained"; continue; }
	# The code is that of the innermost loop: in matmul, the loops around it take 24 instructions per thousand iterations.
	case $setting in
	matmul*) apart=0.005 ;;
	# The counters count whole sorts. Before each pass, a call sets the 256 places of its digits: about 200 instructions, and 18,432 in the loop.
	radix-sort*) apart=0.015 ;;
	# Keys are made 256 at a time, for some 90 instructions that are in no search; of the elements that a trial's longer region has more than its
	# shorter one, 150 at least, as many as there are or 256 more have theirs made: less than one instruction each. Without branches a search goes
	# down to the end whatever its key, and in a table that is nearly empty it ends at the first step.
	tree-lookup*form=branch-free* | hash-lookup*load=5*) apart=one ;;
	# How long others take goes by the key, too: the code is stepped over a dozen, and many more are counted.
	tree-lookup*) apart=0.1 ;;
	hash-lookup*) apart=0.05 ;;
	*) apart=0.0001 ;;
	esac
	cat explain run | awk -v setting="$setting" -v apart=$apart -v cycles=$cycles '
		function number(pattern, text) {
			if (!match($0, pattern "[-+0-9.e]+")) return "none"
			text = substr($0, RSTART, RLENGTH)
			sub(/.*[^-+0-9.e]/, "", text)
			return text
		}
		function near(a, b, share) { return a != "none" && b != "none" && (a > b ? a - b : b - a) <= share * b }
		/"record": *"explain"/ && code == "" { code = number("\"instructions\": *") }
		/"record": *"counters"/ && counted == "" {
			counted = number("\"instructions\", *")
			took = number("\"cycles\", *")
		}
		END {
			if (apart == "one") apart = 1 / code
			if (!near(counted, code, apart))
				print "FAIL " setting ": " counted " instructions per element counted, " code " in the code"
			else if (!near(took, counted * cycles, 0.0001))
				print "FAIL " setting ": " took " cycles per element counted, and " counted " instructions make " counted * cycles
			else
				print "PASS " setting ": " counted " instructions and " took " cycles per element"
		}' >verdict
	tee -a "$results" <verdict
	! grep -q FAIL verdict || shown
done
