/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Starts the screen from options and configuration: the command line overrides the file. */
#include <config.h>

#include "app/interactive.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "app/config_file.h"
#include "app/moment.h"
#include "app/option_table.h"
#include "app/privileges.h"
#include "app/run_plan.h"
#include "core/error_message.h"
#include "core/i18n.h"
#include "pane/panes.h"
#include "recording/past_file.h"
#include "screen/screen.h"
#include "sys/user_file.h"
#include "topic/finding/finding_rules.h"
#include "topic/topic.h"

static unsigned index_of(const struct pane *pane)
{
	for (unsigned i = 0; i < n_panes; i++)
		if (panes[i] == pane)
			return i;
	return 0;
}

static unsigned first_pane(const struct options *options, const struct settings *settings)
{
	const char *name = settings_get(settings, "pane");
	const struct pane *pane = options->n_panes > 0 ? options->panes[0] : name ? pane_find(name) : NULL;

	return pane ? index_of(pane) : 0;
}

static double choose_delay(const struct options *options, const struct settings *settings)
{
	const char *text = settings_get(settings, "delay");
	double seconds;

	if (options->delay_seconds > 0)
		return options->delay_seconds;
	return text && span_whole_seconds(text, DELAY_MIN, DELAY_MAX, &seconds) ? seconds : 1;
}

static enum size_unit choose_unit(const struct options *options, const struct settings *settings)
{
	const char *name = settings_get(settings, "unit");
	enum size_unit unit = SIZE_AUTO;

	if (options->unit_given)
		return options->unit;
	if (name)
		size_unit_parse(name, &unit);
	return unit;
}

static enum glyph_set choose_glyphs(const struct options *options, const struct settings *settings)
{
	const char *name = settings_get(settings, "glyphs");
	enum glyph_set glyphs = GLYPHS_BLOCK;

	if (options->ascii)
		return GLYPHS_ASCII;
	if (name)
		glyph_set_parse(name, &glyphs);
	return glyphs;
}

/* Of the terminal; for a dark ground if it does not report its colours. */
static enum theme usual_theme(void)
{
	return theme_of_terminal(secure_getenv("COLORFGBG"));
}

static enum theme choose_theme(const struct options *options, const struct settings *settings)
{
	const char *name = settings_get(settings, "theme");
	enum theme theme = usual_theme();

	if (options->theme_given)
		return options->theme;
	if (name)
		theme_parse(name, &theme);
	return theme;
}

static bool choose_color(const struct options *options)
{
	const char *no_color = secure_getenv("NO_COLOR");

	if (options->color == WHEN_AUTO)
		return !(no_color && *no_color);
	return options->color == WHEN_ALWAYS;
}

static double choose_past_seconds(const struct options *options, const struct settings *settings)
{
	const char *text = settings_get(settings, "past");
	double seconds;

	if (options->past_given)
		return options->past_seconds;
	return text && span_whole_seconds(text, 0, PAST_SECONDS_MAX, &seconds) ? seconds : PAST_SECONDS;
}

static uint64_t choose_past_bytes(const struct options *options, const struct settings *settings)
{
	const char *text = settings_get(settings, "past-size");
	uint64_t bytes;

	if (options->past_bytes > 0)
		return options->past_bytes;
	return text && span_whole_bytes(text, PAST_BYTES_MIN, UINT64_MAX / 2, &bytes) ? bytes : PAST_BYTES;
}

/* Of a recording in a pipe; the past of a live screen has its own file. */
static void bound_pipe(struct source *source, const struct options *options, const struct settings *settings)
{
	if (source->keep_back)
		source->keep_back(source->state, choose_past_bytes(options, settings));
}

static void keep(void *state, const struct frame *frame)
{
	past_file_keep(state, frame);
}

static int open_past(void *state, struct source *source)
{
	return past_file_read(state, source);
}

/* A new file, which is removed if it gets only a part. */
static int save_past_as(struct past_file *past, struct user_file *file, const char *name)
{
	int error = user_file_open(file, name, USER_FILE_NEW), fd;

	if (error)
		return error;
	fd = user_file_create(file, S_IRUSR | S_IWUSR);
	if (fd < 0)
		return fd;
	error = past_file_save(past, fd);
	if (close(fd) < 0 && !error)
		error = -errno;
	if (error)
		user_file_remove(file);
	return error;
}

/* In the current directory, named by the time. */
static int save_past(void *state, char *text, size_t room)
{
	char name[64], why[TEXT_MAX];
	time_t now = time(NULL);
	struct user_file file;
	struct tm tm;
	int error;

	if (!localtime_r(&now, &tm))
		memset(&tm, 0, sizeof(tm));
	strftime(name, sizeof(name), "panetop-%Y%m%d-%H%M%S.recording", &tm);
	error = save_past_as(state, &file, name);
	snprintf(text, room, "%s", name);
	if (error) {
		user_file_explain(&file, error, why, sizeof(why));
		snprintf(text, room, "%s: %s", name, why);
	}
	user_file_close(&file);
	return error;
}

static int terminal_error(int error)
{
	const char *term = getenv("TERM"); /* as the terminal library does, with capabilities too */

	if (error == -EINVAL)
		error_message("TERM",
			      _("terminal type '%s' is unknown or has no screen; set TERM, or use --batch"),
			      term ? term : "?");
	else if (error == -ENOTTY)
		error_message(_("screen"), "%s", _("no terminal; use --batch"));
	else
		error_message(_("screen"), "%s", strerror(-error));
	return 1;
}

static int run(const struct options *options, struct settings *settings, struct sample_request *request,
	       struct source *source, struct worker *worker)
{
	struct screen_setup setup = {
		.source = source,
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
		.faults = error_message_log(),
		.settings = settings,
		.request = request,
		.save = config_save,
		.worker = worker,
		.first_pane = first_pane(options, settings),
		.first_asked_for = options->n_panes > 0,
		.first_sample = 1,
		.delay_seconds = choose_delay(options, settings),
		.delay_chosen = options->delay_seconds > 0 || settings_get(settings, "delay"),
		.count = options->count,
		.limit = options->limit,
		.unit = choose_unit(options, settings),
		.glyphs = choose_glyphs(options, settings),
		.theme = choose_theme(options, settings),
		.usual_theme = usual_theme(),
		.color = choose_color(options),
		.ascii = options->ascii,
		.filter = options->filter,
		.sort = options->sort,
		.columns = options->columns,
	};
	double past_seconds = source_is_recording(source) ? 0 : choose_past_seconds(options, settings);
	struct past past = { .keep = keep, .open = open_past, .save = save_past };
	int error;

	bound_pipe(source, options, settings);
	if (options->at && moment_find(source, options->replay, options->at, &setup.first_sample) != 0)
		return 1;
	if (past_seconds > 0)
		past.state = past_file_open(past_seconds, choose_past_bytes(options, settings), setup.schemas,
					    setup.n_schemas);
	if (past.state)
		setup.past = &past;
	else if (past_seconds > 0)
		error_message(_("the past"), "%s", strerror(errno));
	if (drop_privileges(options, settings, NULL, NULL) != 0)
		return 1;
	error = screen_run(&setup);
	if (past.state)
		past_file_close(past.state);
	return error ? terminal_error(error) : 0;
}

/* The configuration file, whose faults are reported with their lines. */
struct config {
	struct settings settings;
	char path[PATH_MAX];
	char place[PATH_MAX + 192];
};

static const char *place_of(struct config *config, const char *name)
{
	snprintf(config->place, sizeof(config->place), _("%s, line %zu of %s"), name,
		 settings_line(&config->settings, name), config->path);
	return config->place;
}

static void refuse(struct config *config, const char *name, const char *expected)
{
	error_message(place_of(config, name), "'%s': %s", settings_get(&config->settings, name), expected);
	settings_set(&config->settings, name, NULL);
}

/* Checks the file's columns and sort order of a table. */
static void check_table(struct config *config, const struct schema *schema)
{
	struct settings *settings = &config->settings;
	char columns[128], sort[128];
	struct view view;

	view_open(&view, schema);
	snprintf(columns, sizeof(columns), "%s.columns", schema->name);
	snprintf(sort, sizeof(sort), "%s.sort", schema->name);
	if (settings_get(settings, columns) &&
	    !run_plan_choose_columns(&view, settings_get(settings, columns),
				     place_of(config, columns)))
		settings_set(settings, columns, NULL);
	if (settings_get(settings, sort) &&
	    !run_plan_choose_sort(&view, settings_get(settings, sort), place_of(config, sort)))
		settings_set(settings, sort, NULL);
	view_close(&view);
}

static bool check_name(void *context, const struct setting *setting)
{
	const struct config *config = context;
	bool known = config_knows(setting->name);

	if (!known)
		error_message(NULL, _("unknown setting '%s', line %zu of %s"), setting->name, setting->line,
			      config->path);
	return known;
}

static void check_pane(struct config *config)
{
	const char *name = settings_get(&config->settings, "pane");

	if (!name || pane_find(name))
		return;
	options_refuse_pane(place_of(config, "pane"), name);
	settings_set(&config->settings, "pane", NULL);
}

static bool check_finding(void *context, const struct setting *setting)
{
	struct config *config = context;
	bool good = !finding_setting_known(finding_rules, n_finding_rules, setting->name) ||
		    finding_setting_valid(finding_rules, n_finding_rules, setting->name, setting->value);

	if (!good)
		error_message(place_of(config, setting->name), "'%s': %s", setting->value,
			      _("expected a number, a percentage, a time, or for a rule off"));
	return good;
}

/* Settings of the file are checked as options are; wrong ones are reported and ignored. */
static void check_file(struct config *config)
{
	struct settings *settings = &config->settings;
	struct options unused = { 0 };
	char name[128];

	settings_filter(settings, config, check_name);
	check_pane(config);
	for (unsigned i = 0; i < n_option_entries; i++) {
		const struct option_entry *entry = &option_entries[i];
		const char *value = settings_get(settings, entry->name);

		if (value && entry->argument && !entry->set(&unused, value))
			refuse(config, entry->name, _(entry->expected));
	}
	for (unsigned i = 0; i < n_panes; i++) {
		for (const struct pane_option *option = panes[i]->options; option && option->name; option++) {
			const char *value;

			snprintf(name, sizeof(name), "%s.%s", panes[i]->name, option->name);
			value = settings_get(settings, name);
			if (value && option->valid && !option->valid(value))
				refuse(config, name, _(option->expected));
		}
	}
	for (unsigned i = 0; i < n_topics; i++)
		check_table(config, topics[i]->schema);
	settings_filter(settings, config, check_finding);
}

int interactive_run(const struct options *options, struct settings *settings, struct sample_request *request,
		    struct source *source, struct worker *worker)
{
	struct config config = { 0 };
	struct run_plan checked;
	int status = run_plan_open(&checked, options, settings, request);

	run_plan_close(&checked);
	if (status)
		return status;
	config_load(&config.settings, config.path, sizeof(config.path));
	check_file(&config);
	for (size_t i = 0; i < settings->n_items; i++)
		settings_set(&config.settings, settings->items[i].name, settings->items[i].value);
	status = options_check_conflicts(settings, &config.settings);
	settings_free(settings);
	*settings = config.settings; /* the source reads the same settings */
	return status < 0 ? run(options, settings, request, source, worker) : status;
}
