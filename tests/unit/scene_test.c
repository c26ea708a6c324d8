/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What panetop says of a machine, from tests/scenes/FILE.txt. Each case there is a test:
 *
 *   case NAME                  what follows, up to the next one; lines that begin with # say why
 *   at SECOND TOPIC ...        rows from a second on: the head of scene.h has all that such a line may say
 *   do NAME [ARGUMENT]...      the lines of "steps NAME" in this file, in which $1 is the first argument
 *   until SECOND, every N      the last second, which else is that of the last row; one frame in N seconds
 *   set NAME VALUE             a setting
 *   rules NAME                 those of scene_rules.h in place of panetop's own
 *   lost SECOND N              the frame of that second can be read so many times
 *   explain SECOND             the moment that is explained
 *   but CHANGE; ... => WHAT => ...    the same scene once more, and what is said then; a change is a line as
 *                              above, or [KEY.]COLUMN=VALUE... in place of the last value there
 *
 * and, of what panetop says in the last second, or about the moment, what has to be:
 *
 *   finding RULE SEVERITY SUBJECT: TEXT    all findings, in their order; SEVERITY is earlier of what is over
 *   silent, silent LINE                    there is no finding; no line that begins so
 *   held RULE SUBJECT: SECONDS s[ or more], row ROW    one of them, for so long
 *   dated RULE SUBJECT: SECOND to SECOND   the times of one of them
 *   of RULE SUBJECT: host                  what one of them is about; -: the machine, or the container
 *   explained [below] SENTENCE             all lines of an explanation; below: with a part in the one above
 *   compared SECONDS s, N samples, N lines, N causes
 *   detail SUBJECT: CHANGE; WHEN; PANE VIEW ROW, process PID, second SECOND
 *                                          of one of its lines; the last ones are what it opens
 *   counted SUBJECT: SENTENCE              likewise
 *   remark SENTENCES                       what could not be compared
 *   reads TOPIC...                         all that it reads
 *   mark SECOND KIND                       all marks
 *   gauge NAME[ GRADE]: VALUE: TEXT        those of the overview, but for what is not recorded; GRADE: busy,
 *                                          alarm or critical
 *   verdict GRADE TEXT, verdict of a group: GRADE TEXT, story PANE[ GRADE] TEXT, ceiling TEXT
 *                                          of rows and facts that panes collect; all of them
 *   story caches warns                     before these, for each that is a warning
 *
 * In what has to be, * is any text. UPDATE_SCENES=yes writes what came in place of that: read the diff.
 */
#include "suite.h"

#include <fnmatch.h>
#include <limits.h>

#include "case_file.h"
#include "core/alloc.h"
#include "core/buffer.h"
#include "core/i18n.h"
#include "core/unknown.h"
#include "core/utf8.h"
#include "model/explanation.h"
#include "model/history.h"
#include "pane/common.h"
#include "pane/overview/overview_gauge.h"
#include "pane/panes.h"
#include "pane/process/process.h"
#include "scene.h"
#include "scene_rules.h"
#include "topic/finding/finding_rules.h"
#include "topic/topic.h"

#define SECOND_NS UINT64_C(1000000000)
#define UNCUT_CELLS 67 /* subject and text; with mark, time and gaps a line of 80 */
#define WANTED_MAX 64
#define VARIANTS_MAX 64
#define SCHEMAS_MAX 192

/* What panes collect. */
#define TEXT(field) COLUMN(ROW, field, .kind = COLUMN_LABEL)
#define FACTS(topic, row, columns) { .name = topic, .row_size = sizeof(row), SCHEMA_COLUMNS(columns) }

/* The memory pane is shown. */
struct memory_seen {
	const char *unwatched; /* why it is not known whether tasks wait */
};

#define ROW struct memory_seen
static const struct column memory_columns[] = { TEXT(unwatched) };

static const struct schema facts_schemas[] = {
	FACTS("memory_seen", struct memory_seen, memory_columns),
};

/* What lines have said of the scene. */
static struct scene scene;
static struct settings settings;
static struct rule_set own_rules;
static const struct rule_set *rules;
static unsigned until, every, moment, lost_at, readable;

/* What was made of it. */
static const struct schema *schemas[SCHEMAS_MAX];
static unsigned n_schemas;
static struct frame frame;
static struct explanation explanation;
static bool is_explained, first_wanted[SCHEMAS_MAX], has_wanted;
static unsigned next_frame, n_lost_reads; /* of the frame that is lost */

/* A line about what is said. */
static struct wanted {
	const struct kind *kind;
	const char *text;
	struct case_line *line; /* in the file; NULL: it is of a variant, or of steps */
	bool is_silent;
} wanted[WANTED_MAX];
static unsigned n_wanted;

static struct variant {
	char *text;
	struct case_line *line;
} variants[VARIANTS_MAX];
static unsigned n_variants;
static bool is_variant, is_changed;

static unsigned last_second(void)
{
	return until != UINT_MAX ? until : scene_last_second(&scene);
}

/* The last second, judged by all rules. Clocks of rare frames are a little late; rules rest between them. */
static const struct table *judged(void)
{
	struct findings *findings = findings_open(rules->rules, rules->n, &settings);

	for (unsigned second = 0; second <= last_second(); second += every) {
		frame_clear(&frame);
		if (every > 1)
			findings_derive(findings, &frame, FINDINGS_WHERE_ASKED);
		scene_fill(&scene, &frame, second);
		for (unsigned i = 0; second > 0 && i < frame.n_tables; i++)
			frame.tables[i].interval_ns = every * SECOND_NS;
		if (every > 1)
			frame.mono_ns += second * UINT64_C(4000000);
		findings_derive(findings, &frame, FINDINGS_EVERYWHERE);
	}
	findings_close(findings);
	return frame_table(&frame, "finding");
}

/* Who it is may be cut where there is no room. */
static void check_room(const char *subject, const char *text)
{
	const char *uncut = textf("%.*s", (int)strcspn(text, ";"), text);

	if (rules == &own_rules &&
	    (utf8_cells(subject, false) + utf8_cells(uncut, false) > UNCUT_CELLS || strpbrk(text, "{}")))
		refuse_case("%s: %s is too long, or has a place that was not filled", subject, text);
}

static const char *text_at(const struct table *table, size_t index, const char *column)
{
	return table_text(table, table_row(table, index), column);
}

static void say_finding(struct buffer *out)
{
	const struct table *table = judged();

	for (size_t i = 0; i < table->n_rows; i++) {
		const char *subject = text_at(table, i, "subject"), *text = text_at(table, i, "text");
		bool is_over = strcmp(text_at(table, i, "state"), "earlier") == 0;

		check_room(subject, text);
		ck_assert_uint_eq(table_u64(table, table_row(table, i), "number"), i + 1);
		buffer_print(out, "finding %s %s %s: %s\n", text_at(table, i, "rule"),
			     is_over ? "earlier" : text_at(table, i, "severity"), subject, text);
	}
}

static void say_held(struct buffer *out)
{
	const struct table *table = judged();

	for (size_t i = 0; i < table->n_rows; i++) {
		double since = table_number(table, table_row(table, i), "since_seconds");

		buffer_print(out, "held %s %s: %.10g s%s, row %s\n", text_at(table, i, "rule"),
			     text_at(table, i, "subject"), since,
			     *text_at(table, i, "begun") ? " or more" : "", text_at(table, i, "row"));
	}
}

/* Second of the scene of a time in a row. */
static double scene_second(const struct table *table, size_t row, const char *time)
{
	return (double)(int64_t)(table_u64(table, table_row(table, row), time) - SCENE_WALL_NS) / 1e9;
}

static void say_dated(struct buffer *out)
{
	const struct table *table = judged();

	for (size_t i = 0; i < table->n_rows; i++)
		buffer_print(out, "dated %s %s: %.10g to %.10g\n", text_at(table, i, "rule"),
			     text_at(table, i, "subject"), scene_second(table, i, "since_time"),
			     scene_second(table, i, "until_time"));
}

static void say_of(struct buffer *out)
{
	const struct table *table = judged();

	for (size_t i = 0; i < table->n_rows; i++) {
		const char *of = text_at(table, i, "of");

		buffer_print(out, "of %s %s: %s\n", text_at(table, i, "rule"), text_at(table, i, "subject"),
			     *of ? of : "-");
	}
}

/* A recording of the scene. */
static int next(void *state, struct frame *into)
{
	unsigned second = next_frame * every;

	(void)state;
	if (second > last_second() || (second == lost_at && ++n_lost_reads > readable))
		return 0;
	scene_fill(&scene, into, second);
	next_frame++;
	return 1;
}

static int seek(void *state, size_t index)
{
	(void)state;
	next_frame = (unsigned)index;
	return 0;
}

static size_t find(void *state, uint64_t wall_ns)
{
	uint64_t second = wall_ns > SCENE_WALL_NS ? (wall_ns - SCENE_WALL_NS) / SECOND_NS : 0;

	(void)state;
	return (second > last_second() ? last_second() : second) / every;
}

static void want(void *state, const bool *topics_wanted)
{
	(void)state;
	if (!has_wanted)
		memcpy(first_wanted, topics_wanted, n_schemas * sizeof(*topics_wanted));
	has_wanted = true;
}

static bool extent(void *state, size_t *n_frames, uint64_t *first_ns, uint64_t *last_ns)
{
	(void)state;
	*n_frames = last_second() / every + 1;
	*first_ns = SCENE_WALL_NS;
	*last_ns = SCENE_WALL_NS + last_second() * SECOND_NS;
	return true;
}

static void explain(void)
{
	static const struct source source = {
		.next = next, .want = want, .seek = seek, .find = find, .extent = extent
	};

	if (is_explained)
		return;
	is_explained = true;
	has_wanted = false;
	n_lost_reads = 0;
	explanation_take(&explanation, &source, moment / every, schemas, n_schemas, explained_series);
}

static double second_of(uint64_t wall_ns)
{
	return (double)(int64_t)(wall_ns - SCENE_WALL_NS) / 1e9;
}

static const struct explained_line *end_of_lines(void)
{
	return explanation.lines + explanation.n_lines;
}

static void say_explained(struct buffer *out)
{
	explain();
	for (const struct explained_line *line = explanation.lines; line < end_of_lines(); line++)
		buffer_print(out, "explained %s%s\n", line->below ? "below " : "", line->sentence);
}

static void say_detail(struct buffer *out)
{
	explain();
	for (const struct explained_line *line = explanation.lines; line < end_of_lines(); line++) {
		buffer_print(out, "detail %s: %s; %s; %s %s %s", line->subject, line->change, line->when,
			     line->pane, *line->view ? line->view : "-", *line->row ? line->row : "-");
		if (line->pid != U64_UNKNOWN)
			buffer_print(out, ", process %u", (unsigned)line->pid);
		buffer_print(out, ", second %.10g\n", second_of(line->wall_ns));
	}
}

static void say_counted(struct buffer *out)
{
	explain();
	for (const struct explained_line *line = explanation.lines; line < end_of_lines(); line++)
		buffer_print(out, "counted %s: %s\n", line->subject, line->counted);
}

static void say_compared(struct buffer *out)
{
	explain();
	buffer_print(out, "compared %.10g s, %zu samples, %zu lines, %zu causes\n", explanation.seconds,
		     explanation.n_samples, explanation.n_lines, explanation.n_causes);
}

static void say_remark(struct buffer *out)
{
	explain();
	if (*explanation.remarks)
		buffer_print(out, "remark %s\n", explanation.remarks);
}

static void say_reads(struct buffer *out)
{
	explain();
	buffer_text(out, "reads");
	for (unsigned i = 0; i < n_schemas; i++)
		if (first_wanted[i])
			buffer_print(out, " %s", schemas[i]->name);
	buffer_char(out, '\n');
}

static void say_mark(struct buffer *out)
{
	static const char *const names[] = { "user", "finding", "sleep", "clock" };
	struct marks marks = { 0 };

	for (unsigned second = 0; second <= last_second(); second++) {
		scene_fill(&scene, &frame, second);
		frame.interval_ns = SECOND_NS;
		marks_take(&marks, &frame);
	}
	for (unsigned i = 0; i < marks.n; i++)
		buffer_print(out, "mark %.10g %s%s\n", second_of(marks.list[i].wall_ns),
			     names[marks.list[i].kind], marks.list[i].is_critical ? ", critical" : "");
}

static void *facts_of(const char *topic, size_t *n)
{
	const struct table *table = frame_table(&frame, topic);

	*n = table ? table->n_rows : 0;
	return *n > 0 ? table_row(table, 0) : NULL;
}

/* false: the pane is not in the scene. */
static bool collect_memory(struct memory_facts *facts)
{
	size_t n;
	const struct memory_seen *seen;

	judged();
	seen = facts_of("memory_seen", &n);
	if (n > 0)
		memory_facts_make(facts, &frame, seen->unwatched);
	return n > 0;
}

static const char *const grades[] = { "", "busy", "alarm", "critical" };

static void say_verdict(struct buffer *out)
{
	struct buffer text = { 0 }, group = { 0 };
	struct memory_facts facts;
	int grade;

	if (!collect_memory(&facts))
		return;
	grade = memory_verdict(&text, &facts);
	buffer_print(out, "verdict %s%s",
		     grade == GRADE_UNKNOWN ? "unknown"
		     : grade == GRADE_CALM  ? "ok"
					    : grades[grade],
		     text.length > 0 ? " " : "");
	buffer_add(out, text.bytes, text.length);
	buffer_char(out, '\n');
	buffer_free(&text);
	grade = (int)memory_group_story(&group, &frame, false);
	if (group.length > 0)
		buffer_print(out, "verdict of a group: %s %.*s\n", grades[grade], (int)group.length,
			     group.bytes);
	buffer_free(&group);
}

/* Each of its lines, which all are of one kind. */
static void say_lines(struct buffer *out, const char *kind, struct buffer *lines)
{
	struct span rest = span_of(lines->bytes, lines->length), line;

	while (span_line(&rest, &line))
		buffer_print(out, "%s %.*s\n", kind, (int)span_length(line), line.at);
	buffer_free(lines);
}

static void say_memory(struct buffer *out)
{
	struct buffer memory = { 0 }, nodes = { 0 }, caches = { 0 }, touched = { 0 };
	const struct table *groups = frame_table(&frame, "cache_group");
	const struct table *rows = frame_table(&frame, "touched");
	struct memory_facts facts;

	if (collect_memory(&facts))
		memory_story(&memory, &facts);
	say_lines(out, "story memory", &memory);
	node_story(&nodes, frame_table(&frame, "node"), frame_table(&frame, "locality"), true);
	say_lines(out, "story nodes", &nodes);
	for (unsigned i = groups ? cache_story(&caches, groups) : 0; i > 0; i--)
		buffer_text(out, "story caches warns\n");
	say_lines(out, "story caches", &caches);
	if (rows)
		touched_sentence(&touched, rows, table_row(rows, 0));
	say_lines(out, "story touched", &touched);
}

/* Its lines, the worst first. */
static void say_story_of(struct buffer *out, const char *pane, struct story *story)
{
	for (unsigned grade = GRADE_CRITICAL + 1; grade-- > GRADE_CALM;)
		say_lines(out, textf("story %s%s%s", pane, grade > GRADE_CALM ? " " : "", grades[grade]),
			  &story->lines[grade]);
}

/* What findings say on the page of the process that is sampled in detail. */
static void say_page(struct buffer *out)
{
	const struct table *details = frame_table(&frame, "process_detail");
	struct process_rows rows = { .details = details };
	struct process_subject subject;
	struct buffer page = { 0 };
	enum grade grade;

	if (!details || details->n_rows == 0)
		return;
	rows.detail = table_row(details, 0);
	subject = process_subject_of(&rows);
	process_quota_finding(&page, &frame, &subject);
	page.length--;
	buffer_text(&page, process_convoy_finding(&frame, subject.pid));
	grade = process_findings(&page, &frame, &subject, PROCESS_CALM);
	say_lines(out, textf("story page %s", grades[grade]), &page);
}

static void say_story(struct buffer *out)
{
	struct findings *findings = findings_open(finding_rules, n_finding_rules, &settings);
	struct story disks = { findings, &frame }, network = disks;
	const struct table *users;
	struct buffer hints = { 0 };

	judged();
	say_memory(out);
	users = frame_table(&frame, "disk_user");
	for (size_t i = 0; users && i < users->n_rows; i++)
		disks_user_story(&disks, users, table_row(users, i));
	disks_story(&disks);
	say_story_of(out, "disks", &disks);
	network_story(&network);
	say_story_of(out, "network", &network);
	kernel_hints(&hints, &frame);
	say_lines(out, "story kernel", &hints);
	say_page(out);
	findings_close(findings);
}

static void say_ceiling(struct buffer *out)
{
	const struct table *interfaces;
	struct buffer lines = { 0 };

	scene_fill(&scene, &frame, last_second());
	interfaces = frame_table(&frame, "interface");
	for (size_t i = 0; interfaces && i < interfaces->n_rows; i++)
		network_ceiling(&lines, interfaces, table_row(interfaces, i));
	say_lines(out, "ceiling", &lines);
}

static void say_gauge(struct buffer *out)
{
	struct overview_gauge gauges[OVERVIEW_GAUGES_MAX];
	unsigned n;

	judged();
	n = overview_gauges(&frame, gauges);
	for (unsigned i = 0; i < n; i++)
		if (!gauges[i].absent)
			buffer_print(out, "gauge %s%s%s: %s: %s\n", gauges[i].name,
				     gauges[i].grade > GRADE_CALM ? " " : "", grades[gauges[i].grade],
				     gauges[i].value, gauges[i].text);
}

/* The first word of a line about what is said. */
static const struct kind {
	const char *name;
	void (*say)(struct buffer *out);
	bool is_whole; /* no such line is missing, and they stand in their order */
} kinds[] = {
	{ "finding", say_finding, true },     { "held", say_held, false },
	{ "explained", say_explained, true }, { "detail", say_detail, false },
	{ "counted", say_counted, false },    { "compared", say_compared, true },
	{ "remark", say_remark, true },       { "reads", say_reads, true },
	{ "mark", say_mark, true },           { "verdict", say_verdict, true },
	{ "story", say_story, true },         { "ceiling", say_ceiling, true },
	{ "gauge", say_gauge, false },        { "dated", say_dated, false },
	{ "of", say_of, false },
};
#define N_KINDS (sizeof(kinds) / sizeof(kinds[0]))

/* text is about what is said. */
static void add_wanted(const char *text)
{
	struct wanted *line = &wanted[n_wanted++];
	bool is_silent = strncmp(text, "silent", strlen("silent")) == 0;

	ck_assert_uint_lt(n_wanted, WANTED_MAX);
	if (is_silent)
		text = text[6] == ' ' ? text + strlen("silent ") : kinds[0].name;
	*line = (struct wanted){ .text = text, .is_silent = is_silent };
	if (!is_variant && !strchr(case_file.here->text, '$'))
		line->line = case_file.here;
	for (size_t i = 0; i < N_KINDS; i++)
		if (begins_with_word(text, kinds[i].name) || strcmp(text, kinds[i].name) == 0)
			line->kind = &kinds[i];
	if (!line->kind)
		refuse_case("unknown word in %s; tests/unit/scene_test.c has a list", text);
}

static void set_setting(char *text)
{
	const char *name = take_word(&text);

	if (!settings_set(&settings, name, text, 0))
		refuse_case("%s cannot be %s", name, text);
}

static const struct rule_set *find_rules(const char *name)
{
	for (size_t i = 0; i < sizeof(rule_sets) / sizeof(rule_sets[0]); i++)
		if (strcmp(rule_sets[i].name, name) == 0)
			return &rule_sets[i];
	refuse_case("there are no rules of %s", name);
}

/* false: the line is not about the scene. */
static bool set_scene(char *text)
{
	static const struct {
		const char *word;
		unsigned *number;
	} numbers[] = { { "until", &until }, { "every", &every }, { "explain", &moment } };

	for (size_t i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++)
		if (begins_with_word(text, numbers[i].word))
			return sscanf(text, "%*s %u", numbers[i].number) == 1;
	if (begins_with_word(text, "at"))
		scene_add(&scene, text + strlen("at "));
	else if (begins_with_word(text, "set"))
		set_setting(text + strlen("set "));
	else if (begins_with_word(text, "lost"))
		return sscanf(text, "lost %u %u", &lost_at, &readable) == 2;
	else if (begins_with_word(text, "rules"))
		rules = find_rules(text + strlen("rules "));
	else
		return false;
	return true;
}

static void run_line(char *text)
{
	join_lines(text);
	if (set_scene(text) || is_variant)
		return;
	if (!begins_with_word(text, "but")) {
		add_wanted(text);
		return;
	}
	ck_assert_uint_lt(n_variants, VARIANTS_MAX);
	variants[n_variants++] = (struct variant){ text + strlen("but "), case_file.here };
}

static void begin_scene(size_t first)
{
	settings_open(&settings);
	own_rules = (struct rule_set){ "", finding_rules, n_finding_rules };
	rules = &own_rules;
	until = lost_at = UINT_MAX;
	every = 1;
	moment = readable = n_wanted = 0;
	is_explained = is_changed = false;
	run_case_lines(first, run_line);
}

static void end_scene(void)
{
	scene_empty(&scene);
	settings_close(&settings);
}

static bool matches(const char *pattern, const char *text)
{
	return strcmp(pattern, text) == 0 || fnmatch(pattern, text, FNM_NOESCAPE) == 0;
}

/* Is what is wanted of this kind what came? */
static bool is_as_wanted(const struct kind *kind, char *const *came, size_t n_came)
{
	bool is_silent = false;
	size_t n = 0;

	for (unsigned i = 0; i < n_wanted; i++) {
		const char *text = wanted[i].text;
		size_t n_same = 0;

		if (wanted[i].kind != kind)
			continue;
		is_silent |= wanted[i].is_silent;
		if (kind->is_whole && !wanted[i].is_silent) {
			n_same = n < n_came && matches(text, came[n]);
			n++;
		} else {
			for (size_t k = 0; k < n_came; k++)
				n_same += matches(wanted[i].is_silent ? textf("%s*", text) : text, came[k]);
		}
		if ((n_same > 0) == wanted[i].is_silent)
			return false;
	}
	return !kind->is_whole || is_silent || n == n_came;
}

/* What came, in place of what was wanted. */
static void update(const struct kind *kind, char *const *came, size_t n_came, const char *all)
{
	unsigned n = 0, n_of_kind = 0;

	for (unsigned i = 0; i < n_wanted; i++)
		n_of_kind += wanted[i].kind == kind;
	for (unsigned i = 0; i < n_wanted; i++) {
		const char *text;

		if (wanted[i].kind != kind)
			continue;
		if (wanted[i].is_silent && kind->is_whole)
			text = n_came > 0 ? all : wanted[i].text;
		else if (!kind->is_whole)
			text = nearest_line(wanted[i].text, came, n_came);
		else if (n_of_kind == n_came)
			text = came[n];
		else
			text = n > 0 ? "#" : n_came > 0 ? all : textf("silent %s", kind->name);
		n++;
		if (!text || (!strchr(text, '\n') && matches(wanted[i].text, text)))
			continue;
		wanted[i].text = alloc_text(text);
		wanted[i].is_silent = false;
		is_changed = true;
		if (wanted[i].line) {
			case_file.here = wanted[i].line;
			change_case_line(text);
		}
	}
}

static void check_kind(const struct kind *kind)
{
	struct buffer all = { 0 }, expected = { 0 };
	char *came[1024], *lines, *end;
	size_t n_came = 0;

	for (unsigned i = n_wanted; i-- > 0;)
		if (wanted[i].kind == kind && wanted[i].line)
			case_file.here = wanted[i].line;
	for (unsigned i = 0; i < n_wanted; i++)
		if (wanted[i].kind == kind)
			buffer_print(&expected, "  %s%s\n", wanted[i].is_silent ? "no " : "",
				     wanted[i].text);
	if (expected.length == 0)
		return;
	kind->say(&all);
	buffer_char(&all, '\0');
	lines = alloc_text(all.bytes);
	for (char *at = lines; *at; at = end + 1) {
		end = strchr(at, '\n');
		*end = '\0';
		came[n_came++] = at;
		ck_assert_uint_lt(n_came, sizeof(came) / sizeof(came[0]));
	}
	if (all.length > 1)
		all.bytes[all.length - 2] = '\0';
	buffer_char(&expected, '\0');
	if (!is_as_wanted(kind, came, n_came)) {
		if (!getenv("UPDATE_SCENES"))
			refuse_case("wanted\n%scame\n%.4000s", expected.bytes,
				    n_came ? all.bytes : "  nothing");
		update(kind, came, n_came, all.bytes);
	}
	free(lines);
	buffer_free(&all);
	buffer_free(&expected);
}

static void check_wanted(void)
{
	for (size_t i = 0; i < N_KINDS; i++)
		check_kind(&kinds[i]);
}

/* What stands before these bytes, and what behind them; NULL: they are not there. */
static char *take_part(char **text, const char *bytes)
{
	char *part = *text, *end = strstr(part, bytes);

	*text = end ? end + strlen(bytes) : NULL;
	if (end)
		*end = '\0';
	return part;
}

static void change_scene(char *text)
{
	while (text) {
		char *part = take_part(&text, "; ");

		if (!set_scene(part))
			scene_change(&scene, part);
	}
}

/* Several may have come where one was wanted. */
static void print_wanted(struct buffer *out, const struct wanted *line)
{
	buffer_print(out, " => %s", line->is_silent ? "silent " : "");
	for (const char *at = line->text; *at; at++)
		if (*at == '\n')
			buffer_text(out, " => ");
		else
			buffer_char(out, *at);
}

static void run_variant(const struct variant *variant)
{
	char *text = alloc_text(variant->text), *said = text;
	struct buffer changed = { 0 };

	case_file.here = variant->line;
	take_part(&said, " => ");
	if (!said)
		refuse_case("but %s has no =>", text);
	buffer_print(&changed, "but %s", text);
	while (said)
		add_wanted(take_part(&said, " => "));
	change_scene(text);
	check_wanted();
	for (unsigned i = 0; i < n_wanted; i++)
		if (strcmp(wanted[i].text, "#") != 0)
			print_wanted(&changed, &wanted[i]);
	buffer_char(&changed, '\0');
	case_file.here = variant->line;
	if (is_changed)
		change_case_line(changed.bytes);
	free(text);
	buffer_free(&changed);
}

static void run_scene(size_t first)
{
	memcpy(schemas, topic_schemas(), n_topics * sizeof(*schemas));
	n_schemas = n_topics;
	for (size_t i = 0; i < sizeof(facts_schemas) / sizeof(facts_schemas[0]); i++)
		schemas[n_schemas++] = &facts_schemas[i];
	schemas[n_schemas++] = &thing_schema;
	schemas[n_schemas++] = &place_schema;
	schemas[n_schemas++] = &meter_schema;
	frame_open(&frame, schemas, n_schemas);
	is_variant = false;
	n_variants = 0;
	begin_scene(first);
	check_wanted();
	end_scene();
	is_variant = true;
	for (unsigned i = 0; i < n_variants; i++) {
		begin_scene(first);
		run_variant(&variants[i]);
		end_scene();
	}
	frame_close(&frame);
	explanation_free(&explanation);
}

__attribute__((constructor)) static void add_files(void)
{
	add_cases("scenes", run_scene);
}

static bool is_spoken[128]; /* by index of the rule: there is a scene in which it speaks … */
static unsigned n_near[128]; /* … and variants of it in which it does not */

static void count_scenes(const char *name)
{
	unsigned rule = n_finding_rules;

	load_cases(textf("tests/scenes/%s", name));
	for (size_t i = 0; i < case_file.n_lines; i++) {
		const char *text = case_file.lines[i].text;

		if (begins_with_word(text, "case"))
			rule = n_finding_rules;
		for (unsigned r = n_finding_rules; begins_with_word(text, "finding") && r-- > 0;)
			if (begins_with_word(text + strlen("finding "), finding_rules[r].name))
				rule = r; /* the first of its name */
		is_spoken[rule] = true;
		n_near[rule] += begins_with_word(text, "but") && strstr(text, "=> silent");
	}
}

START_TEST(every_rule_has_scenes_and_near_misses)
{
	ck_assert_uint_lt(n_finding_rules, sizeof(is_spoken));
	for_each_test_file("scenes", count_scenes);
	for (unsigned r = 0; r < n_finding_rules; r++)
		if (r == 0 || strcmp(finding_rules[r].name, finding_rules[r - 1].name) != 0)
			ck_assert_msg(is_spoken[r] && n_near[r] >= 2, "%s: %u near misses",
				      finding_rules[r].name, n_near[r]);
}
