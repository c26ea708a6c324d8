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
#include "kernel/system.h"
#include "kernel/trace_format.h"
#include "sys/bpf/syscall.h"
#include "sys/descriptor.h"
#include "sys/perf_ring.h"
#include "sys/pids.h"
#include "sys/privilege.h"
#include "topic/served_mounts.h"
#include "topic/topic.h"
#include "topic/trace/kernel_names.h"

#define FORMAT_BYTES 8192
#define ROOM_FIRST 256
#define ROOM_MOST 65536
#define READ_TRIES 8
#define SLOTS (1U << BPF_SLOT_BITS)
#define OFTEN 1000        /* a key that has counted so often gets its slot */
#define READERS_MAX 4096  /* threads that read files at the same time */
#define STARTS_MAX 8192   /* of phases: what has begun */
#define WANTED_MAX 16384  /* processes */
#define WAITERS_MAX 16384 /* threads */
#define STACKS_MAX 4096
#define BEFORE_MAX 2048 /* threads */

/* What is open only while programs are made. */
struct making {
	struct trace_set *set;
	struct bpf_kernel kernel;
	struct kernel_types types;
	int tracefs;    /* -1: not opened */
	char path[128]; /* of the tracepoint in it */
	const struct bpf_program *program;
	char format[FORMAT_BYTES]; /* of its tracepoint … */
	long format_length;        /* … -errno: it has none; 0: not read yet */
};

static const char sets_key;

const struct trace_sets *trace_opened(const struct env *env)
{
	static const struct trace_sets none;
	const struct trace_sets *sets = env_state(env, &sets_key);

	return sets ? sets : &none;
}

static void enter(struct trace_set *set)
{
	struct trace_sets *sets = env_state(set->env, &sets_key);

	if (!sets)
		sets = env_state_add(set->env, &sets_key, sizeof(*sets), NULL);
	if (sets->n < TRACE_SETS_MAX)
		sets->list[sets->n++] = set;
}

static void leave(struct trace_set *set)
{
	struct trace_sets *sets = env_state(set->env, &sets_key);

	for (unsigned i = 0; sets && i < sets->n; i++)
		if (sets->list[i] == set) {
			sets->list[i] = sets->list[--sets->n];
			break;
		}
}

static bool is_raw(const struct bpf_program *program)
{
	return !strchr(program->tracepoint, ':');
}

/* "events/irq/irq_handler_entry/NAME" of irq:irq_handler_entry. */
static long read_tracepoint(struct making *making, const struct bpf_program *program, const char *name,
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

static int find_field(void *state, const char *name, struct bpf_place *place)
{
	struct making *making = state;
	struct trace_field field;

	if (making->format_length == 0)
		making->format_length = read_tracepoint(making, making->program, "format", making->format,
							sizeof(making->format));
	if (making->format_length < 0)
		return (int)making->format_length;
	if (!trace_format_find(span_of(making->format, (size_t)making->format_length), name, &field) ||
	    !trace_field_is_number(&field))
		return -ENODATA;
	*place = (struct bpf_place){ .offsets = { field.offset }, .n = 1, .bytes = field.bytes };
	return 0;
}

static int open_types(struct making *making)
{
	return making->types.bytes ? 0 : kernel_types_open(&making->types, making->set->env);
}

static int find_member(void *state, const char *way, struct bpf_place *place)
{
	struct making *making = state;
	int error = open_types(making);

	return error ? error : kernel_types_member(&making->types.btf, way, place);
}

static int find_bit(void *state, const char *way, uint32_t *offset, uint8_t *bit)
{
	struct making *making = state;
	int error = open_types(making);

	return error ? error : kernel_types_bit(&making->types.btf, way, offset, bit);
}

static int find_enumerator(void *state, const char *enumeration, const char *name, uint32_t *value)
{
	struct making *making = state;
	int error = open_types(making);

	return error ? error : btf_enumerator(&making->types.btf, enumeration, name, value) ? 0 : -ENODATA;
}

static int find_function(void *state, const char *name, uint32_t *number)
{
	struct making *making = state;
	int error = open_types(making);

	*number = error ? 0 : btf_function(&making->types.btf, name);
	return error ? error : *number ? 0 : -ENODATA;
}

/* The typedef of a raw tracepoint; 0: this kernel has none. */
static uint32_t type_of_tracepoint(struct making *making, const char *tracepoint)
{
	char name[64];

	snprintf(name, sizeof(name), "btf_trace_%s", tracepoint);
	return btf_typedef(&making->types.btf, name);
}

static int find_arguments(void *state, const char *tracepoint, uint32_t *n)
{
	struct making *making = state;
	int error = open_types(making);
	uint32_t n_parameters;

	if (error)
		return error;
	n_parameters = btf_n_parameters(&making->types.btf, type_of_tracepoint(making, tracepoint));
	*n = n_parameters ? n_parameters - 1 : 0; /* the first one is whoever registered */
	return n_parameters ? 0 : -ENOENT;
}

/* -ENOENT: this kernel has no such type. */
static int load_typed(struct making *making, const struct bpf_program *program, const struct bpf_code *code)
{
	bool iterates = program->does->iterates;
	int error = open_types(making);
	uint32_t type;

	if (error)
		return error;
	type = iterates ? btf_function(&making->types.btf, program->tracepoint)
			: type_of_tracepoint(making, program->tracepoint);
	return type ? bpf_typed_program_open(making->set->bpf, code, "panetop", type, iterates) : -ENOENT;
}

/* Its descriptor or -errno; typed: with the types of the kernel. */
static int load(struct making *making, const struct bpf_program *program, int self, bool typed)
{
	struct bpf_target target = { .kernel = &making->kernel,
				     .typed = typed,
				     .process = making->set->process,
				     .of_wanted = making->set->plan->of_wanted };
	struct bpf_code code;
	int error;

	memcpy(target.maps, making->set->maps, sizeof(target.maps));
	target.maps[BPF_MAP_SELF] = self;
	error = bpf_assemble(&code, program, &target);
	if (error)
		return error;
	making->set->lacks = making->set->lacks || code.lacks;
	if (typed)
		return load_typed(making, program, &code);
	return bpf_program_open(making->set->bpf,
				program->does->at_code ? BPF_PROG_TYPE_KPROBE
				: is_raw(program)      ? BPF_PROG_TYPE_RAW_TRACEPOINT
						       : BPF_PROG_TYPE_TRACEPOINT,
				&code, "panetop");
}

static int attach(struct making *making, const struct bpf_program *program, bool typed, int loaded)
{
	struct span text;
	char bytes[32];
	uint64_t id;
	long length;

	if (is_raw(program))
		return bpf_attach_raw(making->set->bpf, loaded, typed ? NULL : program->tracepoint);
	length = read_tracepoint(making, program, "id", bytes, sizeof(bytes));
	if (length < 0)
		return (int)length;
	text = span_of(bytes, (size_t)length);
	return span_u64(&text, &id) ? bpf_attach_tracepoint(making->set->bpf, loaded, id) : -ENODATA;
}

static void close_running(struct trace_running *running)
{
	descriptor_close(running->attached);
	descriptor_close(running->loaded);
	descriptor_close(running->self);
}

/* Starts what is loaded. 0 or -errno. */
static int start(struct making *making, struct trace_running *running, bool typed)
{
	const struct bpf_shape *shape = running->program->does;

	if (shape->is_run || shape->at_code)
		return 0;
	if (shape->iterates)
		return bpf_iterate(making->set->bpf, running->loaded);
	running->attached = attach(making, running->program, typed, running->loaded);
	return running->attached < 0 ? running->attached : 0;
}

/* Where the kernel does not take its types, a program calls a function for each member, which costs more. */
static int start_program(struct making *making, const struct bpf_program *program)
{
	struct trace_set *set = making->set;
	struct trace_running *running = &set->running[set->n_running];
	bool typed = program->typed || program->does->needs_types;
	int error;

	making->program = program;
	making->format_length = 0;
	*running = (struct trace_running){ .program = program, .loaded = -1, .attached = -1, .typed = typed };
	running->self = bpf_map_open(set->bpf, BPF_MAP_TYPE_PERCPU_ARRAY, sizeof(uint32_t),
				     sizeof(struct bpf_self), 1);
	if (running->self < 0)
		return running->self;
	running->loaded = load(making, program, running->self, typed);
	if (running->loaded < 0 && typed && !program->does->needs_types) {
		running->typed = typed = false;
		running->loaded = load(making, program, running->self, typed);
	}
	error = running->loaded < 0 ? running->loaded : start(making, running, typed);
	if (error < 0) {
		close_running(running);
		return error;
	}
	set->n_running++;
	return 0;
}

static const size_t entry_bytes[] = {
	[BPF_ENTRIES_COUNTS] = sizeof(struct bpf_entry),
	[BPF_ENTRIES_TIMES] = sizeof(struct bpf_times),
	[BPF_ENTRIES_PHASES] = sizeof(uint64_t),
};

/* The same for all of its programs that have entries. */
static enum bpf_entries_are entries_of(const struct trace_plan *plan)
{
	for (unsigned i = 0; i < plan->n_programs; i++)
		if (plan->programs[i].does->entries)
			return plan->programs[i].does->entries;
	return BPF_ENTRIES_NONE;
}

/* Of shapes whose starts have a key of their own; 0: the plan has none of them. */
static unsigned start_words(const struct trace_plan *plan)
{
	for (unsigned i = 0; i < plan->n_programs; i++)
		if (plan->programs[i].does->start_words)
			return plan->programs[i].does->start_words;
	return 0;
}

/* Of those of a plan that keep something in starts; others look there under one word. */
static size_t start_bytes(const struct trace_plan *plan)
{
	if (start_words(plan))
		return start_words(plan) * sizeof(uint64_t);
	for (unsigned i = 0; i < plan->n_programs; i++)
		if (plan->programs[i].does->maps & BPF_MAP_BIT(BPF_MAP_STARTS) &&
		    !plan->programs[i].does->entries)
			return bpf_key_words(&plan->programs[i]) * sizeof(uint64_t);
	return sizeof(uint64_t);
}

static bool keeps_newest(const struct trace_plan *plan)
{
	for (unsigned i = 0; i < plan->n_programs; i++)
		if (plan->programs[i].does->keeps_newest)
			return true;
	return false;
}

static size_t words_of_slot(const struct trace_set *set)
{
	return set->plan->n_words + entry_bytes[entries_of(set->plan)] / sizeof(uint64_t);
}

static uint64_t *slot_words(const struct trace_set *set)
{
	return set->memory[BPF_MAP_SLOTS];
}

static uint64_t *slot_of(const struct trace_set *set, const uint64_t *key)
{
	return slot_words(set) + bpf_slot(key, set->plan->n_words) * words_of_slot(set);
}

struct map_form {
	enum bpf_map_type type;
	size_t key_bytes, value_bytes, n;
	bool is_shared; /* the set has its memory */
};

static struct map_form form_of(const struct trace_set *set, enum bpf_map map)
{
	const struct trace_plan *plan = set->plan;
	const size_t number = sizeof(uint32_t), word = sizeof(uint64_t), n_max = plan->n_entries_max;
	const size_t stack = BPF_STACK_FRAMES * word, entry = entry_bytes[entries_of(plan)];
	const bool is_bounded = entries_of(plan) == BPF_ENTRIES_PHASES || start_words(plan);
	const struct map_form forms[N_BPF_MAPS] = {
		[BPF_MAP_ENTRIES] = { BPF_MAP_TYPE_HASH, plan->n_words * word, entry, n_max, false },
		[BPF_MAP_SLOTS] = { BPF_MAP_TYPE_ARRAY, number, words_of_slot(set) * word, SLOTS, true },
		[BPF_MAP_STARTS] = { keeps_newest(plan) ? BPF_MAP_TYPE_LRU_HASH : BPF_MAP_TYPE_HASH,
				     start_bytes(plan), word, is_bounded ? STARTS_MAX : n_max, false },
		[BPF_MAP_START_SLOTS] = { BPF_MAP_TYPE_ARRAY, number, 2 * word, 1U << BPF_START_SLOT_BITS,
					  false },
		[BPF_MAP_HISTOGRAMS] = { BPF_MAP_TYPE_ARRAY, number, sizeof(struct bpf_phases), n_max, true },
		[BPF_MAP_NUMBERS] = { BPF_MAP_TYPE_ARRAY, number, word, 1, false },
		[BPF_MAP_READERS] = { BPF_MAP_TYPE_LRU_HASH, word, sizeof(struct bpf_reader), READERS_MAX,
				      false },
		[BPF_MAP_WALK] = { BPF_MAP_TYPE_ARRAY, number, sizeof(struct bpf_walk), 1, true },
		[BPF_MAP_RECORDS] = { BPF_MAP_TYPE_PERCPU_ARRAY, number, sizeof(union bpf_sent), 1, false },
		[BPF_MAP_RINGS] = { BPF_MAP_TYPE_PERF_EVENT_ARRAY, number, number, set->n_cpus, false },
		[BPF_MAP_WANTED] = { BPF_MAP_TYPE_HASH, word, word, WANTED_MAX, false },
		[BPF_MAP_HITS] = { BPF_MAP_TYPE_ARRAY, number, sizeof(struct bpf_hits), n_max, true },
		[BPF_MAP_WAITERS] = { BPF_MAP_TYPE_HASH, sizeof(struct bpf_times_key),
				      sizeof(struct bpf_waiter), WAITERS_MAX, false },
		[BPF_MAP_STACKS] = { BPF_MAP_TYPE_STACK_TRACE, number, stack, STACKS_MAX, false },
		[BPF_MAP_BEFORE] = { BPF_MAP_TYPE_HASH, word, stack, BEFORE_MAX, false },
		[BPF_MAP_SELF] = { BPF_MAP_TYPE_PERCPU_ARRAY, number, word, 1, false },
		[BPF_MAP_MARKS] = { BPF_MAP_TYPE_PERCPU_ARRAY, number, word, 1, false },
	};

	return forms[map];
}

static void close_map(struct trace_set *set, enum bpf_map map)
{
	struct map_form form = form_of(set, map);

	if (set->memory[map])
		munmap(set->memory[map], form.value_bytes * form.n);
	set->memory[map] = NULL;
	descriptor_close(set->maps[map]);
	set->maps[map] = -1;
}

/* A kernel that cannot share them does without slots. */
static int open_maps(struct trace_set *set)
{
	unsigned maps = set->plan->slots ? BPF_MAP_BIT(BPF_MAP_SLOTS) : 0;

	for (unsigned i = 0; i < set->plan->n_programs; i++)
		maps |= set->plan->programs[i].does->maps;
	for (enum bpf_map map = 0; map < N_BPF_MAPS; map++) {
		struct map_form form = form_of(set, map);

		set->maps[map] = -1;
		if (!(maps & BPF_MAP_BIT(map)))
			continue;
		set->maps[map] =
			form.is_shared
				? bpf_shared_array_open(set->bpf, form.value_bytes, form.n, &set->memory[map])
				: bpf_map_open(set->bpf, form.type, form.key_bytes, form.value_bytes, form.n);
		if (set->maps[map] < 0 && map != BPF_MAP_SLOTS)
			return set->maps[map];
	}
	for (size_t i = 0; slot_words(set) && i < SLOTS; i++)
		slot_words(set)[i * words_of_slot(set)] = BPF_SLOT_FREE;
	return 0;
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

static void close_maps(struct trace_set *set)
{
	for (unsigned i = 0; i < set->n_running; i++)
		close_running(&set->running[i]);
	set->n_running = 0;
	for (enum bpf_map map = 0; map < N_BPF_MAPS; map++)
		close_map(set, map);
}

static int start_programs(struct trace_set *set, const struct bpf_program *programs, unsigned n)
{
	struct making *making = alloc_zeroed(1, sizeof(*making));
	int error = 0;

	making->set = set;
	making->tracefs = -1;
	making->kernel = (struct bpf_kernel){
		.state = making,
		.page_bits = (uint32_t)__builtin_ctzll(set->env->page_bytes),
		.field = find_field,
		.member = find_member,
		.bit = find_bit,
		.enumerator = find_enumerator,
		.function = find_function,
		.arguments = find_arguments,
	};
	for (unsigned i = 0; i < n && !error; i++) {
		error = start_program(making, &programs[i]);
		if (error == -ENOENT && programs[i].optional)
			error = 0;
	}
	descriptor_close(making->tracefs);
	if (making->types.bytes)
		kernel_types_close(&making->types);
	free(making);
	return error;
}

static int kernel_add(struct trace_set *set, const struct bpf_program *program)
{
	return start_programs(set, program, 1);
}

static void kernel_stop(struct trace_set *set, const struct bpf_program *program)
{
	unsigned n = 0;

	for (unsigned i = 0; i < set->n_running; i++)
		if (set->running[i].program == program)
			close_running(&set->running[i]);
		else
			set->running[n++] = set->running[i];
	set->n_running = n;
}

static int kernel_rest(struct trace_set *set, const char *tracepoint, bool rests)
{
	for (unsigned i = 0; i < set->n_running; i++) {
		struct trace_running *running = &set->running[i];
		int attached = running->attached;

		if (strcmp(running->program->tracepoint, tracepoint) != 0 || rests == (attached < 0))
			continue;
		running->attached = rests ? -1
					  : bpf_attach_raw(set->bpf, running->loaded,
							   running->typed ? NULL : tracepoint);
		if (rests)
			descriptor_close(attached);
		else if (running->attached < 0)
			return running->attached;
	}
	return 0;
}

/* Are the PIDs of the kernel those that we see? Not in a PID namespace. */
static bool pids_are_ours(struct env *env)
{
	char name[64] = "";

	return env->own_pid && pids_read_link(env, env->own_pid, "ns/pid", name, sizeof(name) - 1) > 0 &&
	       strcmp(name, "pid:[4026531836]") == 0; /* PROC_PID_INIT_INO of linux/proc_ns.h */
}

static int kernel_open(struct trace_set *set)
{
	const struct trace_plan *plan = set->plan;
	int error;

	if (!set->env->live)
		return -ENOTSUP;
	error = plan->by_pid && !pids_are_ours(set->env) ? -EXDEV : count_cpus(set);
	if (!error)
		error = open_maps(set);
	if (!error)
		error = start_programs(set, plan->programs, plan->n_programs);
	if (error)
		close_maps(set);
	else
		set->selves = alloc_zeroed(set->n_cpus, sizeof(*set->selves));
	return error;
}

/* Room for two of the next read, so that a full map is read in one. */
static void make_room(struct trace_entries *entries, size_t key_bytes, size_t value_bytes)
{
	size_t wanted = entries->n + entries->room;

	if (wanted <= entries->capacity)
		return;
	entries->capacity = wanted > 2 * entries->capacity ? wanted : 2 * entries->capacity;
	entries->keys = alloc_resize(entries->keys, entries->capacity, key_bytes);
	entries->values = alloc_resize(entries->values, entries->capacity, value_bytes);
}

/* Else it changed while it was read. */
static bool adds_up(uint64_t begun_ns, const uint64_t *spent_ns, unsigned n, uint64_t since_ns)
{
	for (unsigned i = 0; i < n; i++)
		begun_ns += spent_ns[i];
	return begun_ns == since_ns;
}

static void read_again(struct trace_set *set)
{
	for (size_t i = 0; i < set->n_entries; i++) {
		struct bpf_times *times = &set->times[i];

		for (unsigned tries = 0; tries < READ_TRIES; tries++) {
			if (adds_up(times->begun_ns, times->spent_ns, N_BPF_STATES, times->since_ns))
				break;
			bpf_map_value(set->bpf, set->maps[BPF_MAP_ENTRIES], trace_key(set, i), times);
		}
	}
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
	bool is_phases = entries_of(set->plan) == BPF_ENTRIES_PHASES;

	for (size_t i = 0; i < set->n_entries; i++) {
		const uint64_t *key = trace_key(set, i);
		uint64_t *slot = slot_of(set, key);
		bool is_free = *slot == BPF_SLOT_FREE;

		if (is_phases && is_free)
			take_slot(set, slot, key, set->phase_numbers[i]);
		else if (!is_phases && has_slot(set, slot, key))
			add_slot(set, slot, &set->values[i]);
		else if (!is_phases && is_free && set->values[i].count >= OFTEN)
			take_slot(set, slot, key, 0);
	}
}

/* Reads a hash that changes meanwhile. False: it cannot. */
static bool read_hash(struct trace_set *set, enum bpf_map map, size_t key_bytes, size_t value_bytes,
		      struct trace_entries *entries)
{
	bool goes_on = false, needs_room;
	uint64_t token = 0;

	entries->n = 0;
	entries->room = entries->room ? entries->room : ROOM_FIRST;
	do {
		long n_more;

		make_room(entries, key_bytes, value_bytes);
		n_more = bpf_map_entries(set->bpf, set->maps[map], &token, &goes_on,
					 (char *)entries->keys + entries->n * key_bytes,
					 (char *)entries->values + entries->n * value_bytes, entries->room);
		needs_room = n_more == -ENOSPC && entries->room < ROOM_MOST;
		if (needs_room)
			entries->room *= 2;
		else if (n_more < 0)
			return false;
		else
			entries->n += (size_t)n_more;
	} while (goes_on || needs_room);
	return true;
}

static bool read_entries(struct trace_set *set)
{
	struct trace_entries read = { set->keys, set->all, 0, set->capacity, set->room };
	bool good;

	if (set->maps[BPF_MAP_ENTRIES] < 0)
		return false;
	good = read_hash(set, BPF_MAP_ENTRIES, set->plan->n_words * sizeof(*set->keys),
			 entry_bytes[entries_of(set->plan)], &read);
	set->keys = read.keys;
	set->all = read.values;
	set->capacity = read.capacity;
	set->room = read.room;
	set->n_read = read.n;
	if (!good)
		return false;
	set->n_entries = set->n_read;
	if (entries_of(set->plan) == BPF_ENTRIES_TIMES)
		read_again(set);
	if (slot_words(set))
		read_slots(set);
	return true;
}

static bool read_waiters(struct trace_set *set)
{
	if (set->maps[BPF_MAP_WAITERS] < 0 || !read_hash(set, BPF_MAP_WAITERS, sizeof(struct bpf_times_key),
							 sizeof(struct bpf_waiter), &set->waiters))
		return false;
	for (size_t i = 0; i < set->waiters.n; i++) {
		const struct bpf_times_key *keys = set->waiters.keys;
		struct bpf_waiter *waiter = (struct bpf_waiter *)set->waiters.values + i;

		for (unsigned tries = 0; tries < READ_TRIES; tries++) {
			if (adds_up(waiter->begun_ns, waiter->spent_ns, N_BPF_WAIT_CLASSES, waiter->since_ns))
				break;
			bpf_map_value(set->bpf, set->maps[BPF_MAP_WAITERS], &keys[i], waiter);
		}
	}
	return true;
}

static bool kernel_read(struct trace_set *set, enum bpf_map map)
{
	return map == BPF_MAP_WAITERS ? read_waiters(set) : read_entries(set);
}

static int kernel_run(struct trace_set *set, unsigned running)
{
	const struct trace_running *it = &set->running[running];

	return it->program->does->iterates ? bpf_iterate(set->bpf, it->loaded)
					   : bpf_run(set->bpf, it->loaded);
}

static int kernel_get(const struct trace_set *set, enum bpf_map map, const void *key, void *value)
{
	return bpf_map_value(set->bpf, set->maps[map], key, value);
}

static int kernel_put(const struct trace_set *set, enum bpf_map map, const void *key, const void *value)
{
	return bpf_map_set(set->bpf, set->maps[map], key, value);
}

static void kernel_remove(const struct trace_set *set, enum bpf_map map, const void *key)
{
	uint64_t *slot = map == BPF_MAP_ENTRIES && slot_words(set) ? slot_of(set, key) : NULL;

	if (slot && has_slot(set, slot, key))
		__atomic_store_n(slot, BPF_SLOT_FREE, __ATOMIC_RELEASE);
	bpf_map_remove(set->bpf, set->maps[map], key);
}

static struct bpf_self kernel_self(struct trace_set *set, unsigned running, bool skipped)
{
	const uint32_t first = 0;
	struct bpf_self sum = { 0 };

	if (bpf_map_value(set->bpf, set->running[running].self, &first, set->selves) < 0)
		return (struct bpf_self){ U64_UNKNOWN, U64_UNKNOWN, U64_UNKNOWN, U64_UNKNOWN };
	for (size_t i = 0; i < set->n_cpus; i++) {
		sum.runs += set->selves[i].runs;
		sum.lost += set->selves[i].lost;
		sum.timed_runs += set->selves[i].timed_runs;
		sum.timed_ns += set->selves[i].timed_ns;
	}
	if (skipped)
		sum.lost = u64_sum(sum.lost, bpf_program_misses(set->bpf, set->running[running].loaded));
	return sum;
}

static const struct trace_counting kernel_counting = {
	.open = kernel_open,
	.close = close_maps,
	.add = kernel_add,
	.stop = kernel_stop,
	.rest = kernel_rest,
	.run = kernel_run,
	.read = kernel_read,
	.get = kernel_get,
	.put = kernel_put,
	.remove = kernel_remove,
	.self = kernel_self,
};

void trace_open(struct trace_set *set, struct env *env, const struct sample_request *request,
		const struct trace_plan *plan)
{
	trace_open_process(set, env, request, plan, 0);
}

void trace_open_process(struct trace_set *set, struct env *env, const struct sample_request *request,
			const struct trace_plan *plan, uint32_t process)
{
	*set = (struct trace_set){ .env = env,
				   .by = env->counting ? env->counting : &kernel_counting,
				   .bpf = env->bpf,
				   .plan = plan,
				   .process = process };
	for (enum bpf_map map = 0; map < N_BPF_MAPS; map++)
		set->maps[map] = -1;
	set->error = request->no_bpf ? -ENOTSUP : set->by->open(set);
	if (!set->error)
		enter(set);
}

static bool is_open(const struct trace_set *set)
{
	return set->plan && !set->error;
}

void trace_close(struct trace_set *set)
{
	if (!is_open(set))
		return;
	leave(set);
	set->by->close(set);
	free(set->keys);
	free(set->all);
	free(set->waiters.keys);
	free(set->waiters.values);
	free(set->selves);
	set->plan = NULL;
}

int trace_add(struct trace_set *set, const struct bpf_program *program)
{
	return is_open(set) ? set->by->add(set, program) : set->error;
}

void trace_stop(struct trace_set *set, const struct bpf_program *program)
{
	if (is_open(set))
		set->by->stop(set, program);
}

int trace_direct(const struct trace_set *set, uint32_t cpu, int event)
{
	return set->by->put(set, BPF_MAP_RINGS, &cpu, &event);
}

int trace_rest(struct trace_set *set, const char *tracepoint, bool rests)
{
	return is_open(set) ? set->by->rest(set, tracepoint, rests) : set->error;
}

bool trace_read(struct trace_set *set)
{
	return is_open(set) && set->by->read(set, BPF_MAP_ENTRIES);
}

bool trace_read_waiters(struct trace_set *set)
{
	return is_open(set) && set->by->read(set, BPF_MAP_WAITERS);
}

void trace_forget_waiter(struct trace_set *set, size_t waiter)
{
	set->by->remove(set, BPF_MAP_WAITERS, (struct bpf_times_key *)set->waiters.keys + waiter);
}

int trace_want(struct trace_set *set, uint64_t process, bool wanted)
{
	const uint64_t nothing = 0;

	if (!is_open(set))
		return set->error;
	if (wanted)
		return set->by->put(set, BPF_MAP_WANTED, &process, &nothing);
	set->by->remove(set, BPF_MAP_WANTED, &process);
	return 0;
}

int trace_iterate(struct trace_set *set)
{
	int error = 0;

	for (unsigned i = 0; i < set->n_running && !error; i++)
		if (set->running[i].program->does->iterates)
			error = set->by->run(set, i);
	return error;
}

bool trace_stack(const struct trace_set *set, uint32_t stack, uint64_t frames[BPF_STACK_FRAMES])
{
	return set->by->get(set, BPF_MAP_STACKS, &stack, frames) == 0;
}

bool trace_stack_before(const struct trace_set *set, uint64_t thread, uint64_t frames[BPF_STACK_FRAMES])
{
	return set->by->get(set, BPF_MAP_BEFORE, &thread, frames) == 0;
}

const struct bpf_walk *trace_walk(struct trace_set *set)
{
	const struct bpf_walk *walk = set->memory[BPF_MAP_WALK];

	if (!is_open(set) || set->by->run(set, 0) < 0 || !walk->ended)
		return NULL;
	set->n_entries = walk->n_processes;
	return walk;
}

void trace_forget(struct trace_set *set, size_t entry)
{
	set->by->remove(set, BPF_MAP_ENTRIES, trace_key(set, entry));
}

struct bpf_self trace_self(struct trace_set *set, unsigned running)
{
	return set->by->self(set, running, true);
}

struct bpf_self trace_own(struct trace_set *set, unsigned running)
{
	return set->by->self(set, running, false);
}

int trace_test(struct env *env)
{
	static const struct bpf_program counts[] = {
		{ .name = "test",
		  .tracepoint = "sched_switch",
		  .does = &bpf_count,
		  .keys = { { .is = BPF_PART_CPU } },
		  .n_keys = 1 },
	};
	static const struct trace_plan plan = {
		.topic = "tracing",
		.programs = counts,
		.n_programs = 1, .n_words = 1,
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
