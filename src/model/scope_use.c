/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A control group has an account of its own that adds up, with its page cache and what the kernel keeps for
 * it. Of a user, a tree or a list of processes there is none: their sum counts a shared page once for each
 * process, and neither page cache nor the kernel's memory.
 */
#include <config.h>

#include "model/scope_use.h"

#include <math.h>
#include <string.h>

#include "core/i18n.h"

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

#define GAUGE(field, measure, ...)                                                                           \
	COLUMN(struct scope_row, field, .kind = COLUMN_GAUGE, .unit = measure, __VA_ARGS__)
#define LABEL(field, ...) COLUMN(struct scope_row, field, .kind = COLUMN_LABEL, __VA_ARGS__)

static const struct column columns[] = {
	COLUMN(struct scope_row, name, .kind = COLUMN_KEY, .title = N_("scope"), .width = 20,
	       .help = N_("the scope of --in and @"), .source = "--in"),
	LABEL(basis, .title = N_("account of"), .width = 13, .words = true, .rank = 2,
	      .help = N_(
		      "what its memory is counted by: the control group's own account, which adds up; or the "
		      "sum of its processes, in which a page counts once for each that maps it"),
	      .source = "the kind of the scope"),
	GAUGE(processes, UNIT_COUNT, .title = N_("procs"), .width = 5, .rank = 3,
	      .help = N_("processes in the scope"), .source = "rows of process"),
	GAUGE(cpu_ratio, UNIT_RATIO, .title = N_("%CPU"), .width = 6, .rank = 1, .of_cpu = true,
	      .help = N_("CPU time, short-lived processes included; 100 is one CPU"),
	      .source = "account tasks + exited; without exit records cpu_ratio of group or process"),
	GAUGE(memory_bytes, UNIT_BYTES, .title = N_("memory"), .width = 8,
	      .help = N_("of a control group: all that is charged to it, page cache included; of processes: "
			 "resident memory, where a shared page counts once for each process"),
	      .source = "group memory_bytes; process resident_bytes"),
	GAUGE(anonymous_bytes, UNIT_BYTES, .title = N_("anon"), .width = 8, .rank = 1,
	      .help = N_("heaps, stacks and private data"),
	      .source = "group anonymous_bytes; process resident_bytes - shared_bytes"),
	GAUGE(file_bytes, UNIT_BYTES, .title = N_("file"), .width = 8, .rank = 1,
	      .help = N_("of a control group: page cache, tmpfs and shared memory; of processes: the mapped "
			 "part of that"),
	      .source = "group file_bytes; process shared_bytes"),
	GAUGE(kernel_bytes, UNIT_BYTES, .title = N_("kernel"), .width = 8, .rank = 2,
	      .help = N_("slab, stacks, page tables; blank: no process has a part of it"),
	      .source = "group kernel_bytes"),
	GAUGE(other_bytes, UNIT_BYTES, .title = N_("other"), .width = 8, .rank = 2,
	      .help = N_(
		      "the rest of memory, such as socket buffers; below 0 where the kernel counts the parts "
		      "and the whole at different times"),
	      .source = "memory_bytes - anonymous_bytes - file_bytes - kernel_bytes"),
	GAUGE(swapped_bytes, UNIT_BYTES, .title = N_("swap"), .width = 8, .rank = 2,
	      .help = N_("swapped out; not part of memory; of processes known where it is known of each"),
	      .source = "group swap_bytes; process swapped_bytes"),
	GAUGE(proportional_bytes, UNIT_BYTES, .title = N_("PSS"), .width = 8, .rank = 3, .hidden = true,
	      .on_request = ON_REQUEST, .slow = true,
	      .help = N_(
		      "sum over its processes, each shared page divided by the processes that map it; slow "
		      "to read, and known where it is known of each"),
	      .source = "process proportional_bytes"),
	GAUGE(limit_bytes, UNIT_BYTES, .title = N_("limit"), .width = 8, .rank = 3,
	      .help = N_("memory limit of its control group; blank: none"),
	      .source = "group memory_limit_bytes"),
	GAUGE(limit_used_ratio, UNIT_RATIO, .title = N_("%used"), .width = 6, .rank = 3, .hidden = true,
	      .help = N_("share of the limit that is used, without page cache that can be dropped"),
	      .source = "group memory_limit_used_ratio"),
	GAUGE(refaults_per_second, UNIT_PER_SECOND, .title = N_("refault/s"), .width = 9, .rank = 4,
	      .hidden = true,
	      .help = N_("pages of its control group that were reclaimed and are needed again"),
	      .source = "group refaults_per_second"),
	GAUGE(stalled_ratio, UNIT_RATIO, .title = N_("%PSI mem"), .width = 8, .rank = 4, .hidden = true,
	      .help = N_("share of the interval in which some task of its control group waited for memory "
			 "(version 2)"),
	      .source = "group memory_pressure_ratio"),
	GAUGE(read_bytes_per_second, UNIT_BYTES_PER_SECOND, .title = N_("read/s"), .width = 8, .rank = 4,
	      .help = N_("read from disks"),
	      .source = "group, else the sum of process, read_bytes_per_second"),
	GAUGE(write_bytes_per_second, UNIT_BYTES_PER_SECOND, .title = N_("write/s"), .width = 8, .rank = 4,
	      .help = N_("written to disks"),
	      .source = "group, else the sum of process, write_bytes_per_second"),
	LABEL(group, .title = N_("group"), .width = 24, .hidden = true, .optional = true,
	      .help = N_("path of its control group, if that is one"), .source = "group path"),
};

const struct schema scope_use_schema = {
	.name = "scope_use",
	.is_public = true,
	.help = N_("what the scope of --in and @ uses: by its control group, or summed over its processes"),
	.none = N_("there is no scope: all panes show the machine (--in, key @)"),
	.over_interval = true,
	.derived = true,
	.row_size = sizeof(struct scope_row),
	SCHEMA_COLUMNS(columns),
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

static bool is_member(const struct scope *scope, const struct table *processes, const void *row)
{
	return scope_has(scope, table_u64(processes, row, "pid"),
			 table_number(processes, row, "start_seconds"));
}

/* Kernel threads have no pages of their own. */
static double proportional_of(const struct table *processes, const void *row)
{
	double resident = table_number(processes, row, "resident_bytes");

	return resident == 0 ? 0 : table_number(processes, row, "proportional_bytes");
}

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
	sum->proportional += proportional_of(processes, row);
	add_rate(&sum->cpu, processes, row, "cpu_ratio");
	add_rate(&sum->read, processes, row, "read_bytes_per_second");
	add_rate(&sum->written, processes, row, "write_bytes_per_second");
}

static struct members sum_members(const struct scope *scope, const struct frame *frame)
{
	const struct table *processes = frame_table(frame, "process");
	struct members sum = { .cpu = NAN, .read = NAN, .written = NAN };

	for (size_t i = 0; processes && i < processes->n_rows; i++)
		if (is_member(scope, processes, table_row(processes, i)))
			add_member(&sum, processes, table_row(processes, i));
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

/* What the kernel does not count apart is in the rest. */
static double known(double bytes)
{
	return isnan(bytes) ? 0 : bytes;
}

static void set_account(struct scope_row *row, const struct groups *groups, const struct frame *frame)
{
	const struct table *table = frame_table(frame, "group");

	row->basis = SCOPE_OF_GROUP;
	row->memory_bytes = bytes_of(groups->memory);
	row->anonymous_bytes = bytes_of(groups->anonymous);
	row->file_bytes = bytes_of(groups->file);
	row->kernel_bytes = bytes_of(groups->kernel);
	row->other_bytes =
		groups->memory - known(groups->anonymous) - known(groups->file) - known(groups->kernel);
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

static double first_known(double one, double other)
{
	return isnan(one) ? other : one;
}

static void notice_unknown(struct frame *frame, size_t n)
{
	frame_notice(frame, scope_use_schema.name, NULL,
		     P_("memory of %zu process in the scope is not known: the sum is without it",
			"memory of %zu processes in the scope is not known: the sum is without them", n),
		     n);
}

static void set_memory(struct scope_row *row, struct frame *frame, const struct members *members,
		       const struct groups *groups)
{
	if (!isnan(groups->memory)) {
		set_account(row, groups, frame);
		return;
	}
	set_sum(row, members);
	if (members->n_unknown > 0)
		notice_unknown(frame, members->n_unknown);
}

static void add_row(const struct scope *scope, struct frame *frame, struct table *table)
{
	struct members members = sum_members(scope, frame);
	struct groups groups = sum_groups(scope, frame);
	struct scope_row *row = table_add(table);
	char name[TEXT_MAX];

	scope_write(scope, name, sizeof(name));
	row->name = arena_copy(&frame->arena, name, strlen(name));
	if (frame_table(frame, "process"))
		row->processes = members.n;
	set_memory(row, frame, &members, &groups);
	row->proportional_bytes = bytes_of(members.proportional);
	row->cpu_ratio = first_known(accounted_cpu(frame), first_known(groups.cpu, members.cpu));
	row->read_bytes_per_second = first_known(groups.read, members.read);
	row->write_bytes_per_second = first_known(groups.written, members.written);
}

void scope_use_derive(const struct scope *scope, struct frame *frame)
{
	struct table *table = frame_slot(frame, scope_use_schema.name);

	if (!table)
		return;
	table->n_rows = 0;
	if (!scope_is_set(scope) || (!frame_table(frame, "process") && !frame_table(frame, "group")))
		return;
	table->present = true;
	add_row(scope, frame, table);
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
