/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Reads, checks and writes the configuration file. */
#include <config.h>

#include "app/config_file.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pwd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/stat.h>
#include <unistd.h>

#include "app/options.h"
#include "app/run_plan.h"
#include "core/i18n.h"
#include "pane/panes.h"
#include "sys/error_message.h"
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

/* Of "NAME.columns" or "NAME.sort": NAME. */
static bool split_table(const char *setting, struct span *name, bool *columns)
{
	const char *dot = strrchr(setting, '.');

	if (!dot || (strcmp(dot, ".columns") != 0 && strcmp(dot, ".sort") != 0))
		return false;
	*name = span_of(setting, (size_t)(dot - setting));
	*columns = dot[1] == 'c';
	return true;
}

/* A topic, or a table of a pane that keeps its own. */
static bool find_table(const char *setting, struct table_setting *found)
{
	struct span name;

	if (!split_table(setting, &name, &found->columns))
		return false;
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

static bool is_known(const char *name)
{
	struct table_setting table;

	return setting_find(name) || find_table(name, &table) ||
	       finding_setting_known(finding_rules, n_finding_rules, name);
}

/* 0 or -errno. */
static int read_text(const char *path, struct buffer *text)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	int error = fd < 0 ? -errno : buffer_read(text, fd, CONFIG_BYTES_MAX);

	if (fd >= 0)
		close(fd);
	return error;
}

/* Reports what is wrong with a line of the file. */
static void refuse(const char *place, const struct setting *setting, const char *value)
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
	char place[PATH_MAX + 192];
	bool given = settings_text(settings, line->name) != NULL;

	snprintf(place, sizeof(place), _("%s, line %zu of %s"), line->name, line->number, path);
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
		refuse(place, setting, line->value);
	else if ((setting || is_good_text(line, place)) && !given)
		settings_set(settings, line->name, line->value, line->number);
}

/* Reads the lines of a file; reports one that is malformed. 0 or -errno. */
static int load_lines(const char *path, struct config_lines *lines)
{
	struct buffer text = { 0 };
	int error = read_text(path, &text);
	size_t bad = error ? 0 : config_lines_parse(lines, span_of(text.bytes, text.length));

	if (bad)
		error_message(path, _("line %zu is not in the form name = value"), bad);
	buffer_free(&text);
	return error;
}

void config_load(struct settings *settings)
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

int config_theme_load(const char *name, struct palette *palette, char *path)
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

int config_save(const struct settings *settings, char *text, size_t room)
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
