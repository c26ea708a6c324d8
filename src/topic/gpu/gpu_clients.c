/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A client of a driver is one opening of it, whoever has it: descriptors that are copies, also in other
 * processes, are one client, which counts for one process. Its counters go with it, so that each process has
 * sums of their growth, which never shrink.
 */
#include <config.h>

#include "topic/gpu/gpu_clients.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/vector.h"
#include "model/column.h"
#include "sys/pids.h"

#define NODES "/dev/dri/"
#define INFO_MAX 8192

/* Descriptors of a process that are looked through, and those of graphics processors that are read. */
#define SCAN_MAX 16384
#define FILES_MAX 512

/* Ticks until the next look, of a process that runs. */
#define SAME_TURNS 8      /* it has as many descriptors as before */
#define UNCOUNTED_TURNS 4 /* the kernel does not count them */
#define DENIED_TURNS 64

/* A process, and what it has open of graphics processors. */
struct gpu_holder {
	uint32_t pid;
	bool denied;
	uint64_t start_ticks;
	uint64_t scan_tick; /* ENV_NEVER: its descriptors were not looked through yet */
	uint64_t n_open;    /* descriptors that it had then; U64_UNKNOWN */
	struct gpu_descriptor {
		uint32_t fd;
		char node[28]; /* "renderD128" */
	} * files;             /* owned */
	size_t n_files, capacity;
	size_t n_left_out;
};

/* What an engine of a client has counted. */
struct counted {
	char name[DRM_NAME_MAX];
	uint64_t capacity, value, total; /* ns, or cycles and their clock; total: U64_UNKNOWN */
	double grown_seconds;
};

struct gpu_client {
	size_t device;
	uint64_t id; /* of the driver, or pid and descriptor where it has none */
	bool has_id;
	uint64_t tick;
	uint32_t owner, holder; /* pids: for whom it counts, and the first one that has it in this tick */
	uint64_t owner_start, holder_start;
	bool owner_holds; /* … it in this tick */
	struct counted engines[DRM_ENGINES_MAX];
	size_t n_engines;
	uint64_t memory_bytes, local_bytes, shared_bytes;
};

static struct gpu_engine *engine_of(struct gpu_engines *engines, const char *name)
{
	for (size_t i = 0; i < engines->n; i++)
		if (strcmp(engines->list[i].name, name) == 0)
			return &engines->list[i];
	VECTOR_RESERVE(engines->list, engines->n + 1, engines->capacity);
	engines->list[engines->n] = (struct gpu_engine){ 0 };
	strcpy(engines->list[engines->n].name, name);
	return &engines->list[engines->n++];
}

static void add_growth(struct gpu_engines *engines, const struct counted *counted)
{
	struct gpu_engine *engine = engine_of(engines, counted->name);

	engine->capacity = counted->capacity;
	engine->grown_seconds += counted->grown_seconds;
	engine->busy_seconds += counted->grown_seconds;
	engine->used |= counted->value > 0;
}

static void rest(struct gpu_engines *engines)
{
	for (size_t i = 0; i < engines->n; i++)
		engines->list[i].grown_seconds = 0;
}

/* The time of the kind of engine that was busiest; NULL: none is known. */
static const struct gpu_engine *busiest_of(const struct gpu_engines *engines, double *seconds)
{
	const struct gpu_engine *found = NULL;

	*seconds = NAN;
	for (size_t i = 0; i < engines->n; i++) {
		double each = engines->list[i].grown_seconds / (double)engines->list[i].capacity;

		if (each <= *seconds)
			continue;
		*seconds = each;
		found = &engines->list[i];
	}
	return found;
}

static void copy_text(char *to, size_t room, struct span text)
{
	snprintf(to, room, "%.*s", (int)span_length(text), text.at);
}

/* By its address, else by its node. */
static size_t device_of(struct gpu_clients *clients, const struct drm_client *read, const char *node)
{
	struct span name = span_length(read->device) > 0 ? read->device : span_text(node);
	const struct gpu *gpu = gpus_find(clients->gpus, name);
	struct gpu_device *device;

	if (gpu)
		name = span_text(gpu->name);
	for (size_t i = 0; i < clients->n_devices; i++)
		if (span_is(name, clients->devices[i].name))
			return i;
	device = VECTOR_ADD(clients->devices, clients->n_devices, clients->device_capacity);
	*device = (struct gpu_device){ 0 };
	copy_text(device->name, sizeof(device->name), name);
	copy_text(device->driver, sizeof(device->driver), read->driver);
	return clients->n_devices - 1;
}

static uint64_t hash_client(size_t device, uint64_t id)
{
	return hash_u64(id ^ (uint64_t)device << 56);
}

static struct gpu_client *client_of(struct gpu_clients *clients, size_t device, uint64_t id, bool has_id)
{
	struct gpu_client *client;
	uint32_t at;

	HASH_FIND(at, &clients->client_at, hash_client(device, id),
		  clients->clients[at].device == device && clients->clients[at].id == id &&
			  clients->clients[at].has_id == has_id);
	if (at != HASH_NONE)
		return &clients->clients[at];
	hash_add(&clients->client_at, hash_client(device, id), (uint32_t)clients->n_clients);
	client = VECTOR_ADD(clients->clients, clients->n_clients, clients->client_capacity);
	*client = (struct gpu_client){ .device = device, .id = id, .has_id = has_id, .tick = ENV_NEVER };
	return client;
}

static uint64_t hash_user(uint32_t pid, size_t device)
{
	return hash_u64((uint64_t)pid << 16 ^ device);
}

static struct gpu_user *user_of(struct gpu_clients *clients, uint32_t pid, uint64_t start_ticks,
				size_t device)
{
	struct gpu_user *user;
	uint32_t at;

	HASH_FIND(at, &clients->user_at, hash_user(pid, device),
		  clients->users[at].pid == pid && clients->users[at].start_ticks == start_ticks &&
			  clients->users[at].device == device);
	if (at != HASH_NONE)
		return &clients->users[at];
	hash_add(&clients->user_at, hash_user(pid, device), (uint32_t)clients->n_users);
	user = VECTOR_ADD(clients->users, clients->n_users, clients->user_capacity);
	*user = (struct gpu_user){
		.pid = pid, .start_ticks = start_ticks, .device = device, .tick = ENV_NEVER
	};
	return user;
}

static double interval_seconds(const struct gpu_clients *clients)
{
	return clients->last_ns > 0 ? (double)(clients->mono_ns - clients->last_ns) / 1e9 : NAN;
}

/*
 * A driver may show less than before for a while, and then what was seen before stands. Where clients have no
 * id, much less is the count of another one, from which it goes on.
 */
static uint64_t grown(uint64_t *seen, uint64_t now, bool has_id)
{
	uint64_t before = *seen;

	if (now >= before || (!has_id && now < before / 2))
		*seen = now;
	return now > before ? now - before : 0;
}

static double seconds_grown(struct counted *counted, const struct drm_engine *now, bool has_id,
			    double interval)
{
	uint64_t clock = counted->total, value, ticks;

	if (now->busy_ns != U64_UNKNOWN)
		return (double)grown(&counted->value, now->busy_ns, has_id) / 1e9;
	value = grown(&counted->value, now->cycles, has_id);
	ticks = clock == U64_UNKNOWN || now->total_cycles <= clock ? 0 : now->total_cycles - clock;
	counted->total = now->total_cycles;
	return ticks > 0 && interval > 0 ? (double)value / (double)ticks * interval : 0;
}

/* NULL: there is no room, or its time is not known. */
static struct counted *counted_of(struct gpu_client *client, const struct drm_engine *engine, bool from_zero)
{
	bool in_ns = engine->busy_ns != U64_UNKNOWN;
	struct counted *counted;

	if (!in_ns && (engine->cycles == U64_UNKNOWN || engine->total_cycles == U64_UNKNOWN))
		return NULL;
	for (size_t i = 0; i < client->n_engines; i++)
		if (span_is(engine->name, client->engines[i].name))
			return &client->engines[i];
	if (client->n_engines == DRM_ENGINES_MAX)
		return NULL;
	counted = &client->engines[client->n_engines++];
	*counted = (struct counted){ .total = U64_UNKNOWN,
				     .value = from_zero ? 0
					      : in_ns   ? engine->busy_ns
							: engine->cycles };
	copy_text(counted->name, sizeof(counted->name), engine->name);
	return counted;
}

/* from_zero: what it has counted so far was all in this interval. */
static void count(const struct gpu_clients *clients, struct gpu_client *client, const struct drm_client *read,
		  bool from_zero)
{
	double interval = interval_seconds(clients);

	for (size_t i = 0; i < client->n_engines; i++)
		client->engines[i].grown_seconds = 0;
	for (size_t i = 0; i < read->n_engines; i++) {
		const struct drm_engine *engine = &read->engines[i];
		struct counted *counted = counted_of(client, engine, from_zero);

		if (!counted)
			continue;
		counted->capacity = engine->capacity;
		counted->grown_seconds = seconds_grown(counted, engine, client->has_id, interval);
	}
	client->memory_bytes = drm_client_memory(read);
	client->local_bytes = drm_client_local(read);
	client->shared_bytes = drm_client_shared(read);
}

static void take_client(struct gpu_clients *clients, const struct gpu_holder *holder,
			const struct gpu_descriptor *file, const struct drm_client *read, bool fresh)
{
	bool has_id = read->id != U64_UNKNOWN;
	uint64_t id = has_id ? read->id : (uint64_t)holder->pid << 32 | file->fd;
	struct gpu_client *client = client_of(clients, device_of(clients, read, file->node), id, has_id);
	bool known = client->tick != ENV_NEVER;

	if (client->tick != clients->env->tick) {
		count(clients, client, read, known || fresh);
		client->tick = clients->env->tick;
		client->holder = holder->pid;
		client->holder_start = holder->start_ticks;
		client->owner_holds = false;
	}
	client->owner_holds |= client->owner == holder->pid && client->owner_start == holder->start_ticks;
}

/* What is no longer a client is forgotten. */
static void read_files(struct gpu_clients *clients, struct gpu_holder *holder, bool fresh)
{
	char bytes[INFO_MAX];
	struct drm_client read;
	size_t n_kept = 0;

	for (size_t i = 0; i < holder->n_files; i++) {
		const struct gpu_descriptor *file = &holder->files[i];
		long length = open_files_info(clients->env, holder->pid, file->fd, bytes, sizeof(bytes));

		if (length <= 0 || !drm_client_parse(span_of(bytes, (size_t)length), &read) ||
		    span_is(read.driver, "nvidia-drm")) /* it counts nothing: see nvidia.h */
			continue;
		take_client(clients, holder, file, &read, fresh);
		holder->files[n_kept++] = *file;
	}
	holder->n_files = n_kept;
}

static void take_file(void *context, const struct open_file *found)
{
	struct gpu_holder *holder = context;
	struct gpu_descriptor *file;
	struct span node = found->link;

	if (holder->n_files == FILES_MAX) {
		holder->n_left_out++;
		return;
	}
	file = VECTOR_ADD(holder->files, holder->n_files, holder->capacity);
	node.at += strlen(NODES);
	file->fd = found->fd;
	copy_text(file->node, sizeof(file->node), node);
}

static void scan(struct gpu_clients *clients, struct gpu_holder *holder, uint64_t n_open)
{
	uint64_t cookie = 0;
	long n_read;

	holder->n_files = holder->n_left_out = 0;
	n_read = open_files_below(clients->env, holder->pid, NODES, &cookie, SCAN_MAX, take_file, holder);
	holder->denied = n_read == -EACCES || n_read == -EPERM;
	holder->n_left_out += cookie != 0;
	holder->scan_tick = clients->env->tick;
	holder->n_open = n_open;
}

/*
 * Only what runs opens files, so the descriptors of a process that does not are not looked through again, and
 * rarely those of one that has as many as before. True: clients found now began in this interval.
 */
static bool scan_if_due(struct gpu_clients *clients, struct gpu_holder *holder, const struct process *process)
{
	const struct process_list *list = clients->processes;
	bool live = list->clocks, changed, fresh;
	uint64_t n_open, turns;

	if (holder->scan_tick == ENV_NEVER) {
		scan(clients, holder, open_files_count(clients->env, holder->pid));
		return clients->last_ns > 0 &&
		       !process_list_existed_at(list, holder->start_ticks, clients->last_boot_ns);
	}
	if (live && process->ran_tick <= holder->scan_tick)
		return false;
	n_open = holder->denied ? U64_UNKNOWN : open_files_count(clients->env, holder->pid);
	changed = n_open != U64_UNKNOWN && n_open != holder->n_open;
	turns = holder->denied          ? DENIED_TURNS
		: n_open != U64_UNKNOWN ? SAME_TURNS
		: live                  ? UNCOUNTED_TURNS
					: 1;
	if (!changed && clients->env->tick - holder->scan_tick < turns - holder->pid % (turns / 2 + 1))
		return false;
	fresh = changed || holder->scan_tick == clients->last_tick;
	scan(clients, holder, n_open);
	return fresh;
}

static void free_holder(struct gpu_holder *holder)
{
	free(holder->files);
}

/* Both lists are by pid. */
static void look_into_processes(struct gpu_clients *clients)
{
	const struct process_list *list = clients->processes;
	struct gpu_holder *former = clients->holders;
	size_t n_former = clients->n_holders, at = 0, capacity = clients->holder_capacity;

	clients->holders = clients->former;
	clients->holder_capacity = clients->former_capacity;
	clients->n_holders = 0;
	clients->n_denied = list->n_denied;
	clients->n_left_out = 0;
	for (size_t i = 0; i < list->n_all; i++) {
		const struct process *process = list->all[i];
		struct gpu_holder *holder;

		if (process_is_kernel_thread(process) || process->stat.state == 'Z')
			continue;
		while (at < n_former && former[at].pid < process->pid)
			free_holder(&former[at++]);
		holder = VECTOR_ADD(clients->holders, clients->n_holders, clients->holder_capacity);
		*holder = (struct gpu_holder){ .pid = process->pid,
					       .start_ticks = process->start_ticks,
					       .scan_tick = ENV_NEVER };
		if (at < n_former && former[at].pid == process->pid &&
		    former[at].start_ticks == process->start_ticks)
			*holder = former[at++];
		read_files(clients, holder, scan_if_due(clients, holder, process));
		clients->n_denied += holder->denied;
		clients->n_left_out += holder->n_left_out;
	}
	while (at < n_former)
		free_holder(&former[at++]);
	clients->former = former;
	clients->former_capacity = capacity;
}

/* The process that it has counted for goes on having it; else the first one that has it now. */
static void choose_owner(struct gpu_client *client)
{
	if (client->owner_holds)
		return;
	client->owner = client->holder;
	client->owner_start = client->holder_start;
}

static void credit(struct gpu_clients *clients, struct gpu_client *client)
{
	struct gpu_device *device = &clients->devices[client->device];
	struct gpu_user *user;

	choose_owner(client);
	user = user_of(clients, client->owner, client->owner_start, client->device);
	if (user->tick != clients->env->tick) {
		user->tick = clients->env->tick;
		user->n_clients = 0;
		user->memory_bytes = user->local_bytes = user->shared_bytes = U64_UNKNOWN;
		rest(&user->engines);
		device->n_users++;
	}
	user->n_clients++;
	user->memory_bytes = u64_sum_known(user->memory_bytes, client->memory_bytes);
	user->local_bytes = u64_sum_known(user->local_bytes, client->local_bytes);
	user->shared_bytes = u64_sum_known(user->shared_bytes, client->shared_bytes);
	for (size_t i = 0; i < client->n_engines; i++) {
		add_growth(&user->engines, &client->engines[i]);
		add_growth(&device->engines, &client->engines[i]);
	}
}

/* Drops clients that no process has any more, and hashes the others again. */
static void forget_clients(struct gpu_clients *clients)
{
	size_t n_kept = 0;

	hash_clear(&clients->client_at);
	for (size_t i = 0; i < clients->n_clients; i++) {
		const struct gpu_client *client = &clients->clients[i];

		if (client->tick != clients->env->tick)
			continue;
		hash_add(&clients->client_at, hash_client(client->device, client->id), (uint32_t)n_kept);
		clients->clients[n_kept++] = *client;
	}
	clients->n_clients = n_kept;
}

static void forget_users(struct gpu_clients *clients)
{
	size_t n_kept = 0;

	hash_clear(&clients->user_at);
	for (size_t i = 0; i < clients->n_users; i++) {
		struct gpu_user *user = &clients->users[i];

		if (user->tick != clients->env->tick) {
			free(user->engines.list);
			continue;
		}
		hash_add(&clients->user_at, hash_user(user->pid, user->device), (uint32_t)n_kept);
		clients->users[n_kept++] = *user;
	}
	clients->n_users = n_kept;
}

static void sum_up(struct gpu_clients *clients)
{
	for (size_t i = 0; i < clients->n_devices; i++) {
		clients->devices[i].n_users = 0;
		rest(&clients->devices[i].engines);
	}
	forget_clients(clients);
	for (size_t i = 0; i < clients->n_clients; i++)
		credit(clients, &clients->clients[i]);
	forget_users(clients);
	for (size_t i = 0; i < clients->n_users; i++) {
		struct gpu_user *user = &clients->users[i];
		double seconds;
		const struct gpu_engine *busiest = busiest_of(&user->engines, &seconds);

		user->busiest = busiest && seconds > 0 ? busiest->name : NULL;
		user->busy_seconds += seconds > 0 ? seconds : 0;
	}
}

static bool any_counts(const struct gpus *gpus)
{
	for (size_t i = 0; i < gpus->count; i++)
		if (*gpus->list[i].render && !gpu_is_of_nvidia(&gpus->list[i]))
			return true;
	return false;
}

static int update(void *state, const struct sample *sample)
{
	struct gpu_clients *clients = state;
	int error;

	if (!any_counts(clients->gpus)) {
		sum_up(clients);
		return 0;
	}
	error = reader_update(&process_reader, sample);
	if (error)
		return error;
	clients->last_ns = clients->mono_ns;
	clients->mono_ns = clients->processes->clocks ? env_mono_ns(sample->env) : sample_mono_ns(sample);
	look_into_processes(clients);
	sum_up(clients);
	clients->last_tick = clients->env->tick;
	clients->last_boot_ns = clients->processes->boot_ns;
	return 0;
}

static int open_clients(void *state, const struct sample *sample)
{
	struct gpu_clients *clients = state;

	clients->env = sample->env;
	return 0;
}

static void close_clients(void *state)
{
	struct gpu_clients *clients = state;

	for (size_t i = 0; i < clients->n_holders; i++)
		free_holder(&clients->holders[i]);
	for (size_t i = 0; i < clients->n_devices; i++)
		free(clients->devices[i].engines.list);
	for (size_t i = 0; i < clients->n_users; i++)
		free(clients->users[i].engines.list);
	free(clients->holders);
	free(clients->former);
	free(clients->clients);
	free(clients->devices);
	free(clients->users);
	hash_free(&clients->client_at);
	hash_free(&clients->user_at);
}

static const struct reading reads[] = {
	READING(struct gpu_clients, gpus, &gpus_reader),
	READING_ON_DEMAND(struct gpu_clients, processes, &process_reader),
	{ 0 },
};

const struct reader gpu_clients_reader = {
	.name = "clients of graphics processors",
	.state_size = sizeof(struct gpu_clients),
	.reads = reads,
	.open = open_clients,
	.update = update,
	.close = close_clients,
};

const struct gpu_device *gpu_clients_device(const struct gpu_clients *clients, const char *name)
{
	for (size_t i = 0; i < clients->n_devices; i++)
		if (strcmp(clients->devices[i].name, name) == 0)
			return &clients->devices[i];
	return NULL;
}

double gpu_clients_busy(const struct gpu_clients *clients, const struct gpu_device *device)
{
	double interval = interval_seconds(clients), seconds;

	busiest_of(&device->engines, &seconds);
	if (device->n_users == 0 && clients->n_denied > 0)
		return NAN;
	return seconds > interval ? 1 : seconds / interval; /* some drivers count a job when it ends */
}
