/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Every setting: its name, type and range, and the value that configuration file, options or keys give it. */
#ifndef PANETOP_MODEL_SETTINGS_H
#define PANETOP_MODEL_SETTINGS_H

#include <string.h>

#include "core/config_lines.h"
#include "model/calibration.h"
#include "model/scope.h"

#define SETTING_NAME_MAX 128
#define PAST_SECONDS_MAX 604800
#define PAST_BYTES ((uint64_t)64 << 20)
#define PAST_BYTES_MIN ((uint64_t)1 << 20)

/* The values of some choices, in the order of their names. */
enum command_shown { COMMAND_LINE, COMMAND_PROGRAM, COMMAND_NAME };
enum graph_span { SPAN_5_MIN, SPAN_1_H, SPAN_SAMPLES };
enum used_memory { USED_PROCPS, USED_TOTAL_FREE, USED_HTOP, USED_NOT_CHOSEN };
enum event_choice {
	CHOSEN_FORK,
	CHOSEN_EXEC,
	CHOSEN_EXIT,
	CHOSEN_CORE,
	CHOSEN_PTRACE,
	CHOSEN_UID,
	CHOSEN_SID,
	CHOSEN_EXITNONZERO,
	CHOSEN_COMM,
	CHOSEN_CLONE,
	N_EVENT_CHOICES,
};

/* 0: one sample for each cell. */
double graph_span_seconds(enum graph_span span);

/* In the order of enum latency_policy and enum latency_method, of enum theme and enum glyph_set. */
extern const char *const latency_policy_names[], *const latency_method_names[];
extern const char *const theme_names[], *const glyph_set_names[];

/* How a pane shows commands. */
struct command_settings {
	unsigned shown;       /* enum command_shown */
	unsigned directories; /* 1: hidden */
};

/* What topics measure. */
struct topic_settings {
	struct {
		unsigned policy, method;
		uint64_t priority;
		double period_seconds, slack_seconds;
		double bucket_seconds, duration_seconds; /* 0: none */
		uint64_t samples;                        /* 0: no end */
		const char *cpus;                        /* a list; NULL: all that we may use */
		bool cpu_dma_latency;
	} latency;
	struct {
		unsigned kinds; /* bits of enum event_choice */
		uint64_t group; /* 0: all */
		bool real_time;
	} event;
	struct {
		uint64_t cells;    /* at most */
		uint64_t from, to; /* addresses; 0: not set */
		bool shares;
	} map;
	struct {
		uint64_t rate; /* samples a second of each busy CPU */
	} profile;
	struct {
		double cost_percent; /* of a CPU, that the hits of a probe may cost */
	} probe;
	const char *counters; /* libpfm4 events; "auto"; NULL: not set */
	struct power_fit fit; /* the calibration in use; cpus 0: none */
};

/*
 * A field has its usual value until something sets it; see settings_open(). Settings of tables (columns,
 * sort order), of findings and of single lines of a graph are texts alone, which those read who know them.
 */
struct settings {
	struct config_lines lines; /* all that is set, as text: what the key w writes */
	struct topic_settings topic;

	/* The screen. */
	const char *pane;  /* its first; NULL: not set */
	const char *theme; /* of theme_names, or of a file; NULL: not set */
	double delay_seconds;
	unsigned unit, glyphs;
	unsigned kernel_threads; /* in lists of processes; 1: hidden */
	double past_seconds; /* 0: nothing is kept */
	uint64_t past_bytes;

	/* Panes. */
	struct {
		bool idle, threads, per_machine, distribution, totals, hide_self, tree, graph;
		double threshold; /* percent of a CPU; NaN: not set */
		struct command_settings command;
	} cpu;
	struct {
		bool statistics;
		struct command_settings command;
	} events;
	struct {
		bool list;
	} groups;
	struct {
		double touched_window_seconds;
	} pages;
	struct {
		unsigned window; /* 0: since the start */
		unsigned times, counts;
	} latency;
	struct {
		unsigned used, span, axis;
		bool numa_maps;
	} memory;
	struct {
		double settle_seconds; /* before the first sample; NaN: as the meter needs */
		double least_idle;     /* percent; NaN: not set */
		bool no_forks, calibrate, per_count;
		double step_seconds;
		const char *cycles, *instructions; /* libpfm4 events; NULL: the kernel's own */
		unsigned span;
	} power;
};

enum setting_type {
	SETTING_FLAG,    /* bool: no or yes */
	SETTING_CHOICE,  /* unsigned: index of a word in choices */
	SETTING_SET,     /* unsigned: a bit for each word of a list; "all": the bits of most */
	SETTING_COUNT,   /* uint64_t: a whole number */
	SETTING_NUMBER,  /* double */
	SETTING_SECONDS, /* double: a time; NaN for a word in choices */
	SETTING_BYTES,   /* uint64_t: a size */
	SETTING_ADDRESS, /* uint64_t: hexadecimal */
	SETTING_TEXT,    /* const char *; NULL: not set */
	SETTING_FIT,     /* struct power_fit; on the command line the name of its file */
	SETTING_EACH,    /* no field; its name ends in a dot: one for each thing of a kind, by name */
};

/* A setting "PANE.NAME" is also the option --NAME of this pane if it has a help; "NAME" may be one of all. */
struct setting {
	const char *name; /* in the configuration file */
	enum setting_type type;
	size_t field; /* offset in struct settings */
	double least, most, usual;
	const char *const *choices;      /* ended by NULL; may be NULL */
	bool (*valid)(const char *text); /* of a text; NULL: all but the empty one */
	/*
	 * NULL: a flag. A placeholder in capitals, N_(), or the values in lower case: "auto|always|never".
	 * With commas between them, or with "[,...]", the option takes a list. Completion of shells relies on
	 * it.
	 */
	const char *argument;
	const char *help;     /* N_(): of the option; NULL: there is none */
	const char *expected; /* N_(): valid values, for the error message; NULL: the choices */
};

extern const struct setting all_settings[];
extern const unsigned n_all_settings;

/* NULL: unknown, or a text alone. */
const struct setting *setting_find(const char *name);

/* Is it an option of this pane? */
bool setting_is_option_of(const struct setting *setting, const char *pane);

/* Its name as an option: without the pane. */
const char *setting_option(const struct setting *setting);

bool setting_accepts(const struct setting *setting, const char *text);

/* Appends the valid values, for an error message, translated. */
void setting_write_expected(const struct setting *setting, struct buffer *out);

/* Every field as usual. */
void settings_open(struct settings *settings);
void settings_close(struct settings *settings);

/*
 * NULL: as usual again. number: the line of the file that has it; 0: an option or a key. Returns false, and
 * changes nothing, where text is not valid. The text of a name that is not of all_settings is only kept.
 */
bool settings_set(struct settings *settings, const char *name, const char *text, size_t number);

/* As it was set; NULL: it was not. */
const char *settings_text(const struct settings *settings, const char *name);

/* Was it set, and if it is a flag, to yes? */
bool settings_has(const struct settings *settings, const char *name);

#define DELAY_MIN 0.05 /* seconds between samples */
#define DELAY_MAX 86400
#define PROCESS_CHOICE_NAME_MAX 64
#define PROCESSES_VISIBLE_MAX 256
#define REQUESTED_SCHEMAS_MAX 8
#define PROBE_CALLS_MAX 8
#define PROBE_CALL_TEXT_MAX 512
#define HOST_NAME_ROOM 256

struct firing_log;
struct schema;
struct trace_specs;

/* A process as a table showed it. */
struct process_choice {
	bool is_set;
	uint32_t pid;
	double start_seconds; /* after boot; below 0: unknown … */
	uint64_t seen_ns;     /* … but it lived at this time, since 1970 */
	char name[PROCESS_CHOICE_NAME_MAX];
};

static inline bool process_choice_is_same(const struct process_choice *one,
					  const struct process_choice *other)
{
	return one->is_set == other->is_set &&
	       (!one->is_set || (one->pid == other->pid && one->start_seconds == other->start_seconds &&
				 one->seen_ns == other->seen_ns && strcmp(one->name, other->name) == 0));
}

/* A function of programs whose calls are counted. */
struct probe_call {
	char text[PROBE_CALL_TEXT_MAX]; /* FILE:FUNCTION, as --probe-call; empty: none */
	uint32_t pid;                   /* of this process alone; 0: of the scope */
	bool allowed;                   /* whatever it costs */
	unsigned number; /* counts up with each that is added, so that another one in its place is known */
};

/*
 * What this run requests from the topics besides the settings: set by options and the screen, never by a
 * file.
 */
struct sample_request {
	bool batch, once, read_only, recorded;
	bool command;              /* a command runs meanwhile, which the latency topics tell apart */
	bool no_arguments;         /* commands are names: no topic that shows command lines has read any */
	bool no_bpf;               /* nothing is counted in the kernel by programs of panetop */
	unsigned n_hosts;          /* machines that frames are chosen from: of several, … */
	char host[HOST_NAME_ROOM]; /* … this one is shown; empty: the first */
	const bool *resting; /* by index of the schema: wanted, but not in the next sample; NULL: none */
	uint32_t own_pid;    /* of panetop; 0: a recording, or another machine's files */
	struct scope *scope; /* the processes that this run is about; NULL: all */
	struct firing_log *firings; /* of rules, for the topic watch, which empties it; NULL: no rules */
	struct probe_call probe_calls[PROBE_CALLS_MAX];
	struct trace_specs *traces;     /* what is to be counted at tracepoints; NULL: nothing */
	const char *processes;          /* --pid, --in=pid=LIST; NULL: not given */
	const char *shown_user;         /* chosen on the screen: only tables are filtered; NULL: all */
	struct process_choice selected; /* under the cursor of the CPU pane: its counters are read; no name */
	uint32_t visible[PROCESSES_VISIBLE_MAX]; /* pids in the CPU pane, ascending: they are read again */
	size_t n_visible;
	struct {
		const struct schema *schema;
		unsigned long columns;  /* bits of column.on_request */
	} shown[REQUESTED_SCHEMAS_MAX]; /* columns on request that some output or the screen shows */
	unsigned n_shown;
	bool touches;       /* batch: the user has named the table of touched memory: bits are cleared */
	bool touches_all;   /* … the column of processes */
	bool named_columns; /* batch: the user has named them, so that even the slow ones are read */
	uint32_t group_pid; /* the process under the cursor: the key @ may want its group; 0: none */
	bool all_groups;    /* a table shows control groups: none of them waits for its turn */
	bool all_commands;  /* a search or a filter may want the command lines of idle processes */
	bool idle_shown;    /* the CPU pane shows them, and with them their command lines */

	/* The view of nodes. */
	bool numa_maps;                /* pages of the processes in .processes are counted, not sampled */
	struct process_choice counted; /* the pages of this one are counted once … */
	unsigned n_counted;            /* … after each change of this */

	/* The pages pane. */
	struct process_choice mapped; /* chosen on the screen; not set: processes */
	bool time_of_mapped;          /* time accounts are of this one alone */
	uint32_t profiled_pid;        /* profiles are of this process alone; 0: of the scope */
	unsigned n_next;       /* each change requests the next process with the name of the last one */
	uint64_t page_address; /* 0: none */
	struct {
		uint64_t cell_pages; /* 0: the smallest at which everything fits */
		uint64_t anchor;     /* with cell_pages: address of a cell … */
		size_t before;       /* … and the cells wanted before it */
		size_t most;         /* cells wanted from the anchor on; 0: as the options request */
	} cells;
};

/* Adds one: its place, or -1: there are as many as there may be, or the text is too long. */
int sample_request_probe(struct sample_request *request, const char *text, uint32_t pid);

/* Adds columns on request, by bit, of this schema; false: all of them were requested already. */
bool sample_request_add(struct sample_request *request, const struct schema *schema, unsigned long columns);

/* Are the columns with this number in column.on_request wanted? */
bool sample_request_wants(const struct sample_request *request, const struct schema *schema, unsigned number);
bool sample_request_wants_any(const struct sample_request *request, const struct schema *schema);

#endif
