/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Passes what a login has printed, and waits for the description: opening a recording blocks until it is
 * there.
 */
#include <config.h>

#include "fleet/stream_start.h"

#include <errno.h>
#include <string.h>

#include "recording/block.h"

#define DESCRIPTION_MAX ((size_t)16 << 20)

/* Of the first bytes that are the magic number, or may be its beginning. */
static size_t find_magic(struct span bytes)
{
	size_t length = span_length(bytes);

	for (size_t at = 0; at < length; at++) {
		size_t rest = length - at;

		if (memcmp(bytes.at + at, RECORDING_MAGIC,
			   rest < RECORDING_MAGIC_BYTES ? rest : RECORDING_MAGIC_BYTES) == 0)
			return at;
	}
	return length;
}

enum stream_start stream_find_start(struct span bytes, size_t *at)
{
	struct block_header header;
	size_t length;
	int error;

	*at = find_magic(bytes);
	if (*at > STREAM_STRANGE_MAX)
		return STREAM_STRANGE;
	bytes.at += *at;
	length = span_length(bytes);
	if (length < RECORDING_HEADER_BYTES)
		return STREAM_MORE;
	error = recording_header_check(bytes.at);
	if (error)
		return error == -ENOTSUP ? STREAM_NEWER : STREAM_DAMAGED;
	if (length < RECORDING_HEADER_BYTES + BLOCK_HEADER_BYTES)
		return STREAM_MORE;
	if (!block_header_parse(&header, bytes.at + RECORDING_HEADER_BYTES) ||
	    header.kind != BLOCK_DESCRIPTION || header.length > DESCRIPTION_MAX)
		return STREAM_DAMAGED;
	return length - RECORDING_HEADER_BYTES - BLOCK_HEADER_BYTES < header.length ? STREAM_MORE
										    : STREAM_WHOLE;
}
