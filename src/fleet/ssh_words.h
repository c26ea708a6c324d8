/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The arguments with which ssh starts panetop on another machine. */
#ifndef PANETOP_FLEET_SSH_WORDS_H
#define PANETOP_FLEET_SSH_WORDS_H

#include <stdbool.h>

#include "core/span.h"

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

#endif
