/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The machine as samplers see it: its clocks and sizes, what is open at most, and what failed. */
#include <config.h>

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "core/buffer.h"
#include "suite.h"
#include "sys/attribute.h"
#include "sys/env.h"
#include "sys/listing.h"
#include "sys/open_files.h"
#include "sys/tracefs.h"
#include "sys/uprobe.h"

/* A directory with proc/sys/kernel, as another root. */
static void make_root(char root[SCRATCH_PATH_MAX])
{
	static const char *const names[] = { "proc", "proc/sys", "proc/sys/kernel" };

	scratch_directory(root, "env");
	for (unsigned i = 0; i < 3; i++)
		ck_assert_int_eq(mkdir(textf("%s/%s", root, names[i]), 0700), 0);
}

static void write_bytes(const char *root, const char *name, const char *text, off_t length)
{
	char path[SCRATCH_PATH_MAX + 64];
	FILE *file;

	snprintf(path, sizeof(path), "%s/%s", root, name);
	file = fopen(path, "w");
	ck_assert_ptr_nonnull(file);
	fputs(text, file);
	ck_assert_int_eq(fclose(file), 0);
	ck_assert_int_eq(truncate(path, length), 0);
}

START_TEST(times_are_parted)
{
	struct timespec time = env_timespec(UINT64_C(1999999999));

	ck_assert(time.tv_sec == 1 && time.tv_nsec == 999999999);
	time = env_timespec(UINT64_C(2000000000));
	ck_assert(time.tv_sec == 2 && time.tv_nsec == 0);
}

static uint64_t now_ns(clockid_t clock)
{
	struct timespec now;

	ck_assert_int_eq(clock_gettime(clock, &now), 0);
	return (uint64_t)now.tv_sec * UINT64_C(1000000000) + (uint64_t)now.tv_nsec;
}

START_TEST(clocks_are_those_of_the_kernel)
{
	static const struct {
		clockid_t clock;
		uint64_t (*ns)(const struct machine_clock *clock);
	} clocks[] = {
		{ CLOCK_MONOTONIC, clock_mono_ns },
		{ CLOCK_BOOTTIME, clock_boot_ns },
		{ CLOCK_PROCESS_CPUTIME_ID, clock_self_cpu_ns },
		{ CLOCK_THREAD_CPUTIME_ID, clock_thread_cpu_ns },
	};
	uint64_t wall_ns = clock_wall_ns(&real_clock), minute_ns = UINT64_C(60000000000);

	for (unsigned i = 0; i < 4; i++) {
		uint64_t before = now_ns(clocks[i].clock), ns = clocks[i].ns(&real_clock),
			 after = now_ns(clocks[i].clock);

		ck_assert_msg(before <= ns && ns <= after, "clock %u", i);
	}
	ck_assert_uint_le(wall_ns - now_ns(CLOCK_REALTIME) + minute_ns, 2 * minute_ns);
}

START_TEST(a_process_has_a_clock_until_it_ends)
{
	uint64_t before, after, ns = 7;
	struct env env;
	pid_t child;

	before = clock_self_cpu_ns(&real_clock);
	ck_assert(clock_process_cpu_ns(&real_clock, env_self_pid(), &ns));
	after = clock_self_cpu_ns(&real_clock);
	ck_assert(before <= ns && ns <= after);
	child = fork();
	if (child == 0)
		_exit(0);
	ck_assert_int_gt(child, 0);
	ck_assert_int_eq(waitpid(child, NULL, 0), child);
	ns = 7;
	ck_assert(!clock_process_cpu_ns(&real_clock, (uint32_t)child, &ns));
	ck_assert_uint_eq(ns, 7);
	ck_assert_int_eq(env_open(&env, "/"), 0);
	ck_assert(env_has_process_clocks(&env));
	env.foreign_pids = true;
	ck_assert(!env_has_process_clocks(&env));
	env.foreign_pids = false;
	env.live = false;
	ck_assert(!env_has_process_clocks(&env));
	env.live = true;
	env.own_pid = 0;
	ck_assert(!env_has_process_clocks(&env));
	env.own_pid = (uint32_t)child;
	ck_assert(!env_has_process_clocks(&env));
	env_close(&env);
}

/* What is only mapped does not count. */
START_TEST(resident_memory_is_what_was_touched)
{
	const size_t mapped = (size_t)1 << 30, touched = (size_t)32 << 20;
	uint64_t before, after;
	struct env env;
	char *memory = mmap(NULL, mapped, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE,
			    -1, 0);

	ck_assert_ptr_ne(memory, MAP_FAILED);
	ck_assert_int_eq(env_open(&env, "/"), 0);
	before = env_self_resident_bytes(&env);
	for (size_t at = 0; at < touched; at += 4096)
		memory[at] = 1;
	after = env_self_resident_bytes(&env);
	ck_assert_uint_gt(before, 0);
	ck_assert_uint_eq(before % env.page_bytes, 0);
	ck_assert_uint_lt(before, mapped);
	ck_assert_uint_ge(after, before + touched / 2);
	ck_assert_uint_le(after, before + 2 * touched);
	ck_assert_int_eq(munmap(memory, mapped), 0);
	env_close(&env);
}

START_TEST(sizes_are_those_of_the_machine)
{
	struct env env;

	ck_assert_int_eq(env_open(&env, "/"), 0);
	ck_assert_uint_eq(env.page_bytes, (uint64_t)sysconf(_SC_PAGESIZE));
	ck_assert_uint_eq(env.ticks_per_second, (uint64_t)sysconf(_SC_CLK_TCK));
	ck_assert_uint_eq(env_cpus(), (unsigned)sysconf(_SC_NPROCESSORS_CONF));
	ck_assert(env.live && env.root.fd >= 0);
	ck_assert(env_exists(&env, "proc/self/stat") && !env_exists(&env, "proc/self/none"));
	env_close(&env);
	ck_assert_int_eq(env.root.fd, -1);
}

/* Of what may be open 64 stay free, and 4 for each CPU; processes and counters have half of the rest each. */
START_TEST(open_files_are_shared_out)
{
	const rlim_t left = 64 + 4 * env_cpus();
	static const unsigned more[] = { 101, 2, 1, 0 };

	for (unsigned i = 0; i < 4; i++) {
		struct rlimit limit = { .rlim_cur = 50, .rlim_max = left + more[i] };
		struct env env;

		if (setrlimit(RLIMIT_NOFILE, &limit) < 0)
			skip_test("not as many files may be open: %s", strerror(errno));
		ck_assert_int_eq(env_open(&env, "/"), 0);
		ck_assert_uint_eq(env.files_before, 50);
		ck_assert_uint_eq(env.counters.max, more[i] / 2);
		ck_assert_uint_eq(env.pids.kept_max, more[i] / 2);
		ck_assert_int_eq(getrlimit(RLIMIT_NOFILE, &limit), 0);
		ck_assert_uint_eq(limit.rlim_cur, left + more[i]);
		env_close(&env);
	}
}

START_TEST(a_snap_has_its_name)
{
	char root[SCRATCH_PATH_MAX];
	struct env env;

	make_root(root);
	for (unsigned i = 0; i < 4; i++) {
		if (i == 3)
			unsetenv("SNAP_NAME");
		else
			setenv("SNAP_NAME", i == 1 ? PACKAGE "s" : PACKAGE, 1);
		ck_assert_int_eq(env_open(&env, i == 2 ? root : "/"), 0);
		ck_assert_int_eq(env.in_snap, i == 0);
		ck_assert_int_eq(env.live, i != 2);
		env_close(&env);
	}
}

START_TEST(another_root_has_a_host)
{
	char root[SCRATCH_PATH_MAX], host[64], own[64] = "";
	struct env env;

	make_root(root);
	ck_assert_int_eq(gethostname(own, sizeof(own) - 1), 0);
	ck_assert_int_eq(env_open(&env, root), 0);
	env_host(&env, host, sizeof(host));
	ck_assert_str_eq(host, own);
	write_bytes(root, "proc/sys/kernel/hostname", "box", 3);
	env.tick++;
	env_host(&env, host, 4);
	ck_assert_str_eq(host, "box");
	memset(host, 'x', sizeof(host));
	env_host(&env, host, 3);
	ck_assert_str_ne(host, "bo"); /* no part of it */
	ck_assert_uint_lt(strlen(host), 3);
	write_bytes(root, "proc/sys/kernel/hostname", "other\n", 6);
	env.tick++;
	env_host(&env, host, sizeof(host));
	ck_assert_str_eq(host, "other");
	env.live = true;
	env_host(&env, host, sizeof(host));
	ck_assert_str_eq(host, own);
	env_close(&env);
}

/* Each part counts, and the look that finds the end. */
START_TEST(reads_are_counted)
{
	static const struct {
		off_t length;
		uint64_t reads;
	} cases[] = { { 0, 1 }, { 5, 2 }, { 4095, 2 }, { 4096, 2 }, { 4097, 3 }, { 8193, 4 } };
	char root[SCRATCH_PATH_MAX];
	struct span text;
	struct env env;

	make_root(root);
	for (unsigned i = 0; i < 6; i++) {
		ck_assert_int_eq(env_open(&env, root), 0);
		env.tick = 1;
		write_bytes(root, "proc/x", "abc", cases[i].length);
		env.reads = 0;
		ck_assert_int_eq(env_read(&env, env_file(&env, "proc/x"), &text), 0);
		ck_assert_uint_eq(span_length(text), (size_t)cases[i].length);
		ck_assert_uint_eq(env.reads, cases[i].reads);
		env_close(&env);
	}
}

START_TEST(a_file_has_less_than_64_mib)
{
	const off_t most = (off_t)64 << 20;
	char root[SCRATCH_PATH_MAX];
	struct span text;
	struct env env;

	make_root(root);
	ck_assert_int_eq(env_open(&env, root), 0);
	env.tick = 1;
	write_bytes(root, "proc/x", "", most - 1);
	ck_assert_int_eq(env_read(&env, env_file(&env, "proc/x"), &text), 0);
	ck_assert_uint_eq(span_length(text), (size_t)most - 1);
	env.tick = 2;
	write_bytes(root, "proc/x", "", most);
	ck_assert_int_eq(env_read(&env, env_file(&env, "proc/x"), &text), -EFBIG);
	env.tick = 3;
	write_bytes(root, "proc/x", "", 3); /* it is opened again */
	ck_assert_int_eq(env_read(&env, env_file(&env, "proc/x"), &text), 0);
	ck_assert_uint_eq(span_length(text), 3);
	env_close(&env);
}

START_TEST(the_first_failures_are_kept)
{
	char root[SCRATCH_PATH_MAX], path[ENV_FAILED_PATH_MAX + 10];
	struct env env;
	int error;

	make_root(root);
	ck_assert_int_eq(env_open(&env, root), 0);
	ck_assert_ptr_null(env_lacking_path(&env, &error));
	for (int i = 1; i <= ENV_FAILURES_MAX + 1; i++) {
		snprintf(path, sizeof(path), "proc/%d", i);
		env_note_failure(&env, path, -i);
	}
	ck_assert_uint_eq(env.n_failures, ENV_FAILURES_MAX);
	ck_assert_str_eq(env_failed_path(&env, -1), "proc/1");
	ck_assert_str_eq(env_failed_path(&env, -ENV_FAILURES_MAX), "proc/8");
	ck_assert_ptr_null(env_failed_path(&env, -ENV_FAILURES_MAX - 1));
	env_forget_failures(&env);
	ck_assert_ptr_null(env_failed_path(&env, -1));
	memset(path, 'x', sizeof(path) - 1);
	path[sizeof(path) - 1] = '\0';
	env_note_failure(&env, path, -ENOMEM);
	ck_assert_uint_eq(strlen(env_lacking_path(&env, &error)), ENV_FAILED_PATH_MAX - 1);
	ck_assert_int_eq(error, -ENOMEM);
	env_note_failure(&env, "proc/more", -ENOMEM);
	env_note_failure(&env, "proc/files", -ENFILE);
	ck_assert_str_eq(env_lacking_path(&env, &error), "proc/files");
	ck_assert_int_eq(error, -ENFILE);
	env_note_failure(&env, "proc/own", -EMFILE);
	ck_assert_str_eq(env_lacking_path(&env, &error), "proc/own");
	ck_assert_int_eq(error, -EMFILE);
	env_close(&env);
}

START_TEST(errors_have_texts)
{
	ck_assert_str_eq(env_error_text(ENOENT), strerror(ENOENT));
	ck_assert_str_eq(env_error_text(EXDEV), "/proc is not that of panetop's own pid namespace");
}

static char keys[3];
static char closed[8];

static void close_state(void *state)
{
	strncat(closed, state, 1);
}

/* From the middle, too; the others stay, and are closed in the end, the newest first. */
START_TEST(states_are_removed_one_by_one)
{
	static const char names[] = "abc";

	for (unsigned removed = 0; removed < 3; removed++) {
		struct env env;

		closed[0] = '\0';
		ck_assert_int_eq(env_open(&env, "/"), 0);
		for (unsigned i = 0; i < 3; i++)
			memcpy(env_state_add(&env, &keys[i], 2, close_state), &names[i], 1);
		env_state_remove(&env, &keys[removed]);
		env_state_remove(&env, &keys[removed]);
		env_state_remove(&env, names);
		ck_assert_int_eq(closed[0], names[removed]);
		ck_assert_int_eq(closed[1], '\0');
		for (unsigned i = 0; i < 3; i++) {
			const char *state = env_state(&env, &keys[i]);

			ck_assert(i == removed ? !state : state && *state == names[i]);
		}
		env_close(&env);
		ck_assert_str_eq(closed, removed == 0 ? "acb" : removed == 1 ? "bca" : "cba");
	}
}

static void make_directory(const char *root, const char *name)
{
	ck_assert_int_eq(mkdir(textf("%s/%s", root, name), 0700), 0);
}

static void write_text(const char *root, const char *name, const char *text)
{
	write_bytes(root, name, text, (off_t)strlen(text));
}

static void make_link(const char *root, const char *name, const char *target)
{
	ck_assert_int_eq(symlink(target, textf("%s/%s", root, name)), 0);
}

static void remove_name(const char *root, const char *name)
{
	ck_assert_int_eq(remove(textf("%s/%s", root, name)), 0);
}

/* Reads it once; the names parted by blanks. */
static void check_names(struct listing *listing, struct env *env, bool changed, const char *names)
{
	struct buffer text = { 0 };
	uint64_t reads = env->reads;
	bool found = !changed;

	ck_assert_int_eq(listing_read(listing, env, &found), 0);
	ck_assert_int_eq(found, changed);
	ck_assert_uint_eq(env->reads, reads + 1);
	for (size_t i = 0; i < listing->n_names; i++)
		buffer_print(&text, "%s%s", i > 0 ? " " : "", listing->names[i]);
	buffer_char(&text, '\0');
	ck_assert_str_eq(text.bytes, names);
	buffer_free(&text);
}

START_TEST(names_are_listed_by_their_numbers_and_compared)
{
	struct listing listing = { .path = "proc/d" };
	char root[SCRATCH_PATH_MAX];
	struct env env;
	bool changed;

	make_root(root);
	make_directory(root, "proc/d");
	ck_assert_int_eq(env_open(&env, root), 0);
	check_names(&listing, &env, false, "");
	make_directory(root, "proc/d/cpu10");
	write_text(root, "proc/d/cpu9", "");
	write_text(root, "proc/d/.hidden", "");
	write_text(root, "proc/d/a", "");
	check_names(&listing, &env, true, "a cpu9 cpu10");
	check_names(&listing, &env, false, "a cpu9 cpu10");
	remove_name(root, "proc/d/a");
	write_text(root, "proc/d/b", ""); /* of the same length */
	check_names(&listing, &env, true, "b cpu9 cpu10");
	write_text(root, "proc/d/.other", "");
	check_names(&listing, &env, false, "b cpu9 cpu10");
	remove_name(root, "proc/d/cpu9");
	check_names(&listing, &env, true, "b cpu10");
	remove_name(root, "proc/d/cpu10");
	remove_name(root, "proc/d/b");
	remove_name(root, "proc/d/.hidden");
	remove_name(root, "proc/d/.other");
	remove_name(root, "proc/d");
	for (int i = 0; i < 2; i++) { /* open, and no longer open */
		env_forget_failures(&env);
		ck_assert_int_eq(listing_read(&listing, &env, &changed), -ENOENT);
		ck_assert(changed == (i == 0) && listing.n_names == 0 && !listing.opened);
		ck_assert_str_eq(env_failed_path(&env, -ENOENT), "proc/d");
	}
	make_directory(root, "proc/d");
	write_text(root, "proc/d/x", "");
	check_names(&listing, &env, true, "x");
	listing_free(&listing);
	ck_assert_str_eq(listing.path, "proc/d");
	ck_assert(!listing.opened && listing.n_names == 0 && listing.text.length == 0);
	env_close(&env);
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
	char root[SCRATCH_PATH_MAX];
	unsigned seen[2] = { 0 };
	struct env env;
	bool changed;

	scratch_directory_in_memory(root, "env");
	make_directory(root, "proc");
	make_directory(root, "proc/d");
	for (unsigned i = 0; i < N; i++)
		make_directory(root, textf("proc/d/d%u", i));
	ck_assert_int_eq(env_open(&env, root), 0);
	ck_assert_int_eq(listing_read(&listing, &env, &changed), 0);
	ck_assert_uint_eq(listing.n_names, N);
	for (unsigned i = 0; i < N; i++)
		ck_assert_str_eq(listing.names[i], textf("d%u", i));
	make_directory(root, "proc/d/.d");
	make_link(root, "proc/d/link", "d7");
	write_text(root, "proc/d/file", "");
	ck_assert_int_eq(listing_each_directory(&env, "proc/d", count_name, seen), 0);
	ck_assert_uint_eq(seen[0], N + 2);
	ck_assert_uint_eq(seen[1], 7);
	ck_assert_int_eq(listing_each_directory(&env, "proc/none", count_name, seen), -ENOENT);
	ck_assert_int_eq(listing_each_directory(&env, "proc/d/file", count_name, seen), -ENOTDIR);
	ck_assert_uint_eq(seen[0], N + 2);
	listing_free(&listing);
	env_close(&env);
}

START_TEST(a_directory_is_told_by_its_inode_and_links)
{
	char root[SCRATCH_PATH_MAX], path[SCRATCH_PATH_MAX + 64];
	uint64_t inode, n_links;
	struct stat status;
	struct env env;

	make_root(root);
	for (int live = 0; live < 2; live++) {
		ck_assert_int_eq(env_open(&env, live ? "/" : root), 0);
		snprintf(path, sizeof(path), "%s/proc", live ? "" : root);
		ck_assert_int_eq(stat(path, &status), 0);
		inode = n_links = 0;
		ck_assert_int_eq(listing_look(&env, live ? path + 1 : "proc", &inode, &n_links), 0);
		ck_assert_uint_eq(inode, status.st_ino);
		if (!live) /* processes come and go */
			ck_assert_uint_eq(n_links, status.st_nlink);
		inode = 7;
		n_links = 8;
		ck_assert_int_eq(listing_look(&env, "proc/none", &inode, &n_links), -ENOENT);
		ck_assert(inode == 7 && n_links == 8);
		env_close(&env);
	}
}

/* One way to read an attribute, which each of them does alike. */
enum reader { READ, ONCE, AT, IN, N_READERS };

static long read_by(enum reader reader, struct env *env, const char *name, char *bytes, size_t room)
{
	struct attribute attribute;
	long length = -1;
	char path[64];
	int directory;

	snprintf(path, sizeof(path), "proc/%s", name);
	attribute_open(&attribute, path);
	directory = root_open_at(&env->root, "proc", O_RDONLY | O_DIRECTORY);
	if (reader == READ)
		length = attribute_read(&attribute, env, bytes, room);
	else if (reader == ONCE)
		length = attribute_once(env, path, bytes, room);
	else if (reader == AT)
		length = attribute_at(&env->root, path, bytes, room);
	else
		length = attribute_in(env, directory, name, bytes, room);
	close(directory);
	attribute_close(&attribute, env);
	ck_assert_uint_eq(env->pids.n_kept, 0);
	return length;
}

START_TEST(attributes_are_texts_without_their_newline)
{
	static const struct {
		const char *text;
		size_t room;
		const char *read;
	} cases[] = {
		{ "abc\n", 64, "abc" },     { "abc", 64, "abc" },
		{ "\n", 64, "" },           { "", 64, "" },
		{ "a\n\n", 64, "a\n" },     { "0123456", 8, "0123456" },
		{ "0123456", 7, "012345" }, { "012\n", 5, "012" },
		{ "012\n", 4, "012" },
	};
	char root[SCRATCH_PATH_MAX], bytes[65];
	struct env env;

	scratch_directory_in_memory(root, "env");
	make_directory(root, "proc");
	make_directory(root, "proc/sys");
	ck_assert_int_eq(env_open(&env, root), 0);
	for (int reader = 0; reader < N_READERS; reader++) {
		for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
			uint64_t reads = env.reads;

			write_text(root, "proc/x", cases[i].text);
			memset(bytes, 'y', sizeof(bytes));
			ck_assert_int_eq(read_by((enum reader)reader, &env, "x", bytes, cases[i].room),
					 (long)strlen(cases[i].read));
			ck_assert_str_eq(bytes, cases[i].read);
			ck_assert_int_eq(bytes[cases[i].room], 'y');
			ck_assert_uint_eq(env.reads, reads + (reader != AT));
		}
		ck_assert_int_eq(read_by((enum reader)reader, &env, "none", bytes, sizeof(bytes)), -ENOENT);
		ck_assert_int_eq(read_by((enum reader)reader, &env, "sys", bytes, sizeof(bytes)), -EISDIR);
	}
	env_close(&env);
}

START_TEST(attributes_stay_open_as_far_as_there_is_room)
{
	struct attribute first, second, none = { 0 };
	char root[SCRATCH_PATH_MAX], bytes[64];
	struct env env;

	make_root(root);
	write_text(root, "proc/x", "one\n");
	ck_assert_int_eq(env_open(&env, root), 0);
	env.pids.kept_max = 1;
	attribute_open(&first, "proc/x");
	attribute_open(&second, "proc/x");
	for (int i = 0; i < 2; i++) {
		ck_assert_int_eq(attribute_read(&first, &env, bytes, sizeof(bytes)), 3);
		ck_assert(first.kept && env.pids.n_kept == 1);
		ck_assert_int_eq(attribute_read(&second, &env, bytes, sizeof(bytes)), 3);
		ck_assert(!second.kept && env.pids.n_kept == 1);
	}
	remove_name(root, "proc/x");
	write_text(root, "proc/x", "other\n");
	ck_assert_int_eq(attribute_read(&first, &env, bytes, sizeof(bytes)), 3); /* the one that it opened */
	ck_assert_int_eq(attribute_read(&second, &env, bytes, sizeof(bytes)), 5);
	attribute_close(&first, &env);
	ck_assert(!first.kept && !first.path && env.pids.n_kept == 0);
	ck_assert_int_eq(attribute_read(&second, &env, bytes, sizeof(bytes)), 5);
	ck_assert(second.kept && env.pids.n_kept == 1);
	attribute_close(&second, &env);
	attribute_open(&first, "proc/sys");
	ck_assert_int_eq(attribute_read(&first, &env, bytes, sizeof(bytes)), -EISDIR);
	ck_assert(!first.kept && env.pids.n_kept == 0); /* it may be another one the next time */
	ck_assert_str_eq(env_failed_path(&env, -EISDIR), "proc/sys");
	attribute_close(&first, &env);
	ck_assert_int_eq(attribute_read(&none, &env, bytes, sizeof(bytes)), -ENOENT);
	ck_assert_ptr_null(env_failed_path(&env, -ENOENT));
	attribute_open(&first, "proc/none");
	ck_assert_int_eq(attribute_read(&first, &env, bytes, sizeof(bytes)), -ENOENT);
	ck_assert_str_eq(env_failed_path(&env, -ENOENT), "proc/none");
	attribute_close(&first, &env);
	env_close(&env);
}

START_TEST(attributes_are_whole_numbers)
{
	static const struct {
		const char *text;
		int error;
		uint64_t value;
	} cases[] = {
		{ "12\n", 0, 12 },
		{ "0", 0, 0 },
		{ "18446744073709551615\n", 0, UINT64_MAX },
		{ "18446744073709551616\n", -EBADMSG, 7 },
		{ "", -EBADMSG, 7 },
		{ "x\n", -EBADMSG, 7 },
		{ "12 \n", -EBADMSG, 7 },
		{ "12\n13\n", -EBADMSG, 7 },
		{ "-1\n", -EBADMSG, 7 },
	};
	struct attribute attribute;
	char root[SCRATCH_PATH_MAX];
	uint64_t value = 7;
	struct env env;

	make_root(root);
	ck_assert_int_eq(env_open(&env, root), 0);
	attribute_open(&attribute, "proc/x");
	ck_assert_int_eq(attribute_u64(&attribute, &env, &value), -ENOENT);
	ck_assert_int_eq(attribute_once_u64(&env, "proc/x", &value), -ENOENT);
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		write_text(root, "proc/x", cases[i].text);
		value = 7;
		ck_assert_int_eq(attribute_u64(&attribute, &env, &value), cases[i].error);
		ck_assert_uint_eq(value, cases[i].value);
		value = 7;
		ck_assert_int_eq(attribute_once_u64(&env, "proc/x", &value), cases[i].error);
		ck_assert(cases[i].error || value == cases[i].value);
	}
	attribute_close(&attribute, &env);
	env_close(&env);
}

/* A pipe has no offset, and what was read is gone. */
START_TEST(a_pipe_stands_for_a_slow_attribute)
{
	char root[SCRATCH_PATH_MAX], path[SCRATCH_PATH_MAX + 64], bytes[64];
	struct env env;
	int writer;

	make_root(root);
	snprintf(path, sizeof(path), "%s/proc/x", root);
	ck_assert_int_eq(mkfifo(path, 0600), 0);
	ck_assert_int_eq(env_open(&env, root), 0);
	writer = open(path, O_RDWR);
	ck_assert_int_eq(write(writer, "12\n", 3), 3);
	ck_assert_int_eq(attribute_at(&env.root, "proc/x", bytes, sizeof(bytes)), 2);
	ck_assert_str_eq(bytes, "12");
	close(writer);
	env_close(&env);
}

START_TEST(long_texts_are_appended_up_to_about_a_limit)
{
	char root[SCRATCH_PATH_MAX];
	struct buffer text = { 0 };
	struct env env;

	make_root(root);
	write_bytes(root, "proc/x", "first", 10000);
	ck_assert_int_eq(env_open(&env, root), 0);
	buffer_text(&text, "before");
	env.reads = 0;
	ck_assert_int_eq(attribute_text(&env, "proc/x", SIZE_MAX, &text), 0);
	ck_assert_uint_eq(text.length, 10006);
	ck_assert_int_eq(memcmp(text.bytes, "beforefirst\0", 12), 0);
	ck_assert_uint_eq(env.reads, 1);
	buffer_empty(&text);
	ck_assert_int_eq(attribute_text(&env, "proc/x", 1, &text), 0);
	ck_assert(text.length >= 1 && text.length < 10000);
	ck_assert_int_eq(attribute_text(&env, "proc/none", 1, &text), -ENOENT);
	ck_assert_int_eq(attribute_text(&env, "proc/sys", SIZE_MAX, &text), -EISDIR);
	buffer_free(&text);
	env_close(&env);
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

static void make_open_files(char root[SCRATCH_PATH_MAX])
{
	char name[64];

	make_root(root);
	make_directory(root, "proc/9");
	make_directory(root, "proc/9/fd");
	make_directory(root, "proc/9/fdinfo");
	make_link(root, "proc/9/fd/x", "/dev/x");
	for (unsigned i = 0; i < N_OPEN; i++) {
		snprintf(name, sizeof(name), "proc/9/fd/%u", opened[i].fd);
		if (opened[i].link)
			make_link(root, name, opened[i].link);
		else
			write_text(root, name, "");
		snprintf(name, sizeof(name), "proc/9/fdinfo/%u", opened[i].fd);
		if (opened[i].info)
			write_text(root, name, opened[i].info);
	}
	make_link(root, "proc/9/fdinfo/100", "0"); /* the kernel has no links there */
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
	char root[SCRATCH_PATH_MAX];
	struct env env;

	make_open_files(root);
	ck_assert_int_eq(env_open(&env, root), 0);
	ck_assert_int_eq(dup2(root_open_at(&env.root, "proc/9/fdinfo/0", O_RDONLY), STDIN_FILENO),
			 STDIN_FILENO);
	for (size_t most = 1; most <= N_OPEN + 1; most++) {
		struct found_files all = { 0 }, below = { .below = true };
		uint64_t cookie = 0;
		long n, sum = 0;

		do {
			unsigned before = all.n;

			n = open_files_read(&env, 9, &cookie, most, find_file, &all);
			ck_assert(n >= 0 && n <= (long)most && n == (long)(all.n - before));
			sum += n;
		} while (cookie != 0);
		ck_assert_int_eq(sum, N_OPEN);
		for (unsigned i = 0; i < N_OPEN; i++)
			ck_assert_uint_eq(all.times[i], 1);
		sum = 0;
		do {
			n = open_files_below(&env, 9, "/dev/", &cookie, most, find_file, &below);
			ck_assert(n >= 0 && n <= (long)most);
			sum += n;
		} while (cookie != 0);
		ck_assert_int_eq(sum, N_OPEN); /* all were looked at */
		ck_assert(below.n == 2 && below.times[0] == 1 && below.times[4] == 1);
	}
	ck_assert_int_ge(fcntl(STDIN_FILENO, F_GETFD), 0); /* which is none of theirs */
	env_close(&env);
}

START_TEST(the_info_of_one_open_file)
{
	uint64_t cookie = 0;
	char root[SCRATCH_PATH_MAX], bytes[64];
	struct env env;

	make_open_files(root);
	ck_assert_int_eq(env_open(&env, root), 0);
	ck_assert_int_eq(open_files_info(&env, 9, 70, bytes, sizeof(bytes)), 8);
	ck_assert_int_eq(memcmp(bytes, "pos:\t70\n", 8), 0);
	ck_assert_int_eq(open_files_info(&env, 9, 70, bytes, 3), 3);
	ck_assert_int_eq(open_files_info(&env, 9, 100, bytes, sizeof(bytes)), -ELOOP);
	ck_assert_int_eq(open_files_info(&env, 9, 99, bytes, sizeof(bytes)), -ENOENT);
	ck_assert_int_eq(open_files_info(&env, 8, 70, bytes, sizeof(bytes)), -ENOENT);
	ck_assert_int_eq(open_files_read(&env, 8, &cookie, 1, find_file, NULL), -ENOENT);
	ck_assert_int_eq(open_files_sockets(&env, 8, &cookie, 1, NULL, NULL), -ENOENT);
	ck_assert_uint_eq(open_files_count(&env, 9), U64_UNKNOWN); /* the kernel counts those of a process */
	ck_assert_uint_eq(open_files_count(&env, 8), U64_UNKNOWN);
	env_close(&env);
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

START_TEST(sockets_among_open_files)
{
	char root[SCRATCH_PATH_MAX];
	struct env env;

	make_open_files(root);
	ck_assert_int_eq(env_open(&env, root), 0);
	for (unsigned most = 1; most <= 3; most++) {
		struct found_sockets found = { .most = most };
		uint64_t cookie = 0;
		long n = open_files_sockets(&env, 9, &cookie, 100, find_socket, &found);

		ck_assert_uint_eq(found.n, most < 2 ? most : 2);
		ck_assert(n >= (long)found.n && n <= N_OPEN);
		if (most == 3)
			ck_assert(n == N_OPEN && cookie == 0 && found.inodes == 4720);
	}
	env_close(&env);
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
		{ { 0 }, 0, 5, 200, 9, 4720 },       { { 0 }, 0, 5, 71, 9, 4720 },
		{ { 0 }, 0, 5, 70, 9, 4711 },        { { 0 }, 0, 5, 1, 9, 0 },
		{ { 0 }, 0, 1, 200, 9, 0 },          { { 0 }, 0, 2, 200, 9, 4711 },
		{ { 0 }, 0, 3, 200, 9, 4711 },       { { 0 }, 0, 4, 200, 9, 4720 },
		{ { 0 }, 0, 5, 200, 1, 4711 },       { { 2, 0 }, 128, 5, 200, 9, 9 },
		{ { 2, 0 }, 1, 5, 200, 9, 4720 },    { { 2, 0 }, 2, 5, 200, 9, 9 },
		{ { 0, 64 }, 128, 5, 200, 9, 4711 }, { { 0, 64 }, 70, 5, 200, 9, 4720 },
		{ { 7, 0 }, 128, 1, 200, 9, 9 },
	};
	char root[SCRATCH_PATH_MAX];
	struct env env;

	make_open_files(root);
	ck_assert_int_eq(env_open(&env, root), 0);
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct found_sockets found = { .most = cases[i].most };

		ck_assert(open_files_new_sockets(&env, 9, cases[i].known, cases[i].n_known, cases[i].n,
						 cases[i].limit, UINT64_MAX, find_socket, &found));
		ck_assert_msg(found.inodes == cases[i].inodes, "case %zu: %u", i, (unsigned)found.inodes);
	}
	for (uint32_t limit = 31; limit <= 32; limit++) { /* it looks at the clock now and then */
		struct found_sockets found = { .most = 9 };

		ck_assert_int_eq(
			open_files_new_sockets(&env, 9, cases[0].known, 0, 5, limit, 0, find_socket, &found),
			limit == 31);
		ck_assert_uint_eq(found.inodes, 4711);
	}
	ck_assert(!open_files_new_sockets(&env, 8, cases[0].known, 0, 5, 9, UINT64_MAX, find_socket, NULL));
	env_close(&env);
}

START_TEST(the_kernel_counts_open_files)
{
	uint64_t count, more;
	struct env env;

	ck_assert_int_eq(env_open(&env, "/"), 0);
	count = open_files_count(&env, env.own_pid);
	for (unsigned i = 0; i < 2; i++)
		ck_assert_int_ge(open("/dev/null", O_RDONLY), 0);
	more = open_files_count(&env, env.own_pid);
	ck_assert_uint_gt(count, 0);
	ck_assert(count == U64_UNKNOWN ? more == U64_UNKNOWN : more == count + 2);
	env_close(&env);
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
		{ "4294967295\n", "config:63\n", "config:32-63\n", 0, UINT32_MAX, UINT64_C(1) << 63, true },
		{ "9\n", "config:1\n", NULL, 0, 9, 2, false },
		{ "9\n", "config:1\n", "config:0-31\n", 0, 9, 2, false },
		{ "4294967296\n", "config:0\n", "config:32-63\n", -ENODATA, 0, 0, false },
		{ "x\n", "config:0\n", "config:32-63\n", -ENODATA, 0, 0, false },
		{ "8\n", "config:64\n", "config:32-63\n", -ENODATA, 8, 0, false },
		{ "8\n", "config1:0\n", "config:32-63\n", -ENODATA, 8, 0, false },
		{ "8\n", "config:\n", "config:32-63\n", -ENODATA, 8, 0, false },
		{ "8\n", NULL, "config:32-63\n", -ENOENT, 8, 0, false },
		{ NULL, "config:0\n", "config:32-63\n", -ENOENT, 0, 0, false },
	};
	static const char *const directories[] = {
		"sys",  "sys/bus",        "sys/bus/event_source", "sys/bus/event_source/devices",
		UPROBE, UPROBE "/format",
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct uprobe_form form = { .at_return = 7 };
		char root[SCRATCH_PATH_MAX];
		struct env env;

		scratch_directory_in_memory(root, "env");
		for (size_t k = 0; k < sizeof(directories) / sizeof(directories[0]); k++)
			make_directory(root, directories[k]);
		if (cases[i].type)
			write_text(root, UPROBE "/type", cases[i].type);
		if (cases[i].at_return)
			write_text(root, UPROBE "/format/retprobe", cases[i].at_return);
		if (cases[i].semaphores)
			write_text(root, UPROBE "/format/ref_ctr_offset", cases[i].semaphores);
		ck_assert_int_eq(env_open(&env, root), 0);
		env.tick = 1;
		ck_assert_msg(uprobe_form_read(&env, &form) == cases[i].error, "case %zu", i);
		ck_assert_uint_eq(form.type, cases[i].number);
		ck_assert_uint_eq(form.at_return, cases[i].bit);
		ck_assert_int_eq(form.semaphores, cases[i].has_semaphores);
		env_close(&env);
	}
}

/* Before anything is opened. */
START_TEST(a_semaphore_takes_a_kernel_that_counts_it)
{
	struct uprobe_form form = { .type = UINT32_MAX, .semaphores = false };
	struct uprobe_place place = { .file = -1, .semaphore_offset = 1 };

	ck_assert_int_eq(uprobe_open(&form, &place, 0, -1), -EOPNOTSUPP);
	form.semaphores = true;
	place.semaphore_offset = UINT64_C(1) << 32;
	ck_assert_int_eq(uprobe_open(&form, &place, 0, -1), -EOPNOTSUPP);
	place.semaphore_offset = UINT32_MAX;
	ck_assert_int_ne(uprobe_open(&form, &place, 0, -1), -EOPNOTSUPP);
}

START_TEST(tracefs_has_events)
{
	char root[SCRATCH_PATH_MAX], bytes[16];
	struct env env;
	int tracefs;

	make_root(root);
	ck_assert_int_eq(env_open(&env, root), 0);
	ck_assert_int_eq(tracefs_open(&env, "proc/t"), -ENOENT);
	make_directory(root, "proc/t");
	ck_assert_int_eq(tracefs_open(&env, "proc/t"), -ENOENT);
	write_text(root, "proc/t/events", "");
	ck_assert_int_eq(tracefs_open(&env, "proc/t"), -ENOTDIR);
	remove_name(root, "proc/t/events");
	make_directory(root, "proc/t/events");
	write_text(root, "proc/t/events/id", "12345\n");
	tracefs = tracefs_open(&env, "proc/t");
	ck_assert_int_ge(tracefs, 0);
	memset(bytes, 'y', sizeof(bytes));
	ck_assert_int_eq(tracefs_read(tracefs, "events/id", bytes, sizeof(bytes)), 6);
	ck_assert_int_eq(memcmp(bytes, "12345\nyy", 8), 0);
	ck_assert_int_eq(tracefs_read(tracefs, "events/id", bytes, 3), 3);
	ck_assert_int_eq(tracefs_read(tracefs, "events/none", bytes, sizeof(bytes)), -ENOENT);
	ck_assert_int_eq(tracefs_read(tracefs, "events", bytes, sizeof(bytes)), -EISDIR);
	close(tracefs);
	env_close(&env);
}

START_TEST(files_are_opened_below_the_root)
{
	char root[SCRATCH_PATH_MAX], bytes[8] = "";
	struct env env;
	int fd;

	make_root(root);
	write_text(root, "proc/x", "abc");
	ck_assert_int_eq(env_open(&env, root), 0);
	fd = env_open_file(&env, "proc/x");
	ck_assert_int_ge(fd, 0);
	ck_assert_int_eq(fcntl(fd, F_GETFD), FD_CLOEXEC);
	ck_assert_int_eq(fcntl(fd, F_GETFL) & O_ACCMODE, O_RDONLY);
	ck_assert_int_eq(read(fd, bytes, sizeof(bytes)), 3);
	close(fd);
	ck_assert_int_eq(env_open_file(&env, "proc/none"), -ENOENT);
	ck_assert_int_eq(env_open_file(&env, "proc/x/y"), -ENOTDIR);
	ck_assert(env_exists(&env, "proc/x") && env_exists(&env, "proc") && !env_exists(&env, "proc/none"));
	env_close(&env);
}
