/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A team of helpers reads devices: quick ones are waited for, for the others the last result stands. */
#include <config.h>

#include "sys/device_poll.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/alloc.h"
#include "core/unknown.h"

#define FIRST_WAIT_NS UINT64_C(200000000) /* for all polls that never finished before */
#define WAIT_NS UINT64_C(20000000)        /* a delay of the screen that is not noticed */
#define SLOW_NS UINT64_C(10000000)        /* a read that takes longer costs credit */
#define CREDIT_MAX 8                      /* a quick read adds 1 */
#define CREDIT_LOST 5                     /* two slow reads in a row use it up */
#define AGE_MAX_NS UINT64_C(10000000000)

struct device_pool {
	struct env *env; /* borrowed */
	struct worker *worker;
	struct root root; /* its own descriptor: a helper may outlive env */
	struct device_poll *in_flight;
	unsigned n_awaited;
	bool has_new; /* one of these never finished */
	uint64_t tick, tick_ns, last_tick_ns;
};

static const char key;

static struct device_pool *open_pool(struct env *env)
{
	struct device_pool *pool = alloc_zeroed(1, sizeof(*pool));

	pool->env = env;
	pool->worker = env->worker ? worker_open_team() : NULL;
	pool->root = env->root;
	pool->root.fd = fcntl(env->root.fd, F_DUPFD_CLOEXEC, 0);
	pool->tick = ENV_NEVER;
	return pool;
}

static void close_pool(void *state)
{
	struct device_pool **kept = state, *pool = *kept;

	if (!worker_close(pool->worker))
		return; /* a helper that is stuck still uses it */
	close(pool->root.fd);
	free(pool);
}

static struct device_pool *pool_of(struct env *env)
{
	struct device_pool **kept = env_state(env, &key);

	if (!kept) {
		kept = env_state_add(env, &key, sizeof(struct device_pool *), close_pool);
		*kept = open_pool(env);
	}
	return *kept;
}

static void run(struct worker_job *job)
{
	struct device_poll *poll = (struct device_poll *)job;

	atomic_store(&poll->helper, gettid());
	poll->read_ns = env_mono_ns();
	poll->read(poll);
	poll->took_ns = env_mono_ns() - poll->read_ns;
}

static void land(struct device_pool *pool, struct device_poll *poll)
{
	struct device_poll **place = &pool->in_flight;

	while (*place != poll)
		place = &(*place)->next_in_flight;
	*place = poll->next_in_flight;
	poll->in_flight = false;
	pool->n_awaited -= poll->awaited;
	poll->awaited = false;
}

static void lose_credit(struct device_poll *poll)
{
	poll->credit -= CREDIT_LOST;
	if (poll->credit < -CREDIT_MAX)
		poll->credit = -CREDIT_MAX;
}

static void free_poll(struct device_poll *poll)
{
	free(poll->key);
	poll->free(poll);
}

static void done(struct worker_job *job)
{
	struct device_poll *poll = (struct device_poll *)job;

	land(poll->pool, poll);
	if (poll->dropped) {
		free_poll(poll);
		return;
	}
	if (poll->took_ns > SLOW_NS)
		lose_credit(poll);
	else if (poll->credit < CREDIT_MAX)
		poll->credit++;
	poll->pool->env->reads += poll->reads;
	poll->reads = 0;
	if (!job->dropped)
		poll->finished(poll);
}

void device_poll_open(struct device_poll *poll, struct env *env, const char *name)
{
	poll->job = (struct worker_job){ .run = run, .done = done };
	poll->pool = pool_of(env);
	poll->root = &poll->pool->root;
	poll->key = alloc_text(name);
	poll->credit = CREDIT_MAX;
}

void device_poll_drop(struct device_poll *poll)
{
	poll->dropped = true;
	if (!poll->in_flight)
		free_poll(poll);
}

void device_poll_collect(struct env *env)
{
	struct device_pool *pool = pool_of(env);

	if (pool->tick == pool->env->tick)
		return;
	pool->tick = pool->env->tick;
	pool->last_tick_ns = pool->tick_ns;
	pool->tick_ns = env_mono_ns();
	if (pool->in_flight)
		worker_collect(pool->worker);
}

static bool key_in_flight(const struct device_pool *pool, const char *wanted)
{
	const struct device_poll *poll = pool->in_flight;

	while (poll && strcmp(poll->key, wanted) != 0)
		poll = poll->next_in_flight;
	return poll != NULL;
}

void device_poll_submit(struct device_poll *poll)
{
	struct device_pool *pool = poll->pool;

	device_poll_collect(pool->env);
	if (key_in_flight(pool, poll->key))
		return;
	poll->next_in_flight = pool->in_flight;
	pool->in_flight = poll;
	poll->in_flight = true;
	atomic_store(&poll->helper, 0);
	poll->awaited = poll->credit > 0;
	pool->n_awaited += poll->awaited;
	pool->has_new |= poll->read_ns == 0;
	worker_submit(pool->worker, &poll->job);
}

void device_poll_wait(struct env *env)
{
	struct device_pool *pool = pool_of(env);
	uint64_t until_ns = env_mono_ns() + (pool->has_new ? FIRST_WAIT_NS : WAIT_NS);

	while (pool->n_awaited > 0 && env_mono_ns() < until_ns)
		worker_wait(pool->worker, until_ns);
	if (pool->in_flight)
		worker_collect(pool->worker);
	for (struct device_poll *poll = pool->in_flight; poll; poll = poll->next_in_flight) {
		if (poll->awaited)
			lose_credit(poll);
		poll->awaited = false;
	}
	pool->n_awaited = 0;
	pool->has_new = false;
}

void device_poll_wait_for(struct device_poll *poll, uint64_t ns)
{
	uint64_t until_ns = env_mono_ns() + ns;

	while (poll->in_flight && env_mono_ns() < until_ns)
		worker_wait(poll->pool->worker, until_ns);
}

bool device_poll_waits_for_cpu(const struct device_poll *poll)
{
	pid_t helper = atomic_load(&poll->helper);
	char path[64], text[512];
	const char *name_end;
	ssize_t length;
	int fd;

	if (!poll->in_flight || helper == 0)
		return poll->in_flight;
	snprintf(path, sizeof(path), "/proc/self/task/%d/stat", helper);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return false;
	length = read(fd, text, sizeof(text) - 1);
	close(fd);
	text[length > 0 ? length : 0] = '\0';
	name_end = strrchr(text, ')');
	return name_end && strncmp(name_end, ") R", 3) == 0;
}

bool device_poll_group_in_flight(struct env *env, const void *group)
{
	const struct device_poll *poll = pool_of(env)->in_flight;

	while (poll && poll->group != group)
		poll = poll->next_in_flight;
	return poll != NULL;
}

uint64_t device_poll_age_ns(struct env *env, uint64_t read_ns)
{
	struct device_pool *pool = pool_of(env);

	device_poll_collect(env);
	if (read_ns >= pool->tick_ns)
		return 0;
	if (read_ns == 0 || (read_ns < pool->last_tick_ns && pool->tick_ns - read_ns > AGE_MAX_NS))
		return U64_UNKNOWN;
	return pool->tick_ns - read_ns;
}

static void read_attribute(struct device_poll *poll)
{
	struct device_attribute *attribute = (struct device_attribute *)poll;

	attribute->length = attribute_poll(&attribute->file, poll->root, attribute->bytes, attribute->room);
	poll->reads++;
}

static void finish_attribute(struct device_poll *poll)
{
	struct device_attribute *attribute = (struct device_attribute *)poll;

	attribute_finish(&attribute->file, attribute->env, attribute->length);
	attribute->finished(attribute->owner, attribute->index, attribute);
}

static void free_attribute(struct device_poll *poll)
{
	struct device_attribute *attribute = (struct device_attribute *)poll;

	attribute_discard(&attribute->file);
	free(attribute);
}

struct device_attribute *device_attribute_open(struct env *env, const char *path, size_t room,
					       void (*finished)(void *owner, size_t index,
								const struct device_attribute *attribute),
					       void *owner, size_t index)
{
	struct device_attribute *attribute = alloc_zeroed(1, sizeof(*attribute) + room);

	attribute->poll = (struct device_poll){ .read = read_attribute,
						.finished = finish_attribute,
						.free = free_attribute };
	device_poll_open(&attribute->poll, env, path);
	attribute->env = env;
	attribute_open(&attribute->file, path);
	attribute->finished = finished;
	attribute->owner = owner;
	attribute->index = index;
	attribute->room = room;
	return attribute;
}

void device_attribute_drop(struct device_attribute *attribute)
{
	attribute_disown(&attribute->file, attribute->env);
	device_poll_drop(&attribute->poll);
}

void device_attribute_submit(struct device_attribute *attribute)
{
	if (!attribute->poll.in_flight)
		attribute_hold(&attribute->file, attribute->env);
	device_poll_submit(&attribute->poll);
}
