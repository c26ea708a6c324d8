/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A command, and --assert: "TOPIC(SELECT).COLUMN < NUMBER, …"; of latency also "COLUMN < NUMBER". */
#include <config.h>

#include "app/assertion.h"

#include <errno.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "app/rule_list.h"
#include "core/i18n.h"
#include "core/vector.h"
#include "model/units.h"
#include "sys/descriptor.h"
#include "sys/privilege.h"
#include "sys/process.h"
#include "topic/topic.h"

#define ROWS_SHOWN 3

static const char option[] = "--assert";

static const struct pane_assertion *find_assertion(const struct options *options)
{
	for (unsigned i = 0; i < options->n_panes; i++)
		if (options->panes[i]->assertion)
			return options->panes[i]->assertion;
	return NULL;
}

/* "p99_seconds < 1e-4" is about a row of the pane. */
static void complete(struct condition *condition, const struct options *options)
{
	const struct pane_assertion *wanted = find_assertion(options);
	bool bare = condition->n_selects == 0 && span_length(condition->column) == 0;
	struct condition_select *select = &condition->selects[0];

	if (!wanted || !bare || condition_topic(condition->topic) < n_topics)
		return;
	condition->column = condition->topic;
	condition->topic = span_text(options->command ? wanted->phases : wanted->topic);
	snprintf(select->value, sizeof(select->value), "%s", options->command ? wanted->during : wanted->row);
	condition->n_selects = 1;
}

static int add_condition(struct assertion *assertion, const struct options *options,
			 const struct run_plan *run, struct span *rest)
{
	struct assertion_part part = { .result.value = NAN };
	struct span wrong;
	enum condition_error error = condition_parse(rest, &part.condition, &wrong);
	unsigned topic;
	int status;

	if (error)
		return condition_refuse_syntax(option, error, wrong);
	complete(&part.condition, options);
	topic = condition_topic(part.condition.topic);
	if (topic == n_topics)
		return condition_refuse_topic(option, part.condition.topic);
	status = condition_take(option, &part.condition, run_plan_schemas(run)[topic]);
	if (status != 0)
		return status;
	if (!run->wanted[topic]) {
		error_message(option, _("this run does not sample %s; add -t %s, or a pane that has it"),
			      topics[topic]->schema->name, topics[topic]->schema->name);
		return 2;
	}
	*VECTOR_ADD(assertion->parts, assertion->n_parts, assertion->capacity) = part;
	return 0;
}

int assertion_open(struct assertion *assertion, const struct options *options, const struct run_plan *run)
{
	struct span rest = span_text(options->assertion ? options->assertion : "");
	int status;

	*assertion = (struct assertion){ 0 };
	if (!options->assertion)
		return 0;
	do {
		status = add_condition(assertion, options, run, &rest);
		if (status != 0)
			return status;
	} while (span_char(&rest, ','));
	if (rest.at == rest.end)
		return 0;
	error_message(option, _("unexpected '%.*s'; separate conditions with commas"),
		      (int)span_length(rest), rest.at);
	return 2;
}

/* The keys of a row, before the first one gap. */
static void add_keys(struct buffer *out, const char *gap, const struct schema *schema, const void *row)
{

	for (unsigned i = 0; i < schema->n_columns; i++) {
		const struct column *column = &schema->columns[i];
		char number[VALUE_TEXT_MAX];

		if (column->kind != COLUMN_KEY || !row_is_known(row, column) ||
		    (column->hidden && column->type != VALUE_TEXT))
			continue;
		buffer_print(out, "%s%s", gap, key_text(number, column, row));
		gap = " ";
	}
}

/* The rows that were counted, with the sentence that they may have. */
static void add_rows(struct buffer *out, const struct condition *condition, const struct table *table)
{
	const struct schema *schema = condition->schema;
	unsigned n_shown = 0;

	for (size_t r = 0; r < table->n_rows && n_shown < ROWS_SHOWN; r++) {
		const void *row = table_row(table, r);

		if (!condition_selects(condition, row))
			continue;
		add_keys(out, n_shown++ > 0 ? "; " : ": ", schema, row);
		for (unsigned i = 0; i < schema->n_columns; i++)
			if (schema->columns[i].prose && row_is_known(row, &schema->columns[i]))
				buffer_print(out, ": %s", row_text(row, &schema->columns[i]));
	}
}

/* What is found instead of what the condition wants. */
static void describe(struct assertion_part *part, const struct frame *frame)
{
	const struct condition *condition = &part->condition;
	char number[VALUE_TEXT_MAX];

	if (isnan(part->result.value)) {
		buffer_text(&part->found, _("unknown"));
	} else if (!condition->measured) {
		buffer_print(&part->found, "%.0f", part->result.value);
		add_rows(&part->found, condition, frame_table(frame, condition->schema->name));
		return;
	} else {
		buffer_text(&part->found, amount_text(number, condition->measured->unit, part->result.value));
	}
	if (part->result.row && condition->n_selects == 0)
		add_keys(&part->found, ", ", condition->schema, part->result.row);
}

void assertion_take(struct assertion *assertion, const struct frame *frame)
{
	for (size_t i = 0; i < assertion->n_parts; i++) {
		struct assertion_part *part = &assertion->parts[i];

		part->result = condition_judge(&part->condition, frame);
		buffer_empty(&part->found);
		if (!part->result.holds)
			describe(part, frame);
		part->result.row = NULL;
	}
}

int assertion_judge(const struct assertion *assertion)
{
	int status = 0;

	for (size_t i = 0; i < assertion->n_parts; i++) {
		const struct assertion_part *part = &assertion->parts[i];

		if (part->result.holds)
			continue;
		status = ASSERTION_BROKEN;
		error_message(option, _("failed: %.*s; it is %.*s"), (int)span_length(part->condition.text),
			      part->condition.text.at, (int)part->found.length, part->found.bytes);
	}
	return status;
}

void assertion_close(struct assertion *assertion)
{
	for (size_t i = 0; i < assertion->n_parts; i++)
		buffer_free(&assertion->parts[i].found);
	free(assertion->parts);
}

#define GRACE_NS UINT64_C(999999999) /* between SIGTERM and SIGKILL; fits one tv_nsec */

static void ignore(void *context, int error)
{
	(void)context;
	(void)error;
}

static void announce_phase(struct child_command *child, struct source *source, enum child_phase phase,
			   const char *name)
{
	const char *remedy;

	child->phase = phase;
	source->act(source->state, child->assertion->topic, name, ignore, NULL, &remedy);
}

int child_command_start(struct child_command *child, struct source *source)
{
	const struct spawn_plan plan = {
		.words = child->command,
		.variables = user_variables(),
		.files = source->files_before,
		.in = STDIN_FILENO,
		.out = STDOUT_FILENO,
		.err = STDERR_FILENO,
	};
	int error;

	announce_phase(child, source, CHILD_DURING, child->assertion->during);
	error = spawn_command(&plan, &child->pid);
	if (error) {
		error_message(child->command[0], "%s", strerror(error));
		child->pid = 0;
		return child->status = error == ENOENT ? 127 : 126;
	}
	return 0;
}

static void take_status(struct child_command *child, int status)
{
	child->pid = 0;
	child->status = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

bool child_command_reap(struct child_command *child, struct source *source)
{
	int status;

	if (child->pid == 0 || waitpid(child->pid, &status, WNOHANG) != child->pid)
		return false;
	take_status(child, status);
	announce_phase(child, source, CHILD_AFTER, child->assertion->after);
	return true;
}

bool child_command_signal(struct child_command *child, int number, bool of_terminal)
{
	if (child->pid == 0 || child->killed)
		return false;
	child->killed = child->interrupted;
	if (child->killed)
		kill(child->pid, SIGKILL);
	else if (!of_terminal || getpgid(child->pid) != getpgrp())
		kill(child->pid, number);
	child->interrupted = true;
	return true;
}

/* SIGCHLD is blocked, so it stays pending until it is taken. */
static void await_end(const struct child_command *child)
{
	const uint64_t until_ns = clock_mono_ns(child->clock) + GRACE_NS;
	siginfo_t info = { 0 };
	sigset_t signals;

	sigemptyset(&signals);
	sigaddset(&signals, SIGCHLD);
	while (waitid(P_PID, (id_t)child->pid, &info, WEXITED | WNOHANG | WNOWAIT) == 0 && info.si_pid == 0) {
		uint64_t now_ns = clock_mono_ns(child->clock);
		struct timespec left;

		if (now_ns >= until_ns)
			return;
		left = (struct timespec){ .tv_nsec = (long)(until_ns - now_ns) };
		sigtimedwait(&signals, NULL, &left);
	}
}

void child_command_close(struct child_command *child)
{
	int status;

	if (child->pid == 0)
		return;
	kill(child->pid, SIGTERM);
	if (!child->killed)
		await_end(child);
	if (spawn_kill(child->pid, &status))
		take_status(child, status);
}
