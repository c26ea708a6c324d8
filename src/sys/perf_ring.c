/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Events with the rights that they take, and the ring that is shared with the kernel. */
#include <config.h>

#include "sys/perf_ring.h"

#include <errno.h>
#include <string.h>
#include <sys/capability.h>
#include <sys/mman.h>
#include <unistd.h>

#include "core/unknown.h"
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
