/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Topic "environment": the environment that the selected process was started with; it may hold secrets. */
#include <config.h>

#include <errno.h>
#include <string.h>

#include "core/i18n.h"
#include "topic/detail/process_page.h"
#include "topic/detail/slow_text.h"

#define BYTES_MAX ((size_t)256 * 1024)

struct variable_row {
	uint64_t pid;
	double start_seconds;
	uint64_t number;
	const char *name, *value;
};

#define ROW(field, ...) COLUMN(struct variable_row, field, __VA_ARGS__)
#define ENVIRON "/proc/PID/environ"

static const struct column columns[] = {
	ROW(pid, A_PROCESS_ID, .hidden = true, .help = N_("process")),
	ROW(start_seconds, A_PROCESS_START),
	ROW(number, A_KEY(N_("number"), 6), .hidden = true, .help = N_("position in the environment, from 1"),
	    .source = ENVIRON),
	ROW(name, A_LABEL(N_("name"), 20),
	    .help = N_("name of the variable; empty: the program has overwritten this part"),
	    .source = ENVIRON),
	ROW(value, A_LABEL(N_("value"), 24), .personal = true,
	    .help = N_("its value when the program was executed; later changes are not visible"),
	    .source = ENVIRON),
};

static const struct schema schema = {
	.name = "environment",
	.help = N_("environment of the selected process; it may hold secrets"),
	.has_secrets = true,
	SCHEMA_ROWS(struct variable_row, columns),
};

struct state {
	struct process_page *page;
	struct slow_text *text;
};

static void add_variable(struct sample *sample, const struct process_page *page, struct span text,
			 uint64_t number)
{
	struct variable_row *row = table_add(sample->table);
	struct arena *arena = &sample->frame->arena;
	struct span name;

	row->pid = page->target->pid;
	row->start_seconds = process_page_start(page);
	row->number = number;
	if (!span_until(&text, '=', &name))
		name = span_text("");
	row->name = arena_copy(arena, name.at, span_length(name));
	row->value = arena_copy(arena, text.at, span_length(text));
}

static void add_variables(struct sample *sample, const struct process_page *page, struct span text)
{
	uint64_t number = 0;

	while (text.at < text.end) {
		struct span variable = span_of(text.at, strnlen(text.at, span_length(text)));

		if (span_length(variable) > 0)
			add_variable(sample, page, variable, ++number);
		text.at = variable.end < text.end ? variable.end + 1 : text.end;
	}
}

static int sample_environment(struct sample *sample)
{
	struct state *state = sample->state;
	int error;

	if (!process_page_has_process(state->page))
		return 0;
	add_variables(sample, state->page, slow_text_get(state->text, state->page->target));
	error = slow_text_error(state->text);
	if (error == -EACCES || error == -EPERM)
		process_page_denied(state->page, sample);
	else if (slow_text_is_cut(state->text))
		frame_notice(sample->frame, schema.name, NULL, "%s",
			     _("the environment is longer than 256 KiB; the rest is not shown"));
	return 0;
}

static int open_environment(struct sample *sample)
{
	struct state *state = sample->state;

	state->text = slow_text_open(sample->env, "environ", BYTES_MAX);
	return 0;
}

static void close_environment(struct sample *sample)
{
	slow_text_close(((struct state *)sample->state)->text);
}

const struct topic topic_environment = {
	.schema = &schema,
	.sources = process_page_sources,
	.state_size = sizeof(struct state),
	.uses = PROCESS_PAGE_USES,
	.reads = READINGS(READING(struct state, page, &process_page_reader)),
	.open = open_environment,
	.sample = sample_environment,
	.close = close_environment,
};
