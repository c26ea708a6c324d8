/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Reads names and formats of tracepoints from tracefs. */
#include <config.h>

#include "topic/tracepoint/tracepoint_list.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/alloc.h"
#include "core/buffer.h"
#include "core/i18n.h"
#include "core/typed_name.h"
#include "core/vector.h"
#include "sys/perf_ring.h"
#include "topic/tracing.h"

#define FORMAT_BYTES 16384
#define NAMES_BYTES ((size_t)128 * 1024) /* at first */
#define NAME_BYTES 64
#define LIST_BYTES ((size_t)600) /* of names in a message */
#define NAMES_BYTES_MAX ((size_t)8 * 1024 * 1024)

int tracepoint_list_open(struct tracepoint_list *list, struct env *env)
{
	*list = (struct tracepoint_list){ .tracefs = tracing_open(env) };
	return list->tracefs < 0 ? list->tracefs : 0;
}

void tracepoint_list_close(struct tracepoint_list *list)
{
	if (list->tracefs >= 0)
		close(list->tracefs);
	free(list->names);
	free(list->format);
	*list = (struct tracepoint_list){ .tracefs = -1 };
}

int tracepoint_list_test(struct env *env)
{
	struct tracepoint_list list;
	int error = tracepoint_list_open(&list, env);

	tracepoint_list_close(&list);
	return error;
}

int tracepoint_list_names(struct tracepoint_list *list, struct span *names)
{
	long length = list->names ? (long)list->length : (long)list->capacity;

	while (!list->names || ((size_t)length == list->capacity && list->capacity < NAMES_BYTES_MAX)) {
		list->capacity = list->capacity ? 2 * list->capacity : NAMES_BYTES;
		list->names = alloc_resize(list->names, list->capacity, 1);
		length = tracefs_read(list->tracefs, "available_events", list->names, list->capacity);
		if (length < 0) {
			free(list->names);
			list->names = NULL;
			return (int)length;
		}
		list->length = (size_t)length;
	}
	*names = span_of(list->names, list->length);
	return 0;
}

int tracepoint_list_format(struct tracepoint_list *list, struct span group, struct span event,
			   struct span *format)
{
	char path[512];
	long length;

	if (!list->format)
		list->format = alloc_zeroed(FORMAT_BYTES, 1);
	if (snprintf(path, sizeof(path), "events/%.*s/%.*s/format", (int)span_length(group), group.at,
		     (int)span_length(event), event.at) >= (int)sizeof(path))
		return -ENOENT;
	length = tracefs_read(list->tracefs, path, list->format, FORMAT_BYTES);
	if (length < 0)
		return (int)length;
	*format = span_of(list->format, (size_t)length);
	return 0;
}

/* The name among those tried that is nearest; its text is kept. */
struct nearest {
	struct near_name near;
	char text[NAME_BYTES];
};

static void try_name(struct nearest *nearest, struct span name)
{
	char text[NAME_BYTES];

	if (snprintf(text, sizeof(text), "%.*s", (int)span_length(name), name.at) >= (int)sizeof(text))
		return;
	near_name_try(&nearest->near, text);
	if (nearest->near.name == text)
		nearest->near.name = strcpy(nearest->text, text);
}

/* Whole names only. */
static void cut_list(struct buffer *list)
{
	if (list->length <= LIST_BYTES)
		return;
	for (list->length = LIST_BYTES; list->bytes[list->length] != ' ';)
		list->length--;
	buffer_text(list, " …");
}

void tracepoint_list_refuse(struct tracepoint_list *list, const char *group, const char *event, char *why,
			    size_t room)
{
	struct nearest near_group = { .near = { .typed = span_text(group) } },
		       near_event = { .near = { .typed = span_text(event) } };
	struct buffer events = { 0 };
	struct span names = { 0 }, line, name;

	tracepoint_list_names(list, &names);
	while (span_line(&names, &line)) {
		if (!span_until(&line, ':', &name))
			continue;
		try_name(&near_group, name);
		if (!span_is(name, group))
			continue;
		try_name(&near_event, line);
		buffer_print(&events, " %.*s", (int)span_length(line), line.at);
	}
	cut_list(&events);
	if (near_event.near.name)
		snprintf(why, room, _("no tracepoint %s:%s; did you mean %s:%s?"), group, event, group,
			 near_event.near.name);
	else if (events.length > 0)
		snprintf(why, room, _("no tracepoint %s:%s; there are:%.*s"), group, event,
			 (int)events.length, events.bytes);
	else if (near_group.near.name)
		snprintf(why, room, _("no group of tracepoints %s; did you mean %s?"), group,
			 near_group.near.name);
	else
		snprintf(why, room, _("no group of tracepoints %s; panetop -t tracepoint lists them all"),
			 group);
	buffer_free(&events);
}
