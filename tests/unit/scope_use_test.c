/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a scope uses, of tables that the test fills: by its control group, or summed over its processes. */
#include "suite.h"

#include "core/alloc.h"
#include "model/scope.h"
#include "topic/topic.h"

static struct scope scope;
static struct frame frame;

static void choose(const char *text)
{
	struct scope_term term;
	char why[256];

	frame_open(&frame, topic_schemas(), n_topics);
	frame_slot(&frame, "process")->present = true;
	frame_slot(&frame, "group")->present = true;
	scope = (struct scope){ 0 };
	if (text)
		ck_assert(scope_term_parse(&term, text, why, sizeof(why)) && scope_add(&scope, &term));
}

static void finish(void)
{
	frame_close(&frame);
	scope_free(&scope);
}

static void set(struct table *table, void *row, const char *column, double value)
{
	const struct column *found = schema_known_column(table->schema, column);

	if (found->type == VALUE_F64)
		row_set_f64(row, found, value);
	else
		row_set_u64(row, found, isnan(value) ? U64_UNKNOWN : (uint64_t)value);
}

/* A process of user 7, unless its pid is 9. */
static void *put_process(unsigned pid, double resident, double shared)
{
	struct table *table = frame_slot(&frame, "process");
	void *row = table_add(table);

	set(table, row, "pid", pid);
	set(table, row, "start_seconds", 1);
	set(table, row, "uid", pid == 9 ? 0 : 7);
	set(table, row, "resident_bytes", resident);
	set(table, row, "shared_bytes", shared);
	return row;
}

static void *put_group(const char *path, double memory, double anonymous, double file, double kernel)
{
	struct table *table = frame_slot(&frame, "group");
	void *row = table_add(table);

	row_set_text(row, schema_known_column(table->schema, "path"), path);
	set(table, row, "memory_bytes", memory);
	set(table, row, "anonymous_bytes", anonymous);
	set(table, row, "file_bytes", file);
	set(table, row, "kernel_bytes", kernel);
	return row;
}

/* Looks at the processes, and derives. */
static void derive(void)
{
	const struct table *table = frame_table(&frame, "process");

	scope_begin(&scope);
	for (size_t i = 0; i < table->n_rows; i++) {
		const void *row = table_row(table, i);

		scope_look(&scope, &(struct scope_process){ .pid = table_u64(table, row, "pid"),
							    .parent_pid = 1,
							    .start_seconds = 1,
							    .uid = table_u64(table, row, "uid"),
							    .name = span_text("x"),
							    .program = span_text("") });
	}
	scope_end(&scope);
	scope_use_derive(&scope, &frame);
}

/* "column=value ..." of the row; ? is unknown. */
static void check_use(const char *wanted)
{
	struct span left = span_text(wanted), word;

	while (span_word(&left, &word)) {
		const char *equals = memchr(word.at, '=', span_length(word));
		const char *column = textf("%.*s", (int)(equals - word.at), word.at);
		double found = frame_number(&frame, "scope_use", NULL, column);

		ck_assert_msg(equals[1] == '?' ? isnan(found) : found == strtod(equals + 1, NULL), "%s: %g",
			      column, found);
	}
}

static void check_basis(const char *basis, const char *group)
{
	const struct table *table = frame_table(&frame, "scope_use");

	ck_assert_str_eq(table_text(table, table_row(table, 0), "basis"), basis);
	ck_assert_str_eq(table_text(table, table_row(table, 0), "group"), group);
}

START_TEST(without_a_scope_there_is_no_row)
{
	choose(NULL);
	put_process(5, 1000, 300);
	scope_use_derive(&scope, &frame);
	ck_assert(!frame_table(&frame, "scope_use"));
	finish();
}

START_TEST(processes_are_summed)
{
	choose("user=7");
	put_process(5, 1000, 300);
	put_process(6, 500, 500);
	put_process(9, 7000, 0);
	derive();
	check_basis("processes", "");
	check_use("processes=2 memory_bytes=1500 anonymous_bytes=700 file_bytes=800 kernel_bytes=? "
		  "other_bytes=? cpu_ratio=? proportional_bytes=?");
	ck_assert_uint_eq(frame.n_notices, 0);
	finish();
}

/* Unknown is not 0: it is left out, with a notice; a kernel thread has no memory, which is known. */
START_TEST(unknown_memory_of_a_process)
{
	choose("user=7");
	put_process(5, 1000, 300);
	put_process(6, NAN, 50);
	derive();
	check_use("processes=2 memory_bytes=1000 file_bytes=300");
	ck_assert_uint_eq(frame.n_notices, 1);
	finish();
	choose("user=7");
	put_process(6, NAN, NAN);
	derive();
	check_use("memory_bytes=? anonymous_bytes=?");
	finish();
	choose("user=7");
	put_process(5, 0, 0);
	derive();
	check_use("memory_bytes=0 proportional_bytes=0");
	finish();
}

/* Rates that are not known yet do not hide the others; PSS that is not known of one does. */
START_TEST(rates_and_proportional_memory)
{
	struct table *table;

	choose("user=7");
	table = frame_slot(&frame, "process");
	for (unsigned i = 0; i < 2; i++) {
		void *row = put_process(5 + i, 1000, 300);

		set(table, row, "cpu_ratio", 0.25 + i);
		set(table, row, "read_bytes_per_second", 10 + 7 * i);
		set(table, row, "write_bytes_per_second", 20 + 7 * i);
		set(table, row, "swapped_bytes", 30 + 7 * i);
	}
	set(table, table_row(table, 0), "proportional_bytes", 800);
	derive();
	check_use("cpu_ratio=1.5 swapped_bytes=67 read_bytes_per_second=27 write_bytes_per_second=47 "
		  "proportional_bytes=?");
	set(table, table_row(table, 1), "proportional_bytes", 100);
	set(table, put_process(7, 500, 500), "proportional_bytes", 50);
	derive();
	check_use("cpu_ratio=1.5 proportional_bytes=950");
	finish();
}

/* Either of the tables is enough. */
START_TEST(without_processes_or_groups)
{
	choose("cgroup=/a");
	put_group("/a", 1000, 400, 300, 200);
	put_process(5, 700, 0);
	derive();
	frame_slot(&frame, "process")->present = false;
	scope_use_derive(&scope, &frame);
	check_use("memory_bytes=1000 processes=?");
	frame_slot(&frame, "process")->present = true;
	frame_slot(&frame, "group")->present = false;
	scope_use_derive(&scope, &frame);
	check_basis("processes", "");
	frame_slot(&frame, "process")->present = false;
	frame_slot(&frame, "scope_use")->present = false;
	scope_use_derive(&scope, &frame);
	ck_assert(!frame_table(&frame, "scope_use"));
	finish();
}

START_TEST(a_group_has_an_account_that_adds_up)
{
	struct table *table;

	choose("cgroup=/a");
	put_group("/", 90000, 1, 1, 1);
	put_group("/a", 1000, 400, 300, 200);
	put_group("/a/b", 500, 100, 100, 100);
	put_group("/ab", 700, 700, 0, 0);
	derive();
	check_basis("control group", "/a");
	check_use("memory_bytes=1000 anonymous_bytes=400 file_bytes=300 kernel_bytes=200 other_bytes=100 "
		  "limit_bytes=?");
	table = frame_slot(&frame, "group");
	set(table, table_row(table, 1), "memory_limit_bytes", 2000);
	set(table, table_row(table, 1), "memory_limit_used_ratio", 0.35);
	derive();
	check_use("limit_bytes=2000 limit_used_ratio=0.35");
	finish();
}

/* The kernel counts the whole in batches and the parts at once: the rest may be negative, and adds up. */
START_TEST(the_rest_may_be_negative)
{
	choose("service=nginx");
	put_group("/system.slice/nginx.service", 1000, 900, 300, NAN);
	derive();
	check_use("other_bytes=-200 kernel_bytes=?");
	finish();
}

/* The same unit of two users. */
START_TEST(several_groups_are_summed)
{
	struct table *table;

	choose("service=agent");
	put_group("/user.slice/1/agent.service", 1000, 900, 50, 50);
	put_group("/user.slice/1/agent.service/sub", 1000, 900, 50, 50);
	put_group("/user.slice/2/agent.service", 500, 400, 50, 50);
	table = frame_slot(&frame, "group");
	for (unsigned i = 0; i < 3; i++) {
		void *row = (char *)table->rows + i * table->schema->row_size;

		set(table, row, "cpu_ratio", 0.25 + i);
		set(table, row, "read_bytes_per_second", 10 + i);
		set(table, row, "write_bytes_per_second", 20 + i);
		set(table, row, "swap_bytes", 30 + i);
	}
	derive();
	check_basis("control group", "");
	check_use("cpu_ratio=2.5 swapped_bytes=62 read_bytes_per_second=22 write_bytes_per_second=42 "
		  "memory_bytes=1500 anonymous_bytes=1300 other_bytes=0");
	finish();
}

/* Its memory is not counted there, but its processes are. */
START_TEST(a_group_without_the_memory_controller)
{
	choose("cgroup=/a");
	put_group("/a", NAN, NAN, NAN, NAN);
	derive();
	check_basis("processes", "");
	check_use("memory_bytes=?");
	finish();
}

/* A part of the machine's account only where that was made for the scope. */
START_TEST(cpu_time_is_that_of_the_account)
{
	struct table *account;
	const struct column *part;

	choose("user=7");
	account = frame_slot(&frame, "account");
	account->present = true;
	part = schema_known_column(account->schema, "part");
	set(frame_slot(&frame, "process"), put_process(5, 1000, 300), "cpu_ratio", 0.25);
	for (unsigned i = 0; i < 2; i++) {
		void *row = table_add(account);

		row_set_text(row, part, i == 0 ? "tasks" : "exited");
		set(account, row, "cpu_ratio", 0.5);
	}
	derive();
	check_use("cpu_ratio=0.25");
	row_set_text(table_add(account), part, OUTSIDE_SCOPE);
	derive();
	check_use("cpu_ratio=1");
	finish();
}

/* Which topics are read for the table of the scope, by name: "process group", "". */
static const char *read_for(const struct sample_request *request, const char *shown)
{
	static char names[64];
	const struct schema *const *schemas = topic_schemas();
	bool *wanted = alloc_zeroed(n_topics, sizeof(*wanted));

	*names = '\0';
	for (unsigned i = 0; i < n_topics; i++)
		wanted[i] = strcmp(schemas[i]->name, shown) == 0;
	scope_use_want(request, schemas, n_topics, wanted);
	for (unsigned i = 0; i < n_topics; i++) {
		if (!wanted[i] || strcmp(schemas[i]->name, shown) == 0)
			continue;
		ck_assert_uint_lt(strlen(names) + strlen(schemas[i]->name) + 1, sizeof(names));
		strcat(strcat(names, *names ? " " : ""), schemas[i]->name);
	}
	free(wanted);
	return names;
}

START_TEST(topics_are_read_for_its_table)
{
	struct sample_request request = { .scope = &scope };

	choose(NULL);
	ck_assert_str_eq(read_for(&request, "scope_use"), "");
	request.recorded = true;
	ck_assert_str_eq(read_for(&request, "memory"), "");
	finish();
	choose("user=7");
	ck_assert_str_eq(read_for(&request, "memory"), "process"); /* a recording shows who is in it */
	request.recorded = false;
	ck_assert_str_eq(read_for(&request, "memory"), "");
	ck_assert_str_eq(read_for(&request, "scope_use"), "process");
	finish();
	choose("cgroup=/a");
	ck_assert_str_eq(read_for(&request, "memory"), "");
	ck_assert_str_eq(read_for(&request, "scope_use"), "process group");
	finish();
}

/* Is a column of processes requested for that table? */
static bool is_requested(struct sample_request *request, const char *shown, const char *column)
{
	const struct schema *const *schemas = topic_schemas();
	const struct schema *processes = frame_slot(&frame, "process")->schema;
	bool *wanted = alloc_zeroed(n_topics, sizeof(*wanted));

	for (unsigned i = 0; i < n_topics; i++)
		wanted[i] = strcmp(schemas[i]->name, shown) == 0;
	scope_use_request(request, schemas, n_topics, wanted);
	free(wanted);
	return sample_request_wants(request, processes, schema_known_column(processes, column)->on_request);
}

/* PSS takes long to read: only where it is shown. */
START_TEST(columns_are_requested_for_its_table)
{
	struct sample_request request = { .scope = &scope };
	const struct schema *own;

	choose(NULL);
	ck_assert(!is_requested(&request, "scope_use", "read_bytes"));
	finish();
	choose("user=7");
	own = frame_slot(&frame, "scope_use")->schema;
	ck_assert(!is_requested(&request, "memory", "read_bytes"));
	ck_assert(is_requested(&request, "scope_use", "read_bytes"));
	ck_assert(!is_requested(&request, "scope_use", "proportional_bytes"));
	ck_assert(!is_requested(&request, "scope_use", "wait_ratio"));
	sample_request_add(&request, own, 1UL << schema_known_column(own, "proportional_bytes")->on_request);
	ck_assert(is_requested(&request, "scope_use", "proportional_bytes"));
	finish();
}

/* Rows of one process stay; what is of several was recorded of all, and is told once. */
START_TEST(rows_of_several_processes_go_from_a_recording)
{
	static const char *const sums[] = { "exited",        "failing",     "distribution",   "process_total",
					    "power_account", "event_total", "event_lifetime", "call" };
	static const size_t n_sums = sizeof(sums) / sizeof(sums[0]);
	struct table *table;

	for (size_t first = 0; first < n_sums; first++) {
		choose("user=7");
		for (size_t i = first; i < n_sums; i++) {
			frame_slot(&frame, sums[i])->present = true;
			table_add(frame_slot(&frame, sums[i]));
			table_add(frame_slot(&frame, sums[i]));
		}
		scope_split_frame(&scope, &frame, true);
		for (size_t i = first; i < n_sums; i++) {
			ck_assert_msg(frame_slot(&frame, sums[i])->n_rows == 0, "%s", sums[i]);
			ck_assert_msg(!frame_newest_notice(&frame, sums[i]) == (i != first), "%s", sums[i]);
		}
		finish();
	}
	choose("user=7");
	table = frame_slot(&frame, "connection");
	table->present = true;
	for (unsigned i = 0; i < 5; i++)
		set(table, table_add(table), "pid", i % 2 == 0 ? i + 1.0 : (double)NAN);
	scope_split_frame(&scope, &frame, false);
	ck_assert_uint_eq(table->n_rows, 5);
	scope_split_frame(&scope, &frame, true);
	ck_assert_uint_eq(table->n_rows, 3);
	for (unsigned i = 0; i < 3; i++)
		ck_assert_double_eq(table_number(table, table_row(table, i), "pid"), 2 * i + 1);
	ck_assert_uint_eq(frame.n_notices, 0);
	finish();
}

/* Those of its groups, and live of its commands that failed; each row is marked. */
START_TEST(each_finding_is_marked)
{
	static const struct {
		const char *scope, *topic, *row;
		bool recorded, is_of_scope;
	} cases[] = {
		{ "cgroup=/a", "group", "/a", false, true },
		{ "cgroup=/a", "group", "/a/b", true, true },
		{ "cgroup=/a", "group", "/ab", false, false },
		{ "cgroup=/a", "kill", "/a", false, true },
		{ "cgroup=/a", "cpu_limit", "/a", false, true },
		{ "cgroup=/a", "cpu_limit", "/", false, false },
		{ "cgroup=/a", "memory_limit", "/a/b", true, true },
		{ "cgroup=/a", "memory_limit", "/ab", false, false },
		{ "user=7", "cpu_limit", "/a", false, false },
		{ "cgroup=/a", "group", "", false, false },
		{ "cgroup=/a", "filesystem", "/a", false, false },
		{ "cgroup=/a", "failing", "x", false, true },
		{ "cgroup=/a", "failing", "x", true, false },
		{ "user=7", "group", "/a", false, false },
		{ "user=7", "pressure", "x", false, false },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct table *table;

		choose(cases[i].scope);
		table = frame_slot(&frame, "finding");
		table->present = true;
		for (unsigned row = 0; row < 2; row++) {
			void *added = table_add(table);

			row_set_text(added, schema_known_column(table->schema, "topic"), cases[i].topic);
			row_set_text(added, schema_known_column(table->schema, "row"), cases[i].row);
		}
		scope_split_frame(&scope, &frame, cases[i].recorded);
		for (unsigned row = 0; row < 2; row++)
			ck_assert_msg(strcmp(table_text(table, table_row(table, row), "of"),
					     cases[i].is_of_scope ? "scope" : "machine") == 0,
				      "%zu", i);
		finish();
	}
	choose(NULL); /* without a scope there is nothing to tell apart */
	frame_slot(&frame, "finding")->present = true;
	table_add(frame_slot(&frame, "finding"));
	scope_split_frame(&scope, &frame, false);
	ck_assert_str_eq(
		table_text(frame_slot(&frame, "finding"), table_row(frame_slot(&frame, "finding"), 0), "of"),
		"");
	finish();
}

static struct table *put_account(double busy, double seconds)
{
	struct table *account = frame_slot(&frame, "account");
	const struct column *part = schema_known_column(account->schema, "part");
	void *row;

	account->present = true;
	account->n_rows = 0;
	row_set_text(table_add(account), part, "tasks");
	row = table_add(account);
	row_set_text(row, part, "busy");
	set(account, row, "cpu_ratio", busy);
	set(account, row, "cpu_seconds", seconds);
	return account;
}

static void check_part(size_t index, const char *part, double ratio, double seconds)
{
	const struct table *account = frame_table(&frame, "account");
	const void *row = table_row(account, index);
	double found[] = { table_number(account, row, "cpu_ratio"),
			   table_number(account, row, "cpu_seconds") };

	ck_assert_str_eq(table_text(account, row, "part"), part);
	ck_assert_msg(isnan(ratio) ? isnan(found[0]) : fabs(found[0] - ratio) < 1e-9, "%s: %g", part,
		      found[0]);
	ck_assert_msg(isnan(seconds) ? isnan(found[1]) : fabs(found[1] - seconds) < 1e-9, "%s: %g", part,
		      found[1]);
}

/* What members used is known of a recording, and added up; the rest is outside, or of those that exited. */
START_TEST(the_account_of_a_recording_is_split)
{
	static const double ratios[] = { 0.25, 0.5, NAN, 1 };
	struct table *processes, *account;
	void *row;

	choose("user=7");
	processes = frame_slot(&frame, "process");
	for (unsigned i = 0; i < 4; i++)
		set(processes, put_process(i == 3 ? 9 : 5 + i, 1000, 300), "cpu_ratio", ratios[i]);
	derive();
	processes->interval_ns = UINT64_C(2000000000);
	for (unsigned i = 1; i <= 2; i++) {
		account = put_account(2, 100 + i);
		scope_split_frame(&scope, &frame, true);
		ck_assert_uint_eq(account->n_rows, 4);
		check_part(0, "tasks", 0.75, 1.5 * i);
		check_part(1, "exited", NAN, NAN);
		check_part(2, "(outside, or exited)", 1.25, 100 + i - 1.5 * i);
		check_part(3, "busy", 2, 100 + i);
	}
	processes->interval_ns = 0; /* no rate is known yet */
	put_account(2, 103);
	scope_split_frame(&scope, &frame, true);
	check_part(0, "tasks", NAN, 3);
	check_part(2, "(outside, or exited)", NAN, 100);
	account = put_account(2, 103); /* it was recorded with this scope */
	row = table_add(account);
	row_set_text(row, schema_known_column(account->schema, "part"), OUTSIDE_SCOPE);
	row_set_text(row, schema_known_column(account->schema, "from"), "busy - user=7");
	scope_split_frame(&scope, &frame, true);
	ck_assert_uint_eq(account->n_rows, 3);
	account = put_account(2, 103);
	scope_split_frame(&scope, &frame, false);
	ck_assert_uint_eq(account->n_rows, 2);
	processes->present = false;
	scope_split_frame(&scope, &frame, true);
	ck_assert_uint_eq(account->n_rows, 0);
	finish();
}
