#!/bin/sh
# The explorer without a terminal: scripts run; an error is one line, with exit status 2 and no escape byte.
leaks=1
. "$(dirname "$0")/lib.sh"

# mistake WORDS: the message is one line with these words.
mistake() {
	says err "$1"
	[ "$(wc -l <err)" -eq 1 ] || fail "more than a line: $(cat err)"
}

# A value is pinned and compared; the command line that reopens the screen.
cat >good.script <<'END'
# any value
figure
key p
knob size
type 16k
key Enter
figure
dump
resize 40x10
dump screen.txt
key y
resize 120x40
dump
quit
no such command, and never reached
END
expect 0 explore list-length --script good.script
grep -q '^=== 80x24$' out || fail "no first screen"
grep -q '^=== 120x40$' out || fail "no second screen"
grep -q 'B/A ' out || fail "no ratio"
grep -q 'slexplore explore list-length size=16k' out || fail "no command line"
grep -q '[0-9]\.[0-9]' screen.txt || fail "no figure in the file"

# A script prints all commands.
printf 'help\n' >help.script
expect 0 explore list-length --script help.script
says out 'only in scripts: key type'
says out 'set KNOB=VALUE …: set knobs'

# Pipes in the folder, with names of recordings and own loops, do not stop a search for them.
mkdir pipes
mkfifo pipes/pipe.jsonl pipes/pipe.c
printf 'find own loop pipe\nfind open pipe\nquit\n' >find.script
(cd pipes && timeout 10 "$SLEXPLORE" explore list-length --script ../find.script >../out 2>&1) || fail "find waits for a pipe: status $?"

# On the mountain, the cell under the cursor is the setting, and is measured; the relief.
cat >mountain.script <<'END'
key m
key Right
key Down
whatif L1 512m
figure
dump
key z
dump
END
expect 0 explore mountain size=16m stride=7 --ascii --script mountain.script
[ "$(grep -c 'mountain size=32m stride=8 op=rd' out)" = 2 ] || fail "not where the arrows lead"
grep -q 'L1 .*: every read is a miss: 1 line for each; if 512 MiB: no' out || fail "no word of misses"
grep -q 'a line of .* bytes each' out || fail "the slope has no end"

# Standard input; ASCII by option and by locale.
printf 'resize 120x40\ndump\n' | run 0 --ascii --script -
! LC_ALL=C grep -q '[^ -~]' out || fail "beyond ASCII"
printf 'dump\n' | LC_ALL=C run 0 --script -
! LC_ALL=C grep -q '[^ -~]' out || fail "beyond ASCII in the C locale"

# On a simulated machine with more processors than this one, nothing is bound, and everything is measured.
printf 'figure\n' >figure.script
HWLOC_SYNTHETIC='core:512 pu:1' expect 0 explore mul-chain --cpu 511 --script figure.script

# A file without ends of lines is no script: it is not read to its end.
head -c 20000 /dev/zero >zeros
expect 2 --script zeros
mistake "zeros:1: the line has a zero byte"
tr '\0' x <zeros | run 2 --script -
mistake "standard input:1: the line is longer than"

# An unknown theme is reported once, on the screen.
printf 'dump\nkey ?\ndump\n' | SLEXPLORE_THEME=solarized run 0 --script -
[ "$(grep -c 'SLEXPLORE_THEME: unknown theme "solarized"' out)" = 1 ] || fail "no word of the theme"
printf 'dump\n' | SLEXPLORE_THEME=contrast run 0 --script -
! grep -q 'SLEXPLORE_THEME' out || fail "a theme that there is was refused"

# An unknown theme on the command line is an error, and the message names all themes.
expect 2 --script /dev/null --theme solarized
grep -q 'unknown theme "solarized": use auto, dark, light, presenter or high-contrast' err || fail "no word of --theme"

# Mistakes.
printf '\n# fine\nkernl next\n' >bad.script
expect 2 --script bad.script
mistake 'bad.script:3: unknown command'
printf 'set unrol=3\n' | run 2 --script -
mistake 'standard input:1:'
printf 'key F13\n' | run 2 --script -
mistake 'unknown key "F13"'
printf 'resize 80\n' | run 2 --script -
mistake 'expected WIDTHxHEIGHT'
expect 2 --script no-such-file
mistake 'no-such-file'
printf 'dump no-such-directory/file\n' | run 1 --script -
mistake 'no-such-directory/file'

# The user's file of keys, correct and wrong.
mkdir own
printf '[main]\nx help # help | help me\n' >own/keys
printf 'resize 80x60\nkey x\ndump\n' | SLEXPLORE_DATA=$work/own run 0 --script -
grep -q 'help me' out || fail "own keys are not read"
printf '[main]\nx hepl # help | help me\n' >own/keys
printf 'dump\n' | SLEXPLORE_DATA=$work/own run 2 --script -
mistake 'keys:2: unknown command "hepl"'

# No terminal and no script.
expect 2
mistake 'terminal'
mistake 'run'

done_with "scripts run as they should"
