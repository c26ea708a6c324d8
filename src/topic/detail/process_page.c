/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Opens the files once, keeps what each showed last, and finds out how the process ended. */
#include <config.h>

#include "topic/detail/process_page.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "core/alloc.h"
#include "core/buffer.h"
#include "core/i18n.h"
#include "sys/device_poll.h"
#include "sys/pids.h"
#include "sys/process.h"
#include "topic/process/process_entry.h"

static const struct {
	const char *name;
	bool link;
} items[N_PAGE_ITEMS] = {
	[PAGE_STATUS] = { "status" },
	[PAGE_LIMITS] = { "limits" },
	[PAGE_CGROUP] = { "cgroup" },
	[PAGE_IO] = { "io" },
	[PAGE_WAIT_CHANNEL] = { "wchan" },
	[PAGE_SYSCALL] = { "syscall" },
	[PAGE_OOM_SCORE] = { "oom_score" },
	[PAGE_OOM_ADJUSTMENT] = { "oom_score_adj" },
	[PAGE_AUTOGROUP] = { "autogroup" },
	[PAGE_EXECUTABLE] = { "exe", .link = true },
	[PAGE_DIRECTORY] = { "cwd", .link = true },
	[PAGE_ROOT] = { "root", .link = true },
};

const struct source_spec process_page_sources[] = {
	{ .path = "proc/self/status", .gives = N_("what the selected process is") },
	{ .path = "proc/self/limits", .gives = N_("limits of the selected process"), .optional = true },
	{ .path = "proc/self/fdinfo/0", .gives = N_("open files of the selected process"), .optional = true },
	{ .path = "proc/self/io", .gives = N_("its reads and writes"), .optional = true },
	{ .path = "proc/self/wchan",
	  .gives = N_("where in the kernel it waits"),
	  .optional = true,
	  .remedies = { { ENOENT, N_("this kernel was built without CONFIG_KALLSYMS") } } },
	{ .path = "proc/self/syscall",
	  .gives = N_("the system call that it waits in"),
	  .optional = true,
	  .remedies = { { ENOENT, N_("this kernel was built without CONFIG_HAVE_ARCH_TRACEHOOK") } } },
	{ 0 },
};

static void forget(struct process_page *page)
{
	for (unsigned i = 0; i < N_PAGE_ITEMS; i++) {
		buffer_empty(&page->texts[i].text);
		page->texts[i].tick = ENV_NEVER;
		page->texts[i].error = 0;
	}
	if (page->exit_watch >= 0)
		close(page->exit_watch);
	page->exit_watch = -1;
	page->exit_known = false;
	page->gone_wall_ns = 0;
}

static int open_page(void *state, const struct sample *sample)
{
	struct process_page *page = state;

	page->env = sample->env;
	page->notices_tick = ENV_NEVER;
	page->exit_watch = -1;
	forget(page);
	return 0;
}

static void close_page(void *state)
{
	struct process_page *page = state;

	forget(page);
	for (unsigned i = 0; i < N_PAGE_ITEMS; i++)
		buffer_free(&page->texts[i].text);
}

bool process_page_has_process(const struct process_page *page)
{
	return page->target->state == TARGET_LIVE || page->target->state == TARGET_GONE;
}

bool process_page_is_alive(const struct process_page *page)
{
	return page->target->state == TARGET_LIVE;
}

double process_page_start(const struct process_page *page)
{
	const struct target *target = page->target;
	bool known = target->stat.state || !target->chosen.is_set || target->chosen.start_seconds >= 0;

	return known ? process_start_seconds(page->env, target->start_ticks) : NAN;
}

/* The descriptor is of the right process only if that lived on after it was opened. */
static void watch(struct process_page *page)
{
	if (!page->env->live || page->env->foreign_pids || !process_page_is_alive(page))
		return;
	page->exit_watch = exit_watch_open(page->target->pid);
	if (page->exit_watch >= 0 && !target_is_same(page->target)) {
		close(page->exit_watch);
		page->exit_watch = -1;
	}
}

/* The kernel writes 0 for users who may not know it; they may not read links either. */
static bool zombie_status(struct process_page *page)
{
	char bytes[PROCESS_STAT_MAX], target[PATH_MAX];
	long length = pids_read(page->env, page->target->pid, "stat", bytes, sizeof(bytes));
	struct pid_stat stat;
	int error;

	if (length < 0 || !pid_stat_parse(span_of(bytes, (size_t)length), &stat) || stat.state != 'Z' ||
	    stat.start_ticks != page->target->start_ticks ||
	    !pid_stat_exit_status(span_of(bytes, (size_t)length), &page->exit_status))
		return false;
	error = (int)pids_read_link(page->env, page->target->pid, "cwd", target, sizeof(target));
	return page->exit_status != 0 || (error != -EACCES && error != -EPERM);
}

/* A zombie has its status in its stat file; the watch has it once the parent has reaped it. */
static void look_for_exit(struct process_page *page)
{
	bool gone = page->target->state == TARGET_GONE;

	if (!gone && !pid_stat_has_ended(&page->target->stat))
		return;
	if (gone && page->gone_wall_ns == 0)
		page->gone_wall_ns = env_wall_ns(page->env);
	if (!page->exit_known)
		page->exit_known =
			exit_watch_status(page->exit_watch, &page->exit_status) || zombie_status(page);
}

static int update(void *state, const struct sample *sample)
{
	struct process_page *page = state;
	const struct target *target = page->target;

	target_notices(target, sample->frame, sample->topic->schema->name);
	if (page->generation != target->generation) {
		page->generation = target->generation;
		forget(page);
		watch(page);
	}
	look_for_exit(page);
	return 0;
}

const struct reader process_page_reader = {
	.name = "files of the selected process", .state_size = sizeof(struct process_page),
	.reads = READINGS(READING(struct process_page, target, &target_reader)), .open = open_page,
	.update = update, .close = close_page, .stays = true,
};

static int read_link(struct process_page *page, enum page_item item)
{
	char target[PATH_MAX];
	long length = pids_read_link(page->env, page->target->memory_pid, items[item].name, target,
				     sizeof(target));

	if (length < 0)
		return (int)length;
	buffer_empty(&page->texts[item].text);
	buffer_add(&page->texts[item].text, target, (size_t)length);
	return 0;
}

/* Some files become empty or absent before the process is gone: what they showed last stays. */
static void read_item(struct process_page *page, enum page_item item)
{
	struct page_text *kept = &page->texts[item];
	bool link = items[item].link;

	kept->tick = page->env->tick;
	kept->error = link ? read_link(page, item)
			   : pids_read_text(page->env, page->target->memory_pid, items[item].name,
					    &kept->text);
	if (kept->error == -EACCES || kept->error == -EPERM)
		buffer_empty(&kept->text);
}

struct span process_page_text(struct process_page *page, enum page_item item)
{
	const struct page_text *kept = &page->texts[item];

	if (kept->tick != page->env->tick && process_page_is_alive(page))
		read_item(page, item);
	return span_of(kept->text.bytes, kept->text.length);
}

void process_page_denied(struct process_page *page, struct sample *sample)
{
	if (page->notices_tick == page->env->tick)
		return;
	page->notices_tick = page->env->tick;
	frame_notice(sample->frame, sample->topic->schema->name,
		     remedy_for_user(N_("run it as root, or give it the capabilities cap_sys_ptrace and "
					"cap_dac_read_search")),
		     _("%u %s may not be inspected: its open files, directories and environment are "
		       "hidden"),
		     page->target->pid, page->target->name);
}

/* One job at a time for a helper; its text counts only if the process lived on until it was read. */

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
