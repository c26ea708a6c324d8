/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Topic "ended": the process of each name that ended last, since the last sample, and the selected one. */
#include <config.h>

#include <string.h>

#include "core/hash.h"
#include "core/i18n.h"
#include "kernel/net/netlink.h"
#include "topic/event/event_batch.h"
#include "topic/event/event_reader.h"
#include "topic/process/exit_ledger.h"
#include "topic/process/process_entry.h"
#include "topic/topic.h"
#include "topic/users.h"

struct ended_row {
	uint64_t number, time, pid;
	double start_seconds;
	const char *name, *command, *status, *user, *parent;
	uint64_t ppid;
	double duration_seconds, cpu_seconds;
	uint64_t resident_peak_bytes, disk_bytes, exit_code, exit_signal;
};

#define ROW(field, ...) COLUMN(struct ended_row, field, __VA_ARGS__)

static const struct column columns[] = {
	ROW(number, A_KEY(N_("number"), 8), .hidden = true, .help = N_("serial number"), .source = "panetop"),
	ROW(time, A_LABEL(N_("time"), 12), .unit = UNIT_TIME, .rank = 2,
	    .help = N_("time of the first sample after its end"), .source = "CLOCK_REALTIME"),
	ROW(pid, A_LABEL(N_("PID"), 7), .rank = 2, .help = N_("process ID"), .source = "taskstats ac_tgid"),
	ROW(start_seconds, A_LABEL(N_("started"), 10), .unit = UNIT_SECONDS, .hidden = true,
	    .help = N_("start time, after boot; unknown where no sample saw it alive"),
	    .source = "/proc/PID/stat starttime"),
	ROW(status, A_LABEL(N_("code"), 7), .rank = 1,
	    .help = N_("how it ended: its exit code, or the signal, and whether it dumped core"),
	    .source = "taskstats ac_exitcode of any of its threads"),
	ROW(exit_code, A_LABEL(N_("exit"), 4), .hidden = true,
	    .help = N_("exit code; unknown if a signal ended the process"),
	    .source = "taskstats ac_exitcode of any of its threads"),
	ROW(exit_signal, A_LABEL(N_("signal"), 6), .hidden = true,
	    .help = N_("number of the signal that ended the process"),
	    .source = "taskstats ac_exitcode of any of its threads"),
	ROW(duration_seconds, A_LABEL(N_("life"), 9), .unit = UNIT_SECONDS, .rank = 3,
	    .help = N_("lifetime of its main thread"),
	    .source = "taskstats ac_etime, else exit time - fork time of process events"),
	ROW(cpu_seconds, A_LABEL(N_("CPU time"), 9), .unit = UNIT_SECONDS, .rank = 3,
	    .help = N_("CPU time of all its threads; of their last tick an estimate"),
	    .source = "CPU clock of the process when last seen, or if more, its exit records: see "
		      "cpu_seconds of exited"),
	ROW(resident_peak_bytes, A_LABEL(N_("peak"), 7), .unit = UNIT_BYTES, .rank = 5,
	    .help = N_("the most resident memory it had"), .source = "taskstats hiwater_rss"),
	ROW(disk_bytes, A_LABEL(N_("I/O"), 7), .unit = UNIT_BYTES, .rank = 6,
	    .help = N_("read from storage and written to it"),
	    .source = "taskstats read_bytes + write_bytes, of a process that was seen also /proc/PID/io"),
	ROW(user, A_LABEL(N_("user"), 8), .personal = true, .rank = 7, .help = N_("its user"),
	    .source = "taskstats ac_uid, /proc/PID/status Uid, /etc/passwd"),
	ROW(ppid, A_LABEL(N_("PPID"), 7), .rank = 4, .help = N_("parent process when it ended"),
	    .source = "taskstats ac_ppid, /proc/PID/stat ppid"),
	ROW(parent, A_LABEL(N_("parent"), 15), .rank = 4, .help = N_("name of the parent process"),
	    .source = "process list, taskstats ac_comm, or /proc/PID/comm"),
	ROW(name, A_LABEL(N_("name"), 15), .grouping = "command",
	    .help = N_("name of the process (comm), as in the rows of exited"),
	    .source = "taskstats ac_comm, else process events"),
	ROW(command, A_LABEL(N_("command"), 16), .personal = true, .rank = 1, .text = TEXT_COMMAND,
	    .help = N_("command line; unknown where no sample saw it alive"), .source = "/proc/PID/cmdline"),
};

static const struct schema schema = {
	.name = "ended", .help = N_("processes that ended: the last one of each name in each sample"),
	.shape = SHAPE_EVENTS, .over_interval = true, SCHEMA_ROWS(struct ended_row, columns),
};

struct state {
	struct exit_ledger *ledger;
	uint64_t number;              /* of the last row */
	uint64_t until;               /* number of the last end that was looked at */
	struct hash by_name;          /* of the ends of one sample */
	struct process_choice chosen; /* that has got its row */
};

static void add_row(struct sample *sample, const struct exit_end *end)
{
	struct state *state = sample->state;
	struct ended_row *row = table_add(sample->table);
	struct arena *arena = &sample->frame->arena;
	const char *command = exit_ends_command(&state->ledger->ends, end);

	row->number = ++state->number;
	row->time = end->seen_ns;
	row->pid = end->pid;
	if (end->start_ticks != U64_UNKNOWN)
		row->start_seconds = process_start_seconds(sample->env, end->start_ticks);
	row->name = sample_text(sample, end->name);
	if (*command)
		row->command = sample_text(sample, command);
	if (end->status != U32_UNKNOWN) {
		row->status = event_status(arena, end->status);
		row->exit_code = event_exit_code(end->status);
		row->exit_signal = event_exit_signal(end->status);
	}
	if (end->uid != U32_UNKNOWN)
		row->user = users_name(sample->env, end->uid);
	if (end->parent_pid != U32_UNKNOWN)
		row->ppid = end->parent_pid;
	if (*end->parent)
		row->parent = sample_text(sample, end->parent);
	if (end->lived_ns != U64_UNKNOWN)
		row->duration_seconds = (double)end->lived_ns / 1e9;
	if (end->cpu_ns != U64_UNKNOWN)
		row->cpu_seconds = (double)end->cpu_ns / 1e9;
	if (end->peak_kib != U64_UNKNOWN)
		row->resident_peak_bytes = end->peak_kib * 1024;
	row->disk_bytes = end->disk_bytes;
}

/* In the order in which they ended: the last one of each name. */
static void add_last(struct sample *sample)
{
	struct state *state = sample->state;
	const struct exit_ends *ends = &state->ledger->ends;
	const struct exit_end *last[EXIT_ENDS_MAX], *end;
	uint32_t n_last = 0, at;

	for (uint64_t number = ends->newest; number > state->until; number--) {
		uint64_t hash;

		end = exit_ends_get(ends, number);
		if (!end)
			break;
		hash = hash_bytes(HASH_SEED, span_text(end->name));
		HASH_FIND(at, &state->by_name, hash, strcmp(last[at]->name, end->name) == 0);
		if (at != HASH_NONE)
			continue;
		hash_add(&state->by_name, hash, n_last);
		last[n_last++] = end;
	}
	while (n_last > 0)
		add_row(sample, last[--n_last]);
	hash_clear(&state->by_name);
	state->until = ends->newest;
}

/* It may have ended long before its page was opened, and not as the last one of its name. */
static void add_chosen(struct sample *sample)
{
	struct state *state = sample->state;
	const struct process_choice *chosen = &sample->request->mapped;
	const struct exit_end *end;

	if (!chosen->is_set || process_choice_is_same(chosen, &state->chosen))
		return;
	end = exit_ends_find(&state->ledger->ends, chosen->pid,
			     chosen->start_seconds >= 0
				     ? process_start_ticks(sample->env, chosen->start_seconds)
				     : U64_UNKNOWN,
			     chosen->seen_ns);
	if (!end)
		return;
	state->chosen = *chosen;
	add_row(sample, end);
}

static int sample_ended(struct sample *sample)
{
	struct state *state = sample->state;

	sample->table->mono_ns = state->ledger->processes->mono_ns;
	add_last(sample);
	add_chosen(sample);
	exit_ledger_notice(state->ledger, sample,
			   N_("without exit records it is not known how processes ended, and what they used"),
			   N_("without exit records and process events it is not known which processes "
			      "ended"));
	return 0;
}

static void close_ended(struct sample *sample)
{
	struct state *state = sample->state;

	hash_free(&state->by_name);
}

const struct topic topic_ended = {
	.schema = &schema, .sources = no_source, .state_size = sizeof(struct state), .uses = EVENT_USES,
	.opening_uses = EVENT_OPENING_USES,
	.reads = READINGS(READING(struct state, ledger, &exit_ledger_reader)), .sample = sample_ended,
	.close = close_ended,
};
