/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Looks at the header, the description and the header of the first samples. */
#include <config.h>

#include "recording/empty.h"

#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "recording/block.h"

/* A torn block has no length; anything else has no kind. */
static struct block_header block_at(int fd, uint64_t offset, uint64_t size)
{
	struct block_header header = { 0 };
	char bytes[BLOCK_HEADER_BYTES];

	if (offset + sizeof(bytes) > size || pread(fd, bytes, sizeof(bytes), (off_t)offset) != sizeof(bytes))
		return (struct block_header){ .kind = BLOCK_DESCRIPTION };
	if (!block_header_parse(&header, bytes))
		return (struct block_header){ 0 };
	if (offset + sizeof(bytes) + header.length > size)
		return (struct block_header){ .kind = BLOCK_DESCRIPTION };
	return header;
}

bool recording_is_empty(int fd)
{
	char bytes[RECORDING_HEADER_BYTES];
	ssize_t got = pread(fd, bytes, sizeof(bytes), 0);
	struct block_header description, samples;
	struct stat status;
	uint64_t size;

	if (got < 0 || fstat(fd, &status) < 0)
		return false;
	if (got < RECORDING_HEADER_BYTES)
		return memcmp(bytes, RECORDING_MAGIC,
			      got < RECORDING_MAGIC_BYTES ? (size_t)got : RECORDING_MAGIC_BYTES) == 0;
	if (recording_header_check(bytes) != 0)
		return false;
	size = (uint64_t)status.st_size;
	description = block_at(fd, RECORDING_HEADER_BYTES, size);
	if (description.kind != BLOCK_DESCRIPTION || description.length == 0)
		return description.kind == BLOCK_DESCRIPTION;
	samples = block_at(fd, RECORDING_HEADER_BYTES + BLOCK_HEADER_BYTES + description.length, size);
	return samples.kind == BLOCK_DESCRIPTION || samples.kind == BLOCK_INDEX;
}
