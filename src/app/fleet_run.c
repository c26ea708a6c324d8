/* SPDX-License-Identifier: GPL-2.0-or-later */
/* From options to the members of a fleet, and what panetop is to record on each. */
#include <config.h>

#include "app/fleet_run.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "app/privileges.h"
#include "core/alloc.h"
#include "core/i18n.h"
#include "fleet/fleet.h"
#include "pane/panes.h"
#include "sys/error_message.h"
#include "sys/loop.h"
#include "sys/privilege.h"
#include "topic/finding/finding_rules.h"
#include "topic/topic.h"

struct fleet_run {
	struct fleet_plan plan;
	struct fleet *fleet;
};

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

static void report(const char *name, const char *why)
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
	fleet_report_failures(fleet, report);
	return 1;
}

static int add_files(struct fleet *fleet, const struct options *options,
		     int (*open_file)(const struct options *options, const char *file, struct source *source))
{
	struct span rest = span_text(options->replay), item;
	int status = 0;

	while (status == 0 && span_item(&rest, &item)) {
		struct source recording;
		char *file = item_text(item);

		status = open_file(options, file, &recording);
		if (status == 0)
			fleet_add_recording(fleet, &recording, file);
		free(file);
	}
	return status;
}

/* From here on source->close() closes the fleet. */
static int take_source(struct fleet_run *run, const struct options *options, struct source *source)
{
	int error = fleet_source(run->fleet, source);

	if (error && error != -EINTR)
		error_message(options->replay, "%s", strerror(-error));
	return error ? 1 : 0;
}

struct fleet_run *
fleet_run_open(const struct options *options, const struct settings *settings, struct sample_request *request,
	       int (*open_file)(const struct options *options, const char *file, struct source *source),
	       struct source *source, int *status)
{
	struct fleet_run *run = alloc_zeroed(1, sizeof(*run));

	request->n_hosts = options->n_hosts;
	run->plan = (struct fleet_plan){
		.reading = { .schemas = topic_schemas(),
			     .n_schemas = n_topics,
			     .rules = finding_rules,
			     .n_rules = n_finding_rules,
			     .settings = settings,
			     .clock = options->clock,
			     .interrupted = loop_signal_waits },
		.request = request,
		.together = options->batch && options->n_hosts > 1,
		.record = record_there(options, settings),
		.variables = user_variables(),
		.back_bytes = 1,
	};
	/* ssh is started again later, then without them, too */
	*status = drop_privileges(options, settings, NULL, NULL);
	if (*status == 0) {
		run->fleet = fleet_open(&run->plan);
		*status = options->source ? add_hosts(run->fleet, options->source + strlen(SOURCE_SSH))
					  : add_files(run->fleet, options, open_file);
		if (*status == 0)
			*status = take_source(run, options, source);
		if (*status == 0)
			return run;
		fleet_close(run->fleet);
	}
	free(run);
	return NULL;
}

void fleet_run_close(struct fleet_run *run)
{
	free(run);
}
