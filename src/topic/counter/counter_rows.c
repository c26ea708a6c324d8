/* SPDX-License-Identifier: GPL-2.0-or-later */
/* From counts to the numbers of a row; events that are absent for one reason share a notice. */
#include <config.h>

#include "topic/counter/counter_rows.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#define COUNTER_NAMES_MAX 512

static const char *keep(struct frame *frame, const char *text)
{
	return arena_copy(&frame->arena, text, strlen(text));
}

void counter_fill(struct counter_numbers *numbers, struct frame *frame, const struct counter_events *events,
		  unsigned index, const struct counter_count *counts)
{
	const struct counter_event *event = &events->list[index];
	struct perf_times times = counts[index].times;

	numbers->event = keep(frame, event->name);
	numbers->total = counts[index].total;
	if (times.enabled_ns > 0)
		numbers->running_ratio = fmin(1, (double)times.running_ns / (double)times.enabled_ns);
	numbers->share_of = "";
	if (event->per_cycle) {
		numbers->cycles_total = counts[event->base].total;
	} else if (event->base >= 0) {
		numbers->whole_total = counts[event->base].total;
		numbers->share_of = keep(frame, events->list[event->base].name);
	} else if (event->is_clock && counts[index].elapsed_ns > 0) {
		numbers->whole_total = counts[index].elapsed_ns;
		numbers->share_of = N_("one CPU");
	}
}

const char *counter_names(const struct topic_settings *settings)
{
	const char *names = settings->counters;

	return names && strcmp(names, "auto") != 0 ? names : NULL;
}

const char *counter_remedy(const struct env *env, const struct topic *topic, const char *path, int error)
{
	return source_remedy(env, topic_source(topic, path), -error);
}

/* Why an event is not counted; why NULL: it is. */
struct absence {
	const char *why, *remedy;
};

static struct absence absence_of(const struct env *env, const struct topic *topic,
				 const struct counter_event *event, const struct counter_sum *sum)
{
	if (event->why)
		return (struct absence){ event->why, event->remedy };
	if (sum->n_open > 0 || !sum->error)
		return (struct absence){ NULL, NULL };
	if (sum->error == -ENODEV)
		return (struct absence){ _("this machine cannot count it"), NULL };
	return (struct absence){ strerror(-sum->error),
				 counter_remedy(env, topic, COUNTER_SOURCE, sum->error) };
}

static bool is_same(const struct absence *one, const struct absence *other)
{
	return strcmp(one->why, other->why) == 0 &&
	       (one->remedy == other->remedy ||
		(one->remedy && other->remedy && strcmp(one->remedy, other->remedy) == 0));
}

/* One notice for all events from this one on that are absent for the same reason. */
static void notice_absent(struct frame *frame, const char *topic, const struct counter_events *events,
			  const struct absence *absences, unsigned first)
{
	char names[COUNTER_NAMES_MAX];
	size_t used = 0;

	for (unsigned e = 0; e < first; e++)
		if (absences[e].why && is_same(&absences[e], &absences[first]))
			return;
	for (unsigned e = first; e < events->count && used < sizeof(names); e++)
		if (absences[e].why && is_same(&absences[e], &absences[first]))
			used += (size_t)snprintf(names + used, sizeof(names) - used, "%s%s", used ? ", " : "",
						 events->list[e].name);
	frame_notice(frame, topic, absences[first].remedy, "%s: %s", names, absences[first].why);
}

void counter_notice_events(const struct env *env, struct frame *frame, const struct topic *topic,
			 const struct counter_events *events, const struct counter_sum *sums)
{
	struct absence absences[COUNTER_EVENTS_MAX];
	const char *name = topic->schema->name;

	for (unsigned e = 0; e < events->count; e++)
		absences[e] = absence_of(env, topic, &events->list[e], &sums[e]);
	for (unsigned e = 0; e < events->count; e++)
		if (absences[e].why)
			notice_absent(frame, name, events, absences, e);
	if (events->surplus > 0)
		frame_notice(frame, name, NULL,
			     P_("%u event of cpu.perf is beyond the limit of %d",
				"%u events of cpu.perf are beyond the limit of %d",
				events->surplus),
			     events->surplus, COUNTER_EVENTS_MAX);
}

void counter_notice_no_hardware(const struct env *env, struct frame *frame, const struct topic *topic,
			      int error)
{
	const char *remedy = counter_remedy(env, topic, COUNTER_HARDWARE_SOURCE, error);

	if (error == -ENODEV)
		frame_notice(frame, topic->schema->name, remedy,
			     _("no hardware counters: software events are counted instead"));
	else
		frame_notice(frame, topic->schema->name, remedy,
			     _("no hardware counters, software events are counted instead: %s"),
			     strerror(-error));
}
