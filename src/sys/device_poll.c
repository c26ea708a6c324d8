/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Helpers read devices: quick ones are waited for, for the others the last result stands. */
#include <config.h>

#include "sys/device_poll.h"

#include <fcntl.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/alloc.h"
#include "core/unknown.h"
#include "sys/privilege.h"
#include "sys/process.h"

#define FIRST_WAIT_NS UINT64_C(200000000) /* for all polls that never finished before */
#define RUNS_NS UINT64_C(1000000000)      /* … where their helpers run or wait for a CPU */
#define WAIT_NS UINT64_C(20000000)        /* a delay of the screen that is not noticed */
#define SLOW_NS UINT64_C(10000000)        /* a read that takes longer costs credit */
#define CREDIT_MAX 8                      /* a quick read adds 1 */
#define CREDIT_LOST 5                     /* two slow reads in a row use it up */
#define AGE_MAX_NS UINT64_C(10000000000)

#define HELPERS 32 /* as many things may hang before others are no longer asked */

/* Files of processes. */
#define HELPER_USES                                                                                 \
	(PRIVILEGE_BIT(PRIVILEGE_HIDDEN) | PRIVILEGE_BIT(PRIVILEGE_MAPS) |                           \
	 PRIVILEGE_BIT(PRIVILEGE_DETAILS) | PRIVILEGE_BIT(PRIVILEGE_MEMORY) |                         \
	 PRIVILEGE_BIT(PRIVILEGE_TREE))

struct device_pool {
	struct env *env; /* borrowed */
	struct helper_team *helpers, *keeper;
	struct worker *threads; /* NULL: none are needed */
	struct root root;       /* its own descriptor: a thread may outlive env */
	struct device_poll *in_flight;
	bool closing;
	bool has_new; /* one of these never finished */
	uint64_t tick, tick_ns, last_tick_ns;
};

static const char key;

static void close_pool(void *state)
{
	struct device_pool **kept = state, *pool = *kept;

	pool->closing = true;
	helper_team_close(pool->helpers);
	helper_team_close(pool->keeper);
	if (!worker_close(pool->threads))
		return; /* a thread that is stuck still uses it */
	close(pool->root.fd);
	free(pool);
}

static struct device_pool *pool_of(struct env *env)
{
	struct device_pool **kept = env_state(env, &key), *pool;

	if (kept)
		return *kept;
	kept = env_state_add(env, &key, sizeof(struct device_pool *), close_pool);
	*kept = pool = alloc_zeroed(1, sizeof(*pool));
	pool->env = env;
	pool->helpers = helper_team_open(HELPER_USES, HELPERS);
	pool->root = env->root;
	pool->root.fd = fcntl(env->root.fd, F_DUPFD_CLOEXEC, 0);
	pool->tick = ENV_NEVER;
	return pool;
}

static void read_device(struct device_poll *poll)
{
	atomic_store(&poll->helper, gettid());
	poll->read_ns = clock_mono_ns(poll->clock);
	poll->read(poll);
	poll->took_ns = clock_mono_ns(poll->clock) - poll->read_ns;
}

static void run_in_helper(struct helper_job *job)
{
	struct device_poll *poll = (struct device_poll *)job;

	poll->root = helper_root(poll->root);
	read_device(poll);
}

static struct device_poll *poll_of(struct worker_job *job)
{
	return (struct device_poll *)((char *)job - offsetof(struct device_poll, thread_job));
}

static void run_in_thread(struct worker_job *job)
{
	read_device(poll_of(job));
}

static void land(struct device_pool *pool, struct device_poll *poll)
{
	struct device_poll **place = &pool->in_flight;

	while (*place != poll)
		place = &(*place)->next_in_flight;
	*place = poll->next_in_flight;
	poll->in_flight = false;
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
	helper_free(poll->key);
	poll->free(poll);
}

static void finish(struct device_poll *poll, bool dropped)
{
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
	if (!dropped)
		poll->finished(poll);
	else if (poll->lost && !poll->pool->closing)
		poll->lost(poll);
}

static void helper_done(struct helper_job *job)
{
	finish((struct device_poll *)job, job->dropped);
}

static void thread_done(struct worker_job *job)
{
	finish(poll_of(job), job->dropped);
}

void device_poll_open(struct device_poll *poll, struct env *env, const char *name)
{
	poll->job.run = run_in_helper;
	poll->job.done = helper_done;
	poll->thread_job = (struct worker_job){ .run = run_in_thread, .done = thread_done };
	poll->pool = pool_of(env);
	poll->clock = env->clock;
	poll->calls = env->calls;
	poll->key = helper_text(name);
	poll->job.name = poll->key;
	poll->credit = CREDIT_MAX;
}

static struct helper_team *team_of(struct device_pool *pool, const struct device_poll *poll)
{
	if (!poll->in_keeper)
		return pool->helpers;
	if (!pool->keeper)
		pool->keeper = helper_team_open(0, 1);
	return pool->keeper;
}

void device_poll_drop(struct device_poll *poll)
{
	struct device_pool *pool = poll->pool;
	bool in_flight = poll->in_flight;

	poll->dropped = true;
	if (poll->in_keeper) {
		helper_team_close(pool->keeper);
		pool->keeper = NULL;
	}
	if (!in_flight)
		free_poll(poll);
}

static void collect(struct device_pool *pool)
{
	helper_collect(pool->helpers);
	if (pool->keeper)
		helper_collect(pool->keeper);
	if (pool->threads)
		worker_collect(pool->threads);
}

static void wait_until(struct device_pool *pool, const struct device_poll *poll, uint64_t until_ns)
{
	if (poll->in_thread) {
		worker_wait(pool->threads, until_ns);
		collect(pool);
	} else {
		helper_wait(team_of(pool, poll), until_ns);
	}
}

/* if_it_runs: only new ones that wait for a CPU: a slow machine is not a device that hangs. */
static const struct device_poll *first_awaited(const struct device_pool *pool, bool if_it_runs)
{
	const struct device_poll *poll = pool->in_flight;

	while (poll && (!poll->awaited || (if_it_runs && (poll->read_ns > 0 || poll->in_thread ||
							  !device_poll_waits_for_cpu(poll)))))
		poll = poll->next_in_flight;
	return poll;
}

void device_poll_collect(struct env *env)
{
	struct device_pool *pool = pool_of(env);

	if (pool->tick == pool->env->tick)
		return;
	pool->tick = pool->env->tick;
	pool->last_tick_ns = pool->tick_ns;
	pool->tick_ns = env_mono_ns(env);
	if (pool->in_flight)
		collect(pool);
}

void device_poll_submit(struct device_poll *poll)
{
	struct device_pool *pool = poll->pool;

	device_poll_collect(pool->env);
	for (const struct device_poll *other = pool->in_flight; other; other = other->next_in_flight)
		if (strcmp(other->key, poll->key) == 0)
			return;
	poll->root = &pool->root;
	poll->next_in_flight = pool->in_flight;
	pool->in_flight = poll;
	poll->in_flight = true;
	atomic_store(&poll->helper, 0);
	poll->awaited = poll->credit > 0;
	pool->has_new |= poll->read_ns == 0;
	if (poll->in_thread && !pool->threads && pool->env->worker)
		pool->threads = worker_open_team();
	if (poll->in_thread)
		worker_submit(pool->threads, &poll->thread_job);
	else if (!helper_submit(team_of(pool, poll), &poll->job))
		land(pool, poll); /* what is asked hangs already */
}

void device_poll_wait(struct env *env)
{
	struct device_pool *pool = pool_of(env);
	uint64_t began_ns = real_mono_ns(); /* of helpers, too */
	uint64_t until_ns = began_ns + (pool->has_new ? FIRST_WAIT_NS : WAIT_NS);
	const struct device_poll *awaited;

	while ((awaited = first_awaited(pool, false)) && real_mono_ns() < until_ns)
		wait_until(pool, awaited, until_ns);
	if (pool->has_new)
		while ((awaited = first_awaited(pool, true)) && real_mono_ns() < began_ns + RUNS_NS)
			wait_until(pool, awaited, real_mono_ns() + WAIT_NS);
	if (pool->in_flight)
		collect(pool);
	for (struct device_poll *poll = pool->in_flight; poll; poll = poll->next_in_flight) {
		if (poll->awaited)
			lose_credit(poll);
		poll->awaited = false;
	}
	pool->has_new = false;
}

void device_poll_wait_for(struct device_poll *poll, uint64_t ns)
{
	uint64_t until_ns = real_mono_ns() + ns;

	while (poll->in_flight && real_mono_ns() < until_ns)
		wait_until(poll->pool, poll, until_ns);
}

bool device_poll_waits_for_cpu(const struct device_poll *poll)
{
	pid_t helper = atomic_load(&poll->helper);

	return poll->in_flight && (helper == 0 || child_runs(helper));
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

	attribute->length = attribute_at(poll->root, attribute->path, attribute->bytes, attribute->room);
	poll->reads++;
}

static void finish_attribute(struct device_poll *poll)
{
	struct device_attribute *attribute = (struct device_attribute *)poll;

	if (attribute->length < 0)
		env_note_failure(attribute->env, attribute->path, (int)attribute->length);
	attribute->finished(attribute->owner, attribute->index, attribute);
}

static void free_attribute(struct device_poll *poll)
{
	helper_free(((struct device_attribute *)poll)->path);
	helper_free(poll);
}

struct device_attribute *device_attribute_open(struct env *env, const char *path, size_t room,
					       void (*finished)(void *owner, size_t index,
								const struct device_attribute *attribute),
					       void *owner, size_t index)
{
	struct device_attribute *attribute = helper_alloc(sizeof(*attribute) + room);

	attribute->poll = (struct device_poll){ .read = read_attribute,
						.finished = finish_attribute,
						.free = free_attribute };
	device_poll_open(&attribute->poll, env, path);
	attribute->env = env;
	attribute->path = helper_text(path);
	attribute->finished = finished;
	attribute->owner = owner;
	attribute->index = index;
	attribute->room = room;
	return attribute;
}

void device_attribute_drop(struct device_attribute *attribute)
{
	device_poll_drop(&attribute->poll);
}

void device_attribute_submit(struct device_attribute *attribute)
{
	device_poll_submit(&attribute->poll);
}
