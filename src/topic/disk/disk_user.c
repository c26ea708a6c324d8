/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Topic "disk_user": who reads from each block device and writes to it. */
#include <config.h>

#include <errno.h>
#include <math.h>
#include <string.h>

#include "core/i18n.h"
#include "topic/disk/disk_user_list.h"
#include "topic/process/process_find.h"
#include "topic/process/process_io.h"
#include "topic/topic.h"

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
#define RATE(field, of, measure, ...)                                                                        \
	ROW(field, .kind = COLUMN_RATE, .unit = measure, .rate_of = offsetof(struct disk_user_row, of),      \
	    .source = "growth of " #of " / time", __VA_ARGS__)
#define COUNT(field, measure, heading, what)                                                                 \
	ROW(field, .kind = COLUMN_COUNTER, .unit = measure, .hidden = true, .title = heading, .width = 9,    \
	    .help = what, .source = "BPF at block_bio_queue; else /proc/PID/io")

static const struct column columns[] = {
	RATE(read_bytes_per_second, read_bytes, UNIT_BYTES_PER_SECOND, .additive = true,
	     .title = N_("read/s"), .width = 8,
	     .help = N_("read from the device for it, also ahead of its reads")),
	RATE(write_bytes_per_second, write_bytes, UNIT_BYTES_PER_SECOND, .additive = true,
	     .title = N_("write/s"), .width = 8, .trend = true,
	     .help = N_("written to the device, for the process that made the file dirty last; with proc "
			"what it made dirty")),
	RATE(bytes_per_second, bytes, UNIT_BYTES_PER_SECOND, .title = N_("sum/s"), .width = 8, .rank = 3,
	     .help = N_("read and written")),
	RATE(requests_per_second, requests, UNIT_PER_SECOND, .additive = true, .title = N_("bios/s"),
	     .width = 7, .rank = 1,
	     .help = N_("block I/O, before the kernel merges it into requests or splits it")),
	ROW(request_bytes, .kind = COLUMN_RATE, .unit = UNIT_BYTES, .title = N_("size"), .width = 7,
	    .rank = 2, .rate_of = offsetof(struct disk_user_row, bytes),
	    .rate_over = offsetof(struct disk_user_row, requests),
	    .help = N_("mean size of one, before it is merged or split"),
	    .source = "growth of bytes / growth of requests"),
	ROW(device, .kind = COLUMN_KEY, .title = N_("device"), .width = 8, .rank = 1,
	    .help = N_("block device without its partitions; all: not known which"),
	    .source = "BPF at block_bio_queue"),
	ROW(pid, .kind = COLUMN_KEY, .fleeting = true, .title = N_("PID"), .width = 7,
	    .help = N_("process ID; 0: written back by the kernel, not known for whom"), .source = "/proc"),
	ROW(start_seconds, .kind = COLUMN_KEY, .fleeting = true, .unit = UNIT_SECONDS, .title = N_("started"),
	    .width = 10, .hidden = true,
	    .help = N_("start time, after boot; unknown of a process that ended before it was seen"),
	    .source = "/proc/PID/stat starttime"),
	ROW(how, .kind = COLUMN_LABEL, .title = N_("how"), .width = 4, .rank = 4,
	    .help = N_(
		    "bpf: counted in the kernel by device; proc: by /proc/PID/io, which counts writes when "
		    "pages become dirty"),
	    .source = "panetop"),
	COUNT(read_bytes, UNIT_BYTES, N_("read"), N_("read since counting began")),
	COUNT(write_bytes, UNIT_BYTES, N_("written"), N_("written since counting began")),
	COUNT(bytes, UNIT_BYTES, N_("bytes"), N_("read and written since counting began")),
	COUNT(requests, UNIT_COUNT, N_("bios"), N_("the same, since counting began")),
	ROW(name, .kind = COLUMN_LABEL, .grouping = "command", .title = N_("name"), .width = 15,
	    .hidden = true, .help = N_("process name, as the kernel keeps it"),
	    .source = "/proc/PID/stat comm"),
	ROW(command, .kind = COLUMN_LABEL, .personal = true, .title = N_("command"), .width = 24,
	    .text = TEXT_COMMAND,
	    .help = N_("command line, also of a process that has ended; [name] of a kernel thread; empty "
		       "where it ended before it was seen"),
	    .source = "/proc/PID/cmdline"),
};

static const struct schema schema = {
	.name = "disk_user",
	.help = N_("who reads from block devices and writes to them"),
	.none = N_("no process has read or written anything since counting began"),
	.from_zero = true,
	.of_run = true,
	.row_size = sizeof(struct disk_user_row),
	SCHEMA_COLUMNS(columns),
};

static const struct source_spec sources[] = {
	{ .path = TRACE_SOURCE,
	  .gives = N_("bytes of processes by device, also those written later"),
	  .optional = true,
	  .test = trace_test,
	  .remedies = { TRACE_REMEDIES,
			{ ENODATA, N_("this kernel has other structures of block devices: Linux 5.17 or "
				      "newer has these") } } },
	{ .path = "proc/diskstats",
	  .gives = N_("names of block devices"),
	  .remedies = { { ENOENT, N_("this kernel has no block devices, or a container hides them") } } },
	{ 0 },
};

static const char *copied(struct sample *sample, const char *text)
{
	return text ? arena_copy(&sample->frame->arena, text, strlen(text)) : NULL;
}

static const char *command_of(struct sample *sample, bool of_kernel, const char *name, const char *command)
{
	if (command && *command)
		return copied(sample, command);
	return of_kernel && name ? arena_print(&sample->frame->arena, "[%s]", name) : copied(sample, name);
}

static bool is_outside(const struct sample *sample, uint32_t pid, double start_seconds)
{
	return scope_is_set(sample->request->scope) && !scope_has(sample->request->scope, pid, start_seconds);
}

static struct disk_user_row *add_row(struct sample *sample, const char *device)
{
	struct disk_user_row *row = table_add(sample->table);

	row->device = copied(sample, device);
	row->how = "bpf";
	row->read_bytes = row->write_bytes = row->requests = row->bytes = 0;
	return row;
}

static void add_counts(struct disk_user_row *row, const struct disk_user *user, bool reads, bool writes)
{
	row->read_bytes += reads ? disk_user_bytes(user, false) : 0;
	row->write_bytes += writes ? disk_user_bytes(user, true) : 0;
	row->bytes = row->read_bytes + row->write_bytes;
	row->requests += disk_user_requests(user);
}

static void add_user(struct sample *sample, const struct disk_user *user, const char *device)
{
	double start = user->start_ticks ? process_start_seconds(sample->env, user->start_ticks) : NAN;
	struct disk_user_row *row;

	if (is_outside(sample, user->pid, start))
		return;
	row = add_row(sample, device);
	row->pid = user->pid;
	row->start_seconds = start;
	row->name = copied(sample, user->name);
	row->command = command_of(sample, user->kind == DISK_USER_KERNEL, user->name, user->command);
	add_counts(row, user, true, true);
}

/* Workers come and go: what they write is one row of each device. */
static void add_written_back(struct sample *sample, const struct disk_user_list *list,
			     const struct disk *disk)
{
	const struct disk_work_done *done = disk_user_list_done(list, disk->number);
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
	row->name = copied(sample, process->name);
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
	.sources = sources,
	.uses = PRIVILEGE_BIT(PRIVILEGE_BPF) | PRIVILEGE_BIT(PRIVILEGE_IO) | PRIVILEGE_BIT(PRIVILEGE_HIDDEN),
	.reads = READING_ONE(&disk_user_reader),
	.sample = sample_users,
};
