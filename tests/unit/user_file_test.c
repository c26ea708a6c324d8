/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Tests of sys/user_file: where a path leads, what a replaced file keeps, other users in the way. */
#include "suite.h"

#include <grp.h>
#include <limits.h>

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

static bool exists(const char *name)
{
	return access(at(name), F_OK) == 0;
}

static void change_mode(const char *name, mode_t mode)
{
	ck_assert_int_eq(chmod(at(name), mode), 0);
}

static void remove_file(const char *name)
{
	ck_assert_int_eq(unlink(at(name)), 0);
}

static void rename_file(const char *from, const char *to)
{
	ck_assert_int_eq(rename(at(from), at(to)), 0);
}

static void link_file(const char *from, const char *to)
{
	ck_assert_int_eq(link(at(from), at(to)), 0);
}

static void make_file(const char *name, mode_t mode)
{
	FILE *stream = fopen(at(name), "w");

	ck_assert_ptr_nonnull(stream);
	fputs("before", stream);
	fclose(stream);
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
	FILE *stream = fopen(at(name), "r");

	ck_assert_msg(stream != NULL, "%s: %s", name, strerror(errno));
	text[fread(text, 1, sizeof(text) - 1, stream)] = '\0';
	fclose(stream);
	return text;
}

static void check_mode(const char *name, mode_t mode)
{
	ck_assert_uint_eq(status_of(name).st_mode & 07777, mode);
}

static int replace(struct user_file *replaced, const char *text)
{
	struct buffer buffer = { 0 };
	int error;

	buffer_text(&buffer, text);
	error = user_file_replace(replaced, &buffer, 0644, false);
	buffer_free(&buffer);
	return error;
}

/* The file that a test is about. */
static struct user_file file;

static void open_file(const char *name)
{
	user_file_close(&file);
	ck_assert_int_eq(user_file_open(&file, at(name), 0), 0);
}

static void write_file(const char *text)
{
	ck_assert_int_eq(replace(&file, text), 0);
}

/* Opens the path, and replaces the file twice. */
static int write_path(const char *path, const char *text)
{
	struct user_file opened;
	int error = user_file_open(&opened, path, USER_FILE_REGULAR);

	if (!error)
		error = user_file_check(&opened);
	if (!error)
		error = replace(&opened, "first");
	if (!error)
		error = replace(&opened, text);
	user_file_close(&opened);
	return error;
}

static void assert_written(const char *path, const char *name)
{
	static unsigned number;
	const char *text = textf("text %u", ++number);

	ck_assert_int_eq(write_path(path, text), 0);
	ck_assert_str_eq(text_of(name), text);
}

#define NO_FILE "this is not a regular file"
#define FOREIGN "another user may have put it there; remove it, or choose another directory"

static void check_why(const char *path, unsigned flags, const char *expected)
{
	char why[PATH_MAX + 128] = "opened";
	struct user_file opened;
	int error = user_file_open(&opened, path, flags);

	if (error)
		user_file_error_text(&opened, error, why, sizeof(why));
	user_file_close(&opened);
	ck_assert_str_eq(textf("%s: %s", path, why), textf("%s: %s", path, expected));
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
	make_directory("a", 0755);
	make_directory("b", 0755);
	make_file("a/file", 0644);
	make_link(at("a"), "b/absolute");
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
	check_why(at("b/loop"), 0, strerror(ELOOP));
	check_why(at("b/loop/file"), 0, strerror(ELOOP));
}

START_TEST(what_is_no_place_for_a_file_is_refused)
{
	char name[NAME_MAX + 2];

	make_directory("a", 0755);
	make_file("a/file", 0644);
	ck_assert_int_eq(mkfifo(at("a/pipe"), 0600), 0);
	check_why(at("a/none/file"), 0, textf("there is no directory %s", at("a/none")));
	check_why(at("a/file/file"), 0, strerror(ENOTDIR));
	check_why(at("a/file/"), 0, strerror(ENOTDIR));
	check_why(at("a"), 0, NO_FILE);
	check_why(at("a/"), 0, NO_FILE);
	check_why(at("a/.."), 0, NO_FILE);
	check_why("/", 0, NO_FILE);
	check_why("", 0, strerror(ENOENT));
	check_why(at("a/pipe"), USER_FILE_REGULAR, NO_FILE);
	check_why(at("a/pipe"), 0, "opened");
	check_why("/dev/null", 0, "opened");
	memset(name, 'x', sizeof(name));
	name[NAME_MAX + 1] = '\0';
	check_why(at(name), 0, strerror(ENAMETOOLONG));
	name[NAME_MAX] = '\0';
	assert_written(at(name), name);
	ck_assert_int_eq(chdir(at("a")), 0); /* messages name a path as it was given */
	check_why("none/file", 0, "there is no directory none");
	check_why("./b/c/file", 0, "there is no directory b");
}

START_TEST(missing_directories_are_made_on_request)
{
	make_directory("a", 0755);
	make_link("a", "link");
	ck_assert_int_eq(user_file_open(&file, at("link/b/c/file"), USER_FILE_MAKE_DIRECTORIES), 0);
	write_file("text");
	ck_assert_str_eq(text_of("a/b/c/file"), "text");
	check_mode("a/b", 0700);
	check_mode("a/b/c", 0700);
}

/* Through links of proc, which say the path of a file that may have been renamed or removed since. */
START_TEST(descriptors_are_files_for_the_kernel)
{
	struct stat link;
	const char *path;
	int fd, copy;

	ck_assert_int_eq(lstat("/dev/fd", &link), 0);
	if (link.st_uid != 0 && link.st_uid != geteuid())
		skip_test("/dev is of a user who is not in this user namespace");
	make_file("file", 0600);
	fd = open(at("file"), O_WRONLY | O_TRUNC);
	remove_file("file");
	path = textf("/dev/fd/%d", fd);
	check_why(path, USER_FILE_REGULAR, NO_FILE);
	ck_assert_int_eq(user_file_open(&file, path, 0), 0);
	copy = user_file_create(&file, 0600);
	ck_assert_int_ge(copy, 0);
	ck_assert_int_eq(write(copy, "text", 4), 4);
	ck_assert_int_eq(lseek(fd, 0, SEEK_END), 4);
	close(copy);
	check_why("/proc/self/ns/pid", 0, "opened"); /* pid:[4026531836] */
	check_why("/proc/self/ns/pid", USER_FILE_REGULAR, NO_FILE);
	make_directory("a", 0755);
	ck_assert_int_eq(chdir(at("a")), 0);
	assert_written("/proc/self/cwd/file", "a/file");
	assert_written("/proc/self/cwd/../up", "up");
}

/* Not even a link of this user, since it was none when it was looked at; it is replaced itself. */
START_TEST(a_link_that_came_later_is_not_followed)
{
	make_file("outside", 0644);
	open_file("file");
	make_link("outside", "file");
	ck_assert_int_eq(user_file_create(&file, 0600), -ELOOP);
	write_file("a");
	ck_assert(S_ISREG(status_of("file").st_mode));
	ck_assert_str_eq(text_of("outside"), "before");
}

START_TEST(the_mode_is_kept)
{
	umask(027);
	open_file("file");
	write_file("a");
	check_mode("file", 0640);
	change_mode("file", 0604); /* while it is being written */
	write_file("b");
	check_mode("file", 0604);
	remove_file("file");
	write_file("c");
	check_mode("file", 0604);
	change_mode("file", 04622);
	ck_assert_int_eq(write_path(at("file"), "d"), 0);
	check_mode("file", 0622); /* it is not the program that had this */
}

/* A file that another user puts there while it is being written gets nothing. */
START_TEST(the_mode_is_that_of_the_own_file)
{
	make_file("file", 0600);
	open_file("file");
	for (unsigned again = 0; again < 2; again++) {
		make_file("wide", 0666);
		rename_file("wide", "file");
		write_file("a");
		check_mode("file", 0600);
	}
}

START_TEST(a_file_of_several_names_may_be_of_anyone)
{
	make_directory("own", 0755);
	make_directory("all", 0777);
	make_file("own/file", 0644);
	link_file("own/file", "all/file");
	assert_written(at("own/file"), "own/file"); /* only this name gets the new file */
	ck_assert_str_eq(text_of("all/file"), "before");
	remove_file("own/file");
	link_file("all/file", "own/file");
	check_why(at("all/file"), 0, FOREIGN);
	remove_file("own/file");
	check_why(at("all/file"), 0, "opened");
}

/* Who else may write in the directory: its group, or all others. */
START_TEST(others_may_give_names_where_they_may_write)
{
	make_directory("a", 0755);
	open_file("a/again");
	make_file("a/file", 0644);
	link_file("a/file", "a/again");
	ck_assert_int_eq(mkfifo(at("a/pipe"), 0600), 0);
	link_file("a/pipe", "a/same");
	check_why(at("a/file"), 0, "opened");
	change_mode("a", 0775);
	check_why(at("a/file"), 0, FOREIGN);
	change_mode("a", 0757);
	check_why(at("a/file"), 0, FOREIGN);
	check_why(at("a/pipe"), 0, "opened");
	ck_assert_int_eq(user_file_create(&file, 0600), -EPERM); /* since it was opened */
	remove_file("a/again");
	check_why(at("a/file"), 0, "opened");
}

static bool is_moved(const char *name)
{
	return user_file_is_moved(&file, at(name));
}

/* Where there is another directory on its way it has moved; not where nothing is known of it. */
START_TEST(the_directory_stays_open)
{
	char path[PATH_MAX];

	make_directory("a", 0755);
	make_directory("outside", 0755);
	open_file("a/file");
	ck_assert(!is_moved("a/file"));
	write_file("a");
	ck_assert(!is_moved("a/file"));
	make_file("a/other", 0600);
	rename_file("a/other", "a/file");
	ck_assert(!is_moved("a/file")); /* the next one takes its place */
	rename_file("a", "moved");
	make_link("outside", "a");
	write_file("b");
	ck_assert_str_eq(text_of("moved/file"), "b");
	ck_assert(!exists("outside/file") && is_moved("a/file"));
	remove_file("a");
	ck_assert(is_moved("a/file"));
	make_file("a", 0600);
	ck_assert(is_moved("a/file"));
	remove_file("a");
	make_link("moved", "a");
	ck_assert(!is_moved("a/file") && !user_file_is_removed(&file));
	remove_file("moved/file");
	ck_assert(!is_moved("a/file")); /* it will be there again */
	ck_assert(is_moved("a/other"));
	memset(path, 'x', sizeof(path));
	path[NAME_MAX + 1] = '\0';
	ck_assert(!user_file_is_moved(&file, path));
	ck_assert_int_eq(rmdir(at("moved")), 0);
	ck_assert_int_eq(replace(&file, "c"), -ENOENT);
	ck_assert(user_file_is_removed(&file));
	user_file_error_text(&file, -ENOENT, path, sizeof(path));
	ck_assert_str_eq(path, "its directory was removed");
}

START_TEST(what_cannot_be_written_is_left)
{
	make_directory("a", 0555);
	if (access(at("a"), W_OK) == 0)
		skip_test("root may write everywhere");
	open_file("a/file");
	ck_assert_int_eq(user_file_check(&file), -EACCES);
	ck_assert_int_eq(replace(&file, "text"), -EACCES);
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
	char why[PATH_MAX + 128] = "nothing";
	int error = 0;

	ck_assert_int_eq(user_file_save_new(at("new"), write_text, &error, why, sizeof(why)), 0);
	ck_assert_str_eq(textf("%s, %s", text_of("new"), why), "text, nothing");
	check_mode("new", 0600);
	ck_assert_int_eq(user_file_save_new(at("new"), write_text, &error, why, sizeof(why)), -EEXIST);
	ck_assert_str_eq(textf("%s, %s", text_of("new"), why),
			 "text, it exists already; choose another name");
	ck_assert_uint_eq(n_calls, 1);
	error = -ENOSPC;
	ck_assert_int_eq(user_file_save_new(at("other"), write_text, &error, why, sizeof(why)), -ENOSPC);
	ck_assert_str_eq(why, strerror(ENOSPC));
	ck_assert(n_calls == 2 && !exists("other"));
}

/* As it was opened: not through a link that came later, and without waiting for a writer. */
START_TEST(what_is_there_is_read)
{
	char text[8] = "";
	int fd;

	open_file("file");
	ck_assert_int_eq(user_file_read(&file), -ENOENT);
	make_file("file", 0600);
	fd = user_file_read(&file);
	ck_assert_int_eq(fcntl(fd, F_GETFD), FD_CLOEXEC);
	ck_assert_int_eq(read(fd, text, sizeof(text)), 6);
	ck_assert_str_eq(text, "before");
	close(fd);
	remove_file("file");
	ck_assert_int_eq(mkfifo(at("file"), 0600), 0);
	fd = user_file_read(&file);
	ck_assert_int_ge(fd, 0);
	close(fd);
	remove_file("file");
	make_link("elsewhere", "file");
	ck_assert_int_eq(user_file_read(&file), -ELOOP);
}

/* What a killed process with the same number left is no obstacle; a directory is, and in its own place, too.
 */
START_TEST(a_left_temporary_file_is_replaced)
{
	const char *temporary = textf(".file.%ld", (long)getpid());

	open_file("file");
	make_file(temporary, 0600);
	ck_assert_int_eq(user_file_check(&file), 0);
	ck_assert(!exists(temporary) && !exists("file"));
	make_file(temporary, 0600);
	write_file("text");
	ck_assert_str_eq(text_of("file"), "text");
	ck_assert(!exists(temporary));
	make_file("outside", 0600);
	make_link("outside", temporary); /* it leads nowhere */
	write_file("text");
	ck_assert_str_eq(text_of("outside"), "before");
	ck_assert(!exists(temporary));
	make_directory(temporary, 0700);
	ck_assert_int_eq(user_file_check(&file), -EISDIR);
	ck_assert_int_eq(replace(&file, "more"), -EISDIR);
	ck_assert_str_eq(text_of("file"), "text");
	ck_assert_int_eq(rmdir(at(temporary)), 0);
	remove_file("file");
	make_directory("file", 0700);
	ck_assert_int_eq(replace(&file, "text"), -EISDIR);
	ck_assert(S_ISDIR(status_of("file").st_mode) && !exists(temporary));
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
	const char *why =
		textf("%s is a symbolic link of another user; use the path that it points to", at(link));

	check_why(at(path), 0, why);
	check_why(at(path), USER_FILE_REGULAR, why);
}

START_TEST(links_of_other_users_are_not_followed)
{
	need_root();
	make_directory("a", 0777);
	make_directory("outside", 0777);
	make_link("../outside", "a/link");
	make_link("../outside/file", "a/file");
	make_link("link", "a/of-root");
	make_link("a", "root-link");
	give("a/link", OTHER);
	give("a/file", OTHER);
	assert_foreign_link("a/link/file", "a/link");
	assert_foreign_link("a/of-root/file", "a/link");
	assert_foreign_link("a/file", "a/file");
	ck_assert(!exists("outside/file"));
	give("a/link", THIRD);
	become_other();
	assert_foreign_link("a/link/file", "a/link");
	assert_written(at("a/file"), "outside/file"); /* its own */
	assert_written(at("root-link/new"), "a/new"); /* of root */
}

START_TEST(other_users_move_no_file)
{
	need_root();
	make_directory("a", 0777);
	make_directory("a/b", 0777);
	open_file("a/b/file");
	change_mode("a/b", 01777);
	make_file("a/b/file", 0600);
	give("a/b/file", OTHER);
	check_why(at("a/b/file"), 0, FOREIGN);
	ck_assert(!is_moved("a/b/file")); /* it is the same place */
	rename_file("a/b", "a/c");
	make_link("c", "a/b");
	ck_assert(!is_moved("a/b/file"));
	give("a/b", OTHER);
	ck_assert(is_moved("a/b/file")); /* it leads nowhere any more */
}

/* Its owner may give names there whatever its mode is. */
START_TEST(files_of_others_in_sticky_directories_are_refused)
{
	need_root();
	make_directory("a", 01777);
	give("a", THIRD);
	make_file("a/file", 0666);
	give("a/file", OTHER);
	check_why(at("a/file"), 0, FOREIGN);
	make_file("a/of-root", 0666);
	make_file("a/of-owner", 0666);
	give("a/of-owner", THIRD);
	check_why(at("a/of-root"), 0, "opened");
	check_why(at("a/of-owner"), 0, "opened");
	change_mode("a", 0777);
	check_why(at("a/file"), 0, "opened");
	change_mode("a", 01777);
	make_directory("b", 0755);
	make_file("b/file", 0644);
	link_file("b/file", "b/again");
	check_why(at("b/file"), 0, "opened");
	give("b", OTHER);
	check_why(at("b/file"), 0, FOREIGN);
	become_other();
	check_why(at("b/file"), 0, "opened");
	check_why(at("a/of-root"), 0, FOREIGN);
	check_why(at("a/file"), 0, "opened");
}

/* What the group of a file might is not what the group of the one who writes it may. */
START_TEST(nobody_may_more_where_the_owner_cannot_be_kept)
{
	static const mode_t modes[][2] = { { 0640, 0600 }, { 0664, 0644 }, { 0604, 0600 }, { 0666, 0666 } };

	need_root();
	make_directory("a", 0777);
	for (size_t i = 0; i < LENGTH(modes); i++) {
		make_file(textf("a/%zu", i), modes[i][0]);
		give(textf("a/%zu", i), THIRD);
	}
	become_other();
	for (size_t i = 0; i < LENGTH(modes); i++) {
		ck_assert_int_eq(write_path(at(textf("a/%zu", i)), "text"), 0);
		ck_assert_uint_eq(status_of(textf("a/%zu", i)).st_uid, OTHER);
		check_mode(textf("a/%zu", i), modes[i][1]);
	}
}
