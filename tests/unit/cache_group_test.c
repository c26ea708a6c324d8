/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Tests of groups of resctrl: their files, machines of several makers, and the group for one process. */
#include <config.h>

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "kernel/resctrl.h"
#include "pane/cpu/cache_story.h"
#include "rig.h"

#define ROOT "sys/fs/resctrl"
#define MONITORS ROOT "/mon_groups"

static const char *const topic[] = { "cache_group", NULL };

/* What the kernel does: a new group has its files, and goes with them. */
static struct {
	int refuses;       /* a positive errno of mkdirat(2) */
	const char *tasks; /* what its file with this name leads to; NULL: it is a file */
	char started[512]; /* a thread that starts when the first one is moved; empty: none */
	unsigned made, removed;
} kernel;

ssize_t write(int fd, const void *bytes, size_t length)
{
	if (kernel.made > 0 && *kernel.started) {
		syscall(SYS_mkdirat, AT_FDCWD, kernel.started, 0755);
		kernel.started[0] = '\0';
	}
	return syscall(SYS_write, fd, bytes, length);
}

static bool is_group(const char *path)
{
	return strstr(path, "mon_groups/panetop-") != NULL;
}

int mkdirat(int directory, const char *path, mode_t mode)
{
	char tasks[1024];
	int fd;

	if (is_group(path) && kernel.refuses) {
		errno = kernel.refuses;
		return -1;
	}
	if (syscall(SYS_mkdirat, directory, path, mode) < 0)
		return -1;
	if (!is_group(path))
		return 0;
	kernel.made++;
	snprintf(tasks, sizeof(tasks), "%s/tasks", path);
	if (kernel.tasks)
		return symlinkat(kernel.tasks, directory, tasks);
	fd = openat(directory, tasks, O_CREAT | O_WRONLY, 0600);
	close(fd);
	return 0;
}

int unlinkat(int directory, const char *path, int flags)
{
	char tasks[1024];

	if (is_group(path) && (flags & AT_REMOVEDIR)) {
		snprintf(tasks, sizeof(tasks), "%s/tasks", path);
		syscall(SYS_unlinkat, directory, tasks, 0);
		kernel.removed++;
	}
	return (int)syscall(SYS_unlinkat, directory, path, flags);
}

/* The machine at its second tick, two seconds behind the first. */
static const struct frame *sample_both(struct rig *rig, const char *fixture)
{
	rig_open(rig, fixture, topic);
	rig_sample(rig, 2);
	rig_tick(rig, 1);
	return rig_sample(rig, 2);
}

static const void *find(const struct frame *frame, const char *group, const char *domain)
{
	const void *row = table_find(frame_table(frame, "cache_group"), group, domain);

	ck_assert_msg(row != NULL, "no row %s %s", group, domain);
	return row;
}

static double number(const struct frame *frame, const char *group, const char *domain, const char *column)
{
	return table_number(frame_table(frame, "cache_group"), find(frame, group, domain), column);
}

static const char *text(const struct frame *frame, const char *group, const char *domain, const char *column)
{
	return table_text(frame_table(frame, "cache_group"), find(frame, group, domain), column);
}

START_TEST(amd_with_counters_that_are_assigned)
{
	const struct frame *now;
	struct rig rig;
	const struct table *table;

	now = sample_both(&rig, "resctrl-amd");
	table = frame_table(now, "cache_group");
	ck_assert(number(now, "/", "0", "total_bytes_per_second") == 2e9);
	ck_assert(isnan(number(now, "batch", "0", "total_bytes")));
	ck_assert(isnan(number(now, "batch", "0", "total_bytes_per_second")));
	ck_assert_str_eq(text(now, "batch", "0", "note"), "no counter is assigned to it");
	ck_assert(number(now, "batch", "0", "occupancy_bytes") == 7e6);
	ck_assert_str_eq(text(&rig.frames[1 - rig.present], "batch", "4", "note"),
			 "the CPU has no value at present");
	ck_assert(number(now, "batch", "4", "total_bytes") == 1e6);
	ck_assert(isnan(number(now, "batch", "4", "total_bytes_per_second"))); /* unknown before: no rate */
	ck_assert(number(now, "batch", "0", "limit_bytes_per_second") == 312.5e9);
	ck_assert(
		row_is_blank(find(now, "batch", "4"), schema_find(table->schema, "limit_bytes_per_second")));
	ck_assert(isnan(number(now, "batch", "0", "throttle_ratio")));
	rig_close(&rig);
}

START_TEST(tasks_are_counted_where_they_are_shown)
{
	const struct frame *frame;
	struct rig rig;

	rig_open(&rig, "resctrl-intel", topic);
	sample_request_add(&rig.request, topic_find("cache_group")->schema, 1UL << 1);
	frame = rig_sample(&rig, 2);
	ck_assert(number(frame, "/", "0", "tasks") == 5);
	ck_assert(number(frame, "web/mon_groups/db", "1", "tasks") == 1);
	rig_close(&rig);
}

START_TEST(without_a_mount_it_says_how_to_mount)
{
	const struct topic *cache = topic_find("cache_group");
	const struct source_spec *source = topic_source(cache, ROOT);
	struct rig rig;
	struct sample sample;

	rig_open(&rig, "empty", (const char *const[]){ NULL });
	sample = (struct sample){ .topic = cache, .env = &rig.env, .request = &rig.request };
	ck_assert_int_eq(topic_open(&sample), -ENODEV);
	ck_assert_str_eq(env_failed_path(&rig.env, -ENODEV), ROOT);
	ck_assert_ptr_nonnull(source_unused(&rig.env, source, ENODEV));
	rig_make(&rig, ROOT);
	ck_assert_int_eq(topic_open(&sample), -ENOENT);
	ck_assert_ptr_nonnull(strstr(source_remedy(&rig.env, source, ENOENT), "mount -t resctrl"));
	topic_forget(&sample);
	rig_close(&rig);
}

static void put_group(struct rig *rig, const char *group, const char *total)
{
	rig_make(rig, textf(ROOT "%s%s/mon_data/mon_L3_00", *group ? "/" : "", group));
	rig_put(rig, textf(ROOT "%s%s/mon_data/mon_L3_00/mbm_total_bytes", *group ? "/" : "", group), "%s\n",
		total);
}

static void open_rig(struct rig *rig)
{
	rig_open(rig, "empty", (const char *const[]){ NULL });
	rig_make(rig, ROOT "/info/L3_MON");
	rig_make(rig, MONITORS);
	put_group(rig, "", "1000");
}

START_TEST(rates_are_never_negative)
{
	static const char *const totals[] = { "5000", "7000", "100", "300", "Unavailable", "400", "900" };
	static const double rates[] = { NAN, 1000, NAN, 100, NAN, NAN, 250 };
	struct rig rig;

	open_rig(&rig);
	put_group(&rig, "g", totals[0]);
	rig_add(&rig, "cache_group");
	for (size_t i = 0; i < sizeof(totals) / sizeof(totals[0]); i++) {
		double rate;

		put_group(&rig, "g", totals[i]);
		rate = number(rig_sample(&rig, 2), "g", "0", "total_bytes_per_second");
		ck_assert_msg(isnan(rates[i]) ? isnan(rate) : rate == rates[i], "%zu: %g", i, rate);
	}
	rig_close(&rig);
}

START_TEST(another_group_of_the_same_name_begins_again)
{
	struct rig rig;
	const struct frame *frame;

	open_rig(&rig);
	put_group(&rig, "g", "5000");
	rig_add(&rig, "cache_group");
	rig_sample(&rig, 2);
	rig_make(&rig, "keep"); /* so that the directory gets another inode */
	ck_assert_int_eq(renameat(rig.env.root.fd, ROOT "/g", rig.env.root.fd, "keep/g"), 0);
	put_group(&rig, "g", "900000");
	frame = rig_sample(&rig, 2);
	ck_assert(isnan(number(frame, "g", "0", "total_bytes_per_second")));
	ck_assert(isnan(number(frame, "g", "0", "total_bytes")));
	put_group(&rig, "g", "902000");
	rig_sample(&rig, 2);
	put_group(&rig, "g", "904000");
	frame = rig_sample(&rig, 2);
	ck_assert(number(frame, "g", "0", "total_bytes_per_second") == 1000);
	ck_assert(number(frame, "/", "0", "total_bytes_per_second") == 0);
	rig_remove(&rig, ROOT "/g");
	frame = rig_sample(&rig, 2);
	ck_assert_ptr_null(table_find(frame_table(frame, "cache_group"), "g", "0"));
	rig_close(&rig);
}

START_TEST(names_of_groups_have_any_byte)
{
	static const char *const names[] = { "two words", ".hidden",   "\xff\xfe",
					     "tab\there", "mon_L3_00", "%s" };
	const struct frame *frame;
	struct rig rig;

	open_rig(&rig);
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		put_group(&rig, names[i], "0");
	rig_add(&rig, "cache_group");
	put_group(&rig, "mon_groups/.of root", "0");
	frame = rig_sample(&rig, 2);
	ck_assert_uint_eq(frame_table(frame, "cache_group")->n_rows, 8);
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		ck_assert_str_eq(text(frame, names[i], "0", "kind"), "control");
	ck_assert_str_eq(text(frame, "mon_groups/.of root", "0", "kind"), "monitor");
	rig_close(&rig);
}

/* A machine of one cache, whose groups are set by the test. */
struct scene {
	struct frame frame;
	struct cache_sentence sentences[CACHE_STORY_MAX];
	unsigned n;
};

struct group {
	const char *name, *kind, *mask;
	double rate, throttle;
};

static void tell(struct scene *scene, const struct group *groups)
{
	const struct schema *schema;
	struct table *table;

	frame_open(&scene->frame, topic_schemas(), n_topics);
	table = frame_slot(&scene->frame, "cache_group");
	schema = table->schema;
	for (; groups->name; groups++) {
		void *row = table_add(table);

		row_set_text(row, schema_find(schema, "group"), groups->name);
		row_set_text(row, schema_find(schema, "domain"), "0");
		row_set_text(row, schema_find(schema, "kind"), groups->kind);
		row_set_text(row, schema_find(schema, "mask"), groups->mask);
		row_set_f64(row, schema_find(schema, "total_bytes_per_second"), groups->rate);
		row_set_f64(row, schema_find(schema, "throttle_ratio"), groups->throttle);
		row_set_u64(row, schema_find(schema, "total_bytes"), 1);
		row_set_u64(row, schema_find(schema, "occupancy_bytes"), 1);
		row_set_u64(row, schema_find(schema, "ways"), groups->mask ? 4 : U64_UNKNOWN);
	}
	scene->n = cache_story(table, scene->sentences);
}

static void check_noise(const struct group *groups, const char *wanted)
{
	struct scene scene;

	tell(&scene, groups);
	if (wanted)
		ck_assert_msg(scene.n > 0 && scene.sentences[0].warns &&
				      strcmp(scene.sentences[0].text, wanted) == 0,
			      "%s", scene.n > 0 ? scene.sentences[0].text : "nothing");
	else
		ck_assert_msg(scene.n == 0 || !scene.sentences[0].warns, "%s", scene.sentences[0].text);
	frame_close(&scene.frame);
}

#define GROUPS(...) ((const struct group[]){ __VA_ARGS__, { 0 } })

START_TEST(a_noisy_neighbour_is_named)
{
	check_noise(GROUPS({ "/", "control", "0ff", 1e9, 1 }, { "noisy", "control", "00f", 9e9, 1 }),
		    "noisy is a noisy neighbour: it moves 8.3 GiB/s of L3 0, 90 % of all, and shares 4 ways "
		    "with /");
	check_noise(GROUPS({ "/", "control", NULL, 1e9, NAN }, { "noisy", "control", NULL, 9e9, NAN }),
		    "noisy is a noisy neighbour: it moves 8.3 GiB/s of L3 0, 90 % of all, and shares the "
		    "cache with /");
	check_noise(GROUPS({ "/", "control", "0f0", 1e9, 1 }, { "noisy", "control", "00f", 9e9, 1 }),
		    "noisy is a noisy neighbour: it moves 8.3 GiB/s of L3 0, 90 % of all; it shares no ways "
		    "with /, "
		    "but nothing limits its bandwidth (MB)");
	check_noise(GROUPS({ "/", "control", "f", 9e9, 1 }, { "mon_groups/job", "monitor", "f", 8e9, 1 }),
		    "mon_groups/job is a noisy neighbour: it moves 7.4 GiB/s of L3 0, 89 % of all, and "
		    "shares 4 ways "
		    "with /");
	/* of two neighbours the one that shares ways, though the other moves more */
	check_noise(GROUPS({ "a", "control", "0f0", 2e9, 1 }, { "b", "control", "00c", 1e9, 1 },
			   { "noisy", "control", "00f", 9e9, 1 }),
		    "noisy is a noisy neighbour: it moves 8.3 GiB/s of L3 0, 75 % of all, and shares 2 ways "
		    "with b");
}

START_TEST(what_is_no_noise)
{
	/* most of little */
	check_noise(GROUPS({ "/", "control", "ff", 2e7, 1 }, { "noisy", "control", "0f", 9e8, 1 }), NULL);
	/* not most: 60 % */
	check_noise(GROUPS({ "/", "control", "ff", 4e9, 1 }, { "noisy", "control", "0f", 6e9, 1 }), NULL);
	/* no neighbour does anything */
	check_noise(GROUPS({ "/", "control", "ff", 9e6, 1 }, { "noisy", "control", "0f", 9e9, 1 }), NULL);
	check_noise(GROUPS({ "/", "control", "ff", 9e9, 1 }), NULL);
	/* apart, and limited */
	check_noise(GROUPS({ "/", "control", "f0", 1e9, 1 }, { "noisy", "control", "0f", 9e9, 0.5 }), NULL);
	/* apart, and bandwidth cannot be limited here */
	check_noise(GROUPS({ "/", "control", "f0", 1e9, NAN }, { "noisy", "control", "0f", 9e9, NAN }), NULL);
	/* the ways of one of them are not known */
	check_noise(GROUPS({ "/", "control", NULL, 1e9, 1 }, { "noisy", "control", "0f", 9e9, 1 }), NULL);
	/* what the other moves is not known: the share is not known either */
	check_noise(GROUPS({ "/", "control", "ff", NAN, 1 }, { "noisy", "control", "0f", 9e9, 1 }), NULL);
	/* the rest of its control group is idle */
	check_noise(GROUPS({ "/", "control", "f", 9e9, 1 }, { "mon_groups/job", "monitor", "f", 8.995e9, 1 }),
		    NULL);
}

START_TEST(what_a_machine_does_not_count_is_said)
{
	static const struct {
		const char *fixture;
		const char *said[2];
	} machines[] = {
		{ "resctrl-intel", { NULL } },
		{ "resctrl-amd", { NULL } },
		{ "resctrl-snc", { NULL } },
		{ "resctrl-cdp", { "neither what a group occupies nor what it moves", NULL } },
		{ "resctrl-monitor", { "does not count what a group moves", "Caches are not divided" } },
	};

	for (size_t m = 0; m < sizeof(machines) / sizeof(machines[0]); m++) {
		struct cache_sentence sentences[CACHE_STORY_MAX];
		struct frame frame;
		unsigned n, said = 0;

		sample_fixture(&frame, machines[m].fixture, 0, topic);
		n = cache_story(frame_table(&frame, "cache_group"), sentences);
		while (said < 2 && machines[m].said[said])
			said++;
		ck_assert_msg(n == said, "%s: %u sentences", machines[m].fixture, n);
		for (unsigned i = 0; i < n; i++)
			ck_assert_ptr_nonnull(strstr(sentences[i].text, machines[m].said[i]));
		frame_close(&frame);
	}
}

START_TEST(the_story_of_a_fixture)
{
	struct cache_sentence sentences[CACHE_STORY_MAX];
	const struct frame *now;
	struct rig rig;

	now = sample_both(&rig, "resctrl-intel");
	ck_assert_uint_eq(cache_story(frame_table(now, "cache_group"), sentences), 1);
	ck_assert_str_eq(sentences[0].text, "noisy is a noisy neighbour: it moves 8.3 GiB/s of L3 0, 90 % of "
					    "all, and shares 1 way with /");
	rig_close(&rig);
}

#define START_TICKS 4200

/* A process of the rig, with its threads: "7 8 9". */
static void put_process(struct rig *rig, unsigned pid, unsigned start_ticks, const char *threads,
			const char *groups)
{
	struct span left = span_text(threads), thread;

	rig_make(rig, textf("proc/%u/task", pid));
	rig_put(rig, textf("proc/%u/stat", pid), "%u (it) S 1 1 1 0 -1 0 0 0 0 0 0 0 0 0 20 0 1 0 %u 0 0\n",
		pid, start_ticks);
	rig_put(rig, textf("proc/%u/comm", pid), "it\n");
	rig_put(rig, textf("proc/%u/cpu_resctrl_groups", pid), "%s", groups);
	while (span_word(&left, &thread))
		rig_make(rig, textf("proc/%u/task/%.*s", pid, (int)span_length(thread), thread.at));
}

static void open_monitors(struct rig *rig)
{
	memset(&kernel, 0, sizeof(kernel));
	open_rig(rig);
	rig->env.own_pid = (uint32_t)getpid();
	put_process(rig, rig->env.own_pid, 777, "", "res:/\nmon:\n");
	put_process(rig, 4711, START_TICKS, "4711 4712 4790", "res:/\nmon:\n");
}

static int result;

static void note_result(void *context, int error)
{
	(void)context;
	result = error;
}

static int act(struct rig *rig, const char *action)
{
	int error;

	result = 1;
	env_forget_failures(&rig->env);
	error = topic_find("cache_group")->act(&rig->env, action, note_result, NULL);
	return error ? error : result;
}

/* The group that was made there; empty: none. */
static const char *made_group(struct rig *rig, const char *control)
{
	static char name[256];
	struct dirent *entry;
	DIR *directory;

	directory = opendir(textf("%s/" ROOT "%s%s/mon_groups", rig->root, *control ? "/" : "", control));
	name[0] = '\0';
	while (directory && (entry = readdir(directory)))
		if (strncmp(entry->d_name, "panetop-", 8) == 0)
			snprintf(name, sizeof(name), "%s", entry->d_name);
	if (directory)
		closedir(directory);
	return name;
}

static int compare_lines(const void *one, const void *other)
{
	return strcmp(one, other);
}

static void check_tasks(struct rig *rig, const char *group)
{
	char path[512], lines[3][16];
	FILE *file;

	snprintf(path, sizeof(path), "%s/" MONITORS "/%s/tasks", rig->root, group);
	file = fopen(path, "r");
	ck_assert(file != NULL);
	for (unsigned i = 0; i < 3; i++)
		ck_assert(fgets(lines[i], sizeof(lines[i]), file) != NULL);
	ck_assert(fgetc(file) == EOF); /* each once */
	fclose(file);
	qsort(lines, 3, sizeof(lines[0]), compare_lines);
	ck_assert_str_eq(lines[0], "4711\n");
	ck_assert_str_eq(lines[1], "4712\n");
	ck_assert_str_eq(lines[2], "4790\n");
}

START_TEST(one_process_is_monitored_until_it_is_ended)
{
	const struct frame *frame;
	char name[256], group[300];
	struct rig rig;

	open_monitors(&rig);
	rig_add(&rig, "cache_group");
	ck_assert_int_eq(topic_find("cache_group")->act(&rig.env, "monitor 4711 42.000000", NULL, NULL), 0);
	ck_assert_uint_eq(kernel.made, 0); /* it only answered */
	ck_assert_int_eq(act(&rig, "monitor 4711 42.000000"), 0);
	snprintf(name, sizeof(name), "%s", made_group(&rig, ""));
	ck_assert_msg(strncmp(name, "panetop-", 8) == 0 && strstr(name, "-777-"), "%s", name);
	check_tasks(&rig, name);
	snprintf(group, sizeof(group), "mon_groups/%s", name);
	put_group(&rig, group, "5");
	frame = rig_sample(&rig, 2);
	ck_assert_str_eq(text(frame, group, "0", "process"), "it (4711)");
	ck_assert_str_eq(text(frame, "/", "0", "process"), "");
	snprintf(group, sizeof(group), MONITORS "/%s/mon_data", name);
	rig_remove(&rig, group);
	ck_assert_int_eq(act(&rig, "end"), 0);
	ck_assert_str_eq(made_group(&rig, ""), "");
	ck_assert_int_eq(act(&rig, "end"), -ENOENT);
	rig_close(&rig);
	ck_assert_uint_eq(kernel.made, 1);
	ck_assert_uint_eq(kernel.removed, 1);
}

START_TEST(a_thread_that_starts_meanwhile_is_moved)
{
	struct rig rig;

	open_monitors(&rig);
	rig_remove(&rig, "proc/4711/task/4712");
	snprintf(kernel.started, sizeof(kernel.started), "%s/proc/4711/task/4712", rig.root);
	ck_assert_int_eq(act(&rig, "monitor 4711 42.000000"), 0);
	check_tasks(&rig, textf("%s", made_group(&rig, "")));
	rig_close(&rig);
}

START_TEST(the_lock_of_another_program_is_respected)
{
	struct rig rig;
	int root;

	open_monitors(&rig);
	root = openat(rig.env.root.fd, ROOT, O_RDONLY | O_DIRECTORY);
	ck_assert_int_eq(flock(root, LOCK_EX), 0);
	ck_assert_int_eq(act(&rig, "monitor 4711 42.000000"), -EAGAIN);
	ck_assert_uint_eq(kernel.made, 0);
	flock(root, LOCK_UN);
	ck_assert_int_eq(act(&rig, "monitor 4711 42.000000"), 0);
	ck_assert_int_eq(flock(root, LOCK_EX | LOCK_NB), 0); /* it does not keep it */
	close(root);
	rig_close(&rig);
}

START_TEST(the_group_goes_when_panetop_ends)
{
	struct rig rig;

	open_monitors(&rig);
	ck_assert_int_eq(act(&rig, "monitor 4711 42.000000"), 0);
	ck_assert_uint_eq(kernel.removed, 0);
	rig_close(&rig);
	ck_assert_uint_eq(kernel.removed, 1);
	ck_assert_str_eq(made_group(&rig, ""), "");
}

START_TEST(another_process_takes_the_place)
{
	struct rig rig;

	open_monitors(&rig);
	put_process(&rig, 4800, START_TICKS, "4800", "res:web\nmon:\n");
	rig_make(&rig, ROOT "/web/mon_groups");
	ck_assert_int_eq(act(&rig, "monitor 4711 42.000000"), 0);
	ck_assert_int_eq(act(&rig, "monitor 4800 42.000000"), 0);
	ck_assert_str_eq(made_group(&rig, ""), "");
	ck_assert_str_ne(made_group(&rig, "web"), "");
	rig_close(&rig);
	ck_assert_str_eq(made_group(&rig, "web"), "");
}

START_TEST(what_cannot_be_monitored_is_left_alone)
{
	struct rig rig;

	open_monitors(&rig);
	put_process(&rig, 4800, START_TICKS, "4800", "res:/\nmon:of the user\n");
	ck_assert_int_eq(act(&rig, "monitor 4800 42.000000"), -EBUSY);
	ck_assert_str_eq(env_failed_path(&rig.env, -EBUSY), "proc/PID/cpu_resctrl_groups");
	ck_assert_int_eq(act(&rig, "monitor 4711 41.000000"), -ESRCH); /* another one with its pid */
	ck_assert_int_eq(act(&rig, "monitor 4999 42.000000"), -ESRCH);
	ck_assert_int_eq(act(&rig, "monitor 4711"), -EINVAL);
	ck_assert_int_eq(act(&rig, "monitor 4711 42.000000 x"), -EINVAL);
	ck_assert_int_eq(act(&rig, "else"), -EINVAL);
	ck_assert_int_eq(act(&rig, ""), -EINVAL);
	rig_put(&rig, "proc/4711/cpu_resctrl_groups", NULL);
	ck_assert_int_eq(act(&rig, "monitor 4711 42.000000"), -ENOSYS);
	ck_assert_uint_eq(kernel.made, 0);
	rig_close(&rig);
}

START_TEST(a_failure_leaves_no_group)
{
	struct rig rig;

	open_monitors(&rig);
	kernel.refuses = ENOSPC;
	ck_assert_int_eq(act(&rig, "monitor 4711 42.000000"), -ENOSPC);
	ck_assert_str_eq(made_group(&rig, ""), "");
	kernel.refuses = 0;
	kernel.tasks = "/dev/full"; /* the first thread is refused */
	ck_assert_int_eq(act(&rig, "monitor 4711 42.000000"), -ENOSPC);
	ck_assert_uint_eq(kernel.made, 1);
	ck_assert_str_eq(made_group(&rig, ""), "");
	ck_assert_int_eq(act(&rig, "end"), -ENOENT);
	rig_close(&rig);
}

static uint32_t ended_pid(void)
{
	pid_t pid = fork();

	if (pid == 0)
		_exit(0);
	ck_assert(pid > 0);
	waitpid(pid, NULL, 0);
	return (uint32_t)pid;
}

static void put_left(struct rig *rig, const char *control, uint32_t pid, unsigned ticks, const char *rest)
{
	rig_make(rig, textf(ROOT "%s%s/mon_groups/panetop-%u-%u-%s", *control ? "/" : "", control, pid, ticks,
		 rest));
}

static bool is_left(struct rig *rig, const char *control, uint32_t pid, unsigned ticks, const char *rest)
{
	char path[512];

	snprintf(path, sizeof(path), ROOT "%s%s/mon_groups/panetop-%u-%u-%s", *control ? "/" : "", control,
		 pid, ticks, rest);
	return env_exists(&rig->env, path);
}

START_TEST(groups_of_a_killed_panetop_go)
{
	char ours[16];
	uint32_t gone, parent = (uint32_t)getppid();
	struct rig rig;

	open_monitors(&rig);
	gone = ended_pid();
	put_process(&rig, parent, 555, "", "res:/\nmon:\n");
	ck_assert_int_eq(act(&rig, "monitor 4711 42.000000"), 0);
	snprintf(ours, sizeof(ours), "%s", strrchr(made_group(&rig, ""), '-') + 1);
	put_left(&rig, "", gone, 1, ours);
	put_left(&rig, "web", gone, 1, ours);
	put_left(&rig, "", parent, 554, ours);   /* its pid is used again */
	put_left(&rig, "", parent, 555, ours);   /* another panetop that runs */
	put_left(&rig, "", gone, 1, "00000000"); /* of other namespaces: its pid means another process */
	put_left(&rig, "", gone, 1, "0000000x");
	put_left(&rig, "", gone, 1, "");
	rig_make(&rig, MONITORS "/of the user");
	rig_make(&rig, ROOT "/panetop-1-1-00000000");
	ck_assert_int_eq(act(&rig, "tidy"), 0);
	ck_assert(!is_left(&rig, "", gone, 1, ours));
	ck_assert(!is_left(&rig, "web", gone, 1, ours));
	ck_assert(!is_left(&rig, "", parent, 554, ours));
	ck_assert(is_left(&rig, "", parent, 555, ours));
	ck_assert(is_left(&rig, "", rig.env.own_pid, 777, ours));
	ck_assert(is_left(&rig, "", gone, 1, "00000000"));
	ck_assert(is_left(&rig, "", gone, 1, "0000000x"));
	ck_assert(is_left(&rig, "", gone, 1, ""));
	ck_assert(env_exists(&rig.env, MONITORS "/of the user"));
	ck_assert(env_exists(&rig.env, ROOT "/panetop-1-1-00000000"));
	ck_assert_uint_eq(kernel.removed, 3);
	rig_close(&rig);
}

START_TEST(read_only_makes_and_removes_nothing)
{
	struct machine machine = { .root = "" };
	const char *remedy;

	open_machine(&machine, (const char *const[]){ NULL });
	machine.request.read_only = true;
	ck_assert_int_eq(machine.source.act(machine.source.state, "cache_group", "monitor 1 0", note_result,
					    NULL, &remedy),
			 -EPERM);
	ck_assert_ptr_nonnull(strstr(remedy, "--read-only"));
	ck_assert_int_eq(
		machine.source.act(machine.source.state, "cache_group", "tidy", note_result, NULL, &remedy),
		-EPERM);
	close_machine(&machine);
}
