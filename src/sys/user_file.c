/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Walks to a file link by link, and replaces it by a temporary file beside it. */
#include <config.h>

#include "sys/user_file.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <linux/magic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "core/i18n.h"
#include "core/path_walk.h"
#include "core/span.h"
#include "core/vector.h"
#include "sys/descriptor.h"
#include "sys/machine.h"

#define NAME_PART 200 /* of a long name: what fits into that of a temporary file */

struct search {
	struct path_walk walk;
	struct user_file *file;
	int base; /* the directory to which walk.done is relative; owned */
	bool from_root, found;
	unsigned flags;
};

/* What has this name, itself if it is a link. A descriptor or -1. */
static int open_name(int directory, const char *name)
{
	return openat(directory, name, O_PATH | O_NOFOLLOW | O_CLOEXEC);
}

/* By names of directories, none of which is a link; O_DIRECTORY mounts what autofs has not mounted yet. */
static int open_names(int base, const char *path)
{
	int fd = fcntl(base, F_DUPFD_CLOEXEC, 0);

	while (*path && fd >= 0) {
		size_t length = strcspn(path, "/");
		char name[PATH_MAX];
		int next, error;

		snprintf(name, sizeof(name), "%.*s", (int)length, path);
		next = openat(fd, name, O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
		error = errno;
		close(fd);
		errno = error;
		fd = next;
		path += length + (path[length] == '/');
	}
	return fd;
}

/* Splits what is done so far into the directory, which is opened, and the name. */
static int open_directory(struct search *search)
{
	struct user_file *file = search->file;
	const char *done = search->walk.done, *slash = strrchr(done, '/');
	const char *name = slash ? slash + 1 : done;
	char above[PATH_MAX];

	if (strlen(done) >= PATH_MAX || strlen(name) > NAME_MAX)
		return -ENAMETOOLONG;
	memcpy(file->name, name, strlen(name) + 1);
	snprintf(above, sizeof(above), "%.*s", slash ? (int)(slash - done) : 0, done);
	descriptor_close(file->directory);
	file->directory = open_names(search->base, above);
	return file->directory < 0 ? -errno : 0;
}

/* Goes on from this descriptor, which becomes owned: 0, or -errno of what should have opened it. */
static int begin_at(struct search *search, int base, bool from_root)
{
	if (base < 0)
		return -errno;
	descriptor_close(search->base);
	search->base = base;
	search->from_root = from_root;
	return 0;
}

/* The links of /proc/PID/fd, cwd, root and exe lead to a file, whatever their text says. */
static bool is_followed_by_kernel(int link, const char *target)
{
	struct statfs fs;

	return (*target == '/' || strchr(target, ':')) && fstatfs(link, &fs) == 0 &&
	       fs.f_type == PROC_SUPER_MAGIC;
}

static int follow_by_kernel(struct search *search)
{
	struct user_file *file = search->file;
	int error;

	if (*search->walk.rest == '\0') {
		file->by_kernel = true;
		search->found = true;
		return 0;
	}
	error = path_walk_follow(&search->walk, "/");
	if (error)
		return error;
	return begin_at(search, openat(file->directory, file->name, O_PATH | O_CLOEXEC), false);
}

/* Whoever owns a link decides where it leads. */
static int follow(struct search *search, int link, uid_t owner)
{
	char target[PATH_MAX];
	ssize_t length = readlinkat(link, "", target, sizeof(target) - 1);
	int error;

	if (length < 0)
		return -errno;
	target[length] = '\0';
	if (owner != 0 && owner != geteuid()) {
		search->file->fault = USER_FILE_LINK;
		return -EPERM;
	}
	if (is_followed_by_kernel(link, target))
		return follow_by_kernel(search);
	error = path_walk_follow(&search->walk, target);
	if (error || *target != '/')
		return error;
	return begin_at(search, open("/", O_PATH | O_DIRECTORY | O_CLOEXEC), true);
}

static bool others_may_write(const struct stat *directory)
{
	return (directory->st_mode & (S_IWGRP | S_IWOTH)) ||
	       (directory->st_uid != 0 && directory->st_uid != geteuid());
}

/* As the kernel with fs.protected_regular=2, and with fs.protected_hardlinks=1 when a name is added. */
static int check_owner(struct user_file *file, const struct stat *present)
{
	struct stat directory;
	bool foreign, has_names = S_ISREG(present->st_mode) && present->st_nlink > 1;

	if (file->by_kernel)
		return 0;
	if (fstat(file->directory, &directory) < 0)
		return -errno;
	foreign = (directory.st_mode & S_ISVTX) && present->st_uid != geteuid() &&
		  present->st_uid != directory.st_uid;
	if (!others_may_write(&directory) || !(foreign || has_names))
		return 0;
	file->fault = USER_FILE_OWNER;
	return -EPERM;
}

static void note_access(struct user_file *file, const struct stat *status)
{
	file->has_access = true;
	file->mode = status->st_mode;
	file->user = status->st_uid;
	file->group = status->st_gid;
}

/* What fd is: a link or directory to go on from, or the file. Takes over fd. */
static int go_on(struct search *search, int fd)
{
	bool last = *search->walk.rest == '\0';
	struct stat status;
	int error = 0;

	if (fstat(fd, &status) < 0)
		error = -errno;
	else if (S_ISLNK(status.st_mode))
		error = follow(search, fd, status.st_uid);
	else if (last && !S_ISDIR(status.st_mode)) {
		search->found = true;
		search->file->present = fd;
		note_access(search->file, &status);
		return check_owner(search->file, &status);
	} else if (!S_ISDIR(status.st_mode))
		error = -ENOTDIR;
	close(fd);
	return error;
}

/* At the name that was added last. */
static int look(struct search *search)
{
	struct user_file *file = search->file;
	bool last = *search->walk.rest == '\0';
	int error = open_directory(search), fd;

	if (error)
		return error;
	fd = open_name(file->directory, file->name);
	if (fd < 0 && errno == ENOENT && last) {
		search->found = true;
		return 0;
	}
	if (fd < 0 && errno == ENOENT && (search->flags & USER_FILE_MAKE_DIRECTORIES) &&
	    (mkdirat(file->directory, file->name, S_IRWXU) == 0 || errno == EEXIST))
		fd = open_name(file->directory, file->name);
	if (fd >= 0 && last && (search->flags & USER_FILE_NEW)) {
		close(fd);
		return -EEXIST;
	}
	return fd < 0 ? -errno : go_on(search, fd);
}

static int find(struct search *search)
{
	int error = 0;

	while (!error && !search->found) {
		enum path_step step = path_walk_next(&search->walk);

		if (step == PATH_NAME)
			error = look(search);
		else if (step == PATH_ABOVE)
			error = begin_at(search, openat(search->base, "..", O_PATH | O_DIRECTORY | O_CLOEXEC),
					 search->from_root);
		else if (step == PATH_END)
			error = -EISDIR;
	}
	return error;
}

int user_file_open(struct user_file *file, const char *path, unsigned flags)
{
	struct search search = { .file = file, .base = -1, .flags = flags };
	int error;

	*file = (struct user_file){ .directory = -1, .present = -1 };
	error = path_walk_start(&search.walk, path);
	if (!error && !*path)
		error = -ENOENT;
	if (!error)
		error = begin_at(&search, open(*path == '/' ? "/" : ".", O_PATH | O_DIRECTORY | O_CLOEXEC),
				 *path == '/');
	if (!error)
		error = find(&search);
	if (!error && (flags & USER_FILE_REGULAR) &&
	    (file->by_kernel || (file->has_access && !S_ISREG(file->mode))))
		error = -ENOTSUP;
	if (error) /* for messages */
		snprintf(file->place, PATH_MAX, "%s%.*s", search.from_root ? "/" : "", PATH_MAX - 2,
			 search.walk.done);
	descriptor_close(search.base);
	return error;
}

void user_file_close(struct user_file *file)
{
	descriptor_close(file->directory);
	descriptor_close(file->present);
	file->directory = file->present = -1;
}

void user_file_error_text(const struct user_file *file, int error, char *text, size_t room)
{
	if (file->fault == USER_FILE_LINK)
		snprintf(text, room,
			 _("%s is a symbolic link of another user; use the path that it points to"),
			 file->place);
	else if (file->fault == USER_FILE_OWNER)
		snprintf(text, room, "%s",
			 _("another user may have put it there; remove it, or choose another directory"));
	else if (error == -ENOENT && *file->place)
		snprintf(text, room, _("there is no directory %s"), file->place);
	else if (error == -ENOENT && user_file_is_removed(file))
		snprintf(text, room, "%s", _("its directory was removed"));
	else if (error == -EEXIST)
		snprintf(text, room, "%s", _("it exists already; choose another name"));
	else if (error == -EISDIR || error == -ENOTSUP)
		snprintf(text, room, "%s", _("this is not a regular file"));
	else
		snprintf(text, room, "%s", strerror(-error));
}

int user_file_create(struct user_file *file, mode_t mode)
{
	int flags = O_WRONLY | O_CREAT | O_NOCTTY | O_CLOEXEC | (file->by_kernel ? 0 : O_NOFOLLOW);
	int fd = openat(file->directory, file->name, flags, mode), error;
	struct stat status;

	if (fd < 0)
		return -errno;
	/* It may be another one than user_file_open() saw. */
	error = fstat(fd, &status) < 0 ? -errno : check_owner(file, &status);
	if (!error)
		return fd;
	close(fd);
	return error;
}

int user_file_read(const struct user_file *file)
{
	int fd = openat(file->directory, file->name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);

	return fd < 0 ? -errno : fd;
}

void user_file_remove(const struct user_file *file)
{
	unlinkat(file->directory, file->name, 0);
}

/*
 * Hidden, and with another ending: programs that read all files of a directory pass it over. What a killed
 * process with the same number left is removed.
 */
static int open_temporary(const struct user_file *file, char name[NAME_MAX + 1], mode_t mode)
{
	int flags = O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, fd;

	snprintf(name, NAME_MAX + 1, ".%.*s.%ld", NAME_PART, file->name, (long)getpid());
	fd = openat(file->directory, name, flags, mode);
	if (fd < 0 && errno == EEXIST && unlinkat(file->directory, name, 0) == 0)
		fd = openat(file->directory, name, flags, mode);
	return fd < 0 ? -errno : fd;
}

int user_file_check(const struct user_file *file)
{
	char name[NAME_MAX + 1];
	int fd = open_temporary(file, name, S_IRUSR | S_IWUSR);

	if (fd < 0)
		return fd;
	close(fd);
	return unlinkat(file->directory, name, 0) < 0 ? -errno : 0;
}

/*
 * The group comes before the mode, which is meant for it; the owner last, since only the owner may set the
 * mode. Without its group, members of the new one and all others may do what both might.
 */
static void keep_access(const struct user_file *file, int fd)
{
	mode_t mode = file->mode & 0777, both = mode >> 3 & mode & 07;

	if (!file->has_access)
		return;
	if (fchown(fd, (uid_t)-1, file->group) < 0)
		mode = (mode & 0700) | both << 3 | both;
	if (fchmod(fd, mode) == 0 && fchown(fd, file->user, (gid_t)-1) < 0)
		return; /* it is of the user who writes it */
}

/* Network file systems, and those with quotas, may only report at the end that there is no room. */
int user_file_finish(int fd, bool to_disk)
{
	int copy = fcntl(fd, F_DUPFD_CLOEXEC, 0);

	if ((to_disk && fsync(fd) < 0) || copy < 0 || close(copy) < 0)
		return -errno;
	return 0;
}

/* A link never replaces a file; where there are none, the name was free when it was looked up last. */
static int take_new_name(const struct user_file *file, const char *name)
{
	int directory = file->directory, error = 0;
	struct stat status;

	if (linkat(directory, name, directory, file->name, 0) == 0)
		return unlinkat(directory, name, 0) < 0 ? -errno : 0;
	if (errno == EEXIST || fstatat(directory, file->name, &status, AT_SYMLINK_NOFOLLOW) == 0)
		error = -EEXIST;
	else if (renameat(directory, name, directory, file->name) < 0)
		error = -errno;
	if (error)
		unlinkat(directory, name, 0);
	return error;
}

/* A killed process leaves no part of it with its name. */
int user_file_write_new(struct user_file *file, const char *path, int (*write)(void *state, int fd),
			void *state)
{
	int error = user_file_open(file, path, USER_FILE_NEW), fd;
	char name[NAME_MAX + 1];

	if (error)
		return error;
	fd = open_temporary(file, name, S_IRUSR | S_IWUSR);
	if (fd < 0)
		return fd;
	error = write(state, fd);
	if (!error)
		error = user_file_finish(fd, false);
	close(fd);
	if (error)
		unlinkat(file->directory, name, 0);
	return error ? error : take_new_name(file, name);
}

int user_file_save_new(const char *path, int (*write)(void *state, int fd), void *state, char *why,
		       size_t room)
{
	struct user_file file;
	int error = user_file_write_new(&file, path, write, state);

	if (error)
		user_file_error_text(&file, error, why, room);
	user_file_close(&file);
	return error;
}

int user_file_replace(struct user_file *file, struct buffer *buffer, mode_t mode, bool to_disk)
{
	char name[NAME_MAX + 1];
	struct stat status;
	int fd, error;

	/* Who owns the file, or is root, may have changed its mode and owner since it was written. */
	if (file->present >= 0 && fstat(file->present, &status) == 0)
		note_access(file, &status);
	fd = open_temporary(file, name, file->has_access ? S_IRUSR | S_IWUSR : mode);
	if (fd < 0)
		return fd;
	keep_access(file, fd);
	error = buffer_write(buffer, fd, -1);
	if (!error)
		error = user_file_finish(fd, to_disk);
	if (!error) { /* network file systems keep what is open under another name */
		descriptor_close(file->present);
		file->present = -1;
		error = renameat(file->directory, name, file->directory, file->name) < 0 ? -errno : 0;
	}
	if (!error) {
		file->present = fd;
		return 0;
	}
	close(fd);
	unlinkat(file->directory, name, 0);
	return error;
}

bool user_file_is_removed(const struct user_file *file)
{
	struct stat status;

	return fstat(file->directory, &status) == 0 && status.st_nlink == 0;
}

static bool is_same(const struct stat *a, const struct stat *b)
{
	return a->st_dev == b->st_dev && a->st_ino == b->st_ino;
}

bool user_file_is_moved(const struct user_file *file, const char *path)
{
	struct stat own, found;
	struct user_file again;
	bool moved;
	int error;

	/* Two calls instead of a walk: it is there as a rule. */
	if (fstat(file->present, &own) == 0 && stat(path, &found) == 0 && is_same(&own, &found))
		return false;
	error = user_file_open(&again, path, 0);
	if (!error || again.fault == USER_FILE_OWNER)
		moved = fstat(file->directory, &own) < 0 || fstat(again.directory, &found) < 0 ||
			!is_same(&own, &found) || strcmp(file->name, again.name) != 0;
	else
		moved = error == -ENOENT || error == -ENOTDIR || again.fault == USER_FILE_LINK;
	user_file_close(&again);
	return moved;
}

#define DIGITS 8
#define OPEN_FLAGS (O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC)

static void name_of(const struct file_series *series, uint32_t number, char name[NAME_MAX + 1])
{
	snprintf(name, NAME_MAX + 1, "%0*" PRIu32 "%s", DIGITS, number, series->ending);
}

static bool is_number(const struct file_series *series, const char *name, uint32_t *number)
{
	char same[NAME_MAX + 1];
	uint64_t value;
	size_t digits = strspn(name, "0123456789");
	struct span text = span_of(name, digits);

	if (!span_is_u64(text, &value) || value == 0 || value > UINT32_MAX)
		return false;
	*number = (uint32_t)value;
	name_of(series, *number, same);
	return strcmp(same, name) == 0;
}

/* ".NUMBER.ENDING.PID", as user_file_replace() has it. */
static bool is_left(const struct file_series *series, const char *name)
{
	char file[NAME_MAX + 1];
	const char *last = strrchr(name, '.');
	uint32_t number;

	if (*name != '.' || last == name)
		return false;
	snprintf(file, sizeof(file), "%.*s", (int)(last - name - 1), &name[1]);
	return is_number(series, file, &number) && strspn(&last[1], "0123456789") == strlen(&last[1]);
}

/* sweep: removes what has no samples, and what a killed process left. */
static void add_listed(struct file_series *series, const char *name, bool sweep)
{
	struct stat status;
	uint32_t number;
	bool is_empty;
	int fd;

	if (!is_number(series, name, &number) ||
	    fstatat(series->directory, name, &status, AT_SYMLINK_NOFOLLOW) < 0 || !S_ISREG(status.st_mode))
		return;
	fd = status.st_size > 0 ? openat(series->directory, name, OPEN_FLAGS) : -1;
	is_empty = status.st_size == 0 || (fd >= 0 && series->is_empty(fd));
	descriptor_close(fd);
	if (is_empty) {
		if (sweep)
			unlinkat(series->directory, name, 0);
		return;
	}
	*VECTOR_ADD(series->files, series->n_files, series->capacity) =
		(struct series_file){ number, (uint64_t)status.st_size, clock_timespec_ns(status.st_mtim) };
}

static int by_number(const void *left, const void *right)
{
	const struct series_file *one = left, *other = right;

	return (one->number > other->number) - (one->number < other->number);
}

static int list(struct file_series *series, bool sweep)
{
	int fd = fcntl(series->directory, F_DUPFD_CLOEXEC, 0);
	DIR *directory = fd < 0 ? NULL : fdopendir(fd);
	const struct dirent *entry;

	if (!directory) {
		int error = -errno;

		descriptor_close(fd);
		return error;
	}
	rewinddir(directory); /* the other descriptor may have read it */
	series->n_files = 0;
	while ((entry = readdir(directory))) {
		add_listed(series, entry->d_name, sweep);
		if (sweep && is_left(series, entry->d_name))
			unlinkat(series->directory, entry->d_name, 0);
	}
	closedir(directory);
	if (series->n_files > 1)
		qsort(series->files, series->n_files, sizeof(*series->files), by_number);
	return 0;
}

int file_series_open(struct file_series *series, int directory, const char *ending, bool (*is_empty)(int fd),
		     bool of_any)
{
	struct stat status;
	int error = 0;

	*series = (struct file_series){
		.directory = directory, .ending = ending, .is_empty = is_empty, .of_any = of_any
	};
	if (fstat(directory, &status) < 0)
		error = -errno;
	else if (!of_any && status.st_mode & (S_IWGRP | S_IWOTH))
		error = -EPERM;
	if (!error) {
		series->mode = S_IRUSR | S_IWUSR | (status.st_mode & S_IRGRP);
		error = list(series, false);
	}
	if (error)
		file_series_close(series);
	return error;
}

void file_series_close(struct file_series *series)
{
	close(series->directory);
	free(series->files);
	*series = (struct file_series){ .directory = -1 };
}

int file_series_lock(struct file_series *series)
{
	return flock(series->directory, LOCK_EX | LOCK_NB) < 0 ? -errno : list(series, true);
}

bool file_series_is_removed(const struct file_series *series)
{
	struct stat status;

	return fstat(series->directory, &status) == 0 && status.st_nlink == 0;
}

/* Where a clock was wrong, the time is that of the next file with a possible one: rather too late. */
void file_series_judge(struct file_series *series, uint64_t now_ns)
{
	uint64_t latest_ns = 0;

	for (size_t i = 0; i < series->n_files; i++) {
		struct series_file *file = &series->files[i];

		if (file->end_ns > now_ns || file->end_ns < latest_ns)
			file->end_ns = 0;
		else
			latest_ns = file->end_ns;
	}
	for (size_t i = series->n_files; i-- > 0;) {
		if (series->files[i].end_ns == 0)
			series->files[i].end_ns = now_ns;
		now_ns = series->files[i].end_ns;
	}
}

int file_series_read(const struct file_series *series, size_t index)
{
	char name[NAME_MAX + 1];
	struct stat file, directory;
	int fd, error = 0;

	name_of(series, series->files[index].number, name);
	fd = openat(series->directory, name, OPEN_FLAGS);
	if (fd < 0)
		return -errno;
	if (fstat(fd, &file) < 0 || fstat(series->directory, &directory) < 0)
		error = -errno;
	else if (!S_ISREG(file.st_mode) ||
		 (!series->of_any && ((file.st_mode & (S_IWGRP | S_IWOTH)) ||
				      (file.st_uid != 0 && file.st_uid != directory.st_uid))))
		error = -EPERM;
	if (!error)
		return fd;
	close(fd);
	return error;
}

static bool exists(const struct file_series *series, const char *name)
{
	struct stat status;

	return fstatat(series->directory, name, &status, AT_SYMLINK_NOFOLLOW) == 0;
}

int file_series_add(struct file_series *series, struct buffer *first)
{
	uint32_t number = series->n_files > 0 ? series->files[series->n_files - 1].number : 0;
	struct user_file file = { .directory = series->directory, .present = -1 };
	int error;

	do
		name_of(series, ++number, file.name);
	while (exists(series, file.name));
	error = user_file_replace(&file, first, series->mode, false);
	if (error)
		return error;
	*VECTOR_ADD(series->files, series->n_files, series->capacity) =
		(struct series_file){ .number = number };
	return file.present;
}

void file_series_note(struct file_series *series, uint64_t bytes, uint64_t end_ns)
{
	struct series_file *newest = &series->files[series->n_files - 1];

	newest->bytes = bytes;
	newest->end_ns = end_ns;
}

static bool is_over(const struct file_series *series, uint64_t most_bytes, uint64_t since_ns)
{
	uint64_t bytes = 0;

	for (size_t i = 0; i < series->n_files; i++)
		bytes += series->files[i].bytes;
	return series->n_files > 1 && (series->n_files > FILE_SERIES_MAX ||
				       series->files[0].end_ns < since_ns ||
				       (most_bytes > 0 && bytes > most_bytes));
}

/* What others have removed makes no older file go. */
static void forget_removed(struct file_series *series)
{
	size_t n_files = 0;
	char name[NAME_MAX + 1];

	for (size_t i = 0; i < series->n_files; i++) {
		name_of(series, series->files[i].number, name);
		if (i + 1 == series->n_files || exists(series, name))
			series->files[n_files++] = series->files[i];
	}
	series->n_files = n_files;
}

int file_series_keep(struct file_series *series, uint64_t most_bytes, uint64_t since_ns)
{
	char name[NAME_MAX + 1];
	int fd, error;

	if (!is_over(series, most_bytes, since_ns))
		return 0;
	forget_removed(series);
	if (!is_over(series, most_bytes, since_ns))
		return 0;
	name_of(series, series->files[series->n_files - 1].number, name);
	fd = openat(series->directory, name, OPEN_FLAGS);
	error = fd < 0 || fdatasync(fd) < 0 ? -errno : 0;
	descriptor_close(fd);
	while (!error && is_over(series, most_bytes, since_ns)) {
		name_of(series, series->files[0].number, name);
		unlinkat(series->directory, name, 0);
		series->n_files--;
		memmove(series->files, series->files + 1, series->n_files * sizeof(*series->files));
	}
	return error;
}
