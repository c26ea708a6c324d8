/* SPDX-License-Identifier: GPL-2.0-or-later */
/* bpf(2), which the C library has no function for. */
#include <config.h>

#include "sys/bpf/syscall.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include "sys/perf_ring.h"
#include "sys/privilege.h"

static const union bpf_attr none; /* all bytes are 0, as the kernel wants those that a command does not use */

static long call(const struct bpf_calls *by, enum bpf_cmd command, union bpf_attr *attr)
{
	uint64_t raised;
	long result;

	if (by)
		return by->call(command, attr);
	raised = privilege_raise(PRIVILEGE_BPF);
	result = system_call(SYS_bpf, command, attr, sizeof(*attr));

	privilege_lower(raised);
	return result < 0 ? -errno : result;
}

static uint64_t address(const void *bytes)
{
	return (uint64_t)(uintptr_t)bytes;
}

/* Before Linux 5.11 maps and programs count as locked memory: as much as root, or the limit, permits. */
static long create(const struct bpf_calls *by, enum bpf_cmd command, union bpf_attr *attr)
{
	const struct rlimit unlimited = { RLIM_INFINITY, RLIM_INFINITY };
	long result = call(by, command, attr);
	struct rlimit before, more;
	uint64_t raised;

	if (result != -EPERM || getrlimit(RLIMIT_MEMLOCK, &before) != 0)
		return result;
	more = (struct rlimit){ before.rlim_max, before.rlim_max };
	raised = privilege_raise(PRIVILEGE_BPF);
	if (setrlimit(RLIMIT_MEMLOCK, &unlimited) == 0 || setrlimit(RLIMIT_MEMLOCK, &more) == 0) {
		result = call(by, command, attr);
		setrlimit(RLIMIT_MEMLOCK, &before);
	}
	privilege_lower(raised);
	return result;
}

static int create_map(const struct bpf_calls *by, enum bpf_map_type type, size_t key_bytes,
		      size_t value_bytes, size_t n_entries, uint32_t flags)
{
	union bpf_attr attr = none;

	attr.map_flags = flags;
	attr.map_type = type;
	attr.key_size = (uint32_t)key_bytes;
	attr.value_size = (uint32_t)value_bytes;
	attr.max_entries = (uint32_t)n_entries;
	snprintf(attr.map_name, sizeof(attr.map_name), "panetop");
	return (int)create(by, BPF_MAP_CREATE, &attr);
}

int bpf_map_open(const struct bpf_calls *by, enum bpf_map_type type, size_t key_bytes, size_t value_bytes,
		 size_t n_entries)
{
	return create_map(by, type, key_bytes, value_bytes, n_entries, 0);
}

int bpf_shared_array_open(const struct bpf_calls *by, size_t value_bytes, size_t n_values, void **memory)
{
	int map = create_map(by, BPF_MAP_TYPE_ARRAY, sizeof(uint32_t), value_bytes, n_values, BPF_F_MMAPABLE);
	void *mapped;
	int error;

	if (map < 0)
		return map;
	mapped = mmap(NULL, value_bytes * n_values, PROT_READ | PROT_WRITE, MAP_SHARED, map, 0);
	if (mapped == MAP_FAILED) {
		error = -errno;
		close(map);
		return error;
	}
	*memory = mapped;
	return map;
}

static int load(const struct bpf_calls *by, union bpf_attr *attr, const struct bpf_code *code,
		const char *name)
{
	attr->insns = address(code->insns);
	attr->insn_cnt = code->count;
	attr->license = address("GPL");
	snprintf(attr->prog_name, sizeof(attr->prog_name), "%s", name);
	return (int)create(by, BPF_PROG_LOAD, attr);
}

int bpf_program_open(const struct bpf_calls *by, enum bpf_prog_type type, const struct bpf_code *code,
		     const char *name)
{
	union bpf_attr attr = none;

	attr.prog_type = type;
	return load(by, &attr, code, name);
}

int bpf_typed_program_open(const struct bpf_calls *by, const struct bpf_code *code, const char *name,
			   uint32_t type, bool iterates)
{
	union bpf_attr attr = none;

	attr.prog_type = BPF_PROG_TYPE_TRACING;
	attr.expected_attach_type = iterates ? BPF_TRACE_ITER : BPF_TRACE_RAW_TP;
	attr.attach_btf_id = type;
	return load(by, &attr, code, name);
}

static int start_iteration(const struct bpf_calls *by, int program)
{
	union bpf_attr attr = none;
	int link, iteration;

	attr.link_create.prog_fd = (uint32_t)program;
	attr.link_create.attach_type = BPF_TRACE_ITER;
	link = (int)call(by, BPF_LINK_CREATE, &attr);
	if (link < 0)
		return link;
	attr = none;
	attr.iter_create.link_fd = (uint32_t)link;
	iteration = (int)call(by, BPF_ITER_CREATE, &attr);
	close(link);
	return iteration;
}

int bpf_iterate(const struct bpf_calls *by, int program)
{
	int iteration = start_iteration(by, program);
	char ignored[64];
	ssize_t length;

	if (iteration < 0)
		return iteration;
	do
		length = read(iteration, ignored, sizeof(ignored));
	while (length > 0 || (length < 0 && errno == EAGAIN));
	length = length < 0 ? -errno : 0;
	close(iteration);
	return (int)length;
}

int bpf_run(const struct bpf_calls *by, int program)
{
	union bpf_attr attr = none;

	attr.test.prog_fd = (uint32_t)program;
	return (int)call(by, BPF_PROG_TEST_RUN, &attr);
}

int bpf_attach_raw(const struct bpf_calls *by, int program, const char *tracepoint)
{
	union bpf_attr attr = none;

	attr.raw_tracepoint.name = tracepoint ? address(tracepoint) : 0;
	attr.raw_tracepoint.prog_fd = (uint32_t)program;
	return (int)call(by, BPF_RAW_TRACEPOINT_OPEN, &attr);
}

/*
 * The program runs on all CPUs, whichever one the event is of; that one must be online. The event itself is
 * disabled.
 */
int bpf_attach_tracepoint(const struct bpf_calls *by, int program, uint64_t id)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_TRACEPOINT, .size = sizeof(attr), .config = id, .disabled = 1
	};
	int event = -ENODEV, error;

	if (by)
		return by->attach(program, id);
	for (unsigned cpu = 0; cpu < env_cpus() && event == -ENODEV; cpu++)
		event = perf_open(&real_perf, &attr, -1, (int)cpu, -1);
	if (event < 0 || ioctl(event, PERF_EVENT_IOC_SET_BPF, program) == 0)
		return event;
	error = -errno;
	close(event);
	return error;
}

uint64_t bpf_program_misses(const struct bpf_calls *by, int program)
{
	struct bpf_prog_info info = { 0 };
	union bpf_attr attr = none;

	attr.info.bpf_fd = (uint32_t)program;
	attr.info.info_len = sizeof(info);
	attr.info.info = address(&info);
	return call(by, BPF_OBJ_GET_INFO_BY_FD, &attr) < 0 ? 0 : info.recursion_misses;
}

static int call_element(const struct bpf_calls *by, enum bpf_cmd command, int map, const void *key,
			const void *value)
{
	union bpf_attr attr = none;

	attr.map_fd = (uint32_t)map;
	attr.key = address(key);
	attr.value = address(value);
	return (int)call(by, command, &attr);
}

int bpf_map_set(const struct bpf_calls *by, int map, const void *key, const void *value)
{
	return call_element(by, BPF_MAP_UPDATE_ELEM, map, key, value);
}

int bpf_map_value(const struct bpf_calls *by, int map, const void *key, void *value)
{
	return call_element(by, BPF_MAP_LOOKUP_ELEM, map, key, value);
}

void bpf_map_remove(const struct bpf_calls *by, int map, const void *key)
{
	call_element(by, BPF_MAP_DELETE_ELEM, map, key, NULL);
}

long bpf_map_entries(const struct bpf_calls *by, int map, uint64_t *token, bool *goes_on, void *keys,
		     void *values, size_t n_room)
{
	union bpf_attr attr = none;
	uint64_t next = 0;
	long error;

	attr.batch.map_fd = (uint32_t)map;
	attr.batch.in_batch = *goes_on ? address(token) : 0;
	attr.batch.out_batch = address(&next);
	attr.batch.keys = address(keys);
	attr.batch.values = address(values);
	attr.batch.count = (uint32_t)n_room;
	error = call(by, BPF_MAP_LOOKUP_BATCH, &attr);
	if (error < 0 && error != -ENOENT)
		return error;
	*goes_on = error == 0;
	*token = next;
	return attr.batch.count;
}
