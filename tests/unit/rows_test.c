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
 *   do NAME [VALUE]...            the lines of "steps NAME" in this file, with values as $1, $2, ... $9,
 *                                 which are empty without one
 *   batch 1, recorded 1, read_only 1, no_bpf 1, columns TOPIC [COLUMN]..., in TERM, processes LIST,
 *   visible PID..., group_pid PID, all_groups 1    of the request
 *   profiled PID, mapped PID, time_of_mapped 1, trace SPEC    also of the request; 0, or none: no such wish
 *   live 1, own_pid PID, kept N   of the machine; kept: files of processes that stay open
 *   counted, uncounted, refused, ran, stack    what programs in the kernel count; see tests/unit/script.h
 *   set NAME VALUE                a setting
 *   slept SECONDS                 so long the machine was suspended
 *   busy SECONDS                  so long after its time the next sample is taken
 *   round SECONDS                 so much later threads of topics look at what they do
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
 *   asked DEVICE N                so often smartctl was asked about it
 *   quiet, notice TEXT, remedy TEXT    no notice; one has this in it, and no line is missing; its remedy
 *
 * A line that begins with a tab goes on with the one above. UPDATE_ROWS=yes writes what came in place of what
 * row, whole and rows wanted: read the diff.
 */
#include "rig.h"

#include <dlfcn.h>
#include <inttypes.h>
#include <sys/stat.h>

#include "case_file.h"
#include "core/alloc.h"
#include "core/arena.h"
#include "core/buffer.h"
#include "core/span.h"
#include "held_threads.h"
#include "kernel/system.h"
#include "model/rule.h"

/* What the lines are about. */
static struct rig rig;
static bool is_open;
static struct held_threads held;
static struct scope scope;
static struct trace_specs specs;
static const struct frame *frame;
static unsigned n_noticed; /* notices of frame that lines have named */
static struct arena arena; /* of lines with numbers of names; the request may point into it */

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
		refuse_case("%s cannot be written", full);
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
			refuse_case("a backslash stands before n, t, e, x and two digits, and itself");
		fwrite(text, 1, length, output);
		if (!is_cut)
			fputc('\n', output);
	}
	fclose(output);
}

static const struct table *table_of(const char *topic)
{
	const struct table *table = frame ? frame_table(frame, topic) : NULL;

	if (!table)
		refuse_case("%s was not sampled", topic);
	return table;
}

/* All that stands before a "=" is a column: else "no" would hold of any row. */
static void check_names(const struct schema *schema, const char *values)
{
	for (; *values; values += strcspn(values, " "), values += strspn(values, " ")) {
		size_t length = strspn(values, "abcdefghijklmnopqrstuvwxyz_0123456789");
		const char *name = textf("%.*s", (int)length, values);

		if (length > 0 && values[length] == '=' && !schema_find(schema, name))
			refuse_case("%s has no column %s", schema->name, name);
	}
}

static void check_rows(const char *what, const char *topic, char *values)
{
	const struct table *table = table_of(topic);
	bool whole = strcmp(what, "whole") == 0;
	size_t n_same = 0, wanted = strcmp(what, "no") != 0;
	const char *near;
	char **texts = alloc_zeroed(table->n_rows + 1, sizeof(*texts));
	struct buffer came = { 0 };

	join_lines(values);
	check_names(table->schema, values);
	for (size_t i = 0; i < table->n_rows; i++) {
		texts[i] = row_values(table->schema, table_row(table, i), whole ? NULL : values);
		n_same += strcmp(texts[i], values) == 0;
		buffer_print(&came, "\n  %s", texts[i]);
	}
	near = n_same == wanted ? NULL : nearest_line(values, texts, table->n_rows);
	if (n_same != wanted && getenv("UPDATE_ROWS") && wanted && table->n_rows > 0 &&
	    !begins_with_word(case_file.here->text, "by") && !strchr(case_file.here->text, '$'))
		change_case_line(textf("%s %s %s", what, topic, near));
	else if (n_same != wanted)
		refuse_case("wanted %zu row%s of %s\n  %s\ncame %zu; the nearest is\n  %s\nof all:%.4000s",
			    wanted, wanted == 1 ? "" : "s", topic, values, n_same, near ? near : "none",
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

	join_lines(text);
	for (char *comma = key; (comma = strchr(comma, ','));)
		*comma = ' ';
	while (*text) {
		char *pair = take_word(&text), *equals = strrchr(pair, '='), values[512];

		if (!equals)
			refuse_case("%s has no =", pair);
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
		refuse_case("wanted %s rows of %s, came %s", number, topic, text);
	change_case_line(textf("rows %s %s", topic, text));
}

static void check_order(char *text)
{
	const char *topic = take_word(&text);
	const struct table *table = table_of(topic);
	const struct column *column = schema_find(table->schema, take_word(&text));
	struct buffer came = { 0 };

	if (!column)
		refuse_case("%s has no such column", topic);
	for (size_t i = 0; i < table->n_rows; i++) {
		char *value = row_values(table->schema, table_row(table, i), textf("%s=", column->key));

		buffer_print(&came, "%s%s", i > 0 ? " " : "", strchr(value, '=') + 1);
		free(value);
	}
	buffer_char(&came, '\0');
	if (strcmp(came.bytes, text) != 0)
		refuse_case("wanted in this order %s, came %s", text, came.bytes);
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
		refuse_case("wanted %s %s, came%s", what, part, came.length > 1 ? came.bytes : " no notice");
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
			refuse_case("a plan has no %s, but%s", word, use);
		buffer_print(&came, "%s%.*s", came.length ? " " : "", (int)strcspn(at + 1, " "), at + 1);
	}
	buffer_char(&came, '\0');
	if (strcmp(came.bytes, wanted) != 0 && getenv("UPDATE_ROWS"))
		change_case_line(textf("use %s %s", plan, came.bytes));
	else if (strcmp(came.bytes, wanted) != 0)
		refuse_case("wanted of %s %s, came %s", plan, wanted, came.bytes);
	buffer_free(&came);
	free(wanted);
}

/* Before another one. */
static void end_frame(void)
{
	if (n_noticed > 0 && n_noticed != frame->n_notices)
		refuse_case("before this line: %u notices were named, came %u", n_noticed, frame->n_notices);
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
	rig_open(&rig, is_nothing ? "empty" : fixture, NULL);
	hold_threads(&held, &rig.env);
	if (is_nothing)
		rig_remove(&rig, "proc");
	while (*text)
		rig_add(&rig, take_word(&text));
	is_open = true;
	frame = NULL;
}

static void sample(char *text)
{
	double seconds = atof(take_word(&text));

	end_frame();
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

/* The script notes each question in a file. */
static void check_asked(const char *device, unsigned n)
{
	struct stat status = { 0 };

	fstatat(rig.env.root.fd, textf("smartctl/%s.asked", device), &status, 0);
	if (status.st_size != n)
		refuse_case("%s was asked %lld times, not %u", device, (long long)status.st_size, n);
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

		join_lines(text);
		check_plan(plan, text);
	} else if (strcmp(what, "asked") == 0) {
		const char *device = take_word(&text);

		check_asked(device, (unsigned)atoi(text));
	} else if (strcmp(what, "failed") == 0) {
		if (!frame_slot((struct frame *)frame, text)->failed)
			refuse_case("%s has not failed", text);
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
			refuse_case("%s is not a column of %s", name, schema->name);
		columns |= 1UL << column->on_request;
	}
	sample_request_add(&rig.request, schema, columns);
}

static void set(char *text)
{
	const char *name = take_word(&text);

	if (!settings_set(&rig.settings, name, text, 0))
		refuse_case("the setting %s cannot be %s", name, text);
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
			refuse_case("%s", why);
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
		name = take_word(&text);
		rig_link(&rig, name, text);
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

/* The number of a name that ends at a parenthesis: where that is. A flag of open(2) is octal. */
static const char *put_number(struct buffer *to, const char *name)
{
	const char *end = strchr(name, ')');
	uint64_t number;

	if (!end)
		refuse_case("after a backslash, a parenthesis is not closed");
	number = script_value(&rig.script, textf("%.*s", (int)(end - name), name));
	buffer_print(to, *name == 'O' ? "0%" PRIo64 : "%" PRIu64, number);
	return end;
}

/* The text with numbers of names. */
static char *fill_in(const char *text)
{
	struct buffer filled = { 0 };
	char *copy;

	for (; *text; text++)
		if (*text == '\\' && text[1] == '(')
			text = put_number(&filled, text + 2);
		else if (*text == '\\' && text[1])
			buffer_char(&filled, *text++), buffer_char(&filled, *text);
		else
			buffer_char(&filled, *text);
	buffer_char(&filled, '\0');
	copy = memcpy(arena_take(&arena, filled.length), filled.bytes, filled.length);
	buffer_free(&filled);
	return copy;
}

static void need(const char *what)
{
	const struct cpu_times measured = { .irq = 1 };

	if (strcmp(what, "interrupt_times") != 0)
		refuse_case("nothing is known of %s", what);
	if (!cpu_times_measures_interrupts(&measured))
		skip_test("this architecture has clocks of its own");
}

static void run_line(char *text)
{
	char *rest = fill_in(text), *what;

	if (is_open && script_run(&rig.script, rest))
		return;
	what = take_word(&rest);
	if (strcmp(what, "open") == 0)
		open_machine_of(rest);
	else if (strcmp(what, "needs") == 0)
		need(rest);
	else if (strcmp(what, "add") == 0)
		rig_add(&rig, rest);
	else if (strcmp(what, "slept") == 0)
		rig.clock.slept_ns += (uint64_t)(atof(rest) * 1e9);
	else if (strcmp(what, "busy") == 0)
		rig.clock.busy_ns = (uint64_t)(atof(rest) * 1e9);
	else if (strcmp(what, "sample") == 0)
		sample(rest);
	else if (strcmp(what, "round") == 0)
		rig.clock.ns += (uint64_t)(atof(rest) * 1e9), held_threads_go_on(&held);
	else if (strcmp(what, "await") == 0)
		await(rest);
	else if (!run_files(what, rest) && !run_request(what, rest) && !run_expectation(what, rest))
		refuse_case("unknown word %s; tests/unit/rows_test.c has a list", what);
}

static void run_case(size_t first)
{
	run_case_lines(first, run_line);
	end_frame();
	close_rig();
	arena_free(&arena);
}

__attribute__((constructor)) static void add_files(void)
{
	add_cases("rows", run_case);
}
