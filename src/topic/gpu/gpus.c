/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Finds cards below /sys/class/drm, and the files that drivers have in different places. To ask NVIDIA's
 * library keeps a device awake, also an idle one. So none is asked while one sleeps, and where they may
 * sleep the library is closed for a while once nothing uses them.
 */
#include <config.h>

#include "topic/gpu/gpus.h"

#include <ctype.h>
#include <dlfcn.h>
#include <errno.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/unknown.h"
#include "core/vector.h"
#include "sys/device_poll.h"

#define CARDS "sys/class/drm"
#define LOOK_EVERY 16 /* ticks, while there is no card, or no driver of NVIDIA */

/* Files of frequencies below the card; the first that exists counts. */
static const struct {
	const char *now, *low, *high;
	double scale;
} places[] = {
	{ "gt_act_freq_mhz", "gt_min_freq_mhz", "gt_max_freq_mhz", 1e6 },
	{ "device/tile0/gt0/freq0/act_freq", "device/tile0/gt0/freq0/min_freq",
	  "device/tile0/gt0/freq0/max_freq", 1e6 },
};

#define N_PLACES (sizeof(places) / sizeof(places[0]))

/* Of amdgpu. */
static const char *const use_files[N_GPU_FILES] = {
	[GPU_BUSY] = "device/gpu_busy_percent",
	[GPU_MEMORY_USED] = "device/mem_info_vram_used",
	[GPU_MEMORY_TOTAL] = "device/mem_info_vram_total",
	[GPU_SYSTEM_USED] = "device/mem_info_gtt_used",
};

static bool is_card(const char *name) /* card0, and not card0-HDMI-A-1 */
{
	if (strncmp(name, "card", 4) != 0)
		return false;
	for (name += 4; isdigit((unsigned char)*name); name++)
		;
	return *name == '\0';
}

static void card_path(char path[PATH_MAX], const struct gpu *gpu, const char *name)
{
	snprintf(path, PATH_MAX, CARDS "/%s/%.320s", gpu->card, name);
}

static bool has_file(const struct gpus *gpus, const struct gpu *gpu, const char *name)
{
	char path[PATH_MAX];

	card_path(path, gpu, name);
	return env_exists(gpus->env, path);
}

static void open_file(struct attribute *file, const struct gpu *gpu, const char *name)
{
	char path[PATH_MAX];

	card_path(path, gpu, name);
	attribute_open(file, path);
}

/* The last part of the target of a link of the card; empty: there is none. */
static void read_link(const struct gpus *gpus, const struct gpu *gpu, const char *name, char *text,
		      size_t room)
{
	char path[PATH_MAX], target[PATH_MAX];
	const char *last;
	ssize_t length;

	card_path(path, gpu, name);
	length = root_read_link(&gpus->env->root, path, target, sizeof(target) - 1);
	target[length > 0 ? length : 0] = '\0';
	last = strrchr(target, '/');
	snprintf(text, room, "%.*s", (int)room - 1, last ? last + 1 : target);
}

static void take_render(void *context, const char *name)
{
	struct gpu *gpu = context;

	if (strncmp(name, "renderD", 7) == 0)
		snprintf(gpu->render, sizeof(gpu->render), "%.31s", name);
}

static void identify(struct gpus *gpus, struct gpu *gpu)
{
	char path[PATH_MAX];

	read_link(gpus, gpu, "device", gpu->name, sizeof(gpu->name));
	if (*gpu->name == '\0')
		strcpy(gpu->name, gpu->card);
	read_link(gpus, gpu, "device/driver", gpu->driver, sizeof(gpu->driver));
	card_path(path, gpu, "device/drm");
	listing_each_directory(gpus->env, path, take_render, gpu);
}

/* amdgpu has a hwmon chip of any number below its device. */
static void find_chip(struct gpus *gpus, struct gpu *gpu)
{
	char path[PATH_MAX];
	struct listing chips = { .path = path };
	bool changed;

	card_path(path, gpu, "device/hwmon");
	if (!env_exists(gpus->env, path))
		return;
	listing_read(&chips, gpus->env, &changed);
	for (size_t i = 0; i < chips.n_names && gpu->hertz == 0; i++) {
		char name[320];

		snprintf(name, sizeof(name), "device/hwmon/%.256s/freq1_input", chips.names[i]);
		if (!has_file(gpus, gpu, name))
			continue;
		open_file(&gpu->files[GPU_FREQUENCY], gpu, name);
		gpu->hertz = 1;
	}
	listing_free(&chips);
}

static void find_frequencies(struct gpus *gpus, struct gpu *gpu)
{
	for (size_t i = 0; i < N_PLACES; i++) {
		if (!has_file(gpus, gpu, places[i].now))
			continue;
		open_file(&gpu->files[GPU_FREQUENCY], gpu, places[i].now);
		open_file(&gpu->files[GPU_FREQUENCY_LOW], gpu, places[i].low);
		open_file(&gpu->files[GPU_FREQUENCY_HIGH], gpu, places[i].high);
		gpu->hertz = places[i].scale;
		return;
	}
	find_chip(gpus, gpu);
}

static void add_card(struct gpus *gpus, const char *card)
{
	struct gpu *gpu = VECTOR_ADD(gpus->list, gpus->count, gpus->capacity);

	*gpu = (struct gpu){ 0 };
	snprintf(gpu->card, sizeof(gpu->card), "%.31s", card);
	identify(gpus, gpu);
	open_file(&gpu->runtime, gpu, "device/power/runtime_status");
	find_frequencies(gpus, gpu);
	for (unsigned i = 0; i < N_GPU_FILES; i++)
		if (use_files[i] && has_file(gpus, gpu, use_files[i]))
			open_file(&gpu->files[i], gpu, use_files[i]);
}

static void forget_cards(struct gpus *gpus)
{
	for (size_t i = 0; i < gpus->count; i++) {
		attribute_close(&gpus->list[i].runtime, gpus->env);
		for (unsigned file = 0; file < N_GPU_FILES; file++)
			attribute_close(&gpus->list[i].files[file], gpus->env);
	}
	free(gpus->list);
	gpus->list = NULL;
	gpus->count = gpus->capacity = 0;
}

static void list_cards(struct gpus *gpus)
{
	uint64_t tick = gpus->env->tick;
	bool changed;

	if (gpus->count == 0 && gpus->tick != ENV_NEVER && tick - gpus->tick < LOOK_EVERY)
		return;
	gpus->tick = tick;
	listing_read(&gpus->cards, gpus->env, &changed);
	if (!changed)
		return;
	forget_cards(gpus);
	for (size_t i = 0; i < gpus->cards.n_names; i++)
		if (is_card(gpus->cards.names[i]))
			add_card(gpus, gpus->cards.names[i]);
	if (gpus->count == 0)
		listing_free(&gpus->cards);
}

static int update(void *state, const struct sample *sample)
{
	struct gpus *gpus = state;

	(void)sample;
	list_cards(gpus);
	for (size_t i = 0; i < gpus->count; i++) {
		char status[32];

		gpus->list[i].asleep =
			attribute_read(&gpus->list[i].runtime, gpus->env, status, sizeof(status)) > 0 &&
			strncmp(status, "suspend", 7) == 0;
	}
	return 0;
}

static int open_gpus(void *state, const struct sample *sample)
{
	struct gpus *gpus = state;

	*gpus = (struct gpus){ .env = sample->env, .cards = { .path = CARDS }, .tick = ENV_NEVER };
	return 0;
}

static void close_gpus(void *state)
{
	struct gpus *gpus = state;

	forget_cards(gpus);
	listing_free(&gpus->cards);
}

const struct reader gpus_reader = {
	.name = "graphics cards",
	.state_size = sizeof(struct gpus),
	.open = open_gpus,
	.update = update,
	.close = close_gpus,
};

const struct gpu *gpus_find(const struct gpus *gpus, struct span name)
{
	for (size_t i = 0; i < gpus->count; i++) {
		const struct gpu *gpu = &gpus->list[i];

		if (span_is(name, gpu->name) || span_is(name, gpu->card) ||
		    (*gpu->render && span_is(name, gpu->render)))
			return gpu;
	}
	return NULL;
}

bool gpu_is_of_nvidia(const struct gpu *gpu)
{
	return strcmp(gpu->driver, "nvidia") == 0;
}

uint64_t gpu_read_bytes(struct gpus *gpus, struct gpu *gpu, enum gpu_file file)
{
	uint64_t value;

	return gpu->asleep || attribute_u64(&gpu->files[file], gpus->env, &value) < 0 ? U64_UNKNOWN : value;
}

double gpu_read(struct gpus *gpus, struct gpu *gpu, enum gpu_file file, double scale)
{
	uint64_t value = gpu_read_bytes(gpus, gpu, file);

	return value == U64_UNKNOWN ? NAN : (double)value * scale;
}

#define LIBRARY "libnvidia-ml.so.1"
#define SAMPLES_MAX 1024

static void nvml_library_close(struct nvml_library *library)
{
	if (library->library)
		dlclose(library->library);
	*library = (struct nvml_library){ 0 };
}

/* 0, or -ELIBACC: it is not installed, or too old. */
static int nvml_library_open(struct nvml_library *library)
{
	void *opened = dlopen(LIBRARY, RTLD_LAZY | RTLD_LOCAL);

	*library = (struct nvml_library){ .library = opened };
	if (!opened)
		return -ELIBACC;
	*(void **)&library->init = dlsym(opened, "nvmlInit_v2");
	*(void **)&library->shutdown = dlsym(opened, "nvmlShutdown");
	*(void **)&library->count = dlsym(opened, "nvmlDeviceGetCount_v2");
	*(void **)&library->by_index = dlsym(opened, "nvmlDeviceGetHandleByIndex_v2");
	*(void **)&library->pci = dlsym(opened, "nvmlDeviceGetPciInfo_v3");
	*(void **)&library->utilization = dlsym(opened, "nvmlDeviceGetUtilizationRates");
	*(void **)&library->memory = dlsym(opened, "nvmlDeviceGetMemoryInfo");
	*(void **)&library->graphics = dlsym(opened, "nvmlDeviceGetGraphicsRunningProcesses_v3");
	*(void **)&library->compute = dlsym(opened, "nvmlDeviceGetComputeRunningProcesses_v3");
	*(void **)&library->samples = dlsym(opened, "nvmlDeviceGetProcessUtilization");
	if (library->init && library->shutdown && library->count && library->by_index && library->pci)
		return 0;
	nvml_library_close(library);
	return -ELIBACC;
}

/* NULL: there is no room. */
static struct nvidia_process *process_of(struct nvidia_device *device, unsigned pid)
{
	struct nvidia_process *process;

	for (size_t i = 0; i < device->n_processes; i++)
		if (device->processes[i].pid == pid)
			return &device->processes[i];
	if (device->n_processes == NVIDIA_PROCESSES_MAX) {
		device->n_left_out++;
		return NULL;
	}
	process = &device->processes[device->n_processes++];
	*process = (struct nvidia_process){ .pid = pid, .memory_bytes = U64_UNKNOWN };
	return process;
}

/* A process that draws and computes is in both lists, with the same memory. */
static void take_processes(struct nvidia_device *device, nvml_device handle,
			   int (*list)(nvml_device device, unsigned *count, struct nvml_process *processes))
{
	struct nvml_process processes[NVIDIA_PROCESSES_MAX];
	unsigned count = NVIDIA_PROCESSES_MAX;

	if (!list || list(handle, &count, processes) != NVML_SUCCESS) {
		device->knows_processes = false;
		return;
	}
	for (unsigned i = 0; i < count && i < NVIDIA_PROCESSES_MAX; i++) {
		struct nvidia_process *process = process_of(device, processes[i].pid);

		if (process && processes[i].used != UINT64_MAX &&
		    (process->memory_bytes == U64_UNKNOWN || processes[i].used > process->memory_bytes))
			process->memory_bytes = processes[i].used;
	}
}

static double ratio_of(unsigned percent)
{
	return percent <= 100 ? percent / 100.0 : 0; /* seen above: nonsense of a sample without work */
}

/* A process without a sample since the last question did not use it. */
static void take_samples(struct nvidia_device *device, nvml_device handle, const struct nvml_library *library)
{
	struct nvml_sample samples[SAMPLES_MAX];
	unsigned count = SAMPLES_MAX;
	unsigned long long newest = device->seen_us;
	int error = library->samples ? library->samples(handle, samples, &count, device->seen_us)
				     : NVML_NOT_SUPPORTED;

	device->knows_ratios = error == NVML_SUCCESS || error == NVML_NOT_FOUND;
	for (unsigned i = 0; error == NVML_SUCCESS && i < count && i < SAMPLES_MAX; i++) {
		const struct nvml_sample *sample = &samples[i];
		struct nvidia_process *process =
			sample->time_us > device->seen_us ? process_of(device, sample->pid) : NULL;

		if (!process)
			continue;
		process->ratios[NVIDIA_MULTIPROCESSORS] = ratio_of(sample->multiprocessors);
		process->ratios[NVIDIA_ENCODER] = ratio_of(sample->encoder);
		process->ratios[NVIDIA_DECODER] = ratio_of(sample->decoder);
		newest = sample->time_us > newest ? sample->time_us : newest;
	}
	device->seen_us = newest;
}

static void take_device(struct nvidia_device *device, nvml_device handle, const struct nvml_library *library)
{
	struct nvml_utilization utilization;
	struct nvml_memory memory;

	device->busy_ratio = NAN;
	device->used_bytes = device->total_bytes = U64_UNKNOWN;
	device->n_processes = device->n_left_out = 0;
	if (library->utilization && library->utilization(handle, &utilization) == NVML_SUCCESS)
		device->busy_ratio = ratio_of(utilization.gpu);
	if (library->memory && library->memory(handle, &memory) == NVML_SUCCESS) {
		device->used_bytes = memory.used;
		device->total_bytes = memory.total;
	}
	device->knows_processes = true;
	take_processes(device, handle, library->graphics);
	take_processes(device, handle, library->compute);
	take_samples(device, handle, library);
}

static void name_device(struct nvidia_device *device, const struct nvml_pci *pci)
{
	char name[GPU_NAME_MAX];

	snprintf(name, sizeof(name), "%04x:%02x:%02x.0", pci->domain, pci->bus, pci->device);
	if (strcmp(name, device->name) != 0) /* another one has this index now */
		*device = (struct nvidia_device){ 0 };
	strcpy(device->name, name);
}

void nvml_library_ask(const struct nvml_library *library, struct nvidia_answer *answer)
{
	unsigned count = 0;

	answer->n_devices = 0;
	answer->error = library->count(&count);
	for (unsigned i = 0; answer->error == NVML_SUCCESS && i < count && i < NVIDIA_DEVICES_MAX; i++) {
		struct nvidia_device *device = &answer->devices[answer->n_devices];
		struct nvml_pci pci;
		nvml_device handle;

		if (library->by_index(i, &handle) != NVML_SUCCESS ||
		    library->pci(handle, &pci) != NVML_SUCCESS)
			continue;
		name_device(device, &pci);
		take_device(device, handle, library);
		answer->n_devices++;
	}
}

#define DRIVER "proc/driver/nvidia/gpus" /* a directory for each device, by its PCI address */
#define IDLE_ANSWERS 5
#define REST_TICKS 30

const char *const nvidia_engine_names[N_NVIDIA_ENGINES] = {
	[NVIDIA_MULTIPROCESSORS] = "sm", [NVIDIA_ENCODER] = "enc", [NVIDIA_DECODER] = "dec"
};

/* While it is in flight, all but poll belongs to the helper. */
struct nvidia_poll {
	struct device_poll poll;
	struct nvidia *nvidia; /* NULL: it was closed */
	bool closes, no_library;
	int error;
	struct nvidia_answer answer;
};

/* Of the helper. */
static struct {
	struct nvml_library library;
	bool opened, started;
} nvml;

static int start(void)
{
	int error = nvml.opened ? 0 : nvml_library_open(&nvml.library);

	nvml.opened = !error;
	if (!error && !nvml.started)
		error = nvml.library.init();
	nvml.started |= !error;
	return error;
}

static void ask(struct device_poll *device)
{
	struct nvidia_poll *poll = (struct nvidia_poll *)device;

	if (poll->closes) {
		if (nvml.started)
			nvml.library.shutdown();
		nvml.started = false;
		return;
	}
	poll->error = poll->no_library ? -ELIBACC : start();
	poll->answer.n_devices = 0;
	if (poll->error)
		return;
	nvml_library_ask(&nvml.library, &poll->answer);
	poll->error = poll->answer.error;
}

static bool is_idle(const struct nvidia_answer *answer)
{
	for (size_t i = 0; i < answer->n_devices; i++)
		if (!answer->devices[i].knows_processes || answer->devices[i].n_processes > 0 ||
		    !(answer->devices[i].busy_ratio <= 0))
			return false;
	return true;
}

static void answered(struct device_poll *device)
{
	struct nvidia_poll *poll = (struct nvidia_poll *)device;
	struct nvidia *nvidia = poll->nvidia;
	uint64_t before_ns;

	if (!nvidia || poll->closes)
		return;
	before_ns = nvidia->read_ns;
	nvidia->read_ns = device->read_ns;
	nvidia->seconds = before_ns > 0 ? (double)(device->read_ns - before_ns) / 1e9 : NAN;
	nvidia->error = poll->error;
	if (!nvidia->last)
		nvidia->last = alloc_zeroed(1, sizeof(*nvidia->last));
	*nvidia->last = poll->answer;
	nvidia->n_answers++;
	nvidia->n_idle = poll->error == 0 && is_idle(&poll->answer) ? nvidia->n_idle + 1 : 0;
}

static void free_poll(struct device_poll *device)
{
	helper_free(device);
}

static void open_poll(struct nvidia *nvidia)
{
	struct nvidia_poll *poll = helper_alloc(sizeof(*poll));

	poll->poll = (struct device_poll){ .read = ask, .finished = answered, .free = free_poll,
						 .in_keeper = true };
	poll->nvidia = nvidia;
	poll->no_library = nvidia->env->no_libraries;
	device_poll_open(&poll->poll, nvidia->env, DRIVER);
	nvidia->poll = poll;
}

/* Whether a device sleeps now, and whether one may. */
struct sleep {
	struct nvidia *nvidia;
	bool any, may;
};

static void look_at(void *context, const char *name)
{
	struct sleep *sleep = context;
	struct nvidia *nvidia = sleep->nvidia;
	char path[256], text[32];
	size_t at;

	VECTOR_RESERVE(nvidia->names, nvidia->n_names + 1, nvidia->name_capacity);
	VECTOR_BOUND(at, nvidia->n_names, strcmp(nvidia->names[at].name, name) < 0);
	memmove(nvidia->names + at + 1, nvidia->names + at,
		(nvidia->n_names++ - at) * sizeof(*nvidia->names));
	snprintf(nvidia->names[at].name, sizeof(nvidia->names[at].name), "%.63s", name);
	snprintf(path, sizeof(path), "sys/bus/pci/devices/%.64s/power/runtime_status", name);
	nvidia->names[at].asleep =
		attribute_once(nvidia->env, path, text, sizeof(text)) > 0 && strncmp(text, "suspend", 7) == 0;
	sleep->any |= nvidia->names[at].asleep;
	snprintf(path, sizeof(path), "sys/bus/pci/devices/%.64s/power/control", name);
	sleep->may |= attribute_once(nvidia->env, path, text, sizeof(text)) > 0 && strcmp(text, "auto") == 0;
}

static bool is_present(struct nvidia *nvidia)
{
	uint64_t tick = nvidia->env->tick;

	if (!nvidia->env->live)
		return false; /* the library reads this machine */
	if (nvidia->present ||
	    (nvidia->look_tick != ENV_NEVER && tick - nvidia->look_tick < LOOK_EVERY))
		return nvidia->present;
	nvidia->look_tick = tick;
	nvidia->present = env_exists(nvidia->env, DRIVER);
	return nvidia->present;
}

static void submit(struct nvidia *nvidia, bool closes)
{
	if (!nvidia->poll)
		open_poll(nvidia);
	if (nvidia->poll->poll.in_flight)
		return;
	nvidia->poll->closes = closes;
	device_poll_submit(&nvidia->poll->poll);
	device_poll_wait(nvidia->env);
}

static bool is_asked(const struct nvidia *nvidia)
{
	return nvidia->present && !nvidia->asleep && !nvidia->resting;
}

static int update_nvidia(void *state, const struct sample *sample)
{
	struct nvidia *nvidia = state;
	struct sleep sleep = { .nvidia = nvidia };
	uint64_t tick = nvidia->env->tick;

	(void)sample;
	nvidia->n_names = 0;
	if (!is_present(nvidia))
		return 0;
	device_poll_collect(nvidia->env);
	nvidia->present = listing_each_directory(nvidia->env, DRIVER, look_at, &sleep) == 0;
	nvidia->asleep = sleep.any;
	nvidia->resting = nvidia->resting && tick < nvidia->rest_until;
	if (!nvidia->resting && sleep.may && nvidia->n_idle >= IDLE_ANSWERS &&
	    !nvidia->poll->poll.in_flight) {
		nvidia->resting = true;
		nvidia->rest_until = tick + REST_TICKS;
		nvidia->n_idle = 0;
		submit(nvidia, true);
	}
	if (is_asked(nvidia))
		submit(nvidia, false);
	else
		nvidia->read_ns = 0; /* no interval goes over a pause */
	return 0;
}

static int open_nvidia(void *state, const struct sample *sample)
{
	struct nvidia *nvidia = state;

	nvidia->env = sample->env;
	nvidia->look_tick = ENV_NEVER;
	nvidia->seconds = NAN;
	return 0;
}

static void close_nvidia(void *state)
{
	struct nvidia *nvidia = state;

	if (nvidia->poll) {
		nvidia->poll->nvidia = NULL;
		device_poll_drop(&nvidia->poll->poll);
	}
	free(nvidia->names);
	free(nvidia->last);
	free(nvidia->users);
}

const struct reader nvidia_reader = {
	.name = "NVIDIA's library",
	.state_size = sizeof(struct nvidia),
	.reads = READINGS(READING_ON_DEMAND(struct nvidia, processes, &process_reader)),
	.open = open_nvidia,
	.update = update_nvidia,
	.close = close_nvidia,
};

/* The last one, unless the library has not answered for a while. */
static bool has_answer(const struct nvidia *nvidia)
{
	return is_asked(nvidia) && nvidia->last &&
	       device_poll_age_ns(nvidia->env, nvidia->read_ns) != U64_UNKNOWN;
}

const struct nvidia_device *nvidia_find(const struct nvidia *nvidia, const char *name)
{
	for (size_t i = 0; has_answer(nvidia) && i < nvidia->last->n_devices; i++)
		if (strcmp(nvidia->last->devices[i].name, name) == 0)
			return &nvidia->last->devices[i];
	return NULL;
}

static struct nvidia_user *user_of(struct nvidia *nvidia, const struct process *process, const char *device)
{
	struct nvidia_user *user;

	for (size_t i = 0; i < nvidia->n_users; i++)
		if (nvidia->users[i].pid == process->pid &&
		    nvidia->users[i].start_ticks == process->start_ticks &&
		    strcmp(nvidia->users[i].device, device) == 0)
			return &nvidia->users[i];
	user = VECTOR_ADD(nvidia->users, nvidia->n_users, nvidia->capacity);
	*user = (struct nvidia_user){ .pid = process->pid, .start_ticks = process->start_ticks };
	strcpy(user->device, device);
	return user;
}

static void credit(struct nvidia *nvidia, struct nvidia_user *user, const struct nvidia_process *process)
{
	double most = 0;

	user->answer = nvidia->n_answers;
	user->memory_bytes = process->memory_bytes;
	user->busiest = -1;
	for (int i = 0; i < N_NVIDIA_ENGINES; i++) {
		user->busy_seconds[i] += nvidia->seconds > 0 ? process->ratios[i] * nvidia->seconds : 0;
		if (process->ratios[i] <= most)
			continue;
		most = process->ratios[i];
		user->busiest = i;
	}
	user->busiest_seconds += nvidia->seconds > 0 ? most * nvidia->seconds : 0;
}

static void forget_users(struct nvidia *nvidia)
{
	size_t n_kept = 0;

	for (size_t i = 0; i < nvidia->n_users; i++)
		if (nvidia->users[i].answer == nvidia->n_answers)
			nvidia->users[n_kept++] = nvidia->users[i];
	nvidia->n_users = n_kept;
}

static void credit_device(struct nvidia *nvidia, const struct nvidia_device *device)
{
	for (size_t i = 0; i < device->n_processes; i++) {
		const struct process *process =
			process_list_find(nvidia->processes, device->processes[i].pid);
		struct nvidia_user *user = process ? user_of(nvidia, process, device->name) : NULL;

		if (!user)
			continue;
		user->knows_ratios = device->knows_ratios;
		credit(nvidia, user, &device->processes[i]);
	}
}

void nvidia_update_users(struct nvidia *nvidia, const struct sample *sample)
{
	if (!has_answer(nvidia)) {
		nvidia->n_users = 0;
		return;
	}
	if (nvidia->credited == nvidia->n_answers || reader_update(&process_reader, sample) < 0)
		return;
	nvidia->credited = nvidia->n_answers;
	for (size_t i = 0; i < nvidia->last->n_devices; i++)
		credit_device(nvidia, &nvidia->last->devices[i]);
	forget_users(nvidia);
}

const char *nvidia_trouble(const struct nvidia *nvidia, const char **remedy)
{
	*remedy = NULL;
	if (!nvidia->present || nvidia->error == 0)
		return NULL;
	if (nvidia->error == -ELIBACC)
		*remedy = _(NVIDIA_NO_LIBRARY);
	else if (nvidia->error == NVML_VERSION_MISMATCH)
		*remedy = _("the driver was updated while it ran: restart the machine");
	return nvidia->error == -ELIBACC || nvidia->error == NVML_VERSION_MISMATCH
		       ? _("NVIDIA's driver cannot be queried")
		       : _("NVIDIA's library gives an error");
}

int nvidia_test(struct env *env)
{
	struct nvml_library library;
	int error = env->live && env_exists(env, DRIVER) ? nvml_library_open(&library) : -ENOENT;

	if (!error)
		nvml_library_close(&library);
	return error;
}
