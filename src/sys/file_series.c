/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Lists, makes and removes the files of a series; numbers tell their order, whatever the clock was. */
#include <config.h>

#include "sys/file_series.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/span.h"
#include "core/vector.h"
#include "sys/user_file.h"

#define DIGITS 8
#define OPEN_FLAGS (O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC)

static void name_of(const struct file_series *series, uint32_t number, char name[NAME_MAX + 1])
{
	snprintf(name, NAME_MAX + 1, "%0*" PRIu32 "%s", DIGITS, number, series->ending);
}

static bool is_number(const struct file_series *series, const char *name, uint32_t *number)
{
	char same[NAME_MAX + 1];
	uint64_t value;
	size_t digits = strspn(name, "0123456789");
	struct span text = span_of(name, digits);

	if (!span_is_u64(text, &value) || value == 0 || value > UINT32_MAX)
		return false;
	*number = (uint32_t)value;
	name_of(series, *number, same);
	return strcmp(same, name) == 0;
}

static uint64_t time_ns(struct timespec time)
{
	return (uint64_t)time.tv_sec * UINT64_C(1000000000) + (uint64_t)time.tv_nsec;
}

static bool is_without_samples(const struct file_series *series, const char *name)
{
	int fd = openat(series->directory, name, OPEN_FLAGS);
	bool empty = fd >= 0 && series->is_empty(fd);

	if (fd >= 0)
		close(fd);
	return empty;
}

/* ".NUMBER.ENDING.PID", as user_file_replace() has it. */
static bool is_left(const struct file_series *series, const char *name)
{
	char file[NAME_MAX + 1];
	const char *last = strrchr(name, '.');
	uint32_t number;

	if (*name != '.' || last == name)
		return false;
	snprintf(file, sizeof(file), "%.*s", (int)(last - name - 1), &name[1]);
	return is_number(series, file, &number) && strspn(&last[1], "0123456789") == strlen(&last[1]);
}

/* sweep: removes what has no samples, and what a killed process left. */
static void add_listed(struct file_series *series, const char *name, bool sweep)
{
	struct stat status;
	uint32_t number;

	if (!is_number(series, name, &number) ||
	    fstatat(series->directory, name, &status, AT_SYMLINK_NOFOLLOW) < 0 || !S_ISREG(status.st_mode))
		return;
	if (status.st_size == 0 || is_without_samples(series, name)) {
		if (sweep)
			unlinkat(series->directory, name, 0);
		return;
	}
	*VECTOR_ADD(series->files, series->n_files, series->capacity) =
		(struct series_file){ number, (uint64_t)status.st_size, time_ns(status.st_mtim) };
}

static int by_number(const void *left, const void *right)
{
	const struct series_file *one = left, *other = right;

	return (one->number > other->number) - (one->number < other->number);
}

static int list(struct file_series *series, bool sweep)
{
	int fd = fcntl(series->directory, F_DUPFD_CLOEXEC, 0);
	DIR *directory = fd < 0 ? NULL : fdopendir(fd);
	const struct dirent *entry;

	if (!directory) {
		int error = -errno;

		if (fd >= 0)
			close(fd);
		return error;
	}
	rewinddir(directory); /* the other descriptor may have read it */
	series->n_files = 0;
	while ((entry = readdir(directory))) {
		add_listed(series, entry->d_name, sweep);
		if (sweep && is_left(series, entry->d_name))
			unlinkat(series->directory, entry->d_name, 0);
	}
	closedir(directory);
	if (series->n_files > 1)
		qsort(series->files, series->n_files, sizeof(*series->files), by_number);
	return 0;
}

int file_series_open(struct file_series *series, int directory, const char *ending, bool (*is_empty)(int fd),
		     bool of_any)
{
	struct stat status;
	int error = 0;

	*series = (struct file_series){
		.directory = directory, .ending = ending, .is_empty = is_empty, .of_any = of_any
	};
	if (fstat(directory, &status) < 0)
		error = -errno;
	else if (!of_any && status.st_mode & (S_IWGRP | S_IWOTH))
		error = -EPERM;
	if (!error) {
		series->mode = S_IRUSR | S_IWUSR | (status.st_mode & S_IRGRP);
		error = list(series, false);
	}
	if (error)
		file_series_close(series);
	return error;
}

void file_series_close(struct file_series *series)
{
	close(series->directory);
	free(series->files);
	*series = (struct file_series){ .directory = -1 };
}

int file_series_lock(struct file_series *series)
{
	return flock(series->directory, LOCK_EX | LOCK_NB) < 0 ? -errno : list(series, true);
}

bool file_series_is_removed(const struct file_series *series)
{
	struct stat status;

	return fstat(series->directory, &status) == 0 && status.st_nlink == 0;
}

/* Where a clock was wrong, the time is that of the next file with a possible one: rather too late. */
void file_series_judge(struct file_series *series, uint64_t now_ns)
{
	uint64_t latest_ns = 0;

	for (size_t i = 0; i < series->n_files; i++) {
		struct series_file *file = &series->files[i];

		if (file->end_ns > now_ns || file->end_ns < latest_ns)
			file->end_ns = 0;
		else
			latest_ns = file->end_ns;
	}
	for (size_t i = series->n_files; i-- > 0;) {
		if (series->files[i].end_ns == 0)
			series->files[i].end_ns = now_ns;
		now_ns = series->files[i].end_ns;
	}
}

int file_series_read(const struct file_series *series, size_t index)
{
	char name[NAME_MAX + 1];
	struct stat file, directory;
	int fd, error = 0;

	name_of(series, series->files[index].number, name);
	fd = openat(series->directory, name, OPEN_FLAGS);
	if (fd < 0)
		return -errno;
	if (fstat(fd, &file) < 0 || fstat(series->directory, &directory) < 0)
		error = -errno;
	else if (!S_ISREG(file.st_mode) ||
		 (!series->of_any && ((file.st_mode & (S_IWGRP | S_IWOTH)) ||
				      (file.st_uid != 0 && file.st_uid != directory.st_uid))))
		error = -EPERM;
	if (!error)
		return fd;
	close(fd);
	return error;
}

static bool exists(const struct file_series *series, const char *name)
{
	struct stat status;

	return fstatat(series->directory, name, &status, AT_SYMLINK_NOFOLLOW) == 0;
}

int file_series_add(struct file_series *series, struct buffer *first)
{
	uint32_t number = series->n_files > 0 ? series->files[series->n_files - 1].number : 0;
	struct user_file file = { .directory = series->directory, .present = -1 };
	int error;

	do
		name_of(series, ++number, file.name);
	while (exists(series, file.name));
	error = user_file_replace(&file, first, series->mode, false);
	if (error)
		return error;
	*VECTOR_ADD(series->files, series->n_files, series->capacity) =
		(struct series_file){ .number = number };
	return file.present;
}

void file_series_note(struct file_series *series, uint64_t bytes, uint64_t end_ns)
{
	struct series_file *newest = &series->files[series->n_files - 1];

	newest->bytes = bytes;
	newest->end_ns = end_ns;
}

static bool is_over(const struct file_series *series, uint64_t most_bytes, uint64_t since_ns)
{
	uint64_t bytes = 0;

	for (size_t i = 0; i < series->n_files; i++)
		bytes += series->files[i].bytes;
	return series->n_files > 1 && (series->n_files > FILE_SERIES_MAX ||
				       series->files[0].end_ns < since_ns ||
				       (most_bytes > 0 && bytes > most_bytes));
}

/* What others have removed makes no older file go. */
static void forget_removed(struct file_series *series)
{
	size_t n_files = 0;
	char name[NAME_MAX + 1];

	for (size_t i = 0; i < series->n_files; i++) {
		name_of(series, series->files[i].number, name);
		if (i + 1 == series->n_files || exists(series, name))
			series->files[n_files++] = series->files[i];
	}
	series->n_files = n_files;
}

static int sync_newest(const struct file_series *series)
{
	char name[NAME_MAX + 1];
	int fd, error = 0;

	name_of(series, series->files[series->n_files - 1].number, name);
	fd = openat(series->directory, name, OPEN_FLAGS);
	if (fd < 0 || fdatasync(fd) < 0)
		error = -errno;
	if (fd >= 0)
		close(fd);
	return error;
}

int file_series_keep(struct file_series *series, uint64_t most_bytes, uint64_t since_ns)
{
	char name[NAME_MAX + 1];
	int error;

	if (!is_over(series, most_bytes, since_ns))
		return 0;
	forget_removed(series);
	if (!is_over(series, most_bytes, since_ns))
		return 0;
	error = sync_newest(series);
	while (!error && is_over(series, most_bytes, since_ns)) {
		name_of(series, series->files[0].number, name);
		unlinkat(series->directory, name, 0);
		series->n_files--;
		memmove(series->files, series->files + 1, series->n_files * sizeof(*series->files));
	}
	return error;
}
