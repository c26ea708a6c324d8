/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the topics over the statistics of events share. */
#include <config.h>

#include "topic/event/event_sampler.h"

#include <stdlib.h>

#include "core/alloc.h"

int event_sampler_open(struct sampler *sampler, struct env *env, const struct settings *settings)
{
	struct event_sampler *state = alloc_zeroed(1, sizeof(*state));

	state->reader = event_reader_open(env, settings);
	state->env = env;
	sampler->state = state;
	return 0;
}

void event_sampler_close(struct sampler *sampler)
{
	struct event_sampler *state = sampler->state;

	event_reader_close(state->reader, state->env);
	free(state);
}

int event_sampler_look(struct sampler *sampler, struct frame *frame, struct table *table,
		       void (*look)(void *context, const struct event_statistics *statistics,
				    uint64_t since_ns))
{
	struct event_sampler *state = sampler->state;
	int error = event_reader_update(state->reader, state->env);

	if (error)
		return error;
	state->frame = frame;
	state->table = table;
	event_reader_look(state->reader, look, state);
	return 0;
}
