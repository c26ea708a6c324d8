/* SPDX-License-Identifier: GPL-2.0-or-later */
/* One file at a time for a helper; the rights were checked when it was opened. */
#include <config.h>

#include "topic/node/maps_count.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/alloc.h"
#include "kernel/pid/maps.h"
#include "sys/device_poll.h"
#include "sys/error_message.h"
#include "sys/pids.h"

#define TEXT_MOST ((size_t)64 << 20)

struct maps_count {
	struct device_poll poll;
	struct env *env; /* borrowed */
	uint32_t pid;
	uint64_t start_ticks;
	int fd; /* of the file that is being read */
	bool finished;
	int error;
	struct buffer text; /* read by the helper */
};

static void read_text(struct device_poll *poll)
{
	struct maps_count *count = (struct maps_count *)poll;

	buffer_empty(&count->text);
	count->error = buffer_read(&count->text, count->fd, TEXT_MOST);
	if (count->text.length >= TEXT_MOST)
		count->error = -EFBIG; /* it goes on */
	close(count->fd);
	poll->reads++;
}

static void finish(struct device_poll *poll)
{
	((struct maps_count *)poll)->finished = true;
}

static void free_count(struct device_poll *poll)
{
	struct maps_count *count = (struct maps_count *)poll;

	buffer_free(&count->text);
	free(count);
}

struct maps_count *maps_count_open(struct env *env)
{
	struct maps_count *count = alloc_zeroed(1, sizeof(*count));

	*count = (struct maps_count){ .env = env };
	count->poll = (struct device_poll){ .read = read_text, .finished = finish, .free = free_count,
						.in_thread = true };
	device_poll_open(&count->poll, env, "proc/PID/numa_maps");
	return count;
}

void maps_count_close(struct maps_count *count)
{
	device_poll_drop(&count->poll);
}

int maps_count_begin(struct maps_count *count, uint32_t pid, uint64_t start_ticks)
{
	int fd;

	if (count->poll.in_flight || count->finished)
		return -EBUSY;
	fd = pids_open(count->env, pid, "numa_maps", O_RDONLY);
	if (fd < 0)
		return fd;
	count->fd = fd;
	count->pid = pid;
	count->start_ticks = start_ticks;
	device_poll_submit(&count->poll);
	if (!count->poll.in_flight && !count->finished) {
		close(fd);
		return -EBUSY;
	}
	device_poll_wait(count->env);
	return 0;
}

static int add_up(struct maps_count *count, const struct node_list *nodes, uint64_t *bytes)
{
	struct span text = span_of(count->text.bytes, count->text.length);
	struct numa_region region;
	uint64_t number, pages, sum = 0;

	memset(bytes, 0, nodes->n_nodes * sizeof(*bytes));
	while (numa_maps_next(&text, &region))
		while (numa_region_next(&region, &number, &pages)) {
			uint32_t node = node_list_find(nodes, number);
			uint64_t size = region.page_bytes ? region.page_bytes : count->env->page_bytes;

			if (node == NODE_NONE || pages > (UINT64_MAX / 2 - sum) / size)
				continue;
			bytes[node] += pages * size;
			sum += pages * size;
		}
	return sum > 0 ? 0 : -ENODATA;
}

bool maps_count_take(struct maps_count *count, const struct node_list *nodes, uint32_t *pid,
		     uint64_t *start_ticks, uint64_t *bytes, int *error)
{
	device_poll_collect(count->env);
	if (!count->finished)
		return false;
	count->finished = false;
	*pid = count->pid;
	*start_ticks = count->start_ticks;
	*error = count->error < 0 ? count->error : add_up(count, nodes, bytes);
	return true;
}

int maps_count_now(struct maps_count *count, const struct node_list *nodes, uint32_t pid, uint64_t *bytes)
{
	int error =
		count->poll.in_flight ? -EBUSY : pids_read_text(count->env, pid, "numa_maps", &count->text);

	return error ? error : add_up(count, nodes, bytes);
}
