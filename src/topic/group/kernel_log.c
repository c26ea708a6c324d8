/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Topic "kill": processes that the OOM killer ended, by the kernel's log; also before the first sample. A
 * read of /dev/kmsg gives one record; those that were overwritten meanwhile are an error of one read.
 */
#include <config.h>

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/vector.h"
#include "kernel/cgroup.h"
#include "kernel/meminfo.h"
#include "sys/descriptor.h"
#include "topic/group/container_name.h"
#include "topic/kernel_clock.h"
#include "topic/topic.h"

#define KERNEL_LOG_PATH "dev/kmsg"
#define KERNEL_LOG_BYTES 8192 /* the kernel's own limit of a record */
#define PLACES_MAX 16         /* the last kills at each of as many limits */
#define KILLED_ROOM 64
#define MACHINE "/"
#define SECOND_US UINT64_C(1000000)
#define WINDOW_US (300 * SECOND_US) /* in which kills are counted */
#define SERIES_US (30 * SECOND_US)  /* kills that follow one another within this time are one series */

struct kill_row {
	const char *path, *name, *killed;
	double age_seconds, series_seconds, counted_seconds;
	uint64_t kills, limit_bytes;
};

#define COL(field, ...) COLUMN_OF(struct kill_row, field, __VA_ARGS__)

static const struct column columns[] = {
	COL(age_seconds, GAUGE, SECONDS, N_("ago"), 7,
	    N_("time since the last one; below 0: it came while the sample was taken"), "/dev/kmsg"),
	COL(series_seconds, GAUGE, SECONDS, N_("since"), 7,
	    N_("time since the first of those that followed one another within 30 s"), "/dev/kmsg",
	    .hidden = true),
	COL(kills, GAUGE, COUNT, N_("kills"), 6,
	    N_("processes killed there in the 5 min up to the last one; in a burst of more than 10 in 5 s, "
	       "those whose limit the kernel left out count at the limit that it named last"),
	    "/dev/kmsg: Killed process"),
	COL(counted_seconds, GAUGE, SECONDS, N_("in"), 6,
	    N_("time that the kills are counted in: less than 5 min where the log begins later"), "/dev/kmsg",
	    .hidden = true),
	COL(limit_bytes, GAUGE, BYTES, N_("limit"), 8, N_("memory limit of the group then"),
	    "/dev/kmsg: memory: usage", .rank = 1),
	COL(killed, LABEL, NONE, N_("killed"), 20, N_("name and PID of the process that was killed last"),
	    "/dev/kmsg", .fleeting = true),
	COL(name, LABEL, NONE, N_("name"), 20, N_("unit or container, by the last part of the path"),
	    "the path; files of container engines"),
	COL(path, KEY, NONE, N_("limit of"), 24,
	    N_("control group at whose memory limit it was; /: the machine ran out of memory"),
	    "/dev/kmsg oom_memcg, since Linux 5.0", .fleeting = true),
};

static const struct schema schema = {
	.name = "kill",
	.is_public = true,
	.help = N_("processes killed for want of memory, by the kernel's log: the last ones at each limit"),
	.none = N_("the kernel's log has none"),
	SCHEMA_ROWS(struct kill_row, columns),
};

/* Times are by the clock of the log. */
struct kill {
	char path[CGROUP_NAME_MAX], name[CGROUP_NAME_MAX], killed[KILLED_ROOM];
	uint64_t limit_bytes;
	uint64_t *times; /* of those that are counted; the last one was last */
	size_t n_times, capacity;
	uint64_t counted_us, series_us; /* series_us: when the series of the last one began */
};

struct state {
	int fd;                      /* of the log; -1: not open, … */
	int log_error;               /* … and why */
	char text[KERNEL_LOG_BYTES];
	uint64_t begin_us;           /* from when on the log has all lines; U64_UNKNOWN: none was read */
	uint64_t read_us;            /* our clock when it was read last */
	int64_t skew_us;             /* at least this much the clock of the log is behind ours */
	uint64_t usage_bytes;        /* limit of the last OOM_USAGE, until its OOM_CAUSE comes */
	char limit[CGROUP_NAME_MAX]; /* of the last OOM_CAUSE, with its limit_bytes; empty: none */
	uint64_t limit_bytes;
	bool sampled;
	struct kill all[PLACES_MAX]; /* the latest last */
	size_t n_all;
};

/*
 * From its beginning. 0 or -errno. Below another root it has to be a plain file, since a device is this
 * machine's.
 */
static int open_log(struct env *env, int *fd)
{
	uint64_t raised = env->live ? privilege_raise(PRIVILEGE_KERNEL_LOG) : 0;
	struct stat status;

	*fd = env_open_file(env, KERNEL_LOG_PATH);
	privilege_lower(raised);
	if (*fd < 0)
		return *fd;
	if (fstat(*fd, &status) == 0 && (env->live || S_ISREG(status.st_mode)))
		return 0;
	descriptor_close(*fd);
	*fd = -1;
	return -ENODEV;
}

static int test_log(struct env *env)
{
	int fd, error = open_log(env, &fd);

	descriptor_close(fd);
	return error;
}

/* What was before is not known. */
static void begin(struct state *state)
{
	state->begin_us = state->usage_bytes = U64_UNKNOWN;
	state->limit[0] = '\0';
}

/* What has come since; false: nothing. Does not block. */
static bool read_more(struct state *state, struct span *text)
{
	ssize_t length;

	while ((length = read(state->fd, state->text, sizeof(state->text))) < 0 &&
	       (errno == EPIPE || errno == EINTR))
		if (errno == EPIPE)
			begin(state);
	*text = span_of(state->text, length > 0 ? (size_t)length : 0);
	return length > 0;
}

/* Its place is the last one, at the cost of the one that is there for longest. */
static struct kill *place_of(struct state *state, const char *path)
{
	size_t at = 0;
	struct kill kill = { 0 };

	while (at < state->n_all && strcmp(state->all[at].path, path) != 0)
		at++;
	if (at == PLACES_MAX)
		at = 0;
	if (at < state->n_all) {
		kill = state->all[at];
		memmove(&state->all[at], &state->all[at + 1],
			(--state->n_all - at) * sizeof(state->all[0]));
	}
	if (strcmp(kill.path, path) != 0) {
		free(kill.times);
		kill = (struct kill){ .limit_bytes = U64_UNKNOWN };
		snprintf(kill.path, sizeof(kill.path), "%s", path);
	}
	state->all[state->n_all] = kill;
	return &state->all[state->n_all++];
}

static uint64_t last_us(const struct kill *kill)
{
	return kill->times[kill->n_times - 1];
}

/* A process was killed before now, and if a sample was taken, after it: the clock of the log is not ours. */
static void set_clock(struct state *state, uint64_t boot_us, uint64_t now_us)
{
	int64_t ours_us = (int64_t)boot_us + state->skew_us;

	if (state->sampled && ours_us < (int64_t)state->read_us)
		state->skew_us += (int64_t)state->read_us - ours_us;
	else if (ours_us > (int64_t)now_us)
		state->skew_us -= ours_us - (int64_t)now_us;
}

static void add_kill(struct state *state, const struct oom_record *record, uint64_t now_us)
{
	const char *path = record->of_machine ? MACHINE : state->limit;
	uint64_t us = record->boot_us;
	struct kill *kill;
	size_t n_old = 0;

	set_clock(state, us, now_us);
	if (!*path)
		return;
	kill = place_of(state, path);
	if (!record->of_machine)
		kill->limit_bytes = state->limit_bytes;
	snprintf(kill->killed, sizeof(kill->killed), "%.*s %" PRIu64, (int)span_length(record->command),
		 record->command.at, record->pid);
	if (kill->n_times == 0 || us > last_us(kill) + SERIES_US)
		kill->series_us = us;
	kill->counted_us = us - state->begin_us < WINDOW_US ? us - state->begin_us : WINDOW_US;
	while (n_old < kill->n_times && kill->times[n_old] + kill->counted_us < us)
		n_old++;
	if (n_old > 0)
		memmove(kill->times, kill->times + n_old,
			(kill->n_times -= n_old) * sizeof(*kill->times));
	*VECTOR_ADD(kill->times, kill->n_times, kill->capacity) = us;
}

static void take_line(struct state *state, struct span line, uint64_t now_us)
{
	struct oom_record record = { .boot_us = U64_UNKNOWN };
	bool is_of_kill = oom_record_parse(line, &record);

	if (state->begin_us == U64_UNKNOWN)
		state->begin_us = record.boot_us;
	if (!is_of_kill)
		return;
	if (record.line == OOM_KILL)
		add_kill(state, &record, now_us);
	if (record.line == OOM_CAUSE) {
		span_copy(state->limit, sizeof(state->limit), record.limit);
		state->limit_bytes = state->usage_bytes;
	}
	state->usage_bytes = record.line == OOM_USAGE ? record.limit_bytes : U64_UNKNOWN;
}

static void read_log(struct state *state, uint64_t now_us)
{
	struct span text, line;

	while (read_more(state, &text))
		while (span_line(&text, &line))
			take_line(state, line, now_us);
}

static void name_limit(struct kill *kill, struct env *env)
{
	struct cgroup_name named;
	struct container_name found;
	char id[CONTAINER_ID_LENGTH + 1];
	bool is_found;

	cgroup_name_parse(span_text(kill->path), &named);
	span_copy(id, sizeof(id), named.id);
	is_found = named.kind == CGROUP_CONTAINER &&
		   container_name_find(&env->root, named.engine, id, &found);
	strcpy(kill->name, is_found ? found.name : named.name);
}

/* At the time of the frame, however much later the log was read: so it happened when it did in each frame. */
static double seconds_since(uint64_t us, const struct state *state, uint64_t frame_us)
{
	return (double)((int64_t)frame_us - state->skew_us - (int64_t)us) / 1e6;
}

static void add_row(struct sample *sample, struct kill *kill, uint64_t frame_us)
{
	const struct state *state = sample->state;
	struct kill_row *row = table_add(sample->table);

	if (!*kill->name && strcmp(kill->path, MACHINE) != 0)
		name_limit(kill, sample->env);
	row->path = frame_text(sample->frame, kill->path);
	row->name = *kill->name ? frame_text(sample->frame, kill->name) : N_("all");
	row->killed = frame_text(sample->frame, kill->killed);
	row->age_seconds = seconds_since(last_us(kill), state, frame_us);
	row->series_seconds = seconds_since(kill->series_us, state, frame_us);
	row->kills = kill->n_times;
	row->counted_seconds = (double)kill->counted_us / 1e6;
	row->limit_bytes = kill->limit_bytes;
}

/* Where the kernel has counted no kill since it started, the log is neither read nor missed. */
static int sample(struct sample *sample)
{
	static const char *const names[] = { "oom_kill" };
	struct state *state = sample->state;
	uint64_t lag_ns = kernel_clock_lag_ns(sample->env), counted = 0;
	uint64_t now_us = (sample->table->mono_ns - lag_ns) / 1000;
	struct span text;

	if (env_read(sample->env, env_file(sample->env, "proc/vmstat"), &text) == 0)
		vmstat_parse(text, names, 1, &counted);
	if (counted > 0 && state->log_error) {
		env_note_failure(sample->env, "/" KERNEL_LOG_PATH, state->log_error);
		return state->log_error;
	}
	if (counted > 0)
		read_log(state, now_us);
	state->sampled = true;
	state->read_us = now_us;
	for (size_t i = state->n_all; i-- > 0;)
		add_row(sample, &state->all[i], (sample->frame->mono_ns - lag_ns) / 1000);
	return 0;
}

static int open_kill(struct sample *sample)
{
	struct state *state = sample->state;

	state->log_error = open_log(sample->env, &state->fd);
	begin(state);
	return 0;
}

static void close_kill(struct sample *sample)
{
	struct state *state = sample->state;

	descriptor_close(state->fd);
	for (size_t i = 0; i < state->n_all; i++)
		free(state->all[i].times);
}

const struct topic topic_kill = {
	.schema = &schema,
	.sources = SOURCES({ .path = "/" KERNEL_LOG_PATH,
			     .gives = N_("who was killed for want of memory, also before panetop began"),
			     .test = test_log,
			     .remedies = { { EPERM, N_("kernel.dmesg_restrict is 1: run it as root, or give "
						       "it the capability cap_syslog") },
					   { EACCES, N_("only root can read it: run it as root") },
					   { ENOENT, N_("there is none, as in a container") } } }),
	.uses = PRIVILEGE_BIT(PRIVILEGE_KERNEL_LOG),
	.state_size = sizeof(struct state),
	.open = open_kill,
	.sample = sample,
	.close = close_kill,
};
