# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=sh
# A few words for tests in shell that print TAP; sourced, with PANETOP, TESTS_DIR and RECORDINGS set.
: "${PANETOP:?}" "${TESTS_DIR:?}" "${RECORDINGS:?}"
patience=120 # seconds: an end for what would run for ever, on a machine however slow
count=0 failed=0
scratch=$(mktemp -d) || exit 99
trap 'rm -rf "$scratch"' EXIT
out=$scratch/out err=$scratch/err

# ok NAME COMMAND...: one test; the command's status decides: 77 skips it, with the reason in $why.
ok() {
	name=$1
	shift
	count=$((count + 1))
	"$@"
	result=$?
	if [ $result -eq 0 ]; then
		echo "ok $count - $name"
	elif [ $result -eq 77 ]; then
		echo "ok $count - $name # SKIP $why"
	else
		failed=$((failed + 1))
		echo "not ok $count - $name"
		sed 's/^/# out: /' "$out" 2>/dev/null | head -n 5 | cut -c1-200
		sed 's/^/# err: /' "$err" 2>/dev/null | head -n 5 | cut -c1-200
	fi
}

skip() { # NAME REASON
	count=$((count + 1))
	echo "ok $count - $1 # SKIP $2"
}

# run ARGUMENTS...: panetop with its output in $out and $err; status in $status.
run() {
	timeout -k 2 "$patience" "$PANETOP" "$@" >"$out" 2>"$err" </dev/null
	status=$?
}

root() { echo "--root=$TESTS_DIR/fixtures/$1/tick0"; }

until_true() { # COMMAND...: waits until it succeeds
	waited=0
	until "$@"; do
		[ $waited -lt $((10 * patience)) ] || return 1
		sleep 0.1
		waited=$((waited + 1))
	done
}
matches() { [ -s "$3" ] && [ "$(grep -c -e "$2" "$3")" -ge "$1" ]; }
until_lines() { until_true matches "$@"; } # NUMBER PATTERN FILE: waits until as many lines match

has() { grep -qF -- "$2" "$1"; }  # FILE TEXT
no_text() { ! [ -s "$1" ]; }      # FILE is empty
lines() { [ "$(wc -l <"$1")" -eq "$2" ]; } # FILE NUMBER
end() { # the last command of a test: its status is that of the test
	echo "1..$count"
	[ $failed -eq 0 ]
}
