/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The verdict of the power pane, and what follows the load. */
#include <config.h>

#include "pane/power/power_story.h"

#include <string.h>

#include "core/i18n.h"
#include "pane/power/power.h"

/* Before half a minute any value is a maximum. */
#define NEAR_MAXIMUM "run_seconds >= 30, watts >= 0.95 * max_watts, max_watts >= 1.25 * mean_watts"
#define LOW_CHARGE "battery, charge_ratio < 0.1"

static const struct remark words[] = {
	{ "throttled > 0", N_("THROTTLED"), .level = POWER_BAD },
	{ "celsius >= critical_celsius", N_("TOO HOT"), .level = POWER_BAD },
	{ "celsius >= high_celsius", N_("HOT"), .level = POWER_HIGH },
	{ "celsius >= critical_celsius - 5", N_("HOT"), .level = POWER_HIGH },
	{ LOW_CHARGE, N_("LOW"), .level = POWER_HIGH },
	{ NEAR_MAXIMUM, N_("HIGH"), .level = POWER_HIGH },
	{ "watts, not no_watts, not no_heat", N_("OK"), .level = POWER_OK },
	{ "celsius, not no_watts, not no_heat", N_("OK"), .level = POWER_OK },
};

static const struct remark nothing = {
	"not throttled > 0, not watts, not celsius, not no_watts, not no_heat, not battery, "
	"not source == " POWER_REFUSED,
	N_("No power or temperature sensors (usual in a VM). Load and clock speed below."),
};

/* Of each line the first that holds. */
static const struct remark sentences[][6] = {
	{ { "throttled > 0",
	    PN_("{throttled} CPU was slowed down for heat in the last {step_seconds}.",
		"{throttled} CPUs were slowed down for heat in the last {step_seconds}."),
	    "throttled" } },
	{ { LOW_CHARGE, N_("{battery} has {charge_ratio:%} left.") } },
	{ { "no_watts", N_("Watts: {no_watts}.") },
	  { "not watts, source == " POWER_REFUSED, N_("Watts may not be read.") },
	  { "not watts", N_("Nothing measures watts here.") },
	  { NEAR_MAXIMUM, N_("{watts}, near its maximum of {max_watts}.") },
	  { "run_seconds >= 30, max_watts >= 1.001 * min_watts",
	    N_("{watts}, {min_watts} to {max_watts} in {run_seconds}.") },
	  { .text = "{watts}." } },
	{ { "no_heat", N_("Temperatures: {no_heat}.") } },
	{ { "celsius, critical_celsius", N_("{celsius:C} at {sensor}, critical is {critical_celsius:C}.") },
	  { "celsius, high_celsius", N_("{celsius:C} at {sensor}, high is {high_celsius:C}.") },
	  { "celsius", N_("{celsius:C} at {sensor}.") } },
	{ { "throttled == 0", N_("Not throttled.") } },
};

enum power_level power_word(struct buffer *out, const struct facts *facts)
{
	return remarks_say(out, REMARKS(words), facts);
}

void power_verdict(struct buffer *out, const struct facts *facts)
{
	size_t begun = out->length;

	if (remark_say(out, &nothing, facts))
		return;
	for (size_t i = 0; i < sizeof(sentences) / sizeof(sentences[0]); i++) {
		size_t n = 0, end = out->length;

		while (n < 6 && sentences[i][n].text)
			n++;
		if (end > begun)
			buffer_char(out, ' ');
		if (remarks_say(out, sentences[i], n, facts) < 0)
			out->length = end;
	}
}

#define CHANGES "load_range >= 0.1, " /* the load does */
#define FOLLOWS CHANGES "correlation >= 0.7, lag_seconds >= 0"
#define AT_ONCE FOLLOWS ", lag_seconds == 0"
#define DROPS CHANGES "correlation <= -0.7, lag_seconds " /* something throttles the clock */

static const struct remark relation_sentences[] = {
	{ "kind == heat, " AT_ONCE, N_("{label} at once") },
	{ "kind == heat, " FOLLOWS, N_("{label} after {lag_seconds:.0} s") },
	{ "kind == watts, " AT_ONCE, N_("Watts follow load at once.") },
	{ "kind == watts, " FOLLOWS, N_("Watts follow load after {lag_seconds:.0} s.") },
	{ "kind == clock, " AT_ONCE, N_("Clock follows load at once.") },
	{ "kind == clock, " FOLLOWS, N_("Clock follows load after {lag_seconds:.0} s.") },
	{ "kind == clock, " DROPS "> 0",
	  N_("Clock drops {lag_seconds:.0} s after load rises (r = {correlation:.2}).") },
	{ "kind == clock, " DROPS "== 0", N_("Clock drops when load rises (r = {correlation:.2}).") },
};

static struct row_facts facts_of(const struct power_relation *relation, struct made_fact made[5])
{
	made[0] = (struct made_fact){ "kind", { .text = relation->kind } };
	made[1] = (struct made_fact){ "label", { .text = relation->label } };
	made[2] = (struct made_fact){ "correlation", { .number = relation->correlation },
				      "Pearson's r of load and this, at the lag" };
	made[3] = (struct made_fact){ "lag_seconds", number_fact(relation->lag_seconds, UNIT_SECONDS),
				      "the lag with the strongest correlation" };
	made[4] = (struct made_fact){ "load_range", { .number = relation->load_range } };
	return (struct row_facts){ .facts = { row_fact }, .made = made, .n_made = 5 };
}

/* Behind before. False: there is nothing to say. */
static bool say(struct buffer *out, const char *before, const struct power_relation *relation)
{
	struct made_fact made[5];
	struct row_facts facts = facts_of(relation, made);
	size_t begun = out->length;

	buffer_text(out, before);
	if (remarks_say(out, REMARKS(relation_sentences), &facts.facts) >= 0)
		return true;
	out->length = begun;
	return false;
}

static bool is_heat(const struct power_relation *relation)
{
	return strcmp(relation->kind, "heat") == 0;
}

static bool both_at_once(const struct power_relation *relations, unsigned n_relations)
{
	unsigned n = 0;

	for (unsigned i = 0; i < n_relations; i++) {
		struct made_fact made[5];
		struct row_facts facts = facts_of(&relations[i], made);

		n += !is_heat(&relations[i]) && sentence_holds(AT_ONCE, &facts.facts);
	}
	return n == 2;
}

void power_relations(struct buffer *out, const struct power_relation *relations, unsigned n_relations)
{
	const char *before = _("Heat follows load: ");
	size_t begun = out->length;

	for (unsigned i = 0; i < n_relations; i++)
		if (is_heat(&relations[i]) && say(out, before, &relations[i]))
			before = ", ";
	buffer_text(out, out->length > begun ? ".\n" : "");
	if (both_at_once(relations, n_relations)) {
		buffer_text(out, _("Watts and clock follow load at once."));
		buffer_char(out, '\n');
		return;
	}
	for (unsigned i = 0; i < n_relations; i++)
		if (!is_heat(&relations[i]) && say(out, "", &relations[i]))
			buffer_char(out, '\n');
}
