# machines: exact slow
# Counted cycles are the clock of trials. A reference chain that disagrees is reported.
. /counted/lib.sh

case $machine in
exact) cycles=1 ;;
slow) cycles=4 ;;
esac

measure k-loads
sample=$(record sample run)
check "cycles are from the counter" test "$(echo "$sample" | field cycles_from)" = counter
wanted=$(value instructions run | awk -v c=$cycles '{ printf "%.6g", $1 * c }')
check "CPE is in counted cycles" near "$(echo "$sample" | field cpe)" "$wanted" 0.0001
check "instructions a cycle" near "$(echo "$sample" | field ipc)" "$(awk -v c=$cycles 'BEGIN { print 1 / c }')" 0.0001
check "the core clock is a gigahertz" near "$(echo "$sample" | field ghz)" 1 0.02
# The reference chain's loop has two instructions more for every 64 links, and here they cost as much as links do.
chain=$(awk -v c=$cycles 'BEGIN { print 64 / 66 / c }')
echo "check should be $chain"
check "the reference chain's disagreement is in the record" near "$(echo "$sample" | field check)" "$chain" 0.02
slexplore run k-loads --quiet >text
cat text
check "and told in words" grep -qi "reference chain" text
shown

# If the data decide how many instructions run, the number of stepped instructions is not compared.
slexplore run mispredict --quiet >text
cat text
check "a loop that data lead is not doubted" sh -c '! grep -q "instructions counted" text'
