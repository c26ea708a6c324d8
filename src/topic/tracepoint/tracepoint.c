/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Topic "tracepoint": what can be counted, and by which fields. */
#include <config.h>

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/i18n.h"
#include "core/vector.h"
#include "topic/topic.h"
#include "topic/tracepoint/tracepoint_plan.h"

struct tracepoint_row {
	const char *tracepoint, *numbers, *texts, *others;
};

#define ROW(field, ...) COLUMN(struct tracepoint_row, field, __VA_ARGS__)
#define FORMAT_SOURCE "tracefs events/GROUP/EVENT/format"

static const struct column columns[] = {
	ROW(tracepoint, A_KEY(N_("tracepoint"), 36), .fleeting = true,
	    .help = N_("group and name, as --trace takes them"), .source = "tracefs available_events"),
	ROW(numbers, A_LABEL(N_("numbers"), 20),
	    .help = N_("fields with numbers: for keys, conditions, sum(), max() and hist()"),
	    .source = FORMAT_SOURCE),
	ROW(texts, A_LABEL(N_("texts"), 12), .rank = 1,
	    .help = N_("fields with texts: for keys, and conditions with == and !="),
	    .source = FORMAT_SOURCE),
	ROW(others, A_LABEL(N_("others"), 8), .hidden = true,
	    .help = N_("fields that cannot be used: arrays and structures"), .source = FORMAT_SOURCE),
};

static const struct schema schema = {
	.name = "tracepoint",
	.is_public = true,
	.help = N_("tracepoints of this kernel, and their fields"),
	.none = N_("this kernel has no tracepoints"),
	SCHEMA_ROWS(struct tracepoint_row, columns),
};

static const struct source_spec sources[] = {
	{ .path = TRACEPOINT_SOURCE,
	  .gives = N_("names and fields of tracepoints"),
	  .test = tracepoint_list_test,
	  .remedies = { TRACEPOINT_REMEDIES } },
	{ 0 },
};

/* Offsets in texts. */
struct tracepoint {
	size_t name, parts[N_TRACEPOINT_PARTS];
};

struct state {
	struct tracepoint *all;
	size_t n, capacity;
	struct buffer texts;
};

static size_t add_text(struct state *state, struct span text)
{
	size_t at = state->texts.length;

	buffer_add(&state->texts, text.at, span_length(text));
	buffer_char(&state->texts, '\0');
	return at;
}

/* A tracepoint that is gone has no fields. */
static void read_tracepoint(struct state *state, struct tracepoint_list *list, struct span name)
{
	struct tracepoint *tracepoint = VECTOR_ADD(state->all, state->n, state->capacity);
	struct span event = name, group, format = { 0 };

	if (span_until(&event, ':', &group))
		tracepoint_list_format(list, group, event, &format);
	tracepoint->name = add_text(state, name);
	for (enum tracepoint_part part = 0; part < N_TRACEPOINT_PARTS; part++) {
		tracepoint->parts[part] = state->texts.length;
		tracepoint_fields(format, part, &state->texts);
	}
}

/* All of them at once, 25 ms for 2,300: it is done when a user wants to see them. */
static int open_tracepoints(struct sample *sample)
{
	struct state *state = sample->state;
	struct tracepoint_list list;
	struct span names, line;
	int error = tracepoint_list_open(&list, sample->env);

	if (!error)
		error = tracepoint_list_names(&list, &names);
	while (!error && span_line(&names, &line))
		read_tracepoint(state, &list, line);
	tracepoint_list_close(&list);
	if (error)
		env_note_failure(sample->env, TRACEPOINT_SOURCE, error);
	return error;
}

static void close_tracepoints(struct sample *sample)
{
	struct state *state = sample->state;

	free(state->all);
	buffer_free(&state->texts);
}

static const char *text_of(struct sample *sample, size_t at)
{
	const struct state *state = sample->state;

	return sample_text(sample, state->texts.bytes + at);
}

static int sample_tracepoints(struct sample *sample)
{
	struct state *state = sample->state;

	for (size_t i = 0; i < state->n; i++) {
		const struct tracepoint *tracepoint = &state->all[i];
		struct tracepoint_row *row = table_add(sample->table);

		row->tracepoint = text_of(sample, tracepoint->name);
		row->numbers = text_of(sample, tracepoint->parts[TRACEPOINT_NUMBERS]);
		row->texts = text_of(sample, tracepoint->parts[TRACEPOINT_TEXTS]);
		row->others = text_of(sample, tracepoint->parts[TRACEPOINT_OTHERS]);
	}
	return 0;
}

const struct topic topic_tracepoint = {
	.schema = &schema,
	.sources = sources,
	.uses = PRIVILEGE_BIT(PRIVILEGE_TRACING),
	.state_size = sizeof(struct state),
	.open = open_tracepoints,
	.sample = sample_tracepoints,
	.close = close_tracepoints,
};
