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

#define DIGITS 8

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

static void add_listed(struct file_series *series, const char *name)
{
	struct stat status;
	uint32_t number;

	if (!is_number(series, name, &number) ||
	    fstatat(series->directory, name, &status, AT_SYMLINK_NOFOLLOW) < 0 || !S_ISREG(status.st_mode))
		return;
	*VECTOR_ADD(series->files, series->n_files, series->capacity) =
		(struct series_file){ number, (uint64_t)status.st_size, time_ns(status.st_mtim) };
}

static int by_number(const void *left, const void *right)
{
	const struct series_file *one = left, *other = right;

	return (one->number > other->number) - (one->number < other->number);
}

static int list(struct file_series *series)
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
	while ((entry = readdir(directory)))
		add_listed(series, entry->d_name);
	closedir(directory);
	if (series->n_files > 1)
		qsort(series->files, series->n_files, sizeof(*series->files), by_number);
	return 0;
}

int file_series_open(struct file_series *series, int directory, const char *ending)
{
	struct stat status;
	int error = 0;

	*series = (struct file_series){ .directory = directory, .ending = ending };
	if (fstat(directory, &status) < 0)
		error = -errno;
	else if (status.st_mode & (S_IWGRP | S_IWOTH))
		error = -EPERM;
	if (!error) {
		series->mode = S_IRUSR | S_IWUSR | (status.st_mode & S_IRGRP);
		error = list(series);
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

int file_series_lock(const struct file_series *series)
{
	return flock(series->directory, LOCK_EX | LOCK_NB) < 0 ? -errno : 0;
}

int file_series_read(const struct file_series *series, size_t index)
{
	char name[NAME_MAX + 1];
	struct stat file, directory;
	int fd, error = 0;

	name_of(series, series->files[index].number, name);
	fd = openat(series->directory, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
	if (fd < 0)
		return -errno;
	if (fstat(fd, &file) < 0 || fstat(series->directory, &directory) < 0)
		error = -errno;
	else if (!S_ISREG(file.st_mode) || (file.st_mode & (S_IWGRP | S_IWOTH)) ||
		 (file.st_uid != 0 && file.st_uid != directory.st_uid))
		error = -EPERM;
	if (!error)
		return fd;
	close(fd);
	return error;
}

int file_series_add(struct file_series *series)
{
	uint32_t last = series->n_files > 0 ? series->files[series->n_files - 1].number : 0;
	char name[NAME_MAX + 1];
	int fd;

	name_of(series, last + 1, name);
	fd = openat(series->directory, name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC,
		    series->mode);
	if (fd < 0)
		return -errno;
	*VECTOR_ADD(series->files, series->n_files, series->capacity) =
		(struct series_file){ .number = last + 1 };
	return fd;
}

void file_series_note(struct file_series *series, uint64_t bytes, uint64_t end_ns)
{
	struct series_file *newest = &series->files[series->n_files - 1];

	newest->bytes = bytes;
	newest->end_ns = end_ns;
}

void file_series_keep(struct file_series *series, uint64_t most_bytes, uint64_t since_ns)
{
	size_t n_gone = 0;
	uint64_t bytes = 0;

	for (size_t i = 0; i < series->n_files; i++)
		bytes += series->files[i].bytes;
	while (n_gone + 1 < series->n_files) {
		const struct series_file *oldest = &series->files[n_gone];
		char name[NAME_MAX + 1];

		if (series->n_files - n_gone <= FILE_SERIES_MAX && oldest->end_ns >= since_ns &&
		    (most_bytes == 0 || bytes <= most_bytes))
			break;
		name_of(series, oldest->number, name);
		unlinkat(series->directory, name, 0);
		bytes -= oldest->bytes;
		n_gone++;
	}
	series->n_files -= n_gone;
	memmove(series->files, series->files + n_gone, series->n_files * sizeof(*series->files));
}
