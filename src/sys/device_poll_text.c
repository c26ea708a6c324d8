/* SPDX-License-Identifier: GPL-2.0-or-later */
/* An attribute that a helper reads, with room for its text. */
#include <config.h>

#include "sys/device_poll_text.h"

#include <stdlib.h>

#include "core/alloc.h"

static void ask(struct late *late)
{
	struct late_text *text = (struct late_text *)late;

	text->length = attribute_ask(&text->file, late->root_fd, text->bytes, text->room);
	late->reads++;
}

static void arrived(struct late *late)
{
	struct late_text *text = (struct late_text *)late;

	attribute_heard(&text->file, text->env, text->length);
	text->came(text->owner, text->number, text);
}

static void free_text(struct late *late)
{
	struct late_text *text = (struct late_text *)late;

	attribute_discard(&text->file);
	free(text);
}

struct late_text *late_text_open(struct env *env, const char *path, size_t room,
				 void (*came)(void *owner, size_t number, const struct late_text *text),
				 void *owner, size_t number)
{
	struct late_text *text = alloc_zeroed(1, sizeof(*text) + room);

	text->late = (struct late){ .ask = ask, .arrived = arrived, .free = free_text };
	late_open(&text->late, env, path);
	text->env = env;
	attribute_open(&text->file, path);
	text->came = came;
	text->owner = owner;
	text->number = number;
	text->room = room;
	return text;
}

void late_text_drop(struct late_text *text)
{
	attribute_disown(&text->file, text->env);
	late_drop(&text->late);
}

void late_text_ask(struct late_text *text)
{
	if (!text->late.out)
		attribute_hold(&text->file, text->env);
	late_ask(&text->late);
}
