/* SPDX-License-Identifier: GPL-2.0-or-later */
/* CPU time of processes that exited between two samples. */
#ifndef PANETOP_TOPIC_PROCESS_EXIT_LEDGER_H
#define PANETOP_TOPIC_PROCESS_EXIT_LEDGER_H

#include <stdbool.h>
#include <stdint.h>

#include "core/hash.h"
#include "topic/event/event_batch.h"
#include "topic/process/exit_ends.h"
#include "topic/process/process_entry.h"
#include "topic/process/process_list.h"
#include "topic/topic.h"

#define FAILING_COMMANDS_MAX 256u
#define FAILING_LAST 16u /* failures of which the parents are kept */

/* All zero is unused. */
struct failing_command {
	char name[PROCESS_NAME_MAX], parent[PROCESS_NAME_MAX]; /* parent "": not known */
	uint32_t exit_code; /* how the one that failed last ended, as in wait(2) */
	uint32_t parent_pids[FAILING_LAST]; /* of the last failures, in a circle */
	uint64_t exits, failures; /* since it began to fail: a minute without failures before */
	uint64_t failed_ns, exited_ns; /* when it last did; failed_ns 0: never */
};

/* Pairs that do not fail, or no longer, make room for others. All zero is empty. */
struct failing_commands {
	struct failing_command all[FAILING_COMMANDS_MAX];
	uint64_t lost; /* exits of pairs for which there was no room */
};

/*
 * A code other than 0, or a crash, as in wait(2)? Not a signal from another process, nor the code of a shell
 * for such a signal.
 */
bool exit_is_failure(uint32_t exit_code);

/*
 * Its name; of git and systemctl with their subcommand, which says whether their exit code is an answer,
 * if its arguments, joined by spaces, are known (NULL: they are not).
 */
const char *failing_command_name(char whole[PROCESS_NAME_MAX], const char *name, const char *command);
void failing_commands_add(struct failing_commands *commands, uint64_t now_ns, const char *name,
			  const char *parent, uint32_t parent_pid, uint32_t exit_code);

/* Has it failed within the last minute? */
bool failing_command_is_recent(const struct failing_command *command, uint64_t now_ns);

/* The PID of the parent of most of the last failures; else U64_UNKNOWN, and how many parents there are. */
uint64_t failing_command_parent(const struct failing_command *command, uint64_t *n_parents);

#define CHILD_SHARES_MAX ((size_t)256) /* names of exited children, of all parents */

struct child_shares {
	struct child_share {
		uint32_t reaper_pid; /* the living ancestor whose cutime includes them */
		uint64_t lived_ns;   /* since they were last seen, without the lifetimes of their children */
		char comm[EVENT_COMM_BYTES + 1];
	} list[CHILD_SHARES_MAX];
	size_t count;
	uint64_t since_ns; /* of the previous update of the processes; 0: none */
};

/* Adds what exited, and sorts ended by pid. Once per update of the processes. */
void child_shares_add(struct child_shares *shares, const struct process_list *processes,
		       struct event_ended_list *ended);

/*
 * Splits ns, the growth of the cutime of reaper_pid, in proportion to lifetimes: credits each name with its
 * part, and removes the names. False when no child of it is known.
 */
bool child_shares_split(struct child_shares *shares, const struct process_list *processes,
			uint32_t reaper_pid, uint64_t ns,
			void (*credit)(void *context, const char *name, uint64_t ns), void *context);

#define EXITED_COMMANDS_MAX ((size_t)512)
#define EXITED_NO_RECORD "(no record)" /* name of processes without an exit record */

/* Exited processes of the same name. */
struct exited_command {
	char name[PROCESS_NAME_MAX];
	uint64_t exits;  /* since the first sample; U64_UNKNOWN without records */
	uint64_t failures; /* of these, with a code other than 0 or by a signal; as exits */
	uint64_t disk_bytes; /* read and written, that no sample saw; as exits */
	uint64_t cpu_ns;   /* CPU time that no sample saw … */
	uint64_t grown_ns; /* … and of that in this tick */
	uint64_t reported_ns, left_kib; /* in this tick: CPU time by records or parents, and memory to free */
};

struct exit_ledger {
	struct process_list *processes;
	struct exit_reader *reader; /* NULL: cutime/cstime of parents is used */
	int reader_error;           /* -errno: why there is none */
	uint64_t tick_ns;           /* see exit_reader_tick_ns() */
	bool counts_io;             /* else records have 0 for it */
	struct event_reader *events; /* names of exited processes without a reader; NULL: not live */
	struct event_ended_list event_ended; /* of this tick */
	struct child_shares *shares; /* along with events */
	uint64_t alive_ns;          /* CPU time of living processes, since the first sample */
	uint64_t ended_ns;          /* CPU time of exited processes after they were last seen */
	unsigned scope_epoch;       /* of the scope that these are about: */
	uint64_t scope_alive_ns, scope_ended_ns; /* the same of processes in the scope, since it was chosen */
	struct exited_command outside;           /* all that exited outside of it */
	bool by_cpu_sum;            /* in this tick: ended_ns grew by cpu_sum - clocks; else by reports */
	uint64_t ahead_ns;          /* by which the clocks of processes are ahead of cpu_sum */
	uint64_t lost;              /* records, until the previous tick */
	struct exited_command
		*commands; /* in the scope; names beyond the limit are counted as the last one */
	size_t n_commands;
	struct hash by_name;        /* of commands */
	struct failing_commands failing; /* in the scope; with a reader alone */
	struct exit_ends ends;           /* in the scope, one by one */
	struct ended {              /* a thread that exited in this tick, or waits for the next one */
		uint32_t tgid, number;
		bool first;         /* the main thread of its process */
		bool last;          /* its process ended with it */
		bool waits;         /* it ended after the clocks of this tick were read */
		uint64_t cpu_ns, run_ns; /* an estimate; as in its record, or 0 */
		uint64_t peak_kib;  /* or 0 */
		uint64_t disk_bytes; /* or 0 */
		uint64_t elapsed_ns; /* of its life, or U64_UNKNOWN */
		uint32_t exit_code; /* as in wait(2), or 0 */
		bool code_known;
		uint32_t parent_pid, uid; /* U32_UNKNOWN */
		char name[PROCESS_NAME_MAX];
	} *ended;
	size_t n_ended, ended_capacity;
	struct recent_use recent_ended;
};

extern const struct reader exit_ledger_reader;

/*
 * Where there are no exit records, a notice of the topic says what it lacks: without_records if there are
 * process events, else without_both. Both are N_().
 */
void exit_ledger_notice(const struct exit_ledger *ledger, const struct sample *sample,
			const char *without_records, const char *without_both);

/* Is it about a part of the machine only? */
bool exit_ledger_has_scope(const struct exit_ledger *ledger);

#endif
