/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Files that are written where the user says. No other user can lead the way elsewhere: symbolic links are
 * only followed if they belong to root or to the user of this process, and the directory stays open, so that
 * it does not matter what becomes of its path.
 */
#ifndef PANETOP_SYS_USER_FILE_H
#define PANETOP_SYS_USER_FILE_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/stat.h>
#include <sys/types.h>

#include "core/buffer.h"

/* Why a path is refused, where that is more than an errno. */
enum user_file_fault {
	USER_FILE_FAULTLESS,
	USER_FILE_LINK,  /* a link on the way, or the file itself, is of another user */
	USER_FILE_OWNER, /* another user may have put the file there */
};

struct user_file {
	int directory; /* O_PATH; owned; -1: none */
	int present;   /* the file as it is now, whose mode and owner the next one gets; owned; -1: none */
	bool by_kernel;  /* the name is a link of proc that only the kernel follows, as of /dev/stdout */
	bool has_access; /* there is or was a file, with this … */
	mode_t mode;
	uid_t user;
	gid_t group;
	enum user_file_fault fault;
	char name[NAME_MAX + 1];
	char place[PATH_MAX]; /* as far as the walk came; for messages */
};

enum {
	USER_FILE_MAKE_DIRECTORIES = 1, /* missing ones, with mode 0700 */
	USER_FILE_REGULAR = 2,          /* refuse what is there and is not a regular file */
	USER_FILE_NEW = 4,              /* refuse what is there, and a link, too */
};

/*
 * Opens the directory of path, which need not exist itself. A file is refused if it is of another user than
 * this one and the owner of the directory, and the directory is one in which users cannot remove each other's
 * files; so is a file with several names if others than root and this user may give it names there. 0 or
 * -errno; user_file_close() in either case.
 */
int user_file_open(struct user_file *file, const char *path, unsigned flags);
void user_file_close(struct user_file *file);

/* What an error of this file means, as a translated sentence without the name of the file. */
void user_file_error_text(const struct user_file *file, int error, char *text, size_t room);

/*
 * Opens it for writing, and makes it if it does not exist, with this mode less the umask. It is not
 * truncated. A descriptor, close-on-exec, or -errno.
 */
int user_file_create(struct user_file *file, mode_t mode);

/*
 * Opens path, which must not exist, and has write() fill the new file, which only its owner can read, and
 * which gets its name when it is whole. 0 or -errno; user_file_close() in either case.
 */
int user_file_write_new(struct user_file *file, const char *path, int (*write)(void *state, int fd),
			void *state);

/* The same, and closes it; on failure why is what user_file_error_text() says. 0 or -errno. */
int user_file_save_new(const char *path, int (*write)(void *state, int fd), void *state, char *why,
		       size_t room);

/* Opens it for reading: a descriptor, close-on-exec, or -errno. */
int user_file_read(const struct user_file *file);

/* Removes what has its name. */
void user_file_remove(const struct user_file *file);

/* Can files be made in its directory, with the rights that this thread has now? 0 or -errno. */
int user_file_check(const struct user_file *file);

/*
 * What an open file lacks is an error by now, not only when it is closed; to_disk: not only when it gets
 * there. 0 or -errno.
 */
int user_file_finish(int fd, bool to_disk);

/*
 * Replaces it by what is in the buffer, which is emptied: a reader sees the old or the new file, never a
 * part. It gets the mode, the owner and the group of the old one, or what is less where they cannot be given;
 * a new file gets this mode less the umask. to_disk: waits until it is there. 0; or -errno, and the old file
 * is left.
 */
int user_file_replace(struct user_file *file, struct buffer *buffer, mode_t mode, bool to_disk);

/* Was its directory removed? It can never be written again. */
bool user_file_is_removed(const struct user_file *file);

/* Does this path, with which it was opened, lead elsewhere now? */
bool user_file_is_moved(const struct user_file *file, const char *path);

/*
 * A directory of files that follow each other, named by numbers: the newest one grows, the oldest ones go.
 * Only its owner may write into it.
 */

#define FILE_SERIES_MAX 100 /* files; more are neither kept nor read */

struct series_file {
	uint32_t number;
	uint64_t bytes;
	uint64_t end_ns; /* CLOCK_REALTIME when it was written last */
};

struct file_series {
	int directory;      /* owned */
	const char *ending; /* of names, with its dot; borrowed */
	bool (*is_empty)(int fd); /* of a file with bytes: has it no samples? */
	bool of_any;              /* others may have written it, too */
	mode_t mode;        /* of new files: the group may read them where it may read the directory */
	struct series_file *files; /* oldest first */
	size_t n_files, capacity;
};

/*
 * Takes over a descriptor of the directory, even on failure, and lists it, without what is empty. 0; -EPERM:
 * others than its owner may write into it, and it is not of_any; or -errno.
 */
int file_series_open(struct file_series *series, int directory, const char *ending, bool (*is_empty)(int fd),
		     bool of_any);
void file_series_close(struct file_series *series);

/* For who writes: removes what is empty. 0; -EWOULDBLOCK, another process writes; or -errno. */
int file_series_lock(struct file_series *series);

/* The files end before now, one after the other: what a wrong clock says otherwise is not used. */
void file_series_judge(struct file_series *series, uint64_t now_ns);

/* Was the directory removed? No more files can be made. */
bool file_series_is_removed(const struct file_series *series);

/* Opens one of the files for reading: a descriptor; -EPERM: others than the owner may have written it. */
int file_series_read(const struct file_series *series, size_t index);

/* Makes the next file of these bytes, or none, and empties the buffer: a descriptor for more, or -errno. */
int file_series_add(struct file_series *series, struct buffer *first);

/* What the newest file has by now. */
void file_series_note(struct file_series *series, uint64_t bytes, uint64_t end_ns);

/*
 * Removes oldest files, never the newest one: until all have at most this many bytes, and those that were
 * written last before this time. 0: no limit. Before that the newest one has to be on the disk: 0, or -errno,
 * and nothing is removed.
 */
int file_series_keep(struct file_series *series, uint64_t most_bytes, uint64_t since_ns);

#endif
