/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Topic "event": process events since the last sample, one per row. */
#include <config.h>

#include <string.h>

#include "core/i18n.h"
#include "topic/event/event_filter.h"
#include "topic/event/event_reader.h"
#include "topic/event/event_text.h"
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
	.shape = SHAPE_EVENTS,
	.over_interval = true,
	.has_secrets = true,
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
	state->last.name = arena_copy(arena, state->batch.texts + event->comm,
				      strlen(state->batch.texts + event->comm));
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

static int sample(struct sample *sample)
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
	.sample = sample,
	.close = close_event,
	.event_fd = event_fd,
};
