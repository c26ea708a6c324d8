/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Topics "disk_user": who reads from each block device and writes to it, counted as it is submitted by who
 * made it: for pages, who made their file dirty last; and "disk_account": whose bytes the devices read and
 * wrote; the parts add up to the devices'.
 */
#include <config.h>

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/i18n.h"
#include "core/vector.h"
#include "kernel/meminfo.h"
#include "topic/disk/disk_list.h"
#include "topic/process/process_entry.h"
#include "topic/process/process_io.h"
#include "topic/topic.h"
#include "topic/trace/trace.h"

/* What is submitted, and what diskstats count it as: reads, writes, and blocks of zeros, which are writes. */
enum disk_work { DISK_READS, DISK_WRITES, DISK_ZEROES, N_DISK_WORKS };

enum disk_user_kind {
	DISK_USER_UNKNOWN, /* it ended before it was seen */
	DISK_USER_PROGRAM,
	DISK_USER_WORKER, /* of the kernel: what it writes is written back, of pages that no process is known
			     of */
	DISK_USER_KERNEL, /* another thread of it, such as a journal's */
};

struct disk_bytes {
	uint64_t bytes[N_DISK_WORKS], requests[N_DISK_WORKS];
};

/* A process and a device, since counting began; a later process with its pid goes on in it. */
struct disk_user {
	uint32_t pid;
	uint64_t disk; /* its number */
	uint64_t tick; /* the last one in which it grew */
	enum disk_user_kind kind;
	uint64_t start_ticks;                    /* of the process; 0: not known yet */
	char *name, *command;                    /* owned; NULL: not known yet */
	struct disk_bytes counted, before, base; /* before: a tick ago; base: of processes that had its pid */
};

/* What was done with a device; since counting began. */
struct disk_work_done {
	uint64_t disk;
	uint64_t programs[2]; /* bytes read and written */
	struct {
		uint64_t read, written, requests;
	} workers;
};

/* Processes that ended: what they made dirty is written later. */
#define DISK_ENDED_MAX 256
struct disk_ended {
	uint32_t pid;
	uint64_t start_ticks;
	enum disk_user_kind kind;
	char *name, *command; /* owned */
};

struct disk_user_list {
	struct process_list *processes;
	struct disk_list *disks;
	struct trace_set trace;
	bool opened, counted;
	struct disk_user *all; /* owned */
	size_t n_all, capacity;
	struct hash by_key;
	struct disk_work_done *done; /* by device; owned */
	size_t n_done, done_capacity;
	struct disk_ended ended[DISK_ENDED_MAX];
	unsigned next_ended;
};

#define ENTRIES_MAX 16384
#define SHOWN_TICKS 2 /* without growth, of a process that ended */

enum word { WORD_OPERATION, WORD_USER, N_WORDS };
#define DISK_SHIFT 32 /* of the word of the user; its low half is the pid */

/* enum req_op of linux/blk_types.h. */
#define REQ_OP_READ 0
#define REQ_OP_WRITE 1
#define REQ_OP_WRITE_ZEROES 9

/*
 * A file whose pages are written by a thread of the kernel was noted when they became dirty. A direct write
 * has pages of a process, whose mapping, an odd address, leads to nothing that was noted. Reads are of the
 * process that runs.
 */
static const struct bpf_program disk_user_programs[] = {
	{ .name = N_("who makes files dirty"),
	  .tracepoint = "writeback_dirty_folio",
	  .does = &bpf_note,
	  .typed = true,
	  .keys = { { .is = BPF_PART_MEMBER, .argument = 1, .name = "address_space.host" } },
	  .n_keys = 1,
	  .value = { .is = BPF_PART_PROCESS } },
	{ .name = N_("bytes for disks"),
	  .tracepoint = "block_bio_queue",
	  .does = &bpf_count,
	  .typed = true,
	  .keys = { { .is = BPF_PART_MEMBER, .name = "bio.bi_opf", .bytes = 1 },
		    { .is = BPF_PART_MAKER, .name = "bio.bi_io_vec.bv_page.mapping.host" },
		    { .is = BPF_PART_MEMBER,
		      .name = "bio.bi_bdev.bd_disk.part0.bd_dev",
		      .joins = true,
		      .shift = DISK_SHIFT } },
	  .n_keys = 3,
	  .value = { .is = BPF_PART_MEMBER, .name = "bio.bi_iter.bi_size" },
	  .positive = true },
};

const struct trace_plan trace_plan_disk_user = {
	.topic = "disk_user",
	TRACE_PROGRAMS(disk_user_programs),
	.n_words = N_WORDS,
	.n_entries_max = ENTRIES_MAX,
	.slots = true,
};

static enum disk_work work_of(uint64_t operation)
{
	return operation == REQ_OP_READ           ? DISK_READS
	       : operation == REQ_OP_WRITE        ? DISK_WRITES
	       : operation == REQ_OP_WRITE_ZEROES ? DISK_ZEROES
						  : N_DISK_WORKS;
}

static uint64_t hash_user(uint32_t pid, uint64_t disk)
{
	return hash_u64((uint64_t)pid << 32 ^ disk);
}

static struct disk_user *find_user(const struct disk_user_list *list, uint32_t pid, uint64_t disk)
{
	uint32_t at;

	HASH_FIND(at, &list->by_key, hash_user(pid, disk),
		  list->all[at].pid == pid && list->all[at].disk == disk);
	return at == HASH_NONE ? NULL : &list->all[at];
}

static struct disk_user *user_of(struct disk_user_list *list, uint32_t pid, uint64_t disk)
{
	struct disk_user *user = find_user(list, pid, disk);

	if (user)
		return user;
	hash_add(&list->by_key, hash_user(pid, disk), (uint32_t)list->n_all);
	user = VECTOR_ADD(list->all, list->n_all, list->capacity);
	*user = (struct disk_user){ .pid = pid, .disk = disk };
	return user;
}

/* What was done with the device, NULL: nothing since counting began. */
static struct disk_work_done *find_done(const struct disk_user_list *list, uint64_t disk)
{
	for (size_t i = 0; i < list->n_done; i++)
		if (list->done[i].disk == disk)
			return &list->done[i];
	return NULL;
}

static struct disk_work_done *done_of(struct disk_user_list *list, uint64_t disk)
{
	struct disk_work_done *done = find_done(list, disk);

	if (done)
		return done;
	done = VECTOR_ADD(list->done, list->n_done, list->done_capacity);
	*done = (struct disk_work_done){ .disk = disk };
	return done;
}

static enum disk_user_kind kind_of(const struct process *process)
{
	if (!process_is_kernel_thread(process))
		return DISK_USER_PROGRAM;
	return strncmp(process->name, "kworker", 7) == 0 ? DISK_USER_WORKER : DISK_USER_KERNEL;
}

static char *copy_of(const char *text)
{
	return text ? alloc_text(text) : NULL;
}

static void remember_ended(struct disk_user_list *list)
{
	for (size_t i = 0; i < list->processes->n_exited; i++) {
		const struct process *process = list->processes->exited[i];
		struct disk_ended *ended = &list->ended[list->next_ended++ % DISK_ENDED_MAX];

		free(ended->name);
		free(ended->command);
		*ended = (struct disk_ended){ .pid = process->pid,
					      .start_ticks = process->start_ticks,
					      .kind = kind_of(process),
					      .name = copy_of(process->name),
					      .command = copy_of(process->command) };
	}
}

static const struct disk_ended *find_ended(const struct disk_user_list *list, uint32_t pid)
{
	for (unsigned back = 1; back <= DISK_ENDED_MAX && back <= list->next_ended; back++) {
		const struct disk_ended *ended = &list->ended[(list->next_ended - back) % DISK_ENDED_MAX];

		if (ended->pid == pid)
			return ended;
	}
	return NULL;
}

static void name_user(struct disk_user *user, uint64_t start_ticks, enum disk_user_kind kind,
		      const char *name, const char *command)
{
	if (user->start_ticks != 0 && user->start_ticks != start_ticks)
		user->base = user->before;
	if (user->start_ticks != start_ticks || !user->name || strcmp(user->name, name) != 0 ||
	    (command && !user->command)) {
		free(user->name);
		free(user->command);
		user->name = copy_of(name);
		user->command = copy_of(command);
	}
	user->start_ticks = start_ticks;
	user->kind = kind;
}

/* The process that has its pid, or the last one that had it. */
static void identify(struct disk_user_list *list, struct disk_user *user)
{
	const struct process *process = process_list_find(list->processes, user->pid);
	const struct disk_ended *ended = process ? NULL : find_ended(list, user->pid);

	if (user->pid == 0)
		user->kind = DISK_USER_WORKER; /* an idle CPU */
	else if (process && process->start_ticks != U64_UNKNOWN)
		name_user(user, process->start_ticks, kind_of(process), process->name, process->command);
	else if (ended && user->start_ticks == 0)
		name_user(user, ended->start_ticks, ended->kind, ended->name, ended->command);
}

static void add_done(struct disk_user_list *list, const struct disk_user *user, enum disk_work work,
		     uint64_t grown, uint64_t requests)
{
	struct disk_work_done *done = done_of(list, user->disk);
	bool writes = work != DISK_READS;

	if (user->kind == DISK_USER_PROGRAM || user->kind == DISK_USER_UNKNOWN)
		done->programs[writes] += grown;
	if (user->kind != DISK_USER_WORKER)
		return;
	*(writes ? &done->workers.written : &done->workers.read) += grown;
	done->workers.requests += requests;
}

static void take_entry(struct disk_user_list *list, const uint64_t *key, const struct bpf_entry *entry)
{
	enum disk_work work = work_of(key[WORD_OPERATION]);
	struct disk_user *user;
	uint64_t grown, requests;

	if (work == N_DISK_WORKS)
		return;
	user = user_of(list, (uint32_t)key[WORD_USER], key[WORD_USER] >> DISK_SHIFT);
	grown = entry->sum - user->counted.bytes[work];
	if (grown == 0)
		return;
	requests = entry->count - user->counted.requests[work];
	user->counted.bytes[work] = entry->sum;
	user->counted.requests[work] = entry->count;
	user->tick = list->processes->env->tick;
	identify(list, user);
	add_done(list, user, work, grown, requests);
}

/* Of a process that ended and has nothing left to be written, as far as is known. */
static bool is_over(const struct disk_user_list *list, const struct disk_user *user)
{
	return list->processes->env->tick - user->tick >= SHOWN_TICKS &&
	       !process_list_find(list->processes, user->pid);
}

static void forget_entries(struct disk_user_list *list)
{
	for (size_t i = 0; i < list->trace.n_entries; i++) {
		const uint64_t *key = trace_key(&list->trace, i);
		const struct disk_user *user =
			find_user(list, (uint32_t)key[WORD_USER], key[WORD_USER] >> DISK_SHIFT);

		if (user && is_over(list, user))
			trace_forget(&list->trace, i);
	}
}

static void forget_users(struct disk_user_list *list)
{
	size_t n_kept = 0;

	for (size_t i = 0; i < list->n_all; i++) {
		if (!is_over(list, &list->all[i])) {
			list->all[n_kept++] = list->all[i];
			continue;
		}
		free(list->all[i].name);
		free(list->all[i].command);
	}
	if (n_kept == list->n_all)
		return;
	list->n_all = n_kept;
	hash_clear(&list->by_key);
	for (size_t i = 0; i < n_kept; i++)
		hash_add(&list->by_key, hash_user(list->all[i].pid, list->all[i].disk), (uint32_t)i);
}

static int update(void *state, const struct sample *sample)
{
	struct disk_user_list *list = state;

	if (!list->opened) {
		list->opened = true;
		trace_open(&list->trace, sample->env, sample->request, &trace_plan_disk_user);
	}
	list->counted = trace_read(&list->trace);
	if (!list->counted)
		return 0;
	remember_ended(list);
	for (size_t i = 0; i < list->n_all; i++)
		list->all[i].before = list->all[i].counted;
	for (size_t i = 0; i < list->trace.n_entries; i++)
		take_entry(list, trace_key(&list->trace, i), &list->trace.values[i]);
	forget_entries(list);
	forget_users(list);
	return 0;
}

/* Bytes read or written, and requests, by the process that has its pid now. */
static uint64_t disk_user_bytes(const struct disk_user *user, bool written)
{
	uint64_t sum = 0;

	for (unsigned work = written ? DISK_WRITES : DISK_READS;
	     work < (written ? N_DISK_WORKS : DISK_WRITES); work++)
		sum += user->counted.bytes[work] - user->base.bytes[work];
	return sum;
}

static void close_list(void *state)
{
	struct disk_user_list *list = state;

	trace_close(&list->trace);
	for (size_t i = 0; i < list->n_all; i++) {
		free(list->all[i].name);
		free(list->all[i].command);
	}
	for (unsigned i = 0; i < DISK_ENDED_MAX; i++) {
		free(list->ended[i].name);
		free(list->ended[i].command);
	}
	hash_free(&list->by_key);
	free(list->all);
	free(list->done);
}

/* Nothing is counted where list->counted is false, see list->trace.error. */
static const struct reader disk_user_reader = {
	.name = "processes by block device",
	.state_size = sizeof(struct disk_user_list),
	.reads = READINGS(READING(struct disk_user_list, processes, &process_reader),
			  READING(struct disk_user_list, disks, &disk_reader)),
	.update = update,
	.close = close_list,
};

struct disk_user_row {
	uint64_t pid;
	double start_seconds;
	const char *device, *how, *name, *command;
	uint64_t read_bytes, write_bytes, requests;
	double read_bytes_per_second, write_bytes_per_second, bytes_per_second, requests_per_second;
	double request_bytes;
	uint64_t bytes;
};

#define ROW(field, ...) COLUMN(struct disk_user_row, field, __VA_ARGS__)
#define RATE(field, of, measure, heading, cells, ...)                                                        \
	ROW(field, .kind = COLUMN_RATE, .unit = measure, .rate_of = offsetof(struct disk_user_row, of),      \
	    .source = "growth of " #of " / time", .title = heading, .width = cells, .help = __VA_ARGS__)
#define COUNT(field, measure, heading, what)                                                                 \
	ROW(field, .kind = COLUMN_COUNTER, .unit = measure, .hidden = true, .title = heading, .width = 9,    \
	    .help = what, .source = "BPF at block_bio_queue; else /proc/PID/io")

#define COL(field, ...) COLUMN_OF(struct disk_user_row, field, __VA_ARGS__)

static const struct column columns[] = {
	RATE(read_bytes_per_second, read_bytes, UNIT_BYTES_PER_SECOND, N_("read/s"), 8,
	     N_("read from the device for it, also ahead of its reads"), .additive = true),
	RATE(write_bytes_per_second, write_bytes, UNIT_BYTES_PER_SECOND, N_("write/s"), 8,
	     N_("written to the device, for the process that made the file dirty last; with proc what it "
		"made dirty"), .additive = true, .trend = true),
	RATE(bytes_per_second, bytes, UNIT_BYTES_PER_SECOND, N_("sum/s"), 8, N_("read and written"),
	     .rank = 3),
	RATE(requests_per_second, requests, UNIT_PER_SECOND, N_("bios/s"), 7,
	     N_("block I/O, before the kernel merges it into requests or splits it"), .additive = true,
	     .rank = 1),
	COL(request_bytes, RATE, BYTES, N_("size"), 7, N_("mean size of one, before it is merged or split"),
	    "growth of bytes / growth of requests", .rank = 2,
	    .rate_of = offsetof(struct disk_user_row, bytes),
	    .rate_over = offsetof(struct disk_user_row, requests)),
	COL(device, KEY, NONE, N_("device"), 8,
	    N_("block device without its partitions; all: not known which"), "BPF at block_bio_queue",
	    .rank = 1),
	COL(pid, KEY, NONE, N_("PID"), 7, N_("process ID; 0: written back by the kernel, not known for whom"),
	    "/proc", .fleeting = true),
	COL(start_seconds, KEY, SECONDS, N_("started"), 10,
	    N_("start time, after boot; unknown of a process that ended before it was seen"),
	    "/proc/PID/stat starttime", .fleeting = true, .hidden = true),
	COL(how, LABEL, NONE, N_("how"), 4,
	    N_("bpf: counted in the kernel by device; proc: by /proc/PID/io, which counts writes when "
	       "pages become dirty"), "panetop", .rank = 4),
	COUNT(read_bytes, UNIT_BYTES, N_("read"), N_("read since counting began")),
	COUNT(write_bytes, UNIT_BYTES, N_("written"), N_("written since counting began")),
	COUNT(bytes, UNIT_BYTES, N_("bytes"), N_("read and written since counting began")),
	COUNT(requests, UNIT_COUNT, N_("bios"), N_("the same, since counting began")),
	COL(name, LABEL, NONE, N_("name"), 15, N_("process name, as the kernel keeps it"),
	    "/proc/PID/stat comm", .grouping = "command", .hidden = true),
	COL(command, LABEL, NONE, N_("command"), 24,
	    N_("command line, also of a process that has ended; [name] of a kernel thread; empty where it "
	       "ended before it was seen"), "/proc/PID/cmdline", .personal = true, .text = TEXT_COMMAND),
};

static const struct schema schema = {
	.name = "disk_user",
	.help = N_("who reads from block devices and writes to them"),
	.none = N_("no process has read or written anything since counting began"),
	.from_zero = true,
	.of_run = true,
	SCHEMA_ROWS(struct disk_user_row, columns),
};

static const char *command_of(struct sample *sample, bool of_kernel, const char *name, const char *command)
{
	if (command && *command)
		return frame_text(sample->frame, command);
	return of_kernel && name ? arena_print(&sample->frame->arena, "[%s]", name)
				 : frame_text(sample->frame, name);
}

static struct disk_user_row *add_row(struct sample *sample, const char *device)
{
	struct disk_user_row *row = table_add(sample->table);

	row->device = frame_text(sample->frame, device);
	row->how = "bpf";
	row->read_bytes = row->write_bytes = row->requests = row->bytes = 0;
	return row;
}

static void add_user(struct sample *sample, const struct disk_user *user, const char *device)
{
	double start = user->start_ticks ? process_start_seconds(sample->env, user->start_ticks) : NAN;
	struct disk_user_row *row;

	if (scope_is_set(sample->request->scope) && !scope_has(sample->request->scope, user->pid, start))
		return;
	row = add_row(sample, device);
	row->pid = user->pid;
	row->start_seconds = start;
	row->name = frame_text(sample->frame, user->name);
	row->command = command_of(sample, user->kind == DISK_USER_KERNEL, user->name, user->command);
	row->read_bytes = disk_user_bytes(user, false);
	row->write_bytes = disk_user_bytes(user, true);
	row->bytes = row->read_bytes + row->write_bytes;
	for (unsigned work = 0; work < N_DISK_WORKS; work++)
		row->requests += user->counted.requests[work] - user->base.requests[work];
}

/* Workers come and go: what they write is one row of each device. */
static void add_written_back(struct sample *sample, const struct disk_user_list *list,
			     const struct disk *disk)
{
	const struct disk_work_done *done = find_done(list, disk->number);
	struct disk_user_row *row;

	if (!done || done->workers.requests == 0 || scope_is_set(sample->request->scope))
		return;
	row = add_row(sample, disk->name);
	row->pid = 0;
	row->name = N_("written back");
	row->command = N_("(written back, not known for whom)");
	row->read_bytes = done->workers.read;
	row->write_bytes = done->workers.written;
	row->bytes = row->read_bytes + row->write_bytes;
	row->requests = done->workers.requests;
}

static void add_counted(struct sample *sample, const struct disk_user_list *list)
{
	for (size_t i = 0; i < list->n_all; i++) {
		const struct disk *disk = disk_list_find(list->disks, list->all[i].disk);

		if (disk && list->all[i].kind != DISK_USER_WORKER)
			add_user(sample, &list->all[i], disk->name);
	}
	for (size_t i = 0; i < list->disks->count; i++)
		add_written_back(sample, list, &list->disks->disks[i]);
}

static void add_process(struct sample *sample, const struct process *process)
{
	const struct process_io *io = process_io_of(process);
	struct disk_user_row *row;

	if (!io || process->outside || process->start_ticks == U64_UNKNOWN ||
	    process_is_kernel_thread(process) || io->read_bytes + io->write_bytes == 0)
		return;
	row = table_add(sample->table);
	row->device = "all";
	row->pid = process->pid;
	row->start_seconds = process_start_seconds(sample->env, process->start_ticks);
	row->read_bytes = io->read_bytes;
	row->write_bytes = io->write_bytes;
	row->how = "proc";
	row->name = frame_text(sample->frame, process->name);
	row->command = command_of(sample, false, process->name, process->command);
}

static int sample_users(struct sample *sample)
{
	struct disk_user_list *list = sample->state;

	trace_notice(&list->trace, sample->frame,
		     _("devices are not known, and writes count when pages become dirty"));
	if (list->counted) {
		add_counted(sample, list);
		return 0;
	}
	process_io_update_all(list->processes);
	for (size_t i = 0; i < list->processes->n_all; i++)
		add_process(sample, list->processes->all[i]);
	return 0;
}

const struct topic topic_disk_user = {
	.schema = &schema,
	.sources = SOURCES(
		TRACE_GIVES(N_("bytes of processes by device, also those written later"), TRACE_REMEDIES,
			    { ENODATA, N_("this kernel has other structures of block devices: Linux 5.17 or "
					  "newer has these") }),
		{ .path = "proc/diskstats",
		  .gives = N_("names of block devices"),
		  .remedies = { { ENOENT, N_("this kernel has no block devices, or a container "
					     "hides them") } } }),
	.uses = PRIVILEGE_BIT(PRIVILEGE_BPF) | PRIVILEGE_BIT(PRIVILEGE_IO) | PRIVILEGE_BIT(PRIVILEGE_HIDDEN),
	.reads = READING_ONE(&disk_user_reader),
	.sample = sample_users,
};

#define IO "proc/self/io"
#define BPF_FROM N_("BPF at block_bio_queue")

struct disk_account_row {
	const char *device, *part;
	double read_bytes_per_second, write_bytes_per_second, read_bytes, write_bytes;
	const char *from;
};

#define ACCOUNT_RATE(field, of, heading, what)                                                               \
	COLUMN(struct disk_account_row, field, .kind = COLUMN_RATE, .unit = UNIT_BYTES_PER_SECOND,           \
	       .title = heading, .width = 9, .rate_of = offsetof(struct disk_account_row, of), .help = what, \
	       .source = "change of " #of " / time")
#define BYTES(field, heading, what)                                                                          \
	COLUMN(struct disk_account_row, field, .kind = COLUMN_GAUGE, .unit = UNIT_BYTES, .title = heading,   \
	       .width = 9, .rank = 2, .help = what, .source = "see the column from")

#define ACCOUNT_COL(field, ...) COLUMN_OF(struct disk_account_row, field, __VA_ARGS__)

static const struct column account_columns[] = {
	ACCOUNT_COL(device, KEY, NONE, N_("device"), 6,
		    N_("block device without its partitions; all: those that store data themselves, "
		       "without loop, RAM, device-mapper and RAID devices"), "/proc/diskstats", .rank = 3),
	ACCOUNT_COL(part, KEY, NONE, N_("part"), 12,
		    N_("programs: what was read and written for them, with BPF also what the kernel writes "
		       "later; written back: with BPF what it writes later, not known for whom; else what "
		       "it wrote minus what became dirty; kernel: the rest, such as journals, metadata, "
		       "swap, processes that are hidden, and what was under way at the beginning; without "
		       "BPF it is negative where bytes count twice or are sent to a server; device: the sum"),
		    "panetop", .words = true),
	ACCOUNT_RATE(read_bytes_per_second, read_bytes, N_("read/s"), N_("read in the last interval")),
	ACCOUNT_RATE(write_bytes_per_second, write_bytes, N_("write/s"), N_("written in the last interval")),
	BYTES(read_bytes, N_("read"), N_("read since the first sample")),
	BYTES(write_bytes, N_("written"), N_("written since the first sample")),
	ACCOUNT_COL(from, LABEL, NONE, N_("from"), 24, N_("source of the bytes"), "panetop", .rank = 4,
		    .words = true),
};

static const struct schema account_schema = {
	.name = "disk_account",
	.is_public = true,
	.help = N_("whose bytes the devices read and wrote"),
	SCHEMA_ROWS(struct disk_account_row, account_columns),
};

/* Bytes at a moment, or since the first one; NaN: unknown. */
struct bytes {
	double read, write;
};

struct parts {
	struct bytes programs, device;
	double back;
};

/* Bytes that the device is through with. */
struct progress {
	double programs, back, kernel;
};

struct state {
	struct process_list *processes;
	struct disk_list *disks;
	struct disk_user_list *users;
	struct device_account {
		uint64_t disk;
		struct parts first;          /* when the account began; 0: it came later */
		struct progress read, write; /* since then */
	} * accounts;                        /* owned */
	size_t n_accounts, accounts_capacity;
	bool begun;
	struct bytes asked, programs; /* of all processes at the last moment; since the first one */
	struct bytes first_device;
	double first_cached, first_written; /* pages that became dirty, pages written back, in bytes */
};

static struct bytes of_processes(const struct process_list *processes)
{
	struct bytes sum = { 0, 0 };

	for (size_t i = 0; i < processes->n_all; i++) {
		const struct process_io *io = process_io_of(processes->all[i]);

		if (!io || process_is_kernel_thread(processes->all[i]))
			continue;
		/* with its children that exited, which are no longer in the list */
		sum.read += (double)io->seen.read_bytes;
		sum.write += (double)io->seen.write_bytes;
	}
	return sum;
}

static void of_cache(struct env *env, double *cached, double *written)
{
	static const char *const names[] = { "nr_dirtied", "nr_written" };
	uint64_t pages[2] = { U64_UNKNOWN, U64_UNKNOWN };
	struct span text;

	if (env_read(env, env_file(env, "proc/vmstat"), &text) == 0)
		vmstat_parse(text, names, 2, pages);
	*cached = u64_number(pages[0]) * (double)env->page_bytes;
	*written = u64_number(pages[1]) * (double)env->page_bytes;
}

/* The sum falls when a process exits whose parent does not wait for it: what it did since is lost. */
static double growth(double before, double now)
{
	return now > before ? now - before : 0;
}

static void add(struct table *table, const char *device, const char *part, struct bytes bytes,
		const char *from)
{
	struct disk_account_row *row = table_add(table);

	row->device = device;
	row->part = part;
	row->read_bytes = bytes.read;
	row->write_bytes = bytes.write;
	row->from = from;
}

static void add_parts(struct table *table, const char *device, const struct parts *parts, bool counted)
{
	struct bytes rest = { parts->device.read - parts->programs.read,
			      parts->device.write - parts->programs.write - parts->back };

	add(table, device, "programs", parts->programs, counted ? BPF_FROM : N_("/proc/PID/io"));
	add(table, device, "written back", (struct bytes){ 0, parts->back },
	    counted ? BPF_FROM : N_("nr_written - nr_dirtied of /proc/vmstat"));
	add(table, device, "kernel", rest, N_("the rest"));
	add(table, device, "device", parts->device, N_("/proc/diskstats"));
}

static struct bytes of_stats(const struct disk_stats *stats)
{
	return (struct bytes){ (double)stats->reads.sectors * DISK_SECTOR_BYTES,
			       (double)stats->writes.sectors * DISK_SECTOR_BYTES };
}

static struct bytes less(struct bytes from, struct bytes taken)
{
	return (struct bytes){ from.read - taken.read, from.write - taken.write };
}

static struct parts less_parts(struct parts from, const struct parts *taken)
{
	return (struct parts){ .programs = less(from.programs, taken->programs),
			       .device = less(from.device, taken->device),
			       .back = from.back - taken->back };
}

static struct device_account *account_of(struct state *state, uint64_t disk, const struct parts *now)
{
	struct device_account *account;

	for (size_t i = 0; i < state->n_accounts; i++)
		if (state->accounts[i].disk == disk)
			return &state->accounts[i];
	account = VECTOR_ADD(state->accounts, state->n_accounts, state->accounts_capacity);
	*account = (struct device_account){ .disk = disk };
	if (!state->begun)
		account->first = *now;
	return account;
}

/*
 * BPF counts bytes when they are sent to the device, which counts them later, when they are done. What is
 * under way is left out until then, of programs and of what is written back alike. What the device did and
 * was not counted by BPF is left to the kernel. The device is read first, so that it never has too much.
 */
static void settle(struct progress *progress, double *programs, double *back, double device)
{
	double sent = *programs + *back - progress->programs - progress->back, done;

	progress->kernel = fmax(progress->kernel, device - *programs - *back);
	done = device - progress->kernel - progress->programs - progress->back;
	if (done > 0 && sent > 0) {
		double of_programs = floor((*programs - progress->programs) * fmin(1, done / sent));

		progress->programs += of_programs;
		progress->back += fmin(done - of_programs, *back - progress->back);
	}
	*programs = progress->programs;
	*back = progress->back;
}

static struct parts of_disk(const struct disk_user_list *users, const struct disk *disk)
{
	const struct disk_work_done *done = find_done(users, disk->number);
	struct parts parts = { .device = of_stats(&disk->total) };

	if (done) {
		parts.programs = (struct bytes){ (double)done->programs[0], (double)done->programs[1] };
		parts.back = (double)done->workers.written;
	}
	return parts;
}

/* Returns the parts of all devices that store data themselves. */
static struct parts add_devices(struct sample *sample)
{
	struct state *state = sample->state;
	struct parts all = { 0 };

	for (size_t i = 0; i < state->disks->count; i++) {
		const struct disk *disk = &state->disks->disks[i];
		struct parts parts = of_disk(state->users, disk);
		struct device_account *account;
		double none = 0;

		account = account_of(state, disk->number, &parts);
		parts = less_parts(parts, &account->first);
		settle(&account->read, &parts.programs.read, &none, parts.device.read);
		settle(&account->write, &parts.programs.write, &parts.back, parts.device.write);
		if (!disk->stacked) {
			all.programs.read += parts.programs.read;
			all.programs.write += parts.programs.write;
			all.back += parts.back;
		}
		if (disk->used)
			add_parts(sample->table,
				  frame_text(sample->frame, disk->name), &parts, true);
	}
	return all;
}

static void notice_hidden(struct frame *frame, size_t n_denied)
{
	if (n_denied > 0)
		frame_notice(frame, account_schema.name,
			     remedy_for_user(N_("run it as root, or give it the capabilities cap_sys_ptrace "
						"and cap_dac_read_search")),
			     P_("I/O of %zu process cannot be read: it is in the rest",
				"I/O of %zu processes cannot be read: it is in the rest",
				n_denied),
			     n_denied);
}

/* Without BPF: by the files of processes and the counters of the cache. */
static struct parts parts_of_files(struct sample *sample)
{
	struct state *state = sample->state;
	struct bytes asked;
	double cached, written;

	notice_hidden(sample->frame, process_io_update_all(state->processes));
	asked = of_processes(state->processes);
	of_cache(sample->env, &cached, &written);
	if (!state->begun) {
		state->first_cached = cached;
		state->first_written = written;
	} else {
		state->programs.read += growth(state->asked.read, asked.read);
		state->programs.write += growth(state->asked.write, asked.write);
	}
	state->asked = asked;
	return (struct parts){ .programs = state->programs,
			       .back = (written - state->first_written) - (cached - state->first_cached) };
}

static int sample(struct sample *sample)
{
	struct state *state = sample->state;
	struct bytes device;
	struct parts all;

	if (!state->users->counted && sample->env->live && !env_exists(sample->env, IO))
		return -ENOENT;
	trace_notice(&state->users->trace, sample->frame, _("devices share one account, by /proc/PID/io"));
	all = state->users->counted ? add_devices(sample) : parts_of_files(sample);
	device = of_stats(&state->disks->sum);
	if (!state->begun)
		state->first_device = device;
	state->begun = true;
	all.device = less(device, state->first_device);
	add_parts(sample->table, "all", &all, state->users->counted);
	return 0;
}

static void close_account(struct sample *sample)
{
	struct state *state = sample->state;

	free(state->accounts);
}

const struct topic topic_disk_account = {
	.schema = &account_schema,
	.sources = SOURCES(
		{ .path = "proc/diskstats",
		  .gives = N_("data and requests of block devices"),
		  .remedies = { { ENOENT, N_("this kernel has no block devices, or a container "
					     "hides them") } } },
		TRACE_GIVES(N_("bytes of programs by device, also those written later"), TRACE_REMEDIES,
			    { ENODATA, N_("this kernel has other structures of block devices: Linux 5.17 or "
					  "newer has these") }),
		{ .path = IO,
		  .gives = N_("what processes read and write"),
		  .remedies = { { ENOENT, N_("this kernel was built "
					     "without CONFIG_TASK_IO_ACCOUNTING") } } }),
	.state_size = sizeof(struct state),
	.reads = READINGS(READING(struct state, processes, &process_reader),
			  READING(struct state, disks, &disk_reader),
			  READING(struct state, users, &disk_user_reader)),
	.sample = sample,
	.close = close_account,
	.uses = PRIVILEGE_BIT(PRIVILEGE_BPF) | PRIVILEGE_BIT(PRIVILEGE_IO) | PRIVILEGE_BIT(PRIVILEGE_HIDDEN),
};
