/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Maps or reads the kernel's BTF. */
#include <config.h>

#include "topic/trace/kernel_types.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/alloc.h"

#define PATH "sys/kernel/btf/vmlinux"
#define NAME_BYTES 64

static int read_all(int fd, char *bytes, size_t length)
{
	size_t done = 0;
	ssize_t more;

	while (done < length && (more = read(fd, bytes + done, length - done)) > 0)
		done += (size_t)more;
	return done == length ? 0 : -EIO;
}

/* It can be mapped since Linux 6.16. */
int kernel_types_open(struct kernel_types *types, const struct env *env)
{
	int fd = env_open_file(env, PATH), error = 0;
	struct stat status;

	*types = (struct kernel_types){ 0 };
	if (fd < 0)
		return fd;
	if (fstat(fd, &status) < 0 || status.st_size <= 0) {
		close(fd);
		return -ENODATA;
	}
	types->length = (size_t)status.st_size;
	types->bytes = mmap(NULL, types->length, PROT_READ, MAP_PRIVATE, fd, 0);
	types->mapped = types->bytes != MAP_FAILED;
	if (!types->mapped) {
		types->bytes = alloc_zeroed(types->length, 1);
		error = read_all(fd, types->bytes, types->length);
	}
	close(fd);
	if (!error && !btf_open(&types->btf, span_of(types->bytes, types->length)))
		error = -ENODATA;
	if (error)
		kernel_types_close(types);
	return error;
}

void kernel_types_close(struct kernel_types *types)
{
	if (types->mapped)
		munmap(types->bytes, types->length);
	else
		free(types->bytes);
	*types = (struct kernel_types){ 0 };
}

static bool next_name(struct span *way, char name[NAME_BYTES])
{
	struct span part;

	if (span_length(*way) == 0)
		return false;
	if (!span_until(way, '.', &part)) {
		part = *way;
		way->at = way->end;
	}
	return snprintf(name, NAME_BYTES, "%.*s", (int)span_length(part), part.at) < NAME_BYTES;
}

unsigned kernel_types_path(struct btf *btf, const char *way, uint32_t *offsets, unsigned room,
			   uint32_t *bytes)
{
	struct span rest = span_text(way);
	char name[NAME_BYTES];
	uint32_t structure;
	unsigned n = 0;

	structure = next_name(&rest, name) ? btf_structure(btf, name) : 0;
	*bytes = sizeof(void *);
	while (next_name(&rest, name)) {
		struct btf_member member;

		if ((n == room && *bytes != 0) || !structure || !btf_member(btf, structure, name, &member))
			return 0;
		if (*bytes != 0)
			offsets[n++] = member.offset;
		else
			offsets[n - 1] += member.offset; /* in a structure that the one before embeds */
		*bytes = member.bytes;
		structure = span_length(rest) > 0 ? btf_structure_of(btf, member.type) : 0;
	}
	return *bytes == 0 ? 0 : n;
}

/* The number of the system call, where the kernel keeps it. */
#if defined(__x86_64__) || defined(__i386__)
#define CALL "orig_ax"
#elif defined(__aarch64__)
#define CALL "syscallno"
#else
#define CALL NULL
#endif

static bool offset_of(struct btf *btf, uint32_t structure, const char *name, uint32_t *offset)
{
	struct btf_member member;

	if (!name || !btf_member(btf, structure, name, &member) || member.bytes == 0)
		return false;
	*offset = member.offset;
	return true;
}

/* Of 4 bytes, in Linux 7.2 of 1. */
static bool flag_of(struct btf *btf, uint32_t task, const char *name, uint32_t *offset, uint8_t *bytes)
{
	struct btf_member member;

	if (!btf_member(btf, task, name, &member) || (member.bytes != 1 && member.bytes != 4))
		return false;
	*offset = member.offset;
	*bytes = (uint8_t)member.bytes;
	return true;
}

int kernel_types_tasks(struct btf *btf, struct bpf_task_layout *layout)
{
	uint32_t task = btf_structure(btf, "task_struct"), registers = btf_structure(btf, "pt_regs");

	*layout = (struct bpf_task_layout){ 0 };
	if (!offset_of(btf, task, "pid", &layout->pid) || !offset_of(btf, task, "tgid", &layout->tgid) ||
	    !offset_of(btf, task, "flags", &layout->flags) ||
	    !offset_of(btf, task, "__state", &layout->state) ||
	    !flag_of(btf, task, "on_cpu", &layout->on_cpu, &layout->on_cpu_bytes) ||
	    !flag_of(btf, task, "on_rq", &layout->on_rq, &layout->on_rq_bytes) ||
	    !offset_of(btf, registers, CALL, &layout->call) ||
	    !btf_bit(btf, task, "in_iowait", &layout->in_iowait, &layout->iowait_bit))
		return -ENODATA;
	btf_bit(btf, task, "in_memstall", &layout->in_memstall, &layout->memstall_bit); /* with PSI */
	return 0;
}

static bool place_of(struct btf *btf, const char *way, uint32_t *offset)
{
	uint32_t bytes;

	return kernel_types_path(btf, way, offset, 1, &bytes) == 1;
}

int kernel_types_cache(struct btf *btf, struct bpf_cache_layout *layout)
{
	uint32_t folio = btf_structure(btf, "folio");
	struct btf_member flags, order;

	*layout = (struct bpf_cache_layout){ 0 };
	if (!folio || !btf_member(btf, folio, "flags", &flags) ||
	    !btf_member(btf, folio, "_flags_1", &order) ||
	    !btf_enumerator(btf, "pageflags", "PG_head", &layout->large_bit) ||
	    !place_of(btf, "folio.mapping", &layout->folio_mapping) ||
	    !place_of(btf, "address_space.host", &layout->mapping_host) ||
	    !place_of(btf, "inode.i_ino", &layout->inode_number) ||
	    !place_of(btf, "inode.i_size", &layout->inode_size) ||
	    !place_of(btf, "inode.i_sb", &layout->inode_super) ||
	    !place_of(btf, "super_block.s_dev", &layout->super_device) ||
	    !place_of(btf, "task_struct.ioac.syscr", &layout->task_reads) ||
	    !place_of(btf, "task_struct.min_flt", &layout->task_minor) ||
	    !place_of(btf, "task_struct.maj_flt", &layout->task_major))
		return -ENODATA;
	layout->folio_flags = flags.offset;
	layout->folio_order = order.offset;
	return 0;
}

/* The counters of a memory, which are in structures of an array. */
static bool counters_of(struct btf *btf, uint32_t offsets[BPF_WALK_COUNTERS])
{
	static const uint32_t numbers[BPF_WALK_COUNTERS] = { 0, 1, 3 }; /* MM_FILEPAGES, ANON, SHMEM */
	uint32_t memory = btf_structure(btf, "mm_struct"), counter = btf_structure(btf, "percpu_counter");
	uint32_t bytes = btf_structure_bytes(btf, counter), count;
	struct btf_member counters;

	if (!memory || !btf_member(btf, memory, "rss_stat", &counters) || bytes == 0 ||
	    !offset_of(btf, counter, "count", &count))
		return false;
	for (uint32_t i = 0; i < BPF_WALK_COUNTERS; i++)
		offsets[i] = counters.offset + numbers[i] * bytes + count;
	return true;
}

int kernel_types_walk(struct btf *btf, struct bpf_walk_layout *layout)
{
	*layout = (struct bpf_walk_layout){
		.iteration_new = btf_function(btf, "bpf_iter_task_new"),
		.iteration_next = btf_function(btf, "bpf_iter_task_next"),
		.iteration_destroy = btf_function(btf, "bpf_iter_task_destroy"),
	};
	if (!layout->iteration_new || !layout->iteration_next || !layout->iteration_destroy ||
	    !place_of(btf, "task_struct.tgid", &layout->task_tgid) ||
	    !place_of(btf, "task_struct.se.sum_exec_runtime", &layout->task_run) ||
	    !place_of(btf, "task_struct.static_prio", &layout->task_priority) ||
	    !place_of(btf, "task_struct.real_parent", &layout->task_parent) ||
	    !place_of(btf, "task_struct.cgroups", &layout->task_groups) ||
	    !place_of(btf, "task_struct.mm", &layout->task_memory) ||
	    !place_of(btf, "task_struct.signal", &layout->task_signal) ||
	    !place_of(btf, "signal_struct.sum_sched_runtime", &layout->signal_run) ||
	    !place_of(btf, "signal_struct.nr_threads", &layout->signal_threads) ||
	    !counters_of(btf, layout->memory_counters))
		return -ENODATA;
	return 0;
}
