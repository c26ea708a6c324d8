/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Panes only change the request; the topic attaches and detaches, in a thread of its own. */
#include <config.h>

#include "pane/probes.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "core/i18n.h"
#include "model/frame.h"

#define QUESTION_MAX 512

bool probes_any(const struct sample_request *request)
{
	for (unsigned i = 0; i < PROBE_CALLS_MAX; i++)
		if (*request->probe_calls[i].text)
			return true;
	return false;
}

void probes_add(struct pane_context *context, unsigned table, const char *text, uint32_t pid)
{
	if (screen_replays(context)) {
		screen_warn(context->screen, MESSAGE_PANE, "%s", _("nothing can be counted in a recording"));
		return;
	}
	if (context->request->read_only) {
		screen_warn(context->screen, MESSAGE_PANE, "%s",
			    _("--read-only: a probe would write into the code of the process"));
		return;
	}
	if (sample_request_probe(context_request(context), text, pid) < 0) {
		screen_warn(context->screen, MESSAGE_PANE,
			    _("%d functions are counted already; take one off first, in the view Functions "
			      "of the pane calls"),
			    PROBE_CALLS_MAX);
		return;
	}
	screen_request(context, table, true);
	screen_message(context->screen, MESSAGE_PANE,
		       _("%s: measuring what it costs, then counting it; the pane calls shows it"), text);
	screen_sample_now(context);
}

static struct probe_call *find_call(struct pane_context *context, const char *text)
{
	struct sample_request *request = context_request(context);

	for (unsigned i = 0; i < PROBE_CALLS_MAX; i++)
		if (*text && strcmp(request->probe_calls[i].text, text) == 0)
			return &request->probe_calls[i];
	return NULL;
}

static void allow(struct pane_context *context)
{
	const struct probes_state *state = context->state;
	struct probe_call *call = find_call(context, state->text);

	if (call)
		call->allowed = true;
	screen_sample_now(context);
}

/* A row of the probe that was taken off because of its cost; NULL: there is none. */
static const void *find_costly(const struct table *table, const char *text)
{
	for (size_t i = 0; table && i < table->n_rows; i++) {
		const void *row = table_row(table, i);

		if (strcmp(table_text(table, row, "probe"), text) == 0 &&
		    strcmp(table_text(table, row, "state"), "costly") == 0)
			return row;
	}
	return NULL;
}

static bool ask(struct pane_context *context, struct probes_state *state, const struct frame *frame,
		const char *text)
{
	const struct table *table = frame_table(frame, "probe");
	const void *row = find_costly(table, text);
	char question[QUESTION_MAX];
	double cost, hits;

	if (!row)
		return false;
	cost = table_number(table, row, "cost_seconds");
	hits = table_number(table, row, "expected_per_second");
	snprintf(state->text, sizeof(state->text), "%s", text);
	snprintf(question, sizeof(question),
		 _("%s: %.0f hits/s of %.1f us cost %.0f %% of a CPU. Count it nevertheless?"), text, hits,
		 cost * 1e6, 100 * hits * cost);
	screen_ask(context, question, allow);
	return true;
}

void probes_ask(struct pane_context *context, struct probes_state *state, const struct frame *frame)
{
	for (unsigned i = 0; i < PROBE_CALLS_MAX && screen_may_ask(context); i++) {
		const struct probe_call *call = &context->request->probe_calls[i];

		if (*call->text && !call->allowed && state->asked[i] != call->number &&
		    ask(context, state, frame, call->text)) {
			state->asked[i] = call->number;
			return;
		}
	}
}

void probes_ask_about(struct pane_context *context, struct probes_state *state, const char *text)
{
	if (!ask(context, state, context->frame, text))
		screen_message(context->screen, MESSAGE_PANE, "%s", _("it costs no more than allowed"));
}

void probes_remove(struct pane_context *context, const char *text)
{
	struct probe_call *call = find_call(context, text);

	if (!call)
		return;
	call->text[0] = '\0';
	screen_message(context->screen, MESSAGE_PANE, _("%s is taken off"), text);
	screen_sample_now(context);
}
