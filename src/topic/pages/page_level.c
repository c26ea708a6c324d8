/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Topic "page_level": memory of the selected process from /proc/PID/status, which is cheap to read. */
#include <config.h>

#include "core/i18n.h"
#include "kernel/pid/pid_stat.h"
#include "sys/pids.h"
#include "topic/process/target.h"
#include "topic/topic.h"

#define STATUS_MAX 4096

struct level_row {
	uint64_t pid, present_bytes, anonymous_bytes, file_bytes, swapped_bytes, peak_bytes;
};

#define LEVEL(field, heading, what, line)                                                                    \
	COLUMN(struct level_row, field, .kind = COLUMN_GAUGE, .unit = UNIT_BYTES, .title = heading,          \
	       .width = 9, .help = what, .source = "/proc/PID/status " line)

static const struct column columns[] = {
	COLUMN(struct level_row, pid, .kind = COLUMN_KEY, .fleeting = true, .title = N_("PID"), .width = 7,
	       .help = N_("process"), .source = "/proc"),
	LEVEL(present_bytes, N_("present"), N_("present, without zero pages"), "VmRSS"),
	LEVEL(anonymous_bytes, N_("anon"), N_("anonymous memory"), "RssAnon"),
	LEVEL(file_bytes, N_("file"), N_("files and shared memory"), "RssFile + RssShmem"),
	LEVEL(swapped_bytes, N_("swapped"), N_("anonymous memory in swap"), "VmSwap"),
	LEVEL(peak_bytes, N_("peak"), N_("highest resident size so far, plus memory in swap"),
	      "VmHWM + VmSwap"),
};

static const struct schema schema = {
	.name = "page_level",
	.help = N_("memory of the selected process as the kernel counts it"),
	.row_size = sizeof(struct level_row),
	SCHEMA_COLUMNS(columns),
};

static const struct source_spec sources[] = {
	{ .path = "proc/self/status", .gives = N_("the kernel's own counts of the memory of a process") },
	{ 0 },
};

static int sample(struct sample *sample)
{
	struct target *target = sample->state;
	struct pid_status status;
	struct level_row *row;
	char bytes[STATUS_MAX];
	long length;

	if (target->state != TARGET_LIVE)
		return 0;
	length = pids_read(sample->env, target->memory_pid, "status", bytes, sizeof(bytes));
	if (length < 0)
		return 0; /* it just exited */
	pid_status_parse(span_of(bytes, (size_t)length), &status);
	row = table_add(sample->table);
	row->pid = target->pid;
	row->present_bytes = status.vm_resident;
	row->anonymous_bytes = status.resident_anonymous;
	row->file_bytes = u64_sum(status.resident_file, status.resident_shared);
	row->swapped_bytes = status.vm_swap;
	row->peak_bytes = u64_sum(status.vm_resident_peak, status.vm_swap);
	return 0;
}

const struct topic topic_page_level = {
	.schema = &schema,
	.sources = sources,
	.uses = PRIVILEGE_BIT(PRIVILEGE_HIDDEN),
	.reads = READING_ONE(&target_reader),
	.sample = sample,
};
