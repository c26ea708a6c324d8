/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Asking keeps a device awake, also an idle one. So none is asked while one sleeps, and where they may sleep
 * the library is closed for a while once nothing uses them.
 */
#include <config.h>

#include "topic/gpu/nvidia.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/i18n.h"
#include "core/unknown.h"
#include "core/vector.h"
#include "sys/device_poll.h"

#define DRIVER "proc/driver/nvidia/gpus" /* a directory for each device, by its PCI address */
#define LOOK_EVERY 16
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

static void stop(void)
{
	if (nvml.started)
		nvml.library.shutdown();
	nvml.started = false;
}

static void ask(struct device_poll *device)
{
	struct nvidia_poll *poll = (struct nvidia_poll *)device;

	if (poll->closes) {
		stop();
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
	if (nvidia->present || (nvidia->look_tick != ENV_NEVER && tick - nvidia->look_tick < LOOK_EVERY))
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

static void rest(struct nvidia *nvidia)
{
	nvidia->resting = true;
	nvidia->rest_until = nvidia->env->tick + REST_TICKS;
	nvidia->n_idle = 0;
	submit(nvidia, true);
}

static bool is_asked(const struct nvidia *nvidia)
{
	return nvidia->present && !nvidia->asleep && !nvidia->resting;
}

static int update(void *state, const struct sample *sample)
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
	if (!nvidia->resting && sleep.may && nvidia->n_idle >= IDLE_ANSWERS && !nvidia->poll->poll.in_flight)
		rest(nvidia);
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

static const struct reading reads[] = {
	READING_ON_DEMAND(struct nvidia, processes, &process_reader),
	{ 0 },
};

const struct reader nvidia_reader = {
	.name = "NVIDIA's library",
	.state_size = sizeof(struct nvidia),
	.reads = reads,
	.open = open_nvidia,
	.update = update,
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
