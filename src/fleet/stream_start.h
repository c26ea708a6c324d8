/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Where in the bytes that another machine sends a recording begins. */
#ifndef PANETOP_FLEET_STREAM_START_H
#define PANETOP_FLEET_STREAM_START_H

#include "core/span.h"

/* What a login prints before it; more is not a recording. */
#define STREAM_STRANGE_MAX ((size_t)64 << 10)

enum stream_start {
	STREAM_MORE,    /* not seen yet */
	STREAM_WHOLE,   /* the recording begins at *at, and its columns are there as a whole */
	STREAM_STRANGE, /* these bytes are something else */
	STREAM_NEWER,   /* a recording that this version does not know */
	STREAM_DAMAGED,
};

enum stream_start stream_find_start(struct span bytes, size_t *at);

#endif
