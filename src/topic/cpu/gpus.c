/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Reads GPU frequencies from the files of three drivers. */
#include <config.h>

#include "topic/cpu/gpus.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/vector.h"

#define CARDS "sys/class/drm"

/* Files of drivers below the card; the first that exists counts. */
static const struct {
	const char *now, *low, *high;
	double scale;
} places[] = {
	{ "gt_act_freq_mhz", "gt_min_freq_mhz", "gt_max_freq_mhz", 1e6 },
	{ "device/tile0/gt0/freq0/act_freq", "device/tile0/gt0/freq0/min_freq",
	  "device/tile0/gt0/freq0/max_freq", 1e6 },
};

#define N_PLACES (sizeof(places) / sizeof(places[0]))

static bool is_card(const char *name) /* card0, and not card0-HDMI-A-1 */
{
	if (strncmp(name, "card", 4) != 0)
		return false;
	for (name += 4; isdigit((unsigned char)*name); name++)
		;
	return *name == '\0';
}

static void open_file(struct attribute *file, const char *card, const char *name)
{
	char path[512];

	snprintf(path, sizeof(path), CARDS "/%.32s/%.256s", card, name);
	attribute_open(file, path);
}

static struct gpu *add_gpu(struct gpus *gpus, const char *card, const char *now, double scale)
{
	struct gpu *gpu;

	gpu = VECTOR_ADD(gpus->list, gpus->count, gpus->capacity);
	*gpu = (struct gpu){ .scale = scale };
	snprintf(gpu->name, sizeof(gpu->name), "%.31s", card);
	open_file(&gpu->runtime, card, "device/power/runtime_status");
	open_file(&gpu->now_file, card, now);
	return gpu;
}

/* amdgpu has a hwmon chip of any number below its device. */
static void add_by_hwmon(struct gpus *gpus, struct env *env, const char *card)
{
	char path[512];
	struct listing chips = { .path = path };
	bool changed;

	snprintf(path, sizeof(path), CARDS "/%.32s/device/hwmon", card);
	listing_read(&chips, env, &changed);
	for (size_t i = 0; i < chips.n_names; i++) {
		char name[320], full[512];

		snprintf(name, sizeof(name), "device/hwmon/%.256s/freq1_input", chips.names[i]);
		snprintf(full, sizeof(full), CARDS "/%.32s/%.320s", card, name);
		if (!env_exists(env, full))
			continue;
		add_gpu(gpus, card, name, 1);
		break;
	}
	listing_free(&chips);
}

static void add_card(struct gpus *gpus, struct env *env, const char *card)
{
	for (size_t i = 0; i < N_PLACES; i++) {
		char path[512];
		struct gpu *gpu;

		snprintf(path, sizeof(path), CARDS "/%.32s/%s", card, places[i].now);
		if (!env_exists(env, path))
			continue;
		gpu = add_gpu(gpus, card, places[i].now, places[i].scale);
		open_file(&gpu->low_file, card, places[i].low);
		open_file(&gpu->high_file, card, places[i].high);
		return;
	}
	add_by_hwmon(gpus, env, card);
}

static void forget_cards(struct gpus *gpus, struct env *env)
{
	for (size_t i = 0; i < gpus->count; i++) {
		attribute_close(&gpus->list[i].runtime, env);
		attribute_close(&gpus->list[i].now_file, env);
		attribute_close(&gpus->list[i].low_file, env);
		attribute_close(&gpus->list[i].high_file, env);
	}
	free(gpus->list);
	gpus->list = NULL;
	gpus->count = gpus->capacity = 0;
}

static double read_hertz(struct attribute *file, struct env *env, double scale)
{
	uint64_t value;

	return attribute_u64(file, env, &value) < 0 ? NAN : (double)value * scale;
}

void gpus_open(struct gpus *gpus)
{
	*gpus = (struct gpus){ .cards = { .path = CARDS } };
}

void gpus_close(struct gpus *gpus, struct env *env)
{
	forget_cards(gpus, env);
	listing_free(&gpus->cards);
}

void gpus_update(struct gpus *gpus, struct env *env)
{
	bool changed;

	listing_read(&gpus->cards, env, &changed);
	if (changed) {
		forget_cards(gpus, env);
		for (size_t i = 0; i < gpus->cards.n_names; i++)
			if (is_card(gpus->cards.names[i]))
				add_card(gpus, env, gpus->cards.names[i]);
	}
	for (size_t i = 0; i < gpus->count; i++) {
		struct gpu *gpu = &gpus->list[i];
		char status[32];

		gpu->now = gpu->low = gpu->high = NAN;
		if (attribute_read(&gpu->runtime, env, status, sizeof(status)) > 0 &&
		    strncmp(status, "suspend", 7) == 0)
			continue;
		gpu->now = read_hertz(&gpu->now_file, env, gpu->scale);
		gpu->low = read_hertz(&gpu->low_file, env, gpu->scale);
		gpu->high = read_hertz(&gpu->high_file, env, gpu->scale);
	}
}
