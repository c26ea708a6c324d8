/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Settings of findings: "finding.RULE = off", "finding.LIMIT = NUMBER", and lists of names. */
#include <config.h>

#include <stdio.h>
#include <string.h>

#include "model/finding.h"
#include "model/units.h"

#define PREFIX "finding."

/* "0.15", "15%", "30", "5min": times may have their unit. */
static bool parse_limit(const struct finding_limit *limit, const char *text, double *number)
{
	struct span span = span_text(text);

	if (limit->unit == UNIT_SECONDS)
		return span_whole_seconds(text, 0, 1e9, number);
	if (!span_f64(&span, number))
		return false;
	while (span_char(&span, ' '))
		;
	if (span_char(&span, '%'))
		*number /= 100;
	return span.at == span.end;
}

char *finding_limit_text(char *out, const struct finding_limit *limit, double number)
{
	if (limit->unit == UNIT_RATIO)
		snprintf(out, VALUE_TEXT_MAX, "%.4g%%", 100 * number);
	else
		snprintf(out, VALUE_TEXT_MAX, "%.10g%s", number, limit->unit == UNIT_SECONDS ? "s" : "");
	return out;
}

const char *finding_setting(const struct settings *settings, const char *name)
{
	char whole[96];

	snprintf(whole, sizeof(whole), PREFIX "%s", name);
	return settings ? settings_text(settings, whole) : NULL;
}

double finding_number(const struct settings *settings, const struct finding_limit *limit)
{
	const char *text = limit->setting ? finding_setting(settings, limit->setting) : NULL;
	double number;

	return text && parse_limit(limit, text, &number) ? number : limit->number;
}

static const struct finding_limit *find_limit(const struct finding_rule *rule, const char *name)
{
	if (rule->hold.setting && strcmp(rule->hold.setting, name) == 0)
		return &rule->hold;
	for (unsigned i = 0; i < FINDING_VALUES_MAX && rule->values[i].name; i++) {
		const struct finding_limit *limit = &rule->values[i].at_least;

		if (limit->setting && strcmp(limit->setting, name) == 0)
			return limit;
	}
	return NULL;
}

static bool is_list(const struct finding_rule *rule, const char *name)
{
	return rule->unless_setting && strcmp(rule->unless_setting, name) == 0;
}

bool finding_setting_known(const struct finding_rule *rules, unsigned n_rules, const char *name)
{
	if (strncmp(name, PREFIX, strlen(PREFIX)) != 0)
		return false;
	name += strlen(PREFIX);
	for (unsigned i = 0; i < n_rules; i++)
		if (strcmp(rules[i].name, name) == 0 || find_limit(&rules[i], name) ||
		    is_list(&rules[i], name))
			return true;
	return false;
}

bool finding_setting_valid(const struct finding_rule *rules, unsigned n_rules, const char *name,
			   const char *value)
{
	double number;

	name += strlen(PREFIX);
	for (unsigned i = 0; i < n_rules; i++) {
		const struct finding_limit *limit = find_limit(&rules[i], name);

		if (strcmp(rules[i].name, name) == 0)
			return strcmp(value, "off") == 0 || strcmp(value, "on") == 0;
		if (limit)
			return parse_limit(limit, value, &number);
		if (is_list(&rules[i], name))
			return true;
	}
	return false;
}

