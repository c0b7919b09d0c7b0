#!/bin/sh
# The reports of lessons as a browser sees them: valid HTML without scripts, complete in one file, printed on A4.
# Requires top_srcdir, the source directory. Skipped where no Chromium is installed.
. "$(dirname "$0")/lib.sh"

browser=$(command -v chromium || command -v chromium-browser || command -v google-chrome) || {
	echo "no Chromium here: the reports are not opened in a browser"
	exit 77
}

cat >good.lesson <<'END'
title Sums & <products>
minutes 5
step One
  Text.
setting combine unroll=4 acc=4 size=32k
pin combine unroll=1 acc=1 size=32k
ask number speedup
  How many times faster?
explain It is {speedup} times faster; {binding} binds.
END
printf 'guess 4\nwait\n' >answer.script
expect 0 lesson ./good.lesson --replay "$top_srcdir/tests/data/canned.jsonl" --record answers.jsonl --report student.html \
	--script answer.script --no-settings
expect 0 lesson --class answers.jsonl --report class.html
for page in student class; do
	! grep -qi '<script\|http:' "$page.html" || fail "$page.html is not complete, or has a script"
	! command -v tidy >/dev/null || tidy -q -e "$page.html" 2>tidy.err || fail "$page.html: $(cat tidy.err)"
done
sandbox=
[ "$(id -u)" -ne 0 ] || sandbox=--no-sandbox
# The browser itself can crash on a busy machine: it has three tries.
for _ in 1 2 3; do
	# shellcheck disable=SC2086 # no word if there is no option
	HOME=$work timeout 120 "$browser" --headless $sandbox --disable-gpu --disable-background-networking --no-first-run \
		--user-data-dir="$work/profile" --no-pdf-header-footer --print-to-pdf=student.pdf "$work/student.html" 2>browser.err
	[ ! -s student.pdf ] || break
done
[ -s student.pdf ] || fail "the browser: $(tail -3 browser.err)"
# A4 is 595 by 842 points.
grep -aq 'MediaBox \[0 0 59[45][.0-9]* 84[12][.0-9]*\]' student.pdf || fail "the page is not printed on A4"

done_with "reports in a browser"
