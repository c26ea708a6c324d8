/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Helper processes for calls that may never return: stat, open and read of what others own. A thread that
 * the kernel holds keeps its process; a helper is left behind. The submitting thread collects the results.
 */
#ifndef PANETOP_SYS_HELPER_H
#define PANETOP_SYS_HELPER_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "sys/machine.h"

struct helper_team;

/*
 * A call and its result: the first member of a struct in memory of helper_alloc(), which is all that a helper
 * shares with panetop. run() uses nothing else: no pointer to what malloc() gave, no descriptor.
 */
struct helper_job {
	void (*run)(struct helper_job *job);  /* in a helper */
	void (*done)(struct helper_job *job); /* in the thread of its team */
	struct helper_job *next;
	const char *name; /* what may hang, for people: "/mnt/nas"; borrowed; NULL: none */
	uint64_t thing;   /* what may hang: only one helper waits for it; 0: not known */
	int fd;           /* run() may open one: it is passed to done(), which closes it; -1: none */
	int error;        /* for run() to set; -errno */
	bool dropped;     /* it may not have run: the helper has ended, or its team is closed */
	bool ended, left; /* of helper_open() */
	_Atomic uint64_t since_ns; /* when a helper began it */
	_Atomic bool has_run;      /* it waits for nothing any more, but perhaps to be collected */
};

/*
 * Forks the process that starts helpers when they are needed, while panetop is small, has one thread and
 * only the rights that it keeps. Its working directory is root, and it has no other file. 0 or -errno: jobs
 * then run where they are submitted.
 */
int helper_start(const char *root);

/* Ends what the kernel does not hold. Waits for at most 100 ms. */
void helper_stop(void);

/* The root for run(): own, or in a helper the same of its own. */
const struct root *helper_root(const struct root *own);

/* Zeroed, never NULL. A job in memory that could not be shared runs where it is submitted. */
void *helper_alloc(size_t size);
char *helper_text(const char *text);
void helper_free(void *memory);

/* At most most helpers, with the rights for uses, see sys/privilege.h, as far as panetop has them. */
struct helper_team *helper_team_open(uint64_t uses, unsigned most);

/*
 * Drops all jobs. A job that a helper still runs is left to it, with its memory; done() is called for the
 * others, with dropped set.
 */
void helper_team_close(struct helper_team *team);

/* False where a helper already waits for the same thing. Without helpers the job runs before this returns. */
bool helper_submit(struct helper_team *team, struct helper_job *job);
void helper_collect(struct helper_team *team);

/* Waits until until_ns, until a job has finished, or until another helper may be needed; then collects. */
void helper_wait(struct helper_team *team, uint64_t until_ns);

/*
 * Runs a job that opens a file, with the rights to see what processes see, and frees it: the descriptor, or
 * -errno. -ETIMEDOUT: it is late, and left to the helper; -EBUSY: another job waits for the same thing. For
 * all threads. done is not used.
 */
int helper_open(struct helper_job *job);

/* Is it a file of a server, which may stop answering? For helpers: this may hang, too. */
bool helper_is_served(int fd);

/* A copy of all of a file, which does not hang later: a descriptor or -errno. Takes fd. For helpers. */
int helper_copy(int fd);

/* How many helpers have waited for seconds; *name: for what one of them waits, NULL: no name. */
unsigned helper_count_stuck(const char **name);

/* Messages between processes of panetop, over a socket of whole messages, that may pass a descriptor. */

/* fd: -1: none; it stays open here, too. 0 or -errno. */
int descriptor_message_send(int socket, const void *bytes, size_t length, int fd);

/*
 * The length, 0 at the end, or -errno; -EAGAIN where flags have MSG_DONTWAIT and there is no message. *fd is
 * close-on-exec, and the caller's; -1: none.
 */
ssize_t descriptor_message_receive(int socket, void *bytes, size_t room, int flags, int *fd);

#endif
