/* SPDX-License-Identifier: GPL-2.0-or-later */
/* One condition of a scope: how it is written, and what it says of a user or a control group. */
#ifndef PANETOP_MODEL_SCOPE_TERM_H
#define PANETOP_MODEL_SCOPE_TERM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/span.h"

#define SCOPE_TEXT_MAX 1024
#define SCOPE_USERS_MAX 32
#define SCOPE_DIGITS_MIN 4 /* of the ID of a container */
#define SCOPE_IDS_MAX 8
#define SCOPE_ID_DIGITS 16 /* by which an ID is kept */

enum scope_kind {
	SCOPE_PROCESSES, /* as of --pid, see core/process_pattern.h */
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

/* For people, translated: "user bob", "nginx.service". */
void scope_term_describe(const struct scope_term *term, char *text, size_t room);

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

#endif
