/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Drawing of the memory pane: as much of the answer as the screen has lines for. */
#include <config.h>

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "core/clock.h"
#include "core/utf8.h"
#include "model/scope.h"
#include "pane/memory/memory.h"
#include "pane/processes.h"

#define MEMORY_PARTS 4

static double scope_number(const struct pane_context *context, const char *column)
{
	return frame_number(context->frame, "scope_use", NULL, column);
}

const void *memory_scope_row(const struct pane_context *context)
{
	const struct table *table =
		scope_is_set(context->request->scope) ? frame_table(context->frame, "scope_use") : NULL;

	return table && table->n_rows > 0 ? table_row(table, 0) : NULL;
}

static double machine_bytes(const struct pane_context *context)
{
	return frame_number(context->frame, "memory", "mem", "total_bytes");
}

/* What it has is made of; returns how many parts. */
static unsigned memory_scope_parts(const struct pane_context *context, struct graph_part parts[MEMORY_PARTS])
{
	static const struct {
		char letter;
		const char *group, *processes, *column;
	} all[MEMORY_PARTS] = {
		{ 'A', N_("anonymous"), N_("anonymous"), "anonymous_bytes" },
		{ 'K', N_("kernel"), NULL, "kernel_bytes" },
		{ 'c', N_("file"), N_("mapped files, shared"), "file_bytes" },
		{ 'o', N_("other"), NULL, "other_bytes" },
	};
	const char *basis = table_text(frame_table(context->frame, "scope_use"), memory_scope_row(context),
				       "basis");
	bool of_group = strcmp(basis, SCOPE_OF_GROUP) == 0;
	unsigned n = 0;

	for (unsigned i = 0; i < MEMORY_PARTS; i++)
		if (of_group || all[i].processes)
			parts[n++] = (struct graph_part){ all[i].letter, i,
							  _(of_group ? all[i].group : all[i].processes), 0,
							  scope_number(context, all[i].column) };
	return n;
}

#define OF_GROUP "basis == " SCOPE_OF_GROUP

static const struct remark verdicts[] = {
	{ "not memory_bytes", N_("How much memory the scope has is not known."), .level = GRADE_UNKNOWN },
	{ OF_GROUP ", limit_used_ratio",
	  N_("It has {memory_bytes}, and uses {limit_used_ratio:%} of its limit of {limit_bytes} without "
	     "cache that can be dropped.") },
	{ OF_GROUP,
	  N_("It has {memory_bytes}, page cache included: {machine_ratio:%} of the machine. No limit of its "
	     "own."),
	  .level = GRADE_UNKNOWN },
	{ NULL, PN_("{processes} process has {memory_bytes} resident.",
		    "{processes} processes have {memory_bytes} resident: a shared page counts once for "
		    "each."),
	  "processes", .level = GRADE_UNKNOWN },
};

static const struct remark stories[] = {
	{ OF_GROUP, N_("A page is charged to the control group that used it first.") },
	{ "proportional_bytes",
	  N_("{proportional_bytes} with each shared page split among the processes that map it (PSS); kernel "
	     "memory and unmapped cache are left out.") },
	{ NULL, N_("Shared pages count in each process; kernel memory and unmapped cache are left out. PSS "
		   "(view Processes) splits shared pages.") },
};

/* Is it near its limit? Adds a translated sentence; without a limit the grade is not known. */
static int memory_scope_verdict(struct buffer *out, const struct pane_context *context)
{
	const struct made_fact machine = {
		"machine_ratio",
		number_fact(scope_number(context, "memory_bytes") / machine_bytes(context), UNIT_RATIO),
		"memory_bytes / memory.mem.total_bytes"
	};
	const struct row_facts facts = { { row_fact }, frame_table(context->frame, "scope_use"),
					 memory_scope_row(context), &machine, 1, context->frame };
	enum grade grade = grade_of_rules(context->frame, RULES_OF_GROUP_MEMORY, true);
	int level = remarks_say(out, REMARKS(verdicts), &facts.facts);

	return grade > GRADE_CALM ? (int)grade : level;
}

#define LINES_FOR_NODE_STORY 6 /* from this height on there is the first sentence, … */
#define LINES_FOR_NODES 12 /* … the others, and the table of nodes, of at most … */
#define NODES_PART 2 /* … this part of the height … */
#define LINES_FOR_THREADS 30
#define THREADS_PART 4 /* … and of threads */

static int draw_node_story(const struct pane_context *context, const struct canvas *canvas)
{
	struct buffer text = BUFFER_HERE;
	int lines;

	node_story(&text, context_table(context, MEMORY_TABLE_NODE),
		   context_table(context, MEMORY_TABLE_LOCALITY), canvas->height >= LINES_FOR_NODES);
	lines = canvas_wrapped(canvas, 0, STYLE_STRONG, span_of(text.bytes, text.length));
	buffer_free(&text);
	return lines;
}

static void draw_node_views(const struct pane_context *context, struct canvas *canvas)
{
	int y = canvas->height >= LINES_FOR_NODE_STORY ? draw_node_story(context, canvas) : 0;
	int threads = canvas->height >= LINES_FOR_THREADS ? canvas->height / THREADS_PART : 0;
	int nodes = table_height(&context->tables[MEMORY_TABLE_NODE]), most = canvas->height / NODES_PART;
	struct canvas part;

	if (canvas->height >= LINES_FOR_NODES) {
		nodes = nodes < most ? nodes : most;
		part = canvas_rows(canvas, y, nodes);
		context_draw_table(context, &part, MEMORY_TABLE_NODE);
		y += nodes;
	}
	part = canvas_rows(canvas, y, canvas->height - y - threads);
	context_draw_titled(context, &part, MEMORY_TABLE_LOCALITY,
			    _("largest processes: is their memory on the nodes where they run?"));
	part = canvas_rows(canvas, canvas->height - threads, threads);
	if (threads > 0)
		context_draw_titled(context, &part, MEMORY_TABLE_NODE_THREAD,
				    _("threads that wander from node to node"));
}

static void draw_shares(const struct pane_context *context, struct canvas *canvas)
{
	context_draw_titled(context, canvas, MEMORY_TABLE_NODE_PROCESS,
			    _("memory and CPU time of processes by node"));
}

static void count_pages(struct pane_context *context, unsigned index)
{
	struct table_widget *widget = &context->tables[context->focus];
	const struct table *table = context_table(context, context->focus);
	struct sample_request *request = context_request(context);
	const struct column *column;
	const void *row = table ? table_cell(widget, &column) : NULL;

	(void)index;
	if (!row)
		return;
	request->counted =
		(struct process_choice){ .is_set = true,
					 .pid = (uint32_t)table_number(table, row, "pid"),
					 .start_seconds = table_number(table, row, "start_seconds") };
	request->n_counted++;
	screen_message(context->screen, MESSAGE_PANE, _("counting the pages of %s (%u) by node..."),
		       table_text(table, row, "command"), request->counted.pid);
	screen_sample_now(context);
}

static void show_actions(struct pane_context *context)
{
	const struct table *table;
	const void *row = process_select_row(context, &table);
	struct menu_item item = {
		.help = _("numa_maps: exact; its mmap and munmap calls wait meanwhile, 20 ms per GiB")
	};
	char text[TEXT_MAX];

	if (!row || !schema_find(table->schema, "pid") || !schema_find(table->schema, "command")) {
		process_warn_unselected(context);
		return;
	}
	snprintf(text, sizeof(text), _("Count all pages of %s (%.0f)"), table_text(table, row, "command"),
		 table_number(table, row, "pid"));
	item.text = text;
	screen_menu(context, _("Actions"), &item, 1, 0, count_pages);
}

static const struct pane_action node_actions[] = {
	{ ACTION_OPEN, process_open_selected, NULL,
	  N_("open the selected process: all that is known of it") },
	{ ACTION_ACT, show_actions, NULL,
	  N_("menu of actions: count all pages of the selected process, not only a sample") },
	{ 0 },
};

#define NARROW 30
#define SWAP_LINES 5 /* at least, where there is room: a title, headings, why there is no row */
#define BAR_CELLS_MIN 8
#define KEY_CELLS 2
#define GRAPH_LINES_MIN 3
#define GRAPH_LINES_MAX 12
#define SLOPE_NOTABLY (1.0 / 1000) /* of the memory, in a minute */
#define SLOPE_SECONDS 60
#define SLOPE_SECONDS_MIN 5
#define SLOPE_SECONDS_FOR_MINUTE 30 /* a shorter time says nothing about a minute */

/* From these heights on there is … */
#define LINES_FOR_PARTS 3
#define LINES_FOR_RATES 8
#define LINES_FOR_STORY 12
#define LINES_FOR_BAR 12
#define LINES_FOR_GRAPH 16
#define LINES_FOR_STORIES 20 /* a second line for it */
#define LINES_FOR_MORE_GRAPH 26

enum look { LOOK_ANONYMOUS, LOOK_KERNEL, LOOK_CACHES, LOOK_OTHERS };

/* What rows of the frame have. */
static struct row_facts frame_facts(const struct pane_context *context)
{
	return (struct row_facts){ { row_fact }, .frame = context->frame };
}

/* Of what is shown: of the machine, or the limit of the control group of the scope. */
static double total_bytes(const struct pane_context *context)
{
	double limit = memory_scope_row(context) ? scope_number(context, "limit_bytes") : NAN;

	return limit > 0 ? limit : machine_bytes(context);
}

/* Returns how many there are. */
static unsigned fill_parts(const struct pane_context *context, struct graph_part *parts)
{
	if (memory_scope_row(context))
		return memory_scope_parts(context, parts);
	parts[0] = (struct graph_part){ 'A', LOOK_ANONYMOUS, _("anonymous"), MEMORY_SERIES_ANONYMOUS, 0 };
	parts[1] = (struct graph_part){ 'K', LOOK_KERNEL, _("kernel"), MEMORY_SERIES_KERNEL, 0 };
	parts[2] = (struct graph_part){ 'c', LOOK_CACHES, _("cache"), MEMORY_SERIES_CACHES, 0 };
	parts[3] = (struct graph_part){ 'o', LOOK_OTHERS, _("other"), MEMORY_SERIES_OTHERS, 0 };
	for (unsigned i = 0; i < MEMORY_PARTS; i++) {
		const struct series *series = &memory_series[parts[i].series];

		parts[i].value = frame_number(context->frame, series->topic, series->row, series->column);
	}
	return MEMORY_PARTS;
}

static void collect(const struct pane_context *context, struct memory_facts *facts)
{
	const char *unwatched = NULL;

	if (!context_table(context, MEMORY_TABLE_PRESSURE))
		unwatched = context->tables[MEMORY_TABLE_PRESSURE].absent;
	if (!context_table(context, MEMORY_TABLE_RECLAIM))
		unwatched = context->tables[MEMORY_TABLE_RECLAIM].absent;
	memory_facts_make(facts, context->frame, unwatched);
}

/* Not of calm while a group is in want of memory, of which the verdict does not speak. */
static int draw_level(const struct pane_context *context, const struct canvas *canvas, int y, int grade)
{
	static const char *const words[] = { N_("OK"), N_("HIGH"), N_("BAD"), N_("BAD") };
	struct buffer group = BUFFER_HERE;
	enum grade of_group = memory_group_story(&group, context->frame, memory_scope_row(context) != NULL);
	enum style calm = of_group > GRADE_CALM ? STYLE_NORMAL : STYLE_OK;

	buffer_free(&group);
	return grade == GRADE_UNKNOWN
		       ? canvas_text(canvas, y, 0, STYLE_DIM, "-", -1)
		       : canvas_text(canvas, y, 0, graph_grade_style((enum grade)grade, calm),
				     _(words[grade]), -1);
}

static int draw_verdict(const struct pane_context *context, const struct canvas *canvas, int y,
			const struct memory_facts *facts)
{
	bool scoped = memory_scope_row(context) != NULL;
	struct buffer text = BUFFER_HERE;
	int grade = scoped ? memory_scope_verdict(&text, context) : memory_verdict(&text, facts);
	int x = scoped && grade == GRADE_UNKNOWN ? 0 : draw_level(context, canvas, y, grade) + CANVAS_GAP;

	buffer_char(&text, '\0');
	canvas_cut(canvas, y, x, STYLE_NORMAL,
		   !scoped && !context_table(context, MEMORY_TABLE_MEMORY)
			   ? context->tables[MEMORY_TABLE_MEMORY].absent
			   : text.bytes,
		   canvas->width - x);
	buffer_free(&text);
	return grade;
}

/* A group in want of memory stands first, in its own colour: the machine may have enough. */
static void draw_story(const struct pane_context *context, const struct canvas *canvas, enum style style,
		       struct span story)
{
	struct buffer group = BUFFER_HERE;
	enum grade grade = memory_group_story(&group, context->frame, memory_scope_row(context) != NULL);
	int y = canvas_wrapped_lines(canvas, 0, graph_grade_style(grade, STYLE_NORMAL),
				     span_of(group.bytes, group.length));
	struct canvas rest = canvas_below(canvas, y);

	if (rest.height > 0 && span_length(story) > 0)
		canvas_wrapped(&rest, 0, style, story);
	buffer_free(&group);
}

/* The same of a scope: the size is the answer. */
static void draw_short_scope(const struct pane_context *context, const struct canvas *canvas)
{
	double bytes = frame_number(context->frame, "scope_use", NULL, "memory_bytes");
	struct row_facts facts = frame_facts(context);
	struct graph_part parts[MEMORY_PARTS];
	unsigned n_parts = fill_parts(context, parts);

	draw_text(canvas, 0, 0, STYLE_STRONG, N_("in scope: {scope_use.memory_bytes:short}"), &facts.facts);
	if (bytes > 0)
		graph_bar(canvas, 1, 0, canvas->width, parts, n_parts, bytes);
}

/* The whole answer, for screens where little else fits. */
static void draw_short(const struct pane_context *context, const struct canvas *canvas)
{
	static const struct remark swap = { "memory.swap.used_bytes > 0",
					    N_("swap {memory.swap.used_bytes:short} used") };
	struct buffer text = BUFFER_HERE;
	struct memory_facts facts;
	const struct facts *of = &facts.of.facts;
	struct graph_part parts[MEMORY_PARTS];
	struct canvas rest;
	int x, y = 2;

	collect(context, &facts);
	x = draw_level(context, canvas, 0, memory_verdict(&text, &facts)) + 1;
	if (sentence_holds("left_ratio", of)) {
		draw_text(canvas, 0, x, STYLE_NORMAL, N_("{left_ratio:%} left"), of);
		fill_parts(context, parts);
		graph_bar(canvas, 1, 0, canvas->width, parts, MEMORY_PARTS, total_bytes(context));
		y += draw_remarks(canvas, y, STYLE_NORMAL, &swap, 1, of);
		rest = canvas_below(canvas, y);
		process_rows_draw_short(context, &rest, MEMORY_TABLE_PROCESS, "resident_bytes", size_short);
	}
	buffer_free(&text);
}

static void swap_words(const struct pane_context *context, char text[TEXT_MAX])
{
	struct row_facts facts = frame_facts(context);

	const char *form = _("swap {memory.swap.used_bytes:short}[ of {memory.swap.total_bytes:short}]");

	if (memory_scope_row(context))
		form = _("swap {scope_use.swapped_bytes:short}");
	else if (sentence_holds("memory.swap.total_bytes == 0", &facts.facts))
		form = _("swap none");
	sentence_text(text, form, &facts.facts);
}

/* "mem ██▓▒·· 23.5G  swap none": a bar of the machine, or of the limit of the scope. */
static void draw_whole(const struct pane_context *context, const struct canvas *canvas, int y)
{
	struct graph_part parts[MEMORY_PARTS];
	unsigned n_parts = fill_parts(context, parts);
	const char *name = memory_scope_row(context) ? _("scope") : _("mem");
	char size[VALUE_TEXT_MAX], swap[TEXT_MAX];
	int x = canvas_piece(canvas, y, 0, STYLE_STRONG, name), width = canvas->width - x;

	size_short(size, total_bytes(context));
	swap_words(context, swap);
	width -= utf8_cells(size, canvas->ascii) + utf8_cells(swap, canvas->ascii) + 1 + CANVAS_GAP;
	if (width >= BAR_CELLS_MIN) {
		graph_bar(canvas, y, x, width, parts, n_parts, total_bytes(context));
		x += width + 1;
	}
	x = canvas_piece(canvas, y, x, STYLE_NORMAL, size);
	canvas_piece(canvas, y, x, STYLE_NORMAL, swap);
}

/* "█ anonymous 482M  ▓ kernel 49M  …  free 22.1G" below the bar; else swap, and no colours. */
static void draw_parts(const struct pane_context *context, const struct canvas *canvas, int y, bool below)
{
	struct row_facts facts = frame_facts(context);
	struct graph_part parts[MEMORY_PARTS];
	char text[TEXT_MAX], size[VALUE_TEXT_MAX];
	unsigned n_parts = fill_parts(context, parts);
	int x = 0, key = below ? KEY_CELLS : 0, end;

	for (unsigned i = 0; i < n_parts; i++) {
		snprintf(text, sizeof(text), "%s %s", parts[i].label, size_short(size, parts[i].value));
		end = canvas_piece(canvas, y, x + key, STYLE_NORMAL, text);
		if (end == x + key)
			break;
		if (below)
			graph_key(canvas, y, x, &parts[i]);
		x = end;
	}
	swap_words(context, text);
	if (!below)
		canvas_piece(canvas, y, x, STYLE_NORMAL, text);
	else if (!memory_scope_row(context))
		draw_piece(canvas, y, x, STYLE_NORMAL, N_("free {memory.mem.free_bytes:short}"),
			   &facts.facts);
}

/* A second bar for the limit of a container: its use, with caches separate. */
static int draw_limit(const struct pane_context *context, const struct canvas *canvas, int y,
		      const char *resource)
{
	const struct table *table = context_table(context, MEMORY_TABLE_LIMIT);
	const void *row = memory_nearest_limit(table, resource);
	struct graph_part parts[2] = { { 'u', LOOK_ANONYMOUS, "", 0, 0 }, { 'c', LOOK_CACHES, "", 0, 0 } };
	struct row_facts facts = { { row_fact }, table, row };
	double limit, used, caches;
	int x;

	if (!row)
		return y;
	limit = table_number(table, row, "limit_bytes");
	used = table_number(table, row, "used_bytes");
	caches = table_number(table, row, "caches_bytes");
	x = draw_text(canvas, y, 0, STYLE_STRONG,
		      N_("{resource} limit {limit_bytes:short}: used {used_bytes:short}, "
			 "free {free_bytes:short}"),
		      &facts.facts);
	parts[1].value = isnan(caches) ? 0 : fmin(caches, used);
	parts[0].value = used - parts[1].value;
	if (limit > 0 && !isnan(used) && canvas->width - x > 12)
		graph_bar(canvas, y, x + 1, canvas->width - x - 1, parts, 2, limit);
	return y + 1;
}

/* What compressed swap takes of memory, by device. */
static int draw_compressed(const struct pane_context *context, const struct canvas *canvas, int y)
{
	const struct table *table = context_table(context, MEMORY_TABLE_SWAP);
	int x = 0;

	for (size_t i = 0; table && i < table->n_rows; i++) {
		struct row_facts facts = { { row_fact }, table, table_row(table, i) };
		bool has_size = sentence_holds("kind == zram", &facts.facts);

		if (has_size || sentence_holds("kind == zswap, stored_bytes", &facts.facts))
			x = draw_piece(canvas, y, x, STYLE_NORMAL,
				       has_size ? N_("{device} {used_bytes:short} of {size_bytes:short}"
						     "[ in {memory_bytes:short} of memory]"
						     "[, {compression_ratio:.1} to 1]")
						: N_("{device} {stored_bytes:short} in {memory_bytes:short} "
						     "of memory[, {compression_ratio:.1} to 1]"),
				       &facts.facts);
	}
	return x > 0 ? y + 1 : y;
}

#define WAITING 3 /* index of the piece that is marked, and left out where it is unknown */

static void draw_rates(const struct pane_context *context, const struct canvas *canvas, int y)
{
	static const char *const of_scope[] = {
		N_("read {scope_use.read_bytes_per_second:short}"),
		N_("write {scope_use.write_bytes_per_second:short}"),
		N_("refault {scope_use.refaults_per_second}"),
		N_("waiting: some {scope_use.stalled_ratio:.2%}"),
		NULL,
	};
	static const char *const of_machine[] = {
		N_("page-in {paging.page_in_bytes_per_second:short}"),
		N_("refault {paging.refaults_per_second}"),
		N_("swap-in {paging.swap_ins_per_second}"),
		N_("waiting: some {pressure.memory/some.avg10_ratio:.2%}"
		   "[  all {pressure.memory/full.avg10_ratio:.2%}]"),
		N_("scan {paging.scans_per_second}"),
		NULL,
	};
	bool scoped = memory_scope_row(context) != NULL;
	const char *const *pieces = scoped ? of_scope : of_machine;
	struct row_facts facts = frame_facts(context);
	const struct table *pressure = context_table(context, MEMORY_TABLE_PRESSURE);
	double waits = scoped ? frame_number(context->frame, "scope_use", NULL, "stalled_ratio")
			      : table_number(pressure, table_find(pressure, "memory", "some"), "avg10_ratio");
	enum grade grade = grade_of_rules(context->frame, scoped ? "group_refaults" : "memory_short", scoped);
	enum style style = graph_grade_style(grade, STYLE_NORMAL);
	int x = 0;

	for (unsigned i = 0; pieces[i]; i++)
		if (i != WAITING || !isnan(waits))
			x = draw_piece(canvas, y, x, i == WAITING ? style : STYLE_NORMAL, pieces[i],
				       &facts.facts);
}

/* How fast used memory grows, and who it is: "+1.2 GiB/min, python3 3376 most of it". */
static void slope_words(const struct pane_context *context, bool with_name, char *text)
{
	const struct memory_state *memory = context->state;
	const struct table *processes = context_table(context, MEMORY_TABLE_PROCESS);
	struct memory_grower grower = memory_growth_most(&memory->growth, context->frame);
	uint64_t now = context->frame->mono_ns, minute = SLOPE_SECONDS * UINT64_C(1000000000);
	struct made_fact made[] = {
		{ "slope", { .unit = UNIT_BYTES }, "60 s * growth of used memory / time" },
		{ "seconds", { .number = NAN } },
	};
	unsigned series = memory_used_series(context);
	struct history_span span, other; /* as old as what is known of processes */
	const void *row = NULL;
	const char *form;
	bool grows;

	*text = '\0';
	if (!history_between(&context->history, series, now > minute ? now - minute : 0, now, &span) ||
	    span.seconds < SLOPE_SECONDS_MIN)
		return;
	made[0].fact.number = 60 * (span.last - span.first) / span.seconds;
	if (fabs(made[0].fact.number) < SLOPE_NOTABLY * total_bytes(context))
		return;
	if (span.seconds < SLOPE_SECONDS_FOR_MINUTE) {
		made[0].fact.number = span.last - span.first;
		made[0].from = "growth of used memory";
		made[1].fact.number = span.seconds;
	}
	grows = made[0].fact.number > 0;
	if (with_name && grows && grower.row && !memory_scope_row(context) &&
	    history_between(&context->history, series, grower.since_ns, now, &other) &&
	    2 * grower.bytes > other.last - other.first)
		row = grower.row;
	if (isnan(made[1].fact.number))
		form = grows ? _("+{slope:short}/min[, {name} {pid} most of it]") : _("{slope:short}/min");
	else
		form = grows ? _("+{slope:short} in {seconds:.0} s[, {name} {pid} most of it]")
			     : _("{slope:short} in {seconds:.0} s");
	sentence_text(text, form, &(const struct row_facts){ { row_fact }, processes, row, made, 2 }.facts);
}

#define GIB 1073741824.0

/* With more digits than size_short(), for the ends of an axis that are near each other. */
static char *size_fine(char *out, double bytes)
{
	if (bytes < GIB || isnan(bytes))
		return size_short(out, bytes);
	if (bytes < 1024 * GIB)
		snprintf(out, VALUE_TEXT_MAX, "%.2fG", bytes / GIB);
	else
		snprintf(out, VALUE_TEXT_MAX, "%.3fT", bytes / (1024 * GIB));
	return out;
}

static void draw_used_rule(const struct pane_context *context, const struct canvas *canvas,
			   const struct graph_line_scale *scale, double used)
{
	char title[TEXT_MAX], slope[TEXT_MAX], sizes[4][VALUE_TEXT_MAX];

	if (scale->least > 0)
		snprintf(title, sizeof(title), _("%s %s: %s to %s of %s"), memory_used_words(context),
			 size_fine(sizes[0], used), size_fine(sizes[1], scale->least),
			 size_fine(sizes[2], scale->most), size_short(sizes[3], total_bytes(context)));
	else if (scale->most >= total_bytes(context))
		snprintf(title, sizeof(title), _("%s %s of %s"), memory_used_words(context),
			 size_short(sizes[0], used), size_short(sizes[3], total_bytes(context)));
	else
		snprintf(title, sizeof(title), _("%s %s: 0 to %s of %s"), memory_used_words(context),
			 size_short(sizes[0], used), size_short(sizes[2], scale->most),
			 size_short(sizes[3], total_bytes(context)));
	slope_words(context, true, slope);
	if (utf8_cells(title, canvas->ascii) + utf8_cells(slope, canvas->ascii) > canvas->width - 10)
		slope_words(context, false, slope);
	canvas_rule(canvas, 0, title, slope);
}

/* The parts from zero on; or used memory alone, from zero on or on an axis that fits its range. */
static void draw_graph(const struct pane_context *context, const struct canvas *canvas)
{
	struct canvas rest = canvas_rows(canvas, 1, canvas->height), plot = graph_area_plot(&rest);
	unsigned series = memory_used_series(context);
	struct graph_line_scale scale = {
		.now_ns = context->frame->mono_ns,
		.span_seconds = memory_span(context),
		.step_seconds = context_step_seconds(context),
		.style = STYLE_SERIES + LOOK_CACHES,
		.most = total_bytes(context),
	};
	struct graph_range range = graph_line_range(&plot, &context->history, series, &scale);
	struct levels_range fit = levels_fit(range.least, range.most, scale.most);
	bool fits = context->settings->memory.axis;
	struct graph_part parts[MEMORY_PARTS];
	char label[VALUE_TEXT_MAX];

	if (canvas->height < 1 + GRAPH_LINES_MIN || isnan(scale.most))
		return;
	if (!fits && !memory_scope_row(context)) {
		struct graph_scale stacked = { MEMORY_SERIES_TOTAL, size_short(label, scale.most),
					       scale.now_ns, scale.span_seconds, scale.step_seconds };

		fill_parts(context, parts);
		graph_stacked(&rest, &context->history, parts, MEMORY_PARTS, &stacked);
	} else {
		if (fits)
			scale.least = fit.bottom;
		if (fits || !(scope_number(context, "limit_bytes") > 0))
			scale.most = fit.top;
		graph_area(&rest, &context->history, series, &scale,
			   scale.least > 0 ? size_fine : size_short);
	}
	draw_used_rule(context, canvas, &scale, range.latest);
}

static void processes_title(const struct pane_context *context, char *text, size_t room)
{
	const struct table *processes = context_table(context, MEMORY_TABLE_PROCESS);
	const struct view *view = &context->tables[MEMORY_TABLE_PROCESS].view;
	unsigned long growing = 0, n_known = 0;

	for (size_t i = 0; processes && i < view->n_rows; i++) {
		double growth = table_number(processes, view->rows[i], "growth_bytes_per_second");

		growing += growth > 0;
		n_known += isnan(growth) ? 0 : 1;
	}
	if (!processes || (view->n_rows > 0 && n_known == 0))
		snprintf(text, room, "%s", _("who has it"));
	else
		snprintf(text, room, P_("who has it: %lu grows now", "who has it: %lu grow now", growing),
			 growing);
}

static void draw_processes(const struct pane_context *context, struct canvas *canvas)
{
	char title[TEXT_MAX];

	processes_title(context, title, sizeof(title));
	context_draw_titled(context, canvas, MEMORY_TABLE_PROCESS, title);
}

static int graph_lines(int height)
{
	int lines = height < LINES_FOR_MORE_GRAPH ? GRAPH_LINES_MIN : height / 5;

	return height < LINES_FOR_GRAPH ? 0 : 1 + (lines < GRAPH_LINES_MAX ? lines : GRAPH_LINES_MAX);
}

static void draw_summary(const struct pane_context *context, const struct canvas *canvas)
{
	int height = canvas->height, y = 0, lines, grade;
	bool scoped = memory_scope_row(context) != NULL;
	struct memory_facts facts;
	struct buffer story = BUFFER_HERE;
	/* by what its memory is counted, and what is not in it */
	const struct row_facts of_scope = { { row_fact }, frame_table(context->frame, "scope_use"),
					    memory_scope_row(context) };
	struct canvas part;

	collect(context, &facts);
	grade = draw_verdict(context, canvas, y++, &facts);
	if (height >= LINES_FOR_BAR)
		draw_whole(context, canvas, y++);
	if (height >= LINES_FOR_PARTS)
		draw_parts(context, canvas, y++, height >= LINES_FOR_BAR);
	if (height >= LINES_FOR_RATES && !scoped) {
		y = draw_limit(context, canvas, y, "memory");
		y = draw_limit(context, canvas, y, "swap");
		y = draw_compressed(context, canvas, y);
	}
	part = canvas_rows(canvas, y, graph_lines(height));
	draw_graph(context, &part);
	y += part.height;
	if (height >= LINES_FOR_RATES)
		draw_rates(context, canvas, y++);
	lines = height < LINES_FOR_STORY ? 0 : height < LINES_FOR_STORIES ? 1 : 2;
	part = canvas_rows(canvas, y, lines);
	if (scoped)
		remarks_say(&story, REMARKS(stories), &of_scope.facts);
	else
		memory_story(&story, &facts);
	draw_story(context, &part, grade > GRADE_CALM ? STYLE_STRONG : STYLE_NORMAL,
		   span_of(story.bytes, story.length));
	buffer_free(&story);
	part = canvas_below(canvas, y + lines);
	draw_processes(context, &part);
}

/* Draws a table that no scope limits, and says so. */
static void draw_of_machine(const struct pane_context *context, const struct canvas *canvas, unsigned table,
			    const char *title)
{
	char text[TEXT_MAX];

	snprintf(text, sizeof(text), _("of the machine: %s"), title);
	context_draw_titled(context, canvas, table, memory_scope_row(context) ? text : title);
}

/* The meaning of the selected line in full. */
static void draw_meaning(const struct pane_context *context, const struct canvas *canvas)
{
	const struct table *table = context_table(context, MEMORY_TABLE_MEMINFO);
	const struct table_widget *widget = &context->tables[MEMORY_TABLE_MEMINFO];
	const struct column *column;
	const void *row = table ? table_cell(widget, &column) : NULL;
	char text[TEXT_MAX];

	if (!row)
		return;
	snprintf(text, sizeof(text), "%s: %s", table_text(table, row, "key"),
		 _(table_text(table, row, "meaning")));
	canvas_wrapped(canvas, 0, STYLE_STRONG, span_text(text));
}

/* The part of Cached that can be dropped, and the part that is shared memory and tmpfs. */
static void draw_extended(const struct pane_context *context, struct canvas *canvas)
{
	static const struct remark parts = {
		"memory.mem.page_cache_bytes",
		N_("Cached {meminfo.Cached.value_bytes} = {memory.mem.page_cache_bytes} page cache of files "
		   "+ {meminfo.Shmem.value_bytes} shared memory and tmpfs, which cannot be dropped")
	};
	struct row_facts facts = frame_facts(context);
	int below = canvas->height > LINES_FOR_STORY ? 2 : 0;
	struct canvas rest = canvas_rows(canvas, 0, canvas->height - below);
	struct canvas bottom = canvas_rows(canvas, canvas->height - below, below);

	if (canvas->height > LINES_FOR_STORY)
		rest = canvas_rows(&rest, draw_remarks(canvas, 0, STYLE_NORMAL, &parts, 1, &facts.facts),
				   rest.height);
	draw_of_machine(context, &rest, MEMORY_TABLE_MEMINFO, _("every line of /proc/meminfo"));
	draw_meaning(context, &bottom);
}

/* The formulas in full, and what no line accounts for. */
static void draw_checks(const struct pane_context *context, struct canvas *canvas)
{
	static const struct remark sums[] = {
		{ "error_bytes < 0", N_("{formula}: {off_bytes} not accounted for"), .level = STYLE_NORMAL },
		{ "error_bytes > 0", N_("{formula}: {off_bytes} too much"), .level = STYLE_NORMAL },
		{ "error_bytes", N_("{formula}: exact"), .level = STYLE_DIM },
		{ NULL, N_("{formula}: not known"), .level = STYLE_DIM },
	};
	const struct table_widget *widget = &context->tables[MEMORY_TABLE_CHECK];
	const struct table *checks = context_table(context, MEMORY_TABLE_CHECK);
	struct canvas table = canvas_rows(canvas, 0, table_height(widget) + 1);
	struct buffer text = BUFFER_HERE;
	int y = table.height + 1, style;

	draw_of_machine(context, &table, MEMORY_TABLE_CHECK, _("do the lines of /proc/meminfo add up?"));
	for (size_t i = 0; i < widget->view.n_rows; i++) {
		const void *row = widget->view.rows[i];
		double bytes = fabs(table_number(checks, row, "error_bytes"));
		struct made_fact off = { "off_bytes", { .number = bytes, .unit = UNIT_BYTES },
					 "error_bytes without its sign" };
		struct row_facts facts = { { row_fact }, checks, row, &off, 1 };

		buffer_empty(&text);
		style = remarks_say(&text, REMARKS(sums), &facts.facts);
		y += canvas_wrapped(canvas, y, (enum style)style, span_of(text.bytes, text.length));
	}
	buffer_free(&text);
}

static void draw_paging(const struct pane_context *context, struct canvas *canvas)
{
	int below = table_height(&context->tables[MEMORY_TABLE_PRESSURE]) + 1;
	bool both = canvas->height >= below + LINES_FOR_RATES;
	struct canvas top = canvas_rows(canvas, 0, canvas->height - (both ? below : 0));
	struct canvas bottom = canvas_rows(canvas, canvas->height - below, below);

	draw_of_machine(context, &top, MEMORY_TABLE_RECLAIM, _("paging and reclaim, since boot and now"));
	if (both)
		draw_of_machine(context, &bottom, MEMORY_TABLE_PRESSURE,
				_("pressure (PSI): time that tasks waited"));
}

static void draw_swap(const struct pane_context *context, struct canvas *canvas)
{
	int most = canvas->height / 2, lines = table_height(&context->tables[MEMORY_TABLE_SWAP]) + 2;
	struct canvas top, rest;

	lines = lines < SWAP_LINES ? SWAP_LINES : lines;
	top = canvas_rows(canvas, 0, lines < most ? lines : most);
	rest = canvas_below(canvas, top.height);
	draw_of_machine(context, &top, MEMORY_TABLE_SWAP, _("devices and files used as swap"));
	draw_processes(context, &rest);
}

static double read_since(const struct pane_context *context, uint64_t from_ns)
{
	struct history_span span = { .first = NAN };

	history_between(&context->history, MEMORY_SERIES_PAGE_IN, from_ns, context->frame->mono_ns, &span);
	return span.last - span.first;
}

static int draw_regrowth(const struct pane_context *context, const struct canvas *canvas)
{
	static const struct remark regrowth = {
		NULL, N_("Dropped at {time}: caches {before_bytes} -> {after_bytes}. In the {seconds} s "
			 "since: grown to {memory.mem.caches_bytes}, {read_bytes} read in.")
	};
	const struct memory_drop *drop = &((const struct memory_state *)context->state)->drop;
	uint64_t now_ns = context->frame->mono_ns;
	char when[CLOCK_TEXT_MAX];
	const struct made_fact made[] = {
		{ "time", { .text = clock_local(when, drop->wall_ns, "%H:%M:%S") } },
		{ "before_bytes", { .number = drop->before_bytes, .unit = UNIT_BYTES },
		  "memory.mem.caches_bytes when the caches were dropped" },
		{ "after_bytes", { .number = drop->after_bytes, .unit = UNIT_BYTES },
		  "memory.mem.caches_bytes after that" },
		{ "seconds", { .number = (double)(now_ns - drop->mono_ns) / 1e9 } },
		{ "read_bytes", number_fact(read_since(context, drop->mono_ns), UNIT_BYTES),
		  "growth of paging.page_in_bytes since then" },
	};
	const struct row_facts facts = { { row_fact }, .made = made, .n_made = 5, .frame = context->frame };

	return draw_remarks(canvas, 0, STYLE_STRONG, &regrowth, 1, &facts.facts);
}

static void draw_readers(const struct pane_context *context, struct canvas *canvas)
{
	const struct memory_state *memory = context->state;
	bool after_drop =
		memory->drop.state == DROP_MEASURED && context->frame->mono_ns >= memory->drop.mono_ns;
	int lines = canvas->height >= LINES_FOR_GRAPH ? canvas->height / 3 : 0;
	int top = after_drop ? draw_regrowth(context, canvas) : 0;
	struct canvas graph = canvas_rows(canvas, canvas->height - lines, lines);
	struct canvas table = canvas_rows(canvas, top, canvas->height - lines - top);

	context_draw_titled(context, &table, MEMORY_TABLE_READER,
			    _("reads and writes of processes, and of their children that ended"));
	draw_graph(context, &graph);
}

/* One sentence of the whole machine. */
static int draw_cache_sum(const struct pane_context *context, const struct canvas *canvas)
{
	static const struct remark sums[] = {
		{ "asked_pages_per_second > 0, missed_pages_per_second, hit_ratio, not pid > 0",
		  N_("Reads ask for {asked_pages_per_second:.0} pages a second; {hit_ratio:.1%} of them are "
		     "in the cache, {missed_pages_per_second:.0} are not.") },
		{ "asked_pages_per_second <= 0, missed_pages_per_second, not pid > 0",
		  N_("No process reads a file at present.") },
	};
	const struct table *table = context_table(context, MEMORY_TABLE_CACHE_USE);
	struct row_facts facts = { { row_fact }, table,
				   table && table->n_rows > 0 ? table_row(table, 0) : NULL };

	return draw_remarks(canvas, 0, STYLE_STRONG, REMARKS(sums), &facts.facts);
}

static void draw_cache(const struct pane_context *context, struct canvas *canvas)
{
	int sum = canvas->height >= LINES_FOR_RATES ? draw_cache_sum(context, canvas) : 0;
	const struct table *use = context_table(context, MEMORY_TABLE_CACHE_USE);
	bool estimated = use && use->n_rows > 0 && *table_text(use, table_row(use, 0), "note");
	int files = canvas->height >= LINES_FOR_GRAPH && !estimated ? canvas->height / 3 : 0;
	struct canvas top = canvas_rows(canvas, sum, canvas->height - sum - files);
	struct canvas bottom = canvas_rows(canvas, canvas->height - files, files);

	context_draw_titled(context, &top, MEMORY_TABLE_CACHE_USE,
			    estimated ? _("pages that reads asked for: an estimate from bytes, also of pipes")
				      : _("pages that reads asked of the page cache"));
	if (files > 0)
		draw_of_machine(context, &bottom, MEMORY_TABLE_CACHE_FILE, _("files that were read"));
}

static void draw_overview(const struct pane_context *context, struct canvas *canvas)
{
	if (canvas->height >= 5 && canvas->width >= NARROW)
		draw_summary(context, canvas);
	else if (memory_scope_row(context))
		draw_short_scope(context, canvas);
	else
		draw_short(context, canvas);
}

const struct pane_view memory_views[] = {
	[MEMORY_SUMMARY] = { "overview", N_("Overview"), N_("is there enough, and who has it?"),
			     MEMORY_TABLE_PROCESS, .actions = process_actions, .draw = draw_overview },
	[MEMORY_PROCESSES] = { "processes", N_("Processes"), N_("the memory of all processes"),
			       MEMORY_TABLE_PROCESS, .actions = process_actions, .draw = draw_processes },
	[MEMORY_EXTENDED] = { "meminfo", N_("Meminfo"), N_("every line of /proc/meminfo, explained"),
			      MEMORY_TABLE_MEMINFO, .draw = draw_extended },
	[MEMORY_CHECKS] = { "checks", N_("Sum checks"), N_("do the lines of /proc/meminfo add up?"),
			    MEMORY_TABLE_CHECK, .draw = draw_checks },
	[MEMORY_PAGING] = { "paging", N_("Paging"), N_("paging, reclaim, refaults, and pressure"),
			    MEMORY_TABLE_RECLAIM, .draw = draw_paging },
	[MEMORY_SWAP] = { "swap", N_("Swap"), N_("where pages are swapped to, and what of it is compressed"),
			  MEMORY_TABLE_SWAP, 1ul << MEMORY_TABLE_PROCESS, .draw = draw_swap },
	[MEMORY_READERS] = { "readers", N_("Readers"), N_("which processes read from disk"),
			     MEMORY_TABLE_READER, .draw = draw_readers },
	[MEMORY_CACHE] = { "cache", N_("Page cache"),
			   N_("do reads find their pages in the cache? by process and by file"),
			   MEMORY_TABLE_CACHE_USE, 1ul << MEMORY_TABLE_CACHE_FILE, .draw = draw_cache },
	[MEMORY_NODES] = { "nodes", N_("Nodes"), N_("is memory where the CPUs are? by NUMA node and process"),
			   MEMORY_TABLE_LOCALITY, 1ul << MEMORY_TABLE_NODE,
			   .below = 1ul << MEMORY_TABLE_NODE_THREAD, .actions = node_actions,
			   .draw = draw_node_views },
	[MEMORY_SHARES] = { "shares", N_("Node shares"),
			    N_("how much memory and CPU time processes have on each NUMA node"),
			    MEMORY_TABLE_NODE_PROCESS, .actions = node_actions, .draw = draw_shares },
	{ 0 },
};
