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
#include "app/recorded_past.h"
#include "app/report.h"
#include "app/run_plan.h"
#include "core/i18n.h"
#include "pane/panes.h"
#include "recording/past_file.h"
#include "screen/screen.h"
#include "sys/error_message.h"
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

static unsigned first_pane(const struct options *options, const struct settings *settings, bool of_hosts)
{
	const struct pane *pane = options->n_panes > 0 ? options->panes[0]
				  : of_hosts           ? pane_find(hosts_pane)
				  : settings->pane     ? pane_find(settings->pane)
						       : NULL;

	return pane ? index_of(pane) : 0;
}

/* Of the terminal; for a dark ground if it does not report its colours. */
static enum theme usual_theme(void)
{
	return theme_of_terminal(secure_getenv("COLORFGBG"));
}

/* Reads the file of a theme. If it is missing, an option ends the run; the configuration only reports it. */
static int load_theme(const struct settings *settings, struct screen_setup *setup)
{
	struct palette palette = *theme_file();
	char path[PATH_MAX], place[80];
	int error = config_theme_load(settings->theme, &palette, path);

	if (error) {
		snprintf(place, sizeof(place), _("theme '%s'"), settings->theme);
		error_message(place, _("%s: %s; or use dark, light, contrast, warm or terminal"), path,
			      strerror(-error));
		return config_lines_find(&settings->lines, "theme")->number == 0 ? 2 : 0;
	}
	theme_set_file(&palette);
	setup->theme = THEME_FILE;
	snprintf(setup->theme_file, sizeof(setup->theme_file), "%s", settings->theme);
	return 0;
}

/* 0, or an exit status. */
static int choose_theme(const struct settings *settings, struct screen_setup *setup)
{
	setup->theme = setup->usual_theme = usual_theme();
	setup->ask_ground = !settings->theme;
	if (!settings->theme)
		return 0;
	for (unsigned i = 0; theme_names[i]; i++) {
		if (strcmp(settings->theme, theme_names[i]) == 0) {
			setup->theme = (enum theme)i;
			return 0;
		}
	}
	return load_theme(settings, setup);
}

static bool choose_color(const struct options *options)
{
	const char *no_color = secure_getenv("NO_COLOR");

	if (options->color == WHEN_AUTO)
		return !(no_color && *no_color);
	return options->color == WHEN_ALWAYS;
}

/* What a live screen goes back to. */
struct kept {
	struct past_file *file;
	const char *root;
};

static const char *keep(void *state, const struct frame *frame)
{
	struct kept *kept = state;

	return past_file_keep(kept->file, frame);
}

static int open_past(void *state, struct source *source)
{
	struct kept *kept = state;

	return past_file_read(kept->file, source);
}

static int reach_back(void *state, struct source *source, char *why, size_t room)
{
	const struct kept *kept = state;

	return recorded_past_join(kept->root, topic_schemas(), n_topics, source, why, room);
}

static void open_kept(struct kept *kept, const struct settings *settings)
{
	if (settings->past_seconds > 0)
		kept->file = past_file_open(settings->past_seconds, settings->past_bytes, topic_schemas(),
					    n_topics);
	if (settings->past_seconds > 0 && !kept->file)
		error_message(_("the past"),
			      _("%s: the screen cannot go back; set XDG_CACHE_HOME or TMPDIR to a directory "
				"that can be written"),
			      strerror(errno));
}

static int write_past(void *past, int fd)
{
	return past_file_save(past, fd);
}

static int save_past(void *state, const char *name, char *text, size_t room)
{
	const struct kept *kept = state;

	return user_file_save_new(name, write_past, kept->file, text, room);
}

static int save_page(const struct screen_setup *setup, const struct source *source, const char *name,
		     char *error, size_t room)
{
	return report_save(setup->settings, source, setup->page_names, name, error, room);
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

static void take_rules(void *state, struct frame *frame)
{
	rule_watch_take(state, frame);
}

static int join_rules(void *state, struct loop *loop)
{
	return rule_watch_join(state, loop);
}

static void want_rules(const void *state, bool *wanted)
{
	rule_watch_want(state, wanted);
	for (unsigned i = 0; i < n_topics; i++)
		wanted[i] |= topics[i] == &topic_watch;
}

static int run(const struct options *options, struct settings *settings, struct sample_request *request,
	       struct source *source, struct worker *worker, struct rule_watch *rules)
{
	const struct screen_rules screen_rules = { take_rules, join_rules, want_rules, rules };
	struct screen_setup setup = {
		.clock = options->clock,
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
		.save_page = save_page,
		.page_names = options->report_names,
		.save = config_save,
		.worker = worker,
		.first_pane = first_pane(options, settings, request->n_hosts > 1),
		.first_asked_for = options->n_panes > 0,
		.first_sample = 1,
		.delay_seconds = settings->delay_seconds,
		.count = options->count,
		.limit = options->limit,
		.unit = settings->unit,
		.glyphs = options->ascii ? GLYPHS_ASCII : settings->glyphs,
		.color = choose_color(options),
		.ascii = options->ascii,
		.filter = options->filter,
		.sort = options->sort,
		.columns = options->columns,
	};
	struct kept kept = { .root = options->root ? options->root : "/" };
	const struct past past = { keep, open_past, save_past, reach_back, &kept };
	int error = choose_theme(settings, &setup);

	if (error)
		return error;
	if (source->keep_back) /* of a recording in a pipe; the past of a live screen has its own file */
		source->keep_back(source->state, settings->past_bytes);
	if (options->at && moment_find(source, options->replay, options->at, &setup.first_sample) != 0)
		return 1;
	if (!source_is_recording(source))
		open_kept(&kept, settings);
	if (kept.file)
		setup.past = &past;
	if (rules)
		setup.rules = &screen_rules;
	if (drop_privileges(options, settings, NULL, NULL) != 0)
		return 1;
	error = screen_run(&setup);
	if (kept.file)
		past_file_close(kept.file);
	return error ? terminal_error(error) : 0;
}

int interactive_run(const struct options *options, struct settings *settings, struct sample_request *request,
		    struct source *source, struct worker *worker, struct rule_watch *rules)
{
	struct run_plan checked;
	int status = run_plan_open(&checked, options, settings, request);

	run_plan_close(&checked);
	if (status)
		return status;
	config_load(settings);
	status = options_check_conflicts(settings);
	return status < 0 ? run(options, settings, request, source, worker, rules) : status;
}
