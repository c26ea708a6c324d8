/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Tests of the package that has the names of the functions of a file. */
#include "rig.h"

#include "topic/profile/profile.h"

#define LISTS "var/lib/dpkg/info/"

#define FIFTY "nnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnn"
#define LONG_NAME FIFTY FIFTY FIFTY

static struct rig rig;

/* A machine whose lists are these: names and texts, ended by NULL. */
static void open_lists(const char *const (*lists)[2])
{
	rig_open(&rig, "empty", NULL);
	rig_make(&rig, LISTS);
	for (; (*lists)[0]; lists++)
		rig_put(&rig, textf(LISTS "%s", (*lists)[0]), "%s", (*lists)[1]);
}

static void check_packages(const char *const (*files)[2])
{
	for (; (*files)[0]; files++)
		check_text((*files)[0], package_names_find(&rig.env, (*files)[0]), (*files)[1]);
}

START_TEST(packages_are_named_by_their_lists)
{
	static char cut[128]; /* a name of a package has no more room */
	static const char *const lists[][2] = {
		{ "libc6:amd64.list", "/.\n/lib\n/lib/libc.so.6\n" },
		{ "libc6-dev:amd64.list", "/usr/lib/libc.so.6.txt\n" },
		{ "tool.list", "/usr/bin/tool-more\n/usr/bin/tool" },
		{ "tool.md5sums", "/usr/bin/other\n" },
		{ "libc6.list", "/one\n" },
		{ "libc6-i386.list", "/two\n" },
		{ "libfoo1:arm64.list", "/three\n" },
		{ ".list", "/four\n" },
		{ "tool.listing", "/four\n" },
		{ "tool.list.old", "/four\n" },
		{ "a.list", "/five\n" },
		{ "cut.list", "/six-and-more\n/si\nx/six\n/usr/lib\n" },
		{ LONG_NAME ".list", "/seven\n" },
		{ "links.list", "/bin/a\n/usr/bin/b\nx/bin/d\n/x/bin/d\n/bin/d\n" },
		{ NULL, NULL },
	};
	static const char *const files[][2] = {
		{ "/usr/bin/tool", "tool-dbgsym" },
		{ "/usr/bin/tool-more", "tool-dbgsym" },
		{ "/lib/libc.so.6", "libc6-dbg" },
		{ "/usr/lib/libc.so.6", "libc6-dbg" }, /* /lib is a link */
		{ "/usr/bin/too", "" },
		{ "/usr/bin/other", "" }, /* not in a list */
		{ "tool", "" },                 { "/one", "libc6-dbgsym" }, { "/two", "libc6-i386-dbgsym" },
		{ "/three", "libfoo1-dbgsym" }, { "/four", "" },            { "/five", "a-dbgsym" },
		{ "/six", "" },                 { "/seven", cut },
		/* what is below /usr may be listed without it; what only begins like it may not */
		{ "/usr/bin/a", "links-dbgsym" }, { "/bin/a", "links-dbgsym" },
		{ "/usr/bin/b", "links-dbgsym" }, { "/bin/b", "" },
		{ "/usrx/bin/d", "" },            { "/usa/bin/d", "" },
		{ "/usr", "" },                   { NULL, NULL },
	};

	memcpy(cut, LONG_NAME, sizeof(cut) - 1);
	open_lists(lists);
	rig_link(&rig, LISTS "other.list", "tool.listing"); /* not followed */
	check_packages(files);
	rig_close(&rig);
}

START_TEST(no_lists_are_no_package)
{
	struct env env;

	ck_assert_int_eq(env_open(&env, "/proc/self/fdinfo"), 0);
	ck_assert_str_eq(package_names_find(&env, "/usr/bin/tool"), "");
	env_close(&env);
}

/* 16 MiB: none is as long. */
START_TEST(lists_are_read_up_to_a_length)
{
	static const char *const lists[][2] = { { "short.list", "" }, { "long.list", "" }, { NULL, NULL } };
	static const char *const files[][2] = { { "/short", "short-dbgsym" },
						{ "/long", "" },
						{ NULL, NULL } };

	open_lists(lists);
	for (unsigned i = 0; i < 2; i++) {
		FILE *list = fopen(textf("%s/" LISTS "%s", rig.root, lists[i][0]), "w");

		ck_assert_ptr_nonnull(list);
		ck_assert_int_eq(fseek(list, (i ? 17L : 15L) << 20, SEEK_SET), 0);
		fprintf(list, "\n%s\n", files[i][0]);
		fclose(list);
	}
	check_packages(files);
	rig_close(&rig);
}
