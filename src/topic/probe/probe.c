/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Topic "probe": how often processes call functions of programs and libraries, and how long the calls take.
 * The calls are counted in the kernel, and numbers go on from where they were when a probe is taken off.
 */
#include <config.h>

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/alloc.h"
#include "core/histogram.h"
#include "core/i18n.h"
#include "core/vector.h"
#include "topic/probe/prober.h"
#include "topic/process/process_list.h"
#include "topic/topic.h"

#define SOURCE "uprobes"

struct probe_row {
	const char *probe;
	uint64_t pid;
	uint64_t hits, returns;
	double hits_per_second, p50_seconds, p99_seconds, max_seconds;
	double cost_seconds, cost_ratio, spent_seconds, expected_per_second;
	const char *way, *state, *command;
};

#define ROW(field, ...) COLUMN(struct probe_row, field, __VA_ARGS__)

static const struct column columns[] = {
	ROW(probe, A_KEY(N_("probe"), 24), .help = N_("file and function, as requested"),
	    .source = "panetop --probe-call"),
	ROW(pid, A_KEY(N_("PID"), 7), .fleeting = true, .help = N_("process that calls it; 0: none so far"),
	    .source = "/proc"),
	ROW(hits_per_second, A_RATE(PER_SECOND, N_("hits/s"), 8), .rate_of = offsetof(struct probe_row, hits),
	    .trend = true, .additive = true, .help = N_("calls, in the last interval"),
	    .source = "growth of hits / time"),
	ROW(hits, A_COUNTER(COUNT, N_("hits"), 9), .help = N_("calls, since the probe was attached"),
	    .source = "BPF at a uprobe"),
	ROW(returns, A_COUNTER(COUNT, N_("returns"), 9), .rank = 1,
	    .help = N_("calls that returned; nothing for probes of the program's authors (USDT)"),
	    .source = "BPF at a uretprobe"),
	ROW(p50_seconds, A_GAUGE(SECONDS, N_("50%"), 8), .rank = 1, .optional = true,
	    .help = N_("half of the calls took no longer, what they called included; since the probe was "
		       "attached"),
	    .source = "bpf_ktime_get_ns() at the uprobe and the uretprobe"),
	ROW(p99_seconds, .kind = COLUMN_GAUGE, .unit = UNIT_SECONDS, .title = N_("99%"),
	       .width = 8, .rank = 2, .optional = true,
	       /* xgettext:no-c-format */
	       .help = N_("99 % of the calls took no longer, since the probe was attached"),
	       .source = "bpf_ktime_get_ns() at the uprobe and the uretprobe"),
	ROW(max_seconds, A_GAUGE(SECONDS, N_("longest"), 8), .rank = 2, .optional = true,
	    .help = N_("the longest call since the probe was attached"),
	    .source = "bpf_ktime_get_ns() at the uprobe and the uretprobe"),
	ROW(cost_seconds, A_GAUGE(SECONDS, N_("cost"), 8), .rank = 2,
	    .help = N_("what a call costs the process because it is counted, with the return"),
	    .source = "measured with a function of panetop before the probe was attached"),
	ROW(cost_ratio, A_RATE(RATIO, N_("%cost"), 7), .rank = 1, .of_cpu = true, .additive = true,
	    .rate_of = offsetof(struct probe_row, spent_seconds),
	    .help = N_("CPU time that counting costs the process; 1 is one CPU"),
	    .source = "growth of spent_seconds / time"),
	ROW(spent_seconds, A_COUNTER(SECONDS, N_("spent"), 8), .hidden = true,
	    .help = N_("CPU time that counting has cost the process, estimated"),
	    .source = "hits x cost_seconds"),
	ROW(expected_per_second, A_GAUGE(PER_SECOND, N_("expected"), 8), .hidden = true,
	    .help = N_("calls of all processes in the last look, of 0.1 s or more, by which it is decided "
		       "whether they cost too much"),
	    .source = "growth of the hits of all processes / time"),
	ROW(way, A_LABEL(N_("by"), 4), .words = true, .rank = 2,
	    .help = N_("trap: the call meets a breakpoint; nop: it begins with a nop of 5 bytes, which newer "
		       "kernels replace by a call"),
	    .source = "the first bytes of the function"),
	ROW(state, A_LABEL(N_("state"), 14), .words = true,
	    .help = N_("counting; waiting: the process has not mapped the file yet; gone: it has no longer; "
		       "ended: it has exited; costly: taken off, as it costs more than --probe-cost; "
		       "refused, failed: see the notice"),
	    .source = "panetop"),
	ROW(command, A_LABEL(N_("command"), 16), .grouping = "command", .help = N_("name of the process"),
	    .source = "/proc/PID/comm"),
};

static const struct schema schema = {
	.name = "probe",
	.help = N_("calls of functions of programs and libraries"),
	.none = N_("no function is counted; --probe-call=FILE:FUNCTION counts one"),
	.from_zero = true, .of_run = true,
	SCHEMA_ROWS(struct probe_row, columns),
};

static int test_uprobes(struct env *env)
{
	struct uprobe_form form;

	return uprobe_form_read(env, &form);
}

#define REMEDY_RIGHTS                                                                                        \
	N_("run it as root, or give it the capabilities cap_bpf, cap_perfmon and cap_sys_admin, without "    \
	   "which newer kernels attach nothing to programs")

static const struct source_spec sources[] = {
	{ .path = TRACE_SOURCE,
	  .gives = N_("calls of functions of programs"),
	  .optional = true,
	  .test = trace_test,
	  .remedies = { { EPERM, REMEDY_RIGHTS },
			{ EACCES, REMEDY_RIGHTS },
			{ ENOSYS, N_("this kernel is built without BPF") },
			TRACE_REMEDY_TYPES,
			TRACE_REMEDY_PIDS } },
	{ .path = SOURCE,
	  .gives = N_("the places of functions of programs"),
	  .optional = true,
	  .test = test_uprobes,
	  .remedies = { { EPERM, REMEDY_RIGHTS },
			{ EACCES, REMEDY_RIGHTS },
			{ ENOENT, N_("this kernel is built without uprobes (CONFIG_UPROBE_EVENTS)") } } },
	{ 0 },
};

/* In the order of the prober. */
static const struct bpf_program programs[] = {
	{ .name = N_("a call"), .tracepoint = "uprobe", .does = &bpf_hit_enter },
	{ .name = N_("a return"), .tracepoint = "uretprobe", .does = &bpf_hit_leave },
	{ .name = N_("a probe"), .tracepoint = "uprobe", .does = &bpf_hit },
};

const struct trace_plan trace_plan_probe = {
	.topic = "probe",
	.programs = programs,
	.n_programs = sizeof(programs) / sizeof(programs[0]),
	.n_words = 1,
	.n_entries_max = PROBE_PROCESSES_MAX + 1,
	.by_pid = true,
};

/* What is in a place of the request. */
struct one {
	char text[PROBE_CALL_TEXT_MAX];
	unsigned number; /* of the request; 0: none */
	struct trace_set trace;
	struct probe *probe; /* of the prober; NULL: … */
	int error;           /* … -errno */
	struct {
		uint32_t pid;
		char text[PROCESS_NAME_MAX];
	} names[PROBE_PROCESSES_MAX]; /* of processes, as last seen */
};

struct state {
	struct process_list *processes;
	struct prober *prober;
	struct one *places[PROBE_CALLS_MAX]; /* NULL: none */
	int error;                           /* of uprobes, or of the prober */
	struct probe_target *targets;
	size_t targets_capacity;
	struct probe_view view;     /* room */
	struct histogram histogram; /* room */
	bool settled;
};

/* --- Opening. */

static void open_prober(struct sample *sample)
{
	struct state *state = sample->state;
	struct uprobe_form form;

	state->error = uprobe_form_read(sample->env, &form);
	if (state->error)
		return;
	state->prober = prober_open(sample->env, &form, sample->settings->probe.cost_percent / 100);
	state->error = state->prober ? 0 : -errno;
}

static struct one *open_one(struct sample *sample, const struct probe_call *call)
{
	struct state *state = sample->state;
	struct one *one = alloc_zeroed(1, sizeof(*one));

	snprintf(one->text, sizeof(one->text), "%s", call->text);
	one->number = call->number;
	trace_open(&one->trace, sample->env, sample->request, &trace_plan_probe);
	if (one->trace.error)
		return one;
	if (!state->prober && !state->error)
		open_prober(sample);
	one->error = state->error;
	if (!one->error)
		one->probe = prober_add(state->prober, &one->trace, call->text, call->pid);
	if (!one->error && !one->probe)
		one->error = -errno;
	return one;
}

static void close_one(struct state *state, struct one *one)
{
	if (one->probe)
		prober_remove(state->prober, one->probe);
	trace_close(&one->trace);
	free(one);
}

/* All processes: those that are listed no longer have ended. */
static void tell_targets(struct sample *sample)
{
	struct state *state = sample->state;
	const struct process_list *processes = state->processes;

	VECTOR_RESERVE(state->targets, processes->n_all, state->targets_capacity);
	for (size_t i = 0; i < processes->n_all; i++)
		state->targets[i] = (struct probe_target){ .pid = processes->all[i]->pid,
							   .start_ticks = processes->all[i]->start_ticks,
							   .is_outside = processes->all[i]->outside };
	prober_target(state->prober, state->targets, processes->n_all, scope_is_set(sample->request->scope));
}

static void follow_request(struct sample *sample)
{
	struct state *state = sample->state;

	for (unsigned i = 0; i < PROBE_CALLS_MAX; i++) {
		const struct probe_call *call = &sample->request->probe_calls[i];
		struct one *one = state->places[i];

		if (one && (!*call->text || call->number != one->number)) {
			close_one(state, one);
			one = NULL;
		}
		if (*call->text && !one)
			one = open_one(sample, call);
		if (one && one->probe && call->allowed)
			prober_allow(state->prober, one->probe);
		state->places[i] = one;
	}
}

static void close_probes(struct sample *sample)
{
	struct state *state = sample->state;

	for (unsigned i = 0; i < PROBE_CALLS_MAX; i++)
		if (state->places[i])
			close_one(state, state->places[i]);
	prober_close(state->prober, sample->request->batch);
	free(state->targets);
}

/* --- Rows. */

static const char *state_name(const struct probe_view *view, const struct probed *probed)
{
	static const char *const names[] = {
		[PROBE_LOOKING] = N_("looking"),   [PROBE_ATTACHING] = N_("attaching"),
		[PROBE_COUNTING] = N_("counting"), [PROBE_COSTLY] = N_("costly"),
		[PROBE_ABSENT] = N_("absent"),     [PROBE_CROWDED] = N_("crowded"),
		[PROBE_REFUSED] = N_("refused"),   [PROBE_FAILED] = N_("failed"),
	};
	static const char *const of_process[] = {
		[PROBED_NOT] = NULL,
		[PROBED_COUNTING] = N_("counting"), [PROBED_WAITING] = N_("waiting"),
		[PROBED_GONE] = N_("gone"),         [PROBED_ENDED] = N_("ended"),
	};

	return probed && of_process[probed->state] ? of_process[probed->state] : names[view->state];
}

static struct probe_row *add_row(struct sample *sample, const struct one *one)
{
	struct state *state = sample->state;
	struct probe_row *row = table_add(sample->table);

	row->probe = sample_text(sample, one->text);
	row->pid = 0;
	row->cost_seconds = state->view.cost_seconds;
	row->expected_per_second = state->view.expected_per_second;
	if (!isnan(row->cost_seconds))
		row->way = state->view.is_nop ? N_("nop") : N_("trap");
	return row;
}

static void add_times(struct state *state, struct probe_row *row, const struct bpf_hits *hits)
{
	struct histogram *histogram = &state->histogram;

	histogram_clear(histogram, 0);
	for (unsigned i = 0; i < HISTOGRAM_BUCKETS; i++) {
		histogram->buckets[i] = __atomic_load_n(&hits->buckets[i], __ATOMIC_RELAXED);
		histogram->count += histogram->buckets[i];
	}
	if (histogram->count == 0)
		return;
	histogram->sum_ns = hits->sum;
	histogram->max_ns = hits->most;
	row->p50_seconds = histogram_percentile(histogram, 50) / 1e9;
	row->p99_seconds = histogram_percentile(histogram, 99) / 1e9;
	row->max_seconds = (double)histogram->max_ns / 1e9;
}

/* That of a process that has ended is kept. "": it was never seen. */
static const char *name_of(const struct sample *sample, struct one *one, unsigned number,
			   struct probed *probed)
{
	const struct state *state = sample->state;
	const struct process *process = process_list_find(state->processes, probed->target.pid);
	bool is_alive = process && process->start_ticks == probed->target.start_ticks;

	if (!is_alive)
		probed->state = PROBED_ENDED;
	if (is_alive)
		snprintf(one->names[number].text, sizeof(one->names[number].text), "%s", process->name);
	else if (one->names[number].pid != probed->target.pid)
		*one->names[number].text = '\0';
	one->names[number].pid = probed->target.pid;
	return one->names[number].text;
}

static void add_process(struct sample *sample, struct one *one, unsigned number)
{
	struct state *state = sample->state;
	struct probed *probed = &state->view.processes[number];
	const struct bpf_hits *hits = trace_hits(&one->trace, number);
	const char *name = name_of(sample, one, number, probed);
	struct probe_row *row = add_row(sample, one);

	row->pid = probed->target.pid;
	row->state = state_name(&state->view, probed);
	row->hits = __atomic_load_n(&hits->hits, __ATOMIC_RELAXED);
	row->returns = U64_BLANK;
	row->spent_seconds = (double)row->hits * state->view.cost_seconds;
	if (state->view.is_function) {
		row->returns = __atomic_load_n(&hits->returns, __ATOMIC_RELAXED);
		add_times(state, row, hits);
	}
	if (*name)
		row->command = sample_text(sample, name);
}

/* Processes that the scope leaves out now keep their counts for when they are in it again. */
static void add_rows(struct sample *sample, struct one *one)
{
	struct state *state = sample->state;
	unsigned n = 0;

	for (unsigned i = 0; i < PROBE_PROCESSES_MAX; i++) {
		const struct probed *probed = &state->view.processes[i];

		if (probed->target.pid == 0 ||
		    (probed->state == PROBED_NOT && state->view.state == PROBE_COUNTING))
			continue;
		add_process(sample, one, i);
		n++;
	}
	if (n == 0)
		add_row(sample, one)->state = state_name(&state->view, NULL);
}

/* --- Notices. */

static void notice_fault(struct sample *sample, const struct one *one, const struct probe_view *view)
{
	struct frame *frame = sample->frame;

	switch (view->fault) {
	case PROBE_FAULT_NONE:
		break;
	case PROBE_FAULT_NO_ELF:
		frame_notice(frame, "probe", NULL, _("%s: the file is not a program or library"), one->text);
		break;
	case PROBE_FAULT_NOTHING:
		if (*view->near)
			frame_notice(frame, "probe", NULL, _("%s: no such function; did you mean %s?"),
				     one->text, view->near);
		else
			frame_notice(frame, "probe", NULL, _("%s: no such function"), one->text);
		break;
	case PROBE_FAULT_NO_NAMES:
		frame_notice(frame, "probe", NULL, _("%s: the file has no names of functions"), one->text);
		break;
	case PROBE_FAULT_ELSEWHERE:
		frame_notice(frame, "probe", _("name the library that has it"),
			     _("%s: the file calls this function, but does not contain it"), one->text);
		break;
	case PROBE_FAULT_CHOOSER:
		frame_notice(frame, "probe", _("name one of the functions that it chooses from"),
			     _("%s: an IFUNC: it runs once, to choose the function that is called"),
			     one->text);
		break;
	case PROBE_FAULT_DATA:
		frame_notice(frame, "probe", NULL, _("%s: this is data, not a function"), one->text);
		break;
	case PROBE_FAULT_NOT_CODE:
		frame_notice(frame, "probe", NULL, _("%s: the code of the function is not in the file"),
			     one->text);
		break;
	case PROBE_FAULT_PLACES:
		frame_notice(frame, "probe", NULL, _("%s: it is in more than %d places"), one->text,
			     PROBE_PLACES_MAX);
		break;
	}
}

static void notice_cost(struct sample *sample, const struct one *one, const struct probe_view *view)
{
	double ratio = view->expected_per_second * view->cost_seconds;

	frame_notice(sample->frame, "probe", _("to count it nevertheless, use a higher --probe-cost"),
		     _("%s: taken off: %.0f hits/s of %.2g us cost %.0f %% of a CPU, more than the %g %% of "
		       "--probe-cost"),
		     one->text, view->expected_per_second, view->cost_seconds * 1e6, ratio * 100,
		     sample->settings->probe.cost_percent);
}

static void notice_view(struct sample *sample, const struct one *one, const struct probe_view *view)
{
	switch (view->state) {
	case PROBE_COSTLY:
		notice_cost(sample, one, view);
		break;
	case PROBE_ABSENT:
		frame_notice(sample->frame, "probe", NULL, _("%s: no process has mapped this file"),
			     one->text);
		break;
	case PROBE_CROWDED:
		frame_notice(sample->frame, "probe", _("choose some of them: --in=SCOPE"),
			     _("%s: %zu processes have mapped this file; at most %d are counted"), one->text,
			     view->n_mapped, PROBE_PROCESSES_MAX);
		break;
	case PROBE_REFUSED:
		notice_fault(sample, one, view);
		break;
	case PROBE_FAILED:
		frame_notice(sample->frame, "probe",
			     view->error == -ENOENT
				     ? NULL /* it is the file that is missing */
				     : source_remedy(sample->env, topic_source(sample->topic, SOURCE),
						     -view->error),
			     "%s: %s", one->text, strerror(-view->error));
		break;
	case PROBE_LOOKING:
	case PROBE_ATTACHING:
	case PROBE_COUNTING:
		break;
	}
}

static void sample_one(struct sample *sample, struct one *one)
{
	struct state *state = sample->state;

	if (one->trace.error) {
		trace_notice(&one->trace, sample->frame, _("no function can be counted"));
	} else if (!one->probe) {
		frame_notice(sample->frame, "probe",
			     source_remedy(sample->env, topic_source(sample->topic, SOURCE), -one->error),
			     "%s: %s", SOURCE, strerror(-one->error));
	} else {
		prober_view(state->prober, one->probe, &state->view);
		notice_view(sample, one, &state->view);
		add_rows(sample, one);
	}
}

static int sample_probes(struct sample *sample)
{
	struct state *state = sample->state;

	follow_request(sample);
	if (state->prober) {
		tell_targets(sample);
		if (sample->request->batch && !state->settled)
			prober_settle(state->prober);
		state->settled = true;
	}
	sample->table->mono_ns = env_mono_ns(sample->env);
	for (unsigned i = 0; i < PROBE_CALLS_MAX; i++)
		if (state->places[i])
			sample_one(sample, state->places[i]);
	return 0;
}

const struct topic topic_probe = {
	.schema = &schema, .sources = sources,
	.uses = PRIVILEGE_BIT(PRIVILEGE_BPF) | PRIVILEGE_BIT(PRIVILEGE_PROBES) |
		PRIVILEGE_BIT(PRIVILEGE_MAPS),
	.state_size = sizeof(struct state),
	.reads = READINGS(READING(struct state, processes, &process_reader)), .sample = sample_probes,
	.close = close_probes
};
