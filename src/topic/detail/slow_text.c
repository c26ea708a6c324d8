/* SPDX-License-Identifier: GPL-2.0-or-later */
/* One job at a time for a helper; its text counts only if the process lived on until it was read. */
#include <config.h>

#include "topic/detail/slow_text.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "core/alloc.h"
#include "core/buffer.h"
#include "sys/buffer_io.h"
#include "sys/device_poll.h"
#include "sys/pids.h"

struct slow_text {
	struct device_poll poll;
	struct env *env; /* borrowed */
	const char *name;
	size_t most;
	uint64_t generation, tick; /* of the target of text, and of the last request */
	uint64_t asked;            /* generation of the one that is being read */
	int fd;                    /* of the file that is being read */
	bool finished;
	int error;
	struct buffer read; /* by the helper */
	struct buffer text;
};

/* The rights were checked when it was opened. */
static void read_text(struct device_poll *poll)
{
	struct slow_text *slow = (struct slow_text *)poll;

	buffer_empty(&slow->read);
	slow->error = buffer_read(&slow->read, slow->fd, slow->most + 1);
	close(slow->fd);
	poll->reads++;
}

static void start(struct slow_text *slow, const struct target *target)
{
	slow->tick = slow->env->tick;
	slow->asked = target->generation;
	slow->fd = pids_open(slow->env, target->memory_pid, slow->name, O_RDONLY);
	if (slow->fd < 0) {
		slow->error = slow->fd;
		return;
	}
	device_poll_submit(&slow->poll);
	if (!slow->poll.in_flight && !slow->finished) /* one that was dropped is still blocked */
		close(slow->fd);
	device_poll_wait(slow->env);
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

	*slow = (struct slow_text){ .env = env, .name = name, .most = most };
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
		start(slow, target);
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
