/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Faults in all pages of a process by reading a byte of each, and clears its soft-dirty bits. */
#include <config.h>

#include "topic/pages/page_act.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/alloc.h"
#include "sys/pids.h"
#include "sys/worker.h"
#include "topic/pages/page_map.h"

/* Runs in the worker, as faulting in many pages takes long. */
struct force {
	struct worker_job job;
	int mem, error;
	uint64_t page_bytes;
	struct page_range *ranges; /* owned */
	size_t n_ranges;
	void (*done)(void *context, int error);
	void *context;
};

/* Continues after a page that cannot be read, for example past the end of a file. */
static void force_run(struct worker_job *job)
{
	struct force *force = (struct force *)job;
	char byte;

	for (size_t i = 0; i < force->n_ranges; i++) {
		for (uint64_t at = force->ranges[i].start; at < force->ranges[i].end;
		     at += force->page_bytes) {
			long got = page_file_bytes(force->mem, at, &byte, 1);

			if (got == 0) { /* it exited */
				force->error = -ESRCH;
				return;
			}
		}
	}
}

static void force_done(struct worker_job *job)
{
	struct force *force = (struct force *)job;

	close(force->mem);
	if (!job->dropped)
		force->done(force->context, force->error);
	free(force->ranges);
	free(force);
}

/* Regions without read permission are skipped: the process made them so on purpose. */
static void collect_ranges(struct force *force, const struct page_snapshot *snapshot)
{
	force->ranges = alloc_zeroed(snapshot->n_regions, sizeof(*force->ranges));
	for (size_t i = 0; i < snapshot->n_regions; i++) {
		const struct page_region *region = &snapshot->regions[i];

		if (!region->special && region->permissions[0] == 'r')
			force->ranges[force->n_ranges++] =
				(struct page_range){ .start = region->start, .end = region->end };
	}
}

static int force_pages(const struct page_map *map, int mem, void (*done)(void *context, int error),
		       void *context)
{
	struct force *force = alloc_zeroed(1, sizeof(*force));

	force->job = (struct worker_job){ .run = force_run, .done = force_done };
	force->mem = mem;
	force->page_bytes = map->env->page_bytes;
	force->done = done;
	force->context = context;
	collect_ranges(force, map->shown);
	worker_submit(map->env->worker, &force->job);
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
	return force ? force_pages(map, fd, done, context) : clear_marks(fd, done, context);
}
