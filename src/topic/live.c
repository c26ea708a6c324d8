/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The live source: samples the wanted topics of this machine and explains failures. */
#include <config.h>

#include "topic/live.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/timerfd.h>
#include <unistd.h>

#include "core/alloc.h"
#include "core/i18n.h"
#include "sys/helper.h"
#include "topic/reader.h"
#include "topic/served_mounts.h"
#include "topic/topic.h"

struct live {
	struct env *env;
	const struct sample_request *request;
	char host[256];
	int poll_fd; /* a timer; -1: none */
	bool polls;  /* it runs */
	struct entry {
		struct sample sample;
		bool wanted, open;
		bool tried;          /* to open it, since it was wanted */
		uint64_t early_ns;   /* CPU time of that and of topic_prepare(), until it is in the costs */
		int error;       /* of the last failed sample */
		const char *why; /* its text, kept because strerror() allocates */
	} *entries;              /* one for each topic, … */
	struct env_cost *costs;  /* … as of these */
};

static void report(struct live *live, struct frame *frame, struct entry *entry, const char *path, int error)
{
	const struct topic *topic = entry->sample.topic;
	const char *name = topic->schema->name, *remedy;

	if (entry->error != error)
		entry->why = env_error_text(-error);
	entry->error = error;
	remedy = source_remedy(live->env, topic_source(topic, path), -error);
	if (strcmp(path, name) == 0)
		frame_notice(frame, name, remedy, "%s", entry->why);
	else
		frame_notice(frame, name, remedy, "%s%s: %s", source_root(path), path,
			     error == -ENODATA ? _("contains nothing that panetop understands") : entry->why);
}

/* Adds a notice about the failure of a topic, unless its source is optional. */
static void explain(struct live *live, struct frame *frame, struct entry *entry, int error)
{
	const struct topic *topic = entry->sample.topic;
	const char *path = env_failed_path(live->env, error);
	const struct source_spec *source;

	if (!path || error == -ENODATA) /* it could be read, but not understood */
		path = topic->sources->path ? topic->sources->path : topic->schema->name;
	source = topic_source(topic, path);
	if (source && source->optional)
		return;
	report(live, frame, entry, path, error);
}

/* A part of a topic that could not be read may look like one that the machine does not have. */
static void explain_part(struct live *live, struct frame *frame, struct entry *entry)
{
	int error;
	const char *path = env_lacking_path(live->env, &error);

	if (path)
		report(live, frame, entry, path, error);
}

static bool is_sampled(const struct live *live, unsigned index, bool only_events)
{
	if (!live->entries[index].wanted)
		return false;
	return only_events ? topics[index]->schema->shape == SHAPE_EVENTS
			   : !live->request->resting || !live->request->resting[index];
}

/*
 * All of them before the first is sampled: what is counted from the opening on, such as exits, would else be
 * missing from when files are read. What fails is tried again, and explained, when it is sampled.
 */
static void open_wanted(struct live *live, bool only_events)
{
	for (unsigned i = 0; i < n_topics; i++) {
		struct entry *entry = &live->entries[i];
		uint64_t cpu_ns, reads = live->env->reads;

		if (entry->tried || !is_sampled(live, i, only_events))
			continue;
		cpu_ns = env_self_cpu_ns(live->env);
		entry->tried = true;
		entry->open = topic_open(&entry->sample) == 0;
		entry->early_ns = env_self_cpu_ns(live->env) - cpu_ns;
		live->costs[i].reads += live->env->reads - reads;
	}
}

/* From the first topic on that polls. */
static void start_timer(struct live *live)
{
	const struct itimerspec every = { .it_interval = { POLL_SECONDS, 0 },
					  .it_value = { POLL_SECONDS, 0 } };

	if (!live->polls && live->poll_fd >= 0)
		live->polls = timerfd_settime(live->poll_fd, 0, &every, NULL) == 0;
}

/* Before any reader is updated. */
static void prepare_wanted(struct live *live, bool only_events)
{
	for (unsigned i = 0; i < n_topics; i++) {
		struct entry *entry = &live->entries[i];
		uint64_t cpu_ns;

		if (!entry->open || !is_sampled(live, i, only_events))
			continue;
		readings_announce(topics[i]->reads, live->env);
		if (topics[i]->poll)
			start_timer(live);
		if (!topics[i]->prepare)
			continue;
		cpu_ns = env_self_cpu_ns(live->env);
		topic_prepare(&entry->sample);
		entry->early_ns += env_self_cpu_ns(live->env) - cpu_ns;
	}
}

static void sample_entry(struct live *live, unsigned index, struct frame *frame)
{
	struct entry *entry = &live->entries[index];
	struct env_cost *cost = &live->costs[index];
	struct table *table = &frame->tables[index];
	struct env *env = live->env;
	uint64_t cpu_ns = env_self_cpu_ns(env), reads = env->reads;
	int error;

	env_forget_failures(env);
	table->present = true;
	table->mono_ns = env_mono_ns(env);
	error = entry->open ? 0 : topic_open(&entry->sample);
	entry->open = !error;
	table->failed = error != 0;
	if (!error)
		error = topic_sample(&entry->sample, frame, table);
	if (error)
		explain(live, frame, entry, error);
	else
		explain_part(live, frame, entry);
	cost->cpu_ns = env_self_cpu_ns(env) - cpu_ns + entry->early_ns;
	entry->early_ns = 0;
	cost->reads += env->reads - reads;
	cost->lost += error ? 1 : 0;
}

/* NULL: the last time. */
static void find_scope(struct live *live, struct frame *frame)
{
	for (unsigned i = 0; i < n_topics; i++) {
		struct sample *sample = &live->entries[i].sample;

		if (!topics[i]->find_scope)
			continue;
		sample->frame = frame;
		topics[i]->find_scope(sample);
		sample->frame = NULL;
	}
}

static void report_stuck(struct frame *frame)
{
	const char *name;
	unsigned count = helper_count_stuck(&name);

	if (count > 0)
		frame_notice(frame, "helper",
			     N_("nothing waits for it; the kernel keeps it until its server answers or ends"),
			     P_("%u process waits for an answer: %s",
				"%u processes wait for answers, one of them: %s", count),
			     count, name ? name : "?");
}

static void sample_wanted(struct live *live, struct frame *frame)
{
	live->env->tick++;
	live->env->cut = false;
	frame->mono_ns = env_mono_ns(live->env);
	frame->wall_ns = env_wall_ns(live->env);
	if (!*live->host) /* not before there are helpers */
		env_host(live->env, live->host, sizeof(live->host));
	frame->host = arena_copy(&frame->arena, live->host, strlen(live->host));
	open_wanted(live, frame->only_events);
	prepare_wanted(live, frame->only_events);
	if (!frame->only_events)
		find_scope(live, frame);
	for (unsigned i = 0; i < n_topics; i++)
		if (is_sampled(live, i, frame->only_events))
			sample_entry(live, i, frame);
	report_stuck(frame);
	frame->cut = live->env->cut;
}

static int next(void *state, struct frame *frame)
{
	sample_wanted(state, frame);
	return 1;
}

static int next_events(void *state, struct frame *frame)
{
	frame->only_events = true;
	sample_wanted(state, frame);
	return 1;
}

static int event_fd(void *state)
{
	struct live *live = state;
	int fd = -1;

	for (unsigned i = 0; i < n_topics && fd < 0; i++) {
		struct entry *entry = &live->entries[i];

		if (entry->open && topics[i]->event_fd)
			fd = topics[i]->event_fd(&entry->sample);
	}
	return fd;
}

static void close_entry(struct entry *entry)
{
	if (entry->open)
		topic_close(&entry->sample);
	else
		topic_forget(&entry->sample);
	entry->open = entry->tried = false;
}

static void want(void *state, const bool *wanted)
{
	struct live *live = state;

	for (unsigned i = 0; i < n_topics; i++) {
		struct entry *entry = &live->entries[i];

		entry->wanted = wanted[i];
		live->costs[i].active = wanted[i];
		if (!wanted[i])
			close_entry(entry);
	}
}

static int act(void *state, const char *topic_name, const char *action,
	       void (*done)(void *context, int error), void *context, const char **remedy)
{
	struct live *live = state;
	const struct topic *topic = topic_find(topic_name);
	const char *path;
	int error;

	if (remedy)
		*remedy = NULL;
	if (!live->env->live || !topic || !topic->act)
		return -ENOTSUP;
	if (live->request->read_only && !topic->acts_on_itself) {
		if (remedy)
			*remedy = _("it was started with --read-only");
		return -EPERM;
	}
	env_forget_failures(live->env);
	error = topic->act(live->env, action, done, context);
	path = error ? env_failed_path(live->env, error) : NULL;
	if (path && remedy)
		*remedy = source_remedy(live->env, topic_source(topic, path), -error);
	return error;
}

static bool has_finished(void *state)
{
	const struct live *live = state;

	return live->env->finished;
}

static void restart(void *state, const char *topic_name)
{
	struct live *live = state;

	for (unsigned i = 0; i < n_topics; i++) {
		struct entry *entry = &live->entries[i];

		if (entry->open && topics[i]->restart &&
		    (!topic_name || strcmp(topics[i]->schema->name, topic_name) == 0))
			topics[i]->restart(&entry->sample);
	}
}

static void poll(void *state, uint32_t events)
{
	struct live *live = state;
	uint64_t times;

	(void)events;
	if (read(live->poll_fd, &times, sizeof(times)) < 0)
		return;
	for (unsigned i = 0; i < n_topics; i++)
		if (live->entries[i].open && topics[i]->poll)
			topics[i]->poll(&live->entries[i].sample, env_mono_ns(live->env));
}

static void close_live(void *state)
{
	struct live *live = state;

	for (unsigned i = 0; i < n_topics; i++)
		close_entry(&live->entries[i]);
	find_scope(live, NULL);
	if (live->poll_fd >= 0)
		close(live->poll_fd);
	live->env->costs = NULL;
	live->env->n_costs = 0;
	free(live->costs);
	free(live->entries);
	free(live);
}

void live_open(struct source *source, struct env *env, const struct settings *settings,
	       const struct sample_request *request)
{
	struct live *live = alloc_zeroed(1, sizeof(*live));

	live->env = env;
	live->request = request;
	live->entries = alloc_zeroed(n_topics, sizeof(*live->entries));
	live->costs = alloc_zeroed(n_topics, sizeof(*live->costs));
	for (unsigned i = 0; i < n_topics; i++) {
		live->entries[i].sample = (struct sample){
			.topic = topics[i], .env = env, .settings = &settings->topic, .request = request
		};
		live->costs[i].name = topics[i]->schema->name;
	}
	served_mounts_find(env);
	env->costs = live->costs;
	env->n_costs = n_topics;
	live->poll_fd = timerfd_create(CLOCK_MONOTONIC, TFD_NONBLOCK | TFD_CLOEXEC);
	*source = (struct source){
		.next = next,
		.want = want,
		.act = act,
		.event_fd = event_fd,
		.next_events = next_events,
		.has_finished = has_finished,
		.restart = restart,
		.poll = live->poll_fd >= 0 ? poll : NULL,
		.poll_fd = live->poll_fd,
		.files_before = env->files_before,
		.close = close_live,
		.state = live,
	};
}
