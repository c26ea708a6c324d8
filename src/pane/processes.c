/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A row has pid and start time, of an event the moment in which its process lived, of ended ones neither. */
#include <config.h>

#include "pane/processes.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/hash.h"
#include "core/i18n.h"
#include "core/vector.h"
#include "model/units.h"
#include "screen/keys.h"

static const char *name_of(const struct table *table, const void *row)
{
	return table_text(table, row, schema_column(table->schema, "name") >= 0 ? "name" : "command");
}

void process_open(struct pane_context *context, const char *pane, const struct table *processes,
		  const void *row)
{
	struct process_choice process = { .is_set = true,
					  .pid = (uint32_t)table_number(processes, row, "pid"),
					  .start_seconds = table_number(processes, row, "start_seconds") };

	snprintf(process.name, sizeof(process.name), "%s", name_of(processes, row));
	screen_open(context, pane, &process);
}

bool process_is_chosen(const struct pane_context *context)
{
	return context->request->mapped.is_set || context->request->processes;
}

int process_above(const struct pane_context *context, unsigned home, unsigned list)
{
	if (context->view == list)
		return -1;
	if (context->view != home)
		return (int)home;
	return screen_was_opened(context) || screen_replays(context) ? -1 : (int)list;
}

void process_warn_unselected(const struct pane_context *context)
{
	screen_warn(context->screen, MESSAGE_PANE, "%s",
		    _("select a process first, with the arrows or the mouse"));
}

const void *table_with_pid(const struct table *table, double pid)
{
	for (size_t i = 0; table && i < table->n_rows; i++)
		if (table_number(table, table_row(table, i), "pid") == pid)
			return table_row(table, i);
	return NULL;
}

const void *context_selected_row(const struct pane_context *context, unsigned index)
{
	const struct table_widget *widget = &context->tables[index];
	const struct column *column;

	return widget->place.cursor_on && context_table(context, index) ? table_cell(widget, &column) : NULL;
}

const void *process_select_row(struct pane_context *context, const struct table **table)
{
	*table = context_table(context, context->focus);
	table_select(&context->tables[context->focus]);
	return context_selected_row(context, context->focus);
}

void process_open_selected(struct pane_context *context)
{
	struct subject subject;
	const char *refusal = screen_subject(context, &subject);

	if (refusal) {
		screen_warn(context->screen, MESSAGE_PANE, "%s", refusal);
		return;
	}
	screen_select_subject(context, &subject);
	screen_open(context, "process", &subject.process);
}

bool process_open_of_event(struct pane_context *context, const struct table *events, const void *row)
{
	uint64_t pid = table_u64(events, row, "pid"), time_ns = table_u64(events, row, "time");
	struct process_choice process = { .is_set = true, .start_seconds = -1, .seen_ns = time_ns };

	if (pid == 0 || pid > INT32_MAX || time_ns >= U64_BLANK)
		return false;
	process.pid = (uint32_t)pid;
	snprintf(process.name, sizeof(process.name), "%s", name_of(events, row));
	screen_open(context, "process", &process);
	return true;
}

const void *process_last_ended(const struct table *ends, const char *name)
{
	const struct column *names = ends ? schema_known_column(ends->schema, "name") : NULL;

	for (size_t i = ends ? ends->n_rows : 0; i > 0; i--) {
		const char *of_row = row_text(table_row(ends, i - 1), names);

		if (of_row && strcmp(of_row, name) == 0)
			return table_row(ends, i - 1);
	}
	return NULL;
}

void process_open_ended(struct pane_context *context, const struct table *ends, const void *row)
{
	double start = table_number(ends, row, "start_seconds");
	struct process_choice process = { .is_set = true,
					  .pid = (uint32_t)table_u64(ends, row, "pid"),
					  .start_seconds = isnan(start) ? -1 : start,
					  .seen_ns = isnan(start) ? table_u64(ends, row, "time") : 0 };

	snprintf(process.name, sizeof(process.name), "%s", table_text(ends, row, "name"));
	screen_open(context, "process", &process);
}

int process_below_table(const struct pane_context *context)
{
	unsigned long below = context->pane->views[context->view].below;

	for (unsigned i = 0; context->pane->tables[i].topic; i++)
		if ((below >> i & 1) && context->requested[i])
			return (int)i;
	return -1;
}

int process_below_lines(const struct pane_context *context, const struct canvas *canvas)
{
	bool shown = process_below_table(context) >= 0 && canvas->height >= 3 * PROCESS_BELOW_LINES;

	return shown ? PROCESS_BELOW_LINES : 0;
}

/* The table of the view above or below this one that has rows; -1: there is none. */
static int beside(const struct pane_context *context, unsigned table, int step)
{
	const struct pane_view *view = &context->pane->views[context->view];
	int found = -1;

	for (unsigned i = 0; context->pane->tables[i].topic; i++) {
		bool shown = i == view->table || ((view->below >> i & 1) && context->requested[i]);
		bool after = i != view->table && (table == view->table || i > table);

		if (i == table || !shown || context->tables[i].view.n_rows == 0 || after != (step > 0))
			continue;
		if (found < 0 || step < 0)
			found = (int)i; /* the first one below, the last one above */
	}
	return found;
}

static bool go_on(struct pane_context *context, const struct input *input, bool of_selected)
{
	const struct table_widget *widget = &context->tables[context->focus];
	bool above = context->focus == context->pane->views[context->view].table;
	bool down = input->key == K_DOWN && widget->place.row + 1 >= widget->view.n_rows;
	bool up = input->key == K_UP && widget->place.row == 0;
	int step = (int)down - (int)up, table = step ? beside(context, context->focus, step) : -1;

	if (table < 0 || !widget->place.cursor_on)
		return false;
	if (!above || !of_selected)
		table_deselect(&context->tables[context->focus]);
	context->focus = (unsigned)table;
	table_select(&context->tables[context->focus]);
	return true;
}

bool process_below_key(struct pane_context *context, const struct input *input)
{
	return go_on(context, input, false);
}

bool process_below_key_of_selected(struct pane_context *context, const struct input *input)
{
	return go_on(context, input, true);
}

const char *process_below_refuses(const struct pane_context *context)
{
	int table = process_below_table(context);

	if (table < 0)
		return _("no processes are shown here");
	return (int)context->focus != table ? _("select a process first") : NULL;
}

void process_signal(struct pane_context *context)
{
	screen_act_on_subject(context, ACTION_ACT);
}

const struct pane_action process_actions[] = {
	{ ACTION_OPEN, process_open_selected, NULL,
	  N_("open the selected process: all that is known of it") },
	{ 0 },
};

#define VALUE_CELLS 5 /* "100.0", "1023M" */

/* The list is sorted and holds each process once. */
static void add(struct sample_request *request, uint32_t pid)
{
	size_t at = request->n_visible;

	while (at > 0 && request->visible[at - 1] > pid)
		at--;
	if (request->n_visible == PROCESSES_VISIBLE_MAX || (at > 0 && request->visible[at - 1] == pid))
		return;
	for (size_t i = request->n_visible++; i > at; i--)
		request->visible[i] = request->visible[i - 1];
	request->visible[at] = pid;
}

void process_rows_request(struct pane_context *context, unsigned long tables)
{
	context_request(context)->n_visible = 0;
	for (unsigned t = 0; tables >> t && !screen_replays(context); t++) {
		const struct table_widget *widget = &context->tables[t];
		const struct table *table = tables >> t & 1 ? context_table(context, t) : NULL;
		size_t end = widget->place.top + (size_t)widget->page;

		for (size_t i = widget->place.top;
		     table && widget->heading_y >= 0 && i < end && i < widget->view.n_rows; i++) {
			double pid = table_number(table, widget->view.rows[i], "pid");

			if (!isnan(pid))
				add(context_request(context), (uint32_t)pid);
		}
	}
}

/* The page with the cursor. */
static void scroll(struct table_widget *widget, const struct canvas *canvas)
{
	struct table_place *place = &widget->place;
	size_t page = (size_t)canvas->height;

	widget->heading_y = canvas->top - 1;
	widget->left = canvas->left;
	widget->width = canvas->width;
	widget->page = canvas->height;
	widget->n_slots = 0;
	if (place->cursor_on && place->row >= place->top + page)
		place->top = place->row - page + 1;
	if (place->top >= widget->view.n_rows || (place->cursor_on && place->row < place->top))
		place->top = place->cursor_on ? place->row : 0;
}

void process_rows_draw_short(const struct pane_context *context, const struct canvas *canvas, unsigned index,
			     const char *column, char *(*write)(char *out, double number))
{
	struct table_widget *widget = &context->tables[index];
	const struct table_place *place = &widget->place;
	const struct table *table = context_table(context, index);
	const struct view *view = &widget->view;

	scroll(widget, canvas);
	for (int y = 0; table && y < canvas->height && place->top + (size_t)y < view->n_rows; y++) {
		size_t at = place->top + (size_t)y;
		const void *row = view->rows[at];
		enum style style = place->cursor_on && at == place->row    ? STYLE_ROW
				   : table_row_is_gone(view->schema, row) ? STYLE_ENDED
									   : STYLE_NORMAL;
		char value[VALUE_TEXT_MAX];

		canvas_right(canvas, y, 0, VALUE_CELLS, style,
			     write(value, table_number(table, row, column)));
		canvas_cut(canvas, y, VALUE_CELLS + 1, style, table_text(table, row, "name"),
			   canvas->width - VALUE_CELLS - 1);
	}
}

#define QUIET_NAN UINT64_C(0x7ff8000000000000)
#define NAN_PAYLOAD UINT64_C(0x0007ffffffffffff)

/* The start is unknown; a NaN of its own for each command still keeps the rows apart. */
static double unknown_start(const char *command)
{
	uint64_t bits = QUIET_NAN | (hash_bytes(HASH_SEED, span_text(command)) & NAN_PAYLOAD);
	double start;

	memcpy(&start, &bits, sizeof(start));
	return start;
}

static void set_number(struct table *table, void *row, const char *key, double number)
{
	row_set_f64(row, schema_known_column(table->schema, key), number);
}

/* The growth of a counter in the interval, from its rate; exact, as both divide by the same time. */
static double growth(const struct table *exited, const void *origin, const char *rate)
{
	return rint(table_number(exited, origin, rate) * (double)exited->interval_ns / 1e9);
}

/* "cc1 ×9 ended, 2 failed"; CPU time comes without an exit where a parent is late to wait for its child. */
static const char *ended_text(struct arena *texts, const char *command, double count, double failed)
{
	if (count >= 1 && failed >= 1)
		return arena_print(texts, _("%s %s%.0f ended, %.0f failed"), command, "×", count, failed);
	return count >= 1 ? arena_print(texts, _("%s %s%.0f ended"), command, "×", count)
			  : arena_print(texts, _("%s ended"), command);
}

static void add_ended(struct ended_rows *ended, const struct table *exited, const void *origin)
{
	/* every column of which the user may choose one to see the command */
	static const char *const forms[] = { "command", "command_base", "program", "program_base", "name" };
	struct table *table = &ended->table;
	const char *command = table_text(exited, origin, "command");
	double share = table_number(exited, origin, "cpu_ratio");
	double count = growth(exited, origin, "exits_per_second");
	double failed = ended->brief ? 0 : growth(exited, origin, "failures_per_second");
	const char *text;
	void *row;

	if (!(count >= 1) && !(share > 0))
		return;
	assert(table->n_rows < table->capacity);
	row = table_add(table);
	table->fresh[table->n_rows - 1] = false; /* each of these is new */
	set_number(table, row, "start_seconds", unknown_start(command));
	set_number(table, row, "cpu_ratio", share);
	set_number(table, row, "watts", table_number(exited, origin, "watts"));
	row_set_text(row, schema_known_column(table->schema, "state"), "X");
	text = ended_text(&ended->texts, command, count, failed);
	for (size_t i = 0; i < sizeof(forms) / sizeof(forms[0]); i++)
		row_set_text(row, schema_known_column(table->schema, forms[i]), text);
	*VECTOR_ADD(ended->origins, ended->n_origins, ended->capacity) = origin;
}

void ended_rows_begin(struct ended_rows *ended, const struct frame *frame)
{
	struct table *processes = frame_table(frame, "process");
	const struct table *exited = frame_table(frame, "exited");

	ended->frame = NULL;
	if (processes && exited)
		table_reserve(processes, processes->n_rows + exited->n_rows);
}

static bool is_merged(const struct ended_rows *ended, const struct frame *frame)
{
	return ended->frame == frame && ended->mono_ns == frame->mono_ns;
}

void ended_rows_merge(struct ended_rows *ended, const struct frame *frame)
{
	const struct table *processes = frame_table(frame, "process"), *exited = frame_table(frame, "exited");

	if (!processes || !exited || is_merged(ended, frame))
		return;
	ended->frame = frame;
	ended->mono_ns = frame->mono_ns;
	ended->table = *processes;
	ended->n_processes = processes->n_rows;
	ended->n_origins = 0;
	ended->origin_schema = exited->schema;
	arena_reset(&ended->texts);
	for (size_t i = 0; i < exited->n_rows; i++)
		add_ended(ended, exited, table_row(exited, i));
}

const struct table *ended_rows_table(const struct ended_rows *ended, const struct frame *frame)
{
	return is_merged(ended, frame) && ended->n_origins > 0 ? &ended->table
							       : frame_table(frame, "process");
}

const void *ended_rows_origin(const struct ended_rows *ended, const void *row, const struct schema **schema)
{
	for (size_t i = 0; i < ended->n_origins; i++) {
		if (table_row(&ended->table, ended->n_processes + i) != row)
			continue;
		*schema = ended->origin_schema;
		return ended->origins[i];
	}
	return NULL;
}

const char *ended_rows_name(const struct ended_rows *ended, const void *row)
{
	const struct schema *schema;
	const void *origin = ended_rows_origin(ended, row, &schema);

	return origin ? row_text(origin, schema_known_column(schema, "command")) : NULL;
}

void ended_rows_prepare(struct pane_context *context, const struct frame *frame)
{
	ended_rows_begin(context_state(context), frame);
}

void ended_rows_update(struct pane_context *context)
{
	ended_rows_merge(context_state(context), context->frame);
}

const void *ended_rows_origin_of(const struct pane_context *context, const void *row,
				 const struct schema **schema)
{
	return ended_rows_origin(context->state, row, schema);
}

void ended_rows_free(void *state)
{
	struct ended_rows *ended = state;

	free(ended->origins);
	arena_free(&ended->texts);
	*ended = (struct ended_rows){ 0 };
}
