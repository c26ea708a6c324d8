/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A topic: a schema, the sources of its numbers, and a sampler. topics.def lists all topics. */
#ifndef PANETOP_TOPIC_TOPIC_H
#define PANETOP_TOPIC_TOPIC_H

#include <string.h>

#include "model/frame.h"
#include "model/settings.h"
#include "sys/env.h"
#include "sys/privilege.h"

#define SOURCE_REMEDIES_MAX 6
#define POLL_SECONDS 30

/*
 * A kernel file or facility that a topic reads. --probe tries it, and its remedies explain a failed sample.
 */
struct source_spec {
	const char *path; /* relative to the root: "proc/meminfo"; a name if there is a test */
	const char *gives;                /* N_(): what it provides */
	bool optional;                    /* its absence is normal: no notice */
	bool is_socket;                   /* it needs neither /proc nor /sys */
	int (*test)(struct env *env);     /* called instead of reading path: 0 or -errno; may be NULL */
	struct {
		int error;                /* a positive errno */
		const char *remedy;       /* N_(): the cause and what to do */
		bool unused;              /* … nothing: this machine has no use for the source */
	} remedies[SOURCE_REMEDIES_MAX];
};

#define SOURCES(...) ((const struct source_spec[]){ __VA_ARGS__, { 0 } })
extern const struct source_spec no_source[]; /* of topics that read nothing of their own */

/* A topic that is being sampled; the argument of its functions. */
struct sample {
	const struct topic *topic;
	void *state;                     /* of the topic, see state_size */
	struct env *env;
	const struct topic_settings *settings; /* from the configuration file, options and keys */
	const struct sample_request *request;
	struct frame *frame;             /* of this tick; NULL outside topic->sample */
	struct table *table;             /* its rows of this tick; NULL outside topic->sample */
	bool prepared;                   /* for its next sample */
};

/* The time of its table, or now. */
static inline uint64_t sample_mono_ns(const struct sample *sample)
{
	return sample->table ? sample->table->mono_ns : env_mono_ns(sample->env);
}

/* Columns that many topics about processes have. */
#define A_PROCESS_ID A_KEY(N_("PID"), 7), .fleeting = true, .source = "/proc"
#define A_PROCESS_START                                                                                      \
	.kind = COLUMN_KEY, .unit = UNIT_SECONDS, .title = N_("started"), .width = 10, .fleeting = true,     \
	.hidden = true, .help = N_("start time, after boot"), .source = "/proc/PID/stat starttime"
#define A_PROCESS_NAME                                                                                       \
	A_LABEL(N_("command"), 16), .grouping = "command", .help = N_("process name, at most 15 bytes"),     \
		.source = "/proc/PID/stat comm"

/* A copy for rows. */
static inline const char *sample_text(struct sample *sample, const char *text)
{
	return arena_copy(&sample->frame->arena, text, strlen(text));
}

struct reading; /* see topic/reader.h */

struct topic {
	const struct schema *schema;
	const struct source_spec *sources; /* ended by an entry without path */

	/* PRIVILEGE_BIT of each privilege that it uses where available. */
	uint64_t uses;
	uint64_t opening_uses; /* used by its first sample, and later only by its own threads */
	uint64_t request_uses; /* used where columns on request are wanted */
	const char *setting;   /* when this is set, it also uses setting_uses; NULL: none */
	uint64_t setting_uses;

	/*
	 * Size of the state, which is zeroed before open and freed after close or a failed open. 0: open
	 * sets the state to something that topics share, and close releases it.
	 */
	size_t state_size;

	/* Open while the topic is. A sample fails with the first error of their updates. NULL: none. */
	const struct reading *reads;

	/* May be NULL. 0 or -errno. Its readers are open. */
	int (*open)(struct sample *sample);

	/*
	 * Called in each tick before any reader is updated: what must be read before them, and what they are
	 * to read for this topic. Without a table. May be NULL.
	 */
	void (*prepare)(struct sample *sample);

	/*
	 * Adds the rows of this tick to table, and sets its mono_ns if the data is from another moment. 0,
	 * or -errno of a failed read: the table is then emptied, and a notice reports the failure with the
	 * remedy of its source. Other notices go into frame.
	 */
	int (*sample)(struct sample *sample);
	void (*close)(struct sample *sample); /* may be NULL */

	/*
	 * Called before the samples of a tick, whether the topic is wanted or not, to find out which
	 * processes are in the scope of the request; for the last time without a frame. Without a state. May
	 * be NULL.
	 */
	void (*find_scope)(struct sample *sample);

	/* Resets what it keeps over the run, such as minima and means. May be NULL. */
	void (*restart)(struct sample *sample);

	/* Called every POLL_SECONDS between samples, to read what would be lost otherwise. May be NULL. */
	void (*poll)(struct sample *sample, uint64_t mono_ns);

	/*
	 * For SHAPE_EVENTS: a descriptor that becomes readable when there are events, at most ten times a
	 * second, until they are sampled; -1: none. May be NULL.
	 */
	int (*event_fd)(struct sample *sample);

	/*
	 * Changes something on the machine, only at the user's request. May be NULL. 0: started, and
	 * done(context, 0 or -errno) is called once, from the main loop, or before act returns without a
	 * worker. Without done it only checks whether it is possible. -errno: not possible;
	 * env_note_failure() names the source that forbids it.
	 */
	int (*act)(struct env *env, const char *action, void (*done)(void *context, int error),
		   void *context);
	bool acts_on_itself; /* act changes nothing on the machine and is allowed with --read-only */
};

#define TOPIC(name) extern const struct topic topic_##name;
#include "topic/topics.def"
#undef TOPIC

/* All topics in the order of topics.def. */
extern const struct topic *const topics[];
extern const unsigned n_topics;

/* Their n_topics schemas in the same order, for frame_open(). */
const struct schema *const *topic_schemas(void);

const struct topic *topic_find(const char *name);

/* As typed by a user: its name in any case, or the only one that begins with it; NULL: none or several. */
const struct topic *topic_match(const char *typed);

/*
 * Creates the state of sample, whose topic, env, settings and request are set. After -errno it may be tried
 * again, and topic_forget() ends that.
 */
int topic_open(struct sample *sample);
void topic_close(struct sample *sample);
void topic_forget(struct sample *sample);

/* Prepares the next sample, for topics whose readers others may update before; else topic_sample() does. */
void topic_prepare(struct sample *sample);

/* Samples one tick into this table of frame, which is empty after a failure. 0 or -errno. */
int topic_sample(struct sample *sample, struct frame *frame, struct table *table);

/* The topic's source with this path; NULL: none. */
const struct source_spec *topic_source(const struct topic *topic, const char *path);

/* The prefix with which a source is shown: "/" for a path, "" for a name. */
const char *source_root(const char *path);

/* Of system calls that take no capability here. */
#define REMEDY_OF_FILTER                                                                                     \
	N_("a filter of system calls refuses it, as in containers: allow it in their seccomp profile "       \
	   "(--security-opt seccomp=FILE)")

/*
 * The remedy (N_()), translated. Instead of "run it as root" root gets another one, and so does everyone
 * where root lacks a capability that it names.
 */
const char *remedy_for_user(const char *remedy);

/* What to do about a missing /proc or /sys of this machine, translated; NULL: both are there. */
const char *mount_remedy(const struct env *env);

/*
 * The remedy for error (a positive errno) of this source (NULL: another one), translated; NULL: none. What
 * the failed call lacked comes before what the source says of its errors.
 */
const char *source_remedy(const struct env *env, const struct source_spec *source, int error);

/* Why this machine has no use for the source, if error (positive) means that; else NULL. */
const char *source_unused(const struct env *env, const struct source_spec *source, int error);

#endif
