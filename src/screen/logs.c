/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The logs of the screen: the events of all frames, for the tables of panes. */
#include <config.h>

#include <stdlib.h>
#include <string.h>

#include "core/alloc.h"
#include "screen/state.h"

static bool has_events(const struct screen *screen, unsigned index)
{
	return screen->setup->schemas[index]->shape == SHAPE_EVENTS;
}

void logs_open(struct screen *screen)
{
	screen->logs = alloc_zeroed(screen->setup->n_schemas, sizeof(*screen->logs));
	for (unsigned i = 0; i < screen->setup->n_schemas; i++)
		event_log_open(&screen->logs[i], screen->setup->schemas[i], EVENT_LOG_ROWS,
			       EVENT_LOG_TEXT_BYTES);
}

void logs_close(struct screen *screen)
{
	for (unsigned i = 0; i < screen->setup->n_schemas; i++)
		event_log_close(&screen->logs[i]);
	free(screen->logs);
}

void logs_clear(struct screen *screen)
{
	for (unsigned i = 0; i < screen->setup->n_schemas; i++)
		event_log_clear(&screen->logs[i]);
}

void logs_add(struct screen *screen, const struct frame *frame)
{
	for (unsigned i = 0; i < frame->n_tables; i++)
		if (has_events(screen, i) && frame->tables[i].present)
			event_log_add(&screen->logs[i], &frame->tables[i]);
}

void logs_undo(struct screen *screen, const struct frame *frame)
{
	for (unsigned i = 0; i < frame->n_tables; i++)
		if (has_events(screen, i) && frame->tables[i].present)
			event_log_undo(&screen->logs[i], &frame->tables[i]);
}

void logs_freeze(struct screen *screen, bool frozen)
{
	for (unsigned i = 0; i < screen->setup->n_schemas; i++)
		event_log_freeze(&screen->logs[i], frozen);
}

struct event_log *logs_find(const struct screen *screen, const char *topic)
{
	for (unsigned i = 0; i < screen->setup->n_schemas; i++)
		if (has_events(screen, i) && strcmp(screen->setup->schemas[i]->name, topic) == 0)
			return &screen->logs[i];
	return NULL;
}
