/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Looks up what was found. */
#include <config.h>

#include "model/grade.h"

#include <string.h>

static enum grade grade_of_severity(const char *severity)
{
	return strcmp(severity, "critical") == 0  ? GRADE_CRITICAL
	       : strcmp(severity, "warning") == 0 ? GRADE_ALARM
						  : GRADE_BUSY;
}

static bool is_one_of(const char *rule, const char *rules)
{
	struct span rest = span_text(rules), name;

	while (span_until(&rest, '|', &name))
		if (span_is(name, rule))
			return true;
	return span_is(rest, rule);
}

enum grade grade_of_rules(const struct frame *frame, const char *rules, bool of_scope)
{
	const struct table *table = frame_table(frame, finding_schema.name);
	enum grade worst = GRADE_CALM;

	for (size_t i = 0; table && i < table->n_rows; i++) {
		const void *row = table_row(table, i);
		const char *of = table_text(table, row, "of");
		enum grade grade = grade_of_severity(table_text(table, row, "severity"));

		if (schema_row_is_over(table->schema, row) ||
		    (*of != '\0' && (strcmp(of, "scope") == 0) != of_scope))
			continue;
		if (is_one_of(table_text(table, row, "rule"), rules) && grade > worst)
			worst = grade;
	}
	return worst;
}

enum grade grade_of_row(const struct findings *findings, const char *rule, const struct schema *schema,
			const void *row)
{
	enum finding_severity severity;

	if (!findings || !row || !findings_judge_row(findings, rule, schema, row, &severity))
		return GRADE_CALM;
	return (enum grade)(GRADE_BUSY + severity);
}
