/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A machine that topics sample again and again, as in the program: this one, or a copy of a fixture that
 * changes, whose clock stands still between samples, and which counts by a script.
 */
#ifndef PANETOP_TESTS_RIG_H
#define PANETOP_TESTS_RIG_H

#include "suite.h"

#include "model/frame.h"
#include "script.h"
#include "topic/topic.h"

struct rig {
	char root[SCRATCH_PATH_MAX];   /* of a copy */
	const char *fixture;
	struct env env;
	struct settings settings;      /* the usual ones, which a test may change … */
	struct sample_request request; /* … like this, for the next sample */
	struct source source;
	bool *wanted;                  /* owned: of each topic */
	struct frame frames[2];
	struct frame *now;             /* the one that was sampled last; NULL: none */
	struct still_clock clock;      /* of a copy, from 1000 s on; it moves with each sample */
	struct script script;          /* counts in the place of the kernel, for a copy */
};

/*
 * A copy of the fixture's tick 0, with these topics (a list ended by NULL; NULL: none), which the next sample
 * opens.
 */
#define TOPICS(...) ((const char *const[]){ __VA_ARGS__, NULL })
void rig_open(struct rig *rig, const char *fixture, const char *const *topics);

/* This machine, by the clock of the kernel. */
void rig_open_live(struct rig *rig, const char *const *topics);
void rig_close(struct rig *rig);

/* One more. */
void rig_add(struct rig *rig, const char *topic);

/* Of what is in the scope from now on: one term, as after --in. NULL: all. The scope stays the caller's. */
void rig_set_scope(struct rig *rig, struct scope *scope, const char *in);

/*
 * A sample of all topics, with the rates since the one before: of this machine at once, of a copy so many
 * seconds later, or one.
 */
const struct frame *rig_sample(struct rig *rig, double seconds);
const struct frame *rig_next(struct rig *rig);

/* For readers, and functions of this topic (NULL: none): of no frame, without a state. */
struct sample rig_sample_for(struct rig *rig, const char *topic);

/* Of a copy: lays the files of this tick over it. */
void rig_tick(struct rig *rig, int tick);

/* A file with its directories, whose text is made as by printf; those that are open see it. NULL: it goes. */
void rig_put(struct rig *rig, const char *path, const char *format, ...)
	__attribute__((format(printf, 3, 4)));
void rig_remove(struct rig *rig, const char *path);

/* A link with its directories, in the place of what is there. */
void rig_link(struct rig *rig, const char *path, const char *target);

/* A directory, and those above it. */
void rig_make(struct rig *rig, const char *path);

/* A line of its script, made as by printf. */
void rig_script(struct rig *rig, const char *format, ...) __attribute__((format(printf, 2, 3)));

#endif
