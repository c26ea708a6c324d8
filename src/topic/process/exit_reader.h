/* SPDX-License-Identifier: GPL-2.0-or-later */
/* An exit record for every thread that exited, with what it used. */
#ifndef PANETOP_TOPIC_PROCESS_EXIT_READER_H
#define PANETOP_TOPIC_PROCESS_EXIT_READER_H

#include "kernel/net/netlink.h"
#include "sys/env.h"

struct exit_reader;
typedef void exit_each(void *context, const struct exit_record *record);

/* What gives the records in a test, env->exits, in the place of the kernel. */
struct exit_source {
	int (*open)(const struct exit_source *source); /* 0 or -errno */
	void (*drain)(const struct exit_source *source, exit_each *each, void *context);
	uint64_t (*lost)(const struct exit_source *source);
};

/*
 * From its return on all exits are kept until they are drained, and perhaps some from before. NULL and
 * *error: -ENOTSUP where env is not the live machine; -EPERM without CAP_NET_ADMIN; -ENOENT where the kernel
 * has no taskstats; -EINVAL outside of the initial pid or user namespace, -ENETUNREACH outside of the initial
 * network namespace; -ETIMEDOUT; or another failure.
 */
struct exit_reader *exit_reader_open(struct env *env, int *error);
void exit_reader_close(struct exit_reader *reader); /* NULL is fine */

/*
 * Calls each for all exits so far; the record is valid until each returns. Neither blocks nor allocates. The
 * kernel sends the records of a process before wait() for it returns, and before it frees the memory: the CPU
 * time for that is in no record.
 */
void exit_reader_drain(struct exit_reader *reader, exit_each *each, void *context);

/* Becomes readable when there are records. */
int exit_reader_fd(const struct exit_reader *reader);

/*
 * From now on only records of threads with one of these names, of at most 15 bytes, are sent. 0; -ENODATA
 * where records do not say which thread is the first one, before Linux 5.19; or -errno.
 */
int exit_reader_narrow(struct exit_reader *reader, const char (*names)[16], size_t n_names);

/*
 * The CPU time of a thread, which its record lacks in part: a thread that never slept ran whenever it did not
 * wait for a CPU; for others the ticks may include more than the scheduler's last update. That update is a
 * tick old at most, so the result never exceeds it by more: ticks count a thread that wakes along with them
 * as if it ran all the time.
 */
uint64_t exit_record_cpu_ns(const struct exit_record *record, uint64_t tick_ns);

/* The longest time between two updates of the scheduler while a thread runs. */
uint64_t exit_reader_tick_ns(struct env *env);

/*
 * Records lost from open to the last drain, because the socket buffer was full, or because they could not be
 * decoded. A lower bound before Linux 4.12, else exact.
 */
uint64_t exit_reader_lost(const struct exit_reader *reader);

#endif
