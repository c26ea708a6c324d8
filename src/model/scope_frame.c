/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a scope learns from the tables of a frame, and what it makes of their sums. */
#include <config.h>

#include "model/scope.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "core/vector.h"
#include "model/sentence.h"
#include "model/settings.h"

/* The columns that a scope looks at; NULL: the table has none of that name. */
struct fields {
	const struct column *pid, *parent, *start, *uid, *user, *group, *name, *program;
};

static struct fields fields_of(const struct schema *schema)
{
	return (struct fields){
		.pid = schema_find(schema, "pid"),
		.parent = schema_find(schema, "ppid"),
		.start = schema_find(schema, "start_seconds"),
		.uid = schema_find(schema, schema->shape == SHAPE_EVENTS ? "euid" : "uid"),
		.user = schema_find(schema, "user"),
		.group = schema_find(schema, "group"),
		.name = schema_find(schema, "name"),
		.program = schema_find(schema, "program"),
	};
}

static uint64_t number_in(const struct column *column, const void *row)
{
	return column && row_is_known(row, column) ? row_u64(row, column) : U64_UNKNOWN;
}

static const char *text_in(const struct column *column, const void *row)
{
	return column ? row_text(row, column) : NULL;
}

static struct span span_in(const struct column *column, const void *row)
{
	const char *text = text_in(column, row);

	return span_text(text ? text : "");
}

static struct scope_process process_in(const struct fields *fields, const void *row)
{
	return (struct scope_process){
		.pid = number_in(fields->pid, row),
		.parent_pid = number_in(fields->parent, row),
		.start_seconds = fields->start ? row_number(row, fields->start) : NAN,
		.uid = number_in(fields->uid, row),
		.user = text_in(fields->user, row),
		.group = text_in(fields->group, row),
		.name = span_in(fields->name, row),
		.program = span_in(fields->program, row),
	};
}

bool scope_frame_process(const struct frame *frame, uint64_t pid, struct scope_process *process)
{
	const struct table *table = frame_table(frame, "process");
	struct fields fields = { 0 };

	if (table)
		fields = fields_of(table->schema);
	for (size_t i = 0; table && i < table->n_rows; i++) {
		*process = process_in(&fields, table_row(table, i));
		process->command = table_text(table, table_row(table, i), "command");
		if (process->pid == pid && pid != U64_UNKNOWN)
			return true;
	}
	return false;
}

/* Names of containers that the recording has. */
static void learn_names(struct scope *scope, const struct table *groups)
{
	for (size_t i = 0; i < groups->n_rows; i++) {
		const void *row = table_row(groups, i);

		if (strcmp(table_text(groups, row, "kind"), "container") == 0)
			scope_learn(scope, span_text(table_text(groups, row, "path")),
				    table_text(groups, row, "name"));
	}
}

static void read_processes(struct scope *scope, const struct table *table)
{
	struct fields fields = fields_of(table->schema);

	scope_begin(scope);
	for (size_t i = 0; i < table->n_rows; i++) {
		struct scope_process process = process_in(&fields, table_row(table, i));

		if (process.pid != U64_UNKNOWN)
			scope_look(scope, &process);
	}
	scope_end(scope);
}

/* Of threads there is nothing to learn. */
static void read_events(struct scope *scope, const struct table *table)
{
	struct fields fields = fields_of(table->schema);
	const struct column *tid = schema_find(table->schema, "tid");
	const struct column *event = schema_find(table->schema, "event");

	for (size_t i = 0; i < table->n_rows; i++) {
		const void *row = table_row(table, i);
		struct scope_process process = process_in(&fields, row);
		const char *kind = text_in(event, row);

		if (process.pid != U64_UNKNOWN && process.pid == number_in(tid, row))
			scope_event(scope, &process, kind && strcmp(kind, "fork") == 0);
	}
}

/* Once in a frame: what decides is not in the recording. */
static void notice_lack(const struct scope *scope, struct frame *frame)
{
	char text[TEXT_MAX];

	if (!scope->unknown)
		return;
	scope_describe(scope, text, sizeof(text));
	frame_notice(
		frame, "replay", _("record again, with the pane cpu"),
		scope_needs_groups(scope)
			? _("which processes are in %s is not known: the recording has no control groups")
			: _("which processes are in %s is not known: the recording has no parents or users"),
		text);
}

void scope_read_frame(struct scope *scope, struct frame *frame, bool recorded)
{
	const struct table *events = frame_table(frame, "event"), *processes = frame_table(frame, "process");
	char text[TEXT_MAX];

	if (!scope_is_set(scope))
		return;
	if (events)
		read_events(scope, events);
	if (!recorded)
		return;
	if (frame_table(frame, "group"))
		learn_names(scope, frame_table(frame, "group"));
	if (processes && !processes->failed) {
		read_processes(scope, processes);
		notice_lack(scope, frame);
	} else if (!processes) {
		scope_describe(scope, text, sizeof(text));
		frame_notice(frame, "replay", _("record again, with the pane cpu"),
			     _("which processes are in %s is not known: the recording has no processes"),
			     text);
	}
}

/* Was it recorded with this scope, by what its account says? */
static bool is_recorded_so(const struct scope *scope, const struct table *account)
{
	const void *row = account ? table_find(account, OUTSIDE_SCOPE, NULL) : NULL;
	char text[TEXT_MAX], source[TEXT_MAX + sizeof(SCOPE_REST_SOURCE)];

	scope_write(scope, text, sizeof(text));
	snprintf(source, sizeof(source), SCOPE_REST_SOURCE, text);
	return row && strcmp(table_text(account, row, "from"), source) == 0;
}

/* NaN: the rates of no member are known. */
static double members_ratio(const struct scope *scope, const struct table *processes)
{
	const struct column *ratio = schema_known_column(processes->schema, "cpu_ratio");
	struct fields fields = fields_of(processes->schema);
	double sum = processes->interval_ns > 0 && !scope->unknown ? 0 : NAN;

	for (size_t i = 0; ratio && i < processes->n_rows; i++) {
		const void *row = table_row(processes, i);

		if (scope_has(scope, number_in(fields.pid, row), row_number(row, fields.start)) &&
		    row_is_known(row, ratio))
			sum += row_f64(row, ratio);
	}
	return sum;
}

static void add_part(struct table *account, const char *part, double ratio, double seconds, const char *from)
{
	void *row = table_add(account);

	row_set_text(row, schema_known_column(account->schema, "part"), part);
	row_set_f64(row, schema_known_column(account->schema, "cpu_ratio"), ratio);
	row_set_f64(row, schema_known_column(account->schema, "cpu_seconds"), seconds);
	row_set_text(row, schema_known_column(account->schema, "from"), from);
}

/* Which of the exited processes were in the scope was not recorded. */
static void split_account(struct scope *scope, struct table *account, const struct table *processes)
{
	const void *row = table_find(account, "busy", NULL);
	double busy = table_number(account, row, "cpu_ratio"), busy_seconds;
	double tasks = members_ratio(scope, processes);

	busy_seconds = table_number(account, row, "cpu_seconds");
	if (!isnan(tasks))
		scope->tasks_seconds += tasks * (double)processes->interval_ns / 1e9;
	account->n_rows = 0;
	add_part(account, N_("tasks"), tasks, scope->tasks_seconds, N_("processes of the recording"));
	add_part(account, N_("exited"), NAN, NAN, N_("not recorded by scope"));
	add_part(account, OUTSIDE_OR_EXITED, busy - tasks, busy_seconds - scope->tasks_seconds,
		 N_("busy - tasks"));
	add_part(account, N_("busy"), busy, busy_seconds, N_("/proc/stat, without idle and iowait"));
}

static void begin_split(struct table *table)
{
	size_t size = table->schema->row_size;

	table->whole = vector_reserve(table->whole, &table->whole_capacity, table->n_rows, size);
	if (table->n_rows > 0)
		memcpy(table->whole, table->rows, table->n_rows * size);
	table->n_whole = table->n_rows;
	table->is_split = true;
}

/* Rows of no single process, or of an unknown one, go. */
static void keep_processes(struct table *table)
{
	const struct column *pid = schema_find(table->schema, "pid");
	size_t n_kept = 0, size = table->schema->row_size;

	begin_split(table);
	for (size_t i = 0; pid && i < table->n_rows; i++) {
		if (!row_is_known(table_row(table, i), pid))
			continue;
		if (table->joined)
			table->fresh[n_kept] = table->fresh[i];
		memmove(table->rows + n_kept++ * size, table_row(table, i), size);
	}
	table->n_rows = n_kept;
}

/* Of its own control groups and, live, of commands that exited in it; all others are of the machine. */
static bool is_of_scope(const struct scope *scope, const struct table *findings, const void *row,
			bool recorded)
{
	static const char of_groups[] = "group|kill|cpu_limit|memory_limit"; /* a row is the path of one */
	const char *topic = table_text(findings, row, "topic");

	if (strcmp(topic, "failing") == 0)
		return !recorded;
	return text_is_one_of(topic, span_text(of_groups)) && scope_needs_groups(scope) &&
	       scope_has_group(scope, table_text(findings, row, "row"));
}

static void split_recorded(struct scope *scope, struct frame *frame)
{
	static const char *const sums[] = { "exited",        "failing",     "distribution",  "process_total",
					    "power_account", "event_total", "event_lifetime", "call" };
	struct table *account = frame_table(frame, "account"), *processes = frame_table(frame, "process");
	const char *shortened = NULL;
	char text[TEXT_MAX];

	if (is_recorded_so(scope, account))
		return;
	if (frame_table(frame, "connection"))
		keep_processes(frame_table(frame, "connection"));
	for (size_t i = 0; i < sizeof(sums) / sizeof(sums[0]); i++) {
		struct table *table = frame_table(frame, sums[i]);
		size_t n_rows = table ? table->n_rows : 0;

		if (table)
			keep_processes(table);
		if (!shortened && table && table->n_rows < n_rows)
			shortened = sums[i];
	}
	if (account)
		begin_split(account);
	if (account && account->n_rows > 0 && processes)
		split_account(scope, account, processes);
	else if (account)
		account->n_rows = 0;
	scope_describe(scope, text, sizeof(text));
	if (shortened)
		frame_notice(
			frame, shortened, NULL,
			_("sums over exited processes and events were recorded of all processes: not of %s"),
			text);
}

void scope_split_frame(struct scope *scope, struct frame *frame, bool recorded)
{
	const struct table *findings = scope_is_set(scope) ? frame_table(frame, "finding") : NULL;

	if (recorded && scope_is_set(scope))
		split_recorded(scope, frame);
	for (size_t i = 0; findings && i < findings->n_rows; i++) {
		void *row = table_row(findings, i);

		row_set_text(row, schema_known_column(findings->schema, "of"),
			     is_of_scope(scope, findings, row, recorded) ? N_("scope") : N_("machine"));
	}
	scope_use_derive(scope, frame);
}

/*
 * A control group has an account of its own that adds up, with its page cache and what the kernel keeps for
 * it. Of a user, a tree or a list of processes there is none: their sum counts a shared page once for each
 * process, and neither page cache nor the kernel's memory.
 */
#define ON_REQUEST 1

struct scope_row {
	const char *name, *basis, *group;
	uint64_t processes;
	double cpu_ratio;
	uint64_t memory_bytes, anonymous_bytes, file_bytes, kernel_bytes;
	double other_bytes;
	uint64_t swapped_bytes, proportional_bytes, limit_bytes;
	double limit_used_ratio, refaults_per_second, stalled_ratio;
	double read_bytes_per_second, write_bytes_per_second;
};

#define ROW(field, ...) COLUMN(struct scope_row, field, __VA_ARGS__)

static const struct column columns[] = {
	ROW(name, A_KEY(N_("scope"), 20), .help = N_("the scope of --in and @"), .source = "--in"),
	ROW(basis, A_LABEL(N_("account of"), 13), .words = true, .rank = 2,
	    .help = N_("what its memory is counted by: the control group's own account, which adds up; or "
		       "the sum of its processes, in which a page counts once for each that maps it"),
	    .source = "the kind of the scope"),
	ROW(processes, A_GAUGE(COUNT, N_("procs"), 5), .rank = 3, .help = N_("processes in the scope"),
	    .source = "rows of process"),
	ROW(cpu_ratio, A_GAUGE(RATIO, N_("%CPU"), 6), .rank = 1, .of_cpu = true,
	    .help = N_("CPU time, short-lived processes included; 100 is one CPU"),
	    .source = "account tasks + exited; without exit records cpu_ratio of group or process"),
	ROW(memory_bytes, A_GAUGE(BYTES, N_("memory"), 8),
	    .help = N_("of a control group: all that is charged to it, page cache included; of processes: "
		       "resident memory, where a shared page counts once for each process"),
	    .source = "group memory_bytes; process resident_bytes"),
	ROW(anonymous_bytes, A_GAUGE(BYTES, N_("anon"), 8), .rank = 1,
	    .help = N_("heaps, stacks and private data"),
	    .source = "group anonymous_bytes; process resident_bytes - shared_bytes"),
	ROW(file_bytes, A_GAUGE(BYTES, N_("file"), 8), .rank = 1,
	    .help = N_("of a control group: page cache, tmpfs and shared memory; of processes: the mapped "
		       "part of that"), .source = "group file_bytes; process shared_bytes"),
	ROW(kernel_bytes, A_GAUGE(BYTES, N_("kernel"), 8), .rank = 2,
	    .help = N_("slab, stacks, page tables; blank: no process has a part of it"),
	    .source = "group kernel_bytes"),
	ROW(other_bytes, A_GAUGE(BYTES, N_("other"), 8), .rank = 2,
	    .help = N_("the rest of memory, such as socket buffers; below 0 where the kernel counts the "
		       "parts and the whole at different times"),
	    .source = "memory_bytes - anonymous_bytes - file_bytes - kernel_bytes"),
	ROW(swapped_bytes, A_GAUGE(BYTES, N_("swap"), 8), .rank = 2,
	    .help = N_("swapped out; not part of memory; of processes known where it is known of each"),
	    .source = "group swap_bytes; process swapped_bytes"),
	ROW(proportional_bytes, A_GAUGE(BYTES, N_("PSS"), 8), .rank = 3, .hidden = true,
	    .on_request = ON_REQUEST, .slow = true,
	    .help = N_("sum over its processes, each shared page divided by the processes that map it; slow "
		       "to read, and known where it is known of each"),
	    .source = "process proportional_bytes"),
	ROW(limit_bytes, A_GAUGE(BYTES, N_("limit"), 8), .rank = 3,
	    .help = N_("memory limit of its control group; blank: none"),
	    .source = "group memory_limit_bytes"),
	ROW(limit_used_ratio, A_GAUGE(RATIO, N_("%no cache"), 9), .rank = 3, .hidden = true,
	    .help = N_("share of the limit that is used, without page cache that can be dropped"),
	    .source = "group memory_limit_used_ratio"),
	ROW(refaults_per_second, A_GAUGE(PER_SECOND, N_("refault/s"), 9), .rank = 4, .hidden = true,
	    .help = N_("pages of its control group that were reclaimed and are needed again"),
	    .source = "group refaults_per_second"),
	ROW(stalled_ratio, A_GAUGE(RATIO, N_("%PSI mem"), 8), .rank = 4, .hidden = true,
	    .help = N_("share of the interval in which some task of its control group waited for memory "
		       "(version 2)"), .source = "group memory_pressure_ratio"),
	ROW(read_bytes_per_second, A_GAUGE(BYTES_PER_SECOND, N_("read/s"), 8), .rank = 4,
	    .help = N_("read from disks"), .source = "group, else the sum of process, read_bytes_per_second"),
	ROW(write_bytes_per_second, A_GAUGE(BYTES_PER_SECOND, N_("write/s"), 8), .rank = 4,
	    .help = N_("written to disks"),
	    .source = "group, else the sum of process, write_bytes_per_second"),
	ROW(group, A_LABEL(N_("group"), 24), .hidden = true, .optional = true,
	    .help = N_("path of its control group, if that is one"), .source = "group path"),
};

const struct schema scope_use_schema = {
	.name = "scope_use",
	.is_public = true,
	.help = N_("what the scope of --in and @ uses: by its control group, or summed over its processes"),
	.none = N_("there is no scope: all panes show the machine (--in, key @)"),
	.over_interval = true,
	.derived = true,
	SCHEMA_ROWS(struct scope_row, columns),
};

/* Sums over the processes of the scope. NaN: a part is not known of one of them; of rates, of all. */
struct members {
	size_t n, n_unknown; /* the memory of these is not known, and not in the sums */
	double resident, shared, swapped, proportional;
	double cpu, read, written;
};

/* The topmost control groups of the scope. */
struct groups {
	size_t n;
	const void *row; /* of the only one */
	double cpu, memory, anonymous, file, kernel, swapped, read, written;
};

static void add_rate(double *sum, const struct table *table, const void *row, const char *column)
{
	double rate = table_number(table, row, column);

	if (!isnan(rate))
		*sum = isnan(*sum) ? rate : *sum + rate;
}

static void add_member(struct members *sum, const struct table *processes, const void *row)
{
	double resident = table_number(processes, row, "resident_bytes");
	double shared = table_number(processes, row, "shared_bytes");

	sum->n++;
	sum->n_unknown += isnan(resident) ? 1 : 0;
	sum->resident += isnan(resident) ? 0 : resident;
	sum->shared += isnan(resident) ? 0 : shared;
	sum->swapped += table_number(processes, row, "swapped_bytes");
	sum->proportional += resident == 0 ? 0 /* kernel threads have no pages of their own */
					   : table_number(processes, row, "proportional_bytes");
	add_rate(&sum->cpu, processes, row, "cpu_ratio");
	add_rate(&sum->read, processes, row, "read_bytes_per_second");
	add_rate(&sum->written, processes, row, "write_bytes_per_second");
}

static struct members sum_members(const struct scope *scope, const struct frame *frame)
{
	const struct table *processes = frame_table(frame, "process");
	struct members sum = { .cpu = NAN, .read = NAN, .written = NAN };

	for (size_t i = 0; processes && i < processes->n_rows; i++) {
		const void *row = table_row(processes, i);

		if (scope_has(scope, table_u64(processes, row, "pid"),
			      table_number(processes, row, "start_seconds")))
			add_member(&sum, processes, row);
	}
	if (sum.n == sum.n_unknown)
		sum.resident = sum.shared = sum.swapped = sum.proportional = NAN;
	return sum;
}

static struct groups sum_groups(const struct scope *scope, const struct frame *frame)
{
	const struct table *table = frame_table(frame, "group");
	struct groups sum = { 0 };

	for (size_t i = 0; table && scope_is_of_groups(scope) && i < table->n_rows; i++) {
		const void *row = table_row(table, i);

		if (!scope_tops_group(scope, table_text(table, row, "path")))
			continue;
		sum.row = sum.n++ == 0 ? row : NULL;
		sum.cpu += table_number(table, row, "cpu_ratio");
		sum.memory += table_number(table, row, "memory_bytes");
		sum.anonymous += table_number(table, row, "anonymous_bytes");
		sum.file += table_number(table, row, "file_bytes");
		sum.kernel += table_number(table, row, "kernel_bytes");
		sum.swapped += table_number(table, row, "swap_bytes");
		sum.read += table_number(table, row, "read_bytes_per_second");
		sum.written += table_number(table, row, "write_bytes_per_second");
	}
	if (sum.n == 0)
		sum.cpu = sum.memory = sum.read = sum.written = NAN;
	return sum;
}

static uint64_t bytes_of(double bytes)
{
	return bytes >= 0 ? (uint64_t)bytes : U64_UNKNOWN;
}

static double first_known(double one, double other)
{
	return isnan(one) ? other : one;
}

static void set_account(struct scope_row *row, const struct groups *groups, const struct frame *frame)
{
	const struct table *table = frame_table(frame, "group");

	row->basis = SCOPE_OF_GROUP;
	row->memory_bytes = bytes_of(groups->memory);
	row->anonymous_bytes = bytes_of(groups->anonymous);
	row->file_bytes = bytes_of(groups->file);
	row->kernel_bytes = bytes_of(groups->kernel);
	row->other_bytes = groups->memory - first_known(groups->anonymous, 0) - first_known(groups->file, 0) -
			   first_known(groups->kernel, 0); /* with what the kernel does not count apart */
	row->swapped_bytes = bytes_of(groups->swapped);
	if (!groups->row)
		return;
	row->group = table_text(table, groups->row, "path");
	row->limit_bytes = row_u64(groups->row, schema_known_column(table->schema, "memory_limit_bytes"));
	row->limit_used_ratio = table_number(table, groups->row, "memory_limit_used_ratio");
	row->refaults_per_second = table_number(table, groups->row, "refaults_per_second");
	row->stalled_ratio = table_number(table, groups->row, "memory_pressure_ratio");
}

static void set_sum(struct scope_row *row, const struct members *members)
{
	row->basis = SCOPE_OF_PROCESSES;
	row->memory_bytes = bytes_of(members->resident);
	row->anonymous_bytes = bytes_of(members->resident - members->shared);
	row->file_bytes = bytes_of(members->shared);
	row->kernel_bytes = row->limit_bytes = U64_BLANK;
	row->swapped_bytes = bytes_of(members->swapped);
}

/* Of exited processes, too, if the account was made for this scope. */
static double accounted_cpu(const struct frame *frame)
{
	const struct table *account = frame_table(frame, "account");
	const void *outside = account ? table_find(account, OUTSIDE_SCOPE, NULL) : NULL;

	return outside ? table_number(account, table_find(account, "tasks", NULL), "cpu_ratio") +
				 table_number(account, table_find(account, "exited", NULL), "cpu_ratio")
		       : NAN;
}

void scope_use_derive(const struct scope *scope, struct frame *frame)
{
	struct table *table = frame_slot(frame, scope_use_schema.name);
	struct members members;
	struct groups groups;
	struct scope_row *row;
	char name[TEXT_MAX];

	if (!table)
		return;
	table->n_rows = 0;
	if (!scope_is_set(scope) || (!frame_table(frame, "process") && !frame_table(frame, "group")))
		return;
	table->present = true;
	members = sum_members(scope, frame);
	groups = sum_groups(scope, frame);
	row = table_add(table);
	scope_write(scope, name, sizeof(name));
	row->name = arena_copy(&frame->arena, name, strlen(name));
	if (frame_table(frame, "process"))
		row->processes = members.n;
	if (!isnan(groups.memory))
		set_account(row, &groups, frame);
	else
		set_sum(row, &members);
	if (isnan(groups.memory) && members.n_unknown > 0)
		frame_notice(frame, scope_use_schema.name, NULL,
			     P_("memory of %zu process in the scope is not known: the sum is without it",
				"memory of %zu processes in the scope is not known: the sum is without them",
				members.n_unknown),
			     members.n_unknown);
	row->proportional_bytes = bytes_of(members.proportional);
	row->cpu_ratio = first_known(accounted_cpu(frame), first_known(groups.cpu, members.cpu));
	row->read_bytes_per_second = first_known(groups.read, members.read);
	row->write_bytes_per_second = first_known(groups.written, members.written);
}

static unsigned long bit_of(const struct schema *schema, const char *key)
{
	const struct column *column = schema_find(schema, key);

	return column && column->on_request ? 1UL << column->on_request : 0;
}

void scope_use_want(const struct sample_request *request, const struct schema *const *schemas,
		    unsigned n_schemas, bool *wanted)
{
	const struct scope *scope = request->scope;
	bool any = scope_is_set(scope) && request->recorded;

	for (unsigned i = 0; scope_is_set(scope) && i < n_schemas; i++)
		any |= wanted[i] && schemas[i] == &scope_use_schema;
	if (!any)
		return;
	schema_want(schemas, n_schemas, "process", wanted);
	if (scope_is_of_groups(scope))
		schema_want(schemas, n_schemas, "group", wanted);
}

void scope_use_request(struct sample_request *request, const struct schema *const *schemas,
		       unsigned n_schemas, const bool *wanted)
{
	int index = schema_index(schemas, n_schemas, "process");
	const struct schema *processes = index < 0 ? NULL : schemas[index];
	bool any = false;

	for (unsigned i = 0; scope_is_set(request->scope) && i < n_schemas; i++)
		any |= wanted[i] && schemas[i] == &scope_use_schema;
	if (!any || !processes)
		return;
	sample_request_add(request, processes, bit_of(processes, "read_bytes"));
	if (sample_request_wants(request, &scope_use_schema, ON_REQUEST))
		sample_request_add(request, processes, bit_of(processes, "proportional_bytes"));
}
