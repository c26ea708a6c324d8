/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A list of users; the worker looks up those that etc/passwd does not have. */
#include <config.h>

#include "topic/users.h"

#include <pwd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/alloc.h"
#include "kernel/passwd.h"
#include "sys/worker.h"

#define NAME_MAX_BYTES 64

struct user {
	struct worker_job job;
	struct user *next;
	uint32_t uid;
	bool busy, orphan;
	char number[16];
	char found[NAME_MAX_BYTES]; /* written by the worker */
	const char *name;           /* number or found */
};

struct users {
	struct user *first;
};

static const char key;

static void close_users(void *state)
{
	struct users *users = state;

	while (users->first) {
		struct user *user = users->first;

		users->first = user->next;
		if (user->busy)
			user->orphan = true;
		else
			free(user);
	}
}

static void run(struct worker_job *job)
{
	struct user *user = (struct user *)job;
	struct passwd entry, *result = NULL;
	char bytes[4096];

	if (getpwuid_r(user->uid, &entry, bytes, sizeof(bytes), &result) == 0 && result)
		snprintf(user->found, sizeof(user->found), "%s", result->pw_name);
}

static void done(struct worker_job *job)
{
	struct user *user = (struct user *)job;

	user->busy = false;
	if (user->orphan)
		free(user);
	else if (*user->found)
		user->name = user->found;
}

static void look_up(struct env *env, struct user *user)
{
	struct span text, name;

	if (env_read(env, env_file(env, "etc/passwd"), &text) == 0 && passwd_find(text, user->uid, &name)) {
		snprintf(user->found, sizeof(user->found), "%.*s", (int)span_length(name), name.at);
		user->name = user->found;
	} else if (env->live) {
		user->busy = true;
		user->job = (struct worker_job){ .run = run, .done = done };
		worker_submit(env->worker, &user->job);
	}
}

const char *users_name(struct env *env, uint32_t uid)
{
	struct users *users = env_state(env, &key);
	struct user *user;

	if (!users)
		users = env_state_add(env, &key, sizeof(*users), close_users);
	user = users->first;

	while (user && user->uid != uid)
		user = user->next;
	if (user)
		return user->name;
	user = alloc_zeroed(1, sizeof(*user));
	user->uid = uid;
	snprintf(user->number, sizeof(user->number), "%u", uid);
	user->name = user->number;
	user->next = users->first;
	users->first = user;
	look_up(env, user);
	return user->name;
}

bool users_number(struct env *env, struct span name, uint32_t *uid)
{
	struct passwd entry, *result = NULL;
	char text_of_name[NAME_MAX_BYTES], bytes[4096];
	struct span text, digits = name;
	uint64_t number;

	if (span_u64(&digits, &number) && digits.at == digits.end && number < UINT32_MAX) {
		*uid = (uint32_t)number;
		return true;
	}
	if (env_read(env, env_file(env, "etc/passwd"), &text) == 0 && passwd_number(text, name, uid))
		return true;
	if (!env->live || span_length(name) >= sizeof(text_of_name))
		return false;
	snprintf(text_of_name, sizeof(text_of_name), "%.*s", (int)span_length(name), name.at);
	if (getpwnam_r(text_of_name, &entry, bytes, sizeof(bytes), &result) != 0 || !result)
		return false;
	*uid = entry.pw_uid;
	return true;
}

struct span users_first_unknown(struct env *env, const char *list)
{
	struct span rest = span_text(list), item;
	uint32_t uid;

	while (span_item(&rest, &item))
		if (!users_number(env, item, &uid))
			return item;
	return rest;
}
