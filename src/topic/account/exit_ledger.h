/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What processes used that no list of processes shows any more: those that ended since the last look. */
#ifndef PANETOP_TOPIC_ACCOUNT_EXIT_LEDGER_H
#define PANETOP_TOPIC_ACCOUNT_EXIT_LEDGER_H

#include "core/hash.h"
#include "topic/event/event_batch.h"
#include "topic/process/process_list.h"
#include "topic/topic.h"

#define EXITED_COMMANDS_MAX ((size_t)512)
#define EXITED_NO_RECORD "(no record)" /* the name of those of whom nothing was told */

/* Processes that ended and went by the same name. */
struct exited_command {
	char name[PROCESS_NAME_MAX];
	uint64_t exits;  /* since we began to watch; U64_UNKNOWN without records */
	uint64_t cpu_ns; /* what they used and nobody had seen before they ended */
	uint64_t reported_ns, left_kib; /* of this tick: what was told of them, and memory they had to free */
};

struct exit_ledger {
	struct process_list *processes;
	struct exit_reader *reader; /* NULL: parents tell what their children used */
	int reader_error;           /* -errno: why there is none */
	struct event_reader *events; /* then: who ended; NULL where processes are not live */
	struct event_ended_list event_ended; /* of this tick */
	struct child_shares *shares; /* along with events */
	uint64_t tick;
	int error;                  /* of the last update */
	uint64_t alive_ns;          /* used by all while they were seen alive, since we began to watch */
	uint64_t ended_ns;          /* used by those that ended, after they were seen alive */
	bool by_cpu_sum;           /* in this tick: by what all ran; else by what records or parents told */
	uint64_t ahead_ns;          /* by which the clocks saw more than the sum of all that all ran */
	uint64_t lost;              /* records, up to the last tick */
	struct exited_command *commands; /* those beyond the room are counted under one name, the last */
	size_t n_commands;
	struct hash by_name;        /* of commands */
	struct ended {              /* a thread that ended in this tick */
		uint32_t tgid, number;
		bool first;         /* it was the first thread of its process */
		uint64_t cpu_ns, run_ns; /* an estimate; as in its record, 0 when not known */
		uint64_t peak_kib;  /* 0 when not known */
		char name[PROCESS_NAME_MAX];
	} *ended;
	size_t n_ended, ended_capacity;
};

/* Shared by all topics of sample->env; each that opens it closes it. */
struct exit_ledger *exit_ledger_open(const struct sample *sample);
void exit_ledger_close(struct exit_ledger *ledger);

/* Once per tick, after the tasks, which it updates. 0 or -errno of that. */
int exit_ledger_update(struct exit_ledger *ledger);

#endif
