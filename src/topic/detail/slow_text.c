/* SPDX-License-Identifier: GPL-2.0-or-later */
/* One job at a time for a helper; its text counts only if the process lived on until it was read. */
#include <config.h>

#include "topic/detail/slow_text.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "core/buffer.h"
#include "sys/device_poll.h"
#include "sys/pids.h"

struct slow_text {
	struct device_poll poll;
	struct env *env; /* borrowed */
	size_t most;
	uint64_t generation, tick; /* of the target of text, and of the last request */
	uint64_t asked;            /* generation of the one that is being read */
	bool finished;
	int error;
	struct buffer text;

	/* Of the helper while it is in flight. */
	uint32_t pid;
	char file[NAME_MAX + 1];
	size_t length;
	char read[]; /* most + 1 */
};

static int read_all(struct slow_text *slow, int fd)
{
	ssize_t length = 0;

	do {
		slow->length += (size_t)length;
		length = read(fd, slow->read + slow->length, slow->most + 1 - slow->length);
	} while (length > 0 && slow->length + (size_t)length <= slow->most);
	slow->length += length > 0 ? (size_t)length : 0;
	return length < 0 ? -errno : 0;
}

static void read_text(struct device_poll *poll)
{
	struct slow_text *slow = (struct slow_text *)poll;
	int fd = pids_open_at(poll->root, slow->pid, slow->file, O_RDONLY);

	slow->length = 0;
	slow->error = fd < 0 ? fd : read_all(slow, fd);
	if (fd >= 0)
		close(fd);
	poll->reads++;
}

static void start(struct slow_text *slow, const struct target *target)
{
	slow->tick = slow->env->tick;
	slow->asked = target->generation;
	slow->pid = target->memory_pid;
	device_poll_submit(&slow->poll);
	device_poll_wait(slow->env);
}

static void finish(struct device_poll *poll)
{
	((struct slow_text *)poll)->finished = true;
}

static void free_text(struct device_poll *poll)
{
	struct slow_text *slow = (struct slow_text *)poll;

	buffer_free(&slow->text);
	helper_free(slow);
}

struct slow_text *slow_text_open(struct env *env, const char *name, size_t most)
{
	struct slow_text *slow = helper_alloc(sizeof(*slow) + most + 1);
	char title[64];

	slow->env = env;
	slow->most = most;
	snprintf(slow->file, sizeof(slow->file), "%s", name);
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
	buffer_add(&slow->text, slow->read, slow->length);
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
