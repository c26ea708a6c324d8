/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The lines of the power graph: load, watts, speed, and every temperature; which are shown, and how. */
#include <config.h>

#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "core/i18n.h"
#include "pane/power/power.h"

#define SHOWN_SENSORS 3 /* of those that the user did not choose */

static const char letters[] = "TUVXYZABCDEGHIJKMNOPQRS";
static const unsigned looks[] = { 5, 1, 6, 4, 7, 3, 0, 2 };

/* What can be a name in the configuration file. */
static bool can_be_kept(const char *name)
{
	for (; *name; name++)
		if (!isalnum((unsigned char)*name) && !strchr("._@:/#-", *name))
			return false;
	return true;
}

static void setting_name(char *text, size_t room, const struct power_line *line)
{
	snprintf(text, room, "power.line.%s", line->name);
}

/* "T 5 shown": letter, number of the colour, and whether it is shown; anything else is left alone. */
static void take_setting(const struct settings *settings, struct power_line *line)
{
	char name[POWER_LINE_NAME_MAX + 16];
	struct span rest, letter, shown;
	const char *value;
	uint64_t look;

	setting_name(name, sizeof(name), line);
	value = settings_get(settings, name);
	rest = span_text(value ? value : "");
	if (!span_word(&rest, &letter) || span_length(letter) != 1 || !isalnum((unsigned char)*letter.at) ||
	    !span_u64(&rest, &look) || look >= SERIES_STYLES || !span_word(&rest, &shown))
		return;
	line->letter = *letter.at;
	line->look = (unsigned)look;
	line->shown = span_is(shown, "shown");
}

static struct power_line *add_line(struct pane_context *context, const char *name, const char *label,
				   unsigned series)
{
	struct power_state *power = context->state;
	struct power_line *line = &power->lines[power->n_lines++];

	*line = (struct power_line){ .series = series };
	snprintf(line->name, sizeof(line->name), "%s", name);
	snprintf(line->label, sizeof(line->label), "%s", label);
	return line;
}

static void set_usual(unsigned index, struct power_line *line)
{
	static const struct {
		char letter;
		unsigned look;
	} fixed[N_FIXED_LINES] = {
		[LINE_LOAD] = { 'L', 3 }, [LINE_WATTS] = { 'W', 0 }, [LINE_FREQUENCY] = { 'F', 2 }
	};
	unsigned sensor = index - N_FIXED_LINES;

	line->letter = index < N_FIXED_LINES ? fixed[index].letter : letters[sensor % (sizeof(letters) - 1)];
	line->look = index < N_FIXED_LINES ? fixed[index].look
					   : looks[sensor % (sizeof(looks) / sizeof(looks[0]))];
	line->shown = index < N_FIXED_LINES + SHOWN_SENSORS;
}

void power_lines_open(struct pane_context *context)
{
	static const struct {
		const char *name, *label;
		unsigned series;
	} fixed[N_FIXED_LINES] = {
		[LINE_LOAD] = { "load", N_("load of the CPUs"), SERIES_IDLE },
		[LINE_WATTS] = { "watts", N_("watts, total"), SERIES_WATTS },
		[LINE_FREQUENCY] = { "frequency", N_("speed of the CPUs"), SERIES_HERTZ },
	};

	for (unsigned i = 0; i < N_FIXED_LINES; i++) {
		struct power_line *line =
			add_line(context, fixed[i].name, _(fixed[i].label), fixed[i].series);

		set_usual(i, line);
		take_setting(context->settings, line);
	}
}

struct power_line *power_line_find(struct power_state *power, const char *name)
{
	for (unsigned i = 0; i < power->n_lines; i++)
		if (strcmp(power->lines[i].name, name) == 0)
			return &power->lines[i];
	return NULL;
}

/* Sensors that have no line yet get one, as long as there is room. */
void power_lines_follow(struct pane_context *context, const struct frame *frame)
{
	struct power_state *power = context->state;
	const struct table *table = frame_table(frame, "temperature");

	for (size_t i = 0; table && i < table->n_rows && power->n_lines < POWER_LINES_MAX; i++) {
		const void *row = table_row(table, i);
		const char *name = table_text(table, row, "sensor");
		const char *label = table_text(table, row, "label");
		struct power_line *line;

		if (strlen(name) >= POWER_LINE_NAME_MAX || power_line_find(power, name))
			continue;
		line = add_line(context, name, *label ? label : name,
				history_follow(&context->history,
					       &(struct series){ "temperature", name, "celsius" }, frame));
		set_usual(power->n_lines - 1, line);
		take_setting(context->settings, line);
	}
}

/* Only what is not as usual is kept. */
void power_lines_save(const struct power_state *power, struct settings *settings)
{
	for (unsigned i = 0; i < power->n_lines; i++) {
		const struct power_line *line = &power->lines[i];
		struct power_line usual = *line;
		char name[POWER_LINE_NAME_MAX + 16], value[32];

		if (!can_be_kept(line->name))
			continue;
		set_usual(i, &usual);
		setting_name(name, sizeof(name), line);
		snprintf(value, sizeof(value), "%c %u %s", line->letter, line->look,
			 line->shown ? "shown" : "hidden");
		settings_set(settings, name,
			     line->letter == usual.letter && line->look == usual.look &&
					     line->shown == usual.shown
				     ? NULL
				     : value);
	}
}

void power_line_toggle(struct pane_context *context, struct power_line *line)
{
	line->shown = !line->shown;
	screen_say(context->screen,
		   line->shown ? _("%s is in the graph, as %c; w keeps this")
			       : _("%s (%c) is no longer in the graph; w keeps this"),
		   line->label, line->letter);
}

void power_line_next_look(struct pane_context *context, struct power_line *line)
{
	line->look = (line->look + 1) % SERIES_STYLES;
	screen_say(context->screen, _("colour %u of %u for %s; w keeps this"), line->look + 1, SERIES_STYLES,
		   line->label);
}

/* The next letter or digit that no other line has. */
void power_line_next_letter(struct pane_context *context, struct power_line *line)
{
	static const char all[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789abcdefghijklmnopqrstuvwxyz";
	const struct power_state *power = context->state;
	const char *at = strchr(all, line->letter);
	size_t index = at ? (size_t)(at - all) : 0;

	for (size_t step = 1; step < sizeof(all) - 1; step++) {
		char letter = all[(index + step) % (sizeof(all) - 1)];
		bool taken = false;

		for (unsigned i = 0; i < power->n_lines; i++)
			taken |= power->lines[i].letter == letter;
		if (taken)
			continue;
		line->letter = letter;
		break;
	}
	screen_say(context->screen, _("%c stands for %s; w keeps this"), line->letter, line->label);
}
