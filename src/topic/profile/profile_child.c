/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Samples become numbers of functions and stacks, which are sent when they are new, and counts. */
#include <config.h>

#include "topic/profile/profile_child.h"

#include <errno.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include "core/alloc.h"
#include "core/hash.h"
#include "core/vector.h"
#include "kernel/profile_record.h"
#include "sys/confine.h"
#include "sys/env.h"
#include "sys/perf_ring.h"
#include "topic/profile/code_files.h"
#include "topic/profile/code_space.h"
#include "topic/profile/dw_library.h"
#include "topic/profile/frame_rules.h"
#include "topic/profile/profile_results.h"

#define FRAMES_MAX 256
#define FUNCTIONS_MAX 100000
#define NODES_MAX 400000
#define LINES_MAX 100000
#define OTHERS 0        /* number of the function, and of the stack, that stands for all beyond these */
#define ROUND_MS 100    /* between two looks into the rings */
#define ROUNDS_HELD 100 /* that what was read of files stays in memory */
#ifndef __has_feature
#define __has_feature(feature) 0
#endif
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__) || __has_feature(address_sanitizer)
#define MEMORY_MAX RLIM_INFINITY /* sanitizers reserve terabytes of addresses */
#else
#define MEMORY_MAX ((rlim_t)4 << 30)
#endif

struct child {
	const struct profile_child_plan *plan;
	struct perf_ring *rings;
	struct buffer bytes;          /* contents of all rings */
	struct profile_record *taken; /* of all rings */
	size_t n_taken, taken_capacity;
	unsigned n_rounds; /* in which there was something */
	struct code_spaces spaces;
	struct code_files files;
	struct function_name *functions;
	size_t n_functions, function_capacity;
	struct hash by_name;
	struct node {
		uint32_t parent, function;
	} * nodes;
	size_t n_nodes, node_capacity;
	struct hash by_call;
	struct line {
		uint32_t function, number;
		struct span source;
	} * lines;
	size_t n_lines, line_capacity;
	struct hash by_line;
	struct profile_count *counts;
	size_t n_counts, count_capacity;
	struct hash by_stack;
	struct buffer out; /* results that are not sent yet */
	struct profile_state state;
};

static void begin_message(struct child *child)
{
	const uint32_t results = PROFILE_RESULTS;

	buffer_empty(&child->out);
	buffer_add(&child->out, (const char *)&results, sizeof(results));
}

static void send_results(struct child *child)
{
	if (send(child->plan->channel, child->out.bytes, child->out.length, MSG_NOSIGNAL) < 0)
		_exit(0);
	begin_message(child);
}

/* After something was added. */
static void send_when_full(struct child *child)
{
	if (child->out.length > PROFILE_MESSAGE_MAX - 4 * PROFILE_NAME_MAX)
		send_results(child);
}

static bool is_same(struct span a, struct span b)
{
	return span_length(a) == span_length(b) && memcmp(a.at, b.at, span_length(a)) == 0;
}

/* Its number, which is new where the name is. Texts of names stay as long as the files. */
static uint32_t function_number(struct child *child, const struct function_name *name)
{
	uint64_t hash = hash_bytes(hash_bytes(HASH_SEED, name->name), name->file);
	uint32_t at;

	HASH_FIND(at, &child->by_name, hash,
		  is_same(child->functions[at].name, name->name) &&
			  is_same(child->functions[at].file, name->file));
	if (at != HASH_NONE)
		return at;
	if (child->n_functions == FUNCTIONS_MAX)
		return OTHERS;
	at = (uint32_t)child->n_functions;
	*VECTOR_ADD(child->functions, child->n_functions, child->function_capacity) =
		code_files_keep(&child->files, name);
	hash_add(&child->by_name, hash, at);
	profile_results_function(&child->out, name->name, name->file, name->path, name->names);
	send_when_full(child);
	return at;
}

static uint32_t node_number(struct child *child, uint32_t parent, uint32_t function)
{
	uint64_t hash = hash_u64((uint64_t)parent << 32 | function);
	uint32_t at;

	HASH_FIND(at, &child->by_call, hash,
		  child->nodes[at].parent == parent && child->nodes[at].function == function);
	if (at != HASH_NONE)
		return at;
	if (child->n_nodes == NODES_MAX)
		return OTHERS;
	at = (uint32_t)child->n_nodes;
	*VECTOR_ADD(child->nodes, child->n_nodes, child->node_capacity) = (struct node){ parent, function };
	hash_add(&child->by_call, hash, at);
	profile_results_node(&child->out, parent, function);
	send_when_full(child);
	return at;
}

/* What stands for those that are too many is the first of both. */
static void add_others(struct child *child)
{
	struct function_name others;

	code_files_unknown_name(&others);
	others.name = span_text("(too many functions)");
	node_number(child, PROFILE_NO_NODE, function_number(child, &others));
}

static uint32_t line_number(struct child *child, uint32_t function, const struct source_line *line)
{
	uint64_t hash = hash_bytes(hash_u64((uint64_t)function << 32 | line->number), line->file);
	uint32_t at;

	HASH_FIND(at, &child->by_line, hash,
		  child->lines[at].function == function && child->lines[at].number == line->number &&
			  is_same(child->lines[at].source, line->file));
	if (at != HASH_NONE)
		return at;
	if (child->n_lines == LINES_MAX)
		return PROFILE_NO_LINE;
	at = (uint32_t)child->n_lines;
	*VECTOR_ADD(child->lines, child->n_lines, child->line_capacity) =
		(struct line){ function, line->number, code_files_keep_text(&child->files, line->file) };
	hash_add(&child->by_line, hash, at);
	profile_results_line(&child->out, function, line->number, line->file);
	send_when_full(child);
	return at;
}

static void count_sample(struct child *child, const struct profile_record *record, uint32_t node,
			 uint32_t line)
{
	uint64_t hash = hash_u64(hash_u64((uint64_t)record->pid << 32 | node) ^ line);
	struct profile_count *count;
	uint32_t at;

	HASH_FIND(at, &child->by_stack, hash,
		  child->counts[at].pid == record->pid && child->counts[at].node == node &&
			  child->counts[at].line == line);
	if (at == HASH_NONE) {
		at = (uint32_t)child->n_counts;
		*VECTOR_ADD(child->counts, child->n_counts, child->count_capacity) =
			(struct profile_count){ .pid = record->pid, .node = node, .line = line };
		hash_add(&child->by_stack, hash, at);
	}
	count = &child->counts[at];
	count->samples++;
	count->weight += record->period;
	count->squares += (double)record->period * (double)record->period;
}

/* A stack from the innermost function on. */
struct chain {
	uint32_t functions[FRAMES_MAX];
	size_t n;
	uint32_t line; /* of the innermost one */
	bool whole;
};

static void add(struct child *child, struct chain *chain, const struct function_name *name)
{
	if (chain->n < FRAMES_MAX)
		chain->functions[chain->n++] = function_number(child, name);
}

static void add_kernel(struct child *child, struct chain *chain, const struct profile_record *record)
{
	struct function_name name;
	uint64_t address;

	for (size_t i = 0; i < FRAMES_MAX / 2 && profile_record_kernel(record, i, &address); i++) {
		code_files_kernel_name(&child->files, address - (i > 0), &name);
		add(child, chain, &name);
	}
}

static enum frame_step step(struct child *child, uint32_t pid, const struct code_map *map,
			    const struct frame_stack *stack, struct frame_state *state)
{
	struct frame_rules *rules;
	uint64_t bias;

	if (map->file == CODE_NO_FILE) /* made by a compiler at run time: those that can be unwound keep it */
		return frame_pointer_step(stack, state);
	rules = code_files_rules(&child->files, pid, map, state->ip - !state->exact, &bias);
	if (rules)
		return frame_rules_step(rules, bias, stack, state);
	return code_files_keeps_frame_pointer(&child->files, pid, map) ? frame_pointer_step(stack, state)
								       : FRAME_LOST;
}

/* One where nothing is known to be mapped may be mapped since. */
static const struct code_map *map_at(struct child *child, uint32_t pid, uint64_t address)
{
	struct code_space *space = code_spaces_get(&child->spaces, pid);
	const struct code_map *map = code_space_find(space, address);

	if (map || space->is_whole)
		return map;
	code_files_read_maps(&child->files, space);
	space->is_whole = true;
	return code_space_find(space, address);
}

static void add_line(struct child *child, struct chain *chain, uint32_t pid, const struct code_map *map,
		     uint64_t address)
{
	struct source_line line;

	if (code_files_line(&child->files, pid, map, address, &line))
		chain->line = line_number(child, chain->functions[0], &line);
}

static void add_user(struct child *child, struct chain *chain, const struct profile_record *record)
{
	struct frame_stack stack = { .address = record->registers[PROFILE_SP], .bytes = record->stack };
	enum frame_step result = FRAME_CALLER;
	struct frame_state state;

	frame_state_begin(&state, record->registers);
	while (result == FRAME_CALLER && chain->n < FRAMES_MAX - 1) {
		uint64_t address = state.ip - !state.exact;
		const struct code_map *map = map_at(child, record->pid, address);
		struct function_name name;
		struct code_map here;

		if (!map) {
			code_files_unknown_name(&name);
			add(child, chain, &name);
			result = FRAME_LOST;
			break;
		}
		here = *map;
		result = record->is_32_bit ? FRAME_LOST : step(child, record->pid, &here, &stack, &state);
		code_files_name(&child->files, record->pid, &here, address, &name);
		add(child, chain, &name);
		if (chain->n == 1 && chain->line != PROFILE_ANY_LINE)
			add_line(child, chain, record->pid, &here, address);
	}
	chain->whole = result == FRAME_FIRST;
	if (!chain->whole) {
		struct function_name name;

		code_files_unknown_callers(&name);
		add(child, chain, &name);
	}
}

static bool is_skipped(const struct child *child, uint32_t pid)
{
	for (size_t i = 0; i < child->plan->n_skipped; i++)
		if (child->plan->skipped[i] == pid)
			return true;
	return false;
}

static void take_sample(struct child *child, const struct profile_record *record)
{
	bool of_lines = child->plan->shared->wants_lines;
	struct chain chain = { .whole = true, .line = of_lines ? PROFILE_NO_LINE : PROFILE_ANY_LINE };
	uint32_t node = PROFILE_NO_NODE;
	struct function_name name;

	child->plan->shared->pid = record->pid;
	add_kernel(child, &chain, record);
	if (record->has_user && !is_skipped(child, record->pid)) {
		add_user(child, &chain, record);
	} else if (record->has_user || chain.n == 0) {
		code_files_unknown_name(&name);
		add(child, &chain, &name);
		chain.whole = false;
	}
	child->plan->shared->pid = 0;
	for (size_t i = chain.n; i-- > 0;)
		node = node_number(child, node, chain.functions[i]);
	count_sample(child, record, node, chain.line);
	child->state.samples++;
	child->state.whole += chain.whole;
}

static void take_map(struct child *child, const struct profile_record *record)
{
	struct code_space *space = code_spaces_get(&child->spaces, record->pid);
	struct code_map map = { .start = record->address,
				.end = record->address + record->bytes,
				.offset = record->offset };

	map.file = code_files_place(&child->files, record->inode, record->path);
	code_space_add(space, &map);
}

static void take(struct child *child, const struct profile_record *record)
{
	struct code_space *space;

	switch (record->kind) {
	case PROFILE_RECORD_SAMPLE:
		take_sample(child, record);
		break;
	case PROFILE_RECORD_MAP:
		take_map(child, record);
		break;
	case PROFILE_RECORD_EXEC:
		space = code_spaces_get(&child->spaces, record->pid);
		code_space_clear(space);
		space->is_whole = true; /* all that it maps from now on is reported */
		code_files_forget_jit(&child->files, record->pid);
		break;
	case PROFILE_RECORD_FORK:
		code_spaces_fork(&child->spaces, record->parent_pid, record->pid);
		profile_results_fork(&child->out, record->pid, record->parent_pid);
		send_when_full(child);
		break;
	case PROFILE_RECORD_EXIT:
		code_spaces_end(&child->spaces, record->pid);
		code_files_forget_jit(&child->files, record->pid);
		break;
	case PROFILE_RECORD_LOST:
		child->state.lost += record->lost;
		break;
	case PROFILE_RECORD_THROTTLE:
		child->state.throttled++;
		break;
	case PROFILE_RECORD_OTHER:
		break;
	}
}

/* The kernel reports an exec before what the program maps, at times in the same moment. */
static int by_time(const void *a, const void *b)
{
	const struct profile_record *one = a, *other = b;

	if (one->time_ns != other->time_ns)
		return one->time_ns < other->time_ns ? -1 : 1;
	return (one > other) - (one < other);
}

static void send_counts(struct child *child)
{
	for (size_t i = 0; i < child->n_counts; i++) {
		profile_results_count(&child->out, &child->counts[i]);
		send_when_full(child);
	}
	child->n_counts = 0;
	hash_clear(&child->by_stack);
	child->state.cpu_ns = env_self_cpu_ns();
	child->state.kernel_error = child->files.kernel_error;
	profile_results_state(&child->out, &child->state);
	send_results(child);
}

/* Those of all CPUs in the order of time. What was copied of stacks is wiped. */
static void drain(struct child *child)
{
	struct profile_record record;
	struct span rest;

	for (size_t i = 0; i < child->plan->n_events; i++)
		perf_ring_add(&child->rings[i], &child->bytes);
	if (child->bytes.length == 0)
		return;
	child->n_taken = 0;
	rest = span_of(child->bytes.bytes, child->bytes.length);
	while (profile_record_next(&rest, &record))
		*VECTOR_ADD(child->taken, child->n_taken, child->taken_capacity) = record;
	qsort(child->taken, child->n_taken, sizeof(*child->taken), by_time);
	for (size_t i = 0; i < child->n_taken; i++)
		take(child, &child->taken[i]);
	explicit_bzero(child->bytes.bytes, child->bytes.length);
	explicit_bzero(child->taken, child->n_taken * sizeof(*child->taken));
	buffer_empty(&child->bytes);
	send_counts(child);
	if (++child->n_rounds % ROUNDS_HELD == 0)
		code_files_let_go(&child->files);
}

/* -errno of a ring that cannot be mapped. It takes the rights that panetop has. */
static int map_rings(struct child *child)
{
	const struct profile_child_plan *plan = child->plan;

	child->rings = alloc_zeroed(plan->n_events, sizeof(*child->rings));
	for (size_t i = 0; i < plan->n_events; i++) {
		int error = perf_ring_open(&child->rings[i], plan->events[i], plan->ring_bytes);

		if (error)
			return error;
	}
	return 0;
}

static int by_number(const void *a, const void *b)
{
	const int *one = a, *other = b;

	return (*one > *other) - (*one < *other);
}

/* It keeps the events, for poll(2), and its end of the socket: not the terminal, files and sockets of
 * panetop. */
static void close_others(const struct profile_child_plan *plan)
{
	int *kept = alloc_zeroed(plan->n_events + 1, sizeof(*kept)), next = 0;

	memcpy(kept, plan->events, plan->n_events * sizeof(*kept));
	kept[plan->n_events] = plan->channel;
	qsort(kept, plan->n_events + 1, sizeof(*kept), by_number);
	for (size_t i = 0; i <= plan->n_events; i++) {
		descriptors_close(next, kept[i] - 1);
		next = kept[i] + 1;
	}
	descriptors_close(next, INT_MAX);
	free(kept);
}

static void give_up_rights(void)
{
	const struct rlimit none = { 0, 0 }, memory = { MEMORY_MAX, MEMORY_MAX };

	prctl(PR_SET_DUMPABLE, 0, 0, 0, 0);
	setrlimit(RLIMIT_CORE, &none);
	setrlimit(RLIMIT_AS, &memory);
	if (confine_process() < 0)
		_exit(1);
}

static _Noreturn void run(const struct profile_child_plan *plan, pid_t parent)
{
	struct child child = { .plan = plan };
	struct pollfd *waited = alloc_zeroed(plan->n_events + 1, sizeof(*waited));

	prctl(PR_SET_NAME, "panetop-profile");
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (getppid() != parent)
		_exit(0);
	if (map_rings(&child) < 0)
		_exit(1);
	child.state.rules_error = dw_library_load();
	code_files_open(&child.files, plan->channel);
	close_others(plan);
	give_up_rights();
	begin_message(&child);
	send_results(&child); /* it is ready */
	add_others(&child);
	for (size_t i = 0; i < plan->n_events; i++)
		waited[i] = (struct pollfd){ .fd = plan->events[i], .events = POLLIN };
	waited[plan->n_events] = (struct pollfd){ .fd = plan->channel, .events = 0 };
	for (;;) {
		poll(waited, plan->n_events + 1, ROUND_MS);
		if (waited[plan->n_events].revents & (POLLHUP | POLLERR))
			_exit(0);
		drain(&child);
	}
}

pid_t profile_child_start(const struct profile_child_plan *plan)
{
	pid_t self = getpid(), pid = fork();

	if (pid < 0)
		return -errno;
	if (pid == 0)
		run(plan, self);
	return pid;
}
