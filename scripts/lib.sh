# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=sh
# What the scripts share: packages, and a build out of tree. Sourced, with $top set to the project.

packages_build="gcc libc6-dev make autoconf automake autopoint gettext pkg-config
	libncurses-dev libcap-dev libpfm4-dev libsensors-dev libjansson-dev libzstd-dev libmicrohttpd-dev libdw-dev
	libcurl4-gnutls-dev libiberty-dev"
packages_check="bash fish zsh check clang libclang-rt-dev llvm cppcheck shellcheck python3 python3-pyte python3-prometheus-client
	mandoc man-db groff-base xz-utils bsdutils locales perl-base libubsan1 libasan8 libtsan2
	appstream desktop-file-utils libcap2-bin systemd e2fsprogs iproute2 mount ncurses-bin procps runc util-linux"
packages_quick="check python3 python3-pyte"
packages_package="appstream apt-utils autopkgtest build-essential debhelper iproute2 lintian locales python3"
packages_cross() { # ARCHITECTURE
	echo "check:$1 crossbuild-essential-$1 qemu-user"
}
packages_root="arch-test debian-archive-keyring mmdebstrap mount util-linux"
packages_kernels="acpica-tools busybox-static cpio debian-archive-keyring i2c-tools kmod libcap2-bin
	python3 qemu-system-x86 xz-utils zstd"
packages_prometheus="prometheus prometheus-node-exporter"
packages_browser="chromium"
packages_musl="musl-tools"
packages_snap="python3-yaml snapd squashfs-tools"

qemu_of() { # GNU-TYPE: the program of qemu-user that runs its programs
	case $1 in
	powerpc64le-*) echo qemu-ppc64le ;;
	i?86-*) echo qemu-i386 ;;
	*) echo "qemu-${1%%-*}" ;;
	esac
}

timed_name=
version=$(sed -n 's/^AC_INIT(\[panetop\], \[\(.*\)\])$/\1/p' "$top/configure.ac")

languages() { sed 's/#.*//' "$top/po/LINGUAS"; }

# Linked, or loaded by name at run time.
libraries_of() { # PROGRAM
	grep -aoE '\blib[a-z]+\.so\.[0-9]+' "$1" | sort -u
}

package_of() { # LIBRARY: the name of the package that holds it here
	dpkg -S "*/$(gcc -print-multiarch)/$1" 2>/dev/null | sed -n '1s/:.*//p'
}

say() { printf '%s\n' "$*" >&2; }

missing_packages() { # PACKAGE...: prints those that are not installed
	dpkg-query -W -f '${Package} ${binary:Package} ${db:Status-Status}\n' "$@" 2>/dev/null | awk -v wanted="$*" '
		$3 == "installed" { there[$1]; there[$2] }
		END {
			n = split(wanted, names, " ")
			for (i = 1; i <= n; i++)
				if (!(names[i] in there))
					print names[i]
		}'
}

# Runs a command with the rights of root; fails if they are not available.
as_root() {
	if [ "$(id -u)" -eq 0 ]; then
		"$@"
	elif command -v sudo >/dev/null && { [ -t 0 ] || sudo -n true 2>/dev/null; }; then
		sudo "$@"
	else
		return 1
	fi
}

apt_install() {
	as_root env DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends "$@" >&2
}

# need PACKAGE...: installs what is missing, or says what to install and ends.
need() {
	if ! command -v dpkg-query >/dev/null; then
		say "This is no Debian or Ubuntu: if the build fails, install what these packages hold:" "$@"
		return
	fi
	missing=$(missing_packages "$@")
	[ -z "$missing" ] && return
	# shellcheck disable=SC2086  # the names are words
	apt_install $missing || { as_root apt-get update >&2 && apt_install $missing; } && return
	say "These packages are missing, and could not be installed from here. Install them with:"
	# shellcheck disable=SC2086
	say "  sudo apt-get install" $missing
	exit 1
}

# debian_archive LABEL: where apt has Debian's packages from on this machine, or its security updates
debian_archive() {
	# shellcheck disable=SC2016  # words of apt
	apt-get indextargets --format '$(ORIGIN)|$(LABEL)|$(REPO_URI)' 'Created-By: Packages' |
		sed -n "s/^Debian|$1|//p" | sort -u | head -n 1
}

# why_no_roots: prints what keeps us from making roots of Debian here, if anything does
why_no_roots() {
	if ! as_root unshare -m --propagation private true 2>/dev/null; then
		echo "only root with mount namespaces can make and enter a root"
	elif [ -z "$(debian_archive Debian)" ] && ! { as_root apt-get update >&2 && [ -n "$(debian_archive Debian)" ]; }; then
		echo "apt has no archive of Debian here (apt-get update)"
	fi
}

# make_root DIRECTORY SUITE ARCHITECTURES: a root with that release of Debian, no more than apt and what it needs. What is mounted
# meanwhile goes with the namespace: an umount fails while a program looks into it.
make_root() {
	quietly "$work/mmdebstrap.log" as_root unshare -m --propagation private mmdebstrap --mode=root --variant=apt \
		--dpkgopt=force-unsafe-io --skip=cleanup/apt --architectures="$3" "$2" "$1" "$(debian_archive Debian)" && as_root cp -L /etc/resolv.conf /etc/hosts "$1/etc/"
}

remove_root() { # DIRECTORY
	[ ! -e "$1" ] || as_root rm -rf --one-file-system "$1"
}

# with_root DIRECTORY COMMAND...: runs it on this machine while the root has the kernel's file systems, in a namespace of its own
with_root() {
	# shellcheck disable=SC2016  # for that shell
	as_root unshare -m --propagation private sh -c '
		root=$1 && shift
		mount --bind "$root" "$root" || exit 1
		for place in proc sys dev; do mount --rbind "/$place" "$root/$place" || exit 1; done
		exec "$@"
	' with_root "$@"
}

# enter DIRECTORY COMMAND...: as root of that root, moved onto /: in a mere chroot no user namespace can be made
enter() {
	# shellcheck disable=SC2016
	with_root "$1" sh -c '
		cd "$1" && mount --move . / && shift &&
			exec chroot . env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root LC_ALL=C.UTF-8 TERM=dumb \
				DEBIAN_FRONTEND=noninteractive DEB_BUILD_OPTIONS="${DEB_BUILD_OPTIONS-}" "$@"
	' enter "$@"
}

# unpack DIRECTORY PACKAGE...: programs that are tests' peers, without installing them: their services would start.
unpack() {
	mkdir -p "$1" || return 1
	(
		cd "$1" || exit 1
		shift
		ls ./*.deb >/dev/null 2>&1 || apt-get download "$@" || { as_root apt-get update && apt-get download "$@"; } || exit 1
		for deb in ./*.deb; do
			dpkg-deb -x "$deb" . || exit 1
		done
	) >&2
}

# tick LOG: every ten seconds a line about what runs and its last line in LOG, until the script ends or this is killed.
tick() {
	ticks=0
	while sleep 10 <&- >/dev/null 2>&1 && kill -0 $$ 2>/dev/null; do
		ticks=$((ticks + 10))
		say "        ${timed_name:-${step_name:-build}}: $ticks s, $(tail -n 1 "$1" | cut -c 1-70)"
	done
}

# quietly LOG COMMAND...: what it prints goes to LOG; if it fails, what failed in it and its end are shown.
quietly() {
	log=$1
	shift
	: >"$log" || return 1
	tick "$log" &
	ticker=$!
	"$@" >"$log" 2>&1
	status=$?
	{ kill $ticker && wait $ticker; } 2>/dev/null
	[ $status -ne 0 ] || return 0
	grep -A 8 -E '^(not ok|ERROR:|make.*\*\*\*)|: error:' "$log" | head -n 80 >&2
	tail -n 20 "$log" >&2
	say "failed: $* (all of it in $log)"
	return $status
}

newer() { [ -n "$(find "$1" -newer "$2" 2>/dev/null)" ]; } # FILE THAN-FILE

# make_configure: autotools, if they have not run yet or configure.ac has changed; make notices a changed list of sources.
make_configure() {
	"$top/scripts/update-sources" >&2 || return 1
	newer "$top/configure" "$top/configure.ac" && return
	(cd "$top" && timed autoreconf quietly "$1/autoreconf.log" autoreconf -fi)
}

# timed NAME COMMAND...: a line on standard error with its seconds, if it took any
timed() {
	timed_name=$1 timed_began=$(date +%s)
	shift
	"$@"
	timed_status=$? timed_began=$(($(date +%s) - timed_began))
	[ $timed_status -ne 0 ] || [ $timed_began -eq 0 ] || say "        $timed_name ($timed_began s)"
	timed_name=
	return $timed_status
}

# configured SOURCES CONFIGURE-ARGUMENTS...: in this directory, by a relative path: automake refuses another one with a blank.
# bash, which configure prefers, takes 2.5 times the CPU time to start, as for each line of make.
configured() {
	sources=$(realpath --relative-to=. "$1")
	shift
	CONFIG_SHELL=/bin/sh quietly configure.log "$sources/configure" "$@"
}

# build DIRECTORY CONFIGURE-ARGUMENTS...: configures once, makes what has changed.
build() { build_part all "$@"; }
build_part() { # PARTS DIRECTORY CONFIGURE-ARGUMENTS...
	goals=$1 directory=$2
	shift 2
	mkdir -p "$directory" && make_configure "$directory" || return 1
	if ! newer "$directory/config.status" "$top/configure"; then
		(cd "$directory" && timed configure configured "$top" "$@") || return 1
	fi
	# shellcheck disable=SC2086  # goals are words
	timed make quietly "$directory/make.log" make -C "$directory" -j"$(nproc)" --no-print-directory $goals
}

# Steps are counted: what check, package and snap print at their ends, below what was skipped.
passed=0 failed=0 started=$(date +%s) step_name='' step_began='' remarks=''

count() { # NAME STATUS
	took=
	[ -z "$step_began" ] || took=" ($(($(date +%s) - step_began)) s)"
	if [ "$2" -eq 0 ]; then
		passed=$((passed + 1))
		echo "ok      $1$took"
	else
		failed=$((failed + 1))
		echo "FAILED  $1$took"
	fi
	[ "$2" -eq 0 ]
}

step() { # NAME COMMAND...
	step_name=$1 step_began=$(date +%s)
	shift
	[ ! -t 1 ] || printf '        %s\r' "$step_name"
	"$@"
	count "$step_name" $?
	step_status=$? step_began=
	return $step_status
}

# skip NAME WHY: listed at the end, and not counted; where CI is "true" it is a failure, unless tests/expected-skips lists it.
skip() {
	remarks="$remarks
skipped: $1 # SKIP $2"
	if [ "${CI-}" = true ] && ! grep -qxF "scripts $1" "$top/tests/expected-skips"; then
		count "$1: not listed in tests/expected-skips" 1
	fi
}

# substeps COMMAND...: another script's steps are counted as our own.
substeps() {
	substeps_log=$work/substeps.log
	"$@" 2>&1 | tee "$substeps_log"
	remark "$substeps_log"
	counts=$(sed -n 's/^\([0-9]*\) passed, \([0-9]*\) failed$/\1 \2/p' "$substeps_log" | tail -n 1)
	if [ -z "$counts" ]; then
		count "$1 runs to its end" 1
		return
	fi
	passed=$((passed + ${counts% *})) failed=$((failed + ${counts#* }))
}

# remark LOG: the end lists which of its tests were skipped, by tests/driver, in TAP and as other scripts sum them up.
remark() {
	remarks="$remarks
$(sed -n -E 's/^ok [0-9]+ - (.* # SKIP )/skipped: \1/; /^skipped: (.* # SKIP |[0-9]+: )/p' "$1")"
}
list_skipped() { # a line for each reason: how many tests, and some of their programs; those of other scripts as they are
	echo "$remarks" | sed -n -E '/ # SKIP /!s/^skipped: [0-9]+: /&/p' | sort -u
	echo "$remarks" | sed -n -E 's/^skipped: (.*) # SKIP (.*)/\2\t\1/p' | sort -u | awk -F '\t' '
		{
			count[$1]++
			sub(/ [0-9]+ - .*/, "", $2)
			if (seen[$1, $2]++)
				next
			if (programs[$1] != "" && length(programs[$1] $2) > 60)
				more[$1] = ", …"
			else
				programs[$1] = programs[$1] (programs[$1] == "" ? "" : ", ") $2
		}
		END {
			for (reason in count)
				print "skipped: " count[reason] ": " reason " (" programs[reason] more[reason] ")"
		}' | sort
}

# The last words of check, package and snap; their status.
total() {
	list_skipped
	echo "$(($(date +%s) - started)) seconds"
	echo "$passed passed, $failed failed"
	[ "$failed" -eq 0 ]
}
