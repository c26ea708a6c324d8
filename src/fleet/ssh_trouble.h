/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Why a connection has ended, in a sentence. */
#ifndef PANETOP_FLEET_SSH_TROUBLE_H
#define PANETOP_FLEET_SSH_TROUBLE_H

#include "core/buffer.h"
#include "core/span.h"

/* What is known of the end; line is the last one that it wrote to standard error, which may be anything. */
struct ssh_end {
	const char *host;
	int status; /* as of wait(2) */
	struct span line;
};

/* Replaces text, which ends with NUL, by a translated sentence. */
void ssh_trouble_of_end(struct buffer *text, const struct ssh_end *end);

/* The last line with anything in it of what was written so far. */
struct span ssh_last_line(struct span bytes);

#endif
