# machines: bare
# A machine of 256 MiB, one processor and no huge pages is measured within its means, and says so.
. /counted/lib.sh

# refuses WORDS SETTING...
refuses() {
	words=$1
	shift
	if slexplore run "$@" --quiet >out 2>err; then return 1; fi
	cat err
	grep -q "$words" err
}

check "a working set beyond memory is refused" refuses "size=1g is beyond half of this machine's free memory (.* MiB)" latency size=1g
check "so are cores that are not there" refuses "cores=2: this process may use only 1 processor$" latency cores=2
check "and streams" refuses "streams=1: this process may use only 1 processor" latency streams=1
check "and nodes" refuses "node=1: the last memory node that this process may use is 0$" latency node=1
slexplore run latency size=4m pages=huge --time-budget 0.1 --format json --quiet >run || fail "huge pages are asked for"
sample=$(record sample run)
echo "$sample"
check "small pages are got instead" test "$(echo "$sample" | field pages)" = 4k
check "the reason is told" grep -q "pages_note.*huge pages" run
# More than half of the free memory: one kind of page replaces the other.
slexplore sweep latency size=1m,70m pages=4k,auto --time-budget 0.2 --format csv --quiet >sweep || fail "a sweep ends well"
cat sweep
check "a sweep has every cell" test "$(wc -l <sweep)" = 5
cat >limits.sh <<'END'
ulimit -v 100000
slexplore run latency size=1m --time-budget 0.1 --quiet || echo "not measured"
slexplore run latency size=90m --quiet 2>&1
END
sh limits.sh >limited 2>&1
cat limited
check "within a limit of address space it measures" grep -q "^CPE" limited
check "and names it" grep -q "ulimit -v still allows" limited
