/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The series of the power graph: load, watts, speed, and every temperature; which are shown, and how. */
#include <config.h>

#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "core/i18n.h"
#include "pane/power/power.h"

#define SHOWN_SENSORS 2 /* shown by default */

/* Names in the configuration file have only some characters. */
static void setting_name(char *text, size_t room, const struct graph_series *series)
{
	snprintf(text, room, "power.line.%s", series->name);
	for (; *text; text++)
		if (!isalnum((unsigned char)*text) && !strchr("._@:/#-", *text))
			*text = '_';
}

/* The first sensors; of those with the same name, such as that of the processor, one. */
static bool shown_by_default(const struct pane_context *context, const struct graph_series *series)
{
	const struct power_state *power = context->state;
	unsigned sensors = 0;

	for (const struct graph_series *before = power->graph_series; before < series; before++) {
		if (strcmp(before->label, series->label) == 0)
			return false;
		sensors += before - power->graph_series >= N_FIXED_GRAPH_SERIES &&
			   shown_by_default(context, before);
	}
	return sensors < SHOWN_SENSORS;
}

/* Earlier versions wrote a letter and a colour before the word. */
bool graph_series_shown(const struct pane_context *context, const struct graph_series *series)
{
	char name[GRAPH_SERIES_NAME_MAX + 16];
	const char *value, *word;

	setting_name(name, sizeof(name), series);
	value = settings_text(context->settings, name);
	word = value ? strrchr(value, ' ') : NULL;
	word = word ? word + 1 : value;
	if (word && (strcmp(word, "shown") == 0 || strcmp(word, "hidden") == 0))
		return *word == 's';
	return shown_by_default(context, series);
}

void graph_series_toggle(struct pane_context *context, const struct graph_series *series)
{
	bool shown = !graph_series_shown(context, series);
	char name[GRAPH_SERIES_NAME_MAX + 16];

	setting_name(name, sizeof(name), series);
	settings_set(context_settings(context), name,
		     shown == shown_by_default(context, series) ? NULL
		     : shown                                    ? "shown"
								: "hidden",
		     0);
	screen_message(context->screen, MESSAGE_PANE,
		       shown ? _("%s is in the graph; w keeps this")
			     : _("%s is no longer in the graph; w keeps this"),
		       series->label);
}

static void add_series(struct pane_context *context, const char *name, const char *label, unsigned index)
{
	struct power_state *power = context_state(context);
	struct graph_series *series = &power->graph_series[power->n_graph_series++];

	*series = (struct graph_series){ .index = index };
	snprintf(series->name, sizeof(series->name), "%s", name);
	snprintf(series->label, sizeof(series->label), "%s", label);
}

void graph_series_open(struct pane_context *context)
{
	static const struct {
		const char *name, *label;
		unsigned series;
	} fixed[N_FIXED_GRAPH_SERIES] = {
		[GRAPH_SERIES_LOAD] = { "load", N_("load"), POWER_SERIES_LOAD },
		[GRAPH_SERIES_WATTS] = { "watts", N_("watts"), POWER_SERIES_WATTS },
		[GRAPH_SERIES_FREQUENCY] = { "frequency", N_("clock"), POWER_SERIES_HERTZ },
	};

	for (unsigned i = 0; i < N_FIXED_GRAPH_SERIES; i++)
		add_series(context, fixed[i].name, _(fixed[i].label), fixed[i].series);
}

const struct graph_series *graph_series_find(const struct power_state *power, const char *name)
{
	for (unsigned i = 0; i < power->n_graph_series; i++)
		if (strcmp(power->graph_series[i].name, name) == 0)
			return &power->graph_series[i];
	return NULL;
}

/* The sensors of a whole processor have many names. */
static const char *friendly(const char *label)
{
	return strcmp(label, "x86_pkg_temp") == 0 || strncmp(label, "Package id 0", 12) == 0 ? _("package")
											     : label;
}

/* Adds series for new sensors, as long as there is room. */
void graph_series_follow(struct pane_context *context, const struct frame *frame)
{
	struct power_state *power = context_state(context);
	const struct table *table = frame_table(frame, "temperature");

	for (size_t i = 0; table && i < table->n_rows && power->n_graph_series < GRAPH_SERIES_MAX; i++) {
		const void *row = table_row(table, i);
		const char *name = table_text(table, row, "sensor");
		const char *label = table_text(table, row, "label");
		if (strlen(name) >= GRAPH_SERIES_NAME_MAX || graph_series_find(power, name))
			continue;
		add_series(context, name, friendly(*label ? label : name),
			   history_follow(&context->history,
					  &(struct series){ "temperature", name, "celsius" }, frame));
	}
}
