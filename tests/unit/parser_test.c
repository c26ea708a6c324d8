/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What parsers make of a text, from tests/parsers/FILE.txt:
 *
 *   parser NAME [ARGUMENT]...    what follows goes to this one of parsers[] below, up to the next such line
 *   # why                        of the line below
 *   TEXT => KEY=VALUE ...        a text, and what it finds in it: all that is known and not empty
 *   TEXT                         the same, where it is long, or finds several things: the text in one line
 *   	KEY=VALUE ...           or more, and behind a tab each thing, up to an empty line
 *
 * In a text \n, \t, \\ and \xff are bytes, \e is nothing, and || stands between the texts of a parser that
 * takes two. A parser may find "none" ("none (overwritten)": it changes what it was given to fill), or "-":
 * something of which nothing is known. A line behind two tabs goes on with the one above. The text lies in
 * memory of its length, so that sanitizers see a read beyond. UPDATE_PARSERS=yes writes what came in place of
 * what was wanted: for new texts write "TEXT => ?", run it, and read the diff.
 */
#include "suite.h"

#include <inttypes.h>

#include "core/alloc.h"
#include "core/buffer.h"
#include "core/unknown.h"
#include "kernel/cgroup.h"
#include "kernel/meminfo.h"
#include "kernel/mounts.h"
#include "kernel/net/proc_net.h"
#include "kernel/passwd.h"
#include "kernel/pid/maps.h"
#include "kernel/pid/pid_fd.h"
#include "kernel/pid/pid_stat.h"
#include "kernel/pid/pid_syscall.h"
#include "kernel/power.h"
#include "kernel/resctrl.h"
#include "kernel/system.h"
#include "model/rule.h"
#include "topic/disk/smart.h"

#define WIDTH 110
#define ARROW " => "
#define ARGUMENTS_MAX 8
#define FILES_MAX 64

/* What a parser gets, and what it found: a line for each thing. */
static struct buffer found;
static size_t start; /* of the line of this thing */
static char *arguments[ARGUMENTS_MAX];
static unsigned n_arguments;
static struct span other; /* the text behind || */

static void key(const char *name)
{
	buffer_print(&found, "%s%s=", found.length > start ? " " : "", name);
}

static void u64(const char *name, uint64_t value)
{
	if (value == U64_UNKNOWN)
		return;
	key(name);
	buffer_print(&found, "%" PRIu64, value);
}

/* Where the largest one is a number, too. */
static void whole(const char *name, uint64_t value)
{
	key(name);
	buffer_print(&found, "%" PRIu64, value);
}

static void i64(const char *name, int64_t value)
{
	key(name);
	buffer_print(&found, "%" PRId64, value);
}

static void f64(const char *name, double value)
{
	if (isnan(value))
		return;
	key(name);
	buffer_print(&found, "%.14g", value);
}

/* To the last bit. */
static void exact(const char *name, double value)
{
	key(name);
	buffer_f64(&found, value);
}

static void escaped(struct span text)
{
	for (; text.at < text.end; text.at++)
		if (*text.at == '\n' || *text.at == '\t' || *text.at == '\\')
			buffer_print(&found, "\\%c", *text.at == '\n' ? 'n' : *text.at == '\t' ? 't' : '\\');
		else if ((unsigned char)*text.at < ' ' || (unsigned char)*text.at >= 0x7f)
			buffer_print(&found, "\\x%02x", (unsigned char)*text.at);
		else
			buffer_char(&found, *text.at);
}

static void span(const char *name, struct span text)
{
	if (span_length(text) == 0)
		return;
	key(name);
	escaped(text);
}

static void words(const char *name, const char *value)
{
	if (value)
		span(name, span_text(value));
}

static void flag(const char *name, bool value)
{
	if (!value)
		return;
	key(name);
	buffer_text(&found, "yes");
}

static void end(void)
{
	if (found.length == start)
		buffer_char(&found, '-');
	buffer_char(&found, '\n');
	start = found.length;
}

static void counts(const char *name, const union net_traffic *traffic)
{
	key(name);
	for (size_t i = 0; i < N_NET_COUNTS; i++)
		buffer_print(&found, "%s%" PRIu64, i > 0 ? "," : "", traffic->counts[i]);
}

/* Fields of x by their names. */
#define U(field) u64(#field, x.field)
#define I(field) i64(#field, x.field)
#define F(field) f64(#field, x.field)
#define S(field) span(#field, x.field)

/* A parser that fills x, one that may fail, and one that takes the next thing from the text. */
#define FILLS(name, type, call, fields) \
	static void name(struct span in) \
	{ \
		type x; \
		call; \
		fields; \
		end(); \
	}
#define MAY_FILL(name, type, call, fields) \
	static void name(struct span in) \
	{ \
		type x, old; \
		memset(&x, 0x5a, sizeof(x)); \
		memset(&old, 0x5a, sizeof(old)); \
		if (call) { \
			fields; \
			end(); \
		} else if (memcmp(&x, &old, sizeof(x)) != 0) { \
			buffer_text(&found, "none (overwritten)\n"); \
		} \
	}
#define TAKES(name, type, call, fields) \
	static void name(struct span in) \
	{ \
		type x; \
		while (call) { \
			fields; \
			end(); \
		} \
	}

/* One that takes x from the front of the text. */
#define SCANS(name, type, call, fields) \
	static void name(struct span in) \
	{ \
		const char *first = in.at; \
		type x, old; \
		memset(&x, 0x5a, sizeof(x)); \
		memset(&old, 0x5a, sizeof(old)); \
		if (call) { \
			fields; \
			span("rest", in); \
			end(); \
		} else if (memcmp(&x, &old, sizeof(x)) != 0 || in.at != first) { \
			buffer_text(&found, "none (overwritten)\n"); \
		} \
	}

/* Of an option, whose text ends with a NUL; the least and the most are arguments. */
static const char *option(struct span in)
{
	static char text[256];

	snprintf(text, sizeof(text), "%.*s", (int)span_length(in), in.at);
	return text;
}

static double limit(unsigned i)
{
	return strtod(arguments[i], NULL);
}

static uint64_t whole_limit(unsigned i)
{
	return strtoull(arguments[i], NULL, 10);
}

/* clang-format off */
SCANS(number, uint64_t, span_u64(&in, &x), whole("value", x))
SCANS(signed_number, int64_t, span_i64(&in, &x), i64("value", x))
SCANS(hexadecimal, uint64_t, span_hex(&in, &x), whole("value", x))
SCANS(decimal, double, span_f64(&in, &x), exact("value", x))
SCANS(real, double, span_real(&in, &x), exact("value", x))
SCANS(people_seconds, double, span_seconds(&in, &x), f64("value", x))
SCANS(item, struct span, span_item(&in, &x), key("item"); escaped(x))
MAY_FILL(pair, struct { struct span name; uint64_t value; struct span rest; },
	span_pair_u64(in, &x.name, &x.value, &x.rest), S(name); U(value); S(rest))
MAY_FILL(number_alone, uint64_t, span_is_u64(in, &x), u64("value", x))
MAY_FILL(seconds_option, double, span_whole_seconds(option(in), limit(0), limit(1), &x), f64("value", x))
MAY_FILL(bytes_option, uint64_t, span_whole_bytes(option(in), whole_limit(0), whole_limit(1), &x),
	u64("value", x))
MAY_FILL(number_option, uint64_t, span_whole_number(option(in), whole_limit(0), whole_limit(1), &x),
	u64("value", x))
FILLS(listed, bool, x = span_list_has(in, arguments[0]), flag("has", x))
FILLS(trimmed, struct span, x = span_trimmed(in), span("text", x))
FILLS(meminfo, struct meminfo, meminfo_parse(in, &x), U(total); U(free); U(available); U(buffers); U(cached);
	U(swap_cached); U(shmem); U(active); U(inactive); U(active_anon); U(inactive_anon); U(active_file);
	U(inactive_file); U(unevictable); U(anon_pages); U(slab); U(reclaimable_slab); U(unreclaimable_slab);
	U(kernel_reclaimable); U(kernel_stack); U(page_tables); U(secondary_page_tables); U(percpu);
	U(vmalloc_used); U(hugetlb); U(zswap); U(zswapped); U(bounce); U(swap_total); U(swap_free))
TAKES(meminfo_lines, struct meminfo_line, meminfo_next(&in, &x), S(key); U(value); flag("in_bytes",
	x.in_bytes))
FILLS(node_meminfo, struct node_meminfo, node_meminfo_parse(in, &x), U(total); U(free); U(anonymous); U(file))
MAY_FILL(zram_memory, struct zram_memory, zram_memory_parse(in, &x), U(stored_bytes); U(memory_bytes);
	U(limit_bytes))
FILLS(zoneinfo, struct zoneinfo, zoneinfo_parse(in, &x), U(zones); U(low_pages); U(reserve_pages))
TAKES(pressure, struct pressure_line, pressure_next(&in, &x), S(kind); F(avg10); F(avg60); F(avg300);
	U(total_us))
MAY_FILL(loadavg, struct loadavg, loadavg_parse(in, &x), F(load1); F(load5); F(load15); U(threads);
	U(last_pid))
MAY_FILL(uptime, double, uptime_parse(in, &x), f64("seconds", x))
FILLS(stat_totals, struct stat_totals, stat_totals_parse(in, &x), U(cpus); U(context_switches); U(interrupts);
	U(forks); U(running); U(blocked))
MAY_FILL(cgroup_place, struct cgroup_place, cgroup_find(in, other, arguments[0], &x), I(version);
	words("mount", x.mount); words("group", x.group))
TAKES(cgroup_places, struct cgroup_place, cgroup_next(&in, arguments[0], &x), I(version);
	words("mount", x.mount); words("group", x.version ? x.group : NULL))
TAKES(cgroup_mounts, struct cgroup_mount, cgroup_mount_next(&in, &x), I(version); words("point", x.point);
	S(options))
FILLS(cgroup_path_of, struct span, x = cgroup_path(in), span("path", x))
MAY_FILL(cgroup_limit, uint64_t, cgroup_limit_parse(in, &x), words("limit",
	x == CGROUP_NO_LIMIT ? "none" : NULL);
	u64("bytes", x == CGROUP_NO_LIMIT ? U64_UNKNOWN : x))
MAY_FILL(cgroup_quota, double, cgroup_quota_parse(in, other, &x), f64("cpus", x))
FILLS(cgroup_memory, struct cgroup_memory_stat, cgroup_memory_stat_parse(in, atoi(arguments[0]), &x),
	U(anonymous); U(file); U(kernel); U(swap); U(caches); U(refaults))
FILLS(cgroup_cpu, struct cgroup_cpu_stat, cgroup_cpu_stat_parse(in, &x), U(used_ns); U(periods);
	U(throttled_periods); U(throttled_ns))
TAKES(cgroup_io, struct cgroup_io, cgroup_io_next(&in, &x), U(major); U(minor); U(read_bytes);
      U(write_bytes); U(reads); U(writes))
TAKES(cgroup_io_limits, struct cgroup_io_limits,
      cgroup_io_limits_next(&in, (enum cgroup_io_kind)atoi(arguments[0]), &x), U(major); U(minor);
      u64("read_bytes", x.each_second[CGROUP_READ_BYTES]);
      u64("write_bytes", x.each_second[CGROUP_WRITE_BYTES]); u64("reads", x.each_second[CGROUP_READS]);
      u64("writes", x.each_second[CGROUP_WRITES]))
MAY_FILL(cgroup_value, uint64_t, cgroup_value_parse(in, arguments[0], &x), u64("value", x))
FILLS(cgroup_name, struct cgroup_name, cgroup_name_parse(in, &x), words("kind", cgroup_kind_name(x.kind));
	words("engine", (const char *const[]){ NULL, "docker", "podman", "containerd", "cri-o" }[x.engine]);
	S(id); words("name", x.name))
MAY_FILL(arcstats, struct arcstats, arcstats_parse(in, &x), u64("reclaimable", arcstats_reclaimable(&x)))
MAY_FILL(pid_stat, struct pid_stat, pid_stat_parse(in, &x), S(comm); span("state", span_of(&x.state, 1));
	U(parent_pid); I(process_group); I(session); I(terminal); U(flags); U(minor_faults); U(major_faults);
	U(user_ticks); U(system_ticks); U(children_user_ticks); U(children_system_ticks); I(priority);
	I(nice);
	U(threads); U(start_ticks); U(resident_pages); U(processor))
MAY_FILL(pid_exit_status, int, pid_stat_exit_status(in, &x), i64("status", x))
MAY_FILL(pid_statm, struct pid_statm, pid_statm_parse(in, &x), U(virtual_pages); U(resident_pages);
	U(shared_pages))
MAY_FILL(pid_io, struct pid_io, pid_io_parse(in, &x), U(read_bytes); U(write_bytes); U(call_read_bytes);
	U(call_write_bytes))
MAY_FILL(pid_sched, double, pid_sched_parse(in, &x), f64("seconds", x))
MAY_FILL(pid_schedstat, struct pid_schedstat, pid_schedstat_parse(in, &x), U(run_ns); U(wait_ns); U(runs))
FILLS(pid_status, struct pid_status, pid_status_parse(in, &x), U(vm_peak); U(vm_size); U(vm_locked);
	U(vm_pinned); U(vm_resident_peak); U(vm_resident); U(resident_anonymous); U(resident_file);
	U(resident_shared); U(vm_data); U(vm_stack); U(vm_program); U(vm_library); U(vm_page_tables);
	U(vm_swap);
	U(huge_pages))
MAY_FILL(pid_status_line_of, struct span, pid_status_line(in, arguments[0], &x), span("value", x))
MAY_FILL(pid_uids, struct { uint32_t real; uint32_t effective; }, pid_status_uids(in, &x.real, &x.effective),
	U(real); U(effective))
MAY_FILL(pid_signals, struct pid_signals, pid_status_signals(in, &x), U(thread_pending); U(pending);
	U(blocked);
	U(ignored); U(caught); U(queued); U(queued_max))
FILLS(pid_fd_link, struct pid_fd_link, pid_fd_link_parse(in, &x), words("kind", x.kind);
	span("anonymous", x.kind ? span_text("") : x.anonymous); S(path); flag("deleted", x.deleted);
	U(inode))
FILLS(pid_fd_info, struct pid_fd_info, pid_fd_info_parse(in, &x), U(position); U(flags); U(mount); U(inode))
TAKES(pid_limits, struct pid_limit, pid_limits_next(&in, &x), S(name);
	if (x.soft == PID_UNLIMITED) words("soft", "unlimited"); else U(soft);
	if (x.hard == PID_UNLIMITED) words("hard", "unlimited"); else U(hard); S(unit))
TAKES(cpu_times, struct cpu_times, cpu_times_next(&in, &x), if (x.cpu == CPU_ALL) words("cpu", "all");
	else U(cpu);
	U(user); U(nice); U(system); U(idle); U(iowait); U(irq); U(softirq); U(steal); U(guest);
	U(guest_nice))
TAKES(cpu_speeds, struct { uint64_t cpu; double hertz; }, cpuinfo_next_speed(&in, &x.cpu, &x.hertz), U(cpu);
	F(hertz))
MAY_FILL(passwd_name, struct span, passwd_find(in, (uint32_t)strtoul(arguments[0], NULL, 10), &x),
	span("name", x))
MAY_FILL(passwd_uid, uint32_t, passwd_number(in, span_text(n_arguments ? arguments[0] : ""), &x),
	u64("uid", x))
MAY_FILL(powercap_zone, struct powercap_zone, powercap_zone_parse(in, &x), S(control); S(parent))
FILLS(powercap_part_of, enum powercap_part, x = powercap_part(in),
	words("part", (const char *const[]){ "package", "dram", "platform", "other" }[x]))
MAY_FILL(pmu_event, uint64_t, pmu_event_parse(in, &x), u64("event", x))
MAY_FILL(pmu_scale, double, pmu_scale_parse(in, &x), f64("scale", x))
MAY_FILL(hwmon_name, struct { enum sensor_kind kind; uint64_t number; struct span item; },
	hwmon_name_parse(in, &x.kind, &x.number, &x.item), words("kind", hwmon_prefix(x.kind)); U(number);
	S(item))
FILLS(power_supply, struct power_supply, power_supply_parse(in, &x), S(type); S(scope); S(status); S(model);
	flag("battery", power_supply_is_battery(&x)); if (x.present != SUPPLY_UNKNOWN) I(present);
	if (x.online != SUPPLY_UNKNOWN) I(online); f64("watts", power_supply_watts(&x));
	f64("joules", power_supply_joules(&x)); f64("charge", power_supply_charge(&x));
	f64("health", power_supply_health(&x)); if (x.capacity_percent != SUPPLY_UNKNOWN) I(capacity_percent);
	if (x.cycles != SUPPLY_UNKNOWN) I(cycles))
FILLS(tcp_sockets, uint64_t, x = sockstat_tcp(in), u64("in_use", x))
MAY_FILL(oom_record, struct oom_record, oom_record_parse(in, &x), U(boot_us);
	if (x.line == OOM_CAUSE) S(limit); if (x.line == OOM_USAGE) U(limit_bytes);
	if (x.line == OOM_KILL) { flag("of_machine", x.of_machine); S(command); U(pid); })
MAY_FILL(time_offset, int64_t, timens_offset(in, arguments[0], &x), i64("ns", x))
TAKES(interrupt_cpus, uint32_t, interrupt_cpu_next(&in, &x), u64("cpu", x))
TAKES(maps, struct maps_region, maps_next(&in, &x), U(start); U(end); S(permissions); U(offset); U(device);
	U(inode); S(path); flag("special", maps_is_special(&x)))
TAKES(smaps, struct { struct maps_region region; struct smaps_sizes sizes; },
	smaps_next(&in, &x.region, &x.sizes), u64("start", x.region.start);
	u64("resident_bytes", x.sizes.resident_bytes); u64("proportional_bytes", x.sizes.proportional_bytes);
	u64("swap_proportional_bytes", x.sizes.swap_proportional_bytes);
	u64("referenced_bytes", x.sizes.referenced_bytes); u64("huge_bytes", x.sizes.huge_bytes))
TAKES(smaps_rollup, struct { struct span name; uint64_t bytes; }, smaps_rollup_next(&in, &x.name, &x.bytes),
	S(name); U(bytes))
MAY_FILL(proportional, uint64_t, smaps_rollup_parse(in, &x), u64("bytes", x))
TAKES(net_interfaces, struct net_interface, net_interface_next(&in, &x), S(name); counts("received",
	&x.received);
	counts("sent", &x.sent))
TAKES(net_sockets, struct net_socket, net_socket_next(&in, strcmp(arguments[0], "tcp") == 0, &x), U(inode);
	words("local", x.local); words("remote", x.remote); words("state", x.state))
TAKES(unix_sockets, struct net_unix, net_unix_next(&in, &x), U(inode); S(path); words("state", x.state))
FILLS(net_snmp, uint64_t, x = net_snmp_find(in, arguments[0], arguments[1]), u64("value", x))
FILLS(net_snmp6, uint64_t, x = net_snmp6_find(in, arguments[0]), u64("value", x))
TAKES(softnet, struct softnet_line, softnet_next(&in, &x), U(processed); U(dropped); U(squeezed); U(steered);
	U(limited); U(waiting); U(cpu))
TAKES(mountinfo, struct mount_info, mountinfo_next(&in, &x), U(id); U(parent); U(device); S(root); S(point);
	S(type); S(source); S(options); flag("read_only", x.read_only); flag("is_written", x.is_written))
FILLS(mount_text, char *, x = mountinfo_text(in), span("text", span_text(x)); free(x))
MAY_FILL(mount_of_type, struct span, mounts_find(in, arguments[0], &x), span("directory", x))
MAY_FILL(mount_option, struct span, mounts_option(in, arguments[0], arguments[1], arguments[2], &x),
	key("value"); escaped(x))
TAKES(slabinfo, struct slabinfo_line, slabinfo_next(&in, &x), S(name); U(active); U(objects); U(object_bytes);
	U(pages))
MAY_FILL(lock_holder, uint64_t, file_locks_holder(in, strtoull(arguments[0], NULL, 10), &x), u64("pid", x))
MAY_FILL(resctrl_bits, uint64_t, resctrl_mask(in, &x), u64("mask", x))
MAY_FILL(resctrl_id, uint64_t, resctrl_domain(in, arguments[0], &x), u64("id", x))
MAY_FILL(resctrl_of_thread, struct { struct span control; struct span monitoring; },
	resctrl_groups(in, &x.control, &x.monitoring), S(control); S(monitoring))
MAY_FILL(disk_head, struct { char name[DISK_HEAD_MAX]; }, disk_path_head(in, x.name), words("head", x.name))
FILLS(partition, bool, x = disk_is_partition(other, in), flag("partition", x))
FILLS(guest, bool, x = cpuinfo_is_virtual(in), flag("virtual", x))
FILLS(stacked_disk, bool, x = disk_is_stacked(in), flag("stacked", x))
/* clang-format on */

static void pid_late_fields(struct span in)
{
	uint64_t policy, disk_ticks;

	if (!pid_stat_late_fields(in, &policy, &disk_ticks))
		return;
	u64("policy", policy);
	u64("disk_ticks", disk_ticks);
	end();
}

static void health(struct smart x)
{
	static const char *const states[] = { "unknown", "good", "worn", "failing" };

	words("state", states[x.state]);
	words("reason", x.reason);
	F(wear_ratio);
	F(spare_ratio);
	U(media_errors);
	U(unsafe_shutdowns);
	U(power_on_seconds);
	F(celsius);
	end();
}

static void smart(struct span in)
{
	struct smart x;

	if (smart_parse(in.at, span_length(in), &x))
		health(x);
}

static void smart_registers(struct span in)
{
	uint64_t numbers[3] = { 0 };

	for (int i = 0; i < 3; i++)
		span_u64(&in, &numbers[i]);
	health(smart_of_registers(numbers[0], numbers[1], numbers[2]));
}

static void swaps(struct span in)
{
	struct swap_line x;
	struct span zram;

	flag("heading", swaps_heading(&in));
	end();
	while (swaps_next(&in, &x)) {
		S(name);
		S(type);
		U(size_bytes);
		U(used_bytes);
		I(priority);
		if (swap_is_zram(&x, &zram))
			span("zram", zram);
		end();
	}
}

static void pid_syscall(struct span in)
{
	struct pid_syscall x;

	if (!pid_syscall_parse(in, &x))
		return;
	flag("running", x.running);
	flag("none", x.none);
	if (!x.running && !x.none) {
		U(number);
		for (unsigned i = 0; i < 6; i++)
			u64((const char *const[]){ "first", "second", "third", "fourth", "fifth",
						   "sixth" }[i],
			    x.arguments[i]);
	}
	end();
}

/* The values of names that are arguments. */
static void vmstat(struct span in)
{
	uint64_t values[ARGUMENTS_MAX];

	vmstat_parse(in, (const char *const *)arguments, n_arguments, values);
	for (unsigned i = 0; i < n_arguments; i++)
		u64(arguments[i], values[i]);
	end();
}

/* What is left, too, where a range is malformed. */
static void cpu_list(struct span in)
{
	uint32_t first, last;

	while (cpu_list_next(&in, &first, &last)) {
		u64("first", first);
		u64("last", last);
		end();
	}
	span("rest", span_trimmed(in));
	if (span_length(span_trimmed(in)) > 0)
		end();
}

static void cpu_in_list(struct span in)
{
	flag("has", cpu_list_has(in, (uint32_t)strtoul(arguments[0], NULL, 10)));
	end();
}

static void interrupts(struct span in)
{
	struct interrupt_line line;

	while (interrupt_next(&in, &line)) {
		span("label", line.label);
		span("counts", line.counts);
		span("name", interrupt_name(&line));
		end();
	}
}

static void requests(const char *name, const struct disk_requests *requests)
{
	if (requests->completed == U64_UNKNOWN)
		return;
	key(name);
	buffer_print(&found, "%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%" PRIu64, requests->completed,
		     requests->merged, requests->sectors, requests->milliseconds);
}

static void diskstats(struct span in)
{
	struct disk_stats x;

	while (disk_stats_next(&in, &x)) {
		U(major);
		U(minor);
		S(name);
		requests("reads", &x.reads);
		requests("writes", &x.writes);
		U(in_flight);
		U(busy_ms);
		U(queue_ms);
		requests("discards", &x.discards);
		U(flushes);
		U(flush_ms);
		end();
	}
}

static void drm_client(struct span in)
{
	static struct drm_client x;

	if (!drm_client_parse(in, &x))
		return;
	S(driver);
	S(device);
	U(id);
	u64("memory", drm_client_memory(&x));
	u64("local", drm_client_local(&x));
	u64("shared", drm_client_shared(&x));
	for (size_t i = 0; i < x.n_engines; i++) {
		span("engine", x.engines[i].name);
		u64("capacity", x.engines[i].capacity);
		u64("busy_ns", x.engines[i].busy_ns);
		u64("cycles", x.engines[i].cycles);
		u64("total_cycles", x.engines[i].total_cycles);
	}
	for (size_t i = 0; i < x.n_regions; i++) {
		span("region", x.regions[i].name);
		u64("total_bytes", x.regions[i].total_bytes);
		u64("resident_bytes", x.regions[i].resident_bytes);
		u64("shared_bytes", x.regions[i].shared_bytes);
		u64("memory_bytes", x.regions[i].memory_bytes);
	}
	end();
}

static void numa_maps(struct span in)
{
	struct numa_region x;
	uint64_t node, pages;

	while (numa_maps_next(&in, &x)) {
		U(start);
		U(page_bytes);
		while (numa_region_next(&x, &node, &pages)) {
			u64("node", node);
			u64("pages", pages);
		}
		end();
	}
}

static void resctrl_shares(struct span in)
{
	static const char *const names[] = { "other", "L2", "L2_DATA", "L2_CODE",
					     "L3",    "L3_DATA", "L3_CODE", "MB" };
	struct resctrl_shares shares = { .rest = in };
	struct resctrl_share x;

	while (resctrl_share_next(&shares, &x)) {
		words("resource", names[x.resource]);
		U(domain);
		S(value);
		end();
	}
}

static void resctrl_counter(struct span in)
{
	static const char *const readings[] = { "counted", "unavailable", "unassigned", "error" };
	uint64_t value;

	words("reading", readings[resctrl_count(in, &value)]);
	u64("value", value);
	end();
}

static void trace_spec(struct span in)
{
	static const char *const relations[] = { "<", "<=", ">", ">=", "==", "!=" };
	struct trace_spec spec;
	char why[256] = "";

	if (!trace_spec_parse(&spec, textf("%.*s", (int)span_length(in), in.at), why, sizeof(why))) {
		words("wrong", textf("%.72s", why)); /* one line of it */
		end();
		return;
	}
	words("group", spec.group);
	words("event", spec.event);
	for (unsigned i = 0; i < spec.n_keys; i++)
		words("by", spec.keys[i]);
	words("sum", spec.sum);
	words("max", spec.most);
	words("hist", spec.histogram);
	for (unsigned i = 0; i < spec.n_tests; i++)
		words("if", textf("%s%s%s", spec.tests[i].field, relations[spec.tests[i].relation],
				  spec.tests[i].value));
	end();
}

static void cgroup_paths(struct span in)
{
	struct span path;

	for (unsigned i = 0; i < CGROUP_PATHS; i++)
		if (cgroup_path_in(in, i, &path)) {
			span("path", path);
			end();
		}
}

/* clang-format off */
static const struct {
	const char *name;
	void (*parse)(struct span in);
} parsers[] = {
#define PARSER(name) { #name, name }
	PARSER(arcstats), PARSER(bytes_option), PARSER(cgroup_cpu), PARSER(cgroup_io),
	PARSER(cgroup_io_limits), PARSER(cgroup_limit),
	PARSER(cgroup_memory), PARSER(cgroup_mounts), PARSER(cgroup_name), PARSER(cgroup_path_of),
	PARSER(cgroup_paths), PARSER(cgroup_place), PARSER(cgroup_places), PARSER(cgroup_quota),
	PARSER(cgroup_value), PARSER(cpu_in_list), PARSER(cpu_list), PARSER(cpu_speeds), PARSER(cpu_times),
	PARSER(decimal), PARSER(disk_head), PARSER(diskstats), PARSER(drm_client), PARSER(guest),
	PARSER(hexadecimal),
	PARSER(hwmon_name), PARSER(interrupt_cpus), PARSER(interrupts), PARSER(item), PARSER(listed),
	PARSER(loadavg), PARSER(lock_holder), PARSER(maps), PARSER(meminfo), PARSER(meminfo_lines),
	PARSER(mount_of_type), PARSER(mount_option), PARSER(mount_text), PARSER(mountinfo),
	PARSER(net_interfaces), PARSER(net_snmp), PARSER(net_snmp6), PARSER(net_sockets),
	PARSER(node_meminfo), PARSER(numa_maps), PARSER(number), PARSER(number_alone),
	PARSER(number_option), PARSER(oom_record), PARSER(pair), PARSER(partition), PARSER(passwd_name),
	PARSER(passwd_uid),
	PARSER(people_seconds), PARSER(pid_exit_status), PARSER(pid_fd_info), PARSER(pid_fd_link),
	PARSER(pid_io), PARSER(pid_late_fields), PARSER(pid_limits), PARSER(pid_sched),
	PARSER(pid_schedstat), PARSER(pid_signals), PARSER(pid_stat), PARSER(pid_statm), PARSER(pid_status),
	PARSER(pid_status_line_of), PARSER(pid_syscall), PARSER(pid_uids), PARSER(pmu_event),
	PARSER(pmu_scale), PARSER(power_supply), PARSER(powercap_part_of), PARSER(powercap_zone),
	PARSER(pressure), PARSER(proportional), PARSER(real), PARSER(resctrl_bits), PARSER(resctrl_counter),
	PARSER(resctrl_id), PARSER(resctrl_of_thread), PARSER(resctrl_shares), PARSER(seconds_option),
	PARSER(signed_number), PARSER(slabinfo), PARSER(smaps), PARSER(smaps_rollup), PARSER(smart),
	PARSER(smart_registers), PARSER(softnet),
	PARSER(stacked_disk), PARSER(stat_totals), PARSER(swaps), PARSER(tcp_sockets), PARSER(time_offset),
	PARSER(trace_spec), PARSER(trimmed), PARSER(unix_sockets), PARSER(uptime), PARSER(vmstat),
	PARSER(zoneinfo), PARSER(zram_memory),
};
/* clang-format on */

/* The file, and where in it the lines that it is about begin. */
static struct {
	char path[512];
	char *text, *at;
	unsigned line;
} file;
static char *file_names[FILES_MAX];

/* In memory of that length. */
static struct span copy(char *text)
{
	size_t length = unescape(text);
	char *bytes;

	ck_assert_msg(length != SIZE_MAX, "%s:%u: a backslash stands before n, t, e, x and itself", file.path,
		      file.line);
	bytes = alloc_zeroed(1, length + !length);
	memcpy(bytes, text, length);
	return span_of(bytes, length);
}

static void parse(void (*parser)(struct span), char *text)
{
	char *bars = strstr(text, " || ");
	struct span in;

	other = span_text("");
	if (bars) {
		*bars = '\0';
		other = copy(bars + strlen(" || "));
	}
	in = copy(text);
	found.length = start = 0;
	parser(in);
	if (found.length == 0)
		buffer_text(&found, "none\n");
	buffer_char(&found, '\0');
	found.length--;
	free((char *)in.at);
	if (bars)
		free((char *)other.at);
}

/* The next line without its newline; NULL: there is none. */
static char *next_line(void)
{
	char *line = file.at, *newline = strchr(line, '\n');

	if (!*line)
		return NULL;
	file.at = newline ? newline + 1 : line + strlen(line);
	if (newline)
		*newline = '\0';
	file.line++;
	return line;
}

static void (*find_parser(char *line))(struct span)
{
	char *name = strtok(line, " ");

	for (n_arguments = 0; n_arguments < ARGUMENTS_MAX; n_arguments++) {
		arguments[n_arguments] = strtok(NULL, " ");
		if (!arguments[n_arguments])
			break;
	}
	for (size_t i = 0; name && i < sizeof(parsers) / sizeof(parsers[0]); i++)
		if (strcmp(parsers[i].name, name) == 0)
			return parsers[i].parse;
	ck_abort_msg("%s:%u: there is no parser %s", file.path, file.line, name ? name : "");
}

/* What was found, as it stands in the file. */
static void write_found(FILE *out)
{
	for (char *line = found.bytes, *end; *line; line = end + 1) {
		size_t width = 8;

		end = strchr(line, '\n');
		fputc('\t', out);
		for (char *word = line; word < end;) {
			size_t length = 1 + strcspn(word + 1, " \n");

			if (width + length > WIDTH && *word == ' ' && word > line) {
				fputs("\n\t\t", out);
				word++, length--, width = 16;
			}
			fwrite(word, 1, length, out);
			word += length, width += length;
		}
		fputc('\n', out);
	}
}

/* The lines behind tabs: what was wanted. */
static void read_wanted(struct buffer *wanted)
{
	buffer_empty(wanted);
	while (*file.at == '\t') {
		const char *line = next_line();

		if (line[1] == '\t' && wanted->length > 0)
			wanted->bytes[wanted->length - 1] = ' '; /* it goes on */
		buffer_print(wanted, "%s\n", line + 1 + (line[1] == '\t'));
	}
	buffer_char(wanted, '\0');
}

/* The text in or below this line, and what is wanted of it. */
static void read_text(char *line, struct buffer *in, struct buffer *wanted)
{
	char *arrow = strstr(line, ARROW);

	if (arrow) {
		*arrow = '\0';
		buffer_print(in, "%s%c", line, '\0');
		buffer_print(wanted, "%s\n%c", arrow + strlen(ARROW), '\0');
		return;
	}
	buffer_text(in, line);
	while (*file.at && *file.at != '\t' && *file.at != '\n' && (line = next_line()))
		buffer_print(in, "\n%s", line);
	buffer_char(in, '\0');
	read_wanted(wanted);
}

static unsigned run_text(void (*parser)(struct span), char *line, FILE *out, struct buffer *wrong)
{
	struct buffer in = { 0 }, wanted = { 0 };
	unsigned first = file.line, is_wrong;
	char *text;

	ck_assert_msg(parser != NULL, "%s:%u: no parser", file.path, file.line);
	read_text(line, &in, &wanted);
	text = alloc_text(in.bytes);
	parse(parser, in.bytes);
	is_wrong = strcmp(found.bytes, wanted.bytes) != 0;
	if (is_wrong)
		buffer_print(wrong, "%s:%u: wanted\n%scame\n%s", file.path, first, wanted.bytes, found.bytes);
	fputs(text, out);
	if (!strchr(text, '\n') && strchr(found.bytes, '\n')[1] == '\0' &&
	    strlen(text) + found.length + strlen(ARROW) <= WIDTH) {
		fprintf(out, ARROW "%s", found.bytes);
	} else {
		fputc('\n', out);
		write_found(out);
	}
	free(text);
	buffer_free(&in);
	buffer_free(&wanted);
	return is_wrong;
}

static void run_file(int i)
{
	void (*parser)(struct span) = NULL;
	struct buffer wrong = { 0 };
	unsigned n_wrong = 0;
	char *new_text, *line;
	size_t length;
	FILE *out = open_memstream(&new_text, &length);

	snprintf(file.path, sizeof(file.path), "tests/parsers/%s", file_names[i]);
	file.text = file.at = read_test_file(file.path + strlen("tests/"));
	file.line = 0;
	while ((line = next_line())) {
		if (strncmp(line, "parser ", strlen("parser ")) == 0) {
			fprintf(out, "%s\n", line);
			parser = find_parser(line + strlen("parser "));
		} else if (*line == '#' || !*line) {
			fprintf(out, "%s\n", line);
		} else {
			n_wrong += run_text(parser, line, out, &wrong);
		}
	}
	fclose(out);
	if (n_wrong > 0 && getenv("UPDATE_PARSERS")) {
		out = fopen(test_path(file.path + strlen("tests/")), "w");
		ck_assert_ptr_nonnull(out);
		fwrite(new_text, 1, length, out);
		fclose(out);
	} else {
		ck_assert_msg(n_wrong == 0, "%u texts\n%.6000s", n_wrong, wrong.bytes);
	}
	free(new_text);
	free(file.text);
	buffer_free(&wrong);
}

static void add_file(const char *name)
{
	static int n_files;

	if (n_files == FILES_MAX)
		abort();
	file_names[n_files] = alloc_text(name);
	suite_add_numbered(name, run_file, __FILE__, n_files);
	n_files++;
}

__attribute__((constructor)) static void add_files(void)
{
	for_each_test_file("parsers", add_file);
}
