/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The options that every pane shares, as one table for parser and --help, and what they set. */
#ifndef PANETOP_APP_OPTION_TABLE_H
#define PANETOP_APP_OPTION_TABLE_H

#include <stdbool.h>
#include <stddef.h>

#include "model/scope.h"
#include "model/settings.h"
#include "model/trace_spec.h"
#include "output/sink.h"
#include "screen/pane.h"
#include "sys/http_server.h"
#include "sys/machine.h"

#define OPTIONS_PANES_MAX 16
#define OPTIONS_TABLES_MAX 32
#define OPTIONS_LISTEN_MAX 8
#define SOURCE_SSH "ssh:"
#define SOURCE_PROMETHEUS "prometheus:"
#define TOP_DEFAULT 20
#define TOP_MAX 1000

struct topic;

enum when { WHEN_AUTO, WHEN_ALWAYS, WHEN_NEVER };

struct options {
	const struct machine_clock *clock; /* of the run: not an option */
	bool batch; /* given, or implied by another option */
	bool describe, probe, ascii, read_only, no_bpf, no_arguments, report_names;
	bool print; /* samples go to standard output or into the file of --write, not only into a recording */
	const struct sink_format *format;
	unsigned long count;             /* 0: until stopped */
	size_t limit;                    /* VIEW_ALL_ROWS: not given */
	uint64_t record_size;            /* bytes to keep; 0: all */
	double record_seconds;           /* to keep; 0: all */
	const char *in[SCOPE_TERMS_MAX]; /* of --in, as given */
	unsigned n_in;
	const char *pid, *user, *tree, *cgroup, *filter, *sort, *columns, *root, *record, *replay, *at,
		*between, *against, *assertion, *write, *save_on_fire, *source, *report;
	bool is_stored;   /* replay is the URL of a Prometheus, of --source */
	unsigned n_hosts; /* of --source, or of several files of --replay; 0: there is one file, or none */
	size_t top;       /* commands of a table in metrics */
	bool arguments;   /* whole command lines in metrics */
	const char *traces[TRACE_SPECS_MAX]; /* of --trace, as given */
	unsigned n_traces;
	const char *tables[OPTIONS_TABLES_MAX]; /* of --table, without repetitions */
	unsigned n_tables;
	const char *probe_calls[PROBE_CALLS_MAX]; /* of --probe-call, without repetitions */
	unsigned n_probe_calls;
	struct listen_address listen[OPTIONS_LISTEN_MAX];
	unsigned n_listen;    /* 0: samples go to standard output or a file */
	char *const *command; /* behind "--", ends with NULL; NULL: none */
	struct option_rule {
		const char *when, *run; /* run NULL: not given */
	} * rules;                      /* of --when; free() it */
	size_t n_rules, rules_capacity;
	bool watches;                /* it prints and shows nothing: there are rules alone */
	const char *rules_directory; /* of "panetop watch"; NULL: the rules are those of options */
	enum when color;
	const char *calibration;                     /* file of --calibration */
	const struct pane *panes[OPTIONS_PANES_MAX]; /* as named; none when n_panes is 0 */
	unsigned n_panes;
	const struct topic **topics; /* named in place of panes, for --describe and --probe; free() it */
	size_t n_topics, topics_capacity;
};

/* What it is accepted with instead of samples. */
enum option_use {
	WITH_SAMPLES = 0,
	WITH_DESCRIBE = 1,
	WITH_PROBE = 2,
	WITH_CALIBRATION = 4,
	WITH_ALL = WITH_DESCRIBE | WITH_PROBE | WITH_CALIBRATION,
};

struct option_entry {
	char letter; /* 0: long only */
	const char *name;
	const char *argument; /* as of struct setting */
	const char *help;     /* N_() */
	/* Returns false for an invalid value. NULL: it is the setting of this name, which has all this. */
	bool (*set)(struct options *options, const char *value);
	const char *expected; /* N_(): valid values, for the error message */
	unsigned uses;        /* of enum option_use: with others it is rejected */
};

/* Does it start programs: one that it measures, or those of rules? */
bool options_start_commands(const struct options *options);

extern const struct option_entry option_entries[];
extern const unsigned n_option_entries;

void print_help(void);
void print_version(void);

#endif
