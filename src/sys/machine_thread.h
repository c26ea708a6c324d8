/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Threads of panetop: the kernel runs them in the program, a script in a test. */
#ifndef PANETOP_SYS_MACHINE_THREAD_H
#define PANETOP_SYS_MACHINE_THREAD_H

#include <sched.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define THREAD_ENDS UINT64_MAX

/* What a thread does, in rounds. */
struct thread_work {
	uint64_t (*round)(void *context); /* ns until the next one, or THREAD_ENDS */
	void (*end)(void *context);       /* in the thread, after the last round; NULL: nothing */
	uint64_t rights;                  /* that it keeps: PRIVILEGE_BIT() of each */
	void *stack;                      /* borrowed; NULL: one of the C library */
	size_t stack_bytes;
};

/* Embedded by who runs it. */
struct machine_thread {
	const struct machine_threads *of;
};

struct machine_threads {
	/* Begins with the first round. NULL with errno. work and context stay the caller's. */
	struct machine_thread *(*start)(const struct machine_threads *threads, const struct thread_work *work,
					void *context);

	/* Ends its pause, or the next one: what has changed since the start of a round is seen in one. */
	void (*wake)(struct machine_thread *thread);

	/*
	 * Lets it end after this round, or its first one, and frees it. With waits it has ended then, or
	 * false: it hangs, and keeps its context. Without, it goes on to its end by itself.
	 */
	bool (*end)(struct machine_thread *thread, bool waits);

	uint64_t (*cpu_ns)(const struct machine_thread *thread); /* CPU time so far; 0: unknown */

	/* Of the calling thread, as the functions of these names. */
	int (*sched_getcpu)(void);
	int (*sched_setaffinity)(pid_t tid, size_t bytes, const cpu_set_t *cpus);
};

static inline struct machine_thread *thread_start(const struct machine_threads *threads,
						  const struct thread_work *work, void *context)
{
	return threads->start(threads, work, context);
}

static inline void thread_wake(struct machine_thread *thread)
{
	thread->of->wake(thread);
}

static inline bool thread_end(struct machine_thread *thread, bool waits)
{
	return thread->of->end(thread, waits);
}

extern const struct machine_threads real_threads;

/* Helper threads for calls that may block; the submitting thread collects the results. */

struct worker;

/* The caller owns a job and keeps it until done() has been called. */
struct worker_job {
	void (*run)(struct worker_job *job);  /* in the helper thread */
	void (*done)(struct worker_job *job); /* in the thread that calls worker_collect() */
	struct worker_job *next;
	bool dropped; /* set by worker_close() before done(): it may not have run */
};

/* One thread, started with the first job. NULL with errno when it gets no descriptor. */
struct worker *worker_open(void);

/*
 * A team of threads for jobs that may block for ever: when all seem to be blocked, another one is started, up
 * to a few. Jobs may run in any order. It has no descriptor: use worker_wait().
 */
struct worker *worker_open_team(void);

/*
 * Waits a moment for running jobs. False when one is still blocked: all jobs are then left to the end of the
 * process. Otherwise calls done() of each job with dropped set; waiting jobs have not run.
 */
bool worker_close(struct worker *worker);

/* Readable when worker_collect() has something to do. */
int worker_fd(const struct worker *worker);

/* Without a worker (NULL) or a thread, the job runs before this returns. */
void worker_submit(struct worker *worker, struct worker_job *job);
void worker_collect(struct worker *worker);

/*
 * Waits until until_ns, until a team has finished all jobs, or until it may need another helper; then as
 * worker_collect().
 */
void worker_wait(struct worker *worker, uint64_t until_ns);

/* Starts a thread and waits for its end. 0, or -errno when no more threads are possible. */
int worker_try_thread(void);

#endif
