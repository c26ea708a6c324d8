/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Topic "calibration": the fitted lines of the calibration in use. */
#include <config.h>

#include "topic/power/calibration.h"

#include "core/i18n.h"
#include "topic/topic.h"

struct calibration_row {
	uint64_t cpus, points;
	const char *measure, *slope_unit, *fit;
	double slope, intercept_watts, r_squared;
};

#define ROW(field, ...) COLUMN(struct calibration_row, field, __VA_ARGS__)
#define FITTED .source = "linear regression"

static const struct column columns[] = {
	ROW(cpus, .kind = COLUMN_KEY, .title = N_("CPUs"), .width = 4, .help = N_("number of loaded CPUs"),
	    .source = "panetop"),
	ROW(measure, .kind = COLUMN_KEY, .title = N_("measure"), .width = 12, .rank = 2,
	    .help = N_("what watts are fitted to: load, operations, cycles or instructions"),
	    .source = "panetop"),
	ROW(slope, .kind = COLUMN_GAUGE, .title = N_("slope"), .width = 12, .tiny = true,
	    .help = N_("cost of one unit of the measure"), FITTED),
	ROW(slope_unit, .kind = COLUMN_LABEL, .title = N_("slope is"), .width = 22, .words = true,
	    .help = N_("unit of the slope"), .source = "panetop"),
	ROW(intercept_watts, .kind = COLUMN_GAUGE, .unit = UNIT_WATTS, .title = N_("intercept W"),
	    .width = 11, .help = N_("watts at no load, where the line starts"), FITTED),
	ROW(r_squared, .kind = COLUMN_GAUGE, .title = N_("R squared"), .width = 9,
	    .help = N_("share of the variation of watts that the measure explains, 0 to 1"), FITTED),
	ROW(fit, .kind = COLUMN_LABEL, .title = N_("fit"), .width = 9, .words = true,
	    .help = N_("how well the line fits: excellent, good, fair or poor"), .source = "R squared"),
	ROW(points, .kind = COLUMN_GAUGE, .unit = UNIT_COUNT, .title = N_("points"), .width = 6, .rank = 1,
	    .help = N_("number of load steps the line was fitted to"), FITTED),
};

static const struct schema schema = {
	.name = "calibration",
	.is_public = true,
	.help = N_("the calibration in use: lines fitted through watts over CPU load"),
	.none = N_("no calibration is in use: F9 measures one"),
	.row_size = sizeof(struct calibration_row),
	SCHEMA_COLUMNS(columns),
};

static const struct source_spec sources[] = {
	{ 0 },
};

void calibration_add_rows(struct table *table, const struct power_fit *fit)
{
	for (int i = 0; i < N_CALIBRATION_MEASURES; i++) {
		const struct power_fit_line *line = &fit->lines[i];
		struct calibration_row *row;

		if (!power_fit_line_is_known(line))
			continue;
		row = table_add(table);
		row->cpus = fit->cpus;
		row->measure = calibration_name((enum calibration_measure)i);
		row->slope = line->slope;
		row->slope_unit = calibration_label((enum calibration_measure)i);
		row->intercept_watts = line->intercept_watts;
		row->r_squared = line->r_squared;
		row->fit = calibration_word(line->r_squared);
		row->points = line->points;
	}
}

static int sample(struct sample *sample)
{
	if (sample->settings->fit.cpus > 0)
		calibration_add_rows(sample->table, &sample->settings->fit);
	return 0;
}

const struct topic topic_calibration = {
	.schema = &schema,
	.sources = sources,
	.sample = sample,
};
