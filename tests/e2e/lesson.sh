#!/bin/sh
# Lessons from outside: the list, a lesson with planted mistakes, and the answers of a class.
# Requires top_srcdir, the source directory.
leaks=1
. "$(dirname "$0")/lib.sh"

recording=$top_srcdir/tests/data/canned.jsonl

expect 0 lesson
says out 'slexplore lesson NAME opens a lesson'
[ "$(grep -c ' min ' out)" -ge 10 ] || fail "fewer than ten lessons"

# Eleven mistakes of different kinds: each is named once, by line and column, and nothing else is.
cat >planted.lesson <<'END'
titel Ten mistakes
title Ten mistakes
minutes 500
step One
  The loop takes {cpe} cycles.
setting combine op=mul type=f64 unrol=4 acc=4 size=32k
ask number cpe
explain It takes {cpe}.
step Two
  Text.
setting combine op=mul type=f64 unroll=4 acc=77
panel laddr
do veiw code
step Three
  Text.
setting combine unroll=4 acc=4 size=32k
ask choice
option one when cpe < 1000
option two when cpe > 0
explain Both hold.
step Four
  This text is much too long for a terminal of 80x24, because it goes on and on, sentence after sentence, and says the same again and again. This text is much too long for a terminal of 80x24, because it goes on and on, sentence after sentence, and says the same again and again. This text is much too long for a terminal of 80x24, because it goes on and on, sentence after sentence, and says the same again and again. This text is much too long for a terminal of 80x24, because it goes on and on, sentence after sentence, and says the same again and again. This text is much too long for a terminal of 80x24, because it goes on and on, sentence after sentence, and says the same again and again. This text is much too long for a terminal of 80x24, because it goes on and on, sentence after sentence, and says the same again and again. This text is much too long for a terminal of 80x24.
setting combine unroll=4 acc=4 size=32k
step Five
  Text.
setting combine unroll=7 acc=4 size=32k
ask faster
explain None.
END
expect 1 lesson --check planted.lesson --replay "$recording"
sed -n 's/^planted.lesson:\([0-9]*:[0-9]*\): .*/\1/p' out | tr '\n' ' ' >places
[ "$(cat places)" = '1:1 3:9 5:18 6:33 11:46 12:7 13:4 17:5 22:3 26:9 27:5 ' ] || fail "mistakes at $(cat places)"
expect 2 lesson planted.lesson --replay "$recording" --script /dev/null
says err 'planted.lesson:1:1'

# A good lesson in a recording.
cat >good.lesson <<'END'
title Good
minutes 5
step One
  Text.
setting combine unroll=4 acc=4 size=32k
pin combine unroll=1 acc=1 size=32k
ask number speedup
explain It is {speedup} times faster; {binding} binds.
END
expect 0 lesson --check ./good.lesson --replay "$recording"
says out 'good; steps: 1, questions: 1'

# Answers that cannot be kept are told before the lesson begins.
refuse 1 'missing/answers.jsonl cannot be written: No such file or directory' lesson ./good.lesson --replay "$recording" --record missing/answers.jsonl --script /dev/null
refuse 1 'missing/answers.html cannot be written: No such file or directory' lesson ./good.lesson --replay "$recording" --report missing/answers.html --script /dev/null
# Answers are recorded without a name, and reported.
printf 'guess 4\nwait\n' >answer.script
expect 0 lesson ./good.lesson --replay "$recording" --record answers.jsonl --script answer.script --no-settings
! grep -q '"name"' answers.jsonl || fail "an answer has a name"
echo 'no answer' >>answers.jsonl
expect 0 lesson --class answers.jsonl
says out '1 right, 0 wrong'
says out 'no answers: 1 line'
expect 0 lesson --class answers.jsonl --report class.md
says class.md '1 right, 0 wrong'
refuse 2 'need standard input' lesson --class - --live
refuse 2 'picture theme "presenter"' lesson --class answers.jsonl --picture class.svg --theme presenter
expect 0 lesson ./good.lesson --replay "$recording" --theme presenter --script /dev/null --no-settings
expect 2 lesson --class answers.jsonl --live
refuse 2 'not json' lesson --class answers.jsonl --format json
refuse 2 'not csv' lesson --format csv
refuse 2 'need --class' lesson good --live
expect 2 lesson --class
expect 2 lesson nothing
refuse 2 'no lesson "nothing"' present lesson nothing
refuse 2 'present lesson NAME' present lesson
refuse 2 'slexplore present lesson caches' present caches
refuse 2 'slexplore lesson caches' explore caches
refuse 2 'slexplore lesson caches' caches
refuse 2 'opens one lesson' present lesson chains chains

# Long lines of text are read in linear time: 10 s of processor time for their expressions before.
awk 'BEGIN { for (i = 0; i < 1900; i++) text = text "x "; print "title Long\nminutes 5"
	for (i = 0; i < 90; i++) print "step One\n  " text "\nsetting combine\nask number cpe\n  " text "\nhint " text "\nexplain " text }' >long.lesson
echo dump >dump.script
timeout 8 "$SLEXPLORE" lesson ./long.lesson --script dump.script --no-settings >out 2>err
[ $? = 0 ] || fail "long lines of text: $(head -c 700 err)"

done_with "lessons: list, mistakes, answers"
