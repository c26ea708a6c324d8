/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Tests of groups of resctrl: their files, machines of several makers, and the group for one process. */
#include "rig.h"

#include <dirent.h>
#include <sys/file.h>

#include "kernel/resctrl.h"
#include "pane/common.h"

#define ROOT "sys/fs/resctrl"
#define MONITORS ROOT "/mon_groups"

static const char *const topic[] = { "cache_group", NULL };

static struct rig rig;

/* What the kernel does: a new group has its files, and goes with them. */
static struct {
	int refuses;       /* a positive errno of mkdirat(2); 0 */
	const char *tasks; /* what its file with this name leads to; NULL: it is a file */
	char started[512]; /* a thread that starts when the first one is moved; empty: none */
	unsigned made, removed;
} kernel;

static ssize_t move_thread(int tasks, const void *bytes, size_t length)
{
	if (*kernel.started)
		mkdir(kernel.started, 0755);
	kernel.started[0] = '\0';
	return write(tasks, bytes, length);
}

static int make_group(int directory, const char *path, mode_t mode)
{
	char tasks[1024];

	snprintf(tasks, sizeof(tasks), "%s/tasks", path);
	errno = kernel.refuses;
	if (errno || mkdirat(directory, path, mode) < 0)
		return -1;
	kernel.made++;
	if (kernel.tasks)
		return symlinkat(kernel.tasks, directory, tasks);
	return close(openat(directory, tasks, O_CREAT | O_WRONLY, 0600));
}

static int remove_group(int directory, const char *path, int flags)
{
	char tasks[1024];

	snprintf(tasks, sizeof(tasks), "%s/tasks", path);
	unlinkat(directory, tasks, 0);
	kernel.removed++;
	return unlinkat(directory, path, flags);
}

static const struct machine_calls calls = {
	.mkdirat = make_group, .unlinkat = remove_group, .write = move_thread
};

static const char *text(const struct frame *frame, const char *group, const char *domain, const char *column)
{
	const struct table *table = frame_table(frame, "cache_group");
	const void *row = table_find(table, group, domain);

	ck_assert_msg(row != NULL, "no row %s %s", group, domain);
	return table_text(table, row, column);
}

START_TEST(without_a_mount_it_says_how_to_mount)
{
	const struct topic *cache = topic_find("cache_group");
	const struct source_spec *source = topic_source(cache, ROOT);
	struct sample sample;

	rig_open(&rig, "empty", NULL);
	sample = rig_sample_for(&rig, cache->schema->name);
	ck_assert_int_eq(topic_open(&sample), -ENODEV);
	ck_assert_str_eq(env_failed_path(&rig.env, -ENODEV), ROOT);
	ck_assert_ptr_nonnull(source_unused(&rig.env, source, ENODEV));
	rig_make(&rig, ROOT);
	ck_assert_int_eq(topic_open(&sample), -ENOENT);
	ck_assert_ptr_nonnull(strstr(source_remedy(&rig.env, source, ENOENT), "mount -t resctrl"));
	topic_forget(&sample);
	rig_close(&rig);
}

static void put_group(const char *group, const char *total)
{
	rig_make(&rig, textf(ROOT "%s%s/mon_data/mon_L3_00", *group ? "/" : "", group));
	rig_put(&rig, textf(ROOT "%s%s/mon_data/mon_L3_00/mbm_total_bytes", *group ? "/" : "", group), "%s\n",
		total);
}

static void open_rig(void)
{
	rig_open(&rig, "empty", NULL);
	rig_make(&rig, ROOT "/info/L3_MON");
	rig_make(&rig, MONITORS);
	put_group("", "1000");
}

START_TEST(names_of_groups_have_any_byte)
{
	static const char *const names[] = { "two words", ".hidden",   "\xff\xfe",
					     "tab\there", "mon_L3_00", "%s" };
	const struct frame *frame;

	open_rig();
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		put_group(names[i], "0");
	rig_add(&rig, "cache_group");
	put_group("mon_groups/.of root", "0");
	frame = rig_sample(&rig, 2);
	ck_assert_uint_eq(frame_table(frame, "cache_group")->n_rows, 8);
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		ck_assert_str_eq(text(frame, names[i], "0", "kind"), "control");
	ck_assert_str_eq(text(frame, "mon_groups/.of root", "0", "kind"), "monitor");
	rig_close(&rig);
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
		struct buffer story = { 0 };
		struct span lines, line;
		unsigned n = 0;

		rig_open(&rig, machines[m].fixture, topic);
		ck_assert_uint_eq(cache_story(&story, frame_table(rig_next(&rig), "cache_group")), 0);
		lines = span_of(story.bytes, story.length);
		for (; span_line(&lines, &line); n++)
			ck_assert_ptr_nonnull(strstr(textf("%.*s", (int)span_length(line), line.at),
						     machines[m].said[n] ? machines[m].said[n] : "none"));
		ck_assert_msg(n == 2 || !machines[m].said[n], "%s: %u sentences", machines[m].fixture, n);
		buffer_free(&story);
		rig_close(&rig);
	}
}

#define START_TICKS 4200

/* A process of the rig, with its threads: "7 8 9". */
static void put_process(unsigned pid, unsigned start_ticks, const char *threads, const char *groups)
{
	struct span left = span_text(threads), thread;

	rig_make(&rig, textf("proc/%u/task", pid));
	rig_put(&rig, textf("proc/%u/stat", pid), "%u (it) S 1 1 1 0 -1 0 0 0 0 0 0 0 0 0 20 0 1 0 %u 0 0\n",
		pid, start_ticks);
	rig_put(&rig, textf("proc/%u/comm", pid), "it\n");
	rig_put(&rig, textf("proc/%u/cpu_resctrl_groups", pid), "%s", groups);
	while (span_word(&left, &thread))
		rig_make(&rig, textf("proc/%u/task/%.*s", pid, (int)span_length(thread), thread.at));
}

static void open_monitors(void)
{
	memset(&kernel, 0, sizeof(kernel));
	open_rig();
	rig.env.calls = &calls;
	rig.env.own_pid = (uint32_t)getpid();
	put_process(rig.env.own_pid, 777, "", "res:/\nmon:\n");
	put_process(4711, START_TICKS, "4711 4712 4790", "res:/\nmon:\n");
}

static int result;

static void note_result(void *context, int error)
{
	(void)context;
	result = error;
}

static int act(const char *action)
{
	int error;

	result = 1;
	env_forget_failures(&rig.env);
	error = topic_find("cache_group")->act(&rig.env, action, note_result, NULL);
	return error ? error : result;
}

/* The group that was made there; empty: none. */
static const char *made_group(const char *control)
{
	static char name[256];
	struct dirent *entry;
	DIR *directory;

	directory = opendir(textf("%s/" ROOT "%s%s/mon_groups", rig.root, *control ? "/" : "", control));
	name[0] = '\0';
	while (directory && (entry = readdir(directory)))
		if (strncmp(entry->d_name, "panetop-", 8) == 0)
			snprintf(name, sizeof(name), "%s", entry->d_name);
	if (directory)
		closedir(directory);
	return name;
}

/* All three threads of the process, each once. */
static void check_tasks(void)
{
	const char *path = textf("%s/" MONITORS "/%s/tasks", rig.root, made_group(""));
	char tasks[64];
	FILE *file = fopen(path, "r");

	ck_assert(file != NULL);
	tasks[fread(tasks, 1, sizeof(tasks) - 1, file)] = '\0';
	fclose(file);
	ck_assert_uint_eq(strlen(tasks), 3 * strlen("4711\n"));
	ck_assert(strstr(tasks, "4711\n") && strstr(tasks, "4712\n") && strstr(tasks, "4790\n"));
}

START_TEST(one_process_is_monitored_until_it_is_ended)
{
	const struct frame *frame;
	char name[256], group[300];

	open_monitors();
	rig_add(&rig, "cache_group");
	ck_assert_int_eq(topic_find("cache_group")->act(&rig.env, "monitor 4711 42.000000", NULL, NULL), 0);
	ck_assert_uint_eq(kernel.made, 0); /* it only answered */
	ck_assert_int_eq(act("monitor 4711 42.000000"), 0);
	snprintf(name, sizeof(name), "%s", made_group(""));
	ck_assert_msg(strncmp(name, "panetop-", 8) == 0 && strstr(name, "-777-"), "%s", name);
	check_tasks();
	snprintf(group, sizeof(group), "mon_groups/%s", name);
	put_group(group, "5");
	frame = rig_sample(&rig, 2);
	ck_assert_str_eq(text(frame, group, "0", "process"), "it (4711)");
	ck_assert_str_eq(text(frame, "/", "0", "process"), "");
	snprintf(group, sizeof(group), MONITORS "/%s/mon_data", name);
	rig_remove(&rig, group);
	ck_assert_int_eq(act("end"), 0);
	ck_assert_str_eq(made_group(""), "");
	ck_assert_int_eq(act("end"), -ENOENT);
	rig_close(&rig);
	ck_assert_uint_eq(kernel.made, 1);
	ck_assert_uint_eq(kernel.removed, 1);
}

START_TEST(a_thread_that_starts_meanwhile_is_moved)
{
	open_monitors();
	rig_remove(&rig, "proc/4711/task/4712");
	snprintf(kernel.started, sizeof(kernel.started), "%s/proc/4711/task/4712", rig.root);
	ck_assert_int_eq(act("monitor 4711 42.000000"), 0);
	check_tasks();
	rig_close(&rig);
}

START_TEST(another_process_takes_the_place)
{
	open_monitors();
	put_process(4800, START_TICKS, "4800", "res:web\nmon:\n");
	rig_make(&rig, ROOT "/web/mon_groups");
	ck_assert_int_eq(act("monitor 4711 42.000000"), 0);
	ck_assert_int_eq(act("monitor 4800 42.000000"), 0);
	ck_assert_str_eq(made_group(""), "");
	ck_assert_str_ne(made_group("web"), "");
	rig_close(&rig);
	ck_assert_str_eq(made_group("web"), "");
}

START_TEST(the_lock_of_another_program_is_respected)
{
	int root;

	open_monitors();
	root = openat(rig.env.root.fd, ROOT, O_RDONLY | O_DIRECTORY);
	ck_assert_int_eq(flock(root, LOCK_EX), 0);
	ck_assert_int_eq(act("monitor 4711 42.000000"), -EAGAIN);
	ck_assert_uint_eq(kernel.made, 0);
	flock(root, LOCK_UN);
	ck_assert_int_eq(act("monitor 4711 42.000000"), 0);
	ck_assert_int_eq(flock(root, LOCK_EX | LOCK_NB), 0); /* it does not keep it */
	close(root);
	ck_assert_uint_eq(kernel.removed, 0);
	rig_close(&rig); /* the group goes when panetop ends */
	ck_assert_uint_eq(kernel.removed, 1);
	ck_assert_str_eq(made_group(""), "");
}

START_TEST(what_cannot_be_monitored_is_left_alone)
{
	static const struct {
		const char *action;
		int error;
	} cases[] = {
		{ "monitor 4800 42.000000", -EBUSY },
		{ "monitor 4711 41.000000", -ESRCH }, /* another one with its pid */
		{ "monitor 4999 42.000000", -ESRCH },
		{ "monitor 4711", -EINVAL },
		{ "monitor 4711 42.000000 x", -EINVAL },
		{ "else", -EINVAL },
		{ "", -EINVAL },
	};

	open_monitors();
	put_process(4800, START_TICKS, "4800", "res:/\nmon:of the user\n");
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		ck_assert_msg(act(cases[i].action) == cases[i].error, "%s", cases[i].action);
	rig_put(&rig, "proc/4711/cpu_resctrl_groups", NULL);
	ck_assert_int_eq(act("monitor 4711 42.000000"), -ENOSYS);
	ck_assert_uint_eq(kernel.made, 0);
	rig_close(&rig);
}

START_TEST(a_failure_leaves_no_group)
{
	open_monitors();
	kernel.refuses = ENOSPC;
	ck_assert_int_eq(act("monitor 4711 42.000000"), -ENOSPC);
	kernel.refuses = 0;
	kernel.tasks = "/dev/full"; /* the first thread is refused */
	ck_assert_int_eq(act("monitor 4711 42.000000"), -ENOSPC);
	ck_assert_uint_eq(kernel.made, 1);
	ck_assert_str_eq(made_group(""), "");
	ck_assert_int_eq(act("end"), -ENOENT);
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

START_TEST(groups_of_a_killed_panetop_go)
{
	uint32_t gone, parent = (uint32_t)getppid();
	char ours[16]; /* its namespaces */

	open_monitors();
	gone = ended_pid();
	put_process(parent, 555, "", "res:/\nmon:\n");
	ck_assert_int_eq(act("monitor 4711 42.000000"), 0);
	snprintf(ours, sizeof(ours), "%s", strrchr(made_group(""), '-') + 1);
	const struct {
		const char *name;
		bool stays;
	} groups[] = {
		{ textf(MONITORS "/panetop-%u-1-%s", gone, ours), false },
		{ textf(ROOT "/web/mon_groups/panetop-%u-1-%s", gone, ours), false },
		{ textf(MONITORS "/panetop-%u-554-%s", parent, ours), false }, /* its pid is used again */
		{ textf(MONITORS "/panetop-%u-555-%s", parent, ours), true },  /* another one that runs */
		{ textf(MONITORS "/panetop-%u-1-00000000", gone), true }, /* of other namespaces */
		{ textf(MONITORS "/panetop-%u-1-0000000x", gone), true },
		{ textf(MONITORS "/panetop-%u-1-", gone), true },
		{ MONITORS "/of the user", true },
		{ ROOT "/panetop-1-1-00000000", true },
	};
	for (size_t i = 0; i < sizeof(groups) / sizeof(groups[0]); i++)
		rig_make(&rig, groups[i].name);
	ck_assert_int_eq(act("tidy"), 0);
	for (size_t i = 0; i < sizeof(groups) / sizeof(groups[0]); i++)
		ck_assert_msg(env_exists(&rig.env, groups[i].name) == groups[i].stays, "%s", groups[i].name);
	ck_assert_str_ne(made_group(""), "");
	ck_assert_uint_eq(kernel.removed, 3);
	rig_close(&rig);
}

START_TEST(read_only_makes_and_removes_nothing)
{
	static const char *const orders[] = { "monitor 1 0", "tidy" };
	const char *remedy;

	rig_open_live(&rig, NULL);
	rig.request.read_only = true;
	for (unsigned i = 0; i < 2; i++) {
		ck_assert_int_eq(rig.source.act(rig.source.state, "cache_group", orders[i],
						    note_result, NULL, &remedy), -EPERM);
		ck_assert_ptr_nonnull(strstr(remedy, "--read-only"));
	}
	rig_close(&rig);
}
