/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Topic "failing": commands that have failed within a minute, and what started them. */
#include <config.h>

#include <string.h>

#include "core/i18n.h"
#include "kernel/net/netlink.h"
#include "topic/event/event_reader.h"
#include "topic/event/event_text.h"
#include "topic/process/exit_ledger.h"
#include "topic/topic.h"

struct failing_row {
	const char *command, *parent, *what, *ended;
	uint64_t parent_pid, exits, failures;
	double failures_per_second;
};

#define ROW(field, ...) COLUMN(struct failing_row, field, __VA_ARGS__)

static const struct column columns[] = {
	ROW(failures_per_second, A_RATE(PER_SECOND, N_("failed/s"), 8), .rank = 2,
	    .rate_of = offsetof(struct failing_row, failures), .help = N_("failed exits"),
	    .source = "growth of failures / time"),
	ROW(failures, A_COUNTER(COUNT, N_("failed"), 6),
	    .help = N_("exits with a code other than 0, and crashes; no signals from other processes, and no "
		       "codes of shells that stand for such a signal"),
	    .source = "taskstats ac_exitcode of any of its threads"),
	ROW(exits, A_COUNTER(COUNT, N_("exits"), 6),
	    .help = N_("all exits of this command under parents of this name, since it is counted"),
	    .source = "taskstats exit records"),
	ROW(ended, A_LABEL(N_("last"), 12), .rank = 1,
	    .help = N_("how the one that failed last ended: its code, or a signal"),
	    .source = "taskstats ac_exitcode"),
	ROW(parent_pid, A_LABEL(N_("parent"), 7), .rank = 1,
	    .help = N_("PID of the parent of the one that failed last"), .source = "taskstats ac_ppid"),
	ROW(command, A_KEY(N_("command"), 16), .personal = true, .grouping = "command",
	    .help = N_("command name"), .source = "taskstats ac_comm"),
	ROW(parent, A_KEY(N_("started by"), 16),
	    .help = N_("name of the parent; blank: it had exited before it was seen"),
	    .source = "process list"),
	ROW(what, A_LABEL(N_("what"), 16), .personal = true, .hidden = true,
	    .help = N_("command, and in brackets the parent"), .source = "both"),
};

static const struct schema schema = {
	.name = "failing",
	.help = N_("commands that failed within a minute, and what started them"),
	.none = N_("no command has failed within a minute"),
	.from_zero = true,
	.of_run = true,
	SCHEMA_ROWS(struct failing_row, columns),
};

struct state {
	struct exit_ledger *ledger;
};

static const char *copy(struct sample *sample, const char *text)
{
	return arena_copy(&sample->frame->arena, text, strlen(text));
}

static void add_row(struct sample *sample, const struct failing_command *command)
{
	struct failing_row *row = table_add(sample->table);
	struct arena *arena = &sample->frame->arena;

	row->command = copy(sample, command->name);
	row->parent = copy(sample, command->parent);
	row->what = !command->parent[0] ? row->command
					: arena_print(arena, "%s (%s)", command->name, command->parent);
	row->ended = event_exit_code(command->exit_code) == U64_UNKNOWN
			     ? event_status(arena, command->exit_code)
			     : arena_print(arena, "code %u", (unsigned)event_exit_code(command->exit_code));
	row->parent_pid = command->parent_pid == U32_UNKNOWN ? U64_UNKNOWN : command->parent_pid;
	row->exits = command->exits;
	row->failures = command->failures;
}

static int sample(struct sample *sample)
{
	const struct state *state = sample->state;
	const struct failing_commands *failing = &state->ledger->failing;

	sample->table->mono_ns = state->ledger->processes->mono_ns;
	if (!state->ledger->reader)
		frame_notice(sample->frame, schema.name, NULL,
			     _("without exit records it is not known which commands fail"));
	for (unsigned i = 0; i < FAILING_COMMANDS_MAX; i++)
		if (failing_command_is_recent(&failing->all[i], sample->table->mono_ns))
			add_row(sample, &failing->all[i]);
	if (failing->lost > 0)
		frame_notice(sample->frame, schema.name, NULL,
			     _("%llu failed exits are not listed: too many commands fail"),
			     (unsigned long long)failing->lost);
	return 0;
}

const struct topic topic_failing = {
	.schema = &schema,
	.sources = no_source,
	.state_size = sizeof(struct state),
	.uses = EVENT_USES,
	.opening_uses = EVENT_OPENING_USES,
	.reads = READINGS(READING(struct state, ledger, &exit_ledger_reader)),
	.sample = sample,
};
