/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Finds the offsets of a plan, assembles and attaches its programs, and reads what they count. */
#include <config.h>

#include "topic/trace/trace.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "core/alloc.h"
#include "core/i18n.h"
#include "core/vector.h"
#include "kernel/cpu_list.h"
#include "kernel/trace_format.h"
#include "sys/bpf.h"
#include "sys/tracefs.h"
#include "topic/topic.h"
#include "topic/trace/kernel_types.h"
#include "topic/tracing.h"

#define FORMAT_BYTES 8192
#define ROOM_FIRST 256
#define ROOM_MOST 65536
#define READ_TRIES 8
#define SLOTS (1U << BPF_SLOT_BITS)
#define OFTEN 1000       /* a key that has counted so often gets its slot */
#define READERS_MAX 4096 /* threads that read files at the same time */
#define STARTS_MAX 8192  /* of phases: what has begun */

/* What is open only while programs are made. */
struct making {
	struct trace_set *set;
	struct kernel_types types;
	int tracefs;    /* -1: not opened */
	char path[128]; /* of the tracepoint in it */
	char format[FORMAT_BYTES];
	long format_length; /* -errno: it has none */
	struct bpf_task_layout layout;
	struct bpf_cache_layout cache;
	struct bpf_walk_layout walk;
};

static void *open_sets(struct env *env)
{
	(void)env;
	return alloc_zeroed(1, sizeof(struct trace_sets));
}

static void close_sets(void *state)
{
	free(state);
}

const struct trace_sets *trace_opened(const struct env *env)
{
	static const struct trace_sets none;
	const struct trace_sets *sets = env_shared_state(env, open_sets);

	return sets ? sets : &none;
}

static void enter(struct trace_set *set)
{
	struct trace_sets *sets = env_share(set->env, open_sets, open_sets, close_sets);

	if (sets->n < TRACE_SETS_MAX)
		sets->list[sets->n++] = set;
}

static void leave(struct trace_set *set)
{
	struct trace_sets *sets = env_shared_state(set->env, open_sets);

	for (unsigned i = 0; i < sets->n; i++)
		if (sets->list[i] == set) {
			sets->list[i] = sets->list[--sets->n];
			break;
		}
	env_unshare(set->env, open_sets);
}

static bool is_raw(const struct trace_program *program)
{
	return !strchr(program->tracepoint, ':');
}

/* "events/irq/irq_handler_entry/NAME" of irq:irq_handler_entry. */
static long read_tracepoint(struct making *making, const struct trace_program *program, const char *name,
			    char *bytes, size_t room)
{
	const char *colon = strchr(program->tracepoint, ':');

	if (making->tracefs == -1)
		making->tracefs = tracing_open(making->set->env);
	if (making->tracefs < 0)
		return making->tracefs;
	snprintf(making->path, sizeof(making->path), "events/%.*s/%s/%s", (int)(colon - program->tracepoint),
		 program->tracepoint, colon + 1, name);
	return tracefs_read(making->tracefs, making->path, bytes, room);
}

static int find_field(struct making *making, const struct trace_part *wanted, struct bpf_part *part)
{
	struct trace_field field;

	if (making->format_length < 0)
		return (int)making->format_length;
	if (!trace_format_find(span_of(making->format, (size_t)making->format_length), wanted->name,
			       &field) ||
	    field.is_elsewhere)
		return -ENODATA;
	part->offset = field.offset;
	part->bytes = field.bytes;
	return 0;
}

static int open_types(struct making *making)
{
	return making->types.bytes ? 0 : kernel_types_open(&making->types, making->set->env);
}

static int find_member(struct making *making, const struct trace_part *wanted, struct bpf_part *part)
{
	int error = open_types(making);
	uint32_t bytes;

	if (error)
		return error;
	if (wanted->absent_with && kernel_types_path(&making->types.btf, wanted->absent_with, part->path,
						     BPF_PATH_MAX, &bytes) > 0) {
		making->set->lacks = true;
		*part = (struct bpf_part){ .is = BPF_PART_CONSTANT };
		return 0;
	}
	part->offset = wanted->argument;
	part->n_path =
		kernel_types_path(&making->types.btf, wanted->name, part->path, BPF_PATH_MAX, &bytes);
	if (part->n_path == 0 || wanted->bytes > bytes)
		return -ENODATA;
	part->bytes = wanted->bytes ? wanted->bytes : bytes;
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
	part->path[part->n_path - 1] += bytes - part->bytes;
#endif
	if (wanted->points_to_text && part->n_path < BPF_PATH_MAX) {
		part->path[part->n_path++] = wanted->text_offset;
		part->bytes = sizeof(uint64_t);
	}
	return 0;
}

static int find_part(struct making *making, const struct trace_part *wanted, struct bpf_part *part)
{
	*part = (struct bpf_part){
		.is = wanted->is,
		.bytes = wanted->bytes,
		.offset = wanted->argument,
		.constant = wanted->constant,
		.joins = wanted->joins,
		.shift = wanted->shift,
	};
	if (wanted->is == BPF_PART_FIELD)
		return find_field(making, wanted, part);
	return wanted->is == BPF_PART_MEMBER || wanted->is == BPF_PART_MAKER ?
		       find_member(making, wanted, part) :
		       0;
}

static int find_parts(struct making *making, const struct trace_program *program, struct bpf_shape *shape)
{
	int error = 0;

	if (!is_raw(program))
		making->format_length =
			read_tracepoint(making, program, "format", making->format, sizeof(making->format));
	for (unsigned i = 0; i < program->n_keys && !error; i++)
		error = find_part(making, &program->keys[i], &shape->keys[i]);
	if (!error && program->unless_bits)
		error = find_part(making, &program->unless, &shape->unless);
	error = error ? error : find_part(making, &program->value, &shape->value);
	error = error ? error : find_part(making, &program->begun, &shape->begun);
	error = error ? error : find_part(making, &program->middle, &shape->middle);
	error = error ? error : find_part(making, &program->done, &shape->done);
	error = error ? error : find_part(making, &program->whole, &shape->whole);
	return error ? error : find_part(making, &program->end, &shape->end);
}

static int find_tasks(struct making *making, struct bpf_shape *shape)
{
	int error = open_types(making);

	if (!error && making->layout.tgid == 0)
		error = kernel_types_tasks(&making->types.btf, &making->layout);
	shape->layout = &making->layout;
	return error;
}

static int find_cache(struct making *making, struct bpf_shape *shape)
{
	int error = open_types(making);

	if (!error && making->cache.page_bits == 0) {
		error = kernel_types_cache(&making->types.btf, &making->cache);
		if (!error)
			making->cache.page_bits = (uint32_t)__builtin_ctzll(making->set->env->page_bytes);
	}
	shape->cache = &making->cache;
	return error;
}

static int find_walk(struct making *making, struct bpf_shape *shape)
{
	int error = open_types(making);

	shape->walk_layout = &making->walk;
	return error ? error : kernel_types_walk(&making->types.btf, &making->walk);
}

/* What it needs of this kernel. */
static int find_places(struct making *making, const struct trace_program *program, struct bpf_shape *shape)
{
	switch (program->does) {
	case BPF_ENTER:
		return find_tasks(making, shape);
	case BPF_CACHE:
		return find_cache(making, shape);
	case BPF_WALK:
		return find_walk(making, shape);
	default:
		return find_parts(making, program, shape);
	}
}

/* Its arguments have the types of the kernel, so that it loads members directly. */
static bool needs_types(const struct trace_program *program)
{
	return program->does == BPF_ENTER || program->does == BPF_CACHE;
}

static bool is_iterator(const struct trace_program *program)
{
	return program->does == BPF_ENTER && program->enters == BPF_ENTERS_EXISTS;
}

/* -ENOENT: this kernel has no such type. */
static int load_typed(struct making *making, const struct trace_program *program, const struct bpf_code *code)
{
	bool iterates = is_iterator(program);
	int error = open_types(making);
	char name[64];
	uint32_t type;

	if (error)
		return error;
	snprintf(name, sizeof(name), iterates ? "%s" : "btf_trace_%s", program->tracepoint);
	type = iterates ? btf_function(&making->types.btf, name) : btf_typedef(&making->types.btf, name);
	return type ? bpf_typed_program_open(code, "panetop", type, iterates) : -ENOENT;
}

static int assemble_and_load(struct making *making, const struct trace_program *program,
			     const struct bpf_shape *shape)
{
	enum bpf_prog_type type =
		is_raw(program) ? BPF_PROG_TYPE_RAW_TRACEPOINT : BPF_PROG_TYPE_TRACEPOINT;
	struct bpf_code code;

	if (!bpf_assemble(&code, shape))
		return -EINVAL;
	return shape->typed ? load_typed(making, program, &code) : bpf_program_open(type, &code, "panetop");
}

/* Where the kernel does not take its types, a program calls a function for each member, which costs more. */
static int load(struct making *making, const struct trace_program *program, struct bpf_shape *shape)
{
	int loaded = assemble_and_load(making, program, shape);

	if (loaded >= 0 || !shape->typed || needs_types(program))
		return loaded;
	shape->typed = false;
	return assemble_and_load(making, program, shape);
}

static int attach(struct making *making, const struct trace_program *program, bool typed, int loaded)
{
	struct span text;
	char bytes[32];
	uint64_t id;
	long length;

	if (is_raw(program))
		return bpf_attach_raw(loaded, typed ? NULL : program->tracepoint);
	length = read_tracepoint(making, program, "id", bytes, sizeof(bytes));
	if (length < 0)
		return (int)length;
	text = span_of(bytes, (size_t)length);
	return span_u64(&text, &id) ? bpf_attach_tracepoint(loaded, id) : -ENODATA;
}

static void close_running(struct trace_running *running)
{
	if (running->attached >= 0)
		close(running->attached);
	if (running->loaded >= 0)
		close(running->loaded);
	if (running->self >= 0)
		close(running->self);
}

/* One element for each CPU. */
static int open_cpu_map(size_t value_bytes)
{
	return bpf_map_open(BPF_MAP_TYPE_PERCPU_ARRAY, sizeof(uint32_t), value_bytes, 1);
}

static int start_program(struct making *making, const struct trace_program *program)
{
	struct trace_set *set = making->set;
	struct trace_running *running = &set->running[set->n_running];
	struct bpf_shape shape = {
		.does = program->does,
		.n_keys = program->n_keys,
		.first_bit = program->first_bit,
		.unless_bits = program->unless_bits,
		.positive = program->positive,
		.typed = program->typed || needs_types(program),
		.begins_elsewhere = program->begins_elsewhere,
		.by_log2 = program->by_log2,
		.phases = set->plan->phases,
		.entries = set->entries,
		.starts = set->starts,
		.start_slots = set->start_slots,
		.histograms = set->histograms,
		.numbers = set->numbers,
		.marks = set->marks,
		.walk = set->walk,
		.records = set->records,
		.rings = set->rings,
		.slots = set->slots,
		.has_slots = set->slots >= 0,
		.enters = program->enters,
		.task = program->task,
		.process = set->process,
		.event = program->event,
		.readers = set->readers,
	};
	int error = find_places(making, program, &shape);

	if (error)
		return error;
	*running = (struct trace_running){ .program = program, .loaded = -1, .attached = -1 };
	running->self = shape.self = open_cpu_map(sizeof(struct bpf_self));
	if (running->self < 0)
		return running->self;
	error = running->loaded = load(making, program, &shape);
	if (error >= 0 && is_iterator(program))
		error = bpf_iterate(running->loaded);
	else if (error >= 0 && program->does != BPF_WALK)
		error = running->attached = attach(making, program, shape.typed, running->loaded);
	if (error < 0) {
		close_running(running);
		return error;
	}
	set->n_running++;
	return 0;
}

/* START, STOP and NOTE of a plan have the same. */
static size_t start_bytes(const struct trace_plan *plan)
{
	for (unsigned i = 0; i < plan->n_programs && !plan->phases; i++)
		if (plan->programs[i].does == BPF_START || plan->programs[i].does == BPF_NOTE)
			return plan->programs[i].n_keys * sizeof(uint64_t);
	return sizeof(uint64_t);
}

static size_t value_bytes(const struct trace_plan *plan)
{
	return plan->times    ? sizeof(struct bpf_times)
	       : plan->phases ? sizeof(uint64_t)
			      : sizeof(struct bpf_entry);
}

static size_t words_of_slot(const struct trace_set *set)
{
	return set->plan->n_words + value_bytes(set->plan) / sizeof(uint64_t);
}

static uint64_t *slot_of(const struct trace_set *set, const uint64_t *key)
{
	return set->slot_words + bpf_slot(key, set->plan->n_words) * words_of_slot(set);
}

/* A kernel that has no such maps does without. */
static void open_slots(struct trace_set *set)
{
	void *memory = NULL;

	set->slots = bpf_shared_array_open(words_of_slot(set) * sizeof(uint64_t), SLOTS, &memory);
	set->slot_words = memory;
	for (size_t i = 0; memory && i < SLOTS; i++)
		set->slot_words[i * words_of_slot(set)] = BPF_SLOT_FREE;
}

static int open_phases(struct trace_set *set)
{
	void *memory = NULL;

	set->numbers = bpf_map_open(BPF_MAP_TYPE_ARRAY, sizeof(uint32_t), sizeof(uint64_t), 1);
	if (set->numbers >= 0)
		set->start_slots = bpf_map_open(BPF_MAP_TYPE_ARRAY, sizeof(uint32_t), 2 * sizeof(uint64_t),
						1U << BPF_START_SLOT_BITS);
	if (set->numbers < 0 || set->start_slots < 0)
		return set->numbers < 0 ? set->numbers : set->start_slots;
	set->histograms = bpf_shared_array_open(sizeof(struct bpf_phases), set->plan->n_entries_max, &memory);
	set->phases = memory;
	return set->histograms;
}

static int open_walk(struct trace_set *set)
{
	void *memory = NULL;

	set->walk = bpf_shared_array_open(sizeof(*set->walked), 1, &memory);
	set->walked = memory;
	return set->walk;
}

static int open_maps(struct trace_set *set)
{
	const struct trace_plan *plan = set->plan;
	size_t n_max = plan->n_entries_max, key_bytes = plan->n_words * sizeof(uint64_t);
	enum bpf_map_type start_type = plan->notes ? BPF_MAP_TYPE_LRU_HASH : BPF_MAP_TYPE_HASH;
	int error = 0;

	if (plan->n_words > 0)
		error = set->entries = bpf_map_open(BPF_MAP_TYPE_HASH, key_bytes, value_bytes(plan), n_max);
	if (error >= 0 && plan->slots)
		open_slots(set);
	if (error >= 0 && plan->starts)
		error = set->starts = bpf_map_open(start_type, start_bytes(plan), sizeof(uint64_t),
						   plan->phases ? STARTS_MAX : n_max);
	if (error >= 0 && plan->phases)
		error = open_phases(set);
	if (error >= 0 && plan->walks)
		error = open_walk(set);
	if (error >= 0 && plan->marks)
		error = set->marks = open_cpu_map(sizeof(uint64_t));
	if (error >= 0 && plan->readers)
		error = set->readers = bpf_map_open(BPF_MAP_TYPE_LRU_HASH, sizeof(uint64_t),
						    sizeof(struct bpf_reader), READERS_MAX);
	if (error >= 0 && plan->records)
		error = set->records = open_cpu_map(sizeof(struct bpf_record));
	if (error >= 0 && plan->records)
		error = set->rings = bpf_map_open(BPF_MAP_TYPE_PERF_EVENT_ARRAY, sizeof(uint32_t),
						  sizeof(uint32_t), set->n_cpus);
	return error < 0 ? error : 0;
}

static int count_cpus(struct trace_set *set)
{
	struct span text;
	uint32_t first, last = 0;
	int error = env_read(set->env, env_file(set->env, "sys/devices/system/cpu/possible"), &text);

	while (!error && cpu_list_next(&text, &first, &last))
		;
	set->n_cpus = last + 1;
	return error;
}

static void close_map(int *fd)
{
	if (*fd >= 0)
		close(*fd);
	*fd = -1;
}

static void close_slots(struct trace_set *set)
{
	if (set->slot_words)
		munmap(set->slot_words, SLOTS * words_of_slot(set) * sizeof(uint64_t));
	set->slot_words = NULL;
	close_map(&set->slots);
}

static void close_phases(struct trace_set *set)
{
	if (set->phases)
		munmap(set->phases, set->plan->n_entries_max * sizeof(*set->phases));
	set->phases = NULL;
	close_map(&set->histograms);
}

static void close_walk(struct trace_set *set)
{
	if (set->walked)
		munmap(set->walked, sizeof(*set->walked));
	set->walked = NULL;
	close_map(&set->walk);
}

static void close_maps(struct trace_set *set)
{
	for (unsigned i = 0; i < set->n_running; i++)
		close_running(&set->running[i]);
	set->n_running = 0;
	close_map(&set->entries);
	close_map(&set->starts);
	close_map(&set->numbers);
	close_map(&set->start_slots);
	close_phases(set);
	close_walk(set);
	close_map(&set->marks);
	close_map(&set->records);
	close_map(&set->rings);
	close_map(&set->readers);
	close_slots(set);
}

static int start_programs(struct trace_set *set, const struct trace_program *programs, unsigned n)
{
	struct making *making = alloc_zeroed(1, sizeof(*making));
	int error = 0;

	making->set = set;
	making->tracefs = -1;
	for (unsigned i = 0; i < n && !error; i++) {
		error = start_program(making, &programs[i]);
		if (error == -ENOENT && programs[i].optional)
			error = 0;
	}
	if (making->tracefs >= 0)
		close(making->tracefs);
	if (making->types.bytes)
		kernel_types_close(&making->types);
	free(making);
	return error;
}

int trace_add(struct trace_set *set, const struct trace_program *program)
{
	if (!set->plan || set->error)
		return set->error;
	return start_programs(set, program, 1);
}

void trace_open(struct trace_set *set, struct env *env, const struct sample_request *request,
		const struct trace_plan *plan)
{
	trace_open_process(set, env, request, plan, 0);
}

/* Are the PIDs of the kernel those that we see? Not in a PID namespace. */
static bool pids_are_ours(void)
{
	static const char first[] = "pid:[4026531836]"; /* PROC_PID_INIT_INO of linux/proc_ns.h */
	char name[sizeof(first)];
	ssize_t length = readlink("/proc/self/ns/pid", name, sizeof(name));

	return length == sizeof(first) - 1 && memcmp(name, first, sizeof(first) - 1) == 0;
}

void trace_open_process(struct trace_set *set, struct env *env, const struct sample_request *request,
			const struct trace_plan *plan, uint32_t process)
{
	*set = (struct trace_set){
		.env = env,
		.plan = plan,
		.process = process,
		.entries = -1,
		.starts = -1,
		.marks = -1,
		.records = -1,
		.rings = -1,
		.readers = -1,
		.slots = -1,
		.histograms = -1,
		.numbers = -1,
		.start_slots = -1,
		.walk = -1,
	};
	if (!env->live || request->no_bpf) {
		set->error = -ENOTSUP;
		return;
	}
	set->error = plan->by_pid && !pids_are_ours() ? -EXDEV : count_cpus(set);
	if (!set->error)
		set->error = open_maps(set);
	if (!set->error)
		set->error = start_programs(set, plan->programs, plan->n_programs);
	if (set->error) {
		close_maps(set);
		return;
	}
	set->room = ROOM_FIRST;
	set->selves = alloc_zeroed(set->n_cpus, sizeof(*set->selves));
	enter(set);
}

void trace_close(struct trace_set *set)
{
	if (!set->plan || set->error)
		return;
	leave(set);
	close_maps(set);
	free(set->keys);
	free(set->values);
	free(set->times);
	free(set->phase_numbers);
	free(set->selves);
	set->plan = NULL;
}

int trace_direct(const struct trace_set *set, uint32_t cpu, int event)
{
	return bpf_map_set(set->rings, &cpu, &event);
}

/* Room for two of the next read, so that a full map is read in one. */
static void make_room(struct trace_set *set)
{
	size_t wanted = set->n_read + set->room;

	if (wanted <= set->capacity)
		return;
	set->capacity = wanted > 2 * set->capacity ? wanted : 2 * set->capacity;
	set->keys = alloc_resize(set->keys, set->capacity * set->plan->n_words, sizeof(*set->keys));
	if (set->plan->times)
		set->times = alloc_resize(set->times, set->capacity, sizeof(*set->times));
	else if (set->plan->phases)
		set->phase_numbers =
			alloc_resize(set->phase_numbers, set->capacity, sizeof(*set->phase_numbers));
	else
		set->values = alloc_resize(set->values, set->capacity, sizeof(*set->values));
}

static void *values_from(const struct trace_set *set, size_t entry)
{
	return set->plan->times    ? (void *)(set->times + entry)
	       : set->plan->phases ? (void *)(set->phase_numbers + entry)
				   : (void *)(set->values + entry);
}

static bool adds_up(const struct bpf_times *times)
{
	uint64_t sum = times->begun_ns;

	for (unsigned state = 0; state < N_BPF_STATES; state++)
		sum += times->spent_ns[state];
	return sum == times->since_ns;
}

static void read_again(struct trace_set *set)
{
	for (size_t i = 0; i < set->n_entries; i++)
		for (unsigned tries = 0; !adds_up(&set->times[i]) && tries < READ_TRIES; tries++)
			bpf_map_value(set->entries, trace_key(set, i), &set->times[i]);
}

static bool has_slot(const struct trace_set *set, const uint64_t *slot, const uint64_t *key)
{
	return memcmp(slot, key, set->plan->n_words * sizeof(*key)) == 0;
}

/* Programs see its first word last, and then count there what they have counted in the hash so far. */
static void take_slot(const struct trace_set *set, uint64_t *slot, const uint64_t *key, uint64_t value)
{
	for (size_t word = 1; word < words_of_slot(set); word++)
		__atomic_store_n(&slot[word], word < set->plan->n_words ? key[word] : value,
				 __ATOMIC_RELAXED);
	__atomic_store_n(slot, *key, __ATOMIC_RELEASE);
}

static void add_slot(const struct trace_set *set, const uint64_t *slot, struct bpf_entry *entry)
{
	const struct bpf_entry *more = (const void *)(slot + set->plan->n_words);
	uint64_t most = __atomic_load_n(&more->most, __ATOMIC_RELAXED);

	entry->count += __atomic_load_n(&more->count, __ATOMIC_RELAXED);
	entry->sum += __atomic_load_n(&more->sum, __ATOMIC_RELAXED);
	entry->most = most > entry->most ? most : entry->most;
}

/* What has a slot stays in the hash, with what it counted there before. */
static void read_slots(struct trace_set *set)
{
	for (size_t i = 0; i < set->n_entries; i++) {
		const uint64_t *key = trace_key(set, i);
		uint64_t *slot = slot_of(set, key);

		if (set->plan->phases && *slot == BPF_SLOT_FREE)
			take_slot(set, slot, key, set->phase_numbers[i]);
		else if (!set->plan->phases && has_slot(set, slot, key))
			add_slot(set, slot, &set->values[i]);
		else if (!set->plan->phases && *slot == BPF_SLOT_FREE && set->values[i].count >= OFTEN)
			take_slot(set, slot, key, 0);
	}
}

bool trace_read(struct trace_set *set)
{
	bool goes_on = false;
	uint64_t token = 0;

	if (!set->plan || set->error || set->entries < 0)
		return false;
	set->n_read = 0;
	do {
		long n_more;

		make_room(set);
		n_more = bpf_map_entries(set->entries, &token, &goes_on,
					 set->keys + set->n_read * set->plan->n_words,
					 values_from(set, set->n_read), set->room);
		if (n_more == -ENOSPC && set->room < ROOM_MOST)
			set->room *= 2;
		else if (n_more < 0)
			return false;
		else
			set->n_read += (size_t)n_more;
	} while (goes_on);
	set->n_entries = set->n_read;
	if (set->plan->times)
		read_again(set);
	if (set->slot_words)
		read_slots(set);
	return true;
}

const struct bpf_walk *trace_walk(struct trace_set *set)
{
	if (!set->plan || set->error || bpf_run(set->running[0].loaded) < 0 || !set->walked->ended)
		return NULL;
	set->n_entries = set->walked->n_processes;
	return set->walked;
}

void trace_forget(struct trace_set *set, size_t entry)
{
	const uint64_t *key = trace_key(set, entry);
	uint64_t *slot = set->slot_words ? slot_of(set, key) : NULL;

	if (slot && has_slot(set, slot, key))
		__atomic_store_n(slot, BPF_SLOT_FREE, __ATOMIC_RELEASE);
	bpf_map_remove(set->entries, key);
}

struct bpf_self trace_self(struct trace_set *set, unsigned running)
{
	const uint32_t first = 0;
	struct bpf_self sum = { 0 };

	if (bpf_map_value(set->running[running].self, &first, set->selves) < 0)
		return (struct bpf_self){ U64_UNKNOWN, U64_UNKNOWN, U64_UNKNOWN, U64_UNKNOWN };
	sum.lost = bpf_program_misses(set->running[running].loaded);
	for (size_t i = 0; i < set->n_cpus; i++) {
		sum.runs += set->selves[i].runs;
		sum.lost += set->selves[i].lost;
		sum.timed_runs += set->selves[i].timed_runs;
		sum.timed_ns += set->selves[i].timed_ns;
	}
	return sum;
}

int trace_test(struct env *env)
{
	static const struct trace_program counts[] = {
		{ .name = "test",
		  .tracepoint = "sched_switch",
		  .does = BPF_COUNT,
		  .keys = { { .is = BPF_PART_CPU } },
		  .n_keys = 1 },
	};
	static const struct trace_plan plan = {
		.topic = "tracing",
		.programs = counts,
		.n_programs = 1,
		.n_words = 1,
		.n_entries_max = 1024,
	};
	const struct sample_request request = { 0 };
	struct trace_set set;

	trace_open(&set, env, &request, &plan);
	trace_close(&set);
	return set.error;
}

void trace_notice(const struct trace_set *set, struct frame *frame, const char *without)
{
	const struct topic *topic = set->plan ? topic_find(set->plan->topic) : NULL;

	if (!topic || !set->error || set->error == -ENOTSUP)
		return;
	frame_notice(frame, topic->schema->name,
		     source_remedy(set->env, topic_source(topic, TRACE_SOURCE), -set->error), "%s: %s: %s",
		     TRACE_SOURCE, without,
		     set->error == -EXDEV ? _("the kernel's PIDs are others than those of this PID namespace")
					  : strerror(-set->error));
}
