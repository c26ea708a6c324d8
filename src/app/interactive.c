/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Starts the screen from options and the configuration file, $XDG_CONFIG_HOME/panetop/config, which the
 * command line overrides, and which is written only when the user asks.
 */
#include <config.h>

#include "app/runs.h"

#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <limits.h>
#include <pwd.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/stat.h>
#include <unistd.h>

#include "app/options.h"
#include "app/privileges.h"
#include "app/recordings.h"
#include "core/i18n.h"
#include "model/settings.h"
#include "output/recording.h"
#include "pane/panes.h"
#include "recording/block.h"
#include "recording/past_file.h"
#include "screen/setup.h"
#include "screen/theme.h"
#include "sys/descriptor.h"
#include "sys/machine.h"
#include "sys/user_file.h"
#include "topic/finding/finding_rules.h"
#include "topic/topic.h"

#define CONFIG_BYTES_MAX ((size_t)1024 * 1024)

/* With file capabilities the environment is not trusted: the passwd entry is used. */
static const char *own_home(void)
{
	const char *home = secure_getenv("HOME");
	const struct passwd *entry;

	if (home || !getauxval(AT_SECURE))
		return home;
	entry = getpwuid(getuid());
	return entry ? entry->pw_dir : NULL;
}

/* The parent of panetop's directory: 0, or -ENOENT if the environment names none. */
static int find_home(char *path, size_t room)
{
	const char *home = secure_getenv("XDG_CONFIG_HOME");
	int length;

	if (home && *home == '/') {
		length = snprintf(path, room, "%s", home);
	} else {
		home = own_home();
		if (!home || *home != '/')
			return -ENOENT;
		length = snprintf(path, room, "%s/.config", home);
	}
	return length >= 0 && (size_t)length < room ? 0 : -ENAMETOOLONG;
}

/* A table whose columns and order can be set, and which of the two "TABLE.columns" or "TABLE.sort" names. */
struct table_setting {
	const struct schema *schema;
	bool columns;
};

/* TABLE: a topic, or a table of a pane that keeps its own. */
static bool find_table(const char *setting, struct table_setting *found)
{
	const char *dot = strrchr(setting, '.');
	struct span name;

	if (!dot || (strcmp(dot, ".columns") != 0 && strcmp(dot, ".sort") != 0))
		return false;
	name = span_of(setting, (size_t)(dot - setting));
	found->columns = dot[1] == 'c';
	for (unsigned i = 0; i < n_topics; i++) {
		found->schema = topics[i]->schema;
		if (span_is(name, found->schema->name))
			return true;
	}
	for (unsigned i = 0; i < n_panes; i++) {
		for (const struct pane_table *table = panes[i]->tables; table->topic; table++) {
			if (!table->setting || !span_is(name, table->setting))
				continue;
			found->schema = topic_find(table->topic)->schema;
			return true;
		}
	}
	return false;
}

/* Of "finding.NAME" the NAME that it has now; NULL: it was not renamed. */
static const char *finding_now(const char *name)
{
	return strncmp(name, "finding.", 8) == 0 ? finding_name_now(name + 8) : NULL;
}

static bool is_known(const char *name)
{
	struct table_setting table;

	return setting_find(name) || find_table(name, &table) || finding_now(name) ||
	       finding_setting_known(finding_rules, n_finding_rules, name);
}

/* Reports what is wrong with a line of the file. */
static void refuse_value(const char *place, const struct setting *setting, const char *value)
{
	struct buffer expected = { 0 };

	setting_write_expected(setting, &expected);
	error_message(place, "'%s': %.*s", value, (int)expected.length, expected.bytes);
	buffer_free(&expected);
}

/* Is the list of columns or the order one of this table? Reports it if not. */
static bool is_of_table(const struct table_setting *table, const char *value, const char *place)
{
	struct view view;
	bool good;

	view_open(&view, table->schema);
	good = table->columns ? run_plan_choose_columns(&view, value, place)
			      : run_plan_choose_sort(&view, value, place);
	view_close(&view);
	return good;
}

/* Is the value of a table or a finding, which has no field, good? Reports it if not. */
static bool is_good_text(const struct config_line *line, const char *place)
{
	struct table_setting table;

	if (find_table(line->name, &table))
		return is_of_table(&table, line->value, place);
	if (finding_setting_valid(finding_rules, n_finding_rules, line->name, line->value))
		return true;
	error_message(place, "'%s': %s", line->value,
		      _("expected a number, a percentage, a time, or for a rule off"));
	return false;
}

/* What an option has set stays, but a wrong line is reported all the same. */
static void apply(struct settings *settings, const struct config_line *line, const char *path)
{
	const struct setting *setting = setting_find(line->name);
	const char *now = finding_now(line->name);
	struct config_line renamed = *line;
	char place[PATH_MAX + 192], name[96];
	bool given;

	snprintf(place, sizeof(place), _("%s, line %zu of %s"), line->name, line->number, path);
	if (now) {
		snprintf(renamed.name = name, sizeof(name), "finding.%s", now);
		error_message(place, _("it is called %s now"), name);
		line = &renamed;
	}
	given = settings_text(settings, line->name) != NULL;
	if (!is_known(line->name)) {
		error_message(NULL, _("unknown setting '%s', line %zu of %s"), line->name, line->number,
			      path);
		return;
	}
	if (strcmp(line->name, "pane") == 0 && !pane_find(line->value)) {
		options_refuse_pane(place, line->value);
		return;
	}
	if (setting && !setting_accepts(setting, line->value))
		refuse_value(place, setting, line->value);
	else if ((setting || is_good_text(line, place)) && !given)
		settings_set(settings, line->name, line->value, line->number);
}

/* Reads the lines of a file; reports one that is malformed. 0 or -errno. */
static int load_lines(const char *path, struct config_lines *lines)
{
	struct buffer text = { 0 };
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	int error = fd < 0 ? -errno : buffer_read(&text, fd, CONFIG_BYTES_MAX);
	size_t bad = error ? 0 : config_lines_parse(lines, span_of(text.bytes, text.length));

	if (fd >= 0)
		close(fd);
	if (bad)
		error_message(path, _("line %zu is not in the form name = value"), bad);
	buffer_free(&text);
	return error;
}

/*
 * Adds the settings of the file, if it exists, that no option has set. Reports unknown names and wrong values
 * with their lines, and ignores them.
 */
static void config_load(struct settings *settings)
{
	char home[PATH_MAX - 32], path[PATH_MAX];
	struct config_lines lines = { 0 };
	int error;

	if (find_home(home, sizeof(home)) < 0)
		return;
	snprintf(path, sizeof(path), "%s/panetop/config", home);
	error = load_lines(path, &lines);
	if (error && error != -ENOENT && error != -ENOTDIR)
		error_message(path, _("cannot be read: %s"), strerror(-error));
	for (size_t i = 0; i < lines.n_items; i++)
		apply(settings, &lines.items[i], path);
	config_lines_free(&lines);
}

static void apply_color(struct palette *palette, const struct config_line *line, const char *path)
{
	int name = palette_find(line->name);
	char place[PATH_MAX + 192];

	snprintf(place, sizeof(place), _("%s, line %zu of %s"), line->name, line->number, path);
	if (name < 0)
		error_message(place, "%s",
			      _("unknown color; use background, text, dim, accent, selected, calm, busy, "
				"critical or good"));
	else if (!palette_set(palette, (enum palette_name)name, line->value))
		error_message(place, name <= PALETTE_TEXT
					     ? _("'%s': use #rrggbb, 0 to 255, or default")
					     : _("'%s': use #rrggbb, or 0 to 255"),
			      line->value);
}

/*
 * The colours of $XDG_CONFIG_HOME/panetop/NAME.theme; those that it does not name stay. Reports unknown names
 * and wrong colours with their lines. 0 or -errno; path, of PATH_MAX bytes, is the file, or "".
 */
static int config_theme_load(const char *name, struct palette *palette, char *path)
{
	char home[PATH_MAX - 128];
	struct config_lines lines = { 0 };
	int error = find_home(home, sizeof(home));

	*path = '\0';
	if (error)
		return error;
	snprintf(path, PATH_MAX, "%s/panetop/%s.theme", home, name);
	error = load_lines(path, &lines);
	for (size_t i = 0; i < lines.n_items; i++)
		apply_color(palette, &lines.items[i], path);
	config_lines_free(&lines);
	return error;
}

/* Keeps the comments of the file before; a file that cannot be read has none. */
static int write_file(const struct settings *settings, struct user_file *file)
{
	struct buffer text = { 0 }, old = { 0 };
	int fd = user_file_read(file);
	int error = fd < 0 ? fd : buffer_read(&old, fd, CONFIG_BYTES_MAX);

	if (fd >= 0)
		close(fd);
	config_lines_rewrite(&settings->lines, span_of(old.bytes, error ? 0 : old.length), is_known, &text);
	error = user_file_replace(file, &text, S_IRUSR | S_IWUSR, true);
	buffer_free(&text);
	buffer_free(&old);
	return error;
}

/*
 * Replaces the file as a whole; a new one has mode 0600. Its comments and unchanged lines stay. 0, and its
 * path in text; or -errno, and what went wrong, as a translated sentence.
 */
static int config_save(const struct settings *settings, char *text, size_t room)
{
	char home[PATH_MAX - 64], path[PATH_MAX], why[TEXT_MAX];
	int error = find_home(home, sizeof(home));
	struct user_file file;

	if (error) {
		snprintf(text, room, _("the configuration could not be written: %s"),
			 error == -ENOENT ? _("HOME is not set") : strerror(-error));
		return error;
	}
	snprintf(path, sizeof(path), "%s/panetop/config", home);
	error = user_file_open(&file, path, USER_FILE_REGULAR | USER_FILE_MAKE_DIRECTORIES);
	if (!error)
		error = write_file(settings, &file);
	snprintf(text, room, "%s", path);
	if (error) {
		user_file_error_text(&file, error, why, sizeof(why));
		snprintf(text, room, _("%s could not be written: %s"), path, why);
	}
	user_file_close(&file);
	return error;
}

/* What a live screen goes back to. */
struct kept {
	struct past_file *file;
	const char *root; /* the directory of --root, or "/", below which are the recordings of the service */
};

#define DIRECTORY LOCALSTATEDIR "/lib/panetop"
#define SERVICE_USER "_panetop" /* its recordings, root's, and those of this user are read */

/* A sentence about the directory, and the error. */
struct refusal {
	char *why;
	size_t room;
};

static int refuse(const struct refusal *refusal, int error, const char *text)
{
	snprintf(refusal->why, refusal->room, _("%s is not used: %s"), DIRECTORY, text);
	return error;
}

static bool is_service_user(uid_t uid)
{
	const struct passwd *user = getpwnam(SERVICE_USER);

	return user && user->pw_uid == uid;
}

static int refuse_reader(const struct refusal *refusal, gid_t gid)
{
	const struct group *group = getgrgid(gid);
	char number[16];

	snprintf(number, sizeof(number), "%u", (unsigned)gid);
	snprintf(refusal->why, refusal->room,
		 _("panetop-record keeps earlier samples; members of the group %s may read them"),
		 group ? group->gr_name : number);
	return -EACCES;
}

/* Of the directory, which is open as a path. A descriptor for reading it or -errno. */
static int check(const struct refusal *refusal, int path)
{
	struct stat status;
	int fd;

	if (fstat(path, &status) < 0)
		return refuse(refusal, -errno, strerror(errno));
	if (S_ISLNK(status.st_mode))
		return refuse(refusal, -EPERM, _("it is a symbolic link"));
	if (status.st_uid != 0 && status.st_uid != geteuid() && !is_service_user(status.st_uid))
		return refuse(refusal, -EPERM, _("it is neither root's nor the service's"));
	fd = openat(path, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (fd >= 0)
		return fd;
	return errno == EACCES ? refuse_reader(refusal, status.st_gid)
			       : refuse(refusal, -errno, strerror(errno));
}

static int open_directory(const struct refusal *refusal, const char *root_name)
{
	struct root root;
	int path, fd, error = root_open(&root, root_name);

	if (error)
		return refuse(refusal, error, strerror(-error));
	path = root_open_at(&root, &DIRECTORY[1], O_PATH | O_NOFOLLOW);
	error = -errno;
	close(root.fd);
	if (path < 0 && (error == -ENOENT || error == -EACCES)) /* of a directory above it */
		return -ENOENT;
	if (path < 0)
		return refuse(refusal, error, strerror(-error));
	fd = check(refusal, path);
	close(path);
	return fd;
}

static void report_file(void *context, const char *why)
{
	const struct refusal *refusal = context;

	snprintf(refusal->why, refusal->room, _("a file in %s is left out: %s"), DIRECTORY, why);
}

static int join(const struct refusal *refusal, const struct file_series *series, struct source *source)
{
	uint64_t first_ns, last_ns;
	struct source together;
	struct joined *joined = joined_open(&together, topic_schemas(), n_topics);
	int error;

	recording_parts_add(series, joined, report_file, (void *)refusal);
	source_extent(source, &first_ns, &last_ns);
	error = joined_cut(joined, first_ns);
	if (error) {
		together.close(together.state);
		return -ENOENT;
	}
	joined_add_source(joined, source);
	joined_number_boots(joined);
	*source = together;
	return 0;
}

static int reach_back(void *state, struct source *source, char *why, size_t room)
{
	const struct kept *kept = state;
	const struct refusal refusal = { why, room };
	int fd = open_directory(&refusal, kept->root), error;
	struct file_series series;

	if (fd < 0)
		return fd;
	error = file_series_open(&series, fd, RECORDING_PART_ENDING, recording_is_empty, false);
	if (error)
		return refuse(&refusal, error,
			      error == -EPERM ? _("others than its owner may write into it")
					      : strerror(-error));
	error = join(&refusal, &series, source);
	file_series_close(&series);
	return error;
}

static unsigned first_pane(const struct options *options, const struct settings *settings, bool of_hosts)
{
	const struct pane *pane = options->n_panes > 0 ? options->panes[0]
				  : of_hosts           ? pane_find(hosts_pane)
				  : settings->pane     ? pane_find(settings->pane)
						       : NULL;

	for (unsigned i = 0; i < n_panes; i++)
		if (panes[i] == pane)
			return i;
	return 0;
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
	/* of the terminal; for a dark ground if it does not report its colours */
	setup->theme = setup->usual_theme = theme_of_terminal(secure_getenv("COLORFGBG"));
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
		.first_sample = SIZE_MAX,
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
