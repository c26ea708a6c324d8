/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The rules, the most important first. Limits of pressure are those of the examples in the kernel's
 * Documentation/accounting/psi.rst and of oomd.conf(5).
 */
#include <config.h>

#include "topic/finding/finding_rules.h"

#include <math.h>
#include <string.h>

#include "core/i18n.h"

#define RATIO(name, share, meaning)                                                                          \
	{                                                                                                    \
		.setting = (name), .help = (meaning), .unit = UNIT_RATIO, .number = (share)                  \
	}
#define COUNT(name, count, meaning)                                                                          \
	{                                                                                                    \
		.setting = (name), .help = (meaning), .unit = UNIT_COUNT, .number = (count)                  \
	}
#define SECONDS(name, seconds, meaning)                                                                      \
	{                                                                                                    \
		.setting = (name), .help = (meaning), .unit = UNIT_SECONDS, .number = (seconds)              \
	}

/* Of the parent of most zombies. A process that has just adopted them may still reap them. */
#define PARENT_OF_MOST(place, column_name)                                                                   \
	{                                                                                                    \
		.name = (place), .topic = "process", .most = "ppid", .with = "Z", .with_column = "state",    \
		.column = (column_name), .most_seconds = 5                                                   \
	}

#define IN_CONTAINER "system.container_cpus"

/*
 * Linux 5.0 to 6.9 count a whole tick of busy time for a short request, which is no longer than its time in
 * the queue. A request that has not ended is not in that: with less than 100 a second, ticks of 10 ms do not
 * add up to the share.
 */
#define REALLY_BUSY(share, until, ...)                                                                       \
	{ .name = "queue", .column = "queue_seconds", .window_seconds = 10, .per_second = true,              \
	  .at_least = { .number = (share) }, .keeps = (until), .or_unknown = true, .or_next = true,          \
	  __VA_ARGS__ },                                                                                     \
	{                                                                                                    \
		.name = "requests", .column = "submissions", .window_seconds = 10, .per_second = true,       \
		.at_least = { .number = 100 * (share) }, .at_most = true, __VA_ARGS__                        \
	}

/* Some groups live for a moment. */
#define GROUP_LEAST_SECONDS 5

/* Time of the hypervisor, of interrupts and of hidden processes counts for none that is seen. */
static const struct culprit_kind cpu_users = {
	.is_rate = true, .least_share = 0.2,
	.sources = { { .topic = "process", .name = "name", .used = "cpu_ratio", .id = "pid" },
		     { .topic = "exited", .name = "command", .used = "cpu_ratio" } },
	.whole = { .topic = "cpu", .row = "all", .columns = { "busy_ratio" }, .times_topic = "system",
		   .times = "cpus" },
};

/* What a process reads and writes may be of a child that has ended. */
static const struct culprit_kind disk_users = {
	.is_rate = true, .least_share = 0.2, .unit = UNIT_BYTES,
	.sources = { { .topic = "process", .name = "name", .used = "disk_bytes_per_second", .id = "pid",
		       .unless = "children_faults_per_second" },
		     { .topic = "exited", .name = "command", .used = "disk_bytes_per_second" } },
	.whole = { .topic = "disk", .row = "all",
		   .columns = { "read_bytes_per_second", "write_bytes_per_second" } },
};

/* A shared page would count once for each. Huge pages, tmpfs and the kernel's own count for no process. */
static const struct culprit_kind memory_users = {
	.least_share = 0.3, .unit = UNIT_BYTES,
	.sources = { { .topic = "process", .name = "name", .used = "resident_bytes", .id = "pid",
		       .less = "shared_bytes" } },
	.whole = { .topic = "memory", .row = "available", .columns = { "used_bytes" } },
};

/* A file system that has something to lose: 64 MiB, or of unknown size. */
#define CAN_FILL "not mode == ro, not total_bytes < 67108864"

/* Their exit code is an answer, by their man pages. */
static const char *const answers[] = {
	/* whether something is so */
	"[", "cmp", "diff", "dpkg-query", "dpkg-split", "egrep", "expr", "fgrep", "getent", "grep",
	"ischroot", "mountpoint", "test", "tty",
	/* whether there is one */
	"pgrep", "pidof", "pkill", "readlink", "which",
	/* whether there was one to remove: of tmux and others, for each terminal that closes */
	"utempter",
	/* how another one ended */
	"env", "flock", "nice", "nohup", "setsid", "sudo", "timeout", "xargs",
	/* one of these, where they ended too soon for their arguments to be known; git push is none */
	"git", "git cat-file", "git check-ignore", "git config", "git diff", "git diff-files",
	"git diff-index", "git grep", "git ls-files", "git merge-base", "git rev-parse", "git show-ref",
	"git symbolic-ref", "systemctl", "systemctl is-active", "systemctl is-enabled",
	"systemctl is-failed", "systemctl is-system-running", "systemctl status",
	/* rows that are not one command */
	"(no record)", "(others)", NULL,
};

#define OUT_OF_MEMORY N_("OOM kills[ within {window}: {kills}][; last: {killed}].")

/* Of a group at its memory limit. */
#define LIMIT_KILLED                                                                                         \
	N_("OOM kills at its memory limit[ of {limit}][ within {window}: {kills}][; last: {killed}].")
#define LIMIT_KILLS COUNT("limit_killed_kills", 1, N_("processes killed within 5 min"))

const struct finding_rule finding_rules[] = {
	{ .name = "out_of_memory", .topic = "kill", .subject = N_("memory"), .severity = FINDING_CRITICAL,
	  .age = FINDING_RECURS, .text = OUT_OF_MEMORY,
	  .help = N_("The OOM killer killed a process, and not because a group was at its limit, by the "
		     "kernel's log, also before the first sample; 30 s after the last one it is shown as "
		     "earlier."),
	  .pane = "memory", .of_host = IN_CONTAINER,
	  .values = { { .name = "ago", .topic = "kill", .row = "/", .column = "age_seconds", .at_most = true,
			.at_least = SECONDS("out_of_memory_seconds", 3600, N_("time since the last one")) },
		      { .name = "began", .topic = "kill", .row = "/", .column = "series_seconds" },
		      { .name = "kills", .topic = "kill", .row = "/", .column = "kills" },
		      { .name = "window", .topic = "kill", .row = "/", .column = "counted_seconds" },
		      { .name = "killed", .topic = "kill", .row = "/", .column = "killed" } } },
	/* Where the log may not be read. */
	{ .name = "out_of_memory", .topic = "reclaim", .subject = N_("memory"), .age = FINDING_COUNTS,
	  .severity = FINDING_CRITICAL, .text = OUT_OF_MEMORY,
	  .help = N_("Without the log: the kernel counted a kill in the last 30 s that was at no group's "
		     "limit."),
	  .pane = "memory", .of_host = IN_CONTAINER,
	  .values = { { .name = "kills", .topic = "reclaim", .row = "oom_kill", .column = "total",
			.less_topic = "group", .less_row = "/", .less = "all_limit_oom_kills",
			.window_seconds = 30,
			.at_least = COUNT("out_of_memory_kills", 1, N_("processes killed within 30 s")) },
		      { .name = "stalls", .topic = "reclaim", .row = "allocstall", .column = "total",
			.window_seconds = 30,
			.at_least = COUNT("out_of_memory_stalls", 1,
					  N_("allocations that had to reclaim memory of the machine "
					     "themselves; limits of groups cause none")) },
		      { .name = "logged", .topic = "kill", .column = "path", .with = "/",
			.or_unknown = true, .at_least = { .number = INFINITY } } } },
	{ .name = "limit_killed", .topic = "kill", .key = "path", .called = "name", .of_group = true,
	  .severity = FINDING_WARNING, .age = FINDING_RECURS, .text = LIMIT_KILLED,
	  .help = N_("Processes were killed because memory of a group was at its limit, by the kernel's log, "
		     "or, without their names, by what groups counted since the first sample; 30 s after the "
		     "last one it is shown as earlier, and its time is that of the first of those that "
		     "followed one another within 30 s."),
	  .pane = "groups", .of_host = IN_CONTAINER, .view = "killed", .when = "path != /",
	  .values = { { .name = "ago", .column = "age_seconds", .at_most = true,
			.at_least = SECONDS("limit_killed_seconds", 300, N_("time since the last one")) },
		      { .name = "began", .column = "series_seconds" },
		      { .name = "kills", .column = "kills", .or_unknown = true, .at_least = LIMIT_KILLS },
		      { .name = "window", .column = "counted_seconds" },
		      { .name = "limit", .column = "limit_bytes" },
		      { .name = "killed", .column = "killed" } } },
	/* What the log has not: it may not be read, or has lost lines; a container has paths of its own. */
	{ .name = "limit_killed", .topic = "group", .key = "path", .called = "name", .age = FINDING_COUNTS,
	  .severity = FINDING_WARNING, .yields_to = { "limit_killed" }, .text = LIMIT_KILLED,
	  .help = N_("The same, by what groups counted."),
	  .pane = "groups", .view = "limits",
	  .values = { { .name = "recent", .column = "limit_oom_kills", .window_seconds = 30,
			.at_least = { .number = 1 } },
		      { .name = "kills", .column = "limit_oom_kills", .window_seconds = 300,
			.at_least = LIMIT_KILLS },
		      { .name = "limit", .column = "memory_limit_bytes" } } },
	{ .name = "group_refaults", .topic = "group", .key = "path", .called = "name",
	  .severity = FINDING_WARNING, .yields_to = { "limit_killed" },
	  .least_seconds = GROUP_LEAST_SECONDS,
	  .text = N_("At its memory limit of {limit}; {refaults} pages/s evicted and read back in {window}[; "
		     "tasks wait {waits} of it]."),
	  .help = N_("A group is at its memory limit, and what was evicted there is needed again."),
	  .pane = "groups", .view = "limits", .when = "memory_limit_bytes > 0",
	  .hold = SECONDS("group_refaults_seconds", 0, N_("for this time, besides the 10 s of the numbers")),
	  .values = { { .name = "refaults", .column = "refaults", .window_seconds = 10, .per_second = true,
			.at_least = COUNT("group_refaults_rate", 100, N_("refaults per second")) },
		      { .name = "used", .column = "memory_bytes", .over = "memory_limit_bytes",
			.at_least = RATIO("group_refaults_used", 0.95,
					  N_("share of its limit in use, page cache included")) },
		      { .name = "limit", .column = "memory_limit_bytes" },
		      { .name = "waits", .column = "memory_stalled_seconds", .window_seconds = 10,
			.per_second = true } } },
	{ .name = "memory_short", .topic = "pressure", .subject = N_("memory"), .severity = FINDING_WARNING,
	  .yields_to = { "out_of_memory" },
	  .text = N_("Tasks wait for memory {stalled} of 10 s[; {refaults} pages/s evicted and read back][, "
		     "{swapped} from swap][; most: {who}, {use}]."),
	  .culprit = &memory_users,
	  .help = N_("Tasks wait for memory, the machine reclaims it, and not just a group at its limit, "
		     "less than half is available, and what was evicted is needed again, as far as that is "
		     "known."),
	  .pane = "memory", .view = "paging", .of_host = IN_CONTAINER,
	  .values = { { .name = "stalled", .topic = "pressure", .row = "memory", .other = "some",
			.column = "avg10_ratio",
			.at_least = RATIO("memory_stalled", 0.15,
					  N_("share of 10 s in which some task waited for memory; the memory "
					     "pane is BAD from here on, too")),
			.keeps = 0.12, .critical = 0.6 },
		      { .name = "refaults", .topic = "paging", .column = "refaults_per_second",
			.at_least = COUNT("memory_refaults", 10, N_("refaults per second")), .or_next = true,
			.or_unknown = true },
		      { .name = "swapped", .topic = "paging", .column = "swap_ins_per_second",
			.at_least = COUNT("memory_swapped", 10, N_("pages per second from swap")) },
		      { .name = "scanned", .topic = "paging", .column = "scans", .window_seconds = 10,
			.or_unknown = true,
			.at_least = COUNT("memory_scanned", 1,
					  N_("pages scanned for reclaim within 10 s; reclaim of a group at "
					     "its limit does not count")) },
		      { .name = "available", .topic = "memory", .row = "available", .column = "free_bytes",
			.over_topic = "memory", .over_row = "mem", .over = "total_bytes", .at_most = true,
			.or_unknown = true,
			.at_least = RATIO("memory_available", 0.5,
					  N_("share of memory that is available, at most")) } } },
	{ .name = "stuck", .topic = "stuck", .key = "process", .age = FINDING_LASTS,
	  .severity = FINDING_WARNING,
	  .text = N_("PID {pid} stuck in uninterruptible sleep (D) for {time}[; thread {thread}][; in "
		     "{call}][, {function}][, {path}]."),
	  .help = N_("A task waits long in the kernel for a device or server that is slow or does not "
		     "answer, or for writes before its fsync(2), and no signal ends that; not in a frozen "
		     "group, nor for a child of vfork(2)."),
	  .pane = "cpu", .view = "stuck",
	  .when = "not frozen, not function == kernel_clone|_do_fork|do_fork|wait_for_vfork_done",
	  .values = { { .name = "time", .column = "stuck_seconds",
			.at_least = SECONDS("stuck_seconds", 10, N_("time in one sleep")) },
		      { .name = "pid", .column = "pid" },
		      { .name = "thread", .column = "thread" },
		      { .name = "call", .column = "call" },
		      { .name = "function", .column = "function" },
		      { .name = "path", .column = "path" } } },
	/* some threads of the kernel are always so */
	{ .name = "stuck_process", .topic = "process", .key = "name", .stands_for = "stuck",
	  .yields_to = { "stuck" }, .severity = FINDING_WARNING,
	  .text = N_("Process {pid} is stuck in uninterruptible sleep (D)."),
	  .help = N_("The same where the topic stuck has no row of it, as in older recordings: a process "
		     "waits in the kernel, and uses neither CPU nor disk meanwhile."),
	  .pane = "cpu", .when = "state == D, ppid != 2",
	  .hold = SECONDS("stuck_process_seconds", 10, N_("for this time")),
	  .values = { { .name = "used", .column = "cpu_seconds", .window_seconds = 10, .at_most = true,
			.at_least = SECONDS("stuck_cpu", 0, N_("CPU time within 10 s, at most")) },
		      { .name = "moved", .column = "disk_bytes", .window_seconds = 10, .at_most = true,
			.or_unknown = true,
			.at_least = COUNT("stuck_bytes", 0,
					  N_("bytes from and to disks within 10 s, at most")) },
		      { .name = "pid", .column = "pid" } } },
	{ .name = "memory_limit", .topic = "memory_limit", .key = "cgroup", .of_group = true,
	  .severity = FINDING_WARNING,
	  .text = N_("{used} of its memory limit of {limit} used; hardly any of it cache."),
	  .help = N_("A group above panetop's own is at its memory limit, without caches to drop."),
	  .pane = "memory",
	  .values = { { .name = "used", .column = "used_bytes", .over = "limit_bytes",
			.at_least = RATIO("memory_limit_used", 0.95, N_("share of the limit in use")) },
		      { .name = "caches", .column = "caches_bytes", .over = "limit_bytes", .at_most = true,
			.at_least = RATIO("memory_limit_caches", 0.05,
					  N_("caches, as a share of the limit")) },
		      { .name = "limit", .column = "limit_bytes" } } },
	{ .name = "group_memory", .topic = "group", .key = "path", .called = "name",
	  .severity = FINDING_WARNING, .yields_to = { "group_refaults", "limit_killed", "memory_limit" },
	  .text = N_("{used} of its memory limit of {limit} used; caches not counted."),
	  .help = N_("A group is at its memory limit."),
	  .pane = "groups", .view = "limits",
	  .values = { { .name = "used", .column = "memory_limit_used_ratio",
			.at_least = RATIO("group_memory_used", 0.95, N_("share of its limit in use")) },
		      { .name = "limit", .column = "memory_limit_bytes" } } },
	{ .name = "swap_full", .topic = "memory", .subject = N_("swap"), .severity = FINDING_WARNING,
	  .text = N_("Swap {used} full, and tasks wait for memory {stalled} of 10 s."),
	  .help = N_("Swap is nearly full while tasks wait for memory."),
	  .pane = "memory", .of_host = IN_CONTAINER,
	  .values = { { .name = "used", .topic = "memory", .row = "swap", .column = "used_bytes",
			.over = "total_bytes",
			.at_least = RATIO("swap_used", 0.9, N_("share of swap in use")) },
		      { .name = "stalled", .topic = "pressure", .row = "memory", .other = "some",
			.column = "avg10_ratio",
			.at_least = RATIO("swap_stalled", 0.01,
					  N_("share of 10 s in which some task waited for memory")) } } },
	{ .name = "zram_full", .topic = "swap", .key = "device", .severity = FINDING_NOTE,
	  .yields_to = { "swap_full" },
	  .text = N_("Swap {used} full[: {stored} compressed to {memory}][; {limited} of its limit]."),
	  .help = N_("Compressed swap (zram) takes hardly any more: what is swapped out next goes to slower "
		     "swap, or stays in memory where there is none."),
	  .pane = "memory", .view = "swap", .of_host = IN_CONTAINER, .when = "kind == zram",
	  .hold = SECONDS("zram_full_seconds", 10, N_("for this time")),
	  .values = { { .name = "used", .column = "used_bytes", .over = "size_bytes",
			.at_least = RATIO("zram_full_used", 0.95, N_("share of its size in use")),
			.or_next = true },
		      { .name = "limited", .column = "memory_bytes", .over = "memory_limit_bytes",
			.at_least = RATIO("zram_full_memory", 0.95,
					  N_("memory that it takes, as a share of the most it may take")) },
		      { .name = "stored", .column = "stored_bytes" },
		      { .name = "memory", .column = "memory_bytes" } } },
	{ .name = "disk_failing", .topic = "disk_health", .key = "device", .severity = FINDING_WARNING,
	  .text = N_("Failing[: {reason}][; wear {wear}][; {spare} of the spare blocks left][; errors: "
		     "{errors}]."),
	  .help = N_("A disk calls itself failing (SMART), or warns of more than its temperature. Seen while "
		     "the topic disk_health is shown or recorded."),
	  .pane = "disks", .view = "health", .of_host = IN_CONTAINER, .when = "state == failing",
	  .with = "disk_health",
	  .values = { { .name = "reason", .column = "reason" },
		      { .name = "wear", .column = "wear_ratio" },
		      { .name = "spare", .column = "spare_ratio" },
		      { .name = "errors", .column = "media_errors" } } },
	{ .name = "disk_full", .topic = "filesystem", .key = "mount", .severity = FINDING_WARNING,
	  .text = N_("File system {used} full, {left} left."),
	  .help = N_("A file system that can be written to is nearly full."),
	  .pane = "disks", .view = "filesystems", .when = CAN_FILL,
	  .values = { { .name = "used", .column = "used_ratio",
			.at_least = RATIO("disk_full_used", 0.95, N_("share in use, as df shows it")),
			.critical = 0.99 },
		      { .name = "left", .column = "available_bytes" } } },
	{ .name = "inodes_full", .topic = "filesystem", .key = "mount", .severity = FINDING_WARNING,
	  .text = N_("{used} of the inodes in use: {files} of {most} files."),
	  .help = N_("A file system can hardly take more files."),
	  .pane = "disks", .view = "filesystems", .when = "not mode == ro",
	  .values = { { .name = "used", .column = "inodes_used_ratio",
			.at_least = RATIO("inodes_full_used", 0.95, N_("share of the inodes in use")),
			.critical = 0.99 },
		      { .name = "files", .column = "inodes_used" },
		      { .name = "most", .column = "inodes_total" } } },
	{ .name = "disk_filling", .topic = "filesystem", .key = "mount", .severity = FINDING_WARNING,
	  .yields_to = { "disk_full" },
	  .text = N_("File system {used} full, grows by {growth}/s: full in {time}."),
	  .help = N_("A file system grows steadily and will soon be full."),
	  .pane = "disks", .view = "filesystems", .when = CAN_FILL,
	  .values = { { .name = "time", .column = "full_in_seconds", .at_most = true,
			.at_least = SECONDS("disk_filling_seconds", 3600, N_("time until it is full")) },
		      { .name = "used", .column = "used_ratio",
			.at_least = RATIO("disk_filling_used", 0.8, N_("share in use")) },
		      { .name = "growth", .column = "growth_bytes_per_second" } } },
	{ .name = "heat", .topic = "throttle", .key = "cpu", .subject = N_("CPU"), .age = FINDING_COUNTS,
	  .severity = FINDING_WARNING,
	  .text = N_("Throttled for heat in {window}: core {core} times, package {package}."),
	  .help = N_("A CPU runs slower because it is too hot."),
	  .pane = "power", .view = "sensors", .of_host = IN_CONTAINER,
	  .values = { { .name = "core", .column = "core_throttles", .window_seconds = 10,
			.at_least = COUNT("heat_core", 1, N_("throttle events of a core within 10 s")),
			.or_next = true },
		      { .name = "package", .column = "package_throttles", .window_seconds = 10,
			.at_least = COUNT("heat_package", 1,
					  N_("throttle events of a package within 10 s")) } } },
	{ .name = "hot", .topic = "temperature", .key = "sensor", .called = "label", .severity = FINDING_NOTE,
	  .text = N_("{celsius:C}, {share} of its critical temperature of {critical:C}."),
	  .help = N_("A sensor is near the temperature at which the machine shuts down."),
	  .pane = "power", .view = "sensors", .of_host = IN_CONTAINER, .when = "critical_celsius > 0",
	  .values = { { .name = "share", .column = "celsius", .over = "critical_celsius",
			.at_least = RATIO("hot_share", 0.95, N_("share of the critical temperature")),
			.keeps = 0.93, .critical = 1 },
		      { .name = "celsius", .column = "celsius" },
		      { .name = "critical", .column = "critical_celsius" } } },
	{ .name = "cpu_limit", .topic = "cpu_limit", .key = "cgroup", .of_group = true, .age = FINDING_COUNTS,
	  .severity = FINDING_WARNING,
	  .text = N_("CPU quota {limit:0.2}: throttled in {throttled} of periods in {window}."),
	  .help = N_("A group above panetop's own is at its CPU quota."),
	  .pane = "cpu",
	  .values = { { .name = "throttled", .column = "throttled_periods", .over = "periods",
			.window_seconds = 10,
			.at_least = RATIO("cpu_limit_throttled", 0.25,
					  N_("share of the periods in which it was throttled")),
			.keeps = 0.2 },
		      { .name = "limit", .column = "limit_ratio" } } },
	{ .name = "group_cpu", .topic = "group", .key = "path", .called = "name", .age = FINDING_COUNTS,
	  .severity = FINDING_WARNING, .yields_to = { "cpu_limit" },
	  .least_seconds = GROUP_LEAST_SECONDS,
	  .text = N_("CPU quota {limit:0.2}: throttled in {throttled} of periods in {window}."),
	  .help = N_("A group is at its CPU quota."),
	  .pane = "groups", .view = "limits",
	  .values = { { .name = "throttled", .column = "throttled_periods", .over = "periods",
			.window_seconds = 10,
			.at_least = RATIO("group_cpu_throttled", 0.25,
					  N_("share of the periods in which it was throttled")),
			.keeps = 0.2 },
		      { .name = "limit", .column = "cpu_limit_ratio" } } },
	{ .name = "group_io", .topic = "group", .key = "path", .called = "name", .severity = FINDING_WARNING,
	  .least_seconds = GROUP_LEAST_SECONDS,
	  .text = N_("I/O of {device} at the limit[ of {bytes}/s][ of {requests} requests/s][; tasks wait "
		     "{waits} of {window}][; waiting now: {waiting}]."),
	  .help = N_("A group is at its limit of I/O, and its tasks wait: as its pressure has it, or where "
		     "that is not known, as its tasks are seen."),
	  .pane = "groups", .view = "limits",
	  .values = { { .name = "used", .column = "io_limit_seconds", .window_seconds = 10,
			.per_second = true,
			.at_least = RATIO("group_io_used", 0.9,
					  N_("share of 10 s in which a limit was in use")),
			.keeps = 0.8 },
		      { .name = "waits", .column = "io_stalled_seconds", .window_seconds = 10,
			.per_second = true,
			.at_least = RATIO("group_io_waits", 0.1, N_("share of 10 s in which tasks waited")),
			.keeps = 0.08, .or_next = true },
		      { .name = "waiting", .column = "io_waiting_tasks",
			.at_least = COUNT("group_io_waiting", 1,
					  N_("tasks that wait, where the pressure of the group is not "
					     "known")) },
		      { .name = "bytes", .column = "io_limit_bytes_per_second" },
		      { .name = "requests", .column = "io_limit_requests_per_second" },
		      { .name = "device", .column = "io_limit_device" } } },
	{ .name = "io_wait", .topic = "pressure", .subject = N_("disks"), .severity = FINDING_WARNING,
	  .text = N_("I/O stall {stalled} of 10 s[; most: {who}][, {use}/s][; {disk} is busiest]."),
	  .culprit = &disk_users,
	  .help = N_("Nothing runs because all tasks wait for disks, more than one does, and a disk is busy: "
		     "what waits for something else, such as io_uring for a timeout, counts as pressure, "
		     "too."),
	  .pane = "disks", .of_host = IN_CONTAINER,
	  .values = { { .name = "stalled", .topic = "pressure", .row = "io", .other = "full",
			.column = "avg10_ratio",
			.at_least = RATIO("io_stalled", 0.2,
					  N_("share of 10 s in which all tasks waited for disks at once")),
			.keeps = 0.16 },
		      { .name = "blocked", .topic = "system", .column = "blocked", .window_seconds = 10,
			.mean = true,
			.at_least = COUNT("io_blocked", 1.5,
					  N_("threads that wait for a disk, mean of 10 s: one reader alone "
					     "keeps no other waiting")),
			.keeps = 1.2 },
		      { .name = "busy", .topic = "disk", .row = "all", .column = "busy_seconds",
			.window_seconds = 10, .per_second = true,
			.at_least = RATIO("io_busy", 0.2, N_("share of 10 s in which a disk was busy")),
			.keeps = 0.15 },
		      REALLY_BUSY(0.2, 0.15, .topic = "disk", .row = "all"),
		      { .name = "disk", .topic = "disk", .most = "busy_ratio", .most_least = 0.2,
			.column = "device" } } },
	{ .name = "datagrams_lost", .topic = "packet_loss", .subject = N_("network"), .age = FINDING_COUNTS,
	  .severity = FINDING_WARNING,
	  .text = N_("{lost} UDP datagrams lost in {window}: receive buffers full."),
	  .help = N_("Programs do not read their UDP sockets fast enough."),
	  .pane = "network", .view = "losses",
	  .values = { { .name = "lost", .topic = "packet_loss", .row = "udp", .other = "receive buffer full",
			.column = "lost", .window_seconds = 10,
			.at_least = COUNT("datagrams_lost_number", 100, N_("datagrams within 10 s")) } } },
	{ .name = "connections_lost", .topic = "packet_loss", .subject = N_("network"), .age = FINDING_COUNTS,
	  .severity = FINDING_WARNING,
	  .text = N_("{lost} connection requests dropped in {window}[; accept queue full: {accepts}][; "
		     "request queue full: {requests}]."),
	  .help = N_("Listening sockets drop requests: mostly as programs do not accept their connections "
		     "fast enough."),
	  .pane = "network", .view = "losses",
	  .values = { { .name = "lost", .topic = "packet_loss", .row = "tcp",
			.other = "connection requests dropped", .column = "lost", .window_seconds = 10,
			.at_least = COUNT("connections_lost_number", 10, N_("requests within 10 s")) },
		      { .name = "accepts", .topic = "packet_loss", .row = "tcp",
			.other = "of them: accept queue full", .column = "lost", .window_seconds = 10,
			.above_zero = true },
		      { .name = "requests", .topic = "packet_loss", .row = "tcp",
			.other = "of them: request queue full", .column = "lost", .window_seconds = 10,
			.above_zero = true } } },
	{ .name = "stolen_time", .topic = "cpu", .subject = N_("CPU"), .severity = FINDING_WARNING,
	  .text = N_("The hypervisor took the CPUs {stolen} of {window}."),
	  .help = N_("The host does not give this virtual machine its CPUs."),
	  .pane = "cpu", .of_host = IN_CONTAINER, .hold = SECONDS("stolen_seconds", 10, N_("for this time")),
	  .values = { { .name = "stolen", .topic = "cpu", .row = "all", .column = "steal_seconds",
			.over = "total_seconds", .window_seconds = 10,
			.at_least = RATIO("stolen_ratio", 0.1, N_("share of the time of all CPUs")),
			.keeps = 0.08 } } },
	{ .name = "kernel_growth", .topic = "meminfo", .subject = N_("memory"), .severity = FINDING_WARNING,
	  .text = N_("Unreclaimable slab grew by {grown} in {window}, {share} of memory."),
	  .help = N_("Slab that cannot be reclaimed grows."),
	  .pane = "memory", .view = "meminfo", .of_host = IN_CONTAINER,
	  .values = { { .name = "share", .topic = "meminfo", .row = "SUnreclaim", .column = "value_bytes",
			.over_topic = "memory", .over_row = "mem", .over = "total_bytes",
			.window_seconds = 300,
			.at_least = RATIO("kernel_growth_share", 0.02,
					  N_("growth within 5 min, as a share of all memory")) },
		      { .name = "grown", .topic = "meminfo", .row = "SUnreclaim", .column = "value_bytes",
			.window_seconds = 300 } } },
	{ .name = "battery_low", .topic = "battery", .key = "battery", .severity = FINDING_WARNING,
	  .text = N_("{charge} left[; empty in {left} at the present power]."),
	  .help = N_("A battery discharges and is nearly empty."),
	  .pane = "power", .of_host = IN_CONTAINER,
	  .when = "not status == Charging|Full|Not charging|Unknown",
	  .values = { { .name = "charge", .column = "charge_ratio", .at_most = true,
			.at_least = RATIO("battery_charge", 0.1, N_("charge that is left")),
			.critical = 0.05, .critical_in_all = true },
		      { .name = "left", .column = "remaining_seconds" } } },
	{ .name = "run_queue", .topic = "pressure", .subject = N_("CPU"), .severity = FINDING_NOTE,
	  .text = N_("Overloaded[: {who}, {use:cpus} CPUs]; tasks wait {stalled} of 10 s."),
	  .culprit = &cpu_users,
	  .help = N_("More tasks want to run than there are CPUs."),
	  .pane = "cpu", .of_host = IN_CONTAINER,
	  .hold = SECONDS("run_queue_seconds", 0, N_("for this time, besides the 10 s of both numbers")),
	  .values = { { .name = "stalled", .topic = "pressure", .row = "cpu", .other = "some",
			.column = "avg10_ratio",
			.at_least = RATIO("run_queue_stalled", 0.5,
					  N_("share of 10 s in which some task waited for a CPU")),
			.keeps = 0.45 },
		      { .name = "running", .topic = "system", .column = "running", .over = "cpus",
			.window_seconds = 10, .mean = true,
			.at_least = COUNT("run_queue_load", 1.5,
					  N_("threads that run or wait for a CPU, for each CPU, mean of 10 "
					     "s")),
			.keeps = 1.35 } } },
	{ .name = "cpu_busy", .topic = "cpu", .subject = N_("CPU"), .severity = FINDING_NOTE,
	  .yields_to = { "run_queue" },
	  .text = N_("{busy} busy in {window}[: {who}, {use:cpus} CPUs]."),
	  .culprit = &cpu_users,
	  .help = N_("All CPUs are in full use, which by itself harms nothing."),
	  .pane = "cpu", .of_host = IN_CONTAINER,
	  .values = { { .name = "busy", .topic = "cpu", .row = "all", .column = "busy_seconds",
			.over = "total_seconds", .window_seconds = 10,
			.at_least = RATIO("cpu_busy_ratio", 0.9, N_("share of 10 s of all CPUs")),
			.keeps = 0.85 } } },
	{ .name = "memory_busy", .topic = "memory", .subject = N_("memory"), .severity = FINDING_NOTE,
	  .yields_to = { "memory_short", "out_of_memory" },
	  .text = N_("{used} of {all} available: {available}[; most: {who}, {use}]."),
	  .culprit = &memory_users,
	  .help = N_("Hardly any memory is available, which by itself harms nothing."),
	  .pane = "memory", .of_host = IN_CONTAINER,
	  .values = { { .name = "used", .topic = "memory", .row = "available", .column = "free_bytes",
			.over_topic = "memory", .over_row = "mem", .over = "total_bytes", .at_most = true,
			.at_least = RATIO("memory_busy_ratio", 0.1, N_("share of memory that is available")),
			.keeps = 0.12 },
		      { .name = "available", .topic = "memory", .row = "available", .column = "free_bytes" },
		      { .name = "all", .topic = "memory", .row = "mem", .column = "total_bytes" } } },
	{ .name = "disk_busy", .topic = "disk", .key = "device", .severity = FINDING_NOTE,
	  .yields_to = { "io_wait" },
	  .text = N_("[{kind}, ]{busy} busy in {window}[; most I/O: {who}][, {use}/s]."),
	  .culprit = &disk_users,
	  .help = N_("A disk always has a request in flight, which by itself harms nothing."),
	  .pane = "disks", .of_host = IN_CONTAINER,
	  .values = { { .name = "busy", .column = "busy_seconds", .window_seconds = 10, .per_second = true,
			.at_least = RATIO("disk_busy_ratio", 0.9,
					  N_("share of 10 s with a request in flight")),
			.keeps = 0.85 },
		      REALLY_BUSY(0.85, 0.8, .topic = NULL),
		      { .name = "kind", .column = "kind" } } },
	{ .name = "disk_worn", .topic = "disk_health", .key = "device", .severity = FINDING_NOTE,
	  .text = N_("Worn[: {reason}][; wear {wear}][; {spare} of the spare blocks left]."),
	  .help = N_("Of a disk 90 % of its rated endurance is used, or few of its spare blocks are left by "
		     "its own limit; it works. Seen while the topic disk_health is shown or recorded."),
	  .pane = "disks", .view = "health", .of_host = IN_CONTAINER, .when = "state == worn",
	  .with = "disk_health",
	  .values = { { .name = "reason", .column = "reason" },
		      { .name = "wear", .column = "wear_ratio" },
		      { .name = "spare", .column = "spare_ratio" } } },
	{ .name = "link_busy", .topic = "interface", .key = "name", .severity = FINDING_NOTE,
	  .text = N_("Link {used} in use in {window}, of {speed}."),
	  .help = N_("A network link is in full use, which by itself harms nothing."),
	  .pane = "network", .when = "speed_bits > 0",
	  .values = { { .name = "used", .column = "used_bits", .over = "capacity_bits", .window_seconds = 10,
			.at_least = RATIO("link_busy_ratio", 0.9,
					  N_("share of what the link can move in 10 s")),
			.keeps = 0.85 },
		      { .name = "speed", .column = "speed_bits" } } },
	{ .name = "failing_command", .topic = "failing", .key = "command", .called = "what",
	  .age = FINDING_COUNTS, .severity = FINDING_NOTE, .from_window = true,
	  .text = N_("Failed {failures} times in {window}, {share} of its exits[; last: {last}][; started by "
		     "process {pid}][; started by {parents} processes {parent}]."),
	  .help = N_("A command that the same program starts exits with a failure again and again, and "
		     "hardly ever succeeds. Ends by signals of other processes are no failures, and commands "
		     "whose exit code is an answer are silent."),
	  .pane = "cpu", .view = "failing", .unless_column = "command", .unless = answers,
	  .unless_setting = "answers",
	  .values = { { .name = "failures", .column = "failures", .window_seconds = 30,
			.at_least = COUNT("failing_failures", 5, N_("failures within 30 s")), .keeps = 4 },
		      { .name = "share", .column = "failures", .over = "exits", .window_seconds = 30,
			.at_least = RATIO("failing_share", 0.9, N_("share of its exits that failed")),
			.keeps = 0.8 },
		      { .name = "recent", .column = "failures", .window_seconds = 15,
			.at_least = COUNT("failing_recent", 1, N_("failures within 15 s")) },
		      { .name = "last", .column = "ended" },
		      { .name = "pid", .column = "parent_pid" },
		      { .name = "parents", .column = "parents" },
		      { .name = "parent", .column = "parent" } } },
	{ .name = "lock_convoy", .topic = "convoy", .key = "process", .age = FINDING_SEEN,
	  .severity = FINDING_NOTE,
	  .text = N_("{waiting}[ of {looked} sampled] threads wait for one mutex for {time}[; held by "
		     "{holder}, TID {tid}][; sampled {looked} of {threads}][; at {lock}]."),
	  .help = N_("Most threads of a process wait for a mutex of the C library, whose holder runs or "
		     "waits for a disk; not for a holder that sleeps until something comes, as the leader of "
		     "a pool does."),
	  .pane = "cpu", .view = "convoys",
	  .values = { { .name = "time", .column = "convoy_seconds",
			.at_least = SECONDS("lock_convoy_seconds", 10, N_("for this time")) },
		      { .name = "busy", .column = "holder_busy_ratio",
			.at_least = RATIO("lock_convoy_busy", 0.5,
					  N_("share of looks at holders that ran or waited for a disk")),
			.keeps = 0.4 },
		      { .name = "waiting", .column = "waiting_threads" },
		      { .name = "looked", .column = "looked_threads" },
		      { .name = "threads", .column = "threads" },
		      { .name = "holder", .column = "holder" },
		      { .name = "tid", .column = "holder_tid" },
		      { .name = "lock", .column = "lock" } } },
	{ .name = "zombies", .topic = "process", .subject = N_("processes"), .severity = FINDING_NOTE,
	  .text = N_("{zombies} zombies, not reaped by their parents[; most: {who} ({pid})]."),
	  .help = N_("Many processes have exited whose parents do not wait for them."),
	  .pane = "cpu", .hold = SECONDS("zombies_seconds", 10, N_("for this time")),
	  .values = { { .name = "zombies", .topic = "process", .column = "state", .with = "Z",
			.at_least = COUNT("zombies_processes", 20, N_("zombies")) },
		      PARENT_OF_MOST("who", "name"),
		      PARENT_OF_MOST("pid", "pid") } },
	/* its reader costs as much as there are processes that begin and end */
	{ .name = "lost_events", .topic = "event_source", .key = "source", .age = FINDING_COUNTS,
	  .severity = FINDING_NOTE, .with = "event",
	  .text = N_("Lost {lost} events in {window}: their counts are too low."),
	  .help = N_("A buffer of events was full."),
	  .pane = "events", .view = "sources",
	  .values = { { .name = "lost", .column = "lost", .window_seconds = 60,
			.at_least = COUNT("lost_events_lost", 1, N_("events lost within a minute")) } } },
	{ .name = "growing", .topic = "process", .key = "name", .severity = FINDING_NOTE,
	  .text = N_("PID {pid} grows by {rate}/s for {since}, now {size}."),
	  .help = N_("The resident memory of a process grows all the time, as with a leak: as observed; or "
		     "since its start, where its age and size say that after half a minute."),
	  .lead = "grown_seconds",
	  .pane = "memory", .view = "processes", .hold = SECONDS("growing_seconds", 120, N_("for this time")),
	  .values = { { .name = "growth", .column = "growth_bytes_per_second",
			.at_least = COUNT("growing_rate", 524288,
					  N_("bytes per second, mean of 10 to 20 s")) },
		      { .name = "rate", .column = "growth_bytes_per_second" },
		      { .name = "size", .column = "resident_bytes" },
		      { .name = "pid", .column = "pid" } } },
};

const char *finding_name_now(const char *name)
{
	static const struct {
		const char *was, *is;
	} renamed[] = {
		{ "group_killed", "limit_killed" },
		{ "group_killed_kills", "limit_killed_kills" },
		{ "limit_killed_before", "limit_killed" },
		{ "limit_killed_before_seconds", "limit_killed_seconds" },
		{ "out_of_memory_before", "out_of_memory" },
		{ "out_of_memory_before_seconds", "out_of_memory_seconds" },
	};

	for (size_t i = 0; i < sizeof(renamed) / sizeof(renamed[0]); i++)
		if (strcmp(renamed[i].was, name) == 0)
			return renamed[i].is;
	return NULL;
}

const unsigned n_finding_rules = sizeof(finding_rules) / sizeof(finding_rules[0]);
