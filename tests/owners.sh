#!/bin/sh
# Keeps the owners of the session's state (src/explorer/state.h): a part is written in its owner's file alone. Prints each line of
# another file that assigns a field of the part, or takes its address for anything but reading or the owner's functions.
#
#   owners.sh [DIRECTORY]      the tree to look at; by default the one that this script belongs to
set -eu

# Part of struct session, and the files that may write it.
owners() {
	cat <<'END'
now advance command
engine advance
replay advance
seed advance
invocation advance
record_path advance
machine_known advance
memory_limits advance
sweeps advance
kernel_count advance
doubt_due advance
setting session advance
knob session
kernels session advance own_loop opened_program
turned session
frozen session
pinned session
undo undo
epoch session
own own_loop
programs opened_program session
requests requests
live live
cells plan advance
plan plan
insight insight insight_core
memory insight insight_core
counted counted
diagrams diagrams
recording recorded
playback recorded
beside recorded
opened recorded
campaigns campaigns
screen on_screen
saved saved
opening opening reopen
classroom classroom
answering answering
printing reopen
whatif commands_panes
relief commands_panes
quit command
END
}

check() {
	owners | awk -v top="$1" '
	{
		part[NR] = $1
		for (i = 2; i <= NF; i++)
			may[$1, $i] = 1
	}
	# Whether the line writes the part: an assignment or a step, a buffer that is filled, an address.
	function writes(line, name, field, at, call) {
		field = "session->" name
		if (line ~ ("^[ \t({&]*" field "([.[]|->)?[^=;]*[^=!<>]?=([^=]|$)") && line !~ ("^[ \t]*(return|if|while)"))
			return line !~ ("^[ \t({&]*" field "[a-z_]")
		if (line ~ ("(\\+\\+|--)" field "([^a-z_]|$)") || line ~ (field "([.[][^ ,;()]*)?(\\+\\+|--)"))
			return 1
		if (line ~ ("(memset|memcpy|memmove|snprintf)\\(&?" field "([^a-z_]|$)"))
			return 1
		at = match(line, "&" field "([.[][^ ,;)]*)?[ ,;)]")
		if (!at || line ~ /const/)
			return 0
		return line ~ /\*[a-z_]+ = &session/
	}
	END {
		command = "cd \"" top "\" && ls src/explorer/*.c"
		while ((command | getline file) > 0) {
			base = file
			sub(/.*\//, "", base)
			sub(/\.c$/, "", base)
			number = constant = 0
			while ((getline line < (top "/" file)) > 0) {
				number++
				# A declaration goes on in the next line: const holds for all of it.
				constant = line ~ /const struct/ ? 1 : constant && previous !~ /;/
				for (i = 1; i <= NR; i++)
					if (!((part[i], base) in may) && writes((constant ? "const " : "") line, part[i])) {
						print file ":" number ":" line "\n\tsession->" part[i] " has another owner"
						found = 1
					}
				previous = line
			}
			close(top "/" file)
		}
		exit found
	}'
}

# The check has to be able to fail.
must_fail() {
	echo "$1" >"$bad/src/explorer/a.c"
	if check "$bad" >"$bad/found"; then
		echo "owners.sh: does not notice \"$1\""
		exit 1
	fi
}

must_pass() {
	echo "$1" >"$bad/src/explorer/a.c"
	if ! check "$bad" >"$bad/found"; then
		echo "owners.sh: objects to \"$1\":"
		cat "$bad/found"
		exit 1
	fi
}

bad=$(mktemp -d)
trap 'rm -rf "$bad"' EXIT
mkdir -p "$bad/src/explorer"
must_fail '	session->knob = 1;'
must_fail '	session->live.due = now;'
must_fail '	session->requests.generation++;'
must_fail '	turn = ++session->requests.generation;'
must_fail '	session->kernels[old] ='
must_fail '	struct live *live = &session->live;'
must_fail '	snprintf(session->screen.notice, 3, "%s", text);'
must_fail '	memset(&session->counted, 0, 1);'
must_pass '	const struct live *live = &session->live;'
must_pass '	if (session->knob == 1)'
must_pass '	live_take(&session->live, result);'
must_pass '	return session->frozen != 0;'
must_pass '	struct setting setting = session->setting;'

check "${1:-${top_srcdir:-$(dirname "$0")/..}}"
