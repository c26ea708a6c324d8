/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Joins rules with what they wait for: frames, ends of processes, triggers of the kernel. */
#include <config.h>

#include "app/rule_watch.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/wait.h>
#include <unistd.h>

#include "core/alloc.h"
#include "core/buffer.h"
#include "core/i18n.h"
#include "model/host.h"
#include "model/rule.h"
#include "model/units.h"
#include "pane/panes.h"
#include "sys/descriptor.h"
#include "sys/file_changes.h"
#include "topic/cgroup.h"
#include "topic/event/program_starts.h"
#include "topic/finding/finding_rules.h"
#include "topic/process/process_ends.h"
#include "topic/topic.h"

#define WINDOW_SECONDS 1.0 /* of a trigger, without "for" */
#define AWAKE_SECONDS 5.0  /* sampled for this time after a trigger, at least */
#define TRIGGERS_MAX 8     /* more rules on pressure are sampled */

struct rule_watch {
	struct rule_watch_plan plan;
	struct rule_set set; /* its rules have the places of those of the list */
	struct waiting {     /* of each rule */
		struct rule_watch *watch;
		int trigger_fd; /* -1: its topic is sampled always */
		int oom_fd;     /* -1: none */
		double window_seconds;
		uint64_t awake_until_ns; /* sampled up to then; 0: it sleeps */
		struct firing *late;     /* the last event, while there is no room for it; NULL: none */
	} * waiting;
	struct named { /* rules on events of programs, and the programs in their places */
		struct program_names names;
		size_t rules[PROGRAM_NAMES_MAX];
		bool must_look; /* the kernel does not report them */
		uint64_t lost;  /* of which a message told */
	} of_ends, of_starts;
	struct process_ends *ends;     /* NULL: no rule is about ends … */
	struct program_starts *starts; /* … or starts */
	struct file_changes *changes;  /* NULL: … or changes of files */
	size_t *changed_rules;         /* in their order */
	bool lost_changes;             /* a message told of that */
	struct loop *loop;             /* where rules may sleep; else NULL */
	unsigned n_triggers;
	struct rule_commands *commands;
};

static void note_done(void *context, struct firing *firing)
{
	const struct rule_watch *watch = context;

	firing_log_add(watch->plan.log, firing);
}

/* False: no rule is about this. */
static bool take_names(struct named *named, const struct rule_list *list, enum rule_event event)
{
	for (size_t i = 0; i < list->n_rules; i++) {
		if (list->rules[i].event != event)
			continue;
		named->rules[named->names.n] = i;
		program_names_add(&named->names, listed_rule_name(&list->rules[i]));
	}
	return named->names.n > 0;
}

static void open_ends(struct rule_watch *watch)
{
	int error;

	if (!take_names(&watch->of_ends, watch->plan.rules, RULE_EVENT_END))
		return;
	watch->ends = process_ends_open(watch->plan.env, &watch->of_ends.names, &error);
	watch->of_ends.must_look = error != 0;
	if (!error)
		return;
	error_message("--when",
		      _("the kernel does not report ends to this user (%s): processes are looked for at each "
			"delay, and those that live shorter are missed"),
		      strerror(-error));
	process_ends_look(watch->ends);
}

static void open_starts(struct rule_watch *watch)
{
	int error;

	if (!take_names(&watch->of_starts, watch->plan.rules, RULE_EVENT_START))
		return;
	watch->starts = program_starts_open(watch->plan.env, &watch->of_starts.names, &error);
	watch->of_starts.must_look = error != 0;
	if (!error)
		return;
	error_message(
		"--when",
		_("the kernel does not report starts to this user (%s): processes are looked for at each "
		  "delay, a file of each; those that live shorter are missed, and forks count"),
		strerror(-error));
	program_starts_look(watch->starts, NULL, NULL);
}

/* 0, or 1 after an error message. */
static int open_changes(struct rule_watch *watch)
{
	const struct rule_list *list = watch->plan.rules;
	size_t n = 0, n_rules = rule_list_events(list, RULE_EVENT_CHANGE);
	int error;

	if (n_rules == 0)
		return 0;
	watch->changes = file_changes_open();
	if (!watch->changes) {
		error_message("inotify", "%s", strerror(errno));
		return 1;
	}
	watch->changed_rules = alloc_zeroed(n_rules, sizeof(*watch->changed_rules));
	for (size_t i = 0; i < list->n_rules; i++) {
		if (list->rules[i].event != RULE_EVENT_CHANGE)
			continue;
		error = file_changes_add(watch->changes, listed_rule_name(&list->rules[i]));
		if (error) {
			error_message(listed_rule_name(&list->rules[i]), _("cannot be watched: %s"),
				      strerror(-error));
			return 1;
		}
		watch->changed_rules[n++] = i;
	}
	return 0;
}

/* A rule on a share of time in which tasks waited, of the whole machine. */
static bool is_of_pressure(const struct rule *rule)
{
	const struct condition *when = &rule->when;

	return span_is(when->topic, "pressure") && when->measured &&
	       strcmp(when->measured->key, "stalled_ratio") == 0 && when->n_selects == 2 &&
	       span_length(when->selects[0].column) == 0 && span_length(when->selects[1].column) == 0 &&
	       (when->relation == RELATION_GREATER || when->relation == RELATION_GREATER_EQUAL);
}

static void open_trigger(struct rule_watch *watch, size_t number)
{
	const struct rule *rule = &watch->plan.rules->rules[number].rule;
	struct waiting *waiting = &watch->waiting[number];
	const struct condition_select *selects = rule->when.selects;

	*waiting = (struct waiting){ .watch = watch, .trigger_fd = -1, .oom_fd = -1 };
	if (!watch->plan.may_sleep || watch->n_triggers == TRIGGERS_MAX ||
	    watch->plan.rules->rules[number].event || !is_of_pressure(rule))
		return;
	waiting->window_seconds = rule->hold_seconds > 0 ? rule->hold_seconds : WINDOW_SECONDS;
	waiting->trigger_fd = pressure_trigger_open(selects[0].value, strcmp(selects[1].value, "full") == 0,
						    rule->when.limit, &waiting->window_seconds);
	watch->n_triggers += waiting->trigger_fd >= 0;
}

struct rule_watch *rule_watch_open(const struct rule_watch_plan *plan)
{
	struct rule_watch *watch = alloc_zeroed(1, sizeof(*watch));

	watch->plan = *plan;
	watch->waiting = alloc_zeroed(plan->rules->n_rules + 1, sizeof(*watch->waiting));
	for (size_t i = 0; i < plan->rules->n_rules; i++) {
		rule_set_add(&watch->set, &plan->rules->rules[i].rule);
		open_trigger(watch, i);
	}
	watch->commands =
		rule_commands_open(plan->env->clock, plan->output, plan->files, RULE_COMMAND_SECONDS,
				   note_done, watch);
	open_ends(watch);
	open_starts(watch);
	if (open_changes(watch) == 0)
		return watch;
	rule_watch_close(watch);
	return NULL;
}

static struct firing *copy_firing(const struct rule_watch *watch, size_t number, const struct firing *what)
{
	struct firing *firing = alloc_zeroed(1, sizeof(*firing));

	*firing = *what;
	firing->wall_ns = env_wall_ns(watch->plan.env);
	firing->rule = watch->plan.rules->rules[number].text;
	return firing;
}

static void fire(struct rule_watch *watch, size_t number, struct firing *firing)
{
	const struct listed_rule *listed = &watch->plan.rules->rules[number];

	rule_commands_add(watch->commands, listed->has_command ? &listed->command : NULL, firing);
}

static void fire_late(struct rule_watch *watch, size_t number)
{
	struct firing *late = watch->waiting[number].late;

	if (!late ||
	    !rule_set_may_fire(&watch->set, number, env_mono_ns(watch->plan.env), &late->n_dropped))
		return;
	watch->waiting[number].late = NULL;
	fire(watch, number, late);
}

/* Where there is no room it waits, in place of the one before. */
static void fire_event(struct rule_watch *watch, size_t number, const struct firing *event)
{
	struct waiting *waiting = &watch->waiting[number];

	if (waiting->late) {
		firing_free(waiting->late);
		watch->set.rules[number].n_dropped++;
	}
	waiting->late = copy_firing(watch, number, event);
	fire_late(watch, number);
}

/* All rules on this program, of which name is the first. status: as of wait(2), or negative. */
static void fire_named(struct rule_watch *watch, const struct named *named, size_t name, uint32_t pid,
		       int status)
{
	const char *program = listed_rule_name(&watch->plan.rules->rules[named->rules[name]]);

	for (size_t i = name; i < named->names.n; i++) {
		size_t number = named->rules[i];
		const struct listed_rule *listed = &watch->plan.rules->rules[number];
		struct firing firing = { .value = NAN, .pid = pid, .exit_code = -1, .signal = -1 };
		struct buffer subject = { 0 };

		if (strcmp(listed_rule_name(listed), program) != 0)
			continue;
		if (status >= 0 && WIFEXITED(status))
			firing.exit_code = WEXITSTATUS(status);
		else if (status >= 0)
			firing.signal = WTERMSIG(status);
		buffer_print(&subject, "%s %u%c", program, pid, '\0');
		firing.subject = subject.bytes;
		fire_event(watch, number, &firing);
	}
}

static void take_end(void *context, const struct process_end *end)
{
	struct rule_watch *watch = context;

	fire_named(watch, &watch->of_ends, end->name, end->pid, end->status);
}

static void take_start(void *context, const struct program_start *start)
{
	struct rule_watch *watch = context;

	fire_named(watch, &watch->of_starts, start->name, start->pid, PROCESS_ENDS_STATUS_UNKNOWN);
}

static void take_change(void *context, size_t file)
{
	struct rule_watch *watch = context;
	size_t number = watch->changed_rules[file];
	const char *path = listed_rule_name(&watch->plan.rules->rules[number]);

	fire_event(watch, number,
		   &(struct firing){ .subject = alloc_text(path),
				     .value = NAN,
				     .pid = U64_UNKNOWN,
				     .exit_code = -1,
				     .signal = -1 });
}

/* When the first are lost, and how many there were in the end. */
static bool are_more_lost(struct named *named, uint64_t lost)
{
	bool more = lost > named->lost;

	named->lost = lost;
	return more;
}

static void report_lost_starts(struct rule_watch *watch)
{
	unsigned long lost = watch->starts ? (unsigned long)program_starts_lost(watch->starts) : 0;

	if (are_more_lost(&watch->of_starts, lost))
		error_message("--when",
			      P_("%lu program that started is not known: it ended at once",
				 "%lu programs that started are not known: they ended at once or came "
				 "too fast",
				 lost),
			      lost);
}

static void report_lost_ends(struct rule_watch *watch)
{
	unsigned long lost = watch->ends ? (unsigned long)process_ends_lost(watch->ends) : 0;

	if (are_more_lost(&watch->of_ends, lost))
		error_message("--when",
			      P_("%lu end of a process was lost: too many came at a time",
				 "%lu ends of processes were lost: too many came at a time", lost),
			      lost);
}

static void close_waiting(struct waiting *waiting)
{
	if (waiting->late)
		firing_free(waiting->late);
	if (waiting->trigger_fd >= 0)
		close(waiting->trigger_fd);
	if (waiting->oom_fd >= 0)
		close(waiting->oom_fd);
}

void rule_watch_close(struct rule_watch *watch)
{
	if (!watch)
		return;
	report_lost_ends(watch);
	report_lost_starts(watch);
	rule_commands_close(watch->commands);
	process_ends_close(watch->ends);
	program_starts_close(watch->starts);
	file_changes_close(watch->changes);
	free(watch->changed_rules);
	for (size_t i = 0; i < watch->set.n_rules; i++)
		close_waiting(&watch->waiting[i]);
	rule_set_free(&watch->set);
	free(watch->waiting);
	free(watch);
}

static void tell(struct rule_watch *watch)
{
	if (watch->plan.changed)
		watch->plan.changed(watch->plan.context);
}

static void on_trigger(void *context, uint32_t events)
{
	struct waiting *waiting = context;
	struct rule_watch *watch = waiting->watch;
	double awake = fmax(2 * waiting->window_seconds, AWAKE_SECONDS);
	uint64_t now_ns = env_mono_ns(watch->plan.env);

	(void)events;
	watch->set.rules[waiting - watch->waiting].since_ns =
		now_ns - (uint64_t)(waiting->window_seconds * 1e9);
	waiting->awake_until_ns = now_ns + (uint64_t)(awake * 1e9);
	tell(watch);
}

static void on_ends(void *context, uint32_t events)
{
	struct rule_watch *watch = context;

	(void)events;
	process_ends_read(watch->ends, take_end, watch);
	if (watch->of_ends.lost == 0)
		report_lost_ends(watch);
	tell(watch);
}

static void on_starts(void *context, uint32_t events)
{
	struct rule_watch *watch = context;

	(void)events;
	program_starts_read(watch->starts, take_start, watch);
	if (watch->of_starts.lost == 0)
		report_lost_starts(watch);
	tell(watch);
}

static void on_changes(void *context, uint32_t events)
{
	struct rule_watch *watch = context;

	(void)events;
	file_changes_read(watch->changes, take_change, watch);
	if (!watch->lost_changes && file_changes_lost(watch->changes) > 0)
		error_message("--when",
			      _("changes of files are lost: too many came at a time, or a directory that is "
				"watched was removed"));
	watch->lost_changes = file_changes_lost(watch->changes) > 0;
	tell(watch);
}

static void on_commands(void *context, uint32_t events)
{
	struct rule_watch *watch = context;

	(void)events;
	rule_commands_go_on(watch->commands);
	tell(watch);
}

static void on_out_of_memory(void *context, uint32_t events)
{
	struct waiting *waiting = context;

	(void)events;
	oom_watch_reset(waiting->oom_fd);
	waiting->awake_until_ns = env_mono_ns(waiting->watch->plan.env) + (uint64_t)(AWAKE_SECONDS * 1e9);
	tell(waiting->watch);
}

/* Of a rule on kills of one group, once a frame has said which. */
static void wait_for_kills(struct rule_watch *watch, size_t number, const struct frame *frame)
{
	const struct rule *rule = &watch->plan.rules->rules[number].rule;
	struct waiting *waiting = &watch->waiting[number];
	const struct table *table = frame_table(frame, "group");
	const char *path = NULL;
	struct cgroup_place place;
	char directory[2 * CGROUP_PATH_MAX];
	uint32_t events;

	if (!watch->loop || !table || !span_is(rule->when.topic, "group") ||
	    !strstr(rule->when.measured->key, "oom_kills") || watch->n_triggers == TRIGGERS_MAX)
		return;
	for (size_t i = 0; i < table->n_rows; i++) {
		if (!condition_selects(&rule->when, table_row(table, i)))
			continue;
		if (path)
			return;
		path = table_text(table, table_row(table, i), "path");
	}
	if (!path || cgroup_own(watch->plan.env, "memory", &place) < 0)
		return;
	snprintf(directory, sizeof(directory), "/%s%s%s", place.mount, *path == '/' ? "" : "/", path);
	waiting->oom_fd = oom_watch_open(directory, place.version, &events);
	if (waiting->oom_fd < 0)
		return;
	watch->n_triggers++;
	loop_watch(watch->loop, waiting->oom_fd, events, on_out_of_memory, waiting);
}

/* The descriptor of a trigger must be in the loop itself: whoever asks it for events takes them. */
int rule_watch_join(struct rule_watch *watch, struct loop *loop)
{
	int error = loop_watch(loop, rule_commands_fd(watch->commands), EPOLLIN, on_commands, watch);

	watch->loop = watch->plan.may_sleep ? loop : NULL;
	if (!error && watch->ends)
		error = loop_watch(loop, process_ends_fd(watch->ends), EPOLLIN, on_ends, watch);
	if (!error && watch->starts && program_starts_fd(watch->starts) >= 0) {
		error = loop_watch(loop, program_starts_fd(watch->starts), EPOLLIN, on_starts, watch);
		program_starts_read(watch->starts, take_start, watch); /* of these nothing wakes it up */
	}
	if (!error && watch->changes)
		error = loop_watch(loop, file_changes_fd(watch->changes), EPOLLIN, on_changes, watch);
	for (size_t i = 0; i < watch->set.n_rules && !error; i++)
		if (watch->waiting[i].trigger_fd >= 0)
			error = loop_watch(loop, watch->waiting[i].trigger_fd, EPOLLPRI, on_trigger,
					   &watch->waiting[i]);
	return error;
}

static bool sleeps(const struct rule_watch *watch, size_t number)
{
	const struct waiting *waiting = &watch->waiting[number];

	return (waiting->trigger_fd >= 0 || waiting->oom_fd >= 0) && waiting->awake_until_ns == 0;
}

static void want_rule(const struct rule *rule, bool *wanted)
{
	wanted[condition_topic(rule->when.topic)] = true;
	if (rule->has_until)
		wanted[condition_topic(rule->until.topic)] = true;
}

/* What is derived from other topics needs these. */
static void want_parts(bool *wanted)
{
	host_want(topic_schemas(), n_topics, wanted);
	findings_want(finding_rules, n_finding_rules, topic_schemas(), n_topics, false, wanted);
}

/* As the topic event, starts go on to use perf events: of CPUs that come later. */
void rule_watch_want_all(const struct rule_watch *watch, bool *wanted)
{
	if (watch->starts)
		wanted[condition_topic(span_text("event"))] = true;
	for (size_t i = 0; i < watch->plan.rules->n_rules; i++)
		if (!watch->plan.rules->rules[i].event)
			want_rule(&watch->plan.rules->rules[i].rule, wanted);
	want_parts(wanted);
}

bool rule_watch_want(const struct rule_watch *watch, bool *wanted)
{
	bool any = watch->of_ends.must_look || watch->of_starts.must_look;

	for (size_t i = 0; i < watch->plan.rules->n_rules; i++) {
		const struct listed_rule *listed = &watch->plan.rules->rules[i];

		any |= watch->waiting[i].late != NULL;
		if (listed->event || sleeps(watch, i))
			continue;
		any = true;
		want_rule(&listed->rule, wanted);
	}
	want_parts(wanted);
	return any;
}

uint64_t rule_watch_fired(const struct rule_watch *watch)
{
	uint64_t fired = 0;

	for (size_t i = 0; i < watch->set.n_rules; i++)
		fired += watch->set.rules[i].fired;
	return fired;
}

static void add_separated(struct buffer *out, const char *gap, const char *text)
{
	if (*text)
		buffer_print(out, "%s%s", out->length > 0 ? gap : "", text);
}

/* Its name and the keys that people know it by, and the sentence that it may have. */
static char *subject_text(const struct schema *schema, const void *row)
{
	struct buffer out = { 0 };
	const struct column *name = schema_find(schema, "name");

	if (name && name->type == VALUE_TEXT && name->kind != COLUMN_KEY && row_is_known(row, name))
		buffer_text(&out, row_text(row, name));
	for (unsigned i = 0; i < schema->n_columns; i++) {
		const struct column *column = &schema->columns[i];
		char number[VALUE_TEXT_MAX];

		if (column->kind == COLUMN_KEY && !column->hidden && row_is_known(row, column))
			add_separated(&out, " ", key_text(number, column, row));
	}
	for (unsigned i = 0; i < schema->n_columns; i++)
		if (schema->columns[i].prose && row_is_known(row, &schema->columns[i]))
			add_separated(&out, ": ", row_text(row, &schema->columns[i]));
	buffer_char(&out, '\0');
	return out.bytes;
}

static void take_firing(void *context, const struct rule_firing *fired)
{
	struct rule_watch *watch = context;
	const struct column *pid = schema_find(fired->schema, "pid");
	struct firing firing = {
		.subject = fired->row ? subject_text(fired->schema, fired->row) : alloc_text(""),
		.value = fired->value,
		.pid = fired->row && pid ? row_u64(fired->row, pid) : U64_UNKNOWN,
		.exit_code = -1,
		.signal = -1,
		.n_dropped = fired->n_dropped,
	};

	fire(watch, fired->rule, copy_firing(watch, fired->rule, &firing));
}

/* A rule that the kernel waits for sleeps again, once it has not held for some time. */
static void fall_asleep(struct rule_watch *watch, uint64_t now_ns)
{
	for (size_t i = 0; i < watch->set.n_rules; i++) {
		struct waiting *waiting = &watch->waiting[i];

		if ((watch->set.rules[i].n_subjects > 0 && !watch->set.rules[i].rule.of_growth) ||
		    watch->set.rules[i].n_late > 0 || waiting->awake_until_ns > now_ns)
			continue;
		waiting->awake_until_ns = 0;
		watch->set.rules[i].since_ns = 0;
	}
}

static const void *row_of(const struct table *table, uint64_t key)
{
	for (size_t i = 0; i < table->n_rows; i++)
		if (row_hash_key(table->schema, table_row(table, i)) == key)
			return table_row(table, i);
	return NULL;
}

/* "process.cpu_ratio > 0.9: 97 %, make 4711 (and 2 more)" */
static const char *finding_text(const struct watched_rule *watched, const struct rule_subject *first,
				size_t n_more, struct frame *frame)
{
	const struct condition *when = &watched->rule.when;
	const struct table *table = frame_table(frame, when->schema->name);
	const void *row = table && first->key ? row_of(table, first->key) : NULL;
	char value[VALUE_TEXT_MAX], *subject = row ? subject_text(when->schema, row) : NULL;
	struct buffer text = { 0 };
	const char *copy;

	buffer_add(&text, when->text.at, span_length(when->text));
	if (when->measured)
		buffer_print(&text, ": %s", amount_text(value, when->measured->unit, first->value));
	else if (isfinite(first->value))
		buffer_print(&text, ": %.0f", first->value);
	if (subject && *subject && when->n_selects == 0)
		buffer_print(&text, ", %s", subject);
	if (n_more > 0)
		buffer_print(&text, _(" (and %zu more)"), n_more);
	copy = arena_copy(&frame->arena, text.bytes, text.length);
	buffer_free(&text);
	free(subject);
	return copy;
}

/* The first one that shows the topic. */
static const char *pane_of(const char *topic)
{
	for (unsigned i = 0; i < n_panes; i++)
		if (pane_has_table(panes[i], topic))
			return panes[i]->name;
	return "";
}

/*
 * What fired and still holds, or would fire if there were room, as one finding for each rule. A finding that
 * fired is there already.
 */
static void add_findings(const struct rule_watch *watch, struct frame *frame)
{
	for (size_t i = 0; i < watch->set.n_rules; i++) {
		const struct watched_rule *watched = &watch->set.rules[i];
		const struct rule_subject *first = NULL;
		size_t n = 0;

		for (size_t s = 0; s < watched->n_subjects; s++) {
			const struct rule_subject *subject = &watched->subjects[s];

			if (!subject->fired && !(subject->late && !watched->rule.of_growth))
				continue;
			n++;
			if (!first || subject->since_ns < first->since_ns)
				first = subject;
		}
		if (first && watched->rule.when.schema != &finding_schema)
			findings_add(
				frame,
				&(struct finding_added){
					.rule = FINDING_OF_OPTION,
					.subject = arena_print(&frame->arena, _("rule %zu"), i + 1),
					.text = finding_text(watched, first, n - 1, frame),
					.topic = watched->rule.when.schema->name,
					.pane = pane_of(watched->rule.when.schema->name),
					.since_seconds = (double)(frame->mono_ns - first->since_ns) / 1e9,
				});
	}
}

void rule_watch_take(struct rule_watch *watch, struct frame *frame)
{
	if (watch->of_ends.must_look)
		process_ends_look(watch->ends);
	if (watch->of_starts.must_look)
		program_starts_look(watch->starts, take_start, watch);
	if (frame) {
		for (size_t i = 0; i < watch->set.n_rules; i++)
			if (watch->set.rules[i].rule.of_growth && !watch->set.rules[i].judged)
				wait_for_kills(watch, i, frame);
		rule_set_judge(&watch->set, frame, take_firing, watch);
		add_findings(watch, frame);
	}
	for (size_t i = 0; i < watch->set.n_rules; i++)
		fire_late(watch, i);
	fall_asleep(watch, env_mono_ns(watch->plan.env));
}
