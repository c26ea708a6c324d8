/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <config.h>

#include "topic/counter/counter_rows.h"

#include <errno.h>
#include <math.h>
#include <string.h>

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

const char *counter_names(const struct settings *settings)
{
	const char *names = settings_get(settings, "cpu.perf");

	return names && strcmp(names, "auto") != 0 ? names : NULL;
}

const char *counter_remedy(const struct env *env, const struct topic *topic, const char *path, int error)
{
	return source_remedy(env, topic_source(topic, path), -error);
}

void counter_notice_events(const struct env *env, struct frame *frame, const struct topic *topic,
			 const struct counter_events *events, const struct counter_sum *sums)
{
	const char *name = topic->schema->name;

	for (unsigned e = 0; e < events->count; e++) {
		const struct counter_event *event = &events->list[e];
		int error = sums[e].error;

		if (event->why)
			frame_notice(frame, name, event->remedy, "%s: %s", event->name, event->why);
		else if (sums[e].n_open == 0 && error == -ENODEV)
			frame_notice(frame, name, NULL, _("%s: this machine cannot count it"), event->name);
		else if (sums[e].n_open == 0 && error)
			frame_notice(frame, name, counter_remedy(env, topic, COUNTER_SOURCE, error), "%s: %s",
				     event->name, strerror(-error));
	}
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
