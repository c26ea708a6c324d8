# SPDX-License-Identifier: GPL-2.0-or-later
"""Machines with graphics processors, one for each driver.

What each driver prints is as in the kernel's Documentation/gpu/drm-usage-stats.rst and in the driver's own page there.
"""
DRM = "sys/class/drm"
GIB = 1 << 30
MS = 1000000  # ns


def card(tree, number, device, driver, **files):
    folder = f"{DRM}/card{number}"
    tree.link(f"{folder}/device", f"../../../devices/{device}")
    for entry in (f"card{number}", f"renderD{128 + number}"):
        tree.put(f"sys/devices/{device}/drm/{entry}/dev", "226:0")
    tree.link(f"sys/devices/{device}/driver", f"../../bus/pci/drivers/{driver}")
    tree.put(f"sys/devices/{device}/power/runtime_status", "active")
    tree.put_all(f"sys/devices/{device}", **files)


def process(tree, pid, name, parent=1):
    numbers = f"S {parent} {pid} {pid} 0 -1 4194304 100 0 0 0 50 20 0 0 20 0 1 0 {1000 + pid} 9000000 500"
    tree.put(f"proc/{pid}/stat", f"{pid} ({name}) {numbers} 18446744073709551615" + " 0" * 27)
    tree.put(f"proc/{pid}/cmdline", f"/usr/bin/{name}".encode() + b"\0")
    descriptor(tree, pid, 0, "/dev/null", [])


def descriptor(tree, pid, fd, target, lines):
    tree.link(f"proc/{pid}/fd/{fd}", target)
    tree.put(f"proc/{pid}/fdinfo/{fd}", "\n".join(["pos:\t0", "flags:\t02100002", "mnt_id:\t26", "ino:\t685"] + lines))


def client(tree, pid, fd, node, driver, number, device, lines):
    head = [f"drm-driver:\t{driver}", f"drm-client-id:\t{number}"]
    if device:
        head.append(f"drm-pdev:\t{device}")
    descriptor(tree, pid, fd, f"/dev/dri/{node}", head + lines)


def regions(**kib):
    """Each with its total, its shared and its resident part, in KiB."""
    lines = []
    for name, (total, shared, resident) in kib.items():
        for key, size in (("total", total), ("shared", shared), ("active", 0), ("resident", resident), ("purgeable", 0)):
            lines.append(f"drm-{key}-{name}:\t{size} KiB" if size else f"drm-{key}-{name}:\t0")
    return lines


def amdgpu(tree, t):
    """Two of them. The game uses both, and has one client twice; its helper, which it forked, has that client, too."""
    tree.proc(4, t)
    card(tree, 0, "pci0000:00/0000:03:00.0", "amdgpu", gpu_busy_percent=37 + 20 * t, mem_info_vram_used=3 * GIB,
         mem_info_vram_total=16 * GIB, mem_info_gtt_used=256 << 20, mem_info_gtt_total=8 * GIB)
    card(tree, 1, "pci0000:00/0000:0b:00.0", "amdgpu", gpu_busy_percent=4, mem_info_vram_used=GIB, mem_info_vram_total=8 * GIB,
         mem_info_gtt_used=0, mem_info_gtt_total=8 * GIB)
    process(tree, 100, "game")
    process(tree, 101, "helper", 100)
    process(tree, 102, "compositor")
    process(tree, 103, "sleeper")
    first = regions(cpu=(64, 0, 64), gtt=(20480, 0, 20480), vram=(2097152, 8192, 1048576)) + [
        "drm-memory-vram:\t1048576 KiB", "drm-memory-gtt: \t20480 KiB", "drm-memory-cpu: \t64 KiB", "amd-evicted-vram:\t64 KiB",
        f"drm-engine-gfx:\t{50000 * MS + 1000 * MS * t} ns", f"drm-engine-dec:\t{900 * MS + 200 * MS * t} ns"]
    client(tree, 100, 5, "renderD128", "amdgpu", 11, "0000:03:00.0", first)
    client(tree, 100, 6, "renderD128", "amdgpu", 11, "0000:03:00.0", first)
    client(tree, 101, 5, "renderD128", "amdgpu", 11, "0000:03:00.0", first)
    client(tree, 100, 7, "renderD129", "amdgpu", 12, "0000:0b:00.0",
           regions(vram=(4096, 0, 4096)) + [f"drm-engine-compute:\t{700 * MS + 400 * MS * t} ns"])
    # as Linux 5.19 to 6.12 have it, and the time goes back a little
    client(tree, 102, 9, "card0", "amdgpu", 3, "0000:03:00.0",
           ["drm-memory-vram:\t30720 KiB", "drm-memory-gtt: \t1024 KiB", "drm-memory-cpu: \t2048 KiB",
            f"drm-engine-gfx:\t{5000 * MS - 10 * MS * t} ns"])


def i915(tree, t):
    """Two engines for video."""
    tree.proc(4, t)
    card(tree, 0, "pci0000:00/0000:00:02.0", "i915")
    tree.put_all(f"{DRM}/card0", gt_act_freq_mhz=1150, gt_min_freq_mhz=300, gt_max_freq_mhz=1300)
    process(tree, 200, "player")
    process(tree, 201, "browser")
    client(tree, 200, 12, "renderD128", "i915", 39, "0000:00:02.0",
           regions(**{"system0": (6044, 0, 6044), "stolen-system0": (0, 0, 0)}) + [
               f"drm-engine-render:\t{346249 + 300 * MS * t} ns", "drm-engine-copy:\t0 ns",
               f"drm-engine-video:\t{1000 * MS * t} ns", "drm-engine-capacity-video:\t2", "drm-engine-video-enhance:\t0 ns"])
    client(tree, 201, 30, "renderD128", "i915", 40, "0000:00:02.0",
           regions(**{"system0": (77412, 4096, 77412), "stolen-system0": (0, 0, 0)}) + [
               f"drm-engine-render:\t{218989144816 + 100 * MS * t} ns", "drm-engine-copy:\t0 ns", "drm-engine-video:\t0 ns",
               "drm-engine-capacity-video:\t2", "drm-engine-video-enhance:\t0 ns"])


def xe(tree, t):
    """Cycles, of a clock that is read along; four engines for computing."""
    tree.proc(4, t)
    card(tree, 0, "pci0000:00/0000:03:00.0", "xe")
    process(tree, 300, "solver")
    clock = 7655183225 + 38400000 * t
    client(tree, 300, 4, "renderD128", "xe", 3, "0000:03:00.0",
           regions(system=(0, 0, 0), gtt=(192, 0, 192), vram0=(23992, 16384, 23992), stolen=(0, 0, 0)) + [
               f"drm-cycles-rcs:\t{28257900 + 9600000 * t}", f"drm-total-cycles-rcs:\t{clock}",
               "drm-cycles-bcs:\t0", f"drm-total-cycles-bcs:\t{clock}", f"drm-cycles-ccs:\t{115200000 * t}",
               f"drm-total-cycles-ccs:\t{clock}", "drm-engine-capacity-ccs:\t4"])


def nouveau(tree, t):
    """Memory of one kind, and no engines."""
    tree.proc(4, t)
    card(tree, 0, "pci0000:00/0000:01:00.0", "nouveau")
    process(tree, 400, "editor")
    client(tree, 400, 8, "renderD128", "nouveau", 42, "0000:01:00.0", regions(memory=(1835008, 1024, 1835008)))


def msm(tree, t):
    """No PCI device, so that clients are known by their node only."""
    tree.proc(4, t)
    card(tree, 0, "platform/soc/ae00000.display-subsystem", "msm-mdss")
    process(tree, 500, "shell")
    client(tree, 500, 17, "renderD128", "msm", 5, None,
           [f"drm-engine-gpu:\t{412 * MS + 500 * MS * t} ns", f"drm-cycles-gpu:\t{1000 + 270000000 * t}", "drm-maxfreq-gpu:\t800000000 Hz"] +
           regions(memory=(91208, 0, 68448)))


MACHINES = {f"gpu-{make.__name__}": (make, 2) for make in (amdgpu, i915, xe, nouveau, msm)}
