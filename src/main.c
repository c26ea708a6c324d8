/* SPDX-License-Identifier: GPL-2.0-or-later */
/* panetop: parses options, opens the source, and runs batch mode or the screen. */
#include <config.h>

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "app/options.h"
#include "app/privileges.h"
#include "app/recordings.h"
#include "app/rule_list.h"
#include "app/rule_watch.h"
#include "app/run_plan.h"
#include "app/runs.h"
#include "core/alloc.h"
#include "core/i18n.h"
#include "fleet/fleet.h"
#include "fleet/prometheus_api.h"
#include "fleet/stored_fleet.h"
#include "output/recording.h"
#include "pane/panes.h"
#include "sys/descriptor.h"
#include "sys/env.h"
#include "sys/helper.h"
#include "sys/loop.h"
#include "sys/machine_thread.h"
#include "sys/privilege.h"
#include "topic/counter/counter.h"
#include "topic/finding/finding_rules.h"
#include "topic/live.h"
#include "topic/topic.h"
#include "topic/tracepoint/tracepoint_plan.h"
#include "topic/users.h"

static int refuse(const char *option, const char *value, const char *why)
{
	error_message(option, "'%s': %s", value, why);
	return 2;
}

static int add(struct scope *scope, const char *option, const char *value, const struct scope_term *term)
{
	return scope_add(scope, term) ? 0 : refuse(option, value, _("there are too many"));
}

/* Batch of panes that show one process: no other is read. */
static bool pid_is_target(const struct options *options)
{
	bool target = options->batch && options->n_panes > 0 && options->n_topics == 0 &&
		      options->n_tables == 0;

	for (unsigned i = 0; i < options->n_panes; i++)
		target &= options->panes[i]->of_process;
	return target;
}

/* What was typed for the scope. 0; 2 after a message about what names nothing or cannot be combined. */
static int scope_from_options(struct scope *scope, const struct options *options)
{
	const struct {
		const char *name, *value;
		enum scope_kind kind;
	} older[] = { { "--pid", options->pid, SCOPE_PROCESSES },
		      { "--user", options->user, SCOPE_USER },
		      { "--tree", options->tree, SCOPE_TREE },
		      { "--cgroup", options->cgroup, SCOPE_GROUP } };
	struct scope_term term;
	char why[TEXT_MAX];
	int status = 0;

	for (unsigned i = 0; i < options->n_in && status == 0; i++)
		status = scope_term_parse(&term, options->in[i], why, sizeof(why))
				 ? add(scope, "--in", options->in[i], &term)
				 : refuse("--in", options->in[i], why);
	for (unsigned i = 0; i < sizeof(older) / sizeof(older[0]) && status == 0; i++)
		if (older[i].value && !(older[i].kind == SCOPE_PROCESSES && pid_is_target(options)))
			status = scope_term_set(&term, older[i].kind, older[i].value, why, sizeof(why))
					 ? add(scope, older[i].name, older[i].value, &term)
					 : refuse(older[i].name, older[i].value, why);
	return status;
}

/* Parses what was given. 0, or 2 after an error message. */
static int traces_from_options(struct trace_specs *traces, const struct options *options)
{
	char why[TEXT_MAX];

	for (unsigned i = 0; i < options->n_traces; i++) {
		if (!trace_spec_parse(&traces->list[i], options->traces[i], why, sizeof(why)))
			return refuse("--trace", options->traces[i], why);
		traces->n++;
	}
	traces->epoch = traces->n > 0;
	return 0;
}

/* Has the kernel these tracepoints and fields, as far as panetop may know? 0, or 2 after an error message. */
static int traces_check(const struct trace_specs *traces, struct env *env)
{
	char why[TEXT_MAX];

	for (unsigned i = 0; i < traces->n; i++)
		if (!tracepoint_check(env, &traces->list[i], why, sizeof(why)))
			return refuse("--trace", traces->list[i].text, why);
	return 0;
}

static int open_replay(const struct options *options, const char *file, struct source *source)
{
	bool goes_back =
		!options->batch || options->at || options->between || options->against || options->report;
	struct recording_input input = {
		.fd = strcmp(file, "-") == 0 ? dup(STDIN_FILENO) : open(file, O_RDONLY | O_CLOEXEC),
		.back_bytes = goes_back ? UINT64_MAX : 0,
		.interrupted = loop_signal_waits,
		.schemas = topic_schemas(),
		.n_schemas = n_topics,
	};
	struct stat status;
	const char *why;

	if (input.fd < 0) {
		error_message(file, "%s", strerror(errno));
		return 1;
	}
	if (fstat(input.fd, &status) == 0 && S_ISDIR(status.st_mode))
		return recording_parts_open(source, input.fd, file, input.schemas, input.n_schemas) ? 1 : 0;
	if (replay_open(source, &input, &why) < 0) {
		error_message(file, "%s", why);
		return 1;
	}
	return 0;
}

/* rules: NULL where there are none. */
static int run(const struct options *options, struct settings *settings, struct sample_request *request,
	       struct source *source, struct source *against, struct worker *worker, struct rule_watch *rules)
{
	struct run_plan plan;
	int status;

	if (options->report)
		return report_run(options, settings, request, source);
	if (settings->power.calibrate)
		return calibrate_run(options, settings, source);
	if (options->n_listen > 0)
		return serve_run(options, settings, request, source, worker);
	if (!options->batch)
		return interactive_run(options, settings, request, source, worker, rules);
	status = run_plan_open(&plan, options, settings, request);
	run_plan_request(&plan, options, request);
	if (rules && status == 0)
		run_plan_add_rules(&plan, options, rules);
	if (status == 0)
		status = batch_run(options, &plan, source, against, worker, rules);
	run_plan_close(&plan);
	return status;
}

static void close_replay(const char *file, struct source *source)
{
	if (source->remark(source->state))
		error_message(file, "%s", source->remark(source->state));
	source->close(source->state);
}

/* How frames of other machines are read. */
static struct member_plan reading(const struct options *options, const struct settings *settings)
{
	return (struct member_plan){
		.schemas = topic_schemas(),
		.n_schemas = n_topics,
		.rules = finding_rules,
		.n_rules = n_finding_rules,
		.settings = settings,
		.clock = options->clock,
		.interrupted = loop_signal_waits,
	};
}

#define STORED_STEP_SECONDS 15.0 /* between frames that are stored, at least: most are scraped so often */

/* "URL", or "URL?instance=NAME" */
static int run_stored(const struct options *options, struct settings *settings,
		      struct sample_request *request)
{
	char *shown = prometheus_shown_url(options->replay), *url = alloc_text(options->replay);
	char *machine = strstr(url, PROMETHEUS_INSTANCE);
	struct options without_user = *options;
	const struct stored_fleet_plan plan = {
		.reading = reading(options, settings),
		.url = url,
		.machine = machine ? machine + strlen(PROMETHEUS_INSTANCE) : NULL,
		.step_seconds = fmax(settings->delay_seconds, STORED_STEP_SECONDS),
		.request = request,
	};
	struct source source;
	const char *why;
	int status = 1;

	if (machine)
		*machine = '\0';
	without_user.replay = shown;
	prometheus_hide_user((char *)options->replay); /* an argument of main() */
	if (stored_fleet_open(&source, &plan, &why) < 0)
		error_message(shown, "%s", why);
	else {
		status = run(&without_user, settings, request, &source, NULL, NULL, NULL);
		close_replay(shown, &source);
	}
	free(shown);
	free(url);
	return status;
}

static int run_replay(const struct options *options, struct settings *settings,
		      struct sample_request *request)
{
	struct source source, against;
	int status = open_replay(options, options->replay, &source);

	if (status)
		return status;
	if (options->against)
		status = open_replay(options, options->against, &against);
	if (status == 0) {
		status = run(options, settings, request, &source, options->against ? &against : NULL, NULL,
			     NULL);
		if (options->against)
			close_replay(options->against, &against);
	}
	close_replay(options->replay, &source);
	return status;
}

/* Recorded for a screen in any case, as this costs little there. */
static const char *const screen_panes[] = {
	"cpu", "memory", "disks", "network", "groups", "power", "kernel"
};

static void add_pane(struct ssh_record *record, const char *name)
{
	for (unsigned i = 0; i < record->n_panes; i++)
		if (strcmp(record->panes[i], name) == 0)
			return;
	if (record->n_panes < SSH_NAMES_MAX)
		record->panes[record->n_panes++] = name;
}

/* The overview has what a row of a machine is made of. A pane of machines is one here, not there. */
static struct ssh_record record_there(const struct options *options, const struct settings *settings)
{
	struct ssh_record record = {
		.delay_seconds = settings->delay_seconds,
		.no_bpf = options->no_bpf,
		.no_arguments = options->no_arguments,
	};

	add_pane(&record, "overview");
	for (unsigned i = 0; i < options->n_panes; i++)
		if (!options->panes[i]->of_hosts)
			add_pane(&record, options->panes[i]->name);
	for (size_t i = 0; !options->batch && i < sizeof(screen_panes) / sizeof(screen_panes[0]); i++)
		add_pane(&record, screen_panes[i]);
	for (unsigned i = 0; i < options->n_tables && record.n_tables < SSH_NAMES_MAX; i++)
		if (!topic_find(options->tables[i])->schema->derived)
			record.tables[record.n_tables++] = options->tables[i];
	return record;
}

static void report_failure(const char *name, const char *why)
{
	error_message(name, "%s", why);
}

/* An item of a list as a text. */
static char *item_text(struct span item)
{
	char *text = alloc_zeroed(span_length(item) + 1, 1);

	memcpy(text, item.at, span_length(item));
	return text;
}

static int add_hosts(struct fleet *fleet, const char *list)
{
	struct span rest = span_text(list), item;

	while (span_item(&rest, &item)) {
		char *host = item_text(item);

		fleet_add_ssh(fleet, host);
		free(host);
	}
	if (fleet_wait(fleet))
		return 0;
	fleet_report_failures(fleet, report_failure);
	return 1;
}

static int add_files(struct fleet *fleet, const struct options *options)
{
	struct span rest = span_text(options->replay), item;
	int status = 0;

	while (status == 0 && span_item(&rest, &item)) {
		struct source recording;
		char *file = item_text(item);

		status = open_replay(options, file, &recording);
		if (status == 0)
			fleet_add_recording(fleet, &recording, file);
		free(file);
	}
	return status;
}

/* Other machines, or several recordings. */
static int run_fleet(const struct options *options, struct settings *settings, struct sample_request *request)
{
	struct fleet_plan plan = {
		.reading = reading(options, settings),
		.request = request,
		.together = options->batch && options->n_hosts > 1,
		.record = record_there(options, settings),
		.variables = user_variables(),
		.back_bytes = 1,
	};
	/* ssh is started again later, then without them, too */
	int error, status = drop_privileges(options, settings, NULL, NULL);
	struct fleet *fleet;
	struct source source;

	if (status)
		return status;
	request->n_hosts = options->n_hosts;
	fleet = fleet_open(&plan);
	status = options->source ? add_hosts(fleet, options->source + strlen(SOURCE_SSH))
				 : add_files(fleet, options);
	error = status ? 0 : fleet_source(fleet, &source);
	if (error && error != -EINTR)
		error_message(options->replay, "%s", strerror(-error));
	if (status || error) {
		fleet_close(fleet);
		return status ? status : 1;
	}
	status = run(options, settings, request, &source, NULL, NULL, NULL);
	close_replay(options->replay, &source); /* the fleet with it */
	return status;
}

/* An unknown name would show an empty table; any number may be a UID. */
static int find_users(const struct options *options, struct scope_term *term, struct env *env)
{
	const char *root = options->root ? options->root : "", *option = options->user ? "--user" : "--in";
	struct span unknown = users_first_unknown(env, term->text), rest = span_text(term->text), item;
	char name[128];

	while (span_length(unknown) == 0 && term->n_users < SCOPE_USERS_MAX && span_item(&rest, &item))
		term->n_users += users_number(env, item, &term->users[term->n_users]);
	if (span_length(unknown) == 0)
		return 0;
	snprintf(name, sizeof(name), "%.*s", (int)span_length(unknown), unknown.at);
	if (env->live)
		error_message(option, _("unknown user '%s'; give a user name or UID"), name);
	else if (env_exists(env, "etc/passwd"))
		error_message(option, _("unknown user '%s' in %s/etc/passwd"), name, root);
	else
		error_message(option, _("'%s': %s/etc/passwd does not exist; give a UID"), name, root);
	return 2;
}

static int check_users(const struct options *options, struct scope *scope, struct env *env)
{
	int status = 0;

	for (unsigned i = 0; i < scope->n_terms && status == 0; i++)
		if (scope->terms[i].kind == SCOPE_USER)
			status = find_users(options, &scope->terms[i], env);
	return status;
}

/* Rejects meaningless names only; notices report events that this machine cannot count. */
static int check_events(const struct settings *settings, struct env *env)
{
	const char *names = counter_names(&settings->topic), *why;
	char *unknown = names && env->live ? counter_events_unknown(env, names, &why) : NULL;

	if (!unknown)
		return 0;
	error_message("--perf", _("'%s': %s; use auto, or names known to libpfm4, or tracepoints"), unknown,
		      why);
	free(unknown);
	return 2;
}

/* Samples, which rules judge as well. */
static int run_with_rules(const struct options *options, struct settings *settings,
			  struct sample_request *request, struct source *source, struct env *env)
{
	struct firing_log log = { 0 };
	struct rule_list list = { 0 };
	struct rule_watch_plan plan = { .rules = &list,
					.env = env,
					.log = &log,
					.output = options->batch,
					.files = source->files_before };
	int status = rule_options_read(options, &list);
	struct rule_watch *rules;

	if (status == 0) {
		request->firings = &log;
		rules = rule_watch_open(&plan);
		status = rules ? run(options, settings, request, source, NULL, env->worker, rules) : 1;
		rule_watch_close(rules);
		request->firings = NULL;
	}
	rule_list_free(&list);
	firing_log_free(&log);
	return status;
}

static int run_machine(const struct options *options, struct settings *settings,
		       struct sample_request *request, struct env *env)
{
	struct source source;
	int status;

	live_open(&source, env, settings, request);
	if (options->watches)
		status = watch_run(options, settings, request, &source, env);
	else if (options->n_rules > 0)
		status = run_with_rules(options, settings, request, &source, env);
	else
		status = run(options, settings, request, &source, NULL, env->worker, NULL);
	source.close(source.state);
	return status;
}

static int run_live(const struct options *options, struct settings *settings, struct sample_request *request)
{
	const char *root = options->root ? options->root : "/";
	struct env env;
	int status, error = env_open(&env, root);

	if (error) {
		error_message(root, "%s", strerror(-error));
		return 1;
	}
	env.clock = options->clock;
	env.worker = worker_open();
	if (options->probe) {
		status = probe_run(options, settings, &env);
	} else {
		request->own_pid = env.own_pid;
		status = check_users(options, request->scope, &env);
		if (status == 0)
			status = check_events(settings, &env);
		if (status == 0)
			status = traces_check(request->traces, &env);
		if (status == 0)
			status = run_machine(options, settings, request, &env);
	}
	worker_close(env.worker);
	env_close(&env);
	return status;
}

/* Otherwise files that are opened would get these numbers. Reads and writes here still fail. */
static int open_missing_descriptors(void)
{
	static const int modes[] = { O_WRONLY, O_RDONLY, O_RDONLY };

	for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++)
		if (fcntl(fd, F_GETFD) < 0 && open("/dev/null", modes[fd]) != fd)
			return -1;
	return 0;
}

static int run_source(const struct options *options, struct settings *settings)
{
	struct scope scope = { 0 };
	struct trace_specs traces = { 0 };
	struct sample_request request = {
		.batch = options->batch,
		.once = options->count == 1,
		.read_only = options->read_only,
		.recorded = options_are_recorded(options),
		.scope = &scope,
		.traces = &traces,
		.no_bpf = options->no_bpf,
		.no_arguments = options->no_arguments,
		.command = options->command,
	};
	int status = scope_from_options(&scope, options);
	const struct scope_term *listed = scope_find(&scope, SCOPE_PROCESSES);

	for (unsigned i = 0; i < options->n_probe_calls; i++)
		sample_request_probe(&request, options->probe_calls[i], 0);
	request.processes = listed ? listed->text : options->pid;
	if (status == 0)
		status = traces_from_options(&traces, options);
	if (status == 0)
		status = options->is_stored     ? run_stored(options, settings, &request)
			 : options->n_hosts > 0 ? run_fleet(options, settings, &request)
			 : options->replay      ? run_replay(options, settings, &request)
						: run_live(options, settings, &request);
	scope_free(&scope);
	return status;
}

int main(int argc, char **argv)
{
	struct options options = {
		.clock = &stepped_clock, .format = &sink_text, .limit = VIEW_ALL_ROWS, .top = TOP_DEFAULT
	};
	struct settings settings;
	int status, error;

	alloc_open();
	if (open_missing_descriptors() < 0)
		return 1;
	user_variables_open();
	system_calls_try();
	error = privilege_open(NULL);
	i18n_open(LOCALEDIR);
	if (error) {
		error_message("capset", _("cannot drop privileges: %s"), strerror(-error));
		error_message_close();
		return 1;
	}
	signal(SIGCHLD, SIG_DFL); /* who starts panetop may ignore it: then no child has a status */
	signal(SIGPIPE, SIG_IGN);
	signal(SIGXFSZ, SIG_IGN);
	settings_open(&settings);
	status = options_parse(&options, &settings, argc, argv);
	if (options.format != &sink_text || options.record)
		i18n_for_programs();
	if (status < 0 && options.describe)
		status = describe_run(&options);
	if (status < 0)
		status = calibration_file_take(&settings, options.calibration);
	if (status < 0)
		status = run_source(&options, &settings);
	helper_stop();
	settings_close(&settings);
	free(options.topics);
	free(options.rules);
	error_message_close();
	return status;
}
