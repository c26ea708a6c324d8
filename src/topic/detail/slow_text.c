/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <config.h>

#include "topic/detail/slow_text.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "core/alloc.h"
#include "core/buffer.h"
#include "sys/device_poll.h"
#include "sys/privilege.h"

struct slow_text {
	struct device_poll poll;
	struct env *env; /* borrowed */
	const char *name;
	size_t most;
	uint64_t generation, tick; /* of the target of text, and of the last request */
	uint64_t asked;            /* generation of the one that is being read */
	uint32_t pid;              /* of that one */
	bool live, finished;
	int error;
	struct buffer read; /* by the helper */
	struct buffer text;
};

static void read_text(struct device_poll *poll)
{
	struct slow_text *slow = (struct slow_text *)poll;
	uint64_t raised = slow->live ? privilege_raise(PRIVILEGE_DETAILS) : 0;
	char path[64];
	int fd;

	snprintf(path, sizeof(path), "proc/%u/%s", slow->pid, slow->name);
	buffer_empty(&slow->read);
	fd = root_open_at(poll->root, path, O_RDONLY | O_NOCTTY);
	slow->error = fd < 0 ? -errno : buffer_read(&slow->read, fd, slow->most + 1);
	privilege_lower(raised);
	if (fd >= 0)
		close(fd);
	poll->reads++;
}

static void finish(struct device_poll *poll)
{
	((struct slow_text *)poll)->finished = true;
}

static void free_text(struct device_poll *poll)
{
	struct slow_text *slow = (struct slow_text *)poll;

	buffer_free(&slow->read);
	buffer_free(&slow->text);
	free(slow);
}

struct slow_text *slow_text_open(struct env *env, const char *name, size_t most)
{
	struct slow_text *slow = alloc_zeroed(1, sizeof(*slow));
	char title[64];

	*slow = (struct slow_text){ .env = env, .name = name, .most = most, .live = env->live };
	slow->tick = ENV_NEVER;
	slow->poll = (struct device_poll){ .read = read_text, .finished = finish, .free = free_text };
	snprintf(title, sizeof(title), "proc/PID/%s of the page", name);
	device_poll_open(&slow->poll, env, title);
	return slow;
}

void slow_text_close(struct slow_text *slow)
{
	device_poll_drop(&slow->poll);
}

/* If the process still lives, its PID was that of no other when it was read. */
static void take(struct slow_text *slow, const struct target *target)
{
	slow->finished = false;
	if (slow->asked != target->generation || slow->error || !target_is_same(target))
		return;
	buffer_empty(&slow->text);
	buffer_add(&slow->text, slow->read.bytes, slow->read.length);
}

struct span slow_text_get(struct slow_text *slow, const struct target *target)
{
	if (slow->generation != target->generation) {
		slow->generation = target->generation;
		buffer_empty(&slow->text);
		slow->error = 0;
	}
	if (slow->finished)
		take(slow, target);
	if (target->state == TARGET_LIVE && slow->tick != slow->env->tick && !slow->poll.in_flight) {
		slow->tick = slow->env->tick;
		slow->pid = target->memory_pid;
		slow->asked = target->generation;
		device_poll_submit(&slow->poll);
		device_poll_wait(slow->env);
	}
	if (slow->finished)
		take(slow, target);
	return span_of(slow->text.bytes, slow->text.length < slow->most ? slow->text.length : slow->most);
}

int slow_text_error(const struct slow_text *slow)
{
	return slow->poll.in_flight ? 0 : slow->error;
}

bool slow_text_is_cut(const struct slow_text *slow)
{
	return slow->text.length > slow->most;
}
