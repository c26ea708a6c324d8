/* SPDX-License-Identifier: GPL-2.0-or-later */
/* For samplers: every thread that ended since the last time, with what it used, none of them unseen. */
#ifndef PANETOP_TOPIC_ACCOUNT_EXIT_READER_H
#define PANETOP_TOPIC_ACCOUNT_EXIT_READER_H

#include "kernel/taskstats.h"
#include "sys/env.h"

struct exit_reader;

/*
 * From its return on all exits are kept until they are drained; some before it may be told, too. NULL and
 * *error otherwise: -ENOTSUP where env is not the live machine; -EPERM without CAP_NET_ADMIN; -ENOENT where
 * the kernel has no taskstats; -EINVAL in another pid or user namespace than the first, -ENETUNREACH in
 * another network namespace; -ETIMEDOUT; or of what else failed.
 */
struct exit_reader *exit_reader_open(struct env *env, int *error);
void exit_reader_close(struct exit_reader *reader); /* NULL is fine */

/*
 * Calls each for all exits there are now; the record is valid until each returns. Neither blocks nor
 * allocates. The kernel tells of the threads of a process before wait() for it returns, and before it takes
 * their memory down: the time for that is in no record.
 */
void exit_reader_drain(struct exit_reader *reader,
		       void (*each)(void *context, const struct exit_record *record), void *context);

/*
 * How many exits were lost up to the last drain, since open: because the buffer of the socket was full, or
 * because they could not be decoded. A lower bound before Linux 4.12, else exact.
 */
uint64_t exit_reader_lost(const struct exit_reader *reader);

#endif
