/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Consecutive events of processes that share a name also share its texts in the batch. */
#include <config.h>

#include "topic/event/event_batch.h"

#include <stdlib.h>
#include <string.h>

size_t event_batch_text(struct event_batch *batch, const char *text, size_t length)
{
	size_t at;

	VECTOR_RESERVE(batch->texts, batch->n_texts + length + 2, batch->texts_capacity);
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

/* Replaces a name whose texts are in the batch. */
static void hold_name(struct event_name **held, struct event_name *name)
{
	if (name)
		name->users++;
	if (*held)
		event_name_drop(*held);
	*held = name;
}

static void forget_last(struct event_batch *batch)
{
	hold_name(&batch->last, NULL);
	hold_name(&batch->last_parent, NULL);
}

struct event *event_batch_add(struct event_batch *batch, const struct event_process *process)
{
	struct event_name *name = process->name;
	struct event *event;

	if (batch->last != name) {
		hold_name(&batch->last, name);
		batch->last_comm = event_batch_text(batch, name->comm, strlen(name->comm));
		batch->last_command = event_batch_text(batch, name->command, strlen(name->command));
	}
	event = VECTOR_ADD(batch->list, batch->count, batch->capacity);
	*event = (struct event){
		.named = name->known,
		.comm = batch->last_comm,
		.command = batch->last_command,
		.program_length = name->program_length,
	};
	return event;
}

size_t event_batch_parent(struct event_batch *batch, const struct event_process *parent)
{
	struct event_name *name = parent->name;

	if (!name->known)
		return 0;
	if (batch->last_parent != name) {
		hold_name(&batch->last_parent, name);
		batch->last_parent_comm = event_batch_text(batch, name->comm, strlen(name->comm));
	}
	return batch->last_parent_comm;
}

size_t event_batch_append(struct event_batch *batch, struct event_batch *from)
{
	size_t room = EVENT_BATCH_MAX - batch->count, count = from->count < room ? from->count : room;
	size_t shift, lost = from->count - count;

	if (count > 0) {
		VECTOR_RESERVE(batch->list, batch->count + count, batch->capacity);
		VECTOR_RESERVE(batch->texts, batch->n_texts + from->n_texts + 1, batch->texts_capacity);
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
			event->parent += event->parent ? shift : 0;
		}
	}
	event_batch_empty(from);
	return lost;
}

void event_batch_empty(struct event_batch *batch)
{
	forget_last(batch);
	VECTOR_EMPTY(batch->list, batch->count, batch->capacity, &batch->recent_list);
	VECTOR_EMPTY(batch->texts, batch->n_texts, batch->texts_capacity, &batch->recent_texts);
}

void event_batch_free(struct event_batch *batch)
{
	event_batch_empty(batch);
	free(batch->list);
	free(batch->texts);
	*batch = (struct event_batch){ 0 };
}

void event_ended_add(struct event_ended_list *ended, const struct event_process *process, uint64_t end_ns)
{
	struct event_ended *added;

	if (ended->count == EVENT_ENDED_MAX)
		return;
	added = VECTOR_ADD(ended->list, ended->count, ended->capacity);
	*added = (struct event_ended){
		.pid = process->pid,
		.parent_pid = process->parent_pid,
		.uid = process->effective_uid,
		.start_ns = process->start_ns,
		.end_ns = end_ns,
	};
	strcpy(added->comm, process->name->comm);
}

void event_ended_free(struct event_ended_list *ended)
{
	free(ended->list);
}
