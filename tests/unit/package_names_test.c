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
	char path[256];
	FILE *file;

	snprintf(path, sizeof(path), "%s" LISTS "%s", root, name);
	file = fopen(path, "w");
	ck_assert_ptr_nonnull(file);
	fputs(text, file);
	fclose(file);
}

static void make_root(void)
{
	static const char *const parts[] = { "/var", "/var/lib", "/var/lib/dpkg", LISTS };
	char path[256];

	ck_assert_ptr_nonnull(mkdtemp(root));
	for (size_t i = 0; i < sizeof(parts) / sizeof(*parts); i++) {
		snprintf(path, sizeof(path), "%s%s", root, parts[i]);
		ck_assert_int_eq(mkdir(path, 0755), 0);
	}
	write_list("libc6:amd64.list", "/.\n/lib\n/lib/libc.so.6\n");
	write_list("libc6-dev:amd64.list", "/usr/lib/libc.so.6.txt\n");
	write_list("tool.list", "/usr/bin/tool-more\n/usr/bin/tool");
	write_list("tool.md5sums", "/usr/bin/other\n");
}

static void remove_root(void)
{
	char command[256];

	snprintf(command, sizeof(command), "rm -r %s", root);
	ck_assert_int_eq(system(command), 0);
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
END_TEST

START_TEST(no_lists_are_no_package)
{
	struct env env;

	ck_assert_int_eq(env_open(&env, "/proc/self/fdinfo"), 0);
	ck_assert_str_eq(package_names_find(&env, "/usr/bin/tool"), "");
	env_close(&env);
}
END_TEST
