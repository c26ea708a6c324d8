/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a topic is: a schema, where its numbers come from, and a sampler. topics.def lists them all. */
#ifndef PANETOP_TOPIC_TOPIC_H
#define PANETOP_TOPIC_TOPIC_H

#include "core/settings.h"
#include "model/frame.h"
#include "model/sample_request.h"
#include "sys/env.h"
#include "sys/privilege.h"

#define SOURCE_REMEDIES_MAX 5
#define POLL_SECONDS 30

/* A kernel file or facility that a topic reads: --probe tries it, and a failed sample is explained by it. */
struct source_spec {
	const char *path; /* relative to the root: "proc/meminfo"; a name if there is a test */
	const char *gives;                /* N_(): what it is read for */
	bool optional;                    /* its absence is normal: no notice */
	int (*test)(struct env *env);     /* instead of reading path: 0 or -errno; may be NULL */
	struct {
		int error;                /* a positive errno */
		const char *remedy;       /* N_(): why, and what to do about it */
	} remedies[SOURCE_REMEDIES_MAX];
};

/* A topic that is being sampled, as its functions get it. */
struct sample {
	const struct topic *topic;
	void *state;                     /* of the topic, see state_size */
	struct env *env;
	const struct settings *settings; /* what the configuration file, options and keys set */
	const struct sample_request *request;
	struct frame *frame;             /* of this tick; NULL outside topic->sample */
	struct table *table;             /* its rows of this tick; NULL outside topic->sample */
};

struct topic {
	const struct schema *schema;
	const struct source_spec *sources; /* ended by an entry without path */

	/* PRIVILEGE_BIT of each right that it makes use of, if there is one. */
	uint64_t uses;
	uint64_t opening_uses; /* what its first sample does, and nothing after it but threads of its own */
	const char *setting;   /* with which it opens more, using setting_uses; NULL: none */
	uint64_t setting_uses;

	/*
	 * The state is this many bytes, zero before open and freed after close (or a failed open). 0: open
	 * sets it to what topics share, and close gives that back.
	 */
	size_t state_size;

	/* May be NULL. 0 or -errno. */
	int (*open)(struct sample *sample);

	/*
	 * Adds this tick's rows to table. Its mono_ns may be set, if what was read is of another moment. 0,
	 * or -errno of a read that failed: the table is then emptied and the failure told as a notice with
	 * the remedy of its source. Other notices go into frame.
	 */
	int (*sample)(struct sample *sample);
	void (*close)(struct sample *sample); /* may be NULL */

	/* Forgets what it keeps over the run: minima, means. May be NULL. */
	void (*restart)(struct sample *sample);

	/* Reads what would be lost otherwise, called every POLL_SECONDS between samples. May be NULL. */
	void (*poll)(struct sample *sample, uint64_t mono_ns);

	/*
	 * Of a topic of SHAPE_EVENTS: a descriptor that becomes readable when there are events, at most ten
	 * times a second, until they are sampled; -1 where there is none. May be NULL.
	 */
	int (*event_fd)(struct sample *sample);

	/*
	 * Does something to the machine, only ever on the user's word. May be NULL. 0 when it was started,
	 * then done(context, 0 or -errno) is called once: from the main loop, or before act returns where
	 * there is no worker. Without done it only tells whether it could be done. -errno when not, with
	 * env_note_failure() for the source that forbids it.
	 */
	int (*act)(struct env *env, const char *action, void (*done)(void *context, int error),
		   void *context);
	bool acts_on_itself; /* act changes nothing of the machine: it is done with --read-only, too */
};

#define TOPIC(name) extern const struct topic topic_##name;
#include "topic/topics.def"
#undef TOPIC

/* All topics in the order of topics.def. */
extern const struct topic *const topics[];
extern const unsigned n_topics;

#define TOPICS_MAX 64

/* Their schemas in the same order, for frame_open(). */
void topic_schemas(const struct schema *schemas[TOPICS_MAX]);

const struct topic *topic_find(const char *name);

/* Makes the state of sample, whose topic, env, settings and request are set. 0 or -errno, and then there is
 * none. */
int topic_open(struct sample *sample);
void topic_close(struct sample *sample);

/* Samples one tick into this table of frame, which is empty after a failure. 0 or -errno. */
int topic_sample(struct sample *sample, struct frame *frame, struct table *table);

/* The entry for this path among the topic's sources, NULL if there is none. */
const struct source_spec *topic_source(const struct topic *topic, const char *path);

/* "/" before what is a path, "" before what is a name: how people see a source. */
const char *source_root(const char *path);

/* A remedy (N_()) translated; nobody who is root is told to be root. */
const char *remedy_for_user(const char *remedy);

/* What to do about error (positive errno) at this source, translated; NULL when there is nothing to say. */
const char *source_remedy(const struct env *env, const struct source_spec *source, int error);

#endif
