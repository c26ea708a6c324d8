/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Tables of functions and system calls: functions are compared by how they begin; with a $ as a whole. Keeps
 * processes and what they wait for as long as an interval of the window has them.
 */
#include <config.h>

#include "topic/profile/wait_ledger.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/i18n.h"
#include "core/vector.h"

#define LENGTH(list) (sizeof(list) / sizeof((list)[0]))

const char *const wait_cause_words[N_WAIT_CAUSES] = {
	[WAIT_RUNNING] = N_("running"), [WAIT_READY] = N_("ready"),     [WAIT_DISK] = N_("disk"),
	[WAIT_LOCK] = N_("lock"),       [WAIT_NETWORK] = N_("network"), [WAIT_PIPE] = N_("pipe"),
	[WAIT_POLL] = N_("poll"),       [WAIT_SLEEP] = N_("sleep"),     [WAIT_MEMORY] = N_("memory"),
	[WAIT_CHILD] = N_("child"),     [WAIT_OTHER] = N_("other"),
};

/* Of the scheduler, and of what only says that something is waited for: who called it says more. */
static const char *const wait_functions[] = {
	"bpf_", "__bpf_", "__traceiter_", "__probestub_", "__schedule", "schedule", "io_schedule",
	"preempt_schedule", "do_nanosleep", "blk_io_schedule", "wait_woken", "do_wait_intr",
	"__wait_for_common", "wait_for_common", "wait_for_completion", "do_wait_for_common", "bit_wait",
	"__wait_on_bit", "out_of_line_wait_on_bit", "wait_on_page_bit", "folio_wait_bit", "__folio_lock",
	"__lock_page", "__mutex_lock", "mutex_lock", "ww_mutex_lock", "__ww_mutex_lock", "rwsem_down_",
	"__rwsem_", "down", "__down", "percpu_rwsem_wait", "__percpu_down_read", "rt_mutex_", "__rt_mutex_",
	"rtlock_slowlock", "rt_spin_lock", "rt_read_lock", "rt_write_lock", "poll_schedule_timeout",
	"sk_wait_data", "sk_stream_wait_memory", "__skb_wait_for_more_packets", "unix_stream_data_wait",
	"submit_bio_wait",
};

struct rule {
	const char *name;
	enum wait_cause cause;
};

/* Wherever they are, as what they call is only how they do it. */
static const struct rule outer_rules[] = {
	{ "do_swap_page", WAIT_MEMORY },           { "swap_", WAIT_MEMORY },
	{ "shmem_swapin", WAIT_MEMORY },           { "handle_userfault", WAIT_MEMORY },
	{ "__alloc_pages_slowpath", WAIT_MEMORY }, { "__alloc_frozen_pages_noprof", WAIT_MEMORY },
	{ "try_to_free_", WAIT_MEMORY },           { "mem_cgroup_handle_over_high", WAIT_MEMORY },
	{ "do_wait$", WAIT_CHILD },                { "kernel_wait4", WAIT_CHILD },
	{ "wait_for_vfork_done", WAIT_CHILD },
};

/* The innermost function that one of them knows decides. */
static const struct rule rules[] = {
	{ "io_schedule", WAIT_DISK },      { "blk_", WAIT_DISK },
	{ "folio_wait", WAIT_DISK },       { "wait_on_page", WAIT_DISK },
	{ "__wait_on_buffer", WAIT_DISK }, { "bit_wait_io", WAIT_DISK },
	{ "submit_bio", WAIT_DISK },       { "balance_dirty_pages", WAIT_DISK },
	{ "read_events", WAIT_DISK },      { "jbd2_", WAIT_DISK },
	{ "log_wait_commit", WAIT_DISK },  { "__iomap_dio_rw", WAIT_DISK },
	{ "futex_", WAIT_LOCK },           { "__futex_", WAIT_LOCK },
	{ "do_futex", WAIT_LOCK },         { "__mutex_lock", WAIT_LOCK },
	{ "mutex_lock", WAIT_LOCK },       { "__ww_mutex", WAIT_LOCK },
	{ "ww_mutex", WAIT_LOCK },         { "rwsem_", WAIT_LOCK },
	{ "__rwsem_", WAIT_LOCK },         { "down", WAIT_LOCK },
	{ "__down", WAIT_LOCK },           { "percpu_rwsem", WAIT_LOCK },
	{ "__percpu_down", WAIT_LOCK },    { "rt_mutex", WAIT_LOCK },
	{ "__rt_mutex", WAIT_LOCK },       { "rtlock_", WAIT_LOCK },
	{ "rt_spin_lock", WAIT_LOCK },     { "locks_lock_", WAIT_LOCK },
	{ "fcntl_setlk", WAIT_LOCK },      { "do_lock_file_wait", WAIT_LOCK },
	{ "flock_lock_", WAIT_LOCK },      { "do_semtimedop", WAIT_LOCK },
	{ "__do_semtimedop", WAIT_LOCK },  { "sock_", WAIT_NETWORK },
	{ "__sock_", WAIT_NETWORK },       { "sk_", WAIT_NETWORK },
	{ "__sk_", WAIT_NETWORK },         { "tcp_", WAIT_NETWORK },
	{ "udp_", WAIT_NETWORK },          { "udpv6_", WAIT_NETWORK },
	{ "unix_", WAIT_NETWORK },         { "__unix_", WAIT_NETWORK },
	{ "inet", WAIT_NETWORK },          { "__inet", WAIT_NETWORK },
	{ "skb_", WAIT_NETWORK },          { "__skb_", WAIT_NETWORK },
	{ "netlink_", WAIT_NETWORK },      { "packet_", WAIT_NETWORK },
	{ "raw_", WAIT_NETWORK },          { "vsock_", WAIT_NETWORK },
	{ "rpc_", WAIT_NETWORK },          { "pipe_", WAIT_PIPE },
	{ "anon_pipe_", WAIT_PIPE },       { "fifo_", WAIT_PIPE },
	{ "wait_for_partner", WAIT_PIPE }, { "poll_schedule", WAIT_POLL },
	{ "do_poll", WAIT_POLL },          { "do_sys_poll", WAIT_POLL },
	{ "do_select", WAIT_POLL },        { "ep_poll", WAIT_POLL },
	{ "do_epoll_wait", WAIT_POLL },    { "io_cqring_wait", WAIT_POLL },
	{ "do_nanosleep", WAIT_SLEEP },    { "hrtimer_nanosleep", WAIT_SLEEP },
	{ "common_nsleep", WAIT_SLEEP },   { "alarm_timer_nsleep", WAIT_SLEEP },
	{ "usleep_range", WAIT_SLEEP },    { "msleep", WAIT_SLEEP },
	{ "timerfd_read", WAIT_SLEEP },    { "handle_mm_fault", WAIT_MEMORY },
};

static const struct rule calls[] = { /* as a whole */
	{ "nanosleep", WAIT_SLEEP },      { "clock_nanosleep", WAIT_SLEEP },
	{ "poll", WAIT_POLL },            { "ppoll", WAIT_POLL },
	{ "select", WAIT_POLL },          { "pselect6", WAIT_POLL },
	{ "epoll_wait", WAIT_POLL },      { "epoll_pwait", WAIT_POLL },
	{ "epoll_pwait2", WAIT_POLL },    { "io_uring_enter", WAIT_POLL },
	{ "futex", WAIT_LOCK },           { "futex_wait", WAIT_LOCK },
	{ "futex_waitv", WAIT_LOCK },     { "flock", WAIT_LOCK },
	{ "semop", WAIT_LOCK },           { "semtimedop", WAIT_LOCK },
	{ "wait4", WAIT_CHILD },          { "waitid", WAIT_CHILD },
	{ "vfork", WAIT_CHILD },          { "accept", WAIT_NETWORK },
	{ "accept4", WAIT_NETWORK },      { "connect", WAIT_NETWORK },
	{ "recvfrom", WAIT_NETWORK },     { "recvmsg", WAIT_NETWORK },
	{ "recvmmsg", WAIT_NETWORK },     { "sendto", WAIT_NETWORK },
	{ "sendmsg", WAIT_NETWORK },      { "sendmmsg", WAIT_NETWORK },
	{ "fsync", WAIT_DISK },           { "fdatasync", WAIT_DISK },
	{ "sync", WAIT_DISK },            { "syncfs", WAIT_DISK },
	{ "sync_file_range", WAIT_DISK }, { "msync", WAIT_DISK },
	{ "io_getevents", WAIT_DISK },    { "io_pgetevents", WAIT_DISK },
	{ "readahead", WAIT_DISK },
};

static bool begins(struct span name, const char *with)
{
	size_t length = strlen(with);

	if (with[length - 1] == '$')
		return span_length(name) == length - 1 && memcmp(name.at, with, length - 1) == 0;
	return span_length(name) >= length && memcmp(name.at, with, length) == 0;
}

static bool is_wait(struct span name)
{
	for (size_t i = 0; i < LENGTH(wait_functions); i++)
		if (begins(name, wait_functions[i]))
			return true;
	return false;
}

static enum wait_cause find_rule(const struct rule *list, size_t n_rules, const struct span *functions,
				 size_t n)
{
	for (size_t i = 0; i < n; i++)
		for (size_t rule = 0; rule < n_rules; rule++)
			if (begins(functions[i], list[rule].name))
				return list[rule].cause;
	return WAIT_OTHER;
}

/* "do_select.constprop.0" is do_select. */
static struct span plain_name(struct span name)
{
	for (const char *at = name.at; at < name.end; at++)
		if (*at == '.' && at > name.at)
			return span_of(name.at, (size_t)(at - name.at));
	return name;
}

enum wait_cause wait_cause_of_call(const char *call, const char *target)
{
	for (size_t i = 0; call && i < LENGTH(calls); i++)
		if (strcmp(calls[i].name, call) == 0)
			return calls[i].cause;
	if (!call || !target)
		return WAIT_OTHER;
	if (strncmp(target, "pipe:", 5) == 0)
		return WAIT_PIPE;
	if (strncmp(target, "socket:", 7) == 0)
		return WAIT_NETWORK;
	if (strcmp(target, "anon_inode:[timerfd]") == 0)
		return WAIT_SLEEP;
	return target[0] == '/' && strncmp(target, "/dev/", 5) != 0 && strncmp(target, "/proc/", 6) != 0
		       ? WAIT_DISK
		       : WAIT_OTHER;
}

static enum wait_cause cause_of(const struct span *functions, size_t n, unsigned state, const char *call)
{
	enum wait_cause cause;

	if (state == BPF_STATE_MEMORY)
		return WAIT_MEMORY;
	cause = find_rule(outer_rules, LENGTH(outer_rules), functions, n);
	if (cause == WAIT_OTHER)
		cause = find_rule(rules, LENGTH(rules), functions, n);
	if (cause != WAIT_OTHER)
		return cause;
	if (state == BPF_STATE_DISK)
		return WAIT_DISK;
	return state == BPF_STATE_LOCK ? WAIT_LOCK : wait_cause_of_call(call, NULL);
}

struct wait_meaning wait_meaning_of(const struct span *functions, size_t n, unsigned state, const char *call)
{
	struct wait_meaning meaning = { .cause = cause_of(functions, n, state, call) };

	for (size_t i = 0; i < n && span_length(meaning.function) == 0; i++)
		if (span_length(functions[i]) > 0 && !is_wait(functions[i]))
			meaning.function = plain_name(functions[i]);
	if (span_length(meaning.function) == 0 && call)
		meaning.function = span_text(call);
	return meaning;
}

#define FADE 0.8 /* of what was seen, at each end */

static void begin(struct wait_tally *tally)
{
	if (tally->n > 0)
		return;
	tally->n = 1;
	tally->reasons[0].cause = WAIT_OTHER;
}

unsigned wait_tally_reason(struct wait_tally *tally, enum wait_cause cause, struct span function)
{
	char name[WAIT_FUNCTION_BYTES];

	begin(tally);
	snprintf(name, sizeof(name), "%.*s", (int)span_length(function),
		 span_length(function) ? function.at : "");
	for (unsigned i = 0; i < tally->n; i++)
		if (tally->reasons[i].cause == cause && strcmp(tally->reasons[i].function, name) == 0)
			return i;
	if (tally->n == WAIT_REASONS_MAX)
		return 0;
	tally->reasons[tally->n] = (struct wait_reason){ .cause = cause };
	memcpy(tally->reasons[tally->n].function, name, sizeof(name));
	return tally->n++;
}

static unsigned length_of(uint64_t ns)
{
	unsigned length = 0;

	for (ns /= 1000; ns > 0 && length + 1 < WAIT_LENGTHS; ns /= 2)
		length++;
	return length;
}

void wait_tally_add(struct wait_tally *tally, unsigned number, uint64_t ns, bool is_new, uint64_t whole_ns)
{
	struct wait_reason *reason = &tally->reasons[number];

	begin(tally);
	reason->ns += ns;
	reason->waits += is_new;
	if (whole_ns > 0)
		reason->seen[length_of(whole_ns)]++;
}

void wait_tally_add_unseen(struct wait_tally *tally, uint64_t ns, bool is_new, uint64_t whole_ns)
{
	unsigned length = length_of(whole_ns ? whole_ns : ns);

	begin(tally);
	tally->unseen_ns[length] += ns;
	tally->unseen_waits[length] += is_new;
}

static double all_seen(const struct wait_tally *tally, unsigned length)
{
	double sum = 0;

	for (unsigned i = 0; i < tally->n; i++)
		sum += tally->reasons[i].seen[length];
	return sum;
}

/* The length that is nearest to this one among those of which some were seen; WAIT_LENGTHS: none. */
static unsigned nearest_seen(const struct wait_tally *tally, unsigned length)
{
	for (unsigned distance = 0; distance < WAIT_LENGTHS; distance++) {
		if (length + distance < WAIT_LENGTHS && all_seen(tally, length + distance) > 0)
			return length + distance;
		if (distance <= length && all_seen(tally, length - distance) > 0)
			return length - distance;
	}
	return WAIT_LENGTHS;
}

/* Those of a length go where those went that were seen. */
static void spread(struct wait_tally *tally, unsigned length, double parts_ns[WAIT_REASONS_MAX])
{
	unsigned like = nearest_seen(tally, length);
	double all = like < WAIT_LENGTHS ? all_seen(tally, like) : 0;

	for (unsigned i = 0; i < tally->n; i++) {
		struct wait_reason *reason = &tally->reasons[i];
		double share = all > 0 ? reason->seen[like] / all : i == 0;

		parts_ns[i] += share * (double)tally->unseen_ns[length];
		reason->sum_waits += share * (double)tally->unseen_waits[length];
	}
	tally->unseen_ns[length] = tally->unseen_waits[length] = 0;
}

void wait_tally_end(struct wait_tally *tally, uint64_t waited_ns)
{
	double parts_ns[WAIT_REASONS_MAX] = { 0 }, counted = 0;

	begin(tally);
	for (unsigned length = 0; length < WAIT_LENGTHS; length++)
		if (tally->unseen_ns[length] > 0 || tally->unseen_waits[length] > 0)
			spread(tally, length, parts_ns);
	for (unsigned i = 0; i < tally->n; i++) {
		parts_ns[i] += (double)tally->reasons[i].ns;
		counted += parts_ns[i];
	}
	if (counted == 0) /* nothing says what it was */
		parts_ns[0] = counted = 1;
	for (unsigned i = 0; i < tally->n; i++) {
		struct wait_reason *reason = &tally->reasons[i];

		reason->sum_ns += parts_ns[i] * ((double)waited_ns / counted);
		reason->sum_waits += (double)reason->waits;
		reason->ns = reason->waits = 0;
		for (unsigned length = 0; length < WAIT_LENGTHS; length++)
			reason->seen[length] *= FADE;
	}
}

#define ITEMS_SPARE 256 /* unused ones are left out when there are more, and twice as many as before */

void wait_ledger_free(struct wait_ledger *ledger)
{
	free(ledger->processes);
	free(ledger->items);
	free(ledger->growth);
	free(ledger->intervals);
	hash_free(&ledger->by_pid);
	hash_free(&ledger->by_what);
	intern_free(&ledger->names);
	*ledger = (struct wait_ledger){ 0 };
}

static uint64_t hash_of(uint32_t process, uint32_t state, uint32_t stack, int32_t call)
{
	return hash_u64(hash_u64((uint64_t)process << 32 | stack) ^ ((uint64_t)(uint32_t)call << 32 | state));
}

void wait_ledger_begin(struct wait_ledger *ledger)
{
	for (size_t i = 0; i < ledger->n_processes; i++) {
		struct wait_process *process = &ledger->processes[i];

		process->seen = false;
		process->threads = 0;
		process->counted_ns = process->most_ns = 0;
		process->most_item = HASH_NONE;
		memcpy(process->now_ns, process->gone_ns, sizeof(process->now_ns));
	}
	for (size_t i = 0; i < ledger->n_items; i++)
		ledger->items[i].now_ns = ledger->items[i].now_waits = 0;
}

uint32_t wait_ledger_find(const struct wait_ledger *ledger, uint32_t pid)
{
	uint32_t at;

	HASH_FIND(at, &ledger->by_pid, hash_u64(pid),
		  ledger->processes[at].pid == pid && !ledger->processes[at].ended);
	return at;
}

uint32_t wait_ledger_process(struct wait_ledger *ledger, uint32_t pid, uint64_t start_ticks)
{
	uint32_t at = wait_ledger_find(ledger, pid);

	if (at != HASH_NONE && ledger->processes[at].start_ticks == start_ticks) {
		ledger->processes[at].seen = true;
		return at;
	}
	if (at != HASH_NONE)
		ledger->processes[at].ended = true;
	hash_add(&ledger->by_pid, hash_u64(pid), (uint32_t)ledger->n_processes);
	*VECTOR_ADD(ledger->processes, ledger->n_processes, ledger->process_capacity) = (struct wait_process){
		.pid = pid,
		.start_ticks = start_ticks,
		.seen = true,
		.most_item = HASH_NONE,
	};
	return (uint32_t)(ledger->n_processes - 1);
}

uint32_t wait_ledger_item(struct wait_ledger *ledger, uint32_t process, uint32_t state, uint32_t stack,
			  int32_t call)
{
	uint64_t hash = hash_of(process, state, stack, call);
	uint32_t at;

	HASH_FIND(at, &ledger->by_what, hash,
		  ledger->items[at].process == process && ledger->items[at].state == state &&
			  ledger->items[at].stack == stack && ledger->items[at].call == call);
	if (at != HASH_NONE)
		return at;
	hash_add(&ledger->by_what, hash, (uint32_t)ledger->n_items);
	*VECTOR_ADD(ledger->items, ledger->n_items, ledger->item_capacity) =
		(struct wait_item){ .process = process, .stack = stack, .state = state, .call = call };
	return (uint32_t)(ledger->n_items - 1);
}

void wait_ledger_add(struct wait_ledger *ledger, uint32_t number, uint64_t ns, uint64_t waits)
{
	struct wait_item *item = &ledger->items[number];
	struct wait_process *process = &ledger->processes[item->process];

	item->now_ns += ns;
	item->now_waits += waits;
	if (item->state == BPF_STATE_RUNNING || item->state == BPF_STATE_READY)
		return;
	process->counted_ns += ns;
	if (process->most_item == HASH_NONE || item->now_ns > process->most_ns) {
		process->most_item = number;
		process->most_ns = item->now_ns;
	}
}

void wait_ledger_name(struct wait_ledger *ledger, uint32_t number, enum wait_cause cause,
		      struct span function)
{
	struct wait_item *item = &ledger->items[number];
	char name[128];

	item->is_known = true;
	item->cause = cause;
	item->function = NULL;
	if (span_length(function) == 0)
		return;
	snprintf(name, sizeof(name), "%.*s", (int)span_length(function), function.at);
	item->function = intern_text(&ledger->names, name);
}

static void leave_out(struct wait_ledger *ledger, uint64_t keep_ns)
{
	size_t n_old = 0, n_growth = 0;

	while (n_old < ledger->n_intervals && ledger->intervals[n_old].to_ns <= keep_ns)
		n_growth += ledger->intervals[n_old++].n;
	if (n_old == 0)
		return;
	ledger->n_intervals -= n_old;
	ledger->n_growth -= n_growth;
	memmove(ledger->intervals, ledger->intervals + n_old,
		ledger->n_intervals * sizeof(*ledger->intervals));
	memmove(ledger->growth, ledger->growth + n_growth, ledger->n_growth * sizeof(*ledger->growth));
}

static void add_interval(struct wait_ledger *ledger, uint64_t now_ns)
{
	struct wait_interval interval = { .from_ns = ledger->last_ns, .to_ns = now_ns };

	for (size_t i = 0; i < ledger->n_items; i++) {
		struct wait_item *item = &ledger->items[i];
		int64_t ns = (int64_t)(item->now_ns - item->before_ns);
		int64_t waits = (int64_t)(item->now_waits - item->before_waits);

		item->before_ns = item->now_ns;
		item->before_waits = item->now_waits;
		if (ledger->last_ns == 0 || !ledger->processes[item->process].seen || (ns == 0 && waits == 0))
			continue;
		*VECTOR_ADD(ledger->growth, ledger->n_growth, ledger->growth_capacity) =
			(struct wait_growth){ (uint32_t)i, ns, waits };
		interval.n++;
	}
	if (ledger->last_ns > 0)
		*VECTOR_ADD(ledger->intervals, ledger->n_intervals, ledger->interval_capacity) = interval;
	ledger->last_ns = now_ns;
}

static void end_processes(struct wait_ledger *ledger)
{
	for (size_t i = 0; i < ledger->n_processes; i++)
		if (!ledger->processes[i].seen)
			ledger->processes[i].ended = true;
	for (size_t i = 0; i < ledger->n_items; i++)
		if (ledger->processes[ledger->items[i].process].ended)
			ledger->items[i].before_ns = ledger->items[i].before_waits = 0;
}

/* Marks in numbers what is in use, then gives that its new number. */
static size_t number_used(uint32_t *numbers, size_t n)
{
	uint32_t next = 0;

	for (size_t i = 0; i < n; i++)
		numbers[i] = numbers[i] ? next++ : HASH_NONE;
	return next;
}

static void move_items(struct wait_ledger *ledger, const uint32_t *new_items, const uint32_t *new_processes)
{
	hash_clear(&ledger->by_what);
	hash_clear(&ledger->by_pid);
	for (size_t i = 0; i < ledger->n_processes; i++)
		if (new_processes[i] != HASH_NONE) {
			ledger->processes[new_processes[i]] = ledger->processes[i];
			hash_add(&ledger->by_pid, hash_u64(ledger->processes[i].pid), new_processes[i]);
		}
	for (size_t i = 0; i < ledger->n_items; i++)
		if (new_items[i] != HASH_NONE) {
			struct wait_item *item = &ledger->items[new_items[i]];

			*item = ledger->items[i];
			item->process = new_processes[item->process];
			hash_add(&ledger->by_what,
				 hash_of(item->process, item->state, item->stack, item->call), new_items[i]);
		}
	for (size_t i = 0; i < ledger->n_growth; i++)
		ledger->growth[i].item = new_items[ledger->growth[i].item];
}

static void drop_unused(struct wait_ledger *ledger)
{
	uint32_t *items, *processes;
	size_t n_processes;

	if (ledger->n_items < ITEMS_SPARE || ledger->n_items < 2 * ledger->n_items_kept)
		return;
	items = alloc_zeroed(ledger->n_items, sizeof(*items));
	processes = alloc_zeroed(ledger->n_processes, sizeof(*processes));
	for (size_t i = 0; i < ledger->n_growth; i++)
		items[ledger->growth[i].item] = 1;
	for (size_t i = 0; i < ledger->n_items; i++) {
		items[i] |= ledger->items[i].before_ns > 0 || ledger->items[i].before_waits > 0;
		processes[ledger->items[i].process] |= items[i];
	}
	for (size_t i = 0; i < ledger->n_processes; i++)
		processes[i] |= !ledger->processes[i].ended;
	ledger->n_items_kept = number_used(items, ledger->n_items);
	n_processes = number_used(processes, ledger->n_processes);
	move_items(ledger, items, processes);
	ledger->n_items = ledger->n_items_kept;
	ledger->n_processes = n_processes;
	free(items);
	free(processes);
}

void wait_ledger_end(struct wait_ledger *ledger, uint64_t now_ns, uint64_t keep_ns)
{
	leave_out(ledger, keep_ns < ledger->last_ns ? keep_ns : ledger->last_ns);
	add_interval(ledger, now_ns);
	end_processes(ledger);
	drop_unused(ledger);
}

double wait_ledger_sum(struct wait_ledger *ledger)
{
	for (size_t i = 0; i < ledger->n_items; i++)
		ledger->items[i].window_ns = ledger->items[i].window_waits = 0;
	for (size_t i = 0; i < ledger->n_growth; i++) {
		struct wait_item *item = &ledger->items[ledger->growth[i].item];

		item->window_ns += ledger->growth[i].ns;
		item->window_waits += ledger->growth[i].waits;
	}
	return ledger->n_intervals > 0 ? (double)(ledger->last_ns - ledger->intervals[0].from_ns) / 1e9 : 0;
}
