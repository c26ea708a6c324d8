/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Tests of the scope over recorded samples: who is a member follows from their tables. */
#include <config.h>

#include <math.h>
#include <string.h>

#include "model/scope_frame.h"
#include "suite.h"
#include "topic/topic.h"

static void *add(struct frame *frame, const char *topic)
{
	struct table *table = frame_slot(frame, topic);

	table->present = true;
	return table_add(table);
}

static void put_text(const struct frame *frame, const char *topic, void *row, const char *key,
		     const char *text)
{
	row_set_text(row, schema_find(frame_table(frame, topic)->schema, key), text);
}

static void put_number(const struct frame *frame, const char *topic, void *row, const char *key,
		       uint64_t number)
{
	const struct column *column = schema_find(frame_table(frame, topic)->schema, key);

	if (column->type == VALUE_U64)
		row_set_u64(row, column, number);
	else
		row_set_f64(row, column, (double)number);
}

static void add_process(struct frame *frame, uint64_t pid, uint64_t parent, const char *user,
			const char *name)
{
	void *row = add(frame, "process");

	put_number(frame, "process", row, "pid", pid);
	put_number(frame, "process", row, "ppid", parent);
	put_number(frame, "process", row, "start_seconds", pid * 10);
	put_text(frame, "process", row, "user", user);
	put_text(frame, "process", row, "name", name);
}

static void add_event(struct frame *frame, const char *event, uint64_t pid, uint64_t tid, uint64_t parent)
{
	void *row = add(frame, "event");

	put_text(frame, "event", row, "event", event);
	put_number(frame, "event", row, "pid", pid);
	put_number(frame, "event", row, "tid", tid);
	put_number(frame, "event", row, "ppid", parent);
}

static void open_scope(struct scope *scope, struct frame *frame, const char *text)
{
	struct scope_term term;
	char why[256];

	*scope = (struct scope){ 0 };
	ck_assert_msg(scope_term_parse(&term, text, why, sizeof(why)), "%s", why);
	ck_assert(scope_add(scope, &term));
	frame_open(frame, topic_schemas(), n_topics);
}

static void close_scope(struct scope *scope, struct frame *frame)
{
	scope_free(scope);
	frame_close(frame);
}

START_TEST(members_are_those_of_the_table)
{
	struct scope_process process;
	struct scope scope;
	struct frame frame;

	open_scope(&scope, &frame, "user=bob");
	ck_assert(!scope_frame_process(&frame, 10, &process));
	add_process(&frame, 10, 1, "bob", "sh");
	add_process(&frame, 11, 10, "root", "su");
	add_process(&frame, U64_UNKNOWN, 10, "bob", "(others)");
	add_process(&frame, 12, 11, "bob", "make");
	scope_read_frame(&scope, &frame, true);
	ck_assert(scope_has(&scope, 10, 100) && scope_has(&scope, 12, 120));
	ck_assert(!scope_has(&scope, 11, 110) && !scope_has(&scope, 10, 500));
	ck_assert_uint_eq(scope.n_members, 2);
	ck_assert_uint_eq(frame.n_notices, 0);
	ck_assert(scope_frame_process(&frame, 12, &process));
	ck_assert(process.pid == 12 && process.parent_pid == 11 && process.start_seconds == 120);
	ck_assert(strcmp(process.user, "bob") == 0 && span_is(process.name, "make"));
	ck_assert(!scope_frame_process(&frame, 13, &process));
	ck_assert(!scope_frame_process(&frame, U64_UNKNOWN, &process));
	close_scope(&scope, &frame);
}

/* Children that live between two samples are in the events alone. */
START_TEST(children_are_those_of_events)
{
	struct scope scope;
	struct frame frame;

	open_scope(&scope, &frame, "tree=10");
	add_process(&frame, 10, 1, "bob", "make");
	add_process(&frame, 11, 1, "bob", "sh");
	scope_read_frame(&scope, &frame, true);
	frame_clear(&frame);
	add_event(&frame, "fork", 20, 20, 10);
	add_event(&frame, "fork", 21, 22, 10); /* a thread */
	add_event(&frame, "fork", 23, 23, 11);
	add_event(&frame, "fork", 24, 24, 20);
	add_process(&frame, 10, 1, "bob", "make");
	add_process(&frame, 11, 1, "bob", "sh");
	scope_read_frame(&scope, &frame, true);
	ck_assert(scope_has(&scope, 10, NAN) && scope_has(&scope, 20, NAN) && scope_has(&scope, 24, NAN));
	ck_assert(!scope_has(&scope, 11, NAN) && !scope_has(&scope, 21, NAN) && !scope_has(&scope, 23, NAN));
	close_scope(&scope, &frame);
}

#define WEB_ID "4f0c1e5a77b2d3914f0c1e5a77b2d3914f0c1e5a77b2d3914f0c1e5a77b2d391"
#define DB_ID "77b2d3914f0c1e5a77b2d3914f0c1e5a77b2d3914f0c1e5a77b2d3914f0c1e5a"

START_TEST(containers_have_the_names_that_were_recorded)
{
	static const char *const paths[] = { "/docker/" WEB_ID, "/docker/" DB_ID, "/srv" };
	static const char *const names[] = { "web", "db", "db" };
	static const char *const kinds[] = { "container", "container", "slice" };
	struct scope scope;
	struct frame frame;

	open_scope(&scope, &frame, "container=db");
	for (unsigned i = 0; i < 3; i++) {
		void *group = add(&frame, "group");

		put_text(&frame, "group", group, "path", paths[i]);
		put_text(&frame, "group", group, "name", names[i]);
		put_text(&frame, "group", group, "kind", kinds[i]);
		add_process(&frame, 10 + i, 1, "root", "x");
		put_text(&frame, "process",
			 table_row(frame_table(&frame, "process"), i), "group", paths[i]);
	}
	scope_read_frame(&scope, &frame, true);
	ck_assert(!scope_has(&scope, 10, NAN) && scope_has(&scope, 11, NAN) && !scope_has(&scope, 12, NAN));
	ck_assert(scope_has_group(&scope, paths[1]) && !scope_has_group(&scope, paths[0]));
	close_scope(&scope, &frame);
}

START_TEST(what_decides_may_be_missing)
{
	struct scope scope, none = { 0 };
	struct frame frame;

	open_scope(&scope, &frame, "user=bob");
	scope_read_frame(&none, &frame, true);
	scope_read_frame(&scope, &frame, false); /* live, its source feeds it */
	ck_assert_uint_eq(frame.n_notices, 0);
	scope_read_frame(&scope, &frame, true);
	ck_assert_uint_eq(frame.n_notices, 1);
	ck_assert_str_eq(frame.notices[0].text, "which processes are in user bob is not known: the recording "
						"has no processes");
	frame_clear(&frame);
	add_process(&frame, 10, 1, NULL, "sh"); /* without its user */
	scope_read_frame(&scope, &frame, true);
	ck_assert_uint_eq(frame.n_notices, 1);
	ck_assert_ptr_nonnull(strstr(frame.notices[0].text, "user bob"));
	frame_clear(&frame);
	add_process(&frame, 10, 1, "bob", "sh");
	frame_slot(&frame, "process")->failed = true;
	scope_read_frame(&scope, &frame, true);
	ck_assert_uint_eq(frame.n_notices, 0);
	ck_assert(!scope_has(&scope, 10, NAN)); /* what failed is not looked at */
	close_scope(&scope, &frame);
}
