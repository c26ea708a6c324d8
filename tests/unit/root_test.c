/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Tests of sys/root: no link leads out of a tree, by openat2 and without it. */
#include "suite.h"

#include <limits.h>

#include "sys/machine.h"

static char above[SCRATCH_PATH_MAX]; /* holds "secret" and the tree */

static const char *below(const char *name)
{
	static char path[PATH_MAX];

	snprintf(path, sizeof(path), "%s%s", above, name);
	return path;
}

static void write_file(const char *name)
{
	FILE *file = fopen(below(name), "w");

	ck_assert_ptr_nonnull(file);
	fputs(name, file);
	fclose(file);
}

static void link_to(const char *target, const char *name)
{
	ck_assert_int_eq(symlink(target, below(name)), 0);
}

static void make_tree(struct root *root)
{
	char secret[SCRATCH_PATH_MAX + 8];

	scratch_directory(above, "root");
	snprintf(secret, sizeof(secret), "%s/secret", above);
	ck_assert_int_eq(mkdir(below("/tree"), 0700), 0);
	ck_assert_int_eq(mkdir(below("/tree/d"), 0700), 0);
	write_file("/secret");
	write_file("/tree/d/file");
	link_to(secret, "/tree/out");
	link_to("../secret", "/tree/up");
	link_to("../../../../../../../../../../etc/passwd", "/tree/d/up");
	link_to(above, "/tree/above");
	link_to("/d/file", "/tree/in");
	link_to("../d/./file", "/tree/d/in");
	link_to("/d", "/tree/directory");
	link_to("in", "/tree/twice");
	link_to("loop", "/tree/loop");
	ck_assert_int_eq(root_open(root, below("/tree")), 0);
	ck_assert(root->is_tree);
}

/* The text that is read, or strerror() of why not. */
static const char *text_of(const struct root *root, const char *path)
{
	static char text[PATH_MAX];
	int fd = root_open_at(root, path, O_RDONLY);
	ssize_t length;

	if (fd < 0)
		return strerror(errno);
	length = read(fd, text, sizeof(text) - 1);
	ck_assert_int_ge(length, 0);
	text[length] = '\0';
	close(fd);
	return text;
}

static void assert_links(const struct root *root)
{
	static const char *const inside[] = {
		"d/file", "in", "d/in", "directory/file", "twice", "/d/file", "directory/../../d//file"
	};
	static const char *const outside[] = { "out",          "up",        "d/up",
					       "above/secret", "../secret", "directory/../../secret",
					       "missing" };
	char target[16] = "";

	for (size_t i = 0; i < LENGTH(inside); i++)
		ck_assert_str_eq(text_of(root, inside[i]), "/tree/d/file");
	for (size_t i = 0; i < LENGTH(outside); i++)
		ck_assert_str_eq(text_of(root, outside[i]), strerror(ENOENT));
	ck_assert_str_eq(text_of(root, "loop"), strerror(ELOOP));
	ck_assert_int_eq(root_read_link(root, "directory/in", target, sizeof(target)), 11);
	ck_assert_str_eq(target, "../d/./file");
	ck_assert_int_eq(root_read_link(root, "d/file", target, sizeof(target)), -1);
}

/* By openat2, and without it. */
START_TEST(links_stay_in_a_tree)
{
	struct root root;

	make_tree(&root);
	if (root.by_kernel)
		assert_links(&root);
	root.by_kernel = false;
	assert_links(&root);
	close(root.fd);
	ck_assert_int_eq(root_open(&root, "/"), 0); /* those of the machine are followed */
	ck_assert_str_eq(text_of(&root, below("/tree/out")), "/secret");
	ck_assert(!root.is_tree);
	close(root.fd);
	ck_assert_int_eq(root_open(&root, below("/nothing")), -ENOENT);
	ck_assert_int_eq(root_open(&root, below("/secret")), -ENOTDIR);
}

/* Files that samplers read, look for, and whose owner they ask for. */
START_TEST(an_environment_stays_in_its_tree)
{
	struct root root;
	struct env env;
	struct span text;

	make_tree(&root);
	close(root.fd);
	ck_assert_int_eq(env_open(&env, below("/tree")), 0);
	ck_assert_int_eq(env_read(&env, env_file(&env, "out"), &text), -ENOENT);
	ck_assert_int_eq(env_read(&env, env_file(&env, "in"), &text), 0);
	ck_assert(!env_exists(&env, "above/secret"));
	ck_assert(env_exists(&env, "twice"));
	env_close(&env);
}

/* As a program has it that was started with its input closed. */
START_TEST(a_file_may_get_descriptor_0)
{
	struct root root;
	int input, fd, next;

	make_tree(&root);
	if (!root.by_kernel)
		skip_test("this kernel has no openat2");
	input = fcntl(0, F_DUPFD_CLOEXEC, 10);
	ck_assert_int_ge(input, 0);
	next = dup(input);
	close(next);
	close(0);
	fd = root_open_at(&root, "d/file", O_RDONLY);
	ck_assert_int_eq(fd, 0);
	fd = dup(input);
	ck_assert_int_eq(fd, next); /* no other one was taken */
	close(fd);
	ck_assert_int_eq(dup2(input, 0), 0);
	close(input);
	close(root.fd);
}

/* They lead to what is open, wherever that is. */
START_TEST(magic_links_of_a_tree_are_not_followed)
{
	char target[PATH_MAX];
	struct root root;

	ck_assert_int_eq(root_open(&root, "/proc/self"), 0);
	if (!root.by_kernel)
		skip_test("this kernel has no openat2");
	ck_assert_str_eq(text_of(&root, "exe"), strerror(ELOOP));
	ck_assert_str_eq(text_of(&root, "root/etc/passwd"), strerror(ELOOP));
	ck_assert_int_gt(root_read_link(&root, "exe", target, sizeof(target)), 0);
	ck_assert_int_eq(*target, '/');
	close(root.fd);
}

/* Only who owns a file may leave the time of its last use alone. */
START_TEST(files_of_others_are_opened)
{
	struct root root;
	int fd;

	ck_assert_int_eq(root_open(&root, "/etc"), 0);
	fd = root_open_at(&root, "passwd", O_RDONLY);
	ck_assert_int_ge(fd, 0);
	ck_assert(fcntl(fd, F_GETFD) & FD_CLOEXEC);
	close(fd);
	close(root.fd);
}
