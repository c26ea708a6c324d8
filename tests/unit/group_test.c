/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The topic group: many groups that are read in turns, hostile names, and where engines keep names. */
#include "rig.h"

#include "topic/group/container_name.h"
#include "topic/group/group_tree.h"

#define CG "sys/fs/cgroup"
#define ID "4f0c1e5a77b2d3914f0c1e5a77b2d3914f0c1e5a77b2d3914f0c1e5a77b2d391"
#define MIB ((uint64_t)1024 * 1024)

static struct rig rig;

/* A file of a group. */
static void put(const char *group, const char *name, const char *text)
{
	rig_put(&rig, textf(CG "/%s/%s", group, name), "%s", text);
}

static void put_used(const char *group, unsigned used_us)
{
	put(group, "cpu.stat", textf("usage_usec %u\n", used_us));
}

static void put_group(const char *group, unsigned used_us, uint64_t memory)
{
	rig_make(&rig, textf(CG "/%s", group));
	put_used(group, used_us);
	put(group, "memory.current", textf("%llu\n", (unsigned long long)memory));
	put(group, "memory.stat", textf("anon %llu\n", (unsigned long long)memory));
}

/* The machine without groups below the top. */
static void open_top(void)
{
	rig_open(&rig, "cgroup-v2", NULL);
	rig_remove(&rig, CG);
	rig_make(&rig, CG);
	put("", "cgroup.procs", "1\n");
	put_used("", 10000000);
}

static void open_groups(void)
{
	open_top();
	put_group("system.slice", 4000000, 64 * MIB);
	put_group("system.slice/ssh.service", 1000000, 16 * MIB);
	put_group("user.slice", 2000000, 32 * MIB);
}

static void open_topic(void)
{
	rig.request.batch = true;
	rig_add(&rig, "group");
}

static double number_of(const struct frame *frame, const char *path, const char *column)
{
	const struct table *table = frame_table(frame, "group");
	const void *row = table_find(table, path, NULL);

	ck_assert_msg(row != NULL, "no row %s", path);
	return table_number(table, row, column);
}

/* The name of the n-th idle service, and the path of its group. */
static const char *idle_name(unsigned n)
{
	return textf("system.slice/idle-%u.service", n);
}

static double of_idle(const struct frame *frame, unsigned n, const char *column)
{
	return number_of(frame, textf("/%s", idle_name(n)), column);
}

START_TEST(hostile_names)
{
	static const char *const names[] = { "a\nb", "\xff\xc3 \\x2d \x1b[31m.service", "(rest)" };
	const struct frame *frame;

	open_groups();
	for (size_t i = 0; i < 3; i++)
		put_group(names[i], 1, MIB);
	put_group(textf("system.slice/%0200d", 0), 1, MIB);
	open_topic();
	frame = rig_sample(&rig, 2);
	for (size_t i = 0; i < 3; i++)
		ck_assert_double_eq(number_of(frame, textf("/%s", names[i]), "memory_bytes"), MIB);
	ck_assert_double_eq(number_of(frame, textf("/system.slice/%0200d", 0), "memory_bytes"), MIB);
	ck_assert_str_eq(cell_text(frame, "group", "/\xff\xc3 \\x2d \x1b[31m.service", "name"),
			 "\xff\xc3 - \x1b[31m.service");
	ck_assert_str_eq(cell_text(frame, "group", "(rest)", "kind"), "rest");
	rig_close(&rig);
}

#define IDLE_GROUPS 400

static void open_idle(void)
{
	open_groups();
	for (unsigned i = 0; i < IDLE_GROUPS; i++)
		put_group(idle_name(i), 5, 4096);
}

/* The oldest of the first n_groups; one that has not been read has no age. */
static double oldest_idle(const struct frame *frame, unsigned n_groups)
{
	double oldest = 0;

	for (unsigned i = 0; i < n_groups; i++) {
		double age = of_idle(frame, i, "age_seconds");

		if (isnan(age) || age > oldest)
			oldest = age;
		if (isnan(age))
			break;
	}
	return oldest;
}

static const struct frame *sample_times(unsigned times, double seconds)
{
	const struct frame *frame = NULL;

	while (times-- > 0)
		frame = rig_sample(&rig, seconds);
	return frame;
}

/* Each is read every 30 s, and in every n-th sample of n hundreds of groups, if that is later. */
START_TEST(idle_groups_are_read_in_turns)
{
	const struct frame *frame;
	uint64_t first, most = 0;

	open_idle();
	open_topic();
	rig_sample(&rig, 1);
	first = rig.env.reads;
	sample_times(29, 1);
	for (unsigned i = 0; i < 31; i++) {
		uint64_t before = rig.env.reads;

		ck_assert_double_eq(oldest_idle(rig_sample(&rig, 1), IDLE_GROUPS), 29);
		most = rig.env.reads - before > most ? rig.env.reads - before : most;
	}
	ck_assert_msg(most * 8 < first, "%u reads, %u at first", (unsigned)most, (unsigned)first);
	put_used("", 13000000); /* one that has run is found at once */
	put_used("system.slice", 5000000);
	put_group(idle_name(7), 500005, 8192);
	frame = rig_sample(&rig, 1);
	ck_assert_double_eq_tol(of_idle(frame, 7, "cpu_ratio"), 0.5, 1e-9);
	ck_assert_double_eq(of_idle(frame, 7, "memory_bytes"), 8192);
	ck_assert_double_eq(of_idle(frame, 7, "age_seconds"), 0);
	ck_assert_double_eq(oldest_idle(sample_times(20, 5), IDLE_GROUPS), 25);
	/* of 404 groups a quarter, not a third */
	ck_assert_double_eq(oldest_idle(sample_times(20, 10), IDLE_GROUPS), 30);
	rig_close(&rig);
}

/* So many of them work in each of six samples: the greatest age that one has in the last three. */
static double oldest_busy(unsigned n_groups)
{
	static unsigned used = 100;
	double oldest = 0;

	for (unsigned tick = 0; tick < 6; tick++) {
		const struct frame *frame;

		put_used("", 20000000 + ++used);
		put_used("system.slice", 5000000 + used);
		for (unsigned i = 0; i < n_groups; i++)
			put_used(idle_name(i), used);
		frame = rig_sample(&rig, 1);
		if (tick >= 3)
			oldest = fmax(oldest, oldest_idle(frame, n_groups));
	}
	return oldest;
}

/* At most 128 in each sample, with system.slice; in the first one in which they are busy, too. */
START_TEST(many_busy_groups_are_read_in_turns)
{
	const struct frame *frame;

	open_idle();
	open_topic();
	sample_times(3, 1);
	put_used("", 13000000);
	put_used("system.slice", 5000000);
	for (unsigned i = 0; i < 100; i++)
		put_group(idle_name(i), 10, 8192);
	frame = rig_sample(&rig, 1);
	for (unsigned i = 0; i < 100; i++)
		ck_assert_double_eq(of_idle(frame, i, "memory_bytes"), 8192);
	ck_assert_double_eq(oldest_idle(frame, 100), 0);
	ck_assert_double_gt(oldest_idle(frame, IDLE_GROUPS), 0); /* the others wait */
	ck_assert_double_eq(oldest_busy(127), 0);
	ck_assert_double_eq(oldest_busy(128), 1);
	ck_assert_double_eq(oldest_busy(256), 2);
	rig_close(&rig);
}

/* The first 64 of them; without their numbers the rest would be wrong. */
START_TEST(groups_below_the_top_are_always_read)
{
	bool waited[95] = { false };
	unsigned n_always = 0;

	open_top();
	for (unsigned i = 0; i < 95; i++)
		put_group(textf("first-%u.slice", i), 5, 4096);
	open_topic();
	rig_sample(&rig, 1);
	for (unsigned tick = 0; tick < 40; tick++) {
		const struct frame *frame = rig_sample(&rig, 1);

		for (unsigned i = 0; i < 95; i++)
			waited[i] |= number_of(frame, textf("/first-%u.slice", i), "age_seconds") > 0;
	}
	for (unsigned i = 0; i < 95; i++)
		n_always += !waited[i];
	ck_assert_uint_eq(n_always, 64);
	rig_close(&rig);
}

/*
 * On a screen that shows no groups 128 are read at first, and those that may be near a limit; one in which
 * nothing has run yet is not.
 */
START_TEST(groups_wait_for_their_turn)
{
	const struct frame *frame;
	unsigned n_waiting = 0;

	open_idle();
	put(idle_name(300), "memory.max", "4096\n");
	put(idle_name(300), "memory.stat", "anon 4096\nactive_file 0\ninactive_file 0\n");
	put(idle_name(301), "cpu.max", "50000 100000\n");
	put(idle_name(398), "memory.max", "4096\n");
	put_used(idle_name(398), 0);
	open_topic();
	rig.request.batch = false;
	frame = rig_sample(&rig, 1);
	ck_assert_uint_lt(rig.env.reads, 4 * IDLE_GROUPS);
	for (unsigned i = 0; i < IDLE_GROUPS; i++)
		n_waiting += isnan(of_idle(frame, i, "age_seconds")) ? 1 : 0;
	ck_assert_uint_eq(n_waiting, IDLE_GROUPS - (128 - 3) - 2); /* the top and two slices; the limits */
	ck_assert_double_eq(of_idle(frame, 300, "memory_limit_used_ratio"), 1);
	ck_assert_double_eq(of_idle(frame, 300, "age_seconds"), 0);
	ck_assert_double_eq(of_idle(frame, 301, "cpu_limit_ratio"), 0.5);
	ck_assert(isnan(of_idle(frame, 398, "memory_limit_bytes")));
	ck_assert_double_eq_tol(of_idle(frame, 399, "cpu_seconds"), 5e-6, 1e-12);
	ck_assert(isnan(of_idle(frame, 399, "memory_bytes")));
	ck_assert_double_eq(number_of(frame, "/system.slice", "memory_bytes"), 64 * MIB);
	frame = rig_sample(&rig, 1);
	ck_assert(isnan(number_of(frame, "/system.slice", "own_memory_bytes")));
	rig.request.all_groups = true;
	frame = rig_sample(&rig, 1);
	ck_assert_double_eq(of_idle(frame, 399, "memory_bytes"), 4096);
	ck_assert_double_eq(number_of(frame, "/system.slice", "own_memory_bytes"),
			    64 * MIB - 16 * MIB - IDLE_GROUPS * 4096);
	rig_close(&rig);
}

/* On a screen that shows no groups, one that gets a limit, and one below a busy group, are found at once. */
START_TEST(groups_without_limit_are_read_in_turns)
{
	const struct frame *frame;
	uint64_t reads[3];

	open_groups();
	put_group(idle_name(7), 1, MIB);
	put(idle_name(7), "cpu.max", "max 100000\n");
	open_topic();
	rig.request.batch = false;
	for (unsigned i = 0; i < 3; i++) {
		reads[i] = rig.env.reads;
		rig_sample(&rig, 1);
	}
	ck_assert_msg(2 * (rig.env.reads - reads[2]) < reads[1] - reads[0], "%u reads, %u at first",
		      (unsigned)(rig.env.reads - reads[2]), (unsigned)(reads[1] - reads[0]));
	put_used("", 13000000);
	put_used("system.slice", 5000000);
	put_used(idle_name(7), 1500000);
	put(idle_name(7), "cpu.max", "50000 100000\n");
	put_group(textf("%s/new", idle_name(7)), 1, MIB);
	frame = rig_sample(&rig, 1);
	ck_assert_double_eq(of_idle(frame, 7, "cpu_limit_ratio"), 0.5);
	ck_assert_double_eq(of_idle(frame, 7, "age_seconds"), 0);
	ck_assert_double_ge(number_of(frame, textf("/%s/new", idle_name(7)), "cpu_seconds"), 0);
	rig_close(&rig);
}

/* They are all read within a round, and no counter of theirs or of the groups above seems to grow. */
START_TEST(groups_that_waited)
{
	const struct frame *frame;

	open_idle();
	for (unsigned i = 0; i < IDLE_GROUPS; i++)
		put(idle_name(i), "io.stat", "8:0 rbytes=1 wbytes=2 rios=1 wios=1\n");
	open_topic();
	rig.request.batch = false;
	rig_sample(&rig, 1);
	for (unsigned i = 0; i < 31; i++) {
		frame = rig_sample(&rig, 1);
		ck_assert(!(number_of(frame, "/system.slice", "read_bytes_per_second") > 0));
		ck_assert(!(of_idle(frame, 399, "read_bytes_per_second") > 0));
	}
	ck_assert_double_le(oldest_idle(frame, IDLE_GROUPS), 30);
	rig_close(&rig);
}

#define CONTAINERS "var/lib/containers/storage/"
#define CONTAINERD "run/containerd/io.containerd.runtime.v2.task/"

/* A name that is only in this file of a new tree. */
START_TEST(where_engines_keep_names)
{
	static const char list[] = "[{\"id\":\"" ID "0\",\"names\":[\"longer\"]},{\"names\":[\"none\"]},"
				   "{\"id\":\"" ID "\",\"names\":[\"db\"]},{\"id\":\"" ID "\"}]";
	static const struct {
		enum container_engine engine;
		const char *folder, *file, *text, *name;
	} places[] = {
		{ ENGINE_DOCKER, "var/lib/docker/containers/" ID, "config.v2.json",
		  "{\"Name\":\"web\"}", "web" },
		{ ENGINE_CONTAINERD, CONTAINERD "k8s.io/" ID, "config.json",
		  "{\"annotations\":{\"io.kubernetes.cri.container-name\":\"app\"}}", "app" },
		{ ENGINE_CONTAINERD, CONTAINERD "default/" ID, "config.json",
		  "{\"annotations\":{\"nerdctl/name\":\"nerd\"}}", "nerd" },
		{ ENGINE_CRIO, "run/containers/storage/overlay-containers/" ID "/userdata", "config.json",
		  "{\"annotations\":{\"io.kubernetes.container.name\":\"crio\"}}", "crio" },
		{ ENGINE_PODMAN, CONTAINERS "overlay-containers", "containers.json", list, "db" },
		{ ENGINE_PODMAN, CONTAINERS "vfs-containers", "containers.json", list, "db" },
		{ ENGINE_PODMAN, CONTAINERS "btrfs-containers", "containers.json", list, "db" },
	};
	static const enum container_engine all[] = { ENGINE_UNKNOWN, ENGINE_DOCKER, ENGINE_CONTAINERD,
						     ENGINE_CRIO, ENGINE_PODMAN };

	for (size_t i = 0; i < sizeof(places) / sizeof(places[0]); i++) {
		enum container_engine engine = places[i].engine;
		struct container_name name;

		rig_open(&rig, "cgroup-v2", NULL);
		ck_assert(!container_name_find(&rig.env.root, engine, ID, &name));
		rig_make(&rig, places[i].folder);
		rig_put(&rig, textf("%s/%s", places[i].folder, places[i].file), "%s", places[i].text);
		for (size_t k = 0; k < sizeof(all) / sizeof(all[0]); k++) {
			bool shared = all[k] == ENGINE_CRIO && engine == ENGINE_PODMAN; /* the storage */
			bool wanted = all[k] == engine || all[k] == ENGINE_UNKNOWN || shared;

			ck_assert_msg(container_name_find(&rig.env.root, all[k], ID, &name) == wanted, "%s",
				      places[i].folder);
			if (wanted)
				ck_assert_str_eq(name.name, places[i].name);
		}
		rig_close(&rig);
	}
}

static bool parses(const char *json, struct container_name *name)
{
	return container_name_parse(json, strlen(json), name);
}

START_TEST(hostile_files_of_engines)
{
	struct container_name name;
	struct env env;
	char json[2000] = "{\"Name\":\"/";

	ck_assert(!parses("", &name));
	ck_assert(!parses("[[[[", &name));
	ck_assert(!parses("{\"Name\":7,\"Config\":[],\"annotations\":\"x\"}", &name));
	ck_assert(!parses("{\"Name\":\"a\\u0000b\"}", &name)); /* refused as a whole */
	ck_assert(!parses("{\"Name\":\"\xff\"}", &name));
	ck_assert(parses("{\"Name\":\"a\\n\\u001b[2J\"}", &name)); /* cleaned where it is shown */
	memset(json + strlen(json), 'n', 1000);
	strcat(json, "\"}");
	ck_assert(parses(json, &name));
	ck_assert_uint_eq(strlen(name.name), CGROUP_NAME_MAX - 1);
	ck_assert(parses("{\"annotations\":{\"io.kubernetes.cri.container-type\":\"sandbox\","
			 "\"io.kubernetes.cri.sandbox-name\":\"p\"}}",
			 &name));
	ck_assert_str_eq(name.name, "sandbox");
	ck_assert_str_eq(name.pod, "p");

	rig_open(&rig, "cgroup-v2", NULL);
	env = rig.env;
	rig_make(&rig, "var/lib/docker/containers/" ID "/config.v2.json"); /* a directory */
	ck_assert(!container_name_find(&env.root, ENGINE_DOCKER, ID, &name));
	rig_remove(&rig, "var/lib/docker/containers/" ID "/config.v2.json");
	rig_put(&rig, "var/lib/docker/containers/" ID "/config.v2.json",
		"{\"Name\":\"/x\",\"y\":\"%2000000d\"}", 1);
	ck_assert(!container_name_find(&env.root, ENGINE_DOCKER, ID, &name)); /* too long */
	rig_close(&rig);
}

START_TEST(no_groups_at_all)
{
	struct sample sample = { .topic = topic_find("group") };

	rig_open(&rig, "cgroup-v2", NULL);
	rig_put(&rig, "proc/self/mountinfo", "24 1 0:22 / /sys rw - sysfs sysfs rw\n");
	sample.env = &rig.env;
	ck_assert_int_eq(topic_open(&sample), -ENODEV);
	topic_forget(&sample);
	rig_close(&rig);
}

/* Groups are read after the top: its own numbers stay, and its sum is theirs to the last digit. */
START_TEST(own_counters_never_go_back)
{
	static const uint64_t reads[][4] = { /* of the top and two below it; its sum */
		{ 100, 30, 20, 100 },
		{ 101, 40, 20, 40 + 20 + 50 },
		{ 101, 300, 20, 300 + 20 + 50 }, /* more than the whole */
	};
	struct group top = { 0 }, first = { .parent = &top }, second = { .parent = &top };
	struct group *const groups[] = { &top, &first, &second };

	for (unsigned i = 0; i < 3; i++)
		group_clear(groups[i]);
	for (size_t i = 0; i < sizeof(reads) / sizeof(reads[0]); i++) {
		for (unsigned k = 0; k < 3; k++)
			groups[k]->counters.cpu_ns = reads[i][k];
		group_sum(groups, 3);
		ck_assert_uint_eq(top.own.cpu_ns, 50);
		ck_assert_uint_eq(top.counters.cpu_ns, reads[i][3]);
	}
}
