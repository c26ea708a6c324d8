/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Reads and checks all rules before anything starts. */
#include <config.h>

#include "app/rule_options.h"

#include <string.h>
#include <sys/auxv.h>

#include "app/condition_message.h"
#include "app/rule_files.h"
#include "core/i18n.h"
#include "sys/error_message.h"
#include "topic/process/process_ends.h"
#include "topic/topic.h"

/* Does it need what is only measured for the user who names it, and was that not done? */
static bool is_unnamed(const struct options *options, const struct condition *condition)
{
	const struct schema *schema = topics[condition_topic(condition->topic)]->schema;
	bool table = false, column = condition->measured && condition->measured->disturbs;

	for (unsigned i = 0; i < options->n_tables; i++)
		table |= strcmp(options->tables[i], schema->name) == 0;
	if (column && options->columns)
		column = !span_list_has(span_text(options->columns), condition->measured->key);
	return (schema->disturbs && !table) || column;
}

/* A rule starts no measurement that takes something from the kernel. */
static int check_disturbing(const struct options *options, const struct listed_rule *listed)
{
	const struct rule *rule = &listed->rule;

	if (listed->event ||
	    (!is_unnamed(options, &rule->when) && !(rule->has_until && is_unnamed(options, &rule->until))))
		return 0;
	error_message(options->rules_directory ? options->rules_directory : "--when",
		      _("'%s': no rule clears accessed bits; name the table with -t, or the column with -c"),
		      listed->text);
	return 2;
}

/* Checks all of them before anything starts. A program file that gives rights would lend them to commands. */
int rule_options_read(const struct options *options, struct rule_list *list)
{
	int status, worst = 0;

	if (getauxval(AT_SECURE)) {
		error_message(options->rules_directory ? "watch" : "--when",
			      _("refused: this program file has rights that its user has not"));
		return 1;
	}
	if (options->rules_directory)
		worst = rule_files_read(list, options->rules_directory);
	for (size_t i = 0; i < options->n_rules; i++) {
		status = rule_list_add(list, "--when", options->rules[i].when, options->rules[i].run);
		worst = status > worst ? status : worst;
	}
	if (rule_list_events(list, RULE_EVENT_END) > PROGRAM_NAMES_MAX ||
	    rule_list_events(list, RULE_EVENT_START) > PROGRAM_NAMES_MAX) {
		error_message(options->rules_directory ? options->rules_directory : "--when",
			      _("at most %d rules are about ends of processes, and as many about starts"),
			      PROGRAM_NAMES_MAX);
		return 1;
	}
	for (size_t i = 0; i < list->n_rules && worst == 0; i++)
		worst = check_disturbing(options, &list->rules[i]);
	if (worst != 0 || list->n_rules > 0)
		return worst;
	error_message(options->rules_directory, _("there is no rule in it: no file *.rule has one"));
	return 1;
}
