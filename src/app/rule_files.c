/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Opens what other users cannot change, and takes its lines. */
#include <config.h>

#include "app/rule_files.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/i18n.h"
#include "core/span.h"
#include "sys/error_message.h"

#define FILE_BYTES_MAX ((size_t)1024 * 1024)
#define TRIES 5 /* to read a directory that changes meanwhile */
#define UNSAFE (-EKEYREJECTED)

/* 0; UNSAFE: other users can write it; or -errno. */
static int check_safe(int fd)
{
	struct stat status;

	if (fstat(fd, &status) < 0)
		return -errno;
	return (status.st_uid == 0 || status.st_uid == geteuid()) && !(status.st_mode & (S_IWGRP | S_IWOTH))
		       ? 0
		       : UNSAFE;
}

/* The next directory on the way; closes the one before. */
static int enter(int before, const char *name)
{
	int fd = openat(before, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC), error;

	error = fd < 0 ? -errno : check_safe(fd);
	if (before >= 0)
		close(before);
	if (error && fd >= 0)
		close(fd);
	return error ? error : fd;
}

/* The directory, or what is wrong with it or one above it. */
static int open_directory(const char *path)
{
	char whole[PATH_MAX], *rest = NULL;
	int fd;

	if (*path == '/')
		snprintf(whole, sizeof(whole), "%s", path);
	else if (!getcwd(whole, sizeof(whole)) || strlen(whole) + strlen(path) + 2 > sizeof(whole))
		return -ENAMETOOLONG;
	else
		snprintf(whole + strlen(whole), sizeof(whole) - strlen(whole), "/%s", path);
	fd = enter(AT_FDCWD, "/");
	for (const char *name = strtok_r(whole, "/", &rest); fd >= 0 && name;
	     name = strtok_r(NULL, "/", &rest))
		if (strcmp(name, ".") != 0)
			fd = enter(fd, name);
	return fd;
}

static void refuse(const char *name, int error)
{
	if (error == UNSAFE)
		error_message(name,
			      _("others can write it, or a directory above it: its commands are refused"));
	else if (error == -ELOOP || error == -ENOTDIR)
		error_message(name, _("a link on the way is not followed"));
	else
		error_message(name, "%s", strerror(-error));
}

static int is_rule_file(const struct dirent *entry)
{
	size_t length = strlen(entry->d_name);

	return *entry->d_name != '.' && length > strlen(".rule") &&
	       strcmp(entry->d_name + length - strlen(".rule"), ".rule") == 0;
}

static struct span trim(struct span text)
{
	while (span_char(&text, ' ') || span_char(&text, '\t'))
		;
	while (text.at < text.end && strchr(" \t\r", text.end[-1]))
		text.end--;
	return text;
}

/* "name = value" */
static bool split(struct span line, struct span *name, struct span *value)
{
	*value = line;
	if (!span_until(value, '=', name))
		return false;
	*name = trim(*name);
	*value = trim(*value);
	return span_length(*value) > 0;
}

/* A rule waits for its command, which is on the next line if it has one. */
struct pending {
	char where[PATH_MAX + 32];
	char *rule; /* owned; NULL: none */
};

static int add(struct rule_list *list, struct pending *pending, const char *command)
{
	int status = pending->rule ? rule_list_add(list, pending->where, pending->rule, command) : 0;

	free(pending->rule);
	pending->rule = NULL;
	return status;
}

static int take_line(struct rule_list *list, struct pending *pending, const char *where, struct span line)
{
	struct span name, value;
	int status;
	char *text;

	if (!split(line, &name, &value) || !(span_is(name, "when") || span_is(name, "run"))) {
		error_message(where, _("expected \"when = RULE\" or \"run = COMMAND\""));
		return 2;
	}
	text = strndup(value.at, span_length(value));
	if (span_is(name, "when")) {
		status = add(list, pending, NULL);
		snprintf(pending->where, sizeof(pending->where), "%s", where);
		pending->rule = text;
		return status;
	}
	if (pending->rule) {
		status = add(list, pending, text);
	} else {
		error_message(where, _("a command stands behind its rule, one for each"));
		status = 2;
	}
	free(text);
	return status;
}

static int take_text(struct rule_list *list, const char *path, struct span text)
{
	char where[PATH_MAX + 32];
	struct pending pending = { .rule = NULL };
	struct span line;
	int worst = 0;

	for (unsigned number = 1; span_line(&text, &line); number++) {
		int status;

		line = trim(line);
		if (span_length(line) == 0 || *line.at == '#')
			continue;
		snprintf(where, sizeof(where), _("%s, line %u"), path, number);
		status = take_line(list, &pending, where, line);
		worst = status > worst ? status : worst;
	}
	if (pending.rule && add(list, &pending, NULL) != 0)
		worst = 2;
	return worst;
}

static int read_file(struct rule_list *list, int directory, const char *path, const char *name)
{
	int fd = openat(directory, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC), error, status;
	struct buffer text = { 0 };
	struct stat is;

	error = fd < 0 ? -errno : check_safe(fd);
	if (!error && (fstat(fd, &is) < 0 || !S_ISREG(is.st_mode)))
		error = -EINVAL;
	if (!error)
		error = buffer_read(&text, fd, FILE_BYTES_MAX);
	if (error)
		refuse(path, error);
	status = error ? 1 : take_text(list, path, span_of(text.bytes, text.length));
	if (fd >= 0)
		close(fd);
	buffer_free(&text);
	return status;
}

static int read_files(struct rule_list *list, int directory, const char *path)
{
	char opened[sizeof("/proc/self/fd/-2147483648")]; /* musl has no scandirat() */
	struct dirent **entries;
	int n, worst;

	snprintf(opened, sizeof(opened), "/proc/self/fd/%d", directory);
	n = scandir(opened, &entries, is_rule_file, alphasort);
	worst = n < 0;
	if (n < 0)
		refuse(path, -errno);
	for (int i = 0; i < n; i++) {
		char file[PATH_MAX];
		int status;

		snprintf(file, sizeof(file), "%s/%s", path, entries[i]->d_name);
		status = read_file(list, directory, file, entries[i]->d_name);
		worst = status > worst ? status : worst;
		free(entries[i]);
	}
	if (n >= 0)
		free(entries);
	return worst;
}

static bool is_same_time(const struct stat *one, const struct stat *other)
{
	return one->st_ctim.tv_sec == other->st_ctim.tv_sec && one->st_ctim.tv_nsec == other->st_ctim.tv_nsec;
}

int rule_files_read(struct rule_list *list, const char *directory)
{
	int fd = open_directory(directory), status = 1;
	struct stat before, after;
	bool whole = false;

	if (fd < 0) {
		refuse(directory, fd);
		return 1;
	}
	for (int i = 0; i < TRIES && !whole; i++) {
		size_t n_before = list->n_rules;

		fstat(fd, &before);
		status = read_files(list, fd, directory);
		whole = fstat(fd, &after) == 0 && is_same_time(&before, &after);
		if (!whole)
			rule_list_shorten(list, n_before);
	}
	close(fd);
	if (whole)
		return status;
	error_message(directory, _("it changes while it is read"));
	return 1;
}
