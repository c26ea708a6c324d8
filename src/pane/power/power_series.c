/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The series of the power graph: load, watts, speed, and every temperature; which are shown, and how. */
#include <config.h>

#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "core/i18n.h"
#include "pane/power/power.h"

#define SHOWN_SENSORS 3 /* shown by default */

static const char letters[] = "TUVXYZABCDEGHIJKMNOPQRS";
static const unsigned colors[] = { 5, 1, 6, 4, 7, 3, 0, 2 };

/* Is it a valid name in the configuration file? */
static bool can_be_kept(const char *name)
{
	for (; *name; name++)
		if (!isalnum((unsigned char)*name) && !strchr("._@:/#-", *name))
			return false;
	return true;
}

static void setting_name(char *text, size_t room, const struct graph_series *series)
{
	snprintf(text, room, "power.line.%s", series->name);
}

/* "T 5 shown": letter, number of the colour, and whether it is shown; ignores anything else. */
static void take_setting(const struct settings *settings, struct graph_series *series)
{
	char name[GRAPH_SERIES_NAME_MAX + 16];
	struct span rest, letter, shown;
	const char *value;
	uint64_t color;

	setting_name(name, sizeof(name), series);
	value = settings_get(settings, name);
	rest = span_text(value ? value : "");
	if (!span_word(&rest, &letter) || span_length(letter) != 1 || !isalnum((unsigned char)*letter.at) ||
	    !span_u64(&rest, &color) || color >= STYLE_SERIES_COUNT || !span_word(&rest, &shown))
		return;
	series->letter = *letter.at;
	series->color = (unsigned)color;
	series->shown = span_is(shown, "shown");
}

static struct graph_series *add_series(struct pane_context *context, const char *name, const char *label,
				       unsigned index)
{
	struct power_state *power = context->state;
	struct graph_series *series = &power->graph_series[power->n_graph_series++];

	*series = (struct graph_series){ .index = index };
	snprintf(series->name, sizeof(series->name), "%s", name);
	snprintf(series->label, sizeof(series->label), "%s", label);
	return series;
}

static void set_usual(unsigned index, struct graph_series *series)
{
	static const struct {
		char letter;
		unsigned color;
	} fixed[N_FIXED_GRAPH_SERIES] = { [GRAPH_SERIES_LOAD] = { 'L', 3 },
					  [GRAPH_SERIES_WATTS] = { 'W', 0 },
					  [GRAPH_SERIES_FREQUENCY] = { 'F', 2 } };
	unsigned sensor = index - N_FIXED_GRAPH_SERIES;

	series->letter =
		index < N_FIXED_GRAPH_SERIES ? fixed[index].letter : letters[sensor % (sizeof(letters) - 1)];
	series->color = index < N_FIXED_GRAPH_SERIES ? fixed[index].color
						     : colors[sensor % (sizeof(colors) / sizeof(colors[0]))];
	series->shown = index < N_FIXED_GRAPH_SERIES + SHOWN_SENSORS;
}

void graph_series_open(struct pane_context *context)
{
	static const struct {
		const char *name, *label;
		unsigned series;
	} fixed[N_FIXED_GRAPH_SERIES] = {
		[GRAPH_SERIES_LOAD] = { "load", N_("load of the CPUs"), POWER_SERIES_IDLE },
		[GRAPH_SERIES_WATTS] = { "watts", N_("watts, total"), POWER_SERIES_WATTS },
		[GRAPH_SERIES_FREQUENCY] = { "frequency", N_("speed of the CPUs"), POWER_SERIES_HERTZ },
	};

	for (unsigned i = 0; i < N_FIXED_GRAPH_SERIES; i++) {
		struct graph_series *series =
			add_series(context, fixed[i].name, _(fixed[i].label), fixed[i].series);

		set_usual(i, series);
		take_setting(context->settings, series);
	}
}

struct graph_series *graph_series_find(struct power_state *power, const char *name)
{
	for (unsigned i = 0; i < power->n_graph_series; i++)
		if (strcmp(power->graph_series[i].name, name) == 0)
			return &power->graph_series[i];
	return NULL;
}

/* Adds series for new sensors, as long as there is room. */
void graph_series_follow(struct pane_context *context, const struct frame *frame)
{
	struct power_state *power = context->state;
	const struct table *table = frame_table(frame, "temperature");

	for (size_t i = 0; table && i < table->n_rows && power->n_graph_series < GRAPH_SERIES_MAX; i++) {
		const void *row = table_row(table, i);
		const char *name = table_text(table, row, "sensor");
		const char *label = table_text(table, row, "label");
		struct graph_series *series;

		if (strlen(name) >= GRAPH_SERIES_NAME_MAX || graph_series_find(power, name))
			continue;
		series =
			add_series(context, name, *label ? label : name,
				   history_follow(&context->history,
						  &(struct series){ "temperature", name, "celsius" }, frame));
		set_usual(power->n_graph_series - 1, series);
		take_setting(context->settings, series);
	}
}

/* Saves only what is not the default. */
void graph_series_save(const struct power_state *power, struct settings *settings)
{
	for (unsigned i = 0; i < power->n_graph_series; i++) {
		const struct graph_series *series = &power->graph_series[i];
		struct graph_series usual = *series;
		char name[GRAPH_SERIES_NAME_MAX + 16], value[32];

		if (!can_be_kept(series->name))
			continue;
		set_usual(i, &usual);
		setting_name(name, sizeof(name), series);
		snprintf(value, sizeof(value), "%c %u %s", series->letter, series->color,
			 series->shown ? "shown" : "hidden");
		settings_set(settings, name,
			     series->letter == usual.letter && series->color == usual.color &&
					     series->shown == usual.shown
				     ? NULL
				     : value);
	}
}

void graph_series_toggle(struct pane_context *context, struct graph_series *series)
{
	series->shown = !series->shown;
	screen_message(context->screen, MESSAGE_PANE,
		       series->shown ? _("%s is in the graph, as %c; w keeps this")
				     : _("%s (%c) is no longer in the graph; w keeps this"),
		       series->label, series->letter);
}

void graph_series_next_color(struct pane_context *context, struct graph_series *series)
{
	series->color = (series->color + 1) % STYLE_SERIES_COUNT;
	screen_message(context->screen, MESSAGE_PANE, _("colour %u of %u for %s; w keeps this"),
		       series->color + 1, STYLE_SERIES_COUNT, series->label);
}

/* The next letter or digit that no other series has. */
void graph_series_next_letter(struct pane_context *context, struct graph_series *series)
{
	static const char all[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789abcdefghijklmnopqrstuvwxyz";
	const struct power_state *power = context->state;
	const char *at = strchr(all, series->letter);
	size_t index = at ? (size_t)(at - all) : 0;

	for (size_t step = 1; step < sizeof(all) - 1; step++) {
		char letter = all[(index + step) % (sizeof(all) - 1)];
		bool taken = false;

		for (unsigned i = 0; i < power->n_graph_series; i++)
			taken |= power->graph_series[i].letter == letter;
		if (taken)
			continue;
		series->letter = letter;
		break;
	}
	screen_message(context->screen, MESSAGE_PANE, _("%c stands for %s; w keeps this"), series->letter,
		       series->label);
}
