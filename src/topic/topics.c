/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The list of all topics, and the remedies of their sources. */
#include <config.h>

#include "topic/topic.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/alloc.h"
#include "core/arena.h"
#include "core/i18n.h"
#include "core/typed_name.h"
#include "sys/privilege.h"
#include "topic/reader.h"

#define TOPIC(name) &topic_##name,
const struct topic *const topics[] = {
#include "topic/topics.def"
};
#undef TOPIC

const unsigned n_topics = sizeof(topics) / sizeof(topics[0]);
const struct source_spec no_source[] = { { 0 } };

const struct schema *const *topic_schemas(void)
{
	static const struct schema *schemas[sizeof(topics) / sizeof(topics[0])];

	for (unsigned i = 0; i < n_topics; i++)
		schemas[i] = topics[i]->schema;
	return schemas;
}

int topic_open(struct sample *sample)
{
	const struct topic *topic = sample->topic;
	int error;

	if (topic->state_size > 0 && !sample->state)
		sample->state = alloc_zeroed(1, topic->state_size);
	error = readings_open(topic->reads, topic->state_size > 0 ? sample->state : &sample->state, sample);
	if (!error && topic->open) {
		error = topic->open(sample);
		if (error)
			readings_close(topic->reads, sample->env);
	}
	if (error && topic->state_size > 0)
		memset(sample->state, 0, topic->state_size);
	return error;
}

void topic_close(struct sample *sample)
{
	if (sample->topic->close)
		sample->topic->close(sample);
	readings_close(sample->topic->reads, sample->env);
	topic_forget(sample);
}

void topic_forget(struct sample *sample)
{
	if (sample->topic->state_size > 0)
		free(sample->state);
	sample->state = NULL;
}

void topic_prepare(struct sample *sample)
{
	if (sample->topic->prepare && !sample->prepared)
		sample->topic->prepare(sample);
	sample->prepared = true;
}

int topic_sample(struct sample *sample, struct frame *frame, struct table *table)
{
	int error;

	table->present = true;
	sample->frame = frame;
	sample->table = table;
	topic_prepare(sample);
	sample->prepared = false;
	error = readings_update(sample->topic->reads, sample);
	if (!error)
		error = sample->topic->sample(sample);
	table->failed = error != 0;
	if (error)
		table->n_rows = 0;
	sample->frame = NULL;
	sample->table = NULL;
	return error;
}

const struct topic *topic_find(const char *name)
{
	for (unsigned i = 0; i < n_topics; i++)
		if (strcmp(topics[i]->schema->name, name) == 0)
			return topics[i];
	return NULL;
}

const struct topic *topic_match(const char *typed)
{
	const struct topic *found = NULL;
	unsigned n_found = 0;

	for (unsigned i = 0; i < n_topics; i++) {
		if (typed_is(span_text(typed), topics[i]->schema->name))
			return topics[i];
		if (!typed_begins(span_text(typed), topics[i]->schema->name))
			continue;
		found = topics[i];
		n_found++;
	}
	return n_found == 1 ? found : NULL;
}

const struct source_spec *topic_source(const struct topic *topic, const char *path)
{
	for (const struct source_spec *source = topic->sources; source && source->path; source++)
		if (strcmp(source->path, path) == 0)
			return source;
	return NULL;
}

static bool is_below(const char *path, const char *directory)
{
	size_t length = strlen(directory);

	return strncmp(path, directory, length) == 0 && (path[length] == '/' || path[length] == '\0');
}

const char *source_root(const char *path)
{
	return is_below(path, "proc") || is_below(path, "sys") ? "/" : "";
}

/* Most of these files are for root only, connected or not. */
#define PLUG(plug) "sudo snap connect panetop:" plug "; "
#define CONNECT(plug) PLUG(plug) "sudo panetop"

/* By the beginning of the path; the first match counts. */
static const struct {
	const char *begin, *remedy;
} connections[] = {
	{ "proc/PID/maps", NULL },
	{ "proc/PID/pagemap", CONNECT("physical-memory-observe") },
	{ "proc/spl/", CONNECT("mount-observe") },
	{ "proc/sys/", NULL },
	{ "proc/net/", CONNECT("network-observe") },
	{ "proc/self/mountinfo", CONNECT("mount-observe") },
	{ "proc", CONNECT("system-observe") },
	{ "sys/kernel/tracing", CONNECT("system-trace") },
	{ "sys/fs/resctrl", NULL },
	{ "sys/", CONNECT("hardware-observe") },
	{ "BPF", CONNECT("system-trace") },
	{ "perf", CONNECT("system-trace") },
	{ "hardware counters", CONNECT("system-trace") },
	{ "sched:", CONNECT("system-trace") },
	{ "connector", CONNECT("netlink-connector") },
	/* the socket, and cap_net_admin */
	{ "taskstats", PLUG("network-observe") CONNECT("netlink-connector") },
	{ "rtnetlink", CONNECT("network-observe") },
	{ "sock_diag", CONNECT("network-observe") },
	{ "scheduling policy", CONNECT("process-control") },
};

/* The command that connects a snap to this source (path of its source_spec); NULL: no interface does. */
static const char *snap_remedy(const char *path)
{
	for (unsigned i = 0; i < sizeof(connections) / sizeof(connections[0]); i++)
		if (strncmp(path, connections[i].begin, strlen(connections[i].begin)) == 0)
			return connections[i].remedy;
	return NULL;
}

static const struct {
	int error;
	const char *remedy;
} common_remedies[] = {
	{ EACCES, N_("run it as root, or give it the capability cap_dac_read_search") },
	{ EPERM, N_("run it as root") },
	{ EXDEV, N_("mount its own: unshare --mount-proc, or mount -t proc proc /proc") },
	{ ENOEXEC, N_("this panetop is 32-bit and the kernel 64-bit: install a 64-bit panetop") },
};

/* Of calls that lack something, whatever they ask for. */
static const char *lack_remedy(int error)
{
	switch (error) {
	case EMFILE:
		return _("raise the limit of open files: ulimit -n");
	case ENFILE:
		return _("raise the limit of open files of the machine: sysctl fs.file-max");
	case ENOMEM:
		return _("free memory, or raise the limit of this control group: memory.max");
	default:
		return NULL;
	}
}

const char *mount_remedy(const struct env *env)
{
	if (env->live && !env_exists(env, "proc/stat"))
		return _("mount /proc: mount -t proc proc /proc");
	if (env->live && !env_exists(env, "sys/kernel"))
		return _("mount /sys: mount -t sysfs sysfs /sys");
	return NULL;
}

/* A source that is missing since its whole file system is; sources with a test may need both. */
static const char *missing_mount(const struct env *env, const struct source_spec *source, int error)
{
	if ((error != ENOENT && error != ENODEV) || (source && source->is_socket))
		return NULL;
	if (source && !source->test && is_below(source->path, "proc"))
		return env_exists(env, "proc/stat") ? NULL : _("mount it: mount -t proc proc /proc");
	return mount_remedy(env);
}

const char *source_unused(const struct env *env, const struct source_spec *source, int error)
{
	if (missing_mount(env, source, error))
		return NULL;
	for (unsigned i = 0; i < SOURCE_REMEDIES_MAX; i++)
		if (source->remedies[i].unused && source->remedies[i].error == error)
			return _(source->remedies[i].remedy);
	return NULL;
}

const char *remedy_for_user(const char *remedy)
{
	static struct intern texts;
	char text[PRIVILEGE_REMEDY_BYTES];

	if (!strstr(remedy, "run it as root"))
		return _(remedy);
	if (privilege_remedy_for_root(privilege_named(remedy), text))
		return intern_text(&texts, text);
	if (geteuid() != 0)
		return _(remedy);
	if (system_calls_filtered())
		return _("refused even for root: allow it in seccomp (--security-opt seccomp=FILE) or the "
			 "security settings");
	return _("permission denied even for root: allow it in the container, service or security "
		 "settings");
}

/* A kernel that refuses perf events to cap_perfmon needs another remedy. */
static const char *perf_remedy(const char *remedy)
{
	const char *other = strstr(remedy, "cap_perfmon") ? privilege_perf_remedy() : NULL;

	return other ? other : remedy;
}

const char *source_remedy(const struct env *env, const struct source_spec *source, int error)
{
	const char *connect = env->in_snap && source ? snap_remedy(source->path) : NULL;

	if (connect && (error == EACCES || error == EPERM))
		return connect;
	if (lack_remedy(error))
		return lack_remedy(error);
	if (missing_mount(env, source, error))
		return missing_mount(env, source, error);
	for (unsigned i = 0; source && i < SOURCE_REMEDIES_MAX; i++)
		if (source->remedies[i].remedy && source->remedies[i].error == error)
			return remedy_for_user(error == EACCES ? perf_remedy(source->remedies[i].remedy)
							       : source->remedies[i].remedy);
	for (unsigned i = 0; i < sizeof(common_remedies) / sizeof(common_remedies[0]); i++)
		if (common_remedies[i].error == error)
			return remedy_for_user(common_remedies[i].remedy);
	return NULL;
}
