# machines: exact
# What is measured here is recorded, and taken out of the machine: tests/counted/replay.sh plays it where it was not made.
. /counted/lib.sh

file=/out/counted.jsonl
check "a recording is begun" slexplore record $file k-loads k=1,2,3 --quiet
check "and gone on with" slexplore record $file mul-chain acc=1,4 --quiet
check "every setting is in it" test "$(grep -c '"record": *"explain"' $file)" = 5
check "no line is over 1,000 bytes" sh -c "! LC_ALL=C grep -qE '.{1000,}' $file"
check "with its counters" sh -c "grep '\"record\": *\"event\"' $file | grep -q 'INST_RETIRED' && grep '\"record\": *\"counters\"' $file | grep -q '\"events\":..0,[0-9]'"
