/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The fuzz targets: each decodes the bytes and checks what must hold whatever they are. */
#include <config.h>

#include "targets.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "core/config_lines.h"
#include "core/http_header.h"
#include "core/utf8.h"
#include "fleet/prometheus_api.h"
#include "fleet/ssh_member.h"
#include "fleet/stored_series.h"
#include "kernel/btf.h"
#include "kernel/cgroup.h"
#include "kernel/code/elf_file.h"
#include "kernel/code/symbols.h"
#include "kernel/meminfo.h"
#include "kernel/mounts.h"
#include "kernel/net/netlink.h"
#include "kernel/net/proc_net.h"
#include "kernel/passwd.h"
#include "kernel/perf_record.h"
#include "kernel/pid/maps.h"
#include "kernel/pid/pid_fd.h"
#include "kernel/pid/pid_stat.h"
#include "kernel/pid/pid_syscall.h"
#include "kernel/power.h"
#include "kernel/resctrl.h"
#include "kernel/system.h"
#include "kernel/trace_format.h"
#include "model/calibration.h"
#include "model/pipeline.h"
#include "model/rule.h"
#include "model/settings.h"
#include "output/recording.h"
#include "output/report/page.h"
#include "recording/block.h"
#include "screen/theme.h"
#include "topic/call/call_counts.h"
#include "topic/disk/smart.h"
#include "topic/group/container_name.h"
#include "topic/pages/page_snapshot.h"
#include "topic/probe/probe_code.h"
#include "topic/profile/profile_tables.h"
#include "topic/topic.h"
#include "topic/tracepoint/tracepoint_plan.h"

/* Defines the function that fuzzes one, and adds it to the list. */
#define FUZZ_TARGET(target) \
	static void run_##target(const uint8_t *data, size_t size); \
	__attribute__((constructor)) static void add_##target(void) \
	{ \
		static struct fuzz_target added = { .name = #target, .run = run_##target }; \
		added.next = fuzz_targets; \
		fuzz_targets = &added; \
	} \
	static void run_##target(const uint8_t *data, size_t size)

struct fuzz_target *fuzz_targets;

const struct fuzz_target *fuzz_find(const char *name)
{
	const struct fuzz_target *target = fuzz_targets;

	while (target && strcmp(target->name, name) != 0)
		target = target->next;
	return target;
}

static void require(int condition)
{
	if (!condition)
		abort();
}

static struct span input(const uint8_t *data, size_t size)
{
	return span_of((const char *)data, size);
}

static void require_inside(struct span part, struct span whole)
{
	require(part.at >= whole.at && part.end <= whole.end && part.at <= part.end);
}

/* Whatever Host says, it is inside of it, and the list of our names has no part in what is an address. */
FUZZ_TARGET(http_header)
{
	struct span text = input(data, size), host = text;

	http_prefers_openmetrics(text);
	if (http_host(text, &host))
		require_inside(host, text);
	if (http_host_is_known(text, NULL))
		require(http_host_is_known(text, "web1,web1.example.org"));
	if (span_is(host, "example.org"))
		require(!http_host_is_known(text, "web1,web1.example.org"));
}

FUZZ_TARGET(meminfo)
{
	struct span text = input(data, size), rest = text;
	struct meminfo_line line;
	struct meminfo meminfo;

	while (meminfo_next(&rest, &line)) {
		require_inside(line.key, text);
		require(!line.in_bytes || line.value % 1024 == 0);
	}
	meminfo_parse(text, &meminfo);
	require(meminfo.total == U64_UNKNOWN || meminfo.total % 1024 == 0);
}

FUZZ_TARGET(swaps)
{
	struct span text = input(data, size), rest = text, zram;
	struct zram_memory memory;
	struct swap_line line;

	swaps_heading(&rest);
	while (swaps_next(&rest, &line)) {
		require_inside(line.name, text);
		require(line.used_bytes <= line.size_bytes && line.size_bytes % 1024 == 0);
		if (swap_is_zram(&line, &zram))
			require_inside(zram, line.name);
	}
	zram_memory_parse(text, &memory);
}

FUZZ_TARGET(smart)
{
	struct span text = input(data, size), reason;
	struct smart smart;

	if (!smart_parse(text.at, span_length(text), &smart))
		return;
	reason = span_text(smart.reason);
	require(span_length(reason) < SMART_REASON_MAX && smart.state <= SMART_FAILING);
	require(!(smart.wear_ratio < 0 || smart.spare_ratio < 0 || smart.spare_ratio > 1));
	require(!(smart.celsius < 0 || smart.celsius > 200));
}

FUZZ_TARGET(node_meminfo)
{
	struct node_meminfo meminfo;

	node_meminfo_parse(input(data, size), &meminfo);
	require(meminfo.total == U64_UNKNOWN || meminfo.total % 1024 == 0);
	require(meminfo.free == U64_UNKNOWN || meminfo.free % 1024 == 0);
}

FUZZ_TARGET(vmstat)
{
	static const char *const names[] = { "pgpgin", "pgscan_kswapd", "allocstall", "pgsteal" };
	uint64_t values[4];

	vmstat_parse(input(data, size), names, 4, values);
}

FUZZ_TARGET(zoneinfo)
{
	struct zoneinfo zones;

	zoneinfo_parse(input(data, size), &zones);
	require(zones.zones > 0 || (zones.low_pages == 0 && zones.reserve_pages == 0));
}

FUZZ_TARGET(pressure)
{
	struct span text = input(data, size), rest = text;
	struct pressure_line line;

	while (pressure_next(&rest, &line)) {
		require_inside(line.kind, text);
		require(line.avg10 >= 0 && line.avg60 >= 0 && line.avg300 >= 0);
	}
}

FUZZ_TARGET(system)
{
	struct stat_totals totals;
	struct loadavg load;
	double uptime = 0;

	if (loadavg_parse(input(data, size), &load))
		require(load.load1 >= 0 && load.load5 >= 0 && load.load15 >= 0);
	if (uptime_parse(input(data, size), &uptime))
		require(uptime >= 0);
	stat_totals_parse(input(data, size), &totals);
}

static void fuzz_paths(struct span cgroups)
{
	struct span path = cgroup_path(cgroups);

	require(span_length(path) == 0 || *path.at == '/');
	for (unsigned i = 0; i < CGROUP_PATHS; i++)
		if (cgroup_path_in(cgroups, i, &path))
			require_inside(path, cgroups);
}

static void fuzz_mounts(struct span mounts)
{
	struct span rest = mounts;
	struct cgroup_place place;
	struct cgroup_mount mount;

	while (cgroup_next(&rest, "user.slice/a", &place))
		require(strlen(place.group) < CGROUP_PATH_MAX && place.version <= 2);
	rest = mounts;
	while (cgroup_mount_next(&rest, &mount)) {
		require(strlen(mount.point) < CGROUP_PATH_MAX);
		cgroup_mount_has(&mount, "cpu");
	}
}

/* The groups come first, then the mounts, with an empty line between. */
FUZZ_TARGET(cgroup)
{
	const uint8_t *split = size ? memmem(data, size, "\n\n", 2) : NULL;
	size_t first = split ? (size_t)(split - data) + 1 : size;
	struct cgroup_place place;
	uint64_t bytes;

	if (cgroup_find(input(data, first), input(data + first, size - first), "memory", &place))
		require(place.version >= 1 && place.version <= 2 && strlen(place.group) < CGROUP_PATH_MAX &&
			strlen(place.mount) < CGROUP_PATH_MAX);
	cgroup_limit_parse(input(data, size), &bytes);
	fuzz_paths(input(data, first));
	fuzz_mounts(input(data + first, size - first));
}

FUZZ_TARGET(file_locks)
{
	uint64_t holder = 0;

	if (file_locks_holder(input(data, size), 4711, &holder))
		require(holder > 0);
}

FUZZ_TARGET(oom_record)
{
	struct span line = input(data, size);
	struct oom_record record;

	if (!oom_record_parse(line, &record))
		return;
	if (record.line == OOM_KILL)
		require_inside(record.command, line);
	if (record.line == OOM_CAUSE)
		require_inside(record.limit, line);
}

FUZZ_TARGET(cgroup_name)
{
	struct span path = input(data, size);
	struct cgroup_name name;

	cgroup_name_parse(path, &name);
	require_inside(name.id, path);
	require(strlen(name.name) < CGROUP_NAME_MAX && cgroup_kind_name(name.kind));
}

FUZZ_TARGET(cgroup_stat)
{
	struct span text = input(data, size);
	struct cgroup_memory_stat memory;
	struct cgroup_cpu_stat cpu;
	struct cgroup_io_limits limits;
	struct cgroup_io io;
	uint64_t value;
	double cpus;

	cgroup_memory_stat_parse(text, 1, &memory);
	cgroup_memory_stat_parse(text, 2, &memory);
	cgroup_cpu_stat_parse(text, &cpu);
	require(cpu.used_ns == U64_UNKNOWN || cpu.used_ns % 1000 == 0);
	cgroup_value_parse(text, "oom_kill", &value);
	if (cgroup_quota_parse(text, text, &cpus))
		require(cpus >= 0);
	for (struct span rest = text; cgroup_io_limits_next(&rest, CGROUP_WRITES, &limits);)
		;
	while (cgroup_io_next(&text, &io))
		;
}

FUZZ_TARGET(container_name)
{
	struct container_name name;
	struct span text = input(data, size);
	bool found = container_name_parse(text.at, span_length(text), &name);

	require(found == (*name.name != '\0'));
	require(strlen(name.name) < sizeof(name.name) && strlen(name.pod) < sizeof(name.pod));
}

FUZZ_TARGET(arcstats)
{
	struct arcstats arc;

	if (arcstats_parse(input(data, size), &arc))
		require(arcstats_reclaimable(&arc) <= arc.size_bytes);
}

FUZZ_TARGET(pid_stat)
{
	struct span text = input(data, size);
	struct pid_stat stat;
	struct pid_statm statm;
	struct pid_schedstat schedstat;
	struct pid_io io;
	uint64_t policy, disk_ticks;
	uint32_t real, uid;
	double seconds;
	int status;

	if (pid_stat_parse(text, &stat))
		require_inside(stat.comm, text);
	pid_io_parse(text, &io);
	pid_statm_parse(text, &statm);
	pid_sched_parse(text, &seconds);
	pid_stat_exit_status(text, &status);
	pid_stat_late_fields(text, &policy, &disk_ticks);
	pid_schedstat_parse(text, &schedstat);
	pid_status_uids(text, &real, &uid);
}

/* The family is the one of the seeds. */
FUZZ_TARGET(taskstats)
{
	struct span text = input(data, size), rest = text;
	struct netlink_message message;
	struct exit_record record;
	uint16_t family;
	int error;

	while (netlink_next(&rest, &message)) {
		require_inside(message.payload, text);
		if (netlink_ack(&message, &error))
			require(error <= 0);
		taskstats_family(&message, &family);
		if (!taskstats_exit(&message, 31, &record))
			continue;
		require(memchr(record.comm, '\0', sizeof(record.comm)) != NULL);
		require(record.cpu_ns == U64_UNKNOWN || record.cpu_ns == record.user_ns + record.system_ns);
	}
	require_inside(rest, text);
}

FUZZ_TARGET(proc_event)
{
	struct span text = input(data, size), rest = text;
	struct proc_event event;

	while (proc_event_next(&rest, &event)) {
		require_inside(rest, text);
		require(event.kind <= PROC_EVENT_KIND_OTHER);
		require(memchr(event.comm, '\0', sizeof(event.comm)) != NULL);
	}
	require_inside(rest, text);
}

static void require_arguments(const struct perf_record *sample)
{
	size_t program, length, shorter, ignored;
	char out[300];

	length = perf_exec_arguments(sample, out, sizeof(out), &program);
	require(length < sizeof(out) && out[length] == '\0' && program <= length);
	shorter = perf_exec_arguments(sample, out, sizeof(out) / 2, &ignored);
	require(shorter <= length && out[shorter] == '\0');
	perf_exec_arguments_are_whole(sample);
}

FUZZ_TARGET(perf_record)
{
	struct span text = input(data, size), rest = text;
	struct perf_record record;

	while (perf_record_next(&rest, &record)) {
		require_inside(rest, text);
		require(memchr(record.comm, '\0', sizeof(record.comm)) != NULL);
		if (record.raw.at)
			require_inside(record.raw, text);
		if (record.stack.at)
			require_inside(record.stack, text);
		require_arguments(&record);
	}
	require_inside(rest, text);
}

FUZZ_TARGET(profile_record)
{
	struct span text = input(data, size), rest = text;
	struct profile_record record;
	uint64_t address;

	while (profile_record_next(&rest, &record)) {
		require_inside(rest, text);
		if (record.kind == PROFILE_RECORD_SAMPLE) {
			require_inside(record.kernel, text);
			require_inside(record.stack, text);
			for (size_t i = 0; profile_record_kernel(&record, i, &address); i++)
				require(i < size);
		}
		if (record.kind == PROFILE_RECORD_MAP)
			require_inside(record.path, text);
	}
	require_inside(rest, text);
}

FUZZ_TARGET(opened_file)
{
	struct span text = input(data, size);
	struct opened_file file;

	if (!opened_file_parse(text, &file))
		return;
	require_inside(file.path, text);
	require_inside(file.command, text);
	require(span_length(file.command) <= BPF_COMMAND_BYTES);
}

FUZZ_TARGET(profile_results)
{
	struct span text = input(data, size), rest = text;
	struct profile_result result;

	while (profile_results_next(&rest, &result)) {
		require_inside(rest, text);
		if (result.kind == PROFILE_RESULT_FUNCTION) {
			require_inside(result.name, text);
			require_inside(result.file, text);
			require_inside(result.path, text);
			require(result.names < N_PROFILE_NAMES);
		}
	}
	require_inside(rest, text);
}

/* The format comes first, then a sample, with a NUL between. */
FUZZ_TARGET(trace_format)
{
	static const char *const names[] = { "filename", "pid", "parent_comm", "next_comm" };
	struct span rest = input(data, size), format, text;
	struct trace_field field;

	if (!span_until(&rest, '\0', &format))
		return;
	for (struct span lines = format; trace_format_next(&lines, &field);) {
		require_inside(field.name, format);
		require_inside(field.type, format);
		require(span_length(field.name) > 0 && field.value_bytes <= field.bytes);
		require(!trace_field_is_number(&field) || (field.bytes > 0 && field.bytes <= 8));
		if (trace_field_text(&field, rest, &text))
			require_inside(text, rest);
	}
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (trace_format_find(format, names[i], &field) && trace_field_text(&field, rest, &text)) {
			require_inside(text, rest);
			require(span_length(text) == 0 || !memchr(text.at, '\0', span_length(text)));
		}
}

static int find_any_member(void *state, const char *way, struct bpf_place *place)
{
	(void)state;
	(void)way;
	*place = (struct bpf_place){ .n = 1, .bytes = 4 };
	return 0;
}

/* What is to be counted comes first, then the format. What is not refused is a program. */
FUZZ_TARGET(trace_spec)
{
	const struct bpf_kernel kernel = { .member = find_any_member };
	static struct tracepoint_plan plan;
	static struct bpf_code code;
	struct bpf_target target = { .kernel = &kernel };
	struct span format = input(data, size), text;
	struct trace_spec spec;
	char copy[2 * TRACE_SPEC_TEXT_MAX], why[64];

	if (!span_until(&format, '\0', &text) || span_length(text) >= sizeof(copy))
		return;
	snprintf(copy, sizeof(copy), "%s", text.at);
	if (!trace_spec_parse(&spec, copy, why, sizeof(why)))
		return;
	require(spec.group[0] && spec.event[0] && !strchr(spec.group, '/') && !strchr(spec.event, '/'));
	for (unsigned of_scope = 0; of_scope < 2; of_scope++) {
		if (!tracepoint_plan_make(&plan, &spec, format, of_scope, why, sizeof(why)))
			return;
		require(plan.plan.n_words > 0);
		target.of_wanted = of_scope;
		target.maps[BPF_MAP_SLOTS] = -1;
		require(bpf_assemble(&code, &plan.programs[0], &target) == 0);
	}
}

FUZZ_TARGET(btf)
{
	static const char *const names[] = { "pid", "leader", "hidden", "absent" };
	struct btf_member member;
	struct btf btf;
	uint32_t structure, type, offset;
	uint8_t bit;

	if (!btf_open(&btf, input(data, size)))
		return;
	require_inside(btf.types, input(data, size));
	require_inside(btf.strings, input(data, size));
	structure = btf_structure(&btf, "task_struct");
	require(structure < btf.n_types);
	btf_enumerator(&btf, "pageflags", "PG_head", &offset);
	type = btf_function(&btf, "task_struct");
	require(type < btf.n_types);
	require(btf_typedef(&btf, "pid") < btf.n_types);
	btf_structure_bytes(&btf, structure ? structure : 1);
	require(btf_pointer_bytes(&btf) == 4 || btf_pointer_bytes(&btf) == 8);
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (btf_member(&btf, structure ? structure : 1, names[i], &member)) {
			type = btf_structure_of(&btf, member.type);
			require(member.bytes <= 8 && type < btf.n_types);
			btf_structure_bytes(&btf, btf_element(&btf, member.type));
			require(btf_n_parameters(&btf, member.type) <= UINT16_MAX);
		} else if (btf_bit(&btf, structure ? structure : 1, names[i], &offset, &bit)) {
			require(bit != 0);
		}
}

FUZZ_TARGET(softnet)
{
	struct span text = input(data, size);
	struct softnet_line line;

	while (softnet_next(&text, &line))
		require(line.cpu == U64_UNKNOWN || line.cpu <= UINT32_MAX);
}

FUZZ_TARGET(kallsyms)
{
	struct span text = input(data, size);
	struct kallsyms_line line;

	while (kallsyms_next(&text, &line))
		require(span_length(line.name) > 0);
}

/* Sorted and apart, each one is found from its first to its last byte, and not behind that. */
static void require_symbols(struct symbols *symbols)
{
	symbols_sort(symbols);
	for (size_t i = 0; i < symbols->count; i++) {
		const struct symbol *symbol = &symbols->list[i];
		uint64_t end = symbol->address + symbol->bytes, offset, last;
		const char *name;

		require(end >= symbol->address && (i + 1 == symbols->count || end <= symbol[1].address));
		if (symbol->bytes == 0)
			continue;
		name = symbols_find(symbols, symbol->address, &offset);
		require(name == symbols->names.bytes + symbol->name && strlen(name) > 0);
		require(strlen(name) <= SYMBOL_NAME_MAX && (offset > 0) == symbol->is_rest);
		require(symbols_find(symbols, end - 1, &last) == name && last - offset == symbol->bytes - 1);
		if (i + 1 == symbols->count || end < symbol[1].address)
			require(!symbols_find(symbols, end, &offset));
	}
	symbols_free(symbols);
}

/* Behind a byte that is left out: seeds that begin as programs would be taken for programs of a package. */
FUZZ_TARGET(elf_file)
{
	struct span whole = input(data, size), bytes = span_of(whole.at + (size > 0), size - (size > 0));
	struct symbols symbols = { 0 };
	struct elf_file file;
	uint64_t address = 0, pointer;

	if (!elf_file_parse(&file, bytes))
		return;
	require_inside(file.segments, bytes);
	require_inside(file.sections, bytes);
	require_inside(file.build_id, bytes);
	require_inside(file.debug_link, bytes);
	require_inside(file.go_table, bytes);
	require(span_length(file.build_id) <= ELF_BUILD_ID_MAX);
	require(span_length(file.debug_link) == 0 ||
		!memchr(file.debug_link.at, '/', span_length(file.debug_link)));
	for (uint64_t offset = 0; offset < size; offset += 61)
		if (elf_file_address(&file, offset, &address))
			elf_file_pointer(&file, address, &pointer);
	elf_file_start(&file, address, &pointer);
	if (elf_file_functions(&file, &symbols) == ELF_TABLE_NONE)
		require(symbols.count == 0);
	go_functions(&file, &symbols);
	require_symbols(&symbols);
}

/* All symbols, and all probes: of the notes of the file, and of all of it. */
FUZZ_TARGET(usdt)
{
	struct span whole = input(data, size), bytes = span_of(whole.at + (size > 0), size - (size > 0));
	struct span rest;
	struct elf_symbols symbols;
	struct elf_symbol symbol;
	struct usdt_place place;
	struct elf_file file;
	uint64_t offset;

	if (!elf_file_parse(&file, bytes))
		return;
	elf_symbols_begin(&symbols, &file);
	while (elf_symbols_next(&symbols, &symbol)) {
		require(span_length(symbol.name) > 0 && span_length(symbol.name) <= SYMBOL_NAME_MAX + 1);
		require_inside(symbol.name, bytes);
		if (elf_file_offset(&file, symbol.address, &offset))
			require(offset < size);
	}
	for (unsigned i = 0; i < 2; i++) {
		rest = i == 0 ? file.probe_notes : bytes;
		while (usdt_next(&file, &rest, &place)) {
			require(place.offset < size && place.semaphore_offset < size);
			require_inside(place.provider, bytes);
			require_inside(place.name, bytes);
		}
	}
}

FUZZ_TARGET(probe_name)
{
	struct span text = input(data, size);
	struct probe_name name;

	if (probe_name_parse(&name, text)) {
		require(span_length(name.file) > 0 && span_length(name.function) > 0);
		require_inside(name.file, text);
		require_inside(name.provider, text);
		require_inside(name.function, text);
	}
	probe_name_matches(&(struct probe_name){ .file = span_text("libfoo") }, text);
}

/* Without and with functions of other sources. */
FUZZ_TARGET(go_functions)
{
	struct symbols symbols = { 0 };

	if (go_functions_add(input(data, size), 0x401000, &symbols))
		require(symbols.count <= size / 8);
	symbols_add(&symbols, 0x401010, 0, span_text("guessed"), true);
	require_symbols(&symbols);
}

FUZZ_TARGET(perf_map)
{
	struct symbols symbols = { 0 };
	size_t n_read = perf_map_functions(input(data, size), &symbols);

	require(n_read <= size && (n_read == 0 || data[n_read - 1] == '\n'));
	require_symbols(&symbols);
}

FUZZ_TARGET(slabinfo)
{
	struct span text = input(data, size);
	struct slabinfo_line line;

	while (slabinfo_next(&text, &line))
		require(span_length(line.name) > 0 && *line.name.at != '#');
}

FUZZ_TARGET(resctrl)
{
	struct span text = input(data, size), part, other;
	struct resctrl_shares shares = { .rest = text };
	struct resctrl_share share;
	uint64_t value;

	while (resctrl_share_next(&shares, &share)) {
		require(share.value.at >= text.at && share.value.end <= text.end);
		resctrl_mask(share.value, &value);
	}
	require((resctrl_count(text, &value) == RESCTRL_COUNTED) || value == U64_UNKNOWN);
	resctrl_domain(text, "mon_L3_", &value);
	require(!resctrl_groups(text, &part, &other) || span_length(part) > 0);
}

/* The first byte is the number of events. */
FUZZ_TARGET(perf_read)
{
	uint64_t values[UINT8_MAX];
	struct perf_times times;
	size_t n_values = size > 0 ? data[0] : 0;

	if (size == 0 || !perf_read_parse(input(data + 1, size - 1), values, n_values, &times))
		return;
	require(size - 1 == (3 + n_values) * sizeof(uint64_t));
	for (size_t i = 0; i < n_values; i++) {
		uint64_t scaled = perf_scaled(values[i], times);

		require((scaled == U64_UNKNOWN) >= (times.running_ns == 0));
		require(scaled >= values[i] || times.running_ns >= times.enabled_ns ||
			values[i] > UINT64_C(1) << 52); /* beyond what a double holds exactly */
	}
}

FUZZ_TARGET(cpu_list)
{
	struct span text = input(data, size), rest = text;
	uint32_t first, last;

	while (cpu_list_next(&rest, &first, &last)) {
		require_inside(rest, text);
		require(first <= last && last < CPU_LIST_MAX);
		require(cpu_list_has(text, first) && cpu_list_has(text, last));
	}
}

FUZZ_TARGET(cpu_times)
{
	struct span text = input(data, size), rest = text;
	struct cpu_times times;
	uint64_t cpu;
	double hertz;

	while (cpu_times_next(&rest, &times))
		require(times.idle != U64_UNKNOWN);
	require_inside(rest, text);
	for (rest = text; cpuinfo_next_speed(&rest, &cpu, &hertz);)
		require(hertz >= 0);
	cpuinfo_is_virtual(text);
	require_inside(rest, text);
}

FUZZ_TARGET(passwd)
{
	struct span text = input(data, size), name;
	uint32_t number;

	for (uint32_t uid = 0; uid < 3; uid++)
		if (passwd_find(text, uid, &name)) {
			require_inside(name, text);
			require(passwd_number(text, name, &number));
		}
}

FUZZ_TARGET(settings)
{
	struct config_lines lines = { 0 }, again = { 0 };
	struct settings settings;
	struct buffer file = { 0 };

	config_lines_parse(&lines, input(data, size));
	settings_open(&settings);
	for (size_t i = 0; i < lines.n_items; i++) {
		bool valid = settings_set(&settings, lines.items[i].name, lines.items[i].value, i + 1);

		require(valid == (settings_text(&settings, lines.items[i].name) != NULL));
	}
	settings_close(&settings);
	config_lines_rewrite(&lines, span_text(""), NULL, &file);
	/* a name that begins with # or holds a NUL does not come back as it was */
	require(config_lines_parse(&again, span_of(file.bytes, file.length)) == 0 ||
		(size && memchr(data, '\0', size)) || (size && memchr(data, '#', size)));
	buffer_free(&file);
	config_lines_free(&lines);
	config_lines_free(&again);
}

FUZZ_TARGET(theme)
{
	struct palette palette = *theme_file();
	struct config_lines lines = { 0 };

	config_lines_parse(&lines, input(data, size));
	for (size_t i = 0; i < lines.n_items; i++) {
		int name = palette_find(lines.items[i].name);

		if (name >= 0)
			palette_set(&palette, (enum palette_name)name, lines.items[i].value);
	}
	for (int i = 0; i < N_PALETTE_NAMES; i++)
		require(palette.colors[i] < 256 &&
			palette.colors[i] >= (i <= PALETTE_TEXT ? PALETTE_OWN : 0));
	theme_set_file(&palette);
	for (int i = 0; i < N_STYLES; i++) {
		struct theme_colors colors = theme_colors(THEME_FILE, (enum style)i);

		require(colors.front >= PALETTE_OWN && colors.front < 256 && colors.back >= PALETTE_OWN &&
			colors.back < 256);
	}
	config_lines_free(&lines);
}

/* Whatever comes in, what goes out is valid UTF-8 that no terminal acts upon. */
FUZZ_TARGET(text)
{
	struct buffer text = { 0 }, clean = { 0 };
	struct span rest;
	int cells;

	buffer_add(&text, (const char *)data, size);
	buffer_char(&text, '\0');
	cells = utf8_clean(&clean, text.bytes, 40, false);
	require(cells <= 40);
	rest = span_of(clean.bytes, clean.length);
	while (rest.at < rest.end)
		require(!utf8_is_harmful(utf8_next(&rest)));
	buffer_free(&text);
	buffer_free(&clean);
}

FUZZ_TARGET(maps)
{
	struct span text = input(data, size), rest = text;
	struct maps_region region;
	struct smaps_sizes sizes;
	size_t n_regions = 0;

	for (; maps_next(&rest, &region); n_regions++) {
		require(region.start < region.end);
		require(span_length(region.permissions) == MAPS_PERMISSIONS);
		require_inside(region.path, text);
	}
	for (rest = text; smaps_next(&rest, &region, &sizes); n_regions--)
		require_inside(region.path, text);
	require(n_regions == 0);
}

FUZZ_TARGET(numa_maps)
{
	struct span text = input(data, size), rest = text;
	struct numa_region region;
	uint64_t node, pages;

	while (numa_maps_next(&rest, &region)) {
		require_inside(region.rest, text);
		require(region.page_bytes % 1024 == 0);
		while (numa_region_next(&region, &node, &pages))
			require_inside(region.rest, text);
	}
}

FUZZ_TARGET(damon_stat)
{
	int64_t idle[DAMON_PERCENTILES];

	if (!damon_percentiles_parse(input(data, size), idle))
		return;
	for (unsigned i = 1; i < DAMON_PERCENTILES; i++)
		require(idle[i - 1] <= idle[i]);
	require(!damon_percentiles_are_new(idle) || (idle[0] == 0 && idle[DAMON_PERCENTILES - 1] == 0));
}

/* Cells never hold more pages than there are, and however they are cut, all pages of all regions. */
FUZZ_TARGET(page_layout)
{
	struct page_snapshot view = { .page_bytes = 4096 };
	struct cell_layout layout = { .most = size > 0 ? (size_t)data[0] + 1 : 1 };
	uint64_t pages = 0;

	layout.fold_pages = size > 1 && data[1] & 1 ? data[1] : 0;
	page_snapshot_parse(&view, input(data, size));
	page_snapshot_cut(&view, &layout);
	require(view.n_cells <= layout.most);
	for (size_t i = 0; i < view.n_cells; i++) {
		require(view.cells[i].start < view.cells[i].end);
		require(i == 0 || view.cells[i - 1].end <= view.cells[i].start);
		pages += view.cells[i].counts.pages;
	}
	require(pages == view.total.pages);
	page_snapshot_free(&view);
}

FUZZ_TARGET(pagemap)
{
	struct page_counts counts = { 0 };
	struct pagemap_entry page;
	uint64_t entries[512];
	size_t n = size / sizeof(*entries), present = 0, swapped = 0;

	if (n > 512)
		n = 512;
	memcpy(entries, data, n * sizeof(*entries));
	pagemap_count(entries, n, &counts);
	for (size_t i = 0; i < n; i++) {
		char text[PAGE_FLAGS_TEXT_MAX];

		pagemap_decode(entries[i], &page);
		present += page.present;
		swapped += page.swapped;
		require(strlen(page_flags_text(text, entries[i])) < sizeof(text));
	}
	require(counts.pages == n && counts.present == present && counts.swapped == swapped);
	require(counts.file <= present && counts.exclusive <= present);
	require(counts.soft_dirty <= present + swapped);
}

FUZZ_TARGET(pid_status)
{
	struct span text = input(data, size), value;
	struct pid_signals signals;
	struct pid_status status;

	pid_status_parse(text, &status);
	require(status.vm_resident == U64_UNKNOWN || status.vm_resident % 1024 == 0);
	if (pid_status_line(text, "Cpus_allowed_list", &value))
		require_inside(value, text);
	pid_status_signals(text, &signals);
}

FUZZ_TARGET(smaps_rollup)
{
	struct span text = input(data, size), rest = text, name;
	uint64_t bytes, shares;

	while (smaps_rollup_next(&rest, &name, &bytes))
		require(bytes % 1024 == 0);
	if (smaps_rollup_parse(text, &shares))
		require(shares % 1024 == 0);
}

/* The same bytes as a link, and as what fdinfo has. */
FUZZ_TARGET(pid_fd)
{
	struct span text = input(data, size);
	char flags[PID_FD_FLAGS_MAX];
	struct pid_fd_link link;
	struct pid_fd_info info;

	pid_fd_link_parse(text, &link);
	require_inside(link.path, text);
	if (!link.kind)
		require_inside(link.anonymous, text);
	pid_fd_info_parse(text, &info);
	require(strlen(pid_fd_flags_text(info.flags, flags)) < sizeof(flags));
}

FUZZ_TARGET(drm_client)
{
	struct span text = input(data, size);
	static struct drm_client client;

	if (!drm_client_parse(text, &client))
		return;
	require_inside(client.driver, text);
	if (span_length(client.device) > 0)
		require_inside(client.device, text);
	require(client.n_engines <= DRM_ENGINES_MAX && client.n_regions <= DRM_REGIONS_MAX);
	for (size_t i = 0; i < client.n_engines; i++) {
		require_inside(client.engines[i].name, text);
		require(span_length(client.engines[i].name) < DRM_NAME_MAX);
		require(client.engines[i].capacity > 0);
	}
	for (size_t i = 0; i < client.n_regions; i++)
		require_inside(client.regions[i].name, text);
	if (drm_client_local(&client) != U64_UNKNOWN && drm_client_memory(&client) != U64_UNKNOWN)
		require(drm_client_local(&client) <= drm_client_memory(&client));
}

FUZZ_TARGET(pid_limits)
{
	struct span text = input(data, size);
	struct pid_limit limit;

	while (pid_limits_next(&text, &limit)) {
		require_inside(limit.name, input(data, size));
		require(span_length(limit.name) > 0);
	}
}

FUZZ_TARGET(timens)
{
	int64_t ahead_ns = 0;

	if (!timens_offset(input(data, size), "monotonic", &ahead_ns))
		require(ahead_ns == 0);
}

FUZZ_TARGET(pid_syscall)
{
	struct pid_syscall call;

	if (!pid_syscall_parse(input(data, size), &call))
		return;
	require(call.running + call.none <= 1);
	if (!call.running && !call.none)
		require(pid_syscall_fd(&call) >= -1);
	pid_syscall_name(&call);
}

FUZZ_TARGET(net_socket)
{
	struct span text = input(data, size);
	struct net_socket socket;
	struct net_unix local;

	while (net_socket_next(&text, size % 2, &socket))
		require(strlen(socket.local) < sizeof(socket.local) &&
			strlen(socket.remote) < sizeof(socket.remote) && socket.state != NULL);
	text = input(data, size);
	while (net_unix_next(&text, &local)) {
		require_inside(local.path, input(data, size));
		require(local.state != NULL);
	}
}

FUZZ_TARGET(mounts)
{
	struct span directory;

	if (mounts_find(input(data, size), "tracefs", &directory))
		require_inside(directory, input(data, size));
	if (mounts_option(input(data, size), "proc", "/proc", "hidepid", &directory))
		require_inside(directory, input(data, size));
}

/* A name of a zone; its bytes are also the four numbers of a step of a counter. */
FUZZ_TARGET(powercap)
{
	struct span name = input(data, size);
	struct powercap_zone zone;
	uint64_t numbers[3] = { 0 };
	struct energy_step step;

	if (powercap_zone_parse(name, &zone)) {
		require_inside(zone.control, name);
		require_inside(zone.parent, name);
		require(span_length(zone.parent) == 0 || zone.parent.end < name.end);
		require(powercap_rank(zone.control) <= 3);
	}
	require(powercap_part(name) <= POWERCAP_OTHER);
	memcpy(numbers, data, size < sizeof(numbers) ? size : sizeof(numbers));
	step = energy_step(numbers[0], numbers[1], numbers[2], 2, 1000);
	require(step.grown_uj == U64_UNKNOWN || numbers[1] >= numbers[0] || step.wrapped);
	require(!step.wrapped || (double)step.grown_uj <= 2e9);
}

FUZZ_TARGET(power_supply)
{
	struct span text = input(data, size);
	struct power_supply supply;
	double watts, charge;

	power_supply_parse(text, &supply);
	watts = power_supply_watts(&supply);
	charge = power_supply_charge(&supply);
	require(isnan(watts) || watts >= 0);
	require(isnan(charge) || charge >= 0);
	if (span_length(supply.status) > 0)
		require_inside(supply.status, text);
}

FUZZ_TARGET(hwmon)
{
	struct span name = input(data, size), item;
	enum sensor_kind kind;
	uint64_t number;

	if (hwmon_name_parse(name, &kind, &number, &item))
		require(kind < N_SENSOR_KINDS && number <= 4096 && span_length(item) > 0);
}

FUZZ_TARGET(pmu_event)
{
	uint64_t event;
	double scale = 0;

	pmu_event_parse(input(data, size), &event);
	if (pmu_scale_parse(input(data, size), &scale))
		require(isfinite(scale) && scale > 0);
}

/* What was understood can be written, and is then understood as the same. */
FUZZ_TARGET(power_fit)
{
	struct power_fit fit, again;
	struct buffer text = { 0 };

	if (!power_fit_parse(&fit, input(data, size)))
		return;
	power_fit_write(&fit, &text);
	require(power_fit_parse(&again, span_of(text.bytes, text.length)));
	require(again.cpus == fit.cpus);
	buffer_free(&text);
}

static size_t play(struct source *source, struct frame *frames)
{
	size_t count = 0;

	for (frame_clear(&frames[0]); source->next(source->state, &frames[count % 2]) == 1; count++) {
		frame_derive(&frames[count % 2], &frames[(count + 1) % 2]);
		frame_clear(&frames[(count + 1) % 2]);
	}
	return count;
}

/* The frames stay open from run to run: they cost more than what is played. */
static struct frame *empty_frames(void)
{
	static struct frame frames[2];

	if (frames[0].n_tables == 0) {
		frame_open(&frames[0], topic_schemas(), n_topics);
		frame_open(&frames[1], topic_schemas(), n_topics);
	}
	frame_clear(&frames[0]);
	frame_clear(&frames[1]);
	return frames;
}

static void play_twice(int fd)
{
	struct recording_input recording = { .fd = fd, .schemas = topic_schemas(), .n_schemas = n_topics };
	struct frame *frames;
	struct source source;
	const char *why;
	size_t count;

	if (replay_open(&source, &recording, &why) < 0)
		return;
	frames = empty_frames();
	count = play(&source, frames);
	source.find(source.state, 1);
	if (source.seek(source.state, 0) == 0) {
		frames = empty_frames();
		require(play(&source, frames) == count);
	}
	source.close(source.state);
}

/* Whatever is in it, it plays twice the same. */
FUZZ_TARGET(replay)
{
	int fd = memfd_create("fuzz", MFD_CLOEXEC);

	require(fd >= 0 && write(fd, data, size) == (ssize_t)size);
	play_twice(fd);
}

FUZZ_TARGET(stored_series)
{
	static const struct stored_steps steps = { .first = 1000, .seconds = 15, .n = 3 };
	static struct stored_series *stored;
	struct prometheus_answer answer = { .take = stored_series_take };
	const char *why;

	if (!stored)
		stored = stored_series_open(topic_schemas(), n_topics);
	answer.context = stored;
	stored_series_begin(stored, &steps);
	if (prometheus_answer_add(&answer, input(data, size), &why) == 0)
		prometheus_answer_end(&answer, &why);
	prometheus_answer_free(&answer);
	for (unsigned step = 0; step < steps.n; step++) {
		struct frame *frames = empty_frames();

		stored_series_fill(stored, STORED_ALL, step, &frames[0]);
		frame_derive(&frames[0], &frames[1]);
	}
}

static uint8_t take_byte(struct span *rest)
{
	return rest->at < rest->end ? (uint8_t)*rest->at++ : 0;
}

/* A section: its id, two bytes of length, its content. */
static void add_section(struct block_builder *builder, struct span *rest)
{
	unsigned id = take_byte(rest);
	size_t length = take_byte(rest) | (size_t)take_byte(rest) << 8;
	struct buffer content = { 0 };

	if (length > span_length(*rest))
		length = span_length(*rest);
	buffer_add(&content, rest->at, length);
	rest->at += length;
	if (content.length > 0)
		block_add_section(builder, id >= 0xf8 ? 0xff00 | id : id, &content);
	buffer_free(&content);
}

/* The content of its blocks, whose checksums and sizes are right. */
FUZZ_TARGET(recording)
{
	static struct block_builder builder; /* open from run to run: zstd's memory costs more than a run */
	static struct buffer out;
	struct span rest = span_of((const char *)data, size);
	uint64_t first_frame = 0;
	int fd = memfd_create("fuzz", MFD_CLOEXEC);

	buffer_empty(&out);
	recording_header_add(&out);
	if (!builder.zstd)
		block_builder_open(&builder);
	while (rest.at < rest.end) {
		struct block_header header = { .kind = (enum block_kind)(take_byte(&rest) & 3) };
		uint8_t n_sections;

		header.in_chain = take_byte(&rest);
		header.n_frames = take_byte(&rest);
		header.first_frame = first_frame;
		first_frame += header.n_frames;
		for (n_sections = take_byte(&rest); n_sections > 0; n_sections--)
			add_section(&builder, &rest);
		block_finish(&builder, &header, NULL, &out);
	}
	require(fd >= 0 && write(fd, out.bytes, out.length) == (ssize_t)out.length);
	play_twice(fd);
}

FUZZ_TARGET(interrupts)
{
	struct span text = input(data, size), rest = text, heading;
	struct interrupt_line line;
	uint64_t count;
	uint32_t cpu;

	if (!span_line(&rest, &heading))
		return;
	while (interrupt_cpu_next(&heading, &cpu))
		require(cpu < CPU_LIST_MAX);
	while (interrupt_next(&rest, &line)) {
		require_inside(line.label, text);
		require(span_length(line.label) > 0);
		while (span_u64(&line.counts, &count))
			require_inside(line.counts, text);
		require_inside(interrupt_name(&line), text);
	}
}

FUZZ_TARGET(net_snmp)
{
	struct span text = input(data, size);

	net_snmp_find(text, "Ip", "ForwDatagrams");
	net_snmp_find(text, "Tcp", "");
	net_snmp6_find(text, "Ip6OutForwDatagrams");
}

FUZZ_TARGET(sockstat)
{
	sockstat_tcp(input(data, size));
}

FUZZ_TARGET(sock_diag)
{
	struct span text = input(data, size), rest = text, value;
	struct netlink_message message;
	char address[SOCK_DIAG_ADDRESS_MAX];
	struct sock_diag diag;

	while (netlink_next(&rest, &message)) {
		if (netlink_attribute(message.payload, 1, &value))
			require_inside(value, message.payload);
		if (!sock_diag_parse(message.payload, &diag))
			continue;
		require(strlen(sock_diag_address(&diag, false, address)) >= 4);
		require(strlen(sock_diag_address(&diag, true, address)) >= 4);
		require(sock_diag_state(&diag, true) && sock_diag_state(&diag, false));
	}
	require_inside(rest, text);
}

FUZZ_TARGET(qdisc)
{
	struct span text = input(data, size), rest = text;
	struct netlink_message message;
	struct qdisc qdisc;

	while (netlink_next(&rest, &message)) {
		if (!qdisc_parse(message.payload, &qdisc))
			continue;
		require(qdisc_dropped(&qdisc, &qdisc) == 0);
	}
	require_inside(rest, text);
}

FUZZ_TARGET(diskstats)
{
	struct span text = input(data, size), disk = { 0 };
	struct disk_stats stats;
	char head[DISK_HEAD_MAX];

	while (disk_stats_next(&text, &stats)) {
		require(span_length(stats.name) > 0);
		disk_is_stacked(stats.name);
		disk_path_head(stats.name, head);
		if (!disk_is_partition(disk, stats.name))
			disk = stats.name;
		else
			require(span_length(stats.name) > span_length(disk));
	}
}

FUZZ_TARGET(condition)
{
	struct span text = input(data, size), rest = text, wrong;
	struct condition condition;

	do {
		enum condition_error error = condition_parse(&rest, &condition, &wrong);

		require_inside(rest, text);
		require_inside(wrong, text);
		require_inside(condition.text, text);
		require(condition.n_selects <= CONDITION_SELECTS_MAX);
		if (error)
			return;
		require(span_length(condition.topic) > 0 && !isnan(condition.limit));
		for (unsigned i = 0; i < condition.n_selects; i++)
			require(strlen(condition.selects[i].value) < CONDITION_VALUE_MAX);
	} while (span_char(&rest, ','));
}

FUZZ_TARGET(rule)
{
	struct span text = input(data, size), wrong = text;
	struct rule rule;
	enum rule_error error = rule_parse(text, &rule, &wrong);

	require_inside(rule.text, text);
	require_inside(wrong, text);
	if (error)
		return;
	require(span_length(rule.when.topic) > 0 && rule.hold_seconds >= 0 && rule.rest_seconds >= 0);
	require(!rule.has_until || span_length(rule.until.topic) > 0);
}

FUZZ_TARGET(mountinfo)
{
	struct span text = input(data, size), rest = text;
	struct mount_info info;

	while (mountinfo_next(&rest, &info)) {
		char *point = mountinfo_text(info.point);

		require_inside(info.point, text);
		require_inside(info.source, text);
		require(strlen(point) > 0 && strlen(point) <= span_length(info.point));
		require(mountinfo_byte(&info.point) == *point);
		free(point);
	}
}

FUZZ_TARGET(net_dev)
{
	struct span text = input(data, size);
	struct net_interface interface;

	while (net_interface_next(&text, &interface))
		require(span_length(interface.name) > 0 && *interface.name.at != ' ');
}

/* Byte by byte as of a connection: what was found stays so, and lies inside. */
FUZZ_TARGET(stream_start)
{
	struct span bytes = input(data, size);
	enum stream_start found = STREAM_MORE;
	size_t at = 0, first = 0;

	for (size_t length = 0; length <= size; length += 1 + length / 8) {
		enum stream_start now = stream_find_start(span_of(bytes.at, length), &at);

		require(at <= length);
		require(found == STREAM_MORE || now == found);
		require(found != STREAM_WHOLE || at == first);
		first = at;
		found = now;
	}
}

/* What ssh says is one line without a newline, inside of what it wrote. */
FUZZ_TARGET(ssh_line)
{
	struct span bytes = input(data, size), line = ssh_last_line(bytes);

	require(line.at >= bytes.at && line.end <= bytes.end && line.at <= line.end);
	require(span_length(line) == 0 || !memchr(line.at, '\n', span_length(line)));
}

/* No text makes markup or grows where names are hidden in it, and what is not hidden keeps its order. */
FUZZ_TARGET(report_text)
{
	struct page page = { 0 };
	struct buffer hidden = { 0 };
	const char *rest;
	char *text = malloc(size + 1);

	require(text != NULL);
	memcpy(text, data, size);
	text[size] = '\0';
	hidden_names_add(&hidden, text);
	require(hidden.length <= strlen(text) && hidden.bytes[hidden.length] == '\0');
	rest = text;
	for (size_t i = 0; i < hidden.length; i++) {
		const char *found = hidden.bytes[i] == '*' ? rest : strchr(rest, hidden.bytes[i]);

		require(found != NULL);
		rest = hidden.bytes[i] == '*' ? rest : found + 1;
	}
	page_foreign(&page, text);
	for (size_t i = 0; i < page.out.length; i++)
		require(!strchr("<>\"'", page.out.bytes[i]) || page.out.bytes[i] == '\0');
	buffer_free(&hidden);
	page_free(&page);
	free(text);
}
