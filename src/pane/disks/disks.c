/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The disks pane: devices, who uses them, and the file systems on them. */
#include <config.h>

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "core/utf8.h"
#include "pane/common.h"
#include "pane/processes.h"
#include "pane/time_chart.h"

enum disks_table {
	DISKS_TABLE_DISK,
	DISKS_TABLE_FILESYSTEM,
	DISKS_TABLE_PRESSURE,
	DISKS_TABLE_PROCESS,
	DISKS_TABLE_ACCOUNT,
	DISKS_TABLE_LATENCY,
	DISKS_TABLE_USER,
	DISKS_TABLE_BUCKET,
	DISKS_TABLE_BELOW, /* processes below the devices */
	DISKS_TABLE_STUCK,
	DISKS_TABLE_HEALTH,
};

/* The past of a device. */
enum disks_graph {
	DISKS_READ,
	DISKS_WRITE,
	DISKS_READ_WAIT,
	DISKS_WRITE_WAIT,
	N_DISKS_GRAPHS,
};

#define STORY_LINES_MAX 4
#define DISK_KIND_MAX 96
#define DISK_KINDS_MAX 64

struct disks_state {
	struct followed_rows disks; /* series by enum disks_graph */
	char kinds[DISK_KINDS_MAX][DISK_KIND_MAX]; /* "vda read device": their numbers are keys of past */
	unsigned n_kinds;
	struct bucket_past past; /* of the time of requests */
};

#define COMPARED_MAX 64 /* devices: each with all others */

/* Means over fewer requests say little. */
#define ENOUGH "requests_per_second >= 10"

static const struct remark disk_remarks[] = {
	/* far longer than all others of its kind, with no more to do than they have */
	{ ENOUGH ", wait_seconds >= 0.01, others >= 1, wait_seconds >= 5 * others_wait_seconds, "
		 "requests_per_second <= 1.25 * others_requests, not bytes_per_second > 1.25 * others_bytes",
	  PN_("{device} is slow: {wait_seconds} a request; {others} other device of its kind takes at most "
	      "{others_wait_seconds}, at a similar or higher load.",
	      "{device} is slow: {wait_seconds} a request; {others} others of its kind take at most "
	      "{others_wait_seconds}, at a similar or higher load."),
	  .count = "others" },
	/* it reads the block, changes it, and writes it, unless it can do without; flushes count as writes */
	{ "writes_per_second >= 20, write_request_bytes < block_bytes, mean_bytes < block_bytes",
	  N_("{device} gets {writes_per_second:rate} writes/s of {write_request_bytes} in the mean, smaller "
	     "than its block of {block_bytes}: it may have to read blocks before it writes them.") },
	/* the queue, too: Linux 5.0 to 6.9 count a whole tick of busy time for a short request */
	{ "busy_ratio >= 0.9, queue >= 0.85, writes_per_second >= 50, "
	  "writes_per_second > reads_per_second, write_request_bytes <= 16384, merged_ratio < 0.2",
	  N_("{device} is busy with {writes_per_second:rate} writes/s of only {write_request_bytes}, "
	     "{merged_ratio:%} merged: small writes in random places."), .rules = "disk_busy" },
	{ ENOUGH ", queued_requests >= 1, idle_ratio >= 0.5",
	  N_("Requests for {device} wait {queued_seconds} in the kernel and take {device_seconds} at the "
	     "device, which has none for at least {idle_ratio:%} of the time: the queue is in software, such "
	     "as a scheduler or a limit.") },
	{ "busy_ratio >= 0.9, queue >= 0.85, queue < 2, kind == nvme|ssd|virtio|xen",
	  N_("{device} is busy {busy_ratio:%} of the time, with {queue:.1} requests in flight: it serves "
	     "several at once and may do more."), .rules = "disk_busy" },
};

static const struct remark user_remark = {
	"requests_per_second >= 20, request_bytes < block_bytes, not read_bytes_per_second > 0",
	N_("{name} ({pid}) only writes, {requests_per_second:rate}/s of {request_bytes} in the mean, smaller "
	   "than the block of {block_bytes} of {device}, which may have to be read before it is written.")
};

static const struct remark space_remarks[] = {
	{ "is_full", N_("{mount} is {used_ratio} full: {available_bytes} are left."), .rules = "disk_full" },
	{ "has_no_inodes, not is_full",
	  N_("{mount} hardly takes more files: {inodes_used_ratio} of its inodes are in use."),
	  .rules = "inodes_full" },
};

#define SYNCS "fsync|fdatasync|syncfs|sync_file_range"

/* Of tasks that a finding calls stuck. Who executes a program waits there for other locks, too. */
static const struct remark stuck_remarks[] = {
	{ "is_stuck, mount, function == percpu_rwsem_wait|__sb_start_write, not call == execve|execveat",
	  N_("{mount} takes no writes, as when it is frozen (fsfreeze): {process} ({pid}) is stuck for "
	     "{stuck_seconds}, {path}."), .rules = "stuck" },
	/* behind a lot of other writes that takes long, too */
	{ "is_stuck, mount, not function == percpu_rwsem_wait|__sb_start_write, call == " SYNCS,
	  N_("{process} ({pid}) has waited {stuck_seconds} in {call} for {mount} to be written: {path}."),
	  .rules = "stuck" },
	{ "is_stuck, mount, not function == percpu_rwsem_wait|__sb_start_write, not call == " SYNCS,
	  N_("{mount} does not answer: {process} ({pid}) is stuck for {stuck_seconds}[ in {function}], "
	     "{path}."), .rules = "stuck" },
};

struct space_facts {
	struct row_facts of;
	const struct story *story;
};

/* The first of those that are stuck on its file system. */
static bool is_stuck(const struct space_facts *space)
{
	const struct table *tasks = space->of.table;
	const char *mount = table_text(tasks, space->of.row, "mount");

	for (size_t i = 0; i < tasks->n_rows; i++) {
		const void *row = table_row(tasks, i);

		if (strcmp(table_text(tasks, row, "mount"), mount) == 0 &&
		    grade_of_fact(space->story->findings, space->story->frame, "stuck", tasks->schema, row) >
			    GRADE_CALM)
			return row == space->of.row;
	}
	return false;
}

static struct fact space_fact(const struct facts *facts, struct span name)
{
	const struct space_facts *space = (const struct space_facts *)facts;
	const char *rule = span_is(name, "is_full")         ? "disk_full"
			   : span_is(name, "has_no_inodes") ? "inodes_full"
							    : NULL;

	if (span_is(name, "is_stuck"))
		return yes_fact(is_stuck(space));
	return rule ? yes_fact(grade_of_fact(space->story->findings, space->story->frame, rule,
					     space->of.table->schema, space->of.row) > GRADE_CALM)
		    : row_fact(facts, name);
}

struct disk_facts {
	struct row_facts row; /* of the table disk */
	const struct table *latency;
};

static double known(const struct table *table, const void *row, const char *column)
{
	return fmax(table_number(table, row, column), 0);
}

static double requests(const struct table *disks, const void *row)
{
	return known(disks, row, "reads_per_second") + known(disks, row, "writes_per_second");
}

static double bytes(const struct table *disks, const void *row)
{
	return table_number(disks, row, "read_bytes_per_second") +
	       table_number(disks, row, "write_bytes_per_second");
}

/* Of reads and writes; NaN without requests. */
static double mean_wait(const struct table *disks, const void *row)
{
	return (known(disks, row, "reads_per_second") * known(disks, row, "read_wait_seconds") +
		known(disks, row, "writes_per_second") * known(disks, row, "write_wait_seconds")) /
	       requests(disks, row);
}

/* The mean time of the requests of a device in this phase, in the last interval; NaN: not measured. */
static double phase_wait(const struct disk_facts *of, const char *phase)
{
	const char *device = table_text(of->row.table, of->row.row, "device");
	double number = 0, seconds = 0;

	for (size_t i = 0; of->latency && i < of->latency->n_rows; i++) {
		const void *row = table_row(of->latency, i);

		if (strcmp(table_text(of->latency, row, "device"), device) != 0 ||
		    strcmp(table_text(of->latency, row, "phase"), phase) != 0 ||
		    !(table_number(of->latency, row, "requests_per_second") > 0))
			continue;
		number += table_number(of->latency, row, "requests_per_second");
		seconds += table_number(of->latency, row, "requests_per_second") *
			   table_number(of->latency, row, "mean_seconds");
	}
	return seconds / number;
}

static struct fact made(const char *name, double number, enum unit unit, const char *from)
{
	return made_fact_of(&(struct made_fact){ name, number_fact(number, unit), from });
}

/* Others of its kind with enough requests: how many, their longest wait, the fewest requests and bytes. */
static struct fact of_others(const struct disk_facts *of, struct span name)
{
	const struct table *disks = of->row.table;
	const char *kind = table_text(disks, of->row.row, "kind");
	double n = 0, wait = 0, least_requests = INFINITY, least_bytes = INFINITY;
	struct disk_facts other = *of;

	for (size_t i = 1; i < disks->n_rows && i <= COMPARED_MAX; i++) {
		const void *row = other.row.row = table_row(disks, i);

		if (row == of->row.row || strcmp(table_text(disks, row, "kind"), kind) != 0 ||
		    !sentence_holds(ENOUGH, &other.row.facts))
			continue;
		n++;
		wait = fmax(wait, mean_wait(disks, row));
		least_requests = fmin(least_requests, requests(disks, row));
		least_bytes = fmin(least_bytes, bytes(disks, row));
	}
	if (span_is(name, "others_wait_seconds"))
		return made("others_wait_seconds", wait, UNIT_SECONDS,
			    "the longest wait_seconds of the others");
	return (struct fact){ .number = span_is(name, "others_requests") ? least_requests
					: span_is(name, "others_bytes")  ? least_bytes
									 : n };
}

#define MEAN_OF(phase) "the mean of mean_seconds in disk_latency, phase " phase ", by requests_per_second"

/* By Little's law requests that are somewhere are their rate times how long they are there. */
static struct fact disk_fact(const struct facts *facts, struct span name)
{
	const struct disk_facts *of = (const struct disk_facts *)facts;
	const struct table *disks = of->row.table;
	const void *row = of->row.row;

	if (span_is(name, "requests_per_second"))
		return made("requests_per_second", requests(disks, row), UNIT_PER_SECOND,
			    "reads_per_second + writes_per_second");
	if (span_is(name, "bytes_per_second"))
		return (struct fact){ .number = bytes(disks, row) };
	if (span_is(name, "wait_seconds"))
		return made("wait_seconds", mean_wait(disks, row), UNIT_SECONDS,
			    "the mean of read_wait_seconds and write_wait_seconds by their requests");
	if (span_is(name, "mean_bytes"))
		return made("mean_bytes",
			    table_number(disks, row, "write_bytes_per_second") /
				    (known(disks, row, "writes_per_second") -
				     known(disks, row, "flushes_per_second")),
			    UNIT_BYTES, "write_bytes_per_second / (writes_per_second - flushes_per_second)");
	if (span_is(name, "queued_seconds"))
		return made("queued_seconds", phase_wait(of, "queued"), UNIT_SECONDS, MEAN_OF("queued"));
	if (span_is(name, "device_seconds"))
		return made("device_seconds", phase_wait(of, "device"), UNIT_SECONDS, MEAN_OF("device"));
	if (span_is(name, "queued_requests"))
		return made("queued_requests", requests(disks, row) * phase_wait(of, "queued"), UNIT_NONE,
			    "requests_per_second * queued_seconds");
	if (span_is(name, "idle_ratio"))
		return made("idle_ratio", 1 - requests(disks, row) * phase_wait(of, "device"), UNIT_RATIO,
			    "1 - requests_per_second * device_seconds");
	return span_starts(name, "others") ? of_others(of, name) : row_fact(facts, name);
}

void disks_story(struct story *story)
{
	struct disk_facts disks = {
		.row = { .facts = { disk_fact }, .table = frame_table(story->frame, "disk") },
		.latency = frame_table(story->frame, "disk_latency")
	};
	struct space_facts spaces = {
		.of = { .facts = { space_fact }, .table = frame_table(story->frame, "filesystem") },
		.story = story
	};
	struct space_facts tasks = {
		.of = { .facts = { space_fact }, .table = frame_table(story->frame, "stuck") }, .story = story
	};

	story_say(story, REMARKS(stuck_remarks), &tasks.of, 0);
	story_say(story, REMARKS(disk_remarks), &disks.row, 1);
	story_say(story, REMARKS(space_remarks), &spaces.of, 0);
}

void disks_user_story(struct story *story, const struct table *users, const void *user)
{
	const struct table *disks = frame_table(story->frame, "disk");
	const void *disk = table_find(disks, table_text(users, user, "device"), NULL);
	const struct made_fact block = { "block_bytes", column_fact(disks, disk, "block_bytes") };
	const struct row_facts facts = { { row_fact }, users, user, &block, 1 };

	if (remark_say(&story->lines[GRADE_CALM], &user_remark, &facts.facts))
		buffer_char(&story->lines[GRADE_CALM], '\n');
}

#define TIME_LINES_MIN 7
#define HEAT_FROM_CELLS 76 /* with fewer there are only bars */
#define BARS_CELLS_MAX 72

static void kind_text(char text[DISK_KIND_MAX], const struct table *table, const void *row)
{
	snprintf(text, DISK_KIND_MAX, "%s %s %s", table_text(table, row, "device"),
		 table_text(table, row, "operation"), table_text(table, row, "phase"));
}

static uint16_t key_of(const void *context, const struct table *table, const void *row)
{
	const struct disks_state *disks = context;
	char text[DISK_KIND_MAX];

	kind_text(text, table, row);
	for (unsigned i = 0; i < disks->n_kinds; i++)
		if (strcmp(disks->kinds[i], text) == 0)
			return (uint16_t)i;
	return PAST_ALL;
}

static struct past_table buckets_of(const struct disks_state *disks)
{
	return (struct past_table){ "disk_latency_bucket", "requests", "requests_per_second", key_of, disks };
}

static void disks_latency_sampled(struct pane_context *context, const struct frame *frame)
{
	const struct table *table = frame_table(frame, "disk_latency");
	struct disks_state *disks = context_state(context);
	const struct past_table buckets = buckets_of(disks);

	for (size_t i = 0; table && i < table->n_rows && disks->n_kinds < DISK_KINDS_MAX; i++) {
		const void *row = table_row(table, i);

		if (key_of(disks, table, row) == PAST_ALL)
			kind_text(disks->kinds[disks->n_kinds++], table, row);
	}
	past_add(&disks->past, frame, &buckets, 0, 0);
}

/* The selected row, or the first with the device's own time. */
static const void *chosen_row(const struct pane_context *context, const struct table *table)
{
	const struct view *view = &context->tables[DISKS_TABLE_LATENCY].view;
	const void *selected = context_selected_row(context, DISKS_TABLE_LATENCY);

	if (selected)
		return selected;
	for (size_t i = 0; i < view->n_rows; i++)
		if (strcmp(table_text(table, view->rows[i], "phase"), "device") == 0)
			return view->rows[i];
	return view->n_rows > 0 ? view->rows[0] : NULL;
}

static void draw_times(const struct pane_context *context, const struct canvas *canvas,
		       const struct table *table, const void *row)
{
	const struct disks_state *disks = context->state;
	const struct past_table buckets = buckets_of(disks);
	uint16_t key = key_of(disks, table, row);
	bool heat = canvas->width >= HEAT_FROM_CELLS;
	int width = heat ? canvas->width * 5 / 8 : canvas->width;
	const struct heat_of of = {
		.past = &disks->past,
		.key = key,
		.now_ns = disks->past.last_mono_ns,
		.step_seconds = context_step_seconds(context),
		.unit = _("requests per cell"),
	};
	struct histogram shown;
	struct time_axis axis;
	struct canvas part;

	histogram_clear(&shown, 0);
	past_since_start(context->frame, &buckets, key, &shown);
	time_axis_make(&axis, &shown, canvas->height - 2, false);
	width = heat && width > BARS_CELLS_MAX ? BARS_CELLS_MAX : width;
	canvas_text(canvas, 0, 0, STYLE_DIM, _("    time  requests"), width);
	part = canvas_part(canvas, 1, 0, canvas->height - 1, width);
	time_bars(&part, &axis, &shown, false);
	part = canvas_part(canvas, 0, width + 1, canvas->height, canvas->width - width - 1);
	if (heat)
		time_heat(&part, &axis, &of);
}

static int disks_draw_story(const struct pane_context *context, const struct canvas *canvas)
{
	struct canvas lines = canvas_rows(canvas, 0, STORY_LINES_MAX);
	struct story story = { context->findings, context->frame };

	disks_story(&story);
	return story_draw(&story, &lines);
}

static void disks_draw_latency(const struct pane_context *context, struct canvas *canvas)
{
	const struct table *table = context_table(context, DISKS_TABLE_LATENCY);
	const void *row = table ? chosen_row(context, table) : NULL;
	int wanted = 2 + table_height(&context->tables[DISKS_TABLE_LATENCY]), lines;
	bool measured = row && strcmp(table_text(table, row, "how"), "bpf") == 0;
	char title[TEXT_MAX];
	struct canvas part, rest = canvas_below(canvas, disks_draw_story(context, canvas));

	canvas = &rest;
	lines = wanted < canvas->height / 2 ? wanted : canvas->height / 2;
	if (!measured || canvas->height - lines < TIME_LINES_MIN)
		lines = canvas->height;
	part = canvas_rows(canvas, 0, lines);
	context_draw_titled(context, &part, DISKS_TABLE_LATENCY, _("time of requests since counting began"));
	part = canvas_below(canvas, lines);
	if (part.height < TIME_LINES_MIN)
		return;
	snprintf(title, sizeof(title), "%s, %s, %s", table_text(table, row, "device"),
		 _(table_text(table, row, "operation")), _(table_text(table, row, "phase")));
	canvas_rule(&part, 0, title, "");
	part = canvas_below(&part, 1);
	draw_times(context, &part, table, row);
}

#define LOW 8 /* lines: no more than the table */
#define CHART_LINES_MAX 8 /* for a list below, where there is little room */
#define SPACE_LINES_MIN 3 /* of file systems, with their rule */
#define NAME_CELLS_MAX 24
#define HEALTH_LINES_MIN 30 /* for a line that says only that nothing is wrong */

static const char *const graph_columns[N_DISKS_GRAPHS] = {
	[DISKS_READ] = "read_bytes_per_second",
	[DISKS_WRITE] = "write_bytes_per_second",
	[DISKS_READ_WAIT] = "read_wait_seconds",
	[DISKS_WRITE_WAIT] = "write_wait_seconds",
};

/* "read 3.5M/s  write 1.2M/s  I/O stalls in 10 s: some 3.2 %, full 1.0 %" */
static int draw_machine(const struct pane_context *context, const struct canvas *canvas)
{
	const struct row_facts facts = { .facts = { row_fact }, .frame = context->frame };
	enum grade grade = grade_of_rules(context->frame, "io_wait", false);
	char text[TEXT_MAX];
	int x;

	sentence_text(text, _("read {disk.all.read_bytes_per_second:short}  "
			      "write {disk.all.write_bytes_per_second:short}"), &facts.facts);
	x = canvas_piece(canvas, 0, 0, STYLE_STRONG, text);
	sentence_text(text, _("[I/O stalls in 10 s: some {pressure.io/some.avg10_ratio:.1%}, "
			      "full {pressure.io/full.avg10_ratio:.1%}]"), &facts.facts);
	canvas_piece(canvas, 0, x, graph_grade_style(grade, STYLE_NORMAL), text);
	return 1;
}

/* Its numbers are of no interval. */
static void health_heading(const struct pane_context *context, char *text, size_t room)
{
	(void)context;
	snprintf(text, room, "%s", _("health, asked every 5 min"));
}

static enum grade grade_of_health(const char *state)
{
	return strcmp(state, "failing") == 0 ? GRADE_ALARM
	       : strcmp(state, "worn") == 0  ? GRADE_BUSY
					     : GRADE_CALM;
}

static enum style disks_health_style(const struct findings *findings, const struct schema *schema,
				     const struct column *column, const void *row)
{
	const char *state = column->type == VALUE_TEXT ? row_text(row, column) : NULL;

	(void)findings;
	(void)schema;
	if (!state || (strcmp(column->key, "health") != 0 && strcmp(column->key, "state") != 0))
		return STYLE_NORMAL;
	return graph_grade_style(grade_of_health(state), STYLE_NORMAL);
}

/* How bad it is, for the worst of several; below 0: not known. */
static double badness(const struct table *table, const void *row)
{
	const char *state = table_text(table, row, "state");

	return strcmp(state, "unknown") == 0
		       ? -1
		       : 10 * grade_of_health(state) + known(table, row, "wear_ratio");
}

/* "health of nvme1n1: failing (read-only), wear 41 %", of the selected device, or of the worst. */
static int draw_health(const struct pane_context *context, const struct canvas *canvas)
{
	const void *selected = context_selected_row(context, DISKS_TABLE_DISK);
	const struct table *table = context_table(context, DISKS_TABLE_HEALTH);
	struct row_facts facts = { { row_fact }, table };
	const void *chosen = NULL;
	char text[TEXT_MAX];
	enum grade grade;

	if (!table)
		return 0;
	if (selected)
		facts.row = chosen = table_find(table, table_text(context_table(context, DISKS_TABLE_DISK),
								  selected, "device"), NULL);
	for (size_t i = 0; !chosen && i < table->n_rows; i++)
		if (!facts.row || badness(table, table_row(table, i)) > badness(table, facts.row))
			facts.row = table_row(table, i);
	if (!facts.row || badness(table, facts.row) < 0)
		return 0;
	grade = grade_of_health(table_text(table, facts.row, "state"));
	if (!chosen && grade == GRADE_CALM && canvas->height < HEALTH_LINES_MIN)
		return 0;
	sentence_text(text, _("health of {device}: {state}[ ({reason})][, wear {wear_ratio}]"
			      "[, spare {spare_ratio}][, errors {media_errors}][, on {power_on_seconds}]"
			      "[, {celsius}]"), &facts.facts);
	canvas_cut(canvas, 0, 0, graph_grade_style(grade, STYLE_NORMAL), text, canvas->width);
	return 1;
}

static char *seconds_label(char *text, double value)
{
	return duration_short(text, value, false);
}

/* The charts of a device: of reads above the axis, of writes below it. */
static const struct disks_chart {
	const char *names[2], *froms[2];
	char *(*label)(char *text, double value);
	enum unit unit;
	double least; /* end of an axis: what an idle disk does is flat, not mountains */
} charts[] = {
	[DISKS_READ / 2] = { { N_("read {read_bytes_per_second:short}"),
			       N_("write {write_bytes_per_second:short}") },
			     { "the most read_bytes_per_second on the graph",
			       "the most write_bytes_per_second on the graph" },
			     bytes_rate_label, UNIT_BYTES_PER_SECOND, 1 << 17 },
	[DISKS_READ_WAIT / 2] = { { N_("r wait {read_wait_seconds:short}"),
				    N_("w wait {write_wait_seconds:short}") },
				  { "the most read_wait_seconds on the graph",
				    "the most write_wait_seconds on the graph" },
				  seconds_label, UNIT_SECONDS, 1e-4 },
};

#define N_CHARTS (sizeof(charts) / sizeof(charts[0]))

/* "█ read 3.5M/s  top 12M/s  █ write 1.2M/s  top 3.5M/s" from x on; no tops where that is too long. */
static void draw_keys(const struct pane_context *context, const struct canvas *line, int x,
		      const struct followed_row *disk, const struct disks_chart *chart, const double tops[2])
{
	const struct table *table = frame_table(context->frame, "disk");
	const void *row = table_find(table, disk->name, NULL);
	char names[2][TEXT_MAX], most[2][TEXT_MAX];
	int cells = x - CANVAS_GAP, key = line->color ? 2 : 0;

	for (unsigned i = 0; i < 2; i++) {
		const struct made_fact top = { "top", number_fact(tops[i], chart->unit), chart->froms[i] };
		const struct row_facts facts = { { row_fact }, table, row, &top, 1 };

		sentence_text(names[i], _(chart->names[i]), &facts.facts);
		sentence_text(most[i], _("[top {top:short}]"), &facts.facts);
		cells += 2 * CANVAS_GAP + key + utf8_cells(names[i], line->ascii) +
			 utf8_cells(most[i], line->ascii);
	}
	for (unsigned i = 0; i < 2; i++) {
		int end = canvas_piece(line, 0, x + key, STYLE_NORMAL, names[i]);

		if (end == x + key)
			return;
		if (key > 0)
			graph_key(line, 0, x, &(struct graph_part){ .letter = '#', .look = i });
		x = *most[i] && cells <= line->width ? canvas_piece(line, 0, end, STYLE_DIM, most[i]) : end;
	}
}

/* A line of names and values above the graph; the first chart of a device has its name, too. */
static void draw_chart(const struct pane_context *context, const struct canvas *canvas,
		       const struct followed_row *disk, unsigned number)
{
	const struct disks_chart *chart = &charts[number];
	struct canvas plot = canvas_below(canvas, 1), area = graph_area_plot(&plot);
	struct graph_line_scale scale = past_scale(context, NAN, STYLE_NORMAL);
	struct graph_half halves[2];
	double tops[2];
	int x = 0;

	for (unsigned i = 0; i < 2; i++) {
		unsigned of_disk = disk->series[2 * number + i];

		tops[i] = graph_line_range(&area, &context->history, of_disk, &scale).most;
		halves[i] = (struct graph_half){ of_disk, FOLLOWED_STYLE(i) };
	}
	scale.most = axis_end(fmax(tops[0], tops[1]), chart->least, chart->unit == UNIT_SECONDS);
	if (number == 0) {
		int cells = utf8_cells(disk->name, canvas->ascii);

		cells = cells < canvas->width / 3 ? cells : canvas->width / 3;
		canvas_cut(canvas, 0, 0, STYLE_STRONG, disk->name, cells);
		x = cells + CANVAS_GAP;
	}
	draw_keys(context, canvas, x, disk, chart, tops);
	graph_mirrored(&plot, &context->history, halves, &scale, chart->label);
}

/* Devices that read or wrote in the time of the charts, the busiest first; returns how many. */
static int choose_disks(const struct pane_context *context, const struct canvas *canvas, int most,
			const struct followed_row **shown)
{
	const struct table *table = context_table(context, DISKS_TABLE_DISK);
	const struct view *view = &context->tables[DISKS_TABLE_DISK].view;
	const struct disks_state *state = context->state;
	struct canvas plot = canvas_part(canvas, 0, 0, 1, FOLLOWED_CELLS);
	double ranks[FOLLOWED_ROWS_MAX];
	int n = 0;

	for (size_t i = 0; table && i < view->n_rows; i++) {
		const struct followed_row *row =
			followed_rows_find(&state->disks, table_text(table, view->rows[i], "device"));
		double rank = row ? followed_row_traffic(context, &plot, row) : 0;

		if (rank > 0)
			n = followed_rows_rank(shown, ranks, n, most, row, rank);
	}
	return n;
}

/* Returns the lines used. */
static int draw_charts(const struct pane_context *context, const struct canvas *canvas, bool list_below)
{
	static const struct followed_charts of_disks = { N_CHARTS, draw_chart };
	const struct followed_row *shown[FOLLOWED_ROWS_MAX];
	int most = list_below ? canvas->height * 3 / 5 : canvas->height;
	int n = followed_charts_fit(&of_disks, canvas);

	n = n > 0 ? choose_disks(context, canvas, n, shown) : 0;
	return followed_charts_draw(&of_disks, context, canvas, shown, n,
				    most > CHART_LINES_MAX ? most : CHART_LINES_MAX);
}

static enum style disks_filesystem_style(const struct findings *findings, const struct schema *schema,
					 const struct column *column, const void *row)
{
	bool space = strcmp(column->key, "used_ratio") == 0, inodes = strcmp(column->key,
									     "inodes_used_ratio") == 0;

	if (!space && !inodes)
		return STYLE_NORMAL;
	return graph_grade_style(grade_of_row(findings, space ? "disk_full" : "inodes_full", schema, row),
				 STYLE_NORMAL);
}

/* On a device or a server; or memory that is in use: what is read-only cannot fill up. */
static bool is_notable(const struct table *table, const void *row)
{
	return strpbrk(table_text(table, row, "device"), "/:") ||
	       (strcmp(table_text(table, row, "mode"), "ro") != 0 &&
		fmax(table_number(table, row, "used_ratio"), table_number(table, row, "inodes_used_ratio")) >=
			0.01);
}

/* "inodes 97 %, 17.9G of 251G, 73.1G available, +1.2M/s, full in 3 h" */
static char *space_text(const struct pane_context *context, const struct table *table, const void *row,
			char *text)
{
	bool grows = table_number(table, row, "growth_bytes_per_second") > 0;
	bool few_inodes = grade_of_row(context->findings, "inodes_full", table->schema, row) > GRADE_CALM;
	const struct made_fact notable[] = {
		{ "inodes", few_inodes ? column_fact(table, row, "inodes_used_ratio") : FACT_UNKNOWN },
		{ "growth", grows ? column_fact(table, row, "growth_bytes_per_second") : FACT_UNKNOWN },
	};
	const struct row_facts facts = { { row_fact }, table, row, notable, 2 };

	return sentence_text(text,
			     isnan(table_number(table, row, "total_bytes"))
				     ? _("not known")
				     : _("[inodes {inodes}, ]{used_bytes:short} of {total_bytes:short}, "
					 "{available_bytes:short} available[, +{growth:short}]"
					 "[, full in {full_in_seconds}]"),
			     &facts.facts);
}

static void draw_space(const struct pane_context *context, const struct canvas *line,
		       const struct table *table, const void *row, int name_cells)
{
	double ratio = table_number(table, row, "used_ratio");
	enum grade space = grade_of_row(context->findings, "disk_full", table->schema, row);
	enum grade inodes = grade_of_row(context->findings, "inodes_full", table->schema, row);
	int bar = line->width / 5, x = name_cells + 1;
	char text[TEXT_MAX];

	canvas_cut(line, 0, 0, STYLE_NORMAL, table_text(table, row, "mount"), name_cells);
	if (isnan(ratio))
		snprintf(text, sizeof(text), "-");
	else
		snprintf(text, sizeof(text), "%.0f %%", ratio < 1 ? fmin(100 * ratio, 99) : 100 * ratio);
	canvas_right(line, 0, x, 5, graph_grade_style(space, STYLE_NORMAL), text);
	x += 6;
	if (!isnan(ratio))
		graph_bar_graded(line, 0, x, bar, ratio, space);
	canvas_cut(line, 0, x + bar + 1, graph_grade_style(space > inodes ? space : inodes, STYLE_NORMAL),
		   space_text(context, table, row, text), line->width - x - bar - 1);
}

/* Bars, as many as fit; the lines used. */
static int draw_spaces(const struct pane_context *context, const struct canvas *canvas, bool all)
{
	const struct table_widget *widget = &context->tables[DISKS_TABLE_FILESYSTEM];
	const struct table *table = context_table(context, DISKS_TABLE_FILESYSTEM);
	int name_cells = 1, y = 0;

	for (size_t i = 0; table && i < widget->view.n_rows; i++) {
		int cells = utf8_cells(table_text(table, widget->view.rows[i], "mount"), canvas->ascii);

		name_cells = cells > name_cells ? cells : name_cells;
	}
	name_cells = name_cells < NAME_CELLS_MAX ? name_cells : NAME_CELLS_MAX;
	for (size_t i = 0; table && i < widget->view.n_rows && y < canvas->height; i++) {
		struct canvas line = canvas_rows(canvas, y, 1);

		if (!all && !is_notable(table, widget->view.rows[i]))
			continue;
		draw_space(context, &line, table, widget->view.rows[i], name_cells);
		y++;
	}
	return y;
}

/* The table gets half, or what it needs; graphs and file systems share the rest. Returns the lines used. */
static int draw_devices(const struct pane_context *context, const struct canvas *canvas, bool list_below)
{
	int wanted = 1 + table_height(&context->tables[DISKS_TABLE_DISK]), spaces = 1, y;
	const struct view *filesystems = &context->tables[DISKS_TABLE_FILESYSTEM].view;
	const struct table *table = context_table(context, DISKS_TABLE_FILESYSTEM);
	struct canvas part, rest;
	char title[TEXT_MAX];

	for (size_t i = 0; table && i < filesystems->n_rows; i++)
		spaces += is_notable(table, filesystems->rows[i]);
	y = draw_machine(context, canvas);
	rest = canvas_below(canvas, y);
	y += draw_health(context, &rest);
	rest = canvas_below(canvas, y);
	y += disks_draw_story(context, &rest);
	rest = canvas_below(canvas, y);
	context_heading(context, title, sizeof(title));
	if (wanted > rest.height / 2)
		wanted = rest.height / 2 > 4 ? rest.height / 2 : rest.height;
	part = canvas_rows(&rest, 0, wanted);
	context_draw_titled(context, &part, DISKS_TABLE_DISK, title);
	rest = canvas_below(&rest, wanted);
	if (spaces > rest.height / 2 && rest.height / 2 >= SPACE_LINES_MIN)
		spaces = rest.height / 2;
	if (rest.height - spaces <= FOLLOWED_LINES_MIN)
		spaces = rest.height >= SPACE_LINES_MIN ? rest.height : 0;
	part = canvas_rows(&rest, 0, rest.height - spaces);
	rest = canvas_below(&rest, draw_charts(context, &part, list_below));
	if (rest.height < 2)
		return canvas->height;
	canvas_rule(&rest, 0, _("file systems"), "");
	part = canvas_below(&rest, 1);
	return canvas->height - rest.height + 1 + draw_spaces(context, &part, false);
}

/* Below the devices stand the processes that use them, on a screen of many lines. */
static void disks_draw(const struct pane_context *context, struct canvas *canvas)
{
	int below = process_below_lines(context, canvas), y;
	struct canvas part = canvas_rows(canvas, 0, canvas->height - below);

	if (canvas->height < LOW) {
		context_draw_table(context, canvas, DISKS_TABLE_DISK);
		return;
	}
	y = draw_devices(context, &part, below > 0);
	part = canvas_below(canvas, y);
	if (below > 0)
		context_draw_titled(context, &part, DISKS_TABLE_BELOW,
				    _("processes by I/O, also of children that ended"));
}

static void disks_draw_filesystems(const struct pane_context *context, struct canvas *canvas)
{
	int wanted = 1 + table_height(&context->tables[DISKS_TABLE_FILESYSTEM]), y = 0;
	struct canvas part = canvas_rows(canvas, 0, canvas->height - wanted - 1);

	if (part.height >= wanted - 2)
		y = draw_spaces(context, &part, true) + 1;
	part = canvas_below(canvas, y);
	context_draw_titled(context, &part, DISKS_TABLE_FILESYSTEM, _("file systems"));
}

static void disks_draw_users(const struct pane_context *context, struct canvas *canvas)
{
	const struct table_widget *widget = &context->tables[DISKS_TABLE_USER];
	const struct table *table = context_table(context, DISKS_TABLE_USER);
	struct canvas lines = canvas_rows(canvas, 0, canvas->height > LOW ? STORY_LINES_MAX : 0), part;
	struct story story = { context->findings, context->frame };
	char text[TEXT_MAX];

	for (size_t i = 0; table && i < widget->view.n_rows; i++)
		disks_user_story(&story, table, widget->view.rows[i]);
	part = canvas_below(canvas, story_draw(&story, &lines));
	context_heading(context, text, sizeof(text));
	context_draw_titled(context, &part, DISKS_TABLE_USER, text);
}

#define DISKS_VIEW_DEVICES 0

static const struct pane_table tables[] = {
	[DISKS_TABLE_DISK] = { .topic = "disk", .headline = true, .cell_style = disks_health_style },
	[DISKS_TABLE_FILESYSTEM] = { .topic = "filesystem", .headline = true,
				     .cell_style = disks_filesystem_style },
	[DISKS_TABLE_PRESSURE] = { .topic = "pressure", .own_columns = true },
	[DISKS_TABLE_PROCESS] = { .topic = "process",
				  .lazy = true,
				  .recorded = true,
				  .own_columns = true,
				  .threshold = "disk_bytes_per_second",
				  .least = 0, /* without rows that are unknown, as in the first sample */
				  .columns = "disk_bytes_per_second,read_bytes_per_second,"
					     "write_bytes_per_second,pid,state,user,command",
				  .sort = "disk_bytes_per_second",
				  .setting = "disks.processes" },
	[DISKS_TABLE_ACCOUNT] = { .topic = "disk_account", .lazy = true, .recorded = true },
	[DISKS_TABLE_LATENCY] = { .topic = "disk_latency", .lazy = true, .recorded = true },
	[DISKS_TABLE_USER] = { .topic = "disk_user", .lazy = true, .recorded = true,
			       .sort = "bytes_per_second" },
	[DISKS_TABLE_BUCKET] = { .topic = "disk_latency_bucket", .lazy = true, .recorded = true },
	[DISKS_TABLE_BELOW] =
		PROCESSES_BY("disk_bytes_per_second", 1,
			     "read_bytes_per_second,write_bytes_per_second,pid,state,user,command"),
	[DISKS_TABLE_STUCK] = { .topic = "stuck", .own_columns = true },
	[DISKS_TABLE_HEALTH] = { .topic = "disk_health", .cell_style = disks_health_style },
	{ 0 },
};

static const char *refuses(const struct pane_context *context, enum action action)
{
	return action == ACTION_OPEN && context->view == DISKS_VIEW_DEVICES ? process_below_refuses(context)
									    : NULL;
}

static const struct pane_view views[] = {
	{ "devices", N_("Devices"), N_("what each device reads and writes, and how long that takes"),
	  DISKS_TABLE_DISK, .below = 1UL << DISKS_TABLE_BELOW, .actions = process_actions,
	  .draw = disks_draw },
	{ "processes", N_("Processes"), N_("what each process reads from storage and writes to it"),
	  DISKS_TABLE_PROCESS, .actions = process_actions, .heading = context_heading },
	{ "users", N_("By device"),
	  N_("who reads from each device and writes to it, also what the kernel writes later"),
	  DISKS_TABLE_USER, .actions = process_actions, .draw = disks_draw_users },
	{ "latency", N_("Latency"), N_("how long requests are queued, and how long the device takes"),
	  DISKS_TABLE_LATENCY, .also = 1UL << DISKS_TABLE_BUCKET, .draw = disks_draw_latency },
	{ "filesystems", N_("File systems"), N_("space and inodes, growth, and when it is full"),
	  DISKS_TABLE_FILESYSTEM, .draw = disks_draw_filesystems },
	{ "account", N_("Account"),
	  N_("whose bytes the devices read and wrote, and what is the kernel's own"), DISKS_TABLE_ACCOUNT,
	  .heading = context_heading },
	{ "health", N_("Health"), N_("how worn disks are, and what they say of themselves"),
	  DISKS_TABLE_HEALTH, .heading = health_heading },
	{ 0 },
};

static void sampled(struct pane_context *context, const struct frame *frame)
{
	struct disks_state *state = context_state(context);

	followed_rows_add(&state->disks, &context->history, frame, "disk", 1, graph_columns, N_DISKS_GRAPHS);
	disks_latency_sampled(context, frame);
}

/* Read while the pane is hidden, so that its graphs go on. */
static const struct series series[] = {
	{ "disk", "all", "read_bytes_per_second" },
	{ "disk", "all", "write_bytes_per_second" },
};

/* The rows that the list of processes shows. */
static void sampling(struct pane_context *context)
{
	process_rows_request(context, 1UL << DISKS_TABLE_PROCESS | 1UL << DISKS_TABLE_BELOW);
}

const struct pane pane_disks = {
	.name = "disks",
	.digit = '4',
	.title = N_("Disks"),
	.question = N_("Which disk is slow or full, and who uses it?"),
	.unscoped = N_("devices and file systems are the machine's: their counters have no process"),
	.tables = tables,
	.series = series,
	.n_series = sizeof(series) / sizeof(series[0]),
	.views = views,
	.state_size = sizeof(struct disks_state),
	.refuses = refuses,
	.sampling = sampling,
	.sampled = sampled,
	.key = process_below_key,
};
