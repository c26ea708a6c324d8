/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Three perf events per CPU: task records and those of execs share a ring; the alarm wakes an idle reader. */
#include <config.h>

#include "topic/event/event_source.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <time.h>
#include <unistd.h>

#include "core/alloc.h"
#include "core/i18n.h"
#include "core/unknown.h"
#include "core/vector.h"
#include "kernel/perf_record.h"
#include "kernel/system.h"
#include "kernel/trace_format.h"
#include "sys/descriptor.h"
#include "sys/perf_ring.h"
#include "topic/kernel_clock.h"
#include "topic/served_mounts.h"

#define ONLINE_CPUS "sys/devices/system/cpu/online"
#define EXEC_EVENT "events/sched/sched_process_exec/"
#define STACK_BYTES (12 * 1024) /* arguments are up to 8 KiB from the end of the stack */
#define COMMAND_BYTES_MAX ((size_t)4096)
#define ALARM_BYTES ((size_t)4096)

/* The new program's own: of a script those of its interpreter, as in /proc/PID/cmdline. */
static const struct bpf_program programs[] = {
	{ .name = N_("arguments of execs"),
	  .tracepoint = "sched_process_exec",
	  .does = &bpf_record,
	  .value = { .is = BPF_PART_MEMBER, .name = "task_struct.mm.arg_start" },
	  .end = { .is = BPF_PART_MEMBER, .name = "task_struct.mm.arg_end" } },
};

const struct trace_plan trace_plan_event = {
	.topic = "event",
	.programs = programs,
	.n_programs = 1,
};

struct on_cpu {
	uint32_t cpu;
	int tasks, execs, alarm; /* descriptors; execs, alarm: -1: none */
	struct perf_ring ring, alarm_ring;
	uint64_t reported_lost; /* by PERF_RECORD_LOST */
	uint64_t enabled_ns;    /* when the list of CPUs was last updated */
};

struct event_perf {
	struct event_source source;
	struct env *env; /* borrowed */
	uint64_t lag_ns; /* of the kernel's clock */
	size_t ring_bytes;
	bool names_only; /* no forks, ends and arguments, and no alarm */
	struct on_cpu *cpus;
	size_t cpu_capacity;               /* of source.n_cpus */
	char *room;                        /* for the contents of one ring */
	const struct trace_set *arguments; /* borrowed; NULL: from the tracepoint */
	uint64_t exec_id;
	struct trace_field filename;
	bool armed;
	uint64_t lost_before; /* on CPUs that went offline */
};

static struct perf_event_attr common_attr(void)
{
	return (struct perf_event_attr){ .size = sizeof(struct perf_event_attr),
					 .read_format = PERF_RING_FORMAT | PERF_FORMAT_LOST,
					 .sample_id_all = 1,
					 .use_clockid = 1,
					 .clockid = CLOCK_MONOTONIC,
					 .watermark = 1 };
}

/* PERF_FORMAT_LOST exists since Linux 6.0. */
static int open_event(const struct event_perf *perf, struct perf_event_attr *attr, uint32_t cpu)
{
	int fd = perf_open(perf->env->perf, attr, -1, (int)cpu, -1);

	if (fd != -EINVAL || !(attr->read_format & PERF_FORMAT_LOST))
		return fd;
	attr->read_format = PERF_RING_FORMAT;
	return perf_open(perf->env->perf, attr, -1, (int)cpu, -1);
}

static int open_tasks(const struct event_perf *perf, struct on_cpu *on)
{
	struct perf_event_attr attr = common_attr();

	attr.type = PERF_TYPE_SOFTWARE;
	attr.config = PERF_COUNT_SW_DUMMY;
	attr.sample_type = PERF_TASK_SAMPLE_TYPE;
	attr.task = !perf->names_only;
	attr.comm = attr.comm_exec = 1;
	attr.wakeup_watermark = perf->names_only ? 1 : (uint32_t)(perf->ring_bytes / 2);
	on->tasks = open_event(perf, &attr, on->cpu);
	return on->tasks < 0 ? on->tasks : perf_ring_open(&on->ring, on->tasks, perf->ring_bytes);
}

static int open_execs(const struct event_perf *perf, struct on_cpu *on)
{
	struct perf_event_attr attr = common_attr();
	int error;

	attr.type = perf->arguments ? PERF_TYPE_SOFTWARE : PERF_TYPE_TRACEPOINT;
	attr.config = perf->arguments ? PERF_COUNT_SW_BPF_OUTPUT : perf->exec_id;
	attr.sample_period = 1;
	attr.sample_type = PERF_EXEC_SAMPLE_TYPE_BARE;
	if (!perf->arguments && PERF_EXEC_REGISTERS != 0) {
		attr.sample_type = PERF_EXEC_SAMPLE_TYPE;
		attr.sample_regs_user = PERF_EXEC_REGISTERS;
		attr.sample_stack_user = STACK_BYTES;
	}
	attr.wakeup_watermark = (uint32_t)(perf->ring_bytes / 2);
	on->execs = open_event(perf, &attr, on->cpu);
	if (on->execs < 0)
		return on->execs;
	error = perf_ring_join(perf->env->perf, on->execs, on->tasks);
	if (!error && perf->arguments)
		error = trace_direct(perf->arguments, on->cpu, on->execs);
	if (error) {
		close(on->execs);
		on->execs = -1;
	}
	return error;
}

/* Without an alarm the reader polls the rings. */
static void open_alarm(const struct event_perf *perf, struct on_cpu *on)
{
	struct perf_event_attr attr = common_attr();

	attr.type = PERF_TYPE_SOFTWARE;
	attr.config = PERF_COUNT_SW_DUMMY;
	attr.sample_type = PERF_TASK_SAMPLE_TYPE;
	attr.task = attr.comm = attr.comm_exec = 1;
	attr.disabled = !perf->armed;
	attr.wakeup_watermark = 1;
	on->alarm = open_event(perf, &attr, on->cpu);
	if (on->alarm >= 0 && perf_ring_open(&on->alarm_ring, on->alarm, ALARM_BYTES) < 0) {
		close(on->alarm);
		on->alarm = -1;
	}
}

static uint64_t lost_on(const struct on_cpu *on)
{
	uint64_t tasks = perf_ring_state(on->tasks).lost;
	uint64_t execs = on->execs >= 0 ? perf_ring_state(on->execs).lost : 0;

	return tasks == U64_UNKNOWN || execs == U64_UNKNOWN ? on->reported_lost : tasks + execs;
}

static void close_cpu(struct on_cpu *on)
{
	perf_ring_close(&on->ring);
	perf_ring_close(&on->alarm_ring);
	descriptor_close(on->execs);
	descriptor_close(on->alarm);
	descriptor_close(on->tasks);
}

static int open_cpu(struct event_perf *perf, uint32_t cpu)
{
	struct on_cpu *on;
	int error;

	VECTOR_RESERVE(perf->cpus, perf->source.n_cpus + 1, perf->cpu_capacity);
	on = &perf->cpus[perf->source.n_cpus];
	*on = (struct on_cpu){ .cpu = cpu, .tasks = -1, .execs = -1, .alarm = -1 };
	error = open_tasks(perf, on);
	if (error) {
		close_cpu(on);
		return error;
	}
	if (!perf->source.exec_error)
		perf->source.exec_error = open_execs(perf, on);
	if (!perf->names_only)
		open_alarm(perf, on);
	perf->source.n_cpus++;
	return 0;
}

/* Number and layout of the tracepoint; 0 or -errno. */
static int find_exec_event(struct event_perf *perf)
{
	int tracefs = tracing_open(perf->env);
	char text[4096];
	struct span id;
	long length;

	if (tracefs < 0)
		return tracefs;
	length = tracefs_read(tracefs, EXEC_EVENT "id", text, sizeof(text));
	id = span_of(text, length > 0 ? (size_t)length : 0);
	if (length >= 0 && !span_u64(&id, &perf->exec_id))
		length = -ENODATA;
	if (length >= 0)
		length = tracefs_read(tracefs, EXEC_EVENT "format", text, sizeof(text));
	if (length >= 0 && !trace_format_find(span_of(text, (size_t)length), "filename", &perf->filename))
		length = -ENODATA;
	close(tracefs);
	return length < 0 ? (int)length : 0;
}

static int read_online(struct event_perf *perf, struct span *online)
{
	perf->env->tick++;
	return env_read(perf->env, env_file(perf->env, ONLINE_CPUS), online);
}

static void close_perf(struct event_source *source)
{
	struct event_perf *perf = (struct event_perf *)source;

	for (size_t i = 0; i < perf->source.n_cpus; i++)
		close_cpu(&perf->cpus[i]);
	free(perf->cpus);
	free(perf->room);
	free(perf);
}

static struct raw_event *add(const struct event_perf *perf, struct raw_events *events,
			     const struct perf_record *record, enum event_kind kind)
{
	struct raw_event *event = raw_events_add(events);

	event->kind = kind;
	event->time_ns = record->time_ns + perf->lag_ns;
	event->pid = record->pid;
	event->tid = record->tid;
	return event;
}

static char *copy_text(const char *text, size_t length)
{
	char *copy = alloc_zeroed(length + 1, 1);

	memcpy(copy, text, length);
	return copy;
}

/* As of /proc/PID/cmdline: a blank for each NUL but the last. NULL: all are empty. */
static char *join_arguments(struct span arguments, const char *more)
{
	size_t length = span_length(arguments);
	char *text;

	while (length > 0 && arguments.at[length - 1] == '\0')
		length--;
	if (length == 0)
		return NULL;
	text = alloc_zeroed(length + strlen(more) + 1, 1);
	for (size_t i = 0; i < length; i++)
		text[i] = arguments.at[i] ? arguments.at[i] : ' ';
	memcpy(text + length, more, strlen(more));
	return text;
}

/* Without a text it may still be read from /proc. */
static void add_recorded_exec(const struct event_perf *perf, struct raw_events *events,
			      const struct perf_record *record)
{
	struct raw_event *event = add(perf, events, record, EVENT_EXEC);
	struct span rest = record->raw;
	uint32_t text_bytes, copied_bytes;

	if (!span_peek(rest, offsetof(struct bpf_record, text_bytes), &text_bytes, sizeof(uint32_t)) ||
	    !span_peek(rest, offsetof(struct bpf_record, copied_bytes), &copied_bytes, sizeof(uint32_t)) ||
	    copied_bytes > span_length(rest) - BPF_RECORD_HEAD)
		return;
	rest = span_of(rest.at + BPF_RECORD_HEAD, copied_bytes);
	event->text = join_arguments(rest, text_bytes > copied_bytes ? "…" : "");
	event->program_length = strnlen(rest.at, copied_bytes);
	event->is_command = event->text != NULL;
}

/* The preceding record has the name; this one has the arguments, or at least the file. */
static void add_exec(const struct event_perf *perf, struct raw_events *events,
		     const struct perf_record *record)
{
	struct raw_event *event = add(perf, events, record, EVENT_EXEC);
	char command[COMMAND_BYTES_MAX];
	size_t length = perf_exec_arguments(record, command, sizeof(command), &event->program_length);
	struct span file;

	if (length > 0) {
		event->text = copy_text(command, length);
		event->is_command = perf_exec_arguments_are_whole(record);
	} else if (trace_field_text(&perf->filename, record->raw, &file)) {
		event->text = copy_text(file.at, span_length(file));
		event->program_length = span_length(file);
	}
}

static void add_record(struct event_perf *perf, struct on_cpu *on, struct raw_events *events,
		       const struct perf_record *record, bool exits)
{
	bool by_sample = record->kind == PERF_RECORD_KIND_COMM && record->exec && on->execs >= 0;
	struct raw_event *event;

	perf->source.received += record->kind != PERF_RECORD_KIND_LOST;
	if (record->kind != PERF_RECORD_KIND_LOST && (record->pid == 0 || record->tid == 0))
		return; /* tasks outside of this pid namespace have no PID here */
	if (perf->names_only && record->kind == PERF_RECORD_KIND_COMM && !record->exec)
		return;
	switch (record->kind) {
	case PERF_RECORD_KIND_FORK:
		event = add(perf, events, record, record->pid == record->tid ? EVENT_FORK : EVENT_CLONE);
		event->parent_pid = record->parent_pid;
		break;
	case PERF_RECORD_KIND_EXIT:
		if (exits)
			add(perf, events, record, EVENT_EXIT)->parent_pid = record->parent_pid;
		break;
	case PERF_RECORD_KIND_COMM:
		event = add(perf, events, record, record->exec && !by_sample ? EVENT_EXEC : EVENT_COMM);
		event->by_exec = by_sample;
		memcpy(event->comm, record->comm, sizeof(event->comm));
		break;
	case PERF_RECORD_KIND_SAMPLE:
		if (perf->arguments)
			add_recorded_exec(perf, events, record);
		else
			add_exec(perf, events, record);
		break;
	case PERF_RECORD_KIND_LOST:
		on->reported_lost += record->lost;
		break;
	case PERF_RECORD_KIND_OTHER:
		break;
	}
}

static void drain(struct event_source *source, struct raw_events *events, bool exits)
{
	struct event_perf *perf = (struct event_perf *)source;

	for (size_t i = 0; i < perf->source.n_cpus; i++) {
		struct on_cpu *on = &perf->cpus[i];
		struct span bytes = perf_ring_take(&on->ring, perf->room);
		struct perf_record record;

		while (perf_record_next(&bytes, &record))
			add_record(perf, on, events, &record, exits);
	}
}

/* Also detects CPUs that went offline and came back: their perf events are gone. */
static bool is_gone(struct on_cpu *on, struct span online)
{
	uint64_t before_ns = on->enabled_ns;

	if (!cpu_list_has(online, on->cpu))
		return true;
	on->enabled_ns = perf_ring_state(on->tasks).enabled_ns;
	return on->enabled_ns == before_ns && before_ns != U64_UNKNOWN;
}

static void follow_cpus(struct event_source *source)
{
	struct event_perf *perf = (struct event_perf *)source;
	struct span online, rest;
	uint32_t first, last;

	if (read_online(perf, &online))
		return;
	for (size_t i = perf->source.n_cpus; i-- > 0;) {
		if (!is_gone(&perf->cpus[i], online))
			continue;
		perf->lost_before += lost_on(&perf->cpus[i]);
		close_cpu(&perf->cpus[i]);
		perf->cpus[i] = perf->cpus[--perf->source.n_cpus];
	}
	rest = online;
	while (cpu_list_next(&rest, &first, &last))
		for (uint32_t cpu = first; cpu <= last; cpu++) {
			bool known = false;

			for (size_t i = 0; i < perf->source.n_cpus; i++)
				known |= perf->cpus[i].cpu == cpu;
			if (!known)
				open_cpu(perf, cpu);
		}
}

static bool arm(struct event_source *source, bool armed)
{
	struct event_perf *perf = (struct event_perf *)source;
	bool all = true;

	for (size_t i = 0; i < perf->source.n_cpus; i++) {
		struct on_cpu *on = &perf->cpus[i];

		all &= on->alarm >= 0;
		if (perf->armed == armed || on->alarm < 0)
			continue;
		ioctl(on->alarm, armed ? PERF_EVENT_IOC_ENABLE : PERF_EVENT_IOC_DISABLE, 0);
		if (!armed)
			perf_ring_take(&on->alarm_ring, perf->room);
	}
	perf->armed = armed;
	return all;
}

static unsigned descriptors(const struct event_source *source, int *fds, unsigned room)
{
	const struct event_perf *perf = (const struct event_perf *)source;
	unsigned n_fds = 0;

	for (size_t i = 0; i < perf->source.n_cpus && n_fds + 1 < room; i++) {
		fds[n_fds++] = perf->cpus[i].tasks;
		if (perf->armed && perf->cpus[i].alarm >= 0)
			fds[n_fds++] = perf->cpus[i].alarm;
	}
	return n_fds;
}

static uint64_t lost(const struct event_source *source)
{
	const struct event_perf *perf = (const struct event_perf *)source;
	uint64_t sum = perf->lost_before;

	for (size_t i = 0; i < perf->source.n_cpus; i++)
		sum += lost_on(&perf->cpus[i]);
	return sum;
}

static struct event_source *open_cpus(struct event_perf *perf, int *error)
{
	struct span online;
	uint32_t first, last;

	perf->source.close = close_perf;
	perf->source.drain = drain;
	perf->source.descriptors = descriptors;
	perf->source.lost = lost;
	perf->source.follow_cpus = follow_cpus;
	perf->source.arm = arm;
	perf->lag_ns = kernel_clock_lag_ns(perf->env);
	*error = read_online(perf, &online);
	while (!*error && cpu_list_next(&online, &first, &last))
		for (uint32_t cpu = first; cpu <= last && !*error; cpu++)
			*error = open_cpu(perf, cpu);
	if (!*error && perf->source.n_cpus == 0)
		*error = -ENODEV;
	if (!*error) {
		perf->room = alloc_zeroed(perf->cpus[0].ring.bytes, 1);
		return &perf->source;
	}
	close_perf(&perf->source);
	return NULL;
}

struct event_source *event_perf_open(struct env *env, size_t ring_bytes, const struct trace_set *arguments,
				     int *error)
{
	struct event_perf *perf = alloc_zeroed(1, sizeof(*perf));

	perf->env = env;
	perf->ring_bytes = ring_bytes;
	perf->arguments = arguments && !arguments->error ? arguments : NULL;
	perf->source.exec_error = perf->arguments ? 0 : find_exec_event(perf);
	return open_cpus(perf, error);
}

struct event_source *event_perf_open_execs(struct env *env, size_t ring_bytes, int *error)
{
	struct event_perf *perf = alloc_zeroed(1, sizeof(*perf));

	*perf = (struct event_perf){
		.source.exec_error = -ENOENT, .env = env, .ring_bytes = ring_bytes, .names_only = true
	};
	return open_cpus(perf, error);
}
