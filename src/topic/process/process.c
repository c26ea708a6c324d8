/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Topic "process": what each process is, and the CPU time it uses. */
#include <config.h>

#include <errno.h>
#include <math.h>
#include <string.h>

#include "core/i18n.h"
#include "core/vector.h"
#include "kernel/meminfo.h"
#include "kernel/net/proc_net.h"
#include "kernel/pid/pid_stat.h"
#include "kernel/system.h"
#include "sys/pids.h"
#include "topic/network/traffic_list.h"
#include "topic/pages/touch_list.h"
#include "topic/power/energy.h"
#include "topic/process/command_reader.h"
#include "topic/process/process_entry.h"
#include "topic/process/process_io.h"
#include "topic/process/process_list.h"
#include "topic/process/process_scope.h"
#include "topic/topic.h"
#include "topic/users.h"

/* Columns that are read on request, by the file that they come from. */
enum on_request {
	REQUEST_IO = 1,
	REQUEST_WAIT,
	REQUEST_GROUP,
	REQUEST_PROPORTIONAL,
	REQUEST_NETWORK,
	REQUEST_TCP,
	REQUEST_TOUCHED
};

/* Fields of such columns, and of power: apart, as most rows of a large machine have none of them. */
struct process_apart {
	double watts, joules;
	uint64_t proportional_bytes;
	uint64_t touched_bytes;
	double touched_window_seconds, touched_age_seconds;
	uint64_t read_bytes, write_bytes, disk_bytes, children_faults;
	double children_faults_per_second;
	double read_bytes_per_second, write_bytes_per_second, disk_bytes_per_second;
	double wait_seconds, wait_ratio, switches_per_second;
	uint64_t received_bytes, sent_bytes;
	double received_bytes_per_second, sent_bytes_per_second;
	uint64_t tcp_bytes, tcp_received_bytes, tcp_sent_bytes;
	double tcp_bytes_per_second, tcp_received_bytes_per_second, tcp_sent_bytes_per_second;
	uint64_t switches;
	const char *group;
};

struct process_row {
	uint64_t pid;
	double start_seconds;
	uint64_t ppid;
	double cpu_seconds, user_seconds, system_seconds;
	double cpu_ratio, user_ratio, system_ratio;
	const char *user, *state;
	uint64_t uid, processor, threads, session, kernel_thread;
	const char *tty;
	double nice, priority, stat_age_seconds;
	uint64_t resident_bytes, virtual_bytes, shared_bytes, swapped_bytes;
	double growth_bytes_per_second, grown_seconds, memory_ratio;
	uint64_t minor_faults, major_faults;
	double minor_faults_per_second, major_faults_per_second;
	const char *name, *program, *program_base, *command, *command_base;
	struct process_apart *apart; /* NULL: nothing of it is known */
};

#define ROW(field, ...) COLUMN(struct process_row, field, __VA_ARGS__)
#define APART(field, ...) COLUMN_APART(struct process_row, apart, struct process_apart, field, __VA_ARGS__)
#define REQUESTED(field, number, ...) APART(field, .on_request = (number), __VA_ARGS__)
#define OFFSET_APART(field) APART_OFFSETOF(struct process_apart, field)

/* From its stat file, which is not read in every sample. */
#define STAT(field, ...) ROW(field, .aged_by = offsetof(struct process_row, stat_age_seconds), __VA_ARGS__)

#define SHARE(counter, key, heading, what, ...)                                                       \
	ROW(key, .kind = COLUMN_RATE, .unit = UNIT_RATIO, .title = heading, .width = 6,                      \
	    .of_cpu = true, .rate_of = offsetof(struct process_row, counter), .help = what,                  \
	    .source = "growth of " #counter " / time", __VA_ARGS__)

#define TIME(key, heading, what, from, ...)                                                                  \
	ROW(key, A_COUNTER(SECONDS, heading, 8), .help = what, .source = from, __VA_ARGS__)

#define SIZE(field, heading, what, from)                                                                     \
	STAT(field, A_GAUGE(BYTES, heading, 6), .rank = 6, .hidden = true, .help = what, .source = from)

/* From its io file. */
#define STORED(field, heading, what, from)                                                                   \
	REQUESTED(field, REQUEST_IO, .kind = COLUMN_COUNTER, .unit = UNIT_BYTES, .title = heading,           \
		  .width = 7, .rank = 4, .hidden = true, .help = what, .source = from)
#define STORED_RATE(counter, heading, what, ...)                                                             \
	REQUESTED(counter##_per_second, REQUEST_IO, .kind = COLUMN_RATE, .unit = UNIT_BYTES_PER_SECOND,      \
		  .title = heading, .width = 7, .hidden = true, .rate_of = OFFSET_APART(counter),        \
		  .help = what, .source = "growth of " #counter " / time", __VA_ARGS__)

/* Of its sockets. */
#define PAYLOAD(field, number, heading, what, from)                                                          \
	REQUESTED(field, number, .kind = COLUMN_COUNTER, .unit = UNIT_BYTES, .title = heading, .width = 8,   \
		  .rank = 4, .hidden = true, .help = what, .source = from)
#define PAYLOAD_RATE(counter, number, heading, what)                                                         \
	REQUESTED(counter##_per_second, number, A_RATE(BYTES_PER_SECOND, heading, 7), .rank = 2,             \
		  .hidden = true, .rate_of = OFFSET_APART(counter), .help = what,                            \
		  .source = "growth of " #counter " / time")
#define COUNTED "BPF at sock_recv_length and sock_send_length"
#define OF_SOCKETS SOCKET_LIST_SOURCE ", links of /proc/PID/fd; where the kernel counts " COUNTED

#define TEXT(key, heading, what, from, ...)                                                                  \
	ROW(key, A_LABEL(heading, 24), .help = what, .source = from, __VA_ARGS__)

static const struct column columns[] = {
	SHARE(cpu_seconds, cpu_ratio, N_("%CPU"),
	      N_("share of one CPU in the last interval, all threads together"), .high = 0.5, .alarming = 0.9,
	      .trend = true, .additive = true),
	SHARE(user_seconds, user_ratio, N_("%user"), N_("share of one CPU in user mode"), .rank = 2),
	SHARE(system_seconds, system_ratio, N_("%sys"), N_("share of one CPU in the kernel"), .rank = 2),
	TIME(cpu_seconds, N_("time"), N_("CPU time of all its threads since its start"),
	     "CPU clock of the process", .rank = 2),
	APART(watts, A_RATE(WATTS, N_("~watts"), 6), .rank = 1, .optional = true,
	      .rate_of = OFFSET_APART(joules),
	      .help = N_("power that its CPU time adds to an idle machine: an estimate from a calibration, "
			 "where total power is measured; the table power_account rates it"),
	      .source = "growth of joules / time"),
	ROW(pid, A_PROCESS_ID, .help = N_("process ID")),
	ROW(start_seconds, A_PROCESS_START),
	STAT(ppid, A_LABEL(N_("parent"), 7), .hidden = true,
	     .help = N_("parent process: it started or adopted this one"), .source = "/proc/PID/stat ppid"),
	STAT(state, A_LABEL(N_("S"), 1), .fleeting = true, .rank = 3, .text = TEXT_STATE,
	     .help = N_("R runs or waits for a CPU, S sleeps, D waits for a device, T stopped, Z zombie, I "
			"idle kernel thread; on the screen X exited; of its main thread, or if that has "
			"ended of the first that lives"),
	     .source = "/proc/PID/stat state"),
	STAT(processor, A_LABEL(N_("CPU"), 3), .fleeting = true, .rank = 6,
	     .help = N_("CPU that its main thread last ran on"), .source = "/proc/PID/stat processor"),
	TIME(user_seconds, N_("utime"), N_("CPU time in user mode since its start"),
	     "cpu_seconds - system_seconds", .hidden = true),
	TIME(system_seconds, N_("stime"), N_("CPU time in the kernel since its start"),
	     "cpu_seconds, split as utime and stime of /proc/PID/stat grew", .hidden = true),
	STAT(threads, A_GAUGE(COUNT, N_("thr"), 4), .rank = 7, .help = N_("threads"),
	     .source = "/proc/PID/stat num_threads"),
	STAT(nice, A_GAUGE(COUNT, N_("nice"), 4), .rank = 8,
	     .help = N_("priority: -20 is the highest, 19 the lowest"), .source = "/proc/PID/stat nice"),
	STAT(priority, A_GAUGE(COUNT, N_("prio"), 4), .rank = 8, .hidden = true,
	     .help = N_("priority as top has it: 20 + nice; below 0 real-time: -1 - its priority; -101 "
			"deadline"),
	     .source = "/proc/PID/stat priority"),
	STAT(tty, A_LABEL(N_("TTY"), 7), .rank = 8, .hidden = true,
	     .help = N_("controlling terminal; empty: none"), .source = "/proc/PID/stat tty_nr"),
	STAT(session, A_LABEL(N_("session"), 7), .rank = 8, .hidden = true,
	     .help = N_("its session: with autogroups the kernel shares CPUs between sessions first"),
	     .source = "/proc/PID/stat session"),
	STAT(user, A_LABEL(N_("user"), 8), .personal = true, .rank = 5, .help = N_("effective user"),
	     .source = "owner of /proc/PID, /etc/passwd"),
	STAT(uid, A_LABEL(N_("UID"), 6), .personal = true, .hidden = true, .help = N_("effective UID"),
	     .source = "owner of /proc/PID"),
	STAT(kernel_thread, A_LABEL(N_("kthread"), 7), .hidden = true,
	     .help = N_("1: a kernel thread; 0: a process"),
	     .source = "/proc/PID/stat flags, PF_KTHREAD"),
	STAT(resident_bytes, A_GAUGE(BYTES, N_("RSS"), 6), .additive = true, .trend = true, .rank = 2,
	     .help = N_("resident memory, shared pages included"),
	     .source = "/proc/PID/statm resident, else stat rss"),
	ROW(growth_bytes_per_second, A_GAUGE(BYTES_PER_SECOND, N_("growth/s"), 9), .rank = 3, .hidden = true,
	    .help = N_("growth of RSS over the last 10 to 20 s, or since the process was first seen; "
		       "negative: it shrank; unknown in the first 3 s"),
	    .source = "growth of resident_bytes / time"),
	ROW(grown_seconds, A_GAUGE(SECONDS, N_("grown"), 6), .rank = 6, .hidden = true, .whole = true,
	    .help = N_("time for which it has grown as fast as now, where its size says so: its age, if its "
		       "mean growth since its start is at most 1.5 times more or less; else 0"),
	    .source = "start_seconds, resident_bytes, growth_bytes_per_second"),
	STAT(memory_ratio, A_GAUGE(RATIO, N_("%mem"), 5), .rank = 6, .hidden = true,
	     .help = N_("RSS as a share of all memory; shared pages count in each process"),
	     .source = "resident_bytes / MemTotal of /proc/meminfo"),
	SIZE(virtual_bytes, N_("virt"), N_("address space: mapped, whether in memory or not"),
	     "/proc/PID/statm size"),
	SIZE(shared_bytes, N_("shared"), N_("the part of RSS that is files and shared memory"),
	     "/proc/PID/statm shared"),
	ROW(swapped_bytes, A_GAUGE(BYTES, N_("swap"), 6), .rank = 4, .hidden = true,
	    .help = N_("swapped out; known where no swap is in use, and of the processes on the screen"),
	    .source = "/proc/PID/status VmSwap; 0 if SwapTotal - SwapFree of /proc/meminfo is 0"),
	REQUESTED(proportional_bytes, REQUEST_PROPORTIONAL, A_GAUGE(BYTES, N_("PSS"), 6), .rank = 3,
		  .hidden = true, .slow = true,
		  .help = N_("proportional memory: RSS with each shared page divided by the processes that "
			     "map it; slow to read, so known of the processes on the screen, and in batch "
			     "where it is named"),
		  .source = "/proc/PID/smaps_rollup Pss"),
	REQUESTED(touched_bytes, REQUEST_TOUCHED, A_GAUGE(BYTES, N_("touched"), 7), .rank = 3, .hidden = true,
		  .slow = true, .disturbs = true,
		  .help = N_("resident memory that it used in touched_window_seconds: on the screen where "
			     "the user has it measured, in batch where it is named; it clears the accessed "
			     "bits of the process"),
		  .source = "/proc/PID/smaps_rollup or smaps, Referenced, after 1 was written to clear_refs"),
	REQUESTED(touched_window_seconds, REQUEST_TOUCHED, A_GAUGE(SECONDS, N_("window"), 7), .rank = 4,
		  .hidden = true, .slow = true,
		  .help = N_("time from the clearing to the reading of touched_bytes"),
		  .source = "CLOCK_MONOTONIC"),
	REQUESTED(touched_age_seconds, REQUEST_TOUCHED, A_GAUGE(SECONDS, N_("measured"), 8), .rank = 4,
		  .hidden = true, .slow = true, .help = N_("time since touched_bytes was read"),
		  .source = "CLOCK_MONOTONIC"),
	STAT(minor_faults, A_COUNTER(COUNT, N_("minflt"), 8), .hidden = true,
	     .help = N_("page faults without storage access, since its start"),
	     .source = "/proc/PID/stat minflt"),
	STAT(major_faults, A_COUNTER(COUNT, N_("majflt"), 8), .hidden = true,
	     .help = N_("page faults that waited for storage, since its start"),
	     .source = "/proc/PID/stat majflt"),
	STAT(minor_faults_per_second, A_RATE(PER_SECOND, N_("minflt/s"), 8), .hidden = true,
	     .rate_of = offsetof(struct process_row, minor_faults),
	     .help = N_("page faults without storage access"), .source = "growth of minor_faults / time"),
	STAT(major_faults_per_second, A_RATE(PER_SECOND, N_("majflt/s"), 8), .hidden = true,
	     .rate_of = offsetof(struct process_row, major_faults),
	     .help = N_("page faults that waited for storage"), .source = "growth of major_faults / time"),
	STORED_RATE(disk_bytes, N_("I/O/s"),
		    N_("read from storage and written to it, also by children that have ended and that "
		       "panetop did not see"), .rank = 1, .trend = true),
	STORED_RATE(read_bytes, N_("read/s"),
		    N_("read from storage, not from the page cache; also by children that have ended and "
		       "that panetop did not see"), .rank = 2, .additive = true),
	STORED_RATE(write_bytes, N_("write/s"),
		    N_("written to storage; counted when its pages become dirty, also of files that are "
		       "deleted before they reach the disk, and by children as those of read/s"),
		    .rank = 2, .additive = true),
	STORED(disk_bytes, N_("I/O"), N_("read from storage and written to it since its start"),
	       "read_bytes + write_bytes"),
	STORED(read_bytes, N_("read"),
	       N_("read from storage since its start, by itself and by children that panetop did not see"),
	       "/proc/PID/io read_bytes, less those of children seen"),
	STORED(write_bytes, N_("written"),
	       N_("written to storage since its start, by itself and by children that panetop did not see; "
		  "cancelled writes are included"),
	       "/proc/PID/io write_bytes, less those of children seen"),
	REQUESTED(children_faults_per_second, REQUEST_IO, A_RATE(PER_SECOND, N_("chflt/s"), 7),
		  .hidden = true, .rate_of = OFFSET_APART(children_faults),
		  .help = N_("growth of children_faults: where it is not 0, bytes read and written may be of "
			     "a child that has ended"),
		  .source = "growth of children_faults / time"),
	REQUESTED(children_faults, REQUEST_IO, A_COUNTER(COUNT, N_("chflt"), 7), .hidden = true,
		  .help = N_("page faults without storage access of children that ended and were waited for"),
		  .source = "/proc/PID/stat cminflt"),
	REQUESTED(wait_ratio, REQUEST_WAIT, A_RATE(RATIO, N_("%wait"), 6), .rank = 2, .hidden = true,
		  .high = 0.5, .alarming = 0.9, .trend = true, .rate_of = OFFSET_APART(wait_seconds),
		  .help = N_("share of the time that its threads were ready to run but had no CPU, added up; "
			     "the kernel counts a wait when it is over: what is longer than the interval "
			     "counts in the next ones"),
		  .source = "growth of wait_seconds / time"),
	REQUESTED(switches_per_second, REQUEST_WAIT, A_RATE(PER_SECOND, N_("switch/s"), 8), .rank = 4,
		  .hidden = true, .rate_of = OFFSET_APART(switches),
		  .help = N_("context switches to its threads"), .source = "growth of switches / time"),
	REQUESTED(wait_seconds, REQUEST_WAIT, A_COUNTER(SECONDS, N_("waited"), 8), .rank = 4, .hidden = true,
		  .help = N_("time its threads waited for a CPU, without threads that exited before it was "
			     "read"),
		  .source = "second number of /proc/PID/task/TID/schedstat, all threads"),
	REQUESTED(switches, REQUEST_WAIT, A_COUNTER(COUNT, N_("switches"), 8), .rank = 5, .hidden = true,
		  .help = N_("context switches to its threads, without threads that exited before it was "
			     "read"),
		  .source = "third number of /proc/PID/task/TID/schedstat, all threads"),
	PAYLOAD_RATE(received_bytes, REQUEST_NETWORK, N_("recv/s"),
		     N_("payload that its sockets received, without headers")),
	PAYLOAD_RATE(sent_bytes, REQUEST_NETWORK, N_("sent/s"),
		     N_("payload that its sockets sent, without headers")),
	PAYLOAD(received_bytes, REQUEST_NETWORK, N_("received"),
		N_("payload that its sockets received since panetop began to count"), COUNTED),
	PAYLOAD(sent_bytes, REQUEST_NETWORK, N_("sent"),
		N_("payload that its sockets sent since panetop began to count"), COUNTED),
	PAYLOAD_RATE(tcp_bytes, REQUEST_TCP, N_("TCP/s"),
		     N_("payload received and sent by TCP, without headers; unknown where its sockets are "
			"not read: those of other users, and of other network namespaces")),
	PAYLOAD_RATE(tcp_received_bytes, REQUEST_TCP, N_("TCP r/s"),
		     N_("payload received by TCP, without headers")),
	PAYLOAD_RATE(tcp_sent_bytes, REQUEST_TCP, N_("TCP s/s"), N_("payload sent by TCP, without headers")),
	PAYLOAD(tcp_bytes, REQUEST_TCP, N_("TCP"),
		N_("payload received and sent by TCP since panetop began to count"), OF_SOCKETS),
	PAYLOAD(tcp_received_bytes, REQUEST_TCP, N_("TCP recv"),
		N_("payload received by TCP since panetop began to count"), OF_SOCKETS),
	PAYLOAD(tcp_sent_bytes, REQUEST_TCP, N_("TCP sent"),
		N_("payload sent by TCP since panetop began to count"), OF_SOCKETS),
	ROW(stat_age_seconds, A_GAUGE(SECONDS, N_("age"), 5), .hidden = true,
	    .help = N_("age of its state, parent, threads, nice, RSS and page faults: they are read again "
		       "when it ran, while the screen shows it, and else about every 15 seconds; from 500 "
		       "processes on BPF sees which have changed, and the others are read every 2 minutes"),
	    .source = "CLOCK_MONOTONIC since /proc/PID/stat was read"),
	APART(joules, A_COUNTER(JOULES, N_("~joules"), 8), .hidden = true,
	      .help = N_("energy for its CPU time since its start, by the same estimate"),
	      .source = "cpu_seconds * slope of the calibration"),
	REQUESTED(group, REQUEST_GROUP, A_LABEL(N_("group"), 24), .rank = 4, .hidden = true,
		  .help = N_("path of its control group: of version 1 the deepest one among cpu, memory, "
			     "pids, blkio and systemd; read at first sight, and again in turn with the "
			     "state"),
		  .source = "/proc/PID/cgroup"),
	TEXT(command, N_("command"), N_("command line; [name]: a kernel thread; the name until it is read"),
	     "/proc/PID/cmdline", .text = TEXT_COMMAND, .personal = true),
	TEXT(command_base, N_("command"), N_("command line without the directory of the program"),
	     "/proc/PID/cmdline", .hidden = true, .text = TEXT_COMMAND, .personal = true),
	TEXT(program, N_("program"), N_("first word of the command line"), "/proc/PID/cmdline",
	     .hidden = true, .text = TEXT_COMMAND, .personal = true),
	TEXT(program_base, N_("program"), N_("first word of the command line, without directory"),
	     "/proc/PID/cmdline", .hidden = true, .personal = true),
	TEXT(name, N_("name"), N_("name, at most 15 bytes"), "/proc/PID/stat comm", .hidden = true,
	     .grouping = "command"),
};

static const struct schema schema = {
	.name = "process", .help = N_("processes and the CPU time they use"), .from_zero = true,
	.apart_size = sizeof(struct process_apart), .apart = offsetof(struct process_row, apart),
	SCHEMA_ROWS(struct process_row, columns),
};

#define STEADY 1.5 /* times as fast, or as slow: about the same */
#define IO "proc/self/io"
#define SCHEDSTAT "proc/self/schedstat"

static const char *base_of(const char *text, size_t program_length)
{
	const char *slash = memrchr(text, '/', program_length);

	return slash && slash[1] != '\0' && *text == '/' ? slash + 1 : text;
}

static void set_texts(struct frame *frame, struct process_row *row, const struct process *process)
{
	struct arena *arena = &frame->arena;

	row->name = arena_copy(arena, process->name, strlen(process->name));
	if (!process->command) {
		row->command = process_is_kernel_thread(process) ? arena_print(arena, "[%s]", process->name)
								 : row->name;
		row->program = row->program_base = row->command_base = row->command;
		return;
	}
	row->command = arena_copy(arena, process->command, strlen(process->command));
	row->command_base = base_of(row->command, process->program_length);
	row->program = arena_copy(arena, process->command, process->program_length);
	row->program_base = base_of(row->program, process->program_length);
}

static void set_times(struct process_row *row, const struct process *process,
		      const struct power_estimate *estimate)
{
	row->cpu_seconds = (double)process->cpu_ns / 1e9;
	row->system_seconds = (double)process->system_ns / 1e9;
	row->user_seconds = (double)(process->cpu_ns - process->system_ns) / 1e9;
	if (row->apart)
		row->apart->joules = power_estimate_joules(estimate, row->cpu_seconds);
}

static uint64_t bytes_of(const struct env *env, uint64_t pages)
{
	return pages < U64_UNKNOWN / env->page_bytes ? pages * env->page_bytes : U64_UNKNOWN;
}

/* NaN: not known. */
static double grown_seconds(const struct process_row *row, uint64_t boot_ns)
{
	double age = (double)boot_ns / 1e9 - row->start_seconds, bytes = u64_number(row->resident_bytes);
	double ratio = bytes / age / row->growth_bytes_per_second;

	if (isnan(ratio))
		return NAN;
	return age > 0 && ratio > 1 / STEADY && ratio < STEADY ? age : 0;
}

/* Fault counters of a process that was not seen before would all count as of this interval. */
static void set_stat(struct arena *arena, struct process_row *row, struct process *process,
		     const struct process_list *processes)
{
	const struct env *env = processes->env;

	if (process->stale)
		return;
	row->state = process->stat.state ? pid_state_text(process->stat.state) : NULL;
	row->processor = process->stat.processor == UINT32_MAX ? U64_UNKNOWN : process->stat.processor;
	row->threads = process->stat.threads;
	row->kernel_thread = process_is_kernel_thread(process);
	row->nice = (double)process->stat.nice;
	row->priority = (double)process->stat.priority;
	row->tty = terminal_name(arena, process->stat.terminal);
	if (process->stat.session >= 0)
		row->session = (uint64_t)process->stat.session;
	row->stat_age_seconds = (double)(processes->mono_ns - process->read_ns) / 1e9;
	row->resident_bytes = bytes_of(env, process->stat.resident_pages);
	row->growth_bytes_per_second = process_growth(process, row->resident_bytes, processes->mono_ns);
	row->grown_seconds = grown_seconds(row, processes->boot_ns);
	row->virtual_bytes = bytes_of(env, process->virtual_pages);
	row->shared_bytes = bytes_of(env, process->shared_pages);
	if (!process->clock_valid)
		return;
	row->minor_faults = process->stat.minor_faults;
	row->major_faults = process->stat.major_faults;
}

/* Which columns on request are wanted, and there. */
struct wanted {
	bool io, wait, proportional;
	const struct touch_list *touched; /* NULL: not wanted */
	struct traffic_list *traffic; /* NULL: not wanted, or not known */
	bool payload, tcp;            /* which of it is known */
	bool all; /* proportional: also of processes that are not on the screen */
};

static void set_traffic(struct process_apart *row, const struct process *process, const struct wanted *wanted)
{
	struct traffic_bytes bytes = { 0 };

	traffic_of_process(wanted->traffic, process->pid, process->start_ticks, &bytes);
	if (wanted->payload) {
		row->received_bytes = traffic_received(&bytes);
		row->sent_bytes = traffic_sent(&bytes);
	}
	if (!wanted->tcp || !traffic_list_knows_tcp(wanted->traffic, process->pid))
		return;
	row->tcp_received_bytes = bytes.received[TRAFFIC_TCP];
	row->tcp_sent_bytes = bytes.sent[TRAFFIC_TCP];
	row->tcp_bytes = row->tcp_received_bytes + row->tcp_sent_bytes;
}

static void set_requested(struct process_apart *row, const struct process *process,
			  const struct wanted *wanted)
{
	const struct process_io *io = wanted->io ? process_io_of(process) : NULL;
	const struct process_wait *wait = wanted->wait ? process_wait_of(process) : NULL;

	if (io) {
		row->read_bytes = io->read_bytes;
		row->write_bytes = io->write_bytes;
		row->disk_bytes = io->read_bytes + io->write_bytes;
		row->children_faults = process->stat.children_minor_faults;
	}
	if (wanted->traffic)
		set_traffic(row, process, wanted);
	if (wait) {
		row->wait_seconds = (double)wait->wait_ns / 1e9;
		row->switches = wait->runs;
	}
}

/* What is known of the memory of the machine, for columns that need it. */
struct machine_memory {
	uint64_t total_bytes;
	bool has_swap; /* some is in use */
	bool swap_known;
};

static struct machine_memory read_machine(struct env *env)
{
	struct machine_memory memory = { .total_bytes = U64_UNKNOWN };
	struct meminfo meminfo;
	struct span text;

	if (env_read(env, env_file(env, "proc/meminfo"), &text) < 0)
		return memory;
	meminfo_parse(text, &meminfo);
	memory.total_bytes = meminfo.total;
	memory.swap_known = meminfo.swap_total != U64_UNKNOWN && meminfo.swap_free != U64_UNKNOWN;
	memory.has_swap = meminfo.swap_total > meminfo.swap_free;
	return memory;
}

static bool is_visible(const struct sample_request *request, uint32_t pid)
{
	size_t at;

	VECTOR_BOUND(at, request->n_visible, request->visible[at] < pid);
	return at < request->n_visible && request->visible[at] == pid;
}

static bool has_apart(const struct process *process, const struct power_estimate *estimate,
		      const struct wanted *wanted)
{
	return process->group || wanted->io || wanted->wait || wanted->proportional || wanted->traffic ||
	       wanted->touched || !isnan(power_estimate_joules(estimate, 1));
}

static void set_touched(struct process_apart *row, const struct process *process,
			const struct touch_list *list)
{
	const struct touch_look *look = touch_list_find(list, process->pid, process->start_ticks);

	if (!look || look->report.read_ns == 0)
		return;
	row->touched_bytes = look->report.touched_bytes;
	row->touched_window_seconds = look->report.window_seconds;
	row->touched_age_seconds = (double)(env_mono_ns(list->env) - look->report.read_ns) / 1e9;
}

/* Reading it for all processes would cost more than everything else. */
static void set_memory(struct process_row *row, const struct process *process,
		       const struct process_list *processes, const struct machine_memory *memory)
{
	struct env *env = processes->env;
	struct pid_status status = { .vm_swap = U64_UNKNOWN };
	char bytes[4096], path[PROCESS_FILE_MAX];
	long length;

	if (row->resident_bytes < U64_BLANK && memory->total_bytes - 1 < U64_BLANK - 1)
		row->memory_ratio = (double)row->resident_bytes / (double)memory->total_bytes;
	if ((memory->swap_known && !memory->has_swap) || process_is_kernel_thread(process)) {
		row->swapped_bytes = 0;
	} else if (processes->request && is_visible(processes->request, process->pid)) {
		length = pids_read(env, process->pid, process_memory_file(process, "status", path), bytes,
				   sizeof(bytes));
		if (length > 0)
			pid_status_parse(span_of(bytes, (size_t)length), &status);
		row->swapped_bytes = status.vm_swap;
	}
}

static void add_row(struct frame *frame, struct table *table, const struct process_list *processes,
		    struct process *process, const struct power_estimate *estimate,
		    const struct machine_memory *memory, const struct wanted *wanted)
{
	struct process_row *row =
		has_apart(process, estimate, wanted) ? table_add(table) : table_add_bare(table);
	struct env *env = processes->env;

	row->pid = process->pid;
	row->start_seconds = process_start_seconds(env, process->start_ticks);
	row->ppid = process->stat.parent_pid;
	if (process->clock_valid)
		set_times(row, process, estimate);
	set_stat(&frame->arena, row, process, processes);
	if (process->clock_valid && row->apart)
		set_requested(row->apart, process, wanted);
	if (wanted->proportional && (wanted->all || is_visible(processes->request, process->pid)))
		row->apart->proportional_bytes = process->proportional_bytes;
	if (wanted->touched && wanted->touched->n_looks > 0)
		set_touched(row->apart, process, wanted->touched);
	set_memory(row, process, processes, memory);
	if (process->uid != UINT32_MAX) {
		row->uid = process->uid;
		row->user = users_name(env, process->uid);
	}
	if (process->group)
		row->apart->group = arena_copy(&frame->arena, process->group, strlen(process->group));
	set_texts(frame, row, process);
}

/* Threads of the whole machine minus those of the listed processes. */
static unsigned long hidden_threads(struct env *env, const struct process_list *processes)
{
	struct loadavg loadavg;
	struct span text;
	long hidden;

	if (env_read(env, env_file(env, "proc/loadavg"), &text) < 0 || !loadavg_parse(text, &loadavg))
		return 0;
	hidden = (long)loadavg.threads;
	for (size_t i = 0; i < processes->n_all; i++)
		hidden -= (long)processes->all[i]->stat.threads;
	return hidden > 0 ? (unsigned long)hidden : 0;
}

static const char hidden_remedy[] = N_("run it as root, or give it the capability cap_sys_ptrace");

static void notice_hidden(struct env *env, struct frame *frame, const struct process_list *processes)
{
	uint32_t stuck = command_lines_stuck(processes->commands);

	if (processes->n_denied > 0)
		frame_notice(frame, schema.name,
			     remedy_for_user(hidden_remedy),
			     P_("%zu process may not be read (hidepid)",
				"%zu processes may not be read (hidepid)", processes->n_denied),
			     processes->n_denied);
	else if (env->live && processes->n_failed == 0 && processes->n_all > 0 && processes->all[0]->pid != 1)
		frame_notice(
			frame, schema.name, remedy_for_user(hidden_remedy),
			P_("%lu thread of another user is hidden (hidepid)",
			   "%lu threads of other users are hidden (hidepid)", hidden_threads(env, processes)),
			hidden_threads(env, processes));
	if (processes->n_failed > 0)
		frame_notice(frame, schema.name, source_remedy(env, NULL, -processes->failure),
			     P_("%zu process could not be read: %s",
				"%zu processes could not be read: %s", processes->n_failed),
			     processes->n_failed, strerror(-processes->failure));
	if (stuck)
		frame_notice(frame, schema.name, NULL,
			     _("process %u blocks reads of its command line; others wait for it"),
			     stuck);
}

static void notice_missing(struct env *env, struct frame *frame, const char *path, const char *text)
{
	const struct source_spec *source = topic_source(&topic_process, path);

	frame_notice(frame, schema.name, source_remedy(env, source, ENOENT), "%s", text);
}

static bool read_io(struct env *env, struct frame *frame, struct process_list *processes)
{
	size_t n_denied;

	if (env->live && !env_exists(env, IO)) {
		notice_missing(env, frame, IO, _("what processes read and write is not counted"));
		return false;
	}
	n_denied = process_io_update(processes);
	if (n_denied > 0)
		frame_notice(frame, NOTICE_STORAGE,
			     remedy_for_user(N_("run it as root, or give it the capabilities cap_sys_ptrace "
						"and cap_dac_read_search")),
			     P_("I/O of %zu process cannot be read",
				"I/O of %zu processes cannot be read", n_denied),
			     n_denied);
	return true;
}

static bool read_wait(struct env *env, struct frame *frame, struct process_list *processes)
{
	if (env->live && !env_exists(env, SCHEDSTAT)) {
		notice_missing(env, frame, SCHEDSTAT, _("waiting for a CPU is not counted"));
		return false;
	}
	process_wait_update(processes);
	return true;
}

static bool read_proportional(const struct sample *sample, struct process_list *processes,
			      struct proportional **reader)
{
	const struct sample_request *request = sample->request;
	bool all = request->batch && request->named_columns;

	if (!sample_request_wants(request, &schema, REQUEST_PROPORTIONAL) || (request->batch && !all))
		return false;
	if (!*reader)
		*reader = proportional_open(sample->env);
	proportional_update(*reader, processes, request, all);
	return true;
}

struct state {
	struct process_list *processes;
	struct proportional *proportional; /* NULL: not requested yet */
	struct touch_list *touched;        /* NULL: not requested */
	struct traffic_list *traffic;
	bool tcp;                          /* it is wanted, and there are few enough sockets … */
	uint64_t too_many;                 /* … but this many; 0: not so */
	struct power_estimate estimate;
};

#define SOCKETS_MAX 300 /* on request of TCP alone: a look at each takes 2 to 6 us */

/* How many TCP sockets there are, without those that wait to be forgotten. */
static uint64_t n_sockets(struct env *env)
{
	static const char *const files[] = { "proc/net/sockstat", "proc/net/sockstat6" };
	struct span text;
	uint64_t n = 0;

	for (size_t i = 0; i < sizeof(files) / sizeof(files[0]); i++)
		if (env_read(env, env_file(env, files[i]), &text) == 0)
			n += sockstat_tcp(text);
	return n;
}

static bool wants_payload(const struct sample *sample)
{
	return sample_request_wants(sample->request, &schema, REQUEST_NETWORK);
}

static void want_traffic(struct sample *sample, struct state *state)
{
	bool payload = wants_payload(sample);
	bool tcp = sample->env->live && sample_request_wants(sample->request, &schema, REQUEST_TCP);
	uint64_t n = tcp && !payload ? n_sockets(sample->env) : 0;

	state->too_many = n > SOCKETS_MAX ? n : 0;
	state->tcp = tcp && !state->too_many;
	if (payload)
		traffic_list_want(state->traffic, TRAFFIC_COUNTS);
	if (state->tcp)
		traffic_list_want(state->traffic, TRAFFIC_ONLY_TCP);
}

/* An update also ends what was counted in the kernel and is no longer wanted. */
static void read_traffic(struct sample *sample, const struct state *state, struct wanted *wanted)
{
	struct traffic_list *list = state->traffic;
	bool payload = wants_payload(sample);

	if (state->too_many)
		frame_notice(sample->frame, NOTICE_SOCKETS, N_("the pane network reads them all"),
			     _("TCP of processes is not shown: to read %llu sockets here costs too much"),
			     (unsigned long long)state->too_many);
	if (payload || state->tcp || list->processes.opened)
		reader_update(&traffic_reader, sample);
	if (payload)
		trace_notice(&list->processes.trace, sample->frame,
			     _("of what processes receive and send only TCP is known"));
	wanted->payload = payload && list->traced;
	wanted->tcp = state->tcp && list->sockets_error == 0;
	wanted->traffic = wanted->payload || wanted->tcp ? list : NULL;
}

static size_t denied_looks(const struct touch_list *list)
{
	size_t n = 0;

	for (size_t i = 0; i < list->n_looks; i++)
		n += list->looks[i]->state == TOUCH_FAILED;
	return n;
}

static void notice_touched(struct sample *sample, const struct touch_list *list)
{
	size_t n_denied = denied_looks(list);

	if (list->n_left_out > 0)
		frame_notice(sample->frame, schema.name, N_("name them with --pid"),
			     P_("touched memory of %zu process is not measured: there are too many",
				"touched memory of %zu processes is not measured: there are too many",
				list->n_left_out),
			     list->n_left_out);
	if (n_denied > 0)
		frame_notice(sample->frame, schema.name,
			     remedy_for_user(N_("run it as root, or give it the capabilities cap_sys_ptrace "
						"and cap_dac_override")),
			     P_("touched memory of %zu process is hidden",
				"touched memory of %zu processes is hidden", n_denied),
			     n_denied);
}

/* In batch of those that --pid selects, or else of all that may be read. */
static void measure_touched(struct sample *sample, struct state *state)
{
	const struct process_list *processes = state->processes;
	struct touch_list *list = state->touched;

	for (size_t i = 0; i < processes->n_all; i++) {
		const struct process *process = processes->all[i];

		if (process_is_kernel_thread(process) || process->stat.state == 'Z' || process->outside ||
		    (sample->request->processes &&
		     !process_matches(process, span_text(sample->request->processes))))
			continue;
		touch_list_want(list, process->pid,
				process->living_tid ? process->living_tid : process->pid,
				process->start_ticks, false);
	}
	touch_list_wait(list);
	notice_touched(sample, list);
}

/* On the screen the user starts windows; they end when no table shows them any more. */
static const struct touch_list *read_touched(struct sample *sample, struct state *state)
{
	const struct sample_request *request = sample->request;

	if (!sample_request_wants(request, &schema, REQUEST_TOUCHED) || !sample->env->live ||
	    (request->batch && !request->touches_all)) {
		if (state->touched)
			reader_close(&touch_reader, sample->env);
		return state->touched = NULL;
	}
	if (!state->touched)
		state->touched = reader_open(&touch_reader, sample, NULL);
	if (request->batch)
		measure_touched(sample, state);
	else
		touch_list_step(state->touched);
	return state->touched;
}

static struct wanted read_wanted(struct sample *sample, struct state *state)
{
	struct process_list *processes = state->processes;
	const struct sample_request *request = sample->request;
	struct wanted wanted = {
		.io = sample_request_wants(request, &schema, REQUEST_IO) &&
		      read_io(sample->env, sample->frame, processes),
		.wait = sample_request_wants(request, &schema, REQUEST_WAIT) &&
			read_wait(sample->env, sample->frame, processes),
		.proportional = read_proportional(sample, processes, &state->proportional),
		.touched = read_touched(sample, state),
		.all = request->batch,
	};

	read_traffic(sample, state, &wanted);
	return wanted;
}

static void prepare(struct sample *sample)
{
	const struct sample_request *request = sample->request;
	struct state *state = sample->state;

	state->processes->all_commands = request->all_commands || request->idle_shown;
	power_estimate_update(&state->estimate, sample);
	want_traffic(sample, state);
}

static int sample(struct sample *sample)
{
	struct frame *frame = sample->frame;
	struct table *table = sample->table;
	struct state *state = sample->state;
	struct process_list *processes = state->processes;
	struct machine_memory memory;
	struct wanted wanted;

	table->mono_ns = processes->mono_ns;
	memory = read_machine(sample->env);
	processes->groups = sample_request_wants(sample->request, &schema, REQUEST_GROUP);
	if (processes->groups)
		process_list_read_groups(processes, 0);
	else if (sample->request->group_pid)
		process_list_read_groups(processes, sample->request->group_pid);
	wanted = read_wanted(sample, state);
	for (size_t i = 0; i < processes->n_all; i++)
		add_row(frame, table, processes, processes->all[i], &state->estimate, &memory, &wanted);
	notice_hidden(sample->env, frame, processes);
	return 0;
}

static void close_process(struct sample *sample)
{
	struct state *state = sample->state;

	proportional_close(state->proportional);
	if (state->touched)
		reader_close(&touch_reader, sample->env);
	power_estimate_close(&state->estimate);
}

const struct topic topic_process = {
	.schema = &schema,
	.sources = SOURCES(
		{ .path = "proc/self/stat", .gives = N_("state, parent and counters of each process") },
		{ .path = "proc/self/cmdline", .gives = N_("command lines"), .optional = true },
		{ .path = IO, .gives = N_("what each process reads from storage and writes to it"),
		  .optional = true,
		  .remedies = { { ENOENT, N_("this kernel was built without CONFIG_TASK_IO_ACCOUNTING") } } },
		{ .path = SCHEDSTAT, .gives = N_("how long each process waits for a CPU"), .optional = true,
		  .remedies = { { ENOENT, N_("this kernel was built without CONFIG_SCHED_INFO") } } }),
	.state_size = sizeof(struct state), .setting = POWER_FIT_SETTING, .setting_uses = ENERGY_USES,
	.uses = PRIVILEGE_BIT(PRIVILEGE_HIDDEN) | PRIVILEGE_BIT(PRIVILEGE_SIGNAL) |
		PRIVILEGE_BIT(PRIVILEGE_BPF) |
		PRIVILEGE_BIT(PRIVILEGE_NICE),
	.request_uses = PRIVILEGE_BIT(PRIVILEGE_IO) | PRIVILEGE_BIT(PRIVILEGE_MAPS) |
			PRIVILEGE_BIT(PRIVILEGE_DETAILS) | PRIVILEGE_BIT(PRIVILEGE_BPF),
	.reads = READINGS(READING(struct state, processes, &process_reader),
			  READING_ON_DEMAND(struct state, traffic, &traffic_reader)),
	.prepare = prepare, .sample = sample, .close = close_process, .act = process_act,
	.find_scope = process_scope_find,
};
