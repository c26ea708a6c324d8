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
#include "topic/finding/finding_rules.h"
#include "topic/topic.h"

#define CONFIG_BYTES_MAX ((size_t)1024 * 1024)
#define LINKS_MAX 40 /* as for the kernel */

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

/* Makes missing parents, too; restores path. */
static int make_directories(char *path)
{
	for (char *slash = strchr(path + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
		*slash = '\0';
		mkdir(path, 0700); /* a failure here shows below */
		*slash = '/';
	}
	return mkdir(path, 0700) < 0 && errno != EEXIST ? -errno : 0;
}

/* Whoever owns the link decides which file is written: only the user may. */
static ssize_t read_own_link(const char *path, char *target, size_t room)
{
	struct stat link;

	if (lstat(path, &link) < 0)
		return errno == ENOENT ? 0 : -errno;
	if (!S_ISLNK(link.st_mode))
		return S_ISREG(link.st_mode) ? 0 : -ENOTSUP;
	if (link.st_uid != geteuid())
		return -EPERM;
	return readlink(path, target, room);
}

/* Replaces path by the file that it links to, which need not exist. 0 or -errno. */
static int follow_links(char *path, size_t room)
{
	char target[PATH_MAX];

	for (unsigned links = 0; links < LINKS_MAX; links++) {
		ssize_t length = read_own_link(path, target, sizeof(target) - 1);
		size_t directory;

		if (length <= 0)
			return (int)length;
		target[length] = '\0';
		directory = *target == '/' ? 0 : (size_t)(strrchr(path, '/') + 1 - path);
		if (directory + (size_t)length >= room)
			return -ENAMETOOLONG;
		memcpy(path + directory, target, (size_t)length + 1);
	}
	return -ELOOP;
}

/* Keeps the comments of the file before; a file that cannot be read has none. */
static int write_text(const struct settings *settings, const char *before, int fd)
{
	struct buffer text = { 0 }, old = { 0 };
	int error = read_text(before, &old);

	settings_rewrite(settings, span_of(old.bytes, error ? 0 : old.length), config_knows, &text);
	error = buffer_write(&text, fd, -1);
	buffer_free(&text);
	buffer_free(&old);
	return error ? error : fsync(fd) < 0 ? -errno : 0;
}

/* A new file beside path replaces it, with its mode. */
static int write_file(const struct settings *settings, const char *path)
{
	char temporary[PATH_MAX];
	struct stat before;
	int error, fd;

	if (snprintf(temporary, sizeof(temporary), "%s.XXXXXX", path) >= (int)sizeof(temporary))
		return -ENAMETOOLONG;
	fd = mkostemp(temporary, O_CLOEXEC);
	if (fd < 0)
		return -errno;
	error = write_text(settings, path, fd);
	if (!error && stat(path, &before) == 0 && fchmod(fd, before.st_mode & 0777) < 0)
		error = -errno;
	if (close(fd) < 0 && !error)
		error = -errno;
	if (!error && rename(temporary, path) < 0)
		error = -errno;
	if (error)
		unlink(temporary);
	return error;
}

int config_save(const struct settings *settings, char *path, size_t room)
{
	char home[PATH_MAX - 64], file[PATH_MAX];
	int error = find_home(home, sizeof(home));

	snprintf(path, room, "%s", _("the configuration (no HOME)"));
	if (error)
		return error;
	snprintf(file, sizeof(file), "%s/panetop", home);
	error = make_directories(file);
	snprintf(file, sizeof(file), "%s/panetop/config", home);
	snprintf(path, room, "%s", file);
	if (!error)
		error = follow_links(file, sizeof(file));
	return error ? error : write_file(settings, file);
}
