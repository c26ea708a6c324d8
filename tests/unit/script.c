/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What counts in the place of the kernel. */
#include <config.h>

#include "script.h"

#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/syscall.h>

#include "core/alloc.h"
#include "core/buffer.h"
#include "core/error_name.h"
#include "core/histogram.h"
#include "core/vector.h"
#include "suite.h"
#include "sys/privilege.h"

#define KEY_WORDS 18
#define VALUE_WORDS 20
#define PHASES_MAX 16
#define NAME_BYTES 40
#define LITTLE (__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__)

struct entry {
	uint64_t key[KEY_WORDS], value[VALUE_WORDS];
};

struct script_plan {
	char name[NAME_BYTES];
	int error;
	struct entry *entries;
	size_t n, capacity;
	struct bpf_phases *phases;
	unsigned n_phases;
	struct ran {
		char program[NAME_BYTES]; /* "": all */
		uint64_t runs, lost, skipped, timed_runs, timed_ns;
	} ran[TRACE_PROGRAMS_MAX];
	unsigned n_ran;
};

/* Of the plan with this very name. */
struct script_use {
	char name[NAME_BYTES];
	unsigned opened, open, iterated, rests;
	uint64_t process;
	uint64_t *wanted;
	size_t n_wanted, wanted_capacity;
	const struct bpf_program *programs[TRACE_PROGRAMS_MAX];
	unsigned n_programs;
};

/* Where a field is; n_bits 0: a text of that many words. */
struct field {
	unsigned word, shift, n_bits, n_words;
};

/*
 * The fields of the keys and values of plans: NAME:WORD; NAME:WORD.SHIFT.BITS, a part of that word;
 * NAME:WORD/HALF, a half as it is in memory; NAME:WORD*WORDS, a text.
 */
#define SOCKET "pid:0.0.32 sent:0.32.1 family:0.33.15 protocol:0.48.16"
#define COUNTS "count:0 sum:1 most:2"
static const struct plan_fields {
	const char *plan, *key, *value;
} plan_fields[] = {
	{ "interrupt", "irq:0 cpu:1", COUNTS },
	{ "softirq", "kind:0 cpu:1", COUNTS },
	{ "timer", "pid:0 function:1 fired:2", COUNTS },
	{ "time_account", "thread:0 task:1",
	  "process:0 since:2 state:3 before:4 running:5 ready:6 disk:7 memory:8 lock:9 sleep:10 other:11" },
	{ "wakeup", "pid:0 start:1 marks:2 idle:3", COUNTS },
	{ "call", "bucket:0.0.12 error:0.12.12 call:0.24.16 pid:0.40.24", COUNTS },
	{ "opened_total", "error:0 command:1*2 path:3*15", COUNTS },
	{ "slab", "cache:0 pid:1", COUNTS },
	{ "slab_names", "cache:0 name:1*4", COUNTS },
	{ "traffic", SOCKET, COUNTS },
	{ "network_account", SOCKET " namespace:1.0.32 link:1.32.32", COUNTS },
	{ "disk_user", "operation:0 pid:1.0.32 device:1.32.32", COUNTS },
	{ "disk_latency", "device:0.0.32 operation:0.32.32", "number:0" },
	{ "cache_use", "pid:0 event:1 device:2 inode:3", COUNTS },
	{ "wake", "marks:0 idle:1 waker:2*2 woken:4*2", COUNTS },
	{ "waiting", "pid:0/0 stack:0/1 state:1/0 call:1/1", COUNTS },
	{ "waiters", "thread:0 task:1",
	  "process:0 start:1 since:3 state:4 running:5 ready:6 waiting:7 wait.pid:8/0 wait.stack:8/1 "
	  "wait.state:9/0 wait.call:9/1 last.pid:10/0 last.stack:10/1 last.state:11/0 last.call:11/1 "
	  "last_ns:12 last_end:13" },
	/* of a tracepoint that a user named: numbers and texts at each word */
	{ "trace", "w0:0 w1:1 w2:2 w3:3 w4:4 t0:0*8 t2:2*2 t3:3*8", COUNTS },
};

static const struct {
	const char *name;
	uint64_t value;
} names[] = {
	{ "close", SYS_close }, { "futex", SYS_futex }, { "fsync", SYS_fsync }, { "read", SYS_read },
	{ "openat", SYS_openat }, { "flock", SYS_flock }, { "fcntl", SYS_fcntl }, { "getpid", SYS_getpid },
	{ "inet", AF_INET }, { "inet6", AF_INET6 }, { "unix", AF_UNIX }, { "netlink", AF_NETLINK },
	{ "tcp", IPPROTO_TCP }, { "udp", IPPROTO_UDP }, { "udplite", IPPROTO_UDPLITE },
	{ "icmp", IPPROTO_ICMP }, { "sent_again", UINT16_MAX }, { "ENOTSUP", ENOTSUP },
	{ "O_DIRECTORY", O_DIRECTORY },
	{ "unread", BPF_OPENED_UNREAD }, { "cut", BPF_OPENED_CUT },
	{ "added", BPF_CACHE_ADDED }, { "asked", BPF_CACHE_ASKED }, { "faulted", BPF_CACHE_FAULTED },
	{ "dirtied", BPF_CACHE_DIRTIED },
	{ "running", BPF_STATE_RUNNING }, { "ready", BPF_STATE_READY }, { "disk", BPF_STATE_DISK },
	{ "memory", BPF_STATE_MEMORY }, { "lock", BPF_STATE_LOCK }, { "sleep", BPF_STATE_SLEEP },
	{ "other", BPF_STATE_OTHER }, { "gone", BPF_STATE_GONE }, { "no_state", N_BPF_STATES },
	{ "before", BPF_WAIT_BEFORE },
};

static const struct {
	const char *name;
	const struct trace_plan *plan;
} plans[] = {
#define TRACE_PLAN(name) { #name, &trace_plan_##name },
#include "topic/trace/plans.def"
#undef TRACE_PLAN
};

/* --- Values. */

static uint64_t number_of_error(const char *name)
{
	char text[ERROR_NAME_BYTES];

	for (int error = 1; error < 200; error++) {
		error_name(error, text);
		if (strcmp(text, name) == 0)
			return (uint64_t)error;
	}
	ck_abort_msg("script: %s is no number and no name", name);
}

static uint64_t term(const struct script *script, const char *text, size_t length)
{
	static const struct {
		const char *name;
		uint64_t of;
	} units[] = { { "", 1 }, { "us", 1000 }, { "ms", 1000000 }, { "s", 1000000000 } };
	char copy[64], *end;
	uint64_t value;

	snprintf(copy, sizeof(copy), "%.*s", (int)length, text);
	if (strcmp(copy, "now") == 0)
		return env_mono_ns(script->env);
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (strcmp(copy, names[i].name) == 0)
			return names[i].value;
	value = strtoull(copy, &end, 0);
	if (end == copy)
		return number_of_error(copy);
	if (*end == ':')
		return value << 20 | strtoull(end + 1, NULL, 10);
	for (size_t i = 0; i < sizeof(units) / sizeof(units[0]); i++)
		if (strcmp(end, units[i].name) == 0)
			return value * units[i].of;
	ck_abort_msg("script: %s is no number", copy);
}

/* signed: as the maximum of signed numbers is kept. */
uint64_t script_value(const struct script *script, const char *text)
{
	bool is_signed = strncmp(text, "signed:", 7) == 0;
	uint64_t sum = 0;

	for (text += is_signed ? 7 : 0; *text;) {
		bool minus = *text == '-';
		size_t length;

		text += *text == '+' || *text == '-';
		length = strcspn(text, "+-");
		sum += (minus ? -UINT64_C(1) : 1) * term(script, text, length);
		text += length;
	}
	return is_signed ? sum ^ UINT64_C(1) << 63 : sum;
}

static void set_field(const struct script *script, uint64_t *words, const struct field *field,
		      const char *text, bool adds)
{
	uint64_t *word = &words[field->word], mask, value;

	if (field->n_bits == 0) {
		char *to = (char *)word;
		size_t room = field->n_words * sizeof(*word);

		memset(to, 0, room);
		for (size_t i = 0; i < room && text[i]; i++)
			to[i] = text[i] == '~' ? '\0' : text[i];
		return;
	}
	mask = field->n_bits == 64 ? UINT64_MAX : (UINT64_C(1) << field->n_bits) - 1;
	value = script_value(script, text) + (adds ? *word >> field->shift & mask : 0);
	*word = (*word & ~(mask << field->shift)) | (value & mask) << field->shift;
}

static bool find_field(const char *fields, const char *name, struct field *field)
{
	const char *at = strstr(textf(" %s", fields), textf(" %s:", name));
	unsigned half;
	int length = 0;

	*field = (struct field){ .n_bits = 64 };
	if (!at)
		return false;
	sscanf(at, " %*[^:]:%u%n", &field->word, &length);
	if (sscanf(at + length, "/%u", &half) == 1)
		*field = (struct field){ field->word, (half == 0) == LITTLE ? 0 : 32, 32, 0 };
	else if (sscanf(at + length, "*%u", &field->n_words) == 1)
		field->n_bits = 0;
	else
		sscanf(at + length, ".%u.%u", &field->shift, &field->n_bits);
	return true;
}

static const struct plan_fields *fields_of(const char *plan)
{
	for (size_t i = 0; i < sizeof(plan_fields) / sizeof(plan_fields[0]); i++)
		if (strcmp(plan_fields[i].plan, plan) == 0)
			return &plan_fields[i];
	ck_abort_msg("script: %s has no fields yet", plan);
}

/* first.sum, second.most, first.1ms: how many took so long; first.#5: how many are in that bucket. */
static bool set_phase(const struct script *script, struct bpf_phases *of, const char *name, const char *text,
		      bool adds)
{
	enum bpf_phase phase = strncmp(name, "second.", 7) == 0;
	const char *what = strchr(name, '.');
	uint64_t *at;

	if (!what++)
		return false;
	at = strcmp(what, "sum") == 0    ? &of->sum[phase]
	     : strcmp(what, "most") == 0 ? &of->most[phase]
	     : strcmp(what, "last") == 0 ? &of->buckets[phase][HISTOGRAM_BUCKETS - 1]
	     : *what == '#'              ? &of->buckets[phase][script_value(script, what + 1)]
			    : &of->buckets[phase][histogram_index(0, script_value(script, what))];
	*at = script_value(script, text) + (adds ? *at : 0);
	return true;
}

/* --- What is counted. */

static struct script_plan *find_plan(const struct script *script, const char *name)
{
	for (unsigned i = 0; i < SCRIPT_PLANS_MAX && script->plans[i]; i++)
		if (strcmp(script->plans[i]->name, name) == 0)
			return script->plans[i];
	return NULL;
}

static struct script_plan *need_plan(struct script *script, const char *name)
{
	struct script_plan *plan = find_plan(script, name);
	unsigned i = 0;

	if (plan)
		return plan;
	while (script->plans[i])
		ck_assert_uint_lt(++i, SCRIPT_PLANS_MAX);
	script->plans[i] = plan = alloc_zeroed(1, sizeof(*plan));
	snprintf(plan->name, sizeof(plan->name), "%s", name);
	return plan;
}

static const char *name_of(const struct trace_plan *plan)
{
	for (size_t i = 0; i < sizeof(plans) / sizeof(plans[0]); i++)
		if (plans[i].plan == plan)
			return plans[i].name;
	return plan->topic;
}

/* NULL: it is not counted. */
static struct script_plan *plan_of(const struct trace_set *set)
{
	const struct script *script = (const struct script *)set->env->counting;
	const char *name = name_of(set->plan), *of = strstr(name, "_of_");
	struct script_plan *plan = find_plan(script, name);

	return plan || !of ? plan : find_plan(script, textf("%.*s", (int)(of - name), name));
}

static struct entry *find_entry(const struct script_plan *plan, const uint64_t *key, size_t n_words)
{
	for (size_t i = 0; i < plan->n; i++)
		if (memcmp(plan->entries[i].key, key, n_words * sizeof(*key)) == 0)
			return &plan->entries[i];
	return NULL;
}

static void remove_entry(struct script_plan *plan, struct entry *entry)
{
	size_t at = (size_t)(entry - plan->entries);

	memmove(entry, entry + 1, (--plan->n - at) * sizeof(*entry));
}

/* The next of "NAME=VALUE NAME+=VALUE"; it ends *text there. */
static bool next_pair(char **text, char **name, char **value, bool *adds)
{
	char *equals;

	*text += strspn(*text, " ");
	if (!**text)
		return false;
	*name = *text;
	*text += strcspn(*text, " ");
	if (**text)
		*(*text)++ = '\0';
	equals = strchr(*name, '=');
	ck_assert_msg(equals != NULL, "script: %s has no =", *name);
	*adds = equals > *name && equals[-1] == '+';
	equals[*adds ? -1 : 0] = '\0';
	*value = equals + 1;
	return true;
}

static void set_value(struct script *script, struct script_plan *plan, struct entry *entry, const char *name,
		      const char *text, bool adds)
{
	struct field field;

	if (find_field(fields_of(plan->name)->value, name, &field))
		set_field(script, entry->value, &field, text, adds);
	else if (!plan->phases || !set_phase(script, &plan->phases[entry->value[0]], name, text, adds))
		ck_abort_msg("script: %s has no field %s", plan->name, name);
}

static struct entry *add_entry(struct script_plan *plan, const uint64_t *key)
{
	struct entry *entry = VECTOR_ADD(plan->entries, plan->n, plan->capacity);

	*entry = (struct entry){ 0 };
	memcpy(entry->key, key, sizeof(entry->key));
	if (strcmp(plan->name, "disk_latency") == 0) {
		ck_assert_uint_lt(plan->n_phases, PHASES_MAX);
		plan->phases = plan->phases ? plan->phases : alloc_zeroed(PHASES_MAX, sizeof(*plan->phases));
		entry->value[0] = plan->n_phases++;
	}
	return entry;
}

/* key: of the one before it, whose fields it has but for those that are named. */
static void set_entry(struct script *script, struct script_plan *plan, uint64_t *key, const char *text,
		      bool goes)
{
	const char *fields = fields_of(plan->name)->key;
	char *keys = alloc_text(text), *values = alloc_text(text), *at, *name, *value;
	struct entry *entry;
	struct field field;
	bool adds;

	for (at = keys; next_pair(&at, &name, &value, &adds);)
		if (find_field(fields, name, &field))
			set_field(script, key, &field, value, false);
	entry = find_entry(plan, key, KEY_WORDS);
	ck_assert_msg(!goes || entry, "script: %s has no entry %s", plan->name, text);
	if (goes)
		remove_entry(plan, entry);
	else if (!entry)
		entry = add_entry(plan, key);
	for (at = values; !goes && next_pair(&at, &name, &value, &adds);)
		if (!find_field(fields, name, &field))
			set_value(script, plan, entry, name, value, adds);
	free(keys);
	free(values);
}

/* The name that begins a line; the rest of the line follows it. */
static char *take_name(char **text)
{
	char *name = *text;

	*text += strcspn(*text, " \n");
	if (**text)
		*(*text)++ = '\0';
	return name;
}

static void set_ran(struct script *script, char *text)
{
	struct script_plan *plan = need_plan(script, take_name(&text));
	struct ran *ran = plan->ran;
	const char *program = "";
	char *name, *value;
	bool adds;

	if (strncmp(text, "program=", 8) == 0) {
		next_pair(&text, &name, &value, &adds);
		program = value;
	}
	while (ran < plan->ran + plan->n_ran && strcmp(ran->program, program) != 0)
		ran++;
	plan->n_ran += ran == plan->ran + plan->n_ran;
	snprintf(ran->program, sizeof(ran->program), "%s", program);
	while (next_pair(&text, &name, &value, &adds)) {
		uint64_t *at = strcmp(name, "runs") == 0         ? &ran->runs
			       : strcmp(name, "lost") == 0       ? &ran->lost
			       : strcmp(name, "skipped") == 0    ? &ran->skipped
			       : strcmp(name, "timed_runs") == 0 ? &ran->timed_runs
			       : strcmp(name, "timed_ns") == 0   ? &ran->timed_ns
								 : NULL;

		ck_assert_msg(at != NULL, "script: a program has no %s", name);
		*at = script_value(script, value) + (adds ? *at : 0);
	}
}

static void set_stack(struct script *script, char *text)
{
	struct script_stack *stack = &script->stacks[script->n_stacks++];
	char *word = strtok(text, " ");
	unsigned n = 0;

	ck_assert_uint_le(script->n_stacks, sizeof(script->stacks) / sizeof(script->stacks[0]));
	stack->is_before = strncmp(word, "thread=", 7) == 0;
	stack->number = script_value(script, word + (stack->is_before ? 7 : 0));
	while ((word = strtok(NULL, " "))) {
		const char *times = strchr(word, '*'); /* 31*0x20 */

		for (int i = times ? atoi(word) : 1; i > 0 && n < BPF_STACK_FRAMES; i--)
			stack->frames[n++] = script_value(script, times ? times + 1 : word);
	}
}

/* Entries parted by semicolons; with {2..9} in one it is one for each of these numbers. */
static void set_entries(struct script *script, struct script_plan *plan, char *text, bool goes)
{
	uint64_t key[KEY_WORDS] = { 0 };

	for (char *one; (one = strsep(&text, ";"));) {
		const char *open = strchr(one, '{'), *close = open ? strchr(open, '}') : NULL;
		unsigned first = 0, last = 0;

		if (close)
			ck_assert_int_eq(sscanf(open, "{%u..%u}", &first, &last), 2);
		else
			open = close = one + strlen(one);
		for (unsigned i = first; i <= last; i++) {
			const char *number = *close ? textf("%u%s", i, close + 1) : "";

			set_entry(script, plan, key, textf("%.*s%s", (int)(open - one), one, number), goes);
		}
	}
}

static void count(struct script *script, char *text)
{
	struct script_plan *plan = need_plan(script, take_name(&text));

	plan->error = 0;
	for (char *line; (line = strsep(&text, "\n"));)
		if (*(line += *line == '\t'))
			set_entries(script, plan, line, false);
}

static void uncount(struct script *script, char *text)
{
	struct script_plan *plan = need_plan(script, take_name(&text));

	if (*text)
		set_entries(script, plan, text, true);
	else
		plan->n = 0;
}

static void refuse(struct script *script, char *text)
{
	const char *name = take_name(&text);
	int error = -(int)script_value(script, text);

	if (strcmp(name, "all") == 0)
		script->error = error;
	else
		need_plan(script, name)->error = error;
}

/* --- Exits. */

static int exits_open(const struct exit_source *source)
{
	return ((const struct script_exits *)source)->error;
}

static uint64_t exits_lost(const struct exit_source *source)
{
	return ((const struct script_exits *)source)->lost;
}

static void exits_drain(const struct exit_source *source, exit_each *each, void *context)
{
	struct script_exits *exits = (struct script_exits *)source;
	size_t n = exits->n - exits->n_late;

	for (size_t i = 0; i < n; i++)
		each(context, &exits->records[i]);
	if (exits->n_late > 0)
		memmove(exits->records, exits->records + n, exits->n_late * sizeof(*exits->records));
	exits->n = exits->n_late;
	exits->n_late = 0;
}

static void set_exits(struct script *script, char *text)
{
	char *name, *value;
	bool adds;

	script->exits.error = 0;
	while (next_pair(&text, &name, &value, &adds))
		if (strcmp(name, "refused") == 0)
			script->exits.error = -(int)script_value(script, value);
		else
			script->exits.lost = script_value(script, value);
}

static void set_exit(struct script *script, struct exit_record *record, const char *name, uint64_t number)
{
	if (strcmp(name, "pid") == 0)
		record->tgid = record->tid = (uint32_t)number;
	else if (strcmp(name, "tid") == 0)
		record->tid = (uint32_t)number;
	else if (strcmp(name, "cpu") == 0)
		record->cpu_ns = record->run_ns = number;
	else if (strcmp(name, "run") == 0)
		record->run_ns = number;
	else if (strcmp(name, "life") == 0)
		record->elapsed_ns = number;
	else if (strcmp(name, "parent") == 0)
		record->parent_pid = (uint32_t)number;
	else if (strcmp(name, "peak") == 0)
		record->peak_kib = number;
	else if (strcmp(name, "read") == 0)
		record->read_bytes = number;
	else if (strcmp(name, "wrote") == 0)
		record->write_bytes = number;
	else if (strcmp(name, "also") == 0)
		record->last = false;
	else if (strcmp(name, "code") == 0)
		record->exit_code = number == U64_UNKNOWN ? U32_UNKNOWN : (uint32_t)number << 8;
	else if (strcmp(name, "signal") == 0)
		record->exit_code = (uint32_t)number;
	else if (strcmp(name, "late") == 0)
		script->exits.n_late++;
	else
		ck_abort_msg("script: an exit has no %s", name);
}

static void add_exits(struct script *script, char *text)
{
	struct script_exits *exits = &script->exits;

	for (char *line; (line = strsep(&text, "\n"));) {
		char *comm = strstr(line, "name="), *name, *value;
		struct exit_record *record;
		bool adds;

		if (!comm)
			continue;
		record = VECTOR_ADD(exits->records, exits->n, exits->capacity);
		*record = (struct exit_record){ .last = true, .peak_kib = 1000 };
		snprintf(record->comm, sizeof(record->comm), "%s", comm + strlen("name="));
		*comm = '\0';
		for (line += *line == '\t'; next_pair(&line, &name, &value, &adds);)
			set_exit(script, record, name, script_value(script, value));
	}
}

bool script_run(struct script *script, const char *text)
{
	static const struct {
		const char *word;
		void (*run)(struct script *script, char *rest);
	} lines[] = { { "counted", count },   { "uncounted", uncount }, { "refused", refuse },
		      { "ran", set_ran },     { "stack", set_stack },   { "exits", set_exits },
		      { "exit", add_exits } };
	char *copy = alloc_text(text), *rest = copy;
	const char *word = take_name(&rest);
	bool is_found = false;

	for (size_t i = 0; i < sizeof(lines) / sizeof(lines[0]) && !is_found; i++) {
		is_found = strcmp(lines[i].word, word) == 0;
		if (is_found)
			lines[i].run(script, rest);
	}
	free(copy);
	return is_found;
}

/* --- What topics do. */

static struct script_use *use_of(const struct trace_set *set)
{
	struct script *script = (struct script *)set->env->counting;
	const char *name = name_of(set->plan);
	unsigned i = 0;

	while (script->uses[i] && strcmp(script->uses[i]->name, name) != 0)
		ck_assert_uint_lt(++i, SCRIPT_PLANS_MAX);
	if (!script->uses[i]) {
		script->uses[i] = alloc_zeroed(1, sizeof(*script->uses[i]));
		snprintf(script->uses[i]->name, sizeof(script->uses[i]->name), "%s", name);
	}
	return script->uses[i];
}

#define RUNS 0 /* in the place of what is attached */

static void keep_programs(const struct trace_set *set)
{
	struct script_use *use = use_of(set);

	use->n_programs = 0;
	for (unsigned i = 0; i < set->n_running; i++)
		if (set->running[i].attached == RUNS)
			use->programs[use->n_programs++] = set->running[i].program;
}

static int script_add(struct trace_set *set, const struct bpf_program *program)
{
	set->running[set->n_running++] = (struct trace_running){ program, -1, -1, RUNS, false };
	keep_programs(set);
	return 0;
}

static int script_set_open(struct trace_set *set)
{
	const struct script *script = (const struct script *)set->env->counting;
	struct script_plan *plan = plan_of(set);
	struct script_use *use;
	int error = plan ? plan->error : script->error;

	if (error)
		return error;
	use = use_of(set);
	use->opened++;
	use->open++;
	use->process = set->process;
	use->n_wanted = 0;
	for (unsigned i = 0; i < set->plan->n_programs; i++)
		script_add(set, &set->plan->programs[i]);
	return 0;
}

static void script_set_close(struct trace_set *set)
{
	use_of(set)->open--;
	set->memory[BPF_MAP_HISTOGRAMS] = NULL;
	set->n_running = 0;
}

static void script_stop(struct trace_set *set, const struct bpf_program *program)
{
	unsigned n = 0;

	for (unsigned i = 0; i < set->n_running; i++)
		if (set->running[i].program != program)
			set->running[n++] = set->running[i];
	set->n_running = n;
	keep_programs(set);
}

static int script_rest(struct trace_set *set, const char *tracepoint, bool rests)
{
	const struct script_plan *resting = find_plan((const struct script *)set->env->counting, "resting");

	if (!rests && resting && resting->error)
		return resting->error;
	use_of(set)->rests += rests;
	for (unsigned i = 0; i < set->n_running; i++)
		if (strcmp(set->running[i].program->tracepoint, tracepoint) == 0)
			set->running[i].attached = rests ? -1 : RUNS;
	keep_programs(set);
	return 0;
}

static int script_iterate(struct trace_set *set, unsigned running)
{
	if (set->running[running].program->does->is_run)
		return -ENOTSUP;
	use_of(set)->iterated++;
	return 0;
}

static void copy_entries(const struct script_plan *plan, size_t key_bytes, size_t value_bytes, void **keys,
			 void **values)
{
	*keys = alloc_resize(*keys, plan->n + 1, key_bytes);
	*values = alloc_resize(*values, plan->n + 1, value_bytes);
	for (size_t i = 0; i < plan->n; i++) {
		memcpy((char *)*keys + i * key_bytes, plan->entries[i].key, key_bytes);
		memcpy((char *)*values + i * value_bytes, plan->entries[i].value, value_bytes);
	}
}

static bool script_read(struct trace_set *set, enum bpf_map map)
{
	const struct script *script = (const struct script *)set->env->counting;
	const struct script_plan *plan = map == BPF_MAP_WAITERS ? find_plan(script, "waiters") : plan_of(set);
	const char *name = plan ? plan->name : "";
	void *keys = set->keys;

	if (!plan || plan->error)
		return false;
	if (map == BPF_MAP_WAITERS) {
		copy_entries(plan, sizeof(struct bpf_times_key), sizeof(struct bpf_waiter),
			     &set->waiters.keys, &set->waiters.values);
		set->waiters.n = plan->n;
		return true;
	}
	copy_entries(plan, set->plan->n_words * sizeof(uint64_t),
		     strcmp(name, "time_account") == 0   ? sizeof(struct bpf_times)
		     : strcmp(name, "disk_latency") == 0 ? sizeof(uint64_t)
							 : sizeof(struct bpf_entry),
		     &keys, &set->all);
	set->keys = keys;
	set->n_entries = plan->n;
	set->memory[BPF_MAP_HISTOGRAMS] = plan->phases;
	return true;
}

static int script_get(const struct trace_set *set, enum bpf_map map, const void *key, void *value)
{
	const struct script *script = (const struct script *)set->env->counting;
	bool is_before = map == BPF_MAP_BEFORE;
	uint64_t number = is_before ? *(const uint64_t *)key : *(const uint32_t *)key;

	for (unsigned i = 0; i < script->n_stacks; i++)
		if (script->stacks[i].is_before == is_before && script->stacks[i].number == number) {
			memcpy(value, script->stacks[i].frames, sizeof(script->stacks[i].frames));
			return 0;
		}
	return -ENOENT;
}

static size_t find_wanted(const struct script_use *use, uint64_t process)
{
	size_t at = 0;

	while (at < use->n_wanted && use->wanted[at] != process)
		at++;
	return at;
}

static int script_put(const struct trace_set *set, enum bpf_map map, const void *key, const void *value)
{
	const struct script_plan *wanting = find_plan((const struct script *)set->env->counting, "wanting");
	struct script_use *use = use_of(set);
	uint64_t process;

	(void)value;
	if (map != BPF_MAP_WANTED)
		return -ENOTSUP;
	if (wanting && wanting->error)
		return wanting->error;
	memcpy(&process, key, sizeof(process));
	if (find_wanted(use, process) == use->n_wanted)
		*VECTOR_ADD(use->wanted, use->n_wanted, use->wanted_capacity) = process;
	return 0;
}

static void script_remove(const struct trace_set *set, enum bpf_map map, const void *key)
{
	struct script_plan *plan = map == BPF_MAP_WAITERS
					   ? find_plan((const struct script *)set->env->counting, "waiters")
					   : plan_of(set);
	struct script_use *use = use_of(set);

	if (map == BPF_MAP_WANTED) {
		size_t at = find_wanted(use, *(const uint64_t *)key);

		if (at < use->n_wanted) {
			use->n_wanted--;
			memmove(&use->wanted[at], &use->wanted[at + 1],
				(use->n_wanted - at) * sizeof(*use->wanted));
		}
		return;
	}
	ck_assert_ptr_nonnull(plan);
	for (size_t i = 0; i < plan->n; i++)
		if (memcmp(plan->entries[i].key, key,
			   (map == BPF_MAP_WAITERS ? 2 : set->plan->n_words) * sizeof(uint64_t)) == 0) {
			remove_entry(plan, &plan->entries[i]);
			return;
		}
}

static struct bpf_self script_self(struct trace_set *set, unsigned running, bool skipped)
{
	const struct script_plan *plan = plan_of(set);
	const struct ran *ran = NULL;

	for (unsigned i = 0; plan && i < plan->n_ran; i++)
		if (!*plan->ran[i].program ||
		    strcmp(plan->ran[i].program, set->running[running].program->tracepoint) == 0)
			ran = &plan->ran[i];
	if (!ran)
		return (struct bpf_self){ 0 };
	return (struct bpf_self){ .runs = ran->runs,
				  .lost = ran->lost + (skipped ? ran->skipped : 0),
				  .timed_runs = ran->timed_runs,
				  .timed_ns = ran->timed_ns };
}

const char *script_use(const struct script *script, const char *name)
{
	const struct script_plan *plan = find_plan(script, name);
	struct buffer wanted = { 0 }, programs = { 0 };
	unsigned opened = 0, open = 0, iterated = 0, rests = 0;
	uint64_t process = 0;
	const char *text;

	for (unsigned u = 0; u < SCRIPT_PLANS_MAX && script->uses[u]; u++) {
		const struct script_use *use = script->uses[u];
		size_t length = strlen(name);

		if (strncmp(use->name, name, length) != 0 ||
		    (use->name[length] && strncmp(use->name + length, "_of_", 4) != 0))
			continue;
		opened += use->opened;
		open += use->open;
		iterated += use->iterated;
		rests += use->rests;
		process = use->open ? use->process : process;
		for (size_t i = 0; i < use->n_wanted && use->open; i++)
			buffer_print(&wanted, "%s%u", wanted.length ? "," : "", (unsigned)use->wanted[i]);
		for (unsigned i = 0; i < use->n_programs && use->open; i++)
			buffer_print(&programs, "%s%s", programs.length ? "," : "",
				     use->programs[i]->tracepoint);
	}
	buffer_char(&wanted, '\0');
	buffer_char(&programs, '\0');
	text = textf("opened=%u open=%u entries=%zu process=%u wanted=%s iterated=%u rests=%u programs=%s",
		     opened, open, plan ? plan->n : 0, (unsigned)process, wanted.bytes, iterated, rests,
		     programs.bytes);
	buffer_free(&wanted);
	buffer_free(&programs);
	return text;
}

/* Of the script that was opened last; a helper has no other way to it. */
static const struct env *asked_env;

/* The text of smartctl/DEVICE and an end of that name; its length, or -errno. */
static ssize_t read_answer(const char *device, const char *end, char *bytes, size_t room)
{
	int fd = openat(asked_env->root.fd, textf("smartctl/%s%s", device, end), O_RDONLY | O_CLOEXEC);
	ssize_t length = fd < 0 ? -errno : read(fd, bytes, room);

	if (fd >= 0)
		close(fd);
	return length;
}

static void note_question(const char *device)
{
	int fd = openat(asked_env->root.fd, textf("smartctl/%s.asked", device),
			O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0600);

	ck_assert(fd >= 0 && write(fd, "?", 1) == 1);
	close(fd);
}

/* Its words are fixed, but for the device. */
static ssize_t answer(const char *const *words, uint64_t lends, uint64_t ns, char *bytes, size_t room,
		      int *status)
{
	char text[32] = "";
	const char *said = "", *device = NULL;
	ssize_t length;

	for (; *words; words++) {
		device = words[1] ? NULL : strrchr(*words, '/') + 1;
		said = textf("%s%s%s", said, *said ? " " : "", device ? "" : *words);
	}
	ck_assert_str_eq(said, "/usr/sbin/smartctl --json=c -n standby,3 -i -H -A -l error -l ssd ");
	ck_assert(lends == PRIVILEGE_BIT(PRIVILEGE_HEALTH) && ns == UINT64_C(10000000000));
	note_question(device);
	length = read_answer(device, ".error", text, sizeof(text) - 1);
	if (length > 0)
		return -(ssize_t)number_of_error(textf("%.*s", (int)strcspn(text, "\n"), text));
	length = read_answer(device, ".exit", text, sizeof(text) - 1);
	*status = length > 0 ? atoi(text) << 8 : 0;
	length = read_answer(device, "", bytes, room);
	return length == -ENOENT ? 0 : length;
}

void script_open(struct script *script, struct env *env)
{
	*script = (struct script){ .counting = { .open = script_set_open,
						 .close = script_set_close,
						 .add = script_add,
						 .stop = script_stop,
						 .rest = script_rest,
						 .run = script_iterate,
						 .read = script_read,
						 .get = script_get,
						 .put = script_put,
						 .remove = script_remove,
						 .self = script_self },
				   .calls = real_calls,
				   .env = env,
				   .error = -ENOTSUP,
				   .exits = { { exits_open, exits_drain, exits_lost }, .error = -ENOTSUP } };
	env->counting = &script->counting;
	env->exits = &script->exits.source;
	script->calls.program_output = answer;
	env->calls = &script->calls;
	asked_env = env;
}

void script_close(struct script *script)
{
	free(script->exits.records);
	for (unsigned i = 0; i < SCRIPT_PLANS_MAX; i++) {
		if (script->plans[i]) {
			free(script->plans[i]->entries);
			free(script->plans[i]->phases);
		}
		if (script->uses[i])
			free(script->uses[i]->wanted);
		free(script->plans[i]);
		free(script->uses[i]);
	}
}
