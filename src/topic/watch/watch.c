/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Topic "watch": what rules of --when fired since the last sample. */
#include <config.h>

#include <string.h>

#include "core/i18n.h"
#include "model/rule.h"
#include "topic/topic.h"

struct watch_row {
	uint64_t number, time, pid, exit_code, signal, command_status, dropped;
	const char *rule, *subject;
	double value;
};

#define ROW(field, ...) COLUMN(struct watch_row, field, __VA_ARGS__)

static const struct column columns[] = {
	ROW(number, A_KEY(N_("number"), 8), .hidden = true, .help = N_("serial number"), .source = "panetop"),
	ROW(time, .kind = COLUMN_LABEL, .unit = UNIT_TIME, .title = N_("time"), .width = 12, .rank = 2,
	    .help = N_("time at which the rule fired"), .source = "CLOCK_REALTIME"),
	ROW(rule, A_LABEL(N_("rule"), 24), .rank = 3, .help = N_("the rule, as it was written"),
	    .source = "--when, or a file of rules"),
	ROW(value, A_LABEL(N_("value"), 10), .rank = 4,
	    .help = N_("the number that the rule is about, in the unit of its column; unknown where it is "
		       "about rows or ends"),
	    .source = "the column of the rule"),
	ROW(pid, A_LABEL(N_("PID"), 7), .rank = 6, .help = N_("the process that it is about"),
	    .source = "the row, or an exit record or pidfd"),
	ROW(exit_code, A_LABEL(N_("exit"), 4), .rank = 7,
	    .help = N_("of a process that ended: its exit code; unknown if a signal ended it"),
	    .source = "taskstats ac_exitcode, PIDFD_GET_INFO"),
	ROW(signal, A_LABEL(N_("signal"), 6), .rank = 7,
	    .help = N_("of a process that ended: the number of the signal that ended it"),
	    .source = "taskstats ac_exitcode, PIDFD_GET_INFO"),
	ROW(command_status, A_LABEL(N_("command"), 7), .rank = 5,
	    .help = N_("exit status of the command of the rule, 128 and more for a signal; unknown where "
		       "none was started"),
	    .source = "wait(2)"),
	ROW(dropped, .kind = COLUMN_LABEL, .unit = UNIT_COUNT, .title = N_("dropped"), .width = 7, .rank = 8,
	    .help = N_("how often the rule fired in vain before, since that was more often than it may"),
	    .source = "panetop"),
	ROW(subject, A_LABEL(N_("subject"), 24), .rank = 1,
	    .help = N_("what it is about: the row, and its sentence if it has one"), .source = "the row"),
};

static const struct schema schema = {
	.name = FIRING_TOPIC, .help = N_("rules of --when that fired"), .none = N_("no rule has fired"),
	.shape = SHAPE_EVENTS, SCHEMA_ROWS(struct watch_row, columns),
};

struct state {
	uint64_t number; /* of the last row */
};

static uint64_t or_unknown(int number)
{
	return number < 0 ? U64_UNKNOWN : (uint64_t)number;
}

static int sample(struct sample *sample)
{
	struct state *state = sample->state;
	struct firing_log *log = sample->request->firings;

	for (size_t i = 0; log && i < log->n; i++) {
		const struct firing *firing = log->firings[i];
		struct watch_row *row = table_add(sample->table);
		struct arena *arena = &sample->frame->arena;

		*row = (struct watch_row){
			.number = ++state->number,
			.time = firing->wall_ns,
			.pid = firing->pid,
			.exit_code = or_unknown(firing->exit_code),
			.signal = or_unknown(firing->signal),
			.command_status = or_unknown(firing->status),
			.dropped = firing->n_dropped,
			.rule = arena_copy(arena, firing->rule, strlen(firing->rule)),
			.subject = arena_copy(arena, firing->subject, strlen(firing->subject)),
			.value = firing->value,
		};
	}
	if (log)
		firing_log_clear(log);
	return 0;
}

const struct topic topic_watch = {
	.schema = &schema, .sources = no_source, .state_size = sizeof(struct state), .sample = sample,
};
