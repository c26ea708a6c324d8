/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Every pane draws any subset of its tables and columns, as recordings of others have them. */
#include "suite.h"

#include <ctype.h>
#include <curses.h>

#include "core/buffer.h"
#include "pane/panes.h"
#include "screen/chrome.h"
#include "screen/keymap.h"
#include "screen/navigation.h"
#include "screen/past/explaining.h"
#include "screen/past/player.h"
#include "screen/past/timeline.h"
#include "screen/saving.h"
#include "screen/session.h"
#include "screen/subscriptions.h"
#include "topic/finding/finding_rules.h"
#include "topic/topic.h"

#define TOPICS_MAX 256
#define PANES_MAX 32
#define VIEWS_MAX 32
#define SAMPLES 3

/* What is left of a table. */
enum part { WHOLE, ABSENT, NO_ROWS, NO_VALUES, ONLY_KEYS, LACKS_COLUMN };

#define COLUMNS_MOST 40 /* of a table */
#define N_SIZES 3
#define USUAL_SIZE 1

static const int sizes[N_SIZES][2] = { { 24, 80 }, { 40, 120 }, { 60, 200 } };

/* A recording of which each table is in parts, and the screen that replays it. */
static struct {
	const char *recording;
	struct source whole, source;
	bool has[TOPICS_MAX];           /* it has this table */
	unsigned char parts[TOPICS_MAX]; /* of each table */
	unsigned column;                /* of LACKS_COLUMN */
	struct settings settings;
	struct sample_request request;
	struct screen_setup setup;
	struct screen screen;
	struct buffer text;
	char *nothing[PANES_MAX][VIEWS_MAX]; /* what a view draws where nothing is recorded */
} rig;

static bool is_lost(enum part part, const struct schema *schema, unsigned column)
{
	return part == NO_VALUES || (part == ONLY_KEYS && schema->columns[column].kind != COLUMN_KEY) ||
	       (part == LACKS_COLUMN && column == rig.column % schema->n_columns);
}

static void lose_values(struct table *table, enum part part)
{
	for (unsigned c = 0; c < table->schema->n_columns; c++) {
		const struct column *column = &table->schema->columns[c];

		for (size_t i = 0; is_lost(part, table->schema, c) && i < table->n_rows; i++) {
			if (column->type == VALUE_TEXT)
				row_set_text(table_row(table, i), column, NULL);
			else if (column->type == VALUE_U64)
				row_set_u64(table_row(table, i), column, U64_UNKNOWN);
			else
				row_set_f64(table_row(table, i), column, NAN);
		}
	}
}

static int next_frame(void *state, struct frame *frame)
{
	int got = rig.whole.next(state, frame);

	for (unsigned i = 0; got == 1 && i < frame->n_tables; i++) {
		struct table *table = &frame->tables[i];

		rig.has[i] |= table->present;
		table->present &= rig.parts[i] != ABSENT;
		if (rig.parts[i] == ABSENT || rig.parts[i] == NO_ROWS)
			table->n_rows = 0;
		else if (rig.parts[i] != WHOLE)
			lose_values(table, rig.parts[i]);
	}
	return got;
}

/* What is drawn: a crash and a failure name it. */
static char present_case[256];

static void on_crash(int number)
{
	if (write(STDERR_FILENO, present_case, strlen(present_case)) < 0)
		_exit(1);
	signal(number, SIG_DFL);
	raise(number);
}

static void open_terminal(void)
{
	FILE *nowhere = fopen("/dev/null", "r+");

	if (!nowhere || !newterm("xterm", nowhere, nowhere))
		skip_test("curses does not know the terminal xterm");
	signal(SIGSEGV, on_crash);
	signal(SIGABRT, on_crash);
}

static void open_rig(const char *recording)
{
	char path[4096];
	const char *folder = getenv("RECORDINGS"), *why = "";
	struct frame frame;
	int fd;

	memset(&rig, 0, sizeof(rig));
	rig.recording = recording;
	snprintf(path, sizeof(path), "%s/%s.recording", folder ? folder : "", recording);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		skip_test("%s: %s", path, strerror(errno));
	ck_assert_int_eq(open_replay(&rig.whole, fd, 0, topic_schemas(), n_topics, &why), 0);
	rig.source = (struct source){ .next = next_frame,
				       .want = rig.whole.want,
				       .seek = rig.whole.seek,
				       .position = rig.whole.position,
				       .find = rig.whole.find,
				       .extent = rig.whole.extent,
				       .poll_fd = -1,
				       .state = rig.whole.state };
	frame_open(&frame, topic_schemas(), n_topics);
	for (int i = 0; i < SAMPLES; i++)
		ck_assert_int_eq(source_read(&rig.source, (size_t)i, &frame), 1);
	frame_close(&frame);
}

static void close_rig(void)
{
	for (unsigned p = 0; p < PANES_MAX; p++)
		for (unsigned v = 0; v < VIEWS_MAX; v++)
			free(rig.nothing[p][v]);
	buffer_free(&rig.text);
	rig.whole.close(rig.whole.state);
}

static void open_screen(void)
{
	static const int signals[] = { 0 };
	struct screen *screen = &rig.screen;

	settings_open(&rig.settings);
	rig.request = (struct sample_request){ 0 };
	rig.setup = (struct screen_setup){ .clock = &real_clock,
					    .source = &rig.source,
					    .schemas = topic_schemas(),
					    .n_schemas = n_topics,
					    .load = { "cpu", "all", "busy_ratio" },
					    .explained = explained_series,
					    .finding_rules = finding_rules,
					    .n_finding_rules = n_finding_rules,
					    .panes = panes,
					    .n_panes = n_panes,
					    .headline_topics = headline_topics,
					    .headline = headline_pieces,
					    .corner = headline_corner,
					    .faults = "",
					    .settings = &rig.settings,
					    .request = &rig.request };
	*screen = (struct screen){ .setup = &rig.setup,
				   .latest = -1,
				   .shown = -1,
				   .player = &player_of_replay,
				   .follow_fd = -1,
				   .delay_seconds = 1 };
	ck_assert_int_eq(loop_open(&screen->loop, signals), 0);
	ck_assert_int_eq(rig.source.seek(rig.source.state, 0), 0);
	session_open(screen);
	for (int i = 0; i < SAMPLES; i++) {
		ck_assert_int_eq(session_sample(screen), 1);
		if (i == 0)
			navigation_choose_recorded_pane(screen);
	}
}

static void close_screen(void)
{
	struct screen *screen = &rig.screen;

	timeline_close(screen);
	explaining_close(screen);
	session_close(screen);
	buffer_free(&screen->pager.text);
	buffer_free(&screen->prompt.text);
	buffer_free(&screen->prompt.label);
	buffer_free(&screen->prompt.place.key);
	buffer_free(&screen->prompt.filter);
	buffer_free(&screen->menu.texts);
	buffer_free(&screen->menu.typed);
	free(screen->menu.lines);
	loop_close(&screen->loop);
	settings_close(&rig.settings);
}

static const char *const part_names[] = { "with",	 "without",	      "without rows of",
					  "without values of", "with only keys of", "without" };

/* All tables but this one are whole, or all are absent. */
static void choose_parts(enum part others, unsigned topic, enum part part)
{
	memset(rig.parts, (int)others, sizeof(rig.parts));
	rig.parts[topic] = (unsigned char)part;
}

static void name_case(unsigned topic, const char *key)
{
	const struct pane_context *context = screen_context(&rig.screen);
	enum part part = rig.parts[topic];
	bool alone = rig.parts[(topic + 1) % n_topics] == ABSENT;

	snprintf(present_case, sizeof(present_case),
		 "%s%s, %s %s (column %u): pane %s, view %u, %dx%d, key %s\n", rig.recording,
		 alone ? ", nothing else" : "", part_names[part], topics[topic]->schema->name, rig.column,
		 context->pane->name, context->view, COLS, LINES, key);
}

/* A number that the C library makes of what is not known; "info" is a word. */
static const char *unknown_number(const char *text)
{
	static const char *const words[] = { "nan", "inf", "18446744073709551", "(null)" };

	for (unsigned i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		for (const char *at = text; (at = strstr(at, words[i])); at++)
			if ((at == text || !isalnum((unsigned char)at[-1])) &&
			    !isalpha((unsigned char)at[strlen(words[i])]))
				return at;
	return NULL;
}

/* What is drawn now. */
static char *draw(unsigned topic, const char *key)
{
	name_case(topic, key);
	chrome_draw(&rig.screen);
	rig.text.length = 0;
	snapshot_text(&rig.text);
	buffer_char(&rig.text, '\0');
	ck_assert_msg(!unknown_number(rig.text.bytes), "%s%s", present_case, rig.text.bytes);
	return rig.text.bytes;
}

static void press(unsigned topic, int key)
{
	char name[KEY_NAME_MAX];

	name_case(topic, key_label(name, key));
	keymap_key(&rig.screen, &(struct input){ .key = key });
	draw(topic, name);
}

/* A row, what its number is, its process, help. */
static void press_keys(unsigned topic)
{
	static const int keys[] = { K_DOWN, 'i', K_ESCAPE, K_ENTER, K_ESCAPE, K_ESCAPE, K_F1, K_ESCAPE };

	for (unsigned i = 0; i < sizeof(keys) / sizeof(keys[0]); i++)
		press(topic, keys[i]);
	while (rig.screen.overlay)
		press(topic, K_ESCAPE);
}

/* A comparison with the sample before, and what changed. */
static void press_keys_of_past(unsigned topic)
{
	static const int keys[] = { 'm', ',', '=', '=', 'x', K_ESCAPE };

	for (unsigned i = 0; i < sizeof(keys) / sizeof(keys[0]); i++)
		press(topic, keys[i]);
}

static void resize(unsigned size)
{
	resizeterm(sizes[size][0], sizes[size][1]);
	subscriptions_of_size(&rig.screen);
}

static unsigned n_views(const struct pane *pane)
{
	unsigned n = 0;

	while (pane->views && pane->views[n].name)
		n++;
	return n > 0 ? n : 1;
}

/* By its own lists. */
static bool is_of(const struct pane *pane, const char *topic)
{
	for (const struct pane_table *table = pane->tables; table->topic; table++)
		if (strcmp(table->topic, topic) == 0)
			return true;
	for (unsigned i = 0; i < pane->n_series; i++)
		if (strcmp(pane->series[i].topic, topic) == 0)
			return true;
	for (unsigned i = 0; i < n_finding_rules; i++)
		if (strcmp(finding_rules[i].topic, topic) == 0 && pane_has_table(pane, finding_schema.name))
			return true;
	return false;
}

/* What the pane itself draws: without headline, tabs, views, notices and keys. */
static char *body_of(char *text)
{
	char *end;

	for (int i = 0; i < 3 && strchr(text, '\n'); i++)
		text = strchr(text, '\n') + 1;
	for (int i = 0; i < 3 && (end = strrchr(text, '\n')); i++)
		*end = '\0';
	return text;
}

/* Which view draws what is in this sample. */
static char *draw_view(unsigned topic, unsigned pane, unsigned view)
{
	navigation_choose_pane(&rig.screen, pane);
	screen_show_view(screen_context(&rig.screen), view);
	return draw(topic, "none");
}

static bool is_absent(const char *topic)
{
	int index = schema_index(topic_schemas(), n_topics, topic);

	return rig.parts[index] == ABSENT || !rig.has[index];
}

static bool lacks_judged(void)
{
	for (unsigned i = 0; i < n_finding_rules; i++)
		if (!finding_rules[i].with && is_absent(finding_rules[i].topic))
			return true;
	return false;
}

/* That all is well is said only where all that it is judged by is recorded. */
static void check_verdicts(const char *text)
{
	static const struct {
		const char *pane, *words, *topic;
	} verdicts[] = {
		{ "overview", "nothing out of the ordinary", NULL }, /* any topic of a rule */
		{ "memory", "OK  ", "memory" },
		{ "memory", "OK  ", "pressure" },
		{ "memory", "OK  ", "reclaim" },
		{ "power", "OK  ", "power" },
		{ "power", "OK  ", "temperature" },
		{ "power", "No power or temperature sensors", "power" },
		{ "power", "No power or temperature sensors", "temperature" },
	};
	const char *pane = screen_context(&rig.screen)->pane->name;

	for (unsigned i = 0; i < sizeof(verdicts) / sizeof(verdicts[0]); i++) {
		const char *of = verdicts[i].topic;
		bool lacks = of ? is_absent(of) : lacks_judged();

		if (strcmp(pane, verdicts[i].pane) == 0 && lacks)
			ck_assert_msg(!strstr(text, verdicts[i].words), "%s%s", present_case, text);
	}
}

static bool is_behind(const char *text, const char *place, const char *words)
{
	size_t length = strlen(words);

	return (size_t)(place - text) >= length && strncmp(place - length, words, length) == 0;
}

/* A digit that is of no sample: of an interval ("in the last 10.0 s", "every 5 min"), or of a heading. */
static bool is_of_heading(const char *text, const char *digit)
{
	static const char *const headings[] = { "%10s", "%60s", "%300s", "50%", "90%", "99%", "99.9%" };
	const char *begin = digit;

	while (begin > text && (isdigit((unsigned char)begin[-1]) || begin[-1] == '.'))
		begin--;
	if (is_behind(text, begin, "last ") || is_behind(text, begin, " in ") ||
	    is_behind(text, begin, "every "))
		return true;
	begin -= begin > text && begin[-1] == '%' ? 1 : 0;
	for (unsigned i = 0; i < sizeof(headings) / sizeof(headings[0]); i++)
		if (strncmp(begin, headings[i], strlen(headings[i])) == 0)
			return true;
	return false;
}

static void check_no_number(const char *text)
{
	for (const char *at = text; (at = strpbrk(at, "0123456789")); at++)
		ck_assert_msg(is_of_heading(text, at), "%s%s", present_case, text);
}

/* A table that fills its view has no rows and no count there, but a word for that. */
static void check_absence(const char *text)
{
	const struct pane_context *context = screen_context(&rig.screen);
	const struct pane_view *view = context->pane->views ? &context->pane->views[context->view] : NULL;

	if (view && !view->draw && !context_table(context, view->table))
		ck_assert_msg(strstr(text, "not recorded"), "%s%s", present_case, text);
}

/* Is it the home of the pane, or does the topic's table get its keys? */
static bool is_about(const struct pane *pane, unsigned view, const char *topic)
{
	return view == 0 || strcmp(pane->tables[pane->views[view].table].topic, topic) == 0;
}

/* Other sizes take a minute under the address sanitizer: there they are left to a release. */
static bool is_left_out(unsigned size)
{
#ifdef __SANITIZE_ADDRESS__
	return size != USUAL_SIZE && !getenv("PANETOP_RELEASE");
#else
	(void)size;
	return false;
#endif
}

static void walk(unsigned topic, unsigned pane, bool all_sizes, bool keys)
{
	for (unsigned s = 0; s < N_SIZES; s++) {
		if ((s != USUAL_SIZE && !all_sizes) || is_left_out(s))
			continue;
		resize(s);
		for (unsigned v = 0; v < n_views(panes[pane]); v++) {
			char *text = draw_view(topic, pane, v);

			check_absence(text);
			check_verdicts(text);
			if (s == USUAL_SIZE && keys && is_about(panes[pane], v, topics[topic]->schema->name))
				press_keys(topic);
		}
	}
}

static void walk_panes_of(unsigned topic, bool all_sizes, bool keys)
{
	open_screen();
	for (unsigned p = 0; p < n_panes; p++)
		if (is_of(panes[p], topics[topic]->schema->name))
			walk(topic, p, all_sizes, keys);
	if (keys)
		press_keys_of_past(topic);
	close_screen();
}

/* Also keeps what is drawn. */
static void walk_nothing(void)
{
	choose_parts(ABSENT, 0, ABSENT);
	open_screen();
	resize(USUAL_SIZE);
	for (unsigned p = 0; p < n_panes; p++) {
		for (unsigned v = 0; v < n_views(panes[p]); v++) {
			rig.nothing[p][v] = strdup(body_of(draw_view(0, p, v)));
			check_no_number(rig.nothing[p][v]);
		}
	}
	close_screen();
}

static void each_table(void (*with)(unsigned topic))
{
	static const char *const recordings[] = { "memory", "power", "events" };
	open_terminal();
	for (unsigned i = 0; i < sizeof(recordings) / sizeof(recordings[0]); i++) {
		open_rig(recordings[i]);
		walk_nothing();
		for (unsigned t = 0; t < n_topics; t++)
			if (rig.has[t])
				with(t);
		close_rig();
	}
}

/* Panes that do not list it draw what they draw of nothing: none takes another's number for its own. */
static void walk_alone(unsigned topic)
{
	choose_parts(ABSENT, topic, WHOLE);
	open_screen();
	resize(USUAL_SIZE);
	for (unsigned p = 0; p < n_panes; p++) {
		for (unsigned v = 0; !is_of(panes[p], topics[topic]->schema->name) && v < n_views(panes[p]);
		     v++) {
			const char *text = body_of(draw_view(topic, p, v));

			ck_assert_msg(strcmp(text, rig.nothing[p][v]) == 0, "%s%s", present_case, text);
		}
	}
	close_screen();
	walk_panes_of(topic, true, true);
}

START_TEST(one_table_alone)
{
	each_table(walk_alone);
}

static void walk_without(unsigned topic)
{
	choose_parts(WHOLE, topic, ABSENT);
	walk_panes_of(topic, true, false);
}

START_TEST(one_table_less)
{
	each_table(walk_without);
}

static void walk_without_values(unsigned topic)
{
	for (enum part part = NO_ROWS; part <= ONLY_KEYS; part++) {
		choose_parts(WHOLE, topic, part);
		walk_panes_of(topic, false, false);
	}
}

START_TEST(one_table_without_rows_or_values)
{
	each_table(walk_without_values);
}

/* Of each table another one, in turn. */
START_TEST(one_column_less)
{
	open_terminal();
	open_rig("memory");
	memset(rig.parts, LACKS_COLUMN, sizeof(rig.parts));
	for (rig.column = 0; rig.column < COLUMNS_MOST; rig.column++) {
		open_screen();
		for (unsigned p = 0; p < n_panes; p++)
			walk(0, p, false, false);
		close_screen();
	}
	close_rig();
}

/* What --record=FILE writes of two panes, all panes of it. */
START_TEST(tables_of_two_panes)
{
	open_terminal();
	open_rig("memory");
	for (unsigned one = 0; one < n_panes; one++) {
		for (unsigned other = 0; other <= one; other++) {
			for (unsigned t = 0; t < n_topics; t++)
				rig.parts[t] = is_of(panes[one], topics[t]->schema->name) ||
							       is_of(panes[other], topics[t]->schema->name)
						       ? WHOLE
						       : ABSENT;
			open_screen();
			for (unsigned s = 0; s < N_SIZES; s++) {
				if (is_left_out(s))
					continue;
				resize(s);
				for (unsigned p = 0; p < n_panes; p++)
					draw_view(0, p, 0);
			}
			close_screen();
		}
	}
	close_rig();
}
