/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The machine as samplers see it: its clocks and sizes, what is open at most, and what failed. */
#include "rig.h"

#include <sys/resource.h>
#include <time.h>

#include "core/buffer.h"
#include "sys/attribute.h"
#include "sys/perf_ring.h"
#include "sys/pids.h"

static struct rig rig; /* another machine, mostly */

/* A text that ends early, or is followed by NULs. */
static void write_bytes(const char *name, const char *text, off_t length)
{
	rig_put(&rig, name, "%s", text);
	ck_assert_int_eq(truncate(textf("%s/%s", rig.root, name), length), 0);
}

START_TEST(a_process_has_a_clock_until_it_ends)
{
	uint64_t before = clock_self_cpu_ns(&real_clock), ns = 7;
	pid_t child;

	ck_assert(clock_process_cpu_ns(&real_clock, env_self_pid(), &ns));
	ck_assert(before <= ns && ns <= clock_self_cpu_ns(&real_clock));
	child = fork();
	if (child == 0)
		_exit(0);
	ck_assert_int_eq(waitpid(child, NULL, 0), child);
	ns = 7;
	ck_assert(!clock_process_cpu_ns(&real_clock, (uint32_t)child, &ns));
	ck_assert_uint_eq(ns, 7);
	rig_open_live(&rig, NULL);
	ck_assert(env_has_process_clocks(&rig.env));
	rig.env.foreign_pids = true;
	ck_assert(!env_has_process_clocks(&rig.env));
	rig.env.foreign_pids = rig.env.live = false;
	ck_assert(!env_has_process_clocks(&rig.env));
	rig.env.live = true;
	rig.env.own_pid = (uint32_t)child;
	ck_assert(!env_has_process_clocks(&rig.env));
	rig_close(&rig);
}

START_TEST(sizes_are_those_of_the_machine)
{
	rig_open_live(&rig, NULL);
	ck_assert_uint_eq(rig.env.page_bytes, (uint64_t)sysconf(_SC_PAGESIZE));
	ck_assert_uint_eq(rig.env.ticks_per_second, (uint64_t)sysconf(_SC_CLK_TCK));
	ck_assert_uint_eq(env_cpus(), (unsigned)sysconf(_SC_NPROCESSORS_CONF));
	ck_assert(rig.env.live && rig.env.root.fd >= 0);
	ck_assert(env_exists(&rig.env, "proc/self/stat") && !env_exists(&rig.env, "proc/self/none"));
	rig_close(&rig);
	ck_assert_int_eq(rig.env.root.fd, -1);
}

/* Of what may be open 64 stay free, and 4 for each CPU; processes and counters have half of the rest each. */
START_TEST(open_files_are_shared_out)
{
	const rlim_t left = 64 + 4 * env_cpus();
	static const unsigned more[] = { 101, 2, 1, 0 };

	for (unsigned i = 0; i < 4; i++) {
		struct rlimit limit = { .rlim_cur = 50, .rlim_max = left + more[i] };

		if (setrlimit(RLIMIT_NOFILE, &limit) < 0)
			skip_test("not as many files may be open: %s", strerror(errno));
		rig_open_live(&rig, NULL);
		ck_assert_uint_eq(rig.env.files_before, 50);
		ck_assert_uint_eq(rig.env.counters.max, more[i] / 2);
		ck_assert_uint_eq(rig.env.pids.kept_max, more[i] / 2);
		ck_assert_int_eq(getrlimit(RLIMIT_NOFILE, &limit), 0);
		ck_assert_uint_eq(limit.rlim_cur, left + more[i]);
		rig_close(&rig);
	}
}

START_TEST(a_snap_has_its_name)
{
	static const char *const names[] = { PACKAGE, PACKAGE "s", PACKAGE };

	for (unsigned i = 0; i < 3; i++) { /* another root is not in it */
		setenv("SNAP_NAME", names[i], 1);
		if (i == 2)
			rig_open(&rig, "empty", NULL);
		else
			rig_open_live(&rig, NULL);
		ck_assert(rig.env.in_snap == (i == 0) && rig.env.live == (i != 2));
		rig_close(&rig);
	}
}

START_TEST(another_root_has_a_host)
{
	static const struct {
		const char *text;
		size_t room;
		const char *host; /* NULL: nothing, and no part of it */
	} cases[] = { { "box", 4, "box" }, { "box", 3, NULL }, { "other\n", 64, "other" } };
	char host[64], own[64] = "";

	rig_open(&rig, "empty", NULL);
	ck_assert_int_eq(gethostname(own, sizeof(own) - 1), 0);
	env_host(&rig.env, host, sizeof(host));
	ck_assert_str_eq(host, own);
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		rig_put(&rig, "proc/sys/kernel/hostname", "%s", cases[i].text);
		rig.env.tick++;
		memset(host, 'x', sizeof(host));
		env_host(&rig.env, host, cases[i].room);
		ck_assert_uint_lt(strlen(host), cases[i].room);
		ck_assert_msg(cases[i].host ? strcmp(host, cases[i].host) == 0 : strcmp(host, "bo") != 0,
			      "case %zu: %s", i, host);
	}
	rig.env.live = true;
	env_host(&rig.env, host, sizeof(host));
	ck_assert_str_eq(host, own);
	rig_close(&rig);
}

/* Each part counts, and the look that finds the end; a file may have less than 64 MiB. */
START_TEST(reads_are_counted)
{
	static const struct {
		off_t length;
		uint64_t reads;
		int error;
	} cases[] = {
		{ 0, 1, 0 },    { 5, 2, 0 },    { 4095, 2, 0 },           { 4096, 2, 0 },
		{ 4097, 3, 0 }, { 8193, 4, 0 }, { (64 << 20) - 1, 0, 0 }, { 64 << 20, 0, -EFBIG },
		{ 3, 2, 0 },
	};
	struct span text;

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		rig_open(&rig, "empty", NULL);
		rig.env.tick = 1;
		write_bytes("proc/x", "abc", cases[i].length);
		rig.env.reads = 0;
		ck_assert_int_eq(env_read(&rig.env, env_file(&rig.env, "proc/x"), &text), cases[i].error);
		if (!cases[i].error)
			ck_assert_uint_eq(span_length(text), (size_t)cases[i].length);
		ck_assert(cases[i].reads == 0 || rig.env.reads == cases[i].reads);
		rig_close(&rig);
	}
}

START_TEST(the_first_failures_are_kept)
{
	char path[ENV_FAILED_PATH_MAX + 10];
	int error;

	rig_open(&rig, "empty", NULL);
	ck_assert_ptr_null(env_lacking_path(&rig.env, &error));
	for (int i = 1; i <= ENV_FAILURES_MAX + 1; i++)
		env_note_failure(&rig.env, textf("proc/%d", i), -i);
	ck_assert_str_eq(env_failed_path(&rig.env, -1), "proc/1");
	ck_assert_str_eq(env_failed_path(&rig.env, -ENV_FAILURES_MAX), "proc/8");
	ck_assert_ptr_null(env_failed_path(&rig.env, -ENV_FAILURES_MAX - 1));
	env_forget_failures(&rig.env);
	ck_assert_ptr_null(env_failed_path(&rig.env, -1));
	memset(path, 'x', sizeof(path) - 1);
	path[sizeof(path) - 1] = '\0';
	env_note_failure(&rig.env, path, -ENFILE);
	ck_assert_uint_eq(strlen(env_lacking_path(&rig.env, &error)), ENV_FAILED_PATH_MAX - 1);
	ck_assert_int_eq(error, -ENFILE);
	env_note_failure(&rig.env, "proc/own", -EMFILE); /* the worst of them is told, not the first */
	ck_assert_str_eq(env_lacking_path(&rig.env, &error), "proc/own");
	ck_assert_int_eq(error, -EMFILE);
	ck_assert_str_eq(env_error_text(ENOENT), strerror(ENOENT));
	ck_assert_str_eq(env_error_text(EXDEV), "/proc is not that of panetop's own pid namespace");
	rig_close(&rig);
}

static char keys[3];
static char closed[8];

static void close_state(void *state)
{
	strncat(closed, state, 1);
}

/* The others stay, and are closed in the end, the newest first. */
START_TEST(states_are_removed_one_by_one)
{
	static const char names[] = "abc";

	rig_open_live(&rig, NULL);
	for (unsigned i = 0; i < 3; i++)
		memcpy(env_state_add(&rig.env, &keys[i], 2, close_state), &names[i], 1);
	env_state_remove(&rig.env, &keys[1]);
	env_state_remove(&rig.env, &keys[1]);
	env_state_remove(&rig.env, names);
	ck_assert_str_eq(closed, "b");
	ck_assert(*(const char *)env_state(&rig.env, &keys[0]) == 'a' && !env_state(&rig.env, &keys[1]));
	rig_close(&rig);
	ck_assert_str_eq(closed, "bca");
}

/* Reads it once; the names parted by blanks. */
static void check_names(struct listing *listing, bool changed, const char *names)
{
	struct buffer text = { 0 };
	uint64_t reads = rig.env.reads;
	bool found = !changed;

	ck_assert_int_eq(listing_read(listing, &rig.env, &found), 0);
	ck_assert_int_eq(found, changed);
	ck_assert_uint_eq(rig.env.reads, reads + 1);
	for (size_t i = 0; i < listing->n_names; i++)
		buffer_print(&text, "%s%s", i > 0 ? " " : "", listing->names[i]);
	buffer_char(&text, '\0');
	ck_assert_str_eq(text.bytes, names);
	buffer_free(&text);
}

START_TEST(names_are_listed_by_their_numbers_and_compared)
{
	static const char *const left[] = { "cpu10", "b", ".hidden", ".other" };
	struct listing listing = { .path = "proc/d" };
	bool changed;

	rig_open(&rig, "empty", NULL);
	rig_make(&rig, "proc/d");
	check_names(&listing, false, "");
	rig_make(&rig, "proc/d/cpu10");
	rig_put(&rig, "proc/d/cpu9", "%s", "");
	rig_put(&rig, "proc/d/.hidden", "%s", "");
	rig_put(&rig, "proc/d/a", "%s", "");
	check_names(&listing, true, "a cpu9 cpu10");
	check_names(&listing, false, "a cpu9 cpu10");
	rig_remove(&rig, "proc/d/a");
	rig_put(&rig, "proc/d/b", "%s", ""); /* of the same length */
	check_names(&listing, true, "b cpu9 cpu10");
	rig_put(&rig, "proc/d/.other", "%s", "");
	check_names(&listing, false, "b cpu9 cpu10");
	rig_remove(&rig, "proc/d/cpu9");
	check_names(&listing, true, "b cpu10");
	for (unsigned i = 0; i < 4; i++)
		rig_remove(&rig, textf("proc/d/%s", left[i]));
	rig_remove(&rig, "proc/d");
	for (int i = 0; i < 2; i++) { /* open, and no longer open */
		env_forget_failures(&rig.env);
		ck_assert_int_eq(listing_read(&listing, &rig.env, &changed), -ENOENT);
		ck_assert(changed == (i == 0) && listing.n_names == 0 && !listing.opened);
		ck_assert_str_eq(env_failed_path(&rig.env, -ENOENT), "proc/d");
	}
	rig_make(&rig, "proc/d");
	rig_put(&rig, "proc/d/x", "%s", "");
	check_names(&listing, true, "x");
	listing_free(&listing);
	rig_close(&rig);
}

static void count_name(void *context, const char *name)
{
	unsigned *seen = context;

	for (unsigned i = 0; i < 3; i++)
		if (strcmp(name, (const char *const[]){ "d0", "link", ".d" }[i]) == 0)
			seen[1] |= 1U << i;
	seen[0]++;
}

/* More of them than one system call tells of. */
START_TEST(long_directories_are_listed_to_their_end)
{
	enum { N = 400 };
	struct listing listing = { .path = "proc/d" };
	unsigned seen[2] = { 0 };
	bool changed;

	rig_open(&rig, "empty", NULL);
	rig_make(&rig, "proc/d");
	for (unsigned i = 0; i < N; i++)
		rig_make(&rig, textf("proc/d/d%u", i));
	ck_assert_int_eq(listing_read(&listing, &rig.env, &changed), 0);
	ck_assert_uint_eq(listing.n_names, N);
	for (unsigned i = 0; i < N; i++)
		ck_assert_str_eq(listing.names[i], textf("d%u", i));
	rig_make(&rig, "proc/d/.d");
	rig_link(&rig, "proc/d/link", "d7");
	rig_put(&rig, "proc/d/file", "%s", "");
	ck_assert_int_eq(listing_each_directory(&rig.env, "proc/d", count_name, seen), 0);
	ck_assert_int_eq(listing_each_directory(&rig.env, "proc/none", count_name, seen), -ENOENT);
	ck_assert_int_eq(listing_each_directory(&rig.env, "proc/d/file", count_name, seen), -ENOTDIR);
	ck_assert(seen[0] == N + 2 && seen[1] == 7);
	listing_free(&listing);
	rig_close(&rig);
}

/* One way to read an attribute, which each of them does alike. */
enum reader { READ, ONCE, AT, IN, N_READERS };

static long read_by(enum reader reader, const char *name, char *bytes, size_t room)
{
	const char *path = textf("proc/%s", name);
	int directory = root_open_at(&rig.env.root, "proc", O_RDONLY | O_DIRECTORY);
	struct attribute attribute;
	long length = -1;

	attribute_open(&attribute, path);
	if (reader == READ)
		length = attribute_read(&attribute, &rig.env, bytes, room);
	else if (reader == ONCE)
		length = attribute_once(&rig.env, path, bytes, room);
	else if (reader == AT)
		length = attribute_at(&rig.env.root, path, bytes, room);
	else
		length = attribute_in(&rig.env, directory, name, bytes, room);
	close(directory);
	attribute_close(&attribute, &rig.env);
	ck_assert_uint_eq(rig.env.pids.n_kept, 0);
	return length;
}

START_TEST(attributes_are_texts_without_their_newline)
{
	static const struct {
		const char *text;
		size_t room;
		const char *read;
	} cases[] = {
		{ "abc\n", 64, "abc" },     { "abc", 64, "abc" },   { "\n", 64, "" },
		{ "", 64, "" },             { "a\n\n", 64, "a\n" }, { "0123456", 8, "0123456" },
		{ "0123456", 7, "012345" }, { "012\n", 5, "012" },  { "012\n", 4, "012" },
	};
	char bytes[65];

	rig_open(&rig, "empty", NULL);
	for (enum reader reader = 0; reader < N_READERS; reader++) {
		for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
			uint64_t reads = rig.env.reads;

			rig_put(&rig, "proc/x", "%s", cases[i].text);
			memset(bytes, 'y', sizeof(bytes));
			ck_assert_int_eq(read_by(reader, "x", bytes, cases[i].room),
					 (long)strlen(cases[i].read));
			ck_assert_str_eq(bytes, cases[i].read);
			ck_assert_int_eq(bytes[cases[i].room], 'y');
			ck_assert_uint_eq(rig.env.reads, reads + (reader != AT));
		}
		ck_assert_int_eq(read_by(reader, "none", bytes, sizeof(bytes)), -ENOENT);
		ck_assert_int_eq(read_by(reader, "pressure", bytes, sizeof(bytes)), -EISDIR);
	}
	rig_close(&rig);
}

/* Its length, or an error. */
static long length_of(struct attribute *attribute)
{
	char bytes[64];

	return attribute_read(attribute, &rig.env, bytes, sizeof(bytes));
}

START_TEST(attributes_stay_open_as_far_as_there_is_room)
{
	struct attribute first, second;

	rig_open(&rig, "empty", NULL);
	rig_put(&rig, "proc/x", "one\n");
	rig.env.pids.kept_max = 1;
	attribute_open(&first, "proc/x");
	attribute_open(&second, "proc/x");
	for (int i = 0; i < 2; i++)
		ck_assert(length_of(&first) == 3 && length_of(&second) == 3 && rig.env.pids.n_kept == 1);
	rig_remove(&rig, "proc/x");
	rig_put(&rig, "proc/x", "other\n");
	ck_assert(length_of(&first) == 3 && length_of(&second) == 5); /* the one that it opened */
	attribute_close(&first, &rig.env);
	ck_assert(length_of(&second) == 5 && second.kept && rig.env.pids.n_kept == 1);
	attribute_close(&second, &rig.env);
	attribute_open(&first, "proc/pressure");
	ck_assert_int_eq(length_of(&first), -EISDIR);
	ck_assert(!first.kept && rig.env.pids.n_kept == 0); /* it may be another one the next time */
	ck_assert_str_eq(env_failed_path(&rig.env, -EISDIR), "proc/pressure");
	attribute_close(&first, &rig.env);
	rig_close(&rig);
}

START_TEST(attributes_are_whole_numbers)
{
	static const struct {
		const char *text;
		int error;
		uint64_t value;
	} cases[] = {
		{ "12\n", 0, 12 },
		{ "18446744073709551615\n", 0, UINT64_MAX },
		{ "18446744073709551616\n", -EBADMSG, 7 },
		{ "", -EBADMSG, 7 },
		{ "12 \n", -EBADMSG, 7 },
		{ "12\n13\n", -EBADMSG, 7 },
		{ "-1\n", -EBADMSG, 7 },
	};
	struct attribute attribute;
	uint64_t value = 7;

	rig_open(&rig, "empty", NULL);
	attribute_open(&attribute, "proc/x");
	ck_assert_int_eq(attribute_u64(&attribute, &rig.env, &value), -ENOENT);
	ck_assert_int_eq(attribute_once_u64(&rig.env, "proc/x", &value), -ENOENT);
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		rig_put(&rig, "proc/x", "%s", cases[i].text);
		value = 7;
		ck_assert_int_eq(attribute_u64(&attribute, &rig.env, &value), cases[i].error);
		ck_assert_uint_eq(value, cases[i].value);
		ck_assert_int_eq(attribute_once_u64(&rig.env, "proc/x", &value), cases[i].error);
		ck_assert(cases[i].error || value == cases[i].value);
	}
	attribute_close(&attribute, &rig.env);
	rig_close(&rig);
}

START_TEST(long_texts_are_appended_up_to_about_a_limit)
{
	struct buffer text = { 0 };

	rig_open(&rig, "empty", NULL);
	write_bytes("proc/x", "first", 10000);
	buffer_text(&text, "before");
	ck_assert_int_eq(attribute_text(&rig.env, "proc/x", SIZE_MAX, &text), 0);
	ck_assert(text.length == 10006 && memcmp(text.bytes, "beforefirst\0", 12) == 0);
	buffer_empty(&text);
	ck_assert_int_eq(attribute_text(&rig.env, "proc/x", 1, &text), 0);
	ck_assert(text.length >= 1 && text.length < 10000);
	ck_assert_int_eq(attribute_text(&rig.env, "proc/pressure", SIZE_MAX, &text), -EISDIR);
	buffer_free(&text);
	rig_close(&rig);
}

START_TEST(tracefs_has_events)
{
	char bytes[16] = "";
	int tracefs;

	rig_open(&rig, "empty", NULL);
	rig_make(&rig, "proc/t");
	ck_assert_int_eq(tracefs_open(&rig.env, "proc/t"), -ENOENT);
	rig_put(&rig, "proc/t/events/id", "12345\n");
	tracefs = tracefs_open(&rig.env, "proc/t");
	ck_assert_int_eq(tracefs_read(tracefs, "events/id", bytes, sizeof(bytes)), 6);
	ck_assert_str_eq(bytes, "12345\n");
	ck_assert_int_eq(tracefs_read(tracefs, "events/none", bytes, sizeof(bytes)), -ENOENT);
	close(tracefs);
	rig_close(&rig);
}

#define N_OPEN 5

/* The descriptors of a process, as links in a copy of /proc; a file is no link. */
static const struct {
	uint32_t fd;
	const char *link, *info;
} opened[N_OPEN] = {
	{ 0, "/dev/null", "pos:\t0\n" },    { 1, "socket:[4711]", "pos:\t1\n" }, { 2, NULL, "pos:\t2\n" },
	{ 70, "socket:[9]", "pos:\t70\n" }, { 100, "/dev/tty", NULL },
};

static void make_open_files(void)
{
	rig_open(&rig, "empty", NULL);
	rig_link(&rig, "proc/9/fd/x", "/dev/x");
	for (unsigned i = 0; i < N_OPEN; i++) {
		if (opened[i].link)
			rig_link(&rig, textf("proc/9/fd/%u", opened[i].fd), opened[i].link);
		else
			rig_put(&rig, textf("proc/9/fd/%u", opened[i].fd), "%s", "");
		if (opened[i].info)
			rig_put(&rig, textf("proc/9/fdinfo/%u", opened[i].fd), "%s", opened[i].info);
	}
	rig_link(&rig, "proc/9/fdinfo/100", "0"); /* the kernel has no links there */
}

struct found_files {
	unsigned n, times[N_OPEN];
	bool below; /* without their fdinfo */
};

static unsigned index_of(uint32_t fd)
{
	for (unsigned i = 0; i < N_OPEN; i++)
		if (opened[i].fd == fd)
			return i;
	ck_abort_msg("descriptor %u", fd);
}

static void find_file(void *context, const struct open_file *file)
{
	struct found_files *found = context;
	unsigned i = index_of(file->fd);

	ck_assert_int_eq(file->link_error, opened[i].link ? 0 : -EINVAL);
	ck_assert_msg(span_is(file->link, opened[i].link ? opened[i].link : ""), "%u", file->fd);
	ck_assert_msg(span_is(file->info, opened[i].info && !found->below ? opened[i].info : ""), "%u",
		      file->fd);
	found->times[i]++;
	found->n++;
}

/* In turns of one, two … and of more than there are. */
START_TEST(open_files_come_in_turns)
{
	make_open_files();
	ck_assert_int_eq(dup2(root_open_at(&rig.env.root, "proc/9/fdinfo/0", O_RDONLY), STDIN_FILENO),
			 STDIN_FILENO);
	for (size_t most = 1; most <= N_OPEN + 1; most++) {
		struct found_files all = { 0 }, below = { .below = true };
		uint64_t cookie = 0;
		long n, sum = 0;

		do {
			unsigned before = all.n;

			n = open_files_read(&rig.env, 9, &cookie, most, find_file, &all);
			ck_assert(n >= 0 && n <= (long)most && n == (long)(all.n - before));
		} while (cookie != 0);
		for (unsigned i = 0; i < N_OPEN; i++)
			ck_assert_uint_eq(all.times[i], 1);
		sum = 0;
		do {
			n = open_files_below(&rig.env, 9, "/dev/", &cookie, most, find_file, &below);
			ck_assert(n >= 0 && n <= (long)most);
			sum += n;
		} while (cookie != 0);
		ck_assert_int_eq(sum, N_OPEN); /* all were looked at */
		ck_assert(below.n == 2 && below.times[0] == 1 && below.times[4] == 1);
	}
	ck_assert_int_ge(fcntl(STDIN_FILENO, F_GETFD), 0); /* which is none of theirs */
	rig_close(&rig);
}

START_TEST(the_info_of_one_open_file)
{
	uint64_t cookie = 0;
	char bytes[64];

	make_open_files();
	ck_assert_int_eq(open_files_info(&rig.env, 9, 70, bytes, sizeof(bytes)), 8);
	ck_assert_int_eq(memcmp(bytes, "pos:\t70\n", 8), 0);
	ck_assert_int_eq(open_files_info(&rig.env, 9, 70, bytes, 3), 3);
	ck_assert_int_eq(open_files_info(&rig.env, 9, 100, bytes, sizeof(bytes)), -ELOOP);
	ck_assert_int_eq(open_files_info(&rig.env, 9, 99, bytes, sizeof(bytes)), -ENOENT);
	ck_assert_int_eq(open_files_info(&rig.env, 8, 70, bytes, sizeof(bytes)), -ENOENT);
	ck_assert_int_eq(open_files_read(&rig.env, 8, &cookie, 1, find_file, NULL), -ENOENT);
	ck_assert_int_eq(open_files_sockets(&rig.env, 8, &cookie, 1, NULL, NULL), -ENOENT);
	for (uint32_t pid = 8; pid <= 9; pid++) /* the kernel counts those of a process */
		ck_assert_uint_eq(open_files_count(&rig.env, pid), U64_UNKNOWN);
	rig_close(&rig);
}

struct found_sockets {
	unsigned n, most; /* no more are wanted */
	uint64_t inodes;  /* their sum */
};

static bool find_socket(void *context, uint32_t fd, uint64_t inode)
{
	struct found_sockets *found = context;

	ck_assert_uint_eq(inode, fd == 1 ? 4711 : 9);
	ck_assert(fd == 1 || fd == 70);
	found->inodes += inode;
	return ++found->n < found->most;
}

/* Of those that are not known: the first n, below a limit, as long as there is time. */
START_TEST(new_sockets_are_looked_for_in_order)
{
	static const struct {
		uint64_t known[2];
		uint32_t n_known;
		uint64_t n;
		uint32_t limit;
		unsigned most;
		uint64_t inodes;
	} cases[] = {
		{ { 0 }, 0, 5, 200, 9, 4720 },     { { 0 }, 0, 5, 70, 9, 4711 },
		{ { 0 }, 0, 3, 200, 9, 4711 },     { { 0 }, 0, 4, 200, 9, 4720 },
		{ { 0 }, 0, 5, 200, 1, 4711 },     { { 2, 0 }, 128, 5, 200, 9, 9 },
		{ { 2, 0 }, 1, 5, 200, 9, 4720 },  { { 0, 64 }, 128, 5, 200, 9, 4711 },
	};

	make_open_files();
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct found_sockets found = { .most = cases[i].most };

		ck_assert(open_files_new_sockets(&rig.env, 9, cases[i].known, cases[i].n_known, cases[i].n,
						 cases[i].limit, UINT64_MAX, find_socket, &found));
		ck_assert_msg(found.inodes == cases[i].inodes, "case %zu: %u", i, (unsigned)found.inodes);
	}
	for (uint32_t limit = 31; limit <= 32; limit++) { /* it looks at the clock now and then */
		struct found_sockets found = { .most = 9 };

		ck_assert_int_eq(open_files_new_sockets(&rig.env, 9, cases[0].known, 0, 5, limit, 0,
							find_socket, &found), limit == 31);
		ck_assert_uint_eq(found.inodes, 4711);
	}
	ck_assert(!open_files_new_sockets(&rig.env, 8, cases[0].known, 0, 5, 9, UINT64_MAX, find_socket,
					  NULL));
	rig_close(&rig);
}

START_TEST(the_kernel_counts_open_files)
{
	uint64_t count;

	rig_open_live(&rig, NULL);
	count = open_files_count(&rig.env, rig.env.own_pid);
	ck_assert_uint_gt(count, 0);
	ck_assert_int_ge(open("/dev/null", O_RDONLY), 0);
	ck_assert_uint_eq(open_files_count(&rig.env, rig.env.own_pid),
			  count == U64_UNKNOWN ? count : count + 1);
	rig_close(&rig);
}

#define UPROBE "sys/bus/event_source/devices/uprobe"

/* What the kernel tells of its uprobes; NULL: there is no such file. */
START_TEST(uprobes_have_the_form_that_the_kernel_tells)
{
	static const struct {
		const char *type, *at_return, *semaphores;
		int error;
		uint32_t number;
		uint64_t bit;
		bool has_semaphores;
	} cases[] = {
		{ "8\n", "config:0\n", "config:32-63\n", 0, 8, 1, true },
		{ "9\n", "config:63\n", NULL, 0, 9, UINT64_C(1) << 63, false },
		{ "9\n", "config:1\n", "config:0-31\n", 0, 9, 2, false },
		{ "4294967296\n", "config:0\n", "config:32-63\n", -ENODATA, 0, 0, false },
		{ "8\n", "config:64\n", "config:32-63\n", -ENODATA, 8, 0, false },
		{ "8\n", "config1:0\n", "config:32-63\n", -ENODATA, 8, 0, false },
		{ "8\n", NULL, "config:32-63\n", -ENOENT, 8, 0, false },
		{ NULL, "config:0\n", "config:32-63\n", -ENOENT, 0, 0, false },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct uprobe_form form = { .at_return = 7 };

		rig_open(&rig, "empty", NULL);
		if (cases[i].type)
			rig_put(&rig, UPROBE "/type", "%s", cases[i].type);
		if (cases[i].at_return)
			rig_put(&rig, UPROBE "/format/retprobe", "%s", cases[i].at_return);
		if (cases[i].semaphores)
			rig_put(&rig, UPROBE "/format/ref_ctr_offset", "%s", cases[i].semaphores);
		rig.env.tick = 1;
		ck_assert_msg(uprobe_form_read(&rig.env, &form) == cases[i].error, "case %zu", i);
		ck_assert_uint_eq(form.type, cases[i].number);
		ck_assert_uint_eq(form.at_return, cases[i].bit);
		ck_assert_int_eq(form.semaphores, cases[i].has_semaphores);
		rig_close(&rig);
	}
}
