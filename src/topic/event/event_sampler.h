/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Opening and closing of the topics that only look at what the reader of events has counted. */
#ifndef PANETOP_TOPIC_EVENT_EVENT_SAMPLER_H
#define PANETOP_TOPIC_EVENT_EVENT_SAMPLER_H

#include "topic/event/event_reader.h"
#include "topic/topic.h"

/* For the topics' open and close; their state is this. */
struct event_sampler {
	struct event_reader *reader;
	struct env *env;
	struct frame *frame; /* while they sample */
	struct table *table;
};

int event_sampler_open(struct sample *sample);
void event_sampler_close(struct sample *sample);

/* Samples by calling look with the state as context; 0 or -errno when no source can be read. */
int event_sampler_look(struct sample *sample,
		       void (*look)(void *context, const struct event_statistics *statistics,
				    uint64_t since_ns));

#endif
