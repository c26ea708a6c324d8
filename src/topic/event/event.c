/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Topics "event": process events since the last sample, one per row; "event_total", "event_parent",
 * "event_lifetime" and "event_source": what the event reader has counted.
 */
#include <config.h>

#include <string.h>

#include "core/i18n.h"
#include "topic/event/event_batch.h"
#include "topic/event/event_process.h"
#include "topic/event/event_reader.h"
#include "topic/process/process_entry.h"
#include "topic/process/process_list.h"
#include "topic/topic.h"
#include "topic/users.h"

struct event_row {
	uint64_t number, time;
	const char *mark, *event;
	uint64_t pid, tid, ppid, uid, euid;
	const char *user, *tty, *info;
	uint64_t exit_code, signal;
	double duration_seconds;
	const char *status, *parent;
	const char *name, *program, *program_base, *command, *command_base;
};

#define ROW(field, ...) COLUMN(struct event_row, field, __VA_ARGS__)
#define BOTH "proc connector, perf task records"
#define ARGUMENTS "stack at the exec (perf sched:sched_process_exec), /proc/PID/cmdline, or inherited"

static const struct column columns[] = {
	ROW(number, A_KEY(N_("number"), 8), .hidden = true, .help = N_("serial number of the selected event"),
	    .source = "panetop"),
	ROW(mark, A_LABEL("", 1),
	    .help = N_("+ fork, > exec, - exit, ! exit with a code or by a signal, C core, = comm, t thread, "
		       "P ptrace, U uid, G gid, S sid"),
	    .source = "event"),
	ROW(time, A_LABEL(N_("time"), 12), .unit = UNIT_TIME, .rank = 2, .help = N_("time of the event"),
	    .source = "clock of the kernel in " BOTH),
	ROW(event, A_LABEL(N_("event"), 6), .rank = 3,
	    .help = N_("fork, exec, exit, core, comm (a new name), clone (a thread), ptrace, uid, gid, sid"),
	    .source = BOTH),
	ROW(pid, A_LABEL(N_("PID"), 7), .rank = 2, .help = N_("process; for a fork the child"),
	    .source = BOTH),
	ROW(tid, A_LABEL(N_("TID"), 7), .hidden = true,
	    .help = N_("thread; the PID if the process has one thread"), .source = BOTH),
	ROW(ppid, A_LABEL(N_("PPID"), 7), .rank = 8, .help = N_("parent process"),
	    .source = "perf task records, /proc/PID/stat"),
	ROW(uid, A_LABEL(N_("UID"), 5), .personal = true, .hidden = true, .help = N_("real UID"),
	    .source = "/proc/PID/status, inherited, proc connector"),
	ROW(euid, A_LABEL(N_("EUID"), 5), .personal = true, .hidden = true, .help = N_("effective UID"),
	    .source = "/proc/PID/status, inherited, proc connector"),
	ROW(user, A_LABEL(N_("user"), 8), .personal = true, .rank = 7, .help = N_("effective user"),
	    .source = "euid, /etc/passwd"),
	ROW(tty, A_LABEL(N_("TTY"), 7), .rank = 9, .help = N_("controlling terminal; empty: none"),
	    .source = "/proc/PID/stat tty_nr, inherited"),
	ROW(info, A_LABEL(N_("info"), 13), .personal = true, .rank = 4,
	    .help = N_("exit status, traced process, new user, previous name, or a thread's new name"),
	    .source = BOTH),
	ROW(exit_code, A_LABEL(N_("exit"), 4), .hidden = true,
	    .help = N_("exit code; unknown if a signal ended the process"), .source = "proc connector"),
	ROW(signal, A_LABEL(N_("signal"), 6), .hidden = true,
	    .help = N_("number of the signal that ended the process"), .source = "proc connector"),
	ROW(duration_seconds, A_LABEL(N_("life"), 9), .unit = UNIT_SECONDS, .rank = 6,
	    .help = N_("for an exit: lifetime of the process"),
	    .source = "exit time - fork time, else start time in /proc/PID/stat (to 0.01 s)"),
	ROW(status, A_LABEL(N_("code"), 7), .rank = 1, .hidden = true,
	    .help = N_("how a process ended: its exit code, or the signal, and whether it dumped core"),
	    .source = "exit code in the exit of the proc connector"),
	ROW(parent, A_LABEL(N_("parent"), 10), .rank = 5, .hidden = true,
	    .help = N_("name of the parent process at that time"),
	    .source = "ppid, its perf COMM or /proc/PID/stat"),
	ROW(name, A_LABEL(N_("name"), 15), .hidden = true,
	    .help = N_("name of the process (comm), at most 15 bytes"),
	    .source = "perf COMM, /proc/PID/stat"),
	ROW(program, A_LABEL(N_("program"), 16), .personal = true, .hidden = true,
	    .help = N_("first word of the command line"), .source = ARGUMENTS),
	ROW(program_base, A_LABEL(N_("program"), 16), .personal = true, .hidden = true,
	    .help = N_("first word of the command line without directories"), .source = ARGUMENTS),
	ROW(command, A_LABEL(N_("process"), 18), .personal = true, .text = TEXT_COMMAND,
	    .help = N_("command line, else file or name; for a fork the parent's"), .source = ARGUMENTS),
	ROW(command_base, A_LABEL(N_("process"), 18), .personal = true, .hidden = true, .text = TEXT_COMMAND,
	    .help = N_("command line without the directories of the program"), .source = ARGUMENTS),
};

static const struct schema schema = {
	.name = "event",
	.help = N_("process events: forks, execs, exits ..."),
	.shape = SHAPE_EVENTS, .over_interval = true, .has_secrets = true,
	SCHEMA_ROWS(struct event_row, columns),
};

struct state {
	struct event_reader *reader;
	struct env *env;
	struct event_targets targets;
	struct event_batch batch;
	struct {
		size_t from; /* in the texts of the batch */
		const char *name, *program, *program_base, *command, *command_base;
		size_t parent_from;
		const char *parent;
	} last; /* texts of the previous row: most rows are of the same process */
};

static uint64_t or_unknown(uint32_t number, uint32_t unknown)
{
	return number == unknown ? U64_UNKNOWN : number;
}

static size_t directory_length(const char *program, size_t length)
{
	size_t base = 0;

	for (size_t i = 0; i + 1 < length; i++)
		if (program[i] == '/')
			base = i + 1;
	return *program == '/' || *program == '.' ? base : 0;
}

static void copy_texts(struct state *state, struct arena *arena, const struct event *event)
{
	const char *command = state->batch.texts + event->command;
	size_t base = directory_length(command, event->program_length);

	state->last.from = event->command;
	state->last.name =
		arena_copy(arena, state->batch.texts + event->comm, strlen(state->batch.texts + event->comm));
	state->last.command = arena_copy(arena, command, strlen(command));
	state->last.program = arena_copy(arena, command, event->program_length);
	state->last.command_base = state->last.command + base;
	state->last.program_base = state->last.program + base;
}

static const char *parent_name(struct state *state, struct arena *arena, const struct event *event)
{
	const char *name = state->batch.texts + event->parent;

	if (event->parent == 0)
		return NULL;
	if (state->last.parent_from != event->parent)
		state->last.parent = arena_copy(arena, name, strlen(name));
	state->last.parent_from = event->parent;
	return state->last.parent;
}

static void set_texts(struct state *state, struct arena *arena, const struct event *event,
		      struct event_row *row)
{
	if (!event->named)
		return;
	if (event->command == 0 || state->last.from != event->command)
		copy_texts(state, arena, event);
	row->name = state->last.name;
	row->program = state->last.program;
	row->program_base = state->last.program_base;
	row->command = state->last.command;
	row->command_base = state->last.command_base;
}

static void add_row(struct state *state, struct frame *frame, struct table *table, const struct event *event)
{
	struct event_row *row = table_add(table);

	row->number = event->number;
	row->time = event->wall_ns;
	row->mark = event_mark(event);
	row->event = event_kind_text(event->kind);
	row->pid = event->pid;
	row->tid = event->tid;
	row->ppid = or_unknown(event->parent_pid, 0);
	row->uid = or_unknown(event->real_uid, UINT32_MAX);
	row->euid = or_unknown(event->effective_uid, UINT32_MAX);
	if (event->effective_uid != UINT32_MAX)
		row->user = users_name(state->env, event->effective_uid);
	row->tty = terminal_name(&frame->arena, event->terminal);
	row->info = event_info(&frame->arena, event, state->batch.texts);
	row->status = event->kind == EVENT_EXIT ? event_status(&frame->arena, event->exit_code) : "";
	row->parent = parent_name(state, &frame->arena, event);
	row->exit_code = event_exit_code(event->exit_code);
	row->signal = event_exit_signal(event->exit_code);
	if (event->duration_ns != U64_UNKNOWN)
		row->duration_seconds = (double)event->duration_ns / 1e9;
	set_texts(state, &frame->arena, event, row);
}

static int event_sample(struct sample *sample)
{
	struct env *env = sample->env;
	struct frame *frame = sample->frame;
	struct state *state = sample->state;
	int error = reader_update(&process_event_reader, sample);

	event_notices(state->reader, env, frame, schema.name);
	if (error)
		return error;
	event_reader_collect(state->reader, &state->batch);
	event_targets_notices(&state->targets, sample, state->batch.count > 0);
	state->last.from = state->last.parent_from = 0;
	for (size_t i = 0; i < state->batch.count; i++)
		add_row(state, frame, sample->table, &state->batch.list[i]);
	return 0;
}

static int open_event(struct sample *sample)
{
	struct state *state = sample->state;

	event_reader_add_collector(state->reader, 1);
	state->env = sample->env;
	return 0;
}

static void close_event(struct sample *sample)
{
	struct state *state = sample->state;

	event_reader_add_collector(state->reader, -1);
	event_batch_free(&state->batch);
}

static int event_fd(struct sample *sample)
{
	const struct state *state = sample->state;

	return event_reader_bell(state->reader);
}

const struct topic topic_event = {
	.schema = &schema,
	EVENT_TOPIC,
	.state_size = sizeof(struct state),
	/* On demand, since notices about its sources are given when it fails, too. */
	.reads = READINGS(READING_ON_DEMAND(struct state, reader, &process_event_reader)),
	.open = open_event,
	.sample = event_sample,
	.close = close_event,
	.event_fd = event_fd,
};

/* Calls read with the sample as context. */
static int sample_statistics(struct sample *sample,
			     void (*read)(void *context, const struct event_statistics *statistics,
					  uint64_t since_ns))
{
	const struct state *state = sample->state;

	event_reader_read_statistics(state->reader, read, sample);
	return 0;
}

#define EVENT_TABLE                                                                                          \
	EVENT_TOPIC, .state_size = sizeof(struct state),                                                     \
		.reads = READINGS(READING(struct state, reader, &process_event_reader))

#define ALL "all"

struct total_row {
	const char *command;
	uint64_t forks, execs, exits, failures, clones, core_dumps, renames, ptraces, user_changes, sessions;
	uint64_t total;
	double forks_per_second, execs_per_second, exits_per_second, failures_per_second, per_second;
	double mean_per_second;
	double mean_lifetime_seconds;
};

#define TOTAL(field, ...) COLUMN(struct total_row, field, __VA_ARGS__)
#define NUMBER(field, heading, importance, what)                                                             \
	TOTAL(field, .kind = COLUMN_COUNTER, .unit = UNIT_COUNT, .title = heading, .width = 7,               \
	      .rank = importance, .help = what, .source = "events, counted since panetop started to listen")
#define SPEED(field, of, heading, importance, ...)                                                           \
	TOTAL(field, .kind = COLUMN_RATE, .unit = UNIT_PER_SECOND, .title = heading, .width = 9,             \
	      .rank = importance, .rate_of = offsetof(struct total_row, of),                                 \
	      .help = N_("in the last interval"), .source = "growth of " #of " / time", __VA_ARGS__)

static const struct column total_columns[] = {
	TOTAL(command, A_KEY(N_("name"), 12), .grouping = "command",
	      .help = N_("command name, at most 15 bytes; all: the sum; (others): commands beyond the table "
			 "limit"),
	      .source = "perf COMM, /proc/PID/stat"),
	NUMBER(total, N_("total"), 0, N_("events of all kinds")),
	SPEED(per_second, total, N_("events/s"), 1, .hidden = false, .additive = true),
	NUMBER(forks, N_("forks"), 1, N_("processes started")),
	NUMBER(execs, N_("execs"), 1, N_("programs executed")),
	NUMBER(exits, N_("exits"), 1, N_("processes that exited")),
	NUMBER(failures, N_("failed"), 2, N_("exits with a nonzero code or by a signal")),
	NUMBER(clones, N_("threads"), 5, N_("threads started")),
	NUMBER(core_dumps, N_("cores"), 5, N_("core dumps")),
	NUMBER(renames, N_("renames"), 6, N_("name changes of processes and threads")),
	NUMBER(ptraces, N_("ptraces"), 7, N_("ptrace attaches and detaches")),
	NUMBER(user_changes, N_("users"), 7, N_("changes of user or group")),
	NUMBER(sessions, N_("sids"), 7, N_("sessions started")),
	SPEED(forks_per_second, forks, N_("forks/s"), 0, .hidden = true, .additive = true),
	SPEED(execs_per_second, execs, N_("execs/s"), 0, .hidden = true, .additive = true),
	SPEED(exits_per_second, exits, N_("exits/s"), 0, .hidden = true, .additive = true),
	SPEED(failures_per_second, failures, N_("failed/s"), 0, .hidden = true, .additive = true),
	TOTAL(mean_per_second, A_GAUGE(PER_SECOND, N_("avg/s"), 8), .rank = 4,
	      .help = N_("mean rate since panetop started to listen"), .source = "total / time since then"),
	TOTAL(mean_lifetime_seconds, A_GAUGE(SECONDS, N_("avg life"), 8), .rank = 3,
	      .help = N_("mean lifetime of the processes that exited and whose start is known"),
	      .source = "sum of lifetimes / their number"),
};

static const struct schema total_schema = {
	.name = "event_total",
	.is_public = true,
	.help = N_("events by kind and command"),
	.from_zero = true, .of_run = true, .sum_row = ALL,
	SCHEMA_ROWS(struct total_row, total_columns),
};

static void add_total(struct table *table, const char *command, const struct event_counts *counts,
		      double seconds)
{
	struct total_row *row = table_add(table);

	row->command = command;
	row->forks = counts->kinds[EVENT_FORK];
	row->execs = counts->kinds[EVENT_EXEC];
	row->exits = counts->kinds[EVENT_EXIT];
	row->failures = counts->failures;
	row->clones = counts->kinds[EVENT_CLONE];
	row->core_dumps = counts->kinds[EVENT_CORE];
	row->renames = counts->kinds[EVENT_COMM];
	row->ptraces = counts->kinds[EVENT_PTRACE];
	row->user_changes = counts->kinds[EVENT_UID] + counts->kinds[EVENT_GID];
	row->sessions = counts->kinds[EVENT_SID];
	row->total = 0;
	for (unsigned i = 0; i < N_EVENT_KINDS; i++)
		row->total += counts->kinds[i];
	row->mean_per_second = (double)row->total / seconds;
	if (counts->n_lifetimes > 0)
		row->mean_lifetime_seconds = (double)counts->lifetimes_ns / (double)counts->n_lifetimes / 1e9;
}

/* A process may have the name of a sum; the suffix is longer than any comm, so the result is unique. */
static const char *row_name(struct arena *arena, const char *command)
{
	if (strcmp(command, ALL) == 0 || strcmp(command, ROW_OF_OTHERS) == 0)
		return arena_print(arena, PROCESS_NOT_A_SUM, command);
	return arena_copy(arena, command, strlen(command));
}

static void read_totals(void *context, const struct event_statistics *statistics, uint64_t since_ns)
{
	struct sample *sample = context;
	double seconds = (double)since_ns / 1e9;

	add_total(sample->table, ALL, &statistics->all, seconds);
	for (size_t i = 0; i < statistics->n_commands; i++) {
		const struct event_counts *counts = &statistics->commands[i];

		add_total(sample->table, row_name(&sample->frame->arena, counts->command), counts, seconds);
	}
	if (statistics->n_commands == EVENT_COMMANDS_MAX)
		add_total(sample->table, ROW_OF_OTHERS, &statistics->others, seconds);
}

static int sample_totals(struct sample *sample)
{
	return sample_statistics(sample, read_totals);
}

const struct topic topic_event_total = { .schema = &total_schema, EVENT_TABLE, .sample = sample_totals };

struct parent_row {
	uint64_t pid;
	double start_seconds;
	uint64_t forks;
	double forks_per_second, mean_forks_per_second;
	uint64_t resident_bytes, page_table_bytes;
	const char *command;
};

#define PARENT(field, ...) COLUMN(struct parent_row, field, __VA_ARGS__)

static const struct column parent_columns[] = {
	PARENT(pid, A_KEY(N_("PID"), 7), .fleeting = true, .help = N_("process that forks"),
	       .source = "perf task records, proc connector"),
	PARENT(start_seconds, A_KEY(N_("start"), 9), .fleeting = true, .unit = UNIT_SECONDS, .hidden = true,
	       .help = N_("start time after boot"),
	       .source = "/proc/PID/stat starttime, else the time of its fork"),
	PARENT(forks, A_COUNTER(COUNT, N_("forks"), 8),
	       .help = N_("processes started since panetop started to listen"), .source = "events, counted"),
	PARENT(forks_per_second, A_RATE(PER_SECOND, N_("forks/s"), 8), .additive = true,
	       .rate_of = offsetof(struct parent_row, forks), .help = N_("in the last interval"),
	       .source = "growth of forks / time"),
	PARENT(mean_forks_per_second, A_GAUGE(PER_SECOND, N_("avg/s"), 8), .rank = 2,
	       .help = N_("mean rate since panetop started to listen"), .source = "forks / time since then"),
	PARENT(resident_bytes, A_GAUGE(BYTES, N_("resident"), 8),
	       .help = N_("resident memory at its last fork, read at most ten times a second"),
	       .source = "/proc/PID/status VmRSS"),
	PARENT(page_table_bytes, A_GAUGE(BYTES, N_("tables"), 8), .rank = 1,
	       .help = N_("page tables at that time: fork() copies them and takes longer the larger they "
			  "are; vfork() and posix_spawn() do not copy them"),
	       .source = "/proc/PID/status VmPTE"),
	PARENT(command, A_LABEL(N_("name"), 15), .grouping = "command",
	       .help = N_("name of the process (comm), at most 15 bytes"),
	       .source = "perf COMM, /proc/PID/stat"),
};

static const struct schema parent_schema = {
	.name = "event_parent",
	.help = N_("processes that fork"),
	.from_zero = true, .of_run = true,
	SCHEMA_ROWS(struct parent_row, parent_columns),
};

static void read_parents(void *context, const struct event_statistics *statistics, uint64_t since_ns)
{
	struct sample *sample = context;

	for (size_t i = 0; i < statistics->n_parents; i++) {
		const struct event_parent *parent = &statistics->parents[i];
		struct parent_row *row = table_add(sample->table);

		row->pid = parent->pid;
		if (parent->start_ticks != U64_UNKNOWN)
			row->start_seconds = process_start_seconds(sample->env, parent->start_ticks);
		row->forks = parent->forks;
		row->mean_forks_per_second = (double)parent->forks / ((double)since_ns / 1e9);
		row->resident_bytes = parent->resident_bytes;
		row->page_table_bytes = parent->page_table_bytes;
		row->command = sample_text(sample, parent->command);
	}
}

static int sample_parents(struct sample *sample)
{
	return sample_statistics(sample, read_parents);
}

const struct topic topic_event_parent = { .schema = &parent_schema, EVENT_TABLE, .sample = sample_parents };

struct lifetime_row {
	double from_seconds, to_seconds;
	uint64_t exits;
	double share_ratio;
};

#define LIFETIME(field, ...) COLUMN(struct lifetime_row, field, __VA_ARGS__)

static const struct column lifetime_columns[] = {
	LIFETIME(from_seconds, A_KEY(N_("from"), 9), .unit = UNIT_SECONDS,
		 .help = N_("shortest lifetime in this row; -: start unknown"), .source = "panetop"),
	LIFETIME(to_seconds, A_NUMBER(BOUND, SECONDS, N_("to"), 9),
		 .help = N_("upper limit, exclusive; -: no limit"), .source = "panetop"),
	LIFETIME(exits, A_COUNTER(COUNT, N_("exits"), 9),
		 .help = N_("processes that exited since panetop started to listen"),
		 .source = "events, counted"),
	LIFETIME(share_ratio, A_GAUGE(RATIO, N_("%share"), 7), .help = N_("share of all exits"),
		 .source = "exits / sum of exits"),
};

static const struct schema lifetime_schema = {
	.name = "event_lifetime",
	.is_public = true,
	.help = N_("lifetimes of processes that exited"),
	.shape = SHAPE_HISTOGRAM, .of_run = true,
	SCHEMA_ROWS(struct lifetime_row, lifetime_columns),
};

static void read_lifetimes(void *context, const struct event_statistics *statistics, uint64_t since_ns)
{
	struct sample *sample = context;
	uint64_t sum = 0;

	(void)since_ns;
	for (unsigned i = 0; i <= EVENT_LIFETIMES; i++)
		sum += statistics->lifetimes[i];
	for (unsigned i = 0; i <= EVENT_LIFETIMES; i++) {
		struct lifetime_row *row;

		if (i == EVENT_LIFETIMES && statistics->lifetimes[i] == 0)
			continue;
		row = table_add(sample->table);
		if (i < EVENT_LIFETIMES)
			row->from_seconds = (double)event_lifetime_ns(i) / 1e9;
		if (i + 1 < EVENT_LIFETIMES)
			row->to_seconds = (double)event_lifetime_ns(i + 1) / 1e9;
		row->exits = statistics->lifetimes[i];
		if (sum > 0)
			row->share_ratio = (double)row->exits / (double)sum;
	}
}

static int sample_lifetimes(struct sample *sample)
{
	return sample_statistics(sample, read_lifetimes);
}

const struct topic topic_event_lifetime = { .schema = &lifetime_schema,
					    EVENT_TABLE,
					    .sample = sample_lifetimes };

struct source_row {
	const char *source;
	uint64_t received;
	double received_per_second;
	uint64_t lost, unnamed;
	const char *state, *gives;
};

#define SOURCE(field, ...) COLUMN(struct source_row, field, __VA_ARGS__)

static const struct column source_columns[] = {
	SOURCE(source, A_KEY(N_("source"), 10),
	       .help = N_("perf: rings of the CPUs; connector: the proc connector; panetop: its own queue"),
	       .source = "panetop"),
	SOURCE(received, A_COUNTER(COUNT, N_("received"), 9),
	       .help = N_("records, messages or, for panetop, selected events"), .source = "panetop"),
	SOURCE(received_per_second, A_RATE(PER_SECOND, N_("per s"), 8),
	       .rate_of = offsetof(struct source_row, received), .help = N_("in the last interval"),
	       .source = "growth of received / time"),
	SOURCE(lost, A_COUNTER(COUNT, N_("lost"), 6),
	       .help = N_("lost because a buffer was full, as the kernel counts them"),
	       .source = "PERF_FORMAT_LOST, PERF_RECORD_LOST; SO_MEMINFO; panetop"),
	SOURCE(unnamed, A_COUNTER(COUNT, N_("no name"), 7),
	       .help = N_("events of processes without a known name, their own or inherited"),
	       .source = "panetop"),
	SOURCE(state, A_LABEL(N_("state"), 8), .words = true, .help = N_("read, or the reason why not"),
	       .source = "panetop"),
	SOURCE(gives, A_LABEL(N_("gives"), 20), .rank = 1, .help = N_("events that it provides"),
	       .source = "panetop"),
};

static const struct schema source_schema = {
	.name = "event_source",
	.is_public = true,
	.help = N_("sources of process events, and losses"),
	.from_zero = true, .of_run = true,
	SCHEMA_ROWS(struct source_row, source_columns),
};

static void add_source(struct table *table, const char *source, uint64_t received, uint64_t lost, int error,
		       const char *gives)
{
	struct source_row *row = table_add(table);

	row->source = source;
	if (!error) {
		row->received = received;
		row->lost = lost;
		row->unnamed = U64_BLANK;
	}
	row->state = error ? strerror(-error) : N_("read");
	row->gives = error ? "" : gives;
}

static int sample_sources(struct sample *sample)
{
	struct table *table = sample->table;
	struct state *state = sample->state;
	struct event_sources sources;

	event_reader_sources(state->reader, &sources);
	add_source(table, "perf", sources.perf_received, sources.perf_lost, sources.perf_error,
		   sources.connector_error ? "fork exec exit comm clone" : "fork exec comm clone");
	add_source(table, "connector", sources.connector_received, sources.connector_lost,
		   sources.connector_error,
		   sources.perf_error ? "fork exec exit comm clone core ptrace uid gid sid"
				      : "exit core ptrace uid gid sid");
	add_source(table, "panetop", sources.queue_received, sources.queue_lost, 0, "");
	((struct source_row *)table_row(table, table->n_rows - 1))->unnamed = sources.unnamed;
	return 0;
}

const struct topic topic_event_source = { .schema = &source_schema, EVENT_TABLE, .sample = sample_sources };
