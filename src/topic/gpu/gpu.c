/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Topics "gpu" and "gpu_process": how busy graphics processors are, and which processes use them. */
#include <config.h>

#include <errno.h>
#include <math.h>
#include <string.h>

#include "core/i18n.h"
#include "topic/gpu/gpu_clients.h"
#include "topic/gpu/nvidia.h"
#include "topic/process/process_find.h"
#include "topic/topic.h"

#define CARDS "sys/class/drm"
#define FDINFO "proc/self/fdinfo"
#define CARD "/sys/class/drm/cardN/device/"

struct gpu_row {
	const char *device, *card, *driver, *state, *how;
	double busy_ratio, memory_ratio;
	uint64_t memory_used_bytes, memory_total_bytes, system_used_bytes;
	uint64_t processes, hidden_processes;
};

#define GPU(field, ...) COLUMN(struct gpu_row, field, __VA_ARGS__)

static const struct column gpu_columns[] = {
	GPU(busy_ratio, .kind = COLUMN_GAUGE, .unit = UNIT_RATIO, .title = N_("busy"), .width = 6,
	    .trend = true,
	    .help = N_("share of the time in which it worked. Of a driver that does not say: at least this "
		       "much, that of the busiest kind of engine for the processes that are seen"),
	    .source = CARD "gpu_busy_percent; NVML utilization.gpu; else growth of drm-engine, drm-cycles "
			   "in /proc/PID/fdinfo, largest sum of an engine / (time * its capacity)"),
	GPU(memory_ratio, .kind = COLUMN_GAUGE, .unit = UNIT_RATIO, .title = N_("%mem"), .width = 6,
	    .rank = 2, .help = N_("used share of its own memory"),
	    .source = "memory_used_bytes / memory_total_bytes"),
	GPU(memory_used_bytes, .kind = COLUMN_GAUGE, .unit = UNIT_BYTES, .title = N_("used"), .width = 8,
	    .rank = 1,
	    .help = N_("used of its own memory, by all processes and the driver; unknown where the driver "
		       "does not say"),
	    .source = CARD "mem_info_vram_used; NVML memory.used"),
	GPU(memory_total_bytes, .kind = COLUMN_GAUGE, .unit = UNIT_BYTES, .title = N_("memory"), .width = 8,
	    .rank = 1, .help = N_("its own memory; of one in the processor, what is set aside for it"),
	    .source = CARD "mem_info_vram_total; NVML memory.total"),
	GPU(system_used_bytes, .kind = COLUMN_GAUGE, .unit = UNIT_BYTES, .title = N_("system"), .width = 8,
	    .rank = 3, .optional = true, .help = N_("memory of the machine that it uses besides"),
	    .source = CARD "mem_info_gtt_used"),
	GPU(processes, .kind = COLUMN_GAUGE, .unit = UNIT_COUNT, .title = N_("procs"), .width = 5, .rank = 2,
	    .help = N_("processes that use it, of those that may be looked into"),
	    .source = "/proc/PID/fdinfo drm-client-id; NVML"),
	GPU(hidden_processes, .kind = COLUMN_GAUGE, .unit = UNIT_COUNT, .title = N_("hidden"), .width = 6,
	    .rank = 3, .optional = true,
	    .help = N_("processes that may not be looked into: what they use is not known"),
	    .source = "/proc/PID/fd"),
	GPU(device, .kind = COLUMN_KEY, .title = N_("GPU"), .width = 12,
	    .help = N_("PCI address of the graphics processor, or the name of its device"),
	    .source = "/sys/class/drm/cardN/device"),
	GPU(card, .kind = COLUMN_LABEL, .title = N_("card"), .width = 6, .rank = 4,
	    .help = N_("number of the card, which may change from boot to boot"), .source = "/sys/class/drm"),
	GPU(driver, .kind = COLUMN_LABEL, .title = N_("driver"), .width = 8, .rank = 1,
	    .help = N_("driver of the kernel"), .source = "/proc/PID/fdinfo drm-driver, " CARD "driver"),
	GPU(state, .kind = COLUMN_LABEL, .title = N_("state"), .width = 10, .rank = 3, .words = true,
	    .optional = true,
	    .help = N_(
		    "asleep: it is not woken, so that nothing else is known; left alone: for a while it is "
		    "not asked, so that it, or another one of the driver, can sleep"),
	    .source = CARD "power/runtime_status"),
	GPU(how, .kind = COLUMN_LABEL, .title = N_("how"), .width = 7, .rank = 3,
	    .help = N_("where busy comes from. driver: it measures the whole device; nvml: so does NVIDIA's "
		       "library; clients: a sum over the processes that are seen, a lower bound"),
	    .source = "panetop"),
};

static const struct schema gpu_schema = {
	.name = "gpu",
	.is_public = true,
	.help = N_("graphics processors: use and memory"),
	.none = N_("no graphics processor: no card in /sys/class/drm can render, no NVIDIA driver"),
	.over_interval = true,
	.row_size = sizeof(struct gpu_row),
	SCHEMA_COLUMNS(gpu_columns),
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

static const char *driver_of(const struct gpu_clients *clients, const struct gpu *gpu)
{
	const struct gpu_device *device = gpu_clients_device(clients, gpu->name);

	return device ? device->driver : gpu->driver;
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
	row->device = arena_copy(&sample->frame->arena, name, strlen(name));
	row->card = "";
	row->driver = "nvidia";
	row->state = known->asleep ? N_("asleep") : "";
	set_nvidia(row, state->nvidia, nvidia_find(state->nvidia, name));
}

static void add_gpu(struct sample *sample, struct gpu_state *state, struct gpu *gpu, bool with_clients)
{
	struct arena *arena = &sample->frame->arena;
	struct gpu_row *row = table_add(sample->table);
	const char *driver = driver_of(state->clients, gpu);

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

static const struct reading gpu_reads[] = {
	READING(struct gpu_state, gpus, &gpus_reader),
	READING_ON_DEMAND(struct gpu_state, clients, &gpu_clients_reader),
	READING(struct gpu_state, nvidia, &nvidia_reader),
	{ 0 },
};

#define USES (PRIVILEGE_BIT(PRIVILEGE_DETAILS) | PRIVILEGE_BIT(PRIVILEGE_HIDDEN))

const struct topic topic_gpu = {
	.schema = &gpu_schema,
	.sources = gpu_sources,
	.uses = USES,
	.state_size = sizeof(struct gpu_state),
	.reads = gpu_reads,
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

static const struct column process_columns[] = {
	OWN(busy_ratio, .kind = COLUMN_RATE, .unit = UNIT_RATIO, .ceiling = 1, .title = N_("busy"),
	    .width = 6, .trend = true, .additive = true,
	    .rate_of = offsetof(struct gpu_process_row, busy_seconds),
	    .help = N_("share of the time in which engines worked for it; of several of a kind, the mean. In "
		       "the row all: that of its busiest kind"),
	    .source = "growth of busy_seconds / time"),
	BYTES(memory_bytes, N_("memory"), 0, "drm-resident, else drm-memory, else drm-total; NVML",
	      N_("memory in use that the processor can reach, also of the machine; what is shared counts for "
		 "each that shares it. Of NVIDIA: its own memory"),
	      .additive = true),
	BYTES(local_bytes, N_("own"), 2, "the same of vram and local",
	      N_("the part that is the processor's own memory; unknown where the driver has only one kind"),
	      .optional = true, .additive = true),
	BYTES(shared_bytes, N_("shared"), 3, "drm-shared",
	      N_("memory that other clients use as well, such as the windows of a compositor"),
	      .optional = true),
	OWN(engine, .kind = COLUMN_KEY, .title = N_("engine"), .width = 8, .rank = 1,
	    .help = N_("kind of engine, as the driver calls it; all: the process as a whole. Of NVIDIA sm: "
		       "what computes and draws"),
	    .source = "/proc/PID/fdinfo drm-engine, drm-cycles; NVML"),
	OWN(busiest, .kind = COLUMN_LABEL, .fleeting = true, .title = N_("busiest"), .width = 8, .rank = 2,
	    .help = N_("the kind of engine that busy is about; empty: none worked"),
	    .source = "largest growth of drm-engine, drm-cycles"),
	OWN(capacity, .kind = COLUMN_GAUGE, .unit = UNIT_COUNT, .title = N_("engines"), .width = 7, .rank = 4,
	    .hidden = true, .help = N_("how many engines of this kind the device has"),
	    .source = "/proc/PID/fdinfo drm-engine-capacity"),
	OWN(clients, .kind = COLUMN_GAUGE, .unit = UNIT_COUNT, .title = N_("clients"), .width = 7, .rank = 4,
	    .hidden = true,
	    .help = N_("how often it has the device open; what processes share counts for one of them"),
	    .source = "/proc/PID/fdinfo drm-client-id"),
	OWN(busy_seconds, .kind = COLUMN_COUNTER, .unit = UNIT_SECONDS, .hidden = true,
	    .title = N_("busy time"), .width = 9,
	    .help = N_("time of its engines since it was first seen, divided by how many they are"),
	    .source = "growth of drm-engine, or of drm-cycles / drm-total-cycles * time, / "
		      "drm-engine-capacity; NVML samples * time"),
	OWN(pid, .kind = COLUMN_KEY, .fleeting = true, .title = N_("PID"), .width = 7,
	    .help = N_("process ID"), .source = "/proc"),
	OWN(start_seconds, .kind = COLUMN_KEY, .fleeting = true, .unit = UNIT_SECONDS, .title = N_("started"),
	    .width = 10, .hidden = true, .help = N_("start time, after boot"),
	    .source = "/proc/PID/stat starttime"),
	OWN(device, .kind = COLUMN_KEY, .title = N_("GPU"), .width = 12, .rank = 2,
	    .help = N_("PCI address of the graphics processor, or the name of its device"),
	    .source = "/proc/PID/fdinfo drm-pdev; else /proc/PID/fd"),
	OWN(driver, .kind = COLUMN_LABEL, .title = N_("driver"), .width = 8, .rank = 4, .hidden = true,
	    .help = N_("driver of the kernel"), .source = "/proc/PID/fdinfo drm-driver"),
	OWN(name, .kind = COLUMN_LABEL, .grouping = "command", .title = N_("name"), .width = 15,
	    .hidden = true, .help = N_("process name, as the kernel keeps it"),
	    .source = "/proc/PID/stat comm"),
	OWN(command, .kind = COLUMN_LABEL, .personal = true, .title = N_("command"), .width = 24,
	    .text = TEXT_COMMAND, .help = N_("command line"), .source = "/proc/PID/cmdline"),
};

static const struct schema process_schema = {
	.name = "gpu_process",
	.help = N_("who uses graphics processors: engines and memory by process"),
	.none = N_("no process that may be looked into uses a graphics processor"),
	.from_zero = true,
	.of_run = true,
	.row_size = sizeof(struct gpu_process_row),
	SCHEMA_COLUMNS(process_columns),
};

static const char *copied(struct sample *sample, const char *text)
{
	return text ? arena_copy(&sample->frame->arena, text, strlen(text)) : NULL;
}

static struct gpu_process_row *add_row(struct sample *sample, const char *device, const char *driver,
				       const struct process *process)
{
	bool has_line = process->command && *process->command;
	struct gpu_process_row *row = table_add(sample->table);

	row->pid = process->pid;
	row->start_seconds = process_start_seconds(sample->env, process->start_ticks);
	row->device = copied(sample, device);
	row->driver = copied(sample, driver);
	row->name = copied(sample, process->name);
	row->command = copied(sample, has_line ? process->command : process->name);
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
	row->busiest = user->busiest ? copied(sample, user->busiest) : "";
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
		row->engine = copied(sample, engine->name);
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

static const struct reading process_reads[] = {
	READING(struct process_state, clients, &gpu_clients_reader),
	READING(struct process_state, nvidia, &nvidia_reader),
	{ 0 },
};

const struct topic topic_gpu_process = {
	.schema = &process_schema,
	.sources = gpu_sources,
	.uses = USES,
	.state_size = sizeof(struct process_state),
	.reads = process_reads,
	.sample = sample_processes,
};
