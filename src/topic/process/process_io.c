/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * /proc/PID/io counts a process together with the children that it has waited for, so that their bytes would
 * count again, all at once, when they exit. What was seen of them is taken off; what was not seen, because
 * they were short-lived, stays with their parent.
 */
#include <config.h>

#include "topic/process/process_io.h"

#include <errno.h>

#include "core/alloc.h"
#include "sys/pids.h"
#include "topic/process/first_read.h"

static bool is_gone(int error)
{
	return error == -ENOENT || error == -ESRCH;
}

const struct process_io *process_io_of(const struct process *process)
{
	return process->io && process->io->begun && process->io->error == 0 ? process->io : NULL;
}

static struct process *parent_of(const struct process_list *list, const struct process *process)
{
	uint32_t pid = (uint32_t)process->stat.parent_pid;
	struct process *parent = process_list_find(list, pid);

	if (!parent)
		parent = process_list_find_exited(list, pid);
	return parent ? parent : process_list_find(list, 1);
}

/* The kernel has added to its parent what it read and wrote, and so did its children with it. */
static void leave_to_parent(const struct process_list *list, struct process *process)
{
	const struct process *parent = parent_of(list, process);
	struct process_io *io = process->io;

	if (io->begun && parent && parent != process && parent->io) {
		parent->io->known.read_bytes += io->seen.read_bytes + io->known.read_bytes;
		parent->io->known.write_bytes += io->seen.write_bytes + io->known.write_bytes;
	}
	io->begun = false;
	io->error = -ESRCH;
}

static void count(uint64_t *own, uint64_t *seen, uint64_t now, uint64_t known, bool begun)
{
	uint64_t grown = begun && now > *seen ? now - *seen : 0;

	if (!begun)
		*own = now;
	else
		*own += grown > known ? grown - known : 0;
	*seen = now;
}

/* The file stays open unless the process did not run since the start. */
static int read_io(struct env *env, struct process *process, struct pid_io *io)
{
	char bytes[512];
	long length = process->io->begun ? pids_read_kept(env, &process->io->file, process->pid, "io", bytes,
							   sizeof(bytes))
					 : pids_read(env, process->pid, "io", bytes, sizeof(bytes));

	if (length < 0)
		return (int)length;
	return pid_io_parse(span_of(bytes, (size_t)length), io) && io->write_bytes != U64_UNKNOWN ? 0
												  : -EBADMSG;
}

static void read_process(const struct process_list *list, struct process *process)
{
	struct process_io *io = process->io;
	struct pid_io now;

	io->error = read_io(list->env, process, &now);
	io->tick = list->env->tick;
	if (is_gone(io->error)) {
		leave_to_parent(list, process);
	} else if (io->error == 0) {
		count(&io->read_bytes, &io->seen.read_bytes, now.read_bytes, io->known.read_bytes, io->begun);
		count(&io->write_bytes, &io->seen.write_bytes, now.write_bytes, io->known.write_bytes,
		      io->begun);
		io->seen.call_read_bytes = now.call_read_bytes;
		io->begun = true;
	}
}

/* A process that did not run has read and written nothing. */
static bool is_due(const struct process_list *list, const struct process *process, size_t *turns)
{
	if (process->io->tick == 0)
		return first_read_is_due(list, process, turns);
	return !list->clocks || process->ran_tick > process->io->tick;
}

static bool is_denied(const struct process *process)
{
	return process->io->error == -EACCES || process->io->error == -EPERM;
}

/* Children mostly have higher pids than their parents: one that just exited is noticed before its parent. */
static void update(struct process_list *list, size_t turns)
{
	list->n_io_denied = list->n_denied;
	list->n_io_unread = 0;
	for (size_t i = list->n_exited; i-- > 0;)
		if (list->exited[i]->io)
			leave_to_parent(list, list->exited[i]);
	for (size_t i = list->n_all; i-- > 0;) {
		struct process *process = list->all[i];

		if (!process->io) {
			process->io = alloc_zeroed(1, sizeof(*process->io));
			process->io->file = -1;
		}
		if (is_due(list, process, &turns))
			read_process(list, process);
		process->io->known = (struct pid_io){ 0 };
		list->n_io_unread += process->io->tick == 0;
		list->n_io_denied += is_denied(process);
	}
}

size_t process_io_update(struct process_list *list)
{
	if (list->io_tick != list->env->tick)
		update(list, first_read_turns(list));
	list->io_tick = list->env->tick;
	return list->n_io_unread > 0 ? 0 : list->n_io_denied;
}

size_t process_io_update_all(struct process_list *list)
{
	if (list->io_tick != list->env->tick || list->n_io_unread > 0)
		update(list, SIZE_MAX);
	list->io_tick = list->env->tick;
	return list->n_io_denied;
}
