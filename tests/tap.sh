# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=sh
# A few words for tests in shell that print TAP; sourced, with PANETOP, TESTS_DIR and RECORDINGS set.
: "${PANETOP:?}" "${TESTS_DIR:?}" "${RECORDINGS:?}"
patience=120 # seconds: an end for what would run for ever, on a machine however slow
count=0 failed=0
scratch=$(mktemp -d) || exit 99
trap 'rm -rf "$scratch"' EXIT
out=$scratch/out err=$scratch/err
case ${1-} in
--only=*) only=${1#--only=} ;; # the tests whose names hold it; what stands between tests still runs
*) only='' ;;
esac

# ok NAME COMMAND...: one test; the command's status decides: 77 skips it, with the reason in $why. If it fails, the words below say
# which function that was, what was run last and what was looked for last, as a rule in vain.
ok() {
	name=$1 last_run='' last_look=''
	shift
	case $name in *"$only"*) ;; *) return ;; esac
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
		echo "# $0: $*" | cut -c1-200
		[ -z "$last_run" ] || echo "# ran last: $last_run" | cut -c1-300
		[ -z "$last_look" ] || echo "# looked last: $last_look" | cut -c1-300
		sed 's/^/# out: /' "$out" 2>/dev/null | head -n 8 | cut -c1-200
		sed 's/^/# err: /' "$err" 2>/dev/null | head -n 8 | cut -c1-200
	fi
}

skip() { # NAME REASON
	case $1 in *"$only"*) ;; *) return ;; esac
	count=$((count + 1))
	echo "ok $count - $1 # SKIP $2"
}

# run ARGUMENTS...: panetop with its output in $out and $err; status in $status.
run() {
	timeout -k 2 "$patience" "$PANETOP" "$@" >"$out" 2>"$err" </dev/null
	status=$?
	last_run="panetop $*: status $status" last_look=''
	[ $status -ne 124 ] || last_run="panetop $*: it had not ended after $patience s, and was ended"
}

root() { echo "--root=$ROOTS/$1/tick0"; }

start() { # COMMAND...: in the background, as $!. What stood in $out and $err is gone before: a test waits for new lines.
	: >"$out" 2>"$err"
	"$@" >"$out" 2>"$err" </dev/null &
}

until_true() { # COMMAND...: waits until it succeeds
	waited=0
	until "$@"; do
		if [ $waited -ge $((10 * patience)) ]; then
			last_look="waited $patience s in vain for: $*"
			return 1
		fi
		sleep 0.1
		waited=$((waited + 1))
	done
}
matches() { [ -e "$3" ] && [ "$(grep -c -e "$2" "$3")" -ge "$1" ]; }
until_lines() { until_true matches "$@"; } # NUMBER PATTERN FILE: waits until as many lines match

looked() { # STATUS FILE WHAT: for the words about a test that fails
	last_look="$3 in ${2#"$scratch"/}: no"
	[ "$1" -ne 0 ] || last_look="$3 in ${2#"$scratch"/}: yes"
	return "$1"
}
has() { # FILE TEXT
	grep -qF -- "$2" "$1"
	looked $? "$1" "'$2'"
}
pace="of CPU time; sampling every" # what panetop says where the machine is too slow for a delay of 50 ms
no_text() { # FILE is empty, but for its pace
	! grep -qav "$pace" "$1" 2>/dev/null
	looked $? "$1" "nothing"
}
lines() { # FILE NUMBER: so many, but for its pace
	[ "$(grep -cav "$pace" "$1")" -eq "$2" ]
	looked $? "$1" "$2 lines"
}
end() { # the last command of a test: its status is that of the test
	[ $count -gt 0 ] || [ -z "$only" ] || echo "# the name of no test here holds '$only'"
	echo "1..$count"
	[ $failed -eq 0 ] && [ $count -gt 0 ]
}
