/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Joins exit records with processes that were seen alive, so that nothing is counted twice. */
#include <config.h>

#include "topic/process/exit_ledger.h"

#include <errno.h>
#include <math.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/alloc.h"
#include "core/hash.h"
#include "core/i18n.h"
#include "core/unknown.h"
#include "core/vector.h"
#include "model/frame.h"
#include "sys/pids.h"
#include "topic/event/event_reader.h"
#include "topic/process/cgroup_cpu_time.h"
#include "topic/process/exit_reader.h"

/* Counts exits by pairs of names, in a few places of a table without lists. */

#define PLACES 4u /* that a pair may have */
#define OWN_SHARE 0.8 /* of the last failures: a parent is named that has as many of them */
#define RECENT_NS (UINT64_C(60) * 1000000000)
#define SHELL_SIGNAL 128u /* a shell adds the signal to this */
#define SIGNALS 32u       /* but for those of real time */

/* Signals that a process causes itself. */
static bool is_crash(unsigned number)
{
	static const unsigned crashes = 1U << SIGILL | 1U << SIGTRAP | 1U << SIGABRT | 1U << SIGBUS |
					1U << SIGFPE | 1U << SIGSEGV | 1U << SIGXCPU | 1U << SIGXFSZ |
					1U << SIGSYS;

	return number < SIGNALS && (crashes >> number & 1);
}

bool exit_is_failure(uint32_t exit_code)
{
	unsigned number = exit_code & 0x7f, code = exit_code >> 8 & 0xff;

	if (number > 0)
		return is_crash(number);
	if (code > SHELL_SIGNAL && code < SHELL_SIGNAL + SIGNALS)
		return is_crash(code - SHELL_SIGNAL);
	return code > 0;
}

/* The first argument that is not an option; -C and -c of git have a value. False: there is none. */
static bool find_subcommand(const char *command, struct span *word)
{
	struct span rest = span_text(command), value;

	if (!span_word(&rest, word))
		return false;
	while (span_word(&rest, word)) {
		if (!span_starts(*word, "-"))
			return true;
		if (span_is(*word, "-C") || span_is(*word, "-c"))
			span_word(&rest, &value);
	}
	return false;
}

/* A word of letters, as all of theirs are. */
static bool is_plain(struct span word)
{
	return strspn(word.at, "abcdefghijklmnopqrstuvwxyz-") >= span_length(word);
}

const char *failing_command_name(char whole[PROCESS_NAME_MAX], const char *name, const char *command)
{
	struct span word;

	if (!command || (strcmp(name, "git") != 0 && strcmp(name, "systemctl") != 0) ||
	    !find_subcommand(command, &word) || !is_plain(word))
		return name;
	snprintf(whole, PROCESS_NAME_MAX, "%s %.*s", name, (int)span_length(word), word.at);
	return whole;
}

bool failing_command_is_recent(const struct failing_command *command, uint64_t now_ns)
{
	return command->failed_ns > 0 && now_ns <= command->failed_ns + RECENT_NS;
}

/* Of the places that are free the one whose pair exited first; NULL: none is. */
static struct failing_command *find_or_add_pair(struct failing_commands *commands, uint64_t now_ns,
					   const char *name, const char *parent)
{
	uint64_t hash = hash_bytes(hash_bytes(HASH_SEED, span_text(name)), span_text(parent));
	struct failing_command *chosen = NULL;

	for (unsigned i = 0; i < PLACES; i++) {
		struct failing_command *place = &commands->all[(hash + i) % FAILING_COMMANDS_MAX];

		if (strcmp(place->name, name) == 0 && strcmp(place->parent, parent) == 0)
			return place;
		if ((!place->name[0] || !failing_command_is_recent(place, now_ns)) &&
		    (!chosen || place->exited_ns < chosen->exited_ns))
			chosen = place; /* another pair may have it */
	}
	if (chosen) {
		*chosen = (struct failing_command){ 0 };
		strncpy(chosen->name, name, sizeof(chosen->name) - 1);
		strncpy(chosen->parent, parent, sizeof(chosen->parent) - 1);
	}
	return chosen;
}

void failing_commands_add(struct failing_commands *commands, uint64_t now_ns, const char *name,
			  const char *parent, uint32_t parent_pid, uint32_t exit_code)
{
	struct failing_command *command = find_or_add_pair(commands, now_ns, name, parent);

	if (!command) {
		commands->lost++;
		return;
	}
	command->exits++;
	command->exited_ns = now_ns;
	if (!exit_is_failure(exit_code))
		return;
	if (!failing_command_is_recent(command, now_ns)) {
		command->failures = 0;
		command->exits = 1;
	}
	command->parent_pids[command->failures++ % FAILING_LAST] = parent_pid;
	command->failed_ns = now_ns;
	command->exit_code = exit_code;
}

uint64_t failing_command_parent(const struct failing_command *command, uint64_t *n_parents)
{
	unsigned n = command->failures < FAILING_LAST ? (unsigned)command->failures : FAILING_LAST;
	unsigned n_different = 0;

	*n_parents = U64_UNKNOWN;
	for (unsigned i = 0; i < n; i++) {
		unsigned n_before = 0, n_own = 0;

		for (unsigned j = 0; j < n; j++) {
			bool same = command->parent_pids[j] == command->parent_pids[i];

			n_before += same && j < i;
			n_own += same;
		}
		n_different += n_before == 0;
		if (n_own >= OWN_SHARE * n)
			return command->parent_pids[i] == U32_UNKNOWN ? U64_UNKNOWN : command->parent_pids[i];
	}
	if (2 * n_different <= n) /* else others may come with each failure */
		*n_parents = n_different;
	return U64_UNKNOWN;
}

/* Lifetimes exclude those of children: a shell that waits for a compiler uses little itself. */

#define LEAST_NS UINT64_C(1000) /* for a process that lived shorter than the clock can show */

static struct process *child_reaper(const struct process_list *processes, uint32_t parent_pid)
{
	for (size_t steps = 0; steps <= processes->n_exited; steps++) {
		struct process *parent = process_list_find(processes, parent_pid);

		if (parent)
			return parent;
		parent = process_list_find_exited(processes, parent_pid);
		if (!parent)
			break;
		parent_pid = (uint32_t)parent->stat.parent_pid;
	}
	return process_list_find(processes, 1);
}

static int compare_lives(const void *one, const void *other)
{
	const struct event_ended *a = one, *b = other;

	return a->pid != b->pid ? (a->pid > b->pid) - (a->pid < b->pid)
				: (a->end_ns > b->end_ns) - (a->end_ns < b->end_ns);
}

/* The index of its parent: the first with this pid that had not exited when the child started. */
static size_t parent_of(const struct event_ended_list *ended, const struct event_ended *child)
{
	const struct event_ended parent = {
		.pid = child->parent_pid,
		.end_ns = child->start_ns == U64_UNKNOWN ? 0 : child->start_ns,
	};
	size_t at;

	VECTOR_BOUND(at, ended->count, compare_lives(&ended->list[at], &parent) < 0);
	return at < ended->count && ended->list[at].pid == parent.pid ? at : ended->count;
}

static uint64_t lived_ns(const struct child_shares *shares, const struct event_ended *one)
{
	uint64_t from_ns = one->start_ns;

	if (from_ns == U64_UNKNOWN || from_ns < shares->since_ns)
		from_ns = shares->since_ns ? shares->since_ns : one->end_ns;
	return one->end_ns > from_ns ? one->end_ns - from_ns : 0;
}

static uint32_t reaper_pid_of(const struct process_list *processes, const struct event_ended_list *ended,
			      size_t at)
{
	const struct process *reaper;

	for (size_t steps = 0; steps < ended->count; steps++) {
		size_t parent = parent_of(ended, &ended->list[at]);

		if (parent == ended->count || parent == at)
			break;
		at = parent;
	}
	reaper = child_reaper(processes, ended->list[at].parent_pid);
	return reaper ? reaper->pid : 0;
}

static void add_share(struct child_shares *shares, uint32_t reaper_pid, const char *comm, uint64_t ns)
{
	struct child_share *share;

	for (size_t i = 0; i < shares->count; i++) {
		share = &shares->list[i];
		if (share->reaper_pid == reaper_pid && strcmp(share->comm, comm) == 0) {
			share->lived_ns += ns;
			return;
		}
	}
	if (shares->count == CHILD_SHARES_MAX)
		return;
	share = &shares->list[shares->count++];
	share->reaper_pid = reaper_pid;
	share->lived_ns = ns;
	strcpy(share->comm, comm);
}

/* Removes the shares of this reaper; 0: of all reapers that have exited. */
static void drop(struct child_shares *shares, const struct process_list *processes, uint32_t reaper_pid)
{
	size_t kept = 0;

	for (size_t i = 0; i < shares->count; i++) {
		const struct child_share *share = &shares->list[i];

		if (reaper_pid ? share->reaper_pid != reaper_pid
			       : process_list_find(processes, share->reaper_pid) != NULL)
			shares->list[kept++] = *share;
	}
	shares->count = kept;
}

void child_shares_add(struct child_shares *shares, const struct process_list *processes,
		       struct event_ended_list *ended)
{
	drop(shares, processes, 0);
	if (ended->count > 0)
		qsort(ended->list, ended->count, sizeof(*ended->list), compare_lives);
	for (size_t i = 0; i < ended->count; i++) {
		size_t parent = parent_of(ended, &ended->list[i]);

		if (parent < ended->count)
			ended->list[parent].children_ns += lived_ns(shares, &ended->list[i]);
	}
	for (size_t i = 0; i < ended->count; i++) {
		const struct event_ended *one = &ended->list[i];
		uint64_t ns = lived_ns(shares, one);

		ns = ns > one->children_ns ? ns - one->children_ns : 0;
		if (*one->comm)
			add_share(shares, reaper_pid_of(processes, ended, i), one->comm,
				 ns > LEAST_NS ? ns : LEAST_NS);
	}
	shares->since_ns = processes->mono_ns;
}

bool child_shares_split(struct child_shares *shares, const struct process_list *processes,
			uint32_t reaper_pid, uint64_t ns,
			void (*credit)(void *context, const char *name, uint64_t ns), void *context)
{
	uint64_t all_ns = 0;

	for (size_t i = 0; i < shares->count; i++)
		if (shares->list[i].reaper_pid == reaper_pid)
			all_ns += shares->list[i].lived_ns;
	if (all_ns == 0)
		return false;
	for (size_t i = 0; i < shares->count; i++) {
		const struct child_share *share = &shares->list[i];

		if (share->reaper_pid == reaper_pid)
			credit(context, share->comm,
			     (uint64_t)((double)share->lived_ns / (double)all_ns * (double)ns));
	}
	drop(shares, processes, reaper_pid);
	return true;
}

#define KTHREADD 2 /* pid of the parent of kernel threads: visible only with the whole machine */
#define EXIT_KIB 256 /* an exit without memory costs as much CPU time as freeing this */

static void keep_record(void *context, const struct exit_record *record)
{
	struct exit_ledger *ledger = context;
	uint64_t bytes = u64_sum_known(record->read_bytes, record->write_bytes);
	uint32_t number = (uint32_t)ledger->n_ended;
	struct ended *ended = VECTOR_ADD(ledger->ended, ledger->n_ended, ledger->ended_capacity);

	*ended = (struct ended){
		.tgid = record->tgid ? record->tgid : record->tid,
		.number = number,
		.first = record->tgid == 0 || record->tgid == record->tid,
		.last = record->tgid == 0 || record->last,
		.cpu_ns = exit_record_cpu_ns(record, ledger->tick_ns),
		.peak_kib = record->peak_kib == U64_UNKNOWN ? 0 : record->peak_kib,
		.disk_bytes = bytes == U64_UNKNOWN ? 0 : bytes,
		.run_ns = record->run_ns == U64_UNKNOWN ? 0 : record->run_ns,
		.elapsed_ns = record->elapsed_ns,
		.exit_code = record->exit_code == U32_UNKNOWN ? 0 : record->exit_code,
		.code_known = record->exit_code != U32_UNKNOWN,
		.parent_pid = record->parent_pid,
		.uid = record->uid,
	};
	strcpy(ended->name, record->comm);
}

/* What ended until the clocks of the processes were read is of this tick. */
static void drain(void *context)
{
	struct exit_ledger *ledger = context;

	exit_reader_drain(ledger->reader, keep_record, ledger);
}

static int open_ledger(void *state, const struct sample *sample)
{
	struct exit_ledger *ledger = state;

	ledger->counts_io = env_exists(sample->env, "proc/self/io");
	ledger->reader = exit_reader_open(sample->env, &ledger->reader_error);
	if (ledger->reader) {
		ledger->processes->clocks_read = drain;
		ledger->processes->clocks_context = ledger;
	} else if (sample->env->live && !sample->env->foreign_pids) {
		ledger->events = reader_open(&process_event_reader, sample, NULL);
		if (ledger->events)
			event_reader_keep_ended(ledger->events);
		ledger->shares = alloc_zeroed(1, sizeof(*ledger->shares));
	}
	ledger->tick_ns = exit_reader_tick_ns(sample->env);
	ledger->commands = alloc_zeroed(EXITED_COMMANDS_MAX, sizeof(*ledger->commands));
	return 0;
}

static void close_ledger(void *state)
{
	struct exit_ledger *ledger = state;

	ledger->processes->clocks_read = NULL;
	exit_reader_close(ledger->reader);
	if (ledger->events)
		reader_close(&process_event_reader, ledger->processes->env);
	event_ended_free(&ledger->event_ended);
	free(ledger->shares);
	free(ledger->commands);
	exit_ends_free(&ledger->ends);
	hash_free(&ledger->by_name);
	free(ledger->ended);
}

static struct exited_command *find_or_add(struct exit_ledger *ledger, const char *name)
{
	uint64_t hash = hash_bytes(HASH_SEED, span_text(name));
	struct exited_command *command;
	uint32_t at;

	HASH_FIND(at, &ledger->by_name, hash, strcmp(ledger->commands[at].name, name) == 0);
	if (at != HASH_NONE)
		return &ledger->commands[at];
	if (ledger->n_commands + 1 >= EXITED_COMMANDS_MAX && strcmp(name, ROW_OF_OTHERS) != 0)
		return find_or_add(ledger, ROW_OF_OTHERS);
	hash_add(&ledger->by_name, hash, (uint32_t)ledger->n_commands);
	command = &ledger->commands[ledger->n_commands++];
	strcpy(command->name, name);
	return command;
}

/* What is known of exited processes of one name. */
struct ends {
	uint64_t uncounted_ns, left_kib;
	uint64_t disk_bytes, exits, failures; /* U64_UNKNOWN: unknown */
	uint32_t exit_code, parent_pid; /* of a record */
	const char *parent;  /* its name; "": unknown */
	const char *command; /* its arguments joined by spaces; NULL: it was not seen alive */
};

static void count(struct exited_command *command, const struct ends *ends)
{
	command->reported_ns += ends->uncounted_ns;
	command->disk_bytes = u64_sum(command->disk_bytes, ends->disk_bytes);
	command->exits = u64_sum(command->exits, ends->exits);
	command->failures = u64_sum(command->failures, ends->failures);
	command->left_kib += ends->left_kib;
}

static struct scope *scope_of(const struct exit_ledger *ledger)
{
	return ledger->processes->request ? ledger->processes->request->scope : NULL;
}

bool exit_ledger_has_scope(const struct exit_ledger *ledger)
{
	return scope_is_set(scope_of(ledger));
}

static const struct source_spec exit_records = {
	.path = "taskstats",
	.remedies = { { EPERM, N_("run it as root, or give it the capability cap_net_admin") },
		      { ENOENT, N_("this kernel was built without CONFIG_TASKSTATS") },
		      { EINVAL, N_("not available in a container (pid or user namespace)") },
		      { ENOTSUP, N_("exit records exist only for the running machine: omit --root") } },
};

void exit_ledger_notice(const struct exit_ledger *ledger, const struct sample *sample,
			const char *without_records, const char *without_both)
{
	bool has_events = ledger->events && event_reader_runs(ledger->events);

	if (!ledger->reader)
		frame_notice(sample->frame, sample->topic->schema->name,
			     source_remedy(sample->env, &exit_records, -ledger->reader_error), "%s",
			     _(has_events ? without_records : without_both));
}

/* What no sample and perhaps no event has seen: by its parent, its user, its name. */
static bool is_outside(const struct exit_ledger *ledger, uint32_t pid, uint32_t parent_pid, uint32_t uid,
		       const char *name)
{
	struct scope *scope = scope_of(ledger);

	if (!scope_is_set(scope))
		return false;
	scope_event(scope,
		    &(struct scope_process){
			    .pid = pid,
			    .parent_pid = parent_pid == U32_UNKNOWN ? U64_UNKNOWN : parent_pid,
			    .start_seconds = NAN,
			    .uid = uid == U32_UNKNOWN ? U64_UNKNOWN : uid,
			    .name = span_text(name),
			    .program = span_text(""),
		    },
		    false);
	return !scope_has(scope, pid, NAN);
}

static int compare_ended(const void *one, const void *other)
{
	const struct ended *a = one, *b = other;

	if (a->waits != b->waits)
		return a->waits ? 1 : -1;
	return a->tgid != b->tgid ? (a->tgid > b->tgid) - (a->tgid < b->tgid)
				  : (a->number > b->number) - (a->number < b->number);
}

/* Of the main thread of a process that has ended, also of one that waits for the next tick; NULL: none. */
static const struct ended *find_record(const struct exit_ledger *ledger, uint32_t pid)
{
	for (int waits = 0; waits <= 1; waits++) {
		const struct ended key = { .tgid = pid, .waits = waits > 0 };
		size_t at;

		VECTOR_BOUND(at, ledger->n_ended, compare_ended(&ledger->ended[at], &key) < 0);
		for (; at < ledger->n_ended && ledger->ended[at].tgid == pid; at++)
			if (ledger->ended[at].first)
				return &ledger->ended[at];
	}
	return NULL;
}

/* It lived when the child exited: it still does, or it has ended in this tick, whether it was seen or not. */
static const char *parent_name(const struct exit_ledger *ledger, uint32_t pid, char name[PROCESS_NAME_MAX])
{
	const struct process *parent = process_list_find(ledger->processes, pid);
	const struct ended *recorded = parent ? NULL : find_record(ledger, pid);
	long length = -1;

	if (recorded)
		return recorded->name;
	if (!parent)
		parent = process_list_find_exited(ledger->processes, pid);
	if (parent)
		return parent->name;
	if (pid != 0 && pid != U32_UNKNOWN)
		length = pids_read(ledger->processes->env, pid, "comm", name, PROCESS_NAME_MAX - 1);
	name[length > 0 ? length - 1 : 0] = '\0';
	return name;
}

static void count_failing(struct exit_ledger *ledger, const char *name, const struct ends *ends)
{
	char whole[PROCESS_NAME_MAX];

	failing_commands_add(&ledger->failing, ledger->processes->mono_ns,
			     failing_command_name(whole, name, ends->command), ends->parent, ends->parent_pid,
			     ends->exit_code);
}

static void count_exit(struct exit_ledger *ledger, const char *name, bool outside, struct ends ends)
{
	char quoted[PROCESS_NAME_MAX + sizeof(PROCESS_NOT_A_SUM)];

	if (outside) {
		count(&ledger->outside, &ends);
		return;
	}
	if (strcmp(name, ROW_OF_OTHERS) == 0 || strcmp(name, EXITED_NO_RECORD) == 0) {
		snprintf(quoted, sizeof(quoted), PROCESS_NOT_A_SUM, name);
		name = quoted;
	}
	count(find_or_add(ledger, name), &ends);
	if (ledger->reader && ends.exits == 1)
		count_failing(ledger, name, &ends);
}

static void keep_end(struct exit_ledger *ledger, struct exit_end end, const char *name,
		     const struct ends *known)
{
	end.seen_ns = env_wall_ns(ledger->processes->env);
	end.parent_pid = known->parent_pid;
	strncpy(end.name, name, sizeof(end.name) - 1);
	strncpy(end.parent, known->parent, sizeof(end.parent) - 1);
	exit_ends_add(&ledger->ends, &end, known->command);
}

/* exit_code: of any of its threads. */
static uint32_t end_status(bool known, uint32_t exit_code)
{
	return exit_code != 0 || known ? exit_code : U32_UNKNOWN;
}

/* A kernel thread has no peak. */
static uint64_t above_zero(uint64_t number)
{
	return number > 0 ? number : U64_UNKNOWN;
}

/* No sample saw it alive. first: its main thread, or the one that is known. */
static void count_unseen(struct exit_ledger *ledger, const struct ended *first, struct ends ends)
{
	bool outside = is_outside(ledger, first->tgid, first->parent_pid, first->uid, first->name);
	bool has_end = !outside && ends.exits > 0;
	char parent[PROCESS_NAME_MAX];

	ends.parent = has_end ? parent_name(ledger, ends.parent_pid, parent) : "";
	count_exit(ledger, first->name, outside, ends);
	if (has_end)
		keep_end(ledger,
			 (struct exit_end){ .pid = first->tgid,
					    .uid = first->uid,
					    .start_ticks = U64_UNKNOWN,
					    .lived_ns = first->first ? first->elapsed_ns : U64_UNKNOWN,
					    .cpu_ns = ends.uncounted_ns,
					    .peak_kib = above_zero(first->peak_kib),
					    .disk_bytes = ledger->counts_io ? ends.disk_bytes : U64_UNKNOWN,
					    .status = end_status(first->code_known, ends.exit_code) },
			 first->name, &ends);
}

static void keep_seen(struct exit_ledger *ledger, const struct process *process, const char *name,
		      const struct ends *ends)
{
	const struct process_io *io = process->io && process->io->begun ? process->io : NULL;

	keep_end(ledger,
		 (struct exit_end){
			 .pid = process->pid,
			 .uid = process->uid,
			 .start_ticks = process->start_ticks,
			 .lived_ns = above_zero(process->lived_ns),
			 .cpu_ns = process->dead_ns > process->cpu_ns ? process->dead_ns : process->cpu_ns,
			 .peak_kib = above_zero(process->peak_kib),
			 .disk_bytes = io ? io->read_bytes + io->write_bytes + ends->disk_bytes : U64_UNKNOWN,
			 .status = end_status(process->exit_code_known, ends->exit_code),
		 },
		 name, ends);
}

#define INIT_PID 1

/* When it ended. Init, which adopts zombies and reaps them, has not started them. */
static uint32_t last_parent(const struct process *process, const struct ended *record)
{
	if (record && record->parent_pid != 0 && record->parent_pid != U32_UNKNOWN)
		return record->parent_pid;
	return process->stat.state == 'Z' && process->stat.parent_pid <= INIT_PID ? U32_UNKNOWN
										 : process->stat.parent_pid;
}

/*
 * Of a process that samples saw: how it ended, once, and when it is gone its CPU time after it was last seen.
 * record: NULL: none came in this tick.
 */
static void count_seen(struct exit_ledger *ledger, struct process *process, const struct ended *record,
		       bool gone)
{
	uint64_t page_kib = ledger->processes->env->page_bytes / 1024, pages = process->stat.resident_pages;
	uint64_t seen_bytes = process->io ? process->io->read_bytes + process->io->write_bytes : 0;
	bool renamed = record && strcmp(record->name, process->name) != 0 &&
		       !process_is_kernel_thread(process);
	const char *name = renamed ? record->name : process->name;
	char parent[PROCESS_NAME_MAX];
	struct ends ends = {
		process->dead_ns > process->cpu_ns ? process->dead_ns - process->cpu_ns : 0,
		EXIT_KIB + (pages == U64_UNKNOWN ? 0 : pages) * page_kib,
		process->dead_bytes > seen_bytes ? process->dead_bytes - seen_bytes : 0,
		!process->end_counted,
		!process->end_counted && process->exit_code != 0,
		process->exit_code,
		last_parent(process, record),
		"",
		renamed ? NULL : process->command,
	};

	if (!process->outside && !process->end_counted) {
		ends.parent = parent_name(ledger, ends.parent_pid, parent);
		keep_seen(ledger, process, name, &ends);
	}
	if (!gone)
		ends.uncounted_ns = ends.left_kib = ends.disk_bytes = 0;
	count_exit(ledger, name, process->outside, ends);
	process->end_counted = true;
}

/* The threads of a process that exited in this tick. Where it has a clock, their scheduler's time counts. */
static void count_process(struct exit_ledger *ledger, const struct ended *threads, size_t n_threads)
{
	struct process *seen = process_list_find_exited(ledger->processes, threads->tgid);
	const struct ended *first = &threads[n_threads - 1];
	uint64_t cpu_ns = 0, run_ns = 0, disk_bytes = 0, exits = 0;
	uint32_t exit_code = 0; /* threads that exit alone have the code 0 */

	for (size_t i = 0; i < n_threads; i++) {
		cpu_ns += threads[i].cpu_ns;
		run_ns += threads[i].run_ns;
		disk_bytes += threads[i].disk_bytes;
		exits += threads[i].last;
		exit_code = exit_code ? exit_code : threads[i].exit_code;
		if (threads[i].first)
			first = &threads[i];
	}
	if (!seen)
		seen = process_list_find(ledger->processes, threads->tgid);
	if (seen) {
		seen->dead_ns += run_ns; /* count_seen() subtracts its clock … */
		seen->dead_bytes += disk_bytes; /* … and what its file had */
		seen->exit_code = seen->exit_code ? seen->exit_code : exit_code;
		seen->exit_code_known |= exits > 0 && first->code_known;
		if (first->first) {
			seen->lived_ns = first->elapsed_ns == U64_UNKNOWN ? 0 : first->elapsed_ns;
			seen->peak_kib = first->peak_kib;
		}
		if (exits > 0 && seen->stat.state == 'Z' &&
		    process_list_find(ledger->processes, seen->pid) == seen)
			count_seen(ledger, seen, first, false);
	} else {
		count_unseen(ledger, first,
			     (struct ends){ cpu_ns, EXIT_KIB + first->peak_kib, disk_bytes, exits,
					    exit_code && exits > 0, exit_code, first->parent_pid });
	}
}

/*
 * Files are read after the clocks, which takes a busy machine a while. What ended meanwhile is of the next
 * tick, unless this one has its process as exited. How many are of this tick: the first ones.
 */
static size_t choose_ended(struct exit_ledger *ledger, size_t n_until_clocks)
{
	size_t n_chosen = 0;

	for (size_t i = 0; i < ledger->n_ended; i++) {
		struct ended *ended = &ledger->ended[i];

		ended->waits = i >= n_until_clocks &&
			       !process_list_find_exited(ledger->processes, ended->tgid);
		n_chosen += !ended->waits;
	}
	if (ledger->n_ended > 0)
		qsort(ledger->ended, ledger->n_ended, sizeof(*ledger->ended), compare_ended);
	return n_chosen;
}

static void drop_counted(struct exit_ledger *ledger, size_t n_counted)
{
	size_t n_left = ledger->n_ended - n_counted;

	if (n_left == 0) {
		VECTOR_EMPTY(ledger->ended, ledger->n_ended, ledger->ended_capacity, &ledger->recent_ended);
		return;
	}
	memmove(ledger->ended, ledger->ended + n_counted, n_left * sizeof(*ledger->ended));
	ledger->n_ended = n_left;
	for (size_t i = 0; i < n_left; i++)
		ledger->ended[i].number = (uint32_t)i;
}

/* How many they were. */
static size_t count_records(struct exit_ledger *ledger)
{
	size_t start = 0, n_until_clocks = ledger->n_ended, n_ended;

	drain(ledger);
	n_ended = choose_ended(ledger, n_until_clocks);
	for (size_t i = 1; i <= n_ended; i++) {
		if (i < n_ended && ledger->ended[i].tgid == ledger->ended[start].tgid)
			continue;
		count_process(ledger, ledger->ended + start, i - start);
		start = i;
	}
	return n_ended;
}

/*
 * A process that started after the list of the last sample was read, and ended before its clocks were, was
 * counted then; it may still be a zombie.
 */
static void join_unseen(struct exit_ledger *ledger)
{
	const struct process_list *processes = ledger->processes;

	for (size_t i = 0; processes->n_found_ended > 0 && i < processes->n_all; i++) {
		struct process *process = processes->all[i];

		if (!process->found_ended || process->end_counted || find_record(ledger, process->pid))
			continue;
		process->end_counted = true;
		exit_ends_date(&ledger->ends, process->pid, process->start_ticks);
	}
}

/* Threads that exited before the first sample have no record. */
static void count_exited(struct exit_ledger *ledger)
{
	const struct process_list *processes = ledger->processes;

	for (size_t i = 0; i < processes->n_exited; i++)
		count_seen(ledger, processes->exited[i], find_record(ledger, processes->exited[i]->pid),
			   true);
}

static uint64_t children_ns(const struct exit_ledger *ledger, const struct process *process)
{
	return process->stat.children_ticks *
	       (UINT64_C(1000000000) / ledger->processes->env->ticks_per_second);
}

/* CPU time of exited processes that samples saw will show in the cutime of their reapers. */
static void expect_known(struct exit_ledger *ledger)
{
	const struct process_list *processes = ledger->processes;

	for (size_t i = 0; i < processes->n_exited; i++) {
		const struct process *process = processes->exited[i];
		struct process *reaper = child_reaper(processes, (uint32_t)process->stat.parent_pid);

		if (reaper)
			reaper->known_children_ns +=
				process->cpu_ns + children_ns(ledger, process) + process->known_children_ns;
	}
}

/* To a name of one parent's children. */
struct credit {
	struct exit_ledger *ledger;
	bool outside;
};

static void credit_share(void *context, const char *name, uint64_t ns)
{
	const struct credit *credit = context;

	count_exit(credit->ledger, name, credit->outside,
		   (struct ends){ .uncounted_ns = ns, .disk_bytes = U64_UNKNOWN, .failures = U64_UNKNOWN });
}

/* Neither what it used nor how it ended is in events. */
static void count_event(struct exit_ledger *ledger, const struct event_ended *ended)
{
	const struct process_list *processes = ledger->processes;
	uint32_t parent_pid = ended->parent_pid ? ended->parent_pid : U32_UNKNOWN;
	bool outside = is_outside(ledger, ended->pid, parent_pid, ended->uid, ended->comm);
	bool dated = ended->start_ns != U64_UNKNOWN && ended->end_ns != U64_UNKNOWN;
	const struct process *seen = process_list_find_exited(processes, ended->pid);
	char parent[PROCESS_NAME_MAX];
	struct ends ends = { .left_kib = EXIT_KIB,
			     .disk_bytes = U64_UNKNOWN,
			     .exits = 1,
			     .failures = U64_UNKNOWN,
			     .parent_pid = parent_pid,
			     .parent = outside ? "" : parent_name(ledger, parent_pid, parent) };

	seen = seen ? seen : process_list_find(processes, ended->pid); /* a zombie */
	ends.command = seen ? seen->command : NULL;
	count_exit(ledger, ended->comm, outside, ends);
	if (!outside)
		keep_end(ledger,
			 (struct exit_end){ .pid = ended->pid,
					    .uid = ended->uid,
					    .start_ticks = seen ? seen->start_ticks : U64_UNKNOWN,
					    .lived_ns = dated ? ended->end_ns - ended->start_ns : U64_UNKNOWN,
					    .cpu_ns = U64_UNKNOWN,
					    .peak_kib = U64_UNKNOWN,
					    .disk_bytes = U64_UNKNOWN,
					    .status = U32_UNKNOWN },
			 ended->comm, &ends);
}

static void count_events(struct exit_ledger *ledger)
{
	event_reader_collect_ended(ledger->events, &ledger->event_ended);
	child_shares_add(ledger->shares, ledger->processes, &ledger->event_ended);
	for (size_t i = 0; i < ledger->event_ended.count; i++)
		if (*ledger->event_ended.list[i].comm)
			count_event(ledger, &ledger->event_ended.list[i]);
}

static void count_grown(struct exit_ledger *ledger, const struct process *parent, uint64_t ns)
{
	struct credit credit = { ledger, parent->outside };
	char name[PROCESS_NAME_MAX];

	if (ledger->events &&
	    child_shares_split(ledger->shares, ledger->processes, parent->pid, ns, credit_share, &credit))
		return;
	snprintf(name, sizeof(name), "%.40s's children", parent->name);
	count_exit(ledger, name, parent->outside,
		   (struct ends){ .uncounted_ns = ns,
				  .disk_bytes = U64_UNKNOWN,
				  .exits = U64_UNKNOWN,
				  .failures = U64_UNKNOWN });
}

/* Without records: the cutime growth of parents, without what samples saw of their children. */
static void count_children(struct exit_ledger *ledger)
{
	const struct process_list *processes = ledger->processes;

	expect_known(ledger);
	for (size_t i = 0; i < processes->n_all; i++) {
		struct process *process = processes->all[i];
		uint64_t now = children_ns(ledger, process), grown, known;

		if (now <= process->children_ns)
			continue;
		grown = now - process->children_ns;
		process->children_ns = now;
		known = grown < process->known_children_ns ? grown : process->known_children_ns;
		process->known_children_ns -= known;
		if (processes->updates > 1)
			count_grown(ledger, process, grown - known);
	}
}

/* Its part of what exceeds the reports; the CPU time that it got. */
static uint64_t settle(struct exited_command *command, double scale, double per_kib_ns)
{
	uint64_t ns = (uint64_t)((double)command->reported_ns * scale) +
		      (uint64_t)((double)command->left_kib * per_kib_ns);

	command->cpu_ns += ns;
	command->grown_ns = ns;
	command->reported_ns = command->left_kib = 0;
	return ns;
}

/*
 * Splits ended_ns among the names. What exceeds the reports is shared in proportion to memory, because
 * processes free it after their records are written; without records, or when some were lost, it gets no
 * name. Reports that exceed it are estimates that were too high.
 */
static void share_out(struct exit_ledger *ledger, uint64_t ended_ns)
{
	uint64_t lost = ledger->reader ? exit_reader_lost(ledger->reader) : 0;
	uint64_t reported_ns = ledger->outside.reported_ns, left_kib = ledger->outside.left_kib,
		 unreported_ns;
	double scale, per_kib_ns;

	for (size_t i = 0; i < ledger->n_commands; i++) {
		reported_ns += ledger->commands[i].reported_ns;
		left_kib += ledger->commands[i].left_kib;
	}
	unreported_ns = ended_ns > reported_ns ? ended_ns - reported_ns : 0;
	scale = ended_ns < reported_ns ? (double)ended_ns / (double)reported_ns : 1;
	if (unreported_ns > 0 && (left_kib == 0 || lost > ledger->lost)) {
		count(exit_ledger_has_scope(ledger) ? &ledger->outside
						    : find_or_add(ledger, EXITED_NO_RECORD),
		      &(struct ends){ .uncounted_ns = unreported_ns,
				      .disk_bytes = U64_UNKNOWN,
				      .exits = U64_UNKNOWN,
				      .failures = U64_UNKNOWN });
		unreported_ns = 0;
	}
	per_kib_ns = unreported_ns > 0 ? (double)unreported_ns / (double)left_kib : 0;
	for (size_t i = 0; i < ledger->n_commands; i++)
		ledger->scope_ended_ns += settle(&ledger->commands[i], scale, per_kib_ns);
	settle(&ledger->outside, scale, per_kib_ns);
	ledger->lost = lost;
}

/* Version 2 has no sum for its root: the exits of user processes there would not be counted. */
static bool check_root(struct process_list *processes)
{
	struct span text, line;
	uint64_t pid;

	if (cgroup_cpu_time_root_pids(processes->cpu_sum, &text) < 0)
		return false;
	while (span_line(&text, &line)) {
		struct process *process = span_u64(&line, &pid) && pid <= UINT32_MAX
					    ? process_list_find(processes, (uint32_t)pid)
					    : NULL;

		if (process && !process_is_kernel_thread(process))
			return false;
		if (process)
			process->outside_tick = (uint32_t)processes->tick;
	}
	return true;
}

/*
 * Finds the processes outside of the sum. False when the sum cannot be used: user processes are outside, or
 * hidden ones inside.
 */
static bool check_sum(struct process_list *processes)
{
	const struct process *kthreadd = process_list_find(processes, KTHREADD);

	return kthreadd && process_is_kernel_thread(kthreadd) &&
	       processes->n_missing + processes->n_appeared == 0 &&
	       (cgroup_cpu_time_version(processes->cpu_sum) == 1 || check_root(processes));
}

/* Growth of the clocks of all processes in the sum. */
static uint64_t seen_ns(const struct exit_ledger *ledger)
{
	const struct process_list *processes = ledger->processes;
	bool all_are = cgroup_cpu_time_version(processes->cpu_sum) == 1;
	uint64_t sum_ns = 0;

	for (size_t i = 0; i < processes->n_all; i++)
		if (processes->all[i]->used_ns != U64_UNKNOWN &&
		    (all_are || processes->all[i]->outside_tick != (uint32_t)processes->tick))
			sum_ns += processes->all[i]->used_ns;
	return sum_ns;
}

/* The growth of the sum minus that of the clocks, where there is a sum; else the reports. */
static void count_ended(struct exit_ledger *ledger)
{
	struct process_list *processes = ledger->processes;
	uint64_t ended_ns = 0;

	ledger->by_cpu_sum = processes->run_ns != U64_UNKNOWN && check_sum(processes);
	if (ledger->by_cpu_sum) {
		ledger->ahead_ns += seen_ns(ledger);
		if (processes->run_ns > ledger->ahead_ns)
			ended_ns = processes->run_ns - ledger->ahead_ns;
		ledger->ahead_ns -= processes->run_ns - ended_ns;
	} else {
		ended_ns = ledger->outside.reported_ns;
		for (size_t i = 0; i < ledger->n_commands; i++)
			ended_ns += ledger->commands[i].reported_ns;
	}
	ledger->ended_ns += ended_ns;
	share_out(ledger, ended_ns);
}

/* What was counted by name was of other processes. */
static void follow_scope(struct exit_ledger *ledger)
{
	const struct scope *scope = scope_of(ledger);
	unsigned epoch = scope ? scope->epoch : 0;

	if (epoch == ledger->scope_epoch)
		return;
	ledger->scope_epoch = epoch;
	ledger->scope_alive_ns = ledger->scope_ended_ns = 0;
	ledger->n_commands = 0;
	hash_clear(&ledger->by_name);
	memset(ledger->commands, 0, EXITED_COMMANDS_MAX * sizeof(*ledger->commands));
	ledger->outside = (struct exited_command){ 0 };
	memset(&ledger->failing, 0, sizeof(ledger->failing));
	exit_ends_clear(&ledger->ends);
}

static void count_alive(struct exit_ledger *ledger)
{
	const struct process_list *processes = ledger->processes;

	for (size_t i = 0; i < processes->n_all; i++) {
		const struct process *process = processes->all[i];

		if (process->used_ns == U64_UNKNOWN)
			continue;
		ledger->alive_ns += process->used_ns;
		ledger->scope_alive_ns += process->outside ? 0 : process->used_ns;
	}
}

static int update(void *state, const struct sample *sample)
{
	struct exit_ledger *ledger = state;
	size_t n_counted;

	(void)sample;
	follow_scope(ledger);
	count_alive(ledger);
	if (ledger->reader) {
		n_counted = count_records(ledger);
		join_unseen(ledger);
		count_exited(ledger);
		drop_counted(ledger, n_counted);
	} else {
		if (ledger->events)
			count_events(ledger);
		count_children(ledger);
	}
	count_ended(ledger);
	return 0;
}

const struct reader exit_ledger_reader = {
	.name = "exits", .state_size = sizeof(struct exit_ledger),
	.reads = READINGS(READING(struct exit_ledger, processes, &process_reader)), .open = open_ledger,
	.update = update, .close = close_ledger,
};
