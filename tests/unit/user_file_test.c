/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Tests of sys/user_file: where a path leads, what a replaced file keeps, other users in the way. */
#include <config.h>

#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <limits.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "suite.h"
#include "sys/user_file.h"

#define OTHER 65534 /* a user besides root, and its group */
#define THIRD 65533

static char scratch[SCRATCH_PATH_MAX];

/* One of eight paths below the scratch directory, which is made by the first call. */
static const char *at(const char *name)
{
	static char paths[8][PATH_MAX];
	static unsigned next;
	char *path = paths[next++ % 8];

	if (!*scratch) {
		scratch_directory(scratch, "user-file");
		ck_assert_int_eq(chmod(scratch, 0755), 0);
	}
	snprintf(path, PATH_MAX, "%s/%s", scratch, name);
	return path;
}

static void make_directory(const char *name, mode_t mode)
{
	ck_assert_int_eq(mkdir(at(name), 0700), 0);
	ck_assert_int_eq(chmod(at(name), mode), 0);
}

static void make_file(const char *name, mode_t mode)
{
	FILE *file = fopen(at(name), "w");

	ck_assert_ptr_nonnull(file);
	fputs("before", file);
	fclose(file);
	ck_assert_int_eq(chmod(at(name), mode), 0);
}

static void make_link(const char *target, const char *name)
{
	ck_assert_int_eq(symlink(target, at(name)), 0);
}

static struct stat status_of(const char *name)
{
	struct stat status;

	ck_assert_msg(lstat(at(name), &status) == 0, "%s: %s", name, strerror(errno));
	return status;
}

static const char *text_of(const char *name)
{
	static char text[64];
	FILE *file = fopen(at(name), "r");

	ck_assert_msg(file != NULL, "%s: %s", name, strerror(errno));
	text[fread(text, 1, sizeof(text) - 1, file)] = '\0';
	fclose(file);
	return text;
}

static int replace(struct user_file *file, const char *text)
{
	struct buffer buffer = { 0 };
	int error;

	buffer_text(&buffer, text);
	error = user_file_replace(file, &buffer, 0644, false);
	buffer_free(&buffer);
	return error;
}

/* Opens the path, and replaces the file twice. */
static int write_path(const char *path, const char *text)
{
	struct user_file file;
	int error = user_file_open(&file, path, USER_FILE_REGULAR);

	if (!error)
		error = user_file_check(&file);
	if (!error)
		error = replace(&file, "first");
	if (!error)
		error = replace(&file, text);
	user_file_close(&file);
	return error;
}

static void assert_written(const char *path, const char *name)
{
	static unsigned number;
	char text[32];

	snprintf(text, sizeof(text), "text %u", ++number);
	ck_assert_int_eq(write_path(path, text), 0);
	ck_assert_str_eq(text_of(name), text);
}

static const char *why_not(const char *path, unsigned flags)
{
	static char why[PATH_MAX + 128];
	struct user_file file;
	int error = user_file_open(&file, path, flags);

	snprintf(why, sizeof(why), "opened");
	if (error)
		user_file_error_text(&file, error, why, sizeof(why));
	user_file_close(&file);
	return why;
}

START_TEST(a_path_leads_where_open_would_lead)
{
	make_directory("a", 0755);
	make_directory("a/b", 0755);
	assert_written(at("a/new"), "a/new");
	assert_written(at("a//b/./../b/new"), "a/b/new");
	ck_assert_int_eq(chdir(at("a/b")), 0);
	assert_written("new", "a/b/new");
	assert_written("./here", "a/b/here");
	assert_written("../up", "a/up");
	assert_written("../../a/../a/up", "a/up");
	assert_written("../b/../../top", "top");
}

START_TEST(own_links_are_followed)
{
	char absolute[PATH_MAX];

	make_directory("a", 0755);
	make_directory("b", 0755);
	make_file("a/file", 0644);
	snprintf(absolute, sizeof(absolute), "%s", at("a"));
	make_link(absolute, "b/absolute");
	make_link("../a", "b/relative");
	make_link("relative/../b/absolute/", "b/chain");
	make_link("../a/file", "b/file");
	make_link("chain/missing", "b/missing");
	make_link("loop", "b/loop");
	assert_written(at("b/absolute/file"), "a/file");
	assert_written(at("b/relative/file"), "a/file");
	assert_written(at("b/chain/file"), "a/file");
	assert_written(at("b/file"), "a/file");
	ck_assert(S_ISLNK(status_of("b/file").st_mode));
	assert_written(at("b/missing"), "a/missing"); /* as open(2) makes it */
	ck_assert_str_eq(why_not(at("b/loop"), 0), strerror(ELOOP));
	ck_assert_str_eq(why_not(at("b/loop/file"), 0), strerror(ELOOP));
}

START_TEST(what_is_no_place_for_a_file_is_refused)
{
	char missing[PATH_MAX], name[NAME_MAX + 2];

	make_directory("a", 0755);
	make_file("a/file", 0644);
	ck_assert_int_eq(mkfifo(at("a/pipe"), 0600), 0);
	snprintf(missing, sizeof(missing), "%s", at("a/none/file"));
	ck_assert_str_eq(why_not(missing, 0), textf("there is no directory %s", at("a/none")));
	ck_assert_str_eq(why_not(at("a/file/file"), 0), strerror(ENOTDIR));
	ck_assert_str_eq(why_not(at("a/file/"), 0), strerror(ENOTDIR));
	ck_assert_str_eq(why_not(at("a"), 0), "this is not a regular file");
	ck_assert_str_eq(why_not(at("a/"), 0), "this is not a regular file");
	ck_assert_str_eq(why_not(at("a/.."), 0), "this is not a regular file");
	ck_assert_str_eq(why_not("/", 0), "this is not a regular file");
	ck_assert_str_eq(why_not("", 0), strerror(ENOENT));
	ck_assert_str_eq(why_not(at("a/pipe"), USER_FILE_REGULAR), "this is not a regular file");
	ck_assert_str_eq(why_not(at("a/pipe"), 0), "opened");
	ck_assert_str_eq(why_not("/dev/null", 0), "opened");
	memset(name, 'x', sizeof(name));
	name[NAME_MAX + 1] = '\0';
	ck_assert_str_eq(why_not(at(name), 0), strerror(ENAMETOOLONG));
	name[NAME_MAX] = '\0';
	assert_written(at(name), name);
}

START_TEST(missing_directories_are_made_on_request)
{
	struct user_file file;

	make_directory("a", 0755);
	make_link("a", "link");
	ck_assert_int_eq(user_file_open(&file, at("link/b/c/file"), USER_FILE_MAKE_DIRECTORIES), 0);
	ck_assert_int_eq(replace(&file, "text"), 0);
	user_file_close(&file);
	ck_assert_str_eq(text_of("a/b/c/file"), "text");
	ck_assert_uint_eq(status_of("a/b").st_mode & 0777, 0700);
	ck_assert_uint_eq(status_of("a/b/c").st_mode & 0777, 0700);
}

/* Through links of proc, which say the path of a file that may have been renamed or removed since. */
START_TEST(descriptors_are_files_for_the_kernel)
{
	struct user_file file;
	struct stat link;
	char path[32];
	int fd, copy;

	ck_assert_int_eq(lstat("/dev/fd", &link), 0);
	if (link.st_uid != 0 && link.st_uid != geteuid())
		skip_test("/dev is of a user who is not in this user namespace");
	make_file("file", 0600);
	fd = open(at("file"), O_WRONLY | O_TRUNC);
	ck_assert_int_eq(unlink(at("file")), 0);
	snprintf(path, sizeof(path), "/dev/fd/%d", fd);
	ck_assert_str_eq(why_not(path, USER_FILE_REGULAR), "this is not a regular file");
	ck_assert_int_eq(user_file_open(&file, path, 0), 0);
	copy = user_file_create(&file, 0600);
	ck_assert_int_ge(copy, 0);
	user_file_close(&file);
	ck_assert_int_eq(write(copy, "text", 4), 4);
	ck_assert_int_eq(lseek(fd, 0, SEEK_END), 4);
	close(copy);
	ck_assert_str_eq(why_not("/proc/self/ns/pid", 0), "opened"); /* pid:[4026531836] */
	ck_assert_str_eq(why_not("/proc/self/ns/pid", USER_FILE_REGULAR), "this is not a regular file");
	make_directory("a", 0755);
	ck_assert_int_eq(chdir(at("a")), 0);
	assert_written("/proc/self/cwd/file", "a/file");
	assert_written("/proc/self/cwd/../up", "up");
}

static int write_meanwhile(void *state, int fd)
{
	(void)fd;
	ck_assert_int_lt(access(at("new"), F_OK), 0); /* not while it is written */
	make_link("elsewhere", state); /* of another one */
	return 0;
}

START_TEST(a_new_file_may_be_wanted)
{
	struct user_file file;

	ck_assert_int_eq(user_file_write_new(&file, at("new"), write_meanwhile, "new"), -EEXIST);
	user_file_close(&file);
	ck_assert_str_eq(why_not(at("new"), USER_FILE_NEW), "it exists already; choose another name");
	ck_assert_int_lt(access(at("elsewhere"), F_OK), 0);
}

/* Not even a link of this user, since it was none when it was looked at. */
START_TEST(a_link_that_came_later_is_not_followed)
{
	struct user_file file;

	ck_assert_int_eq(user_file_open(&file, at("file"), 0), 0);
	make_link("elsewhere", "file");
	ck_assert_int_eq(user_file_create(&file, 0600), -ELOOP);
	user_file_close(&file);
	ck_assert_int_lt(access(at("elsewhere"), F_OK), 0);
}

START_TEST(the_mode_is_kept)
{
	struct user_file file;

	umask(027);
	ck_assert_int_eq(user_file_open(&file, at("file"), 0), 0);
	ck_assert_int_eq(replace(&file, "a"), 0);
	ck_assert_uint_eq(status_of("file").st_mode & 07777, 0640);
	ck_assert_int_eq(chmod(at("file"), 0604), 0); /* while it is being written */
	ck_assert_int_eq(replace(&file, "b"), 0);
	ck_assert_uint_eq(status_of("file").st_mode & 07777, 0604);
	ck_assert_int_eq(unlink(at("file")), 0);
	ck_assert_int_eq(replace(&file, "c"), 0);
	ck_assert_uint_eq(status_of("file").st_mode & 07777, 0604);
	user_file_close(&file);
	ck_assert_int_eq(chmod(at("file"), 04622), 0);
	ck_assert_int_eq(write_path(at("file"), "d"), 0);
	ck_assert_uint_eq(status_of("file").st_mode & 07777, 0622); /* it is not the program that had this */
}

/* A file that another user puts there while it is being written gets nothing. */
START_TEST(the_mode_is_that_of_the_own_file)
{
	struct user_file file;

	make_file("file", 0600);
	ck_assert_int_eq(user_file_open(&file, at("file"), 0), 0);
	make_file("wide", 0666);
	ck_assert_int_eq(rename(at("wide"), at("file")), 0);
	ck_assert_int_eq(replace(&file, "a"), 0);
	ck_assert_uint_eq(status_of("file").st_mode & 0777, 0600);
	make_file("wide", 0666);
	ck_assert_int_eq(rename(at("wide"), at("file")), 0);
	ck_assert_int_eq(replace(&file, "b"), 0);
	ck_assert_uint_eq(status_of("file").st_mode & 0777, 0600);
	user_file_close(&file);
}

START_TEST(a_file_of_several_names_may_be_of_anyone)
{
	make_directory("own", 0755);
	make_directory("all", 0777);
	make_file("own/file", 0644);
	ck_assert_int_eq(link(at("own/file"), at("all/file")), 0);
	assert_written(at("own/file"), "own/file"); /* only this name gets the new file */
	ck_assert_str_eq(text_of("all/file"), "before");
	ck_assert_int_eq(unlink(at("own/file")), 0);
	ck_assert_int_eq(link(at("all/file"), at("own/file")), 0);
	ck_assert_str_eq(why_not(at("all/file"), 0),
			 "another user may have put it there; remove it, or choose another directory");
	ck_assert_int_eq(unlink(at("own/file")), 0);
	ck_assert_str_eq(why_not(at("all/file"), 0), "opened");
}

/* Who else may write in the directory: its group, or all others. */
START_TEST(others_may_give_names_where_they_may_write)
{
	static const char why[] = "another user may have put it there; "
				  "remove it, or choose another directory";
	struct user_file file;

	make_directory("a", 0755);
	ck_assert_int_eq(user_file_open(&file, at("a/again"), 0), 0);
	make_file("a/file", 0644);
	ck_assert_int_eq(link(at("a/file"), at("a/again")), 0);
	ck_assert_int_eq(mkfifo(at("a/pipe"), 0600), 0);
	ck_assert_int_eq(link(at("a/pipe"), at("a/same")), 0);
	ck_assert_str_eq(why_not(at("a/file"), 0), "opened");
	ck_assert_int_eq(chmod(at("a"), 0775), 0);
	ck_assert_str_eq(why_not(at("a/file"), 0), why);
	ck_assert_int_eq(chmod(at("a"), 0757), 0);
	ck_assert_str_eq(why_not(at("a/file"), 0), why);
	ck_assert_str_eq(why_not(at("a/pipe"), 0), "opened");
	ck_assert_int_eq(user_file_create(&file, 0600), -EPERM); /* since it was opened */
	user_file_close(&file);
	ck_assert_int_eq(unlink(at("a/again")), 0);
	ck_assert_str_eq(why_not(at("a/file"), 0), "opened");
}

START_TEST(the_directory_stays_open)
{
	struct user_file file;
	char path[PATH_MAX];

	make_directory("a", 0755);
	make_directory("outside", 0755);
	snprintf(path, sizeof(path), "%s", at("a/file"));
	ck_assert_int_eq(user_file_open(&file, path, 0), 0);
	ck_assert_int_eq(replace(&file, "a"), 0);
	ck_assert(!user_file_is_moved(&file, path));
	ck_assert_int_eq(rename(at("a"), at("moved")), 0);
	make_link("outside", "a");
	ck_assert_int_eq(replace(&file, "b"), 0);
	ck_assert_str_eq(text_of("moved/file"), "b");
	ck_assert_int_lt(access(at("outside/file"), F_OK), 0);
	ck_assert(user_file_is_moved(&file, path));
	ck_assert_int_eq(unlink(at("a")), 0);
	ck_assert(user_file_is_moved(&file, path));
	make_link("moved", "a");
	ck_assert(!user_file_is_moved(&file, path));
	ck_assert(!user_file_is_removed(&file));
	ck_assert_int_eq(unlink(at("moved/file")), 0);
	ck_assert(!user_file_is_moved(&file, path)); /* it will be there again */
	ck_assert(user_file_is_moved(&file, at("a/other")));
	ck_assert_int_eq(rmdir(at("moved")), 0);
	ck_assert_int_eq(replace(&file, "c"), -ENOENT);
	ck_assert(user_file_is_removed(&file));
	user_file_error_text(&file, -ENOENT, path, sizeof(path));
	ck_assert_str_eq(path, "its directory was removed");
	user_file_close(&file);
}

/* A link that took the place of the file is replaced itself. */
START_TEST(no_link_is_followed_after_the_start)
{
	struct user_file file;

	make_file("outside", 0644);
	ck_assert_int_eq(user_file_open(&file, at("file"), 0), 0);
	make_link("outside", "file");
	ck_assert_int_eq(replace(&file, "a"), 0);
	ck_assert(S_ISREG(status_of("file").st_mode));
	ck_assert_str_eq(text_of("outside"), "before");
	user_file_close(&file);
}

START_TEST(what_cannot_be_written_is_left)
{
	struct user_file file;

	make_directory("a", 0555);
	if (access(at("a"), W_OK) == 0)
		skip_test("root may write everywhere");
	ck_assert_int_eq(user_file_open(&file, at("a/file"), 0), 0);
	ck_assert_int_eq(user_file_check(&file), -EACCES);
	ck_assert_int_eq(replace(&file, "text"), -EACCES);
	user_file_close(&file);
}

static unsigned n_calls;

static int write_text(void *state, int fd)
{
	const int *error = state;

	n_calls++;
	ck_assert_int_eq(write(fd, "text", 4), 4);
	return *error;
}

START_TEST(a_new_file_is_filled_or_removed)
{
	struct user_file file;
	int error = 0;

	ck_assert_int_eq(user_file_write_new(&file, at("new"), write_text, &error), 0);
	user_file_close(&file);
	ck_assert_str_eq(text_of("new"), "text");
	ck_assert_uint_eq(status_of("new").st_mode & 0777, 0600);
	ck_assert_int_eq(user_file_write_new(&file, at("new"), write_text, &error), -EEXIST);
	user_file_close(&file);
	ck_assert_uint_eq(n_calls, 1);
	ck_assert_str_eq(text_of("new"), "text");
	error = -ENOSPC;
	ck_assert_int_eq(user_file_write_new(&file, at("other"), write_text, &error), -ENOSPC);
	user_file_close(&file);
	ck_assert_uint_eq(n_calls, 2);
	ck_assert_int_lt(access(at("other"), F_OK), 0);
}

START_TEST(why_a_new_file_cannot_be_saved_is_told)
{
	char why[PATH_MAX + 128] = "nothing";
	int error = 0;

	ck_assert_int_eq(user_file_save_new(at("new"), write_text, &error, why, sizeof(why)), 0);
	ck_assert_str_eq(text_of("new"), "text");
	ck_assert_str_eq(why, "nothing");
	ck_assert_int_eq(user_file_save_new(at("new"), write_text, &error, why, sizeof(why)), -EEXIST);
	ck_assert_str_eq(why, "it exists already; choose another name");
	error = -ENOSPC;
	ck_assert_int_eq(user_file_save_new(at("other"), write_text, &error, why, sizeof(why)), -ENOSPC);
	ck_assert_str_eq(why, strerror(ENOSPC));
	ck_assert_uint_eq(n_calls, 2);
}

/* As it was opened: not through a link that came later, and without waiting for a writer. */
START_TEST(what_is_there_is_read)
{
	struct user_file file;
	char text[8] = "";
	int fd;

	ck_assert_int_eq(user_file_open(&file, at("file"), 0), 0);
	ck_assert_int_eq(user_file_read(&file), -ENOENT);
	make_file("file", 0600);
	fd = user_file_read(&file);
	ck_assert_int_ge(fd, 0);
	ck_assert_int_eq(read(fd, text, sizeof(text)), 6);
	ck_assert_mem_eq(text, "before", 6);
	ck_assert_int_eq(fcntl(fd, F_GETFD), FD_CLOEXEC);
	close(fd);
	ck_assert_int_eq(unlink(at("file")), 0);
	ck_assert_int_eq(mkfifo(at("file"), 0600), 0);
	fd = user_file_read(&file);
	ck_assert_int_ge(fd, 0);
	close(fd);
	ck_assert_int_eq(unlink(at("file")), 0);
	make_link("elsewhere", "file");
	ck_assert_int_eq(user_file_read(&file), -ELOOP);
	user_file_close(&file);
}

/* What a killed process with the same number left is no obstacle; a directory is. */
START_TEST(a_left_temporary_file_is_replaced)
{
	struct user_file file;
	char temporary[32];

	snprintf(temporary, sizeof(temporary), ".file.%ld", (long)getpid());
	ck_assert_int_eq(user_file_open(&file, at("file"), 0), 0);
	make_file(temporary, 0600);
	ck_assert_int_eq(user_file_check(&file), 0);
	ck_assert_int_lt(access(at(temporary), F_OK), 0);
	ck_assert_int_lt(access(at("file"), F_OK), 0);
	make_file(temporary, 0600);
	ck_assert_int_eq(replace(&file, "text"), 0);
	ck_assert_str_eq(text_of("file"), "text");
	ck_assert_int_lt(access(at(temporary), F_OK), 0);
	make_directory(temporary, 0700);
	ck_assert_int_eq(user_file_check(&file), -EISDIR);
	ck_assert_int_eq(replace(&file, "more"), -EISDIR);
	ck_assert_str_eq(text_of("file"), "text");
	user_file_close(&file);
}

START_TEST(a_directory_in_its_place_is_left)
{
	struct user_file file;
	char temporary[32];

	snprintf(temporary, sizeof(temporary), ".file.%ld", (long)getpid());
	ck_assert_int_eq(user_file_open(&file, at("file"), 0), 0);
	make_directory("file", 0700);
	ck_assert_int_eq(replace(&file, "text"), -EISDIR);
	ck_assert(S_ISDIR(status_of("file").st_mode));
	ck_assert_int_lt(access(at(temporary), F_OK), 0);
	user_file_close(&file);
}

START_TEST(it_may_be_waited_for_the_disk)
{
	struct user_file file;
	struct buffer buffer = { 0 };

	ck_assert_int_eq(user_file_open(&file, at("file"), 0), 0);
	buffer_text(&buffer, "text");
	ck_assert_int_eq(user_file_replace(&file, &buffer, 0600, true), 0);
	ck_assert_uint_eq(buffer.length, 0);
	ck_assert_str_eq(text_of("file"), "text");
	buffer_free(&buffer);
	user_file_close(&file);
}

/* Also where there is no directory any more on its way; not where nothing is known of it. */
START_TEST(a_path_leads_elsewhere_without_its_directory)
{
	struct user_file file;
	char path[PATH_MAX], long_path[PATH_MAX];

	make_directory("a", 0755);
	snprintf(path, sizeof(path), "%s", at("a/file"));
	ck_assert_int_eq(user_file_open(&file, path, 0), 0);
	ck_assert(!user_file_is_moved(&file, path));
	ck_assert_int_eq(replace(&file, "text"), 0);
	ck_assert(!user_file_is_moved(&file, path));
	make_file("a/other", 0600);
	ck_assert_int_eq(rename(at("a/other"), path), 0);
	ck_assert(!user_file_is_moved(&file, path)); /* the next one takes its place */
	ck_assert_int_eq(rename(at("a"), at("b")), 0);
	make_file("a", 0600);
	ck_assert(user_file_is_moved(&file, path));
	memset(long_path, 'x', sizeof(long_path));
	long_path[NAME_MAX + 1] = '\0';
	ck_assert(!user_file_is_moved(&file, long_path));
	user_file_close(&file);
}

START_TEST(messages_name_a_path_as_it_was_given)
{
	make_directory("a", 0755);
	ck_assert_int_eq(chdir(at("a")), 0);
	ck_assert_str_eq(why_not("none/file", 0), "there is no directory none");
	ck_assert_str_eq(why_not("./b/c/file", 0), "there is no directory b");
}

/* From here on there are two users. */
static void need_root(void)
{
	if (!is_root() || seteuid(OTHER) < 0)
		skip_test("only root can be another user");
	ck_assert_int_eq(seteuid(0), 0);
}

static void give(const char *name, uid_t user)
{
	ck_assert_int_eq(lchown(at(name), user, user), 0);
}

/* For the rest of a test. */
static void become_other(void)
{
	ck_assert_int_eq(setgroups(0, NULL), 0);
	ck_assert_int_eq(setresgid(OTHER, OTHER, OTHER), 0);
	ck_assert_int_eq(setresuid(OTHER, OTHER, OTHER), 0);
}

static void assert_foreign_link(const char *path, const char *link)
{
	char why[PATH_MAX + 128];

	snprintf(why, sizeof(why), "%s is a symbolic link of another user; use the path that it points to",
		 at(link));
	ck_assert_str_eq(why_not(at(path), 0), why);
	ck_assert_str_eq(why_not(at(path), USER_FILE_REGULAR), why);
}

START_TEST(links_of_other_users_are_not_followed)
{
	need_root();
	make_directory("a", 0777);
	make_directory("outside", 0777);
	make_link("../outside", "a/link");
	make_link("../outside/file", "a/file");
	make_link("link", "a/of-root");
	give("a/link", OTHER);
	give("a/file", OTHER);
	assert_foreign_link("a/link/file", "a/link");
	assert_foreign_link("a/of-root/file", "a/link");
	assert_foreign_link("a/file", "a/file");
	ck_assert_int_lt(access(at("outside/file"), F_OK), 0);
	give("a/link", THIRD);
	become_other();
	assert_foreign_link("a/link/file", "a/link");
	assert_written(at("a/file"), "outside/file"); /* its own */
}

START_TEST(other_users_move_no_file)
{
	struct user_file file;
	char path[PATH_MAX];

	need_root();
	make_directory("a", 0777);
	make_directory("a/b", 0777);
	snprintf(path, sizeof(path), "%s", at("a/b/file"));
	ck_assert_int_eq(user_file_open(&file, path, 0), 0);
	ck_assert_int_eq(chmod(at("a/b"), 01777), 0);
	make_file("a/b/file", 0600);
	give("a/b/file", OTHER);
	ck_assert_str_eq(why_not(path, 0),
			 "another user may have put it there; remove it, or choose another directory");
	ck_assert(!user_file_is_moved(&file, path)); /* it is the same place */
	ck_assert_int_eq(rename(at("a/b"), at("a/c")), 0);
	make_link("c", "a/b");
	ck_assert(!user_file_is_moved(&file, path));
	give("a/b", OTHER);
	ck_assert(user_file_is_moved(&file, path)); /* it leads nowhere any more */
	user_file_close(&file);
}

/* Its owner may give names there whatever its mode is. */
START_TEST(a_file_of_several_names_in_a_directory_of_another_user)
{
	need_root();
	make_directory("a", 0755);
	make_file("a/file", 0644);
	ck_assert_int_eq(link(at("a/file"), at("a/again")), 0);
	ck_assert_str_eq(why_not(at("a/file"), 0), "opened");
	give("a", OTHER);
	ck_assert_str_eq(why_not(at("a/file"), 0),
			 "another user may have put it there; remove it, or choose another directory");
	become_other();
	ck_assert_str_eq(why_not(at("a/file"), 0), "opened");
}

START_TEST(links_of_root_are_followed)
{
	need_root();
	make_directory("a", 0777);
	make_link("a", "link");
	become_other();
	assert_written(at("link/file"), "a/file");
}

START_TEST(files_of_others_in_sticky_directories_are_refused)
{
	static const char why[] = "another user may have put it there; "
				  "remove it, or choose another directory";

	need_root();
	make_directory("a", 01777);
	give("a", THIRD);
	make_file("a/file", 0666);
	give("a/file", OTHER);
	ck_assert_str_eq(why_not(at("a/file"), 0), why);
	make_file("a/of-root", 0666);
	make_file("a/of-owner", 0666);
	give("a/of-owner", THIRD);
	ck_assert_str_eq(why_not(at("a/of-root"), 0), "opened");
	ck_assert_str_eq(why_not(at("a/of-owner"), 0), "opened");
	ck_assert_int_eq(chmod(at("a"), 0777), 0);
	ck_assert_str_eq(why_not(at("a/file"), 0), "opened");
	ck_assert_int_eq(chmod(at("a"), 01777), 0);
	become_other();
	ck_assert_str_eq(why_not(at("a/of-root"), 0), why);
	ck_assert_str_eq(why_not(at("a/file"), 0), "opened");
}

START_TEST(the_owner_is_kept)
{
	struct user_file file;

	need_root();
	make_directory("a", 0755);
	give("a", OTHER);
	make_file("a/file", 0640);
	ck_assert_int_eq(chown(at("a/file"), OTHER, THIRD), 0);
	ck_assert_int_eq(user_file_open(&file, at("a/file"), 0), 0);
	ck_assert_int_eq(replace(&file, "a"), 0);
	ck_assert_uint_eq(status_of("a/file").st_uid, OTHER);
	ck_assert_uint_eq(status_of("a/file").st_gid, THIRD);
	ck_assert_uint_eq(status_of("a/file").st_mode & 0777, 0640);
	ck_assert_int_eq(chown(at("a/file"), THIRD, OTHER), 0); /* while it is being written */
	ck_assert_int_eq(replace(&file, "b"), 0);
	ck_assert_uint_eq(status_of("a/file").st_uid, THIRD);
	ck_assert_uint_eq(status_of("a/file").st_gid, OTHER);
	user_file_close(&file);
}

/* What the group of a file might is not what the group of the one who writes it may. */
START_TEST(nobody_may_more_where_the_owner_cannot_be_kept)
{
	static const mode_t modes[][2] = { { 0640, 0600 }, { 0664, 0644 }, { 0604, 0600 }, { 0666, 0666 } };
	char name[16];

	need_root();
	make_directory("a", 0777);
	for (size_t i = 0; i < sizeof(modes) / sizeof(modes[0]); i++) {
		snprintf(name, sizeof(name), "a/%zu", i);
		make_file(name, modes[i][0]);
		give(name, THIRD);
	}
	become_other();
	for (size_t i = 0; i < sizeof(modes) / sizeof(modes[0]); i++) {
		snprintf(name, sizeof(name), "a/%zu", i);
		ck_assert_int_eq(write_path(at(name), "text"), 0);
		ck_assert_uint_eq(status_of(name).st_uid, OTHER);
		ck_assert_uint_eq(status_of(name).st_mode & 07777, modes[i][1]);
	}
}

struct swaps {
	_Atomic unsigned long n;
	_Atomic bool end;
};

/*
 * What a user can do who owns the directory above the file: puts a link in the place of the directory, of the
 * file, and of the temporary file, and takes it away again.
 */
static void swap(struct swaps *swaps, pid_t writer)
{
	char directory[PATH_MAX], moved[PATH_MAX], file[PATH_MAX], temporary[PATH_MAX];

	snprintf(directory, sizeof(directory), "%s", at("of-other/a"));
	snprintf(moved, sizeof(moved), "%s", at("of-other/moved"));
	snprintf(file, sizeof(file), "%s", at("of-other/a/file"));
	snprintf(temporary, sizeof(temporary), "%s/.file.%ld", at("of-other/a"), (long)writer);
	while (!swaps->end) {
		rename(directory, moved);
		if (symlink("../outside", directory) == 0)
			unlink(directory);
		rename(moved, directory);
		unlink(file);
		if (symlink("../../outside/file", file) == 0 && swaps->n % 2)
			unlink(file);
		unlink(temporary);
		if (symlink("../../outside/new", temporary) == 0 && swaps->n % 3)
			unlink(temporary);
		swaps->n++;
	}
}

static pid_t start_swapping(struct swaps *swaps)
{
	pid_t writer = getpid(), child = fork();

	ck_assert_int_ge(child, 0);
	if (child == 0) {
		become_other();
		prctl(PR_SET_PDEATHSIG, SIGKILL); /* behind what would undo it */
		swap(swaps, writer);
		_exit(0);
	}
	while (swaps->n == 0)
		usleep(1000);
	return child;
}

static void assert_nothing_outside(const struct stat *before)
{
	struct stat after = status_of("outside/file"), directory = status_of("outside");

	ck_assert_str_eq(text_of("outside/file"), "before");
	ck_assert_uint_eq(after.st_ino, before->st_ino);
	ck_assert_uint_eq(after.st_mode, before->st_mode);
	ck_assert_uint_eq(after.st_uid, before->st_uid);
	ck_assert_int_lt(access(at("outside/new"), F_OK), 0);
	ck_assert_int_eq(unlink(at("outside/file")), 0);
	ck_assert_int_eq(rmdir(at("outside")), 0); /* there was nothing else, as hidden temporary files */
	ck_assert_uint_eq(directory.st_uid, 0);
}

/* Of 2000 writes half are each a run of their own, and half those of a long run. */
START_TEST(who_owns_the_directory_leads_nothing_outside)
{
	struct swaps *swaps =
		mmap(NULL, sizeof(*swaps), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	struct user_file hunted, beside;
	unsigned n_written = 0;
	struct stat before;
	char text[32], path[PATH_MAX];
	pid_t child;
	int status;

	need_root();
	make_directory("outside", 0755);
	make_file("outside/file", 0600);
	before = status_of("outside/file");
	make_directory("beside", 0755);
	make_directory("of-other", 0755);
	make_directory("of-other/a", 0755);
	give("of-other", OTHER);
	give("of-other/a", OTHER);
	snprintf(path, sizeof(path), "%s", at("of-other/a/file"));
	ck_assert_int_eq(user_file_open(&hunted, path, USER_FILE_REGULAR), 0);
	ck_assert_int_eq(user_file_open(&beside, at("beside/file"), USER_FILE_REGULAR), 0);
	child = start_swapping(swaps);
	for (unsigned i = 0; i < 1000; i++) {
		n_written += replace(&hunted, "secret") == 0;
		n_written += write_path(path, "secret") == 0;
		snprintf(text, sizeof(text), "%u", i);
		ck_assert_int_eq(replace(&beside, text), 0);
		ck_assert_str_eq(text_of("beside/file"), text);
	}
	swaps->end = true;
	ck_assert_int_eq(waitpid(child, &status, 0), child);
	ck_assert_int_eq(status, 0);
	assert_nothing_outside(&before);
	ck_assert_uint_gt(n_written, 0);
	user_file_close(&hunted);
	user_file_close(&beside);
}
