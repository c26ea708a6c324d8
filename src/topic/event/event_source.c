/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Topic "event_source": what the sources of process events have told, and what was lost. */
#include <config.h>

#include <string.h>

#include "core/i18n.h"
#include "topic/event/event_notices.h"
#include "topic/event/event_sampler.h"

struct event_source_row {
	const char *source;
	uint64_t received;
	double received_per_second;
	uint64_t lost, unnamed;
	const char *state, *gives;
};

#define ROW(field, ...) COLUMN(struct event_source_row, field, __VA_ARGS__)

static const struct column columns[] = {
	ROW(source, .kind = COLUMN_KEY, .title = N_("source"), .width = 10,
	    .help = N_("perf: rings of the CPUs; connector: the proc connector; panetop: its own queue"),
	    .source = "panetop"),
	ROW(received, .kind = COLUMN_COUNTER, .unit = UNIT_COUNT, .title = N_("received"), .width = 9,
	    .help = N_("records, messages or, of panetop, events that were chosen"), .source = "panetop"),
	ROW(received_per_second, .kind = COLUMN_RATE, .unit = UNIT_PER_SECOND, .title = N_("per s"),
	    .width = 8, .rate_of = offsetof(struct event_source_row, received),
	    .help = N_("in the last interval"), .source = "growth of received / time"),
	ROW(lost, .kind = COLUMN_COUNTER, .unit = UNIT_COUNT, .title = N_("lost"), .width = 6,
	    .help = N_("those that there was no room for, as the kernel counts them"),
	    .source = "PERF_FORMAT_LOST, PERF_RECORD_LOST; SO_MEMINFO; panetop"),
	ROW(unnamed, .kind = COLUMN_COUNTER, .unit = UNIT_COUNT, .title = N_("unnamed"), .width = 7,
	    .help = N_("events of processes whose name nobody told, nor that of a parent"),
	    .source = "panetop"),
	ROW(state, .kind = COLUMN_LABEL, .title = N_("state"), .width = 8, .words = true,
	    .help = N_("read, or why it is not"), .source = "panetop"),
	ROW(gives, .kind = COLUMN_LABEL, .title = N_("gives"), .width = 20, .rank = 1,
	    .help = N_("which events are taken from it"), .source = "panetop"),
};

static const struct schema schema = {
	.name = "event_source",
	.help = N_("where process events come from, and what was lost"),
	.from_zero = true,
	.row_size = sizeof(struct event_source_row),
	SCHEMA_COLUMNS(columns),
};

static void add_row(struct table *table, const char *source, uint64_t received, uint64_t lost, int error,
		    const char *gives)
{
	struct event_source_row *row = table_add(table);

	row->source = source;
	if (!error) {
		row->received = received;
		row->lost = lost;
		row->unnamed = U64_BLANK;
	}
	row->state = error ? strerror(-error) : N_("read");
	row->gives = error ? "" : gives;
}

static int sample(struct sample *sample)
{
	struct table *table = sample->table;
	struct event_sampler *state = sample->state;
	struct event_sources sources;
	int error = event_reader_update(state->reader, sample->env);

	if (error)
		return error;
	event_reader_sources(state->reader, &sources);
	add_row(table, "perf", sources.perf_received, sources.perf_lost, sources.perf_error,
		sources.connector_error ? "fork exec exit comm clone" : "fork exec comm clone");
	add_row(table, "connector", sources.connector_received, sources.connector_lost,
		sources.connector_error,
		sources.perf_error ? "fork exec exit comm clone core ptrace uid gid sid"
				   : "exit core ptrace uid gid sid");
	add_row(table, "panetop", sources.queue_received, sources.queue_lost, 0, "");
	((struct event_source_row *)table_row(table, table->n_rows - 1))->unnamed = sources.unnamed;
	return 0;
}

const struct topic topic_event_source = {
	.schema = &schema,
	EVENT_TOPIC,
	.state_size = sizeof(struct event_sampler),
	.open = event_sampler_open,
	.sample = sample,
	.close = event_sampler_close,
};
