# SPDX-License-Identifier: GPL-2.0-or-later
"""The fifty situations that findings are judged by: what happens in each, and what they have to say of it.

Each is a function that makes the load, in the virtual machine of make, after AT samples; those that begin before leave what
the kernel has kept. What stands before a yield is made ready before the first sample. They undo nothing, but what keeps a machine
from powering off: each has one of its own. A machine without KVM is slow: what takes a load a second elsewhere takes it half a
minute there, and so does a sample at times. So a load has a minute, what was there before the first sample 3 s. The last twenty
were made when the rules stood, and kept as they came out; theirs have 10 s, and 20 s where a rule waits for 10 s itself.
"""
import dataclasses
import os
import re
import subprocess
import time
from typing import Callable

AT = 5  # samples, one a second, before the load begins
ALL = {}


@dataclasses.dataclass(frozen=True)
class Situation:
    load: Callable
    samples: int
    before: bool  # the load begins before the first sample
    last: bool  # made when the rules stood
    right: tuple = ()  # rules that may speak, besides
    rule: str = ""  # that has to speak; "": this one is calm
    subject: str = ""  # … about this, as a regular expression
    names: str = ""  # … with this in its sentence
    within: float = 0  # seconds from when the load begins, or from the first sample
    missed: str = ""  # why findings do not say it, or not in time; once they do, the test fails until this is removed

    @property
    def name(self):
        return self.load.__name__

    @property
    def about(self):
        return self.load.__doc__


def situation(samples=30, before=False, last=False, **more):
    def add(load):
        ALL[load.__name__] = Situation(load, samples, before, last, **more)
        return load
    return add


sick = calm = situation


# --- what loads are made of ---------------------------------------------------------------------------------

def shell(command):
    subprocess.run(["sh", "-ec", command], check=True, stdin=subprocess.DEVNULL)


def program(name, text, interpreter="/usr/bin/python3"):
    path = f"/usr/local/bin/{name}"
    with open(path, "w", encoding="utf-8") as file:
        file.write(f"#!{interpreter}\n{text}")
    os.chmod(path, 0o755)


def unit(name, command, **properties):
    """A service of systemd."""
    subprocess.run(["systemd-run", "--quiet", f"--unit={name}", *(f"--property={key}={value}" for key, value in properties.items()),
                    "sh", "-c", f"exec {command}"], check=True)


def until(condition, seconds=120):
    end = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > end:
            raise TimeoutError(condition.__doc__ or condition.__name__)
        time.sleep(0.2)


def is_over(name):
    return lambda: subprocess.run(["systemctl", "is-active", "--quiet", name], check=False).returncode != 0


def meminfo(key):
    with open("/proc/meminfo", encoding="ascii") as file:
        return int(re.search(rf"^{key}: *(\d+)", file.read(), re.M)[1]) << 10


def disk_at(place, mebibytes, options=""):
    """A file system of its own."""
    shell(f"mkdir -p {place}; mount -t tmpfs -o size={mebibytes}m{options} tmpfs {place}")


# Takes memory, 4 MiB at a time: so many MiB, with a pause of so many seconds.
TAKES = """
import sys, time
kept = []
for _ in range(int(sys.argv[1]) // 4):
    kept.append(b"x" * (4 << 20))
    time.sleep(float(sys.argv[2]))
time.sleep(3600)
"""
# Reads a file here and there.
READS = """
import mmap, random, sys
with open(sys.argv[1], "rb") as file:
    data = mmap.mmap(file.fileno(), 0, prot=mmap.PROT_READ)
data.madvise(mmap.MADV_RANDOM)
while True:
    data[random.randrange(len(data))]
"""
BURNS = "while :; do :; done\n"
PHOTOS = "/srv/photos/library.raw"  # 400 MiB


# --- sick ---------------------------------------------------------------------------------------------------

@sick(rule="out_of_memory", subject="memory", names=r"importer \d+", within=60, right=("memory_short",), samples=25,
      missed="named after 330 s: under emulation it takes that long, and the sample before the kill was 75 s earlier")
def ran_out():
    """the machine runs out of memory, and the kernel kills the program that took it"""
    program("importer", TAKES)
    unit("importer", "importer 4000 0")


@sick(rule="out_of_memory", subject="memory", names=r"importer \d+", within=3, before=True, samples=20)
def had_run_out():
    """the kernel killed a program for want of memory a minute before panetop began"""
    ran_out()
    until(is_over("importer"), 300)
    time.sleep(60)


@sick(rule="limit_killed", subject=r"thumbnailer\b.*", names=r"thumbnailer \d+", within=60)
def killed_at_limit():
    """a service is killed at its memory limit, while the machine has plenty"""
    program("thumbnailer", TAKES)
    unit("thumbnailer", "thumbnailer 400 0.05", MemoryMax="64M")


@sick(rule="group_refaults", subject=r"gallery\b.*", names="limit of 64.0 MiB", within=60, right=("io_wait",),
      missed="named after 88 s: under emulation it does not read fast enough before")
def thrashes_in_limit():
    """a service reads more than its memory limit can keep, again and again"""
    program("gallery", READS)
    unit("gallery", f"gallery {PHOTOS}", MemoryMax="64M")


@sick(rule="memory_short", subject="memory", names=r"most: catalog \(\d+\)", within=60, samples=45)
def memory_short():
    """a large program leaves so little memory for the page cache that another one waits for what was evicted"""
    program("catalog", TAKES)
    program("search", READS)
    unit("catalog", "catalog 720 0")
    for number in range(4):
        unit(f"search{number}", f"search {PHOTOS}")


@sick(rule="disk_full", subject="/srv/data", names="left", within=3, before=True, samples=10)
def disk_full():
    """a file system is full"""
    disk_at("/srv/data", 64)
    shell("dd if=/dev/zero of=/srv/data/log bs=64k status=none || true; sync")


@sick(rule="disk_filling", subject="/srv/data", names="full in", within=80, samples=95)
def disk_filling():
    """a log grows, and its file system will be full in minutes"""
    disk_at("/srv/data", 256)
    shell("dd if=/dev/zero of=/srv/data/old bs=1M count=210 status=none; sync")
    program("recorder", "while :; do head -c 100k /dev/zero; sleep 0.5; done >>/srv/data/log\n", "/bin/sh")
    unit("recorder", "recorder")


@sick(rule="io_wait", subject="disks", names=r"most: archiver \(\d+\), .*; vdb is busiest", within=60, samples=45)
def slow_disk():
    """a disk that answers 40 requests a second has more of them than that"""
    program("archiver", """
import mmap, os, random, threading
disk = os.open("/dev/vdb", os.O_RDONLY | os.O_DIRECT)
def read():
    room = mmap.mmap(-1, 4096)
    while True:
        os.preadv(disk, [room], random.randrange(16384) * 4096)
for _ in range(4):
    threading.Thread(target=read).start()
""")
    unit("archiver", "archiver")


@sick(rule="failing_command", subject=r"frontend \(systemd\)", names="code 1", within=60)
def restarts_again_and_again():
    """a service ends with an error as soon as it starts, and systemd starts it again"""
    program("frontend", "exit 1\n", "/bin/sh")
    unit("frontend", "frontend", Restart="always", RestartSec="2", StartLimitIntervalSec="0")


@sick(rule="run_queue", subject="CPU", names="6 × encoder", within=3, before=True, samples=20)
def too_many_for_the_cpus():
    """six programs have wanted two CPUs for minutes"""
    program("encoder", BURNS, "/bin/sh")
    for number in range(6):
        unit(f"encoder{number}", "encoder")
    time.sleep(150)


@sick(rule="zombies", subject="processes", names=r"spooler \(\d+\)", within=60, samples=30)
def zombies():
    """a daemon does not wait for its children"""
    program("spooler", """
import os, time
for _ in range(25):
    if os.fork() == 0:
        os._exit(0)
time.sleep(3600)
""")
    unit("spooler", "spooler")


# --- calm ---------------------------------------------------------------------------------------------------

@calm(samples=60)
def build():
    """a program is built on all CPUs"""
    shell("make -s -C /home/builder/panetop/build clean >/dev/null 2>&1")
    unit("compile", "make -C /home/builder/panetop/build -j2", User="builder")


@calm(samples=40)
def backup():
    """a backup reads the disk and packs what it reads"""
    program("backup", "tar -C / -c usr/lib usr/share | xz -1 >/var/backups/usr.tar.xz\n", "/bin/sh")
    unit("nightly", "backup", Nice="10")


@calm(samples=40)
def apt():
    """apt installs packages, and removes them again"""
    for name in ("one", "two", "three", "four"):
        shell(f"mkdir -p /tmp/{name}/DEBIAN /tmp/{name}/usr/share/{name}; cp -r /usr/share/perl5 /tmp/{name}/usr/share/{name}/;"
              f"printf 'Package: {name}\\nVersion: 1\\nArchitecture: all\\nMaintainer: x <x@localhost>\\nDescription: x\\n' >/tmp/{name}/DEBIAN/control;"
              f"dpkg-deb -Znone -b /tmp/{name} /tmp/{name}.deb >/dev/null")
    program("upgrade", "for turn in 1 2 3 4; do apt-get -qq install -y /tmp/one.deb /tmp/two.deb /tmp/three.deb /tmp/four.deb;"
            "apt-get -qq purge -y one two three four; done\n", "/bin/sh")
    unit("upgrade", "upgrade", Environment="DEBIAN_FRONTEND=noninteractive")


@calm(samples=40)
def full_page_cache():
    """the page cache is as large as memory, after files were read that are larger"""
    program("indexer", "while :; do tar -C / -c srv usr | cat >/dev/null; done\n", "/bin/sh")
    unit("indexer", "indexer")


@calm()
def kill_in_a_container():
    """a supervisor in a PID namespace with a memory limit kills its workers and starts others"""
    program("worker", "exec sleep 100\n", "/bin/sh")
    program("supervisor", "while :; do worker & sleep 2; kill -9 $!; wait $!; done\n", "/bin/sh")
    unit("box", "unshare --pid --fork --mount-proc supervisor", MemoryMax="128M")


@calm(before=True, samples=30)
def swap_full_and_calm():
    """swap is full of what is not used"""
    shell("fallocate -l 64M /var/tmp/swap; chmod 600 /var/tmp/swap; mkswap -q /var/tmp/swap; swapon /var/tmp/swap")
    program("cold", TAKES)
    unit("cold", "cold 200 0")
    time.sleep(5)
    shell("echo 100M >/sys/fs/cgroup/system.slice/cold.service/memory.reclaim || true")
    until(lambda: meminfo("SwapFree") < 0.05 * meminfo("SwapTotal"))
    time.sleep(70)


@calm(samples=60)
def ended_by_timeout():
    """a script gives its commands half a second, and timeout ends them"""
    program("poller", "while :; do timeout 0.5 tail -f /dev/null; timeout -s KILL 0.5 sleep 60; timeout 0.5 sh -c 'sleep 9; true'; done\n", "/bin/sh")
    unit("poller", "poller")


@calm(samples=40, before=True)
def nice_batch():
    """batch work at nice 19 uses all CPUs that nothing else wants"""
    program("simulate", BURNS, "/bin/sh")
    for number in range(2):
        unit(f"simulate{number}", "simulate", Nice="19")
    time.sleep(60)


@calm()
def restarts_once():
    """a service fails once, and systemd starts it again"""
    program("mailer", "[ -e /run/mailer ] || { touch /run/mailer; exit 1; }\nwhile :; do sleep 1; done\n", "/bin/sh")
    unit("mailer", "mailer", Restart="on-failure", RestartSec="1")


@sick(rule="group_cpu", subject=r"web\b.*", names="CPU quota 0.20", within=60)
def at_cpu_quota():
    """a service wants more CPU time than its quota"""
    program("render", BURNS, "/bin/sh")
    unit("web", "render", CPUQuota="20%")


@sick(rule="swap_full", subject="swap", names="full", within=60, right=("memory_short",), samples=60,
      missed="named after 80 s: under emulation it takes that long until swap is full and tasks wait")
def swap_full_and_stalled():
    """swap is full of what is needed again and again"""
    shell("fallocate -l 64M /var/tmp/swap; chmod 600 /var/tmp/swap; mkswap -q /var/tmp/swap; swapon /var/tmp/swap")
    program("catalog", TAKES)
    program("search", READS)
    unit("catalog", "catalog 780 0")
    for number in range(4):
        unit(f"search{number}", f"search {PHOTOS}")


@sick(rule="inodes_full", subject="/srv/mail", names="of the inodes", within=3, before=True, samples=10)
def inodes_full():
    """a file system with room has no inodes left"""
    disk_at("/srv/mail", 64, ",nr_inodes=2048")
    shell("cd /srv/mail; seq -f message%g 2100 | xargs touch 2>/dev/null || true; sync")


@sick(rule="failing_command", subject=r"sh \(deploy\)", names="code 3", within=60, samples=40)
def script_fails_among_good_ones():
    """a script tries again and again what fails, beside another one whose commands of the same name succeed"""
    program("deploy", "until sh -c 'exit 3'; do sleep 1; done\n", "/bin/sh")
    program("collect", "while :; do sh -c 'exit 0'; sleep 0.2; done\n", "/bin/sh")
    unit("collect", "collect")
    unit("deploy", "deploy")


@calm(samples=40)
def answers():
    """a script asks what is there, and most of it is not"""
    program("watch-all", "while :; do grep -q nothing /etc/passwd; /usr/bin/test -e /nothing; pgrep nothing; cmp -s /etc/passwd /etc/group;"
            "getent passwd nothing; mountpoint -q /srv; systemctl is-active --quiet nothing; /usr/bin/expr 0; sleep 0.2; done >/dev/null\n", "/bin/sh")
    unit("watch-all", "watch-all")


@calm(samples=40)
def configure():
    """configure tries what compiles and what does not"""
    program("configure-again", "mkdir -p /tmp/built; cd /tmp/built; /home/builder/panetop/configure >/dev/null 2>&1\n", "/bin/sh")
    unit("configure-again", "configure-again")


@calm()
def burst():
    """eight programs want two CPUs for ten seconds"""
    program("burst", BURNS, "/bin/sh")
    for number in range(8):
        unit(f"burst{number}", "burst", RuntimeMaxSec="10")


@calm(before=True, samples=15)
def read_only_and_full():
    """an image of a program is mounted read-only, and full, as such images are"""
    disk_at("/srv/tool", 8)
    shell("dd if=/dev/zero of=/srv/tool/program bs=64k status=none || true; mount -o remount,ro /srv/tool")


@calm(samples=40)
def cache_at_limit():
    """a backup in a service with a memory limit fills the limit with page cache"""
    program("archive", "tar -C / -c usr | cat >/dev/null\nsleep 60\n", "/bin/sh")
    unit("archive", "archive", MemoryMax="100M")


@calm(samples=40)
def database():
    """a database is loaded, asked, and writes its checkpoints"""
    shell("systemctl start postgresql; systemctl start database-load")

# --- the twenty, made afterwards ----------------------------------------------------------------------------

CONVOY = """
#include <pthread.h>
#include <time.h>
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static void *serve(void *unused)
{
	for (;;) {
		pthread_mutex_lock(&lock);
		for (clock_t end = clock() + CLOCKS_PER_SEC / 50; clock() < end;)
			;
		pthread_mutex_unlock(&lock);
	}
	return unused;
}
int main(void)
{
	pthread_t threads[12];
	for (int i = 0; i < 12; i++)
		pthread_create(&threads[i], NULL, serve, NULL);
	pthread_join(threads[0], NULL);
}
"""
# Fills so many MiB, and then uses them here and there.
USES = """
import mmap, random, sys
size = int(sys.argv[1]) << 20
kept = mmap.mmap(-1, size)
for at in range(0, size, 4 << 20):
    kept[at:at + (4 << 20)] = b"x" * (4 << 20)
while True:
    kept[random.randrange(size)] = 1
"""
# Writes a record and waits until the disk has it.
COMMITS = """
import os, sys
log = os.open(sys.argv[1], os.O_CREAT | os.O_WRONLY | os.O_APPEND)
while True:
    os.write(log, b"x" * 4096)
    os.fsync(log)
"""


@sick(rule="stuck", subject="date", names="/srv/store/journal", within=20, last=True)
def frozen_file_system():
    """a program writes to a file system that is frozen, and never wakes up"""
    shell("mkdir -p /srv/store; mount /dev/vdb /srv/store")
    program("journal", "while :; do date >>/srv/store/journal; sleep 0.2; done\n", "/bin/sh")
    unit("journal", "journal")
    yield
    shell("fsfreeze -f /srv/store")
    yield
    shell("fsfreeze -u /srv/store")  # or the machine does not power off


@sick(rule="lock_convoy", subject=r"matcher\b.*", names="1[01] threads", within=20, last=True)
def lock_convoy():
    """twelve threads of a program want one mutex, and one of them computes with it"""
    with open("/tmp/matcher.c", "w", encoding="utf-8") as file:
        file.write(CONVOY)
    shell("gcc -O2 -pthread -o /usr/local/bin/matcher /tmp/matcher.c")
    yield
    unit("matcher", "matcher")


@sick(rule="datagrams_lost", subject="network", names="lost", within=10, last=True,
      missed="named after 27 s: a sample took 17 s, and the rule looks 10 s back")
def datagrams_lost():
    """a server takes a twentieth of a second for each datagram, and more of them come"""
    program("collector", """
import socket, time
server = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
server.bind(("127.0.0.1", 8125))
while True:
    server.recv(1500)
    time.sleep(0.05)
""")
    program("emitter", """
import socket, time
client = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
while True:
    for _ in range(20):
        client.sendto(b"page.time:320|ms" * 10, ("127.0.0.1", 8125))
    time.sleep(0.02)
""")
    unit("collector", "collector")
    yield
    unit("emitter", "emitter")


@sick(rule="connections_lost", subject="network", names="accept queue full", within=10, last=True)
def does_not_accept():
    """a server does not accept its connections any more"""
    program("shop", """
import socket, time
server = socket.socket()
server.bind(("127.0.0.1", 8080))
server.listen(5)
time.sleep(3600)
""")
    program("browsers", """
import socket, time
kept = []
for _ in range(40):
    client = socket.socket()
    client.setblocking(False)
    client.connect_ex(("127.0.0.1", 8080))
    kept.append(client)
    time.sleep(0.1)
time.sleep(3600)
""")
    unit("shop", "shop")
    yield
    unit("browsers", "browsers")


@sick(rule="group_io", subject=r"restore\b.*", names="vda", within=20, last=True)
def at_io_limit():
    """a service may read 1 MB/s from a disk, and wants more"""
    program("restore", "exec cat /srv/photos/library.raw >/dev/null\n", "/bin/sh")
    unit("restore", "restore", IOReadBandwidthMax="/dev/vda 1M")


@sick(rule="io_wait", subject="disks", names=r"vdb is busiest", within=20, last=True)
def slow_commits():
    """two programs wait for each record that they write to a slow disk"""
    shell("mkdir -p /srv/store; mount /dev/vdb /srv/store")
    program("ledger", COMMITS)
    yield
    for number in range(2):
        unit(f"ledger{number}", f"ledger /srv/store/ledger{number}")


@sick(rule="memory_short", subject="memory", names=r"most: (sorter|joiner)", within=20, right=("swap_full",), samples=60, last=True,
      missed="after a minute, and it names python3 with 8.4 MiB: what the two use is shared memory, which it leaves out")
def two_too_large():
    """two programs use more memory than there is, and swap"""
    shell("fallocate -l 512M /var/tmp/swap; chmod 600 /var/tmp/swap; mkswap -q /var/tmp/swap; swapon /var/tmp/swap")
    program("sorter", USES)
    program("joiner", USES)
    yield
    unit("sorter", "sorter 480")
    unit("joiner", "joiner 480")


@sick(rule="limit_killed", subject=r"box\b.*", names=r"convert \d+", within=10, last=True)
def killed_again_and_again():
    """a supervisor in a group with a memory limit starts what the limit kills, again and again"""
    program("convert", TAKES)
    program("supervise", "while :; do convert 200 0; sleep 1; done\n", "/bin/sh")
    unit("box", "supervise", MemoryMax="48M", OOMPolicy="continue")


@sick(rule="zombies", subject="processes", names="mailman", within=20, last=True)
def forty_zombies():
    """a daemon starts a child for each message, forty of them, and does not wait for them"""
    program("mailman", """
import os, time
for _ in range(40):
    if os.fork() == 0:
        os._exit(0)
    time.sleep(0.05)
time.sleep(3600)
""")
    unit("mailman", "mailman")


@sick(rule="failing_command", subject=r"fetch-mail \(poll\)", names="code 2", within=10, last=True)
def script_tries_forever():
    """a script starts each second a program that cannot do its work"""
    program("fetch-mail", "[ -e /nothing ] || exit 2\n", "/bin/sh")
    program("poll", "while :; do fetch-mail; sleep 1; done\n", "/bin/sh")
    unit("poll", "poll")


@calm(samples=40, last=True)
def make_of_small_files():
    """make -j2 compiles many small files"""
    shell("mkdir -p /tmp/small; cd /tmp/small; for i in $(seq 200); do printf '#include <stdio.h>\\nint f%d(void) { return puts(\"x\"); }\\n' $i >f$i.c; done;"
          "printf 'all: $(patsubst %%.c,%%.o,$(wildcard *.c))\\n' >Makefile")
    yield
    unit("small", "make -s -j2 -C /tmp/small")


@calm(samples=40, last=True)
def nice_xz():
    """two programs pack files at nice 19"""
    yield
    for number in range(2):
        unit(f"pack{number}", f"nice -n 19 xz -6 -c {PHOTOS} >/dev/null")


@calm(samples=40, last=True)
def find_all():
    """find looks at each file there is, none of them in the cache"""
    shell("sync; echo 3 >/proc/sys/vm/drop_caches")
    yield
    unit("find-all", "find / -xdev -name nothing -size +1G")


@calm(samples=40, last=True)
def idle_reader():
    """a program of the idle class reads a whole disk"""
    yield
    unit("scrub", "nice -n 19 ionice -c3 dd if=/dev/vda of=/dev/null bs=64k status=none")


@calm(samples=40, last=True)
def many_small_files():
    """tar packs many small files, and rm removes them"""
    shell("mkdir -p /var/tmp/mails; cd /var/tmp/mails; seq -f mail%g 5000 | xargs touch; cp -r /usr/share/perl5 .; sync; echo 3 >/proc/sys/vm/drop_caches")
    program("pack", "tar -C /var/tmp -cf /var/tmp/mails.tar mails; rm -r /var/tmp/mails\n", "/bin/sh")
    yield
    unit("pack", "pack")


@calm(samples=40, last=True)
def fork_burst():
    """a script starts two thousand programs, one after the other"""
    program("storm", "for i in $(seq 2000); do /usr/bin/true; done\n", "/bin/sh")
    yield
    unit("storm", "storm")


@calm(last=True)
def short_burst():
    """four programs want two CPUs for five seconds"""
    program("spike", BURNS, "/bin/sh")
    yield
    for number in range(4):
        unit(f"spike{number}", "spike", RuntimeMaxSec="5")


@calm(before=True, last=True)
def small_and_full():
    """an idle machine has a tmpfs of 4 MiB that is full"""
    disk_at("/run/keys", 4)
    shell("dd if=/dev/zero of=/run/keys/all bs=64k status=none || true")


@calm(samples=40, last=True)
def large_copy():
    """a file of 400 MiB is copied, on a machine of 1 GiB"""
    yield
    unit("copy", f"cp {PHOTOS} /srv/copy.raw")


@calm(samples=40, last=True)
def restarts_thrice():
    """a web server is restarted three times"""
    shell("systemctl start nginx")
    program("roll-out", "for i in 1 2 3; do systemctl restart nginx; sleep 4; done\n", "/bin/sh")
    yield
    unit("roll-out", "roll-out")
