/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Reads and writes the configuration file. */
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

#include "core/error_message.h"
#include "core/i18n.h"
#include "pane/panes.h"
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

bool config_knows(const char *name)
{
	static const char *const of_screen[] = { "pane",  "delay", "unit",     "glyphs",
						 "theme", "past",  "past-size" };
	const char *dot = strchr(name, '.');

	for (unsigned i = 0; i < sizeof(of_screen) / sizeof(of_screen[0]); i++)
		if (strcmp(of_screen[i], name) == 0)
			return true;
	for (unsigned i = 0; i < n_panes; i++)
		if (pane_has_setting(panes[i], name))
			return true;
	if (finding_setting_known(finding_rules, n_finding_rules, name))
		return true;
	for (unsigned i = 0; dot && i < n_topics; i++) {
		const char *topic = topics[i]->schema->name;

		if (strncmp(topic, name, (size_t)(dot - name)) == 0 && topic[dot - name] == '\0')
			return strcmp(dot, ".columns") == 0 || strcmp(dot, ".sort") == 0;
	}
	return false;
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

void config_load(struct settings *settings, char *path, size_t room)
{
	char home[PATH_MAX - 32];
	struct buffer text = { 0 };
	size_t bad;
	int error;

	*path = '\0';
	if (find_home(home, sizeof(home)) < 0)
		return;
	snprintf(path, room, "%s/panetop/config", home);
	error = read_text(path, &text);
	if (error && error != -ENOENT && error != -ENOTDIR)
		error_message(path, _("cannot be read: %s"), strerror(-error));
	bad = error ? 0 : settings_parse(settings, span_of(text.bytes, text.length));
	if (bad)
		error_message(path, _("line %zu is not in the form name = value"), bad);
	buffer_free(&text);
}

/* Keeps the comments of the file before; a file that cannot be read has none. */
static int write_file(const struct settings *settings, struct user_file *file)
{
	struct buffer text = { 0 }, old = { 0 };
	int fd = user_file_read(file);
	int error = fd < 0 ? fd : buffer_read(&old, fd, CONFIG_BYTES_MAX);

	if (fd >= 0)
		close(fd);
	settings_rewrite(settings, span_of(old.bytes, error ? 0 : old.length), config_knows, &text);
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
		user_file_explain(&file, error, why, sizeof(why));
		snprintf(text, room, _("%s could not be written: %s"), path, why);
	}
	user_file_close(&file);
	return error;
}
