/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Tests of the memory topics on the fixtures of several kernels, containers and broken machines. */
#include "rig.h"

#include "core/alloc.h"
#include "topic/cpu/proc_stat.h"
#include "topic/cgroup.h"
#include "topic/topic.h"

static struct rig rig;

#define KIB UINT64_C(1024)
#define MIB (1024 * KIB)

static const char *const memory_topics[] = { "memory",  "meminfo",      "memory_check",
					     "reclaim", "memory_limit", NULL };

START_TEST(every_kernel_gives_a_partition)
{
	static const char *const kernels[] = { "linux-3.2", "linux-4.4", "linux-5.15", "linux-6.1",
					       "linux-6.18" };
	static const char *const parts[] = { "free_bytes", "anonymous_bytes", "kernel_bytes", "caches_bytes",
					     "others_bytes" };

	for (size_t k = 0; k < LENGTH(kernels); k++) {
		const struct frame *frame;
		uint64_t sum = 0;

		rig_open(&rig, kernels[k], memory_topics);
		frame = rig_next(&rig);
		for (size_t i = 0; i < LENGTH(parts); i++)
			sum += cell_u64(frame, "memory", "mem", parts[i]);
		ck_assert_uint_eq(sum, cell_u64(frame, "memory", "mem", "total_bytes"));
		ck_assert_uint_eq(cell_u64(frame, "memory", "available", "free_bytes") +
					  cell_u64(frame, "memory", "available", "used_bytes"),
				  sum);
		rig_close(&rig);
	}
}

static const struct frame *page_for(double seconds, unsigned refaults, unsigned steals)
{
	rig_put(&rig, "proc/vmstat", "pgpgin 7\nworkingset_refault_file %u\npgsteal_kswapd %u\n", refaults,
		steals);
	return rig_sample(&rig, seconds);
}

static double paging(const struct frame *frame, const char *column)
{
	return frame_number(frame, "paging", NULL, column);
}

/* From 0 on, as on a machine that has never refaulted. */
START_TEST(calm_begins_with_the_first_sample)
{
	rig_open(&rig, "linux-6.1", TOPICS("paging"));
	ck_assert_double_eq(paging(page_for(1, 0, 0), "calm_seconds"), 0);
	ck_assert_double_eq(paging(page_for(5, 0, 0), "calm_seconds"), 5);
	ck_assert_double_eq(paging(page_for(5, 2, 0), "calm_seconds"), 0);
	ck_assert_double_eq(paging(page_for(5, 2, 9), "calm_seconds"), 5);
	rig_put(&rig, "proc/vmstat", "pgpgin 7\n"); /* a kernel that does not count them */
	ck_assert(isnan(paging(rig_sample(&rig, 5), "calm_seconds")));
	rig_close(&rig);
}

/* More samples than the window keeps, and several in a second. */
START_TEST(the_window_of_paging_is_exact_to_a_second)
{
	const struct frame *frame = NULL;

	rig_open(&rig, "linux-6.1", TOPICS("paging"));
	for (unsigned i = 0; i < 1500; i++)
		frame = page_for(0.25, i, 0);
	ck_assert(paging(frame, "window_seconds") > 299 && paging(frame, "window_seconds") <= 300);
	ck_assert_double_eq(paging(frame, "window_refaults"), 4 * paging(frame, "window_seconds"));
	rig_close(&rig);
}

/* A reading of CPU time long before the clocks of processes, as panetop had to wait, is extended to them. */
START_TEST(busy_time_is_of_the_moment_of_the_clocks)
{
	struct proc_stat stat = {
		.busy = 1100, .last_busy = 1000, .read_ns = 2000000000, .last_read_ns = 1500000000
	};

	ck_assert_double_eq(proc_stat_busy_at(&stat, 2009000000), 1100);
	ck_assert_double_eq(proc_stat_busy_at(&stat, 2050000000), 1110);
	ck_assert_double_eq(proc_stat_busy_at(&stat, 1990000000), 1100);
	stat.last_read_ns = 0;
	ck_assert_double_eq(proc_stat_busy_at(&stat, 2050000000), 1100);
}

/* lxcfs serves the memory of a container, beside the cache of ZFS of the whole host. */
START_TEST(the_cache_of_the_host_is_not_the_containers)
{
	static const struct {
		const char *mounts;
		unsigned long arc_kib;
		bool own;
	} cases[] = {
		{ "", 1000, true },
		{ "", 6 * 1024 * 1024, false }, /* more than all that is in use */
		{ "50 30 0:60 /proc/meminfo /proc/meminfo rw - fuse.lxcfs lxcfs rw\n", 1000, false },
		{ "50 30 0:60 /proc/meminfo /proc/meminfo rw - ext4 /dev/sda rw\n", 1000, true },
		{ "50 30 0:60 /proc/stat /proc/stat rw - fuse.lxcfs lxcfs rw\n", 1000, true },
		{ "50 30 0:60 / /proc/meminfo rw - fuse.lxcfs lxcfs rw\n"
		  "51 30 0:60 / /proc/spl/kstat/zfs/arcstats rw - fuse.lxcfs lxcfs rw\n", 1000, true },
	};

	for (size_t i = 0; i < LENGTH(cases); i++) {
		const struct frame *frame;
		uint64_t used;

		rig_open(&rig, "empty", TOPICS("memory", "meminfo", "pressure"));
		rig_make(&rig, "proc/self");
		rig_make(&rig, "proc/pressure");
		rig_make(&rig, "proc/spl/kstat/zfs");
		rig_put(&rig, "proc/self/mountinfo", "%s", cases[i].mounts);
		rig_put(&rig, "proc/pressure/memory", "some avg10=0.00 avg60=0.00 avg300=0.00 total=0\n");
		rig_put(&rig, "proc/meminfo",
			"MemTotal: 1572864 kB\nMemFree: 1148928 kB\nMemAvailable: 1149952 kB\n"
			"Active(file): 1024 kB\nInactive(file): 0 kB\nSReclaimable: 0 kB\n");
		rig_put(&rig, "proc/spl/kstat/zfs/arcstats", "name type data\nsize 4 %lu\nc_min 4 524288\n",
			cases[i].arc_kib * 1024 + 524288);
		frame = rig_sample(&rig, 1);
		used = cases[i].own ? cases[i].arc_kib * 1024 : 0;
		ck_assert_uint_eq(cell_u64(frame, "memory", "available", "free_bytes"), 1123 * MIB + used);
		ck_assert_uint_eq(cell_u64(frame, "memory", "mem", "caches_bytes"), MIB + used);
		ck_assert_str_eq(cell_text(frame, "memory", "mem", "note"),
				 cases[i].own ? "with ZFS ARC" : "without the host's ZFS ARC");
		ck_assert(!cases[i].own ==
			  (strstr(cell_text(frame, "meminfo", "arcstats size", "meaning"), "host") != NULL));
		ck_assert_uint_eq(frame->n_notices,
				  strstr(cases[i].mounts, "/proc/meminfo rw - fuse") ? 1 : 0);
		if (frame->n_notices)
			ck_assert_str_eq(frame->notices[0].text,
					 "/proc/pressure/memory is of the host, memory is of this container");
		rig_close(&rig);
	}
}

static const char hierarchies[] = "30 23 0:26 / /sys/fs/cgroup rw - cgroup2 cgroup2 rw\n"
				  "31 23 0:27 / /sys/fs/cgroup/memory rw - cgroup cgroup rw,memory\n";

/* "MOUNT GROUP" of the control group of this process, or the error. */
static const char *own_group(const char *controller, struct cgroup_place *place)
{
	int error = cgroup_own(&rig.env, controller, place);

	return error ? textf("%d", error) : textf("%s %s", place->mount, place->group);
}

START_TEST(a_control_group_is_found_where_it_is_mounted)
{
	struct cgroup_place place;
	struct span text;

	rig_open(&rig, "empty", NULL);
	ck_assert_str_eq(own_group("memory", &place), textf("%d", -ENOENT));
	ck_assert(cgroup_may_exist(&rig.env, "/any")); /* nothing is known */
	rig_make(&rig, "proc/self");
	rig_put(&rig, "proc/self/cgroup", "4:memory:/in/old\n0::/a/b\n");
	rig_put(&rig, "proc/self/mountinfo", "22 1 0:1 / /proc rw - proc proc rw\n");
	rig.env.tick++;
	ck_assert_str_eq(own_group("memory", &place), textf("%d", -ENODEV));
	ck_assert(cgroup_may_exist(&rig.env, "/any")); /* no hierarchy is mounted */
	rig_put(&rig, "proc/self/mountinfo", "%s", hierarchies);
	rig.env.tick++;
	ck_assert_str_eq(own_group("memory", &place), "sys/fs/cgroup/memory in/old");
	ck_assert_str_eq(own_group("cpu", &place), "sys/fs/cgroup a/b");
	rig_make(&rig, "sys/fs/cgroup/a/b");
	rig_make(&rig, "sys/fs/cgroup/memory/in/old");
	rig_put(&rig, "sys/fs/cgroup/a/b/limit", "deep\n");
	rig_put(&rig, "sys/fs/cgroup/limit", "top\n");
	ck_assert(cgroup_read(&rig.env, &place, "limit", &text) == 0 && span_is(text, "deep\n"));
	ck_assert(cgroup_up(&place) && strcmp(place.group, "a") == 0);
	ck_assert_int_eq(cgroup_read(&rig.env, &place, "limit", &text), -ENOENT);
	ck_assert(cgroup_up(&place) && strcmp(place.group, "") == 0);
	ck_assert(cgroup_read(&rig.env, &place, "limit", &text) == 0 && span_is(text, "top\n"));
	ck_assert(!cgroup_up(&place)); /* there is nothing above */
	ck_assert(cgroup_may_exist(&rig.env, "/a/b") && !cgroup_may_exist(&rig.env, "/a/c"));
	ck_assert(cgroup_may_exist(&rig.env, "/in/old")); /* in the second one */
	rig_close(&rig);
}

/* Nothing, half of it, nonsense, or no file at all: no crash, and nothing that was not read. */
START_TEST(broken_files_give_unknowns)
{
	static const char *const all[] = { "memory",   "meminfo", "memory_check", "reclaim", "memory_limit",
					   "pressure", "system",  "page_reader",  NULL };
	rig_open(&rig, "empty", all);
	rig_next(&rig);
	ck_assert_uint_eq(frame_table(rig.now, "memory")->n_rows, 0);
	ck_assert_uint_eq(frame_table(rig.now, "system")->n_rows, 1);
	ck_assert(isnan(cell_f64(rig.now, "system", NULL, "load1")));
	rig_close(&rig);
	rig_open(&rig, "missing", all);
	rig_next(&rig);
	ck_assert_uint_eq(frame_table(rig.now, "memory")->n_rows, 0);
	ck_assert_uint_eq(frame_table(rig.now, "pressure")->n_rows, 0);
	rig_close(&rig);
	rig_open(&rig, "truncated", all);
	rig_next(&rig);
	ck_assert_uint_eq(cell_u64(rig.now, "memory", "mem", "kernel_bytes"), U64_UNKNOWN);
	ck_assert_uint_eq(cell_u64(rig.now, "memory", "mem", "others_bytes"), U64_UNKNOWN);
	rig_close(&rig);
	rig_open(&rig, "absurd", all); /* more free than there is */
	rig_next(&rig);
	ck_assert_uint_eq(cell_u64(rig.now, "memory", "mem", "used_bytes"), U64_UNKNOWN);
	ck_assert_uint_eq(cell_u64(rig.now, "memory", "available", "used_bytes"), 0);
	rig_close(&rig);
}

/* A kernel without task I/O accounting has no file that tells. */
START_TEST(without_accounting_no_reader_is_known)
{
	static const char *const files[] = { "proc/1/io", "proc/7/io", "proc/42/io", "proc/99/io" };

	rig_open(&rig, "readers", TOPICS("page_reader"));
	ck_assert_uint_gt(frame_table(rig_sample(&rig, 1), "page_reader")->n_rows, 0);
	env_forget_failures(&rig.env);
	for (size_t i = 0; i < LENGTH(files); i++)
		rig_remove(&rig, files[i]);
	ck_assert_uint_eq(frame_table(rig_sample(&rig, 1), "page_reader")->n_rows, 0);
	ck_assert_str_eq(env_failed_path(&rig.env, -ENOENT), "proc/self/io");
	rig_close(&rig);
}

/* Only where a connection helps, and only in a snap. */
START_TEST(a_snap_shows_what_to_connect)
{
	static const struct {
		const char *path, *connects;
		int error;
	} cases[] = {
		{ "proc/vmstat", "snap connect panetop:system-observe;", EACCES },
		{ "proc/spl/kstat/zfs/arcstats", "snap connect panetop:mount-observe;", EACCES },
		{ "sys/class/hwmon", "snap connect panetop:hardware-observe;", EACCES },
		{ "sys/kernel/tracing/events", "snap connect panetop:system-trace;", EACCES },
		{ "perf_event_open", "snap connect panetop:system-trace;", EPERM },
		{ "taskstats",
		  "snap connect panetop:network-observe; sudo snap connect panetop:netlink-connector;",
		  EPERM },
		{ "proc/net/snmp", "snap connect panetop:network-observe;", EACCES },
		{ "sock_diag", "snap connect panetop:network-observe;", EPERM },
		{ "proc/self/mountinfo", "snap connect panetop:mount-observe;", EACCES },
		{ "BPF", "snap connect panetop:system-trace;", EPERM },
		{ "proc/PID/pagemap", "snap connect panetop:physical-memory-observe;", EACCES },
		{ "proc/PID/maps", NULL, EACCES },
		{ "proc/vmstat", NULL, EMFILE },
	};
	struct env env;

	ck_assert_int_eq(env_open(&env, fixture_root("linux-6.1", 0)), 0);
	for (size_t i = 0; i < LENGTH(cases); i++) {
		const struct source_spec source = { .path = cases[i].path };

		ck_assert_ptr_null(strstr(source_remedy(&env, &source, cases[i].error), "snap"));
		env.in_snap = true;
		const char *remedy = strstr(source_remedy(&env, &source, cases[i].error), "snap connect");

		env.in_snap = false;
		if (!cases[i].connects)
			ck_assert_ptr_null(remedy);
		else
			ck_assert_int_eq(strncmp(remedy, cases[i].connects, strlen(cases[i].connects)), 0);
	}
	env_close(&env);
}

/* Of the call that failed, not of what the source usually lacks. */
START_TEST(a_remedy_is_of_the_call_that_failed)
{
	static const struct {
		const char *topic, *source;
		int error;
		bool proc, sys; /* there */
		const char *remedy;
	} cases[] = {
		{ "event", "connector", EMFILE, true, true, "ulimit -n" },
		{ "account", "taskstats", EMFILE, true, true, "ulimit -n" },
		{ "memory", "proc/meminfo", EMFILE, true, true, "ulimit -n" },
		{ "power", "sys/class/powercap", ENFILE, true, true, "fs.file-max" },
		{ "account", "taskstats", ENOMEM, true, true, "memory.max" },
		{ "account", "taskstats", ENOENT, true, true, "CONFIG_TASKSTATS" },
		{ "account", "taskstats", ENOENT, true, false, "CONFIG_TASKSTATS" },
		{ "account", "taskstats", ENOENT, false, false, "CONFIG_TASKSTATS" },
		{ "account", "taskstats", EINVAL, true, false, "not available in a container" },
		{ "event", "perf", ENOENT, true, true, "CONFIG_PERF_EVENTS" },
		{ "event", "perf", ENOENT, true, false, "mount /sys:" },
		{ "event", "perf", ENOENT, false, false, "mount /proc:" },
		{ "latency", "CPUs to measure", ENODEV, true, true, "lscpu" },
		{ "latency", "CPUs to measure", ENODEV, true, false, "mount /sys:" },
		{ "disk", "proc/diskstats", ENOENT, true, false, "no block devices" },
		{ "disk", "proc/diskstats", ENOENT, false, true, "mount it: mount -t proc" },
	};


	for (size_t i = 0; i < LENGTH(cases); i++) {
		const struct source_spec *source = topic_source(topic_find(cases[i].topic), cases[i].source);
		const char *remedy;

		rig_open(&rig, "missing", NULL);
		rig.env.live = true;
		if (cases[i].proc)
			rig_put(&rig, "proc/stat", "cpu 1 2 3 4\n");
		if (cases[i].sys)
			rig_make(&rig, "sys/kernel");
		remedy = source_remedy(&rig.env, source, cases[i].error);
		ck_assert_msg(remedy && strstr(remedy, cases[i].remedy), "%s: %s", cases[i].source, remedy);
		rig.env.live = false;
		rig_close(&rig);
	}
}

static const char *matched(const char *topic, const char *typed)
{
	const struct schema *schema = topic_find(topic)->schema;
	int index = schema_match(schema, span_text(typed));

	return index >= 0 ? schema->columns[index].key : index == COLUMN_AMBIGUOUS ? "ambiguous" : "unknown";
}

START_TEST(columns_are_found_as_they_are_typed)
{
	static const struct {
		const char *topic, *typed, *column;
	} cases[] = {
		{ "process", "CPU_Ratio", "cpu_ratio" }, { "process", "%CPU", "cpu_ratio" },
		{ "process", "cpu", "cpu_ratio" },       { "process", "CPU", "processor" }, /* its heading */
		{ "process", "rss", "resident_bytes" },  { "process", "res", "resident_bytes" },
		{ "process", "user", "user" },           { "process", "min", "ambiguous" },
		{ "process", "nonsense", "unknown" },    { "process", "", "unknown" },
		{ "cpu", "steal", "steal_ratio" }, /* the other one is hidden */
		{ "cpu", "user", "user_ratio" },
	};

	for (size_t i = 0; i < LENGTH(cases); i++)
		ck_assert_str_eq(textf("%s: %s", cases[i].typed, matched(cases[i].topic, cases[i].typed)),
				 textf("%s: %s", cases[i].typed, cases[i].column));
	ck_assert_ptr_eq(topic_match("Process"), topic_find("process"));
	ck_assert_ptr_eq(topic_match("recl"), topic_find("reclaim"));
	ck_assert_ptr_eq(topic_match("memory"), topic_find("memory")); /* though others begin with it */
	ck_assert(!topic_match("mem") && !topic_match("") && !topic_match("nonsense"));
}

/* A heading that people see names a column with that heading, in any case. */
START_TEST(every_shown_heading_is_taken)
{
	for (unsigned t = 0; t < n_topics; t++) {
		const struct schema *schema = topics[t]->schema;

		for (unsigned c = 0; c < schema->n_columns; c++) {
			const struct column *column = &schema->columns[c];
			int index = schema_match(schema, span_text(column->title));

			ck_assert_int_eq(schema_match(schema, span_text(column->key)), c);
			if (column->hidden || !*column->title)
				continue;
			ck_assert_msg(index >= 0 &&
					      (strcmp(schema->columns[index].title, column->title) == 0 ||
					       strcmp(schema->columns[index].key, column->title) == 0),
				      "%s: the heading %s is %s", schema->name, column->title,
				      index < 0 ? "not taken" : schema->columns[index].key);
		}
	}
}

/* What is counted from the opening of one topic on would else miss what happens while others are sampled. */
START_TEST(all_are_opened_before_the_first_is_sampled)
{
	rig_open(&rig, "cgroup-v1", TOPICS("self", "group"));
	rig_next(&rig);
	/* it has read where they are mounted */
	ck_assert_double_gt(frame_number(rig.now, "self", "group", "reads"), 0);
	rig_close(&rig);
}

/* They are open all the time, and what others read is none of theirs. */
START_TEST(topics_that_rest_are_not_sampled)
{
	bool *resting = alloc_zeroed(n_topics, sizeof(*resting));

	rig_open(&rig, "readers", TOPICS("system", "process"));
	resting[schema_index(topic_schemas(), n_topics, "process")] = true;
	rig.request.resting = resting;
	rig_next(&rig);
	ck_assert_ptr_null(frame_table(rig.now, "process"));
	ck_assert_double_eq(frame_number(rig.now, "system", NULL, "tasks"), 4);
	rig.request.resting = NULL;
	rig_next(&rig);
	ck_assert_uint_eq(frame_table(rig.now, "process")->n_rows, 4);
	rig_next(&rig);
	ck_assert_uint_gt(frame_table(rig.now, "process")->interval_ns, 0);
	rig_close(&rig);
	free(resting);
}

START_TEST(files_of_the_kernel_have_a_path_from_the_root)
{
	static const char *const others[] = { "procedure", "taskstats/proc", "netlink",
					      "a/",        "perfs",          "etcp/passwd" };

	ck_assert_str_eq(source_root("proc/stat"), "/");
	ck_assert_str_eq(source_root("sys"), "/");
	for (size_t i = 0; i < LENGTH(others); i++)
		ck_assert_str_eq(source_root(others[i]), "");
}
