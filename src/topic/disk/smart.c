/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Decodes SMART data. What a disk writes there is not trusted: sizes are limited, absurd numbers unknown. */
#include <config.h>

#include "topic/disk/smart.h"

#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "core/i18n.h"
#include "core/span.h"
#include "core/unknown.h"

#define WORN_RATIO 0.9
#define SECONDS_PER_HOUR 3600
#define NUMBER_MAX 9007199254740992.0 /* 2^53: a double has all integers up to here */

struct smart smart_unknown(void)
{
	return (struct smart){ .wear_ratio = NAN, .spare_ratio = NAN, .celsius = NAN,
			       .media_errors = U64_UNKNOWN, .unsafe_shutdowns = U64_UNKNOWN,
			       .power_on_seconds = U64_UNKNOWN };
}

/* A failing one stays so, and its first reason. */
static void set_state(struct smart *smart, enum smart_state state, const char *reason)
{
	if (state <= smart->state)
		return;
	smart->state = state;
	snprintf(smart->reason, sizeof(smart->reason), "%s", reason);
}

/* Below a path such as "temperature/current"; NULL: it is not there. */
static const json_t *value_at(const json_t *value, const char *path)
{
	struct span rest = span_text(path), part;
	char name[64];

	while (value && span_item_of(&rest, '/', &part)) {
		span_copy(name, sizeof(name), part);
		value = json_object_get(value, name);
	}
	return value;
}

/* NaN: it is not there, or absurd. Integers are read as reals, since those of 128 bits end a parser else. */
static double number_at(const json_t *value, const char *path, double most)
{
	const json_t *found = value_at(value, path);
	double number = json_is_number(found) ? json_number_value(found) : NAN;

	return number >= 0 && number <= most ? number : NAN;
}

static uint64_t count_at(const json_t *value, const char *path)
{
	double number = number_at(value, path, NUMBER_MAX);

	return isnan(number) ? U64_UNKNOWN : (uint64_t)number;
}

static double percent_at(const json_t *value, const char *path, double most)
{
	return number_at(value, path, most) / 100;
}

static const char *text_at(const json_t *value, const char *path)
{
	const char *text = json_string_value(value_at(value, path));

	return text ? text : "";
}

static uint64_t larger(uint64_t one, uint64_t other)
{
	return one == U64_UNKNOWN || (other != U64_UNKNOWN && other > one) ? other : one;
}

/* Bits of critical_warning, of the NVMe base specification; that of the temperature ends by itself. */
static void judge_warnings(struct smart *smart, uint64_t warnings)
{
	static const struct {
		unsigned bit;
		const char *reason;
	} meanings[] = {
		{ 2, N_("degraded by media errors") },        { 3, N_("read-only") },
		{ 0, N_("few spare blocks left") },            { 4, N_("backup of its memory failed") },
		{ 5, N_("persistent memory unreliable") },
	};

	set_state(smart, SMART_GOOD, "");
	for (size_t i = 0; i < sizeof(meanings) / sizeof(meanings[0]); i++)
		if (warnings >> meanings[i].bit & 1)
			set_state(smart, SMART_FAILING, meanings[i].reason);
}

static void parse_nvme(const json_t *log, struct smart *smart, double *spare_least)
{
	uint64_t warnings = count_at(log, "critical_warning");

	smart->wear_ratio = percent_at(log, "percentage_used", 255);
	smart->spare_ratio = percent_at(log, "available_spare", 100);
	*spare_least = percent_at(log, "available_spare_threshold", 100);
	smart->media_errors = count_at(log, "media_errors");
	smart->unsafe_shutdowns = count_at(log, "unsafe_shutdowns");
	if (warnings != U64_UNKNOWN)
		judge_warnings(smart, warnings);
}

/* What is counted in the raw value, or in its first part: "8", "5 (1 2)". */
static uint64_t raw_of(const json_t *attribute)
{
	struct span text = span_text(text_at(attribute, "raw/string"));
	uint64_t number;

	return span_u64(&text, &number) ? number : count_at(attribute, "raw/value");
}

/* By the names of smartctl's database: what vendors mean by a number differs. */
static bool is_named(const char *name, const char *const *names)
{
	for (; *names; names++)
		if (strcmp(name, *names) == 0)
			return true;
	return false;
}

/* Normalized values count down from 100. */
static void parse_attribute(const json_t *attribute, struct smart *smart, double *spare_least)
{
	static const char *const lives[] = { "Media_Wearout_Indicator", "Percent_Lifetime_Remain",
					     "Percent_Life_Remaining",  "Remaining_Lifetime_Perc",
					     "SSD_Life_Left",           "Wear_Leveling_Count", NULL };
	static const char *const shutdowns[] = { "POR_Recovery_Count", "Unexpect_Power_Loss_Ct",
						 "Unsafe_Shutdown_Count", NULL };
	const char *name = text_at(attribute, "name");
	uint64_t id = count_at(attribute, "id");

	/* reallocated, reported uncorrectable, pending, found uncorrectable by itself: of the same sectors */
	if (id == 5 || id == 187 || id == 197 || id == 198)
		smart->media_errors = larger(smart->media_errors, raw_of(attribute));
	else if (is_named(name, shutdowns))
		smart->unsafe_shutdowns = larger(smart->unsafe_shutdowns, raw_of(attribute));
	else if (is_named(name, lives))
		smart->wear_ratio = fmax(smart->wear_ratio, 1 - percent_at(attribute, "value", 100));
	else if (strcmp(name, "Available_Reservd_Space") == 0) {
		smart->spare_ratio = percent_at(attribute, "value", 100);
		*spare_least = percent_at(attribute, "thresh", 100);
	}
}

/* The standard's own measure, of newer disks; it is exact where attributes are the vendor's. */
static double endurance_of_statistics(const json_t *root)
{
	const json_t *pages = value_at(root, "ata_device_statistics/pages"), *page, *table, *entry;
	size_t i, k;

	json_array_foreach(pages, i, page)
	{
		table = json_object_get(page, "table");
		json_array_foreach(table, k, entry)
		{
			if (strcmp(text_at(entry, "name"), "Percentage Used Endurance Indicator") == 0)
				return percent_at(entry, "value", 255);
		}
	}
	return NAN;
}

static void parse_ata(const json_t *root, struct smart *smart, double *spare_least)
{
	const json_t *table = value_at(root, "ata_smart_attributes/table"), *attribute;
	double used = endurance_of_statistics(root);
	size_t i;

	json_array_foreach(table, i, attribute)
	{
		parse_attribute(attribute, smart, spare_least);
	}
	if (!isnan(used))
		smart->wear_ratio = used;
}

static void parse_scsi(const json_t *root, struct smart *smart)
{
	static const char *const counts[] = { "scsi_error_counter_log/read/total_uncorrected_errors",
					      "scsi_error_counter_log/write/total_uncorrected_errors",
					      "scsi_error_counter_log/verify/total_uncorrected_errors" };

	for (size_t i = 0; i < sizeof(counts) / sizeof(counts[0]); i++) {
		uint64_t count = count_at(root, counts[i]);

		if (count != U64_UNKNOWN)
			smart->media_errors = count + (smart->media_errors == U64_UNKNOWN ? 0
										 : smart->media_errors);
	}
	smart->wear_ratio = percent_at(root, "scsi_percentage_used_endurance_indicator", 255);
}

/* What all kinds of disks have, from smartctl 7.4 on also wear and spare. */
static void parse_common(const json_t *root, struct smart *smart, double *spare_least)
{
	double hours = number_at(root, "power_on_time/hours", NUMBER_MAX / SECONDS_PER_HOUR);
	double used = percent_at(root, "endurance_used/current_percent", 255);
	double spare = percent_at(root, "spare_available/current_percent", 100);

	if (!isnan(hours))
		smart->power_on_seconds = (uint64_t)hours * SECONDS_PER_HOUR;
	smart->celsius = number_at(root, "temperature/current", 200);
	if (!isnan(used))
		smart->wear_ratio = used;
	if (isnan(spare))
		return;
	smart->spare_ratio = spare;
	*spare_least = percent_at(root, "spare_available/threshold_percent", 100);
}

/* Of NVMe, it is false for a warning of the temperature, too. */
static void judge_status(const json_t *root, struct smart *smart)
{
	const json_t *passed = value_at(root, "smart_status/passed");

	if (json_is_false(passed))
		set_state(smart, SMART_FAILING, N_("SMART status: failing"));
	else if (json_is_true(passed))
		set_state(smart, SMART_GOOD, "");
}

static void judge_wear(struct smart *smart, double spare_least)
{
	if (smart->wear_ratio >= WORN_RATIO)
		set_state(smart, SMART_WORN, N_("endurance nearly used up"));
	else if (smart->spare_ratio <= spare_least && spare_least > 0)
		set_state(smart, SMART_WORN, N_("few spare blocks left"));
	else if (!isnan(smart->wear_ratio) || !isnan(smart->spare_ratio))
		set_state(smart, SMART_GOOD, "");
}

/* The first error that smartctl met, of which only ASCII is kept: a cut may be within a character. */
static void explain_unknown(const json_t *root, struct smart *smart)
{
	const json_t *messages = value_at(root, "smartctl/messages"), *message;
	const char *text = N_("no SMART data");
	size_t i;

	json_array_foreach(messages, i, message)
	{
		if (strcmp(text_at(message, "severity"), "error") != 0 || !*text_at(message, "string"))
			continue;
		text = text_at(message, "string");
		break;
	}
	snprintf(smart->reason, sizeof(smart->reason), "%s", text);
	for (char *at = smart->reason; *at; at++)
		if (*at < ' ' || *at > '~')
			*at = '?';
}

static void parse_answer(const json_t *root, struct smart *smart)
{
	const json_t *log = value_at(root, "nvme_smart_health_information_log");
	double spare_least = NAN;

	if (log)
		parse_nvme(log, smart, &spare_least);
	else if (value_at(root, "ata_smart_attributes"))
		parse_ata(root, smart, &spare_least);
	else
		parse_scsi(root, smart);
	parse_common(root, smart, &spare_least);
	if (!log)
		judge_status(root, smart);
	judge_wear(smart, spare_least);
	if (smart->state == SMART_UNKNOWN)
		explain_unknown(root, smart);
}

bool smart_parse(const char *text, size_t length, struct smart *smart)
{
	json_t *root = json_loadb(text, length, JSON_DECODE_INT_AS_REAL, NULL);
	bool is_one = json_is_object(value_at(root, "smartctl"));

	if (is_one) {
		*smart = smart_unknown();
		parse_answer(root, smart);
	}
	json_decref(root);
	return is_one;
}

#define LIFE_STEPS 10

struct smart smart_of_registers(uint64_t life_a, uint64_t life_b, uint64_t end_of_life)
{
	struct smart smart = smart_unknown();
	uint64_t life = life_a > life_b ? life_a : life_b;

	if (life_a > LIFE_STEPS + 1 || life_b > LIFE_STEPS + 1)
		life = 0;
	if (life > LIFE_STEPS)
		smart.wear_ratio = 1;
	else if (life > 0)
		smart.wear_ratio = ((double)life - 0.5) / LIFE_STEPS;
	if (end_of_life == 3)
		set_state(&smart, SMART_FAILING, N_("spare blocks nearly used up"));
	else if (end_of_life == 2)
		set_state(&smart, SMART_WORN, N_("few spare blocks left"));
	else if (end_of_life == 1)
		set_state(&smart, SMART_GOOD, "");
	judge_wear(&smart, NAN);
	return smart;
}
