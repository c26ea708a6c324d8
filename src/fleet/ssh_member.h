/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A member whose samples come through ssh(1), from panetop there: its arguments, its bytes, its end. */
#ifndef PANETOP_FLEET_SSH_MEMBER_H
#define PANETOP_FLEET_SSH_MEMBER_H

#include "core/buffer.h"
#include "core/span.h"
#include "fleet/member.h"

/* The arguments with which ssh starts panetop on another machine. */
#define SSH_WORDS_MAX (2 * SSH_NAMES_MAX + 32)
#define SSH_NAMES_MAX 16

/* What panetop is to record there; all borrowed. */
struct ssh_record {
	double delay_seconds;
	const char *panes[SSH_NAMES_MAX]; /* names, which a shell takes as they are */
	const char *tables[SSH_NAMES_MAX];
	unsigned n_panes, n_tables;
	bool no_bpf, no_arguments;
};

struct ssh_words {
	char *words[SSH_WORDS_MAX]; /* ends with NULL */
	char delay[32], tables[SSH_NAMES_MAX][64];
};

#define SSH_HOST_MAX ((size_t)255) /* bytes */

/* Can it be given to ssh: not empty, no option, no blanks and control characters? */
bool ssh_host_is_valid(struct span host);

/* The words are those of host and record, or constants. */
void ssh_words_make(struct ssh_words *words, const char *host, const struct ssh_record *record);

/* Where in the bytes that another machine sends a recording begins. */

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

/* Why a connection has ended, in a sentence. */

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

/* A member whose samples come through ssh(1), from panetop there. */
struct ssh_plan {
	const struct ssh_record *record; /* borrowed, as the following */
	char *const *variables;          /* of ssh; ends with NULL */
	int epoll_fd;                    /* becomes readable when it is to be pulled */
	uint64_t back_bytes;             /* kept on the disk, to go back in */
	unsigned *serials;               /* of the last part of any member */
};

/* Starts with the first pull. host is borrowed. */
void ssh_member_open(struct member *member, const char *host, const struct ssh_plan *ssh,
		     const struct member_plan *plan);

#endif
