/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a page for others hides and how it escapes texts; its numbers, findings, graphs and tables. */
#include "suite.h"

#include "app/recordings.h"
#include "app/runs.h"
#include "core/span.h"
#include "output/report/page.h"
#include "output/report/report.h"
#include "output/report/stretch.h"
#include "pane/panes.h"
#include "topic/topic.h"

static void check_hidden(const char *text, const char *expected)
{
	struct buffer out = { 0 };

	hidden_names_add(&out, text);
	ck_assert_msg(strcmp(out.bytes, expected) == 0, "'%s': '%s', not '%s'", text, out.bytes, expected);
	buffer_free(&out);
}

START_TEST(people_and_addresses_are_hidden)
{
	static const struct {
		const char *text, *expected;
	} cases[] = {
		{ "/home/alice", "/home/*" },
		{ "/home/alice/src is full", "/home/*/src is full" },
		{ "/home is full", "/home is full" },
		{ "/home/ and /homer/x", "/home/ and /homer/x" },
		{ "/run/user/1000/bus", "/run/user/*/bus" },
		{ "/run/media/bob/USB, /media/bob", "/run/media/*/USB, /media/*" },
		{ "/user.slice/user-1000.slice/user@1000.service/app.slice",
		  "/user.slice/user-*.slice/user@*.service/app.slice" },
		{ "superuser-1.slice user-runtime user.slice", "superuser-1.slice user-runtime user.slice" },
		{ "10.0.0.5:/srv/mail", "*:/srv/mail" },
		{ "from 192.168.100.200 port 22", "from * port 22" },
		{ "[fe80::5054:ff:fe12:3456]:443", "[*]:443" },
		{ "2001:db8:0:1:2:3:4:5", "*" },
		{ "52:54:00:12:34:56", "*" },
		{ "enx525400123456 received", "enx* received" },
		{ "wlx525400123456", "wlx*" },
	};
	static const char *const stay[] = {
		"", "12:03:07", "2026-11-22 12:03:07", "load 1.2.3", "300.1.1.1", "14.2 MiB/s",
		"kworker/u8:1-flush", "eth0 lo", "enx5254", "10.0.0.5000", "a1.2.3.4 x.1.1", "8:0 and 254:0",
		"std::vector", "user-"
	};

	for (size_t i = 0; i < LENGTH(cases); i++)
		check_hidden(cases[i].text, cases[i].expected);
	for (size_t i = 0; i < LENGTH(stay); i++)
		check_hidden(stay[i], stay[i]);
}

static void check_foreign(bool names, const char *text, const char *expected)
{
	struct page drawn = { .names = names };

	page_foreign(&drawn, text);
	ck_assert_uint_eq(drawn.out.length, strlen(expected));
	ck_assert(memcmp(drawn.out.bytes, expected, drawn.out.length) == 0);
	page_free(&drawn);
}

START_TEST(texts_of_the_machine_are_no_markup)
{
	check_foreign(true, "<script>alert(\"x\")</script> & 'y'",
		      "&lt;script&gt;alert(&quot;x&quot;)&lt;/script&gt; &amp; &#39;y&#39;");
	check_foreign(true, "a\x1b[31m\n\xff", "a?[31m ?");
	check_foreign(true, "/home/alice", "/home/alice");
	check_foreign(false, "/home/<alice>/x", "/home/*/x");
}

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

			for (unsigned i = 0; i < LENGTH(keys); i++)
				personal |= strcmp(column->key, keys[i]) == 0;
			if (personal)
				ck_assert_msg(column->personal, "%s.%s", schema->name, column->key);
		}
	}
}

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
	unsigned n_with_names = 0;

	for (const struct reported_table *table = reported_overview.tables; table->title; table++) {
		const struct schema *schema = topic_find(table->topic)->schema;

		ck_assert_uint_eq(n_personal(schema, table->columns), 0);
		if (table->with_names)
			n_with_names += n_personal(schema, table->with_names) > 0;
		ck_assert_int_ge(schema_column(schema, table->sort), 0);
		if (table->threshold)
			ck_assert_int_ge(schema_column(schema, table->threshold), 0);
	}
	ck_assert_uint_gt(n_with_names, 0);
}

struct thing_row {
	const char *name, *command;
};

static const struct column thing_columns[] = {
	COLUMN(struct thing_row, name, .kind = COLUMN_KEY, .title = "name", .help = "h"),
	COLUMN(struct thing_row, command, .kind = COLUMN_LABEL, .personal = true, .title = "command",
	       .help = "h"),
};

static const struct schema thing_schema = {
	.name = "thing", .help = "things", .row_size = sizeof(struct thing_row), SCHEMA_COLUMNS(thing_columns)
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

/* NUL-terminated, until the next one. */
static struct buffer page;

static void make_page(const struct report_plan *plan)
{
	setenv("TZ", "UTC", 1);
	buffer_free(&page);
	ck_assert_int_eq(report_make(plan, &page), REPORT_FAULTLESS);
	buffer_char(&page, '\0');
}

#define SECOND_NS UINT64_C(1000000000)
#define START_NS (UINT64_C(1732095000) * SECOND_NS)
#define LONGEST 1001 /* recording here: samples */
#define MANY ((size_t)2 * STRETCH_POINTS_MAX)

struct gauge_row {
	const char *name, *owner;
	uint64_t bytes;
	double share;
};

static const struct column gauge_columns[] = {
	COLUMN(struct gauge_row, name, .kind = COLUMN_KEY, .title = "gauge", .width = 5, .help = "its name"),
	COLUMN(struct gauge_row, owner, .kind = COLUMN_LABEL, .title = "owner", .width = 5, .personal = true,
	       .help = "whose it is"),
	COLUMN(struct gauge_row, bytes, .kind = COLUMN_GAUGE, .unit = UNIT_BYTES, .title = "size", .width = 5,
	       .help = "what it has"),
	COLUMN(struct gauge_row, share, .kind = COLUMN_GAUGE, .unit = UNIT_RATIO, .title = "share",
	       .width = 5, .help = "what it uses"),
};

#define GAUGES(of)                                                                                           \
	{ .name = of, .help = "h", .row_size = sizeof(struct gauge_row), SCHEMA_COLUMNS(gauge_columns) }

static const struct schema gauge_schema = GAUGES("gauge");
static const struct schema idle_schema = GAUGES("idle");     /* nobody asks for it */
static const struct schema asked_schema = GAUGES("asked");   /* of the lines of the machine */
static const struct schema drawn_schema = GAUGES("drawn");   /* of a graph */
static const struct schema listed_schema = GAUGES("listed"); /* of a table */

#define N_TOLD_SCHEMAS 8
static const struct schema *told_schemas[N_TOLD_SCHEMAS] = {
	&idle_schema,  &gauge_schema,  &finding_schema, &asked_schema,
	&drawn_schema, &listed_schema, &thing_schema,
};

/*
 * A sample: what is not known is 0. Of findings a letter each: its subject; capitals are critical, a to m are
 * warnings, the others are notes.
 */
struct told {
	double seconds;
	unsigned boot;
	double one, other, own; /* shares */
	double waiting, stalled;
	const char *findings;
	double held;    /* seconds that they have held */
	double ago;     /* … and since they were counted last */
	unsigned notes; /* findings more, and notices */
	unsigned gauges;
	double level; /* share of these */
	bool caused;  /* findings say by whom */
	bool over;    /* they are */
};

/* A recording of these. */
struct telling {
	struct told told[LONGEST];
	size_t n, next;
	size_t taken[LONGEST], n_taken; /* indexes, in the order in which they were read */
	bool wanted[N_TOLD_SCHEMAS];
	int error;     /* of the sample after the last but one */
	bool of_rules; /* each finds something in each sample */
};

static void add_gauge(struct frame *frame, const char *name, const char *owner, uint64_t bytes, double share)
{
	struct gauge_row *row = table_add(frame_slot(frame, "gauge"));

	*row = (struct gauge_row){ name, owner, bytes, share != 0 ? share : NAN };
}

static void add_told_finding(struct frame *frame, const struct told *told, const char *severity,
			     const char *rule, const char *subject)
{
	void *row = table_add(frame_slot(frame, "finding"));

	row_set_text(row, schema_find(&finding_schema, "rule"), rule);
	row_set_text(row, schema_find(&finding_schema, "subject"), subject);
	row_set_text(row, schema_find(&finding_schema, "severity"), severity);
	row_set_text(row, schema_find(&finding_schema, "text"),
		     arena_print(&frame->arena, "%s at %g%s.", severity, told->seconds,
				 told->caused ? "; most: make" : ""));
	row_set_f64(row, schema_find(&finding_schema, "since_seconds"), told->held);
	row_set_text(row, schema_find(&finding_schema, "state"), told->over ? "earlier" : "now");
	row_set_text(row, schema_find(&finding_schema, "begun"), told->held == 4 ? "before" : "");
	row_set_u64(row, schema_find(&finding_schema, "until_time"),
		    frame->wall_ns - (uint64_t)(told->ago * 1e9));
}

static void add_told_findings(struct frame *frame, const struct told *told)
{
	for (const char *letter = told->findings; letter && *letter; letter++)
		add_told_finding(frame, told,
				 *letter <= 'Z'   ? "critical"
				 : *letter <= 'm' ? "warning"
						  : "note",
				 "told", arena_print(&frame->arena, "%c", *letter | 0x20));
	for (unsigned i = 0; i < told->notes; i++) {
		add_told_finding(frame, told, "note", "told", arena_print(&frame->arena, "%u", i));
		frame_notice(frame, "gauge", NULL, "reason <%u>", i);
	}
}

static int next_told(void *state, struct frame *frame)
{
	struct telling *telling = state;
	const struct told *told = &telling->told[telling->next];

	if (telling->next >= telling->n)
		return 0;
	if (telling->error && telling->next + 1 == telling->n)
		return telling->error;
	telling->taken[telling->n_taken++ % LONGEST] = telling->next++;
	frame->wall_ns = START_NS + (uint64_t)(told->seconds * 1e9);
	frame->mono_ns = SECOND_NS + (uint64_t)(told->seconds * 1e9);
	frame->boot = told->boot;
	frame->host = "box<1>";
	frame_slot(frame, "gauge")->present = frame_slot(frame, "finding")->present = true;
	add_gauge(frame, "one", "alice", 2048, told->one);
	add_gauge(frame, "other", "bob", 4096, told->other);
	add_gauge(frame, "own", "carol", 1300, told->own);
	add_gauge(frame, "waiting", NULL, 0, told->waiting);
	add_gauge(frame, "stalled", NULL, 0, told->stalled);
	for (unsigned i = 0; i < told->gauges; i++)
		add_gauge(frame, arena_print(&frame->arena, "gauge %u", i), NULL, 1, told->level);
	add_told_findings(frame, told);
	for (size_t i = 0; telling->of_rules && i < LENGTH(rules); i++)
		add_told_finding(frame, told, "warning", rules[i].name,
				 arena_print(&frame->arena, "%s 1 secret", rules[i].name));
	return 1;
}

static int seek_told(void *state, size_t index)
{
	struct telling *telling = state;

	telling->next = index < telling->n ? index : telling->n - 1;
	return 0;
}

static size_t find_told(void *state, uint64_t wall_ns)
{
	const struct telling *telling = state;
	size_t last = 0;

	for (size_t i = 0; i < telling->n; i++)
		if (START_NS + (uint64_t)(telling->told[i].seconds * 1e9) <= wall_ns)
			last = i;
	return last;
}

static bool extent_of_told(void *state, size_t *n_frames, uint64_t *first_ns, uint64_t *last_ns)
{
	const struct telling *telling = state;

	*n_frames = telling->n;
	*first_ns = *last_ns = START_NS;
	return true;
}

static void want_told(void *state, const bool *wanted)
{
	struct telling *telling = state;

	memcpy(telling->wanted, wanted, sizeof(telling->wanted));
}

static const struct reported_chart told_charts[] = {
	{ .title = "Both",
	  .lines = { { "one", { "gauge", "one", "share" } }, { "other", { "gauge", "other", "share" } } } },
	{ .title = "Own", .lines = { { "own", { "gauge", "own", "share" } } }, .least_end = 0.6 },
	{ .title = "Nothing", .lines = { { "none", { "drawn", NULL, "share" } } } },
	{ .title = "Sizes",
	  .lines = { { "one", { "gauge", "one", "bytes" } }, { "own", { "gauge", "own", "bytes" } } },
	  .whole = { "gauge", "other", "bytes" } },
	{ .title = "More than all", .lines = { { "own", { "gauge", "own", "bytes" } } },
	  .whole = { "gauge", "stalled", "bytes" } },
	{ .title = "Zero", .lines = { { "zero", { "gauge", "stalled", "bytes" } } } },
	{ 0 },
};

static const struct reported_table told_tables[] = {
	{ .title = "Gauges", .topic = "gauge", .columns = "gauge,owner,size,share", .sort = "bytes",
	  .with_names = "gauge,owner,size", .threshold = "bytes", .least = 1024, .rows = 2 },
	{ .title = "Asked", .topic = "listed", .columns = "gauge", .sort = "bytes", .rows = 3 },
	{ .title = "Again", .topic = "gauge", .columns = "gauge,share", .sort = "share", .rows = 3 },
	{ 0 },
};

static void add_told_machine(const struct frame *frame, bool ascii, struct buffer *out)
{
	ck_assert(!ascii);
	buffer_print(out, "first of %s\nsecond\n", frame->host);
}

static const char *const told_also[] = { "asked", NULL };
static const char *const told_strained[] = { "waiting", "stalled", NULL };

/* What is told now. */
static struct {
	struct telling telling;
	struct source source;
	struct report_plan plan;
	struct stretch stretch;
} of;

static const struct explained_series told_series[] = { { 0 } };
static const struct reported told_reported = {
	.charts = told_charts, .tables = told_tables, .also = told_also, .strained = told_strained,
	.pressure = { "gauge", NULL, "share" }, .own_cpu = { "gauge", "own", "share" },
	.lines = add_told_machine
};

/* Of so many samples a second apart, about which nothing is known. */
static void tell_samples(size_t n)
{
	told_schemas[N_TOLD_SCHEMAS - 1] = topic_find("system")->schema;
	stretch_free(&of.stretch);
	memset(&of, 0, sizeof(of));
	of.telling.n = n;
	for (size_t i = 0; i < n; i++)
		of.telling.told[i].seconds = (double)i;
	of.source = (struct source){ .next = next_told,
				     .judged = true,
				     .want = want_told,
				     .seek = seek_told,
				     .find = find_told,
				     .extent = extent_of_told,
				     .state = &of.telling };
	of.plan = (struct report_plan){ .source = &of.source,
					.last = REPORT_TO_END,
					.moment = REPORT_WORST,
					.schemas = told_schemas,
					.n_schemas = N_TOLD_SCHEMAS,
					.explained = told_series,
					.reported = &told_reported };
}

static void read_told(void)
{
	of.telling.n_taken = 0;
	stretch_free(&of.stretch);
	ck_assert_int_eq(stretch_read(&of.stretch, &of.plan), REPORT_FAULTLESS);
}

/* Index of the sample that is explained, of samples with these findings and pressures. */
static size_t worst_of(size_t n, const struct told *samples, size_t at)
{
	tell_samples(at + n + 1);
	for (size_t i = 0; i < n; i++) {
		of.telling.told[at + i] = samples[i];
		of.telling.told[at + i].seconds = (double)(at + i);
	}
	read_told();
	ck_assert_uint_eq(of.stretch.moment.wall_ns, START_NS + of.stretch.moment_index * SECOND_NS);
	return of.stretch.moment_index;
}

#define FOUND(letters) { .findings = (letters) }
#define WAITING(share) { .waiting = (share) }
#define WORST_OF(at, ...)                                                                                    \
	worst_of(LENGTH(((struct told[]){ __VA_ARGS__ })), (struct told[]){ __VA_ARGS__ }, at)

/* Ten samples before it are more than tasks can wait, and less than a finding. */
START_TEST(the_worst_sample_is_explained)
{
	ck_assert_uint_eq(WORST_OF(1, WAITING(.2), WAITING(.9), WAITING(.3)), 2);
	ck_assert_uint_eq(WORST_OF(1, WAITING(.2), WAITING(.2)), 1); /* the first of them */
	ck_assert_uint_eq(WORST_OF(1, WAITING(.5), { .waiting = .3, .stalled = .3 }), 2);
	ck_assert_uint_eq(WORST_OF(1, WAITING(5), { .waiting = 1, .stalled = .1 }), 2); /* all is all */
	ck_assert_uint_eq(WORST_OF(1, { .waiting = -9, .stalled = .3 }, WAITING(.2)), 1);
	ck_assert_uint_eq(WORST_OF(0, WAITING(1), WAITING(.1)), 1); /* the first has no rates */
	ck_assert_uint_eq(WORST_OF(1, WAITING(1), FOUND("z")), 2);
	ck_assert_uint_eq(WORST_OF(1, FOUND("zyxwvu"), FOUND("a"), FOUND("zyx")), 2);
	ck_assert_uint_eq(WORST_OF(1, FOUND("abcdef"), FOUND("A"), FOUND("abc")), 2);
	ck_assert_uint_eq(WORST_OF(1, FOUND("A"), FOUND("AB"), FOUND("Aabc")), 2);
	ck_assert_uint_eq(WORST_OF(1, FOUND("a"), FOUND("zyx"), FOUND("abz"), FOUND("azyx")), 3);
	ck_assert_uint_eq(WORST_OF(1, FOUND("ab"), { .findings = "a", .waiting = 1, .stalled = 1 }), 1);
	ck_assert_uint_eq(WORST_OF(1, FOUND("ab"), { .findings = "ab", .stalled = .1 }), 2);
	ck_assert_uint_eq(WORST_OF(9, { .waiting = 1, .stalled = 1 }, WAITING(.1)), 10);
	ck_assert_uint_eq(WORST_OF(10, { .waiting = 1, .stalled = 1 }, WAITING(.1)), 10);
	ck_assert_uint_eq(WORST_OF(8, WAITING(1), WAITING(.5), WAITING(.1), WAITING(.2)), 11);
	ck_assert_uint_eq(WORST_OF(9, FOUND("ab"), FOUND("a")), 9);
	ck_assert_uint_eq(WORST_OF(9, FOUND("a"), FOUND("a")), 10);
}

static void check_line(size_t chart, size_t line, const char *expected)
{
	const double *values = stretch_line(&of.stretch, &told_reported, chart, line);
	char text[256] = "";

	for (size_t i = 0; i < of.stretch.n_points; i++)
		strcat(text, isnan(values[i]) ? " ?" : textf(" %g", values[i]));
	ck_assert_str_eq(textf("%zu, %zu:%s", chart, line, text),
			 textf("%zu, %zu: %s", chart, line, expected));
}

START_TEST(a_point_has_the_highest_value_of_its_time)
{
	static const struct told samples[] = {
		{ 0, 1, .1, .6, .01, .waiting = 0 },    { 1, 1, .3, .5, .04, .waiting = 0 },
		{ 2, 1, .2, .7, 0, .waiting = 0 },      { 3, 2, .4, .9, .02, .waiting = 0 },
		{ 6, 2, 0, .8, .03, .waiting = 0 },     { 17, 3, .5, .2, .05, .waiting = 0 },
		{ 20, 3, .25, .15, .01, .waiting = 0 },
	};

	tell_samples(7);
	memcpy(of.telling.told, samples, sizeof(samples));
	read_told();
	ck_assert(of.stretch.n_points == 7 && of.stretch.n_samples == 7 && of.stretch.step == 1);
	ck_assert(of.stretch.first_ns == START_NS && of.stretch.last_ns == START_NS + 20 * SECOND_NS);
	ck_assert(of.stretch.n_boots == 2 && of.stretch.n_gaps == 1);
	ck_assert_double_eq(of.stretch.step_seconds, 3); /* of 1, 1, 1, 3, 3, 11 */
	for (size_t i = 0; i < 7; i++) {                 /* at 0, 3⅓, 6⅔, 10, 13⅓, 16⅔ and 20 s */
		ck_assert_int_eq(of.stretch.apart[i], i == 5);
		ck_assert_uint_eq(stretch_time(&of.stretch, i), START_NS + 20 * SECOND_NS * i / 6);
		ck_assert_uint_eq(stretch_point(&of.stretch, stretch_time(&of.stretch, i)), i);
	}
	ck_assert_uint_eq(stretch_point(&of.stretch, 0), 0);
	ck_assert_uint_eq(stretch_point(&of.stretch, START_NS + 1666 * SECOND_NS / 1000), 0);
	ck_assert_uint_eq(stretch_point(&of.stretch, START_NS + 1667 * SECOND_NS / 1000), 1);
	ck_assert_uint_eq(stretch_point(&of.stretch, START_NS + 90 * SECOND_NS), 6);
	check_line(0, 0, "0.3 0.4 ? ? ? 0.5 0.25");
	check_line(0, 1, "0.6 0.9 0.8 ? ? 0.2 0.15");
	check_line(1, 0, "0.04 0.02 0.03 ? ? 0.05 0.01");
	check_line(2, 0, "? ? ? ? ? ? ?");
	check_line(3, 1, "1300 1300 1300 ? ? 1300 1300");
	ck_assert_double_eq_tol(of.stretch.own_mean, .16 / 6, 1e-9); /* of those that are known */
	ck_assert_double_eq(of.stretch.own_most, .05);
}

static void tell_at(const double *seconds, size_t n)
{
	tell_samples(n);
	for (size_t i = 0; i < n; i++) {
		of.telling.told[i].seconds = seconds[i];
		of.telling.told[i].one = .1 * (double)(i + 1);
	}
	read_told();
}

/* Where no gap is. Three times the usual time is none yet. */
START_TEST(a_point_without_a_sample_is_as_the_one_before)
{
	tell_at((const double[]){ 0, 2, 3, 4 }, 4);
	check_line(0, 0, "0.1 0.1 0.3 0.4");
	tell_at((const double[]){ 0, 1, 2, 3, 4, 7 }, 6); /* at the last, three seconds are missing */
	check_line(0, 0, "0.1 0.3 0.4 0.5 0.5 0.6");
	ck_assert_uint_eq(of.stretch.n_gaps, 0);
	tell_at((const double[]){ 0, 1, 2, 3, 4, 7.1 }, 6);
	check_line(0, 0, "0.1 0.3 0.4 0.5 ? 0.6");
	ck_assert_uint_eq(of.stretch.n_gaps, 1);
	tell_at((const double[]){ 0, .25, .5, .75, 3.75, 6 }, 6);
	ck_assert_double_eq_tol(of.stretch.step_seconds, .25, 1e-6);
	ck_assert_uint_eq(of.stretch.n_gaps, 2);
}

/* "b warning at 3. 2-5 3 2": its subject and text, since and until when, in how many samples and episodes. */
static void check_found(size_t index, const char *expected)
{
	const struct stretch_finding *finding = &of.stretch.findings[index];

	ck_assert_uint_lt(index, of.stretch.n_findings);
	ck_assert_str_eq(textf("%s %s %g-%g %zu %zu", finding->subject, finding->text,
			       (double)(int64_t)(finding->since_ns - START_NS) / 1e9,
			       (double)(finding->until_ns - START_NS) / 1e9, finding->n_samples,
			       finding->n_episodes),
			 expected);
	ck_assert_str_eq(finding->rule, "told");
	ck_assert_int_eq(strncmp(finding->text, finding->severity, strlen(finding->severity)), 0);
}

static void tell_findings(size_t n, const char *const *findings)
{
	tell_samples(n);
	for (size_t i = 0; i < n; i++)
		of.telling.told[i].findings = findings[i];
	of.telling.told[4].held = n == 8 ? 2.5 : 100;
	of.telling.told[5].ago = .5;
	read_told();
}

START_TEST(findings_come_and_go)
{
	tell_findings(8, (const char *const[]){ "", "az", "Az", "z", "azb", "bz", "by", "" });
	ck_assert_uint_eq(of.stretch.n_findings, 4);
	ck_assert_uint_eq(of.stretch.moment_index, 2);
	check_found(0, "a critical at 2. 1-4 3 2");
	check_found(1, "b warning at 6. 1.5-6 3 1");
	check_found(2, "z note at 2. 1-4.5 5 1"); /* as the moment has it */
	check_found(3, "y note at 6. 6-6 1 1");
	ck_assert(!of.stretch.has_more_findings);
	of.plan.moment = 5;
	read_told();
	ck_assert_uint_eq(of.stretch.moment_index, 5);
	check_found(0, "a critical at 2. 1-4 3 2");
	check_found(1, "b warning at 5. 1.5-6 3 1");
	of.plan.moment = 4; /* it is not as bad then */
	read_told();
	check_found(0, "a critical at 2. 1-4 3 2");
	check_found(2, "z note at 4. 1-4.5 5 1");
}

START_TEST(a_sentence_that_names_a_cause_is_kept)
{
	tell_findings(6, (const char *const[]){ "", "a", "z", "z", "z", "z" });
	of.telling.told[2].caused = of.telling.told[3].caused = true;
	of.plan.moment = 1;
	read_told();
	check_found(1, "z note at 3; most: make. 2-4.5 4 1");
	ck_assert_uint_eq(of.stretch.findings[1].text_ns, START_NS + UINT64_C(3000000000));
	of.plan.moment = 5;
	read_told();
	check_found(1, "z note at 3; most: make. 2-4.5 4 1");
}

/* The first and the last are read for their clocks; of tables, only what the page shows is. */
START_TEST(samples_are_left_out_of_many)
{
	static const struct {
		size_t first, last, moment, n_read, step;
		const char *taken;
		size_t n_samples;
	} cases[] = {
		{ 0, REPORT_TO_END, REPORT_WORST, 0, 1, " 0 1 2 3 4 5 6 7 8 9", 10 },
		{ 0, 9, REPORT_WORST, 10, 1, " 0 1 2 3 4 5 6 7 8 9", 10 },
		{ 0, 9, REPORT_WORST, 9, 2, " 0 2 4 6 8", 5 },
		{ 0, 50, REPORT_WORST, 5, 2, " 0 2 4 6 8", 5 },
		{ 0, 9, 7, 3, 4, " 0 4 7", 3 },
		{ 0, 9, 3, 3, 4, " 0 3 7", 3 },
		{ 3, 6, REPORT_WORST, 0, 1, " 2 3 4 5 6", 4 },
		{ 1, 9, 2, 3, 3, " 0 2 5 8", 3 },
		{ 9, 9, 9, 0, 1, " 8 9", 1 },
	};
	const bool shown[N_TOLD_SCHEMAS] = { false, true, true, true, true, true };

	for (size_t c = 0; c < LENGTH(cases); c++) {
		char taken[256] = "";

		tell_samples(10);
		of.plan.first = cases[c].first;
		of.plan.last = cases[c].last;
		of.plan.moment = cases[c].moment;
		of.plan.n_read = cases[c].n_read;
		read_told();
		for (size_t i = 2; i < of.telling.n_taken; i++)
			strcat(taken, textf(" %zu", of.telling.taken[i]));
		ck_assert_str_eq(taken, cases[c].taken);
		ck_assert_uint_eq(of.stretch.step, cases[c].step);
		ck_assert_uint_eq(of.stretch.n_samples, cases[c].n_samples);
		ck_assert_uint_eq(of.stretch.first_ns, START_NS + cases[c].first * SECOND_NS);
		if (cases[c].moment != REPORT_WORST)
			ck_assert_uint_eq(of.stretch.moment_index, cases[c].moment);
		ck_assert_mem_eq(of.telling.wanted, shown, sizeof(shown));
	}
}

/* Each once, and in this order. The list ends with NULL. */
static void check_parts_in_order(const char *const *parts)
{
	const char *at = page.bytes;

	for (; *parts; parts++) {
		const char *part = strstr(at, *parts);

		ck_assert_msg(part != NULL, "'%s' is not in %.2000s", *parts, at);
		ck_assert_msg(count_of(page.bytes, *parts) == 1, "'%s' is there more than once", *parts);
		at = part + strlen(*parts);
	}
}

/* Points are at 0, 20, 40, 60, 80 and 100 s. */
static void tell_page(void)
{
	static const struct told samples[] = {
		{ 0, 0, .1, 0, .02, .findings = "c" },     { 10, 0, .2, .05, .02, .findings = "b" },
		{ 20, 1, .5, 0, .02, .findings = "" },     { 30, 1, 0, 0, .02, .findings = "" },
		{ 40, 1, .3, 0, .02, .findings = "Ac" },
		{ 100, 2, .25, .1, .08, .findings = "ad", .held = 4 },
	};

	tell_samples(6);
	memcpy(of.telling.told, samples, sizeof(samples));
	of.telling.told[4].notes = 2;
}

START_TEST(a_page_has_all_of_its_parts)
{
	static const char *const parts[] = {
		"<title>panetop: box&lt;1&gt;</title>",
		"<body data-times=\"09:30:00|09:30:20|09:30:40|09:31:00|09:31:20|09:31:40\">",
		"<h1>box&lt;1&gt;</h1>\n<p>2024-11-20 09:30:00 to 09:31:40: 6 samples, usually 10 s apart, 1 "
		"gap, 2 restarts</p>\n",
		"Command lines, users and addresses are hidden (*).",
		"<ul class=\"findings\">\n<li><span class=\"critical\">critical</span> <b>a</b>: critical at "
		"40. "
		"<span class=\"dim\">09:30:40 to the end (60 s, in 2 samples)</span></li>\n",
		"<b>c</b>: at 09:30:40: warning at 40. <span class=\"dim\">09:30:00 to 09:30:40 (2 times, "
		"in 2 samples)</span></li>\n",
		"<b>b</b>: warning at 10. <span class=\"dim\">09:30:10, in one sample"
		"</span></li>\n",
		"<b>d</b>: warning at 100. <span class=\"dim\">09:31:36 to the end (at least 4 s, in 1 "
		"sample)</span></li>\n",
		"<b>0</b>: note at 40. ",
		"<b>1</b>: note at 40. ",
		"<h2>What changed around 09:30:40</h2>",
		"Chosen because it has the worst findings.",
		"<p class=\"dim\">A point is a sample. The dotted line is at 09:30:40.</p>",
		"<h3>Both</h3>",
		"one, at most 50 %</span>",
		"other, at most 10 %</span>",
		"<span>50 %</span>\n<span>25 %</span>\n<span>0</span>",
		" d=\"M0.0 80.0L96.0 0.0L192.0 40.0V100H0.0ZM480.0 50.0V100H480.0Z\"/>",
		"<path class=\"l0\" data-name=\"one\" data-values=\"10 %|50 %|30 %|-|-|25 %\" d=\"M0.0 "
		"80.0L96.0 "
		"0.0L192.0 40.0M480.0 50.0h1\"/>",
		"<path class=\"l1\" data-name=\"other\" data-values=\"-|5.0 %|-|-|-|10 %\" d=\"M96.0 "
		"90.0h1M480.0 80.0h1\"/>",
		"<h3>Own</h3>",
		"own, at most 8.0 %</span>",
		"<span>60 %</span>\n<span>30 %</span>\n<span>0</span>",
		"<h3>Sizes</h3>",
		"<span>4.0 KiB</span>\n<span>2.0 KiB</span>",
		" data-values=\"2.0 KiB|2.0 KiB|2.0 KiB|-|-|2.0 KiB\" d=\"M0.0 50.0L96.0 50.0L192.0 "
		"50.0M480.0 50.0h1\"/>",
		"<h3>More than all</h3>",
		"<span>1.5 KiB</span>\n<span>768 B</span>",
		"<h3>Zero</h3>",
		"<h2>The machine at 09:30:40</h2>\n<pre>first of box&lt;1&gt;\nsecond\n</pre>",
		"<h3>Gauges</h3>\n<div class=\"wide\"><table>\n<tr><th class=\"left\" title=\"its "
		"name\">gauge</th><th title=\"what it has\">size</th><th title=\"what it "
		"uses\">share</th></tr>\n<tr><td "
		"class=\"left\">other</td><td>4.0K</td><td>-</td></tr>\n<tr><td "
		"class=\"left\">one</td><td>2.0K</td><td>30.0</td></tr>\n</table>",
		"<h3>Again</h3>",
		"<td class=\"left\">one</td><td>30.0</td></tr>\n<tr><td "
		"class=\"left\">own</td><td>2.0</td></tr>",
		"<h3>What the columns mean</h3>",
		"<dt>gauge</dt>\n<dd>its name</dd>",
		"<dt>size</dt>\n<dd>what it has</dd>",
		"<dt>share</dt>\n<dd>what it uses</dd>",
		"<ul>\n<li>gauge: reason &lt;0&gt;</li>\n<li>gauge: reason &lt;1&gt;</li>\n</ul>",
		"<p>3.0 % of a CPU, at most 8.0 %.</p>",
		NULL,
	};

	tell_page();
	make_page(&of.plan);
	check_parts_in_order(parts);
	check_lacks(page.bytes, "alice", "<dt>owner", "Asked", "Nothing<", "others are left out",
		    "of which one in");
	ck_assert_uint_eq(count_of(page.bytes, "x1=\"192.0\" x2=\"192.0\""), 5); /* of each graph: 40 s */
	ck_assert_uint_eq(
		count_of(page.bytes, "<span>09:30:00</span>\n<span>09:30:50</span>\n<span>09:31:40</span>"),
		5);
	of.plan.names = true; /* as for oneself */
	of.plan.moment = 4;
	make_page(&of.plan);
	check_has(page.bytes, "<th class=\"left\" title=\"whose it is\">owner</th>",
		  "<td class=\"left\">bob</td><td>4.0K</td></tr>",
		  "<td class=\"left\">alice</td><td>2.0K</td></tr>", "<dt>owner</dt>\n<dd>whose it is</dd>");
	check_lacks(page.bytes, "are hidden (*)", "carol", "it has the worst findings");
}

/* The first and the last kill: it was shown in more samples. */
START_TEST(what_happened_has_the_times_of_that)
{
	static const struct finding_rule kills = { .name = "told", .topic = "gauge",
					    .age = FINDING_RECURS };

	tell_page();
	of.plan.rules = &kills;
	of.plan.n_rules = 1;
	make_page(&of.plan);
	check_has(page.bytes,
		  "<b>a</b>: critical at 40. <span class=\"dim\">09:30:40 to 09:31:40</span></li>\n",
		  "<b>b</b>: warning at 10. <span class=\"dim\">09:30:10</span></li>\n");
}

/* Where what a rule calls its rows is personal; of a command its name stays. */
START_TEST(subjects_that_are_personal_are_cut)
{
	tell_samples(3);
	of.telling.of_rules = true;
	of.plan.rules = rules;
	of.plan.n_rules = LENGTH(rules);
	make_page(&of.plan);
	check_has(page.bytes, "<b>of_command</b>: ", "<b>of_name 1 secret</b>: ", "<b>by_command</b>: ",
		  "<b>of_machine 1 secret</b>: ", "<b>of_no_topic 1 secret</b>: ",
		  "<b>of_no_column 1 secret</b>: ", ", in 3 samples)",
		  "Command lines, users and addresses are hidden (*)");
	of.plan.names = true;
	make_page(&of.plan);
	check_has(page.bytes, "<b>of_command 1 secret</b>: ", "<b>by_command 1 secret</b>: ");
	check_lacks(page.bytes, "are left out");
}

/* Points are 2⅓ s apart. Also of two beside each other, where a gap is between. */
START_TEST(lines_end_at_gaps)
{
	tell_at((const double[]){ 0, 1, 2, 3, 4, 5, 9, 13, 17, 21 }, 10);
	for (unsigned i = 0; i < 10; i++)
		of.telling.told[i].one = .5;
	make_page(&of.plan);
	check_has(page.bytes, "usually 1 s apart, 4 gaps</p>",
		  " d=\"M0.0 0.0L53.3 0.0L106.7 0.0V100H0.0ZM213.3 0.0V100H213.3ZM320.0 0.0V100H320.0ZM373.3 "
		  "0.0V100H373.3ZM480.0 0.0V100H480.0Z\"/>",
		  " d=\"M0.0 0.0L53.3 0.0L106.7 0.0M213.3 0.0h1M320.0 0.0h1M373.3 0.0h1M480.0 0.0h1\"/>");
}

START_TEST(a_page_says_what_it_leaves_out)
{
	tell_samples(MANY);
	of.telling.told[MANY - 1].seconds = MANY * 100;
	of.telling.told[1].notes = STRETCH_FINDINGS_MAX + 1;
	make_page(&of.plan);
	check_has(page.bytes, "A point is the highest of about 2 samples.",
		  "These are the first 200; others are left out.", "<p>That was not recorded.</p>",
		  "to 2024-11-21 12:10:00: 960 samples, usually 1 s apart, 1 gap</p>");
	tell_samples(4);
	of.plan.n_read = 2;
	make_page(&of.plan);
	check_has(page.bytes, ": 2 samples, usually 2 s apart, of which one in 2 was read</p>",
		  "<p>nothing out of the ordinary</p>");
	check_lacks(page.bytes, "What could not be sampled");
}

/* NULL: it does not say why. */
static void check_why(const char *expected)
{
	const char *why;

	make_page(&of.plan);
	why = strstr(page.bytes, "Chosen because ");
	if (expected)
		ck_assert_msg(why && strncmp(why + 15, expected, strlen(expected)) == 0, "%s, not %.60s",
			      expected, why ? why : "");
	else
		ck_assert_msg(!why, "%.60s", why ? why : "");
}

START_TEST(a_page_says_why_its_moment_was_chosen)
{
	tell_samples(4);
	check_why(NULL);
	of.telling.told[2].waiting = .1;
	check_why("most tasks waited then.");
	for (size_t i = 0; i < 4; i++) {
		of.telling.told[i].findings = "A";
		of.telling.told[i].over = true;
	}
	check_why("most tasks waited then.");
	of.telling.told[2].waiting = 0;
	check_why(NULL);
	of.telling.told[3].over = false;
	check_why("it has the worst findings.");
	of.plan.moment = 3; /* the user chose it */
	check_why(NULL);
	tell_samples(20); /* there is more to compare a later one with */
	of.telling.told[3].waiting = .9;
	of.telling.told[12].waiting = .2;
	check_why(NULL);
	ck_assert_uint_eq(count_of(page.bytes, "The machine at 09:30:12"), 1);
}

static int next_bare(void *state, struct frame *frame)
{
	struct telling *telling = state;

	if (telling->next >= telling->n)
		return 0;
	frame->wall_ns = START_NS + telling->next * SECOND_NS;
	frame->mono_ns = SECOND_NS * ++telling->next;
	frame->host = "box";
	return 1;
}

static size_t shown_position; /* of the sample that a screen shows */

static size_t position_told(void *state)
{
	(void)state;
	return shown_position;
}

/* Saves it where the screen does, about the sample that is shown: the text of the page, or what is wrong. */
static void save_page(size_t n, size_t near, const char *path, bool names, int expected)
{
	char error[256] = "";
	struct stat status;
	FILE *file;
	int byte;

	setenv("TZ", "UTC", 1);
	tell_samples(n);
	of.source.next = next_bare;
	of.source.want = NULL;
	of.source.position = position_told;
	of.source.near_frames = near;
	ck_assert_int_eq(report_save(NULL, &of.source, names, path, error, sizeof(error)), expected);
	buffer_empty(&page);
	buffer_text(&page, error);
	file = expected == 0 ? fopen(path, "re") : NULL;
	while (file && (byte = fgetc(file)) != EOF)
		buffer_char(&page, (char)byte);
	buffer_char(&page, '\0');
	if (file) {
		ck_assert_int_eq(stat(path, &status), 0);
		ck_assert_int_eq(status.st_mode & 0777, 0600);
		fclose(file);
		remove(path);
	}
}

/* Three quarters of it are before what is shown. */
START_TEST(a_page_of_a_long_past_is_about_what_is_shown)
{
	static const struct {
		size_t near, position;
		const char *times;
	} cases[] = {
		{ 0, 50, "2024-11-20 09:30:00 to 09:31:39:" },
		{ 40, 50, "2024-11-20 09:30:20 to 09:31:00:" },
		{ 40, 95, "2024-11-20 09:30:59 to 09:31:39:" },
		{ 40, 89, "2024-11-20 09:30:59 to 09:31:39:" },
		{ 40, 29, "2024-11-20 09:30:00 to 09:30:39:" },
		{ 40, 31, "2024-11-20 09:30:01 to 09:30:41:" },
		{ 40, 5, "2024-11-20 09:30:00 to 09:30:15:" },
	};
	char directory[SCRATCH_PATH_MAX];
	const char *path;

	scratch_directory(directory, "page");
	for (size_t c = 0; c < LENGTH(cases); c++) {
		path = textf("%s/page", directory);
		shown_position = cases[c].position;
		save_page(100, cases[c].near, path, c % 2, 0);
		ck_assert_msg(strstr(page.bytes, cases[c].times) != NULL, "%zu: %.200s", c,
			      strstr(page.bytes, "<h1>"));
		ck_assert_int_eq(strstr(page.bytes, "are hidden (*)") == NULL, c % 2);
	}
	for (size_t n = 1000; n <= 1001; n++) { /* of many a part is read */
		save_page(n, 0, textf("%s/page", directory), false, 0);
		ck_assert_int_eq(strstr(page.bytes, "of which one in 2 was read") != NULL, n > 1000);
	}
}

START_TEST(a_page_that_is_not_saved_says_why)
{
	char directory[SCRATCH_PATH_MAX];

	scratch_directory(directory, "page");
	shown_position = 0;
	save_page(0, 0, textf("%s/page", directory), false, -ENODATA);
	ck_assert_str_eq(page.bytes, "the recording has no samples");
	save_page(1, 0, textf("%s/page", directory), false, -ENODATA);
	ck_assert_str_eq(page.bytes, "the recording has only one sample; rates need two");
	save_page(3, 0, directory, false, -EEXIST);
	ck_assert_str_eq(page.bytes, "it exists already; choose another name");
}

/* Of the machine at 51 s: two numbers rose, and so many gauges more. */
static void make_page_of_changes(bool causes, unsigned n_gauges)
{
	static const struct explained_series series[] = {
		{ "one in use", "gauge", "one", NULL, "share", .05, "cpu", "", EXPLAINED_CPU },
		{ "own use", "gauge", "own", NULL, "share", .05, "cpu", "", EXPLAINED_MEMORY },
		{ "in use", "gauge", NULL, NULL, "share", .05, "cpu", "", EXPLAINED_OTHER },
		{ 0 },
	};

	tell_samples(60);
	for (unsigned i = 0; i < 60; i++) {
		struct told *told = &of.telling.told[i];

		told->one = !causes ? 0 : i < 50 ? .1 : .9;
		told->own = !causes ? 0 : i < 49 ? .3 : .7;
		told->gauges = n_gauges;
		told->level = i < 48 ? .2 : .8;
	}
	of.plan.moment = 51;
	of.plan.explained = causes ? series : series + 2;
	make_page(&of.plan);
}

START_TEST(a_page_tells_what_changed)
{
	static const char *const parts[] = {
		"<h2>What changed around 09:30:51</h2>\n<p class=\"dim\">Compared with the 51 s before (51 "
		"samples). "
		"Times are before or after this moment.</p>\n<ul>\n<li>one in use: 90 %, rose 1 s before; "
		"usually "
		"10 %. <span class=\"dim\">",
		"</span></li>\n<li>own use: 70 %, rose 2 s before; usually 30 %. <span class=\"dim\">",
		"</span></li></ul>\n<p>Other changes:</p>\n<ul>\n<li>",
		"<p class=\"dim\">Processes were not sampled then. </p>",
		NULL,
	};

	make_page_of_changes(true, 3);
	check_parts_in_order(parts);
	ck_assert_uint_eq(count_of(page.bytes, "in use: 80 %, rose 3 s before; usually 20 %."), 3);
	check_lacks(page.bytes, "more are left out");
	make_page_of_changes(false, 12);
	ck_assert_uint_eq(count_of(page.bytes, "rose 3 s before"), 12);
	check_lacks(page.bytes, "more are left out", "Other changes:");
	make_page_of_changes(false, 14);
	ck_assert_uint_eq(count_of(page.bytes, "rose 3 s before"), 12);
	check_has(page.bytes, "<p>2 more are left out.</p>");
}

/* Nothing was compared: no word of whether anything changed. */
START_TEST(a_page_knows_no_change_by_too_few_samples)
{
	tell_samples(12);
	of.plan.moment = 9;
	make_page(&of.plan);
	check_has(page.bytes, "Too few samples before to know what is usual: 9, at least 10 are needed.");
	check_lacks(page.bytes, "No change");
	of.plan.moment = 10;
	make_page(&of.plan);
	check_has(page.bytes, "No change, compared with the 10 s before (10 samples).");
	check_lacks(page.bytes, "Too few samples");
}

START_TEST(times_of_a_recording_are_valid_or_not)
{
	static const char *const good[] = { "12:03", "12:03:07", "0:00", "2026-11-22T12:03:07", "-5m",
					    "-10s",  "-0s",      "-2h",  "2026-11-22T12:03:07Z" };
	static const char *const bad[] = { "",      "-",  "5m",   "noon",       "12:60",
					   "24:00", "-x", "--5m", "2026-11-22", "12" };

	for (size_t i = 0; i < LENGTH(good); i++)
		ck_assert_msg(moment_is_valid(good[i]), "%s", good[i]);
	for (size_t i = 0; i < LENGTH(bad); i++)
		ck_assert_msg(!moment_is_valid(bad[i]), "%s", bad[i]);
}

/* In several steps, as a recording that is long. */
static bool extent_in_steps(void *state, size_t *n_frames, uint64_t *first_ns, uint64_t *last_ns)
{
	struct telling *telling = state;
	size_t known = telling->n_taken + 10 < telling->n ? telling->n_taken + 10 : telling->n;

	telling->n_taken = known;
	*n_frames = known;
	*first_ns = known > 0 ? START_NS + (uint64_t)(telling->told[0].seconds * 1e9) : 0;
	*last_ns = known > 0 ? START_NS + (uint64_t)(telling->told[known - 1].seconds * 1e9) : 0;
	return known == telling->n;
}

static int no_pipe(void *state)
{
	(void)state;
	return -1;
}

/* So many samples a second apart, from so many seconds after 09:30 on. */
static struct source *tell_times(size_t n, double first)
{
	setenv("TZ", "UTC", 1);
	tell_samples(n);
	for (size_t i = 0; i < n; i++)
		of.telling.told[i].seconds = first + (double)i;
	of.source.extent = extent_in_steps;
	of.source.wait_fd = no_pipe;
	return &of.source;
}

/*
 * Of a minute its first second, if that was recorded, else all of it; times of day are those of the
 * recording, which may go on over midnight.
 */
START_TEST(a_time_of_a_recording_is_a_sample)
{
	static const struct {
		double first; /* seconds after 09:30 */
		const char *text;
		int index; /* -1: nothing was recorded then */
	} cases[] = {
		{ 0, "09:30:00", 0 },                  { 0, "09:30:07", 7 },
		{ 0, "09:30", 0 },                     { 0, "09:31", 60 },
		{ 30, "09:30", 29 },                   { 30, "09:30:29", -1 },
		{ .5, "09:30:00", 0 },                 { 0, "09:29", -1 },
		{ 0, "09:29:59", -1 },                 { 0, "09:31:39", 99 },
		{ 0, "09:31:40", -1 },                 { 0, "-0s", 99 },
		{ 0, "-39s", 60 },                     { 0, "-1m", 39 },
		{ 0, "-99s", 0 },                      { 0, "-100s", -1 },
		{ 0, "-20000d", -1 },                  { 0, "2024-11-20T09:30:05", 5 },
		{ 0, "2024-11-20T09:30:05Z", 5 },      { 0, "2024-11-20T10:30:05+01:00", 5 },
		{ 0, "2024-11-21T09:30:05", -1 },      { 53970, "23:59", -1 },
		{ 53970, "00:30", 30 },                { 52190, "23:59:50", 0 },
		{ 52190, "23:59:55", 5 },              { 52190, "00:00:05", 15 },
	};

	for (size_t c = 0; c < LENGTH(cases); c++) {
		struct source *source = tell_times(100, cases[c].first);
		size_t index = 1000;
		int status = moment_find(source, "a.recording", cases[c].text, &index);
		const char *why = said_now();

		ck_assert_msg(status == (cases[c].index < 0), "%s: %d", cases[c].text, status);
		ck_assert_msg(index == (cases[c].index < 0 ? 1000 : (size_t)cases[c].index), "%s: %zu",
			      cases[c].text, index);
		ck_assert_int_eq(*why == '\0', cases[c].index >= 0);
		if (status && cases[c].first == 0)
			check_has(why, "the recording is 2024-11-20T09:30:00 to 2024-11-20T09:31:39");
	}
}
