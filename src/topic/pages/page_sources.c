/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The sources of the page map: tests for --probe, and notices about what is missing. */
#include <config.h>

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "core/i18n.h"
#include "sys/pids.h"
#include "topic/pages/page_map.h"

#define FIRST_PROCESS 1
#define OTHERS_TRIED 32

static int try_file(struct env *env, uint32_t pid, const char *name)
{
	int fd = pids_open(env, pid, name, O_RDONLY);

	if (fd >= 0)
		close(fd);
	return fd < 0 ? fd : 0;
}

int page_map_test_file(struct env *env, const char *name)
{
	return try_file(env, env->live ? env->own_pid : FIRST_PROCESS, name);
}

/* A process of another user; for root any other process. */
static bool is_of_other(const struct env *env, uint32_t pid)
{
	uint32_t own, other;

	return pid != env->own_pid && pids_owner(env, env->own_pid, &own) &&
	       pids_owner(env, pid, &other) && (own == 0 || other != own);
}

/* Some processes refuse everyone, like the first one of a container: one that can be opened is enough. */
static int test_others(struct env *env)
{
	const uint32_t *pids;
	size_t n_pids;
	int error = pids_list(env, &pids, &n_pids), refused = 0;

	if (!env->live)
		return page_map_test_file(env, "pagemap");
	for (size_t i = 0, tried = 0; !error && i < n_pids && tried < OTHERS_TRIED; i++) {
		int found = is_of_other(env, pids[i]) ? try_file(env, pids[i], "pagemap") : -ESRCH;

		if (!found)
			return 0;
		if (found == -ESRCH || found == -ENOENT) /* a kernel thread, or it exited */
			continue;
		refused = found;
		tried++;
	}
	return error ? error : refused ? refused : -ESRCH;
}

static int test_maps(struct env *env)
{
	return page_map_test_file(env, "maps");
}

static int test_pagemap(struct env *env)
{
	return page_map_test_file(env, "pagemap");
}

static int test_smaps(struct env *env)
{
	return page_map_test_file(env, "smaps");
}

static int test_status(struct env *env)
{
	return page_map_test_file(env, "status");
}

static int test_kinds(struct env *env)
{
	int fd = env->live ? pids_open(env, env->own_pid, "pagemap", O_RDONLY) : -ENOTTY;
	int error = fd < 0 ? fd : page_file_has_scan(env, fd) ? 0 : -ENOTTY;

	if (fd >= 0)
		close(fd);
	return error;
}

static int test_soft_dirty(struct env *env)
{
	return env->live && !page_file_has_soft_dirty() ? -ENOTSUP : 0;
}

/* Without the privilege the kernel reports frame numbers as 0. */
static int test_frames(struct env *env)
{
	uint64_t entry = 0;
	int error = -ENOTSUP;

	if (env->live)
		error = page_map_entry(env, env->own_pid, (uint64_t)(uintptr_t)&entry, &entry);
	if (!error && !(entry & PAGEMAP_FRAME))
		error = -EPERM;
	return error;
}

static int test_flags(struct env *env)
{
	return page_file_try(env, PAGE_MAP_FLAGS);
}

static int test_ksm(struct env *env)
{
	return env->live && !page_file_has_ksm_flag(env) ? -ENOTSUP : 0;
}

static const char ptrace[] = N_("run it as root, or give it the capability cap_sys_ptrace");
static const char pagemap[] =
	N_("run it as root, or give it the capabilities cap_sys_ptrace and cap_dac_read_search");

const struct source_spec page_map_sources[] = {
	{ .path = PAGE_MAP_MAPS,
	  .gives = N_("the regions of a process"),
	  .test = test_maps,
	  .remedies = { { EACCES, ptrace }, { EPERM, ptrace } } },
	{ .path = PAGE_MAP_PAGEMAP,
	  .gives = N_("the pages of a process"),
	  .test = test_pagemap,
	  .remedies = { { EACCES, pagemap },
			{ EPERM, pagemap },
			{ ENOENT, N_("this kernel was built without CONFIG_PROC_PAGE_MONITOR") } } },
	{ .path = "processes of others",
	  .gives = N_("regions, pages and bytes of processes of other users"),
	  .optional = true,
	  .test = test_others,
	  .remedies = { { EACCES, pagemap },
			{ EPERM, pagemap },
			{ ESRCH, N_("no process of another user is visible; if hidepid hides them: give it "
				    "the capability "
				    "cap_sys_ptrace") } } },
	{ .path = PAGE_MAP_STATUS, .gives = N_("the kernel's own counts of memory"), .test = test_status },
	{ .path = PAGE_MAP_SMAPS,
	  .gives = N_("proportional shares, on request"),
	  .optional = true,
	  .test = test_smaps,
	  .remedies = { { EACCES, ptrace }, { EPERM, ptrace } } },
	{ .path = PAGE_MAP_KINDS,
	  .gives = N_("huge and zero pages without privileges, and fast maps of sparse processes"),
	  .optional = true,
	  .test = test_kinds,
	  .remedies = { { ENOTTY, N_("needs Linux 6.7") } } },
	{ .path = PAGE_MAP_SOFT_DIRTY,
	  .gives = N_("pages that were written"),
	  .optional = true,
	  .test = test_soft_dirty,
	  .remedies = { { ENOTSUP, N_("this kernel was built without CONFIG_MEM_SOFT_DIRTY") } } },
	{ .path = "page frame numbers",
	  .gives = N_("frame number of a page, needed for its flags"),
	  .optional = true,
	  .test = test_frames,
	  .remedies = { { EPERM, N_("run it as root, or give it the capability cap_sys_admin") } } },
	{ .path = PAGE_MAP_FLAGS,
	  .gives = N_("flags of page frames, among them those merged by KSM"),
	  .optional = true,
	  .test = test_flags },
	{ .path = PAGE_MAP_KSM,
	  .gives = N_("pages merged by KSM"),
	  .optional = true,
	  .test = test_ksm,
	  .remedies = { { ENOTSUP, N_("this kernel marks all anonymous pages as merged, as Linux 6.12 does; "
				      "needs a newer one") } } },
	{ 0 },
};

static const char *remedy_of(const struct page_map *map, const char *path, int error)
{
	return source_remedy(map->env, topic_source(&topic_page_total, path), -error);
}

/* Whether --from and --to select anything is known only with the regions. */
static void notice_empty_range(const struct page_map *map, struct frame *frame, const char *topic)
{
	const struct page_snapshot *snapshot = map->shown;

	if (snapshot && snapshot->n_regions > 0 && snapshot->n_cells == 0)
		frame_notice(frame, topic, _("see the table region"),
			     _("nothing is mapped between --from and --to"));
}

void page_map_notices(struct page_map *map, struct frame *frame, const struct topic *topic)
{
	const char *name = topic->schema->name;
	const struct page_snapshot *snapshot = map->shown;

	if (map->notices_tick == map->env->tick)
		return;
	map->notices_tick = map->env->tick;
	target_notices(map->target, frame, name);
	if (!snapshot && map->target->state == TARGET_GONE)
		frame_notice(frame, name, NULL, _("%u %s has exited"), map->target->pid, map->target->name);
	if (!snapshot || map->target->state != TARGET_LIVE)
		return;
	if (snapshot->pagemap_error == -ENODATA)
		frame_notice(frame, name, NULL, _("/proc/%u/pagemap is shorter than the regions"),
			     snapshot->pid);
	else if (snapshot->pagemap_error)
		frame_notice(frame, name, remedy_of(map, PAGE_MAP_PAGEMAP, snapshot->pagemap_error),
			     _("/proc/%u/pagemap: %s; the regions are known, their pages are not"),
			     snapshot->pid, strerror(-snapshot->pagemap_error));
	notice_empty_range(map, frame, name);
	if (!map->ksm_flag && !snapshot->pagemap_error && !snapshot->knows_ksm)
		frame_notice(frame, name, remedy_of(map, PAGE_MAP_KSM, -ENOTSUP),
			     _("pages merged by KSM are not known"));
}

void page_map_notice_unreadable(const struct page_map *map, struct frame *frame, const struct topic *topic)
{
	frame_notice(frame, topic->schema->name, remedy_of(map, PAGE_MAP_MAPS, map->error),
		     _("/proc/%u/maps: %s; the regions are not known"), map->target->pid,
		     strerror(-map->error));
}
