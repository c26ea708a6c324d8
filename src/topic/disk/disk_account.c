/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Topic "disk_account": whose bytes the devices read and wrote; the parts add up to the devices'. */
#include <config.h>

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/i18n.h"
#include "core/vector.h"
#include "kernel/meminfo.h"
#include "topic/disk/disk_list.h"
#include "topic/disk/disk_user_list.h"
#include "topic/process/process_io.h"
#include "topic/topic.h"

#define IO "proc/self/io"
#define BPF_FROM N_("BPF at block_bio_queue")

struct disk_account_row {
	const char *device, *part;
	double read_bytes_per_second, write_bytes_per_second, read_bytes, write_bytes;
	const char *from;
};

#define RATE(field, of, heading, what)                                                                       \
	COLUMN(struct disk_account_row, field, .kind = COLUMN_RATE, .unit = UNIT_BYTES_PER_SECOND,           \
	       .title = heading, .width = 9, .rate_of = offsetof(struct disk_account_row, of), .help = what, \
	       .source = "change of " #of " / time")
#define BYTES(field, heading, what)                                                                          \
	COLUMN(struct disk_account_row, field, .kind = COLUMN_GAUGE, .unit = UNIT_BYTES, .title = heading,   \
	       .width = 9, .rank = 2, .help = what, .source = "see the column from")

static const struct column columns[] = {
	COLUMN(struct disk_account_row, device, .kind = COLUMN_KEY, .title = N_("device"), .width = 6,
	       .rank = 3,
	       .help = N_("block device without its partitions; all: those that store data themselves, "
			  "without loop, RAM, device-mapper and RAID devices"),
	       .source = "/proc/diskstats"),
	COLUMN(struct disk_account_row, part, .kind = COLUMN_KEY, .title = N_("part"), .width = 12,
	       .words = true,
	       .help = N_(
		       "programs: what was read and written for them, with BPF also what the kernel writes "
		       "later; written back: with BPF what it writes later, not known for whom; else what "
		       "it wrote minus what became dirty; kernel: the rest, such as journals, metadata, "
		       "swap, processes that are hidden, and what was under way at the beginning; without "
		       "BPF it is negative where bytes count twice or are sent to a server; device: the "
		       "sum"),
	       .source = "panetop"),
	RATE(read_bytes_per_second, read_bytes, N_("read/s"), N_("read in the last interval")),
	RATE(write_bytes_per_second, write_bytes, N_("write/s"), N_("written in the last interval")),
	BYTES(read_bytes, N_("read"), N_("read since the first sample")),
	BYTES(write_bytes, N_("written"), N_("written since the first sample")),
	COLUMN(struct disk_account_row, from, .kind = COLUMN_LABEL, .title = N_("from"), .width = 24,
	       .rank = 4, .words = true, .help = N_("source of the bytes"), .source = "panetop"),
};

static const struct schema schema = {
	.name = "disk_account",
	.is_public = true,
	.help = N_("whose bytes the devices read and wrote"),
	.row_size = sizeof(struct disk_account_row),
	SCHEMA_COLUMNS(columns),
};

static const struct source_spec sources[] = {
	{ .path = "proc/diskstats",
	  .gives = N_("data and requests of block devices"),
	  .remedies = { { ENOENT, N_("this kernel has no block devices, or a container hides them") } } },
	{ .path = TRACE_SOURCE,
	  .gives = N_("bytes of programs by device, also those written later"),
	  .optional = true,
	  .test = trace_test,
	  .remedies = { TRACE_REMEDIES,
			{ ENODATA, N_("this kernel has other structures of block devices: Linux 5.17 or "
				      "newer has these") } } },
	{ .path = IO,
	  .gives = N_("what processes read and write"),
	  .remedies = { { ENOENT, N_("this kernel was built without CONFIG_TASK_IO_ACCOUNTING") } } },
	{ 0 },
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
	const struct disk_work_done *done = disk_user_list_done(users, disk->number);
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
				  arena_copy(&sample->frame->arena, disk->name, strlen(disk->name)), &parts,
				  true);
	}
	return all;
}

static void notice_hidden(struct frame *frame, size_t n_denied)
{
	if (n_denied > 0)
		frame_notice(frame, schema.name,
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

static const struct reading reads[] = {
	READING(struct state, processes, &process_reader),
	READING(struct state, disks, &disk_reader),
	READING(struct state, users, &disk_user_reader),
	{ 0 },
};

const struct topic topic_disk_account = {
	.schema = &schema,
	.sources = sources,
	.state_size = sizeof(struct state),
	.reads = reads,
	.sample = sample,
	.close = close_account,
	.uses = PRIVILEGE_BIT(PRIVILEGE_BPF) | PRIVILEGE_BIT(PRIVILEGE_IO) | PRIVILEGE_BIT(PRIVILEGE_HIDDEN),
};
