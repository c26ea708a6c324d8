/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A read of /dev/kmsg gives one record; those that were overwritten meanwhile are an error of one read. */
#include <config.h>

#include "topic/group/kernel_log.h"

#include <errno.h>
#include <sys/stat.h>
#include <unistd.h>

#include "sys/privilege.h"

int kernel_log_open(struct kernel_log *log, const struct env *env)
{
	uint64_t raised = env->live ? privilege_raise(PRIVILEGE_KERNEL_LOG) : 0;
	int fd = env_open_file(env, KERNEL_LOG_PATH);
	struct stat status;

	privilege_lower(raised);
	*log = (struct kernel_log){ .fd = -1 };
	if (fd < 0)
		return fd;
	if (fstat(fd, &status) < 0 || (!env->live && !S_ISREG(status.st_mode))) {
		close(fd);
		return -ENODEV;
	}
	log->fd = fd;
	return 0;
}

int kernel_log_test(struct env *env)
{
	struct kernel_log log;
	int error = kernel_log_open(&log, env);

	kernel_log_close(&log);
	return error;
}

void kernel_log_skip(struct kernel_log *log)
{
	if (log->fd >= 0 && lseek(log->fd, 0, SEEK_END) < 0)
		kernel_log_close(log);
}

void kernel_log_close(struct kernel_log *log)
{
	if (log->fd >= 0)
		close(log->fd);
	log->fd = -1;
}

static bool read_more(struct kernel_log *log)
{
	ssize_t length;

	do
		length = log->fd < 0 ? 0 : read(log->fd, log->text, sizeof(log->text));
	while (length < 0 && (errno == EPIPE || errno == EINTR));
	if (length <= 0)
		return false;
	log->rest = span_of(log->text, (size_t)length);
	return true;
}

bool kernel_log_next(struct kernel_log *log, struct oom_record *record)
{
	struct span line;

	do {
		while (span_line(&log->rest, &line))
			if (oom_record_parse(line, record))
				return true;
	} while (read_more(log));
	return false;
}
