/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Sensors behind a slow bus, or one that hangs: found out by a worker, and from then on read by it. */
#include <config.h>

#include <limits.h>
#include <math.h>
#include <stdio.h>

#include "core/file_reader.h"
#include "core/worker.h"
#include "topic/sensors.h"

#define FILES_MAX 256
#define SLOW_NS UINT64_C(50000000)
#define PATIENCE_NS UINT64_C(200000000) /* for the first reading of all chips together */
#define STRIKES_MAX 2

static void open_reader(struct sensors *sensors)
{
	if (sensors->slow)
		return;
	sensors->worker = sensors->env->worker ? worker_open() : NULL;
	sensors->slow = file_reader_open(sensors->env, sensors->worker, FILES_MAX);
}

void sensors_slow_close(struct sensors *sensors)
{
	if (!sensors->slow)
		return;
	file_reader_close(sensors->slow);
	worker_close(sensors->worker);
	sensors->slow = NULL;
	sensors->worker = NULL;
}

void sensors_slow_note(struct sensor_chip *chip, uint64_t took_ns)
{
	chip->strikes = took_ns > SLOW_NS ? chip->strikes + 1 : 0;
	if (chip->strikes >= STRIKES_MAX)
		chip->pace = CHIP_SLOW;
}

/* Its value as a file, also where libsensors knows it. */
static bool ask(struct sensors *sensors, size_t index)
{
	const struct sensor *sensor = &sensors->list[index];
	const struct sensor_chip *chip = &sensors->chips[sensor->chip];
	char path[PATH_MAX];

	if (sensor->input.path)
		snprintf(path, sizeof(path), "%s", sensor->input.path);
	else
		snprintf(path, sizeof(path), "%s/%s%u_input", chip->path, hwmon_prefix(sensor->kind),
			 (unsigned)sensor->number);
	return file_reader_ask(sensors->slow, (uint32_t)index, sensors->findings, path);
}

static bool wants_trial(const struct sensor_chip *chip)
{
	return chip->pace == CHIP_UNTRIED && !chip->asleep;
}

/* One sensor of each chip that was never read. */
static bool ask_untried(struct sensors *sensors)
{
	unsigned last = UINT_MAX;
	bool any = false;

	for (size_t i = 0; i < sensors->n_sensors; i++) {
		unsigned chip = sensors->list[i].chip;

		if (chip == last || sensors->list[i].repeats || !wants_trial(&sensors->chips[chip]))
			continue;
		last = chip;
		any |= ask(sensors, i);
	}
	return any;
}

static void ask_slow(struct sensors *sensors)
{
	for (size_t i = 0; i < sensors->n_sensors; i++) {
		const struct sensor_chip *chip = &sensors->chips[sensors->list[i].chip];

		if (chip->pace == CHIP_SLOW && !chip->asleep && !sensors->list[i].repeats)
			ask(sensors, i);
	}
}

static void take_result(struct sensors *sensors, const struct file_text *text)
{
	struct sensor *sensor = &sensors->list[text->number];
	struct sensor_chip *chip = &sensors->chips[sensor->chip];
	struct span span = span_of(text->bytes, text->length > 0 ? (size_t)text->length : 0);
	int64_t raw;

	if (chip->pace == CHIP_UNTRIED)
		chip->pace = text->took_ns > SLOW_NS ? CHIP_SLOW : CHIP_QUICK;
	if (span_i64(&span, &raw))
		sensor->late_value = hwmon_value(sensor->kind, raw);
}

static void take_results(struct sensors *sensors)
{
	struct file_text text;

	if (sensors->worker && !file_reader_is_free(sensors->slow))
		worker_collect(sensors->worker);
	while (file_reader_next(sensors->slow, &text))
		if (text.tag == sensors->findings && text.number < sensors->n_sensors)
			take_result(sensors, &text);
}

/* The one that the worker hangs at is slow; for the others behind it there is nobody, they are read here. */
static void judge_untried(struct sensors *sensors)
{
	int64_t stuck =
		sensors->slow_findings == sensors->findings ? file_reader_stuck(sensors->slow, 0) : -1;

	for (size_t i = 0; i < sensors->n_chips; i++)
		if (wants_trial(&sensors->chips[i]))
			sensors->chips[i].pace =
				stuck >= 0 && sensors->list[stuck].chip == i ? CHIP_SLOW : CHIP_QUICK;
}

static void try_chips(struct sensors *sensors)
{
	if (file_reader_is_free(sensors->slow) && ask_untried(sensors)) {
		sensors->slow_findings = sensors->findings;
		file_reader_submit(sensors->slow, sensors->env, PATIENCE_NS);
		take_results(sensors);
	}
	judge_untried(sensors);
}

static bool any_needs_it(const struct sensors *sensors)
{
	for (size_t i = 0; i < sensors->n_chips; i++)
		if (sensors->chips[i].pace == CHIP_SLOW || wants_trial(&sensors->chips[i]))
			return true;
	return false;
}

/* Without a slow chip there is no thread: all descriptors are cheaper to use where there is but one. */
void sensors_slow_update(struct sensors *sensors)
{
	for (size_t i = 0; i < sensors->n_sensors; i++)
		sensors->list[i].late_value = NAN;
	if (!any_needs_it(sensors)) {
		sensors_slow_close(sensors);
		return;
	}
	open_reader(sensors);
	take_results(sensors);
	try_chips(sensors);
	if (file_reader_is_free(sensors->slow)) {
		ask_slow(sensors);
		file_reader_submit(sensors->slow, sensors->env, 0);
	}
}
