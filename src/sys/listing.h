/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The names in a directory of the machine, listed again and again to see what came and went. */
#ifndef PANETOP_SYS_LISTING_H
#define PANETOP_SYS_LISTING_H

#include "core/buffer.h"
#include "sys/env.h"

/* All zero, with path set, is one that was not listed yet. */
struct listing {
	const char *path; /* relative to the root; borrowed */
	bool opened;
	int fd;                     /* where opened */
	struct buffer text, before; /* the names of this listing, each with its NUL, and of the last one */
	char **names;               /* sorted, numbers in them by their value; valid until the next listing */
	size_t n_names, capacity;
};

/*
 * Lists it: 0 or -errno, and then there are no names. *changed: they are others than last time. Names that
 * begin with a dot are left out.
 */
int listing_read(struct listing *listing, struct env *env, bool *changed);
void listing_free(struct listing *listing);

#endif
