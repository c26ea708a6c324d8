/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Files are read, not mapped: who shortens one meanwhile would end panetop. */
#include <config.h>

#include "topic/probe/mapped_code.h"

#include <errno.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "sys/error_message.h"

#define PART_BYTES ((size_t)4 << 20)
#define MAPS_BYTES_MAX ((size_t)64 << 20)

int mapped_code_read_maps(uint32_t pid, struct buffer *maps)
{
	const struct profile_file file = { .kind = PROFILE_FILE_MAPS, .pid = pid };
	int fd = profile_file_open(&file, false), error;

	if (fd < 0)
		return fd;
	error = buffer_read(maps, fd, MAPS_BYTES_MAX);
	close(fd);
	return error;
}

bool mapped_code_next(struct span *maps, struct maps_region *region)
{
	while (maps_next(maps, region))
		if (region->permissions.at[2] == 'x' && region->inode != 0)
			return true;
	return false;
}

struct profile_file mapped_code_file(uint32_t pid, const struct maps_region *region)
{
	struct profile_file file = { .kind = PROFILE_FILE_MAPPED,
				     .pid = pid,
				     .start = region->start,
				     .end = region->end,
				     .device = region->device,
				     .inode = region->inode };

	snprintf(file.path, sizeof(file.path), "%.*s", (int)span_length(region->path), region->path.at);
	return file;
}

static int read_in_parts(int fd, struct buffer *bytes, size_t most, struct progress *progress)
{
	struct stat status;
	size_t length;
	int error = 0;

	if (fstat(fd, &status) < 0)
		return -errno;
	length = status.st_size > 0 ? (size_t)status.st_size : 0;
	if (length > most)
		return -EFBIG;
	buffer_reserve(bytes, length + PART_BYTES);
	for (size_t part = 1; !error && bytes->length < length; part++) {
		size_t before = bytes->length, end = part * PART_BYTES < length ? part * PART_BYTES : length;

		if (!progress_goes_on(progress))
			return -ECANCELED;
		error = buffer_read(bytes, fd, end);
		if (!error && bytes->length == before && end > before)
			break; /* it was cut short */
	}
	return error;
}

int mapped_code_read(const struct profile_file *file, struct buffer *bytes, size_t most,
		     struct progress *progress)
{
	int fd = profile_file_open(file, true), error;

	buffer_empty(bytes);
	if (fd < 0)
		return fd;
	error = read_in_parts(fd, bytes, most, progress);
	close(fd);
	return error;
}
