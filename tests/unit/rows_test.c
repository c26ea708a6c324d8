/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Rows of topics over files that change, from tests/rows/TOPIC.txt. Each case there is a test:
 *
 *   case NAME                     what follows, up to the next one; lines that begin with # say why
 *   open FIXTURE [TOPIC]...       a machine: tick0 of tests/fixtures/FIXTURE, or of nothing; again: another.
 *                                 Its topics are opened before the first sample, when files were put there
 *   add TOPIC                     one more topic
 *   put PATH TEXT                 a file; in it are \n, \xff and, for no newline at the end, \c; \(flock),
 *                                 the number of a system call; or its lines follow, indented by a tab
 *   make PATH, link PATH TO, remove PATH    a directory, a symbolic link; one of them goes, or a file
 *   tick N                        files of this tick of the fixture are laid over it
 *   needs interrupt_times         skips the case where an architecture does not measure them apart
 *   do NAME [VALUE]...            the lines of "steps NAME" in this file, with these values as $1, $2, ... $9,
 *                                 which are empty without one
 *   batch 1, recorded 1, read_only 1, no_bpf 1, columns TOPIC [COLUMN]..., in TERM, processes LIST,
 *   visible PID..., group_pid PID, all_groups 1    of the request
 *   profiled PID, mapped PID, time_of_mapped 1, trace SPEC    also of the request; 0, or none: no such wish
 *   live 1, own_pid PID, kept N   of the machine; kept: files of processes that stay open
 *   counted, uncounted, refused, ran, stack    what programs in the kernel count; see tests/unit/script.h
 *   set NAME VALUE                a setting
 *   slept SECONDS                 so long the machine was suspended
 *   next 1                        the next process of its name is wished for
 *   sample SECONDS [TIMES]        all topics, that long after the last one; what follows is about it:
 *   await TOPIC COLUMN            the same, again and again until a helper has found that
 *   row TOPIC COLUMN=VALUE...     one row has these; ? is unknown, - is blank, numbers have ten digits
 *   by TOPIC KEY COLUMN K=V...    one such row for each K: KEY=K COLUMN=V; KEY may be pid=7,part
 *   whole TOPIC COLUMN=VALUE...   as row, and no other column is known
 *   no TOPIC COLUMN=VALUE...      no row has these
 *   rows TOPIC N, failed TOPIC    its number of rows; it has failed
 *   order TOPIC COLUMN VALUE...   these are its rows, in this order
 *   use PLAN WORD=VALUE...        what topics did with a plan that is counted; see script_use()
 *   quiet, notice TEXT, remedy TEXT    no notice; one has this in it, and no line is missing; its remedy
 *
 * A line that begins with a tab goes on with the one above. UPDATE_ROWS=yes writes what came in place of what
 * row, whole and rows wanted: read the diff.
 */
#include <config.h>

#include <dlfcn.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/alloc.h"
#include "core/arena.h"
#include "core/buffer.h"
#include "core/span.h"
#include "kernel/cpu_times.h"
#include "model/trace_spec.h"
#include "rig.h"

#define CASES_MAX 1024
#define WIDTH 108 /* of what is written */
#define VALUES_MAX 9

/* A line with those that it goes on with, whose newlines and tabs are in its text. */
struct line {
	unsigned number; /* of its first one */
	char *text;
	bool is_changed;
};

static struct {
	char path[SCRATCH_PATH_MAX + 64], *text; /* text: what the lines were taken from */
	struct line *lines;
	size_t n_lines;
} file;

static struct known_case {
	const char *file;
	char *name;
} cases[CASES_MAX];
static int n_cases;

/* What the lines are about. */
static struct rig rig;
static bool is_open;
static char *unopened; /* topics of the machine that were not opened so far */
static struct scope scope;
static struct trace_specs specs;
static const struct frame *frame;
static unsigned n_noticed; /* notices of frame that lines have named */
static const struct line *here;
static struct arena arena; /* of lines; the request may point into it */

/* Of the libraries of drivers no machine has any: rows are those of files. */
void *dlopen(const char *name, int flags)
{
	(void)name;
	(void)flags;
	return NULL;
}

static void refuse(const char *format, ...) __attribute__((format(printf, 1, 2), noreturn));

static void refuse(const char *format, ...)
{
	struct buffer text = { 0 };
	char why[8192];
	va_list list;

	va_start(list, format);
	vsnprintf(why, sizeof(why), format, list);
	va_end(list);
	buffer_print(&text, "%s:%u: %s", file.path, here ? here->number : 0, why);
	buffer_char(&text, '\0');
	ck_abort_msg("%s", text.bytes);
}

static void load(const char *name)
{
	unsigned number = 1;

	snprintf(file.path, sizeof(file.path), "tests/rows/%s", name);
	free(file.text);
	file.text = read_test_file(file.path + strlen("tests/"));
	file.n_lines = 0;
	for (char *at = file.text, *newline; *at; at = newline + 1, number++) {
		newline = at + strcspn(at, "\n");
		if (*at != '\t' || file.n_lines == 0) {
			file.lines = alloc_resize(file.lines, file.n_lines + 1, sizeof(*file.lines));
			file.lines[file.n_lines++] = (struct line){ number, at, false };
		} else {
			at[-1] = '\n'; /* it goes on */
		}
		if (!*newline)
			break;
		*newline = '\0';
	}
}

static void store(void)
{
	FILE *output = fopen(test_path(file.path + strlen("tests/")), "w");

	if (!output)
		refuse("it cannot be written");
	for (size_t i = 0; i < file.n_lines; i++)
		fprintf(output, "%s\n", file.lines[i].text);
	fclose(output);
}

/* The first word of text, and where the second one begins. */
static char *take_word(char **text)
{
	char *word = *text;

	*text += strcspn(*text, " ");
	if (**text)
		*(*text)++ = '\0';
	return word;
}

/* In a directory that is there from now on. */
static const char *place_of(const char *path)
{
	const char *slash = strrchr(path, '/');
	const char *directory = slash ? textf("%.*s", (int)(slash - path), path) : "";

	if (access(textf("%s/%s", rig.root, directory), F_OK) < 0)
		rig_make(&rig, directory);
	return textf("%s/%s", rig.root, path);
}

/* Text of the line, or the lines below; each of them ends with a newline but for one that ends with \c. */
static void put(const char *path, char *text)
{
	const char *full = place_of(path);
	FILE *output = fopen(full, "w");

	if (!output)
		refuse("%s cannot be written", full);
	if (*text == '\n')
		text++;
	for (char *next; text; text = next) {
		size_t length;
		bool is_cut;

		next = strchr(text, '\n');
		if (next)
			*next++ = '\0';
		text += *text == '\t';
		length = strlen(text);
		is_cut = length >= 2 && strcmp(text + length - 2, "\\c") == 0;
		if (is_cut)
			text[length - 2] = '\0';
		length = unescape(text);
		if (length == SIZE_MAX)
			refuse("a backslash stands before n, t, e, x and two digits, and itself");
		fwrite(text, 1, length, output);
		if (!is_cut)
			fputc('\n', output);
	}
	fclose(output);
}

/* In place: what was in several lines, parted by blanks. */
static void join(char *text)
{
	char *to = text;

	for (; *text; text++)
		if (*text != '\t')
			*to++ = *text == '\n' ? ' ' : *text;
	*to = '\0';
}

/* In lines of this width, but for words that are longer. */
static void wrap(struct buffer *out, const char *text)
{
	size_t width = 0, length;

	for (; *text; text += length) {
		length = 1 + strcspn(text + 1, " ");
		if (width > 0 && width + length > WIDTH && *text == ' ')
			buffer_text(out, "\n\t"), text++, length--, width = 8;
		buffer_add(out, text, length);
		width += length;
	}
	buffer_char(out, '\0');
}

static bool begins(const char *text, const char *kind)
{
	return strncmp(text, kind, strlen(kind)) == 0 && text[strlen(kind)] == ' ';
}

static void change(const char *what, const char *topic, const char *values)
{
	struct buffer whole = { 0 }, wrapped = { 0 };
	struct line *line = &file.lines[here - file.lines];

	buffer_print(&whole, "%s %s %s", what, topic, values);
	buffer_char(&whole, '\0');
	wrap(&wrapped, whole.bytes);
	line->text = wrapped.bytes;
	line->is_changed = true;
	buffer_free(&whole);
}

static const struct table *table_of(const char *topic)
{
	const struct table *table = frame ? frame_table(frame, topic) : NULL;

	if (!table)
		refuse("%s was not sampled", topic);
	return table;
}

/* How many words of values it has, and how far they are the same. */
static size_t likeness(const char *text, const char *values)
{
	size_t like = 0, same = 0;
	const char *whole = textf(" %s ", text);

	for (const char *at = values; *at; at += strspn(at, " ")) {
		size_t length = strcspn(at, " ");

		like += strstr(whole, textf(" %.*s ", (int)length, at)) ? 1000 : 0;
		at += length;
	}
	while (text[same] && text[same] == values[same])
		same++;
	return like + same;
}

/* The one that a wrong row is about. */
static size_t nearest(const struct table *table, char *const *texts, const char *values)
{
	size_t found = 0, most = 0;

	for (size_t i = 0; i < table->n_rows; i++) {
		size_t same = likeness(texts[i], values);

		if (same > most) {
			most = same;
			found = i;
		}
	}
	return found;
}

static void check_rows(const char *what, const char *topic, char *values)
{
	const struct table *table = table_of(topic);
	bool whole = strcmp(what, "whole") == 0;
	size_t n_same = 0, wanted = strcmp(what, "no") != 0, near;
	char **texts = alloc_zeroed(table->n_rows + 1, sizeof(*texts));
	struct buffer came = { 0 };

	join(values);
	for (size_t i = 0; i < table->n_rows; i++) {
		texts[i] = row_values(table->schema, table_row(table, i), whole ? NULL : values);
		n_same += strcmp(texts[i], values) == 0;
		buffer_print(&came, "\n  %s", texts[i]);
	}
	near = n_same == wanted ? 0 : nearest(table, texts, values);
	if (n_same != wanted && getenv("UPDATE_ROWS") && wanted && table->n_rows > 0 &&
	    !begins(here->text, "by") && !strchr(here->text, '$'))
		change(what, topic, texts[near]);
	else if (n_same != wanted)
		refuse("wanted %zu row%s of %s\n  %s\ncame %zu; the nearest is\n  %s\nof all:%.4000s", wanted,
		     wanted == 1 ? "" : "s", topic, values, n_same, table->n_rows ? texts[near] : "none",
		     came.bytes ? came.bytes : " none");
	for (size_t i = 0; i < table->n_rows; i++)
		free(texts[i]);
	free(texts);
	buffer_free(&came);
}

static void check_column(char *text)
{
	const char *topic = take_word(&text);
	char *key = take_word(&text);
	const char *column = take_word(&text);

	join(text);
	for (char *comma = key; (comma = strchr(comma, ','));)
		*comma = ' ';
	while (*text) {
		char *pair = take_word(&text), *equals = strrchr(pair, '='), values[512];

		if (!equals)
			refuse("%s has no =", pair);
		snprintf(values, sizeof(values), "%s=%.*s %s=%s", key, (int)(equals - pair), pair, column,
			 equals + 1);
		check_rows("row", topic, values);
	}
}

static void count_rows(const char *topic, const char *number)
{
	char text[32];
	const struct table *table = table_of(topic);

	snprintf(text, sizeof(text), "%zu", table->n_rows);
	if (strcmp(text, number) == 0)
		return;
	if (!getenv("UPDATE_ROWS"))
		refuse("wanted %s rows of %s, came %s", number, topic, text);
	change("rows", topic, text);
}

static void check_order(char *text)
{
	const char *topic = take_word(&text);
	const struct table *table = table_of(topic);
	const struct column *column = schema_find(table->schema, take_word(&text));
	struct buffer came = { 0 };

	if (!column)
		refuse("%s has no such column", topic);
	for (size_t i = 0; i < table->n_rows; i++) {
		char *value = row_values(table->schema, table_row(table, i), textf("%s=", column->key));

		buffer_print(&came, "%s%s", i > 0 ? " " : "", strchr(value, '=') + 1);
		free(value);
	}
	buffer_char(&came, '\0');
	if (strcmp(came.bytes, text) != 0)
		refuse("wanted in this order %s, came %s", text, came.bytes);
	buffer_free(&came);
}

static void check_notices(const char *what, const char *part)
{
	struct buffer came = { 0 };
	bool is_there = strcmp(what, "quiet") == 0 && frame->n_notices == 0;

	for (unsigned i = 0; i < frame->n_notices; i++) {
		const char *remedy = frame->notices[i].remedy ? frame->notices[i].remedy : "";

		if (strcmp(what, "quiet") != 0)
			is_there |= strstr(strcmp(what, "remedy") == 0 ? remedy : frame->notices[i].text,
					   part) != NULL;
		buffer_print(&came, "\n  notice %s\n  remedy %s", frame->notices[i].text, remedy);
	}
	buffer_char(&came, '\0');
	n_noticed += strcmp(what, "notice") == 0;
	if (!is_there)
		refuse("wanted %s %s, came%s", what, part, came.length > 1 ? came.bytes : " no notice");
	buffer_free(&came);
}

/* The words of a script that are wanted. */
static void check_plan(const char *plan, char *wanted)
{
	const char *use = textf(" %s ", script_use(&rig.script, plan));
	struct buffer came = { 0 };
	char *rest = wanted;

	wanted = alloc_text(wanted);
	for (char *word; *rest;) {
		const char *at;

		word = take_word(&rest);
		word[strcspn(word, "=")] = '\0';
		at = strstr(use, textf(" %s=", word));
		if (!at)
			refuse("a plan has no %s, but%s", word, use);
		buffer_print(&came, "%s%.*s", came.length ? " " : "", (int)strcspn(at + 1, " "), at + 1);
	}
	buffer_char(&came, '\0');
	if (strcmp(came.bytes, wanted) != 0 && getenv("UPDATE_ROWS"))
		change("use", plan, came.bytes);
	else if (strcmp(came.bytes, wanted) != 0)
		refuse("wanted of %s %s, came %s", plan, wanted, came.bytes);
	buffer_free(&came);
	free(wanted);
}

/* Before another one. */
static void end_frame(void)
{
	if (n_noticed > 0 && n_noticed != frame->n_notices)
		refuse("before this line: %u notices were named, came %u", n_noticed, frame->n_notices);
	n_noticed = 0;
}

static void close_rig(void)
{
	rig.env.live = false;
	if (is_open)
		rig_close(&rig);
}

static void open_machine_of(char *text)
{
	static char fixture[64];
	bool is_nothing;

	end_frame();
	close_rig();
	snprintf(fixture, sizeof(fixture), "%s", take_word(&text));
	is_nothing = strcmp(fixture, "nothing") == 0;
	rig_open(&rig, is_nothing ? "empty" : fixture, (const char *const[]){ NULL });
	if (is_nothing)
		rig_remove(&rig, "proc");
	rig.env.page_bytes = 4096;
	is_open = true;
	frame = NULL;
	unopened = text;
}

static void open_topics(void)
{
	while (*unopened)
		rig_add(&rig, take_word(&unopened));
}

static void sample(char *text)
{
	double seconds = atof(take_word(&text));

	end_frame();
	open_topics();
	for (int times = *text ? atoi(text) : 1; times > 0; times--)
		frame = rig_sample(&rig, seconds);
}

/* A helper is a process: it takes its time. */
static void await(char *text)
{
	const char *topic = take_word(&text);
	const struct table *table;

	do {
		sample((char[]){ "0" });
		table = table_of(topic);
	} while (table->n_rows == 0 ||
		 !row_is_known(table_row(table, 0), schema_find(table->schema, text)));
}

static bool run_expectation(const char *what, char *text)
{
	if (strcmp(what, "row") == 0 || strcmp(what, "whole") == 0 || strcmp(what, "no") == 0) {
		const char *topic = take_word(&text);

		check_rows(what, topic, text);
	} else if (strcmp(what, "by") == 0) {
		check_column(text);
	} else if (strcmp(what, "order") == 0) {
		check_order(text);
	} else if (strcmp(what, "rows") == 0) {
		const char *topic = take_word(&text);

		count_rows(topic, text);
	} else if (strcmp(what, "use") == 0) {
		const char *plan = take_word(&text);

		join(text);
		check_plan(plan, text);
	} else if (strcmp(what, "failed") == 0) {
		if (!frame_slot((struct frame *)frame, text)->failed)
			refuse("%s has not failed", text);
	} else if (strcmp(what, "quiet") == 0 || strcmp(what, "notice") == 0 || strcmp(what, "remedy") == 0) {
		check_notices(what, text);
	} else {
		return false;
	}
	return true;
}

static void request_columns(char *names)
{
	const struct schema *schema = topic_find(take_word(&names))->schema;
	unsigned long columns = *names ? 0 : ~0UL;

	while (*names) {
		const char *name = take_word(&names);
		const struct column *column = schema_find(schema, name);

		if (!column)
			refuse("%s is not a column of %s", name, schema->name);
		columns |= 1UL << column->on_request;
	}
	sample_request_add(&rig.request, schema, columns);
}

static void set(char *text)
{
	const char *name = take_word(&text);

	if (!settings_set(&rig.settings, name, text, 0))
		refuse("the setting %s cannot be %s", name, text);
}

static void request_visible(char *pids)
{
	for (rig.request.n_visible = 0; *pids; rig.request.n_visible++)
		rig.request.visible[rig.request.n_visible] = (uint32_t)atoi(take_word(&pids));
}

/* "none", or specs parted by "; ", at most two. */
static void set_traces(char *text)
{
	char why[256];

	specs.n = 0;
	specs.epoch++;
	memset(specs.list, 0, sizeof(specs.list));
	for (char *next; text && strcmp(text, "none") != 0; text = next) {
		next = strstr(text, "; ");
		if (next) {
			*next = '\0';
			next += 2;
		}
		if (!trace_spec_parse(&specs.list[specs.n++], text, why, sizeof(why)))
			refuse("%s", why);
	}
	rig.request.traces = &specs;
}

static bool run_request(const char *what, char *text)
{
	const struct {
		const char *name;
		bool *flag;
	} flags[] = {
		{ "batch", &rig.request.batch },         { "recorded", &rig.request.recorded },
		{ "read_only", &rig.request.read_only }, { "no_bpf", &rig.request.no_bpf },
		{ "idle_shown", &rig.request.idle_shown }, { "all_groups", &rig.request.all_groups },
		{ "named_columns", &rig.request.named_columns }, { "live", &rig.env.live },
		{ "numa_maps", &rig.request.numa_maps },
		{ "time_of_mapped", &rig.request.time_of_mapped },
	};

	for (size_t i = 0; i < sizeof(flags) / sizeof(flags[0]); i++)
		if (strcmp(what, flags[i].name) == 0)
			return *flags[i].flag = *text == '1', true;
	if (strcmp(what, "columns") == 0)
		request_columns(text);
	else if (strcmp(what, "visible") == 0)
		request_visible(text);
	else if (strcmp(what, "group_pid") == 0)
		rig.request.group_pid = (uint32_t)atoi(text);
	else if (strcmp(what, "in") == 0)
		rig_set_scope(&rig, &scope, *text ? text : NULL);
	else if (strcmp(what, "processes") == 0)
		rig.request.processes = *text ? text : NULL;
	else if (strcmp(what, "next") == 0)
		rig.request.n_next++;
	else if (strcmp(what, "kept") == 0)
		rig.env.pids.kept_max = (size_t)atoi(text);
	else if (strcmp(what, "own_pid") == 0)
		rig.env.own_pid = (uint32_t)atoi(text);
	else if (strcmp(what, "profiled") == 0)
		rig.request.profiled_pid = (uint32_t)atoi(text);
	else if (strcmp(what, "mapped") == 0)
		rig.request.mapped =
			(struct process_choice){ .is_set = atoi(text) > 0, .pid = (uint32_t)atoi(text) };
	else if (strcmp(what, "trace") == 0)
		set_traces(text);
	else if (strcmp(what, "set") == 0)
		set(text);
	else
		return false;
	return true;
}

static bool run_files(const char *what, char *text)
{
	char path[512];
	const char *name;

	if (strcmp(what, "put") == 0) {
		size_t length = strcspn(text, " \n");
		bool below = text[length] == '\n';

		snprintf(path, sizeof(path), "%.*s", (int)length, text);
		put(path, text + length + (text[length] && !below));
	} else if (strcmp(what, "link") == 0) {
		name = place_of(take_word(&text));
		unlink(name);
		if (symlink(text, name) < 0)
			refuse("%s cannot be made", name);
	} else if (strcmp(what, "remove") == 0) {
		rig_remove(&rig, text);
	} else if (strcmp(what, "make") == 0) {
		rig_make(&rig, text);
	} else if (strcmp(what, "tick") == 0) {
		rig_tick(&rig, atoi(text));
	} else {
		return false;
	}
	return true;
}

static size_t find(const char *kind, const char *name);
static void run_lines(size_t first, char *const *values);

/* The number of a name that ends at a parenthesis: where that is. A flag of open(2) is octal. */
static const char *put_number(struct buffer *to, const char *name)
{
	const char *end = strchr(name, ')');
	uint64_t number;

	if (!end)
		refuse("after a backslash, a parenthesis is not closed");
	number = script_value(&rig.script, textf("%.*s", (int)(end - name), name));
	buffer_print(to, *name == 'O' ? "0%" PRIo64 : "%" PRIu64, number);
	return end;
}

/* The text with what stands for $1, $2, ..., and with numbers of names. */
static char *fill_in(const char *text, char *const *values)
{
	struct buffer filled = { 0 };
	char *copy;

	for (; *text; text++) {
		unsigned number = *text == '$' ? (unsigned)(text[1] - '1') : VALUES_MAX;

		if (*text == '\\' && text[1] == '(')
			text = put_number(&filled, text + 2);
		else if (*text == '\\' && text[1])
			buffer_char(&filled, *text++), buffer_char(&filled, *text);
		else if (!values || number >= VALUES_MAX)
			buffer_char(&filled, *text);
		else
			buffer_text(&filled, values[number] ? values[number] : ""), text++;
	}
	buffer_char(&filled, '\0');
	copy = memcpy(arena_take(&arena, filled.length), filled.bytes, filled.length);
	buffer_free(&filled);
	return copy;
}

static void need(const char *what)
{
	const struct cpu_times measured = { .irq = 1 };

	if (strcmp(what, "interrupt_times") != 0)
		refuse("nothing is known of %s", what);
	if (!cpu_times_measures_interrupts(&measured))
		skip_test("this architecture has clocks of its own");
}

static void run_steps(char *text)
{
	const char *name = take_word(&text);
	char *values[VALUES_MAX] = { NULL };

	for (unsigned i = 0; i < VALUES_MAX && *text; i++)
		values[i] = take_word(&text);
	run_lines(find("steps", name), values);
}

static void run_line(const struct line *line, char *const *values)
{
	char *rest, *what;

	here = line;
	rest = fill_in(line->text, values);
	if (is_open && script_run(&rig.script, rest))
		return;
	what = take_word(&rest);
	if (strcmp(what, "open") == 0)
		open_machine_of(rest);
	else if (strcmp(what, "needs") == 0)
		need(rest);
	else if (strcmp(what, "do") == 0)
		run_steps(rest);
	else if (strcmp(what, "add") == 0)
		open_topics(), rig_add(&rig, rest);
	else if (strcmp(what, "slept") == 0)
		rig.clock.slept_ns += (uint64_t)(atof(rest) * 1e9);
	else if (strcmp(what, "sample") == 0)
		sample(rest);
	else if (strcmp(what, "await") == 0)
		await(rest);
	else if (!run_files(what, rest) && !run_request(what, rest) && !run_expectation(what, rest))
		refuse("unknown word %s; tests/unit/rows_test.c has a list", what);
}

static void run_lines(size_t first, char *const *values)
{
	for (size_t i = first; i < file.n_lines; i++) {
		const char *text = file.lines[i].text;

		if (begins(text, "case") || begins(text, "steps"))
			return;
		if (*text && *text != '#')
			run_line(&file.lines[i], values);
	}
}

/* The line behind "KIND NAME". */
static size_t find(const char *kind, const char *name)
{
	for (size_t i = 0; i < file.n_lines; i++)
		if (begins(file.lines[i].text, kind) &&
		    strcmp(file.lines[i].text + strlen(kind) + 1, name) == 0)
			return i + 1;
	refuse("there is no %s %s", kind, name);
}

static void run_case(int i)
{
	bool is_changed = false;

	load(cases[i].file);
	run_lines(find("case", cases[i].name), NULL);
	end_frame();
	close_rig();
	for (size_t k = 0; k < file.n_lines; k++)
		is_changed |= file.lines[k].is_changed;
	if (is_changed)
		store();
	arena_free(&arena);
}

static void add_cases_of(const char *name)
{
	load(name);
	for (size_t i = 0; i < file.n_lines && n_cases < CASES_MAX; i++) {
		if (!begins(file.lines[i].text, "case"))
			continue;
		cases[n_cases].file = alloc_text(name);
		cases[n_cases].name = alloc_text(file.lines[i].text + strlen("case "));
		suite_add_numbered(cases[n_cases].name, run_case, __FILE__, n_cases);
		n_cases++;
	}
}

__attribute__((constructor)) static void add_cases(void)
{
	for_each_test_file("rows", add_cases_of);
}
