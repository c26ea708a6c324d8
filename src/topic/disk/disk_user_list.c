/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Counts what is submitted to block devices by who made it: for pages, who made their file dirty last. */
#include <config.h>

#include "topic/disk/disk_user_list.h"

#include <stdlib.h>
#include <string.h>

#include "core/alloc.h"
#include "core/i18n.h"
#include "core/vector.h"

#define ENTRIES_MAX 16384
#define SHOWN_TICKS 2 /* without growth, of a process that ended */

enum word { WORD_OPERATION, WORD_USER, N_WORDS };
#define DISK_SHIFT 32 /* of the word of the user; its low half is the pid */

/* enum req_op of linux/blk_types.h. */
#define REQ_OP_READ 0
#define REQ_OP_WRITE 1
#define REQ_OP_WRITE_ZEROES 9

/*
 * A file whose pages are written by a thread of the kernel was noted when they became dirty. A direct write
 * has pages of a process, whose mapping, an odd address, leads to nothing that was noted. Reads are of the
 * process that runs.
 */
static const struct bpf_program programs[] = {
	{ .name = N_("who makes files dirty"),
	  .tracepoint = "writeback_dirty_folio",
	  .does = &bpf_note,
	  .typed = true,
	  .keys = { { .is = BPF_PART_MEMBER, .argument = 1, .name = "address_space.host" } },
	  .n_keys = 1,
	  .value = { .is = BPF_PART_PROCESS } },
	{ .name = N_("bytes for disks"),
	  .tracepoint = "block_bio_queue",
	  .does = &bpf_count,
	  .typed = true,
	  .keys = { { .is = BPF_PART_MEMBER, .name = "bio.bi_opf", .bytes = 1 },
		    { .is = BPF_PART_MAKER, .name = "bio.bi_io_vec.bv_page.mapping.host" },
		    { .is = BPF_PART_MEMBER,
		      .name = "bio.bi_bdev.bd_disk.part0.bd_dev",
		      .joins = true,
		      .shift = DISK_SHIFT } },
	  .n_keys = 3,
	  .value = { .is = BPF_PART_MEMBER, .name = "bio.bi_iter.bi_size" },
	  .positive = true },
};

const struct trace_plan trace_plan_disk_user = {
	.topic = "disk_user",
	.programs = programs,
	.n_programs = sizeof(programs) / sizeof(programs[0]),
	.n_words = N_WORDS,
	.n_entries_max = ENTRIES_MAX,
	.slots = true,
};

static enum disk_work work_of(uint64_t operation)
{
	return operation == REQ_OP_READ           ? DISK_READS
	       : operation == REQ_OP_WRITE        ? DISK_WRITES
	       : operation == REQ_OP_WRITE_ZEROES ? DISK_ZEROES
						  : N_DISK_WORKS;
}

static uint64_t hash_user(uint32_t pid, uint64_t disk)
{
	return hash_u64((uint64_t)pid << 32 ^ disk);
}

static struct disk_user *find_user(const struct disk_user_list *list, uint32_t pid, uint64_t disk)
{
	uint32_t at;

	HASH_FIND(at, &list->by_key, hash_user(pid, disk),
		  list->all[at].pid == pid && list->all[at].disk == disk);
	return at == HASH_NONE ? NULL : &list->all[at];
}

static struct disk_user *user_of(struct disk_user_list *list, uint32_t pid, uint64_t disk)
{
	struct disk_user *user = find_user(list, pid, disk);

	if (user)
		return user;
	hash_add(&list->by_key, hash_user(pid, disk), (uint32_t)list->n_all);
	user = VECTOR_ADD(list->all, list->n_all, list->capacity);
	*user = (struct disk_user){ .pid = pid, .disk = disk };
	return user;
}

static struct disk_work_done *done_of(struct disk_user_list *list, uint64_t disk)
{
	struct disk_work_done *done;

	for (size_t i = 0; i < list->n_done; i++)
		if (list->done[i].disk == disk)
			return &list->done[i];
	done = VECTOR_ADD(list->done, list->n_done, list->done_capacity);
	*done = (struct disk_work_done){ .disk = disk };
	return done;
}

static enum disk_user_kind kind_of(const struct process *process)
{
	if (!process_is_kernel_thread(process))
		return DISK_USER_PROGRAM;
	return strncmp(process->name, "kworker", 7) == 0 ? DISK_USER_WORKER : DISK_USER_KERNEL;
}

static char *copy_of(const char *text)
{
	return text ? alloc_text(text) : NULL;
}

static void remember_ended(struct disk_user_list *list)
{
	for (size_t i = 0; i < list->processes->n_exited; i++) {
		const struct process *process = list->processes->exited[i];
		struct disk_ended *ended = &list->ended[list->next_ended++ % DISK_ENDED_MAX];

		free(ended->name);
		free(ended->command);
		*ended = (struct disk_ended){ .pid = process->pid,
					      .start_ticks = process->start_ticks,
					      .kind = kind_of(process),
					      .name = copy_of(process->name),
					      .command = copy_of(process->command) };
	}
}

static const struct disk_ended *find_ended(const struct disk_user_list *list, uint32_t pid)
{
	for (unsigned back = 1; back <= DISK_ENDED_MAX && back <= list->next_ended; back++) {
		const struct disk_ended *ended = &list->ended[(list->next_ended - back) % DISK_ENDED_MAX];

		if (ended->pid == pid)
			return ended;
	}
	return NULL;
}

static void name_user(struct disk_user *user, uint64_t start_ticks, enum disk_user_kind kind,
		      const char *name, const char *command)
{
	if (user->start_ticks != 0 && user->start_ticks != start_ticks)
		user->base = user->before;
	if (user->start_ticks != start_ticks || !user->name || strcmp(user->name, name) != 0 ||
	    (command && !user->command)) {
		free(user->name);
		free(user->command);
		user->name = copy_of(name);
		user->command = copy_of(command);
	}
	user->start_ticks = start_ticks;
	user->kind = kind;
}

/* The process that has its pid, or the last one that had it. */
static void identify(struct disk_user_list *list, struct disk_user *user)
{
	const struct process *process = process_list_find(list->processes, user->pid);
	const struct disk_ended *ended = process ? NULL : find_ended(list, user->pid);

	if (user->pid == 0)
		user->kind = DISK_USER_WORKER; /* an idle CPU */
	else if (process && process->start_ticks != U64_UNKNOWN)
		name_user(user, process->start_ticks, kind_of(process), process->name, process->command);
	else if (ended && user->start_ticks == 0)
		name_user(user, ended->start_ticks, ended->kind, ended->name, ended->command);
}

static void add_done(struct disk_user_list *list, const struct disk_user *user, enum disk_work work,
		     uint64_t grown, uint64_t requests)
{
	struct disk_work_done *done = done_of(list, user->disk);
	bool writes = work != DISK_READS;

	if (user->kind == DISK_USER_PROGRAM || user->kind == DISK_USER_UNKNOWN)
		done->programs[writes] += grown;
	if (user->kind != DISK_USER_WORKER)
		return;
	*(writes ? &done->workers.written : &done->workers.read) += grown;
	done->workers.requests += requests;
}

static void take_entry(struct disk_user_list *list, const uint64_t *key, const struct bpf_entry *entry)
{
	enum disk_work work = work_of(key[WORD_OPERATION]);
	struct disk_user *user;
	uint64_t grown, requests;

	if (work == N_DISK_WORKS)
		return;
	user = user_of(list, (uint32_t)key[WORD_USER], key[WORD_USER] >> DISK_SHIFT);
	grown = entry->sum - user->counted.bytes[work];
	if (grown == 0)
		return;
	requests = entry->count - user->counted.requests[work];
	user->counted.bytes[work] = entry->sum;
	user->counted.requests[work] = entry->count;
	user->tick = list->env->tick;
	identify(list, user);
	add_done(list, user, work, grown, requests);
}

/* Of a process that ended and has nothing left to be written, as far as is known. */
static bool is_over(const struct disk_user_list *list, const struct disk_user *user)
{
	return list->env->tick - user->tick >= SHOWN_TICKS && !process_list_find(list->processes, user->pid);
}

static void forget_entries(struct disk_user_list *list)
{
	for (size_t i = 0; i < list->trace.n_entries; i++) {
		const uint64_t *key = trace_key(&list->trace, i);
		const struct disk_user *user =
			find_user(list, (uint32_t)key[WORD_USER], key[WORD_USER] >> DISK_SHIFT);

		if (user && is_over(list, user))
			trace_forget(&list->trace, i);
	}
}

static void forget_users(struct disk_user_list *list)
{
	size_t n_kept = 0;

	for (size_t i = 0; i < list->n_all; i++) {
		if (!is_over(list, &list->all[i])) {
			list->all[n_kept++] = list->all[i];
			continue;
		}
		free(list->all[i].name);
		free(list->all[i].command);
	}
	if (n_kept == list->n_all)
		return;
	list->n_all = n_kept;
	hash_clear(&list->by_key);
	for (size_t i = 0; i < n_kept; i++)
		hash_add(&list->by_key, hash_user(list->all[i].pid, list->all[i].disk), (uint32_t)i);
}

static int update(void *state, const struct sample *sample)
{
	struct disk_user_list *list = state;

	if (!list->opened) {
		list->opened = true;
		trace_open(&list->trace, sample->env, sample->request, &trace_plan_disk_user);
	}
	list->counted = trace_read(&list->trace);
	if (!list->counted)
		return 0;
	remember_ended(list);
	for (size_t i = 0; i < list->n_all; i++)
		list->all[i].before = list->all[i].counted;
	for (size_t i = 0; i < list->trace.n_entries; i++)
		take_entry(list, trace_key(&list->trace, i), &list->trace.values[i]);
	forget_entries(list);
	forget_users(list);
	return 0;
}

const struct disk_work_done *disk_user_list_done(const struct disk_user_list *list, uint64_t disk)
{
	for (size_t i = 0; i < list->n_done; i++)
		if (list->done[i].disk == disk)
			return &list->done[i];
	return NULL;
}

uint64_t disk_user_bytes(const struct disk_user *user, bool written)
{
	uint64_t sum = 0;

	for (unsigned work = written ? DISK_WRITES : DISK_READS;
	     work < (written ? N_DISK_WORKS : DISK_WRITES); work++)
		sum += user->counted.bytes[work] - user->base.bytes[work];
	return sum;
}

uint64_t disk_user_requests(const struct disk_user *user)
{
	uint64_t sum = 0;

	for (unsigned work = 0; work < N_DISK_WORKS; work++)
		sum += user->counted.requests[work] - user->base.requests[work];
	return sum;
}

static int open_list(void *state, const struct sample *sample)
{
	struct disk_user_list *list = state;

	list->env = sample->env;
	return 0;
}

static void close_list(void *state)
{
	struct disk_user_list *list = state;

	trace_close(&list->trace);
	for (size_t i = 0; i < list->n_all; i++) {
		free(list->all[i].name);
		free(list->all[i].command);
	}
	for (unsigned i = 0; i < DISK_ENDED_MAX; i++) {
		free(list->ended[i].name);
		free(list->ended[i].command);
	}
	hash_free(&list->by_key);
	free(list->all);
	free(list->done);
}

static const struct reading reads[] = {
	READING(struct disk_user_list, processes, &process_reader),
	READING(struct disk_user_list, disks, &disk_reader),
	{ 0 },
};

const struct reader disk_user_reader = {
	.name = "processes by block device",
	.state_size = sizeof(struct disk_user_list),
	.reads = reads,
	.open = open_list,
	.update = update,
	.close = close_list,
};
