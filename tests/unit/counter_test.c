/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Tests of the counters: which events, on which CPUs, and what the kernel of this machine counts. */
#include "rig.h"

#include <sched.h>
#include <sys/mount.h>
#include <sys/syscall.h>

#include "model/pipeline.h"
#include "sys/perf_ring.h"
#include "topic/counter/counter.h"
#include "topic/topic.h"

#define NOBODY 65534

static struct rig rig; /* that counts */

/* Skips the test, with the reason, where this machine does not let us count. */
static void open_counters(const char *online, const char *names)
{
	static const char *const topic_names[] = { "counter", NULL };
	int error;

	ck_assert_int_eq(env_open(&rig.env, "/"), 0);
	error = topic_counter.sources[0].test(&rig.env);
	env_close(&rig.env);
	if (error)
		skip_test("perf_event_open: %s", strerror(-error));
	if (online)
		rig_open(&rig, "empty", topic_names);
	else
		rig_open_live(&rig, topic_names);
	if (online)
		rig_put(&rig, "sys/devices/system/cpu/online", "%s", online);
	if (names)
		ck_assert(settings_set(&rig.settings, "cpu.perf", names, 0));
	rig.env.live = true;
}

static void close_counters(void)
{
	rig_close(&rig);
	ck_assert_uint_eq(rig.env.counters.n_open, 0);
}

static const void *find_row(const char *cpu, const char *event)
{
	return table_find(frame_table(rig.now, "counter"), cpu, event);
}

static uint64_t total_of(const char *cpu, const char *event)
{
	const void *row = find_row(cpu, event);

	ck_assert_msg(row != NULL, "no row %s %s", cpu, event);
	return row_u64(row, schema_find(topic_counter.schema, "total"));
}

START_LIVE_TEST(page_faults_of_our_own_are_counted)
{
	uint64_t before, sum = 0;

	open_counters(NULL, "page-faults, minor-faults");
	rig_next(&rig);
	before = total_of("all", "page-faults");
	touch_pages(3000);
	rig_next(&rig);
	ck_assert_uint_ge(total_of("all", "page-faults"), before + 3000);
	for (unsigned cpu = 0; cpu < 4096; cpu++) {
		char name[16];

		snprintf(name, sizeof(name), "%u", cpu);
		if (find_row(name, "page-faults"))
			sum += total_of(name, "page-faults");
	}
	ck_assert_uint_eq(total_of("all", "page-faults"), sum);
	ck_assert_double_eq(table_number(frame_table(rig.now, "counter"),
					 find_row("all", "page-faults"), "running_ratio"), 1);
	ck_assert_uint_eq(rig.now->n_notices, 0);
	close_counters();
}

START_LIVE_TEST(hardware_or_why_not)
{
	int error;

	open_counters(NULL, NULL);
	error = topic_counter.sources[1].test(&rig.env);
	for (int i = 0; i < 2; i++) {
		rig_next(&rig);
		if (!error) {
			ck_assert_uint_gt(total_of("all", "cycles"), 0);
			continue;
		}
		ck_assert_ptr_nonnull(notice_with(rig.now, "no hardware counters"));
		ck_assert_ptr_nonnull(notice_with(rig.now, "no hardware counters")->remedy);
		ck_assert_ptr_null(find_row("all", "cycles"));
		ck_assert_uint_ne(total_of("all", "context-switches"), U64_UNKNOWN);
	}
	close_counters();
}

START_LIVE_TEST(names_that_mean_nothing_are_told)
{
	open_counters(NULL, "nonsense,,page-faults,../..:id,no:such_event,page-faults,:");
	for (int i = 0; i < 2; i++) {
		rig_next(&rig);
		ck_assert_ptr_nonnull(notice_with(rig.now, "nonsense, "));
		ck_assert_ptr_nonnull(notice_with(rig.now, "../..:id"));
		ck_assert_ptr_nonnull(notice_with(rig.now, "no:such_event"));
		/* one for a reason: the tracepoint may have another than the others, as may a lone colon */
		ck_assert_uint_le(rig.now->n_notices, 3);
		ck_assert_uint_ne(total_of("all", "page-faults"), U64_UNKNOWN);
	}
	close_counters();
}

/* In a mount namespace of its own: check runs each test in a process of its own. */
static bool mount_tracefs(void)
{
	if (access("/sys/kernel/tracing/events/sched/sched_switch/id", R_OK) == 0)
		return true;
	return unshare(CLONE_NEWNS) == 0 && mount("none", "/", NULL, MS_REC | MS_PRIVATE, NULL) == 0 &&
	       mount("tracefs", "/sys/kernel/tracing", "tracefs", 0, NULL) == 0;
}

static void count_switches(void)
{
	uint64_t before;

	open_counters(NULL, "page-faults,task-clock,sched:sched_switch,no:such_event");
	rig_next(&rig);
	if (notice_with(rig.now, "sched:sched_switch: Permission denied"))
		skip_test("tracepoints are refused");
	before = total_of("all", "sched:sched_switch");
	for (int i = 0; i < 20; i++)
		usleep(1000);
	rig_next(&rig);
	ck_assert_uint_ge(total_of("all", "sched:sched_switch"), before + 20);
	ck_assert_uint_ge(total_of("0", "task-clock"), 20000000); /* it is the time, in ns */
	ck_assert_ptr_nonnull(notice_with(rig.now, "no:such_event: "));
	ck_assert_uint_eq(rig.now->n_notices, 1);
	close_counters();
}

START_LIVE_TEST(tracepoints_need_no_debugfs)
{
	if (!mount_tracefs())
		skip_test("tracefs is not mounted, and cannot be: %s", strerror(errno));
	count_switches();
}

/* A mount namespace without tracefs, as containers have; false where it cannot be made. */
static bool unmount_tracefs(void)
{
	static const char *const places[] = { "/sys/kernel/debug", "/sys/kernel/tracing" };

	if (unshare(CLONE_NEWNS) < 0 || mount("none", "/", NULL, MS_REC | MS_PRIVATE, NULL) < 0)
		return false;
	for (size_t i = 0; i < 2; i++)
		while (umount2(places[i], MNT_DETACH) == 0) {
			/* there may be another one below */
		}
	return access("/sys/kernel/tracing/events", F_OK) < 0 &&
	       access("/sys/kernel/debug/tracing", F_OK) < 0;
}

START_LIVE_TEST(tracepoints_need_no_mount)
{
	const struct source_spec *source = topic_source(&topic_counter, "sys/kernel/tracing/events");
	struct env env;

	if (!is_root() || !unmount_tracefs())
		skip_test("a mount namespace without tracefs cannot be made: %s", strerror(errno));
	if (syscall(SYS_fsopen, "tracefs", 0) < 0)
		skip_test("fsopen(2): %s", strerror(errno));
	ck_assert_int_eq(env_open(&env, "/"), 0);
	ck_assert_int_eq(source->test(&env), 0);
	env_close(&env);
	count_switches();
}

/* Room for the two events of the first CPU and one of the next. */
START_LIVE_TEST(too_few_descriptors_are_told)
{
	if (sysconf(_SC_NPROCESSORS_ONLN) < 2)
		skip_test("there is a single CPU");
	open_counters("0-1\n", "page-faults,context-switches");
	rig.env.counters = (struct env_counters){ .n_open = 1, .max = 4 }; /* one is another topic's */
	for (int i = 0; i < 2; i++) {
		rig_next(&rig);
		ck_assert_uint_eq(rig.env.counters.n_open, 4);
		ck_assert_uint_ne(total_of("0", "context-switches"), U64_UNKNOWN);
		ck_assert_uint_eq(total_of("1", "context-switches"), U64_UNKNOWN);
		ck_assert_uint_eq(total_of("all", "context-switches"), U64_UNKNOWN);
		ck_assert_ptr_nonnull(notice_with(rig.now, "1 CPU is counted only in part"));
		ck_assert_ptr_nonnull(strstr(rig.now->notices[0].remedy, "ulimit -n"));
	}
	rig.env.counters.n_open--;
	close_counters();
}


/* With a place for tracepoints: the third one is any that the list of mounts names. */
static void open_tracefs(void)
{
	const struct source_spec *source = &topic_counter.sources[3];

	rig_open(&rig, "hybrid", NULL);
	ck_assert_int_eq(source->test(&rig.env), -ENOENT);
	rig_make(&rig, "proc");
	rig_put(&rig, "proc/mounts", "tracefs /mnt/tracing tracefs rw 0 0\n");
	rig_make(&rig, "mnt/tracing/events");
	rig.env.tick++;
	ck_assert_int_eq(source->test(&rig.env), 0);
}

static void put_tracepoint(const char *directory, unsigned id)
{
	rig_make(&rig, textf("mnt/tracing/events/%s", directory));
	rig_put(&rig, textf("mnt/tracing/events/%s/id", directory), "%u\n", id);
}

/* Faults of our own are among them; each says what it counts. */
START_LIVE_TEST(events_of_pages_are_counted_and_explained)
{
	static const char *const names[] = { "page_event", NULL };
	const struct table *table;
	const void *faults;
	uint64_t before;

	rig_open_live(&rig, names);
	rig_next(&rig);
	table = frame_table(rig.now, "page_event");
	faults = table ? table_find(table, "page-faults", NULL) : NULL;
	if (!faults) {
		close_counters();
		skip_test("events of the whole machine may not be counted");
	}
	ck_assert_str_eq(table_text(table, faults, "meaning"), "all page faults");
	before = table_u64(table, faults, "total");
	touch_pages(3000);
	rig_next(&rig);
	table = frame_table(rig.now, "page_event");
	ck_assert_uint_ge(table_u64(table, table_find(table, "page-faults", NULL), "total"), before + 3000);
	for (size_t i = 0; i < table->n_rows; i++)
		ck_assert_str_ne(table_text(table, table_row(table, i), "meaning"), "");
	close_counters();
}

START_LIVE_TEST(what_may_not_be_counted_has_its_remedy)
{
	static const char *const names[] = { "page_event", NULL };
	const struct notice *notice;

	if (geteuid() == 0 &&
	    (setresgid(NOBODY, NOBODY, NOBODY) < 0 || setresuid(NOBODY, NOBODY, NOBODY) < 0))
		skip_test("the user cannot be changed: %s", strerror(errno));
	rig_open_live(&rig, names);
	rig_next(&rig);
	notice = notice_with(rig.now, "Permission denied");
	ck_assert_int_eq(topic_source(&topic_page_event, "perf_event_open")->test(&rig.env),
			 notice ? -EACCES : 0);
	if (!notice)
		skip_test("every user may count here");
	ck_assert_ptr_nonnull(strstr(notice->remedy, "cap_perfmon"));
	close_counters();
}

/* --- A kernel of the test: events that have the counts that it gives them. */

static struct asked {
	struct perf_event_attr attr;
	int tid, cpu, leader, fd; /* fd: what reads its group, if it leads one */
	uint64_t count;
} asked[64];
static unsigned n_asked;
static struct perf_times group_times;
static uint32_t refused_type = UINT32_MAX;
static uint64_t refused_config = UINT64_MAX; /* all of that type */
static int refusal, refused_cpu = -1;        /* -1: on all */

static bool is_refused(const struct perf_event_attr *attr, int cpu)
{
	return refusal && attr->type == refused_type &&
	       (refused_config == UINT64_MAX || attr->config == refused_config) &&
	       (refused_cpu < 0 || cpu == refused_cpu);
}

/* What the next read of the group gives. */
static void write_group(int leader)
{
	uint64_t words[3 + 64] = { 0, group_times.enabled_ns, group_times.running_ns };

	for (unsigned i = 0; i < n_asked; i++)
		if (asked[i].fd >= 0 && (asked[i].fd == leader || asked[i].leader == leader))
			words[3 + words[0]++] = asked[i].count;
	ck_assert_int_ge(pwrite(leader, words, (3 + words[0]) * sizeof(words[0]), 0), 0);
	ck_assert_int_eq(lseek(leader, 0, SEEK_SET), 0);
}

static void give_times(uint64_t enabled, uint64_t running)
{
	group_times = (struct perf_times){ enabled, running };
	for (unsigned i = 0; i < n_asked; i++)
		if (asked[i].leader < 0 && fcntl(asked[i].fd, F_GETFD) >= 0)
			write_group(asked[i].fd);
}

static int open_event(const struct machine_perf *perf, const struct perf_event_attr *attr, int tid, int cpu,
		      int leader)
{
	struct asked *event = &asked[n_asked++];

	(void)perf;
	ck_assert_uint_le(n_asked, sizeof(asked) / sizeof(asked[0]));
	*event = (struct asked){ *attr, tid, cpu, leader, -1, 0 };
	if (is_refused(attr, cpu))
		return refusal;
	event->fd = memfd_create("event", MFD_CLOEXEC);
	for (struct asked *old = asked; old < event; old++) /* which has been closed */
		if (old->fd == event->fd || old->leader == event->fd)
			old->fd = old->leader = -1;
	write_group(leader < 0 ? event->fd : leader);
	return event->fd;
}

static int start_group(const struct machine_perf *perf, int leader, unsigned long request,
		       unsigned long argument)
{
	(void)perf;
	(void)leader;
	ck_assert(request == PERF_EVENT_IOC_ENABLE && argument == 0);
	return 0;
}

static const struct machine_perf perf = { open_event, start_group };

#define TYPE_ATOM 10 /* of CPUs 4 to 7 in the fixture; 4: of CPUs 0 to 3 */
#define CORE 4ULL << 32
#define ATOM 10ULL << 32

START_TEST(events_are_opened_as_their_place_wants)
{
	static const struct {
		struct perf_event_attr attr;
		struct counter_place place;
		int error;
		uint64_t config; /* that the kernel is asked for */
	} cases[] = {
		{ { .type = PERF_TYPE_TRACEPOINT, .config = 9 }, { .tid = 7, .user_only = 1 }, -EACCES, 0 },
		{ { .type = PERF_TYPE_SOFTWARE, .config = 3 }, { .tid = 7, .user_only = true }, -EACCES, 0 },
		{ { .type = PERF_TYPE_SOFTWARE, .config = 2 }, { .tid = 7, .user_only = true }, 0, 2 },
		{ { .type = PERF_TYPE_HARDWARE, .config = 3 }, { .tid = 7, .user_only = true }, 0, 3 },
		{ { .type = PERF_TYPE_TRACEPOINT, .config = 9 }, { .tid = 7, .inherited = true }, 0, 9 },
		{ { .type = TYPE_ATOM, .config = 1 }, { .cpu = 3 }, -ENODEV, 0 },
		{ { .type = TYPE_ATOM, .config = 1 }, { .cpu = 4 }, 0, 1 },
		{ { .type = TYPE_ATOM, .config = 1 }, { .cpu = 3, .tid = 8 }, 0, 1 },
		{ { .type = PERF_TYPE_HARDWARE, .config = 5 }, { .cpu = 0 }, 0, CORE | 5 },
		{ { .type = PERF_TYPE_HARDWARE, .config = 5 }, { .cpu = 7 }, 0, ATOM | 5 },
		{ { .type = PERF_TYPE_HARDWARE, .config = 5 }, { .cpu = 8 }, 0, 5 },
		{ { .type = PERF_TYPE_HARDWARE, .config = 5, .exclude_kernel = 1 }, { .tid = 8 }, 0, 5 },
		{ { .type = PERF_TYPE_HW_CACHE, .config = 6 }, { .cpu = 4 }, 0, ATOM | 6 },
		{ { .type = PERF_TYPE_SOFTWARE, .config = 6 }, { .cpu = 4 }, 0, 6 },
	};
	struct counter_pmus pmus;
	struct env env;

	ck_assert_int_eq(env_open(&env, fixture_root("hybrid", 0)), 0);
	counter_pmus_read(&pmus, &env);
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		const struct counter_event event = { .attr = cases[i].attr };
		const struct counter_place *place = &cases[i].place;
		const struct asked *now;
		bool leads = i % 2;
		int leader, fd;

		n_asked = 0;
		leader = leads || cases[i].error ? -1 : open_event(&perf, &event.attr, 1, 1, -1);
		fd = counter_open(&perf, &event, &pmus, place, leader);
		if (cases[i].error) {
			ck_assert_msg(fd == cases[i].error && n_asked == 0, "%zu: %d", i, fd);
			continue;
		}
		ck_assert_msg(fd >= 0, "%zu: %d", i, fd);
		now = &asked[n_asked - 1];
		ck_assert_uint_eq(n_asked, leads ? 1 : 2);
		ck_assert_str_eq(textf("tid %d cpu %d of %d", now->tid, now->cpu, now->leader),
				 place->tid ? textf("tid %u cpu -1 of %d", place->tid, leader)
					    : textf("tid -1 cpu %u of %d", place->cpu, leader));
		ck_assert_uint_eq(now->attr.type, event.attr.type);
		ck_assert_uint_eq(now->attr.config, cases[i].config);
		ck_assert_uint_eq(now->attr.read_format, PERF_READ_FORMAT);
		ck_assert_uint_eq(now->attr.disabled, leads);
		ck_assert(now->attr.inherit == place->inherited &&
			  now->attr.inherit_thread == place->inherited);
		ck_assert_int_eq(now->attr.exclude_kernel, place->user_only || event.attr.exclude_kernel);
		close(fd);
		if (!leads)
			close(leader);
	}
	counter_pmus_free(&pmus);
	env_close(&env);
}

/* Five events in groups: 0 and 2; 1, which cannot be; 3 and 4. */
static struct counter_events five_events(void)
{
	struct counter_events events = { .count = 5 };

	for (unsigned i = 0; i < 5; i++) {
		events.list[i].attr.config = 100 + i;
		events.list[i].attr.type = PERF_TYPE_RAW;
		events.list[i].group = i < 3 ? i % 2 : 3;
	}
	events.list[1].why = "there is none";
	return events;
}

static void check_cells(const struct counter_set *set, const char *expected)
{
	char text[256] = "";

	for (unsigned i = 0; i < 5; i++)
		snprintf(text + strlen(text), sizeof(text) - strlen(text), "%s%s", i ? " " : "",
			 set->cells[i].fd >= 0         ? "open"
			 : set->cells[i].fd == -ENODEV ? "none"
						       : strerror(-set->cells[i].fd));
	ck_assert_str_eq(text, expected);
}

static void check_totals(const struct counter_set *set, uint64_t a, uint64_t b, uint64_t c, uint64_t d)
{
	const uint64_t totals[] = { a, 0, b, c, d };

	for (unsigned i = 0; i < 5; i++)
		ck_assert_msg(set->cells[i].total == totals[i], "%u: %lu", i,
			      (unsigned long)set->cells[i].total);
}

START_TEST(groups_of_a_cpu_stop_and_those_of_a_thread_wait)
{
	const struct counter_events events = five_events();
	const struct counter_pmus none = { 0 };

	for (uint32_t tid = 0; tid < 8; tid += 7) {
		struct env env = { .perf = &perf, .counters = { .max = 100 } };
		struct counter_set set = { .env = &env, .place = { .tid = tid } };

		n_asked = 0;
		counter_set_open(&set, &events, &none);
		for (unsigned i = 0; i < 4; i++)
			asked[i].count = 10 * (i + 1);
		give_times(100, 50);
		counter_set_read(&set, &events);
		if (tid) /* counts of all threads are scaled together */
			check_totals(&set, 10, 20, 30, 40);
		else
			check_totals(&set, 20, 40, 60, 80);
		ck_assert(set.cells[0].known && set.cells[4].known);
		for (unsigned i = 0; i < 4; i++)
			asked[i].count += i + 1;
		give_times(101, 51);
		counter_set_read(&set, &events);
		if (tid)
			check_totals(&set, 11, 22, 33, 44);
		else
			check_totals(&set, 21, 42, 63, 84);
		ck_assert(set.cells[0].grown == 1 && set.cells[4].grown == 4);
		give_times(101, 51); /* the same again: a CPU was away, a thread did not run */
		counter_set_read(&set, &events);
		if (tid) {
			check_totals(&set, 11, 22, 33, 44);
			ck_assert(set.cells[0].known && set.cells[0].grown == 0);
			counter_set_close(&set);
			continue;
		}
		for (unsigned i = 0; i < 5; i++)
			ck_assert_int_eq(set.cells[i].fd, i == 1 ? -ENODEV : -EAGAIN);
		ck_assert_uint_eq(env.counters.n_open, 0);
		n_asked = 0;
		counter_set_open(&set, &events, &none);
		check_cells(&set, "open none open open open");
		give_times(0, 0); /* never enabled: it has not stopped */
		counter_set_read(&set, &events);
		check_cells(&set, "open none open open open");
		ck_assert(!set.cells[0].known);
		counter_set_close(&set);
	}
}

static void check_cpus(struct counter_machine *cpus, const char *online, const char *expected)
{
	char text[256] = "";

	give_times(group_times.enabled_ns + 1, group_times.running_ns + 1);
	ck_assert_int_eq(counter_machine_read(cpus, span_text(online)), 0);
	for (size_t i = 0; i < cpus->n_cpus; i++)
		snprintf(text + strlen(text), sizeof(text) - strlen(text), "%s%u:%zu", i ? " " : "",
			 cpus->cpus[i]->place.cpu, cpus->cpus[i]->files);
	ck_assert_str_eq(text, expected);
}

/* A kernel of the test, with room for its files. */
static void open_kernel(struct env *env)
{
	group_times = (struct perf_times){ 10, 10 };
	ck_assert_int_eq(env_open(env, fixture_root("linux-6.1", 0)), 0);
	env->perf = &perf;
	env->counters.max = 1000;
}

START_TEST(cpus_are_counted_as_they_come_and_go)
{
	struct counter_machine cpus;
	struct env env;

	open_kernel(&env);
	counter_machine_open(&cpus, &env, "page-faults,migrations");
	ck_assert_int_eq(cpus.choice, COUNTER_NAMED);
	check_cpus(&cpus, "1-2,4", "1:2 2:2 4:2");
	check_cpus(&cpus, "0-5", "0:2 1:2 2:2 3:2 4:2 5:2");
	check_cpus(&cpus, "1,3-4", "1:2 3:2 4:2");
	check_cpus(&cpus, "", "");
	check_cpus(&cpus, "7", "7:2");
	counter_machine_close(&cpus);
	ck_assert_uint_eq(env.counters.n_open, 0);
	env_close(&env);
}

/* "OPEN: TOTAL, ENABLED/RUNNING, known" of an event. */
static void check_sum(struct counter_machine *cpus, const char *online, unsigned event,
		      const char *expected)
{
	const struct counter_sum *sum = &cpus->sums[event];

	if (online)
		ck_assert_int_eq(counter_machine_read(cpus, span_text(online)), 0);
	ck_assert_str_eq(textf("%u: %lu, %lu/%lu, %s", (unsigned)sum->n_open, (unsigned long)sum->total,
			       (unsigned long)sum->times.enabled_ns, (unsigned long)sum->times.running_ns,
			       sum->known   ? "known"
			       : sum->error ? strerror(-sum->error)
					    : "unknown"),
			 expected);
}

START_TEST(sums_are_of_the_cpus_that_count)
{
	struct counter_machine cpus;
	struct env env;

	open_kernel(&env);
	refused_type = PERF_TYPE_SOFTWARE;
	refused_config = PERF_COUNT_SW_CPU_MIGRATIONS;
	refused_cpu = 1;
	refusal = -EACCES;
	counter_machine_open(&cpus, &env, "page-faults,zz::none,migrations");
	ck_assert_int_eq(counter_machine_read(&cpus, span_text("0-2")), 0);
	for (unsigned i = 0; i < n_asked; i++)
		asked[i].count = asked[i].fd < 0 ? 0 : i == 0 ? 1000 : i == 2 ? 100 : 10;
	give_times(30, 20); /* since the last read half of the time */
	check_sum(&cpus, "0-2", 0, "3: 2220, 60/30, known");
	check_sum(&cpus, NULL, 1, "0: 0, 0/0, known");
	check_sum(&cpus, NULL, 2, "2: 40, 40/20, Permission denied");
	for (unsigned i = 0; i < n_asked; i++)
		asked[i].count += asked[i].fd >= 0;
	give_times(40, 30);
	check_sum(&cpus, "0,2", 0, "2: 2222, 20/20, known"); /* what it had stays */
	check_sum(&cpus, NULL, 2, "2: 42, 20/20, known");
	give_times(50, 30); /* nothing ran */
	check_sum(&cpus, "0,2", 0, "2: 2222, 0/0, unknown");
	counter_machine_close(&cpus);
	env_close(&env);
}

START_TEST(without_counters_of_hardware_software_is_counted)
{
	static const struct {
		const char *names;
		int refusal; /* of hardware's events */
		unsigned room;
		const char *online;
		int error;
		enum counter_choice choice;
		int no_hardware;
		unsigned n_events;
	} cases[] = {
		{ NULL, -EACCES, 1000, "0", 0, COUNTER_SOFTWARE, -EACCES, 5 },
		{ "", 0, 1000, "0", 0, COUNTER_HARDWARE, 0, 6 },
		{ NULL, -ENOENT, 0, "0", -EMFILE, COUNTER_HARDWARE, -EMFILE, 6 }, /* to be tried again */
		{ NULL, -ENOENT, 0, "", -ENODATA, COUNTER_HARDWARE, -ENODATA, 6 },
		{ "page-faults", -ENOENT, 0, "0", 0, COUNTER_NAMED, 0, 1 }, /* its sum says why */
	};
	struct counter_machine cpus;
	struct env env;

	open_kernel(&env);
	refused_type = PERF_TYPE_HARDWARE;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		refusal = cases[i].refusal;
		env.counters.max = cases[i].room;
		counter_machine_open(&cpus, &env, cases[i].names);
		ck_assert_int_eq(counter_machine_read(&cpus, span_text(cases[i].online)), cases[i].error);
		ck_assert_str_eq(textf("%zu: choice %d, %d, %u events", i, (int)cpus.choice,
				       cpus.no_hardware, cpus.events.count),
				 textf("%zu: choice %d, %d, %u events", i, (int)cases[i].choice,
				       cases[i].no_hardware, cases[i].n_events));
		counter_machine_close(&cpus);
	}
	env_close(&env);
}

/* --- Names of events. */

/* "NAME TYPE:CONFIG #GROUP" of each; without their numbers where they cannot be counted. */
static const char *events_text(const struct counter_events *events)
{
	const char *text = "";

	for (unsigned i = 0; i < events->count; i++) {
		const struct counter_event *event = &events->list[i];

		text = textf("%s%s%s %s #%u%s%s%s%s", text, i ? ", " : "", event->name,
			     event->why ? "absent"
					: textf("%u:%llx", event->attr.type,
						(unsigned long long)event->attr.config),
			     event->group, event->base >= 0 ? textf(" of %d", event->base) : "",
			     event->per_cycle ? " per cycle" : "", event->is_clock ? " clock" : "",
			     event->attr.exclude_guest ? " host" : "");
	}
	return text;
}

/* What one counts is one group: all that the kernel counts in software, whatever is between them. */
START_TEST(names_have_their_events)
{
	static const char *const cases[][2] = {
		{ "node-loads", "node-loads 3:6 #0" },
		{ "node-load-misses", "node-load-misses 3:10006 #0" },
		{ "page-faults, page-faults\t,task-clock,,page-faults",
		  "page-faults 1:2 #0, task-clock 1:1 #0 clock" },
		{ "instructions, page-faults ,branches,context-switches,cycles,cycles",
		  "instructions 0:1 #4 of 4 per cycle host, page-faults 1:2 #1, branches 0:4 #2 host, "
		  "context-switches 1:3 #1, cycles 0:0 #4 host" },
		{ "cycles,page-faults,none:none,sched:some,migrations,instructions",
		  "cycles 0:0 #0 host, page-faults 1:2 #1, none:none absent #2, sched:some 2:4d #1, "
		  "migrations 1:4 #1, instructions 0:1 #0 of 0 per cycle host" },
	};
	struct counter_events events = { 0 };
	const char *names = "0";

	open_tracefs();
	put_tracepoint("sched/some", 77);
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		counter_events_named(&events, &rig.env, cases[i][0]);
		ck_assert_str_eq(events_text(&events), cases[i][1]);
		counter_events_free(&events);
	}
	counter_events_thread(&events);
	ck_assert_str_eq(events_text(&events),
			 "task-clock 1:1 #0 clock, page-faults 1:2 #0, minor-faults 1:5 #0 of 1, "
			 "major-faults 1:6 #0 of 1, context-switches 1:3 #0, migrations 1:4 #0");
	counter_events_free(&events);
	counter_events_hardware(&events);
	ck_assert_str_eq(events_text(&events),
			 "cycles 0:0 #0 host, instructions 0:1 #0 of 0 per cycle host, "
			 "cache-references 0:2 #2 host, cache-misses 0:3 #2 of 2 host, "
			 "branches 0:4 #4 host, branch-misses 0:5 #4 of 4 host");
	counter_events_free(&events);
	for (int i = 1; i < 40; i++)
		names = textf("%s,%d", names, i);
	counter_events_named(&events, &rig.env, names);
	ck_assert_uint_eq(events.count, COUNTER_EVENTS_MAX);
	ck_assert_uint_eq(events.surplus, 40 - COUNTER_EVENTS_MAX);
	counter_events_free(&events);
	rig_close(&rig);
}

/* unknown: no machine has it; otherwise it may be there when the remedy was applied. */
START_TEST(tracepoints_say_why_they_are_not_counted)
{
	static const char absent[] = "there is no such event";
	struct counter_events events = { 0 };
	const char *why = NULL;
	char *unknown;

	rig_open(&rig, "hybrid", NULL);
	counter_events_named(&events, &rig.env, "sched:some");
	ck_assert_str_eq(events.list[0].why, "tracefs is not mounted");
	ck_assert_ptr_nonnull(strstr(events.list[0].remedy, "mount -t tracefs"));
	ck_assert(!events.list[0].unknown);
	counter_events_free(&events);
	ck_assert_ptr_null(counter_events_unknown(&rig.env, "page-faults,sched:some", &why));
	rig_close(&rig);
	open_tracefs();
	put_tracepoint("sched/some", 77);
	rig_put(&rig, "mnt/tracing/events/sched/some/id", "none\n");
	counter_events_named(&events, &rig.env, "sched:some,sched:other,zz-other");
	ck_assert_str_eq(events.list[0].why, absent);
	ck_assert(!events.list[0].remedy && !events.list[0].unknown); /* something is there */
	for (unsigned i = 1; i < 3; i++) /* unless the library is absent, which may know more */
		ck_assert(events.list[i].unknown == (strcmp(events.list[i].why, absent) == 0));
	unknown = counter_events_unknown(&rig.env, "page-faults,sched:some,zz-other,sched:other", &why);
	ck_assert_str_eq(unknown ? unknown : "-", events.list[2].unknown ? "zz-other" : "-");
	free(unknown);
	counter_events_free(&events);
	rig_close(&rig);
}

static void put_unit(const char *name, const char *type, const char *file, const char *cpus)
{
	rig_make(&rig, textf("sys/bus/event_source/devices/%s", name));
	rig_put(&rig, textf("sys/bus/event_source/devices/%s/type", name), "%s\n", type);
	rig_put(&rig, textf("sys/bus/event_source/devices/%s/%s", name, file), "%s", cpus);
}

START_TEST(units_are_those_with_a_type_and_cpus)
{
	static const struct {
		uint32_t type;
		unsigned cpu;
		bool counts;
	} cases[] = {
		{ TYPE_ATOM, 5, true }, { TYPE_ATOM, 3, false },      { 21, 0, true },
		{ 21, 1, false },       { PERF_TYPE_SOFTWARE, 7, true }, { 40, 8, true },
		{ 40, 7, false },       { 41, 9, true },              { 41, 8, false },
		{ UINT32_MAX, 2, true }, { UINT32_MAX, 1, false },     { 42, 0, true },
		{ 33, 2, true },        { 33, 0, false },
	};
	struct counter_pmus pmus;

	rig_open(&rig, "hybrid", NULL);
	put_unit("cpux", "40", "cpus", "8\n");       /* no core: "cpu_" it is not */
	put_unit("cpu_one", "41", "cpumask", "9\n"); /* nor this one */
	put_unit("most", "4294967295", "cpumask", "2\n");
	put_unit("too_large", "4294967296", "cpumask", "2\n");
	put_unit("nowhere", "42", "cpumask", "");
	rig_make(&rig, "sys/devices/uncore"); /* units may be links, as sysfs has them */
	rig_put(&rig, "sys/devices/uncore/type", "33\n");
	rig_put(&rig, "sys/devices/uncore/cpumask", "2\n");
	ck_assert_int_eq(symlink("../../../devices/uncore",
				 textf("%s/sys/bus/event_source/devices/uncore", rig.root)), 0);
	counter_pmus_read(&pmus, &rig.env);
	ck_assert_uint_eq(pmus.count, 3 + 4);
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		ck_assert_msg(counter_pmu_counts_on(&pmus, cases[i].type, cases[i].cpu) == cases[i].counts,
			      "%u on %u", cases[i].type, cases[i].cpu);
	for (unsigned cpu = 0; cpu < 10; cpu++)
		ck_assert_uint_eq(counter_pmu_of_core(&pmus, cpu), cpu < 4 ? 4 : cpu < 8 ? TYPE_ATOM : 0);
	counter_pmus_free(&pmus);
	rig_close(&rig);
}

/* --- Numbers and notices of rows. */

START_TEST(numbers_of_an_event_are_with_those_of_its_whole)
{
	struct counter_events events = {
		.list = { { .name = "cycles", .base = -1 },
			  { .name = "instructions", .base = 0, .per_cycle = true },
			  { .name = "page-faults", .base = -1 },
			  { .name = "major-faults", .base = 2 },
			  { .name = "task-clock", .base = -1, .is_clock = true } },
		.count = 5,
	};
	struct counter_count counts[] = {
		{ 100, { 10, 10 }, 7 }, { 250, { 10, 20 }, 7 },  { 30, { 8, 2 }, 7 },
		{ 4, { 0, 5 }, 7 },     { 900, { 1, 0 }, 2000 },
	};
	static const char *const expected[] = {
		"cycles 100 running 1 cycles -1 of -1 ",
		"instructions 250 running 1 cycles 100 of -1 ", /* never more than always */
		"page-faults 30 running 0.25 cycles -1 of -1 ",
		"major-faults 4 running nan cycles -1 of 30 page-faults",
		"task-clock 900 running 0 cycles -1 of 2000 one CPU",
		"task-clock 900 running 0 cycles -1 of -1 ", /* without the time */
	};
	struct frame frame;

	frame_open(&frame, &topic_counter.schema, 1);
	for (unsigned i = 0; i < 6; i++) {
		struct counter_numbers of = { .running_ratio = NAN,
					      .cycles_total = U64_UNKNOWN,
					      .whole_total = U64_UNKNOWN };

		if (i == 5)
			counts[4].elapsed_ns = 0;
		counter_fill(&of, &frame, &events, i < 5 ? i : 4, counts);
		ck_assert_str_eq(textf("%s %ld running %g cycles %ld of %ld %s", of.event, (long)of.total,
				       of.running_ratio, (long)of.cycles_total, (long)of.whole_total,
				       of.share_of), expected[i]);
	}
	frame_close(&frame);
}

START_TEST(absent_events_share_a_notice_by_their_reason)
{
	static const char *const texts[] = {
		"first, fifth: no such thing",
		"third: this machine cannot count it",
		"fourth, last: Permission denied",
		"sixth: no such thing",
		"2 events of cpu.perf are beyond the limit of 32",
		"no hardware counters: software events are counted instead",
		"no hardware counters, software events are counted instead: Permission denied",
	};
	struct counter_events events = {
		.list = { { .name = "first", .why = "no such thing" }, { .name = "second" },
			  { .name = "third" }, { .name = "fourth" },
			  { .name = "fifth", .why = "no such thing" },
			  { .name = "sixth", .why = "no such thing", .remedy = "make it" },
			  { .name = "seventh" }, { .name = "last" } },
		.count = 8,
		.surplus = 2,
	};
	static const struct counter_sum sums[8] = { [1] = { .n_open = 1, .error = -EACCES },
						    [2] = { .error = -ENODEV },
						    [3] = { .error = -EACCES },
						    [7] = { .error = -EACCES } };
	struct frame frame;
	struct env env;

	ck_assert_int_eq(env_open(&env, fixture_root("hybrid", 0)), 0);
	frame_open(&frame, &topic_counter.schema, 1);
	counter_notice_events(&env, &frame, &topic_counter, &events, sums);
	counter_notice_no_hardware(&env, &frame, &topic_counter, -ENODEV);
	counter_notice_no_hardware(&env, &frame, &topic_counter, -EACCES);
	ck_assert_uint_eq(frame.n_notices, 7);
	for (unsigned i = 0; i < 7; i++)
		ck_assert_str_eq(frame.notices[i].text, texts[i]);
	ck_assert(!frame.notices[0].remedy && !frame.notices[1].remedy);
	ck_assert_ptr_nonnull(strstr(frame.notices[2].remedy, "cap_perfmon"));
	ck_assert_str_eq(frame.notices[3].remedy, "make it");
	frame_close(&frame);
	env_close(&env);
}
