/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The kernel's log, read for the names of processes that were killed. */
#ifndef PANETOP_TOPIC_GROUP_KERNEL_LOG_H
#define PANETOP_TOPIC_GROUP_KERNEL_LOG_H

#include <errno.h>

#include "core/i18n.h"
#include "kernel/cgroup.h"
#include "sys/env.h"

#define KERNEL_LOG_PATH "dev/kmsg"
/* As a source of a topic; can_miss: the topic does without it, and gives no notice. */
#define KERNEL_LOG_SOURCE(what, can_miss)                                                                    \
	{                                                                                                    \
		.path = "/" KERNEL_LOG_PATH, .gives = (what), .optional = (can_miss),                        \
		.test = kernel_log_test,                                                                     \
		.remedies = { { EPERM, N_("kernel.dmesg_restrict is 1: run it as root, or give it the "      \
					   "capability cap_syslog") },                                   \
			      { EACCES, N_("only root can read it: run it as root") },                       \
			      { ENOENT, N_("there is none, as in a container") } }                           \
	}

#define KERNEL_LOG_BYTES 8192 /* the kernel's own limit of a record */

struct kernel_log {
	int fd; /* -1: not open */
	struct span rest; /* of what was read last, in text */
	char text[KERNEL_LOG_BYTES];
};

/*
 * From its beginning. 0 or -errno. Below another root it has to be a plain file, since a device is this
 * machine's.
 */
int kernel_log_open(struct kernel_log *log, const struct env *env);
/* Can it be opened? 0 or -errno. */
int kernel_log_test(struct env *env);

/* What is there now is passed over. */
void kernel_log_skip(struct kernel_log *log);
void kernel_log_close(struct kernel_log *log);

/* The next process that was killed, valid until the next call; false: none so far. Does not block. */
bool kernel_log_next(struct kernel_log *log, struct oom_record *record);

#endif
