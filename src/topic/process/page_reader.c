/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Topic "page_reader": which processes read from storage, and so fill the page cache; and what they write. */
#include <config.h>

#include <errno.h>
#include <string.h>

#include "core/i18n.h"
#include "sys/pids.h"
#include "topic/process/process_find.h"
#include "topic/process/process_list.h"
#include "topic/topic.h"

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
	.name = "page_reader",
	.help = N_("processes that read from and write to storage"),
	SCHEMA_ROWS(struct reader_row, columns),
};

static const struct source_spec sources[] = {
	{ .path = SOURCE, .gives = N_("bytes that a process read from storage"),
	  .remedies = { { ENOENT, N_("this kernel was built without CONFIG_TASK_IO_ACCOUNTING") } } },
	{ 0 },
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
	.sources = sources,
	.reads = READING_ONE(&process_reader),
	.sample = sample,
	.uses = PRIVILEGE_BIT(PRIVILEGE_IO) | PRIVILEGE_BIT(PRIVILEGE_HIDDEN),
};
