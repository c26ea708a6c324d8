/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The table of settings: what each takes and refuses, and that what is written is read again. */
#include "suite.h"

#include "model/settings.h"
#include "model/units.h"
#include "pane/panes.h"
#include "screen/theme.h"
#include "sys/latency_thread.h"

#define FIT "[{\"cpus\":2,\"measure\":\"load\",\"slope\":10.5,\"intercept_watts\":5,\"r_squared\":0.9}]"

static bool is_pane(const char *name, const char *dot)
{
	for (unsigned i = 0; i < n_panes; i++)
		if (strlen(panes[i]->name) == (size_t)(dot - name) &&
		    strncmp(panes[i]->name, name, (size_t)(dot - name)) == 0)
			return true;
	return false;
}

/* A setting without its range, its choices or the text of its refusal would be half described. */
START_TEST(settings_are_described)
{
	for (unsigned i = 0; i < n_all_settings; i++) {
		const struct setting *setting = &all_settings[i];
		const char *dot = strchr(setting->name, '.');
		struct buffer expected = { 0 };

		ck_assert_msg(!dot || is_pane(setting->name, dot), "%s is of no pane", setting->name);
		ck_assert_msg(!setting->argument == (setting->type == SETTING_FLAG || !setting->help),
			      "%s: its argument", setting->name);
		ck_assert_ptr_eq(setting_find(setting->name), setting->type == SETTING_EACH ? NULL : setting);
		setting_write_expected(setting, &expected);
		ck_assert_msg(expected.length > 0 || strcmp(setting->name, "pane") == 0, "%s: what is valid",
			      setting->name);
		buffer_free(&expected);
		for (const char *const *choice = setting->choices; choice && *choice; choice++)
			ck_assert_msg(!setting->argument || strstr(setting->argument, *choice),
				      "%s: the help lacks %s", setting->name, *choice);
	}
}

static const char *other_value(const struct setting *setting)
{
	static const char *const values[] = { [SETTING_FLAG] = "yes",    [SETTING_SET] = "all",
					      [SETTING_FIT] = FIT,       [SETTING_ADDRESS] = "0x7f00",
					      [SETTING_BYTES] = "2MiB",  [SETTING_SECONDS] = "0.5",
					      [SETTING_EACH] = "hidden", [SETTING_COUNT] = "7",
					      [SETTING_NUMBER] = "7",    [SETTING_TEXT] = "7" };

	return setting->type == SETTING_CHOICE ? setting->choices[1] : values[setting->type];
}

static void write_all(const struct settings *settings, struct buffer *file)
{
	config_lines_rewrite(&settings->lines, span_text(""), NULL, file);
}

/* Fields alone: texts lie elsewhere. */
static void assert_same(const struct settings *one, const struct settings *other)
{
	struct settings left = *one, right = *other;

	ck_assert_str_eq(left.pane, right.pane);
	ck_assert_str_eq(left.topic.counters, right.topic.counters);
	ck_assert_str_eq(left.topic.latency.cpus, right.topic.latency.cpus);
	ck_assert_str_eq(left.power.cycles, right.power.cycles);
	ck_assert_str_eq(left.power.instructions, right.power.instructions);
	ck_assert(power_fit_is_same(&left.topic.fit, &right.topic.fit));
	ck_assert_uint_eq(left.topic.event.kinds, right.topic.event.kinds);
	ck_assert_uint_eq(left.topic.map.from, right.topic.map.from);
	ck_assert_uint_eq(left.past_bytes, right.past_bytes);
	ck_assert_uint_eq(left.memory.used, right.memory.used);
	ck_assert_uint_eq(left.cpu.command.directories, right.cpu.command.directories);
	ck_assert_double_eq(left.power.settle_seconds, right.power.settle_seconds);
	ck_assert_double_eq(left.cpu.threshold, right.cpu.threshold);
	ck_assert_int_eq(left.cpu.tree, right.cpu.tree);
}

START_TEST(what_is_written_is_read_again)
{
	struct settings first, again;
	struct config_lines lines = { 0 };
	struct buffer file = { 0 }, second = { 0 };

	settings_open(&first);
	settings_open(&again);
	for (unsigned i = 0; i < n_all_settings; i++) {
		const struct setting *setting = &all_settings[i];
		const char *name = setting->type == SETTING_EACH ? "power.line.load" : setting->name;

		ck_assert_msg(settings_set(&first, name, other_value(setting), 0), "%s", name);
		ck_assert_msg(settings_has(&first, name), "%s", name);
	}
	settings_set(&first, "process.columns", "pid,name", 0);
	write_all(&first, &file);
	ck_assert_uint_eq(config_lines_parse(&lines, span_of(file.bytes, file.length)), 0);
	ck_assert_uint_eq(lines.n_items, n_all_settings + 1);
	for (size_t i = 0; i < lines.n_items; i++)
		ck_assert(settings_set(&again, lines.items[i].name, lines.items[i].value, i + 1));
	assert_same(&first, &again);
	ck_assert_str_eq(settings_text(&again, "process.columns"), "pid,name");
	write_all(&again, &second);
	ck_assert_uint_eq(second.length, file.length);
	ck_assert_int_eq(memcmp(second.bytes, file.bytes, file.length), 0);
	for (unsigned i = 0; i < n_all_settings; i++)
		if (all_settings[i].type != SETTING_EACH)
			settings_set(&again, all_settings[i].name, NULL, 0);
	settings_close(&first);
	ck_assert_uint_eq(again.lines.n_items, 2);
	ck_assert_ptr_null(again.topic.counters);
	ck_assert_uint_eq(again.topic.fit.cpus, 0);
	ck_assert(isnan(again.cpu.threshold));
	settings_close(&again);
	config_lines_free(&lines);
	buffer_free(&file);
	buffer_free(&second);
}

static struct settings settings;

static void begin(void)
{
	settings_close(&settings);
	settings_open(&settings);
}

static void set(const char *name, const char *value)
{
	ck_assert_msg(settings_set(&settings, name, value, 0), "%s = %s", name, value ? value : "(none)");
}

/* As the help and the refusals say. */
START_TEST(ranges_end_where_they_are_said_to)
{
	static const struct {
		const char *name, *below, *least, *most, *above; /* below NULL: there is no such number */
	} ranges[] = {
		{ "delay", "0.0499", "0.05", "86400", "86401" },
		{ "past", NULL, "0", "604800", "604801" },
		{ "events.group", "0", "1", "2147483647", "2147483648" },
		{ "power.settle", NULL, "0", "86400", "86401" },
		{ "power.idle-least", NULL, "0", "100", "100.1" },
		{ "power.step-seconds", "0.19", "0.2", "3600", "3601" },
		{ "latency.period", "49us", "50us", "1s", "1.001" },
		{ "latency.priority", "0", "1", "99", "100" },
		{ "latency.slack", "5e-10", "1ns", "1s", "1.001" },
		{ "latency.bucket", "5e-10", "1ns", "1s", "1.001" },
		{ "latency.duration", "0.0009", "0.001", "1e8", "1.1e8" },
		{ "latency.samples", "0", "1", "4294967295", "4294967296" },
		{ "pages.cells", "0", "1", "1000000", "1000001" },
		{ "pages.touched-window", "0.19", "0.2", "86400", "86401" },
		{ "past-size", "1048575", "1MiB", "9223372036854775807", "9223372036854777856" },
		{ "probe-cost", NULL, "0", "100000", "100001" },
		{ "profile.rate", "0", "1", "10000", "10001" },
		{ "cpu.threshold", NULL, "0", "1000000", "1000001" },
	};

	for (size_t i = 0; i < LENGTH(ranges); i++) {
		const struct setting *setting = setting_find(ranges[i].name);

		ck_assert_msg((!ranges[i].below || !setting_accepts(setting, ranges[i].below)) &&
				      setting_accepts(setting, ranges[i].least) &&
				      setting_accepts(setting, ranges[i].most) &&
				      !setting_accepts(setting, ranges[i].above),
			      "%s", ranges[i].name);
	}
}

START_TEST(numbers_are_as_usual_until_they_are_set)
{
	begin();
	ck_assert(settings.delay_seconds == 1 && settings.past_seconds == 3600 &&
		  settings.past_bytes == 64 << 20);
	ck_assert(isnan(settings.cpu.threshold) && isnan(settings.power.least_idle));
	ck_assert(settings.power.settle_seconds == 0 && settings.power.step_seconds == 5);
	ck_assert(settings.topic.event.group == 0 && settings.topic.event.kinds == 0x7f);
	ck_assert(settings.topic.latency.period_seconds == 1e-3 && settings.topic.latency.priority == 80);
	ck_assert(settings.topic.latency.slack_seconds == 1e-9 && settings.topic.latency.bucket_seconds == 0);
	ck_assert(settings.topic.latency.duration_seconds == 0 && settings.topic.latency.samples == 0);
	ck_assert(settings.topic.map.cells == 1024 && settings.topic.profile.rate == 97);
	ck_assert(settings.topic.probe.cost_percent == 5 && settings.pages.touched_window_seconds == 30);
	ck_assert(settings.memory.used == USED_NOT_CHOSEN && settings.memory.span == SPAN_5_MIN);
}

START_TEST(values_are_typed)
{
	begin();
	ck_assert(settings_set(&settings, "delay", "500ms", 3) && settings.delay_seconds == 0.5);
	ck_assert_uint_eq(config_lines_find(&settings.lines, "delay")->number, 3);
	set("pages.from", "0x7F96d3e36000");
	ck_assert_uint_eq(settings.topic.map.from, 0x7f96d3e36000);
	set("power.settle", "auto");
	ck_assert(isnan(settings.power.settle_seconds));
	set("cpu.directories", "no");
	ck_assert_uint_eq(settings.cpu.command.directories, 1);
	set("cpu.idle", "yes");
	ck_assert(settings.cpu.idle);
	set("cpu.idle", "no");
	ck_assert(!settings.cpu.idle && !settings_has(&settings, "cpu.idle"));
	set("power.line.acpitz", "L 1 hidden"); /* of an earlier version */
	ck_assert_ptr_null(setting_find("power.line."));
	set("memory.span", "1h");
	set("power.span", "sample");
	ck_assert(settings.memory.span == SPAN_1_H && settings.power.span == SPAN_SAMPLES);
	ck_assert(graph_span_seconds(SPAN_5_MIN) == 300 && graph_span_seconds(SPAN_1_H) == 3600 &&
		  graph_span_seconds(SPAN_SAMPLES) == 0);
	set("cpu.command", "name");
	set("memory.used", "htop");
	ck_assert(settings.cpu.command.shown == COMMAND_NAME && settings.memory.used == USED_HTOP);
}

/* All but exits that were not 0: exits have their kind already. */
START_TEST(events_are_a_set_of_kinds)
{
	static const struct {
		const char *text;
		unsigned kinds;
	} cases[] = {
		{ "fork", 1 },    { "clone", 0x200 },
		{ "all", 0x37f }, { "all,exitnonzero", 0x3ff },
		{ NULL, 0x7f },   { "exitnonzero,uid", 1U << CHOSEN_EXITNONZERO | 1U << CHOSEN_UID },
	};

	begin();
	for (size_t i = 0; i < LENGTH(cases); i++) {
		set("events.events", cases[i].text);
		ck_assert_uint_eq(settings.topic.event.kinds, cases[i].kinds);
	}
}

/* What is not valid changes nothing. */
START_TEST(texts_have_their_form)
{
	static const char *const good[][2] = {
		{ "cpu.perf", "cycles" },               { "theme", "blue_2-A" },
		{ "latency.cpus", "0" },                { "latency.cpus", "0,2-3" },
		{ "latency.cpus", "2-2" },              { "power.cycles", "cycles" },
		{ "power.settle", "3m" },               { "power.line.load", "shown" },
		{ "power.line.load", "hidden" },        { "power.line.load", "L 1 shown" },
		{ "pages.from", "7F" },                 { "pages.from", "0xffffffffffffffff" },
	};
	static const char *const bad[][2] = {
		{ "cpu.idle", "maybe" },                   { "cpu.idle", "" },
		{ "cpu.perf", "" },                        { "cpu.threshold", " 5" },
		{ "cpu.threshold", "5%" },                 { "cpu.threshold", "nan" },
		{ "cpu.calibration", "[]" },               { "delay", "soon" },
		{ "delay", "auto" },                       { "unit", "kib" },
		{ "theme", "blue.theme" },                 { "theme", "../blue" },
		{ "theme", "" },                           { "past-size", "1023KiB" },
		{ "events.events", "fork,exits" },         { "events.events", "" },
		{ "latency.cpus", "" },                    { "latency.cpus", "," },
		{ "latency.cpus", "0x" },                  { "latency.cpus", "0-" },
		{ "latency.cpus", "0," },                  { "latency.cpus", "0, 1" },
		{ "latency.cpus", "3-1" },                 { "latency.cpus", "65536" },
		{ "memory.used", "not chosen" },           { "power.cycles", "" },
		{ "power.cycles", "cycles,instructions" }, { "power.settle", "automatic" },
		{ "power.line.load", "hidden L" },         { "power.line.load", "visible" },
		{ "power.line.load", "" },                 { "pages.from", "0x" },
		{ "pages.from", "0xg" },                   { "pages.from", "" },
		{ "pages.from", " 7f" },                   { "pages.from", "0x 7f" },
		{ "pages.from", "7f " },                   { "pages.from", "0x10000000000000000" },
		{ "probe-cost", "" },                      { "probe-cost", "5 " },
	};
	char name[66] = "";

	begin();
	set("delay", "2");
	for (size_t i = 0; i < LENGTH(good); i++)
		ck_assert_msg(setting_accepts(setting_find(good[i][0]), good[i][1]), "%s = %s", good[i][0],
			      good[i][1]);
	for (size_t i = 0; i < LENGTH(bad); i++)
		ck_assert_msg(!setting_accepts(setting_find(bad[i][0]), bad[i][1]) &&
				      !settings_set(&settings, bad[i][0], bad[i][1], 0),
			      "%s = %s", bad[i][0], bad[i][1]);
	ck_assert(settings.lines.n_items == 1 && settings.delay_seconds == 2);
	ck_assert(!setting_accepts(
		setting_find("cpu.calibration"),
		"[{\"cpus\":0,\"measure\":\"load\",\"slope\":1,\"intercept_watts\":1,\"r_squared\":1}]"));
	memset(name, 'x', 65);
	ck_assert(!setting_accepts(setting_find("theme"), name));
	ck_assert(setting_accepts(setting_find("theme"), name + 1));
}

/* What no setting is, as the columns of a table, is a text; no flag has what it says. */
START_TEST(what_is_set_is_there)
{
	begin();
	ck_assert(!settings_has(&settings, "delay") && !settings_has(&settings, "process.columns"));
	set("process.columns", "no");
	set("cpu.directories", "no");
	ck_assert(settings_has(&settings, "process.columns") && settings_has(&settings, "cpu.directories"));
	set("process.columns", NULL);
	ck_assert(!settings_has(&settings, "process.columns"));
	set("theme", "light");
	ck_assert_str_eq(settings.theme, "light");
	set("theme", NULL);
	ck_assert_ptr_null(settings.theme);
}

/* A field that is an index means what the enumeration of its reader means. */
START_TEST(choices_are_in_the_order_of_their_enumeration)
{
	static const struct {
		const char *const *names;
		unsigned index;
		const char *name;
	} cases[] = {
		{ latency_policy_names, LATENCY_RR, "rr" },
		{ latency_policy_names, LATENCY_OTHER, "other" },
		{ latency_policy_names, N_LATENCY_POLICIES, NULL },
		{ latency_method_names, LATENCY_ITIMER, "itimer" },
		{ latency_method_names, LATENCY_TIMERFD, "timerfd" },
		{ latency_method_names, N_LATENCY_METHODS, NULL },
		{ theme_names, THEME_LIGHT, "light" },
		{ theme_names, THEME_TERMINAL, "terminal" },
		{ theme_names, THEME_WARM, "warm" },
		{ theme_names, THEME_FILE, NULL },
		{ glyph_set_names, GLYPHS_BRAILLE, "braille" },
		{ glyph_set_names, GLYPHS_ASCII, "ascii" },
		{ glyph_set_names, N_GLYPH_SETS, NULL },
		{ size_unit_names, SIZE_PERCENT, "percent" },
		{ size_unit_names, N_SIZE_UNITS, NULL },
	};

	for (size_t i = 0; i < LENGTH(cases); i++)
		ck_assert_pstr_eq(cases[i].names[cases[i].index], cases[i].name);
}

/* The menu of options changes settings that there are, and has a label for each value. */
START_TEST(menus_change_settings)
{
	char name[SETTING_NAME_MAX];

	for (unsigned p = 0; p < n_panes; p++) {
		const struct pane_setting *choice = panes[p]->choices;

		for (; choice && choice->name; choice++) {
			const struct setting *setting;

			snprintf(name, sizeof(name), "%s.%s", panes[p]->name, choice->name);
			setting = setting_find(name);
			ck_assert_msg(setting && setting->choices, "%s", name);
			ck_assert(setting->type != SETTING_SET || panes[p]->ask_setting);
			for (unsigned i = 0; setting->type != SETTING_SET && setting->choices[i]; i++)
				ck_assert_ptr_nonnull(choice->labels[i]);
		}
	}
}
