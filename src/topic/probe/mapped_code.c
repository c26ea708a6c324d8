/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Files are read, not mapped: who shortens one meanwhile would end panetop. */
#include <config.h>

#include "topic/probe/mapped_code.h"

#include <errno.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "sys/buffer_io.h"
#include "sys/profile_files.h"

#define FILE_BYTES_MAX ((off_t)512 << 20)
#define MAPS_BYTES_MAX ((size_t)64 << 20)

int mapped_code_read_maps(uint32_t pid, struct buffer *maps)
{
	const struct profile_file file = { .kind = PROFILE_FILE_MAPS, .pid = pid };
	int fd = profile_file_open(&file), error;

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

int mapped_code_open(uint32_t pid, const struct maps_region *region)
{
	struct profile_file file = { .kind = PROFILE_FILE_MAPPED,
				     .pid = pid,
				     .start = region->start,
				     .end = region->end,
				     .inode = region->inode };

	snprintf(file.path, sizeof(file.path), "%.*s", (int)span_length(region->path), region->path.at);
	return profile_file_open(&file);
}

int mapped_code_read(int fd, struct buffer *bytes)
{
	struct stat status;

	buffer_empty(bytes);
	if (fstat(fd, &status) < 0)
		return -errno;
	return status.st_size > FILE_BYTES_MAX ? -EFBIG : buffer_read(bytes, fd, (size_t)status.st_size);
}
