/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Topic "disk_account": whose bytes the devices read and wrote; the parts add up to the devices'. */
#include <config.h>

#include <errno.h>
#include <math.h>

#include "core/i18n.h"
#include "kernel/vmstat.h"
#include "topic/disk/disk_list.h"
#include "topic/process/process_io.h"
#include "topic/topic.h"

#define IO "proc/self/io"

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
	       .rank = 3, .help = N_("all: those that store data themselves"), .source = "/proc/diskstats"),
	COLUMN(struct disk_account_row, part, .kind = COLUMN_KEY, .title = N_("part"), .width = 12,
	       .words = true,
	       .help = N_(
		       "programs: what they read from storage and asked to write; written back: what the "
		       "kernel wrote later of it, minus what it still has to; negative while dirty data "
		       "grows, or is deleted before it is written; kernel: the rest, such as journals, "
		       "metadata, swap, and processes that are hidden; negative where bytes count twice or "
		       "are sent to a server; device: the sum"),
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
	.help = N_("whose bytes the devices read and wrote"),
	.row_size = sizeof(struct disk_account_row),
	SCHEMA_COLUMNS(columns),
};

static const struct source_spec sources[] = {
	{ .path = "proc/diskstats",
	  .gives = N_("data and requests of block devices"),
	  .remedies = { { ENOENT, N_("this kernel has no block devices, or a container hides them") } } },
	{ .path = IO,
	  .gives = N_("what processes read and write"),
	  .remedies = { { ENOENT, N_("this kernel was built without CONFIG_TASK_IO_ACCOUNTING") } } },
	{ 0 },
};

/* Bytes at a moment, or since the first one; NaN: unknown. */
struct bytes {
	double read, write;
};

struct state {
	struct process_list *processes;
	struct disk_list *disks;
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

static struct bytes of_devices(const struct disk_list *disks)
{
	struct disk_stats sum = disk_list_sum(disks);

	return (struct bytes){ (double)sum.reads.sectors * DISK_SECTOR_BYTES,
			       (double)sum.writes.sectors * DISK_SECTOR_BYTES };
}

static void of_cache(struct env *env, double *cached, double *written)
{
	static const char *const names[] = { "nr_dirtied", "nr_written" };
	uint64_t pages[2] = { U64_UNKNOWN, U64_UNKNOWN };
	struct span text;

	if (env_read(env, env_file(env, "proc/vmstat"), &text) == 0)
		vmstat_parse(text, names, 2, pages);
	*cached = pages[0] == U64_UNKNOWN ? NAN : (double)pages[0] * (double)env->page_bytes;
	*written = pages[1] == U64_UNKNOWN ? NAN : (double)pages[1] * (double)env->page_bytes;
}

/* The sum falls when a process exits whose parent does not wait for it: what it did since is lost. */
static double growth(double before, double now)
{
	return now > before ? now - before : 0;
}

static void add(struct table *table, const char *part, double read, double write, const char *from)
{
	struct disk_account_row *row = table_add(table);

	row->device = "all";
	row->part = part;
	row->read_bytes = read;
	row->write_bytes = write;
	row->from = from;
}

static void add_parts(struct table *table, const struct state *state, struct bytes device, double back)
{
	double read = state->programs.read, write = state->programs.write;

	add(table, "programs", read, write, N_("/proc/PID/io"));
	add(table, "written back", 0, back, N_("nr_written - nr_dirtied of /proc/vmstat"));
	add(table, "kernel", device.read - read, device.write - write - back, N_("the rest"));
	add(table, "device", device.read, device.write, N_("/proc/diskstats"));
}

static void notice_hidden(struct frame *frame, size_t n_denied)
{
	if (n_denied > 0)
		frame_notice(frame, schema.name,
			     remedy_for_user(N_("run it as root, or give it the capabilities cap_sys_ptrace "
						"and cap_dac_read_search")),
			     P_("reads and writes of %zu process are hidden: they are in the rest",
				"reads and writes of %zu processes are hidden: they are in the rest",
				n_denied),
			     n_denied);
}

static int sample(struct sample *sample)
{
	struct state *state = sample->state;
	struct bytes asked, device;
	double cached, written;
	int error = process_list_update(state->processes);

	if (!error && sample->env->live && !env_exists(sample->env, IO))
		error = -ENOENT;
	if (!error)
		error = disk_list_update(state->disks);
	if (error)
		return error;
	notice_hidden(sample->frame, process_io_update_all(state->processes));
	asked = of_processes(state->processes);
	device = of_devices(state->disks);
	of_cache(sample->env, &cached, &written);
	if (!state->begun) {
		state->begun = true;
		state->first_device = device;
		state->first_cached = cached;
		state->first_written = written;
	} else {
		state->programs.read += growth(state->asked.read, asked.read);
		state->programs.write += growth(state->asked.write, asked.write);
	}
	state->asked = asked;
	add_parts(sample->table, state,
		  (struct bytes){ device.read - state->first_device.read,
				  device.write - state->first_device.write },
		  (written - state->first_written) - (cached - state->first_cached));
	return 0;
}

static int open_account(struct sample *sample)
{
	struct state *state = sample->state;

	state->processes = process_list_open(sample->env);
	state->disks = disk_list_open(sample->env);
	return 0;
}

static void close_account(struct sample *sample)
{
	struct state *state = sample->state;

	disk_list_close(sample->env);
	process_list_close(state->processes);
}

const struct topic topic_disk_account = {
	.schema = &schema,
	.sources = sources,
	.state_size = sizeof(struct state),
	.open = open_account,
	.sample = sample,
	.close = close_account,
	.uses = PRIVILEGE_BIT(PRIVILEGE_IO) | PRIVILEGE_BIT(PRIVILEGE_HIDDEN),
};
