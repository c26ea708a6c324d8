/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Topic "pressure": the share of time in which tasks waited for a CPU, memory or a disk. */
#include <config.h>

#include <errno.h>

#include "core/i18n.h"
#include "kernel/system.h"
#include "topic/served_mounts.h"
#include "topic/topic.h"

struct pressure_row {
	const char *resource, *kind;
	double avg10_ratio, avg60_ratio, avg300_ratio, stalled_seconds, stalled_ratio;
};

#define AVERAGE(field, heading, what)                                                                        \
	ROW(field, .kind = COLUMN_GAUGE, .unit = UNIT_RATIO, .title = heading,       \
	       .width = 7, .rank = 1, .help = what, .source = "/proc/pressure, the kernel's moving average")

#define ROW(field, ...) COLUMN(struct pressure_row, field, __VA_ARGS__)

static const struct column columns[] = {
	ROW(resource, A_KEY(N_("PSI"), 11), .help = N_("cpu, memory or io"), .source = "/proc/pressure"),
	ROW(kind, A_KEY(N_("share"), 5),
	    .help = N_("some: at least one task waited; full: all non-idle tasks waited at once"),
	    .source = "/proc/pressure"),
	ROW(stalled_ratio, A_RATE(RATIO, N_("%now"), 7), .ceiling = 1,
	    .rate_of = offsetof(struct pressure_row, stalled_seconds),
	    .help = N_("share of the last interval in which tasks waited"),
	    .source = "growth of stalled_seconds / time"),
	AVERAGE(avg10_ratio, N_("%10s"), N_("share of the last 10 seconds in which tasks waited")),
	AVERAGE(avg60_ratio, N_("%60s"), N_("share of the last 60 seconds in which tasks waited")),
	AVERAGE(avg300_ratio, N_("%300s"), N_("share of the last 300 seconds in which tasks waited")),
	ROW(stalled_seconds, A_COUNTER(SECONDS, N_("stalled"), 10), .rank = 2,
	    .help = N_("time lost since boot"), .source = "/proc/pressure total"),
};

static const struct schema schema = {
	.name = "pressure", .is_public = true,
	.help = N_("pressure stall information: time lost waiting for CPU, memory and disks"),
	SCHEMA_ROWS(struct pressure_row, columns),
};

#define REMEDIES                                                                                             \
	.remedies = { { ENOENT, N_("this kernel is older than 4.20, was built without CONFIG_PSI, or needs " \
				   "psi=1 at boot") },                                                       \
		      { EOPNOTSUPP, N_("disabled: boot with psi=1") } }

static const struct {
	const char *resource, *path;
} resources[] = {
	{ "cpu", "proc/pressure/cpu" },
	{ "memory", "proc/pressure/memory" },
	{ "io", "proc/pressure/io" },
};

static void add_rows(struct frame *frame, struct table *table, const char *resource, struct span text)
{
	struct pressure_line line;

	while (pressure_next(&text, &line)) {
		struct pressure_row *row = table_add(table);

		row->resource = resource;
		row->kind = arena_copy(&frame->arena, line.kind.at, span_length(line.kind));
		row->avg10_ratio = line.avg10 / 100;
		row->avg60_ratio = line.avg60 / 100;
		row->avg300_ratio = line.avg300 / 100;
		row->stalled_seconds = (double)line.total_us / 1e6;
	}
}

static int sample(struct sample *sample)
{
	int error = 0;

	for (size_t i = 0; i < sizeof(resources) / sizeof(resources[0]); i++) {
		struct span text;
		int failed = env_read(sample->env, env_file(sample->env, resources[i].path), &text);

		if (failed)
			error = failed;
		else
			add_rows(sample->frame, sample->table, resources[i].resource, text);
	}
	served_mounts_tell_host(sample->env, sample->frame, schema.name, "proc/pressure/memory");
	return sample->table->n_rows > 0 ? 0 : error ? error : -ENODATA;
}

const struct topic topic_pressure = {
	.schema = &schema,
	.sources = SOURCES(
		{ .path = "proc/pressure/cpu", .gives = N_("time lost waiting for a CPU"), REMEDIES },
		{ .path = "proc/pressure/memory", .gives = N_("time lost waiting for memory"), REMEDIES },
		{ .path = "proc/pressure/io", .gives = N_("time lost waiting for disks"), REMEDIES }),
	.sample = sample,
};
