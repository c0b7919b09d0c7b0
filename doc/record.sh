#!/bin/sh
# Makes the pictures of the README on this machine: doc/screen.svg, a screenshot, and doc/tour.cast, a session of a quarter of a minute
# in the format asciicast 2 (asciinema play doc/tour.cast). Run it on a quiet machine.
#
#   doc/record.sh [PROGRAM]      PROGRAM: build/slexplore by default
set -eu

doc=$(cd "$(dirname "$0")" && pwd)
program=$(realpath "${1:-$doc/../build/slexplore}")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export LC_ALL=C.UTF-8 TERM=xterm-256color COLORFGBG='15;0'
width=80 height=24

"$program" mul-by --script - <<END
resize 120x40
wait
again
live
wait
screenshot to $doc/screen.svg
END

# The keys of the tour, and the seconds before each of them. The keys go to the terminal that script(1) makes.
keys() {
	while read -r pause key; do
		sleep "$pause"
		printf "$key"
	done <<'END'
1.2 j
0.3 j
0.3 j
0.6 +
0.7 +
0.7 +
1.0 r
1.2 v
1.0 /
0.3 mount
0.4 ain
0.4 \r
0.8 m
0.6 j
0.2 j
0.2 l
0.8 ?
1.2 q
0.3 q
END
}
keys | script -q -c "stty cols $width rows $height; exec '$program' --no-settings" \
	--log-out "$work/bytes" --log-timing "$work/times" >"$work/shown"

# A line of the recording is [SECONDS, "o", "BYTES"]. script(1) has split the bytes anywhere, also within a character, so the bytes of
# a character that is not complete wait for the next line.
LC_ALL=C awk -v width=$width -v height=$height -v bytes="$work/bytes" '
	BEGIN {
		for (i = 0; i < 256; i++)
			number[sprintf("%c", i)] = i
		RS = "\001"
		getline all <bytes
		# The first line is of script(1).
		all = substr(all, index(all, "\n") + 1)
		RS = "\n"
		at = 1
		printf "{\"version\": 2, \"width\": %d, \"height\": %d, \"title\": \"A tour of slexplore\"}\n", width, height
	}
	# Bytes at the end of the text that begin a character and do not complete it.
	function open(text, n, i) {
		for (i = 1; i <= 3 && i <= length(text); i++) {
			n = number[substr(text, length(text) - i + 1, 1)]
			if (n >= 192)
				return (n >= 240 ? 4 : n >= 224 ? 3 : 2) > i ? i : 0
			if (n < 128)
				return 0
		}
		return 0
	}
	function quoted(text, out, i, c) {
		for (i = 1; i <= length(text); i++) {
			c = substr(text, i, 1)
			out = out (c == "\"" || c == "\\" ? "\\" c : number[c] < 32 ? sprintf("\\u%04x", number[c]) : c)
		}
		return out
	}
	# Without sequences that have no effect: a choice of the character set, and a colour that the next sequence resets.
	function shorter(text) {
		gsub(/\033\(B/, "", text)
		gsub(/\033\[39(;49)?m\033\[m/, "\033[m", text)
		return text
	}
	{
		seconds += $1
		text = kept substr(all, at, $2)
		at += $2
		split_off = open(text)
		kept = substr(text, length(text) - split_off + 1)
		text = substr(text, 1, length(text) - split_off)
		if (text != "")
			printf "[%.2f, \"o\", \"%s\"]\n", seconds, quoted(shorter(text))
	}' "$work/times" >"$work/cast"
mv "$work/cast" "$doc/tour.cast"
wc -c "$doc/screen.svg" "$doc/tour.cast"
