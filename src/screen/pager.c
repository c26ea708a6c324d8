/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Pages of text over the pane: the help; and, by the key i, what the number under the cursor is. */
#include <config.h>

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "core/clock.h"
#include "core/i18n.h"
#include "core/utf8.h"
#include "model/sentence.h"
#include "screen/chrome.h"
#include "screen/keymap.h"
#include "screen/navigation.h"
#include "screen/overlay.h"
#include "screen/past/compare.h"

#define KEYS_CELLS 9 /* minimum */

#define HALF_FROM_LINES 16 /* lower screens are covered whole */
#define PREFIX_MAX 128

/* Bytes before what a line explains, behind two blanks: "  F1 ? h    help"; else its leading blanks. */
static size_t prefix_length(struct span line)
{
	size_t length = span_length(line), leading = 0;

	while (leading < length && line.at[leading] == ' ')
		leading++;
	for (size_t i = leading; i + 2 < length; i++)
		if (line.at[i] == ' ' && line.at[i + 1] == ' ' && line.at[i + 2] != ' ')
			return i + 2;
	return leading;
}

/* Draws a line so that what wraps stands below what it explains; returns its lines. */
static int draw_hanging(const struct canvas *page, int y, enum style style, struct span line)
{
	size_t length = prefix_length(line);
	struct canvas rest = *page;
	char prefix[PREFIX_MAX];
	int cells;

	if (length >= sizeof(prefix))
		length = 0;
	memcpy(prefix, line.at, length);
	prefix[length] = '\0';
	cells = utf8_cells(prefix, page->ascii);
	if (cells > page->width / 2)
		return canvas_wrapped(page, y, style, line);
	rest.left += cells;
	rest.width -= cells;
	line.at += length;
	if (y >= 0 && y < page->height)
		canvas_text(page, y, 0, style, prefix, -1);
	return canvas_wrapped(&rest, y, style, line);
}

static int draw_lines(const struct pager *pager, const struct canvas *page, int y)
{
	struct span rest = span_of(pager->text.bytes, pager->text.length), line;

	while (span_line(&rest, &line)) {
		enum style style = span_char(&line, '*')         ? STYLE_HEADING
				   : span_char(&line, PAGER_DIM) ? STYLE_DIM
								 : STYLE_NORMAL;
		int lines = draw_hanging(page, y, style, line);

		y += lines > 0 ? lines : 1;
	}
	return y;
}

/* All below the panes; or the half of the screen in which the row is not that it is about. */
static struct canvas place_page(const struct pager *pager, const struct canvas *canvas)
{
	int first = canvas->height >= 6 ? 2 : 0, last = canvas->height - 1, middle = canvas->height / 2;
	struct canvas nothing = canvas_rows(canvas, 0, 0);
	int lines;

	if (pager->row_y < 0 || canvas->height < HALF_FROM_LINES)
		return canvas_rows(canvas, first, last - first);
	lines = draw_lines(pager, &nothing, 0);
	if (pager->row_y >= middle)
		return canvas_rows(canvas, first, lines < middle - first ? lines : middle - first);
	if (lines + 1 < last - middle)
		middle = last - lines - 1;
	canvas_rule(canvas, middle, _("Info"), "");
	return canvas_rows(canvas, middle + 1, last - middle - 1);
}

static void draw_pager(struct screen *screen, const struct canvas *canvas)
{
	struct pager *pager = &screen->pager;
	struct canvas page = place_page(pager, canvas);

	for (int i = 0; i < page.height; i++)
		canvas_fill(&page, i, 0, STYLE_NORMAL, ' ', page.width);
	pager->page = page.height;
	pager->lines = draw_lines(pager, &page, -pager->top) + pager->top;
	if (pager->row_y >= 0 && page.top == canvas->top + 2 && page.height < canvas->height - 3)
		canvas_rule(canvas, page.height + 2, _("Info"), "");
	canvas_fill(canvas, canvas->height - 1, 0, STYLE_NORMAL, ' ', canvas->width);
	canvas_text(canvas, canvas->height - 1, 0, STYLE_KEY,
		    pager->lines > pager->page ? _("arrows scroll, any other key closes")
					       : _("any key closes"),
		    -1);
}

static void scroll(struct pager *pager, int step)
{
	int last = pager->lines > pager->page ? pager->lines - pager->page : 0;

	pager->top += step;
	pager->top = pager->top < 0 ? 0 : pager->top > last ? last : pager->top;
}

static void pager_key(struct screen *screen, const struct input *input)
{
	struct pager *pager = &screen->pager;

	switch (input->key) {
	case K_UP:
	case K_WHEEL_UP:
		scroll(pager, -1);
		break;
	case K_DOWN:
	case K_WHEEL_DOWN:
		scroll(pager, 1);
		break;
	case K_PAGE_UP:
		scroll(pager, -pager->page);
		break;
	case K_PAGE_DOWN:
	case ' ':
		scroll(pager, pager->page);
		break;
	case K_HOME:
		scroll(pager, -pager->lines);
		break;
	case K_END:
		scroll(pager, pager->lines);
		break;
	default:
		screen->overlay = NULL;
	}
}

struct buffer *pager_open(struct screen *screen, int row_y)
{
	static const struct overlay overlay = { .draw = draw_pager, .key = pager_key };

	screen->overlay = &overlay;
	screen->pager.top = 0;
	screen->pager.row_y = row_y;
	buffer_empty(&screen->pager.text);
	return &screen->pager.text;
}

static int key_cells(void)
{
	static const char *const words[] = { N_("arrows"), N_("mouse"), N_("bars"), N_("amber"),
					     N_("green"),  N_("grey") };
	int most = KEYS_CELLS;

	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
		int cells = utf8_cells(_(words[i]), false);

		most = cells > most ? cells : most;
	}
	return most;
}

static void add_key(struct buffer *out, const char *keys, const char *help)
{
	buffer_text(out, "  ");
	utf8_padded(out, keys, key_cells(), false);
	buffer_print(out, " %s\n", help);
}

static void add_actions(struct buffer *out, const struct pane_context *context, bool of_pane)
{
	char keys[ACTION_KEYS_TEXT_MAX];

	for (unsigned i = 0; i < N_ACTIONS; i++)
		if ((keymap_bound(context, (enum action)i) != NULL) == of_pane &&
		    keymap_works(context, (enum action)i))
			add_key(out, action_keys_text(keys, (enum action)i),
				keymap_help(context, (enum action)i));
}

static void add_views(struct buffer *out, const struct pane_view *views)
{
	int cells = 0;

	for (const struct pane_view *view = views; view->name; view++) {
		int width = utf8_cells(_(view->title), false);

		cells = width > cells ? width : cells;
	}
	buffer_print(out, "\n*%s\n", _("Views of this pane (Tab, or [ and ])"));
	for (const struct pane_view *view = views; view->name; view++) {
		buffer_text(out, "  ");
		utf8_padded(out, _(view->title), cells, false);
		buffer_print(out, "  %s\n", _(view->help));
	}
}

static void add_sign(struct buffer *out, uint32_t sign, const char *help)
{
	char text[UTF8_BYTES_MAX + 1];

	text[utf8_put(text, sign)] = '\0';
	add_key(out, text, help);
}

static bool has_processes(const struct pane_context *context)
{
	bool found = false;

	for (unsigned i = 0; context->pane->tables[i].topic; i++)
		found |= schema_find(context->tables[i].view.schema, "start_seconds") != NULL;
	return found;
}

static void add_signs(struct buffer *out, const struct pane_context *context)
{
	const struct screen *screen = context->screen;
	const struct glyphs *glyphs = &glyph_sets[screen->terminal.ascii ? GLYPHS_ASCII : screen->glyphs];

	buffer_print(out, "\n*%s\n", _("Signs and colours"));
	for (const struct pane_sign *sign = context->pane->signs; sign && sign->sign; sign++)
		add_key(out, _(sign->sign), _(sign->help));
	if (context->pane->n_series > 0) {
		add_sign(out, glyphs->empty, _("in a bar: where each quarter ends"));
		add_sign(out, glyphs->gap, _("at an axis: it does not begin at 0"));
	}
	add_sign(out, glyphs->falling, _("the column by which rows are sorted"));
	add_key(out, "-", _("a number that is not known"));
	add_key(out, _("amber"),
		_("a warning: a finding is about it, or a task is in state D or Z; red: critical"));
	add_key(out, _("green"), _("underlined: what the sample before did not have"));
	if (has_processes(context))
		add_key(out, _("grey"), _("in italics: a process that has ended"));
	if (screen_recording(screen)) {
		add_sign(out, glyphs->mark,
			 _("the shown moment in the line of the load, where ! is a finding that begins, m a "
			   "mark, z a sleep, c a change of the clock"));
		add_key(out, _("grey"), _("in the line of the load: findings are not known there yet"));
	} else {
		add_key(out, PACKAGE, _("with a number: CPU time of panetop itself, as a share of one CPU"));
	}
}

void pager_help(struct pane_context *context)
{
	const struct pane *pane = context->pane;
	struct buffer *out = pager_open(context->screen, -1);

	buffer_print(out, "*panetop %s: %s\n%s\n", PACKAGE_VERSION, _(pane->title), _(pane->question));
	if (pane->views)
		add_views(out, pane->views);
	buffer_print(out, "\n*%s\n", _("Keys of this pane"));
	add_actions(out, context, true);
	buffer_print(out, "\n*%s\n", _("Keys everywhere"));
	add_actions(out, context, false);
	for (const struct other_keys *other = other_keys; other->keys; other++)
		add_key(out, _(other->keys), _(other->help));
	add_signs(out, context);
}

#define NAME_CELLS 60

/* A number that is asked about. */
struct asked {
	const struct frame *frame;
	const struct schema *schema;
	const void *row;
	const struct column *column;
	struct value_format format;
};

/* Is the counter known from which this rate is derived? */
static bool is_counted(const struct schema *schema, const struct column *rate, const void *row)
{
	for (unsigned i = 0; i < schema->n_columns; i++)
		if (schema->columns[i].kind != COLUMN_RATE && schema->columns[i].offset == rate->rate_of)
			return row_is_known(row, &schema->columns[i]);
	return true;
}

/* Why there is no number: a notice of its source knows better than its kind. */
static void add_unknown(struct buffer *out, const struct frame *frame, const struct schema *schema,
			const void *row, const struct column *column)
{
	const struct notice *notice = frame ? frame_newest_notice(frame, schema->name) : NULL;

	if (notice)
		buffer_print(out, _("unknown: %s"), notice->text);
	else if (column->difference)
		buffer_text(out, _("unknown: one of both samples does not have it"));
	else if (column->kind == COLUMN_RATE && column->rate_over > 0 && is_counted(schema, column, row))
		buffer_text(out, _("unknown: nothing was counted in this interval, there is no earlier "
				   "sample, or the counter was reset"));
	else if (column->kind == COLUMN_RATE && is_counted(schema, column, row))
		buffer_text(out, _("unknown: there is no earlier sample, or the counter was reset"));
	else
		buffer_text(out, _("unknown: the source does not report it"));
	if (notice && notice->remedy)
		buffer_print(out, "\n  %s", notice->remedy);
}

/* What value_text() leaves to the heading. */
static const char *shown_unit(const struct column *column, const struct schema *schema, enum size_unit unit)
{
	static const char *const units[N_UNITS] = {
		[UNIT_RATIO] = " %",   [UNIT_PER_SECOND] = "/s", [UNIT_BYTES_PER_SECOND] = "/s",
		[UNIT_WATTS] = " W",   [UNIT_JOULES] = " J",     [UNIT_CELSIUS] = " °C",
		[UNIT_VOLTS] = " V",   [UNIT_RPM] = " rpm",
	};

	if (column->unit == UNIT_BYTES && unit != SIZE_AUTO)
		return size_unit_heading(schema, unit);
	return units[column->unit] ? units[column->unit] : "";
}

static void add_exact(struct buffer *out, const struct column *column, const void *row)
{
	char time[CLOCK_TEXT_MAX];
	bool is_address = column->unit == UNIT_ADDRESS && column->type == VALUE_U64;

	if (column->type == VALUE_TEXT)
		utf8_clean(out, column_words(column, row_text(row, column)), -1, false);
	else if (column->unit == UNIT_TIME)
		buffer_text(out, clock_utc(time, row_u64(row, column)));
	else if (is_address)
		buffer_print(out, "%012" PRIx64, row_u64(row, column));
	else if (column->type == VALUE_U64)
		buffer_print(out, "%" PRIu64, row_u64(row, column));
	else
		buffer_print(out, "%.9g", row_f64(row, column));
	if (unit_suffix(column->unit) && column->unit != UNIT_RATIO && !is_address)
		buffer_print(out, " %s", unit_suffix(column->unit));
}

/* "7.6s" and "7.6 seconds", but not "41.0" and "0.41". */
static bool says_the_same(const char *shown, const char *exact)
{
	size_t length = strcspn(exact, " ");

	return strncmp(shown, exact, length) == 0 &&
	       !strchr(".0123456789", shown[length] ? shown[length] : ' ');
}

/* As the screen shows it, and the exact number where that says more. */
static void add_value(struct buffer *out, const struct asked *of)
{
	const struct column *column = of->column;
	char number[VALUE_TEXT_MAX];
	const char *text = value_text(number, of->schema, column, of->row, &of->format);
	const char *unit = shown_unit(column, of->schema, of->format.unit);
	struct buffer exact = { 0 };

	add_exact(&exact, column, of->row);
	buffer_char(&exact, '\0');
	if (column->type == VALUE_TEXT) {
		buffer_text(out, exact.bytes);
	} else {
		buffer_print(out, "%s%s%s", text, *unit && *unit != ' ' && *unit != '/' ? " " : "", unit);
		if (!says_the_same(text, exact.bytes))
			buffer_print(out, " (%s)", exact.bytes);
	}
	buffer_free(&exact);
}

/* Of a number that panes draw as a share of its row, too. */
static void add_share(struct buffer *out, const struct schema *schema, const void *row,
		      const struct column *column)
{
	double whole = schema->percent_base && column->unit == UNIT_BYTES ? schema->percent_base(row) : NAN;
	double share = row_number(row, column) / whole;

	if (!isnan(share) && column != &schema->columns[schema->percent_column])
		buffer_print(out, ", %.1f %%", 100 * share);
}

/* The column that names a row to people; NULL: only its keys do. */
static const struct column *name_column(const struct schema *schema, const void *row)
{
	static const char *const keys[] = { "name", "command", "label" };

	for (unsigned i = 0; i < sizeof(keys) / sizeof(keys[0]); i++) {
		const struct column *column = schema_find(schema, keys[i]);

		if (column && column->type == VALUE_TEXT && column_has_value(column, row))
			return column;
	}
	return NULL;
}

/* "32669 panetop": its name, and the keys that are shown. */
static void add_row_name(struct buffer *out, const struct schema *schema, const void *row)
{
	const struct column *name = name_column(schema, row);

	for (unsigned i = 0; i < schema->n_columns; i++) {
		const struct column *column = &schema->columns[i];

		if (column->kind == COLUMN_KEY && !column->hidden && row_is_known(row, column) &&
		    column != name) {
			buffer_char(out, ' ');
			add_exact(out, column, row);
		}
	}
	if (!name)
		return;
	buffer_char(out, ' ');
	utf8_clean(out, column_words(name, row_text(row, name)), NAME_CELLS, false);
}

/* As programs name it. */
static void add_path(struct buffer *out, const struct asked *of)
{
	buffer_print(out, "%c%s.%s", PAGER_DIM, of->schema->name, of->column->key);
	for (unsigned i = 0; i < of->schema->n_columns; i++) {
		const struct column *column = &of->schema->columns[i];

		if (column->kind != COLUMN_KEY || !row_is_known(of->row, column))
			continue;
		buffer_print(out, ", %s ", column->key);
		add_exact(out, column, of->row);
	}
	buffer_char(out, '\n');
}

static void add_number(struct buffer *out, const struct asked *of)
{
	struct buffer row_name = { 0 };

	add_row_name(&row_name, of->schema, of->row);
	buffer_char(&row_name, '\0');
	buffer_print(out, *row_name.bytes ? _("*%s of%s\n") : "*%s\n", column_name(of->column),
		     row_name.bytes);
	buffer_free(&row_name);
	if (row_is_blank(of->row, of->column))
		buffer_text(out, _("not applicable to this row"));
	else if (!row_is_known(of->row, of->column))
		add_unknown(out, of->frame, of->schema, of->row, of->column);
	else
		add_value(out, of);
	add_share(out, of->schema, of->row, of->column);
	buffer_print(out, "\n%s: %s\n", _("What"), _(of->column->help));
	buffer_print(out, "%s: %s\n", _("From"), of->column->source);
	add_path(out, of);
}

static struct asked asked_of(const struct pane_context *context, const struct schema *schema,
			     const void *row, const struct column *column)
{
	const struct table *table = frame_table(context->frame, schema->name);

	return (struct asked){
		.frame = context->frame,
		.schema = schema,
		.row = row,
		.column = column,
		.format = { .unit = table ? size_unit_of_table(table, context->unit) : SIZE_AUTO },
	};
}

/* Of a row that is a sentence, or a name and its text, that is what one asks for. */
static const struct column *asked_column(const struct schema *schema, const struct column *under_cursor)
{
	const struct column *last = NULL;
	unsigned n_shown = 0, n_texts = 0;

	for (unsigned i = 0; i < schema->n_columns; i++) {
		const struct column *column = &schema->columns[i];

		if (column->prose)
			return column;
		if (column->hidden)
			continue;
		n_shown++;
		n_texts += column->type == VALUE_TEXT;
		last = column;
	}
	return n_shown == 2 && n_texts == 2 ? last : under_cursor;
}

static void add_selected(struct buffer *out, const struct pane_context *context)
{
	const struct table_widget *widget = &context->tables[context->focus];
	const struct schema *schema = widget->view.schema;
	const struct column *column;
	const void *row = table_cell(widget, &column), *origin = NULL;
	struct asked of;

	if (!row || !frame_table(context->frame, schema->name))
		return;
	column = asked_column(schema, column);
	if (context->pane->origin && !context->screen->compare.on)
		origin = context->pane->origin(context, row, &schema);
	if (origin && schema_find(schema, column->key))
		of = asked_of(context, schema, origin, schema_find(schema, column->key));
	else
		of = asked_of(context, widget->view.schema, row, column);
	of.format.cpus = widget->cpus;
	add_number(out, &of);
	if (context->screen->compare.on) {
		compare_why(context->screen, out);
		return;
	}
	if (column->of_cpu && widget->cpus > 0)
		buffer_print(out,
			     P_("Shown: as a share of %.0f CPU\n", "Shown: as a share of %.0f CPUs\n",
				(unsigned long)widget->cpus),
			     widget->cpus);
	if (context->pane->why_row && !origin)
		context->pane->why_row(context, row, out);
}

/* Unless it is there: numbers are drawn more than once. False: it is. */
static bool add_once(struct buffer *out, const struct asked *of)
{
	struct buffer path = { 0 };
	bool is_new;

	add_path(&path, of);
	is_new = !memmem(out->bytes, out->length, path.bytes, path.length);
	buffer_free(&path);
	if (!is_new)
		return false;
	buffer_char(out, '\n');
	add_number(out, of);
	return true;
}

void why_number(struct buffer *out, const struct schema *schema, const void *row, const char *key)
{
	const struct column *column = schema_known_column(schema, key);

	if (row_is_known(row, column))
		add_once(out, &(struct asked){ .schema = schema, .row = row, .column = column });
}

/* A number of a sentence that is in no table. */
static bool add_made(struct buffer *out, const struct origin *made)
{
	const struct fact fact = number_fact(made->number, made->unit);
	char number[FACT_TEXT_MAX];
	struct buffer text = { 0 };
	bool is_new;

	buffer_print(&text, "\n*%s\n%s: %s\n",
		     fact_text(number, &fact, span_text(made->unit == UNIT_NONE ? "0.2" : "")), _("From"),
		     made->from);
	is_new = !memmem(out->bytes, out->length, text.bytes, text.length);
	if (is_new)
		buffer_add(out, text.bytes, text.length);
	buffer_free(&text);
	return is_new;
}

static bool add_drawn(const struct origins *origins, const struct origin *drawn)
{
	const struct pane_context *context = origins->context;
	struct asked of;

	if (!drawn->column)
		return add_made(origins->out, drawn);
	if (row_is_blank(drawn->row, drawn->column))
		return false;
	of = asked_of(context, drawn->schema, drawn->row, drawn->column);
	return add_once(origins->out, &of);
}

/* The numbers of graphs. */
static void add_series(struct buffer *out, const struct pane_context *context)
{
	for (unsigned i = 0; i < context->pane->n_series; i++) {
		const struct series *series = &context->pane->series[i];
		const struct table *table = frame_table(context->frame, series->topic);
		const void *row = NULL;
		struct asked of;

		if (table && table->n_rows > 0)
			row = series->row ? table_find(table, series->row, NULL) : table_row(table, 0);
		if (!row)
			continue;
		of = asked_of(context, table->schema, row,
			      schema_known_column(table->schema, series->column));
		add_once(out, &of);
	}
}

/* Of the number under the cursor at its sample, in seconds. */
static double age_in_sample(const struct frame *frame, const struct table_widget *widget)
{
	const struct column *column;
	const void *row = table_cell(widget, &column);
	double age = 0;

	if (row && frame_table(frame, widget->view.schema->name) && column->aged_by)
		memcpy(&age, (const char *)row + column->aged_by, sizeof(age));
	return age > 0 ? age : 0;
}

/* The clocks of another boot do not go on. A sleep is known from the first sample after it on. */
static uint64_t age_of_sample(const struct screen *screen, const struct frame *frame)
{
	uint64_t now = frame->boot > 0 ? clock_wall_ns(screen->setup->clock) : screen_mono_ns(screen);
	uint64_t then = frame->boot > 0 ? frame->wall_ns : frame->mono_ns;

	if (now <= then)
		return 0;
	return frame->boot > 0 ? now - then : sleep_past_between_ns(&screen->marks.slept, then, now);
}

static void add_age(struct buffer *out, struct screen *screen, const struct frame *frame)
{
	uint64_t age_ns = screen_is_live(screen) ? age_of_sample(screen, frame) : 0;
	char time[CLOCK_TEXT_MAX];

	if (age_ns > 0)
		buffer_print(out, _("Age: %.1f s"),
			     (double)age_ns / 1e9 + age_in_sample(frame, screen_table(screen)));
	else
		buffer_print(out, _("Age: as recorded"));
	if (frame->interval_ns > 0)
		buffer_print(out, _("; rates are over %.3f s"), (double)frame->interval_ns / 1e9);
	if (screen->shows_earlier)
		buffer_print(out, _("\nRecorded by panetop-record on %s, before this screen began"),
			     clock_local(time, frame->wall_ns, "%F %H:%M:%S"));
	buffer_char(out, '\n');
}

/* The line of the terminal with the row under the cursor; -1: none. */
static int selected_line(const struct table_widget *widget)
{
	if (widget->heading_y < 0 || !widget->place.cursor_on || widget->place.row < widget->place.top)
		return -1;
	return widget->heading_y + 1 + (int)(widget->place.row - widget->place.top);
}

static void add_notices(struct buffer *out, const struct frame *frame)
{
	if (frame->n_notices > 0)
		buffer_print(out, "\n*%s\n", _("Notices"));
	for (unsigned i = frame->n_notices; i-- > 0;) {
		const struct notice *notice = &frame->notices[i];

		buffer_print(out, "%s\n", notice->text);
		if (notice->remedy)
			buffer_print(out, "  %s\n", notice->remedy);
	}
}

void pager_why(struct pane_context *context)
{
	struct screen *screen = context->screen;
	const struct frame *frame = screen_frame(screen);
	struct buffer *out = pager_open(screen, selected_line(screen_table(screen)));
	const struct origins origins = { .add = add_drawn, .out = out, .context = context };

	if (screen->message_warns && screen_mono_ns(screen) < screen->message_until_ns)
		buffer_print(out, "%s\n\n", screen->message);
	if (!navigation_lacks_table(context))
		add_selected(out, context);
	add_age(out, screen, frame);
	add_notices(out, frame);
	if (*screen->setup->faults)
		buffer_print(out, "\n*%s\n%s", _("Reported at the start"), screen->setup->faults);
	if (context->pane->why && !screen->compare.on)
		context->pane->why(context, out);
	chrome_collect(screen, &origins); /* the numbers beside the tables, which the cursor cannot reach */
	add_series(out, context);
}
