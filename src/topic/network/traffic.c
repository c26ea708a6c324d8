/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Topic "traffic": payload that each process receives and sends. */
#include <config.h>

#include <errno.h>
#include <string.h>

#include "core/i18n.h"
#include "topic/network/traffic_list.h"
#include "topic/process/process_find.h"
#include "topic/process/process_list.h"
#include "topic/topic.h"

struct traffic_row {
	uint64_t pid;
	double start_seconds;
	double received_bytes_per_second, sent_bytes_per_second;
	double tcp_received_bytes_per_second, tcp_sent_bytes_per_second, udp_received_bytes_per_second;
	double udp_sent_bytes_per_second, unix_received_bytes_per_second, unix_sent_bytes_per_second;
	uint64_t received_bytes, sent_bytes, tcp_received_bytes, tcp_sent_bytes, udp_received_bytes;
	uint64_t udp_sent_bytes, unix_received_bytes, unix_sent_bytes;
	uint64_t connections, retransmitted_bytes;
	double retransmitted_ratio;
	const char *how, *name, *command;
};

#define ROW(field, ...) COLUMN(struct traffic_row, field, __VA_ARGS__)

#define PAYLOAD(of, heading, cells, what, ...)                                                               \
	ROW(of##_per_second, .kind = COLUMN_RATE, .unit = UNIT_BYTES_PER_SECOND, .title = heading,           \
	    .width = cells, .rate_of = offsetof(struct traffic_row, of), .help = what,                       \
	    .source = "growth of " #of " / time", __VA_ARGS__)

#define COUNT(field, heading, what)                                                                          \
	ROW(field, .kind = COLUMN_COUNTER, .unit = UNIT_BYTES, .hidden = true, .title = heading,             \
	    .width = 10, .help = what,                                                                       \
	    .source = "BPF at sock_recv_length and sock_send_length; of TCP else sock_diag")

static const struct column columns[] = {
	PAYLOAD(received_bytes, N_("payload recv/s"), 15,
		N_("payload that it received: bytes that its reads gave it, without headers"), .trend = true,
		.additive = true),
	PAYLOAD(sent_bytes, N_("payload sent/s"), 15, N_("payload that it sent: bytes that the kernel took"),
		.additive = true),
	PAYLOAD(tcp_received_bytes, N_("TCP r/s"), 8, N_("received by TCP, without headers"), .rank = 2),
	PAYLOAD(tcp_sent_bytes, N_("TCP s/s"), 8, N_("sent by TCP, without headers"), .rank = 2),
	PAYLOAD(udp_received_bytes, N_("UDP r/s"), 8, N_("received by UDP, without headers"), .rank = 3),
	PAYLOAD(udp_sent_bytes, N_("UDP s/s"), 8, N_("sent by UDP, without headers"), .rank = 3),
	PAYLOAD(unix_received_bytes, N_("UNIX r/s"), 8, N_("received from processes of this machine"),
		.rank = 4),
	PAYLOAD(unix_sent_bytes, N_("UNIX s/s"), 8, N_("sent to processes of this machine"), .rank = 4),
	ROW(pid, .kind = COLUMN_KEY, .fleeting = true, .title = N_("PID"), .width = 7,
	    .help = N_("process ID"), .source = "/proc"),
	ROW(start_seconds, .kind = COLUMN_KEY, .fleeting = true, .unit = UNIT_SECONDS, .title = N_("started"),
	    .width = 10, .hidden = true,
	    .help = N_("start time, after boot; unknown of a process that ended before it was seen"),
	    .source = "/proc/PID/stat starttime"),
	ROW(connections, .kind = COLUMN_GAUGE, .additive = true, .unit = UNIT_COUNT, .title = N_("conns"),
	    .width = 5, .rank = 3,
	    .help = N_("its TCP connections at present, as far as they are known to be its; unknown in a "
		       "network namespace that is not read"),
	    .source = SOCKET_LIST_SOURCE ", links of /proc/PID/fd"),
	ROW(retransmitted_ratio, .kind = COLUMN_RATE, .unit = UNIT_RATIO, .title = N_("%again"), .width = 6,
	    .rank = 4, .high = 0.01, .rate_of = offsetof(struct traffic_row, retransmitted_bytes),
	    .rate_over = offsetof(struct traffic_row, tcp_sent_bytes),
	    .help = N_("bytes that TCP sent again, as a share of what it sent"),
	    .source = "growth of retransmitted_bytes / growth of tcp_sent_bytes"),
	ROW(retransmitted_bytes, .kind = COLUMN_COUNTER, .unit = UNIT_BYTES, .hidden = true,
	    .title = N_("again"), .width = 10, .help = N_("sent again by TCP since counting began"),
	    .source = SOCKET_LIST_SOURCE " tcpi_bytes_retrans"),
	ROW(how, .kind = COLUMN_LABEL, .title = N_("how"), .width = 4, .rank = 5,
	    .help = N_(
		    "bpf: counted in the kernel, to the byte; proc: by the counters of TCP sockets, with UDP "
		    "and UNIX unknown, and so the sums"),
	    .source = "panetop"),
	COUNT(received_bytes, N_("received"), N_("payload received since counting began")),
	COUNT(sent_bytes, N_("sent"), N_("payload sent since counting began")),
	COUNT(tcp_received_bytes, N_("TCP recv"), N_("received by TCP since counting began")),
	COUNT(tcp_sent_bytes, N_("TCP sent"), N_("sent by TCP since counting began")),
	COUNT(udp_received_bytes, N_("UDP recv"), N_("received by UDP since counting began")),
	COUNT(udp_sent_bytes, N_("UDP sent"), N_("sent by UDP since counting began")),
	COUNT(unix_received_bytes, N_("UNIX recv"), N_("received by UNIX sockets since counting began")),
	COUNT(unix_sent_bytes, N_("UNIX sent"), N_("sent by UNIX sockets since counting began")),
	ROW(name, .kind = COLUMN_LABEL, .grouping = "command", .title = N_("name"), .width = 15,
	    .hidden = true, .help = N_("process name, as the kernel keeps it"),
	    .source = "/proc/PID/stat comm"),
	ROW(command, .kind = COLUMN_LABEL, .personal = true, .title = N_("command"), .width = 22,
	    .text = TEXT_COMMAND,
	    .help = N_("command line; [name] of a kernel thread; empty where a process ended before it was "
		       "seen"),
	    .source = "/proc/PID/cmdline"),
};

static const struct schema schema = {
	.name = "traffic",
	.help = N_("payload of processes by TCP, UDP and UNIX sockets"),
	.none = N_("no process has sent or received anything"),
	.from_zero = true,
	.of_run = true,
	.row_size = sizeof(struct traffic_row),
	SCHEMA_COLUMNS(columns),
};

static const struct source_spec sources[] = {
	{ .path = TRACE_SOURCE,
	  .gives = TRAFFIC_GIVES,
	  .optional = true,
	  .test = trace_test,
	  .remedies = { TRACE_REMEDIES, TRACE_REMEDY_PIDS,
			{ ENOENT, N_("this kernel has no tracepoints of sockets: they came with 6.3") } } },
	{ .path = SOCKET_LIST_SOURCE,
	  .is_socket = true,
	  .gives = N_("payload of TCP connections, and what was sent again"),
	  .test = socket_list_test,
	  .remedies = { SOCKET_LIST_REMEDIES } },
	{ 0 },
};

struct state {
	struct traffic_list *traffic;
	struct process_list *processes;
};

static void fill(struct traffic_row *row, const struct traffic_list *list, const struct traffic_bytes *bytes,
		 uint32_t pid)
{
	const struct traffic *traffic = traffic_list_find(list, pid);

	if (list->sockets_begun && traffic && traffic->knows_sockets) {
		row->connections = traffic->connections;
		row->retransmitted_bytes = traffic->retransmitted;
	}
	row->tcp_received_bytes = bytes->received[TRAFFIC_TCP];
	row->tcp_sent_bytes = bytes->sent[TRAFFIC_TCP];
	row->how = list->traced ? "bpf" : "proc";
	if (!list->traced)
		return;
	row->received_bytes = traffic_received(bytes);
	row->sent_bytes = traffic_sent(bytes);
	row->udp_received_bytes = bytes->received[TRAFFIC_UDP];
	row->udp_sent_bytes = bytes->sent[TRAFFIC_UDP];
	row->unix_received_bytes = bytes->received[TRAFFIC_UNIX];
	row->unix_sent_bytes = bytes->sent[TRAFFIC_UNIX];
}

static const char *command_of(struct arena *arena, const struct process *process)
{
	if (process->command && *process->command)
		return arena_copy(arena, process->command, strlen(process->command));
	return process_is_kernel_thread(process) ? arena_print(arena, "[%s]", process->name)
						 : arena_copy(arena, process->name, strlen(process->name));
}

static void add_process(struct sample *sample, const struct process *process)
{
	struct state *state = sample->state;
	struct traffic_bytes bytes;
	struct traffic_row *row;

	if (process->outside || process->start_ticks == U64_UNKNOWN ||
	    !traffic_of_process(state->traffic, process->pid, process->start_ticks, &bytes))
		return;
	row = table_add(sample->table);
	row->pid = process->pid;
	row->start_seconds = process_start_seconds(sample->env, process->start_ticks);
	row->name = arena_copy(&sample->frame->arena, process->name, strlen(process->name));
	row->command = command_of(&sample->frame->arena, process);
	fill(row, state->traffic, &bytes, process->pid);
}

/* It began and ended between two samples: no look at the processes saw it. */
static void add_unseen(struct sample *sample, const struct traffic *traffic)
{
	const struct state *state = sample->state;
	struct traffic_row *row;

	if (process_list_find(state->processes, traffic->pid))
		return; /* it is listed once its start is known */
	if (scope_is_set(sample->request->scope) && !scope_has(sample->request->scope, traffic->pid, NAN))
		return;
	row = table_add(sample->table);
	row->pid = traffic->pid;
	if (traffic->pid == 0)
		row->command = row->name = N_("(closed before its owner was found)");
	fill(row, state->traffic, &traffic->total, traffic->pid);
}

static int sample_traffic(struct sample *sample)
{
	struct state *state = sample->state;
	struct process_list *processes = state->processes;
	const struct traffic_list *traffic = state->traffic;
	int socket_error = traffic->sockets_error;

	if (traffic->traced || !socket_error)
		trace_notice(&traffic->processes.trace, sample->frame,
			     _("only TCP is counted, by its sockets"));
	if (!traffic->traced && socket_error) {
		env_note_failure(sample->env, SOCKET_LIST_SOURCE, socket_error);
		return socket_error;
	}
	if (!socket_error)
		socket_list_notice(traffic->sockets, sample->frame, schema.name);
	for (size_t i = 0; i < processes->n_all; i++)
		add_process(sample, processes->all[i]);
	for (size_t i = 0; i < processes->n_exited; i++)
		if (!process_list_find(processes, processes->exited[i]->pid))
			add_process(sample, processes->exited[i]);
	for (size_t i = 0; i < traffic->n_all; i++)
		if (traffic->all[i].tick == sample->env->tick && traffic->all[i].start_ticks == 0)
			add_unseen(sample, &traffic->all[i]);
	return 0;
}

static void prepare(struct sample *sample)
{
	const struct state *state = sample->state;

	traffic_list_want(state->traffic, TRAFFIC_COUNTS | TRAFFIC_SOCKETS);
	socket_list_want_all(state->traffic->sockets);
}

static const struct reading reads[] = {
	READING(struct state, traffic, &traffic_reader),
	READING(struct state, processes, &process_reader),
	{ 0 },
};

const struct topic topic_traffic = {
	.schema = &schema,
	.sources = sources,
	.uses = PRIVILEGE_BIT(PRIVILEGE_BPF) | PRIVILEGE_BIT(PRIVILEGE_HIDDEN) |
		PRIVILEGE_BIT(PRIVILEGE_DETAILS) | PRIVILEGE_BIT(PRIVILEGE_NAMESPACES),
	.state_size = sizeof(struct state),
	.reads = reads,
	.prepare = prepare,
	.sample = sample_traffic,
};
