/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Topics "trace" and "trace_bucket": what is counted at tracepoints that the user names; and "tracepoint":
 * what can be counted, and by which fields.
 */
#include <config.h>

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/i18n.h"
#include "core/vector.h"
#include "kernel/mounts.h"
#include "kernel/trace_format.h"
#include "sys/descriptor.h"
#include "sys/env.h"
#include "sys/privilege.h"
#include "topic/process/process_list.h"
#include "topic/reader.h"
#include "topic/topic.h"
#include "topic/trace/trace_scope.h"
#include "topic/tracepoint/tracepoint_plan.h"

#define REFUSED_BYTES (TEXT_MAX + TRACE_SPEC_TEXT_MAX)
#define ALL "all"
#define PATH_BYTES 4096

/* What one key counted, or one power of two of a histogram. */
struct counted {
	const char *keys; /* in texts */
	size_t keys_at;
	int64_t bits;
	uint64_t count, sum, most;
};

/* A specification, and what runs for it. */
struct trace {
	struct trace_spec spec;
	struct tracepoint_plan plan;
	struct trace_set set;
	struct wait_scope scope;
	char refused[REFUSED_BYTES]; /* why nothing is counted, translated; "": it is, or set.error says it */
	int groups;                  /* the directory of control groups; -1: not opened */
	struct counted *counted;     /* sorted */
	size_t n_counted, capacity;
	struct buffer texts;
};

/* Shared by the two topics. */
struct traces {
	struct process_list *processes;
	struct trace *list[TRACE_SPECS_MAX]; /* owned */
	unsigned n;
	unsigned specs_epoch, scope_epoch;
	bool of_scope;
	int error;        /* of tracefs, or of the rights to count; 0: there is none … */
	bool no_rights;   /* … without the latter the former do not matter */
	uint64_t mono_ns; /* of the last read */
};

static void close_trace(struct trace *trace)
{
	trace_close(&trace->set);
	descriptor_close(trace->groups);
	wait_scope_free(&trace->scope);
	free(trace->counted);
	buffer_free(&trace->texts);
	free(trace);
}

static void close_all(struct traces *traces)
{
	for (unsigned i = 0; i < traces->n; i++)
		close_trace(traces->list[i]);
	traces->n = 0;
}

static void close_traces(void *state)
{
	close_all(state);
}

/* The kernel has its own reasons; rights are the same for all, and the notice of the topic explains them. */
static void explain_set(struct traces *traces, struct trace *trace)
{
	int error = trace->set.error;

	if (error == -EPERM || error == -ENOSYS)
		traces->error = error;
	else if (error == -EXDEV)
		snprintf(trace->refused, sizeof(trace->refused), "%s",
			 _("the kernel's PIDs are others than those of this PID namespace"));
	else if (error && error != -ENOTSUP)
		snprintf(trace->refused, sizeof(trace->refused), _("the kernel runs no program at %s: %s"),
			 trace->plan.tracepoint, strerror(-error));
}

/* Where control groups are mounted; -1: nowhere, or no key is of them. */
static int open_groups(struct env *env)
{
	struct span text, directory;
	char path[PATH_BYTES];

	if (env_read(env, env_file(env, "proc/mounts"), &text) < 0 ||
	    !mounts_find(text, "cgroup2", &directory) || !span_char(&directory, '/'))
		return -1;
	snprintf(path, sizeof(path), "%.*s", (int)span_length(directory), directory.at);
	return root_open_at(&env->root, path, O_DIRECTORY | O_RDONLY);
}

static void open_trace(struct traces *traces, struct trace *trace, struct tracepoint_list *list,
		       const struct sample *sample)
{
	int error = tracepoint_plan_find(&trace->plan, list, &trace->spec, traces->of_scope, trace->refused,
					 sizeof(trace->refused));

	if (error && error != -EINVAL)
		traces->error = error;
	if (error)
		return;
	for (unsigned i = 0; i < trace->plan.n_keys && trace->groups < 0; i++)
		if (trace->plan.keys[i] == TRACEPOINT_KEY_GROUP)
			trace->groups = open_groups(sample->env);
	trace_open(&trace->set, sample->env, sample->request, &trace->plan.plan);
	explain_set(traces, trace);
}

/* The one of before that counts the same; it is no longer in that list. NULL: there is none. */
static struct trace *keep_trace(struct trace *before[TRACE_SPECS_MAX], const struct trace_spec *spec)
{
	for (unsigned i = 0; i < TRACE_SPECS_MAX; i++) {
		struct trace *trace = before[i];

		if (trace && memcmp(&trace->spec, spec, sizeof(*spec)) == 0) {
			before[i] = NULL;
			return trace;
		}
	}
	return NULL;
}

static void open_new(struct traces *traces, struct trace *before[TRACE_SPECS_MAX],
		     const struct sample *sample)
{
	const struct trace_specs *specs = sample->request->traces;
	struct tracepoint_list list;

	traces->error = tracepoint_list_open(&list, sample->env);
	traces->no_rights = traces->error && trace_test(sample->env) == -EPERM;
	for (unsigned i = 0; i < specs->n && !traces->error; i++) {
		struct trace *trace = keep_trace(before, &specs->list[i]);

		if (!trace) {
			trace = alloc_zeroed(1, sizeof(*trace));
			trace->spec = specs->list[i];
			trace->groups = -1;
			open_trace(traces, trace, &list, sample);
		}
		traces->list[traces->n++] = trace;
	}
	tracepoint_list_close(&list);
}

/* With another scope all of them begin again. */
static void follow_request(struct traces *traces, const struct sample *sample)
{
	const struct trace_specs *specs = sample->request->traces;
	bool of_scope = scope_is_set(sample->request->scope);
	unsigned scope_epoch = of_scope ? sample->request->scope->epoch : 0;
	bool same_scope = traces->scope_epoch == scope_epoch && traces->of_scope == of_scope;
	struct trace *before[TRACE_SPECS_MAX] = { NULL };

	if (!specs || (traces->specs_epoch == specs->epoch && same_scope))
		return;
	if (!same_scope)
		close_all(traces);
	memcpy(before, traces->list, traces->n * sizeof(before[0]));
	traces->n = 0;
	traces->error = 0;
	traces->no_rights = false;
	traces->specs_epoch = specs->epoch;
	traces->scope_epoch = scope_epoch;
	traces->of_scope = of_scope;
	if (specs->n > 0 && sample->env->live && !sample->request->no_bpf)
		open_new(traces, before, sample);
	for (unsigned i = 0; i < TRACE_SPECS_MAX; i++)
		if (before[i])
			close_trace(before[i]);
}

static void write_group(struct buffer *out, int groups, uint64_t number)
{
	char path[PATH_BYTES];

	if (groups >= 0 && cgroup_path_by_number(groups, number, path, sizeof(path)))
		buffer_text(out, path);
	else
		buffer_print(out, "%llu", (unsigned long long)number);
}

static void write_number(struct buffer *out, enum tracepoint_key_is is, const struct bpf_part *part,
			 uint64_t number)
{
	if (is == TRACEPOINT_KEY_DEVICE)
		buffer_print(out, "%llu:%llu", (unsigned long long)(number >> TRACE_DEVICE_MINOR_BITS),
			     (unsigned long long)(number & ((1U << TRACE_DEVICE_MINOR_BITS) - 1)));
	else if (is == TRACEPOINT_KEY_POINTER)
		buffer_print(out, "0x%llx", (unsigned long long)number);
	else if (part->spot.is_signed)
		buffer_print(out, "%lld", (long long)number);
	else
		buffer_print(out, "%llu", (unsigned long long)number);
}

static void write_text(struct buffer *out, const struct bpf_part *part, const uint64_t *words)
{
	bool is_cut;
	size_t length = bpf_text(part, words, &is_cut);

	buffer_add(out, (const char *)words, length);
	if (is_cut)
		buffer_text(out, "…");
}

/* Its values, joined. */
static void write_keys(struct trace *trace, const uint64_t *words)
{
	const struct tracepoint_plan *plan = &trace->plan;
	struct buffer *out = &trace->texts;
	const struct bpf_program *program = &plan->programs[0];

	if (plan->n_keys == 0)
		buffer_text(out, ALL);
	for (unsigned i = 0; i < plan->n_keys; i++) {
		const struct bpf_part *part = &program->keys[i];

		if (i > 0)
			buffer_char(out, ',');
		if (part->words > 0)
			write_text(out, part, words);
		else if (plan->keys[i] == TRACEPOINT_KEY_GROUP)
			write_group(out, trace->groups, *words);
		else
			write_number(out, plan->keys[i], part, *words);
		words += part->words > 0 ? part->words : 1;
	}
	buffer_char(out, '\0');
}

static int by_keys(const void *a, const void *b)
{
	const struct counted *one = a, *other = b;
	int order = strcmp(one->keys, other->keys);

	return order ? order : (one->bits > other->bits) - (one->bits < other->bits);
}

static void add_counted(struct trace *trace, const uint64_t *words, const struct bpf_entry *entry)
{
	struct counted *counted = VECTOR_ADD(trace->counted, trace->n_counted, trace->capacity);
	const struct tracepoint_plan *plan = &trace->plan;

	*counted = (struct counted){ .keys_at = trace->texts.length,
				     .count = entry->count,
				     .sum = entry->sum,
				     .most = bpf_table_most(&plan->table.most, entry->most) };
	if (plan->has_bits)
		counted->bits = (int64_t)words[plan->plan.n_words - 1];
	write_keys(trace, words);
}

static void read_trace(struct trace *trace)
{
	static const struct bpf_entry none = { .most = UINT64_C(1) << 63 };

	trace->n_counted = 0;
	buffer_empty(&trace->texts);
	if (trace->refused[0] || !trace_read(&trace->set))
		return;
	for (size_t i = 0; i < trace->set.n_entries; i++)
		add_counted(trace, trace_key(&trace->set, i), &trace->set.values[i]);
	if (trace->n_counted == 0 && trace->plan.n_keys == 0 && !trace->plan.has_bits)
		add_counted(trace, (const uint64_t[]){ 0 }, &none);
	for (size_t i = 0; i < trace->n_counted; i++)
		trace->counted[i].keys = trace->texts.bytes + trace->counted[i].keys_at;
	if (trace->n_counted > 0)
		qsort(trace->counted, trace->n_counted, sizeof(*trace->counted), by_keys);
}

static int update(void *state, const struct sample *sample)
{
	struct traces *traces = state;
	int error = 0;

	follow_request(traces, sample);
	if (traces->of_scope && traces->n > 0)
		error = reader_update(&process_reader, sample);
	if (error)
		return error;
	traces->mono_ns = env_mono_ns(sample->env);
	for (unsigned i = 0; i < traces->n; i++) {
		struct trace *trace = traces->list[i];

		if (traces->of_scope && !trace->refused[0] && !trace->set.error && trace->set.plan)
			wait_scope_update(&trace->scope, &trace->set, traces->processes);
		read_trace(trace);
	}
	return 0;
}

static const struct reader traces_reader = {
	.name = "tracepoints of --trace",
	.state_size = sizeof(struct traces),
	.reads = READINGS(READING_ON_DEMAND(struct traces, processes, &process_reader)),
	.update = update,
	.close = close_traces,
};

struct trace_row {
	const char *trace, *keys;
	uint64_t count;
	double per_second, sum, sum_per_second, max;
};

#define ROW(field, ...) COLUMN(struct trace_row, field, __VA_ARGS__)

#define TRACE_HELP N_("what is counted, as --trace has it")
#define KEYS_HELP                                                                                            \
	N_("values of its keys, with commas between them; dots end longer texts; all: it has no keys")
#define KEYS_SOURCE "record of the tracepoint, or the current task"

static const struct column columns[] = {
	ROW(trace, A_KEY(N_("trace"), 24), .rank = 2, .help = TRACE_HELP, .source = "panetop"),
	ROW(keys, A_KEY(N_("keys"), 20), .fleeting = true, .grouping = "keys", .help = KEYS_HELP,
	    .source = KEYS_SOURCE),
	ROW(per_second, A_RATE(PER_SECOND, N_("per s"), 8), .additive = true,
	    .rate_of = offsetof(struct trace_row, count), .help = N_("events in the last interval"),
	    .source = "growth of count / time"),
	ROW(count, A_COUNTER(COUNT, N_("count"), 9), .rank = 1,
	    .help = N_("events since panetop began to count"), .source = "BPF at the tracepoint"),
	ROW(sum_per_second, A_RATE(PER_SECOND, N_("sum/s"), 9), .additive = true, .optional = true,
	    .rate_of = offsetof(struct trace_row, sum),
	    .help = N_("growth of the sum in the last interval, in the unit of its field"),
	    .source = "growth of sum / time"),
	ROW(sum, A_COUNTER(COUNT, N_("sum"), 10), .rank = 1, .optional = true,
	    .help = N_("sum of the field of sum(), in its unit"), .source = "BPF at the tracepoint"),
	ROW(max, A_GAUGE(COUNT, N_("max"), 9), .rank = 3, .optional = true,
	    .help = N_("largest value of the field of max(), in its unit"),
	    .source = "BPF at the tracepoint"),
};

static const struct schema schema = {
	.name = "trace",
	.help = N_(
		"events of tracepoints that --trace names, by its keys; of a scope those during which one of "
		"its processes runs"),
	.none = N_("no event was counted; F9 chooses a tracepoint, as does --trace"),
	.from_zero = true, .of_run = true,
	SCHEMA_ROWS(struct trace_row, columns),
};

static const struct source_spec sources[] = {
	{ .path = TRACE_SOURCE,
	  .gives = N_("events of any tracepoint, counted in the kernel"),
	  .test = trace_test,
	  .remedies = { TRACE_REMEDIES, TRACE_REMEDY_PIDS } },
	{ .path = TRACEPOINT_SOURCE,
	  .gives = N_("names and fields of tracepoints"),
	  .test = tracepoint_list_test,
	  .remedies = { TRACEPOINT_REMEDIES } },
	{ 0 },
};

static void note_lost(struct sample *sample, struct trace *trace)
{
	uint64_t lost = trace->set.n_running > 0 ? trace_self(&trace->set, 0).lost : 0;

	if (lost > 0 && lost != U64_UNKNOWN)
		frame_notice(sample->frame, "trace", _("use fewer keys, or a condition"),
			     P_("'%s': %llu event is not in the table, which has room for %u",
				"'%s': %llu events are not in the table, which has room for %u", lost),
			     trace->spec.text, (unsigned long long)lost, TRACEPOINT_ROWS_MAX);
}

/* Different words may give the same text; those of a histogram do. */
static void add_rows(struct sample *sample, const struct trace *trace, const char *name)
{
	const struct tracepoint_plan *plan = &trace->plan;
	bool is_signed = plan->programs[0].value.spot.is_signed,
	     most_is_signed = plan->table.most.spot.is_signed;

	for (size_t i = 0; i < trace->n_counted;) {
		const struct counted *first = &trace->counted[i], *one = first;
		struct trace_row *row = table_add(sample->table);
		uint64_t sum = 0, most = first->most;

		row->trace = name;
		row->keys = sample_text(sample, first->keys);
		row->count = 0;
		for (; i < trace->n_counted && strcmp(one->keys, first->keys) == 0;
		     one = &trace->counted[++i]) {
			bool is_larger =
				most_is_signed ? (int64_t)one->most > (int64_t)most : one->most > most;

			row->count += one->count;
			sum += one->sum;
			most = is_larger ? one->most : most;
		}
		if (plan->has_sum)
			row->sum = is_signed ? (double)(int64_t)sum : (double)sum;
		if (plan->has_most && row->count > 0)
			row->max = most_is_signed ? (double)(int64_t)most : (double)most;
	}
}

/* None of the two topics has rows. */
static int error_of(const struct sample *sample, const struct traces *traces)
{
	if (traces->no_rights)
		return -EPERM;
	if (traces->error && traces->n == 0)
		env_note_failure(sample->env, TRACEPOINT_SOURCE, traces->error);
	return traces->error;
}

static int sample_traces(struct sample *sample)
{
	struct traces *traces = sample->state;
	int error = error_of(sample, traces);

	if (error)
		return error;
	sample->table->mono_ns = traces->mono_ns;
	for (unsigned i = 0; i < traces->n; i++) {
		struct trace *trace = traces->list[i];

		if (trace->refused[0])
			frame_notice(sample->frame, "trace", NULL, "'%s': %s", trace->spec.text,
				     trace->refused);
		add_rows(sample, trace, sample_text(sample, trace->spec.text));
		note_lost(sample, trace);
	}
	return 0;
}

const struct topic topic_trace = {
	.schema = &schema, .sources = sources,
	.uses = PRIVILEGE_BIT(PRIVILEGE_BPF) | PRIVILEGE_BIT(PRIVILEGE_TRACING),
	.reads = READING_ONE(&traces_reader), .sample = sample_traces
};

struct bucket_row {
	const char *trace, *keys;
	double from, to;
	uint64_t count;
	double per_second;
};

#define BUCKET(field, ...) COLUMN(struct bucket_row, field, __VA_ARGS__)

static const struct column bucket_columns[] = {
	BUCKET(trace, A_KEY(N_("trace"), 24), .rank = 2, .help = TRACE_HELP, .source = "panetop"),
	BUCKET(keys, A_KEY(N_("keys"), 20), .help = KEYS_HELP, .source = KEYS_SOURCE),
	BUCKET(from, A_KEY(N_("from"), 9), .unit = UNIT_COUNT,
	       .help = N_("lower limit of the bucket, in the unit of the field of hist()"),
	       .source = "panetop; a power of two"),
	BUCKET(to, A_NUMBER(BOUND, COUNT, N_("to"), 9), .help = N_("upper limit, exclusive"),
	       .source = "panetop; twice the lower limit"),
	BUCKET(count, A_COUNTER(COUNT, N_("count"), 9), .help = N_("events with such a value"),
	       .source = "BPF at the tracepoint"),
	BUCKET(per_second, A_RATE(PER_SECOND, N_("per s"), 7), .rate_of = offsetof(struct bucket_row, count),
	       .help = N_("events with such a value in the last interval"),
	       .source = "growth of count / time"),
};

static const struct schema bucket_schema = {
	.name = "trace_bucket",
	.help = N_("histograms of fields of tracepoints, of each --trace with hist"),
	.none = N_("no event was counted; a histogram is named by hist(FIELD)"),
	.shape = SHAPE_HISTOGRAM, .from_zero = true, .of_run = true, .sparse = true,
	.histogram = "trace_value",
	SCHEMA_ROWS(struct bucket_row, bucket_columns),
};

/* Of this number of bits: 1 is the number 1, 2 are 2 and 3, below 0 the same of negative ones. */
static void set_limits(struct bucket_row *row, int64_t bits)
{
	double low = bits == 0 ? 0 : ldexp(1, (int)llabs(bits) - 1), high = bits == 0 ? 1 : 2 * low;

	row->from = bits < 0 ? 1 - high : low;
	row->to = bits < 0 ? 1 - low : high;
}

static void add_buckets(struct sample *sample, const struct trace *trace, const char *name)
{
	const char *keys = NULL;
	struct bucket_row *row = NULL;

	for (size_t i = 0; i < trace->n_counted; i++) {
		const struct counted *one = &trace->counted[i];
		bool is_new = !keys || strcmp(keys, one->keys) != 0;

		if (is_new)
			keys = sample_text(sample, one->keys);
		if (is_new || one->bits != trace->counted[i - 1].bits) {
			row = table_add(sample->table);
			row->trace = name;
			row->keys = keys;
			row->count = 0;
			set_limits(row, one->bits);
		}
		row->count += one->count;
	}
}

static int sample_buckets(struct sample *sample)
{
	struct traces *traces = sample->state;
	int error = error_of(sample, traces);

	if (error)
		return error;
	sample->table->mono_ns = traces->mono_ns;
	for (unsigned i = 0; i < traces->n; i++)
		if (traces->list[i]->plan.has_bits)
			add_buckets(sample, traces->list[i], sample_text(sample, traces->list[i]->spec.text));
	return 0;
}

const struct topic topic_trace_bucket = {
	.schema = &bucket_schema, .sources = sources,
	.uses = PRIVILEGE_BIT(PRIVILEGE_BPF) | PRIVILEGE_BIT(PRIVILEGE_TRACING),
	.reads = READING_ONE(&traces_reader), .sample = sample_buckets
};

struct tracepoint_row {
	const char *tracepoint, *numbers, *texts, *others;
};

#define POINT(field, ...) COLUMN(struct tracepoint_row, field, __VA_ARGS__)
#define FORMAT_SOURCE "tracefs events/GROUP/EVENT/format"

static const struct column point_columns[] = {
	POINT(tracepoint, A_KEY(N_("tracepoint"), 36), .fleeting = true,
	    .help = N_("group and name, as --trace takes them"), .source = "tracefs available_events"),
	POINT(numbers, A_LABEL(N_("numbers"), 20),
	    .help = N_("fields with numbers: for keys, conditions, sum(), max() and hist()"),
	    .source = FORMAT_SOURCE),
	POINT(texts, A_LABEL(N_("texts"), 12), .rank = 1,
	    .help = N_("fields with texts: for keys, and conditions with == and !="),
	    .source = FORMAT_SOURCE),
	POINT(others, A_LABEL(N_("others"), 8), .hidden = true,
	    .help = N_("fields that cannot be used: arrays and structures"), .source = FORMAT_SOURCE),
};

static const struct schema point_schema = {
	.name = "tracepoint",
	.is_public = true,
	.help = N_("tracepoints of this kernel, and their fields"),
	.none = N_("this kernel has no tracepoints"),
	SCHEMA_ROWS(struct tracepoint_row, point_columns),
};

static const struct source_spec point_sources[] = {
	{ .path = TRACEPOINT_SOURCE,
	  .gives = N_("names and fields of tracepoints"),
	  .test = tracepoint_list_test,
	  .remedies = { TRACEPOINT_REMEDIES } },
	{ 0 },
};

/* Offsets in texts. */
struct tracepoint {
	size_t name, parts[N_TRACEPOINT_PARTS];
};

struct state {
	struct tracepoint *all;
	size_t n, capacity;
	struct buffer texts;
};

static size_t add_text(struct state *state, struct span text)
{
	size_t at = state->texts.length;

	buffer_add(&state->texts, text.at, span_length(text));
	buffer_char(&state->texts, '\0');
	return at;
}

/* A tracepoint that is gone has no fields. */
static void read_tracepoint(struct state *state, struct tracepoint_list *list, struct span name)
{
	struct tracepoint *tracepoint = VECTOR_ADD(state->all, state->n, state->capacity);
	struct span event = name, group, format = { 0 };

	if (span_until(&event, ':', &group))
		tracepoint_list_format(list, group, event, &format);
	tracepoint->name = add_text(state, name);
	for (enum tracepoint_part part = 0; part < N_TRACEPOINT_PARTS; part++) {
		tracepoint->parts[part] = state->texts.length;
		tracepoint_fields(format, part, &state->texts);
	}
}

/* All of them at once, 25 ms for 2,300: it is done when a user wants to see them. */
static int open_tracepoints(struct sample *sample)
{
	struct state *state = sample->state;
	struct tracepoint_list list;
	struct span names, line;
	int error = tracepoint_list_open(&list, sample->env);

	if (!error)
		error = tracepoint_list_names(&list, &names);
	while (!error && span_line(&names, &line))
		read_tracepoint(state, &list, line);
	tracepoint_list_close(&list);
	if (error)
		env_note_failure(sample->env, TRACEPOINT_SOURCE, error);
	return error;
}

static void close_tracepoints(struct sample *sample)
{
	struct state *state = sample->state;

	free(state->all);
	buffer_free(&state->texts);
}

static const char *text_of(struct sample *sample, size_t at)
{
	const struct state *state = sample->state;

	return sample_text(sample, state->texts.bytes + at);
}

static int sample_tracepoints(struct sample *sample)
{
	struct state *state = sample->state;

	for (size_t i = 0; i < state->n; i++) {
		const struct tracepoint *tracepoint = &state->all[i];
		struct tracepoint_row *row = table_add(sample->table);

		row->tracepoint = text_of(sample, tracepoint->name);
		row->numbers = text_of(sample, tracepoint->parts[TRACEPOINT_NUMBERS]);
		row->texts = text_of(sample, tracepoint->parts[TRACEPOINT_TEXTS]);
		row->others = text_of(sample, tracepoint->parts[TRACEPOINT_OTHERS]);
	}
	return 0;
}

const struct topic topic_tracepoint = {
	.schema = &point_schema, .sources = point_sources, .uses = PRIVILEGE_BIT(PRIVILEGE_TRACING),
	.state_size = sizeof(struct state), .open = open_tracepoints, .sample = sample_tracepoints,
	.close = close_tracepoints
};
