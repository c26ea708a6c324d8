/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Topics "gpu" and "gpu_process": how busy graphics processors are, and which processes use them. A client
 * of a driver is one opening of it, whoever has it: descriptors that are copies, also in other processes,
 * are one client, which counts for one process. Its counters go with it, so that each process has sums of
 * their growth, which never shrink.
 */
#include <config.h>

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/vector.h"
#include "kernel/pid/pid_fd.h"
#include "sys/pids.h"
#include "topic/gpu/gpus.h"
#include "topic/process/process_entry.h"
#include "topic/topic.h"

/* Engines of one kind, of a process or of all. */
struct gpu_engine {
	char name[DRM_NAME_MAX];
	uint64_t capacity;    /* how many they are */
	double grown_seconds; /* in this tick, all of them together */
	double busy_seconds;  /* since the process was first seen */
	bool used;            /* ever, also before that */
};

struct gpu_engines {
	struct gpu_engine *list; /* owned */
	size_t n, capacity;
};

/* A device as its clients name it. */
struct gpu_device {
	char name[GPU_NAME_MAX], driver[DRM_NAME_MAX];
	struct gpu_engines engines; /* sums over all clients */
	size_t n_users;             /* processes, in this tick */
};

/* A process on a device. */
struct gpu_user {
	uint32_t pid;
	uint64_t start_ticks;
	size_t device; /* index */
	uint64_t tick; /* the last one in which it had a client */
	struct gpu_engines engines;
	double busy_seconds; /* of the busiest engine of each tick */
	const char *busiest; /* of this tick; NULL: none */
	size_t n_clients;
	uint64_t memory_bytes, local_bytes, shared_bytes; /* U64_UNKNOWN */
};

struct gpu_clients {
	struct gpus *gpus;
	struct process_list *processes;
	uint64_t mono_ns, last_ns; /* of this update and of the one before; 0: none */
	uint64_t last_boot_ns;
	uint64_t last_tick;
	struct gpu_holder *holders, *former; /* all processes, by pid; owned */
	size_t n_holders, n_former, holder_capacity, former_capacity;
	struct gpu_client *clients; /* owned */
	size_t n_clients, client_capacity;
	struct hash client_at;
	struct gpu_device *devices; /* owned */
	size_t n_devices, device_capacity;
	struct gpu_user *users; /* owned */
	size_t n_users, user_capacity;
	struct hash user_at;
	size_t n_denied;   /* processes that may not be looked into */
	size_t n_left_out; /* descriptors of processes that have too many */
};

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

	if (client->tick != clients->processes->env->tick) {
		count(clients, client, read, known || fresh);
		client->tick = clients->processes->env->tick;
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
		long length = open_files_info(clients->processes->env, holder->pid, file->fd, bytes,
					      sizeof(bytes));

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
	n_read = open_files_below(clients->processes->env, holder->pid, NODES, &cookie, SCAN_MAX, take_file,
				  holder);
	holder->denied = n_read == -EACCES || n_read == -EPERM;
	holder->n_left_out += cookie != 0;
	holder->scan_tick = clients->processes->env->tick;
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
		scan(clients, holder, open_files_count(list->env, holder->pid));
		return clients->last_ns > 0 &&
		       !process_list_existed_at(list, holder->start_ticks, clients->last_boot_ns);
	}
	if (live && process->ran_tick <= holder->scan_tick)
		return false;
	n_open = holder->denied ? U64_UNKNOWN : open_files_count(list->env, holder->pid);
	changed = n_open != U64_UNKNOWN && n_open != holder->n_open;
	turns = holder->denied          ? DENIED_TURNS
		: n_open != U64_UNKNOWN ? SAME_TURNS
		: live                  ? UNCOUNTED_TURNS
					: 1;
	if (!changed && list->env->tick - holder->scan_tick < turns - holder->pid % (turns / 2 + 1))
		return false;
	fresh = changed || holder->scan_tick == clients->last_tick;
	scan(clients, holder, n_open);
	return fresh;
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
			free(former[at++].files);
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
		free(former[at++].files);
	clients->former = former;
	clients->former_capacity = capacity;
}

static void credit(struct gpu_clients *clients, struct gpu_client *client)
{
	struct gpu_device *device = &clients->devices[client->device];
	struct gpu_user *user;

	if (!client->owner_holds) { /* else the process that it has counted for goes on having it */
		client->owner = client->holder;
		client->owner_start = client->holder_start;
	}
	user = user_of(clients, client->owner, client->owner_start, client->device);
	if (user->tick != clients->processes->env->tick) {
		user->tick = clients->processes->env->tick;
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

		if (client->tick != clients->processes->env->tick)
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

		if (user->tick != clients->processes->env->tick) {
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
	clients->last_tick = clients->processes->env->tick;
	clients->last_boot_ns = clients->processes->boot_ns;
	return 0;
}

static void close_clients(void *state)
{
	struct gpu_clients *clients = state;

	for (size_t i = 0; i < clients->n_holders; i++)
		free(clients->holders[i].files);
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

/* Looks into processes only where a card can render, and its driver counts for its clients. */
static const struct reader gpu_clients_reader = {
	.name = "clients of graphics processors",
	.state_size = sizeof(struct gpu_clients),
	.reads = READINGS(READING(struct gpu_clients, gpus, &gpus_reader),
			  READING_ON_DEMAND(struct gpu_clients, processes, &process_reader)),
	.update = update,
	.close = close_clients,
};

/* NULL: it has had no client. */
static const struct gpu_device *gpu_clients_device(const struct gpu_clients *clients, const char *name)
{
	for (size_t i = 0; i < clients->n_devices; i++)
		if (strcmp(clients->devices[i].name, name) == 0)
			return &clients->devices[i];
	return NULL;
}

/*
 * The share of the last interval in which its busiest engine worked for clients that are seen. NaN: no
 * interval yet, no engine is known, or none is seen while there are processes that may not be looked into.
 */
static double gpu_clients_busy(const struct gpu_clients *clients, const struct gpu_device *device)
{
	double interval = interval_seconds(clients), seconds;

	busiest_of(&device->engines, &seconds);
	if (device->n_users == 0 && clients->n_denied > 0)
		return NAN;
	return seconds > interval ? 1 : seconds / interval; /* some drivers count a job when it ends */
}

#define CARDS "sys/class/drm"
#define FDINFO "proc/self/fdinfo"
#define CARD "/sys/class/drm/cardN/device/"

struct gpu_row {
	const char *device, *card, *driver, *state, *how;
	double busy_ratio, memory_ratio;
	uint64_t memory_used_bytes, memory_total_bytes, system_used_bytes;
	uint64_t processes, hidden_processes;
};

#define GPU_COL(field, ...) COLUMN_OF(struct gpu_row, field, __VA_ARGS__)

static const struct column gpu_columns[] = {
	GPU_COL(busy_ratio, GAUGE, RATIO, N_("busy"), 6,
		N_("share of the time in which it worked. Of a driver that does not say: at least this "
		   "much, that of the busiest kind of engine for the processes that are seen"),
		CARD "gpu_busy_percent; NVML utilization.gpu; else growth of drm-engine, drm-cycles in "
		     "/proc/PID/fdinfo, largest sum of an engine / (time * its capacity)", .trend = true),
	GPU_COL(memory_ratio, GAUGE, RATIO, N_("%mem"), 6, N_("used share of its own memory"),
		"memory_used_bytes / memory_total_bytes", .rank = 2),
	GPU_COL(memory_used_bytes, GAUGE, BYTES, N_("used"), 8,
		N_("used of its own memory, by all processes and the driver; unknown where the driver does "
		   "not say"), CARD "mem_info_vram_used; NVML memory.used", .rank = 1),
	GPU_COL(memory_total_bytes, GAUGE, BYTES, N_("memory"), 8,
		N_("its own memory; of one in the processor, what is set aside for it"),
		CARD "mem_info_vram_total; NVML memory.total", .rank = 1),
	GPU_COL(system_used_bytes, GAUGE, BYTES, N_("system"), 8,
		N_("memory of the machine that it uses besides"), CARD "mem_info_gtt_used", .rank = 3,
		.optional = true),
	GPU_COL(processes, GAUGE, COUNT, N_("procs"), 5,
		N_("processes that use it, of those that may be looked into"),
		"/proc/PID/fdinfo drm-client-id; NVML", .rank = 2),
	GPU_COL(hidden_processes, GAUGE, COUNT, N_("hidden"), 6,
		N_("processes that may not be looked into: what they use is not known"), "/proc/PID/fd",
		.rank = 3, .optional = true),
	GPU_COL(device, KEY, NONE, N_("GPU"), 12,
		N_("PCI address of the graphics processor, or the name of its device"),
		"/sys/class/drm/cardN/device"),
	GPU_COL(card, LABEL, NONE, N_("card"), 6,
		N_("number of the card, which may change from boot to boot"), "/sys/class/drm", .rank = 4),
	GPU_COL(driver, LABEL, NONE, N_("driver"), 8, N_("driver of the kernel"),
		"/proc/PID/fdinfo drm-driver, " CARD "driver", .rank = 1),
	GPU_COL(state, LABEL, NONE, N_("state"), 10,
		N_("asleep: it is not woken, so that nothing else is known; left alone: for a while it is "
		   "not asked, so that it, or another one of the driver, can sleep"),
		CARD "power/runtime_status", .rank = 3, .words = true, .optional = true),
	GPU_COL(how, LABEL, NONE, N_("how"), 7,
		N_("where busy comes from. driver: it measures the whole device; nvml: so does NVIDIA's "
		   "library; clients: a sum over the processes that are seen, a lower bound"), "panetop",
		.rank = 3),
};

static const struct schema gpu_schema = {
	.name = "gpu",
	.is_public = true,
	.help = N_("graphics processors: use and memory"),
	.none = N_("no graphics processor: no card in /sys/class/drm can render, no NVIDIA driver"),
	.over_interval = true,
	SCHEMA_ROWS(struct gpu_row, gpu_columns),
};

static const struct source_spec gpu_sources[] = {
	{ .path = CARDS,
	  .gives = N_("graphics cards, and how busy those of some drivers are"),
	  .optional = true,
	  .remedies = { { ENOENT, N_("no graphics card, or no driver for it"), .unused = true } } },
	{ .path = FDINFO,
	  .gives = N_("what processes use of graphics processors (Linux 5.19)"),
	  .optional = true },
	{ .path = "libnvidia-ml.so.1",
	  .gives = N_("use and memory of NVIDIA's graphics processors, also by process"),
	  .optional = true,
	  .test = nvidia_test,
	  .remedies = { { ENOENT, N_("NVIDIA's driver is not loaded"), .unused = true },
			{ ELIBACC, NVIDIA_NO_LIBRARY } } },
	{ 0 },
};

struct gpu_state {
	struct gpus *gpus;
	struct gpu_clients *clients;
	struct nvidia *nvidia;
};

static bool says_itself(const struct gpu *gpu)
{
	return gpu->files[GPU_BUSY].path != NULL;
}

/* Processes are looked into where a driver says nothing, or another topic has them looked into anyway. */
static int read_clients(const struct sample *sample, const struct gpu_state *state)
{
	bool wanted = reader_is_due(&gpu_clients_reader, sample->env);

	for (size_t i = 0; i < state->gpus->count; i++) {
		const struct gpu *gpu = &state->gpus->list[i];

		wanted |= *gpu->render && !gpu->asleep && !says_itself(gpu) && !gpu_is_of_nvidia(gpu);
	}
	return wanted ? reader_update(&gpu_clients_reader, sample) : -ENODATA;
}

static void set_clients(struct gpu_row *row, const struct gpu_clients *clients, const struct gpu *gpu)
{
	const struct gpu_device *device = gpu_clients_device(clients, gpu->name);

	if (gpu_is_of_nvidia(gpu))
		return;
	row->processes = device ? device->n_users : 0;
	row->hidden_processes = clients->n_denied;
	if (says_itself(gpu) || gpu->asleep || !device || device->engines.n == 0)
		return;
	row->how = "clients";
	row->busy_ratio = gpu_clients_busy(clients, device);
}

static void set_nvidia(struct gpu_row *row, const struct nvidia *nvidia, const struct nvidia_device *device)
{
	if (!*row->state && (nvidia->asleep || nvidia->resting))
		row->state = N_("left alone");
	if (!device)
		return;
	row->how = "nvml";
	row->busy_ratio = device->busy_ratio;
	row->memory_used_bytes = device->used_bytes;
	row->memory_total_bytes = device->total_bytes;
	row->memory_ratio = u64_number(device->used_bytes) / u64_number(device->total_bytes);
	row->processes = device->knows_processes ? device->n_processes + device->n_left_out : U64_UNKNOWN;
}

/* A device that has no card, as on a server without a screen. */
static void add_nvidia(struct sample *sample, const struct gpu_state *state, const struct nvidia_name *known)
{
	const char *name = known->name;
	struct gpu_row *row;

	if (gpus_find(state->gpus, span_text(name)))
		return;
	row = table_add(sample->table);
	row->device = frame_text(sample->frame, name);
	row->card = "";
	row->driver = "nvidia";
	row->state = known->asleep ? N_("asleep") : "";
	set_nvidia(row, state->nvidia, nvidia_find(state->nvidia, name));
}

static void add_gpu(struct sample *sample, struct gpu_state *state, struct gpu *gpu, bool with_clients)
{
	struct arena *arena = &sample->frame->arena;
	struct gpu_row *row = table_add(sample->table);
	const struct gpu_device *device = gpu_clients_device(state->clients, gpu->name);
	const char *driver = device ? device->driver : gpu->driver;

	row->device = arena_copy(arena, gpu->name, strlen(gpu->name));
	row->card = arena_copy(arena, gpu->card, strlen(gpu->card));
	row->driver = *driver ? arena_copy(arena, driver, strlen(driver)) : NULL;
	row->state = gpu->asleep ? N_("asleep") : "";
	if (says_itself(gpu)) {
		row->how = "driver";
		row->busy_ratio = gpu_read(state->gpus, gpu, GPU_BUSY, 0.01);
	}
	row->memory_used_bytes = gpu_read_bytes(state->gpus, gpu, GPU_MEMORY_USED);
	row->memory_total_bytes = gpu_read_bytes(state->gpus, gpu, GPU_MEMORY_TOTAL);
	row->system_used_bytes = gpu_read_bytes(state->gpus, gpu, GPU_SYSTEM_USED);
	row->memory_ratio = u64_number(row->memory_used_bytes) / u64_number(row->memory_total_bytes);
	if (with_clients)
		set_clients(row, state->clients, gpu);
	if (gpu_is_of_nvidia(gpu))
		set_nvidia(row, state->nvidia, nvidia_find(state->nvidia, gpu->name));
}

static void notice_nvidia(struct sample *sample, const struct nvidia *nvidia)
{
	const char *remedy, *trouble = nvidia_trouble(nvidia, &remedy);

	if (trouble)
		frame_notice(sample->frame, sample->topic->schema->name, remedy, "%s", trouble);
}

static int sample_gpus(struct sample *sample)
{
	struct gpu_state *state = sample->state;
	int error = read_clients(sample, state);

	if (error && error != -ENODATA)
		return error;
	for (size_t i = 0; i < state->gpus->count; i++)
		if (*state->gpus->list[i].render)
			add_gpu(sample, state, &state->gpus->list[i], error == 0);
	for (size_t i = 0; i < state->nvidia->n_names; i++)
		add_nvidia(sample, state, &state->nvidia->names[i]);
	notice_nvidia(sample, state->nvidia);
	return 0;
}

#define USES (PRIVILEGE_BIT(PRIVILEGE_DETAILS) | PRIVILEGE_BIT(PRIVILEGE_HIDDEN))

const struct topic topic_gpu = {
	.schema = &gpu_schema,
	.sources = gpu_sources,
	.uses = USES,
	.state_size = sizeof(struct gpu_state),
	.reads = READINGS(READING(struct gpu_state, gpus, &gpus_reader),
			  READING_ON_DEMAND(struct gpu_state, clients, &gpu_clients_reader),
			  READING(struct gpu_state, nvidia, &nvidia_reader)),
	.sample = sample_gpus,
};

struct gpu_process_row {
	uint64_t pid;
	double start_seconds;
	const char *device, *engine, *busiest, *driver, *name, *command;
	double busy_ratio, busy_seconds;
	uint64_t capacity, clients;
	uint64_t memory_bytes, local_bytes, shared_bytes;
};

#define OWN(field, ...) COLUMN(struct gpu_process_row, field, __VA_ARGS__)
#define BYTES(field, heading, place, from, what, ...)                                                        \
	OWN(field, .kind = COLUMN_GAUGE, .unit = UNIT_BYTES, .title = heading, .width = 8, .rank = place,    \
	    .help = what, .source = "/proc/PID/fdinfo " from, __VA_ARGS__)

#define USER_COL(field, ...) COLUMN_OF(struct gpu_process_row, field, __VA_ARGS__)

static const struct column process_columns[] = {
	USER_COL(busy_ratio, RATE, RATIO, N_("busy"), 6,
		 N_("share of the time in which engines worked for it; of several of a kind, the mean. In "
		    "the row all: that of its busiest kind"), "growth of busy_seconds / time", .ceiling = 1,
		 .trend = true, .additive = true, .rate_of = offsetof(struct gpu_process_row, busy_seconds)),
	BYTES(memory_bytes, N_("memory"), 0, "drm-resident, else drm-memory, else drm-total; NVML",
	      N_("memory in use that the processor can reach, also of the machine; what is shared counts "
		 "for each that shares it. Of NVIDIA: its own memory"), .additive = true),
	BYTES(local_bytes, N_("own"), 2, "the same of vram and local",
	      N_("the part that is the processor's own memory; unknown where the driver has only one kind"),
	      .optional = true, .additive = true),
	BYTES(shared_bytes, N_("shared"), 3, "drm-shared",
	      N_("memory that other clients use as well, such as the windows of a compositor"),
	      .optional = true),
	USER_COL(engine, KEY, NONE, N_("engine"), 8,
		 N_("kind of engine, as the driver calls it; all: the process as a whole. Of NVIDIA sm: "
		    "what computes and draws"), "/proc/PID/fdinfo drm-engine, drm-cycles; NVML", .rank = 1),
	USER_COL(busiest, LABEL, NONE, N_("busiest"), 8,
		 N_("the kind of engine that busy is about; empty: none worked"),
		 "largest growth of drm-engine, drm-cycles", .fleeting = true, .rank = 2),
	USER_COL(capacity, GAUGE, COUNT, N_("engines"), 7, N_("how many engines of this kind the device has"),
		 "/proc/PID/fdinfo drm-engine-capacity", .rank = 4, .hidden = true),
	USER_COL(clients, GAUGE, COUNT, N_("clients"), 7,
		 N_("how often it has the device open; what processes share counts for one of them"),
		 "/proc/PID/fdinfo drm-client-id", .rank = 4, .hidden = true),
	USER_COL(busy_seconds, COUNTER, SECONDS, N_("busy time"), 9,
		 N_("time of its engines since it was first seen, divided by how many they are"),
		 "growth of drm-engine, or of drm-cycles / drm-total-cycles * time, / drm-engine-capacity; "
		 "NVML samples * time", .hidden = true),
	USER_COL(pid, KEY, NONE, N_("PID"), 7, N_("process ID"), "/proc", .fleeting = true),
	USER_COL(start_seconds, KEY, SECONDS, N_("started"), 10, N_("start time, after boot"),
		 "/proc/PID/stat starttime", .fleeting = true, .hidden = true),
	USER_COL(device, KEY, NONE, N_("GPU"), 12,
		 N_("PCI address of the graphics processor, or the name of its device"),
		 "/proc/PID/fdinfo drm-pdev; else /proc/PID/fd", .rank = 2),
	USER_COL(driver, LABEL, NONE, N_("driver"), 8, N_("driver of the kernel"),
		 "/proc/PID/fdinfo drm-driver", .rank = 4, .hidden = true),
	USER_COL(name, LABEL, NONE, N_("name"), 15, N_("process name, as the kernel keeps it"),
		 "/proc/PID/stat comm", .grouping = "command", .hidden = true),
	USER_COL(command, LABEL, NONE, N_("command"), 24, N_("command line"), "/proc/PID/cmdline",
		 .personal = true, .text = TEXT_COMMAND),
};

static const struct schema process_schema = {
	.name = "gpu_process",
	.help = N_("who uses graphics processors: engines and memory by process"),
	.none = N_("no process that may be looked into uses a graphics processor"),
	.from_zero = true,
	.of_run = true,
	SCHEMA_ROWS(struct gpu_process_row, process_columns),
};

static struct gpu_process_row *add_row(struct sample *sample, const char *device, const char *driver,
				       const struct process *process)
{
	bool has_line = process->command && *process->command;
	struct gpu_process_row *row = table_add(sample->table);

	row->pid = process->pid;
	row->start_seconds = process_start_seconds(sample->env, process->start_ticks);
	row->device = frame_text(sample->frame, device);
	row->driver = frame_text(sample->frame, driver);
	row->name = frame_text(sample->frame, process->name);
	row->command = frame_text(sample->frame, has_line ? process->command : process->name);
	row->memory_bytes = row->local_bytes = row->shared_bytes = row->clients = row->capacity = U64_BLANK;
	row->busiest = "";
	return row;
}

/* NULL: it is not of the scope, or has ended. */
static const struct process *find_process(const struct process_list *list, uint32_t pid, uint64_t start_ticks)
{
	const struct process *process = process_list_find(list, pid);

	return process && process->start_ticks == start_ticks && !process->outside ? process : NULL;
}

static void add_user(struct sample *sample, const struct gpu_clients *clients, const struct gpu_user *user)
{
	const struct process *process = find_process(clients->processes, user->pid, user->start_ticks);
	const struct gpu_device *device = &clients->devices[user->device];
	struct gpu_process_row *row;

	if (!process)
		return;
	row = add_row(sample, device->name, device->driver, process);
	row->engine = "all";
	row->busiest = user->busiest ? frame_text(sample->frame, user->busiest) : "";
	row->busy_seconds = user->engines.n > 0 ? user->busy_seconds : NAN;
	row->clients = user->n_clients;
	row->memory_bytes = user->memory_bytes;
	row->local_bytes = user->local_bytes;
	row->shared_bytes = user->shared_bytes;
	for (size_t i = 0; i < user->engines.n; i++) {
		const struct gpu_engine *engine = &user->engines.list[i];

		if (!engine->used)
			continue;
		row = add_row(sample, device->name, device->driver, process);
		row->engine = frame_text(sample->frame, engine->name);
		row->capacity = engine->capacity;
		row->busy_seconds = engine->busy_seconds / (double)engine->capacity;
	}
}

static void add_nvidia_user(struct sample *sample, const struct nvidia *nvidia,
			    const struct nvidia_user *user)
{
	const struct process *process = find_process(nvidia->processes, user->pid, user->start_ticks);
	struct gpu_process_row *row;

	if (!process)
		return;
	row = add_row(sample, user->device, "nvidia", process);
	row->engine = "all";
	row->busiest = user->busiest >= 0 ? nvidia_engine_names[user->busiest] : "";
	row->busy_seconds = user->knows_ratios ? user->busiest_seconds : NAN;
	row->memory_bytes = row->local_bytes = user->memory_bytes;
	row->shared_bytes = U64_UNKNOWN;
	for (unsigned i = 0; i < N_NVIDIA_ENGINES; i++) {
		if (user->busy_seconds[i] == 0)
			continue;
		row = add_row(sample, user->device, "nvidia", process);
		row->engine = nvidia_engine_names[i];
		row->busy_seconds = user->busy_seconds[i];
	}
}

struct process_state {
	struct gpu_clients *clients;
	struct nvidia *nvidia;
};

static int sample_processes(struct sample *sample)
{
	struct process_state *state = sample->state;
	struct gpu_clients *clients = state->clients;

	if (clients->last_tick == sample->env->tick)
		sample->table->mono_ns = clients->mono_ns;
	for (size_t i = 0; i < clients->n_users; i++)
		add_user(sample, clients, &clients->users[i]);
	nvidia_update_users(state->nvidia, sample);
	for (size_t i = 0; i < state->nvidia->n_users; i++)
		add_nvidia_user(sample, state->nvidia, &state->nvidia->users[i]);
	notice_nvidia(sample, state->nvidia);
	if (clients->n_left_out > 0)
		frame_notice(sample->frame, process_schema.name, NULL,
			     _("%zu descriptors of graphics processors are left out, of processes with many"),
			     clients->n_left_out);
	if (clients->n_denied > 0)
		frame_notice(sample->frame, process_schema.name,
			     remedy_for_user(N_("run it as root, or give it the capabilities cap_sys_ptrace "
						"and cap_dac_read_search")),
			     P_("what %zu process uses of graphics processors is hidden",
				"what %zu processes use of graphics processors is hidden", clients->n_denied),
			     clients->n_denied);
	return 0;
}

const struct topic topic_gpu_process = {
	.schema = &process_schema,
	.sources = gpu_sources,
	.uses = USES,
	.state_size = sizeof(struct process_state),
	.reads = READINGS(READING(struct process_state, clients, &gpu_clients_reader),
			  READING(struct process_state, nvidia, &nvidia_reader)),
	.sample = sample_processes,
};
