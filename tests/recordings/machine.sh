# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=sh
# The virtual machine that recordings are made in: Debian with a database, a web server, tools to build with and others, each a unit
# of systemd; sourced, with $top set to the project. Its image stays in build/busy (remove it to make another).
: "${top:?}"
. "$top/scripts/lib.sh"
machine=$top/build/busy
machine_packages="linux-image-amd64,systemd-sysv,udev,dbus,initramfs-tools,iproute2,procps,postgresql,postgresql-contrib,nginx-light
	redis-server,redis-tools,cron,openssh-server,apache2-utils,python3,xz-utils,kmod $packages_build"

make_image() {
	busy=$top/tests/recordings/busy root=$machine/root
	remove_root "$root"
	as_root mmdebstrap --mode=root --variant=apt --dpkgopt=force-unsafe-io --include="$(echo "$machine_packages" | tr -s ' \n\t' ,)" \
		trixie "$root" "$(debian_archive Debian)" &&
		as_root mkdir -p "$root/srv/panetop" "$root/usr/local/lib/busy" &&
		git -C "$top" archive HEAD | as_root tar -x -C "$root/srv/panetop" &&
		as_root cp "$busy/load" "$root/usr/local/bin/" && as_root cp "$busy"/units/* "$root/etc/systemd/system/" &&
		as_root cp "$busy/install" "$root/tmp/" && enter "$root" sh /tmp/install &&
		cp "$root"/boot/vmlinuz-* "$machine/vmlinuz" && cp "$root"/boot/initrd.img-* "$machine/initrd" &&
		as_root mke2fs -q -t ext4 -d "$root" "$machine/image.new" 6G && mv "$machine/image.new" "$machine/image"
	status=$?
	remove_root "$root"
	return $status
}

# What it takes: root, what apt fetches, and some minutes.
need_machine() {
	mkdir -p "$machine" || return 1
	# shellcheck disable=SC2086  # lists of words
	need $packages_build $packages_root qemu-system-x86 e2fsprogs
	[ -s "$machine/image" ] || step "a machine to boot" quietly "$machine/image.log" make_image
}

# boot_machine SECONDS OUT WORDS-OF-THE-KERNEL OPTIONS-OF-QEMU...: what it changes on its disk is lost; the directory OUT is the 9p
# file system "out". Its messages are in OUT/../console.
boot_machine() {
	seconds=$1 out=$2 words=$3
	shift 3
	quietly "$machine/qemu.log" nice timeout -k 5 "$seconds" qemu-system-x86_64 -M q35 -smp 2 -snapshot \
		-nodefaults -nographic -no-reboot -monitor none -serial "file:$out/../console" \
		-kernel "$machine/vmlinuz" -initrd "$machine/initrd" \
		-append "root=/dev/vda rw console=ttyS0 panic=-1 quiet $words" -drive "file=$machine/image,if=virtio,format=raw" \
		-virtfs "local,path=$out,mount_tag=out,security_model=none" "$@"
}
