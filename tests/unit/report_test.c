/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a page for others hides, how it escapes texts, and that its tables leave out what is personal. */
#include <config.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/span.h"
#include "output/report/hidden_names.h"
#include "output/report/page.h"
#include "output/report/report.h"
#include "pane/panes.h"
#include "suite.h"
#include "topic/topic.h"

static void check_hidden(const char *text, const char *expected)
{
	struct buffer out = { 0 };

	hidden_names_add(&out, text);
	ck_assert_msg(strcmp(out.bytes, expected) == 0, "'%s': '%s', not '%s'", text, out.bytes, expected);
	buffer_free(&out);
}

START_TEST(users_in_paths_and_units_are_hidden)
{
	check_hidden("/home/alice", "/home/*");
	check_hidden("/home/alice/src is full", "/home/*/src is full");
	check_hidden("/home is full", "/home is full");
	check_hidden("/home/ and /homer/x", "/home/ and /homer/x");
	check_hidden("/run/user/1000/bus", "/run/user/*/bus");
	check_hidden("/run/media/bob/USB, /media/bob", "/run/media/*/USB, /media/*");
	check_hidden("/user.slice/user-1000.slice/user@1000.service/app.slice",
		     "/user.slice/user-*.slice/user@*.service/app.slice");
	check_hidden("superuser-1.slice user-runtime user.slice",
		     "superuser-1.slice user-runtime user.slice");
}
END_TEST

START_TEST(addresses_are_hidden)
{
	check_hidden("10.0.0.5:/srv/mail", "*:/srv/mail");
	check_hidden("from 192.168.100.200 port 22", "from * port 22");
	check_hidden("[fe80::5054:ff:fe12:3456]:443", "[*]:443");
	check_hidden("2001:db8:0:1:2:3:4:5", "*");
	check_hidden("52:54:00:12:34:56", "*");
	check_hidden("enx525400123456 received", "enx* received");
	check_hidden("wlx525400123456", "wlx*");
}
END_TEST

START_TEST(numbers_and_times_stay)
{
	static const char *const texts[] = {
		"",
		"12:03:07",
		"2026-11-22 12:03:07",
		"load 1.2.3",
		"300.1.1.1",
		"14.2 MiB/s",
		"kworker/u8:1-flush",
		"eth0 lo",
		"enx5254",
		"10.0.0.5000",
		"a1.2.3.4 x.1.1",
		"8:0 and 254:0",
		"std::vector",
		"user-",
	};

	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++)
		check_hidden(texts[i], texts[i]);
}
END_TEST

static void check_foreign(bool names, const char *text, const char *expected)
{
	struct page page = { .names = names };

	page_foreign(&page, text);
	ck_assert_uint_eq(page.out.length, strlen(expected));
	ck_assert(memcmp(page.out.bytes, expected, page.out.length) == 0);
	page_free(&page);
}

START_TEST(texts_of_the_machine_are_no_markup)
{
	check_foreign(true, "<script>alert(\"x\")</script> & 'y'",
		      "&lt;script&gt;alert(&quot;x&quot;)&lt;/script&gt; &amp; &#39;y&#39;");
	check_foreign(true, "a\x1b[31m\n\xff", "a?[31m ?");
	check_foreign(true, "/home/alice", "/home/alice");
	check_foreign(false, "/home/<alice>/x", "/home/*/x");
}
END_TEST

/* What the contents of a page are is up to those who write its lists: here they cannot be wrong. */
START_TEST(columns_that_name_a_person_or_a_place_are_personal)
{
	static const char *const keys[] = { "user", "uid", "euid", "local", "remote" };

	for (unsigned t = 0; t < n_topics; t++) {
		const struct schema *schema = topics[t]->schema;

		for (unsigned c = 0; c < schema->n_columns; c++) {
			const struct column *column = &schema->columns[c];
			bool personal = column->text == TEXT_COMMAND ||
					(column->type == VALUE_TEXT && strstr(column->source, "cmdline"));

			for (unsigned i = 0; i < sizeof(keys) / sizeof(keys[0]); i++)
				personal |= strcmp(column->key, keys[i]) == 0;
			if (personal)
				ck_assert_msg(column->personal, "%s.%s", schema->name, column->key);
		}
	}
}
END_TEST

static unsigned n_personal(const struct schema *schema, const char *columns)
{
	struct span rest = span_text(columns), key;
	unsigned n = 0;

	while (span_item(&rest, &key)) {
		int index = schema_column_span(schema, key);

		ck_assert_msg(index >= 0, "%s of %s", columns, schema->name);
		n += schema->columns[index].personal;
	}
	return n;
}

START_TEST(tables_show_personal_columns_only_with_names)
{
	unsigned n_tables = 0, n_with_names = 0;

	for (const struct reported_table *table = reported_overview.tables; table->title; table++) {
		const struct schema *schema = topic_find(table->topic)->schema;

		n_tables++;
		ck_assert_uint_eq(n_personal(schema, table->columns), 0);
		if (table->with_names)
			n_with_names += n_personal(schema, table->with_names) > 0;
		ck_assert_int_ge(schema_column(schema, table->sort), 0);
		if (table->threshold)
			ck_assert_int_ge(schema_column(schema, table->threshold), 0);
	}
	ck_assert_uint_gt(n_tables, 0);
	ck_assert_uint_gt(n_with_names, 0);
}
END_TEST

static void check_series(const struct series *series)
{
	const struct topic *topic = topic_find(series->topic);

	ck_assert_msg(topic != NULL, "%s", series->topic);
	ck_assert_msg(schema_column(topic->schema, series->column) >= 0, "%s.%s", series->topic,
		      series->column);
}

START_TEST(graphs_are_of_columns_with_one_unit)
{
	for (const struct reported_chart *chart = reported_overview.charts; chart->title; chart++) {
		const struct topic *topic = topic_find(chart->lines[0].series.topic);
		enum unit unit = schema_find(topic->schema, chart->lines[0].series.column)->unit;

		for (size_t i = 0; i < REPORTED_LINES_MAX && chart->lines[i].name; i++) {
			check_series(&chart->lines[i].series);
			topic = topic_find(chart->lines[i].series.topic);
			ck_assert(schema_find(topic->schema, chart->lines[i].series.column)->unit == unit);
		}
		if (chart->whole.topic)
			check_series(&chart->whole);
	}
	check_series(&reported_overview.pressure);
	check_series(&reported_overview.own_cpu);
	for (const char *const *name = reported_overview.also; *name; name++)
		ck_assert_msg(topic_find(*name) != NULL, "%s", *name);
}
END_TEST

struct thing_row {
	const char *name, *command;
};

static const struct column thing_columns[] = {
	COLUMN(struct thing_row, name, .kind = COLUMN_KEY, .title = "name", .help = "h"),
	COLUMN(struct thing_row, command, .kind = COLUMN_LABEL, .personal = true, .title = "command",
	       .help = "h"),
};

static const struct schema thing_schema = {
	.name = "thing",
	.help = "things",
	.row_size = sizeof(struct thing_row),
	SCHEMA_COLUMNS(thing_columns),
};

/* Of what each of them finds, "RULE 1 secret". */
static const struct finding_rule rules[] = {
	{ .name = "of_command", .topic = "thing", .key = "name", .called = "command" },
	{ .name = "of_name", .topic = "thing", .key = "name" },
	{ .name = "by_command", .topic = "thing", .key = "command" },
	{ .name = "of_machine", .topic = "thing", .called = "command" },
	{ .name = "of_no_topic", .topic = "other", .key = "command" },
	{ .name = "of_no_column", .topic = "thing", .key = "name", .called = "other" },
};

#define N_RULES (sizeof(rules) / sizeof(rules[0]))

/* A recording of three samples with the same findings. */
static int next_sample(void *state, struct frame *frame)
{
	struct table *table = frame_slot(frame, "finding");
	size_t *at = state;

	if (*at >= 3)
		return 0;
	frame->mono_ns = ++*at * UINT64_C(1000000000);
	frame->wall_ns = UINT64_C(1732095000000000000) + frame->mono_ns;
	frame->host = "box";
	table->present = true;
	for (size_t i = 0; i < N_RULES; i++) {
		void *row = table_add(table);

		row_set_text(row, schema_find(&finding_schema, "rule"), rules[i].name);
		row_set_text(row, schema_find(&finding_schema, "subject"),
			     arena_print(&frame->arena, "%s 1 secret", rules[i].name));
		row_set_text(row, schema_find(&finding_schema, "severity"), "warning");
		row_set_text(row, schema_find(&finding_schema, "text"), "It is so.");
	}
	return 1;
}

static int seek_sample(void *state, size_t index)
{
	*(size_t *)state = index;
	return 0;
}

static size_t find_sample(void *state, uint64_t wall_ns)
{
	(void)state;
	(void)wall_ns;
	return 0;
}

static bool extent_of_samples(void *state, size_t *n_frames, uint64_t *first_ns, uint64_t *last_ns)
{
	(void)state;
	*n_frames = 3;
	*first_ns = UINT64_C(1732095001000000000);
	*last_ns = UINT64_C(1732095003000000000);
	return true;
}

static void add_machine(const struct frame *frame, bool ascii, struct buffer *out)
{
	(void)frame;
	(void)ascii;
	buffer_text(out, "a machine\n");
}

/* NUL-terminated; the caller frees it. */
static struct buffer page_of_findings(bool names)
{
	static const struct explained_series no_series[] = { { 0 } };
	static const struct reported_chart no_charts[] = { { 0 } };
	static const struct reported_table no_tables[] = { { 0 } };
	static const char *const none[] = { NULL };
	static const struct reported reported = {
		.charts = no_charts,
		.tables = no_tables,
		.also = none,
		.strained = none,
		.pressure = { "pressure", NULL, "stalled_ratio" },
		.own_cpu = { "system", NULL, "context_switches_per_second" },
		.lines = add_machine,
	};
	const struct schema *const schemas[] = { &thing_schema, &finding_schema,
						 topic_find("system")->schema };
	size_t at = 0;
	const struct source source = {
		.next = next_sample,
		.judged = true,
		.seek = seek_sample,
		.find = find_sample,
		.extent = extent_of_samples,
		.state = &at,
	};
	const struct report_plan plan = {
		.source = &source,
		.last = REPORT_TO_END,
		.moment = REPORT_WORST,
		.schemas = schemas,
		.n_schemas = 3,
		.rules = rules,
		.n_rules = N_RULES,
		.explained = no_series,
		.reported = &reported,
		.names = names,
	};
	struct buffer page = { 0 };

	ck_assert_int_eq(report_make(&plan, &page), REPORT_FAULTLESS);
	buffer_char(&page, '\0');
	return page;
}

static void check_subject(const struct buffer *page, const char *subject)
{
	char element[64];

	snprintf(element, sizeof(element), "<b>%s</b>: It is so.", subject);
	ck_assert_msg(strstr(page->bytes, element) != NULL, "%s", subject);
}

/* Where what a rule calls its rows is personal; of a command its name stays. */
START_TEST(subjects_that_are_personal_are_cut)
{
	struct buffer page = page_of_findings(false);

	check_subject(&page, "of_command");
	check_subject(&page, "of_name 1 secret");
	check_subject(&page, "by_command");
	check_subject(&page, "of_machine 1 secret");
	check_subject(&page, "of_no_topic 1 secret");
	check_subject(&page, "of_no_column 1 secret");
	ck_assert_ptr_nonnull(strstr(page.bytes, "in 3 of 3 samples"));
	ck_assert_ptr_nonnull(strstr(page.bytes, "Command lines, users and addresses are left out"));
	buffer_free(&page);
	page = page_of_findings(true);
	check_subject(&page, "of_command 1 secret");
	check_subject(&page, "by_command 1 secret");
	ck_assert_ptr_null(strstr(page.bytes, "are left out"));
	buffer_free(&page);
}
END_TEST
