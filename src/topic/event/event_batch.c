/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Lists of events, and their texts, of which what follows one another is kept once. */
#include <config.h>

#include "topic/event/event_batch.h"

#include <stdlib.h>
#include <string.h>

#include "core/alloc.h"

static void make_room(struct event_batch *batch, size_t count)
{
	if (batch->count + count <= batch->capacity)
		return;
	batch->capacity = 2 * (batch->count + count);
	batch->list = alloc_resize(batch->list, batch->capacity, sizeof(*batch->list));
}

static void make_text_room(struct event_batch *batch, size_t bytes)
{
	if (batch->n_texts + bytes <= batch->texts_capacity)
		return;
	batch->texts_capacity = 2 * (batch->n_texts + bytes);
	batch->texts = alloc_resize(batch->texts, batch->texts_capacity, 1);
}

size_t event_batch_text(struct event_batch *batch, const char *text, size_t length)
{
	size_t at;

	make_text_room(batch, length + 2);
	if (batch->n_texts == 0)
		batch->texts[batch->n_texts++] = '\0';
	if (length == 0)
		return 0;
	at = batch->n_texts;
	memcpy(batch->texts + at, text, length);
	batch->texts[at + length] = '\0';
	batch->n_texts += length + 1;
	return at;
}

static void forget_last(struct event_batch *batch)
{
	if (batch->last)
		event_name_drop(batch->last);
	batch->last = NULL;
}

struct event *event_batch_add(struct event_batch *batch, const struct event_process *process)
{
	struct event_name *name = process->name;
	struct event *event;

	if (batch->last != name) {
		forget_last(batch);
		name->users++;
		batch->last = name;
		batch->last_comm = event_batch_text(batch, name->comm, strlen(name->comm));
		batch->last_command = event_batch_text(batch, name->command, strlen(name->command));
	}
	make_room(batch, 1);
	event = &batch->list[batch->count++];
	*event = (struct event){
		.named = name->known,
		.comm = batch->last_comm,
		.command = batch->last_command,
		.program_length = name->program_length,
	};
	return event;
}

size_t event_batch_append(struct event_batch *batch, struct event_batch *from)
{
	size_t room = EVENT_BATCH_MAX - batch->count, count = from->count < room ? from->count : room;
	size_t shift, lost = from->count - count;

	if (count > 0) {
		make_room(batch, count);
		make_text_room(batch, from->n_texts + 1);
		if (batch->n_texts == 0)
			batch->texts[batch->n_texts++] = '\0';
		shift = batch->n_texts - 1;
		memcpy(batch->texts + batch->n_texts, from->texts + 1, from->n_texts - 1);
		batch->n_texts += from->n_texts - 1;
		for (size_t i = 0; i < count; i++) {
			struct event *event = &batch->list[batch->count++];

			*event = from->list[i];
			event->comm += event->comm ? shift : 0;
			event->command += event->command ? shift : 0;
			event->was += event->was ? shift : 0;
		}
	}
	event_batch_empty(from);
	return lost;
}

void event_batch_empty(struct event_batch *batch)
{
	forget_last(batch);
	batch->count = batch->n_texts = 0;
}

void event_batch_free(struct event_batch *batch)
{
	event_batch_empty(batch);
	free(batch->list);
	free(batch->texts);
	*batch = (struct event_batch){ 0 };
}
