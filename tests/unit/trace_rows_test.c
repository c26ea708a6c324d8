/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Tests of topics whose counts come from programs in the kernel: over entries that a test gives in the place
 * of those programs, without rights.
 */
#include <config.h>

#include <errno.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "core/histogram.h"
#include "core/unknown.h"
#include "rig.h"
#include "model/scope.h"
#include "model/trace_spec.h"
#include "topic/disk/disk_user_list.h"
#include "topic/memory/allocations.h"
#include "topic/memory/cache_list.h"
#include "topic/network/traffic_list.h"
#include "topic/reader.h"
#include "topic/trace/trace.h"

#define MS UINT64_C(1000000)

/* What the programs of a topic count: of all its plans, or of one. */
struct counted {
	const char *topic;
	const struct trace_plan *plan;
	const void *keys, *entries;
	size_t n;
	struct bpf_phases *phases;
};

static struct counted counted, also_counted;
static size_t n_forgotten;
static struct trace_sets opened; /* for the topic tracing */
static struct bpf_self selves[3]; /* of the programs of the first one */
static uint64_t n_lost, n_refused; /* by each program of what is counted; refused: for want of room */
static struct trace_set *last_opened;
static int open_error = -EPERM; /* of what is not counted */
static unsigned n_opens, n_closes;

/* Of the topics of waits. */
static struct bpf_waiter *waiters; /* NULL: they cannot be read */
static size_t n_waiters;
static unsigned n_waiters_forgotten, n_iterations;
static int want_error = -ENOTSUP;
static const struct bpf_program *stopped; /* the last one that was */
static unsigned n_stops;
static uint64_t timed_ns; /* of each program: one run of 64 is timed */
static char wanted[256];  /* what trace_want() was told: "+7 -42 " */
static uint64_t stacks[3][BPF_STACK_FRAMES], before[BPF_STACK_FRAMES]; /* before: of thread 9 */

static bool counts(const struct counted *of, const struct trace_set *set)
{
	return set->plan && of->topic && strcmp(of->topic, set->plan->topic) == 0 &&
	       (!of->plan || of->plan == set->plan);
}

static const struct counted *counted_by(const struct trace_set *set)
{
	return counts(&counted, set) ? &counted : counts(&also_counted, set) ? &also_counted : NULL;
}

void trace_open_process(struct trace_set *set, struct env *env, const struct sample_request *request,
			const struct trace_plan *plan, uint32_t process)
{
	(void)request;
	*set = (struct trace_set){ .env = env, .plan = plan, .process = process };
	set->error = counted_by(set) ? 0 : open_error;
	last_opened = set;
	n_opens++;
	for (unsigned i = 0; i < plan->n_programs && !set->error; i++)
		set->running[set->n_running++].program = &plan->programs[i];
}

void trace_open(struct trace_set *set, struct env *env, const struct sample_request *request,
		const struct trace_plan *plan)
{
	trace_open_process(set, env, request, plan, 0);
}

bool trace_read(struct trace_set *set)
{
	const struct counted *of = counted_by(set);

	if (!of)
		return false;
	set->keys = (uint64_t *)of->keys;
	set->all = (void *)of->entries;
	set->n_entries = of->n;
	set->memory[BPF_MAP_HISTOGRAMS] = of->phases;
	return true;
}

void trace_forget(struct trace_set *set, size_t entry)
{
	ck_assert_uint_lt(entry, set->n_entries);
	n_forgotten++;
}

void trace_close(struct trace_set *set)
{
	n_closes += set->plan != NULL;
	*set = (struct trace_set){ 0 };
}

static const struct bpf_program *last_added;
static unsigned n_added;

int trace_add(struct trace_set *set, const struct bpf_program *program)
{
	(void)set;
	last_added = program;
	n_added++;
	return 0;
}

void trace_stop(struct trace_set *set, const struct bpf_program *program)
{
	ck_assert_ptr_nonnull(set->plan);
	stopped = program;
	n_stops++;
}

int trace_direct(const struct trace_set *set, uint32_t cpu, int event)
{
	(void)set;
	(void)cpu;
	(void)event;
	return -ENOTSUP;
}

/* cppcheck-suppress constParameter */
bool trace_read_waiters(struct trace_set *set)
{
	set->waiters.values = waiters;
	set->waiters.n = n_waiters;
	return waiters != NULL;
}

/* cppcheck-suppress constParameter */
void trace_forget_waiter(struct trace_set *set, size_t waiter)
{
	ck_assert_uint_lt(waiter, set->waiters.n);
	n_waiters_forgotten++;
}

/* cppcheck-suppress constParameter */
int trace_want(struct trace_set *set, uint64_t process, bool is_wanted)
{
	(void)set;
	snprintf(wanted + strlen(wanted), sizeof(wanted) - strlen(wanted), "%c%u ", is_wanted ? '+' : '-',
		 (unsigned)process);
	return want_error;
}

/* cppcheck-suppress constParameter */
int trace_iterate(struct trace_set *set)
{
	(void)set;
	n_iterations++;
	return -ENOTSUP;
}

/* cppcheck-suppress constParameter */
bool trace_stack(const struct trace_set *set, uint32_t stack, uint64_t frames[BPF_STACK_FRAMES])
{
	(void)set;
	if (stack >= sizeof(stacks) / sizeof(stacks[0]))
		return false;
	memcpy(frames, stacks[stack], sizeof(stacks[stack]));
	return true;
}

/* cppcheck-suppress constParameter */
bool trace_stack_before(const struct trace_set *set, uint64_t thread, uint64_t frames[BPF_STACK_FRAMES])
{
	(void)set;
	if (thread != 9)
		return false;
	memcpy(frames, before, sizeof(before));
	return true;
}

const struct bpf_walk *trace_walk(struct trace_set *set)
{
	(void)set;
	return NULL;
}

void trace_notice(const struct trace_set *set, struct frame *frame, const char *without)
{
	(void)set;
	(void)frame;
	(void)without;
}

/* cppcheck-suppress constParameter */
struct bpf_self trace_self(struct trace_set *set, unsigned running)
{
	if (opened.n > 0 && opened.list[0] == set)
		return selves[running];
	return counted_by(set) ? (struct bpf_self){ .lost = n_lost, .timed_ns = timed_ns }
			       : (struct bpf_self){ 0 };
}

/* cppcheck-suppress constParameter */
struct bpf_self trace_own(struct trace_set *set, unsigned running)
{
	struct bpf_self self = trace_self(set, running);

	self.lost = counted_by(set) ? n_refused : self.lost;
	return self;
}

const struct trace_sets *trace_opened(const struct env *env)
{
	(void)env;
	return &opened;
}

static int test_error;

int trace_test(struct env *env)
{
	(void)env;
	return test_error;
}

#define SLICE_BYTES (40 * 65536) /* of the names of functions, in a sample */

/* What was counted until the name of a function was found is in no row. */
START_TEST(timers_whose_name_comes_late_begin_then)
{
	static const char *const names[] = { "timer", NULL };
	static const uint64_t keys[][3] = { { 7, 0xffffffff81000010, 0 }, { 7, 0xffffffff81000010, 1 } };
	static struct bpf_entry entries[2] = { { .count = 300 }, { .count = 50 } };
	static char others[SLICE_BYTES + 64];
	static const char other[] = "ffffffff81000020 t other\n";
	const struct frame *frame;
	struct rig rig;

	for (size_t at = 0; at < SLICE_BYTES; at += strlen(other))
		memcpy(others + at, other, sizeof(other));
	counted = (struct counted){ "timer", NULL, keys, entries, 2, NULL };
	rig_open(&rig, "readers", names);
	rig_put(&rig, "proc/kallsyms", "%sffffffff81000010 t it_real_fn\n", others);
	ck_assert_uint_eq(frame_table(rig_sample(&rig, 0), "timer")->n_rows, 0);
	entries[0].count += 20;
	entries[1].count += 1;
	frame = rig_sample(&rig, 0);
	check_row(frame, "timer", "pid=7 function=it_real_fn fired=1 armed=20 command=a) R (b");
	rig_close(&rig);
}


#define SOCKET(pid, sent, family, protocol)                                                                  \
	((pid) | (uint64_t)(sent) << 32 | (uint64_t)(family) << 33 | (uint64_t)(protocol) << 48)

#define CALL(pid, number, error, bucket)                                                                     \
	((uint64_t)(pid) << BPF_CALL_PROCESS_SHIFT | (uint64_t)(number) << BPF_CALL_NUMBER_SHIFT |           \
	 (uint64_t)(error) << BPF_CALL_ERROR_SHIFT | (bucket))

/* Of those that exit what was not shown yet is in rows of their own, by call. */
START_TEST(calls_are_by_process_and_those_that_exit)
{
	static const char *const names[] = { "call", NULL };
	static const uint64_t keys[] = { CALL(7, SYS_close, 0, 0), CALL(7, SYS_close, EBADF, 0),
					 CALL(42, SYS_close, 0, 0), CALL(5000, SYS_close, EINTR, 0) };
	static struct bpf_entry entries[] = {
		{ .count = 10 }, { .count = 2 }, { .count = 5 }, { .count = 3 }
	};
	const struct frame *frame;
	struct rig rig;

	counted = (struct counted){ "call", NULL, keys, entries, 4, NULL };
	n_forgotten = 0;
	rig_open(&rig, "readers", names);
	rig_sample(&rig, 0);
	ck_assert_uint_eq(n_forgotten, 1);
	entries[0].count += 100;
	entries[1].count += 6;
	entries[2].count += 4;
	counted.n = 3;
	rig_remove(&rig, "proc/42");
	frame = rig_sample(&rig, 2);
	check_row(frame, "call",
		  "pid=7 start_seconds=5 call=close calls_per_second=53 errors_per_second=3 calls=118 "
		  "errors=8 how=bpf command=a) R (b error_names=EBADF 8");
	check_row(frame, "call",
		  "start_seconds=0 call=close calls_per_second=2 errors_per_second=0 calls=7 errors=3 "
		  "how=bpf command=(exited) error_names=EINTR 3");
	ck_assert_uint_eq(frame_table(frame, "call")->n_rows, 2);
	rig_close(&rig);
}

/* Of calls with times the bucket is in the word; those that had begun before have none. */
START_TEST(times_of_calls_are_of_those_that_have_one)
{
	static const char *const names[] = { "call", NULL };
	static const uint64_t keys[] = {
		CALL(7, SYS_close, 0, 0),	CALL(7, SYS_close, 0, 1),  CALL(7, SYS_close, 0, 2),
		CALL(7, SYS_close, EBADF, 3), CALL(42, SYS_close, 0, 1), CALL(42, SYS_close, 0, 2),
		CALL(42, SYS_close, 0, 3),
	};
	static struct bpf_entry entries[] = {
		{ .count = 5000 },
		{ .count = 50, .sum = 200, .most = 7 },
		{ .count = 49, .sum = 600, .most = 15 },
		{ .count = 1, .sum = 22, .most = 22 },
		{ .count = 49, .sum = 200 * MS, .most = 7 },
		{ .count = 49, .sum = 600 * MS, .most = 15 },
		{ .count = 2, .sum = 44 * MS, .most = 22 },
	};
	const struct frame *frame;
	struct rig rig;

	counted = (struct counted){ "call", NULL, keys, entries, 7, NULL };
	rig_open(&rig, "readers", names);
	frame = rig_sample(&rig, 0);
	check_row(frame, "call",
		  "pid=7 start_seconds=5 call=close p50_seconds=8e-09 p99_seconds=1.6e-08 "
		  "max_seconds=2.2e-08 calls=5100 errors=1 seconds=8.22e-07 how=bpf command=a) R (b "
		  "error_names=EBADF 1");
	check_row(frame, "call",
		  "pid=42 start_seconds=90 call=close p50_seconds=1.6e-08 p99_seconds=2.2e-08 "
		  "max_seconds=2.2e-08 calls=100 errors=0 seconds=0.844 how=bpf command=cc1\n\033[31m "
		  "error_names=");
	rig_close(&rig);
}

static bool has_notice_of(const struct frame *frame, const char *topic, const char *text)
{
	for (unsigned i = 0; i < frame->n_notices; i++)
		if (strcmp(frame->notices[i].topic, topic) == 0 &&
		    (!text || strcmp(frame->notices[i].text, text) == 0))
			return true;
	return false;
}

START_TEST(lost_calls_are_told)
{
	static const char *const names[] = { "call", NULL };
	static const uint64_t keys[] = { CALL(7, SYS_close, 0, 0) };
	static struct bpf_entry entries[] = { { .count = 10 } };
	struct rig rig;

	counted = (struct counted){ "call", NULL, keys, entries, 1, NULL };
	rig_open(&rig, "readers", names);
	ck_assert(!has_notice_of(rig_sample(&rig, 0), "call", NULL));
	n_lost = 1;
	ck_assert(has_notice_of(rig_sample(&rig, 1), "call", "1 system call at most is not counted"));
	n_lost = 20;
	ck_assert(has_notice_of(rig_sample(&rig, 1), "call", "20 system calls at most are not counted"));
	rig_close(&rig);
}

static void set_opened(uint64_t *key, uint64_t error, const char *command, const char *path)
{
	memset(key, 0, N_BPF_OPENED_WORDS * sizeof(*key));
	key[BPF_OPENED_ERROR] = error;
	snprintf((char *)&key[BPF_OPENED_COMMAND], BPF_COMMAND_BYTES, "%s", command);
	snprintf((char *)&key[BPF_OPENED_PATH], BPF_OPENED_PATH_BYTES, "%.*s", BPF_OPENED_PATH_BYTES - 1,
		 path);
}

START_TEST(opens_are_by_path_and_result)
{
	static const char *const names[] = { "opened_total", NULL };
	static uint64_t keys[5][N_BPF_OPENED_WORDS];
	static struct bpf_entry entries[5] = {
		{ .count = 1 }, { .count = 20 }, { .count = 4 }, { .count = 7 }, { .count = 9 }
	};
	char path[200];
	const struct frame *frame;
	struct rig rig;

	memset(path, 'x', sizeof(path) - 1);
	path[sizeof(path) - 1] = '\0';
	set_opened(keys[0], 0, "cron", "/etc/passwd");
	set_opened(keys[1], 0, "sshd", "/etc/passwd");
	set_opened(keys[2], ENOENT, "sshd", "/etc/passwd");
	set_opened(keys[3], EFAULT | BPF_OPENED_UNREAD, "sh", "");
	set_opened(keys[4], BPF_OPENED_CUT, "sh", path);
	counted = (struct counted){ "opened_total", NULL, keys, entries, 5, NULL };
	rig_open(&rig, "readers", names);
	rig_sample(&rig, 0);
	entries[1].count += 30;
	frame = rig_sample(&rig, 2);
	check_row(frame, "opened_total",
		  "path=/etc/passwd result=opened opens_per_second=15 opens=51 counted=51 commands=2 "
		  "command=sshd");
	check_row(frame, "opened_total",
		  "path=/etc/passwd result=ENOENT opens_per_second=0 opens=4 counted=4 commands=1 "
		  "command=sshd");
	check_row(frame, "opened_total",
		  "path=(unreadable) result=EFAULT opens_per_second=0 opens=7 counted=7 commands=1 "
		  "command=sh");
	snprintf(path + BPF_OPENED_PATH_BYTES - 1, 4, "…");
	ck_assert_uint_eq(cell_u64(frame, "opened_total", path, "opens"), 9);
	rig_close(&rig);
}

/* Of equal ones the first in the alphabet is named. */
START_TEST(a_path_has_the_command_that_opened_it_most)
{
	static const char *const names[] = { "opened_total", NULL };
	static uint64_t keys[7][N_BPF_OPENED_WORDS];
	static struct bpf_entry entries[7] = {
		{ .count = 3 }, { .count = 3 }, { .count = 2 }, { .count = 1 },
		{ .count = 1 }, { .count = 2 }, { .count = 2 },
	};
	char path[BPF_OPENED_PATH_BYTES];
	const struct frame *frame;
	struct rig rig;

	memset(path, 'x', sizeof(path));
	path[sizeof(path) - 1] = '\0'; /* the longest that is whole */
	set_opened(keys[0], 0, "sshd", "/a");
	set_opened(keys[1], 0, "cron", "/a");
	set_opened(keys[2], 0, "bash", "/a");
	set_opened(keys[3], EACCES, "bash", "/a");
	set_opened(keys[4], 0, "bash", "/b");
	set_opened(keys[5], 0, "cron", "/b");
	set_opened(keys[6], 0, "bash", path);
	counted = (struct counted){ "opened_total", NULL, keys, entries, 7, NULL };
	rig_open(&rig, "readers", names);
	frame = rig_sample(&rig, 0);
	ck_assert_uint_eq(frame_table(frame, "opened_total")->n_rows, 4);
	check_row(frame, "opened_total", "path=/a result=opened opens=8 counted=8 commands=3 command=cron");
	check_row(frame, "opened_total", "path=/a result=EACCES opens=1 counted=1 commands=1 command=bash");
	check_row(frame, "opened_total", "path=/b result=opened opens=3 counted=3 commands=2 command=cron");
	ck_assert_uint_eq(cell_u64(frame, "opened_total", path, "opens"), 2);
	rig_close(&rig);
}

#define MANY 4200

/* Where they are many, those that do not grow are summed by directory, and have no rates. */
START_TEST(many_paths_are_summed_by_directory)
{
	static const char *const names[] = { "opened_total", NULL };
	static uint64_t keys[MANY][N_BPF_OPENED_WORDS];
	static struct bpf_entry entries[MANY];
	const struct frame *frame;
	struct rig rig;
	char path[64];

	for (unsigned i = 0; i < MANY; i++) {
		snprintf(path, sizeof(path), i == 0 ? "relative-%u" : i == 1 ? "/%u" : "/etc/ssl/%u", i);
		set_opened(keys[i], ENOENT, "sshd", path);
		entries[i].count = 2;
	}
	set_opened(keys[2], ENOENT, "cron", "/etc/ssl/…"); /* as its sum is called */
	counted = (struct counted){ "opened_total", NULL, keys, entries, MANY, NULL };
	n_forgotten = 0;
	rig_open(&rig, "readers", names);
	rig_sample(&rig, 0);
	ck_assert_uint_eq(n_forgotten, 0);
	for (unsigned i = 2; i < 12; i++)
		entries[i].count += 40;
	frame = rig_sample(&rig, 2);
	ck_assert_uint_eq(n_forgotten, MANY - 10);
	ck_assert_uint_eq(frame_table(frame, "opened_total")->n_rows, 10 + 2);
	check_row(frame, "opened_total",
		  "path=/etc/ssl/… result=ENOENT opens_per_second=20 opens=8418 counted=42 commands=2 "
		  "command=sshd");
	check_row(frame, "opened_total",
		  "path=… result=ENOENT opens_per_second=0 opens=2 counted=0 commands=1 command=sshd");
	check_row(frame, "opened_total",
		  "path=/… result=ENOENT opens_per_second=0 opens=2 counted=0 commands=1 command=sshd");
	rig_close(&rig);
}

#define KEPT 4096 /* while they are no more than these, none goes */

static uint64_t path_keys[MANY][N_BPF_OPENED_WORDS];
static struct bpf_entry path_entries[MANY];

/* As many paths, each of a directory of its own, have been opened twice, and are sampled once. */
static void open_paths(struct rig *rig, unsigned n)
{
	static const char *const names[] = { "opened_total", NULL };
	char path[64];

	for (unsigned i = 0; i < n; i++) {
		snprintf(path, sizeof(path), "/%04u/file", i);
		set_opened(path_keys[i], 0, "sshd", path);
		path_entries[i].count = 2;
	}
	counted = (struct counted){ "opened_total", NULL, path_keys, path_entries, n, NULL };
	n_forgotten = 0;
	rig_open(rig, "readers", names);
	rig_sample(rig, 0);
}

START_TEST(as_many_paths_as_are_kept_stay)
{
	const struct frame *frame;
	struct rig rig;

	open_paths(&rig, KEPT);
	frame = rig_sample(&rig, 2);
	ck_assert_uint_eq(n_forgotten, 0);
	ck_assert_uint_eq(frame_table(frame, "opened_total")->n_rows, KEPT);
	rig_close(&rig);
}

START_TEST(a_single_path_that_does_not_grow_goes)
{
	const struct frame *frame;
	struct rig rig;

	open_paths(&rig, KEPT + 1);
	for (unsigned i = 0; i < KEPT; i++)
		path_entries[i].count++;
	frame = rig_sample(&rig, 2);
	ck_assert(!has_notice_of(frame, "opened_total", NULL));
	ck_assert_uint_eq(n_forgotten, 1);
	ck_assert_uint_eq(frame_table(frame, "opened_total")->n_rows, KEPT + 1);
	check_row(frame, "opened_total",
		  "path=/4096/… result=opened opens_per_second=0 opens=2 counted=0 commands=1 "
		  "command=sshd");
	check_row(frame, "opened_total",
		  "path=/4095/file result=opened opens_per_second=0.5 opens=3 counted=3 commands=1 "
		  "command=sshd");
	rig_close(&rig);
}

/* Of the sums by directory 4,096 have rows; what the kernel had no room for is with the others. */
START_TEST(all_paths_go_and_the_last_directories_are_one_row)
{
	const struct frame *frame;
	struct rig rig;

	open_paths(&rig, MANY);
	n_refused = 3;
	n_lost = 10;
	frame = rig_sample(&rig, 2);
	ck_assert_uint_eq(n_forgotten, MANY);
	ck_assert_uint_eq(frame_table(frame, "opened_total")->n_rows, 4096 + 1);
	ck_assert_uint_eq(cell_u64(frame, "opened_total", "/4095/…", "opens"), 2);
	ck_assert_uint_eq(cell_u64(frame, "opened_total", "(others)", "opens"), 2 * (MANY - 4096) + 3);
	ck_assert_uint_eq(cell_u64(frame, "opened_total", "(others)", "counted"), 3);
	ck_assert(has_notice_of(frame, "opened_total", "7 opened files at most are not counted"));
	rig_close(&rig);
}

START_TEST(traffic_is_by_protocol_and_direction)
{
	static const char *const names[] = { "traffic", NULL };
	static const uint64_t keys[] = {
		SOCKET(42, 0, AF_INET, IPPROTO_TCP),      SOCKET(42, 1, AF_INET6, IPPROTO_TCP),
		SOCKET(42, 0, AF_INET, IPPROTO_UDP),      SOCKET(42, 1, AF_INET, IPPROTO_UDPLITE),
		SOCKET(42, 0, AF_UNIX, 0),                SOCKET(42, 1, AF_UNIX, 0),
		SOCKET(42, 1, AF_INET, IPPROTO_ICMP),     SOCKET(42, 1, AF_NETLINK, 0),
		SOCKET(7, 0, AF_INET6, IPPROTO_UDP),
	};
	static struct bpf_entry entries[9];
	const struct frame *frame;
	struct rig rig;

	for (unsigned i = 0; i < 9; i++)
		entries[i] = (struct bpf_entry){ .count = 1, .sum = 1u << i };
	counted = (struct counted){ "traffic", NULL, keys, entries, 9, NULL };
	rig_open(&rig, "readers", names);
	rig_sample(&rig, 0);
	for (unsigned i = 0; i < 9; i++)
		entries[i].sum += 1000u << i;
	frame = rig_sample(&rig, 2);
	check_row(frame, "traffic",
		  "received_bytes_per_second=10500 sent_bytes_per_second=53000 "
		  "tcp_received_bytes_per_second=500 tcp_sent_bytes_per_second=1000 "
		  "udp_received_bytes_per_second=2000 udp_sent_bytes_per_second=4000 "
		  "unix_received_bytes_per_second=8000 unix_sent_bytes_per_second=16000 "
		  "pid=42 start_seconds=90 how=bpf received_bytes=21021 sent_bytes=106106 "
		  "tcp_received_bytes=1001 tcp_sent_bytes=2002 udp_received_bytes=4004 "
		  "udp_sent_bytes=8008 unix_received_bytes=16016 unix_sent_bytes=32032 "
		  "name=cc1\n\033[31m command=cc1\n\033[31m");
	check_row(frame, "traffic",
		  "received_bytes_per_second=128000 sent_bytes_per_second=0 tcp_received_bytes_per_second=0 "
		  "tcp_sent_bytes_per_second=0 udp_received_bytes_per_second=128000 "
		  "udp_sent_bytes_per_second=0 unix_received_bytes_per_second=0 "
		  "unix_sent_bytes_per_second=0 pid=7 start_seconds=5 how=bpf received_bytes=256256 "
		  "sent_bytes=0 tcp_received_bytes=0 tcp_sent_bytes=0 udp_received_bytes=256256 "
		  "udp_sent_bytes=0 unix_received_bytes=0 unix_sent_bytes=0 name=a) R (b command=a) R (b");
	rig_close(&rig);
}

START_TEST(latencies_of_disks_by_operation_and_phase)
{
	static const char *const names[] = { "disk_latency", "disk_latency_bucket", NULL };
	static const uint64_t keys[] = { 8 << 20, 8 << 20 | UINT64_C(1) << 32, 8 << 20 | UINT64_C(77) << 32,
					 8 << 20 | UINT64_C(3) << 32 };
	static const uint64_t numbers[] = { 0, 1, 2, 99 /* no room for its times */ };
	static struct bpf_phases phases[3];
	const struct frame *frame;
	struct rig rig;

	counted = (struct counted){ "disk_latency", NULL, keys, numbers, 4, phases };
	rig_open(&rig, "linux-6.1", names);
	phases[0].sum[BPF_PHASE_FIRST] = 98 * MS + 7 * MS;
	phases[0].most[BPF_PHASE_FIRST] = 2 * MS;
	phases[0].buckets[BPF_PHASE_FIRST][histogram_index(0, 1 * MS)] = 98;
	phases[0].buckets[BPF_PHASE_FIRST][histogram_index(0, 2 * MS)] = 2;
	phases[1].sum[BPF_PHASE_SECOND] = phases[1].most[BPF_PHASE_SECOND] = 70000 * MS;
	phases[1].buckets[BPF_PHASE_SECOND][HISTOGRAM_BUCKETS - 1] = 1;
	phases[2].sum[BPF_PHASE_SECOND] = phases[2].most[BPF_PHASE_SECOND] = 5;
	phases[2].buckets[BPF_PHASE_SECOND][5] = 1;
	rig_sample(&rig, 0);
	phases[0].sum[BPF_PHASE_FIRST] += 20 * MS;
	phases[0].buckets[BPF_PHASE_FIRST][histogram_index(0, 1 * MS)] += 900;
	frame = rig_sample(&rig, 2);
	ck_assert_uint_eq(frame_table(frame, "disk_latency")->n_rows, 3);
	check_row(frame, "disk_latency",
		  "device=sda operation=read phase=queued requests_per_second=450 "
		  "mean_seconds=2.222222222e-05 p50_seconds=0.001003519 p90_seconds=0.001003519 "
		  "p99_seconds=0.001003519 p99_9_seconds=0.002 max_seconds=0.002 requests=1000 "
		  "seconds=0.125 how=bpf");
	check_row(frame, "disk_latency",
		  "device=sda operation=write phase=device requests_per_second=0 p50_seconds=70 "
		  "p90_seconds=70 p99_seconds=70 p99_9_seconds=70 max_seconds=70 requests=1 seconds=70 "
		  "how=bpf");
	check_row(frame, "disk_latency",
		  "device=sda operation=other phase=device requests_per_second=0 p50_seconds=5e-09 "
		  "p90_seconds=5e-09 p99_seconds=5e-09 p99_9_seconds=5e-09 max_seconds=5e-09 requests=1 "
		  "seconds=5e-09 how=bpf");
	check_row(frame, "disk_latency_bucket",
		  "device=sda operation=read phase=queued from_seconds=0.000999424 to_seconds=0.00100352 "
		  "requests=998 requests_per_second=450");
	check_row(frame, "disk_latency_bucket",
		  "device=sda operation=write phase=device from_seconds=59.86110669 requests=1 "
		  "requests_per_second=0");
	check_row(frame, "disk_latency_bucket",
		  "device=sda operation=other phase=device from_seconds=5e-09 to_seconds=6e-09 requests=1 "
		  "requests_per_second=0");
	rig_close(&rig);
}

/* Each percentage is reached by the last of 1,000 requests that it needs; with one fewer it is not. */
START_TEST(percentages_of_requests_are_exact)
{
	static const char *const names[] = { "disk_latency", NULL };
	static const uint64_t keys[] = { 8 << 20 | UINT64_C(2) << 32, 8 << 20 | UINT64_C(3) << 32 };
	static const uint64_t numbers[] = { 0, 1 };
	static const uint64_t requests[2][5] = { { 500, 400, 90, 9, 1 }, { 499, 400, 90, 9, 2 } };
	static struct bpf_phases phases[2];
	const struct frame *frame;
	struct rig rig;

	for (unsigned i = 0; i < 2; i++)
		for (unsigned time = 0; time < 5; time++)
			phases[i].buckets[BPF_PHASE_SECOND][10 * (time + 1)] = requests[i][time];
	phases[0].most[BPF_PHASE_SECOND] = phases[1].most[BPF_PHASE_SECOND] = 50;
	counted = (struct counted){ "disk_latency", NULL, keys, numbers, 2, phases };
	rig_open(&rig, "linux-6.1", names);
	frame = rig_sample(&rig, 0);
	check_row(frame, "disk_latency",
		  "device=sda operation=flush phase=device p50_seconds=1e-08 p90_seconds=2e-08 "
		  "p99_seconds=3e-08 p99_9_seconds=4e-08 max_seconds=5e-08 requests=1000 seconds=0 how=bpf");
	check_row(frame, "disk_latency",
		  "device=sda operation=discard phase=device p50_seconds=2e-08 p90_seconds=3e-08 "
		  "p99_seconds=4e-08 p99_9_seconds=5e-08 max_seconds=5e-08 requests=1000 seconds=0 how=bpf");
	rig_close(&rig);
}

/* Without BPF there are means of those operations of which there were some, and of no partition. */
START_TEST(without_bpf_disks_have_means)
{
	static const char *const names[] = { "disk_latency", NULL };
	const struct frame *frame;
	struct rig rig;

	counted = (struct counted){ 0 };
	rig_open(&rig, "linux-6.1", (const char *const[]){ NULL });
	rig_put(&rig, "proc/diskstats",
		"8 0 sda 100 3 999 250 40 5 999 1600 0 700 900 0 0 0 0 8 36\n"
		"8 1 sda1 90 3 999 250 40 5 999 1600 0 700 900 0 0 0 0 8 36\n");
	rig_add(&rig, *names);
	rig_sample(&rig, 0);
	rig_put(&rig, "proc/diskstats",
		"8 0 sda 150 3 999 350 40 5 999 1600 0 700 900 1 0 8 7 8 36\n"
		"8 1 sda1 90 3 999 250 40 5 999 1600 0 700 900 0 0 0 0 8 36\n");
	frame = rig_sample(&rig, 2);
	check_row(frame, "disk_latency",
		  "device=sda operation=read phase=both requests_per_second=25 mean_seconds=0.002 "
		  "requests=150 seconds=0.35 how=proc");
	check_row(frame, "disk_latency",
		  "device=sda operation=write phase=both requests_per_second=0 requests=40 seconds=1.6 "
		  "how=proc");
	check_row(frame, "disk_latency",
		  "device=sda operation=flush phase=both requests_per_second=0 requests=8 seconds=0.036 "
		  "how=proc");
	check_row(frame, "disk_latency",
		  "device=sda operation=discard phase=both requests_per_second=0.5 mean_seconds=0.007 "
		  "requests=1 seconds=0.007 how=proc");
	ck_assert_uint_eq(frame_table(frame, "disk_latency")->n_rows, 4);
	rig_close(&rig);
}

START_TEST(allocations_of_caches_and_who_makes_them)
{
	static const char *const names[] = { "slab", NULL };
	static const uint64_t keys[][2] = { { 0x1000, 7 }, { 0x1000, 42 }, { 0x2000, 42 }, { 0x3000, 99 },
					    { 0x4000, 0 } };
	static struct bpf_entry entries[5] = {
		{ .count = 100 }, { .count = 30 }, { .count = 5 }, { .count = 7 }, { .count = 9 },
	};
	static uint64_t cache_names[4][5] = { { 0x1000 }, { 0x2000 }, { 0x3000 }, { 0x4000 } };
	static struct bpf_entry named[4];
	const struct frame *frame;
	struct rig rig;

	strcpy((char *)&cache_names[0][1], "dentry");
	strcpy((char *)&cache_names[1][1], "dentry"); /* another one of this name */
	memcpy(&cache_names[2][1], "a_name_of_exactly_32_characters_", 32);
	strcpy((char *)&cache_names[3][1], "idle");
	counted = (struct counted){ "slab", &trace_plan_slab, keys, entries, 5, NULL };
	also_counted = (struct counted){ "slab", &trace_plan_slab_names, cache_names, named, 4, NULL };
	rig_open(&rig, "readers", names);
	rig.env.page_bytes = 4096;
	rig_put(&rig, "proc/7/comm", "find\n");
	rig_put(&rig, "proc/42/comm", "\n"); /* it has none */
	rig_put(&rig, "proc/meminfo", "Slab: 1000 kB\n");
	rig_put(&rig, "proc/slabinfo",
		"slabinfo - version: 2.1\n# name\n"
		"dentry 2000 2100 192 21 1 : tunables 0 0 0 : slabdata 100 100 0\n"
		"a_name_of_exactly_32_characters_and_more 3 4 8192 4 8 : tunables 0 0 0 : slabdata 1 1 0\n"
		"idle 0 0 64 64 1 : tunables 0 0 0 : slabdata 0 0 0\n"
		"kmalloc-8 0 0 8 512 1 : tunables 0 0 0 : slabdata 0 0 0\n");
	frame = rig_sample(&rig, 0);
	ck_assert_uint_eq(cell_u64(frame, "slab", "dentry", "allocations"), U64_UNKNOWN); /* no names yet */
	entries[0].count += 60;
	entries[1].count += 10;
	entries[2].count += 40;
	frame = rig_sample(&rig, 2);
	ck_assert_uint_eq(cell_u64(frame, "slab", "dentry", "allocations"), 245);
	ck_assert_str_eq(cell_text(frame, "slab", "dentry", "allocator"), "find (7)");
	ck_assert_uint_eq(cell_u64(frame, "slab", "a_name_of_exactly_32_characters_and_more", "allocations"),
			  7);
	ck_assert_ptr_null(cell_text(frame, "slab", "a_name_of_exactly_32_characters_and_more", "allocator"));
	ck_assert_uint_eq(cell_u64(frame, "slab", "idle", "allocations"), 9);
	ck_assert_uint_eq(cell_u64(frame, "slab", "kmalloc-8", "allocations"), U64_UNKNOWN);
	entries[1].count += 10;
	entries[2].count += 5;
	frame = rig_sample(&rig, 2);
	ck_assert_uint_eq(cell_u64(frame, "slab", "dentry", "allocations"), 260);
	ck_assert_double_eq(cell_f64(frame, "slab", "dentry", "allocations_per_second"), 7.5);
	ck_assert_ptr_null(cell_text(frame, "slab", "dentry", "allocator"));
	also_counted = (struct counted){ 0 };
	rig_close(&rig);
}

#define NETWORK 4026531840
#define LINK(index) (NETWORK | UINT64_C(index) << 32)
#define SENT_AGAIN UINT16_MAX

/* Bytes and packets that eth0 received and sent; lo did half a percent of them. */
static void put_wire(struct rig *rig, unsigned received, unsigned packets, unsigned sent,
		     unsigned sent_packets)
{
	rig_put(rig, "proc/net/dev",
		"  eth0: %u %u 0 0 0 0 0 0 %u %u 0 0 0 0 0 0\n    lo: %u %u 0 0 0 0 0 0 %u %u 0 0 0 0 0 0\n",
		received, packets, sent, sent_packets, received / 200, packets / 40, sent / 200,
		sent_packets / 40);
}

static void put_forwarded(struct rig *rig, unsigned forwarded)
{
	rig_put(rig, "proc/net/snmp", "Ip: InReceives ForwDatagrams\nIp: 5 %u\n", forwarded);
}

START_TEST(bytes_on_the_wire_are_split)
{
	static const char *const none[] = { NULL };
	static const uint64_t keys[][2] = {
		{ SOCKET(42, 0, AF_INET, IPPROTO_TCP), LINK(2) },
		{ SOCKET(42, 1, AF_INET6, IPPROTO_UDP), LINK(2) },
		{ SOCKET(42, 1, AF_INET, IPPROTO_TCP), LINK(1) },
		{ SOCKET(42, 0, AF_INET, IPPROTO_TCP), LINK(1) },
		{ SOCKET(0, 0, 0, SENT_AGAIN), LINK(2) },
		{ SOCKET(9, 1, AF_INET, IPPROTO_TCP), LINK(2) },     /* a thread of the kernel */
		{ SOCKET(42, 0, AF_INET, IPPROTO_TCP), LINK(2) + 1 }, /* of another namespace */
		{ SOCKET(42, 1, AF_UNIX, 0), LINK(0) },
		{ SOCKET(42, 1, AF_NETLINK, 0), LINK(0) },
		{ SOCKET(42, 0, AF_INET, IPPROTO_UDP), LINK(0) },    /* through an interface not known */
	};
	static const struct bpf_entry more[10] = {
		{ .sum = 90000, .count = 10 }, { .sum = 30000, .count = 20 }, { .sum = 100, .count = 1 },
		{ .sum = 400, .count = 1 },    { .sum = 2000, .count = 3 },   { .sum = 5000, .count = 1 },
		{ .sum = 777777, .count = 5 }, { .sum = 888888, .count = 5 }, { .sum = 999999, .count = 5 },
		{ .sum = 800, .count = 4 },
	};
	static struct bpf_entry entries[10];
	const struct frame *frame;
	char path[SCRATCH_PATH_MAX + 32];
	struct rig rig;

	for (unsigned i = 0; i < 10; i++)
		entries[i] = (struct bpf_entry){ .sum = 1000 + i, .count = 7 };
	counted = (struct counted){ "network_account", NULL, keys, entries, 10, NULL };
	rig_open(&rig, "readers", none);
	rig.env.own_pid = 7;
	rig_make(&rig, "proc/7/ns");
	snprintf(path, sizeof(path), "%s/proc/7/ns/net", rig.root);
	ck_assert_int_eq(symlink("net:[4026531840]", path), 0);
	rig_make(&rig, "proc/9");
	rig_put(&rig, "proc/9/stat", "9 (nfsd) S 2 0 0 0 -1 2129984 0 0 0 0 0 0 0 0 20 0 1 0 50 0 0\n");
	rig_make(&rig, "proc/net");
	rig_make(&rig, "sys/class/net/eth0/device");
	rig_make(&rig, "sys/class/net/lo");
	rig_put(&rig, "sys/class/net/eth0/ifindex", "2\n");
	rig_put(&rig, "sys/class/net/lo/ifindex", "1\n");
	put_wire(&rig, 1000000, 1000, 2000000, 2000);
	put_forwarded(&rig, 37);
	rig_add(&rig, "network_account");
	rig_sample(&rig, 0);
	for (unsigned i = 0; i < 10; i++) {
		entries[i].sum += more[i].sum;
		entries[i].count += more[i].count;
	}
	put_wire(&rig, 1100000, 1080, 2050000, 2080);
	frame = rig_sample(&rig, 2);
#define ROW_OF(name, part) "interface=" name " part=" part " "
	check_row(frame, "network_account",
		  ROW_OF("eth0", "programs") "received_bytes=90000 sent_bytes=30000 from=BPF at sockets");
	/* 80 packets of 14 + 20 + 32; 20 of the sent ones with 8 instead of 32 */
	check_row(frame, "network_account",
		  ROW_OF("eth0", "headers") "received_bytes=5280 sent_bytes=4800 from=packets x headers");
	check_row(frame, "network_account",
		  ROW_OF("eth0", "retransmitted") "sent_bytes=2000 from=BPF at retransmissions");
	check_row(frame, "network_account",
		  ROW_OF("eth0", "kernel") "received_bytes=0 sent_bytes=5000 from=BPF at sockets, forwarded "
					   "packets");
	check_row(frame, "network_account",
		  ROW_OF("eth0", "unexplained") "received_bytes=4720 sent_bytes=8200 from=the rest");
	check_row(frame, "network_account",
		  ROW_OF("eth0", "wire") "received_bytes=100000 sent_bytes=50000 from=/proc/net/dev");
	check_row(frame, "network_account",
		  ROW_OF("lo", "programs") "received_bytes=400 sent_bytes=100 from=BPF at sockets");
	/* two packets of 20 + 32: no frame; what is sent leaves room for all of them, too */
	check_row(frame, "network_account",
		  ROW_OF("lo", "headers") "received_bytes=100 sent_bytes=104 from=packets x headers");
	check_row(frame, "network_account",
		  ROW_OF("lo", "unexplained") "received_bytes=0 sent_bytes=46 from=the rest");
	check_row(frame, "network_account",
		  ROW_OF("all", "programs") "received_bytes_per_second=45600 sent_bytes_per_second=15050 "
					    "received_bytes=91200 sent_bytes=30100 from=BPF at sockets");
	/* four datagrams fewer of 32 */
	check_row(frame, "network_account",
		  ROW_OF("all", "headers") "received_bytes_per_second=2644 sent_bytes_per_second=2452 "
					   "received_bytes=5288 sent_bytes=4904 from=packets x headers");
	check_row(frame, "network_account",
		  ROW_OF("all", "retransmitted") "sent_bytes_per_second=1000 sent_bytes=2000 from=BPF at "
						 "retransmissions");
	check_row(frame, "network_account",
		  ROW_OF("all", "kernel") "received_bytes_per_second=0 sent_bytes_per_second=2500 "
					  "received_bytes=0 sent_bytes=5000 from=BPF at sockets, forwarded "
					  "packets");
	check_row(frame, "network_account",
		  ROW_OF("all", "unexplained") "received_bytes_per_second=2006 sent_bytes_per_second=4123 "
					       "received_bytes=4012 sent_bytes=8246 from=the rest");
	check_row(frame, "network_account",
		  ROW_OF("all", "wire") "received_bytes_per_second=50250 sent_bytes_per_second=25125 "
					"received_bytes=100500 sent_bytes=50250 from=/proc/net/dev");
	put_forwarded(&rig, 47); /* what is left is theirs, in this sample and in the next one */
	put_wire(&rig, 1110000, 1090, 2050000, 2080);
	rig_sample(&rig, 2);
	put_wire(&rig, 1111000, 1091, 2052000, 2082);
	rig_sample(&rig, 2);
	put_wire(&rig, 1211000, 1191, 2052000, 2082);
	frame = rig_sample(&rig, 2);
	check_row(frame, "network_account",
		  ROW_OF("all", "kernel") "received_bytes_per_second=0 sent_bytes_per_second=0 "
					  "received_bytes=10329 sent_bytes=6878 from=BPF at sockets, "
					  "forwarded packets");
	rig_close(&rig);
}

#define SDA ((uint64_t)8 << 20 << 32)

static void put_disk(struct rig *rig, unsigned read_sectors, unsigned write_sectors)
{
	rig_put(rig, "proc/diskstats", "8 0 sda 9 0 %u 9 9 0 %u 9 0 9 9\n", 1000 + read_sectors,
		2000 + write_sectors);
}

static void check_part(const struct frame *frame, const char *part, const char *values, const char *from)
{
	char row[256];

	for (unsigned i = 0; i < 2; i++) {
		snprintf(row, sizeof(row), "device=%s part=%s %s from=%s", i ? "all" : "sda", part, values,
			 from);
		check_row(frame, "disk_account", row);
	}
}

/* A row for each process, and one for what was written back. */
START_TEST(users_of_a_device_have_rows)
{
	static const char *const names[] = { "disk_user", NULL };
	static const uint64_t keys[][2] = {
		{ 0, 42 | SDA }, { 1, 42 | SDA }, { 1, 7 | SDA }, { 1, 9 | SDA }
	};
	static const uint64_t more[] = { 51200, 81920, 4096, 16384 };
	static struct bpf_entry entries[4];
	const struct frame *frame;
	struct rig rig;

	for (unsigned i = 0; i < 4; i++)
		entries[i] = (struct bpf_entry){ .sum = 512, .count = 1 };
	counted = (struct counted){ "disk_user", NULL, keys, entries, 4, NULL };
	rig_open(&rig, "readers", (const char *const[]){ NULL });
	rig_make(&rig, "proc/9");
	rig_put(&rig, "proc/9/stat", "9 (kworker/1) I 2 0 0 0 -1 2129984 0 0 0 0 0 0 0 0 20 0 1 0 50 0 0\n");
	put_disk(&rig, 0, 0);
	rig_add(&rig, *names);
	rig_sample(&rig, 1);
	for (unsigned i = 0; i < 4; i++)
		entries[i] = (struct bpf_entry){ .sum = 512 + more[i], .count = 3 };
	put_disk(&rig, 108, 224);
	frame = rig_sample(&rig, 1);
	ck_assert_uint_eq(frame_table(frame, "disk_user")->n_rows, 3);
	check_row(frame, "disk_user",
		  "read_bytes_per_second=51200 write_bytes_per_second=81920 bytes_per_second=133120 "
		  "requests_per_second=4 request_bytes=33280 device=sda pid=42 start_seconds=90 how=bpf "
		  "read_bytes=51712 write_bytes=82432 bytes=134144 requests=6 name=cc1\n\033[31m "
		  "command=cc1\n\033[31m");
	check_row(frame, "disk_user",
		  "read_bytes_per_second=0 write_bytes_per_second=4096 bytes_per_second=4096 "
		  "requests_per_second=2 request_bytes=2048 device=sda pid=7 start_seconds=5 how=bpf "
		  "read_bytes=0 write_bytes=4608 bytes=4608 requests=3 name=a) R (b command=a) R (b");
	check_row(frame, "disk_user",
		  "read_bytes_per_second=0 write_bytes_per_second=16384 bytes_per_second=16384 "
		  "requests_per_second=2 request_bytes=8192 device=sda pid=0 how=bpf read_bytes=0 "
		  "write_bytes=16896 bytes=16896 requests=3 name=written back command=(written back, not "
		  "known for whom)");
	rig_close(&rig);
}

/* What was sent to the device and is not done yet is left out, of each part alike. */
START_TEST(bytes_of_a_device_are_split)
{
	static const char *const names[] = { "disk_account", NULL };
	static const uint64_t keys[][2] = {
		{ 0, 42 | SDA },       /* reads */
		{ 1, 42 | SDA },       /* writes */
		{ 9, 42 | SDA },       /* zeros */
		{ 1, 9 | SDA },        /* of a worker */
		{ 1, 8 | SDA },        /* of a journal */
		{ 2, 42 | SDA },       /* flushes */
		{ 1, SDA },            /* while a CPU was idle */
		{ 1, 4711 | SDA },     /* of a process that ended unseen */
		{ 1, 42 | SDA << 1 },  /* on another device */
	};
	static const uint64_t more[] = { 51200, 81920, 4096, 16384, 4096, 999, 4096, 4096, 88888 };
	static struct bpf_entry entries[9];
	const struct frame *frame;
	struct rig rig;

	for (unsigned i = 0; i < 9; i++)
		entries[i] = (struct bpf_entry){ .sum = 512 + i, .count = 1 };
	counted = (struct counted){ "disk_user", NULL, keys, entries, 9, NULL };
	rig_open(&rig, "readers", (const char *const[]){ NULL });
	rig_make(&rig, "proc/8");
	rig_make(&rig, "proc/9");
	rig_put(&rig, "proc/8/stat", "8 (jbd2/sda) S 2 0 0 0 -1 2129984 0 0 0 0 0 0 0 0 20 0 1 0 50 0 0\n");
	rig_put(&rig, "proc/9/stat", "9 (kworker/1) I 2 0 0 0 -1 2129984 0 0 0 0 0 0 0 0 20 0 1 0 50 0 0\n");
	put_disk(&rig, 0, 0);
	rig_add(&rig, *names);
	rig_sample(&rig, 1);
	for (unsigned i = 0; i < 9; i++)
		entries[i].sum += more[i];
	put_disk(&rig, 108, 112); /* half of what was written, and 4096 bytes that were not counted */
	frame = rig_sample(&rig, 1);
	ck_assert_uint_eq(frame_table(frame, "disk_account")->n_rows, 8);
	check_part(frame, "programs",
		   "read_bytes_per_second=51200 write_bytes_per_second=46724 read_bytes=51200 "
		   "write_bytes=46724",
		   "BPF at block_bio_queue");
	check_part(frame, "written back",
		   "read_bytes_per_second=0 write_bytes_per_second=10620 read_bytes=0 write_bytes=10620",
		   "BPF at block_bio_queue");
	check_part(frame, "kernel",
		   "read_bytes_per_second=4096 write_bytes_per_second=0 read_bytes=4096 write_bytes=0",
		   "the rest");
	check_part(frame, "device",
		   "read_bytes_per_second=55296 write_bytes_per_second=57344 read_bytes=55296 "
		   "write_bytes=57344",
		   "/proc/diskstats");
	put_disk(&rig, 108, 224);
	frame = rig_sample(&rig, 1);
	check_part(frame, "programs",
		   "read_bytes_per_second=0 write_bytes_per_second=43388 read_bytes=51200 write_bytes=90112",
		   "BPF at block_bio_queue");
	check_part(frame, "written back",
		   "read_bytes_per_second=0 write_bytes_per_second=9860 read_bytes=0 write_bytes=20480",
		   "BPF at block_bio_queue");
	check_part(frame, "kernel",
		   "read_bytes_per_second=0 write_bytes_per_second=4096 read_bytes=4096 write_bytes=4096",
		   "the rest");
	rig_close(&rig);
}

#define PAGES_OF(pid, what)                                                                                  \
	{                                                                                                    \
		[BPF_CACHE_PROCESS] = pid, [BPF_CACHE_DEVICE] = 8 << 20 | 1, [BPF_CACHE_INODE] = 77,         \
		[BPF_CACHE_EVENT] = what                                                                     \
	}

/* What was added to the cache before it was asked for is missed when it is. */
START_TEST(pages_of_the_cache_are_hit_or_missed)
{
	static const char *const names[] = { "cache_use", NULL };
	static const uint64_t keys[][N_BPF_CACHE_WORDS] = {
		PAGES_OF(42, BPF_CACHE_ASKED),  PAGES_OF(42, BPF_CACHE_ADDED),  PAGES_OF(7, BPF_CACHE_ASKED),
		PAGES_OF(7, BPF_CACHE_FAULTED), PAGES_OF(7, BPF_CACHE_DIRTIED),
		PAGES_OF(4711, BPF_CACHE_ASKED),
	};
	static struct bpf_entry entries[6] = { { .sum = 10 }, { .sum = 20 } };
	const struct frame *frame;
	struct rig rig;

	counted = (struct counted){ "cache_use", NULL, keys, entries, 2, NULL };
	rig_open(&rig, "readers", names);
	frame = rig_sample(&rig, 0);
	check_row(frame, "cache_use",
		  "ahead_pages=10 pid=42 start_seconds=90 how=bpf note= asked_pages=10 hit_pages=0 "
		  "missed_pages=10 mapped_faults=0 dirtied_pages=0 command=cc1\n\033[31m");
	entries[0].sum += 16;
	entries[1].sum += 2;
	entries[2].sum = 5;
	entries[3].sum = 3;
	entries[4].sum = 4;
	entries[5].sum = 9;
	counted.n = 6;
	frame = rig_sample(&rig, 2);
	ck_assert_uint_eq(frame_table(frame, "cache_use")->n_rows, 4);
	check_row(frame, "cache_use",
		  "asked_pages_per_second=15 hit_ratio=0.6 missed_pages_per_second=6 ahead_pages=0 "
		  "mapped_faults_per_second=1.5 dirtied_pages_per_second=2 pid=0 start_seconds=0 how=bpf "
		  "note= asked_pages=40 hit_pages=18 missed_pages=22 mapped_faults=3 dirtied_pages=4 "
		  "command=(all)");
	check_row(frame, "cache_use",
		  "asked_pages_per_second=8 hit_ratio=0.25 missed_pages_per_second=6 ahead_pages=0 "
		  "mapped_faults_per_second=0 dirtied_pages_per_second=0 pid=42 start_seconds=90 how=bpf "
		  "note= asked_pages=26 hit_pages=4 missed_pages=22 mapped_faults=0 dirtied_pages=0 "
		  "command=cc1\n\033[31m");
	check_row(frame, "cache_use",
		  "asked_pages_per_second=2.5 hit_ratio=1 missed_pages_per_second=0 ahead_pages=0 "
		  "mapped_faults_per_second=1.5 dirtied_pages_per_second=2 pid=7 start_seconds=5 how=bpf "
		  "note= asked_pages=5 hit_pages=5 missed_pages=0 mapped_faults=3 dirtied_pages=4 "
		  "command=a) R (b");
	check_row(frame, "cache_use",
		  "asked_pages_per_second=4.5 hit_ratio=1 missed_pages_per_second=0 ahead_pages=0 "
		  "mapped_faults_per_second=0 dirtied_pages_per_second=0 pid=4711 how=bpf note= "
		  "asked_pages=9 hit_pages=9 missed_pages=0 mapped_faults=0 dirtied_pages=0");
	frame = rig_sample(&rig, 2); /* the unseen one is shown in the sample in which it grew */
	ck_assert_uint_eq(frame_table(frame, "cache_use")->n_rows, 3);
	n_forgotten = 0;
	for (unsigned i = 0; i < 6; i++)
		rig_sample(&rig, 2);
	ck_assert_uint_eq(n_forgotten, 0);
	frame = rig_sample(&rig, 2); /* files that are idle for eight samples leave the map */
	ck_assert_uint_eq(n_forgotten, 6);
	ck_assert_uint_eq(frame_table(frame, "cache_use")->n_rows, 3);
	rig_close(&rig);
}

/* Without BPF from what is read and written, in whole pages. */
START_TEST(without_bpf_the_use_is_estimated)
{
	static const char *const names[] = { "cache_use", NULL };
	const struct frame *frame;
	struct rig rig;

	counted = (struct counted){ 0 };
	rig_open(&rig, "readers", names);
	rig.env.page_bytes = 4096;
	rig_put(&rig, "proc/7/io", "rchar: 45055\nread_bytes: 12288\nwrite_bytes: 8192\n");
	rig_put(&rig, "proc/42/io", "rchar: 8192\nread_bytes: 16384\nwrite_bytes: 0\n");
	rig_put(&rig, "proc/99/io", "rchar: 0\nread_bytes: 4096\nwrite_bytes: 4096\n");
	rig_put(&rig, "proc/1/io", NULL);
	frame = rig_sample(&rig, 0);
	check_row(frame, "cache_use",
		  "pid=7 start_seconds=5 how=proc note=estimate asked_pages=10 hit_pages=7 missed_pages=3 "
		  "dirtied_pages=2 command=a) R (b");
	check_row(frame, "cache_use",
		  "pid=42 start_seconds=90 how=proc note=estimate asked_pages=2 hit_pages=0 missed_pages=2 "
		  "dirtied_pages=0 command=cc1\n\033[31m");
	ck_assert_uint_eq(frame_table(frame, "cache_use")->n_rows, 2);
	rig_close(&rig);
}

#define PAGES_OF_FILE(pid, minor, file, what)                                                                \
	{                                                                                                    \
		[BPF_CACHE_PROCESS] = pid, [BPF_CACHE_DEVICE] = 8 << 20 | (minor), [BPF_CACHE_INODE] = file, \
		[BPF_CACHE_EVENT] = what                                                                     \
	}

static const char *const cache_topics[] = { "cache_use", "cache_file", NULL };

/* What is ahead of one process in one file serves no other one. */
START_TEST(pages_of_the_cache_are_by_process_and_file)
{
	static const uint64_t keys[][N_BPF_CACHE_WORDS] = {
		PAGES_OF_FILE(42, 1, 77, BPF_CACHE_ADDED),  PAGES_OF_FILE(42, 1, 78, BPF_CACHE_ADDED),
		PAGES_OF_FILE(42, 2, 77, BPF_CACHE_ADDED),  PAGES_OF_FILE(7, 1, 77, BPF_CACHE_ADDED),
		PAGES_OF_FILE(42, 1, 78, BPF_CACHE_ASKED),  PAGES_OF_FILE(42, 2, 77, BPF_CACHE_ASKED),
		PAGES_OF_FILE(99, 3, 5, BPF_CACHE_FAULTED), PAGES_OF_FILE(99, 3, 6, BPF_CACHE_DIRTIED),
	};
	static struct bpf_entry entries[8] = {
		{ .sum = 3 },  { .sum = 40 },  { .sum = 500 }, { .sum = 6000 },
		{ .sum = 50 }, { .sum = 100 }, { .sum = 9 },   { .sum = 8 },
	};
	const struct cache_list *list;
	const struct frame *frame;
	struct rig rig;

	counted = (struct counted){ "cache_use", NULL, keys, entries, 8, NULL };
	rig_open(&rig, "readers", cache_topics);
	frame = rig_sample(&rig, 0);
	ck_assert_uint_eq(frame_table(frame, "cache_use")->n_rows, 4);
	check_row(frame, "cache_use",
		  "ahead_pages=6403 pid=0 start_seconds=0 how=bpf note= asked_pages=150 hit_pages=10 "
		  "missed_pages=140 mapped_faults=9 dirtied_pages=8 command=(all)");
	check_row(frame, "cache_use",
		  "ahead_pages=403 pid=42 start_seconds=90 how=bpf note= asked_pages=150 hit_pages=10 "
		  "missed_pages=140 mapped_faults=0 dirtied_pages=0 command=cc1\n\033[31m");
	check_row(frame, "cache_use",
		  "ahead_pages=6000 pid=7 start_seconds=5 how=bpf note= asked_pages=0 hit_pages=0 "
		  "missed_pages=0 mapped_faults=0 dirtied_pages=0 command=a) R (b");
	ck_assert_uint_eq(frame_table(frame, "cache_file")->n_rows, 3);
	check_row(frame, "cache_file",
		  "device=8:1 inode=77 last_pid=7 asked_pages=0 hit_pages=0 missed_pages=0 added_pages=6003 "
		  "path=");
	check_row(frame, "cache_file",
		  "device=8:1 inode=78 last_pid=42 asked_pages=50 hit_pages=10 missed_pages=40 "
		  "added_pages=40 path=");
	check_row(frame, "cache_file",
		  "device=8:2 inode=77 last_pid=42 asked_pages=100 hit_pages=0 missed_pages=100 "
		  "added_pages=500 path=");
	list = reader_state(&cache_reader, &rig.env);
	ck_assert_uint_eq(list->total.added, 6543);
	ck_assert_uint_eq(cache_list_find(list, 42)->total.added, 543);
	entries[4].sum += 4;
	entries[5].sum += 1000;
	frame = rig_sample(&rig, 2);
	check_row(frame, "cache_file",
		  "asked_pages_per_second=500 hit_ratio=0.6 added_pages_per_second=0 device=8:2 inode=77 "
		  "last_pid=42 asked_pages=1100 hit_pages=600 missed_pages=500 added_pages=500 path=");
	check_row(frame, "cache_file",
		  "asked_pages_per_second=2 hit_ratio=1 added_pages_per_second=0 device=8:1 inode=78 "
		  "last_pid=42 asked_pages=54 hit_pages=14 missed_pages=40 added_pages=40 path=");
	rig_close(&rig);
}

/* Files leave the map after eight samples without growth, processes that ended go two samples later. */
START_TEST(ended_processes_leave_the_cache)
{
	static const uint64_t keys[][N_BPF_CACHE_WORDS] = {
		PAGES_OF(4711, BPF_CACHE_ASKED),
		PAGES_OF(42, BPF_CACHE_ASKED),
		PAGES_OF(50, BPF_CACHE_ASKED),
		PAGES_OF(7, BPF_CACHE_ASKED),
	};
	static struct bpf_entry entries[4] = { { .sum = 1 }, { .sum = 2 }, { .sum = 4 }, { .sum = 8 } };
	const struct cache_list *list;
	const struct frame *frame;
	struct rig rig;

	counted = (struct counted){ "cache_use", NULL, keys, entries, 4, NULL };
	rig_open(&rig, "readers", cache_topics);
	rig_sample(&rig, 1);
	list = reader_state(&cache_reader, &rig.env);
	n_forgotten = 0;
	for (unsigned i = 0; i < 7; i++)
		rig_sample(&rig, 1);
	ck_assert_uint_eq(n_forgotten, 0);
	ck_assert_uint_eq(list->n_pairs, 4);
	rig_sample(&rig, 1);
	ck_assert_uint_eq(n_forgotten, 4);
	ck_assert_uint_eq(list->n_pairs, 0);
	counted.n = 0;
	rig_sample(&rig, 1);
	ck_assert_uint_eq(list->n_processes, 4);
	rig_sample(&rig, 1);
	ck_assert_uint_eq(list->n_processes, 2);
	ck_assert_ptr_null(cache_list_find(list, 4711));
	ck_assert_ptr_null(cache_list_find(list, 50));
	ck_assert_uint_eq(cache_list_find(list, 42)->total.asked, 2);
	ck_assert_uint_eq(cache_list_find(list, 7)->total.asked, 8);
	entries[0].sum = 3; /* the map counts from 0 again */
	entries[1].sum = 5;
	counted.n = 2;
	frame = rig_sample(&rig, 1);
	ck_assert_uint_eq(list->n_processes, 3);
	check_row(frame, "cache_use",
		  "asked_pages_per_second=5 hit_ratio=1 missed_pages_per_second=0 ahead_pages=0 "
		  "mapped_faults_per_second=0 dirtied_pages_per_second=0 pid=42 start_seconds=90 how=bpf "
		  "note= asked_pages=7 hit_pages=7 missed_pages=0 mapped_faults=0 dirtied_pages=0 "
		  "command=cc1\n\033[31m");
	ck_assert_uint_eq(list->total.asked, 23);
	rig_close(&rig);
}

/* Those pairs that stay are found again, with what is ahead. */
START_TEST(pairs_without_growth_leave_the_cache_alone)
{
	static const uint64_t keys[][N_BPF_CACHE_WORDS] = {
		PAGES_OF_FILE(7, 1, 70, BPF_CACHE_ADDED), PAGES_OF_FILE(7, 1, 71, BPF_CACHE_ADDED),
		PAGES_OF_FILE(7, 1, 71, BPF_CACHE_ASKED), PAGES_OF_FILE(7, 1, 72, BPF_CACHE_ADDED),
		PAGES_OF_FILE(7, 1, 72, BPF_CACHE_ASKED),
	};
	static struct bpf_entry entries[5] = {
		{ .sum = 5 }, { .sum = 100 }, { .sum = 1 }, { .sum = 200 }, { .sum = 1 },
	};
	const struct cache_list *list;
	struct rig rig;

	counted = (struct counted){ "cache_use", NULL, keys, entries, 5, NULL };
	rig_open(&rig, "readers", cache_topics);
	rig_sample(&rig, 1);
	list = reader_state(&cache_reader, &rig.env);
	ck_assert_uint_eq(cache_list_find(list, 7)->ahead, 5 + 99 + 199);
	for (unsigned i = 0; i < 8; i++) {
		entries[2].sum++;
		entries[4].sum += 2;
		rig_sample(&rig, 1);
	}
	ck_assert_uint_eq(list->n_pairs, 2);
	ck_assert_uint_eq(cache_list_find(list, 7)->ahead, 91 + 183);
	counted = (struct counted){ "cache_use", NULL, keys[1], entries + 1, 4, NULL };
	entries[2].sum++;
	entries[4].sum++;
	rig_sample(&rig, 1);
	ck_assert_uint_eq(list->n_pairs, 2);
	ck_assert_uint_eq(cache_list_find(list, 7)->ahead, 90 + 182);
	ck_assert_uint_eq(list->total.asked, list->total.missed);
	rig_close(&rig);
}

#define FILES_KEPT 4096 /* of which half stay if there are more */

/* Those that were idle for longest go. */
START_TEST(files_of_the_cache_are_as_many_as_are_kept)
{
	static uint64_t keys[FILES_KEPT + 1][N_BPF_CACHE_WORDS];
	static struct bpf_entry entries[FILES_KEPT + 1];
	const struct cache_list *list;
	struct rig rig;

	for (unsigned i = 0; i <= FILES_KEPT; i++) {
		const uint64_t key[N_BPF_CACHE_WORDS] = PAGES_OF_FILE(42, 1, i, BPF_CACHE_ASKED);

		memcpy(keys[i], key, sizeof(key));
		entries[i].sum = 10;
	}
	counted = (struct counted){ "cache_use", NULL, keys, entries, FILES_KEPT / 2 + 1, NULL };
	rig_open(&rig, "readers", cache_topics);
	rig_sample(&rig, 1);
	list = reader_state(&cache_reader, &rig.env);
	counted.n = FILES_KEPT;
	rig_sample(&rig, 1);
	ck_assert_uint_eq(list->n_files, FILES_KEPT);
	counted.n = FILES_KEPT + 1;
	rig_sample(&rig, 1);
	ck_assert_uint_eq(list->n_files, FILES_KEPT / 2);
	ck_assert_uint_eq(list->files[0].inode, FILES_KEPT); /* the newest one is the first */
	for (unsigned i = 1; i < FILES_KEPT / 2; i++)
		ck_assert_uint_gt(list->files[i].inode, FILES_KEPT / 2);
	for (unsigned i = FILES_KEPT / 2 + 1; i <= FILES_KEPT; i++)
		entries[i].sum += i;
	rig_sample(&rig, 1);
	ck_assert_uint_eq(list->n_files, FILES_KEPT / 2);
	for (unsigned i = 0; i < FILES_KEPT / 2; i++)
		ck_assert_uint_eq(list->files[i].total.asked, 10 + list->files[i].inode);
	rig_close(&rig);
}

static void put_open_file(struct rig *rig, unsigned fd, const char *path, unsigned mount, unsigned inode)
{
	char name[SCRATCH_PATH_MAX + 64];

	rig_make(rig, "proc/42/fd");
	rig_make(rig, "proc/42/fdinfo");
	snprintf(name, sizeof(name), "%s/proc/42/fd/%u", rig->root, fd);
	ck_assert_int_eq(symlink(path, name), 0);
	snprintf(name, sizeof(name), "proc/42/fdinfo/%u", fd);
	rig_put(rig, name, "pos:\t0\nflags:\t0100000\nmnt_id:\t%u\nino:\t%u\n", mount, inode);
}

/* A number of a file is one in each file system. Four are looked for in a sample, each three times at most.
 */
START_TEST(open_files_of_the_cache_have_paths)
{
	static const uint64_t keys[][N_BPF_CACHE_WORDS] = {
		PAGES_OF_FILE(42, 1, 71, BPF_CACHE_ASKED), PAGES_OF_FILE(42, 2, 72, BPF_CACHE_ASKED),
		PAGES_OF_FILE(42, 1, 73, BPF_CACHE_ASKED), PAGES_OF_FILE(42, 2, 73, BPF_CACHE_ASKED),
		PAGES_OF_FILE(42, 1, 75, BPF_CACHE_ASKED),
	};
	static struct bpf_entry entries[5] = {
		{ .sum = 50 }, { .sum = 40 }, { .sum = 30 }, { .sum = 20 }, { .sum = 10 },
	};
	const struct cache_list *list;
	const struct frame *frame;
	struct rig rig;

	counted = (struct counted){ "cache_use", NULL, keys, entries, 5, NULL };
	rig_open(&rig, "readers", cache_topics);
	rig_put(&rig, "proc/42/mountinfo",
		"29 1 8:2 / / rw - ext4 /dev/sda2 rw\n30 29 8:1 / /one rw - ext4 /dev/sda1 rw\n"
		"31 29 8:2 / /two rw - ext4 /dev/sda2 rw\n");
	put_open_file(&rig, 3, "/one/first", 30, 71);
	put_open_file(&rig, 4, "/two/second", 31, 72);
	put_open_file(&rig, 5, "/one/third", 30, 73);
	put_open_file(&rig, 6, "/one/fifth", 30, 75);
	frame = rig_sample(&rig, 1);
	list = reader_state(&cache_reader, &rig.env);
	check_row(frame, "cache_file",
		  "device=8:1 inode=71 last_pid=42 asked_pages=50 hit_pages=50 missed_pages=0 added_pages=0 "
		  "path=/one/first");
	check_row(frame, "cache_file",
		  "device=8:2 inode=72 last_pid=42 asked_pages=40 hit_pages=40 missed_pages=0 added_pages=0 "
		  "path=/two/second");
	check_row(frame, "cache_file",
		  "device=8:1 inode=73 last_pid=42 asked_pages=30 hit_pages=30 missed_pages=0 added_pages=0 "
		  "path=/one/third");
	check_row(frame, "cache_file",
		  "device=8:2 inode=73 last_pid=42 asked_pages=20 hit_pages=20 missed_pages=0 added_pages=0 "
		  "path=");
	check_row(frame, "cache_file",
		  "device=8:1 inode=75 last_pid=42 asked_pages=10 hit_pages=10 missed_pages=0 added_pages=0 "
		  "path=");
	ck_assert_uint_eq(list->files[3].n_tries, 1);
	ck_assert_uint_eq(list->files[4].n_tries, 0);
	for (unsigned i = 0; i < 3; i++) {
		rig_sample(&rig, 1); /* what was not asked for is not looked for */
		ck_assert_uint_eq(list->files[3].n_tries, i + 1);
		entries[3].sum++;
		rig_sample(&rig, 1);
	}
	ck_assert_uint_eq(list->files[3].n_tries, 3);
	ck_assert_uint_eq(list->files[4].n_tries, 0);
	entries[4].sum++;
	rig_sample(&rig, 1);
	ck_assert_uint_eq(list->files[0].n_tries, 1);
	ck_assert_str_eq(list->files[4].path, "/one/fifth");
	rig_close(&rig);
}

START_TEST(counters_of_sockets_go_with_their_processes)
{
	static const char *const names[] = { "traffic", NULL };
	static const uint64_t keys[] = {
		SOCKET(4711, 0, AF_INET, IPPROTO_TCP), SOCKET(42, 0, AF_INET, IPPROTO_TCP),
		SOCKET(0, 1, AF_INET, IPPROTO_UDP),    SOCKET(7, 1, AF_UNIX, 0),
		SOCKET(50, 0, AF_INET, IPPROTO_TCP),
	};
	static struct bpf_entry entries[5] = {
		{ .sum = 1 }, { .sum = 20 }, { .sum = 300 }, { .sum = 4000 }, { .sum = 50000 },
	};
	const struct traffic_list *list;
	const struct frame *frame;
	struct rig rig;

	counted = (struct counted){ "traffic", NULL, keys, entries, 5, NULL };
	rig_open(&rig, "readers", names);
	frame = rig_sample(&rig, 1);
	list = reader_state(&traffic_reader, &rig.env);
	ck_assert_uint_eq(frame_table(frame, "traffic")->n_rows, 5);
	check_row(frame, "traffic",
		  "pid=0 how=bpf received_bytes=0 sent_bytes=300 tcp_received_bytes=0 tcp_sent_bytes=0 "
		  "udp_received_bytes=0 udp_sent_bytes=300 unix_received_bytes=0 unix_sent_bytes=0 "
		  "name=(closed before its owner was found) command=(closed before its owner was found)");
	check_row(frame, "traffic",
		  "pid=4711 how=bpf received_bytes=1 sent_bytes=0 tcp_received_bytes=1 tcp_sent_bytes=0 "
		  "udp_received_bytes=0 udp_sent_bytes=0 unix_received_bytes=0 unix_sent_bytes=0");
	n_forgotten = 0;
	frame = rig_sample(&rig, 1);
	ck_assert_uint_eq(frame_table(frame, "traffic")->n_rows, 2); /* the others were not seen again */
	ck_assert_uint_eq(n_forgotten, 0);
	ck_assert_uint_eq(list->n_all, 5);
	rig_sample(&rig, 1);
	ck_assert_uint_eq(n_forgotten, 2);
	ck_assert_uint_eq(list->n_all, 3);
	ck_assert_uint_eq(list->processes.n_entries, 3);
	for (unsigned i = 0; i < 5; i++)
		ck_assert((traffic_list_find(list, (uint32_t)keys[i]) != NULL) == (i % 4 != 0));
	counted = (struct counted){ "traffic", NULL, keys + 1, entries + 1, 3, NULL };
	entries[1].sum += 2;
	entries[2].sum += 30;
	entries[3].sum += 400;
	frame = rig_sample(&rig, 1);
	ck_assert_uint_eq(list->n_all, 3);
	ck_assert_uint_eq(list->processes.n_entries, 3);
	ck_assert_uint_eq(frame_table(frame, "traffic")->n_rows, 3);
	ck_assert_uint_eq(traffic_sent(&traffic_list_find(list, 0)->total), 330);
	ck_assert_uint_eq(traffic_received(&traffic_list_find(list, 42)->total), 22);
	ck_assert_uint_eq(traffic_sent(&traffic_list_find(list, 7)->total), 4400);
	ck_assert_uint_eq(traffic_sent(&traffic_list_find(list, 42)->total), 0);
	rig_close(&rig);
}

static void put_links(struct rig *rig, const char *const *names, unsigned n)
{
	char path[96];

	rig_make(rig, "proc/net");
	for (unsigned i = 0; i < n; i++) {
		snprintf(path, sizeof(path), "sys/class/net/%s%s", names[i],
			 names[i][0] == 'e' ? "/device" : "");
		rig_make(rig, path);
		snprintf(path, sizeof(path), "sys/class/net/%s/ifindex", names[i]);
		rig_put(rig, path, "%u\n", i + 1);
	}
}

static uint64_t account(const struct frame *frame, const char *name, const char *part, const char *column)
{
	const struct table *table = frame_table(frame, "network_account");
	const void *row = table_find(table, name, part);

	ck_assert_msg(row != NULL, "no row %s %s", name, part);
	return (uint64_t)table_number(table, row, column);
}

#define WIRE(name, received, packets, sent, sent_packets)                                                    \
	name ": " #received " " #packets " 0 0 0 0 0 0 " #sent " " #sent_packets " 0 0 0 0 0 0\n"

/* At the moment of the first sample, or without packets, there is nothing; IPv6 has twenty bytes more. */
START_TEST(headers_of_links_are_those_of_what_they_mostly_carry)
{
	static const char *const none[] = { NULL };
	static const char *const links[] = { "lo", "eth0", "eth1", "docker0", "eth2" };
	static const uint64_t keys[][2] = {
		{ SOCKET(42, 0, AF_INET, IPPROTO_TCP), LINK(2) },
		{ SOCKET(42, 0, AF_INET6, IPPROTO_TCP), LINK(2) },
		{ SOCKET(42, 1, AF_INET, IPPROTO_TCP), LINK(3) },
		{ SOCKET(42, 1, AF_INET6, IPPROTO_TCP), LINK(3) },
		{ SOCKET(42, 0, AF_INET6, IPPROTO_UDP), LINK(4) },
		{ SOCKET(42, 1, AF_INET6, IPPROTO_UDP), LINK(4) },
	};
	static const unsigned more[6] = { 500, 500, 499, 501, 70, 80 };
	static struct bpf_entry entries[6];
	const struct frame *frame;
	struct rig rig;

	counted = (struct counted){ "network_account", NULL, keys, entries, 6, NULL };
	rig_open(&rig, "readers", none);
	put_links(&rig, links, 5);
	rig_put(&rig, "proc/net/dev",
		WIRE("lo", 7, 1, 7, 1) WIRE("eth0", 1000, 10, 100, 1) WIRE("eth1", 1000, 10, 100, 1)
			WIRE("docker0", 50, 5, 60, 6) WIRE("eth2", 9, 9, 9, 9));
	rig_add(&rig, "network_account");
	((struct traffic_list *)reader_state(&traffic_reader, &rig.env))->knows_links = true;
	((struct traffic_list *)reader_state(&traffic_reader, &rig.env))->namespace = NETWORK;
	rig_sample(&rig, 0);
	for (unsigned i = 0; i < 6; i++)
		entries[i] = (struct bpf_entry){ .sum = more[i], .count = i < 4 ? 1 : 3 };
	rig_put(&rig, "proc/net/dev",
		WIRE("lo", 107, 3, 107, 3) WIRE("eth0", 3000, 20, 100, 1) WIRE("eth1", 1000, 10, 2100, 11)
			WIRE("docker0", 1050, 7, 1060, 10) WIRE("eth2", 9, 9, 9, 9));
	frame = rig_sample(&rig, 2);
#define HEADERS(name, column) account(frame, name, "headers", column "_bytes")
	ck_assert_uint_eq(HEADERS("eth0", "received"), 10 * (14 + 20 + 32));
	ck_assert_uint_eq(HEADERS("eth0", "sent"), 0);
	ck_assert_uint_eq(HEADERS("eth1", "received"), 0);
	ck_assert_uint_eq(HEADERS("eth1", "sent"), 10 * (14 + 40 + 32));
	/* of two packets not three are datagrams; of four one is none */
	ck_assert_uint_eq(HEADERS("docker0", "received"), 2 * (14 + 40 + 8));
	ck_assert_uint_eq(HEADERS("docker0", "sent"), 3 * (14 + 40 + 8) + 14 + 40 + 32);
	ck_assert_uint_eq(HEADERS("lo", "received"), 100); /* two of 52 have no room in it */
	ck_assert_uint_eq(HEADERS("all", "received"), 660 + 104);
	ck_assert_uint_eq(HEADERS("all", "sent"), 860 + 104);
	ck_assert_uint_eq(account(frame, "all", "wire", "received_bytes"), 2000 + 100); /* not docker0 */
	ck_assert_uint_eq(account(frame, "all", "wire", "sent_bytes"), 2000 + 100);
	ck_assert_uint_eq(account(frame, "docker0", "wire", "received_bytes"), 1000);
	ck_assert_uint_eq(account(frame, "docker0", "programs", "sent_bytes"), 80);
	ck_assert_uint_eq(account(frame, "lo", "unexplained", "sent_bytes"), 0);
	ck_assert_uint_eq(frame_table(frame, "network_account")->n_rows, 5 * 6); /* eth2 did nothing */
	rig_close(&rig);
}

/* Where more datagrams are known than packets, there are no headers. */
START_TEST(datagrams_through_unknown_links_take_headers_away)
{
	static const char *const none[] = { NULL };
	static const char *const links[] = { "lo", "eth0" };
	static const uint64_t keys[][2] = {
		{ SOCKET(42, 0, AF_INET, IPPROTO_UDP), LINK(0) },
		{ SOCKET(42, 1, AF_INET, IPPROTO_UDP), LINK(0) },
	};
	static struct bpf_entry entries[2] = { { .sum = 100, .count = 9 }, { .sum = 200, .count = 9 } };
	const struct frame *frame;
	struct rig rig;

	counted = (struct counted){ "network_account", NULL, keys, entries, 2, NULL };
	rig_open(&rig, "readers", none);
	put_links(&rig, links, 2);
	rig_put(&rig, "proc/net/dev", WIRE("lo", 0, 0, 0, 0) WIRE("eth0", 1000, 10, 1000, 10));
	rig_add(&rig, "network_account");
	((struct traffic_list *)reader_state(&traffic_reader, &rig.env))->knows_links = true;
	((struct traffic_list *)reader_state(&traffic_reader, &rig.env))->namespace = NETWORK;
	rig_sample(&rig, 0);
	entries[0] = (struct bpf_entry){ .sum = 600, .count = 12 };
	entries[1] = (struct bpf_entry){ .sum = 1200, .count = 19 };
	rig_put(&rig, "proc/net/dev", WIRE("lo", 0, 0, 0, 0) WIRE("eth0", 2000, 12, 3000, 13));
	frame = rig_sample(&rig, 2);
	ck_assert_uint_eq(HEADERS("all", "received"), 2 * 66 - 3 * 24);
	ck_assert_uint_eq(HEADERS("all", "sent"), 0); /* 3 * 66 - 10 * 24 */
	entries[0] = (struct bpf_entry){ .sum = 700, .count = 42 };
	entries[1] = (struct bpf_entry){ .sum = 1300, .count = 20 };
	rig_put(&rig, "proc/net/dev", WIRE("lo", 0, 0, 0, 0) WIRE("eth0", 4000, 13, 4000, 14));
	frame = rig_sample(&rig, 2);
	ck_assert_uint_eq(HEADERS("all", "received"), 0); /* 60 + 66 - 30 * 24 */
	ck_assert_uint_eq(HEADERS("all", "sent"), 66 - 24);
	rig_close(&rig);
}

/* Another one takes the place in the list of one that goes, and keeps its own sums. */
START_TEST(accounts_of_links_that_come_and_go)
{
	static const char *const none[] = { NULL };
	static const char *const links[] = { "lo", "eth0", "eth1", "eth2" };
	static const char *const ticks[] = {
		WIRE("eth0", 10, 1, 20, 1) WIRE("eth1", 100, 1, 200, 1) WIRE("eth2", 1000, 1, 2000, 1),
		WIRE("eth0", 11, 2, 22, 2) WIRE("eth1", 150, 2, 270, 2) WIRE("eth2", 1800, 2, 2900, 2),
		WIRE("eth1", 151, 3, 272, 3) WIRE("eth2", 1804, 3, 2908, 3),
		WIRE("eth0", 30, 9, 40, 9) WIRE("eth1", 160, 4, 280, 4) WIRE("eth2", 1810, 4, 2910, 4),
		WIRE("eth0", 37, 9, 40, 9) WIRE("eth1", 160, 4, 281, 4) WIRE("eth2", 1810, 4, 2910, 4),
	};
	const struct frame *frame = NULL;
	struct rig rig;

	counted = (struct counted){ "network_account", NULL, NULL, NULL, 0, NULL };
	rig_open(&rig, "readers", none);
	put_links(&rig, links, 4);
	rig_put(&rig, "proc/net/dev", "%s", ticks[0]);
	rig_add(&rig, "network_account");
	for (unsigned i = 0; i < 5; i++) {
		rig_put(&rig, "proc/net/dev", "%s", ticks[i]);
		frame = rig_sample(&rig, 1);
		if (i == 2)
			ck_assert_ptr_null(table_find(frame_table(frame, "network_account"), "eth0", "wire"));
	}
	ck_assert_uint_eq(account(frame, "eth0", "wire", "received_bytes"), 7);
	ck_assert_uint_eq(account(frame, "eth0", "wire", "sent_bytes"), 0);
	ck_assert_uint_eq(account(frame, "eth1", "wire", "received_bytes"), 60);
	ck_assert_uint_eq(account(frame, "eth1", "wire", "sent_bytes"), 81);
	ck_assert_uint_eq(account(frame, "eth2", "wire", "received_bytes"), 810);
	ck_assert_uint_eq(account(frame, "eth2", "wire", "sent_bytes"), 910);
	rig_close(&rig);
}

/* Of both kinds of packets; what is less than programs sent, or has no counter, is none. */
START_TEST(what_is_left_where_packets_are_forwarded)
{
	static const struct {
		const char *before, *now, *before_6, *now_6;
		unsigned received; /* 0: nothing was forwarded */
	} cases[] = {
		{ "7", "8", "5", "5", 1868 },  { "7", "7", "5", "6", 1868 },   { "7", "7", "5", "5", 0 },
		{ "7", "6", "5", "5", 0 },     { "7", "8", NULL, NULL, 1868 }, { NULL, NULL, "5", "6", 1868 },
		{ NULL, NULL, NULL, NULL, 0 },
	};
	static const char *const none[] = { NULL };
	static const char *const links[] = { "lo", "eth0" };
	static const uint64_t keys[][2] = { { SOCKET(42, 1, AF_INET, IPPROTO_TCP), LINK(2) } };
	static struct bpf_entry entries[1];

	for (unsigned i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		const struct frame *frame;
		struct rig rig;

		entries[0] = (struct bpf_entry){ 0 };
		counted = (struct counted){ "network_account", NULL, keys, entries, 1, NULL };
		rig_open(&rig, "readers", none);
		put_links(&rig, links, 2);
		rig_put(&rig, "proc/net/dev", WIRE("eth0", 1000, 10, 1000, 10));
		for (unsigned second = 0; second < 2; second++) {
			const char *old = second ? cases[i].now : cases[i].before;
			const char *new = second ? cases[i].now_6 : cases[i].before_6;

			if (old)
				rig_put(&rig, "proc/net/snmp", "Ip: ForwDatagrams\nIp: %s\n", old);
			if (new)
				rig_put(&rig, "proc/net/snmp6", "Ip6OutForwDatagrams %s\n", new);
			if (second)
				break;
			rig_add(&rig, "network_account");
			((struct traffic_list *)reader_state(&traffic_reader, &rig.env))->knows_links = true;
			((struct traffic_list *)reader_state(&traffic_reader, &rig.env))->namespace = NETWORK;
			rig_sample(&rig, 0);
		}
		entries[0] = (struct bpf_entry){ .sum = 5000, .count = 1 };
		rig_put(&rig, "proc/net/dev", WIRE("eth0", 3000, 12, 4000, 20));
		frame = rig_sample(&rig, 2);
		ck_assert_uint_eq(account(frame, "all", "kernel", "received_bytes"), cases[i].received);
		ck_assert_uint_eq(account(frame, "all", "kernel", "sent_bytes"), 0);
		ck_assert_uint_eq(HEADERS("all", "received"), 132);
		rig_close(&rig);
	}
}

/* Their sum is not known then. */
START_TEST(links_that_sysfs_does_not_have)
{
	static const char *const none[] = { NULL };
	const struct frame *frame;
	struct rig rig;

	counted = (struct counted){ "network_account", NULL, NULL, NULL, 0, NULL };
	rig_open(&rig, "readers", none);
	rig_make(&rig, "proc/net");
	rig_put(&rig, "proc/net/dev", WIRE("eth0", 1000, 10, 1000, 10));
	rig_add(&rig, "network_account");
	rig_sample(&rig, 0);
	rig_put(&rig, "proc/net/dev", WIRE("eth0", 1100, 11, 1020, 11));
	frame = rig_sample(&rig, 2);
	ck_assert_uint_eq(frame_table(frame, "network_account")->n_rows, 6);
	ck_assert_uint_eq(account(frame, "eth0", "wire", "received_bytes"), 100);
	ck_assert_uint_eq(HEADERS("eth0", "sent"), 20); /* at most what it sent */
	ck_assert_uint_eq(frame->n_notices, 1);
	ck_assert(has_notice_of(
		frame, "network_account",
		"which interfaces lead out of this machine is not known: /sys is not of this network "
		"namespace"));
	rig_close(&rig);
}

#define SDB ((uint64_t)(8 << 20 | 16) << 32)

static void put_two_disks(struct rig *rig)
{
	rig_put(rig, "proc/diskstats",
		"8 0 sda 9 0 1000 9 9 0 2000 9 0 9 9\n8 16 sdb 9 0 1000 9 9 0 2000 9 0 9 9\n");
}

/* Those that are left are found again; a process that ended is known as long as it has something written. */
START_TEST(users_of_devices_come_and_go)
{
	static const uint64_t keys[][2] = {
		{ 0, 4711 | SDA }, { 1, 50 | SDB }, { 0, 42 | SDA }, { 0, 42 | SDB },
		{ 1, 7 | SDA },    { 9, 42 | SDA }, { 1, 99 | SDA },
	};
	static struct bpf_entry entries[7] = {
		{ .sum = 1000, .count = 1 },  { .sum = 8000, .count = 8 },  { .sum = 2000, .count = 2 },
		{ .sum = 4000, .count = 4 },  { .sum = 16000, .count = 9 }, { .sum = 32000, .count = 5 },
		{ .sum = 64000, .count = 6 },
	};
	const struct disk_user_list *list;
	const struct frame *frame;
	struct rig rig;

	counted = (struct counted){ "disk_user", NULL, keys, entries, 6, NULL };
	rig_open(&rig, "readers", (const char *const[]){ NULL });
	put_two_disks(&rig);
	rig_add(&rig, "disk_user");
	n_forgotten = 0;
	frame = rig_sample(&rig, 1);
	list = reader_state(&disk_user_reader, &rig.env);
	ck_assert_uint_eq(frame_table(frame, "disk_user")->n_rows, 5);
	check_row(frame, "disk_user",
		  "device=sda pid=4711 how=bpf read_bytes=1000 write_bytes=0 bytes=1000 requests=1");
	check_row(frame, "disk_user",
		  "device=sdb pid=50 how=bpf read_bytes=0 write_bytes=8000 bytes=8000 requests=8");
	check_row(frame, "disk_user",
		  "device=sda pid=42 start_seconds=90 how=bpf read_bytes=2000 write_bytes=32000 bytes=34000 "
		  "requests=7 name=cc1\n\033[31m command=cc1\n\033[31m");
	check_row(frame, "disk_user",
		  "device=sdb pid=42 start_seconds=90 how=bpf read_bytes=4000 write_bytes=0 bytes=4000 "
		  "requests=4 name=cc1\n\033[31m command=cc1\n\033[31m");
	rig_remove(&rig, "proc/99");
	rig_sample(&rig, 1);
	ck_assert_uint_eq(list->n_all, 5);
	ck_assert_uint_eq(n_forgotten, 0);
	counted.n = 7;
	frame = rig_sample(&rig, 1);
	ck_assert_uint_eq(n_forgotten, 2);
	ck_assert_uint_eq(list->n_all, 4);
	check_row(frame, "disk_user",
		  "read_bytes_per_second=0 write_bytes_per_second=64000 bytes_per_second=64000 "
		  "requests_per_second=6 request_bytes=10666.66667 device=sda pid=99 start_seconds=0.77 "
		  "how=bpf read_bytes=0 write_bytes=64000 bytes=64000 requests=6 name=xxxxxxxxxxxxxxx "
		  "command=xxxxxxxxxxxxxxx");
	counted = (struct counted){ "disk_user", NULL, keys[2], entries + 2, 5, NULL };
	for (unsigned i = 2; i < 6; i++)
		entries[i].sum++;
	rig_sample(&rig, 1);
	ck_assert_uint_eq(list->n_all, 4);
	ck_assert_uint_eq(disk_user_list_done(list, 8 << 20)->programs[0], 3001);
	ck_assert_uint_eq(disk_user_list_done(list, 8 << 20)->programs[1], 32001 + 16001 + 64000);
	ck_assert_uint_eq(disk_user_list_done(list, 8 << 20 | 16)->programs[0], 4001);
	ck_assert_uint_eq(disk_user_list_done(list, 8 << 20 | 16)->programs[1], 8000);
	ck_assert_ptr_null(disk_user_list_done(list, 8 << 20 | 1));
	rig_put(&rig, "proc/42/stat", "42 (cc1plus) S 1 1 1 0 -1 0 0 0 0 0 0 0 0 0 20 0 1 0 9000 0 0\n");
	entries[2].sum += 10;
	frame = rig_sample(&rig, 1); /* it runs another program */
	check_row(frame, "disk_user",
		  "read_bytes_per_second=10 write_bytes_per_second=0 bytes_per_second=10 "
		  "requests_per_second=0 device=sda pid=42 start_seconds=90 how=bpf read_bytes=2011 "
		  "write_bytes=32001 bytes=34012 requests=7 name=cc1plus command=cc1plus");
	rig_put(&rig, "proc/42/stat", "42 (ld) S 1 1 1 0 -1 0 0 0 0 0 0 0 0 0 20 0 1 0 77700 0 0\n");
	entries[2] = (struct bpf_entry){ .sum = entries[2].sum + 100, .count = 12 };
	entries[5] = (struct bpf_entry){ .sum = entries[5].sum + 3, .count = 7 };
	frame = rig_sample(&rig, 1); /* another process has its PID */
	check_row(frame, "disk_user",
		  "read_bytes_per_second=100 write_bytes_per_second=3 bytes_per_second=103 "
		  "requests_per_second=12 request_bytes=8.583333333 device=sda pid=42 start_seconds=777 "
		  "how=bpf "
		  "read_bytes=100 write_bytes=3 bytes=103 requests=12 name=ld command=ld");
	rig_close(&rig);
}

/* What is known of operations: two devices, one of them not listed any more, in the order of their numbers.
 */
START_TEST(latencies_are_by_device_and_operation)
{
	static const char *const names[] = { "disk_latency", NULL };
	static const uint64_t sda = 8 << 20, sdb = 8 << 20 | 16, gone = 8 << 20 | 32;
	static const uint64_t keys[] = {
		sdb | UINT64_C(1) << 32, sda | UINT64_C(1) << 32, gone, sdb, sda, sda | UINT64_C(4) << 32,
	};
	static const uint64_t numbers[] = { 0, 1, 2, 3, 4, 5 };
	static const char *const rows[][4] = {
		{ "sda", "read", "device", "5" },  { "sda", "write", "queued", "20" },
		{ "sda", "write", "device", "2" }, { "sda", "other", "device", "6" },
		{ "sdb", "read", "device", "4" },  { "sdb", "write", "device", "1" },
	};
	static struct bpf_phases phases[6];
	const struct table *table;
	struct rig rig;

	for (unsigned i = 0; i < 6; i++)
		phases[i].buckets[BPF_PHASE_SECOND][i == 0 ? 0 : HISTOGRAM_BUCKETS - 1] = i + 1;
	phases[1].buckets[BPF_PHASE_FIRST][7] = 20;
	counted = (struct counted){ "disk_latency", NULL, keys, numbers, 6, phases };
	rig_open(&rig, "readers", (const char *const[]){ NULL });
	put_two_disks(&rig);
	rig_add(&rig, *names);
	for (unsigned turn = 0; turn < 2; turn++) {
		table = frame_table(rig_sample(&rig, 1), "disk_latency");
		ck_assert_uint_eq(table->n_rows, 6);
		for (unsigned i = 0; i < 6; i++) {
			const void *row = table_row(table, i);

			ck_assert_str_eq(table_text(table, row, "device"), rows[i][0]);
			ck_assert_str_eq(table_text(table, row, "operation"), rows[i][1]);
			ck_assert_str_eq(table_text(table, row, "phase"), rows[i][2]);
			ck_assert_uint_eq(table_u64(table, row, "requests"), (uint64_t)atoi(rows[i][3]));
		}
	}
	rig_close(&rig);
}

/* Requests that the kernel times itself need no program where they start. */
START_TEST(starts_of_requests_are_noted_where_they_are_needed)
{
	static const struct {
		const char *aims[2], *requests[2];
		unsigned reads; /* of the second one */
		bool added;
	} cases[] = {
		{ { "75000", "75000" }, { "64", "64" }, 9, false },
		{ { "75000", "0" }, { "64", "64" }, 9, true },
		{ { "0", "75000" }, { "64", "64" }, 9, true },
		{ { "75000", NULL }, { "64", "64" }, 9, true },
		{ { "1", "0" }, { "64", NULL }, 9, false },
		{ { NULL, "1" }, { NULL, "64" }, 9, false },
		{ { "75000", "0" }, { "64", "64" }, 0, false },
	};
	static const uint64_t keys[1], numbers[1];
	static struct bpf_phases phases[1];

	for (unsigned i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct rig rig;

		counted = (struct counted){ "disk_latency", NULL, keys, numbers, 0, phases };
		rig_open(&rig, "readers", (const char *const[]){ NULL });
		rig_put(&rig, "proc/diskstats",
			"8 0 sda 9 0 1000 9 9 0 2000 9 0 9 9\n8 16 sdb %u 0 0 0 0 0 0 0 0 0 0\n",
			cases[i].reads);
		for (unsigned disk = 0; disk < 2; disk++) {
			char path[64];

			snprintf(path, sizeof(path), "sys/block/sd%c/queue", "ab"[disk]);
			rig_make(&rig, path);
			snprintf(path, sizeof(path), "sys/block/sd%c/queue/wbt_lat_usec", "ab"[disk]);
			if (cases[i].aims[disk])
				rig_put(&rig, path, "%s\n", cases[i].aims[disk]);
			snprintf(path, sizeof(path), "sys/block/sd%c/queue/nr_requests", "ab"[disk]);
			if (cases[i].requests[disk])
				rig_put(&rig, path, "%s\n", cases[i].requests[disk]);
		}
		rig_add(&rig, "disk_latency");
		last_added = NULL;
		n_added = 0;
		rig_sample(&rig, 1);
		rig_sample(&rig, 1);
		ck_assert_msg(n_added == cases[i].added, "case %u", i);
		if (cases[i].added)
			ck_assert_str_eq(last_added->tracepoint, "block_rq_issue");
		ck_assert_uint_eq(last_opened->plan->n_programs, 1);
		ck_assert_str_eq(last_opened->plan->programs[0].tracepoint, "block_rq_complete");
		rig_close(&rig);
	}
}

/* They are looked for while a cache in use has none, but not for ever. */
START_TEST(names_of_caches_are_looked_for)
{
	static const char *const names[] = { "slab", NULL };
	static const uint64_t keys[][2] = { { 0x1000, 7 }, { 0x2000, 42 } };
	static struct bpf_entry entries[2];
	static uint64_t cache_names[1][5] = { { 0x1000 } };
	static struct bpf_entry named[1];
	struct rig rig;

	strcpy((char *)&cache_names[0][1], "dentry");
	counted = (struct counted){ "slab", &trace_plan_slab, keys, entries, 2, NULL };
	also_counted = (struct counted){ "slab", &trace_plan_slab_names, cache_names, named, 0, NULL };
	rig_open(&rig, "readers", names);
	rig_put(&rig, "proc/meminfo", "Slab: 1000 kB\n");
	rig_put(&rig, "proc/slabinfo",
		"slabinfo - version: 2.1\n# name\n"
		"dentry 2000 2100 192 21 1 : tunables 0 0 0 : slabdata 100 100 0\n");
	n_opens = n_closes = 0;
	rig_sample(&rig, 1);
	ck_assert_uint_eq(n_opens, 1); /* nothing was allocated */
	entries[0].count = 10;
	rig_sample(&rig, 1);
	ck_assert_uint_eq(n_opens, 2);
	also_counted.n = 1;
	entries[0].count = 20;
	rig_sample(&rig, 1);
	ck_assert_uint_eq(n_opens, 2);
	ck_assert_uint_eq(n_closes, 1);
	ck_assert_uint_eq(cell_u64(&rig.frames[rig.present], "slab", "dentry", "allocations"), 20);
	for (unsigned i = 1; i <= 5; i++) { /* of the other one none is found */
		entries[1].count++;
		rig_sample(&rig, 1);
		ck_assert_uint_eq(n_opens, 3);
		ck_assert_uint_eq(n_closes, 1);
	}
	for (unsigned i = 0; i < 3; i++) {
		entries[1].count++;
		rig_sample(&rig, 1);
		ck_assert_uint_eq(n_opens, 3);
		ck_assert_uint_eq(n_closes, 2);
	}
	also_counted = (struct counted){ 0 };
	rig_close(&rig);
}

#define ALLOCATORS_MANY 8193 /* more than half of what the map holds */

/* What rests leaves a map that is half full, and stays counted. */
START_TEST(allocators_that_rest_leave_a_full_map)
{
	static const char *const names[] = { "slab", NULL };
	static uint64_t keys[ALLOCATORS_MANY][2];
	static struct bpf_entry entries[ALLOCATORS_MANY];
	static uint64_t cache_names[1][5] = { { 0x1000 } };
	static struct bpf_entry named[1];
	struct rig rig;

	strcpy((char *)&cache_names[0][1], "dentry");
	for (unsigned i = 0; i < ALLOCATORS_MANY; i++) {
		keys[i][0] = 0x1000;
		keys[i][1] = i;
		entries[i].count = 2;
	}
	counted = (struct counted){ "slab", &trace_plan_slab, keys, entries, ALLOCATORS_MANY - 1, NULL };
	also_counted = (struct counted){ "slab", &trace_plan_slab_names, cache_names, named, 1, NULL };
	rig_open(&rig, "readers", names);
	rig_put(&rig, "proc/meminfo", "Slab: 1000 kB\n");
	rig_put(&rig, "proc/slabinfo",
		"slabinfo - version: 2.1\n# name\n"
		"dentry 2000 2100 192 21 1 : tunables 0 0 0 : slabdata 100 100 0\n");
	n_forgotten = 0;
	rig_sample(&rig, 1);
	rig_sample(&rig, 1);
	ck_assert_uint_eq(n_forgotten, 0); /* it is half full, and no more */
	counted.n = ALLOCATORS_MANY;
	entries[0].count++;
	rig_sample(&rig, 1);
	ck_assert_uint_eq(n_forgotten, ALLOCATORS_MANY - 2); /* but for the one that grew, and the new one */
	keys[1][1] = ALLOCATORS_MANY - 1;
	counted.n = 2;
	rig_sample(&rig, 1);
	ck_assert_uint_eq(cell_u64(&rig.frames[rig.present], "slab", "dentry", "allocations"),
			  2 * ALLOCATORS_MANY + 1);
	also_counted = (struct counted){ 0 };
	rig_close(&rig);
}

/* Neither those of others, also unseen ones, nor the sums. */
START_TEST(a_scope_has_only_its_own_rows)
{
	static const uint64_t sockets[] = {
		SOCKET(42, 0, AF_INET, IPPROTO_TCP),
		SOCKET(7, 0, AF_INET, IPPROTO_TCP),
		SOCKET(4711, 0, AF_INET, IPPROTO_TCP),
		SOCKET(0, 0, AF_INET, IPPROTO_TCP),
	};
	static const uint64_t pages[][N_BPF_CACHE_WORDS] = {
		PAGES_OF(42, BPF_CACHE_ASKED),
		PAGES_OF(7, BPF_CACHE_ASKED),
		PAGES_OF(4711, BPF_CACHE_ASKED),
		PAGES_OF(99, BPF_CACHE_ASKED),
	};
	static const uint64_t users[][2] = { { 1, 42 | SDA }, { 1, 7 | SDA }, { 1, 4711 | SDA }, { 1, SDA } };
	static const struct counted all[] = {
		{ .topic = "traffic", .keys = sockets },
		{ .topic = "cache_use", .keys = pages },
		{ .topic = "disk_user", .keys = users },
	};
	static const size_t n_rows_of_all[] = { 4, 5, 4 };
	static struct bpf_entry entries[4] = { { .sum = 1, .count = 1 },
					       { .sum = 1, .count = 1 },
					       { .sum = 1, .count = 1 },
					       { .sum = 1, .count = 1 } };

	for (unsigned i = 0; i < 6; i++) {
		bool scoped = i % 2;
		const struct table *table;
		struct scope scope = { 0 };
		struct scope_term term;
		struct rig rig;
		char why[256];

		ck_assert(scope_term_parse(&term, "pid=42", why, sizeof(why)) && scope_add(&scope, &term));
		counted = all[i / 2];
		counted.entries = entries;
		counted.n = 4;
		rig_open(&rig, "readers", (const char *const[]){ NULL });
		rig.request.scope = scoped ? &scope : NULL;
		put_two_disks(&rig);
		rig_add(&rig, counted.topic);
		table = frame_table(rig_sample(&rig, 1), counted.topic);
		ck_assert_msg(table->n_rows == (scoped ? 1 : n_rows_of_all[i / 2]), "%s: %zu rows",
			      counted.topic, table->n_rows);
		if (scoped)
			ck_assert_uint_eq(table_u64(table, table_row(table, 0), "pid"), 42);
		rig_close(&rig);
		scope_free(&scope);
	}
}

/* Without BPF by what their files say, of programs that read or write at all. */
START_TEST(without_bpf_users_of_devices_are_those_of_all)
{
	static const char *const names[] = { "disk_user", NULL };
	static const unsigned pids[] = { 1, 7, 9, 42, 99 };
	const struct frame *frame;
	char path[32];
	struct rig rig;

	counted = (struct counted){ 0 };
	rig_open(&rig, "readers", (const char *const[]){ NULL });
	rig_make(&rig, "proc/9");
	rig_put(&rig, "proc/9/stat", "9 (kworker/1) I 2 0 0 0 -1 2129984 0 0 0 0 0 0 0 0 20 0 1 0 50 0 0\n");
	put_two_disks(&rig);
	for (unsigned i = 0; i < 5; i++) {
		snprintf(path, sizeof(path), "proc/%u/io", pids[i]);
		rig_put(&rig, path, "rchar: 99\nread_bytes: 0\nwrite_bytes: 0\n");
	}
	rig_add(&rig, *names);
	rig_sample(&rig, 1);
	rig_put(&rig, "proc/7/io", "rchar: 99\nread_bytes: 4096\nwrite_bytes: 0\n");
	rig_put(&rig, "proc/9/io", "rchar: 99\nread_bytes: 8192\nwrite_bytes: 8192\n");
	rig_put(&rig, "proc/42/io", "rchar: 99\nread_bytes: 0\nwrite_bytes: 12288\n");
	frame = rig_sample(&rig, 2);
	ck_assert_uint_eq(frame_table(frame, "disk_user")->n_rows, 2);
	check_row(frame, "disk_user",
		  "read_bytes_per_second=2048 write_bytes_per_second=0 device=all pid=7 start_seconds=5 "
		  "how=proc "
		  "read_bytes=4096 write_bytes=0 name=a) R (b command=a) R (b");
	check_row(frame, "disk_user",
		  "read_bytes_per_second=0 write_bytes_per_second=6144 device=all pid=42 start_seconds=90 "
		  "how=proc read_bytes=0 write_bytes=12288 name=cc1\n\033[31m command=cc1\n\033[31m");
	rig_close(&rig);
}

/* --- Tracepoints that a user names. */

#define FIELD(declaration, offset, size, is_signed)                                                          \
	"\tfield:" declaration ";\toffset:" #offset ";\tsize:" #size ";\tsigned:" #is_signed ";\n"

static const char *const trace_topics[] = { "trace", "trace_bucket", NULL };
static struct trace_specs specs;

static void set_specs(const char *one, const char *other)
{
	const char *const texts[] = { one, other };
	char why[256];

	specs.n = 0;
	specs.epoch++;
	memset(specs.list, 0, sizeof(specs.list));
	for (unsigned i = 0; i < 2 && texts[i]; i++)
		ck_assert_msg(trace_spec_parse(&specs.list[specs.n++], texts[i], why, sizeof(why)), "%s",
			      why);
}

/* Has the tracepoint a:b, at which the user wants this counted. */
static void open_traces(struct rig *rig, const char *one, const char *other)
{
	rig_open(rig, "readers", trace_topics);
	rig->env.live = true;
	rig_make(rig, "sys/kernel/tracing/events/a/b");
	rig_put(rig, "sys/kernel/tracing/available_events", "a:b\n");
	rig_put(rig, "sys/kernel/tracing/events/a/b/format", "%s",
		FIELD("dev_t dev", 8, 4, 0) FIELD("int change", 12, 4, 1) FIELD("u64 sector", 16, 8, 0)
			FIELD("char rwbs[8]", 24, 8, 0) FIELD("__data_loc char[] path", 40, 4, 0)
				FIELD("void * where", 48, 8, 0));
	set_specs(one, other);
	rig->request.traces = &specs;
}

static const struct frame *later(struct rig *rig, unsigned seconds)
{
	return rig_sample(rig, seconds);
}

static size_t n_rows(const struct frame *frame, const char *topic)
{
	return frame_table(frame, topic)->n_rows;
}

#define ROWS_OF(keys_, entries_)                                                                             \
	(struct counted)                                                                                     \
	{                                                                                                    \
		"trace", NULL, keys_, entries_, sizeof(entries_) / sizeof((entries_)[0]), NULL               \
	}

START_TEST(keys_of_users_are_written_as_their_fields)
{
	static uint64_t keys[3][11] = {
		{ 8 << 20 | 17, 0xfffffc0012, UINT64_MAX },
		{ UINT64_C(4095) << 20 | 1048575, 0, 5 },
		{ 0, 16, 0 },
	};
	static struct bpf_entry entries[3] = { { .count = 3 }, { .count = 4 }, { .count = 5 } };
	const struct frame *frame;
	struct rig rig;

	snprintf((char *)&keys[0][3], 64, "%s", "/a");
	memset(&keys[1][3], 'x', 64); /* cut */
	counted = ROWS_OF(keys, entries);
	open_traces(&rig, "a:b by dev,where,change,path", NULL);
	frame = rig_sample(&rig, 0);
	ck_assert_uint_eq(n_rows(frame, "trace"), 3);
	ck_assert_uint_eq(n_rows(frame, "trace_bucket"), 0);
	check_row(frame, "trace", "trace=a:b by dev,where,change,path keys=8:17,0xfffffc0012,-1,/a count=3");
	check_row(frame, "trace",
		  "trace=a:b by dev,where,change,path keys=4095:1048575,0x0,5,"
		  "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx… count=4");
	check_row(frame, "trace", "trace=a:b by dev,where,change,path keys=0:0,0x10,0, count=5");
	entries[0].count += 20;
	frame = later(&rig, 2);
	check_row(frame, "trace",
		  "trace=a:b by dev,where,change,path keys=8:17,0xfffffc0012,-1,/a per_second=10 "
		  "count=23");
	rig_close(&rig);
}

START_TEST(keys_without_a_field_are_numbers_and_names)
{
	static uint64_t keys[2][5] = { { UINT64_MAX, 77 }, { 7, 78 } };
	static struct bpf_entry entries[2] = { { .count = 3 }, { .count = 4 } };
	const struct frame *frame;
	struct rig rig;

	snprintf((char *)&keys[0][2], 16, "%s", "cat");
	memcpy((char *)&keys[1][2], "0123456789abcdef", 16);
	keys[0][4] = keys[1][4] = 3;
	counted = ROWS_OF(keys, entries);
	open_traces(&rig, "a:b by sector,cgroup,comm,cpu", NULL);
	rig_put(&rig, "proc/mounts", "none /nowhere tmpfs rw 0 0\n");
	frame = rig_sample(&rig, 0);
	check_row(frame, "trace",
		  "trace=a:b by sector,cgroup,comm,cpu keys=18446744073709551615,77,cat,3 count=3");
	check_row(frame, "trace", "trace=a:b by sector,cgroup,comm,cpu keys=7,78,0123456789abcdef,3 count=4");
	rig_close(&rig);
}

#define SIGNED_MOST(number) ((uint64_t)(int64_t)(number) ^ UINT64_C(1) << 63)

/* What follows the NUL of a text tells entries apart, but not rows. */
START_TEST(the_same_keys_are_one_row)
{
	static uint64_t keys[4][1];
	static struct bpf_entry entries[4] = {
		{ .count = 1, .sum = (uint64_t)-10, .most = SIGNED_MOST(-7) },
		{ .count = 2, .sum = 4, .most = SIGNED_MOST(-5) },
		{ .count = 4, .sum = (uint64_t)-1, .most = SIGNED_MOST(-9) },
		{ .count = 8, .sum = 100, .most = SIGNED_MOST(60) },
	};
	const struct frame *frame;
	struct rig rig;

	memcpy(keys[0], "W\0aaaaaa", 8);
	memcpy(keys[1], "W\0bbbbbb", 8);
	memcpy(keys[2], "W\0cccccc", 8);
	memcpy(keys[3], "WS\0aaaaa", 8);
	counted = ROWS_OF(keys, entries);
	open_traces(&rig, "a:b by rwbs sum(change) max(change)", NULL);
	frame = rig_sample(&rig, 0);
	ck_assert_uint_eq(n_rows(frame, "trace"), 2);
	check_row(frame, "trace", "trace=a:b by rwbs sum(change) max(change) keys=W count=7 sum=-7 max=-5");
	check_row(frame, "trace", "trace=a:b by rwbs sum(change) max(change) keys=WS count=8 sum=100 max=60");
	entries[1].count += 6;
	entries[2].sum += 50;
	frame = later(&rig, 2);
	check_row(frame, "trace",
		  "trace=a:b by rwbs sum(change) max(change) keys=W per_second=3 count=13 "
		  "sum_per_second=25 sum=43 max=-5");
	rig_close(&rig);
}

START_TEST(sums_and_maxima_of_unsigned_fields)
{
	static uint64_t keys[2][1];
	static struct bpf_entry entries[2] = {
		{ .count = 1, .sum = UINT64_C(1) << 63, .most = UINT64_C(3) << 62 },
		{ .count = 1, .sum = 0, .most = 5 },
	};
	const struct frame *frame;
	struct rig rig;

	memcpy(keys[0], "W\0aaaaaa", 8);
	memcpy(keys[1], "W\0bbbbbb", 8);
	counted = ROWS_OF(keys, entries);
	open_traces(&rig, "a:b by rwbs sum(sector) max(sector)", NULL);
	frame = rig_sample(&rig, 0);
	check_row(frame, "trace",
		  "trace=a:b by rwbs sum(sector) max(sector) keys=W count=2 sum=9.223372037e+18 "
		  "max=1.383505806e+19");
	rig_close(&rig);
}

START_TEST(without_keys_there_is_one_row)
{
	static const uint64_t key;
	static struct bpf_entry entries[1] = { { .count = 9, .sum = 20, .most = SIGNED_MOST(6) } };
	const struct frame *frame;
	struct rig rig;

	counted = ROWS_OF(&key, entries);
	counted.n = 0;
	open_traces(&rig, "a:b sum(change) max(change)", NULL);
	frame = rig_sample(&rig, 0);
	check_row(frame, "trace", "trace=a:b sum(change) max(change) keys=all count=0 sum=0");
	counted.n = 1;
	frame = later(&rig, 2);
	check_row(frame, "trace",
		  "trace=a:b sum(change) max(change) keys=all per_second=4.5 count=9 sum_per_second=10 "
		  "sum=20 max=6");
	ck_assert_uint_eq(n_rows(frame, "trace"), 1);
	set_specs("a:b by dev", NULL);
	counted.n = 0;
	ck_assert_uint_eq(n_rows(later(&rig, 2), "trace"), 0);
	set_specs("a:b hist(change)", NULL);
	ck_assert_uint_eq(n_rows(later(&rig, 2), "trace"), 0);
	rig_close(&rig);
}

#define BUCKET(keys, limits, count) "trace=a:b by rwbs hist(change) keys=" keys " " limits " count=" count

/* Powers of two, and those below 0. */
START_TEST(histograms_have_buckets)
{
	static uint64_t keys[9][2] = {
		{ 0, (uint64_t)-3 }, { 0, 0 }, { 0, 1 }, { 0, (uint64_t)-1 }, { 0, 2 }, { 0, (uint64_t)-2 },
		{ 0, 32 },           { 0, 2 }, { 0, 2 },
	};
	static struct bpf_entry entries[9];
	const struct frame *frame;
	struct rig rig;

	for (unsigned i = 0; i < 9; i++) {
		memcpy(keys[i], i == 7 ? "R\0aaaaaa" : i == 8 ? "W\0cccccc" : "W\0aaaaaa", 8);
		entries[i].count = 1u << i;
	}
	counted = ROWS_OF(keys, entries);
	open_traces(&rig, "a:b by rwbs hist(change)", NULL);
	frame = rig_sample(&rig, 0);
	ck_assert_uint_eq(n_rows(frame, "trace_bucket"), 8);
	check_row(frame, "trace_bucket", BUCKET("W", "from=-7 to=-3", "1"));
	check_row(frame, "trace_bucket", BUCKET("W", "from=-3 to=-1", "32"));
	check_row(frame, "trace_bucket", BUCKET("W", "from=-1 to=0", "8"));
	check_row(frame, "trace_bucket", BUCKET("W", "from=0 to=1", "2"));
	check_row(frame, "trace_bucket", BUCKET("W", "from=1 to=2", "4"));
	check_row(frame, "trace_bucket", BUCKET("W", "from=2 to=4", "272"));
	check_row(frame, "trace_bucket", BUCKET("W", "from=2147483648 to=4294967296", "64"));
	check_row(frame, "trace_bucket", BUCKET("R", "from=2 to=4", "128"));
	check_row(frame, "trace", "trace=a:b by rwbs hist(change) keys=W count=383");
	check_row(frame, "trace", "trace=a:b by rwbs hist(change) keys=R count=128");
	ck_assert_uint_eq(n_rows(frame, "trace"), 2);
	rig_close(&rig);
}

START_TEST(without_a_wish_no_tracepoint_is_opened)
{
	static const uint64_t key;
	static struct bpf_entry entries[1] = { { .count = 9 } };
	struct rig rig;

	counted = ROWS_OF(&key, entries);
	open_traces(&rig, "a:b", NULL);
	n_opens = 0;
	rig.request.traces = NULL;
	ck_assert_uint_eq(n_rows(rig_sample(&rig, 0), "trace"), 0);
	rig.request.traces = &specs;
	rig.request.no_bpf = true;
	ck_assert_uint_eq(n_rows(rig_sample(&rig, 0), "trace"), 0);
	rig.request.no_bpf = false;
	rig.env.live = false;
	specs.epoch++;
	ck_assert_uint_eq(n_rows(rig_sample(&rig, 0), "trace"), 0);
	ck_assert_uint_eq(n_opens, 0);
	rig.env.live = true;
	ck_assert_uint_eq(n_rows(rig_sample(&rig, 0), "trace"), 0); /* the same wish */
	specs.epoch++;
	ck_assert_uint_eq(n_rows(rig_sample(&rig, 0), "trace"), 1);
	ck_assert_uint_eq(n_opens, 1);
	rig.request.traces = NULL;
	ck_assert_uint_eq(n_rows(rig_sample(&rig, 0), "trace"), 1); /* it goes on */
	rig_close(&rig);
}

/* Those that stay count on; the others are closed. */
START_TEST(tracepoints_follow_what_is_wished)
{
	static const uint64_t key;
	static struct bpf_entry entries[1] = { { .count = 9 } };
	const struct frame *frame;
	struct rig rig;

	counted = ROWS_OF(&key, entries);
	open_traces(&rig, "a:b", "a:b by dev");
	n_opens = n_closes = 0;
	ck_assert_uint_eq(n_rows(rig_sample(&rig, 0), "trace"), 2);
	ck_assert_uint_eq(n_opens, 2);
	set_specs("a:b by sector", "a:b");
	frame = later(&rig, 1);
	ck_assert_uint_eq(n_rows(frame, "trace"), 2);
	check_row(frame, "trace", "trace=a:b by sector keys=0 per_second=9 count=9");
	check_row(frame, "trace", "trace=a:b keys=all per_second=0 count=9");
	ck_assert_uint_eq(n_opens, 3);
	ck_assert_uint_eq(n_closes, 1);
	rig_put(&rig, "sys/kernel/tracing/events/a/b/format", NULL);
	frame = later(&rig, 1); /* it is not looked for again */
	ck_assert_uint_eq(n_rows(frame, "trace"), 2);
	ck_assert_uint_eq(frame->n_notices, 0);
	set_specs(NULL, NULL);
	ck_assert_uint_eq(n_rows(later(&rig, 1), "trace"), 0);
	ck_assert_uint_eq(n_closes, 3);
	ck_assert_uint_eq(n_opens, 3);
	rig_close(&rig);
}

START_TEST(tracepoints_begin_again_with_another_scope)
{
	static const uint64_t key;
	static struct bpf_entry entries[1] = { { .count = 9 } };
	struct scope scope = { 0 };
	struct rig rig;

	counted = ROWS_OF(&key, entries);
	open_traces(&rig, "a:b", NULL);
	n_opens = n_closes = 0;
	rig_sample(&rig, 0);
	ck_assert(!last_opened->plan->of_wanted);
	rig_set_scope(&rig, &scope, NULL); /* of all, too */
	later(&rig, 1);
	ck_assert_uint_eq(n_opens, 1);
	rig_set_scope(&rig, &scope, "pid=7");
	ck_assert_uint_eq(n_rows(later(&rig, 1), "trace"), 1);
	ck_assert_uint_eq(n_opens, 2);
	ck_assert_uint_eq(n_closes, 1);
	ck_assert(last_opened->plan->of_wanted);
	later(&rig, 1);
	ck_assert_uint_eq(n_opens, 2);
	rig_set_scope(&rig, &scope, "pid=42");
	later(&rig, 1);
	ck_assert_uint_eq(n_opens, 3);
	ck_assert_uint_eq(n_closes, 2);
	rig_set_scope(&rig, &scope, NULL);
	later(&rig, 1);
	ck_assert_uint_eq(n_opens, 4);
	ck_assert(!last_opened->plan->of_wanted);
	rig_close(&rig);
	scope_free(&scope);
}

#define NOT_COUNTED "system calls are not counted any more: that took 5 % of a CPU"
#define NOT_TIMED "system calls are counted, but not timed any more: that took more than 5 % of a CPU"

/* They cost up to a twentieth of a CPU in a second; the kernel times one run of 64. */
START_TEST(calls_of_all_are_counted_as_long_as_that_costs_little)
{
	static const char *const names[] = { "call", NULL };
	static const uint64_t keys[] = { CALL(7, SYS_close, 0, 0) };
	static struct bpf_entry entries[] = { { .count = 10 } };
	const struct frame *frame;
	struct rig rig;

	counted = (struct counted){ "call", NULL, keys, entries, 1, NULL };
	rig_open(&rig, "readers", names);
	n_closes = 0;
	timed_ns = 1000000000; /* before the first look */
	rig_sample(&rig, 0);
	ck_assert(last_opened->plan == &trace_plan_call && last_opened->process == 0);
	timed_ns += 500000;
	rig.clock.ns += 1000 * MS - 1;
	rig_sample(&rig, 0); /* not judged yet */
	timed_ns += 281250;
	rig.clock.ns += 1;
	frame = rig_sample(&rig, 0);
	ck_assert(!has_notice_of(frame, "call", NULL)); /* a twentieth */
	timed_ns += 781251;
	frame = later(&rig, 1);
	ck_assert(has_notice_of(frame, "call", NOT_COUNTED));
	ck_assert_uint_eq(n_rows(frame, "call"), 1);
	ck_assert_uint_eq(n_closes, 1);
	frame = later(&rig, 1);
	ck_assert(has_notice_of(frame, "call", NOT_COUNTED));
	ck_assert_uint_eq(n_rows(frame, "call"), 0);
	ck_assert(!frame_table(frame, "call")->failed);
	ck_assert_uint_eq(n_stops, 0);
	rig.request.profiled_pid = 7; /* another wish begins again */
	frame = later(&rig, 1);
	ck_assert_uint_eq(frame->n_notices, 0);
	ck_assert_uint_eq(n_rows(frame, "call"), 1);
	rig_close(&rig);
}

START_TEST(calls_of_a_process_are_first_not_timed_and_then_not_counted)
{
	static const char *const names[] = { "call", NULL };
	static const uint64_t keys[] = { CALL(7, SYS_close, 0, 0), CALL(42, SYS_close, 0, 0) };
	static struct bpf_entry entries[] = { { .count = 10 }, { .count = 10 } };
	const struct frame *frame;
	struct rig rig;

	counted = (struct counted){ "call", NULL, keys, entries, 2, NULL };
	rig_open(&rig, "readers", names);
	rig.request.profiled_pid = 7;
	rig_sample(&rig, 0);
	ck_assert(last_opened->plan == &trace_plan_call_of_one && last_opened->process == 7);
	n_closes = 0;
	timed_ns = 390625; /* of two programs: a twentieth */
	ck_assert_uint_eq(later(&rig, 1)->n_notices, 0);
	timed_ns += 390626;
	ck_assert(has_notice_of(later(&rig, 1), "call", NOT_TIMED));
	ck_assert_uint_eq(n_stops, 1);
	ck_assert_str_eq(stopped->tracepoint, "sys_enter");
	timed_ns += 1000000; /* what was before does not count */
	frame = later(&rig, 1);
	ck_assert(has_notice_of(frame, "call", NOT_TIMED));
	ck_assert_uint_eq(n_rows(frame, "call"), 2);
	ck_assert_uint_eq(n_closes, 0);
	timed_ns += 390626;
	frame = later(&rig, 1);
	ck_assert(has_notice_of(frame, "call", NOT_COUNTED));
	ck_assert_uint_eq(frame->n_notices, 1);
	ck_assert_uint_eq(n_closes, 1);
	ck_assert_uint_eq(n_stops, 1);
	ck_assert_uint_eq(n_rows(later(&rig, 1), "call"), 0);
	rig_close(&rig);
}

START_TEST(calls_of_a_scope_are_of_its_processes)
{
	static const char *const names[] = { "call", NULL };
	static const uint64_t keys[] = { CALL(7, SYS_close, 0, 0), CALL(42, SYS_close, 0, 0),
					 CALL(5000, SYS_close, 0, 0), CALL(5001, SYS_close, EBADF, 0) };
	static struct bpf_entry entries[] = {
		{ .count = 1 }, { .count = 2 }, { .count = 4 }, { .count = 8 }
	};
	struct scope scope = { 0 };
	const struct frame *frame;
	struct rig rig;

	counted = (struct counted){ "call", NULL, keys, entries, 4, NULL };
	rig_open(&rig, "readers", names);
	rig_set_scope(&rig, &scope, "pid=7,99");
	n_closes = 0;
	n_forgotten = 0;
	want_error = 0;
	frame = rig_sample(&rig, 0);
	ck_assert(last_opened->plan == &trace_plan_call_of_scope && last_opened->process == 0);
	ck_assert_str_eq(wanted, "+7 +99 -5000 -5001 ");
	ck_assert_uint_eq(n_forgotten, 2);
	ck_assert_uint_eq(n_rows(frame, "call"), 2); /* 42 has left the scope */
	check_row(frame, "call",
		  "pid=7 start_seconds=5 call=close calls=1 errors=0 how=bpf command=a) R (b error_names=");
	check_row(
		frame, "call",
		"start_seconds=0 call=close calls=12 errors=8 how=bpf command=(exited) error_names=EBADF 8");
	counted.n = 2;
	frame = later(&rig, 1);
	ck_assert_uint_eq(n_rows(frame, "call"), 2);
	wanted[0] = '\0';
	rig_set_scope(&rig, &scope, "pid=42");
	frame = later(&rig, 1);
	ck_assert_str_eq(wanted, "+42 ");
	ck_assert_uint_eq(n_closes, 1);
	ck_assert_uint_eq(n_rows(frame, "call"), 1); /* what has exited was of the other scope */
	counted.topic = NULL;
	open_error = -ENOTSUP;
	rig_set_scope(&rig, &scope, "pid=7");
	ck_assert(!frame_table(later(&rig, 1), "call")->failed);
	open_error = -EPERM;
	rig_set_scope(&rig, &scope, "pid=99");
	ck_assert(frame_table(later(&rig, 1), "call")->failed);
	rig_close(&rig);
	scope_free(&scope);
}

START_TEST(opens_are_counted_as_long_as_that_costs_little)
{
	static const char *const names[] = { "opened_total", NULL };
	static const char stop[] = "opened files are not counted any more: that took 6 % of a CPU";
	static uint64_t keys[1][N_BPF_OPENED_WORDS];
	static struct bpf_entry entries[] = { { .count = 10 } };
	struct scope scope = { 0 };
	const struct frame *frame;
	struct rig rig;

	set_opened(keys[0], 0, "cc1", "/etc/a");
	counted = (struct counted){ "opened_total", NULL, keys, entries, 1, NULL };
	rig_open(&rig, "readers", names);
	n_closes = n_opens = 0;
	rig_sample(&rig, 0);
	ck_assert(last_opened->plan == &trace_plan_opened_total);
	timed_ns = 781250; /* a twentieth */
	frame = later(&rig, 1);
	ck_assert_uint_eq(frame->n_notices, 0);
	ck_assert_uint_eq(frame_table(frame, "opened_total")->mono_ns, rig.clock.ns);
	timed_ns += 930000;
	ck_assert_uint_eq(n_rows(later(&rig, 1), "opened_total"), 1);
	ck_assert_uint_eq(n_closes, 1);
	frame = later(&rig, 1);
	ck_assert(has_notice_of(frame, "opened_total", stop));
	ck_assert_uint_eq(n_rows(frame, "opened_total"), 0);
	ck_assert(!frame_table(frame, "opened_total")->failed);
	want_error = 0;
	rig_set_scope(&rig, &scope, "pid=7,42");
	frame = later(&rig, 1);
	ck_assert_uint_eq(n_opens, 2);
	ck_assert(last_opened->plan == &trace_plan_opened_total_of_scope);
	ck_assert_str_eq(wanted, "+7 +42 ");
	ck_assert_uint_eq(frame->n_notices, 0);
	ck_assert_uint_eq(n_rows(frame, "opened_total"), 1);
	n_lost = 5;
	n_refused = 4; /* for want of room: they are rows */
	frame = later(&rig, 1);
	ck_assert(has_notice_of(frame, "opened_total", "1 opened file at most is not counted"));
	ck_assert_uint_eq(cell_u64(frame, "opened_total", "(others)", "opens"), 4);
	n_lost = 4;
	ck_assert_uint_eq(later(&rig, 1)->n_notices, 0);
	n_lost = n_refused = 0;
	ck_assert_uint_eq(n_rows(later(&rig, 1), "opened_total"), 1);
	counted.topic = NULL;
	open_error = -ENOTSUP;
	rig_set_scope(&rig, &scope, NULL);
	ck_assert(!frame_table(later(&rig, 1), "opened_total")->failed);
	open_error = -EPERM;
	rig_set_scope(&rig, &scope, "pid=7,99");
	ck_assert(frame_table(later(&rig, 1), "opened_total")->failed);
	rig_close(&rig);
	scope_free(&scope);
}

#define WAIT_COUNTED(keys_, entries_, n_)                                                                    \
	(struct counted)                                                                                     \
	{                                                                                                    \
		"waiting", NULL, keys_, entries_, n_, NULL                                                   \
	}
#define WAIT_OF_7(cause, function, ratio, seconds, waits)                                                    \
	"pid=7 start_seconds=5 ratio=" ratio " seconds=" seconds " waits=" waits " cause=" cause             \
	" function=" function " how=bpf command=a) R (b"

/* The time that the file has of a process that started 5 s after boot, in hundredths of a second. */
static void put_clock(struct rig *rig, unsigned user, unsigned system)
{
	rig_put(rig, "proc/7/stat", "7 (a) R (b) S 1 1 1 0 -1 0 0 0 0 0 %u %u 0 0 20 0 1 0 500 0 0\n", user,
		system);
}

/* Every tick has the time since the one before. */
static void open_waits(struct rig *rig)
{
	static const char *const names[] = { "waiting", NULL };

	rig_open(rig, "readers", names);
	rig->request.batch = true;
	rig->request.mapped = (struct process_choice){ .is_set = true, .pid = 7 };
	rig_put(rig, "proc/kallsyms",
		"ffffffff81000000 T schedule\nffffffff81000100 t do_nanosleep\n"
		"ffffffff81000200 t hrtimer_nanosleep\nffffffff81000300 t futex_do_wait\n"
		"ffffffff81000400 t anon_pipe_read\nffffffff81000500 t do_wait\n");
	put_clock(rig, 0, 13);
	/* a return address may be behind the last instruction of a function */
	stacks[0][0] = 0xffffffff81000100;
	stacks[0][1] = 0xffffffff81000150;
	stacks[0][2] = 0xffffffff81000300;
	stacks[1][0] = 0xffffffff81000020;
	stacks[1][1] = 0xffffffff81000320;
	for (unsigned i = 0; i < BPF_STACK_FRAMES; i++)
		stacks[2][i] = i < BPF_STACK_FRAMES - 1 ? 0xffffffff81000020 : 0xffffffff81000520;
	before[0] = 0xffffffff81000020;
	before[1] = 0xffffffff81000420;
}

START_TEST(waits_are_by_cause_and_function)
{
	static const struct bpf_wait keys[] = {
		{ 7, 0, BPF_STATE_SLEEP, -1 },
		{ 7, 1, BPF_STATE_LOCK, SYS_futex },
		{ 7, 9, BPF_STATE_SLEEP | BPF_WAIT_BEFORE, SYS_read },
		{ 7, 2, BPF_STATE_OTHER, -1 },
		{ 7, (uint32_t)-17, BPF_STATE_DISK, SYS_fsync }, /* without a stack */
		{ 7, (uint32_t)-1, BPF_STATE_SLEEP, SYS_read },
		{ 7, (uint32_t)-14, BPF_STATE_OTHER, -1 },
		{ 5000, 0, BPF_STATE_SLEEP, -1 }, /* of no thread that is there */
	};
	static struct bpf_entry entries[] = {
		{ 4, 600 * MS, 0 }, { 2, 400 * MS, 0 }, { 1, 150 * MS, 0 }, { 3, 250 * MS, 0 },
		{ 5, 100 * MS, 0 }, { 6, 90 * MS, 0 },  { 8, 10 * MS, 0 },  { 7, 77 * MS, 0 },
	};
	static struct bpf_waiter threads[] = {
		{ .state = BPF_STATE_SLEEP,
		  .spent_ns = { 300 * MS, 20 * MS, 1100 * MS },
		  .wait = { 7, 0, BPF_STATE_SLEEP, -1 } },
		{ .state = BPF_STATE_RUNNING, .spent_ns = { 1000 * MS } },
		{ .state = BPF_STATE_READY, .spent_ns = { 0, 3 * MS } },
		{ .state = BPF_STATE_LOCK,
		  .spent_ns = { 7 * MS, 0, 500 * MS },
		  .wait = { 7, 1, BPF_STATE_LOCK, SYS_futex } },
	};
	const struct frame *frame;
	struct rig rig;

	open_waits(&rig);
	for (unsigned i = 0; i < 4; i++) {
		threads[i].process = 7;
		threads[i].start_ns = 5000 * MS + 9999999; /* in the same hundredth of a second */
	}
	threads[0].since_ns = rig.clock.ns - 2000 * MS;
	threads[1].since_ns = rig.clock.ns - 100 * MS;
	threads[2].since_ns = rig.clock.ns - 50 * MS;
	threads[3].since_ns = rig.clock.ns + 5 * MS; /* after the moment of the sample */
	counted = WAIT_COUNTED(keys, entries, 8);
	waiters = threads;
	n_waiters = 4;
	frame = rig_sample(&rig, 0);
	ck_assert(last_opened->plan == &trace_plan_waiting_of_one && last_opened->process == 7);
	ck_assert_uint_eq(n_rows(frame, "waiting"), 9);
	check_row(frame, "waiting",
		  "pid=7 start_seconds=5 ratio=0 seconds=1.407 cause=running function= how=bpf "
		  "command=a) R (b");
	check_row(frame, "waiting",
		  "pid=7 start_seconds=5 ratio=0 seconds=0.073 cause=ready function= how=bpf "
		  "command=a) R (b");
	check_row(frame, "waiting", WAIT_OF_7("sleep", "hrtimer_nanosleep", "0", "2.6", "5"));
	check_row(frame, "waiting", WAIT_OF_7("lock", "futex_do_wait", "0", "0.4", "3"));
	check_row(frame, "waiting", WAIT_OF_7("pipe", "anon_pipe_read", "0", "0.15", "1"));
	check_row(frame, "waiting", WAIT_OF_7("child", "do_wait", "0", "0.25", "3"));
	check_row(frame, "waiting", WAIT_OF_7("disk", "fsync", "0", "0.1", "5"));
	check_row(frame, "waiting", WAIT_OF_7("other", "read", "0", "0.09", "6"));
	check_row(frame, "waiting", WAIT_OF_7("other", "", "0", "0.01", "8"));
	ck_assert_uint_eq(n_forgotten, 1);
	ck_assert_uint_eq(frame_table(frame, "waiting")->mono_ns, rig.clock.ns);
	put_clock(&rig, 400, 13);
	frame = later(&rig, 4);
	ck_assert_uint_eq(n_rows(frame, "waiting"), 4);
	check_row(frame, "waiting",
		  "pid=7 start_seconds=5 ratio=1 seconds=4 cause=running function= how=bpf "
		  "command=a) R (b");
	check_row(frame, "waiting",
		  "pid=7 start_seconds=5 ratio=1 seconds=4 cause=ready function= how=bpf command=a) R (b");
	check_row(frame, "waiting", WAIT_OF_7("sleep", "hrtimer_nanosleep", "1", "4", "0"));
	check_row(frame, "waiting", WAIT_OF_7("lock", "futex_do_wait", "0.99875", "3.995", "0"));
	ck_assert_uint_eq(n_waiters_forgotten, 0);
	/* the first one slept for another 0.8 s, ran for 0.2 s, and ended */
	threads[0].state = BPF_STATE_GONE;
	threads[0].spent_ns[BPF_WAIT_RUNNING] += 200 * MS;
	threads[0].spent_ns[BPF_WAIT_WAITING] += 6800 * MS;
	entries[0] = (struct bpf_entry){ 5, 7400 * MS, 0 };
	put_clock(&rig, 400, 133);
	frame = later(&rig, 1);
	ck_assert_uint_eq(n_rows(frame, "waiting"), 4);
	check_row(frame, "waiting",
		  "pid=7 start_seconds=5 ratio=1.2 seconds=1.2 cause=running function= how=bpf "
		  "command=a) R (b");
	check_row(frame, "waiting", WAIT_OF_7("sleep", "hrtimer_nanosleep", "0.8", "0.8", "0"));
	check_row(frame, "waiting", WAIT_OF_7("lock", "futex_do_wait", "1", "1", "0"));
	ck_assert_uint_eq(n_waiters_forgotten, 1);
	waiters = threads + 1; /* what it was in stays */
	n_waiters = 3;
	put_clock(&rig, 500, 133);
	frame = later(&rig, 1);
	ck_assert_uint_eq(n_rows(frame, "waiting"), 3);
	check_row(frame, "waiting",
		  "pid=7 start_seconds=5 ratio=1 seconds=1 cause=running function= how=bpf "
		  "command=a) R (b");
	check_row(frame, "waiting",
		  "pid=7 start_seconds=5 ratio=1 seconds=1 cause=ready function= how=bpf command=a) R (b");
	check_row(frame, "waiting", WAIT_OF_7("lock", "futex_do_wait", "1", "1", "0"));
	waiters = NULL; /* nothing is counted */
	ck_assert_uint_eq(n_rows(later(&rig, 1), "waiting"), 0);
	ck_assert_uint_eq(n_waiters_forgotten, 1);
	rig_close(&rig);
}

/* "seconds/waits" of a cause, or nothing. */
static const char *wait_sum(const struct frame *frame, const char *cause)
{
	const struct table *table = frame_table(frame, "waiting");
	static char text[64];

	text[0] = '\0';
	for (size_t i = 0; i < table->n_rows; i++)
		if (strcmp(table_text(table, table_row(table, i), "cause"), cause) == 0)
			snprintf(text, sizeof(text), "%g/%g",
				 table_number(table, table_row(table, i), "seconds"),
				 table_number(table, table_row(table, i), "waits"));
	return text;
}

/* It was in no sum when these were read: threads know the last one, the rest is of the most frequent wait. */
START_TEST(waits_that_end_while_they_are_read_are_found)
{
	static const struct {
		unsigned waited_ms, counted_ms, last_ms;
		int before_ms; /* that the last one ended before the sums were read */
		const char *sleep, *lock, *other;
	} cases[] = {
		{ 1000, 600, 300, 0, "0.3/1", "0.7/2", "" },
		{ 1000, 600, 300, 1, "", "1/2", "" },
		{ 1000, 600, 300, -1, "0.3/1", "0.7/2", "" },
		{ 1000, 600, 400, 0, "0.4/1", "0.6/2", "" },
		{ 1000, 600, 401, 0, "0.4/0", "0.6/2", "" },
		{ 1000, 100, 900, 0, "0.9/1", "0.1/2", "" }, /* which has the most then */
		{ 1000, 100, 800, 0, "0.9/1", "0.1/2", "" },
		{ 1000, 1000, 300, 0, "", "1/2", "" },
		{ 1000, 1200, 300, 0, "", "1/2", "" },
		{ 1000, 0, 300, 1, "", "", "1/0" },
		{ 0, 0, 300, 1, "", "", "" },
	};
	static const struct bpf_wait key = { 7, 1, BPF_STATE_LOCK, SYS_futex };
	static struct bpf_entry entry;
	static struct bpf_waiter thread = { .process = 7, .start_ns = 5000 * MS, .state = BPF_STATE_RUNNING };
	struct rig rig;

	open_waits(&rig);
	waiters = &thread;
	n_waiters = 1;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		const struct frame *frame;

		rig.request.mapped.is_set = false; /* begins again */
		ck_assert_uint_eq(n_rows(later(&rig, 1), "waiting"), 0);
		rig.request.mapped.is_set = true;
		rig.clock.ns += 1000 * MS;
		thread.since_ns = rig.clock.ns;
		thread.spent_ns[BPF_WAIT_WAITING] = cases[i].waited_ms * MS;
		thread.last = (struct bpf_wait){ 7, 0, BPF_STATE_SLEEP, -1 };
		thread.last_ns = cases[i].last_ms * MS;
		thread.last_end_ns = rig.clock.ns - (uint64_t)cases[i].before_ms * MS;
		entry = (struct bpf_entry){ 2, cases[i].counted_ms * MS, 0 };
		counted = WAIT_COUNTED(&key, &entry, cases[i].counted_ms ? 1 : 0);
		frame = rig_sample(&rig, 0);
		ck_assert_msg(strcmp(wait_sum(frame, "sleep"), cases[i].sleep) == 0, "%zu: sleep %s", i,
			      wait_sum(frame, "sleep"));
		ck_assert_msg(strcmp(wait_sum(frame, "lock"), cases[i].lock) == 0, "%zu: lock %s", i,
			      wait_sum(frame, "lock"));
		ck_assert_msg(strcmp(wait_sum(frame, "other"), cases[i].other) == 0, "%zu: other %s", i,
			      wait_sum(frame, "other"));
	}
	rig_close(&rig);
}

/* Half a second more than twice what its clock says is borne, over all ticks together. */
START_TEST(processes_whose_switches_are_missing_have_no_times)
{
	static struct bpf_waiter thread = { .process = 7, .start_ns = 5000 * MS, .state = BPF_STATE_RUNNING };
	struct rig rig;

	open_waits(&rig);
	waiters = &thread;
	n_waiters = 1;
	counted = WAIT_COUNTED(NULL, NULL, 0);
	thread.since_ns = rig.clock.ns + 1000000 * MS;
	thread.spent_ns[BPF_WAIT_RUNNING] = 9000 * MS; /* before the first look nothing is known */
	ck_assert_str_eq(wait_sum(rig_sample(&rig, 0), "running"), "9/nan");
	thread.spent_ns[BPF_WAIT_RUNNING] += 700 * MS;
	put_clock(&rig, 10, 13);
	ck_assert_str_eq(wait_sum(later(&rig, 1), "running"), "0.7/nan");
	thread.spent_ns[BPF_WAIT_RUNNING] += 200 * MS;
	put_clock(&rig, 20, 13);
	ck_assert_str_eq(wait_sum(later(&rig, 1), "running"), "0.2/nan");
	thread.spent_ns[BPF_WAIT_RUNNING] += 1;
	ck_assert_str_eq(wait_sum(later(&rig, 1), "running"), "nan/nan");
	put_clock(&rig, 2000, 13); /* it stays so */
	thread.spent_ns[BPF_WAIT_RUNNING] += 10 * MS;
	ck_assert_str_eq(wait_sum(later(&rig, 1), "running"), "nan/nan");
	rig_close(&rig);
}

START_TEST(waits_of_a_scope_are_of_its_processes)
{
	static const struct bpf_wait keys[] = { { 7, 0, BPF_STATE_SLEEP, -1 },
						{ 42, 1, BPF_STATE_LOCK, SYS_futex },
						{ 99, 1, BPF_STATE_LOCK, SYS_futex } };
	static struct bpf_entry entries[] = { { 1, 100 * MS, 0 }, { 2, 200 * MS, 0 }, { 4, 400 * MS, 0 } };
	static struct bpf_waiter threads[] = {
		{ .process = 7, .start_ns = 5000 * MS, .spent_ns = { 0, 0, 100 * MS } },
		{ .process = 42, .start_ns = 90000 * MS, .spent_ns = { 0, 0, 200 * MS } },
		{ .process = 99, .start_ns = 770 * MS, .spent_ns = { 0, 0, 400 * MS } },
	};
	struct scope scope = { 0 };
	const struct frame *frame;
	struct rig rig;

	open_waits(&rig);
	rig.request.mapped.is_set = false;
	rig_set_scope(&rig, &scope, "pid=7,42");
	for (unsigned i = 0; i < 3; i++) {
		threads[i].state = BPF_STATE_READY;
		threads[i].since_ns = rig.clock.ns;
	}
	counted = WAIT_COUNTED(keys, entries, 3);
	waiters = threads;
	n_waiters = 3;
	want_error = 0;
	n_opens = n_closes = 0;
	frame = rig_sample(&rig, 0);
	ck_assert(last_opened->plan == &trace_plan_waiting && last_opened->process == 0);
	ck_assert_str_eq(wanted, "+7 +42 ");
	ck_assert_uint_eq(n_iterations, 1);
	ck_assert_uint_eq(n_rows(frame, "waiting"), 2); /* 99 has left the scope */
	check_row(frame, "waiting", WAIT_OF_7("sleep", "hrtimer_nanosleep", "0", "0.1", "1"));
	check_row(frame, "waiting",
		  "pid=42 start_seconds=90 ratio=0 seconds=0.2 waits=2 cause=lock function=futex_do_wait "
		  "how=bpf command=cc1\n\033[31m");
	wanted[0] = '\0';
	later(&rig, 1);
	ck_assert_str_eq(wanted, "");
	ck_assert_uint_eq(n_iterations, 1);
	rig_remove(&rig, "proc/7");
	waiters++;
	n_waiters--;
	later(&rig, 1);
	ck_assert_str_eq(wanted, "-7 -7 "); /* by its absence from the list, and from what was counted */
	wanted[0] = '\0';
	later(&rig, 1);
	ck_assert_str_eq(wanted, "");
	ck_assert_uint_eq(n_iterations, 1);
	ck_assert_uint_eq(n_opens, 1);
	rig_set_scope(&rig, &scope, "pid=99");
	frame = later(&rig, 1);
	ck_assert_uint_eq(n_opens, 2);
	ck_assert_uint_eq(n_closes, 1);
	ck_assert_str_eq(wanted, "+99 ");
	ck_assert_uint_eq(n_iterations, 2);
	ck_assert_str_eq(wait_sum(frame, "lock"), "0.4/4");
	want_error = -E2BIG;
	rig_set_scope(&rig, &scope, "pid=42");
	later(&rig, 1);
	ck_assert_uint_eq(n_iterations, 2); /* none is new that could be looked at */
	rig.request.profiled_pid = 99;      /* the process of a page comes first */
	frame = later(&rig, 1);
	ck_assert(last_opened->plan == &trace_plan_waiting_of_one && last_opened->process == 99);
	ck_assert_str_eq(wait_sum(frame, "lock"), "0.4/4"); /* also outside of the scope */
	rig_close(&rig);
	scope_free(&scope);
}

static void check_notice(const struct frame *frame, const char *text)
{
	for (unsigned i = 0; i < frame->n_notices; i++)
		if (strcmp(frame->notices[i].text, text) == 0)
			return;
	ck_abort_msg("no notice \"%s\", but \"%s\"", text, frame->n_notices ? frame->notices[0].text : "");
}

START_TEST(tracepoints_that_are_refused_say_why)
{
	static const struct {
		int error;
		const char *notice; /* NULL: none of the trace, but the topic fails */
	} cases[] = {
		{ -EINVAL, "'a:b by dev': the kernel runs no program at a:b: Invalid argument" },
		{ -EXDEV, "'a:b by dev': the kernel's PIDs are others than those of this PID namespace" },
		{ -EPERM, NULL },
		{ -ENOSYS, NULL },
	};
	struct rig rig;

	counted = (struct counted){ 0 };
	open_traces(&rig, "a:b by dev", "a:b by nosuch");
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		const struct frame *frame;

		specs.epoch++;
		set_specs(NULL, NULL);
		later(&rig, 1);
		set_specs("a:b by dev", "a:b by nosuch");
		open_error = cases[i].error;
		frame = later(&rig, 1);
		if (cases[i].notice) {
			check_notice(frame, cases[i].notice);
			check_notice(frame, "'a:b by nosuch': no field nosuch; there are: dev change sector "
					    "where rwbs path comm pid tid cpu cgroup");
			ck_assert(!frame_table(frame, "trace")->failed);
		} else
			ck_assert(frame_table(frame, "trace")->failed);
		ck_assert_uint_eq(n_rows(frame, "trace"), 0);
	}
	open_error = -ENOTSUP;
	set_specs("a:b by change", NULL);
	ck_assert_uint_eq(later(&rig, 1)->n_notices, 0);
	open_error = -EPERM;
	rig_close(&rig);
}

START_TEST(events_without_room_are_named)
{
	static const uint64_t key;
	static struct bpf_entry entries[1] = { { .count = 9 } };
	struct rig rig;

	counted = ROWS_OF(&key, entries);
	open_traces(&rig, "a:b by dev", NULL);
	rig_sample(&rig, 0);
	opened = (struct trace_sets){ { last_opened }, 1 };
	selves[0] = (struct bpf_self){ .lost = 0 };
	ck_assert_uint_eq(later(&rig, 1)->n_notices, 0);
	selves[0].lost = U64_UNKNOWN;
	ck_assert_uint_eq(later(&rig, 1)->n_notices, 0);
	selves[0].lost = 1;
	check_notice(later(&rig, 1), "'a:b by dev': 1 event is not in the table, which has room for 8192");
	selves[0].lost = 2;
	check_notice(later(&rig, 1), "'a:b by dev': 2 events are not in the table, which has room for 8192");
	opened.n = 0;
	rig_close(&rig);
}

/* Without the rights to count it does not matter that the names cannot be read. */
START_TEST(tracepoints_that_cannot_be_listed)
{
	struct rig rig;

	counted = (struct counted){ 0 };
	open_traces(&rig, "a:b", NULL);
	rig_remove(&rig, "sys/kernel/tracing/events");
	rig_put(&rig, "sys/kernel/tracing/events", "no directory\n");
	ck_assert(frame_table(later(&rig, 1), "trace")->failed);
	ck_assert_str_eq(env_failed_path(&rig.env, -ENOTDIR), "sys/kernel/tracing/events");
	env_forget_failures(&rig.env);
	test_error = -EACCES; /* something else */
	specs.epoch++;
	ck_assert(frame_table(later(&rig, 1), "trace")->failed);
	ck_assert_str_eq(env_failed_path(&rig.env, -ENOTDIR), "sys/kernel/tracing/events");
	env_forget_failures(&rig.env);
	test_error = -EPERM;
	specs.epoch++;
	ck_assert(frame_table(later(&rig, 1), "trace")->failed);
	ck_assert_ptr_null(env_failed_path(&rig.env, -ENOTDIR));
	test_error = 0;
	rig_close(&rig);
}
