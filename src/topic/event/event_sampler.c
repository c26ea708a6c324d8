/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the topics over the statistics of events share. */
#include <config.h>

#include "topic/event/event_sampler.h"

int event_sampler_open(struct sample *sample)
{
	struct event_sampler *state = sample->state;

	state->reader = event_reader_open(sample->env, sample->settings);
	state->env = sample->env;
	return 0;
}

void event_sampler_close(struct sample *sample)
{
	struct event_sampler *state = sample->state;

	event_reader_close(state->reader, state->env);
}

int event_sampler_look(struct sample *sample,
		       void (*look)(void *context, const struct event_statistics *statistics,
				    uint64_t since_ns))
{
	struct event_sampler *state = sample->state;
	int error = event_reader_update(state->reader, state->env);

	if (error)
		return error;
	state->frame = sample->frame;
	state->table = sample->table;
	event_reader_look(state->reader, look, state);
	return 0;
}
