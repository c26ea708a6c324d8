/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What this run requests from the topics besides the settings: set by options and the screen, never by a
 * file.
 */
#ifndef PANETOP_MODEL_SAMPLE_REQUEST_H
#define PANETOP_MODEL_SAMPLE_REQUEST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "model/scope.h"

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
