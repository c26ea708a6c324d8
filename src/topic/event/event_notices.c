/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Tests of the sources, and notices about missing sources and losses. */
#include <config.h>

#include "topic/event/event_notices.h"

#include <errno.h>
#include <string.h>

#include "core/i18n.h"
#include "sys/machine_thread.h"
#include "topic/event/event_connector.h"
#include "topic/event/event_perf.h"
#include "topic/trace/trace.h"

#define TEST_BYTES ((size_t)16 * 1024)
#define TRACEPOINT "sched:sched_process_exec"

static int test_perf(struct env *env)
{
	int error = -ENOTSUP;

	if (env->live)
		event_source_close(event_perf_open(env, TEST_BYTES, NULL, &error));
	return error;
}

static int test_tracepoint(struct env *env)
{
	int error = -ENOTSUP;
	struct event_source *perf = env->live ? event_perf_open(env, TEST_BYTES, NULL, &error) : NULL;

	if (perf)
		error = perf->exec_error;
	event_source_close(perf);
	return error;
}

static int test_connector(struct env *env)
{
	int error = 0;

	event_source_close(event_connector_open(env, EVENT_CONNECTOR_ALL, TEST_BYTES, &error));
	return error;
}

static int test_thread(struct env *env)
{
	return env->live ? worker_try_thread() : -ENOTSUP;
}

const struct source_spec event_source_specs[] = {
	{ .path = "perf",
	  .gives = N_("forks, execs, names and exits at the lowest cost"),
	  .optional = true,
	  .test = test_perf,
	  .remedies = { { EACCES, N_("run it as root, give it the capability cap_perfmon, or: sysctl "
				     "kernel.perf_event_paranoid=0") },
			{ EPERM,
			  N_("run it as root, or give it the capabilities cap_perfmon and cap_ipc_lock") },
			{ ENOENT, N_("this kernel has no perf events (CONFIG_PERF_EVENTS)") } } },
	{ .path = TRACEPOINT,
	  .gives = N_("file and arguments of execs, without BPF"),
	  .optional = true,
	  .test = test_tracepoint,
	  .remedies = { { EACCES, N_("run it as root, or give it the capabilities cap_perfmon and "
				     "cap_dac_read_search") },
			{ EPERM, N_("run it as root, or give it the capabilities cap_perfmon and "
				    "cap_dac_read_search") },
			{ ENOENT, N_("mount it: mount -t tracefs tracefs /sys/kernel/tracing") } } },
	{ .path = TRACE_SOURCE,
	  .gives = N_("every argument of programs that exit at once"),
	  .optional = true,
	  .test = trace_test,
	  .remedies = { TRACE_REMEDIES } },
	{ .path = "connector",
	  .is_socket = true,
	  .gives = N_("exit codes, core dumps, tracers, users and sessions; without perf, everything"),
	  .test = test_connector,
	  .remedies = { { EPERM, N_("before Linux 6.6 this needs root or the capability cap_net_admin") },
			{ ECONNREFUSED, N_("not available in a container (network namespace)") },
			{ ETIMEDOUT, N_("not available in a container (pid or user namespace)") },
			{ EPROTONOSUPPORT, N_("this kernel was built without CONFIG_PROC_EVENTS") },
			{ ENOTSUP, N_("process events exist only for the running machine: omit --root") } } },
	{ .path = EVENT_THREAD,
	  .gives = N_("reads events as they arrive"),
	  .test = test_thread,
	  .remedies = { { EAGAIN, N_("raise the limit of processes and threads: ulimit -u, or pids.max of "
				     "the control group") } } },
	{ 0 },
};

/* For error (positive errno) of the source with this name; may be NULL. */
static const char *remedy(const struct env *env, const char *source, int error)
{
	for (const struct source_spec *spec = event_source_specs; spec->path; spec++)
		if (strcmp(spec->path, source) == 0)
			return source_remedy(env, spec, error);
	return NULL;
}

static void notice_lost(const struct event_sources *sources, struct frame *frame, const char *topic)
{
	uint64_t lost = sources->perf_lost + sources->connector_lost;

	if (lost > 0)
		frame_notice(frame, topic, _("--real-time or a less busy machine reduces losses"),
			     P_("%lu event was lost before it could be read",
				"%lu events were lost before they could be read", (unsigned long)lost),
			     (unsigned long)lost);
	if (sources->queue_lost > 0)
		frame_notice(frame, topic, _("a shorter delay reduces losses"),
			     P_("%lu event was lost: too many arrived between two samples",
				"%lu events were lost: too many arrived between two samples",
				(unsigned long)sources->queue_lost),
			     (unsigned long)sources->queue_lost);
}

static void notice_missing(const struct event_sources *sources, const struct env *env, struct frame *frame,
			   const char *topic)
{
	if (sources->connector_error && !sources->perf_error)
		frame_notice(frame, topic, remedy(env, "connector", -sources->connector_error),
			     _("no exit codes, tracers, users and sessions: proc connector: %s"),
			     strerror(-sources->connector_error));
	if (sources->perf_error && sources->connector_error && sources->perf_error != -ENOTSUP)
		frame_notice(frame, topic, remedy(env, "perf", -sources->perf_error),
			     _("no process events from perf: %s"), strerror(-sources->perf_error));
	if (sources->perf_error && !sources->connector_error)
		frame_notice(frame, topic, remedy(env, "perf", -sources->perf_error),
			     _("short-lived processes may lack their command line: perf events: %s"),
			     strerror(-sources->perf_error));
	else if (sources->exec_error && !sources->perf_error)
		frame_notice(frame, topic, remedy(env, TRACEPOINT, -sources->exec_error),
			     _("short-lived processes may lack their arguments: %s: %s"), TRACEPOINT,
			     strerror(-sources->exec_error));
}

static void notice_arguments(const struct event_sources *sources, const struct trace_set *arguments,
			     struct frame *frame)
{
	if (!sources->perf_error && !sources->exec_error)
		trace_notice(arguments, frame, _("some programs that exit at once lack their arguments"));
}

void event_notices(struct event_reader *reader, const struct env *env, struct frame *frame,
		   const char *topic)
{
	struct event_sources sources;

	event_reader_sources(reader, &sources);
	notice_missing(&sources, env, frame, topic);
	notice_arguments(&sources, event_reader_arguments(reader), frame);
	notice_lost(&sources, frame, topic);
	if (env->foreign_pids)
		frame_notice(frame, topic, source_remedy(env, NULL, EXDEV),
			     _("processes are not looked up in /proc: %s"), env_error_text(EXDEV));
	if (sources.real_time_error)
		frame_notice(frame, topic,
			     remedy_for_user(N_("run it as root, or give it the capability cap_sys_nice")),
			     _("the event reader does not run at real-time priority: %s"),
			     strerror(-sources.real_time_error));
	if (sources.stuck_pid)
		frame_notice(frame, topic, NULL,
			     _("process %u is stuck: reading its command line blocks, others wait"),
			     sources.stuck_pid);
}
