/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Topic "page_reader": which processes have pages read in from storage, and so fill the cache. */
#include <config.h>

#include <errno.h>

#include "core/i18n.h"
#include "core/pids.h"
#include "kernel/pid_stat.h"
#include "topic/topic.h"

struct reader_row {
	uint64_t pid;
	double start_seconds;
	uint64_t read_bytes, major_faults;
	double read_bytes_per_second, major_faults_per_second;
	const char *command;
};

static const struct column columns[] = {
	COLUMN(struct reader_row, pid, .kind = COLUMN_KEY, .title = N_("PID"), .width = 7,
	       .help = N_("process"), .source = "/proc"),
	COLUMN(struct reader_row, start_seconds, .kind = COLUMN_KEY, .unit = UNIT_SECONDS,
	       .title = N_("started"), .width = 10, .hidden = true,
	       .help = N_("when it was started, after boot"), .source = "/proc/PID/stat starttime"),
	COLUMN(struct reader_row, read_bytes_per_second, .kind = COLUMN_RATE, .unit = UNIT_BYTES_PER_SECOND,
	       .title = N_("read/s"), .width = 7, .rate_of = offsetof(struct reader_row, read_bytes),
	       .help = N_("fetched from storage on its behalf in the last interval"),
	       .source = "growth of read_bytes / time"),
	COLUMN(struct reader_row, read_bytes, .kind = COLUMN_COUNTER, .unit = UNIT_BYTES, .title = N_("read"),
	       .width = 7, .rank = 1, .help = N_("fetched from storage on its behalf since its start"),
	       .source = "/proc/PID/io read_bytes"),
	COLUMN(struct reader_row, major_faults_per_second, .kind = COLUMN_RATE, .unit = UNIT_PER_SECOND,
	       .title = N_("majflt/s"), .width = 8, .rank = 2,
	       .rate_of = offsetof(struct reader_row, major_faults),
	       .help = N_("page faults that had to wait for storage"),
	       .source = "growth of major_faults / time"),
	COLUMN(struct reader_row, major_faults, .kind = COLUMN_COUNTER, .unit = UNIT_COUNT,
	       .title = N_("majflt"), .width = 7, .rank = 3,
	       .help = N_("page faults that had to wait for storage, since its start"),
	       .source = "/proc/PID/stat majflt"),
	COLUMN(struct reader_row, command, .kind = COLUMN_LABEL, .title = N_("command"), .width = 16,
	       .help = N_("name of the program, at most 15 bytes"), .source = "/proc/PID/stat comm"),
};

static const struct schema schema = {
	.name = "page_reader",
	.help = N_("processes that have pages read in from storage"),
	.row_size = sizeof(struct reader_row),
	SCHEMA_COLUMNS(columns),
};

static const struct source_spec sources[] = {
	{ .path = "proc/self/io", .gives = N_("what a process has read from storage"),
	  .remedies = { { ENOENT, N_("this kernel was built without CONFIG_TASK_IO_ACCOUNTING") } } },
	{ 0 },
};

/* 0, or -errno of the read of its io file. */
static int add_process(struct env *env, struct frame *frame, struct table *table, uint32_t pid)
{
	char stat_bytes[1024], io_bytes[512];
	long stat_length = pids_read(env, pid, "stat", stat_bytes, sizeof(stat_bytes));
	long io_length =
		stat_length < 0 ? stat_length : pids_read(env, pid, "io", io_bytes, sizeof(io_bytes));
	struct reader_row *row;
	struct pid_stat stat;
	struct pid_io io;

	if (io_length < 0)
		return (int)io_length;
	if (!pid_stat_parse(span_of(stat_bytes, (size_t)stat_length), &stat) ||
	    !pid_io_parse(span_of(io_bytes, (size_t)io_length), &io))
		return 0;
	row = table_add(table);
	row->pid = pid;
	row->start_seconds = (double)stat.start_ticks / (double)env->ticks_per_second;
	row->read_bytes = io.read_bytes;
	row->major_faults = stat.major_faults;
	row->command = arena_copy(&frame->arena, stat.comm.at, span_length(stat.comm));
	return 0;
}

static int sample(struct sampler *sampler, struct env *env, struct frame *frame, struct table *table)
{
	const uint32_t *pids;
	size_t n_pids, hidden = 0;
	int error = pids_list(env, &pids, &n_pids);

	(void)sampler;
	if (error)
		return error;
	for (size_t i = 0; i < n_pids; i++) {
		error = add_process(env, frame, table, pids[i]);
		if (error == -EACCES || error == -EPERM)
			hidden++;
	}
	if (hidden > 0)
		frame_notice(frame, schema.name,
			     remedy_for_user(N_("run it as root, or give it the capabilities cap_sys_ptrace "
						"and cap_dac_read_search")),
			     P_("%zu process does not show what it reads",
				"%zu processes do not show what they read", hidden),
			     hidden);
	return 0;
}

const struct topic topic_page_reader = {
	.schema = &schema,
	.sources = sources,
	.sample = sample,
	.uses = PRIVILEGE_BIT(PRIVILEGE_IO) | PRIVILEGE_BIT(PRIVILEGE_HIDDEN),
};
