/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Samples become numbers of functions and stacks, which are sent when they are new, and counts. */
#include <config.h>

#include "topic/profile/profiler.h"

#include <errno.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include "core/alloc.h"
#include "core/hash.h"
#include "core/vector.h"
#include "kernel/perf_record.h"
#include "sys/env.h"
#include "sys/perf_ring.h"
#include "sys/privilege.h"
#include "topic/profile/debug_info.h"
#include "topic/profile/profile_tables.h"

#define FRAMES_MAX 256
#define OTHERS 0 /* number of the function, and of the stack, that stands for all without room */
#define AGAIN_NS UINT64_C(10000000000)         /* between two times that tables without room begin again */
#define ROUND_MS 100                           /* between two looks into the rings */
#define SENT_NS (ROUND_MS * UINT64_C(1000000)) /* … and between two messages, where one takes long */
#define ROUNDS_HELD 100                        /* that what was read of files stays in memory */
#define MEMORY_MAX (PROFILE_SANITIZED ? RLIM_INFINITY : (rlim_t)4 << 30)
#define DATA_MAX (PROFILE_SANITIZED ? RLIM_INFINITY : (rlim_t)5 << 28) /* it writes to; the rest is files */

/*
 * A process whose stacks cost little becomes familiar. All others together may use this much CPU time for
 * stacks that do not: then theirs are not followed. Else some strangers could keep it from all the rest.
 */
#define LITTLE_NS 1000000
#define MUCH_NS 20000000
#define CHEAP_ENOUGH 8 /* samples until it is familiar … */
#define CHEAP_MAX 32
#define DEAR_WEIGHT 4                    /* … less this many for one that does not cost little */
#define STRANGERS_NS INT64_C(3000000000) /* at first, since nothing is read yet, and at most … */
#define STRANGERS_PART 50                /* … and then this part of the time */
#define REPORTED_MAX 256 /* maps of a process in a round: then all are read again where one is wanted */

struct child {
	const struct profile_child_plan *plan;
	struct perf_ring *rings;
	struct buffer bytes;          /* contents of all rings */
	struct profile_record *taken; /* of all rings */
	size_t n_taken, taken_capacity;
	unsigned n_rounds; /* in which there was something */
	struct code_spaces spaces;
	struct code_files files;
	struct code_name *functions;
	size_t n_functions, function_capacity;
	struct hash by_name;
	struct node {
		uint32_t parent, function;
	} *nodes;
	size_t n_nodes, node_capacity;
	struct hash by_call;
	struct line {
		uint32_t function, number;
		struct span source;
	} *lines;
	size_t n_lines, line_capacity;
	struct hash by_line;
	struct profile_count *counts;
	size_t n_counts, count_capacity;
	struct hash by_stack;
	struct buffer out; /* results that are not sent yet */
	struct profile_state state;
	struct code_use *use; /* of the process whose sample it is */
	size_t text_bytes;    /* of names of functions and lines */
	bool are_full;        /* the tables had no room, or no share of it, for something */
	uint64_t begun_ns;    /* when the tables began */
	uint64_t sent_ns;
	uint64_t seed;        /* of hashes: strangers choose the names */
	int64_t strangers_ns; /* CPU time that is left for them */
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
	child->sent_ns = clock_mono_ns(child->plan->clock);
}

static void add_result(struct child *child, struct profile_result result)
{
	profile_results_add(&child->out, &result);
	if (child->out.length > PROFILE_MESSAGE_MAX - 4 * PROFILE_NAME_MAX)
		send_results(child);
}

/* Is there room for one more in a table, and for its text, in the share of the process? */
static bool has_room(struct child *child, size_t own, size_t all, size_t most, size_t bytes)
{
	bool has = code_use_may_add(own, all, most) && child->text_bytes + bytes <= PROFILE_TEXTS_MAX &&
		   (bytes == 0 ||
		    code_use_may_add(child->use->text_bytes, child->text_bytes, PROFILE_TEXTS_MAX));

	child->are_full |= !has;
	return has;
}

static struct span keep_text(struct child *child, struct span text)
{
	child->text_bytes += span_length(text);
	child->use->text_bytes += span_length(text);
	return code_files_keep_text(&child->files, text);
}

/* Its number, which is new where the name is. */
static uint32_t function_number(struct child *child, const struct code_name *name)
{
	uint64_t hash = hash_bytes(hash_bytes(child->seed, name->name), name->file);
	struct code_name kept = *name;
	uint32_t at;

	HASH_FIND(at, &child->by_name, hash,
		  span_same(child->functions[at].name, name->name) &&
			  span_same(child->functions[at].file, name->file));
	if (at != HASH_NONE)
		return at;
	if (!has_room(child, child->use->n_functions, child->n_functions, PROFILE_FUNCTIONS_MAX,
		      span_length(name->name)))
		return OTHERS;
	at = (uint32_t)child->n_functions;
	child->use->n_functions++;
	kept.name = keep_text(child, name->name);
	*VECTOR_ADD(child->functions, child->n_functions, child->function_capacity) = kept;
	hash_add(&child->by_name, hash, at);
	add_result(child, (struct profile_result){ .kind = PROFILE_RESULT_FUNCTION,
						   .name = code_files_shown_name(&child->files, &kept),
						   .file = name->file,
						   .path = name->path,
						   .names = name->names });
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
	if (parent == OTHERS || !has_room(child, child->use->n_nodes, child->n_nodes, PROFILE_NODES_MAX, 0))
		return OTHERS;
	at = (uint32_t)child->n_nodes;
	child->use->n_nodes++;
	*VECTOR_ADD(child->nodes, child->n_nodes, child->node_capacity) = (struct node){ parent, function };
	hash_add(&child->by_call, hash, at);
	add_result(child, (struct profile_result){
				  .kind = PROFILE_RESULT_NODE, .parent = parent, .function = function });
	return at;
}

/* What stands for those that are too many is the first of both. */
static void add_others(struct child *child)
{
	struct code_use none = { 0 };
	struct code_name others;

	child->use = &none;
	code_files_unknown_name(&others);
	others.name = span_text("(too many functions)");
	node_number(child, PROFILE_NO_NODE, function_number(child, &others));
	child->use = NULL;
}

/* What runs comes again, and what does not has left room. */
static void begin_again(struct child *child)
{
	child->begun_ns = child->files.now_ns;
	child->are_full = false;
	child->n_functions = child->n_nodes = child->n_lines = child->text_bytes = 0;
	hash_clear(&child->by_name);
	hash_clear(&child->by_call);
	hash_clear(&child->by_line);
	code_spaces_free(&child->spaces);
	code_files_forget(&child->files);
	profile_results_add(&child->out, &(struct profile_result){ .kind = PROFILE_RESULT_AGAIN });
	add_others(child);
	send_results(child);
}

static uint32_t line_number(struct child *child, uint32_t function, const struct source_line *line)
{
	uint64_t hash = child->seed ^ hash_u64((uint64_t)function << 32 | line->number);
	struct span file = line->file;
	uint32_t at;

	if (span_length(file) > PROFILE_NAME_MAX)
		file.end = file.at + PROFILE_NAME_MAX;
	hash = hash_bytes(hash, file);

	HASH_FIND(at, &child->by_line, hash,
		  child->lines[at].function == function && child->lines[at].number == line->number &&
			  span_same(child->lines[at].source, file));
	if (at != HASH_NONE)
		return at;
	if (!has_room(child, child->use->n_lines, child->n_lines, PROFILE_LINES_MAX, span_length(file)))
		return PROFILE_NO_LINE;
	at = (uint32_t)child->n_lines;
	child->use->n_lines++;
	*VECTOR_ADD(child->lines, child->n_lines, child->line_capacity) =
		(struct line){ function, line->number, keep_text(child, file) };
	hash_add(&child->by_line, hash, at);
	add_result(child, (struct profile_result){ .kind = PROFILE_RESULT_LINE,
						   .function = function,
						   .line = line->number,
						   .name = file });
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

static void add(struct child *child, struct chain *chain, const struct code_name *name)
{
	if (chain->n < FRAMES_MAX)
		chain->functions[chain->n++] = function_number(child, name);
}

static void add_kernel(struct child *child, struct chain *chain, const struct profile_record *record)
{
	struct code_name name;
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

static void add_user(struct child *child, struct chain *chain, const struct profile_record *record)
{
	struct frame_stack stack = { .address = record->registers[PROFILE_SP], .bytes = record->stack };
	enum frame_step result = FRAME_CALLER;
	struct frame_state state;

	frame_state_begin(&state, record->registers);
	while (result == FRAME_CALLER && chain->n < FRAMES_MAX - 1) {
		uint64_t address = state.ip - !state.exact;
		const struct code_map *map = map_at(child, record->pid, address);
		struct code_name name;
		struct source_line line;
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
		/* Go puts these below what a goroutine runs; no rule says that they have no caller */
		if (span_is(name.name, "runtime.goexit") || span_is(name.name, "runtime.goexit.abi0"))
			result = FRAME_FIRST;
		add(child, chain, &name);
		if (chain->n == 1 && chain->line != PROFILE_ANY_LINE &&
		    code_files_line(&child->files, record->pid, &here, address, &line))
			chain->line = line_number(child, chain->functions[0], &line);
	}
	chain->whole = result == FRAME_FIRST;
	if (!chain->whole) {
		struct code_name name;

		code_files_unknown_callers(&name);
		add(child, chain, &name);
	}
}

static bool is_shunned(const struct child *child, uint32_t pid)
{
	const struct code_files *files = &child->files;

	for (size_t i = 0; i < files->n_shunned; i++)
		if (files->shunned[i].pid == pid && files->shunned[i].until_ns > files->now_ns)
			return true;
	return false;
}

static uint32_t *familiar_at(const struct child *child, uint32_t pid)
{
	return &child->plan->shared->familiar[pid % PROFILE_FAMILIAR_MAX];
}

static void forget_familiar(const struct child *child, uint32_t pid)
{
	uint32_t *at = familiar_at(child, pid);

	*at = *at == pid ? 0 : *at;
}

static bool is_followed(struct child *child, uint32_t pid)
{
	if (is_shunned(child, pid))
		return false;
	if (*familiar_at(child, pid) == pid || child->strangers_ns > 0)
		return true;
	child->state.unfollowed++;
	return false;
}

static void judge_cost(struct child *child, uint32_t pid, int64_t cost_ns)
{
	struct code_use *use = child->use;
	bool is_familiar = *familiar_at(child, pid) == pid;

	if (cost_ns > LITTLE_NS && !is_familiar)
		child->strangers_ns -= cost_ns;
	else
		child->state.usual_ns += (uint64_t)cost_ns;
	if (cost_ns > MUCH_NS)
		use->cheap = 0;
	else
		use->cheap += cost_ns > LITTLE_NS ? -DEAR_WEIGHT : use->cheap < CHEAP_MAX;
	if (!is_familiar && use->cheap >= CHEAP_ENOUGH)
		*familiar_at(child, pid) = pid;
	else if (use->cheap <= 0)
		forget_familiar(child, pid);
}

/* The part of the stack that is not of the kernel; panetop sees when that takes too long. */
static void follow(struct child *child, struct chain *chain, const struct profile_record *record)
{
	struct profile_shared *shared = child->plan->shared;
	int64_t before_ns = (int64_t)clock_self_cpu_ns(child->plan->clock);

	shared->work.file = 0;
	shared->works++;
	shared->pid = record->pid;
	add_user(child, chain, record);
	shared->pid = 0;
	judge_cost(child, record->pid, (int64_t)clock_self_cpu_ns(child->plan->clock) - before_ns);
}

static void take_sample(struct child *child, const struct profile_record *record)
{
	bool of_lines = child->plan->shared->wants_lines;
	struct chain chain = { .whole = true, .line = of_lines ? PROFILE_NO_LINE : PROFILE_ANY_LINE };
	uint32_t node = PROFILE_NO_NODE;
	struct code_name name;

	child->use = &code_spaces_get(&child->spaces, record->pid)->use;
	add_kernel(child, &chain, record);
	if (record->has_user && is_followed(child, record->pid)) {
		follow(child, &chain, record);
	} else if (record->has_user || chain.n == 0) {
		code_files_unknown_name(&name);
		add(child, &chain, &name);
		chain.whole = false;
	}
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
	struct code_use *use = &space->use;

	use->n_reported = use->round == child->n_rounds ? use->n_reported + 1 : 0;
	use->round = child->n_rounds;
	if (use->n_reported > REPORTED_MAX) {
		code_space_clear(space);
		return;
	}
	map.file = code_files_place(&child->files, use, (uint64_t)record->major << 32 | record->minor,
				    record->inode, record->path);
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
		space->use.cheap = 0;
		forget_familiar(child, record->pid);
		space->is_whole = true; /* all that it maps from now on is reported */
		code_files_forget_jit(&child->files, record->pid);
		break;
	case PROFILE_RECORD_FORK:
		code_spaces_fork(&child->spaces, record->parent_pid, record->pid);
		add_result(child, (struct profile_result){ .kind = PROFILE_RESULT_FORK,
							   .pid = record->pid,
							   .parent_pid = record->parent_pid });
		break;
	case PROFILE_RECORD_EXIT:
		code_spaces_end(&child->spaces, record->pid);
		forget_familiar(child, record->pid);
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
	for (size_t i = 0; i < child->n_counts; i++)
		add_result(child, (struct profile_result){ .kind = PROFILE_RESULT_COUNT,
							   .count = child->counts[i] });
	child->n_counts = 0;
	hash_clear(&child->by_stack);
	child->state.cpu_ns = clock_self_cpu_ns(child->plan->clock);
	child->state.kernel_error = child->files.kernel_error;
	profile_results_add(&child->out,
			    &(struct profile_result){ .kind = PROFILE_RESULT_STATE, .state = child->state });
	send_results(child);
}

/* Those of all CPUs in the order of time. What was copied of stacks is wiped. */
static void drain(struct child *child)
{
	uint64_t now_ns = clock_mono_ns(child->plan->clock);
	struct profile_record record;
	struct span rest;

	for (size_t i = 0; i < child->plan->n_events; i++)
		perf_ring_add(&child->rings[i], &child->bytes);
	if (child->bytes.length == 0) {
		child->plan->shared->read_ns = now_ns;
		return;
	}
	child->n_taken = 0;
	rest = span_of(child->bytes.bytes, child->bytes.length);
	while (profile_record_next(&rest, &record))
		*VECTOR_ADD(child->taken, child->n_taken, child->taken_capacity) = record;
	child->state.lost += span_length(rest) > 0; /* at least one, which cannot be read */
	qsort(child->taken, child->n_taken, sizeof(*child->taken), by_time);
	child->strangers_ns += (int64_t)(now_ns - child->files.now_ns) / STRANGERS_PART;
	if (child->strangers_ns > STRANGERS_NS)
		child->strangers_ns = STRANGERS_NS;
	child->files.now_ns = now_ns;
	for (size_t i = 0; i < child->n_taken; i++) {
		take(child, &child->taken[i]);
		if (clock_mono_ns(child->plan->clock) - child->sent_ns > SENT_NS)
			send_counts(child);
	}
	explicit_bzero(child->bytes.bytes, child->bytes.length);
	explicit_bzero(child->taken, child->n_taken * sizeof(*child->taken));
	buffer_empty(&child->bytes);
	send_counts(child);
	child->plan->shared->read_ns = now_ns;
	if (++child->n_rounds % ROUNDS_HELD == 0)
		code_files_let_go(&child->files);
	if ((child->are_full || child->files.are_full) && child->files.now_ns > child->begun_ns + AGAIN_NS)
		begin_again(child);
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
	const struct rlimit data = { DATA_MAX, DATA_MAX };

	prctl(PR_SET_DUMPABLE, 0, 0, 0, 0);
	setrlimit(RLIMIT_CORE, &none);
	setrlimit(RLIMIT_AS, &memory);
	setrlimit(RLIMIT_DATA, &data);
	if (confine_process() < 0)
		_exit(1);
}

static _Noreturn void fail(const struct profile_child_plan *plan, int32_t error)
{
	struct {
		uint32_t kind;
		int32_t error;
	} message = { PROFILE_FAILED, error };

	send(plan->channel, &message, sizeof(message), MSG_NOSIGNAL);
	_exit(1);
}

static _Noreturn void run(const struct profile_child_plan *plan, pid_t parent)
{
	struct child child = { .plan = plan, .strangers_ns = STRANGERS_NS };
	struct pollfd *waited = alloc_zeroed(plan->n_events + 1, sizeof(*waited));
	int error;

	prctl(PR_SET_NAME, "panetop-profile");
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (getppid() != parent)
		_exit(0);
	error = map_rings(&child);
	if (error)
		fail(plan, error == -EPERM ? -ENOBUFS : error); /* no right would help, but more room */
	child.state.rules_error = dw_library_load();
	code_files_open(&child.files, plan->clock, plan->channel, &plan->shared->work);
	child.seed = child.files.seed;
	child.files.shunned = plan->shunned;
	child.files.n_shunned = plan->n_shunned;
	child.files.now_ns = child.begun_ns = clock_mono_ns(plan->clock);
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
