/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Faults in all pages of a process by reading a byte of each, and clears its soft-dirty bits. */
#include <config.h>

#include "topic/pages/page_act.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "sys/pids.h"
#include "sys/device_poll.h"
#include "topic/pages/page_map.h"

/* Runs in a helper: faulting in many pages takes long, and one of a hung file for ever. */
struct force {
	struct device_poll poll;
	uint32_t pid;
	int error; /* -ECANCELED until it has run to its end */
	uint64_t page_bytes;
	struct page_range *ranges; /* owned, of helper_alloc() */
	size_t n_ranges;
	void (*done)(void *context, int error);
	void *context;
};

/* Continues after a page that cannot be read, for example past the end of a file. */
static int touch_all(const struct force *force, int mem)
{
	char byte;

	for (size_t i = 0; i < force->n_ranges; i++)
		for (uint64_t at = force->ranges[i].start; at < force->ranges[i].end; at += force->page_bytes)
			if (page_file_bytes(mem, at, &byte, 1) == 0)
				return -ESRCH; /* it exited */
	return 0;
}

static void force_in(struct device_poll *poll)
{
	struct force *force = (struct force *)poll;
	int mem = pids_open_at(poll->root, force->pid, "mem", O_RDONLY);

	force->error = mem < 0 ? mem : touch_all(force, mem);
	if (mem >= 0)
		close(mem);
}

static void force_done(struct device_poll *poll)
{
	struct force *force = (struct force *)poll;

	force->done(force->context, force->error);
	device_poll_drop(poll);
}

static void free_force(struct device_poll *poll)
{
	helper_free(((struct force *)poll)->ranges);
	helper_free(poll);
}

/* Regions without read permission are skipped: the process made them so on purpose. */
static void collect_ranges(struct force *force, const struct page_snapshot *snapshot)
{
	force->ranges = helper_alloc(snapshot->n_regions * sizeof(*force->ranges));
	for (size_t i = 0; i < snapshot->n_regions; i++) {
		const struct page_region *region = &snapshot->regions[i];

		if (!region->special && region->permissions[0] == 'r')
			force->ranges[force->n_ranges++] =
				(struct page_range){ .start = region->start, .end = region->end };
	}
}

static int force_pages(const struct page_map *map, void (*done)(void *context, int error), void *context)
{
	struct force *force = helper_alloc(sizeof(*force));

	force->poll = (struct device_poll){ .read = force_in, .finished = force_done, .lost = force_done,
					    .free = free_force };
	device_poll_open(&force->poll, map->env, "proc/PID/mem");
	force->error = -ECANCELED;
	force->pid = map->target->memory_pid;
	force->page_bytes = map->env->page_bytes;
	force->done = done;
	force->context = context;
	collect_ranges(force, map->shown);
	device_poll_submit(&force->poll);
	return 0;
}

static int clear_marks(int clear_refs, void (*done)(void *context, int error), void *context)
{
	int error = write(clear_refs, "4\n", 2) < 0 ? -errno : 0;

	close(clear_refs);
	if (!error)
		done(context, 0);
	return error;
}

int page_act(struct env *env, const char *action, void (*done)(void *context, int error), void *context)
{
	const struct page_map *map = reader_state(&page_map_reader, env);
	struct span text = span_text(action), verb;
	uint64_t pid;
	bool force;
	int fd;

	if (!span_word(&text, &verb) || !span_u64(&text, &pid))
		return -EINVAL;
	force = span_is(verb, "force");
	if (!map || !map->shown || map->target->pid != pid || map->target->state != TARGET_LIVE)
		return -ESRCH;
	if (!force && !map->soft_dirty) {
		env_note_failure(env, PAGE_MAP_SOFT_DIRTY, -ENOTSUP);
		return -ENOTSUP;
	}
	fd = pids_open(env, map->target->memory_pid, force ? "mem" : "clear_refs",
		       force ? O_RDONLY : O_WRONLY);
	if (fd == -ENOENT)
		return -ESRCH;
	if (fd < 0) {
		env_note_failure(env, PAGE_MAP_PAGEMAP, fd);
		return fd;
	}
	if (!done || !target_is_same(map->target)) {
		close(fd);
		return done ? -ESRCH : 0;
	}
	if (!force)
		return clear_marks(fd, done, context);
	close(fd);
	return force_pages(map, done, context);
}
