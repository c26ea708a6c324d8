/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A list of users; a helper looks up those that etc/passwd does not have. */
#include <config.h>

#include "topic/users.h"

#include <pwd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/alloc.h"
#include "kernel/passwd.h"
#include "sys/device_poll.h"

#define NAME_MAX_BYTES 64
#define NUMBER_WAIT_NS UINT64_C(2000000000)

/* All have the same key: name services that hang stop one helper. */
#define NAME_SERVICES "name services"

struct user {
	struct device_poll poll;
	struct user *next;
	uint32_t uid;
	bool known; /* or not to be looked up */
	char number[16];
	char found[NAME_MAX_BYTES]; /* written by the helper */
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
		device_poll_drop(&user->poll);
	}
}

static void find_name(struct device_poll *poll)
{
	struct user *user = (struct user *)poll;
	struct passwd entry, *result = NULL;
	char bytes[4096];

	if (getpwuid_r(user->uid, &entry, bytes, sizeof(bytes), &result) == 0 && result)
		snprintf(user->found, sizeof(user->found), "%s", result->pw_name);
}

static void note_name(struct device_poll *poll)
{
	struct user *user = (struct user *)poll;

	user->known = true;
	if (*user->found)
		user->name = user->found;
}

static void free_user(struct device_poll *poll)
{
	helper_free(poll);
}

static void look_up(struct env *env, struct user *user)
{
	struct span text, name;

	user->known = !env->live;

	if (env_read(env, env_file(env, "etc/passwd"), &text) == 0 && passwd_find(text, user->uid, &name)) {
		snprintf(user->found, sizeof(user->found), "%.*s", (int)span_length(name), name.at);
		user->name = user->found;
		user->known = true;
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
	if (user) {
		if (!user->known && !user->poll.in_flight)
			device_poll_submit(&user->poll);
		return user->name;
	}
	user = helper_alloc(sizeof(*user));
	user->poll = (struct device_poll){ .read = find_name, .finished = note_name, .free = free_user };
	device_poll_open(&user->poll, env, NAME_SERVICES);
	user->uid = uid;
	snprintf(user->number, sizeof(user->number), "%u", uid);
	user->name = user->number;
	user->next = users->first;
	users->first = user;
	look_up(env, user);
	if (!user->known)
		device_poll_submit(&user->poll);
	return user->name;
}

/* The same the other way round. */
struct sought {
	struct device_poll poll;
	char name[NAME_MAX_BYTES];
	bool found, answered;
	uint32_t uid;
};

static void find_number(struct device_poll *poll)
{
	struct sought *sought = (struct sought *)poll;
	struct passwd entry, *result = NULL;
	char bytes[4096];

	sought->found =
		poll->calls->getpwnam_r(sought->name, &entry, bytes, sizeof(bytes), &result) == 0 && result;
	if (sought->found)
		sought->uid = entry.pw_uid;
}

static void note_number(struct device_poll *poll)
{
	((struct sought *)poll)->answered = true;
}

static bool ask_number(struct env *env, struct span name, uint32_t *uid)
{
	struct sought *sought = helper_alloc(sizeof(*sought));
	bool found;

	sought->poll =
		(struct device_poll){ .read = find_number, .finished = note_number, .free = free_user };
	snprintf(sought->name, sizeof(sought->name), "%.*s", (int)span_length(name), name.at);
	device_poll_open(&sought->poll, env, NAME_SERVICES);
	device_poll_submit(&sought->poll);
	device_poll_wait_for(&sought->poll, NUMBER_WAIT_NS);
	found = sought->answered && sought->found;
	if (found)
		*uid = sought->uid;
	device_poll_drop(&sought->poll);
	return found;
}

bool users_number(struct env *env, struct span name, uint32_t *uid)
{
	struct span text, digits = name;
	uint64_t number;

	if (span_u64(&digits, &number) && digits.at == digits.end && number < UINT32_MAX) {
		*uid = (uint32_t)number;
		return true;
	}
	if (env_read(env, env_file(env, "etc/passwd"), &text) == 0 && passwd_number(text, name, uid))
		return true;
	return env->live && span_length(name) < NAME_MAX_BYTES && ask_number(env, name, uid);
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

/* Numbers as the kernel assigns them: pts, consoles and serial lines have names, others their numbers. */

/* Device numbers as in Documentation/admin-guide/devices.txt. */
const char *terminal_name(struct arena *arena, int64_t device)
{
	unsigned major = (unsigned)(device >> 8) & 0xfff;
	unsigned minor = (unsigned)(device & 0xff) | (unsigned)(device >> 12 & 0xfff00);

	if (device < 0)
		return NULL;
	if (device == 0)
		return "";
	if (major >= 136 && major <= 143)
		return arena_print(arena, "pts/%u", (major - 136) * 256 + minor);
	if (major == 4)
		return minor < 64 ? arena_print(arena, "tty%u", minor)
				  : arena_print(arena, "ttyS%u", minor - 64);
	if (major == 5 && minor == 1)
		return "console";
	return arena_print(arena, "%u:%u", major, minor);
}
