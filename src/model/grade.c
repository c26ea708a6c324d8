/* SPDX-License-Identifier: GPL-2.0-or-later */
/* From which number on what is used or waited for counts as busy, and as critical. */
#include <config.h>

#include "model/grade.h"

#include <math.h>
#include <string.h>

static const struct {
	const char *setting; /* of the limit of a rule; NULL: no rule judges it */
	double busy, critical;
} scales[N_GRADED] = {
	[GRADED_CPU] = { NULL, 0.9, NAN },
	[GRADED_STEAL] = { .setting = "stolen_ratio" },
	[GRADED_LOAD] = { .setting = "run_queue_load" },
	[GRADED_MEMORY] = { NULL, GRADE_MEMORY_BUSY, GRADE_MEMORY_CRITICAL },
	[GRADED_SWAP] = { .setting = "swap_used" },
	[GRADED_SWAP_STALL] = { .setting = "swap_stalled" },
	[GRADED_CPU_PRESSURE] = { .setting = "run_queue_stalled" },
	[GRADED_MEMORY_PRESSURE] = { .setting = FINDING_MEMORY_STALLED },
	[GRADED_IO_PRESSURE] = { .setting = "io_stalled" },
	[GRADED_DISK] = { NULL, 0.9, NAN },
	[GRADED_INTERFACE] = { NULL, 0.9, NAN },
	[GRADED_FILESYSTEM] = { .setting = "disk_full_used" },
	[GRADED_INODES] = { .setting = "inodes_full_used" },
	[GRADED_LIMIT] = { .setting = "group_memory_used" },
	[GRADED_THROTTLING] = { .setting = "group_cpu_throttled" },
	[GRADED_HEAT] = { NULL, 0.95, 1 },
	[GRADED_BATTERY] = { .setting = "battery_charge" },
};

static const struct finding_value *value_of(const struct finding_rule *rules, unsigned n_rules,
					    const char *setting)
{
	for (unsigned r = 0; r < n_rules; r++)
		for (const struct finding_value *value = rules[r].values;
		     value < rules[r].values + FINDING_VALUES_MAX && value->name; value++)
			if (value->at_least.setting && strcmp(value->at_least.setting, setting) == 0)
				return value;
	return NULL;
}

void grades_make(struct grades *grades, const struct finding_rule *rules, unsigned n_rules,
		 const struct settings *settings)
{
	for (unsigned i = 0; i < N_GRADED; i++) {
		const char *setting = scales[i].setting;
		const struct finding_value *value = setting ? value_of(rules, n_rules, setting) : NULL;

		grades->of[i] = (struct grade_limits){ setting ? NAN : scales[i].busy,
						       setting ? NAN : scales[i].critical, false };
		if (value)
			grades->of[i] = (struct grade_limits){
				finding_number(settings, &value->at_least),
				value->critical > 0 ? value->critical : NAN,
				value->at_most,
			};
	}
}

static bool reaches(const struct grade_limits *limits, double number, double limit)
{
	return limits->falling ? number <= limit : number >= limit;
}

enum grade grade_by(const struct grade_limits *limits, double number)
{
	if (!limits)
		return GRADE_CALM;
	return reaches(limits, number, limits->critical) ? GRADE_CRITICAL
	       : reaches(limits, number, limits->busy)   ? GRADE_BUSY
							 : GRADE_CALM;
}

enum grade grade_of(const struct grades *grades, enum graded what, double number)
{
	return grade_by(grades ? &grades->of[what] : NULL, number);
}

struct grade_limits grade_limits_in(const struct grades *grades, enum graded what, double unit)
{
	struct grade_limits limits = { NAN, NAN, false };

	if (grades)
		limits = grades->of[what];
	limits.busy *= unit;
	limits.critical *= unit;
	return limits;
}
