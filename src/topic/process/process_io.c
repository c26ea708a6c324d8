/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * /proc/PID/io counts a process together with the children that it has waited for, so that their bytes would
 * count again, all at once, when they exit. What was seen of them is taken off; what was not seen, because
 * they were short-lived, stays with their parent.
 */
#include <config.h>

#include "topic/process/process_io.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/alloc.h"
#include "core/i18n.h"
#include "core/vector.h"
#include "kernel/pid/maps.h"
#include "kernel/pid/pid_stat.h"
#include "sys/device_poll.h"
#include "sys/pids.h"
#include "topic/process/process_entry.h"
#include "topic/process/process_list.h"
#include "topic/topic.h"

/* Processes that a list may show now come first, the others in turns: no tick reads all of them. */

#define TURNS_MIN ((size_t)512) /* a machine with fewer processes has all of them read at once */
#define TURN_TICKS 16           /* after which all had their turn */
#define BUSY 1000               /* a process that ran for more than a part in BUSY of its life is busy */

/*
 * The turns of a tick: on the screen, the files of thousands of processes that have not run since it started
 * would delay it for numbers that stand still. What was not read yet is unknown.
 */
static size_t first_read_turns(const struct process_list *list)
{
	size_t turns = list->n_all / TURN_TICKS + 1;

	if (!list->clocks || !list->request || list->request->batch)
		return SIZE_MAX;
	return turns > TURNS_MIN ? turns : TURNS_MIN;
}

static bool was_busy(const struct process_list *list, const struct process *process)
{
	uint64_t start_ns = process->start_ticks * (UINT64_C(1000000000) / list->env->ticks_per_second);

	return list->boot_ns > start_ns && process->cpu_ns > (list->boot_ns - start_ns) / BUSY;
}

/* A busy one may be in a list of the next tick. In the first tick all are new, so that ran says nothing. */
static bool first_read_is_due(const struct process_list *list, const struct process *process, size_t *turns)
{
	char state = process->stat.state;

	if ((process->ran && list->updates > 1) || state == 'R' || state == 'D' || was_busy(list, process))
		return true;
	if (*turns == 0)
		return false;
	--*turns;
	return true;
}

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
		list->n_io_denied += process->io->error == -EACCES || process->io->error == -EPERM;
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

/*
 * /proc/PID/schedstat is of the first thread only: of others their own files are read. What a thread waited
 * between the last read and its exit is lost.
 */

#define KEPT_THREADS_MAX 64 /* an open file holds a page of the kernel */

const struct process_wait *process_wait_of(const struct process *process)
{
	return process->wait && process->wait->complete ? process->wait : NULL;
}

/* 0 or -errno. keep: file stays open for the next time. */
static int read_schedstat(struct env *env, uint32_t pid, const char *name, bool keep, int *file,
			  struct pid_schedstat *schedstat)
{
	char bytes[128];
	long length = keep ? pids_read_kept(env, file, pid, name, bytes, sizeof(bytes)) :
			     pids_read(env, pid, name, bytes, sizeof(bytes));

	if (length < 0)
		return (int)length;
	return pid_schedstat_parse(span_of(bytes, (size_t)length), schedstat) ? 0 : -EBADMSG;
}

static struct thread_wait *known_thread(const struct process_wait *wait, size_t *at, uint32_t tid)
{
	while (*at < wait->n_threads && wait->threads[*at].tid < tid)
		++*at;
	return *at < wait->n_threads && wait->threads[*at].tid == tid ? &wait->threads[*at] : NULL;
}

static void add_growth(struct process_wait *wait, const struct pid_schedstat *now,
		       const struct pid_schedstat *before)
{
	bool same = before && now->wait_ns >= before->wait_ns && now->runs >= before->runs;

	wait->counted_ns += now->wait_ns - (same ? before->wait_ns : 0);
	wait->runs += now->runs - (same ? before->runs : 0);
}

/* Makes room the new list of threads, which the old one becomes. */
static void swap_threads(struct process_list *list, struct process_wait *wait, size_t n_threads)
{
	struct thread_wait *threads = wait->threads;
	size_t capacity = wait->capacity;

	for (size_t i = 0; i < wait->n_threads; i++)
		pids_release(list->env, &threads[i].file);
	wait->threads = list->wait_room;
	wait->capacity = list->wait_capacity;
	wait->n_threads = n_threads;
	list->wait_room = threads;
	list->wait_capacity = capacity;
}

/*
 * A file stays open from the second read on: most processes sleep and are read once. tid 0: the first thread
 * is the only one.
 */
static int read_thread(struct process_list *list, const struct process *process, uint32_t tid, bool keep,
		       struct thread_wait *known, struct thread_wait *thread)
{
	char name[48];
	int error;

	thread->tid = tid == 0 ? process->pid : tid;
	thread->file = known ? known->file : -1;
	if (tid == 0)
		snprintf(name, sizeof(name), "schedstat");
	else
		snprintf(name, sizeof(name), "task/%u/schedstat", tid);
	error = read_schedstat(list->env, process->pid, name, keep && known, &thread->file, &thread->seen);
	if (known)
		known->file = -1;
	return error;
}

/* tids {0}: the first thread is the only one. */
static void read_threads(struct process_list *list, struct process *process, const uint32_t *tids,
			 size_t n_tids)
{
	struct process_wait *wait = process->wait;
	bool keep = n_tids <= KEPT_THREADS_MAX;
	size_t at = 0, n_threads = 0;

	VECTOR_RESERVE(list->wait_room, n_tids, list->wait_capacity);
	for (size_t i = 0; i < n_tids; i++) {
		struct thread_wait *thread = &list->wait_room[n_threads];
		struct thread_wait *known = known_thread(wait, &at, tids[i] == 0 ? process->pid : tids[i]);
		int error = read_thread(list, process, tids[i], keep, known, thread);

		if (is_gone(error)) {
			pids_release(list->env, &thread->file);
			continue;
		}
		wait->complete &= error == 0;
		if (error && !known)
			continue;
		if (error)
			thread->seen = known->seen;
		else
			add_growth(wait, &thread->seen, known ? &known->seen : NULL);
		n_threads++;
	}
	swap_threads(list, wait, n_threads);
}

/* A kernel that does not count has zeros for a process that ran. */
static bool counts(const struct process *process)
{
	return process->wait->runs > 0 || process->cpu_ns == 0;
}

static void read_wait(struct process_list *list, struct process *process)
{
	static const uint32_t first = 0;
	struct process_wait *wait = process->wait;
	const uint32_t *tids = &first;
	size_t n_tids = 1;

	wait->complete =
		process->stat.threads == 1 || pids_threads(list->env, process->pid, &tids, &n_tids) == 0;
	if (wait->complete)
		read_threads(list, process, tids, n_tids);
	wait->complete = wait->complete && wait->n_threads > 0 && counts(process);
	wait->tick = list->env->tick;
}

static bool wait_is_due(const struct process_list *list, const struct process *process, size_t *turns)
{
	if (process->wait->tick == 0)
		return first_read_is_due(list, process, turns);
	return !list->clocks || !process->wait->complete || process->ran_tick > process->wait->tick;
}

static void spread_wait(const struct process_list *list, struct process_wait *wait)
{
	wait->wait_ns = wait->mono_ns == 0 ? wait->counted_ns
					   : pid_wait_so_far(wait->wait_ns, wait->counted_ns, wait->n_threads,
							     list->mono_ns - wait->mono_ns);
	wait->mono_ns = list->mono_ns;
}

static void update_waits(struct process_list *list)
{
	size_t turns = first_read_turns(list);

	for (size_t i = 0; i < list->n_all; i++) {
		struct process *process = list->all[i];

		if (!process->wait)
			process->wait = alloc_zeroed(1, sizeof(*process->wait));
		if (wait_is_due(list, process, &turns))
			read_wait(list, process);
		if (process->wait->tick > 0)
			spread_wait(list, process->wait);
	}
}

void process_wait_update(struct process_list *list)
{
	if (list->wait_tick != list->env->tick)
		update_waits(list);
	list->wait_tick = list->env->tick;
}

/* Reads smaps_rollup, for which the kernel walks all pages of a process. */

#define MOST PROCESSES_VISIBLE_MAX
#define STALL_NS UINT64_C(2000000000) /* a process whose memory is locked must not stop the others */

struct proportional {
	struct device_poll poll;
	bool busy, finished;
	size_t n;
	struct rollup {
		uint32_t pid;
		int fd;                      /* opened where there are privileges; the helper has none */
		uint64_t start_ticks, bytes; /* U64_UNKNOWN: not known */
	} rollups[MOST];
};

static uint64_t read_rollup(int fd)
{
	char bytes[4096];
	ssize_t length = read(fd, bytes, sizeof(bytes));
	uint64_t found;

	return length > 0 && smaps_rollup_parse(span_of(bytes, (size_t)length), &found) ? found : U64_UNKNOWN;
}

static void read_all(struct device_poll *poll)
{
	struct proportional *reader = (struct proportional *)poll;

	for (size_t i = 0; i < reader->n; i++) {
		reader->rollups[i].bytes = read_rollup(reader->rollups[i].fd);
		close(reader->rollups[i].fd);
	}
	poll->reads += reader->n;
}

static void finish(struct device_poll *poll)
{
	((struct proportional *)poll)->finished = true;
}

static void free_reader(struct device_poll *poll)
{
	free((struct proportional *)poll);
}

struct proportional *proportional_open(struct env *env)
{
	struct proportional *reader = alloc_zeroed(1, sizeof(*reader));

	reader->poll = (struct device_poll){ .read = read_all, .finished = finish, .free = free_reader,
						.in_thread = true };
	device_poll_open(&reader->poll, env, "proc/PID/smaps_rollup");
	return reader;
}

void proportional_close(struct proportional *reader)
{
	if (reader)
		device_poll_drop(&reader->poll);
}

static void collect(struct proportional *reader, struct process_list *list)
{
	for (size_t i = 0; reader->finished && i < reader->n; i++) {
		struct process *process = process_list_find(list, reader->rollups[i].pid);

		if (process && process->start_ticks == reader->rollups[i].start_ticks)
			process->proportional_bytes = reader->rollups[i].bytes;
	}
	if (reader->finished)
		reader->busy = reader->finished = false;
}

static void ask(struct proportional *reader, struct env *env, struct process *process)
{
	char path[PROCESS_FILE_MAX];
	int fd;

	if (!process || process_is_kernel_thread(process) || reader->n == MOST)
		return;
	fd = pids_open(env, process->pid, process_memory_file(process, "smaps_rollup", path), O_RDONLY);
	if (fd >= 0)
		reader->rollups[reader->n++] =
			(struct rollup){ process->pid, fd, process->start_ticks, U64_UNKNOWN };
	else
		process->proportional_bytes = U64_UNKNOWN;
}

static void submit(struct proportional *reader, struct env *env)
{
	if (reader->n == 0)
		return;
	reader->busy = true;
	reader->poll.credit = 1;
	device_poll_submit(&reader->poll);
	device_poll_wait(env);
}

static void read_chosen(struct proportional *reader, struct process_list *list, const char *chosen)
{
	size_t i = 0;

	while (i < list->n_all && !reader->busy) {
		for (reader->n = 0; i < list->n_all && reader->n < MOST; i++)
			if (!chosen || process_matches(list->all[i], span_text(chosen)))
				ask(reader, list->env, list->all[i]);
		submit(reader, list->env);
		if (reader->busy && !reader->finished)
			device_poll_wait_for(&reader->poll, STALL_NS);
		collect(reader, list);
	}
}

void proportional_update(struct proportional *reader, struct process_list *list,
			 const struct sample_request *request, bool all)
{
	device_poll_collect(list->env);
	collect(reader, list);
	if (reader->busy)
		return;
	if (all) {
		read_chosen(reader, list, request->processes);
		return;
	}
	reader->n = 0;
	for (size_t i = 0; i < request->n_visible; i++)
		ask(reader, list->env, process_list_find(list, request->visible[i]));
	submit(reader, list->env);
	collect(reader, list);
}

/* Topic "page_reader": which processes read from storage, and so fill the page cache; and what they write. */

#define SOURCE "proc/self/io"

struct reader_row {
	uint64_t pid;
	double start_seconds;
	uint64_t read_bytes, write_bytes, major_faults;
	double read_bytes_per_second, write_bytes_per_second, major_faults_per_second;
	const char *command;
};

#define ROW(field, ...) COLUMN(struct reader_row, field, __VA_ARGS__)

static const struct column columns[] = {
	ROW(pid, A_PROCESS_ID, .help = N_("process ID")),
	ROW(start_seconds, A_PROCESS_START),
	ROW(read_bytes_per_second, A_RATE(BYTES_PER_SECOND, N_("read/s"), 7), .additive = true,
	    .rate_of = offsetof(struct reader_row, read_bytes),
	    .help = N_("read from storage in the last interval"), .source = "growth of read_bytes / time"),
	ROW(write_bytes_per_second, A_RATE(BYTES_PER_SECOND, N_("write/s"), 7), .additive = true,
	    .rate_of = offsetof(struct reader_row, write_bytes),
	    .help = N_("written to storage in the last interval, counted when pages become dirty"),
	    .source = "growth of write_bytes / time"),
	ROW(read_bytes, A_COUNTER(BYTES, N_("read"), 7), .rank = 1,
	    .help = N_("read from storage since its start, by itself and by children that ended"),
	    .source = "/proc/PID/io read_bytes"),
	ROW(write_bytes, A_COUNTER(BYTES, N_("written"), 7), .rank = 1,
	    .help = N_("written to storage since its start, by itself and by children that ended"),
	    .source = "/proc/PID/io write_bytes"),
	ROW(major_faults_per_second, A_RATE(PER_SECOND, N_("majflt/s"), 8), .additive = true, .rank = 2,
	    .rate_of = offsetof(struct reader_row, major_faults),
	    .help = N_("page faults that waited for storage"), .source = "growth of major_faults / time"),
	ROW(major_faults, A_COUNTER(COUNT, N_("majflt"), 7), .rank = 3,
	    .help = N_("page faults that waited for storage, since its start"),
	    .source = "/proc/PID/stat majflt"),
	ROW(command, A_PROCESS_NAME),
};

static const struct schema schema = {
	.name = "page_reader", .help = N_("processes that read from and write to storage"),
	SCHEMA_ROWS(struct reader_row, columns),
};

/* 0 or -errno of reading its io file. */
static int add_process(struct env *env, struct frame *frame, struct table *table,
		       const struct process *process)
{
	char bytes[512];
	long length = pids_read(env, process->pid, "io", bytes, sizeof(bytes));
	struct reader_row *row;
	struct pid_io io;

	if (length < 0)
		return (int)length;
	if (!pid_io_parse(span_of(bytes, (size_t)length), &io))
		return 0;
	if (process_is_kernel_thread(process) && io.read_bytes == 0 &&
	    (io.write_bytes == 0 || io.write_bytes == U64_UNKNOWN))
		return 0;
	row = table_add(table);
	row->pid = process->pid;
	row->start_seconds = process_start_seconds(env, process->start_ticks);
	row->read_bytes = io.read_bytes;
	row->write_bytes = io.write_bytes;
	row->major_faults = process->stat.major_faults;
	row->command = arena_copy(&frame->arena, process->name, strlen(process->name));
	return 0;
}

static int sample(struct sample *sample)
{
	struct env *env = sample->env;
	struct process_list *processes = sample->state;
	size_t hidden = processes->n_denied;

	for (size_t i = 0; i < processes->n_all; i++) {
		int error = add_process(env, sample->frame, sample->table, processes->all[i]);
		if (error == -EACCES || error == -EPERM)
			hidden++;
	}
	if (processes->n_all > 0 && sample->table->n_rows == 0 && !env_exists(env, SOURCE)) {
		env_note_failure(env, SOURCE, -ENOENT);
		return -ENOENT;
	}
	if (hidden > 0)
		frame_notice(sample->frame, schema.name,
			     remedy_for_user(N_("run it as root, or give it the capabilities cap_sys_ptrace "
						"and cap_dac_read_search")),
			     P_("reads of %zu process are hidden",
				"reads of %zu processes are hidden", hidden),
			     hidden);
	return 0;
}

const struct topic topic_page_reader = {
	.schema = &schema,
	.sources = SOURCES(
		{ .path = SOURCE, .gives = N_("bytes that a process read from storage"),
		  .remedies = { { ENOENT,
				  N_("this kernel was built without CONFIG_TASK_IO_ACCOUNTING") } } }),
	.reads = READING_ONE(&process_reader), .sample = sample,
	.uses = PRIVILEGE_BIT(PRIVILEGE_IO) | PRIVILEGE_BIT(PRIVILEGE_HIDDEN),
};
