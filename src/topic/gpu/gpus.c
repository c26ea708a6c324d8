/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Finds cards below /sys/class/drm, and the files that drivers have in different places. */
#include <config.h>

#include "topic/gpu/gpus.h"

#include <ctype.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/unknown.h"
#include "core/vector.h"

#define CARDS "sys/class/drm"
#define LOOK_EVERY 16 /* ticks, while there is no card */

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
