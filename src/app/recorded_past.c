/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Reads the recordings of the service, if root, the service or this user alone may have written them. */
#include <config.h>

#include "app/recorded_past.h"

#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <pwd.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "app/recording_parts.h"
#include "core/i18n.h"
#include "output/recording.h"
#include "recording/block.h"
#include "sys/machine.h"

#define DIRECTORY LOCALSTATEDIR "/lib/panetop"
#define SERVICE_USER "_panetop"

/* A sentence about the directory, and the error. */
struct refusal {
	char *why;
	size_t room;
};

static int refuse(const struct refusal *refusal, int error, const char *text)
{
	snprintf(refusal->why, refusal->room, _("%s is not used: %s"), DIRECTORY, text);
	return error;
}

static bool is_service_user(uid_t uid)
{
	const struct passwd *user = getpwnam(SERVICE_USER);

	return user && user->pw_uid == uid;
}

static int refuse_reader(const struct refusal *refusal, gid_t gid)
{
	const struct group *group = getgrgid(gid);
	char number[16];

	snprintf(number, sizeof(number), "%u", (unsigned)gid);
	snprintf(refusal->why, refusal->room,
		 _("panetop-record keeps earlier samples; members of the group %s may read them"),
		 group ? group->gr_name : number);
	return -EACCES;
}

/* Of the directory, which is open as a path. A descriptor for reading it or -errno. */
static int check(const struct refusal *refusal, int path)
{
	struct stat status;
	int fd;

	if (fstat(path, &status) < 0)
		return refuse(refusal, -errno, strerror(errno));
	if (S_ISLNK(status.st_mode))
		return refuse(refusal, -EPERM, _("it is a symbolic link"));
	if (status.st_uid != 0 && status.st_uid != geteuid() && !is_service_user(status.st_uid))
		return refuse(refusal, -EPERM, _("it is neither root's nor the service's"));
	fd = openat(path, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (fd >= 0)
		return fd;
	return errno == EACCES ? refuse_reader(refusal, status.st_gid)
			       : refuse(refusal, -errno, strerror(errno));
}

static int open_directory(const struct refusal *refusal, const char *root_name)
{
	struct root root;
	int path, fd, error = root_open(&root, root_name);

	if (error)
		return refuse(refusal, error, strerror(-error));
	path = root_open_at(&root, &DIRECTORY[1], O_PATH | O_NOFOLLOW);
	error = -errno;
	close(root.fd);
	if (path < 0 && (error == -ENOENT || error == -EACCES)) /* of a directory above it */
		return -ENOENT;
	if (path < 0)
		return refuse(refusal, error, strerror(-error));
	fd = check(refusal, path);
	close(path);
	return fd;
}

static void report_file(void *context, const char *why)
{
	const struct refusal *refusal = context;

	snprintf(refusal->why, refusal->room, _("a file in %s is left out: %s"), DIRECTORY, why);
}

static int join(const struct refusal *refusal, const struct file_series *series,
		const struct schema *const *schemas, unsigned n_schemas, struct source *source)
{
	uint64_t first_ns, last_ns;
	struct source together;
	struct joined *joined = joined_open(&together, schemas, n_schemas);
	int error;

	recording_parts_add(series, joined, report_file, (void *)refusal);
	source_extent(source, &first_ns, &last_ns);
	error = joined_cut(joined, first_ns);
	if (error) {
		together.close(together.state);
		return -ENOENT;
	}
	joined_add_source(joined, source);
	joined_number_boots(joined);
	*source = together;
	return 0;
}

int recorded_past_join(const char *root, const struct schema *const *schemas, unsigned n_schemas,
		       struct source *source, char *why, size_t room)
{
	const struct refusal refusal = { why, room };
	int fd = open_directory(&refusal, root), error;
	struct file_series series;

	if (fd < 0)
		return fd;
	error = file_series_open(&series, fd, RECORDING_PART_ENDING, recording_is_empty, false);
	if (error)
		return refuse(&refusal, error,
			      error == -EPERM ? _("others than its owner may write into it")
					      : strerror(-error));
	error = join(&refusal, &series, schemas, n_schemas, source);
	file_series_close(&series);
	return error;
}
