/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Topic "kill": processes that the OOM killer ended, by the kernel's log; also before the first sample. A
 * read of /dev/kmsg gives one record; those that were overwritten meanwhile are an error of one read.
 */
#include <config.h>

#include "topic/group/kernel_log.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "kernel/meminfo.h"
#include "sys/descriptor.h"
#include "topic/kernel_clock.h"
#include "topic/topic.h"

int kernel_log_open(struct kernel_log *log, const struct env *env)
{
	uint64_t raised = env->live ? privilege_raise(PRIVILEGE_KERNEL_LOG) : 0;
	int fd = env_open_file(env, KERNEL_LOG_PATH);
	struct stat status;

	privilege_lower(raised);
	*log = (struct kernel_log){ .fd = -1 };
	if (fd < 0)
		return fd;
	if (fstat(fd, &status) < 0 || (!env->live && !S_ISREG(status.st_mode))) {
		close(fd);
		return -ENODEV;
	}
	log->fd = fd;
	return 0;
}

int kernel_log_test(struct env *env)
{
	struct kernel_log log;
	int error = kernel_log_open(&log, env);

	kernel_log_close(&log);
	return error;
}

void kernel_log_skip(struct kernel_log *log)
{
	if (log->fd >= 0 && lseek(log->fd, 0, SEEK_END) < 0)
		kernel_log_close(log);
}

void kernel_log_close(struct kernel_log *log)
{
	descriptor_close(log->fd);
	log->fd = -1;
}

static bool read_more(struct kernel_log *log)
{
	ssize_t length;

	do
		length = log->fd < 0 ? 0 : read(log->fd, log->text, sizeof(log->text));
	while (length < 0 && (errno == EPIPE || errno == EINTR));
	if (length <= 0)
		return false;
	log->rest = span_of(log->text, (size_t)length);
	return true;
}

bool kernel_log_next(struct kernel_log *log, struct oom_record *record)
{
	struct span line;

	do {
		while (span_line(&log->rest, &line))
			if (oom_record_parse(line, record))
				return true;
	} while (read_more(log));
	return false;
}

#define PLACES_MAX 16  /* the last kill at each of as many limits */
#define PATH_ROOM 256
#define KILLED_ROOM 64
#define MACHINE "/"

struct kill_row {
	const char *path, *name, *killed;
	double age_seconds, earlier_age_seconds;
};

#define COL(field, ...) COLUMN_OF(struct kill_row, field, __VA_ARGS__)

static const struct column columns[] = {
	COL(age_seconds, GAUGE, SECONDS, N_("ago"), 7, N_("time since the last one"), "/dev/kmsg"),
	COL(earlier_age_seconds, GAUGE, SECONDS, N_("before"), 7,
	    N_("the same, if it was before the first sample"), "/dev/kmsg", .hidden = true),
	COL(killed, LABEL, NONE, N_("killed"), 20, N_("name and PID of the process that was killed last"),
	    "/dev/kmsg, since Linux 5.0", .fleeting = true),
	COL(name, LABEL, NONE, N_("name"), 20, N_("last part of the path"), "the path"),
	COL(path, KEY, NONE, N_("limit of"), 24,
	    N_("control group at whose memory limit it was; /: the machine ran out of memory"),
	    "/dev/kmsg oom_memcg", .fleeting = true),
};

static const struct schema schema = {
	.name = "kill",
	.is_public = true,
	.help = N_("processes killed for want of memory, by the kernel's log: the last one at each limit"),
	.none = N_("the kernel's log has none"),
	SCHEMA_ROWS(struct kill_row, columns),
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

static void add_row(struct sample *sample, const struct kill *kill)
{
	uint64_t now_us = (sample->table->mono_ns - kernel_clock_lag_ns(sample->env)) / 1000;
	struct kill_row *row = table_add(sample->table);
	const char *last = strrchr(kill->path, '/');

	row->path = frame_text(sample->frame, kill->path);
	row->name = last && last[1] ? row->path + (last + 1 - kill->path) : N_("all");
	row->killed = frame_text(sample->frame, kill->killed);
	row->age_seconds = kill->boot_us <= now_us ? (double)(now_us - kill->boot_us) / 1e6 : NAN;
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
	.sources = SOURCES(
		KERNEL_LOG_SOURCE(N_("who was killed for want of memory, also before panetop began"), false)),
	.uses = PRIVILEGE_BIT(PRIVILEGE_KERNEL_LOG),
	.state_size = sizeof(struct state),
	.open = open_kill,
	.sample = sample,
	.close = close_kill,
};
