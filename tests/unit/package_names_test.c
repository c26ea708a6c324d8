/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Tests of the package that has the names of the functions of a file. */
#include <config.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "suite.h"
#include "topic/profile/package_names.h"

#define LISTS "/var/lib/dpkg/info/"

static char root[] = "/tmp/panetop-packages-XXXXXX";

static void write_list(const char *name, const char *text)
{
	FILE *file;

	file = fopen(textf("%s" LISTS "%s", root, name), "w");
	ck_assert_ptr_nonnull(file);
	fputs(text, file);
	fclose(file);
}

static void make_root(void)
{
	static const char *const parts[] = { "/var", "/var/lib", "/var/lib/dpkg", LISTS };

	ck_assert_ptr_nonnull(mkdtemp(root));
	for (size_t i = 0; i < sizeof(parts) / sizeof(*parts); i++)
		ck_assert_int_eq(mkdir(textf("%s%s", root, parts[i]), 0755), 0);
	write_list("libc6:amd64.list", "/.\n/lib\n/lib/libc.so.6\n");
	write_list("libc6-dev:amd64.list", "/usr/lib/libc.so.6.txt\n");
	write_list("tool.list", "/usr/bin/tool-more\n/usr/bin/tool");
	write_list("tool.md5sums", "/usr/bin/other\n");
}

static void remove_root(void)
{
	ck_assert_int_eq(system(textf("rm -r %s", root)), 0);
}

START_TEST(the_package_that_has_the_file)
{
	struct env env;

	make_root();
	ck_assert_int_eq(env_open(&env, root), 0);
	ck_assert_str_eq(package_names_find(&env, "/usr/bin/tool"), "tool-dbgsym");
	ck_assert_str_eq(package_names_find(&env, "/usr/bin/tool-more"), "tool-dbgsym");
	ck_assert_str_eq(package_names_find(&env, "/lib/libc.so.6"), "libc6-dbg");
	ck_assert_str_eq(package_names_find(&env, "/usr/lib/libc.so.6"), "libc6-dbg"); /* /lib is a link */
	ck_assert_str_eq(package_names_find(&env, "/usr/bin/too"), "");
	ck_assert_str_eq(package_names_find(&env, "/usr/bin/other"), ""); /* not in a list */
	ck_assert_str_eq(package_names_find(&env, "tool"), "");
	ck_assert_str_eq(package_names_find(&env, "/usr/bin/tool"), "tool-dbgsym");
	env_close(&env);
	remove_root();
}

START_TEST(no_lists_are_no_package)
{
	struct env env;

	ck_assert_int_eq(env_open(&env, "/proc/self/fdinfo"), 0);
	ck_assert_str_eq(package_names_find(&env, "/usr/bin/tool"), "");
	env_close(&env);
}

static void check_package(struct env *env, const char *path, const char *package)
{
	ck_assert_str_eq(package_names_find(env, path), package);
}

START_TEST(packages_are_named_by_their_lists)
{
	static char name[200];
	char expected[200], path[256];
	struct env env;

	make_root();
	write_list("libc6.list", "/one\n");
	write_list("libc6-i386.list", "/two\n");
	write_list("libfoo1:arm64.list", "/three\n");
	write_list(".list", "/four\n");
	write_list("tool.listing", "/four\n");
	write_list("tool.list.old", "/four\n");
	write_list("a.list", "/five\n");
	write_list("cut.list", "/six-and-more\n/si\nx/six\n/usr/lib\n");
	memset(name, 'n', 150);
	memcpy(name + 150, ".list", 6);
	write_list(name, "/seven\n");
	snprintf(path, sizeof(path), "%s" LISTS "other.list", root);
	ck_assert_int_eq(symlink("tool.listing", path), 0); /* is not followed */
	ck_assert_int_eq(env_open(&env, root), 0);
	check_package(&env, "/one", "libc6-dbgsym");
	check_package(&env, "/two", "libc6-i386-dbgsym");
	check_package(&env, "/three", "libfoo1-dbgsym");
	check_package(&env, "/four", "");
	check_package(&env, "/five", "a-dbgsym");
	check_package(&env, "/six", "");
	memset(expected, 'n', 127);
	expected[127] = '\0';
	check_package(&env, "/seven", expected);
	env_close(&env);
	remove_root();
}

/* What is below /usr may be listed without it; what only begins like it may not. */
START_TEST(links_to_usr_are_known)
{
	struct env env;

	make_root();
	write_list("a.list", "/bin/a\n/usr/bin/b\nx/bin/d\n/x/bin/d\n/bin/d\n");
	ck_assert_int_eq(env_open(&env, root), 0);
	check_package(&env, "/usr/bin/a", "a-dbgsym");
	check_package(&env, "/bin/a", "a-dbgsym");
	check_package(&env, "/usr/bin/b", "a-dbgsym");
	check_package(&env, "/bin/b", "");
	check_package(&env, "/usrx/bin/d", "");
	check_package(&env, "/usa/bin/d", "");
	check_package(&env, "/usr", "");
	env_close(&env);
	remove_root();
}

/* 16 MiB: none is as long. */
START_TEST(lists_are_read_up_to_a_length)
{
	static const struct {
		const char *name;
		long bytes; /* before its one line */
		const char *path;
	} lists[] = {
		{ "short.list", 15L << 20, "/short" },
		{ "long.list", 17L << 20, "/long" },
	};
	struct env env;

	make_root();
	for (unsigned i = 0; i < 2; i++) {
		char path[256];
		FILE *list;

		snprintf(path, sizeof(path), "%s" LISTS "%s", root, lists[i].name);
		list = fopen(path, "w");
		ck_assert_ptr_nonnull(list);
		ck_assert_int_eq(fseek(list, lists[i].bytes, SEEK_SET), 0);
		fprintf(list, "\n%s\n", lists[i].path);
		fclose(list);
	}
	ck_assert_int_eq(env_open(&env, root), 0);
	check_package(&env, "/short", "short-dbgsym");
	check_package(&env, "/long", "");
	env_close(&env);
	remove_root();
}

START_TEST(the_last_files_are_looked_for)
{
	struct env env;

	make_root();
	ck_assert_int_eq(env_open(&env, root), 0);
	for (unsigned i = 0; i < 63; i++)
		check_package(&env, textf("/absent/%u", i), "");
	check_package(&env, "bin/tool", "");  /* does not count */
	check_package(&env, "/absent/7", ""); /* again */
	check_package(&env, "/usr/bin/tool", "tool-dbgsym");
	check_package(&env, "/usr/bin/tool-more", "tool-dbgsym"); /* one of those is forgotten */
	check_package(&env, "/usr/bin/tool", "tool-dbgsym");
	env_close(&env);
	remove_root();
}
