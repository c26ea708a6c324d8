/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Which processes a run is about (--in, --pid, --user, --tree, --cgroup, the key @): the one predicate of all
 * topics and panes. It is fed with all processes of a sample, and with process events where there are some,
 * so that children that live between two samples are in, too.
 */
#ifndef PANETOP_MODEL_SCOPE_H
#define PANETOP_MODEL_SCOPE_H

#include "core/hash.h"
#include "core/i18n.h"
#include "model/frame.h"

struct sample_request;

#define SCOPE_TEXT_MAX 1024
#define SCOPE_USERS_MAX 32
#define SCOPE_DIGITS_MIN 4 /* of the ID of a container */
#define SCOPE_IDS_MAX 8
#define SCOPE_ID_DIGITS 16 /* by which an ID is kept */

enum scope_kind {
	SCOPE_PROCESSES, /* as of --pid, see core/typed_name.h */
	SCOPE_TREE,
	SCOPE_USER,
	SCOPE_GROUP,
	SCOPE_SERVICE,
	SCOPE_CONTAINER,
	N_SCOPE_KINDS,
};

/* Compared with memcmp(): all zero before it is filled. */
struct scope_term {
	enum scope_kind kind;
	char text[SCOPE_TEXT_MAX];       /* what follows the equals sign */
	uint64_t pid;                    /* TREE: the root */
	bool has_start;                  /* of PROCESSES or TREE: only the process with … */
	double start_seconds;            /* … this start, after boot */
	uint32_t users[SCOPE_USERS_MAX]; /* USER: UIDs, … */
	unsigned n_users;                /* … if they were looked up; 0: texts are compared */
	char ids[SCOPE_IDS_MAX][SCOPE_ID_DIGITS + 1]; /* CONTAINER: of those that have its name, … */
	unsigned n_ids;                               /* … as far as is known */
};

/* Parses "user=bob". False: why, translated, is the reason, and what to write. Looks nothing up. */
bool scope_term_parse(struct scope_term *term, const char *text, char *why, size_t room);

/* The same for the part after the equals sign. */
bool scope_term_set(struct scope_term *term, enum scope_kind kind, const char *value, char *why, size_t room);

/* A single process: PROCESSES or TREE. */
void scope_term_choose(struct scope_term *term, enum scope_kind kind, uint64_t pid, double start_seconds);

/* SERVICE, CONTAINER: the innermost one that the path of a control group names; false: none. */
bool scope_term_of_group(struct scope_term *term, enum scope_kind kind, const char *path);

/* "user=bob", as scope_term_parse() takes it. */
void scope_term_write(const struct scope_term *term, char *text, size_t room);

/* GROUP, SERVICE, CONTAINER: does the term mean the control group with this path, or one above it? */
bool scope_term_has_group(const struct scope_term *term, const char *path);

/* Is the control group with this path the one above, or below it? */
bool scope_path_is_below(const char *path, const char *above);

/*
 * CONTAINER: the container with this path has this name. True: the term means it, which was not known. Of
 * several with the same name the newest are kept.
 */
bool scope_term_learn(struct scope_term *term, struct span path, const char *name);

/* USER. uid: U64_UNKNOWN; user: its name, NULL: unknown. */
bool scope_term_has_user(const struct scope_term *term, uint64_t uid, const char *user);

static inline bool scope_term_is_of_group(const struct scope_term *term)
{
	return term->kind == SCOPE_GROUP || term->kind == SCOPE_SERVICE || term->kind == SCOPE_CONTAINER;
}

#define SCOPE_TERMS_MAX 6
#define SCOPE_BOUND_MAX 64
#define OUTSIDE_SCOPE N_("(outside the scope)") /* part of an account */
#define OUTSIDE_OR_EXITED N_("(outside, or exited)") /* … of one that does not know who exited */
#define SCOPE_REST_SOURCE "busy - %s"           /* where it comes from: with scope_write() */

/* A process as a table or a topic knows it. */
struct scope_process {
	uint64_t pid, parent_pid; /* parent_pid: U64_UNKNOWN */
	double start_seconds;     /* after boot; NaN: unknown */
	uint64_t uid;             /* effective; U64_UNKNOWN */
	const char *user, *group; /* NULL: unknown */
	struct span name, program;
	const char *command; /* of scope_frame_process() alone */
};

struct scope {
	struct scope_term terms[SCOPE_TERMS_MAX]; /* all of them hold for a member */
	unsigned n_terms;                         /* 0: every process is a member */
	unsigned epoch;                           /* grows when the terms change */
	unsigned groups_epoch;                    /* … and when what they mean is learned */
	struct scope_entry {
		uint64_t pid, parent_pid;
		double start_seconds;
		unsigned bits; /* a bit for each term that holds */
		unsigned asks; /* … for each that its parent decides, while it is not decided */
	} * alive, *next;      /* of the last complete look, and of the present one; by pid */
	size_t n_alive, alive_capacity, n_next, next_capacity;
	struct scope_entry *past; /* members that ended, and those that only events know; the newest last */
	size_t n_past, past_capacity;
	size_t n_old;        /* of past: from before the last complete look */
	struct hash by_pid;  /* of past */
	struct scope_bound { /* the process that a number means: a later one with it is another one */
		uint64_t pid;
		double start_seconds;
	} bound[SCOPE_BOUND_MAX];
	unsigned n_bound;
	size_t n_members; /* of alive */
	double tasks_seconds; /* CPU time that recorded members used so far */
	bool has_looked;  /* since the terms changed */
	unsigned unknown; /* a bit for each term of which no process of the last look had what it needs */
};

/* False: there are too many. */
bool scope_add(struct scope *scope, const struct scope_term *term);

/* Without terms every process is a member. */
void scope_clear(struct scope *scope);

/* Forgets the processes, but not the terms: a recording was left for another place in it. */
void scope_forget(struct scope *scope);
void scope_free(struct scope *scope);

static inline bool scope_is_set(const struct scope *scope)
{
	return scope && scope->n_terms > 0;
}

/* Does a term need the control groups of processes? */
bool scope_needs_groups(const struct scope *scope);

/* The container with this path has this name: a term may mean it. */
void scope_learn(struct scope *scope, struct span path, const char *name);

/* Is the control group with this path in it? Those of processes, users and trees are not known. */
bool scope_has_group(const struct scope *scope, const char *path);

/* … and is the group above it not? */
bool scope_tops_group(const struct scope *scope, const char *path);

/* Is every term one of control groups? */
bool scope_is_of_groups(const struct scope *scope);

/* The first term of this kind; NULL: none. */
const struct scope_term *scope_find(const struct scope *scope, enum scope_kind kind);

/* "user=bob & tree=7", for programs. */
void scope_write(const struct scope *scope, char *text, size_t room);

/* For people, translated: "nginx.service, user bob". */
void scope_describe(const struct scope *scope, char *text, size_t room);

/* A look at all processes: begin, each of them, end. */
void scope_begin(struct scope *scope);
void scope_look(struct scope *scope, const struct scope_process *process);
void scope_end(struct scope *scope);

/* An event since the last look, or a record: this process exists. After a fork it is another one than before.
 */
void scope_event(struct scope *scope, const struct scope_process *process, bool forked);

/* Is the process a member? start_seconds NaN: the newest one with this pid. */
bool scope_has(const struct scope *scope, uint64_t pid, double start_seconds);

/*
 * Of a live frame the events, as the sampler has looked at its processes already; of a recorded one both,
 * with a notice about what the recording lacks for this scope. Without a scope it does nothing.
 */
void scope_read_frame(struct scope *scope, struct frame *frame, bool recorded);

/* The living process with this pid, whose texts are those of the frame; false: the frame has none. */
bool scope_frame_process(const struct frame *frame, uint64_t pid, struct scope_process *process);

/*
 * Of a frame with rates: the row of what the scope uses, and whose each finding is. Of a recorded one: the
 * account of CPU time gets the parts of the scope, and tables of which only sums of all processes were
 * recorded lose their rows, with a notice. A recording that was made with the same scope stays as it is.
 */
void scope_split_frame(struct scope *scope, struct frame *frame, bool recorded);

#define SCOPE_OF_GROUP N_("control group")
#define SCOPE_OF_PROCESSES N_("processes") /* their sum */

extern const struct schema scope_use_schema;

/*
 * Fills the table of the scope from the other tables of this frame, whose rates are derived: a row if there
 * is a scope, and none else. Live and in a replay it is the same.
 */
void scope_use_derive(const struct scope *scope, struct frame *frame);

/*
 * Marks the topics that it reads, by index of the schema, if the table is wanted; of a recording always, as
 * they show who is in the scope.
 */
void scope_use_want(const struct sample_request *request, const struct schema *const *schemas,
		    unsigned n_schemas, bool *wanted);

/* Requests their columns. */
void scope_use_request(struct sample_request *request, const struct schema *const *schemas,
		       unsigned n_schemas, const bool *wanted);

#endif
