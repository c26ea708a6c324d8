/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Asking devices by a team of helpers: quick ones are waited for, of the others the last answer stands. */
#include <config.h>

#include "sys/device_poll.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/alloc.h"
#include "core/unknown.h"

#define FIRST_WAIT_NS UINT64_C(200000000) /* for those that never answered before, all together */
#define WAIT_NS UINT64_C(20000000)        /* nobody sees a screen that is so late */
#define SLOW_NS UINT64_C(10000000)        /* for one device, which is then not waited for */
#define PATIENCE_MAX 8                    /* grows by one with each answer that comes soon */
#define PATIENCE_LOST 5                   /* with each that does not: two in a row use it up */
#define AGE_MAX_NS UINT64_C(10000000000)

struct late_pool {
	struct env *env; /* borrowed */
	struct worker *worker;
	int root_fd; /* owned: a helper may outlive env */
	struct late *out;
	unsigned n_awaited;
	bool has_new; /* one of these never answered */
	uint64_t tick, tick_ns, before_ns;
};

static const char key;

static void *open_pool(struct env *env)
{
	struct late_pool *pool = alloc_zeroed(1, sizeof(*pool));

	pool->env = env;
	pool->worker = env->worker ? worker_open_team() : NULL;
	pool->root_fd = fcntl(env->root_fd, F_DUPFD_CLOEXEC, 0);
	pool->tick = ENV_NEVER;
	return pool;
}

static void close_pool(void *state)
{
	struct late_pool *pool = state;

	if (!worker_close(pool->worker))
		return; /* whoever is stuck still has it */
	close(pool->root_fd);
	free(pool);
}

static struct late_pool *pool_of(struct env *env)
{
	return env_kept(env, &key, open_pool, close_pool);
}

static void run(struct worker_job *job)
{
	struct late *late = (struct late *)job;

	late->read_ns = env_mono_ns();
	late->ask(late);
	late->took_ns = env_mono_ns() - late->read_ns;
}

static void come_back(struct late_pool *pool, struct late *late)
{
	struct late **place = &pool->out;

	while (*place != late)
		place = &(*place)->next_out;
	*place = late->next_out;
	late->out = false;
	pool->n_awaited -= late->awaited;
	late->awaited = false;
}

static void lose_patience(struct late *late)
{
	late->patience -= PATIENCE_LOST;
	if (late->patience < -PATIENCE_MAX)
		late->patience = -PATIENCE_MAX;
}

static void done(struct worker_job *job)
{
	struct late *late = (struct late *)job;

	come_back(late->pool, late);
	if (late->dropped) {
		free(late->key);
		late->free(late);
		return;
	}
	if (late->took_ns > SLOW_NS)
		lose_patience(late);
	else if (late->patience < PATIENCE_MAX)
		late->patience++;
	late->pool->env->reads += late->reads;
	late->reads = 0;
	if (!job->dropped)
		late->arrived(late);
}

void late_open(struct late *late, struct env *env, const char *name)
{
	late->job = (struct worker_job){ .run = run, .done = done };
	late->pool = pool_of(env);
	late->root_fd = late->pool->root_fd;
	late->key = alloc_text(name);
	late->patience = PATIENCE_MAX;
}

void late_drop(struct late *late)
{
	late->dropped = true;
	if (late->out)
		return;
	free(late->key);
	late->free(late);
}

void late_collect(struct env *env)
{
	struct late_pool *pool = pool_of(env);

	if (pool->tick == pool->env->tick)
		return;
	pool->tick = pool->env->tick;
	pool->before_ns = pool->tick_ns;
	pool->tick_ns = env_mono_ns();
	if (pool->out)
		worker_collect(pool->worker);
}

static bool is_out(const struct late_pool *pool, const struct late *late)
{
	const struct late *other = pool->out;

	while (other && strcmp(other->key, late->key) != 0)
		other = other->next_out;
	return other != NULL;
}

void late_ask(struct late *late)
{
	struct late_pool *pool = late->pool;

	late_collect(pool->env);
	if (is_out(pool, late))
		return;
	late->next_out = pool->out;
	pool->out = late;
	late->out = true;
	late->awaited = late->patience > 0;
	pool->n_awaited += late->awaited;
	pool->has_new |= late->read_ns == 0;
	worker_submit(pool->worker, &late->job);
}

void late_wait(struct env *env)
{
	struct late_pool *pool = pool_of(env);
	uint64_t until_ns = env_mono_ns() + (pool->has_new ? FIRST_WAIT_NS : WAIT_NS);

	while (pool->n_awaited > 0 && env_mono_ns() < until_ns)
		worker_wait(pool->worker, until_ns);
	for (struct late *late = pool->out; late; late = late->next_out) {
		if (late->awaited)
			lose_patience(late);
		late->awaited = false;
	}
	pool->n_awaited = 0;
	pool->has_new = false;
}

bool late_group_is_out(struct env *env, const void *group)
{
	const struct late *late = pool_of(env)->out;

	while (late && late->group != group)
		late = late->next_out;
	return late != NULL;
}

uint64_t late_age_ns(struct env *env, uint64_t read_ns)
{
	struct late_pool *pool = pool_of(env);

	late_collect(env);
	if (read_ns >= pool->tick_ns)
		return 0;
	if (read_ns == 0 || (read_ns < pool->before_ns && pool->tick_ns - read_ns > AGE_MAX_NS))
		return U64_UNKNOWN;
	return pool->tick_ns - read_ns;
}
