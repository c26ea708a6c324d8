/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Tests of joining what sources tell with the processes, and of choosing among it, on a machine made up here.
 */
#include "suite.h"

#include "core/unknown.h"
#include "topic/event/event_batch.h"
#include "topic/event/event_resolve.h"

#define KERNEL_THREAD 0x200000
#define MS_NS UINT64_C(1000000)
#define SECOND_NS (1000 * MS_NS)
#define START_NS (500000000 * SECOND_NS) /* of what is told here: longer than any machine is up */

static char root[SCRATCH_PATH_MAX];
static struct env env;
static struct event_resolver resolver;
static struct settings settings;

static void put(uint32_t pid, const char *name, const char *text)
{
	FILE *file;

	mkdir(textf("%s/proc/%u", root, pid), 0755);
	file = fopen(textf("%s/proc/%u/%s", root, pid, name), "w");
	ck_assert_ptr_nonnull(file);
	fputs(text, file);
	fclose(file);
}

/* A process of the machine, which began 90 s after it. */
static void put_process(uint32_t pid, uint32_t parent, const char *comm, unsigned flags, unsigned uid,
			uint32_t group, const char *cgroup)
{
	put(pid, "stat", textf("%u (%s) S %u %u %u 34819 %u %u 0 0 0 0 0 0 0 0 20 0 1 0 9000 1000000 300 "
	    "18446744073709551615 1 1 0 0 0 0 0 0 0 0 0 0 17 0 0 0 0 0 0\n", pid, comm, parent, group, group,
	    group, flags));
	put(pid, "status",
	    textf("Name:\t%s\nUid:\t%u\t%u\t%u\t%u\nVmRSS:\t    1200 kB\nVmPTE:\t      48 kB\n", comm, uid,
	    uid, uid, uid));
	put(pid, "cgroup", textf("0::%s\n", cgroup));
}

/* Its processes: 300 is a shell of user 1000, 301 its child, 250 a child of that. */
static void build_machine(void)
{
	scratch_directory(root, "events");
	ck_assert_int_eq(mkdir(textf("%s/proc", root), 0755), 0);
	put_process(1, 0, "systemd", 0, 0, 1, "/init.scope");
	put_process(2, 0, "kthreadd", KERNEL_THREAD, 0, 0, "/");
	put_process(300, 1, "bash", 0, 1000, 300, "/user.slice/a.scope");
	put_process(301, 300, "make", 0, 1000, 301, "/user.slice/a.scope");
	put_process(250, 301, "sh) (x", 0, 1000, 301, "/user.slice/a.scope/deep");
	ck_assert_int_eq(env_open(&env, root), 0);
	env.ticks_per_second = 100;
	event_resolve_open(&resolver, &env);
}

/* in: a scope; NULL: all. pairs: of names and values of settings. */
static void choose(const char *in, char *pairs)
{
	struct scope scope = { 0 };
	struct scope_term term;
	struct event_filter filter;
	char why[256];

	settings_close(&settings);
	for (char *pair = strtok(pairs, " "); pair; pair = strtok(NULL, " ")) {
		*strchr(pair, '=') = '\0';
		ck_assert(settings_set(&settings, pair, pair + strlen(pair) + 1, 0));
	}
	if (in)
		ck_assert(scope_term_parse(&term, in, why, sizeof(why)) && scope_add(&scope, &term));
	event_filter_read(&filter, &settings.topic, &scope);
	event_resolve_set_filter(&resolver, &filter);
	scope_free(&scope);
}

static void put_stat(uint32_t pid, char state, unsigned threads)
{
	put(pid, "stat", textf("%u (many) %c 1 1 1 0 -1 0 0 0 0 0 0 0 0 0 20 0 %u 0 9000 1000000 300 "
	    "18446744073709551615 1 1 0 0 0 0 0 0 0 0 0 0 17 0 0 0 0 0 0\n", pid, state, threads));
}

/* "5" ns, "3ms" or "2s" after the start; "now" is of this machine, "past" before all that it has. */
static uint64_t time_of(const char *text)
{
	char *unit;
	uint64_t value = strtoull(text, &unit, 10);

	if (strcmp(text, "now") == 0)
		return real_mono_ns();
	if (strcmp(text, "past") == 0)
		return 1;
	return START_NS + value * (*unit == 'm' ? MS_NS : *unit == 's' ? SECOND_NS : 1);
}

/* "exec pid=7 comm=cc command=cc -c a.c": a command or a file is the rest. */
static struct raw_event parse_event(char *line)
{
	static const struct {
		const char *key;
		size_t offset;
	} numbers[] = {
		{ "pid", offsetof(struct raw_event, pid) },       { "tid", offsetof(struct raw_event, tid) },
		{ "of", offsetof(struct raw_event, parent_pid) },
			{ "other", offsetof(struct raw_event, other_pid) },
		{ "real", offsetof(struct raw_event, real) },
			{ "effective", offsetof(struct raw_event, effective) },
		{ "code", offsetof(struct raw_event, exit_code) },
	};
	struct raw_event raw = { .time_ns = START_NS, .exit_code = UINT32_MAX };
	static char text[256];
	char *rest, *word = strtok_r(line, " ", &rest);

	while (raw.kind < N_EVENT_KINDS && strcmp(event_kind_text(raw.kind), word) != 0)
		raw.kind++;
	ck_assert_msg(raw.kind < N_EVENT_KINDS, "%s", word);
	while (!raw.text && (word = strtok_r(NULL, " ", &rest))) {
		char *value = word + strcspn(word, "=");

		if (*value)
			*value++ = '\0';
		for (size_t i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++)
			if (strcmp(numbers[i].key, word) == 0)
				*(uint32_t *)((char *)&raw + numbers[i].offset) = (uint32_t)atoi(value);
		if (strcmp(word, "at") == 0)
			raw.time_ns = time_of(value);

		else if (strcmp(word, "comm") == 0)
			snprintf(raw.comm, sizeof(raw.comm), "%s", value);
		raw.by_exec |= strcmp(word, "by_exec") == 0;
		raw.is_command = strcmp(word, "command") == 0;
		if (raw.is_command || strcmp(word, "file") == 0) {
			snprintf(text, sizeof(text), "%s%s%s", value, *rest ? " " : "", rest);
			raw.text = text;
		}
	}
	raw.program_length = raw.text ? strcspn(raw.text, " ") : 0;
	raw.tid = raw.tid ? raw.tid : raw.pid;
	return raw;
}

/* What is told of it, but for what is unknown, users 1000 and terminal 34819; a command is in brackets. */
static const char *text_of(const struct event *event)
{
	const char *texts = resolver.ready.texts, *comm = texts + event->comm,
		*command = texts + event->command;
	const char *text = textf("%s %u", event_kind_text(event->kind), event->pid);

	if (event->tid != event->pid)
		text = textf("%s/%u", text, event->tid);
	text = textf("%s %s", text, event->named ? comm : "?");
	if (strcmp(command, comm) != 0)
		text = textf("%s (%.*s|%s)", text, (int)event->program_length, command,
			     command + event->program_length);
	if (event->parent_pid || event->parent)
		text = textf("%s of %u %s", text, event->parent_pid, texts + event->parent);
	if (event->was)
		text = textf("%s was %s", text, texts + event->was);
	if (event->kind == EVENT_PTRACE)
		text = textf("%s %s %u", text, event->attached ? "to" : "off", event->other_pid);
	if (event->kind == EVENT_UID || event->kind == EVENT_GID)
		text = textf("%s new %u/%u", text, event->real_id, event->effective_id);
	if (event->named && (event->real_uid != 1000 || event->effective_uid != 1000))
		text = textf("%s user %d/%d", text, (int)event->real_uid, (int)event->effective_uid);
	if (event->named && event->terminal != 34819)
		text = textf("%s tty %d", text, (int)event->terminal);
	if (event->exit_code != UINT32_MAX)
		text = textf("%s code %u", text, event->exit_code);
	if (event->duration_ns != U64_UNKNOWN)
		text = textf("%s lived %lu", text, (unsigned long)event->duration_ns);
	return text;
}

/* What is told of what happened, which is one event; "-": none that is wanted. */
static const char *told(const char *happened)
{
	char line[512];
	struct raw_event raw;

	snprintf(line, sizeof(line), "%s", happened);
	raw = parse_event(line);
	event_batch_empty(&resolver.ready);
	event_resolve_begin(&resolver);
	event_resolve(&resolver, &raw);
	ck_assert_uint_le(resolver.ready.count, 1);
	return resolver.ready.count > 0 ? text_of(resolver.ready.list) : "-";
}

/* A change of the machine, or of what is chosen; false: it is none. */
static bool act(const char *line)
{
	char text[512], state, comm[64], cgroup[64];
	unsigned pid, parent, flags, uid, group, threads;

	snprintf(text, sizeof(text), "%s", line);
	if (strncmp(text, "choose ", 7) == 0)
		choose(NULL, text + 7);
	else if (strncmp(text, "in ", 3) == 0)
		choose(text + 3, text + strlen(text));
	else if (sscanf(text, "put %u %u %63s %u %u %u %63s", &pid, &parent, comm, &flags, &uid, &group,
			cgroup) == 7)
		put_process(pid, parent, comm, flags, uid, group, cgroup);
	else if (sscanf(text, "stat %u %c %u", &pid, &state, &threads) == 3)
		put_stat(pid, state, threads);
	else if (strcmp(text, "existing") == 0)
		event_resolve_existing(&resolver);
	else
		return false;
	return true;
}

/* A line is a change, with NULL, or what happens and what is told of it; "…*": it begins so. */
static void tell(const char *const (*lines)[2], size_t n)
{
	for (size_t i = 0; i < n; i++) {
		const char *wanted = lines[i][1], *text;
		size_t length;

		if (!wanted) {
			ck_assert_msg(act(lines[i][0]), "%s", lines[i][0]);
			continue;
		}
		text = told(lines[i][0]);
		length = strcspn(wanted, "*");
		ck_assert_msg(strncmp(text, wanted, wanted[length] ? length : length + 1) == 0,
			      "%zu, %s:\n%s\nnot %s",
			      i, lines[i][0], text, wanted);
	}
}

#define TELL(...)                                                                                            \
	do {                                                                                                 \
		static const char *const lines[][2] = { __VA_ARGS__ };                                       \
		tell(lines, sizeof(lines) / sizeof(lines[0]));                                               \
	} while (0)

static void open_all(void)
{
	build_machine();
	event_resolve_existing(&resolver);
	act("choose events.events=all");
}

static void close_all(void)
{
	event_resolve_free(&resolver);
	env_close(&env);
	settings_close(&settings);
}

static unsigned n_told(enum event_kind kind)
{
	return (unsigned)resolver.statistics.all.kinds[kind];
}

START_TEST(a_life_is_told_from_fork_to_exit)
{
	const struct event_statistics *sums = &resolver.statistics;

	open_all();
	TELL({ "fork pid=400 of=301", "fork 400 make of 301 make" },
	     { "exec pid=400 comm=cc command=/usr/bin/cc -c a.c",
	       "exec 400 cc (/usr/bin/cc| -c a.c) of 301 make" },
	     { "exit pid=400 of=301 code=1792 at=3ms",
	       "exit 400 cc (/usr/bin/cc| -c a.c) of 301 make code 1792 lived 3000000" },
	     { "gid pid=400 at=4ms", "gid 400 cc (/usr/bin/cc| -c a.c) of 301 make new 0/0" });
	ck_assert_uint_eq(resolver.ready.list[0].number, 4);
	ck_assert_uint_eq(resolver.ready.list[0].wall_ns,
			  START_NS + 4 * MS_NS + (uint64_t)resolver.wall_ahead_ns);
	ck_assert(resolver.unnamed == 0 && sums->all.failures == 1 && sums->lifetimes[1] == 1);
	ck_assert(sums->all.lifetimes_ns == 3 * MS_NS && sums->all.n_lifetimes == 1);
	ck_assert_uint_eq(sums->parents[0].resident_bytes, 1200 * 1024);
	ck_assert_uint_eq(sums->parents[0].page_table_bytes, 48 * 1024);
	close_all();
}

/* Its name is not that of its parent, which is gone; nor of one that began within the same hundredth. */
START_TEST(a_younger_process_is_no_parent)
{
	open_all();
	TELL({ "fork pid=400 of=301", "fork 400 make of 301 make" },
	     { "fork pid=401 of=400 at=1ms", "fork 401 make of 400 make" },
	     { "exit pid=400 at=2ms", "exit 400 make of 301 make lived 2000000" },
	     { "exec pid=401 comm=cc at=3ms", "exec 401 cc of 400 make" },
	     { "fork pid=400 of=300 at=1s", "fork 400 bash of 300 bash" },
	     { "exit pid=401 at=1001ms", "exit 401 cc of 400  lived 1000000000" },
	     { "fork pid=500 of=301 at=10000000", "fork 500 make of 301 make" },
	     { "fork pid=501 of=301 at=10000001", "fork 501 make of 301 make" },
	     { "fork pid=502 of=500", "fork 502 make of 500 make" },
	     { "fork pid=503 of=501", "fork 503 make of 501 " });
	close_all();
}

/* As the process topic has it, so that both tables join; by the fork alone when its file is gone. */
START_TEST(parents_are_told_apart_by_their_ticks)
{
	const struct event_parent *parents;

	open_all();
	parents = resolver.statistics.parents;
	TELL({ "fork pid=400 of=301", "fork*" }, { "fork pid=401 of=301", "fork*" },
	     { "put 401 301 sh 0 1000 301 /", NULL },
	     { "fork pid=402 of=400", "fork*" }, { "fork pid=403 of=401", "fork*" });
	ck_assert_uint_eq(parents[0].start_ticks, 9000);
	ck_assert_uint_eq(parents[1].start_ticks,
			  (START_NS + (uint64_t)resolver.boot_ahead_ns) / (10 * MS_NS));
	ck_assert_uint_eq(parents[2].start_ticks, 9000);
	TELL({ "put 400 301 sh 0 1000 301 /", NULL }, { "fork pid=404 of=400", "fork*" });
	ck_assert_uint_eq(resolver.statistics.n_parents, 3);
	ck_assert_uint_eq(parents[1].forks, 2);
	close_all();
}

START_TEST(what_nobody_told_is_unknown)
{
	open_all();
	TELL({ "exit pid=999 code=9", "exit 999 ? code 9" }, { "fork pid=998 of=997", "fork 998 ? of 997 " },
	     { "exit pid=998 at=1ms", "exit 998 ? of 997  lived 1000000" });
	ck_assert_uint_eq(resolver.unnamed, 3);
	ck_assert_uint_eq(resolver.statistics.lifetimes[EVENT_LIFETIMES], 1);
	ck_assert_uint_eq(resolver.statistics.parents[0].resident_bytes, U64_UNKNOWN);
	ck_assert_uint_eq(resolver.statistics.all.failures, 1);
	close_all();
}

START_TEST(who_was_there_before_is_known_from_proc)
{
	int64_t boot_ahead_ns;

	open_all();
	boot_ahead_ns = resolver.boot_ahead_ns;
	ck_assert_str_eq(told("exit pid=250 code=0"),
			 textf("exit 250 sh) (x of 301 make code 0 lived %lu",
			       (unsigned long)(START_NS + (uint64_t)boot_ahead_ns - 90 * SECOND_NS)));
	TELL({ "put 260 301 late 0 0 301 /", NULL },
	     { "gid pid=260", "gid 260 late of 301 make new 0/0 user 0/0" });
	close_all();
}

START_TEST(nobody_is_looked_up_in_the_proc_of_another_pid_namespace)
{
	build_machine();
	env.foreign_pids = true;
	TELL({ "existing", NULL }, { "choose events.events=all", NULL },
	     { "exit pid=250 code=0", "exit 250 ? code 0" }, { "fork pid=998 of=300", "fork 998 ? of 300 " },
	     { "comm pid=301 comm=told", "comm 301 told user -1/-1 tty -1" });
	ck_assert_uint_eq(resolver.statistics.parents[0].resident_bytes, U64_UNKNOWN);
	close_all();
}

/* Half a second after its end. */
START_TEST(a_pid_is_another_process_long_after_its_end)
{
	open_all();
	TELL({ "fork pid=400 of=301", "fork 400 make of 301 make" },
	     { "exit pid=400 code=0", "exit 400 make of 301 make code 0 lived 0" },
	     { "gid pid=400 at=500ms", "gid 400 make of 301 make new 0/0" },
	     { "gid pid=400 at=500000001", "gid 400 ? new 0/0" },
	     { "fork pid=400 of=1 at=2s", "fork 400 systemd of 1 systemd user 0/0" },
	     { "exit pid=400 at=2000000005", "exit 400 systemd of 1 systemd user 0/0 lived 5" });
	close_all();
}

START_TEST(threads_of_the_kernel_have_brackets)
{
	open_all();
	TELL({ "fork pid=500 of=2", "fork 500 kthreadd ([kthreadd]|) of 2 kthreadd user 0/0" },
	     { "comm pid=500 comm=kworker/0:9",
	       "comm 500 kworker/0:9 ([kworker/0:9]|) of 2 kthreadd was kthreadd user 0/0" },
	     { "exec pid=500 comm=modprobe", "exec 500 modprobe of 2 kthreadd user 0/0" });
	close_all();
}

START_TEST(threads_are_no_processes)
{
	open_all();
	TELL({ "clone pid=300 tid=310 of=300", "clone 300/310 bash of 1 systemd" },
	     { "comm pid=300 tid=310 comm=helper", "comm 300/310 bash of 1 systemd was helper" },
	     { "exit pid=300 tid=310 code=256", "exit 300/310 bash of 1 systemd code 256" });
	ck_assert(n_told(EVENT_FORK) == 0 && n_told(EVENT_CLONE) == 1 && n_told(EVENT_EXIT) == 0);
	ck_assert_uint_eq(resolver.statistics.all.failures, 0);
	TELL({ "choose events.events=fork,exec,exit", NULL }, { "clone pid=300 tid=311 of=300", "-" },
	     { "exit pid=300 tid=311 code=0", "-" }, { "exit pid=300 code=0", "exit 300 bash*" });
	close_all();
}

START_TEST(a_process_ends_with_its_last_thread)
{
	open_all();
	TELL({ "choose events.events=fork,exec,exit", NULL },
	     { "fork pid=400 of=301", "fork*" },
	     { "clone pid=400 tid=401 of=400", "-" },
	     { "clone pid=400 tid=402 of=400", "-" },
	     { "exit pid=400 code=768", "-" },
	     { "exit pid=400 tid=402 code=2304", "-" },
	     { "exit pid=400 tid=401 code=0 at=1ms", "exit 400 make of 301 make code 2304 lived 1000000" },
	     { "stat 600 Z 3", NULL }, /* its first thread has ended before */
	     { "existing", NULL },
	     { "exit pid=600 tid=601 code=0 at=past", "-" },
	     { "exit pid=600 tid=602 code=0", "-" },
	     { "exit pid=600 tid=603 code=0", "exit 600*" });
	ck_assert(n_told(EVENT_EXIT) == 2 && resolver.statistics.all.failures == 1);
	close_all();
}

/* 11 is of SIGSEGV, 139 of one that dumped. */
START_TEST(a_core_is_told_when_it_was_dumped)
{
	open_all();
	TELL({ "choose events.events=core,exit", NULL },
	     { "core pid=250", "-" }, { "exit pid=250 code=11", "exit 250 sh) (x of 301 make code 11*" });
	ck_assert_uint_eq(n_told(EVENT_CORE), 0);
	TELL({ "clone pid=301 tid=310 of=301", "-" }, { "core pid=301 tid=310", "-" },
	     { "exit pid=301 tid=310 code=139 at=1ms", "core 301/310 make of 300 bash" });
	ck_assert_uint_eq(resolver.ready.list[0].wall_ns, START_NS + (uint64_t)resolver.wall_ahead_ns);
	TELL({ "exit pid=301 code=11 at=1ms", "exit 301 make of 300 bash code 139*" });
	ck_assert_uint_eq(n_told(EVENT_CORE), 1);
	close_all();
}

/* The bit without an announcement, an announcement that is used up, and an exit whose code is not known. */
START_TEST(a_core_that_was_not_announced_is_not_told)
{
	open_all();
	TELL({ "choose events.events=core,exit", NULL },
	     { "exit pid=250 code=139", "exit 250 sh) (x of 301 make code 139*" },
	     { "clone pid=301 tid=310 of=301", "-" }, { "clone pid=301 tid=311 of=301", "-" },
	     { "clone pid=301 tid=312 of=301", "-" }, { "core pid=301 tid=310", "-" },
	     { "exit pid=301 tid=311 at=1ms", "-" },
	     { "exit pid=301 tid=310 code=139 at=1ms", "core 301/310 make of 300 bash" },
	     { "exit pid=301 tid=312 code=139 at=1ms", "-" });
	ck_assert_uint_eq(n_told(EVENT_CORE), 1);
	close_all();
}

START_TEST(an_exec_of_a_thread_ends_no_process)
{
	open_all();
	TELL({ "choose events.events=fork,exec,exit", NULL },
	     { "fork pid=400 of=301", "fork*" }, { "clone pid=400 tid=401 of=400", "-" },
	     { "exit pid=400 code=0", "-" },     { "exec pid=400 comm=other", "exec 400 other of 301 make" },
	     { "exit pid=400 code=256", "exit 400 other of 301 make code 256 lived 0" });
	ck_assert_uint_eq(n_told(EVENT_EXIT), 1);
	close_all();
}

static void look_until_ready(void)
{
	event_batch_empty(&resolver.ready);
	while (resolver.ready.count == 0 && event_resolve_leaderless(&resolver) != U64_UNKNOWN)
		usleep(1000);
}

START_TEST(a_process_whose_last_exit_was_lost_ends)
{
	open_all();
	TELL({ "choose events.events=fork,exec,exit", NULL }, { "stat 600 S 3", NULL }, { "existing", NULL },
	     { "exit pid=600 code=256 at=now", "-" }, { "stat 600 Z 1", NULL });
	look_until_ready();
	ck_assert_uint_eq(resolver.ready.count, 1);
	ck_assert_ptr_nonnull(strstr(text_of(resolver.ready.list),
				     "exit 600 many of 1 systemd user -1/-1 tty 0 code 256 "));
	ck_assert_uint_eq(event_resolve_leaderless(&resolver), U64_UNKNOWN);
	TELL({ "choose events.events=exit", NULL },
	     { "stat 601 S 3", NULL },
	     { "existing", NULL },
	     { "exit pid=601 code=256", "-" },
	     { "fork pid=601 of=301 at=5", "exit 601 many*" }, /* its PID has a new process */
	     { "stat 602 S 3", NULL },
	     { "existing", NULL },
	     { "exit pid=602 code=0 at=now", "-" },
	     { "stat 602 S 1", NULL });
	look_until_ready();
	ck_assert_uint_eq(resolver.ready.count, 0); /* its exec was lost: it lives on */
	TELL({ "exit pid=602 code=256", "exit 602*" });
	close_all();
}

START_TEST(a_program_is_called_by_the_best_that_is_told)
{
	open_all();
	TELL({ "comm pid=301 comm=true by_exec", "-" },
	     { "exec pid=301 file=/bin/true", "exec 301 true (/bin/true|) of 300 bash" },
	     { "comm pid=301 comm=other", "comm 301 other (/bin/true|) of 300 bash was true" },
	     { "exec pid=301 comm=sleep", "exec 301 sleep of 300 bash" });
	ck_assert_uint_eq(n_told(EVENT_COMM), 1);
	close_all();
}

START_TEST(tracers_users_and_sessions_change)
{
	open_all();
	TELL({ "ptrace pid=301 other=300", "ptrace 300 bash of 1 systemd to 301" },
	     { "ptrace pid=301", "ptrace 300 bash of 1 systemd off 301" },
	     { "ptrace pid=301", "ptrace 301 make of 300 bash off 301" },
	     { "uid pid=301 real=1000 effective=0", "uid 301 make of 300 bash new 1000/0 user 1000/0" },
	     { "gid pid=301 real=7 effective=8", "gid 301 make of 300 bash new 7/8 user 1000/0" },
	     { "sid pid=301", "sid 301 make of 300 bash user 1000/0 tty 0" },
	     { "fork pid=400 of=301", "fork 400 make of 301 make user 1000/0 tty 0" });
	ck_assert_int_eq(event_processes_find(resolver.processes, 400)->group, 301);
	close_all();
}

/* What a choice takes of events that are parted by '|'; those with a '-' in front it does not. */
static void check_choice(const char *choice, const char *events)
{
	struct span rest = span_text(events), event;

	ck_assert_msg(act(choice), "%s", choice);
	while (rest.at < rest.end) {
		const char *line;

		if (!span_until(&rest, '|', &event)) {
			event = rest;
			rest.at = rest.end;
		}
		line = textf("%.*s", (int)span_length(event), event.at);
		ck_assert_msg((*line == '-') == (strcmp(told(line + (*line == '-')), "-") == 0), "%s: %s",
			      choice, line);
	}
}

START_TEST(processes_are_chosen)
{
	open_all();
	check_choice("in pid=301,4000", "gid pid=301|-gid pid=300");
	check_choice("in pid=7,bash", "gid pid=300|-gid pid=301");
	check_choice("in pid=python3", "exec pid=301 comm=x command=/opt/bin/python3 -m x");
	check_choice("in pid=bin", "-gid pid=301");
	check_choice("in pid=bas", "-gid pid=300");
	check_choice("in user=1000,77", "gid pid=300|-gid pid=1|-gid pid=999");
	check_choice("in user=0", "-gid pid=300|uid pid=300 real=0 effective=0");
	check_choice("in user=nobody-has-this-name", "-gid pid=1|-gid pid=999");
	check_choice("choose events.group=301", "gid pid=250|-gid pid=300|fork pid=400 of=250|-sid pid=400");
	close_all();
	open_all();
	check_choice("in tree=300",
		     "gid pid=300|gid pid=250|-gid pid=1|fork pid=400 of=250|-fork pid=401 of=1|"
				    "exit pid=250|fork pid=402 of=400");
	check_choice("in tree=450", "fork pid=450 of=1|fork pid=451 of=450|-gid pid=300");
	check_choice("choose events.events=exitnonzero",
		     "-exit pid=301 code=0|exit pid=300 code=15|-fork pid=403 of=1");
	close_all();
	open_all();
	check_choice("in cgroup=/user.slice/a.scope/",
		     "gid pid=300|gid pid=250|-gid pid=1|fork pid=400 of=300");
	ck_assert(act("put 400 300 moved 0 1000 300 /other.slice"));
	check_choice("in cgroup=/user.slice/a.scope/", "-exec pid=400 comm=moved");
	check_choice("in cgroup=/other.slice",
		     "gid pid=400|-gid pid=300|fork pid=401 of=400"); /* as its parent */
	check_choice("in cgroup=/", "gid pid=1");
	close_all();
}

START_TEST(kinds_are_words)
{
	static const struct {
		const char *list;
		unsigned kinds;
		bool failures_only;
	} good[] = {
		{ "fork", EVENT_BIT(EVENT_FORK), false },
		{ "uid", EVENT_BIT(EVENT_UID) | EVENT_BIT(EVENT_GID), false },
		{ "exec,exitnonzero", EVENT_BIT(EVENT_EXEC) | EVENT_BIT(EVENT_EXIT), true },
		{ "exit,exitnonzero", EVENT_BIT(EVENT_EXIT), false },
		{ "exitnonzero,all", EVENT_BIT(N_EVENT_KINDS) - 1, false },
		{ "core,comm,clone,ptrace,sid,fork,fork",
		  EVENT_BIT(EVENT_CORE) | EVENT_BIT(EVENT_COMM) | EVENT_BIT(EVENT_CLONE) |
			  EVENT_BIT(EVENT_PTRACE) | EVENT_BIT(EVENT_SID) | EVENT_BIT(EVENT_FORK), false },
	};
	static const char *const bad[] = { "", ",", "forks", "fork,,exec", "fork exec", "Fork", "exit " };
	struct event_filter filter;

	settings_open(&settings);
	for (size_t i = 0; i < sizeof(good) / sizeof(good[0]); i++) {
		ck_assert_msg(settings_set(&settings, "events.events", good[i].list, 0), "%s", good[i].list);
		event_filter_read(&filter, &settings.topic, NULL);
		ck_assert_uint_eq(filter.kinds, good[i].kinds);
		ck_assert_int_eq(filter.failures_only, good[i].failures_only);
	}
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		ck_assert_msg(!settings_set(&settings, "events.events", bad[i], 0), "'%s'", bad[i]);
	settings_close(&settings);
}

/* A file of it is missing: it has ended, or is hidden, which a signal that is none tells. */
START_TEST(a_hidden_process_is_not_gone)
{
	const uint32_t own = (uint32_t)getpid(), stranger = 5000001;

	open_all();
	act("choose events.events=exit");
	env.live = true;
	for (unsigned i = 0; i < 2; i++) {
		uint32_t pid = i ? stranger : own;

		put_stat(pid, 'S', 3);
		event_resolve_existing(&resolver);
		ck_assert_str_eq(told(textf("exit pid=%u code=0 at=now", pid)), "-");
		put(pid, "stat", "");
	}
	ck_assert_uint_eq(resolver.n_leaderless, 2);
	for (unsigned look = 0; look < 3; look++) {
		for (unsigned i = 0; i < 2; i++)
			event_processes_find(resolver.processes, i ? stranger : own)->check_ns = 0;
		event_batch_empty(&resolver.ready);
		event_resolve_leaderless(&resolver);
		ck_assert_uint_eq(resolver.ready.count, look == 1); /* the second look ends it */
		ck_assert_uint_eq(resolver.n_leaderless, look == 0 ? 2 : 1);
		if (look == 1)
			ck_assert_uint_eq(resolver.ready.list[0].pid, stranger);
		ck_assert(!event_processes_find(resolver.processes, own)->vanished);
	}
	/* the exits of its last threads come late: it does not end twice */
	for (uint32_t tid = stranger + 1; tid <= stranger + 3; tid++)
		ck_assert_str_eq(told(textf("exit pid=%u tid=%u code=0 at=now", stranger, tid)), "-");
	close_all();
}
