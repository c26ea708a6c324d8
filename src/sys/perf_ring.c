/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Events with the rights that they take, and the ring that is shared with the kernel. */
#include <config.h>

#include "sys/perf_ring.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/mount.h>
#include <stdio.h>
#include <string.h>
#include <sys/capability.h>
#include <sys/mman.h>
#include <unistd.h>

#include "core/span.h"
#include "core/unknown.h"
#include "sys/env.h"
#include "sys/privilege.h"

#define PARANOID "proc/sys/kernel/perf_event_paranoid"
#define PARANOID_MAX 2 /* of mainline: up to it all users may count their own code */

int perf_open(const struct machine_perf *perf, const struct perf_event_attr *attr, int tid, int cpu,
	      int leader)
{
	uint64_t raised = privilege_raise(PRIVILEGE_PERF);
	int fd = perf->open(perf, attr, tid, cpu, leader);

	privilege_lower(raised);
	return fd;
}

static int try_own_code(const struct machine_perf *perf)
{
	const struct perf_event_attr attr = { .size = sizeof(attr),
					      .type = PERF_TYPE_SOFTWARE,
					      .config = PERF_COUNT_SW_DUMMY,
					      .exclude_kernel = 1 };
	int fd = perf_open(perf, &attr, 0, -1, -1);

	if (fd < 0)
		return fd;
	close(fd);
	return 0;
}

/* The level alone is not enough: above 2, mainline and newer kernels of the two accept CAP_PERFMON. */
bool perf_takes_admin(struct env *env)
{
	struct privilege_sets sets, without;
	struct span text;
	uint64_t level;
	int error;

	if (env_read(env, env_file(env, PARANOID), &text) < 0 || !span_u64(&text, &level) ||
	    level <= PARANOID_MAX || privilege_read_sets(&sets) < 0)
		return false;
	without = sets;
	without.effective &= ~(UINT64_C(1) << CAP_SYS_ADMIN);
	error = privilege_write_sets(&without);
	if (!error)
		error = try_own_code(env->perf);
	privilege_write_sets(&sets);
	return error == -EACCES;
}

int perf_start(const struct machine_perf *perf, int leader)
{
	return perf->control(perf, leader, PERF_EVENT_IOC_ENABLE, 0);
}

long perf_read(int leader, void *bytes, size_t room)
{
	ssize_t length = read(leader, bytes, room);

	return length < 0 ? -errno : (long)length;
}

static size_t page_bytes(void)
{
	return (size_t)sysconf(_SC_PAGESIZE);
}

int perf_ring_open(struct perf_ring *ring, int event, size_t bytes)
{
	size_t size = page_bytes();
	uint64_t raised;
	void *mapping;

	while (2 * size <= bytes)
		size *= 2;
	raised = privilege_raise(PRIVILEGE_RINGS);
	mapping = mmap(NULL, size + page_bytes(), PROT_READ | PROT_WRITE, MAP_SHARED, event, 0);
	privilege_lower(raised);
	if (mapping == MAP_FAILED)
		return -errno;
	*ring = (struct perf_ring){ .mapping = mapping, .bytes = size };
	return 0;
}

void perf_ring_close(struct perf_ring *ring)
{
	if (ring->mapping)
		munmap(ring->mapping, ring->bytes + page_bytes());
	ring->mapping = NULL;
}

int perf_ring_join(const struct machine_perf *perf, int event, int owner)
{
	return perf->control(perf, event, PERF_EVENT_IOC_SET_OUTPUT, (unsigned long)owner);
}

static size_t ready_bytes(const struct perf_ring *ring, uint64_t *head)
{
	const struct perf_event_mmap_page *page = ring->mapping;
	size_t length;

	*head = __atomic_load_n(&page->data_head, __ATOMIC_ACQUIRE);
	length = (size_t)(*head - page->data_tail);
	return length <= ring->bytes ? length : 0; /* more cannot be, unless another program writes here */
}

/* These bytes, which are ready. */
static void move(struct perf_ring *ring, size_t length, uint64_t head, char *room)
{
	struct perf_event_mmap_page *page = ring->mapping;
	const char *data = (const char *)ring->mapping + page_bytes();
	size_t at = (size_t)page->data_tail & (ring->bytes - 1);
	size_t first = length < ring->bytes - at ? length : ring->bytes - at;

	memcpy(room, data + at, first);
	memcpy(room + first, data, length - first);
	__atomic_store_n(&page->data_tail, head, __ATOMIC_RELEASE);
}

struct span perf_ring_take(struct perf_ring *ring, char *room)
{
	uint64_t head;
	size_t length = ready_bytes(ring, &head);

	move(ring, length, head, room);
	return span_of(room, length);
}

size_t perf_ring_add(struct perf_ring *ring, struct buffer *out)
{
	uint64_t head;
	size_t length = ready_bytes(ring, &head);

	buffer_reserve(out, length);
	move(ring, length, head, out->bytes + out->length);
	out->length += length;
	return length;
}

struct perf_ring_state perf_ring_state(int event)
{
	uint64_t values[3]; /* count, time enabled, lost */
	ssize_t length = read(event, values, sizeof(values));

	return (struct perf_ring_state){
		.enabled_ns = length >= (ssize_t)(2 * sizeof(*values)) ? values[1] : U64_UNKNOWN,
		.lost = length >= (ssize_t)sizeof(values) ? values[2] : U64_UNKNOWN,
	};
}

/* Uprobes as perf events, which the kernel removes with their descriptors, however panetop ends. */

#define DEVICE "sys/bus/event_source/devices/uprobe/"
#define SEMAPHORE_SHIFT 32 /* in config, of 32 bits */
#define OWN_FILE_MAX 32    /* "/proc/self/fd/N" */

int uprobe_form_read(struct env *env, struct uprobe_form *form)
{
	struct span text;
	uint64_t number;
	int error = env_read(env, env_file(env, DEVICE "type"), &text);

	*form = (struct uprobe_form){ 0 };
	if (error)
		return error;
	if (!span_u64(&text, &number) || number > UINT32_MAX)
		return -ENODATA;
	form->type = (uint32_t)number;
	error = env_read(env, env_file(env, DEVICE "format/retprobe"), &text);
	if (error)
		return error;
	if (!span_starts(text, "config:"))
		return -ENODATA;
	text.at += sizeof("config:") - 1;
	if (!span_u64(&text, &number) || number > 63)
		return -ENODATA;
	form->at_return = UINT64_C(1) << number;
	form->semaphores = env_read(env, env_file(env, DEVICE "format/ref_ctr_offset"), &text) == 0 &&
			   span_starts(text, "config:32-63");
	return 0;
}

/* The path leads to the open file, whatever has its name by now. */
int uprobe_open(const struct machine_perf *perf, const struct uprobe_form *form,
		const struct uprobe_place *place, uint32_t process, int program)
{
	struct perf_event_attr attr = { .type = form->type, .size = sizeof(attr) };
	char path[OWN_FILE_MAX];
	uint64_t raised;
	int event, error;

	if (place->semaphore_offset > 0 && (!form->semaphores || place->semaphore_offset > UINT32_MAX))
		return -EOPNOTSUPP;
	snprintf(path, sizeof(path), "/proc/self/fd/%d", place->file);
	attr.config = place->semaphore_offset << SEMAPHORE_SHIFT | (place->at_return ? form->at_return : 0);
	attr.uprobe_path = (uint64_t)(uintptr_t)path;
	attr.probe_offset = place->offset;
	raised = privilege_raise(PRIVILEGE_PROBES);
	event = perf->open(perf, &attr, (int)process, -1, -1);
	error = event < 0 ? event
			  : perf->control(perf, event, PERF_EVENT_IOC_SET_BPF, (unsigned long)program);
	if (event >= 0 && error)
		close(event);
	privilege_lower(raised);
	return error ? error : event;
}

static int open_directory(const struct env *env, const char *path)
{
	int fd = root_open_at(&env->root, path, O_DIRECTORY | O_RDONLY), events, error;

	if (fd < 0)
		return -errno;
	events = openat(fd, "events", O_DIRECTORY | O_RDONLY | O_CLOEXEC);
	error = -errno;
	if (events < 0) {
		close(fd);
		return error;
	}
	close(events);
	return fd;
}

/* A detached mount, which ends with its descriptor. */
static int open_detached(void)
{
	int context = (int)system_call(SYS_fsopen, "tracefs", FSOPEN_CLOEXEC), fd = -1, error;

	if (context < 0)
		return -errno;
	if (system_call(SYS_fsconfig, context, FSCONFIG_CMD_CREATE, NULL, NULL, 0) == 0)
		fd = (int)system_call(SYS_fsmount, context, FSMOUNT_CLOEXEC, MOUNT_ATTR_NOEXEC);
	error = -errno;
	close(context);
	return fd < 0 ? error : fd;
}

int tracefs_open(const struct env *env, const char *path)
{
	uint64_t raised = privilege_raise(PRIVILEGE_TRACING);
	int found = open_directory(env, path);

	if (found == -ENOENT && env->live) {
		int detached = open_detached();

		found = detached >= 0 ? detached : found;
	}
	privilege_lower(raised);
	return found;
}

long tracefs_read(int tracefs, const char *path, char *bytes, size_t room)
{
	uint64_t raised = privilege_raise(PRIVILEGE_TRACING);
	int fd = openat(tracefs, path, O_RDONLY | O_CLOEXEC), error;
	size_t length = 0;
	ssize_t more;

	privilege_lower(raised);
	if (fd < 0)
		return -errno;
	while ((more = read(fd, bytes + length, room - length)) > 0) /* a page at a time */
		length += (size_t)more;
	error = errno;
	close(fd);
	return more < 0 ? -error : (long)length;
}
