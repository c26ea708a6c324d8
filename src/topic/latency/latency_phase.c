/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Topic "latency_phase": latency before, while and after a command ran, all CPUs together. */
#include <config.h>

#include "core/i18n.h"
#include "topic/latency/latency_figures.h"

static const struct column columns[] = {
	LATENCY_COLUMN(phase, .kind = COLUMN_KEY, .title = N_("phase"), .width = 7, .words = true,
		       .help = N_("before, during, after: as the command ran"), .source = "panetop"),
	LATENCY_FIGURES,
};

static const struct schema schema = {
	.name = "latency_phase",
	.help = N_("latency before, while and after a command ran"),
	.row_size = sizeof(struct latency_row),
	.over_interval = true,
	SCHEMA_COLUMNS(columns),
};

static const struct source_spec sources[] = { { 0 } };

static int sample(struct sample *sample)
{
	static const char *const names[CYCLIC_PHASES] = { N_("before"), N_("during"), N_("after") };
	struct cyclic_run *run = sample->state;

	cyclic_run_update(run);
	sample->table->mono_ns = run->mono_ns;
	for (unsigned p = 0; run->plan.n_phases > 1 && p < run->plan.n_phases; p++) {
		struct latency_row *row = table_add(sample->table);

		row->phase = names[p];
		latency_row_fill(row, &run->phases[p]);
	}
	return 0;
}

const struct topic topic_latency_phase = {
	.schema = &schema,
	.sources = sources,
	.uses = CYCLIC_USES,
	CYCLIC_TOPIC,
	.open = cyclic_run_open,
	.sample = sample,
	.close = cyclic_run_close,
};
