/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Tests of the counters: which events, on which CPUs, and what the kernel of this machine counts. */
#include <config.h>

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "model/derive.h"
#include "rig.h"
#include "suite.h"
#include "topic/counter/counter_machine.h"
#include "topic/topic.h"

#define NOBODY 65534

/* The topic on this machine. */
struct live {
	struct env env;
	struct settings settings;
	struct sample sample;
	struct frame frame;
};

/* False, with the reason, where this machine does not let us count. */
static void live_open(struct live *live, const char *root, const char *names)
{
	int error;

	*live = (struct live){
		.sample = { .topic = &topic_counter, .env = &live->env, .settings = &live->settings.topic }
	};
	ck_assert_int_eq(env_open(&live->env, "/"), 0);
	error = topic_counter.sources[0].test(&live->env);
	env_close(&live->env);
	if (error)
		skip_test("perf_event_open: %s", strerror(-error));
	ck_assert_int_eq(env_open(&live->env, root), 0);
	live->env.live = true;
	settings_open(&live->settings);
	if (names)
		ck_assert(settings_set(&live->settings, "cpu.perf", names, 0));
	frame_open(&live->frame, topic_schemas(), n_topics);
	ck_assert_int_eq(topic_open(&live->sample), 0);
}

static void live_sample(struct live *live)
{
	struct table *table = frame_slot(&live->frame, "counter");

	frame_clear(&live->frame);
	live->env.tick++;
	table->mono_ns = env_mono_ns();
	ck_assert_int_eq(topic_sample(&live->sample, &live->frame, table), 0);
}

static void live_close(struct live *live)
{
	topic_close(&live->sample);
	ck_assert_uint_eq(live->env.counters.n_open, 0);
	frame_close(&live->frame);
	settings_close(&live->settings);
	env_close(&live->env);
}

static const void *find_row(const struct live *live, const char *cpu, const char *event)
{
	return table_find(frame_table(&live->frame, "counter"), cpu, event);
}

static uint64_t total_of(const struct live *live, const char *cpu, const char *event)
{
	const void *row = find_row(live, cpu, event);

	ck_assert_msg(row != NULL, "no row %s %s", cpu, event);
	return row_u64(row, schema_find(topic_counter.schema, "total"));
}

static const struct notice *find_notice(const struct live *live, const char *part)
{
	for (unsigned i = 0; i < live->frame.n_notices; i++)
		if (strstr(live->frame.notices[i].text, part))
			return &live->frame.notices[i];
	return NULL;
}

/* A page fault for each, none for several at once. */
static void touch_pages(size_t n_pages)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE), length = n_pages * page;
	char *pages = mmap(NULL, length, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	ck_assert_ptr_ne(pages, MAP_FAILED);
	madvise(pages, length, MADV_NOHUGEPAGE);
	for (size_t at = 0; at < length; at += page)
		*(volatile char *)(pages + at) = 1;
	munmap(pages, length);
}

START_TEST(page_faults_of_our_own_are_counted)
{
	struct live live;
	uint64_t before, sum = 0;

	live_open(&live, "/", "page-faults, minor-faults");
	live_sample(&live);
	before = total_of(&live, "all", "page-faults");
	touch_pages(3000);
	live_sample(&live);
	ck_assert_uint_ge(total_of(&live, "all", "page-faults"), before + 3000);
	for (unsigned cpu = 0; cpu < 4096; cpu++) {
		char name[16];

		snprintf(name, sizeof(name), "%u", cpu);
		if (find_row(&live, name, "page-faults"))
			sum += total_of(&live, name, "page-faults");
	}
	ck_assert_uint_eq(total_of(&live, "all", "page-faults"), sum);
	ck_assert_double_eq(table_number(frame_table(&live.frame, "counter"),
					 find_row(&live, "all", "page-faults"), "running_ratio"), 1);
	ck_assert_uint_eq(live.frame.n_notices, 0);
	live_close(&live);
}
END_TEST

START_TEST(hardware_or_why_not)
{
	struct live live;
	int error;

	live_open(&live, "/", NULL);
	error = topic_counter.sources[1].test(&live.env);
	for (int i = 0; i < 2; i++) {
		live_sample(&live);
		if (!error) {
			ck_assert_uint_gt(total_of(&live, "all", "cycles"), 0);
			continue;
		}
		ck_assert_ptr_nonnull(find_notice(&live, "no hardware counters"));
		ck_assert_ptr_nonnull(find_notice(&live, "no hardware counters")->remedy);
		ck_assert_ptr_null(find_row(&live, "all", "cycles"));
		ck_assert_uint_ne(total_of(&live, "all", "context-switches"), U64_UNKNOWN);
	}
	live_close(&live);
}
END_TEST

START_TEST(names_that_mean_nothing_are_told)
{
	struct live live;

	live_open(&live, "/", "nonsense,,page-faults,../..:id,no:such_event,page-faults,:");
	for (int i = 0; i < 2; i++) {
		live_sample(&live);
		ck_assert_ptr_nonnull(find_notice(&live, "nonsense, "));
		ck_assert_ptr_nonnull(find_notice(&live, "../..:id"));
		ck_assert_ptr_nonnull(find_notice(&live, "no:such_event"));
		/* one for a reason: the tracepoint may have another than the others, as may a lone colon */
		ck_assert_uint_le(live.frame.n_notices, 3);
		ck_assert_uint_ne(total_of(&live, "all", "page-faults"), U64_UNKNOWN);
	}
	live_close(&live);
}
END_TEST

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
	struct live live;
	uint64_t before;

	live_open(&live, "/", "page-faults,task-clock,sched:sched_switch,no:such_event");
	live_sample(&live);
	if (find_notice(&live, "sched:sched_switch: Permission denied"))
		skip_test("tracepoints are refused");
	before = total_of(&live, "all", "sched:sched_switch");
	for (int i = 0; i < 20; i++)
		usleep(1000);
	live_sample(&live);
	ck_assert_uint_ge(total_of(&live, "all", "sched:sched_switch"), before + 20);
	ck_assert_uint_ge(total_of(&live, "0", "task-clock"), 20000000); /* it is the time, in ns */
	ck_assert_ptr_nonnull(find_notice(&live, "no:such_event: "));
	ck_assert_uint_eq(live.frame.n_notices, 1);
	live_close(&live);
}

START_TEST(tracepoints_need_no_debugfs)
{
	if (!mount_tracefs())
		skip_test("tracefs is not mounted, and cannot be: %s", strerror(errno));
	count_switches();
}
END_TEST

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

START_TEST(tracepoints_need_no_mount)
{
	const struct source_spec *source = topic_source(&topic_counter, "sys/kernel/tracing/events");
	struct env env;

	if (!unmount_tracefs())
		skip_test("a mount namespace without tracefs cannot be made: %s", strerror(errno));
	if (syscall(SYS_fsopen, "tracefs", 0) < 0)
		skip_test("fsopen(2): %s", strerror(errno));
	ck_assert_int_eq(env_open(&env, "/"), 0);
	ck_assert_int_eq(source->test(&env), 0);
	env_close(&env);
	count_switches();
}
END_TEST

static void write_online(const char *root, const char *text)
{
	char path[512];
	FILE *file;

	snprintf(path, sizeof(path), "%s/sys/devices/system/cpu/online", root);
	file = fopen(path, "w");
	ck_assert_ptr_nonnull(file);
	fputs(text, file);
	fclose(file);
}

/* A root whose list of CPUs is ours to change; their counters are those of this machine. */
static void make_root(char *root)
{
	static const char *const folders[] = { "sys", "sys/devices", "sys/devices/system",
					       "sys/devices/system/cpu" };

	scratch_directory(root, "counter");
	for (size_t i = 0; i < 4; i++) {
		char path[512];

		snprintf(path, sizeof(path), "%s/%s", root, folders[i]);
		ck_assert_int_eq(mkdir(path, 0700), 0);
	}
}

START_TEST(cpus_come_and_go)
{
	char root[SCRATCH_PATH_MAX];
	struct live live;
	uint64_t of_all, of_one;

	make_root(root);
	write_online(root, "0-1,9999\n"); /* there is no 9999: it counts nothing, and is no loss */
	if (sysconf(_SC_NPROCESSORS_ONLN) < 2)
		skip_test("there is a single CPU");
	live_open(&live, root, "page-faults");
	live_sample(&live);
	touch_pages(500);
	live_sample(&live);
	of_all = total_of(&live, "all", "page-faults");
	of_one = total_of(&live, "1", "page-faults");
	ck_assert_uint_ge(of_all, of_one);
	ck_assert_ptr_null(find_row(&live, "9999", "page-faults"));
	ck_assert_uint_eq(live.frame.n_notices, 0);
	write_online(root, "0\n");
	live_sample(&live);
	ck_assert_ptr_null(find_row(&live, "1", "page-faults"));
	ck_assert_uint_ge(total_of(&live, "all", "page-faults"), of_all);
	write_online(root, "1\n");
	live_sample(&live);
	ck_assert_ptr_null(find_row(&live, "0", "page-faults"));
	ck_assert_uint_ne(total_of(&live, "1", "page-faults"), U64_UNKNOWN);
	ck_assert_uint_ge(total_of(&live, "all", "page-faults"), of_all);
	live_close(&live);
}
END_TEST

/* Room for the two events of the first CPU and one of the next. */
START_TEST(too_few_descriptors_are_told)
{
	char root[SCRATCH_PATH_MAX];
	struct live live;

	make_root(root);
	write_online(root, "0-1\n");
	if (sysconf(_SC_NPROCESSORS_ONLN) < 2)
		skip_test("there is a single CPU");
	live_open(&live, root, "page-faults,context-switches");
	live.env.counters = (struct env_counters){ .n_open = 1, .max = 4 }; /* one is another topic's */
	for (int i = 0; i < 2; i++) {
		live_sample(&live);
		ck_assert_uint_eq(live.env.counters.n_open, 4);
		ck_assert_uint_ne(total_of(&live, "all", "page-faults"), U64_UNKNOWN);
		ck_assert_uint_ne(total_of(&live, "0", "context-switches"), U64_UNKNOWN);
		ck_assert_uint_eq(total_of(&live, "1", "context-switches"), U64_UNKNOWN);
		ck_assert_uint_eq(total_of(&live, "all", "context-switches"), U64_UNKNOWN);
		ck_assert_ptr_nonnull(find_notice(&live, "1 CPU is counted only in part"));
		ck_assert_ptr_nonnull(strstr(live.frame.notices[0].remedy, "ulimit -n"));
	}
	live.env.counters.n_open--;
	live_close(&live);
}
END_TEST

/* Wherever the kernel has it: the third place is any that the list of mounts names. */
START_TEST(tracepoints_are_found_where_they_are_mounted)
{
	static const char *const names[] = { "counter", NULL };
	const struct source_spec *source = &topic_counter.sources[3];
	struct rig rig;

	rig_open(&rig, "hybrid", names);
	ck_assert_int_eq(source->test(&rig.env), -ENOENT);
	rig_make(&rig, "proc");
	rig_put(&rig, "proc/mounts", "tracefs /mnt/tracing tracefs rw 0 0\n");
	rig_make(&rig, "mnt/tracing/events");
	rig.env.tick++;
	ck_assert_int_eq(source->test(&rig.env), 0);
	rig_close(&rig);
}
END_TEST

static void put_tracepoint(struct rig *rig, const char *directory, unsigned id)
{
	char path[128];

	snprintf(path, sizeof(path), "mnt/tracing/events/%s", directory);
	rig_make(rig, path);
	snprintf(path, sizeof(path), "mnt/tracing/events/%s/id", directory);
	rig_put(rig, path, "%u\n", id);
}

/* All of these have a file, but names have letters, digits, _ and -, on both sides of one colon. */
START_TEST(tracepoints_have_plain_names)
{
	static const char *const none[] = { NULL };
	static const char *const odd[] = { "a`:x", "a{:x", "a@:x", "a[:x", "a/:x", "..:x", "a.:x",
					   "a:x`", "a:x{", "a:x@", "a:x[", "a:x/", "a:..", ":x" };
	struct counter_events events = { 0 };
	struct rig rig;

	rig_open(&rig, "hybrid", none);
	rig_make(&rig, "proc");
	rig_put(&rig, "proc/mounts", "tracefs /mnt/tracing tracefs rw 0 0\n");
	put_tracepoint(&rig, "azAZ09_-/-_90ZAza", 77);
	for (size_t i = 0; i < sizeof(odd) / sizeof(odd[0]); i++) {
		char directory[16];

		snprintf(directory, sizeof(directory), "%s", odd[i]);
		*strchr(directory, ':') = '/';
		put_tracepoint(&rig, directory, 88);
	}
	counter_events_named(&events, &rig.env, "azAZ09_-:-_90ZAza");
	ck_assert_uint_eq(events.count, 1);
	ck_assert_ptr_null(events.list[0].why);
	ck_assert_uint_eq(events.list[0].attr.type, PERF_TYPE_TRACEPOINT);
	ck_assert_uint_eq(events.list[0].attr.config, 77);
	counter_events_free(&events);
	for (size_t i = 0; i < sizeof(odd) / sizeof(odd[0]); i++) {
		counter_events_named(&events, &rig.env, odd[i]);
		ck_assert_uint_eq(events.count, 1);
		ck_assert_ptr_nonnull(events.list[0].why);
		ck_assert_msg(events.list[0].attr.config != 88, "%s is a tracepoint", odd[i]);
		counter_events_free(&events);
	}
	rig_close(&rig);
}
END_TEST

/* Faults of our own are among them; each says what it counts. */
START_TEST(events_of_pages_are_counted_and_explained)
{
	static const char *const names[] = { "page_event", NULL };
	struct machine machine = { 0 };
	const struct table *table;
	const void *faults;
	uint64_t before;

	open_machine(&machine, names);
	next_tick(&machine);
	table = frame_table(machine.now, "page_event");
	faults = table ? table_find(table, "page-faults", NULL) : NULL;
	if (!faults) {
		close_machine(&machine);
		skip_test("events of the whole machine may not be counted");
	}
	ck_assert_str_eq(table_text(table, faults, "meaning"), "all page faults");
	before = table_u64(table, faults, "total");
	touch_pages(3000);
	next_tick(&machine);
	table = frame_table(machine.now, "page_event");
	ck_assert_uint_ge(table_u64(table, table_find(table, "page-faults", NULL), "total"), before + 3000);
	for (size_t i = 0; i < table->n_rows; i++)
		ck_assert_str_ne(table_text(table, table_row(table, i), "meaning"), "");
	close_machine(&machine);
}
END_TEST

START_TEST(what_may_not_be_counted_has_its_remedy)
{
	struct live live;
	struct sample sample = {
		.topic = &topic_page_event, .env = &live.env, .settings = &live.settings.topic
	};
	const struct source_spec *source = topic_source(&topic_page_event, "perf_event_open");
	const struct notice *notice;

	ck_assert_ptr_nonnull(source);
	live_open(&live, "/", NULL);
	if (geteuid() == 0 &&
	    (setresgid(NOBODY, NOBODY, NOBODY) < 0 || setresuid(NOBODY, NOBODY, NOBODY) < 0))
		skip_test("the user cannot be changed: %s", strerror(errno));
	ck_assert_int_eq(topic_open(&sample), 0);
	ck_assert_int_eq(topic_sample(&sample, &live.frame,
						 frame_slot(&live.frame, "page_event")),
			 0);
	notice = find_notice(&live, "Permission denied");
	ck_assert_int_eq(source->test(&live.env), notice ? -EACCES : 0);
	if (!notice)
		skip_test("every user may count here");
	ck_assert_ptr_nonnull(strstr(notice->remedy, "cap_perfmon"));
	topic_close(&sample);
	live_close(&live);
}
END_TEST

START_TEST(counters_are_of_the_running_machine)
{
	struct frame frame;
	struct env env;
	struct sample sample = { .topic = &topic_counter, .env = &env, .settings = usual_settings() };

	ck_assert_int_eq(env_open(&env, fixture_root("linux-6.1", 0)), 0);
	frame_open(&frame, &topic_counter.schema, 1);
	ck_assert_int_eq(topic_open(&sample), 0);
	ck_assert_int_eq(topic_sample(&sample, &frame, &frame.tables[0]), -ENOTSUP);
	ck_assert_str_eq(env_failed_path(&env, -ENOTSUP), "perf_event_open");
	ck_assert_ptr_nonnull(source_remedy(&env, topic_source(&topic_counter, "perf_event_open"), ENOTSUP));
	topic_close(&sample);
	frame_close(&frame);
	env_close(&env);
}
END_TEST

START_TEST(units_count_on_their_own_cpus)
{
	struct counter_pmus pmus;
	struct env env;

	ck_assert_int_eq(env_open(&env, fixture_root("hybrid", 0)), 0);
	counter_pmus_read(&pmus, &env);
	ck_assert_uint_eq(pmus.count, 3);
	ck_assert_uint_eq(counter_pmu_of_core(&pmus, 3), 4);
	ck_assert_uint_eq(counter_pmu_of_core(&pmus, 4), 10);
	ck_assert_uint_eq(counter_pmu_of_core(&pmus, 8), 0);
	ck_assert(counter_pmu_counts_on(&pmus, 10, 5) && !counter_pmu_counts_on(&pmus, 10, 3));
	ck_assert(counter_pmu_counts_on(&pmus, 21, 0) && !counter_pmu_counts_on(&pmus, 21, 1));
	ck_assert(counter_pmu_counts_on(&pmus, PERF_TYPE_SOFTWARE, 7));
	counter_pmus_free(&pmus);
	env_close(&env);
}
END_TEST

/* As sysfs has them. */
START_TEST(units_may_be_links)
{
	static const char *const names[] = { NULL };
	struct counter_pmus pmus;
	char path[512];
	struct rig rig;

	rig_open(&rig, "hybrid", names);
	rig_make(&rig, "sys/devices/uncore");
	rig_put(&rig, "sys/devices/uncore/type", "33\n");
	rig_put(&rig, "sys/devices/uncore/cpumask", "2\n");
	snprintf(path, sizeof(path), "%s/sys/bus/event_source/devices/uncore", rig.root);
	ck_assert_int_eq(symlink("../../../devices/uncore", path), 0);
	counter_pmus_read(&pmus, &rig.env);
	ck_assert_uint_eq(pmus.count, 4);
	ck_assert(counter_pmu_counts_on(&pmus, 33, 2) && !counter_pmu_counts_on(&pmus, 33, 0));
	counter_pmus_free(&pmus);
	rig_close(&rig);
}
END_TEST

START_TEST(shares_are_counted_with_their_whole)
{
	struct counter_events events = { 0 };
	const struct counter_event *list = events.list;
	struct env env;

	ck_assert_int_eq(env_open(&env, fixture_root("hybrid", 0)), 0);
	counter_events_hardware(&events);
	ck_assert_uint_eq(events.count, 6);
	for (unsigned i = 0; i < 6; i += 2) {
		ck_assert(list[i].base == -1 && list[i + 1].base == (int)i);
		ck_assert(list[i].group == i && list[i + 1].group == i);
	}
	ck_assert(list[1].per_cycle && !list[3].per_cycle);
	counter_events_free(&events);
	counter_events_named(&events, &env,
			     "instructions, page-faults ,branches,context-switches,cycles,cycles");
	ck_assert_uint_eq(events.count, 5);
	ck_assert_str_eq(list[1].name, "page-faults");
	ck_assert(list[0].base == 4 && list[0].per_cycle && list[0].group == list[4].group);
	ck_assert_uint_eq(list[1].group, list[3].group);
	ck_assert_uint_ne(list[2].group, list[0].group);
	counter_events_free(&events);
	env_close(&env);
}
END_TEST

START_TEST(more_names_than_there_is_room_for)
{
	struct counter_events events = { 0 };
	char names[40 * 8] = "";
	struct env env;

	for (int i = 0; i < 40; i++)
		snprintf(names + strlen(names), sizeof(names) - strlen(names), "%c%d", i ? ',' : ' ', i);
	ck_assert_int_eq(env_open(&env, fixture_root("hybrid", 0)), 0);
	counter_events_named(&events, &env, names);
	ck_assert_uint_eq(events.count, COUNTER_EVENTS_MAX);
	ck_assert_uint_eq(events.surplus, 40 - COUNTER_EVENTS_MAX);
	counter_events_free(&events);
	env_close(&env);
}
END_TEST

START_TEST(a_name_twice_is_one_event)
{
	struct counter_events events = { 0 };
	struct env env;

	ck_assert_int_eq(env_open(&env, fixture_root("hybrid", 0)), 0);
	counter_events_named(&events, &env, "page-faults, page-faults\t,task-clock,,page-faults");
	ck_assert_uint_eq(events.count, 2);
	counter_events_free(&events);
	env_close(&env);
}
END_TEST

/* What the next read of a group of two events will give. */
static void give(int fd, uint64_t enabled, uint64_t running, uint64_t one, uint64_t other)
{
	const uint64_t words[] = { 2, enabled, running, one, other };

	ck_assert_int_eq(pwrite(fd, words, sizeof(words), 0), sizeof(words));
	ck_assert_int_eq(lseek(fd, 0, SEEK_SET), 0);
}

START_TEST(totals_of_shared_counters_never_shrink)
{
	struct counter_events events = { .list = { { .base = -1 }, { .base = 0 } }, .count = 2 };
	struct env env = { .counters = { .n_open = 2 } };
	struct counter_set cpu = { .env = &env, .files = 2 };
	int fd = memfd_create("group", MFD_CLOEXEC);

	for (unsigned i = 0; i < COUNTER_EVENTS_MAX; i++)
		cpu.cells[i].fd = -ENODEV;
	cpu.cells[0].fd = fd;
	cpu.cells[1].fd = memfd_create("other", MFD_CLOEXEC);
	give(fd, 100, 50, 10, 20);
	counter_set_read(&cpu, &events);
	ck_assert(cpu.cells[0].known && cpu.cells[0].total == 20 && cpu.cells[1].total == 40);
	give(fd, 200, 150, 10, 21); /* 10 * 200 / 150 would be 13 */
	counter_set_read(&cpu, &events);
	ck_assert(cpu.cells[0].total == 20 && cpu.cells[1].total == 41);
	give(fd, 300, 150, 10, 21);
	counter_set_read(&cpu, &events);
	ck_assert(!cpu.cells[0].known && !cpu.cells[1].known);
	give(fd, 400, 200, 30, 21); /* the time in which it did not run is made up for */
	counter_set_read(&cpu, &events);
	ck_assert(cpu.cells[0].known && cpu.cells[0].total == 100 && cpu.cells[1].total == 41);
	counter_set_read(&cpu, &events); /* the end of the file: as of a CPU that was switched off */
	ck_assert(cpu.files == 0 && cpu.cells[0].fd == -EAGAIN && cpu.cells[0].total == 0);
	ck_assert(counter_is_lost(cpu.cells[0].fd));
}
END_TEST
