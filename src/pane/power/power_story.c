/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The verdict of the power pane, and what follows the load. */
#include <config.h>

#include "pane/power/power_story.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "core/i18n.h"
#include "model/units.h"

#define NEAR_MAXIMUM 0.95 /* of the highest value … */
#define ABOVE_MEAN 1.25 /* … and a peak is well above the mean */
#define RUN_SECONDS 30  /* before it any value is a maximum */
#define NEAR_CRITICAL 5 /* degrees */
#define LOW_CHARGE 0.1
#define RELATED 0.7    /* a weaker correlation is not worth a sentence */
#define LOAD_RANGE 0.1 /* a load that changes less shows nothing */

static void __attribute__((format(printf, 3, 4))) add(char *text, size_t room, const char *format, ...)
{
	size_t length = strlen(text);
	va_list list;

	va_start(list, format);
	vsnprintf(text + length, room - length, format, list);
	va_end(list);
}

static bool is_near_maximum(const struct power_facts *facts)
{
	return facts->watts >= NEAR_MAXIMUM * facts->max_watts &&
	       facts->max_watts >= ABOVE_MEAN * facts->mean_watts && facts->run_seconds >= RUN_SECONDS;
}

static bool is_hot(const struct power_facts *facts)
{
	return facts->celsius >= facts->high_celsius ||
	       facts->celsius >= facts->critical_celsius - NEAR_CRITICAL;
}

static enum power_level judge(const struct power_facts *facts, const char **word)
{
	*word = "";
	if (facts->throttled > 0) {
		*word = _("THROTTLED");
		return POWER_BAD;
	}
	if (facts->celsius >= facts->critical_celsius) {
		*word = _("TOO HOT");
		return POWER_BAD;
	}
	if (is_hot(facts)) {
		*word = _("HOT");
		return POWER_HIGH;
	}
	if (facts->battery && facts->charge_ratio < LOW_CHARGE) {
		*word = _("LOW");
		return POWER_HIGH;
	}
	if (is_near_maximum(facts)) {
		*word = _("HIGH");
		return POWER_HIGH;
	}
	if ((isnan(facts->watts) && isnan(facts->celsius)) || facts->no_watts || facts->no_heat)
		return POWER_UNKNOWN;
	*word = _("OK");
	return POWER_OK;
}

static void add_watts(const struct power_facts *facts, char *text, size_t room)
{
	char now[VALUE_TEXT_MAX], least[VALUE_TEXT_MAX], most[VALUE_TEXT_MAX], span[VALUE_TEXT_MAX];

	watts_text(now, facts->watts);
	watts_text(least, facts->min_watts);
	watts_text(most, facts->max_watts);
	if (facts->no_watts)
		add(text, room, _("Watts: %s."), facts->no_watts);
	else if (isnan(facts->watts))
		add(text, room, "%s",
		    facts->refused ? _("Watts may not be read.") : _("Nothing measures watts here."));
	else if (is_near_maximum(facts))
		add(text, room, _("%s, near its maximum of %s."), now, most);
	else if (facts->run_seconds >= RUN_SECONDS && strcmp(least, most) != 0)
		add(text, room, _("%s, %s to %s in %s."), now, least, most,
		    stretch_text(span, facts->run_seconds));
	else
		add(text, room, "%s.", now);
}

static void add_heat(const struct power_facts *facts, char *text, size_t room)
{
	char now[VALUE_TEXT_MAX], critical[VALUE_TEXT_MAX], high[VALUE_TEXT_MAX];

	if (facts->no_heat)
		add(text, room, _(" Temperatures: %s."), facts->no_heat);
	if (isnan(facts->celsius))
		return;
	celsius_text(now, facts->celsius, facts->ascii);
	celsius_text(critical, facts->critical_celsius, facts->ascii);
	celsius_text(high, facts->high_celsius, facts->ascii);
	if (!isnan(facts->critical_celsius))
		add(text, room, _(" %s at %s, critical is %s."), now, facts->sensor, critical);
	else if (!isnan(facts->high_celsius))
		add(text, room, _(" %s at %s, high is %s."), now, facts->sensor, high);
	else
		add(text, room, _(" %s at %s."), now, facts->sensor);
}

static void add_throttling(const struct power_facts *facts, char *text, size_t room)
{
	char span[VALUE_TEXT_MAX];

	snprintf(span, sizeof(span), _("%.2g s"), facts->interval_seconds);
	if (facts->throttled > 0)
		add(text, room,
		    P_("%u CPU was slowed down for heat in the last %s. ",
		       "%u CPUs were slowed down for heat in the last %s. ", facts->throttled),
		    facts->throttled, span);
}

enum power_level power_verdict(const struct power_facts *facts, const char **word, char *text, size_t room)
{
	enum power_level level = judge(facts, word);

	*text = '\0';
	if (level == POWER_UNKNOWN && !facts->battery && !facts->refused && !facts->no_watts &&
	    !facts->no_heat) {
		snprintf(text, room, "%s",
			 _("No power or temperature sensors (usual in a VM). Load and clock speed below."));
		return level;
	}
	add_throttling(facts, text, room);
	if (facts->battery && facts->charge_ratio < LOW_CHARGE)
		add(text, room, _("%s has %.0f %% left. "), facts->battery, 100 * facts->charge_ratio);
	add_watts(facts, text, room);
	add_heat(facts, text, room);
	if (facts->throttle_known && facts->throttled == 0)
		add(text, room, " %s", _("Not throttled."));
	return level;
}

static bool follows(const struct power_relation *relation)
{
	return relation->correlation >= RELATED && relation->lag_seconds >= 0;
}

static void add_lines_of_heat(const struct power_relation *relations, unsigned n_relations, char *text,
			      size_t room)
{
	bool first = true;

	for (unsigned i = 0; i < n_relations; i++) {
		const struct power_relation *relation = &relations[i];

		if (relation->kind != RELATION_HEAT || !follows(relation))
			continue;
		add(text, room, "%s", first ? _("Heat follows load: ") : ", ");
		if (relation->lag_seconds > 0)
			add(text, room, _("%s after %.0f s"), relation->label, relation->lag_seconds);
		else
			add(text, room, _("%s at once"), relation->label);
		first = false;
	}
	if (!first)
		add(text, room, ".\n");
}

static const struct power_relation *find(const struct power_relation *relations, unsigned n_relations,
					 int kind)
{
	for (unsigned i = 0; i < n_relations; i++)
		if ((int)relations[i].kind == kind)
			return &relations[i];
	return NULL;
}

static void add_one(const struct power_relation *relation, const char *at_once, const char *later, char *text,
		    size_t room)
{
	if (!relation || !follows(relation))
		return;
	if (relation->lag_seconds > 0)
		add(text, room, later, relation->lag_seconds);
	else
		add(text, room, "%s", at_once);
	add(text, room, "\n");
}

/* A clock that drops under load is throttled by something. */
static void add_drop(const struct power_relation *clock, char *text, size_t room)
{
	if (!clock || !(clock->correlation <= -RELATED) || clock->lag_seconds < 0)
		return;
	if (clock->lag_seconds > 0)
		add(text, room, _("Clock drops %.0f s after load rises (r = %.2f).\n"), clock->lag_seconds,
		    clock->correlation);
	else
		add(text, room, _("Clock drops when load rises (r = %.2f).\n"), clock->correlation);
}

void power_relations(const struct power_relation *relations, unsigned n_relations, double load_range,
		     char *text, size_t room)
{
	const struct power_relation *watts = find(relations, n_relations, RELATION_WATTS);
	const struct power_relation *clock = find(relations, n_relations, RELATION_CLOCK);

	*text = '\0';
	if (!(load_range >= LOAD_RANGE))
		return;
	add_lines_of_heat(relations, n_relations, text, room);
	if (watts && clock && follows(watts) && follows(clock) && watts->lag_seconds <= 0 &&
	    clock->lag_seconds <= 0) {
		add(text, room, "%s\n", _("Watts and clock follow load at once."));
		return;
	}
	add_one(watts, _("Watts follow load at once."), _("Watts follow load after %.0f s."), text, room);
	add_one(clock, _("Clock follows load at once."), _("Clock follows load after %.0f s."), text, room);
	add_drop(clock, text, room);
}
