/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Tests of the scope over recorded samples: who is a member follows from their tables. */
#include "suite.h"

#include "model/scope.h"
#include "topic/topic.h"

static struct scope scope;
static struct frame frame;

static void *add(const char *topic)
{
	struct table *table = frame_slot(&frame, topic);

	table->present = true;
	return table_add(table);
}

static void put_text(const char *topic, void *row, const char *key, const char *text)
{
	row_set_text(row, schema_find(frame_table(&frame, topic)->schema, key), text);
}

static void put_number(const char *topic, void *row, const char *key, uint64_t number)
{
	const struct column *column = schema_find(frame_table(&frame, topic)->schema, key);

	if (column->type == VALUE_U64)
		row_set_u64(row, column, number);
	else
		row_set_f64(row, column, (double)number);
}

static void add_process(uint64_t pid, uint64_t parent, const char *user, const char *name)
{
	void *row = add("process");

	put_number("process", row, "pid", pid);
	put_number("process", row, "ppid", parent);
	put_number("process", row, "start_seconds", pid * 10);
	put_text("process", row, "user", user);
	put_text("process", row, "name", name);
}

static void add_event(const char *event, uint64_t pid, uint64_t tid, uint64_t parent)
{
	void *row = add("event");

	put_text("event", row, "event", event);
	put_number("event", row, "pid", pid);
	put_number("event", row, "tid", tid);
	put_number("event", row, "ppid", parent);
}

static void open_scope(const char *text)
{
	struct scope_term term;
	char why[256];

	scope = (struct scope){ 0 };
	ck_assert_msg(scope_term_parse(&term, text, why, sizeof(why)), "%s", why);
	ck_assert(scope_add(&scope, &term));
	frame_open(&frame, topic_schemas(), n_topics);
}

static void close_scope(void)
{
	scope_free(&scope);
	frame_close(&frame);
}

START_TEST(members_are_those_of_the_table)
{
	struct scope_process process;

	open_scope("user=bob");
	ck_assert(!scope_frame_process(&frame, 10, &process));
	add_process(10, 1, "bob", "sh");
	add_process(11, 10, "root", "su");
	add_process(U64_UNKNOWN, 10, "bob", "(others)");
	add_process(12, 11, "bob", "make");
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
	close_scope();
}

/* Children that live between two samples are in the events alone. */
START_TEST(children_are_those_of_events)
{
	open_scope("tree=10");
	add_process(10, 1, "bob", "make");
	add_process(11, 1, "bob", "sh");
	scope_read_frame(&scope, &frame, true);
	frame_clear(&frame);
	add_event("fork", 20, 20, 10);
	add_event("fork", 21, 22, 10); /* a thread */
	add_event("fork", 23, 23, 11);
	add_event("fork", 24, 24, 20);
	add_process(10, 1, "bob", "make");
	add_process(11, 1, "bob", "sh");
	scope_read_frame(&scope, &frame, true);
	ck_assert(scope_has(&scope, 10, NAN) && scope_has(&scope, 20, NAN) && scope_has(&scope, 24, NAN));
	ck_assert(!scope_has(&scope, 11, NAN) && !scope_has(&scope, 21, NAN) && !scope_has(&scope, 23, NAN));
	close_scope();
}

#define WEB_ID "4f0c1e5a77b2d3914f0c1e5a77b2d3914f0c1e5a77b2d3914f0c1e5a77b2d391"
#define DB_ID "77b2d3914f0c1e5a77b2d3914f0c1e5a77b2d3914f0c1e5a77b2d3914f0c1e5a"

START_TEST(containers_have_the_names_that_were_recorded)
{
	static const char *const paths[] = { "/docker/" WEB_ID, "/docker/" DB_ID, "/srv" };
	static const char *const names[] = { "web", "db", "db" };
	static const char *const kinds[] = { "container", "container", "slice" };

	open_scope("container=db");
	for (unsigned i = 0; i < 3; i++) {
		void *group = add("group");

		put_text("group", group, "path", paths[i]);
		put_text("group", group, "name", names[i]);
		put_text("group", group, "kind", kinds[i]);
		add_process(10 + i, 1, "root", "x");
		put_text("process", table_row(frame_table(&frame, "process"), i), "group", paths[i]);
	}
	scope_read_frame(&scope, &frame, true);
	ck_assert(!scope_has(&scope, 10, NAN) && scope_has(&scope, 11, NAN) && !scope_has(&scope, 12, NAN));
	ck_assert(scope_has_group(&scope, paths[1]) && !scope_has_group(&scope, paths[0]));
	close_scope();
}

START_TEST(what_decides_may_be_missing)
{
	struct scope none = { 0 };

	open_scope("user=bob");
	scope_read_frame(&none, &frame, true);
	scope_read_frame(&scope, &frame, false); /* live, its source feeds it */
	ck_assert_uint_eq(frame.n_notices, 0);
	scope_read_frame(&scope, &frame, true);
	ck_assert_uint_eq(frame.n_notices, 1);
	ck_assert_str_eq(frame.notices[0].text, "which processes are in user bob is not known: the recording "
						"has no processes");
	frame_clear(&frame);
	add_process(10, 1, NULL, "sh"); /* without its user */
	scope_read_frame(&scope, &frame, true);
	ck_assert_uint_eq(frame.n_notices, 1);
	ck_assert_ptr_nonnull(strstr(frame.notices[0].text, "user bob"));
	frame_clear(&frame);
	add_process(10, 1, "bob", "sh");
	frame_slot(&frame, "process")->failed = true;
	scope_read_frame(&scope, &frame, true);
	ck_assert_uint_eq(frame.n_notices, 0);
	ck_assert(!scope_has(&scope, 10, NAN)); /* what failed is not looked at */
	close_scope();
}
