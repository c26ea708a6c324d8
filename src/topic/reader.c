/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Opens, updates and closes what topics share. */
#include <config.h>

#include "topic/reader.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/alloc.h"

struct opened {
	const struct reader *reader; /* NULL: its open has not succeeded */
	struct env *env;
	unsigned users;
	uint64_t tick; /* of the last update … */
	uint64_t due;  /* … and the last one in which topics that read it are sampled */
	int error;     /* of that, and … */
	char path[ENV_FAILED_PATH_MAX]; /* … which file failed */
	void *state; /* owned */
};

static bool leaves; /* the state that is being closed */

void reader_leave(void)
{
	leaves = true;
}

static void close_opened(void *bytes)
{
	struct opened *opened = bytes;
	const struct reader *reader = opened->reader;

	leaves = false;
	if (reader && reader->close)
		reader->close(opened->state);
	if (!leaves)
		free(opened->state);
	if (reader)
		readings_close(reader->reads, opened->env);
}

static void set_pointers(const struct reading *list, void *state, const struct env *env)
{
	for (size_t i = 0; list && list[i].reader; i++) {
		void *read = reader_state(list[i].reader, env);

		memcpy((char *)state + list[i].offset, &read, sizeof(read));
	}
}

static int open_list(const struct reading *list, const struct sample *sample)
{
	int error = 0;

	for (size_t i = 0; list && list[i].reader && !error; i++) {
		reader_open(list[i].reader, sample, &error);
		while (error && i > 0)
			reader_close(list[--i].reader, sample->env);
	}
	return error;
}

/* After what it reads, so that env_close() closes it before. */
static int open_new(const struct reader *reader, const struct sample *sample)
{
	int error = open_list(reader->reads, sample);
	struct opened *opened;

	if (error)
		return error;
	opened = env_state_add(sample->env, reader, sizeof(*opened), close_opened);
	opened->state = alloc_zeroed(1, reader->state_size + 1);
	opened->env = sample->env;
	opened->tick = opened->due = ENV_NEVER;
	set_pointers(reader->reads, opened->state, sample->env);
	error = reader->open ? reader->open(opened->state, sample) : 0;
	if (error) {
		env_state_remove(sample->env, reader);
		readings_close(reader->reads, sample->env);
		return error;
	}
	opened->reader = reader;
	return 0;
}

void *reader_open(const struct reader *reader, const struct sample *sample, int *error)
{
	int failure = env_state(sample->env, reader) ? 0 : open_new(reader, sample);
	struct opened *opened = env_state(sample->env, reader);

	if (error)
		*error = failure;
	if (failure)
		return NULL;
	opened->users++;
	return opened->state;
}

void reader_close(const struct reader *reader, struct env *env)
{
	struct opened *opened = env_state(env, reader);

	if (--opened->users == 0 && !reader->stays)
		env_state_remove(env, reader);
}

int readings_open(const struct reading *list, void *state, const struct sample *sample)
{
	int error = open_list(list, sample);

	if (!error)
		set_pointers(list, state, sample->env);
	return error;
}

void readings_close(const struct reading *list, struct env *env)
{
	size_t n = 0;

	while (list && list[n].reader)
		n++;
	while (n > 0)
		reader_close(list[--n].reader, env);
}

void *reader_state(const struct reader *reader, const struct env *env)
{
	struct opened *opened = env_state(env, reader);

	return opened && (opened->users > 0 || reader->stays) ? opened->state : NULL;
}

static int update(struct opened *opened, const struct sample *sample)
{
	const struct reader *reader = opened->reader;
	int error = readings_update(reader->reads, sample);
	const char *path;

	if (!error && reader->update)
		error = reader->update(opened->state, sample);
	path = error ? env_failed_path(sample->env, error) : NULL;
	if (!path)
		path = reader->source ? reader->source : reader->name;
	snprintf(opened->path, sizeof(opened->path), "%s", path);
	return error;
}

int reader_update(const struct reader *reader, const struct sample *sample)
{
	struct opened *opened = env_state(sample->env, reader);

	if (opened->tick != sample->env->tick) {
		opened->error = update(opened, sample);
		opened->tick = sample->env->tick;
	}
	if (opened->error)
		env_note_failure(sample->env, opened->path, opened->error);
	return opened->error;
}

void readings_announce(const struct reading *list, const struct env *env)
{
	for (size_t i = 0; list && list[i].reader; i++) {
		struct opened *opened = env_state(env, list[i].reader);

		if (!opened || list[i].on_demand)
			continue;
		opened->due = env->tick;
		readings_announce(list[i].reader->reads, env);
	}
}

bool reader_is_due(const struct reader *reader, const struct env *env)
{
	const struct opened *opened = env_state(env, reader);

	return opened && (opened->due == env->tick || opened->tick == env->tick);
}

int readings_update(const struct reading *list, const struct sample *sample)
{
	int error = 0;

	for (size_t i = 0; list && list[i].reader && !error; i++)
		if (!list[i].on_demand)
			error = reader_update(list[i].reader, sample);
	return error;
}

bool readings_include(const struct reading *list, const struct reader *reader)
{
	for (size_t i = 0; list && list[i].reader; i++)
		if (list[i].reader == reader || readings_include(list[i].reader->reads, reader))
			return true;
	return false;
}
