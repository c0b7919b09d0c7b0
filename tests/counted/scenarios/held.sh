# machines: exact
# Another process has the counters: events that cannot be counted are held, events that share a counter are marked, known values are exact.
. /counted/lib.sh

slexplore explain k-loads --format json >explain
code=$(record explain explain | field instructions)

# begin hold|share COUNT: in the background, until it has them.
begin() {
	mkfifo ready
	/counted/probe "$1" "$2" >ready &
	other=$!
	read -r word <ready
	rm ready
	echo "$1 $2: $word"
}
end() {
	kill $other
	wait $other 2>/dev/null
}
run='slexplore run k-loads --format json --quiet'

begin hold 6
$run >run || fail "run ends well while others use the counters"
end
shown
check "a figure comes all the same" test -n "$(record sample run | field cpe)"
check "instructions are held" test "$(state instructions run)" = held
check "and have no figure" test "$(value instructions run)" = null

# Twelve more than there are: all take turns.
begin share 12
$run >run || fail "run ends well while others take turns"
end
shown
instructions=$(value instructions run)
case $(state instructions run) in
known) check "what is known among turns is exact" near "$instructions" "$code" 0.0001 ;;
scaled) pass "what took turns is marked" ;;
held) pass "what never had its turn is held" ;;
*) fail "instructions among turns: $(state instructions run)" ;;
esac

$run >run
shown
check "afterwards it is as before" near "$(value instructions run)" "$code" 0.0001
