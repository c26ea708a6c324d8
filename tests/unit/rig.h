/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A machine in a directory of its own that changes while topics sample it again and again, by a clock that
 * stands still between samples.
 */
#ifndef PANETOP_TESTS_RIG_H
#define PANETOP_TESTS_RIG_H

#include "script.h"
#include "suite.h"
#include "topic/topic.h"

#define RIG_TOPICS_MAX 16

struct rig {
	char root[SCRATCH_PATH_MAX];
	const char *fixture;
	struct env env;
	struct settings settings;
	struct sample_request request;
	struct sample samples[RIG_TOPICS_MAX];
	unsigned n_samples;
	struct frame frames[2];
	unsigned present; /* the one that was sampled last */
	struct still_clock clock; /* of env, from 1000 s on; it moves with each sample */
	struct script script;     /* counts in the place of the kernel */
};

/* A copy of the fixture's tick 0, with the topics (a list ended by NULL) opened; nothing is sampled yet. */
void rig_open(struct rig *rig, const char *fixture, const char *const *topics);
void rig_close(struct rig *rig);

/* Opens one more, which may need files that were put there. */
void rig_add(struct rig *rig, const char *topic);

/* Lays the files of this tick over it. */
void rig_tick(struct rig *rig, int tick);

/* A file with its directories, whose text is made as by printf; those that are open see it. NULL: it goes. */
void rig_put(struct rig *rig, const char *path, const char *format, ...)
	__attribute__((format(printf, 3, 4)));
void rig_remove(struct rig *rig, const char *path);

/* A directory, and those above it. */
void rig_make(struct rig *rig, const char *path);

/* A line of its script, made as by printf. */
void rig_script(struct rig *rig, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Of what is in the scope from now on: one term, as after --in. NULL: all. The scope stays the caller's. */
void rig_set_scope(struct rig *rig, struct scope *scope, const char *in);

/* So many seconds later: a sample of all topics, with the rates since the one before. */
const struct frame *rig_sample(struct rig *rig, double seconds);

#endif
