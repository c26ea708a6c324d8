/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The command line: what its options set, and their table, for the parser and --help. */
#ifndef PANETOP_APP_OPTIONS_H
#define PANETOP_APP_OPTIONS_H

#include "model/rule.h"
#include "model/scope.h"
#include "model/settings.h"
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
	size_t count;                    /* 0: until stopped */
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
	const char *argument;       /* as of struct setting */
	const char *help;           /* N_(); NULL: it is the setting of this name, which has all this */
	size_t flag, text, number;  /* offset of what it sets in struct options; 0: nothing */
	uint64_t least, most;       /* of a number */
	bool (*set)(struct options *options, const char *value); /* false: invalid value; may be NULL */
	const char *expected; /* N_(): valid values, for the error message; NULL: any but an empty one */
	enum { IMPLIES_NOTHING, IMPLIES_BATCH, IMPLIES_PRINT } implies; /* the last one both */
	unsigned uses; /* of enum option_use: with others it is rejected */
};

/* Sets what it stands for; false for an invalid value. */
bool option_take(const struct option_entry *entry, struct options *options, const char *value);

/* Does it start programs: one that it measures, or those of rules? */
bool options_start_commands(const struct options *options);

extern const struct option_entry option_entries[];
extern const unsigned n_option_entries;

void print_help(void);
void print_version(void);
void print_keys(void); /* --keys: those of the screen, the views of panes, the rules of findings */

/*
 * Parses the command line; pane options go into settings. Returns -1 to go on, else the exit status: 0 after
 * --help and --version, 2 after an error message about wrong usage.
 */
int options_parse(struct options *options, struct settings *settings, int argc, char **argv);

/*
 * Returns 2 after an error message about an option of a pane that conflicts with other settings, else -1. The
 * screen calls it after it has read the configuration file.
 */
int options_check_conflicts(const struct settings *settings);

/* Prints an error message about an unknown pane. */
void options_refuse_pane(const char *what, const char *name);

/* Are the samples those of a recording, or of other machines, and not of this one? */
bool options_are_recorded(const struct options *options);

/* Is this open file (-1: none) the recording that is replayed, so that writing it would destroy it? */
bool options_would_destroy(const struct options *options, int fd);

/* The panes to print or open: the named ones, or the default ones. */
unsigned options_panes(const struct options *options, const struct pane **chosen);

/*
 * The topics of --describe and --probe: that of --table, else those of the named panes and the named ones,
 * else all. Free it with free().
 */
const struct topic **options_topics(const struct options *options, unsigned *n_chosen);

#endif
