/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Which command uses most of a resource: over 10 s, with all its processes, and those that have ended. */
#ifndef PANETOP_MODEL_CULPRIT_H
#define PANETOP_MODEL_CULPRIT_H

#include "model/frame.h"

#define CULPRIT_SOURCES_MAX 2

/* A table of users, by its columns. */
struct culprit_source {
	const char *topic; /* NULL: there is none */
	const char *name, *used;
	const char *id;     /* NULL: its rows have ended */
	const char *less;   /* is subtracted; NULL: nothing */
	const char *unless; /* a row with more than 0 of this does not count; NULL: each does */
};

/* A resource. */
struct culprit_kind {
	bool is_rate;       /* used is a rate over the interval, not a state */
	double least_share; /* a culprit has at least this share of what all use */
	enum unit unit;     /* of what is used */
	struct culprit_source sources[CULPRIT_SOURCES_MAX]; /* the first one is of what lives */
};

struct culprit {
	const char *name; /* of the command, until the next frame */
	double n;         /* processes of that name that use it in this frame, at least a tenth of what the
			   * greatest of them does; NaN: all have ended */
	double id;        /* of the only one; NaN: there are more, or none */
	double used;
};

struct culprits; /* of one kind */

struct culprits *culprits_open(const struct culprit_kind *kind);
void culprits_close(struct culprits *culprits);
void culprits_forget(struct culprits *culprits); /* earlier frames */

/* Adds what the sources have in this frame, whose rates are derived. */
void culprits_take(struct culprits *culprits, const struct frame *frame);

/*
 * Who uses most, as of the frame that was taken last. It stays until another one has 1.2 times as much.
 * false: none has enough, or it is not known.
 */
bool culprits_find(struct culprits *culprits, struct culprit *culprit);

#endif
