/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Topic "kill": processes that the OOM killer ended, by the kernel's log; also before the first sample. */
#include <config.h>

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "core/i18n.h"
#include "kernel/meminfo.h"
#include "topic/group/kernel_log.h"
#include "topic/kernel_clock.h"
#include "topic/topic.h"

#define PLACES_MAX 16  /* the last kill at each of as many limits */
#define PATH_ROOM 256
#define KILLED_ROOM 64
#define MACHINE "/"

struct kill_row {
	const char *path, *name, *killed;
	double age_seconds, earlier_age_seconds;
};

static const struct column columns[] = {
	COLUMN(struct kill_row, age_seconds, .kind = COLUMN_GAUGE, .unit = UNIT_SECONDS, .title = N_("ago"),
	       .width = 7, .help = N_("time since the last one"), .source = "/dev/kmsg"),
	COLUMN(struct kill_row, earlier_age_seconds, .kind = COLUMN_GAUGE, .unit = UNIT_SECONDS,
	       .title = N_("before"), .width = 7, .hidden = true,
	       .help = N_("the same, if it was before the first sample"), .source = "/dev/kmsg"),
	COLUMN(struct kill_row, killed, .kind = COLUMN_LABEL, .title = N_("killed"), .width = 20,
	       .fleeting = true, .help = N_("name and PID of the process that was killed last"),
	       .source = "/dev/kmsg, since Linux 5.0"),
	COLUMN(struct kill_row, name, .kind = COLUMN_LABEL, .title = N_("name"), .width = 20,
	       .help = N_("last part of the path"), .source = "the path"),
	COLUMN(struct kill_row, path, .kind = COLUMN_KEY, .fleeting = true,
	       .title = N_("limit of"), .width = 24,
	       .help = N_("control group at whose memory limit it was; /: the machine ran out of memory"),
	       .source = "/dev/kmsg oom_memcg"),
};

static const struct schema schema = {
	.name = "kill",
	.is_public = true,
	.help = N_("processes killed for want of memory, by the kernel's log: the last one at each limit"),
	.none = N_("the kernel's log has none"),
	.row_size = sizeof(struct kill_row),
	SCHEMA_COLUMNS(columns),
};

static const struct source_spec sources[] = {
	KERNEL_LOG_SOURCE(N_("who was killed for want of memory, also before panetop began"), false),
	{ 0 },
};

struct kill {
	char path[PATH_ROOM], killed[KILLED_ROOM];
	uint64_t boot_us; /* by the clock of the log; U64_UNKNOWN */
	bool earlier;     /* before the first sample */
};

struct state {
	struct kernel_log log;
	int log_error;    /* why it is not open */
	uint64_t counted; /* by the kernel, in the last sample; U64_UNKNOWN: it does not */
	bool sampled;
	struct kill all[PLACES_MAX]; /* the latest last */
	size_t n_all;
};

/* Its place is the last one, at the cost of the one that is there for longest. */
static struct kill *add(struct state *state, const char *path)
{
	size_t at = 0;

	while (at < state->n_all && strcmp(state->all[at].path, path) != 0)
		at++;
	if (at == PLACES_MAX)
		at = 0;
	if (at < state->n_all)
		memmove(&state->all[at], &state->all[at + 1],
			(--state->n_all - at) * sizeof(state->all[0]));
	return &state->all[state->n_all++];
}

static void read_log(struct state *state)
{
	struct oom_record record;
	char path[PATH_ROOM];

	while (kernel_log_next(&state->log, &record)) {
		struct kill *kill;

		snprintf(path, sizeof(path), "%.*s", (int)span_length(record.limit), record.limit.at);
		kill = add(state, *path ? path : MACHINE);
		strcpy(kill->path, *path ? path : MACHINE);
		snprintf(kill->killed, sizeof(kill->killed), "%.*s %" PRIu64,
			 (int)span_length(record.command), record.command.at, record.pid);
		kill->boot_us = record.boot_us;
		kill->earlier = !state->sampled;
	}
}

static double seconds_between(uint64_t boot_us, uint64_t now_us)
{
	return boot_us <= now_us ? (double)(now_us - boot_us) / 1e6 : NAN;
}

static void add_row(struct sample *sample, const struct kill *kill)
{
	uint64_t now_us = (sample->table->mono_ns - kernel_clock_lag_ns(sample->env)) / 1000;
	struct kill_row *row = table_add(sample->table);
	const char *last = strrchr(kill->path, '/');

	row->path = arena_copy(&sample->frame->arena, kill->path, strlen(kill->path));
	row->name = last && last[1] ? row->path + (last + 1 - kill->path) : N_("all");
	row->killed = arena_copy(&sample->frame->arena, kill->killed, strlen(kill->killed));
	row->age_seconds = seconds_between(kill->boot_us, now_us);
	if (kill->earlier)
		row->earlier_age_seconds = row->age_seconds;
}

/* The log is read only where the kernel has counted a kill since; without one it is not missed. */
static int sample(struct sample *sample)
{
	static const char *const names[] = { "oom_kill" };
	struct state *state = sample->state;
	uint64_t counted = 0;
	struct span text;

	if (env_read(sample->env, env_file(sample->env, "proc/vmstat"), &text) == 0)
		vmstat_parse(text, names, 1, &counted);
	if (counted > 0 && state->log_error) {
		env_note_failure(sample->env, "/" KERNEL_LOG_PATH, state->log_error);
		return state->log_error;
	}
	if (counted != state->counted)
		read_log(state);
	state->counted = counted;
	state->sampled = true;
	for (size_t i = state->n_all; i-- > 0;)
		add_row(sample, &state->all[i]);
	return 0;
}

static int open_kill(struct sample *sample)
{
	struct state *state = sample->state;

	state->log_error = kernel_log_open(&state->log, sample->env);
	return 0;
}

static void close_kill(struct sample *sample)
{
	struct state *state = sample->state;

	kernel_log_close(&state->log);
}

const struct topic topic_kill = {
	.schema = &schema,
	.sources = sources,
	.uses = PRIVILEGE_BIT(PRIVILEGE_KERNEL_LOG),
	.state_size = sizeof(struct state),
	.open = open_kill,
	.sample = sample,
	.close = close_kill,
};
