/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The events of one round, in the order of their times. */
#include <config.h>

#include "topic/event/event_source.h"

#include <stdlib.h>
#include <string.h>

struct raw_event *raw_events_add(struct raw_events *events)
{
	struct raw_event *event = VECTOR_ADD(events->list, events->count, events->capacity);

	*event = (struct raw_event){ .exit_code = UINT32_MAX };
	return event;
}

static void merge(const struct raw_event *list, size_t start, size_t middle, size_t end,
		  struct raw_event *sorted)
{
	size_t one = start, other = middle;

	for (size_t to = start; to < end; to++)
		sorted[to] = other >= end || (one < middle && list[one].time_ns <= list[other].time_ns)
				     ? list[one++]
				     : list[other++];
}

void raw_events_sort(struct raw_events *events)
{
	size_t count = events->count;

	if (events->room_capacity < events->capacity) /* the two are exchanged below */
		events->room = alloc_resize(events->room, events->capacity, sizeof(*events->room));
	events->room_capacity = events->capacity;
	for (size_t width = 1; width < count; width *= 2) {
		struct raw_event *sorted = events->room;

		for (size_t start = 0; start < count; start += 2 * width) {
			size_t middle = start + width < count ? start + width : count;
			size_t end = middle + width < count ? middle + width : count;

			merge(events->list, start, middle, end, sorted);
		}
		events->room = events->list;
		events->list = sorted;
	}
}

void raw_events_drop(struct raw_events *events, size_t count)
{
	size_t size = sizeof(*events->list);
	bool outgrown =
		recent_use_is_outgrown(&events->recent, events->count * size, events->capacity * size);

	for (size_t i = 0; i < count; i++)
		free(events->list[i].text);
	events->count -= count;
	if (events->count > 0) {
		memmove(events->list, events->list + count, events->count * size);
	} else if (outgrown) {
		free(events->list);
		free(events->room);
		events->list = events->room = NULL;
		events->capacity = events->room_capacity = 0;
	}
}

void raw_events_free(struct raw_events *events)
{
	raw_events_drop(events, events->count);
	free(events->list);
	free(events->room);
	*events = (struct raw_events){ 0 };
}
