/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Lists that several topics read: opened by the first, read once a tick in the order of what they read. */
#ifndef PANETOP_TOPIC_READER_H
#define PANETOP_TOPIC_READER_H

#include <stdbool.h>
#include <stddef.h>

#include "topic/topic.h"

struct reader;

/* That a topic or a reader reads another one. A list of them ends with one without a reader. */
struct reading {
	const struct reader *reader;
	size_t offset;  /* in the state of who reads: of a pointer to the state of the reader */
	bool on_demand; /* who reads it updates it when it needs it; else it is updated before */
};

#define READING(type, member, of) { .reader = (of), .offset = offsetof(type, member) }
#define READING_ON_DEMAND(type, member, of)                                                                  \
	{ .reader = (of), .offset = offsetof(type, member), .on_demand = true }

#define READINGS(...) ((const struct reading[]){ __VA_ARGS__, { 0 } })

/* The list of a topic whose state is that of this reader; its state_size is 0. */
#define READING_ONE(of) READINGS({ .reader = (of) })

struct reader {
	const char *name;  /* what it is a list of, as --probe shows it: "processes" */
	size_t state_size; /* of its state, which is zeroed before open and freed after close */

	const struct reading *reads; /* opened before it and closed after it; NULL: none */

	/* sample: of the first topic; its env, settings and request outlive the reader. May be NULL. */
	int (*open)(void *state, const struct sample *sample); /* 0 or -errno */

	/*
	 * sample: of the first topic that needs it in this tick. 0 or -errno, which is kept for the others.
	 * NULL: it is read while it is used.
	 */
	int (*update)(void *state, const struct sample *sample);

	void (*close)(void *state); /* may be NULL; see reader_leave() */

	const char *source; /* path that is noted with an error if update noted none; NULL: its name */
	bool stays;         /* open until env_close(), since what it keeps is of use to later users */
};

/*
 * Its state, until reader_close() was called as often as this; NULL: *error (if not NULL) is -errno of its
 * open or that of what it reads.
 */
void *reader_open(const struct reader *reader, const struct sample *sample, int *error);
void reader_close(const struct reader *reader, struct env *env);

/* Called by a close function: a thread that hangs uses the state still, so that it is not freed. */
void reader_leave(void);

/* Its state if it is open, else NULL. */
void *reader_state(const struct reader *reader, const struct env *env);

/* Reads it, after what it reads, unless that was done in this tick: 0, or -errno of either. */
int reader_update(const struct reader *reader, const struct sample *sample);

/*
 * For a list, or NULL; state: of who reads. The first error ends it, and then none is left open. Each that
 * was opened is to be closed.
 */
int readings_open(const struct reading *list, void *state, const struct sample *sample);
void readings_close(const struct reading *list, struct env *env);
int readings_update(const struct reading *list, const struct sample *sample);

/* Before any of them is updated: who has this list is sampled in this tick, too. */
void readings_announce(const struct reading *list, const struct env *env);

/* Is it open, and updated in this tick anyway, for topics that were announced? */
bool reader_is_due(const struct reader *reader, const struct env *env);

/* Does who has this list read reader, itself or by way of other readers? */
bool readings_include(const struct reading *list, const struct reader *reader);

#endif
