/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Rows of topics over files that change, from tests/rows/TOPIC.txt. Each case there is a test:
 *
 *   case NAME                     what follows, up to the next one; lines that begin with # say why
 *   open FIXTURE [TOPIC]...       a machine: tick0 of tests/fixtures/FIXTURE, or of nothing; again: another
 *   add TOPIC                     one more topic, which may need files that were put there
 *   put PATH TEXT                 a file; in it are \n, \xff and, for no newline at the end, \c; or its lines
 *                                 follow, indented by a tab
 *   make PATH, link PATH TO, remove PATH    a directory, a symbolic link; one of them goes, or a file
 *   tick N                        files of this tick of the fixture are laid over it
 *   do NAME [ARGUMENT]...         the lines of "steps NAME" in this file, in which $1 is the first argument
 *   batch 1, recorded 1, read_only 1, no_bpf 1, columns TOPIC, in TERM, processes LIST    of the request
 *   set NAME VALUE                a setting
 *   sample SECONDS [TIMES]        all topics, that long after the last one; what follows is about it:
 *   row TOPIC COLUMN=VALUE...     one row has these; ? is unknown, - is blank, numbers have ten digits
 *   by TOPIC KEY COLUMN K=V...    one such row for each K: KEY=K COLUMN=V
 *   whole TOPIC COLUMN=VALUE...   as row, and no other column is known
 *   no TOPIC COLUMN=VALUE...      no row has these
 *   rows TOPIC N, failed TOPIC    its number of rows; it has failed
 *   quiet, notice TEXT, remedy TEXT    no notice; one has this in it, and no line is missing; its remedy
 *
 * A line that begins with a tab goes on with the one above. UPDATE_ROWS=yes writes what came in place of what
 * row, whole and rows wanted: read the diff.
 */
#include <config.h>

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/alloc.h"
#include "core/buffer.h"
#include "core/span.h"
#include "case_file.h"
#include "rig.h"

/* What the lines are about. */
static struct rig rig;
static bool is_open;
static struct scope scope;
static const struct frame *frame;
static unsigned n_noticed; /* notices of frame that lines have named */

/* Of the libraries of drivers no machine has any: rows are those of files. */
void *dlopen(const char *name, int flags)
{
	(void)name;
	(void)flags;
	return NULL;
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

static void check_rows(const char *what, const char *topic, char *values)
{
	const struct table *table = table_of(topic);
	bool whole = strcmp(what, "whole") == 0;
	size_t n_same = 0, wanted = strcmp(what, "no") != 0;
	const char *near;
	char **texts = alloc_zeroed(table->n_rows + 1, sizeof(*texts));
	struct buffer came = { 0 };

	join_lines(values);
	for (size_t i = 0; i < table->n_rows; i++) {
		texts[i] = row_values(table->schema, table_row(table, i), whole ? NULL : values);
		n_same += strcmp(texts[i], values) == 0;
		buffer_print(&came, "\n  %s", texts[i]);
	}
	near = nearest_line(values, texts, table->n_rows);
	if (n_same != wanted && getenv("UPDATE_ROWS") && wanted && table->n_rows > 0 && !case_file.in_steps &&
	    !begins_with_word(case_file.here->text, "by"))
		change_case_line(textf("%s %s %s", what, topic, near));
	else if (n_same != wanted)
		refuse_case("wanted %zu row%s of %s\n  %s\ncame %zu; the nearest is\n  %s\nof all:%.4000s",
			    wanted, wanted == 1 ? "" : "s", topic, values, n_same,
			    near ? near : "none", came.bytes ? came.bytes : " none");
	for (size_t i = 0; i < table->n_rows; i++)
		free(texts[i]);
	free(texts);
	buffer_free(&came);
}

static void check_column(char *text)
{
	const char *topic = take_word(&text), *key = take_word(&text), *column = take_word(&text);

	join_lines(text);
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

/* Before another one. */
static void end_frame(void)
{
	if (n_noticed > 0 && n_noticed != frame->n_notices)
		refuse_case("before this line: %u notices were named, came %u", n_noticed, frame->n_notices);
	n_noticed = 0;
}

static void open_machine_of(char *text)
{
	static char fixture[64];
	bool is_nothing;

	end_frame();
	if (is_open)
		rig_close(&rig);
	snprintf(fixture, sizeof(fixture), "%s", take_word(&text));
	is_nothing = strcmp(fixture, "nothing") == 0;
	rig_open(&rig, is_nothing ? "empty" : fixture, (const char *const[]){ NULL });
	if (is_nothing)
		rig_remove(&rig, "proc");
	rig.env.page_bytes = 4096;
	is_open = true;
	frame = NULL;
	while (*text)
		rig_add(&rig, take_word(&text));
}

static void sample(char *text)
{
	double seconds = atof(take_word(&text));

	end_frame();
	for (int times = *text ? atoi(text) : 1; times > 0; times--)
		frame = rig_sample(&rig, seconds);
}

static bool run_expectation(const char *what, char *text)
{
	if (strcmp(what, "row") == 0 || strcmp(what, "whole") == 0 || strcmp(what, "no") == 0) {
		const char *topic = take_word(&text);

		check_rows(what, topic, text);
	} else if (strcmp(what, "by") == 0) {
		check_column(text);
	} else if (strcmp(what, "rows") == 0) {
		const char *topic = take_word(&text);

		count_rows(topic, text);
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

static void set_setting(char *text)
{
	const char *name = take_word(&text);

	if (!settings_set(&rig.settings, name, text, 0))
		refuse_case("%s cannot be %s", name, text);
}

static bool run_request(const char *what, char *text)
{
	const struct {
		const char *name;
		bool *flag;
	} flags[] = {
		{ "batch", &rig.request.batch },         { "recorded", &rig.request.recorded },
		{ "read_only", &rig.request.read_only }, { "no_bpf", &rig.request.no_bpf },
		{ "idle_shown", &rig.request.idle_shown },
	};

	for (size_t i = 0; i < sizeof(flags) / sizeof(flags[0]); i++)
		if (strcmp(what, flags[i].name) == 0)
			return *flags[i].flag = *text == '1', true;
	if (strcmp(what, "columns") == 0)
		sample_request_add(&rig.request, topic_find(text)->schema, ~0UL);
	else if (strcmp(what, "in") == 0)
		rig_set_scope(&rig, &scope, *text ? text : NULL);
	else if (strcmp(what, "processes") == 0)
		rig.request.processes = text;
	else if (strcmp(what, "set") != 0)
		return false;
	else
		set_setting(text);
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
			refuse_case("%s cannot be made", name);
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

static void run_line(char *text)
{
	const char *what = take_word(&text);

	if (strcmp(what, "open") == 0)
		open_machine_of(text);
	else if (strcmp(what, "add") == 0)
		rig_add(&rig, text);
	else if (strcmp(what, "sample") == 0)
		sample(text);
	else if (!run_files(what, text) && !run_request(what, text) && !run_expectation(what, text))
		refuse_case("unknown word %s; tests/unit/rows_test.c has a list", what);
}

static void run_lines(size_t first)
{
	run_case_lines(first, run_line);
	end_frame();
	if (is_open)
		rig_close(&rig);
}

__attribute__((constructor)) static void add_files(void)
{
	add_cases("rows", run_lines);
}
